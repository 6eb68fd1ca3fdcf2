//! Steel01: bilinear steel with kinematic hardening and, if wanted, isotropic shifts of the yield
//! lines.
//!
//! Ports: strain (–) → stress (Pa). Tension positive. Parameters as in OpenSees: f_y, E, b, a1 …
//! a4.
//!
//! Δε = ε − ε_c; elastic guess s = σ_c + E Δε, held between σ⁻ = bEε − S⁻f_y(1−b) and σ⁺ = bEε +
//! S⁺f_y(1−b). When the direction turns, after the stress: S⁻ = 1 + a1((ε_max − ε_min)/(2 a2
//! ε_y))^0.8 (turn to compression), S⁺ likewise with a3, a4 (Filippou, Popov & Bertero 1983).

use tandem_quantity::{BuildError, Dimension, Method, Settings, Values, settings, snapshot};

use super::Material;
use super::error::{Check, MaterialError};
use super::law::{Drive, Law, NO_INCREMENT, Response};
use super::plan::{Hardening, Measure, Planned, Yielding, list, refuse};

const LAW: Check = Check("Steel01");

/// Parameters of Steel01.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steel01 {
    yield_stress: f64,
    modulus: f64,
    hardening_ratio: f64,
    isotropic: [f64; 4],
}

/// History of Steel01. `direction` is +1, −1 or 0 (not loaded yet).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steel01State {
    direction: f64,
    strain_max: f64,
    strain_min: f64,
    shift_tension: f64,
    shift_compression: f64,
    strain: f64,
    stress: f64,
    tangent: f64,
}

snapshot!(Steel01State {
    direction,
    strain_max,
    strain_min,
    shift_tension,
    shift_compression,
    strain,
    stress,
    tangent
});

impl Steel01 {
    /// Yield stress f_y, modulus E and b = slope after yielding over E, 0 ≤ b < 1. No isotropic
    /// hardening.
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
        Ok(Self {
            yield_stress,
            modulus,
            hardening_ratio,
            isotropic: [0.0, 55.0, 0.0, 55.0],
        })
    }

    /// Isotropic hardening: the compression yield line grows by a1 after a plastic strain of a2
    /// ε_y, the tension line by a3 after a4 ε_y.
    pub fn with_isotropic(self, isotropic: [f64; 4]) -> Result<Self, MaterialError> {
        LAW.not_negative("a1", isotropic[0])?;
        LAW.positive("a2", isotropic[1])?;
        LAW.not_negative("a3", isotropic[2])?;
        LAW.positive("a4", isotropic[3])?;
        Ok(Self { isotropic, ..self })
    }

    fn shift(&self, state: &Steel01State, amount: f64, after: f64) -> f64 {
        if amount == 0.0 {
            return 1.0;
        }
        let yield_strain = self.yield_stress / self.modulus;
        1.0 + amount
            * ((state.strain_max - state.strain_min) / (2.0 * after * yield_strain)).powf(0.8)
    }
}

impl Law for Steel01 {
    type State = Steel01State;

    fn virgin(&self) -> Steel01State {
        Steel01State {
            direction: 0.0,
            strain_max: 0.0,
            strain_min: 0.0,
            shift_tension: 1.0,
            shift_compression: 1.0,
            strain: 0.0,
            stress: 0.0,
            tangent: self.modulus,
        }
    }

    fn initial_tangent(&self) -> f64 {
        self.modulus
    }

    #[inline]
    fn trial(&self, committed: &Steel01State, drive: Drive) -> (Steel01State, Response) {
        let strain = drive.strain;
        let increment = strain - committed.strain;
        if increment.abs() <= NO_INCREMENT {
            return (
                *committed,
                Response::of(committed.stress, committed.tangent),
            );
        }
        let hardening = self.hardening_ratio * self.modulus * strain;
        let range = self.yield_stress * (1.0 - self.hardening_ratio);
        let guess = committed.stress + self.modulus * increment;
        let upper = hardening + committed.shift_tension * range;
        let lower = hardening - committed.shift_compression * range;
        let stress = guess.min(upper).max(lower);
        let elastic = (lower..=upper).contains(&guess);
        let tangent = if elastic {
            self.modulus
        } else {
            self.hardening_ratio * self.modulus
        };
        let mut state = Steel01State {
            strain,
            stress,
            tangent,
            ..*committed
        };
        if increment > 0.0 && committed.direction <= 0.0 {
            if committed.direction < 0.0 {
                state.strain_min = committed.strain_min.min(committed.strain);
                state.shift_tension = self.shift(&state, self.isotropic[2], self.isotropic[3]);
            }
            state.direction = 1.0;
        } else if increment < 0.0 && committed.direction >= 0.0 {
            if committed.direction > 0.0 {
                state.strain_max = committed.strain_max.max(committed.strain);
                state.shift_compression = self.shift(&state, self.isotropic[0], self.isotropic[1]);
            }
            state.direction = -1.0;
        }
        (state, Response::of(stress, tangent))
    }
}

settings! {
    struct Steel01Settings<M: Measure> {
        yielding: Yielding<M>,
        hardening: Hardening,
        /// isotropic hardening [a1, a2, a3, a4]; default: none
        isotropic: Option<Vec<f64>> = numbers(Dimension::NONE),
    }
}

impl<M: Measure> Planned<M> for Steel01 {
    const METHOD: Method = Method {
        name: "steel01",
        summary: "bilinear steel with kinematic and, if wanted, isotropic hardening",
        reference: "Filippou, Popov and Bertero 1983",
        parameters: Steel01Settings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = Steel01Settings::<M>::read(values)?;
        let law = Self::new(
            settings.yielding.limit,
            settings.yielding.slope.modulus,
            settings.hardening.hardening,
        )
        .map_err(refuse)?;
        match &settings.isotropic {
            Some(isotropic) => law
                .with_isotropic(list("isotropic", isotropic)?)
                .map(Material::from)
                .map_err(refuse),
            None => Ok(law.into()),
        }
    }
}
