//! Which mutants the tests notice.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use super::Target;
use super::list::Mutant;
use super::tests::{End, Test, everywhere};
use crate::peers::{self, Install};
use crate::{Result, root};

/// What has become of every mutant tried so far, `{ kind, by, seconds }`: `caught`, `timed out`,
/// `missed`, `unviable`. It stands in a file after each of them, so that runs crate by crate add
/// up and one that is broken off loses nothing.
pub struct Outcomes {
    file: PathBuf,
    rows: BTreeMap<String, Value>,
}

impl Outcomes {
    /// Those of the runs before; none where there was none.
    pub fn read() -> Self {
        let file = root().join("target/mutants/outcomes.json");
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let rows = serde_json::from_str(&text).unwrap_or_default();
        Self { file, rows }
    }

    pub fn file(&self) -> &Path {
        &self.file
    }

    fn kind(&self, key: &str) -> &str {
        let row = self.rows.get(key);
        row.and_then(|row| row["kind"].as_str()).unwrap_or_default()
    }

    /// Whether it was missed, or never tried.
    pub fn is_missed(&self, key: &str) -> bool {
        matches!(self.kind(key), "" | "missed")
    }

    fn add(&mut self, key: &str, outcome: Value) -> Result<()> {
        self.rows.insert(key.to_owned(), outcome);
        let text = serde_json::to_string_pretty(&self.rows).map_err(|error| error.to_string())?;
        std::fs::write(&self.file, text)
            .map_err(|error| format!("{}: {error}", self.file.display()))
    }
}

/// Tries every mutant.
pub fn try_all(
    mutants: &[Mutant],
    tests: &[Test],
    budget: f64,
    outcomes: &mut Outcomes,
) -> Result<()> {
    let peers = peers::install(Install::LeaveSystem)?;
    let outcomes = Mutex::new((outcomes, 0));
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
        let mut outcomes = outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        outcomes.0.add(&mutant.key, outcome)?;
        outcomes.1 += 1;
        if outcomes.1 % 50 == 0 {
            println!("{} of {}", outcomes.1, mutants.len());
        }
        Ok(())
    })
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
        let limit = Duration::from_secs_f64(5.0 + 4.0 * test.seconds);
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
pub fn print(targets: &[&Target], sample: &[Mutant], outcomes: &Outcomes) {
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
                let of = sample
                    .iter()
                    .filter(|mutant| mutant.folder == target.folder);
                let of = of.filter(|mutant| mutant.file.contains(part));
                of.filter(|mutant| outcomes.kind(&mutant.key) == kind)
                    .count()
            };
            let [caught, late, missed] = ["caught", "timed out", "missed"].map(count);
            let all = caught + late + missed;
            if all == 0 {
                continue;
            }
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
