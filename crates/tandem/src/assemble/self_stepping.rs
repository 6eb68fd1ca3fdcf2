//! `[integration] method = "fmu"`: the structure is an FMU that integrates by itself.

use super::{
    Test, assumed, at_least_one_tick, build_rig, close_loop, energy_error_dof, excitation,
    interface, kinematics, section_of, start_and_faults, steps, without_structure,
};
use crate::guest::co_simulation::{Model, NAME, SelfStepping};
use std::sync::Arc;
use tandem_coordinator::Timing;
use tandem_integrator::{Integrator, Problem};
use tandem_quantity::{BuildError, Impedance, Values};
use tandem_transfer::outside;

/// Whether the structure of the plan integrates by itself.
pub fn is_meant(plan: &Values) -> bool {
    plan.optional_table("integration")
        .and_then(|table| table.optional_text("method"))
        == Some(NAME)
}

/// The test of such a plan.
pub(super) fn put_together(plan: &Values) -> Result<Test, BuildError> {
    let section = section_of(plan);
    let (integration, described) = (plan.table("integration")?, plan.table("structure")?);
    if described.text("kind")? != outside::NAME {
        return Err(BuildError::new(
            "structure.kind",
            "integration.method = \"fmu\" lets an FMU integrate itself, and this structure is none",
            "write kind = \"fmu\", or take a time-stepping method",
        ));
    }
    let table = section("interface");
    if table.optional_text("partition") != Some("add") || table.has("members") {
        return Err(BuildError::new(
            "interface.partition",
            "nothing can be taken out of an FMU that integrates by itself: it is the numerical part only, and the specimen is added to it",
            "write partition = \"add\" and dof = [1], or the name of a displacement of the FMU, in [interface]",
        ));
    }
    let excitation =
        excitation::build(plan.table("excitation")?).map_err(|e| e.within("excitation"))?;
    let dt = integration.number("dt")?;
    let time_scale = integration.number("time_scale")?;
    let model = Model::read(described, dt).map_err(|e| e.within("structure"))?;
    let whole = without_structure::interface(model.labels().to_vec(), "FMU (Co-Simulation)")?;
    let dofs = interface::read(table, &whole, None)?;
    if dofs.is_empty() {
        return Err(BuildError::new(
            "interface.dof",
            "the plan has no specimen, so that nothing is left to test",
            "write dof = [1], or run the FMU alone with `tandem fmu simulate`",
        ));
    }
    let duration = integration
        .optional_number("duration")
        .unwrap_or(excitation.record.duration());
    let timing = Timing {
        period: section("command")
            .optional_number("rate")
            .map_or(dt * time_scale, |rate| 1.0 / rate),
        time_scale,
        steps: steps(duration, dt, model.labels().len())?,
    };
    at_least_one_tick(dt, timing)?;
    let mut test = without_structure::test(plan, whole.clone(), timing, dt)?;
    test.steps_itself = true;
    test.method = "FMU (Co-Simulation)".to_owned();
    test.energy_error_dof = energy_error_dof(section("record"), &dofs, model.labels().len())?;
    test.notes = excitation.notes;
    let extrapolated = integration.text("force")? == "extrapolated";
    test.notes.push(match test.held_force_delay() {
        0.0 => "The specimen's force is continued to the middle of a step of the FMU from its last two values.".to_owned(),
        delay => format!(
            "The specimen's force is held over a step of the FMU: it is {} ms of wall time old on the average, {} ms at most.",
            crate::report::engineering(1e3 * delay),
            crate::report::engineering(2e3 * delay),
        ),
    });
    test.record = Arc::new(excitation.record);
    test.specimen = Impedance::none(dofs.len());
    test.actuators = dofs.len();
    test.interface = dofs;
    let linkage = kinematics::build(section("kinematics"), test.interface.len())
        .map_err(|e| e.within("kinematics"))?;
    if let Some(linkage) = &linkage {
        test.linked = true;
        test.actuators = linkage.actuators();
    }
    let rig = build_rig(plan, &test)?;
    test.specimen = assumed(table, rig.as_ref(), test.interface.len())?;
    test.warnings = model.warnings(test.record.peak() != 0.0);
    let (record, last) = (Arc::clone(&test.record), timing.steps);
    let make = move |problem: Problem| -> Result<Box<dyn Integrator>, BuildError> {
        let made = SelfStepping::new(model, problem, record, last, extrapolated);
        made.map(|made| Box::new(made) as Box<dyn Integrator>)
            .map_err(|e| e.within("structure"))
    };
    let hybrid = close_loop(
        &section,
        &test,
        linkage,
        rig,
        Box::new(whole),
        Some(Box::new(make)),
    )?;
    let (hybrid, warnings) = start_and_faults(plan, &test, hybrid)?;
    test.warnings.extend(warnings);
    test.hybrid = Some(hybrid);
    Ok(test)
}
