//! Stress paths against OpenSees 3.7.1 (openseespy), for the laws without a reference file.
//!
//! The numbers come from `uniaxialMaterial(…)` as given above each table, `testUniaxialMaterial`,
//! and one `setStrain` for each step of the path below: stress after each step, and the sum of all
//! tangents.

mod numbers;

use numbers::*;
use tandem_frame::material::{
    Bilinear, BoucWen, Concrete01, Drive, Elastic, ElasticPlastic, Gap, Hysteretic, InitialStrain,
    Material, MinMax, Parallel, Series, Steel01, Steel02,
};

const TURNING_POINTS: [f64; 14] = [
    0.0, 0.0013, -0.0011, 0.0034, 0.0008, 0.0051, -0.0067, -0.0031, -0.0102, 0.0136, 0.0124,
    0.0153, -0.0171, 0.0017,
];
const STEPS: u32 = 4;

fn path(scale: f64) -> impl Iterator<Item = f64> {
    TURNING_POINTS.windows(2).flat_map(move |ends| {
        let (from, to) = (ends[0], ends[1]);
        (1..=STEPS).map(move |j| scale * (from + (to - from) * f64::from(j) / f64::from(STEPS)))
    })
}

fn follows(material: impl Into<Material>, scale: f64, reference: &Reference) {
    let material = material.into();
    let mut point = material.point();
    let peak = reference
        .stress
        .iter()
        .fold(0.0_f64, |peak, stress| peak.max(stress.abs()));
    let mut tangents = 0.0;
    assert_eq!(path(scale).count(), reference.stress.len());
    for (step, (strain, expected)) in path(scale).zip(reference.stress).enumerate() {
        // A trial elsewhere first: it must leave no trace.
        point.trial(Drive::at(-2.0 * strain));
        let answer = point.trial(Drive::at(strain));
        point.commit();
        tangents += answer.tangent;
        let error = (answer.stress - expected).abs() / peak;
        assert!(
            error < 1e-12,
            "{material:?} step {step}: {} instead of {expected}",
            answer.stress
        );
    }
    let error = (tangents - reference.tangent_sum).abs() / reference.tangent_sum.abs();
    assert!(
        error < 1e-9,
        "{material:?}: tangents sum to {tangents} instead of {}",
        reference.tangent_sum
    );
}

const E: f64 = 210_000.0;
const FY: f64 = 355.0;

fn steel02() -> Material {
    Steel02::new(FY, E, 0.01)
        .unwrap()
        .with_curve(18.5, 0.925, 0.15)
        .unwrap()
        .into()
}

#[test]
fn elastic_plastic() {
    let law = ElasticPlastic::with_limits(E, FY / E, -1.3 * FY / E)
        .unwrap()
        .with_initial_strain(0.0004)
        .unwrap();
    follows(law, 1.0, &ELASTIC_PP);
}

#[test]
fn bilinear_is_kinematic_hardening() {
    follows(Bilinear::new(FY, E, 0.02).unwrap(), 1.0, &HARDENING);
}

#[test]
fn concrete01() {
    follows(
        Concrete01::new(-30.0, -0.0021, -6.0, -0.0063).unwrap(),
        0.7,
        &CONCRETE01,
    );
}

#[test]
fn degrading_bouc_wen() {
    let law = BoucWen::new(0.08, 100.0, 1.6, 30.0, 40.0)
        .unwrap()
        .with_degradation(1.1, [0.4, 0.6, 0.5])
        .unwrap();
    follows(law, 3.0, &BOUC_WEN);
}

#[test]
fn gaps() {
    follows(
        Gap::new(E, FY, 0.0012)
            .unwrap()
            .with_hardening(0.05)
            .unwrap(),
        1.0,
        &GAP_TENSION,
    );
    let pounding = Gap::new(E, -FY, -0.0012)
        .unwrap()
        .with_hardening(0.03)
        .unwrap()
        .with_damage();
    follows(pounding, 1.0, &GAP_POUNDING_DAMAGE);
}

#[test]
fn hysteretic() {
    let plain = Hysteretic::symmetric([(0.001, 10.0), (0.004, 14.0), (0.012, 15.0)]).unwrap();
    follows(plain, 1.0, &HYSTERETIC_PLAIN);
    let pinched = Hysteretic::new(
        [(0.0009, 10.0), (0.0041, 14.0), (0.0117, 15.0)],
        [(-0.0011, -8.0), (-0.0043, -11.0), (-0.0111, -12.0)],
    )
    .unwrap()
    .with_pinching(0.7, 0.3)
    .unwrap()
    .with_damage(0.02, 0.05)
    .unwrap()
    .with_degradation(0.4)
    .unwrap();
    follows(pinched, 1.0, &HYSTERETIC_PINCHED);
    let softening = Hysteretic::new(
        [(0.0009, 10.0), (0.0041, 14.0), (0.0117, 2.0)],
        [(-0.0011, -8.0), (-0.0043, -11.0), (-0.0091, 0.0)],
    )
    .unwrap()
    .with_pinching(0.8, 0.5)
    .unwrap()
    .with_damage(0.01, 0.0)
    .unwrap()
    .with_degradation(0.5)
    .unwrap();
    follows(softening, 1.0, &HYSTERETIC_SOFTENING);
}

#[test]
fn combinations() {
    let steel01 = Material::from(Steel01::new(FY, E, 0.01).unwrap());
    follows(
        MinMax::new(steel01, -0.0099, 0.0145).unwrap(),
        1.0,
        &MIN_MAX,
    );
    let elastic = Material::from(Elastic::new(3000.0).unwrap());
    follows(
        Parallel::with_factors(vec![(steel02(), 0.7), (elastic, 1.5)]).unwrap(),
        1.0,
        &PARALLEL,
    );
    follows(
        InitialStrain::new(steel02(), 0.0007).unwrap(),
        1.0,
        &INITIAL_STRAIN,
    );
    follows(Elastic::no_tension(E).unwrap(), 1.0, &NO_TENSION);
}

/// OpenSees stops its series after one iteration, so the closed form judges here: a bilinear
/// material and a spring make a bilinear material.
#[test]
fn series_of_bilinear_and_spring_is_bilinear() {
    let (spring, b) = (90_000.0, 0.03);
    let chain = vec![
        Steel01::new(FY, E, b).unwrap().into(),
        Elastic::new(spring).unwrap().into(),
    ];
    let together = |modulus: f64| modulus * spring / (modulus + spring);
    let expected = Bilinear::new(FY, together(E), together(b * E) / together(E)).unwrap();
    let mut series = Material::from(Series::new(chain).unwrap()).point();
    let mut bilinear = Material::from(expected).point();
    for strain in path(1.0) {
        let (series_answer, answer) = (
            series.trial(Drive::at(strain)),
            bilinear.trial(Drive::at(strain)),
        );
        assert!(
            (series_answer.stress - answer.stress).abs() < 1e-11 * FY,
            "{series_answer:?} {answer:?}"
        );
        assert!((series_answer.tangent / answer.tangent - 1.0).abs() < 1e-12);
        series.commit();
        bilinear.commit();
    }
}
