//! The inverse of a linear plant, as derivatives of the target and a filter for the rest.

use crate::{LinearSystem, StateSpaceError};
use tandem_structure::linalg::small::{product, solve};

/// H(s)⁻¹ = Σ Q_k s^k + R(s): commands from targets. The poles of R are the zeros of H.
pub(super) struct Inverse {
    /// Q_0, Q_1, …; each `axes × axes`, row-major (command, target).
    pub(super) derivatives: Vec<Vec<f64>>,
    /// R; none where the plant has no zeros.
    pub(super) rest: Option<LinearSystem>,
}

/// Why a plant has no inverse that could be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum InverseError {
    #[error("the model has {0} axes that act on each other; inverses are made for one or two")]
    Axes(usize),
    #[error("commands do not reach every axis on its own: the plant is singular")]
    Singular,
    #[error("the plant has a zero in the right half plane: its inverse is unstable")]
    Zero,
    #[error("the commands act without delay on the displacements: there is nothing to invert")]
    Direct,
}

/// Coefficients below this share of the largest are rounding.
const ROUNDING: f64 = 1e-9;

/// Polynomials have ascending powers.
fn times(p: &[f64], q: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; p.len() + q.len() - 1];
    for (i, a) in p.iter().enumerate() {
        for (j, b) in q.iter().enumerate() {
            out[i + j] += a * b;
        }
    }
    out
}

fn trimmed(mut p: Vec<f64>) -> Vec<f64> {
    let largest = p.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    while p.len() > 1
        && p.last()
            .is_some_and(|x| x.abs() <= ROUNDING * largest || *x == 0.0)
    {
        p.pop();
    }
    p
}

/// Quotient and remainder of p/q, q trimmed.
fn divided(p: &[f64], q: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let degree = q.len() - 1;
    if p.len() <= degree {
        return (vec![0.0], p.to_vec());
    }
    let mut rest = p.to_vec();
    let mut quotient = vec![0.0; p.len() - degree];
    for k in (0..quotient.len()).rev() {
        let f = rest[k + degree] / q[degree];
        quotient[k] = f;
        for (j, c) in q.iter().enumerate() {
            rest[k + j] -= f * c;
        }
    }
    rest.truncate(degree);
    (quotient, rest)
}

/// det(σI − A) and C adj(σI − A) B (`[output][input]`), ascending (Faddeev and LeVerrier), for A/w,
/// B/w.
fn fractions(plant: &LinearSystem, w: f64) -> (Vec<f64>, Vec<Vec<Vec<f64>>>) {
    let [n, m, p] = plant.size;
    let a: Vec<f64> = plant.a.iter().map(|x| x / w).collect();
    let b: Vec<f64> = plant.b.iter().map(|x| x / w).collect();
    let mut determinant = vec![0.0; n + 1];
    determinant[n] = 1.0;
    let mut numerators = vec![vec![vec![0.0; n.max(1)]; m]; p];
    let mut adjugate = vec![0.0; n * n];
    for k in 1..=n {
        // M_k = A M_{k−1} + c I.
        let mut next = product(&a, &adjugate, [n, n, n]);
        for i in 0..n {
            next[i * n + i] += determinant[n - k + 1];
        }
        adjugate = next;
        let image = product(&a, &adjugate, [n, n, n]);
        let trace: f64 = (0..n).map(|i| image[i * n + i]).sum();
        let divisor = k as f64;
        determinant[n - k] = -trace / divisor;
        let columns = product(&adjugate, &b, [n, n, m]);
        let outputs = product(&plant.c, &columns, [p, n, m]);
        for i in 0..p {
            for j in 0..m {
                numerators[i][j][n - k] = outputs[i * m + j];
            }
        }
    }
    (determinant, numerators)
}

