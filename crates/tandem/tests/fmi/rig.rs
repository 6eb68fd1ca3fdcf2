//! A rig and its parts as FMUs.

use crate::common::*;
use crate::test::*;
use tandem_coordinator::recorder::RunReader;

/// A rig exported as an FMU and put back behind the same loop moves and resists as the rig itself, in a process of its own, in
/// this one, and by the wall clock; a lost one holds the test.
#[test]
fn a_rig_as_an_fmu_is_the_rig_itself() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str, rig: &str| std::fs::write(at(name), format!("{TEST}{rig}")).unwrap();
    write("own.toml", RIG);
    let run = |plan: &str, out: &str, more: &[&str]| {
        let (plan, out) = (at(plan), at(out));
        let call = [&["run", text(&plan), "--json", "--out", text(&out)], more].concat();
        tandem(&call)
    };
    let own = run("own.toml", "own", &[]);
    assert!(
        own.status.success(),
        "{}",
        String::from_utf8_lossy(&own.stderr)
    );
    let force = |out: &str| {
        let run = RunReader::open(&at(out).join("run.h5")).unwrap();
        run.read("measured_force/1").unwrap()
    };
    let expected = force("own");
    let peak = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    assert!(peak > 100.0);
    for version in ["2", "3"] {
        let fmu = at(&format!("rig{version}.fmu"));
        let made = tandem(&[
            "fmu",
            "export",
            text(&at("own.toml")),
            "--what",
            "rig",
            "--fmi",
            version,
            "--kind",
            "cs",
            "-o",
            text(&fmu),
        ]);
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        for (in_process, more) in [
            ("false", &[][..]),
            ("true", &[][..]),
            ("true", &["--realtime"][..]),
        ] {
            let name = format!("fmu{version}{in_process}{}", more.len());
            write(
                &format!("{name}.toml"),
                &format!(
                    "[rig]\nkind = \"fmu\"\nfmu = \"rig{version}.fmu\"\nin_process = {in_process}\n"
                ),
            );
            let output = run(&format!("{name}.toml"), &name, more);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name}: {said}");
            let found = force(&name);
            assert_eq!(found.len(), expected.len(), "{name}");
            let worst = found
                .iter()
                .zip(&expected)
                .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(worst <= 1e-12 * peak, "{name}: {worst:e}");
            let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert!(
                summary["rig"]["slowest_step_s"].as_f64().unwrap() > 0.0,
                "{summary}"
            );
        }
    }
    // A process of its own is waited for: not by the wall clock.
    let said = refused(&run("fmu2false0.toml", "refused", &["--realtime"]), 2);
    assert!(said.contains("waits for its peers"), "{said}");
    // A step beyond its limit holds the test, and is told.
    let output = run("fmu2true0.toml", "slow", &["--set", "rig.step_limit=1e-9s"]);
    assert_eq!(output.status.code(), Some(3));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        summary["warnings"].to_string().contains("a step took"),
        "{summary}"
    );
    // What is to be taken out of the structure must be known.
    let unknown = ["--set", "interface={dof=[1]}"];
    let said = refused(&run("fmu2true0.toml", "twice", &unknown), 2);
    assert!(said.contains("it would count twice"), "{said}");
    let added = ["--set", "interface={dof=[1], partition=\"add\"}"];
    let output = run("fmu2true0.toml", "added", &added);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("count twice"), "{said}");
    // Wrong names are refused where they stand.
    let said = refused(
        &run(
            "fmu2true0.toml",
            "wrong",
            &["--set", "rig.force=[\"push\"]"],
        ),
        2,
    );
    assert!(
        said.contains("rig.force") && said.contains("push"),
        "{said}"
    );
}

