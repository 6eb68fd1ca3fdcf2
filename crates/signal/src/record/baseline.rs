//! Baseline correction.

use super::{Record, RecordError, as_f64};
use crate::integral::cumulative_trapezoid;

/// How the baseline is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// Polynomial of this degree (0 to 6) fitted to the acceleration by least squares: 0 removes
    /// the mean, 1 a trend.
    Polynomial(usize),
    /// Parabola in acceleration that makes the mean square of the velocity least (Berg & Housner
    /// 1961).
    LeastVelocity,
}

impl Record {
    /// The record less its baseline.
    ///
    /// # Errors
    /// [`RecordError::Argument`] for a degree above 6 or a record with fewer points than the fit
    /// has terms.
    pub fn baseline_corrected(&self, baseline: Baseline) -> Result<Self, RecordError> {
        let degree = match baseline {
            Baseline::Polynomial(degree) => degree,
            Baseline::LeastVelocity => 2,
        };
        if degree > 6 || self.acceleration.len() < degree + 2 {
            let expected = "at most 6, and below the number of points less 1";
            return Err(self.argument("degree of the baseline", expected, as_f64(degree)));
        }
        // Legendre polynomials on −1 … 1: well conditioned where powers of t are not.
        let last = as_f64(self.acceleration.len() - 1);
        let terms: Vec<Vec<f64>> = (0..=degree)
            .map(|order| {
                let place = |index| 2.0 * as_f64(index) / last - 1.0;
                (0..self.acceleration.len())
                    .map(|index| legendre(order, place(index)))
                    .collect()
            })
            .collect();
        let coefficients = match baseline {
            Baseline::Polynomial(_) => least_squares(&terms, &self.acceleration),
            Baseline::LeastVelocity => {
                let velocities: Vec<Vec<f64>> = terms
                    .iter()
                    .map(|term| cumulative_trapezoid(term, self.dt))
                    .collect();
                least_squares(
                    &velocities,
                    &cumulative_trapezoid(&self.acceleration, self.dt),
                )
            }
        };
        let mut record = self.clone();
        for (term, coefficient) in terms.iter().zip(&coefficients) {
            for (value, shape) in record.acceleration.iter_mut().zip(term) {
                *value -= coefficient * shape;
            }
        }
        record.notes.push(match baseline {
            Baseline::Polynomial(degree) => format!("baseline of degree {degree} removed"),
            Baseline::LeastVelocity => {
                "baseline of least velocity removed (Berg & Housner 1961)".to_owned()
            }
        });
        Ok(record)
    }
}

fn legendre(order: usize, x: f64) -> f64 {
    let (mut before, mut current) = (1.0, x);
    if order == 0 {
        return before;
    }
    for n in 1..order {
        let n = as_f64(n);
        (before, current) = (
            current,
            ((2.0 * n + 1.0) * x * current - n * before) / (n + 1.0),
        );
    }
    current
}

/// Coefficients of the combination of `columns` nearest to `target`, by modified Gram–Schmidt.
fn least_squares(columns: &[Vec<f64>], target: &[f64]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let count = columns.len();
    let mut basis = columns.to_vec();
    let mut triangle = vec![vec![0.0; count]; count];
    let mut rest = target.to_vec();
    let mut projections = vec![0.0; count];
    for j in 0..count {
        let (done, ahead) = basis.split_at_mut(j);
        let column = &mut ahead[0];
        for (i, unit) in done.iter().enumerate() {
            triangle[i][j] = dot(unit, column);
            let along = triangle[i][j];
            column
                .iter_mut()
                .zip(unit)
                .for_each(|(value, direction)| *value -= along * direction);
        }
        let length = dot(column, column).sqrt();
        triangle[j][j] = length;
        if length > 0.0 {
            column.iter_mut().for_each(|value| *value /= length);
        }
        projections[j] = dot(column, &rest);
        let along = projections[j];
        rest.iter_mut()
            .zip(column.iter())
            .for_each(|(value, direction)| *value -= along * direction);
    }
    let mut coefficients = vec![0.0; count];
    for i in (0..count).rev() {
        let known: f64 = (i + 1..count)
            .map(|j| triangle[i][j] * coefficients[j])
            .sum();
        if triangle[i][i] > 0.0 {
            coefficients[i] = (projections[i] - known) / triangle[i][i];
        }
    }
    coefficients
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::el_centro_1940;

    #[test]
    fn a_polynomial_is_removed_whole() {
        let dt = 0.01;
        let cubic = |t: f64| 0.3 - 0.2 * t + 0.05 * t * t - 0.01 * t * t * t;
        let record = Record::new(
            "cubic",
            dt,
            (0..500).map(|k| cubic(f64::from(k) * dt)).collect(),
        )
        .unwrap();
        let corrected = record.baseline_corrected(Baseline::Polynomial(3)).unwrap();
        assert!(corrected.peak() < 1e-13);
        assert!(
            record
                .baseline_corrected(Baseline::Polynomial(2))
                .unwrap()
                .peak()
                > 1e-3
        );
        assert!(record.baseline_corrected(Baseline::Polynomial(7)).is_err());
    }

    #[test]
    fn degree_zero_removes_the_mean() {
        let corrected = el_centro_1940()
            .baseline_corrected(Baseline::Polynomial(0))
            .unwrap();
        assert!(corrected.acceleration.iter().sum::<f64>().abs() < 1e-9);
    }

    #[test]
    fn least_velocity_takes_a_drift_out_and_is_idempotent() {
        let record = el_centro_1940();
        let mut drifting = record.clone();
        for (index, value) in drifting.acceleration.iter_mut().enumerate() {
            let t = as_f64(index) * record.dt;
            *value += 0.05 - 0.004 * t + 1e-4 * t * t;
        }
        // A parabola added to the record changes nothing in the answer: the fit contains it.
        let clean = record.baseline_corrected(Baseline::LeastVelocity).unwrap();
        let cleaned = drifting
            .baseline_corrected(Baseline::LeastVelocity)
            .unwrap();
        let again = cleaned.baseline_corrected(Baseline::LeastVelocity).unwrap();
        for ((a, b), c) in clean
            .acceleration
            .iter()
            .zip(&cleaned.acceleration)
            .zip(&again.acceleration)
        {
            assert!((a - b).abs() < 1e-11);
            assert!((b - c).abs() < 1e-11);
        }
        let rms = |record: &Record| {
            crate::correlate::rms(&cumulative_trapezoid(&record.acceleration, record.dt))
        };
        assert!(rms(&cleaned) < 0.5 * rms(&drifting));
        assert!(rms(&clean) <= rms(&record));
    }
}
