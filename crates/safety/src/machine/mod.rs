//! The state machine of a test, as one pure function: `(state, event) → (state, actions)`.
//!
//! ```text
//!  Init ─start─▶ StartUp ─pressure, manifold─▶ Centering ─next─▶ PreRun ─driver ready─▶ PreCor ─complete─▶ Centering
//!                 holds                         0.5 mm/s          waits                  runs, held by pause
//!                                                  ▲                │ time-out             │ trip
//!                                                  └─── centre ── Error (holds) ◀──────────┘
//!  emergency stop and stop from anywhere ─▶ Stopped (pressure ramps to zero, then off) ─start─▶ StartUp
//! ```
//!
//! Names and sequence are those of LNEC-HS (Tekeste, Correia and Costa 2025, section 2.3). Nothing
//! moves but in `Centering` and `PreCor`; a test goes through every state and every event.

use std::marker::PhantomData;
use tandem_quantity::Verdict;

/// What the operator can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Leave `Init` (or `Stopped`): wait for the hydraulics.
    Start,
    /// Begin the test, from the start position.
    Next,
    /// Hold the command where it is.
    Pause,
    /// Go on after a pause.
    Resume,
    /// Give the test up, or leave an error, and go back to the start position.
    Centre,
    /// Hold, ramp the pressure down, end.
    Stop,
    /// Hold and switch the hydraulics off at once.
    EmergencyStop,
}

impl Order {
    /// All of them, from the strictest to the mildest.
    pub const ALL: [Self; 7] = [
        Self::EmergencyStop,
        Self::Stop,
        Self::Centre,
        Self::Pause,
        Self::Resume,
        Self::Next,
        Self::Start,
    ];

    /// Its name for programs: `emergency-stop`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Next => "next",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Centre => "centre",
            Self::Stop => "stop",
            Self::EmergencyStop => "emergency-stop",
        }
    }

    /// The order of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|order| order.name() == name)
    }
}

/// What the centering is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Centering {
    /// Moves to the start position.
    Moving,
    /// Held on the way.
    Held,
    /// Stands at the start position and waits for the operator.
    AtStart,
    /// Ramps down after a verdict: moves to the start position, then to `Error`.
    RampDown,
}

/// Where a test stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineState {
    /// The plan is read; nothing is switched on.
    Init,
    /// Holds position until pressure and service manifold are reported.
    StartUp {
        /// The working pressure is reported.
        pressure: bool,
        /// The service manifold is reported open.
        manifold: bool,
    },
    /// Moves to the start position.
    Centering(Centering),
    /// Waits for the integration side.
    PreRun,
    /// The test runs, or is held.
    PreCor {
        /// Held by the operator or a verdict; can be resumed.
        held: bool,
    },
    /// Holds; the operator decides.
    Error {
        /// The pistons are at the start position: the test can be repeated without centering.
        at_start: bool,
    },
    /// Over: the pressure ramps down, then the hydraulics are off.
    Stopped {
        /// The hydraulics are off.
        off: bool,
    },
}

impl MachineState {
    /// Every state.
    pub const ALL: [Self; 16] = [
        Self::Init,
        Self::StartUp {
            pressure: false,
            manifold: false,
        },
        Self::StartUp {
            pressure: true,
            manifold: false,
        },
        Self::StartUp {
            pressure: false,
            manifold: true,
        },
        Self::StartUp {
            pressure: true,
            manifold: true,
        },
        Self::Centering(Centering::Moving),
        Self::Centering(Centering::Held),
        Self::Centering(Centering::AtStart),
        Self::Centering(Centering::RampDown),
        Self::PreRun,
        Self::PreCor { held: false },
        Self::PreCor { held: true },
        Self::Error { at_start: false },
        Self::Error { at_start: true },
        Self::Stopped { off: false },
        Self::Stopped { off: true },
    ];

