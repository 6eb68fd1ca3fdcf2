//! What an integrator sees of a structure.

use tandem_quantity::{Guest, Snapshot, snapshot};

use crate::linalg::{LinalgError, Matrix};

/// The numerical (or reference) structure after its supports are removed. SI units, free degrees of freedom.
///
/// Equation of motion: `M a + C v + r(d, v) = −M_g ι a_g + p`, displacements relative to the ground. Forces `r` are
/// positive where they resist a positive displacement. A trial always starts from the committed state, never from
/// the last trial.
pub trait Structure: Snapshot + Send {
    /// Number of free degrees of freedom.
    fn dof(&self) -> usize;
    /// M, kg (kg m² for rotations).
    fn mass(&self) -> &Matrix;
    /// C of the initial state, N s/m.
    fn damping(&self) -> &Matrix;
    /// Initial stiffness K, N/m.
    fn stiffness(&self) -> &Matrix;
    /// ι: motion of the free degrees of freedom, as a rigid body, for a unit motion of the ground.
    fn influence(&self) -> &[f64];
    /// The mass in the ground's term `−M_g ι a_g`. It differs from [`Structure::mass`] where the specimen's own mass was
    /// taken out of M but is still shaken numerically.
    fn ground_mass(&self) -> &Matrix {
        self.mass()
    }
    /// Restoring force (N) at a trial displacement (m) and velocity (m/s), without the damping matrix's part.
    fn restoring_force(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]);
    /// Goes to a displacement whose force nobody asks for, and commits it. Only for a structure that [`Structure::is_linear`].
    fn take_up(&mut self, _displacement: &[f64]) {}
    /// Tangent stiffness of the last trial, N/m. Give a clone of [`Structure::stiffness`] at first: its pattern fits.
    fn tangent(&self, stiffness: &mut Matrix);
    /// Makes the last trial the state from which the next trials start.
    fn commit(&mut self);
    /// Forgets the last trial.
    fn revert(&mut self);
    /// How many groups of supports move by themselves, relative to the ground.
    fn moving_supports(&self) -> usize {
        0
    }
    /// Displacement (m) and velocity (m/s) of each group of supports relative to the ground, for the trials that follow.
    fn move_supports(&mut self, _displacement: &[f64], _velocity: &[f64]) {}
    /// Whether the restoring force is K d at all times.
    fn is_linear(&self) -> bool;
    /// Name of a degree of freedom for people, such as `floor 2`.
    fn label(&self, dof: usize) -> String;
    /// What kind of structure this is, such as `shear building`.
    fn kind(&self) -> &'static str;
    /// Who computes it, where that is somebody else.
    fn guest(&self) -> Option<&dyn Guest> {
        None
    }
    /// Whether a degree of freedom is a rotation (rad, N m), as its name says: `B1 rz`.
    fn turns(&self, dof: usize) -> bool {
        let label = self.label(dof);
        [" rx", " ry", " rz"].iter().any(|end| label.ends_with(end))
    }
    /// The unit of a quantity at a degree of freedom, given that of a displacement: `rad` for `m` where it turns.
    fn unit_at(&self, dof: usize, unit: &'static str) -> &'static str {
        match unit {
            _ if !self.turns(dof) => unit,
            "m" => "rad",
            "m/s" => "rad/s",
            "m/s^2" => "rad/s^2",
            "N" => "N*m",
            other => other,
        }
    }
}

impl<S: Structure + ?Sized> Structure for Box<S> {
    fn dof(&self) -> usize {
        (**self).dof()
    }
    fn mass(&self) -> &Matrix {
        (**self).mass()
    }
    fn damping(&self) -> &Matrix {
        (**self).damping()
    }
    fn stiffness(&self) -> &Matrix {
        (**self).stiffness()
    }
    fn influence(&self) -> &[f64] {
        (**self).influence()
    }
    fn ground_mass(&self) -> &Matrix {
        (**self).ground_mass()
    }
    fn restoring_force(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]) {
        (**self).restoring_force(displacement, velocity, force);
    }
    fn take_up(&mut self, displacement: &[f64]) {
        (**self).take_up(displacement);
    }
    fn tangent(&self, stiffness: &mut Matrix) {
        (**self).tangent(stiffness);
    }
    fn commit(&mut self) {
        (**self).commit();
    }
    fn revert(&mut self) {
        (**self).revert();
    }
    fn moving_supports(&self) -> usize {
        (**self).moving_supports()
    }
    fn move_supports(&mut self, displacement: &[f64], velocity: &[f64]) {
        (**self).move_supports(displacement, velocity);
    }
    fn is_linear(&self) -> bool {
        (**self).is_linear()
    }
    fn label(&self, dof: usize) -> String {
        (**self).label(dof)
    }
    fn kind(&self) -> &'static str {
        (**self).kind()
    }
    fn guest(&self) -> Option<&dyn Guest> {
        (**self).guest()
    }
}

