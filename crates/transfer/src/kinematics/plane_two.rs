//! Two actuators move a point in the plane.

use super::jet::Jet;
use super::linkage::{Geometry, Linkage};
use super::plane_three::{irregular, length_change};
use super::{Build, points, require_interface};
use tandem_quantity::{Context, Dimension, Entry, Method, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "plane-two",
        summary: "two pinned actuators move a point in the plane (x, y), exact for large \
            displacements",
        reference: "Schellenberg, Mahin and Fenves 2009 (experimental set-ups)",
        parameters: PlaneTwoSettings::PARAMETERS,
    },
    build: &|values, &Context { interface, .. }| {
        let settings = PlaneTwoSettings::read(values)?;
        require_interface(interface, 2, "x, y")?;
        let bases = points::<2>("bases", &settings.bases, 2)?;
        irregular(Linkage::new(PlaneTwo {
            bases: [bases[0], bases[1]],
        }))
    },
};

settings! {
    struct PlaneTwoSettings {
        /// fixed pins of the two actuators, seen from the point: [[-1.5, 0], [0, -1.2], "m"]
        bases: Vec<Vec<f64>> = matrix(Dimension::LENGTH),
    }
}

#[derive(Clone, Copy, Debug)]
struct PlaneTwo {
    bases: [[f64; 2]; 2],
}

impl Geometry for PlaneTwo {
    fn size(&self) -> usize {
        2
    }

    #[inline]
    fn stroke(&self, actuator: usize, q: &[Jet]) -> Jet {
        length_change(self.bases[actuator], [0.0; 2], [q[0], q[1]])
    }
}
