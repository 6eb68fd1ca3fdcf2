//! Another program's part in a test, as it was recorded.

use crate::channels::{
    DRIVER_ACCELERATION, DRIVER_DISPLACEMENT, DRIVER_STEPS, DRIVER_TARGET_TIME, DRIVER_TIME,
    DRIVER_VELOCITY, Quantity, RESPONSE_ACCELERATION, RESPONSE_DISPLACEMENT, RESPONSE_VELOCITY,
};
use crate::hybrid_loop::TargetStatus;
use crate::recorder::{RecorderError, RunReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tandem_integrator::{
    Answer, Integrator, IntegratorProperties, IntegratorView, Loading, Readiness,
    forward_integrator,
};
use tandem_quantity::{Motion, Snapshot, SnapshotError, StateReader};

/// Asks for what the driver of the test asked for, tick by tick. Nobody outside is spoken to.
pub(super) struct RecordedDriver {
    /// The plan's own driver, for what does not change.
    inner: Box<dyn Integrator>,
    properties: IntegratorProperties,
    record: DriverRecord,
    pending: Vec<TargetStatus>,
    /// Row of this tick.
    row: Arc<AtomicUsize>,
    target: Motion,
    response: Motion,
    steps: u64,
    /// What the driver called the time; none where it told none.
    times: Option<[f64; 2]>,
}

/// What the driver did.
pub(super) struct DriverRecord {
    /// One column for every degree of freedom: displacements, then velocities, then accelerations.
    targets: Vec<Vec<f64>>,
    responses: Vec<Vec<f64>>,
    steps: Vec<f64>,
    /// Of the accepted step and of the target; empty where the driver told none.
    times: [Vec<f64>; 2],
}

impl DriverRecord {
    pub fn read(run: &RunReader, driver: &dyn Integrator) -> Result<Self, RecorderError> {
        let columns = |of: [Quantity; 3], count: usize| -> Result<Vec<_>, RecorderError> {
            let names = of.iter().flat_map(|of| (1..=count).map(|i| of.of(i)));
            names.map(|name| run.read(&name)).collect()
        };
        let target = [DRIVER_DISPLACEMENT, DRIVER_VELOCITY, DRIVER_ACCELERATION];
        let response = [
            RESPONSE_DISPLACEMENT,
            RESPONSE_VELOCITY,
            RESPONSE_ACCELERATION,
        ];
        Ok(Self {
            targets: columns(target, driver.target().len())?,
            responses: columns(response, driver.response().len())?,
            steps: run.read(DRIVER_STEPS.name)?,
            times: match driver.observe().driver_times() {
                Some(_) => [
                    run.read(DRIVER_TIME.name)?,
                    run.read(DRIVER_TARGET_TIME.name)?,
                ],
                None => [Vec::new(), Vec::new()],
            },
        })
    }
}

impl RecordedDriver {
    pub fn new(
        inner: Box<dyn Integrator>,
        record: DriverRecord,
        pending: Vec<TargetStatus>,
        row: Arc<AtomicUsize>,
    ) -> Self {
        Self {
            target: inner.target().clone(),
            response: inner.response().clone(),
            steps: inner.steps(),
            times: inner.observe().driver_times(),
            properties: IntegratorProperties {
                computes: false,
                is_external: true,
                is_threaded: pending.contains(&TargetStatus::Elsewhere),
                ..*inner.properties()
            },
            record,
            pending,
            row,
            inner,
        }
    }
}

/// The motion of a row.
fn take(columns: &[Vec<f64>], row: usize, motion: &mut Motion) {
    let places = motion
        .displacement
        .iter_mut()
        .chain(&mut motion.velocity)
        .chain(&mut motion.acceleration);
    for (place, column) in places.zip(columns) {
        *place = column.get(row).copied().unwrap_or(*place);
    }
}

impl Integrator for RecordedDriver {
    forward_integrator!(inner: problem, structure_mut);

    fn properties(&self) -> &IntegratorProperties {
        &self.properties
    }

    fn target(&self) -> &Motion {
        &self.target
    }

    fn poll(&mut self, _at_most: Duration) -> Readiness {
        let row = self.row.load(Ordering::Relaxed);
        #[allow(clippy::cast_possible_truncation)] // a number of steps
        if let Some(steps) = self.record.steps.get(row) {
            self.steps = *steps as u64;
        }
        if let Some(times) = &mut self.times {
            let told = self.record.times.each_ref().map(|column| column.get(row));
            for (time, told) in times.iter_mut().zip(told) {
                *time = told.copied().unwrap_or(*time);
            }
        }
        take(&self.record.responses, row, &mut self.response);
        match self.pending.get(row) {
            None | Some(TargetStatus::There) => {
                take(&self.record.targets, row, &mut self.target);
                Readiness::Ready
            }
            Some(TargetStatus::Elsewhere | TargetStatus::Awaited) => Readiness::Delayed,
            Some(TargetStatus::Lost) => Readiness::Lost,
            Some(TargetStatus::Finished) => Readiness::Finished,
        }
    }

    fn feed(&mut self, _answer: Answer<'_>, _loading: &dyn Loading) -> bool {
        false
    }

    fn response(&self) -> &Motion {
        &self.response
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn start_from(&mut self, motion: &Motion, _loading: &dyn Loading) {
        self.response.copy_from(motion);
    }

    fn observe(&self) -> &dyn IntegratorView {
        self
    }
}

impl IntegratorView for RecordedDriver {
    fn driver_times(&self) -> Option<[f64; 2]> {
        self.times
    }
}

impl Snapshot for RecordedDriver {
    fn save(&self, into: &mut Vec<f64>) {
        self.target.save(into);
        self.response.save(into);
        self.steps.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.target.restore(from)?;
        self.response.restore(from)?;
        self.steps.restore(from)
    }
}
