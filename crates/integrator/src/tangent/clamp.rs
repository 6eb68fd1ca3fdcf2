//! A stiffness held within shares of the initial one.

use super::small::{cholesky, symmetric};

/// Makes K symmetric and holds its eigenvalues relative to K_I = L Lᵀ within a range: those of L⁻¹
/// K L⁻ᵀ.
pub(super) struct Clamp {
    n: usize,
    range: [f64; 2],
    /// L, by rows.
    root: Vec<f64>,
    relative: Vec<f64>,
    vectors: Vec<f64>,
}

impl Clamp {
    /// Eigenvalues from `range[0]` to `range[1]` are let through. None where K_I is not positive
    /// definite.
    pub fn new(initial: &[f64], range: [f64; 2], n: usize) -> Option<Self> {
        Some(Self {
            n,
            range,
            root: cholesky(initial, n)?,
            relative: vec![0.0; n * n],
            vectors: vec![0.0; n * n],
        })
    }

    /// Replaces `stiffness` by the clamped one.
    pub fn apply(&mut self, stiffness: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            for j in 0..n {
                self.relative[i * n + j] = 0.5 * (stiffness[i * n + j] + stiffness[j * n + i]);
            }
        }
        // L⁻¹ from the left, and the same from the right (the matrix is symmetric, so rows serve as
        // columns).
        for j in 0..n {
            for i in 0..n {
                let mut x = self.relative[i * n + j];
                for k in 0..i {
                    x -= self.root[i * n + k] * self.relative[k * n + j];
                }
                self.relative[i * n + j] = x / self.root[i * n + i];
            }
        }
        for i in 0..n {
            for j in 0..n {
                let mut x = self.relative[i * n + j];
                for k in 0..j {
                    x -= self.root[j * n + k] * self.relative[i * n + k];
                }
                self.relative[i * n + j] = x / self.root[j * n + j];
            }
        }
        symmetric(&mut self.relative, &mut self.vectors, n);
        // K = Σ λ (L v)(L v)ᵀ.
        stiffness.fill(0.0);
        for mode in 0..n {
            let value = self.relative[mode * n + mode].clamp(self.range[0], self.range[1]);
            for i in 0..n {
                let part = |i: usize| -> f64 {
                    (0..=i)
                        .map(|k| self.root[i * n + k] * self.vectors[k * n + mode])
                        .sum()
                };
                let left = value * part(i);
                for j in 0..n {
                    stiffness[i * n + j] += left * part(j);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_relative_to_the_initial_stiffness_are_held() {
        let initial = [4.0, -1.0, -1.0, 3.0];
        let mut clamp = Clamp::new(&initial, [0.0, 1.0], 2).unwrap();
        // Twice the initial stiffness is cut to it, a negative one to nothing, half of it stays.
        for (factor, expected) in [(2.0, 1.0), (-0.3, 0.0), (0.5, 0.5)] {
            let mut k = initial.map(|x| factor * x);
            clamp.apply(&mut k);
            for (found, x) in k.iter().zip(&initial) {
                assert!((found - expected * x).abs() < 1e-14, "{factor}: {k:?}");
            }
        }
        // Softening passes where the range lets it.
        let mut clamp = Clamp::new(&initial, [-0.1, 1.0], 2).unwrap();
        for (factor, expected) in [(-0.05, -0.05), (-0.3, -0.1)] {
            let mut k = initial.map(|x| factor * x);
            clamp.apply(&mut k);
            for (found, x) in k.iter().zip(&initial) {
                assert!((found - expected * x).abs() < 1e-14, "{factor}: {k:?}");
            }
        }
        assert!(Clamp::new(&[1.0, 2.0, 2.0, 1.0], [0.0, 1.0], 2).is_none());
    }
}
