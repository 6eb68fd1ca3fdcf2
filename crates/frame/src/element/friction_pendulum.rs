//! Single friction pendulum bearing: friction under the present axial force and a restoring force
//! from its radius.
//!
//! f = N_c/R u + h, |h| ≤ μ N_c, N_c the compression; μ = μ_fast − (μ_fast − μ_slow) e^(−a|v|)
//! (Constantinou, Mokha & Reinhorn 1990; Zayas, Low & Mahin 1990). Without compression there is no
//! shear force. The tangent leaves out the change of N_c and of μ, which would make it unsymmetric.

use tandem_quantity::snapshot;

use super::choice::NodalElement;
use super::elastomeric_bearing::add_shear;
use super::motion::Motion;
use super::sliding::{Shear, Sliding};
use super::springs::Springs;
use crate::small::{MOST_DOFS, SmallMatrix, dot};

/// Friction and shape of a friction pendulum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PendulumShear {
    /// Effective radius R, m.
    pub radius: f64,
    /// Stiffness before sliding, N/m.
    pub stiffness: f64,
    /// Friction coefficient at rest.
    pub slow_friction: f64,
    /// Friction coefficient at high speed.
    pub fast_friction: f64,
    /// Rate a between the two, s/m.
    pub rate: f64,
}

/// A friction pendulum between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionPendulum {
    law: PendulumShear,
    directions: [[f64; MOST_DOFS]; 2],
    /// The first spring is the axial one.
    supports: Springs,
    sliding: Sliding,
    now: Shear,
    committed: Shear,
}

snapshot!(FrictionPendulum {
    supports,
    sliding,
    now,
    committed
});

impl FrictionPendulum {
    pub(crate) fn new(
        law: PendulumShear,
        directions: [[f64; MOST_DOFS]; 2],
        supports: Springs,
    ) -> Self {
        let start = Shear {
            tangent: [[law.stiffness, 0.0], [0.0, law.stiffness]],
            ..Shear::default()
        };
        Self {
            law,
            directions,
            supports,
            sliding: Sliding::default(),
            now: start,
            committed: start,
        }
    }

    /// Shear deformation and force of the last trial, along local y and z.
    #[must_use]
    pub fn shear(&self) -> ([f64; 2], [f64; 2]) {
        (self.now.deformation, self.now.force)
    }

    fn compression(&self) -> f64 {
        self.supports
            .responses()
            .next()
            .map_or(0.0, |(_, axial)| (-axial).max(0.0))
    }
}

impl NodalElement for FrictionPendulum {
    fn trial(&mut self, motion: &Motion<'_>, force: &mut [f64; MOST_DOFS]) {
        self.supports.trial(motion, force);
        let compression = self.compression();
        let deformation = self.directions.map(|g| dot(&g, motion.displacement));
        let velocity = self.directions.map(|g| dot(&g, motion.velocity));
        let speed = velocity[0].hypot(velocity[1]);
        let law = &self.law;
        let friction =
            law.fast_friction - (law.fast_friction - law.slow_friction) * (-law.rate * speed).exp();
        let (h, k) = self
            .sliding
            .trial(deformation, law.stiffness, friction * compression);
        let pendulum = compression / law.radius;
        self.now.deformation = deformation;
        for i in 0..2 {
            self.now.force[i] = pendulum * deformation[i] + h[i];
            self.now.tangent[i] = k[i];
            self.now.tangent[i][i] += pendulum;
            for (force, g) in force.iter_mut().zip(&self.directions[i]) {
                *force += g * self.now.force[i];
            }
        }
    }

    fn add_force(&self, force: &mut [f64; MOST_DOFS]) {
        self.supports.add_force(force);
        for (direction, value) in self.directions.iter().zip(self.now.force) {
            for (force, g) in force.iter_mut().zip(direction) {
                *force += g * value;
            }
        }
    }

    fn add_tangent(&self, stiffness: &mut SmallMatrix) {
        add_shear(&self.directions, &self.now.tangent, stiffness);
        self.supports.add_tangent(stiffness);
    }

    fn add_initial(&self, stiffness: &mut SmallMatrix) {
        let k = self.law.stiffness + self.compression() / self.law.radius;
        add_shear(&self.directions, &[[k, 0.0], [0.0, k]], stiffness);
        self.supports.add_initial(stiffness);
    }

    fn commit(&mut self) {
        self.sliding.commit();
        self.supports.commit();
        self.committed = self.now;
    }

    fn revert(&mut self) {
        self.sliding.revert();
        self.supports.revert();
        self.now = self.committed;
    }

    fn add_damping(&self, damping: &mut SmallMatrix) {
        self.supports.add_damping(damping);
    }

    fn add_damping_tangent(&self, damping: &mut SmallMatrix) {
        self.supports.add_damping_tangent(damping);
    }
}
