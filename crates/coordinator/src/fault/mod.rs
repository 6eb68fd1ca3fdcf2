//! Scripted faults: what goes wrong in a laboratory, put between the loop and its tenants at a planned time.
//!
//! A plan lists them in `[[faults]]`; `tandem drill` tries all of them one by one. A fault of the sensors, the actuator or the link to
//! the device stands around the rig ([`FaultyRig`]), one of the integration side around the integrator ([`FaultyDriver`]); one of the machine or
//! of the desk is the conductor's. All go by the clock of the test: its ticks, not those of the way to the start.

mod driver;
mod rig;

pub use driver::FaultyDriver;
pub use rig::FaultyRig;

use tandem_quantity::{BuildError, Dimension, Kind as ValueKind, Parameter, Range, Values};

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A displacement sensor repeats its last value.
    DisplacementFreezes,
    /// A displacement sensor is off by `displacement` from now on.
    DisplacementJumps,
    /// A displacement sensor drifts away by `displacement` in a second.
    DisplacementDrifts,
    /// A displacement sensor reads zero.
    DisplacementDropsOut,
    /// A displacement sensor stands at `displacement`, the end of its range.
    DisplacementSaturates,
    /// A displacement is not a number.
    DisplacementNotFinite,
    /// A load cell repeats its last value.
    ForceFreezes,
    /// A load cell is off by `force` from now on.
    ForceJumps,
    /// A load cell is off by `force` for one tick.
    ForceSpikes,
    /// A load cell reads zero.
    ForceDropsOut,
    /// A load cell stands at `force`, the end of its range.
    ForceSaturates,
    /// A load cell has the wrong sign.
    ForceReverses,
    /// A force is not a number.
    ForceNotFinite,
    /// The specimen keeps only `factor` of its force.
    SpecimenFractures,
    /// The piston stands still whatever is commanded.
    ActuatorSticks,
    /// The valve is fully open and the piston makes `displacement` in a second at most.
    ActuatorSaturates,
    /// Nothing passes between coordinator and device.
    LinkStalls,
    /// Ten of twelve messages are lost both ways.
    LinkDrops,
    /// The device repeats one measurement.
    LinkDuplicates,
    /// The device's clock jumps by a second.
    ClockJumps,
    /// The pressure is lost.
    PressureLost,
    /// The service manifold closes.
    ManifoldCloses,
    /// The hardware's emergency chain opens.
    EmergencyChainOpens,
    /// The integration side has no target in time.
    TargetLate,
    /// The integration side goes away.
    DriverLost,
    /// A target is not a number.
    TargetNotFinite,
    /// A target is off by `displacement`.
    TargetJumps,
    /// A target is 10 m away.
    TargetBeyondStroke,
    /// The machine wakes the loop too late, every time.
    DeadlinesMissed,
    /// Nobody is heard at the desk any more.
    OperatorLost,
}

use Kind as K;

impl Kind {
    /// All of them, in the order of the drill.
    pub const ALL: [Self; 30] = [
        K::DisplacementFreezes,
        K::DisplacementJumps,
        K::DisplacementDrifts,
        K::DisplacementDropsOut,
        K::DisplacementSaturates,
        K::DisplacementNotFinite,
        K::ForceFreezes,
        K::ForceJumps,
        K::ForceSpikes,
        K::ForceDropsOut,
        K::ForceSaturates,
        K::ForceReverses,
        K::ForceNotFinite,
        K::SpecimenFractures,
        K::ActuatorSticks,
        K::ActuatorSaturates,
        K::LinkStalls,
        K::LinkDrops,
        K::LinkDuplicates,
        K::ClockJumps,
        K::PressureLost,
        K::ManifoldCloses,
        K::EmergencyChainOpens,
        K::TargetLate,
        K::DriverLost,
        K::TargetNotFinite,
        K::TargetJumps,
        K::TargetBeyondStroke,
        K::DeadlinesMissed,
        K::OperatorLost,
    ];

