//! Materials as a plan writes them: what strain and stress are called, and what a law declares.

use tandem_quantity::{BuildError, Dimension, Method, Range, SlotOf, Values, settings};

use super::Material;
use super::catalogue;
use super::error::MaterialError;

/// What strain and stress stand for where a material is used: their dimensions and their names in a
/// plan.
pub trait Measure {
    /// Dimension of the strain.
    const STRAIN: Dimension;
    /// Dimension of the stress.
    const STRESS: Dimension;
    /// Dimension of stress over strain.
    const MODULUS: Dimension;
    /// Dimension of stress over strain rate.
    const VISCOSITY: Dimension;
    /// What a plan calls the strain.
    const STRAIN_KEY: &'static str;
    /// What a plan calls the stress.
    const STRESS_KEY: &'static str;
    /// What a plan calls the slope of the untouched material.
    const MODULUS_KEY: &'static str;
    /// What a plan calls the stress at which yielding begins.
    const YIELD_KEY: &'static str;
    /// The slot of a plan in which such a material stands.
    const SLOT: &'static SlotOf<catalogue::Build>;
}

/// Strain (–) and stress (Pa): fibres of a section.
#[derive(Clone, Copy, Debug)]
pub struct StressStrain;

/// Displacement (m) and force (N): springs, storeys, devices.
#[derive(Clone, Copy, Debug)]
pub struct ForceDisplacement;

/// Rotation (rad) and moment (N m): hinges.
#[derive(Clone, Copy, Debug)]
pub struct MomentRotation;

/// Strain (–) and force (N): axial and shear laws of a section.
#[derive(Clone, Copy, Debug)]
pub struct ForceStrain;

/// Curvature or twist (1/m) and moment (N m): laws of bending and torsion of a section.
#[derive(Clone, Copy, Debug)]
pub struct MomentCurvature;

impl Measure for ForceStrain {
    const STRAIN: Dimension = Dimension::NONE;
    const STRESS: Dimension = Dimension::FORCE;
    const MODULUS: Dimension = Dimension::FORCE;
    const VISCOSITY: Dimension = Dimension::of(1, 1, -1);
    const STRAIN_KEY: &'static str = "strain";
    const STRESS_KEY: &'static str = "force";
    const MODULUS_KEY: &'static str = "stiffness";
    const YIELD_KEY: &'static str = "yield_force";
    const SLOT: &'static SlotOf<catalogue::Build> = &catalogue::SECTION_FORCE;
}

impl Measure for MomentCurvature {
    const STRAIN: Dimension = Dimension::of(0, -1, 0);
    const STRESS: Dimension = Dimension::ENERGY;
    const MODULUS: Dimension = Dimension::of(1, 3, -2);
    const VISCOSITY: Dimension = Dimension::of(1, 3, -1);
    const STRAIN_KEY: &'static str = "curvature";
    const STRESS_KEY: &'static str = "moment";
    const MODULUS_KEY: &'static str = "stiffness";
    const YIELD_KEY: &'static str = "yield_moment";
    const SLOT: &'static SlotOf<catalogue::Build> = &catalogue::SECTION_MOMENT;
}

impl Measure for StressStrain {
    const STRAIN: Dimension = Dimension::NONE;
    const STRESS: Dimension = Dimension::STRESS;
    const MODULUS: Dimension = Dimension::STRESS;
    const VISCOSITY: Dimension = Dimension::of(1, -1, -1);
    const STRAIN_KEY: &'static str = "strain";
    const STRESS_KEY: &'static str = "stress";
    const MODULUS_KEY: &'static str = "modulus";
    const YIELD_KEY: &'static str = "yield_stress";
    const SLOT: &'static SlotOf<catalogue::Build> = &catalogue::FIBRE;
}

impl Measure for ForceDisplacement {
    const STRAIN: Dimension = Dimension::LENGTH;
    const STRESS: Dimension = Dimension::FORCE;
    const MODULUS: Dimension = Dimension::STIFFNESS;
    const VISCOSITY: Dimension = Dimension::DAMPING;
    const STRAIN_KEY: &'static str = "displacement";
    const STRESS_KEY: &'static str = "force";
    const MODULUS_KEY: &'static str = "stiffness";
    const YIELD_KEY: &'static str = "yield_force";
    const SLOT: &'static SlotOf<catalogue::Build> = &catalogue::SPRING;
}

impl Measure for MomentRotation {
    const STRAIN: Dimension = Dimension::NONE;
    const STRESS: Dimension = Dimension::ENERGY;
    const MODULUS: Dimension = Dimension::ENERGY;
    const VISCOSITY: Dimension = Dimension::of(1, 2, -1);
    const STRAIN_KEY: &'static str = "rotation";
    const STRESS_KEY: &'static str = "moment";
    const MODULUS_KEY: &'static str = "stiffness";
    const YIELD_KEY: &'static str = "yield_moment";
    const SLOT: &'static SlotOf<catalogue::Build> = &catalogue::HINGE;
}

/// A law as a plan declares it: each law says this in its own file.
pub(super) trait Planned<M: Measure> {
    /// Name, reference and parameters.
    const METHOD: Method;

    /// Makes the material from the checked values of its table.
    fn build(values: &Values) -> Result<Material, BuildError>;
}

/// The material refuses its parameters: the table as a whole is named, the message names the
/// parameter.
pub(super) fn refuse(error: MaterialError) -> BuildError {
    BuildError::new("", error.to_string(), "check the values of this material")
}

/// A list of exactly `N` numbers.
pub(super) fn list<const N: usize>(key: &str, numbers: &[f64]) -> Result<[f64; N], BuildError> {
    <[f64; N]>::try_from(numbers).map_err(|_| {
        BuildError::new(
            key,
            format!("{} numbers where {N} belong", numbers.len()),
            format!("give {N} numbers"),
        )
    })
}

settings! {
    /// The slope at the beginning.
    pub(super) struct Slope<M: Measure> {
        /// slope of the untouched material
        pub modulus [M::MODULUS_KEY]: f64 = number(M::MODULUS).positive(),
    }
}

settings! {
    /// A slope and where it ends.
    pub(super) struct Yielding<M: Measure> {
        pub slope: Slope<M>,
        /// where yielding begins
        pub limit [M::YIELD_KEY]: f64 = number(M::STRESS).positive(),
    }
}

settings! {
    /// The slope after yielding.
    pub(super) struct Hardening {
        /// slope after yielding over the first one
        pub hardening: f64 = number(Dimension::NONE)
            .or("0")
            .within(Range::between(0.0, 0.999_999)),
    }
}

settings! {
    /// What both Bouc–Wen forms have.
    pub(super) struct SmoothHysteresis {
        /// slope after yielding over the first one, α
        pub hardening: f64 = number(Dimension::NONE).or("0").within(Range::between(0.0, 1.0)),
        /// sharpness n of the knee
        pub exponent: f64 = number(Dimension::NONE).or("1").within(Range::between(1.0, 100.0)),
        /// β, without dimension
        pub beta: f64 = number(Dimension::NONE).or("0.5").positive(),
        /// γ, without dimension
        pub gamma: f64 = number(Dimension::NONE).or("0.5"),
        /// A
        pub amplitude: f64 = number(Dimension::NONE).or("1").positive(),
    }
}
