//! Steel02: Giuffrè–Menegotto–Pinto steel with the isotropic rule of Filippou, Popov & Bertero (1983).
//!
//! Ports: strain (–) → stress (Pa). Tension positive. Parameters as in OpenSees: F_y, E, b, R0, cR1, cR2,
//! a1 … a4, σ_init.
//!
//! Between a reversal point (ε_r, σ_r) and the crossing (ε_0, σ_0) of the elastic line through it with the
//! hardening asymptote: x = (ε − ε_r)/(ε_0 − ε_r), D = 1 + |x|^R,
//! σ = σ_r + (σ_0 − σ_r) x (b + (1 − b) D^(−1/R)), E_t = (σ_0 − σ_r)/(ε_0 − ε_r) (b + (1 − b) D^(−1−1/R)),
//! R = R0(1 − cR1 ξ/(cR2 + ξ)), ξ = |ε_pl − ε_0|/ε_y.
//!
//! Known property of the law: after a small unloading and reloading the curve overshoots the old one.

use tandem_quantity::{BuildError, Dimension, Kind, Method, Parameter, Range, Values, snapshot};

use super::choice::Material;
use super::error::{Check, MaterialError};
use super::law::{Drive, Law, Response};
use super::plan::{Measure, Planned, list, refuse};
use super::power::{straight_below, transition};

const LAW: Check = Check("Steel02");

/// Parameters of Steel02.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steel02 {
    yield_stress: f64,
    modulus: f64,
    pub(super) hardening_ratio: f64,
    curve: [f64; 3],
    isotropic: [f64; 4],
    initial_stress: f64,
    /// Offset that the initial stress adds to every strain.
    pub(super) offset: f64,
}

/// One branch of the curve, and the committed point on it. `direction` is +1, −1 or 0 (not loaded yet).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Steel02State {
    /// Committed strain (with the offset) and stress.
    pub(super) strain: f64,
    pub(super) stress: f64,
    pub(super) direction: f64,
    pub(super) strain_max: f64,
    pub(super) strain_min: f64,
    pub(super) reversal_strain: f64,
    pub(super) reversal_stress: f64,
    /// 1/(ε_0 − ε_r) and σ_0 − σ_r.
    pub(super) inverse_span: f64,
    pub(super) rise: f64,
    /// R, 1/R and the |x| below which the curve is a straight line to the last bit.
    pub(super) exponent: f64,
    pub(super) inverse_exponent: f64,
    pub(super) straight: f64,
}

snapshot!(Steel02State {
    strain,
    stress,
    direction,
    strain_max,
    strain_min,
    reversal_strain,
    reversal_stress,
    inverse_span,
    rise,
    exponent,
    inverse_exponent,
    straight
});

