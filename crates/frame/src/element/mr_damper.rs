//! Magnetorheological damper: simple Bouc–Wen model (Spencer, Dyke, Sain & Carlson 1997, Eq. 3–4)
//! along a line.
//!
//! Ports: elongation x, its rate ẋ, command u (0: off) → axial force
//! f = c(u) ẋ + k (x − x₀) + α(u) z, ż = A ẋ − γ|ẋ|z|z|^(n−1) − βẋ|z|ⁿ, c = c_a + c_b u, α = α_a +
//! α_b u. z in metres. The equation of z depends on the path only and is solved by [`BoucWenRate`].
//! c_a is in the damping matrix of the structure.

use tandem_quantity::snapshot;

use super::choice::NodalElement;
use super::motion::Motion;
use crate::material::{BoucWenRate, MaterialError};
use crate::small::{MOST_DOFS, SmallMatrix, dot};

/// Parameters of the damper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MrDamperLaw {
    /// c_a, N s/m, and c_b, N s/m per unit of command.
    pub viscous: [f64; 2],
    /// α_a, N/m, and α_b, N/m per unit of command.
    pub hysteretic: [f64; 2],
    /// Accumulator stiffness k, N/m.
    pub stiffness: f64,
    /// Elongation x₀ at which the accumulator is at rest, m.
    pub offset: f64,
    /// A.
    pub amplitude: f64,
    /// γ, 1/mⁿ: the part with |ẋ|.
    pub gamma: f64,
    /// β, 1/mⁿ: the part with ẋ.
    pub beta: f64,
    /// n ≥ 1.
    pub exponent: f64,
}

/// A magnetorheological damper between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct MrDamper {
    law: MrDamperLaw,
    direction: [f64; MOST_DOFS],
    /// Largest |z|, m: the scale of the dimensionless equation.
    largest: f64,
    equation: BoucWenRate,
    command: f64,
    now: State,
    committed: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct State {
    elongation: f64,
    /// z over its largest value.
    hysteretic: f64,
    force: f64,
    tangent: f64,
}

snapshot!(State {
    elongation,
    hysteretic,
    force,
    tangent
});
snapshot!(MrDamper {
    command,
    now,
    committed
});

impl MrDamper {
    pub(crate) fn new(
        law: MrDamperLaw,
        direction: [f64; MOST_DOFS],
    ) -> Result<Self, MaterialError> {
        let largest = (law.amplitude / (law.beta + law.gamma)).powf(1.0 / law.exponent);
        let scale = largest.powf(law.exponent);
        let equation = BoucWenRate::new(
            0.0,
            1.0,
            largest,
            law.exponent,
            law.gamma * scale,
            law.beta * scale,
        )?
        .with_amplitude(law.amplitude)?;
        let mut damper = Self {
            law,
            direction,
            largest,
            equation,
            command: 0.0,
            now: State::default(),
            committed: State::default(),
        };
        damper.now.force = -law.stiffness * law.offset;
        damper.now.tangent = damper.initial();
        damper.committed = damper.now;
        Ok(damper)
    }

    /// Sets the command u (current or voltage).
    pub fn set_command(&mut self, command: f64) {
        self.command = command;
    }

    /// Elongation and axial force of the last trial, without the viscous part that is in the
    /// damping matrix.
    #[must_use]
    pub fn axial(&self) -> (f64, f64) {
        (self.now.elongation, self.now.force)
    }

    fn strength(&self) -> f64 {
        self.law.hysteretic[0] + self.law.hysteretic[1] * self.command
    }

    fn initial(&self) -> f64 {
        self.law.stiffness + self.strength() * self.law.amplitude
    }
}

impl NodalElement for MrDamper {
    fn trial(&mut self, motion: &Motion<'_>, force: &mut [f64; MOST_DOFS]) {
        let elongation = dot(&self.direction, motion.displacement);
        let rate = dot(&self.direction, motion.velocity);
        let change = elongation - self.committed.elongation;
        let z = self.equation.advance(self.committed.hysteretic, change);
        let strength = self.strength();
        let value = self.law.viscous[1] * self.command * rate
            + self.law.stiffness * (elongation - self.law.offset)
            + strength * self.largest * z;
        // dz/dx at the end of the step: exact while the step is monotonic.
        let scale = self.largest.powf(self.law.exponent);
        let sign = if change * z > 0.0 { 1.0 } else { -1.0 };
        let slope = self.law.amplitude
            - (self.law.beta + self.law.gamma * sign) * scale * z.abs().powf(self.law.exponent);
        self.now = State {
            elongation,
            hysteretic: z,
            force: value,
            tangent: self.law.stiffness + strength * slope,
        };
        self.add_force(force);
    }

    fn add_force(&self, force: &mut [f64; MOST_DOFS]) {
        for (force, g) in force.iter_mut().zip(&self.direction) {
            *force += g * self.now.force;
        }
    }

    fn add_tangent(&self, stiffness: &mut SmallMatrix) {
        stiffness.add_outer(self.now.tangent, &self.direction, &self.direction);
    }

    fn add_initial(&self, stiffness: &mut SmallMatrix) {
        stiffness.add_outer(self.initial(), &self.direction, &self.direction);
    }

    fn add_damping(&self, damping: &mut SmallMatrix) {
        damping.add_outer(self.law.viscous[0], &self.direction, &self.direction);
    }

    fn add_damping_tangent(&self, damping: &mut SmallMatrix) {
        let excess = self.law.viscous[1] * self.command;
        damping.add_outer(excess, &self.direction, &self.direction);
    }

    fn commit(&mut self) {
        self.committed = self.now;
    }

    fn revert(&mut self) {
        self.now = self.committed;
    }
}
