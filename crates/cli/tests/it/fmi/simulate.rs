//! An FMU by itself: simulated, stepped, set back.

use super::common::*;
use super::mass::*;
use tandem_fmi::binding::{InstanceOptions, instantiate};
use tandem_fmi::{Fmu, Instance, Interface, Launcher, VariableType, WorkerInstance};

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn it_gives_its_reference_results_with_events_by_state_and_by_time() {
    let folder = tempfile::tempdir().unwrap();
    for version in [2, 3] {
        let fmu = make(folder.path(), version);
        // Damped vibration from x = 1: exact in Co-Simulation, to the tolerance in Model Exchange.
        let (k, c) = (40.0_f64, 0.6_f64);
        let (a, w) = (0.5 * c, (k - 0.25 * c * c).sqrt());
        let exact = |t: f64| (-a * t).exp() * ((w * t).cos() + a / w * (w * t).sin());
        let starts = [
            "--set", "k=40", "--set", "c=0.6", "--set", "x=1", "--step", "0.05", "--stop", "3",
        ];
        // Its peak is one.
        let largest = |rows: &[Vec<f64>]| {
            assert_eq!(rows.len(), 61);
            let pairs = rows.iter().map(|row| (row[1], exact(row[0])));
            let (found, expected): (Vec<f64>, Vec<f64>) = pairs.unzip();
            apart(&found, &expected)
        };
        let (rows, _) = simulate(&fmu, &[&["--kind", "cs"], &starts[..]].concat());
        assert!(largest(&rows) < 1e-13, "{}", largest(&rows));
        for (solver, bound) in [("rk45", 1e-7), ("rk4", 2e-3), ("heun", 0.5)] {
            let more = [
                "--kind",
                "me",
                "--solver",
                solver,
                "--tolerance",
                "1e-9",
                "--in-process",
            ];
            let (rows, _) = simulate(&fmu, &[&more, &starts[..]].concat());
            assert!(
                largest(&rows) < bound,
                "{version} {solver}: {}",
                largest(&rows)
            );
        }
        // A ball from 1 m: it meets the floor at t₁, and again after as long; a kick at t = 0.25 s
        // in another run.
        let fall = [
            "--kind",
            "me",
            "--solver",
            "rk45",
            "--tolerance",
            "1e-10",
            "--set",
            "floor=1",
            "--set",
            "x=1",
            "--set",
            "g=9.81",
        ];
        let (rows, said) = simulate(
            &fmu,
            &[&fall, &["--step", "0.1", "--stop", "0.8"][..]].concat(),
        );
        let first = (2.0_f64 / 9.81).sqrt();
        for row in &rows {
            let (t, s) = (row[0], row[0] - first);
            let expected = if s < 0.0 {
                1.0 - 0.5 * 9.81 * t * t
            } else {
                0.5 * 9.81 * first * s - 0.5 * 9.81 * s * s
            };
            assert!(
                (row[1] - expected).abs() < 1e-9,
                "{version} t = {t}: {} {expected}",
                row[1]
            );
        }
        // Down through the floor, and up from it.
        assert_eq!(said["events"], 2, "{said}");
        let kicked = [
            "--kind",
            "me",
            "--solver",
            "rk4",
            "--set",
            "kick=0.25",
            "--step",
            "0.1",
            "--stop",
            "1",
        ];
        let (rows, said) = simulate(&fmu, &kicked);
        for row in rows {
            assert!((row[1] - (row[0] - 0.25).max(0.0)).abs() < 1e-12, "{row:?}");
        }
        assert_eq!(said["events"], 1, "{said}");
    }
}

