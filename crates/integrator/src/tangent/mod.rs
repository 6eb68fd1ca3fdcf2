//! Tangent stiffness estimated on the run, from what was measured.
//!
//! ```text
//!  displacement, restoring force at each question (n degrees of freedom)
//!        │ increments above a threshold      │ a turn: records are forgotten, the initial stiffness comes back
//!        ▼                                   ▼
//!  Watch ───────────── record ──▶ Estimator ──▶ K (N/m), clamped if asked
//! ```
//!
//! An estimator is one file and one line in [`ESTIMATORS`].

mod bfgs;
mod broyden;
mod clamp;
mod directions;
mod least_squares;
mod recursive;
mod small;
mod transpose;
mod watch;

use recursive::RecursiveSettings;
pub(crate) use watch::{Watch, WatchSettings};

use tandem_quantity::{
    BuildError, Conditional, Range, Settings, Snapshot, Values, choice, settings,
};

/// A rule that turns increments into a stiffness. Matrices are square, by rows, N/m. Nothing
/// allocates but the constructor.
pub trait Estimator: Snapshot + Send {
    /// One more pair of increments: displacement (m) and restoring force (N).
    fn record(&mut self, displacement: &[f64], force: &[f64]);
    /// Forgets all records: the estimate is the initial stiffness again.
    fn reset(&mut self);
    /// Writes the estimate.
    fn estimate(&mut self, stiffness: &mut [f64]);
}

choice! {
    /// The estimators by their words in the plan.
    enum Rule {
        TruncatedSvd = "truncated-svd",
        LeastSquares = "least-squares",
        Bfgs = "bfgs",
        Broyden = "broyden",
        Transpose = "transpose",
        Recursive = "recursive",
    }
}

settings! {
    pub(crate) struct RuleSettings {
        /// truncated-svd: least squares of the change from the initial stiffness, safe for many
        /// degrees of freedom; least-squares: plain; bfgs, broyden, transpose: one increment at a
        /// time; recursive: with forgetting
        estimator: Rule = choice(Rule::WORDS).or("\"truncated-svd\""),
        /// m: increments in a least-squares estimate; default: a third more than degrees of freedom
        /// measured
        window: Option<usize> = integer().within(Range::between(1.0, 1000.0)),
    }
}

impl RuleSettings {
    /// m: the increments in a least-squares estimate of `n` degrees of freedom.
    fn window(&self, n: usize) -> usize {
        self.window.unwrap_or(n + n.div_ceil(3))
    }
}

/// The estimator that the plan's key `estimator` chose, for the initial stiffness (by rows, N/m) of
/// `n` degrees of freedom.
pub fn make(values: &Values, initial: &[f64], n: usize) -> Result<Box<dyn Estimator>, BuildError> {
    let recursive: Conditional<_> = Settings::read(values)?;
    make_from(&RuleSettings::read(values)?, &recursive, initial, n)
}

fn make_from(
    settings: &RuleSettings,
    recursive: &Conditional<RecursiveSettings>,
    initial: &[f64],
    n: usize,
) -> Result<Box<dyn Estimator>, BuildError> {
    let window = settings.window(n);
    Ok(match settings.estimator {
        Rule::TruncatedSvd => least_squares::truncated(window, initial, n)?,
        Rule::LeastSquares => least_squares::plain(window, initial, n)?,
        Rule::Bfgs => bfgs::make(initial, n),
        Rule::Broyden => broyden::make(initial, n),
        Rule::Transpose => transpose::make(initial, n),
        Rule::Recursive => recursive::make(&recursive.read()?, initial, n),
    })
}

/// y = A x for a matrix by rows.
#[inline]
fn times(matrix: &[f64], x: &[f64], y: &mut [f64]) {
    for (row, y) in matrix.chunks_exact(x.len().max(1)).zip(y) {
        *y = dot(row, x);
    }
}

#[inline]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// A += scale · x yᵀ for a matrix by rows.
#[inline]
fn add_product(matrix: &mut [f64], scale: f64, x: &[f64], y: &[f64]) {
    for (row, x) in matrix.chunks_exact_mut(y.len().max(1)).zip(x) {
        for (a, y) in row.iter_mut().zip(y) {
            *a += scale * x * y;
        }
    }
}

/// What the updates of one pair at a time share: the current matrix and the initial one.
struct Secant {
    initial: Vec<f64>,
    current: Vec<f64>,
    scratch: Vec<f64>,
}

tandem_quantity::snapshot!(Secant { current });

