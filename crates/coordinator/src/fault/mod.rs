//! Scripted faults: what goes wrong in a laboratory, put between the loop and its components at a
//! planned time.
//!
//! A plan lists them in `[[faults]]`; `tandem drill` tries all of them one by one. A fault of the
//! sensors, the actuator or the link to the device stands around the rig ([`FaultyRig`]), one of
//! the integration side around the integrator ([`FaultyIntegrator`]); one of the machine or of the
//! desk is the supervisor's. All go by the clock of the test: its ticks, not those of the way to
//! the start.

mod driver;
mod rig;

pub use driver::FaultyIntegrator;
pub use rig::FaultyRig;

use tandem_quantity::{
    BuildError, Dimension, Parameter, Range, Settings, Values, choice, settings,
};

choice! {
    /// What goes wrong.
    pub enum FaultKind {
        /// A displacement sensor repeats its last value.
        DisplacementFreezes = "displacement-freezes",
        /// A displacement sensor is off by `displacement` from now on.
        DisplacementJumps = "displacement-jumps",
        /// A displacement sensor drifts away by `displacement` in a second.
        DisplacementDrifts = "displacement-drifts",
        /// A displacement sensor reads zero.
        DisplacementDropsOut = "displacement-drops-out",
        /// A displacement sensor stands at `displacement`, the end of its range.
        DisplacementSaturates = "displacement-saturates",
        /// A displacement is not a number.
        DisplacementNotFinite = "displacement-nan",
        /// A load cell repeats its last value.
        ForceFreezes = "force-freezes",
        /// A load cell is off by `force` from now on.
        ForceJumps = "force-jumps",
        /// A load cell is off by `force` for one tick.
        ForceSpikes = "force-spike",
        /// A load cell reads zero.
        ForceDropsOut = "force-drops-out",
        /// A load cell stands at `force`, the end of its range.
        ForceSaturates = "force-saturates",
        /// A load cell has the wrong sign.
        ForceReverses = "force-reverses",
        /// A force is not a number.
        ForceNotFinite = "force-nan",
        /// The specimen keeps only `factor` of its force.
        SpecimenFractures = "specimen-fractures",
        /// The piston stands still whatever is commanded.
        ActuatorSticks = "actuator-sticks",
        /// The valve is fully open and the piston makes `displacement` in a second at most.
        ActuatorSaturates = "actuator-saturates",
        /// Nothing passes between coordinator and device.
        LinkStalls = "link-stalls",
        /// Ten of twelve messages are lost both ways.
        LinkDrops = "link-drops",
        /// The device repeats one measurement.
        LinkDuplicates = "link-duplicates",
        /// The device's clock jumps by a second.
        ClockJumps = "clock-jumps",
        /// The pressure is lost.
        PressureLost = "pressure-lost",
        /// The service manifold closes.
        ManifoldCloses = "manifold-closes",
        /// The hardware's emergency chain opens.
        EmergencyChainOpens = "emergency-chain",
        /// The integration side has no target in time.
        TargetLate = "target-late",
        /// The integration side goes away.
        DriverLost = "driver-lost",
        /// A target is not a number.
        TargetNotFinite = "target-nan",
        /// A target is off by `displacement`.
        TargetJumps = "target-jumps",
        /// A target is 10 m away.
        TargetBeyondStroke = "target-beyond-stroke",
        /// The machine wakes the loop too late, every time.
        DeadlinesMissed = "deadlines-missed",
        /// Nobody is heard at the desk any more.
        OperatorLost = "operator-lost",
    }
}

use FaultKind as K;

