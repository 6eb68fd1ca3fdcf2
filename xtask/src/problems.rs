//! `cargo xtask study problems`: the tables of docs/benchmarks.md, and whether their goals are met.

use std::process::Command;

use serde_json::Value;

use crate::{Result, bench, peers};

const RECORDS: [&str; 3] = ["el-centro", "kobe", "morgan-hill"];

/// All cases and records with so many random plants each; fails where a goal is missed.
pub fn run(arguments: &[&str], json: bool) -> Result<()> {
    let runs = match arguments {
        [] => "200",
        [runs] if runs.parse::<u32>().is_ok_and(|n| n > 0) => runs,
        _ => return Err("problems takes a number of random plants".into()),
    };
    let data = peers::data().ok_or(
        "the published records are needed: set TANDEM_DATA to the folder with `benchmarks`",
    )?;
    let tandem = bench::release("tandem")?;
    let found = |words: &[&str]| -> Result<Value> {
        let output = Command::new(&tandem)
            .arg("bench")
            .args(words)
            .args(["--runs", runs, "--json"])
            .env("TANDEM_DATA", &data)
            .output()
            .map_err(|error| format!("tandem: {error}"))?;
        serde_json::from_slice(&output.stdout)
            .map_err(|_| format!("tandem bench: {}", String::from_utf8_lossy(&output.stderr)))
    };
    let mut all = Vec::new();
    for record in RECORDS {
        for case in ["1", "2", "3", "4"] {
            all.push(found(&[
                "single-actuator",
                "--case",
                case,
                "--record",
                record,
            ])?);
        }
    }
    let multi = found(&["multi-axial"])?;
    if json {
        println!(
            "{}",
            serde_json::json!({ "single_actuator": all, "multi_axial": multi })
        );
    } else {
        tables(&all, &multi, runs);
    }
    all.push(multi);
    let mut missed = Vec::new();
    for one in &all {
        let what = format!(
            "{} {} {}",
            one["problem"].as_str().unwrap_or(""),
            one["record"].as_str().unwrap_or(""),
            one["case"]
                .as_u64()
                .map_or_else(String::new, |n| n.to_string())
        );
        let goals = one["goals_missed"].as_array();
        let goals = goals.ok_or(format!("{what}: no goals were looked at"))?;
        missed.extend(
            goals
                .iter()
                .map(|goal| format!("{what}: {}", goal.as_str().unwrap_or(""))),
        );
    }
    if missed.is_empty() {
        if !json {
            println!("\nAll goals are met.");
        }
        return Ok(());
    }
    Err(format!("goals are missed:\n{}", missed.join("\n")))
}

/// Values of a criterion in one form, joined.
fn text(table: &Value, form: &str, name: &str, digits: usize) -> String {
    let list = table[form][name].as_array().into_iter().flatten();
    let texts: Vec<String> = list
        .map(|x| format!("{:.digits$}", x.as_f64().unwrap_or(f64::NAN)))
        .collect();
    texts.join(", ")
}

fn tables(single: &[Value], multi: &Value, runs: &str) {
    let free = "criteria_noise_free";
    println!(
        "| record | case | J2 | mean | worst | J4 | mean | worst | unstable | beyond the force |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for one in single {
        let row = |name: &str| {
            let parts = [one, &one["mean"], &one["worst"]].map(|table| text(table, free, name, 3));
            parts.join(" | ")
        };
        println!(
            "| {} | {} | {} | {} | {} | {} |",
            one["record"].as_str().unwrap_or(""),
            one["case"],
            row("J2"),
            row("J4"),
            one["unstable"],
            one["beyond_force"]
        );
    }
    println!(
        "\n| | J2, noise-free | J7, estimated (as coded) | J7, noise-free | J8, numerical part \
         |\n|---|---|---|---|---|"
    );
    let rows = [
        ("nominal plant".to_owned(), multi),
        (format!("mean of {runs} plants"), &multi["mean"]),
        ("worst".to_owned(), &multi["worst"]),
    ];
    for (name, table) in rows {
        println!(
            "| {name} | {} | {} | {} | {} |",
            text(table, free, "J2", 3),
            text(table, "criteria_estimated", "J7", 3),
            text(table, free, "J7", 3),
            text(table, "criteria", "J8", 3)
        );
    }
    println!("\n{} of {runs} are unstable.", multi["unstable"]);
}
