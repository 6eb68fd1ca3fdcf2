//! From the checked plan to a test that can run: every tenant of the loop is built here, and nowhere else.

pub mod characterise;
pub mod driven;
pub mod excitation;
pub mod frame;
mod input_work;
mod interface;
mod reduction;
pub mod rigs;
pub mod self_stepping;
mod signal;
pub mod structure;
mod support_motion;
mod without_structure;

use crate::criteria::Criteria;
use crate::guest;
use frame::Frame;
use reduction::Reduction;
use std::sync::Arc;
use support_motion::SupportMotions;
use tandem_coordinator::fault::Fault;
use tandem_coordinator::{
    HybridLoop, Parts, ReferenceRun, SafetyGate, ShiftedRig, SlowDriver, Timing, run_reference,
};
use tandem_integrator::{GroundMotion, Integrator, Prescribed, Problem};
use tandem_quantity::{BuildError, Entry, Impedance, Values};
use tandem_signal::record::Record;
use tandem_structure::composite::GroundTerm;
use tandem_structure::model::Division;
use tandem_structure::{Linear, LinearAttachment, Matrix, Structure, TangentDamped, WithSpecimen};
use tandem_transfer::conditioning::{self, Conditioner};
use tandem_transfer::kinematics::Kinematics;
use tandem_transfer::rig::Rig;
use tandem_transfer::specimen::AsAttachment;
use tandem_transfer::{command, kinematics, rig};

/// A test, ready to run.
pub struct Test {
    /// Name of the plan.
    pub name: String,
    /// Seed of everything random.
    pub seed: u64,
    /// The scaled ground motion.
    pub record: Arc<Record>,
    /// The undivided structure.
    pub whole: Box<dyn Structure>,
    /// The frame that the plan describes, if it is one.
    pub frame: Option<Frame>,
    /// Fewer coordinates for the structure, or for its numerical part, where the plan asks for them.
    pub reduction: Option<Reduction>,
    /// Interface degrees of freedom, from zero.
    pub interface: Vec<usize>,
    /// Number of actuators that move them.
    pub actuators: usize,
    /// Whether a linkage stands between interface and actuators.
    pub linked: bool,
    /// What is assumed of the specimen, at the interface.
    pub specimen: Impedance,
    /// Clocks.
    pub timing: Timing,
    /// Integration step, s.
    pub dt: f64,
    /// Name of the method.
    pub method: String,
    /// Largest stable step of the method, s; none where it is unconditionally stable.
    pub critical_dt: Option<f64>,
    /// Benchmark by whose criteria the run is judged.
    pub criteria: Option<Criteria>,
    /// What may go wrong.
    pub warnings: Vec<String>,
    /// What is worth knowing, such as the header of the record.
    pub notes: Vec<String>,
    /// The loop; none when the plan has no specimen.
    pub hybrid: Option<HybridLoop>,
    /// Degree of freedom of the energy error E_c, from zero.
    pub energy_error_dof: usize,
    /// The program that integrates instead of this one, if the plan names one.
    pub driver: Option<driven::Driver>,
    /// Whether the structure is an FMU that integrates by itself.
    pub steps_itself: bool,
    /// Motions of the interface that are known beforehand, where the plan characterises actuators.
    signals: Option<Arc<characterise::Signals>>,
    /// Whether targets may come late: steps then take as long as they take.
    pub targets_come_late: bool,
    /// Rows of the record at the ends of the steps, where late targets have moved them.
    pub step_rows: Option<Vec<usize>>,
    /// Rows from which on the record has the response of each step, where the integration worked elsewhere.
    pub response_rows: Option<Vec<usize>>,
    integration: Values,
    reference: Reference,
    structure: Values,
    partition: Partition,
    /// Makes the nonlinear specimen for the reference.
    nonlinear: Option<AsAttachment>,
    /// The frame in two parts, where members of it are the specimen.
    division: Option<Division>,
    /// How supports move that do not follow the ground.
    supports: Option<Arc<SupportMotions>>,
}

/// How the undivided structure is computed.
struct Reference {
    integration: Values,
    /// Steps within one of the test.
    steps: u64,
    /// b (s) by which damping follows the specimen's tangent.
    tangent_damping: f64,
}

/// What the section `[structure]` describes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Partition {
    /// The undivided structure: the specimen is taken out of it (or there is none).
    Subtract,
    /// The numerical substructure: the specimen is added for the reference.
    Add,
}

/// Builds the test, or says everything that does not fit.
pub fn assemble(plan: &Values) -> Result<Test, Vec<BuildError>> {
    if plan
        .table("integration")
        .and_then(|t| t.text("method"))
        .is_ok_and(|method| method == driven::NAME)
    {
        return driven::put_together(plan).map_err(|error| vec![error]);
    }
    if self_stepping::is_meant(plan) {
        return self_stepping::put_together(plan).map_err(|error| vec![error]);
    }
    if characterise::is_meant(plan) {
        return characterise::put_together(plan).map_err(|error| vec![error]);
    }
    // Sections that do not depend on each other are all tried, so that all errors show at once.
    let excitation = plan
        .table("excitation")
        .and_then(|t| excitation::build(t).map_err(|e| e.within("excitation")));
    let dt = plan.table("integration").and_then(|t| t.number("dt"));
    let whole = plan
        .table("structure")
        .and_then(|t| Whole::read(t, dt.unwrap_or_default()).map_err(|e| e.within("structure")));
    let mut errors = Vec::new();
    let mut keep = |error: &BuildError| errors.push(error.clone());
    let _ = excitation.as_ref().map_err(&mut keep);
    let _ = whole.as_ref().map_err(&mut keep);
    match (excitation, whole) {
        (Ok(excitation), Ok(whole)) => {
            put_together(plan, excitation, whole).map_err(|error| vec![error])
        }
        _ => Err(errors),
    }
}

