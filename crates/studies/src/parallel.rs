//! The same work for many numbers, on several cores, in any order, with the results in theirs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many threads: what was asked for, else what the machine has.
#[must_use]
pub fn cores(jobs: Option<usize>) -> usize {
    jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// `work` for each of `numbers`; `done` hears of every result as it comes, one at a time. Stops
/// early, with what there is, once `stop` is true. Results stand in the order of the numbers.
pub fn each<T: Send>(
    numbers: &[usize],
    jobs: usize,
    work: impl Fn(usize) -> T + Sync,
    done: impl FnMut(usize, &T) + Send,
    stop: &AtomicBool,
) -> Vec<(usize, T)> {
    // A run keeps some megabytes of signals. The GNU allocator gives what is freed back to the
    // system, page by page and every time, until it has seen a larger block go (mallopt(3),
    // M_MMAP_THRESHOLD); elsewhere this does nothing.
    drop(std::hint::black_box(Vec::<u8>::with_capacity(31 << 20)));
    let next = AtomicUsize::new(0);
    let results = Mutex::new((Vec::new(), done));
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, numbers.len().max(1)) {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let Some(number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) else {
                        break;
                    };
                    let found = work(*number);
                    // A worker that panicked has left a whole list behind.
                    let mut guard = match results.lock() {
                        Ok(guard) => guard,
                        Err(poisoned) => poisoned.into_inner(),
                    };
                    (guard.1)(*number, &found);
                    guard.0.push((*number, found));
                }
            });
        }
    });
    let mut list = match results.into_inner() {
        Ok((list, _)) => list,
        Err(poisoned) => poisoned.into_inner().0,
    };
    list.sort_by_key(|(number, _)| *number);
    list
}

/// A number that looks random, the same for the same three: splitmix64 (Steele et al. 2014).
#[must_use]
pub fn mix_seed(seed: u64, run: u64, stream: u64) -> u64 {
    let mut z = seed
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add(run.wrapping_mul(0xD1B5_4A32_D192_ED03))
        .wrapping_add(stream.wrapping_mul(0x8CB9_2BA7_2F3D_8DD7));
    for _ in 0..2 {
        z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_whatever_the_number_of_threads() {
        let numbers: Vec<usize> = (3..40).collect();
        let go = |jobs| {
            let mut heard = 0;
            let list = each(
                &numbers,
                jobs,
                |n| n * n,
                |_, _| heard += 1,
                &AtomicBool::new(false),
            );
            assert_eq!(heard, numbers.len());
            list
        };
        assert_eq!(go(1), go(5));
        assert_eq!(go(3)[1], (4, 16));
    }

    #[test]
    fn seeds_runs_and_streams_differ() {
        let mut all: Vec<u64> = (0..10)
            .flat_map(|s| (0..10).flat_map(move |r| (0..10).map(move |k| mix_seed(s, r, k))))
            .collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 1000);
    }
}
