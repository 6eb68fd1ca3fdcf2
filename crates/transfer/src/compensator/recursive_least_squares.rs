//! Inverse model with a few taps, by recursive least squares.

use super::{Ahead, Build, Compensator, SwitchOn};
use crate::{History, LowPass};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Range, Settings, Values, settings,
    snapshot,
};

const TAPS: usize = 4;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "recursive-least-squares",
        summary: "command from the last four wanted values; weights by recursive least squares, \
            measured to command",
        reference: "Quiroz et al. 2024 (RoDeAC); Golub and Van Loan 2013, section 6.5 (updating \
            QR)",
        parameters: <(RecursiveLeastSquaresSettings, SwitchOn)>::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct RecursiveLeastSquaresSettings {
        /// four weights for each actuator; default: straight line over `delay`
        start: Option<Vec<Vec<f64>>> = matrix(Dimension::NONE),
        /// delay that the default start values make up for
        delay: f64 = number(Dimension::TIME).or("\"10 ms\"").not_negative(),
        /// four start variances for each actuator (1/mm² and the like)
        covariance: Option<Vec<Vec<f64>>> = matrix(Dimension::of(0, -2, 0)),
        /// start variance of every weight where `covariance` is not given
        uncertainty: f64 = number(Dimension::of(0, -2, 0)).or("\"1e6 1/m^2\"").positive(),
        /// factor by which old samples count less, each tick; 1: never
        forgetting: f64 = number(Dimension::NONE).or("1.0").within(Range::between(0.9, 1.0)),
        /// fourth-order Butterworth low-pass on command and measurement before the fit
        filter: f64 = number(Dimension::FREQUENCY).or("\"20 Hz\"").positive(),
        /// no adaptation while the RMS of the measured displacement over about a second is below
        threshold: f64 = number(Dimension::LENGTH).or("\"1 mm\"").not_negative(),
        /// the sum of the weights stays within this share of its start value
        gain_margin: f64 = number(Dimension::NONE).or("0.3").within(Range::between(0.0, 0.9)),
        /// the delay that the weights make up for stays between zero and this
        maximum_delay: f64 = number(Dimension::TIME).or("\"100 ms\"").positive(),
        /// largest change of a weight per second; default: as fast as the fit
        rate: Option<f64> = number(Dimension::FREQUENCY).positive(),
        timing: Ahead,
    }
}

fn rows(
    key: &str,
    given: Option<&[Vec<f64>]>,
    actuators: usize,
    usual: [f64; TAPS],
) -> Result<Vec<[f64; TAPS]>, BuildError> {
    let Some(given) = given else {
        return Ok(vec![usual; actuators]);
    };
    let wrong = || {
        BuildError::new(
            key,
            format!("not {actuators} rows of {TAPS} values"),
            "give one row of four values for each actuator",
        )
    };
    if given.len() != actuators {
        return Err(wrong());
    }
    given
        .iter()
        .map(|row| <[f64; TAPS]>::try_from(row.as_slice()).map_err(|_| wrong()))
        .collect()
}

fn build(
    values: &Values,
    &Context {
        actuators, period, ..
    }: &Context<'_>,
) -> Result<Box<dyn Compensator>, BuildError> {
    let settings = RecursiveLeastSquaresSettings::read(values)?;
    // Straight line through four samples: slope (3x₀ + x₁ − x₂ − 3x₃)/10 per tick.
    let ticks = settings.delay / period;
    let line = [1.0 + 0.3 * ticks, 0.1 * ticks, -0.1 * ticks, -0.3 * ticks];
    let start = rows("start", settings.start.as_deref(), actuators, line)?;
    let variance = [settings.uncertainty; TAPS];
    let covariance = rows(
        "covariance",
        settings.covariance.as_deref(),
        actuators,
        variance,
    )?;
    if covariance.iter().flatten().any(|p| *p <= 0.0) {
        return Err(BuildError::new(
            "covariance",
            "a variance is not positive",
            "give positive variances",
        ));
    }
    let margin = settings.gain_margin;
    let cutoff = settings.filter;
    let fits = start
        .iter()
        .zip(&covariance)
        .map(|(theta, p)| Fit::new(*theta, *p))
        .collect();
    let sums = start.iter().map(|theta| {
        let sum: f64 = theta.iter().sum();
        (sum - margin * sum.abs(), sum + margin * sum.abs())
    });
    Ok(Box::new(RecursiveLeastSquares {
        bounds: sums.collect(),
        longest: settings.maximum_delay / period,
        step: settings.rate.map_or(f64::INFINITY, |rate| rate * period),
        memory: settings.forgetting.sqrt(),
        threshold: settings.threshold,
        smoothing: (period / 1.0).min(1.0),
        ahead: settings.timing.ahead,
        filter: LowPass::new(2 * actuators, 4, cutoff, period, "filter")?,
        target: [(); 3].map(|()| History::new(actuators, TAPS)),
        measured: History::new(actuators, TAPS),
        sent: vec![0.0; actuators],
        power: vec![0.0; actuators],
        fits,
        coefficients: start,
        scratch: vec![0.0; actuators],
    }))
}

