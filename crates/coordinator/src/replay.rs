//! A recorded run once more: the loop is fed with what the sensors said, and must give the same bits.

use crate::apart::Apart;
use crate::hybrid_loop::{HybridLoop, Parts, TARGET_PENDING};
use crate::recorder::{Block, RecorderError, RunReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tandem_quantity::{Motion, Snapshot, SnapshotError, Words};
use tandem_transfer::rig::{Measured, Rig, Status};

/// A rig that says what was recorded. Behind it stands the plan's own rig, where that is a model: it knows what was not recorded (velocity
/// and acceleration of the pistons), and an instantaneous one answers questions within a tick.
struct ReplayRig {
    inner: Box<dyn Rig>,
    /// Displacement and force of every actuator, as recorded; empty: the model speaks.
    recorded: Vec<[Vec<f64>; 2]>,
    /// Shared with an integration that was apart.
    row: Arc<AtomicUsize>,
    /// Whether the plan's own rig is a model. Anything else must not hear of a replay: it would move.
    model: bool,
}

impl ReplayRig {
    fn row(&self) -> usize {
        self.row.load(Ordering::Relaxed)
    }
}

/// Displacement and force of every actuator; nothing for a rig that answers at once.
fn recorded(run: &RunReader, rig: &dyn Rig) -> Result<Vec<[Vec<f64>; 2]>, RecorderError> {
    if rig.is_instantaneous() {
        return Ok(Vec::new());
    }
    (1..=rig.actuators())
        .map(|i| {
            // What the sensors said, where the measured values were made of it.
            let has_raw = run.channels().any(|c| c.name.starts_with("raw_"));
            let kind = if has_raw { "raw" } else { "measured" };
            let read = |what: &str| run.read(&format!("{kind}_{what}/{i}"));
            Ok([read("displacement")?, read("force")?])
        })
        .collect()
}

impl Snapshot for ReplayRig {
    fn save(&self, into: &mut Vec<f64>) {
        self.inner.save(into);
        self.row().save(into);
    }
    fn restore(&mut self, from: &mut Words<'_>) -> Result<(), SnapshotError> {
        self.inner.restore(from)?;
        let mut row = 0_usize;
        row.restore(from)?;
        self.row.store(row, Ordering::Relaxed);
        Ok(())
    }
}

impl Rig for ReplayRig {
    fn actuators(&self) -> usize {
        self.inner.actuators()
    }
    fn around(&self) -> Option<&dyn Rig> {
        Some(self.inner.as_ref())
    }

    fn read(&mut self, measured: &mut Measured) {
        if self.model {
            self.inner.read(measured);
        }
        let row = self.row();
        for (i, [displacement, force]) in self.recorded.iter().enumerate() {
            if let (Some(x), Some(f)) = (displacement.get(row), force.get(row)) {
                measured.motion.displacement[i] = *x;
                measured.force[i] = *f;
            }
        }
    }
    fn write(&mut self, command: &Motion) {
        self.row.fetch_add(1, Ordering::Relaxed);
        if self.model {
            self.inner.write(command);
        }
    }
    fn rest(&mut self) {
        if self.model {
            self.inner.rest();
        }
    }
    fn status(&self) -> Status {
        // What the rig said about itself is not recorded, and changes no command.
        Status::READY
    }
    /// The measurements are all there, whatever the rig went by.
    fn needs_wall_clock(&self) -> bool {
        false
    }
    fn is_instantaneous(&self) -> bool {
        self.inner.is_instantaneous()
    }
}

/// Where a replay first differs from the record.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Tick of the coordinator.
    pub tick: u64,
    /// Structural time, s.
    pub time_s: f64,
    /// Channel of the record.
    pub signal: String,
    /// What was recorded.
    pub recorded: f64,
    /// What came out now.
    pub replayed: f64,
}

/// What a replay found.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// Ticks that were compared.
    pub ticks: u64,
    /// Channels that were compared.
    pub channels: usize,
    /// The first difference, if there is one.
    pub difference: Option<Difference>,
}

/// Rows compared at a time.
const ROWS: u64 = 4096;

/// Runs a loop that has not begun over the rows of a run and compares every channel bit by bit.
pub fn replay(
    hybrid: HybridLoop,
    run: &RunReader,
    progress: &mut dyn FnMut(f64),
) -> Result<Replay, RecorderError> {
    let recorded = recorded(run, hybrid.parts().rig.as_ref())?;
    let row = Arc::new(AtomicUsize::new(0));
    let pending: Option<Vec<bool>> = run
        .channels()
        .any(|c| c.name == TARGET_PENDING)
        .then(|| run.read(TARGET_PENDING))
        .transpose()?
        .map(|values| values.into_iter().map(|x| x > 0.5).collect());
    let mut hybrid = hybrid.with_parts(|mut parts| {
        let alone = parts.integrator.problem().interface_alone();
        if let (Some(pending), Some(interface)) = (pending, alone) {
            let tick = Arc::clone(&row);
            parts.integrator =
                Box::new(Apart::recorded(parts.integrator, interface, pending, tick));
        }
        Parts {
            rig: Box::new(ReplayRig {
                model: parts.rig.is_model(),
                inner: parts.rig,
                recorded,
                row,
            }),
            ..parts
        }
    });
    let names: Vec<String> = hybrid.channels().into_iter().map(|c| c.name).collect();
    let known: Vec<&str> = run.channels().map(|c| c.name.as_str()).collect();
    let compared: Vec<(usize, &String)> = names
        .iter()
        .enumerate()
        .filter(|(_, name)| known.contains(&name.as_str()))
        .collect();
    let mut block = Block::new(names.len(), 1);
    let rows = run.rows();
    let mut from = 0;
    while from < rows {
        let columns = compared
            .iter()
            .map(|(_, name)| run.read_rows(name, from, ROWS))
            .collect::<Result<Vec<_>, _>>()?;
        let count = ROWS.min(rows - from);
        for k in 0..usize::try_from(count).unwrap_or_default() {
            block.clear();
            let (tick, time_s) = (hybrid.ticks(), hybrid.time());
            hybrid.tick(&mut block);
            let row = hybrid.row();
            let differs = compared.iter().zip(&columns).find(|((at, _), column)| {
                let (a, b) = (row[*at], column[k]);
                // One quiet NaN is as good as another.
                a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan())
            });
            if let Some(((at, name), column)) = differs {
                return Ok(Replay {
                    ticks: tick,
                    channels: compared.len(),
                    difference: Some(Difference {
                        tick,
                        time_s,
                        signal: (*name).clone(),
                        recorded: column[k],
                        replayed: row[*at],
                    }),
                });
            }
        }
        from += count;
        #[allow(clippy::cast_precision_loss)]
        progress(from as f64 / rows as f64);
    }
    Ok(Replay {
        ticks: rows,
        channels: compared.len(),
        difference: None,
    })
}