    /// Its name for programs and for the record.
    pub fn name(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::StartUp { .. } => "start-up",
            Self::Centering(Centering::Moving) => "centering",
            Self::Centering(Centering::Held) => "centering-held",
            Self::Centering(Centering::AtStart) => "at-start",
            Self::Centering(Centering::RampDown) => "ramp-down",
            Self::PreRun => "pre-run",
            Self::PreCor { held: false } => "running",
            Self::PreCor { held: true } => "held",
            Self::Error { .. } => "error",
            Self::Stopped { off: false } => "stopping",
            Self::Stopped { off: true } => "stopped",
        }
    }

    /// A word or two for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Init => "Init",
            Self::StartUp { .. } => "Start-up: waiting for pressure and service manifold",
            Self::Centering(Centering::Moving) => "Centering: moving to the start position",
            Self::Centering(Centering::Held) => "Centering: held",
            Self::Centering(Centering::AtStart) => "Centering: at the start position",
            Self::Centering(Centering::RampDown) => "Ramping down to the start position",
            Self::PreRun => "Pre-run: waiting for the integration side",
            Self::PreCor { held: false } => "Running",
            Self::PreCor { held: true } => "Held",
            Self::Error { .. } => "Error: held, the operator decides",
            Self::Stopped { off: false } => "Stopping: the hydraulics are going off",
            Self::Stopped { off: true } => "Stopped",
        }
    }

    /// What may leave the gate in this state.
    #[inline]
    pub fn permits(self) -> Movement {
        match self {
            Self::Centering(Centering::Moving | Centering::RampDown) => Movement::ToStart,
            Self::PreCor { held: false } => Movement::Test,
            _ => Movement::Nothing,
        }
    }

    /// The orders that would be heard in this state, the strictest first.
    pub fn orders(self) -> impl Iterator<Item = Order> {
        let heard = move |order: &Order| next(self, Event::Order(*order)).0 != self;
        Order::ALL.into_iter().filter(heard)
    }
}

/// What may leave the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// No command.
    Nothing,
    /// The slow way to the start position.
    ToStart,
    /// The command of the test.
    Test,
}

/// Leave to move the rig, from the machine in its present state.
///
/// It borrows the machine: while it is there, nothing can happen that would take it back.
///
/// ```
/// use tandem_safety::machine::{Event, Machine, Order};
/// let mut machine = Machine::default();
/// assert!(!machine.permit().is_for_test());
/// machine.happen(Event::Order(Order::Stop));
/// ```
///
/// ```compile_fail,E0502
/// use tandem_safety::machine::{Event, Machine, Order};
/// let mut machine = Machine::default();
/// let permit = machine.permit();
/// machine.happen(Event::Order(Order::Stop));
/// assert!(!permit.is_for_test());
/// ```
///
/// Nobody else can make one:
///
/// ```
/// use tandem_safety::machine::{Machine, Permit};
/// fn given(machine: &Machine) -> Permit<'_> {
///     machine.permit()
/// }
/// ```
///
/// ```compile_fail,E0451
/// use std::marker::PhantomData;
/// use tandem_safety::machine::{Machine, Movement, Permit};
/// fn made(_: &Machine) -> Permit<'_> {
///     Permit { movement: Movement::Test, machine: PhantomData }
/// }
/// ```
#[derive(Debug)]
pub struct Permit<'m> {
    movement: Movement,
    machine: PhantomData<&'m Machine>,
}

impl Permit<'_> {
    /// Whether the command of the test may be written.
    #[inline]
    pub fn is_for_test(&self) -> bool {
        self.movement == Movement::Test
    }

    /// Whether the slow way to the start position may be gone.
    #[inline]
    pub fn is_to_start(&self) -> bool {
        self.movement == Movement::ToStart
    }
}

/// The machine of one test: where it stands, and who gives leave to move.
#[derive(Debug)]
pub struct Machine {
    state: MachineState,
}

impl Default for Machine {
    /// Before the test.
    fn default() -> Self {
        let state = MachineState::Init;
        Self { state }
    }
}