impl Steel02 {
    /// Yield stress F_y, modulus E, hardening ratio b in [0, 1). Curve R0 = 15, cR1 = 0.925, cR2 = 0.15; no
    /// isotropic hardening; no initial stress.
    pub fn new(
        yield_stress: f64,
        modulus: f64,
        hardening_ratio: f64,
    ) -> Result<Self, MaterialError> {
        LAW.positive("yield stress F_y", yield_stress)?;
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
            curve: [15.0, 0.925, 0.15],
            isotropic: [0.0, 1.0, 0.0, 1.0],
            initial_stress: 0.0,
            offset: 0.0,
        })
    }

    /// Roundness of the knee: R0 (usual 10 … 20), cR1 (usual 0.925) and cR2 (usual 0.15).
    pub fn with_curve(self, r0: f64, cr1: f64, cr2: f64) -> Result<Self, MaterialError> {
        LAW.that((0.5..=1e3).contains(&r0), "R0", "between 0.5 and 1000", r0)?;
        LAW.that((0.0..1.0).contains(&cr1), "cR1", "in [0, 1)", cr1)?;
        LAW.positive("cR2", cr2)?;
        Ok(Self {
            curve: [r0, cr1, cr2],
            ..self
        })
    }

    /// Isotropic hardening: the compression asymptote grows by a1 after a plastic strain of a2 ε_y, the tension
    /// asymptote by a3 after a4 ε_y.
    pub fn with_isotropic(self, isotropic: [f64; 4]) -> Result<Self, MaterialError> {
        LAW.not_negative("a1", isotropic[0])?;
        LAW.positive("a2", isotropic[1])?;
        LAW.not_negative("a3", isotropic[2])?;
        LAW.positive("a4", isotropic[3])?;
        Ok(Self { isotropic, ..self })
    }

    /// Stress at zero strain; every strain is then offset by σ_init/E.
    pub fn with_initial_stress(self, initial_stress: f64) -> Result<Self, MaterialError> {
        LAW.that(
            initial_stress.abs() < self.yield_stress,
            "initial stress σ_init",
            "within ±F_y",
            initial_stress,
        )?;
        Ok(Self {
            initial_stress,
            offset: initial_stress / self.modulus,
            ..self
        })
    }

    /// Whether a strain (with the offset) leaves the committed branch: the first loading, or a turn.
    #[inline(always)]
    pub(super) fn turns(direction: f64, increment: f64) -> bool {
        (increment != 0.0) & (direction * increment <= 0.0)
    }

    /// The branch that starts at the committed point towards a strain (with the offset) on its other side.
    pub(super) fn turn(&self, committed: &Steel02State, strain: f64) -> Steel02State {
        let yield_strain = self.yield_stress / self.modulus;
        let sign = 1.0_f64.copysign(strain - committed.strain);
        let mut state = Steel02State {
            direction: sign,
            ..*committed
        };
        if committed.direction == 0.0 {
            // First loading: the curve starts at the origin of the offset strain.
            state.reversal_strain = 0.0;
            state.reversal_stress = 0.0;
            let crossing = (sign * yield_strain, sign * self.yield_stress);
            self.aim(&mut state, crossing, crossing.0);
            return state;
        }
        (state.reversal_strain, state.reversal_stress) = (committed.strain, committed.stress);
        let (amount, after, plastic) = if sign > 0.0 {
            state.strain_min = committed.strain_min.min(committed.strain);
            (self.isotropic[2], self.isotropic[3], state.strain_max)
        } else {
            state.strain_max = committed.strain_max.max(committed.strain);
            (self.isotropic[0], self.isotropic[1], state.strain_min)
        };
        let shift = if amount > 0.0 {
            let range = (state.strain_max - state.strain_min) / (2.0 * after * yield_strain);
            1.0 + amount * range.powf(0.8)
        } else {
            1.0
        };
        let hardening = self.hardening_ratio * self.modulus;
        let (limit_strain, limit_stress) = (
            sign * yield_strain * shift,
            sign * self.yield_stress * shift,
        );
        let crossing_strain = (limit_stress - hardening * limit_strain - state.reversal_stress
            + self.modulus * state.reversal_strain)
            / (self.modulus - hardening);
        let crossing_stress = limit_stress + hardening * (crossing_strain - limit_strain);
        self.aim(&mut state, (crossing_strain, crossing_stress), plastic);
        state
    }

    /// Sets the curve from the reversal point of `state` towards the crossing of the asymptotes.
    fn aim(&self, state: &mut Steel02State, crossing: (f64, f64), plastic: f64) {
        let yield_strain = self.yield_stress / self.modulus;
        let [r0, cr1, cr2] = self.curve;
        let distance = (plastic - crossing.0).abs() / yield_strain;
        state.exponent = r0 * (1.0 - cr1 * distance / (cr2 + distance));
        state.inverse_exponent = 1.0 / state.exponent;
        state.straight = straight_below(state.inverse_exponent);
        // A reversal exactly on the asymptote it aims at has no span; a tiny one gives its limit, slope b E.
        let mut span = crossing.0 - state.reversal_strain;
        state.rise = crossing.1 - state.reversal_stress;
        let least = 1e-12 * yield_strain;
        if span.abs() < least {
            span = least.copysign(span);
            state.rise = self.modulus * span;
        }
        state.inverse_span = 1.0 / span;
    }
}

