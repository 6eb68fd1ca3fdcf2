//! The loop in real time with nobody watching and with three browsers at the operator's screen, in
//! turn.

use serde_json::{Value, json};

use super::release;
use crate::{Result, peers};

const SECONDS: &str = "20";
const ROUNDS: usize = 3;

/// Missed deadlines and compute time of both, beside each other.
pub fn run(json: bool) -> Result<()> {
    let program = release("tandem")?;
    let mut rows: Vec<Value> = Vec::new();
    for round in 0..ROUNDS {
        for browsers in ["0", "3"] {
            let mut command = peers::script("three.mjs", &program)?;
            let output = command
                .args([browsers, SECONDS])
                .output()
                .map_err(|error| format!("node: {error}"))?;
            let text = String::from_utf8_lossy(&output.stdout);
            let row = serde_json::from_str::<Value>(text.trim()).map_err(|_| {
                format!(
                    "the run with {browsers} browsers failed: {text}{}",
                    String::from_utf8_lossy(&output.stderr)
                )
            })?;
            if !json {
                let t = &row["timing"];
                println!(
                    "round {}, {browsers} browsers: missed {} of {}, compute p50 {} p99 {} µs, \
                     latency p50 {} p99 {} µs",
                    round + 1,
                    t["missed"],
                    t["ticks"],
                    t["compute_us"]["p50"],
                    t["compute_us"]["p99"],
                    t["latency_us"]["p50"],
                    t["latency_us"]["p99"]
                );
            }
            rows.push(row);
        }
    }
    let median = |browsers: u64, path: &str| {
        let of = |row: &&Value| row["browsers"] == browsers;
        let mut list: Vec<f64> = rows
            .iter()
            .filter(of)
            .filter_map(|row| row.pointer(path)?.as_f64())
            .collect();
        list.sort_by(f64::total_cmp);
        list.get(list.len() / 2).copied()
    };
    let mut table = serde_json::Map::new();
    for (name, path) in [
        ("missed", "/timing/missed"),
        ("compute_p50_us", "/timing/compute_us/p50"),
        ("compute_p99_us", "/timing/compute_us/p99"),
        ("latency_p50_us", "/timing/latency_us/p50"),
        ("latency_p99_us", "/timing/latency_us/p99"),
    ] {
        table.insert(
            name.into(),
            json!({ "none": median(0, path), "three": median(3, path) }),
        );
    }
    if json {
        println!("{}", json!({ "medians": table, "rounds": rows }));
    } else {
        println!(
            "\nmedian of {ROUNDS} rounds of {SECONDS} s{:>12}{:>12}",
            "none", "three"
        );
        for (name, pair) in &table {
            let number = |key: &str| pair[key].to_string();
            println!("  {name:<26}{:>12}{:>12}", number("none"), number("three"));
        }
    }
    Ok(())
}
