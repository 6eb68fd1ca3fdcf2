//! The closed set of materials: one enum for their parameters, one for a point with its states.
//!
//! Dispatch is a `match`: no heap, no virtual call, and the compiler says where a new law is
//! missing.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::law::{Drive, Law, Response};
use super::point::Point;
use super::{
    Bilinear, BoucWen, BoucWenRate, Concrete01, Concrete02, Damper, Elastic, ElasticPlastic, Gap,
    Hysteretic, InitialStrain, InitialStrainPoint, Maxwell, MinMax, MinMaxPoint, Parallel,
    ParallelPoint, Series, SeriesPoint, Steel01, Steel02, Viscous,
};

macro_rules! choice {
    (
        laws { $($(#[$law_doc:meta])* $law:ident),* $(,)? }
        combinations { $($(#[$doc:meta])* $combination:ident($point:ident)),* $(,)? }
    ) => {
        /// A uniaxial material: a law and its parameters, or a combination of materials.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Material {
            $($(#[$law_doc])* $law($law),)*
            $($(#[$doc])* $combination($combination),)*
        }

        /// One point of a material with its committed and its trial state.
        #[derive(Clone, Debug, PartialEq)]
        pub enum MaterialPoint {
            $($(#[$law_doc])* $law(Point<$law>),)*
            $($(#[$doc])* $combination($point),)*
        }

        impl Material {
            /// An untouched point of this material.
            #[must_use]
            pub fn point(&self) -> MaterialPoint {
                match self {
                    $(Self::$law(law) => MaterialPoint::$law(Point::new(*law)),)*
                    $(Self::$combination(combination) => {
                        MaterialPoint::$combination(combination.point())
                    })*
                }
            }

            /// Stiffness of the untouched material.
            #[must_use]
            pub fn initial_tangent(&self) -> f64 {
                match self {
                    $(Self::$law(law) => law.initial_tangent(),)*
                    $(Self::$combination(combination) => combination.point().initial_tangent(),)*
                }
            }
        }

        $(impl From<$law> for Material {
            fn from(law: $law) -> Self {
                Self::$law(law)
            }
        })*
        $(impl From<$combination> for Material {
            fn from(combination: $combination) -> Self {
                Self::$combination(combination)
            }
        })*

        impl MaterialPoint {
            /// Goes from the committed state to `drive`.
            #[inline]
            pub fn trial(&mut self, drive: Drive) -> Response {
                match self {
                    $(Self::$law(point) => point.trial(drive),)*
                    $(Self::$combination(point) => point.trial(drive),)*
                }
            }

            /// Makes the trial state the committed one.
            #[inline]
            pub fn commit(&mut self) {
                match self {
                    $(Self::$law(point) => point.commit(),)*
                    $(Self::$combination(point) => point.commit(),)*
                }
            }

            /// Forgets the trial.
            pub fn revert(&mut self) {
                match self {
                    $(Self::$law(point) => point.revert(),)*
                    $(Self::$combination(point) => point.revert(),)*
                }
            }

            /// The last answer.
            #[must_use]
            pub fn response(&self) -> Response {
                match self {
                    $(Self::$law(point) => point.response(),)*
                    $(Self::$combination(point) => point.response(),)*
                }
            }

            /// The last strain.
            #[must_use]
            pub fn strain(&self) -> f64 {
                match self {
                    $(Self::$law(point) => point.strain(),)*
                    $(Self::$combination(point) => point.strain(),)*
                }
            }

            /// Stiffness of the untouched material.
            #[must_use]
            pub fn initial_tangent(&self) -> f64 {
                match self {
                    $(Self::$law(point) => point.initial_tangent(),)*
                    $(Self::$combination(point) => point.initial_tangent(),)*
                }
            }
        }

        impl Snapshot for MaterialPoint {
            fn save(&self, into: &mut Vec<f64>) {
                match self {
                    $(Self::$law(point) => point.save(into),)*
                    $(Self::$combination(point) => point.save(into),)*
                }
            }

            fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
                match self {
                    $(Self::$law(point) => point.restore(from),)*
                    $(Self::$combination(point) => point.restore(from),)*
                }
            }
        }
    };
}

choice! {
    laws {
        /// Linear elastic.
        Elastic,
        /// Elastic–perfectly plastic.
        ElasticPlastic,
        /// Bilinear with kinematic hardening.
        Bilinear,
        /// Bilinear steel.
        Steel01,
        /// Menegotto–Pinto steel.
        Steel02,
        /// Concrete without tension.
        Concrete01,
        /// Concrete with tension softening.
        Concrete02,
        /// Bouc–Wen in strain increments.
        BoucWen,
        /// Bouc–Wen as a differential equation.
        BoucWenRate,
        /// Gap with yielding.
        Gap,
        /// Trilinear backbone with pinching and damage.
        Hysteretic,
        /// Spring and linear dashpot in series.
        Maxwell,
        /// Spring and power-law dashpot in series.
        Damper,
        /// Power-law dashpot.
        Viscous,
    }
    combinations {
        /// One strain, stresses add up.
        Parallel(ParallelPoint),
        /// One stress, strains add up.
        Series(SeriesPoint),
        /// A strain from the start.
        InitialStrain(InitialStrainPoint),
        /// Fracture outside a range of strain.
        MinMax(MinMaxPoint),
    }
}
