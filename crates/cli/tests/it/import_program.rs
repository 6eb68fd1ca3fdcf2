//! `tandem import` as a user meets it: a script in, a plan out that `tandem check` and `tandem run`
//! take.

use tandem_test_support::{done, example, json, python, refused};

use crate::TANDEM;

/// A shear frame on a spring: ω² = k/m for the bar; its motion stands in the script.
const SCRIPT: &str = "\
model basic -ndm 2 -ndf 3
node 1 0 0
node 2 0 3 -mass 2.0 0 0
fix 1 1 1 1
geomTransf Linear 1
element elasticBeamColumn 1 1 2 0.01 2.1e8 8.0e-6 1
uniaxialMaterial SelfCentering 7 1 2 3
set w [expr {sqrt([eigen 1])}]
rayleigh [expr {2 * 0.05 * $w}] 0 0 0
recorder Node -file a.out -node 2 disp
timeSeries Path 1 -dt 0.1 -values {0 1 0 -1 0} -factor 2.0
pattern UniformExcitation 1 1 -accel 1
integrator Newmark 0.5 0.25
analyze 100 0.01
";

#[test]
fn a_script_becomes_a_plan_that_is_checked_and_run() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("column.tcl"), SCRIPT).unwrap();
    let arguments = [
        "import",
        "column.tcl",
        "--units",
        "kN, m, s",
        "-o",
        "column.toml",
        "--json",
    ];
    let output = TANDEM.run(&arguments, folder.path());
    done(&output);
    let report = json(&output);
    assert_eq!(report["accepted"], true, "{report}");
    assert_eq!(report["counts"]["nodes"], 2);
    assert_eq!(report["not_understood"].as_array().unwrap().len(), 1);
    let missing = &report["not_understood"][0];
    assert_eq!(
        (&missing["line"], &missing["file"]),
        (&7.into(), &"column.tcl".into())
    );
    assert_eq!(report["ignored"][0]["command"], "recorder");
    let plan = std::fs::read_to_string(folder.path().join("column.toml")).unwrap();
    assert!(
        plan.contains("#   column.tcl:7  uniaxialMaterial SelfCentering"),
        "{plan}"
    );
    assert!(folder.path().join("column-motion.txt").exists());

    // k = 3EI/h³ = 186.67 kN/m on 2 t.
    let checked = json(&TANDEM.run(&["check", "column.toml", "--json"], folder.path()));
    let frequency = checked["frequencies_hz"][0].as_f64().unwrap();
    let exact = (3.0 * 2.1e11 * 8e-6 / 27.0 / 2000.0_f64).sqrt() / std::f64::consts::TAU;
    assert!(
        (frequency - exact).abs() < 1e-9 * exact,
        "{frequency} instead of {exact}"
    );
    let ratio = checked["damping_ratios"][0].as_f64().unwrap();
    assert!((ratio - 0.05).abs() < 1e-9, "{ratio}");
    let record = &checked["record"];
    assert!(
        (record["peak_m_s2"].as_f64().unwrap() - 2.0).abs() < 1e-12,
        "{record}"
    );

    let output = TANDEM.run(&["run", "column.toml", "--json"], folder.path());
    done(&output);
    assert_eq!(json(&output)["outcome"], "completed");

    // A plan that is there is not overwritten.
    refused(&TANDEM.run(&arguments, folder.path()), 2);
    done(&TANDEM.run(&[&arguments[..], &["--force"]].concat(), folder.path()));
}

#[test]
fn without_units_it_says_what_it_took() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("column.tcl"), SCRIPT).unwrap();
    let output = TANDEM.run(&["import", "column.tcl"], folder.path());
    let said = done(&output);
    let plan = String::from_utf8_lossy(&output.stdout);
    assert!(plan.contains("kind = \"frame\""), "{plan}");
    assert!(said.contains("taken as N, m, s"), "{said}");
    assert!(
        said.contains("--units \"kN, m, s\""),
        "the modulus of 0.21 GPa is pointed out: {said}"
    );
}

