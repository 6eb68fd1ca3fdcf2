//! The frame of the single-actuator benchmark problem (Silva et al. 2020), and the ground motion of
//! studies with it.

use tandem_signal::record::Record;
use tandem_structure::{Damping, Matrix};

use crate::{cells, data_for_part, numbers};

/// Stiffness of the frame in all cases, N/m, with a degree of freedom a floor.
pub const STIFFNESS: [[f64; 3]; 3] = [
    [
        26_054_883.879_603_837,
        -23_133_938.877_108_198,
        5_937_035.463_339_146,
    ],
    [
        -23_133_938.877_108_198,
        32_560_774.186_380_334,
        -14_419_970.777_236_981,
    ],
    [
        5_937_035.463_339_146,
        -14_419_970.777_236_981,
        9_267_275.506_224_312,
    ],
];

/// Mass of a floor (kg) and damping ratio of all modes, by case.
pub const CASES: [(f64, f64); 4] = [
    (1000.0, 0.05),
    (1100.0, 0.04),
    (1300.0, 0.03),
    (1000.0, 0.03),
];

/// Mass, damping and stiffness of a case (1 to 4), by rows: those of the benchmark's package where
/// the reference data are, else made from the published ratios as the package makes them.
///
/// # Panics
/// Where both are there and differ, or there is no such case.
#[must_use]
pub fn matrices(case: usize) -> [Vec<f64>; 3] {
    let made = made(case);
    let Some(packaged) = packaged(case) else {
        return made;
    };
    for (made, packaged) in made.iter().flatten().zip(packaged.iter().flatten()) {
        let same = (made - packaged).abs() <= 1e-10 * packaged.abs();
        assert!(same, "case {case}: {made} instead of {packaged}");
    }
    packaged
}

fn made(case: usize) -> [Vec<f64>; 3] {
    let (mass, ratio) = CASES[case - 1];
    let mass = Matrix::diagonal(&[mass; 3]);
    let stiffness = Matrix::from_rows(&STIFFNESS.map(Vec::from)).unwrap();
    let damping = Damping::Modal {
        ratios: vec![ratio],
        // The package rounds the circular frequencies first.
        rounding: Some(0.01),
    };
    let damping = damping.matrix(&mass, &stiffness).unwrap();
    [mass, damping, stiffness].map(|matrix| matrix.to_dense())
}

fn packaged(case: usize) -> Option<[Vec<f64>; 3]> {
    let path = data_for_part("the packaged matrices", "benchmarks/silva_matrices.csv")?;
    let rows = cells(&path);
    let row = |name: &str, case: usize| {
        let case = case.to_string();
        let row = rows.iter().find(|row| row[0] == name && row[1] == case);
        let row = row.unwrap_or_else(|| panic!("no {name} of case {case} in {}", path.display()));
        assert_eq!(row.len(), 11, "{row:?}");
        numbers(&row[2..])
    };
    Some([row("M", case), row("C", case), row("K", 0)])
}

/// Kobe 1995 of the benchmark's package, m/s², or a skip of this part of a test.
///
/// # Panics
/// Where the file is no such record.
#[must_use]
pub fn kobe_for_part(part: &str) -> Option<Record> {
    let path = data_for_part(part, "benchmarks/ground_motion_kobe_1995.csv")?;
    let values = numbers(&cells(&path).concat());
    Some(Record::new("Kobe 1995", 0.01, values).unwrap())
}
