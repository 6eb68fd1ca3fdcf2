//! Modified KR-α: less overshoot for the same damping of high modes.

use crate::Build;
use crate::kr_alpha::KrAlpha;
use crate::weights::Weights;
use tandem_quantity::{Dimension, Entry, Method, Parameter, Range};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "mkr-alpha",
        summary: "explicit, as kr-alpha with another set of weights: all three roots have modulus ρ∞ at infinite frequency",
        reference: "Kolay and Ricles 2019",
        parameters: parameters![
            Parameter::number(
                "rho_inf",
                Dimension::NONE,
                "ρ∞: spectral radius at infinite frequency; 1 has no numerical damping",
            )
            .or("0.75")
            .within(Range::between(0.0, 1.0))
        ],
    },
    build: |values, problem, loading| {
        let weights = Weights::modified(values.number("rho_inf")?);
        Ok(Box::new(KrAlpha::new(problem, loading, weights)?))
    },
};
