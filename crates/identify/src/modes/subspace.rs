//! Stochastic subspace identification, driven by covariances and weighted by canonical variates.
//!
//! Covariances R_k of the motions fill a block Toeplitz matrix; weighted by the square roots of the
//! covariances of future and past, its singular values are the canonical correlations between them
//! (Larimore 1990; van Overschee and De Moor 1996, §3.3). Each order of the model gives modes;
//! those that do not change from one order to the next are modes of the structure, and stand as
//! vertical lines in the stabilisation diagram.

use faer::linalg::solvers::{Solve, SolveLstsq};
use faer::{Mat, Side};
use tandem_signal::Complex;

use super::{Mode, mac, unit};
use crate::error::check;
use crate::{IdentifyError, real};

const WHAT: &str = "stochastic subspace identification";

/// How far and how strict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Blocks of the Toeplitz matrix; times the number of sensors at least the highest order.
    pub blocks: usize,
    /// Highest order; all even ones up to it are tried.
    pub highest_order: usize,
    /// Largest relative change of frequency and of damping from one order to the next, and least
    /// likeness of the shapes.
    pub stable: [f64; 3],
    /// A mode is reported when it is stable in this share of the orders.
    pub share: f64,
    /// Modes above this frequency (Hz) are left out; zero: none.
    pub highest_frequency: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            blocks: 30,
            highest_order: 40,
            stable: [0.01, 0.05, 0.98],
            share: 0.35,
            highest_frequency: 0.0,
        }
    }
}

/// A point of the stabilisation diagram.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Order of the model.
    pub order: usize,
    /// The mode.
    pub mode: Mode,
    /// Whether it is there with the same frequency, damping and shape at the order before.
    pub stable: bool,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Subspace {
    /// Canonical correlations, largest first.
    pub correlations: Vec<f64>,
    /// The stabilisation diagram.
    pub points: Vec<Point>,
    /// Modes, lowest first.
    pub modes: Vec<Mode>,
}

/// Identifies modes from the motion of all sensors.
///
/// # Errors
/// [`IdentifyError`] for short data or values that are not finite.
pub fn identify(motions: &[&[f64]], fs: f64, options: &Options) -> Result<Subspace, IdentifyError> {
    let n = motions.len();
    let blocks = options
        .blocks
        .max(options.highest_order.div_ceil(n.max(1)) + 1);
    let length = check(WHAT, motions, 8 * blocks)?;
    let weighted = Weighted::of(motions, length, blocks)?;
    let singular = &weighted.singular;
    let size = singular.len();
    let mut points: Vec<Point> = Vec::new();
    let mut before: Vec<Mode> = Vec::new();
    let mut orders = 0_usize;
    for order in (2..=options.highest_order.min(size - n)).step_by(2) {
        orders += 1;
        let Some(mut found) = weighted.modes(order, n, fs) else {
            continue;
        };
        found.retain(|mode| {
            let low =
                options.highest_frequency <= 0.0 || mode.frequency <= options.highest_frequency;
            low && mode.damping < 0.3 && mode.frequency > 0.0
        });
        for mode in &found {
            let stable = before.iter().any(|old| alike(old, mode, options.stable));
            points.push(Point {
                order,
                mode: mode.clone(),
                stable,
            });
        }
        before = found;
    }
    let modes = cluster(&points, orders, options);
    Ok(Subspace {
        correlations: singular.iter().copied().take(200).collect(),
        points,
        modes,
    })
}

/// What the weighted covariances between future and past fall into.
struct Weighted {
    /// Singular values, largest first: the canonical correlations.
    singular: Vec<f64>,
    observability: Mat<f64>,
}

impl Weighted {
    fn of(motions: &[&[f64]], length: usize, blocks: usize) -> Result<Self, IdentifyError> {
        let fault = |why: &str| IdentifyError::undetermined(WHAT, why);
        let n = motions.len();
        // R_k = Σ y(t+k) y(t)ᵀ/N. Divided by N − k they would not always be the covariances of
        // anything.
        let covariance: Vec<Mat<f64>> = (0..2 * blocks)
            .map(|lag| {
                Mat::from_fn(n, n, |i, j| {
                    let (a, b) = (&motions[i][lag..], &motions[j][..length - lag]);
                    a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / real(length)
                })
            })
            .collect();
        let lagged = |lag: isize, i: usize, j: usize| {
            let block = &covariance[lag.unsigned_abs()];
            if lag >= 0 {
                block[(i, j)]
            } else {
                block[(j, i)]
            }
        };
        let size = n * blocks;
        let at = |f: &dyn Fn(isize, isize) -> isize| {
            Mat::from_fn(size, size, |a, b| {
                let (p, q) = ((a / n) as isize, (b / n) as isize);
                lagged(f(p, q), a % n, b % n)
            })
        };
        // Past is stacked newest first, so that both covariances are of Toeplitz form.
        let across = at(&|p, q| p + q + 1);
        let future = at(&|p, q| p - q);
        let past = at(&|p, q| q - p);
        let root = |mut matrix: Mat<f64>| -> Option<Mat<f64>> {
            let trace: f64 = (0..size).map(|i| matrix[(i, i)]).sum();
            // Data without noise have singular covariances.
            for i in 0..size {
                matrix[(i, i)] += 1e-9 * trace / real(size);
            }
            matrix.llt(Side::Lower).ok().map(|l| l.L().to_owned())
        };
        let (l_future, l_past) = root(future).zip(root(past)).ok_or_else(|| {
            fault("the covariances are not positive definite: are two sensors the same?")
        })?;
        // W = L₊⁻¹ H L₋⁻ᵀ.
        let left = l_future.partial_piv_lu().solve(&across);
        let weighted = l_past
            .partial_piv_lu()
            .solve(left.transpose())
            .transpose()
            .to_owned();
        let svd = weighted
            .thin_svd()
            .map_err(|_| fault("no singular values were found"))?;
        Ok(Self {
            singular: (0..size).map(|k| svd.S()[k]).collect(),
            observability: &l_future * svd.U(),
        })
    }

