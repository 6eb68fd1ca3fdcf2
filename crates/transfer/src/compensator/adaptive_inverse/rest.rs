//! The proper part of the inverse, driven by targets that are known with their rates.

use crate::LinearSystem;
use tandem_quantity::snapshot;
use tandem_structure::linalg::Blocks;
use tandem_structure::linalg::small::{exponential, product};

/// Powers of time in an input: constant, linear, quadratic, cubic.
const POWERS: usize = 4;

/// How states go on over a time, under inputs c₀ + c₁ t + c₂ t²/2 + c₃ t³/6: states × (states, then
/// the four numbers of every input).
///
/// exp of [A B 0 0 0; 0 0 I 0 0; 0 0 0 I 0; 0 0 0 0 I; 0] t  (Van Loan 1978); `time` may be
/// negative.
fn flow(system: &LinearSystem, time: f64) -> Vec<f64> {
    let [n, m, _] = system.size;
    let size = n + POWERS * m;
    let mut block = vec![0.0; size * size];
    for i in 0..n {
        for j in 0..n {
            block[i * size + j] = system.a[i * n + j] * time;
        }
        for j in 0..m {
            block[i * size + n + j] = system.b[i * m + j] * time;
        }
    }
    for k in 0..(POWERS - 1) * m {
        block[(n + k) * size + n + m + k] = time;
    }
    let e = exponential(&block, size);
    let input = |k: usize| n + k % POWERS * m + k / POWERS;
    (0..n * size)
        .map(|k| (k / size * size, k % size))
        .map(|(row, k)| e[row + if k < n { k } else { input(k - n) }])
        .collect()
}

/// R(s) of the inverse. Polynomial part and rest of an inverse can be large and cancel, so that the
/// rest must be exact to a high order: between two samples the target is the cubic through its
/// values and rates.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    period: f64,
    order: usize,
    /// States at the next sample; outputs at the lead.
    step: Blocks<4>,
    lead: Blocks<2>,
    /// States, then the four numbers of every input.
    state: Vec<f64>,
    last: Vec<[f64; 2]>,
    next: Vec<f64>,
    outputs: Vec<f64>,
}

snapshot!(Rest { state, last });

impl Rest {
    /// Sampled every `period` seconds; its output is wanted `lead` seconds after the targets.
    pub(super) fn new(system: &LinearSystem, period: f64, lead: f64) -> Self {
        let [n, m, p] = system.size;
        let width = n + POWERS * m;
        let step = Blocks::new(&flow(system, period), width);
        let lead = product(&system.c, &flow(system, lead), [p, n, width]);
        let lead = Blocks::new(&lead, width);
        Self {
            period,
            order: n,
            state: vec![0.0; width],
            last: vec![[0.0; 2]; m],
            next: vec![0.0; step.padded()],
            outputs: vec![0.0; lead.padded()],
            step,
            lead,
        }
    }

    /// The targets went on to these values and rates.
    #[inline(always)]
    pub(super) fn push(&mut self, targets: impl Iterator<Item = [f64; 2]>) {
        let h = self.period;
        let inputs = self.state[self.order..].as_chunks_mut::<POWERS>().0;
        for ((input, last), [x, v]) in inputs.iter_mut().zip(&mut self.last).zip(targets) {
            let [x0, v0] = *last;
            let slope = (x - x0) / h;
            *input = [
                x0,
                v0,
                2.0 * (3.0 * slope - 2.0 * v0 - v) / h,
                6.0 * (v0 + v - 2.0 * slope) / (h * h),
            ];
            *last = [x, v];
        }
        self.step.mul_into(&self.state, &mut self.next);
        self.state[..self.order].copy_from_slice(&self.next[..self.order]);
    }

    /// Outputs at the lead, where the targets go on with the given derivatives.
    #[inline(always)]
    pub(super) fn look(&mut self, targets: impl Iterator<Item = [f64; POWERS]>) {
        let inputs = self.state[self.order..].as_chunks_mut::<POWERS>().0;
        for (input, target) in inputs.iter_mut().zip(targets) {
            *input = target;
        }
        self.lead.mul_into(&self.state, &mut self.outputs);
    }

    /// Output `i` of the last look.
    #[inline(always)]
    pub(super) fn output(&self, i: usize) -> f64 {
        self.outputs[i]
    }
}
