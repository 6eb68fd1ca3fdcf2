//! `cargo xtask study stability-warning`: the table of docs/stability-warning.md.

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
    let ["stability-warning", numbers @ ..] = words.as_slice() else {
        return Err("there is one study: stability-warning".into());
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
