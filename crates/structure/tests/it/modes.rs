//! Frequencies, shapes and damping against closed forms, scipy and published figures.

use std::f64::consts::{PI, TAU};

use tandem_structure::modes::{massless, modes, modes_of};
use tandem_structure::{
    Damping, LinalgError, Matrix, Structure, StructureError, critical_time_step, matrices,
    shear_building,
};
use tandem_test_support::{cells, close, data_for_part, numbers};

/// Circular frequency of mode j (from one) of n equal floors: 2 √(k/m) sin((2j − 1)π / (2(2n +
/// 1))).
fn chain_frequency(n: usize, j: usize, k: f64, m: f64) -> f64 {
    2.0 * (k / m).sqrt() * ((2 * j - 1) as f64 * PI / (2.0 * (2 * n + 1) as f64)).sin()
}

const SILVA_K: [[f64; 3]; 3] = [
    [26054883.879603837, -23133938.877108198, 5937035.463339146],
    [-23133938.877108198, 32560774.186380334, -14419970.777236981],
    [5937035.463339146, -14419970.777236981, 9267275.506224312],
];

fn silva_stiffness() -> Matrix {
    Matrix::from_rows(&SILVA_K.map(Vec::from)).unwrap()
}

#[test]
fn equal_floors_have_the_closed_form() {
    for n in [1, 2, 3, 6, 50, 250] {
        let building = shear_building(&vec![2e3; n], &vec![3e6; n], &Damping::None).unwrap();
        let modes = modes(building.properties(), n).unwrap();
        for j in 1..=n {
            close(
                TAU * modes.frequencies_hz[j - 1],
                chain_frequency(n, j, 3e6, 2e3),
                1e-10,
            );
        }
        close(modes.effective_mass.iter().sum(), 2e3 * n as f64, 1e-10);
        for (i, a) in modes.shapes.iter().enumerate() {
            for (j, b) in modes.shapes.iter().enumerate() {
                let expected = if i == j { 1.0 } else { 0.0 };
                assert!((building.properties().mass.product(a, b) - expected).abs() < 1e-10);
            }
        }
        let dt = critical_time_step(
            &building.properties().mass,
            &building.properties().stiffness,
        )
        .unwrap();
        close(dt, 2.0 / chain_frequency(n, n, 3e6, 2e3), 1e-10);
    }
}

#[test]
fn two_thousand_floors_by_lanczos_have_the_closed_form() {
    let n = 2000;
    let building = shear_building(&vec![2e3; n], &vec![3e6; n], &Damping::None).unwrap();
    let modes = modes(building.properties(), 12).unwrap();
    assert_eq!(modes.count(), 12);
    for j in 1..=12 {
        close(
            TAU * modes.frequencies_hz[j - 1],
            chain_frequency(n, j, 3e6, 2e3),
            1e-9,
        );
        let shape = &modes.shapes[j - 1];
        close(building.properties().mass.product(shape, shape), 1.0, 1e-10);
        // Shape of floor i: sin((2j − 1) i π / (2n + 1)).
        let expected = |i: usize| ((2 * j - 1) as f64 * i as f64 * PI / (2 * n + 1) as f64).sin();
        let scale = shape[n - 1] / expected(n);
        for i in [1, 500, 1234] {
            assert!((shape[i - 1] - scale * expected(i)).abs() < 1e-7 * scale.abs());
        }
    }
    let dt = critical_time_step(
        &building.properties().mass,
        &building.properties().stiffness,
    )
    .unwrap();
    let exact = 2.0 / chain_frequency(n, n, 3e6, 2e3);
    assert!(
        dt <= exact * (1.0 + 1e-12) && dt > exact * (1.0 - 5e-4),
        "{dt} against {exact}"
    );
}

#[test]
fn the_critical_step_of_a_large_uneven_structure_is_safe_and_sharp() {
    // Two equal masses on a spring k between springs s much softer: ω² = (2k + s)/m up to terms of
    // (s/k)².
    let n = 600;
    let mut storeys = vec![1e6; n];
    storeys[300] = 1e9;
    let building = shear_building(&vec![1e3; n], &storeys, &Damping::None).unwrap();
    let dt = critical_time_step(
        &building.properties().mass,
        &building.properties().stiffness,
    )
    .unwrap();
    close(dt, 2.0 / ((2e9 + 1e6) / 1e3_f64).sqrt(), 5e-4);
}

