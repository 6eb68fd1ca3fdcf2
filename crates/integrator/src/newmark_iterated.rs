//! Newmark's implicit method with iteration.

use crate::Build;
use crate::implicit::Implicit;
use crate::iteration::{Iteration, iterated};
use crate::weights::Weights;
use tandem_quantity::{Dimension, Entry, Kind, Method, Parameter, Range};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "newmark-iterated",
        summary: "implicit Newmark, iterated: Newton's method for a structure, a fixed number of questions with a specimen",
        reference: "Newmark 1959; Dorka and Heiland 1991; Shing et al. 1991; Wu et al. 2007",
        parameters: iterated![
            Parameter::number("gamma", Dimension::NONE, "γ; ½ has no numerical damping")
                .or("0.5")
                .within(Range::between(0.5, 1.0)),
            Parameter::number(
                "beta",
                Dimension::NONE,
                "β; ¼ is average acceleration, which is stable for any step"
            )
            .or("0.25")
            .within(Range::between(0.05, 0.5)),
        ],
    },
    build: |values, problem, loading| {
        let weights = Weights::newmark(values.number("gamma")?, values.number("beta")?);
        let iteration = Iteration::read(values, &problem)?;
        Ok(Box::new(Implicit::new(
            problem, loading, weights, iteration,
        )?))
    },
};
