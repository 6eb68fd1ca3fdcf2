//! Plans of the program: read, checked, and put together to a test.
//!
//! ```no_run
//! use tandem::Plan;
//!
//! let test = Plan::open("plan.toml".as_ref())?.assemble()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::ops::Deref;
use std::path::Path;

#[cfg(feature = "fmi")]
use tandem_cosimulation::{Coupled, Scenario};
use tandem_quantity::{Parameter, Registry};

#[cfg(feature = "fmi")]
use crate::assemble::refuse_unread;
use crate::assemble::{Test, assemble_plan};
#[cfg(feature = "fmi")]
use crate::error::RunError;
#[cfg(feature = "fmi")]
use crate::fmu::{Environment, PartPlans};
use crate::registry::standard;
use crate::sections;
pub use tandem_plan::{
    Place, PlanErrors, Problem, Report, Resolved, Source, audit, data_folder, json_schema,
    reference,
};

/// A plan of the program, read and checked.
#[derive(Clone, Debug)]
pub struct Plan(Resolved);

impl Deref for Plan {
    type Target = Resolved;

    fn deref(&self) -> &Resolved {
        &self.0
    }
}

/// Reads a plan of the program and everything it extends: a test, or a co-simulation where there is
/// a section `[cosimulation]`.
///
/// # Errors
/// As [`tandem_plan::read`].
pub fn open(source: Source<'_>, overrides: &[String]) -> Result<Plan, PlanErrors> {
    open_with(standard(), source, overrides)
}

/// The same with methods that were added to those of the program.
///
/// # Errors
/// As [`tandem_plan::read`].
pub fn open_with(
    registry: &Registry,
    source: Source<'_>,
    overrides: &[String],
) -> Result<Plan, PlanErrors> {
    sections::open_with(registry, source, overrides).map(Plan)
}

/// Reads a plan by this declaration, of methods of the program.
///
/// # Errors
/// As [`tandem_plan::read`].
pub fn read(
    root: &'static [Parameter],
    source: Source<'_>,
    overrides: &[String],
) -> Result<Plan, PlanErrors> {
    read_with(standard(), root, source, overrides)
}

/// The same with methods that were added to those of the program.
///
/// # Errors
/// As [`tandem_plan::read`].
pub fn read_with(
    registry: &Registry,
    root: &'static [Parameter],
    source: Source<'_>,
    overrides: &[String],
) -> Result<Plan, PlanErrors> {
    sections::read_with(registry, root, source, overrides).map(Plan)
}

impl Plan {
    /// Reads a plan file and everything it extends: a test, or a co-simulation.
    ///
    /// # Errors
    /// [`PlanErrors`] with everything that does not fit.
    pub fn open(path: &Path) -> Result<Self, PlanErrors> {
        open(Source::File(path), &[])
    }

    /// The same with methods that were added to those of the program ([`standard`]).
    ///
    /// # Errors
    /// [`PlanErrors`] with everything that does not fit.
    pub fn open_with(registry: &Registry, path: &Path) -> Result<Self, PlanErrors> {
        open_with(registry, Source::File(path), &[])
    }

    /// Whether it describes a co-simulation.
    #[must_use]
    pub fn is_coupled(&self) -> bool {
        sections::Section::Cosimulation
            .written(&self.values)
            .is_some()
    }

    /// Puts the test together that the plan describes.
    ///
    /// # Errors
    /// [`PlanErrors`] with everything that does not fit, and with every written key that nothing in
    /// this test reads. A co-simulation is refused: `Plan::assemble_in` takes it.
    pub fn assemble(&self) -> Result<Test, Box<PlanErrors>> {
        assemble_plan(self)
    }

    /// The same for every kind of test: what parts of a co-simulation need of the program is in
    /// `environment`.
    ///
    /// # Errors
    /// Those of [`Plan::assemble`], and [`RunError`] where an FMU cannot be opened or started.
    #[cfg(feature = "fmi")]
    pub fn assemble_in(&self, environment: &Environment) -> Result<Test, RunError> {
        if !self.is_coupled() {
            return Ok(self.assemble()?);
        }
        let values = self.values.unmarked();
        let refuse = |error| self.refuse(vec![error]);
        let scenario = Scenario::read(&values, self.registry())
            .map_err(refuse)
            .map_err(Box::new)?;
        refuse_unread(self, &values, |_| scenario.why_unread())?;
        let plans = Box::new(PartPlans {
            environment: *environment,
            registry: self.registry().clone(),
        });
        Coupled::of(scenario, plans)
            .and_then(|coupled| Ok(Test::of_parts(coupled)?))
            .map_err(|error| RunError::from(error).in_plan(self))
    }
}
