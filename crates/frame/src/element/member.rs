//! Members of frames: a transformation and a body between the ends.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::body::Body;
use super::displacement_based::DisplacementBased;
use super::elastic_beam::ElasticBeam;
use super::force_based::ForceBased;
use super::hinged_beam::HingedBeam;
use crate::section::{Aggregate, Section2d, Section3d};
use crate::small::{MOST_DOFS, SmallMatrix};
use crate::transformation::{Transformation2d, Transformation3d};

/// What a plane member is between its ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Body2d {
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

/// What a space member is between its ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Body3d {
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

macro_rules! each {
    ($self:expr, $bodies:ident { $($variant:ident),* }, $body:ident => $do:expr) => {
        match $self {
            $($bodies::$variant($body) => $do,)*
        }
    };
}

macro_rules! bodies {
    ($bodies:ident, $basic:literal, { $($variant:ident),* }) => {
        impl Body<$basic> for $bodies {
            #[inline]
            fn trial(&mut self, v: &[f64; $basic]) {
                each!(self, $bodies { $($variant),* }, body => body.trial(v));
            }
            #[inline]
            fn force(&self) -> &[f64; $basic] {
                each!(self, $bodies { $($variant),* }, body => body.force())
            }
            #[inline]
            fn stiffness(&self) -> &[[f64; $basic]; $basic] {
                each!(self, $bodies { $($variant),* }, body => body.stiffness())
            }
            fn initial_stiffness(&self) -> &[[f64; $basic]; $basic] {
                each!(self, $bodies { $($variant),* }, body => body.initial_stiffness())
            }
            fn set_load(&mut self, load: [f64; 3]) {
                each!(self, $bodies { $($variant),* }, body => body.set_load(load));
            }
            fn commit(&mut self) {
                each!(self, $bodies { $($variant),* }, body => body.commit());
            }
            fn revert(&mut self) {
                each!(self, $bodies { $($variant),* }, body => body.revert());
            }
        }

        impl $bodies {
            fn failures(&self) -> usize {
                match self {
                    Self::Force(body) => body.failures(),
                    Self::Sheared(body) => body.failures(),
                    Self::Hinged(body) => body.failures(),
                    Self::Elastic(_) | Self::Displacement(_) => 0,
                }
            }
        }

        impl Snapshot for $bodies {
            fn save(&self, into: &mut Vec<f64>) {
                each!(self, $bodies { $($variant),* }, body => body.save(into));
            }
            fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
                each!(self, $bodies { $($variant),* }, body => body.restore(from))
            }
        }
    };
}

bodies!(Body2d, 3, { Elastic, Force, Sheared, Displacement, Hinged });
bodies!(Body3d, 6, { Elastic, Force, Sheared, Displacement, Hinged });

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

            /// How many trials did not converge inside the member.
            #[must_use]
            pub fn failures(&self) -> usize {
                self.body.failures()
            }

            /// Uniform load along the local axes, N/m.
            pub(crate) fn set_load(&mut self, load: [f64; 3]) {
                self.load = load;
                self.body.set_load(load);
            }

            #[inline]
            pub(crate) fn trial(&mut self, u: &[f64; MOST_DOFS], force: &mut [f64; MOST_DOFS]) {
                self.deformation = self.transformation.deformation(u);
                self.body.trial(&self.deformation);
                self.transformation.add_force(self.body.force(), &self.load, force);
            }

            /// Nodal forces of the last trial.
            pub(crate) fn add_force(&self, force: &mut [f64; MOST_DOFS]) {
                self.transformation.add_force(self.body.force(), &self.load, force);
            }

            #[inline]
            pub(crate) fn add_tangent(&self, stiffness: &mut SmallMatrix) {
                self.transformation
                    .add_stiffness(self.body.stiffness(), self.body.force(), stiffness);
            }

            /// Initial stiffness of the body, with the geometric part of the forces at present.
            pub(crate) fn add_initial(&self, stiffness: &mut SmallMatrix) {
                self.transformation
                    .add_stiffness(self.body.initial_stiffness(), self.body.force(), stiffness);
            }

            /// Whether nodal forces depend linearly on nodal displacements.
            pub(crate) fn is_linear(&self) -> bool {
                self.transformation.is_linear() && matches!(self.body, $bodies::Elastic(_))
            }

            /// Nodal forces at rest under the uniform load, for a prismatic member.
            pub(crate) fn add_load_force(&self, load: [f64; 3], force: &mut [f64; MOST_DOFS]) {
                let clamped = super::body::clamped_force(self.transformation.length(), load);
                self.transformation.add_force(&clamped, &load, force);
            }

            pub(crate) fn commit(&mut self) {
                self.transformation.commit();
                self.body.commit();
                self.committed = self.deformation;
            }

            pub(crate) fn revert(&mut self) {
                self.transformation.revert();
                self.body.revert();
                self.deformation = self.committed;
            }
        }

        impl Snapshot for $member {
            fn save(&self, into: &mut Vec<f64>) {
                self.transformation.save(into);
                self.body.save(into);
                self.load.save(into);
                self.deformation.save(into);
                self.committed.save(into);
            }
            fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
                self.transformation.restore(from)?;
                self.body.restore(from)?;
                self.load.restore(from)?;
                self.deformation.restore(from)?;
                self.committed.restore(from)
            }
        }
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
