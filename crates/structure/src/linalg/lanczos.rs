//! Natural frequencies of large structures: the lowest by a block Lanczos process on `K⁻¹ M`, the
//! highest on `M⁻¹ K`.

use super::eigen_dense::{Eigen, symmetric};
use super::inverse::{definite, shifted};
use super::{Factor, LinalgError, Matrix, axpy, dot};

/// Vectors per block: equal frequencies are found up to this multiplicity.
const BLOCK: usize = 4;

/// The `count` lowest squares of circular frequencies and mass-normalised shapes; K must not be
/// indefinite. M may have massless degrees of freedom: the process stays in the range of `K⁻¹ M`.
pub(crate) fn lowest(
    mass: &Matrix,
    stiffness: &Matrix,
    count: usize,
) -> Result<Eigen, LinalgError> {
    let (mut factor, mut shift) = definite(mass, stiffness)?.ok_or(LinalgError::Indefinite)?;
    for _ in 0..4 {
        let estimate = match run(mass, &mut factor, shift, count)? {
            Outcome::Settled(eigen) => return Ok(eigen),
            Outcome::Stalled { lowest } => lowest,
        };
        // Frequencies close together lie better apart when seen from just below the lowest. The
        // estimate is too high by a little, so a shift that leaves an indefinite matrix is drawn
        // back.
        for part in [0.99, 0.9, 0.75, 0.5] {
            let nearer = shift + part * (estimate - shift);
            if let Some(found) = shifted(mass, stiffness, nearer)? {
                (factor, shift) = (found, nearer);
                break;
            }
        }
    }
    Err(LinalgError::NoConvergence)
}

enum Outcome {
    Settled(Eigen),
    /// The space was full before the wanted modes had settled.
    Stalled {
        /// An upper bound of the lowest ω².
        lowest: f64,
    },
}

/// Block Lanczos on `(K − σM)⁻¹ M` with full orthogonalisation (Grimes, Lewis, Simon 1994).
fn run(
    mass: &Matrix,
    factor: &mut Factor,
    shift: f64,
    count: usize,
) -> Result<Outcome, LinalgError> {
    let n = mass.order();
    let massive = (0..n).filter(|i| mass.get(*i, *i) > 0.0).count();
    let mut space = Space::new(mass);
    let mut apply = |v: &[f64], w: &mut [f64]| {
        mass.mul_into(v, w);
        factor.solve_in_place(w);
    };
    let mut block: Vec<Vec<f64>> = Vec::new();
    let mut seed = 0;
    let limit = massive.min(10 * count + 200);
    loop {
        let first = space.basis.len();
        for v in block.drain(..) {
            if space.basis.len() < limit {
                space.admit(v);
            }
        }
        // At the start, and where the space has closed in itself: few distinct frequencies, or
        // separate parts.
        for _ in 0..BLOCK {
            if space.basis.len() - first < BLOCK.min(limit - first) {
                let mut start = vec![0.0; n];
                apply(&noise(n, seed), &mut start);
                space.admit(start);
                seed += 1;
            }
        }
        let last = space.basis.len();
        // Images of the new vectors: their part inside the space is the projected operator, the
        // rest the next block.
        let mut leftover = Vec::with_capacity(last - first);
        for j in first..last {
            let mut w = vec![0.0; n];
            apply(&space.basis[j], &mut w);
            space.project(&w);
            let residual = space.outside(&mut w);
            leftover.push(residual);
            block.push(w);
        }
        let full = last == limit || last == first;
        if full || (last >= count && last % (4 * BLOCK) < BLOCK) {
            let ritz = symmetric(last, &space.projected_matrix())?;
            let dominant = ritz.values.last().copied().unwrap_or(0.0);
            let wanted: Vec<usize> = (0..last).rev().take(count).collect();
            let settled = wanted.iter().all(|k| {
                let error: f64 = leftover
                    .iter()
                    .zip(first..last)
                    .map(|(r, j)| r * ritz.shapes[*k][j].abs())
                    .sum();
                error <= 1e-10 * ritz.values[*k] + 1e-14 * dominant
            });
            if settled || (full && last == massive) {
                let values = wanted
                    .iter()
                    .map(|k| shift + 1.0 / ritz.values[*k])
                    .collect();
                let shapes = wanted
                    .iter()
                    .map(|k| space.vector(&ritz.shapes[*k]))
                    .collect();
                return Ok(Outcome::Settled(Eigen { values, shapes }));
            }
            if full {
                return Ok(Outcome::Stalled {
                    lowest: shift + 1.0 / dominant,
                });
            }
        }
    }
}

