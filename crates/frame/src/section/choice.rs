//! The closed sets of sections: one enum for plane frames, one for space frames.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::aggregator::Aggregate;
use super::response::SectionResponse;
use super::{ElasticSection2d, ElasticSection3d, FibreSection2d, FibreSection3d};
use crate::dispatch::closed;

macro_rules! section {
    ($(#[$doc:meta])* $name:ident, $size:literal, $fibre:ident, $elastic:ident) => {
        closed! {
            $(#[$doc])*
            #[derive(Clone, Debug, PartialEq)]
            pub enum $name {
                /// Elastic stiffnesses.
                Elastic($elastic),
                /// Fibres.
                Fibre(Box<$fibre>),
                /// One law for each component, or for those that another section lacks.
                Aggregated(Box<Aggregate<$size>>),
            }

            impl {
                /// Forces and tangent at these deformations, from the committed state.
                #[inline]
                pub fn trial(&mut self, deformation: [f64; $size]) -> SectionResponse<$size>;

                /// Makes the trial state the committed one.
                pub fn commit(&mut self);

                /// Forgets the trial.
                pub fn revert(&mut self);

                /// The last answer.
                #[must_use]
                pub fn response(&self) -> SectionResponse<$size>;

                /// The last deformations.
                #[must_use]
                pub fn deformation(&self) -> [f64; $size];

                /// Tangent of the untouched section.
                #[must_use]
                pub fn initial_tangent(&self) -> [[f64; $size]; $size];
            }

            impl Snapshot {
                fn save(&self, into: &mut Vec<f64>);
                fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError>;
            }
        }

        impl From<Aggregate<$size>> for $name {
            fn from(section: Aggregate<$size>) -> Self {
                Self::Aggregated(Box::new(section))
            }
        }

        impl From<$elastic> for $name {
            fn from(section: $elastic) -> Self {
                Self::Elastic(section)
            }
        }

        impl From<$fibre> for $name {
            fn from(section: $fibre) -> Self {
                Self::Fibre(Box::new(section))
            }
        }
    };
}

section! {
    /// A section of a plane frame: deformations [ε₀, κ], forces [N, M].
    Section2d, 2, FibreSection2d, ElasticSection2d
}

section! {
    /// A section of a space frame: deformations [ε₀, κ_z, κ_y, θ′], forces [N, M_z, M_y, T].
    Section3d, 4, FibreSection3d, ElasticSection3d
}
