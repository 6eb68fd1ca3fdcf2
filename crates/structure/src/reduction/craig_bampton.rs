//! Craig–Bampton: the interface and the lowest modes behind it.

use super::solve;
use crate::condensation::{congruence, constraint_modes, split, submatrix};
use crate::linalg::{Matrix, dot};
use crate::modes::{Modes, massless, modes_of};
use crate::structure::{Linear, StructureError, StructureProperties, size};

/// A structure reduced to its interface and the lowest modes of its inner part with the interface
/// held (Craig, Bampton 1968). Coordinates: the interface degrees of freedom in the given order,
/// then one amplitude per mode.
#[derive(Clone, Debug)]
pub struct CraigBampton {
    /// The reduced structure; its ground term is the same generalised force.
    pub structure: Linear,
    /// The interface degrees of freedom.
    pub interface: Vec<usize>,
    /// Number of fixed-interface modes that were kept.
    pub modes: usize,
    /// Frequency of the first mode that was left out, Hz; infinite when none was.
    pub truncated_hz: f64,
    /// Upper bound of the error of the apparent mass at the interface, at the top of the band,
    /// relative to the static one: `max_j R_jj/M_jj · f²/(f_t² − f²)`, where R is the participating
    /// mass of all modes left out, f the top of the band and f_t [`CraigBampton::truncated_hz`].
    /// Infinite when f ≥ f_t.
    pub error_estimate: f64,
    columns: Vec<Vec<f64>>,
}

impl CraigBampton {
    /// Motion of all degrees of freedom from the reduced coordinates.
    pub fn expand(&self, reduced: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.columns.first().map_or(0, Vec::len)];
        for (column, amplitude) in self.columns.iter().zip(reduced) {
            for (sum, v) in all.iter_mut().zip(column) {
                *sum += amplitude * v;
            }
        }
        all
    }
}

/// Reduces a linear structure for motions up to `band_hz`. Without a number of `modes`, all below
/// twice the band are kept.
pub fn craig_bampton(
    structure: &StructureProperties,
    interface: &[usize],
    band_hz: f64,
    modes: Option<usize>,
) -> Result<CraigBampton, StructureError> {
    let n = structure.dof();
    if !(band_hz > 0.0 && band_hz.is_finite()) {
        return Err(StructureError::Value {
            what: "band",
            index: 0,
            value: band_hz,
        });
    }
    let (inner, sorted) = split(n, interface)?;
    size("interface (each once)", sorted.len(), interface.len())?;
    let inner_mass = submatrix(&structure.mass, &inner)?;
    let inner_stiffness = submatrix(&structure.stiffness, &inner)?;
    let available = inner.len() - massless(&inner_mass).len();
    let fixed = fixed_modes(&inner_mass, &inner_stiffness, available, band_hz, modes)?;
    let kept = match modes {
        Some(count) => count.min(available),
        None => fixed
            .frequencies_hz
            .iter()
            .filter(|f| **f < 2.0 * band_hz)
            .count(),
    };
    let constraint = constraint_modes(&structure.stiffness, interface, &inner)?;
    let mut columns = Vec::with_capacity(interface.len() + kept);
    for (dof, mode) in interface.iter().zip(&constraint) {
        let mut column = scatter(n, &inner, mode);
        column[*dof] = 1.0;
        columns.push(column);
    }
    columns.extend(
        fixed.shapes[..kept]
            .iter()
            .map(|shape| scatter(n, &inner, shape)),
    );

    let mass = congruence(&structure.mass, &columns)?;
    let truncated_hz = fixed
        .frequencies_hz
        .get(kept)
        .copied()
        .unwrap_or(f64::INFINITY);
    let remainder = left_out_mass(structure, &inner, &inner_mass, &columns, interface.len())?;
    let part = (0..interface.len())
        .map(|j| remainder[j] / mass.get(j, j))
        .fold(0.0, f64::max);
    let squares = (band_hz * band_hz, truncated_hz * truncated_hz);
    let error_estimate = match truncated_hz {
        f if f.is_infinite() => 0.0,
        f if f <= band_hz => f64::INFINITY,
        _ => part * squares.0 / (squares.1 - squares.0),
    };

    let mut ground = vec![0.0; n];
    structure
        .ground_mass()
        .mul_into(&structure.influence, &mut ground);
    let force = columns.iter().map(|column| dot(column, &ground)).collect();
    let labels = interface
        .iter()
        .map(|dof| structure.label(*dof).to_owned())
        .chain((1..=kept).map(|k| format!("inner mode {k}")));
    let labels = labels.collect();
    let influence = solve(&mass, force)?;
    let (damping, stiffness) = (
        congruence(&structure.damping, &columns)?,
        congruence(&structure.stiffness, &columns)?,
    );
    let reduced = Linear::new(mass, damping, stiffness)?
        .with_influence(influence)?
        .with_labels(labels)?
        .with_kind("Craig–Bampton reduction");
    Ok(CraigBampton {
        structure: reduced,
        interface: interface.to_vec(),
        modes: kept,
        truncated_hz,
        error_estimate,
        columns,
    })
}

/// Modes of the inner part with the interface held: those to keep and at least one more, where
/// there is one.
fn fixed_modes(
    mass: &Matrix,
    stiffness: &Matrix,
    available: usize,
    band_hz: f64,
    modes: Option<usize>,
) -> Result<Modes, StructureError> {
    let still = vec![0.0; mass.order()];
    let mut count = modes.map_or(16, |count| count + 1).min(available);
    loop {
        let found = modes_of(mass, stiffness, &still, count)?;
        let enough = modes.is_some()
            || found
                .frequencies_hz
                .last()
                .is_none_or(|f| *f >= 2.0 * band_hz);
        if enough || count == available {
            return Ok(found);
        }
        count = (2 * count).min(available);
    }
}

/// Diagonal of the mass that all inner modes left out would move with the interface: `B M_ii⁻¹ Bᵀ`
/// less the kept ones' part, where `B` couples the constraint modes to the inner degrees of
/// freedom.
fn left_out_mass(
    structure: &StructureProperties,
    inner: &[usize],
    inner_mass: &Matrix,
    columns: &[Vec<f64>],
    interface: usize,
) -> Result<Vec<f64>, StructureError> {
    let massive: Vec<usize> = {
        let without = massless(inner_mass);
        (0..inner.len())
            .filter(|i| without.binary_search(i).is_err())
            .collect()
    };
    let mut factor = submatrix(inner_mass, &massive)?
        .factor()
        .map_err(|e| e.of("mass"))?;
    let mut all = vec![0.0; structure.dof()];
    let mut remainder = Vec::with_capacity(interface);
    for column in &columns[..interface] {
        structure.mass.mul_into(column, &mut all);
        let coupling: Vec<f64> = massive.iter().map(|i| all[inner[*i]]).collect();
        let mut solved = coupling.clone();
        factor.solve_in_place(&mut solved);
        let kept: f64 = columns[interface..]
            .iter()
            .map(|mode| dot(mode, &all).powi(2))
            .sum();
        remainder.push((dot(&coupling, &solved) - kept).max(0.0));
    }
    Ok(remainder)
}

fn scatter(n: usize, dofs: &[usize], values: &[f64]) -> Vec<f64> {
    let mut all = vec![0.0; n];
    dofs.iter().zip(values).for_each(|(dof, v)| all[*dof] = *v);
    all
}
