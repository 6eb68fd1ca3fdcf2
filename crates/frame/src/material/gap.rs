//! Elastic–plastic gap: nothing until the gap closes, then elastic, then yielding with hardening.
//!
//! Ports: strain (–) → stress (Pa), or opening (m) → force (N). A tension gap has f_y > 0 and gap ≥
//! 0, a compression gap (pounding) f_y < 0 and gap ≤ 0. Plastic strain opens the gap further;
//! without damage accumulation it closes again when the material is strained back past it. Same
//! answers as OpenSees `ElasticPPGap`.

use tandem_quantity::{BuildError, Method, Settings, Values, choice, settings, snapshot};

use super::Material;
use super::error::{Check, MaterialError};
use super::law::{Drive, Law, Response};
use super::plan::{Hardening, Measure, Planned, Yielding, refuse};

const LAW: Check = Check("gap");

/// Parameters of the gap law, stored for a tension gap; `sign` is −1 for a compression gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    sign: f64,
    modulus: f64,
    yield_stress: f64,
    gap: f64,
    hardening_ratio: f64,
    accumulates_damage: bool,
}

/// Where contact begins and where yielding begins, as distances in the direction of the gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapState {
    contact: f64,
    yielding: f64,
}

snapshot!(GapState { contact, yielding });

impl Gap {
    /// Modulus E, yield stress f_y and gap of the same sign (the gap may be zero).
    pub fn new(modulus: f64, yield_stress: f64, gap: f64) -> Result<Self, MaterialError> {
        LAW.positive("modulus E", modulus)?;
        LAW.that(
            yield_stress != 0.0,
            "yield stress f_y",
            "other than zero",
            yield_stress,
        )?;
        let sign = 1.0_f64.copysign(yield_stress);
        LAW.that(gap * sign >= 0.0, "gap", "of the sign of f_y, or zero", gap)?;
        Ok(Self {
            sign,
            modulus,
            yield_stress: yield_stress * sign,
            gap: gap * sign,
            hardening_ratio: 0.0,
            accumulates_damage: false,
        })
    }

    /// Slope after yielding over E, below 1.
    pub fn with_hardening(self, hardening_ratio: f64) -> Result<Self, MaterialError> {
        LAW.that(
            (0.0..1.0).contains(&hardening_ratio),
            "hardening ratio η",
            "in [0, 1)",
            hardening_ratio,
        )?;
        Ok(Self {
            hardening_ratio,
            ..self
        })
    }

    /// Plastic strain stays in the gap for good.
    #[must_use]
    pub fn with_damage(self) -> Self {
        Self {
            accumulates_damage: true,
            ..self
        }
    }
}

impl Law for Gap {
    type State = GapState;

    fn virgin(&self) -> GapState {
        GapState {
            contact: self.gap,
            yielding: self.gap + self.yield_stress / self.modulus,
        }
    }

    fn initial_tangent(&self) -> f64 {
        if self.gap > 0.0 { 0.0 } else { self.modulus }
    }

    fn trial(&self, committed: &GapState, drive: Drive) -> (GapState, Response) {
        let reach = drive.strain * self.sign;
        let yield_strain = self.yield_stress / self.modulus;
        let mut state = *committed;
        let (stress, tangent) = if reach > committed.yielding {
            let slope = self.hardening_ratio * self.modulus;
            let stress = self.yield_stress + (reach - self.gap - yield_strain) * slope;
            state.yielding = reach;
            state.contact = reach - stress / self.modulus;
            (stress, slope)
        } else if reach < committed.contact {
            if reach > self.gap && !self.accumulates_damage {
                state.contact = reach;
                state.yielding = (reach - self.hardening_ratio * self.gap)
                    / (1.0 - self.hardening_ratio)
                    + yield_strain;
            }
            (0.0, 0.0)
        } else {
            (self.modulus * (reach - committed.contact), self.modulus)
        };
        (state, Response::of(stress * self.sign, tangent))
    }
}

choice! {
    /// In which direction a gap closes.
    enum Side {
        Compression = "compression",
        Tension = "tension",
    }
}

settings! {
    struct GapSettings<M: Measure> {
        yielding: Yielding<M>,
        /// deformation at which it closes
        gap: f64 = number(M::STRAIN).not_negative(),
        /// in which direction it closes
        side: Side = choice(Side::WORDS).or("\"compression\""),
        hardening: Hardening,
        /// yielding widens the gap for good
        damage: bool = boolean().or("false"),
    }
}

impl<M: Measure> Planned<M> for Gap {
    const METHOD: Method = Method {
        name: "gap",
        summary: "nothing until a gap closes, then elastic and yielding",
        reference: "definition",
        parameters: GapSettings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = GapSettings::<M>::read(values)?;
        let sign = match settings.side {
            Side::Compression => -1.0,
            Side::Tension => 1.0,
        };
        let law = Self::new(
            settings.yielding.slope.modulus,
            sign * settings.yielding.limit,
            sign * settings.gap,
        )
        .and_then(|law| law.with_hardening(settings.hardening.hardening))
        .map_err(refuse)?;
        Ok(if settings.damage {
            law.with_damage()
        } else {
            law
        }
        .into())
    }
}
