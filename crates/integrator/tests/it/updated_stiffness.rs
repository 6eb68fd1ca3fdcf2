//! Operator splitting with updated stiffness on bilinear shear buildings under El Centro: published
//! ratios of errors.
//!
//! The expected figures are those of an independent numpy program: RMS error of the top
//! displacement in percent of the converged peak, 20 s at 10 ms.

use crate::common::{Building, build, el_centro};
use tandem_integrator::{Answer, GroundMotion, Problem};
use tandem_quantity::Value;
use tandem_structure::{Damping, Matrix, storey_matrix};

struct Case {
    masses: &'static [f64],
    stiffnesses: &'static [f64],
    yields: &'static [f64],
    window: i64,
    /// OSM and OSM-US, undamped and damped.
    undamped: [f64; 2],
    damped: [f64; 2],
}

const CASES: [Case; 4] = [
    Case {
        masses: &[50.0],
        stiffnesses: &[7_895.683_5],
        yields: &[120.0],
        window: 1,
        undamped: [0.635, 0.553],
        damped: [1.504, 0.262],
    },
    Case {
        masses: &[50.0, 50.0],
        stiffnesses: &[40e3, 30e3],
        yields: &[300.0, 200.0],
        window: 3,
        undamped: [4.26, 4.52],
        damped: [1.264, 0.968],
    },
    Case {
        masses: &[50.0, 50.0, 40.0],
        stiffnesses: &[40e3, 35e3, 30e3],
        yields: &[450.0, 380.0, 250.0],
        window: 4,
        undamped: [4.12, 4.37],
        damped: [1.252, 0.914],
    },
    Case {
        masses: &[50.0; 6],
        stiffnesses: &[40e3, 40e3, 35e3, 35e3, 30e3, 30e3],
        yields: &[500.0, 480.0, 420.0, 360.0, 280.0, 160.0],
        window: 8,
        undamped: [1.734, 1.724],
        damped: [1.070, 0.554],
    },
];

/// A way to shake all buildings.
struct Bench {
    /// Share of the stiffness that weight takes; above the hardening of 0.02 a storey that yields
    /// softens.
    gravity: f64,
    /// How many times quicker the record is played: above one higher modes move most.
    quicker: f64,
    /// Factor of the record.
    scale: f64,
    /// Added to one storey's stiffness, as a share of it: what rounding might do.
    disturbance: f64,
}

impl Default for Bench {
    fn default() -> Self {
        Self {
            gravity: 0.0,
            quicker: 1.0,
            scale: 1.0,
            disturbance: 0.0,
        }
    }
}

impl Bench {
    /// Top displacement every 10 ms. `refine` divides the step; `tangent` puts the reference's
    /// damping on the tangent.
    fn top(
        &self,
        case: &Case,
        damped: bool,
        method: &str,
        given: &[(&str, Value)],
        refine: usize,
        tangent: bool,
    ) -> Vec<f64> {
        let mass = Matrix::diagonal(case.masses);
        let mut springs = case.stiffnesses.to_vec();
        springs[0] *= 1.0 + self.disturbance;
        let stiffness = storey_matrix(&springs).unwrap();
        let (a, b) = coefficients(case, damped);
        let damping = Matrix::combine(&[(a, &mass), (b, &stiffness)]);
        let mut structure = Building::new(mass, damping, &springs, case.yields, 0.02);
        if self.gravity > 0.0 {
            structure = structure.with_gravity(self.gravity);
        }
        if tangent {
            structure.tangent_damping = b;
        }
        let (record, quicker, scale) = (el_centro(), self.quicker, self.scale);
        let loading = GroundMotion::new(&structure, move |t| scale * record(quicker * t));
        let dt = 0.01 / refine as f64;
        let problem = Problem::all_numerical(Box::new(structure), dt);
        let mut integrator = build(method, given, problem, &loading);
        let mut history = vec![0.0];
        for step in 1..=2000 * refine {
            while !integrator.feed(Answer::NONE, &loading) {}
            if step % refine == 0 {
                history.push(*integrator.response().displacement.last().unwrap());
            }
        }
        history
    }
}

