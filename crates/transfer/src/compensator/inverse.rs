//! Inverse of a delay, fixed or led by the tracking indicator.

use super::{Build, Compensator};
use tandem_quantity::{
    BuildError, Dimension, Entry, Kind, Method, Motion, Parameter, Values, snapshot,
};

/// Delay per area of the tracking indicator, s/m².
const PER_AREA: Dimension = Dimension::of(0, -2, 1);
const PER_AREA_SECOND: Dimension = Dimension::of(0, -2, 0);

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "inverse",
        summary: "inverse of a delay α ticks long, u = α x − (α − 1) x₋₁; adaptive with the tracking indicator",
        reference: "Chen and Ricles 2009, 2010",
        parameters: &[
            Parameter::number(
                "delay",
                Dimension::TIME,
                "delay of the transfer system, or its first estimate",
            )
            .or("\"10 ms\"")
            .positive(),
            Parameter::of(
                "adaptive",
                Kind::Boolean,
                "let the tracking indicator correct the delay",
            )
            .or("false"),
            Parameter::number(
                "proportional",
                PER_AREA,
                "delay per area of the tracking indicator",
            )
            .or("\"200 s/m^2\"")
            .not_negative(),
            Parameter::number("integral", PER_AREA_SECOND, "the same, per second")
                .or("\"0 1/m^2\"")
                .not_negative(),
            Parameter::number(
                "maximum_delay",
                Dimension::TIME,
                "bound of the corrected delay; default: twice the first estimate",
            )
            .optional()
            .positive(),
        ],
    },
    build,
};

fn build(
    values: &Values,
    actuators: usize,
    period: f64,
) -> Result<Box<dyn Compensator>, BuildError> {
    let delay = values.number("delay")?;
    let most = values
        .optional_number("maximum_delay")
        .unwrap_or(2.0 * delay);
    if most < delay {
        return Err(BuildError::new(
            "maximum_delay",
            format!("{most} s is below the delay of {delay} s"),
            "allow at least the first estimate",
        ));
    }
    Ok(Box::new(Inverse {
        period,
        delay,
        most,
        gains: if values.boolean("adaptive")? {
            Some([
                values.number("proportional")?,
                values.number("integral")? * period,
            ])
        } else {
            None
        },
        wanted: vec![0.0; actuators],
        before: vec![0.0; actuators],
        measured: vec![0.0; actuators],
        indicator: vec![0.0; actuators],
        sum: vec![0.0; actuators],
    }))
}

/// u = x + τ (x − x₋₁)/δt. With `adaptive`, τ = τ₀ + kp TI + ki ∫TI within 0 … the bound, TI the enclosed area of wanted over
/// measured displacement (m²; it grows while the measurement lags).
#[derive(Clone, Debug)]
pub struct Inverse {
    period: f64,
    delay: f64,
    most: f64,
    gains: Option<[f64; 2]>,
    /// Wanted displacement of this and the tick before, as last seen.
    wanted: Vec<f64>,
    before: Vec<f64>,
    measured: Vec<f64>,
    indicator: Vec<f64>,
    sum: Vec<f64>,
}

snapshot!(Inverse {
    wanted,
    before,
    measured,
    indicator,
    sum
});

impl Compensator for Inverse {
    #[inline]
    fn compensate(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion) {
        for i in 0..wanted.len() {
            let (x, m) = (wanted.displacement[i], measured.displacement[i]);
            let mut delay = self.delay;
            if let Some([proportional, integral]) = self.gains {
                // What was wanted for this tick is the last call's wanted motion. TI = ½ ∮ (w dm − m dw).
                let (w0, w1, m0) = (self.before[i], self.wanted[i], self.measured[i]);
                self.indicator[i] += 0.25 * ((w1 + w0) * (m - m0) - (m + m0) * (w1 - w0));
                let more = integral * self.indicator[i];
                let free = delay + proportional * self.indicator[i] + self.sum[i] + more;
                delay = free.clamp(0.0, self.most);
                // The integral stands still where it would push further beyond the bounds.
                if (free - delay) * more <= 0.0 {
                    self.sum[i] += more;
                }
            }
            let velocity = (x - self.wanted[i]) / self.period;
            command.displacement[i] = x + delay * velocity;
            command.velocity[i] = wanted.velocity[i] + delay * wanted.acceleration[i];
            command.acceleration[i] = wanted.acceleration[i];
            self.before[i] = self.wanted[i];
            self.wanted[i] = x;
            self.measured[i] = m;
        }
    }
}