/// Why a structure cannot be made, or not be used as asked.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StructureError {
    /// A matrix is not fit for its purpose.
    #[error("{what}: {source}")]
    Matrix {
        /// Which matrix: `mass`, `damping`, `stiffness`, …
        what: &'static str,
        /// What is wrong with it.
        source: LinalgError,
    },
    /// Two sizes that must agree do not.
    #[error("{what}: size {got} where {expected} was expected")]
    Size {
        /// What has the wrong size.
        what: &'static str,
        /// The size that would fit.
        expected: usize,
        /// The size that came.
        got: usize,
    },
    /// A value that cannot be.
    #[error("{what} {index}: {value} is not allowed")]
    Value {
        /// What the value is.
        what: &'static str,
        /// Its place, from zero.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A mode grows instead of swinging.
    #[error("mode {mode} is unstable: its stiffness is below zero (ω² = −({circular:.4} rad/s)²)")]
    Unstable {
        /// Which mode, counted from 1.
        mode: usize,
        /// √|ω²|, rad/s.
        circular: f64,
        /// The degree of freedom that moves most in it.
        dof: usize,
    },
    /// A symmetric matrix is needed.
    #[error("{what}: the matrix is not symmetric")]
    NotSymmetric {
        /// Which matrix.
        what: &'static str,
    },
    /// A degree of freedom without mass stands where mass is needed.
    #[error("{what}: degree of freedom {dof} has no mass")]
    Massless {
        /// What needs the mass.
        what: &'static str,
        /// The degree of freedom, from zero.
        dof: usize,
    },
    /// A mode was asked for that the structure does not have.
    #[error(
        "mode {mode} was asked for, the structure has {available} (its degrees of freedom with mass)"
    )]
    NoSuchMode {
        /// The mode, from one.
        mode: usize,
        /// How many there are.
        available: usize,
    },
}

impl LinalgError {
    /// The same error, said of a matrix of the structure.
    pub fn of(self, what: &'static str) -> StructureError {
        StructureError::Matrix { what, source: self }
    }
}

/// A linear structure given by its matrices.
#[derive(Clone, Debug)]
pub struct Linear {
    mass: Matrix,
    damping: Matrix,
    stiffness: Matrix,
    influence: Vec<f64>,
    ground_mass: Option<Matrix>,
    labels: Vec<String>,
    kind: &'static str,
}

snapshot!(Linear {});

impl Linear {
    /// A structure from mass, damping and stiffness. All degrees of freedom follow the ground (ι = 1) unless
    /// [`Linear::with_influence`] says otherwise.
    pub fn new(mass: Matrix, damping: Matrix, stiffness: Matrix) -> Result<Self, StructureError> {
        let dof = mass.order();
        for (what, matrix) in [("damping", &damping), ("stiffness", &stiffness)] {
            size(what, dof, matrix.order())?;
        }
        let labels = (1..=dof).map(|i| format!("dof {i}")).collect();
        Ok(Self {
            mass,
            damping,
            stiffness,
            influence: vec![1.0; dof],
            ground_mass: None,
            labels,
            kind: "matrices",
        })
    }

    /// The same structure with another influence vector ι.
    pub fn with_influence(mut self, influence: Vec<f64>) -> Result<Self, StructureError> {
        size("influence", self.mass.order(), influence.len())?;
        self.influence = influence;
        Ok(self)
    }

    /// The same structure, shaken with another mass than its own.
    pub fn with_ground_mass(mut self, ground_mass: Matrix) -> Result<Self, StructureError> {
        size("ground mass", self.mass.order(), ground_mass.order())?;
        self.ground_mass = Some(ground_mass);
        Ok(self)
    }

    /// The same structure with names for its degrees of freedom.
    pub fn with_labels(mut self, labels: Vec<String>) -> Result<Self, StructureError> {
        size("labels", self.mass.order(), labels.len())?;
        self.labels = labels;
        Ok(self)
    }

    /// The same structure under another kind.
    #[must_use]
    pub fn with_kind(mut self, kind: &'static str) -> Self {
        self.kind = kind;
        self
    }
}

pub(crate) fn size(what: &'static str, expected: usize, got: usize) -> Result<(), StructureError> {
    if expected == got {
        Ok(())
    } else {
        Err(StructureError::Size {
            what,
            expected,
            got,
        })
    }
}

impl Structure for Linear {
    fn dof(&self) -> usize {
        self.mass.order()
    }
    fn mass(&self) -> &Matrix {
        &self.mass
    }
    fn damping(&self) -> &Matrix {
        &self.damping
    }
    fn stiffness(&self) -> &Matrix {
        &self.stiffness
    }
    fn influence(&self) -> &[f64] {
        &self.influence
    }
    fn ground_mass(&self) -> &Matrix {
        self.ground_mass.as_ref().unwrap_or(&self.mass)
    }
    #[inline]
    fn restoring_force(&mut self, displacement: &[f64], _velocity: &[f64], force: &mut [f64]) {
        self.stiffness.mul_into(displacement, force);
    }
    fn tangent(&self, stiffness: &mut Matrix) {
        stiffness.assign_combination(&[(1.0, &self.stiffness)]);
    }
    fn commit(&mut self) {}
    fn revert(&mut self) {}
    fn is_linear(&self) -> bool {
        true
    }
    fn label(&self, dof: usize) -> String {
        self.labels.get(dof).cloned().unwrap_or_default()
    }
    fn kind(&self) -> &'static str {
        self.kind
    }
}