#[test]
fn nothing_useful_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("empty.tcl"),
        "puts hello\nsource nowhere.tcl\n",
    )
    .unwrap();
    std::fs::write(folder.path().join("empty.py"), "import math\n").unwrap();
    for (script, word) in [("empty.tcl", "nowhere.tcl"), ("empty.py", "then say --run")] {
        let output = TANDEM.run(&["import", script, "-o", "plan.toml"], folder.path());
        let said = refused(&output, 2);
        assert!(said.contains(word), "{said}");
        assert!(!folder.path().join("plan.toml").exists());
    }
    for arguments in [
        &["import", "model.txt"][..],
        &["import", "missing.tcl"],
        &["import", "empty.tcl", "--units", "m, kN, s"],
    ] {
        let said = refused(&TANDEM.run(arguments, folder.path()), 2);
        assert!(!said.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_script_of_python_is_run_where_the_user_says_so() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("column.py"),
        "import openseespy.opensees as ops
ops.model('basic', '-ndm', 1, '-ndf', 1)
for k in (100.0, 400.0):
    ops.wipe()
    ops.model('basic', '-ndm', 1, '-ndf', 1)
    ops.node(1, 0.0)
    ops.node(2, 1.0, '-mass', 1.0)
    ops.fix(1, 1)
    ops.uniaxialMaterial('Elastic', 1, k)
    ops.element('truss', 1, 1, 2, 1.0, 1)
",
    )
    .unwrap();
    let import = |more: &[&str]| {
        let arguments = ["import", "column.py", "--units", "N, m, s", "--force"];
        let arguments = [&arguments[..], &["-o", "plan.toml"], more].concat();
        TANDEM.run(&arguments, folder.path())
    };
    // Nothing is run without leave, and a name that is no Python is told.
    for (more, word) in [
        (&[][..], "then say --run"),
        (&["--run=no-such-python"], "no Python at `no-such-python`"),
        (&["--run=true"], "not Python 3.8 or later"),
    ] {
        let said = refused(&import(more), 2);
        assert!(said.contains(word), "{said}");
    }
    let Some(python) = python(&[]) else {
        return;
    };
    let run = format!("--run={}", python.display());
    for (more, frequency) in [(&[][..], 20.0), (&["--model", "1"], 10.0)] {
        let said = done(&import(&[&[run.as_str()][..], more].concat()));
        assert!(said.contains("builds 2 models"), "{said}");
        let checked = json(&TANDEM.run(&["check", "plan.toml", "--json"], folder.path()));
        let own = checked["frequencies_hz"][0].as_f64().unwrap();
        let exact = frequency / std::f64::consts::TAU;
        assert!((own - exact).abs() < 1e-9, "{own} instead of {exact} Hz");
    }
    let said = refused(&import(&[&run, "--model", "3"]), 2);
    assert!(said.contains("no model 3"), "{said}");
}

#[test]
fn the_plan_of_the_example_is_what_the_import_makes_of_its_script() {
    let example = example("opensees-import");
    let folder = tempfile::tempdir().unwrap();
    for name in ["frame.tcl", "frame.py", "motion.txt"] {
        std::fs::copy(example.join(name), folder.path().join(name)).unwrap();
    }
    let import = |more: &[&str], plan: &str| {
        let arguments = [&["import", "--units", "kN, m, s", "-o", plan], more].concat();
        done(&TANDEM.run(&arguments, folder.path()));
        std::fs::read_to_string(folder.path().join(plan)).unwrap()
    };
    let made = import(&["frame.tcl"], "plan.toml");
    let kept = std::fs::read_to_string(example.join("plan.toml")).unwrap();
    // The damping follows from a frequency that was computed: its last digits may differ between
    // machines.
    let lines = |text: &str| -> Vec<String> {
        let damping = |line: &&str| !line.starts_with("mass = \"0.5398566");
        text.lines().filter(damping).map(str::to_owned).collect()
    };
    assert_eq!(lines(&made), lines(&kept));
    // Its twin in the other language is the same model.
    let Some(python) = python(&[]) else {
        return;
    };
    let run = format!("--run={}", python.display());
    let twin = import(&["frame.py", &run], "twin.toml");
    assert_eq!(lines(&twin.replace("frame.py", "frame.tcl")), lines(&made));
}