/// a and b of 3 % Rayleigh damping at modes 1 and 2; one degree of freedom has half of each.
fn coefficients(case: &Case, damped: bool) -> (f64, f64) {
    if !damped {
        return (0.0, 0.0);
    }
    let mass = Matrix::diagonal(case.masses);
    let stiffness = storey_matrix(case.stiffnesses).unwrap();
    let rule = Damping::RayleighRatio {
        ratios: [0.03; 2],
        modes: [1, case.masses.len().min(2)],
    };
    rule.rayleigh_coefficients(&mass, &stiffness)
        .unwrap()
        .unwrap()
}

/// RMS of the difference in percent of the peak.
fn error(found: &[f64], reference: &[f64]) -> f64 {
    let peak = reference.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let squares: f64 = found
        .iter()
        .zip(reference)
        .map(|(a, b)| (a - b).powi(2))
        .sum();
    100.0 * (squares / reference.len() as f64).sqrt() / peak
}

fn near(found: f64, expected: f64, what: &str) {
    // Half of the last digit that is given, and a little.
    let digit = if expected > 2.0 { 0.006 } else { 0.0011 };
    assert!(
        (found - expected).abs() < digit,
        "{what}: {found:.4} %, expected {expected} %"
    );
}

#[test]
fn errors_of_shear_buildings_are_those_of_the_reference() {
    let bench = Bench::default();
    for case in &CASES {
        for (damped, expected) in [(false, case.undamped), (true, case.damped)] {
            let reference = bench.top(case, damped, "newmark-iterated", &[], 20, true);
            let (_, b) = coefficients(case, damped);
            let given = [
                ("window", Value::Integer(case.window)),
                ("tangent_damping", Value::Number(b)),
            ];
            let what = format!("{} storeys, damped: {damped}", case.masses.len());
            let osm = bench.top(case, damped, "osm", &[], 1, false);
            near(error(&osm, &reference), expected[0], &what);
            let updated = bench.top(case, damped, "osm-us", &given, 1, false);
            near(error(&updated, &reference), expected[1], &what);
        }
    }
}

/// Six storeys: increments almost parallel. Plain least squares fills the stiffness with noise
/// (10.3 % of the peak with damping; without, the figure is chaotic, and on the average of nine
/// draws far above the 1.7 % of osm); a clamp alone brings the error down to 1.8 %, with truncation
/// to 1.6 %.
#[test]
fn many_storeys_need_truncation_or_a_clamp() {
    let case = &CASES[3];
    let disturbed = |disturbance: f64, damped: bool, estimator: &str, clamp: bool| {
        let bench = Bench {
            disturbance,
            ..Bench::default()
        };
        let reference = bench.top(case, damped, "newmark-iterated", &[], 20, true);
        let given = [
            ("window", Value::Integer(8)),
            ("estimator", Value::Text(estimator.into())),
            ("clamp", Value::Boolean(clamp)),
            (
                "tangent_damping",
                Value::Number(coefficients(case, damped).1),
            ),
        ];
        let found = bench.top(case, damped, "osm-us", &given, 1, false);
        error(&found, &reference)
    };
    let run = |damped: bool, estimator: &str, clamp| disturbed(0.0, damped, estimator, clamp);
    let plain = run(true, "least-squares", false);
    assert!((plain - 10.3).abs() < 0.06, "{plain}");
    let plain = [0, 1, 2, 3, 4, 5, 6, 7, 8]
        .map(|k| disturbed(1e-11 * f64::from(k), false, "least-squares", false));
    assert!(plain.iter().sum::<f64>() / 9.0 > 4.0, "{plain:?}");
    let clamped = run(false, "least-squares", true);
    assert!((clamped - 1.8).abs() < 0.05, "{clamped}");
    let both = run(false, "truncated-svd", true);
    assert!((both - 1.6).abs() < 0.05, "{both}");
    // Updates of one increment are no worse than a quarter above osm.
    for estimator in ["bfgs", "broyden", "transpose", "recursive"] {
        let found = run(false, estimator, false);
        assert!(found < 1.25 * case.undamped[0], "{estimator}: {found}");
    }
}