/// Least squares as a triangle R with R θ = z: R'R is the inverse covariance. A new row is rotated
/// in (Givens), so no covariance can lose its symmetry or its sign, however long the test.
#[derive(Clone, Copy, Debug)]
struct Fit {
    r: [[f64; TAPS + 1]; TAPS],
}

impl Fit {
    fn new(theta: [f64; TAPS], variance: [f64; TAPS]) -> Self {
        let mut r = [[0.0; TAPS + 1]; TAPS];
        for k in 0..TAPS {
            let weight = 1.0 / variance[k].sqrt();
            r[k][k] = weight;
            r[k][TAPS] = weight * theta[k];
        }
        Self { r }
    }

    #[inline]
    fn update(&mut self, regressor: [f64; TAPS], response: f64, memory: f64) {
        let mut row = [0.0; TAPS + 1];
        row[..TAPS].copy_from_slice(&regressor);
        row[TAPS] = response;
        for k in 0..TAPS {
            for x in &mut self.r[k][k..] {
                *x *= memory;
            }
            let length = self.r[k][k].hypot(row[k]);
            if length > 0.0 {
                let (c, s) = (self.r[k][k] / length, row[k] / length);
                for j in k..=TAPS {
                    let (a, b) = (self.r[k][j], row[j]);
                    self.r[k][j] = c * a + s * b;
                    row[j] = c * b - s * a;
                }
            }
        }
    }

    #[inline]
    fn solve(&self) -> [f64; TAPS] {
        let mut theta = [0.0; TAPS];
        for k in (0..TAPS).rev() {
            let mut rest = self.r[k][TAPS];
            for j in k + 1..TAPS {
                rest -= self.r[k][j] * theta[j];
            }
            theta[k] = rest / self.r[k][k];
        }
        theta
    }
}

impl tandem_quantity::Snapshot for Fit {
    fn save(&self, into: &mut Vec<f64>) {
        self.r.save(into);
    }
    fn restore(
        &mut self,
        from: &mut tandem_quantity::StateReader<'_>,
    ) -> Result<(), tandem_quantity::SnapshotError> {
        self.r.restore(from)
    }
}

/// u = θ' (x_k, x_k−1, x_k−2, x_k−3), with θ fitted on the low-passed measurement and the
/// low-passed command. Its velocity and acceleration are the same sums of those of x: they lead as
/// u does.
///
/// Ports: wanted and measured displacement (m) → command (m).
#[derive(Clone, Debug)]
pub struct RecursiveLeastSquares {
    bounds: Vec<(f64, f64)>,
    /// Longest delay, ticks.
    longest: f64,
    /// Largest change of a weight a tick.
    step: f64,
    memory: f64,
    threshold: f64,
    smoothing: f64,
    ahead: usize,
    filter: LowPass,
    /// The last wanted displacements, velocities and accelerations.
    target: [History; 3],
    measured: History,
    sent: Vec<f64>,
    /// Smoothed square of the measured displacement.
    power: Vec<f64>,
    fits: Vec<Fit>,
    coefficients: Vec<[f64; TAPS]>,
    scratch: Vec<f64>,
}

snapshot!(RecursiveLeastSquares {
    filter,
    target,
    measured,
    sent,
    power,
    fits,
    coefficients
});

impl RecursiveLeastSquares {
    #[inline]
    fn adapt(&mut self, i: usize) {
        let regressor: [f64; TAPS] = std::array::from_fn(|k| self.measured.back(k)[i]);
        self.power[i] += self.smoothing * (regressor[0] * regressor[0] - self.power[i]);
        if self.power[i] < self.threshold * self.threshold || !regressor[0].is_finite() {
            return;
        }
        self.fits[i].update(regressor, self.sent[i], self.memory);
        let theta = self.fits[i].solve();
        let sum: f64 = theta.iter().sum();
        let (low, high) = self.bounds[i];
        // Σ θⱼ x(t − j) leads by −Σ j θⱼ/Σ θⱼ ticks.
        let lead = -(theta[1] + 2.0 * theta[2] + 3.0 * theta[3]) / sum;
        if sum >= low && sum <= high && lead >= 0.0 && lead <= self.longest {
            for (now, goal) in self.coefficients[i].iter_mut().zip(theta) {
                *now += (goal - *now).clamp(-self.step, self.step);
            }
        }
    }
}

