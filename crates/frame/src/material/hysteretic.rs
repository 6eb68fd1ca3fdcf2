//! Hysteretic law with a trilinear backbone, pinching, damage and degrading unloading stiffness.
//!
//! Ports: deformation → force (or rotation → moment). Same answers as OpenSees `Hysteretic` (after
//! Filippou's Hyster2 and Takeda's rules).
//!
//! - Backbone: three points a side; flat after the third unless the last slope rises.
//! - Unloading: initial slope E (the steepest of the side) times μ^−β, μ = peak deformation over
//!   the first point.
//! - Reloading towards the peak of the other side through the pinching point: deformation pinch_x
//!   of the way, force pinch_y of the peak force.
//! - Damage: the peak aimed at moves out by damage₁(μ − 1) + damage₂ e/e_A of the side that was
//!   left, e the dissipated energy, e_A the area under both backbones.
//!
//! Both sides obey the same rules, so the code knows one: everything is mirrored into the direction
//! of loading.

use tandem_quantity::{BuildError, Dimension, Method, Settings, Values, settings, snapshot};

use super::Material;
use super::error::{Check, MaterialError};
use super::law::{Drive, Law, NO_INCREMENT, Response};
use super::plan::{Measure, Planned, list, refuse};

const LAW: Check = Check("hysteretic");

/// Slope of flat parts over the initial slope: not zero, so that a tangent stays regular.
const FLAT: f64 = 1e-9;
/// A deformation that is never reached.
const FAR: f64 = 1e16;

/// Backbone of one side: deformations and forces of three points, as positive distances from the
/// origin.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Backbone {
    deformation: [f64; 3],
    force: [f64; 3],
    slope: [f64; 3],
    unloading: f64,
}

impl Backbone {
    fn new(points: [(f64, f64); 3], sign: f64) -> Result<Self, MaterialError> {
        let [d, f] = [points.map(|p| p.0 * sign), points.map(|p| p.1 * sign)];
        for (given, (d, f)) in points.iter().zip(d.iter().zip(&f)) {
            LAW.that(
                *d > 0.0,
                "backbone deformation",
                "on its side of zero",
                given.0,
            )?;
            LAW.finite("backbone force", given.1)?;
            LAW.finite("backbone force", *f)?;
        }
        LAW.that(
            f[0] > 0.0,
            "first backbone force",
            "on its side of zero",
            points[0].1,
        )?;
        LAW.that(
            d[1] > d[0],
            "second backbone deformation",
            "beyond the first",
            points[1].0,
        )?;
        LAW.that(
            d[2] > d[1],
            "third backbone deformation",
            "beyond the second",
            points[2].0,
        )?;
        let slope = [
            f[0] / d[0],
            (f[1] - f[0]) / (d[1] - d[0]),
            (f[2] - f[1]) / (d[2] - d[1]),
        ];
        let unloading = slope[0].max(slope[1]).max(slope[2]);
        Ok(Self {
            deformation: d,
            force: f,
            slope,
            unloading,
        })
    }

    fn area(&self) -> f64 {
        let ([d1, d2, d3], [f1, f2, f3]) = (self.deformation, self.force);
        0.5 * (d1 * f1 + (d2 - d1) * (f2 + f1) + (d3 - d2) * (f3 + f2))
    }

    /// Force and slope at a deformation; zero force on the other side of the origin.
    fn at(&self, x: f64) -> (f64, f64) {
        let ([d1, d2, d3], [f1, f2, f3]) = (self.deformation, self.force);
        if x <= 0.0 {
            (
                0.0,
                if x < 0.0 {
                    self.slope[0] * FLAT
                } else {
                    self.slope[0]
                },
            )
        } else if x <= d1 {
            (self.slope[0] * x, self.slope[0])
        } else if x <= d2 {
            (f1 + self.slope[1] * (x - d1), self.slope[1])
        } else if x <= d3 || self.slope[2] > 0.0 {
            (f2 + self.slope[2] * (x - d2), self.slope[2])
        } else {
            (f3, self.slope[0] * FLAT)
        }
    }

    /// Where a falling branch through the peak `x` would reach zero force, if the backbone really
    /// does.
    fn exhausted_at(&self, x: f64) -> Option<f64> {
        let ([d1, d2, _], [f1, f2, _]) = (self.deformation, self.force);
        let zero = if x > d2 && self.slope[2] < 0.0 {
            d2 - f2 / self.slope[2]
        } else if x > d1 && x <= d2 && self.slope[1] < 0.0 {
            d1 - f1 / self.slope[1]
        } else {
            return None;
        };
        (self.at(zero).0 <= 0.0).then_some(zero)
    }

    /// Unloading slope after the peak `x`, degraded by μ^−β.
    fn unloading_after(&self, x: f64, beta: f64) -> f64 {
        let ductility = (x / self.deformation[0]).powf(beta);
        if ductility < 1.0 {
            self.unloading
        } else {
            self.unloading / ductility
        }
    }
}

