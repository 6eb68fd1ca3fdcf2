//! What an integrator sees of a structure.

use tandem_quantity::{ExternalModel, Snapshot, snapshot};

use crate::linalg::{LinalgError, Matrix};

/// What never changes of a structure once it has been made. SI units, free degrees of freedom.
#[derive(Clone, Debug)]
pub struct StructureProperties {
    /// What kind of structure this is, such as `shear building`.
    pub kind: &'static str,
    /// Names of the degrees of freedom for people, such as `floor 2`.
    pub labels: Vec<String>,
    /// M, kg (kg m² for rotations).
    pub mass: Matrix,
    /// C of the initial state, N s/m.
    pub damping: Matrix,
    /// Initial stiffness K, N/m.
    pub stiffness: Matrix,
    /// ι: motion of the free degrees of freedom, as a rigid body, for a unit motion of the ground.
    pub influence: Vec<f64>,
    /// The mass in the ground's term `−M_g ι a_g`, where it is not M: the specimen's own mass may
    /// be taken out of M and still be shaken numerically.
    pub ground_mass: Option<Matrix>,
    /// Whether the restoring force is K d at all times.
    pub is_linear: bool,
    /// How many groups of supports move by themselves, relative to the ground.
    pub moving_supports: usize,
}

impl StructureProperties {
    /// A linear structure of these matrices, all of whose degrees of freedom follow the ground
    /// (ι = 1).
    pub fn new(mass: Matrix, damping: Matrix, stiffness: Matrix) -> Result<Self, StructureError> {
        let dof = mass.order();
        for (what, matrix) in [("damping", &damping), ("stiffness", &stiffness)] {
            size(what, dof, matrix.order())?;
        }
        Ok(Self {
            kind: "matrices",
            labels: (1..=dof).map(|i| format!("dof {i}")).collect(),
            mass,
            damping,
            stiffness,
            influence: vec![1.0; dof],
            ground_mass: None,
            is_linear: true,
            moving_supports: 0,
        })
    }

    /// Number of free degrees of freedom.
    #[inline]
    pub fn dof(&self) -> usize {
        self.mass.order()
    }

    /// The mass in the ground's term `−M_g ι a_g`.
    #[inline]
    pub fn ground_mass(&self) -> &Matrix {
        self.ground_mass.as_ref().unwrap_or(&self.mass)
    }

    /// Effective force of a unit acceleration of the ground: −M_g ι.
    pub fn ground_force(&self) -> Vec<f64> {
        let mut force = vec![0.0; self.dof()];
        self.ground_mass()
            .mul_add(-1.0, &self.influence, &mut force);
        force
    }

    /// Name of a degree of freedom.
    pub fn label(&self, dof: usize) -> &str {
        self.labels.get(dof).map_or("", String::as_str)
    }

    /// Whether a degree of freedom is a rotation (rad, N m), as its name says: `B1 rz`.
    pub fn turns(&self, dof: usize) -> bool {
        let label = self.label(dof);
        [" rx", " ry", " rz"].iter().any(|end| label.ends_with(end))
    }

    /// The unit of a quantity at a degree of freedom, given that of a displacement: `rad` for `m`
    /// where it turns.
    pub fn unit_at(&self, dof: usize, unit: &'static str) -> &'static str {
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

/// The numerical (or reference) structure after its supports are removed.
///
/// Equation of motion: `M a + C v + r(d, v) = −M_g ι a_g + p`, displacements relative to the
/// ground. Forces `r` are positive where they resist a positive displacement. A trial always starts
/// from the committed state, never from the last trial.
pub trait Structure: Snapshot + Send {
    /// What never changes.
    fn properties(&self) -> &StructureProperties;
    /// Restoring force (N) at a trial displacement (m) and velocity (m/s), without the damping
    /// matrix's part.
    fn restoring_force(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]);
    /// Goes to a displacement whose force nobody asks for, and commits it. Only for a structure
    /// that [is linear](StructureProperties::is_linear).
    fn take_up(&mut self, _displacement: &[f64]) {}
    /// Tangent stiffness of the last trial, N/m. Give a clone of the initial stiffness at first:
    /// its pattern fits.
    fn tangent(&self, stiffness: &mut Matrix);
    /// Makes the last trial the state from which the next trials start.
    fn commit(&mut self);
    /// Forgets the last trial.
    fn revert(&mut self);
    /// Displacement (m) and velocity (m/s) of each group of supports relative to the ground, for
    /// the trials that follow.
    fn move_supports(&mut self, _displacement: &[f64], _velocity: &[f64]) {}
    /// Who computes it, where that is somebody else.
    fn external(&self) -> Option<&dyn ExternalModel> {
        None
    }
}

impl<S: Structure + ?Sized> Structure for Box<S> {
    fn properties(&self) -> &StructureProperties {
        (**self).properties()
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
    fn move_supports(&mut self, displacement: &[f64], velocity: &[f64]) {
        (**self).move_supports(displacement, velocity);
    }
    fn external(&self) -> Option<&dyn ExternalModel> {
        (**self).external()
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
        "mode {mode} was asked for, the structure has {available} (its degrees of freedom with \
        mass)"
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
    properties: StructureProperties,
}

snapshot!(Linear {});

impl Linear {
    /// A structure from mass, damping and stiffness. All degrees of freedom follow the ground
    /// (ι = 1) unless [`Linear::with_influence`] says otherwise.
    pub fn new(mass: Matrix, damping: Matrix, stiffness: Matrix) -> Result<Self, StructureError> {
        let properties = StructureProperties::new(mass, damping, stiffness)?;
        Ok(Self { properties })
    }

    /// The linear structure of these matrices, whose supports stand still.
    pub fn of(properties: StructureProperties) -> Self {
        Self {
            properties: StructureProperties {
                is_linear: true,
                moving_supports: 0,
                ..properties
            },
        }
    }

    /// The same structure with another influence vector ι.
    pub fn with_influence(mut self, influence: Vec<f64>) -> Result<Self, StructureError> {
        size("influence", self.properties.dof(), influence.len())?;
        self.properties.influence = influence;
        Ok(self)
    }

    /// The same structure, shaken with another mass than its own.
    pub fn with_ground_mass(mut self, ground_mass: Matrix) -> Result<Self, StructureError> {
        size("ground mass", self.properties.dof(), ground_mass.order())?;
        self.properties.ground_mass = Some(ground_mass);
        Ok(self)
    }

    /// The same structure with names for its degrees of freedom.
    pub fn with_labels(mut self, labels: Vec<String>) -> Result<Self, StructureError> {
        size("labels", self.properties.dof(), labels.len())?;
        self.properties.labels = labels;
        Ok(self)
    }

    /// The same structure under another kind.
    #[must_use]
    pub fn with_kind(mut self, kind: &'static str) -> Self {
        self.properties.kind = kind;
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
    fn properties(&self) -> &StructureProperties {
        &self.properties
    }
    #[inline]
    fn restoring_force(&mut self, displacement: &[f64], _velocity: &[f64], force: &mut [f64]) {
        self.properties.stiffness.mul_into(displacement, force);
    }
    fn tangent(&self, stiffness: &mut Matrix) {
        stiffness.assign_combination(&[(1.0, &self.properties.stiffness)]);
    }
    fn commit(&mut self) {}
    fn revert(&mut self) {}
}
