//! Natural frequencies and mode shapes.

use std::f64::consts::TAU;

use crate::condensation::condense;
use crate::linalg::{LinalgError, Matrix, eigen_dense, inverse, lanczos};
use crate::structure::{StructureError, StructureProperties, size};

/// Up to this order all modes are computed at once.
const DENSE_ORDER: usize = 300;

/// Natural modes of the undamped structure, lowest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Modes {
    /// Frequencies, Hz. Negative where the structure is unstable: −√|ω²|/2π.
    pub frequencies_hz: Vec<f64>,
    /// Shapes with φᵀ M φ = 1; the largest component of each is positive.
    pub shapes: Vec<Vec<f64>>,
    /// Participation factors Γ = φᵀ M ι, √kg.
    pub participation: Vec<f64>,
    /// Effective masses Γ², kg.
    pub effective_mass: Vec<f64>,
}

impl Modes {
    /// Number of modes.
    pub fn count(&self) -> usize {
        self.frequencies_hz.len()
    }

    /// Circular frequency of a mode (from zero), rad/s.
    pub fn circular(&self, mode: usize) -> f64 {
        TAU * self.frequencies_hz[mode]
    }

    /// Damping ratios ζ = φᵀ C φ / 2ω of the modes; a rigid-body mode has none and gets zero.
    pub fn damping_ratios(&self, damping: &Matrix) -> Vec<f64> {
        let ratio = |(shape, frequency): (&Vec<f64>, &f64)| {
            if *frequency > 0.0 {
                damping.product(shape, shape) / (2.0 * TAU * frequency)
            } else {
                0.0
            }
        };
        self.shapes
            .iter()
            .zip(&self.frequencies_hz)
            .map(ratio)
            .collect()
    }
}

/// The lowest `count` modes of a structure in its initial state; fewer where it has fewer degrees
/// of freedom with mass.
pub fn modes(structure: &StructureProperties, count: usize) -> Result<Modes, StructureError> {
    modes_of(
        &structure.mass,
        &structure.stiffness,
        &structure.influence,
        count,
    )
}

/// The lowest `count` modes of `K φ = ω² M φ`. Degrees of freedom without mass follow statically.
pub fn modes_of(
    mass: &Matrix,
    stiffness: &Matrix,
    influence: &[f64],
    count: usize,
) -> Result<Modes, StructureError> {
    size("stiffness", mass.order(), stiffness.order())?;
    size("influence", mass.order(), influence.len())?;
    for (what, matrix) in [("mass", mass), ("stiffness", stiffness)] {
        if !matrix.is_symmetric() {
            return Err(StructureError::NotSymmetric { what });
        }
    }
    let massless = massless(mass);
    let count = count.min(mass.order() - massless.len());
    let few = count <= mass.order() / 8;
    let found = if mass.order() > DENSE_ORDER && few {
        lanczos::lowest(mass, stiffness, count).map_err(|e| e.of("stiffness"))?
    } else if massless.is_empty() {
        all(mass, stiffness).map_err(|e| e.of("mass"))?
    } else {
        let zero = Matrix::zeros(mass.order());
        let condensed = condense(mass, &zero, stiffness, &massless)?;
        let mut eigen = all(&condensed.mass, &condensed.stiffness).map_err(|e| e.of("mass"))?;
        eigen.shapes = eigen
            .shapes
            .iter()
            .map(|shape| condensed.expand(shape))
            .collect();
        eigen
    };
    let ground = {
        let mut ground = vec![0.0; mass.order()];
        mass.mul_into(influence, &mut ground);
        ground
    };
    let highest = found.values.last().copied().unwrap_or(0.0).abs();
    let mut result = Modes {
        frequencies_hz: vec![],
        shapes: vec![],
        participation: vec![],
        effective_mass: vec![],
    };
    for (value, mut shape) in found.values.into_iter().zip(found.shapes).take(count) {
        // Rounding leaves a rigid-body mode a little above or below zero; a low mode of a structure
        // with next to no mass elsewhere lies as far below the highest, and is none.
        let low = value.abs() <= inverse::BURIED * highest;
        let value = if low && is_rigid(stiffness, &shape) {
            0.0
        } else {
            value
        };
        result
            .frequencies_hz
            .push(value.signum() * value.abs().sqrt() / TAU);
        let largest =
            shape.iter().copied().fold(
                0.0_f64,
                |m, v| if v.abs() > 1.000_001 * m.abs() { v } else { m },
            );
        if largest < 0.0 {
            shape.iter_mut().for_each(|v| *v = -*v);
        }
        let participation = shape.iter().zip(&ground).map(|(a, b)| a * b).sum::<f64>();
        result.participation.push(participation);
        result.effective_mass.push(participation * participation);
        result.shapes.push(shape);
    }
    Ok(result)
}

/// Strain energy of a shape over what its terms add up to without their signs, up to which it is
/// rounding.
const ROUNDING: f64 = 1e-13;

/// Whether a shape strains nothing.
fn is_rigid(stiffness: &Matrix, shape: &[f64]) -> bool {
    let (mut energy, mut terms) = (0.0, 0.0);
    for (i, j, value) in stiffness.triplets() {
        let term = shape[i] * value * shape[j];
        energy += term;
        terms += term.abs();
    }
    energy.abs() <= ROUNDING * terms
}

fn all(mass: &Matrix, stiffness: &Matrix) -> Result<eigen_dense::Eigen, LinalgError> {
    let mut eigen = eigen_dense::all(mass, stiffness)?;
    inverse::sharpen(&mut eigen, mass, stiffness)?;
    Ok(eigen)
}

/// Degrees of freedom whose row of the mass matrix is zero.
pub fn massless(mass: &Matrix) -> Vec<usize> {
    let mut sums = vec![0.0; mass.order()];
    for (i, _, v) in mass.triplets() {
        sums[i] += v.abs();
    }
    (0..mass.order()).filter(|i| sums[*i] <= 0.0).collect()
}

/// Longest stable step of an undamped explicit method, 2/ω_max, in seconds. Infinite where nothing
/// is stiff.
///
/// Never longer than the true limit; for more than 300 degrees of freedom it may be shorter by 0.05
/// %. Explicit methods need mass everywhere: a degree of freedom without mass is an error.
pub fn critical_time_step(mass: &Matrix, stiffness: &Matrix) -> Result<f64, StructureError> {
    size("stiffness", mass.order(), stiffness.order())?;
    if let Some(dof) = massless(mass).first() {
        return Err(StructureError::Massless {
            what: "critical time step",
            dof: *dof,
        });
    }
    let highest = if mass.order() > DENSE_ORDER {
        lanczos::highest(mass, stiffness).map_err(|e| e.of("mass"))?
    } else {
        let eigen = eigen_dense::all(mass, stiffness).map_err(|e| e.of("mass"))?;
        eigen.values.last().copied().unwrap_or(0.0)
    };
    Ok(if highest > 0.0 {
        2.0 / highest.sqrt()
    } else {
        f64::INFINITY
    })
}