#[test]
fn equal_frequencies_are_all_found() {
    // Three equal chains side by side: every frequency three times.
    let n = 150;
    let mut triplets = Vec::new();
    for part in 0..3 {
        for i in 0..n {
            let dof = part * n + i;
            triplets.push((dof, dof, if i + 1 < n { 2.0 } else { 1.0 }));
            if i > 0 {
                triplets.extend([(dof, dof - 1, -1.0), (dof - 1, dof, -1.0)]);
            }
        }
    }
    let stiffness = Matrix::from_triplets(3 * n, &triplets).unwrap();
    let mass = Matrix::diagonal(&vec![1.0; 3 * n]);
    let modes = modes_of(&mass, &stiffness, &vec![1.0; 3 * n], 9).unwrap();
    assert_eq!(modes.count(), 9);
    for (k, f) in modes.frequencies_hz.iter().enumerate() {
        close(TAU * f, chain_frequency(n, k / 3 + 1, 1.0, 1.0), 1e-9);
    }
}

#[test]
fn frequencies_close_together_are_told_apart() {
    // Springs to the ground on every floor dominate: ω² = 1 + 4e-3 sin²(…) within 4e-3 of each
    // other.
    let n = 1500;
    let chain = tandem_structure::storey_matrix(&vec![1e-3; n]).unwrap();
    let mass = Matrix::diagonal(&vec![1.0; n]);
    let stiffness = Matrix::combine(&[(1.0, &chain), (1.0, &mass)]);
    let modes = modes_of(&mass, &stiffness, &vec![1.0; n], 5).unwrap();
    for j in 1..=5 {
        let exact = 1.0 + chain_frequency(n, j, 1e-3, 1.0).powi(2);
        close(TAU * modes.frequencies_hz[j - 1], exact.sqrt(), 1e-13);
    }
}

#[test]
fn separate_equal_parts_are_all_found() {
    let (mass, stiffness) = (
        Matrix::diagonal(&[2.0; 400]),
        Matrix::diagonal(&[50.0; 400]),
    );
    let modes = modes_of(&mass, &stiffness, &[1.0; 400], 10).unwrap();
    assert_eq!(modes.count(), 10);
    for f in &modes.frequencies_hz {
        close(TAU * f, 5.0, 1e-12);
    }
}

#[test]
fn a_large_unstable_structure_is_refused() {
    let mut stiffness = tandem_structure::storey_matrix(&[1.0; 400]).unwrap();
    stiffness.add_at(200, 200, -3.0);
    let refused = modes_of(&Matrix::diagonal(&[1.0; 400]), &stiffness, &[1.0; 400], 3);
    assert_eq!(refused, Err(LinalgError::Indefinite.of("stiffness")));
}

#[test]
fn a_free_chain_has_a_rigid_body_mode() {
    // ω_j = 2 sin(jπ/2n), j = 0, 1, …; the large one goes through Lanczos.
    for n in [5, 400] {
        let mut stiffness = tandem_structure::storey_matrix(&vec![1.0; n]).unwrap();
        stiffness.add_at(0, 0, -1.0);
        let modes = modes_of(
            &Matrix::diagonal(&vec![1.0; n]),
            &stiffness,
            &vec![1.0; n],
            3,
        )
        .unwrap();
        assert!(modes.frequencies_hz[0].abs() < 1e-7);
        for j in 1..3 {
            close(
                TAU * modes.frequencies_hz[j],
                2.0 * (j as f64 * PI / (2 * n) as f64).sin(),
                1e-8,
            );
        }
        assert!(modes.damping_ratios(&stiffness)[0].abs() <= 0.0);
    }
}

