//! What the targets would make of the nominal plant: the regressors of the adaptation.

use crate::LinearSystem;
use tandem_quantity::snapshot;
use tandem_structure::linalg::Blocks;
use tandem_structure::linalg::small::product;

/// One input of the plant, driven by each target in turn: H_ij s^k x_l for all outputs i, targets l
/// and powers k.
///
/// Only the states that the input reaches are kept. Powers beyond the relative degree show
/// derivatives of the target itself: s^k H = C A^k (sI − A)⁻¹ B + Σ_q C A^(k−1−q) B s^q.
///
/// Of every target there is a strip of numbers: the states, the mean of the target over the last
/// period, its derivatives.
#[derive(Clone, Debug)]
pub(super) struct Column {
    size: usize,
    powers: usize,
    targets: usize,
    outputs: usize,
    /// [Φ Γ]: the states go on.
    step: Blocks<4>,
    /// H_ij s^k of a strip: output i and power k in row `i * powers + k`; by rows, too.
    shown: Blocks<4>,
    rows: Vec<f64>,
    /// The strips of all targets, and their sums since the last row.
    strips: Vec<f64>,
    sums: Vec<f64>,
    next: Vec<f64>,
    /// Σ_k ΔQ_k s^k H of output i: weights of all strips.
    learned: Vec<f64>,
}

snapshot!(Column {
    strips,
    sums,
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
        let step: Vec<f64> = (0..size)
            .flat_map(|i| phi[i * size..][..size].iter().chain([&gamma[i]]))
            .copied()
            .collect();
        let width = size + 1 + powers;
        let mut rows = vec![0.0; p * powers * width];
        let mut c = part.c.clone();
        let mut markov: Vec<Vec<f64>> = Vec::new();
        for k in 0..powers {
            for i in 0..p {
                let row = &mut rows[(i * powers + k) * width..][..width];
                row[..size].copy_from_slice(&c[i * size..][..size]);
                for q in 0..k {
                    row[size + 1 + q] = markov[k - 1 - q][i];
                }
            }
            markov.push(product(&c, &part.b, [p, size, 1]));
            c = product(&c, &part.a, [p, size, size]);
        }
        let step = Blocks::new(&step, size + 1);
        Self {
            size,
            powers,
            targets: m,
            outputs: p,
            next: vec![0.0; step.padded()],
            step,
            shown: Blocks::new(&rows, width),
            rows,
            strips: vec![0.0; m * width],
            sums: vec![0.0; m * width],
            learned: vec![0.0; p * m * width],
        }
    }

    #[inline(always)]
    fn width(&self) -> usize {
        self.size + 1 + self.powers
    }

    /// Room for the regressors of one target.
    pub(super) fn room(&self) -> usize {
        self.shown.padded()
    }

    /// The coefficients of target `l` differ from the nominal ones by this.
    #[inline(always)]
    pub(super) fn learn(&mut self, l: usize, changes: &[f64]) {
        let (width, powers) = (self.width(), self.powers);
        for i in 0..self.outputs {
            let own = &mut self.learned[(i * self.targets + l) * width..][..width];
            own.fill(0.0);
            for (k, change) in changes.iter().take(powers).enumerate() {
                let row = &self.rows[(i * powers + k) * width..][..width];
                for (sum, x) in own.iter_mut().zip(row) {
                    *sum += change * x;
                }
            }
        }
    }

    /// Σ_l Σ_k ΔQ_k H_ij s^k x_l now.
    #[inline(always)]
    pub(super) fn learned_output(&self, i: usize) -> f64 {
        let length = self.strips.len();
        tandem_structure::linalg::dot(&self.learned[i * length..(i + 1) * length], &self.strips)
    }

    /// Target `l` was `mean` on the average of the last period, and has these derivatives at its
    /// end.
    #[inline(always)]
    pub(super) fn advance(&mut self, l: usize, mean: f64, derivatives: &[f64]) {
        let (n, width) = (self.size, self.width());
        let strip = &mut self.strips[l * width..(l + 1) * width];
        strip[n] = mean;
        self.step.mul_into(&strip[..=n], &mut self.next);
        strip[..n].copy_from_slice(&self.next[..n]);
        strip[n + 1..].copy_from_slice(&derivatives[..self.powers]);
    }

    #[inline(always)]
    pub(super) fn collect(&mut self) {
        for (sum, x) in self.sums.iter_mut().zip(&self.strips) {
            *sum += x;
        }
    }

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.sums.fill(0.0);
    }

    /// H_ij s^k x_l of what was collected, output i and power k at `i * powers + k`.
    #[inline(always)]
    pub(super) fn regressors(&self, l: usize, out: &mut [f64]) {
        let width = self.width();
        self.shown
            .mul_into(&self.sums[l * width..(l + 1) * width], out);
    }
}
