//! What is known of a transfer system before compensators are set: a lag fitted on its
//! uncompensated motion.

use super::motion::Wanted;
use super::systems::System;
use super::{build_compensator, build_rig, track};
use tandem::registry::standard;
use tandem_quantity::BuildError;
use tandem_signal::derivative::{gradient, second_gradient};

/// u = a₀ x + a₁ x' + a₂ x'' by least squares over a run without compensation and without noise;
/// the mean over the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Identified {
    /// One over the gain.
    pub a0: f64,
    /// s.
    pub a1: f64,
    /// s².
    pub a2: f64,
}

impl Identified {
    /// Amplitude of the motion over that of the command.
    #[must_use]
    pub fn gain(&self) -> f64 {
        1.0 / self.a0
    }

    /// Delay at low frequency, s; at least a tenth of a millisecond.
    #[must_use]
    pub fn delay(&self) -> f64 {
        (self.a1 / self.a0).max(1e-4)
    }

    /// Natural frequency (Hz) and damping ratio of the second-order lag with the same coefficients.
    /// Where the fit is no such lag, one with the same delay and a damping ratio of 0.7.
    #[must_use]
    pub fn second_order(&self) -> (f64, f64) {
        let square = self.a2 / self.a0;
        let delay = self.delay();
        let (w, zeta) = if square > 0.02 * delay * delay {
            (1.0 / square.sqrt(), 0.5 * delay / square.sqrt())
        } else {
            (1.4 / delay, 0.7)
        };
        ((w / (2.0 * std::f64::consts::PI)).min(60.0), zeta)
    }
}

pub(super) fn identify(system: &System, wanted: &Wanted) -> Result<Identified, BuildError> {
    let axes = system.axes;
    let mut sum = [0.0; 3];
    for i in 0..axes {
        // One axis at a time: what the others do to it is no lag of its own.
        let mut rig = build_rig(system, 0.0)?;
        let mut none = build_compensator(standard(), "[compensator]\nmethod = \"none\"", axes)?;
        let run = track(none.as_mut(), rig.as_mut(), wanted, Some(i))?;
        // A command of tick k shows at tick k + 1.
        let x = &run.measured[i][1..];
        let u = &run.command[i][..x.len()];
        let rows = [
            x.to_vec(),
            gradient(x, 1.0 / super::RATE),
            second_gradient(x, 1.0 / super::RATE),
        ];
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let gram = rows.each_ref().map(|a| rows.each_ref().map(|b| dot(a, b)));
        let right = rows.each_ref().map(|a| dot(a, u));
        let a = cramer(gram, right).ok_or_else(|| {
            BuildError::new("", "the transfer system does not move", "check its table")
        })?;
        for (sum, a) in sum.iter_mut().zip(a) {
            *sum += a / axes as f64;
        }
    }
    let [a0, a1, a2] = sum;
    Ok(Identified { a0, a1, a2 })
}

/// Three equations by determinants; the columns are scaled first.
fn cramer(m: [[f64; 3]; 3], b: [f64; 3]) -> Option<[f64; 3]> {
    let scale: [f64; 3] = std::array::from_fn(|k| 1.0 / m[k][k].sqrt());
    let a: [[f64; 3]; 3] =
        std::array::from_fn(|i| std::array::from_fn(|j| m[i][j] * scale[i] * scale[j]));
    let y: [f64; 3] = std::array::from_fn(|i| b[i] * scale[i]);
    let det = |a: &[[f64; 3]; 3]| {
        a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1])
            - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0])
            + a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0])
    };
    let whole = det(&a);
    if !whole.is_finite() || whole.abs() < 1e-12 {
        return None;
    }
    Some(std::array::from_fn(|k| {
        let mut other = a;
        for i in 0..3 {
            other[i][k] = y[i];
        }
        scale[k] * det(&other) / whole
    }))
}
