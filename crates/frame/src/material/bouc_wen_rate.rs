//! Bouc–Wen as a differential equation, for devices and specimens (Wen 1976).
//!
//! Ports: displacement x (m) → force f (N). z has no dimension, |z| ≤ (A/(β+γ))^(1/n).
//!
//! ż = (A ẋ − β|ẋ||z|^(n−1)z − γẋ|z|ⁿ)/x_y, f = αkx + (1−α)k x_y z.
//!
//! The equation does not depend on time, only on the path of x: with u = z sgn(ẋ) and s = |Δx|/x_y
//! it reads du/ds = A − q|u|ⁿ, q = γ + β while u > 0 (loading), γ − β while u < 0 (unloading). Each
//! phase is solved in closed form for n = 1 and n = 2, otherwise by classical Runge–Kutta with
//! sub-steps; the step is split where u passes zero. x is taken as monotonic within a step: a
//! reversal inside a step must be a step of its own.

use tandem_quantity::{BuildError, Method, Settings, Values, settings, snapshot};

use super::Material;
use super::error::{Check, MaterialError};
use super::law::{Drive, Law, Response};
use super::plan::{Measure, Planned, SmoothHysteresis, Yielding, refuse};

const LAW: Check = Check("Bouc–Wen (rate form)");

/// Parameters of the Bouc–Wen law in rate form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoucWenRate {
    stiffness_ratio: f64,
    stiffness: f64,
    yield_displacement: f64,
    exponent: f64,
    beta: f64,
    gamma: f64,
    amplitude: f64,
}

/// History of the rate form: displacement and z.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoucWenRateState {
    displacement: f64,
    hysteretic: f64,
}

snapshot!(BoucWenRateState {
    displacement,
    hysteretic
});

impl BoucWenRateState {
    /// The dimensionless hysteretic variable z.
    #[must_use]
    pub fn hysteretic(&self) -> f64 {
        self.hysteretic
    }
}

impl BoucWenRate {
    /// α (stiffness after yielding over k), k, x_y, n ≥ 1, β, γ; A = 1.
    pub fn new(
        stiffness_ratio: f64,
        stiffness: f64,
        yield_displacement: f64,
        exponent: f64,
        beta: f64,
        gamma: f64,
    ) -> Result<Self, MaterialError> {
        LAW.that(
            (0.0..=1.0).contains(&stiffness_ratio),
            "stiffness ratio α",
            "in [0, 1]",
            stiffness_ratio,
        )?;
        LAW.positive("stiffness k", stiffness)?;
        LAW.positive("yield displacement x_y", yield_displacement)?;
        LAW.that(
            (1.0..=100.0).contains(&exponent),
            "exponent n",
            "between 1 and 100",
            exponent,
        )?;
        LAW.positive("β", beta)?;
        // With β + γ > 0 and γ ≤ β, z stays bounded on every path (Ismail, Ikhouane & Rodellar
        // 2009, class I).
        LAW.that(
            gamma > -beta && gamma <= beta,
            "γ",
            "above −β and not above β",
            gamma,
        )?;
        Ok(Self {
            stiffness_ratio,
            stiffness,
            yield_displacement,
            exponent,
            beta,
            gamma,
            amplitude: 1.0,
        })
    }

    /// Amplitude A > 0 of the hysteretic part.
    pub fn with_amplitude(self, amplitude: f64) -> Result<Self, MaterialError> {
        LAW.positive("A", amplitude)?;
        Ok(Self { amplitude, ..self })
    }

    /// z after a monotonic path of length `change` from `hysteretic`.
    #[must_use]
    pub fn advance(&self, hysteretic: f64, change: f64) -> f64 {
        if change == 0.0 {
            return hysteretic;
        }
        let direction = 1.0_f64.copysign(change);
        let mut path = change.abs() / self.yield_displacement;
        let mut u = hysteretic * direction;
        if u < 0.0 {
            let phase = Phase {
                amplitude: self.amplitude,
                resistance: self.gamma - self.beta,
                n: self.exponent,
            };
            match phase.unload(-u, path) {
                Unloaded::Remaining(magnitude) => return -magnitude * direction,
                Unloaded::Zero { rest } => {
                    u = 0.0;
                    path = rest;
                }
            }
        }
        let phase = Phase {
            amplitude: self.amplitude,
            resistance: self.gamma + self.beta,
            n: self.exponent,
        };
        phase.load(u, path) * direction
    }
}

/// One phase of the equation: resistance q is constant.
struct Phase {
    amplitude: f64,
    resistance: f64,
    n: f64,
}

enum Unloaded {
    /// The path ends before zero, at this |u|.
    Remaining(f64),
    /// Zero is reached with this much path left.
    Zero { rest: f64 },
}

impl Phase {
    fn is(&self, n: f64) -> bool {
        (self.n - n).abs() < f64::EPSILON
    }

    fn rate(&self, u: f64) -> f64 {
        self.amplitude - self.resistance * u.abs().powf(self.n)
    }

    /// du/ds = A − q uⁿ from u ≥ 0 over a path.
    fn load(&self, u: f64, path: f64) -> f64 {
        if self.is(1.0) {
            let decay = self.resistance;
            u + (self.amplitude - decay * u) * (-(-decay * path).exp_m1() / decay)
        } else if self.is(2.0) {
            let bound = (self.amplitude / self.resistance).sqrt();
            let t = (path * (self.amplitude * self.resistance).sqrt()).tanh();
            (u + bound * t) / (1.0 + u * t / bound)
        } else {
            let (steps, h) = self.sub_steps(path);
            (0..steps).fold(u, |u, _| self.runge_kutta(u, h))
        }
    }