/// Get/set state goes back to the bit, directional derivatives are those of the equation: in this
/// process and in one of its own.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn states_are_put_back_and_derivatives_are_right_on_either_side_of_the_wall() {
    let folder = tempfile::tempdir().unwrap();
    let launcher = Launcher {
        program: TANDEM.0.into(),
        arguments: ["fmu", "worker"].map(Into::into).to_vec(),
        patience: std::time::Duration::from_secs(10),
    };
    for version in [2, 3] {
        let fmu = Fmu::open(&make(folder.path(), version)).unwrap();
        for (interface, apart) in [
            (Interface::CoSimulation, false),
            (Interface::CoSimulation, true),
            (Interface::ModelExchange, false),
            (Interface::ModelExchange, true),
        ] {
            let wish = InstanceOptions::of(interface);
            let mut instance: Box<dyn Instance> = if apart {
                Box::new(WorkerInstance::start(&launcher, &fmu, "x", wish).unwrap())
            } else {
                instantiate(&fmu, "x", wish).unwrap()
            };
            let real = VariableType::Float64;
            instance
                .set(real, &[1, 5, 6, 7], &[1.0, 2.0, 0.5, 30.0])
                .unwrap();
            instance.enter_initialization(None, 0.0, None).unwrap();
            instance.exit_initialization().unwrap();
            if interface == Interface::CoSimulation {
                let walk = |instance: &mut dyn Instance, from: usize| {
                    (from..from + 20)
                        .map(|k| {
                            let time = k as f64 * 0.01;
                            instance.set(real, &[8], &[time.sin()]).unwrap();
                            instance.step(time, 0.01).unwrap();
                            let mut x = [0.0; 2];
                            instance.get(real, &[1, 2], &mut x).unwrap();
                            x
                        })
                        .collect::<Vec<_>>()
                };
                walk(instance.as_mut(), 0);
                let saved = instance.save(None).unwrap();
                let once = walk(instance.as_mut(), 20);
                instance.restore(saved).unwrap();
                assert_eq!(walk(instance.as_mut(), 20), once);
                // The same handle again, and one that was never made.
                assert_eq!(instance.save(Some(saved)).unwrap(), saved);
                let later = walk(instance.as_mut(), 40);
                instance.restore(saved).unwrap();
                assert_eq!(walk(instance.as_mut(), 40), later);
                assert!(instance.restore(tandem_fmi::Saved(99)).is_err());
            } else {
                instance.update_discrete_states().unwrap();
                instance.enter_continuous_time().unwrap();
                let saved = instance.save(None).unwrap();
                instance.set_states(&[0.3, -0.2]).unwrap();
                let mut slope = [0.0; 2];
                for (known, expected) in [
                    (1, [0.0, -15.0]),
                    (2, [1.0, -0.25]),
                    (8, [0.0, 0.5]),
                    (9, [0.0, -1.0]),
                ] {
                    instance
                        .directional(&[3, 4], &[known], &[1.0], &mut slope)
                        .unwrap();
                    assert_eq!(slope, expected, "{known}");
                }
                instance
                    .directional(&[4], &[1, 8], &[0.1, 2.0], &mut slope[..1])
                    .unwrap();
                assert!((slope[0] + 0.5).abs() < 1e-15);
                instance.restore(saved).unwrap();
                let mut states = [0.0; 2];
                instance.states(&mut states).unwrap();
                assert_eq!(states, [1.0, 0.0]);
            }
            instance.terminate().unwrap();
        }
    }
}

/// Model Exchange inside a loop: the same states as `tandem fmu simulate` with the same method.
#[test]
fn a_model_exchange_is_stepped_as_it_is_simulated() {
    use tandem_fmi::binding::{InstanceOptions, instantiate};
    use tandem_fmi::{Fmu, Interface, Ports, Stepping};
    let path = example("fmi-foreign/oscillator.fmu");
    let folder = tempfile::tempdir().unwrap();
    let (table, inputs) = (folder.path().join("out.csv"), folder.path().join("in.csv"));
    std::fs::write(&inputs, "time,f,g\n0,3,0.5\n10,3,0.5\n").unwrap();
    let simulate = ["fmu", "simulate", text(&path), "--kind", "me"];
    let steps = ["--step", "0.01", "--stop", "2", "--solver", "rk4"];
    let files = ["--input", text(&inputs), "--out", text(&table)];
    done(&TANDEM.says(&[&simulate[..], &steps, &files].concat()));
    let table = Table::read(&table);
    let last = table.values().pop().unwrap();
    let fmu = Fmu::open(&path).unwrap();
    let instance = instantiate(&fmu, "x", InstanceOptions::of(Interface::ModelExchange)).unwrap();
    let mut running =
        Stepping::begin(instance, &fmu.description, Interface::ModelExchange, 0.01).unwrap();
    let inputs = Ports::named(&fmu.description, &["f".to_owned(), "g".to_owned()]).unwrap();
    inputs.write(running.instance(), &[3.0, 0.5]).unwrap();
    for _ in 0..200 {
        running.step(0.01).unwrap();
    }
    let mut moved = 0.0_f64;
    for (name, expected) in table.names.iter().zip(&last).skip(1) {
        let port = Ports::named(&fmu.description, std::slice::from_ref(name)).unwrap();
        let mut found = [0.0];
        port.read(running.instance(), &mut found).unwrap();
        assert!(
            (found[0] - expected).abs() < 1e-12 * (1.0 + expected.abs()),
            "{name} {found:?} {expected}"
        );
        moved = moved.max(expected.abs());
    }
    assert!(moved > 0.0);
}

