//! Roots of a structure without delay, also where degrees of freedom have no mass.

use faer::{Mat, c64};
use tandem_structure::Matrix;

/// The largest real part of the roots s of det(s² M + s C + K) = 0 over the largest magnitude;
/// positive is unstable. Matrices by rows; none where the roots cannot be found.
///
/// Degrees of freedom without mass and damping follow the others statically; those with damping
/// alone have one root instead of two: C ẋ = −K x − … .
pub(super) fn growth(
    order: usize,
    mass: &[f64],
    damping: &[f64],
    stiffness: &[f64],
) -> Option<f64> {
    let bare = |matrix: &[f64], i: usize| {
        (0..order).all(|j| matrix[i * order + j] == 0.0 && matrix[j * order + i] == 0.0)
    };
    let (massless, inert): (Vec<usize>, Vec<usize>) = (0..order).partition(|i| bare(mass, *i));
    let (followers, damped): (Vec<usize>, Vec<usize>) =
        massless.into_iter().partition(|i| bare(damping, *i));
    let block = |matrix: &[f64], rows: &[usize], columns: &[usize]| {
        let entry = |e: usize| matrix[rows[e / columns.len()] * order + columns[e % columns.len()]];
        StateBlock {
            rows: rows.len(),
            columns: columns.len(),
            entries: (0..rows.len() * columns.len()).map(entry).collect(),
        }
    };
    // K of the others with the followers condensed.
    let condensed = |rows: &[usize], columns: &[usize]| {
        let direct = block(stiffness, rows, columns);
        let follow = block(stiffness, &followers, &followers)
            .solve(&block(stiffness, &followers, columns))?;
        Some(direct.minus_product(&block(stiffness, rows, &followers), &follow))
    };
    // z = (x, v of those with mass; x of those with damping alone).
    let of_damped = StateBlock::beside([
        &condensed(&damped, &inert)?,
        &block(damping, &damped, &inert),
        &condensed(&damped, &damped)?,
    ]);
    let rate = block(damping, &damped, &damped).solve(&of_damped)?;
    let of_inert = StateBlock::beside([
        &condensed(&inert, &inert)?,
        &block(damping, &inert, &inert),
        &condensed(&inert, &damped)?,
    ])
    .minus_product(&block(damping, &inert, &damped), &rate);
    let acceleration = block(mass, &inert, &inert).solve(&of_inert)?;
    let (a, size) = (inert.len(), 2 * inert.len() + damped.len());
    let mut state = vec![0.0; size * size];
    for i in 0..a {
        state[i * size + a + i] = 1.0;
    }
    for (row, entry) in acceleration.entries.iter().chain(&rate.entries).enumerate() {
        state[a * size + row] = -entry;
    }
    let roots = eigenvalues(size, &state)?;
    let largest = roots.iter().fold(0.0_f64, |m, r| m.max(r.re.hypot(r.im)));
    let growth = roots.iter().fold(f64::NEG_INFINITY, |m, r| m.max(r.re));
    Some(growth / largest.max(f64::MIN_POSITIVE))
}

/// A rectangular matrix by rows.
struct StateBlock {
    rows: usize,
    columns: usize,
    entries: Vec<f64>,
}

impl StateBlock {
    /// Blocks of the same number of rows, side by side.
    fn beside(parts: [&Self; 3]) -> Self {
        let rows = parts[0].rows;
        let mut entries = Vec::new();
        for i in 0..rows {
            for part in parts {
                entries.extend_from_slice(&part.entries[i * part.columns..(i + 1) * part.columns]);
            }
        }
        Self {
            rows,
            columns: parts.iter().map(|part| part.columns).sum(),
            entries,
        }
    }

    /// self − A B.
    fn minus_product(mut self, a: &Self, b: &Self) -> Self {
        for i in 0..self.rows {
            for k in 0..a.columns {
                for j in 0..self.columns {
                    self.entries[i * self.columns + j] -=
                        a.entries[i * a.columns + k] * b.entries[k * b.columns + j];
                }
            }
        }
        self
    }

