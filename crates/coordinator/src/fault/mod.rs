//! Scripted faults: what goes wrong in a laboratory, put between the loop and its components at a
//! planned time.
//!
//! A plan lists them in `[[faults]]`; `tandem drill` tries all of them one by one. A fault of the
//! sensors, the actuator or the link to the device stands around the rig ([`FaultyRig`]), one of
//! the integration side around the integrator ([`FaultyIntegrator`]); one of the machine or of the
//! desk is the supervisor's. All go by the clock of the test: its ticks, not those of the way to
//! the start.

mod actuator_saturates;
mod actuator_sticks;
mod clock_jumps;
mod deadlines_missed;
mod displacement_drifts;
mod displacement_drops_out;
mod displacement_freezes;
mod displacement_jumps;
mod displacement_nan;
mod displacement_saturates;
mod driver;
mod driver_lost;
mod emergency_chain;
mod force_drops_out;
mod force_freezes;
mod force_jumps;
mod force_nan;
mod force_reverses;
mod force_saturates;
mod force_spike;
mod link_drops;
mod link_duplicates;
mod link_stalls;
mod manifold_closes;
mod operator_lost;
mod pressure_lost;
mod rig;
mod specimen_fractures;
mod target_beyond_stroke;
mod target_jumps;
mod target_late;
mod target_nan;

pub use driver::FaultyIntegrator;
pub use rig::FaultyRig;

use tandem_integrator::Readiness;
use tandem_quantity::settings::{Setting, Shape};
use tandem_quantity::{BuildError, Dimension, Parameter, Range, Settings, Values, settings};
use tandem_safety::Status;
use tandem_safety::gate::{Limits, SafetyGate, Violation};

/// All kinds, in the order of a drill.
const ALL: &[&FaultKind] = &[
    &displacement_freezes::FAULT,
    &displacement_jumps::FAULT,
    &displacement_drifts::FAULT,
    &displacement_drops_out::FAULT,
    &displacement_saturates::FAULT,
    &displacement_nan::FAULT,
    &force_freezes::FAULT,
    &force_jumps::FAULT,
    &force_spike::FAULT,
    &force_drops_out::FAULT,
    &force_saturates::FAULT,
    &force_reverses::FAULT,
    &force_nan::FAULT,
    &specimen_fractures::FAULT,
    &actuator_sticks::FAULT,
    &actuator_saturates::FAULT,
    &link_stalls::FAULT,
    &link_drops::FAULT,
    &link_duplicates::FAULT,
    &clock_jumps::FAULT,
    &pressure_lost::FAULT,
    &manifold_closes::FAULT,
    &emergency_chain::FAULT,
    &target_late::FAULT,
    &driver_lost::FAULT,
    &target_nan::FAULT,
    &target_jumps::FAULT,
    &target_beyond_stroke::FAULT,
    &deadlines_missed::FAULT,
    &operator_lost::FAULT,
];

/// Their words in a plan.
const WORDS: &[&str] = &{
    let mut words = [""; ALL.len()];
    let mut k = 0;
    while k < words.len() {
        words[k] = ALL[k].name;
        k += 1;
    }
    words
};

/// What goes wrong: what that does, who notices it, and how a drill tries it.
#[derive(Clone, Copy)]
pub struct FaultKind {
    /// Its name in the plan and in the drill.
    pub name: &'static str,
    /// What it is in words.
    pub words: &'static str,
    /// Who notices it in the drill of the quick start.
    pub detector: &'static str,
    effect: Effect,
    /// How long it lasts; none: as the plan says.
    ticks: Option<f64>,
    /// Whether it is tried at an early moment too: its detectors go by what the test has shown so
    /// far.
    pub early: bool,
    /// Why a plan with these limits cannot meet it.
    pub lacks: fn(&Limits) -> Option<&'static str>,
    /// Its sizes in a drill, m (of the largest command, m) and N: large enough to matter, within
    /// what the limits allow at first sight.
    displacement: fn(&Limits, f64) -> f64,
    force: fn(&Limits) -> f64,
    /// For how long a drill watches it, s of wall time.
    pub watched: fn(&Limits) -> f64,
}