/// An input that jumps acts from its instant on, not in the step before: a table with two rows at
/// one time, and a column that is held over. The methods of Runge and Kutta are exact for the
/// motion of a free mass under a constant force.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_jump_of_an_input_does_not_act_before_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let fmu = make(at, 3);
    // A second one whose force is discrete.
    let held = at.join("held.fmu");
    let xml = description(3).replace(
        "name=\"f\" valueReference=\"8\" causality=\"input\" variability=\"continuous\"",
        "name=\"f\" valueReference=\"8\" causality=\"input\" variability=\"discrete\"",
    );
    assert_ne!(xml, description(3));
    write_fmu(&held, 3, xml.as_bytes(), &at.join("mass.so"));
    let table = at.join("in.csv");
    // One newton from 0.2 s to 0.5 s.
    const FORCED: &str = "0,0\n0.2,0\n0.2,1\n0.5,1\n0.5,0\n1,0\n";
    const HELD: &str = "0,0\n0.2,1\n0.5,0\n1,0\n";
    let exact = |t: f64| {
        let pulse = |from: f64| 0.5 * (t - from).max(0.0).powi(2);
        pulse(0.2) - pulse(0.5)
    };
    for (path, rows, step, solver) in [
        (&fmu, FORCED, "0.1", "rk4"),
        (&fmu, FORCED, "0.125", "rk4"),
        (&fmu, FORCED, "0.1", "heun"),
        (&fmu, FORCED, "0.25", "rk45"),
        (&held, HELD, "0.1", "rk4"),
        (&held, HELD, "0.125", "heun"),
        (&held, HELD, "0.25", "rk45"),
        // Co-Simulation solves held inputs exactly, where steps end at the jumps.
        (&fmu, FORCED, "0.1", "cs"),
        (&fmu, FORCED, "0.125", "cs"),
        (&held, HELD, "0.125", "cs"),
    ] {
        std::fs::write(&table, format!("time,f\n{rows}")).unwrap();
        let (kind, solver) = match solver {
            "cs" => ("cs", &[][..]),
            solver => ("me", &["--solver", solver][..]),
        };
        let words = [
            "--kind",
            kind,
            "--step",
            step,
            "--stop",
            "1",
            "--input",
            text(&table),
        ];
        let (found, summary) = simulate(path, &[&words, solver].concat());
        for row in &found {
            let error = (row[1] - exact(row[0])).abs();
            assert!(error < 1e-12, "{solver:?} {step} at {}: {error:e}", row[0]);
        }
        // Jumps at communication points of a Co-Simulation need no cut: both of 0.1 s, one of 0.125
        // s.
        let events = match (kind, step) {
            ("cs", "0.1") => 0,
            ("cs", _) => 1,
            _ => 2,
        };
        assert_eq!(summary["events"], events, "{summary}");
    }
}

/// The stop is reached by a shorter last step where the FMU can make one; negative times and values
/// need no tricks; what is no number is refused.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn the_stop_is_reached_and_numbers_are_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = make(folder.path(), 2);
    for kind in ["cs", "me"] {
        let words = [
            "--kind", kind, "--step", "0.4", "--stop", "1", "--set", "v=2",
        ];
        let (rows, _) = simulate(&fmu, &words);
        let times: Vec<f64> = rows.iter().map(|row| row[0]).collect();
        assert_eq!(times, [0.0, 0.4, 0.8, 1.0], "{kind}");
        assert!((rows[3][1] - 2.0).abs() < 1e-12, "{rows:?}");
        let words = [
            "--kind", kind, "--start", "-1", "--stop", "-0.5", "--step", "0.25", "--set", "v=-2",
        ];
        let (rows, _) = simulate(&fmu, &words);
        let last = rows.last().unwrap();
        assert!(
            last[0] == -0.5 && (last[1] + 1.0).abs() < 1e-12,
            "{kind}: {last:?}"
        );
    }
    for set in ["f=nan", "f=inf", "m=1 2", "k=stiff"] {
        let call = [&ten_steps(&fmu)[..], &["--set", set]].concat();
        let said = refused(&TANDEM.says(&call), 2);
        assert!(said.contains("takes 1 finite number"), "{set}: {said}");
    }
}

/// What cannot be right in a description is told, and nothing of it is believed.
#[test]
fn faults_of_a_description_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.fmu");
    let xml = "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"x\" \
        instantiationToken=\"t\"><CoSimulation modelIdentifier=\"x\"/><ModelVariables>\
               <Float64 name=\"a\" valueReference=\"1\" causality=\"output\"><Dimension \
               start=\"4000000000\"/></Float64>\
               <Float64 name=\"b\" valueReference=\"2\" start=\"nan\"/><Float64 name=\"b\" \
               valueReference=\"3\"/></ModelVariables>\
               <ModelStructure><Output \
               valueReference=\"1\"/></ModelStructure></fmiModelDescription>";
    archive(&path, &[("modelDescription.xml", xml.as_bytes())]);
    let value = json(&TANDEM.says(&["fmu", "info", text(&path), "--json"]));
    let faults = value["faults"].to_string();
    for words in ["4000000000 values", "named `b`", "no number"] {
        assert!(faults.contains(words), "{words}: {faults}");
    }
    let said = TANDEM.says(&["fmu", "info", text(&path)]).stdout;
    assert_eq!(String::from_utf8_lossy(&said).matches("FAULT").count(), 3);
    let said = refused(&TANDEM.says(&ten_steps(&path)), 2);
    assert!(said.contains("not believed"), "{said}");
}
