//! Derivatives at the newest sample from the polynomial through it and the samples before.

use crate::error::{SignalError, real};

/// Highest order of the polynomial.
const HIGHEST: usize = 4;

/// Which derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Derivative {
    /// ẋ.
    First,
    /// ẍ.
    Second,
}

/// Derivative of a Lagrange polynomial through the newest sample and `order` samples before it,
/// `stride` ticks apart.
///
/// Ports: in x, every tick; out ẋ or ẍ at the newest sample, in the unit of x per second (squared).
/// The spacing h = stride · dt is both the distance of the samples and the divisor. Order 3:
/// ẋ = (11x₀ − 18x₁ + 9x₂ − 2x₃)/(6h), ẍ = (2x₀ − 5x₁ + 4x₂ − x₃)/h².
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lagrange {
    order: usize,
    stride: usize,
    /// Weight of the sample k · stride ticks ago, already divided by the power of the spacing.
    weights: [f64; HIGHEST + 1],
}

/// The samples that the polynomial needs.
#[derive(Debug, Clone, PartialEq)]
pub struct LagrangeState {
    ring: Vec<f64>,
    newest: usize,
}

impl Lagrange {
    /// A derivative of polynomial `order` (1 to 4; the second derivative needs 2) with samples
    /// `stride` ticks of `dt` seconds apart.
    ///
    /// # Errors
    /// [`SignalError::Parameter`] for an order, step or stride out of range.
    pub fn new(
        derivative: Derivative,
        order: usize,
        dt: f64,
        stride: usize,
    ) -> Result<Self, SignalError> {
        let (power, lowest) = match derivative {
            Derivative::First => (1, 1),
            Derivative::Second => (2, 2),
        };
        let expected = "1 to 4, and at least 2 for the second derivative";
        let found = real(order);
        SignalError::require(
            (lowest..=HIGHEST).contains(&order),
            "order of the Lagrange derivative",
            expected,
            found,
        )?;
        SignalError::require_positive("time step of the derivative", dt)?;
        let found = real(stride);
        SignalError::require(
            (1..=100_000).contains(&stride),
            "stride of the derivative",
            "1 to 100000 ticks",
            found,
        )?;
        let spacing = dt * real(stride);
        let divisor = if power == 1 {
            spacing
        } else {
            spacing * spacing
        };
        let mut weights = lagrange_weights(order, power, 0.0);
        weights.iter_mut().for_each(|weight| *weight /= divisor);
        Ok(Self {
            order,
            stride,
            weights,
        })
    }

    /// Weights of the samples, newest first, with the spacing in them.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights[..=self.order]
    }

    /// The state of a signal that has rested at `value`.
    #[must_use]
    pub fn state(&self, value: f64) -> LagrangeState {
        LagrangeState {
            ring: vec![value; self.order * self.stride + 1],
            newest: 0,
        }
    }

    /// Takes the next sample, gives the derivative there.
    pub fn step(&self, state: &mut LagrangeState, value: f64) -> f64 {
        let length = state.ring.len();
        state.newest = if state.newest + 1 >= length {
            0
        } else {
            state.newest + 1
        };
        if let Some(slot) = state.ring.get_mut(state.newest) {
            *slot = value;
        }
        let mut at = state.newest;
        let mut derivative = 0.0;
        for weight in self.weights() {
            derivative += weight * state.ring.get(at).copied().unwrap_or(0.0);
            at = if at >= self.stride {
                at - self.stride
            } else {
                (at + length).saturating_sub(self.stride)
            };
        }
        derivative
    }
}

