//! The exact critical delay of a linear partition, for any number of degrees of freedom.

use super::{Partition, StabilityError, growth};
use faer::{Mat, c64};
use std::f64::consts::TAU;
use tandem_structure::modes::modes_of;

/// Ratio of neighbouring frequencies of the sweep.
const STEP: f64 = 1.01;
/// A root of the undelayed structure is on the imaginary axis when its real part is below this part
/// of the largest root.
const MARGIN: f64 = 1e-13;

/// Smallest delay (s) at which the loop becomes unstable; none where it is stable for every delay,
/// zero where it is unstable (or on the verge of it) without any.
///
/// On the imaginary axis s = iω the characteristic equation reads det(1 − e^(−iωτ) L(iω)) = 0, with
/// the loop gain L = −(K_e + s C_e + s² M_e) G of the order of the interface and G the dynamic
/// flexibility of the numerical substructure there. A root crosses at (ω, τ) when an eigenvalue λ
/// of L has magnitude one and ωτ = arg λ. So the frequencies at which
/// |λ| = 1 are swept for, once for all delays, and refined by bisection; between the grid's points (1 % apart, closer around
/// every natural frequency) extremes of |λ| near one are searched as well. The smallest arg λ/ω is
/// the critical delay (frequency sweeping, Chen 1995). Where |λ| stays above one for high
/// frequencies, as when the specimen's mass exceeds the numerical one, an arbitrarily small delay
/// is enough; likewise where a degree of freedom of the interface has no mass and the specimen is
/// stiffer there than the rest.
///
/// # Errors
/// [`StabilityError::Roots`] where the roots without any delay cannot be found: what cannot be
/// decided is not called stable.
pub fn critical_delay_exact(partition: &Partition) -> Result<Option<f64>, StabilityError> {
    if partition.interface.is_empty() {
        return Ok(None);
    }
    let total = |numerical, specimen: &[f64]| partition.total(numerical, specimen);
    let specimen = &partition.specimen;
    let undelayed = growth(
        partition.order(),
        &total(&partition.mass, &specimen.mass),
        &total(&partition.damping, &specimen.damping),
        &total(&partition.stiffness, &specimen.stiffness),
    );
    if undelayed.ok_or(StabilityError::Roots)? > -MARGIN {
        return Ok(Some(0.0));
    }
    let sweep = Sweep::new(partition);
    let frequencies = sweep.frequencies();
    if let Some(high) = frequencies.last() {
        let gains = sweep.gains(100.0 * high);
        if gains.first().is_some_and(|gain| gain.log_magnitude >= 0.0) {
            return Ok(Some(0.0));
        }
    }
    let mut crossings = Vec::new();
    sweep.crossings(&frequencies, &mut crossings);
    Ok(crossings.into_iter().min_by(f64::total_cmp))
}

/// An eigenvalue of the loop gain.
#[derive(Clone, Copy)]
struct Gain {
    log_magnitude: f64,
    argument: f64,
}

struct Sweep<'a> {
    partition: &'a Partition,
    mass: Vec<f64>,
    damping: Vec<f64>,
    stiffness: Vec<f64>,
}

impl<'a> Sweep<'a> {
    fn new(partition: &'a Partition) -> Self {
        Self {
            partition,
            mass: partition.mass.to_dense(),
            damping: partition.damping.to_dense(),
            stiffness: partition.stiffness.to_dense(),
        }
    }

    /// The grid: from far below the first natural frequency to far above the last.
    fn frequencies(&self) -> Vec<f64> {
        let p = self.partition;
        let n = p.order();
        let mut natural = Vec::new();
        let undivided = |numerical, specimen: &[f64]| {
            tandem_structure::Matrix::from_dense(n, &p.total(numerical, specimen))
        };
        let mut add = |mass: &tandem_structure::Matrix, stiffness: &tandem_structure::Matrix| {
            if let Ok(modes) = modes_of(mass, stiffness, &vec![0.0; n], n) {
                let circular = modes.frequencies_hz.iter().map(|f| TAU * f.abs());
                natural.extend(circular.filter(|w| *w > 0.0));
            }
        };
        add(&p.mass, &p.stiffness);
        if let (Ok(mass), Ok(stiffness)) = (
            undivided(&p.mass, &p.specimen.mass),
            undivided(&p.stiffness, &p.specimen.stiffness),
        ) {
            add(&mass, &stiffness);
        }
        natural.sort_by(f64::total_cmp);
        let (low, high) = match (natural.first(), natural.last()) {
            (Some(low), Some(high)) => (1e-3 * low, 30.0 * high),
            // Without symmetric matrices nothing is known of the range: take what structures have.
            _ => (1e-2, 1e5),
        };
        let mut grid = Vec::new();
        let mut frequency = low;
        while frequency < high * STEP {
            grid.push(frequency);
            frequency *= STEP;
        }
        for natural in natural {
            let mut width = 0.02;
            while width > 1e-6 {
                grid.extend([natural * (1.0 - width), natural * (1.0 + width)]);
                width *= 0.5;
            }
            grid.push(natural);
        }
        grid.sort_by(f64::total_cmp);
        grid.dedup();
        grid
    }

