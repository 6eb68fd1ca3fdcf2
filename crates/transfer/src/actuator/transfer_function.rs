//! Any stable transfer function, sampled exactly for held commands.

use super::{Actuator, Axis, Build};
use crate::{SampledSystem, StateSpace};
use tandem_quantity::{BuildError, Dimension, Entry, Kind, Method, Parameter, Values, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "transfer-function",
        summary: "numerator over denominator in s, command to displacement, exact for held commands",
        reference: "Van Loan 1978 (matrix exponential of a held input)",
        parameters: &[
            Parameter::of(
                "numerator",
                Kind::Numbers(Dimension::NONE),
                "coefficients of s, highest power first",
            ),
            Parameter::of(
                "denominator",
                Kind::Numbers(Dimension::NONE),
                "coefficients of s, highest power first",
            ),
        ],
    },
    build,
};

fn build(values: &Values, period: f64) -> Result<Box<dyn Actuator>, BuildError> {
    let numerator = values.numbers("numerator")?;
    let denominator = values.numbers("denominator")?;
    let system = StateSpace::from_transfer_function(&numerator, &denominator).map_err(|error| {
        use crate::StateSpaceError::{Improper, Numerator};
        let key = if matches!(error, Numerator | Improper) {
            "numerator"
        } else {
            "denominator"
        };
        BuildError::new(
            key,
            error.to_string(),
            "give a stable, proper transfer function, highest power of s first",
        )
    })?;
    Ok(Box::new(Linear::new(&system, period)))
}

/// An actuator that is a linear system.
#[derive(Clone, Debug)]
pub struct Linear {
    system: SampledSystem,
}

snapshot!(Linear { system });

impl Linear {
    /// Samples `system` every `period` seconds.
    pub fn new(system: &StateSpace, period: f64) -> Self {
        Self {
            system: system.sampled(period),
        }
    }
}

impl Actuator for Linear {
    #[inline]
    fn advance(&mut self, command: Axis) -> Axis {
        self.system.advance(command[0]);
        self.system.output()
    }
}
