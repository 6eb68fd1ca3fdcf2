//! Critical delays against published and closed-form ones.

use super::support::{PACKAGED, PRINTED, less, specimen};
use tandem_monitor::stability::{
    InterfaceShares, Partition, Shares, StabilityError, Synchronisation, critical_delay_exact,
    critical_delay_first_order, critical_delay_single, partition_map,
    predictive_stability_indicator, stability_map,
};
use tandem_quantity::SpecimenMatrices;
use tandem_structure::Matrix;
use tandem_test_support::single_actuator::matrices;

fn case(case: usize, part: [f64; 3]) -> Partition {
    let [m, c, k] = matrices(case);
    let [me, ce, ke] = part;
    Partition::new(
        &less(&m, me),
        &less(&c, ce),
        &less(&k, ke),
        &[0],
        &specimen(part),
    )
    .unwrap()
}

#[test]
fn the_four_cases_of_the_benchmark_have_their_critical_delays() {
    // ms, from an independent program: of the printed specimen, then of the packaged one. The paper
    // prints 8.5 ms for case 4, the last stable whole sample.
    for (number, first, exact) in [
        (1, [14.490_486, 14.490_671], [14.641_970, 14.642_178]),
        (2, [12.142_597, 12.142_738], [12.222_358, 12.222_514]),
        (3, [9.884_978, 9.885_076], [9.920_779, 9.920_884]),
        (4, [8.694_840, 8.694_952], [8.726_328, 8.726_448]),
    ] {
        for (i, part) in [PRINTED, PACKAGED].into_iter().enumerate() {
            let partition = case(number, part);
            let got_exact = 1e3 * critical_delay_exact(&partition).unwrap().unwrap();
            let uniform = Synchronisation::uniform(3);
            let got_first = critical_delay_first_order(&partition, &uniform).unwrap();
            let got_first = 1e3 * got_first.unwrap();
            for (got, expected) in [(got_exact, exact[i]), (got_first, first[i])] {
                assert!(
                    (got - expected).abs() < 2e-6,
                    "case {number} {part:?}: {got} instead of {expected}"
                );
            }
        }
    }
    let found = predictive_stability_indicator(Some(8.726e-3));
    assert!((found - 0.9408).abs() < 1e-4);
}

/// Numbers of degrees of freedom mean nothing: the same structure counted from the other end, or
/// tied at two degrees of freedom of which one has nothing in the laboratory.
#[test]
fn the_numbering_does_not_matter() {
    let [m, c, k] = matrices(4);
    let turned = |entries: &[f64], part: f64| {
        let mut all: Vec<f64> = entries.iter().rev().copied().collect();
        all[8] -= part;
        Matrix::from_dense(3, &all).unwrap()
    };
    let [me, ce, ke] = PRINTED;
    let corner = |x: f64| vec![0.0, 0.0, 0.0, x];
    let two = SpecimenMatrices {
        dof: 2,
        mass: corner(me),
        damping: corner(ce),
        stiffness: corner(ke),
    };
    let synchronisation = Synchronisation {
        delay: vec![1.0, 0.8, 1.1],
        amplitude: vec![0.9, 1.1, 1.05],
    };
    let of = |partition: &Partition| {
        let first = critical_delay_first_order(partition, &synchronisation).unwrap();
        let exact = critical_delay_exact(partition).unwrap();
        [first.unwrap(), exact.unwrap()]
    };
    let expected = of(&case(4, PRINTED));
    let matrices = [turned(&m, me), turned(&c, ce), turned(&k, ke)];
    for (interface, specimen) in [(&[2][..], specimen(PRINTED)), (&[1, 2], two)] {
        let [mass, damping, stiffness] = &matrices;
        let partition = Partition::new(mass, damping, stiffness, interface, &specimen).unwrap();
        for (found, expected) in of(&partition).into_iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        }
    }
}

#[test]
fn an_amplitude_error_moves_the_first_order_delay() {
    let partition = case(4, PRINTED);
    let delay = |amplitude: f64, third: f64| {
        let synchronisation = Synchronisation {
            delay: vec![1.0, 1.0, third],
            amplitude: vec![amplitude; 3],
        };
        critical_delay_first_order(&partition, &synchronisation)
            .unwrap()
            .unwrap()
    };
    // The specimen's negative damping grows with its amplitude: undershoot bears more delay. A
    // delay in a mode that takes no part changes little.
    assert!(delay(0.8, 1.0) > 1.1 * delay(1.0, 1.0));
    assert!(delay(1.2, 1.0) < 0.9 * delay(1.0, 1.0));
}

/// An oscillator of 1 kg with ω = 1 as a partition.
fn oscillator(zeta: f64, shares: Shares) -> Partition {
    let one = |x| Matrix::diagonal(&[x]);
    let part = [shares.mass, 2.0 * zeta * shares.damping, shares.stiffness];
    Partition::new(
        &one(1.0 - part[0]),
        &one(2.0 * zeta - part[1]),
        &one(1.0 - part[2]),
        &[0],
        &specimen(part),
    )
    .unwrap()
}

