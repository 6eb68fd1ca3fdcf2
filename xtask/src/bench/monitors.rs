//! `cargo xtask bench monitors`: what all monitors together cost per tick, and how it grows.

use serde_json::Value;

use crate::Result;

/// What all monitors together may cost per tick with three degrees of freedom and one actuator, ns.
const GOAL_NS: f64 = 2000.0;

/// Measures; `json` prints one object instead of a table.
pub fn run(json: bool) -> Result<()> {
    let found = measured(&["monitors"])?;
    if json {
        println!("{found}");
        return Ok(());
    }
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let all = number(&found["three_dof_one_actuator_ns"]);
    println!("All monitors per tick, every tick a step, one core (best of 9)");
    println!("  3 degrees of freedom, 1 actuator   {all:8.0} ns (goal: below {GOAL_NS:.0})");
    for (name, ns) in found["each_ns"].as_object().into_iter().flatten() {
        println!("    {name:<33}{:8.0} ns", number(ns));
    }
    for (list, what) in [("by_dof", "dof"), ("by_actuator", "actuators")] {
        for row in found[list].as_array().into_iter().flatten() {
            println!(
                "  {:>3} {what:<30} {:8.0} ns",
                row[what],
                number(&row["ns"])
            );
        }
    }
    Ok(())
}

/// The JSON line that `tandem-bench` prints for these words.
pub fn measured(words: &[&str]) -> Result<Value> {
    let text = super::printed(words)?;
    serde_json::from_str(&text).map_err(|error| format!("tandem-bench: {error}"))
}
