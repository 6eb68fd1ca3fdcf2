//! PID with derivative on the measurement, anti-windup and saturation.

use super::{Build, Servo};
use tandem_quantity::{BuildError, Dimension, Entry, Method, Parameter, Values, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "pid",
        summary: "PID: derivative on the measurement, integral clamped at saturation, feed-forward",
        reference: "Tekeste, Correia and Costa 2025, section 2.7; Åström and Hägglund 2006",
        parameters: &[
            Parameter::number("proportional", Dimension::NONE, "gain on the error")
                .or("1.0")
                .not_negative(),
            Parameter::number("integral", Dimension::FREQUENCY, "integral gain")
                .or("\"0 Hz\"")
                .not_negative(),
            Parameter::number(
                "derivative",
                Dimension::TIME,
                "derivative gain, on the measurement",
            )
            .or("\"0 s\"")
            .not_negative(),
            Parameter::number(
                "feed_forward",
                Dimension::NONE,
                "share of the command added to the drive",
            )
            .or("0.0")
            .not_negative(),
            Parameter::number("saturation", Dimension::LENGTH, "largest drive signal")
                .optional()
                .positive(),
        ],
    },
    build,
};

fn build(values: &Values, period: f64) -> Result<Option<Box<dyn Servo>>, BuildError> {
    Ok(Some(Box::new(Pid {
        proportional: values.number("proportional")?,
        integral: values.number("integral")? * period,
        derivative: values.number("derivative")? / period,
        feed_forward: values.number("feed_forward")?,
        saturation: values
            .optional_number("saturation")
            .unwrap_or(f64::INFINITY),
        sum: 0.0,
        last: 0.0,
    })))
}

/// u = Kp e + Ki ∫e − Kd ẏ + Kf r, clamped; the integral stands still while it would push further into saturation.
#[derive(Clone, Debug)]
pub struct Pid {
    proportional: f64,
    /// Integral gain times period.
    integral: f64,
    /// Derivative gain over period.
    derivative: f64,
    feed_forward: f64,
    saturation: f64,
    sum: f64,
    last: f64,
}

snapshot!(Pid { sum, last });

impl Servo for Pid {
    #[inline]
    fn drive(&mut self, command: f64, measured: f64) -> f64 {
        let error = command - measured;
        let free = self.proportional * error + self.sum + self.integral * error
            - self.derivative * (measured - self.last)
            + self.feed_forward * command;
        self.last = measured;
        let drive = free.clamp(-self.saturation, self.saturation);
        // Anti-windup: integrate only when not saturated, or when the error leads out of saturation.
        if (free - drive) * error <= 0.0 {
            self.sum += self.integral * error;
        }
        drive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pid(integral: f64, saturation: f64) -> Pid {
        Pid {
            proportional: 2.0,
            integral,
            derivative: 0.0,
            feed_forward: 0.0,
            saturation,
            sum: 0.0,
            last: 0.0,
        }
    }

    #[test]
    fn the_integral_sums_the_error_once_per_period() {
        let mut servo = pid(0.1, f64::INFINITY);
        // Constant error 1: u = 2 + 0.1 (k + 1).
        for k in 0..5 {
            let u = servo.drive(1.0, 0.0);
            assert!((u - (2.0 + 0.1 * f64::from(k + 1))).abs() < 1e-12);
        }
    }

    #[test]
    fn the_integral_does_not_wind_up() {
        let mut servo = pid(0.5, 1.0);
        for _ in 0..1000 {
            assert!(servo.drive(10.0, 0.0) <= 1.0);
        }
        // As soon as the error turns, the drive leaves saturation at once.
        assert!(servo.drive(0.0, 1.0) < 0.0);
    }
}
