//! A rig that says what was recorded.

use crate::channels::{
    DEVICE_TIME, FEEDBACK_AGE, MEASURED_ACCELERATION, MEASURED_DISPLACEMENT, MEASURED_FORCE,
    RAW_ACCELERATION, RAW_DISPLACEMENT, RAW_FORCE, RAW_VELOCITY, RIG_STATUS, TRUE_STIFFNESS, VALVE,
};
use crate::recorder::{RecorderError, RunReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tandem_quantity::{Snapshot, SnapshotError, StateReader};
use tandem_safety::{Measured, Released, Rig, RigProperties, RigView, Status};

/// Says what the sensors said, and what the rig said about itself. Behind it stands the plan's own
/// rig, where that is a model: an instantaneous one answers questions within a tick.
pub(super) struct ReplayRig {
    inner: Box<dyn Rig>,
    record: RigRecord,
    /// Shared with the integration side.
    row: Arc<AtomicUsize>,
    /// Whether the plan's own rig is a model. Anything else must not hear of a replay: it would
    /// move.
    model: bool,
}

/// What came from the rig.
pub(super) struct RigRecord {
    /// What every actuator's sensors said; empty: the model speaks.
    sensors: Vec<Sensors>,
    status: Option<[Vec<f64>; 4]>,
    /// What a model of the specimen knew of its stiffness.
    stiffness: Vec<Vec<f64>>,
}

/// One actuator's sensors.
struct Sensors {
    displacement: Vec<f64>,
    force: Vec<f64>,
    velocity: Option<Vec<f64>>,
    acceleration: Option<Vec<f64>>,
}

impl RigRecord {
    /// `asked_within`: the method may ask within a tick, which only the model can answer.
    pub fn read(
        run: &RunReader,
        actuators: usize,
        asked_within: bool,
    ) -> Result<Self, RecorderError> {
        // What the sensors said, where the measured values were made of it.
        let (displacement, force) = if run.has(&RAW_DISPLACEMENT.of(1)) {
            (RAW_DISPLACEMENT, RAW_FORCE)
        } else {
            (MEASURED_DISPLACEMENT, MEASURED_FORCE)
        };
        let mut sensors = Vec::new();
        if !asked_within {
            for i in 1..=actuators {
                let acceleration = match run.read_if_there(&RAW_ACCELERATION.of(i))? {
                    None => run.read_if_there(&MEASURED_ACCELERATION.of(i))?,
                    raw => raw,
                };
                sensors.push(Sensors {
                    displacement: run.read(&displacement.of(i))?,
                    force: run.read(&force.of(i))?,
                    velocity: run.read_if_there(&RAW_VELOCITY.of(i))?,
                    acceleration,
                });
            }
        }
        let status = match run.read_if_there(RIG_STATUS.name)? {
            None => None,
            Some(flags) => Some([
                flags,
                run.read(FEEDBACK_AGE.name)?,
                run.read(VALVE.name)?,
                run.read(DEVICE_TIME.name)?,
            ]),
        };
        let stiffness = (1..=actuators).map(|i| TRUE_STIFFNESS.of(i));
        let stiffness = stiffness.filter(|name| run.has(name));
        let stiffness = stiffness
            .map(|name| run.read(&name))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            sensors,
            status,
            stiffness,
        })
    }
}

impl ReplayRig {
    pub fn new(inner: Box<dyn Rig>, record: RigRecord, row: Arc<AtomicUsize>) -> Self {
        Self {
            model: inner.properties().is_model,
            inner,
            record,
            row,
        }
    }

    fn row(&self) -> usize {
        self.row.load(Ordering::Relaxed)
    }
}

impl Snapshot for ReplayRig {
    fn save(&self, into: &mut Vec<f64>) {
        self.inner.save(into);
        self.row().save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.inner.restore(from)?;
        let mut row = 0_usize;
        row.restore(from)?;
        self.row.store(row, Ordering::Relaxed);
        Ok(())
    }
}

impl Rig for ReplayRig {
    /// What is no model does not hear of the replay; the measurements are all there, whatever the
    /// rig went by.
    fn properties(&self) -> RigProperties {
        RigProperties {
            is_model: true,
            needs_wall_clock: false,
            ..self.inner.properties()
        }
    }
    fn read(&mut self, measured: &mut Measured) {
        if self.model {
            self.inner.read(measured);
        }
        let row = self.row();
        let Measured { motion, force } = measured;
        for (i, sensors) in self.record.sensors.iter().enumerate() {
            let said = |column: Option<&Vec<f64>>| column.and_then(|c| c.get(row)).copied();
            let places = [
                (&mut motion.displacement[i], Some(&sensors.displacement)),
                (&mut force[i], Some(&sensors.force)),
                (&mut motion.velocity[i], sensors.velocity.as_ref()),
                (&mut motion.acceleration[i], sensors.acceleration.as_ref()),
            ];
            for (place, column) in places {
                *place = said(column).unwrap_or(*place);
            }
        }
    }
    fn write(&mut self, command: Released<'_>) {
        self.row.fetch_add(1, Ordering::Relaxed);
        if self.model {
            self.inner.write(command);
        }
    }
    fn idle(&mut self) {
        if self.model {
            self.inner.idle();
        }
    }
    fn status(&self) -> Status {
        let Some(columns) = &self.record.status else {
            return Status::READY;
        };
        let row = self.row();
        let words = columns.each_ref().map(|column| column.get(row).copied());
        match words {
            [Some(flags), Some(age), Some(valve), Some(clock)] => {
                Status::from_words([flags, age, valve, clock])
            }
            _ => Status::READY,
        }
    }
    fn observe(&self) -> &dyn RigView {
        self
    }
}

impl RigView for ReplayRig {
    fn fault_message(&self) -> Option<&str> {
        self.inner.observe().fault_message()
    }
    fn slowest_step(&self) -> Option<f64> {
        self.inner.observe().slowest_step()
    }
    fn truth(&self) -> Option<&Measured> {
        self.inner.observe().truth()
    }
    fn tangent(&self, stiffness: &mut [f64]) -> bool {
        let n = self.record.stiffness.len();
        for (i, column) in self.record.stiffness.iter().enumerate() {
            if let (Some(place), Some(x)) = (stiffness.get_mut(i * n + i), column.get(self.row())) {
                *place = *x;
            }
        }
        n > 0
    }
}
