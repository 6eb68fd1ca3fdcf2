//! How the implicit methods close a step, and where a fixed number of questions stand.

use crate::Problem;
use tandem_quantity::{BuildError, Values};

/// How a step is closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Iteration {
    /// Newton's with the structure's tangent, until a correction is below this part of the displacement. All-numerical.
    Newton { tolerance: f64, most: usize },
    /// A fixed number of questions on the way to the end of the step, with the initial stiffness, and a last correction that
    /// does not move the specimen.
    Fixed { questions: usize, way: Way },
}

/// Where the questions of a step stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    /// Evenly in time, on the interpolation of this order through the estimate of the end and past displacements.
    Interpolated { order: usize },
    /// Each goes this part of the correction: the questions close in on the end of the step (Shing et al. 1991).
    Reduced { factor: f64 },
    /// The force that is out of balance at the beginning of the step is taken away evenly, and the displacement follows it as an
    /// integral controller with this gain would (Wu et al. 2007): force, not displacement, is led to its end.
    EquivalentForce { gain: f64 },
}

/// The parameters of the iteration, after a method's own.
macro_rules! iterated {
    ($($own:expr),* $(,)?) => {
        parameters![
            $($own,)*
            Parameter::of(
                "iteration",
                Kind::Choice(&["auto", "newton", "fixed", "equivalent-force"]),
                "newton: to convergence, for a structure without specimen; fixed: a set number of questions on the way to the end of the step; equivalent-force: likewise, but led by the force that is out of balance, as a controller would; auto: fixed with a specimen, else newton",
            )
            .or("\"auto\""),
            Parameter::integer("iterations", "questions in a step when their number is fixed; a step needs as many ticks")
                .or("5")
                .within(Range::between(1.0, 100.0)),
            Parameter::integer("order", "order of the interpolation along which a fixed number of questions goes")
                .or("2")
                .within(Range::between(1.0, 3.0)),
            Parameter::number(
                "reduction",
                Dimension::NONE,
                "instead of the interpolation: each of a fixed number of questions goes this part of its correction, such as 0.5",
            )
            .optional()
            .within(Range::between(0.01, 1.0)),
            Parameter::number("gain", Dimension::NONE, "equivalent-force: part of the error of force that a question makes up for")
                .or("1.0")
                .within(Range::between(0.05, 1.5)),
            Parameter::number("tolerance", Dimension::NONE, "newton: last correction over displacement")
                .or("1e-10")
                .within(Range::between(1e-14, 1e-2)),
            Parameter::integer("most_iterations", "newton: a step that has not settled by then goes on and is counted")
                .or("40")
                .within(Range::between(1.0, 1000.0)),
        ]
    };
}
pub(crate) use iterated;

impl Iteration {
    pub fn read(values: &Values, problem: &Problem) -> Result<Self, BuildError> {
        let hybrid = !problem.interface.is_empty();
        let newton = match values.text("iteration")? {
            "newton" if hybrid => {
                return Err(BuildError::new(
                    "iteration",
                    "a specimen cannot go back and forth until an iteration settles",
                    "write iteration = \"fixed\"",
                ));
            }
            "newton" => true,
            "fixed" | "equivalent-force" => false,
            _ => !hybrid,
        };
        Ok(if newton {
            Self::Newton {
                tolerance: values.number("tolerance")?,
                most: values.count("most_iterations")?.max(1),
            }
        } else {
            Self::Fixed {
                questions: values.count("iterations")?.max(1),
                way: match values.optional_number("reduction") {
                    _ if values.text("iteration")? == "equivalent-force" => Way::EquivalentForce {
                        gain: values.number("gain")?,
                    },
                    Some(factor) => Way::Reduced { factor },
                    None => Way::Interpolated {
                        order: values.count("order")?,
                    },
                },
            }
        })
    }
}

/// Weights of the end of the step (x = 1) and of d_n (0), d_{n−1} (−1), d_{n−2} (−2) at x, by Lagrange.
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
