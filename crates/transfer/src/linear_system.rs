//! Linear systems with several inputs and outputs, sampled exactly for held inputs.

use crate::{StateSpace, StateSpaceError};
use tandem_quantity::{copy_few, snapshot};
use tandem_structure::linalg::Blocks;
use tandem_structure::linalg::small::{self, exponential, product};

/// x' = A x + B u, y = C x + D u; all matrices row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearSystem {
    /// Number of states, inputs and outputs.
    pub size: [usize; 3],
    /// States × states.
    pub a: Vec<f64>,
    /// States × inputs.
    pub b: Vec<f64>,
    /// Outputs × states.
    pub c: Vec<f64>,
    /// Outputs × inputs.
    pub d: Vec<f64>,
}

impl LinearSystem {
    /// Realises a matrix of transfer functions column by column: all outputs share the denominator
    /// of their input (`numerators[output][input]`, `denominators[input]`, highest power of s
    /// first).
    pub fn from_columns(
        numerators: &[Vec<Vec<f64>>],
        denominators: &[Vec<f64>],
    ) -> Result<Self, StateSpaceError> {
        let (outputs, inputs) = (numerators.len(), denominators.len());
        let states: usize = denominators.iter().map(|d| d.len().max(1) - 1).sum();
        let mut system = Self {
            size: [states, inputs, outputs],
            a: vec![0.0; states * states],
            b: vec![0.0; states * inputs],
            c: vec![0.0; outputs * states],
            d: vec![0.0; outputs * inputs],
        };
        let mut at = 0;
        for (j, denominator) in denominators.iter().enumerate() {
            let mut order = 0;
            for (i, row) in numerators.iter().enumerate() {
                // The realisation's A and b depend on the denominator only; each numerator adds its
                // output row.
                let numerator = row.get(j).ok_or(StateSpaceError::Numerator)?;
                let part = StateSpace::from_transfer_function(numerator, denominator)?;
                order = part.order();
                for k in 0..order {
                    for l in 0..order {
                        system.a[(at + k) * states + at + l] = part.a[k * order + l];
                    }
                    system.b[(at + k) * inputs + j] = part.b[k];
                    system.c[i * states + at + k] = part.c[k];
                }
                system.d[i * inputs + j] = part.d;
            }
            at += order;
        }
        Ok(system)
    }

    /// The same system with its states scaled by powers of two, so that rows and columns of A have
    /// like norms.
    #[must_use]
    pub(crate) fn balanced(&self) -> Self {
        let [n, m, p] = self.size;
        let mut system = self.clone();
        let scale = balance(&mut system.a, n, n);
        for (k, b) in system.b.iter_mut().enumerate() {
            *b /= scale[k / m];
        }
        for k in 0..p * n {
            system.c[k] *= scale[k % n];
        }
        system
    }

    /// The same system without the states that no input reaches.
    #[must_use]
    pub(crate) fn reached(&self) -> Self {
        let [n, m, p] = self.size;
        let mut reached: Vec<bool> = (0..n)
            .map(|i| (0..m).any(|j| self.b[i * m + j] != 0.0))
            .collect();
        for _ in 0..n {
            for i in 0..n {
                reached[i] |= (0..n).any(|j| reached[j] && self.a[i * n + j] != 0.0);
            }
        }
        let kept: Vec<usize> = (0..n).filter(|i| reached[*i]).collect();
        let size = kept.len();
        Self {
            size: [size, m, p],
            a: (0..size * size)
                .map(|e| self.a[kept[e / size] * n + kept[e % size]])
                .collect(),
            b: (0..size * m)
                .map(|e| self.b[kept[e / m] * m + e % m])
                .collect(),
            c: (0..p * size)
                .map(|e| self.c[e / size * n + kept[e % size]])
                .collect(),
            d: self.d.clone(),
        }
    }

    /// Φ and Γ of x₊ = Φ x + Γ u for inputs held over `period` (Van Loan 1978).
    pub fn held(&self, period: f64) -> (Vec<f64>, Vec<f64>) {
        let [n, m, _] = self.size;
        let size = n + m;
        let mut block = vec![0.0; size * size];
        for i in 0..n {
            for j in 0..n {
                block[i * size + j] = self.a[i * n + j] * period;
            }
            for j in 0..m {
                block[i * size + n + j] = self.b[i * m + j] * period;
            }
        }
        // Pascal beside metres: without balancing, eight of sixteen digits would go into the
        // squaring.
        let scale = balance(&mut block, size, n);
        let mut e = exponential(&block, size);
        for i in 0..size {
            for j in 0..size {
                e[i * size + j] *= scale[i] / scale[j];
            }
        }
        let phi = (0..n * n).map(|k| e[k / n * size + k % n]).collect();
        let gamma = (0..n * m).map(|k| e[k / m * size + n + k % m]).collect();
        (phi, gamma)
    }

    /// C (jωI − A)⁻¹ B + D from one input to one output: real and imaginary part. Not a number at
    /// an undamped pole.
    #[must_use]
    pub fn response(&self, omega: f64, output: usize, input: usize) -> [f64; 2] {
        let system = self.balanced();
        let [n, m, _] = system.size;
        let size = 2 * n;
        // (jωI − A)(x + jy) = b, as 2n real equations.
        let mut a = vec![0.0; size * size];
        let mut b = vec![0.0; size];
        for i in 0..n {
            for j in 0..n {
                a[i * size + j] = -system.a[i * n + j];
                a[(n + i) * size + n + j] = -system.a[i * n + j];
            }
            a[i * size + n + i] -= omega;
            a[(n + i) * size + i] += omega;
            b[i] = system.b[i * m + input];
        }
        if !small::solve(&mut a, &mut b, size, 1) {
            return [f64::NAN; 2];
        }
        let row = &system.c[output * n..(output + 1) * n];
        let part = |x: &[f64]| row.iter().zip(x).map(|(c, x)| c * x).sum::<f64>();
        [part(&b[..n]) + system.d[output * m + input], part(&b[n..])]
    }

