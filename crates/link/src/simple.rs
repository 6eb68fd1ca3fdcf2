//! A specimen for a first try: springs without a transfer system, computed as a numerical element
//! would be.

use crate::specimen_service::{Matrix, MotionRefused, Notice, SpecimenService};
use tandem_quantity::{BuildError, Motion, SpecimenMatrices};
use tandem_transfer::rig::Measured;

/// f = K d, or one bilinear spring at each degree of freedom. Trials start from the last committed
/// state.
///
/// Ports: displacement (m) → force (N). The units are the driver's: whatever OpenSees counts in.
pub struct SimpleSpecimen {
    stiffness: Vec<f64>,
    yielding: Option<Yielding>,
    committed: Vec<Branch>,
    trial: Vec<Branch>,
    measured: Measured,
    stroke: f64,
    tell: Box<dyn FnMut(&Notice)>,
    goes_on: Box<dyn FnMut() -> bool>,
}

/// Bilinear law with kinematic hardening.
#[derive(Clone, Copy, Debug)]
struct Yielding {
    force: f64,
    ratio: f64,
}

/// State of one spring: force without its hardening part is k (d − p), bounded by (1 − b) fy.
#[derive(Clone, Copy, Debug, Default)]
struct Branch {
    plastic: f64,
    tangent: f64,
}

impl SimpleSpecimen {
    /// A linear specimen of this stiffness by rows, N/m.
    pub fn linear(stiffness: Vec<f64>, dof: usize) -> Result<Self, BuildError> {
        if stiffness.len() != dof * dof || stiffness.iter().any(|x| !x.is_finite()) || dof == 0 {
            return Err(BuildError::new(
                "stiffness",
                format!("{} numbers are no square matrix", stiffness.len()),
                "give n rows of n finite numbers",
            ));
        }
        Ok(Self {
            stiffness,
            yielding: None,
            committed: vec![Branch::default(); dof],
            trial: vec![Branch::default(); dof],
            measured: Measured::at_rest(dof),
            stroke: f64::INFINITY,
            tell: Box::new(|_| {}),
            goes_on: Box::new(|| true),
        })
    }

    /// Springs k from the ground to each of `dof` degrees of freedom.
    pub fn springs(k: f64, dof: usize) -> Result<Self, BuildError> {
        let mut stiffness = vec![0.0; dof * dof];
        stiffness.iter_mut().step_by(dof + 1).for_each(|x| *x = k);
        Self::linear(stiffness, dof)
    }

    /// The same springs, yielding at `force` with `ratio` of the stiffness behind it.
    pub fn yielding(mut self, force: f64, ratio: f64) -> Result<Self, BuildError> {
        let coupled = (0..self.dof())
            .any(|i| (0..self.dof()).any(|j| i != j && self.stiffness[i * self.dof() + j] != 0.0));
        if coupled {
            return Err(BuildError::new(
                "fy",
                "a coupled stiffness matrix does not yield",
                "give springs with k, or leave the yield force out",
            ));
        }
        if !(force > 0.0 && force.is_finite() && (0.0..1.0).contains(&ratio)) {
            return Err(BuildError::new(
                "fy",
                format!("a yield force of {force} with the ratio {ratio} is no bilinear law"),
                "the yield force is above zero, the ratio between 0 and 1",
            ));
        }
        self.yielding = Some(Yielding { force, ratio });
        self.tangents_at_rest();
        Ok(self)
    }

    fn tangents_at_rest(&mut self) {
        let n = self.dof();
        for (i, branch) in self.committed.iter_mut().enumerate() {
            branch.tangent = self.stiffness[i * n + i];
        }
        self.trial.clone_from(&self.committed);
    }

    /// The same with a bound on displacements, for controllers that are asked before they move.
    #[must_use]
    pub fn within(mut self, stroke: f64) -> Self {
        self.stroke = stroke;
        self
    }

    /// Where notices go, and who says when to end.
    #[must_use]
    pub fn watched(
        mut self,
        tell: impl FnMut(&Notice) + 'static,
        goes_on: impl FnMut() -> bool + 'static,
    ) -> Self {
        self.tell = Box::new(tell);
        self.goes_on = Box::new(goes_on);
        self
    }

    /// As new, for the next session.
    pub fn reset(&mut self) {
        self.committed.fill(Branch::default());
        self.tangents_at_rest();
        self.measured = Measured::at_rest(self.dof());
    }
}

impl SpecimenService for SimpleSpecimen {
    fn dof(&self) -> usize {
        self.measured.force.len()
    }

    fn allows(&self, motion: &Motion) -> Result<(), MotionRefused> {
        let stroke = self.stroke;
        let beyond = |d: &&f64| d.is_nan() || d.abs() > stroke;
        let displacement = motion.displacement.iter().find(beyond).copied();
        displacement.map_or(Ok(()), |displacement| {
            Err(MotionRefused::Stroke {
                displacement,
                stroke,
            })
        })
    }

    fn impose(&mut self, motion: &Motion, _time: f64) -> Result<(), MotionRefused> {
        self.allows(motion)?;
        self.measured.motion.copy_from(motion);
        let force = &mut self.measured.force;
        let Some(Yielding { force: fy, ratio }) = self.yielding else {
            force.fill(0.0);
            SpecimenMatrices::mul_add(&self.stiffness, 1.0, &motion.displacement, force);
            return Ok(());
        };
        let n = force.len();
        for i in 0..n {
            let (k, d) = (self.stiffness[i * n + i], motion.displacement[i]);
            let (soft, bound) = ((1.0 - ratio) * k, (1.0 - ratio) * fy);
            let old = self.committed[i];
            let elastic = soft * (d - old.plastic);
            self.trial[i] = if elastic.abs() <= bound {
                force[i] = ratio * k * d + elastic;
                Branch { tangent: k, ..old }
            } else {
                force[i] = ratio * k * d + bound.copysign(elastic);
                Branch {
                    plastic: d - bound.copysign(elastic) / soft,
                    tangent: ratio * k,
                }
            };
        }
        Ok(())
    }

    fn commit(&mut self, _accepted: &Motion, _time: f64) {
        self.committed.clone_from(&self.trial);
    }

    fn measured(&self) -> &Measured {
        &self.measured
    }

    fn matrix(&mut self, which: Matrix, out: &mut [f64]) {
        match which {
            Matrix::InitialStiffness => out.copy_from_slice(&self.stiffness),
            Matrix::TangentStiffness => {
                out.copy_from_slice(&self.stiffness);
                if self.yielding.is_some() {
                    let n = self.dof();
                    for (i, branch) in self.trial.iter().enumerate() {
                        out[i * n + i] = branch.tangent;
                    }
                }
            }
            Matrix::Damping | Matrix::Mass => out.fill(0.0),
        }
    }

    fn tell(&mut self, notice: Notice) {
        (self.tell)(&notice);
    }

    fn idle(&mut self) -> bool {
        (self.goes_on)()
    }
}
