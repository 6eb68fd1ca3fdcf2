//! From the checked plan to a test that can run, in one order for every kind of test: source of
//! targets, linkage, rig, what is assumed of the specimen, loop, start position, faults, criteria.

pub mod characterise;
mod criteria;
#[cfg(feature = "link")]
pub mod driven;
mod input_work;
mod method;
mod modelled;
#[cfg(feature = "fmi")]
pub mod self_stepping;
pub mod source;
mod unread;
mod without_structure;

use crate::criteria::Criteria;
use crate::error::RunError;
use crate::sections::{RecordSettings, Section};
#[cfg(feature = "link")]
pub use driven::Driver;
pub use method::method_table;
use modelled::{Described, Reference};
use source::{Connected, Targets};
pub use source::{Outline, steppers};
use std::path::PathBuf;
use std::sync::Arc;
use tandem_coordinator::channels::{
    INTERFACE_DISPLACEMENT, INTERFACE_FORCE, INTERFACE_TARGET, MEASURED_DISPLACEMENT,
    MEASURED_FORCE, Quantity, TARGET,
};
use tandem_coordinator::fault::Fault;
use tandem_coordinator::realtime::{self, CoordinatorSettings};
use tandem_coordinator::{
    DelayedIntegrator, HybridLoop, Limits, Parts, ReferenceRun, SafetyGate, ShiftedRig, Timing,
    run_reference,
};
#[cfg(feature = "fmi")]
pub use tandem_cosimulation::Coupled;
use tandem_frame::model::Division;
use tandem_integrator::{GroundMotion, Integrator, IntegratorContext, Prescribed, Problem};
use tandem_model::frame::FrameModel;
use tandem_model::interface::{self, InterfaceSettings, Partition};
use tandem_model::reduction::Reduction;
use tandem_model::structure::{self, flatten};
use tandem_monitor::{ENERGY, STABILITY_WARNING};
use tandem_plan::{PlanErrors, Resolved};
use tandem_quantity::{
    AsAttachment, Attachment, BuildError, Conditional, Context, Dimension, Registry, Setting,
    Settings, SpecimenMatrices, Values, settings,
};
use tandem_structure::composite::GroundTerm;
use tandem_structure::{
    Linear, LinearAttachment, Matrix, Structure, StructureProperties, TangentDamped, WithSpecimen,
};
use tandem_transfer::conditioning::{self, Conditioner};
use tandem_transfer::kinematics::Kinematics;
use tandem_transfer::rig::{Rig, RigContext};
use tandem_transfer::{command, compensator, kinematics, rig};
pub(crate) use unread::refuse_unread;

/// No parts are coupled: the library is built without the feature `fmi`.
#[cfg(not(feature = "fmi"))]
pub enum Coupled {}

/// No program drives a test: the library is built without the feature `link`.
#[cfg(not(feature = "link"))]
pub enum Driver {}

#[cfg(not(feature = "link"))]
impl Driver {
    /// How long it is waited for, s.
    fn patience(&self) -> f64 {
        match *self {}
    }
}

/// A test, ready to run.
pub struct Test {
    /// Name of the plan.
    pub name: String,
    /// Seed of everything random.
    pub seed: u64,
    /// What is known of it without a rig: clocks, ground motion, structure, interface.
    pub outline: Outline,
    /// What stands at the interface.
    pub physical: Physical,
    /// Largest stable step of the method, s; none where it is unconditionally stable.
    pub critical_dt: Option<f64>,
    /// Benchmark by whose criteria the run is judged.
    pub criteria: Option<Criteria>,
    /// How the run goes and what it leaves.
    pub running: Running,
    /// Where its steps stand in the record.
    pub step_rows: StepRows,
    /// What may go wrong.
    pub warnings: Vec<String>,
    /// What runs.
    pub body: Body,
    /// Where its parts are found.
    pub registry: Registry,
}

/// What of a test runs.
pub enum Body {
    /// The loop between a source of targets and a rig.
    Loop(Box<HybridLoop>),
    /// The structure as a whole: there is no specimen.
    Numerical,
    /// Parts that are coupled with each other: a co-simulation.
    Coupled(Box<Coupled>),
}

/// What stands at the interface, as far as others than the loop look at it.
pub struct Physical {
    /// Number of actuators that move it.
    pub actuators: usize,
    /// Whether a linkage stands between interface and actuators.
    pub linked: bool,
    /// What is assumed of the specimen, at the interface.
    pub specimen: SpecimenMatrices,
    partition: Partition,
    /// Makes the nonlinear specimen for the reference.
    nonlinear: Option<AsAttachment>,
}

/// Where the steps of a test stand in its record, where not by the clock alone.
#[derive(Clone, Debug, Default)]
pub struct StepRows {
    /// Whether targets may come late: steps then take as long as they take.
    pub late: bool,
    /// Rows at the ends of the steps, where late targets have moved them.
    pub ends: Option<Vec<usize>>,
    /// Rows from which on the record has the response of each step, where the integration worked
    /// elsewhere.
    pub responses: Option<Vec<usize>>,
}

/// What is said of a co-simulation where a structure, a rig or a loop is needed.
fn no_structure() -> BuildError {
    BuildError::new(
        "cosimulation",
        "this is a co-simulation: its parts are coupled with each other, and there is no \
         structure, rig or loop that this could be done with",
        "take `tandem run` or `tandem check`; or put the FMU into a test, as structure, rig or \
         compensator (docs/fmi.md)",
    )
}

