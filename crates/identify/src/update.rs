//! Model updating: an unknown of a model, such as the rotational spring of a base, from measured
//! frequencies.

use crate::{IdentifyError, real};

/// The unknown that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Updated {
    /// The unknown.
    pub value: f64,
    /// Frequencies of the model with it, Hz, as many as were measured.
    pub frequencies: Vec<f64>,
    /// Root mean square of the relative errors of the frequencies.
    pub residual: f64,
    /// The unknown changes by this much per cent when the first frequency changes by one.
    pub sensitivity: f64,
    /// Frequencies against the unknown over the range that was searched: (value, first frequency).
    pub curve: Vec<(f64, f64)>,
}

/// Finds the positive unknown between `low` and `high` for which the model's first frequencies come
/// closest (relatively, in the least-squares sense) to the measured ones: a sweep over the
/// logarithm, then golden section.
///
/// # Errors
/// What the model says, or [`IdentifyError`] where the measured frequency lies outside what the
/// model can reach.
pub fn update<E: From<IdentifyError>>(
    measured: &[f64],
    low: f64,
    high: f64,
    mut model: impl FnMut(f64) -> Result<Vec<f64>, E>,
) -> Result<Updated, E> {
    const WHAT: &str = "model updating";
    const POINTS: usize = 60;
    let first = measured.first().copied().unwrap_or(0.0);
    if !(first > 0.0 && low > 0.0 && high > low) {
        let error = IdentifyError::undetermined(
            WHAT,
            "give measured frequencies above zero and a range of positive numbers",
        );
        return Err(error.into());
    }
    let cost = |found: &[f64]| -> f64 {
        let sum: f64 = measured
            .iter()
            .zip(found)
            .map(|(m, f)| (f / m - 1.0).powi(2))
            .sum();
        if found.len() < measured.len() {
            f64::INFINITY
        } else {
            (sum / real(measured.len())).sqrt()
        }
    };
    let at = |k: f64| low * (high / low).powf(k / real(POINTS - 1));
    let mut curve = Vec::with_capacity(POINTS);
    let mut best = (f64::INFINITY, 0);
    for k in 0..POINTS {
        let value = at(real(k));
        let found = model(value)?;
        curve.push((value, found.first().copied().unwrap_or(f64::NAN)));
        let value = cost(&found);
        if value < best.0 {
            best = (value, k);
        }
    }
    let (mut a, mut b) = (
        real(best.1.saturating_sub(1)),
        real((best.1 + 1).min(POINTS - 1)),
    );
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    for _ in 0..60 {
        let (c, d) = (b - golden * (b - a), a + golden * (b - a));
        if cost(&model(at(c))?) < cost(&model(at(d))?) {
            b = d;
        } else {
            a = c;
        }
    }
    let k = 0.5 * (a + b);
    let value = at(k);
    let frequencies: Vec<f64> = model(value)?.into_iter().take(measured.len()).collect();
    let residual = cost(&frequencies);
    let edge = k < 1e-3 || k > real(POINTS - 1) - 1e-3;
    if !residual.is_finite() || (edge && residual > 1e-3) {
        let (small, large) = (curve[0].1, curve[POINTS - 1].1);
        let error = IdentifyError::undetermined(
            WHAT,
            format!(
                "the model's first frequency goes from {small:.4} to {large:.4} Hz over the range \
                {low:e} to {high:e} of the unknown and does not reach {first} Hz; \
                 check masses and lengths, or widen the range"
            ),
        );
        return Err(error.into());
    }
    let more = model(value * 1.01)?.first().copied().unwrap_or(f64::NAN);
    let base = frequencies.first().copied().unwrap_or(f64::NAN);
    let slope = (more / base - 1.0) / 0.01;
    Ok(Updated {
        value,
        frequencies,
        residual,
        sensitivity: 1.0 / slope,
        curve,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// f = √k: twice the percentage.
    #[test]
    fn a_square_root() {
        let found: Updated = update(&[3.0], 1e-2, 1e4, |k: f64| {
            Ok::<_, IdentifyError>(vec![k.sqrt(), 10.0])
        })
        .unwrap();
        assert!((found.value - 9.0).abs() < 1e-6);
        assert!((found.sensitivity - 2.0).abs() < 0.02);
        let beyond = update(&[300.0], 1e-2, 1e4, |k: f64| {
            Ok::<_, IdentifyError>(vec![k.sqrt()])
        });
        assert!(beyond.is_err());
    }
}
