//! Model Exchange FMUs that are not linear, hang on time, push backwards or go blind: as the
//! structure of a test and as a part of a co-simulation.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use super::common::*;

/// Name, causality, start.
const VARIABLES: [(&str, &str, &str); 13] = [
    ("x", "output", "0"),
    ("v", "output", "0"),
    ("der(x)", "local", ""),
    ("der(v)", "local", ""),
    ("f", "input", "0"),
    ("g", "input", "0"),
    ("cubic", "parameter", "0"),
    ("soft", "parameter", "0"),
    ("sign", "parameter", "1"),
    ("kick", "parameter", "-1"),
    ("kicks", "parameter", "1"),
    ("blind", "parameter", "-1"),
    ("sticks", "parameter", "-1"),
];

/// Makes `own.fmu`, which has directional derivatives, and `bare.fmu`, which has none.
fn make(folder: &Path) {
    let library = compile(folder, "bent", include_str!("bent.c"));
    let mut list = String::new();
    for (i, (name, causality, start)) in VARIABLES.iter().enumerate() {
        let place = i + 1;
        let (variability, rest) = match *causality {
            "local" => ("continuous", format!(" derivative=\"{}\"", place - 2)),
            "parameter" => ("fixed", format!(" start=\"{start}\"")),
            _ => ("continuous", format!(" start=\"{start}\"")),
        };
        let initial = if *causality == "output" {
            " initial=\"exact\""
        } else {
            ""
        };
        list += &format!(
            "<ScalarVariable name=\"{name}\" valueReference=\"{place}\" causality=\"{causality}\" \
            variability=\"{variability}\"{initial}><Real{rest}/></ScalarVariable>"
        );
    }
    for (name, own) in [("own", true), ("bare", false)] {
        let xml = format!(
            "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"bent\" guid=\"bent\" \
            numberOfEventIndicators=\"1\">\
             <ModelExchange modelIdentifier=\"bent\" \
             providesDirectionalDerivative=\"{own}\"/><ModelVariables>{list}</ModelVariables>\
             <ModelStructure><Outputs>\
             <Unknown index=\"1\"/><Unknown index=\"2\"/></Outputs><Derivatives><Unknown \
             index=\"3\"/><Unknown \
             index=\"4\"/></Derivatives></ModelStructure></fmiModelDescription>"
        );
        write_fmu(
            &folder.join(format!("{name}.fmu")),
            2,
            xml.as_bytes(),
            &library,
        );
    }
}

/// As the structure of an ordinary test.
fn structure(fmu: &str, starts: &str) -> String {
    format!(
        "[excitation]\nkind = \"kanai-tajimi\"\nduration = \"2 s\"\npeak = \"1 m/s^2\"\n\
        [structure]\nkind = \"fmu\"\nfmu = \"{fmu}.fmu\"\ndisplacement = [\"x\"]\n\
        velocity = [\"v\"]\n\
         force = [\"f\"]\nground = \"g\"\nstart = [{starts}]\n[interface]\ndof = [1]\n\
         partition = \"add\"\n[integration]\nmethod = \"newmark-explicit\"\ndt = \"5 ms\"\n\
         [rig.specimen]\nstiffness = [\"8 kN/m\"]\n"
    )
}

/// Two of them tied at one degree of freedom.
fn coupled(dt: &str, first: &str, second: &str) -> String {
    let part = |name: &str, more: &str| {
        format!(
            "[[part]]\nname = \"{name}\"\nfmu = \"bare.fmu\"\ndisplacement = [\"x\"]\n\
            velocity = [\"v\"]\nforce = [\"f\"]\nground = \"g\"\n{more}\n"
        )
    };
    format!(
        "[cosimulation]\nvariant = \"me\"\ndt = \"{dt}\"\nduration = \"2 s\"\n{}{}",
        part("a", first),
        part("b", second)
    )
}

/// The structure of a test is known by its derivatives at rest, be they its own or differences:
/// wherever it starts, and however small the displacement at which it yields.
#[test]
fn matrices_are_those_of_rest() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at);
    // The numerical part has 12 kN/m, the specimen 8 kN/m more.
    let expected = (20_000.0_f64 / 80.0).sqrt() / (2.0 * std::f64::consts::PI);
    for (fmu, starts) in [
        ("own", ""),
        ("bare", ""),
        ("own", "\"x=0.1\", \"cubic=4e6\""),
        ("bare", "\"x=0.1\", \"cubic=4e6\""),
        ("bare", "\"soft=1e-4\""),
    ] {
        let value = json(&check(at, &structure(fmu, starts)));
        let found = frequency(&value).unwrap_or_else(|| panic!("{value}"));
        assert!(
            (found - expected).abs() < 1e-6 * expected,
            "{fmu} {starts}: {found} instead of {expected}"
        );
    }
}

