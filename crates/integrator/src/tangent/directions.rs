//! Coordinates that turn each for itself.

use super::dot;
use super::small::{cholesky, symmetric};
use tandem_structure::linalg::small::product_into;

/// q = T Δd: floors, drifts or modes. A stiffness in these coordinates is K̂ = T⁻ᵀ K T⁻¹; where one
/// of them has turned, its row and column are those of the initial stiffness again, and all others
/// keep their estimate.
pub(super) struct Directions {
    n: usize,
    /// T and T⁻¹, by rows.
    to: Vec<f64>,
    back: Vec<f64>,
    /// K̂ of the initial stiffness, of now, and a product on the way there.
    initial: Vec<f64>,
    local: Vec<f64>,
    half: Vec<f64>,
}

impl Directions {
    /// The degrees of freedom themselves.
    pub fn degrees_of_freedom(initial: &[f64], n: usize) -> Self {
        let identity = |at: usize| f64::from(u8::from(at / n == at % n));
        let identity: Vec<f64> = (0..n * n).map(identity).collect();
        Self::new(initial, n, identity.clone(), identity)
    }

    /// Each degree of freedom relative to the one before it: the storeys, where floors are measured
    /// from the ground up.
    pub fn drifts(initial: &[f64], n: usize) -> Self {
        let (mut to, mut back) = (vec![0.0; n * n], vec![0.0; n * n]);
        for i in 0..n {
            to[i * n + i] = 1.0;
            if i > 0 {
                to[i * n + i - 1] = -1.0;
            }
            back[i * n..=i * n + i].fill(1.0);
        }
        Self::new(initial, n, to, back)
    }

    /// The shapes Φ in which the measured degrees of freedom would vibrate with their `mass` and
    /// the initial stiffness: K Φ = M Φ Λ, Φᵀ M Φ = 1, T = Φᵀ M. None where one of them has no
    /// mass.
    pub fn modes(initial: &[f64], mass: &[f64], n: usize) -> Option<Self> {
        let root = cholesky(mass, n)?;
        // L⁻¹ of M = L Lᵀ, by rows.
        let mut inverse = vec![0.0; n * n];
        for j in 0..n {
            for i in j..n {
                let unit = f64::from(u8::from(i == j));
                let known: f64 = (j..i).map(|k| root[i * n + k] * inverse[k * n + j]).sum();
                inverse[i * n + j] = (unit - known) / root[i * n + i];
            }
        }
        let (mut half, mut turned) = (vec![0.0; n * n], vec![0.0; n * n]);
        // A = L⁻¹ K L⁻ᵀ: its eigenvectors V give Φ = L⁻ᵀ V and T = Vᵀ Lᵀ.
        product_into(&inverse, initial, &mut half, [n, n, n]);
        for i in 0..n {
            for j in 0..n {
                turned[i * n + j] = dot(&half[i * n..(i + 1) * n], &inverse[j * n..(j + 1) * n]);
            }
        }
        let mut vectors = vec![0.0; n * n];
        symmetric(&mut turned, &mut vectors, n);
        let (mut to, mut back) = (vec![0.0; n * n], vec![0.0; n * n]);
        for i in 0..n {
            for j in 0..n {
                for k in 0..n {
                    to[j * n + i] += vectors[k * n + j] * root[i * n + k];
                    back[i * n + j] += inverse[k * n + i] * vectors[k * n + j];
                }
            }
        }
        Some(Self::new(initial, n, to, back))
    }

    fn new(initial: &[f64], n: usize, to: Vec<f64>, back: Vec<f64>) -> Self {
        let mut this = Self {
            n,
            to,
            back,
            initial: vec![0.0; n * n],
            local: vec![0.0; n * n],
            half: vec![0.0; n * n],
        };
        congruence(&this.back, initial, &mut this.half, &mut this.initial, n);
        this
    }

