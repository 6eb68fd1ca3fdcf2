//! `cargo xtask bench structure`: the structural engine and OpenSees, the same frames one after the
//! other.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::structure_plot::{Plot, Series};
use crate::{Result, peers, root};

/// The frames of `benches/frames.json`.
const FRAMES: [&str; 5] = [
    "elastic-12",
    "elastic-96",
    "elastic-1008",
    "elastic-9975",
    "fibre-36",
];

/// Both sides take turns this often; the best of each counts.
const ROUNDS: usize = 2;

/// Measures; `json` prints one object a line instead of tables.
pub fn run(json: bool) -> Result<()> {
    let python = peers::python()?;
    super::build("tandem-bench")?;
    let folder = root().join("target/bench");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    if !json {
        println!(
            "Frames beside OpenSees: one core, the quickest pass over the same steps on both sides"
        );
        println!(
            "{:>14} {:>7} {:>14} {:>14} {:>7} {:>12}",
            "frame", "dof", "Tandem steps/s", "OpenSees", "ratio", "difference"
        );
    }
    let mut opensees_points = Vec::new();
    for name in FRAMES {
        let result = compare(name, &python, &folder)?;
        if name.starts_with("elastic") {
            opensees_points.push((
                number(&result, "dof")?,
                1.0 / number(&result, "opensees_steps_per_s")?,
            ));
        }
        if json {
            println!("{result}");
        } else {
            println!(
                "{name:>14} {:>7} {:>14.0} {:>14.0} {:>7.1} {:>12.1e}",
                result["dof"],
                number(&result, "tandem_steps_per_s")?,
                number(&result, "opensees_steps_per_s")?,
                number(&result, "ratio")?,
                number(&result, "max_difference")?,
            );
        }
    }
    for limit in inside(&["limits"])? {
        if json {
            println!("{limit}");
        } else {
            println!(
                "{}: {} dof, {:.3} ms ({})",
                limit["limit"].as_str().unwrap_or_default(),
                limit["dof"],
                number(&limit, "milliseconds")?,
                limit["method"].as_str().unwrap_or_default(),
            );
        }
    }
    sizes(json, opensees_points, &folder.join("structure.svg"))
}

/// One frame on both sides.
fn compare(name: &str, python: &Path, folder: &Path) -> Result<Value> {
    let ours = folder.join(format!("{name}-tandem.txt"));
    let theirs = folder.join(format!("{name}-opensees.txt"));
    let (mut tandem, mut opensees) = (Value::Null, Value::Null);
    for _ in 0..ROUNDS {
        let path = ours.to_str().ok_or("a path that is not text")?;
        let result = inside(&[name, path])?.pop().ok_or("no result")?;
        keep_best(&mut tandem, result);
        let mut command = Command::new(python);
        command
            .arg(root().join("benches/structure_opensees.py"))
            .arg(name)
            .arg(&theirs);
        keep_best(
            &mut opensees,
            lines(&mut command)?.pop().ok_or("no result")?,
        );
    }
    let (rate, peer) = (
        number(&tandem, "steps_per_s")?,
        number(&opensees, "steps_per_s")?,
    );
    if tandem["dof"] != opensees["dof"] {
        return Err(format!("{name}: the two models differ"));
    }
    Ok(json!({
        "model": name,
        "dof": tandem["dof"],
        "tandem_steps_per_s": rate,
        "opensees_steps_per_s": peer,
        "opensees_solver": opensees["solver"],
        "opensees_iterations": opensees["iterations"],
        "ratio": rate / peer,
        "max_difference": difference(&history(&ours)?, &history(&theirs)?)?,
    }))
}

fn keep_best(best: &mut Value, result: Value) {
    if best["steps_per_s"].as_f64().unwrap_or(0.0) < result["steps_per_s"].as_f64().unwrap_or(0.0) {
        *best = result;
    }
}

/// What a step costs over size, as a picture and as exponents.
fn sizes(json: bool, opensees: Vec<(f64, f64)>, file: &Path) -> Result<()> {
    let points = inside(&["sizes"])?;
    let of = |kind: &str| -> Result<Vec<(f64, f64)>> {
        let own = points.iter().filter(|point| point["kind"] == kind);
        own.map(|point| Ok((number(point, "dof")?, number(point, "seconds")?)))
            .collect()
    };
    let series = [
        Series::new("Tandem, elastic, Newmark", "#1f77b4", of("elastic")?),
        Series::new("OpenSees, elastic, Newmark", "#d62728", opensees),
        Series::new(
            "Tandem, fibres, Newmark and Newton",
            "#2ca02c",
            of("fibre")?,
        ),
    ];
    for series in &series {
        if json {
            println!(
                "{}",
                json!({
                    "series": series.name,
                    "exponent": series.exponent(),
                    "points": series.points,
                })
            );
        } else {
            println!(
                "{}: cost of a step ∝ dof^{:.2}",
                series.name,
                series.exponent()
            );
        }
    }
    let plot = Plot {
        title: "Cost of a step over size",
        x: "degrees of freedom",
        y: "seconds a step",
        series: &series,
    };
    std::fs::write(file, plot.svg()).map_err(|e| format!("{}: {e}", file.display()))?;
    if !json {
        println!("picture: {}", file.display());
    }
    Ok(())
}

/// What our own measurements print.
fn inside(words: &[&str]) -> Result<Vec<Value>> {
    lines(
        Command::new(super::program("tandem-bench"))
            .arg("structure")
            .args(words),
    )
}

/// The JSON lines that a command prints.
fn lines(command: &mut Command) -> Result<Vec<Value>> {
    let text = format!("{command:?}");
    let output = command
        .output()
        .map_err(|error| format!("{text}: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "{text}: {}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{text}: {error}")))
        .collect()
}

fn number(value: &Value, key: &str) -> Result<f64> {
    value[key].as_f64().ok_or(format!("no `{key}` in {value}"))
}

fn history(file: &Path) -> Result<Vec<f64>> {
    let text =
        std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    text.lines()
        .map(|line| {
            line.parse()
                .map_err(|error| format!("{}: {error}", file.display()))
        })
        .collect()
}

/// Largest difference of two histories over the largest value.
fn difference(ours: &[f64], theirs: &[f64]) -> Result<f64> {
    if ours.len() != theirs.len() {
        return Err(format!(
            "histories of {} and {} steps",
            ours.len(),
            theirs.len()
        ));
    }
    let largest = theirs.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let apart = ours.iter().zip(theirs).map(|(a, b)| (a - b).abs());
    Ok(apart.fold(0.0, f64::max) / largest)
}
