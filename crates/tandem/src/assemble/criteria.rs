//! The benchmark problem by whose criteria a test is judged.

use tandem_quantity::BuildError;
use tandem_structure::Structure;

use super::Test;
use crate::criteria::Criteria;
use crate::sections::{Judged, RecordSettings};

/// What the section `[record]` asks for, if the test can answer it.
///
/// # Errors
/// [`BuildError`] where the structure or the interface is not that of the problem, or the reference
/// is switched off.
pub(super) fn asked_for(
    record: &RecordSettings,
    test: &Test,
) -> Result<Option<Criteria>, BuildError> {
    if record.criteria == Judged::Not {
        return Ok(None);
    }
    let refuse = |message: String, help: &str| Err(BuildError::new("criteria", message, help));
    if !record.reference || test.outline.interface.is_empty() {
        return refuse(
            "the criteria compare a test with its reference".into(),
            "add [interface] and [rig], and do not write reference = false",
        );
    }
    let dof = test.outline.whole.properties().dof();
    if record.criteria == Judged::SingleActuator {
        if test.outline.interface != [0] || dof < 3 {
            return refuse(
                format!(
                    "this problem has three floors and its actuator at the first, not {dof} \
                     degrees of freedom"
                ),
                "write interface.dof = [1] and give three floors, or criteria = \"none\"",
            );
        }
        return Ok(Some(Criteria::SingleActuator));
    }
    let given: Vec<usize> = match record.criteria_dof.read()? {
        Some(list) => list.into_iter().map(|n| n - 1).collect(),
        None => (0..dof)
            .filter(|i| !test.outline.interface.contains(i))
            .collect(),
    };
    if let Some(wrong) = given
        .iter()
        .find(|i| **i >= dof || test.outline.interface.contains(i))
    {
        return Err(BuildError::new(
            "criteria_dof",
            format!(
                "{} belongs to the interface or is no degree of freedom",
                wrong + 1
            ),
            format!("take others of the degrees of freedom 1 to {dof}"),
        ));
    }
    Ok(Some(Criteria::MultiAxial(given)))
}