/// Increments below the threshold wait until they have grown together: a threshold above all motion
/// is plain osm, and one of the size of some increments changes the answer but little.
#[test]
fn small_increments_are_not_recorded() {
    let bench = Bench::default();
    let case = &CASES[0];
    let run = |threshold: f64| {
        let given = [
            ("window", Value::Integer(1)),
            ("threshold", Value::Number(threshold)),
        ];
        bench.top(case, false, "osm-us", &given, 1, false)
    };
    let osm = bench.top(case, false, "osm", &[], 1, false);
    assert!(error(&run(10.0), &osm) < 1e-9);
    let (all, few) = (run(0.0), run(5e-5));
    let difference = error(&few, &all);
    assert!(difference > 0.0 && difference < 0.5, "{difference}");
}

/// Without damping, plain least squares on six storeys is at the mercy of rounding: a stiffness
/// that differs in its eleventh digit, or another window, gives another answer, some of them beyond
/// use. An independent program in numpy gave 4.4 to 550 % in the same way, and 4.4 to 276 % with
/// other bounds for singular values that count as zero.
#[test]
fn plain_least_squares_without_damping_is_chaotic() {
    let mut bench = Bench::default();
    let case = &CASES[3];
    let reference = bench.top(case, false, "newmark-iterated", &[], 20, true);
    let mut run = |window: i64, disturbance: f64, estimator: &str| {
        bench.disturbance = disturbance;
        let given = [
            ("window", Value::Integer(window)),
            ("estimator", Value::Text(estimator.into())),
        ];
        let found = bench.top(case, false, "osm-us", &given, 1, false);
        error(&found, &reference)
    };
    for estimator in ["least-squares", "truncated-svd"] {
        let mut found: Vec<f64> = (0..20)
            .map(|k| run(8, 1e-11 * f64::from(k), estimator))
            .collect();
        let windows =
            [6, 7, 8, 9, 10, 12, 16].map(|m| format!("{m}: {:.2}", run(m, 0.0, estimator)));
        println!("{estimator}, error in %: by window {}", windows.join(", "));
        found.sort_by(f64::total_cmp);
        let (least, most) = (found[0], found[found.len() - 1]);
        println!(
            "  m = 8, k of the first storey with other eleventh digits: {least:.3} to {most:.3}"
        );
        match estimator {
            "least-squares" => assert!(most > 3.0 * least && least > case.undamped[0]),
            _ => assert!(most - least < 0.01, "{least} to {most}"),
        }
    }
}

const RULES: [&str; 6] = ["top", "work", "each", "drifts", "modes", "never"];

const ESTIMATORS: [&str; 6] = [
    "truncated-svd",
    "least-squares",
    "bfgs",
    "broyden",
    "transpose",
    "recursive",
];

const DOCUMENT: &str = include_str!("../../../../docs/tangent-stiffness.md");

/// Rows of the document's tables with so many columns.
fn documented(columns: usize) -> impl Iterator<Item = Vec<&'static str>> {
    DOCUMENT.lines().filter_map(move |line| {
        let cells = line.strip_prefix('|')?.strip_suffix('|')?.split('|');
        let cells: Vec<&str> = cells.map(str::trim).collect();
        (cells.len() == columns).then_some(cells)
    })
}

