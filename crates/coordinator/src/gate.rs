//! The safety gate: the last word before the rig. Nothing else writes to it.

use tandem_quantity::{BuildError, Dimension, Motion, Parameter, Values, copy_few, snapshot};
use tandem_transfer::rig::Measured;

/// The section `[limits]` in the plan.
pub static PARAMETERS: &[Parameter] = &[
    Parameter::number(
        "stroke",
        Dimension::LENGTH,
        "largest displacement of target, command and piston",
    )
    .optional()
    .positive(),
    Parameter::number(
        "velocity",
        Dimension::VELOCITY,
        "largest change of the command per time",
    )
    .optional()
    .positive(),
    Parameter::number("force", Dimension::FORCE, "largest measured force")
        .optional()
        .positive(),
    Parameter::number(
        "tracking_error",
        Dimension::LENGTH,
        "largest distance between target and piston",
    )
    .optional()
    .positive(),
];

/// A limit that stopped the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A value is NaN or infinite.
    NotFinite,
    /// Displacement of target, command or piston.
    Stroke,
    /// Velocity of the command.
    Velocity,
    /// Measured force.
    Force,
    /// Distance between target and piston.
    TrackingError,
    /// The measured strokes belong to no position of the linkage.
    Linkage,
}

impl Limit {
    /// Its name in `stopped_by` and in the plan's section `[limits]`.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotFinite => "not-finite",
            Self::Stroke => "stroke",
            Self::Velocity => "velocity",
            Self::Force => "force",
            Self::TrackingError => "tracking_error",
            Self::Linkage => "linkage",
        }
    }

    /// Unit for people, and its size in SI.
    pub fn unit(self) -> (&'static str, f64) {
        match self {
            Self::NotFinite | Self::Linkage => ("", 1.0),
            Self::Stroke | Self::TrackingError => ("mm", 1e-3),
            Self::Velocity => ("mm/s", 1e-3),
            Self::Force => ("kN", 1e3),
        }
    }
}

/// What tripped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trip {
    /// Which limit.
    pub limit: Limit,
    /// Which actuator, from zero.
    pub actuator: usize,
    /// The value that was found.
    pub value: f64,
    /// The bound that it crossed.
    pub bound: f64,
}

/// Checks everything that goes to the rig and everything that comes back. After a trip the command is held for good.
#[derive(Clone, Debug)]
pub struct SafetyGate {
    stroke: f64,
    /// Largest change of the command in one tick, m.
    travel: f64,
    velocity: f64,
    force: f64,
    tracking_error: f64,
    period: f64,
    /// Displacement of the last command that was let through, at rest.
    safe: Motion,
    held: bool,
}

snapshot!(SafetyGate { safe, held });

impl SafetyGate {
    /// A gate with the plan's limits, for `actuators` actuators, at the coordinator's period in wall time, s.
    pub fn new(limits: &Values, actuators: usize, period: f64) -> Result<Self, BuildError> {
        let bound = |key| limits.optional_number(key).unwrap_or(f64::INFINITY);
        let velocity = bound("velocity");
        Ok(Self {
            stroke: bound("stroke"),
            travel: velocity * period,
            velocity,
            force: bound("force"),
            tracking_error: bound("tracking_error"),
            period,
            safe: Motion::at_rest(actuators),
            held: false,
        })
    }

    /// Checks what the sensors say against the limits.
    #[inline]
    pub fn check_measured(&self, measured: &Measured) -> Result<(), Trip> {
        for (i, (x, f)) in measured
            .motion
            .displacement
            .iter()
            .zip(&measured.force)
            .enumerate()
        {
            let trip = |limit, value, bound| Trip {
                limit,
                actuator: i,
                value,
                bound,
            };
            if !(x.is_finite() && f.is_finite()) {
                return Err(trip(
                    Limit::NotFinite,
                    if x.is_finite() { *f } else { *x },
                    0.0,
                ));
            }
            if x.abs() > self.stroke {
                return Err(trip(Limit::Stroke, *x, self.stroke));
            }
            if f.abs() > self.force {
                return Err(trip(Limit::Force, *f, self.force));
            }
        }
        Ok(())
    }