/// There is no loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoLoop {
    /// There is nothing to close it through.
    #[error("the plan has no specimen, so that no loop is closed")]
    NoSpecimen,
    /// Parts are coupled with each other.
    #[error("a co-simulation has no loop")]
    Coupled,
}

impl From<NoLoop> for BuildError {
    fn from(error: NoLoop) -> Self {
        match error {
            NoLoop::NoSpecimen => {
                Self::new("interface", error.to_string(), "add [interface] and [rig]")
            }
            NoLoop::Coupled => no_structure(),
        }
    }
}

impl From<NoLoop> for RunError {
    fn from(error: NoLoop) -> Self {
        Self::Build(error.into())
    }
}

/// How a run goes and what it leaves, as far as that is no part of the loop.
#[derive(Clone, Debug, Default)]
pub struct Running {
    /// Folder of the run, where the plan names one.
    pub folder: Option<PathBuf>,
    /// Whether the undivided structure is computed too, where the plan describes one.
    pub reference: bool,
    /// How a test in real time runs.
    pub realtime: realtime::Settings,
    /// How long pre-run waits for whoever gives the first target, and for devices, s; none: as long
    /// as usual.
    pub timeout: Option<f64>,
}

settings! {
    /// What stands before the sections.
    struct Head {
        /// name of the test
        name: String = text(),
        /// seed of everything random
        seed: u64 = integer(),
    }
}

settings! {
    /// At which instant a method balances forces, as far as methods have such keys.
    struct Balance {
        /// α of the mean of two instants
        alpha: Option<f64> = number(Dimension::NONE),
        /// spectral radius, which makes α
        rho_inf: Option<f64> = number(Dimension::NONE),
        /// b by which damping follows the tangent
        tangent_damping: Option<f64> = number(Dimension::TIME),
    }
}

/// What is asked of the structure of a plan that describes none.
fn undescribed() -> BuildError {
    BuildError::new(
        "structure",
        "this plan describes no structure, so that there is no undivided one to compute",
        "look at the run itself: `tandem report`",
    )
}

/// Puts the test together that a plan describes.
///
/// # Errors
/// [`PlanErrors`] with everything that does not fit, and with every written key that nothing in
/// this test reads.
pub(crate) fn assemble_plan(plan: &Resolved) -> Result<Test, Box<PlanErrors>> {
    // What others have read of the plan before is no reason to take a key for used.
    let values = plan.values.unmarked();
    let test = assemble(&values, plan.registry());
    let test = test.map_err(|errors| Box::new(plan.refuse(errors)))?;
    refuse_unread(plan, &values, |key| unread::why_unread(key, &test))?;
    Ok(test)
}

/// Builds the test of methods of this registry, or says everything that does not fit.
///
/// # Errors
/// One [`BuildError`] for each section that does not fit, as far as they can be found together.
pub fn assemble(plan: &Values, registry: &Registry) -> Result<Test, Vec<BuildError>> {
    if Section::Cosimulation.written(plan).is_some() {
        return Err(vec![no_structure()]);
    }
    let (outline, source) = source::read(plan, registry)?;
    let whole = |error| vec![error];
    let mut test = Test::of(plan, outline, registry).map_err(whole)?;
    test.close(plan, source).map_err(whole)?;
    Ok(test)
}

/// A step must have at least one tick.
fn at_least_one_tick(dt: f64, timing: Timing) -> Result<(), BuildError> {
    let step = dt * timing.time_scale;
    if step / timing.period >= 1.0 - 1e-9 {
        return Ok(());
    }
    Err(BuildError::new(
        "command.rate",
        format!(
            "{:.6} Hz gives less than one tick per integration step of {step:.6} s",
            1.0 / timing.period
        ),
        format!(
            "take a rate of {:.6} Hz or more, or a longer step",
            1.0 / step
        ),
    ))
}

/// The loop with its start position, its centering speed and its scripted faults, and what there is
/// to warn of.
fn start_and_faults(
    plan: &Values,
    test: &Test,
    mut hybrid: HybridLoop,
) -> Result<(HybridLoop, Vec<String>), BuildError> {
    let mut warnings = Vec::new();
    if let Some(coordinator) = coordinator(plan)? {
        hybrid.set_centering_speed(coordinator.centering_speed);
        if let Some(start) = coordinator.start {
            hybrid = shifted(hybrid, &start)?;
        }
    }
    let faults = faults(plan, test)?;
    if !faults.is_empty() {
        warnings.push(format!(
            "{} scripted fault(s): this is a drill, not a test.",
            faults.len()
        ));
        hybrid = tandem_coordinator::drill::with_faults(hybrid, &faults);
    }
    let questions = hybrid.parts().integrator.properties().evaluations_per_step as f64;
    let timing = test.outline.timing;
    let ticks = timing.time_scale * test.outline.dt / timing.period / questions;
    if ticks > 1.5
        && Section::Command
            .selected(plan, &command::SLOT)
            .unwrap_or("direct")
            == "direct"
    {
        warnings.push(format!(
            "command.method = \"direct\" jumps to every target in one of {ticks:.1} ticks; \
            \"ramp\" goes there evenly."
        ));
    }
    let sensed = Sensed::read(Section::Rig.of(plan)).map_err(|error| error.within("rig"))?;
    let late = sensed.sensors.and_then(|sensors| sensors.displacement_late);
    let limits = Limits::read(Section::Limits.of(plan)).map_err(|error| error.within("limits"))?;
    if late.is_some_and(|late| late > 0.5 * timing.period)
        && limits.specimen_failure.is_some()
        && !brings_to_present(Section::Conditioning.of(plan))
    {
        warnings.push(
            "limits.specimen_failure holds the force of now against a displacement that comes late \
            (rig.sensors.displacement_late): \
             it will find failures that are none. A step of [conditioning] with method = \
             \"kalman\" and `late` brings it to the present."
                .to_owned(),
        );
    }
    Ok((hybrid, warnings))
}

