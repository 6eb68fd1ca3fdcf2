//! Six actuators move a rigid body in space.

use super::jet::Jet;
use super::linkage::{Geometry, Linkage};
use super::plane_three::{irregular, length_change};
use super::{Build, points, require_interface};
use tandem_quantity::{Context, Dimension, Entry, Method, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "rigid-body",
        summary: "six pinned actuators move a rigid body in space (x, y, z and rotation vector), \
            exact for large displacements",
        reference: "Nakata, Spencer and Elnashai 2010 (load and boundary condition box)",
        parameters: RigidBodySettings::PARAMETERS,
    },
    build: &|values, &Context { interface, .. }| {
        let settings = RigidBodySettings::read(values)?;
        require_interface(interface, 6, "x, y, z, rotation about x, y, z")?;
        let bases = points::<3>("bases", &settings.bases, 6)?;
        let heads = points::<3>("heads", &settings.heads, 6)?;
        let motions = [0, 1, 2, 3, 4, 5];
        irregular(Linkage::new(RigidBody::new(&bases, &heads, &motions)))
    },
};

settings! {
    struct RigidBodySettings {
        /// fixed pins of the six actuators, seen from the node
        bases: Vec<Vec<f64>> = matrix(Dimension::LENGTH),
        /// their pins on the body, seen from the node
        heads: Vec<Vec<f64>> = matrix(Dimension::LENGTH),
    }
}

/// A rigid body on pinned actuators, free in some of its six motions and held in the others.
#[derive(Clone, Debug)]
pub(super) struct RigidBody {
    /// Pins on the ground and on the body, one pair for each actuator.
    pins: Vec<([f64; 3], [f64; 3])>,
    /// Which of x, y, z, rotation about x, y, z each degree of freedom is.
    motions: Vec<usize>,
}

impl RigidBody {
    /// As many bases as heads, seen from the node; motions counted from zero in the order x, y, z,
    /// rotations.
    pub fn new(bases: &[[f64; 3]], heads: &[[f64; 3]], motions: &[usize]) -> Self {
        Self {
            pins: bases.iter().copied().zip(heads.iter().copied()).collect(),
            motions: motions.to_vec(),
        }
    }
}

/// Σ (−s)ᵏ/(2k + first)!: (sin θ)/θ for `first` 1, (1 − cos θ)/θ² for 2, with s = θ². Smooth at
/// zero; converges to the last bit within half a turn.
#[inline]
fn series(s: Jet, first: i32) -> Jet {
    let mut sum = Jet::constant(1.0);
    for k in (1..=14).rev() {
        let divisor = f64::from((2 * k + first - 1) * (2 * k + first));
        sum = Jet::constant(1.0) - (s * sum).scaled(1.0 / divisor);
    }
    sum.scaled(1.0 / f64::from(first))
}

fn cross(a: [Jet; 3], b: [Jet; 3]) -> [Jet; 3] {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i] * b[j] - a[j] * b[i]
    })
}

impl Geometry for RigidBody {
    fn size(&self) -> usize {
        self.motions.len()
    }

    fn actuators(&self) -> usize {
        self.pins.len()
    }

    /// Rodrigues: R b − b = (sin θ/θ) φ × b + ((1 − cos θ)/θ²) φ × (φ × b).
    #[inline]
    fn stroke(&self, actuator: usize, q: &[Jet]) -> Jet {
        let mut all = [Jet::constant(0.0); 6];
        for (motion, q) in self.motions.iter().zip(q) {
            all[*motion] = *q;
        }
        let turn = [all[3], all[4], all[5]];
        let square = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2];
        let (base, head) = self.pins[actuator];
        let arm = head.map(Jet::constant);
        let once = cross(turn, arm);
        let twice = cross(turn, once);
        let (a, b) = (series(square, 1), series(square, 2));
        let shift = std::array::from_fn(|k| all[k] + a * once[k] + b * twice[k]);
        length_change(base, head, shift)
    }
}
