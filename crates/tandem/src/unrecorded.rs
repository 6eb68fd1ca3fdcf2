//! A virtual run of which only a few signals are kept, in memory: what benchmarks and campaigns are made of.

use tandem_coordinator::channels::{
    COMMAND, MEASURED_DISPLACEMENT, MEASURED_FORCE, Quantity, RESPONSE_DISPLACEMENT, TARGET,
};
use tandem_coordinator::recorder::Block;
use tandem_coordinator::{Cause, Progress, Stop};
use tandem_quantity::{BuildError, Motion};
use tandem_transfer::kinematics::Kinematics;

use crate::assemble::Test;
use crate::criteria::Output;
use crate::summary::at_steps;

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
    pub demand: Vec<Demand>,
    /// How far the command of each actuator was from its target at most, m.
    pub lead: Vec<f64>,
    /// Why the run ended early.
    pub stop: Option<Stop>,
}

/// Largest values of one actuator over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand {
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
    /// Whether the run is unstable: a shown displacement further from its reference, or a piston further from its target, than that ever goes. A run
    /// that was stopped on the way may have been so before the pistons could follow: then the command tells.
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

/// Whether a motion is further from where it should be than that ever goes: what an unstable run is.
#[must_use]
pub fn is_astray(way: &[f64], reference: &[f64]) -> bool {
    let largest = reach(reference);
    let mut apart = way.iter().zip(reference).map(|(a, b)| (a - b).abs());
    apart.any(|x| x.is_nan() || x > largest)
}

