//! Nonlinear springs with a memory: what specimens of materials are made of.

use tandem_frame::material::{Drive, Material, MaterialPoint};
use tandem_quantity::{Attachment, Snapshot, SnapshotError, SpecimenMatrices, StateReader};

/// A spring from one interface degree of freedom, or from the ground, to another.
#[derive(Clone, Debug)]
struct Spring {
    from: Option<usize>,
    to: usize,
    point: MaterialPoint,
}

impl Spring {
    #[inline]
    fn between(&self, x: &[f64]) -> f64 {
        x[self.to] - self.from.map_or(0.0, |from| x[from])
    }

    /// ±1 at the two ends.
    fn sign(&self, dof: usize) -> f64 {
        if dof == self.to {
            1.0
        } else if Some(dof) == self.from {
            -1.0
        } else {
            0.0
        }
    }
}

/// How the springs stand between the interface degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrangement {
    /// One from the ground to each.
    Dofs,
    /// The first from the ground, each other from the one before: storeys.
    Storeys,
}

/// Springs with their committed and trial states.
///
/// Ports: displacements (m) and velocities (m/s) → forces (N), positive where they resist a
/// positive displacement.
#[derive(Clone, Debug)]
pub(super) struct Springs {
    dof: usize,
    springs: Vec<Spring>,
}

impl Snapshot for Springs {
    fn save(&self, into: &mut Vec<f64>) {
        self.springs.iter().for_each(|s| s.point.save(into));
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.springs
            .iter_mut()
            .try_for_each(|s| s.point.restore(from))
    }
}

impl Springs {
    /// One material for each spring; as many springs as degrees of freedom.
    pub fn new(materials: &[Material], arrangement: Arrangement) -> Self {
        let springs = materials.iter().enumerate().map(|(to, material)| Spring {
            from: match arrangement {
                Arrangement::Dofs => None,
                Arrangement::Storeys => to.checked_sub(1),
            },
            to,
            point: material.point(),
        });
        Self {
            dof: materials.len(),
            springs: springs.collect(),
        }
    }

    /// Forces at a trial, `dt` after the committed state. They are added to `force`.
    #[inline]
    pub fn trial(&mut self, displacement: &[f64], velocity: &[f64], dt: f64, force: &mut [f64]) {
        for spring in &mut self.springs {
            let drive = Drive {
                strain: spring.between(displacement),
                rate: spring.between(velocity),
                dt,
            };
            let stress = spring.point.trial(drive).stress;
            force[spring.to] += stress;
            if let Some(from) = spring.from {
                force[from] -= stress;
            }
        }
    }

    /// Makes the last trial the committed state.
    #[inline]
    pub fn commit(&mut self) {
        self.springs.iter_mut().for_each(|s| s.point.commit());
    }

    fn assemble(&self, value: impl Fn(&Spring) -> f64) -> Vec<f64> {
        let n = self.dof;
        let mut out = vec![0.0; n * n];
        for spring in &self.springs {
            let value = value(spring);
            for i in 0..n {
                for j in 0..n {
                    out[i * n + j] += spring.sign(i) * value * spring.sign(j);
                }
            }
        }
        out
    }

    /// Stiffness of the untouched springs, row-major.
    pub fn stiffness(&self) -> Vec<f64> {
        self.assemble(|spring| spring.point.initial_tangent())
    }

    /// Writes the stiffness at the last trial, row-major. Nothing is allocated.
    pub fn tangent(&self, out: &mut [f64]) {
        let n = self.dof;
        for (at, value) in out.iter_mut().enumerate() {
            let sum = self.springs.iter().map(|spring| {
                spring.sign(at / n) * spring.point.response().tangent * spring.sign(at % n)
            });
            *value = sum.sum();
        }
    }

    /// Damping of the springs whose force is linear in the velocity; those of other dashpots is not
    /// known beforehand.
    pub fn damping(&self) -> Vec<f64> {
        self.assemble(|spring| {
            let mut point = spring.point.clone();
            let mut at = |rate| {
                let (strain, dt) = (0.0, 0.0);
                point.trial(Drive { strain, rate, dt }).damping
            };
            let (slow, fast) = (at(1e-3), at(1.0));
            if (slow - fast).abs() <= 1e-9 * fast.abs() {
                fast
            } else {
                0.0
            }
        })
    }
}

/// The same springs as part of an undivided structure.
pub(super) struct AttachedSprings {
    springs: Springs,
    specimen_matrices: SpecimenMatrices,
    /// Dashpots that are linear: they belong to the damping matrix, as the test has them among what
    /// is known of the specimen.
    linear: Vec<f64>,
    dt: f64,
}

impl AttachedSprings {
    /// Untouched springs with dashpots and masses (row-major), for steps of `dt`.
    pub fn new(springs: Springs, mass: &[f64], damping: &[f64], dt: f64) -> Self {
        let linear = springs.damping();
        Self {
            specimen_matrices: SpecimenMatrices {
                dof: springs.dof,
                mass: mass.to_vec(),
                damping: linear.iter().zip(damping).map(|(a, b)| a + b).collect(),
                stiffness: springs.stiffness(),
            },
            linear,
            springs,
            dt,
        }
    }
}

impl Snapshot for AttachedSprings {
    fn save(&self, into: &mut Vec<f64>) {
        self.springs.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.springs.restore(from)
    }
}

impl Attachment for AttachedSprings {
    fn specimen_matrices(&self) -> &SpecimenMatrices {
        &self.specimen_matrices
    }
    fn force(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]) {
        force.fill(0.0);
        self.springs.trial(displacement, velocity, self.dt, force);
        SpecimenMatrices::mul_add(&self.linear, -1.0, velocity, force);
    }
    fn tangent(&self, row: usize, column: usize) -> f64 {
        let sum =
            self.springs.springs.iter().map(|spring| {
                spring.sign(row) * spring.point.response().tangent * spring.sign(column)
            });
        sum.sum()
    }
    fn commit(&mut self) {
        self.springs.commit();
    }
    fn revert(&mut self) {
        self.springs
            .springs
            .iter_mut()
            .for_each(|s| s.point.revert());
    }
    fn is_linear(&self) -> bool {
        false
    }
}