/// What the section `[structure]` describes.
struct Whole {
    structure: Box<dyn Structure>,
    frame: Option<Frame>,
}

impl Whole {
    fn read(values: &Values, dt: f64) -> Result<Self, BuildError> {
        if values.text("kind")? == frame::ENTRY.method.name {
            let frame = Frame::read(values, dt)?;
            let structure = Box::new(frame.model.clone());
            return Ok(Self {
                structure,
                frame: Some(frame),
            });
        }
        let structure = structure::build(values, dt)?;
        Ok(Self {
            structure,
            frame: None,
        })
    }
}

fn put_together(
    plan: &Values,
    excitation: excitation::Excitation,
    whole: Whole,
) -> Result<Test, BuildError> {
    let section = section_of(plan);
    let seed = plan.count("seed")? as u64;
    let mut warnings = Vec::new();
    let mut notes = excitation.notes;

    let integration = plan.table("integration")?;
    let dt = integration.number("dt")?;
    let time_scale = integration.number("time_scale")?;
    let duration = integration
        .optional_number("duration")
        .unwrap_or(excitation.record.duration());
    let frame = whole.frame;
    let division = interface::divide(section("interface"), frame.as_ref())?;
    if let (Some(frame), Some(division)) = (&frame, &division) {
        interface::stands_still(frame, division)?;
    }
    let described = plan.table("structure")?;
    let (whole, interface, reduction) = match &division {
        Some(division) => {
            let (part, interface) = (&division.numerical, &division.interface);
            let reduction = Reduction::read(described, part, interface, None)?;
            let whole = interface::undivided(division, reduction.as_ref(), dt, 0.0)?;
            (whole, interface.clone(), reduction)
        }
        None => {
            let structure = whole.structure.as_ref();
            let interface = interface::read(section("interface"), structure, frame.as_ref())?;
            let reduction = Reduction::read(described, structure, &interface, frame.as_ref())?;
            let whole = match &reduction {
                Some(reduction) => Box::new(reduction.structure.clone()),
                None => whole.structure,
            };
            (whole, interface, reduction)
        }
    };
    let interface = match &reduction {
        Some(reduction) => {
            notes.push(reduction.note());
            reduction.interface.clone()
        }
        None => interface,
    };
    let supports = match &frame {
        Some(frame) => {
            notes.extend(frame.moving.iter().map(support_motion::note));
            notes.extend(frame.note());
            SupportMotions::of(frame, described, &excitation.record)
                .map_err(|error| error.within("structure"))?
        }
        None => None,
    };
    let steps = steps(duration, dt, whole.dof())?;
    let rate = section("command").optional_number("rate");
    // Without a rate every question of a step gets one tick.
    let period = match rate {
        Some(rate) => 1.0 / rate,
        None => dt * time_scale / questions(whole.as_ref(), integration, &interface),
    };
    let timing = Timing {
        period,
        time_scale,
        steps,
    };
    at_least_one_tick(dt, timing)?;

    let record = Arc::new(excitation.record);
    let specimen = Impedance::none(interface.len());
    let mut test = Test {
        name: plan.text("name")?.to_owned(),
        seed,
        record,
        specimen,
        actuators: interface.len(),
        linked: false,
        timing,
        dt,
        method: integration.text("method")?.to_owned(),
        critical_dt: None,
        criteria: None,
        warnings: Vec::new(),
        notes,
        hybrid: None,
        energy_error_dof: energy_error_dof(section("record"), &interface, whole.dof())?,
        targets_come_late: section("command").has("answer_time"),
        step_rows: None,
        response_rows: None,
        integration: integration.clone(),
        reference: Reference::read(section("record"), integration, interface.is_empty())?,
        interface,
        whole,
        frame,
        reduction,
        supports,
        division,
        structure: described.clone(),
        partition: Partition::Subtract,
        nonlinear: None,
        driver: None,
        steps_itself: false,
        signals: None,
    };

    if test.interface.is_empty() {
        if plan.has("rig") {
            return Err(BuildError::new(
                "rig",
                "there is a rig but no interface: nothing connects it with the structure",
                "add [interface] with dof = [1], or remove the rig for an all-numerical run",
            ));
        }
    } else {
        let linkage = kinematics::build(section("kinematics"), test.interface.len())
            .map_err(|e| e.within("kinematics"))?;
        if let Some(linkage) = &linkage {
            test.linked = true;
            test.actuators = linkage.actuators();
        }
        let rig = build_rig(plan, &test)?;
        test.specimen = assumed(section("interface"), rig.as_ref(), test.interface.len())?;
        if section("interface").text("partition")? == "add" {
            test.partition = Partition::Add;
        }
        test.nonlinear = rig.specimen_as_attachment();
        test.whole = test.build_whole(dt, 0.0)?;
        let numerical = test.build_numerical()?;
        if !rig.specimen_is_linear() && test.nonlinear.is_none() && test.division.is_none() {
            if test.partition == Partition::Subtract
                && test.specimen == Impedance::none(test.interface.len())
            {
                return Err(BuildError::new(
                    "interface",
                    "the specimen is to be taken out of the structure, but it stands elsewhere and nothing tells what it is: it would count twice",
                    "give interface.stiffness, and interface.damping and interface.mass where it has them; or write partition = \"add\" if it is not part of [structure]",
                ));
            }
            warnings.push(match rig.specimen() {
                Some(_) => "The specimen is nonlinear: the reference uses its initial stiffness.",
                None => "The specimen stands elsewhere, and nothing tells whether it is linear: the reference takes it for linear, with interface.stiffness.",
            }
            .to_owned());
        }
        if let Some(dof) = (0..numerical.dof()).find(|i| numerical.stiffness().get(*i, *i) < 0.0) {
            warnings.push(format!(
                "The specimen is stiffer than the structure at degree of freedom {}: the rest has a negative stiffness.",
                dof + 1
            ));
        }
        let hybrid = close_loop(&section, &test, linkage, rig, numerical, None)?;
        let (hybrid, more) = start_and_faults(plan, &test, hybrid)?;
        warnings.extend(more);
        test.hybrid = Some(hybrid);
    }
    test.criteria = Criteria::of(section("record"), &test).map_err(|e| e.within("record"))?;
    // Also proves that the method of the reference can be built for the undivided structure.
    let reference = test.reference_integrator()?;
    test.critical_dt = match &test.hybrid {
        Some(hybrid) => hybrid.parts().integrator.critical_dt(),
        None => reference.critical_dt(),
    };
    test.warnings = warnings;
    Ok(test)
}

