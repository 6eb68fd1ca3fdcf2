//! `tandem run`.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tandem::criteria::name;
use tandem::driven::Line;
use tandem::run::{Clock, Controls, Output, Run as Done};
use tandem::summary::{Deadlines, Outcome, Summary};
use tandem_coordinator::machine::Order;
use tandem_coordinator::{Limits, RunControls, SafetyGate, Stop};

use super::fmu::ENVIRONMENT;
use super::screen::{ScreenArgs, Shown};
use super::{Failure, PlanArgs, complain, cosimulation, leave, say, with_page};
use tandem_quantity::{Settings as _, format_number, whole};

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
Exit codes: 0 completed, 2 bad plan, 3 stopped by a limit or a verdict, 4 by Ctrl-C, 1 other \
failure.")]
pub struct Run {
    #[command(flatten)]
    plan: PlanArgs,
    /// Folder for the run; default: runs/ and the name of the test with date and time.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Run by the wall clock: absolute deadlines, real-time scheduling, locked memory. The summary
    /// then tells how the clock was kept.
    #[arg(long, conflicts_with = "pace")]
    realtime: bool,
    /// Run a virtual test at this many times real time (wall time of the plan); default: as fast as
    /// the machine can.
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
        let mut plan = self.plan.read()?;
        let limits = plan.values.optional_table("limits").map(Limits::read);
        let limits = limits
            .transpose()
            .map_err(|error| Failure::Plan(Box::new(plan.refuse(vec![error.within("limits")]))))?;
        let bounded = limits.is_some_and(|limits| limits.operator_timeout.is_some());
        // A co-simulation has no limits, and refuses an operator by name below.
        let coupled = plan.is_coupled();
        if self.screen.is_attended() && !bounded && !coupled {
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
        let (mut run_controls, console) = RunControls::with_console();
        run_controls.pace = self.pace;
        let shown = self
            .screen
            .attach(&plan, &mut run_controls, &console, self.realtime)?;
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
        let json = self.json;
        let tell = |line: Line<'_>| {
            bar.suspend(|| match line {
                Line::Listening(address) if json => complain(&format!("listening on {address}")),
                Line::Listening(address) => say(&format!("listening on {address}")),
                Line::Notice(text) => complain(text),
            });
        };
        // a share between 0 and 1
        let progress = |share: f64| bar.set_position(whole(share.clamp(0.0, 1.0) * 1000.0));
        let mut controls = Controls {
            clock,
            run_controls,
            progress: Box::new(progress),
            tell: Box::new(tell),
        };
        let output = Output::Folder {
            plan: &plan,
            at: self.out.as_deref(),
        };
        let test = plan.assemble_in(&ENVIRONMENT);
        let mut done = test.and_then(|test| test.run(output, &mut controls));
        drop(controls);
        let page = match &mut done {
            Ok(run) => tandem_report::write_page(&plan, run),
            Err(_) => Ok(()),
        };
        bar.finish_and_clear();
        if let (Some(shown), Ok(done)) = (shown, &done) {
            show_end(shown, done);
        }
        let done = done?;
        tell_refused(&done.summary);
        say(&if self.json {
            done.summary.to_json()
        } else if done.summary.coupling.is_some() {
            cosimulation::readable(&done.summary)
        } else {
            readable(&done.summary)
        });
        let code = ExitCode::from(match (done.stop, done.summary.outcome) {
            (Some(Stop::Operator | Stop::Emergency), _) => 4,
            (Some(_), _) | (None, Outcome::Stopped) => 3,
            (None, Outcome::Completed) => 0,
        });
        Ok(with_page(page, code))
    }
}

/// How the test ended, on the operator's page.
fn show_end(shown: Shown, done: &Done) {
    match &done.stop {
        None => {
            let text = "All steps are done; the report is written.";
            shown.finish(text, text, true);
        }
        Some(stop) => {
            let reason = done.summary.reason.as_deref().unwrap_or_default();
            let text = format!("Stopped: {reason}.");
            // The list of events has the sentence already.
            let event = if stop.is_told() {
                "The test was stopped; the report is written."
            } else {
                text.as_str()
            };
            shown.finish(&text, event, false);
        }
    }
}

