//! Elastic–perfectly plastic sliding in a plane with a circular bound: the core of bearings.
//!
//! t = k(u − u_p); |t| ≤ bound, plastic flow along t (radial return: Simo & Hughes 1998, §3.3).

use tandem_quantity::snapshot;

/// Displacements already slipped: committed and trial.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sliding {
    committed: [f64; 2],
    slipped: [f64; 2],
}

snapshot!(Sliding { committed, slipped });

impl Sliding {
    /// Force and tangent at a displacement, for a stiffness while sticking and a bound of the
    /// force.
    pub(crate) fn trial(
        &mut self,
        displacement: [f64; 2],
        stiffness: f64,
        bound: f64,
    ) -> ([f64; 2], [[f64; 2]; 2]) {
        let elastic = [0, 1].map(|i| stiffness * (displacement[i] - self.committed[i]));
        let size = elastic[0].hypot(elastic[1]);
        if size <= bound {
            self.slipped = self.committed;
            return (elastic, [[stiffness, 0.0], [0.0, stiffness]]);
        }
        let n = elastic.map(|e| e / size);
        let force = n.map(|n| bound * n);
        self.slipped = [0, 1].map(|i| displacement[i] - force[i] / stiffness);
        let factor = stiffness * bound / size;
        let tangent = [
            [factor * (1.0 - n[0] * n[0]), -factor * n[0] * n[1]],
            [-factor * n[0] * n[1], factor * (1.0 - n[1] * n[1])],
        ];
        (force, tangent)
    }

    pub(crate) fn commit(&mut self) {
        self.committed = self.slipped;
    }

    pub(crate) fn revert(&mut self) {
        self.slipped = self.committed;
    }
}

/// Force and tangent of a bearing in shear: committed and trial.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Shear {
    pub deformation: [f64; 2],
    pub force: [f64; 2],
    pub tangent: [[f64; 2]; 2],
}

snapshot!(Shear {
    deformation,
    force,
    tangent
});
