//! Whole frames against published matrices, frequencies and earthquake responses.

use std::f64::consts::TAU;

use tandem_frame::element::Determination;
use tandem_frame::material::{Elastic, Material, Steel01};
use tandem_frame::model::{DampingStiffness, Dof, Member, MemberMass, Model, ModelBuilder};
use tandem_structure::modes::modes;
use tandem_structure::{Damping, Matrix, Structure};
use tandem_test_support::records::el_centro;
use tandem_test_support::sections::{lnec_frame, reinforced_concrete};
use tandem_test_support::{cells, data};

/// The multi-axial benchmark frame (Condori Uribe et al. 2023): diaphragms, shear deformation,
/// pinned bases, a release below a rigid stub. Its matrices were exported from SAP2000; rotations
/// count clockwise there.
#[test]
fn benchmark_frame_has_the_published_matrices() {
    let read = |name: &str| Some(cells(&data(&format!("benchmarks/marths_{name}.csv"))?));
    let Some(joints) = read("joints") else { return };
    let Some(members) = read("members") else {
        return;
    };
    let Some(stiffness) = read("K_reference") else {
        return;
    };
    let Some(mass) = read("M_reference") else {
        return;
    };
    let modulus = 199_947_978_796.0;
    let shear_modulus = modulus / 2.6;
    let mut frame = ModelBuilder::plane();
    let place = |joint: &str| -> [f64; 2] {
        let row = joints.iter().find(|row| row[0] == joint).unwrap();
        [row[1].parse().unwrap(), row[2].parse().unwrap()]
    };
    for row in &joints {
        frame.node(row[0].parse().unwrap(), place(&row[0])).unwrap();
    }
    for (joint, dofs) in [
        (1, &[Dof::Ux, Dof::Uy, Dof::Rz][..]),
        (2, &[Dof::Ux, Dof::Uy]),
        (3, &[Dof::Ux, Dof::Uy]),
        (4, &[Dof::Ux, Dof::Uy, Dof::Rz]),
    ] {
        frame.fix(joint, dofs).unwrap();
    }
    for first in [5, 9, 13] {
        let others = [first + 1, first + 2, first + 3];
        frame.rigid_diaphragm(Dof::Uy, first, &others).unwrap();
    }
    frame.node(20, [0.762, 0.635 - 0.028_575]).unwrap();
    frame.rigid_link(6, 20).unwrap();
    let release = Material::from(Elastic::new(0.0).unwrap());
    for (index, row) in members.iter().enumerate() {
        let number = |k: usize| -> f64 { row[k].parse().unwrap() };
        let (i, j): (usize, usize) = (row[0].parse().unwrap(), row[1].parse().unwrap());
        let [from, to] = [place(&row[0]), place(&row[1])];
        let length = (to[0] - from[0]).hypot(to[1] - from[1]);
        let member = Member::elastic(modulus, number(3), number(4))
            .with_shear(shear_modulus * number(5), 0.0);
        if row[7].contains("release") {
            // The stub is rigid in bending only: axial stiffness is that of the whole length.
            let area = number(3) * (length - 0.028_575) / length;
            let member = Member::elastic(modulus, area, number(4))
                .with_shear(shear_modulus * number(5), 0.0)
                .with_hinges([None, Some(release.clone())]);
            frame.member(index, [i, 20], &member).unwrap();
            let half = 0.5 * 7849.0476 * number(3) * length;
            for joint in [i, j] {
                frame
                    .mass(joint, &[(Dof::Ux, half), (Dof::Uy, half)])
                    .unwrap();
            }
        } else {
            let mass = MemberMass::Lumped(7849.0476 * number(3) + number(6));
            frame
                .member(index, [i, j], &member.with_mass(mass))
                .unwrap();
        }
    }
    let model = frame.build().unwrap();
    assert_eq!(model.properties().dof(), 29);
    // Equation of each of our degrees of freedom, and the sign of its direction.
    let equations: Vec<(usize, f64)> = (0..29)
        .map(|dof| {
            let label = model.properties().label(dof);
            let words: Vec<&str> = label.split(' ').collect();
            let row = joints.iter().find(|row| row[0] == words[1]).unwrap();
            let (column, sign) = match words[2] {
                "ux" => (3, 1.0),
                "uy" => (4, 1.0),
                _ => (5, -1.0),
            };
            (row[column].parse::<usize>().unwrap() - 1, sign)
        })
        .collect();
    for (what, reference, ours, tolerance) in [
        ("K", stiffness, &model.properties().stiffness, 1e-7),
        ("M", mass, &model.properties().mass, 1e-9),
    ] {
        let largest = (0..29).map(|i| ours.get(i, i)).fold(0.0, f64::max);
        for (i, (row, row_sign)) in equations.iter().enumerate() {
            for (j, (column, column_sign)) in equations.iter().enumerate() {
                let expected: f64 = reference[*row][*column].parse().unwrap();
                let got = row_sign * column_sign * ours.get(i, j);
                let scale = (ours.get(i, i) * ours.get(j, j)).sqrt().max(1e-9 * largest);
                assert!(
                    (got - expected).abs() < tolerance * scale,
                    "{what} {} × {}: {got} instead of {expected}",
                    model.properties().label(i),
                    model.properties().label(j)
                );
            }
        }
    }
    let found = modes(model.properties(), 5).unwrap();
    assert_eq!(found.count(), 5);
    for (got, expected) in found
        .frequencies_hz
        .iter()
        .zip([2.2913, 12.7480, 26.2803, 26.5352, 29.9124])
    {
        assert!((got - expected).abs() < 6e-5, "{got} instead of {expected}");
    }
}

