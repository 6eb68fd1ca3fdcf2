//! A constant matrix: small displacements, or gears and levers.

use super::{Build, Kinematics};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Settings, SpecimenMatrices, settings,
    snapshot,
};
use tandem_structure::linalg::small::{self, product};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "linear",
        summary: "strokes = matrix · interface displacements; forces by its transpose",
        reference: "principle of virtual work",
        parameters: LinearSettings::PARAMETERS,
    },
    build: &|values, &Context { interface, .. }| {
        let settings = LinearSettings::read(values)?;
        let rows = settings.matrix;
        if rows.is_empty() || rows.iter().any(|row| row.len() != interface) {
            return Err(BuildError::new(
                "matrix",
                format!("the rows do not have {interface} values each"),
                "give one value for each interface degree of freedom",
            ));
        }
        let matrix: Vec<f64> = rows.iter().flatten().copied().collect();
        Ok(Box::new(Linear::new(matrix, rows.len(), interface)?))
    },
};

settings! {
    struct LinearSettings {
        /// one row for each actuator, one column for each interface degree of freedom
        matrix: Vec<Vec<f64>> = matrix(Dimension::NONE),
    }
}

/// Strokes by the matrix, positions by its pseudo-inverse: exact where both are as many, least
/// squares with more actuators, the shortest motion with fewer.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    rows: usize,
    columns: usize,
    matrix: Vec<f64>,
    inverse: Vec<f64>,
    transpose: Vec<f64>,
    inverse_transpose: Vec<f64>,
}

snapshot!(Linear {});

impl Linear {
    pub fn new(matrix: Vec<f64>, rows: usize, columns: usize) -> Result<Self, BuildError> {
        let transpose = small::transpose(&matrix, rows, columns);
        // (T'T)⁻¹T' or T'(TT')⁻¹, whichever Gram matrix is the smaller.
        let (ok, inverse) = if rows >= columns {
            let mut gram = product(&transpose, &matrix, [columns, rows, columns]);
            let mut inverse = transpose.clone();
            (
                small::solve(&mut gram, &mut inverse, columns, rows),
                inverse,
            )
        } else {
            let mut gram = product(&matrix, &transpose, [rows, columns, rows]);
            let mut inverse = matrix.clone();
            let ok = small::solve(&mut gram, &mut inverse, rows, columns);
            (ok, small::transpose(&inverse, rows, columns))
        };
        if !ok {
            return Err(BuildError::new(
                "matrix",
                "some motion of the interface moves no actuator, or two actuators do the same",
                "give rows that are independent of each other",
            ));
        }
        Ok(Self {
            rows,
            columns,
            inverse_transpose: small::transpose(&inverse, columns, rows),
            matrix,
            inverse,
            transpose,
        })
    }
}

fn apply(matrix: &[f64], from: &Motion, to: &mut Motion) {
    for (x, y) in [
        (&from.displacement, &mut to.displacement),
        (&from.velocity, &mut to.velocity),
        (&from.acceleration, &mut to.acceleration),
    ] {
        y.fill(0.0);
        SpecimenMatrices::mul_add(matrix, 1.0, x, y);
    }
}

impl Kinematics for Linear {
    fn interface(&self) -> usize {
        self.columns
    }

    fn actuators(&self) -> usize {
        self.rows
    }

    #[inline]
    fn to_actuators(&mut self, interface: &Motion, actuators: &mut Motion) {
        apply(&self.matrix, interface, actuators);
    }

    #[inline]
    fn to_interface(&mut self, actuators: &Motion, interface: &mut Motion) -> bool {
        apply(&self.inverse, actuators, interface);
        true
    }

    #[inline]
    fn force_to_interface(&mut self, actuators: &[f64], interface: &mut [f64]) {
        interface.fill(0.0);
        SpecimenMatrices::mul_add(&self.transpose, 1.0, actuators, interface);
    }

    #[inline]
    fn force_to_actuators(&mut self, interface: &[f64], actuators: &mut [f64]) {
        actuators.fill(0.0);
        SpecimenMatrices::mul_add(&self.inverse_transpose, 1.0, interface, actuators);
    }
}