/// Parameters of the hysteretic law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hysteretic {
    positive: Backbone,
    negative: Backbone,
    pinch: [f64; 2],
    damage: [f64; 2],
    beta: f64,
    energy: f64,
}

/// History of the hysteretic law. `direction` is +1, −1 or 0 (not loaded yet); `peak` and `release`
/// (zero force after unloading) are given for the positive and the negative side, both in true
/// signs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HystereticState {
    direction: f64,
    peak: [f64; 2],
    release: [f64; 2],
    energy: f64,
    deformation: f64,
    force: f64,
    tangent: f64,
}

snapshot!(HystereticState {
    direction,
    peak,
    release,
    energy,
    deformation,
    force,
    tangent
});

impl Hysteretic {
    /// Three points (deformation, force) a side: positive ones rising in deformation, negative ones
    /// falling. No pinching (1, 1), no damage, no degradation.
    pub fn new(
        positive: [(f64, f64); 3],
        negative: [(f64, f64); 3],
    ) -> Result<Self, MaterialError> {
        let positive = Backbone::new(positive, 1.0)?;
        let negative = Backbone::new(negative, -1.0)?;
        let energy = positive.area() + negative.area();
        Ok(Self {
            positive,
            negative,
            pinch: [1.0; 2],
            damage: [0.0; 2],
            beta: 0.0,
            energy,
        })
    }

    /// The same backbone on both sides.
    pub fn symmetric(points: [(f64, f64); 3]) -> Result<Self, MaterialError> {
        Self::new(points, points.map(|(d, f)| (-d, -f)))
    }

    /// Pinching factors for deformation and force, each in [0, 1]; 1 is none.
    pub fn with_pinching(self, x: f64, y: f64) -> Result<Self, MaterialError> {
        LAW.that((0.0..=1.0).contains(&x), "pinch x", "in [0, 1]", x)?;
        LAW.that((0.0..=1.0).contains(&y), "pinch y", "in [0, 1]", y)?;
        Ok(Self {
            pinch: [x, y],
            ..self
        })
    }

    /// Damage by ductility and by dissipated energy.
    pub fn with_damage(self, ductility: f64, energy: f64) -> Result<Self, MaterialError> {
        LAW.not_negative("damage by ductility", ductility)?;
        LAW.not_negative("damage by energy", energy)?;
        Ok(Self {
            damage: [ductility, energy],
            ..self
        })
    }

    /// Exponent β of the degrading unloading stiffness.
    pub fn with_degradation(self, beta: f64) -> Result<Self, MaterialError> {
        LAW.not_negative("β", beta)?;
        Ok(Self { beta, ..self })
    }

    /// Inside the peaks, moving in the direction `sign`. Returns force and tangent and moves the
    /// peak it aims at.
    fn reload(
        &self,
        committed: &HystereticState,
        state: &mut HystereticState,
        sign: f64,
    ) -> (f64, f64) {
        let (ahead, behind) = if sign > 0.0 { (0, 1) } else { (1, 0) };
        let (own, other) = if sign > 0.0 {
            (&self.positive, &self.negative)
        } else {
            (&self.negative, &self.positive)
        };
        // Everything below is a distance in the direction of loading; the side left behind has
        // negative ones.
        let x = state.deformation * sign;
        let (start, start_force) = (committed.deformation * sign, committed.force * sign);
        let own_slope = own.unloading_after(committed.peak[ahead] * sign, self.beta);
        let other_peak = -committed.peak[behind] * sign;
        let other_slope = other.unloading_after(other_peak, self.beta);

        let mut peak = committed.peak[ahead] * sign;
        if committed.direction * sign < 0.0 && start_force <= 0.0 {
            // A turn: unload from here to zero force, and let the damage of the other side move the
            // aim.
            let run = start_force / other_slope;
            state.release[behind] = (start - run) * sign;
            let energy = committed.energy - 0.5 * run * start_force;
            let yielding = other.deformation[0];
            if other_peak > yielding {
                let by_energy = self.damage[1] * energy / self.energy;
                peak *= 1.0 + by_energy + self.damage[0] * (other_peak - yielding) / yielding;
            }
        }
        state.direction = sign;
        peak = peak.min(FAR).max(own.deformation[0]);
        state.peak[ahead] = peak * sign;

        let peak_force = own.at(peak).0;
        let release = state.release[behind] * sign;
        // Force is zero up to here: the end of unloading, or where the other side's backbone has
        // run out.
        let zero_until = other
            .exhausted_at(other_peak)
            .map_or(release, |far| release.max(-far));
        let [pinch_x, pinch_y] = self.pinch;
        let steep = peak - (1.0 - pinch_y) * peak_force / own_slope;
        let pinched = zero_until + (steep - zero_until) * pinch_x;

        if x < release {
            let force = start_force + other_slope * (x - start);
            return if force >= 0.0 {
                (0.0, other.unloading * FLAT)
            } else {
                (force * sign, other_slope)
            };
        }
        let (limit, slope) = if x < pinched {
            if x <= zero_until {
                return (0.0, own.unloading * FLAT);
            }
            let slope = peak_force * pinch_y / (pinched - zero_until);
            ((x - zero_until) * slope, slope)
        } else {
            let slope = (1.0 - pinch_y) * peak_force / (peak - pinched);
            (pinch_y * peak_force + (x - pinched) * slope, slope)
        };
        let guess = start_force + own_slope * (x - start);
        if guess < limit {
            (guess * sign, own_slope)
        } else {
            (limit * sign, slope)
        }
    }
}

