//! A recorded run by the criteria of a benchmark problem.

use tandem_coordinator::ReferenceRun;
use tandem_coordinator::channels::{
    INTERFACE_DISPLACEMENT, MEASURED_DISPLACEMENT, Quantity, RESPONSE_DISPLACEMENT, TARGET,
};
use tandem_coordinator::recorder::{RecorderError, RunReader};

use super::read_at_steps;
use crate::assemble::Test;
use crate::criteria::{Criteria, CriteriaValues, Output};

/// `criteria` (standard deviations, as the distributed programs compute them) and `criteria_rms`
/// (as the papers print the formulas) of the summary. None where a signal is too short or rests.
pub(super) fn judge(
    criteria: &Criteria,
    test: &Test,
    run: &RunReader,
    reference: &ReferenceRun,
) -> Result<Option<[CriteriaValues; 2]>, RecorderError> {
    let channel = |of: Quantity, number: usize| read_at_steps(run, &of.of(number), test);
    let actuators = test.physical.actuators;
    let (mut targets, mut measured) = (Vec::new(), Output::default());
    for i in 1..=actuators {
        targets.push(channel(TARGET, i)?);
        measured.strokes.push(channel(MEASURED_DISPLACEMENT, i)?);
    }
    if test.physical.linked {
        for i in 1..=test.outline.interface.len() {
            let found = channel(INTERFACE_DISPLACEMENT, i)?;
            measured.interface.push(found);
        }
    }
    let shown = criteria.shown(&test.outline.interface);
    let mut numerical = Vec::new();
    for dof in &shown {
        numerical.push(channel(RESPONSE_DISPLACEMENT, dof + 1)?);
    }
    let history: Vec<Vec<f64>> = shown.iter().map(|&dof| reference.history(dof)).collect();
    Ok(criteria.compare(&targets, &measured, &numerical, &history, test.outline.dt))
}