    /// Eigenvalues of the loop gain at a circular frequency, largest first; none where the
    /// numerical substructure resonates without any damping.
    fn gains(&self, frequency: f64) -> Vec<Gain> {
        let p = self.partition;
        let (n, m) = (p.order(), p.interface.len());
        let specimen_matrices =
            |k: f64, c: f64, mass: f64| c64::new(k - frequency * frequency * mass, frequency * c);
        let dynamic: Vec<c64> = (0..n * n)
            .map(|e| specimen_matrices(self.stiffness[e], self.damping[e], self.mass[e]))
            .collect();
        let mut flexibility = vec![c64::new(0.0, 0.0); n * m];
        for (b, &j) in p.interface.iter().enumerate() {
            flexibility[j * m + b] = c64::new(1.0, 0.0);
        }
        if !solve(n, dynamic, m, &mut flexibility) {
            return Vec::new();
        }
        let entry = |a: usize, b: usize| {
            let mut sum = c64::new(0.0, 0.0);
            for (k, &dof) in p.interface.iter().enumerate() {
                let e = a * m + k;
                let specimen = specimen_matrices(
                    p.specimen.stiffness[e],
                    p.specimen.damping[e],
                    p.specimen.mass[e],
                );
                sum -= specimen * flexibility[dof * m + b];
            }
            sum
        };
        let values = if m == 1 {
            vec![entry(0, 0)]
        } else {
            let gain = Mat::from_fn(m, m, entry);
            match gain.eigenvalues() {
                Ok(values) => values,
                Err(_) => return Vec::new(),
            }
        };
        let mut gains: Vec<Gain> = values
            .into_iter()
            .map(|value| Gain {
                log_magnitude: value.re.hypot(value.im).max(f64::MIN_POSITIVE).ln(),
                argument: value.im.atan2(value.re),
            })
            .collect();
        gains.sort_by(|a, b| b.log_magnitude.total_cmp(&a.log_magnitude));
        gains
    }

    /// Delays of all crossings.
    fn crossings(&self, grid: &[f64], into: &mut Vec<f64>) {
        let gains: Vec<(f64, Vec<Gain>)> = grid
            .iter()
            .map(|w| (*w, self.gains(*w)))
            .filter(|(_, gains)| !gains.is_empty())
            .collect();
        for branch in 0..self.partition.interface.len() {
            let level = |i: usize| gains[i].1[branch].log_magnitude;
            for i in 1..gains.len() {
                let (left, right) = (gains[i - 1].0, gains[i].0);
                if (level(i - 1) < 0.0) != (level(i) < 0.0) {
                    into.extend(self.bisect(left, right, branch));
                } else if i + 1 < gains.len() && level(i).abs() < 0.5 {
                    // An extreme between the points may reach one without being seen at them.
                    let sign = if level(i) < 0.0 { 1.0 } else { -1.0 };
                    let (before, here, after) =
                        (sign * level(i - 1), sign * level(i), sign * level(i + 1));
                    // A smooth curve rises between its points by a part of its second difference;
                    // where it is flat there is nothing to climb.
                    let rise = 2.0 * here - before - after;
                    if here >= before && here >= after && -here <= 4.0 * rise {
                        let end = gains[i + 1].0;
                        if let Some(top) = self.climb(left, end, branch, sign) {
                            into.extend(self.bisect(left, top, branch));
                            into.extend(self.bisect(top, end, branch));
                        }
                    }
                }
            }
        }
    }

    fn level(&self, frequency: f64, branch: usize) -> Option<f64> {
        self.gains(frequency).get(branch).map(|g| g.log_magnitude)
    }

    /// A frequency at which |λ| lies on the other side of one, if the extreme reaches it.
    fn climb(&self, mut left: f64, mut right: f64, branch: usize, sign: f64) -> Option<f64> {
        for _ in 0..80 {
            let (a, b) = (left + 0.382 * (right - left), left + 0.618 * (right - left));
            let (at_a, at_b) = (sign * self.level(a, branch)?, sign * self.level(b, branch)?);
            for (frequency, level) in [(a, at_a), (b, at_b)] {
                if level > 0.0 {
                    return Some(frequency);
                }
            }
            if at_a > at_b {
                right = b;
            } else {
                left = a;
            }
        }
        None
    }

    /// Delay of the crossing between two frequencies with |λ| on different sides of one.
    fn bisect(&self, mut left: f64, mut right: f64, branch: usize) -> Option<f64> {
        let below = self.level(left, branch)? < 0.0;
        for _ in 0..60 {
            let middle = 0.5 * (left + right);
            // A resonance without damping, exactly hit, is far above one.
            let level = self.level(middle, branch).unwrap_or(f64::INFINITY);
            if (level < 0.0) == below {
                left = middle;
            } else {
                right = middle;
            }
        }
        let frequency = 0.5 * (left + right);
        let argument = self.gains(frequency).get(branch)?.argument;
        Some(argument.rem_euclid(TAU) / frequency)
    }
}

/// Solves A X = B in place of B (`columns` of them, by rows) by Gauss with row exchanges; false
/// where A is singular.
fn solve(n: usize, mut a: Vec<c64>, columns: usize, b: &mut [c64]) -> bool {
    let size = |z: c64| z.re.abs() + z.im.abs();
    for k in 0..n {
        let pivot = (k..n)
            .max_by(|i, j| size(a[i * n + k]).total_cmp(&size(a[j * n + k])))
            .unwrap_or(k);
        let largest = size(a[pivot * n + k]);
        if largest <= 0.0 || largest.is_nan() {
            return false;
        }
        for j in 0..n {
            a.swap(k * n + j, pivot * n + j);
        }
        for j in 0..columns {
            b.swap(k * columns + j, pivot * columns + j);
        }
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            if size(factor) > 0.0 {
                for j in k + 1..n {
                    let term = factor * a[k * n + j];
                    a[i * n + j] -= term;
                }
                for j in 0..columns {
                    let term = factor * b[k * columns + j];
                    b[i * columns + j] -= term;
                }
            }
        }
    }
    for k in (0..n).rev() {
        for j in 0..columns {
            let mut value = b[k * columns + j];
            for i in k + 1..n {
                value -= a[k * n + i] * b[i * columns + j];
            }
            b[k * columns + j] = value / a[k * n + k];
        }
    }
    true
}
