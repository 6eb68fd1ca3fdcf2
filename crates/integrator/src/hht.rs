//! HHT-α with iteration.

use crate::implicit::Implicit;
use crate::iteration::{Iteration, IterationSettings};
use crate::weights::{Weights, alpha};
use crate::{Build, IntegratorContext, Stepping};
use tandem_quantity::{Dimension, Entry, Method, Range, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "hht",
        summary: "implicit HHT-α, iterated: Newton's method for a structure, a fixed number of \
            questions with a specimen",
        reference: "Hilber, Hughes and Taylor 1977; Shing et al. 1991",
        parameters: <(Stepping, HhtSettings)>::PARAMETERS,
    },
    build: &|values, problem, &IntegratorContext { loading, .. }| {
        let settings = HhtSettings::read(values)?;
        let weights = Weights::hht(alpha(settings.alpha)?);
        let iteration = Iteration::new(&settings.iteration, &problem)?;
        Ok(Box::new(Implicit::new(
            problem, loading, weights, iteration,
        )?))
    },
};

settings! {
    struct HhtSettings {
        /// α from −⅓ (most damping) to 0; or 1 + α, the sign of OpenSees, from 0.667 to 1: 0.9
        /// means −0.1
        alpha: f64 = number(Dimension::NONE).or("-0.1").within(Range::between(-0.334, 1.0)),
        iteration: IterationSettings,
    }
}
