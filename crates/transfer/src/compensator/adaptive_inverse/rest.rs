//! The proper part of the inverse, driven by targets that are known with their rates.

use crate::LinearSystem;
use crate::state_space::exponential;
use tandem_quantity::snapshot;

/// Powers of time in an input: constant, linear, quadratic, cubic.
const POWERS: usize = 4;

/// How states go on over a time, under inputs c₀ + c₁ t + c₂ t²/2 + c₃ t³/6.
#[derive(Clone, Debug)]
struct Flow {
    phi: Vec<f64>,
    /// States × inputs for each power.
    gamma: [Vec<f64>; POWERS],
}

impl Flow {
    /// exp of [A B 0 0 0; 0 0 I 0 0; 0 0 0 I 0; 0 0 0 0 I; 0] t  (Van Loan 1978); `time` may be negative.
    fn new(system: &LinearSystem, time: f64) -> Self {
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
        let part = |from: usize, columns: usize| -> Vec<f64> {
            (0..n * columns)
                .map(|k| e[k / columns * size + from + k % columns])
                .collect()
        };
        Self {
            phi: part(0, n),
            gamma: std::array::from_fn(|q| part(n + q * m, m)),
        }
    }

    #[inline]
    fn go(&self, state: &[f64], inputs: &[[f64; POWERS]], next: &mut [f64]) {
        let (n, m) = (state.len(), inputs.len());
        for i in 0..n {
            let row = self.phi[i * n..(i + 1) * n].iter().zip(state);
            let mut x: f64 = row.map(|(p, s)| p * s).sum();
            for (j, input) in inputs.iter().enumerate() {
                for (gamma, c) in self.gamma.iter().zip(input) {
                    x += gamma[i * m + j] * c;
                }
            }
            next[i] = x;
        }
    }
}

/// R(s) of the inverse. Polynomial part and rest of an inverse can be large and cancel, so that the rest must be exact to a high
/// order: between two samples the target is the cubic through its values and rates.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    outputs: Vec<f64>,
    period: f64,
    step: Flow,
    lead: Flow,
    state: Vec<f64>,
    last: Vec<[f64; 2]>,
    next: Vec<f64>,
    inputs: Vec<[f64; POWERS]>,
}

snapshot!(Rest { state, last });

impl Rest {
    /// Sampled every `period` seconds; its output is wanted `lead` seconds after the targets.
    pub(super) fn new(system: &LinearSystem, period: f64, lead: f64) -> Self {
        let [n, m, _] = system.size;
        Self {
            outputs: system.c.clone(),
            period,
            step: Flow::new(system, period),
            lead: Flow::new(system, lead),
            state: vec![0.0; n],
            last: vec![[0.0; 2]; m],
            next: vec![0.0; n],
            inputs: vec![[0.0; POWERS]; m],
        }
    }

    /// The targets went on to these values and rates.
    #[inline]
    pub(super) fn push(&mut self, targets: impl Iterator<Item = [f64; 2]>) {
        let h = self.period;
        for ((input, last), [x, v]) in self.inputs.iter_mut().zip(&mut self.last).zip(targets) {
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
        self.step.go(&self.state, &self.inputs, &mut self.next);
        std::mem::swap(&mut self.state, &mut self.next);
    }

    /// States at the lead, where the targets go on with the given derivatives.
    #[inline]
    pub(super) fn look(&mut self, targets: impl Iterator<Item = [f64; POWERS]>) {
        for (input, target) in self.inputs.iter_mut().zip(targets) {
            *input = target;
        }
        self.lead.go(&self.state, &self.inputs, &mut self.next);
    }

    /// Output `i` of the last look.
    #[inline]
    pub(super) fn output(&self, i: usize) -> f64 {
        let n = self.state.len();
        let row = self.outputs[i * n..(i + 1) * n].iter().zip(&self.next);
        row.map(|(c, x)| c * x).sum()
    }
}
