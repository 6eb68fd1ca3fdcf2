//! Spectral radius, period error and numerical damping from the code's own steps, against reference
//! files (numpy, closed form).

use crate::common::{build, defaults, entry, one, oscillator};
use tandem_integrator::{
    Answer, IntegratorContext, METHODS, NOISE_STEPS, NoLoad, Problem, Spectral, amplification,
    error_growth, spectral,
};
use tandem_quantity::{Motion, Snapshot, SnapshotError, SpecimenMatrices, StateReader, Value};
use tandem_structure::{Linear, Matrix, Structure, StructureProperties};
use tandem_test_support::{Table, data_for_part};

fn near(found: f64, expected: f64, tolerance: f64, what: &str) {
    let scale = expected.abs().max(1.0);
    assert!(
        (found - expected).abs() <= tolerance * scale,
        "{what}: {found:.15}, expected {expected:.15}"
    );
}

/// 1e-9; but where roots meet, rounding moves them: two by its square root, three (kr-alpha without
/// damping at high frequency) by its cube root; and the effective matrices lose digits with Ω.
fn tolerance(found: &Spectral, omega: f64) -> f64 {
    let [a, b, c] = found.roots;
    let apart = [(a, b), (b, c), (c, a)]
        .iter()
        .map(|(x, y)| (x[0] - y[0]).hypot(x[1] - y[1]))
        .fold(f64::INFINITY, f64::min);
    (1e-15 * (1.0 + omega) / (apart * apart)).clamp(1e-9, 1e-6)
}

/// Radius, period error and numerical damping; the last two are missing where the roots are real.
type Expected = [Option<f64>; 3];

/// Three cells of a file, blank where there is nothing.
fn expected(cells: &[String]) -> Expected {
    let cell = |cell: &String| (!cell.is_empty()).then(|| cell.parse().unwrap());
    [0, 1, 2].map(|k| cell(&cells[k]))
}

fn compare(found: Spectral, omega: f64, expected: Expected, what: &str) {
    let tolerance = tolerance(&found, omega);
    let [radius, others @ ..] = expected;
    near(found.radius, radius.unwrap(), tolerance, what);
    for (value, expected) in [found.period_error, found.numerical_damping]
        .into_iter()
        .zip(others)
    {
        if tolerance < 1e-7 {
            let both = value.is_some() == expected.is_some();
            assert!(both, "{what}: {found:?}, {expected:?}");
        }
        if let (Some(value), Some(expected)) = (value, expected) {
            // The angle of a small root is known to the rounding of the matrix over its modulus.
            let tolerance = tolerance / found.radius.clamp(1e-3, 1.0);
            near(value, expected, tolerance, what);
        }
    }
}

/// The trapezoidal rule on an oscillator of this mass, with the damping and the stiffness of Ω and
/// ξ at Δt = 1: 4M(λ − 1)² + 2C(λ² − 1) + K(λ + 1)² = 0.
///
/// Newmark's methods with γ = ½ are this rule with (β − ¼)K added to the mass. So is operator
/// splitting with ¼(K_I − K) and ½(C_I − C) of what is taken for stiffness and damping: its last
/// correction of the acceleration adds them.
fn trapezoidal(mass: f64, omega: f64, xi: f64) -> Expected {
    let (damping, stiffness) = (2.0 * xi * omega, omega * omega);
    let a = 4.0 * mass + 2.0 * damping + stiffness;
    let b = 2.0 * stiffness - 8.0 * mass;
    let c = 4.0 * mass - 2.0 * damping + stiffness;
    let square = b * b - 4.0 * a * c;
    if square >= 0.0 {
        let roots = [1.0, -1.0].map(|sign| (0.5 * (sign * square.sqrt() - b) / a).abs());
        return [Some(roots[0].max(roots[1])), None, None];
    }
    let radius = (c / a).sqrt();
    let phase = (-square).sqrt().atan2(-b * a.signum());
    let period = omega * (1.0 - xi * xi).sqrt() / phase - 1.0;
    let decay = radius.ln();
    let damping = -decay / phase.hypot(decay) - xi;
    [Some(radius), Some(period), Some(damping)]
}

