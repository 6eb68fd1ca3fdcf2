//! A Co-Simulation FMU as the numerical substructure of an ordinary test: it integrates by itself.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use crate::common::*;
use crate::mass::*;
use std::path::Path;
use tandem_coordinator::recorder::RunReader;

/// Numerical part: 80 kg, 60 N s/m, 12 kN/m; specimen: 8 kN/m.
const MASS: f64 = 80.0;
const STIFFNESS: f64 = 12e3;
const SPECIMEN: f64 = 8e3;

/// a_g of the samples, m/s²: an even pulse of half a second, then rest.
fn ground(t: f64) -> f64 {
    if t < 0.5 {
        3.0 * (2.0 * std::f64::consts::PI * t / 0.5).sin()
    } else {
        0.0
    }
}

struct Case<'a> {
    version: u8,
    dt: f64,
    damping: f64,
    in_process: bool,
    /// Added to the end of `[structure]`.
    structure: &'a str,
    /// Further sections.
    more: &'a str,
}

impl Case<'_> {
    fn write(&self, folder: &Path, name: &str) -> std::path::PathBuf {
        let mut table = "time,acceleration\n".to_owned();
        for k in 0..=8000 {
            let t = f64::from(k) * 5e-4;
            table += &format!("{t},{:e}\n", ground(t));
        }
        std::fs::write(folder.join("ag.csv"), table).unwrap();
        let Self {
            version,
            dt,
            damping,
            in_process,
            structure,
            more,
        } = self;
        let path = folder.join(format!("{name}.toml"));
        let text = format!(
            "[excitation]\nrecord = \"ag.csv\"\nunit = \"m/s^2\"\n\
             [structure]\nkind = \"fmu\"\nfmu = \"mass{version}.fmu\"\ndisplacement = [\"x\"]\nvelocity = [\"v\"]\nforce = [\"f\"]\nground = \"g\"\n\
             start = [\"m={MASS}\", \"c={damping}\", \"k={STIFFNESS}\"]\nin_process = {in_process}\n{structure}\n\
             [interface]\ndof = [\"x\"]\npartition = \"add\"\n[integration]\nmethod = \"fmu\"\ndt = \"{dt} s\"\nduration = \"4 s\"\n\
             [limits]\nstroke = \"200 mm\"\n{more}\n"
        );
        std::fs::write(&path, text).unwrap();
        path
    }
}

const IDEAL: &str = "[rig.specimen]\nstiffness = [\"8 kN/m\"]\n";

/// The same equations on paper: the state of the oscillator over a step with held load by the power series of the exponential, the specimen's
/// force from the displacement at the step's beginning.
fn on_paper(dt: f64, damping: f64, steps: u32) -> Vec<f64> {
    // exp(A Δt) of [x, v, load] by its series.
    let a = [
        [0.0, 1.0, 0.0],
        [-STIFFNESS / MASS, -damping / MASS, 1.0],
        [0.0, 0.0, 0.0],
    ];
    let mut sum = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut term = sum;
    for k in 1..40 {
        let mut next = [[0.0; 3]; 3];
        for (i, row) in next.iter_mut().enumerate() {
            for (j, x) in row.iter_mut().enumerate() {
                *x = (0..3).map(|l| term[i][l] * a[l][j]).sum::<f64>() * dt / f64::from(k);
            }
        }
        term = next;
        for (s, t) in sum.iter_mut().flatten().zip(term.iter().flatten()) {
            *s += t;
        }
    }
    let (mut x, mut v) = (0.0, 0.0);
    let mut rows = vec![0.0];
    for k in 0..steps {
        let load = -SPECIMEN * x / MASS - ground((f64::from(k) + 0.5) * dt);
        let state = [x, v, load];
        let row = |i: usize| sum[i].iter().zip(state).map(|(a, b)| a * b).sum::<f64>();
        (x, v) = (row(0), row(1));
        rows.push(x);
    }
    rows
}

/// Displacements of the structure, one a step.
fn displacement(out: &Path, ticks: usize) -> Vec<f64> {
    let run = RunReader::open(&out.join("run.h5")).unwrap();
    let all = run.read("response_displacement/1").unwrap();
    all.into_iter().step_by(ticks).collect()
}

