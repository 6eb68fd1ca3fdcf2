//! Step by step against reference histories of bilinear shear buildings under El Centro (made with an independent numpy
//! program that agrees with OpenSees to 2e-12 where OpenSees has the method).
#![allow(clippy::unwrap_used)]

mod common;

use common::{Building, build, data, el_centro, table};
use tandem_integrator::{Answer, GroundMotion, Problem};
use tandem_quantity::Value;
use tandem_structure::{Damping, Matrix, storey_matrix};

struct Case {
    file: &'static str,
    masses: &'static [f64],
    stiffnesses: &'static [f64],
    yields: &'static [f64],
    ratio: f64,
}

const CASES: [Case; 2] = [
    Case {
        file: "integrator_history_sdof.csv",
        masses: &[50.0],
        stiffnesses: &[7_895.683_520_871_486_5],
        yields: &[120.0],
        ratio: 0.02,
    },
    Case {
        file: "integrator_history_mdof3.csv",
        masses: &[50.0, 50.0, 40.0],
        stiffnesses: &[40e3, 35e3, 30e3],
        yields: &[450.0, 380.0, 250.0],
        ratio: 0.03,
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

#[test]
fn yielding_buildings_follow_the_reference_histories() {
    let Some(data) = data() else { return };
    let ground = el_centro(&data);
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
        ("osm-us", vec![("window", Value::Integer(2))], "osm_us_m2"),
        ("osm-us", vec![("window", Value::Integer(4))], "osm_us_m4"),
    ];
    for case in &CASES {
        let (names, rows) = table(&data.join("oracles").join(case.file));
        for (method, given, column) in &methods {
            // The window of osm-us is another in each file.
            let Some(column) = names.iter().position(|name| name == column) else {
                assert_eq!(*method, "osm-us");
                continue;
            };
            let history: Vec<f64> = rows.iter().map(|r| r[column].parse().unwrap()).collect();
            let structure = building(case);
            let loading = GroundMotion::new(&structure, ground.clone());
            let problem = Problem::all_numerical(Box::new(structure), 0.01);
            let mut integrator = build(method, given, problem, &loading);
            let peak = history.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!(peak > 0.02);
            for (step, expected) in history.iter().enumerate().skip(1) {
                while !integrator.feed(Answer::NONE, &loading) {}
                let top = *integrator.response().displacement.last().unwrap();
                assert!(
                    (top - expected).abs() < 1e-9 * peak,
                    "{}, {method} {given:?} in step {step}: {top:e}, expected {expected:e}",
                    case.file,
                );
            }
            assert_eq!(integrator.unsettled(), 0);
        }
    }
}

/// An iteration that may not settle goes on with what it has, and says so.
#[test]
fn unsettled_steps_are_counted() {
    let Some(data) = data() else { return };
    let structure = building(&CASES[1]);
    let loading = GroundMotion::new(&structure, el_centro(&data));
    let problem = Problem::all_numerical(Box::new(structure), 0.01);
    let given = [("most_iterations", Value::Integer(1))];
    let mut integrator = build("hht", &given, problem, &loading);
    for _ in 0..500 {
        integrator.feed(Answer::NONE, &loading);
    }
    // One correction is exact while no storey leaves its line; steps with a corner need more.
    let unsettled = integrator.unsettled();
    assert!((10..250).contains(&unsettled), "{unsettled}");
    assert!(integrator.response().is_finite());
}
