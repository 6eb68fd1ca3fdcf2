//! Concrete01: Kent–Scott–Park concrete without tension, linear unloading (Karsan & Jirsa 1969).
//!
//! Ports: strain (–) → stress (Pa). Compression negative; all four parameters are negative.
//!
//! Envelope: f_c r(2 − r), r = ε/ε_c0, to the peak; straight to (ε_cu, f_cu); flat beyond. From the
//! most compressive strain ε_min the material unloads on a straight line to the zero-stress strain
//! ε_p: ε_p/ε_c0 = 0.145 η² + 0.13 η for η < 2, else 0.707(η − 2) + 0.834, η = max(ε_min,
//! ε_cu)/ε_c0, but never steeper than E_c = 2 f_c/ε_c0. Same answers as OpenSees `Concrete01`.

use tandem_quantity::{BuildError, Dimension, Method, Settings, Values, settings, snapshot};

use super::Material;
use super::error::{Check, MaterialError};
use super::law::{Drive, Law, NO_INCREMENT, Response};
use super::plan::{Planned, StressStrain, refuse};

const LAW: Check = Check("Concrete01");

/// Parameters of Concrete01.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Concrete01 {
    strength: f64,
    strain_at_strength: f64,
    crushing_stress: f64,
    crushing_strain: f64,
}

/// History of Concrete01.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Concrete01State {
    strain_min: f64,
    zero_stress_strain: f64,
    unloading_slope: f64,
    strain: f64,
    stress: f64,
    tangent: f64,
}

snapshot!(Concrete01State {
    strain_min,
    zero_stress_strain,
    unloading_slope,
    strain,
    stress,
    tangent
});

impl Concrete01 {
    /// Strength f_c and its strain ε_c0, residual stress f_cu and the strain ε_cu where it is
    /// reached; all below zero (f_cu may be zero), |ε_cu| > |ε_c0|.
    pub fn new(
        strength: f64,
        strain_at_strength: f64,
        crushing_stress: f64,
        crushing_strain: f64,
    ) -> Result<Self, MaterialError> {
        LAW.negative("strength f_c", strength)?;
        LAW.negative("strain ε_c0 at the strength", strain_at_strength)?;
        LAW.that(
            crushing_stress <= 0.0,
            "crushing stress f_cu",
            "zero or below",
            crushing_stress,
        )?;
        LAW.that(
            crushing_strain < strain_at_strength,
            "crushing strain ε_cu",
            "beyond ε_c0 (more negative)",
            crushing_strain,
        )?;
        Ok(Self {
            strength,
            strain_at_strength,
            crushing_stress,
            crushing_strain,
        })
    }

    fn envelope(&self, strain: f64) -> (f64, f64) {
        if strain > self.strain_at_strength {
            let ratio = strain / self.strain_at_strength;
            (
                self.strength * ratio * (2.0 - ratio),
                self.initial_tangent() * (1.0 - ratio),
            )
        } else if strain > self.crushing_strain {
            let slope = (self.strength - self.crushing_stress)
                / (self.strain_at_strength - self.crushing_strain);
            (
                self.strength + slope * (strain - self.strain_at_strength),
                slope,
            )
        } else {
            (self.crushing_stress, 0.0)
        }
    }

    /// Zero-stress strain and slope of the line that unloads from the envelope point (strain,
    /// stress).
    fn unloading(&self, strain: f64, stress: f64) -> (f64, f64) {
        let ratio = strain.max(self.crushing_strain) / self.strain_at_strength;
        let plastic = if ratio < 2.0 {
            (0.145 * ratio + 0.13) * ratio
        } else {
            0.707 * (ratio - 2.0) + 0.834
        };
        let modulus = self.initial_tangent();
        let run = strain - plastic * self.strain_at_strength;
        let shortest = stress / modulus;
        if run > -f64::EPSILON {
            (plastic * self.strain_at_strength, modulus)
        } else if run <= shortest {
            (strain - run, stress / run)
        } else {
            (strain - shortest, modulus)
        }
    }
}

impl Law for Concrete01 {
    type State = Concrete01State;

    fn virgin(&self) -> Concrete01State {
        Concrete01State {
            strain_min: 0.0,
            zero_stress_strain: 0.0,
            unloading_slope: self.initial_tangent(),
            strain: 0.0,
            stress: 0.0,
            tangent: self.initial_tangent(),
        }
    }

    fn initial_tangent(&self) -> f64 {
        2.0 * self.strength / self.strain_at_strength
    }

    fn trial(&self, committed: &Concrete01State, drive: Drive) -> (Concrete01State, Response) {
        let strain = drive.strain;
        let increment = strain - committed.strain;
        if increment.abs() < NO_INCREMENT {
            return (
                *committed,
                Response::of(committed.stress, committed.tangent),
            );
        }
        let mut state = Concrete01State {
            strain,
            stress: 0.0,
            tangent: 0.0,
            ..*committed
        };
        if strain <= 0.0 {
            // Along the last unloading line from the committed point.
            let guess = committed.stress + committed.unloading_slope * increment;
            if increment > 0.0 {
                if guess <= 0.0 {
                    (state.stress, state.tangent) = (guess, committed.unloading_slope);
                }
            } else {
                if strain <= committed.strain_min {
                    state.strain_min = strain;
                    (state.stress, state.tangent) = self.envelope(strain);
                    (state.zero_stress_strain, state.unloading_slope) =
                        self.unloading(strain, state.stress);
                } else if strain <= committed.zero_stress_strain {
                    state.tangent = committed.unloading_slope;
                    state.stress = state.tangent * (strain - committed.zero_stress_strain);
                }
                if guess > state.stress {
                    (state.stress, state.tangent) = (guess, committed.unloading_slope);
                }
            }
        }
        (state, Response::of(state.stress, state.tangent))
    }
}

settings! {
    struct Concrete01Settings {
        /// compressive strength f_c, as a positive number
        strength: f64 = number(Dimension::STRESS).positive(),
        /// strain at the strength, as a positive number
        strain: f64 = number(Dimension::NONE).or("0.002").positive(),
        /// stress that remains after crushing, as a positive number
        crushing_stress: f64 = number(Dimension::STRESS).not_negative(),
        /// strain from which it holds, as a positive number
        crushing_strain: f64 = number(Dimension::NONE).positive(),
    }
}

impl Planned<StressStrain> for Concrete01 {
    const METHOD: Method = Method {
        name: "concrete01",
        summary: "Kent–Scott–Park concrete without tension",
        reference: "Kent and Park 1971; Scott, Park and Priestley 1982; Karsan and Jirsa 1969",
        parameters: Concrete01Settings::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = Concrete01Settings::read(values)?;
        Self::new(
            -settings.strength,
            -settings.strain,
            -settings.crushing_stress,
            -settings.crushing_strain,
        )
        .map(Material::from)
        .map_err(refuse)
    }
}
