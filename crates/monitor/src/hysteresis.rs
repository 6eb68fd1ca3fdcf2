//! Energy that a nonlinear numerical substructure has dissipated, from equilibrium.

use crate::Observation;
use crate::work::Work;
use tandem_integrator::Problem;
use tandem_quantity::{BuildError, snapshot};
use tandem_structure::{Factor, Matrix};

/// Work of the restoring force r = p − M a − C v − f less the elastic energy ½ rᵀ K₀⁻¹ r that
/// unloading along the initial stiffness would give back.
///
/// Exact for elastic-plastic members in a statically determinate arrangement, such as the storeys
/// of a shear building. In a redundant structure self-stresses store more than ½ rᵀ K₀⁻¹ r, and
/// hardening stores energy that this counts as dissipated: there it is an upper bound of the
/// dissipation.
pub(crate) struct Hysteresis {
    mass: Matrix,
    damping: Matrix,
    stiffness: Factor,
    interface: Vec<usize>,
    work: Work,
    stored: f64,
    restoring: Vec<f64>,
    elastic: Vec<f64>,
}

snapshot!(Hysteresis { work, stored });

impl Hysteresis {
    pub fn new(problem: &Problem) -> Result<Self, BuildError> {
        let structure = &problem.structure;
        let stiffness = structure.properties().stiffness.factor().map_err(|error| {
            BuildError::new(
                "",
                format!("the hysteretic energy needs a regular initial stiffness: {error}"),
                "support the numerical substructure, or leave this monitor out",
            )
        })?;
        let dof = structure.properties().dof();
        Ok(Self {
            mass: structure.properties().mass.clone(),
            damping: structure.properties().damping.clone(),
            stiffness,
            interface: problem.interface.clone(),
            work: Work::new(dof),
            stored: 0.0,
            restoring: vec![0.0; dof],
            elastic: vec![0.0; dof],
        })
    }

    /// Goes on to the end of a step.
    #[inline]
    pub fn add(&mut self, frame: &Observation<'_>) {
        let motion = frame.response;
        self.restoring.copy_from_slice(frame.load);
        self.mass
            .mul_add(-1.0, &motion.acceleration, &mut self.restoring);
        self.damping
            .mul_add(-1.0, &motion.velocity, &mut self.restoring);
        for (dof, f) in self.interface.iter().zip(frame.force) {
            self.restoring[*dof] -= f;
        }
        self.work.add(&self.restoring, &motion.displacement);
        self.elastic.copy_from_slice(&self.restoring);
        self.stiffness.solve_in_place(&mut self.elastic);
        let twice = self.restoring.iter().zip(&self.elastic);
        self.stored = 0.5 * twice.map(|(r, d)| r * d).sum::<f64>();
    }

    /// Energy that unloading would give back, J.
    #[inline]
    pub fn stored(&self) -> f64 {
        self.stored
    }

    /// Energy that is gone, J.
    #[inline]
    pub fn dissipated(&self) -> f64 {
        (self.work.total() - self.stored).max(0.0)
    }
}
