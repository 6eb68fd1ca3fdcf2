//! Any stable transfer function, sampled exactly for held commands.

use super::delay::Delay;
use super::{Actuator, Axis, Build};
use crate::{SampledSystem, StateSpace};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Settings, Values, settings, snapshot,
};

/// The method's name.
pub const NAME: &str = "transfer-function";

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: NAME,
        summary: "numerator over denominator in s, command to displacement, exact for held \
            commands",
        reference: "Van Loan 1978 (matrix exponential of a held input)",
        parameters: TransferFunctionSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    /// A transfer function as the plan writes it.
    pub struct TransferFunctionSettings {
        /// coefficients of s, highest power first
        pub numerator: Vec<f64> = numbers(Dimension::NONE),
        /// coefficients of s, highest power first
        pub denominator: Vec<f64> = numbers(Dimension::NONE),
        /// pure delay in front, as `tandem identify transfer` finds it; linear between samples
        pub delay: f64 = number(Dimension::TIME).or("\"0 s\"").not_negative(),
    }
}

fn build(
    values: &Values,
    &Context { period, .. }: &Context<'_>,
) -> Result<Box<dyn Actuator>, BuildError> {
    let settings = TransferFunctionSettings::read(values)?;
    let coefficients = [&settings.numerator[..], &settings.denominator];
    let (system, late) = with_delay(coefficients, settings.delay, period)?;
    let linear = Linear::new(&system, period);
    Ok(if late > 0.0 {
        Box::new(Delayed {
            // One period is spent in the held command of the system itself.
            delay: Delay::new(late + 1.0, 1.0),
            linear,
        })
    } else {
        Box::new(linear)
    })
}

/// A transfer function as a plan writes it, [numerator, denominator], and its pure delay in
/// periods.
pub(crate) fn with_delay(
    [numerator, denominator]: [&[f64]; 2],
    delay: f64,
    period: f64,
) -> Result<(StateSpace, f64), BuildError> {
    let system = StateSpace::from_transfer_function(numerator, denominator).map_err(|error| {
        use crate::StateSpaceError::{Improper, Numerator};
        let key = if matches!(error, Numerator | Improper) {
            "numerator"
        } else {
            "denominator"
        };
        BuildError::new(
            key,
            error.to_string(),
            "give a stable, proper transfer function, highest power of s first",
        )
    })?;
    let late = delay / period;
    if late > 1e6 {
        return Err(BuildError::new(
            "delay",
            "longer than a million samples",
            "give a shorter delay",
        ));
    }
    Ok((system, late))
}

/// A linear system behind a pure delay.
#[derive(Clone, Debug)]
struct Delayed {
    delay: Delay,
    linear: Linear,
}

snapshot!(Delayed { delay, linear });

impl Actuator for Delayed {
    #[inline]
    fn advance(&mut self, command: Axis) -> Axis {
        let late = self.delay.advance(command);
        self.linear.advance(late)
    }
}

/// An actuator that is a linear system.
///
/// Where the held command goes straight into the velocity (relative degree one, such as a
/// first-order lag) or into the displacement (degree zero), the derivatives between two jumps of
/// the command leave out the jumps themselves, and a mass would act as a negative dashpot. There
/// velocity and acceleration are differences over the period, which hold the jumps.
#[derive(Clone, Debug)]
pub struct Linear {
    system: SampledSystem,
    /// Whether the command shows only in the third derivative or later: relative degree two and
    /// more.
    smooth: bool,
    period: f64,
    last: [f64; 2],
}

snapshot!(Linear { system, last });

impl Linear {
    /// Samples `system` every `period` seconds.
    pub fn new(system: &StateSpace, period: f64) -> Self {
        let into_velocity: f64 = system.c.iter().zip(&system.b).map(|(c, b)| c * b).sum();
        let smooth = system.d == 0.0 && into_velocity == 0.0;
        Self {
            system: system.sampled(period),
            smooth,
            period,
            last: [0.0; 2],
        }
    }
}

impl Actuator for Linear {
    #[inline]
    fn advance(&mut self, command: Axis) -> Axis {
        self.system.advance(command[0]);
        let [x, mut v, mut a] = self.system.output();
        if !self.smooth {
            v = (x - self.last[0]) / self.period;
            a = (v - self.last[1]) / self.period;
        }
        self.last = [x, v];
        [x, v, a]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_test_support::larger;

    /// A first-order lag behind a delay of three samples: 1 − exp(−(t − 3h)/τ).
    #[test]
    fn a_delay_stands_in_front() {
        let (tau, h) = (0.01_f64, 0.001);
        let system = StateSpace::from_transfer_function(&[1.0], &[tau, 1.0]).unwrap();
        let mut actuator = Delayed {
            delay: Delay::new(4.0, 1.0),
            linear: Linear::new(&system, h),
        };
        for k in 1..40_u32 {
            let x = actuator.advance([1.0, 0.0, 0.0])[0];
            let t = (f64::from(k) - 3.0).max(0.0) * h;
            assert!((x - (1.0 - (-t / tau).exp())).abs() < 1e-12, "{k} {x}");
        }
    }

    /// Behind a first-order lag, velocity and acceleration are those of the displacement: their
    /// means over a period of a sine agree with the derivatives of the closed form.
    #[test]
    fn a_mass_behind_a_first_order_lag_feels_the_true_acceleration() {
        let (tau, h, w) = (0.002, 1.0 / 4096.0, 2.0 * std::f64::consts::PI * 3.0);
        let system = StateSpace::from_transfer_function(&[1.0], &[tau, 1.0]).unwrap();
        let mut actuator = Linear::new(&system, h);
        // Steady state of x' = (u − x)/τ with u = sin ωt: amplitude 1/√(1 + ω²τ²), lag atan ωτ, and
        // half a period of holding.
        let (gain, lag) = (
            (1.0 + w * w * tau * tau).sqrt().recip(),
            (w * tau).atan() + 0.5 * w * h,
        );
        let mut worst = 0.0_f64;
        for k in 0..8192_u32 {
            let t = f64::from(k) * h;
            let [_, _, a] = actuator.advance([(w * t).sin(), 0.0, 0.0]);
            if k > 4096 {
                // The piston stands at t + h; a second difference belongs to the point before.
                let expected = -gain * w * w * (w * t - lag).sin();
                worst = larger(worst, (a - expected).abs());
            }
        }
        assert!(worst < 0.02 * w * w, "{worst} of {}", w * w);
    }
}
