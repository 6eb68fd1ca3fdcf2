//! The newest value of something that one thread writes and another reads, each at its own rate.
//!
//! Neither waits for the other: the writer always succeeds, the reader takes the newest whole
//! value, or keeps the one that it had where the writer is just at work. A sequence lock of atomic
//! words (Boehm 2012, "Can seqlocks get along with programming language memory models?"): odd while
//! a value is written.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, fence};

/// Looks at a value that is just being written, at most: a writer takes less than a microsecond.
const LOOKS: u32 = 64;

struct Shared {
    version: AtomicU64,
    words: Box<[AtomicU64]>,
}

/// The writing end.
pub struct Writer {
    shared: Arc<Shared>,
}

/// The reading end.
pub struct Reader {
    shared: Arc<Shared>,
    seen: u64,
    value: Box<[f64]>,
    scratch: Box<[f64]>,
}

/// Both ends for values of so many numbers, all zero until the first is written.
pub fn latest(length: usize) -> (Writer, Reader) {
    let shared = Arc::new(Shared {
        version: AtomicU64::new(0),
        words: (0..length).map(|_| AtomicU64::new(0)).collect(),
    });
    let writer = Writer {
        shared: Arc::clone(&shared),
    };
    let reader = Reader {
        shared,
        seen: 0,
        value: vec![0.0; length].into(),
        scratch: vec![0.0; length].into(),
    };
    (writer, reader)
}

impl Writer {
    /// Makes these numbers, one after the other, the newest value. Wait-free; does not allocate.
    #[inline]
    pub fn write<'a>(&mut self, parts: impl IntoIterator<Item = &'a [f64]>) {
        let Shared { version, words } = self.shared.as_ref();
        let now = version.load(Ordering::Relaxed);
        version.store(now.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        for (word, x) in words.iter().zip(parts.into_iter().flatten()) {
            word.store(x.to_bits(), Ordering::Relaxed);
        }
        version.store(now.wrapping_add(2), Ordering::Release);
    }
}

impl Reader {
    /// The newest value, and how many were written before it.
    #[inline]
    pub fn read(&mut self) -> (&[f64], u64) {
        let Shared { version, words } = self.shared.as_ref();
        for _ in 0..LOOKS {
            let before = version.load(Ordering::Acquire);
            if before == self.seen {
                break;
            }
            if before % 2 == 0 {
                // What is torn must not be seen: it stays in the scratch.
                for (x, word) in self.scratch.iter_mut().zip(words) {
                    *x = f64::from_bits(word.load(Ordering::Relaxed));
                }
                fence(Ordering::Acquire);
                if version.load(Ordering::Relaxed) == before {
                    self.seen = before;
                    std::mem::swap(&mut self.value, &mut self.scratch);
                    break;
                }
            }
            std::hint::spin_loop();
        }
        (&self.value, self.seen / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value is whole: a writer that never rests and a reader that never sees two of its values
    /// mixed.
    #[test]
    fn values_are_never_mixed() {
        let (mut writer, mut reader) = latest(8);
        let writing = std::thread::spawn(move || {
            for i in 1..=200_000_u32 {
                let value = [f64::from(i); 8];
                writer.write([&value[..3], &value[3..]]);
            }
        });
        let mut last = 0;
        while last < 200_000 {
            let over = writing.is_finished();
            let (value, count) = reader.read();
            let expected = count as f64;
            assert!(
                value.iter().all(|x| (x - expected).abs() < 0.5),
                "{count}: {value:?}"
            );
            assert!(count >= last);
            last = count;
            assert!(!over || last == 200_000 || reader.read().1 == 200_000);
        }
        assert!(writing.join().is_ok());
    }
}