    /// The same for u = −m: dm/ds = −(A − q mⁿ), q ≤ 0, over a path or until m = 0.
    fn unload(&self, magnitude: f64, path: f64) -> Unloaded {
        let q = -self.resistance;
        if self.is(1.0) {
            let to_zero = if q > 0.0 {
                (q * magnitude / self.amplitude).ln_1p() / q
            } else {
                magnitude / self.amplitude
            };
            if to_zero <= path {
                return Unloaded::Zero {
                    rest: path - to_zero,
                };
            }
            let weight = if q > 0.0 {
                -(-q * path).exp_m1() / q
            } else {
                path
            };
            Unloaded::Remaining(magnitude - (self.amplitude + q * magnitude) * weight)
        } else if self.is(2.0) {
            if q <= 0.0 {
                let to_zero = magnitude / self.amplitude;
                return if to_zero <= path {
                    Unloaded::Zero {
                        rest: path - to_zero,
                    }
                } else {
                    Unloaded::Remaining(magnitude - self.amplitude * path)
                };
            }
            let scale = (self.amplitude / q).sqrt();
            let speed = (self.amplitude * q).sqrt();
            let angle = (magnitude / scale).atan();
            if angle <= speed * path {
                Unloaded::Zero {
                    rest: path - angle / speed,
                }
            } else {
                Unloaded::Remaining(scale * (angle - speed * path).tan())
            }
        } else {
            let (steps, h) = self.sub_steps(path);
            let mut u = -magnitude;
            for done in 0..steps {
                let next = self.runge_kutta(u, h);
                if next >= 0.0 {
                    let rest = path - f64::from(done) * h - self.distance_to_zero(-u);
                    return Unloaded::Zero {
                        rest: rest.max(0.0),
                    };
                }
                u = next;
            }
            Unloaded::Remaining(-u)
        }
    }

    /// Sub-steps short enough for errors of 1e-10 where the equation is stiffest (|u| near its
    /// bound).
    fn sub_steps(&self, path: f64) -> (u32, f64) {
        let longest = 0.03 / (self.n * self.amplitude.max(1.0));
        let mut steps = 1_u32;
        while path > longest * f64::from(steps) && steps < 1 << 20 {
            steps *= 2;
        }
        (steps, path / f64::from(steps))
    }

    fn runge_kutta(&self, u: f64, h: f64) -> f64 {
        let k1 = self.rate(u);
        let k2 = self.rate(u + 0.5 * h * k1);
        let k3 = self.rate(u + 0.5 * h * k2);
        let k4 = self.rate(u + h * k3);
        u + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)
    }

    /// ∫ dm/(A − q mⁿ) from 0 to m by five-point Gauss: m is less than one sub-step.
    fn distance_to_zero(&self, magnitude: f64) -> f64 {
        const NODES: [(f64, f64); 3] = [
            (0.0, 0.568_888_888_888_888_9),
            (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
            (0.906_179_845_938_664, 0.236_926_885_056_189_1),
        ];
        let half = 0.5 * magnitude;
        let at = |x: f64| 1.0 / self.rate(half * (1.0 + x));
        let sum: f64 = NODES
            .iter()
            .map(|&(x, w)| {
                if x == 0.0 {
                    w * at(0.0)
                } else {
                    w * (at(x) + at(-x))
                }
            })
            .sum();
        half * sum
    }
}

impl Law for BoucWenRate {
    type State = BoucWenRateState;

    fn virgin(&self) -> BoucWenRateState {
        BoucWenRateState::default()
    }

    fn initial_tangent(&self) -> f64 {
        self.stiffness * (self.stiffness_ratio + (1.0 - self.stiffness_ratio) * self.amplitude)
    }

    fn trial(&self, committed: &BoucWenRateState, drive: Drive) -> (BoucWenRateState, Response) {
        let change = drive.strain - committed.displacement;
        let hysteretic = self.advance(committed.hysteretic, change);
        let elastic = self.stiffness_ratio * self.stiffness;
        let hysteretic_stiffness = (1.0 - self.stiffness_ratio) * self.stiffness;
        let force =
            elastic * drive.strain + hysteretic_stiffness * self.yield_displacement * hysteretic;
        let sign = if change * hysteretic > 0.0 { 1.0 } else { -1.0 };
        let slope =
            self.amplitude - (self.gamma + self.beta * sign) * hysteretic.abs().powf(self.exponent);
        let state = BoucWenRateState {
            displacement: drive.strain,
            hysteretic,
        };
        (
            state,
            Response::of(force, elastic + hysteretic_stiffness * slope),
        )
    }
}

settings! {
    struct BoucWenRateSettings<M: Measure> {
        yielding: Yielding<M>,
        hysteresis: SmoothHysteresis,
    }
}

impl<M: Measure> Planned<M> for BoucWenRate {
    const METHOD: Method = Method {
        name: "bouc-wen",
        summary: "smooth hysteresis as a differential equation",
        reference: "Wen 1976",
        parameters: BoucWenRateSettings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = BoucWenRateSettings::<M>::read(values)?;
        let stiffness = settings.yielding.slope.modulus;
        Self::new(
            settings.hysteresis.hardening,
            stiffness,
            settings.yielding.limit / stiffness,
            settings.hysteresis.exponent,
            settings.hysteresis.beta,
            settings.hysteresis.gamma,
        )
        .and_then(|law| law.with_amplitude(settings.hysteresis.amplitude))
        .map(Material::from)
        .map_err(refuse)
    }
}
