//! Elastic–perfectly plastic with separate yield strains and an initial strain.
//!
//! Ports: strain (–) → stress (Pa). Tension positive.
//! σ = E(ε − ε_0 − ε_p), held between E ε_y⁻ and E ε_y⁺; the plastic strain ε_p takes up the rest.
//! Same answers as OpenSees `ElasticPP`.

use tandem_quantity::{BuildError, Method, Settings, Values, settings, snapshot};

use super::Material;
use super::error::{Check, MaterialError};
use super::law::{Drive, Law, Response};
use super::plan::{Measure, Planned, Yielding, refuse};

const LAW: Check = Check("elastic-perfectly-plastic");

/// Parameters of the elastic–perfectly plastic law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticPlastic {
    modulus: f64,
    yield_tension: f64,
    yield_compression: f64,
    initial_strain: f64,
}

/// Plastic strain of the elastic–perfectly plastic law.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElasticPlasticState {
    plastic_strain: f64,
}

snapshot!(ElasticPlasticState { plastic_strain });

impl ElasticPlastic {
    /// Yields at ±`yield_strain`.
    pub fn new(modulus: f64, yield_strain: f64) -> Result<Self, MaterialError> {
        Self::with_limits(modulus, yield_strain, -yield_strain)
    }

    /// Yields at `yield_strain` (> 0) in tension and `yield_strain_compression` (< 0) in
    /// compression.
    pub fn with_limits(
        modulus: f64,
        yield_strain: f64,
        yield_strain_compression: f64,
    ) -> Result<Self, MaterialError> {
        LAW.positive("modulus E", modulus)?;
        LAW.not_negative("yield strain in tension", yield_strain)?;
        LAW.that(
            yield_strain_compression <= 0.0,
            "yield strain in compression",
            "zero or below",
            yield_strain_compression,
        )?;
        Ok(Self {
            modulus,
            yield_tension: modulus * yield_strain,
            yield_compression: modulus * yield_strain_compression,
            initial_strain: 0.0,
        })
    }

    /// The strain at which the untouched material has no stress.
    pub fn with_initial_strain(self, initial_strain: f64) -> Result<Self, MaterialError> {
        LAW.finite("initial strain ε_0", initial_strain)?;
        Ok(Self {
            initial_strain,
            ..self
        })
    }
}

impl Law for ElasticPlastic {
    type State = ElasticPlasticState;

    fn virgin(&self) -> ElasticPlasticState {
        ElasticPlasticState::default()
    }

    fn initial_tangent(&self) -> f64 {
        self.modulus
    }

    #[inline]
    fn trial(
        &self,
        committed: &ElasticPlasticState,
        drive: Drive,
    ) -> (ElasticPlasticState, Response) {
        let elastic =
            self.modulus * (drive.strain - self.initial_strain - committed.plastic_strain);
        let stress = elastic.clamp(self.yield_compression, self.yield_tension);
        let excess = elastic - stress;
        // On the yield surface itself the material flows, as in OpenSees (margin of one rounding
        // error of E).
        let margin = self.modulus * f64::EPSILON;
        let flows =
            elastic > self.yield_tension - margin || elastic < self.yield_compression + margin;
        let tangent = if flows { 0.0 } else { self.modulus };
        let plastic_strain = committed.plastic_strain + excess / self.modulus;
        (
            ElasticPlasticState { plastic_strain },
            Response::of(stress, tangent),
        )
    }
}

settings! {
    struct ElasticPlasticSettings<M: Measure> {
        yielding: Yielding<M>,
        /// where yielding begins in compression, as a positive number; default: the same
        compression_yield: Option<f64> = number(M::STRESS).positive(),
        /// deformation at which the untouched material has no stress; default: zero
        initial: Option<f64> = number(M::STRAIN),
    }
}

impl<M: Measure> Planned<M> for ElasticPlastic {
    const METHOD: Method = Method {
        name: "elastic-plastic",
        summary: "elastic, then perfectly plastic",
        reference: "Prandtl 1924; Reuss 1930",
        parameters: ElasticPlasticSettings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = ElasticPlasticSettings::<M>::read(values)?;
        let modulus = settings.yielding.slope.modulus;
        let tension = settings.yielding.limit;
        let compression = settings.compression_yield.unwrap_or(tension);
        Self::with_limits(modulus, tension / modulus, -compression / modulus)
            .and_then(|law| law.with_initial_strain(settings.initial.unwrap_or(0.0)))
            .map(Material::from)
            .map_err(refuse)
    }
}
