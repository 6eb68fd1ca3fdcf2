//! Properties that every law has: the tangent is the derivative of the stress, a trial leaves no
//! trace, saved states come back bit for bit, and a block of fibres is the same law.

use crate::common::words;
use proptest::prelude::*;
use tandem_frame::material::{
    Bilinear, BoucWen, BoucWenRate, Concrete01, Concrete02, Crushing, Damper, Drive, Elastic,
    ElasticPlastic, FibreBlock, Gap, Hysteretic, InitialStrain, Material, MaterialPoint, Maxwell,
    MinMax, Parallel, Series, Steel01, Steel02, Viscous,
};
use tandem_quantity::{Snapshot, StateReader};

const FY: f64 = 355.0;
const E: f64 = 210_000.0;

fn steel02() -> Steel02 {
    Steel02::new(FY, E, 0.01)
        .unwrap()
        .with_curve(18.5, 0.925, 0.15)
        .unwrap()
}

/// One of each material, all yielding somewhere in ±0.02.
fn materials() -> Vec<Material> {
    let steel = steel02();
    let crushing = Crushing {
        strength: -30.0,
        strain_at_strength: -0.002,
        crushing_stress: -6.0,
        crushing_strain: -0.006,
    };
    let points = [(0.0009, 10.0), (0.0041, 14.0), (0.0117, 15.0)];
    let pinched = Hysteretic::symmetric(points)
        .unwrap()
        .with_pinching(0.7, 0.3)
        .unwrap();
    vec![
        Elastic::with_compression(E, 0.5 * E).unwrap().into(),
        ElasticPlastic::with_limits(E, 0.002, -0.003)
            .unwrap()
            .with_initial_strain(0.0003)
            .unwrap()
            .into(),
        Bilinear::new(FY, E, 0.02).unwrap().into(),
        Steel01::new(FY, E, 0.02)
            .unwrap()
            .with_isotropic([0.05, 1.5, 0.03, 1.2])
            .unwrap()
            .into(),
        steel.into(),
        steel
            .with_isotropic([0.05, 1.0, 0.02, 1.5])
            .unwrap()
            .with_initial_stress(120.0)
            .unwrap()
            .into(),
        Concrete01::new(-30.0, -0.002, -6.0, -0.006).unwrap().into(),
        Concrete02::new(crushing, 0.1, 3.0, 1500.0).unwrap().into(),
        BoucWen::new(0.08, 100.0, 1.6, 30.0, 40.0)
            .unwrap()
            .with_degradation(1.1, [0.4, 0.6, 0.5])
            .unwrap()
            .into(),
        BoucWenRate::new(0.1, 500.0, 0.005, 1.0, 0.6, 0.4)
            .unwrap()
            .into(),
        BoucWenRate::new(0.1, 500.0, 0.005, 2.0, 0.6, -0.3)
            .unwrap()
            .into(),
        BoucWenRate::new(0.1, 500.0, 0.005, 3.3, 0.5, 0.5)
            .unwrap()
            .into(),
        Gap::new(E, FY, 0.0012)
            .unwrap()
            .with_hardening(0.05)
            .unwrap()
            .into(),
        Gap::new(E, -FY, -0.0012).unwrap().with_damage().into(),
        pinched
            .with_damage(0.02, 0.05)
            .unwrap()
            .with_degradation(0.4)
            .unwrap()
            .into(),
        Maxwell::new(2000.0, 150.0).unwrap().into(),
        Damper::new(25_000.0, 40.0, 0.3).unwrap().into(),
        Viscous::new(40.0, 0.5).unwrap().into(),
        Parallel::new(vec![steel.into(), Elastic::new(3000.0).unwrap().into()])
            .unwrap()
            .into(),
        Series::new(vec![steel.into(), Elastic::new(E).unwrap().into()])
            .unwrap()
            .into(),
        InitialStrain::new(steel.into(), 0.0007).unwrap().into(),
        MinMax::new(steel.into(), -0.015, 0.018).unwrap().into(),
    ]
}

fn drive(strain: f64) -> Drive {
    Drive {
        strain,
        rate: 10.0 * strain,
        dt: 0.01,
    }
}

fn load(point: &mut MaterialPoint, history: &[f64]) {
    for strain in history {
        point.trial(drive(*strain));
        point.commit();
    }
}

