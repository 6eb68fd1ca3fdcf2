//! Files that were damaged on the way: the reader gives a record or names the fault, and never
//! panics.

use super::fixtures;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use tandem_signal::record::{AccelerationUnit, ReadHint, read, read_with_times};

const MUTATIONS: u64 = 1000;

struct Damage(ChaCha8Rng);

impl Damage {
    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap();
        usize::try_from(self.0.next_u64() % bound).unwrap()
    }

    fn byte(&mut self) -> u8 {
        // Bytes that mean something to a reader come up more often than the rest.
        const TELLING: &[u8] = b"0123456789+-.eEdD,;=()/#% \t\n\r\"naifNT\0\xff\xc3";
        if self.below(2) == 0 {
            TELLING[self.below(TELLING.len())]
        } else {
            self.0.next_u64().to_le_bytes()[0]
        }
    }

    /// One to four faults: flipped bits, changed, lost or added bytes, a cut, lines doubled, lost
    /// or swapped, a lying number.
    fn apply(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            match self.below(9) {
                0 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
                1 if !bytes.is_empty() => bytes[at] = self.byte(),
                2 if !bytes.is_empty() => drop(bytes.remove(at)),
                3 => bytes.insert(at, self.byte()),
                4 => bytes.truncate(at),
                5 => {
                    const WORDS: [&[u8]; 7] = [
                        b"99999999999999999999",
                        b" nan ",
                        b" inf ",
                        b"1e400",
                        b"-999",
                        b"\n\n",
                        b" -",
                    ];
                    let word = WORDS[self.below(WORDS.len())];
                    bytes.splice(at..at, word.iter().copied());
                }
                _ => self.lines(bytes),
            }
        }
    }

    fn lines(&mut self, bytes: &mut Vec<u8>) {
        let mut lines: Vec<Vec<u8>> = bytes
            .split_inclusive(|&byte| byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        if lines.is_empty() {
            return;
        }
        let (a, b) = (self.below(lines.len()), self.below(lines.len()));
        match self.below(3) {
            0 => lines.insert(b, lines[a].clone()),
            1 => drop(lines.remove(a)),
            _ => lines.swap(a, b),
        }
        *bytes = lines.concat();
    }
}

fn hints(given: ReadHint) -> [ReadHint; 3] {
    let full = ReadHint {
        dt: Some(0.01),
        unit: Some(AccelerationUnit::StandardGravity),
        channel: Some(1),
    };
    [given, ReadHint::default(), full]
}

#[test]
fn damaged_files_never_panic_and_errors_name_the_place() {
    for (number, fixture) in (0_u64..).zip(fixtures::all()) {
        let (mut read_well, mut refused) = (0, 0);
        for seed in 0..MUTATIONS {
            let mut damage = Damage(ChaCha8Rng::seed_from_u64(number * MUTATIONS + seed));
            let mut bytes = fixture.text.clone().into_bytes();
            damage.apply(&mut bytes);
            for (hint, name) in
                hints(fixture.hint)
                    .iter()
                    .zip([fixture.name, fixture.name, "motion.dat"])
            {
                match read(&bytes, name, hint) {
                    Ok(record) => {
                        read_well += 1;
                        assert!(
                            record.dt > 0.0 && record.acceleration.len() >= 2,
                            "{name}, seed {seed}"
                        );
                        assert!(
                            record.acceleration.iter().all(|value| value.is_finite()),
                            "{name}, seed {seed}"
                        );
                        // Every value took at least one byte of the file (and one zero may have
                        // been put first).
                        assert!(
                            record.acceleration.len() <= bytes.len() + 1,
                            "{name}, seed {seed}"
                        );
                    }
                    Err(error) => {
                        refused += 1;
                        let message = error.to_string();
                        assert!(
                            message.contains(name) || message.contains("motion"),
                            "{name}, seed {seed}: {message}"
                        );
                        assert!(
                            message.len() > name.len() + 20 && message.len() < 700,
                            "{name}, seed {seed}: {message}"
                        );
                    }
                }
            }
        }
        // The damage must both hit and miss, or it tests nothing.
        assert!(
            read_well > 0 && refused > 100,
            "{}: {read_well} read, {refused} refused",
            fixture.name
        );
    }
}

#[test]
fn bytes_without_sense_never_panic() {
    let names = [
        "a.AT2", "a.VT2", "a.v1", "a.V2c", "a.NS", "a.csv", "a.acc", "a.txt", "", ".",
    ];
    for seed in 0..MUTATIONS {
        let mut damage = Damage(ChaCha8Rng::seed_from_u64(seed));
        let length = damage.below(300);
        let bytes: Vec<u8> = (0..length)
            .map(|_| damage.byte())
            .filter(|&byte| byte != 0)
            .collect();
        for name in names {
            for hint in hints(ReadHint::default()) {
                if let Err(error) = read(&bytes, name, &hint) {
                    assert!(!error.to_string().is_empty());
                }
                let _either = read_with_times(&bytes, name, &bytes, "time.txt", &hint);
            }
        }
    }
}

#[test]
fn a_unit_that_overflows_is_refused() {
    let hint = ReadHint {
        dt: Some(0.01),
        unit: Some(AccelerationUnit::StandardGravity),
        channel: None,
    };
    let error = read(b"1e308\n1e308\n1\n", "big.txt", &hint).expect_err("overflows");
    assert!(error.to_string().contains("big"), "{error}");
}

#[test]
fn a_very_long_line_is_quoted_in_part() {
    let text = "x".repeat(1_000_000);
    let error = read(text.as_bytes(), "long.txt", &ReadHint::default()).expect_err("no format");
    assert!(error.to_string().len() < 700);
}
