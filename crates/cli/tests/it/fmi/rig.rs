//! A rig and its parts as FMUs.

use super::test::*;
use tandem_test_support::peak;

/// A rig exported as an FMU and put back behind the same loop moves and resists as the rig itself,
/// in a process of its own, in this one, and by the wall clock; a lost one holds the test.
#[test]
fn a_rig_as_an_fmu_is_the_rig_itself() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let run = |name: &str, rig: &str, more: &[&str]| run(at, name, &format!("{TEST}{rig}"), more);
    let fmu = |version: &str, in_process: bool| {
        format!("[rig]\nkind = \"fmu\"\nfmu = \"rig{version}.fmu\"\nin_process = {in_process}\n")
    };
    let own = run("own", RIG, &[]);
    assert_eq!(own.code, Some(0), "{}", own.said);
    for version in ["2", "3"] {
        let fmi = ["--fmi", version, "--kind", "cs"];
        export(at, "own.toml", "rig", &fmi, &format!("rig{version}.fmu"));
        for (in_process, more) in [
            (false, &[][..]),
            (true, &[][..]),
            (true, &["--realtime"][..]),
        ] {
            let name = format!("fmu{version}{in_process}{}", more.len());
            let found = run(&name, &fmu(version, in_process), more);
            found.same_as(&own, 1e-12);
            let slowest = &found.summary["rig"]["slowest_step_s"];
            assert!(slowest.as_f64().unwrap() > 0.0, "{name}: {slowest}");
        }
    }
    // A process of its own is waited for: not by the wall clock.
    run("apart", &fmu("2", false), &["--realtime"]).refused("waits for its peers");
    let run = |name: &str, set: &str| run(name, &fmu("2", true), &["--set", set]);
    // A step beyond its limit holds the test, and is told.
    let slow = run("slow", "rig.step_limit=1e-9s");
    assert_eq!(slow.code, Some(3), "{}", slow.said);
    let warnings = slow.summary["warnings"].to_string();
    assert!(warnings.contains("a step took"), "{warnings}");
    // What is to be taken out of the structure must be known.
    run("twice", "interface={dof=[1]}").refused("it would count twice");
    let added = run("added", "interface={dof=[1], partition=\"add\"}");
    assert_eq!(added.code, Some(0), "{}", added.said);
    assert!(!added.said.contains("count twice"), "{}", added.said);
    // Wrong names are refused where they stand.
    let wrong = run("wrong", "rig.force=[\"push\"]");
    wrong.refused("rig.force");
    wrong.refused("push");
}

/// Compensator, servo, actuator and specimen as FMUs, each in place of the model it was made from:
/// the same test to round-off, in a process of its own, in this one, by the wall clock.
#[test]
fn every_tenant_as_an_fmu_is_the_tenant_itself() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let servo = "[rig]\nrate = \"1 kHz\"\n[rig.servo]\nmethod = \"pid\"\nproportional = 2.0\n\
                 integral = \"3 Hz\"\nfeed_forward = 0.5\n";
    let plan = |compensator: &str, servo: &str, actuator: &str, specimen: &str| {
        let head = TEST.split("[compensator]").next().unwrap();
        format!(
            "{head}{compensator}\n[limits]\nstroke = \"100 mm\"\nmissed_deadlines = 1000000\n\
             {servo}\n{actuator}\n{specimen}"
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
    // An actuator alone, at the rate of the rig, and a specimen alone, at that of the loop; by the
    // wall clock the rig reads it at its own.
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
    for (name, rate) in [("specimen.toml", "500 Hz"), ("by-clock.toml", "1 kHz")] {
        std::fs::write(at.join(name), alone(rate, "", specimen)).unwrap();
    }
    for version in ["2", "3"] {
        let fmi = ["--fmi", version];
        for (plan, what, letter) in [
            ("own.toml", "compensator", "c"),
            ("own.toml", "servo", "s"),
            ("actuator.toml", "rig", "a"),
            ("specimen.toml", "rig", "p"),
            ("by-clock.toml", "rig", "q"),
        ] {
            export(at, plan, what, &fmi, &format!("{letter}{version}.fmu"));
        }
        let apart = version == "2";
        let fmu = |section: &str, word: &str, letter: &str, more: &str| {
            format!(
                "[{section}]\n{word} = \"fmu\"\nfmu = \"{letter}{version}.fmu\"\n\
                 in_process = {}\n{more}\n",
                !apart
            )
        };
        let theirs = [
            fmu("compensator", "method", "c", ""),
            format!(
                "[rig]\nrate = \"1 kHz\"\n{}",
                fmu("rig.servo", "method", "s", "")
            ),
            fmu("rig.actuator", "method", "a", ""),
            fmu(
                "rig.specimen",
                "kind",
                "p",
                "displacement = [\"command\"]\nvelocity = [\"command_velocity\"]\n\
                 acceleration = [\"command_acceleration\"]",
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
            let slowest = found.summary[place]["slowest_step_s"].as_f64();
            assert!(slowest.is_some_and(|s| s > 0.0), "{}", found.summary);
            let text = text.replace("\"p3.fmu\"", "\"q3.fmu\"");
            let clock = run(at, &format!("{name}rt"), &text, &["--realtime"]);
            if apart {
                clock.refused("in_process = true");
            } else {
                // By the wall clock the rig goes by its own: the numbers are others.
                assert_eq!(clock.code, Some(0), "{} {}", clock.said, clock.summary);
                assert!(peak(&clock.force) > 100.0, "{name}");
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
        run(at, "refused", &plan(&text, servo, actuator, specimen), &[]).refused(reason);
    }
    let each = "[compensator]\nmethod = \"per-actuator\"\n\
                [[compensator.actuator]]\nmethod = \"fmu\"\nfmu = \"c2.fmu\"\n";
    let each = plan(each, servo, actuator, specimen);
    let alone = plan(
        "[compensator]\nmethod = \"fmu\"\nfmu = \"c2.fmu\"\n",
        servo,
        actuator,
        specimen,
    );
    // What chooses a method for each actuator finds FMUs too, and is the same with one of them.
    let (one, alone) = (run(at, "each", &each, &[]), run(at, "alone", &alone, &[]));
    assert_eq!((one.code, alone.code), (Some(0), Some(0)), "{}", one.said);
    assert_eq!(one.force, alone.force);
    // One that is lost within them is told as any is.
    let slow = "[compensator]\nmethod = \"per-actuator\"\n\
                [[compensator.actuator]]\nmethod = \"fmu\"\nfmu = \"c2.fmu\"\n\
                step_limit = \"1e-9 s\"\n";
    let lost = run(at, "within", &plan(slow, servo, actuator, specimen), &[]);
    assert_eq!(lost.code, Some(3), "{}", lost.said);
    assert!(lost.summary.to_string().contains("is lost: a step took"));
}
