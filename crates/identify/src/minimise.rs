//! Nonlinear least squares (Levenberg 1944, Marquardt 1963) and the simplex search of Nelder and
//! Mead 1965.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

/// A minimum of a sum of squares.
#[derive(Debug, Clone)]
pub(crate) struct Minimum {
    pub x: Vec<f64>,
    /// Sum of the squared residuals.
    pub square: f64,
    /// Diagonal of (JᵀJ)⁻¹ at the minimum: times the variance of a residual, the variance of each
    /// unknown.
    pub inverse: Vec<f64>,
}

/// Goes down from `x`. `residuals` writes into its second argument and says whether the point is
/// allowed. Steps of the derivative are `h` for each unknown. None where the start is not allowed.
pub(crate) fn levenberg_marquardt(
    start: &[f64],
    h: &[f64],
    rounds: usize,
    mut residuals: impl FnMut(&[f64], &mut Vec<f64>) -> bool,
) -> Option<Minimum> {
    let n = start.len();
    let mut x = start.to_vec();
    let mut r = Vec::new();
    let (mut moved, mut jacobian): (Vec<f64>, Vec<Vec<f64>>) = (Vec::new(), vec![Vec::new(); n]);
    let sum = |r: &[f64]| r.iter().map(|x| x * x).sum::<f64>();
    if !residuals(&x, &mut r) {
        return None;
    }
    let mut square = sum(&r);
    if !square.is_finite() {
        return None;
    }
    let mut damping = 1e-3;
    let mut inverse = vec![f64::INFINITY; n];
    for _ in 0..rounds {
        for j in 0..n {
            let mut other = x.clone();
            let mut step = h[j];
            other[j] += step;
            if !residuals(&other, &mut moved) {
                step = -step;
                other[j] = x[j] + step;
                if !residuals(&other, &mut moved) {
                    return None;
                }
            }
            jacobian[j].clear();
            jacobian[j].extend(moved.iter().zip(&r).map(|(a, b)| (a - b) / step));
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let gram = Mat::from_fn(n, n, |i, j| dot(&jacobian[i], &jacobian[j]));
        let slope: Vec<f64> = jacobian.iter().map(|j| -dot(j, &r)).collect();
        inverse = diagonal_of_inverse(&gram).unwrap_or(inverse);
        let mut better = false;
        let mut gained = 0.0;
        for _ in 0..12 {
            let damped = Mat::from_fn(n, n, |i, j| {
                gram[(i, j)] + if i == j { damping * gram[(i, i)] } else { 0.0 }
            });
            let right = Mat::from_fn(n, 1, |i, _| slope[i]);
            if let Ok(factor) = damped.llt(Side::Lower) {
                let step = factor.solve(&right);
                let other: Vec<f64> = (0..n).map(|i| x[i] + step[(i, 0)]).collect();
                if residuals(&other, &mut moved) {
                    let new = sum(&moved);
                    if new < square {
                        gained = (square - new) / square.max(f64::MIN_POSITIVE);
                        square = new;
                        x = other;
                        std::mem::swap(&mut r, &mut moved);
                        damping = (damping * 0.2).max(1e-12);
                        better = true;
                        break;
                    }
                }
            }
            damping *= 5.0;
        }
        if !better || gained < 1e-10 {
            break;
        }
    }
    Some(Minimum { x, square, inverse })
}

fn diagonal_of_inverse(gram: &Mat<f64>) -> Option<Vec<f64>> {
    let n = gram.nrows();
    // Unknowns of very different size: scaled to a unit diagonal first.
    let scale: Vec<f64> = (0..n).map(|i| gram[(i, i)].sqrt()).collect();
    if scale.iter().any(|s| !s.is_finite() || *s <= 0.0) {
        return None;
    }
    let unit = Mat::from_fn(n, n, |i, j| gram[(i, j)] / (scale[i] * scale[j]));
    let factor = unit.llt(Side::Lower).ok()?;
    let inverse = factor.solve(Mat::<f64>::identity(n, n));
    Some(
        (0..n)
            .map(|i| inverse[(i, i)] / (scale[i] * scale[i]))
            .collect(),
    )
}

/// Goes down from `start` without derivatives; `size` is the first edge of the simplex along each
/// unknown.
pub(crate) fn nelder_mead(
    start: &[f64],
    size: f64,
    rounds: usize,
    mut cost: impl FnMut(&[f64]) -> f64,
) -> (Vec<f64>, f64) {
    let n = start.len();
    let mut points: Vec<(Vec<f64>, f64)> = (0..=n)
        .map(|k| {
            let mut x = start.to_vec();
            if k > 0 {
                x[k - 1] += size;
            }
            let value = cost(&x);
            (x, value)
        })
        .collect();
    for _ in 0..rounds {
        points.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (best, worst, second) = (points[0].1, points[n].1, points[n - 1].1);
        if (worst - best).abs() <= 1e-9 * (best.abs() + 1e-12) {
            break;
        }
        let centre: Vec<f64> = (0..n)
            .map(|i| points[..n].iter().map(|p| p.0[i]).sum::<f64>() / n as f64)
            .collect();
        let along = |t: f64| -> Vec<f64> {
            (0..n)
                .map(|i| centre[i] + t * (points[n].0[i] - centre[i]))
                .collect()
        };
        let x = along(-1.0);
        let value = cost(&x);
        let next = if value < best {
            let far = along(-2.0);
            let farther = cost(&far);
            if farther < value {
                (far, farther)
            } else {
                (x, value)
            }
        } else if value < second {
            (x, value)
        } else {
            let x = along(if value < worst { -0.5 } else { 0.5 });
            let value = cost(&x);
            if value >= worst {
                // Nothing better: the simplex shrinks towards the best point.
                let anchor = points[0].0.clone();
                for point in &mut points[1..] {
                    for (x, a) in point.0.iter_mut().zip(&anchor) {
                        *x = 0.5 * (*x + a);
                    }
                    point.1 = cost(&point.0);
                }
                continue;
            }
            (x, value)
        };
        points[n] = next;
    }
    points.sort_by(|a, b| a.1.total_cmp(&b.1));
    points.swap_remove(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The valley of Rosenbrock 1960 as a sum of squares; minimum at (1, 1).
    #[test]
    fn both_find_the_end_of_the_valley() {
        let found = levenberg_marquardt(&[-1.2, 1.0], &[1e-7; 2], 200, |x, r| {
            r.clear();
            r.extend([10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]]);
            true
        })
        .unwrap();
        assert!((found.x[0] - 1.0).abs() < 1e-6 && found.square < 1e-10);
        let (x, _) = nelder_mead(&[-1.2, 1.0], 0.5, 2000, |x| {
            100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2)
        });
        assert!((x[0] - 1.0).abs() < 1e-3 && (x[1] - 1.0).abs() < 1e-3);
    }
}
