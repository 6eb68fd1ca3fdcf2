//! Step by step against reference histories of bilinear shear buildings under El Centro (made with an independent numpy
//! program that agrees with OpenSees to 2e-12 where OpenSees has the method).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

use tandem_integrator::{Answer, GroundMotion, Integrator, METHODS, Problem};
use tandem_quantity::{Snapshot, SnapshotError, Value, Values, Words};
use tandem_structure::material::{Drive, Material, MaterialPoint, Steel01};
use tandem_structure::{Linear, Matrix, Structure, storey_matrix};

/// Storeys as bilinear springs on top of each other.
struct Building {
    linear: Linear,
    storeys: Vec<MaterialPoint>,
}

impl Snapshot for Building {
    fn save(&self, into: &mut Vec<f64>) {
        self.storeys.save(into);
    }
    fn restore(&mut self, from: &mut Words<'_>) -> Result<(), SnapshotError> {
        self.storeys.restore(from)
    }
}

impl Structure for Building {
    fn dof(&self) -> usize {
        self.storeys.len()
    }
    fn mass(&self) -> &Matrix {
        self.linear.mass()
    }
    fn damping(&self) -> &Matrix {
        self.linear.damping()
    }
    fn stiffness(&self) -> &Matrix {
        self.linear.stiffness()
    }
    fn influence(&self) -> &[f64] {
        self.linear.influence()
    }
    fn restoring_force(&mut self, displacement: &[f64], _velocity: &[f64], force: &mut [f64]) {
        force.fill(0.0);
        for (i, storey) in self.storeys.iter_mut().enumerate() {
            let below = if i == 0 { 0.0 } else { displacement[i - 1] };
            let f = storey.trial(Drive::at(displacement[i] - below)).stress;
            force[i] += f;
            if i > 0 {
                force[i - 1] -= f;
            }
        }
    }
    fn tangent(&self, stiffness: &mut Matrix) {
        stiffness.assign_combination(&[(1.0, self.linear.stiffness())]);
    }
    fn commit(&mut self) {
        self.storeys.iter_mut().for_each(MaterialPoint::commit);
    }
    fn revert(&mut self) {
        self.storeys.iter_mut().for_each(MaterialPoint::revert);
    }
    fn is_linear(&self) -> bool {
        false
    }
    fn label(&self, dof: usize) -> String {
        format!("floor {}", dof + 1)
    }
    fn kind(&self) -> &'static str {
        "bilinear shear building"
    }
}

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
    let damping = tandem_structure::Damping::MassProportional {
        ratio: case.ratio,
        mode: 1,
    };
    let damping = damping.matrix(&mass, &stiffness).unwrap();
    let storeys = case
        .stiffnesses
        .iter()
        .zip(case.yields)
        .map(|(k, fy)| Material::from(Steel01::new(*fy, *k, 0.05).unwrap()).point())
        .collect();
    Building {
        linear: Linear::new(mass, damping, stiffness).unwrap(),
        storeys,
    }
}

#[test]
fn yielding_buildings_follow_the_reference_histories() {
    let Some(data) = std::env::var_os("TANDEM_DATA").map(std::path::PathBuf::from) else {
        println!("skipped: TANDEM_DATA is not set, so the reference histories are not at hand");
        return;
    };
    let read = |name: &str| std::fs::read_to_string(data.join(name)).unwrap();
    let mut record = vec![0.0];
    record.extend(
        read("ground-motions/elcentro_ns_g_dt0p02.txt")
            .split_whitespace()
            .filter_map(|x| x.parse::<f64>().ok()),
    );
    let ground = move |time: f64| {
        let at = time / 0.02;
        let i = (at + 1e-9).floor();
        let (a, b) = (
            record.get(i as usize).copied().unwrap_or(0.0),
            record.get(i as usize + 1).copied().unwrap_or(0.0),
        );
        // The reference program took g = 9.81 m/s².
        9.81 * (a + (at - i).max(0.0) * (b - a))
    };
    for case in &CASES {
        let text = read(&format!("oracles/{}", case.file));
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        let rows: Vec<Vec<f64>> = lines
            .map(|l| l.split(',').map(|x| x.parse().unwrap()).collect())
            .collect();
        for (method, column) in [
            ("newmark-explicit", "newmark_explicit"),
            ("central-difference", "central_difference"),
            // Forces continued with the initial stiffness from the predictor: operator splitting.
            ("newmark", "osm"),
        ] {
            let column = names.iter().position(|name| *name == column).unwrap();
            let structure = building(case);
            let loading = GroundMotion::new(&structure, ground.clone());
            let values = Values::new()
                .with("gamma", Value::Number(0.5))
                .with("beta", Value::Number(0.25));
            let entry = METHODS
                .iter()
                .find(|entry| entry.method.name == method)
                .unwrap();
            let problem = Problem::all_numerical(Box::new(structure), 0.01);
            let mut integrator: Box<dyn Integrator> =
                (entry.build)(&values, problem, &loading).unwrap();
            let peak = rows.iter().fold(0.0_f64, |m, row| m.max(row[column].abs()));
            assert!(peak > 0.02);
            for row in &rows[1..] {
                assert!(integrator.feed(Answer::NONE, &loading));
                let top = *integrator.response().displacement.last().unwrap();
                assert!(
                    (top - row[column]).abs() < 1e-9 * peak,
                    "{}, {method} at {} s: {top:e}, expected {:e}",
                    case.file,
                    row[0],
                    row[column]
                );
            }
        }
    }
}
