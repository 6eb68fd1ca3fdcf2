//! Concrete02: Kent–Scott–Park concrete with linear tension softening and bilinear unloading
//! (Yassin 1994).
//!
//! Ports: strain (–) → stress (Pa). Compression negative: f_c, ε_c0, f_cu, ε_cu < 0; f_t, E_ts > 0.
//!
//! - Compression envelope C(ε): f_c r(2 − r), r = ε/ε_c0, to the peak; straight to (ε_cu, f_cu);
//!   flat beyond.
//! - Tension envelope T(e), e from the crack-closing strain: E_c e up to f_t, then down with E_ts
//!   to zero.
//! - Unloading aims at a focal point fixed by λ (slope at ε_cu over E_c), ε_R = (f_cu −
//!   λE_cε_cu)/(E_c(1 − λ)).
//!
//! The unloading slope jumps from E_c to half the reloading slope on small loops: Newton's method
//! on many such fibres can fall into two-cycles, so elements need sub-increments or a line search.

use tandem_quantity::{BuildError, Dimension, Method, Range, Settings, Values, settings, snapshot};

use super::Material;
use super::error::{Check, MaterialError};
use super::law::{Drive, Law, NO_INCREMENT, Response};
use super::plan::{Planned, StressStrain, refuse};

const LAW: Check = Check("Concrete02");

/// Slope where the envelopes are flat: not zero, so that a section of crushed fibres keeps a
/// regular tangent.
const FLAT: f64 = 1e-10;

/// Parameters of Concrete02.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Concrete02 {
    strength: f64,
    strain_at_strength: f64,
    crushing_stress: f64,
    crushing_strain: f64,
    tensile_strength: f64,
    softening_slope: f64,
    focal_strain: f64,
    focal_stress: f64,
}

/// History of Concrete02.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Concrete02State {
    strain_min: f64,
    tensile_excursion: f64,
    strain: f64,
    stress: f64,
    tangent: f64,
}

snapshot!(Concrete02State {
    strain_min,
    tensile_excursion,
    strain,
    stress,
    tangent
});

/// The crushing branch of concrete: strength f_c and its strain ε_c0, residual stress f_cu and its
/// strain ε_cu.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crushing {
    /// Compressive strength f_c < 0.
    pub strength: f64,
    /// Strain at the strength ε_c0 < 0.
    pub strain_at_strength: f64,
    /// Residual stress f_cu ≤ 0.
    pub crushing_stress: f64,
    /// Strain ε_cu < ε_c0 where the residual stress is reached.
    pub crushing_strain: f64,
}

impl Concrete02 {
    /// Compression branch, λ (unloading slope at ε_cu over E_c, 0 ≤ λ < 1), tensile strength f_t
    /// and softening slope E_ts (both positive).
    pub fn new(
        crushing: Crushing,
        lambda: f64,
        tensile_strength: f64,
        softening_slope: f64,
    ) -> Result<Self, MaterialError> {
        let Crushing {
            strength,
            strain_at_strength,
            crushing_stress,
            crushing_strain,
        } = crushing;
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
        LAW.that(
            (0.0..1.0).contains(&lambda),
            "unloading ratio λ",
            "in [0, 1)",
            lambda,
        )?;
        LAW.not_negative("tensile strength f_t", tensile_strength)?;
        LAW.positive("softening slope E_ts", softening_slope)?;
        let modulus = 2.0 * strength / strain_at_strength;
        let focal_strain =
            (crushing_stress - lambda * modulus * crushing_strain) / (modulus * (1.0 - lambda));
        LAW.that(
            focal_strain >= 0.0 || crushing_strain < focal_strain,
            "unloading ratio λ",
            "small enough that unloading lines do not cross ε_cu",
            lambda,
        )?;
        Ok(Self {
            strength,
            strain_at_strength,
            crushing_stress,
            crushing_strain,
            tensile_strength,
            softening_slope,
            focal_strain,
            focal_stress: modulus * focal_strain,
        })
    }

    #[inline]
    fn compression(&self, strain: f64) -> (f64, f64) {
        if strain >= self.strain_at_strength {
            let ratio = strain / self.strain_at_strength;
            (
                self.strength * ratio * (2.0 - ratio),
                self.initial_tangent() * (1.0 - ratio),
            )
        } else if strain > self.crushing_strain {
            let slope = (self.crushing_stress - self.strength)
                / (self.crushing_strain - self.strain_at_strength);
            (
                self.strength + slope * (strain - self.strain_at_strength),
                slope,
            )
        } else {
            (self.crushing_stress, FLAT)
        }
    }

