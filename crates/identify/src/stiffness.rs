//! Initial stiffness of a specimen and gaps of its connections, from slow cycles of small
//! amplitude.

use crate::error::check;
use crate::least_squares::least_squares;
use crate::{IdentifyError, real};

/// A stiffness matrix with its standard errors.
#[derive(Debug, Clone, PartialEq)]
pub struct Stiffness {
    /// By rows, N/m.
    pub matrix: Vec<Vec<f64>>,
    /// Standard error of each entry, N/m.
    pub standard_error: Vec<Vec<f64>>,
    /// Offset of each force, N.
    pub offset: Vec<f64>,
    /// RMS of what is left of each force, N.
    pub residual_rms: Vec<f64>,
    /// Largest difference between entries across the diagonal, over the largest entry; zero where
    /// symmetry was imposed.
    pub asymmetry: f64,
    /// Condition number of the displacements.
    pub condition: f64,
    /// Samples used.
    pub samples: usize,
}

/// Fits f = K d + f₀. `forces[i]` and `displacements[i]` belong to degree of freedom i, positive in
/// the same sense; a restoring force resists a positive displacement with a positive sign. With
/// `symmetric` K is made of n(n+1)/2 unknowns.
///
/// # Errors
/// [`IdentifyError`] for short or unequal columns and displacements that do not move independently
/// of each other.
pub fn stiffness(
    displacements: &[&[f64]],
    forces: &[&[f64]],
    symmetric: bool,
) -> Result<Stiffness, IdentifyError> {
    const WHAT: &str = "stiffness";
    let n = displacements.len();
    if n == 0 || forces.len() != n {
        return Err(IdentifyError::undetermined(
            WHAT,
            format!(
                "{n} displacements and {} forces; give one force for each displacement",
                forces.len()
            ),
        ));
    }
    let mut all = displacements.to_vec();
    all.extend(forces);
    let samples = check(WHAT, &all, 4 * n + 8)?;
    let ones = vec![1.0; samples];
    let mut found = Stiffness {
        matrix: vec![vec![0.0; n]; n],
        standard_error: vec![vec![0.0; n]; n],
        offset: vec![0.0; n],
        residual_rms: vec![0.0; n],
        asymmetry: 0.0,
        condition: 0.0,
        samples,
    };
    let mut columns: Vec<&[f64]> = displacements.to_vec();
    columns.push(&ones);
    for i in 0..n {
        let fit = least_squares(&columns, forces[i])?;
        found.condition = fit.condition;
        found.matrix[i].copy_from_slice(&fit.x[..n]);
        found.standard_error[i].copy_from_slice(&fit.standard_error[..n]);
        found.offset[i] = fit.x[n];
        found.residual_rms[i] = fit.residual_rms;
    }
    let most = found
        .matrix
        .iter()
        .flatten()
        .fold(0.0, |m: f64, k| m.max(k.abs()));
    for i in 0..n {
        for j in 0..i {
            let gap = (found.matrix[i][j] - found.matrix[j][i]).abs();
            found.asymmetry = found.asymmetry.max(gap / most);
        }
    }
    if symmetric && n > 1 {
        impose_symmetry(displacements, forces, &mut found)?;
    }
    Ok(found)
}

/// All rows at once with k_ij = k_ji.
fn impose_symmetry(
    displacements: &[&[f64]],
    forces: &[&[f64]],
    found: &mut Stiffness,
) -> Result<(), IdentifyError> {
    let (n, samples) = (displacements.len(), found.samples);
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (i..n).map(move |j| (i, j))).collect();
    let mut columns = vec![vec![0.0; n * samples]; pairs.len() + n];
    for (column, &(i, j)) in columns.iter_mut().zip(&pairs) {
        column[i * samples..(i + 1) * samples].copy_from_slice(displacements[j]);
        if i != j {
            column[j * samples..(j + 1) * samples].copy_from_slice(displacements[i]);
        }
    }
    for i in 0..n {
        columns[pairs.len() + i][i * samples..(i + 1) * samples].fill(1.0);
    }
    let all: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let fit = least_squares(&all, &forces.concat())?;
    for (k, &(i, j)) in pairs.iter().enumerate() {
        for (a, b) in [(i, j), (j, i)] {
            found.matrix[a][b] = fit.x[k];
            found.standard_error[a][b] = fit.standard_error[k];
        }
    }
    for i in 0..n {
        found.offset[i] = fit.x[pairs.len() + i];
        let square: f64 = (0..samples)
            .map(|s| {
                let f: f64 = (0..n)
                    .map(|j| found.matrix[i][j] * displacements[j][s])
                    .sum();
                (forces[i][s] - f - found.offset[i]).powi(2)
            })
            .sum();
        found.residual_rms[i] = (square / real(samples)).sqrt();
    }
    found.asymmetry = 0.0;
    Ok(())
}

