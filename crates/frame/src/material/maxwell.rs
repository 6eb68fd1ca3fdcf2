//! Maxwell: a spring and a linear dashpot in series.
//!
//! Ports: displacement (m) → force (N), over a step of dt seconds. σ̇ = K ε̇ − σ/τ, τ = C/K.
//!
//! σ₁ = σ₀ e^(−dt/τ) + ½K(1 + e^(−dt/τ))Δε: exact relaxation, trapezoidal in the strain; the update
//! of OpenSees `Maxwell` (Lignos 2011; its exponent and length only scale C). Without time (dt = 0)
//! it is the spring alone.

use tandem_quantity::{BuildError, Method, Settings, Values, settings, snapshot};

use super::Material;
use super::error::{Check, MaterialError};
use super::law::{Drive, Law, Response};
use super::plan::{Measure, Planned, Slope, refuse};

const LAW: Check = Check("Maxwell");

/// Parameters of the Maxwell law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Maxwell {
    stiffness: f64,
    relaxation_time: f64,
}

/// Committed displacement and force of a damper with a spring in series.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MaxwellState {
    pub(super) strain: f64,
    pub(super) stress: f64,
}

snapshot!(MaxwellState { strain, stress });

impl Maxwell {
    /// Stiffness K and damping coefficient C.
    pub fn new(stiffness: f64, damping: f64) -> Result<Self, MaterialError> {
        LAW.positive("stiffness K", stiffness)?;
        LAW.positive("damping coefficient C", damping)?;
        Ok(Self {
            stiffness,
            relaxation_time: damping / stiffness,
        })
    }
}

impl Law for Maxwell {
    type State = MaxwellState;

    fn virgin(&self) -> MaxwellState {
        MaxwellState::default()
    }

    fn initial_tangent(&self) -> f64 {
        self.stiffness
    }

    fn trial(&self, committed: &MaxwellState, drive: Drive) -> (MaxwellState, Response) {
        let relaxed = (-drive.dt / self.relaxation_time).exp();
        let tangent = 0.5 * self.stiffness * (1.0 + relaxed);
        let stress = committed.stress * relaxed + tangent * (drive.strain - committed.strain);
        (
            MaxwellState {
                strain: drive.strain,
                stress,
            },
            Response::of(stress, tangent),
        )
    }
}

settings! {
    struct MaxwellSettings<M: Measure> {
        slope: Slope<M>,
        /// dashpot
        damping: f64 = number(M::VISCOSITY).positive(),
    }
}

impl<M: Measure> Planned<M> for Maxwell {
    const METHOD: Method = Method {
        name: "maxwell",
        summary: "spring and linear dashpot in series",
        reference: "Maxwell 1867",
        parameters: MaxwellSettings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = MaxwellSettings::<M>::read(values)?;
        Self::new(settings.slope.modulus, settings.damping)
            .map(Material::from)
            .map_err(refuse)
    }
}
