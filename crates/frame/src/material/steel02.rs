//! Steel02: Giuffrè–Menegotto–Pinto steel with the isotropic rule of Filippou, Popov & Bertero
//! (1983).
//!
//! Ports: strain (–) → stress (Pa). Tension positive. Parameters as in OpenSees: F_y, E, b, R0,
//! cR1, cR2, a1 … a4, σ_init.
//!
//! Between a reversal point (ε_r, σ_r) and the crossing (ε_0, σ_0) of the elastic line through it
//! with the hardening asymptote: x = (ε − ε_r)/(ε_0 − ε_r), D = 1 + |x|^R,
//! σ = σ_r + (σ_0 − σ_r) x (b + (1 − b) D^(−1/R)), E_t = (σ_0 − σ_r)/(ε_0 − ε_r) (b + (1 − b)
//! D^(−1−1/R)), R = R0(1 − cR1 ξ/(cR2 + ξ)), ξ = |ε_pl − ε_0|/ε_y.
//!
//! Known property of the law: after a small unloading and reloading the curve overshoots the old
//! one.

use tandem_quantity::{BuildError, Dimension, Method, Settings, Values, settings};

use super::Material;
use super::error::{Check, MaterialError};
use super::law::{Drive, Law, Response};
use super::plan::{Hardening, Measure, Planned, Yielding, list, refuse};
use super::steel02_branch::{Branches, Curve};

const LAW: Check = Check("Steel02");

/// Parameters of Steel02.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steel02 {
    pub(super) curve: Curve,
    initial_stress: f64,
    /// Offset that the initial stress adds to every strain.
    pub(super) offset: f64,
}

/// One branch of the curve, and the committed point on it.
pub type Steel02State = Branches<1>;

impl Steel02 {
    /// Yield stress F_y, modulus E, hardening ratio b in [0, 1). Curve R0 = 15, cR1 = 0.925, cR2 =
    /// 0.15; no isotropic hardening; no initial stress.
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
            curve: Curve {
                yield_stress,
                modulus,
                hardening_ratio,
                roundness: [15.0, 0.925, 0.15],
                isotropic: [0.0, 1.0, 0.0, 1.0],
            },
            initial_stress: 0.0,
            offset: 0.0,
        })
    }

    /// Roundness of the knee: R0 (usual 10 … 20), cR1 (usual 0.925) and cR2 (usual 0.15).
    pub fn with_curve(mut self, r0: f64, cr1: f64, cr2: f64) -> Result<Self, MaterialError> {
        LAW.that((0.5..=1e3).contains(&r0), "R0", "between 0.5 and 1000", r0)?;
        LAW.that((0.0..1.0).contains(&cr1), "cR1", "in [0, 1)", cr1)?;
        LAW.positive("cR2", cr2)?;
        self.curve.roundness = [r0, cr1, cr2];
        Ok(self)
    }

    /// Isotropic hardening: the compression asymptote grows by a1 after a plastic strain of a2 ε_y,
    /// the tension asymptote by a3 after a4 ε_y.
    pub fn with_isotropic(mut self, isotropic: [f64; 4]) -> Result<Self, MaterialError> {
        LAW.not_negative("a1", isotropic[0])?;
        LAW.positive("a2", isotropic[1])?;
        LAW.not_negative("a3", isotropic[2])?;
        LAW.positive("a4", isotropic[3])?;
        self.curve.isotropic = isotropic;
        Ok(self)
    }

    /// Stress at zero strain; every strain is then offset by σ_init/E.
    pub fn with_initial_stress(self, initial_stress: f64) -> Result<Self, MaterialError> {
        LAW.that(
            initial_stress.abs() < self.curve.yield_stress,
            "initial stress σ_init",
            "within ±F_y",
            initial_stress,
        )?;
        Ok(Self {
            initial_stress,
            offset: initial_stress / self.curve.modulus,
            ..self
        })
    }
}

impl Law for Steel02 {
    type State = Steel02State;

    fn virgin(&self) -> Steel02State {
        let Curve {
            yield_stress,
            modulus,
            ..
        } = self.curve;
        let yield_strain = yield_stress / modulus;
        let mut state = Steel02State {
            strain: [self.offset],
            stress: [self.initial_stress],
            strain_max: [yield_strain],
            strain_min: [-yield_strain],
            reversal_strain: [self.offset],
            reversal_stress: [self.initial_stress],
            ..Steel02State::zero()
        };
        // Only its slope E at the initial point is ever used.
        let crossing = [self.offset + yield_strain];
        state.aim(
            &self.curve,
            (&crossing, &[self.initial_stress + yield_stress]),
            &crossing,
        );
        state
    }

    fn initial_tangent(&self) -> f64 {
        self.curve.modulus
    }

    #[inline]
    fn trial(&self, committed: &Steel02State, drive: Drive) -> (Steel02State, Response) {
        let strain = [drive.strain + self.offset];
        let turns = committed.turns(&strain);
        let mut state = if turns[0] {
            committed.turned(&self.curve, &turns, &strain)
        } else {
            *committed
        };
        let (stress, [tangent]) = state.answer(self.curve.hardening_ratio, &strain);
        state.strain = strain;
        state.stress = stress;
        (state, Response::of(stress[0], tangent))
    }
}

settings! {
    struct Steel02Settings<M: Measure> {
        yielding: Yielding<M>,
        hardening: Hardening,
        /// roundness of the knee [R0, cR1, cR2]
        curve: Vec<f64> = numbers(Dimension::NONE).or("[20, 0.925, 0.15]"),
        /// isotropic hardening [a1, a2, a3, a4]; default: none
        isotropic: Option<Vec<f64>> = numbers(Dimension::NONE),
        /// stress at no deformation; default: zero
        initial: Option<f64> = number(M::STRESS),
    }
}

impl<M: Measure> Planned<M> for Steel02 {
    const METHOD: Method = Method {
        name: "steel02",
        summary: "Giuffrè–Menegotto–Pinto steel with a rounded knee",
        reference: "Menegotto and Pinto 1973; Filippou, Popov and Bertero 1983",
        parameters: Steel02Settings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = Steel02Settings::<M>::read(values)?;
        let mut law = Self::new(
            settings.yielding.limit,
            settings.yielding.slope.modulus,
            settings.hardening.hardening,
        )
        .map_err(refuse)?;
        let [r0, cr1, cr2] = list("curve", &settings.curve)?;
        law = law.with_curve(r0, cr1, cr2).map_err(refuse)?;
        if let Some(isotropic) = &settings.isotropic {
            let isotropic = list("isotropic", isotropic)?;
            law = law.with_isotropic(isotropic).map_err(refuse)?;
        }
        law.with_initial_stress(settings.initial.unwrap_or(0.0))
            .map(Material::from)
            .map_err(refuse)
    }
}