/// The exact discretisation has neither period error nor damping of its own, at any Ω below π.
#[test]
fn the_exact_method_is_exact() {
    let entry = entry("exact");
    for omega in [0.01, 0.5, 1.0, 2.0, 3.0] {
        for xi in [0.0, 0.05, 0.3] {
            let found = spectral(entry.build, &defaults(&entry.method), omega, xi).unwrap();
            let what = format!("ξ {xi} Ω {omega}");
            near(found.radius, (-xi * omega).exp(), 1e-12, &what);
            near(found.period_error.unwrap(), 0.0, 1e-11, &what);
            near(found.numerical_damping.unwrap(), 0.0, 1e-11, &what);
        }
    }
}

/// Newmark with 2β < γ uses its stiffness matrix, so its refusal above the limit stands.
#[test]
fn a_refusal_stands_where_the_stiffness_is_used() {
    for name in ["newmark", "newmark-iterated"] {
        let entry = entry(name);
        let mut values = defaults(&entry.method);
        values.set("beta", Value::Number(1.0 / 6.0));
        let found = spectral(entry.build, &values, 3.46, 0.0).unwrap();
        near(found.radius, 1.0, 1e-12, "below the limit of √12");
        let error = spectral(entry.build, &values, 3.47, 0.0).unwrap_err();
        assert_eq!(error.key, "dt");
    }
}

fn nobody(_: &Motion, _: &mut [f64]) {}

