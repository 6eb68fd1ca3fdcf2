//! A compensator, a specimen and a monitor that Tandem does not have, each in a file of its own,
//! and the three lines that make them known.

mod hardening;
mod lead;
mod peak_force;

use std::error::Error;
use std::path::Path;

use tandem::Plan;
use tandem::registry::standard;
use tandem::run::{Controls, Output};
use tandem::summary::Summary;
use tandem_quantity::{Registry, Taken};
use tandem_transfer::{compensator, specimen};

pub use hardening::ENTRY as HARDENING;
pub use lead::ENTRY as LEAD;
pub use peak_force::ENTRY as PEAK_FORCE;

/// The methods of Tandem and those of this folder.
///
/// # Errors
/// [`Taken`] where a slot has a method of such a name already.
pub fn registry() -> Result<Registry, Taken> {
    let mut registry = standard().clone();
    registry
        .add(&compensator::SLOT, &LEAD)?
        .add(&specimen::SLOT, &HARDENING)?
        .add(&tandem_monitor::SLOT, &PEAK_FORCE)?;
    Ok(registry)
}

/// Runs the plan of this folder into another one.
///
/// # Errors
/// Where the plan is refused, or the run cannot be kept.
pub fn run(into: &Path) -> Result<Summary, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("plan.toml");
    let plan = Plan::open_with(&registry()?, &path)?;
    let into = Output::Folder {
        plan: &plan,
        at: Some(into),
    };
    let run = plan.assemble()?.run(into, &mut Controls::default())?;
    Ok(run.summary)
}
