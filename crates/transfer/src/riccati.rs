//! The continuous algebraic Riccati equation, for small dense systems.

use tandem_structure::linalg::small::{product, solve, transpose};

/// Solves A'X + X A − X G X + Q = 0 for the stabilising X, all n × n and row-major, G and Q
/// symmetric.
///
/// A Cayley transform with shift γ, then doubling: each pass squares the closed-loop matrix (Chu,
/// Fan, Lin and Wang 2004, structure-preserving doubling). `None` when no pass converges: A, G or Q
/// is not stabilisable or detectable.
pub(crate) fn riccati(a: &[f64], g: &[f64], q: &[f64], n: usize) -> Option<Vec<f64>> {
    let largest = |m: &[f64]| m.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    // Rates of the open loop, and those that the feedback brings.
    let size = largest(a).max((largest(g) * largest(q)).sqrt()).max(1e-6);
    // The shift only decides how many passes are needed; several are tried in case one meets an
    // eigenvalue.
    let mut best: Option<(f64, Vec<f64>)> = None;
    for shift in [1.0, 0.1, 0.01, 1e-3] {
        if let Some(x) = doubling(a, g, q, n, shift * size) {
            let rest = residual(a, g, q, &x, n);
            if rest.is_finite() && best.as_ref().is_none_or(|(r, _)| rest < *r) {
                best = Some((rest, x));
            }
        }
    }
    best.filter(|(rest, _)| *rest < 1e-6).map(|(_, x)| x)
}

fn inverse(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut out = identity(n);
    solve(&mut a.to_vec(), &mut out, n, n).then_some(out)
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n)
        .map(|k| if k / n == k % n { 1.0 } else { 0.0 })
        .collect()
}

fn doubling(a: &[f64], g: &[f64], q: &[f64], n: usize, gamma: f64) -> Option<Vec<f64>> {
    let mul = |x: &[f64], y: &[f64]| product(x, y, [n, n, n]);
    let shifted: Vec<f64> = a
        .iter()
        .zip(identity(n))
        .map(|(a, i)| a - gamma * i)
        .collect();
    let across = inverse(&shifted, n)?;
    // W = A_γ' + Q A_γ⁻¹ G
    let w: Vec<f64> = transpose(&shifted, n, n)
        .iter()
        .zip(mul(q, &mul(&across, g)))
        .map(|(a, b)| a + b)
        .collect();
    let w_inverse = inverse(&w, n)?;
    let mut e: Vec<f64> = transpose(&w_inverse, n, n)
        .iter()
        .zip(identity(n))
        .map(|(w, i)| i + 2.0 * gamma * w)
        .collect();
    let scaled = |m: Vec<f64>| -> Vec<f64> { m.iter().map(|x| 2.0 * gamma * x).collect() };
    let mut gk = scaled(mul(&mul(&across, g), &w_inverse));
    let mut hk = scaled(mul(&mul(&w_inverse, q), &across));
    for _ in 0..60 {
        // E ← E (I + G H)⁻¹ E, G ← G + E (I + G H)⁻¹ G E', H ← H + E' H (I + G H)⁻¹ E
        let middle: Vec<f64> = identity(n)
            .iter()
            .zip(mul(&gk, &hk))
            .map(|(i, x)| i + x)
            .collect();
        let m = inverse(&middle, n)?;
        let et = transpose(&e, n, n);
        let add =
            |x: &[f64], y: Vec<f64>| -> Vec<f64> { x.iter().zip(y).map(|(a, b)| a + b).collect() };
        let next_g = add(&gk, mul(&e, &mul(&m, &mul(&gk, &et))));
        let next_h = add(&hk, mul(&et, &mul(&hk, &mul(&m, &e))));
        e = mul(&e, &mul(&m, &e));
        let change = next_h
            .iter()
            .zip(&hk)
            .fold(0.0_f64, |c, (x, y)| c.max((x - y).abs()));
        let largest = next_h.iter().fold(0.0_f64, |c, x| c.max(x.abs()));
        gk = next_g;
        hk = next_h;
        if !change.is_finite() {
            return None;
        }
        if change <= 1e-15 * largest {
            break;
        }
    }
    // Rounding leaves a trace of asymmetry.
    let t = transpose(&hk, n, n);
    Some(hk.iter().zip(t).map(|(x, y)| 0.5 * (x + y)).collect())
}

/// Largest residual over the largest term.
fn residual(a: &[f64], g: &[f64], q: &[f64], x: &[f64], n: usize) -> f64 {
    let mul = |x: &[f64], y: &[f64]| product(x, y, [n, n, n]);
    let left = mul(&transpose(a, n, n), x);
    let right = mul(x, a);
    let middle = mul(x, &mul(g, x));
    let (mut worst, mut scale) = (0.0_f64, 1e-300_f64);
    for k in 0..n * n {
        worst = worst.max((left[k] + right[k] - middle[k] + q[k]).abs());
        scale = scale
            .max(left[k].abs())
            .max(middle[k].abs())
            .max(q[k].abs());
    }
    worst / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For x' = a x + u with cost q x² + u² the solution is a + √(a² + q).
    #[test]
    fn one_state_has_a_closed_form() {
        for (a, q) in [(-2.0_f64, 5.0), (0.0, 1.0), (3.0, 0.5), (0.0, 1e10)] {
            let x = riccati(&[a], &[1.0], &[q], 1).unwrap();
            let exact = a + (a * a + q).sqrt();
            assert!((x[0] / exact - 1.0).abs() < 1e-11, "{a} {q}: {x:?}");
        }
    }

    /// Expected: scipy.linalg.solve_continuous_are(A, B, diag(100, 1, 10), I), A =
    /// [[0,1,0],[−30,−2,5],[0,0,−4]], B = [[0,0],[3,0],[0,1]].
    #[test]
    fn three_states_agree_with_scipy() {
        let a = [0.0, 1.0, 0.0, -30.0, -2.0, 5.0, 0.0, 0.0, -4.0];
        let g = [0.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 1.0];
        let q = [100.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 10.0];
        let x = riccati(&a, &g, &q, 3).unwrap();
        assert_eq!(x.len(), SCIPY.len());
        for (found, expected) in x.iter().zip(SCIPY) {
            assert!((found - expected).abs() < 1e-10, "{x:?}");
        }
    }
    const SCIPY: [f64; 9] = [
        22.178328834515703,
        1.38031443287715,
        -0.18363720998261035,
        1.38031443287715,
        0.4585207318904834,
        0.18540384039148655,
        -0.18363720998261035,
        0.18540384039148655,
        1.2483013583089573,
    ];
}
