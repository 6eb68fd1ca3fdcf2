//! PID of the innermost loop: derivative on the filtered measurement, anti-windup, bump-less change
//! of gains.

use super::{Build, Servo};
use crate::LowPass;
use tandem_quantity::{
    BuildError, Conditional, Context, Dimension, Entry, Method, Settings, Snapshot, SnapshotError,
    StateReader, settings, whole,
};

/// Steps in which a low-pass of second order forgets: enough down to a cut-off of a fiftieth of the
/// rate.
const SETTLING: usize = 400;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "pid",
        summary: "PID: filtered feedback, derivative on the measurement, anti-windup, \
            feed-forward, saturation",
        reference: "Tekeste, Correia and Costa 2025, section 2.6; Åström and Hägglund 2006",
        parameters: PidSettings::PARAMETERS,
    },
    build: &|values, &Context { period, .. }| {
        let settings = PidSettings::read(values)?;
        Ok(Some(Box::new(Pid::build(&settings, period)?)))
    },
};

settings! {
    pub(super) struct PidSettings {
        /// gain on the error
        proportional: f64 = number(Dimension::NONE).or("1.0").not_negative(),
        /// integral gain
        integral: f64 = number(Dimension::FREQUENCY).or("\"0 Hz\"").not_negative(),
        /// derivative gain, on the measurement
        derivative: f64 = number(Dimension::TIME).or("\"0 s\"").not_negative(),
        /// share of the command added to the drive
        feed_forward: f64 = number(Dimension::NONE).or("0.0").not_negative(),
        /// share of the command's velocity added to the drive
        velocity_feed_forward: f64 = number(Dimension::TIME).or("\"0 s\"").not_negative(),
        /// largest drive signal
        saturation: Option<f64> = number(Dimension::LENGTH).positive(),
        /// second-order Butterworth low-pass on the feedback; 200 Hz is usual for a servo at 5 kHz
        filter: Option<f64> = number(Dimension::FREQUENCY).positive(),
        /// wall time from the start at which other gains are taken over, without a bump
        change_at: Option<f64> = number(Dimension::TIME).positive(),
        /// from then on; default: as before
        new_proportional: Conditional<Option<f64>> = number(Dimension::NONE).not_negative(),
        /// likewise
        new_integral: Conditional<Option<f64>> = number(Dimension::FREQUENCY).not_negative(),
        /// likewise
        new_derivative: Conditional<Option<f64>> = number(Dimension::TIME).not_negative(),
    }
}

/// Gains of a PID, per period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// On the error.
    pub proportional: f64,
    /// On the sum of the errors: the integral gain (1/s) times the period.
    pub integral: f64,
    /// On the change of the measurement: the derivative gain (s) over the period.
    pub derivative: f64,
    /// On the command.
    pub feed_forward: f64,
    /// On the change of the command: gain (s) over the period.
    pub velocity_feed_forward: f64,
}

/// u = Kp e + Ki ∫e − Kd ẏ + Kf r + Kv ṙ, clamped; the integral stands still while it would push
/// further into saturation, and takes up the difference when the gains change.
#[derive(Clone, Debug)]
pub struct Pid {
    gains: Gains,
    /// Gains that are taken over, and after how many periods.
    later: Option<(Gains, u64)>,
    periods: u64,
    saturation: f64,
    filter: Option<LowPass>,
    /// Ki ∫e, and the last signals.
    sum: f64,
    measured: f64,
    rate: f64,
    command: f64,
    command_rate: f64,
}

impl Snapshot for Pid {
    fn save(&self, into: &mut Vec<f64>) {
        let g = self.gains;
        for x in [
            g.proportional,
            g.integral,
            g.derivative,
            g.feed_forward,
            g.velocity_feed_forward,
            self.sum,
            self.measured,
            self.rate,
            self.command,
            self.command_rate,
        ] {
            x.save(into);
        }
        self.periods.save(into);
        if let Some(filter) = &self.filter {
            filter.save(into);
        }
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        let g = &mut self.gains;
        for x in [
            &mut g.proportional,
            &mut g.integral,
            &mut g.derivative,
            &mut g.feed_forward,
            &mut g.velocity_feed_forward,
            &mut self.sum,
            &mut self.measured,
            &mut self.rate,
            &mut self.command,
            &mut self.command_rate,
        ] {
            x.restore(from)?;
        }
        self.periods.restore(from)?;
        match &mut self.filter {
            Some(filter) => filter.restore(from),
            None => Ok(()),
        }
    }
}