    /// Its name in the plan and in the drill, and what it is in words.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            K::DisplacementFreezes => ("displacement-freezes", "displacement sensor freezes"),
            K::DisplacementJumps => ("displacement-jumps", "displacement sensor jumps"),
            K::DisplacementDrifts => ("displacement-drifts", "displacement sensor drifts"),
            K::DisplacementDropsOut => ("displacement-drops-out", "displacement sensor drops out"),
            K::DisplacementSaturates => (
                "displacement-saturates",
                "displacement sensor at the end of its range",
            ),
            K::DisplacementNotFinite => ("displacement-nan", "displacement is not a number"),
            K::ForceFreezes => ("force-freezes", "load cell freezes"),
            K::ForceJumps => ("force-jumps", "load cell jumps"),
            K::ForceSpikes => ("force-spike", "force spike of one tick"),
            K::ForceDropsOut => ("force-drops-out", "load cell drops out"),
            K::ForceSaturates => ("force-saturates", "load cell at the end of its range"),
            K::ForceReverses => ("force-reverses", "load cell with the wrong sign"),
            K::ForceNotFinite => ("force-nan", "force is not a number"),
            K::SpecimenFractures => ("specimen-fractures", "specimen fractures"),
            K::ActuatorSticks => ("actuator-sticks", "piston stands still"),
            K::ActuatorSaturates => ("actuator-saturates", "valve fully open"),
            K::LinkStalls => ("link-stalls", "link to the device stalls"),
            K::LinkDrops => ("link-drops", "link loses ten of twelve messages"),
            K::LinkDuplicates => ("link-duplicates", "device repeats one measurement"),
            K::ClockJumps => ("clock-jumps", "clock of the device jumps"),
            K::PressureLost => ("pressure-lost", "pressure is lost"),
            K::ManifoldCloses => ("manifold-closes", "service manifold closes"),
            K::EmergencyChainOpens => ("emergency-chain", "emergency chain opens"),
            K::TargetLate => ("target-late", "target stays away"),
            K::DriverLost => ("driver-lost", "integration side goes away"),
            K::TargetNotFinite => ("target-nan", "target is not a number"),
            K::TargetJumps => ("target-jumps", "target jumps"),
            K::TargetBeyondStroke => ("target-beyond-stroke", "target 10 m away"),
            K::DeadlinesMissed => ("deadlines-missed", "machine misses its deadlines"),
            K::OperatorLost => ("operator-lost", "operator goes away"),
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.names().0 == name)
    }

    /// Whether it is one of the machine or of the desk.
    pub fn is_of_the_room(self) -> bool {
        matches!(self, K::DeadlinesMissed | K::OperatorLost)
    }

    /// Whether it is one of an actuator, its sensors or what it holds: each of several can have it.
    pub fn is_of_an_actuator(self) -> bool {
        match self {
            K::DisplacementFreezes
            | K::DisplacementJumps
            | K::DisplacementDrifts
            | K::DisplacementDropsOut
            | K::DisplacementSaturates
            | K::DisplacementNotFinite
            | K::ForceFreezes
            | K::ForceJumps
            | K::ForceSpikes
            | K::ForceDropsOut
            | K::ForceSaturates
            | K::ForceReverses
            | K::ForceNotFinite
            | K::SpecimenFractures
            | K::ActuatorSticks
            | K::ActuatorSaturates => true,
            K::LinkStalls
            | K::LinkDrops
            | K::LinkDuplicates
            | K::ClockJumps
            | K::PressureLost
            | K::ManifoldCloses
            | K::EmergencyChainOpens
            | K::TargetLate
            | K::DriverLost
            | K::TargetNotFinite
            | K::TargetJumps
            | K::TargetBeyondStroke
            | K::DeadlinesMissed
            | K::OperatorLost => false,
        }
    }

    /// Whether it stands on the integration side.
    pub fn is_of_driver(self) -> bool {
        matches!(
            self,
            K::TargetLate
                | K::DriverLost
                | K::TargetNotFinite
                | K::TargetJumps
                | K::TargetBeyondStroke
        )
    }
}

/// A fault of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// What goes wrong.
    pub kind: Kind,
    /// When, structural time in s, and for how long.
    pub at: f64,
    /// Infinite: to the end.
    pub duration: f64,
    /// Where, from zero.
    pub actuator: usize,
    /// Size of faults of a displacement, m (or m/s).
    pub displacement: f64,
    /// Size of faults of a force, N.
    pub force: f64,
    /// What remains of the specimen's force.
    pub factor: f64,
}