#[test]
fn next_to_no_mass_elsewhere_loses_no_mode() {
    // A mass on a spring, and on it a tiny one on a stiff spring: λ₁ λ₂ = det K / det M, and the
    // sum of both is known, so that the low one follows without a difference.
    for tiny in [1e-6, 1e-9, 1e-12, 1e-18] {
        let (m, k, stiff): (f64, f64, f64) = (2.0, 50.0, 3e7);
        let mass = Matrix::diagonal(&[m, tiny]);
        let stiffness = Matrix::from_rows(&[vec![k + stiff, -stiff], vec![-stiff, stiff]]).unwrap();
        let half = ((k + stiff) / m + stiff / tiny) / 2.0;
        let product = k * stiff / (m * tiny);
        let low = product / (half + (half * half - product).sqrt());
        let modes = modes_of(&mass, &stiffness, &[1.0, 0.0], 2).unwrap();
        close(TAU * modes.frequencies_hz[0], low.sqrt(), 1e-8);
        let damping = Matrix::combine(&[(0.3, &mass)]);
        close(
            modes.damping_ratios(&damping)[0],
            0.3 / (2.0 * low.sqrt()),
            1e-8,
        );
        let shape = &modes.shapes[0];
        close(shape[1], shape[0], 1e-5);
        close(shape[0], (1.0 / m).sqrt(), 1e-5);
    }
    // Two masses that fly, a tiny one on stiff springs between them: one mode is rigid, the next is
    // that of the springs in a row.
    for n in [3, 402] {
        let tiny = 1e-9;
        let masses: Vec<f64> = (0..n)
            .map(|i| if i == 0 || i == n - 1 { 2.0 } else { tiny })
            .collect();
        let stiff = 1e6 * (n - 1) as f64;
        let mut stiffness = tandem_structure::storey_matrix(&vec![stiff; n]).unwrap();
        stiffness.add_at(0, 0, -stiff);
        let mass = Matrix::diagonal(&masses);
        let modes = modes_of(&mass, &stiffness, &vec![1.0; n], 2).unwrap();
        assert!(
            modes.frequencies_hz[0].abs() < 1e-6,
            "{}",
            modes.frequencies_hz[0]
        );
        close(TAU * modes.frequencies_hz[1], 1e3, 1e-6);
    }
}

#[test]
fn massless_degrees_of_freedom_follow_statically() {
    // Every second floor without mass: a chain of half as many floors on springs of half the
    // stiffness.
    for n in [3, 200] {
        let masses: Vec<f64> = (0..2 * n)
            .map(|i| if i % 2 == 1 { 7.0 } else { 0.0 })
            .collect();
        let mass = Matrix::diagonal(&masses);
        let stiffness = tandem_structure::storey_matrix(&vec![100.0; 2 * n]).unwrap();
        assert_eq!(massless(&mass).len(), n);
        let modes = modes_of(&mass, &stiffness, &vec![1.0; 2 * n], 3).unwrap();
        assert_eq!(modes.count(), 3);
        for j in 1..=3 {
            close(
                TAU * modes.frequencies_hz[j - 1],
                chain_frequency(n, j, 50.0, 7.0),
                1e-9,
            );
            let shape = &modes.shapes[j - 1];
            assert!((shape[2] - 0.5 * (shape[1] + shape[3])).abs() < 1e-9);
        }
        assert_eq!(
            critical_time_step(&mass, &stiffness),
            Err(StructureError::Massless {
                what: "critical time step",
                dof: 0
            })
        );
    }
    // Cantilever with a tip mass and a massless rotation: 3EI/L³.
    let (ei, l) = (2e6, 3.0_f64);
    let k = |v: f64| v * ei / l.powi(3);
    let rows = vec![
        vec![k(12.0), k(-6.0 * l)],
        vec![k(-6.0 * l), k(4.0 * l * l)],
    ];
    let stiffness = Matrix::from_rows(&rows).unwrap();
    let modes = modes_of(&Matrix::diagonal(&[50.0, 0.0]), &stiffness, &[1.0, 0.0], 2).unwrap();
    assert_eq!(modes.count(), 1);
    close(
        TAU * modes.frequencies_hz[0],
        (3.0 * ei / l.powi(3) / 50.0).sqrt(),
        1e-12,
    );
    close(modes.effective_mass[0], 50.0, 1e-12);
}

