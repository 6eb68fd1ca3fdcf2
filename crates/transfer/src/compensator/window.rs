//! Least squares over a moving window, without subtraction: nothing drifts, however long the test.

use tandem_quantity::snapshot;

/// Parts of the window. The oldest is dropped as a whole, so the window is up to one part shorter
/// than asked.
const PARTS: usize = 32;
/// Upper triangle of three regressors and the response: r r' (6), r u (3), count (1).
const SUMS: usize = 10;

/// Moments of three regressors and one response over the last samples.
#[derive(Clone, Debug)]
pub(super) struct Window {
    part_length: u64,
    parts: Vec<[f64; SUMS]>,
    /// Sum of all complete parts.
    complete: [f64; SUMS],
    /// The part that is being filled, at this place.
    newest: usize,
    filled: u64,
    full_parts: usize,
}

snapshot!(Window {
    parts,
    complete,
    newest,
    filled,
    full_parts
});

impl Window {
    /// A window of `length` samples.
    pub fn new(length: usize) -> Self {
        Self {
            part_length: length.div_ceil(PARTS).max(1) as u64,
            parts: vec![[0.0; SUMS]; PARTS],
            complete: [0.0; SUMS],
            newest: 0,
            filled: 0,
            full_parts: 0,
        }
    }

    /// One more sample.
    #[inline]
    pub fn push(&mut self, r: [f64; 3], u: f64) {
        let sample = [
            r[0] * r[0],
            r[0] * r[1],
            r[0] * r[2],
            r[1] * r[1],
            r[1] * r[2],
            r[2] * r[2],
            r[0] * u,
            r[1] * u,
            r[2] * u,
            1.0,
        ];
        for (sum, x) in self.parts[self.newest].iter_mut().zip(sample) {
            *sum += x;
        }
        self.filled += 1;
        if self.filled >= self.part_length {
            self.filled = 0;
            self.full_parts = (self.full_parts + 1).min(PARTS);
            self.newest = (self.newest + 1) % PARTS;
            self.parts[self.newest] = [0.0; SUMS];
            // Added up anew each time a part is complete: errors cannot pile up.
            self.complete = [0.0; SUMS];
            for part in &self.parts {
                for (sum, x) in self.complete.iter_mut().zip(part) {
                    *sum += x;
                }
            }
        }
    }

    /// Whether a whole window has been seen.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.full_parts >= PARTS
    }

    #[inline]
    fn moments(&self) -> [f64; SUMS] {
        std::array::from_fn(|k| self.complete[k] + self.parts[self.newest][k])
    }

    /// Root mean square of the first regressor.
    #[inline]
    pub fn rms(&self) -> f64 {
        let m = self.moments();
        (m[0] / m[9].max(1.0)).sqrt()
    }

    /// Coefficients of all three regressors; `None` when the samples cannot tell them apart.
    #[inline]
    pub fn solve(&self) -> Option<[f64; 3]> {
        let m = self.moments();
        let scale = [m[0], m[3], m[5]].map(f64::sqrt);
        if scale.iter().any(|s| !s.is_normal()) {
            return None;
        }
        // Correlations: ones on the diagonal, so that the pivots say how much a regressor adds.
        let (r01, r02, r12) = (
            m[1] / (scale[0] * scale[1]),
            m[2] / (scale[0] * scale[2]),
            m[4] / (scale[1] * scale[2]),
        );
        let b: [f64; 3] = std::array::from_fn(|k| m[6 + k] / scale[k]);
        // Cholesky by hand: L D L'.
        let d1 = 1.0 - r01 * r01;
        let l21 = (r12 - r02 * r01) / d1;
        let d2 = 1.0 - r02 * r02 - l21 * l21 * d1;
        if d1 < 1e-9 || d2.is_nan() || d2 < 1e-6 {
            return None;
        }
        let y1 = b[1] - r01 * b[0];
        let y2 = b[2] - r02 * b[0] - l21 * y1;
        let x2 = y2 / d2;
        let x1 = y1 / d1 - l21 * x2;
        let x0 = b[0] - r01 * x1 - r02 * x2;
        Some([x0 / scale[0], x1 / scale[1], x2 / scale[2]])
    }

    /// The first two coefficients when the third is held at `third`.
    #[inline]
    pub fn solve_two(&self, third: f64) -> Option<[f64; 2]> {
        let m = self.moments();
        let scale = [m[0], m[3]].map(f64::sqrt);
        if scale.iter().any(|s| !s.is_normal()) {
            return None;
        }
        let r = m[1] / (scale[0] * scale[1]);
        let b = [
            (m[6] - m[2] * third) / scale[0],
            (m[7] - m[4] * third) / scale[1],
        ];
        let d = 1.0 - r * r;
        if d.is_nan() || d < 1e-9 {
            return None;
        }
        let x1 = (b[1] - r * b[0]) / d;
        let x0 = b[0] - r * x1;
        Some([x0 / scale[0], x1 / scale[1]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_come_back_and_old_ones_are_forgotten() {
        let mut window = Window::new(1024);
        let signal = |k: f64| {
            [
                (0.013 * k).sin() + 0.3 * (0.051 * k).cos(),
                (0.029 * k).sin(),
                40.0 * (0.017 * k).cos(),
            ]
        };
        let feed = |window: &mut Window, from: i32, to: i32, c: [f64; 3]| {
            for k in from..to {
                let r = signal(f64::from(k));
                window.push(r, r[0] * c[0] + r[1] * c[1] + r[2] * c[2]);
            }
        };
        feed(&mut window, 0, 1000, [9.0, 9.0, 9.0]);
        assert!(!window.is_full());
        // Large old values leave nothing behind, after any length.
        feed(&mut window, 0, 300_000, [1e9, -1e9, 1e9]);
        assert!(window.is_full());
        let c = [1.1, -0.02, 3e-4];
        feed(&mut window, 0, 1056, c);
        let found = window.solve().unwrap();
        for k in 0..3 {
            assert!((found[k] / c[k] - 1.0).abs() < 1e-10, "{found:?}");
        }
        let two = window.solve_two(c[2]).unwrap();
        assert!((two[0] - c[0]).abs() < 1e-11 && (two[1] - c[1]).abs() < 1e-11);
    }

    /// A single sine has no third direction: the full problem is refused, the reduced one solved.
    #[test]
    fn a_pure_sine_cannot_tell_three_coefficients_apart() {
        let mut window = Window::new(512);
        for k in 0..600 {
            let (s, c) = (0.02 * f64::from(k)).sin_cos();
            window.push([s, c, -s], 2.0 * s + 0.5 * c);
        }
        assert_eq!(window.solve(), None);
        let two = window.solve_two(0.0).unwrap();
        assert!((two[0] - 2.0).abs() < 1e-9 && (two[1] - 0.5).abs() < 1e-9);
        assert_eq!(Window::new(10).solve(), None);
    }
}
