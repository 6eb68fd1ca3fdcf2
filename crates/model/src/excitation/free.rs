//! No ground motion.

use super::{Build, made};
use tandem_quantity::{Entry, Method, Settings};
use tandem_signal::excitation::Sampling;

/// Name of the kind that is no ground motion.
pub const NONE: &str = "none";

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: NONE,
        summary: "no ground motion: the structure stays at rest",
        reference: "definition",
        parameters: Sampling::PARAMETERS,
    },
    build: &|values, _| {
        let sampling = Sampling::read(values)?;
        let samples = sampling.points()?.map(|_| 0.0);
        made("no ground motion", sampling.dt, Ok(samples))
    },
};
