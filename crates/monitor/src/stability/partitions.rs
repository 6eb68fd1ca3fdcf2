//! The same structure divided otherwise: how the critical delay depends on the share that goes to
//! the laboratory.

use super::{Partition, StabilityError, critical_delay_exact};
use tandem_quantity::SpecimenMatrices;
use tandem_structure::Matrix;

/// The specimen's share of the undivided structure at the interface degrees of freedom: tr K_e / tr
/// K and tr M_e / tr M there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InterfaceShares {
    /// Share of the stiffness.
    pub stiffness: f64,
    /// Share of the mass.
    pub mass: f64,
}

impl Partition {
    /// The shares of this partition.
    pub fn interface_shares(&self) -> InterfaceShares {
        let share = |numerical: &Matrix, specimen: &[f64]| {
            let part = trace(self.interface.len(), specimen);
            let own: f64 = self.interface.iter().map(|&i| numerical.get(i, i)).sum();
            part / (own + part)
        };
        InterfaceShares {
            stiffness: share(&self.stiffness, &self.specimen.stiffness),
            mass: share(&self.mass, &self.specimen.mass),
        }
    }

    /// The same structure with other shares in the laboratory. The specimen's matrices keep their
    /// pattern; one that is zero takes that of the structure's diagonal. Its damping changes with
    /// its stiffness.
    ///
    /// # Errors
    /// [`StabilityError`] where a share is not finite.
    pub fn with_shares(&self, shares: InterfaceShares) -> Result<Self, StabilityError> {
        let own = self.interface_shares();
        let stiffness = self.part(&self.stiffness, &self.specimen.stiffness, shares.stiffness);
        let mass = self.part(&self.mass, &self.specimen.mass, shares.mass);
        let ratio = if own.stiffness > 0.0 {
            shares.stiffness / own.stiffness
        } else {
            1.0
        };
        let damping: Vec<f64> = self.specimen.damping.iter().map(|c| ratio * c).collect();
        let rest = |numerical: &Matrix, old: &[f64], new: &[f64]| {
            let mut all = self.total(numerical, old);
            for (entry, taken) in all.iter_mut().zip(self.spread(new)) {
                *entry -= taken;
            }
            Matrix::from_dense(self.order(), &all).map_err(|_| StabilityError::Modes)
        };
        Ok(Self {
            mass: rest(&self.mass, &self.specimen.mass, &mass)?,
            damping: rest(&self.damping, &self.specimen.damping, &damping)?,
            stiffness: rest(&self.stiffness, &self.specimen.stiffness, &stiffness)?,
            interface: self.interface.clone(),
            specimen: SpecimenMatrices {
                mass,
                damping,
                stiffness,
                ..self.specimen
            },
        })
    }

    /// A matrix of the specimen with this share of the structure.
    fn part(&self, numerical: &Matrix, specimen: &[f64], share: f64) -> Vec<f64> {
        let m = self.interface.len();
        let part = trace(m, specimen);
        let whole: f64 = part
            + self
                .interface
                .iter()
                .map(|&i| numerical.get(i, i))
                .sum::<f64>();
        if part > 0.0 {
            return specimen.iter().map(|x| x * share * whole / part).collect();
        }
        let mut diagonal = vec![0.0; m * m];
        for (a, &i) in self.interface.iter().enumerate() {
            diagonal[a * m + a] = share * numerical.get(i, i);
        }
        diagonal
    }
}

fn trace(order: usize, entries: &[f64]) -> f64 {
    (0..order).map(|a| entries[a * order + a]).sum()
}

/// Critical delay (s) over shares of the stiffness (rows) and of the mass (columns); infinite where
/// no delay makes the loop unstable, not a number where a partition cannot be examined.
pub fn partition_map(partition: &Partition, stiffness: &[f64], mass: &[f64]) -> Vec<Vec<f64>> {
    let at = |stiffness: f64, mass: f64| {
        partition
            .with_shares(InterfaceShares { stiffness, mass })
            .and_then(|p| critical_delay_exact(&p))
            .map_or(f64::NAN, |delay| delay.unwrap_or(f64::INFINITY))
    };
    stiffness
        .iter()
        .map(|&k| mass.iter().map(|&m| at(k, m)).collect())
        .collect()
}
