//! Structures of many degrees of freedom: a tall building in closed form, a yielding frame against
//! OpenSees.

use std::f64::consts::PI;

use crate::common::{build, el_centro};
use tandem_frame::element::Determination;
use tandem_frame::material::{Material, Steel02};
use tandem_frame::model::{DampingStiffness, Dof, Member, Model, ModelBuilder};
use tandem_frame::section::shape::{IShape, i_shape};
use tandem_integrator::{Answer, GroundMotion, NoLoad, Problem};
use tandem_quantity::{Motion, Value};
use tandem_structure::{Damping, Linear, Matrix, storey_matrix};
use tandem_test_support::larger;
use tandem_test_support::sections::lnec_frame;

/// A uniform shear building has the shapes sin((2j−1)πi/(2n+1)); in one of them, with damping a M,
/// average acceleration is the trapezoidal rule, whose steps multiply by λ = (1 + sΔt/2)/(1 −
/// sΔt/2), s = −σ + iω_d.
#[test]
fn a_tall_building_moves_in_one_mode_as_the_trapezoidal_rule_says() {
    let (storeys, mass, stiffness, dt) = (45, 2.0e3_f64, 3.0e6_f64, 0.01);
    let rate: f64 = 0.6;
    let n = storeys as f64;
    for mode in [1.0, 2.0, 7.0] {
        let angle = (2.0 * mode - 1.0) * PI / (2.0 * n + 1.0);
        let omega = 2.0 * (stiffness / mass).sqrt() * (0.5 * angle).sin();
        let shape: Vec<f64> = (1..=storeys).map(|i| (angle * i as f64).sin()).collect();
        let sigma = 0.5 * rate;
        let damped = (omega * omega - sigma * sigma).sqrt();
        // λ and A = 1 − iσ/ω_d, so that d₀ = 1 and v₀ = 0.
        let (above, below) = (
            (1.0 - 0.5 * dt * sigma, 0.5 * dt * damped),
            (1.0 + 0.5 * dt * sigma, -0.5 * dt * damped),
        );
        let size = below.0 * below.0 + below.1 * below.1;
        let growth = (
            (above.0 * below.0 + above.1 * below.1) / size,
            (above.1 * below.0 - above.0 * below.1) / size,
        );
        for name in ["newmark", "osm", "newmark-iterated"] {
            let masses = vec![mass; storeys];
            let structure = Linear::new(
                Matrix::diagonal(&masses),
                Matrix::diagonal(&vec![rate * mass; storeys]),
                storey_matrix(&vec![stiffness; storeys]).unwrap(),
            )
            .unwrap();
            let problem = Problem::all_numerical(Box::new(structure), dt);
            let mut method = build(name, &[], problem, &NoLoad);
            let motion = Motion {
                displacement: shape.clone(),
                velocity: vec![0.0; storeys],
                acceleration: shape.iter().map(|d| -omega * omega * d).collect(),
            };
            method.start_from(&motion, &NoLoad);
            let mut phase = (1.0, -sigma / damped);
            for _ in 0..800 {
                method.feed(Answer::NONE, &NoLoad);
                phase = (
                    phase.0 * growth.0 - phase.1 * growth.1,
                    phase.0 * growth.1 + phase.1 * growth.0,
                );
                for (d, shape) in method.response().displacement.iter().zip(&shape) {
                    let error = (d - shape * phase.0).abs();
                    assert!(error < 1e-9, "{name}, mode {mode}: {error:e}");
                }
            }
        }
    }
}

/// The frame of LNEC with the damping of its first mode.
fn lnec(determination: Determination) -> Model {
    let mut frame = lnec_frame(true, determination);
    let damping = Damping::Rayleigh {
        mass: 0.271_433_6,
        stiffness: 0.0,
    };
    frame.damping(damping, DampingStiffness::Initial);
    frame.build().unwrap()
}

/// OpenSees, Newmark with Newton at 0.5 ms: 80.1852 mm at 2.892 s.
#[test]
fn the_yielding_frame_reaches_the_displacement_of_opensees() {
    let ground = el_centro();
    let (dt, steps) = (0.0005, 5900);
    let settings = [Determination::default(), Determination::Carried];
    let mut last = Vec::new();
    for determination in settings {
        let model = lnec(determination);
        let top = model.free_dof(20, Dof::Ux).unwrap().unwrap();
        let loading = GroundMotion::new(&model, ground.clone());
        let problem = Problem::all_numerical(Box::new(model), dt);
        let tolerance = [("tolerance", Value::Number(1e-9))];
        let mut method = build("newmark-iterated", &tolerance, problem, &loading);
        let mut peak = (0.0_f64, 0.0);
        for step in 1..=steps {
            method.feed(Answer::NONE, &loading);
            let d = method.response().displacement[top].abs();
            if d > peak.0 {
                peak = (d, step as f64 * dt);
            }
        }
        assert_eq!(method.observe().unsettled(), 0);
        assert!((peak.0 - 80.1852e-3).abs() < 1e-5 * peak.0, "{peak:?}");
        assert!((peak.1 - 2.892).abs() < 0.005, "{peak:?}");
        last.push(method.response().displacement[top]);
    }
    // What sections owe at the end of a step must not add up.
    assert!((last[0] - last[1]).abs() < 1e-8 * 80e-3, "{last:?}");
}

