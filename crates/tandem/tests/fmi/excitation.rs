//! A ground motion as an FMU.

use crate::common::*;
use crate::test::*;

/// A ground motion from an FMU: the one that FMPy's or our own simulation gives, in the unit that it states.
#[test]
fn an_excitation_as_an_fmu_is_the_motion_it_gives() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let source = example("fmi-foreign/oscillator.fmu");
    let (input, out) = (at.join("in.csv"), at.join("out.csv"));
    std::fs::write(&input, "time,f,g\n0,0,0\n1,0,0\n").unwrap();
    // Free vibration of the oscillator is a ground motion as good as any.
    let output = tandem(&[
        "fmu",
        "simulate",
        text(&source),
        "--kind",
        "me",
        "--step",
        "0.01",
        "--stop",
        "5",
        "--solver",
        "rk45",
        "--tolerance",
        "1e-8",
        "--set",
        "x=2",
        "--outputs",
        "x",
        "--out",
        text(&out),
    ]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let plan = |excitation: &str| {
        format!(
            "[excitation]\n{excitation}\n{}{RIG}",
            &TEST[TEST.find("[structure]").unwrap()..]
        )
    };
    let recorded = run(
        at,
        "recorded",
        &plan("record = \"out.csv\"\nunit = \"m/s^2\"\n"),
        &[],
    );
    let fmu = format!(
        "kind = \"fmu\"\nfmu = \"{}\"\noutput = \"x\"\nstart = [\"x=2\"]\nduration = \"5 s\"\ndt = \"10 ms\"\n",
        text(&source)
    );
    run(at, "fmu", &plan(&fmu), &[]).same_as(&recorded, 1e-12);
    run(
        at,
        "inside",
        &plan(&format!("{fmu}in_process = true\n")),
        &["--realtime"],
    )
    .same_as(&recorded, 1e-12);
    // A crash and an endless step are contained, and told where they stand.
    #[cfg(target_os = "linux")]
    {
        let bad = super::hostile::bad_fmu(at, "right");
        for (mode, reason) in [
            ("1", "aborted (signal 6)"),
            ("2", "did not answer"),
            ("3", "is NaN"),
        ] {
            let text = format!(
                "kind = \"fmu\"\nfmu = \"{}\"\noutput = \"y\"\nstart = [\"mode={mode}\"]\nduration = \"1 s\"\ntimeout = \"0.5 s\"\n",
                text(&bad)
            );
            let refused = run(at, "bad", &plan(&text), &[]);
            assert!(
                refused.code == Some(2) && refused.said.contains(reason),
                "{}",
                refused.said
            );
        }
    }
    for (line, reason) in [
        ("unit = \"g\"\noutput = \"y\"", "has no variable `y`"),
        ("solver = \"magic\"", "magic"),
    ] {
        let text = fmu.replace("output = \"x\"\n", &format!("{line}\n"));
        let refused = run(at, "refused", &plan(&text), &[]);
        assert!(
            refused.code == Some(2) && refused.said.contains(reason),
            "{}",
            refused.said
        );
    }
}
