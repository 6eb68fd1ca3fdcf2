//! Figures of a step response.

use crate::real;

/// How a system answers a step of command, in the usual figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepFigures {
    /// Largest value above the final one, % of the step.
    pub overshoot_percent: f64,
    /// From 10 to 90 % of the final value, s.
    pub rise_s: f64,
    /// From the step on until it stays within the band around the final value, s.
    pub settling_s: f64,
    /// Final value over the step.
    pub gain: f64,
}

/// Figures of a response to a step at sample 0 from `before` to `before + size`, `band` (0.02 is
/// usual) of the final change as settled. None where it does not settle within the samples.
#[must_use]
pub fn figures(
    response: &[f64],
    before: f64,
    size: f64,
    dt: f64,
    band: f64,
) -> Option<StepFigures> {
    let few = (response.len() / 10).max(1);
    if response.len() < 10 || size.abs() <= 0.0 {
        return None;
    }
    let tail = &response[response.len() - few..];
    let end = tail.iter().sum::<f64>() / real(few) - before;
    if !(end.is_finite() && (end / size) > 0.05) {
        return None;
    }
    let part = |k: usize| (response[k] - before) / end;
    let last_outside = (0..response.len())
        .rev()
        .find(|&k| (part(k) - 1.0).abs() > band);
    let settled = last_outside.map_or(0, |k| k + 1);
    if settled + few > response.len() {
        return None;
    }
    // Between samples the response is taken as straight.
    let crossing = |level: f64| -> Option<f64> {
        let k = (0..response.len()).find(|&k| part(k) >= level)?;
        if k == 0 {
            return Some(0.0);
        }
        let (a, b) = (part(k - 1), part(k));
        Some((real(k) - (b - level) / (b - a)) * dt)
    };
    let peak = (0..response.len()).map(part).fold(f64::MIN, f64::max);
    Some(StepFigures {
        overshoot_percent: 100.0 * (peak - 1.0).max(0.0),
        rise_s: crossing(0.9)? - crossing(0.1)?,
        settling_s: real(settled) * dt,
        gain: end / size,
    })
}

/// The mean answer to the steps of a square wave: each step scaled to one and counted from its own
/// sample on. None where the command has no steps (a change of more than a third of its range
/// within one sample, then rest).
#[must_use]
pub fn average_of_steps(command: &[f64], measured: &[f64]) -> Option<Vec<f64>> {
    let length = command.len().min(measured.len());
    let (low, high) = command[..length]
        .iter()
        .fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(*x), h.max(*x)));
    let threshold = (high - low) / 3.0;
    if threshold <= 0.0 || !threshold.is_finite() {
        return None;
    }
    let edges: Vec<usize> = (1..length)
        .filter(|&k| (command[k] - command[k - 1]).abs() > threshold)
        .collect();
    // Each plateau must be long beside its edge; what follows the last edge ends with the data.
    let mut spans: Vec<usize> = edges.windows(2).map(|pair| pair[1] - pair[0]).collect();
    spans.push(length - edges.last()?);
    let span = spans.iter().copied().filter(|s| *s >= 20).min()?;
    let mut sum = vec![0.0; span];
    let mut count = 0_usize;
    for (k, (edge, available)) in edges.iter().zip(&spans).enumerate() {
        // Still on the way to the plateau before: where it would have come to rest is not known.
        if k > 0 && spans[k - 1] < span {
            continue;
        }
        let size = command[*edge] - command[edge - 1];
        let flat = (edge + 1..edge + span)
            .all(|k| (command[k] - command[*edge]).abs() < 0.05 * size.abs());
        if *available < span || !flat {
            continue;
        }
        let before = measured[*edge];
        for (k, sum) in sum.iter_mut().enumerate() {
            *sum += (measured[edge + k] - before) / size;
        }
        count += 1;
    }
    (count > 0).then(|| sum.iter().map(|s| s / real(count)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Second-order lag: overshoot exp(−πζ/√(1−ζ²)); first-order lag: rise T ln 9, settling (2 %) T
    /// ln 50.
    #[test]
    fn closed_forms() {
        let (w, zeta, dt) = (20.0_f64, 0.4_f64, 1e-4);
        let root = (1.0 - zeta * zeta).sqrt();
        let second: Vec<f64> = (0..20_000)
            .map(|k| {
                let t = f64::from(k) * dt;
                let wd = w * root * t;
                1.0 - (-zeta * w * t).exp() * (wd.cos() + zeta / root * wd.sin())
            })
            .collect();
        let found = figures(&second, 0.0, 1.0, dt, 0.02).unwrap();
        let overshoot = 100.0 * (-std::f64::consts::PI * zeta / root).exp();
        assert!((found.overshoot_percent - overshoot).abs() < 0.01);
        let lag = 0.05;
        let first: Vec<f64> = (0..20_000)
            .map(|k| 3.0 + 2.0 * (1.0 - (-f64::from(k) * dt / lag).exp()))
            .collect();
        let found = figures(&first, 3.0, 2.0, dt, 0.02).unwrap();
        assert!((found.rise_s - lag * 9.0_f64.ln()).abs() < 2e-4);
        assert!((found.settling_s - lag * 50.0_f64.ln()).abs() < 2e-4);
        assert!(found.overshoot_percent < 1e-9);
    }

    #[test]
    fn steps_of_a_square_wave_are_averaged() {
        let command: Vec<f64> = (0..400)
            .map(|k| if (k / 100) % 2 == 0 { -1.0 } else { 1.0 })
            .collect();
        let mut y = -1.0;
        let measured: Vec<f64> = command
            .iter()
            .map(|u| {
                let now = y;
                y += 0.2 * (u - y);
                now
            })
            .collect();
        let mean = average_of_steps(&command, &measured).unwrap();
        assert_eq!(mean.len(), 100);
        assert!((mean[10] - (1.0 - 0.8_f64.powi(10))).abs() < 1e-6);
        assert!(average_of_steps(&[0.0; 50], &[0.0; 50]).is_none());
    }
}
