//! Gains of a PID servo for an identified plant, to targets of a step response and with margins.
//!
//! The servo is the one of the virtual rig (`tandem_transfer::servo::pid`), stepped at its own rate
//! around the plant, so that what is tuned here is what runs there: derivative on the filtered
//! measurement, held drive, the plant's delay.

use std::f64::consts::PI;

use tandem_signal::Complex;
use tandem_signal::filter::{Butterworth, FilterKind, Sos};
use tandem_transfer::LowPass;
use tandem_transfer::servo::{Gains, Pid, Servo};

use crate::minimise::nelder_mead;
use crate::step::{StepFigures, figures};
use crate::transfer::{Path, Realised};
use crate::{IdentifyError, index, real};

/// What is to be closed.
#[derive(Debug, Clone, PartialEq)]
pub struct Plant {
    /// From drive to displacement; or, with `closed_with`, from command to displacement.
    pub path: Path,
    /// Proportional gain of the loop that was closed when the path was identified. The plant proper
    /// is then T/(k (1 − T)), which integrates as a servo-valve does.
    pub closed_with: Option<f64>,
}

/// What is asked of the closed loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Targets {
    /// %; the paper asks for less than 5.
    pub overshoot_percent: f64,
    /// Time to stay within 2 %, s; the paper asks for less than 0.05.
    pub settling_s: f64,
    /// Least gain margin, dB.
    pub gain_margin_db: f64,
    /// Least phase margin, degrees.
    pub phase_margin_degrees: f64,
}

impl Default for Targets {
    fn default() -> Self {
        Self {
            overshoot_percent: 5.0,
            settling_s: 0.05,
            gain_margin_db: 6.0,
            phase_margin_degrees: 45.0,
        }
    }
}

/// Distance of the open loop from instability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Margins {
    /// dB by which the gain may grow; infinite where the phase never reaches −180°.
    pub gain_db: f64,
    /// Degrees by which the phase may fall; infinite where the gain never reaches one.
    pub phase_degrees: f64,
    /// Frequency at which the loop gain is one, Hz; none where it never is.
    pub crossover_hz: Option<f64>,
}

const WHAT: &str = "PID tuning";

/// Gains with what they give.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuned {
    /// On the error.
    pub proportional: f64,
    /// 1/s.
    pub integral: f64,
    /// s, on the measurement.
    pub derivative: f64,
    /// The closed loop's answer to a unit step.
    pub figures: Option<StepFigures>,
    /// Margins of the open loop.
    pub margins: Margins,
    /// Whether all targets are met.
    pub met: bool,
    /// The answer itself, one value a period of the servo.
    pub step: Vec<f64>,
    /// Servo period, s.
    pub period: f64,
}

/// The servo around the plant.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// The plant.
    pub plant: Plant,
    /// Servo rate, Hz; 5000 is usual.
    pub rate: f64,
    /// Butterworth filter of the feedback, Hz; 200 is usual. None: no filter.
    pub filter: Option<f64>,
}

impl Loop {
    /// Answer of the closed loop to a unit step over `duration`.
    ///
    /// # Errors
    /// [`IdentifyError`] where plant or filter cannot be realised.
    pub fn step(&self, gains: [f64; 3], duration: f64) -> Result<Vec<f64>, IdentifyError> {
        let period = 1.0 / self.rate;
        let mut plant = Realised::new(&self.plant.path, period).ok_or_else(|| {
            let why = "the plant cannot be realised: check its poles and delay";
            IdentifyError::undetermined(WHAT, why)
        })?;
        let filter = self
            .filter
            .map(|cutoff| LowPass::new(1, 2, cutoff, period, "filter"))
            .transpose()
            .map_err(|error| IdentifyError::undetermined(WHAT, error.to_string()))?;
        let mut servo = Pid::new(
            Gains {
                proportional: gains[0],
                integral: gains[1] * period,
                derivative: gains[2] / period,
                feed_forward: 0.0,
                velocity_feed_forward: 0.0,
            },
            f64::INFINITY,
            filter,
        );
        let count = index(duration * self.rate);
        Ok((0..count)
            .map(|_| {
                let y = plant.output();
                let drive = servo.drive(1.0, y);
                // Closed with k, the identified path answers to the command r of u = k (r − y).
                plant.advance(match self.plant.closed_with {
                    Some(k) => drive / k + y,
                    None => drive,
                });
                y
            })
            .collect())
    }

    /// Open-loop response at `frequency`, Hz, with this filter of the feedback.
    fn open(&self, gains: [f64; 3], filter: Option<&Sos>, frequency: f64) -> Complex<f64> {
        let period = 1.0 / self.rate;
        let held = self.plant.path.held_response(frequency, period);
        let plant = match self.plant.closed_with {
            None => held,
            Some(k) => {
                let t = self.plant.path.response(frequency);
                let zoh = held / t;
                t / (k * (1.0 - t)) * zoh
            }
        };
        let z = Complex::new(0.0, -2.0 * PI * frequency * period).exp();
        let filter = filter.map_or(Complex::new(1.0, 0.0), |sos| sos.response(frequency));
        let controller = gains[0] + gains[1] * period / (1.0 - z) + (1.0 - z) * (gains[2] / period);
        plant * controller * filter
    }