/// The section `[coordinator]`, where it is written.
fn coordinator(plan: &Values) -> Result<Option<CoordinatorSettings>, BuildError> {
    let table = Section::Coordinator.written(plan);
    let read = table.map(CoordinatorSettings::read).transpose();
    read.map_err(|error| error.within("coordinator"))
}

settings! {
    /// A rig, as far as its sensors may be late.
    struct Sensed {
        /// its sensors
        sensors: Option<LateSensors> = table(LateSensors::PARAMETERS),
    }
}

settings! {
    /// How late sensors are.
    struct LateSensors {
        /// by how much the displacement comes late
        displacement_late: Option<f64> = number(Dimension::TIME),
    }
}

settings! {
    /// A conditioner, as far as it may bring a late displacement to the present.
    struct Bringing {
        /// its method
        method: Option<String> = text(),
        /// by how many ticks the displacement comes late
        late: Conditional<Option<usize>> = integer(),
        /// conditioners in a row
        step: Vec<Values> = slots(&conditioning::SLOT).optional(),
    }
}

/// Whether a late displacement is brought to the present before anybody sees it.
fn brings_to_present(conditioning: &Values) -> bool {
    Bringing::read(conditioning).is_ok_and(|own| {
        let kalman = own.method.as_deref() == Some("kalman");
        let late = kalman && own.late.read().is_ok_and(|ticks| ticks > Some(0));
        late || own.step.iter().any(brings_to_present)
    })
}

/// The same loop with displacements that count from `start`.
fn shifted(hybrid: HybridLoop, start: &[f64]) -> Result<HybridLoop, BuildError> {
    let rig = hybrid.parts().rig.properties();
    let actuators = rig.actuators;
    let refuse =
        |message: String, help: &str| Err(BuildError::new("coordinator.start", message, help));
    if start.len() != actuators {
        let message = format!("{} values for {actuators} actuators", start.len());
        return refuse(message, "give one displacement for each actuator");
    }
    if rig.is_instantaneous {
        let message = "this rig has no transfer system, and no start position".to_owned();
        return refuse(message, "remove it, or give the rig an actuator");
    }
    Ok(hybrid.with_parts(|mut parts| {
        parts.gate.set_start(start);
        parts.rig = Box::new(ShiftedRig::new(parts.rig, start.to_vec()));
        parts
    }))
}

fn faults(plan: &Values, test: &Test) -> Result<Vec<Fault>, BuildError> {
    let tables = Vec::<Values>::at(plan, "faults")?;
    let tables = tables.iter().enumerate();
    tables
        .map(|(i, table)| {
            let refuse = |error: BuildError| error.within(&i.to_string()).within("faults");
            Fault::read(table, test.physical.actuators, test.outline.interface.len())
                .map_err(refuse)
        })
        .collect()
}

/// A reference keeps three numbers for every step and degree of freedom; this many fit everywhere
/// (2.4 GB).
const MOST_VALUES: f64 = 1e8;

fn steps(duration: f64, dt: f64, dof: usize) -> Result<u64, BuildError> {
    let steps = (duration / dt + 1e-9).floor();
    let most = MOST_VALUES / dof as f64;
    if !(steps >= 1.0 && steps <= most) {
        return Err(BuildError::new(
            "integration.dt",
            format!("{duration} s in steps of {dt:e} s are {steps:e} steps"),
            format!("choose dt and duration for between 1 and {most:.0} steps"),
        ));
    }
    #[allow(clippy::cast_possible_truncation)] // bounded just above
    Ok(steps as u64)
}

/// The last degree of freedom of the interface, or of the structure, unless the plan names one.
fn energy_error_dof(
    record: &RecordSettings,
    interface: &[usize],
    dof: usize,
) -> Result<usize, BuildError> {
    let Some(number) = record.energy_error_dof.read()? else {
        return Ok(interface.last().copied().unwrap_or(dof.saturating_sub(1)));
    };
    if number == 0 || number > dof {
        return Err(BuildError::new(
            "record.energy_error_dof",
            format!("{number} is not a degree of freedom of this structure"),
            format!("the structure has the degrees of freedom 1 to {dof}"),
        ));
    }
    Ok(number - 1)
}

fn build_rig(plan: &Values, test: &Test) -> Result<Box<dyn Rig>, BuildError> {
    let values = Section::Rig.written(plan).ok_or_else(|| {
        BuildError::new(
            "rig",
            "there is an interface but no rig",
            "add [rig] and [rig.specimen], see `tandem new`",
        )
    })?;
    let context = RigContext {
        common: test.context(),
        kinematics: Section::Kinematics.written(plan),
        members: test.division().map(|division| &division.specimen),
    };
    let rig = test.context().registry.find(&rig::SLOT, values);
    rig.and_then(|rig| (rig.build)(values, &context))
        .map_err(|error| error.within("rig"))
}

