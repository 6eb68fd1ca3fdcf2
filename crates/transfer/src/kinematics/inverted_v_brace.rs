//! The two braces of an inverted V, each tested along its own axis.

use super::jet::Jet;
use super::linkage::{Geometry, Linkage};
use super::plane_three::{irregular, length_change};
use super::{Build, require_interface};
use tandem_quantity::{Context, Dimension, Entry, Method, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "inverted-v-brace",
        summary: "two braces under the middle of a beam, one actuator along each: strokes are \
            their elongations, exact for large displacements",
        reference: "Schellenberg, Mahin and Fenves 2009 (experimental set-ups)",
        parameters: InvertedVBraceSettings::PARAMETERS,
    },
    build: &|values, &Context { interface, .. }| {
        let settings = InvertedVBraceSettings::read(values)?;
        if interface != 1 {
            require_interface(interface, 2, "x, y of the apex; or x alone")?;
        }
        irregular(Linkage::new(InvertedV {
            size: interface,
            half_span: settings.half_span,
            height: settings.height,
        }))
    },
};

settings! {
    struct InvertedVBraceSettings {
        /// from the foot of a brace to below the apex
        half_span: f64 = number(Dimension::LENGTH).positive(),
        /// of the apex above the feet
        height: f64 = number(Dimension::LENGTH).positive(),
    }
}

/// Feet at (∓half span, −height), seen from the apex. With x alone the beam holds the apex at its
/// height.
#[derive(Clone, Copy, Debug)]
struct InvertedV {
    size: usize,
    half_span: f64,
    height: f64,
}

impl Geometry for InvertedV {
    fn size(&self) -> usize {
        self.size
    }

    fn actuators(&self) -> usize {
        2
    }

    #[inline]
    fn stroke(&self, actuator: usize, q: &[Jet]) -> Jet {
        let side = if actuator == 0 { -1.0 } else { 1.0 };
        let y = q.get(1).copied().unwrap_or(Jet::constant(0.0));
        let foot = [side * self.half_span, -self.height];
        length_change(foot, [0.0; 2], [q[0], y])
    }
}
