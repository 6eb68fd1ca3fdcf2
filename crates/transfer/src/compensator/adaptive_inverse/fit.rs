//! Least squares with a prior, updated row by row.

use tandem_quantity::snapshot;

/// Numbers that go through the processor at once; rows of the table begin at a multiple of it.
const LANES: usize = 4;

/// Least squares as Λ θ = z, where Λ is the inverse covariance (Ljung 1999, section 11.2,
/// information form). Unknowns are counted in their own prior standard deviation, so that Λ = I + Σ
/// r r' and θ starts as zero: no pivot of the elimination can be smaller than one, however long the
/// test, and rows of unlike size cannot spoil it.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    unknowns: usize,
    /// `unknowns + 1`, made a multiple of the lanes.
    width: usize,
    /// `unknowns` rows of `width`: the upper triangle of Λ (and what lies left of it in the same
    /// lanes), then z.
    information: Vec<f64>,
    row: Vec<f64>,
    /// The elimination, and the reciprocals of its pivots.
    work: Vec<f64>,
    pivots: Vec<f64>,
}

snapshot!(Fit { information });

/// Where the lanes begin that hold column `k`.
#[inline(always)]
fn lanes_of(k: usize) -> usize {
    k / LANES * LANES
}

/// y += f x, in whole lanes.
#[inline(always)]
fn add(y: &mut [f64], f: f64, x: &[f64]) {
    let lanes = x.as_chunks::<LANES>().0;
    for (y, x) in y.as_chunks_mut::<LANES>().0.iter_mut().zip(lanes) {
        // By value: the compiler need not ask whether they overlap.
        let (mut sums, x) = (*y, *x);
        for (sum, x) in sums.iter_mut().zip(x) {
            *sum += f * x;
        }
        *y = sums;
    }
}

impl Fit {
    pub(super) fn new(unknowns: usize) -> Self {
        let width = (unknowns + 1).next_multiple_of(LANES);
        let mut fit = Self {
            unknowns,
            width,
            information: vec![0.0; unknowns * width],
            row: vec![0.0; width],
            work: vec![0.0; unknowns * width],
            pivots: vec![0.0; unknowns],
        };
        fit.add_prior(1.0);
        fit
    }

    fn add_prior(&mut self, weight: f64) {
        for k in 0..self.unknowns {
            self.information[k * self.width + k] += weight;
        }
    }

    /// Room for a row: regressors, then the response, all divided by the standard deviation of the
    /// noise.
    #[inline(always)]
    pub(super) fn row(&mut self) -> &mut [f64] {
        &mut self.row[..=self.unknowns]
    }

    /// Takes the row in.
    #[inline(always)]
    pub(super) fn update(&mut self) {
        for k in 0..self.unknowns {
            let from = lanes_of(k);
            let own = &mut self.information[k * self.width + from..(k + 1) * self.width];
            add(own, self.row[k], &self.row[from..]);
        }
    }

    /// Readings so far count `memory` times; what they lose goes to the prior, which never fades.
    #[inline(always)]
    pub(super) fn forget(&mut self, memory: f64) {
        if memory < 1.0 {
            self.information.iter_mut().for_each(|x| *x *= memory);
            self.add_prior(1.0 - memory);
        }
    }

    /// Λ θ = z, by elimination.
    #[inline(always)]
    pub(super) fn solve(&mut self, theta: &mut [f64]) {
        let (n, width) = (self.unknowns, self.width);
        self.work.copy_from_slice(&self.information);
        for k in 0..n {
            let (above, below) = self.work.split_at_mut((k + 1) * width);
            let own = &above[k * width..];
            let inverse = 1.0 / own[k];
            self.pivots[k] = inverse;
            for i in k + 1..n {
                let (from, row) = (lanes_of(i), (i - k - 1) * width);
                let below = &mut below[row + from..row + width];
                add(below, -own[i] * inverse, &own[from..]);
            }
        }
        for (k, x) in theta.iter_mut().enumerate() {
            *x = self.work[k * width + n];
        }
        for k in (0..n).rev() {
            theta[k] *= self.pivots[k];
            for i in 0..k {
                theta[i] -= self.work[i * width + k] * theta[k];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One unknown, prior N(0, 1), n readings of y with noise σ: the mean of the posterior is Σy/σ²
    /// / (1 + n/σ²).
    #[test]
    fn the_prior_counts_as_one_reading() {
        let mut fit = Fit::new(1);
        let (sigma, mut sum) = (0.5, 0.0);
        for k in 0..7_u32 {
            let y = 0.8 + 0.1 * f64::from(k % 3);
            sum += y;
            fit.row().copy_from_slice(&[1.0 / sigma, y / sigma]);
            fit.update();
        }
        let mut theta = [0.0];
        fit.solve(&mut theta);
        let expected = (sum / (sigma * sigma)) / (1.0 + 7.0 / (sigma * sigma));
        assert!((theta[0] - expected).abs() < 1e-14, "{theta:?} {expected}");
    }

    /// Five unknowns (more than one vector of lanes) from many exact rows whose columns differ by
    /// 10⁴ in size: the truth, but for what the prior of weight one takes of it. Then everything is
    /// forgotten, and the prior alone is left.
    #[test]
    fn many_rows_find_the_truth_and_forgetting_finds_the_prior() {
        let mut fit = Fit::new(5);
        let truth = [0.3, -1.2, 0.05, 2.0, -0.7];
        for k in 0..20_000_u32 {
            let t = f64::from(k);
            let row = fit.row();
            for j in 0..5 {
                let w = 0.1 + 0.37 * j as f64;
                row[j] = if j == 2 { 1e4 } else { 1.0 } * (w * t + 0.2).sin();
            }
            row[5] = row.iter().zip(truth).map(|(a, b)| a * b).sum();
            fit.update();
        }
        let mut theta = [0.0; 5];
        fit.solve(&mut theta);
        for (x, exact) in theta.iter().zip(truth) {
            assert!((x - exact).abs() < 3e-4, "{theta:?}");
        }
        for _ in 0..200 {
            fit.forget(0.5);
        }
        fit.solve(&mut theta);
        assert!(theta.iter().all(|x| x.abs() < 1e-9), "{theta:?}");
    }
}