    /// Modes of the model of an order; none where its eigenvalues were not found.
    fn modes(&self, order: usize, n: usize, fs: f64) -> Option<Vec<Mode>> {
        let column =
            |row: usize, k: usize| self.observability[(row, k)] * self.singular[k].max(0.0).sqrt();
        let up = Mat::from_fn(self.singular.len() - n, order, &column);
        let down = Mat::from_fn(self.singular.len() - n, order, |i, k| column(i + n, k));
        let transition = up.qr().solve_lstsq(&down);
        let Ok(eigen) = transition.eigen() else {
            return None;
        };
        let mut found = Vec::new();
        for k in 0..order {
            let z = eigen.S()[k];
            let z = Complex::new(z.re, z.im);
            // One of each conjugate pair, decaying.
            if z.im <= 0.0 || z.norm() >= 1.0 || z.norm() < 1e-3 {
                continue;
            }
            let s = z.ln() * fs;
            let shape = (0..n)
                .map(|i| {
                    (0..order)
                        .map(|m| {
                            let v = eigen.U()[(m, k)];
                            Complex::new(v.re, v.im) * column(i, m)
                        })
                        .sum()
                })
                .collect();
            found.push(Mode {
                frequency: s.norm() / (2.0 * std::f64::consts::PI),
                damping: -s.re / s.norm(),
                shape: unit(shape),
            });
        }
        Some(found)
    }
}

fn alike(a: &Mode, b: &Mode, stable: [f64; 3]) -> bool {
    (a.frequency / b.frequency - 1.0).abs() < stable[0]
        && (a.damping - b.damping).abs() < stable[1] * b.damping.max(1e-3)
        && mac(&a.shape, &b.shape) > stable[2]
}

/// Vertical lines of the diagram: stable points of nearly the same frequency and shape, in enough
/// of the orders.
fn cluster(points: &[Point], orders: usize, options: &Options) -> Vec<Mode> {
    let mut rest: Vec<&Point> = points.iter().filter(|p| p.stable).collect();
    rest.sort_by(|a, b| a.mode.frequency.total_cmp(&b.mode.frequency));
    let mut modes: Vec<(usize, Mode)> = Vec::new();
    while let Some(&seed) = rest
        .iter()
        .max_by_key(|p| rest.iter().filter(|q| near(&p.mode, &q.mode)).count())
    {
        let (group, others): (Vec<&Point>, Vec<&Point>) =
            rest.iter().partition(|p| near(&seed.mode, &p.mode));
        rest = others;
        let mut seen: Vec<usize> = group.iter().map(|p| p.order).collect();
        seen.dedup();
        seen.sort_unstable();
        seen.dedup();
        if real(seen.len()) < options.share * real(orders) {
            if group.len() <= 1 && modes.len() > 64 {
                break;
            }
            continue;
        }
        let median = |pick: &dyn Fn(&Mode) -> f64| {
            let mut values: Vec<f64> = group.iter().map(|p| pick(&p.mode)).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let frequency = median(&|m| m.frequency);
        let damping = median(&|m| m.damping);
        let shape = group
            .iter()
            .min_by(|a, b| {
                let far = |p: &&&Point| (p.mode.damping - damping).abs();
                far(a).total_cmp(&far(b))
            })
            .map(|p| p.mode.shape.clone())
            .unwrap_or_default();
        modes.push((
            seen.len(),
            Mode {
                frequency,
                damping,
                shape,
            },
        ));
    }
    let mut modes: Vec<Mode> = modes.into_iter().map(|(_, mode)| mode).collect();
    modes.sort_by(|a, b| a.frequency.total_cmp(&b.frequency));
    modes
}

fn near(a: &Mode, b: &Mode) -> bool {
    (a.frequency / b.frequency - 1.0).abs() < 0.02 && mac(&a.shape, &b.shape) > 0.9
}
