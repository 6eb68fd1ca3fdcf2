//! `cargo xtask study …`: the tables of docs/stability-warning.md, docs/tangent-stiffness.md and
//! docs/benchmarks.md, and runs that are killed.

use serde_json::Value;

use crate::{Result, bench};

/// Runs the study and prints its table as Markdown, or `--json` as one object.
pub fn run(arguments: &[&str]) -> Result<()> {
    let json = arguments.contains(&"--json");
    let words: Vec<&str> = arguments
        .iter()
        .copied()
        .filter(|word| *word != "--json")
        .collect();
    if let ["kills", rest @ ..] = words.as_slice() {
        return kills(rest);
    }
    if let ["problems", rest @ ..] = words.as_slice() {
        return crate::problems::run(rest, json);
    }
    if let ["tangent-stiffness", parts @ ..] = words.as_slice() {
        return tangent_stiffness(parts, json);
    }
    let ["stability-warning", numbers @ ..] = words.as_slice() else {
        return Err(
            "there are four studies: stability-warning, tangent-stiffness, problems, kills".into(),
        );
    };
    let mut call = vec!["stability-study"];
    call.extend_from_slice(numbers);
    let found = bench::measured(&call)?;
    if json {
        println!("{found}");
        return Ok(());
    }
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    println!(
        "{} cases, seed {}, bound {} %, {} % of it while growing: {} unstable, {} of them stopped, \
         {} beyond 1.5 strokes before the stop (worst {:.2} reference peaks); {} stable, {} of \
         them stopped ({:.1} %).\n",
        found["cases"],
        found["seed"],
        found["bound_percent"],
        found["growing_percent"],
        found["unstable"],
        found["unstable_stopped"],
        found["unstable_beyond_1.5_strokes"],
        number(&found["unstable_worst"]["reach"]),
        found["stable"],
        found["stable_stopped"],
        number(&found["stable_stopped_percent"])
    );
    println!(
        "| delay over critical | stable runs | stopped | unstable runs | stopped | farthest, in \
         reference peaks | farthest stable |"
    );
    println!("|---|---|---|---|---|---|---|");
    for band in found["bands"].as_array().into_iter().flatten() {
        let (stable, unstable) = (&band["stable"], &band["unstable"]);
        let high = band["severity"][1].as_f64();
        println!(
            "| {} | {} | {} | {} | {} | {:.2} | {:.2} |",
            match high {
                Some(high) => format!("{} to {high}", band["severity"][0]),
                None => format!("{} and more", band["severity"][0]),
            },
            stable["runs"],
            stable["stopped"],
            unstable["runs"],
            unstable["stopped"],
            number(&unstable["largest_reach"]),
            number(&stable["largest_reach"])
        );
    }
    Ok(())
}

/// Models 1 to 4 of Hung and El-Tawil 2009 with windows, control errors and unbalanced moments;
/// `parts` names some of these.
fn tangent_stiffness(parts: &[&str], json: bool) -> Result<()> {
    let (examples, folder) = (
        crate::root().join("examples/tangent-stiffness"),
        crate::root().join("target/study/tangent-stiffness"),
    );
    let (examples, folder) = (examples.display().to_string(), folder.display().to_string());
    let mut call = vec!["tangent-study", examples.as_str(), folder.as_str()];
    call.extend_from_slice(parts);
    let found = bench::measured(&call)?;
    if json {
        println!("{found}");
        return Ok(());
    }
    let rows = |part: &str| found["parts"][part].as_array().cloned().unwrap_or_default();
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let ends = |row: &Value| {
        let end = number(&row["simulated_s"]);
        match row["outcome"].as_str() {
            Some("completed") => format!("{end:.1}"),
            _ => format!("stopped at {end:.1}"),
        }
    };
    let models = rows("models");
    if !models.is_empty() {
        println!(
            "| plan | s | E_c, kJ | ratio to `osm` | RMS error, mm | of the peak | seconds of the \
             test | of the reference |"
        );
        println!("|---|---|---|---|---|---|---|---|");
    }
    for pair in models.chunks(2) {
        for row in pair {
            let plan = text(&row["plan"]);
            println!(
                "| `{plan}` | {} | {:.1} | {:.3} | {:.3} | {:.2} % | {:.1} | {:.1} |",
                ends(row),
                number(&row["Ec_kJ"]),
                number(&row["Ec_kJ"]) / number(&pair[0]["Ec_kJ"]),
                number(&row["rms_mm"]),
                number(&row["nrmse_percent"]),
                number(&row["seconds"]),
                number(&found["reference_seconds"][plan.replace("osm-us", "osm")])
            );
        }
    }
    for part in ["window", "rules", "errors"] {
        let rows = rows(part);
        if !rows.is_empty() {
            println!("\n| plan | | E_c, kJ | RMS error, % of the peak |");
            println!("|---|---|---|---|");
        }
        for row in rows {
            println!(
                "| `{}` | {} | {:.1} | {:.2} |",
                text(&row["plan"]),
                text(&row["label"]),
                number(&row["Ec_kJ"]),
                number(&row["nrmse_percent"])
            );
        }
    }
    let moments = rows("moment");
    if !moments.is_empty() {
        println!(
            "\n| plan | sum of both moments, % of the largest: mean | most | out of balance: mean \
             | most |"
        );
        println!("|---|---|---|---|---|");
    }
    for row in moments {
        let last = |key: &str| {
            let list = row["unbalanced"][key]
                .as_array()
                .cloned()
                .unwrap_or_default();
            100.0 * list.last().map_or(f64::NAN, number)
        };
        println!(
            "| `{}` | {:.3} | {:.2} | {:.3} | {:.2} |",
            text(&row["plan"]),
            last("sum_mean_of_peak"),
            last("sum_max_of_peak"),
            last("remaining_mean_of_peak"),
            last("remaining_max_of_peak")
        );
    }
    println!("\nFigures: {}", text(&found["page"]));
    Ok(())
}

/// The test that kills, and says how much was missing.
const KILLS: &str = "coordinator::interrupted::killed_runs_miss_a_tenth_of_a_second_at_most";

/// Kills so many runs at random moments, half of them in stepped time at the pace of the wall
/// clock, half by the real-time executor.
fn kills(arguments: &[&str]) -> Result<()> {
    let runs = match arguments {
        [] => "200",
        [runs] if runs.parse::<u64>().is_ok_and(|n| n > 0) => runs,
        _ => return Err("kills takes a number of runs".into()),
    };
    let mut command = std::process::Command::new("cargo");
    command
        .current_dir(crate::root())
        .env("TANDEM_TEST_KILLS", runs)
        // One package alone would be built with other features of its dependencies, and anew.
        .args(["test", "--quiet", "--workspace", "--test", "it", "--"])
        .args(["--exact", KILLS, "--nocapture"]);
    let output = command.stderr(std::process::Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cargo: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    print!("{said}");
    if output.status.success() && said.contains("1 passed") {
        Ok(())
    } else {
        Err(format!("{KILLS} failed, or is there no more"))
    }
}
