//! Bilinear with linear kinematic hardening (the yield range keeps its width 2 f_y and moves
//! along).
//!
//! Ports: strain (–) → stress (Pa), or displacement (m) → force (N) for a storey or device. Elastic
//! slope E, slope b E after yielding. Return mapping (Simo & Hughes 1998, Box 1.5) with hardening
//! modulus H = b E/(1 − b); the path equals OpenSees `Hardening` with H_iso = 0 and `Steel01`
//! without isotropic hardening.

use tandem_quantity::{BuildError, Method, Settings, Values, settings, snapshot};

use super::Material;
use super::error::{Check, MaterialError};
use super::law::{Drive, Law, Response};
use super::plan::{Hardening, Measure, Planned, Yielding, refuse};

const LAW: Check = Check("bilinear");

/// Parameters of the bilinear kinematic law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bilinear {
    modulus: f64,
    yield_stress: f64,
    hardening_ratio: f64,
    hardening_modulus: f64,
}

/// Plastic strain of the bilinear law.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BilinearState {
    plastic_strain: f64,
}

snapshot!(BilinearState { plastic_strain });

impl Bilinear {
    /// Yield stress f_y, modulus E, and b = slope after yielding over E, 0 ≤ b < 1.
    pub fn new(
        yield_stress: f64,
        modulus: f64,
        hardening_ratio: f64,
    ) -> Result<Self, MaterialError> {
        LAW.positive("yield stress f_y", yield_stress)?;
        LAW.positive("modulus E", modulus)?;
        LAW.that(
            (0.0..1.0).contains(&hardening_ratio),
            "hardening ratio b",
            "in [0, 1)",
            hardening_ratio,
        )?;
        let hardening_modulus = hardening_ratio * modulus / (1.0 - hardening_ratio);
        Ok(Self {
            modulus,
            yield_stress,
            hardening_ratio,
            hardening_modulus,
        })
    }
}

impl Law for Bilinear {
    type State = BilinearState;

    fn virgin(&self) -> BilinearState {
        BilinearState::default()
    }

    fn initial_tangent(&self) -> f64 {
        self.modulus
    }

    #[inline]
    fn trial(&self, committed: &BilinearState, drive: Drive) -> (BilinearState, Response) {
        let plastic = committed.plastic_strain;
        let elastic = self.modulus * (drive.strain - plastic);
        // Stress relative to the centre of the yield range.
        let relative = elastic - self.hardening_modulus * plastic;
        let excess = relative.abs() - self.yield_stress;
        if excess <= 0.0 {
            return (*committed, Response::of(elastic, self.modulus));
        }
        let flow = (excess / (self.modulus + self.hardening_modulus)).copysign(relative);
        let state = BilinearState {
            plastic_strain: plastic + flow,
        };
        (
            state,
            Response::of(
                elastic - self.modulus * flow,
                self.hardening_ratio * self.modulus,
            ),
        )
    }
}

settings! {
    struct BilinearSettings<M: Measure> {
        yielding: Yielding<M>,
        hardening: Hardening,
    }
}

impl<M: Measure> Planned<M> for Bilinear {
    const METHOD: Method = Method {
        name: "bilinear",
        summary: "two slopes, kinematic hardening",
        reference: "Simo and Hughes 1998, Box 1.5",
        parameters: BilinearSettings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = BilinearSettings::<M>::read(values)?;
        Self::new(
            settings.yielding.limit,
            settings.yielding.slope.modulus,
            settings.hardening.hardening,
        )
        .map(Material::from)
        .map_err(refuse)
    }
}