impl Inverse {
    /// Inverts a plant of one or two axes.
    pub(super) fn of(plant: &LinearSystem) -> Result<Self, InverseError> {
        let [n, axes, outputs] = plant.size;
        if axes != outputs || axes == 0 || axes > 2 {
            return Err(InverseError::Axes(axes));
        }
        if plant.d.iter().any(|x| *x != 0.0) || n == 0 {
            return Err(InverseError::Direct);
        }
        let plant = plant.balanced();
        // Frequencies are counted in the geometric mean of the poles, so that coefficients have
        // like size.
        let norm = plant.a.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (first, _) = fractions(&plant, norm);
        let order = i32::try_from(n).unwrap_or(i32::MAX);
        let w = norm * first[0].abs().powf(1.0 / f64::from(order)).max(1e-6);
        let (denominator, numerators) = fractions(&plant, w);
        let (entries, zeros) = if axes == 1 {
            (vec![denominator], numerators[0][0].clone())
        } else {
            let minus = |p: &[f64]| p.iter().map(|x| -x).collect::<Vec<_>>();
            let [h11, h12, h21, h22] = [(0, 0), (0, 1), (1, 0), (1, 1)]
                .map(|(i, j): (usize, usize)| numerators[i][j].clone());
            let (mut determinant, other) = (times(&h11, &h22), times(&h12, &h21));
            let largest = determinant.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for (d, x) in determinant.iter_mut().zip(other) {
                *d -= x;
            }
            if determinant.iter().all(|x| x.abs() <= ROUNDING * largest) {
                return Err(InverseError::Singular);
            }
            // det N = den · zeros, exactly.
            let (zeros, _) = divided(&trimmed(determinant), &denominator);
            (vec![h22, minus(&h12), minus(&h21), h11], zeros)
        };
        let zeros = trimmed(zeros);
        if zeros.iter().all(|x| *x == 0.0) {
            return Err(InverseError::Singular);
        }
        let power = |k: usize| w.powi(i32::try_from(k).unwrap_or(i32::MAX));
        let mut derivatives: Vec<Vec<f64>> = Vec::new();
        let mut rests = Vec::new();
        for (place, entry) in entries.iter().enumerate() {
            let (quotient, rest) = divided(&trimmed(entry.clone()), &zeros);
            for (k, q) in quotient.iter().enumerate() {
                if derivatives.len() <= k {
                    derivatives.push(vec![0.0; axes * axes]);
                }
                derivatives[k][place] = q / power(k);
            }
            rests.push(rest);
        }
        let highest_first = |p: &[f64]| -> Vec<f64> {
            p.iter()
                .enumerate()
                .rev()
                .map(|(k, x)| x / power(k))
                .collect()
        };
        let rest = if zeros.len() > 1 {
            let denominators = vec![highest_first(&zeros); axes];
            let numerators: Vec<Vec<Vec<f64>>> = (0..axes)
                .map(|i| {
                    (0..axes)
                        .map(|l| highest_first(&rests[i * axes + l]))
                        .collect()
                })
                .collect();
            let system = LinearSystem::from_columns(&numerators, &denominators);
            Some(system.map_err(|error| match error {
                StateSpaceError::Unstable => InverseError::Zero,
                _ => InverseError::Singular,
            })?)
        } else {
            None
        };
        Ok(Self { derivatives, rest })
    }

    /// Coefficient k of the expansion of the whole inverse in powers of s: Q_k − C A^−(k+1) B.
    pub(super) fn taylor(&self, axes: usize, count: usize) -> Vec<Vec<f64>> {
        let mut out: Vec<Vec<f64>> = (0..count)
            .map(|k| {
                let own = self.derivatives.get(k);
                own.cloned().unwrap_or_else(|| vec![0.0; axes * axes])
            })
            .collect();
        if let Some(rest) = &self.rest {
            let [n, m, p] = rest.size;
            let mut column = rest.b.clone();
            for coefficients in &mut out {
                let mut a = rest.a.clone();
                if !solve(&mut a, &mut column, n, m) {
                    break;
                }
                let part = product(&rest.c, &column, [p, n, m]);
                for (x, y) in coefficients.iter_mut().zip(part) {
                    *x -= y;
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lag of third order and its zero: (1 + s/9)/((1 + s/40)(1 + 0.02 s + 4e-4 s²)).
    #[test]
    fn one_axis_with_a_zero() {
        let numerator = vec![vec![vec![1.0 / 9.0, 1.0]]];
        let denominator = vec![vec![1e-5, 9e-4, 0.045, 1.0]];
        let plant = LinearSystem::from_columns(&numerator, &denominator).unwrap();
        let inverse = Inverse::of(&plant).unwrap();
        // Long division of 1e-5 s³ + 9e-4 s² + 0.045 s + 1 by s/9 + 1.
        let expected = [0.339_39, 0.007_29, 9e-5];
        assert_eq!(inverse.derivatives.len(), 3);
        for (q, x) in inverse.derivatives.iter().zip(expected) {
            assert!((q[0] - x).abs() < 1e-9, "{q:?} for {x}");
        }
        let taylor = inverse.taylor(1, 2);
        assert!(
            (taylor[0][0] - 1.0).abs() < 1e-9 && (taylor[1][0] - (0.045 - 1.0 / 9.0)).abs() < 1e-9
        );
    }

    #[test]
    fn what_cannot_be_inverted_is_refused() {
        let system = |num: &[f64], den: &[f64]| {
            LinearSystem::from_columns(&[vec![num.to_vec()]], &[den.to_vec()]).unwrap()
        };
        let with_zero = Inverse::of(&system(&[-0.1, 1.0], &[0.01, 0.2, 1.0]));
        assert_eq!(with_zero.err(), Some(InverseError::Zero));
        let direct = Inverse::of(&system(&[1.0, 1.0], &[2.0, 1.0]));
        assert_eq!(direct.err(), Some(InverseError::Direct));
        let twice = vec![vec![vec![1.0], vec![1.0]]; 2];
        let singular =
            LinearSystem::from_columns(&twice, &[vec![1.0, 1.0], vec![1.0, 1.0]]).unwrap();
        assert_eq!(Inverse::of(&singular).err(), Some(InverseError::Singular));
    }
}
