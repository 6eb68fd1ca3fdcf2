//! `tandem drill`: every fault that a plan can meet, tried out on a rehearsal of it.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tandem_coordinator::Limits;
use tandem_coordinator::drill::{Bounds, Trial, rehearse};
use tandem_coordinator::fault::{Fault, FaultKind};
use tandem_quantity::{BuildError, Settings};

use crate::assemble::assemble;
use crate::error::RunError;
use crate::plan::Plan;
use crate::run::{files, plan_of, write_file};
use crate::sections::Section;

/// One fault and what came of it.
pub struct Drilled {
    /// The fault.
    pub fault: Fault,
    /// The rehearsal with it.
    pub trial: Trial,
}

/// The whole drill.
pub struct Drill {
    /// One rehearsal for each fault.
    pub faults: Vec<Drilled>,
    /// Faults that this plan cannot meet, and why.
    pub left_out: Vec<(&'static FaultKind, &'static str)>,
    /// When the faults of each actuator happen; those of the whole rig go by the first.
    pub moments: Vec<Moments>,
}

/// When the faults of an actuator happen, by a rehearsal without any.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Where its command is fastest, structural time in s.
    pub at: f64,
    /// When some happen once more: where its command has hardly begun to move, before the test has
    /// shown what is usual.
    pub early: f64,
    /// Its largest command, m.
    peak: f64,
}

impl Moments {
    fn of(commands: &[f64], tick: f64) -> Self {
        let step = |pair: &[f64]| (pair[1] - pair[0]).abs();
        let steps = commands.windows(2).enumerate();
        let fastest = steps.max_by(|a, b| step(a.1).total_cmp(&step(b.1)));
        let fastest = fastest.map_or(0, |(k, _)| k);
        let peak = commands.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let begun = commands.iter().position(|x| x.abs() >= HARDLY * peak);
        let [at, early] = [fastest, begun.unwrap_or(0).min(fastest)].map(|k| k as f64 * tick);
        Self { at, early, peak }
    }
}

impl Drill {
    /// Whether every fault was noticed and no bound was crossed.
    #[must_use]
    pub fn is_passed(&self) -> bool {
        self.faults
            .iter()
            .all(|drilled| drilled.trial.detector.is_some() && drilled.trial.violations == 0)
    }

    /// A fault in words, with its actuator where there are several, and its moment where that is
    /// not the usual one.
    #[must_use]
    pub fn describe(&self, fault: &Fault) -> String {
        let mut text = fault.kind.words.to_owned();
        if self.moments.len() > 1 && fault.kind.is_of_an_actuator() {
            text += &format!(", actuator {}", fault.actuator + 1);
        }
        if fault.at < self.moments[fault.actuator].at {
            text += &format!(", at {:.3} s", fault.at);
        }
        text
    }

    /// What is written of it.
    #[must_use]
    pub fn rows(&self) -> Vec<DrillRow> {
        let ms = |time: Option<f64>| time.map(|t| (t * 1e6).round() / 1e3);
        let row = |Drilled { fault, trial }: &Drilled| DrillRow {
            fault: fault.kind.name.to_owned(),
            description: self.describe(fault),
            actuator: fault.kind.is_of_an_actuator().then_some(fault.actuator + 1),
            at_s: fault.at,
            detector: trial.detector.map(str::to_owned),
            action: trial.action.to_owned(),
            reason: trial.reason.clone(),
            time_to_detect_ms: ms(trial.noticed_after),
            time_to_hold_ms: ms(trial.held_after),
            peak_command_mm: trial.peak_command * 1e3,
            violations: trial.violations,
            state: trial.state.name().to_owned(),
        };
        self.faults.iter().map(row).collect()
    }
}

/// A row of the drill: of `drill --json`, and of the file beside a run from which its page has
/// them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrillRow {
    /// Name of the fault for programs.
    pub fault: String,
    /// The fault in words.
    pub description: String,
    /// The actuator that it meets, from one; none: it meets all.
    pub actuator: Option<usize>,
    /// Structural time at which it happens, s.
    pub at_s: f64,
    /// Who noticed it; none: nobody.
    pub detector: Option<String>,
    /// What was done.
    pub action: String,
    /// Why, in words.
    pub reason: Option<String>,
    /// Until it was noticed, ms of wall time.
    pub time_to_detect_ms: Option<f64>,
    /// Until the command was held, ms of wall time.
    pub time_to_hold_ms: Option<f64>,
    /// The largest command after it, mm.
    #[serde(deserialize_with = "tandem_coordinator::recorder::nullable")]
    pub peak_command_mm: f64,
    /// Commands beyond a limit.
    pub violations: u64,
    /// The state of the machine at the end.
    pub state: String,
}

