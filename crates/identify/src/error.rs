//! What can be wrong with the data.

use tandem_signal::SignalError;

/// Data from which nothing can be identified, with the remedy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IdentifyError {
    /// Too few samples.
    #[error("{what} needs at least {needed} samples, there are {found}; record for longer")]
    TooShort {
        /// What was tried.
        what: &'static str,
        /// Fewest samples.
        needed: usize,
        /// Samples given.
        found: usize,
    },
    /// Columns that belong together have different lengths.
    #[error("the columns have different lengths: {first} and {second} samples")]
    Lengths {
        /// Samples of the first.
        first: usize,
        /// Samples of another.
        second: usize,
    },
    /// A value that is no number.
    #[error(
        "{what} has a value that is not finite at sample {sample}; repair or cut the data there"
    )]
    NotFinite {
        /// The column.
        what: &'static str,
        /// Sample, counted from 1.
        sample: usize,
    },
    /// The data do not determine the unknowns.
    #[error("{what}: {why}")]
    Undetermined {
        /// What was tried.
        what: &'static str,
        /// What is missing, and the remedy.
        why: String,
    },
    /// A parameter of a spectrum or filter does not fit.
    #[error(transparent)]
    Signal(#[from] SignalError),
}

impl IdentifyError {
    pub(crate) fn undetermined(what: &'static str, why: impl Into<String>) -> Self {
        Self::Undetermined {
            what,
            why: why.into(),
        }
    }
}

/// All columns as long as the first, finite, and at least `needed` samples; returns the length.
pub(crate) fn check(
    what: &'static str,
    columns: &[&[f64]],
    needed: usize,
) -> Result<usize, IdentifyError> {
    let length = columns.first().map_or(0, |column| column.len());
    for column in columns {
        if column.len() != length {
            return Err(IdentifyError::Lengths {
                first: length,
                second: column.len(),
            });
        }
        if let Some(at) = column.iter().position(|x| !x.is_finite()) {
            return Err(IdentifyError::NotFinite {
                what,
                sample: at + 1,
            });
        }
    }
    if length < needed {
        return Err(IdentifyError::TooShort {
            what,
            needed,
            found: length,
        });
    }
    Ok(length)
}
