//! As many actuators as degrees of freedom, with any geometry: positions by Newton's method.

use super::Kinematics;
use super::jet::Jet;
use crate::dense;
use tandem_quantity::{Motion, Snapshot, SnapshotError, Words};

/// Most degrees of freedom: a rigid body in space.
pub(super) const MOST: usize = 6;
const ITERATIONS: usize = 25;

/// The geometry of a linkage: the stroke of each actuator as a function of the position.
pub(super) trait Geometry: Send {
    /// Number of degrees of freedom, and of actuators.
    fn size(&self) -> usize;

    /// Stroke of an actuator from its zero position, m.
    fn stroke(&self, actuator: usize, position: &[Jet]) -> Jet;
}

/// A linkage with the position at which it was last seen.
#[derive(Clone, Debug)]
pub(super) struct Linkage<G> {
    geometry: G,
    position: [f64; MOST],
}

impl<G> Snapshot for Linkage<G> {
    fn save(&self, into: &mut Vec<f64>) {
        self.position.save(into);
    }

    fn restore(&mut self, from: &mut Words<'_>) -> Result<(), SnapshotError> {
        self.position.restore(from)
    }
}

impl<G: Geometry> Linkage<G> {
    pub fn new(geometry: G) -> Self {
        Self {
            geometry,
            position: [0.0; MOST],
        }
    }

    /// Whether every motion is felt by the actuators in the zero position.
    pub fn is_regular(&self) -> bool {
        let n = self.geometry.size();
        let mut j = self.jacobian(&[0.0; MOST]);
        // Rows are of the order one for lengths and of the lever for angles.
        dense::solve(&mut j[..n * n], &mut [0.0; MOST][..n], n, 1)
            && self.jacobian(&[0.0; MOST]).iter().all(|x| x.is_finite())
    }

    /// ∂stroke/∂position, row-major.
    #[inline]
    fn jacobian(&self, position: &[f64; MOST]) -> [f64; MOST * MOST] {
        let n = self.geometry.size();
        let mut out = [0.0; MOST * MOST];
        let mut q = position.map(Jet::constant);
        for j in 0..n {
            q[j].0[1] = 1.0;
            for i in 0..n {
                out[i * n + j] = self.geometry.stroke(i, &q[..n]).0[1];
            }
            q[j].0[1] = 0.0;
        }
        out
    }

    /// Newton from the last position.
    #[inline]
    fn find(&self, strokes: &[f64]) -> Option<[f64; MOST]> {
        let n = self.geometry.size();
        let mut q = self.position;
        for _ in 0..ITERATIONS {
            let mut rest = [0.0; MOST];
            let jets = q.map(Jet::constant);
            for i in 0..n {
                rest[i] = strokes[i] - self.geometry.stroke(i, &jets[..n]).0[0];
            }
            let mut j = self.jacobian(&q);
            if !dense::solve(&mut j[..n * n], &mut rest[..n], n, 1) {
                return None;
            }
            let mut largest = 0.0_f64;
            for k in 0..n {
                q[k] += rest[k];
                largest = largest.max(rest[k].abs());
            }
            if q.iter().any(|x| !x.is_finite()) {
                return None;
            }
            // Quadratic convergence: a step this small is the last that matters.
            if largest < 1e-9 {
                return Some(q);
            }
        }
        None
    }
}

impl<G: Geometry> Kinematics for Linkage<G> {
    fn interface(&self) -> usize {
        self.geometry.size()
    }

    fn actuators(&self) -> usize {
        self.geometry.size()
    }

    #[inline]
    fn to_actuators(&mut self, interface: &Motion, actuators: &mut Motion) {
        let n = self.geometry.size();
        let mut q = [Jet::constant(0.0); MOST];
        for k in 0..n {
            q[k] = Jet([
                interface.displacement[k],
                interface.velocity[k],
                interface.acceleration[k],
            ]);
        }
        for i in 0..n {
            let [x, v, a] = self.geometry.stroke(i, &q[..n]).0;
            actuators.displacement[i] = x;
            actuators.velocity[i] = v;
            actuators.acceleration[i] = a;
        }
    }

    #[inline]
    fn to_interface(&mut self, actuators: &Motion, interface: &mut Motion) -> bool {
        let n = self.geometry.size();
        let Some(position) = self.find(&actuators.displacement) else {
            interface.displacement.copy_from_slice(&self.position[..n]);
            interface.velocity.fill(0.0);
            interface.acceleration.fill(0.0);
            return false;
        };
        self.position = position;
        interface.displacement.copy_from_slice(&position[..n]);
        // J q' = L';  J q'' = L'' − J' q'.
        let mut j = self.jacobian(&position);
        interface.velocity.copy_from_slice(&actuators.velocity);
        dense::solve(&mut j[..n * n], &mut interface.velocity, n, 1);
        let mut q = position.map(Jet::constant);
        for k in 0..n {
            q[k].0[1] = interface.velocity[k];
        }
        for i in 0..n {
            let curvature = self.geometry.stroke(i, &q[..n]).0[2];
            interface.acceleration[i] = actuators.acceleration[i] - curvature;
        }
        j = self.jacobian(&position);
        dense::solve(&mut j[..n * n], &mut interface.acceleration, n, 1);
        true
    }

    #[inline]
    fn force_to_interface(&mut self, actuators: &[f64], interface: &mut [f64]) {
        let n = self.geometry.size();
        let j = self.jacobian(&self.position);
        for k in 0..n {
            interface[k] = (0..n).map(|i| j[i * n + k] * actuators[i]).sum();
        }
    }
}
