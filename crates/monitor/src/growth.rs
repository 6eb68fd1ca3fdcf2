//! Does the loop feed itself now? Energy that the transfer system makes, over what is dissipated
//! meanwhile, in a sliding window.

use crate::{MonitorContext, Observation};
use tandem_quantity::{BuildError, SpecimenMatrices, snapshot, whole};
use tandem_structure::{Factor, Matrix};

/// Points of the window.
const POINTS: usize = 64;

/// (G(t) − G(t − T))/(D(t) − D(t − T) + C), D the dissipated energy and G = W_F + ½ rᵀ K_e⁻¹ r + ½
/// vᵀ M_e v: the feedback work without what the specimen stores and gives back, r = f − C_e v − M_e
/// a.
///
/// A linear specimen at its target makes nothing: G = −∫ vᵀ C_e dx. What a lag makes is the work of
/// its negative damping, so that for one mode the figure is negative over positive damping: from 1
/// on the motion grows by itself, whatever the ground does. It needs the specimen's matrices, as
/// far as they are known before the test; without a regular K_e it stays zero.
pub(crate) struct Growth {
    specimen: SpecimenMatrices,
    compliance: Option<Factor>,
    interface: Vec<usize>,
    /// C, which keeps it quiet at rest, J.
    energy: f64,
    /// Steps between two points.
    every: u64,
    steps: u64,
    made: Vec<f64>,
    dissipated: Vec<f64>,
    at: usize,
    ratio: f64,
    restoring: Vec<f64>,
    elastic: Vec<f64>,
}

snapshot!(Growth {
    steps,
    made,
    dissipated,
    at,
    ratio
});

impl Growth {
    /// A window of `window` s of structural time.
    pub fn new(window: f64, energy: f64, context: &MonitorContext<'_>) -> Result<Self, BuildError> {
        let problem = context.problem;
        let n = problem.interface.len();
        let steps = window / context.dt;
        if !(1.0..=1e9).contains(&steps) {
            return Err(BuildError::new(
                "window",
                format!("{window} s are {steps:e} steps"),
                "give a few periods of the first mode, such as \"2 s\"",
            ));
        }
        let every = (steps / POINTS as f64).ceil();
        let every = whole(every);
        let compliance = Matrix::from_dense(n, &problem.specimen.stiffness)
            .ok()
            .and_then(|stiffness| stiffness.factor().ok());
        Ok(Self {
            specimen: problem.specimen.clone(),
            compliance,
            interface: problem.interface.clone(),
            energy,
            every,
            steps: 0,
            made: vec![0.0; POINTS],
            dissipated: vec![0.0; POINTS],
            at: 0,
            ratio: 0.0,
            restoring: vec![0.0; n],
            elastic: vec![0.0; n],
        })
    }

    /// Goes on to the end of a step, with the feedback work and the dissipated energy so far, J.
    #[inline]
    pub fn add(&mut self, frame: &Observation<'_>, feedback: f64, dissipated: f64) {
        let Some(compliance) = &mut self.compliance else {
            return;
        };
        let (n, motion) = (self.interface.len(), frame.response);
        let mut stored = 0.0;
        for i in 0..n {
            let mut restoring = frame.force[i];
            for (j, &dof) in self.interface.iter().enumerate() {
                let e = i * n + j;
                let (v, a) = (motion.velocity[dof], motion.acceleration[dof]);
                restoring -= self.specimen.damping[e] * v + self.specimen.mass[e] * a;
                stored += 0.5 * motion.velocity[self.interface[i]] * self.specimen.mass[e] * v;
            }
            self.restoring[i] = restoring;
        }
        self.elastic.copy_from_slice(&self.restoring);
        compliance.solve_in_place(&mut self.elastic);
        let twice = self.restoring.iter().zip(&self.elastic);
        stored += 0.5 * twice.map(|(r, d)| r * d).sum::<f64>();
        let made = feedback + stored;
        let spent = dissipated - self.dissipated[self.at] + self.energy;
        self.ratio = if made <= self.made[self.at] {
            0.0
        } else if spent > 0.0 {
            (made - self.made[self.at]) / spent
        } else {
            f64::INFINITY
        };
        self.steps += 1;
        if self.steps.is_multiple_of(self.every) {
            self.made[self.at] = made;
            self.dissipated[self.at] = dissipated;
            self.at = (self.at + 1) % POINTS;
        }
    }

    /// The figure.
    #[inline]
    pub fn ratio(&self) -> f64 {
        self.ratio
    }
}
