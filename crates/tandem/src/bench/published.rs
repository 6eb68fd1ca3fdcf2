//! Published values of the two problems, El Centro × 0.40, nominal plant.

use serde_json::{Value, json};

/// J1 … J9 of the sample controller of the single-actuator problem, cases 1 to 4 (Silva et al. 2020, table of results).
const SINGLE_PI: [[f64; 9]; 4] = [
    [4.6, 10.4, 11.5, 36.1, 19.0, 32.3, 32.4, 14.8, 14.8],
    [4.6, 9.8, 11.1, 33.1, 17.1, 30.5, 30.5, 15.3, 15.2],
    [4.6, 9.1, 10.2, 49.9, 36.7, 49.8, 49.8, 35.5, 35.6],
    [4.6, 10.5, 11.3, 72.6, 35.2, 68.5, 68.7, 33.4, 33.3],
];

/// The published row that a run of the single-actuator problem is read beside; none for other records.
#[must_use]
pub fn single_actuator(case: usize, record: &str) -> Option<(&'static str, Value)> {
    let row = SINGLE_PI.get(case.checked_sub(1)?)?;
    (record == "el-centro").then(|| {
        let map = row
            .iter()
            .enumerate()
            .map(|(i, x)| (format!("J{}", i + 1), json!([x])));
        (
            "PI with phase lead, Silva et al. 2020",
            Value::Object(map.collect()),
        )
    })
}

/// Table 3 of Condori Uribe et al. 2023, virtual test with LQG.
#[must_use]
pub fn multi_axial() -> (&'static str, Value) {
    (
        "LQG (virtual), Condori Uribe et al. 2023",
        json!({
            "J1": [2.0, 2.9],
            "J2": [4.8, 9.4],
            "J5": [6.7, 17.8],
            "J7": [10.6, 16.8],
            "J8": [1.8, 3.4, 2.1, 3.0],
        }),
    )
}