    /// Gain and phase margin.
    ///
    /// # Errors
    /// [`IdentifyError`] where the filter cannot be realised.
    pub fn margins(&self, gains: [f64; 3]) -> Result<Margins, IdentifyError> {
        let filter = |cutoff| {
            let kind = FilterKind::Lowpass(cutoff);
            let (order, fs) = (2, self.rate);
            Butterworth { kind, order, fs }.design()
        };
        let filter = self.filter.map(filter).transpose()?;
        let top = 0.45 * self.rate;
        let count = 1500;
        let bottom = 0.05_f64;
        let grid = (0..count).map(|k| bottom * (top / bottom).powf(real(k) / real(count - 1)));
        let mut found = Margins {
            gain_db: f64::INFINITY,
            phase_degrees: f64::INFINITY,
            crossover_hz: None,
        };
        let mut last: Option<(f64, f64, f64)> = None;
        for f in grid {
            let h = self.open(gains, filter.as_ref(), f);
            let size = h.norm().max(1e-30).ln();
            let mut phase = h.arg();
            if let Some((f0, size0, phase0)) = last {
                phase -= 2.0 * PI * ((phase - phase0) / (2.0 * PI)).round();
                let between = |a: f64, b: f64| a / (a - b);
                if (size0 > 0.0) != (size > 0.0) {
                    let t = between(size0, size);
                    let at = phase0 + t * (phase - phase0);
                    let margin = (at + PI).to_degrees();
                    if margin < found.phase_degrees {
                        found.phase_degrees = margin;
                        found.crossover_hz = Some(f0 + t * (f - f0));
                    }
                }
                let turns = |phase: f64| ((phase - PI) / (2.0 * PI)).floor();
                if turns(phase) < turns(phase0) {
                    let level = (turns(phase0) * 2.0 * PI) + PI;
                    let t = between(phase0 - level, phase - level);
                    let at = size0 + t * (size - size0);
                    let margin = -20.0 * at / 10.0_f64.ln();
                    if margin < found.gain_db {
                        found.gain_db = margin;
                    }
                }
            }
            last = Some((f, size, phase));
        }
        Ok(found)
    }
}

/// Finds gains that meet the targets, or come as near as they can.
///
/// # Errors
/// [`IdentifyError`] for a plant or a filter that cannot be realised.
pub fn tune(around: &Loop, targets: &Targets) -> Result<Tuned, IdentifyError> {
    let duration = (8.0 * targets.settling_s).max(40.0 * around.plant.path.low_frequency_delay());
    around.step([0.0; 3], duration)?;
    around.margins([0.0; 3])?;
    let period = 1.0 / around.rate;
    let judge = |gains: [f64; 3]| -> f64 {
        let (Ok(step), Ok(margins)) = (around.step(gains, duration), around.margins(gains)) else {
            return 1e9;
        };
        if step.iter().any(|y| !y.is_finite() || y.abs() > 1e3) {
            return 1e8;
        }
        let short = |has: f64, wants: f64| ((wants - has) / wants).max(0.0);
        let over = |has: f64, wants: f64| ((has - wants) / wants).max(0.0);
        // Time-weighted error over that of a lag which just settles in time.
        let error: f64 = step
            .iter()
            .enumerate()
            .map(|(k, y)| real(k) * period * (1.0 - y).abs() * period)
            .sum();
        let mut cost = error / (targets.settling_s / 4.0).powi(2);
        cost += match figures(&step, 0.0, 1.0, period, 0.02) {
            Some(found) => {
                100.0 * over(found.overshoot_percent, 0.8 * targets.overshoot_percent)
                    + 20.0 * over(found.settling_s, 0.9 * targets.settling_s)
                    + 20.0 * (found.gain - 1.0).abs()
            }
            None => 1e3,
        };
        cost + 100.0 * short(margins.gain_db, targets.gain_margin_db)
            + 100.0 * short(margins.phase_degrees, targets.phase_margin_degrees)
    };
    let gains_of = |x: &[f64]| -> [f64; 3] { std::array::from_fn(|k| x[k].exp()) };
    let static_gain = around.plant.path.gain.abs().max(1e-9);
    let lag = around.plant.path.low_frequency_delay().max(period);
    let mut best: Option<(f64, [f64; 3])> = None;
    for kp in [0.2, 1.0, 4.0] {
        for ki in [1e-3, 0.3, 2.0] {
            let kp = kp * around.plant.closed_with.unwrap_or(1.0 / static_gain);
            let start = [kp.ln(), (ki * kp / lag).ln(), (0.05 * kp * lag).ln()];
            let (x, cost) = nelder_mead(&start, 0.5, 160, |x| judge(gains_of(x)));
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, gains_of(&x)));
            }
        }
    }
    let (_, gains) =
        best.ok_or_else(|| IdentifyError::undetermined(WHAT, "no gains were found"))?;
    let step = around.step(gains, duration)?;
    let found = figures(&step, 0.0, 1.0, period, 0.02);
    let margins = around.margins(gains)?;
    let met = found.is_some_and(|f| {
        f.overshoot_percent <= targets.overshoot_percent && f.settling_s <= targets.settling_s
    }) && margins.gain_db >= targets.gain_margin_db
        && margins.phase_degrees >= targets.phase_margin_degrees;
    Ok(Tuned {
        proportional: gains[0],
        integral: gains[1],
        derivative: gains[2],
        figures: found,
        margins,
        met,
        step,
        period,
    })
}