/// The section `[[faults]]` in the plan.
pub static PARAMETERS: &[Parameter] = &[
    Parameter::of(
        "kind",
        ValueKind::Choice(&[
            "displacement-freezes",
            "displacement-jumps",
            "displacement-drifts",
            "displacement-drops-out",
            "displacement-saturates",
            "displacement-nan",
            "force-freezes",
            "force-jumps",
            "force-spike",
            "force-drops-out",
            "force-saturates",
            "force-reverses",
            "force-nan",
            "specimen-fractures",
            "actuator-sticks",
            "actuator-saturates",
            "link-stalls",
            "link-drops",
            "link-duplicates",
            "clock-jumps",
            "pressure-lost",
            "manifold-closes",
            "emergency-chain",
            "target-late",
            "driver-lost",
            "target-nan",
            "target-jumps",
            "target-beyond-stroke",
            "deadlines-missed",
            "operator-lost",
        ]),
        "what goes wrong",
    ),
    Parameter::number("at", Dimension::TIME, "when it happens, in structural time").not_negative(),
    Parameter::number(
        "duration",
        Dimension::TIME,
        "how long it lasts; default: to the end",
    )
    .optional()
    .positive(),
    Parameter::integer(
        "actuator",
        "whose sensors or piston; of a fault of targets: which degree of freedom of the interface; from 1",
    )
        .or("1")
        .within(Range::between(1.0, 1e6)),
    Parameter::number(
        "displacement",
        Dimension::LENGTH,
        "size of a fault of a displacement; of a drift or a saturated actuator: in a second",
    )
    .or("\"10 mm\""),
    Parameter::number("force", Dimension::FORCE, "size of a fault of a force").or("\"10 kN\""),
    Parameter::number(
        "factor",
        Dimension::NONE,
        "what a fractured specimen keeps of its force",
    )
    .or("0.05")
    .within(Range::between(0.0, 1.0)),
];

impl Fault {
    /// From a table of the plan, for so many actuators and degrees of freedom of the interface.
    pub fn read(values: &Values, actuators: usize, interface: usize) -> Result<Self, BuildError> {
        let name = values.text("kind")?;
        let kind = Kind::from_name(name).ok_or_else(|| {
            BuildError::new(
                "kind",
                format!("there is no fault \"{name}\""),
                "see docs/plan.md",
            )
        })?;
        let actuator = values.count("actuator")?;
        // A linkage may stand between the actuators and the interface, whose targets these are.
        let (what, count, whose) = if kind.is_of_driver() {
            ("degree of freedom", interface, "the interface has")
        } else {
            ("actuator", actuators, "the rig has")
        };
        if actuator == 0 || actuator > count {
            return Err(BuildError::new(
                "actuator",
                format!("there is no {what} {actuator} for this fault"),
                format!("{whose} 1 to {count}"),
            ));
        }
        Ok(Self {
            kind,
            at: values.number("at")?,
            duration: values.optional_number("duration").unwrap_or(f64::INFINITY),
            actuator: actuator - 1,
            displacement: values.number("displacement")?,
            force: values.number("force")?,
            factor: values.number("factor")?,
        })
    }

    /// Ticks since it began, where it is there at `tick`; `rate` is the number of ticks in a second of structural time.
    #[inline]
    pub(crate) fn ticks_into(&self, tick: u64, rate: f64) -> Option<f64> {
        #[allow(clippy::cast_precision_loss)]
        let elapsed = tick as f64 - (self.at * rate).round();
        let duration = match self.kind {
            K::ForceSpikes => 1.0,
            _ => self.duration * rate,
        };
        Self::lasts(elapsed, duration).then_some(elapsed)
    }

    /// Whether it is there `elapsed` units after its beginning, when it lasts for `duration` of them.
    #[inline]
    fn lasts(elapsed: f64, duration: f64) -> bool {
        elapsed >= 0.0 && elapsed < duration
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_knows_every_kind() {
        let ValueKind::Choice(names) = PARAMETERS[0].kind else {
            panic!("not a choice");
        };
        let kinds: Vec<_> = Kind::ALL.iter().map(|kind| kind.names().0).collect();
        assert_eq!(names, kinds);
    }
}
