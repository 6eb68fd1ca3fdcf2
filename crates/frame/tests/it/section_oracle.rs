//! Sections against OpenSees 3.7.1, and profiles against their tables.

use std::collections::BTreeMap;

use tandem_frame::material::{Elastic, Material};
use tandem_frame::section::{FibreLayout, FibreSection2d, Ring, profile, profiles};
use tandem_test_support::oracle;
use tandem_test_support::sections::{heb100, reinforced_concrete};

/// By case and step: its number, curvature, moment, axial strain, axial force.
type Cases = BTreeMap<String, Vec<Vec<f64>>>;

fn cases() -> Option<Cases> {
    Some(oracle("section_moment_curvature.csv")?.cases())
}

/// Prescribes the curvature, finds the axial strain that gives the axial force, and compares both
/// with the file.
fn moment_curvature(cases: &Cases, name: &str, mut section: FibreSection2d, axial_force: f64) {
    let rows = &cases[name];
    assert!(rows.len() > 400);
    let peak = |column: usize| rows.iter().map(|row| row[column].abs()).fold(0.0, f64::max);
    // Without axial force the axial strain of a symmetric section is only noise; fibre strains
    // reach 1e-2.
    let (moment_peak, strain_peak) = (peak(2), peak(3).max(1e-2));
    for row in rows {
        let [_, curvature, moment, axial_strain, _] = row[..] else {
            panic!("{name}: {row:?}")
        };
        let mut strain = section.deformation()[0];
        let mut answer = section.trial([strain, curvature]);
        for _ in 0..60 {
            let step = (axial_force - answer.force[0]) / answer.tangent[0][0];
            strain += step;
            answer = section.trial([strain, curvature]);
            if step.abs() < 1e-18 {
                break;
            }
        }
        section.commit();
        let moment_error = (answer.force[1] - moment).abs() / moment_peak;
        let strain_error = (strain - axial_strain).abs() / strain_peak;
        assert!(
            moment_error < 1e-12 && strain_error < 1e-12,
            "{name} κ = {curvature}: moment off by {moment_error:e}, strain by {strain_error:e}"
        );
    }
}

/// N and mm.
fn steel() -> FibreSection2d {
    heb100(0.01087, 1.0, 1.0)
}

#[test]
fn stiffness_at_rest() {
    let [[ea, coupling], [_, ei]] = steel().initial_tangent();
    assert!((ea / 210_000.0 - 2480.0).abs() < 1e-9 && coupling.abs() < 1e-6);
    assert!((ei / 210_000.0 - 4.320_625e6).abs() < 1e-3);
    let [[ea, coupling], [_, ei]] = reinforced_concrete().initial_tangent();
    assert!(
        (ea / 2.568e6 - 1.0).abs() < 1e-12 && coupling.abs() < 1e-6,
        "{ea} {coupling}"
    );
    assert!((ei / 1.45796e8 - 1.0).abs() < 1e-5, "{ei}");
}

#[test]
fn heb100_follows_the_reference() {
    let Some(cases) = cases() else { return };
    moment_curvature(&cases, "heb100_N0", steel(), 0.0);
    moment_curvature(&cases, "heb100_N-200kN", steel(), -200e3);
}

#[test]
fn reinforced_concrete_follows_the_reference() {
    let Some(cases) = cases() else { return };
    moment_curvature(&cases, "rc_N0", reinforced_concrete(), 0.0);
    moment_curvature(&cases, "rc_N-300kip", reinforced_concrete(), -300.0);
}

/// Section stiffness of OpenSees (`eleResponse(1, 'section', 'stiffness')` of a `zeroLengthSection`
/// on a `Fiber` section with `-GJ 1`, materials Elastic 1 and 7): rows of (EA, −ES_y, ES_z, EI_yy,
/// −EI_yz, EI_zz).
fn stiffness_is(layout: &FibreLayout, expected: [f64; 6]) {
    let t = layout.build_3d(1.0).unwrap().initial_tangent();
    let got = [t[0][0], t[0][1], t[0][2], t[1][1], t[1][2], t[2][2]];
    for (got, expected) in got.iter().zip(expected) {
        assert!(
            (got - expected).abs() < 1e-14,
            "{got} instead of {expected}"
        );
    }
    assert!((t[3][3] - 1.0).abs() < 1e-15);
}

