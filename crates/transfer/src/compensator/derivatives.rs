//! Derivatives of sampled displacements in wall time: what an actuator's delay is measured in,
//! whatever the time scale.

use crate::History;
use tandem_quantity::{BuildError, Range, choice, settings, snapshot};
use tandem_signal::derivative::{Derivative, Lagrange};

/// Largest spacing, ticks.
const WIDEST: f64 = 1000.0;

choice! {
    pub(super) enum Differences {
        Lagrange = "lagrange",
        Backward = "backward",
    }
}

settings! {
    pub(super) struct DerivativeSettings {
        /// third-order Lagrange polynomial (ATS-LG), or backward differences (ATS-BD)
        derivative: Differences = choice(Differences::WORDS).or("\"lagrange\""),
        /// ticks between the samples that are differentiated (one integration step is usual)
        spacing: usize = integer().or("1").within(Range::between(1.0, WIDEST)),
    }
}

/// Displacement, velocity and acceleration of several signals, per second of wall time.
///
/// Lagrange: (11x₀ − 18x₁ + 9x₂ − 2x₃)/6h and (2x₀ − 5x₁ + 4x₂ − x₃)/h²; backward: (x₀ − x₁)/h and
/// (x₀ − 2x₁ + x₂)/h², with h the spacing.
#[derive(Clone, Debug)]
pub(super) struct Derivatives {
    past: History,
    spacing: usize,
    first: Vec<f64>,
    second: Vec<f64>,
}

snapshot!(Derivatives { past });

impl Derivatives {
    pub fn build(
        settings: &DerivativeSettings,
        points: usize,
        period: f64,
    ) -> Result<Self, BuildError> {
        let order = match settings.derivative {
            Differences::Lagrange => 3,
            Differences::Backward => 1,
        };
        Self::new(points, order, settings.spacing, period)
    }

    /// Polynomial `order` 1 (backward differences) or 3.
    pub fn new(
        points: usize,
        order: usize,
        spacing: usize,
        period: f64,
    ) -> Result<Self, BuildError> {
        let law = |derivative, order| {
            Lagrange::new(derivative, order, period, spacing)
                .map(|law| law.weights().to_vec())
                .map_err(|error| {
                    BuildError::new("spacing", error.to_string(), "give a whole number of ticks")
                })
        };
        Ok(Self {
            past: History::new(points, 3 * spacing + 1),
            spacing,
            first: law(Derivative::First, order)?,
            second: law(Derivative::Second, order.max(2))?,
        })
    }

    /// Takes the newest samples.
    #[inline]
    pub fn push(&mut self, sample: &[f64]) {
        self.past.push(sample);
    }

    /// Value, first and second derivative of signal `point` at its newest sample.
    #[inline]
    pub fn at(&self, point: usize) -> [f64; 3] {
        let sum = |weights: &[f64]| -> f64 {
            weights
                .iter()
                .enumerate()
                .map(|(k, w)| w * self.past.back(k * self.spacing)[point])
                .sum()
        };
        [
            self.past.back(0)[point],
            sum(&self.first),
            sum(&self.second),
        ]
    }
}