/// What the methods assume of the specimen: the plan's own words, else what the rig knows.
fn assumed(values: &Values, rig: &dyn Rig, dof: usize) -> Result<SpecimenMatrices, BuildError> {
    let known = rig.properties().specimen;
    let mut specimen = known.unwrap_or_else(|| SpecimenMatrices::none(dof));
    let assumed = InterfaceSettings::read(values).and_then(|shared| shared.assumed.read());
    let assumed = assumed.map_err(|error| error.within("interface"))?;
    for (key, written, part) in [
        ("stiffness", assumed.stiffness, &mut specimen.stiffness),
        ("damping", assumed.damping, &mut specimen.damping),
        ("mass", assumed.mass, &mut specimen.mass),
    ] {
        if let Some(rows) = written {
            if rows.len() != dof || rows.iter().any(|row| row.len() != dof) {
                return Err(BuildError::new(
                    format!("interface.{key}"),
                    format!("{} rows for {dof} interface degrees of freedom", rows.len()),
                    format!("give {dof} rows of {dof} values"),
                ));
            }
            *part = rows.concat();
        }
    }
    Ok(specimen)
}

/// A step has a tick for every question of the method, and exactly one where the method gives the
/// motion of the instant.
fn has_ticks_enough(test: &Test, integrator: &dyn Integrator) -> Result<(), BuildError> {
    if !integrator.properties().looks_ahead
        && (test.outline.timing.time_scale * test.outline.dt / test.outline.timing.period - 1.0)
            .abs()
            > 1e-9
    {
        return Err(BuildError::new(
            "command.rate",
            "this method gives the motion of the instant: it needs exactly one tick per step",
            "remove command.rate, or take a method that looks one step ahead",
        ));
    }
    let questions = integrator.properties().evaluations_per_step as f64;
    let ticks = test.outline.timing.time_scale * test.outline.dt / test.outline.timing.period;
    if questions > ticks + 1e-9 {
        return Err(BuildError::new(
            "command.rate",
            format!(
                "the method asks the specimen {questions} times in a step, which has {ticks:.3} \
                ticks"
            ),
            format!(
                "take a rate of {:.6} Hz or more, or remove it: every question then gets its tick",
                questions / (test.outline.timing.time_scale * test.outline.dt)
            ),
        ));
    }
    Ok(())
}

fn close_loop(
    plan: &Values,
    test: &Test,
    kinematics: Option<Box<dyn Kinematics>>,
    connected: Connected,
) -> Result<HybridLoop, BuildError> {
    let actuators = test.physical.actuators;
    let Connected {
        rig,
        integrator,
        loading,
    } = connected;
    has_ticks_enough(test, integrator.as_ref())?;
    let context = test.context();
    let table = Section::Command.of(plan);
    let command = context.registry.find(&command::SLOT, table);
    let command = command
        .and_then(|command| (command.build)(table, &context))
        .map_err(|e| e.within("command"))?;
    let compensator = compensator::build(Section::Compensator.of(plan), &context)
        .map_err(|e| e.within("compensator"))?;
    let conditioning = conditioning::build(Section::Conditioning.of(plan), &context)
        .map_err(|e| e.within("conditioning"))?;
    if conditioning.as_ref().is_some_and(|c| c.follows_tangent())
        && integrator.observe().tangent().is_none()
    {
        return Err(BuildError::new(
            "conditioning",
            format!(
                "{} does not estimate the specimen's tangent",
                test.outline.method
            ),
            "write integration.method = \"osm-us\", or tangent = false",
        ));
    }
    let mut gate = SafetyGate::new(
        Section::Limits.of(plan),
        actuators,
        test.outline.timing.period,
    )
    .map_err(|e| e.within("limits"))?;
    if kinematics.is_none() {
        gate.expect_stiffness(&alone_stiff(&test.physical.specimen));
    }
    let watched = Section::Monitor.of(plan);
    let is_watched = |by| tandem_monitor::runs(watched, by);
    let work = if is_watched(&STABILITY_WARNING) || is_watched(&ENERGY) {
        test.expected_input_work()
    } else {
        0.0
    };
    let monitors = monitors(
        watched,
        integrator.as_ref(),
        test.outline.timing,
        test.outline.dt,
        work,
        &test.registry,
    )
    .map_err(|e| e.within("monitor"))?;
    let record = Arc::clone(&test.outline.record);
    let parts = Parts {
        ground: Box::new(move |time| record.at(time)),
        loading,
        integrator: answering(Section::Command.of(plan), test, integrator)?,
        kinematics,
        command,
        compensator,
        conditioning,
        gate,
        rig,
        monitors,
    };
    Ok(HybridLoop::new(parts, test.outline.timing))
}

/// What every degree of freedom of a specimen resists with by itself, N/m; zero where its force
/// depends on others too.
fn alone_stiff(specimen: &SpecimenMatrices) -> Vec<f64> {
    let n = specimen.dof;
    (0..n)
        .map(|i| {
            let row = &specimen.stiffness[i * n..(i + 1) * n];
            let coupled = row.iter().enumerate().any(|(j, k)| j != i && *k != 0.0);
            if coupled { 0.0 } else { row[i] }
        })
        .collect()
}

/// The monitors of the table `[monitor]`, around a method; `input_work` is the largest that is
/// expected, J.
pub fn monitors(
    values: &Values,
    integrator: &dyn Integrator,
    timing: Timing,
    dt: f64,
    input_work: f64,
    registry: &Registry,
) -> Result<Vec<tandem_monitor::Named>, BuildError> {
    let context = tandem_monitor::MonitorContext {
        registry,
        problem: integrator.problem(),
        period: timing.period / timing.time_scale,
        dt,
        holds_force: integrator.properties().holds_force,
        input_work,
        energies_recorded: tandem_monitor::runs(values, &ENERGY),
    };
    tandem_monitor::build(values, &context)
}

