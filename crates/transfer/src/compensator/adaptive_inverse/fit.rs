//! Least squares with a prior, updated row by row.

use tandem_quantity::snapshot;

/// Least squares as a triangle R with R θ = z, where R'R is the inverse covariance. Unknowns are counted in their own prior
/// standard deviation, so that R starts as the identity and θ as zero. A row is rotated in (Givens; Golub and Van Loan 2013,
/// section 6.5): no covariance can lose its symmetry or its sign, however long the test.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    unknowns: usize,
    /// `unknowns` rows of `unknowns + 1`: R and z.
    triangle: Vec<f64>,
    row: Vec<f64>,
}

snapshot!(Fit { triangle });

impl Fit {
    pub(super) fn new(unknowns: usize) -> Self {
        let width = unknowns + 1;
        let mut triangle = vec![0.0; unknowns * width];
        for k in 0..unknowns {
            triangle[k * width + k] = 1.0;
        }
        Self {
            unknowns,
            triangle,
            row: vec![0.0; width],
        }
    }

    /// Room for a row: regressors, then the response, all divided by the standard deviation of the noise.
    pub(super) fn row(&mut self) -> &mut [f64] {
        &mut self.row
    }

    /// Takes the row in; older rows count `memory` times.
    #[inline]
    pub(super) fn update(&mut self, memory: f64) {
        let width = self.unknowns + 1;
        if memory < 1.0 {
            self.triangle.iter_mut().for_each(|x| *x *= memory);
        }
        for k in 0..self.unknowns {
            let head = self.row[k];
            if head == 0.0 {
                continue;
            }
            let (own, rest) = (
                &mut self.triangle[k * width + k..(k + 1) * width],
                &mut self.row[k..],
            );
            let inverse = 1.0 / (own[0] * own[0] + head * head).sqrt();
            let (c, s) = (own[0] * inverse, head * inverse);
            for (a, b) in own.iter_mut().zip(rest) {
                let (x, y) = (*a, *b);
                *a = c * x + s * y;
                *b = c * y - s * x;
            }
        }
    }

    /// R θ = z.
    #[inline]
    pub(super) fn solve(&self, theta: &mut [f64]) {
        let width = self.unknowns + 1;
        for k in (0..self.unknowns).rev() {
            let row = &self.triangle[k * width..(k + 1) * width];
            let mut x = row[self.unknowns];
            for j in k + 1..self.unknowns {
                x -= row[j] * theta[j];
            }
            theta[k] = x / row[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One unknown, prior N(0, 1), n readings of y with noise σ: the mean of the posterior is Σy/σ² / (1 + n/σ²).
    #[test]
    fn the_prior_counts_as_one_reading() {
        let mut fit = Fit::new(1);
        let (sigma, mut sum) = (0.5, 0.0);
        for k in 0..7_u32 {
            let y = 0.8 + 0.1 * f64::from(k % 3);
            sum += y;
            fit.row().copy_from_slice(&[1.0 / sigma, y / sigma]);
            fit.update(1.0);
        }
        let mut theta = [0.0];
        fit.solve(&mut theta);
        let expected = (sum / (sigma * sigma)) / (1.0 + 7.0 / (sigma * sigma));
        assert!((theta[0] - expected).abs() < 1e-14, "{theta:?} {expected}");
    }
}
