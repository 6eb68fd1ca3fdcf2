//! Work of a force along a path, sample by sample.

use tandem_quantity::snapshot;

/// Σ ½ (P + P₋)·(x − x₋), the trapezoidal rule of Gálmez and Fermandois 2020, Eq. 17. Starts at
/// rest.
pub(crate) struct Work {
    force: Vec<f64>,
    path: Vec<f64>,
    total: f64,
}

snapshot!(Work { force, path, total });

impl Work {
    pub fn new(points: usize) -> Self {
        Self {
            force: vec![0.0; points],
            path: vec![0.0; points],
            total: 0.0,
        }
    }

    /// The work so far, J.
    #[inline]
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Goes on to the force `force` (N) at the place `path` (m); `path` may hold more points than
    /// the force, which then acts at the points that `at` names.
    #[inline]
    pub fn add_at(&mut self, force: &[f64], path: &[f64], at: &[usize]) {
        for (k, (&f, &i)) in force.iter().zip(at).enumerate() {
            self.step(k, f, path[i]);
        }
    }

    /// The same for a force at every point of the path.
    #[inline]
    pub fn add(&mut self, force: &[f64], path: &[f64]) {
        for (k, (&f, &x)) in force.iter().zip(path).enumerate() {
            self.step(k, f, x);
        }
    }

    /// What the trapezoidal rule would count beyond the force before, held all the way to `path`: Σ
    /// ½ (P − P₋)·(x − x₋).
    #[inline]
    pub fn beyond_held(&self, force: &[f64], path: &[f64], at: &[usize]) -> f64 {
        let mut work = 0.0;
        for (k, (&f, &i)) in force.iter().zip(at).enumerate() {
            work += 0.5 * (f - self.force[k]) * (path[i] - self.path[k]);
        }
        work
    }

    #[inline]
    fn step(&mut self, k: usize, force: f64, place: f64) {
        self.total += 0.5 * (force + self.force[k]) * (place - self.path[k]);
        self.force[k] = force;
        self.path[k] = place;
    }
}
