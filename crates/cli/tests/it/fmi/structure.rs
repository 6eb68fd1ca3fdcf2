//! A structure as an FMU, under the methods of a plan.

use super::common::*;
use super::test::*;

/// The structure as an FMU (Model Exchange), in the ordinary loop with its command generator,
/// compensator and gate: the same test to round-off for every family of methods; what cannot be a
/// structure is refused.
#[test]
fn a_structure_as_an_fmu_is_the_structure_itself() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let structure = "[structure]\nkind = \"shear-building\"\nmasses = [\"1000 kg\", \"1000 kg\"]\n\
        stiffnesses = [\"800 kN/m\", \"800 kN/m\"]\n";
    assert!(TEST.contains(structure));
    let test = TEST.replace(
        "[limits]",
        "[command]\nmethod = \"last-predicted-displacement\"\nrate = \"1 kHz\"\n[limits]",
    );
    let whole = format!("{test}{RIG}");
    let damped = whole.replace(
        "[interface]",
        "[structure.damping]\nmethod = \"rayleigh\"\nratio = 0.02\nmodes = [1, 2]\n[interface]",
    );
    std::fs::write(
        at.join("alone.toml"),
        damped.split("[interface]").next().unwrap().to_owned()
            + "[integration]\nmethod = \"newmark\"\ndt = \"2 ms\"\nduration = \"4 s\"\n",
    )
    .unwrap();
    for (version, variant, in_process) in [("2", "a", true), ("3", "a", false)] {
        export(
            at,
            "alone.toml",
            "whole",
            &["--fmi", version, "--kind", "me", "--variant", variant],
            "s.fmu",
        );
        let theirs = format!(
            "[structure]\nkind = \"fmu\"\nfmu = \"s.fmu\"\nin_process = {in_process}\n[interface]"
        );
        let start = damped.find("[structure]").unwrap();
        let end = damped.find("[interface]").unwrap();
        let fmu = format!(
            "{}{theirs}{}",
            &damped[..start],
            &damped[end + "[interface]".len()..]
        );
        let ideal = [
            "rig.actuator={method=\"ideal\"}",
            "command={}",
            "compensator={}",
        ];
        for method in ["newmark-explicit", "osm", "alpha-os", "newmark-iterated"] {
            let set = format!("integration.method={method}");
            let mut more = vec!["--set", set.as_str()];
            if method == "newmark-iterated" {
                // A method that asks back and forth needs a rig that answers at once.
                ideal.iter().for_each(|set| more.extend(["--set", set]));
            }
            let ours = run(at, &format!("own{version}{method}"), &damped, &more);
            let found = run(at, &format!("fmu{version}{method}"), &fmu, &more);
            found.same_as(&ours, 1e-8);
            assert!(
                found.summary["structure"]["slowest_step_s"]
                    .as_f64()
                    .unwrap()
                    > 0.0
            );
        }
        let clock = run(at, &format!("clock{version}"), &fmu, &["--realtime"]);
        assert_eq!(
            clock.code,
            Some(if in_process { 0 } else { 2 }),
            "{}",
            clock.said
        );
        if version == "2" {
            // A displacement without a force tells no mass; a given one does.
            let with = |name: &str, lines: &str| {
                let lines = format!("{lines}\n[interface]");
                run(at, name, &fmu.replace("[interface]", &lines), &[])
            };
            let force = "force = [\"g[1]\"]";
            with("massless", force).refused("nothing tells its mass");
            let given = format!("{force}\nmass = [[1000, 0], [0, 1000], \"kg\"]");
            let ours = run(at, "own2newmark-explicitagain", &damped, &[]);
            with("massive", &given).same_as(&ours, 1e-8);
            let crossed = "velocity = [\"v[2]\", \"v[1]\"]\ndisplacement = [\"u[1]\", \"u[2]\"]";
            with("crossed", crossed).refused("do not belong together");
            let part = "velocity = [\"v[1]\"]\ndisplacement = [\"u[1]\"]";
            with("part", part).refused("2 states besides");
            let slow = with("slow", "step_limit = \"1e-9 s\"");
            let told = slow.summary.to_string();
            let lost = told.contains("the FMU of the structure is lost");
            assert!(lost, "{} {told}", slow.said);
        }
    }
    export(at, "alone.toml", "whole", &["--kind", "cs"], "s.fmu");
    let theirs = format!(
        "{}[structure]\nkind = \"fmu\"\nfmu = \"s.fmu\"\n{}",
        &whole[..whole.find("[structure]").unwrap()],
        &whole[whole.find("[interface]").unwrap()..]
    );
    run(at, "cs", &theirs, &[]).refused("no Model Exchange");
}

