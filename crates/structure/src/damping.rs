//! Viscous damping.

use crate::linalg::Matrix;
use crate::modes::{Modes, massless, modes_of};
use crate::structure::{StructureError, size};

/// How a structure loses energy: rules for the damping matrix C (N s/m). Modes count from one.
#[derive(Clone, Debug, PartialEq)]
pub enum Damping {
    /// C = 0.
    None,
    /// C = a M + b K.
    Rayleigh {
        /// a, 1/s.
        mass: f64,
        /// b, s.
        stiffness: f64,
    },
    /// C = a M + b K with given ratios at two modes.
    RayleighRatio {
        /// Ratio at each of the two modes.
        ratios: [f64; 2],
        /// The two modes.
        modes: [usize; 2],
    },
    /// C = a M with a given ratio at one mode.
    MassProportional {
        /// The ratio.
        ratio: f64,
        /// The mode.
        mode: usize,
    },
    /// C = b K with a given ratio at one mode.
    StiffnessProportional {
        /// The ratio.
        ratio: f64,
        /// The mode.
        mode: usize,
    },
    /// C = M Φ diag(2 ζ ω) Φᵀ M with mass-normalised shapes Φ.
    Modal {
        /// Ratio of each mode from the lowest; a single one stands for all. Modes beyond the list
        /// are not damped.
        ratios: Vec<f64>,
        /// Round the circular frequencies to a multiple of this (rad/s) first, as some published
        /// models do.
        rounding: Option<f64>,
    },
    /// C itself.
    Matrix(Matrix),
}

impl Damping {
    /// The damping matrix of a structure with this mass and stiffness.
    pub fn matrix(&self, mass: &Matrix, stiffness: &Matrix) -> Result<Matrix, StructureError> {
        if let Some((a, b)) = self.rayleigh_coefficients(mass, stiffness)? {
            return Ok(match (a.abs() > 0.0, b.abs() > 0.0) {
                (false, false) => Matrix::zeros(mass.order()),
                (true, false) => Matrix::combine(&[(a, mass)]),
                (false, true) => Matrix::combine(&[(b, stiffness)]),
                (true, true) => Matrix::combine(&[(a, mass), (b, stiffness)]),
            });
        }
        match self {
            Self::Modal { ratios, rounding } => modal(ratios, *rounding, mass, stiffness),
            Self::Matrix(matrix) => {
                size("damping", mass.order(), matrix.order())?;
                Ok(matrix.clone())
            }
            _ => Ok(Matrix::zeros(mass.order())),
        }
    }

    /// a (1/s) and b (s) of C = a M + b K, where the damping is of that form: what damping on a
    /// changing stiffness needs.
    pub fn rayleigh_coefficients(
        &self,
        mass: &Matrix,
        stiffness: &Matrix,
    ) -> Result<Option<(f64, f64)>, StructureError> {
        let pair = match self {
            Self::None => (0.0, 0.0),
            Self::Rayleigh {
                mass: a,
                stiffness: b,
            } => {
                check("mass coefficient", 0, *a)?;
                check("stiffness coefficient", 0, *b)?;
                (*a, *b)
            }
            Self::RayleighRatio { ratios, modes } => {
                check("damping ratio", 0, ratios[0])?;
                check("damping ratio", 1, ratios[1])?;
                let [first, second] = circular_frequencies(mass, stiffness, modes)?;
                two_ratios(*ratios, [first, second])?
            }
            Self::MassProportional { ratio, mode } => {
                check("damping ratio", 0, *ratio)?;
                let [circular] = circular_frequencies(mass, stiffness, &[*mode])?;
                (2.0 * ratio * circular, 0.0)
            }
            Self::StiffnessProportional { ratio, mode } => {
                check("damping ratio", 0, *ratio)?;
                let [circular] = circular_frequencies(mass, stiffness, &[*mode])?;
                (0.0, 2.0 * ratio / circular)
            }
            Self::Modal { .. } | Self::Matrix(_) => return Ok(None),
        };
        Ok(Some(pair))
    }
}

