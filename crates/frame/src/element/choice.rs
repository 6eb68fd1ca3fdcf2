//! The closed set of elements, and what each can do.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::elastomeric_bearing::ElastomericBearing;
use super::friction_pendulum::FrictionPendulum;
use super::member::{Member2d, Member3d};
use super::motion::Motion;
use super::mr_damper::MrDamper;
use super::springs::Springs;
use super::truss::Truss;
use crate::dispatch::closed;
use crate::small::{MOST_DOFS, SmallMatrix};

/// What every element can do.
pub(crate) trait NodalElement: Snapshot {
    /// Goes to this motion from the committed state and adds the nodal forces.
    fn trial(&mut self, motion: &Motion<'_>, force: &mut [f64; MOST_DOFS]);
    /// Adds the nodal forces of the last trial.
    fn add_force(&self, force: &mut [f64; MOST_DOFS]);
    /// Adds the tangent stiffness of the last trial.
    fn add_tangent(&self, stiffness: &mut SmallMatrix);
    /// Adds the stiffness of the untouched element, with the geometric part of the forces at
    /// present.
    fn add_initial(&self, stiffness: &mut SmallMatrix);
    /// Adds the linear dashpots, which are part of the structure's damping matrix.
    fn add_damping(&self, _damping: &mut SmallMatrix) {}
    /// Adds the derivative of the forces with respect to the velocity at the last trial, without
    /// the linear dashpots.
    fn add_damping_tangent(&self, _damping: &mut SmallMatrix) {}
    /// Whether nodal forces depend linearly on nodal displacements, dashpots apart.
    fn is_linear(&self) -> bool {
        false
    }
    /// Sets a uniform load along the local axes of a member, N/m; other elements carry none.
    fn set_load(&mut self, _load: [f64; 3]) -> bool {
        false
    }
    /// Adds the nodal forces of the member at rest under a uniform load.
    fn add_load_force(&self, _load: [f64; 3], _force: &mut [f64; MOST_DOFS]) {}
    /// How many trials did not converge inside the element.
    fn failures(&self) -> usize {
        0
    }
    /// Makes the trial state the committed one.
    fn commit(&mut self);
    /// Forgets the trial.
    fn revert(&mut self);
}

closed! {
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

    impl {
        /// Goes to this motion from the committed state and adds the nodal forces.
        #[inline]
        pub fn trial(&mut self, motion: &Motion<'_>, force: &mut [f64; MOST_DOFS]);

        /// Adds the nodal forces of the last trial.
        pub fn add_force(&self, force: &mut [f64; MOST_DOFS]);

        /// Adds the tangent stiffness of the last trial.
        #[inline]
        pub fn add_tangent(&self, stiffness: &mut SmallMatrix);

        /// Adds the stiffness of the untouched element, with the geometric part of the forces at
        /// present.
        pub fn add_initial(&self, stiffness: &mut SmallMatrix);

        /// Adds the linear dashpots, which are part of the structure's damping matrix.
        pub fn add_damping(&self, damping: &mut SmallMatrix);

        /// Adds the derivative of the forces with respect to the velocity at the last trial,
        /// without the linear dashpots.
        pub fn add_damping_tangent(&self, damping: &mut SmallMatrix);

        /// Whether nodal forces depend linearly on nodal displacements, dashpots apart.
        #[must_use]
        pub fn is_linear(&self) -> bool;

        /// Sets a uniform load along the local axes of a member, N/m; other elements carry none.
        pub(crate) fn set_load(&mut self, load: [f64; 3]) -> bool;

        /// Adds the nodal forces of the member at rest under a uniform load.
        pub(crate) fn add_load_force(&self, load: [f64; 3], force: &mut [f64; MOST_DOFS]);

        /// How many trials did not converge inside the element.
        #[must_use]
        pub fn failures(&self) -> usize;

        /// Makes the trial state the committed one.
        pub fn commit(&mut self);

        /// Forgets the trial.
        pub fn revert(&mut self);
    }

    impl Snapshot {
        fn save(&self, into: &mut Vec<f64>);
        fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError>;
    }
}
