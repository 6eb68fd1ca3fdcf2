//! Newmark's average-acceleration method with the specimen's force predicted linearly.

use crate::splitting::OperatorSplitting;
use crate::weights::Weights;
use crate::{Build, IntegratorContext, Stepping};
use tandem_quantity::{Dimension, Entry, Method, Range, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "newmark",
        summary: "implicit Newmark (average acceleration); forces continued linearly from the \
            predictor, no iteration",
        reference: "Newmark 1959; Nakashima et al. 1990",
        parameters: <(Stepping, NewmarkSettings)>::PARAMETERS,
    },
    build: &|values, problem, &IntegratorContext { loading, .. }| {
        let settings = NewmarkSettings::read(values)?;
        let weights = Weights::newmark(settings.gamma, settings.beta);
        Ok(Box::new(OperatorSplitting::new(problem, loading, weights)?))
    },
};

settings! {
    struct NewmarkSettings {
        /// γ; ½ has no numerical damping
        gamma: f64 = number(Dimension::NONE).or("0.5").within(Range::between(0.5, 1.0)),
        /// β; ¼ is average acceleration
        beta: f64 = number(Dimension::NONE).or("0.25").within(Range::between(0.0, 0.5)),
    }
}
