//! Critical delay from the first-order hybrid equation of motion.

use super::{Partition, StabilityError, growth};
use std::f64::consts::TAU;
use tandem_structure::Matrix;
use tandem_structure::linalg::small;
use tandem_structure::modes::modes_of;

/// Synchronisation errors per mode of the undivided structure, lowest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Synchronisation {
    /// Delay of each mode relative to the one that is sought; all ones: the same delay in all
    /// modes.
    pub delay: Vec<f64>,
    /// Δ: measured over target amplitude of each mode; all ones: no amplitude error.
    pub amplitude: Vec<f64>,
}

impl Synchronisation {
    /// The same delay in all modes, no amplitude error.
    pub fn uniform(modes: usize) -> Self {
        Self {
            delay: vec![1.0; modes],
            amplitude: vec![1.0; modes],
        }
    }
}

/// Smallest delay (s) for which the hybrid equation of motion of Gao and You 2019 (Gálmez and
/// Fermandois 2020, Eqs 21 to 25) has a root with positive real part; none below one period of the
/// first mode.
///
/// ```text
/// M_eq = M_n + M_e Φ Δ Φ⁻¹ − C_e Φ Δ δ Φ⁻¹
/// C_eq = C_n + M_e Φ Δ ω² δ Φ⁻¹ + C_e Φ Δ Φ⁻¹ − K_e Φ Δ δ Φ⁻¹
/// K_eq = K_n + K_e Φ Δ Φ⁻¹
/// ```
///
/// A first-order expansion in the delay: about 1 % low where the exact delay is 10 ms. Needs mass
/// in every degree of freedom.
pub fn critical_delay_first_order(
    partition: &Partition,
    synchronisation: &Synchronisation,
) -> Result<Option<f64>, StabilityError> {
    let n = partition.order();
    for (what, part) in [
        ("delay", &synchronisation.delay),
        ("amplitude", &synchronisation.amplitude),
    ] {
        if part.len() != n {
            return Err(StabilityError::Size {
                what,
                expected: n,
                got: part.len(),
            });
        }
    }
    let hybrid = Hybrid::new(partition, synchronisation)?;
    let unstable = |delay: f64| hybrid.growth(delay).is_none_or(|growth| growth > 1e-13);
    if unstable(0.0) {
        return Ok(Some(0.0));
    }
    let mut stable = 0.0;
    let mut delay = 1e-4 * hybrid.shortest_period;
    while !unstable(delay) {
        if delay > hybrid.longest_period {
            return Ok(None);
        }
        stable = delay;
        delay *= 1.05;
    }
    let mut critical = delay;
    for _ in 0..60 {
        let middle = 0.5 * (stable + critical);
        if unstable(middle) {
            critical = middle;
        } else {
            stable = middle;
        }
    }
    Ok(Some(0.5 * (stable + critical)))
}

/// The three matrices as constant part and part per second of delay, by rows.
struct Hybrid {
    order: usize,
    mass: [Vec<f64>; 2],
    damping: [Vec<f64>; 2],
    stiffness: Vec<f64>,
    longest_period: f64,
    shortest_period: f64,
}

impl Hybrid {
    fn new(p: &Partition, s: &Synchronisation) -> Result<Self, StabilityError> {
        let n = p.order();
        let specimen = &p.specimen;
        let matrix =
            |entries: &[f64]| Matrix::from_dense(n, entries).map_err(|_| StabilityError::Modes);
        let mass = matrix(&p.total(&p.mass, &specimen.mass))?;
        let stiffness = matrix(&p.total(&p.stiffness, &specimen.stiffness))?;
        let modes = modes_of(&mass, &stiffness, &vec![0.0; n], n)
            .ok()
            .filter(|modes| modes.count() == n)
            .ok_or(StabilityError::Modes)?;
        // Φ d Φ⁻¹ with Φ⁻¹ = Φᵀ M of mass-normalised shapes.
        let projected: Vec<Vec<f64>> = modes
            .shapes
            .iter()
            .map(|shape| {
                let mut row = vec![0.0; n];
                mass.mul_into(shape, &mut row);
                row
            })
            .collect();
        let modal = |weight: &dyn Fn(usize) -> f64| {
            let mut all = vec![0.0; n * n];
            for k in 0..n {
                for i in 0..n {
                    for j in 0..n {
                        all[i * n + j] += modes.shapes[k][i] * weight(k) * projected[k][j];
                    }
                }
            }
            all
        };
        let square = |k: usize| modes.circular(k) * modes.circular(k).abs();
        let amplitude = modal(&|k| s.amplitude[k]);
        let delay = modal(&|k| s.amplitude[k] * s.delay[k]);
        let inertia = modal(&|k| s.amplitude[k] * s.delay[k] * square(k));
        let [me, ce, ke] =
            [&specimen.mass, &specimen.damping, &specimen.stiffness].map(|m| p.spread(m));
        let plus = |numerical: &Matrix, product: Vec<f64>| {
            let own = numerical.to_dense();
            own.iter()
                .zip(product)
                .map(|(a, b)| a + b)
                .collect::<Vec<_>>()
        };
        let product = |a: &[f64], b: &[f64]| small::product(a, b, [n, n, n]);
        let from_stiffness = product(&ke, &delay);
        let per_delay = product(&me, &inertia);
        Ok(Self {
            order: n,
            mass: [
                plus(&p.mass, product(&me, &amplitude)),
                product(&ce, &delay).iter().map(|v| -v).collect(),
            ],
            damping: [
                plus(&p.damping, product(&ce, &amplitude)),
                per_delay
                    .iter()
                    .zip(from_stiffness)
                    .map(|(a, b)| a - b)
                    .collect(),
            ],
            stiffness: plus(&p.stiffness, product(&ke, &amplitude)),
            longest_period: TAU / modes.circular(0).abs().max(f64::MIN_POSITIVE),
            shortest_period: TAU / modes.circular(n - 1).abs().max(f64::MIN_POSITIVE),
        })
    }

    fn growth(&self, delay: f64) -> Option<f64> {
        let at = |[constant, slope]: &[Vec<f64>; 2]| {
            constant
                .iter()
                .zip(slope)
                .map(|(a, b)| a + delay * b)
                .collect::<Vec<_>>()
        };
        growth(
            self.order,
            &at(&self.mass),
            &at(&self.damping),
            &self.stiffness,
        )
    }
}
