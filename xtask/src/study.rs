//! `cargo xtask study …`: the table of docs/stability-warning.md, and runs that are killed.

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
    let ["stability-warning", numbers @ ..] = words.as_slice() else {
        return Err("there are two studies: stability-warning, kills".into());
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
        "{} cases, seed {}, bound {} %, {} % of it while growing: {} unstable, {} of them stopped, {} beyond 1.5 strokes before the stop (worst {:.2} reference peaks); \
         {} stable, {} of them stopped ({:.1} %).\n",
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
        "| delay over critical | stable runs | stopped | unstable runs | stopped | farthest, in reference peaks | farthest stable |"
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

/// Kills so many runs at random moments, half of them in stepped time at the pace of the wall clock, half by the real-time executor.
fn kills(arguments: &[&str]) -> Result<()> {
    let runs = match arguments {
        [] => "200",
        [runs] if runs.parse::<u64>().is_ok_and(|n| n > 0) => runs,
        _ => return Err("kills takes a number of runs".into()),
    };
    crate::run(
        std::process::Command::new("cargo")
            .current_dir(crate::root())
            .env("TANDEM_TEST_KILLS", runs)
            .args([
                "test",
                "--quiet",
                "--package",
                "tandem",
                "--test",
                "coordinator",
                "--",
            ])
            .args([
                "--exact",
                "interrupted::killed_runs_miss_a_tenth_of_a_second_at_most",
                "--nocapture",
            ]),
    )
}