    /// Whether coordinate `i` goes the other way in one increment than in the other.
    #[inline]
    pub fn turns(&self, i: usize, increment: &[f64], last: &[f64]) -> bool {
        let row = &self.to[i * self.n..(i + 1) * self.n];
        dot(row, increment) * dot(row, last) < 0.0
    }

    /// Gives the coordinates of which `fresh` is true their initial stiffness back.
    pub fn forget(&mut self, stiffness: &mut [f64], fresh: impl Fn(usize) -> bool) {
        let n = self.n;
        if !(0..n).any(&fresh) {
            return;
        }
        congruence(&self.back, stiffness, &mut self.half, &mut self.local, n);
        for i in 0..n {
            for j in 0..n {
                if fresh(i) || fresh(j) {
                    self.local[i * n + j] = self.initial[i * n + j];
                }
            }
        }
        congruence(&self.to, &self.local, &mut self.half, stiffness, n);
    }
}

/// C = Aᵀ B A, with B A in `half`.
fn congruence(a: &[f64], b: &[f64], half: &mut [f64], c: &mut [f64], n: usize) {
    product_into(b, a, half, [n, n, n]);
    c.fill(0.0);
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                c[i * n + j] += a[k * n + i] * half[k * n + j];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INITIAL: [f64; 9] = [75.0, -35.0, 0.0, -35.0, 65.0, -30.0, 0.0, -30.0, 30.0];
    const MASS: [f64; 9] = [2.0, 0.0, 0.0, 0.0, 3.0, 0.5, 0.0, 0.5, 1.0];

    fn near(found: &[f64], expected: &[f64]) {
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-11, "{found:?}, expected {expected:?}");
        }
    }

    /// K Φ = M Φ Λ: in modal coordinates the initial stiffness is diagonal, and T⁻¹ undoes T.
    #[test]
    fn modes_part_the_initial_stiffness() {
        let modes = Directions::modes(&INITIAL, &MASS, 3).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                let off = modes.initial[i * 3 + j];
                assert!(i == j || off.abs() < 1e-11, "{:?}", modes.initial);
            }
        }
        let mut unit = vec![0.0; 9];
        product_into(&modes.to, &modes.back, &mut unit, [3, 3, 3]);
        near(&unit, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        assert!(Directions::modes(&INITIAL, &[0.0; 9], 3).is_none());
    }

    /// A storey that unloads has its spring back; the tangents of the others stay.
    #[test]
    fn a_storey_that_turns_gets_its_own_stiffness_back() {
        let chain = |k: [f64; 3]| {
            [
                k[0] + k[1],
                -k[1],
                0.0,
                -k[1],
                k[1] + k[2],
                -k[2],
                0.0,
                -k[2],
                k[2],
            ]
        };
        let mut drifts = Directions::drifts(&chain([40.0, 35.0, 30.0]), 3);
        let mut k = chain([4.0, 3.5, 3.0]);
        drifts.forget(&mut k, |i| i == 1);
        near(&k, &chain([4.0, 35.0, 3.0]));
        // The second storey turns although its floor goes on.
        assert!(drifts.turns(1, &[2.0, 1.0, 1.0], &[1.0, 2.0, 2.0]));
        assert!(!drifts.turns(0, &[2.0, 1.0, 1.0], &[1.0, 2.0, 2.0]));
    }

    #[test]
    fn all_turned_is_the_initial_stiffness_and_none_changes_nothing() {
        for mut directions in [
            Directions::degrees_of_freedom(&INITIAL, 3),
            Directions::drifts(&INITIAL, 3),
            Directions::modes(&INITIAL, &MASS, 3).unwrap(),
        ] {
            let mut k = INITIAL.map(|x| 0.3 * x);
            directions.forget(&mut k, |_| false);
            let kept = INITIAL.map(|x| 0.3 * x);
            assert_eq!(k.map(f64::to_bits), kept.map(f64::to_bits));
            directions.forget(&mut k, |_| true);
            near(&k, &INITIAL);
        }
    }
}
