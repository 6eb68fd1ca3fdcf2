//! `cargo xtask mutants`: would the tests notice, if the code were wrong?
//!
//! cargo-mutants names the mutants. Instead of building the workspace once for each of them, all of
//! a sample are built into one tree, behind a switch that an environment variable turns: a function
//! with mutants holds its body once for each. Every test then runs once to learn which mutants it
//! reaches, and for a mutant only those run, the quickest first, until one fails. So the tests of
//! the crates above count, and a thousand mutants take an hour instead of a week.

mod list;
mod measure;
mod switch;
mod tests;

use std::path::PathBuf;

use list::Mutant;
use measure::Outcomes;

use crate::{Result, root};

/// What is mutated: files of a package, and how many of its mutants.
pub struct Target {
    /// Folder in `crates`.
    folder: &'static str,
    /// Parts of paths below its `src`; all where there is none.
    files: &'static [&'static str],
    /// Mutants that are drawn; all where it is 0.
    sample: usize,
    /// Share that the tests shall notice, in per cent.
    goal: f64,
}

impl Target {
    fn package(&self) -> String {
        format!("tandem-{}", self.folder)
    }
}

const TARGETS: &[Target] = &[
    Target {
        folder: "safety",
        files: &[],
        sample: 0,
        goal: 95.0,
    },
    Target {
        folder: "monitor",
        files: &[],
        sample: 300,
        goal: 85.0,
    },
    Target {
        folder: "transfer",
        files: &["/compensator/", "/command/"],
        sample: 300,
        goal: 85.0,
    },
    Target {
        folder: "integrator",
        files: &[],
        sample: 300,
        goal: 85.0,
    },
    Target {
        folder: "coordinator",
        files: &[],
        sample: 300,
        goal: 85.0,
    },
];

/// How the sample is drawn where nobody says otherwise.
const SEED: u64 = 1;
/// Seconds of tests that a mutant must survive to count as missed.
const BUDGET: f64 = 30.0;

/// Settings of a run.
struct Settings {
    seed: u64,
    budget: f64,
    /// Crates; all where there is none.
    only: Vec<String>,
    /// Only what no run so far has noticed.
    missed: bool,
    /// Only by the tests of the crates themselves, which are built soon.
    own: bool,
}

/// The tree in which the mutants are built.
fn tree() -> PathBuf {
    root().join("target/mutants/tree")
}

/// Makes, builds and tries the mutants, and prints the table of `docs/testing.md`.
pub fn run(words: &[&str]) -> Result<()> {
    let settings = read(words)?;
    let targets = TARGETS.iter().filter(|target| {
        let only = &settings.only;
        only.is_empty() || only.iter().any(|name| name == target.folder)
    });
    let targets: Vec<&Target> = targets.collect();
    if targets.is_empty() {
        return Err(format!("no such crate: {}", settings.only.join(", ")));
    }
    list::install()?;
    list::copy_tree()?;
    let sample = list::mutants(&targets, &settings)?;
    let mut outcomes = Outcomes::read();
    let again = |mutant: &Mutant| !settings.missed || outcomes.is_missed(&mutant.key);
    let mut mutants: Vec<Mutant> = sample.iter().filter(|m| again(m)).cloned().collect();
    println!("{} mutants", mutants.len());
    let unviable = switch::build_in(&targets, &mut mutants)?;
    println!(
        "{unviable} do not compile, {} are left",
        mutants.len() - unviable
    );
    let packages: Vec<String> = if settings.own {
        targets.iter().map(|target| target.package()).collect()
    } else {
        Vec::new()
    };
    let tests = tests::all(&mutants, &packages)?;
    measure::try_all(&mutants, &tests, settings.budget, &mut outcomes)?;
    measure::print(&targets, &sample, &outcomes);
    println!("\neach with what noticed it: {}", outcomes.file().display());
    Ok(())
}

fn read(words: &[&str]) -> Result<Settings> {
    let mut settings = Settings {
        seed: SEED,
        budget: BUDGET,
        only: Vec::new(),
        missed: false,
        own: false,
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut number = || {
            let text = words.next().ok_or(format!("{word} wants a number"))?;
            text.parse::<f64>()
                .map_err(|_| format!("{word} {text}: not a number"))
        };
        match *word {
            "--seed" => {
                #[allow(clippy::cast_possible_truncation)] // a small one
                let seed = number()? as u64;
                settings.seed = seed;
            }
            "--budget" => settings.budget = number()?,
            "--missed" => settings.missed = true,
            "--own" => settings.own = true,
            name if !name.starts_with('-') => settings.only.push(name.to_owned()),
            other => return Err(format!("unknown word `{other}`")),
        }
    }
    Ok(settings)
}