/// What the system did not grant to the threads.
fn tell_refused(summary: &Summary) {
    let timing = summary.timing.as_ref();
    if let Some(deadlines) = timing.and_then(|timing| timing.deadlines.as_ref()) {
        let (rig, integration) = (&deadlines.rig, &deadlines.integration);
        let rig = rig.as_ref().map(|thread| thread.refused.as_slice());
        let integration = integration.as_ref().map(|thread| thread.refused.as_slice());
        for (thread, list) in [
            ("", Some(deadlines.refused.as_slice())),
            ("the rig's thread: ", rig),
            ("the integration's thread: ", integration),
        ] {
            for text in list.into_iter().flatten() {
                complain(&format!("warning: not in real time: {thread}{text}"));
            }
        }
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
fn readable(summary: &Summary) -> String {
    let mut text = format!("{}\n", summary.name);
    let mut line = |label: &str, value: String| {
        text.push_str(&format!("  {label:<32}{value}\n"));
    };
    let seconds = format_number(summary.simulated_s);
    line(
        "outcome",
        match (summary.outcome, summary.characterises) {
            (Outcome::Completed, true) => format!("completed, {seconds} s"),
            (Outcome::Completed, false) => {
                format!("completed, {seconds} s of structural time")
            }
            (Outcome::Stopped, _) => {
                let reason = summary.reason.as_deref().unwrap_or("");
                format!("STOPPED at {seconds} s: {reason}")
            }
        },
    );
    if let (Some(wall), Some(factor)) = (summary.wall_s, summary.realtime_factor) {
        let (wall, factor) = (format_number(wall), format_number(factor));
        line("wall time", format!("{wall} s, {factor} times real time"));
    }
    // Stepped time has no deadlines to tell of.
    let timing = summary.timing.as_ref();
    if let Some(deadlines) = timing.and_then(|timing| timing.deadlines.as_ref()) {
        line("loop time", loop_time(deadlines));
    }
    errors(summary, &mut line);
    if let Some(criteria) = &summary.criteria {
        let judged = criteria.iter().map(|(number, values)| {
            let texts: Vec<String> = values.iter().map(|x| format_number(*x)).collect();
            format!(
                "{} {} {}",
                name(number),
                texts.join(" "),
                criteria.unit(number)
            )
        });
        line("criteria, measured", judged.collect::<Vec<_>>().join(", "));
    }
    if let (Some(sw), Some(warning)) = (
        summary.stability_warning(),
        &summary.indicators.stability_warning,
    ) {
        line(
            "stability warning SW",
            match warning.first_over_100_s {
                Some(time) => format!(
                    "{sw:.2} % at most, over 100 % from {} s on: more is fed in than dissipated",
                    format_number(time)
                ),
                None => format!("{sw:.2} % at most (from 100 % on more is fed in than dissipated)"),
            },
        );
    }
    peaks(summary, &mut line);
    for (label, list) in [("warning", &summary.warnings), ("note", &summary.notes)] {
        for text in list {
            line(label, text.clone());
        }
    }
    let folder = summary.folder.display();
    line("report", format!("{folder}/report.html"));
    if summary.characterises && summary.outcome == Outcome::Completed {
        line(
            "next",
            format!("tandem identify transfer {folder} (or ats, or stiffness)"),
        );
    }
    text.trim_end().to_owned()
}

fn loop_time(deadlines: &Deadlines) -> String {
    let (compute, latency) = (deadlines.compute_us, deadlines.latency_us);
    let rig = deadlines.rig.as_ref().map(|thread| thread.missed);
    let integration = deadlines.integration.as_ref().map(|thread| thread.missed);
    let others = [("rig", rig), ("integration", integration)];
    let others = others
        .iter()
        .filter_map(|(who, missed)| missed.map(|n| (who, n)));
    let others: String = others
        .map(|(who, n)| format!(", {n} of the {who}"))
        .collect();
    format!(
        "compute {:.1} us (p50), {:.1} us (p99); wake-up {:.1} us (p50), {:.1} us (p99); \
         {} deadlines missed{others}",
        compute.p50, compute.p99, latency.p50, latency.p99, deadlines.missed,
    )
}

/// How far the test was from its targets and from the reference.
fn errors(summary: &Summary, line: &mut dyn FnMut(&str, String)) {
    let each = |values: &[Option<f64>], unit: &str| {
        let known = values.iter().flatten().filter(|x| x.is_finite());
        let list: Vec<String> = known.map(|x| format_number(*x)).collect();
        (!list.is_empty()).then(|| format!("{} {unit}", list.join(", ")))
    };
    if let Some(tracking) = &summary.tracking {
        if let Some(error) = each(&tracking.nrmse_percent, "% RMS") {
            let peak = each(&tracking.peak_percent, "% peak").unwrap_or_default();
            line("tracking error", format!("{error}, {peak}"));
        }
        if let Some(delay) = each(&tracking.delay_ms, "ms") {
            line("remaining delay", delay);
        }
        for text in &tracking.words {
            line("tracking in words", text.clone());
        }
    }
    for (name, text) in &summary.words {
        line(&name.replace('_', " "), text.clone());
    }
    if let Some(tracking) = &summary.tracking
        && let Some(damping) = each(&tracking.equivalent_damping_percent, "% in the first mode")
    {
        line("damping that errors add", damping);
    }
    if let Some(reference) = &summary.reference
        && let Some(error) = each(&reference.nrmse_percent, "% RMS")
    {
        line("error against reference", error);
    }
}

/// The largest value of every channel, in the order of their numbers: 2 before 10.
fn peaks(summary: &Summary, line: &mut dyn FnMut(&str, String)) {
    let mut channels: Vec<_> = summary.response.iter().collect();
    channels.sort_by_key(|(name, _)| {
        let (stem, number) = name.rsplit_once('/').unwrap_or((name, ""));
        (stem, number.parse::<u32>().unwrap_or(0))
    });
    for (name, response) in channels {
        let (factor, unit) = match response.unit.as_str() {
            "m" => (1e3, "mm"),
            "N" => (1e-3, "kN"),
            "rad" => (1e3, "mrad"),
            "N*m" => (1e-3, "kN*m"),
            _ => continue,
        };
        if response.peak.is_finite() {
            line(
                &format!("peak {}", name.replace('_', " ")),
                format!("{} {unit}", format_number(response.peak * factor)),
            );
        }
    }
}