    /// The same system sampled every `period` seconds, exact while the inputs are held between
    /// samples.
    pub fn sampled(&self, period: f64) -> SampledLinear {
        let (phi, gamma) = self.held(period);
        let [n, m, p] = self.size;
        let mut forced = product(&self.c, &gamma, [p, n, m]);
        for (sum, d) in forced.iter_mut().zip(&self.d) {
            *sum += d;
        }
        let free = product(&self.c, &phi, [p, n, n]);
        let beside = |left: &[f64], right: &[f64], rows: usize| -> Vec<f64> {
            (0..rows)
                .flat_map(|i| left[i * n..][..n].iter().chain(&right[i * m..][..m]))
                .copied()
                .collect()
        };
        let mut rows = beside(&phi, &gamma, n);
        rows.extend(beside(&free, &forced, p));
        let step = Blocks::new(&rows, n + m);
        SampledLinear {
            states: n,
            next: vec![0.0; step.padded()],
            step,
            c: self.c.clone(),
            past: vec![0.0; n + m],
        }
    }

    /// The system whose outputs are those of this one, then their derivatives, then the second ones
    /// (between jumps of the held inputs): y, y' = C A x + C B u, y'' = C A² x + C A B u.
    #[must_use]
    pub fn with_derivatives(&self) -> Self {
        let [n, m, p] = self.size;
        let (mut c, mut d) = (self.c.clone(), self.d.clone());
        let mut row = self.c.clone();
        for _ in 0..2 {
            d.extend(product(&row, &self.b, [p, n, m]));
            row = product(&row, &self.a, [p, n, n]);
            c.extend_from_slice(&row);
        }
        Self {
            size: [n, m, 3 * p],
            a: self.a.clone(),
            b: self.b.clone(),
            c,
            d,
        }
    }
}

/// Scales rows and columns by powers of two until those of the first `n` have like norms (Parlett
/// and Reinsch 1969); the columns after them (inputs) are only made small. Returns the scales;
/// nothing is rounded.
fn balance(block: &mut [f64], size: usize, n: usize) -> Vec<f64> {
    let mut scale = vec![1.0; size];
    let mut apply = |block: &mut [f64], i: usize, f: f64| {
        scale[i] *= f;
        for j in 0..size {
            block[i * size + j] /= f;
            block[j * size + i] *= f;
        }
    };
    for _ in 0..60 {
        let mut settled = true;
        for i in 0..n {
            let others = || (0..n).filter(move |j| *j != i);
            let row: f64 = others().map(|j| block[i * size + j].abs()).sum();
            let column: f64 = others().map(|j| block[j * size + i].abs()).sum();
            if row > 0.0 && column > 0.0 {
                let f = (row / column).sqrt().log2().round().exp2();
                if !(0.6..=1.7).contains(&f) {
                    apply(block, i, f);
                    settled = false;
                }
            }
        }
        if settled {
            break;
        }
    }
    for i in n..size {
        let column: f64 = (0..n).map(|j| block[j * size + i].abs()).sum();
        if column > 1.0 {
            apply(block, i, (-column.log2().ceil()).exp2());
        }
    }
    scale
}

/// A sampled linear system with its state.
#[derive(Clone, Debug)]
pub struct SampledLinear {
    states: usize,
    /// [Φ Γ; CΦ CΓ + D]: states and outputs at the end of a period.
    step: Blocks<4>,
    /// Outputs × states: what a state moved from outside does at once.
    c: Vec<f64>,
    /// States, then the inputs that are held.
    past: Vec<f64>,
    /// States and outputs, padded.
    next: Vec<f64>,
}

snapshot!(SampledLinear { past, next });

impl SampledLinear {
    /// Holds `input` for one period.
    #[inline]
    pub fn advance(&mut self, input: &[f64]) {
        copy_few(&mut self.past[self.states..], input);
        pulp::Arch::new().dispatch(Advance(self));
    }

    /// Moves state `i` from outside, as the reset of an integral.
    #[inline]
    pub fn shift_state(&mut self, i: usize, by: f64) {
        self.past[i] += by;
        let (states, outputs) = self.next.split_at_mut(self.states);
        states[i] += by;
        for (y, row) in outputs.iter_mut().zip(self.c.chunks_exact(self.states)) {
            *y += row[i] * by;
        }
    }

    /// Output `i` at the end of the last period, under the inputs held so far.
    #[inline]
    pub fn output(&self, i: usize) -> f64 {
        self.next[self.states + i]
    }
}

/// One period, with the widest vectors of the machine at hand.
struct Advance<'a>(&'a mut SampledLinear);

impl pulp::WithSimd for Advance<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let SampledLinear {
            states,
            step,
            past,
            next,
            ..
        } = self.0;
        step.mul_into(past, next);
        for (state, x) in past.iter_mut().take(*states).zip(next) {
            *state = *x;
        }
    }
}
