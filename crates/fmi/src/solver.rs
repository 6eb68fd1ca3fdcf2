//! Solvers for Model Exchange: explicit, of one step.

use crate::{FmuError, Result};

/// How a model exchange is integrated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solver {
    /// Explicit Euler, order 1.
    Euler,
    /// Heun's method, order 2.
    Heun,
    /// The classical Runge–Kutta method, order 4.
    Rk4,
    /// Dormand and Prince 1980, order 5 with error control: steps of its own between the
    /// communication points.
    Rk45,
}

impl Solver {
    /// All of them, by the names of the command line.
    pub const ALL: [(&'static str, Self); 4] = [
        ("euler", Self::Euler),
        ("heun", Self::Heun),
        ("rk4", Self::Rk4),
        ("rk45", Self::Rk45),
    ];

    /// The solver of this name.
    pub fn named(name: &str) -> Result<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, solver)| *solver)
            .ok_or_else(|| {
                let known: Vec<_> = Self::ALL.iter().map(|(name, _)| *name).collect();
                FmuError::Usage(format!(
                    "there is no solver `{name}`; there are: {}",
                    known.join(", ")
                ))
            })
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, s)| *s == self)
            .map_or("", |(name, _)| *name)
    }

    fn tableau(self) -> Tableau {
        match self {
            Self::Euler => (&[&[]], &[0.0], &[1.0], &[]),
            Self::Heun => (&[&[], &[1.0]], &[0.0, 1.0], &[0.5, 0.5], &[]),
            Self::Rk4 => (
                &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
                &[0.0, 0.5, 0.5, 1.0],
                &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
                &[],
            ),
            Self::Rk45 => (
                DORMAND_PRINCE_A,
                DORMAND_PRINCE_C,
                DORMAND_PRINCE_B,
                DORMAND_PRINCE_E,
            ),
        }
    }
}

/// Weights of the stages, their times, weights of the result, and of its error.
type Tableau = (
    &'static [&'static [f64]],
    &'static [f64],
    &'static [f64],
    &'static [f64],
);

/// Gives the derivatives at a time and a state.
pub(crate) type Derivatives<'a> = dyn FnMut(f64, &[f64], &mut [f64]) -> Result<()> + 'a;

const DORMAND_PRINCE_C: &[f64] = &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
const DORMAND_PRINCE_A: &[&[f64]] = &[
    &[],
    &[0.2],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[
        19372.0 / 6561.0,
        -25360.0 / 2187.0,
        64448.0 / 6561.0,
        -212.0 / 729.0,
    ],
    &[
        9017.0 / 3168.0,
        -355.0 / 33.0,
        46732.0 / 5247.0,
        49.0 / 176.0,
        -5103.0 / 18656.0,
    ],
    &[
        35.0 / 384.0,
        0.0,
        500.0 / 1113.0,
        125.0 / 192.0,
        -2187.0 / 6784.0,
        11.0 / 84.0,
    ],
];
const DORMAND_PRINCE_B: &[f64] = &[
    35.0 / 384.0,
    0.0,
    500.0 / 1113.0,
    125.0 / 192.0,
    -2187.0 / 6784.0,
    11.0 / 84.0,
    0.0,
];
/// Fifth order less fourth.
const DORMAND_PRINCE_E: &[f64] = &[
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339_200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// One step of an explicit method, with its own memory.
pub(crate) struct Stepper {
    solver: Solver,
    slopes: Vec<Vec<f64>>,
    stage: Vec<f64>,
    /// The new states.
    pub(crate) result: Vec<f64>,
    /// Largest error over tolerance of the last step; 0 without error control.
    pub(crate) error: f64,
}

impl Stepper {
    pub(crate) fn new(solver: Solver, states: usize) -> Self {
        Self {
            solver,
            slopes: vec![vec![0.0; states]; solver.tableau().1.len()],
            stage: vec![0.0; states],
            result: vec![0.0; states],
            error: 0.0,
        }
    }

    /// From `x` at `t` over `h`; `f(t, x, dx)` gives the derivatives.
    pub(crate) fn advance(
        &mut self,
        t: f64,
        h: f64,
        x: &[f64],
        tolerance: f64,
        f: &mut Derivatives<'_>,
    ) -> Result<()> {
        let (a, c, b, e) = self.solver.tableau();
        for (stage, (row, c)) in a.iter().zip(c).enumerate() {
            self.stage.copy_from_slice(x);
            for (weight, slope) in row.iter().zip(&self.slopes) {
                for (y, k) in self.stage.iter_mut().zip(slope) {
                    *y += h * weight * k;
                }
            }
            if let Some(slope) = self.slopes.get_mut(stage) {
                f(t + c * h, &self.stage, slope)?;
            }
        }
        self.result.copy_from_slice(x);
        for (weight, slope) in b.iter().zip(&self.slopes) {
            for (y, k) in self.result.iter_mut().zip(slope) {
                *y += h * weight * k;
            }
        }
        self.error = 0.0;
        if !e.is_empty() {
            for i in 0..x.len() {
                let mut error = 0.0;
                for (weight, slope) in e.iter().zip(&self.slopes) {
                    error += h * weight * slope.get(i).copied().unwrap_or(0.0);
                }
                let size = x[i].abs().max(self.result[i].abs());
                let scaled = error.abs() / (tolerance * size + tolerance * 1e-3);
                self.error = if scaled.is_nan() {
                    f64::INFINITY
                } else {
                    self.error.max(scaled)
                };
            }
        }
        Ok(())
    }
}
