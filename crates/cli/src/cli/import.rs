//! `tandem import`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use tandem::plan::{self, Source};
use tandem::sections::ROOT;
use tandem_cosimulation as cosimulation;
use tandem_opensees::script::Weight;
use tandem_opensees::units::Units;
use tandem_opensees::{ImportError, Imported, Options, emit, read};

use tandem_fmi::{Archive, ssp::System};

use super::{Failure, complain, say};

/// Make a plan out of a model script of OpenSees (.tcl) or OpenSeesPy (.py), or of a system of FMUs
/// (.ssp).
#[derive(Args)]
#[command(after_help = "\
A script of Tcl is read by an evaluator, which opens files of the script's folder and nothing
else. A script of Python is a program: read it, then say --run. It runs in a copy of its folder for
60 s at most, and what it asks of OpenSeesPy is written down: neither OpenSees nor OpenSeesPy is
needed. What is not understood is listed with its line, on the terminal and on top of the plan.
OpenSees has no units; say what the script's are.

Examples:
  tandem import frame.tcl --units \"kN, m, s\" -o frame.toml
  tandem import frame.py --run --units \"kip, in, s\" -o frame.toml && tandem check frame.toml
  tandem import frame.py --run=.venv/bin/python -o frame.toml
  tandem import frame.tcl --json | jq .not_understood
  tandem import system.ssp --step 0.001 -o system.toml && tandem run system.toml")]
