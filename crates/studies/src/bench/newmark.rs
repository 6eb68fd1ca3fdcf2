//! Newmark's average acceleration for a small linear frame, written for speed.

use tandem_structure::linalg::Blocks;

/// Rows that are summed at once, in registers.
const BLOCK: usize = 16;

/// M a + C v + K u = g a_g − f, from rest; δ = 1/2, α = 1/4. The first step is the one to time
/// zero.
///
/// With S = M + Δt/2 C + Δt²/4 K a step is a = S⁻¹(g a_g − f) − S⁻¹C v − S⁻¹K u at the predicted u
/// and v: two products instead of three.
#[derive(Clone, Debug)]
pub struct Newmark {
    dt: f64,
    /// S⁻¹ by columns, S⁻¹C, S⁻¹K, S⁻¹g.
    inverse: Vec<f64>,
    damping: Blocks<BLOCK>,
    stiffness: Blocks<BLOCK>,
    ground: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

impl Newmark {
    /// Mass, damping and stiffness by rows. None where the matrix of the step is singular.
    #[must_use]
    pub fn new(
        [mass, damping, stiffness]: [&Vec<f64>; 3],
        ground: &[f64],
        dt: f64,
    ) -> Option<Self> {
        let n = ground.len();
        let matrix: Vec<f64> = (0..n * n)
            .map(|e| mass[e] + 0.5 * dt * damping[e] + 0.25 * dt * dt * stiffness[e])
            .collect();
        let inverse = inverted(matrix, n)?;
        let times = |right: &[f64], columns: usize| -> Vec<f64> {
            let entry = |i: usize, j: usize| {
                (0..n)
                    .map(|k| inverse[i * n + k] * right[k * columns + j])
                    .sum()
            };
            (0..n * columns)
                .map(|e| entry(e / columns, e % columns))
                .collect()
        };
        let padded = n.next_multiple_of(BLOCK);
        let mut shaken = times(ground, 1);
        shaken.resize(padded, 0.0);
        let by_columns = (0..n).flat_map(|j| {
            let inverse = &inverse;
            (0..padded).map(move |i| if i < n { inverse[i * n + j] } else { 0.0 })
        });
        Some(Self {
            dt,
            inverse: by_columns.collect(),
            damping: Blocks::new(&times(damping, n), n),
            stiffness: Blocks::new(&times(stiffness, n), n),
            ground: shaken,
            u: vec![0.0; padded],
            v: vec![0.0; padded],
            a: vec![0.0; padded],
        })
    }

    /// To the next sample, with the ground acceleration and the forces (degree of freedom, N or N
    /// m) of that instant.
    #[inline]
    pub fn step(&mut self, ground: f64, forces: &[(usize, f64)]) {
        pulp::Arch::new().dispatch(Step {
            frame: self,
            ground,
            forces,
        });
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

/// A step with the widest vectors of the machine at hand; plain sums, so that all machines give the
/// same bits.
struct Step<'a> {
    frame: &'a mut Newmark,
    ground: f64,
    forces: &'a [(usize, f64)],
}

impl pulp::WithSimd for Step<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Newmark {
            dt,
            inverse,
            damping,
            stiffness,
            ground,
            u,
            v,
            a,
        } = self.frame;
        let h = *dt;
        for ((u, v), a) in u.iter_mut().zip(v.iter_mut()).zip(a.iter()) {
            *u += h * (*v + 0.25 * h * a);
            *v += 0.5 * h * a;
        }
        for (a, g) in a.iter_mut().zip(ground.iter()) {
            *a = self.ground * g;
        }
        for (dof, force) in self.forces {
            let column = &inverse[dof * a.len()..(dof + 1) * a.len()];
            for (a, cell) in a.iter_mut().zip(column) {
                *a -= cell * force;
            }
        }
        damping.mul_sub(v, a);
        stiffness.mul_sub(u, a);
        for ((u, v), a) in u.iter_mut().zip(v.iter_mut()).zip(a.iter()) {
            *u += 0.25 * h * h * a;
            *v += 0.5 * h * a;
        }
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

    /// Undamped oscillator under a load that stays: average acceleration turns by 2 atan(ωΔt/2) a
    /// step, without damping (Hughes 1987, section 9.1), so that u₊ − 2 cos φ u + u₋ = 2 (1 − cos
    /// φ) f/k.
    #[test]
    fn the_period_is_that_of_average_acceleration() {
        let (w, dt): (f64, f64) = (20.0, 0.01);
        let one = |x: f64| vec![x];
        let mut frame = Newmark::new([&one(1.0), &one(0.0), &one(w * w)], &[1.0], dt).unwrap();
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
