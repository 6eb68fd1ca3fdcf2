//! A step of a small linear structure as one product: what the four stages come to.

use crate::{Loading, Problem};
use tandem_quantity::{Motion, copy_few};
use tandem_structure::linalg::Blocks;
use tandem_structure::{Factor, Matrix};

/// Up to here the dense product is quicker than the stages.
const LARGEST: usize = 12;

/// Runge–Kutta of fourth order is linear where the structure is: displacement and velocity at the
/// end of a step follow from motion at its beginning and from what acts (load minus force of the
/// specimen) in its middle and at its end.
pub(super) struct LinearStep {
    dof: usize,
    /// [d; v] at the end, of the columns of `from`.
    step: Blocks<8>,
    /// M⁻¹ [−K, −C, 1]: the acceleration, of displacement, velocity and what acts.
    accelerate: Blocks<4>,
    /// d, v and a at the beginning, what acts in the middle and at the end.
    from: Vec<f64>,
    to: Vec<f64>,
    acceleration: Vec<f64>,
    /// The external load at the end.
    load: Vec<f64>,
}

impl LinearStep {
    /// None where the structure is not linear, or large.
    pub(super) fn new(problem: &Problem, mass: &mut Factor) -> Option<Self> {
        let structure = &problem.structure;
        let n = structure.properties().dof();
        if !structure.properties().is_linear || n > LARGEST {
            return None;
        }
        // Columns of M⁻¹ A.
        let mut over_mass = |matrix: &Matrix| -> Vec<f64> {
            let cells = matrix.to_dense();
            let mut out = vec![0.0; n * n];
            for j in 0..n {
                let mut column: Vec<f64> = (0..n).map(|i| cells[i * n + j]).collect();
                mass.solve_in_place(&mut column);
                for i in 0..n {
                    out[i * n + j] = column[i];
                }
            }
            out
        };
        let (stiffness, damping, inverse) = (
            over_mass(&structure.properties().stiffness),
            over_mass(&structure.properties().damping),
            over_mass(&Matrix::diagonal(&vec![1.0; n])),
        );
        let mut accelerations = Vec::with_capacity(3 * n * n);
        for i in 0..n {
            let row = i * n..(i + 1) * n;
            accelerations.extend(stiffness[row.clone()].iter().map(|x| -x));
            accelerations.extend(damping[row.clone()].iter().map(|x| -x));
            accelerations.extend(&inverse[row]);
        }
        let accelerate = |d: &[f64], v: &[f64], acts: &[f64]| -> Vec<f64> {
            let all = [d, v, acts].concat();
            let rows = accelerations.chunks_exact(3 * n);
            rows.map(|row| row.iter().zip(&all).map(|(a, x)| a * x).sum())
                .collect()
        };
        // The stages, for every column alone.
        let dt = problem.dt;
        let width = 5 * n;
        let mut rows = vec![0.0; 2 * n * width];
        for column in 0..width {
            let mut unit = vec![0.0; width];
            unit[column] = 1.0;
            let parts: Vec<&[f64]> = unit.chunks_exact(n).collect();
            let (d, v, a, middle, end) = (parts[0], parts[1], parts[2], parts[3], parts[4]);
            let (mut slope_d, mut slope_v) = (v.to_vec(), a.to_vec());
            for (weight, ahead, acts) in [
                (1.0, 0.5, middle),
                (2.0, 0.5, middle),
                (2.0, 1.0, end),
                (1.0, 0.0, end),
            ] {
                for i in 0..n {
                    rows[i * width + column] += dt / 6.0 * weight * slope_d[i];
                    rows[(n + i) * width + column] += dt / 6.0 * weight * slope_v[i];
                }
                let go = |x: &[f64], slope: &[f64]| -> Vec<f64> {
                    x.iter()
                        .zip(slope)
                        .map(|(x, s)| x + ahead * dt * s)
                        .collect()
                };
                let (stage_d, stage_v) = (go(d, &slope_d), go(v, &slope_v));
                slope_v = accelerate(&stage_d, &stage_v, acts);
                slope_d = stage_v;
            }
            if column < 2 * n {
                rows[column * width + column] += 1.0;
            }
        }
        let step = Blocks::new(&rows, width);
        let accelerate = Blocks::new(&accelerations, 3 * n);
        Some(Self {
            dof: n,
            to: vec![0.0; step.padded()],
            acceleration: vec![0.0; accelerate.padded()],
            step,
            accelerate,
            from: vec![0.0; width],
            load: vec![0.0; n],
        })
    }

    /// Displacement and velocity go on to `end`; the force of the specimen was `held` and changes
    /// by `change` on the way.
    #[inline(always)]
    pub(super) fn go(
        &mut self,
        problem: &Problem,
        response: &mut Motion,
        end: f64,
        [held, change]: [&[f64]; 2],
        loading: &dyn Loading,
    ) {
        let n = self.dof;
        let (motion, acts) = self.from.split_at_mut(3 * n);
        copy_few(&mut motion[..n], &response.displacement);
        copy_few(&mut motion[n..2 * n], &response.velocity);
        copy_few(&mut motion[2 * n..], &response.acceleration);
        let (middle, last) = acts.split_at_mut(n);
        loading.force(end - 0.5 * problem.dt, middle);
        loading.force(end, &mut self.load);
        copy_few(last, &self.load);
        for (i, &dof) in problem.interface.iter().enumerate() {
            middle[dof] -= held[i] + 0.5 * change[i];
            last[dof] -= held[i] + change[i];
        }
        self.step.mul_into(&self.from, &mut self.to);
        copy_few(&mut response.displacement, &self.to[..n]);
        copy_few(&mut response.velocity, &self.to[n..2 * n]);
    }

    /// The acceleration at the end, under the force of the specimen there.
    #[inline(always)]
    pub(super) fn accelerate(&mut self, problem: &Problem, response: &mut Motion, held: &[f64]) {
        let n = self.dof;
        let at = &mut self.from[..3 * n];
        copy_few(&mut at[..2 * n], &self.to[..2 * n]);
        copy_few(&mut at[2 * n..], &self.load);
        for (&dof, force) in problem.interface.iter().zip(held) {
            at[2 * n + dof] -= force;
        }
        self.accelerate.mul_into(at, &mut self.acceleration);
        copy_few(&mut response.acceleration, &self.acceleration[..n]);
    }
}
