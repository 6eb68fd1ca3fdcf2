//! An integration side that takes its time for every target, by the clock of the test.

use std::time::Duration;
use tandem_integrator::{
    Answer, Integrator, IntegratorProperties, Loading, Readiness, forward_integrator,
};
use tandem_quantity::{Snapshot, SnapshotError, StateReader};
use tandem_signal::noise::WhiteNoise;

/// An integrator whose targets are kept back for a while: rehearses a slow model or network. The
/// first target is there at the start.
pub struct DelayedIntegrator {
    inner: Box<dyn Integrator>,
    properties: IntegratorProperties,
    /// Ticks that every target takes, and what chance adds to them.
    answer: f64,
    jitter: Option<WhiteNoise>,
    /// Ticks that the present target takes, and for how many it has been kept back.
    takes: f64,
    kept: u64,
}

impl DelayedIntegrator {
    /// Keeps every target back for `seconds` of wall time at ticks of `period`, and up to about
    /// three times `jitter` more by chance.
    pub fn new(
        inner: Box<dyn Integrator>,
        seconds: f64,
        jitter: f64,
        period: f64,
        seed: u64,
    ) -> Self {
        Self {
            properties: IntegratorProperties {
                computes: false,
                ..*inner.properties()
            },
            inner,
            answer: seconds / period,
            jitter: WhiteNoise::with_stream(jitter / period, seed, 1000).ok(),
            takes: 0.0,
            kept: 0,
        }
    }
}

impl Snapshot for DelayedIntegrator {
    fn save(&self, into: &mut Vec<f64>) {
        self.inner.save(into);
        self.jitter.save(into);
        self.takes.save(into);
        self.kept.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.inner.restore(from)?;
        self.jitter.restore(from)?;
        self.takes.restore(from)?;
        self.kept.restore(from)
    }
}

impl Integrator for DelayedIntegrator {
    forward_integrator!(inner: target, response, steps, problem, structure_mut, start_from);
    forward_integrator!(inner: observe);

    fn properties(&self) -> &IntegratorProperties {
        &self.properties
    }

    /// Within ticks it is asked once in each from the question on, so that polls are ticks.
    #[inline]
    fn poll(&mut self, at_most: Duration) -> Readiness {
        let readiness = self.inner.poll(at_most);
        if at_most.is_zero() && readiness == Readiness::Ready && (self.kept as f64) < self.takes {
            self.kept += 1;
            return Readiness::Delayed;
        }
        readiness
    }

    #[inline]
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        let chance = self.jitter.as_mut().map_or(0.0, WhiteNoise::next);
        self.takes = self.answer + chance.abs();
        self.kept = 0;
        self.inner.feed(answer, loading)
    }
}
