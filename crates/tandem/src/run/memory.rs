//! A run of which only a few signals are kept, in memory: what benchmarks and campaigns are made
//! of.

use tandem_coordinator::channels::{
    COMMAND, MEASURED_DISPLACEMENT, MEASURED_FORCE, Quantity, RESPONSE_DISPLACEMENT, TARGET,
};
use tandem_coordinator::recorder::{RecorderError, RowBlock};
use tandem_coordinator::{HybridLoop, Recording, RowSink, Stop};
use tandem_quantity::Motion;
use tandem_transfer::kinematics::Kinematics;

use crate::assemble::{Outline, StepRows};
use crate::criteria::Output;
use crate::figures::rows_at_steps;

/// Rows between two looks at them: few enough that they stay near the processor.
const BLOCK_ROWS: usize = 32;

/// Signals at the end of every step, one list for each actuator (m) or shown degree of freedom.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// Where the actuators should have been.
    pub target: Vec<Vec<f64>>,
    /// What the sensors said.
    pub measured: Output,
    /// Where the compensator took them to be; the measured ones again where it has no estimate.
    pub estimated: Output,
    /// Whether it has one.
    pub own_estimate: bool,
    /// Where they were; the measured ones again where the rig does not know.
    pub truth: Output,
    /// Numerical displacement of the shown degrees of freedom.
    pub numerical: Vec<Vec<f64>>,
    /// What was asked of each actuator.
    pub demand: Vec<ActuatorDemand>,
    /// How far the command of each actuator was from its target at most, m.
    pub lead: Vec<f64>,
    /// Why the run ended early.
    pub stop: Option<Stop>,
}

/// Largest values of one actuator over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActuatorDemand {
    /// Command, m.
    pub command: f64,
    /// Velocity of the actuator between two ticks, m/s of wall time.
    pub velocity: f64,
    /// Measured force, N.
    pub force: f64,
}

/// What sensor noise may move a structure that nothing shakes, m or rad.
const AT_REST: f64 = 1e-3;

impl Signals {
    /// Whether the run is unstable: a shown displacement further from its reference, or a piston
    /// further from its target, than that ever goes. A run that was stopped on the way may have
    /// been so before the pistons could follow: then the command tells.
    #[must_use]
    pub fn is_unstable(&self, reference: &[Vec<f64>]) -> bool {
        let mut ways = self.numerical.iter().zip(reference);
        let mut strokes = self.truth.strokes.iter().zip(&self.target);
        let mut commands = self.lead.iter().zip(&self.target);
        ways.any(|(way, wanted)| is_astray(way, wanted))
            || strokes.any(|(way, wanted)| is_astray(way, wanted))
            || (self.stop.is_some() && commands.any(|(lead, wanted)| *lead > reach(wanted)))
    }
}

/// How far a motion goes; at least what noise may do.
fn reach(motion: &[f64]) -> f64 {
    motion.iter().fold(AT_REST, |m, x| m.max(x.abs()))
}

/// Whether a motion is further from where it should be than that ever goes: what an unstable run
/// is.
#[must_use]
pub fn is_astray(way: &[f64], reference: &[f64]) -> bool {
    let largest = reach(reference);
    let mut apart = way.iter().zip(reference).map(|(a, b)| (a - b).abs());
    apart.any(|x| x.is_nan() || x > largest)
}

/// A channel that is kept, tick by tick.
struct Kept {
    /// Its place in a row; none where the loop does not have it.
    channel: Option<usize>,
    values: Vec<f64>,
}

/// What is seen of one actuator.
struct Actuator {
    target: Kept,
    measured: Kept,
    truth: Vec<f64>,
    estimated: Vec<f64>,
    // Of commands and forces only the largest matter.
    command: Option<usize>,
    force: Option<usize>,
    demand: ActuatorDemand,
    lead: f64,
}

/// The rows of a run, as far as they are kept.
pub(super) struct Memory {
    actuators: Vec<Actuator>,
    shown: Vec<Kept>,
    /// Who has no estimate gives back what it is told: the measurement, which is known after the
    /// tick.
    unknown: Vec<f64>,
    guess: Vec<f64>,
}

impl Memory {
    /// For the rows of this loop; `shown` are degrees of freedom of the structure, from zero.
    pub fn of(hybrid: &HybridLoop, outline: &Outline, shown: &[usize]) -> Self {
        let channels = hybrid.channels();
        let place = |of: Quantity, number: usize| {
            let wanted = of.of(number);
            channels.iter().position(|channel| channel.name == wanted)
        };
        let timing = outline.timing;
        #[allow(clippy::cast_possible_truncation)] // bounded when the test was assembled
        let rows = (timing.steps as f64 * timing.time_scale * outline.dt / timing.period).min(1e9)
            as usize
            + 2;
        let room = || Vec::with_capacity(rows);
        let kept = |of: Quantity, number: usize| Kept {
            channel: place(of, number),
            values: room(),
        };
        let count = hybrid.parts().rig.properties().actuators;
        let actuators = (1..=count).map(|i| Actuator {
            target: kept(TARGET, i),
            measured: kept(MEASURED_DISPLACEMENT, i),
            truth: room(),
            estimated: room(),
            command: place(COMMAND, i),
            force: place(MEASURED_FORCE, i),
            demand: ActuatorDemand::default(),
            lead: 0.0,
        });
        let shown = shown.iter().map(|dof| kept(RESPONSE_DISPLACEMENT, dof + 1));
        Self {
            actuators: actuators.collect(),
            shown: shown.collect(),
            unknown: vec![f64::NAN; count],
            guess: vec![f64::NAN; count],
        }
    }

