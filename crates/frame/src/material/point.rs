//! One material point: a law with its committed and its trial state.

use tandem_quantity::snapshot;

use super::law::{Drive, Law, Response};

/// A law and the states of one point that obeys it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point<L: Law> {
    law: L,
    committed: L::State,
    trial: L::State,
    committed_response: Response,
    response: Response,
    committed_strain: f64,
    strain: f64,
}

impl<L: Law> tandem_quantity::Snapshot for Point<L> {
    fn save(&self, into: &mut Vec<f64>) {
        self.committed.save(into);
        self.trial.save(into);
        self.committed_response.save(into);
        self.response.save(into);
        into.extend([self.committed_strain, self.strain]);
    }

    fn restore(
        &mut self,
        from: &mut tandem_quantity::StateReader<'_>,
    ) -> Result<(), tandem_quantity::SnapshotError> {
        self.committed.restore(from)?;
        self.trial.restore(from)?;
        self.committed_response.restore(from)?;
        self.response.restore(from)?;
        self.committed_strain = from.take()?;
        self.strain = from.take()?;
        Ok(())
    }
}

impl<L: Law> Point<L> {
    /// An untouched point.
    pub fn new(law: L) -> Self {
        let virgin = law.virgin();
        let (_, response) = law.trial(&virgin, Drive::at(0.0));
        Self {
            law,
            committed: virgin,
            trial: virgin,
            committed_response: response,
            response,
            committed_strain: 0.0,
            strain: 0.0,
        }
    }

    /// The law of this point.
    pub fn law(&self) -> &L {
        &self.law
    }

    /// Goes from the committed state to `drive`.
    #[inline]
    pub fn trial(&mut self, drive: Drive) -> Response {
        let (state, response) = self.law.trial(&self.committed, drive);
        self.trial = state;
        self.response = response;
        self.strain = drive.strain;
        response
    }

    /// Makes the trial state the committed one.
    #[inline]
    pub fn commit(&mut self) {
        self.committed = self.trial;
        self.committed_response = self.response;
        self.committed_strain = self.strain;
    }

    /// Forgets the trial.
    pub fn revert(&mut self) {
        self.trial = self.committed;
        self.response = self.committed_response;
        self.strain = self.committed_strain;
    }

    /// The last answer.
    #[inline]
    pub fn response(&self) -> Response {
        self.response
    }

    /// The last strain.
    #[inline]
    pub fn strain(&self) -> f64 {
        self.strain
    }

    /// Stiffness of the untouched material.
    pub fn initial_tangent(&self) -> f64 {
        self.law.initial_tangent()
    }
}

/// The state of laws that remember nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memoryless;

snapshot!(Memoryless {});