fn summary(output: &std::process::Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The oscillator as a Co-Simulation FMU in the ordinary loop moves as on paper, in both versions, in a process of its own and in this one;
/// its record is played back to the bit.
#[test]
fn it_moves_as_on_paper_and_its_record_is_played_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at, 2);
    make(at, 3);
    for (version, in_process) in [(2, false), (2, true), (3, false), (3, true)] {
        let name = format!("run{version}{in_process}");
        let plan = Case {
            version,
            dt: 5e-3,
            damping: 60.0,
            in_process,
            structure: "",
            more: IDEAL,
        }
        .write(at, &name);
        let out = at.join(&name);
        let output = tandem(&["run", text(&plan), "--json", "--out", text(&out)]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {said}");
        let summary = summary(&output);
        assert!(
            summary["structure"]["slowest_step_s"].as_f64().unwrap() > 0.0,
            "{summary}"
        );
        assert!(
            summary["notes"]
                .to_string()
                .contains("held over a step of the FMU"),
            "{summary}"
        );
        let (found, expected) = (displacement(&out, 1), on_paper(5e-3, 60.0, 800));
        assert!(found.len() >= expected.len(), "{}", found.len());
        let peak = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(peak > 5e-3, "{peak}");
        for (k, (a, b)) in found.iter().zip(&expected).enumerate() {
            assert!((a - b).abs() < 1e-11 * peak, "{name} step {k}: {a} {b}");
        }
        let again = tandem(&["replay", text(&out), "--json"]);
        assert_eq!(
            crate::self_stepping::summary(&again)["identical"],
            true,
            "{}",
            String::from_utf8_lossy(&again.stdout)
        );
    }
}

/// Against a spring k the held force is a damper of −k Δt/2: without damping of its own the oscillator gains energy at that very rate, and the
/// check of the plan says so beforehand.
#[test]
fn what_the_held_force_does_is_foretold() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at, 2);
    let case = |dt: f64| Case {
        version: 2,
        dt,
        damping: 0.0,
        in_process: true,
        structure: "",
        more: IDEAL,
    };
    for dt in [5e-3, 2.5e-3] {
        let plan = case(dt).write(at, "plan");
        let checked = tandem(&["check", text(&plan), "--json"]);
        let foretold = summary(&checked);
        assert_eq!(foretold["held_force_delay_s"]["mean"], 0.5 * dt);
        assert_eq!(foretold["held_force_delay_s"]["most"], dt);
        let damping = foretold["held_force_damping_n_s_m"][0].as_f64().unwrap();
        assert!((damping + 0.5 * SPECIMEN * dt).abs() < 1e-9, "{damping}");
        let out = at.join(format!("run{dt}"));
        let output = tandem(&["run", text(&plan), "--out", text(&out)]);
        assert!(output.status.success());
        let found = displacement(&out, 1);
        // Peaks of the free vibration grow with −c/(2 m).
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small
        let index = |t: f64| (t / dt).round() as usize;
        let largest = |from: f64, to: f64| {
            found[index(from)..index(to)]
                .iter()
                .fold(0.0_f64, |m, x| m.max(x.abs()))
        };
        let rate = (largest(3.0, 3.9) / largest(1.0, 1.9)).ln() / 2.0;
        let expected = -damping / (2.0 * MASS);
        assert!(
            (rate - expected).abs() < 0.03 * expected,
            "{dt}: {rate} instead of {expected}"
        );
    }
    // People are told, too.
    let plan = case(5e-3).write(at, "plan");
    let massless = tandem(&["check", text(&plan), "--json"]);
    let heavy = tandem(&[
        "check",
        text(&plan),
        "--json",
        "--set",
        "rig.specimen.mass=[\"100 kg\"]",
    ]);
    let warned = |output| {
        summary(output)["warnings"]
            .to_string()
            .contains("up to 100 kg")
    };
    assert!(warned(&heavy) && !warned(&massless));
    let said = tandem(&["check", text(&plan)]).stdout;
    let said = String::from_utf8_lossy(&said);
    for words in [
        "2.5 ms of wall time old on the average",
        "a damper of −20 N s/m",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

/// A lost FMU ends the test with its own words: a crash, a step that takes too long; by the wall clock only one in this process is taken.
#[test]
fn a_lost_one_ends_the_test_with_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at, 2);
    let case = |in_process: bool, structure: &'static str, more: &'static str| Case {
        version: 2,
        dt: 5e-3,
        damping: 60.0,
        in_process,
        structure,
        more,
    };
    let run = |name: &str, case: Case<'_>, more: &[&str]| {
        let (plan, out) = (case.write(at, name), at.join(name));
        let call = [&["run", text(&plan), "--json", "--out", text(&out)], more].concat();
        tandem(&call)
    };
    let output = run(
        "crash",
        case(false, "", IDEAL),
        &[
            "--set",
            "structure.start=[\"m=80\", \"k=12000\", \"crash=1\"]",
        ],
    );
    assert_eq!(output.status.code(), Some(3));
    let lost = summary(&output);
    let reason = lost["reason"].as_str().unwrap();
    assert!(
        reason.contains("the FMU of the structure is lost: in the step from t = 1 s")
            && reason.contains("aborted"),
        "{lost}"
    );
    // What was done until then is in the record.
    let rows = displacement(&at.join("crash"), 1);
    assert!(rows.len() > 190, "{}", rows.len());
    let again = tandem(&["replay", text(&at.join("crash")), "--json"]);
    assert_eq!(summary(&again)["identical"], true);

    let rig = "[command]\nmethod = \"last-predicted-displacement\"\nrate = \"1 kHz\"\n\
               [rig.actuator]\nmethod = \"first-order\"\ntime_constant = \"2 ms\"\n[rig.specimen]\nstiffness = [\"8 kN/m\"]\n";
    let output = run("slow", case(true, "step_limit = \"10 s\"", rig), &[]);
    assert!(output.status.success());
    let output = run(
        "slow-limited",
        case(true, "step_limit = \"1e-9 s\"", rig),
        &["--realtime"],
    );
    let said = refused(&output, 2);
    assert!(said.contains("a step took"), "{said}");
    // By the wall clock.
    let said = refused(&run("own", case(false, "", rig), &["--realtime"]), 2);
    assert!(said.contains("a process of its own"), "{said}");
    // From 20 ms of wall time on it integrates in a thread of its own, where the system grants one.
    for (name, dt) in [("here", "5 ms"), ("apart", "20 ms")] {
        let set = format!("integration.dt=\"{dt}\"");
        let output = run(name, case(true, "", rig), &["--realtime", "--set", &set]);
        assert!(
            output.status.success(),
            "{name}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(summary(&output)["structure"]["slowest_step_s"].is_number());
        let again = tandem(&["replay", text(&at.join(name)), "--json"]);
        assert_eq!(
            summary(&again)["identical"],
            true,
            "{name}: {}",
            String::from_utf8_lossy(&again.stdout)
        );
    }
}

