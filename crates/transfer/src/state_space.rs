//! Linear systems sampled exactly for held inputs.

use tandem_quantity::snapshot;
use tandem_structure::linalg::small::{exponential, product};

/// A continuous single-input single-output linear system x' = A x + b u, y = c x + d u.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSpace {
    /// System matrix, row-major, `order × order`.
    pub a: Vec<f64>,
    /// Input column.
    pub b: Vec<f64>,
    /// Output row.
    pub c: Vec<f64>,
    /// Feed-through.
    pub d: f64,
}

/// Why a transfer function cannot be realised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateSpaceError {
    /// Empty, non-finite or zero leading coefficient.
    #[error("the denominator is empty, not finite, or starts with zero")]
    Denominator,
    /// Empty or non-finite.
    #[error("the numerator is empty or not finite")]
    Numerator,
    /// Numerator of higher order than the denominator.
    #[error("the numerator has a higher order than the denominator")]
    Improper,
    /// A pole with a positive real part.
    #[error("the transfer function is unstable: it has a pole in the right half plane")]
    Unstable,
}

impl StateSpace {
    /// Realises numerator/denominator (highest power of s first) in controllable canonical form,
    /// with time scaled so that the coefficients stay near one.
    pub fn from_transfer_function(
        numerator: &[f64],
        denominator: &[f64],
    ) -> Result<Self, StateSpaceError> {
        let finite = |p: &[f64]| !p.is_empty() && p.iter().all(|x| x.is_finite());
        if !finite(denominator) || denominator[0] == 0.0 {
            return Err(StateSpaceError::Denominator);
        }
        if !finite(numerator) {
            return Err(StateSpaceError::Numerator);
        }
        let leading_zeros = numerator.iter().take_while(|x| **x == 0.0).count();
        let numerator = &numerator[leading_zeros.min(numerator.len() - 1)..];
        if numerator.len() > denominator.len() {
            return Err(StateSpaceError::Improper);
        }
        let order = denominator.len() - 1;
        // Monic polynomials in s = w σ. The scale w makes the constant term of the denominator one,
        // which keeps the matrix exponential of a stiff servo-hydraulic plant well conditioned.
        let monic: Vec<f64> = denominator.iter().map(|x| x / denominator[0]).collect();
        let w = if order > 0 && monic[order] != 0.0 {
            monic[order].abs().powf(1.0 / order as f64)
        } else {
            1.0
        };
        let power = |k: usize| w.powi(i32::try_from(k).unwrap_or(i32::MAX));
        let den: Vec<f64> = (0..=order).map(|i| monic[i] / power(i)).collect();
        let mut num = vec![0.0; order + 1];
        let offset = order + 1 - numerator.len();
        for (i, x) in numerator.iter().enumerate() {
            num[offset + i] = x / denominator[0] / power(offset + i);
        }
        let d = num[0];
        let mut a = vec![0.0; order * order];
        let mut b = vec![0.0; order];
        let mut c = vec![0.0; order];
        for i in 0..order {
            // States are the signal and its scaled derivatives: row i shifts, the last row closes.
            if i + 1 < order {
                a[i * order + i + 1] = w;
            } else {
                for j in 0..order {
                    a[i * order + j] = -w * den[order - j];
                }
                b[i] = w;
            }
            c[i] = num[order - i] - d * den[order - i];
        }
        let system = Self { a, b, c, d };
        if system.is_stable() {
            Ok(system)
        } else {
            Err(StateSpaceError::Unstable)
        }
    }

    /// Number of states.
    pub fn order(&self) -> usize {
        self.b.len()
    }

