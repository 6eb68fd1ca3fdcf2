//! `tandem check`.

use std::path::PathBuf;
use std::process::ExitCode;

use std::time::Duration;

use clap::Args;
use serde_json::json;
use tandem::assemble::{Test, driven, self_stepping};
use tandem::check::{
    Check as Checked, CriticalDelay, DetectorWithoutBound, check, without_bound_text,
};
use tandem::plan::Plan;
use tandem::summary::Percentiles;
use tandem_coordinator::Limit;
use tandem_coordinator::realtime::{self, measure_latency};
use tandem_integrator::SLOT;
use tandem_structure::Structure;

use super::{Failure, PlanArgs, check_page, say};
use tandem_quantity::{Settings as _, Slot as _, format_number, index, settings};

/// Check a plan before anything moves: is it right, and what will happen?
#[derive(Args)]
#[command(after_help = "\
Examples:
  tandem check examples/quick-start/plan.toml
  tandem check my.toml --report check.html      also a page with the stability map and the demands
  tandem check --rt                             can this machine keep a clock?")]
pub struct Check {
    #[command(flatten)]
    plan: PlanArgs,
    /// Also write the figures as one self-contained HTML page.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Instead of a plan, look at this machine: how late does it wake a real-time thread up, and
    /// which rate can it carry?
    #[arg(long)]
    rt: bool,
    /// How long --rt measures, s.
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    seconds: f64,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl Check {
    pub fn run(self) -> Result<ExitCode, Failure> {
        if self.rt {
            return machine(self.seconds, self.json);
        }
        check_page(self.report.as_deref())?;
        let plan = self.plan.read()?;
        if plan.is_coupled() {
            self.without_page("a co-simulation")?;
            return super::cosimulation::look(&plan, self.json);
        }
        if let Some(driver) = Driver::of(&plan)? {
            self.without_page("a test that another program drives")?;
            return driven(&plan, &driver, self.json);
        }
        if self_stepping::selected_by(&plan.values) {
            self.without_page("a test whose structure integrates by itself")?;
            return with_fmu(&plan, self.json);
        }
        let checked = check(&plan)?;
        if let Some(path) = &self.report {
            let page = tandem_report::of_check(&plan, &checked);
            std::fs::write(path, page).map_err(|error| {
                Failure::Other(format!("cannot write {}: {error}", path.display()))
            })?;
        }
        if self.json {
            let mut value = json!(checked.summary());
            if let Some(path) = &self.report {
                value["report"] = json!(path);
            }
            say(&value.to_string());
        } else {
            tell(&checked);
            if let Some(path) = &self.report {
                say(&format!("Report: {}", path.display()));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

settings! {
    /// The program that drives a test from outside, as far as people are told of it.
    pub(super) struct Driver {
        /// which program it is
        pub(super) driver: String = text(),
        /// where it is listened for
        address: String = text(),
    }
}

impl Driver {
    /// The driver of a plan, where another program integrates.
    pub(super) fn of(plan: &Plan) -> Result<Option<Self>, Failure> {
        let table = plan.values.optional_table("integration");
        let outside = table.filter(|table| SLOT.chosen(table) == Some(driven::NAME));
        let read = outside.map(Self::read).transpose();
        read.map_err(|error| {
            let refusal = plan.refuse(vec![error.within("integration")]);
            Failure::Plan(Box::new(refusal))
        })
    }
}

impl Check {
    /// Refuses the page where there is nothing to show on it.
    fn without_page(&self, what: &str) -> Result<(), Failure> {
        match self.report {
            None => Ok(()),
            Some(_) => Err(Failure::Usage(format!(
                "{what} has no page before it runs: leave --report out"
            ))),
        }
    }
}

/// A test that another program drives: its structure lives there, so that only the plan's own side
/// can be looked at.
fn driven(plan: &Plan, driver: &Driver, json: bool) -> Result<ExitCode, Failure> {
    let test = plan.assemble()?;
    let Driver { driver, address } = driver;
    let unbounded = Limit::without_bound(plan.values.optional_table("limits"));
    if json {
        let value = json!({
            "name": test.name,
            "driver": driver,
            "address": address,
            "dof": test.outline.whole.properties().dof(),
            "actuators": test.physical.actuators,
            "dt_s": test.outline.dt,
            "limits": limits(plan),
            "detectors_without_bound": DetectorWithoutBound::all(&unbounded),
            "warnings": test.warnings,
        });
        say(&value.to_string());
        return Ok(ExitCode::SUCCESS);
    }
    say(&test.name);
    let line = |label: &str, text: String| say(&format!("  {label:<19} {text}"));
    line(
        "driver",
        format!(
            "{driver}, which has the structure and the ground motion; \
             it will be listened for on {address}"
        ),
    );
    line(
        "specimen",
        format!(
            "{} degrees of freedom, {} actuators",
            test.outline.whole.properties().dof(),
            test.physical.actuators
        ),
    );
    line(
        "way to a target",
        format!(
            "{} ms of structural time",
            format_number(1e3 * test.outline.dt)
        ),
    );
    tell_limits(plan, &test);
    say(
        "The plan is valid. Critical delay and demand cannot be foretold: the structure is not \
        known here.",
    );
    Ok(ExitCode::SUCCESS)
}

/// Names of the limits that the plan sets.
fn limits(plan: &Plan) -> Vec<&str> {
    let table = plan.values.optional_table("limits");
    table
        .map(|table| table.iter().map(|(key, _)| key).collect())
        .unwrap_or_default()
}

/// What would stop a test whose structure is not known here, and what to be aware of.
fn tell_limits(plan: &Plan, test: &Test) {
    let line = |label: &str, text: String| say(&format!("  {label:<19} {text}"));
    let limits = limits(plan);
    if limits.is_empty() {
        line(
            "warning",
            "There are no [limits]: nothing but a value that is not finite would stop the test."
                .to_owned(),
        );
    } else {
        line("limits", limits.join(", "));
    }
    let unbounded = Limit::without_bound(plan.values.optional_table("limits"));
    if let Some(text) = without_bound_text(&unbounded) {
        line("without bound", text);
    }
    for text in &test.warnings {
        line("warning", text.clone());
    }
}

/// A test whose structure is an FMU that integrates by itself: nothing is known of it beforehand
/// but when its force acts.
fn with_fmu(plan: &Plan, json: bool) -> Result<ExitCode, Failure> {
    let test = plan.assemble()?;
    let age = test.held_force_delay();
    let n = test.outline.interface.len();
    // In structural time: that is where the damper would stand.
    let delay = age / test.outline.timing.time_scale;
    let damping: Vec<f64> = (0..n)
        .map(|i| -delay * test.physical.specimen.stiffness[i * n + i])
        .collect();
    let labels: Vec<&str> = test
        .outline
        .interface
        .iter()
        .map(|dof| test.outline.whole.properties().label(*dof))
        .collect();
    // An inertia force that comes a step late grows without bound, however short the step, once the
    // specimen is the heavier of the two.
    let heaviest = (0..n).fold(0.0_f64, |m, i| {
        m.max(test.physical.specimen.mass[i * n + i])
    });
    let inertia = (heaviest > 0.0).then(|| {
        format!(
            "the specimen's mass, up to {} kg, acts through a force of the last step: the FMU must \
            be clearly heavier there, or the test grows without bound whatever its dt",
            format_number(heaviest)
        )
    });
    let warnings: Vec<&String> = test.warnings.iter().chain(&inertia).collect();
    if json {
        let unbounded = Limit::without_bound(plan.values.optional_table("limits"));
        let value = json!({
            "name": test.name,
            "structure": test.outline.whole.properties().kind,
            "dof": test.outline.whole.properties().dof(),
            "interface": labels,
            "actuators": test.physical.actuators,
            "dt_s": test.outline.dt,
            "steps": test.outline.timing.steps,
            "held_force_delay_s": { "mean": age, "most": 2.0 * age },
            "held_force_damping_n_s_m": damping,
            "record": { "name": test.outline.record.name, "peak_m_s2": test.outline.record.peak(),
                "duration_s": test.outline.record.duration() },
            "limits": limits(plan),
            "detectors_without_bound": DetectorWithoutBound::all(&unbounded),
            "warnings": warnings,
        });
        say(&value.to_string());
        return Ok(ExitCode::SUCCESS);
    }
    tell_with_fmu(&test, age, &damping, &labels);
    if let Some(warning) = &inertia {
        say(&format!("  {:<19} {warning}", "inertia"));
    }
    tell_limits(plan, &test);
    say(
        "The plan is valid. Critical delay and demand cannot be foretold: the structure is in the \
        FMU.",
    );
    Ok(ExitCode::SUCCESS)
}

/// What is known of a test whose structure is an FMU, for people: the force of the specimen is
/// `age` old (s of wall time), which acts like dampers of `damping` (N s/m) at the interface
/// `labels`.
fn tell_with_fmu(test: &Test, age: f64, damping: &[f64], labels: &[&str]) {
    say(&test.name);
    let line = |label: &str, text: String| say(&format!("  {label:<19} {text}"));
    line(
        "structure",
        format!(
            "an FMU that integrates by itself; of its {} the specimen shares {}",
            match test.outline.whole.properties().dof() {
                1 => "one displacement".to_owned(),
                n => format!("{n} displacements"),
            },
            labels.join(", ")
        ),
    );
    line(
        "steps",
        format!(
            "{} of {} ms of structural time",
            test.outline.timing.steps,
            format_number(1e3 * test.outline.dt)
        ),
    );
    line(
        "delay",
        match age {
            0.0 => "the specimen's force is continued to the middle of a step from its last two \
                values: none to the first order, before anything that the rig adds"
                .to_owned(),
            age => format!(
                "the specimen's force is held over a step: {} ms of wall time old on the average, \
                {} ms at most, before anything that the rig adds",
                format_number(1e3 * age),
                format_number(2e3 * age)
            ),
        },
    );
    if damping.iter().any(|c| *c != 0.0) {
        let words: Vec<String> = damping.iter().map(|c| format_number(*c)).collect();
        line(
            "which acts as",
            format!(
                "a damper of {} N s/m at the interface: a shorter integration.dt takes it away, or \
                integration.force = \"extrapolated\"",
                words.join(", ")
            ),
        );
    }
}

/// The wake-up latency of this machine.
fn machine(seconds: f64, json: bool) -> Result<ExitCode, Failure> {
    if !(0.1..=3600.0).contains(&seconds) {
        return Err(Failure::Usage("--seconds takes 0.1 to 3600".to_owned()));
    }
    let (period, length) = (Duration::from_millis(1), Duration::from_secs_f64(seconds));
    let latency = measure_latency(period, length, realtime::Settings::default());
    let histogram = &latency.histogram;
    let (usually, always) = (latency.carries(), latency.carries_always());
    if json {
        let octaves: Vec<_> = histogram
            .octaves()
            .into_iter()
            .map(|(below, count)| json!({ "below_us": below, "count": count }))
            .collect();
        let value = json!({
            "period_us": latency.period * 1e6,
            "wakeups": histogram.count(),
            "latency_us": Percentiles::from(histogram),
            "histogram": octaves,
            "rate_hz": usually,
            "rate_hz_without_exception": always,
            "real_time": latency.refused.is_empty(),
            "refused": latency.refused,
            "cores_sleep": latency.cores_sleep,
        });
        say(&value.to_string());
        return Ok(ExitCode::SUCCESS);
    }
    say(&format!(
        "Wake-up latency of this machine: {} wake-ups, one a millisecond\n",
        histogram.count()
    ));
    let most = histogram
        .octaves()
        .iter()
        .map(|(_, n)| *n)
        .max()
        .unwrap_or(1);
    for (below, count) in histogram.octaves() {
        let bar = index((50.0 * count as f64 / most as f64).ceil());
        say(&format!(
            "  below {below:>10.1} us {count:>9}  {}",
            "#".repeat(bar)
        ));
    }
    say(&format!(
        "\n  median {:.1} us, 99 % {:.1} us, 99.99 % {:.1} us, worst {:.1} us",
        histogram.percentile(0.5),
        histogram.percentile(0.99),
        histogram.percentile(0.9999),
        histogram.max_us()
    ));
    let rate = |rate: Option<f64>| {
        rate.map_or("none of the usual rates".to_owned(), |r| {
            format!("{r:.0} Hz")
        })
    };
    say(&format!(
        "  This machine carries {} (99.9 % of the wake-ups within half a period); without a single \
        exception in this look: {}.",
        rate(usually),
        rate(always)
    ));
    for text in &latency.refused {
        say(&format!("  warning: not in real time: {text}"));
    }
    if let Some(text) = &latency.cores_sleep {
        say(&format!("  warning: {text}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The figures for people.
fn tell(checked: &Checked) {
    let test = &checked.test;
    let line = |label: &str, text: String| say(&format!("  {label:<20}{text}"));
    say(&test.name);
    if test.characterises() {
        let ms = format_number(test.outline.dt * 1e3);
        line(
            "structure",
            "none: the actuators themselves are driven".to_owned(),
        );
        line(
            "signals",
            format!(
                "{} samples, one every {ms} ms",
                test.outline.timing.steps + 1
            ),
        );
    } else {
        tell_of_structure(checked, &line);
    }
    let delay = match &checked.stability.exact {
        CriticalDelay::Found(delay) => {
            let first = checked.stability.first_order.seconds();
            let first = first.map_or(String::new(), |first| {
                format!(" (first order: {} ms)", format_number(first * 1e3))
            });
            Some(format!(
                "{} ms{first}: a transfer system that lags more makes the loop unstable",
                format_number(delay * 1e3)
            ))
        }
        CriticalDelay::Stable => Some("none: no delay makes the loop unstable".to_owned()),
        CriticalDelay::Unstable => {
            Some("0 ms: unstable without any delay, or with an arbitrarily small one".to_owned())
        }
        CriticalDelay::Unknown(_) => Some("not known, see the warning".to_owned()),
        CriticalDelay::NoSpecimen => None,
    };
    if let Some(text) = delay {
        line("critical delay", text);
    }
    if let Some(lag) = &checked.lag {
        line("remaining lag", lag.words());
    }
    if let Some(divided) = &checked.stability.divided {
        line(
            "partition",
            format!(
                "the specimen has {} % of the stiffness and {} % of the mass at the interface; \
                predictive stability indicator {}",
                format_number(100.0 * divided.shares.stiffness),
                format_number(100.0 * divided.shares.mass),
                format_number(divided.indicator)
            ),
        );
    }
    for (i, demand) in checked.demands.iter().enumerate() {
        let parts = demand
            .figures()
            .map(|f| format!("{} {}", format_number(f.value * f.factor), f.unit));
        line(&format!("actuator {} needs", i + 1), parts.join(", "));
    }
    if let Some(text) = without_bound_text(&checked.without_bound) {
        line("without bound", text);
    }
    for (label, list) in [
        ("warning", &checked.warnings),
        ("advice", &checked.advice),
        ("note", &test.outline.notes),
    ] {
        for text in list {
            line(label, text.clone());
        }
    }
    say(&match checked.warnings.len() {
        0 if !checked.advice.is_empty() => "The plan is valid; see the advice.".to_owned(),
        0 => "The plan is valid.".to_owned(),
        1 => "The plan is valid, with a warning.".to_owned(),
        n => format!("The plan is valid, with {n} warnings."),
    });
}

/// Structure, ground motion and method.
fn tell_of_structure(checked: &Checked, line: &dyn Fn(&str, String)) {
    let test = &checked.test;
    let list = |values: &[f64], factor: f64| {
        values
            .iter()
            .map(|x| format_number(x * factor))
            .collect::<Vec<_>>()
            .join(", ")
    };
    line(
        "structure",
        format!(
            "{}, {} degrees of freedom",
            test.outline.whole.properties().kind,
            test.outline.whole.properties().dof()
        ),
    );
    line(
        "frequencies",
        format!("{} Hz", list(&checked.modes.frequencies_hz, 1.0)),
    );
    line(
        "damping",
        format!("{} %", list(&checked.damping_ratios, 100.0)),
    );
    line(
        "ground motion",
        format!(
            "{}: peak {} g, {} s",
            test.outline.record.name,
            format_number(test.outline.record.peak() / tandem_quantity::STANDARD_GRAVITY),
            format_number(test.outline.record.duration())
        ),
    );
    line(
        "input work",
        format!("about {} J expected", format_number(checked.input_work)),
    );
    let limit = test
        .critical_dt
        .map_or("stable for any step".to_owned(), |dt| {
            format!("stable up to {} ms", format_number(dt * 1e3))
        });
    line(
        "integration",
        format!(
            "{}, {} steps of {} ms ({limit})",
            test.outline.method,
            test.outline.timing.steps,
            format_number(test.outline.dt * 1e3)
        ),
    );
}
