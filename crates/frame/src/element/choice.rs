//! The closed set of elements. Dispatch is a `match`: no virtual call, and the compiler says where
//! a new element is missing.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::elastomeric_bearing::ElastomericBearing;
use super::friction_pendulum::FrictionPendulum;
use super::member::{Member2d, Member3d};
use super::motion::Motion;
use super::mr_damper::MrDamper;
use super::springs::Springs;
use super::truss::Truss;
use crate::small::{MOST_DOFS, SmallMatrix};

/// An element with its committed and its trial state.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// Member of a plane frame.
    Member2d(Box<Member2d>),
    /// Member of a space frame.
    Member3d(Box<Member3d>),
    /// Bar.
    Truss(Box<Truss>),
    /// Uncoupled springs: zero-length, two-node link, shear storey, damper.
    Springs(Springs),
    /// Elastomeric bearing.
    Elastomeric(Box<ElastomericBearing>),
    /// Friction pendulum.
    Pendulum(Box<FrictionPendulum>),
    /// Magnetorheological damper.
    Mr(Box<MrDamper>),
}

impl Element {
    /// Goes to this motion from the committed state and adds the nodal forces.
    #[inline]
    pub fn trial(&mut self, motion: &Motion<'_>, force: &mut [f64; MOST_DOFS]) {
        match self {
            Self::Member2d(element) => element.trial(motion.displacement, force),
            Self::Member3d(element) => element.trial(motion.displacement, force),
            Self::Truss(element) => element.trial(motion, force),
            Self::Springs(element) => element.trial(motion, force),
            Self::Elastomeric(element) => element.trial(motion, force),
            Self::Pendulum(element) => element.trial(motion, force),
            Self::Mr(element) => element.trial(motion, force),
        }
    }

    /// Adds the nodal forces of the last trial.
    pub fn add_force(&self, force: &mut [f64; MOST_DOFS]) {
        match self {
            Self::Member2d(element) => element.add_force(force),
            Self::Member3d(element) => element.add_force(force),
            Self::Truss(element) => element.add_force(force),
            Self::Springs(element) => element.add_force(force),
            Self::Elastomeric(element) => element.add_force(force),
            Self::Pendulum(element) => element.add_force(force),
            Self::Mr(element) => element.add_force(force),
        }
    }

    /// Adds the tangent stiffness of the last trial.
    #[inline]
    pub fn add_tangent(&self, stiffness: &mut SmallMatrix) {
        match self {
            Self::Member2d(element) => element.add_tangent(stiffness),
            Self::Member3d(element) => element.add_tangent(stiffness),
            Self::Truss(element) => element.add_tangent(stiffness),
            Self::Springs(element) => element.add_tangent(stiffness),
            Self::Elastomeric(element) => element.add_tangent(stiffness),
            Self::Pendulum(element) => element.add_tangent(stiffness),
            Self::Mr(element) => element.add_tangent(stiffness),
        }
    }

    /// Adds the stiffness of the untouched element, with the geometric part of the forces at
    /// present.
    pub fn add_initial(&self, stiffness: &mut SmallMatrix) {
        match self {
            Self::Member2d(element) => element.add_initial(stiffness),
            Self::Member3d(element) => element.add_initial(stiffness),
            Self::Truss(element) => element.add_initial(stiffness),
            Self::Springs(element) => element.add_initial(stiffness),
            Self::Elastomeric(element) => element.add_initial(stiffness),
            Self::Pendulum(element) => element.add_initial(stiffness),
            Self::Mr(element) => element.add_initial(stiffness),
        }
    }

    /// Adds the linear dashpots, which are part of the structure's damping matrix.
    pub fn add_damping(&self, damping: &mut SmallMatrix) {
        match self {
            Self::Springs(element) => element.add_damping(damping),
            Self::Elastomeric(element) => element.supports().add_damping(damping),
            Self::Pendulum(element) => element.supports().add_damping(damping),
            Self::Mr(element) => element.add_damping(damping),
            Self::Member2d(_) | Self::Member3d(_) | Self::Truss(_) => {}
        }
    }

