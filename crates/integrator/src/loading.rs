//! External loads as the equation of motion sees them.

use tandem_structure::Structure;

/// External force on the degrees of freedom of the numerical substructure, N.
pub trait Loading: Send + Sync {
    /// Writes the force at structural time `time` (s).
    fn force(&self, time: f64, force: &mut [f64]);
}

/// Nothing acts: free vibration.
#[derive(Clone, Copy, Debug)]
pub struct NoLoad;

impl Loading for NoLoad {
    fn force(&self, _time: f64, force: &mut [f64]) {
        force.fill(0.0);
    }
}

/// Uniform ground motion: F = −M_g ι a_g(t).
pub struct GroundMotion<A> {
    acceleration: A,
    per_unit: Vec<f64>,
}

impl<A: Fn(f64) -> f64> GroundMotion<A> {
    /// The load on `structure` from the ground acceleration (m/s²) as a function of time (s).
    pub fn new(structure: &dyn Structure, acceleration: A) -> Self {
        let per_unit = structure.properties().ground_force();
        Self {
            acceleration,
            per_unit,
        }
    }
}

impl<A: Fn(f64) -> f64 + Send + Sync> Loading for GroundMotion<A> {
    #[inline]
    fn force(&self, time: f64, force: &mut [f64]) {
        let a = (self.acceleration)(time);
        for i in 0..force.len().min(self.per_unit.len()) {
            force[i] = self.per_unit[i] * a;
        }
    }
}
