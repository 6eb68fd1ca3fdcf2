//! `[integration] method = "fmu"`: the structure is an FMU that integrates by itself.

use super::source::{Connected, Outline, Read, TargetSource, Targets};
use super::{Test, at_least_one_tick, energy_error_dof, steps, without_structure};
use crate::sections::{RecordSettings, Section};
use std::sync::Arc;
use tandem_coordinator::Timing;
use tandem_fmi::slots::co_simulation::{FmuIntegration, ForceInStep, Model, NAME, SelfStepping};
use tandem_model::interface::{self, InterfaceSettings, Partition};
use tandem_model::{excitation, structure};
use tandem_quantity::{BuildError, Registry, Settings, Values, format_number};
use tandem_structure::{Linear, Structure};
use tandem_transfer::command;
use tandem_transfer::rig::Rig;

/// Whether the structure of the plan integrates by itself.
pub fn selected_by(plan: &Values) -> bool {
    Section::Integration.selected(plan, &tandem_integrator::SLOT) == Some(NAME)
}

/// Reads such a plan.
pub(super) fn read(plan: &Values, registry: &Registry) -> Result<Read, BuildError> {
    let (integration, described) = (Section::Integration.of(plan), Section::Structure.of(plan));
    if described.text(structure::SLOT.selector)? != NAME {
        return Err(BuildError::new(
            "structure.kind",
            "integration.method = \"fmu\" lets an FMU integrate itself, and this structure is none",
            "write kind = \"fmu\", or take a time-stepping method",
        ));
    }
    let shared = InterfaceSettings::read(Section::Interface.of(plan))?;
    if shared.partition.read()? != Partition::Add || shared.members.is_some() {
        return Err(BuildError::new(
            "interface.partition",
            "nothing can be taken out of an FMU that integrates by itself: it is the numerical \
            part only, and the specimen is added to it",
            "write partition = \"add\" and dof = [1], or the name of a displacement of the FMU, in \
            [interface]",
        ));
    }
    let excitation = excitation::build(Section::Excitation.of(plan), registry)
        .map_err(|e| e.within("excitation"))?;
    let integration = FmuIntegration::read(integration)?;
    let (dt, time_scale) = (integration.dt, integration.time_scale);
    let model = Model::read(described, dt).map_err(|e| e.within("structure"))?;
    let whole = without_structure::interface(model.labels().to_vec(), "FMU (Co-Simulation)")?;
    let dofs = interface::read(&shared, whole.properties(), None)?;
    if dofs.is_empty() {
        return Err(BuildError::new(
            "interface.dof",
            "the plan has no specimen, so that nothing is left to test",
            "write dof = [1], or run the FMU alone with `tandem fmu simulate`",
        ));
    }
    let duration = integration.duration.unwrap_or(excitation.record.duration());
    let timing = Timing {
        period: command::Timing::read(Section::Command.of(plan))?
            .rate
            .map_or(dt * time_scale, |rate| 1.0 / rate),
        time_scale,
        steps: steps(duration, dt, model.labels().len())?,
    };
    at_least_one_tick(dt, timing)?;
    let record = RecordSettings::read(Section::Record.of(plan))?;
    without_structure::refuse_reference(&record)?;
    let holds_force = integration.force == ForceInStep::Held;
    let mut notes = excitation.notes;
    notes.push(if holds_force {
        // Half a step of wall time.
        let delay = 0.5 * dt * time_scale;
        format!(
            "The specimen's force is held over a step of the FMU: it is {} ms of wall time old \
                on the average, {} ms at most.",
            format_number(1e3 * delay),
            format_number(2e3 * delay),
        )
    } else {
        "The specimen's force is continued to the middle of a step of the FMU from its \
            last two values."
            .to_owned()
    });
    let outline = Outline {
        method: "FMU (Co-Simulation)".to_owned(),
        record: Arc::new(excitation.record),
        whole: Box::new(whole.clone()),
        energy_error_dof: energy_error_dof(&record, &dofs, model.labels().len())?,
        interface: dofs,
        timing,
        dt,
        notes,
        targets: Targets::SelfStepping { holds_force },
        described: None,
    };
    Ok((outline, Box::new(Source { model, whole })))
}

/// The FMU, for the interface that it shows.
struct Source {
    model: Model,
    whole: Linear,
}

impl TargetSource for Source {
    fn connect(
        self: Box<Self>,
        _: &Values,
        test: &mut Test,
        rig: Box<dyn Rig>,
    ) -> Result<Connected, BuildError> {
        let Self { model, whole } = *self;
        test.warnings
            .extend(model.warnings(test.outline.record.peak() != 0.0));
        let (record, last) = (Arc::clone(&test.outline.record), test.outline.timing.steps);
        let holds_force = matches!(
            test.outline.targets,
            Targets::SelfStepping { holds_force: true }
        );
        Connected::without_structure(test, whole, rig, |problem| {
            let made = SelfStepping::new(model, problem, record, last, !holds_force);
            Ok(Box::new(made.map_err(|error| error.within("structure"))?))
        })
    }
}
