//! Force control: the load cell is led to the wanted force.

use super::Build;
use super::mixed::{Fallback, Mixed, Stiffness};
use super::pid::PidSettings;
use tandem_quantity::{Context, Entry, Method, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "force",
        summary: "force control: PID on the load cell, the command times `stiffness` being the \
            wanted force; falls back to displacement when the specimen fails",
        reference: "Pan, Nakashima and Tomofuji 2005",
        parameters: ForceSettings::PARAMETERS,
    },
    // A mix that is all force: gains are per displacement f/K, so that they are those of
    // displacement control.
    build: &|values, &Context { period, .. }| {
        let ForceSettings {
            pid,
            stiffness,
            fallback,
        } = ForceSettings::read(values)?;
        let force = Mixed::build(&pid, &stiffness, &fallback, period, 1.0)?;
        Ok(Some(Box::new(force)))
    },
};

settings! {
    struct ForceSettings {
        pid: PidSettings,
        stiffness: Stiffness,
        fallback: Fallback,
    }
}
