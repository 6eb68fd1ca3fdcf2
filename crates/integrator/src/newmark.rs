//! Newmark's average-acceleration method with the specimen's force predicted linearly.

use crate::Build;
use crate::splitting::OperatorSplitting;
use crate::weights::Weights;
use tandem_quantity::{Dimension, Entry, Method, Parameter, Range};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "newmark",
        summary: "implicit Newmark (average acceleration); forces continued linearly from the predictor, no iteration",
        reference: "Newmark 1959; Nakashima et al. 1990",
        parameters: parameters![
            Parameter::number("gamma", Dimension::NONE, "γ; ½ has no numerical damping")
                .or("0.5")
                .within(Range::between(0.5, 1.0)),
            Parameter::number("beta", Dimension::NONE, "β; ¼ is average acceleration")
                .or("0.25")
                .within(Range::between(0.0, 0.5)),
        ],
    },
    build: |values, problem, loading| {
        let weights = Weights::newmark(values.number("gamma")?, values.number("beta")?);
        Ok(Box::new(OperatorSplitting::new(problem, loading, weights)?))
    },
};