    /// What has been kept, at the ends of the steps.
    pub fn signals(
        self,
        hybrid: HybridLoop,
        outline: &Outline,
        rows: &StepRows,
        stop: Option<Stop>,
    ) -> (Signals, HybridLoop) {
        let timing = outline.timing;
        let each_tick = (timing.time_scale * outline.dt / timing.period - 1.0).abs() < 1e-9;
        let steps = |signal: Vec<f64>| {
            if each_tick {
                signal
            } else {
                rows_at_steps(&signal, outline, rows)
            }
        };
        let ticks = usize::try_from(hybrid.ticks()).unwrap_or(usize::MAX);
        let mut found = Signals {
            own_estimate: self.guess.iter().any(|x| !x.is_nan()),
            numerical: self.shown.into_iter().map(|x| steps(x.values)).collect(),
            stop,
            ..Signals::default()
        };
        // Of a rig that does not know every piston, the sensors are all there is.
        let known = self.actuators.iter().all(|own| !own.truth.is_empty());
        for mut own in self.actuators {
            let measured = own.measured.values;
            own.truth.truncate(ticks);
            own.estimated.truncate(ticks);
            let truth = if known { own.truth } else { measured.clone() };
            for (x, seen) in own.estimated.iter_mut().zip(&measured) {
                *x = if x.is_nan() { *seen } else { *x };
            }
            let ways = truth.windows(2).map(|x| (x[1] - x[0]).abs());
            own.demand.velocity = ways.fold(0.0, f64::max) / timing.period;
            found.demand.push(own.demand);
            found.lead.push(own.lead);
            found.target.push(steps(own.target.values));
            found.measured.strokes.push(steps(measured));
            found.estimated.strokes.push(steps(own.estimated));
            found.truth.strokes.push(steps(truth));
        }
        let hybrid = hybrid.with_parts(|mut parts| {
            if let Some(linkage) = &mut parts.kinematics {
                for output in [&mut found.measured, &mut found.estimated, &mut found.truth] {
                    output.interface = at_interface(linkage.as_mut(), &output.strokes);
                }
            }
            parts
        });
        (found, hybrid)
    }
}

impl RowSink for Memory {
    fn block_rows(&self) -> usize {
        BLOCK_ROWS
    }

    /// The sensors of the coming tick look at what the rig is now.
    #[inline]
    fn before_tick(&mut self, hybrid: &HybridLoop) {
        let tick = usize::try_from(hybrid.ticks()).unwrap_or(usize::MAX);
        let parts = hybrid.parts();
        // What stood before a tick that did not come about is seen again.
        let keep = |list: &mut Vec<f64>, x: f64| {
            list.truncate(tick);
            list.push(x);
        };
        if let Some(now) = parts.rig.observe().truth() {
            for (own, x) in self.actuators.iter_mut().zip(&now.motion.displacement) {
                keep(&mut own.truth, *x);
            }
        }
        parts.compensator.estimate(&self.unknown, &mut self.guess);
        for (own, x) in self.actuators.iter_mut().zip(&self.guess) {
            keep(&mut own.estimated, *x);
        }
    }

    fn keep(&mut self, block: &mut RowBlock, _: &Recording) -> Result<(), RecorderError> {
        let own = self.actuators.iter_mut();
        let of_actuators = own.flat_map(|own| [&mut own.target, &mut own.measured]);
        for kept in of_actuators.chain(&mut self.shown) {
            if let Some(channel) = kept.channel {
                kept.values.extend(block.channel(channel));
            }
        }
        for own in &mut self.actuators {
            let largest = |place: Option<usize>, so_far: f64| {
                let values = place.into_iter().flat_map(|channel| block.channel(channel));
                values.fold(so_far, |m, x| m.max(x.abs()))
            };
            own.demand.command = largest(own.command, own.demand.command);
            own.demand.force = largest(own.force, own.demand.force);
            if let (Some(command), Some(target)) = (own.command, own.target.channel) {
                let pairs = block.channel(command).zip(block.channel(target));
                own.lead = pairs.fold(own.lead, |m, (command, target)| {
                    f64::max(m, (command - target).abs())
                });
            }
        }
        block.clear();
        Ok(())
    }
}

/// What strokes make of the interface, at every step.
fn at_interface(linkage: &mut dyn Kinematics, strokes: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let length = strokes.iter().map(Vec::len).min().unwrap_or(0);
    let mut from = Motion::at_rest(linkage.actuators());
    let mut to = Motion::at_rest(linkage.interface());
    let mut out: Vec<Vec<f64>> = (0..linkage.interface())
        .map(|_| Vec::with_capacity(length))
        .collect();
    for k in 0..length {
        for (x, stroke) in from.displacement.iter_mut().zip(strokes) {
            *x = stroke[k];
        }
        linkage.to_interface(&from, &mut to);
        for (list, x) in out.iter_mut().zip(&to.displacement) {
            list.push(*x);
        }
    }
    out
}
