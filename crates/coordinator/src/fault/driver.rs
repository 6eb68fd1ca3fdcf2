//! Faults of the integration side.

use super::{Effect, Fault};
use std::time::Duration;
use tandem_integrator::{
    Answer, Integrator, IntegratorProperties, Loading, Readiness, forward_integrator,
};
use tandem_quantity::{Motion, Snapshot, SnapshotError, StateReader};

/// An integrator with faults around it. A fault begins with the first step that ends after its
/// time.
pub struct FaultyIntegrator {
    inner: Box<dyn Integrator>,
    properties: IntegratorProperties,
    faults: Vec<Fault>,
    /// Ticks in a second of structural time.
    rate: f64,
    /// Ticks for which a target has been kept back.
    kept: u64,
    shown: Motion,
}

impl FaultyIntegrator {
    /// Puts faults around an integrator; `rate` is the number of ticks in a second of structural
    /// time.
    pub fn new(inner: Box<dyn Integrator>, faults: Vec<Fault>, rate: f64) -> Self {
        let shown = inner.target().clone();
        Self {
            properties: IntegratorProperties {
                computes: false,
                ..*inner.properties()
            },
            inner,
            faults,
            rate,
            kept: 0,
            shown,
        }
    }

    #[inline]
    fn elapsed(&self, fault: &Fault) -> f64 {
        let time = (self.inner.steps() as f64 + 0.5) * self.properties.dt;
        time - fault.at
    }

    /// The faults of its answers that have begun.
    fn answers(&self) -> impl Iterator<Item = (Readiness, &Fault)> {
        self.faults
            .iter()
            .filter_map(|fault| match fault.kind.effect {
                Effect::Poll(answer) if self.elapsed(fault) >= 0.0 => Some((answer, fault)),
                _ => None,
            })
    }

    fn corrupt(&mut self) {
        self.shown.copy_from(self.inner.target());
        for k in 0..self.faults.len() {
            let fault = self.faults[k];
            if !Fault::lasts(self.elapsed(&fault), fault.duration) {
                continue;
            }
            // A number that the interface does not have was refused when the fault was read.
            let Some(x) = self.shown.displacement.get_mut(fault.actuator) else {
                continue;
            };
            if let Effect::Target(corrupt) = fault.kind.effect {
                corrupt(&fault, x);
            }
        }
    }
}

impl Snapshot for FaultyIntegrator {
    fn save(&self, into: &mut Vec<f64>) {
        self.inner.save(into);
        self.kept.save(into);
        self.shown.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.inner.restore(from)?;
        self.kept.restore(from)?;
        self.shown.restore(from)
    }
}

impl Integrator for FaultyIntegrator {
    forward_integrator!(inner: response, steps, problem, structure_mut, observe);

    fn properties(&self) -> &IntegratorProperties {
        &self.properties
    }

    fn target(&self) -> &Motion {
        &self.shown
    }

    fn poll(&mut self, at_most: Duration) -> Readiness {
        if self.answers().any(|(answer, _)| answer == Readiness::Lost) {
            return Readiness::Lost;
        }
        if !at_most.is_zero() {
            return self.inner.poll(at_most);
        }
        let kept = self.kept as f64;
        let late = |(answer, fault): (Readiness, &Fault)| {
            answer == Readiness::Delayed && kept < fault.duration * self.rate
        };
        if self.answers().any(late) {
            self.kept += 1;
            return Readiness::Delayed;
        }
        let readiness = self.inner.poll(at_most);
        // A target that comes now is shown with its faults.
        self.corrupt();
        readiness
    }

    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        let complete = self.inner.feed(answer, loading);
        self.corrupt();
        complete
    }

    fn start_from(&mut self, motion: &Motion, loading: &dyn Loading) {
        self.inner.start_from(motion, loading);
        self.corrupt();
    }
}
