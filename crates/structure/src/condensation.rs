//! Static condensation of matrices.

use crate::linalg::{LinalgError, Matrix, dot};
use crate::structure::{StructureError, size};

/// A structure whose removed degrees of freedom follow the kept ones statically.
#[derive(Clone, Debug)]
pub struct Condensation {
    /// M of the kept degrees of freedom, kg.
    pub mass: Matrix,
    /// C, N s/m.
    pub damping: Matrix,
    /// K, N/m.
    pub stiffness: Matrix,
    /// The kept degrees of freedom, ascending.
    pub kept: Vec<usize>,
    /// The removed degrees of freedom, ascending.
    pub removed: Vec<usize>,
    /// Motion of the removed degrees of freedom for a unit motion of each kept one: one vector per
    /// kept one.
    pub constraint_modes: Vec<Vec<f64>>,
}

impl Condensation {
    /// Motion of all degrees of freedom from that of the kept ones.
    pub fn expand(&self, kept: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.kept.len() + self.removed.len()];
        for ((dof, value), mode) in self.kept.iter().zip(kept).zip(&self.constraint_modes) {
            all[*dof] += value;
            for (removed, follow) in self.removed.iter().zip(mode) {
                all[*removed] += follow * value;
            }
        }
        all
    }
}

/// Static condensation (Guyan 1965): exact for removed degrees of freedom without mass and damping,
/// otherwise good well below the lowest frequency of the removed part with the kept one held.
pub fn condense(
    mass: &Matrix,
    damping: &Matrix,
    stiffness: &Matrix,
    removed: &[usize],
) -> Result<Condensation, StructureError> {
    let n = mass.order();
    size("damping", n, damping.order())?;
    size("stiffness", n, stiffness.order())?;
    let (kept, removed) = split(n, removed)?;
    let constraint_modes = constraint_modes(stiffness, &kept, &removed)?;
    let columns: Vec<Vec<f64>> = (0..kept.len())
        .map(|k| {
            let mut column = vec![0.0; n];
            column[kept[k]] = 1.0;
            for (dof, v) in removed.iter().zip(&constraint_modes[k]) {
                column[*dof] = *v;
            }
            column
        })
        .collect();
    Ok(Condensation {
        mass: congruence(mass, &columns)?,
        damping: congruence(damping, &columns)?,
        stiffness: congruence(stiffness, &columns)?,
        kept,
        removed,
        constraint_modes,
    })
}

/// The degrees of freedom that are not in the list, and those that are, both ascending.
pub(crate) fn split(
    n: usize,
    listed: &[usize],
) -> Result<(Vec<usize>, Vec<usize>), StructureError> {
    let mut inside = vec![false; n];
    for dof in listed {
        match inside.get_mut(*dof) {
            Some(flag) => *flag = true,
            None => {
                let source = LinalgError::OutOfRange {
                    row: *dof,
                    column: *dof,
                    order: n,
                };
                return Err(source.of("degree of freedom"));
            }
        }
    }
    Ok((
        (0..n).filter(|i| !inside[*i]).collect(),
        (0..n).filter(|i| inside[*i]).collect(),
    ))
}

/// `−K_rr⁻¹ K_rk`, one vector per kept degree of freedom.
pub(crate) fn constraint_modes(
    stiffness: &Matrix,
    kept: &[usize],
    removed: &[usize],
) -> Result<Vec<Vec<f64>>, StructureError> {
    let mut modes = vec![vec![0.0; removed.len()]; kept.len()];
    if removed.is_empty() {
        return Ok(modes);
    }
    let mut factor = submatrix(stiffness, removed)?
        .factor()
        .map_err(|e| match e {
            LinalgError::Singular { row } => {
                LinalgError::Singular { row: removed[row] }.of("stiffness")
            }
            other => other.of("stiffness"),
        })?;
    let place = |list: &[usize]| {
        let mut place = vec![usize::MAX; stiffness.order()];
        list.iter().enumerate().for_each(|(k, dof)| place[*dof] = k);
        place
    };
    let (row_of, column_of) = (place(removed), place(kept));
    for (i, j, v) in stiffness.triplets() {
        if row_of[i] != usize::MAX && column_of[j] != usize::MAX {
            modes[column_of[j]][row_of[i]] = -v;
        }
    }
    for mode in &mut modes {
        if mode.iter().any(|v| v.abs() > 0.0) {
            factor.solve_in_place(mode);
        }
    }
    Ok(modes)
}

/// `Tᵀ A T` for a symmetric or unsymmetric A and the columns of T.
pub(crate) fn congruence(matrix: &Matrix, columns: &[Vec<f64>]) -> Result<Matrix, StructureError> {
    let m = columns.len();
    let mut image = vec![0.0; matrix.order()];
    let mut entries = vec![0.0; m * m];
    for (j, column) in columns.iter().enumerate() {
        matrix.mul_into(column, &mut image);
        for (i, other) in columns.iter().enumerate() {
            entries[i * m + j] = dot(other, &image);
        }
    }
    if matrix.is_symmetric() {
        for i in 0..m {
            for j in 0..i {
                let mean = 0.5 * (entries[i * m + j] + entries[j * m + i]);
                entries[i * m + j] = mean;
                entries[j * m + i] = mean;
            }
        }
    }
    Matrix::from_dense(m, &entries).map_err(|e| e.of("reduced matrix"))
}

pub(crate) fn submatrix(matrix: &Matrix, dofs: &[usize]) -> Result<Matrix, StructureError> {
    let mut place = vec![usize::MAX; matrix.order()];
    dofs.iter().enumerate().for_each(|(k, dof)| place[*dof] = k);
    let inside = |t: &(usize, usize, f64)| place[t.0] != usize::MAX && place[t.1] != usize::MAX;
    let triplets: Vec<_> = matrix
        .triplets()
        .into_iter()
        .filter(inside)
        .map(|(i, j, v)| (place[i], place[j], v))
        .collect();
    Matrix::from_triplets(dofs.len(), &triplets).map_err(|e| e.of("part of a matrix"))
}
