//! Fewer points, same peaks: rows become bins of their least, largest and last value, on several
//! levels of coarseness.
//!
//! A page shows a few hundred columns of pixels, whatever the length of the test. A bin keeps what
//! a column can show. Level 0 has about 200 bins a second; each level above joins [`FACTOR`] bins
//! of the one below. Every level keeps a bounded number of bins, so an hour of test costs no more
//! memory than ten minutes.

use tandem_quantity::index;
/// Bins of one level in a bin of the next.
pub const FACTOR: usize = 4;
/// Levels.
pub const LEVELS: usize = 5;
/// Bins of level 0 in a second of wall time, about.
const BINS_PER_SECOND: f64 = 200.0;
const MOST_BINS: usize = 8192;
const LEAST_BINS: usize = 1024;
/// Memory of all levels together, bytes, about.
const BUDGET: usize = 96 << 20;

/// Least, largest and last value of a channel in a bin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Least.
    pub min: f32,
    /// Largest.
    pub max: f32,
    /// Last.
    pub last: f32,
}

const EMPTY: Bin = Bin {
    min: f32::INFINITY,
    max: f32::NEG_INFINITY,
    last: f32::NAN,
};

impl Bin {
    fn join(&mut self, other: Self) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.last = other.last;
    }
}

/// One level: a ring of bins.
struct Level {
    /// Structural time at the end of each bin.
    time: Vec<f64>,
    bins: Vec<Bin>,
    /// Bins ever published.
    count: u64,
    /// The bin in the making, and how many parts it has.
    open: Vec<Bin>,
    open_time: f64,
    parts: usize,
}

/// The levels of all channels.
pub struct History {
    channels: usize,
    capacity: usize,
    rows_per_bin: usize,
    levels: Vec<Level>,
    /// What came since the last look: for the bars, which shall miss no peak.
    now: Vec<Bin>,
    now_time: f64,
    fresh: bool,
    last_time: f64,
    /// How often the time went back to the start.
    resets: u64,
}

impl History {
    /// For rows of `channels` values, `rate_hz` rows a second of wall time.
    pub fn new(channels: usize, rate_hz: f64) -> Self {
        let room = BUDGET / (LEVELS * channels.max(1) * size_of::<Bin>());
        let capacity = room.clamp(LEAST_BINS, MOST_BINS);
        let rows_per_bin = index((rate_hz / BINS_PER_SECOND).ceil().clamp(1.0, 1e6));
        let level = || Level {
            time: vec![0.0; capacity],
            bins: vec![EMPTY; capacity * channels],
            count: 0,
            open: vec![EMPTY; channels],
            open_time: 0.0,
            parts: 0,
        };
        Self {
            channels,
            capacity,
            rows_per_bin,
            levels: (0..LEVELS).map(|_| level()).collect(),
            now: vec![EMPTY; channels],
            now_time: 0.0,
            fresh: false,
            last_time: f64::NEG_INFINITY,
            resets: 0,
        }
    }

    /// Takes a row. A time that goes back begins a new test; a time that stands still (a hold)
    /// shows in `now` only.
    #[allow(clippy::cast_possible_truncation)] // single precision is finer than a pixel
    pub fn push(&mut self, time: f64, row: impl IntoIterator<Item = f64>) {
        if self.goes_back(time) {
            self.clear();
        }
        let moving = time > self.last_time;
        self.last_time = time;
        self.now_time = time;
        if !self.fresh {
            self.now.fill(EMPTY);
            self.fresh = true;
        }
        let Some(level) = self.levels.first_mut() else {
            return;
        };
        for ((open, now), value) in level.open.iter_mut().zip(&mut self.now).zip(row) {
            let value = value as f32;
            let bin = Bin {
                min: value,
                max: value,
                last: value,
            };
            now.join(bin);
            open.join(bin);
        }
        if moving {
            level.open_time = time;
            level.parts += 1;
            if level.parts >= self.rows_per_bin {
                self.publish(0);
            }
        }
    }

    /// Whether a row of this time would begin a new test.
    pub fn goes_back(&self, time: f64) -> bool {
        time < self.last_time
    }

    fn publish(&mut self, index: usize) {
        let (channels, capacity) = (self.channels, self.capacity);
        let (below, above) = self.levels.split_at_mut(index + 1);
        let Some(level) = below.last_mut() else {
            return;
        };
        let slot = slot(level.count, capacity);
        level.time[slot] = level.open_time;
        level.bins[slot * channels..(slot + 1) * channels].copy_from_slice(&level.open);
        level.count += 1;
        level.parts = 0;
        let mut full = false;
        if let Some(next) = above.first_mut() {
            for (into, from) in next.open.iter_mut().zip(&level.open) {
                into.join(*from);
            }
            next.open_time = level.open_time;
            next.parts += 1;
            full = next.parts >= FACTOR;
        }
        level.open.fill(EMPTY);
        if full {
            self.publish(index + 1);
        }
    }

