//! The all-numerical reference: the loop without a rig.

use tandem_integrator::{Answer, Integrator, Loading};

/// Displacements of the reference structure, one row per step from t = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceRun {
    /// Step of structural time, s.
    pub dt: f64,
    /// Degrees of freedom.
    pub dof: usize,
    /// Row-major: `steps + 1` rows of `dof` displacements, m.
    pub displacement: Vec<f64>,
    /// Like `displacement`: velocities, m/s.
    pub velocity: Vec<f64>,
    /// Like `displacement`: accelerations, m/s².
    pub acceleration: Vec<f64>,
}

impl ReferenceRun {
    /// History of one degree of freedom.
    pub fn history(&self, dof: usize) -> Vec<f64> {
        self.displacement
            .iter()
            .skip(dof)
            .step_by(self.dof.max(1))
            .copied()
            .collect()
    }
}

/// Steps an integrator whose problem has no interface, `steps` times `substeps`, and keeps the end
/// of every `substeps`-th.
pub fn run_reference(
    mut integrator: Box<dyn Integrator>,
    loading: &dyn Loading,
    steps: u64,
    substeps: u64,
) -> ReferenceRun {
    let dof = integrator.problem().structure.properties().dof();
    let substeps = substeps.max(1);
    let dt = integrator.properties().dt * substeps as f64;
    let rows = usize::try_from(steps)
        .unwrap_or(usize::MAX)
        .saturating_add(1);
    let mut run = ReferenceRun {
        dt,
        dof,
        displacement: Vec::with_capacity(rows * dof),
        velocity: Vec::with_capacity(rows * dof),
        acceleration: Vec::with_capacity(rows * dof),
    };
    let mut keep = |integrator: &dyn Integrator| {
        let response = integrator.response();
        run.displacement.extend_from_slice(&response.displacement);
        run.velocity.extend_from_slice(&response.velocity);
        run.acceleration.extend_from_slice(&response.acceleration);
    };
    keep(integrator.as_ref());
    while integrator.steps() < steps.saturating_mul(substeps) {
        if integrator.feed(Answer::NONE, loading) && integrator.steps().is_multiple_of(substeps) {
            keep(integrator.as_ref());
        }
    }
    run
}
