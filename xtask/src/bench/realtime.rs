//! `cargo xtask bench rt`: wake-up latency and compute time of the real-time loop, beside
//! `cyclictest`, in turns on the same machine.

use std::process::Command;

use serde_json::{Value, json};

use super::{build, program};
use crate::{Result, root};

/// Seconds of one turn, and turns of each.
const SECONDS: u64 = 10;
const TURNS: usize = 3;

pub fn run(json_wanted: bool) -> Result<()> {
    let peer = cyclictest()?;
    build("tandem")?;
    let mut rows = Vec::new();
    for rate in [1000_u64, 4000] {
        let mut ours = Vec::new();
        let mut theirs = Vec::new();
        for _ in 0..TURNS {
            ours.push(loop_at(rate)?);
            theirs.push(peer_at(&peer, rate)?);
        }
        let middle = |list: &[Value], pointer: &str| {
            let mut values: Vec<f64> = list
                .iter()
                .filter_map(|v| v.pointer(pointer)?.as_f64())
                .collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
        };
        let (p50, p99) = (
            middle(&ours, "/latency_us/p50"),
            middle(&ours, "/latency_us/p99"),
        );
        let (peer50, peer99) = (middle(&theirs, "/p50"), middle(&theirs, "/p99"));
        let missed: u64 = ours.iter().filter_map(|v| v["missed"].as_u64()).sum();
        rows.push(json!({
            "rate_hz": rate,
            "latency_us": { "p50": p50, "p99": p99 },
            "cyclictest_us": { "p50": peer50, "p99": peer99 },
            "ratio": { "p50": p50 / peer50, "p99": p99 / peer99 },
            "compute_us": {
                "p50": middle(&ours, "/compute_us/p50"),
                "p99": middle(&ours, "/compute_us/p99"),
            },
            "missed": missed,
            "ticks": ours.iter().filter_map(|v| v["ticks"].as_u64()).sum::<u64>(),
        }));
    }
    if json_wanted {
        println!(
            "{}",
            json!({ "turns": TURNS, "seconds": SECONDS, "rates": rows })
        );
        return Ok(());
    }
    println!(
        "{TURNS} turns of {SECONDS} s each, in turns with cyclictest on the same core; medians of \
         the turns\n"
    );
    println!(
        "| rate | wake-up p50 | p99 | cyclictest p50 | p99 | ratio p50 | p99 | compute p50 | p99 | \
         missed |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for row in &rows {
        let number = |pointer: &str| {
            row.pointer(pointer)
                .and_then(Value::as_f64)
                .unwrap_or(f64::NAN)
        };
        println!(
            "| {} Hz | {:.1} us | {:.1} us | {:.1} us | {:.1} us | {:.2} | {:.2} | {:.1} us | \
             {:.1} us | {} of {} |",
            row["rate_hz"],
            number("/latency_us/p50"),
            number("/latency_us/p99"),
            number("/cyclictest_us/p50"),
            number("/cyclictest_us/p99"),
            number("/ratio/p50"),
            number("/ratio/p99"),
            number("/compute_us/p50"),
            number("/compute_us/p99"),
            row["missed"],
            row["ticks"]
        );
    }
    Ok(())
}

/// The peer, installed where that is possible.
fn cyclictest() -> Result<String> {
    let name = "cyclictest".to_owned();
    let there = || Command::new("cyclictest").arg("--help").output().is_ok();
    if there() {
        return Ok(name);
    }
    let _ = Command::new("apt-get")
        .args(["install", "-y", "--no-install-recommends", "rt-tests"])
        .output();
    if there() {
        Ok(name)
    } else {
        Err("cyclictest is missing: install the Debian package rt-tests".into())
    }
}

/// One turn of our loop.
fn loop_at(rate: u64) -> Result<Value> {
    let folder = root().join("target/bench-rt");
    let _ = std::fs::remove_dir_all(&folder);
    let output = Command::new(program("tandem"))
        .current_dir(root())
        .args([
            "run",
            "benches/real-time.toml",
            "--realtime",
            "--json",
            "--out",
        ])
        .arg(&folder)
        .args(["--set", &format!("command.rate={rate}Hz")])
        .args(["--set", &format!("integration.duration={SECONDS}s")])
        .output()
        .map_err(|error| format!("tandem: {error}"))?;
    let summary: Value = serde_json::from_slice(&output.stdout).map_err(|error| {
        format!(
            "tandem: {error}\n{}",
            String::from_utf8_lossy(&output.stderr)
        )
    })?;
    if summary["outcome"] != "completed" {
        return Err(format!(
            "the test did not run to its end: {}",
            summary["reason"]
        ));
    }
    let timing = summary["timing"].clone();
    if timing["real_time"] != true {
        return Err(format!(
            "real-time rights are missing: {}",
            timing["refused"]
        ));
    }
    Ok(timing)
}

/// One turn of cyclictest with the same priority, core and period.
fn peer_at(peer: &str, rate: u64) -> Result<Value> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let output = Command::new(peer)
        .args([
            "--quiet",
            "--mlockall",
            "--threads=1",
            "--priority=80",
            "--policy=fifo",
        ])
        .arg(format!("--affinity={}", cores - 1))
        .arg(format!("--interval={}", 1_000_000 / rate))
        .arg(format!("--loops={}", SECONDS * rate))
        .arg("--histogram=200000")
        .output()
        .map_err(|error| format!("{peer}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let counts: Vec<(f64, u64)> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
        })
        .collect();
    let total: u64 = counts.iter().map(|(_, n)| n).sum();
    if total == 0 {
        return Err(format!(
            "{peer} gave no histogram:\n{text}{}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    let percentile = |share: f64| {
        let rank = share * total as f64;
        let mut sum = 0;
        for (us, n) in &counts {
            sum += n;
            if sum as f64 >= rank {
                return *us;
            }
        }
        f64::NAN
    };
    Ok(json!({ "p50": percentile(0.5), "p99": percentile(0.99) }))
}
