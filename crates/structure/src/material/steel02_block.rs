//! Steel02 fibres in lanes: the same bits as [`Steel02`] fibre by fibre, several at once.
//!
//! Fibres sit in groups of [`LANES`], each parameter of their branches in one short array, so that the compiler uses
//! vector registers. A group whose fibres stay on their branches reads the committed arrays and writes nothing but
//! the answers; a group with a turn gets new branches in the trial arrays. A group that is straight to the last bit
//! (|x|^R below half a rounding error) skips the curve.

use tandem_quantity::{Snapshot, SnapshotError, Words, snapshot};

use super::law::Law;
use super::power::transition;
use super::steel02::{Steel02, Steel02State};

/// Fibres evaluated together.
pub const LANES: usize = 8;

type Lane = [f64; LANES];

/// The states of one group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Group {
    strain: Lane,
    stress: Lane,
    direction: Lane,
    strain_max: Lane,
    strain_min: Lane,
    reversal_strain: Lane,
    reversal_stress: Lane,
    inverse_span: Lane,
    rise: Lane,
    exponent: Lane,
    inverse_exponent: Lane,
    straight: Lane,
}

snapshot!(Group {
    strain,
    stress,
    direction,
    strain_max,
    strain_min,
    reversal_strain,
    reversal_stress,
    inverse_span,
    rise,
    exponent,
    inverse_exponent,
    straight
});

macro_rules! lanes {
    ($($field:ident),*) => {
        impl Group {
            fn get(&self, lane: usize) -> Steel02State {
                Steel02State { $($field: self.$field[lane]),* }
            }

            fn set(&mut self, lane: usize, state: &Steel02State) {
                $(self.$field[lane] = state.$field;)*
            }
        }
    };
}

lanes!(
    strain,
    stress,
    direction,
    strain_max,
    strain_min,
    reversal_strain,
    reversal_stress,
    inverse_span,
    rise,
    exponent,
    inverse_exponent,
    straight
);

/// Fibres of one Steel02.
#[derive(Clone, Debug)]
pub struct Steel02Block {
    law: Steel02,
    committed: Vec<Group>,
    /// New branches, of use only where `turned`.
    trial: Vec<Group>,
    turned: Vec<bool>,
    strain: Vec<Lane>,
    stress: Vec<Lane>,
}

impl Steel02Block {
    /// The branch that the last evaluation of a group used.
    fn branch(&self, group: usize) -> &Group {
        if self.turned[group] {
            &self.trial[group]
        } else {
            &self.committed[group]
        }
    }
}

impl PartialEq for Steel02Block {
    fn eq(&self, other: &Self) -> bool {
        self.law == other.law
            && self.committed == other.committed
            && self.turned == other.turned
            && self.strain == other.strain
            && self.stress == other.stress
            && (0..self.turned.len()).all(|group| self.branch(group) == other.branch(group))
    }
}

impl Snapshot for Steel02Block {
    fn save(&self, into: &mut Vec<f64>) {
        self.committed.save(into);
        self.turned.save(into);
        self.strain.save(into);
        self.stress.save(into);
        for group in 0..self.turned.len() {
            self.branch(group).save(into);
        }
    }

    fn restore(&mut self, from: &mut Words<'_>) -> Result<(), SnapshotError> {
        self.committed.restore(from)?;
        self.turned.restore(from)?;
        self.strain.restore(from)?;
        self.stress.restore(from)?;
        self.trial.restore(from)
    }
}

impl Steel02Block {
    pub(super) fn new(law: Steel02, count: usize) -> Self {
        let groups = count.div_ceil(LANES);
        let mut virgin = Group::default();
        for lane in 0..LANES {
            virgin.set(lane, &law.virgin());
        }
        Self {
            law,
            committed: vec![virgin; groups],
            trial: vec![virgin; groups],
            turned: vec![false; groups],
            strain: vec![virgin.strain; groups],
            stress: vec![virgin.stress; groups],
        }
    }

    pub(super) fn evaluate(&mut self, strain: &[f64], stress: &mut [f64], tangent: &mut [f64]) {
        pulp::Arch::new().dispatch(Evaluate {
            block: self,
            strain,
            stress,
            tangent,
        });
    }

