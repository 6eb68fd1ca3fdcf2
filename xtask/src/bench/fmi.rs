//! `cargo xtask bench fmi`: steps per second of one FMU in Tandem, in FMPy and in a bare C loop
//! over the same binary.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::{Result, peers, root};

/// Steps of 10 ms: enough to measure, and fewer for Python.
const STEPS: u64 = 4_000_000;
const PYTHON_STEPS: u64 = 200_000;
const RUNS: usize = 5;

/// Measures; `json` prints one object.
pub fn run(json: bool) -> Result<()> {
    let python = peers::python()?;
    crate::bench::build("tandem")?;
    let folder = root().join("target/bench-fmi");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let sources = root().join("benches/fmi");
    let (library, bare, archive) = (
        folder.join("vanderpol.so"),
        folder.join("loop"),
        folder.join("vanderpol.fmu"),
    );
    cc(
        &["-O2", "-w", "-shared", "-fPIC", "-o"],
        &library,
        &sources.join("vanderpol.c"),
        &[],
    )?;
    cc(
        &["-O2", "-w", "-o"],
        &bare,
        &sources.join("loop.c"),
        &["-ldl"],
    )?;
    let mut peer = Command::new(python);
    peer.arg(sources.join("peer.py"))
        .arg(&library)
        .arg(&archive)
        .arg(PYTHON_STEPS.to_string());
    let [fmpy, fmpy_slave, fmpy_last] = numbers(&said(&mut peer)?)?;
    let mut tandem = (0.0_f64, f64::NAN);
    let mut c = (0.0_f64, f64::NAN);
    // In turns, the best of each: what else runs on the machine hits both.
    for _ in 0..RUNS {
        let mut command = Command::new(&bare);
        command.arg(&library).arg(STEPS.to_string());
        let [rate, last] = numbers(&said(&mut command)?)?;
        c = (c.0.max(rate), last);
        let stop = STEPS as f64 * 0.01;
        let mut command = Command::new(crate::bench::program("tandem"));
        command.args(["fmu", "simulate"]).arg(&archive);
        command.args([
            "--kind",
            "cs",
            "--step",
            "0.01",
            "--in-process",
            "--json",
            "--stop",
            &stop.to_string(),
        ]);
        let value: Value =
            serde_json::from_str(&said(&mut command)?).map_err(|error| error.to_string())?;
        tandem.0 = tandem.0.max(value["steps_per_s"].as_f64().unwrap_or(0.0));
    }
    // The same numbers: Tandem's last row after as many steps as FMPy's.
    let out = folder.join("out.csv");
    let stop = PYTHON_STEPS as f64 * 0.01;
    let mut command = Command::new(crate::bench::program("tandem"));
    command.args(["fmu", "simulate"]).arg(&archive).args([
        "--kind",
        "cs",
        "--step",
        "0.01",
        "--in-process",
    ]);
    said(
        command
            .args(["--stop", &stop.to_string(), "--out"])
            .arg(&out),
    )?;
    let text = std::fs::read_to_string(&out).map_err(|error| error.to_string())?;
    let last = text
        .lines()
        .last()
        .and_then(|line| line.split(',').nth(1))
        .and_then(|x| x.parse().ok());
    tandem.1 = last.unwrap_or(f64::NAN);
    let difference = (tandem.1 - fmpy_last).abs();
    let rates = Rates {
        tandem: tandem.0,
        c_loop: c.0,
        fmpy,
        fmpy_slave,
        coupled: coupled(&folder)?,
    };
    rates.show(difference, json);
    Ok(())
}

/// Steps per second of each.
struct Rates {
    tandem: f64,
    c_loop: f64,
    fmpy: f64,
    fmpy_slave: f64,
    coupled: f64,
}

impl Rates {
    /// Prints them; `difference`: of the last values of Tandem and FMPy.
    fn show(&self, difference: f64, json: bool) {
        let Self {
            tandem,
            c_loop,
            fmpy,
            fmpy_slave,
            coupled,
        } = self;
        let value = json!({
            "coupled_steps_per_s": coupled,
            "tandem_steps_per_s": tandem,
            "c_loop_steps_per_s": c_loop,
            "fmpy_steps_per_s": fmpy,
            "fmpy_slave_steps_per_s": fmpy_slave,
            "times_fmpy": tandem / fmpy,
            "times_fmpy_slave": tandem / fmpy_slave,
            "c_loop_over_tandem": c_loop / tandem,
            "difference": difference,
        });
        if json {
            println!("{value}");
            return;
        }
        println!(
            "Van der Pol FMU, FMI 2.0 Co-Simulation, in process, two outputs read at every step of \
            10 \
             ms (best of {RUNS})"
        );
        println!("  tandem            {tandem:.3e} steps/s");
        println!(
            "  bare C loop       {:.3e} steps/s, {:.2} times tandem",
            c_loop,
            c_loop / tandem
        );
        println!(
            "  FMPy              {fmpy:.3e} steps/s; tandem is {:.0} times that",
            tandem / fmpy
        );
        println!(
            "  FMPy, bare slave  {fmpy_slave:.3e} steps/s; tandem is {:.0} times that",
            tandem / fmpy_slave
        );
        println!("  last values differ by {difference:.1e}");
        println!(
            "Split-mass oscillator, three FMUs of our own (two parts and the coupling), in \
            process, \
             everything recorded (best of {RUNS})"
        );
        println!("  tandem            {coupled:.3e} coupled steps/s");
    }
}

/// Coupled steps per second of `examples/fmi-split-mass/coupling-fmu.toml`: a long run less a short
/// one, since both make their FMUs first.
fn coupled(folder: &Path) -> Result<f64> {
    const STEPS: f64 = 200_000.0;
    let out = folder.join("coupled");
    let wall = |steps: f64| -> Result<f64> {
        // A folder that holds a run is not written into again; the first time there is none.
        let _ = std::fs::remove_dir_all(&out);
        let mut command = Command::new(crate::bench::program("tandem"));
        command
            .arg("run")
            .arg(root().join("examples/fmi-split-mass/coupling-fmu.toml"))
            .arg("--set")
            .arg(format!("cosimulation.duration={}s", 0.01 * steps))
            .args(["--json", "--out"])
            .arg(&out);
        let value: Value =
            serde_json::from_str(&said(&mut command)?).map_err(|error| error.to_string())?;
        let wall = value["wall_s"].as_f64();
        wall.ok_or_else(|| "the run does not say how long it took".to_owned())
    };
    let mut best = 0.0_f64;
    for _ in 0..RUNS {
        let (short, long) = (wall(1_000.0)?, wall(1_000.0 + STEPS)?);
        best = best.max(STEPS / (long - short));
    }
    Ok(best)
}

fn cc(options: &[&str], out: &Path, source: &Path, libraries: &[&str]) -> Result<()> {
    crate::run(
        Command::new("cc")
            .args(options)
            .arg(out)
            .arg(source)
            .args(libraries),
    )
}

/// Standard output of a command that must succeed.
fn said(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{command:?} failed ({})", output.status))
    }
}

/// The numbers of the last line.
fn numbers<const N: usize>(text: &str) -> Result<[f64; N]> {
    let line = text.lines().last().unwrap_or("");
    let list: Vec<f64> = line
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    list.try_into()
        .map_err(|_| format!("{N} numbers were expected in `{line}`"))
}
