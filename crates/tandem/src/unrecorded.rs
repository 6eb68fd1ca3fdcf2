//! A virtual run of which only a few signals are kept, in memory: what benchmarks and campaigns are made of.

use tandem_coordinator::recorder::{Block, CHUNK_ROWS};
use tandem_coordinator::{Cause, Progress, Stop};
use tandem_quantity::BuildError;

use crate::assemble::Test;
use crate::summary::at_steps;

/// Signals at the end of every step, one list for each actuator (m) or shown degree of freedom.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// Where the actuators should have been.
    pub target: Vec<Vec<f64>>,
    /// What the sensors said.
    pub measured: Vec<Vec<f64>>,
    /// Where they were; the measured ones again where the rig does not know.
    pub truth: Vec<Vec<f64>>,
    /// Numerical displacement of the shown degrees of freedom.
    pub numerical: Vec<Vec<f64>>,
    /// What was asked of each actuator.
    pub demand: Vec<Demand>,
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

/// Runs the loop of the test to its end.
///
/// # Errors
/// [`BuildError`] where the plan has no specimen.
pub fn run(test: &mut Test, shown: &[usize]) -> Result<Signals, BuildError> {
    let mut hybrid = test.hybrid.take().ok_or_else(|| {
        BuildError::new(
            "rig",
            "there is no specimen to test",
            "add [interface] and [rig]",
        )
    })?;
    let channels = hybrid.channels();
    let place = |name: &str, number: usize| {
        let wanted = format!("{name}/{number}");
        channels.iter().position(|channel| channel.name == wanted)
    };
    let actuators = test.actuators;
    let each =
        |name: &str| -> Vec<Option<usize>> { (1..=actuators).map(|i| place(name, i)).collect() };
    let wanted = [
        each("target"),
        each("measured_displacement"),
        each("command"),
        each("measured_force"),
        shown
            .iter()
            .map(|dof| place("response_displacement", dof + 1))
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
    let mut truth: Vec<Vec<f64>> = (0..actuators).map(|_| Vec::with_capacity(rows)).collect();
    let mut block = Block::new(channels.len(), CHUNK_ROWS);
    let mut state = Progress::Running;
    while state == Progress::Running {
        while state == Progress::Running && !block.is_full() {
            // The sensors of the coming tick look at what the rig is now.
            if let Some(now) = hybrid.parts().rig.truth() {
                for (list, x) in truth.iter_mut().zip(&now.motion.displacement) {
                    list.push(*x);
                }
            }
            state = hybrid.tick(&mut block);
        }
        for (list, places) in kept.iter_mut().zip(&wanted) {
            for (signal, place) in list.iter_mut().zip(places) {
                if let Some(channel) = place {
                    signal.extend(block.channel(*channel));
                }
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
    let [target, measured, command, force, numerical] =
        <[Vec<Vec<f64>>; 5]>::try_from(kept).unwrap_or_default();
    if truth.iter().any(Vec::is_empty) {
        truth.clone_from(&measured);
    }
    let largest = |signal: &[f64]| signal.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let demand = (0..actuators)
        .map(|i| Demand {
            command: largest(&command[i]),
            velocity: truth[i]
                .windows(2)
                .fold(0.0_f64, |m, x| m.max((x[1] - x[0]).abs()))
                / test.timing.period,
            force: largest(&force[i]),
        })
        .collect();
    let steps = |list: Vec<Vec<f64>>| -> Vec<Vec<f64>> {
        if (test.timing.time_scale * test.dt / test.timing.period - 1.0).abs() < 1e-9 {
            return list;
        }
        list.iter().map(|signal| at_steps(signal, test)).collect()
    };
    Ok(Signals {
        target: steps(target),
        measured: steps(measured),
        truth: steps(truth),
        numerical: steps(numerical),
        demand,
        stop,
    })
}
