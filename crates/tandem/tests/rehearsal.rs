//! A rehearsal by the library alone, whatever features it is built with.

#![allow(clippy::unwrap_used)] // a test fails where there is none

use tandem::plan::{self, PlanErrors, Source};
use tandem::run::{Controls, Output};
use tandem::summary::Outcome;
use tandem::{Plan, QUICK_START};

fn quick_start(overrides: &[&str]) -> Result<Plan, PlanErrors> {
    let source = Source::Text {
        name: "quick start",
        text: QUICK_START,
    };
    let overrides: Vec<String> = overrides.iter().map(|&word| word.to_owned()).collect();
    plan::open(source, &overrides)
}

fn peak(signal: &[f64]) -> f64 {
    signal.iter().fold(0.0, |most, x| x.abs().max(most))
}

/// The roof moves as that of the undivided structure, which is integrated without loop, actuator
/// and specimen.
#[test]
fn the_quick_start_is_rehearsed_in_memory() {
    let test = quick_start(&[]).unwrap().assemble().unwrap();
    let alone = peak(&test.reference().unwrap().history(2));
    let output = Output::Memory { shown: &[2] };
    let run = test.run(output, &mut Controls::default()).unwrap();
    assert_eq!(run.summary.outcome, Outcome::Completed);
    let divided = peak(&run.signals.numerical[0]);
    assert!(alone > 1e-3, "{alone} m");
    assert!((divided / alone - 1.0).abs() < 0.05, "{divided} {alone}");
}

/// What is not built in is refused by its name, as any method that there is not.
#[test]
fn a_plan_that_asks_for_an_fmu_is_read_with_the_feature_only() {
    let rig = ["rig={kind=\"fmu\", fmu=\"servo.fmu\"}"];
    let read = quick_start(&rig).err().map(|errors| errors.to_text());
    if cfg!(feature = "fmi") {
        assert_eq!(read, None);
    } else {
        let text = read.unwrap();
        assert!(text.contains("unknown kind `fmu`"), "{text}");
    }
}
