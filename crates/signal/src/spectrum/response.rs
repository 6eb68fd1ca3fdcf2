//! Elastic response spectrum.

use crate::error::{SignalError, real};
use crate::record::Record;
use std::f64::consts::PI;

/// Peak responses of damped oscillators on the ground motion.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseSpectrum {
    /// Natural periods, s.
    pub periods: Vec<f64>,
    /// Damping ratio.
    pub damping: f64,
    /// Peak displacement relative to the ground, m.
    pub sd: Vec<f64>,
    /// Pseudo-velocity ω·Sd, m/s.
    pub psv: Vec<f64>,
    /// Pseudo-acceleration ω²·Sd, m/s².
    pub psa: Vec<f64>,
}

/// Points to a period between which the peak is looked for.
const POINTS_A_PERIOD: f64 = 20.0;
/// Most parts that a step of the record is divided into.
const MOST_PARTS: usize = 256;
/// Below this part of the step an oscillator follows the ground: its pseudo-acceleration is the
/// peak acceleration.
const RIGID: f64 = 1e-3;

/// Response spectrum of a record for `periods` (s) and a `damping` ratio (0.05 is 5 %).
///
/// ü + 2ζωu̇ + ω²u = −a is solved exactly for an acceleration that is linear between its points,
/// step by step from rest (Nigam & Jennings 1969). Steps longer than T/20 are divided, and the peak
/// between two points is that of the cubic through both displacements and velocities, so that short
/// periods do not miss their peaks. Period zero gives the peak ground acceleration.
///
/// # Errors
/// [`SignalError::Parameter`] for a negative or infinite period, or a damping outside 0 to 10.
pub fn response_spectrum(
    record: &Record,
    periods: &[f64],
    damping: f64,
) -> Result<ResponseSpectrum, SignalError> {
    let mut spectrum = ResponseSpectrum {
        periods: periods.to_vec(),
        damping,
        sd: Vec::with_capacity(periods.len()),
        psv: Vec::with_capacity(periods.len()),
        psa: Vec::with_capacity(periods.len()),
    };
    for &period in periods {
        let found = period;
        SignalError::require(
            period >= 0.0 && period.is_finite(),
            "period of the spectrum",
            "at least 0 s",
            found,
        )?;
        let psa = if period < RIGID * record.dt {
            record.peak()
        } else {
            peak(record, period, damping)?
        };
        let radians = period / (2.0 * PI);
        spectrum.psa.push(psa);
        spectrum.psv.push(psa * radians);
        spectrum.sd.push(psa * radians * radians);
    }
    Ok(spectrum)
}

/// Displacement (m, relative to the ground) of an oscillator at every point of the record, from
/// rest.
///
/// # Errors
/// As [`response_spectrum`]; the period must be above zero.
pub fn oscillator_response(
    record: &Record,
    period: f64,
    damping: f64,
) -> Result<Vec<f64>, SignalError> {
    let step = ExactStep::new(period, damping, record.dt)?;
    let stiffness = (2.0 * PI / period).powi(2);
    let mut state = [0.0; 2];
    let mut displacement = Vec::with_capacity(record.acceleration.len());
    displacement.push(0.0);
    for pair in record.acceleration.windows(2) {
        state = step.advance(state, pair[0], pair[1]);
        displacement.push(state[0] / stiffness);
    }
    Ok(displacement)
}

/// Largest ω²|u|, m/s².
fn peak(record: &Record, period: f64, damping: f64) -> Result<f64, SignalError> {
    let wanted = (POINTS_A_PERIOD * record.dt / period).ceil();
    let mut parts = 1;
    while parts < MOST_PARTS && real(parts) < wanted {
        parts += 1;
    }
    let h = record.dt / real(parts);
    let step = ExactStep::new(period, damping, h)?;
    let angle = 2.0 * PI * h / period;
    let mut state = [0.0; 2];
    let mut largest = 0.0_f64;
    for pair in record.acceleration.windows(2) {
        let slope = (pair[1] - pair[0]) / real(parts);
        for part in 0..parts {
            let start = pair[0] + slope * real(part);
            let next = step.advance(state, start, start + slope);
            largest = largest.max(next[0].abs());
            if state[1] * next[1] < 0.0 {
                largest = largest.max(turning_point(state, next, angle));
            }
            state = next;
        }
    }
    Ok(largest)
}

