//! `cargo xtask bench opensees`: stock OpenSees against Tandem, against a bare ping-pong, and
//! against a plain server.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::{Result, peers, root};

/// Steps of a fast run, and of one with the stall.
const STEPS: usize = 20_000;
const SLOW_STEPS: usize = 60;

/// All take turns this often; the median counts.
const ROUNDS: usize = 5;

/// What must be reached: steps per second, and times of the floor.
const GOAL: f64 = 5000.0;
const GOAL_FLOOR: f64 = 1.5;

/// Measures; `json` prints one object instead of a table.
pub fn run(json: bool) -> Result<()> {
    let python = match std::env::var_os("TANDEM_PYTHON") {
        Some(path) => path.into(),
        None => peers::python()?,
    };
    super::build("tandem-bench")?;
    super::build("tandem")?;
    let out = root().join("target/bench/opensees");
    let (tandem, bench) = (super::program("tandem"), super::program("tandem-bench"));
    let plan = root().join("examples/opensees-single-column/plan.toml");
    let names = ["serve", "run", "floor", "plain"];
    let mut found: Vec<Vec<f64>> = vec![Vec::new(); names.len()];
    for round in 0..ROUNDS {
        for (name, list) in names.iter().zip(&mut found) {
            let _ = std::fs::remove_dir_all(&out);
            let mut command = Command::new(if matches!(*name, "serve" | "run") {
                &tandem
            } else {
                &bench
            });
            match *name {
                "serve" => {
                    command.args(["serve", "openfresco", "--port", "0", "--k", "500"]);
                }
                "run" => {
                    command.arg("run").arg(&plan).arg("--out").arg(&out);
                    for word in [
                        "integration.port=0",
                        // One tick a step: what is counted is the exchange, not the ticks between.
                        "command.rate=100Hz",
                        "rig.specimen.stiffness=[\"500 N/m\"]",
                        "limits.stroke=1e6m",
                    ] {
                        command.args(["--set", word]);
                    }
                }
                other => {
                    command.args(["opensees", other]);
                }
            }
            // The stall is steady: once is enough.
            let steps = if *name == "plain" { SLOW_STEPS } else { STEPS };
            if *name != "plain" || round == 0 {
                list.push(measure(&mut command, &python, steps)?);
            }
        }
    }
    let median = |list: &[f64]| {
        let mut sorted = list.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let [serve, run, floor, plain] = [0, 1, 2, 3].map(|i| median(&found[i]));
    let result = json!({
        "integrator": "NewmarkExplicit, one degree of freedom, TCP on this machine, genericClient \
                       as it is",
        "serve_steps_per_s": serve,
        "run_steps_per_s": run,
        "floor_steps_per_s": floor,
        "plain_server_steps_per_s": plain,
        "times_plain_server": serve / plain,
        "serve_over_floor": floor / serve,
        "run_over_floor": floor / run,
        "goal_steps_per_s": GOAL,
        "goal_over_floor": GOAL_FLOOR,
        "rounds": found[..3].to_vec(),
    });
    if json {
        println!("{result}");
        return Ok(());
    }
    println!("Stock OpenSees (openseespy, explicit Newmark) over TCP, median of {ROUNDS}");
    println!("  tandem serve openfresco            {serve:8.0} steps/s (goal: {GOAL:.0})");
    println!("  tandem run, with loop and record   {run:8.0} steps/s");
    println!(
        "  ping-pong of the same bytes        {floor:8.0} steps/s: ours takes {:.2} and {:.2} \
         times as long (goal: {GOAL_FLOOR})",
        floor / serve,
        floor / run
    );
    println!(
        "  plain server                       {plain:8.0} steps/s: ours is {:.0} times as fast",
        serve / plain
    );
    Ok(())
}

/// Starts a server, lets OpenSees run against it, and returns the steps per second.
fn measure(server: &mut Command, python: &Path, steps: usize) -> Result<f64> {
    let mut child = server
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{server:?}: {error}"))?;
    let port = port_of(&mut child).ok_or_else(|| format!("{server:?} does not listen"))?;
    let output = Command::new(python)
        .arg(root().join("benches/opensees_client.py"))
        .args([&port, &steps.to_string()])
        .output()
        .map_err(|error| format!("OpenSees: {error}"))?;
    let _ = child.wait();
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text
        .lines()
        .find(|line| line.starts_with('{'))
        .unwrap_or("");
    serde_json::from_str::<Value>(line)
        .ok()
        .and_then(|value| value["steps_per_s"].as_f64())
        .ok_or_else(|| format!("OpenSees: {}", String::from_utf8_lossy(&output.stderr)))
}

fn port_of(child: &mut Child) -> Option<String> {
    let mut out = BufReader::new(child.stdout.take()?);
    let mut line = String::new();
    let port = loop {
        line.clear();
        if out.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(address) = line.trim().strip_prefix("listening on ") {
            break address.rsplit(':').next()?.to_owned();
        }
    };
    // Whatever else it says must not fill the pipe.
    std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
    Some(port)
}