/// The frame of LNEC with sections that end each step in equilibrium.
fn lnec(semi_rigid: bool) -> ModelBuilder {
    lnec_frame(semi_rigid, Determination::default())
}

#[test]
fn lnec_frame_has_its_frequencies() {
    for (semi_rigid, expected) in [(true, &[1.0800, 29.863, 42.213][..]), (false, &[1.1686])] {
        let model = lnec(semi_rigid).build().unwrap();
        let found = modes(model.properties(), 3).unwrap();
        assert_eq!(found.count(), 3);
        for (got, expected) in found.frequencies_hz.iter().zip(expected) {
            assert!(
                (got - expected).abs() < 6e-5 * expected.max(5.0),
                "{got} instead of {expected}"
            );
        }
    }
}

/// Force-weighted α-OS with the initial stiffness (Nakashima 1990; Combescure & Pegon 1997).
fn alpha_os(
    model: &mut Model,
    alpha: f64,
    dt: f64,
    steps: usize,
    ground: impl Fn(f64) -> f64,
    mut record: impl FnMut(f64, &[f64], &Model),
) {
    let n = model.properties().dof();
    let (beta, gamma) = (0.25 * (1.0 - alpha) * (1.0 - alpha), 0.5 - alpha);
    let weight = 1.0 + alpha;
    let (mass, damping, stiffness) = (
        model.properties().mass.clone(),
        model.properties().damping.clone(),
        model.properties().stiffness.clone(),
    );
    let effective = Matrix::combine(&[
        (beta * dt * dt * weight, &stiffness),
        (1.0, &mass),
        (gamma * dt * weight, &damping),
    ]);
    let mut factor = effective.factor().unwrap();
    let mut shaken = vec![0.0; n];
    mass.mul_into(&model.properties().influence, &mut shaken);
    let zeros = vec![0.0; n];
    let (mut d, mut v, mut a) = (zeros.clone(), zeros.clone(), zeros.clone());
    let (mut old_force, mut old_velocity, mut old_ground) = (zeros.clone(), zeros.clone(), 0.0);
    for step in 1..=steps {
        let time = step as f64 * dt;
        let predicted: Vec<f64> = (0..n)
            .map(|i| d[i] + dt * v[i] + 0.5 * dt * dt * (1.0 - 2.0 * beta) * a[i])
            .collect();
        let velocity: Vec<f64> = (0..n).map(|i| v[i] + dt * (1.0 - gamma) * a[i]).collect();
        let mut force = zeros.clone();
        model.restoring_force(&predicted, &velocity, &mut force);
        model.commit();
        let acceleration = ground(time);
        let mut rhs: Vec<f64> = (0..n)
            .map(|i| {
                -shaken[i] * (weight * acceleration - alpha * old_ground) + alpha * old_force[i]
                    - weight * force[i]
            })
            .collect();
        damping.mul_add(alpha, &old_velocity, &mut rhs);
        damping.mul_add(-weight, &velocity, &mut rhs);
        damping.mul_add(alpha * gamma * dt, &a, &mut rhs);
        stiffness.mul_add(alpha * beta * dt * dt, &a, &mut rhs);
        factor.solve_in_place(&mut rhs);
        for i in 0..n {
            d[i] = predicted[i] + beta * dt * dt * rhs[i];
            v[i] = velocity[i] + gamma * dt * rhs[i];
        }
        a = rhs;
        (old_force, old_velocity, old_ground) = (force, velocity, acceleration);
        record(time, &d, model);
    }
}