/// Every rule of forgetting on all buildings, and on those for which the paper leaves the question
/// open: weight that makes yielding storeys soften, and a record three times as quick, so that
/// higher modes move most; every way to estimate on the usual ones. The figures are those of
/// docs/tangent-stiffness.md.
#[test]
fn rules_of_forgetting() {
    let usual = Bench::default();
    let softening = Bench {
        gravity: 0.05,
        scale: 0.6,
        ..Bench::default()
    };
    let quick = Bench {
        quicker: 3.0,
        scale: 2.0,
        ..Bench::default()
    };
    let both = Bench {
        gravity: 0.05,
        ..quick
    };
    // Storeys, damping, osm and the rules: one table after the other, a single storey only in the
    // first.
    let mut rows = documented(9).filter(|row| row[0].parse::<usize>().is_ok());
    println!("RMS error of the top displacement, % of the peak");
    println!("building            damped      osm | estimator     {RULES:?}");
    for (what, bench) in [
        ("", &usual),
        (", softening", &softening),
        (", quick", &quick),
        (", both", &both),
    ] {
        for case in &CASES {
            for damped in [false, true] {
                let storeys = case.masses.len();
                let row = (storeys > 1 || what.is_empty()).then(|| {
                    let row = rows.next().unwrap();
                    let stated = (row[0].parse(), row[1]);
                    assert_eq!(stated, (Ok(storeys), if damped { "3 %" } else { "no" }));
                    row[2..].to_vec()
                });
                rules_on(bench, case, damped, what, row.as_deref());
            }
        }
    }
    assert_eq!(rows.next(), None);
}

/// To the last digit that the document gives; some words are no figures.
fn as_documented(found: f64, cell: &str, what: &str) {
    if let Ok(stated) = cell.parse::<f64>() {
        assert!(
            (found - stated).abs() < 0.0051,
            "{what}: {found} %, documented {stated} %"
        );
    }
}

fn rules_on(bench: &Bench, case: &Case, damped: bool, what: &str, row: Option<&[&str]>) {
    let name = format!("{}{what}", case.masses.len());
    let reference = bench.top(case, damped, "newmark-iterated", &[], 20, true);
    let osm = error(&bench.top(case, damped, "osm", &[], 1, false), &reference);
    if let Some(row) = row {
        as_documented(osm, row[0], &format!("{name}, damped: {damped}, osm"));
    }
    let (_, b) = coefficients(case, damped);
    let usual = what.is_empty();
    let estimators = if usual { ESTIMATORS.len() } else { 1 };
    for estimator in &ESTIMATORS[..estimators] {
        let found = RULES.map(|reset| {
            let given = [
                ("window", Value::Integer(case.window)),
                ("estimator", Value::Text((*estimator).into())),
                ("reset", Value::Text(reset.into())),
                ("tangent_damping", Value::Number(b)),
            ];
            let found = bench.top(case, damped, "osm-us", &given, 1, false);
            error(&found, &reference)
        });
        let line = found.map(|found| format!(" {found:6.2}")).concat();
        println!("{name:18} {damped:6} {osm:8.3} | {estimator:13}{line}");
        let what = |rule: usize| format!("{name}, damped: {damped}, {estimator}, {}", RULES[rule]);
        if *estimator == "truncated-svd" {
            for (rule, found) in found.into_iter().enumerate() {
                if let Some(row) = row {
                    as_documented(found, row[1 + rule], &what(rule));
                }
                // The default estimator on the paper's kind of building: safe by any rule, and
                // better where damping follows, but for the storeys each for itself.
                let most = if damped { 0.95 } else { 1.2 } * osm;
                let safe = found < most || RULES[rule] == "drifts" || !usual;
                assert!(safe, "{}: {found} %, osm {osm} %", what(rule));
            }
        }
        // The document's table of estimators has six storeys with damping, and four of the rules.
        if usual && case.masses.len() == 6 && damped {
            let code = format!("`{estimator}`");
            let row = documented(5).find(|row| row[0] == code).unwrap();
            for (cell, rule) in row[1..].iter().zip([0, 1, 2, 5]) {
                as_documented(found[rule], cell, &what(rule));
            }
        }
    }
}
