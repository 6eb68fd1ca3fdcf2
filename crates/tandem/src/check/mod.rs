//! `tandem check`: what can be known of a test before anything moves.

mod compensation;
mod demand;
mod lag;
mod stability;
mod summary;

pub use demand::{ActuatorDemand, Figure};
pub use lag::Lag;
pub use stability::{CriticalDelay, Divided, Stability};
pub use summary::{CheckSummary, DetectorWithoutBound};

use tandem_coordinator::Limit;
use tandem_monitor::stability::InterfaceShares;
use tandem_structure::Structure;
use tandem_structure::modes::{Modes, modes};

use crate::assemble::{Body, Test};
use crate::error::RunError;
use crate::plan::Plan;
use crate::sections::Section;
use tandem_quantity::{BuildError, Dimension, Method, Settings, Verdict, format_number, settings};
use tandem_transfer::compensator;

/// Modes that are looked for.
const MOST_MODES: usize = 20;
/// Below this (s) no servo-hydraulic transfer system can be relied on to stay, even with
/// compensation. Our own line: the predictive stability indicator is zero there.
const HOPELESS_S: f64 = 1e-3;
/// Below this (s) a compensator is needed that leaves next to nothing.
const HARD_S: f64 = 5e-3;

/// From this share of the critical delay on, what the compensator leaves is called much. In the
/// five hundred random tests of docs/stability-warning.md one in seven was unstable between half
/// and four fifths: a lag is not the same at all frequencies.
pub const MUCH: f64 = 0.5;

/// A checked test.
pub struct Check {
    /// The test, not started.
    pub test: Test,
    /// Its lowest modes, undivided.
    pub modes: Modes,
    /// Their damping ratios.
    pub damping_ratios: Vec<f64>,
    /// One for every actuator.
    pub demands: Vec<ActuatorDemand>,
    /// Which delays the loop bears.
    pub stability: Stability,
    /// What is left of the transfer system's lag; none where it is not known beforehand.
    pub lag: Option<Lag>,
    /// Whether the rig settles under the compensator's own loop; none where there is nothing to
    /// say.
    pub compensator_settles: Option<bool>,
    /// Input work that is expected of the ground motion, J.
    pub input_work: f64,
    /// What may go wrong.
    pub warnings: Vec<String>,
    /// What to do about a partition that delays upset easily.
    pub advice: Vec<String>,
    /// Detectors of the gate that have no bound and find nothing, with the key of `[limits]` that
    /// would give it.
    pub without_bound: Vec<(Limit, &'static str)>,
}

/// Looks at the test that the plan describes, and rehearses it without a rig.
pub fn check(plan: &Plan) -> Result<Check, RunError> {
    let refuse = |errors| RunError::Plan(Box::new(plan.refuse(errors)));
    let test = plan.assemble()?;
    if test.driver().is_some() || test.steps_itself() {
        let text = if test.steps_itself() {
            "it is an FMU that integrates by itself; the plan itself is right"
        } else {
            "it lives in the program that drives this test; the plan itself is right"
        };
        return Err(RunError::Model(text.to_owned()));
    }
    let found = if test.has_structure() {
        modes(test.outline.whole.properties(), MOST_MODES)
            .map_err(|error| RunError::Model(error.to_string()))?
    } else {
        Modes::default()
    };
    let damping_ratios = found.damping_ratios(&test.outline.whole.properties().damping);
    let reference = test.reference().map_err(|error| refuse(vec![error]))?;
    let linkage = Section::Kinematics.written(&plan.values);
    let demands =
        demand::demands(&test, linkage, &reference).map_err(|error| refuse(vec![error]))?;
    let compensator_settles = compensation::settles(&plan.values, &test, &demands)
        .map_err(|error| refuse(vec![error]))?;
    let mut check = Check {
        without_bound: match test.body {
            Body::Loop(_) => Limit::without_bound(Section::Limits.written(&plan.values)),
            Body::Numerical | Body::Coupled(_) => Vec::new(),
        },
        compensator_settles,
        warnings: test.warnings.clone(),
        advice: Vec::new(),
        modes: found,
        damping_ratios,
        demands,
        stability: stability::stability(&test),
        lag: if test.has_structure() {
            lag::lag(plan, &reference)?
        } else {
            None
        },
        input_work: if test.has_structure() {
            test.expected_input_work()
        } else {
            0.0
        },
        test,
    };
    check
        .compare_with_limits(plan)
        .map_err(|error| refuse(vec![error]))?;
    if let CriticalDelay::Unknown(why) = &check.stability.exact {
        let text = format!("It is not known which delay this loop bears: {why}.");
        check.warnings.push(text);
    }
    check.warn_of_the_compensator(plan);
    check.advise();
    Ok(check)
}

/// Names of the monitors whose verdict would stop the test.
fn stopping_monitors(plan: &Plan) -> Result<Vec<&'static str>, BuildError> {
    let section = Section::Monitor.of(&plan.values);
    let mut names = Vec::new();
    for Method { name, .. } in plan.registry().methods(&tandem_monitor::SLOT) {
        if let Some(table) = section.optional_table(name) {
            let monitor = Stopping::read(table).map_err(|e| e.within(name).within("monitor"))?;
            let bounds = [monitor.bound, monitor.delay, monitor.gain];
            if monitor.action == Some(Verdict::Trip) && bounds.iter().any(Option::is_some) {
                names.push(*name);
            }
        }
    }
    Ok(names)
}

settings! {
    /// A monitor, as far as it may stop the test.
    struct Stopping {
        /// its bound
        bound: Option<f64> = number(Dimension::NONE),
        /// or that of the delay
        delay: Option<f64> = number(Dimension::TIME),
        /// or that of the amplitude error
        gain: Option<f64> = number(Dimension::NONE),
        /// what happens above it
        action: Option<Verdict> = choice(Verdict::WORDS),
    }
}