    /// Forgets everything: a new test begins.
    pub fn clear(&mut self) {
        for level in &mut self.levels {
            level.count = 0;
            level.parts = 0;
            level.open.fill(EMPTY);
        }
        self.last_time = f64::NEG_INFINITY;
        self.resets += 1;
    }

    /// How often everything was forgotten.
    pub fn resets(&self) -> u64 {
        self.resets
    }

    /// Bins ever published on a level.
    pub fn count(&self, level: usize) -> u64 {
        self.levels.get(level).map_or(0, |level| level.count)
    }

    /// The bins `from ..` of a level that are still there, oldest first: number, time and one bin
    /// for each channel.
    pub fn bins(&self, level: usize, from: u64) -> impl Iterator<Item = (f64, &[Bin])> {
        let held = self.levels.get(level);
        let count = held.map_or(0, |level| level.count);
        let oldest = count.saturating_sub(self.capacity as u64);
        (from.max(oldest)..count).filter_map(move |number| {
            let level = held?;
            let slot = slot(number, self.capacity);
            let bins = level
                .bins
                .get(slot * self.channels..(slot + 1) * self.channels)?;
            Some((*level.time.get(slot)?, bins))
        })
    }

    /// Time and values of everything since the last call; none when nothing came.
    pub fn take_now(&mut self) -> Option<(f64, &[Bin])> {
        if !self.fresh {
            return None;
        }
        self.fresh = false;
        Some((self.now_time, &self.now))
    }
}

/// Place in the ring.
fn slot(number: u64, capacity: usize) -> usize {
    usize::try_from(number % capacity as u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::float_cmp)]
    use super::*;

    /// A single spike of one row is in every level, and nothing else is.
    #[test]
    fn no_peak_is_lost_on_any_level() {
        let mut history = History::new(2, 1000.0);
        for k in 0..100_000_u32 {
            let spike = if k == 54_321 { 7.5 } else { 0.0 };
            let slow = f64::from(k) / 1000.0;
            history.push(slow, [spike, slow]);
        }
        for level in 0..LEVELS {
            let bins: Vec<_> = history.bins(level, 0).collect();
            assert!(bins.len() <= MOST_BINS);
            assert!(bins.windows(2).all(|w| w[0].0 < w[1].0));
            let largest = bins.iter().map(|(_, b)| b[0].max).fold(0.0, f32::max);
            let covered = bins[0].0 < 54.0;
            assert_eq!(largest, if covered { 7.5 } else { 0.0 }, "level {level}");
            // Time is its own last value.
            let (time, last) = bins.last().unwrap();
            assert!((f64::from(last[1].last) - time).abs() < 1e-4);
        }
        // 100 s in bins of 5 rows: level 4 joins 256 of them.
        assert_eq!(history.count(0), 20_000);
        assert_eq!(history.count(4), 20_000 / 256);
    }

    #[test]
    fn an_hour_fits_the_coarsest_level_and_memory_is_bounded() {
        let mut history = History::new(1, 1000.0);
        for k in 0..3_600_000_u32 {
            history.push(f64::from(k) / 1000.0, [0.0]);
        }
        let first = history.bins(LEVELS - 1, 0).next().unwrap().0;
        assert!(first < 2.0, "the hour is there from {first} s on");
        let many = History::new(3000, 1000.0);
        assert_eq!(many.capacity, LEAST_BINS);
    }

    #[test]
    fn a_hold_moves_the_bars_and_not_the_curves() {
        let mut history = History::new(1, 200.0);
        history.push(0.0, [1.0]);
        let before = history.count(0);
        history.push(0.0, [3.0]);
        history.push(0.0, [2.0]);
        assert_eq!(history.count(0), before);
        let (_, now) = history.take_now().unwrap();
        assert_eq!((now[0].min, now[0].max, now[0].last), (1.0, 3.0, 2.0));
        assert!(history.take_now().is_none());
    }

    #[test]
    fn a_time_that_goes_back_is_a_new_test() {
        let mut history = History::new(1, 200.0);
        for k in 0..100 {
            history.push(f64::from(k), [1.0]);
        }
        history.push(0.0, [1.0]);
        assert_eq!((history.resets(), history.count(0)), (1, 1));
    }
}
