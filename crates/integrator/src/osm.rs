//! Operator splitting: Newmark's average acceleration with the initial stiffness in the corrector.

use crate::splitting::OperatorSplitting;
use crate::weights::Weights;
use crate::{Build, IntegratorContext, Stepping};
use tandem_quantity::{Entry, Method, Settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "osm",
        summary: "operator splitting: the specimen is asked at the predictor, the corrector uses \
            the initial stiffness",
        reference: "Nakashima et al. 1990",
        parameters: Stepping::PARAMETERS,
    },
    build: &|_, problem, &IntegratorContext { loading, .. }| {
        let weights = Weights::newmark(0.5, 0.25);
        Ok(Box::new(OperatorSplitting::new(problem, loading, weights)?))
    },
};