#[test]
fn sweep_and_closed_form_agree_for_one_degree_of_freedom() {
    let mut bounded = 0;
    for zeta in [0.005, 0.02, 0.1, 0.4] {
        for stiffness in [0.0, 0.02, 0.1, 0.4, 0.5, 0.6, 1.0] {
            for mass in [0.0, 0.05, 0.3, 0.45, 0.6] {
                for damping in [0.0, 0.3] {
                    let shares = Shares {
                        stiffness,
                        mass,
                        damping,
                    };
                    let closed = critical_delay_single(zeta, shares);
                    let swept = critical_delay_exact(&oscillator(zeta, shares)).unwrap();
                    match (closed, swept) {
                        (Some(a), Some(b)) => {
                            bounded += 1;
                            assert!(
                                (a - b).abs() < 1e-7 * a.max(1e-3),
                                "{zeta} {shares:?} {a} {b}"
                            );
                        }
                        (a, b) => assert_eq!(a, b, "{zeta} {shares:?}"),
                    }
                }
            }
        }
    }
    assert!(bounded > 100, "{bounded}");
}

/// A spring with the share α of the stiffness is stable for every delay up to α = 2ζ − 2ζ², where
/// both crossings fall together (the discriminant of the closed form is zero). A little above they
/// lie closer than the sweep looks, and are found all the same; a little below there are none.
#[test]
fn crossings_between_the_points_of_the_sweep_are_found() {
    for zeta in [0.01, 0.03, 0.05, 0.08, 0.15, 0.3] {
        let verge = 2.0 * zeta - 2.0 * zeta * zeta;
        for apart in [1e-4, 1e-5, 1e-6] {
            for (sign, bounded) in [(1.0, true), (-1.0, false)] {
                let shares = Shares {
                    stiffness: verge * (1.0 + sign * apart),
                    mass: 0.0,
                    damping: 0.0,
                };
                let closed = critical_delay_single(zeta, shares);
                let swept = critical_delay_exact(&oscillator(zeta, shares)).unwrap();
                assert_eq!(closed.is_some(), bounded, "{zeta} {apart}");
                assert_eq!(swept.is_some(), bounded, "{zeta} {apart} {closed:?}");
                if let (Some(a), Some(b)) = (closed, swept) {
                    assert!((a - b).abs() < 1e-6 * a, "{zeta} {apart} {a} {b}");
                }
            }
        }
    }
}

#[test]
fn a_spring_alone_has_the_delay_of_negative_damping() {
    // Horiuchi et al. 1999: k_e τ = c at the verge, for small delays.
    let shares = Shares {
        stiffness: 1.0,
        mass: 0.0,
        damping: 0.0,
    };
    let delay = critical_delay_single(1e-3, shares).unwrap();
    assert!((delay / 2e-3 - 1.0).abs() < 1e-4, "{delay}");
}

#[test]
fn several_interface_degrees_of_freedom_are_as_weak_as_the_weakest() {
    let shares = |stiffness| Shares {
        stiffness,
        mass: 0.1,
        damping: 0.0,
    };
    let (weak, strong) = (shares(0.8), shares(0.3));
    let specimen_matrices = SpecimenMatrices {
        dof: 2,
        mass: vec![0.1, 0.0, 0.0, 0.1],
        damping: vec![0.0; 4],
        stiffness: vec![0.3, 0.0, 0.0, 0.8],
    };
    let partition = Partition::new(
        &Matrix::diagonal(&[0.9, 5.0, 0.9]),
        &Matrix::diagonal(&[0.1, 1.0, 0.1]),
        &Matrix::diagonal(&[0.7, 3.0, 0.2]),
        &[0, 2],
        &specimen_matrices,
    )
    .unwrap();
    let both = [strong, weak].map(|s| critical_delay_single(0.05, s).unwrap());
    let found = critical_delay_exact(&partition).unwrap().unwrap();
    assert!(
        (found - both[0].min(both[1])).abs() < 1e-7,
        "{found} {both:?}"
    );
}

#[test]
fn a_map_falls_towards_the_stiff_and_the_heavy_specimen() {
    let map = stability_map(0.05, &[0.2, 0.5, 1.0], &[0.0, 0.49, 0.51]);
    assert_eq!(map.len(), 3);
    assert!(map[2][0] < map[1][0] && map[1][0] < map[0][0]);
    assert!(map.iter().all(|row| row[2] <= 0.0 && row[0] > 0.0));
}

#[test]
fn wrong_sizes_are_refused() {
    let one = Matrix::diagonal(&[1.0]);
    let error = Partition::new(&one, &one, &one, &[1], &specimen(PRINTED)).unwrap_err();
    assert_eq!(
        error,
        StabilityError::Interface {
            dof: 1,
            available: 1
        }
    );
    let two = Matrix::diagonal(&[1.0, 1.0]);
    let error = Partition::new(&one, &two, &one, &[0], &specimen(PRINTED)).unwrap_err();
    assert_eq!(
        error,
        StabilityError::Size {
            what: "damping",
            expected: 1,
            got: 2
        }
    );
}

