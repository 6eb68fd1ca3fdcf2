//! Bouc–Wen hysteresis with degradation, backward Euler in the strain (Haukaas & Der Kiureghian
//! 2004).
//!
//! Ports: displacement or strain → force or stress. Parameters in the order of OpenSees `BoucWen`.
//!
//! σ = αkε + (1−α)k z; z₁ = z₀ + [A(e) − |z₁|ⁿ(γ + β sgn(Δε z₁)) ν(e)]/η(e) Δε; e₁ = e₀ + (1−α)kΔε
//! z₁; A = A₀ − δ_A e, ν = 1 + δ_ν e, η = 1 + δ_η e; sgn(0) = −1; Newton from z = 0.01.
//!
//! First-order accurate in the strain increment: the answer depends on the steps. Where that
//! matters use [`super::BoucWenRate`].

use tandem_quantity::{BuildError, Dimension, Method, Settings, Values, settings, snapshot};

use super::Material;
use super::error::{Check, MaterialError};
use super::law::{Drive, Law, Response};
use super::plan::{Measure, Planned, SmoothHysteresis, Yielding, list, refuse};

const LAW: Check = Check("Bouc–Wen");
const START: f64 = 0.01;
const TOLERANCE: f64 = 1e-14;
const MOST_ITERATIONS: usize = 100;

/// Parameters of the Bouc–Wen law in strain increments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoucWen {
    stiffness_ratio: f64,
    stiffness: f64,
    exponent: f64,
    gamma: f64,
    beta: f64,
    amplitude: f64,
    degradation: [f64; 3],
}

/// History of the Bouc–Wen law: strain, hysteretic strain z and dissipated energy e.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoucWenState {
    strain: f64,
    hysteretic: f64,
    energy: f64,
}

snapshot!(BoucWenState {
    strain,
    hysteretic,
    energy
});

impl BoucWen {
    /// α (stiffness after yielding over k, 0 ≤ α ≤ 1), k, n ≥ 1, γ, β; A = 1, no degradation.
    pub fn new(
        stiffness_ratio: f64,
        stiffness: f64,
        exponent: f64,
        gamma: f64,
        beta: f64,
    ) -> Result<Self, MaterialError> {
        LAW.that(
            (0.0..=1.0).contains(&stiffness_ratio),
            "stiffness ratio α",
            "in [0, 1]",
            stiffness_ratio,
        )?;
        LAW.positive("stiffness k", stiffness)?;
        LAW.that(exponent >= 1.0, "exponent n", "1 or above", exponent)?;
        LAW.finite("γ", gamma)?;
        LAW.that(beta + gamma > 0.0, "β", "such that β + γ > 0", beta)?;
        Ok(Self {
            stiffness_ratio,
            stiffness,
            exponent,
            gamma,
            beta,
            amplitude: 1.0,
            degradation: [0.0; 3],
        })
    }

    /// Amplitude A₀ and the rates δ_A, δ_ν, δ_η at which A, ν, η change with the dissipated energy.
    pub fn with_degradation(
        self,
        amplitude: f64,
        degradation: [f64; 3],
    ) -> Result<Self, MaterialError> {
        LAW.positive("A", amplitude)?;
        LAW.not_negative("δ_A", degradation[0])?;
        LAW.not_negative("δ_ν", degradation[1])?;
        LAW.not_negative("δ_η", degradation[2])?;
        Ok(Self {
            amplitude,
            degradation,
            ..self
        })
    }

    /// What the update equation and its two derivatives need at (z, e).
    #[inline]
    fn terms(&self, z: f64, energy: f64, increment: f64) -> Terms {
        let sign = if increment * z > 0.0 { 1.0 } else { -1.0 };
        let psi = self.gamma + self.beta * sign;
        let power = z.abs().powf(self.exponent);
        let slope = if z == 0.0 {
            0.0
        } else {
            self.exponent * z.abs().powf(self.exponent - 1.0) * if z > 0.0 { 1.0 } else { -1.0 }
        };
        let [delta_a, delta_nu, delta_eta] = self.degradation;
        let nu = 1.0 + delta_nu * energy;
        let eta = 1.0 + delta_eta * energy;
        let phi = self.amplitude - delta_a * energy - power * psi * nu;
        // ∂(φ/η)/∂z at fixed e, and ∂(φ/η)/∂e at fixed z.
        let by_z = -slope * psi * nu / eta;
        let by_energy = -(delta_a + power * psi * delta_nu) / eta - phi * delta_eta / (eta * eta);
        Terms {
            rate: phi / eta,
            by_z,
            by_energy,
        }
    }
}

