//! A ground motion as an FMU.

use super::common::*;
use super::test::*;

/// A ground motion from an FMU: the one that our own simulation gives, in the unit that it states.
#[test]
fn an_excitation_as_an_fmu_is_the_motion_it_gives() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let source = example("fmi-foreign/oscillator.fmu");
    // Free vibration of the oscillator is a ground motion as good as any.
    let simulate = ["fmu", "simulate", text(&source), "--kind", "me"];
    let solver = [
        "--step",
        "0.01",
        "--stop",
        "5",
        "--solver",
        "rk45",
        "--tolerance",
        "1e-8",
    ];
    let more = ["--set", "x=2", "--outputs", "x", "--out", "out.csv"];
    done(&TANDEM.run(&[&simulate[..], &solver, &more].concat(), at));
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
        "kind = \"fmu\"\nfmu = \"{}\"\noutput = \"x\"\nstart = [\"x=2\"]\nduration = \"5 s\"\n\
        dt = \"10 ms\"\n",
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
                "kind = \"fmu\"\nfmu = \"{}\"\noutput = \"y\"\nstart = [\"mode={mode}\"]\n\
                duration = \"1 s\"\ntimeout = \"0.5 s\"\n",
                text(&bad)
            );
            run(at, "bad", &plan(&text), &[]).refused(reason);
        }
    }
    for (line, reason) in [
        ("unit = \"g\"\noutput = \"y\"", "has no variable `y`"),
        ("solver = \"magic\"", "magic"),
    ] {
        let text = fmu.replace("output = \"x\"\n", &format!("{line}\n"));
        run(at, "refused", &plan(&text), &[]).refused(reason);
    }
}
