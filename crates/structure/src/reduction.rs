//! Fewer degrees of freedom: static condensation, and Craig–Bampton with fixed-interface modes.

mod craig_bampton;

pub use crate::condensation::{Condensation, condense};
pub use craig_bampton::{CraigBampton, craig_bampton};

use crate::linalg::Matrix;
use crate::structure::{Linear, StructureError, StructureProperties};

/// A linear structure without its degrees of freedom `removed`. The ground moves it with the same
/// generalised force.
pub fn condense_structure(
    structure: &StructureProperties,
    removed: &[usize],
) -> Result<Linear, StructureError> {
    let condensed = condense(
        &structure.mass,
        &structure.damping,
        &structure.stiffness,
        removed,
    )?;
    let mut ground = vec![0.0; structure.dof()];
    structure
        .ground_mass()
        .mul_into(&structure.influence, &mut ground);
    let shaken_alone = condensed
        .removed
        .iter()
        .all(|dof| ground[*dof].abs() <= 0.0);
    let labels = condensed
        .kept
        .iter()
        .map(|dof| structure.label(*dof).to_owned())
        .collect();
    let mut reduced = Linear::new(
        condensed.mass.clone(),
        condensed.damping.clone(),
        condensed.stiffness.clone(),
    )?
    .with_labels(labels)?
    .with_kind("condensed structure");
    if shaken_alone {
        let kept = &condensed.kept;
        let pick = |i: usize, j: usize| structure.ground_mass().get(kept[i], kept[j]);
        reduced = reduced
            .with_influence(kept.iter().map(|dof| structure.influence[*dof]).collect())?
            .with_ground_mass(from_fn(kept.len(), pick)?)?;
    } else {
        let force = (0..condensed.kept.len()).map(|k| {
            let mode = &condensed.constraint_modes[k];
            ground[condensed.kept[k]]
                + condensed
                    .removed
                    .iter()
                    .zip(mode)
                    .map(|(dof, v)| ground[*dof] * v)
                    .sum::<f64>()
        });
        let influence = solve(&condensed.mass, force.collect())?;
        reduced = reduced.with_influence(influence)?;
    }
    Ok(reduced)
}

fn from_fn(n: usize, entry: impl Fn(usize, usize) -> f64) -> Result<Matrix, StructureError> {
    let entries: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
    Matrix::from_dense(n, &entries).map_err(|e| e.of("part of a matrix"))
}

fn solve(matrix: &Matrix, mut right: Vec<f64>) -> Result<Vec<f64>, StructureError> {
    matrix
        .factor()
        .map_err(|e| e.of("reduced mass"))?
        .solve_in_place(&mut right);
    Ok(right)
}
