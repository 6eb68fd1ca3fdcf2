//! Noise of sensors at rest.

use tandem_signal::correlate;

/// Noise of one sensor over a stretch in which nothing moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// Mean: the offset of the sensor.
    pub mean: f64,
    /// Root mean square, with the mean.
    pub rms: f64,
    /// Standard deviation, without the mean.
    pub std: f64,
    /// Smallest step between neighbouring values that occurs: the resolution, where the noise shows
    /// it; none where nothing changes.
    pub resolution: Option<f64>,
}

/// The longest stretch of samples in which none of the commands changes, as first sample and one
/// behind the last.
#[must_use]
pub fn longest_rest(commands: &[&[f64]]) -> (usize, usize) {
    let length = commands.iter().map(|c| c.len()).min().unwrap_or(0);
    let (mut best, mut start) = ((0, 0), 0);
    for k in 1..=length {
        let moves = k == length
            || commands
                .iter()
                .any(|c| (c[k] - c[k - 1]).abs() > f64::EPSILON * c[k].abs());
        if moves {
            if k - start > best.1 - best.0 {
                best = (start, k);
            }
            start = k;
        }
    }
    best
}

/// Noise of a sensor over these samples; none for fewer than two.
#[must_use]
pub fn noise(samples: &[f64]) -> Option<Noise> {
    if samples.len() < 2 || samples.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let mut steps: Vec<f64> = samples
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).abs())
        .filter(|step| *step > 0.0)
        .collect();
    steps.sort_by(f64::total_cmp);
    Some(Noise {
        mean: correlate::mean(samples),
        rms: correlate::rms(samples),
        std: correlate::std(samples),
        resolution: steps.first().copied(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_scatter() {
        let found = noise(&[1.0, 3.0, 1.0, 3.0]).unwrap();
        assert!((found.mean - 2.0).abs() < 1e-15);
        // Four values: divided by three.
        assert!((found.std - (4.0_f64 / 3.0).sqrt()).abs() < 1e-15);
        assert!((found.rms - 5.0_f64.sqrt()).abs() < 1e-15);
        assert!((found.resolution.unwrap() - 2.0).abs() < 1e-15);
        assert!(noise(&[1.0]).is_none());
    }

    #[test]
    fn rest_is_where_no_command_changes() {
        let a = [0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 2.0];
        let b = [0.0, 0.0, 0.0, 0.0, 0.0, 5.0, 5.0];
        assert_eq!(longest_rest(&[&a]), (2, 6));
        assert_eq!(longest_rest(&[&a, &b]), (2, 5));
    }
}
