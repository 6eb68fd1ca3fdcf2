//! A recorded run once more: the loop is fed with everything that came into it, and must give the
//! same bits.
//!
//! What comes in is the sensors' values, what the rig says about itself, in which ticks the target
//! was not there, and, where another program drives the test, what it asked for. All of it is
//! recorded. What an operator orders, or a clock that is not kept, ends or holds the test between
//! two ticks and changes no row.

mod driver;
mod rig;

use crate::channels::TARGET_PENDING;
use crate::hybrid_loop::{HybridLoop, Parts, TargetStatus};
use crate::realtime::ThreadedIntegrator;
use crate::recorder::{RecorderError, RowBlock, RunReader};
use driver::{DriverRecord, RecordedDriver};
use rig::{ReplayRig, RigRecord};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

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
    let row = Arc::new(AtomicUsize::new(0));
    let pending = run.read_if_there(TARGET_PENDING.name)?.unwrap_or_default();
    let pending: Vec<TargetStatus> = pending.into_iter().map(TargetStatus::from_word).collect();
    let Parts {
        rig, integrator, ..
    } = hybrid.parts();
    let known_rig = rig.properties();
    let outside = integrator.properties().is_external;
    // Questions within a tick are not in the record: only the model can answer them.
    let asked_within = known_rig.is_instantaneous && !outside;
    let of_rig = RigRecord::read(run, known_rig.actuators, asked_within)?;
    let of_driver = if outside {
        Some(DriverRecord::read(run, integrator.as_ref())?)
    } else {
        None
    };
    // A thread that failed before its method was ever late was there all the same.
    let apart = pending.contains(&TargetStatus::Elsewhere)
        || (pending.contains(&TargetStatus::Lost) && integrator.properties().computes);
    let mut hybrid = hybrid.with_parts(|mut parts| {
        let tick = Arc::clone(&row);
        if let Some(record) = of_driver {
            let driver = RecordedDriver::new(parts.integrator, record, pending, tick);
            parts.integrator = Box::new(driver);
        } else if apart {
            let interface = parts.integrator.problem().interface_alone();
            let there = ThreadedIntegrator::recorded(parts.integrator, interface, pending, tick);
            parts.integrator = Box::new(there);
        }
        Parts {
            rig: Box::new(ReplayRig::new(parts.rig, of_rig, row)),
            ..parts
        }
    });
    let names = hybrid.channels().iter().map(|c| c.name.clone());
    let names: Vec<String> = names.collect();
    let known: Vec<&str> = run.channels().map(|c| c.name.as_str()).collect();
    let compared: Vec<(usize, &String)> = names
        .iter()
        .enumerate()
        .filter(|(_, name)| known.contains(&name.as_str()))
        .collect();
    let rehearsal = hybrid.rehearsal()?;
    let mut block = RowBlock::new(names.len(), 1);
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
            hybrid.tick(&rehearsal.permit(), &mut block);
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
        progress(from as f64 / rows as f64);
    }
    Ok(Replay {
        ticks: rows,
        channels: compared.len(),
        difference: None,
    })
}
