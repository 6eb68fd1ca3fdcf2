//! `cargo xtask bench problems`: the multi-axial benchmark problem beside the same loop in numba
//! and in numpy, and what a campaign of the single-actuator problem takes.

use std::process::Command;

use serde_json::{Value, json};

use crate::{Result, peers, root};

/// Turns of our program; the median counts.
const TURNS: usize = 9;
/// Runs of the single-actuator problem, on all cores.
const RUNS: usize = 100;

fn output(command: &mut Command, what: &str) -> Result<Value> {
    let output = command
        .output()
        .map_err(|error| format!("{what}: {error}"))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("{what}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Measures; `json` prints one object instead of a table.
pub fn run(json: bool) -> Result<()> {
    let data = peers::data().ok_or(
        "the published matrices and records are needed: set TANDEM_DATA to the folder with \
         `benchmarks`",
    )?;
    let python = peers::python()?;
    peers::package(&python, "numba")?;
    let tandem = crate::bench::release("tandem")?;
    let mut rows = Vec::new();
    for controller in ["one-sample-delay", "rls", "adaptive-inverse"] {
        let mut walls = Vec::new();
        let mut last = Value::Null;
        for _ in 0..TURNS {
            last = output(
                Command::new(&tandem)
                    .args(["bench", "multi-axial", "--json", "--controller", controller])
                    .env("TANDEM_DATA", &data),
                "tandem bench multi-axial",
            )?;
            walls.push(last["wall_s"].as_f64().ok_or("no wall_s")?);
        }
        walls.sort_by(f64::total_cmp);
        rows.push((controller, walls[TURNS / 2], last));
    }
    let peer = output(
        Command::new(&python)
            .arg(root().join("benches/multi_axial.py"))
            .arg(&data)
            .env("OPENBLAS_NUM_THREADS", "1"),
        "multi_axial.py",
    )?;
    let seconds = |key: &str| peer[key].as_f64().ok_or(format!("no {key}"));
    let (numba, numpy) = (seconds("numba_s")?, seconds("numpy_s")?);
    let clock = std::time::Instant::now();
    output(
        Command::new(&tandem)
            .args(["bench", "single-actuator", "--json", "--runs"])
            .arg(RUNS.to_string())
            .env("TANDEM_DATA", &data),
        "tandem bench single-actuator",
    )?;
    let single = clock.elapsed().as_secs_f64() / RUNS as f64;
    let rls = rows[1].1;
    if json {
        let ours: Vec<Value> = rows
            .iter()
            .map(|(name, wall, last)| {
                json!({
                    "controller": name,
                    "wall_s": wall,
                    "realtime_factor": last["simulated_s"].as_f64().unwrap_or(f64::NAN) / wall,
                })
            })
            .collect();
        println!(
            "{}",
            json!({
                "multi_axial": ours, "numba_s": numba, "numpy_s": numpy,
                "numba_over_tandem": numba / rls, "numpy_over_tandem": numpy / rls,
                "criteria_tandem": rows[1].2["criteria"], "criteria_numba": peer["criteria"],
                "single_actuator_s": single, "single_actuator_10000_min": single * 1e4 / 60.0,
            })
        );
        return Ok(());
    }
    println!(
        "multi-axial problem, 41 s at 1024 Hz, criteria included, one core (median of {TURNS} \
         turns)"
    );
    for (name, wall, last) in &rows {
        let simulated = last["simulated_s"].as_f64().unwrap_or(f64::NAN);
        println!(
            "  tandem, {name:17} {wall:8.4} s, {:6.0} times real time",
            simulated / wall
        );
    }
    println!(
        "  numba, rls                {numba:8.4} s, {:6.1} times tandem's",
        numba / rls
    );
    println!(
        "  numpy, rls                {numpy:8.4} s, {:6.1} times tandem's",
        numpy / rls
    );
    println!(
        "  J2 and J7, rls: tandem (one noise) {} {}",
        rows[1].2["criteria"]["J2"], rows[1].2["criteria"]["J7"]
    );
    println!(
        "                  numba (mean of 5)  {} {}",
        peer["criteria"]["J2"], peer["criteria"]["J7"]
    );
    println!(
        "single-actuator problem, adaptive-inverse, {RUNS} plants on all cores: {single:.3} s a \
         run, 10,000 in {:.1} min",
        single * 1e4 / 60.0
    );
    Ok(())
}
