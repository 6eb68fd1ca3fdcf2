//! The closed sets of sections: one enum for plane frames, one for space frames.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::aggregator::Aggregate;
use super::response::SectionResponse;
use super::{ElasticSection2d, ElasticSection3d, FibreSection2d, FibreSection3d};

macro_rules! section {
    ($(#[$doc:meta])* $name:ident, $size:literal, $fibre:ident, $elastic:ident) => {
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

        impl $name {
            /// Forces and tangent at these deformations, from the committed state.
            #[inline]
            pub fn trial(&mut self, deformation: [f64; $size]) -> SectionResponse<$size> {
                match self {
                    Self::Elastic(section) => section.trial(deformation),
                    Self::Fibre(section) => section.trial(deformation),
                    Self::Aggregated(section) => section.trial(deformation),
                }
            }

            /// Makes the trial state the committed one.
            pub fn commit(&mut self) {
                match self {
                    Self::Elastic(section) => section.commit(),
                    Self::Fibre(section) => section.commit(),
                    Self::Aggregated(section) => section.commit(),
                }
            }

            /// Forgets the trial.
            pub fn revert(&mut self) {
                match self {
                    Self::Elastic(section) => section.revert(),
                    Self::Fibre(section) => section.revert(),
                    Self::Aggregated(section) => section.revert(),
                }
            }

            /// The last answer.
            #[must_use]
            pub fn response(&self) -> SectionResponse<$size> {
                match self {
                    Self::Elastic(section) => section.response(),
                    Self::Fibre(section) => section.response(),
                    Self::Aggregated(section) => section.response(),
                }
            }

            /// The last deformations.
            #[must_use]
            pub fn deformation(&self) -> [f64; $size] {
                match self {
                    Self::Elastic(section) => section.deformation(),
                    Self::Fibre(section) => section.deformation(),
                    Self::Aggregated(section) => section.deformation(),
                }
            }

            /// Tangent of the untouched section.
            #[must_use]
            pub fn initial_tangent(&self) -> [[f64; $size]; $size] {
                match self {
                    Self::Elastic(section) => section.initial_tangent(),
                    Self::Fibre(section) => section.initial_tangent(),
                    Self::Aggregated(section) => section.initial_tangent(),
                }
            }
        }

        impl Snapshot for $name {
            fn save(&self, into: &mut Vec<f64>) {
                match self {
                    Self::Elastic(section) => section.save(into),
                    Self::Fibre(section) => section.save(into),
                    Self::Aggregated(section) => section.save(into),
                }
            }

            fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
                match self {
                    Self::Elastic(section) => section.restore(from),
                    Self::Fibre(section) => section.restore(from),
                    Self::Aggregated(section) => section.restore(from),
                }
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
