//! `cargo xtask bench transfer`: the cost of a tick of every method between target and force.

use serde_json::Value;

use crate::Result;

/// Measures; `json` prints the lines of the measurement instead of a table.
pub fn run(json: bool) -> Result<()> {
    let text = super::printed(&["transfer"])?;
    if json {
        print!("{text}");
        return Ok(());
    }
    println!("Cost of a tick in ns, one core, best of 7\n");
    let mut last = String::new();
    for line in text.lines() {
        let value: Value =
            serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
        let word = |key: &str| value[key].as_str().unwrap_or("?").to_owned();
        let slot = word("slot");
        let shown = if slot == last { "" } else { slot.as_str() };
        let cost = value["ns_per_tick"].as_f64().unwrap_or(f64::NAN);
        println!("{shown:14} {:30} {cost:10.1}", word("method"));
        last = slot;
    }
    Ok(())
}
