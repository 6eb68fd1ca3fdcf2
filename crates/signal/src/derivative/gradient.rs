//! Derivatives of a whole signal.

/// First derivative: central differences inside, second-order one-sided differences at both ends
/// (as `numpy.gradient(x, dt, edge_order=2)`). Exact for parabolas.
#[must_use]
pub fn gradient(values: &[f64], dt: f64) -> Vec<f64> {
    let n = values.len();
    match n {
        0 | 1 => vec![0.0; n],
        2 => vec![(values[1] - values[0]) / dt; 2],
        _ => {
            let mut slope = Vec::with_capacity(n);
            slope.push((-3.0 * values[0] + 4.0 * values[1] - values[2]) / (2.0 * dt));
            slope.extend(
                values
                    .windows(3)
                    .map(|three| (three[2] - three[0]) / (2.0 * dt)),
            );
            slope.push((3.0 * values[n - 1] - 4.0 * values[n - 2] + values[n - 3]) / (2.0 * dt));
            slope
        }
    }
}

/// Second derivative: central differences inside; the ends take the value beside them.
#[must_use]
pub fn second_gradient(values: &[f64], dt: f64) -> Vec<f64> {
    let n = values.len();
    if n < 3 {
        return vec![0.0; n];
    }
    let mut curvature = Vec::with_capacity(n);
    curvature.push(0.0);
    curvature.extend(
        values
            .windows(3)
            .map(|three| (three[0] - 2.0 * three[1] + three[2]) / (dt * dt)),
    );
    curvature.push(curvature[n - 2]);
    curvature[0] = curvature[1];
    curvature
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_that_of_numpy() {
        // python: numpy.gradient([1., 2., 4., 7., 11., 16.5, 22.], 0.5, edge_order=2)
        let expected = [1.0, 3.0, 5.0, 7.0, 9.5, 11.0, 11.0];
        for (value, wanted) in gradient(&[1.0, 2.0, 4.0, 7.0, 11.0, 16.5, 22.0], 0.5)
            .iter()
            .zip(expected)
        {
            assert!((value - wanted).abs() < 1e-13, "{value} {wanted}");
        }
    }

    #[test]
    fn parabolas_are_exact_up_to_the_ends() {
        let dt = 0.1;
        let values: Vec<f64> = (0..20).map(|k| 3.0 * (f64::from(k) * dt).powi(2)).collect();
        for (k, slope) in (0..20).zip(gradient(&values, dt)) {
            assert!((slope - 6.0 * f64::from(k) * dt).abs() < 1e-12);
        }
        assert!(
            second_gradient(&values, dt)
                .iter()
                .all(|curvature| (curvature - 6.0).abs() < 1e-10)
        );
    }

    #[test]
    fn short_signals_do_not_fail() {
        for n in 0..4 {
            assert_eq!(gradient(&vec![1.0; n], 0.1).len(), n);
            assert_eq!(second_gradient(&vec![1.0; n], 0.1).len(), n);
        }
    }
}