impl Compensator for RecursiveLeastSquares {
    #[inline]
    fn propose(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion) {
        let n = wanted.len();
        for i in 0..n {
            self.scratch[i] = self.filter.step(i, measured.displacement[i]);
        }
        self.measured.push(&self.scratch);
        if self.ahead == 1 {
            (0..n).for_each(|i| self.adapt(i));
        }
        let parts = [
            (&wanted.displacement, &mut command.displacement),
            (&wanted.velocity, &mut command.velocity),
            (&wanted.acceleration, &mut command.acceleration),
        ];
        for (history, (wanted, command)) in self.target.iter_mut().zip(parts) {
            history.push(wanted);
            for (i, theta) in self.coefficients.iter().enumerate() {
                command[i] = (0..TAPS).map(|k| theta[k] * history.back(k)[i]).sum();
            }
        }
    }

    #[inline]
    fn sent(&mut self, command: &Motion) {
        let n = command.len();
        for i in 0..n {
            self.sent[i] = self.filter.step(n + i, command.displacement[i]);
        }
        if self.ahead == 0 {
            (0..n).for_each(|i| self.adapt(i));
        }
    }

    fn coefficients(&self, actuator: usize) -> &[f64] {
        self.coefficients.get(actuator).map_or(&[], |c| c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is sent as velocity and acceleration belongs to what is sent as displacement: their
    /// differences over two ticks are those of the sine that is wanted, with its lead. Without it
    /// the velocity would be off by 2 π 2 Hz 10 ms = 13 %.
    #[test]
    fn the_velocity_leads_as_the_displacement_does() {
        let period = 1.0 / 1024.0;
        let mut method = build(&Values::new(), &Context::of(1, period)).unwrap();
        let (mut wanted, rest) = (Motion::at_rest(1), Motion::at_rest(1));
        let omega = std::f64::consts::TAU * 2.0;
        let sent: Vec<Motion> = (0..600)
            .map(|k| {
                let (sin, cos) = (omega * f64::from(k) * period).sin_cos();
                wanted.displacement[0] = 1e-3 * sin;
                wanted.velocity[0] = 1e-3 * omega * cos;
                wanted.acceleration[0] = -1e-3 * omega * omega * sin;
                let mut command = Motion::at_rest(1);
                method.propose(&wanted, &rest, &mut command);
                method.sent(&command);
                command
            })
            .collect();
        // The central difference of a sine is its derivative times sin(ωT)/ωT.
        let share = (omega * period).sin() / (omega * period);
        for three in sent[TAPS..].windows(3) {
            let slope = |of: fn(&Motion) -> f64| (of(&three[2]) - of(&three[0])) / (2.0 * period);
            let velocity = share * three[1].velocity[0];
            let acceleration = share * three[1].acceleration[0];
            assert!((slope(|m| m.displacement[0]) - velocity).abs() < 1e-9 * omega);
            assert!((slope(|m| m.velocity[0]) - acceleration).abs() < 1e-9 * omega * omega);
        }
    }

    /// Without noise and with a weak start, least squares finds the weights that made the response,
    /// and keeps them.
    #[test]
    fn the_triangle_finds_the_weights_and_keeps_them() {
        let truth = [5.4, 1.9, -1.5, -4.9];
        let mut fit = Fit::new([1.0, 0.0, 0.0, 0.0], [1e12; TAPS]);
        let x = |k: i32| {
            let t = f64::from(k);
            (0.31 * t).sin() + 0.4 * (0.83 * t).cos() + 0.2 * (1.7 * t).sin()
        };
        for k in 3..200_000 {
            let r = [x(k), x(k - 1), x(k - 2), x(k - 3)];
            fit.update(r, r.iter().zip(truth).map(|(a, b)| a * b).sum(), 1.0);
            if k == 100 || k == 199_999 {
                for (a, b) in fit.solve().iter().zip(truth) {
                    assert!((a - b).abs() < 1e-9, "{k}: {a} {b}");
                }
            }
        }
    }
}
