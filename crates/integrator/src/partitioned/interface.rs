//! The interface problem of a partitioned step.

use tandem_quantity::BuildError;
use tandem_structure::{Factor, Matrix};

/// Solves H_s q_s + L̄_s w = −L_s v_s for all parts together with Σ L̄_sᵀ q_s = 0 (Eqs 11–12).
///
/// With B_s = −L̄_s: w = (Σ B_sᵀ H_s⁻¹ B_s)⁻¹ Σ B_sᵀ H_s⁻¹ L_s v_s and q_s = H_s⁻¹ (B_s w − L_s
/// v_s). All matrices are constant and factored once.
pub struct Interface {
    /// H_s⁻¹ by rows.
    inverses: Vec<Vec<f64>>,
    maps: Vec<Vec<usize>>,
    sum: Factor,
    velocity: Vec<f64>,
}

impl Interface {
    /// From H_s of every part (by rows, m/s per N) and the interface degree of freedom that each of
    /// its rows is tied to. Parts are named by their numbers where something is wrong with them.
    pub fn new(mobilities: &[&[f64]], maps: &[Vec<usize>]) -> Result<Self, BuildError> {
        let numbers: Vec<String> = (1..=maps.len()).map(|part| part.to_string()).collect();
        Self::named(&numbers, mobilities, maps)
    }

    /// The same of parts with names.
    pub fn named<N: AsRef<str>>(
        names: &[N],
        mobilities: &[&[f64]],
        maps: &[Vec<usize>],
    ) -> Result<Self, BuildError> {
        let name = |part: usize| names.get(part).map_or("", AsRef::as_ref);
        let wrong = |text: String| {
            BuildError::new(
                "interface",
                text,
                "tie every row of a part to one degree of freedom of the interface, numbered from \
                1 on, and every one of these to two parts or more",
            )
        };
        let shared = maps.iter().flatten().max().map_or(0, |most| most + 1);
        if shared == 0 || mobilities.len() != maps.len() {
            return Err(wrong("the parts have no interface in common".into()));
        }
        // Nothing is held together where there is only one part. Numbers without gaps are no more
        // than there are rows: before that it ends.
        let ties = |dof: usize| maps.iter().filter(|map| map.contains(&dof)).count();
        if let Some(dof) = (0..shared).find(|dof| ties(*dof) < maps.len().min(2)) {
            let to = match ties(dof) {
                0 => "nothing",
                _ => "one part only",
            };
            return Err(wrong(format!(
                "degree of freedom {} of the interface is tied to {to}",
                dof + 1
            )));
        }
        let mut inverses = Vec::new();
        let mut sum = vec![0.0; shared * shared];
        for (part, (mobility, map)) in mobilities.iter().zip(maps).enumerate() {
            let n = map.len();
            if mobility.len() != n * n {
                return Err(wrong(format!(
                    "part `{}` has {} entries of H for {n} rows",
                    name(part),
                    mobility.len()
                )));
            }
            if n == 0 {
                inverses.push(Vec::new());
                continue;
            }
            if let Some(row) = not_positive(n, mobility) {
                return Err(BuildError::new(
                    format!("part.{part}.force"),
                    format!(
                        "part `{}`: its velocity does not follow the interface force of row {}, it \
                        stays or goes the other way (H is not positive definite)",
                        name(part),
                        row + 1
                    ),
                    "name in `force` the inputs that push on the tied displacements, in N and \
                    positive in their direction, one for each row and in the order of \
                     the rows",
                ));
            }
            let mut factor = Matrix::from_dense(n, mobility)
                .and_then(|matrix| matrix.factor())
                .map_err(|error| {
                    wrong(format!(
                        "H of part `{}` cannot be inverted: {error}",
                        name(part)
                    ))
                })?;
            let mut inverse = vec![0.0; n * n];
            for column in 0..n {
                let mut unit = vec![0.0; n];
                unit[column] = 1.0;
                factor.solve_in_place(&mut unit);
                for row in 0..n {
                    inverse[row * n + column] = unit[row];
                }
            }
            for row in 0..n {
                for column in 0..n {
                    sum[map[row] * shared + map[column]] += inverse[row * n + column];
                }
            }
            inverses.push(inverse);
        }
        let sum = Matrix::from_dense(shared, &sum)
            .and_then(|matrix| matrix.factor())
            .map_err(|error| {
                wrong(format!(
                    "a degree of freedom of the interface is tied to nothing: {error}"
                ))
            })?;
        Ok(Self {
            inverses,
            maps: maps.to_vec(),
            sum,
            velocity: vec![0.0; shared],
        })
    }