#[test]
fn a_full_pair_agrees_with_scipy() {
    // scipy.linalg.eigh(AᵀA + 2, tridiagonal(1, 4, 1)) with a_ij = sin(1 + 7i + 13j + ij), order
    // 20.
    let n = 20;
    let a = |i: usize, j: usize| (1.0 + 7.0 * i as f64 + 13.0 * j as f64 + (i * j) as f64).sin();
    let rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let square = |j: usize| (0..n).map(|k| a(k, i) * a(k, j)).sum::<f64>();
            (0..n)
                .map(|j| square(j) + if i == j { 2.0 } else { 0.0 })
                .collect()
        })
        .collect();
    let mut mass = Matrix::diagonal(&[4.0; 20]);
    for i in 1..n {
        mass.add_at(i, i - 1, 1.0);
        mass.add_at(i - 1, i, 1.0);
    }
    let modes = modes_of(&mass, &Matrix::from_rows(&rows).unwrap(), &[1.0; 20], n).unwrap();
    for (k, square) in [
        (0, 0.518291061470118),
        (9, 1.9552824035559955),
        (19, 10.803899452368135),
    ] {
        close((TAU * modes.frequencies_hz[k]).powi(2), square, 1e-11);
    }
}

#[test]
fn an_unstable_mode_has_a_negative_frequency() {
    let modes = modes_of(
        &Matrix::diagonal(&[1.0, 1.0]),
        &Matrix::diagonal(&[-4.0, 9.0]),
        &[1.0; 2],
        2,
    )
    .unwrap();
    close(TAU * modes.frequencies_hz[0], -2.0, 1e-12);
    close(TAU * modes.frequencies_hz[1], 3.0, 1e-12);
}

#[test]
fn the_three_storey_benchmark_has_its_published_frequencies() {
    // Silva et al. 2020, four cases of floor mass.
    for (mass, published) in [
        (1000.0, [3.6124, 15.9966, 38.0862]),
        (1100.0, [3.4443, 15.2521, 36.3137]),
        (1300.0, [3.1683, 14.0299, 33.4038]),
    ] {
        let modes = modes_of(
            &Matrix::diagonal(&[mass; 3]),
            &silva_stiffness(),
            &[1.0; 3],
            3,
        )
        .unwrap();
        assert_eq!(modes.count(), published.len());
        for (f, expected) in modes.frequencies_hz.iter().zip(published) {
            assert!((f - expected).abs() < 5e-5, "{f} instead of {expected}");
        }
    }
}

#[test]
fn the_three_storey_benchmark_has_its_damping_matrices() {
    let cases = [
        (1000.0, 0.05),
        (1100.0, 0.04),
        (1300.0, 0.03),
        (1000.0, 0.03),
    ];
    let damping = cases.map(|(mass, ratio)| {
        let mass = Matrix::diagonal(&[mass; 3]);
        let rule = Damping::Modal {
            ratios: vec![ratio],
            rounding: Some(0.01),
        };
        let damping = rule.matrix(&mass, &silva_stiffness()).unwrap();
        // C φ = 2 ζ ω M φ with ω to a hundredth of a radian per second.
        let modes = modes_of(&mass, &silva_stiffness(), &[1.0; 3], 3).unwrap();
        for (mode, shape) in modes.shapes.iter().enumerate() {
            let omega = (100.0 * modes.circular(mode)).round() / 100.0;
            let (mut got, mut expected) = ([0.0; 3], [0.0; 3]);
            damping.mul_into(shape, &mut got);
            mass.mul_add(2.0 * ratio * omega, shape, &mut expected);
            for (got, expected) in got.into_iter().zip(expected) {
                close(got, expected, 1e-10);
            }
        }
        damping
    });
    let file = "benchmarks/silva_matrices.csv";
    let Some(path) = data_for_part("the matrices of the package", file) else {
        return;
    };
    let mut compared = 0;
    for row in cells(&path).iter().filter(|row| row[0] == "C") {
        let case: usize = row[1].parse().unwrap();
        for (k, expected) in numbers(&row[2..]).into_iter().enumerate() {
            close(damping[case - 1].get(k / 3, k % 3), expected, 1e-10);
        }
        compared += 1;
    }
    assert_eq!(compared, 4);
}

