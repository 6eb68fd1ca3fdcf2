//! The methods of this folder run by name, and keep to what those of Tandem keep to.

#![allow(clippy::unwrap_used)] // helpers of tests fail the test

use assert_no_alloc::{AllocDisabler, assert_no_alloc};
use own_method::{HARDENING, LEAD, PEAK_FORCE, registry, run};
use tandem::plan::{self, Source};
use tandem::sections::ROOT;
use tandem::summary::Outcome;
use tandem::{Plan, conformance};
use tandem_coordinator::recorder::{RUN_FILE, RunReader};
use tandem_quantity::{Context, Value, Values};

#[global_allocator]
static GUARD: AllocDisabler = AllocDisabler;

/// The allocator ends the test where a tick asks for memory.
fn guard(run: &mut dyn FnMut()) -> usize {
    assert_no_alloc(run);
    0
}

#[test]
fn the_plan_runs_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("run");
    let summary = run(&into).unwrap();
    assert_eq!(summary.outcome, Outcome::Completed);
    // The monitor's figure is in the record: it only grows, up to the largest force.
    let record = RunReader::open(&into.join(RUN_FILE)).unwrap();
    let column = |name: &str| record.read_rows(name, 0, record.rows()).unwrap();
    let peak = column("peak_force");
    assert!(peak.windows(2).all(|pair| pair[1] >= pair[0]));
    let force = column("measured_force/1");
    let largest = force.iter().fold(0.0_f64, |most, f| most.max(f.abs()));
    assert_eq!(peak.last().unwrap().to_bits(), largest.to_bits());
    // The compensator's law: a command is for the target of the next tick.
    let (target, command) = (column("target/1"), column("command/1"));
    let ticks = 0.0115 * 1024.0;
    for (pair, u) in target.windows(2).zip(&command) {
        let expected = pair[1] + ticks * (pair[1] - pair[0]);
        assert!((u - expected).abs() < 1e-12, "{u} for {expected}");
    }
    // The specimen's law, at every tick: f = k x (1 + (x/b)²).
    let moved = column("measured_displacement/1");
    for (f, x) in force.iter().zip(&moved) {
        let expected = 1.2e6 * x * (1.0 + (x / 20e-3_f64).powi(2));
        assert!((f - expected).abs() <= 1e-9 * largest, "{f} at {x}");
    }
}

/// A reader who does not know them says which names there are.
#[test]
fn without_them_the_plan_is_refused() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/plan.toml");
    let refused = Plan::open(path.as_ref()).err().unwrap().to_text();
    assert!(refused.contains("unknown method `lead`"), "{refused}");
    let text = std::fs::read_to_string(path).unwrap();
    let source = Source::Text {
        name: "misspelt",
        text: &text.replace("\"hardening\"", "\"hardning\""),
    };
    let refused = plan::open_with(&registry().unwrap(), source, &[]);
    let refused = refused.err().unwrap().to_text();
    assert!(refused.contains("did you mean `hardening`?"), "{refused}");
}

#[test]
fn their_names_are_taken_once_and_documented() {
    let mut twice = registry().unwrap();
    let slot = &tandem_transfer::compensator::SLOT;
    assert!(twice.add(slot, &LEAD).is_err());
    let documented = plan::reference("Plan", ROOT, &registry().unwrap());
    let schema = plan::json_schema(ROOT, &registry().unwrap());
    let schema = schema.to_value().to_string();
    for name in ["lead", "hardening", "peak_force"] {
        assert!(documented.contains(name) && schema.contains(name), "{name}");
    }
}

#[test]
fn they_conform() {
    let context = Context::of(2, 1.0 / 1024.0);
    let lead = Values::new().with("delay", Value::Number(0.0115));
    conformance::compensator(&LEAD, &lead, &context, &guard).unwrap();
    let stiffness = Value::List(vec![Value::Number(1.2e6); 2]);
    let spring = Values::new().with("stiffness", stiffness);
    conformance::specimen(&HARDENING, &spring, &context, &guard).unwrap();
    let bound = Values::new().with("bound", Value::Number(60.0));
    conformance::monitor(&PEAK_FORCE, &bound, &guard).unwrap();
}