/// The sections of a plan; an empty table for one that is not written.
fn section_of<'a>(plan: &'a Values) -> impl Fn(&str) -> &'a Values {
    static NONE: Values = Values::new();
    move |key| plan.optional_table(key).unwrap_or(&NONE)
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

/// The loop with its start position, its centering speed and its scripted faults, and what there is to warn of.
fn start_and_faults(
    plan: &Values,
    test: &Test,
    mut hybrid: HybridLoop,
) -> Result<(HybridLoop, Vec<String>), BuildError> {
    let section = section_of(plan);
    let mut warnings = Vec::new();
    if let Some(speed) = section("coordinator").optional_number("centering_speed") {
        hybrid.set_centering_speed(speed);
    }
    if section("coordinator").has("start") {
        hybrid = shifted(hybrid, &section("coordinator").numbers("start")?)?;
    }
    let faults = faults(plan, test)?;
    if !faults.is_empty() {
        warnings.push(format!(
            "{} scripted fault(s): this is a drill, not a test.",
            faults.len()
        ));
        hybrid = tandem_coordinator::drill::with_faults(hybrid, &faults);
    }
    #[allow(clippy::cast_precision_loss)] // a handful
    let questions = hybrid.parts().integrator.questions() as f64;
    let timing = test.timing;
    let ticks = timing.time_scale * test.dt / timing.period / questions;
    if ticks > 1.5
        && section("command")
            .optional_text("method")
            .unwrap_or("direct")
            == "direct"
    {
        warnings.push(format!(
            "command.method = \"direct\" jumps to every target in one of {ticks:.1} ticks; \"ramp\" goes there evenly."
        ));
    }
    let sensors = section("rig").optional_table("sensors");
    let late = sensors.and_then(|table| table.optional_number("displacement_late"));
    if late.is_some_and(|late| late > 0.5 * timing.period)
        && section("limits").has("specimen_failure")
        && !brings_to_present(section("conditioning"))
    {
        warnings.push(
            "limits.specimen_failure holds the force of now against a displacement that comes late (rig.sensors.displacement_late): \
             it will find failures that are none. A step of [conditioning] with method = \"kalman\" and `late` brings it to the present."
                .to_owned(),
        );
    }
    Ok((hybrid, warnings))
}

/// Whether a late displacement is brought to the present before anybody sees it.
fn brings_to_present(conditioning: &Values) -> bool {
    let kalman = conditioning.optional_text("method") == Some("kalman");
    (kalman && conditioning.count("late").is_ok_and(|ticks| ticks > 0))
        || conditioning
            .tables("step")
            .into_iter()
            .any(brings_to_present)
}