/// Peak top displacement (mm), its time (s), last displacement (mm), peak force of the specimen
/// (kN).
fn lnec_run(peak_ground: f64) -> [f64; 4] {
    let ground = el_centro();
    let mut frame = lnec(true);
    let damping = Damping::Rayleigh {
        mass: 0.271_433_6,
        stiffness: 0.0,
    };
    frame.damping(damping, DampingStiffness::Initial);
    let mut model = frame.build().unwrap();
    let top = model.free_dof(20, Dof::Ux).unwrap().unwrap();
    let scale = peak_ground / 0.318_82 * 9.81;
    let (mut peak, mut when, mut end, mut specimen) = (0.0_f64, 0.0, 0.0, 0.0_f64);
    alpha_os(
        &mut model,
        -0.1,
        0.004,
        7800,
        |time| scale * ground(time),
        |time, d, model| {
            if d[top].abs() > peak {
                (peak, when) = (d[top].abs(), time);
            }
            end = d[top];
            specimen = specimen.max(model.end_forces(1).unwrap()[3].abs());
        },
    );
    assert_eq!(model.failures(), 0);
    [1e3 * peak, when, 1e3 * end, 1e-3 * specimen]
}

#[test]
fn lnec_frame_shakes_like_the_reference() {
    let elastic = lnec_run(0.03);
    println!("0.03 g: {elastic:?}");
    for (got, expected) in elastic.iter().zip([13.746_179, 6.036, -1.333_737, 3.6078]) {
        assert!((got / expected - 1.0).abs() < 1e-6, "{elastic:?}");
    }
    let yielding = lnec_run(0.318_82);
    println!("0.31882 g: {yielding:?}");
    for (got, expected) in yielding.iter().zip([80.1830, 2.892, -13.1387, 19.5915]) {
        assert!((got - expected).abs() < 1e-4 * 80.0, "{yielding:?}");
    }
}

#[test]
fn concrete_sticks_have_their_periods() {
    for (storeys, expected) in [
        (1_usize, &[0.2367][..]),
        (2, &[0.7023, 0.1056]),
        (6, &[4.900, 0.771]),
    ] {
        let mut stick = ModelBuilder::plane();
        stick.node(0, [0.0, 0.0]).unwrap();
        stick.fix_all(0).unwrap();
        let column = Member::force_based(reinforced_concrete(), 5);
        for storey in 1..=storeys {
            stick.node(storey, [0.0, 120.0 * storey as f64]).unwrap();
            stick.mass(storey, &[(Dof::Ux, 0.359_259_5)]).unwrap();
            stick.member(storey, [storey - 1, storey], &column).unwrap();
        }
        let model = stick.build().unwrap();
        let found = modes(model.properties(), expected.len()).unwrap();
        for (mode, expected) in expected.iter().enumerate() {
            let period = TAU / found.circular(mode);
            assert!(
                (period - expected).abs() < 6e-4 * expected,
                "{storeys} storeys: {period} instead of {expected}"
            );
        }
    }
}

/// Plastic hinges at the ends of a clamped beam under a force in the middle: collapse at P = 8
/// M_p/L.
#[test]
fn hinges_form_a_mechanism_at_the_plastic_load() {
    use tandem_frame::model::{LoadCase, StaticAnalysis, StaticSettings};
    let (length, plastic) = (6.0, 50e3);
    // Springs stiff against the beam, which yield at M_p and harden a little.
    let hinge: Material = Steel01::new(plastic, 1e10, 1e-6).unwrap().into();
    let mut frame = ModelBuilder::plane();
    for node in 0..=2_usize {
        frame.node(node, [0.5 * length * node as f64, 0.0]).unwrap();
    }
    frame.fix_all(0).unwrap();
    frame.fix_all(2).unwrap();
    let beam = Member::elastic(210e9, 0.005, 4e-5);
    let left = beam.clone().with_hinges([Some(hinge.clone()), None]);
    let right = beam.with_hinges([Some(hinge.clone()), Some(hinge)]);
    frame.member(1, [0, 1], &left).unwrap();
    frame.member(2, [1, 2], &right).unwrap();
    let mut model = frame.build().unwrap();
    let load = LoadCase::new().nodal(1, Dof::Uy, -1.0);
    let mut analysis = StaticAnalysis::new(&model, &load, StaticSettings::default()).unwrap();
    let mut force = 0.0;
    for step in 1..=40 {
        force = analysis
            .push_to(&mut model, 1, Dof::Uy, -0.005 * f64::from(step))
            .unwrap();
    }
    // A force in the middle: P L/4 = 2 M_p.
    let collapse = 8.0 * plastic / length;
    assert!((force / collapse - 1.0).abs() < 0.05, "{force} {collapse}");
}
