//! Static analyses: load control, displacement control, and the stage of constant loads before a
//! test.

mod static_analysis;

pub use static_analysis::{StaticAnalysis, StaticSettings};

use super::error::ModelError;
use super::frame::Model;
use super::load::LoadCase;
use tandem_structure::StructureError;

/// Why an analysis stopped.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum AnalysisError {
    /// The iteration did not converge, even with smaller increments.
    #[error(
        "no equilibrium found beyond load factor {factor}: residual {residual:e} of the forces"
    )]
    NoConvergence {
        /// The last load factor with equilibrium.
        factor: f64,
        /// The smallest residual of the failed increment, as a part of the forces.
        residual: f64,
    },
    /// The controlled degree of freedom is fixed or follows another.
    #[error("displacement control needs a free degree of freedom")]
    NotFree,
    /// The model or the load case is wrong.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl From<StructureError> for AnalysisError {
    fn from(error: StructureError) -> Self {
        Self::Model(error.into())
    }
}

/// Brings constant loads on in `steps` steps, keeps them, and lets displacements count from there.
/// The initial stiffness then has the geometric part of the members' axial forces, and damping
/// follows it.
pub fn apply_gravity(
    model: &mut Model,
    loads: &LoadCase,
    steps: usize,
) -> Result<(), AnalysisError> {
    let mut analysis = StaticAnalysis::new(model, loads, StaticSettings::default())?;
    let steps = steps.max(1);
    for step in 1..=steps {
        analysis.load_to(model, step as f64 / steps as f64)?;
    }
    analysis.keep(model)?;
    Ok(())
}