/// Compares a method, with its defaults but for what is given.
fn compare_method(
    (name, given): (&str, &[(&'static str, Value)]),
    [omega, xi]: [f64; 2],
    expected: Expected,
) {
    let entry = entry(name);
    let mut values = defaults(&entry.method);
    for (key, value) in given {
        values.set(*key, value.clone());
    }
    let found = spectral(entry.build, &values, omega, xi).unwrap();
    let what = format!("{name} {given:?} ξ {xi} Ω {omega}");
    compare(found, omega, expected, &what);
}

#[test]
fn every_method_has_the_spectrum_of_the_reference() {
    let (linear, explicit) = (1.0 / 6.0, 0.0);
    for (name, given, beta, most) in [
        ("newmark", vec![], 0.25, 1e3),
        ("newmark-iterated", vec![], 0.25, 1e3),
        ("osm", vec![], 0.25, 1e3),
        ("osm-us", vec![], 0.25, 1e3),
        ("cr", vec![], 0.25, 1e3),
        ("chang", vec![], 0.25, 1e3),
        ("alpha-os", vec![("alpha", Value::Number(0.0))], 0.25, 1e3),
        // Linear acceleration is stable up to Ω = √12, and refuses what lies above.
        (
            "newmark-iterated",
            vec![("beta", Value::Number(linear))],
            linear,
            3.4,
        ),
        ("newmark-explicit", vec![], explicit, 10.0),
    ] {
        let frequencies = [
            0.01, 0.1, 0.5, 1.0, 1.5, 1.99, 2.01, 3.0, 4.0, 10.0, 50.0, 1e3,
        ];
        for omega in frequencies.into_iter().filter(|omega| *omega <= most) {
            for xi in [0.0, 0.02, 0.05] {
                let expected = trapezoidal(1.0 + (beta - 0.25) * omega * omega, omega, xi);
                compare_method((name, &given), [omega, xi], expected);
            }
        }
    }
    let file = "oracles/integrator_spectral.csv";
    let Some(path) = data_for_part("all but Newmark's kind", file) else {
        return;
    };
    let rows = Table::read(&path).rows;
    let mut compared = 0;
    for row in &rows {
        let value = |key: &'static str| {
            let text = row[1].split('=').nth(1).unwrap();
            vec![(key, Value::Number(text.parse().unwrap()))]
        };
        let (name, given) = match row[0].as_str() {
            "newmark_average" => ("newmark", vec![]),
            "newmark_linear" => ("newmark-iterated", vec![("beta", Value::Number(1.0 / 6.0))]),
            "newmark_explicit" => ("newmark-explicit", value("gamma")),
            "hht" => ("hht", value("alpha")),
            "gen_alpha" => ("generalised-alpha", value("rho_inf")),
            "alpha_os" => ("alpha-os", value("alpha")),
            "cr" => ("cr", vec![]),
            "kr_alpha" => ("kr-alpha", value("rho_inf")),
            "mkr_alpha" => ("mkr-alpha", value("rho_inf")),
            "chang" => ("chang", vec![]),
            "lsrt2" => ("rosenbrock", vec![]),
            other => unreachable!("{other}"),
        };
        let (xi, omega): (f64, f64) = (row[2].parse().unwrap(), row[3].parse().unwrap());
        let mut names = vec![name];
        match row[0].as_str() {
            "gen_alpha" => names.push("generalised-alpha-os"),
            "newmark_average" => names.extend(["osm", "osm-us", "newmark-iterated"]),
            "alpha_os" => names.push("osm-us"),
            "newmark_explicit" if row[1] == "gamma=0.5" && xi <= 0.0 => {
                names.push("central-difference");
            }
            _ => {}
        }
        // Linear acceleration is stable up to Ω = √12, and refuses what lies above.
        if row[0] == "newmark_linear" && omega > 12.0_f64.sqrt() {
            names.clear();
        }
        for name in names {
            compare_method((name, &given), [omega, xi], expected(&row[4..7]));
            compared += 1;
        }
    }
    assert!(compared > 3000, "{compared}");
}

/// A spring of stiffness one that is taken for another.
struct Misjudged {
    linear: Linear,
    taken: StructureProperties,
}

impl Snapshot for Misjudged {
    fn save(&self, _: &mut Vec<f64>) {}
    fn restore(&mut self, _: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        Ok(())
    }
}

impl Structure for Misjudged {
    fn properties(&self) -> &StructureProperties {
        &self.taken
    }
    fn restoring_force(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]) {
        self.linear.restoring_force(displacement, velocity, force);
    }
    fn tangent(&self, stiffness: &mut Matrix) {
        self.linear.tangent(stiffness);
    }
    fn commit(&mut self) {}
    fn revert(&mut self) {}
}

#[test]
fn alpha_os_with_another_splitting_stiffness() {
    let check = |[alpha, ratio, xi, omega]: [f64; 4], expected: Expected| {
        let linear = oscillator(1.0, 2.0 * xi * omega, omega * omega);
        let taken = StructureProperties {
            stiffness: one(ratio * omega * omega),
            is_linear: false,
            ..linear.properties().clone()
        };
        let structure = Misjudged { linear, taken };
        let problem = Problem::all_numerical(Box::new(structure), 1.0);
        let given = [("alpha", Value::Number(alpha))];
        let mut method = build("alpha-os", &given, problem, &NoLoad);
        let matrix = amplification(method.as_mut(), &mut nobody);
        let what = format!("α {alpha} K_I/K {ratio} ξ {xi} Ω {omega}");
        compare(Spectral::new(&matrix, omega, xi), omega, expected, &what);
    };
    for ratio in [0.5, 0.75, 0.9, 1.0, 1.25, 2.0, 4.0] {
        for xi in [0.0, 0.02] {
            for omega in [0.01, 0.1, 0.5, 1.0, 1.5, 1.9, 2.1, 2.5, 4.0, 10.0, 50.0] {
                let mass = 1.0 + 0.25 * (ratio - 1.0) * omega * omega;
                check([0.0, ratio, xi, omega], trapezoidal(mass, omega, xi));
            }
        }
    }
    let file = "oracles/alpha_os_splitting_stiffness.csv";
    let Some(path) = data_for_part("α other than zero", file) else {
        return;
    };
    for row in Table::read(&path).rows {
        let values = [0, 1, 2, 3].map(|k| row[k].parse().unwrap());
        check(values, expected(&row[4..7]));
    }
}

/// Hung and El-Tawil 2009, Eqs 13–18: the specimen's stiffness and damping are taken for α K and β
/// C.
#[test]
fn operator_splitting_with_an_estimate_of_the_specimen() {
    let check = |[alpha, beta, xi, omega]: [f64; 4], expected: Expected| {
        let (k, c) = (omega * omega, 2.0 * xi * omega);
        for (name, given) in [
            ("osm", vec![]),
            // Before its window is full, the estimate is the assumed stiffness.
            ("osm-us", vec![("window", Value::Integer(9))]),
        ] {
            let problem = Problem {
                structure: Box::new(oscillator(1.0, 0.0, 0.0)),
                interface: vec![0],
                specimen: SpecimenMatrices {
                    dof: 1,
                    mass: vec![0.0],
                    damping: vec![beta * c],
                    stiffness: vec![alpha * k],
                },
                dt: 1.0,
                instantaneous: true,
            };
            let mut method = build(name, &given, problem, &NoLoad);
            let matrix = amplification(method.as_mut(), &mut |at, force| {
                force[0] = k * at.displacement[0] + c * at.velocity[0];
            });
            let found = Spectral::new(&matrix, omega, xi);
            let what = format!("{name} α {alpha} β {beta} ξ {xi} Ω {omega}");
            compare(found, omega, expected, &what);
        }
    };
    for alpha in [0.25, 0.5, 0.9, 1.0, 1.25, 2.0] {
        for beta in [0.5, 1.0, 2.0] {
            for xi in [0.0, 0.02, 0.1] {
                for omega in [0.05, 0.5, 1.0, 1.5, 1.9, 2.1, 2.5, 3.2, 5.0, 10.0, 50.0] {
                    let (k, c) = (omega * omega, 2.0 * xi * omega);
                    let mass = 1.0 + 0.25 * (alpha - 1.0) * k + 0.5 * (beta - 1.0) * c;
                    check([alpha, beta, xi, omega], trapezoidal(mass, omega, xi));
                }
            }
        }
    }
    // The same equations once more, as an independent program solved them.
    let file = "oracles/osmus_amplification.csv";
    if let Some(path) = data_for_part("as an independent program solved them", file) {
        for row in Table::read(&path).rows {
            let values = [0, 1, 2, 3].map(|k| row[k].parse().unwrap());
            let [radius, period, damping] = expected(&row[4..7]);
            // The paper counts a longer period as negative.
            check(values, [radius, period.map(|p| -p), damping]);
        }
    }
}

/// The roots of the modified predictor–corrector, from the closed form of its step: stable up to Ω
/// = 1/√(¼ + β), period longer by (12β − 1)Ω²/24, undamped motion decaying with a ratio of ½βΩ³.
#[test]
fn the_modified_predictor_corrector_has_its_closed_form() {
    let entry = entry("modified-predictor-corrector");
    for beta in [1.0 / 12.0, 1.0 / 6.0, 0.25] {
        let mut values = defaults(&entry.method);
        values.set("beta", Value::Number(beta));
        let at = |omega: f64, xi: f64| spectral(entry.build, &values, omega, xi).unwrap();
        let small = at(0.02, 0.0);
        let (period, damping) = (
            small.period_error.unwrap() / 4e-4,
            small.numerical_damping.unwrap() / 8e-6,
        );
        assert!(
            (period - (12.0 * beta - 1.0) / 24.0).abs() < 1e-4,
            "{period}"
        );
        assert!((damping - 0.5 * beta).abs() < 1e-4, "{damping}");
        let limit = 1.0 / (0.25 + beta).sqrt();
        for xi in [0.0, 0.02] {
            assert!(at(0.999 * limit, xi).radius < 1.0);
            assert!(at(1.001 * limit, xi).radius > 1.0);
        }
    }
}

/// Errors of the imposed displacement, for every method that asks once in a step: stopping short of
/// every increment by ε adds a damping ratio of −½εΩ, as a delay of εΔt would; going too far takes
/// it away; random errors walk, to Ω √(N/2) of their size.
#[test]
fn control_errors_grow_as_they_must() {
    let omega = 0.05;
    for entry in METHODS {
        let name = entry.method.name;
        let found = error_growth(entry.build, &defaults(&entry.method), omega, 0.0);
        let found = found.unwrap().unwrap();
        // Where a step has several questions, each is short of its own increment; rk4's do not even
        // move forward.
        if ![
            "newmark-iterated",
            "hht",
            "generalised-alpha",
            "rk4",
            "rosenbrock",
        ]
        .contains(&name)
        {
            let expected = 0.005 * omega;
            assert!(
                (found.undershoot_damping / expected + 1.0).abs() < 0.05,
                "{name}: {found:?}"
            );
            assert!(
                (found.overshoot_damping / expected - 1.0).abs() < 0.05,
                "{name}: {found:?}"
            );
            let walk = omega * (0.5 * f64::from(NOISE_STEPS)).sqrt();
            // Numerical damping forgets.
            assert!(
                found.noise < 1.03 * walk && found.noise > 0.5 * walk,
                "{name}: {found:?}, {walk}"
            );
        }
        assert!(found.noise.is_finite(), "{name}");
    }
    let explicit = entry("newmark-explicit");
    let refused = error_growth(explicit.build, &defaults(&explicit.method), 2.1, 0.0).unwrap();
    assert_eq!(refused, None);
}

/// What becomes of the energy of a free vibration without damping: it never grows; average
/// acceleration, operator splitting and the exact discretisation keep it to the last digits; every
/// other method loses it at the rate that its spectral radius says.
#[test]
fn energy_is_kept_or_lost_as_the_spectrum_says() {
    for entry in METHODS {
        let name = entry.method.name;
        for omega in [0.3_f64, 1.0] {
            let values = defaults(&entry.method);
            let structure = oscillator(1.0, 0.0, omega * omega);
            let problem = Problem::all_numerical(Box::new(structure), 1.0);
            let mut method =
                (entry.build)(&values, problem, &IntegratorContext::of(&NoLoad)).unwrap();
            let mut start = Motion::at_rest(1);
            start.displacement[0] = 1.0;
            start.acceleration[0] = -omega * omega;
            method.start_from(&start, &NoLoad);
            let mut energy = |steps: u32| -> Vec<f64> {
                (0..steps)
                    .map(|_| {
                        while !method.feed(Answer::NONE, &NoLoad) {}
                        let motion = method.response();
                        0.5 * motion.velocity[0].powi(2)
                            + 0.5 * (omega * motion.displacement[0]).powi(2)
                    })
                    .collect()
            };
            let mean = |e: &[f64]| e.iter().sum::<f64>() / e.len() as f64;
            let (first, last) = (energy(200), energy(200));
            let rate = 0.5 * (mean(&last) / mean(&first)).ln() / 200.0;
            let radius = spectral(entry.build, &values, omega, 0.0).unwrap().radius;
            assert!(rate < 1e-4, "{name}, Ω = {omega}: {rate}");
            assert!(
                (rate - radius.ln()).abs() < 2e-3 * omega,
                "{name}, Ω = {omega}: {rate}, {}",
                radius.ln()
            );
            if ["newmark", "osm", "osm-us", "newmark-iterated", "exact"].contains(&name) {
                for e in first.iter().chain(&last) {
                    assert!((e / first[0] - 1.0).abs() < 1e-10, "{name}, Ω = {omega}");
                }
            }
        }
    }
}