    /// Output for a constant input after a long time, per unit input.
    pub fn static_gain(&self) -> f64 {
        let n = self.order();
        // Solve A x = −b by elimination with row exchange.
        let mut m = self.a.clone();
        let mut x: Vec<f64> = self.b.iter().map(|v| -v).collect();
        for k in 0..n {
            let pivot = (k..n)
                .max_by(|i, j| m[i * n + k].abs().total_cmp(&m[j * n + k].abs()))
                .unwrap_or(k);
            if m[pivot * n + k] == 0.0 {
                return f64::INFINITY;
            }
            for j in 0..n {
                m.swap(k * n + j, pivot * n + j);
            }
            x.swap(k, pivot);
            for i in k + 1..n {
                let f = m[i * n + k] / m[k * n + k];
                for j in k..n {
                    m[i * n + j] -= f * m[k * n + j];
                }
                x[i] -= f * x[k];
            }
        }
        for k in (0..n).rev() {
            let mut sum = x[k];
            for j in k + 1..n {
                sum -= m[k * n + j] * x[j];
            }
            x[k] = sum / m[k * n + k];
        }
        self.c.iter().zip(&x).map(|(c, x)| c * x).sum::<f64>() + self.d
    }

    /// Whether free motion decays or stays bounded: exp(A t) for a long time does not grow. A
    /// single integrator (an open-loop actuator) is allowed.
    pub fn is_stable(&self) -> bool {
        let n = self.order();
        if n == 0 {
            return true;
        }
        // Repeated squaring of exp(A h): 2^30 steps reach any practical time constant.
        let norm = self
            .a
            .iter()
            .fold(0.0_f64, |m, x| m.max(x.abs()))
            .max(1e-300);
        let mut e = exponential(&self.a.iter().map(|x| x / norm).collect::<Vec<_>>(), n);
        for _ in 0..30 {
            e = product(&e, &e, [n, n, n]);
            let size = e.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            if !size.is_finite() || size > 1e6 {
                return false;
            }
        }
        true
    }

    /// The same system sampled every `period` seconds, exact while the input is held between
    /// samples.
    pub fn sampled(&self, period: f64) -> SampledSystem {
        let n = self.order();
        // exp([A b; 0 0] h) = [Φ Γ; 0 1]  (Van Loan 1978).
        let m = n + 1;
        let mut block = vec![0.0; m * m];
        for i in 0..n {
            for j in 0..n {
                block[i * m + j] = self.a[i * n + j] * period;
            }
            block[i * m + n] = self.b[i] * period;
        }
        let e = exponential(&block, m);
        let mut phi = vec![0.0; n * n];
        let mut gamma = vec![0.0; n];
        for i in 0..n {
            phi[i * n..(i + 1) * n].copy_from_slice(&e[i * m..i * m + n]);
            gamma[i] = e[i * m + n];
        }
        // Output and its derivatives between jumps of the held input: y = c x + d u, y' = c A x + c
        // b u, …
        let row = |c: &[f64]| -> (Vec<f64>, f64) {
            let next = (0..n)
                .map(|j| (0..n).map(|i| c[i] * self.a[i * n + j]).sum())
                .collect();
            (next, c.iter().zip(&self.b).map(|(c, b)| c * b).sum())
        };
        let (c1, d1) = row(&self.c);
        let (c2, d2) = row(&c1);
        SampledSystem {
            phi,
            gamma,
            outputs: [(self.c.clone(), self.d), (c1, d1), (c2, d2)],
            state: vec![0.0; n],
            next: vec![0.0; n],
            input: 0.0,
        }
    }
}

/// A sampled linear system with its state. Input: held over the next period. Outputs: y, y', y''.
#[derive(Clone, Debug)]
pub struct SampledSystem {
    phi: Vec<f64>,
    gamma: Vec<f64>,
    outputs: [(Vec<f64>, f64); 3],
    state: Vec<f64>,
    next: Vec<f64>,
    input: f64,
}

snapshot!(SampledSystem { state, input });

impl SampledSystem {
    /// Holds `input` for one period.
    #[inline]
    pub fn advance(&mut self, input: f64) {
        let n = self.state.len();
        for i in 0..n {
            let row = &self.phi[i * n..(i + 1) * n];
            self.next[i] = row.iter().zip(&self.state).map(|(p, x)| p * x).sum::<f64>()
                + self.gamma[i] * input;
        }
        std::mem::swap(&mut self.state, &mut self.next);
        self.input = input;
    }

