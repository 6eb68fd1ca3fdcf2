//! What every part of the loop keeps to, as checks that anybody can run on a part of his own: a
//! tick takes no memory, a state that was saved goes on to the bit, finite values give finite ones,
//! and what is at rest stays there.
//!
//! Each room has a check for each of its slots, made of these.

use std::fmt;

use crate::{BuildError, Snapshot, SnapshotError, StateReader};

/// Ticks for which a part is watched.
pub const TICKS: u32 = 3000;
/// Ticks before which its state is saved; between two of them it goes on from there.
const SAVED_AT: [u32; 6] = [0, 1, 2, 77, 1500, 2999];
/// Ticks that a part has gone before it gets another's state.
const ASTRAY: u32 = 13;
/// Ticks for which a part is left at rest.
const AT_REST: u32 = 500;

/// What comes out of a tick; what is not used stays zero.
pub type Row = [f64; 64];

/// Runs something and tells how many times memory was asked for meanwhile. It goes with the
/// allocator of the test that calls, such as `assert_no_alloc`, which ends the test itself.
pub type Guard<'a> = &'a dyn Fn(&mut dyn FnMut()) -> usize;

/// What a part does not keep to.
#[derive(Clone, Debug, PartialEq)]
pub enum Violation {
    /// It cannot be made.
    NotBuilt(BuildError),
    /// Its ticks take memory.
    Allocates {
        /// How many times memory was asked for.
        times: usize,
    },
    /// A value that came of finite ones is not finite.
    NotFinite {
        /// In which tick.
        tick: u32,
    },
    /// A state that it has saved is not taken back.
    NotRestored {
        /// Before which tick it was saved.
        saved_at: u32,
        /// Why.
        error: SnapshotError,
    },
    /// A state is taken back with words left over.
    WordsLeftOver {
        /// How many.
        words: usize,
    },
    /// A state that is one word short is taken all the same.
    ShortStateTaken,
    /// From a state that was taken back it goes on differently.
    GoesOnDifferently {
        /// Before which tick the state was saved.
        saved_at: u32,
        /// The first tick with another value; that behind the last where only the state differs.
        tick: u32,
    },
    /// Nothing moves, and yet something comes out.
    LeavesRest {
        /// In which tick.
        tick: u32,
    },
    /// It promises one thing and does another.
    Breaks {
        /// What it promises.
        promise: &'static str,
        /// What it does.
        found: String,
    },
}

impl From<BuildError> for Violation {
    fn from(error: BuildError) -> Self {
        Self::NotBuilt(error)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBuilt(error) => write!(f, "it cannot be made: {error}"),
            Self::Allocates { times } => write!(f, "its ticks ask for memory, {times} times"),
            Self::NotFinite { tick } => write!(f, "a value of tick {tick} is not finite"),
            Self::NotRestored { saved_at, error } => write!(
                f,
                "its state before tick {saved_at} is not taken back: {error}"
            ),
            Self::WordsLeftOver { words } => {
                write!(f, "it leaves {words} words of its state behind")
            }
            Self::ShortStateTaken => write!(f, "it takes a state that is one word short"),
            Self::GoesOnDifferently { saved_at, tick } => write!(
                f,
                "from its state before tick {saved_at} it goes on differently in tick {tick}: \
                 something is not saved"
            ),
            Self::LeavesRest { tick } => {
                write!(
                    f,
                    "nothing moves, and yet something comes out in tick {tick}"
                )
            }
            Self::Breaks { promise, found } => write!(f, "it promises {promise}: {found}"),
        }
    }
}

impl std::error::Error for Violation {}

fn bits(values: &[f64]) -> impl Iterator<Item = u64> + '_ {
    values.iter().map(|x| x.to_bits())
}

fn saved<T: Snapshot + ?Sized>(part: &T) -> Vec<f64> {
    let mut words = Vec::new();
    part.save(&mut words);
    words
}

