//! The coupler of the multi-axial benchmark: two parallel actuators make a translation and a
//! rotation.

use super::Build;
use super::jet::Jet;
use super::linkage::{Geometry, Linkage};
use super::plane_three::irregular;
use super::require_interface;
use tandem_quantity::{Context, Dimension, Entry, Method, Settings, settings};

/// What the plan writes. The defaults are the published coupler.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "coupler",
        summary: "two parallel actuators, below and above, move a coupler (x, rotation)",
        reference: "Condori Uribe et al. 2023, Eqs 28–30",
        parameters: CouplerSettings::PARAMETERS,
    },
    build: &|values, &Context { interface, .. }| {
        let settings = CouplerSettings::read(values)?;
        require_interface(interface, 2, "x, rotation")?;
        let (reach, arm) = (settings.reach, settings.arm);
        irregular(Linkage::new(Coupler {
            radius: reach.hypot(arm),
            angle: arm.atan2(reach),
            sign: if settings.clockwise { -1.0 } else { 1.0 },
        }))
    },
};

settings! {
    struct CouplerSettings {
        /// from the node to the pins, along the actuators
        reach: f64 = number(Dimension::LENGTH).or("\"266.7 mm\"").positive(),
        /// from the node to the pins, across the actuators
        arm: f64 = number(Dimension::LENGTH).or("\"127 mm\"").positive(),
        /// whether the interface counts rotations clockwise
        clockwise: bool = boolean().or("false"),
    }
}

/// η₁ = x + p (cos(θ − α) − cos α), η₂ = x + p (cos(θ + α) − cos α); θ counter-clockwise.
#[derive(Clone, Copy, Debug)]
struct Coupler {
    radius: f64,
    angle: f64,
    sign: f64,
}

impl Geometry for Coupler {
    fn size(&self) -> usize {
        2
    }

    #[inline]
    fn stroke(&self, actuator: usize, q: &[Jet]) -> Jet {
        let own = if actuator == 0 {
            -self.angle
        } else {
            self.angle
        };
        let turned = (q[1].scaled(self.sign) + Jet::constant(own)).cos();
        q[0] + (turned - Jet::constant(self.angle.cos())).scaled(self.radius)
    }
}