#[test]
fn patches_and_layers_are_those_of_opensees() {
    let soft = Material::from(Elastic::new(1.0).unwrap());
    let stiff = Material::from(Elastic::new(7.0).unwrap());
    let whole = Ring {
        centre: (0.1, -0.2),
        ..Ring::whole(0.3, 0.5)
    };
    let circle = FibreLayout::new().ring(&soft, (7, 3), whole).unwrap();
    stiffness_is(
        &circle,
        [
            0.5026548245743667,
            0.0,
            0.0,
            0.039846198423035786,
            0.0,
            0.03984619842303579,
        ],
    );
    let part = Ring {
        angles: (10_f64.to_radians(), 120_f64.to_radians()),
        ..whole
    };
    let sector = FibreLayout::new().ring(&soft, (3, 2), part).unwrap();
    let expected = [
        0.153588974175501,
        0.0,
        0.0,
        0.004990559876584786,
        0.0020982709466236243,
        0.0014692431217410173,
    ];
    stiffness_is(&sector, expected);
    let corners = [(-0.2, -0.1), (0.3, -0.15), (0.35, 0.2), (-0.1, 0.25)];
    let quad = FibreLayout::new()
        .quadrilateral(&soft, (3, 2), corners)
        .unwrap();
    let expected = [
        0.16999999999999998,
        0.0,
        0.0,
        0.002907919225252623,
        2.0794250492742953e-05,
        0.001331667508755362,
    ];
    stiffness_is(&quad, expected);
    let mix = FibreLayout::new()
        .rectangle(&soft, (3, 2), (-0.2, -0.1), (0.3, 0.2))
        .unwrap()
        .straight_layer(&stiff, 3, 0.01, (0.25, -0.05), (0.25, 0.15))
        .unwrap()
        .fibre(&stiff, (-0.15, 0.05), 0.02)
        .unwrap();
    stiffness_is(
        &mix,
        [0.5, -0.009, 0.0, 0.01654777777777778, 0.0, 0.00224375],
    );
}

#[test]
fn profiles_agree_with_their_dimensions() {
    for profile in profiles() {
        let (area, strong, weak) = profile.computed();
        let tolerance = if profile.name.starts_with(['H', 'I']) {
            0.002
        } else {
            0.019
        };
        assert!(
            (area / profile.area - 1.0).abs() < tolerance,
            "{}: {area}",
            profile.name
        );
        assert!(
            (strong / profile.inertia_strong - 1.0).abs() < tolerance,
            "{}: {strong}",
            profile.name
        );
        // A tapered flange is thinner at its tips: the mean thickness overstates the weak axis.
        let weak_tolerance = if profile.tapered { 0.25 } else { tolerance };
        assert!(
            (weak / profile.inertia_weak - 1.0).abs() < weak_tolerance,
            "{}: {weak}",
            profile.name
        );
    }
}

#[test]
fn profiles_are_found_by_name() {
    // Values that designers know: HEB100 of the manufacturers' tables, W14x90 of the AISC Manual.
    let heb100 = profile("heb 100").unwrap();
    assert!(
        (heb100.area - 26.04e-4).abs() < 1e-6 && (heb100.inertia_strong - 449.5e-8).abs() < 1e-9
    );
    let w14 = profile("W14X90").unwrap();
    assert!((w14.area - 0.017097).abs() < 1e-5 && (w14.inertia_strong - 4.158e-4).abs() < 1e-7);
    for name in [
        "HEA300",
        "HEB600",
        "HEM200",
        "IPE80",
        "IPE240",
        "IPE600",
        "UB305x165x40",
        "W5x16",
        "W36×150",
        "S3x5.7",
    ] {
        assert!(profile(name).is_some(), "{name}");
    }
    assert!(profile("HEB101").is_none());
    let mut names: Vec<_> = profiles().iter().map(|profile| profile.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), profiles().len());
}
