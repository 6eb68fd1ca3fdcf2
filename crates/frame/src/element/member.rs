//! Members of frames: a transformation and a body between the ends.

use tandem_quantity::{Snapshot, SnapshotError, StateReader, snapshot};

use super::body::Body;
use super::choice::NodalElement;
use super::displacement_based::DisplacementBased;
use super::elastic_beam::ElasticBeam;
use super::force_based::ForceBased;
use super::hinged_beam::HingedBeam;
use super::motion::Motion;
use crate::dispatch::closed;
use crate::section::{Aggregate, Section2d, Section3d};
use crate::small::{MOST_DOFS, SmallMatrix};
use crate::transformation::{Transformation2d, Transformation3d};

macro_rules! bodies {
    ($(#[$doc:meta])* $bodies:ident, $basic:literal, { $($kinds:tt)* }) => {
        closed! {
            $(#[$doc])*
            #[derive(Clone, Debug, PartialEq)]
            pub enum $bodies { $($kinds)* }

            impl Body<$basic> {
                #[inline]
                fn trial(&mut self, v: &[f64; $basic]);
                #[inline]
                fn force(&self) -> &[f64; $basic];
                #[inline]
                fn stiffness(&self) -> &[[f64; $basic]; $basic];
                fn initial_stiffness(&self) -> &[[f64; $basic]; $basic];
                fn set_load(&mut self, load: [f64; 3]);
                fn commit(&mut self);
                fn revert(&mut self);
                fn failures(&self) -> usize;
            }

            impl Snapshot {
                fn save(&self, into: &mut Vec<f64>);
                fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError>;
            }
        }
    };
}

bodies! {
    /// What a plane member is between its ends.
    Body2d, 3, {
        /// Elastic.
        Elastic(ElasticBeam<3>),
        /// Force-based, fibres or elastic sections.
        Force(Box<ForceBased<3, 2, Section2d>>),
        /// Force-based, with a law for the shear force.
        Sheared(Box<ForceBased<3, 3, Aggregate<3>>>),
        /// Displacement-based.
        Displacement(Box<DisplacementBased<3, 2, Section2d>>),
        /// Elastic with rotational springs at its ends.
        Hinged(Box<HingedBeam<3>>),
    }
}

bodies! {
    /// What a space member is between its ends.
    Body3d, 6, {
        /// Elastic.
        Elastic(Box<ElasticBeam<6>>),
        /// Force-based.
        Force(Box<ForceBased<6, 4, Section3d>>),
        /// Force-based, with laws for both shear forces.
        Sheared(Box<ForceBased<6, 6, Aggregate<6>>>),
        /// Displacement-based.
        Displacement(Box<DisplacementBased<6, 4, Section3d>>),
        /// Elastic with rotational springs at its ends.
        Hinged(Box<HingedBeam<6>>),
    }
}

macro_rules! member {
    ($(#[$doc:meta])* $member:ident, $transformation:ident, $bodies:ident, $basic:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $member {
            transformation: $transformation,
            body: $bodies,
            load: [f64; 3],
            deformation: [f64; $basic],
            committed: [f64; $basic],
        }

        impl $member {
            pub(crate) fn new(transformation: $transformation, body: $bodies) -> Self {
                Self {
                    transformation,
                    body,
                    load: [0.0; 3],
                    deformation: [0.0; $basic],
                    committed: [0.0; $basic],
                }
            }

            /// What the member is between its ends.
            #[must_use]
            pub fn body(&self) -> &$bodies {
                &self.body
            }

            /// The transformation between nodes and body.
            #[must_use]
            pub fn transformation(&self) -> &$transformation {
                &self.transformation
            }

            /// Basic deformations of the last trial.
            #[must_use]
            pub fn deformation(&self) -> &[f64; $basic] {
                &self.deformation
            }

            /// Basic forces of the last trial.
            #[must_use]
            pub fn basic_force(&self) -> &[f64; $basic] {
                self.body.force()
            }
        }

        impl NodalElement for $member {
            #[inline]
            fn trial(&mut self, motion: &Motion<'_>, force: &mut [f64; MOST_DOFS]) {
                self.deformation = self.transformation.deformation(motion.displacement);
                self.body.trial(&self.deformation);
                self.transformation.add_force(self.body.force(), &self.load, force);
            }

            fn add_force(&self, force: &mut [f64; MOST_DOFS]) {
                self.transformation.add_force(self.body.force(), &self.load, force);
            }

            #[inline]
            fn add_tangent(&self, stiffness: &mut SmallMatrix) {
                self.transformation
                    .add_stiffness(self.body.stiffness(), self.body.force(), stiffness);
            }

            fn add_initial(&self, stiffness: &mut SmallMatrix) {
                self.transformation
                    .add_stiffness(self.body.initial_stiffness(), self.body.force(), stiffness);
            }

            fn is_linear(&self) -> bool {
                self.transformation.is_linear() && matches!(self.body, $bodies::Elastic(_))
            }

            fn set_load(&mut self, load: [f64; 3]) -> bool {
                self.load = load;
                self.body.set_load(load);
                true
            }

            fn add_load_force(&self, load: [f64; 3], force: &mut [f64; MOST_DOFS]) {
                let clamped = super::body::clamped_force(self.transformation.length(), load);
                self.transformation.add_force(&clamped, &load, force);
            }

            fn failures(&self) -> usize {
                self.body.failures()
            }

            fn commit(&mut self) {
                self.transformation.commit();
                self.body.commit();
                self.committed = self.deformation;
            }

            fn revert(&mut self) {
                self.transformation.revert();
                self.body.revert();
                self.deformation = self.committed;
            }
        }

        snapshot!($member { transformation, body, load, deformation, committed });
    };
}

member! {
    /// A member of a plane frame.
    Member2d, Transformation2d, Body2d, 3
}

member! {
    /// A member of a space frame.
    Member3d, Transformation3d, Body3d, 6
}
