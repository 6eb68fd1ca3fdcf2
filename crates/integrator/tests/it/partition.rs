//! A specimen that answers at once makes the partitioned structure the undivided one, for every
//! method. Questions are answered in place: no transfer system, no loop.

use crate::common::{self, build, linear_answer};
use tandem_integrator::{Answer, Integrator, IntegratorContext, Loading, METHODS, Problem};
use tandem_quantity::{Snapshot, SpecimenMatrices, StateReader, Value};
use tandem_structure::{Linear, Matrix, storey_matrix};
use tandem_test_support::larger;

/// A burst on all floors.
struct Burst;

impl Loading for Burst {
    fn force(&self, time: f64, force: &mut [f64]) {
        for (i, f) in force.iter_mut().enumerate() {
            let floor = i as f64;
            *f = 1e3 * (30.0 * time + floor).sin() * (3.0 * time).sin();
        }
    }
}

fn specimen() -> SpecimenMatrices {
    SpecimenMatrices {
        dof: 2,
        mass: vec![120.0, 10.0, 10.0, 80.0],
        damping: vec![900.0, -200.0, -200.0, 300.0],
        stiffness: vec![15e5, -6e5, -6e5, 7e5],
    }
}

/// Three floors; the specimen stands at the first and the third.
fn numerical() -> Linear {
    let stiffness = storey_matrix(&[35e5, 28e5, 20e5]).unwrap();
    let mass = Matrix::diagonal(&[1000.0, 900.0, 800.0]);
    let damping = Matrix::combine(&[(0.4, &mass), (1e-3, &stiffness)]);
    Linear::new(mass, damping, stiffness).unwrap()
}

const INTERFACE: [usize; 2] = [0, 2];

fn hybrid(name: &str) -> Box<dyn Integrator> {
    let problem = Problem {
        structure: Box::new(numerical()),
        interface: INTERFACE.to_vec(),
        specimen: specimen(),
        dt: 0.002,
        instantaneous: true,
    };
    build(name, &[], problem, &Burst)
}

fn undivided(name: &str, dt: f64) -> Box<dyn Integrator> {
    let base = numerical();
    let add = |matrix: &Matrix, part: &[f64]| {
        let mut sum = Matrix::from_dense(3, &matrix.to_dense()).unwrap();
        for (a, &i) in INTERFACE.iter().enumerate() {
            for (b, &j) in INTERFACE.iter().enumerate() {
                sum.add_at(i, j, part[2 * a + b]);
            }
        }
        sum
    };
    use tandem_structure::Structure;
    let e = specimen();
    let whole = Linear::new(
        add(&base.properties().mass, &e.mass),
        add(&base.properties().damping, &e.damping),
        add(&base.properties().stiffness, &e.stiffness),
    );
    let problem = Problem::all_numerical(Box::new(whole.unwrap()), dt);
    build(name, &[], problem, &Burst)
}

/// One step; counts the questions.
fn step(method: &mut dyn Integrator) -> usize {
    let mut questions = 0;
    loop {
        questions += 1;
        let displacement = method.target().displacement.clone();
        let mut force = vec![0.0; displacement.len()];
        if !force.is_empty() {
            linear_answer(&specimen(), method.target(), &mut force);
        }
        let before = method.observe().target_fraction();
        let answer = Answer::new(&displacement, &force);
        if method.feed(answer, &Burst) {
            return questions;
        }
        assert!(
            method.observe().needs_instant_answer()
                || method.observe().target_fraction() > before
                || questions > 1
        );
    }
}

#[test]
fn an_ideal_partition_equals_the_undivided_structure() {
    for entry in METHODS {
        let name = entry.method.name;
        let (mut hybrid, mut whole) = (hybrid(name), undivided(name, 0.002));
        let (mut worst, mut peak) = (0.0_f64, 0.0_f64);
        for _ in 0..2000 {
            let questions = step(hybrid.as_mut());
            assert!(
                questions == hybrid.properties().evaluations_per_step || name == "rk4",
                "{name}"
            );
            step(whole.as_mut());
            let pairs = hybrid.response().displacement.iter();
            for (a, b) in pairs.zip(&whole.response().displacement) {
                worst = larger(worst, (a - b).abs());
                peak = peak.max(b.abs());
            }
        }
        assert!(peak > 1e-4, "{name}: the structure hardly moves: {peak:e}");
        assert!(worst < 1e-9 * peak, "{name}: {worst:e} of {peak:e}");
    }
}

