//! `cargo xtask bench loop`: our loop and the same loop in numpy, one after the other.

use std::process::Command;

use serde_json::{Value, json};

use crate::{Result, peers, root};

/// Runs of our program; the median and the best are printed.
const RUNS: usize = 9;

fn run_tandem(plan: &str, folder: &std::path::Path) -> Result<Value> {
    let _ = std::fs::remove_dir_all(folder);
    let output = Command::new(crate::bench::program("tandem"))
        .args(["run", plan, "--json", "--out"])
        .arg(folder)
        .current_dir(root())
        .output()
        .map_err(|error| format!("tandem run {plan}: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        format!(
            "tandem run {plan}: {}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

/// Measures; `json` prints one object instead of a table.
pub fn run(json: bool) -> Result<()> {
    let python = peers::python()?;
    crate::bench::build("tandem")?;
    let folder = root().join("target/bench");
    let mut factors = Vec::new();
    let mut peak = 0.0;
    for _ in 0..RUNS {
        let summary = run_tandem("benches/three-dof-4096.toml", &folder.join("run"))?;
        factors.push(
            summary["realtime_factor"]
                .as_f64()
                .ok_or("no realtime_factor in the summary")?,
        );
        peak = summary["response"]["response_displacement/3"]["peak"]
            .as_f64()
            .unwrap_or(f64::NAN);
    }
    factors.sort_by(f64::total_cmp);
    let (median, best) = (factors[RUNS / 2], factors[RUNS - 1]);
    let output = Command::new(python)
        .arg(root().join("benches/three_dof_4096.py"))
        .output()
        .map_err(|error| format!("numpy peer: {error}"))?;
    let peer: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("numpy peer: {}", String::from_utf8_lossy(&output.stderr)))?;
    let numpy = peer["realtime_factor"]
        .as_f64()
        .ok_or("the numpy peer printed no realtime_factor")?;
    let difference = (peer["peak"].as_f64().unwrap_or(f64::NAN) - peak).abs() / peak;
    let result = json!({
        "loop": "3 degrees of freedom, 4096 Hz, everything recorded",
        "tandem_realtime_factor": median,
        "tandem_realtime_factor_best": best,
        "numpy_realtime_factor": numpy,
        "ratio": median / numpy,
        "difference_of_peaks": difference,
    });
    if json {
        println!("{result}");
    } else {
        println!("3-dof loop at 4096 Hz, one core, everything recorded (median of {RUNS} runs)");
        println!("  tandem   {median:10.0} times real time (best {best:.0})");
        println!("  numpy    {numpy:10.2} times real time");
        println!("  ratio    {:10.0}", median / numpy);
        println!("  roof peak differs by {difference:.1e}");
    }
    Ok(())
}