/// An upper bound, sharp to 1e-3, of the highest square of a circular frequency. M must be regular.
pub(crate) fn highest(mass: &Matrix, stiffness: &Matrix) -> Result<f64, LinalgError> {
    let n = mass.order();
    let mut factor = mass.factor()?;
    let mut space = Space::new(mass);
    let mut next = noise(n, 0);
    loop {
        let admitted = space.admit(next);
        let last = space.basis.len();
        next = vec![0.0; n];
        if admitted {
            stiffness.mul_into(&space.basis[last - 1], &mut next);
            factor.solve_in_place(&mut next);
            space.project(&next);
        }
        let residual = if admitted {
            space.outside(&mut next)
        } else {
            0.0
        };
        if last.is_multiple_of(20) || last == n || !admitted {
            let ritz = symmetric(last, &space.projected_matrix())?;
            let (value, shape) = match (ritz.values.last(), ritz.shapes.last()) {
                (Some(value), Some(shape)) => (*value, shape),
                _ => return Err(LinalgError::NoConvergence),
            };
            let error = residual * shape.last().copied().unwrap_or(0.0).abs();
            if error <= 1e-3 * value || last == n || !admitted {
                return Ok((value + error).min(row_sums(mass, stiffness)));
            }
            if last >= 1000 {
                return Err(LinalgError::NoConvergence);
            }
        }
    }
}

/// Gershgorin's bound of `M⁻¹ K`, for a diagonal M; infinite for another.
fn row_sums(mass: &Matrix, stiffness: &Matrix) -> f64 {
    if !mass.is_diagonal() {
        return f64::INFINITY;
    }
    let mut sums = vec![0.0; mass.order()];
    for (i, _, v) in stiffness.triplets() {
        sums[i] += v.abs() / mass.get(i, i);
    }
    sums.into_iter().fold(0.0, f64::max)
}

/// A growing space with an M-orthonormal basis.
struct Space<'a> {
    mass: &'a Matrix,
    basis: Vec<Vec<f64>>,
    /// M times each basis vector.
    weighted: Vec<Vec<f64>>,
    /// Column j: products of the image of basis vector j with the basis as it was then.
    projected: Vec<Vec<f64>>,
}

impl<'a> Space<'a> {
    fn new(mass: &'a Matrix) -> Self {
        Self {
            mass,
            basis: Vec::new(),
            weighted: Vec::new(),
            projected: Vec::new(),
        }
    }

    /// Takes away the part inside the space and returns the size of what is left. Twice is enough
    /// (Parlett 1980).
    fn outside(&self, w: &mut [f64]) -> f64 {
        for _ in 0..2 {
            for (v, weighted) in self.basis.iter().zip(&self.weighted) {
                axpy(-dot(weighted, w), v, w);
            }
        }
        self.mass.product(w, w).max(0.0).sqrt()
    }

    /// Makes a vector part of the basis unless it lies inside the space already.
    fn admit(&mut self, mut v: Vec<f64>) -> bool {
        let before = self.mass.product(&v, &v).max(0.0).sqrt();
        let size = self.outside(&mut v);
        if size <= 1e-13 * before {
            return false;
        }
        v.iter_mut().for_each(|x| *x /= size);
        let mut weighted = vec![0.0; v.len()];
        self.mass.mul_into(&v, &mut weighted);
        self.basis.push(v);
        self.weighted.push(weighted);
        true
    }

    fn project(&mut self, image: &[f64]) {
        self.projected
            .push(self.weighted.iter().map(|m| dot(m, image)).collect());
    }

    /// The operator within the space, by rows; it is symmetric, so the earlier columns fill the
    /// later rows.
    fn projected_matrix(&self) -> Vec<f64> {
        let n = self.basis.len();
        let mut matrix = vec![0.0; n * n];
        for (j, column) in self.projected.iter().enumerate() {
            for (i, v) in column.iter().enumerate() {
                matrix[i * n + j] = *v;
                matrix[j * n + i] = *v;
            }
        }
        matrix
    }

    fn vector(&self, weights: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.mass.order()];
        for (v, weight) in self.basis.iter().zip(weights) {
            axpy(*weight, v, &mut sum);
        }
        sum
    }
}

/// A start vector without any symmetry (a linear congruential sequence, the same every time).
fn noise(n: usize, seed: usize) -> Vec<f64> {
    let mut word = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed as u64 + 1);
    (0..n)
        .map(|_| {
            word = word
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (word >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        })
        .collect()
}
