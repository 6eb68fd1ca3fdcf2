//! Phase lead on the target, then PI on the error: the sample controller of the single-actuator
//! benchmark.

use super::{Build, Compensator, SwitchOn};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Settings, Values, settings, snapshot,
};

/// What the plan writes. The defaults are the published controller.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "pi-phase-lead",
        summary: "phase lead (lead s + corner)/(s + corner) on the wanted displacement, then PI on \
            its distance from the measured one",
        reference: "Silva et al. 2020 (sample controller), bilinear transformation",
        parameters: <(PiPhaseLeadSettings, SwitchOn)>::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct PiPhaseLeadSettings {
        /// gain of the lead at high frequencies
        lead: f64 = number(Dimension::NONE).or("50.8316336027").positive(),
        /// pole of the lead, 1/s
        corner: f64 = number(Dimension::FREQUENCY).or("\"8570.3973394443 Hz\"").positive(),
        /// gain on the error
        proportional: f64 = number(Dimension::NONE).or("2.0").not_negative(),
        /// gain on its integral, 1/s
        integral: f64 = number(Dimension::FREQUENCY).or("\"95 Hz\"").not_negative(),
        /// step of the converters before and after both blocks; default: none
        resolution: Option<f64> = number(Dimension::LENGTH).positive(),
        /// largest signal at the converters; the integral stands still there
        saturation: f64 = number(Dimension::LENGTH).or("\"3.8 m\"").positive(),
    }
}

fn build(
    values: &Values,
    &Context {
        actuators, period, ..
    }: &Context<'_>,
) -> Result<Box<dyn Compensator>, BuildError> {
    let settings = PiPhaseLeadSettings::read(values)?;
    let (lead, corner) = (settings.lead, settings.corner);
    // s ← 2/T (1 − 1/z)/(1 + 1/z).
    let (rate, divisor) = (2.0 / period, 2.0 / period + corner);
    Ok(Box::new(PiPhaseLead {
        lead: [
            (lead * rate + corner) / divisor,
            (corner - lead * rate) / divisor,
            (rate - corner) / divisor,
        ],
        proportional: settings.proportional,
        integral: 0.5 * period * settings.integral,
        resolution: settings.resolution,
        saturation: settings.saturation,
        state: vec![[0.0; 4]; actuators],
    }))
}

/// y = GT(s) wanted; u = (Kp + Ki/s)(y − measured). Starts from rest without a bump; the integral
/// stands still while it would push further into saturation.
///
/// Ports: wanted and measured displacement (m) → command (m).
#[derive(Clone, Debug)]
pub struct PiPhaseLead {
    /// y = b₀ x + b₁ x₋₁ + a y₋₁.
    lead: [f64; 3],
    proportional: f64,
    /// Half the integral gain times the period (trapezoidal).
    integral: f64,
    resolution: Option<f64>,
    saturation: f64,
    /// Last input and output of the lead, last error, sum.
    state: Vec<[f64; 4]>,
}

snapshot!(PiPhaseLead { state });

impl PiPhaseLead {
    /// What a converter makes of a signal.
    #[inline]
    fn convert(&self, x: f64) -> f64 {
        let x = x.clamp(-self.saturation, self.saturation);
        self.resolution.map_or(x, |step| (x / step).round() * step)
    }
}

impl Compensator for PiPhaseLead {
    #[inline]
    fn propose(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion) {
        for i in 0..wanted.len() {
            let [last_x, last_y, last_error, sum] = self.state[i];
            let x = self.convert(wanted.displacement[i]);
            let y = self.lead[0] * x + self.lead[1] * last_x + self.lead[2] * last_y;
            let error = self.convert(self.convert(y) - measured.displacement[i]);
            let step = self.integral * (error + last_error);
            let free = self.proportional * error + sum + step;
            let u = self.convert(free);
            let pushes = free.abs() > self.saturation && free * step > 0.0;
            self.state[i] = [x, y, error, if pushes { sum } else { sum + step }];
            command.displacement[i] = u;
            command.velocity[i] = wanted.velocity[i];
            command.acceleration[i] = wanted.acceleration[i];
        }
    }

    fn closes_a_loop(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_quantity::Value;

    fn controller(saturation: f64) -> Box<dyn Compensator> {
        let values = [
            ("lead", 50.831_633_602_7),
            ("corner", 8_570.397_339_444_3),
            ("proportional", 2.0),
            ("integral", 95.0),
            ("saturation", saturation),
        ]
        .into_iter()
        .fold(Values::new(), |v, (key, x)| v.with(key, Value::Number(x)));
        build(&values, &Context::of(1, 1.0 / 4096.0)).unwrap()
    }

    fn at(x: f64) -> Motion {
        Motion {
            displacement: vec![x],
            velocity: vec![0.0],
            acceleration: vec![0.0],
        }
    }

    /// Expected: scipy.signal.bilinear of both blocks at 4096 Hz and lfilter, for a wanted sine of
    /// 3 Hz and a measured sine that lags by 0.2 rad.
    #[test]
    fn both_blocks_are_those_of_scipy() {
        let mut pi = controller(10.0);
        let mut command = at(0.0);
        let angle = 2.0 * std::f64::consts::PI * 3.0 / 4096.0;
        for k in 0..=2000 {
            let t = angle * f64::from(k);
            pi.compensate(
                &at(0.01 * t.sin()),
                &at(0.01 * (t - 0.2).sin()),
                &mut command,
            );
            let expected = match k {
                0 => EXPECTED[0],
                10 => EXPECTED[1],
                2000 => EXPECTED[2],
                _ => continue,
            };
            let u = command.displacement[0];
            assert!((u - expected).abs() < 1e-12, "{k}: {u} for {expected}");
        }
    }

    const EXPECTED: [f64; 3] = [
        0.003996425661830828,
        0.006904077389925491,
        -0.0005033739530597332,
    ];

    /// As soon as the error turns, the command leaves saturation.
    #[test]
    fn the_integral_does_not_wind_up() {
        for side in [1.0, -1.0] {
            let mut pi = controller(0.02);
            let mut command = at(0.0);
            for _ in 0..40_000 {
                pi.compensate(&at(side * 0.015), &at(0.0), &mut command);
                assert!(side * command.displacement[0] <= 0.02);
            }
            for _ in 0..40 {
                pi.compensate(&at(0.0), &at(side * 0.015), &mut command);
            }
            assert!(side * command.displacement[0] < 0.0, "{command:?}");
        }
    }

    /// A lead of one is no lead. Steps of 1/4 m before, between and behind the blocks: 0.9 is 1,
    /// less 0.3 is 3/4, three times that is 9/4; the converters end at 2 m, on both sides.
    #[test]
    fn converters_round_and_saturate() {
        for (saturation, expected) in [(8.0, 2.25), (2.0, 2.0)] {
            let values = Values::new()
                .with("lead", Value::Number(1.0))
                .with("corner", Value::Number(100.0))
                .with("proportional", Value::Number(3.0))
                .with("integral", Value::Number(0.0))
                .with("resolution", Value::Number(0.25))
                .with("saturation", Value::Number(saturation));
            for side in [1.0, -1.0] {
                let mut pi = build(&values, &Context::of(1, 1.0 / 1024.0)).unwrap();
                let mut command = at(0.0);
                for _ in 0..3 {
                    pi.compensate(&at(side * 0.9), &at(side * 0.3), &mut command);
                    let off = command.displacement[0] - side * expected;
                    assert!(off.abs() < 1e-12, "{command:?}");
                }
            }
        }
    }
}