impl Machine {
    /// Where the test stands.
    #[inline]
    pub fn state(&self) -> MachineState {
        self.state
    }

    /// What may be written now.
    #[inline]
    pub fn permit(&self) -> Permit<'_> {
        Permit {
            movement: self.state.permits(),
            machine: PhantomData,
        }
    }

    /// Goes where [`next`] says; what is to be done on the way.
    #[inline]
    pub fn happen(&mut self, event: Event) -> Actions {
        let (state, actions) = next(self.state, event);
        self.state = state;
        actions
    }
}

/// What happens to a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The operator wants something.
    Order(Order),
    /// The working pressure is reported, or lost.
    Pressure(bool),
    /// The service manifold is reported open, or closed.
    Manifold(bool),
    /// The pistons have reached the start position.
    AtStart,
    /// The integration side has its first target.
    DriverReady,
    /// The integration side did not come, or went away.
    DriverLost,
    /// All steps are done.
    Complete,
    /// A limit or a monitor wants this.
    Verdict(Verdict),
    /// The pressure is down and the hydraulics are off.
    HydraulicsOff,
}

impl Event {
    /// Every event.
    pub fn all() -> impl Iterator<Item = Self> {
        let verdicts = [
            Verdict::Continue,
            Verdict::Warn,
            Verdict::Hold,
            Verdict::RampDown,
            Verdict::Trip,
        ];
        let plain = [
            Self::Pressure(false),
            Self::Pressure(true),
            Self::Manifold(false),
            Self::Manifold(true),
            Self::AtStart,
            Self::DriverReady,
            Self::DriverLost,
            Self::Complete,
            Self::HydraulicsOff,
        ];
        let orders = Order::ALL.into_iter().map(Self::Order);
        orders
            .chain(verdicts.into_iter().map(Self::Verdict))
            .chain(plain)
    }
}

/// One thing to do on a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Action {
    /// Nothing leaves the gate any more; the last command stays.
    Hold = 1,
    /// Set the loop back to its beginning and get ready for the integration side.
    Prepare = 2,
    /// Switch the hydraulics off at once.
    HydraulicsOff = 4,
    /// Ramp the pressure to zero, then switch the hydraulics off.
    RampPressure = 8,
    /// Tell the operator what happened.
    Tell = 16,
    /// The test is over: finish the record.
    EndTest = 32,
}

/// A set of actions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Actions(u8);

impl Actions {
    /// Nothing to do.
    pub const NONE: Self = Self(0);

    const fn and(self, action: Action) -> Self {
        Self(self.0 | action as u8)
    }

    /// Whether this action is among them.
    #[inline]
    pub fn contains(self, action: Action) -> bool {
        self.0 & action as u8 != 0
    }
}

