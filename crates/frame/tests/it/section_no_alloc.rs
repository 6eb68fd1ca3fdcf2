//! Trials, commits and reverts of materials and sections take no memory.

use assert_no_alloc::assert_no_alloc;
use tandem_frame::material::{Drive, Material, MinMax, Parallel, Series, Steel01, Steel02};
use tandem_frame::section::shape::rectangle;
use tandem_frame::section::{AggregatedSection, Base, Component};

#[test]
fn stepping_takes_no_memory() {
    let steel = Material::from(Steel02::new(355e6, 210e9, 0.01).unwrap());
    let spring = Material::from(Steel01::new(355e6, 210e9, 0.01).unwrap());
    let chain = Material::from(Series::new(vec![steel.clone(), spring.clone()]).unwrap());
    let both = Material::from(Parallel::new(vec![steel.clone(), chain]).unwrap());
    let mut point = Material::from(MinMax::new(both, -1.0, 1.0).unwrap()).point();
    let mut plane = rectangle(&steel, 0.1, 0.2, (21, 1))
        .unwrap()
        .build_2d()
        .unwrap();
    let mut space = rectangle(&spring, 0.1, 0.2, (10, 5))
        .unwrap()
        .build_3d(1e6)
        .unwrap();
    let base = Base::Plane(plane.clone().into());
    let mut sheared = AggregatedSection::new(base, &[(Component::ShearY, spring)]).unwrap();
    assert_no_alloc(|| {
        for step in 0..200_u32 {
            let t = (0.1 * f64::from(step)).sin();
            point.trial(Drive::at(0.01 * t));
            plane.trial([0.001 * t, 0.2 * t]);
            space.trial([0.001 * t, 0.2 * t, 0.1 * t, 0.01 * t]);
            sheared.trial(&[0.001 * t, 0.2 * t, 0.001 * t]);
            if step % 3 == 0 {
                point.revert();
                plane.revert();
                space.revert();
                sheared.revert();
            } else {
                point.commit();
                plane.commit();
                space.commit();
                sheared.commit();
            }
        }
    });
}