/// Play in the connections of one axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// Distance that the displacement goes without force, m.
    pub gap: f64,
    /// Its standard error, m.
    pub standard_error: f64,
    /// Stiffness outside the gap, mean of both sides, N/m.
    pub stiffness: f64,
    /// Displacement in the middle of the gap, m.
    pub centre: f64,
}

/// Straight lines are laid through the part of the hysteresis with more than a third of the largest
/// force on either side; the distance of the points where they meet zero force is the gap (Tekeste,
/// Correia and Costa 2025, Fig. 10b).
///
/// # Errors
/// [`IdentifyError`] where one side of the hysteresis is missing.
pub fn gap(displacement: &[f64], force: &[f64]) -> Result<Gap, IdentifyError> {
    const WHAT: &str = "gap";
    check(WHAT, &[displacement, force], 32)?;
    let mid = 0.5
        * (force.iter().copied().fold(f64::MIN, f64::max)
            + force.iter().copied().fold(f64::MAX, f64::min));
    let most = force.iter().map(|f| (f - mid).abs()).fold(0.0, f64::max);
    let mut sides = Vec::new();
    for sign in [1.0, -1.0] {
        let kept: Vec<usize> = (0..force.len())
            .filter(|&k| sign * (force[k] - mid) > most / 3.0)
            .collect();
        if kept.len() < 8 {
            return Err(IdentifyError::undetermined(
                WHAT,
                "the cycles do not reach both sides; load in both directions",
            ));
        }
        // Displacement against force: its intercept is what is wanted, and scatter of the force
        // matters less far from zero.
        let d: Vec<f64> = kept.iter().map(|&k| displacement[k]).collect();
        let f: Vec<f64> = kept.iter().map(|&k| force[k] - mid).collect();
        let fit = least_squares(&[&f, &vec![1.0; f.len()]], &d)?;
        sides.push(fit);
    }
    let flexibility = 0.5 * (sides[0].x[0] + sides[1].x[0]);
    if flexibility <= 0.0 {
        return Err(IdentifyError::undetermined(
            WHAT,
            "the force does not grow with the displacement; check its sign",
        ));
    }
    Ok(Gap {
        gap: sides[0].x[1] - sides[1].x[1],
        standard_error: sides[0].standard_error[1].hypot(sides[1].standard_error[1]),
        stiffness: 1.0 / flexibility,
        centre: 0.5 * (sides[0].x[1] + sides[1].x[1]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(n: usize, amplitude: f64) -> Vec<f64> {
        (0..n)
            .map(|k| amplitude * (real(k) * 0.013).sin())
            .collect()
    }

    #[test]
    fn a_matrix_comes_back() {
        let a = cycles(4000, 1e-3);
        let b: Vec<f64> = (0..4000).map(|k| 2e-3 * (real(k) * 0.0071).cos()).collect();
        let k = [[3e5, -1e5], [-1e5, 2e5]];
        let force = |i: usize| -> Vec<f64> {
            a.iter()
                .zip(&b)
                .map(|(a, b)| k[i][0] * a + k[i][1] * b + 7.0)
                .collect()
        };
        for symmetric in [false, true] {
            let found = stiffness(&[&a, &b], &[&force(0), &force(1)], symmetric).unwrap();
            for i in 0..2 {
                assert!((found.offset[i] - 7.0).abs() < 1e-6);
                for j in 0..2 {
                    assert!((found.matrix[i][j] / k[i][j] - 1.0).abs() < 1e-9);
                }
            }
        }
        assert!(stiffness(&[&a, &a], &[&force(0), &force(1)], false).is_err());
    }

    /// A spring of 400 kN/m that touches 0.05 mm on either side.
    #[test]
    fn a_gap_of_a_tenth_of_a_millimetre() {
        let d = cycles(20_000, 1e-3);
        let f: Vec<f64> = d
            .iter()
            .map(|d| 4e5 * (d.abs() - 5e-5).max(0.0) * d.signum())
            .collect();
        let found = gap(&d, &f).unwrap();
        assert!((found.gap - 1e-4).abs() < 1e-9);
        assert!((found.stiffness - 4e5).abs() < 1.0);
        let tight: Vec<f64> = d.iter().map(|d| 4e5 * d).collect();
        assert!(gap(&d, &tight).unwrap().gap.abs() < 1e-12);
    }
}
