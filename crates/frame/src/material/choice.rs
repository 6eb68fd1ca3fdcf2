//! The closed set of materials: one enum for their parameters, one for a point with its states.

use super::law::Law;
use super::point::Point;

/// A law, or a combination of materials: what a point with its states is made of.
pub trait Uniaxial {
    /// A point with its committed and its trial state.
    type Point;

    /// An untouched point.
    fn point(&self) -> Self::Point;

    /// Stiffness of the untouched material.
    fn initial_tangent(&self) -> f64;
}

impl<L: Law> Uniaxial for L {
    type Point = Point<L>;

    fn point(&self) -> Point<L> {
        Point::new(*self)
    }

    fn initial_tangent(&self) -> f64 {
        Law::initial_tangent(self)
    }
}

/// Declares the materials by their modules, and those that only make sense in stress and strain.
macro_rules! materials {
    (
        anywhere { $($(#[$doc:meta])* $file:ident::$material:ident,)* }
        fibres { $($(#[$fibre_doc:meta])* $fibre_file:ident::$fibre:ident,)* }
    ) => {
        $(pub use $file::$material;)*
        $(pub use $fibre_file::$fibre;)*

        materials! { @enums
            $($(#[$doc])* $material,)*
            $($(#[$fibre_doc])* $fibre,)*
        }

        static FIBRES: &[Entry<Build>] = &[
            $(entry::<StressStrain, $material>(),)*
            $(entry::<StressStrain, $fibre>(),)*
        ];
        static SPRINGS: &[Entry<Build>] = &[$(entry::<ForceDisplacement, $material>(),)*];
        static HINGES: &[Entry<Build>] = &[$(entry::<MomentRotation, $material>(),)*];
        static SECTION_FORCES: &[Entry<Build>] = &[$(entry::<ForceStrain, $material>(),)*];
        static SECTION_MOMENTS: &[Entry<Build>] = &[$(entry::<MomentCurvature, $material>(),)*];
    };
    (@enums $($(#[$doc:meta])* $material:ident,)*) => {
        /// A uniaxial material: a law and its parameters, or a combination of materials.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Material {
            $($(#[$doc])* $material($material),)*
        }

        impl Material {
            /// An untouched point of this material.
            #[must_use]
            pub fn point(&self) -> MaterialPoint {
                match self {
                    $(Self::$material(it) => MaterialPoint::$material(Uniaxial::point(it)),)*
                }
            }

            /// Stiffness of the untouched material.
            #[must_use]
            pub fn initial_tangent(&self) -> f64 {
                match self {
                    $(Self::$material(it) => Uniaxial::initial_tangent(it),)*
                }
            }
        }

        $(impl From<$material> for Material {
            fn from(material: $material) -> Self {
                Self::$material(material)
            }
        })*

        closed! {
            /// One point of a material with its committed and its trial state.
            #[derive(Clone, Debug, PartialEq)]
            pub enum MaterialPoint {
                $($(#[$doc])* $material(<$material as Uniaxial>::Point),)*
            }

            impl {
                /// Goes from the committed state to `drive`.
                #[inline]
                pub fn trial(&mut self, drive: Drive) -> Response;

                /// Makes the trial state the committed one.
                #[inline]
                pub fn commit(&mut self);

                /// Forgets the trial.
                pub fn revert(&mut self);

                /// The last answer.
                #[must_use]
                pub fn response(&self) -> Response;

                /// The last strain.
                #[must_use]
                pub fn strain(&self) -> f64;

                /// Stiffness of the untouched material.
                #[must_use]
                pub fn initial_tangent(&self) -> f64;
            }

            impl Snapshot {
                fn save(&self, into: &mut Vec<f64>);
                fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError>;
            }
        }
    };
}

pub(super) use materials;
