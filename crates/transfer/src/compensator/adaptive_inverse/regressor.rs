//! What the targets would make of the nominal plant: the regressors of the adaptation.

use crate::LinearSystem;
use crate::linear_system::product;
use tandem_quantity::snapshot;

/// One input of the plant, driven by each target in turn: H_ij s^k x_l for all outputs i, targets l and powers k.
///
/// Only the states that the input reaches are kept. Powers beyond the relative degree show derivatives of the target
/// itself: s^k H = C A^k (sI − A)⁻¹ B + Σ_q C A^(k−1−q) B s^q.
#[derive(Clone, Debug)]
pub(super) struct Column {
    size: usize,
    /// Φ by rows and Γ.
    phi: Vec<f64>,
    gamma: Vec<f64>,
    /// Row of C A^k for output i at `(i * powers + k) * size`.
    rows: Vec<f64>,
    /// C_i A^(k−1−q) B at `(i * powers + k) * powers + q`.
    direct: Vec<f64>,
    powers: usize,
    /// For each target: the states, and their sum since the last row.
    state: Vec<f64>,
    sum: Vec<f64>,
    next: Vec<f64>,
    /// Σ_k ΔQ_k s^k H of output i and target l as weights of the states and of the derivatives, at `(i * targets + l) * (size + powers)`.
    learned: Vec<f64>,
    targets: usize,
}

snapshot!(Column {
    state,
    sum,
    learned
});

impl Column {
    pub(super) fn new(plant: &LinearSystem, input: usize, powers: usize, period: f64) -> Self {
        let [n, m, p] = plant.size;
        let part = LinearSystem {
            size: [n, 1, p],
            a: plant.a.clone(),
            b: (0..n).map(|i| plant.b[i * m + input]).collect(),
            c: plant.c.clone(),
            d: vec![0.0; p],
        }
        .reached();
        let size = part.size[0];
        let (phi, gamma) = part.held(period);
        let (mut rows, mut direct) = (vec![0.0; p * powers * size], vec![0.0; p * powers * powers]);
        let mut c = part.c.clone();
        let mut markov = Vec::new();
        for k in 0..powers {
            for i in 0..p {
                rows[(i * powers + k) * size..][..size].copy_from_slice(&c[i * size..][..size]);
                for q in 0..k {
                    let parameters: &Vec<f64> = &markov[k - 1 - q];
                    direct[(i * powers + k) * powers + q] = parameters[i];
                }
            }
            markov.push(product(&c, &part.b, [p, size, 1]));
            c = product(&c, &part.a, [p, size, size]);
        }
        Self {
            size,
            phi,
            gamma,
            rows,
            direct,
            powers,
            state: vec![0.0; m * size],
            sum: vec![0.0; m * size],
            next: vec![0.0; size],
            learned: vec![0.0; p * m * (size + powers)],
            targets: m,
        }
    }

    /// The coefficients of target `l` differ from the nominal ones by this.
    #[inline]
    pub(super) fn learn(&mut self, l: usize, changes: &[f64]) {
        let (n, powers) = (self.size, self.powers);
        let outputs = self.learned.chunks_exact_mut(self.targets * (n + powers));
        for (i, own) in outputs.enumerate() {
            let (free, direct) = own[l * (n + powers)..][..n + powers].split_at_mut(n);
            free.fill(0.0);
            direct.fill(0.0);
            for (k, change) in changes.iter().enumerate() {
                let at = i * powers + k;
                for (sum, c) in free.iter_mut().zip(&self.rows[at * n..][..n]) {
                    *sum += change * c;
                }
                for (sum, d) in direct.iter_mut().zip(&self.direct[at * powers..][..k]) {
                    *sum += change * d;
                }
            }
        }
    }

    /// Σ_k ΔQ_k H_ij s^k x_l now.
    #[inline]
    pub(super) fn learned_output(&self, [i, l]: [usize; 2], derivatives: &[f64]) -> f64 {
        let (n, powers) = (self.size, self.powers);
        let (free, direct) =
            self.learned[(i * self.targets + l) * (n + powers)..][..n + powers].split_at(n);
        dot(free, &self.state[l * n..(l + 1) * n]) + dot(direct, derivatives)
    }

    /// Target `l` was `input` on the average of the last period.
    #[inline]
    pub(super) fn advance(&mut self, l: usize, input: f64) {
        let n = self.size;
        let state = &mut self.state[l * n..(l + 1) * n];
        for i in 0..n {
            let row = self.phi[i * n..(i + 1) * n].iter().zip(&*state);
            self.next[i] = row.map(|(p, x)| p * x).sum::<f64>() + self.gamma[i] * input;
        }
        state.copy_from_slice(&self.next);
    }

    #[inline]
    pub(super) fn collect(&mut self) {
        for (sum, x) in self.sum.iter_mut().zip(&self.state) {
            *sum += x;
        }
    }

    pub(super) fn clear(&mut self) {
        self.sum.fill(0.0);
    }

    /// H_ij s^k x_l of the collected states; `derivatives` of the target likewise.
    #[inline]
    pub(super) fn output(&self, [i, l, k]: [usize; 3], derivatives: &[f64]) -> f64 {
        let n = self.size;
        let row = &self.rows[(i * self.powers + k) * n..][..n];
        let direct = &self.direct[(i * self.powers + k) * self.powers..][..k];
        dot(row, &self.sum[l * n..(l + 1) * n]) + dot(direct, derivatives)
    }
}

#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
