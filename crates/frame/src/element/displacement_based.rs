//! Displacement-based fibre member: cubic shapes across, linear along (Hellesland & Scordelis 1981;
//! Taucer et al. 1991).
//!
//! e(ξ) = B(ξ) v; q = Σ wL Bᵀ s(e) + q_clamped; k = Σ wL Bᵀ k_s B.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::body::{Body, SectionLaw, clamped_force, displacement_interpolation};
use crate::small::{add_congruent, add_transposed, times};

/// The body of a displacement-based member.
#[derive(Clone, Debug, PartialEq)]
pub struct DisplacementBased<const B: usize, const S: usize, X> {
    length: f64,
    load: [f64; 3],
    stations: Vec<Station<B, S, X>>,
    initial: [[f64; B]; B],
    now: Basic<B>,
    committed: Basic<B>,
}

#[derive(Clone, Debug, PartialEq)]
struct Station<const B: usize, const S: usize, X> {
    section: X,
    shapes: [[f64; B]; S],
    /// wL.
    length: f64,
}

/// Basic forces and stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Basic<const B: usize> {
    force: [f64; B],
    stiffness: [[f64; B]; B],
}

impl<const B: usize> Snapshot for Basic<B> {
    fn save(&self, into: &mut Vec<f64>) {
        self.force.save(into);
        self.stiffness.save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.force.restore(from)?;
        self.stiffness.restore(from)
    }
}

#[allow(private_bounds)]
impl<const B: usize, const S: usize, X: SectionLaw<S>> DisplacementBased<B, S, X> {
    /// A member of length L with sections at the points (ξ, w).
    #[must_use]
    pub(crate) fn new(length: f64, sections: &[X], points: &[(f64, f64)]) -> Self {
        let stations: Vec<_> = sections
            .iter()
            .zip(points)
            .map(|(section, (xi, weight))| Station {
                section: section.clone(),
                shapes: displacement_interpolation(*xi, length),
                length: weight * length,
            })
            .collect();
        let mut initial = [[0.0; B]; B];
        for station in &stations {
            let tangent = station.section.initial_tangent();
            add_congruent(&mut initial, station.length, &tangent, &station.shapes);
        }
        let rest = Basic {
            force: [0.0; B],
            stiffness: initial,
        };
        Self {
            length,
            load: [0.0; 3],
            stations,
            initial,
            now: rest,
            committed: rest,
        }
    }

    /// Sections from end i to end j.
    pub fn sections(&self) -> impl ExactSizeIterator<Item = &X> {
        self.stations.iter().map(|station| &station.section)
    }
}

impl<const B: usize, const S: usize, X: SectionLaw<S>> Body<B> for DisplacementBased<B, S, X> {
    #[inline]
    fn trial(&mut self, v: &[f64; B]) {
        let mut force = clamped_force(self.length, self.load);
        let mut stiffness = [[0.0; B]; B];
        for station in &mut self.stations {
            let answer = station.section.trial(times(&station.shapes, v));
            add_transposed(&mut force, station.length, &station.shapes, &answer.force);
            let (weight, shapes) = (station.length, &station.shapes);
            add_congruent(&mut stiffness, weight, &answer.tangent, shapes);
        }
        self.now = Basic { force, stiffness };
    }
    fn force(&self) -> &[f64; B] {
        &self.now.force
    }
    fn stiffness(&self) -> &[[f64; B]; B] {
        &self.now.stiffness
    }
    fn initial_stiffness(&self) -> &[[f64; B]; B] {
        &self.initial
    }
    fn set_load(&mut self, load: [f64; 3]) {
        self.load = load;
    }
    fn commit(&mut self) {
        self.committed = self.now;
        for station in &mut self.stations {
            station.section.commit();
        }
    }
    fn revert(&mut self) {
        self.now = self.committed;
        for station in &mut self.stations {
            station.section.revert();
        }
    }
}

impl<const B: usize, const S: usize, X: SectionLaw<S>> Snapshot for DisplacementBased<B, S, X> {
    fn save(&self, into: &mut Vec<f64>) {
        self.load.save(into);
        self.now.save(into);
        self.committed.save(into);
        for station in &self.stations {
            station.section.save(into);
        }
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.load.restore(from)?;
        self.now.restore(from)?;
        self.committed.restore(from)?;
        for station in &mut self.stations {
            station.section.restore(from)?;
        }
        Ok(())
    }
}
