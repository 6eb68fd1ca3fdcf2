//! Gauss–Lobatto and Gauss–Legendre points on [0, 1].

/// Where a member's sections are and how they are weighted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quadrature {
    /// With a section at each end; exact for polynomials of degree 2n − 3.
    #[default]
    Lobatto,
    /// Inside only; exact for polynomials of degree 2n − 1.
    Legendre,
}

impl Quadrature {
    /// (ξ, w) of n points, ξ ascending and Σw = 1; none for fewer than 2 or more than 10.
    #[must_use]
    pub fn points(self, count: usize) -> Option<Vec<(f64, f64)>> {
        if !(2..=10).contains(&count) {
            return None;
        }
        let mut points: Vec<(f64, f64)> = (0..count)
            .map(|index| match self {
                Self::Lobatto => lobatto(count, index),
                Self::Legendre => legendre(count, index),
            })
            .collect();
        // Exactly symmetric about the middle.
        for k in 0..count / 2 {
            let (xi, w) = points[count - 1 - k];
            points[k] = (1.0 - xi, w);
        }
        if count % 2 == 1 {
            points[count / 2].0 = 0.5;
        }
        Some(points)
    }
}

/// P_n, its derivative and P_{n−1} at x.
fn polynomial(n: usize, x: f64) -> (f64, f64, f64) {
    let (mut before, mut now) = (1.0, x);
    for k in 2..=n {
        let k = k as f64;
        (before, now) = (now, ((2.0 * k - 1.0) * x * now - (k - 1.0) * before) / k);
    }
    let slope = n as f64 * (x * now - before) / (x * x - 1.0);
    (now, slope, before)
}

fn legendre(count: usize, index: usize) -> (f64, f64) {
    let n = count as f64;
    let mut x = -(std::f64::consts::PI * (index as f64 + 0.75) / (n + 0.5)).cos();
    for _ in 0..20 {
        let (value, slope, _) = polynomial(count, x);
        x -= value / slope;
    }
    let (_, slope, _) = polynomial(count, x);
    (0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * slope * slope))
}

/// Inner points are the zeros of P′_{n−1}; weights 2/(n(n−1)P²_{n−1}) on [−1, 1].
fn lobatto(count: usize, index: usize) -> (f64, f64) {
    let n = count as f64;
    if index == 0 || index == count - 1 {
        let end = f64::from(u8::from(index > 0));
        return (end, 1.0 / (n * (n - 1.0)));
    }
    let mut x = -(std::f64::consts::PI * index as f64 / (n - 1.0)).cos();
    let degree = count - 1;
    let d = degree as f64;
    for _ in 0..20 {
        let (value, slope, _) = polynomial(degree, x);
        // (1 − x²) P″ = 2x P′ − d(d+1) P.
        let curvature = (2.0 * x * slope - d * (d + 1.0) * value) / (1.0 - x * x);
        x -= slope / curvature;
    }
    let (value, _, _) = polynomial(degree, x);
    (0.5 * (1.0 + x), 1.0 / (n * (n - 1.0) * value * value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_integrated_exactly() {
        for (rule, degree) in [(Quadrature::Lobatto, 3), (Quadrature::Legendre, 1)] {
            for count in 2..=10 {
                let points = rule.points(count).unwrap();
                for power in 0..=2 * count - degree {
                    let power = i32::try_from(power).unwrap();
                    let sum: f64 = points.iter().map(|(xi, w)| w * xi.powi(power)).sum();
                    assert!((sum - 1.0 / f64::from(power + 1)).abs() < 1e-15);
                }
            }
            assert!(rule.points(1).is_none() && rule.points(11).is_none());
        }
    }

    #[test]
    fn five_lobatto_points_are_the_tabulated_ones() {
        let points = Quadrature::Lobatto.points(5).unwrap();
        let inner = 0.5 * (1.0 - (3.0_f64 / 7.0).sqrt());
        let expected = [
            (0.0, 0.05),
            (inner, 49.0 / 180.0),
            (0.5, 16.0 / 45.0),
            (1.0 - inner, 49.0 / 180.0),
            (1.0, 0.05),
        ];
        for ((xi, w), (x, v)) in points.iter().zip(expected) {
            assert!((xi - x).abs() < 3e-16 && (w - v).abs() < 3e-16);
        }
    }
}
