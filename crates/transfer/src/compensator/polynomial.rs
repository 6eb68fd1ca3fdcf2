//! Polynomial extrapolation over a known, constant delay.

use super::{Build, Compensator, SwitchOn};
use crate::History;
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Range, Settings, Values, copy_few,
    index, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "polynomial",
        summary: "extrapolates the wanted motion over a constant delay with a polynomial of order \
            1 to 4",
        reference: "Horiuchi et al. 1999, Eq. 9",
        parameters: <(PolynomialSettings, SwitchOn)>::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct PolynomialSettings {
        /// delay to be made up for
        delay: f64 = number(Dimension::TIME).positive(),
        /// order of the polynomial
        order: usize = integer().or("3").within(Range::between(1.0, 4.0)),
        /// amplitude factor of the transfer system to be divided out
        gain: f64 = number(Dimension::NONE).or("1.0").positive(),
    }
}

fn build(
    values: &Values,
    &Context {
        actuators, period, ..
    }: &Context<'_>,
) -> Result<Box<dyn Compensator>, BuildError> {
    let settings = PolynomialSettings::read(values)?;
    let spacing = settings.delay / period;
    if spacing > 1e5 {
        return Err(BuildError::new(
            "delay",
            "longer than a hundred thousand ticks",
            "give a shorter delay",
        ));
    }
    Ok(Box::new(Polynomial::new(
        actuators,
        spacing,
        settings.order,
        1.0 / settings.gain,
    )))
}

/// x(t + τ) ≈ Σ (−1)ⁱ C(n+1, i+1) x(t − i τ), i = 0…n: the polynomial through n + 1 past points
/// that stand the delay τ apart, linear between the samples where τ is not a whole number of ticks.
#[derive(Clone, Debug)]
pub struct Polynomial {
    past: History,
    now: Vec<f64>,
    next: Vec<f64>,
    /// Age in ticks and weight of the samples that matter.
    taps: Vec<(usize, f64)>,
}

snapshot!(Polynomial { past });

impl Polynomial {
    /// Extrapolates over `spacing` ticks.
    pub fn new(actuators: usize, spacing: f64, order: usize, scale: f64) -> Self {
        let mut taps = Vec::with_capacity(2 * (order + 1));
        let mut binomial = 1.0;
        for i in 0..=order {
            let (factor, age) = ((order + 1 - i) as f64 / (i + 1) as f64, i as f64 * spacing);
            binomial *= factor;
            let weight = if i % 2 == 0 {
                scale * binomial
            } else {
                -scale * binomial
            };
            let part = age - age.floor();
            let whole = index(age.floor());
            taps.push((whole, weight * (1.0 - part)));
            if part > 0.0 {
                taps.push((whole + 1, weight * part));
            }
        }
        let depth = taps.iter().map(|(age, _)| age + 1).max().unwrap_or(1);
        let zeros = vec![0.0; 3 * actuators];
        Self {
            past: History::new(3 * actuators, depth),
            now: zeros.clone(),
            next: zeros,
            taps,
        }
    }
}

impl Compensator for Polynomial {
    #[inline]
    fn propose(&mut self, wanted: &Motion, _measured: &Motion, command: &mut Motion) {
        let n = wanted.len();
        copy_few(&mut self.now[..n], &wanted.displacement);
        copy_few(&mut self.now[n..2 * n], &wanted.velocity);
        copy_few(&mut self.now[2 * n..], &wanted.acceleration);
        self.past.push(&self.now);
        if let Ok(next) = <&mut [f64; 3]>::try_from(&mut self.next[..]) {
            // One actuator: displacement, velocity and acceleration stay in registers.
            let mut sum = [0.0; 3];
            for (age, weight) in &self.taps {
                if let [x, v, a] = self.past.back(*age) {
                    sum = [
                        sum[0] + weight * x,
                        sum[1] + weight * v,
                        sum[2] + weight * a,
                    ];
                }
            }
            *next = sum;
        } else {
            self.next.fill(0.0);
            for (age, weight) in &self.taps {
                for (sum, x) in self.next.iter_mut().zip(self.past.back(*age)) {
                    *sum += weight * x;
                }
            }
        }
        copy_few(&mut command.displacement, &self.next[..n]);
        copy_few(&mut command.velocity, &self.next[n..2 * n]);
        copy_few(&mut command.acceleration, &self.next[2 * n..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Order n reproduces polynomials of degree n exactly; for whole spacings nothing is
    /// interpolated.
    #[test]
    fn polynomials_of_its_order_are_extrapolated_exactly() {
        for order in 1..=4_usize {
            let mut method = Polynomial::new(1, 6.0, order, 1.0);
            let p = |t: f64| {
                (0..=order)
                    .map(|k| t.powi(i32::try_from(k).unwrap()) / (1.0 + k as f64))
                    .sum::<f64>()
            };
            let (mut wanted, measured) = (Motion::at_rest(1), Motion::at_rest(1));
            let mut command = Motion::at_rest(1);
            for k in 0..100_u32 {
                let t = f64::from(k) * 0.01;
                wanted.displacement[0] = p(t);
                method.compensate(&wanted, &measured, &mut command);
                if k >= 30 {
                    assert!(
                        (command.displacement[0] - p(t + 0.06)).abs() < 1e-11,
                        "order {order}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_delay_of_more_than_a_hundred_thousand_ticks_is_refused() {
        let delay = |ticks: f64| {
            let values = tandem_quantity::Values::new()
                .with("delay", tandem_quantity::Value::Number(ticks / 1024.0))
                .with("order", tandem_quantity::Value::Integer(1))
                .with("gain", tandem_quantity::Value::Number(1.0));
            build(&values, &Context::of(1, 1.0 / 1024.0)).map(|_| ())
        };
        assert!(delay(99_999.0).is_ok());
        assert_eq!(delay(100_001.0).unwrap_err().key, "delay");
    }
}
