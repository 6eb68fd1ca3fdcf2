//! Fluid damper: a non-linear dashpot C|v|^α with a spring K (brace, oil column) in series.
//!
//! Ports: displacement (m) → force (N), over a step of dt seconds with constant velocity Δε/dt. σ̇
//! = K(ε̇ − sgn(σ)|σ/C|^(1/α)), 0 < α ≤ 1 (Akcelyan, Lignos & Hikino 2018). Classical Runge–Kutta
//! with sub-steps that follow the fastest rate; the tangent is integrated alongside. Without time
//! (dt = 0) it is the spring alone.

use tandem_quantity::{BuildError, Dimension, Method, Range, Settings, Values, settings};

use super::Material;
use super::error::{Check, MaterialError};
use super::law::{Drive, Law, Response};
use super::maxwell::MaxwellState;
use super::plan::{Measure, Planned, Slope, refuse};

const LAW: Check = Check("fluid damper");
const MOST_SUB_STEPS: f64 = 10_000.0;

/// Parameters of the fluid damper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damper {
    stiffness: f64,
    damping: f64,
    inverse_exponent: f64,
}

impl Damper {
    /// Stiffness K, damping coefficient C (N (s/m)^α) and exponent 0 < α ≤ 1.
    pub fn new(stiffness: f64, damping: f64, exponent: f64) -> Result<Self, MaterialError> {
        LAW.positive("stiffness K", stiffness)?;
        LAW.positive("damping coefficient C", damping)?;
        LAW.that(
            (0.05..=1.0).contains(&exponent),
            "exponent α",
            "between 0.05 and 1",
            exponent,
        )?;
        Ok(Self {
            stiffness,
            damping,
            inverse_exponent: 1.0 / exponent,
        })
    }

    /// Velocity of the dashpot at a force, and its derivative.
    fn dashpot(&self, force: f64) -> (f64, f64) {
        let ratio = (force / self.damping).abs();
        let slope = ratio.powf(self.inverse_exponent - 1.0);
        (
            (ratio * slope).copysign(force),
            self.inverse_exponent * slope / self.damping,
        )
    }

    /// Rates of the force and of its sensitivity to the strain at the end of the step.
    fn rates(&self, [force, sensitivity]: [f64; 2], rate: f64, per_step: f64) -> [f64; 2] {
        let (velocity, slope) = self.dashpot(force);
        [
            self.stiffness * (rate - velocity),
            self.stiffness * (per_step - slope * sensitivity),
        ]
    }
}

impl Law for Damper {
    type State = MaxwellState;

    fn virgin(&self) -> MaxwellState {
        MaxwellState::default()
    }

    fn initial_tangent(&self) -> f64 {
        self.stiffness
    }

    fn trial(&self, committed: &MaxwellState, drive: Drive) -> (MaxwellState, Response) {
        let change = drive.strain - committed.strain;
        if drive.dt <= 0.0 {
            let stress = committed.stress + self.stiffness * change;
            return (
                MaxwellState {
                    strain: drive.strain,
                    stress,
                },
                Response::of(stress, self.stiffness),
            );
        }
        let rate = change / drive.dt;
        // The force never passes the larger of where it starts and where it would settle.
        let settled = self.damping * rate.abs().powf(1.0 / self.inverse_exponent);
        let fastest = self.stiffness * self.dashpot(committed.stress.abs().max(settled)).1;
        let count = (drive.dt * fastest * 20.0)
            .ceil()
            .clamp(4.0, MOST_SUB_STEPS);
        let h = drive.dt / count;
        let add = |y: [f64; 2], k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
        let mut y = [committed.stress, 0.0];
        let mut done = 0.0;
        while done < count {
            let k1 = self.rates(y, rate, 1.0 / drive.dt);
            let k2 = self.rates(add(y, k1, 0.5 * h), rate, 1.0 / drive.dt);
            let k3 = self.rates(add(y, k2, 0.5 * h), rate, 1.0 / drive.dt);
            let k4 = self.rates(add(y, k3, h), rate, 1.0 / drive.dt);
            let mean = [0, 1].map(|i| (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]) / 6.0);
            y = add(y, mean, h);
            done += 1.0;
        }
        (
            MaxwellState {
                strain: drive.strain,
                stress: y[0],
            },
            Response::of(y[0], y[1]),
        )
    }
}

settings! {
    struct DamperSettings<M: Measure> {
        slope: Slope<M>,
        /// C of C|v|^α: what the dashpot answers at a unit velocity (1 m/s, 1 rad/s)
        coefficient: f64 = number(M::STRESS).positive(),
        /// α
        exponent: f64 = number(Dimension::NONE).or("1").within(Range::between(0.05, 1.0)),
    }
}

impl<M: Measure> Planned<M> for Damper {
    const METHOD: Method = Method {
        name: "fluid-damper",
        summary: "power-law dashpot and spring in series",
        reference: "Akcelyan, Lignos and Hikino 2018",
        parameters: DamperSettings::<M>::PARAMETERS,
    };

    fn build(values: &Values) -> Result<Material, BuildError> {
        let settings = DamperSettings::<M>::read(values)?;
        Self::new(
            settings.slope.modulus,
            settings.coefficient,
            settings.exponent,
        )
        .map(Material::from)
        .map_err(refuse)
    }
}
