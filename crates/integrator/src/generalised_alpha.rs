//! Generalised-α with iteration.

use crate::implicit::Implicit;
use crate::iteration::{Iteration, IterationSettings};
use crate::weights::Weights;
use crate::{Build, IntegratorContext, Stepping};
use tandem_quantity::{Dimension, Entry, Method, Range, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "generalised-alpha",
        summary: "implicit generalised-α, iterated: Newton's method for a structure, a fixed \
            number of questions with a specimen",
        reference: "Chung and Hulbert 1993; Schellenberg et al. 2009",
        parameters: <(Stepping, GeneralisedAlphaSettings)>::PARAMETERS,
    },
    build: &|values, problem, &IntegratorContext { loading, .. }| {
        let settings = GeneralisedAlphaSettings::read(values)?;
        let weights = Weights::generalised(settings.rho_inf);
        let iteration = Iteration::new(&settings.iteration, &problem)?;
        Ok(Box::new(Implicit::new(
            problem, loading, weights, iteration,
        )?))
    },
};

settings! {
    struct GeneralisedAlphaSettings {
        /// ρ∞: spectral radius at infinite frequency; 1 has no numerical damping
        rho_inf: f64 = number(Dimension::NONE).or("0.8").within(Range::between(0.0, 1.0)),
        iteration: IterationSettings,
    }
}