struct Terms {
    rate: f64,
    by_z: f64,
    by_energy: f64,
}

impl Law for BoucWen {
    type State = BoucWenState;

    fn virgin(&self) -> BoucWenState {
        BoucWenState::default()
    }

    fn initial_tangent(&self) -> f64 {
        self.stiffness * (self.stiffness_ratio + (1.0 - self.stiffness_ratio) * self.amplitude)
    }

    fn trial(&self, committed: &BoucWenState, drive: Drive) -> (BoucWenState, Response) {
        let increment = drive.strain - committed.strain;
        let hysteretic_stiffness = (1.0 - self.stiffness_ratio) * self.stiffness;
        let energy_at = |z: f64| committed.energy + hysteretic_stiffness * increment * z;
        let energy_slope = hysteretic_stiffness * increment;

        let mut z = START;
        for _ in 0..MOST_ITERATIONS {
            let terms = self.terms(z, energy_at(z), increment);
            let residual = z - committed.hysteretic - terms.rate * increment;
            let slope = 1.0 - (terms.by_z + terms.by_energy * energy_slope) * increment;
            let next = z - residual / slope;
            let change = (next - z).abs();
            z = next;
            if change <= TOLERANCE * z.abs().max(1.0) {
                break;
            }
        }

        // dz/dε of the implicit equation; e depends on ε both directly and through z.
        let energy = energy_at(z);
        let terms = self.terms(z, energy, increment);
        let direct = terms.rate + increment * terms.by_energy * hysteretic_stiffness * z;
        let slope = 1.0 - (terms.by_z + terms.by_energy * energy_slope) * increment;
        let elastic = self.stiffness_ratio * self.stiffness;
        let stress = elastic * drive.strain + hysteretic_stiffness * z;
        let tangent = elastic + hysteretic_stiffness * direct / slope;
        (
            BoucWenState {
                strain: drive.strain,
                hysteretic: z,
                energy,
            },
            Response::of(stress, tangent),
        )
    }
}

settings! {
    struct BoucWenSettings<M: Measure> {
        yielding: Yielding<M>,
        hysteresis: SmoothHysteresis,
        /// rates [δ_A, δ_ν, δ_η] of A, ν and η for every dissipated energy of yield force × yield
        /// deformation
        degradation: Vec<f64> = numbers(Dimension::NONE).or("[0, 0, 0]"),
    }
}

impl<M: Measure> Planned<M> for BoucWen {
    const METHOD: Method = Method {
        name: "bouc-wen-degrading",
        summary: "smooth hysteresis in increments, with degradation",
        reference: "Baber and Noori 1985; Haukaas and Der Kiureghian 2004",
        parameters: BoucWenSettings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = BoucWenSettings::<M>::read(values)?;
        let stiffness = settings.yielding.slope.modulus;
        let limit = settings.yielding.limit;
        let exponent = settings.hysteresis.exponent;
        // The plan's β, γ and rates have no dimension; the law's are per deformationⁿ and per
        // energy.
        let per_deformation = (limit / stiffness).powf(-exponent);
        let per_energy = stiffness / (limit * limit);
        let rates = list("degradation", &settings.degradation)?;
        let amplitude = settings.hysteresis.amplitude;
        Self::new(
            settings.hysteresis.hardening,
            stiffness,
            exponent,
            settings.hysteresis.gamma * per_deformation,
            settings.hysteresis.beta * per_deformation,
        )
        .and_then(|law| law.with_degradation(amplitude, rates.map(|rate: f64| rate * per_energy)))
        .map(Material::from)
        .map_err(refuse)
    }
}
