//! How long something took, counted in buckets: no memory grows, no sample is forgotten.

/// Buckets of 1/16 of an octave from 16 ns on: 4.4 % wide, up to seventeen seconds.
const PER_OCTAVE: usize = 16;
const OCTAVES: usize = 30;

/// A histogram of times in nanoseconds.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
    max: i64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counts: vec![0; PER_OCTAVE * OCTAVES],
            total: 0,
            max: 0,
        }
    }
}

impl Histogram {
    /// Counts a time. Does not allocate.
    #[inline]
    pub fn add(&mut self, nanoseconds: i64) {
        let at = bucket(nanoseconds).min(self.counts.len() - 1);
        self.counts[at] += 1;
        self.total += 1;
        self.max = self.max.max(nanoseconds);
    }

    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The time that this share of all stayed below or at, µs: the upper end of its bucket.
    pub fn percentile(&self, share: f64) -> f64 {
        #[allow(clippy::cast_possible_truncation)]
        let rank = (share * self.total as f64).ceil() as u64;
        let mut sum = 0;
        for (i, count) in self.counts.iter().enumerate() {
            sum += count;
            if sum >= rank && sum > 0 {
                let max = self.max as f64;
                return upper_end(i).min(max) * 1e-3;
            }
        }
        0.0
    }

    /// The largest, µs.
    pub fn max_us(&self) -> f64 {
        let max = self.max as f64;
        max * 1e-3
    }

    /// Octaves with their counts, from the shortest to the longest that occurred: upper end in µs
    /// and count.
    pub fn octaves(&self) -> Vec<(f64, u64)> {
        let sums = self.counts.chunks(PER_OCTAVE).map(|c| c.iter().sum());
        let mut list: Vec<(f64, u64)> = sums
            .enumerate()
            .map(|(k, n)| (upper_end((k + 1) * PER_OCTAVE - 1) * 1e-3, n))
            .collect();
        while list.last().is_some_and(|(_, n)| *n == 0) {
            list.pop();
        }
        let first = list.iter().position(|(_, n)| *n > 0).unwrap_or(0);
        list.split_off(first)
    }
}

#[allow(clippy::cast_possible_truncation)]
#[inline]
fn bucket(nanoseconds: i64) -> usize {
    let x = (nanoseconds.max(1) as f64 / 16.0).max(1.0);
    (x.log2() * PER_OCTAVE as f64) as usize
}

fn upper_end(bucket: usize) -> f64 {
    16.0 * ((bucket + 1) as f64 / PER_OCTAVE as f64).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_right_within_a_bucket() {
        let mut histogram = Histogram::default();
        for k in 1..=10_000 {
            histogram.add(k * 100); // 0.1 … 1000 µs
        }
        for (share, exact) in [(0.5, 500.0), (0.99, 990.0), (0.9999, 999.9)] {
            let found = histogram.percentile(share);
            assert!(found >= exact && found <= exact * 1.045, "{share}: {found}");
        }
        assert!((histogram.max_us() - 1000.0).abs() < 1e-9);
        assert_eq!(histogram.count(), 10_000);
        let octaves = histogram.octaves();
        assert_eq!(octaves.iter().map(|(_, n)| n).sum::<u64>(), 10_000);
        // Nothing and nonsense are counted too.
        histogram.add(-5);
        histogram.add(i64::MAX);
        assert_eq!(histogram.count(), 10_002);
    }
}
