//! States as flat words: what replay, checkpoints, roll-back and FMU export are made of.

/// Something whose state can be written to and read back from a list of numbers, bit for bit.
///
/// Only the state is saved: configuration comes from the plan, so `restore` needs an object that
/// was built from the same plan.
pub trait Snapshot {
    /// Appends the state to `into`.
    fn save(&self, into: &mut Vec<f64>);
    /// Takes the state back from `from`, in the order of [`Snapshot::save`].
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError>;
}

/// A saved state does not belong to this object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the saved state ends too early: it was made from another plan")]
pub struct SnapshotError;

/// A reader of saved words.
#[derive(Clone, Debug)]
pub struct StateReader<'a> {
    rest: &'a [f64],
}

impl<'a> StateReader<'a> {
    /// Reads from the beginning of `words`.
    pub fn new(words: &'a [f64]) -> Self {
        Self { rest: words }
    }

    /// The next word.
    pub fn take(&mut self) -> Result<f64, SnapshotError> {
        let (first, rest) = self.rest.split_first().ok_or(SnapshotError)?;
        self.rest = rest;
        Ok(*first)
    }

    /// How many words are left.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }
}

impl Snapshot for f64 {
    fn save(&self, into: &mut Vec<f64>) {
        into.push(*self);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        *self = from.take()?;
        Ok(())
    }
}

impl Snapshot for bool {
    fn save(&self, into: &mut Vec<f64>) {
        into.push(f64::from(u8::from(*self)));
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        *self = from.take()? > 0.5;
        Ok(())
    }
}

/// A counter or a random generator's word: its bits travel unchanged.
impl Snapshot for u64 {
    fn save(&self, into: &mut Vec<f64>) {
        into.push(f64::from_bits(*self));
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        *self = from.take()?.to_bits();
        Ok(())
    }
}

impl Snapshot for usize {
    fn save(&self, into: &mut Vec<f64>) {
        (*self as u64).save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        let mut word = 0_u64;
        word.restore(from)?;
        *self = usize::try_from(word).map_err(|_| SnapshotError)?;
        Ok(())
    }
}

impl<T: Snapshot> Snapshot for [T] {
    fn save(&self, into: &mut Vec<f64>) {
        for item in self {
            item.save(into);
        }
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.iter_mut().try_for_each(|item| item.restore(from))
    }
}

impl<T: Snapshot> Snapshot for Vec<T> {
    fn save(&self, into: &mut Vec<f64>) {
        self.as_slice().save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.as_mut_slice().restore(from)
    }
}

impl<T: Snapshot, const N: usize> Snapshot for [T; N] {
    fn save(&self, into: &mut Vec<f64>) {
        self.as_slice().save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.as_mut_slice().restore(from)
    }
}

impl<T: Snapshot + ?Sized> Snapshot for Box<T> {
    fn save(&self, into: &mut Vec<f64>) {
        (**self).save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        (**self).restore(from)
    }
}

/// Whether there is something belongs to the configuration.
impl<T: Snapshot> Snapshot for Option<T> {
    fn save(&self, into: &mut Vec<f64>) {
        self.iter().for_each(|item| item.save(into));
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.iter_mut().try_for_each(|item| item.restore(from))
    }
}

/// Implements [`Snapshot`] for a type by listing the fields that are its state:
/// `snapshot!(Delay { line, next });`. Every other field is configuration.
#[macro_export]
macro_rules! snapshot {
    ($type:ty { $($field:ident),* $(,)? }) => {
        impl $crate::Snapshot for $type {
            #[allow(unused_variables)]
            fn save(&self, into: &mut Vec<f64>) {
                $( $crate::Snapshot::save(&self.$field, into); )*
            }
            #[allow(unused_variables)]
            fn restore(
                &mut self,
                from: &mut $crate::StateReader<'_>,
            ) -> Result<(), $crate::SnapshotError> {
                $( $crate::Snapshot::restore(&mut self.$field, from)?; )*
                Ok(())
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    struct State {
        position: [f64; 2],
        count: usize,
        seed: u64,
        on: bool,
    }
    snapshot!(State {
        position,
        count,
        seed,
        on
    });

    #[test]
    fn what_was_saved_comes_back_bit_for_bit() {
        let state = State {
            position: [f64::NAN, -0.0],
            count: 7,
            seed: u64::MAX - 3,
            on: true,
        };
        let mut words = Vec::new();
        state.save(&mut words);
        let mut other = State {
            position: [0.0; 2],
            count: 0,
            seed: 0,
            on: false,
        };
        other.restore(&mut StateReader::new(&words)).unwrap();
        assert_eq!(
            other.position.map(f64::to_bits),
            state.position.map(f64::to_bits)
        );
        assert_eq!((other.count, other.seed, other.on), (7, u64::MAX - 3, true));
        assert_eq!(
            other.restore(&mut StateReader::new(&words[..3])),
            Err(SnapshotError)
        );
    }
}