/// Compensator, servo, actuator and specimen as FMUs, each in place of the model it was made from: the same test to round-off, in a process
/// of its own, in this one, by the wall clock.
#[test]
fn every_tenant_as_an_fmu_is_the_tenant_itself() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let servo = "[rig]\nrate = \"1 kHz\"\n[rig.servo]\nmethod = \"pid\"\nproportional = 2.0\nintegral = \"3 Hz\"\nfeed_forward = 0.5\n";
    let plan = |compensator: &str, servo: &str, actuator: &str, specimen: &str| {
        let head = TEST.split("[compensator]").next().unwrap();
        format!(
            "{head}{compensator}\n[limits]\nstroke = \"100 mm\"\n{servo}\n{actuator}\n{specimen}"
        )
    };
    let compensator = "[compensator]\nmethod = \"polynomial\"\ndelay = \"8 ms\"\norder = 3\n";
    let actuator =
        "[rig.actuator]\nmethod = \"second-order\"\nfrequency = \"28 Hz\"\ndamping = 0.7\n";
    let specimen = "[rig.specimen]\nstiffness = [\"200 kN/m\"]\ndamping = [\"300 N*s/m\"]\n";
    let own = run(
        at,
        "own",
        &plan(compensator, servo, actuator, specimen),
        &[],
    );
    // An actuator alone, at the rate of the rig, and a specimen alone.
    let alone = |rate: &str, actuator: &str, specimen: &str| {
        let text = plan("", "", actuator, specimen).replace(
            "[limits]",
            &format!("[command]\nrate = \"{rate}\"\n[limits]"),
        );
        text.replace("dt = \"2 ms\"", "dt = \"2 ms\"\ntime_scale = 1.0")
    };
    std::fs::write(
        at.join("actuator.toml"),
        alone("1 kHz", actuator, "[rig.specimen]\nkind = \"none\"\n"),
    )
    .unwrap();
    std::fs::write(at.join("specimen.toml"), alone("500 Hz", "", specimen)).unwrap();
    for version in ["2", "3"] {
        let fmi = ["--fmi", version];
        export(
            at,
            "own.toml",
            "compensator",
            &fmi,
            &format!("c{version}.fmu"),
        );
        export(at, "own.toml", "servo", &fmi, &format!("s{version}.fmu"));
        export(at, "actuator.toml", "rig", &fmi, &format!("a{version}.fmu"));
        export(at, "specimen.toml", "rig", &fmi, &format!("p{version}.fmu"));
        let apart = version == "2";
        let fmu = |section: &str, word: &str, letter: &str, more: &str| {
            format!(
                "[{section}]\n{word} = \"fmu\"\nfmu = \"{letter}{version}.fmu\"\nin_process = {}\n{more}\n",
                !apart
            )
        };
        let theirs = [
            fmu("compensator", "method", "c", ""),
            format!(
                "[rig]\nrate = \"1 kHz\"\n{}",
                fmu("rig.servo", "method", "s", "")
            ),
            fmu("rig.actuator", "method", "a", "force = \"\"").replace("force = \"\"\n", ""),
            fmu(
                "rig.specimen",
                "kind",
                "p",
                "displacement = [\"command\"]\nvelocity = [\"command_velocity\"]\nacceleration = [\"command_acceleration\"]",
            ),
        ];
        let ours = [compensator, servo, actuator, specimen];
        for k in 0..=4 {
            let pick = |i: usize| {
                if k == i || k == 4 {
                    theirs[i].as_str()
                } else {
                    ours[i]
                }
            };
            let text = plan(pick(0), pick(1), pick(2), pick(3));
            let name = format!("fmu{version}{k}");
            let found = run(at, &name, &text, &[]);
            found.same_as(&own, 1e-9);
            let place = if k == 0 { "compensator" } else { "rig" };
            assert!(
                found.summary[place]["slowest_step_s"].as_f64().unwrap() > 0.0,
                "{}",
                found.summary
            );
            let clock = run(at, &format!("{name}rt"), &text, &["--realtime"]);
            if apart {
                assert_eq!(clock.code, Some(2), "{}", clock.said);
                assert!(clock.said.contains("in_process = true"), "{}", clock.said);
            } else {
                // By the wall clock the rig goes by its own: the numbers are others. A loaded machine may miss a deadline.
                assert!(matches!(clock.code, Some(0 | 3)), "{}", clock.said);
            }
        }
    }
    // A step beyond its limit ends the test, whoever it is, and is told.
    let slow = "[compensator]\nmethod = \"fmu\"\nfmu = \"c2.fmu\"\nstep_limit = \"1e-9 s\"\n";
    let lost = run(at, "lost", &plan(slow, servo, actuator, specimen), &[]);
    assert_eq!(lost.code, Some(3), "{}", lost.said);
    let reason = lost.summary.to_string();
    assert!(
        reason.contains("the FMU of the compensator is lost: a step took"),
        "{reason}"
    );
    // What does not fit is refused where it stands.
    for (table, reason) in [
        ("target = [\"command\"]", "no input"),
        ("command = [\"target\"]", "is an input"),
        ("command = [\"nothing\"]", "has no variable"),
        ("start = [\"x\"]", "has no `=`"),
    ] {
        let text = format!("[compensator]\nmethod = \"fmu\"\nfmu = \"c2.fmu\"\n{table}\n");
        let refused = run(at, "refused", &plan(&text, servo, actuator, specimen), &[]);
        assert_eq!(refused.code, Some(2), "{}", refused.said);
        assert!(refused.said.contains(reason), "{}", refused.said);
    }
    let each = "[compensator]\nmethod = \"per-actuator\"\n[[compensator.actuator]]\nmethod = \"fmu\"\nfmu = \"c2.fmu\"\n";
    assert_eq!(
        run(at, "each", &plan(each, servo, actuator, specimen), &[]).code,
        Some(2)
    );
}
