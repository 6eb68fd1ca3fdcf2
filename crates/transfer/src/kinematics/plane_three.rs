//! Three actuators move a rigid body in the plane.

use super::jet::Jet;
use super::linkage::{Geometry, Linkage};
use super::{Build, Kinematics, points, require_interface};
use tandem_quantity::{BuildError, Context, Dimension, Entry, Method, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "plane-three",
        summary: "three pinned actuators move a rigid body in the plane (x, y, rotation), exact \
            for large displacements",
        reference: "Schellenberg, Mahin and Fenves 2009 (experimental set-ups)",
        parameters: PlaneThreeSettings::PARAMETERS,
    },
    build: &|values, &Context { interface, .. }| {
        let settings = PlaneThreeSettings::read(values)?;
        require_interface(interface, 3, "x, y, rotation")?;
        let bases = points::<2>("bases", &settings.bases, 3)?;
        let heads = points::<2>("heads", &settings.heads, 3)?;
        irregular(Linkage::new(PlaneThree {
            bases: [bases[0], bases[1], bases[2]],
            heads: [heads[0], heads[1], heads[2]],
        }))
    },
};

settings! {
    struct PlaneThreeSettings {
        /// fixed pins of the three actuators, seen from the node: x right, y up
        bases: Vec<Vec<f64>> = matrix(Dimension::LENGTH),
        /// their pins on the body, seen from the node; rotation is counter-clockwise
        heads: Vec<Vec<f64>> = matrix(Dimension::LENGTH),
    }
}

/// Refuses a linkage that cannot hold some motion, or whose pins coincide.
pub(super) fn irregular<G: Geometry + 'static>(
    mut linkage: Linkage<G>,
) -> Result<Box<dyn Kinematics>, BuildError> {
    if linkage.is_regular() {
        return Ok(Box::new(linkage));
    }
    Err(BuildError::new(
        "bases",
        "some motion of the body moves no actuator, or two pins coincide",
        "place the pins so that the lines of action do not meet in one point or run parallel",
    ))
}

/// Length from `base` to `head` + `shift` (both seen from the node), minus the length at rest.
#[inline]
pub(super) fn length_change<const N: usize>(
    base: [f64; N],
    head: [f64; N],
    shift: [Jet; N],
) -> Jet {
    let mut square = Jet::constant(0.0);
    let mut rest = 0.0;
    for k in 0..N {
        let reach = head[k] - base[k];
        let side = shift[k] + Jet::constant(reach);
        square = square + side * side;
        rest += reach * reach;
    }
    square.sqrt() - Jet::constant(rest.sqrt())
}

#[derive(Clone, Copy, Debug)]
struct PlaneThree {
    bases: [[f64; 2]; 3],
    heads: [[f64; 2]; 3],
}

impl Geometry for PlaneThree {
    fn size(&self) -> usize {
        3
    }

    #[inline]
    fn stroke(&self, actuator: usize, q: &[Jet]) -> Jet {
        let [x, y] = self.heads[actuator];
        let (c, s) = (q[2].cos() - Jet::constant(1.0), q[2].sin());
        let shift = [
            q[0] + c.scaled(x) - s.scaled(y),
            q[1] + s.scaled(x) + c.scaled(y),
        ];
        length_change(self.bases[actuator], self.heads[actuator], shift)
    }
}