impl Law for Steel02 {
    type State = Steel02State;

    fn virgin(&self) -> Steel02State {
        let yield_strain = self.yield_stress / self.modulus;
        let mut state = Steel02State {
            strain: self.offset,
            stress: self.initial_stress,
            direction: 0.0,
            strain_max: yield_strain,
            strain_min: -yield_strain,
            reversal_strain: self.offset,
            reversal_stress: self.initial_stress,
            ..Steel02State::default()
        };
        // Only its slope E at the initial point is ever used.
        let crossing = (
            self.offset + yield_strain,
            self.initial_stress + self.yield_stress,
        );
        self.aim(&mut state, crossing, crossing.0);
        state
    }

    fn initial_tangent(&self) -> f64 {
        self.modulus
    }

    #[inline]
    fn trial(&self, committed: &Steel02State, drive: Drive) -> (Steel02State, Response) {
        let strain = drive.strain + self.offset;
        let turns = Self::turns(committed.direction, strain - committed.strain);
        let mut state = if turns {
            self.turn(committed, strain)
        } else {
            *committed
        };
        let x = (strain - state.reversal_strain) * state.inverse_span;
        let (secant, tangent) = if x.abs() < state.straight {
            (1.0, 1.0)
        } else {
            let ([secant], [slope]) =
                transition(&[x], &[state.exponent], &[state.inverse_exponent]);
            (secant, slope)
        };
        let b = self.hardening_ratio;
        let stress = state.reversal_stress + state.rise * (x * (b + (1.0 - b) * secant));
        let tangent = state.rise * state.inverse_span * (b + (1.0 - b) * tangent);
        state.strain = strain;
        state.stress = stress;
        (state, Response::of(stress, tangent))
    }
}

impl<M: Measure> Planned<M> for Steel02 {
    const METHOD: Method = Method {
        name: "steel02",
        summary: "Giuffrè–Menegotto–Pinto steel with a rounded knee",
        reference: "Menegotto and Pinto 1973; Filippou, Popov and Bertero 1983",
        parameters: &[
            Parameter::number(
                M::MODULUS_KEY,
                M::MODULUS,
                "slope of the untouched material",
            )
            .positive(),
            Parameter::number(M::YIELD_KEY, M::STRESS, "where yielding begins").positive(),
            Parameter::number(
                "hardening",
                Dimension::NONE,
                "slope after yielding over the first one",
            )
            .or("0")
            .within(Range::between(0.0, 0.999_999)),
            Parameter::of(
                "curve",
                Kind::Numbers(Dimension::NONE),
                "roundness of the knee [R0, cR1, cR2]",
            )
            .or("[20, 0.925, 0.15]"),
            Parameter::of(
                "isotropic",
                Kind::Numbers(Dimension::NONE),
                "isotropic hardening [a1, a2, a3, a4]; default: none",
            )
            .optional(),
            Parameter::number(
                "initial",
                M::STRESS,
                "stress at no deformation; default: zero",
            )
            .optional(),
        ],
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let mut law = Self::new(
            values.number(M::YIELD_KEY)?,
            values.number(M::MODULUS_KEY)?,
            values.number("hardening")?,
        )
        .map_err(refuse)?;
        if let Some([r0, cr1, cr2]) = list(values, "curve")? {
            law = law.with_curve(r0, cr1, cr2).map_err(refuse)?;
        }
        if let Some(isotropic) = list(values, "isotropic")? {
            law = law.with_isotropic(isotropic).map_err(refuse)?;
        }
        law.with_initial_stress(values.optional_number("initial").unwrap_or(0.0))
            .map(Material::from)
            .map_err(refuse)
    }
}
