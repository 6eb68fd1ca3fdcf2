//! `tandem run`.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use tandem::driven::Line;
use tandem::run::Clock;
use tandem::summary::{CHARACTERISES, largest_stability_warning};
use tandem_coordinator::machine::Order;
use tandem_coordinator::{SafetyGate, Seams, Stop};

use super::screen::ScreenArgs;
use super::{Failure, PlanArgs, complain, leave, say};

/// Run the test that the plan describes; without PLAN, the built-in quick start.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tandem run
  tandem run examples/quick-start/plan.toml --out runs/first
  tandem run my.toml --set compensator.method=none --json
  tandem run my.toml --realtime                          by the wall clock, as in the laboratory
  tandem run my.toml --pace 10                           a virtual test at ten times real time
  tandem run my.toml --screen --pace 1                   with the operator's screen in a browser

Ctrl-C stops the test; what was recorded is kept and reported.
Exit codes: 0 completed, 2 bad plan, 3 stopped by a limit or a verdict, 4 by Ctrl-C, 1 other failure.")]
pub struct Run {
    #[command(flatten)]
    plan: PlanArgs,
    /// Folder for the run; default: runs/ and the name of the test with date and time.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Run by the wall clock: absolute deadlines, real-time scheduling, locked memory. The summary then tells how the clock was kept.
    #[arg(long, conflicts_with = "pace")]
    realtime: bool,
    /// Run a virtual test at this many times real time (wall time of the plan); default: as fast as the machine can.
    #[arg(long, value_name = "FACTOR")]
    pace: Option<f64>,
    #[command(flatten)]
    screen: ScreenArgs,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl Run {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if let Some(path) = self.plan.plan.as_deref()
            && tandem::cosimulation::is_one(path)
        {
            if self.realtime || self.pace.is_some() {
                return Err(Failure::Usage(
                    "a co-simulation runs as fast as the machine can, not by the wall clock: leave --realtime and --pace out, or put the FMU into a test \
                     as structure, rig or compensator (docs/fmi.md)"
                        .to_owned(),
                ));
            }
            let bar = bar(self.json);
            let out = self.out.as_deref();
            return super::cosimulation::go(path, &self.plan.overrides, out, self.json, &bar);
        }
        let mut plan = self.plan.read()?;
        let limits = plan.values.optional_table("limits");
        if self.screen.is_attended() && !limits.is_some_and(|t| t.has("operator_timeout")) {
            // An operator who is expected may be lost: the recorded plan says after how long.
            let mut attended = self.plan.clone();
            let bound = SafetyGate::OPERATOR_TIMEOUT;
            let key = format!("limits.operator_timeout=\"{bound} s\"");
            attended.overrides.push(key);
            plan = attended.read()?;
        }
        if self.pace.is_some_and(|pace| !(1e-3..=1e6).contains(&pace)) {
            return Err(Failure::Usage(
                "--pace takes a factor between 0.001 and 1000000, such as 1 for real time"
                    .to_owned(),
            ));
        }
        let (mut seams, console) = Seams::with_console();
        seams.pace = self.pace;
        let shown = self
            .screen
            .attach(&plan, &mut seams, &console, self.realtime)?;
        // Ctrl-C stops the test in an orderly way; a second one ends the program.
        let stopping = AtomicBool::new(false);
        let _ = ctrlc::set_handler(move || {
            console.give(Order::Stop);
            if stopping.swap(true, Ordering::Relaxed) {
                leave(4);
            }
        });
        let bar = bar(self.json);
        let clock = if self.realtime {
            Clock::RealTime
        } else {
            Clock::Stepped
        };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // a share between 0 and 1
        let done = tandem::run::run_by(
            clock,
            &plan,
            self.out.as_deref(),
            &mut |share| bar.set_position((share.clamp(0.0, 1.0) * 1000.0) as u64),
            &mut seams,
            &|line| {
                bar.suspend(|| match line {
                    Line::Listening(address) if self.json => {
                        complain(&format!("listening on {address}"));
                    }
                    Line::Listening(address) => say(&format!("listening on {address}")),
                    Line::Notice(text) => complain(text),
                });
            },
        );
        bar.finish_and_clear();
        if let (Some(shown), Ok(done)) = (shown, &done) {
            match &done.stop {
                None => {
                    let text = "All steps are done; the report is written.";
                    shown.finish(text, text, true);
                }
                Some(stop) => {
                    let reason = done.summary["reason"].as_str().unwrap_or_default();
                    let text = format!("Stopped: {reason}.");
                    // The list of events has the sentence already.
                    let event = match stop.is_told() {
                        true => "The test was stopped; the report is written.",
                        false => text.as_str(),
                    };
                    shown.finish(&text, event, false);
                }
            }
        }
        let done = done?;
        let timing = &done.summary["timing"];
        for (thread, list) in [
            ("", &timing["refused"]),
            ("the rig's thread: ", &timing["rig"]["refused"]),
            (
                "the integration's thread: ",
                &timing["integration"]["refused"],
            ),
        ] {
            for text in list.as_array().into_iter().flatten() {
                let text = text.as_str().unwrap_or_default();
                complain(&format!("warning: not in real time: {thread}{text}"));
            }
        }
        say(&if self.json {
            done.summary.to_string()
        } else {
            readable(&done.summary)
        });
        Ok(ExitCode::from(match done.stop {
            None => 0,
            Some(Stop::Operator | Stop::Emergency) => 4,
            Some(_) => 3,
        }))
    }
}

/// A bar on a terminal; nothing elsewhere.
fn bar(json: bool) -> ProgressBar {
    if json || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(1000);
    if let Ok(style) = ProgressStyle::with_template(
        "{spinner} {bar:40.cyan/blue} {percent:>3} % {elapsed} left {eta}",
    ) {
        bar.set_style(style);
    }
    bar
}

