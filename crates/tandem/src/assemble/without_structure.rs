//! A test of a plan that describes no structure: another program has it, or there is none.

use super::{Partition, Reference, Test, section_of};
use std::sync::Arc;
use tandem_coordinator::Timing;
use tandem_quantity::{BuildError, Impedance, Values};
use tandem_signal::record::Record;
use tandem_structure::{Linear, Matrix};

/// The interface alone, as a structure without mass and stiffness: one degree of freedom for every label.
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

/// The test around such an interface, before its loop is closed. The ground stands still.
pub(super) fn test(
    plan: &Values,
    whole: Linear,
    timing: Timing,
    dt: f64,
) -> Result<Test, BuildError> {
    let integration = plan.table("integration")?;
    let section = section_of(plan);
    refuse_reference(section("record")).map_err(|error| error.within("record"))?;
    let record = Record::new("none", 1.0, vec![0.0, 0.0])
        .map_err(|error| BuildError::new("excitation", error.to_string(), "remove this section"))?;
    let dof = tandem_structure::Structure::dof(&whole);
    Ok(Test {
        name: plan.text("name")?.to_owned(),
        seed: plan.count("seed")? as u64,
        record: Arc::new(record),
        specimen: Impedance::none(dof),
        actuators: dof,
        linked: false,
        timing,
        dt,
        method: integration.text("method")?.to_owned(),
        critical_dt: None,
        criteria: None,
        warnings: Vec::new(),
        notes: Vec::new(),
        hybrid: None,
        energy_error_dof: 0,
        targets_come_late: section("command").has("answer_time"),
        step_rows: None,
        response_rows: None,
        integration: integration.clone(),
        reference: Reference {
            integration: integration.clone(),
            steps: 1,
            tangent_damping: 0.0,
        },
        interface: (0..dof).collect(),
        whole: Box::new(whole),
        frame: None,
        reduction: None,
        supports: None,
        division: None,
        structure: plan.table("structure")?.clone(),
        partition: Partition::Add,
        nonlinear: None,
        driver: None,
        steps_itself: false,
        signals: None,
    })
}

/// Refuses the keys of `[interface]` that name degrees of freedom of a structure.
pub(super) fn refuse_degrees_of_freedom(
    interface: &Values,
    why: &str,
    instead: &str,
) -> Result<(), BuildError> {
    match ["members", "dof"]
        .into_iter()
        .find(|key| interface.has(key))
    {
        None => Ok(()),
        Some(key) => Err(BuildError::new(
            format!("interface.{key}"),
            format!("{why}, so that this names nothing"),
            format!("remove this key; {instead}"),
        )),
    }
}

/// Refuses the keys of `[record]` that ask for an undivided structure to compare with: nobody here
/// knows it.
fn refuse_reference(record: &Values) -> Result<(), BuildError> {
    let judged = record.optional_text("criteria").unwrap_or("none") != "none";
    let refined = record.has("reference_steps") && record.count("reference_steps")? != 1;
    let written = [
        ("criteria", judged),
        ("criteria_dof", record.has("criteria_dof")),
        ("reference_steps", refined),
        ("reference_method", record.has("reference_method")),
        (
            "reference_tangent_damping",
            record.has("reference_tangent_damping"),
        ),
    ];
    match written.into_iter().find(|(_, written)| *written) {
        None => Ok(()),
        Some((key, _)) => Err(BuildError::new(
            key,
            "this plan describes no structure, so that there is no undivided one to compare with",
            "remove this key; tracking, indicators and limits judge such a test",
        )),
    }
}