/// Early is where the command has first gone this share of its largest displacement.
const HARDLY: f64 = 0.05;

/// Rehearses the plan once as it is and once for every fault that it can meet. `progress` gets the
/// share done.
pub fn drill(plan: &Plan, progress: &mut dyn FnMut(f64)) -> Result<Drill, RunError> {
    let refuse = |errors: Vec<BuildError>| RunError::Plan(Box::new(plan.refuse(errors)));
    let limits = &Limits::read(Section::Limits.of(&plan.values))
        .map_err(|error| refuse(vec![error.within("limits")]))?;
    let bound = |bound: Option<f64>| bound.unwrap_or(f64::INFINITY);
    let bounds = Bounds {
        stroke: bound(limits.stroke),
        velocity: bound(limits.velocity),
    };
    plan.assemble()?;
    // The plan's own script of faults is left out: one fault at a time.
    let mut values = plan.values.clone();
    values.set(
        Section::Faults.word(),
        tandem_quantity::Value::List(Vec::new()),
    );
    let build = || {
        let test = assemble(&values, plan.registry()).map_err(refuse)?;
        if test.driver().is_some() {
            // Nobody would connect, and nothing would ever move.
            return Err(refuse(vec![BuildError::new(
                "integration.driver",
                "a drill rehearses the test, and nobody is there to drive it",
                "drill a plan with the same rig and limits and a structure of its own, or with \
                 [excitation] kind = \"characterise\"",
            )]));
        }
        let hybrid = test.into_hybrid();
        hybrid.map_err(|error| refuse(vec![error.into()]))
    };
    let calm = build()?;
    let timing = calm.timing();
    let calm_ticks =
        (timing.steps as f64 * 2.0 * timing.time_scale * calm.parts().integrator.properties().dt
            / timing.period)
            .ceil();
    #[allow(clippy::cast_possible_truncation)]
    let trial = rehearse(calm, None, bounds, calm_ticks as u64);
    if let Some(stop) = trial.stop {
        return Err(RunError::StopsByItself {
            reason: stop.reason(),
        });
    }
    let tick = timing.period / timing.time_scale;
    let commands = trial.commands.iter();
    let moments: Vec<Moments> = commands.map(|all| Moments::of(all, tick)).collect();

    let mut cases = Vec::new();
    let mut left_out = Vec::new();
    for early in [false, true] {
        for kind in FaultKind::ALL.iter().filter(|kind| kind.early || !early) {
            if let Some(why) = (kind.lacks)(limits) {
                left_out.push((*kind, why));
                continue;
            }
            let count = if kind.is_of_an_actuator() {
                moments.len()
            } else {
                1
            };
            let own = moments.iter().enumerate().take(count);
            cases.extend(own.map(|(i, m)| (*kind, i, if early { m.early } else { m.at })));
        }
    }
    let mut faults = Vec::new();
    for (k, (kind, actuator, at)) in cases.iter().copied().enumerate() {
        progress(k as f64 / cases.len() as f64);
        let fault = kind.rehearsed(at, actuator, limits, moments[actuator].peak);
        #[allow(clippy::cast_possible_truncation)]
        let watched = ((kind.watched)(limits) / timing.period).ceil() as u64;
        let trial = rehearse(build()?, Some(&fault), bounds, watched);
        faults.push(Drilled { fault, trial });
    }
    progress(1.0);
    Ok(Drill {
        faults,
        left_out,
        moments,
    })
}

/// Drills the plan of a run and leaves the table in its folder, where the report finds it.
pub fn drill_run(folder: &Path) -> Result<(), RunError> {
    let plan = plan_of(folder)?;
    let rows = drill(&plan, &mut |_| ())?.rows();
    let text = serde_json::to_string(&rows).unwrap_or_default();
    write_file(&folder.join(files::DRILL), text.as_bytes())
}
