//! `cargo xtask bench integrators`: the cost of a step of every time-stepping method at 3, 30 and
//! 300 degrees of freedom.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Result;

/// Measures; `json` prints the lines of the measurement instead of a table.
pub fn run(json: bool) -> Result<()> {
    let text = super::printed(&["integrators"])?;
    if json {
        print!("{text}");
        return Ok(());
    }
    let mut order = Vec::new();
    let mut cells: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in text.lines() {
        let value: Value =
            serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
        let method = value["method"].as_str().unwrap_or("?").to_owned();
        if !order.contains(&method) {
            order.push(method.clone());
        }
        let cost = value["ns_per_step"].as_f64();
        let cell = cost.map_or("–".to_owned(), |ns| format!("{:.3}", 1e-3 * ns));
        cells.entry(method).or_default().push(cell);
    }
    println!(
        "Cost of a step in µs, one core, best of 7: a shear building with one storey as linear \
         specimen"
    );
    println!("(–: the method does not take that size)\n");
    println!(
        "{:30} {:>10} {:>10} {:>10}",
        "method", "3 dof", "30 dof", "300 dof"
    );
    for method in order {
        let row = cells.remove(&method).unwrap_or_default();
        let cell = |i: usize| row.get(i).map_or("–", String::as_str);
        println!(
            "{method:30} {:>10} {:>10} {:>10}",
            cell(0),
            cell(1),
            cell(2)
        );
    }
    Ok(())
}
