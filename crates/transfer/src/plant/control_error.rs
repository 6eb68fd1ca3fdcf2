//! Axes that stand at their command but for a random control error.

use super::{Build, Plant};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Range, Settings, Snapshot,
    SnapshotError, StateReader, settings,
};
use tandem_safety::Measured;
use tandem_signal::noise::WhiteNoise;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "control-error",
        summary: "every axis stands at its command at the next tick, but for an independent random \
            error: what a servo leaves in a slow test",
        reference: "Hung and El-Tawil 2009, Fig. 12",
        parameters: ControlErrorSettings::PARAMETERS,
    },
    build: &|values,
             &Context {
                 actuators: axes, ..
             }| {
        let settings = ControlErrorSettings::read(values)?;
        Ok(Box::new(ControlError::new(&settings, axes)?))
    },
};

settings! {
    struct ControlErrorSettings {
        /// standard deviation of the error, m (of a rotation: rad)
        error: f64 = number(Dimension::LENGTH).positive(),
        /// which sequence of errors: the same number gives the same errors
        draw: u64 = integer().or("1").within(Range::between(1.0, 1e9)),
    }
}

/// x = command + e, e normal and white, drawn anew in every period; velocity and acceleration are
/// those of the command.
struct ControlError {
    errors: Vec<WhiteNoise>,
}

impl ControlError {
    fn new(settings: &ControlErrorSettings, axes: usize) -> Result<Self, BuildError> {
        let (size, draw) = (settings.error, settings.draw);
        let errors = (0..axes as u64).map(|axis| {
            WhiteNoise::with_stream(size, draw, axis).map_err(|error| {
                BuildError::new(
                    "error",
                    error.to_string(),
                    "give a length such as \"10 um\"",
                )
            })
        });
        Ok(Self {
            errors: errors.collect::<Result<_, _>>()?,
        })
    }
}

impl Snapshot for ControlError {
    fn save(&self, into: &mut Vec<f64>) {
        for error in &self.errors {
            error.save(into);
        }
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        for error in &mut self.errors {
            error.restore(from)?;
        }
        Ok(())
    }
}

impl Plant for ControlError {
    fn actuators(&self) -> usize {
        self.errors.len()
    }

    #[inline]
    fn advance(&mut self, drive: &Motion, truth: &mut Measured) {
        truth.motion.copy_from(drive);
        for (x, error) in truth.motion.displacement.iter_mut().zip(&mut self.errors) {
            *x += error.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_quantity::{Value, Values};

    /// Two axes, ten thousand periods: the errors have their size, and nothing to do with each
    /// other.
    #[test]
    fn errors_have_their_size_and_are_independent() {
        let values = Values::new()
            .with("error", Value::Number(1e-5))
            .with("draw", Value::Integer(3));
        let mut plant = (ENTRY.build)(&values, &Context::of(2, 0.001)).unwrap();
        let drive = Motion::at_rest(2);
        let mut truth = Measured::at_rest(2);
        let (mut squares, mut product) = ([0.0; 2], 0.0);
        for _ in 0..10_000 {
            plant.advance(&drive, &mut truth);
            let [a, b] = [truth.motion.displacement[0], truth.motion.displacement[1]];
            squares = [squares[0] + a * a, squares[1] + b * b];
            product += a * b;
        }
        for square in squares {
            assert!(((square / 1e4_f64).sqrt() / 1e-5 - 1.0).abs() < 0.03);
        }
        assert!(product.abs() / 1e4 < 0.04 * 1e-10, "{product}");
    }
}
