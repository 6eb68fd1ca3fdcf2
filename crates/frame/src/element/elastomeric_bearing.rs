//! Elastomeric bearing: bilinear shear, coupled in the two horizontal directions of a space frame.
//!
//! f = α k₀ u + h, h the sliding part with stiffness (1−α) k₀ and bound (1−α) f_y (Park, Wen & Ang
//! 1986 in its rate-independent limit; Nagarajaiah, Reinhorn & Constantinou 1991). Axial force and
//! rotations by uniaxial laws.

use tandem_quantity::snapshot;

use super::choice::NodalElement;
use super::motion::Motion;
use super::sliding::{Shear, Sliding};
use super::springs::Springs;
use crate::small::{MOST_DOFS, SmallMatrix, dot};

/// Shear law of an elastomeric bearing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElastomericShear {
    /// Initial stiffness k₀, N/m.
    pub stiffness: f64,
    /// Yield force f_y, N.
    pub yield_force: f64,
    /// Stiffness after yielding over k₀, 0 ≤ α < 1.
    pub hardening_ratio: f64,
}

/// An elastomeric bearing between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct ElastomericBearing {
    law: ElastomericShear,
    /// Shear directions; the second is zero in a plane frame.
    directions: [[f64; MOST_DOFS]; 2],
    supports: Springs,
    sliding: Sliding,
    now: Shear,
    committed: Shear,
}

snapshot!(ElastomericBearing {
    supports,
    sliding,
    now,
    committed
});

impl ElastomericBearing {
    pub(crate) fn new(
        law: ElastomericShear,
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
}

impl NodalElement for ElastomericBearing {
    fn trial(&mut self, motion: &Motion<'_>, force: &mut [f64; MOST_DOFS]) {
        let deformation = self.directions.map(|g| dot(&g, motion.displacement));
        let ElastomericShear {
            stiffness,
            yield_force,
            hardening_ratio: ratio,
        } = self.law;
        let (h, k) = self.sliding.trial(
            deformation,
            (1.0 - ratio) * stiffness,
            (1.0 - ratio) * yield_force,
        );
        self.now.deformation = deformation;
        for i in 0..2 {
            self.now.force[i] = ratio * stiffness * deformation[i] + h[i];
            self.now.tangent[i] = k[i];
            self.now.tangent[i][i] += ratio * stiffness;
            for (force, g) in force.iter_mut().zip(&self.directions[i]) {
                *force += g * self.now.force[i];
            }
        }
        self.supports.trial(motion, force);
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
        let k = self.law.stiffness;
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

pub(super) fn add_shear(
    directions: &[[f64; MOST_DOFS]; 2],
    tangent: &[[f64; 2]; 2],
    stiffness: &mut SmallMatrix,
) {
    for (i, row) in directions.iter().enumerate() {
        for (j, column) in directions.iter().enumerate() {
            if tangent[i][j].abs() > 0.0 {
                stiffness.add_outer(tangent[i][j], row, column);
            }
        }
    }
}
