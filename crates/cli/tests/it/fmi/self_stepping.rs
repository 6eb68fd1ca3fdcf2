//! A Co-Simulation FMU as the numerical substructure of an ordinary test: it integrates by itself.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use super::common::*;
use super::mass::*;
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

/// Damped, in this process, with an ideal specimen.
const CASE: Case<'_> = Case {
    version: 2,
    dt: 5e-3,
    damping: 60.0,
    in_process: true,
    structure: "",
    more: IDEAL,
};

impl Case<'_> {
    /// The plan; its ground motion stands in the folder.
    fn plan(&self, folder: &Path) -> String {
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
        format!(
            "[excitation]\nrecord = \"ag.csv\"\nunit = \"m/s^2\"\n\
             [structure]\nkind = \"fmu\"\nfmu = \"mass{version}.fmu\"\ndisplacement = [\"x\"]\n\
             velocity = [\"v\"]\nforce = [\"f\"]\nground = \"g\"\n\
             start = [\"m={MASS}\", \"c={damping}\", \"k={STIFFNESS}\"]\n\
             in_process = {in_process}\n{structure}\n\
             [interface]\ndof = [\"x\"]\npartition = \"add\"\n[integration]\nmethod = \"fmu\"\n\
             dt = \"{dt} s\"\nduration = \"4 s\"\n\
             [limits]\nstroke = \"200 mm\"\nmissed_deadlines = 1000000\n{more}\n"
        )
    }
}

const IDEAL: &str = "[rig.specimen]\nstiffness = [\"8 kN/m\"]\n";

/// The same equations on paper: the state of the oscillator over a step with held load by the power
/// series of the exponential, the specimen's force from the displacement at the step's beginning.
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
fn displacement(out: &Path) -> Vec<f64> {
    let run = RunReader::open(&out.join("run.h5")).unwrap();
    run.read("response_displacement/1").unwrap()
}

/// A run that was kept is played back to the bit.
fn played_back(run: &Path) {
    let again = json(&TANDEM.says(&["replay", text(run), "--json"]));
    assert_eq!(again["identical"], true, "{again}");
}

/// The oscillator as a Co-Simulation FMU in the ordinary loop moves as on paper, in both versions,
/// in a process of its own and in this one; its record is played back to the bit.
#[test]
fn it_moves_as_on_paper_and_its_record_is_played_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at, 2);
    make(at, 3);
    for (version, in_process) in [(2, false), (2, true), (3, false), (3, true)] {
        let name = format!("run{version}{in_process}");
        let case = Case {
            version,
            in_process,
            ..CASE
        };
        let output = TANDEM.run_plan(at, &name, &case.plan(at), &[]);
        done(&output);
        let summary = json(&output);
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
        let out = at.join(&name);
        let (found, expected) = (displacement(&out), on_paper(5e-3, 60.0, 800));
        assert!(peak(&expected) > 5e-3, "{}", peak(&expected));
        let error = apart(&found[..expected.len()], &expected);
        assert!(error < 1e-11, "{name}: {error:e}");
        played_back(&out);
    }
}

