//! Stress and tangent paths against the reference files (OpenSees 3.7.1, and an order-8 integration
//! for Bouc–Wen).

use std::collections::BTreeMap;

use tandem_frame::material::{
    BoucWen, BoucWenRate, Concrete02, Crushing, Drive, Law, Material, Steel01, Steel02,
};
use tandem_test_support::sections::{CONFINED, UNCONFINED, concrete};
use tandem_test_support::{larger, oracle};

/// The rows of each case without the case's name.
type Table = BTreeMap<String, Vec<Vec<f64>>>;

fn table(file: &str) -> Option<Table> {
    Some(oracle(file)?.cases())
}

/// Replays every step and compares stress and tangent with columns 2 and 3, relative to their
/// peaks.
fn replay(table: &Table, case: &str, material: impl Into<Material>, tolerance: f64) {
    let rows = &table[case];
    let peak = |column: usize| rows.iter().map(|row| row[column].abs()).fold(0.0, f64::max);
    let (stress_peak, tangent_peak) = (peak(2), peak(3));
    let mut point = material.into().point();
    for row in rows {
        let answer = point.trial(Drive::at(row[1]));
        point.commit();
        let stress_error = (answer.stress - row[2]).abs() / stress_peak;
        assert!(
            stress_error < tolerance,
            "{case} step {}: stress off by {stress_error:e}",
            row[0]
        );
        let tangent_error = (answer.tangent - row[3]).abs() / tangent_peak;
        assert!(
            tangent_error < tolerance,
            "{case} step {}: tangent off by {tangent_error:e}",
            row[0]
        );
    }
}

#[test]
fn steel01_follows_the_reference() {
    let Some(table) = table("mat_steel01.csv") else {
        return;
    };
    replay(
        &table,
        "plain",
        Steel01::new(355.0, 210_000.0, 0.01).unwrap(),
        1e-14,
    );
    let isotropic = Steel01::new(355.0, 210_000.0, 0.02)
        .unwrap()
        .with_isotropic([0.05, 1.5, 0.03, 1.2])
        .unwrap();
    replay(&table, "isotropic", isotropic, 1e-14);
    replay(
        &table,
        "table1_ksi",
        Steel01::new(60.0, 29_000.0, 0.01).unwrap(),
        1e-14,
    );
    assert_eq!(table.len(), 3);
}

#[test]
fn steel02_follows_the_reference() {
    let Some(table) = table("mat_steel02.csv") else {
        return;
    };
    let steel = Steel02::new(355.0, 210_000.0, 0.01).unwrap();
    let plain = Steel02::new(355.0, 210_000.0, 0.01087)
        .unwrap()
        .with_curve(20.0, 0.925, 0.15)
        .unwrap();
    replay(&table, "plain", plain, 1e-14);
    replay(&table, "defaultR", steel, 1e-14);
    let isotropic = steel
        .with_curve(18.5, 0.925, 0.15)
        .unwrap()
        .with_isotropic([0.05, 1.0, 0.02, 1.5])
        .unwrap();
    replay(&table, "isotropic", isotropic, 1e-14);
    let prestressed = steel
        .with_curve(20.0, 0.925, 0.15)
        .unwrap()
        .with_initial_stress(120.0)
        .unwrap();
    replay(&table, "siginit", prestressed, 1e-14);
    assert_eq!(table.len(), 4);
}

#[test]
fn concrete02_follows_the_reference() {
    let Some(table) = table("mat_concrete02.csv") else {
        return;
    };
    replay(&table, "unconfined_ksi", concrete(UNCONFINED), 1e-14);
    replay(&table, "confined_ksi", concrete(CONFINED), 1e-14);
    let crushing = Crushing {
        strength: -30.0,
        strain_at_strength: -0.002,
        crushing_stress: -6.0,
        crushing_strain: -0.006,
    };
    let metric = Concrete02::new(crushing, 0.5, 3.0, 1500.0).unwrap();
    replay(&table, "lambda05_mpa", metric, 1e-14);
    assert_eq!(table.len(), 3);
}

#[test]
fn bouc_wen_follows_the_reference() {
    let Some(table) = table("mat_boucwen.csv") else {
        return;
    };
    replay(
        &table,
        "n1",
        BoucWen::new(0.05, 100.0, 1.0, 50.0, 50.0).unwrap(),
        1e-12,
    );
    replay(
        &table,
        "n2",
        BoucWen::new(0.1, 100.0, 2.0, 2500.0, 2500.0).unwrap(),
        1e-12,
    );
    assert_eq!(table.len(), 2);
}

/// The motion of the file: x(t) = 0.04 sin πt + 0.02 sin 2.6πt, which reproduces its columns x and
/// ẋ.
fn motion(t: f64) -> (f64, f64) {
    use std::f64::consts::PI;
    let (a, b) = (PI * t, 2.6 * PI * t);
    (
        0.04 * a.sin() + 0.02 * b.sin(),
        0.04 * PI * a.cos() + 0.052 * PI * b.cos(),
    )
}

/// The time in (from, to) at which the velocity changes its sign, if it does.
fn reversal(from: f64, to: f64) -> Option<f64> {
    let (mut low, mut high) = (from, to);
    if motion(low).1 * motion(high).1 >= 0.0 {
        return None;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if motion(low).1 * motion(middle).1 > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(0.5 * (low + high))
}

#[test]
fn bouc_wen_rate_follows_the_reference() {
    let Some(table) = table("mat_boucwen_ode.csv") else {
        return;
    };
    let cases = [
        ("n1", BoucWenRate::new(0.1, 500.0, 0.01, 1.0, 0.5, 0.5)),
        ("n2", BoucWenRate::new(0.05, 500.0, 0.01, 2.0, 0.5, 0.5)),
        (
            "n5_asym",
            BoucWenRate::new(0.02, 500.0, 0.01, 5.0, 0.7, 0.3),
        ),
        (
            "soft_gamma_neg",
            BoucWenRate::new(0.02, 500.0, 0.01, 2.0, 0.9, -0.3),
        ),
    ];
    for (case, law) in cases {
        let law = law.unwrap();
        let mut state = law.virgin();
        let rows = &table[case];
        let peak = rows.iter().map(|row| row[4].abs()).fold(0.0, f64::max);
        for rows in rows.windows(2) {
            let (from, to) = (rows[0][0], rows[1][0]);
            assert!(
                (motion(to).0 - rows[1][1]).abs() < 1e-15
                    && (motion(to).1 - rows[1][2]).abs() < 1e-13
            );
            if let Some(turn) = reversal(from, to) {
                state = law.trial(&state, Drive::at(motion(turn).0)).0;
            }
            let (next, answer) = law.trial(&state, Drive::at(rows[1][1]));
            state = next;
            // At t = 2.5 s the reversal falls on the sample itself and the file left z empty
            // (zero).
            if rows[1][3] == 0.0 && rows[1][2].abs() < 1e-15 {
                continue;
            }
            let error = larger(
                (state.hysteretic() - rows[1][3]).abs(),
                (answer.stress - rows[1][4]).abs() / peak,
            );
            assert!(error < 1e-9, "{case} t = {to}: off by {error:e}");
        }
    }
    assert_eq!(table.len(), cases.len());
}