/// Watches a part for [`TICKS`] ticks; `go` is one of them, whose values it writes into the row.
///
/// # Errors
/// [`Violation`] with what does not hold.
pub fn check<T: Snapshot + ?Sized>(
    make: &mut dyn FnMut() -> Result<Box<T>, BuildError>,
    go: &mut dyn FnMut(&mut T, u32, &mut Row),
    guard: Guard<'_>,
) -> Result<(), Violation> {
    let mut rows = vec![[0.0; 64]; TICKS as usize];
    let mut run = |part: &mut T, from: u32, to: u32, rows: &mut [Row]| {
        let times = guard(&mut || {
            for tick in from..to {
                let mut row = [0.0; 64];
                go(part, tick, &mut row);
                rows[tick as usize] = row;
            }
        });
        if times == 0 {
            Ok(())
        } else {
            Err(Violation::Allocates { times })
        }
    };
    let mut straight = make()?;
    let mut states = Vec::new();
    let ends = SAVED_AT.into_iter().skip(1).chain([TICKS]);
    for (from, to) in SAVED_AT.into_iter().zip(ends) {
        states.push((from, to, saved(straight.as_ref())));
        run(&mut straight, from, to, &mut rows)?;
    }
    let broken = (0..TICKS).find(|k| rows[*k as usize].iter().any(|x| !x.is_finite()));
    if let Some(tick) = broken {
        return Err(Violation::NotFinite { tick });
    }
    let end = saved(straight.as_ref());
    let next = states.iter().skip(1).map(|(.., words)| words);
    let mut again = rows.clone();
    for ((from, to, words), expected) in states.iter().zip(next.chain([&end])) {
        let (saved_at, to) = (*from, *to);
        let mut other = make()?;
        run(&mut other, 0, ASTRAY, &mut again)?;
        let mut reader = StateReader::new(words);
        let restored = other.restore(&mut reader);
        restored.map_err(|error| Violation::NotRestored { saved_at, error })?;
        if reader.remaining() > 0 {
            let words = reader.remaining();
            return Err(Violation::WordsLeftOver { words });
        }
        run(&mut other, saved_at, to, &mut again)?;
        let differs = |k: &u32| {
            let k = *k as usize;
            !bits(&again[k]).eq(bits(&rows[k]))
        };
        if let Some(tick) = (saved_at..to).find(differs) {
            return Err(Violation::GoesOnDifferently { saved_at, tick });
        }
        if !bits(&saved(other.as_ref())).eq(bits(expected)) {
            return Err(Violation::GoesOnDifferently { saved_at, tick: to });
        }
    }
    match end.split_first() {
        Some((_, short)) if straight.restore(&mut StateReader::new(short)).is_ok() => {
            Err(Violation::ShortStateTaken)
        }
        _ => Ok(()),
    }
}

/// Leaves a part at rest; `go` is a tick in which nothing moves, whose values it writes into the
/// row.
///
/// # Errors
/// [`Violation::LeavesRest`] where one of them is not zero.
pub fn rests<T: ?Sized>(
    part: &mut T,
    go: &mut dyn FnMut(&mut T, u32, &mut Row),
) -> Result<(), Violation> {
    for tick in 0..AT_REST {
        let mut row = [0.0; 64];
        go(part, tick, &mut row);
        if row.iter().any(|x| *x != 0.0) {
            return Err(Violation::LeavesRest { tick });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A running sum, with a fault on purpose.
    #[derive(Default)]
    struct Sum {
        sum: f64,
        count: u64,
        fault: Fault,
    }

    #[derive(Clone, Copy, Default, PartialEq)]
    enum Fault {
        #[default]
        None,
        Allocates,
        Forgets,
        SavesTooMuch,
        TakesShort,
        NotFinite,
        Drifts,
    }

    thread_local! {
        static ASKED: Cell<usize> = const { Cell::new(0) };
    }

    impl Snapshot for Sum {
        fn save(&self, into: &mut Vec<f64>) {
            if self.fault != Fault::Forgets {
                self.sum.save(into);
            }
            if self.fault == Fault::SavesTooMuch {
                self.sum.save(into);
            }
            self.count.save(into);
        }

        fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
            if self.fault != Fault::Forgets {
                self.sum.restore(from)?;
            }
            let restored = self.count.restore(from);
            if self.fault == Fault::TakesShort {
                return Ok(());
            }
            restored
        }
    }

    impl Sum {
        fn add(&mut self, x: f64) -> f64 {
            if self.fault == Fault::Allocates && self.count == 2000 {
                // What an allocator that counts would do.
                ASKED.set(ASKED.get() + 1);
            }
            self.count += 1;
            self.sum += x;
            match self.fault {
                Fault::NotFinite if self.count == 1234 => f64::NAN,
                Fault::Drifts => self.sum + 1e-9,
                _ => self.sum,
            }
        }
    }

    fn found(fault: Fault) -> Result<(), Violation> {
        let mut make = || {
            Ok(Box::new(Sum {
                fault,
                ..Sum::default()
            }))
        };
        let guard = |run: &mut dyn FnMut()| {
            ASKED.set(0);
            run();
            ASKED.get()
        };
        check(
            &mut make,
            &mut |sum: &mut Sum, tick, row| row[0] = sum.add(f64::from(tick).sin()),
            &guard,
        )?;
        rests(&mut *make()?, &mut |sum, _, row| row[0] = sum.add(0.0))
    }

    #[test]
    fn a_part_that_is_in_order_passes_and_each_fault_is_found() {
        assert_eq!(found(Fault::None), Ok(()));
        let times = 1;
        assert_eq!(found(Fault::Allocates), Err(Violation::Allocates { times }));
        assert_eq!(
            found(Fault::Forgets),
            Err(Violation::GoesOnDifferently {
                saved_at: 0,
                tick: 0
            })
        );
        let words = 1;
        assert_eq!(
            found(Fault::SavesTooMuch),
            Err(Violation::WordsLeftOver { words })
        );
        assert_eq!(found(Fault::TakesShort), Err(Violation::ShortStateTaken));
        let tick = 1233;
        assert_eq!(found(Fault::NotFinite), Err(Violation::NotFinite { tick }));
        let tick = 0;
        assert_eq!(found(Fault::Drifts), Err(Violation::LeavesRest { tick }));
    }
}