/// The first number in a list of frequencies, wherever it stands.
fn frequency(value: &Value) -> Option<f64> {
    match value {
        Value::Object(map) => map
            .get("frequencies_hz")
            .and_then(|list| list[0].as_f64())
            .or_else(|| map.values().find_map(frequency)),
        Value::Array(list) => list.iter().find_map(frequency),
        _ => None,
    }
}

/// A time event takes place at the end of the step in which it lies, however many there are in it,
/// and the parts move as one behind it: the momentum of one is shared by both, and what follows is
/// the free vibration of the whole.
#[test]
fn time_events_take_place() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at);
    for (kick, first) in [("0.5", 500), ("0.4995", 500), ("0.3", 300)] {
        let starts = format!("start = [\"kick={kick}\", \"kicks=25\"]");
        let name = format!("run{kick}");
        let output = TANDEM.run_plan(at, &name, &coupled("1 ms", &starts, ""), &[]);
        done(&output);
        let summary = json(&output);
        assert!(summary["notes"].to_string().contains("Events"), "{summary}");
        let table = result(&at.join(name));
        let rows = table.values();
        let [u, v, other] = ["a/u/1", "a/v/1", "b/v/1"].map(|name| table.place(name));
        assert_eq!(rows[first - 1][v], 0.0, "{kick}");
        // Twice the mass, the damping and the stiffness, half of the velocity.
        let (a, w2) = (60.0 / 160.0, 150.0_f64);
        let w = (w2 - a * a).sqrt();
        for (k, row) in rows.iter().enumerate().skip(first) {
            let t = 1e-3 * (k - first) as f64;
            let exact = 0.25 / w * (-a * t).exp() * (w * t).sin();
            assert!(
                (row[u] - exact).abs() < 1e-5,
                "{kick} {k}: {} {exact}",
                row[u]
            );
            assert!((row[v] - row[other]).abs() < 1e-12, "{kick} {k}");
        }
    }
    // No time-stepping method of structures tells the time.
    let said = refused(&check(at, &structure("bare", "\"kick=0.5\"")), 2);
    assert!(said.contains("announces an event at t = 0.5 s"), "{said}");
}

/// Values that are no numbers end the run with the name of the part, and forces that push
/// backwards, or are none, are refused before it.
#[test]
fn parts_that_go_blind_or_push_backwards_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at);
    for (start, words) in [
        ("blind=0.5", "event indicator 1"),
        ("sticks=0.5", "acceleration"),
    ] {
        let more = format!("start = [\"{start}\"]");
        let output = TANDEM.run_plan(at, words, &coupled("10 ms", "", &more), &[]);
        assert_eq!(output.status.code(), Some(3));
        let summary = json(&output);
        let reason = summary["reason"].as_str().unwrap();
        assert!(
            reason.contains("part `b`") && reason.contains(words),
            "{reason}"
        );
    }
    for second in ["start = [\"sign=-1\"]", "start = [\"sign=0\"]"] {
        let said = refused(&check(at, &coupled("10 ms", "", second)), 2);
        assert!(
            said.contains("part `b`") && said.contains("force"),
            "{said}"
        );
    }
    let wrong = coupled("10 ms", "", "").replacen("force = [\"f\"]", "force = [\"g\"]", 1);
    let said = refused(&check(at, &wrong), 2);
    assert!(said.contains("part `a`"), "{said}");
}

/// An explicit part is told which step it bears, if only by its derivatives.
#[test]
fn explicit_parts_are_told_their_step() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at);
    for (dt, warned) in [("10 ms", false), ("200 ms", true)] {
        let value = json(&check(at, &coupled(dt, "beta = 0.0", "")));
        let limit = value["parts"][0]["largest_stable_step_s"].as_f64();
        let limit = limit.unwrap_or_else(|| panic!("{value}"));
        assert!((limit - 2.0 / 150.0_f64.sqrt()).abs() < 1e-6, "{limit}");
        assert!(value["parts"][1]["largest_stable_step_s"].is_null());
        let warnings = value["warnings"].to_string();
        assert_eq!(warnings.contains("Part `a` is explicit"), warned, "{value}");
    }
}
