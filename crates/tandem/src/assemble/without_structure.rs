//! A test of a plan that describes no structure: another program has it, or there is none.

use crate::sections::{Judged, RecordSettings};
use std::sync::Arc;
use tandem_model::interface::InterfaceSettings;
use tandem_quantity::BuildError;
use tandem_signal::record::Record;
use tandem_structure::{Linear, Matrix};

/// The interface alone, as a structure without mass and stiffness: one degree of freedom for every
/// label.
pub(super) fn interface(labels: Vec<String>, kind: &'static str) -> Result<Linear, BuildError> {
    let refuse = |text: String| {
        BuildError::new(
            "integration",
            text,
            "give the interface at least one degree of freedom",
        )
    };
    let dof = labels.len();
    if dof == 0 {
        return Err(refuse("there is no degree of freedom".to_owned()));
    }
    let (m, c, k) = (Matrix::zeros(dof), Matrix::zeros(dof), Matrix::zeros(dof));
    Linear::new(m, c, k)
        .and_then(|s| s.with_labels(labels))
        .map(|s| s.with_kind(kind))
        .map_err(|error| refuse(error.to_string()))
}

/// The ground of such a test stands still.
pub(super) fn no_ground_motion() -> Result<Arc<Record>, BuildError> {
    Record::new("none", 1.0, vec![0.0, 0.0])
        .map(Arc::new)
        .map_err(|error| BuildError::new("excitation", error.to_string(), "remove this section"))
}

/// Refuses the keys of `[interface]` that name degrees of freedom of a structure.
pub(super) fn refuse_degrees_of_freedom(
    interface: &InterfaceSettings,
    why: &str,
    instead: &str,
) -> Result<(), BuildError> {
    let written = [
        ("members", interface.members.is_some()),
        ("dof", interface.dof.is_some()),
    ];
    match written.iter().find(|(_, written)| *written) {
        None => Ok(()),
        Some((key, _)) => Err(BuildError::new(
            format!("interface.{key}"),
            format!("{why}, so that this names nothing"),
            format!("remove this key; {instead}"),
        )),
    }
}

/// Refuses the keys of `[record]` that ask for an undivided structure to compare with: nobody here
/// knows it.
pub(super) fn refuse_reference(record: &RecordSettings) -> Result<(), BuildError> {
    let undivided = record.undivided.read()?;
    let written = [
        ("criteria", record.criteria != Judged::Not),
        ("criteria_dof", record.criteria_dof.read()?.is_some()),
        ("reference_steps", undivided.reference_steps != 1),
        ("reference_method", undivided.reference_method.is_some()),
        (
            "reference_tangent_damping",
            undivided.reference_tangent_damping.is_some(),
        ),
    ];
    match written.into_iter().find(|(_, written)| *written) {
        None => Ok(()),
        Some((key, _)) => Err(BuildError::new(
            format!("record.{key}"),
            "this plan describes no structure, so that there is no undivided one to compare with",
            "remove this key; tracking, indicators and limits judge such a test",
        )),
    }
}
