//! The benches with both programs, turn by turn: the quickest turn of each counts, since everything
//! that disturbs a measurement makes it longer.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{Build, Wanted};
use crate::{Result, peers, root};

/// A bench: its name, its words, and whether the program of the benches runs it.
struct Bench {
    name: String,
    words: Vec<String>,
    inside: bool,
}

fn benches() -> Result<Vec<Bench>> {
    let bench = |name: &str, words: &[&str], inside| Bench {
        name: name.to_owned(),
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        inside,
    };
    let mut all = vec![
        bench(
            "loop",
            &["run", "benches/three-dof-4096.toml", "--json", "--out"],
            false,
        ),
        bench("integrators", &["integrators"], true),
        bench("monitors", &["monitors"], true),
        bench("transfer", &["transfer"], true),
    ];
    if peers::data().is_some() {
        for controller in ["one-sample-delay", "rls", "adaptive-inverse"] {
            let words = ["bench", "multi-axial", "--json", "--controller", controller];
            all.push(bench(&format!("problem {controller}"), &words, false));
        }
    } else {
        println!("skipped: the benchmark problems, whose records are not at hand; set TANDEM_DATA");
    }
    let file = root().join("benches/frames.json");
    let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
    let frames: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let kinds = ["elastic", "fibre"].map(|kind| frames[kind]["frames"].as_array());
    for frame in kinds.into_iter().flatten().flatten() {
        let name = frame["name"].as_str().ok_or("a frame without a name")?;
        all.push(bench(
            &format!("structure {name}"),
            &["structure", name],
            true,
        ));
    }
    Ok(all)
}

/// Times by their labels.
type Times = BTreeMap<String, f64>;

/// Runs them all; prints how long the new program takes beside the old one.
pub fn compare(wanted: &Wanted) -> Result<Value> {
    let mut rows = Vec::new();
    for bench in benches()? {
        if !bench.name.contains(&wanted.only) {
            continue;
        }
        let (mut old, mut new) = (Times::new(), Times::new());
        for turn in 0..wanted.turns {
            // Whoever comes second finds warmer caches and a hotter processor.
            let mut order = [(&wanted.old, &mut old), (&wanted.new, &mut new)];
            if turn % 2 == 1 {
                order.reverse();
            }
            for (build, times) in order {
                one(&bench, build, times)?;
            }
        }
        let Some(row) = row(&bench.name, &old, &new) else {
            println!(
                "skipped: {}: one of the two has no program of the benches",
                bench.name
            );
            continue;
        };
        if !wanted.json {
            show(&row);
        }
        rows.push(row);
    }
    Ok(Value::Array(rows))
}

/// Runs a bench once and keeps the shortest times.
fn one(bench: &Bench, build: &Build, times: &mut Times) -> Result<()> {
    let program = match (bench.inside, &build.bench) {
        (false, _) => &build.tandem,
        (true, Some(program)) => program,
        (true, None) => return Ok(()),
    };
    let text = output(bench, program)?;
    for line in text.lines() {
        if let Ok(value) = serde_json::from_str::<Value>(line) {
            collect(&value, "", false, times);
        }
    }
    Ok(())
}