    /// self⁻¹ B of a square block; none where it is singular.
    fn solve(&self, b: &Self) -> Option<Self> {
        let mut entries = b.entries.clone();
        if self.rows > 0 {
            let mut factor = Matrix::from_dense(self.rows, &self.entries)
                .ok()?
                .factor()
                .ok()?;
            let mut column = vec![0.0; self.rows];
            for j in 0..b.columns {
                for i in 0..self.rows {
                    column[i] = b.entries[i * b.columns + j];
                }
                factor.solve_in_place(&mut column);
                for i in 0..self.rows {
                    entries[i * b.columns + j] = column[i];
                }
            }
        }
        Some(Self {
            rows: self.rows,
            columns: b.columns,
            entries,
        })
    }
}

/// Eigenvalues of a real matrix given by rows; none where the iteration fails or an entry is not
/// finite.
fn eigenvalues(order: usize, entries: &[f64]) -> Option<Vec<c64>> {
    if order == 0 || entries.iter().any(|v| !v.is_finite()) {
        return None;
    }
    Mat::from_fn(order, order, |i, j| entries[i * order + j])
        .eigenvalues()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An oscillator, a dashpot in series with a spring (root −k/c), and a joint without mass and
    /// damping between two springs: the roots are known in closed form.
    #[test]
    fn degrees_of_freedom_without_mass_keep_the_roots_of_the_others() {
        // x1: mass 1, spring 3 to the joint x2, which a spring of 6 holds: k = 2. Damper 0.2 at x1.
        let alone = growth(1, &[1.0], &[0.2], &[2.0]).unwrap();
        let joint = growth(
            2,
            &[1.0, 0.0, 0.0, 0.0],
            &[0.2, 0.0, 0.0, 0.0],
            &[3.0, -3.0, -3.0, 9.0],
        );
        assert!((joint.unwrap() - alone).abs() < 1e-12);
        let exact = -0.1 / 2.0_f64.sqrt();
        assert!((alone - exact).abs() < 1e-12, "{alone} {exact}");
        // Beside it, on its own, c ẋ = −k x with k/c = 0.05: now the slowest root.
        let slow = growth(
            2,
            &[1.0, 0.0, 0.0, 0.0],
            &[0.2, 0.0, 0.0, 10.0],
            &[2.0, 0.0, 0.0, 0.5],
        );
        assert!((slow.unwrap() + 0.05 / 2.0_f64.sqrt()).abs() < 1e-12);
        // Nothing holds the joint: nothing can be said.
        assert_eq!(
            growth(2, &[1.0, 0.0, 0.0, 0.0], &[0.0; 4], &[1.0, 0.0, 0.0, 0.0]),
            None
        );
    }

    /// A mass on a spring, with a dashpot and a spring in series beside it:
    /// s³ + 2 s² + 3 s + 2 = (s + 1)(s² + s + 2), of which the pair has real part −1/2 and
    /// magnitude √2. A joint without mass in the middle of a spring changes nothing.
    #[test]
    fn a_dashpot_in_series_has_its_roots() {
        let expected = -0.5 / 2.0_f64.sqrt();
        let found = growth(
            2,
            &[1.0, 0.0, 0.0, 0.0],
            &[1.0, -1.0, -1.0, 1.0],
            &[1.0, 0.0, 0.0, 2.0],
        );
        assert!((found.unwrap() - expected).abs() < 1e-12, "{found:?}");
        let joints = growth(
            4,
            &[
                0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            ],
            &[
                0.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0,
            ],
            &[
                5.0, -2.0, 0.0, -1.0, -2.0, 2.0, 0.0, 0.0, 0.0, 0.0, 6.0, -6.0, -1.0, 0.0, -6.0,
                9.0,
            ],
        );
        // The joints 1 and 4 condensed, of both the mass and the end of the dashpot.
        let d = 5.0 * 9.0 - 1.0;
        let condensed = growth(
            2,
            &[1.0, 0.0, 0.0, 0.0],
            &[1.0, -1.0, -1.0, 1.0],
            &[
                2.0 - 4.0 * 9.0 / d,
                -12.0 / d,
                -12.0 / d,
                6.0 - 36.0 * 5.0 / d,
            ],
        );
        let (joints, condensed) = (joints.unwrap(), condensed.unwrap());
        assert!((joints - condensed).abs() < 1e-12, "{joints} {condensed}");
    }
}
