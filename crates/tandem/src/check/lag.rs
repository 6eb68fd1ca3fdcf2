//! What compensation leaves of the transfer system's lag, from a rehearsal with the loop open.

use std::sync::Arc;
use tandem_coordinator::channels::{MEASURED_DISPLACEMENT, Quantity, TARGET};
use tandem_coordinator::recorder::RowBlock;
use tandem_coordinator::{Parts, Progress, ReferenceRun};
use tandem_integrator::{NoLoad, Prescribed, Problem};
use tandem_structure::{Linear, Matrix};
use tandem_transfer::conditioning::Conditioner;
use tandem_transfer::rig;

use crate::assemble::Test;
use crate::figures::delay_ms;
use crate::plan::{Plan, PlanErrors};
use crate::sections::Section;
use tandem_quantity::format_number;

/// Ticks of the rehearsal at most: minutes of a fast test, and a check stays a matter of seconds.
const MOST_TICKS: usize = 400_000;

/// How late the restoring force comes, s of wall time; negative where it comes early.
#[derive(Clone, Debug, PartialEq)]
pub struct Lag {
    /// Of the measured displacement behind the target, for every actuator that moves.
    pub actuators: Vec<f64>,
    /// Of the conditioned force behind the measured one, for slow signals.
    pub conditioning: f64,
}

impl Lag {
    /// In words, such as "2.4 ms, 0.5 ms of it from filters on the force".
    pub fn words(&self) -> String {
        let mut words = format!("{} ms", format_number(1e3 * self.most()));
        if self.conditioning > 0.0 {
            let part = format_number(1e3 * self.conditioning);
            words.push_str(&format!(
                ", {part} ms of it from the conditioning of the force"
            ));
        }
        words + ", with the loop open"
    }

    /// The longest way round.
    pub fn most(&self) -> f64 {
        self.actuators.iter().copied().fold(0.0, f64::max) + self.conditioning
    }
}

/// Sends the undivided structure's motion through command generation, compensator, servo and
/// actuator of the plan, without feedback, and looks how late it arrives. None where the plan's rig
/// is no model, or nothing moves.
///
/// # Errors
/// [`PlanErrors`], where the plan cannot be put together a second time.
pub fn lag(plan: &Plan, reference: &ReferenceRun) -> Result<Option<Lag>, Box<PlanErrors>> {
    let kind = Section::Rig.selected(&plan.values, &rig::SLOT);
    if !rig::SLOT
        .own()
        .iter()
        .any(|entry| Some(entry.method.name) == kind)
    {
        return Ok(None);
    }
    Ok(rehearsed(plan.assemble()?, reference))
}

/// The lag of a test whose rig is a model; none where nothing moves.
fn rehearsed(test: Test, reference: &ReferenceRun) -> Option<Lag> {
    let timing = test.outline.timing;
    let (interface, actuators) = (test.outline.interface.clone(), test.physical.actuators);
    let hybrid = test.into_hybrid().ok()?;
    let parts = hybrid.parts();
    let conditioning = parts.conditioning.as_ref().map_or(0.0, |c| c.delay());
    // The rehearsal looks one step ahead; a method that does not sends its command a tick later.
    let behind = if parts.integrator.properties().looks_ahead {
        0.0
    } else {
        timing.period
    };
    let n = interface.len();
    let nothing = || Matrix::zeros(n);
    let structure = Linear::new(nothing(), nothing(), nothing()).ok()?;
    let motions = interface
        .iter()
        .map(|&dof| {
            let of = |all: &[f64]| {
                all.iter()
                    .skip(dof)
                    .step_by(reference.dof)
                    .copied()
                    .collect()
            };
            [
                of(&reference.displacement),
                of(&reference.velocity),
                of(&reference.acceleration),
            ]
        })
        .collect();
    let problem = Problem {
        structure: Box::new(structure),
        interface: (0..n).collect(),
        specimen: parts.integrator.problem().specimen.clone(),
        dt: reference.dt,
        instantaneous: false,
    };
    let mut open = hybrid.with_parts(|parts| Parts {
        integrator: Box::new(Prescribed::new(problem, Arc::new(motions))),
        loading: std::sync::Arc::new(NoLoad),
        monitors: Vec::new(),
        ..parts
    });
    let names: Vec<String> = open.channels().iter().map(|c| c.name.clone()).collect();
    let column = |of: Quantity, i: usize| {
        let name = of.of(i + 1);
        names.iter().position(|other| *other == name)
    };
    let columns: Vec<(usize, usize)> = (0..actuators)
        .map(|i| Some((column(TARGET, i)?, column(MEASURED_DISPLACEMENT, i)?)))
        .collect::<Option<_>>()?;
    let rehearsal = open.rehearsal().ok()?;
    let mut histories = vec![(Vec::new(), Vec::new()); actuators];
    let mut block = RowBlock::new(names.len(), 1);
    for _ in 0..MOST_TICKS {
        block.clear();
        // A limit of the plan ends the rehearsal; what went before tells the lag as well.
        if open.tick(&rehearsal.permit(), &mut block) != Progress::Running {
            break;
        }
        let row = open.row();
        for ((target, measured), (x, y)) in columns.iter().zip(&mut histories) {
            x.push(row[*target]);
            y.push(row[*measured]);
        }
    }
    let actuators: Vec<f64> = histories
        .iter()
        .filter_map(|(target, measured)| {
            Some(behind + 1e-3 * delay_ms(measured, target, timing.period)?)
        })
        .collect();
    (!actuators.is_empty()).then_some(Lag {
        actuators,
        conditioning,
    })
}