/// |x| at the turning point of the cubic with x, x' = angle·y at both ends of a unit interval.
fn turning_point(from: [f64; 2], to: [f64; 2], angle: f64) -> f64 {
    let (x0, v0, x1, v1) = (from[0], angle * from[1], to[0], angle * to[1]);
    // x = x0 + v0 s + c s² + d s³; x' changes sign once between the ends.
    let c = 3.0 * (x1 - x0) - 2.0 * v0 - v1;
    let d = 2.0 * (x0 - x1) + v0 + v1;
    let root = (c * c - 3.0 * d * v0).max(0.0).sqrt();
    // The stable form of both roots of v0 + 2c s + 3d s² = 0.
    let q = -(c + root.copysign(c));
    let candidates = [v0 / q, q / (3.0 * d)];
    let inside = candidates.into_iter().filter(|s| (0.0..=1.0).contains(s));
    inside
        .map(|s| (x0 + s * (v0 + s * (c + s * d))).abs())
        .fold(0.0, f64::max)
}

/// One exact step of x = ω²u, y = ωu̇ under an acceleration that is linear over the step.
///
/// With θ = ωh and time in steps: x' = θy, y' = −θx − 2ζθy − θa, a' = a₁ − a₀. The four-by-four
/// exponential of that system holds the recursion of Nigam & Jennings without its differences of
/// nearly equal numbers at long periods.
struct ExactStep {
    rows: [[f64; 4]; 2],
}

impl ExactStep {
    fn new(period: f64, damping: f64, h: f64) -> Result<Self, SignalError> {
        SignalError::require_positive("period of the oscillator", period)?;
        let in_range = (0.0..=10.0).contains(&damping);
        SignalError::require(
            in_range,
            "damping ratio of the oscillator",
            "0 to 10",
            damping,
        )?;
        let angle = 2.0 * PI * h / period;
        let system = [
            [0.0, angle, 0.0, 0.0],
            [-angle, -2.0 * damping * angle, -angle, 0.0],
            [0.0, 0.0, 0.0, 1.0],
            [0.0; 4],
        ];
        let [first, second, ..] = exponential(system);
        Ok(Self {
            rows: [first, second],
        })
    }

    fn advance(&self, [x, y]: [f64; 2], start: f64, end: f64) -> [f64; 2] {
        let change = end - start;
        self.rows
            .map(|[a, b, c, d]| a * x + b * y + c * start + d * change)
    }
}

type Matrix = [[f64; 4]; 4];

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let mut c = [[0.0; 4]; 4];
    for (row, out) in a.iter().zip(&mut c) {
        for (value, line) in row.iter().zip(b) {
            out.iter_mut()
                .zip(line)
                .for_each(|(sum, other)| *sum += value * other);
        }
    }
    c
}

/// Matrix exponential by scaling, Taylor series and squaring.
fn exponential(matrix: Matrix) -> Matrix {
    let norm = matrix
        .iter()
        .map(|row| row.iter().map(|value| value.abs()).sum::<f64>())
        .fold(0.0, f64::max);
    let mut halvings = 0;
    let mut scale = 1.0;
    while norm * scale > 0.25 && halvings < 60 {
        scale *= 0.5;
        halvings += 1;
    }
    let scaled = matrix.map(|row| row.map(|value| value * scale));
    let mut identity = [[0.0; 4]; 4];
    for (index, row) in identity.iter_mut().enumerate() {
        row[index] = 1.0;
    }
    // Horner's form, 14 terms: 0.25^15/15! is far below the last bit.
    let mut sum = identity;
    for term in (1..=14).rev() {
        sum = product(&scaled, &sum).map(|row| row.map(|value| value / f64::from(term)));
        for (index, row) in sum.iter_mut().enumerate() {
            row[index] += 1.0;
        }
    }
    for _ in 0..halvings {
        sum = product(&sum, &sum);
    }
    sum
}
