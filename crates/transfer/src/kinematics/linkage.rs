//! Pinned actuators with any geometry: positions by Newton's method.

use super::Kinematics;
use super::jet::Jet;
use tandem_quantity::{Motion, Snapshot, SnapshotError, StateReader};
use tandem_structure::linalg::small;

/// Most degrees of freedom: a rigid body in space.
pub(super) const MOST: usize = 6;
const ITERATIONS: usize = 25;

/// The geometry of a linkage: the stroke of each actuator as a function of the position.
pub(super) trait Geometry: Send {
    /// Number of degrees of freedom.
    fn size(&self) -> usize;

    /// Number of actuators, at least [`Geometry::size`].
    fn actuators(&self) -> usize {
        self.size()
    }

    /// Stroke of an actuator from its zero position, m.
    fn stroke(&self, actuator: usize, position: &[Jet]) -> Jet;
}

/// A linkage with the position at which it was last seen. With more actuators than degrees of
/// freedom the position is that of least squares, and forces are shared so that the sum of their
/// squares is least.
#[derive(Clone, Debug)]
pub(super) struct Linkage<G> {
    geometry: G,
    position: [f64; MOST],
    jacobian: Jacobian,
    /// Scratch, one for each actuator.
    rest: Vec<f64>,
}

impl<G> Snapshot for Linkage<G> {
    fn save(&self, into: &mut Vec<f64>) {
        self.position.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.position.restore(from)
    }
}

/// ∂stroke/∂position, a row for each actuator.
#[derive(Clone, Debug)]
struct Jacobian {
    rows: usize,
    columns: usize,
    entries: Vec<f64>,
}

impl Jacobian {
    /// x = J⁺ b: exact for as many actuators as degrees of freedom, else least squares. `false`
    /// where J is singular.
    #[inline]
    fn solve(&self, b: &[f64], x: &mut [f64]) -> bool {
        let (m, n) = (self.rows, self.columns);
        let mut a = [0.0; MOST * MOST];
        if m == n {
            a[..n * n].copy_from_slice(&self.entries[..n * n]);
            x.copy_from_slice(b);
        } else {
            self.gram(&mut a);
            for (k, x) in x.iter_mut().enumerate() {
                *x = (0..m).map(|i| self.entries[i * n + k] * b[i]).sum();
            }
        }
        small::solve(&mut a[..n * n], x, n, 1)
    }

    /// J'J.
    #[inline]
    fn gram(&self, a: &mut [f64]) {
        let (m, n) = (self.rows, self.columns);
        for j in 0..n {
            for k in 0..n {
                a[j * n + k] = (0..m)
                    .map(|i| self.entries[i * n + j] * self.entries[i * n + k])
                    .sum();
            }
        }
    }

    /// The smallest f with J' f = force. `false` where J is singular.
    #[inline]
    fn share(&self, force: &[f64], f: &mut [f64]) -> bool {
        let (m, n) = (self.rows, self.columns);
        let mut a = [0.0; MOST * MOST];
        if m == n {
            for i in 0..n {
                for k in 0..n {
                    a[k * n + i] = self.entries[i * n + k];
                }
            }
            f.copy_from_slice(force);
            return small::solve(&mut a[..n * n], f, n, 1);
        }
        self.gram(&mut a);
        let mut weights = [0.0; MOST];
        weights[..n].copy_from_slice(force);
        if !small::solve(&mut a[..n * n], &mut weights[..n], n, 1) {
            return false;
        }
        for (i, f) in f.iter_mut().enumerate() {
            *f = (0..n).map(|k| self.entries[i * n + k] * weights[k]).sum();
        }
        true
    }
}

/// The derivatives at `position`, into `out`.
#[inline]
fn differentiate<G: Geometry>(geometry: &G, position: &[f64; MOST], out: &mut Jacobian) {
    let (rows, columns) = (out.rows, out.columns);
    let mut q = position.map(Jet::constant);
    for j in 0..columns {
        q[j].0[1] = 1.0;
        for i in 0..rows {
            out.entries[i * columns + j] = geometry.stroke(i, &q[..columns]).0[1];
        }
        q[j].0[1] = 0.0;
    }
}

impl<G: Geometry> Linkage<G> {
    pub fn new(geometry: G) -> Self {
        let (rows, columns) = (geometry.actuators(), geometry.size());
        Self {
            geometry,
            position: [0.0; MOST],
            jacobian: Jacobian {
                rows,
                columns,
                entries: vec![0.0; rows * columns],
            },
            rest: vec![0.0; rows],
        }
    }

    /// Whether every motion is felt by the actuators in the zero position.
    pub fn is_regular(&mut self) -> bool {
        let (m, n) = (self.geometry.actuators(), self.geometry.size());
        differentiate(&self.geometry, &[0.0; MOST], &mut self.jacobian);
        (1..=MOST).contains(&n)
            && m >= n
            && self.jacobian.entries.iter().all(|x| x.is_finite())
            && self.jacobian.solve(&self.rest, &mut [0.0; MOST][..n])
    }

    /// Newton from the last position (Gauss–Newton with more actuators than degrees of freedom).
    /// Leaves the Jacobian of the last iterate but one.
    #[inline]
    fn find(&mut self, strokes: &[f64]) -> Option<[f64; MOST]> {
        let n = self.geometry.size();
        let mut q = self.position;
        for _ in 0..ITERATIONS {
            let mut step = [0.0; MOST];
            let jets = q.map(Jet::constant);
            for (i, rest) in self.rest.iter_mut().enumerate() {
                *rest = strokes[i] - self.geometry.stroke(i, &jets[..n]).0[0];
            }
            differentiate(&self.geometry, &q, &mut self.jacobian);
            if !self.jacobian.solve(&self.rest, &mut step[..n]) {
                return None;
            }
            let mut largest = 0.0_f64;
            for k in 0..n {
                q[k] += step[k];
                largest = largest.max(step[k].abs());
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
        self.geometry.actuators()
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
        for i in 0..self.geometry.actuators() {
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
        differentiate(&self.geometry, &position, &mut self.jacobian);
        self.jacobian
            .solve(&actuators.velocity, &mut interface.velocity);
        let mut q = position.map(Jet::constant);
        for k in 0..n {
            q[k].0[1] = interface.velocity[k];
        }
        for (i, rest) in self.rest.iter_mut().enumerate() {
            let curvature = self.geometry.stroke(i, &q[..n]).0[2];
            *rest = actuators.acceleration[i] - curvature;
        }
        self.jacobian.solve(&self.rest, &mut interface.acceleration);
        true
    }

    #[inline]
    fn force_to_interface(&mut self, actuators: &[f64], interface: &mut [f64]) {
        differentiate(&self.geometry, &self.position, &mut self.jacobian);
        let (m, n) = (self.jacobian.rows, self.jacobian.columns);
        let j = &self.jacobian.entries;
        for k in 0..n {
            interface[k] = (0..m).map(|i| j[i * n + k] * actuators[i]).sum();
        }
    }

    #[inline]
    fn force_to_actuators(&mut self, interface: &[f64], actuators: &mut [f64]) {
        differentiate(&self.geometry, &self.position, &mut self.jacobian);
        if !self.jacobian.share(interface, actuators) {
            actuators.fill(f64::NAN);
        }
    }
}
