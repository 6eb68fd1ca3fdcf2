//! Properties of sections: symmetric tangent that is the derivative of the forces, invariance under
//! rotation, trials without trace, saved states bit for bit.

use crate::common::words;
use proptest::prelude::*;
use tandem_frame::material::{Drive, Material, Steel01, Steel02};
use tandem_frame::section::shape::{BarRow, IShape, ReinforcedConcrete, i_shape, rectangle};
use tandem_frame::section::{
    AggregatedSection, Base, Component, ElasticSection2d, FibreLayout, FibreSection3d, Section2d,
    Section3d, SectionError,
};
use tandem_quantity::{Snapshot, StateReader};
use tandem_test_support::sections::concrete;

fn steel() -> Material {
    Steel02::new(355e6, 210e9, 0.01)
        .unwrap()
        .with_curve(18.5, 0.925, 0.15)
        .unwrap()
        .into()
}

fn column() -> FibreLayout {
    let of = |strength: f64| concrete([strength, -0.002, 0.2 * strength, -0.008, 3e6, 1.5e9]);
    let row = |y: f64, count: usize| BarRow {
        y,
        count,
        bar_area: 5e-4,
    };
    ReinforcedConcrete {
        width: 0.4,
        height: 0.5,
        cover: 0.04,
        core_concrete: of(-36e6),
        cover_concrete: of(-30e6),
        steel: steel(),
        rows: vec![row(0.2, 4), row(0.0, 2), row(-0.2, 3)],
        layers: (12, 3),
        across: 6,
    }
    .layout()
    .unwrap()
}

fn beam() -> FibreLayout {
    let shape = IShape {
        height: 0.3,
        width: 0.3,
        web: 0.011,
        flange: 0.019,
    };
    i_shape(&steel(), shape, (2, 8), (10, 2)).unwrap()
}

fn deformation() -> impl Strategy<Value = [f64; 4]> {
    [
        -0.004..0.004_f64,
        -0.03..0.03_f64,
        -0.03..0.03_f64,
        -0.01..0.01_f64,
    ]
}

