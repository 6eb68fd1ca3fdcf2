//! What every method keeps to; a step takes no memory.

use crate::common::{Building, build, defaults, entry};
use assert_no_alloc::assert_no_alloc;
use tandem_integrator::{
    Answer, Build, GroundMotion, Integrator, Loading, METHODS, Problem, conformance,
    forward_integrator,
};
use tandem_quantity::conformance::Violation;
use tandem_quantity::{
    Entry, Motion, Registry, Snapshot, SnapshotError, SpecimenMatrices, StateReader, Value,
};
use tandem_structure::{Matrix, shear_building};

#[test]
fn every_method_conforms() {
    let guard = |run: &mut dyn FnMut()| {
        assert_no_alloc(run);
        0
    };
    for entry in METHODS {
        let table = defaults(&entry.method);
        let found = conformance::integrator(entry, &table, Registry::bare(), &guard);
        assert_eq!(found, Ok(()), "{}", entry.method.name);
    }
}

/// A method that says its target stands at the end of the step, while it is what was reached
/// before, is found.
#[test]
fn a_target_that_stands_elsewhere_is_found() {
    struct Stale(Box<dyn Integrator>, Motion);
    impl Snapshot for Stale {
        fn save(&self, into: &mut Vec<f64>) {
            self.0.save(into);
            self.1.save(into);
        }
        fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
            self.0.restore(from)?;
            self.1.restore(from)
        }
    }
    impl Integrator for Stale {
        forward_integrator!(0: properties, poll, response, steps, problem, structure_mut);
        forward_integrator!(0: start_from, observe);
        fn target(&self) -> &Motion {
            &self.1
        }
        fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
            self.1.displacement[0] = self.0.response().displacement[0];
            self.0.feed(answer, loading)
        }
    }
    let stale: Entry<Build> = Entry {
        method: entry("newmark-explicit").method,
        build: &|values, problem, context| {
            let inner = (entry("newmark-explicit").build)(values, problem, context)?;
            Ok(Box::new(Stale(inner, Motion::at_rest(1))))
        },
    };
    let unguarded = |run: &mut dyn FnMut()| {
        run();
        0
    };
    let table = defaults(&stale.method);
    let found = conformance::integrator(&stale, &table, Registry::bare(), &unguarded);
    assert!(matches!(found, Err(Violation::Breaks { .. })), "{found:?}");
}

#[test]
fn estimating_a_tangent_takes_no_memory() {
    for estimator in [
        "truncated-svd",
        "least-squares",
        "bfgs",
        "broyden",
        "transpose",
        "recursive",
    ] {
        for reset in ["top", "work", "each", "drifts", "modes", "never"] {
            let k = [40e3; 20];
            let mass = Matrix::diagonal(&[50.0; 20]);
            let damping = Matrix::combine(&[(0.3, &mass)]);
            let structure = Box::new(Building::new(mass, damping, &k, &[300.0; 20], 0.05));
            let loading = GroundMotion::new(structure.as_ref(), |t: f64| (8.0 * t).sin());
            let given = [
                ("estimator", Value::Text(estimator.into())),
                ("reset", Value::Text(reset.into())),
                ("clamp", Value::Boolean(true)),
                ("tangent_damping", Value::Number(1e-3)),
            ];
            let problem = Problem::all_numerical(structure, 0.01);
            let mut method = build("osm-us", &given, problem, &loading);
            assert_no_alloc(|| {
                for _ in 0..100 {
                    method.feed(Answer::NONE, &loading);
                }
            });
            assert!(method.response().is_finite(), "{estimator}, {reset}");
        }
    }
}

#[test]
fn feeding_takes_no_memory() {
    for entry in METHODS {
        let name = entry.method.name;
        let k = [40e3, 35e3, 30e3, 30e3];
        let mass = Matrix::diagonal(&[50.0; 4]);
        let damping = Matrix::combine(&[(0.3, &mass)]);
        let structure: Box<dyn tandem_structure::Structure> = if name == "exact" {
            Box::new(shear_building(&[50.0; 4], &k, &tandem_structure::Damping::None).unwrap())
        } else {
            Box::new(Building::new(mass, damping, &k, &[300.0; 4], 0.05))
        };
        let loading = GroundMotion::new(structure.as_ref(), |t: f64| 4.0 * (8.0 * t).sin());
        let hybrid = Problem {
            structure,
            interface: vec![0, 2],
            specimen: SpecimenMatrices {
                dof: 2,
                mass: vec![5.0, 0.0, 0.0, 5.0],
                damping: vec![3.0, 0.0, 0.0, 3.0],
                stiffness: vec![4e3, -1e3, -1e3, 4e3],
            },
            dt: 0.01,
            instantaneous: true,
        };
        let mut method = build(name, &[], hybrid, &loading);
        let mut force = [0.0; 2];
        let mut displacement = [0.0; 2];
        assert_no_alloc(|| {
            for _ in 0..1000 {
                for i in 0..2 {
                    displacement[i] = method.target().displacement[i];
                    force[i] = 4e3 * displacement[i];
                }
                let answer = Answer::new(&displacement, &force);
                method.feed(answer, &loading);
            }
        });
        assert!(method.response().is_finite(), "{name}");
        if name == "exact" {
            continue;
        }
        // Newton's iteration, on a building that yields.
        let mass = Matrix::diagonal(&[50.0; 4]);
        let damping = Matrix::combine(&[(0.3, &mass)]);
        let structure = Box::new(Building::new(mass, damping, &k, &[300.0; 4], 0.05));
        let mut method = build(name, &[], Problem::all_numerical(structure, 0.01), &loading);
        assert_no_alloc(|| {
            for _ in 0..1000 {
                method.feed(Answer::NONE, &loading);
            }
        });
        assert!(method.response().is_finite(), "{name}");
    }
}
