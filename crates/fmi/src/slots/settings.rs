//! What the plan writes of an FMU, wherever it stands.

use tandem_quantity::{Conditional, Dimension, settings};

/// The word in the plan.
pub const NAME: &str = "fmu";

settings! {
    /// The FMU, in front of what a place in the plan has of its own.
    pub(super) struct FmuFile {
        /// the FMU: FMI 2.0 or 3.0, Co-Simulation or Model Exchange
        pub(super) fmu: String = path(),
    }
}

settings! {
    /// How an FMU begins, behind what a place in the plan has of its own.
    pub(super) struct FmuStart {
        /// start values, as "name=value"
        pub(super) start: Vec<String> = texts().optional(),
        /// load the FMU into this process, as real time needs it: what it breaks is broken for all
        pub(super) in_process: bool = boolean().or("false"),
        /// longest time for one answer of an FMU in a process of its own
        pub(super) timeout: Conditional<f64> = number(Dimension::TIME).or("\"1 s\"").positive(),
    }
}

settings! {
    /// How an FMU is run that is stepped with the test.
    pub(super) struct FmuHost {
        /// How it begins.
        pub(super) start: FmuStart,
        /// longest time that a step may take; a longer one ends the test
        pub(super) step_limit: Option<f64> = number(Dimension::TIME).positive(),
    }
}

/// Where the interface is described.
pub(super) const REFERENCE: &str = "FMI 2.0.4 and 3.0.1; docs/fmi.md";
