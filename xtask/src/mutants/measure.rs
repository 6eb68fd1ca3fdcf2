//! Which mutants the tests notice.

use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};

use super::Target;
use super::list::Mutant;
use super::tests::{End, Test, everywhere};
use crate::Result;
use crate::peers::{self, Install};

/// Tries every mutant; `{ kind, by, seconds }` for each: `caught`, `timed out`, `missed`,
/// `unviable`.
pub fn try_all(mutants: &[Mutant], tests: &[Test], budget: f64) -> Result<Vec<Value>> {
    let peers = peers::install(Install::LeaveSystem)?;
    let outcomes = Mutex::new(vec![Value::Null; mutants.len()]);
    everywhere(mutants.len(), |number| {
        let mutant = &mutants[number];
        let outcome = if mutant.viable {
            try_one(number, tests, &peers, budget)?
        } else {
            json!({ "kind": "unviable" })
        };
        if outcome["kind"] == "missed" {
            println!("missed: {} ({} tests)", mutant.name, outcome["tests"]);
        }
        let mut outcomes = outcomes
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        outcomes[number] = outcome;
        let done = outcomes.iter().filter(|outcome| !outcome.is_null()).count();
        if done % 50 == 0 {
            println!("{done} of {}", mutants.len());
        }
        Ok(())
    })?;
    Ok(outcomes
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner))
}

fn try_one(number: usize, tests: &[Test], peers: &peers::Peers, budget: f64) -> Result<Value> {
    let reaching = tests.iter().filter(|test| test.reaches[number]);
    let reaching: Vec<&Test> = reaching.collect();
    let mut spent = 0.0;
    let mut tried = 0;
    for test in &reaching {
        // One always runs, however long it takes.
        if tried > 0 && spent + test.seconds > budget {
            break;
        }
        tried += 1;
        spent += test.seconds;
        let limit = Duration::from_secs_f64(10.0 + 8.0 * test.seconds);
        let variables = [("MUTANT", number.to_string())];
        // Twice: a test may fail, or be late, because the machine is busy.
        if test.run(peers, &variables, limit)? == End::Passed {
            continue;
        }
        let kind = match test.run(peers, &variables, limit)? {
            End::Passed => continue,
            End::Failed => "caught",
            End::TimedOut => "timed out",
        };
        return Ok(json!({ "kind": kind, "by": test.name, "seconds": spent }));
    }
    Ok(json!({ "kind": "missed", "tests": tried, "of": reaching.len(), "seconds": spent }))
}

/// The table by rooms.
pub fn print(targets: &[&Target], mutants: &[Mutant], outcomes: &[Value]) {
    println!("\n| room | mutants | caught | timed out | missed | noticed | goal |");
    println!("|---|---|---|---|---|---|---|");
    for target in targets {
        let parts: &[&str] = if target.files.is_empty() {
            &[""]
        } else {
            target.files
        };
        for part in parts {
            let count = |kind: &str| {
                let of = mutants.iter().zip(outcomes);
                let of = of.filter(|(m, _)| m.folder == target.folder && m.file.contains(part));
                of.filter(|(_, outcome)| outcome["kind"] == kind).count()
            };
            let [caught, late, missed] = ["caught", "timed out", "missed"].map(count);
            let all = caught + late + missed;
            if all == 0 {
                continue;
            }
            #[allow(clippy::cast_precision_loss)] // some hundred
            let share = 100.0 * (caught + late) as f64 / all as f64;
            let room = format!("{} {}", target.folder, part.trim_matches('/'));
            let goal = target.goal;
            println!(
                "| {} | {all} | {caught} | {late} | {missed} | {share:.1} % | {goal} % |",
                room.trim()
            );
        }
    }
}