    /// The maps it was made from.
    pub fn maps(&self) -> &[Vec<usize>] {
        &self.maps
    }

    /// Number of rows of all parts together.
    pub fn rows(&self) -> usize {
        self.maps.iter().map(Vec::len).sum()
    }

    /// Velocities of the interface after the last solution, m/s.
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// From the free velocities at the rows of all parts (one after the other) to the forces, in
    /// the same order.
    ///
    /// # Panics
    /// When the lengths are not [`Interface::rows`].
    pub fn solve(&mut self, free: &[f64], forces: &mut [f64]) {
        self.velocity.fill(0.0);
        let mut start = 0;
        for (inverse, map) in self.inverses.iter().zip(&self.maps) {
            let n = map.len();
            for row in 0..n {
                let line = &inverse[row * n..(row + 1) * n];
                let sum: f64 = line
                    .iter()
                    .zip(&free[start..start + n])
                    .map(|(h, v)| h * v)
                    .sum();
                self.velocity[map[row]] += sum;
            }
            start += n;
        }
        self.sum.solve_in_place(&mut self.velocity);
        let mut start = 0;
        for (inverse, map) in self.inverses.iter().zip(&self.maps) {
            let n = map.len();
            for row in 0..n {
                let mut sum = 0.0;
                for column in 0..n {
                    sum += inverse[row * n + column]
                        * (self.velocity[map[column]] - free[start + column]);
                }
                forces[start + row] = sum;
            }
            start += n;
        }
    }
}

/// The first row at which the symmetric part of H is not positive definite: forces that act against
/// their velocities give the coupling energy out of nothing. Rows are scaled to a unit diagonal,
/// because they may be translations and rotations.
fn not_positive(n: usize, mobility: &[f64]) -> Option<usize> {
    let diagonal = |i: usize| mobility[i * n + i];
    // A value that is no number is not positive either.
    if let Some(row) = (0..n).find(|i| !(diagonal(*i) > 0.0 && diagonal(*i).is_finite())) {
        return Some(row);
    }
    let mut lower = vec![0.0; n * n];
    let least = 4.0 * n as f64 * f64::EPSILON;
    for row in 0..n {
        for column in 0..=row {
            let both = mobility[row * n + column] + mobility[column * n + row];
            let mut rest = 0.5 * both / (diagonal(row).sqrt() * diagonal(column).sqrt());
            for k in 0..column {
                rest -= lower[row * n + k] * lower[column * n + k];
            }
            if row == column {
                if !(rest > least && rest.is_finite()) {
                    return Some(row);
                }
                lower[row * n + row] = rest.sqrt();
            } else {
                lower[row * n + column] = rest / lower[column * n + column];
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::not_positive;

    /// Positive definite as far as the leading minors are positive: of this chain they are 2, 3 and
    /// 6 − 2 c². The part that turns takes nothing, and scales do not matter.
    #[test]
    fn the_first_row_that_is_not_positive_is_named() {
        let chain = |c: f64, turn: f64, scale: f64| {
            let s = [1.0, scale, 1.0];
            let rows = [
                [2.0, turn - 1.0, 0.0],
                [-turn - 1.0, 2.0, -c],
                [0.0, -c, 2.0],
            ];
            let mut all = Vec::new();
            for i in 0..3 {
                all.extend((0..3).map(|j| s[i] * rows[i][j] * s[j]));
            }
            all
        };
        for (turn, scale) in [(0.0, 1.0), (7.0, 1.0), (0.0, 1e3), (-3.0, 1e-4)] {
            assert_eq!(not_positive(3, &chain(1.7, turn, scale)), None);
            assert_eq!(not_positive(3, &chain(1.8, turn, scale)), Some(2));
            assert_eq!(not_positive(3, &chain(-1.8, turn, scale)), Some(2));
        }
        assert_eq!(not_positive(2, &[1.0, 1.5, 1.5, 1.0]), Some(1));
        assert_eq!(not_positive(2, &[1.0, 0.0, 0.0, -1.0]), Some(1));
        assert_eq!(not_positive(1, &[f64::NAN]), Some(0));
    }
}
