//! One path from a command to a measured motion.

use std::f64::consts::PI;

use tandem_signal::Complex;
use tandem_transfer::LinearSystem;

use crate::index;

/// How many zeros and poles a path has; fewer zeros than poles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// Poles, 1 … 6.
    pub poles: usize,
    /// Zeros, below `poles`.
    pub zeros: usize,
}

/// A pole, or a pair of conjugate ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pole {
    /// |s|/2π, Hz.
    pub frequency: f64,
    /// −Re s/|s|; 1 for a real pole.
    pub damping: f64,
}

/// Gain, delay, poles and zeros.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Static gain.
    pub gain: f64,
    /// Pure delay, s.
    pub delay: f64,
    /// z₁, z₂, … of the numerator 1 + z₁ s + z₂ s² …
    pub zeros: Vec<f64>,
    /// ω (rad/s) and ζ of factors 1 + 2ζ s/ω + s²/ω²; two real poles where ζ ≥ 1.
    pub pairs: Vec<[f64; 2]>,
    /// c (rad/s) of a factor 1 + s/c.
    pub single: Option<f64>,
}

impl Path {
    pub(super) fn shape(&self) -> Shape {
        Shape {
            poles: 2 * self.pairs.len() + usize::from(self.single.is_some()),
            zeros: self.zeros.len(),
        }
    }

    /// The unknowns of a fit: gain, delay, zeros over the scale of time, logarithms of frequencies
    /// and damping ratios.
    pub(super) fn to_unknowns(&self, scale: f64) -> Vec<f64> {
        let mut x = vec![self.gain, self.delay / scale];
        let mut power = 1.0;
        for z in &self.zeros {
            power *= scale;
            x.push(z / power);
        }
        for [w, zeta] in &self.pairs {
            x.extend([(w * scale).ln(), zeta.ln()]);
        }
        x.extend(self.single.map(|c| (c * scale).ln()));
        x
    }

    pub(super) fn from_unknowns(x: &[f64], shape: Shape, scale: f64) -> Self {
        let mut rest = x[2..].iter().copied();
        let mut next = || rest.next().unwrap_or(0.0);
        let mut power = 1.0;
        let zeros = (0..shape.zeros)
            .map(|_| {
                power *= scale;
                next() * power
            })
            .collect();
        let pairs = (0..shape.poles / 2)
            .map(|_| [next().exp() / scale, next().exp()])
            .collect();
        let single = (shape.poles % 2 == 1).then(|| next().exp() / scale);
        Self {
            gain: x[0],
            delay: x[1] * scale,
            zeros,
            pairs,
            single,
        }
    }

    /// Numerator and denominator without the delay, highest power of s first.
    #[must_use]
    pub fn polynomials(&self) -> (Vec<f64>, Vec<f64>) {
        let mut denominator = vec![1.0];
        let mut times = |factor: &[f64]| {
            let mut product = vec![0.0; denominator.len() + factor.len() - 1];
            for (i, a) in denominator.iter().enumerate() {
                for (j, b) in factor.iter().enumerate() {
                    product[i + j] += a * b;
                }
            }
            denominator = product;
        };
        for [w, zeta] in &self.pairs {
            times(&[1.0, 2.0 * zeta * w, w * w]);
        }
        if let Some(c) = self.single {
            times(&[1.0, c]);
        }
        let last = denominator.last().copied().unwrap_or(1.0);
        let mut numerator: Vec<f64> = self.zeros.iter().rev().copied().collect();
        numerator.push(1.0);
        numerator.iter_mut().for_each(|n| *n *= self.gain * last);
        (numerator, denominator)
    }

    /// All poles, slowest first.
    #[must_use]
    pub fn poles(&self) -> Vec<Pole> {
        let mut poles = Vec::new();
        let real = |s: f64| Pole {
            frequency: s / (2.0 * PI),
            damping: 1.0,
        };
        for &[w, zeta] in &self.pairs {
            if zeta < 1.0 {
                poles.push(Pole {
                    frequency: w / (2.0 * PI),
                    damping: zeta,
                });
            } else {
                let root = (zeta * zeta - 1.0).sqrt();
                poles.extend([real(w * (zeta - root)), real(w * (zeta + root))]);
            }
        }
        poles.extend(self.single.map(real));
        poles.sort_by(|a, b| a.frequency.total_cmp(&b.frequency));
        poles
    }

    /// Delay at low frequency, s: the pure delay and the lag of poles and zeros.
    #[must_use]
    pub fn low_frequency_delay(&self) -> f64 {
        let pairs: f64 = self.pairs.iter().map(|[w, zeta]| 2.0 * zeta / w).sum();
        self.delay + pairs + self.single.map_or(0.0, |c| 1.0 / c)
            - self.zeros.first().unwrap_or(&0.0)
    }

    /// Response at `frequency` (Hz) to a continuous command.
    #[must_use]
    pub fn response(&self, frequency: f64) -> Complex<f64> {
        let s = Complex::new(0.0, 2.0 * PI * frequency);
        let mut h = Complex::new(self.gain, 0.0) * (-s * self.delay).exp();
        let mut numerator = Complex::new(1.0, 0.0);
        let mut power = Complex::new(1.0, 0.0);
        for z in &self.zeros {
            power *= s;
            numerator += power * *z;
        }
        h *= numerator;
        for [w, zeta] in &self.pairs {
            h /= 1.0 + s * (2.0 * zeta / w) + s * s / (w * w);
        }
        if let Some(c) = self.single {
            h /= 1.0 + s / c;
        }
        h
    }

