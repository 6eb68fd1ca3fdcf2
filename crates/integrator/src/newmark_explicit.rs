//! Newmark's explicit method: the family with β = 0.

use crate::splitting::OperatorSplitting;
use crate::weights::Weights;
use crate::{Build, Problem};
use tandem_quantity::{Dimension, Entry, Method, Parameter, Range};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "newmark-explicit",
        summary: "explicit Newmark (β = 0): the target is part of the answer, only M and C are factored",
        reference: "Newmark 1959; Mahin and Shing 1985",
        parameters: parameters![
            Parameter::number("gamma", Dimension::NONE, "γ; ½ has no numerical damping")
                .or("0.5")
                .within(Range::between(0.5, 1.0))
        ],
    },
    build: |values, problem, loading| {
        Problem::factor_mass(&problem.total_mass())?;
        let weights = Weights::newmark(values.number("gamma")?, 0.0);
        Ok(Box::new(OperatorSplitting::new(problem, loading, weights)?))
    },
};
