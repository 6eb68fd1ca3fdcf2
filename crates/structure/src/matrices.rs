//! A structure from given matrices, and their text files.

use crate::damping::Damping;
use crate::linalg::Matrix;
use crate::structure::{Linear, StructureError};

/// A linear structure from the rows of M (kg) and K (N/m).
pub fn from_rows(
    mass: &[Vec<f64>],
    stiffness: &[Vec<f64>],
    damping: &Damping,
) -> Result<Linear, StructureError> {
    let mass = Matrix::from_rows(mass).map_err(|e| e.of("mass"))?;
    let stiffness = Matrix::from_rows(stiffness).map_err(|e| e.of("stiffness"))?;
    crate::structure::size("stiffness", mass.order(), stiffness.order())?;
    if !mass.is_symmetric() {
        return Err(StructureError::NotSymmetric { what: "mass" });
    }
    let damping = damping.matrix(&mass, &stiffness)?;
    Linear::new(mass, damping, stiffness)
}

/// What is wrong with a text of numbers. Lines and columns count from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatrixFileError {
    /// Something is not a number.
    #[error("line {line}, value {column}: not a number")]
    NotANumber {
        /// Line.
        line: usize,
        /// Which value of the line.
        column: usize,
    },
    /// A number is infinite.
    #[error("line {line}, value {column}: not a finite number")]
    NotFinite {
        /// Line.
        line: usize,
        /// Which value of the line.
        column: usize,
    },
    /// A row is longer or shorter than the first.
    #[error("line {line}: {got} values where the first row has {expected}")]
    Ragged {
        /// Line.
        line: usize,
        /// Length of the first row.
        expected: usize,
        /// Length of this row.
        got: usize,
    },
    /// Commas and semicolons in one line: one of them may be meant as a decimal comma.
    #[error(
        "line {line}: commas and semicolons in one line; separate values by one of them, with \
        decimal points"
    )]
    MixedSeparators {
        /// Line.
        line: usize,
    },
    /// No number at all.
    #[error("the file has no values")]
    Empty,
}

/// Reads rows of numbers, separated by commas, semicolons or blanks. What follows `#` or `%` in a
/// line is a comment; empty lines are skipped. Exponents may be written with `e` or `d`.
pub fn parse_csv(text: &str) -> Result<Vec<Vec<f64>>, MatrixFileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (index, full) in text.lines().enumerate() {
        let line = index + 1;
        let content = full.split(['#', '%']).next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        let row = match (content.contains(','), content.contains(';')) {
            (true, true) => return Err(MatrixFileError::MixedSeparators { line }),
            (true, false) => parse_row(line, content.split(','))?,
            (false, true) => parse_row(line, content.split(';'))?,
            (false, false) => parse_row(line, content.split_whitespace())?,
        };
        match rows.first() {
            Some(first) if first.len() != row.len() => {
                return Err(MatrixFileError::Ragged {
                    line,
                    expected: first.len(),
                    got: row.len(),
                });
            }
            _ => rows.push(row),
        }
    }
    if rows.is_empty() {
        Err(MatrixFileError::Empty)
    } else {
        Ok(rows)
    }
}

fn parse_row<'a>(
    line: usize,
    cells: impl Iterator<Item = &'a str>,
) -> Result<Vec<f64>, MatrixFileError> {
    let parse = |(index, cell): (usize, &str)| {
        let (cell, column) = (cell.trim(), index + 1);
        let number = cell
            .parse::<f64>()
            .or_else(|_| cell.replace(['d', 'D'], "e").parse());
        match number {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(MatrixFileError::NotFinite { line, column }),
            Err(_) => Err(MatrixFileError::NotANumber { line, column }),
        }
    };
    cells.enumerate().map(parse).collect()
}