/// The integrator with the time that it takes for a target, where the plan gives one.
fn answering(
    values: &Values,
    test: &Test,
    integrator: Box<dyn Integrator>,
) -> Result<Box<dyn Integrator>, BuildError> {
    let answer = command::Timing::read(values)?.answer.read()?;
    let Some(seconds) = answer.answer_time else {
        return Ok(integrator);
    };
    if !integrator.properties().looks_ahead
        || integrator.properties().needs_instant_answers
        || test.outline.timing.time_scale * test.outline.dt / test.outline.timing.period < 1.5
    {
        return Err(BuildError::new(
            "command.answer_time",
            "a step of one tick leaves no time to wait for a target",
            "give command.rate several ticks a step and take a method that looks one step ahead",
        ));
    }
    let jitter = answer.answer_jitter.read()?.unwrap_or(0.0);
    let (period, seed) = (test.outline.timing.period, test.seed);
    Ok(Box::new(DelayedIntegrator::new(
        integrator, seconds, jitter, period, seed,
    )))
}

fn build_integrator(
    values: &Values,
    problem: Problem,
    loading: &dyn tandem_integrator::Loading,
    registry: &Registry,
) -> Result<Box<dyn Integrator>, BuildError> {
    let context = IntegratorContext { loading, registry };
    tandem_integrator::build(values, problem, &context)
}

