//! What a part is made of that a plan describes: who knows plans makes it.

use std::path::Path;

use tandem_fmi::models::Variant;
use tandem_fmi::{Fmu, FmuError, Interface, Version};
use tandem_integrator::partitioned::Newmark;
use tandem_quantity::BuildError;
use tandem_structure::Structure;

use super::sections::PlanPart;

/// Who reads the plans of parts.
pub trait Plans: Send {
    /// A part of a plan file.
    ///
    /// # Errors
    /// [`BuildError`] where the plan cannot be read, or has no such part.
    fn part(
        &self,
        plan: &str,
        what: PlanPart,
        variant: Variant,
    ) -> Result<Box<dyn Content>, BuildError>;

    /// What an FMU of ours was made of; none for an FMU of another tool.
    ///
    /// # Errors
    /// [`FmuError`] where it says so, and what it says cannot be read.
    fn exported(&self, fmu: &Fmu) -> Result<Option<Box<dyn Content>>, FmuError>;

    /// The coupling of parts whose rows are these degrees of freedom of the interface, for steps of
    /// `dt` seconds.
    fn coupling(&self, dt: f64, maps: &[Vec<usize>]) -> Box<dyn Content>;
}

/// A part of a plan, which can be built, or exported as an FMU.
pub trait Content {
    /// Degrees of freedom that are tied, from zero.
    fn rows(&self) -> &[usize];

    /// Constants of its time steps.
    fn newmark(&self) -> Newmark;

    /// Takes others.
    fn set_newmark(&mut self, newmark: Newmark);

    /// Takes another step, s.
    fn set_step(&mut self, dt: f64);

    /// The substructure itself, for steps of `dt` seconds.
    ///
    /// # Errors
    /// [`BuildError`] where it is none.
    fn structure(&self, dt: f64) -> Result<Box<dyn Structure>, BuildError>;

    /// Writes it as an FMU.
    ///
    /// # Errors
    /// [`FmuError`] where it could not start, or not be written.
    fn export(&self, version: Version, interface: Interface, to: &Path) -> Result<(), FmuError>;
}
