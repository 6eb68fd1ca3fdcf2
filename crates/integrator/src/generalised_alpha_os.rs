//! Generalised-α operator splitting.

use crate::Build;
use crate::splitting::OperatorSplitting;
use crate::weights::Weights;
use tandem_quantity::{Dimension, Entry, Method, Parameter, Range};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "generalised-alpha-os",
        summary: "operator splitting with the weights of the generalised-α method: least damping of low modes for a given one of high modes",
        reference: "Chung and Hulbert 1993; Combescure and Pegon 1997",
        parameters: parameters![
            Parameter::number(
                "rho_inf",
                Dimension::NONE,
                "ρ∞: spectral radius at infinite frequency; 1 has no numerical damping",
            )
            .or("0.8")
            .within(Range::between(0.0, 1.0))
        ],
    },
    build: |values, problem, loading| {
        let weights = Weights::generalised(values.number("rho_inf")?);
        Ok(Box::new(OperatorSplitting::new(problem, loading, weights)?))
    },
};