/// A portal of two storeys whose joints have no rotary inertia.
fn portal_of_fibres(determination: Determination) -> Model {
    let steel = Steel02::new(355e6, 210e9, 0.01)
        .and_then(|steel| steel.with_curve(18.5, 0.925, 0.15))
        .unwrap();
    let outline = |height, width, web, flange| IShape {
        height,
        width,
        web,
        flange,
    };
    let member = |shape: IShape| {
        let layout = i_shape(&Material::from(steel), shape, (4, 1), (16, 1)).unwrap();
        Member::force_based(layout.build_2d().unwrap(), 5).with_determination(determination)
    };
    let column = member(outline(0.3, 0.3, 0.011, 0.019));
    let beam = member(outline(0.4, 0.18, 0.0086, 0.0135));
    let mut frame = ModelBuilder::plane();
    for level in 0..3 {
        for line in 0..2 {
            let node = 2 * level + line;
            let place = [6.0 * line as f64, 3.5 * level as f64];
            frame.node(node, place).unwrap();
            if level == 0 {
                frame.fix_all(node).unwrap();
            } else {
                let mass = [(Dof::Ux, 20e3), (Dof::Uy, 20e3)];
                frame.mass(node, &mass).unwrap();
                frame.member(node, [node - 2, node], &column).unwrap();
            }
        }
        if level > 0 {
            let ends = [2 * level, 2 * level + 1];
            frame.member(10 + level, ends, &beam).unwrap();
        }
    }
    let damping = Damping::Rayleigh {
        mass: 0.2,
        stiffness: 0.0,
    };
    frame.damping(damping, DampingStiffness::Initial);
    frame.build().unwrap()
}

fn strong_shaking(time: f64) -> f64 {
    let envelope = (time / 0.5).min(1.0);
    envelope * (7.0 * (9.1 * time).sin() + 4.0 * (23.7 * time).sin() + 2.0 * (61.3 * time).cos())
}

/// Top displacement under [`strong_shaking`], step by step.
fn shaken(name: &str, set: &[(&str, Value)], model: Model, dt: f64, steps: usize) -> Vec<f64> {
    let top = model.free_dof(4, Dof::Ux).unwrap().unwrap();
    let loading = GroundMotion::new(&model, strong_shaking);
    let mut method = build(
        name,
        set,
        Problem::all_numerical(Box::new(model), dt),
        &loading,
    );
    let mut history = Vec::with_capacity(steps);
    for _ in 0..steps {
        method.feed(Answer::NONE, &loading);
        history.push(method.response().displacement[top]);
    }
    assert_eq!(method.observe().unsettled(), 0);
    history
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    let peak = b.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let worst = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    worst.fold(0.0, larger) / peak
}

/// The predictor of rotations without mass would swing to and fro from step to step, and fibres
/// with it. Newton's iteration asks at the answer and tells where the frame really goes; it yields
/// (an elastic one goes elsewhere).
#[test]
fn operator_splitting_follows_a_yielding_frame_with_massless_rotations() {
    let (dt, steps) = (1.0 / 1024.0, 3000);
    let carried = || portal_of_fibres(Determination::Carried);
    let newton = [("tolerance", Value::Number(1e-9))];
    let expected = shaken("newmark-iterated", &newton, carried(), dt, steps);
    let whole = carried();
    let top = whole.free_dof(4, Dof::Ux).unwrap().unwrap();
    let elastic = Linear::of(tandem_structure::Structure::properties(&whole).clone());
    let loading = GroundMotion::new(&elastic, strong_shaking);
    let mut method = build(
        "newmark",
        &[],
        Problem::all_numerical(Box::new(elastic), dt),
        &loading,
    );
    let mut straight = Vec::new();
    for _ in 0..steps {
        method.feed(Answer::NONE, &loading);
        straight.push(method.response().displacement[top]);
    }
    let yielding = apart(&straight, &expected);
    assert!(yielding > 0.1, "the frame does not yield: {yielding}");
    let none: &[(&str, Value)] = &[];
    let slight = [("alpha", Value::Number(-0.02))];
    let nearly = [("rho_inf", Value::Number(0.98))];
    for (name, set, bound) in [
        ("osm", none, 1e-3),
        ("alpha-os", &slight, 2e-3),
        ("generalised-alpha-os", &nearly, 2e-3),
    ] {
        for determination in [Determination::default(), Determination::Carried] {
            let model = portal_of_fibres(determination);
            let history = shaken(name, set, model, dt, steps);
            let error = apart(&history, &expected);
            assert!(error < bound, "{name}, {determination:?}: {error}");
        }
    }
}