#[test]
fn damping_rules_give_the_ratios_they_promise() {
    let (masses, storeys) = ([50e3, 50e3, 40e3], [40e6, 35e6, 30e6]);
    let ratios = |rule: Damping| {
        let building = shear_building(&masses, &storeys, &rule).unwrap();
        modes(building.properties(), 3)
            .unwrap()
            .damping_ratios(&building.properties().damping)
    };
    let rayleigh = ratios(Damping::RayleighRatio {
        ratios: [0.03, 0.03],
        modes: [1, 2],
    });
    close(rayleigh[0], 0.03, 1e-12);
    close(rayleigh[1], 0.03, 1e-12);
    assert!(rayleigh[2] > 0.03);
    let unequal = ratios(Damping::RayleighRatio {
        ratios: [0.02, 0.05],
        modes: [1, 3],
    });
    close(unequal[0], 0.02, 1e-12);
    close(unequal[2], 0.05, 1e-12);
    close(
        ratios(Damping::MassProportional {
            ratio: 0.02,
            mode: 1,
        })[0],
        0.02,
        1e-12,
    );
    close(
        ratios(Damping::StiffnessProportional {
            ratio: 0.02,
            mode: 2,
        })[1],
        0.02,
        1e-12,
    );
    let modal = ratios(Damping::Modal {
        ratios: vec![0.01, 0.02],
        rounding: None,
    });
    close(modal[0], 0.01, 1e-12);
    close(modal[1], 0.02, 1e-12);
    assert!(modal[2].abs() < 1e-14);
    // Coefficients a/2ω + bω/2 at the first mode.
    let given = ratios(Damping::Rayleigh {
        mass: 0.3,
        stiffness: 1e-3,
    });
    let undamped = shear_building(&masses, &storeys, &Damping::None).unwrap();
    let omega = TAU * modes(undamped.properties(), 1).unwrap().frequencies_hz[0];
    close(given[0], 0.3 / (2.0 * omega) + 1e-3 * omega / 2.0, 1e-12);
    // One degree of freedom, both ratios at its only mode: half and half.
    let single = shear_building(
        &[100.0],
        &[100.0 * 400.0],
        &Damping::RayleighRatio {
            ratios: [0.03; 2],
            modes: [1, 1],
        },
    );
    close(
        single.unwrap().properties().damping.get(0, 0),
        2.0 * 0.03 * 20.0 * 100.0,
        1e-12,
    );
}

#[test]
fn impossible_damping_is_refused() {
    let refuse = |rule: Damping| {
        shear_building(&[1.0, 1.0], &[1.0, 1.0], &rule)
            .map(|_| ())
            .unwrap_err()
    };
    assert_eq!(
        refuse(Damping::MassProportional {
            ratio: 0.02,
            mode: 3
        }),
        StructureError::NoSuchMode {
            mode: 3,
            available: 2
        }
    );
    assert_eq!(
        refuse(Damping::RayleighRatio {
            ratios: [0.02; 2],
            modes: [0, 1]
        }),
        StructureError::NoSuchMode {
            mode: 0,
            available: 2
        }
    );
    assert_eq!(
        refuse(Damping::Modal {
            ratios: vec![0.1; 3],
            rounding: None
        }),
        StructureError::NoSuchMode {
            mode: 3,
            available: 2
        }
    );
    assert!(matches!(
        refuse(Damping::Modal {
            ratios: vec![-0.1],
            rounding: None
        }),
        StructureError::Value { .. }
    ));
    assert!(matches!(
        refuse(Damping::Rayleigh {
            mass: f64::NAN,
            stiffness: 0.0
        }),
        StructureError::Value { .. }
    ));
    assert!(matches!(
        refuse(Damping::Matrix(Matrix::zeros(3))),
        StructureError::Size { .. }
    ));
    let rows = vec![vec![1.0, 0.0], vec![0.0, 1.0]];
    let skew = vec![vec![2.0, -1.0], vec![0.0, 1.0]];
    let rule = Damping::MassProportional {
        ratio: 0.02,
        mode: 1,
    };
    assert_eq!(
        matrices::from_rows(&rows, &skew, &rule).map(|_| ()),
        Err(StructureError::NotSymmetric { what: "stiffness" })
    );
}