pub struct Import {
    /// The script, ending in .tcl or .py; or the system structure, ending in .ssp.
    script: PathBuf,
    /// File to write; without it the plan goes to standard output.
    #[arg(short, long, value_name = "PLAN")]
    output: Option<PathBuf>,
    /// Units of the script: force, length, time. Default: "N, m, s".
    #[arg(long, value_name = "FORCE, LENGTH, TIME")]
    units: Option<String>,
    /// Run a script of Python, with this one if it is named. Default: python3.
    #[arg(
        long,
        value_name = "PYTHON",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "python3"
    )]
    run: Option<PathBuf>,
    /// Which of the models to take where the script builds several, one after each `wipe`. Default:
    /// the one analysed last.
    #[arg(long, value_name = "N")]
    model: Option<usize>,
    /// Of a system structure: communication step, s. Default: a thousandth of its experiment.
    #[arg(long, value_name = "SECONDS")]
    step: Option<f64>,
    /// Replace the file if it is there.
    #[arg(long)]
    force: bool,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl Import {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if self.script.extension().is_some_and(|end| end == "ssp") {
            return self.system();
        }
        let units = match &self.units {
            Some(text) => Units::parse(text).map_err(ImportError::from)?,
            None => Units::default(),
        };
        let options = Options {
            units,
            python: self.run.clone(),
            model: self.model,
        };
        let mut imported = read(&self.script, &options)?;
        let written = emit::plan(&mut imported, self.output.as_deref());
        let problems = refusals(&written.plan, self.output.as_deref());
        if imported.is_useful()
            && let Some(path) = &self.output
        {
            write(path, &written.plan, self.force)?;
            if let Some((name, content)) = &written.motion {
                let beside = path.parent().unwrap_or(Path::new("")).join(name);
                write(&beside, content, self.force)?;
            }
        }
        if self.json {
            say(&self.report(&imported, &problems).to_string());
        } else {
            if self.output.is_none() && imported.is_useful() {
                say(written.plan.trim_end());
            }
            self.tell(&imported, &problems);
        }
        if imported.is_useful() {
            return Ok(ExitCode::SUCCESS);
        }
        if !self.json {
            complain(
                "error: nothing that could be built came out of the script: it needs nodes and \
                elements that are understood",
            );
        }
        Ok(ExitCode::from(2))
    }

    /// A system of FMUs as a plan of a co-simulation, with the FMUs in a folder beside it.
    fn system(&self) -> Result<ExitCode, Failure> {
        let Some(output) = &self.output else {
            return Err(Failure::Usage(
                "a system structure needs -o PLAN: its FMUs are written beside the plan".into(),
            ));
        };
        let mut archive = Archive::open(&self.script)?;
        let system = System::read(&mut archive)?;
        let stem = output.file_stem().unwrap_or_default().to_string_lossy();
        let folder = format!("{stem}-fmus");
        let scenario = cosimulation::of_system(&system, &folder, self.step)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        // Only what lies in the archive: a source may name any file of this machine.
        let inside = archive.files();
        if let Some((source, _)) = scenario.files.iter().find(|(s, _)| !inside.contains(s)) {
            return Err(Failure::Usage(format!(
                "`{source}` is not in {}; the sources of its components are files of the archive",
                self.script.display()
            )));
        }
        let unpacked = archive.unpack()?;
        write(output, &scenario.plan, self.force)?;
        let beside = output.parent().unwrap_or(Path::new("")).join(&folder);
        let cannot = |path: &Path| {
            let path = path.display().to_string();
            move |error| Failure::Other(format!("{path}: {error}"))
        };
        std::fs::create_dir_all(&beside).map_err(cannot(&beside))?;
        for (source, name) in &scenario.files {
            let from = unpacked.path().join(source);
            std::fs::copy(&from, beside.join(name)).map_err(cannot(Path::new(source)))?;
        }
        if self.json {
            say(&json!({
                "plan": output,
                "parts": system.components.len(),
                "connections": system.connections.len(),
                "not_understood": system.not_understood,
                "assumed": scenario.assumed,
            })
            .to_string());
            return Ok(ExitCode::SUCCESS);
        }
        complain(&format!(
            "{}: {} FMUs, {} connections",
            self.script.display(),
            system.components.len(),
            system.connections.len()
        ));
        for (title, list) in [
            ("not understood", &system.not_understood),
            ("assumed", &scenario.assumed),
        ] {
            for text in list {
                complain(&format!("  {title:<19} {text}"));
            }
        }
        complain(&format!(
            "Wrote {0}. Next: tandem run {0}",
            output.display()
        ));
        Ok(ExitCode::SUCCESS)
    }

    fn report(&self, imported: &Imported, problems: &[String]) -> Value {
        let list = |weight: Weight| -> Vec<Value> {
            let remarks = imported.remarks(weight);
            remarks
                .map(|remark| {
                    json!({
                        "file": imported.file(remark.place),
                        "line": remark.place.line,
                        "command": remark.command,
                        "reason": remark.reason,
                        "times": remark.times,
                    })
                })
                .collect()
        };
        json!({
            "plan": self.output,
            "units": imported.units.text(),
            "units_given": self.units.is_some(),
            "understood": imported.understood,
            "counts": imported.counts(),
            "not_understood": list(Weight::Missing),
            "assumed": list(Weight::Assumed),
            "ignored": list(Weight::Ignored),
            "accepted": imported.is_useful() && problems.is_empty(),
            "problems": problems,
        })
    }

    /// For people, on standard error, where it does not get in the way of the plan.
    fn tell(&self, imported: &Imported, problems: &[String]) {
        let counts: Vec<String> = imported
            .counts()
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(what, count)| format!("{what} {count}"))
            .collect();
        complain(&format!(
            "{}: {} commands understood ({})",
            self.script.display(),
            imported.understood,
            counts.join(", ")
        ));
        if self.units.is_none() {
            complain(
                "  UNITS               taken as N, m, s (kg, Pa): OpenSees scripts do not say; \
                give --units \"kN, m, s\" or what they are",
            );
        }
        for (weight, title) in [
            (Weight::Missing, "not understood"),
            (Weight::Assumed, "assumed"),
        ] {
            for remark in imported.remarks(weight) {
                complain(&format!(
                    "  {title:<19} {}  {}: {}",
                    imported.place(remark.place),
                    remark.command,
                    remark.reason
                ));
            }
        }
        let ignored: usize = imported
            .remarks(Weight::Ignored)
            .map(|remark| remark.times)
            .sum();
        if ignored > 0 {
            complain(&format!(
                "  left out            {ignored} commands of output and of the solution; --json \
                lists them"
            ));
        }
        if imported.dropped() > 0 {
            complain(&format!("  and {} more remarks", imported.dropped()));
        }
        for problem in problems.iter().filter(|_| imported.is_useful()) {
            complain(&format!("  the plan needs work {problem}"));
        }
        if let Some(path) = self.output.as_ref().filter(|_| imported.is_useful()) {
            complain(&format!(
                "Wrote {0}. Next: tandem check {0}",
                path.display()
            ));
        }
    }
}

/// What the plan reader says of the plan.
fn refusals(plan: &str, at: Option<&Path>) -> Vec<String> {
    let name = at.map_or("imported plan".to_owned(), |path| {
        path.display().to_string()
    });
    let source = Source::Text {
        name: &name,
        text: plan,
    };
    match plan::read(ROOT, source, &[]) {
        Ok(_) => Vec::new(),
        Err(refusal) => vec![refusal.to_text()],
    }
}

fn write(path: &Path, text: &str, replace: bool) -> Result<(), Failure> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true);
    if replace {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    options
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => Failure::Usage(format!(
                "{} is there already; take another name, or say --force",
                path.display()
            )),
            _ => Failure::Other(format!("{}: {error}", path.display())),
        })
}