/// A short summary for people.
fn readable(summary: &Value) -> String {
    let mut text = String::new();
    let mut line = |label: &str, value: String| {
        text.push_str(&format!("  {label:<32}{value}\n"));
    };
    let number = |value: &Value| value.as_f64().map(tandem::report::engineering);
    let each = |value: &Value, unit: &str| {
        let list: Vec<_> = value
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(number)
            .collect();
        (!list.is_empty()).then(|| format!("{} {unit}", list.join(", ")))
    };
    let seconds = number(&summary["simulated_s"]).unwrap_or_default();
    if summary["outcome"] == "completed" {
        let time = match summary.get(CHARACTERISES) {
            Some(_) => "",
            None => " of structural time",
        };
        line("outcome", format!("completed, {seconds} s{time}"));
    } else {
        line(
            "outcome",
            format!(
                "STOPPED at {seconds} s: {}",
                summary["reason"].as_str().unwrap_or("")
            ),
        );
    }
    if let (Some(wall), Some(factor)) = (
        number(&summary["wall_s"]),
        number(&summary["realtime_factor"]),
    ) {
        line("wall time", format!("{wall} s, {factor} times real time"));
    }
    let timing = &summary["timing"];
    // Stepped time has no deadlines to tell of.
    if timing["compute_us"]["p50"].is_number() {
        let of = |what: &str, key: &str| timing[what][key].as_f64().unwrap_or_default();
        line(
            "loop time",
            format!(
                "compute {:.1} us (p50), {:.1} us (p99); wake-up {:.1} us (p50), {:.1} us (p99); {} deadlines missed{}",
                of("compute_us", "p50"),
                of("compute_us", "p99"),
                of("latency_us", "p50"),
                of("latency_us", "p99"),
                timing["missed"],
                ["rig", "integration"]
                    .iter()
                    .filter_map(|who| Some(format!(
                        ", {} of the {who}",
                        timing[who]["missed"].as_u64()?
                    )))
                    .collect::<String>()
            ),
        );
    }
    let tracking = &summary["tracking"];
    if let Some(error) = each(&tracking["nrmse_percent"], "% RMS") {
        let peak = each(&tracking["peak_percent"], "% peak").unwrap_or_default();
        line("tracking error", format!("{error}, {peak}"));
    }
    if let Some(delay) = each(&tracking["delay_ms"], "ms") {
        line("remaining delay", delay);
    }
    for text in tracking["words"].as_array().into_iter().flatten() {
        line("tracking in words", text.as_str().unwrap_or("").to_owned());
    }
    for (name, text) in summary["words"].as_object().into_iter().flatten() {
        line(
            &name.replace('_', " "),
            text.as_str().unwrap_or("").to_owned(),
        );
    }
    if let Some(damping) = each(
        &tracking["equivalent_damping_percent"],
        "% in the first mode",
    ) {
        line("damping that errors add", damping);
    }
    if let Some(error) = each(&summary["reference"]["nrmse_percent"], "% RMS") {
        line("error against reference", error);
    }
    let criteria = &summary["criteria"];
    let ten = criteria.get("J10").is_some();
    let judged = tandem::bench::names(criteria).into_iter().map(|name| {
        let values = tandem::bench::values(criteria, &name);
        let texts: Vec<String> = values
            .into_iter()
            .map(tandem::report::engineering)
            .collect();
        let unit = tandem::bench::unit(&name, ten);
        format!("{name} {} {unit}", texts.join(" "))
    });
    let judged: Vec<String> = judged.collect();
    if !judged.is_empty() {
        line("criteria, measured", judged.join(", "));
    }
    if let Some(sw) = largest_stability_warning(summary) {
        line(
            "stability warning SW",
            match summary["indicators"]["SW"]["first_over_100_s"].as_f64() {
                Some(time) => format!(
                    "{sw:.2} % at most, over 100 % from {} s on: more is fed in than dissipated",
                    tandem::report::engineering(time)
                ),
                None => format!("{sw:.2} % at most (from 100 % on more is fed in than dissipated)"),
            },
        );
    }
    // In the order of their numbers: 2 before 10.
    let mut channels: Vec<_> = summary["response"]
        .as_object()
        .into_iter()
        .flatten()
        .collect();
    channels.sort_by_key(|(name, _)| {
        let (stem, number) = name.rsplit_once('/').unwrap_or((name, ""));
        (stem, number.parse::<u32>().unwrap_or(0))
    });
    for (name, value) in channels {
        let (factor, unit) = match value["unit"].as_str() {
            Some("m") => (1e3, "mm"),
            Some("N") => (1e-3, "kN"),
            Some("rad") => (1e3, "mrad"),
            Some("N*m") => (1e-3, "kN*m"),
            _ => continue,
        };
        if let Some(peak) = value["peak"].as_f64() {
            line(
                &format!("peak {}", name.replace('_', " ")),
                format!("{} {unit}", tandem::report::engineering(peak * factor)),
            );
        }
    }
    for (label, key) in [("warning", "warnings"), ("note", "notes")] {
        for text in summary[key]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            line(label, text.to_owned());
        }
    }
    let folder = summary["folder"].as_str().unwrap_or("");
    line("report", format!("{folder}/report.html"));
    if summary.get(CHARACTERISES).is_some() && summary["outcome"] == "completed" {
        line(
            "next",
            format!("tandem identify transfer {folder} (or ats, or stiffness)"),
        );
    }
    format!(
        "{}\n{}",
        summary["name"].as_str().unwrap_or(""),
        text.trim_end()
    )
}
