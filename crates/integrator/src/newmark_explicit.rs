//! Newmark's explicit method: the family with β = 0.

use crate::splitting::OperatorSplitting;
use crate::weights::Weights;
use crate::{Build, IntegratorContext, Problem, Stepping};
use tandem_quantity::{Dimension, Entry, Method, Range, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "newmark-explicit",
        summary: "explicit Newmark (β = 0): the target is part of the answer, only M and C are \
            factored",
        reference: "Newmark 1959; Mahin and Shing 1985",
        parameters: <(Stepping, NewmarkExplicitSettings)>::PARAMETERS,
    },
    build: &|values, problem, &IntegratorContext { loading, .. }| {
        let settings = NewmarkExplicitSettings::read(values)?;
        Problem::factor_mass(&problem.total_mass())?;
        let weights = Weights::newmark(settings.gamma, 0.0);
        Ok(Box::new(OperatorSplitting::new(problem, loading, weights)?))
    },
};

settings! {
    struct NewmarkExplicitSettings {
        /// γ; ½ has no numerical damping
        gamma: f64 = number(Dimension::NONE).or("0.5").within(Range::between(0.5, 1.0)),
    }
}
