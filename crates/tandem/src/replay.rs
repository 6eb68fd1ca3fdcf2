//! `tandem replay`: a recorded run again, bit by bit.

use std::path::Path;

use tandem_coordinator::recorder::RunReader;
use tandem_coordinator::replay::{Difference, Replay, replay as replay_loop};
use tandem_structure::Structure;

use crate::assemble::{Body, Test};
use crate::error::RunError;
use crate::run::{files, plan_of};

/// Runs the test of a run folder again from its log and compares.
pub fn replay(folder: &Path, progress: &mut dyn FnMut(f64)) -> Result<Replay, RunError> {
    let plan = plan_of(folder)?;
    let test = plan.assemble()?;
    let run = RunReader::open(&folder.join(files::RUN))?;
    let test = match test.body {
        Body::Loop(hybrid) => return Ok(replay_loop(*hybrid, &run, progress)?),
        body => Test { body, ..test },
    };
    // Without a specimen the run is the reference.
    let reference = test
        .reference()
        .map_err(|error| RunError::Plan(Box::new(plan.refuse(vec![error]))))?;
    let dof = test.outline.whole.properties().dof();
    let mut difference: Option<Difference> = None;
    for (name, values) in [
        ("displacement", &reference.displacement),
        ("velocity", &reference.velocity),
        ("acceleration", &reference.acceleration),
    ] {
        for i in 0..dof {
            let signal = format!("response_{name}/{}", i + 1);
            let recorded = run.read(&signal)?;
            let again = values.iter().skip(i).step_by(dof.max(1));
            let differs = recorded
                .iter()
                .zip(again)
                .position(|(a, b)| a.to_bits() != b.to_bits());
            if let Some(k) = differs
                && difference.as_ref().is_none_or(|d| k as u64 <= d.tick)
            {
                let time_s = k as f64 * test.outline.dt;
                difference = Some(Difference {
                    tick: k as u64,
                    time_s,
                    signal,
                    recorded: recorded.get(k).copied().unwrap_or(f64::NAN),
                    replayed: values.get(k * dof + i).copied().unwrap_or(f64::NAN),
                });
            }
        }
    }
    Ok(Replay {
        ticks: run.rows(),
        channels: 3 * dof,
        difference,
    })
}
