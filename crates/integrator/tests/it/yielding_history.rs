//! Step by step against reference histories of bilinear shear buildings under El Centro (made with
//! an independent numpy program that agrees with OpenSees to 2e-12 where OpenSees has the method).

use std::collections::BTreeMap;

use crate::common::{Building, build, el_centro};
use tandem_integrator::{Answer, GroundMotion, Problem};
use tandem_quantity::Value;
use tandem_structure::{Damping, Matrix, storey_matrix};
use tandem_test_support::{Table, data_for_part};

struct Case {
    file: &'static str,
    masses: &'static [f64],
    stiffnesses: &'static [f64],
    yields: &'static [f64],
    ratio: f64,
    /// Window of osm-us, and its column.
    window: (i64, &'static str),
}

const CASES: [Case; 2] = [
    Case {
        file: "integrator_history_sdof.csv",
        masses: &[50.0],
        stiffnesses: &[7_895.683_520_871_486_5],
        yields: &[120.0],
        ratio: 0.02,
        window: (2, "osm_us_m2"),
    },
    Case {
        file: "integrator_history_mdof3.csv",
        masses: &[50.0, 50.0, 40.0],
        stiffnesses: &[40e3, 35e3, 30e3],
        yields: &[450.0, 380.0, 250.0],
        ratio: 0.03,
        window: (4, "osm_us_m4"),
    },
];

fn building(case: &Case) -> Building {
    let mass = Matrix::diagonal(case.masses);
    let stiffness = storey_matrix(case.stiffnesses).unwrap();
    let damping = Damping::MassProportional {
        ratio: case.ratio,
        mode: 1,
    };
    let damping = damping.matrix(&mass, &stiffness).unwrap();
    Building::new(mass, damping, case.stiffnesses, case.yields, 0.05)
}

/// Top displacement step by step, from rest.
fn history(case: &Case, method: &str, given: &[(&str, Value)], steps: usize) -> Vec<f64> {
    let structure = building(case);
    let loading = GroundMotion::new(&structure, el_centro());
    let problem = Problem::all_numerical(Box::new(structure), 0.01);
    let mut integrator = build(method, given, problem, &loading);
    let mut history = vec![0.0];
    for _ in 0..steps {
        while !integrator.feed(Answer::NONE, &loading) {}
        history.push(*integrator.response().displacement.last().unwrap());
    }
    assert_eq!(integrator.observe().unsettled(), 0);
    history
}

/// Four methods share the column of another: they follow it too, for which no file is needed.
#[test]
fn yielding_buildings_follow_the_reference_histories() {
    let folder = data_for_part("the reference histories", "oracles");
    let number = |key: &'static str, x: f64| vec![(key, Value::Number(x))];
    let fixed = |mut values: Vec<(&'static str, Value)>| {
        values.extend([
            ("iteration", Value::Text("fixed".into())),
            ("iterations", Value::Integer(5)),
            ("order", Value::Integer(2)),
        ]);
        values
    };
    let methods = [
        ("central-difference", vec![], "central_difference"),
        ("newmark-explicit", vec![], "newmark_explicit"),
        // Forces continued with the initial stiffness from the predictor: operator splitting.
        ("newmark", vec![], "osm"),
        ("osm", vec![], "osm"),
        ("alpha-os", number("alpha", -0.1), "alpha_os_-0.1"),
        ("alpha-os", number("alpha", 0.9), "alpha_os_-0.1"),
        ("newmark-iterated", vec![], "newmark_implicit"),
        ("hht", number("alpha", -0.1), "hht_-0.1"),
        ("generalised-alpha", number("rho_inf", 0.8), "gen_alpha_0.8"),
        (
            "generalised-alpha",
            fixed(number("rho_inf", 0.8)),
            "gen_alpha_0.8_fixed5_poly2",
        ),
        ("newmark-iterated", fixed(vec![]), "newmark_fixed5_poly2"),
        ("cr", vec![], "cr"),
        ("kr-alpha", number("rho_inf", 1.0), "cr"),
        ("kr-alpha", number("rho_inf", 0.8), "kr_alpha_0.8"),
        ("kr-alpha", number("rho_inf", 0.5), "kr_alpha_0.5"),
        ("mkr-alpha", number("rho_inf", 0.5), "mkr_alpha_0.5"),
        ("chang", vec![], "chang"),
        ("rosenbrock", vec![], "lsrt2"),
        // A threshold above all motion: the estimate stays the initial stiffness.
        (
            "osm-us",
            vec![
                ("alpha", Value::Number(-0.1)),
                ("threshold", Value::Number(1e3)),
            ],
            "alpha_os_-0.1",
        ),
    ];
    for case in &CASES {
        let table = folder.as_ref().map(|f| Table::read(&f.join(case.file)));
        let mut kin = BTreeMap::new();
        let (window, column) = case.window;
        let updated = ("osm-us", vec![("window", Value::Integer(window))], column);
        for (method, given, column) in methods.iter().chain([&updated]) {
            let found = history(case, method, given, 1000);
            let follows = |expected: &[f64]| {
                assert_eq!(found.len(), expected.len());
                let peak = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                assert!(peak > 0.02);
                for (step, (top, expected)) in found.iter().zip(expected).enumerate() {
                    assert!(
                        (top - expected).abs() < 1e-9 * peak,
                        "{}, {method} {given:?} in step {step}: {top:e}, expected {expected:e}",
                        case.file,
                    );
                }
            };
            follows(kin.entry(column).or_insert_with(|| found.clone()));
            let Some(table) = &table else { continue };
            let column = table.names.iter().position(|name| name == column).unwrap();
            let expected = table.rows.iter().map(|row| row[column].parse().unwrap());
            follows(&expected.collect::<Vec<f64>>());
        }
        assert_eq!(methods.len() + 1 - kin.len(), 4);
    }
}

/// An iteration that may not settle goes on with what it has, and says so.
#[test]
fn unsettled_steps_are_counted() {
    let structure = building(&CASES[1]);
    let loading = GroundMotion::new(&structure, el_centro());
    let problem = Problem::all_numerical(Box::new(structure), 0.01);
    let given = [("most_iterations", Value::Integer(1))];
    let mut integrator = build("hht", &given, problem, &loading);
    for _ in 0..500 {
        integrator.feed(Answer::NONE, &loading);
    }
    // One correction is exact while no storey leaves its line; steps with a corner need more.
    let unsettled = integrator.observe().unsettled();
    assert!((10..250).contains(&unsettled), "{unsettled}");
    assert!(integrator.response().is_finite());
}
