//! Pure delay: the piston repeats the command a fixed time later.

use super::{Actuator, Axis, Build, ideal::Ideal};
use crate::History;
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Settings, Values, index, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "delay",
        summary: "pure delay with an amplitude factor: the piston repeats the command a fixed time \
            later",
        reference: "Gálmez and Fermandois 2020, Eqs 26–28",
        parameters: DelaySettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct DelaySettings {
        /// time from command to motion; linear between samples
        delay: Option<f64> = number(Dimension::TIME).not_negative(),
        /// the same, in whole samples of the rig's rate
        samples: Option<usize> = integer().not_negative(),
        /// amplitude of the motion over amplitude of the command
        gain: f64 = number(Dimension::NONE).or("1.0").positive(),
    }
}

fn build(
    values: &Values,
    &Context { period, .. }: &Context<'_>,
) -> Result<Box<dyn super::Actuator>, BuildError> {
    let settings = DelaySettings::read(values)?;
    let samples = match (settings.delay, settings.samples) {
        (Some(_), Some(_)) => {
            return Err(BuildError::new(
                "samples",
                "both `delay` and `samples` are given",
                "keep one of the two: they say the same thing",
            ));
        }
        (Some(delay), None) => delay / period,
        (None, Some(samples)) => samples as f64,
        (None, None) => {
            return Err(BuildError::new(
                "delay",
                "a pure delay needs its length",
                "write delay = \"8 ms\" or samples = 8",
            ));
        }
    };
    let gain = settings.gain;
    if samples == 0.0 {
        // No delay: the command is reached at the next tick, as by an ideal actuator.
        let exact = (gain - 1.0).abs() < f64::EPSILON;
        return Ok(if exact {
            Box::new(Ideal)
        } else {
            Box::new(Delay::new(1.0, gain))
        });
    }
    if samples < 1.0 {
        return Err(BuildError::new(
            if settings.samples.is_some() {
                "samples"
            } else {
                "delay"
            },
            format!(
                "{:.3} ms is shorter than one period of the rig ({:.3} ms)",
                samples * period * 1e3,
                period * 1e3
            ),
            "use 0 for an actuator without delay, a longer delay, or a higher rig.rate",
        ));
    }
    if samples > 1e6 {
        return Err(BuildError::new(
            "delay",
            "longer than a million samples",
            "give a shorter delay",
        ));
    }
    Ok(Box::new(Delay::new(samples, gain)))
}

/// Repeats displacement, velocity and acceleration of the command `samples` periods after it was
/// written.
#[derive(Clone, Debug)]
pub struct Delay {
    line: History,
    /// Age of the sample that shows now: whole ticks and the part of a tick beyond.
    whole: usize,
    part: f64,
    gain: f64,
}

snapshot!(Delay { line });

impl Delay {
    /// A delay of `samples` periods (at least one, need not be whole).
    pub fn new(samples: f64, gain: f64) -> Self {
        // The command written at tick k is read back at tick k + 1 at the earliest: one period is
        // spent there.
        let age = (samples - 1.0).max(0.0);
        let whole = index(age);
        let part = age - whole as f64;
        Self {
            line: History::new(3, whole + 2),
            whole,
            part,
            gain,
        }
    }
}

impl Actuator for Delay {
    #[inline]
    fn advance(&mut self, command: Axis) -> Axis {
        self.line.push(&command);
        let newer = self.line.back(self.whole);
        if self.part > 0.0 {
            let older = self.line.back(self.whole + 1);
            std::array::from_fn(|k| self.gain * (newer[k] + self.part * (older[k] - newer[k])))
        } else {
            [
                self.gain * newer[0],
                self.gain * newer[1],
                self.gain * newer[2],
            ]
        }
    }

    fn takes_a_servo(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_of_n_samples_shows_the_command_of_n_ticks_ago() {
        for samples in [1_u32, 2, 5] {
            let mut delay = Delay::new(f64::from(samples), 0.5);
            for k in 0..20_u32 {
                let out = delay.advance([f64::from(k), 0.0, 0.0]);
                // `advance` of tick k is read at tick k + 1.
                let expected = 0.5 * f64::from((k + 1).saturating_sub(samples));
                assert!((out[0] - expected).abs() < 1e-12);
            }
        }
    }
}