    /// Output and its first two derivatives at the end of the last period, under the input held so
    /// far.
    #[inline]
    pub fn output(&self) -> [f64; 3] {
        std::array::from_fn(|k| {
            let (c, d) = &self.outputs[k];
            c.iter().zip(&self.state).map(|(c, x)| c * x).sum::<f64>() + d * self.input
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_order_step_is_the_closed_form() {
        let (w, z): (f64, f64) = (2.0 * std::f64::consts::PI * 12.0, 0.7);
        let system =
            StateSpace::from_transfer_function(&[w * w], &[1.0, 2.0 * z * w, w * w]).unwrap();
        let h = 1.0 / 1024.0;
        let mut sampled = system.sampled(h);
        let wd = w * (1.0 - z * z).sqrt();
        for k in 1..=200_u32 {
            sampled.advance(1.0);
            let t = f64::from(k) * h;
            let decay = (-z * w * t).exp();
            let y = 1.0 - decay * ((wd * t).cos() + z * w / wd * (wd * t).sin());
            let v = decay * w * w / wd * (wd * t).sin();
            let a = w * w - w * w * y - 2.0 * z * w * v;
            let out = sampled.output();
            assert!((out[0] - y).abs() < 1e-13, "{k}: {} {y}", out[0]);
            assert!((out[1] - v).abs() < 1e-11 * w, "{k}: {} {v}", out[1]);
            assert!((out[2] - a).abs() < 1e-9 * w * w, "{k}: {} {a}", out[2]);
        }
        assert!((system.static_gain() - 1.0).abs() < 1e-12);
    }

    /// The single-actuator benchmark's plant (Gálmez and Fermandois 2020, Eq. 29): five stiff
    /// poles. Expected: step response by partial fractions in 50-digit arithmetic (mpmath
    /// polyroots), 50th and 500th sample.
    #[test]
    fn a_stiff_servo_hydraulic_plant_is_sampled_exactly() {
        let num = [2.185_593e13];
        let den = [
            29.1,
            12_578.13,
            8.419_896e6,
            2.328_65e9,
            5.437_068e11,
            2.169_27e13,
        ];
        let system = StateSpace::from_transfer_function(&num, &den).unwrap();
        let mut sampled = system.sampled(1.0 / 4096.0);
        let mut values = Vec::new();
        for _ in 0..500 {
            sampled.advance(1.0);
            values.push(sampled.output()[0]);
        }
        assert!(
            (values[49] - PLANT_STEP_50).abs() < 1e-12,
            "{:.17}",
            values[49]
        );
        assert!(
            (values[499] - PLANT_STEP_500).abs() < 1e-12,
            "{:.17}",
            values[499]
        );
    }
    const PLANT_STEP_50: f64 = 0.308_892_738_286_021_2;
    const PLANT_STEP_500: f64 = 1.019_480_338_885_998;

    #[test]
    fn bad_transfer_functions_are_refused() {
        use StateSpaceError::{Denominator, Improper, Numerator, Unstable};
        let realise = StateSpace::from_transfer_function;
        assert_eq!(realise(&[1.0], &[]).unwrap_err(), Denominator);
        assert_eq!(realise(&[1.0], &[0.0, 1.0]).unwrap_err(), Denominator);
        assert_eq!(realise(&[f64::NAN], &[1.0, 1.0]).unwrap_err(), Numerator);
        assert_eq!(
            realise(&[1.0, 0.0, 0.0], &[1.0, 1.0]).unwrap_err(),
            Improper
        );
        assert_eq!(realise(&[1.0], &[1.0, -1.0]).unwrap_err(), Unstable);
        assert!(
            realise(&[1.0], &[0.01, 1.0, 0.0]).is_ok(),
            "an open-loop actuator integrates"
        );
    }
}
