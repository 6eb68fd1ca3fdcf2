//! `tandem drill`.

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Args;
use indicatif::ProgressBar;
use tandem::drill::Drill as Done;

use super::{Failure, PlanArgs, say};
use tandem_quantity::whole;

/// Try every fault that the plan can meet on a rehearsal of it: who notices, what happens, how
/// fast.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tandem drill examples/quick-start/plan.toml
  tandem drill my.toml --json

Each fault strikes where the command is fastest. Exit codes: 0 every fault was noticed and no \
limit was crossed after it,
3 otherwise, 2 bad plan.")]
pub struct Drill {
    #[command(flatten)]
    plan: PlanArgs,
    /// Print one JSON array on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl Drill {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let plan = self.plan.read()?;
        let bar = if !self.json && std::io::stderr().is_terminal() {
            ProgressBar::new(100)
        } else {
            ProgressBar::hidden()
        };
        let done = tandem::drill::drill(&plan, &mut |share| bar.set_position(whole(share * 100.0)));
        bar.finish_and_clear();
        let done = done?;
        say(&if self.json {
            serde_json::to_string(&done.rows()).unwrap_or_default()
        } else {
            readable(&done)
        });
        Ok(ExitCode::from(if done.is_passed() { 0 } else { 3 }))
    }
}

fn readable(drill: &Done) -> String {
    let mut text = format!(
        "{:<45} {:<20} {:<10} {:>12} {:>14} {:>11}\n",
        "fault", "detector", "action", "to hold, ms", "command, mm", "violations"
    );
    for row in &drill.faults {
        let trial = &row.trial;
        let held = trial
            .held_after
            .map_or("-".to_owned(), |time| format!("{:.2}", time * 1e3));
        text.push_str(&format!(
            "{:<45} {:<20} {:<10} {held:>12} {:>14.3} {:>11}\n",
            drill.describe(&row.fault),
            trial.detector.unwrap_or("NOT NOTICED"),
            trial.action,
            trial.peak_command * 1e3,
            trial.violations
        ));
    }
    for (kind, why) in &drill.left_out {
        text.push_str(&format!("{:<45} left out: {why}\n", kind.words));
    }
    let noticed = drill
        .faults
        .iter()
        .filter(|row| row.trial.detector.is_some());
    let violations: u64 = drill.faults.iter().map(|row| row.trial.violations).sum();
    text.push_str(&format!(
        "\n{} of {} faults noticed, {violations} commands beyond a limit.",
        noticed.count(),
        drill.faults.len(),
    ));
    for (i, moments) in drill.moments.iter().enumerate() {
        let whose = match (drill.moments.len(), i) {
            (1, _) => String::new(),
            (_, 0) => " of actuator 1 and of the whole rig".to_owned(),
            _ => format!(" of actuator {}", i + 1),
        };
        text.push_str(&format!(
            "\nEach fault{whose} strikes at {:.3} s, where the command is fastest, some also at \
            {:.3} s, \
             where it has hardly begun.",
            moments.at, moments.early
        ));
    }
    text
}
