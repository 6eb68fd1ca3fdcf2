//! HHT-α with iteration.

use crate::Build;
use crate::implicit::Implicit;
use crate::iteration::{Iteration, iterated};
use crate::weights::{Weights, alpha};
use tandem_quantity::{Dimension, Entry, Kind, Method, Parameter, Range};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "hht",
        summary: "implicit HHT-α, iterated: Newton's method for a structure, a fixed number of questions with a specimen",
        reference: "Hilber, Hughes and Taylor 1977; Shing et al. 1991",
        parameters: iterated![
            Parameter::number(
                "alpha",
                Dimension::NONE,
                "α from −⅓ (most damping) to 0; or 1 + α, the sign of OpenSees, from 0.667 to 1: 0.9 means −0.1",
            )
            .or("-0.1")
            .within(Range::between(-0.334, 1.0))
        ],
    },
    build: |values, problem, loading| {
        let weights = Weights::hht(alpha(values.number("alpha")?)?);
        let iteration = Iteration::read(values, &problem)?;
        Ok(Box::new(Implicit::new(
            problem, loading, weights, iteration,
        )?))
    },
};