    #[inline(always)]
    fn evaluate_lanes(&mut self, strain: &[f64], stress: &mut [f64], tangent: &mut [f64]) {
        let law = self.law;
        let offset = law.offset;
        let ports = strain
            .chunks(LANES)
            .zip(stress.chunks_mut(LANES).zip(tangent.chunks_mut(LANES)));
        let states = self
            .committed
            .iter()
            .zip(self.trial.iter_mut().zip(&mut self.turned));
        let points = self.strain.iter_mut().zip(&mut self.stress);
        for (
            ((strain, (stress, tangent)), (committed, (trial, turned))),
            (point_strain, point_stress),
        ) in ports.zip(states).zip(points)
        {
            // Lanes without a fibre (end of the last group) stay where they are.
            let mut total = committed.strain;
            if let Ok(full) = <&Lane>::try_from(strain) {
                for lane in 0..LANES {
                    total[lane] = full[lane] + offset;
                }
            } else {
                for (total, strain) in total.iter_mut().zip(strain) {
                    *total = strain + offset;
                }
            }
            let (group_stress, group_tangent) =
                evaluate_group(&law, committed, trial, turned, &total);
            *point_strain = total;
            *point_stress = group_stress;
            if let (Ok(stress), Ok(tangent)) = (
                <&mut Lane>::try_from(&mut *stress),
                <&mut Lane>::try_from(&mut *tangent),
            ) {
                *stress = group_stress;
                *tangent = group_tangent;
            } else {
                stress
                    .iter_mut()
                    .zip(&group_stress)
                    .for_each(|(to, from)| *to = *from);
                tangent
                    .iter_mut()
                    .zip(&group_tangent)
                    .for_each(|(to, from)| *to = *from);
            }
        }
    }

    pub(super) fn commit(&mut self) {
        for (((committed, trial), turned), (strain, stress)) in self
            .committed
            .iter_mut()
            .zip(&self.trial)
            .zip(&self.turned)
            .zip(self.strain.iter().zip(&self.stress))
        {
            if *turned {
                *committed = *trial;
            }
            committed.strain = *strain;
            committed.stress = *stress;
        }
        self.turned.fill(false);
    }

    pub(super) fn revert(&mut self) {
        for ((committed, strain), stress) in self
            .committed
            .iter()
            .zip(&mut self.strain)
            .zip(&mut self.stress)
        {
            *strain = committed.strain;
            *stress = committed.stress;
        }
        self.turned.fill(false);
    }
}

/// One evaluation, compiled once for each vector extension and chosen at run time. The operations and their order
/// are the same for all, so the bits are too.
struct Evaluate<'a> {
    block: &'a mut Steel02Block,
    strain: &'a [f64],
    stress: &'a mut [f64],
    tangent: &'a mut [f64],
}

impl pulp::WithSimd for Evaluate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.block
            .evaluate_lanes(self.strain, self.stress, self.tangent);
    }
}

/// One group: strains with the offset → stresses and tangents.
#[inline(always)]
fn evaluate_group(
    law: &Steel02,
    committed: &Group,
    trial: &mut Group,
    turned: &mut bool,
    strain: &Lane,
) -> (Lane, Lane) {
    let mut turns = [false; LANES];
    let mut any = false;
    for lane in 0..LANES {
        turns[lane] = Steel02::turns(
            committed.direction[lane],
            strain[lane] - committed.strain[lane],
        );
        any |= turns[lane];
    }
    *turned = any;
    let branch = if any {
        *trial = *committed;
        for lane in 0..LANES {
            if turns[lane] {
                trial.set(lane, &law.turn(&committed.get(lane), strain[lane]));
            }
        }
        &*trial
    } else {
        committed
    };

    let mut x = [0.0; LANES];
    let mut straight = true;
    for lane in 0..LANES {
        x[lane] = (strain[lane] - branch.reversal_strain[lane]) * branch.inverse_span[lane];
        straight &= x[lane].abs() < branch.straight[lane];
    }
    let (secant, slope) = if straight {
        ([1.0; LANES], [1.0; LANES])
    } else {
        transition(&x, &branch.exponent, &branch.inverse_exponent)
    };
    let b = law.hardening_ratio;
    let mut stress = [0.0; LANES];
    let mut tangent = [0.0; LANES];
    for lane in 0..LANES {
        let rise = branch.rise[lane];
        stress[lane] =
            branch.reversal_stress[lane] + rise * (x[lane] * (b + (1.0 - b) * secant[lane]));
        tangent[lane] = rise * branch.inverse_span[lane] * (b + (1.0 - b) * slope[lane]);
    }
    (stress, tangent)
}