fn output(bench: &Bench, program: &Path) -> Result<String> {
    let folder = root().join("target/compare/bench");
    let _ = std::fs::remove_dir_all(&folder);
    let mut command = Command::new(program);
    command.current_dir(root()).args(&bench.words);
    // Both kinds that leave something name its place last.
    if bench.name == "loop" || bench.name.starts_with("structure") {
        std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        command.arg(folder.join("out"));
    }
    if let Some(data) = peers::data() {
        command.env("TANDEM_DATA", data);
    }
    let output = command
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{}: {said}", bench.name));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Finds the times in what a bench prints: `wall_s`, `ns…`, `…_ns`, and the reciprocal of
/// `steps_per_s`.
fn collect(value: &Value, label: &str, is_time: bool, times: &mut Times) {
    match value {
        Value::Object(map) => {
            let own = |key: &str| map.get(key).map(|v| v.to_string().replace('"', ""));
            let own = ["slot", "method", "name", "dof", "actuators"].map(own);
            let own = own.into_iter().flatten().collect::<Vec<_>>().join(" ");
            let label = format!("{label} {own}");
            for (key, inner) in map {
                let time = key == "wall_s" || key.starts_with("ns") || key.ends_with("_ns");
                match (key.as_str(), inner.as_f64()) {
                    ("steps_per_s", Some(rate)) => keep(times, &label, rate.recip()),
                    _ if time => collect(inner, &label, true, times),
                    _ if inner.is_object() || inner.is_array() => {
                        collect(inner, &label, is_time, times);
                    }
                    _ if is_time => collect(inner, &format!("{label} {key}"), true, times),
                    _ => {}
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|v| collect(v, label, is_time, times)),
        Value::Number(number) if is_time => keep(times, label, number.as_f64().unwrap_or(0.0)),
        _ => {}
    }
}

fn keep(times: &mut Times, label: &str, time: f64) {
    let label = label.split_whitespace().collect::<Vec<_>>().join(" ");
    let least = times.entry(label).or_insert(f64::INFINITY);
    *least = least.min(time);
}

/// New over old: the geometric mean over all times of the bench, and the times that moved most.
fn row(name: &str, old: &Times, new: &Times) -> Option<Value> {
    let both = old
        .iter()
        .filter_map(|(label, old)| Some((label, new.get(label)? / old)));
    let mut ratios: Vec<(&String, f64)> = both.filter(|(_, ratio)| ratio.is_finite()).collect();
    if ratios.is_empty() {
        return None;
    }
    ratios.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mean = (ratios.iter().map(|(_, r)| r.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let (least, most) = (ratios.first()?, ratios.last()?);
    Some(json!({
        "bench": name, "times": ratios.len(), "new_over_old": mean,
        "least": { "what": least.0, "ratio": least.1 }, "most": { "what": most.0, "ratio": most.1 },
    }))
}

fn show(row: &Value) {
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let name = row["bench"].as_str().unwrap_or_default();
    print!("{name:28} new/old {:6.3}", number(&row["new_over_old"]));
    if row["times"].as_u64() > Some(1) {
        let extreme = |key: &str| {
            let what = row[key]["what"].as_str().unwrap_or_default();
            format!("{:.3} {what}", number(&row[key]["ratio"]))
        };
        let (least, most) = (extreme("least"), extreme("most"));
        print!("  mean of {}; {least} … {most}", row["times"]);
    }
    println!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_wherever_a_bench_has_them() {
        let mut times = Times::new();
        let mut take = |text: &str| {
            collect(&serde_json::from_str(text).unwrap(), "", false, &mut times);
        };
        take(r#"{"method": "cr", "dof": 3, "ns_per_step": 20.0, "questions": 1}"#);
        take(r#"{"method": "cr", "dof": 3, "ns_per_step": 10.0}"#);
        take(r#"{"each_ns": {"energy": 5.0}, "by_dof": [{"dof": 10, "ns": 7.0}]}"#);
        take(r#"{"name": "elastic-12", "steps_per_s": 4.0, "wall_s": 2.0, "seconds": 9.0}"#);
        let found: Vec<(&str, f64)> = times.iter().map(|(l, t)| (l.as_str(), *t)).collect();
        // Of steps and wall time of one line the shorter one counts: both are of the same label.
        let expected = [
            ("10", 7.0),
            ("cr 3", 10.0),
            ("elastic-12", 0.25),
            ("energy", 5.0),
        ];
        assert_eq!(found, expected);
        let twice: Times = times.iter().map(|(l, t)| (l.clone(), 2.0 * t)).collect();
        let row = row("all", &times, &twice).unwrap();
        assert!((row["new_over_old"].as_f64().unwrap() - 2.0).abs() < 1e-12);
    }
}