impl Test {
    /// What every part of the loop knows.
    #[must_use]
    pub fn context(&self) -> Context<'_> {
        Context {
            actuators: self.physical.actuators,
            interface: self.outline.interface.len(),
            period: self.outline.timing.period,
            seed: self.seed,
            registry: &self.registry,
        }
    }

    /// The test before its loop is closed.
    fn of(plan: &Values, outline: Outline, registry: &Registry) -> Result<Self, BuildError> {
        let record = RecordSettings::read(Section::Record.of(plan))?;
        let running = Running {
            folder: record.folder.map(PathBuf::from),
            reference: record.reference,
            ..Running::default()
        };
        let head = Head::read(plan)?;
        let body = Body::Numerical;
        Ok(Self {
            running,
            ..Self::with((head.name, head.seed), outline, body, registry.clone())
        })
    }

    /// A test of parts that are coupled with each other.
    #[cfg(feature = "fmi")]
    pub(crate) fn of_parts(coupled: Coupled) -> Result<Self, BuildError> {
        let outline = Outline::of_parts(&coupled)?;
        let (name, seed) = (coupled.name().to_owned(), coupled.seed());
        Ok(Self {
            warnings: coupled.warnings().to_vec(),
            ..Self::with(
                (name, seed),
                outline,
                Body::Coupled(Box::new(coupled)),
                Registry::new(),
            )
        })
    }

    fn with((name, seed): (String, u64), outline: Outline, body: Body, registry: Registry) -> Self {
        Self {
            name,
            seed,
            physical: Physical {
                actuators: outline.interface.len(),
                linked: false,
                specimen: SpecimenMatrices::none(outline.interface.len()),
                partition: Partition::Subtract,
                nonlinear: None,
            },
            critical_dt: None,
            criteria: None,
            running: Running::default(),
            step_rows: StepRows::default(),
            warnings: Vec::new(),
            body,
            outline,
            registry,
        }
    }

    /// Builds what stands below the source of targets, and closes the loop.
    fn close(
        &mut self,
        plan: &Values,
        source: Box<dyn source::TargetSource>,
    ) -> Result<(), BuildError> {
        let dof = self.outline.interface.len();
        if dof > 0 {
            let linkage = kinematics::build(Section::Kinematics.of(plan), &self.context())
                .map_err(|e| e.within("kinematics"))?;
            if let Some(linkage) = &linkage {
                self.physical.linked = true;
                self.physical.actuators = linkage.actuators();
            }
            let rig = build_rig(plan, self)?;
            self.physical.specimen = assumed(Section::Interface.of(plan), rig.as_ref(), dof)?;
            let connected = source.connect(plan, self, rig)?;
            let hybrid = close_loop(plan, self, linkage, connected)?;
            let (hybrid, more) = start_and_faults(plan, self, hybrid)?;
            self.warnings.extend(more);
            let answer = command::Timing::read(Section::Command.of(plan))?
                .answer
                .read()?;
            self.step_rows.late = answer.answer_time.is_some();
            self.body = Body::Loop(Box::new(hybrid));
            let coordinator = coordinator(plan)?;
            let thread = coordinator.as_ref().map(|section| section.thread);
            self.running.realtime = thread.unwrap_or_default();
            self.running.timeout = match (&self.outline.targets, coordinator) {
                // People start the analysis program by hand.
                (Targets::External(driver), _) => Some(driver.patience()),
                (_, Some(coordinator)) => Some(coordinator.driver_timeout.read()?),
                (_, None) => None,
            };
        }
        if self.has_structure() {
            let record = RecordSettings::read(Section::Record.of(plan))?;
            self.criteria = criteria::asked_for(&record, self).map_err(|e| e.within("record"))?;
        }
        self.critical_dt = match &self.body {
            Body::Loop(hybrid) => hybrid.parts().integrator.properties().critical_dt,
            Body::Numerical | Body::Coupled(_) => {
                self.reference_integrator()?.properties().critical_dt
            }
        };
        Ok(())
    }

    /// The loop.
    ///
    /// # Errors
    /// [`NoLoop`] where the plan has none.
    pub fn hybrid(&self) -> Result<&HybridLoop, NoLoop> {
        match &self.body {
            Body::Loop(hybrid) => Ok(hybrid),
            Body::Numerical => Err(NoLoop::NoSpecimen),
            Body::Coupled(_) => Err(NoLoop::Coupled),
        }
    }

    /// The loop alone, for who calls it without a run around it.
    ///
    /// # Errors
    /// [`NoLoop`] where the plan has none.
    pub fn into_hybrid(self) -> Result<HybridLoop, NoLoop> {
        match self.body {
            Body::Loop(hybrid) => Ok(*hybrid),
            Body::Numerical => Err(NoLoop::NoSpecimen),
            Body::Coupled(_) => Err(NoLoop::Coupled),
        }
    }

    /// The structure that the plan describes, where it does.
    fn described(&self) -> Option<&Described> {
        self.outline.described.as_ref()
    }

    /// The frame that the plan describes, if it is one.
    pub fn frame(&self) -> Option<&FrameModel> {
        self.described()?.frame.as_ref()
    }

    /// Fewer coordinates for the structure, or for its numerical part, where the plan asks for
    /// them.
    pub fn reduction(&self) -> Option<&Reduction> {
        self.described()?.reduction.as_ref()
    }

    /// The frame in two parts, where members of it are the specimen.
    fn division(&self) -> Option<&Division> {
        self.described()?.division.as_ref()
    }

    /// What the upper half of the loop is made for.
    fn problem(&self, structure: Box<dyn Structure>, rig: &dyn Rig) -> Problem {
        Problem {
            structure,
            interface: self.outline.interface.clone(),
            specimen: self.physical.specimen.clone(),
            dt: self.outline.dt,
            instantaneous: rig.properties().is_instantaneous,
        }
    }

    fn loading(
        &self,
        structure: &dyn Structure,
    ) -> GroundMotion<impl Fn(f64) -> f64 + Send + use<>> {
        let record = Arc::clone(&self.outline.record);
        GroundMotion::new(structure, move |time| record.at(time))
    }

    /// The method, with supports that move by themselves where the plan has such.
    fn on_its_supports(
        &self,
        method: Box<dyn Integrator>,
    ) -> Result<Box<dyn Integrator>, BuildError> {
        match &self
            .described()
            .and_then(|described| described.supports.as_ref())
        {
            Some(motions) => motions.carry(method),
            None => Ok(method),
        }
    }

    /// Whether the plan describes a structure, so that there is an undivided one to compare with.
    pub fn has_structure(&self) -> bool {
        self.described().is_some()
    }

    /// Whether the plan has a ground motion: another program has its own, and actuators that are
    /// characterised have none.
    pub fn is_shaken(&self) -> bool {
        !matches!(
            self.outline.targets,
            Targets::External(_) | Targets::Prescribed(_)
        )
    }

    /// The program that integrates instead of this one, if the plan names one.
    pub fn driver(&self) -> Option<&Driver> {
        match &self.outline.targets {
            Targets::External(driver) => Some(driver),
            _ => None,
        }
    }

    /// Whether the structure is an FMU that integrates by itself.
    pub fn steps_itself(&self) -> bool {
        matches!(self.outline.targets, Targets::SelfStepping { .. })
    }

    /// Mean age of the specimen's force where it is held over a step of an FMU: half a step, s of
    /// wall time.
    pub fn held_force_delay(&self) -> f64 {
        match self.outline.targets {
            Targets::SelfStepping { holds_force: true } => {
                0.5 * self.outline.dt * self.outline.timing.time_scale
            }
            _ => 0.0,
        }
    }

    /// Whether the actuators themselves are driven, by signals that are known beforehand.
    pub fn characterises(&self) -> bool {
        matches!(self.outline.targets, Targets::Prescribed(_))
    }

    /// Whether the undivided structure is that of the plan, whatever the specimen is.
    pub fn whole_is_given(&self) -> bool {
        self.physical.partition == Partition::Subtract
            && self.physical.nonlinear.is_none()
            && self.division().is_none()
    }

    /// Numbers of the elements of the frame that are the specimen.
    pub fn specimen_elements(&self) -> Vec<usize> {
        let elements = self
            .division()
            .map(|division| division.specimen.model().element_numbers());
        elements.into_iter().flatten().collect()
    }

    /// Displacements of the undivided structure, such as a mode, over the free degrees of freedom
    /// of the frame's model; those inside the specimen stay at zero.
    pub fn whole_frame_shape(&self, shape: &[f64]) -> Vec<f64> {
        let shape = match self.reduction() {
            Some(reduction) => reduction.expand(shape),
            None => shape.to_vec(),
        };
        let (Some(division), Some(frame)) = (self.division(), self.frame()) else {
            return shape;
        };
        let mut whole = vec![0.0; frame.model.properties().dof()];
        for (dof, value) in division.kept.iter().zip(&shape) {
            whole[*dof] = *value;
        }
        whole
    }

    fn given(&self, dt: f64) -> Result<Box<dyn Structure>, BuildError> {
        if self.steps_itself() {
            return Err(BuildError::new(
                "structure",
                "it is an FMU that integrates by itself, of which nothing is known but inputs and \
                outputs",
                "use the FMU itself, or its Model Exchange under a time-stepping method",
            ));
        }
        if let Some(reduction) = self.reduction() {
            return Ok(Box::new(reduction.structure.clone()));
        }
        if let Some(frame) = self.frame() {
            let mut model = frame.model.clone();
            model.set_time_step(dt);
            return Ok(Box::new(model));
        }
        let described = self.described().ok_or_else(undescribed)?;
        structure::build(&described.structure, dt, &self.registry)
            .map_err(|error| error.within("structure"))
    }

    /// Mass, damping and stiffness of the specimen as matrices, with this sign.
    fn specimen_matrices(&self, sign: f64) -> Result<[Matrix; 3], BuildError> {
        let n = self.outline.interface.len();
        let matrix = |part: &[f64]| {
            let rows: Vec<Vec<f64>> = part
                .chunks_exact(n)
                .map(|row| row.iter().map(|x| sign * x).collect())
                .collect();
            Matrix::from_rows(&rows).map_err(|error| {
                BuildError::new(
                    "interface.dof",
                    error.to_string(),
                    "check the specimen's matrices",
                )
            })
        };
        Ok([
            matrix(&self.physical.specimen.mass)?,
            matrix(&self.physical.specimen.damping)?,
            matrix(&self.physical.specimen.stiffness)?,
        ])
    }

    /// The given structure with the specimen added (+1) or taken out (−1). The ground shakes the
    /// given mass.
    fn with_specimen(&self, sign: f64, dt: f64) -> Result<Box<dyn Structure>, BuildError> {
        let refuse = |error: tandem_structure::StructureError| {
            BuildError::new(
                "interface.dof",
                error.to_string(),
                "check the interface and the specimen's matrices",
            )
        };
        let [mass, damping, stiffness] = self.specimen_matrices(sign)?;
        let specimen = LinearAttachment::new(&mass, &damping, stiffness).map_err(refuse)?;
        let both = WithSpecimen::new(
            self.given(dt)?,
            specimen,
            &self.outline.interface,
            GroundTerm::Base,
        )
        .map_err(refuse)?;
        Ok(flatten(Box::new(both)))
    }

    /// The undivided structure, for steps of `dt`; its damping follows the tangent of a nonlinear
    /// specimen by b = `tangent_damping`, s.
    fn build_whole(&self, dt: f64, tangent_damping: f64) -> Result<Box<dyn Structure>, BuildError> {
        if let Some(division) = self.division() {
            return interface::reference_structure(division, self.reduction(), dt, tangent_damping);
        }
        if let Some(specimen) = &self.physical.nonlinear {
            let numerical = self.build_numerical()?;
            let part = TangentDamped::new(specimen(dt), tangent_damping);
            return WithSpecimen::new(numerical, part, &self.outline.interface, GroundTerm::Base)
                .map(|both| Box::new(both) as Box<dyn Structure>)
                .map_err(|error| {
                    BuildError::new("rig.specimen", error.to_string(), "check the specimen")
                });
        }
        match self.physical.partition {
            Partition::Add if !self.outline.interface.is_empty() => self.with_specimen(1.0, dt),
            _ => self.given(dt),
        }
    }

    /// The numerical substructure.
    fn build_numerical(&self) -> Result<Box<dyn Structure>, BuildError> {
        if let Some(division) = self.division() {
            return match self.reduction() {
                Some(reduction) => Ok(Box::new(reduction.structure.clone())),
                None => Ok(flatten(Box::new(division.numerical.clone()))),
            };
        }
        if self.physical.partition == Partition::Add {
            return self.given(self.outline.dt);
        }
        let numerical = self.with_specimen(-1.0, self.outline.dt)?;
        if let Some(dof) = (0..numerical.properties().dof())
            .find(|i| numerical.properties().mass.get(*i, *i) < 0.0)
        {
            return Err(BuildError::new(
                "interface.dof",
                format!(
                    "the specimen is heavier than the structure at degree of freedom {}: {} kg \
                    would remain",
                    dof + 1,
                    numerical.properties().mass.get(dof, dof)
                ),
                "lower rig.specimen.mass, or write partition = \"add\" if the structure above \
                leaves the specimen out",
            ));
        }
        Ok(numerical)
    }

    /// The specimen as it would be computed, at its start and for steps of `dt` s; none where it is
    /// known by its matrices only.
    pub fn specimen_model(&self, dt: f64) -> Option<Box<dyn Attachment>> {
        if let Some(division) = self.division() {
            let mut part = division.specimen.clone();
            part.set_time_step(dt);
            return Some(Box::new(part));
        }
        self.physical.nonlinear.as_ref().map(|made| made(dt))
    }

    /// The undivided structure at its start, to be led along a recorded motion, with the damping of
    /// the method. None where the specimen has no model, or where the method balances a mean of two
    /// instants.
    pub fn followed(&self) -> Result<Option<Box<dyn Structure>>, BuildError> {
        let Some(described) = self.described() else {
            return Ok(None);
        };
        let method = Balance::read(&described.integration)?;
        // α = 0 may be written as 1 + α.
        let weighted = method
            .alpha
            .is_some_and(|alpha| alpha * (1.0 - alpha) != 0.0)
            || method.rho_inf.is_some();
        // Supports that move would have to be led along as well.
        let shaken_apart = self.frame().is_some_and(|frame| !frame.moving.is_empty());
        let nonlinear = self.division().is_some() || self.physical.nonlinear.is_some();
        if weighted || shaken_apart || !nonlinear {
            return Ok(None);
        }
        let damping = method.tangent_damping.unwrap_or(0.0);
        self.build_whole(self.outline.dt, damping).map(Some)
    }

    /// Order of magnitude of the largest work that the ground motion will do, J.
    pub fn expected_input_work(&self) -> f64 {
        input_work::estimate(&self.outline.record, self.outline.whole.properties())
    }

    /// The numerical substructure by itself. A linear one is shaken with its own mass, as
    /// [`Test::physical`] is with its own; the sum is what the plan's ground motion does to the
    /// undivided structure.
    pub fn numerical(&self) -> Result<Box<dyn Structure>, BuildError> {
        if self.outline.interface.is_empty() {
            return self.given(self.outline.dt).map(flatten);
        }
        let structure = self.build_numerical()?;
        if !self.shakes_both(structure.as_ref()) {
            return Ok(structure);
        }
        Ok(Box::new(Linear::of(StructureProperties {
            ground_mass: None,
            ..structure.properties().clone()
        })))
    }

    /// Whether the ground's term can be divided between the substructures.
    fn shakes_both(&self, numerical: &dyn Structure) -> bool {
        self.physical.partition == Partition::Subtract
            && self.division().is_none()
            && numerical.properties().is_linear
    }

    /// The specimen by itself, over the interface degrees of freedom, for steps of `dt` seconds.
    pub fn physical(&self, dt: f64) -> Result<Box<dyn Structure>, BuildError> {
        let refuse = |error: tandem_structure::StructureError| {
            BuildError::new("rig.specimen", error.to_string(), "check the specimen")
        };
        let n = self.outline.interface.len();
        if n == 0 {
            return Err(BuildError::new(
                "interface",
                "the plan has no specimen",
                "add [interface] and [rig]",
            ));
        }
        let [mass, damping, stiffness] = self.specimen_matrices(1.0)?;
        let nothing = Matrix::zeros(n);
        let ground = if self.shakes_both(self.build_numerical()?.as_ref()) {
            mass.clone()
        } else {
            nothing.clone()
        };
        let influence = self
            .outline
            .interface
            .iter()
            .map(|dof| self.outline.whole.properties().influence[*dof]);
        let labels = self
            .outline
            .interface
            .iter()
            .map(|dof| self.outline.whole.properties().label(*dof).to_owned())
            .collect();
        // What carries the specimen: the degrees of freedom alone.
        let mut base = Linear::new(nothing.clone(), nothing.clone(), nothing)
            .and_then(|s| s.with_influence(influence.collect()))
            .and_then(|s| s.with_ground_mass(ground.clone()))
            .and_then(|s| s.with_labels(labels))
            .map_err(refuse)?;
        base = base.with_kind("specimen");
        let all: Vec<usize> = (0..n).collect();
        if let Some(part) = self.specimen_model(dt) {
            return WithSpecimen::new(base, part, &all, GroundTerm::Base)
                .map(|s| Box::new(s) as Box<dyn Structure>)
                .map_err(refuse);
        }
        let part = LinearAttachment::new(&mass, &damping, stiffness).map_err(refuse)?;
        WithSpecimen::new(base, part, &all, GroundTerm::Base)
            .map_err(refuse)
            .map(|both| flatten(Box::new(both)))
    }

    /// The undivided structure.
    pub fn reference_structure(&self) -> Result<Box<dyn Structure>, BuildError> {
        self.build_whole(self.outline.dt, 0.0).map(flatten)
    }

    /// The plan's rig, untouched.
    pub fn rig(&self, plan: &Values) -> Result<Box<dyn Rig>, BuildError> {
        build_rig(plan, self)
    }

    /// Names of the channels of target, displacement and force at the interface; a number follows.
    #[must_use]
    pub fn interface_channels(&self) -> [Quantity; 3] {
        if self.physical.linked {
            [INTERFACE_TARGET, INTERFACE_DISPLACEMENT, INTERFACE_FORCE]
        } else {
            [TARGET, MEASURED_DISPLACEMENT, MEASURED_FORCE]
        }
    }

    /// How the undivided structure is computed.
    fn reference_settings(&self) -> Result<&Reference, BuildError> {
        let described = self.described().ok_or_else(undescribed)?;
        Ok(&described.reference)
    }

    /// Step of the reference, s.
    fn reference_dt(&self, reference: &Reference) -> f64 {
        let steps = reference.steps as f64;
        self.outline.dt / steps
    }

    fn reference_integrator(&self) -> Result<Box<dyn Integrator>, BuildError> {
        let reference = self.reference_settings()?;
        let dt = self.reference_dt(reference);
        let structure = self.build_whole(dt, reference.tangent_damping)?;
        let loading = self.loading(structure.as_ref());
        let problem = Problem::all_numerical(structure, dt);
        build_integrator(&reference.integration, problem, &loading, &self.registry)
            .and_then(|method| self.on_its_supports(method))
            .map_err(|error| error.within("integration"))
    }

    /// Runs the undivided structure: with the same method and step, unless the plan asks for
    /// others. Where actuators are characterised, what they are asked to do.
    pub fn reference(&self) -> Result<ReferenceRun, BuildError> {
        if let Targets::Prescribed(signals) = &self.outline.targets {
            let given = self.outline.whole.properties();
            let whole = without_structure::interface(given.labels.clone(), given.kind)?;
            let problem = Problem::all_numerical(Box::new(whole), self.outline.dt);
            let method = Box::new(Prescribed::new(problem, Arc::clone(signals)));
            let steps = self.outline.timing.steps;
            return Ok(run_reference(method, &tandem_integrator::NoLoad, steps, 1));
        }
        let loading = self.loading(self.outline.whole.as_ref());
        Ok(run_reference(
            self.reference_integrator()?,
            &loading,
            self.outline.timing.steps,
            self.reference_settings()?.steps,
        ))
    }
}
