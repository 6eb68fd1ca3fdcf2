//! The recent past of a signal, for delays and extrapolation.

use tandem_quantity::{copy_few, index, snapshot};

/// The last samples of `points` signals, newest first, in a ring that never grows.
#[derive(Clone, Debug)]
pub struct History {
    points: usize,
    depth: usize,
    ring: Vec<f64>,
    newest: usize,
}

snapshot!(History { ring, newest });

impl History {
    /// Keeps `depth` samples (at least one) of `points` signals, all zero at first.
    pub fn new(points: usize, depth: usize) -> Self {
        let depth = depth.max(1);
        Self {
            points,
            depth,
            ring: vec![0.0; points * depth],
            newest: 0,
        }
    }

    /// Of how many signals.
    pub fn points(&self) -> usize {
        self.points
    }

    /// How many samples are kept.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Adds the newest sample; the oldest is forgotten.
    #[inline]
    pub fn push(&mut self, sample: &[f64]) {
        self.newest = if self.newest == 0 {
            self.depth - 1
        } else {
            self.newest - 1
        };
        let start = self.newest * self.points;
        copy_few(
            &mut self.ring[start..start + self.points],
            &sample[..self.points],
        );
    }

    /// Replaces the newest sample; nothing is forgotten.
    #[inline]
    pub fn replace(&mut self, sample: &[f64]) {
        let start = self.newest * self.points;
        copy_few(
            &mut self.ring[start..start + self.points],
            &sample[..self.points],
        );
    }

    /// The sample `age` ticks ago (0 is the newest); ages beyond the depth give the oldest kept.
    #[inline]
    pub fn back(&self, age: usize) -> &[f64] {
        let mut row = self.newest + age.min(self.depth - 1);
        if row >= self.depth {
            row -= self.depth;
        }
        &self.ring[row * self.points..(row + 1) * self.points]
    }

    /// All samples, newest first, in two pieces; a sample is [`History::points`] values long.
    #[inline(always)]
    pub fn all(&self) -> [&[f64]; 2] {
        let (older, recent) = self.ring.split_at(self.newest * self.points);
        [recent, older]
    }

    /// Signal `point`, `age` ticks ago, linear between the samples.
    #[inline]
    pub fn at(&self, point: usize, age: f64) -> f64 {
        let age = age.max(0.0);
        // Truncation is the purpose: the whole part is an index, bounded by `back`.
        let whole = index(age);
        let part = age - whole as f64;
        let newer = self.back(whole)[point];
        if part > 0.0 {
            newer + part * (self.back(whole + 1)[point] - newer)
        } else {
            newer
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_past_comes_back_in_order() {
        let mut history = History::new(2, 4);
        for k in 0..9 {
            let x = f64::from(k);
            history.push(&[x, 10.0 * x]);
        }
        assert_eq!(history.back(0), &[8.0, 80.0]);
        assert_eq!(history.back(3), &[5.0, 50.0]);
        assert_eq!(history.back(99), &[5.0, 50.0]);
        assert!((history.at(1, 1.25) - 67.5).abs() < 1e-12);
    }
}