/// What does not fit is refused with the key.
#[test]
fn what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at, 2);
    let plan = Case {
        version: 2,
        dt: 5e-3,
        damping: 60.0,
        in_process: true,
        structure: "",
        more: IDEAL,
    }
    .write(at, "plan");
    for (set, words) in [
        ("interface.partition=\"subtract\"", "partition = \"add\""),
        ("structure.mass=[[80], \"kg\"]", "structure.mass"),
        ("structure.force=[\"x\"]", "`x` is no input"),
        ("structure.start=[\"x=0.1\"]", "begins at rest"),
        ("structure.start=[\"v=0.1\"]", "begins at rest"),
        ("interface.dof=[2]", "interface.dof"),
        ("integration.method=\"newmark\"", ""),
    ] {
        let output = tandem(&["check", text(&plan), "--set", set]);
        match words {
            "" => assert!(output.status.success(), "{set}"),
            words => {
                let said = refused(&output, 2);
                assert!(said.contains(words), "{set}: {said}");
            }
        }
    }
    let example = example("fmi-foreign/oscillator.fmu");
    let text_of = std::fs::read_to_string(&plan).unwrap();
    std::fs::write(
        &plan,
        text_of
            .replace("mass2.fmu", text(&example))
            .replace("start =", "# start ="),
    )
    .unwrap();
    let said = refused(&tandem(&["check", text(&plan)]), 2);
    assert!(said.contains("it has no Co-Simulation"), "{said}");
}

/// Continued to mid-step the specimen's force has no delay of the first order: against the undivided oscillator the error falls with the square of the
/// step, that of a held force with the step itself.
#[test]
fn a_continued_force_has_no_delay() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at, 2);
    // The undivided oscillator in steps so short that it is exact for this purpose: 20 kN/m with the specimen's force inside.
    let fine = 20_000_u32;
    let (h, w2) = (4.0 / f64::from(fine), (STIFFNESS + SPECIMEN) / MASS);
    let (w, mut x, mut v) = (w2.sqrt(), 0.0, 0.0);
    let mut exact = vec![0.0];
    for k in 0..fine {
        let rest = -ground((f64::from(k) + 0.5) * h) / w2;
        let (c, s, y) = ((w * h).cos(), (w * h).sin(), x - rest);
        (x, v) = (rest + y * c + v / w * s, v * c - w * y * s);
        exact.push(x);
    }
    let error = |force: &str, dt: f64| {
        let name = format!("{force}{dt}");
        let plan = Case {
            version: 2,
            dt,
            damping: 0.0,
            in_process: true,
            structure: "",
            more: IDEAL,
        }
        .write(at, &name);
        let (out, set) = (at.join(&name), format!("integration.force=\"{force}\""));
        let output = tandem(&["run", text(&plan), "--out", text(&out), "--set", &set]);
        assert!(output.status.success());
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small
        let every = (dt / h).round() as usize;
        let pairs = displacement(&out, 1)
            .into_iter()
            .zip(exact.iter().step_by(every));
        pairs.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()))
    };
    let mut long_steps = Vec::new();
    for (force, order) in [("held", 2.0), ("extrapolated", 4.0)] {
        let (long, short) = (error(force, 4e-3), error(force, 2e-3));
        assert!(
            (long / short / order - 1.0).abs() < 0.15,
            "{force}: {long} {short}"
        );
        long_steps.push(long);
    }
    assert!(long_steps[1] < 0.1 * long_steps[0], "{long_steps:?}");
}
