//! `tandem replay`.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;
use tandem_coordinator::replay::Replay as Compared;

use super::screen::ScreenArgs;
use super::{Failure, say};
use tandem_quantity::whole;

/// Run a recorded test again from its log and compare every channel bit by bit.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tandem replay runs/first
  tandem replay runs/first --json
  tandem replay runs/first --screen                play the record on the operator's screen instead

Exit codes: 0 identical, 3 different, 2 not a run.")]
pub struct Replay {
    /// Folder of the run.
    run: PathBuf,
    #[command(flatten)]
    screen: ScreenArgs,
    /// With --screen: play at this many times the speed of the test.
    #[arg(
        long,
        value_name = "FACTOR",
        default_value_t = 1.0,
        requires = "screen"
    )]
    pace: f64,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl Replay {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if !(1e-3..=1e3).contains(&self.pace) {
            return Err(Failure::Usage(
                "--pace takes a factor between 0.001 and 1000, such as 1 for real time".to_owned(),
            ));
        }
        if self.screen.play(&self.run, self.pace)? {
            return Ok(ExitCode::SUCCESS);
        }
        let bar = if !self.json && std::io::stderr().is_terminal() {
            ProgressBar::new(100)
        } else {
            ProgressBar::hidden()
        };
        let result = tandem::replay::replay(&self.run, &mut |share| {
            bar.set_position(whole(share * 100.0));
        });
        bar.finish_and_clear();
        let replay = result?;
        say(&if self.json {
            to_json(&replay).to_string()
        } else {
            match &replay.difference {
                None => format!(
                    "identical: {} ticks, {} channels, bit for bit",
                    replay.ticks, replay.channels
                ),
                Some(d) => format!(
                    "DIFFERENT from tick {} ({:.6} s): {} was {:e}, is now {:e}",
                    d.tick, d.time_s, d.signal, d.recorded, d.replayed
                ),
            }
        });
        Ok(ExitCode::from(if replay.difference.is_none() {
            0
        } else {
            3
        }))
    }
}

fn to_json(replay: &Compared) -> serde_json::Value {
    let mut value = json!({
        "identical": replay.difference.is_none(),
        "ticks": replay.ticks,
        "channels": replay.channels,
    });
    if let Some(difference) = &replay.difference {
        value["first_difference"] = json!({
            "tick": difference.tick,
            "time_s": difference.time_s,
            "signal": difference.signal,
            "recorded": difference.recorded,
            "replayed": difference.replayed,
        });
    }
    value
}