    /// Checks how far the pistons are from where they should be at this tick.
    #[inline]
    pub fn check_tracking(&self, measured: &Measured, target: &Motion) -> Result<(), Trip> {
        for (i, (x, t)) in measured
            .motion
            .displacement
            .iter()
            .zip(&target.displacement)
            .enumerate()
        {
            let error = x - t;
            if error.abs() > self.tracking_error {
                let (limit, bound) = (Limit::TrackingError, self.tracking_error);
                return Err(Trip {
                    limit,
                    actuator: i,
                    value: error,
                    bound,
                });
            }
        }
        Ok(())
    }

    /// Lets a command through, or replaces it with the last safe one. Target and command are both held
    /// against the stroke.
    #[inline]
    pub fn pass(&mut self, target: &Motion, command: &mut Motion) -> Result<(), Trip> {
        let checked = if self.held {
            Ok(())
        } else {
            self.check_command(target, command)
        };
        if self.held || checked.is_err() {
            self.hold(command);
        } else {
            copy_few(&mut self.safe.displacement, &command.displacement);
        }
        checked
    }

    /// Holds the last safe command from now on.
    pub fn hold(&mut self, command: &mut Motion) {
        self.held = true;
        // A held command stands still: the velocity and acceleration of `safe` are zero at all times.
        command.copy_from(&self.safe);
    }

    #[inline]
    fn check_command(&self, target: &Motion, command: &Motion) -> Result<(), Trip> {
        for i in 0..command.len() {
            let trip = |limit, value, bound| Trip {
                limit,
                actuator: i,
                value,
                bound,
            };
            let (wanted, x) = (target.displacement[i], command.displacement[i]);
            let sum = wanted + x + command.velocity[i] + command.acceleration[i];
            if !sum.is_finite() {
                return Err(trip(Limit::NotFinite, x, 0.0));
            }
            if wanted.abs() > self.stroke || x.abs() > self.stroke {
                let value = if x.abs() > self.stroke { x } else { wanted };
                return Err(trip(Limit::Stroke, value, self.stroke));
            }
            let travel = x - self.safe.displacement[i];
            if travel.abs() > self.travel {
                return Err(trip(Limit::Velocity, travel / self.period, self.velocity));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tandem_quantity::Value;

    fn gate() -> SafetyGate {
        let limits = Values::new()
            .with("stroke", Value::Number(0.1))
            .with("velocity", Value::Number(1.0))
            .with("force", Value::Number(1000.0));
        SafetyGate::new(&limits, 1, 0.001).unwrap()
    }

    fn motion(x: f64) -> Motion {
        Motion {
            displacement: vec![x],
            velocity: vec![0.0],
            acceleration: vec![0.0],
        }
    }

    #[test]
    fn a_trip_holds_the_last_safe_command_for_good() {
        let mut gate = gate();
        let mut command = motion(0.0005);
        assert_eq!(gate.pass(&motion(0.0005), &mut command), Ok(()));
        command = motion(0.5);
        let trip = gate.pass(&motion(0.0005), &mut command).unwrap_err();
        assert_eq!(trip.limit, Limit::Stroke);
        assert_eq!(command, motion(0.0005));
        command = motion(0.0006);
        assert_eq!(gate.pass(&motion(0.0), &mut command), Ok(()));
        assert_eq!(command, motion(0.0005), "held for good");
    }

    proptest! {
        /// Whatever comes in, nothing beyond the limits comes out.
        #[test]
        fn no_command_beyond_a_limit_comes_out(inputs in prop::collection::vec((any::<f64>(), any::<f64>()), 1..50)) {
            let mut gate = gate();
            let mut last = 0.0_f64;
            for (target, x) in inputs {
                let mut command = motion(x);
                let _ = gate.pass(&motion(target), &mut command);
                let out = command.displacement[0];
                prop_assert!(out.is_finite() && out.abs() <= 0.1);
                prop_assert!((out - last).abs() <= 0.001 * (1.0 + 1e-12));
                last = out;
            }
        }
    }
}
