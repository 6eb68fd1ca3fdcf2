//! Least squares over a window of increments.

use super::small::singular;
use super::{Estimator, dot};
use tandem_quantity::{BuildError, snapshot};

/// With the last m increments as rows of ΔD and ΔR: K = K_b + [ΔD⁺(ΔR − ΔD K_bᵀ)]ᵀ, where ΔD⁺
/// leaves out singular values below a part of the largest. Until m increments are there, K = K_I.
///
/// Plain (Hung and El-Tawil 2009, Eq. 6): K_b = 0, nothing is left out but for rounding. With
/// nearly parallel increments of many degrees of freedom that fills K with noise. Truncated: K_b =
/// K_I, so that directions without motion keep the initial stiffness.
struct LeastSquares {
    initial: Vec<f64>,
    /// K_b.
    base: Vec<f64>,
    cut: f64,
    n: usize,
    /// Rings of m rows: Δd, and Δr − K_b Δd.
    displacement: Vec<f64>,
    surplus: Vec<f64>,
    /// Row that is written next; rows that are filled.
    next: usize,
    filled: usize,
    left: Vec<f64>,
    right: Vec<f64>,
    along: Vec<f64>,
}

snapshot!(LeastSquares {
    displacement,
    surplus,
    next,
    filled
});

/// Without truncation but for rounding.
pub(super) fn plain(
    window: usize,
    initial: &[f64],
    n: usize,
) -> Result<Box<dyn Estimator>, BuildError> {
    LeastSquares::make(window, initial, &vec![0.0; n * n], n, 1e-15)
}

/// Truncated at 1e-2 of the largest singular value.
pub(super) fn truncated(
    window: usize,
    initial: &[f64],
    n: usize,
) -> Result<Box<dyn Estimator>, BuildError> {
    LeastSquares::make(window, initial, initial, n, 1e-2)
}

impl LeastSquares {
    fn make(
        window: usize,
        initial: &[f64],
        base: &[f64],
        n: usize,
        cut: f64,
    ) -> Result<Box<dyn Estimator>, BuildError> {
        if window < n {
            return Err(BuildError::new(
                "window",
                format!("{window} increments cannot tell the stiffness of {n} degrees of freedom"),
                format!("take {n} or more"),
            ));
        }
        Ok(Box::new(Self {
            initial: initial.to_vec(),
            base: base.to_vec(),
            cut,
            n,
            displacement: vec![0.0; window * n],
            surplus: vec![0.0; window * n],
            next: 0,
            filled: 0,
            left: vec![0.0; window * n],
            right: vec![0.0; n * n],
            along: vec![0.0; n],
        }))
    }

    fn window(&self) -> usize {
        self.displacement.len() / self.n.max(1)
    }
}

impl Estimator for LeastSquares {
    fn record(&mut self, displacement: &[f64], force: &[f64]) {
        let (n, at) = (self.n, self.next * self.n);
        self.displacement[at..at + n].copy_from_slice(displacement);
        for i in 0..n {
            self.surplus[at + i] = force[i] - dot(&self.base[i * n..(i + 1) * n], displacement);
        }
        self.next = (self.next + 1) % self.window();
        self.filled = (self.filled + 1).min(self.window());
    }

    fn reset(&mut self) {
        self.filled = 0;
        self.next = 0;
    }

    fn estimate(&mut self, stiffness: &mut [f64]) {
        let n = self.n;
        if self.filled < self.window() {
            stiffness.copy_from_slice(&self.initial);
            return;
        }
        stiffness.copy_from_slice(&self.base);
        self.left.copy_from_slice(&self.displacement);
        singular(&mut self.left, &mut self.right, n);
        // Column j of `left` is σ_j u_j: ΔD⁺ = Σ v_j (σ_j u_j)ᵀ/σ_j².
        let square =
            |left: &[f64], j: usize| -> f64 { left.iter().skip(j).step_by(n).map(|x| x * x).sum() };
        let largest = (0..n).fold(0.0_f64, |m, j| m.max(square(&self.left, j)));
        for j in 0..n {
            let sigma = square(&self.left, j);
            if sigma <= self.cut * self.cut * largest || sigma <= 0.0 {
                continue;
            }
            self.along.fill(0.0);
            for (u, surplus) in self.left.chunks_exact(n).zip(self.surplus.chunks_exact(n)) {
                for (a, s) in self.along.iter_mut().zip(surplus) {
                    *a += u[j] * s;
                }
            }
            for i in 0..n {
                for k in 0..n {
                    stiffness[i * n + k] += self.along[i] * self.right[k * n + j] / sigma;
                }
            }
        }
    }
}