impl FaultKind {
    /// Its name in the plan and in the drill, and what it is in words.
    pub fn names(self) -> (&'static str, &'static str) {
        let words = match self {
            K::DisplacementFreezes => "displacement sensor freezes",
            K::DisplacementJumps => "displacement sensor jumps",
            K::DisplacementDrifts => "displacement sensor drifts",
            K::DisplacementDropsOut => "displacement sensor drops out",
            K::DisplacementSaturates => "displacement sensor at the end of its range",
            K::DisplacementNotFinite => "displacement is not a number",
            K::ForceFreezes => "load cell freezes",
            K::ForceJumps => "load cell jumps",
            K::ForceSpikes => "force spike of one tick",
            K::ForceDropsOut => "load cell drops out",
            K::ForceSaturates => "load cell at the end of its range",
            K::ForceReverses => "load cell with the wrong sign",
            K::ForceNotFinite => "force is not a number",
            K::SpecimenFractures => "specimen fractures",
            K::ActuatorSticks => "piston stands still",
            K::ActuatorSaturates => "valve fully open",
            K::LinkStalls => "link to the device stalls",
            K::LinkDrops => "link loses ten of twelve messages",
            K::LinkDuplicates => "device repeats one measurement",
            K::ClockJumps => "clock of the device jumps",
            K::PressureLost => "pressure is lost",
            K::ManifoldCloses => "service manifold closes",
            K::EmergencyChainOpens => "emergency chain opens",
            K::TargetLate => "target stays away",
            K::DriverLost => "integration side goes away",
            K::TargetNotFinite => "target is not a number",
            K::TargetJumps => "target jumps",
            K::TargetBeyondStroke => "target 10 m away",
            K::DeadlinesMissed => "machine misses its deadlines",
            K::OperatorLost => "operator goes away",
        };
        (self.word(), words)
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
    pub kind: FaultKind,
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
pub static PARAMETERS: &[Parameter] = FaultSettings::PARAMETERS;

settings! {
    struct FaultSettings {
        /// what goes wrong
        kind: FaultKind = choice(FaultKind::WORDS),
        /// when it happens, in structural time
        at: f64 = number(Dimension::TIME).not_negative(),
        /// how long it lasts; default: to the end
        duration: Option<f64> = number(Dimension::TIME).positive(),
        /// whose sensors or piston; of a fault of targets: which degree of freedom of the
        /// interface; from 1
        actuator: usize = integer().or("1").within(Range::between(1.0, 1e6)),
        /// size of a fault of a displacement; of a drift or a saturated actuator: in a second
        displacement: f64 = number(Dimension::LENGTH).or("\"10 mm\""),
        /// size of a fault of a force
        force: f64 = number(Dimension::FORCE).or("\"10 kN\""),
        /// what a fractured specimen keeps of its force
        factor: f64 = number(Dimension::NONE).or("0.05").within(Range::between(0.0, 1.0)),
    }
}

impl Fault {
    /// From a table of the plan, for so many actuators and degrees of freedom of the interface.
    pub fn read(values: &Values, actuators: usize, interface: usize) -> Result<Self, BuildError> {
        let settings = FaultSettings::read(values)?;
        let (kind, actuator) = (settings.kind, settings.actuator);
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
            at: settings.at,
            duration: settings.duration.unwrap_or(f64::INFINITY),
            actuator: actuator - 1,
            displacement: settings.displacement,
            force: settings.force,
            factor: settings.factor,
        })
    }

    /// Ticks since it began, where it is there at `tick`; `rate` is the number of ticks in a second
    /// of structural time.
    #[inline]
    pub(crate) fn ticks_into(&self, tick: u64, rate: f64) -> Option<f64> {
        let elapsed = tick as f64 - (self.at * rate).round();
        let duration = match self.kind {
            K::ForceSpikes => 1.0,
            _ => self.duration * rate,
        };
        Self::lasts(elapsed, duration).then_some(elapsed)
    }

    /// Whether it is there `elapsed` units after its beginning, when it lasts for `duration` of
    /// them.
    #[inline]
    fn lasts(elapsed: f64, duration: f64) -> bool {
        elapsed >= 0.0 && elapsed < duration
    }
}
