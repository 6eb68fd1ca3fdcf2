//! A compensator that begins after the start of the test, without a bump.

use super::Compensator;
use tandem_quantity::{
    BuildError, Conditional, Context, Dimension, ExternalModel, Motion, Settings, Values, settings,
    snapshot,
};

settings! {
    /// When the compensation begins and how, for all methods.
    pub struct SwitchOn {
        /// wall time from the start at which the compensation begins; adaptive methods learn from
        /// the start. Default: at the start
        switch_on: Option<f64> = number(Dimension::TIME).not_negative(),
        /// with `switch_on`: wall time in which the command goes over from the wanted to the
        /// compensated one, without a bump
        blend: Conditional<f64> = number(Dimension::TIME).or("\"1 s\"").not_negative(),
    }
}

impl SwitchOn {
    /// Wall time from the start at which it is wholly on, s.
    ///
    /// # Errors
    /// [`BuildError`] where the table was not checked.
    pub fn wholly_on(&self) -> Result<f64, BuildError> {
        match self.switch_on {
            Some(start) => Ok(start + self.blend.read()?),
            None => Ok(0.0),
        }
    }
}

/// The compensator that begins when the table says (`switch_on`, `blend`); as it is where it does
/// not.
pub(super) fn wrap(
    compensator: Box<dyn Compensator>,
    values: &Values,
    &Context {
        actuators, period, ..
    }: &Context<'_>,
) -> Result<Box<dyn Compensator>, BuildError> {
    let settings = SwitchOn::read(values)?;
    let Some(start) = settings.switch_on else {
        return Ok(compensator);
    };
    let blend = settings.blend.read()?;
    Ok(Box::new(SwitchedOn {
        inner: compensator,
        start: start / period,
        blend: blend / period,
        tick: 0,
        due: Motion::at_rest(actuators),
    }))
}

/// u = x + w (u_c − x): w is 0 until `start`, goes to 1 as 3s² − 2s³ over `blend` ticks (no jump,
/// no kink), then stays.
///
/// Ports: those of the compensator inside. It is told what was sent, so that an adaptive method
/// learns from the first tick on and is not misled by the blend; a method with feedback is shown no
/// error before it can mend one.
struct SwitchedOn {
    inner: Box<dyn Compensator>,
    start: f64,
    blend: f64,
    tick: u64,
    /// What was wanted for this tick.
    due: Motion,
}

snapshot!(SwitchedOn { inner, tick, due });

impl Compensator for SwitchedOn {
    #[inline]
    fn propose(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion) {
        let gone = self.tick as f64 - self.start;
        self.tick += 1;
        let seen = if gone < 0.0 && self.inner.closes_a_loop() {
            &self.due
        } else {
            measured
        };
        self.inner.propose(wanted, seen, command);
        self.due.copy_from(wanted);
        if gone >= self.blend && gone >= 0.0 {
            return;
        }
        let s = (gone / self.blend).clamp(0.0, 1.0);
        let w = s * s * (3.0 - 2.0 * s);
        for (x, u) in [
            (&wanted.displacement, &mut command.displacement),
            (&wanted.velocity, &mut command.velocity),
            (&wanted.acceleration, &mut command.acceleration),
        ] {
            for (x, u) in x.iter().zip(u) {
                *u = x + w * (*u - x);
            }
        }
    }

    #[inline]
    fn sent(&mut self, command: &Motion) {
        self.inner.sent(command);
    }

    fn external(&self) -> Option<&dyn ExternalModel> {
        self.inner.external()
    }

    fn closes_a_loop(&self) -> bool {
        self.inner.closes_a_loop()
    }

    fn estimate(&self, measured: &[f64], estimate: &mut [f64]) {
        self.inner.estimate(measured, estimate);
    }

    fn coefficients(&self, actuator: usize) -> &[f64] {
        self.inner.coefficients(actuator)
    }

    fn bounds(&self, actuator: usize) -> &[(f64, f64)] {
        self.inner.bounds(actuator)
    }
}
