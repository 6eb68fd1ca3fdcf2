//! A live look at a running test: rows and notices go through bounded rings to one watcher.
//!
//! The loop only writes, and never waits: a row that finds no room is dropped and counted. The
//! watcher (the operator's screen, a link) drains the rings in a thread of its own. What must not
//! be lost is in the record, not here.

use crate::notice::Notice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tandem_safety::machine::MachineState;

/// Words in front of the values of a row.
const HEAD: usize = 5;

/// The loop's end.
pub struct LiveFeed {
    rows: rtrb::Producer<f64>,
    notices: rtrb::Producer<Notice>,
    dropped: Arc<AtomicU64>,
    width: usize,
}

/// The watcher's end.
pub struct Watch {
    rows: rtrb::Consumer<f64>,
    notices: rtrb::Consumer<Notice>,
    dropped: Arc<AtomicU64>,
    width: usize,
}

/// One tick as the watcher sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Tick of the executor, counted also while the test is held.
    pub cycle: u64,
    /// Tick of the test.
    pub tick: u64,
    /// Structural time, s.
    pub time_s: f64,
    /// Wall time since the start, s.
    pub wall_s: f64,
    /// MachineState of the machine.
    pub state: MachineState,
    /// The channels of the record, in the order of `HybridLoop::channels`; while the test does not
    /// run, the measured ones go on and the others stay.
    pub values: Vec<f64>,
}

/// A tap for rows of `channels` values, with room for `rows` of them (a few seconds' worth is
/// plenty).
pub fn tap(channels: usize, rows: usize) -> (LiveFeed, Watch) {
    let width = HEAD + channels;
    let (row_in, row_out) = rtrb::RingBuffer::new(width * rows.max(1));
    let (notice_in, notice_out) = rtrb::RingBuffer::new(256);
    let dropped = Arc::new(AtomicU64::new(0));
    let tap = LiveFeed {
        rows: row_in,
        notices: notice_in,
        dropped: Arc::clone(&dropped),
        width,
    };
    let watch = Watch {
        rows: row_out,
        notices: notice_out,
        dropped,
        width,
    };
    (tap, watch)
}

impl LiveFeed {
    /// Shows one tick. Wait-free; does not allocate.
    #[inline]
    pub fn show(
        &mut self,
        cycle: u64,
        tick: u64,
        times: [f64; 2],
        state: MachineState,
        row: &[f64],
    ) {
        let fits = row.len() + HEAD == self.width;
        let Some(mut chunk) = fits
            .then(|| self.rows.write_chunk(self.width).ok())
            .flatten()
        else {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let code = MachineState::ALL
            .iter()
            .position(|s| *s == state)
            .unwrap_or(0);
        let head = [
            f64::from_bits(cycle),
            f64::from_bits(tick),
            times[0],
            times[1],
            code as f64,
        ];
        let (first, second) = chunk.as_mut_slices();
        let places = first.iter_mut().chain(second);
        for (place, value) in places.zip(head.iter().chain(row)) {
            *place = *value;
        }
        chunk.commit_all();
    }

    /// Passes a notice on. Wait-free.
    #[inline]
    pub fn tell(&mut self, notice: Notice) {
        if self.notices.push(notice).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Watch {
    /// The next row, if there is one.
    pub fn next_row(&mut self) -> Option<Sample> {
        let chunk = self.rows.read_chunk(self.width).ok()?;
        let (first, second) = chunk.as_slices();
        let mut words = first.iter().chain(second).copied();
        let mut word = || words.next().unwrap_or(0.0);
        let (cycle, tick) = (word().to_bits(), word().to_bits());
        let (time_s, wall_s) = (word(), word());
        #[allow(clippy::cast_possible_truncation)] // below 16
        let code = word() as usize;
        let frame = Sample {
            cycle,
            tick,
            time_s,
            wall_s,
            state: MachineState::ALL
                .get(code)
                .copied()
                .unwrap_or(MachineState::Init),
            values: words.collect(),
        };
        chunk.commit_all();
        Some(frame)
    }

    /// The next notice, if there is one.
    pub fn next_notice(&mut self) -> Option<Notice> {
        self.notices.pop().ok()
    }

    /// Rows and notices that found no room.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Whether the loop is gone: what is still in the rings is the end.
    pub fn is_over(&self) -> bool {
        self.rows.is_abandoned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_pass_and_what_finds_no_room_is_counted() {
        let (mut tap, mut watch) = tap(2, 3);
        let state = MachineState::PreCor { held: true };
        for k in 0..5_u32 {
            let x = f64::from(k);
            tap.show(
                u64::from(k) + 7,
                u64::from(k),
                [x, 2.0 * x],
                state,
                &[x, -x],
            );
        }
        assert_eq!(watch.dropped(), 2);
        for k in 0..3_u32 {
            let x = f64::from(k);
            let frame = watch.next_row().unwrap();
            assert_eq!((frame.cycle, frame.tick), (u64::from(k) + 7, u64::from(k)));
            assert_eq!((frame.time_s, frame.wall_s), (x, 2.0 * x));
            assert_eq!((frame.state, frame.values), (state, vec![x, -x]));
        }
        assert_eq!(watch.next_row(), None);
        // Room again, also across the end of the ring.
        tap.show(9, 9, [1.0, 1.0], MachineState::PreRun, &[3.0, 4.0]);
        assert_eq!(watch.next_row().unwrap().values, [3.0, 4.0]);
        // A row of the wrong width is not taken.
        tap.show(9, 9, [1.0, 1.0], MachineState::PreRun, &[3.0]);
        assert_eq!((watch.next_row(), watch.dropped()), (None, 3));
        assert!(!watch.is_over());
        drop(tap);
        assert!(watch.is_over());
    }
}
