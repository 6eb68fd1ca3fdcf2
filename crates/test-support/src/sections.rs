//! Sections, and a frame of them, that tests of several files know from the literature.

use tandem_frame::element::Determination;
use tandem_frame::material::{Concrete02, Crushing, Elastic, Material, Steel01, Steel02};
use tandem_frame::model::{Dof, Member, ModelBuilder};
use tandem_frame::section::FibreSection2d;
use tandem_frame::section::shape::{BarRow, IShape, ReinforcedConcrete, i_shape};

/// Concrete from f_c, ε_c, f_u, ε_u, f_t and E_ts, with λ = 0.1.
///
/// # Panics
/// Where the law refuses them.
#[must_use]
pub fn concrete(values: [f64; 6]) -> Material {
    let [
        strength,
        strain_at_strength,
        crushing_stress,
        crushing_strain,
        tension,
        softening,
    ] = values;
    let crushing = Crushing {
        strength,
        strain_at_strength,
        crushing_stress,
        crushing_strain,
    };
    Concrete02::new(crushing, 0.1, tension, softening)
        .unwrap()
        .into()
}

/// Confined and unconfined concrete of Hung & El-Tawil (2009), ksi.
pub const CONFINED: [f64; 6] = [-7.2, -0.0045, -2.4, -0.03, 0.72, 360.0];
/// As [`CONFINED`], of the cover.
pub const UNCONFINED: [f64; 6] = [-6.0, -0.002, -0.4, -0.01, 0.6, 300.0];

/// The reinforced-concrete section of Hung & El-Tawil (2009), ksi and inches.
///
/// # Panics
/// Never.
#[must_use]
pub fn reinforced_concrete() -> FibreSection2d {
    let row = |y: f64, count: usize| BarRow {
        y,
        count,
        bar_area: 1.0,
    };
    let section = ReinforcedConcrete {
        width: 24.0,
        height: 24.0,
        cover: 2.0,
        core_concrete: concrete(CONFINED),
        cover_concrete: concrete(UNCONFINED),
        steel: Steel01::new(60.0, 29_000.0, 0.01).unwrap().into(),
        rows: vec![row(10.0, 3), row(0.0, 2), row(-10.0, 3)],
        layers: (20, 4),
        across: 1,
    };
    section.layout().unwrap().build_2d().unwrap()
}

/// HEB100 without its fillets, of steel S355 with this ratio of hardening, in a test's own units of
/// a millimetre and a megapascal.
///
/// # Panics
/// Never.
#[must_use]
pub fn heb100(hardening: f64, millimetre: f64, megapascal: f64) -> FibreSection2d {
    let steel = Steel02::new(355.0 * megapascal, 210_000.0 * megapascal, hardening)
        .and_then(|steel| steel.with_curve(20.0, 0.925, 0.15))
        .unwrap();
    let shape = IShape {
        height: 100.0 * millimetre,
        width: 100.0 * millimetre,
        web: 6.0 * millimetre,
        flange: 10.0 * millimetre,
    };
    let layout = i_shape(&steel.into(), shape, (4, 1), (16, 1)).unwrap();
    layout.build_2d().unwrap()
}

/// Two-bay frame of LNEC (Tekeste, Correia & Costa 2025, §3), SI: columns fixed at the base and
/// hinged at the top, an outer one (element 1) on a rotational spring where `semi_rigid`. Nodes 20
/// to 22 carry the masses; rotations and verticals have none.
///
/// # Panics
/// Never.
#[must_use]
pub fn lnec_frame(semi_rigid: bool, determination: Determination) -> ModelBuilder {
    let mut frame = ModelBuilder::plane();
    let section = heb100(0.010_869_565_217_391_304, 1e-3, 1e6);
    let column = Member::force_based(section, 5).with_determination(determination);
    let beam = Member::elastic(210e9, 39.12e-4, 3892e-8);
    let ties = [Dof::Ux, Dof::Uy];
    for line in 0..3_u8 {
        let x = 3.6 * f64::from(line);
        let line = usize::from(line);
        frame.node(line, [x, 0.0]).unwrap();
        frame.fix_all(line).unwrap();
        frame.node(10 + line, [x, 1.8]).unwrap();
        frame.node(20 + line, [x, 1.8]).unwrap();
        frame.equal_dof(20 + line, 10 + line, &ties).unwrap();
        let part = if line == 1 { 0.5 } else { 0.25 };
        let mass = [(Dof::Ux, part * 25_967.51)];
        frame.mass(20 + line, &mass).unwrap();
    }
    frame.node(30, [0.0, 0.0]).unwrap();
    let base = if semi_rigid {
        frame.equal_dof(0, 30, &ties).unwrap();
        let spring = Material::from(Elastic::new(1942e3).unwrap());
        let spring = [(Dof::Rz, &spring)];
        frame.zero_length(100, [0, 30], &spring).unwrap();
        30
    } else {
        frame.fix_all(30).unwrap();
        0
    };
    for (number, nodes) in [(1, [base, 10]), (2, [1, 11]), (3, [2, 12])] {
        frame.member(number, nodes, &column).unwrap();
    }
    frame.member(4, [20, 21], &beam).unwrap();
    frame.member(5, [21, 22], &beam).unwrap();
    frame
}