/// The map of a divided structure, against the closed form for one degree of freedom: whatever the
/// partition that it starts from.
#[test]
fn the_map_of_partitions_is_the_closed_form_for_an_oscillator() {
    let zeta = 0.04;
    let shares = |stiffness, mass| Shares {
        stiffness,
        mass,
        damping: 0.0,
    };
    let start = oscillator(zeta, shares(0.2, 0.1));
    let own = start.interface_shares();
    assert!((own.stiffness - 0.2).abs() < 1e-12 && (own.mass - 0.1).abs() < 1e-12);
    let axis = [0.01, 0.05, 0.2, 0.45, 0.7];
    let map = partition_map(&start, &axis, &axis);
    for (i, &stiffness) in axis.iter().enumerate() {
        for (j, &mass) in axis.iter().enumerate() {
            let expected =
                critical_delay_single(zeta, shares(stiffness, mass)).unwrap_or(f64::INFINITY);
            let got = map[i][j];
            let same = (got.is_infinite() && expected.is_infinite())
                || (got - expected).abs() <= 1e-6 * expected.max(1e-6);
            assert!(same, "{stiffness} {mass}: {got} {expected}");
        }
    }
    // Its damping goes with its stiffness.
    let damped = |stiffness, damping| Shares {
        stiffness,
        mass: 0.1,
        damping,
    };
    let soft = oscillator(zeta, damped(0.2, 0.3));
    for stiffness in [0.4, 0.6] {
        let shares = InterfaceShares {
            stiffness,
            mass: 0.1,
        };
        let found = critical_delay_exact(&soft.with_shares(shares).unwrap()).unwrap();
        let expected = critical_delay_single(zeta, damped(stiffness, 1.5 * stiffness));
        assert!((found.unwrap() / expected.unwrap() - 1.0).abs() < 1e-6);
    }
    // At two degrees of freedom the traces count: 3 of 12 and 0.5 of 4; and shares come back.
    let two = Partition::new(
        &Matrix::diagonal(&[1.5, 9.0, 2.0]),
        &Matrix::diagonal(&[0.1; 3]),
        &Matrix::diagonal(&[4.0, 9.0, 5.0]),
        &[0, 2],
        &SpecimenMatrices {
            dof: 2,
            mass: vec![0.3, 0.1, 0.1, 0.2],
            damping: vec![0.0; 4],
            stiffness: vec![2.0, -0.5, -0.5, 1.0],
        },
    )
    .unwrap();
    let own = two.interface_shares();
    assert!((own.stiffness - 0.25).abs() < 1e-12 && (own.mass - 0.125).abs() < 1e-12);
    let wanted = InterfaceShares {
        stiffness: 0.4,
        mass: 0.2,
    };
    let found = two.with_shares(wanted).unwrap().interface_shares();
    assert!((found.stiffness - 0.4).abs() < 1e-12 && (found.mass - 0.2).abs() < 1e-12);
    // A specimen without mass gets some.
    let massless = oscillator(zeta, shares(0.2, 0.0));
    let other = massless
        .with_shares(InterfaceShares {
            stiffness: 0.3,
            mass: 0.25,
        })
        .unwrap()
        .interface_shares();
    assert!((other.stiffness - 0.3).abs() < 1e-12 && (other.mass - 0.25).abs() < 1e-12);
}

/// A mass and a joint that turns without inertia, both in the laboratory. Characteristic roots of
/// the delay system by Chebyshev collocation (60 points) in scipy: the rightmost pair crosses at
/// 3.7147197 ms.
#[test]
fn an_interface_without_mass_has_its_critical_delay() {
    let square = |rows: [[f64; 2]; 2]| Matrix::from_rows(&rows.map(|row| row.to_vec())).unwrap();
    let specimen = |turning: f64| SpecimenMatrices {
        dof: 2,
        mass: vec![0.0; 4],
        damping: vec![0.0; 4],
        stiffness: vec![200.0, -50.0, -50.0, turning],
    };
    let partition = |turning: f64| {
        Partition::new(
            &Matrix::diagonal(&[2.0, 0.0]),
            &Matrix::diagonal(&[0.6, 0.0]),
            &square([[300.0, -40.0], [-40.0, 90.0]]),
            &[0, 1],
            &specimen(turning),
        )
        .unwrap()
    };
    let found = critical_delay_exact(&partition(60.0)).unwrap().unwrap();
    assert!((found - 3.714_719_7e-3).abs() < 1e-9, "{found}");
    // A specimen that is stiffer than the rest against the turning: θ(t) = −(100/90) θ(t − τ) grows
    // for every τ.
    assert_eq!(critical_delay_exact(&partition(100.0)), Ok(Some(0.0)));
    // A joint that nothing holds cannot be judged, and is not called stable.
    let loose = Partition::new(
        &Matrix::diagonal(&[1.0, 0.0]),
        &Matrix::diagonal(&[0.1, 0.0]),
        &Matrix::diagonal(&[1.0, 0.0]),
        &[0],
        &SpecimenMatrices::none(1),
    )
    .unwrap();
    assert_eq!(critical_delay_exact(&loose), Err(StabilityError::Roots));
}
