//! A ground motion as a test gets it, and how one is made.

use tandem_quantity::{BuildError, Builder, Dimension, settings};

use crate::record::{AccelerationUnit, Record};
use crate::synthetic;

/// A ground motion, scaled, with what is worth telling about it.
pub struct Excitation {
    /// The motion as it acts.
    pub record: Record,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// How an excitation is made.
pub type Build = Builder<Excitation>;

settings! {
    /// Unit of an acceleration.
    pub struct Unit {
        /// unit, where nothing states it
        pub unit: Option<String> = choice(&[
            "g", "m/s^2", "m/s2", "cm/s^2", "cm/s2", "gal", "mm/s^2", "mm/s2", "in/s^2", "in/s2",
            "ft/s^2", "ft/s2",
        ]),
    }
}

impl Unit {
    /// The unit, where it is written.
    #[must_use]
    pub fn stated(&self) -> Option<AccelerationUnit> {
        AccelerationUnit::parse(self.unit.as_deref()?)
    }
}

settings! {
    /// The points of a motion that is made.
    pub struct Sampling {
        /// length of the motion
        pub duration: f64 = number(Dimension::TIME).positive(),
        /// spacing of its points
        pub dt: f64 = number(Dimension::TIME).or("\"1 ms\"").positive(),
    }
}

impl Sampling {
    /// The points themselves.
    ///
    /// # Errors
    /// [`BuildError`] where there are none, or too many.
    pub fn points(&self) -> Result<synthetic::Sampling, BuildError> {
        synthetic::Sampling::new(self.dt, self.duration).map_err(|error| {
            BuildError::new(
                "duration",
                error.to_string(),
                "choose duration and dt to fit",
            )
        })
    }
}