/// Weights, newest first, that give the value (`derivative` 0) or a derivative (1, 2) of the
/// polynomial through samples at 0, −1, … −order at the place `at`, in units of the spacing. An
/// order above 4 counts as 4; unused weights are zero.
///
/// `lagrange_weights(3, 0, 1.0)` predicts one spacing ahead: 4, −6, 4, −1.
#[must_use]
pub fn lagrange_weights(order: usize, derivative: usize, at: f64) -> [f64; HIGHEST + 1] {
    let order = order.min(HIGHEST);
    let mut weights = [0.0; HIGHEST + 1];
    for (node, weight) in weights.iter_mut().enumerate().take(order + 1) {
        let others = (0..=order).filter(|&other| other != node);
        // Value, first and second derivative of the product of (s − s_other)/(s_node − s_other), by
        // the product rule.
        let (mut value, mut slope, mut curvature) = (1.0, 0.0, 0.0);
        for other in others {
            let scale = real(other) - real(node);
            let factor = (at + real(other)) / scale;
            curvature = curvature * factor + 2.0 * slope / scale;
            slope = slope * factor + value / scale;
            value *= factor;
        }
        *weight = match derivative {
            0 => value,
            1 => slope,
            2 => curvature,
            _ => 0.0,
        };
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closed forms (Fornberg 1988, table of one-sided weights), newest sample first.
    #[test]
    fn weights_are_the_closed_forms() {
        let cases: [(Derivative, usize, &[f64]); 7] = [
            (Derivative::First, 1, &[1.0, -1.0]),
            (Derivative::First, 2, &[1.5, -2.0, 0.5]),
            (Derivative::First, 3, &[11.0 / 6.0, -3.0, 1.5, -1.0 / 3.0]),
            (
                Derivative::First,
                4,
                &[25.0 / 12.0, -4.0, 3.0, -4.0 / 3.0, 0.25],
            ),
            (Derivative::Second, 2, &[1.0, -2.0, 1.0]),
            (Derivative::Second, 3, &[2.0, -5.0, 4.0, -1.0]),
            (
                Derivative::Second,
                4,
                &[
                    35.0 / 12.0,
                    -26.0 / 3.0,
                    19.0 / 2.0,
                    -14.0 / 3.0,
                    11.0 / 12.0,
                ],
            ),
        ];
        for (derivative, order, expected) in cases {
            let law = Lagrange::new(derivative, order, 0.004, 5).unwrap();
            let divisor = if derivative == Derivative::First {
                0.02
            } else {
                0.0004
            };
            assert_eq!(law.weights().len(), expected.len());
            for (weight, wanted) in law.weights().iter().zip(expected) {
                assert!(
                    (weight * divisor - wanted).abs() < 1e-13,
                    "{derivative:?} {order}"
                );
            }
        }
        let predictor = lagrange_weights(3, 0, 1.0);
        for (weight, wanted) in predictor.iter().zip([4.0, -6.0, 4.0, -1.0, 0.0]) {
            assert!((weight - wanted).abs() < 1e-13);
        }
    }

    #[test]
    fn polynomials_of_the_order_are_exact_while_streaming() {
        let (dt, stride) = (0.01, 3);
        for order in 1..=4_usize {
            for derivative in [Derivative::First, Derivative::Second] {
                let Ok(law) = Lagrange::new(derivative, order, dt, stride) else {
                    assert!(order == 1 && derivative == Derivative::Second);
                    continue;
                };
                let power = i32::try_from(order).unwrap();
                let mut state = law.state(0.0);
                for k in 0..60 {
                    let t = f64::from(k) * dt;
                    let found = law.step(&mut state, t.powi(power));
                    let p = f64::from(power);
                    let exact = match derivative {
                        Derivative::First => p * t.powi(power - 1),
                        Derivative::Second => p * (p - 1.0) * t.powi(power - 2),
                    };
                    if k >= 12 {
                        assert!(
                            (found - exact).abs() < 1e-9,
                            "order {order} {derivative:?} t {t}: {found} {exact}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn rest_has_no_derivative() {
        let law = Lagrange::new(Derivative::Second, 4, 0.001, 4).unwrap();
        let mut state = law.state(0.37);
        for _ in 0..40 {
            assert!(law.step(&mut state, 0.37).abs() < 1e-8);
        }
    }

    #[test]
    fn impossible_parameters_are_refused() {
        for (order, dt, stride) in [
            (0, 0.1, 1),
            (5, 0.1, 1),
            (2, 0.0, 1),
            (2, f64::NAN, 1),
            (2, 0.1, 0),
        ] {
            assert!(Lagrange::new(Derivative::First, order, dt, stride).is_err());
        }
    }
}
