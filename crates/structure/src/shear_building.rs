//! Floors that move sideways, joined by storey springs.

use crate::damping::Damping;
use crate::linalg::Matrix;
use crate::structure::{Linear, StructureError, size};

/// A linear shear building: floor i (from the ground) has `masses[i]` (kg) and stands on the storey
/// `stiffnesses[i]` (N/m).
pub fn shear_building(
    masses: &[f64],
    stiffnesses: &[f64],
    damping: &Damping,
) -> Result<Linear, StructureError> {
    size("stiffnesses", masses.len(), stiffnesses.len())?;
    for (what, values) in [
        ("mass of floor", masses),
        ("stiffness of storey", stiffnesses),
    ] {
        for (index, &value) in values.iter().enumerate() {
            if !(value.is_finite() && value > 0.0) {
                return Err(StructureError::Value { what, index, value });
            }
        }
    }
    let mass = Matrix::diagonal(masses);
    let stiffness = storey_matrix(stiffnesses)?;
    let damping = damping.matrix(&mass, &stiffness)?;
    let labels = (1..=masses.len())
        .map(|floor| format!("floor {floor}"))
        .collect();
    Ok(Linear::new(mass, damping, stiffness)?
        .with_labels(labels)?
        .with_kind("shear building"))
}

/// The matrix of springs (or dampers) between neighbouring floors; the first stands on the ground.
pub fn storey_matrix(storeys: &[f64]) -> Result<Matrix, StructureError> {
    let mut triplets = Vec::with_capacity(4 * storeys.len());
    for (i, &k) in storeys.iter().enumerate() {
        triplets.push((i, i, k));
        if i > 0 {
            triplets.extend([(i - 1, i - 1, k), (i - 1, i, -k), (i, i - 1, -k)]);
        }
    }
    Matrix::from_triplets(storeys.len(), &triplets).map_err(|e| e.of("stiffness"))
}