/// Newton's iteration cannot ask a specimen.
#[test]
fn a_specimen_is_not_iterated_upon() {
    for name in ["hht", "generalised-alpha", "newmark-iterated"] {
        let entry = common::entry(name);
        let mut values = common::defaults(&entry.method);
        values.set("iteration", tandem_quantity::Value::Text("newton".into()));
        let problem = Problem {
            structure: Box::new(numerical()),
            interface: INTERFACE.to_vec(),
            specimen: specimen(),
            dt: 0.002,
            instantaneous: true,
        };
        let error = (entry.build)(&values, problem, &IntegratorContext::of(&Burst))
            .err()
            .unwrap();
        assert_eq!(error.key, "iteration");
        // Five questions on the way, evenly.
        let mut hybrid = hybrid(name);
        for question in 1..=5 {
            assert!((hybrid.observe().target_fraction() - 0.2 * f64::from(question)).abs() < 1e-15);
            let displacement = hybrid.target().displacement.clone();
            let mut force = vec![0.0; 2];
            linear_answer(&specimen(), hybrid.target(), &mut force);
            let answer = Answer::new(&displacement, &force);
            assert_eq!(hybrid.feed(answer, &Burst), question == 5);
        }
    }
}

/// Led by force: on a linear structure whose stiffness is known the questions go evenly to the end
/// of the step, which is that of the undivided structure. Whatever the number of questions.
#[test]
fn equivalent_force_leads_evenly_to_the_end_of_the_step() {
    for (name, questions) in [
        ("newmark-iterated", 4_i64),
        ("hht", 1),
        ("generalised-alpha", 7),
    ] {
        let problem = Problem {
            structure: Box::new(numerical()),
            interface: INTERFACE.to_vec(),
            specimen: specimen(),
            dt: 0.002,
            instantaneous: true,
        };
        let given = [
            ("iteration", Value::Text("equivalent-force".into())),
            ("iterations", Value::Integer(questions)),
        ];
        let mut hybrid = build(name, &given, problem, &Burst);
        let mut whole = undivided(name, 0.002);
        let (mut worst, mut peak) = (0.0_f64, 0.0_f64);
        for _ in 0..1000 {
            let mut force = vec![0.0; 2];
            let mut before = hybrid.response().displacement[INTERFACE[0]];
            let mut way = Vec::new();
            loop {
                let displacement = hybrid.target().displacement.clone();
                way.push(displacement[0] - before);
                before = displacement[0];
                linear_answer(&specimen(), hybrid.target(), &mut force);
                let answer = Answer::new(&displacement, &force);
                if hybrid.feed(answer, &Burst) {
                    break;
                }
            }
            assert_eq!(i64::try_from(way.len()), Ok(questions));
            step(whole.as_mut());
            let [a, b] = [&hybrid, &whole].map(|m| m.response().displacement[INTERFACE[0]]);
            worst = larger(worst, (a - b).abs());
            peak = peak.max(b.abs());
            for stretch in &way {
                worst = larger(worst, (stretch - way[0]).abs());
            }
        }
        assert!(
            peak > 1e-4 && worst < 1e-9 * peak,
            "{name}: {worst:e} of {peak:e}"
        );
    }
}