/// The same loop with displacements that count from `start`.
fn shifted(hybrid: HybridLoop, start: &[f64]) -> Result<HybridLoop, BuildError> {
    let actuators = hybrid.parts().rig.actuators();
    let refuse =
        |message: String, help: &str| Err(BuildError::new("coordinator.start", message, help));
    if start.len() != actuators {
        let message = format!("{} values for {actuators} actuators", start.len());
        return refuse(message, "give one displacement for each actuator");
    }
    if hybrid.parts().rig.is_instantaneous() {
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
    let tables = plan.tables("faults").into_iter().enumerate();
    tables
        .map(|(i, table)| {
            let refuse = |error: BuildError| error.within(&i.to_string()).within("faults");
            Fault::read(table, test.actuators, test.interface.len()).map_err(refuse)
        })
        .collect()
}

/// A reference keeps three numbers for every step and degree of freedom; this many fit everywhere (2.4 GB).
const MOST_VALUES: f64 = 1e8;

fn steps(duration: f64, dt: f64, dof: usize) -> Result<u64, BuildError> {
    let steps = (duration / dt + 1e-9).floor();
    #[allow(clippy::cast_precision_loss)]
    let most = MOST_VALUES / dof as f64;
    if !(steps >= 1.0 && steps <= most) {
        return Err(BuildError::new(
            "integration.dt",
            format!("{duration} s in steps of {dt:e} s are {steps:e} steps"),
            format!("choose dt and duration for between 1 and {most:.0} steps"),
        ));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // bounded just above
    Ok(steps as u64)
}

/// How many times the method asks the specimen in a step, tried out on the given structure as if it were linear. What does
/// not fit shows later, when the test itself is built.
fn questions(whole: &dyn Structure, integration: &Values, interface: &[usize]) -> f64 {
    let matrices = (
        whole.mass().clone(),
        whole.damping().clone(),
        whole.stiffness().clone(),
    );
    let structure = Linear::new(matrices.0, matrices.1, matrices.2);
    let (Ok(structure), false) = (structure, interface.is_empty()) else {
        return 1.0;
    };
    let problem = Problem {
        structure: Box::new(structure),
        interface: interface.to_vec(),
        specimen: Impedance::none(interface.len()),
        dt: integration.number("dt").unwrap_or(1.0),
        instantaneous: false,
    };
    let built = build_integrator(integration, problem, &tandem_integrator::NoLoad);
    #[allow(clippy::cast_precision_loss)] // a handful
    built.map_or(1.0, |method| method.questions().max(1) as f64)
}

/// The last degree of freedom of the interface, or of the structure, unless the plan names one.
fn energy_error_dof(values: &Values, interface: &[usize], dof: usize) -> Result<usize, BuildError> {
    if !values.has("energy_error_dof") {
        return Ok(interface.last().copied().unwrap_or(dof.saturating_sub(1)));
    }
    let number = values.count("energy_error_dof")?;
    if number == 0 || number > dof {
        return Err(BuildError::new(
            "record.energy_error_dof",
            format!("{number} is not a degree of freedom of this structure"),
            format!("the structure has the degrees of freedom 1 to {dof}"),
        ));
    }
    Ok(number - 1)
}

impl Reference {
    /// `alone`: there is no specimen, so that this is the test itself.
    fn read(values: &Values, integration: &Values, alone: bool) -> Result<Self, BuildError> {
        if alone {
            return Ok(Self {
                integration: integration.clone(),
                steps: 1,
                tangent_damping: 0.0,
            });
        }
        let steps = match values.has("reference_steps") {
            true => values.count("reference_steps")? as u64,
            false => 1,
        };
        let integration = match values.optional_text("reference_method") {
            Some(method) => {
                let settings = crate::analyse::settings(method, integration.number("dt")?, &[]);
                settings.map_err(|_| {
                    let known: Vec<_> = tandem_integrator::METHODS
                        .iter()
                        .map(|entry| entry.method.name)
                        .collect();
                    BuildError::new(
                        "record.reference_method",
                        format!("there is no method \"{method}\""),
                        format!("one of: {}", known.join(", ")),
                    )
                })?
            }
            None => integration.clone(),
        };
        Ok(Self {
            integration,
            steps,
            tangent_damping: values
                .optional_number("reference_tangent_damping")
                .unwrap_or(0.0),
        })
    }
}

fn build_rig(plan: &Values, test: &Test) -> Result<Box<dyn Rig>, BuildError> {
    let values = plan.optional_table("rig").ok_or_else(|| {
        BuildError::new(
            "rig",
            "there is an interface but no rig",
            "add [rig] and [rig.specimen], see `tandem new`",
        )
    })?;
    let entry = rigs::find(values.text("kind")?)
        .ok_or_else(|| BuildError::new("rig.kind", "unknown rig", "see `tandem methods`"))?;
    let context = rig::Context {
        actuators: test.actuators,
        interface: test.interface.len(),
        kinematics: plan.optional_table("kinematics"),
        period: test.timing.period,
        seed: test.seed,
        members: test.division.as_ref().map(|division| &division.specimen),
        outside: Some(&guest::OUTSIDE),
    };
    (entry.build)(values, &context).map_err(|error| error.within("rig"))
}

/// What the methods assume of the specimen: the plan's own words, else what the rig knows.
fn assumed(values: &Values, rig: &dyn Rig, dof: usize) -> Result<Impedance, BuildError> {
    let mut specimen = rig
        .specimen()
        .cloned()
        .unwrap_or_else(|| Impedance::none(dof));
    for (key, part) in [
        ("stiffness", &mut specimen.stiffness),
        ("damping", &mut specimen.damping),
        ("mass", &mut specimen.mass),
    ] {
        if values.has(key) {
            let rows = values.matrix(key).map_err(|e| e.within("interface"))?;
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

/// A linear structure is written out as plain matrices: the step needs no detour.
fn flatten(structure: Box<dyn Structure>) -> Result<Box<dyn Structure>, BuildError> {
    if !structure.is_linear() {
        return Ok(structure);
    }
    let labels = (0..structure.dof()).map(|i| structure.label(i)).collect();
    Linear::new(
        structure.mass().clone(),
        structure.damping().clone(),
        structure.stiffness().clone(),
    )
    .and_then(|s| s.with_influence(structure.influence().to_vec()))
    .and_then(|s| s.with_ground_mass(structure.ground_mass().clone()))
    .and_then(|s| s.with_labels(labels))
    .map(|s| Box::new(s.with_kind(structure.kind())) as Box<dyn Structure>)
    .map_err(|error| BuildError::new("dof", error.to_string(), "check the structure"))
}

/// Makes an integration side that is none of the methods.
type MakeDriver = Box<dyn FnOnce(Problem) -> Result<Box<dyn Integrator>, BuildError>>;

fn close_loop<'a>(
    section: &impl Fn(&str) -> &'a Values,
    test: &Test,
    kinematics: Option<Box<dyn Kinematics>>,
    rig: Box<dyn Rig>,
    numerical: Box<dyn Structure>,
    driver: Option<MakeDriver>,
) -> Result<HybridLoop, BuildError> {
    let actuators = test.actuators;
    let loading = test.loading(numerical.as_ref());
    let problem = Problem {
        structure: numerical,
        interface: test.interface.clone(),
        specimen: test.specimen.clone(),
        dt: test.dt,
        instantaneous: rig.is_instantaneous(),
    };
    let integrator = match driver {
        Some(make) => make(problem)?,
        None => build_integrator(&test.integration, problem, &loading)
            .and_then(|method| test.on_its_supports(method))
            .map_err(|e| e.within("integration"))?,
    };
    if integrator.reach() == 0.0
        && (test.timing.time_scale * test.dt / test.timing.period - 1.0).abs() > 1e-9
    {
        return Err(BuildError::new(
            "command.rate",
            "this method gives the motion of the instant: it needs exactly one tick per step",
            "remove command.rate, or take a method that looks one step ahead",
        ));
    }
    #[allow(clippy::cast_precision_loss)] // a handful
    let questions = integrator.questions() as f64;
    let ticks = test.timing.time_scale * test.dt / test.timing.period;
    if questions > ticks + 1e-9 {
        return Err(BuildError::new(
            "command.rate",
            format!(
                "the method asks the specimen {questions} times in a step, which has {ticks:.3} ticks"
            ),
            format!(
                "take a rate of {:.6} Hz or more, or remove it: every question then gets its tick",
                questions / (test.timing.time_scale * test.dt)
            ),
        ));
    }
    let table = section("command");
    let command = Entry::find(
        command::METHODS,
        table.optional_text("method").unwrap_or("direct"),
    )
    .ok_or_else(|| BuildError::new("command.method", "unknown method", "see `tandem methods`"))?;
    let command = (command.build)(table, actuators).map_err(|e| e.within("command"))?;
    let compensator =
        guest::compensator::build(section("compensator"), actuators, test.timing.period)
            .map_err(|e| e.within("compensator"))?;
    let conditioning = conditioning::build(section("conditioning"), actuators, test.timing.period)
        .map_err(|e| e.within("conditioning"))?;
    if conditioning.as_ref().is_some_and(|c| c.follows_tangent()) && integrator.tangent().is_none()
    {
        return Err(BuildError::new(
            "conditioning",
            format!("{} does not estimate the specimen's tangent", test.method),
            "write integration.method = \"osm-us\", or tangent = false",
        ));
    }
    let mut gate = SafetyGate::new(section("limits"), actuators, test.timing.period)
        .map_err(|e| e.within("limits"))?;
    if kinematics.is_none() {
        gate.expect_stiffness(&alone_stiff(&test.specimen));
    }
    let watched = section("monitor");
    let work = if watched.has("stability_warning") || watched.has("energy") {
        test.expected_input_work()
    } else {
        0.0
    };
    let monitors = monitors(watched, integrator.as_ref(), test.timing, test.dt, work)
        .map_err(|e| e.within("monitor"))?;
    let record = Arc::clone(&test.record);
    let parts = Parts {
        ground: Box::new(move |time| record.at(time)),
        loading: Arc::new(loading),
        integrator: answering(section("command"), test, integrator)?,
        kinematics,
        command,
        compensator,
        conditioning,
        gate,
        rig,
        monitors,
    };
    Ok(HybridLoop::new(parts, test.timing))
}

/// What every degree of freedom of a specimen resists with by itself, N/m; zero where its force depends on others too.
fn alone_stiff(specimen: &Impedance) -> Vec<f64> {
    let n = specimen.dof;
    (0..n)
        .map(|i| {
            let row = &specimen.stiffness[i * n..(i + 1) * n];
            let coupled = row.iter().enumerate().any(|(j, k)| j != i && *k != 0.0);
            if coupled { 0.0 } else { row[i] }
        })
        .collect()
}

/// The monitors of the table `[monitor]`, around a method; `input_work` is the largest that is expected, J.
pub fn monitors(
    values: &Values,
    integrator: &dyn Integrator,
    timing: Timing,
    dt: f64,
    input_work: f64,
) -> Result<Vec<tandem_monitor::Named>, BuildError> {
    let context = tandem_monitor::Context {
        problem: integrator.problem(),
        period: timing.period / timing.time_scale,
        dt,
        holds_force: integrator.holds_force(),
        input_work,
        energies_recorded: values.has("energy"),
    };
    tandem_monitor::build(values, &context)
}

/// The integrator with the time that it takes for a target, where the plan gives one.
fn answering(
    values: &Values,
    test: &Test,
    integrator: Box<dyn Integrator>,
) -> Result<Box<dyn Integrator>, BuildError> {
    let Some(seconds) = values.optional_number("answer_time") else {
        return Ok(integrator);
    };
    if integrator.reach() == 0.0
        || integrator.needs_instant_answer()
        || test.timing.time_scale * test.dt / test.timing.period < 1.5
    {
        return Err(BuildError::new(
            "command.answer_time",
            "a step of one tick leaves no time to wait for a target",
            "give command.rate several ticks a step and take a method that looks one step ahead",
        ));
    }
    let jitter = values.optional_number("answer_jitter").unwrap_or(0.0);
    let (period, seed) = (test.timing.period, test.seed);
    Ok(Box::new(SlowDriver::new(
        integrator, seconds, jitter, period, seed,
    )))
}

fn build_integrator(
    values: &Values,
    problem: Problem,
    loading: &dyn tandem_integrator::Loading,
) -> Result<Box<dyn Integrator>, BuildError> {
    tandem_integrator::build(values, problem, loading)
}

impl Test {
    fn loading(
        &self,
        structure: &dyn Structure,
    ) -> GroundMotion<impl Fn(f64) -> f64 + Send + use<>> {
        let record = Arc::clone(&self.record);
        GroundMotion::new(structure, move |time| record.at(time))
    }

    /// The method, with supports that move by themselves where the plan has such.
    fn on_its_supports(
        &self,
        method: Box<dyn Integrator>,
    ) -> Result<Box<dyn Integrator>, BuildError> {
        match &self.supports {
            Some(motions) => motions.carry(method),
            None => Ok(method),
        }
    }

    /// Whether the plan describes a structure: an outside driver and an FMU that integrates by itself have their own, and actuators that are
    /// characterised have none.
    pub fn has_structure(&self) -> bool {
        self.is_shaken() && !self.steps_itself
    }

    /// Whether the plan has a ground motion: an outside driver has its own, and actuators that are characterised have none.
    pub fn is_shaken(&self) -> bool {
        self.driver.is_none() && !self.characterises()
    }

    /// Mean age of the specimen's force where it is held over a step of an FMU: half a step, s of wall time.
    pub fn held_force_delay(&self) -> f64 {
        let held = self.steps_itself && self.integration.optional_text("force") == Some("held");
        match held {
            true => 0.5 * self.dt * self.timing.time_scale,
            false => 0.0,
        }
    }

    /// Whether the actuators themselves are driven, by signals that are known beforehand.
    pub fn characterises(&self) -> bool {
        self.signals.is_some()
    }

    /// Whether the undivided structure is that of the plan, whatever the specimen is.
    pub fn whole_is_given(&self) -> bool {
        self.partition == Partition::Subtract && self.nonlinear.is_none() && self.division.is_none()
    }

    /// Numbers of the elements of the frame that are the specimen.
    pub fn specimen_elements(&self) -> Vec<usize> {
        let division = self.division.iter();
        division
            .flat_map(|division| division.specimen.model().element_numbers())
            .collect()
    }

    /// Displacements of the undivided structure, such as a mode, over the free degrees of freedom of the frame's model; those
    /// inside the specimen stay at zero.
    pub fn whole_frame_shape(&self, shape: &[f64]) -> Vec<f64> {
        let shape = match &self.reduction {
            Some(reduction) => reduction.expand(shape),
            None => shape.to_vec(),
        };
        let (Some(division), Some(frame)) = (&self.division, &self.frame) else {
            return shape;
        };
        let mut whole = vec![0.0; frame.model.dof()];
        for (dof, value) in division.kept.iter().zip(&shape) {
            whole[*dof] = *value;
        }
        whole
    }

    fn given(&self, dt: f64) -> Result<Box<dyn Structure>, BuildError> {
        if self.steps_itself {
            return Err(BuildError::new(
                "structure",
                "it is an FMU that integrates by itself, of which nothing is known but inputs and outputs",
                "use the FMU itself, or its Model Exchange under a time-stepping method",
            ));
        }
        if let Some(reduction) = &self.reduction {
            return Ok(Box::new(reduction.structure.clone()));
        }
        if let Some(frame) = &self.frame {
            let mut model = frame.model.clone();
            model.set_time_step(dt);
            return Ok(Box::new(model));
        }
        structure::build(&self.structure, dt).map_err(|error| error.within("structure"))
    }

    /// Mass, damping and stiffness of the specimen as matrices, with this sign.
    fn specimen_matrices(&self, sign: f64) -> Result<[Matrix; 3], BuildError> {
        let n = self.interface.len();
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
            matrix(&self.specimen.mass)?,
            matrix(&self.specimen.damping)?,
            matrix(&self.specimen.stiffness)?,
        ])
    }

    /// The given structure with the specimen added (+1) or taken out (−1). The ground shakes the given mass.
    fn with_specimen(&self, sign: f64, dt: f64) -> Result<Box<dyn Structure>, BuildError> {
        let refuse = |error: tandem_structure::StructureError| {
            BuildError::new(
                "interface.dof",
                error.to_string(),
                "check the interface and the specimen's matrices",
            )
        };
        let [mass, damping, stiffness] = self.specimen_matrices(sign)?;
        let specimen = LinearAttachment::new(mass, damping, stiffness).map_err(refuse)?;
        let both = WithSpecimen::new(self.given(dt)?, specimen, &self.interface, GroundTerm::Base)
            .map_err(refuse)?;
        flatten(Box::new(both))
    }

    /// The undivided structure, for steps of `dt`; its damping follows the tangent of a nonlinear specimen by b =
    /// `tangent_damping`, s.
    fn build_whole(&self, dt: f64, tangent_damping: f64) -> Result<Box<dyn Structure>, BuildError> {
        if let Some(division) = &self.division {
            return interface::undivided(division, self.reduction.as_ref(), dt, tangent_damping);
        }
        if let Some(specimen) = &self.nonlinear {
            let numerical = self.build_numerical()?;
            return specimen(dt)
                .and_then(|part| {
                    let part = TangentDamped::new(part, tangent_damping);
                    WithSpecimen::new(numerical, part, &self.interface, GroundTerm::Base)
                })
                .map(|both| Box::new(both) as Box<dyn Structure>)
                .map_err(|error| {
                    BuildError::new("rig.specimen", error.to_string(), "check the specimen")
                });
        }
        match self.partition {
            Partition::Add if !self.interface.is_empty() => self.with_specimen(1.0, dt),
            _ => self.given(dt),
        }
    }

    /// The numerical substructure.
    fn build_numerical(&self) -> Result<Box<dyn Structure>, BuildError> {
        if let Some(division) = &self.division {
            return match &self.reduction {
                Some(reduction) => Ok(Box::new(reduction.structure.clone())),
                None => flatten(Box::new(division.numerical.clone())),
            };
        }
        if self.partition == Partition::Add {
            return self.given(self.dt);
        }
        let numerical = self.with_specimen(-1.0, self.dt)?;
        if let Some(dof) = (0..numerical.dof()).find(|i| numerical.mass().get(*i, *i) < 0.0) {
            return Err(BuildError::new(
                "interface.dof",
                format!(
                    "the specimen is heavier than the structure at degree of freedom {}: {} kg would remain",
                    dof + 1,
                    numerical.mass().get(dof, dof)
                ),
                "lower rig.specimen.mass, or write partition = \"add\" if the structure above leaves the specimen out",
            ));
        }
        Ok(numerical)
    }

    /// The specimen as it would be computed, at its start and for steps of `dt` s; none where it is known by its matrices only.
    pub fn specimen_model(
        &self,
        dt: f64,
    ) -> Result<Option<Box<dyn tandem_structure::Attachment>>, BuildError> {
        if let Some(division) = &self.division {
            let mut part = division.specimen.clone();
            part.set_time_step(dt);
            return Ok(Some(Box::new(part)));
        }
        let made = self.nonlinear.as_ref().map(|specimen| specimen(dt));
        made.transpose().map_err(|error| {
            BuildError::new("rig.specimen", error.to_string(), "check the specimen")
        })
    }

    /// The undivided structure at its start, to be led along a recorded motion, with the damping of the method. None where the
    /// specimen has no model, or where the method balances a mean of two instants.
    pub fn followed(&self) -> Option<Box<dyn Structure>> {
        // α = 0 may be written as 1 + α.
        let alpha = self.integration.optional_number("alpha");
        let weighted = alpha.is_some_and(|alpha| alpha * (1.0 - alpha) != 0.0)
            || self.integration.has("rho_inf");
        // Supports that move would have to be led along as well.
        let shaken_apart = self
            .frame
            .as_ref()
            .is_some_and(|frame| !frame.moving.is_empty());
        if weighted || shaken_apart || (self.division.is_none() && self.nonlinear.is_none()) {
            return None;
        }
        let damping = self.integration.optional_number("tangent_damping");
        self.build_whole(self.dt, damping.unwrap_or(0.0)).ok()
    }

    /// Order of magnitude of the largest work that the ground motion will do, J.
    pub fn expected_input_work(&self) -> f64 {
        input_work::estimate(&self.record, self.whole.as_ref())
    }

    /// The numerical substructure by itself. A linear one is shaken with its own mass, as [`Test::physical`] is with its own; the
    /// sum is what the plan's ground motion does to the undivided structure.
    pub fn numerical(&self) -> Result<Box<dyn Structure>, BuildError> {
        if self.interface.is_empty() {
            return flatten(self.given(self.dt)?);
        }
        let structure = self.build_numerical()?;
        if !self.shakes_both(structure.as_ref()) {
            return Ok(structure);
        }
        let labels = (0..structure.dof()).map(|i| structure.label(i)).collect();
        let mass = structure.mass().clone();
        Linear::new(
            mass,
            structure.damping().clone(),
            structure.stiffness().clone(),
        )
        .and_then(|s| s.with_influence(structure.influence().to_vec()))
        .and_then(|s| s.with_labels(labels))
        .map(|s| Box::new(s.with_kind(structure.kind())) as Box<dyn Structure>)
        .map_err(|error| BuildError::new("structure", error.to_string(), "check the structure"))
    }

    /// Whether the ground's term can be divided between the substructures.
    fn shakes_both(&self, numerical: &dyn Structure) -> bool {
        self.partition == Partition::Subtract && self.division.is_none() && numerical.is_linear()
    }

    /// The specimen by itself, over the interface degrees of freedom, for steps of `dt` seconds.
    pub fn physical(&self, dt: f64) -> Result<Box<dyn Structure>, BuildError> {
        let refuse = |error: tandem_structure::StructureError| {
            BuildError::new("rig.specimen", error.to_string(), "check the specimen")
        };
        let n = self.interface.len();
        if n == 0 {
            return Err(BuildError::new(
                "interface",
                "the plan has no specimen",
                "add [interface] and [rig]",
            ));
        }
        let [mass, damping, stiffness] = self.specimen_matrices(1.0)?;
        let nothing = Matrix::zeros(n);
        let ground = match self.shakes_both(self.build_numerical()?.as_ref()) {
            true => mass.clone(),
            false => nothing.clone(),
        };
        let influence = self
            .interface
            .iter()
            .map(|dof| self.whole.influence()[*dof]);
        let labels = self
            .interface
            .iter()
            .map(|dof| self.whole.label(*dof))
            .collect();
        // What carries the specimen: the degrees of freedom alone.
        let mut base = Linear::new(nothing.clone(), nothing.clone(), nothing)
            .and_then(|s| s.with_influence(influence.collect()))
            .and_then(|s| s.with_ground_mass(ground.clone()))
            .and_then(|s| s.with_labels(labels))
            .map_err(refuse)?;
        base = base.with_kind("specimen");
        let all: Vec<usize> = (0..n).collect();
        if let Some(part) = self.specimen_model(dt)? {
            return WithSpecimen::new(base, part, &all, GroundTerm::Base)
                .map(|s| Box::new(s) as Box<dyn Structure>)
                .map_err(refuse);
        }
        let part = LinearAttachment::new(mass, damping, stiffness).map_err(refuse)?;
        WithSpecimen::new(base, part, &all, GroundTerm::Base)
            .map_err(refuse)
            .and_then(|both| flatten(Box::new(both)))
    }

    /// The undivided structure.
    pub fn undivided(&self) -> Result<Box<dyn Structure>, BuildError> {
        self.build_whole(self.dt, 0.0).and_then(flatten)
    }

    /// The plan's rig, untouched.
    pub fn rig(&self, plan: &Values) -> Result<Box<dyn Rig>, BuildError> {
        build_rig(plan, self)
    }

    /// Names of the channels of target, displacement and force at the interface; a number follows.
    #[must_use]
    pub fn interface_channels(&self) -> [&'static str; 3] {
        if self.linked {
            [
                "interface_target",
                "interface_displacement",
                "interface_force",
            ]
        } else {
            ["target", "measured_displacement", "measured_force"]
        }
    }

    /// Step of the reference, s.
    fn reference_dt(&self) -> f64 {
        #[allow(clippy::cast_precision_loss)] // a thousand at most
        let steps = self.reference.steps as f64;
        self.dt / steps
    }

    fn reference_integrator(&self) -> Result<Box<dyn Integrator>, BuildError> {
        let dt = self.reference_dt();
        let structure = self.build_whole(dt, self.reference.tangent_damping)?;
        let loading = self.loading(structure.as_ref());
        let problem = Problem::all_numerical(structure, dt);
        build_integrator(&self.reference.integration, problem, &loading)
            .and_then(|method| self.on_its_supports(method))
            .map_err(|error| error.within("integration"))
    }

    /// Runs the undivided structure: with the same method and step, unless the plan asks for others. Where actuators are
    /// characterised, what they are asked to do.
    pub fn reference(&self) -> Result<ReferenceRun, BuildError> {
        if let Some(signals) = &self.signals {
            let labels = (0..self.whole.dof()).map(|i| self.whole.label(i));
            let whole = without_structure::interface(labels.collect(), self.whole.kind())?;
            let problem = Problem::all_numerical(Box::new(whole), self.dt);
            let method = Box::new(Prescribed::new(problem, Arc::clone(signals)));
            let steps = self.timing.steps;
            return Ok(run_reference(method, &tandem_integrator::NoLoad, steps, 1));
        }
        let loading = self.loading(self.whole.as_ref());
        Ok(run_reference(
            self.reference_integrator()?,
            &loading,
            self.timing.steps,
            self.reference.steps,
        ))
    }
}
