//! Viscous: a dashpot with a power law.
//!
//! Ports: velocity (m/s) → force (N). σ = C sgn(v)|v|^α; ∂σ/∂v = αC|v|^(α−1), with |v| held at a
//! least velocity so that it stays finite for α < 1. Same answers as OpenSees `Viscous`.

use tandem_quantity::{BuildError, Dimension, Method, Settings, Values, settings};

use super::Material;
use super::error::{Check, MaterialError};
use super::law::{Drive, Law, Response};
use super::plan::{Measure, Planned, refuse};
use super::point::Memoryless;

const LAW: Check = Check("viscous");

/// Parameters of the viscous law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viscous {
    damping: f64,
    exponent: f64,
    least_velocity: f64,
}

impl Viscous {
    /// Damping coefficient C (N (s/m)^α) and exponent α > 0.
    pub fn new(damping: f64, exponent: f64) -> Result<Self, MaterialError> {
        LAW.not_negative("damping coefficient C", damping)?;
        LAW.positive("exponent α", exponent)?;
        Ok(Self {
            damping,
            exponent,
            least_velocity: 1e-11,
        })
    }
}

impl Law for Viscous {
    type State = Memoryless;

    fn virgin(&self) -> Memoryless {
        Memoryless
    }

    fn initial_tangent(&self) -> f64 {
        0.0
    }

    fn trial(&self, _: &Memoryless, drive: Drive) -> (Memoryless, Response) {
        let speed = drive.rate.abs();
        let stress = (self.damping * speed.powf(self.exponent)).copysign(drive.rate);
        let damping =
            self.exponent * self.damping * speed.max(self.least_velocity).powf(self.exponent - 1.0);
        (
            Memoryless,
            Response {
                stress,
                tangent: 0.0,
                damping,
            },
        )
    }
}

settings! {
    struct ViscousSettings<M: Measure> {
        /// C of C|v|^α: what the dashpot answers at a unit velocity (1 m/s, 1 rad/s)
        coefficient: f64 = number(M::STRESS).positive(),
        /// α
        exponent: f64 = number(Dimension::NONE).or("1").positive(),
    }
}

impl<M: Measure> Planned<M> for Viscous {
    const METHOD: Method = Method {
        name: "viscous",
        summary: "power-law dashpot",
        reference: "definition",
        parameters: ViscousSettings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = ViscousSettings::<M>::read(values)?;
        Self::new(settings.coefficient, settings.exponent)
            .map(Material::from)
            .map_err(refuse)
    }
}