    /// Adds the derivative of the forces with respect to the velocity at the last trial, without
    /// the linear dashpots.
    pub fn add_damping_tangent(&self, damping: &mut SmallMatrix) {
        match self {
            Self::Springs(element) => element.add_damping_tangent(damping),
            Self::Elastomeric(element) => element.supports().add_damping_tangent(damping),
            Self::Pendulum(element) => element.supports().add_damping_tangent(damping),
            Self::Mr(element) => element.add_damping_tangent(damping),
            Self::Member2d(_) | Self::Member3d(_) | Self::Truss(_) => {}
        }
    }

    /// Whether nodal forces depend linearly on nodal displacements, dashpots apart.
    #[must_use]
    pub fn is_linear(&self) -> bool {
        match self {
            Self::Member2d(element) => element.is_linear(),
            Self::Member3d(element) => element.is_linear(),
            Self::Truss(element) => element.is_linear(),
            Self::Springs(element) => element.is_linear(),
            Self::Elastomeric(_) | Self::Pendulum(_) | Self::Mr(_) => false,
        }
    }

    /// Sets a uniform load along the local axes of a member, N/m; other elements carry none.
    pub(crate) fn set_load(&mut self, load: [f64; 3]) -> bool {
        match self {
            Self::Member2d(element) => element.set_load(load),
            Self::Member3d(element) => element.set_load(load),
            _ => return false,
        }
        true
    }

    /// Adds the nodal forces of the member at rest under a uniform load.
    pub(crate) fn add_load_force(&self, load: [f64; 3], force: &mut [f64; MOST_DOFS]) {
        match self {
            Self::Member2d(element) => element.add_load_force(load, force),
            Self::Member3d(element) => element.add_load_force(load, force),
            _ => {}
        }
    }

    /// How many trials did not converge inside the element.
    #[must_use]
    pub fn failures(&self) -> usize {
        match self {
            Self::Member2d(element) => element.failures(),
            Self::Member3d(element) => element.failures(),
            _ => 0,
        }
    }

    /// Makes the trial state the committed one.
    pub fn commit(&mut self) {
        match self {
            Self::Member2d(element) => element.commit(),
            Self::Member3d(element) => element.commit(),
            Self::Truss(element) => element.commit(),
            Self::Springs(element) => element.commit(),
            Self::Elastomeric(element) => element.commit(),
            Self::Pendulum(element) => element.commit(),
            Self::Mr(element) => element.commit(),
        }
    }

    /// Forgets the trial.
    pub fn revert(&mut self) {
        match self {
            Self::Member2d(element) => element.revert(),
            Self::Member3d(element) => element.revert(),
            Self::Truss(element) => element.revert(),
            Self::Springs(element) => element.revert(),
            Self::Elastomeric(element) => element.revert(),
            Self::Pendulum(element) => element.revert(),
            Self::Mr(element) => element.revert(),
        }
    }
}

impl Snapshot for Element {
    fn save(&self, into: &mut Vec<f64>) {
        match self {
            Self::Member2d(element) => element.save(into),
            Self::Member3d(element) => element.save(into),
            Self::Truss(element) => element.save(into),
            Self::Springs(element) => element.save(into),
            Self::Elastomeric(element) => element.save(into),
            Self::Pendulum(element) => element.save(into),
            Self::Mr(element) => element.save(into),
        }
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        match self {
            Self::Member2d(element) => element.restore(from),
            Self::Member3d(element) => element.restore(from),
            Self::Truss(element) => element.restore(from),
            Self::Springs(element) => element.restore(from),
            Self::Elastomeric(element) => element.restore(from),
            Self::Pendulum(element) => element.restore(from),
            Self::Mr(element) => element.restore(from),
        }
    }
}
