//! Force control: the load cell is led to the wanted force.

use super::Build;
use super::mixed::{FALLBACK, Mixed, STIFFNESS};
use tandem_quantity::{Dimension, Entry, Method, Parameter};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "force",
        summary: "force control: PID on the load cell, the command times `stiffness` being the wanted force; falls back to displacement when the specimen fails",
        reference: "Pan, Nakashima and Tomofuji 2005",
        parameters: &pid_parameters![STIFFNESS, FALLBACK],
    },
    // A mix that is all force: gains are per displacement f/K, so that they are those of displacement control.
    build: |values, period| Ok(Some(Box::new(Mixed::build(values, period, 1.0)?))),
};