/// What a fault does, and to whom.
#[derive(Clone, Copy)]
enum Effect {
    /// To what the sensors of its actuator say.
    Sensors(fn(&Fault, Said<'_>)),
    /// To its piston, which makes a way of so much in a second at most, m, and to its valve.
    Piston {
        speed: fn(&Fault) -> f64,
        valve: Option<f64>,
    },
    /// To the link: whether nothing passes, so many ticks after its beginning.
    Link(fn(f64, To) -> bool),
    /// To what the rig says of itself.
    Status(fn(&mut Status)),
    /// To the target of its degree of freedom, m.
    Target(fn(&Fault, &mut f64)),
    /// To the answer of the integration side.
    Poll(Readiness),
    /// To the machine or the desk: what the gate says so many ticks after its beginning, of a
    /// period in s.
    Host(fn(&SafetyGate, f64, f64) -> Violation),
}

/// What the sensors of an actuator say.
struct Said<'a> {
    /// m.
    displacement: &'a mut f64,
    /// N.
    force: &'a mut f64,
    /// Both as the loop was told before.
    before: [f64; 2],
    /// Ticks since the fault began, and how many there are in a second of wall time.
    ticks: f64,
    rate: f64,
}

/// Where a message goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum To {
    Coordinator,
    Device,
}

/// For how long a fault is watched, s of wall time: the slowest detectors take one.
const WATCHED: f64 = 5.0;

/// The stroke of a plan, m, also where it has no limit.
fn stroke(limits: &Limits, peak: f64) -> f64 {
    limits.stroke.unwrap_or(10.0 * peak)
}

impl FaultKind {
    /// All kinds, in the order of a drill.
    pub const ALL: &[&Self] = ALL;

    /// The kind of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|kind| kind.name == name)
    }

    /// A kind that every plan can meet.
    const fn new(
        name: &'static str,
        words: &'static str,
        detector: &'static str,
        effect: Effect,
    ) -> Self {
        Self {
            name,
            words,
            detector,
            effect,
            ticks: None,
            early: false,
            lacks: |_| None,
            displacement: |limits, peak| 0.2 * stroke(limits, peak),
            force: |limits| match limits.force {
                Some(force) if force.is_finite() => 0.5 * force,
                _ => 50e3,
            },
            watched: |_| WATCHED,
        }
    }

    /// As a drill tries it on an actuator, whose largest command is `peak` m, at a structural time.
    pub fn rehearsed(&'static self, at: f64, actuator: usize, limits: &Limits, peak: f64) -> Fault {
        Fault {
            kind: self,
            at,
            duration: f64::INFINITY,
            actuator,
            displacement: (self.displacement)(limits, peak),
            force: (self.force)(limits),
            factor: 0.02,
        }
    }

    /// Whether it is one of the machine or of the desk.
    pub fn is_of_the_room(&self) -> bool {
        matches!(self.effect, Effect::Host(_))
    }

    /// Whether it is one of an actuator, its sensors or what it holds: each of several can have it.
    pub fn is_of_an_actuator(&self) -> bool {
        matches!(self.effect, Effect::Sensors(_) | Effect::Piston { .. })
    }

    /// Whether it stands on the integration side.
    pub fn is_of_driver(&self) -> bool {
        matches!(self.effect, Effect::Target(_) | Effect::Poll(_))
    }
}

impl PartialEq for FaultKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Debug for FaultKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Setting for &'static FaultKind {
    const SHAPE: Shape = Shape::Choice;
    fn at(values: &Values, key: &str) -> Result<Self, BuildError> {
        let word = values.text(key)?;
        FaultKind::named(word).ok_or_else(|| {
            let help = format!("write one of {}", WORDS.join(", "));
            BuildError::new(key, format!("unknown word `{word}`"), help)
        })
    }
}

/// A fault of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// What goes wrong.
    pub kind: &'static FaultKind,
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
        kind: &'static FaultKind = choice(WORDS),
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
    fn ticks_into(&self, tick: u64, rate: f64) -> Option<f64> {
        let elapsed = tick as f64 - (self.at * rate).round();
        let duration = self.kind.ticks.unwrap_or(self.duration * rate);
        Self::lasts(elapsed, duration).then_some(elapsed)
    }

    /// What the gate says to one of the machine or of the desk, where it is there at `tick`; ticks
    /// of `period` s, `rate` of them in a second of structural time.
    #[inline]
    pub(crate) fn at_host(
        &self,
        gate: &SafetyGate,
        tick: u64,
        rate: f64,
        period: f64,
    ) -> Option<Violation> {
        let Effect::Host(said) = self.kind.effect else {
            return None;
        };
        Some(said(gate, self.ticks_into(tick, rate)?, period))
    }

    /// Whether it is there `elapsed` units after its beginning, when it lasts for `duration` of
    /// them.
    #[inline]
    fn lasts(elapsed: f64, duration: f64) -> bool {
        elapsed >= 0.0 && elapsed < duration
    }
}
