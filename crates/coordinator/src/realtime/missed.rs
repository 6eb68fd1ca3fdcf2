//! Deadlines that were missed: how many within the last second, and those of other threads.

use crate::notice::ThreadRole;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Deadlines missed within the last second: the instants of the last few hundred.
pub(super) struct RecentOverruns {
    at: [i64; 512],
    next: usize,
}

impl Default for RecentOverruns {
    fn default() -> Self {
        Self {
            at: [i64::MIN; 512],
            next: 0,
        }
    }
}

impl RecentOverruns {
    #[inline]
    pub fn add(&mut self, now: i64) {
        self.at[self.next % self.at.len()] = now;
        self.next += 1;
    }

    #[inline]
    pub fn count(&self, now: i64) -> u64 {
        let since = now - 1_000_000_000;
        self.at.iter().filter(|at| **at > since).count() as u64
    }
}

/// Deadlines that a thread beside the coordinator's has missed, as both see it.
#[derive(Debug, Default)]
pub(crate) struct Overruns {
    count: AtomicU64,
    late: AtomicI64,
}

impl Overruns {
    /// One more, by `late` ns.
    #[inline]
    pub fn add(&self, late: i64) {
        self.late.store(late, Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there were.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
}

/// The coordinator's look at another thread's deadlines.
pub(crate) struct OverrunWatch {
    whose: ThreadRole,
    misses: Arc<Overruns>,
    seen: u64,
}

impl OverrunWatch {
    pub fn new(whose: ThreadRole, misses: &Arc<Overruns>) -> Self {
        Self {
            whose,
            misses: Arc::clone(misses),
            seen: 0,
        }
    }

    /// Since the last look: whose, how many more, how many in all, and by how much the last one, s.
    #[inline]
    pub fn look(&mut self) -> Option<(ThreadRole, u64, u64, f64)> {
        let count = self.misses.count();
        let more = count - std::mem::replace(&mut self.seen, count);
        let late = self.misses.late.load(Ordering::Relaxed) as f64 * 1e-9;
        (more > 0).then_some((self.whose, more, count, late))
    }
}
