//! Branches of the Menegotto–Pinto curve, several fibres side by side: each parameter in one short
//! array, every operation over all of them and without a jump, so that the compiler uses vector
//! registers. One fibre is an array of one; the bits are the same.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::power::{exp, ln, straight_below, transition};

/// What the curve needs of the law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Curve {
    pub yield_stress: f64,
    pub modulus: f64,
    pub hardening_ratio: f64,
    /// R0, cR1, cR2.
    pub roundness: [f64; 3],
    /// a1 … a4.
    pub isotropic: [f64; 4],
}

macro_rules! branches {
    ($($(#[$doc:meta])* $field:ident),* $(,)?) => {
        /// One branch of the curve for each of N fibres, and the committed point on it.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Branches<const N: usize> {
            $($(#[$doc])* pub(super) $field: [f64; N],)*
        }

        impl<const N: usize> Branches<N> {
            pub(super) fn zero() -> Self {
                Self { $($field: [0.0; N]),* }
            }

            /// N times the same.
            pub(super) fn all(one: &Branches<1>) -> Self {
                Self { $($field: [one.$field[0]; N]),* }
            }

            /// Takes the lanes of `other` where `which` says so.
            #[inline(always)]
            fn choose(&mut self, which: &[bool; N], other: &Self) {
                $(
                    for i in 0..N {
                        self.$field[i] = if which[i] { other.$field[i] } else { self.$field[i] };
                    }
                )*
            }
        }

        impl<const N: usize> Snapshot for Branches<N> {
            fn save(&self, into: &mut Vec<f64>) {
                $(self.$field.save(into);)*
            }
            fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
                $(self.$field.restore(from)?;)*
                Ok(())
            }
        }
    };
}

branches! {
    /// Committed strain, with the offset of an initial stress.
    strain,
    /// Committed stress.
    stress,
    /// +1, −1, or 0 where the fibre has not been loaded yet.
    direction,
    strain_max,
    strain_min,
    reversal_strain,
    reversal_stress,
    /// 1/(ε_0 − ε_r).
    inverse_span,
    /// σ_0 − σ_r.
    rise,
    /// R.
    exponent,
    /// 1/R.
    inverse_exponent,
    /// The |x| below which the curve is a straight line to the last bit.
    straight,
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline(always)]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

impl<const N: usize> Branches<N> {
    /// Which strains (with the offset) leave their branches: the first loading, or a turn.
    #[inline(always)]
    pub(super) fn turns(&self, strain: &[f64; N]) -> [bool; N] {
        let mut turns = [false; N];
        for i in 0..N {
            let increment = strain[i] - self.strain[i];
            turns[i] = (increment != 0.0) & (self.direction[i] * increment <= 0.0);
        }
        turns
    }

    /// Sets the curves from the reversal points towards the crossings of the asymptotes; `plastic`
    /// is ε_pl.
    #[inline(always)]
    pub(super) fn aim(
        &mut self,
        law: &Curve,
        crossing: (&[f64; N], &[f64; N]),
        plastic: &[f64; N],
    ) {
        let yield_strain = law.yield_stress / law.modulus;
        let [r0, cr1, cr2] = law.roundness;
        // A reversal exactly on the asymptote it aims at has no span; a tiny one gives its limit,
        // slope b E.
        let least = 1e-12 * yield_strain;
        for i in 0..N {
            let distance = (plastic[i] - crossing.0[i]).abs() / yield_strain;
            self.exponent[i] = r0 * (1.0 - cr1 * distance / (cr2 + distance));
            self.inverse_exponent[i] = 1.0 / self.exponent[i];
        }
        for i in 0..N {
            self.straight[i] = straight_below(self.inverse_exponent[i]);
        }
        for i in 0..N {
            let span = crossing.0[i] - self.reversal_strain[i];
            let rise = crossing.1[i] - self.reversal_stress[i];
            let none = span.abs() < least;
            let propped = least.copysign(span);
            self.rise[i] = if none { law.modulus * propped } else { rise };
            self.inverse_span[i] = 1.0 / if none { propped } else { span };
        }
    }

    /// The branches on which these strains (with the offset) lie: new ones, from the committed
    /// points, where they turn.
    #[inline(always)]
    pub(super) fn turned(&self, law: &Curve, turns: &[bool; N], strain: &[f64; N]) -> Self {
        let yield_strain = law.yield_stress / law.modulus;
        let hardening = law.hardening_ratio * law.modulus;
        let mut next = *self;
        let mut limit = [1.0; N];
        let mut plastic = [0.0; N];
        for i in 0..N {
            let sign = 1.0_f64.copysign(strain[i] - self.strain[i]);
            let up = sign > 0.0;
            let first = self.direction[i] == 0.0;
            next.direction[i] = sign;
            // First loading: the curve starts at the origin of the offset strain.
            next.reversal_strain[i] = if first { 0.0 } else { self.strain[i] };
            next.reversal_stress[i] = if first { 0.0 } else { self.stress[i] };
            let lowest = smaller(self.strain_min[i], self.strain[i]);
            let highest = larger(self.strain_max[i], self.strain[i]);
            next.strain_min[i] = if up & !first {
                lowest
            } else {
                self.strain_min[i]
            };
            next.strain_max[i] = if up | first {
                self.strain_max[i]
            } else {
                highest
            };
            plastic[i] = if up {
                next.strain_max[i]
            } else {
                next.strain_min[i]
            };
        }
        let [a1, a2, a3, a4] = law.isotropic;
        if (a1 > 0.0) | (a3 > 0.0) {
            for i in 0..N {
                let up = next.direction[i] > 0.0;
                let (amount, after) = if up { (a3, a4) } else { (a1, a2) };
                let range =
                    (next.strain_max[i] - next.strain_min[i]) / (2.0 * after * yield_strain);
                let shift = 1.0 + amount * exp(0.8 * ln(range));
                limit[i] = if self.direction[i] == 0.0 { 1.0 } else { shift };
            }
        }
        let mut crossing = ([0.0; N], [0.0; N]);
        for i in 0..N {
            let sign = next.direction[i];
            let limit_strain = sign * yield_strain * limit[i];
            let limit_stress = sign * law.yield_stress * limit[i];
            let cross = (limit_stress - hardening * limit_strain - next.reversal_stress[i]
                + law.modulus * next.reversal_strain[i])
                / (law.modulus - hardening);
            let first = self.direction[i] == 0.0;
            crossing.0[i] = if first { limit_strain } else { cross };
            let stress = limit_stress + hardening * (cross - limit_strain);
            crossing.1[i] = if first { limit_stress } else { stress };
            plastic[i] = if first { limit_strain } else { plastic[i] };
        }
        next.aim(law, (&crossing.0, &crossing.1), &plastic);
        let mut branches = *self;
        branches.choose(turns, &next);
        branches
    }

    /// Stresses and tangents at these strains (with the offset), all on these branches.
    #[inline(always)]
    pub(super) fn answer(&self, hardening_ratio: f64, strain: &[f64; N]) -> ([f64; N], [f64; N]) {
        let mut x = [0.0; N];
        let mut straight = true;
        for i in 0..N {
            x[i] = (strain[i] - self.reversal_strain[i]) * self.inverse_span[i];
            straight &= x[i].abs() < self.straight[i];
        }
        let (secant, slope) = if straight {
            ([1.0; N], [1.0; N])
        } else {
            transition(&x, &self.exponent, &self.inverse_exponent)
        };
        let b = hardening_ratio;
        let (mut stress, mut tangent) = ([0.0; N], [0.0; N]);
        for i in 0..N {
            let rise = self.rise[i];
            stress[i] = self.reversal_stress[i] + rise * (x[i] * (b + (1.0 - b) * secant[i]));
            tangent[i] = rise * self.inverse_span[i] * (b + (1.0 - b) * slope[i]);
        }
        (stress, tangent)
    }
}
