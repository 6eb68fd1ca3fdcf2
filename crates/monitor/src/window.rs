//! Sums over the last moments of a test, at a constant cost per tick.

use crate::MonitorContext;
use tandem_quantity::{BuildError, index, snapshot};

/// Longest window, in ticks: half an hour at 2 kHz, and no plan asks for more memory than the
/// machine has.
const LONGEST: f64 = 4e6;

/// A length of structural time in whole ticks of the coordinator.
pub(crate) fn ticks(
    key: &str,
    seconds: f64,
    context: &MonitorContext<'_>,
) -> Result<usize, BuildError> {
    let count = (seconds / context.period).round();
    if !(0.0..=LONGEST).contains(&count) {
        return Err(BuildError::new(
            key,
            format!("{seconds} s are {count} ticks of the coordinator"),
            "take a shorter time",
        ));
    }
    Ok(index(count))
}

/// The number of ticks of the window at `key`, of some seconds, at least `least`.
pub(crate) fn window_ticks(
    key: &str,
    least: usize,
    seconds: f64,
    context: &MonitorContext<'_>,
) -> Result<usize, BuildError> {
    let count = ticks(key, seconds, context)?;
    if count < least {
        return Err(BuildError::new(
            key,
            format!("{seconds} s are only {count} ticks of the coordinator"),
            format!(
                "take at least {least} ticks, {} s",
                context.period * (least + 1) as f64
            ),
        ));
    }
    Ok(count)
}

/// Sums of `K` quantities over a sliding window.
///
/// The sums are carried on by adding the newest and taking off the oldest; at every turn of the
/// ring they are replaced by sums that were built afresh meanwhile, so that rounding (or a value
/// that was not a number) does not stay.
pub(crate) struct Window<const K: usize> {
    ring: Vec<[f64; K]>,
    at: usize,
    full: bool,
    sums: [f64; K],
    fresh: [f64; K],
}

snapshot!(Window<2> { ring, at, full, sums, fresh });
snapshot!(Window<3> { ring, at, full, sums, fresh });
snapshot!(Window<9> { ring, at, full, sums, fresh });

impl<const K: usize> Window<K> {
    pub fn new(length: usize) -> Self {
        Self {
            ring: vec![[0.0; K]; length.max(1)],
            at: 0,
            full: false,
            sums: [0.0; K],
            fresh: [0.0; K],
        }
    }

    #[inline]
    pub fn push(&mut self, newest: [f64; K]) {
        let oldest = std::mem::replace(&mut self.ring[self.at], newest);
        for k in 0..K {
            self.sums[k] += newest[k] - oldest[k];
            self.fresh[k] += newest[k];
        }
        self.at += 1;
        if self.at == self.ring.len() {
            self.at = 0;
            self.full = true;
            self.sums = std::mem::replace(&mut self.fresh, [0.0; K]);
        }
    }

    /// The sums; before the window is full, over what there is.
    #[inline]
    pub fn sums(&self) -> &[f64; K] {
        &self.sums
    }

    /// Number of samples in the window.
    #[inline]
    pub fn count(&self) -> f64 {
        let count = if self.full { self.ring.len() } else { self.at };
        count as f64
    }

    /// Whether the window has been filled.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.full
    }
}

/// The value of the largest magnitude: the worst of all actuators. Not a number where one is not.
#[inline]
pub(crate) fn worst(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0_f64, |worst, value| {
        if worst.is_nan() || value.abs() <= worst.abs() {
            worst
        } else {
            value
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_stay_those_of_the_window_after_a_large_value_and_after_a_nan() {
        let value = |i: usize| match i {
            50 => 1e12,
            70 => f64::NAN,
            _ => (i as f64 * 0.37).sin(),
        };
        let mut window = Window::<2>::new(16);
        for i in 0..200 {
            window.push([value(i), 1.0]);
        }
        let direct: f64 = (184..200).map(value).sum();
        assert!((window.sums()[0] - direct).abs() < 1e-13);
        assert!((window.sums()[1] - 16.0).abs() < 1e-13 && window.is_full());
    }

    #[test]
    fn the_worst_keeps_its_sign() {
        assert!((worst([1.0, -3.0, 2.0].into_iter()) + 3.0).abs() < 1e-15);
        assert!(worst([1.0, f64::NAN, 2.0].into_iter()).is_nan());
    }
}