    #[inline]
    fn tension(&self, opening: f64) -> (f64, f64) {
        let modulus = self.initial_tangent();
        let cracking = self.tensile_strength / modulus;
        let open = self.tensile_strength * (1.0 / self.softening_slope + 1.0 / modulus);
        if opening <= cracking {
            (modulus * opening, modulus)
        } else if opening <= open {
            (
                self.tensile_strength - self.softening_slope * (opening - cracking),
                -self.softening_slope,
            )
        } else {
            (0.0, FLAT)
        }
    }
}

impl Law for Concrete02 {
    type State = Concrete02State;

    fn virgin(&self) -> Concrete02State {
        Concrete02State {
            strain_min: 0.0,
            tensile_excursion: 0.0,
            strain: 0.0,
            stress: 0.0,
            tangent: self.initial_tangent(),
        }
    }

    #[inline]
    fn initial_tangent(&self) -> f64 {
        2.0 * self.strength / self.strain_at_strength
    }

    #[inline]
    fn trial(&self, committed: &Concrete02State, drive: Drive) -> (Concrete02State, Response) {
        let strain = drive.strain;
        let increment = strain - committed.strain;
        if increment.abs() < NO_INCREMENT {
            return (
                *committed,
                Response::of(committed.stress, committed.tangent),
            );
        }
        let mut state = Concrete02State {
            strain,
            ..*committed
        };
        let (stress, tangent) = if strain < committed.strain_min {
            state.strain_min = strain;
            self.compression(strain)
        } else {
            let modulus = self.initial_tangent();
            let stress_min = self.compression(committed.strain_min).0;
            let reloading =
                (stress_min - self.focal_stress) / (committed.strain_min - self.focal_strain);
            let closing = committed.strain_min - stress_min / reloading;
            let opening = strain - closing;
            if strain <= closing {
                let guess = committed.stress + modulus * increment;
                let lower = stress_min + reloading * (strain - committed.strain_min);
                let upper = 0.5 * reloading * opening;
                if guess <= lower {
                    (lower, reloading)
                } else if guess >= upper {
                    (upper, 0.5 * reloading)
                } else {
                    (guess, modulus)
                }
            } else if opening <= committed.tensile_excursion {
                let excursion = committed.tensile_excursion;
                let secant = if excursion > 0.0 {
                    self.tension(excursion).0 / excursion
                } else {
                    modulus
                };
                (secant * opening, secant)
            } else {
                state.tensile_excursion = opening;
                self.tension(opening)
            }
        };
        state.stress = stress;
        state.tangent = tangent;
        (state, Response::of(stress, tangent))
    }
}

settings! {
    struct Concrete02Settings {
        /// compressive strength f_c, as a positive number
        strength: f64 = number(Dimension::STRESS).positive(),
        /// strain at the strength, as a positive number
        strain: f64 = number(Dimension::NONE).or("0.002").positive(),
        /// stress that remains after crushing, as a positive number
        crushing_stress: f64 = number(Dimension::STRESS).not_negative(),
        /// strain from which it holds, as a positive number
        crushing_strain: f64 = number(Dimension::NONE).positive(),
        /// slope of unloading at the crushing strain over the first one, λ
        unloading: f64 = number(Dimension::NONE).or("0.1").within(Range::between(0.0, 0.999_999)),
        /// f_t
        tensile_strength: f64 = number(Dimension::STRESS).not_negative(),
        /// slope E_ts after cracking, as a positive number
        softening: f64 = number(Dimension::STRESS).positive(),
    }
}

impl Planned<StressStrain> for Concrete02 {
    const METHOD: Method = Method {
        name: "concrete02",
        summary: "Kent–Scott–Park concrete with linear tension softening",
        reference: "Yassin 1994",
        parameters: Concrete02Settings::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = Concrete02Settings::read(values)?;
        let crushing = Crushing {
            strength: -settings.strength,
            strain_at_strength: -settings.strain,
            crushing_stress: -settings.crushing_stress,
            crushing_strain: -settings.crushing_strain,
        };
        Self::new(
            crushing,
            settings.unloading,
            settings.tensile_strength,
            settings.softening,
        )
        .map(Material::from)
        .map_err(refuse)
    }
}
