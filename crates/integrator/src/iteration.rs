//! How the implicit methods close a step, and where a fixed number of questions stand.

use crate::Problem;
use tandem_quantity::{BuildError, Conditional, Dimension, Range, choice, settings};

/// How a step is closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Iteration {
    /// Newton's with the structure's tangent, until a correction is below this part of the
    /// displacement. All-numerical.
    Newton { tolerance: f64, most: usize },
    /// A fixed number of questions on the way to the end of the step, with the initial stiffness,
    /// and a last correction that does not move the specimen.
    Fixed { questions: usize, way: Way },
}

/// Where the questions of a step stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    /// Evenly in time, on the interpolation of this order through the estimate of the end and past
    /// displacements.
    Interpolated { order: usize },
    /// Each goes this part of the correction: the questions close in on the end of the step (Shing
    /// et al. 1991).
    Reduced { factor: f64 },
    /// The force that is out of balance at the beginning of the step is taken away evenly, and the
    /// displacement follows it as an integral controller with this gain would (Wu et al. 2007):
    /// force, not displacement, is led to its end.
    EquivalentForce { gain: f64 },
}

choice! {
    /// How the plan says that a step is closed.
    enum Closing {
        Auto = "auto",
        Newton = "newton",
        Fixed = "fixed",
        EquivalentForce = "equivalent-force",
    }
}

settings! {
    /// The iteration, after a method's own keys.
    pub(crate) struct IterationSettings {
        /// newton: to convergence, for a structure without specimen; fixed: a set number of
        /// questions on the way to the end of the step; equivalent-force: likewise, but led by the
        /// force that is out of balance, as a controller would; auto: fixed with a specimen, else
        /// newton
        iteration: Closing = choice(Closing::WORDS)
            .or("\"auto\""),
        /// questions in a step when their number is fixed; a step needs as many ticks
        iterations: Conditional<usize> = integer().or("5").within(Range::between(1.0, 100.0)),
        /// order of the interpolation along which a fixed number of questions goes
        order: Conditional<usize> = integer().or("2").within(Range::between(1.0, 3.0)),
        /// instead of the interpolation: each of a fixed number of questions goes this part of its
        /// correction, such as 0.5
        reduction: Conditional<Option<f64>> = number(Dimension::NONE)
            .within(Range::between(0.01, 1.0)),
        /// equivalent-force: part of the error of force that a question makes up for
        gain: Conditional<f64> = number(Dimension::NONE)
            .or("1.0")
            .within(Range::between(0.05, 1.5)),
        /// newton: last correction over displacement
        tolerance: Conditional<f64> = number(Dimension::NONE)
            .or("1e-10")
            .within(Range::between(1e-14, 1e-2)),
        /// newton: a step that has not settled by then goes on and is counted
        most_iterations: Conditional<usize> = integer()
            .or("40")
            .within(Range::between(1.0, 1000.0)),
    }
}

impl Iteration {
    pub fn new(settings: &IterationSettings, problem: &Problem) -> Result<Self, BuildError> {
        let hybrid = !problem.interface.is_empty();
        let newton = match settings.iteration {
            Closing::Newton if hybrid => {
                return Err(BuildError::new(
                    "iteration",
                    "a specimen cannot go back and forth until an iteration settles",
                    "write iteration = \"fixed\"",
                ));
            }
            Closing::Newton => true,
            Closing::Fixed | Closing::EquivalentForce => false,
            Closing::Auto => !hybrid,
        };
        if newton {
            return Ok(Self::Newton {
                tolerance: settings.tolerance.read()?,
                most: settings.most_iterations.read()?.max(1),
            });
        }
        Ok(Self::Fixed {
            questions: settings.iterations.read()?.max(1),
            way: match settings.reduction.read()? {
                _ if settings.iteration == Closing::EquivalentForce => Way::EquivalentForce {
                    gain: settings.gain.read()?,
                },
                Some(factor) => Way::Reduced { factor },
                None => Way::Interpolated {
                    order: settings.order.read()?,
                },
            },
        })
    }
}

/// Weights of the end of the step (x = 1) and of d_n (0), d_{n−1} (−1), d_{n−2} (−2) at x, by
/// Lagrange.
#[inline]
pub(crate) fn interpolation(order: usize, x: f64) -> [f64; 4] {
    match order {
        1 => [x, 1.0 - x, 0.0, 0.0],
        2 => [
            0.5 * x * (x + 1.0),
            (1.0 - x) * (1.0 + x),
            0.5 * x * (x - 1.0),
            0.0,
        ],
        _ => [
            x * (x + 1.0) * (x + 2.0) / 6.0,
            -0.5 * (x - 1.0) * (x + 1.0) * (x + 2.0),
            0.5 * (x - 1.0) * x * (x + 2.0),
            -(x - 1.0) * x * (x + 1.0) / 6.0,
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::interpolation;

    /// Weights through n + 1 places reproduce every power up to n, between the places too.
    #[test]
    fn polynomials_up_to_the_order_are_met() {
        for order in 1..=3_usize {
            for x in [-1.5_f64, 0.0, 0.3, 0.75, 1.0] {
                let weights = interpolation(order, x);
                assert!(weights[order + 1..].iter().all(|w| *w == 0.0));
                for power in 0..=i32::try_from(order).unwrap() {
                    let places = [1.0_f64, 0.0, -1.0, -2.0];
                    let terms = weights.iter().zip(places);
                    let sum: f64 = terms.map(|(w, place)| w * place.powi(power)).sum();
                    assert!((sum - x.powi(power)).abs() < 1e-12, "{order} {x} {power}");
                }
            }
        }
    }
}
