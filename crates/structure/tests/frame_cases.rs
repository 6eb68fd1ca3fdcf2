//! Whole frames against published matrices, frequencies and earthquake responses.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::f64::consts::TAU;
use std::path::PathBuf;

use tandem_structure::material::{Concrete02, Crushing, Elastic, Material, Steel01, Steel02};
use tandem_structure::model::{DampingStiffness, Dof, Member, MemberMass, Model, ModelBuilder};
use tandem_structure::modes::modes;
use tandem_structure::section::shape::{BarRow, IShape, ReinforcedConcrete, i_shape};
use tandem_structure::section::{FibreSection2d, Section2d};
use tandem_structure::{Damping, Matrix, Structure};

fn data(file: &str) -> Option<String> {
    let Some(data) = std::env::var_os("TANDEM_DATA") else {
        println!("{file}: skipped, TANDEM_DATA is not set");
        return None;
    };
    let path = PathBuf::from(data).join(file);
    let text = std::fs::read_to_string(&path);
    Some(text.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

fn table(text: &str) -> Vec<Vec<String>> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}

/// The multi-axial benchmark frame (Condori Uribe et al. 2023): diaphragms, shear deformation, pinned bases, a release below a
/// rigid stub. Its matrices were exported from SAP2000; rotations count clockwise there.
#[test]
fn benchmark_frame_has_the_published_matrices() {
    let (Some(joints), Some(members), Some(stiffness), Some(mass)) = (
        data("benchmarks/marths_joints.csv"),
        data("benchmarks/marths_members.csv"),
        data("benchmarks/marths_K_reference.csv"),
        data("benchmarks/marths_M_reference.csv"),
    ) else {
        return;
    };
    let modulus = 199_947_978_796.0;
    let shear_modulus = modulus / 2.6;
    let mut frame = ModelBuilder::plane();
    let joints = table(&joints);
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
    for (index, row) in table(&members).iter().enumerate() {
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
    assert_eq!(model.dof(), 29);
    // Equation of each of our degrees of freedom, and the sign of its direction.
    let equations: Vec<(usize, f64)> = (0..29)
        .map(|dof| {
            let label = model.label(dof);
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
    for (what, text, ours, tolerance) in [
        ("K", stiffness, model.stiffness(), 1e-7),
        ("M", mass, model.mass(), 1e-9),
    ] {
        let reference = table(&text);
        let largest = (0..29).map(|i| ours.get(i, i)).fold(0.0, f64::max);
        for (i, (row, row_sign)) in equations.iter().enumerate() {
            for (j, (column, column_sign)) in equations.iter().enumerate() {
                let expected: f64 = reference[*row][*column].parse().unwrap();
                let got = row_sign * column_sign * ours.get(i, j);
                let scale = (ours.get(i, i) * ours.get(j, j)).sqrt().max(1e-9 * largest);
                assert!(
                    (got - expected).abs() < tolerance * scale,
                    "{what} {} × {}: {got} instead of {expected}",
                    model.label(i),
                    model.label(j)
                );
            }
        }
    }
    let found = modes(&model, 5).unwrap();
    for (got, expected) in found
        .frequencies_hz
        .iter()
        .zip([2.2913, 12.7480, 26.2803, 26.5352, 29.9124])
    {
        assert!((got - expected).abs() < 6e-5, "{got} instead of {expected}");
    }
}

fn heb100() -> Section2d {
    let steel = Steel02::new(355e6, 210e9, 0.010_869_565_217_391_304)
        .unwrap()
        .with_curve(20.0, 0.925, 0.15)
        .unwrap();
    let shape = IShape {
        height: 0.1,
        width: 0.1,
        web: 0.006,
        flange: 0.01,
    };
    let layout = i_shape(&steel.into(), shape, (4, 1), (16, 1)).unwrap();
    layout.build_2d().unwrap().into()
}

/// Two-bay frame of LNEC (Tekeste, Correia & Costa 2025, §3): columns fixed at the base and hinged at the top, an outer one on a
/// rotational spring.
fn lnec(semi_rigid: bool) -> ModelBuilder {
    let mut frame = ModelBuilder::plane();
    let column = Member::force_based(heb100(), 5);
    let beam = Member::elastic(210e9, 39.12e-4, 3892e-8);
    for line in 0..3_usize {
        let x = 3.6 * line as f64;
        frame.node(line, [x, 0.0]).unwrap();
        frame.fix_all(line).unwrap();
        frame.node(10 + line, [x, 1.8]).unwrap();
        frame.node(20 + line, [x, 1.8]).unwrap();
        frame
            .equal_dof(20 + line, 10 + line, &[Dof::Ux, Dof::Uy])
            .unwrap();
        let part = if line == 1 { 0.5 } else { 0.25 };
        frame
            .mass(20 + line, &[(Dof::Ux, part * 25_967.51)])
            .unwrap();
    }
    frame.node(30, [0.0, 0.0]).unwrap();
    let base = if semi_rigid {
        frame.equal_dof(0, 30, &[Dof::Ux, Dof::Uy]).unwrap();
        let spring = Material::from(Elastic::new(1942e3).unwrap());
        frame
            .zero_length(100, [0, 30], &[(Dof::Rz, &spring)])
            .unwrap();
        30
    } else {
        frame.fix_all(30).unwrap();
        0
    };
    frame.member(1, [base, 10], &column).unwrap();
    frame.member(2, [1, 11], &column).unwrap();
    frame.member(3, [2, 12], &column).unwrap();
    frame.member(4, [20, 21], &beam).unwrap();
    frame.member(5, [21, 22], &beam).unwrap();
    frame
}

#[test]
fn lnec_frame_has_its_frequencies() {
    for (semi_rigid, expected) in [(true, &[1.0800, 29.863, 42.213][..]), (false, &[1.1686])] {
        let model = lnec(semi_rigid).build().unwrap();
        let found = modes(&model, 3).unwrap();
        for (got, expected) in found.frequencies_hz.iter().zip(expected) {
            assert!(
                (got - expected).abs() < 6e-5 * expected.max(5.0),
                "{got} instead of {expected}"
            );
        }
    }
}

fn el_centro(text: &str) -> impl Fn(f64) -> f64 {
    let mut record = vec![0.0];
    record.extend(text.split_whitespace().map(|v| v.parse::<f64>().unwrap()));
    assert_eq!(record.len(), 1561);
    move |time: f64| {
        let place = time / 0.02;
        let index = place.floor();
        let part = place - index;
        let at = |k: f64| {
            (0..record.len())
                .find(|i| (*i as f64 - k).abs() < 0.5)
                .map_or(0.0, |i| record[i])
        };
        if part < 1e-9 {
            at(index)
        } else {
            at(index) * (1.0 - part) + at(index + 1.0) * part
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
    let n = model.dof();
    let (beta, gamma) = (0.25 * (1.0 - alpha) * (1.0 - alpha), 0.5 - alpha);
    let weight = 1.0 + alpha;
    let (mass, damping, stiffness) = (
        model.mass().clone(),
        model.damping().clone(),
        model.stiffness().clone(),
    );
    let effective = Matrix::combine(&[
        (beta * dt * dt * weight, &stiffness),
        (1.0, &mass),
        (gamma * dt * weight, &damping),
    ]);
    let mut factor = effective.factor().unwrap();
    let mut shaken = vec![0.0; n];
    mass.mul_into(model.influence(), &mut shaken);
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

fn lnec_run(peak_ground: f64) -> Option<[f64; 4]> {
    let text = data("ground-motions/elcentro_ns_g_dt0p02.txt")?;
    let ground = el_centro(&text);
    let mut frame = lnec(true);
    let damping = Damping::Rayleigh {
        mass: 0.271_433_6,
        stiffness: 0.0,
    };
    frame.damping(damping, DampingStiffness::Initial);
    let mut model = frame.build().unwrap();
    let top = model.free_dof(20, Dof::Ux).unwrap();
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
    Some([1e3 * peak, when, 1e3 * end, 1e-3 * specimen])
}

#[test]
fn lnec_frame_shakes_like_the_reference() {
    // Peak top displacement (mm), its time, last displacement (mm), peak force of the specimen (kN).
    let Some(elastic) = lnec_run(0.03) else {
        return;
    };
    println!("0.03 g: {elastic:?}");
    for (got, expected) in elastic.iter().zip([13.746_179, 6.036, -1.333_737, 3.6078]) {
        assert!((got / expected - 1.0).abs() < 1e-6, "{elastic:?}");
    }
    let Some(yielding) = lnec_run(0.318_82) else {
        return;
    };
    println!("0.31882 g: {yielding:?}");
    for (got, expected) in yielding.iter().zip([80.1830, 2.892, -13.1387, 19.5915]) {
        assert!((got - expected).abs() < 1e-4 * 80.0, "{yielding:?}");
    }
}

fn concrete(values: [f64; 6]) -> Material {
    let crushing = Crushing {
        strength: values[0],
        strain_at_strength: values[1],
        crushing_stress: values[2],
        crushing_strain: values[3],
    };
    Concrete02::new(crushing, 0.1, values[4], values[5])
        .unwrap()
        .into()
}

/// The reinforced-concrete section of Hung & El-Tawil (2009), ksi and inches.
fn reinforced_concrete() -> FibreSection2d {
    let row = |y: f64, count: usize| BarRow {
        y,
        count,
        bar_area: 1.0,
    };
    let section = ReinforcedConcrete {
        width: 24.0,
        height: 24.0,
        cover: 2.0,
        core_concrete: concrete([-7.2, -0.0045, -2.4, -0.03, 0.72, 360.0]),
        cover_concrete: concrete([-6.0, -0.002, -0.4, -0.01, 0.6, 300.0]),
        steel: Steel01::new(60.0, 29_000.0, 0.01).unwrap().into(),
        rows: vec![row(10.0, 3), row(0.0, 2), row(-10.0, 3)],
        layers: (20, 4),
        across: 1,
    };
    section.layout().unwrap().build_2d().unwrap()
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
        let found = modes(&model, expected.len()).unwrap();
        for (mode, expected) in expected.iter().enumerate() {
            let period = TAU / found.circular(mode);
            assert!(
                (period - expected).abs() < 6e-4 * expected,
                "{storeys} storeys: {period} instead of {expected}"
            );
        }
    }
}

/// Plastic hinges at the ends of a clamped beam under a force in the middle: collapse at P = 8 M_p/L.
#[test]
fn hinges_form_a_mechanism_at_the_plastic_load() {
    use tandem_structure::model::{LoadCase, StaticAnalysis, StaticSettings};
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
