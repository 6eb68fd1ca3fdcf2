//! The time column of a file: checked for equal spacing, turned into a step.

use super::as_f64;
use super::draft::RecordBuilder;
use super::error::RecordError;

/// How far a time may stand off its place, as a part of the step: printed times are rounded.
const TOLERANCE: f64 = 0.02;

/// Times with their lines.
pub(super) struct TimeAxis<'a> {
    file: &'a str,
    times: Vec<f64>,
    lines: Vec<usize>,
}

impl<'a> TimeAxis<'a> {
    pub fn new(file: &'a str) -> Self {
        Self {
            file,
            times: Vec::new(),
            lines: Vec::new(),
        }
    }

    pub fn push(&mut self, time: f64, line: usize) {
        self.times.push(time);
        self.lines.push(line);
    }

    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// States the step to the draft and makes the values start at t = 0.
    pub fn apply(
        &self,
        draft: &mut RecordBuilder<'_>,
        mut values: Vec<f64>,
    ) -> Result<Vec<f64>, RecordError> {
        let (Some(&first), Some(&last)) = (self.times.first(), self.times.last()) else {
            return Err(RecordError::TooShort {
                file: self.file.to_owned(),
                found: 0,
            });
        };
        if self.times.len() < 2 {
            return Err(RecordError::TooShort {
                file: self.file.to_owned(),
                found: 1,
            });
        }
        let step = self.step(first, last)?;
        draft.state_step(step, self.lines.get(1).copied().unwrap_or(1))?;
        if (first - step).abs() < TOLERANCE * step {
            values.insert(0, 0.0);
            draft.note("the first value stands at t = dt; a zero was put at t = 0");
        } else if first.abs() > TOLERANCE * step {
            draft.note(format!(
                "the times start at {first} s; they were shifted to start at 0 s"
            ));
        }
        Ok(values)
    }

    fn step(&self, first: f64, last: f64) -> Result<f64, RecordError> {
        // The first step locates a fault better than the mean, which one bad line may spoil; the
        // mean is more exact.
        let mean = (last - first) / as_f64(self.times.len() - 1);
        let second = self.times[1];
        let first_step = second - first;
        let even =
            |step: f64| {
                self.times.iter().zip(&self.lines).enumerate().find_map(
                    |(index, (&time, &line))| {
                        let expected = first + step * as_f64(index);
                        // Not `>`: a time that is not comparable must be caught too.
                        let near = (time - expected).abs() <= TOLERANCE * step;
                        (!near).then_some((line, expected, time))
                    },
                )
            };
        if mean > 0.0 && even(mean).is_none() {
            return Ok(shortest(mean));
        }
        let (line, expected, found) = if first_step > 0.0 {
            even(first_step)
        } else {
            None
        }
        .unwrap_or((self.lines[1], first + mean.abs(), second));
        Err(RecordError::UnevenTime {
            file: self.file.to_owned(),
            line,
            expected,
            found,
        })
    }
}

/// The shortest decimal that equals `step` to rounding, so that 31.18/1559 becomes 0.02.
fn shortest(step: f64) -> f64 {
    (0..=10_usize)
        .filter_map(|digits| format!("{step:.digits$e}").parse::<f64>().ok())
        .find(|short| (short - step).abs() <= 1e-13 * step)
        .unwrap_or(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_written_as_people_mean_them() {
        for step in [0.02, 0.005, 1.0 / 1024.0, 1.0 / 4096.0] {
            assert!(
                shortest(step * (1.0 + 3e-16)).to_bits() == step.to_bits(),
                "{step}"
            );
        }
        let third = 1.0 / 3.0;
        assert!(shortest(third).to_bits() == third.to_bits());
    }
}
