//! Steel02 fibres in lanes: the same bits as [`Steel02`] fibre by fibre, several at once.
//!
//! Fibres sit in groups of [`LANES`], each parameter of their branches in one short array, so that
//! the compiler uses vector registers. A group whose fibres stay on their branches reads the
//! committed arrays and writes nothing but the answers; a group with a turn gets new branches in
//! the trial arrays. A group that is straight to the last bit (|x|^R below half a rounding error)
//! skips the curve.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::law::Law;
use super::steel02::Steel02;
use super::steel02_branch::Branches;

/// Fibres evaluated together.
pub const LANES: usize = 8;

type Lane = [f64; LANES];
type Group = Branches<LANES>;

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

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
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
        let virgin = Group::all(&law.virgin());
        Self {
            law,
            committed: vec![virgin; groups],
            trial: vec![virgin; groups],
            turned: vec![false; groups],
            strain: vec![virgin.strain; groups],
            stress: vec![virgin.stress; groups],
        }
    }

    #[inline(always)]
    pub(super) fn evaluate(&mut self, strain: &[f64], stress: &mut [f64], tangent: &mut [f64]) {
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

/// One group: strains with the offset → stresses and tangents.
#[inline(always)]
fn evaluate_group(
    law: &Steel02,
    committed: &Group,
    trial: &mut Group,
    turned: &mut bool,
    strain: &Lane,
) -> (Lane, Lane) {
    let turns = committed.turns(strain);
    *turned = turns.iter().fold(false, |any, turns| any | turns);
    let branch = if *turned {
        *trial = committed.turned(&law.curve, &turns, strain);
        &*trial
    } else {
        committed
    };
    branch.answer(law.curve.hardening_ratio, strain)
}