/// Two equations ζ = a/2ω + bω/2 (Chopra 2012, Eq. 11.4.10). For equal ratios the form without a
/// difference also serves a single frequency, with half of the damping from each part.
fn two_ratios(ratios: [f64; 2], circular: [f64; 2]) -> Result<(f64, f64), StructureError> {
    let ([z1, z2], [w1, w2]) = (ratios, circular);
    let alike = (w2 - w1).abs() <= 1e-9 * w2.abs();
    if (z1 - z2).abs() <= 0.0 {
        return Ok((2.0 * z1 * w1 * w2 / (w1 + w2), 2.0 * z1 / (w1 + w2)));
    }
    if alike {
        return Err(StructureError::Value {
            what: "damping ratio at the frequency of the other",
            index: 1,
            value: z2,
        });
    }
    let difference = w2 * w2 - w1 * w1;
    Ok((
        2.0 * w1 * w2 * (z1 * w2 - z2 * w1) / difference,
        2.0 * (z2 * w2 - z1 * w1) / difference,
    ))
}

fn modal(
    ratios: &[f64],
    rounding: Option<f64>,
    mass: &Matrix,
    stiffness: &Matrix,
) -> Result<Matrix, StructureError> {
    for (index, ratio) in ratios.iter().enumerate() {
        check("damping ratio", index, *ratio)?;
    }
    let n = mass.order();
    let wanted = if ratios.len() == 1 { n } else { ratios.len() };
    let modes = lowest(mass, stiffness, wanted)?;
    if ratios.len() > modes.count() {
        return Err(StructureError::NoSuchMode {
            mode: ratios.len(),
            available: modes.count(),
        });
    }
    let mut entries = vec![0.0; n * n];
    let mut weighted = vec![0.0; n];
    for (mode, shape) in modes.shapes.iter().enumerate() {
        let ratio = ratios.get(mode).or(if ratios.len() == 1 {
            ratios.first()
        } else {
            None
        });
        let exact = modes.circular(mode).max(0.0);
        let circular = match rounding {
            Some(step) if step > 0.0 => (exact / step).round() * step,
            _ => exact,
        };
        let factor = 2.0 * ratio.copied().unwrap_or(0.0) * circular;
        mass.mul_into(shape, &mut weighted);
        for (row, w) in entries.chunks_exact_mut(n).zip(&weighted) {
            for (entry, v) in row.iter_mut().zip(&weighted) {
                *entry += factor * (w * v);
            }
        }
    }
    Matrix::from_dense(n, &entries).map_err(|e| e.of("damping"))
}

fn check(what: &'static str, index: usize, value: f64) -> Result<(), StructureError> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(StructureError::Value { what, index, value })
    }
}

fn lowest(mass: &Matrix, stiffness: &Matrix, count: usize) -> Result<Modes, StructureError> {
    modes_of(mass, stiffness, &vec![0.0; mass.order()], count)
}

/// Circular frequencies of the given modes; each must exist and be greater than zero.
fn circular_frequencies<const N: usize>(
    mass: &Matrix,
    stiffness: &Matrix,
    modes: &[usize; N],
) -> Result<[f64; N], StructureError> {
    let available = mass.order() - massless(mass).len();
    if let Some(mode) = modes.iter().find(|mode| !(1..=available).contains(*mode)) {
        return Err(StructureError::NoSuchMode {
            mode: *mode,
            available,
        });
    }
    let found = lowest(mass, stiffness, modes.iter().copied().max().unwrap_or(1))?;
    let mut circular = [0.0; N];
    for (circular, mode) in circular.iter_mut().zip(modes) {
        *circular = found.circular(mode - 1);
        if *circular < 0.0 {
            let shape = &found.shapes[mode - 1];
            let dof = (0..shape.len()).max_by(|a, b| shape[*a].abs().total_cmp(&shape[*b].abs()));
            return Err(StructureError::Unstable {
                mode: *mode,
                circular: -*circular,
                dof: dof.unwrap_or(0),
            });
        }
        if *circular <= 0.0 {
            return Err(StructureError::Value {
                what: "circular frequency of mode",
                index: *mode,
                value: *circular,
            });
        }
    }
    Ok(circular)
}
