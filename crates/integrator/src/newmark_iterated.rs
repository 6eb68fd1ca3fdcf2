//! Newmark's implicit method with iteration.

use crate::implicit::Implicit;
use crate::iteration::{Iteration, IterationSettings};
use crate::weights::Weights;
use crate::{Build, IntegratorContext, Stepping};
use tandem_quantity::{Dimension, Entry, Method, Range, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "newmark-iterated",
        summary: "implicit Newmark, iterated: Newton's method for a structure, a fixed number of \
            questions with a specimen",
        reference: "Newmark 1959; Dorka and Heiland 1991; Shing et al. 1991; Wu et al. 2007",
        parameters: <(Stepping, NewmarkIteratedSettings)>::PARAMETERS,
    },
    build: &|values, problem, &IntegratorContext { loading, .. }| {
        let settings = NewmarkIteratedSettings::read(values)?;
        let weights = Weights::newmark(settings.gamma, settings.beta);
        let iteration = Iteration::new(&settings.iteration, &problem)?;
        Ok(Box::new(Implicit::new(
            problem, loading, weights, iteration,
        )?))
    },
};

settings! {
    struct NewmarkIteratedSettings {
        /// γ; ½ has no numerical damping
        gamma: f64 = number(Dimension::NONE).or("0.5").within(Range::between(0.5, 1.0)),
        /// β; ¼ is average acceleration, which is stable for any step
        beta: f64 = number(Dimension::NONE).or("0.25").within(Range::between(0.05, 0.5)),
        iteration: IterationSettings,
    }
}