    /// Response at `frequency` (Hz) to a command held over `period`: what a Welch estimate from
    /// samples sees, but for aliases.
    #[must_use]
    pub fn held_response(&self, frequency: f64, period: f64) -> Complex<f64> {
        self.response(frequency) * holding(frequency, period)
    }

    /// Adds the answer to the held command `input` to `output`, from rest. Exact at the samples.
    /// False where it is not finite.
    pub fn add_answer(&self, input: &[f64], period: f64, output: &mut [f64]) -> bool {
        let Some(mut system) = Realised::new(self, period) else {
            return false;
        };
        for (u, y) in input.iter().zip(output) {
            *y += system.output();
            system.advance(*u);
        }
        system.output().is_finite()
    }
}

/// What holding a command over `period` makes of it at `frequency` (Hz): sin(πfT)/(πfT), half a
/// period late.
pub(crate) fn holding(frequency: f64, period: f64) -> Complex<f64> {
    let half = PI * frequency * period;
    let sinc = if half.abs() < 1e-9 {
        1.0
    } else {
        half.sin() / half
    };
    Complex::new(0.0, -half).exp() * sinc
}

/// A path as a sampled system: exact for a held command, any delay.
pub(crate) struct Realised {
    phi: Vec<f64>,
    before: Vec<f64>,
    after: Vec<f64>,
    c: Vec<f64>,
    x: Vec<f64>,
    next: Vec<f64>,
    /// Commands still under way, newest at `head`.
    line: Vec<f64>,
    head: usize,
}

impl Realised {
    /// At rest; none where the path has no realisation.
    pub fn new(path: &Path, period: f64) -> Option<Self> {
        let (numerator, denominator) = path.polynomials();
        let system = LinearSystem::from_columns(&[vec![numerator]], &[denominator]).ok()?;
        let n = system.size[0];
        let whole = (path.delay / period).floor();
        if !(0.0..1e6).contains(&whole) {
            return None;
        }
        let part = path.delay - whole * period;
        // The held command changes `part` after each sample: x₊ = Φ x + Φ(T−r) Γ(r) u₋ + Γ(T−r) u.
        let (phi, _) = system.held(period);
        let (_, early) = system.held(part);
        let (rest, after) = system.held(period - part);
        let before = (0..n)
            .map(|i| (0..n).map(|j| rest[i * n + j] * early[j]).sum())
            .collect();
        Some(Self {
            phi,
            before,
            after,
            c: system.c,
            x: vec![0.0; n],
            next: vec![0.0; n],
            line: vec![0.0; index(whole) + 2],
            head: 0,
        })
    }

    /// Output at this sample.
    #[inline]
    pub fn output(&self) -> f64 {
        self.x.iter().zip(&self.c).map(|(x, c)| x * c).sum()
    }

    /// Holds `input` until the next sample.
    #[inline]
    pub fn advance(&mut self, input: f64) {
        let size = self.line.len();
        self.head = if self.head == 0 {
            size - 1
        } else {
            self.head - 1
        };
        self.line[self.head] = input;
        let late = self.line[(self.head + size - 2) % size];
        let later = self.line[(self.head + size - 1) % size];
        let n = self.x.len();
        for i in 0..n {
            let row = &self.phi[i * n..(i + 1) * n];
            self.next[i] = row.iter().zip(&self.x).map(|(a, b)| a * b).sum::<f64>()
                + self.before[i] * later
                + self.after[i] * late;
        }
        std::mem::swap(&mut self.x, &mut self.next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A first-order lag behind a delay of two and a half samples: 1 − exp(−(t − τ)/T) at every
    /// sample.
    #[test]
    fn a_fractional_delay_is_exact() {
        let path = Path {
            gain: 2.0,
            delay: 0.025,
            zeros: Vec::new(),
            pairs: Vec::new(),
            single: Some(1.0 / 0.05),
        };
        let mut y = vec![0.0; 60];
        assert!(path.add_answer(&[1.0; 60], 0.01, &mut y));
        for (k, y) in y.iter().enumerate() {
            let t = (crate::real(k) * 0.01 - 0.025).max(0.0);
            assert!((y - 2.0 * (1.0 - (-t / 0.05).exp())).abs() < 1e-12);
        }
    }

    #[test]
    fn unknowns_and_back() {
        let path = Path {
            gain: 0.97,
            delay: 0.004,
            zeros: vec![0.01],
            pairs: vec![[75.0, 0.6], [220.0, 1.4]],
            single: Some(300.0),
        };
        let x = path.to_unknowns(0.02);
        let again = Path::from_unknowns(&x, path.shape(), 0.02);
        assert!((again.zeros[0] - 0.01).abs() < 1e-14);
        assert!((again.pairs[1][1] - 1.4).abs() < 1e-12);
        assert!((again.single.unwrap() - 300.0).abs() < 1e-9);
        let poles = path.poles();
        assert_eq!(poles.len(), 4);
        // 220 (1.4 ± √0.96): the two real poles of the second pair.
        assert!((poles[0].frequency * 2.0 * PI - 75.0).abs() < 1e-9);
        assert!((poles[3].frequency * 2.0 * PI - 220.0 * (1.4 + 0.96_f64.sqrt())).abs() < 1e-9);
    }
}