fn history(longest: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(
        prop_oneof![3 => -0.02..0.02_f64, 1 => -0.002..0.002_f64, 1 => Just(0.0)],
        1..longest,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Central differences at two step sizes bracket kinks: where they agree with each other, the
    /// tangent must agree too.
    #[test]
    fn tangent_is_the_derivative(history in history(12), strain in -0.02..0.02_f64) {
        for material in materials() {
            let mut point = material.point();
            load(&mut point, &history);
            let rate = 10.0 * strain;
            let mut stress = |strain: f64| point.trial(Drive { strain, rate, dt: 0.01 }).stress;
            let h = 2e-7;
            let [a, b, c, d] = [-1.0, -0.5, 0.5, 1.0].map(|part| stress(strain + part * h));
            let (left, middle, right) = ((b - a) / (0.5 * h), (c - b) / h, (d - c) / (0.5 * h));
            let scale = point.initial_tangent().abs().max(1.0);
            let smooth = (left - middle).abs().max((right - middle).abs()) < 1e-4 * scale;
            let tangent = point.trial(Drive { strain, rate, dt: 0.01 }).tangent;
            if smooth {
                prop_assert!((tangent - middle).abs() < 1e-4 * scale, "{material:?}: {tangent} \
                    against {middle}");
            }
        }
    }

    #[test]
    fn a_trial_leaves_no_trace(history in history(12), elsewhere in -0.03..0.03_f64,
        next in -0.02..0.02_f64) {
        for material in materials() {
            let mut point = material.point();
            load(&mut point, &history);
            let before = words(&point);
            let mut disturbed = point.clone();
            disturbed.trial(drive(elsewhere));
            let mut reverted = disturbed.clone();
            reverted.revert();
            prop_assert!(words(&reverted) == before, "{material:?}");
            let straight = point.trial(drive(next));
            let detour = disturbed.trial(drive(next));
            prop_assert_eq!(straight.stress.to_bits(), detour.stress.to_bits());
            prop_assert_eq!(straight.tangent.to_bits(), detour.tangent.to_bits());
            point.commit();
            disturbed.commit();
            // A broken material does not care where its inside was last tried; everything else is
            // the same to the bit.
            if !matches!(material, Material::MinMax(_)) {
                prop_assert!(words(&point) == words(&disturbed), "{material:?}");
            }
        }
    }

    #[test]
    fn saved_states_come_back(history in history(12), trial in -0.02..0.02_f64,
        next in -0.02..0.02_f64) {
        for material in materials() {
            let mut point = material.point();
            load(&mut point, &history);
            point.trial(drive(trial));
            let mut saved = Vec::new();
            point.save(&mut saved);
            let mut other = material.point();
            let mut reader = StateReader::new(&saved);
            other.restore(&mut reader).unwrap();
            prop_assert_eq!(reader.remaining(), 0);
            prop_assert!(words(&point) == words(&other), "{material:?}");
            point.commit();
            other.commit();
            point.trial(drive(next));
            other.trial(drive(next));
            prop_assert!(words(&point) == words(&other), "{material:?}");
            prop_assert!(material.point().restore(&mut StateReader::new(&saved[1..])).is_err());
        }
    }

    /// 19 fibres: two full groups of lanes and a rest, each with its own amplitude; trials, commits
    /// and reverts mixed.
    #[test]
    fn a_block_is_the_law_fibre_by_fibre(
        steps in prop::collection::vec((-0.02..0.02_f64, 0..4_u8), 1..40)) {
        const COUNT: usize = 19;
        for material in materials() {
            let mut block = FibreBlock::new(&material, COUNT);
            let mut points = vec![material.point(); COUNT];
            let (mut stress, mut tangent) = ([0.0; COUNT], [0.0; COUNT]);
            for (amplitude, then) in &steps {
                let strain: [f64; COUNT] =
                    std::array::from_fn(|i| amplitude * (i as f64 / 9.0 - 1.0));
                block.evaluate(&strain, &mut stress, &mut tangent);
                for (i, point) in points.iter_mut().enumerate() {
                    let answer = point.trial(Drive::at(strain[i]));
                    prop_assert_eq!(stress[i].to_bits(), answer.stress.to_bits(), "{:?} fibre \
                        {}", material, i);
                    prop_assert_eq!(tangent[i].to_bits(), answer.tangent.to_bits(), "{:?} fibre \
                        {}", material, i);
                }
                match then {
                    0 => {}
                    1 => {
                        block.revert();
                        points.iter_mut().for_each(MaterialPoint::revert);
                    }
                    _ => {
                        block.commit();
                        points.iter_mut().for_each(MaterialPoint::commit);
                    }
                }
                let mut saved = Vec::new();
                block.save(&mut saved);
                let mut restored = FibreBlock::new(&material, COUNT);
                restored.restore(&mut StateReader::new(&saved)).unwrap();
                prop_assert!(words(&restored) == words(&block), "{material:?}");
                block = restored;
            }
        }
    }

    /// Hysteresis dissipates: closed cycles of plastic laws never give energy back.
    #[test]
    fn closed_cycles_dissipate(amplitude in 0.0005..0.02_f64) {
        let laws: [Material; 4] = [
            Bilinear::new(FY, E, 0.02).unwrap().into(),
            Steel01::new(FY, E, 0.02).unwrap().into(),
            steel02().into(),
            BoucWenRate::new(0.1, 500.0, 0.005, 2.0, 0.6, 0.4).unwrap().into(),
        ];
        for law in laws {
            let mut point = law.point();
            let mut work = 0.0;
            let (mut last_strain, mut last_stress) = (0.0, 0.0);
            for step in 1..=1200_u32 {
                let strain = amplitude * (std::f64::consts::TAU * f64::from(step) / 400.0).sin();
                let stress = point.trial(Drive::at(strain)).stress;
                point.commit();
                work += 0.5 * (stress + last_stress) * (strain - last_strain);
                (last_strain, last_stress) = (strain, stress);
            }
            prop_assert!(work > -1e-9 * FY * amplitude, "{law:?}: {work}");
        }
    }
}

/// No strain, however absurd, makes a law panic.
#[test]
fn absurd_strains_do_not_panic() {
    for material in materials() {
        for strain in [
            f64::NAN,
            f64::INFINITY,
            -f64::INFINITY,
            1e300,
            -1e300,
            1e-300,
        ] {
            let mut point = material.point();
            load(&mut point, &[0.003, -0.001]);
            point.trial(Drive::at(strain));
            point.commit();
            point.trial(Drive::at(0.001));
            let mut block = FibreBlock::new(&material, 3);
            block.evaluate(&[strain; 3], &mut [0.0; 3], &mut [0.0; 3]);
        }
    }
}