impl Check {
    fn compare_with_limits(&mut self, plan: &Plan) -> Result<(), BuildError> {
        let Some(limits) = Section::Limits.written(&plan.values) else {
            if !self.demands.is_empty() {
                let monitors = stopping_monitors(plan)?;
                self.warnings.push(match monitors.as_slice() {
                    [] => "There are no [limits]: nothing but a value that is not finite would \
                        stop the test."
                        .to_owned(),
                    names => format!(
                        "There are no [limits]: only the monitor{} {} and a value that is not \
                        finite would stop the test.",
                        if names.len() == 1 { "" } else { "s" },
                        names.join(", ")
                    ),
                });
            }
            return Ok(());
        };
        for (i, demand) in self.demands.iter().enumerate() {
            let figures = demand.figures();
            let limited = figures
                .iter()
                .filter_map(|figure| Some((figure, limits.optional_number(figure.limit)?)));
            if demand.turns {
                let keys: Vec<&str> = limited.map(|(figure, _)| figure.limit).collect();
                if !keys.is_empty() {
                    self.warnings.push(format!(
                        "Actuator {} turns {}: its rad and N m are held against [limits] {} as if \
                        they were m and N.",
                        i + 1,
                        demand.label,
                        keys.join(", ")
                    ));
                }
                continue;
            }
            for (figure, bound) in limited.filter(|(figure, bound)| figure.value > *bound) {
                let Figure { factor, unit, .. } = figure;
                self.warnings.push(format!(
                    "Actuator {} will need {} {unit}, {} % more than the limit {} of {} {unit}: \
                    the test will trip.",
                    i + 1,
                    format_number(factor * figure.value),
                    format_number(100.0 * (figure.value / bound - 1.0)),
                    figure.limit,
                    format_number(factor * bound),
                ));
            }
        }
        Ok(())
    }

    fn warn_of_the_compensator(&mut self, plan: &Plan) {
        if self.compensator_settles == Some(false) {
            let method = Section::Compensator.selected(&plan.values, &compensator::SLOT);
            self.warnings.push(format!(
                "The compensator {} does not hold on this rig: after a small pulse the piston's \
                error grows, whatever the structure does. \
                 Its model is not this rig's. Give it the rig's own ([compensator.plant], or what \
                 `tandem identify` finds), or weaken its feedback.",
                method.unwrap_or_default()
            ));
        }
    }

    fn advise(&mut self) {
        let (Some(divided), Some(delay)) =
            (&self.stability.divided, self.stability.exact.seconds())
        else {
            return;
        };
        let ms = 1e3 * delay;
        let advice = &mut self.advice;
        let left = self.lag.as_ref().map_or(0.0, Lag::most);
        if delay > 0.0 && left >= MUCH * delay {
            let left_ms = format_number(1e3 * left);
            advice.push(if left >= delay {
                format!(
                    "The loop will be unstable: the restoring force comes {left_ms} ms late, and \
                    {ms:.2} ms are enough. Compensate for the lag ([compensator], \
                    docs/compensators.md), or make the test slower (integration.time_scale)."
                )
            } else {
                format!(
                    "The restoring force comes {left_ms} ms late, {:.0} % of the delay that makes \
                    the loop unstable ({ms:.2} ms): the test will have too little damping. \
                    Compensate for more of it ([compensator], docs/compensators.md).",
                    100.0 * left / delay
                )
            });
        }
        if delay <= 0.0 {
            advice.push(
                "This partition is unstable without any delay, or with an arbitrarily small one."
                    .into(),
            );
        } else if delay < HOPELESS_S {
            advice.push(format!(
                "This partition is hopeless in this form: {ms:.3} ms of delay make the loop \
                unstable, and no transfer system with a moving mass stays below that."
            ));
        } else if delay < HARD_S {
            advice.push(format!(
                "This partition is hard: what the compensator leaves of the delay must stay well \
                below {ms:.2} ms."
            ));
        } else {
            return;
        }
        let InterfaceShares { stiffness, mass } = divided.shares;
        if mass >= 0.5 {
            advice.push(format!(
                "The specimen has {:.0} % of the mass at the interface; from 50 % on an \
                arbitrarily small delay is enough. Keep mass in the numerical substructure.",
                100.0 * mass
            ));
        }
        if stiffness > 0.5 {
            advice.push(format!(
                "The specimen has {:.0} % of the stiffness at the interface. Leave a stiffer part \
                numerical, or divide at a degree of freedom that moves less.",
                100.0 * stiffness
            ));
        }
        let lowest = self
            .damping_ratios
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min);
        if lowest < 0.02 {
            advice.push(format!(
                "The critical delay grows in proportion to the damping, and a mode has only {:.2} \
                %: check that it is meant so.",
                100.0 * lowest
            ));
        }
        if self.test.outline.timing.time_scale < 10.0 {
            advice.push(format!(
                "A slower test bears more: at integration.time_scale = {} the critical delay is \
                ten times as long, if the specimen does not depend on velocity.",
                format_number(10.0 * self.test.outline.timing.time_scale)
            ));
        }
    }
}

/// The same for people; none where all have one.
pub fn without_bound_text(list: &[(Limit, &'static str)]) -> Option<String> {
    let keys: Vec<String> = list
        .iter()
        .map(|(_, key)| format!("limits.{key}"))
        .collect();
    (!keys.is_empty()).then(|| {
        format!(
            "{} (set what the rig allows; `tandem drill` shows which faults nobody notices)",
            keys.join(", ")
        )
    })
}