impl Law for Hysteretic {
    type State = HystereticState;

    fn virgin(&self) -> HystereticState {
        HystereticState {
            direction: 0.0,
            peak: [0.0; 2],
            release: [0.0; 2],
            energy: 0.0,
            deformation: 0.0,
            force: 0.0,
            tangent: self.positive.slope[0],
        }
    }

    fn initial_tangent(&self) -> f64 {
        self.positive.slope[0]
    }

    fn trial(&self, committed: &HystereticState, drive: Drive) -> (HystereticState, Response) {
        let deformation = drive.strain;
        let increment = deformation - committed.deformation;
        if increment.abs() < NO_INCREMENT {
            return (*committed, Response::of(committed.force, committed.tangent));
        }
        let mut state = HystereticState {
            deformation,
            ..*committed
        };
        let (force, tangent) = if deformation >= committed.peak[0] {
            state.peak[0] = deformation;
            state.direction = 1.0;
            self.positive.at(deformation)
        } else if deformation <= committed.peak[1] {
            state.peak[1] = deformation;
            state.direction = -1.0;
            let (force, tangent) = self.negative.at(-deformation);
            (-force, tangent)
        } else {
            self.reload(committed, &mut state, 1.0_f64.copysign(increment))
        };
        state.energy = committed.energy + 0.5 * (committed.force + force) * increment;
        state.force = force;
        state.tangent = tangent;
        (state, Response::of(force, tangent))
    }
}

settings! {
    struct NegativeBackbone<M: Measure> {
        /// three points, as positive numbers, rising
        strain [M::STRAIN_KEY]: Vec<f64> = numbers(M::STRAIN).positive(),
        /// what it answers there, as positive numbers
        stress [M::STRESS_KEY]: Vec<f64> = numbers(M::STRESS),
    }
}

settings! {
    struct HystereticSettings<M: Measure> {
        /// three points of the backbone, rising
        strain [M::STRAIN_KEY]: Vec<f64> = numbers(M::STRAIN).positive(),
        /// what it answers there
        stress [M::STRESS_KEY]: Vec<f64> = numbers(M::STRESS),
        /// backbone of the negative side; default: the same
        negative: Option<NegativeBackbone<M>> = table(NegativeBackbone::<M>::PARAMETERS),
        /// [deformation, force] of the pinching point, 1 is none
        pinching: Vec<f64> = numbers(Dimension::NONE).or("[1, 1]"),
        /// [by ductility, by energy]
        damage: Vec<f64> = numbers(Dimension::NONE).or("[0, 0]"),
        /// exponent β of the unloading slope
        degradation: f64 = number(Dimension::NONE).or("0").not_negative(),
    }
}

impl<M: Measure> Planned<M> for Hysteretic {
    const METHOD: Method = Method {
        name: "hysteretic",
        summary: "trilinear backbone with pinching, damage and degrading unloading",
        reference: "Takeda, Sozen and Nielsen 1970; Filippou's Hyster2",
        parameters: HystereticSettings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = HystereticSettings::<M>::read(values)?;
        let points = |strain: &[f64], stress: &[f64]| -> Result<[(f64, f64); 3], BuildError> {
            let d = list::<3>(M::STRAIN_KEY, strain)?;
            let f = list::<3>(M::STRESS_KEY, stress)?;
            Ok([(d[0], f[0]), (d[1], f[1]), (d[2], f[2])])
        };
        let positive = points(&settings.strain, &settings.stress)?;
        let negative = match &settings.negative {
            Some(table) => {
                points(&table.strain, &table.stress).map_err(|error| error.within("negative"))?
            }
            None => positive,
        };
        let [x, y] = list("pinching", &settings.pinching)?;
        let [ductility, energy] = list("damage", &settings.damage)?;
        let degradation = settings.degradation;
        Self::new(positive, negative.map(|(d, f)| (-d, -f)))
            .and_then(|law| law.with_pinching(x, y))
            .and_then(|law| law.with_damage(ductility, energy))
            .and_then(|law| law.with_degradation(degradation))
            .map(Material::from)
            .map_err(refuse)
    }
}