impl Pid {
    pub(super) fn build(settings: &PidSettings, period: f64) -> Result<Self, BuildError> {
        let gains = Gains {
            proportional: settings.proportional,
            integral: settings.integral * period,
            derivative: settings.derivative / period,
            feed_forward: settings.feed_forward,
            velocity_feed_forward: settings.velocity_feed_forward / period,
        };
        let saturation = settings.saturation.unwrap_or(f64::INFINITY);
        let filter = settings
            .filter
            .map(|cutoff| LowPass::new(1, 2, cutoff, period, "filter"))
            .transpose()?;
        let mut pid = Self::new(gains, saturation, filter);
        if let Some(time) = settings.change_at {
            let new = |key: &Conditional<Option<f64>>, scale: f64, old: f64| {
                let gain = key.read()?;
                Ok::<f64, BuildError>(gain.map_or(old, |gain| gain * scale))
            };
            let later = Gains {
                proportional: new(&settings.new_proportional, 1.0, gains.proportional)?,
                integral: new(&settings.new_integral, period, gains.integral)?,
                derivative: new(&settings.new_derivative, 1.0 / period, gains.derivative)?,
                ..gains
            };
            // As an integer: saturates for absurdly late changes, which then never come.
            let periods = whole((time / period).round());
            pid.later = Some((later, periods));
        }
        Ok(pid)
    }

    /// A controller at rest.
    pub fn new(gains: Gains, saturation: f64, filter: Option<LowPass>) -> Self {
        Self {
            gains,
            later: None,
            periods: 0,
            saturation,
            filter,
            sum: 0.0,
            measured: 0.0,
            rate: 0.0,
            command: 0.0,
            command_rate: 0.0,
        }
    }

    fn free(&self, gains: &Gains) -> f64 {
        gains.proportional * (self.command - self.measured) - gains.derivative * self.rate
            + gains.feed_forward * self.command
            + gains.velocity_feed_forward * self.command_rate
    }

    /// Takes other gains so that the drive does not jump: the integral takes up the difference.
    pub fn set_gains(&mut self, gains: Gains) {
        self.sum += self.free(&self.gains) - self.free(&gains);
        self.gains = gains;
    }

    /// Goes on from a drive that another controller gave: under these signals this one gives the
    /// same.
    pub fn take_over(&mut self, command: f64, measured: f64, drive: f64) {
        if let Some(filter) = &mut self.filter {
            // A filter that has stood still since its last use must not show an old value: let it
            // settle on this one.
            for _ in 0..SETTLING {
                filter.step(0, measured);
            }
        }
        (self.measured, self.rate) = (measured, 0.0);
        (self.command, self.command_rate) = (command, 0.0);
        self.sum = drive.clamp(-self.saturation, self.saturation) - self.free(&self.gains);
    }

    /// The gains now.
    pub fn gains(&self) -> Gains {
        self.gains
    }
}

