//! The figures of a co-simulation.

use tandem_cosimulation::{Coupled, Ended};

use crate::summary::{Coupling, Outcome, Response, Summary};

/// What came of it; `known`: what was before it ran.
pub(super) fn figures(coupled: &Coupled, ended: &Ended, known: Summary) -> Summary {
    let simulated_s = coupled.simulated_s();
    let (reason, stopped_by) = ended.fault.clone().unzip();
    let outcome = match ended.fault {
        Some(_) => Outcome::Stopped,
        None => Outcome::Completed,
    };
    let response = coupled.table().response().into_iter();
    let response = response.map(|(channel, figures)| {
        let response = Response {
            peak: figures.peak,
            rms: figures.rms,
            last: figures.last,
            unit: figures.unit,
            dof: None,
        };
        (channel, response)
    });
    let (scheme, gap) = (coupled.scheme(), coupled.gap());
    let coupling = Coupling {
        method: scheme.method().word().to_owned(),
        variant: scheme.variant().map(|variant| variant.word().to_owned()),
        velocity_gap: gap.map(|gap| gap.velocity),
        velocity_tolerance: gap.map(|gap| gap.velocity_tolerance),
        displacement_gap: gap.map(|gap| gap.displacement),
        from_undivided_percent: gap.and_then(|gap| gap.from_undivided_percent),
    };
    Summary {
        stopped_at_s: reason.is_some().then_some(simulated_s),
        outcome,
        reason,
        stopped_by: stopped_by.map(str::to_owned),
        steps: Some(coupled.steps()),
        simulated_s,
        wall_s: Some(ended.wall_s),
        realtime_factor: Some(simulated_s / ended.wall_s.max(1e-9)),
        response: response.collect(),
        coupling: Some(coupling),
        notes: ended.notes.clone(),
        ..known
    }
}
