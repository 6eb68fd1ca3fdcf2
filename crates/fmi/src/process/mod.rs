//! An FMU in a process of its own: a crash, an endless step or a wild write harms nobody else.
//!
//! ```text
//! this process ── socket in a private folder ──▶ worker: the same program, told to serve
//!   Remote        request, reply (or rows)        loads the FMU, does what it is asked
//! ```
//!
//! The socket is not the standard output: FMUs print there what they like.
//!
//! Nothing stays behind: this side ends the worker with all that it has started (its process
//! group), and a worker that has lost this side ends itself.

mod remote;
mod wire;
mod worker;

pub use remote::{Launcher, WorkerInstance};
pub use worker::serve;

/// How long a worker may take to free its FMU after the other side has hung up.
const TIME_TO_END: std::time::Duration = std::time::Duration::from_secs(2);

/// What a worker can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Ask {
    Instantiate,
    EnterConfiguration,
    ExitConfiguration,
    EnterInitialization,
    ExitInitialization,
    Get,
    Set,
    SetText,
    Step,
    EnterStepMode,
    SetTime,
    States,
    SetStates,
    Derivatives,
    Indicators,
    Completed,
    EnterEventMode,
    Update,
    EnterContinuousTime,
    Save,
    Restore,
    Directional,
    Terminate,
    Messages,
    Simulate,
}

impl Ask {
    const ALL: [Self; 25] = [
        Self::Instantiate,
        Self::EnterConfiguration,
        Self::ExitConfiguration,
        Self::EnterInitialization,
        Self::ExitInitialization,
        Self::Get,
        Self::Set,
        Self::SetText,
        Self::Step,
        Self::EnterStepMode,
        Self::SetTime,
        Self::States,
        Self::SetStates,
        Self::Derivatives,
        Self::Indicators,
        Self::Completed,
        Self::EnterEventMode,
        Self::Update,
        Self::EnterContinuousTime,
        Self::Save,
        Self::Restore,
        Self::Directional,
        Self::Terminate,
        Self::Messages,
        Self::Simulate,
    ];

    fn of(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// For messages: what the FMU was busy with.
    fn name(self) -> &'static str {
        match self {
            Self::Instantiate => "loading and instantiation",
            Self::EnterConfiguration => "EnterConfigurationMode",
            Self::ExitConfiguration => "ExitConfigurationMode",
            Self::EnterInitialization => "EnterInitializationMode",
            Self::ExitInitialization => "ExitInitializationMode",
            Self::Get => "Get",
            Self::Set | Self::SetText => "Set",
            Self::Step => "DoStep",
            Self::EnterStepMode => "EnterStepMode",
            Self::SetTime => "SetTime",
            Self::States => "GetContinuousStates",
            Self::SetStates => "SetContinuousStates",
            Self::Derivatives => "GetDerivatives",
            Self::Indicators => "GetEventIndicators",
            Self::Completed => "CompletedIntegratorStep",
            Self::EnterEventMode => "EnterEventMode",
            Self::Update => "UpdateDiscreteStates",
            Self::EnterContinuousTime => "EnterContinuousTimeMode",
            Self::Save => "GetFMUState",
            Self::Restore => "SetFMUState",
            Self::Directional => "GetDirectionalDerivative",
            Self::Terminate => "Terminate",
            Self::Messages => "its messages",
            Self::Simulate => "a step",
        }
    }
}

/// First byte of a reply.
mod reply {
    pub const DONE: u8 = 0;
    pub const ERROR: u8 = 1;
    pub const ROWS: u8 = 2;
}
