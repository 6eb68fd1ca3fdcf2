//! Published values of the benchmark criteria, to stand beside a run's own.

use tandem::criteria::CriteriaValues;

/// A published row: where it is printed, what it was measured with, and the values of each
/// criterion.
pub struct Published {
    /// `case 1, PI with phase lead`.
    pub label: &'static str,
    /// The controller and whose table it is.
    pub controller: &'static str,
    /// Author, year, table, record.
    pub source: &'static str,
    values: &'static [(u8, &'static [f64])],
}

impl Published {
    /// The values.
    #[must_use]
    pub fn values(&self) -> CriteriaValues {
        let rows = self.values.iter();
        rows.map(|(number, values)| (*number, values.to_vec()))
            .collect()
    }

    /// The values of a criterion, as text.
    #[must_use]
    pub fn text(&self, criterion: u8) -> Option<String> {
        let (_, values) = self
            .values
            .iter()
            .find(|(number, _)| *number == criterion)?;
        let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
        Some(texts.join(", "))
    }
}

const SILVA: &str = "Silva et al. 2020, El Centro at 40 %, nominal plant";
const CONDORI: &str = "Condori Uribe et al. 2023, Table 3, El Centro at 40 %";

macro_rules! row {
    ($label:literal, $($number:literal $value:literal),*) => {
        Published {
            label: $label,
            controller: "PI with phase lead, Silva et al. 2020",
            source: SILVA,
            values: &[$(($number, &[$value])),*],
        }
    };
}

/// The PI controller with phase lead of the problem's authors, cases 1 to 4, table of results.
#[rustfmt::skip]
static SINGLE_ACTUATOR: [Published; 4] = [
    row!("case 1, PI with phase lead",
        1 4.6, 2 10.4, 3 11.5, 4 36.1, 5 19.0, 6 32.3, 7 32.4, 8 14.8, 9 14.8),
    row!("case 2, PI with phase lead",
        1 4.6, 2 9.8, 3 11.1, 4 33.1, 5 17.1, 6 30.5, 7 30.5, 8 15.3, 9 15.2),
    row!("case 3, PI with phase lead",
        1 4.6, 2 9.1, 3 10.2, 4 49.9, 5 36.7, 6 49.8, 7 49.8, 8 35.5, 9 35.6),
    row!("case 4, PI with phase lead",
        1 4.6, 2 10.5, 3 11.3, 4 72.6, 5 35.2, 6 68.5, 7 68.7, 8 33.4, 9 33.3),
];

/// The authors' LQG, virtual and in the laboratory.
static MULTI_AXIAL: [Published; 2] = [
    Published {
        label: "virtual, LQG",
        controller: "LQG (virtual), Condori Uribe et al. 2023",
        source: CONDORI,
        values: &[
            (1, &[2.0, 2.9]),
            (2, &[4.8, 9.4]),
            (5, &[6.7, 17.8]),
            (7, &[10.6, 16.8]),
            (8, &[1.8, 3.4, 2.1, 3.0]),
        ],
    },
    Published {
        label: "laboratory, LQG",
        controller: "LQG (laboratory), Condori Uribe et al. 2023",
        source: CONDORI,
        values: &[
            (1, &[-13.7, 2.9]),
            (2, &[23.8, 13.2]),
            (5, &[8.1, 27.8]),
            (7, &[12.2, 26.2]),
            (8, &[12.5, 12.7, 12.4, 12.5]),
        ],
    },
];

/// The rows that fit the criteria of a run: nine are the single-actuator problem, ten the
/// multi-axial one.
#[must_use]
pub fn published(criteria: &CriteriaValues) -> &'static [Published] {
    match criteria.iter().count() {
        9 => &SINGLE_ACTUATOR,
        10 => &MULTI_AXIAL,
        _ => &[],
    }
}

/// The row beside which a run of the single-actuator problem is read; none for other records.
#[must_use]
pub fn single_actuator(case: usize, record: &str) -> Option<&'static Published> {
    let row = SINGLE_ACTUATOR.get(case.checked_sub(1)?);
    row.filter(|_| record == "el-centro")
}

/// The row beside which a virtual run of the multi-axial problem is read.
#[must_use]
pub fn multi_axial() -> &'static Published {
    &MULTI_AXIAL[0]
}