/// Runs the loop of the test to its end.
///
/// # Errors
/// [`BuildError`] where the plan has no specimen, or one that is no model.
pub fn run(test: &mut Test, shown: &[usize]) -> Result<Signals, BuildError> {
    let mut hybrid = test.hybrid.take().ok_or_else(|| {
        BuildError::new(
            "rig",
            "there is no specimen to test",
            "add [interface] and [rig]",
        )
    })?;
    let rehearsal = hybrid.rehearsal()?;
    let channels = hybrid.channels();
    let place = |of: Quantity, number: usize| {
        let wanted = of.of(number);
        channels.iter().position(|channel| channel.name == wanted)
    };
    let actuators = test.actuators;
    let each =
        |of: Quantity| -> Vec<Option<usize>> { (1..=actuators).map(|i| place(of, i)).collect() };
    let wanted = [
        each(TARGET),
        each(MEASURED_DISPLACEMENT),
        shown
            .iter()
            .map(|dof| place(RESPONSE_DISPLACEMENT, dof + 1))
            .collect(),
    ];
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    // bounded when the test was assembled
    let rows = (hybrid.timing().steps as f64 * test.timing.time_scale * test.dt
        / test.timing.period)
        .min(1e9) as usize
        + 2;
    let mut kept: Vec<Vec<Vec<f64>>> = wanted
        .iter()
        .map(|list| list.iter().map(|_| Vec::with_capacity(rows)).collect())
        .collect();
    // Of commands and forces only the largest matter.
    let (commands, forces) = (each(COMMAND), each(MEASURED_FORCE));
    let mut demand = vec![Demand::default(); actuators];
    let mut lead = vec![0.0; actuators];
    let mut truth: Vec<Vec<f64>> = (0..actuators).map(|_| Vec::with_capacity(rows)).collect();
    // Who has no estimate gives back what it is told: the measurement, which is known after the tick.
    let (unknown, mut guess) = (vec![f64::NAN; actuators], vec![f64::NAN; actuators]);
    let mut estimated: Vec<Vec<f64>> = (0..actuators).map(|_| Vec::with_capacity(rows)).collect();
    let mut block = Block::new(channels.len(), BLOCK_ROWS);
    let mut state = Progress::Running;
    while state == Progress::Running {
        while state == Progress::Running && !block.is_full() {
            // The sensors of the coming tick look at what the rig is now.
            if let Some(now) = hybrid.parts().rig.observe().truth() {
                for (list, x) in truth.iter_mut().zip(&now.motion.displacement) {
                    list.push(*x);
                }
            }
            hybrid.parts().compensator.estimate(&unknown, &mut guess);
            for (list, x) in estimated.iter_mut().zip(&guess) {
                list.push(*x);
            }
            state = hybrid.tick(&rehearsal.permit(), &mut block);
        }
        for (list, places) in kept.iter_mut().zip(&wanted) {
            for (signal, place) in list.iter_mut().zip(places) {
                if let Some(channel) = place {
                    signal.extend(block.channel(*channel));
                }
            }
        }
        for ((demand, command), force) in demand.iter_mut().zip(&commands).zip(&forces) {
            let largest = |place: &Option<usize>, so_far: f64| {
                let values = place.iter().flat_map(|channel| block.channel(*channel));
                values.fold(so_far, |m, x| m.max(x.abs()))
            };
            demand.command = largest(command, demand.command);
            demand.force = largest(force, demand.force);
        }
        for ((lead, command), target) in lead.iter_mut().zip(&commands).zip(&wanted[0]) {
            if let (Some(command), Some(target)) = (command, target) {
                let pairs = block.channel(*command).zip(block.channel(*target));
                *lead = pairs.fold(*lead, |m, (command, target)| {
                    f64::max(m, (command - target).abs())
                });
            }
        }
        block.clear();
    }
    let stop = match state {
        Progress::Act(_, Cause::Limit(trip)) => Some(Stop::Limit(trip)),
        Progress::Act(_, Cause::Monitor(index)) => {
            let monitor = hybrid.parts().monitors.get(index);
            monitor.map(|(name, _)| Stop::Monitor(name))
        }
        _ => None,
    };
    let [target, measured, numerical] = <[Vec<Vec<f64>>; 3]>::try_from(kept).unwrap_or_default();
    if truth.iter().any(Vec::is_empty) {
        truth.clone_from(&measured);
    }
    let own_estimate = guess.iter().any(|x| !x.is_nan());
    for (list, seen) in estimated.iter_mut().zip(&measured) {
        let pairs = list.iter_mut().zip(seen);
        pairs
            .filter(|(x, _)| x.is_nan())
            .for_each(|(x, seen)| *x = *seen);
    }
    for (demand, truth) in demand.iter_mut().zip(&truth) {
        let steps = truth.windows(2).map(|x| (x[1] - x[0]).abs());
        demand.velocity = steps.fold(0.0, f64::max) / test.timing.period;
    }
    let steps = |list: Vec<Vec<f64>>| -> Vec<Vec<f64>> {
        if (test.timing.time_scale * test.dt / test.timing.period - 1.0).abs() < 1e-9 {
            return list;
        }
        list.iter().map(|signal| at_steps(signal, test)).collect()
    };
    let [mut measured, mut estimated, mut truth] =
        [measured, estimated, truth].map(|strokes| Output {
            strokes: steps(strokes),
            interface: Vec::new(),
        });
    let _ = hybrid.with_parts(|mut parts| {
        if let Some(linkage) = &mut parts.kinematics {
            for output in [&mut measured, &mut estimated, &mut truth] {
                output.interface = at_interface(linkage.as_mut(), &output.strokes);
            }
        }
        parts
    });
    Ok(Signals {
        target: steps(target),
        measured,
        estimated,
        own_estimate,
        truth,
        numerical: steps(numerical),
        demand,
        lead,
        stop,
    })
}

/// What strokes make of the interface, at every step.
fn at_interface(linkage: &mut dyn Kinematics, strokes: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let length = strokes.iter().map(Vec::len).min().unwrap_or(0);
    let (mut from, mut to) = (
        Motion::at_rest(linkage.actuators()),
        Motion::at_rest(linkage.interface()),
    );
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
