//! Integration of sampled signals.

/// Running integral by the trapezoidal rule. It starts at zero and has the length of `values`.
///
/// `dt` is the spacing in seconds; the result carries the unit of `values` times seconds.
#[must_use]
pub fn cumulative_trapezoid(values: &[f64], dt: f64) -> Vec<f64> {
    let mut integral = Vec::with_capacity(values.len());
    let mut sum = 0.0;
    let mut previous = None;
    for &value in values {
        if let Some(before) = previous {
            sum += 0.5 * dt * (before + value);
        }
        integral.push(sum);
        previous = Some(value);
    }
    integral
}

/// Integral over the whole signal by the trapezoidal rule.
#[must_use]
pub fn trapezoid(values: &[f64], dt: f64) -> f64 {
    values
        .windows(2)
        .map(|pair| 0.5 * dt * (pair[0] + pair[1]))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_integrates_to_its_parabola() {
        let dt = 0.125;
        let line: Vec<f64> = (0..9).map(|k| 2.0 * f64::from(k) * dt).collect();
        let integral = cumulative_trapezoid(&line, dt);
        assert_eq!(integral.len(), line.len());
        for (k, value) in (0..9).zip(&integral) {
            let t = f64::from(k) * dt;
            assert!((value - t * t).abs() < 1e-15);
        }
        assert!((trapezoid(&line, dt) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn an_empty_signal_has_an_empty_integral() {
        assert!(cumulative_trapezoid(&[], 0.1).is_empty());
    }
}