/// The FMU that CasADi has made as the numerical substructure of an ordinary test.
#[test]
fn a_foreign_structure_runs_in_the_ordinary_loop() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = example("fmi-foreign/oscillator.fmu");
    let plan = |structure: &str| {
        format!(
            "[excitation]\nkind = \"kanai-tajimi\"\nduration = \"8 s\"\npeak = \"3 m/s^2\"\n\
            {structure}\n[interface]\ndof = [1]\npartition = \"add\"\n\
             [integration]\nmethod = \"newmark-explicit\"\ndt = \"5 ms\"\n[command]\n\
             method = \"last-predicted-displacement\"\nrate = \"1 kHz\"\n\
             [limits]\nstroke = \"200 mm\"\n[rig.actuator]\nmethod = \"first-order\"\n\
             time_constant = \"2 ms\"\n[rig.specimen]\nstiffness = [\"8 kN/m\"]\n"
        )
    };
    let own = "[structure]\nkind = \"matrices\"\nmass = [[80], \"kg\"]\n\
        stiffness = [[12], \"kN/m\"]\n[structure.damping]\nmethod = \"matrix\"\n\
        matrix = [[60], \"N*s/m\"]\n";
    let theirs = format!(
        "[structure]\nkind = \"fmu\"\nfmu = \"{}\"\ndisplacement = [\"x\"]\nvelocity = [\"s\"]\n\
        force = [\"f\"]\nground = \"g\"\n",
        text(&fmu)
    );
    let ours = run(folder.path(), "own", &plan(own), &[]);
    run(folder.path(), "fmu", &plan(&theirs), &[]).same_as(&ours, 1e-9);
}

/// An FMU that is lost while it is computed in a thread of its own ends the test with its own
/// words, not with those of the gate.
#[test]
fn a_structure_that_is_lost_in_the_thread_of_the_integration_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let plan = format!(
        "[excitation]\nkind = \"kanai-tajimi\"\nduration = \"2 s\"\npeak = \"3 m/s^2\"\n\
         [structure]\nkind = \"fmu\"\nfmu = \"{}\"\ndisplacement = [\"x\"]\nvelocity = [\"s\"]\n\
         force = [\"f\"]\nground = \"g\"\n\
         in_process = true\nstep_limit = \"1e-9 s\"\n[interface]\ndof = [1]\npartition = \"add\"\n\
         [integration]\nmethod = \"newmark-explicit\"\ndt = \"20 ms\"\n[command]\n\
         method = \"last-predicted-displacement\"\nrate = \"1 kHz\"\n\
         [rig.actuator]\nmethod = \"first-order\"\ntime_constant = \"2 ms\"\n[rig.specimen]\n\
         stiffness = [\"8 kN/m\"]\n",
        text(&example("fmi-foreign/oscillator.fmu"))
    );
    let lost = run(folder.path(), "lost", &plan, &["--realtime"]);
    assert_eq!(lost.code, Some(3), "{}", lost.said);
    let reason = lost.summary["reason"].as_str().unwrap();
    assert!(
        reason.contains("the FMU of the structure is lost: a step took"),
        "{reason}"
    );
}
