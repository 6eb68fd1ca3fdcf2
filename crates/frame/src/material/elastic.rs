//! Linear elastic, with its own modulus in compression if wanted; no tension as a special case.
//!
//! Ports: strain (–) → stress (Pa). With a viscosity η the stress gains η ε̇.
//! σ = E ε for ε ≥ 0, σ = E⁻ ε for ε < 0.

use tandem_quantity::{BuildError, Method, Settings, Values, settings};

use super::Material;
use super::error::{Check, MaterialError};
use super::law::{Drive, Law, Response};
use super::plan::{Measure, Planned, refuse};
use super::point::Memoryless;

const LAW: Check = Check("elastic");

/// Parameters of the elastic law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elastic {
    modulus: f64,
    compression_modulus: f64,
    viscosity: f64,
}

impl Elastic {
    /// The same modulus in tension and compression (zero is allowed: an absent spring).
    pub fn new(modulus: f64) -> Result<Self, MaterialError> {
        Self::with_compression(modulus, modulus)
    }

    /// One modulus in tension and another in compression.
    pub fn with_compression(modulus: f64, compression_modulus: f64) -> Result<Self, MaterialError> {
        LAW.not_negative("modulus E", modulus)?;
        LAW.not_negative("modulus E⁻ in compression", compression_modulus)?;
        Ok(Self {
            modulus,
            compression_modulus,
            viscosity: 0.0,
        })
    }

    /// Compression only.
    pub fn no_tension(modulus: f64) -> Result<Self, MaterialError> {
        LAW.positive("modulus E", modulus)?;
        Self::with_compression(0.0, modulus)
    }

    /// Adds a dashpot in parallel: stress η ε̇.
    pub fn with_viscosity(self, viscosity: f64) -> Result<Self, MaterialError> {
        LAW.not_negative("viscosity η", viscosity)?;
        Ok(Self { viscosity, ..self })
    }
}

impl Law for Elastic {
    type State = Memoryless;

    fn virgin(&self) -> Memoryless {
        Memoryless
    }

    fn initial_tangent(&self) -> f64 {
        // At the origin the stiffer side decides, so that a first solve with the initial stiffness
        // is safe.
        self.modulus.max(self.compression_modulus)
    }

    #[inline]
    fn trial(&self, _: &Memoryless, drive: Drive) -> (Memoryless, Response) {
        let tangent = if drive.strain < 0.0 {
            self.compression_modulus
        } else {
            self.modulus
        };
        let stress = tangent * drive.strain + self.viscosity * drive.rate;
        (
            Memoryless,
            Response {
                stress,
                tangent,
                damping: self.viscosity,
            },
        )
    }
}

settings! {
    struct ElasticSettings<M: Measure> {
        /// slope; 0 leaves only the viscosity or the slope in compression
        modulus [M::MODULUS_KEY]: f64 = number(M::MODULUS).not_negative(),
        /// slope in compression; default: the same
        compression: Option<f64> = number(M::MODULUS).not_negative(),
        /// dashpot in parallel; default: none
        viscosity: Option<f64> = number(M::VISCOSITY).not_negative(),
    }
}

impl<M: Measure> Planned<M> for Elastic {
    const METHOD: Method = Method {
        name: "elastic",
        summary: "straight, with its own slope in compression if wanted",
        reference: "Hooke's law",
        parameters: ElasticSettings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = ElasticSettings::<M>::read(values)?;
        let modulus = settings.modulus;
        let compression = settings.compression.unwrap_or(modulus);
        Self::with_compression(modulus, compression)
            .and_then(|law| law.with_viscosity(settings.viscosity.unwrap_or(0.0)))
            .map(Material::from)
            .map_err(refuse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_has_its_own_slope() {
        let law = Elastic::with_compression(3.0, 5.0).unwrap();
        assert_eq!(
            law.trial(&Memoryless, Drive::at(2.0)).1,
            Response::of(6.0, 3.0)
        );
        assert_eq!(
            law.trial(&Memoryless, Drive::at(-2.0)).1,
            Response::of(-10.0, 5.0)
        );
        let cable = Elastic::no_tension(5.0).unwrap();
        assert_eq!(
            cable.trial(&Memoryless, Drive::at(2.0)).1,
            Response::of(0.0, 0.0)
        );
    }

    #[test]
    fn a_dashpot_adds_its_force() {
        let law = Elastic::new(3.0).unwrap().with_viscosity(0.5).unwrap();
        let answer = law
            .trial(
                &Memoryless,
                Drive {
                    strain: 1.0,
                    rate: 4.0,
                    dt: 0.01,
                },
            )
            .1;
        assert_eq!(
            answer,
            Response {
                stress: 5.0,
                tangent: 3.0,
                damping: 0.5
            }
        );
    }

    #[test]
    fn a_bad_modulus_is_refused() {
        assert!(
            matches!(Elastic::new(-1.0), Err(MaterialError::OutOfRange { got, .. }) if got < 0.0)
        );
        assert!(matches!(
            Elastic::new(f64::NAN),
            Err(MaterialError::NotFinite { .. })
        ));
    }
}