/// The same fibres turned by an angle.
fn turned(angle: f64) -> FibreLayout {
    let (sin, cos) = angle.sin_cos();
    beam()
        .fibres()
        .iter()
        .fold(FibreLayout::new(), |layout, fibre| {
            let place = (fibre.y * cos - fibre.z * sin, fibre.y * sin + fibre.z * cos);
            layout.fibre(&steel(), place, fibre.area).unwrap()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn tangent_is_symmetric_and_the_derivative(
        history in prop::collection::vec(deformation(), 0..8),
        at in deformation(),
    ) {
        let mut section = beam().build_3d(1e6).unwrap();
        for deformation in history {
            section.trial(deformation);
            section.commit();
        }
        let answer = section.trial(at);
        for j in 0..4 {
            let h = 1e-8;
            let moved = |sign: f64| { let mut d = at; d[j] += sign * h; d };
            let (plus, minus) = (section.trial(moved(1.0)).force, section.trial(moved(-1.0)).force);
            for i in 0..4 {
                prop_assert_eq!(answer.tangent[i][j].to_bits(), answer.tangent[j][i].to_bits());
                let slope = (plus[i] - minus[i]) / (2.0 * h);
                let size =
                    (section.initial_tangent()[i][i] * section.initial_tangent()[j][j]).sqrt();
                prop_assert!((slope - answer.tangent[i][j]).abs() < 2e-4 * size, "{i}{j}: {slope} \
                    {answer:?}");
            }
        }
    }

    /// Turning section and curvature together turns the moments and nothing else.
    #[test]
    fn rotation_changes_nothing(angle in 0.0..6.3_f64,
        path in prop::collection::vec(deformation(), 1..6)) {
        let mut straight = beam().build_3d(1e6).unwrap();
        let mut oblique = turned(angle).build_3d(1e6).unwrap();
        let (sin, cos) = angle.sin_cos();
        for [axial, kz, ky, twist] in path {
            // ε = ε₀ − yκ_z + zκ_y: (−κ_z, κ_y) turns like (y, z).
            let (a, b) = (-kz, ky);
            let (ta, tb) = (a * cos - b * sin, a * sin + b * cos);
            let one = straight.trial([axial, kz, ky, twist]).force;
            let other = oblique.trial([axial, -ta, tb, twist]).force;
            let (ma, mb) = (-one[1], one[2]);
            let expected = [one[0], -(ma * cos - mb * sin), ma * sin + mb * cos, one[3]];
            for (got, expected) in other.iter().zip(expected) {
                prop_assert!((got - expected).abs() < 1e-3, "{got} {expected}");
            }
            straight.commit();
            oblique.commit();
        }
    }

    #[test]
    fn states_survive(path in prop::collection::vec(deformation(), 1..6),
        elsewhere in deformation(), next in deformation()) {
        let mut section = Section3d::from(column().build_3d(1e6).unwrap());
        for deformation in path {
            section.trial(deformation);
            section.commit();
        }
        let before = words(&section);
        section.trial(elsewhere);
        let mut saved = Vec::new();
        section.save(&mut saved);
        let mut copy = Section3d::from(column().build_3d(1e6).unwrap());
        copy.restore(&mut StateReader::new(&saved)).unwrap();
        prop_assert!(words(&copy) == words(&section));
        copy.revert();
        prop_assert!(words(&copy) == before);
        prop_assert_eq!(copy.trial(next), section.trial(next));
        copy.commit();
        section.commit();
        prop_assert!(words(&copy) == words(&section));
    }

    /// Bent in one plane only, the space section is the plane section.
    #[test]
    fn plane_bending_is_the_plane_section(path in prop::collection::vec(deformation(), 1..6)) {
        let mut plane = column().build_2d().unwrap();
        let mut space = column().build_3d(1e6).unwrap();
        for [axial, curvature, ..] in path {
            let one = plane.trial([axial, curvature]);
            let other = space.trial([axial, curvature, 0.0, 0.0]);
            prop_assert_eq!(one.force.map(f64::to_bits),
                [other.force[0], other.force[1]].map(f64::to_bits));
            prop_assert_eq!(one.tangent[1][1].to_bits(), other.tangent[1][1].to_bits());
            plane.commit();
            space.commit();
        }
    }
}

#[test]
fn a_layered_rectangle_has_its_known_inertia() {
    for layers in [1_usize, 2, 5, 40] {
        let elastic = Material::from(tandem_frame::material::Elastic::new(1.0).unwrap());
        let section = rectangle(&elastic, 0.3, 0.5, (layers, 1))
            .unwrap()
            .build_2d()
            .unwrap();
        let own = 0.3 * 0.5_f64.powi(3) / 12.0 * (1.0 - 1.0 / (layers * layers) as f64);
        let [[ea, _], [_, ei]] = section.initial_tangent();
        assert!((ea - 0.15).abs() < 1e-15 && (ei - own).abs() < 1e-16);
    }
}

/// A fully plastic rectangle carries f_y b h²/4.
#[test]
fn plastic_moment_of_a_rectangle() {
    let steel = Material::from(Steel01::new(300e6, 200e9, 0.0).unwrap());
    let mut section = rectangle(&steel, 0.1, 0.2, (200, 1))
        .unwrap()
        .build_2d()
        .unwrap();
    let moment = section.trial([0.0, 1e3]).force[1];
    assert!((moment / (300e6 * 0.1 * 0.04 / 4.0) - 1.0).abs() < 1e-9);
}

#[test]
fn aggregated_sections_add_uncoupled_laws() {
    let base = Section2d::from(column().build_2d().unwrap());
    let shear = Material::from(Steel01::new(2e5, 4e8, 0.05).unwrap());
    let added = [(Component::ShearY, shear.clone())];
    let mut section = AggregatedSection::new(Base::Plane(base.clone()), &added).unwrap();
    let mut alone = (base, shear.point());
    assert_eq!(
        section.components(),
        [Component::Axial, Component::MomentZ, Component::ShearY]
    );
    for step in 1..50_u32 {
        let t = 0.2 * f64::from(step);
        let [axial, curvature, shear] = [-1e-4 * t, 0.01 * t.sin(), 1e-3 * (2.0 * t).sin()];
        section.trial(&[axial, curvature, shear]);
        let (answer, shear) = (
            alone.0.trial([axial, curvature]),
            alone.1.trial(Drive::at(shear)),
        );
        assert_eq!(
            section.force(),
            [answer.force[0], answer.force[1], shear.stress]
        );
        let [[a, b], [c, d]] = answer.tangent;
        assert_eq!(
            section.tangent(),
            [a, b, 0.0, c, d, 0.0, 0.0, 0.0, shear.tangent]
        );
        if step % 3 == 0 {
            section.revert();
            alone.0.revert();
            alone.1.revert();
            assert_eq!(
                section.force()[2].to_bits(),
                alone.1.response().stress.to_bits()
            );
        } else {
            section.commit();
            alone.0.commit();
            alone.1.commit();
        }
    }
    let mut saved = Vec::new();
    section.save(&mut saved);
    let mut copy =
        AggregatedSection::new(Base::Plane(column().build_2d().unwrap().into()), &added).unwrap();
    copy.restore(&mut StateReader::new(&saved)).unwrap();
    assert_eq!(copy, section);
    let twice = AggregatedSection::new(Base::None, &[added[0].clone(), added[0].clone()]);
    assert_eq!(
        twice.err(),
        Some(SectionError::Twice {
            component: Component::ShearY
        })
    );
}

#[test]
fn wrong_descriptions_are_refused() {
    assert_eq!(
        FibreLayout::new().build_2d().err(),
        Some(SectionError::NoFibres)
    );
    assert!(rectangle(&steel(), 0.3, -0.5, (1, 1)).is_err());
    assert_eq!(
        rectangle(&steel(), 0.3, 0.5, (0, 1)).err(),
        Some(SectionError::NoDivision)
    );
    assert!(
        FibreLayout::new()
            .fibre(&steel(), (f64::NAN, 0.0), 1.0)
            .is_err()
    );
    assert!(FibreSection3d::new(&beam(), 0.0).is_err());
    assert!(ElasticSection2d::new(210e9, 0.0, 1.0).is_err());
}
