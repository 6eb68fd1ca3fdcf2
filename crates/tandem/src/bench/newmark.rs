//! Newmark's average acceleration for a small linear frame, written for speed.

/// A square matrix by columns, padded so that a column is whole vectors.
#[derive(Clone, Debug)]
struct Columns {
    order: usize,
    padded: usize,
    cells: Vec<f64>,
}

const LANES: usize = 4;

impl Columns {
    fn new(rows: &[f64], order: usize) -> Self {
        let padded = order.div_ceil(LANES) * LANES;
        let mut cells = vec![0.0; order * padded];
        for i in 0..order {
            for j in 0..order {
                cells[j * padded + i] = rows[i * order + j];
            }
        }
        Self {
            order,
            padded,
            cells,
        }
    }

    /// y += f A x; `y` is padded.
    #[inline]
    fn mul_add(&self, f: f64, x: &[f64], y: &mut [f64]) {
        let y = &mut y[..self.padded];
        // Two columns at a time: half the passes over y.
        let mut pairs = self.cells.chunks_exact(2 * self.padded);
        let mut at = 0;
        for pair in &mut pairs {
            let (a, b) = pair.split_at(self.padded);
            let (p, q) = (f * x[at], f * x[at + 1]);
            for ((y, a), b) in y.iter_mut().zip(a).zip(b) {
                *y += p * a + q * b;
            }
            at += 2;
        }
        let last = pairs.remainder();
        if at < self.order {
            let p = f * x[at];
            for (y, a) in y.iter_mut().zip(last) {
                *y += p * a;
            }
        }
    }
}

/// M a + C v + K u = g a_g − f, from rest; δ = 1/2, α = 1/4. The first step is the one to time zero.
#[derive(Clone, Debug)]
pub struct Newmark {
    dt: f64,
    damping: Columns,
    stiffness: Columns,
    /// (M + Δt/2 C + Δt²/4 K)⁻¹.
    inverse: Columns,
    /// Load of a unit of ground acceleration.
    ground: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    rhs: Vec<f64>,
}

impl Newmark {
    /// Mass, damping and stiffness by rows. None where the matrix of the step is singular.
    #[must_use]
    pub fn new(
        [mass, damping, stiffness]: [&Vec<f64>; 3],
        ground: Vec<f64>,
        dt: f64,
    ) -> Option<Self> {
        let n = ground.len();
        let matrix: Vec<f64> = (0..n * n)
            .map(|e| mass[e] + 0.5 * dt * damping[e] + 0.25 * dt * dt * stiffness[e])
            .collect();
        let inverse = inverted(matrix, n)?;
        let damping = Columns::new(damping, n);
        let padded = damping.padded;
        Some(Self {
            dt,
            stiffness: Columns::new(stiffness, n),
            inverse: Columns::new(&inverse, n),
            damping,
            ground,
            u: vec![0.0; padded],
            v: vec![0.0; padded],
            a: vec![0.0; padded],
            rhs: vec![0.0; padded],
        })
    }

    /// To the next sample, with the ground acceleration and the forces (degree of freedom, N or N m) of that instant.
    #[inline]
    pub fn step(&mut self, ground: f64, forces: &[(usize, f64)]) {
        let h = self.dt;
        for ((u, v), a) in self.u.iter_mut().zip(&mut self.v).zip(&self.a) {
            *u += h * (*v + 0.25 * h * a);
            *v += 0.5 * h * a;
        }
        self.rhs.fill(0.0);
        for (b, g) in self.rhs.iter_mut().zip(&self.ground) {
            *b = ground * g;
        }
        for (dof, force) in forces {
            self.rhs[*dof] -= force;
        }
        self.damping.mul_add(-1.0, &self.v, &mut self.rhs);
        self.stiffness.mul_add(-1.0, &self.u, &mut self.rhs);
        self.a.fill(0.0);
        self.inverse.mul_add(1.0, &self.rhs, &mut self.a);
        for ((u, v), a) in self.u.iter_mut().zip(&mut self.v).zip(&self.a) {
            *u += 0.25 * h * h * a;
            *v += 0.5 * h * a;
        }
    }

    /// Displacement of a degree of freedom.
    #[inline]
    #[must_use]
    pub fn displacement(&self, dof: usize) -> f64 {
        self.u[dof]
    }

    /// Displacement, velocity and acceleration of a degree of freedom.
    #[inline]
    #[must_use]
    pub fn motion(&self, dof: usize) -> [f64; 3] {
        [self.u[dof], self.v[dof], self.a[dof]]
    }
}

/// The inverse by elimination with row exchange.
fn inverted(mut a: Vec<f64>, n: usize) -> Option<Vec<f64>> {
    let mut out = vec![0.0; n * n];
    for i in 0..n {
        out[i * n + i] = 1.0;
    }
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()))?;
        let head = a[pivot * n + k];
        if !(head.abs() > 0.0 && head.is_finite()) {
            return None;
        }
        for j in 0..n {
            a.swap(k * n + j, pivot * n + j);
            out.swap(k * n + j, pivot * n + j);
        }
        for j in 0..n {
            a[k * n + j] /= head;
            out[k * n + j] /= head;
        }
        for i in 0..n {
            let f = a[i * n + k];
            if i != k && f != 0.0 {
                for j in 0..n {
                    a[i * n + j] -= f * a[k * n + j];
                    out[i * n + j] -= f * out[k * n + j];
                }
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Undamped oscillator under a load that stays: average acceleration turns by 2 atan(ωΔt/2) a step, without damping (Hughes
    /// 1987, section 9.1), so that u₊ − 2 cos φ u + u₋ = 2 (1 − cos φ) f/k.
    #[test]
    fn the_period_is_that_of_average_acceleration() {
        let (w, dt): (f64, f64) = (20.0, 0.01);
        let one = |x: f64| vec![x];
        let mut frame = Newmark::new([&one(1.0), &one(0.0), &one(w * w)], vec![1.0], dt).unwrap();
        let cosine = (2.0 * (0.5 * w * dt).atan()).cos();
        let mut past = [0.0; 2];
        for k in 0..400 {
            frame.step(1.0, &[]);
            let u = frame.displacement(0);
            if k > 1 {
                let rest = u - 2.0 * cosine * past[0] + past[1] - 2.0 * (1.0 - cosine) / (w * w);
                assert!(rest.abs() < 1e-15, "{k}: {rest}");
            }
            past = [u, past[0]];
        }
    }
}