impl Servo for Pid {
    #[inline]
    fn drive(&mut self, command: f64, measured: f64) -> f64 {
        self.periods += 1;
        if let Some((gains, periods)) = self.later
            && self.periods == periods
        {
            self.set_gains(gains);
        }
        let measured = match &mut self.filter {
            Some(filter) => filter.step(0, measured),
            None => measured,
        };
        self.rate = measured - self.measured;
        self.measured = measured;
        self.command_rate = command - self.command;
        self.command = command;
        let error = command - measured;
        let step = self.gains.integral * error;
        let free = self.free(&self.gains) + self.sum + step;
        let drive = free.clamp(-self.saturation, self.saturation);
        // Anti-windup: integrate only when not saturated, or when the error leads out of
        // saturation.
        if (free - drive) * error <= 0.0 {
            self.sum += step;
        }
        drive
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_test_support::larger;

    fn pid(integral: f64, saturation: f64) -> Pid {
        let gains = Gains {
            proportional: 2.0,
            integral,
            derivative: 0.0,
            feed_forward: 0.0,
            velocity_feed_forward: 0.0,
        };
        Pid::new(gains, saturation, None)
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

    /// The drive under unchanged signals goes on as if nothing had happened, whatever the new
    /// gains.
    #[test]
    fn a_change_of_gains_makes_no_bump() {
        let mut servo = pid(0.0, f64::INFINITY);
        for k in 0..50 {
            let t = f64::from(k) * 0.1;
            servo.drive(t.sin(), (t - 0.3).sin());
        }
        let (command, measured) = (servo.command, servo.measured);
        let before = servo.drive(command, measured);
        servo.set_gains(Gains {
            proportional: 7.0,
            integral: 0.0,
            derivative: 3.0,
            feed_forward: 0.4,
            velocity_feed_forward: 1.0,
        });
        let after = servo.drive(command, measured);
        assert!((after - before).abs() < 1e-12, "{before} {after}");
        // And from then on the new gain acts: a unit of error more is 7 + 0.4 + 1 of drive more.
        let next = servo.drive(command + 1.0, measured);
        assert!((next - before - 8.4).abs() < 1e-12);
    }

    /// The same through the plan's keys: the drive goes on at the moment of the change.
    #[test]
    fn gains_change_at_a_planned_time() {
        use tandem_quantity::{Value, Values};
        let mut values = Values::new();
        for (key, x) in [
            ("proportional", 2.0),
            ("integral", 0.0),
            ("derivative", 0.0),
            ("feed_forward", 0.0),
            ("change_at", 0.1),
            ("new_proportional", 5.0),
        ] {
            values.set(key, Value::Number(x));
        }
        let mut servo = Pid::build(&PidSettings::read(&values).unwrap(), 1e-3).unwrap();
        let mut last = 0.0;
        for k in 1..=200 {
            let drive = servo.drive(1.0, 0.4);
            assert!(
                k == 1 || (drive - last).abs() < 1e-12,
                "{k}: {last} {drive}"
            );
            last = drive;
        }
        assert!((servo.gains().proportional - 5.0).abs() < 1e-12);
        assert!((servo.drive(1.1, 0.4) - last - 0.5).abs() < 1e-12);
    }

    /// A loop of controller and first-order actuator (time constant 30 ms), at 5 kHz. Expected: the
    /// same difference equations in 40 digits (mpmath), with the filter of scipy.signal.butter;
    /// lfilter of the closed loop's expanded polynomials loses digits. The actuator is sampled for
    /// held drives, the integral with the newest error, the derivative on the measurement, the
    /// feedback through scipy.signal.butter(2, 200, fs=5000), the drive acting from the next sample
    /// on.
    #[test]
    fn the_step_response_is_that_of_the_difference_equations() {
        let (tau, h) = (0.03_f64, 1.0 / 5000.0);
        let pole = (-h / tau).exp();
        for (derivative, cutoff, step) in [(0.0, None, PI_STEP), (0.004, Some(200.0), PID_STEP)] {
            let gains = Gains {
                proportional: 3.5,
                integral: 40.0 * h,
                derivative: derivative / h,
                feed_forward: 0.0,
                velocity_feed_forward: 0.0,
            };
            let filter = cutoff.map(|cutoff| LowPass::new(1, 2, cutoff, h, "filter").unwrap());
            let mut servo = Pid::new(gains, f64::INFINITY, filter);
            let mut x = 0.0;
            let mut expected = step.iter();
            let mut next = expected.next();
            for k in 1..=500 {
                x = pole * x + (1.0 - pole) * servo.drive(1.0, x);
                if let Some((at, value)) = next
                    && *at == k
                {
                    assert!((x - value).abs() < 1e-12, "{derivative} {k}: {x} {value}");
                    next = expected.next();
                }
            }
            assert!(next.is_none());
        }
    }

    /// The derivative sees the measurement, not the command: a step of the command gives no kick.
    #[test]
    fn a_step_of_the_command_gives_no_kick() {
        let gains = Gains {
            derivative: 50.0,
            ..pid(0.0, 1.0).gains
        };
        let mut servo = Pid::new(gains, f64::INFINITY, None);
        assert!((servo.drive(1.0, 0.0) - 2.0).abs() < 1e-12);
        assert!((servo.drive(1.0, 0.01) - (1.98 - 0.5)).abs() < 1e-12);
    }

    /// A sine of 200 Hz in the feedback comes through the filter at −3 dB.
    #[test]
    fn the_feedback_is_low_passed() {
        let period = 1.0 / 5000.0;
        let filter = LowPass::new(1, 2, 200.0, period, "filter").unwrap();
        let mut servo = Pid::new(pid(0.0, 1.0).gains, f64::INFINITY, Some(filter));
        let mut peak = 0.0_f64;
        for k in 0..2000 {
            let t = f64::from(k) * period;
            let u = servo.drive(0.0, (2.0 * std::f64::consts::PI * 200.0 * t).sin());
            if k > 1000 {
                peak = larger(peak, u.abs());
            }
        }
        assert!((peak / 2.0 - 0.5_f64.sqrt()).abs() < 1e-3, "{peak}");
    }

    const PID_STEP: [(i32, f64); 4] = [
        (1, 0.023_308_884_057_339_27),
        (25, 0.428_124_479_828_520_9),
        (120, 0.834_159_383_120_699_5),
        (500, 0.934_341_870_097_074_4),
    ];
    const PI_STEP: [(i32, f64); 4] = [
        (1, 0.023_308_884_057_339_27),
        (25, 0.425_075_743_114_236_9),
        (120, 0.828_499_606_034_140_4),
        (500, 0.929_655_986_902_076_3),
    ];
}
