//! What can be wrong with the parameters of a material.

/// A material cannot be made from these parameters.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MaterialError {
    /// A parameter is infinite or not a number.
    #[error("{law}: {parameter} must be a finite number, got {got}")]
    NotFinite {
        /// The material law.
        law: &'static str,
        /// The parameter as the user knows it.
        parameter: &'static str,
        /// The value given.
        got: f64,
    },
    /// A parameter lies outside the range in which the law makes sense.
    #[error("{law}: {parameter} must be {expected}, got {got}")]
    OutOfRange {
        /// The material law.
        law: &'static str,
        /// The parameter as the user knows it.
        parameter: &'static str,
        /// The range in words.
        expected: &'static str,
        /// The value given.
        got: f64,
    },
    /// A combination was asked for with too little to combine.
    #[error("{law}: at least {least} needed, got {got}")]
    TooFew {
        /// The combination.
        law: &'static str,
        /// How many materials it takes.
        least: usize,
        /// How many were given.
        got: usize,
    },
}

/// Checks the parameters of one law, so that every constructor reads as a list of conditions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Check(pub &'static str);

impl Check {
    /// `got` is neither infinite nor NaN.
    pub fn finite(self, parameter: &'static str, got: f64) -> Result<(), MaterialError> {
        if got.is_finite() {
            Ok(())
        } else {
            Err(MaterialError::NotFinite {
                law: self.0,
                parameter,
                got,
            })
        }
    }

    /// `got` is finite and the condition holds; `expected` says the condition in words.
    pub fn that(
        self,
        condition: bool,
        parameter: &'static str,
        expected: &'static str,
        got: f64,
    ) -> Result<(), MaterialError> {
        self.finite(parameter, got)?;
        if condition {
            Ok(())
        } else {
            Err(MaterialError::OutOfRange {
                law: self.0,
                parameter,
                expected,
                got,
            })
        }
    }

    /// `got` is finite and above zero.
    pub fn positive(self, parameter: &'static str, got: f64) -> Result<(), MaterialError> {
        self.that(got > 0.0, parameter, "above zero", got)
    }

    /// `got` is finite and below zero.
    pub fn negative(self, parameter: &'static str, got: f64) -> Result<(), MaterialError> {
        self.that(
            got < 0.0,
            parameter,
            "below zero (compression is negative)",
            got,
        )
    }

    /// `got` is finite and not below zero.
    pub fn not_negative(self, parameter: &'static str, got: f64) -> Result<(), MaterialError> {
        self.that(got >= 0.0, parameter, "zero or above", got)
    }
}