#[test]
fn what_was_saved_goes_on_bit_for_bit() {
    for entry in METHODS {
        let name = entry.method.name;
        let mut first = hybrid(name);
        for _ in 0..150 {
            step(first.as_mut());
        }
        // In the middle of a step, where it has one.
        if first.properties().evaluations_per_step > 1 {
            let displacement = first.target().displacement.clone();
            let mut force = vec![0.0; 2];
            linear_answer(&specimen(), first.target(), &mut force);
            let answer = Answer::new(&displacement, &force);
            assert!(!first.feed(answer, &Burst));
        }
        let mut words = Vec::new();
        first.save(&mut words);
        let mut second = hybrid(name);
        let mut reader = StateReader::new(&words);
        second.restore(&mut reader).unwrap();
        assert_eq!(reader.remaining(), 0, "{name}");
        for _ in 0..150 {
            step(first.as_mut());
            step(second.as_mut());
        }
        let bits = |method: &dyn Integrator| {
            let mut words = Vec::new();
            method.save(&mut words);
            words.into_iter().map(f64::to_bits).collect::<Vec<_>>()
        };
        assert_eq!(bits(first.as_ref()), bits(second.as_ref()), "{name}");
    }
}

/// The divided structure in sub-steps, as the plan builds it.
fn sub_cycled(
    name: &str,
    sub_steps: i64,
    dt: f64,
) -> Result<Box<dyn Integrator>, tandem_quantity::BuildError> {
    use tandem_quantity::Value;
    let values = common::defaults(&common::entry(name).method)
        .with("method", Value::Text(name.into()))
        .with("sub_steps", Value::Integer(sub_steps));
    let problem = Problem {
        structure: Box::new(numerical()),
        interface: INTERFACE.to_vec(),
        specimen: specimen(),
        dt,
        instantaneous: false,
    };
    tandem_integrator::build(&values, problem, &IntegratorContext::of(&Burst))
}

/// Four sub-steps in a step of the test, the specimen asked once: the same as the undivided
/// structure in the short steps. Methods that ask several times, in the middle of a step, or
/// estimate a stiffness say that they cannot.
#[test]
fn sub_steps_of_a_partition_equal_short_steps_of_the_whole() {
    let mut able = Vec::new();
    for entry in METHODS {
        let name = entry.method.name;
        let mut hybrid = match sub_cycled(name, 4, 0.008) {
            Ok(method) => method,
            Err(error) => {
                assert_eq!(error.key, "sub_steps", "{name}: {error}");
                continue;
            }
        };
        let mut whole = undivided(name, 0.002);
        let (mut worst, mut peak) = (0.0_f64, 0.0_f64);
        for n in 1..=500 {
            assert_eq!(step(hybrid.as_mut()), 1, "{name} asks once");
            for _ in 0..4 {
                step(whole.as_mut());
            }
            assert_eq!(hybrid.steps(), n);
            let pairs = hybrid.response().displacement.iter();
            for (a, b) in pairs.zip(&whole.response().displacement) {
                worst = larger(worst, (a - b).abs());
                peak = peak.max(b.abs());
            }
        }
        assert!(worst < 1e-9 * peak, "{name}: {worst:e} of {peak:e}");
        // What was saved goes on.
        let mut words = Vec::new();
        hybrid.save(&mut words);
        let mut second = sub_cycled(name, 4, 0.008).unwrap();
        second.restore(&mut StateReader::new(&words)).unwrap();
        for _ in 0..20 {
            step(hybrid.as_mut());
            step(second.as_mut());
        }
        assert_eq!(hybrid.response(), second.response(), "{name}");
        able.push(name);
    }
    println!("sub-cycling: {}", able.join(", "));
    for name in [
        "newmark-explicit",
        "central-difference",
        "osm",
        "alpha-os",
        "kr-alpha",
    ] {
        assert!(able.contains(&name), "{name}");
    }
}

/// An explicit method whose step is too long for a stiff numerical substructure gets through it in
/// sub-steps.
#[test]
fn sub_steps_reach_below_the_stability_limit() {
    let error = sub_cycled("newmark-explicit", 1, 0.05).err().unwrap();
    assert_eq!(error.key, "dt");
    let mut method = sub_cycled("newmark-explicit", 10, 0.05).unwrap();
    assert!(method.properties().critical_dt.unwrap() > 0.05);
    assert!((method.properties().dt - 0.05).abs() < 1e-15);
    for _ in 0..200 {
        step(method.as_mut());
    }
    let largest = method
        .response()
        .displacement
        .iter()
        .map(|x| x.abs())
        .fold(0.0, larger);
    assert!(largest < 1.0, "{largest}");
}