/// Against a spring k the held force is a damper of −k Δt/2: without damping of its own the
/// oscillator gains energy at that very rate, and the check of the plan says so beforehand.
#[test]
fn what_the_held_force_does_is_foretold() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at, 2);
    let plan = |dt: f64| {
        let damping = 0.0;
        Case {
            dt,
            damping,
            ..CASE
        }
        .plan(at)
    };
    for dt in [5e-3, 2.5e-3] {
        let foretold = json(&check(at, &plan(dt)));
        assert_eq!(foretold["held_force_delay_s"]["mean"], 0.5 * dt);
        assert_eq!(foretold["held_force_delay_s"]["most"], dt);
        let damping = foretold["held_force_damping_n_s_m"][0].as_f64().unwrap();
        assert!((damping + 0.5 * SPECIMEN * dt).abs() < 1e-9, "{damping}");
        let name = format!("run{dt}");
        done(&TANDEM.run_plan(at, &name, &plan(dt), &[]));
        let found = displacement(&at.join(name));
        // Peaks of the free vibration grow with −c/(2 m).
        let index = |t: f64| (t / dt).round() as usize;
        let largest = |from: f64, to: f64| peak(&found[index(from)..index(to)]);
        let rate = (largest(3.0, 3.9) / largest(1.0, 1.9)).ln() / 2.0;
        let expected = -damping / (2.0 * MASS);
        assert!(
            (rate - expected).abs() < 0.03 * expected,
            "{dt}: {rate} instead of {expected}"
        );
    }
    // People are told, too.
    let plan = plan(5e-3);
    let warned = |mass: &str| {
        let checked = json(&check(at, &format!("{plan}{mass}")));
        checked["warnings"].to_string().contains("up to 100 kg")
    };
    assert!(warned("mass = [\"100 kg\"]\n") && !warned(""));
    let said = TANDEM.run(&["check", "plan.toml"], at).stdout;
    let said = String::from_utf8_lossy(&said);
    for words in [
        "2.5 ms of wall time old on the average",
        "a damper of −20 N s/m",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

/// A lost FMU ends the test with its own words: a crash, a step that takes too long; by the wall
/// clock only one in this process is taken.
#[test]
fn a_lost_one_ends_the_test_with_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at, 2);
    let case = |in_process: bool, structure: &'static str, more: &'static str| Case {
        in_process,
        structure,
        more,
        ..CASE
    };
    let run =
        |name: &str, case: Case<'_>, more: &[&str]| TANDEM.run_plan(at, name, &case.plan(at), more);
    let crash = "structure.start=[\"m=80\", \"k=12000\", \"crash=1\"]";
    let output = run("crash", case(false, "", IDEAL), &["--set", crash]);
    assert_eq!(output.status.code(), Some(3));
    let lost = json(&output);
    let reason = lost["reason"].as_str().unwrap();
    assert!(
        reason.contains("the FMU of the structure is lost: in the step from t = 1 s")
            && reason.contains("aborted"),
        "{lost}"
    );
    // What was done until then is in the record.
    let rows = displacement(&at.join("crash"));
    assert!(rows.len() > 190, "{}", rows.len());
    played_back(&at.join("crash"));

    let rig = "[command]\nmethod = \"last-predicted-displacement\"\nrate = \"1 kHz\"\n\
               [rig.actuator]\nmethod = \"first-order\"\ntime_constant = \"2 ms\"\n[rig.specimen]\n\
               stiffness = [\"8 kN/m\"]\n";
    done(&run("slow", case(true, "step_limit = \"10 s\"", rig), &[]));
    let limited = case(true, "step_limit = \"1e-9 s\"", rig);
    let said = refused(&run("slow-limited", limited, &["--realtime"]), 2);
    assert!(said.contains("a step took"), "{said}");
    // By the wall clock.
    let said = refused(&run("own", case(false, "", rig), &["--realtime"]), 2);
    assert!(said.contains("a process of its own"), "{said}");
    // From 20 ms of wall time on it integrates in a thread of its own, where the system grants one.
    for (name, dt) in [("here", "5 ms"), ("apart", "20 ms")] {
        let set = format!("integration.dt=\"{dt}\"");
        let output = run(name, case(true, "", rig), &["--realtime", "--set", &set]);
        done(&output);
        assert!(json(&output)["structure"]["slowest_step_s"].is_number());
        played_back(&at.join(name));
    }
}

/// What does not fit is refused with the key.
#[test]
fn what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at, 2);
    let plan = CASE.plan(at);
    std::fs::write(at.join("plan.toml"), &plan).unwrap();
    for (set, words) in [
        ("interface.partition=\"subtract\"", "partition = \"add\""),
        ("structure.mass=[[80], \"kg\"]", "structure.mass"),
        ("structure.force=[\"x\"]", "`x` is no input"),
        ("structure.start=[\"x=0.1\"]", "begins at rest"),
        ("structure.start=[\"v=0.1\"]", "begins at rest"),
        ("interface.dof=[2]", "interface.dof"),
        ("integration.method=\"newmark\"", ""),
    ] {
        let output = TANDEM.run(&["check", "plan.toml", "--set", set], at);
        match words {
            "" => drop(done(&output)),
            words => {
                let said = refused(&output, 2);
                assert!(said.contains(words), "{set}: {said}");
            }
        }
    }
    let example = example("fmi-foreign/oscillator.fmu");
    let plan = plan.replace("mass2.fmu", text(&example));
    let said = refused(&check(at, &plan.replace("start =", "# start =")), 2);
    assert!(said.contains("it has no Co-Simulation"), "{said}");
}

/// Continued to mid-step the specimen's force has no delay of the first order: against the
/// undivided oscillator the error falls with the square of the step, that of a held force with the
/// step itself.
#[test]
fn a_continued_force_has_no_delay() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at, 2);
    // The undivided oscillator in steps so short that it is exact for this purpose: 20 kN/m with
    // the specimen's force inside.
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
        let damping = 0.0;
        let plan = Case {
            dt,
            damping,
            ..CASE
        }
        .plan(at);
        let set = format!("integration.force=\"{force}\"");
        done(&TANDEM.run_plan(at, &name, &plan, &["--set", &set]));
        let every = (dt / h).round() as usize;
        let exact: Vec<f64> = exact.iter().copied().step_by(every).collect();
        apart(&displacement(&at.join(name))[..exact.len()], &exact)
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