/// The next state and what to do on the way. Pure; every combination is defined; what is not listed
/// changes nothing.
#[inline]
pub fn next(state: MachineState, event: Event) -> (MachineState, Actions) {
    use Centering::{AtStart, Held, Moving, RampDown};
    use MachineState as S;
    use Order as O;
    let hold = Actions::NONE.and(Action::Hold);
    let fault = hold.and(Action::Tell);
    let end = hold.and(Action::EndTest);
    let stay = (state, Actions::NONE);
    match (state, event) {
        // From anywhere.
        (S::Stopped { off: true }, Event::Order(O::EmergencyStop | O::Stop)) => stay,
        (_, Event::Order(O::EmergencyStop)) => (
            S::Stopped { off: false },
            end.and(Action::HydraulicsOff).and(Action::Tell),
        ),
        (S::Stopped { off: false }, Event::Order(O::Stop)) => stay,
        (_, Event::Order(O::Stop)) => (S::Stopped { off: false }, end.and(Action::RampPressure)),

        (S::Init | S::Stopped { off: true }, Event::Order(O::Start)) => (
            S::StartUp {
                pressure: false,
                manifold: false,
            },
            hold,
        ),
        (S::Stopped { off: false }, Event::HydraulicsOff) => {
            (S::Stopped { off: true }, Actions::NONE)
        }

        // Start-up: holds until both are there.
        (S::StartUp { manifold, .. }, Event::Pressure(pressure)) => {
            started(pressure, manifold, stay)
        }
        (S::StartUp { pressure, .. }, Event::Manifold(manifold)) => {
            started(pressure, manifold, stay)
        }
        (S::StartUp { .. }, Event::HydraulicsOff) => started(false, false, stay),

        // Lost hydraulics wherever they are needed.
        (
            S::Centering(_) | S::PreRun | S::PreCor { .. },
            Event::Pressure(false) | Event::Manifold(false) | Event::HydraulicsOff,
        ) => (S::Error { at_start: false }, end.and(Action::Tell)),

        // Centering.
        (S::Centering(Moving | Held), Event::AtStart) => (S::Centering(AtStart), hold),
        (S::Centering(RampDown), Event::AtStart) => (S::Error { at_start: true }, fault),
        (S::Centering(Moving), Event::Order(O::Pause) | Event::Verdict(Verdict::Hold)) => {
            (S::Centering(Held), hold)
        }
        (S::Centering(Held), Event::Order(O::Resume | O::Centre)) => {
            (S::Centering(Moving), Actions::NONE)
        }
        (S::Centering(RampDown), Event::Order(O::Pause) | Event::Verdict(Verdict::Hold)) => {
            (S::Error { at_start: false }, fault)
        }
        (S::Centering(AtStart), Event::Order(O::Next)) => {
            (S::PreRun, Actions::NONE.and(Action::Prepare))
        }
        (S::Centering(AtStart), Event::Order(O::Centre)) => (S::Centering(Moving), Actions::NONE),
        (S::Centering(_), Event::Verdict(Verdict::RampDown | Verdict::Trip)) => {
            (S::Error { at_start: false }, fault)
        }

        // Pre-run: waits for the integration side.
        (S::PreRun, Event::DriverReady) => (S::PreCor { held: false }, Actions::NONE),
        (
            S::PreRun,
            Event::DriverLost | Event::Verdict(Verdict::Hold | Verdict::RampDown | Verdict::Trip),
        ) => (S::Error { at_start: true }, end.and(Action::Tell)),
        (S::PreRun, Event::Order(O::Pause | O::Centre)) => (S::Centering(AtStart), end),

        // The test.
        (S::PreCor { held: false }, Event::Order(O::Pause) | Event::Verdict(Verdict::Hold)) => {
            (S::PreCor { held: true }, hold)
        }
        (S::PreCor { held: true }, Event::Order(O::Resume)) => {
            (S::PreCor { held: false }, Actions::NONE)
        }
        (S::PreCor { .. }, Event::Verdict(Verdict::Trip) | Event::DriverLost) => {
            (S::Error { at_start: false }, end.and(Action::Tell))
        }
        (S::PreCor { .. }, Event::Verdict(Verdict::RampDown)) => {
            (S::Centering(RampDown), end.and(Action::Tell))
        }
        (S::PreCor { .. }, Event::Complete | Event::Order(O::Centre)) => {
            (S::Centering(Moving), end)
        }

        // Error: the operator repeats, goes back to centering, or stops (above).
        (S::Error { at_start: true }, Event::Order(O::Next)) => {
            (S::PreRun, Actions::NONE.and(Action::Prepare))
        }
        (S::Error { .. }, Event::Order(O::Centre)) => (S::Centering(Moving), Actions::NONE),
        _ => stay,
    }
}

/// Start-up with these two reports.
#[inline]
fn started(
    pressure: bool,
    manifold: bool,
    stay: (MachineState, Actions),
) -> (MachineState, Actions) {
    let state = MachineState::StartUp { pressure, manifold };
    if pressure && manifold {
        (MachineState::Centering(Centering::Moving), Actions::NONE)
    } else if state == stay.0 {
        stay
    } else {
        (state, Actions::NONE)
    }
}

#[cfg(test)]
mod tests;
