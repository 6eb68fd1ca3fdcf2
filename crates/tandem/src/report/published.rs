//! Published values of the benchmark criteria, to stand beside a run's own.

use serde_json::Value;

/// A published row: where it is printed, what it was measured with, and the values of each criterion.
pub(super) struct Published {
    /// `case 1, PI with phase lead`.
    pub label: &'static str,
    /// Author, year, table.
    pub source: &'static str,
    values: &'static [(&'static str, &'static [f64])],
}

impl Published {
    /// The values of a criterion, as text.
    pub fn text(&self, criterion: &str) -> Option<String> {
        let (_, values) = self.values.iter().find(|(name, _)| *name == criterion)?;
        let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
        Some(texts.join(", "))
    }
}

const SILVA: &str = "Silva et al. 2020, El Centro at 40 %, nominal plant";
const CONDORI: &str = "Condori Uribe et al. 2023, Table 3, El Centro at 40 %";

macro_rules! row {
    ($label:literal, $($name:literal $value:literal),*) => {
        Published { label: $label, source: SILVA, values: &[$(($name, &[$value])),*] }
    };
}

/// The PI controller with phase lead of the problem's authors, cases 1 to 4.
const SINGLE_ACTUATOR: [Published; 4] = [
    row!("case 1, PI with phase lead", "J1" 4.6, "J2" 10.4, "J3" 11.5, "J4" 36.1, "J5" 19.0, "J6" 32.3, "J7" 32.4, "J8" 14.8, "J9" 14.8),
    row!("case 2, PI with phase lead", "J1" 4.6, "J2" 9.8, "J3" 11.1, "J4" 33.1, "J5" 17.1, "J6" 30.5, "J7" 30.5, "J8" 15.3, "J9" 15.2),
    row!("case 3, PI with phase lead", "J1" 4.6, "J2" 9.1, "J3" 10.2, "J4" 49.9, "J5" 36.7, "J6" 49.8, "J7" 49.8, "J8" 35.5, "J9" 35.6),
    row!("case 4, PI with phase lead", "J1" 4.6, "J2" 10.5, "J3" 11.3, "J4" 72.6, "J5" 35.2, "J6" 68.5, "J7" 68.7, "J8" 33.4, "J9" 33.3),
];

/// The authors' LQG, virtual and in the laboratory.
const MULTI_AXIAL: [Published; 2] = [
    Published {
        label: "virtual, LQG",
        source: CONDORI,
        values: &[
            ("J1", &[2.0, 2.9]),
            ("J2", &[4.8, 9.4]),
            ("J5", &[6.7, 17.8]),
            ("J7", &[10.6, 16.8]),
            ("J8", &[1.8, 3.4, 2.1, 3.0]),
        ],
    },
    Published {
        label: "laboratory, LQG",
        source: CONDORI,
        values: &[
            ("J1", &[-13.7, 2.9]),
            ("J2", &[23.8, 13.2]),
            ("J5", &[8.1, 27.8]),
            ("J7", &[12.2, 26.2]),
            ("J8", &[12.5, 12.7, 12.4, 12.5]),
        ],
    },
];

/// The rows that fit the criteria of a run: nine are the single-actuator problem, ten the multi-axial one.
pub(super) fn published(criteria: &serde_json::Map<String, Value>) -> &'static [Published] {
    match criteria.len() {
        9 => &SINGLE_ACTUATOR,
        10 => &MULTI_AXIAL,
        _ => &[],
    }
}