impl Secant {
    fn new(initial: &[f64], n: usize) -> Self {
        Self {
            initial: initial.to_vec(),
            current: initial.to_vec(),
            scratch: vec![0.0; n],
        }
    }

    /// `scratch` = Δr − K Δd: what the present estimate misses.
    #[inline]
    fn miss(&mut self, displacement: &[f64], force: &[f64]) {
        times(&self.current, displacement, &mut self.scratch);
        for (miss, f) in self.scratch.iter_mut().zip(force) {
            *miss = f - *miss;
        }
    }

    fn reset(&mut self) {
        self.current.copy_from_slice(&self.initial);
    }
}

/// Implements [`Estimator`] for a `Secant` with an update of its own.
macro_rules! secant {
    ($type:ident) => {
        struct $type(Secant);

        impl tandem_quantity::Snapshot for $type {
            fn save(&self, into: &mut Vec<f64>) {
                self.0.save(into);
            }
            fn restore(
                &mut self,
                from: &mut tandem_quantity::StateReader<'_>,
            ) -> Result<(), tandem_quantity::SnapshotError> {
                self.0.restore(from)
            }
        }

        impl Estimator for $type {
            fn record(&mut self, displacement: &[f64], force: &[f64]) {
                update(&mut self.0, displacement, force);
            }
            fn reset(&mut self) {
                self.0.reset();
            }
            fn estimate(&mut self, stiffness: &mut [f64]) {
                stiffness.copy_from_slice(&self.0.current);
            }
        }

        /// The estimator, starting from the initial stiffness.
        pub(super) fn make(initial: &[f64], n: usize) -> Box<dyn Estimator> {
            Box::new($type(Secant::new(initial, n)))
        }
    };
}
use secant;

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_quantity::Value;

    const INITIAL: [f64; 9] = [75.0, -35.0, 0.0, -35.0, 65.0, -30.0, 0.0, -30.0, 30.0];
    const TRUE: [f64; 9] = [45.0, -5.0, 0.0, -5.0, 35.0, -30.0, 0.0, -30.0, 30.0];

    fn values(name: &str) -> Values {
        Values::new()
            .with("estimator", Value::Text(name.into()))
            .with("window", Value::Integer(4))
            .with("forgetting", Value::Number(0.9))
            .with("resolution", Value::Number(1e-6))
    }

    fn walk(step: u32, d: &mut [f64; 3], r: &mut [f64; 3]) {
        let t = f64::from(step);
        *d = [(1.3 * t).sin(), (2.1 * t).cos(), (0.7 * t + 1.0).sin()].map(|x| 1e-3 * x);
        times(&TRUE, d, r);
    }

    /// Every estimator finds a linear stiffness from increments in all directions, and forgets it.
    #[test]
    fn rich_increments_give_the_true_stiffness() {
        for name in Rule::WORDS {
            let mut estimator = make(&values(name), &INITIAL, 3).unwrap();
            let (mut d, mut r, mut k) = ([0.0; 3], [0.0; 3], [0.0; 9]);
            for step in 1..=300 {
                walk(step, &mut d, &mut r);
                estimator.record(&d, &r);
            }
            estimator.estimate(&mut k);
            for (found, expected) in k.iter().zip(&TRUE) {
                assert!((found - expected).abs() < 1e-3, "{name}: {k:?}");
            }
            estimator.reset();
            estimator.estimate(&mut k);
            assert_eq!(k.map(f64::to_bits), INITIAL.map(f64::to_bits), "{name}");
        }
    }

    /// Updates of one pair fulfil the secant equation K Δd = Δr at once, and the symmetric ones
    /// stay symmetric.
    #[test]
    fn one_pair_fulfils_the_secant_equation() {
        for name in ["bfgs", "broyden", "transpose"] {
            let mut estimator = make(&values(name), &INITIAL, 3).unwrap();
            let (mut d, mut r, mut k) = ([0.0; 3], [0.0; 3], [0.0; 9]);
            walk(3, &mut d, &mut r);
            estimator.record(&d, &r);
            estimator.estimate(&mut k);
            let mut found = [0.0; 3];
            times(&k, &d, &mut found);
            for (a, b) in found.iter().zip(&r) {
                assert!((a - b).abs() < 1e-12, "{name}");
            }
            if name != "broyden" {
                assert!((k[1] - k[3]).abs() + (k[2] - k[6]).abs() < 1e-12, "{name}");
            }
        }
    }
}
