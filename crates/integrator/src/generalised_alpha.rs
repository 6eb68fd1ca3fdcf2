//! Generalised-α with iteration.

use crate::Build;
use crate::implicit::Implicit;
use crate::iteration::{Iteration, iterated};
use crate::weights::Weights;
use tandem_quantity::{Dimension, Entry, Kind, Method, Parameter, Range};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "generalised-alpha",
        summary: "implicit generalised-α, iterated: Newton's method for a structure, a fixed number of questions with a specimen",
        reference: "Chung and Hulbert 1993; Schellenberg et al. 2009",
        parameters: iterated![
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
        let iteration = Iteration::read(values, &problem)?;
        Ok(Box::new(Implicit::new(
            problem, loading, weights, iteration,
        )?))
    },
};
