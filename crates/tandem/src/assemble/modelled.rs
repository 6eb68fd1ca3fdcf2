//! A time-stepping method moves the structure that the plan describes: the only source of targets
//! with an undivided structure to compare with.

use std::sync::Arc;

use tandem_coordinator::Timing;
use tandem_frame::model::Division;
use tandem_integrator::{Problem, Stepping};
use tandem_quantity::{BuildError, Registry, Settings, SpecimenMatrices, Values};
use tandem_structure::{Linear, Structure};
use tandem_transfer::command;
use tandem_transfer::rig::{Rig, RigProperties};

use super::source::{Connected, Outline, Read, TargetSource, Targets, steppers};
use super::{Test, at_least_one_tick, build_integrator, energy_error_dof, steps};
use crate::sections::{RecordSettings, Section};
use tandem_model::frame::{self, FrameModel};
use tandem_model::interface::{InterfaceSettings, Partition};
use tandem_model::reduction::Reduction;
use tandem_model::support_motion::{self, SupportMotions};
use tandem_model::{excitation, interface, structure};

/// The structure that a plan describes, in all its forms.
pub struct Described {
    /// The section `[structure]`.
    pub(super) structure: Values,
    /// The section `[integration]`.
    pub(super) integration: Values,
    pub(super) reference: Reference,
    pub(super) frame: Option<FrameModel>,
    pub(super) reduction: Option<Reduction>,
    pub(super) division: Option<Division>,
    pub(super) supports: Option<Arc<SupportMotions>>,
}

/// How the undivided structure is computed.
pub(super) struct Reference {
    pub(super) integration: Values,
    /// Steps within one of the test.
    pub(super) steps: u64,
    /// b (s) by which damping follows the specimen's tangent.
    pub(super) tangent_damping: f64,
}

/// What the section `[structure]` describes.
struct Whole {
    structure: Box<dyn Structure>,
    frame: Option<FrameModel>,
}

impl Whole {
    fn read(values: &Values, dt: f64, registry: &Registry) -> Result<Self, BuildError> {
        if values.text(structure::SLOT.selector)? == frame::ENTRY.method.name {
            let frame = FrameModel::read(values, dt)?;
            let structure = Box::new(frame.model.clone());
            return Ok(Self {
                structure,
                frame: Some(frame),
            });
        }
        let structure = structure::build(values, dt, registry)?;
        Ok(Self {
            structure,
            frame: None,
        })
    }
}

/// Reads such a plan, or says everything that does not fit. Sections that do not depend on each
/// other are all tried, so that all errors show at once.
pub(super) fn read(plan: &Values, registry: &Registry) -> Result<Read, Vec<BuildError>> {
    let excitation = excitation::build(Section::Excitation.of(plan), registry)
        .map_err(|e| e.within("excitation"));
    let dt = Stepping::read(Section::Integration.of(plan)).map_or(0.0, |stepping| stepping.dt);
    let whole =
        Whole::read(Section::Structure.of(plan), dt, registry).map_err(|e| e.within("structure"));
    match (excitation, whole) {
        (Ok(excitation), Ok(whole)) => {
            let outline =
                outline(plan, excitation, whole, registry).map_err(|error| vec![error])?;
            Ok((outline, Box::new(Modelled)))
        }
        (excitation, whole) => Err([excitation.err(), whole.err()]
            .into_iter()
            .flatten()
            .collect()),
    }
}

fn outline(
    plan: &Values,
    excitation: excitation::Excitation,
    whole: Whole,
    registry: &Registry,
) -> Result<Outline, BuildError> {
    let mut notes = excitation.notes;
    let integration = Section::Integration.of(plan);
    let stepping = Stepping::read(integration)?;
    let (dt, time_scale) = (stepping.dt, stepping.time_scale);
    let duration = stepping.duration.unwrap_or(excitation.record.duration());
    let frame = whole.frame;
    let shared = InterfaceSettings::read(Section::Interface.of(plan))?;
    let division = interface::divide(&shared, frame.as_ref())?;
    if let (Some(frame), Some(division)) = (&frame, &division) {
        interface::stands_still(frame, division)?;
    }
    let described = Section::Structure.of(plan);
    let (whole, interface, reduction) = match &division {
        Some(division) => {
            let (part, interface) = (&division.numerical, &division.interface);
            let reduction = Reduction::read(described, part.properties(), interface, &|_| None)?;
            let whole = interface::reference_structure(division, reduction.as_ref(), dt, 0.0)?;
            (whole, interface.clone(), reduction)
        }
        None => {
            let structure = whole.structure.properties();
            let interface = interface::read(&shared, structure, frame.as_ref())?;
            let named = |name: &str| frame.as_ref().and_then(|frame| frame.dof(name));
            let reduction = Reduction::read(described, structure, &interface, &named)?;
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
            SupportMotions::of(frame, described, &excitation.record, registry)
                .map_err(|error| error.within("structure"))?
        }
        None => None,
    };
    let steps = steps(duration, dt, whole.properties().dof())?;
    // Without a rate every question of a step gets one tick.
    let period = match command::Timing::read(Section::Command.of(plan))?.rate {
        Some(rate) => 1.0 / rate,
        None => {
            dt * time_scale
                / evaluations_per_step(whole.as_ref(), (integration, dt), &interface, registry)
        }
    };
    let timing = Timing {
        period,
        time_scale,
        steps,
    };
    at_least_one_tick(dt, timing)?;
    if interface.is_empty() && Section::Rig.written(plan).is_some() {
        return Err(BuildError::new(
            "rig",
            "there is a rig but no interface: nothing connects it with the structure",
            "add [interface] with dof = [1], or remove the rig for an all-numerical run",
        ));
    }
    let record = RecordSettings::read(Section::Record.of(plan))?;
    Ok(Outline {
        method: integration
            .text(tandem_integrator::SLOT.selector)?
            .to_owned(),
        record: Arc::new(excitation.record),
        energy_error_dof: energy_error_dof(&record, &interface, whole.properties().dof())?,
        timing,
        dt,
        notes,
        targets: Targets::Method,
        described: Some(Described {
            structure: described.clone(),
            integration: integration.clone(),
            reference: Reference::read(&record, (integration, dt), interface.is_empty(), registry)?,
            frame,
            reduction,
            division,
            supports,
        }),
        whole,
        interface,
    })
}

/// The method, which is built when the specimen is known.
struct Modelled;

impl TargetSource for Modelled {
    fn connect(
        self: Box<Self>,
        plan: &Values,
        test: &mut Test,
        rig: Box<dyn Rig>,
    ) -> Result<Connected, BuildError> {
        let integration = Section::Integration.of(plan);
        let shared = InterfaceSettings::read(Section::Interface.of(plan))?;
        test.physical.partition = shared.partition.read()?;
        let properties = rig.properties();
        test.physical
            .nonlinear
            .clone_from(&properties.specimen_as_attachment);
        test.outline.whole = test.build_whole(test.outline.dt, 0.0)?;
        let numerical = test.build_numerical()?;
        test.warnings.extend(assumed_linear(test, &properties)?);
        if let Some(dof) = (0..numerical.properties().dof())
            .find(|i| numerical.properties().stiffness.get(*i, *i) < 0.0)
        {
            test.warnings.push(format!(
                "The specimen is stiffer than the structure at degree of freedom {}: the rest has \
                 a negative stiffness.",
                dof + 1
            ));
        }
        let loading = test.loading(numerical.as_ref());
        let problem = test.problem(numerical, rig.as_ref());
        let integrator = build_integrator(integration, problem, &loading, &test.registry)
            .and_then(|method| test.on_its_supports(method))
            .map_err(|error| error.within("integration"))?;
        Ok(Connected {
            rig,
            integrator,
            loading: Arc::new(loading),
        })
    }
}

/// What there is to warn of where the reference takes the specimen for linear.
fn assumed_linear(test: &Test, rig: &RigProperties) -> Result<Option<String>, BuildError> {
    if rig.specimen_is_linear || test.physical.nonlinear.is_some() || test.division().is_some() {
        return Ok(None);
    }
    let unknown = test.physical.specimen == SpecimenMatrices::none(test.outline.interface.len());
    if test.physical.partition == Partition::Subtract && unknown {
        return Err(BuildError::new(
            "interface",
            "the specimen is to be taken out of the structure, but it stands elsewhere and nothing \
             tells what it is: it would count twice",
            "give interface.stiffness, and interface.damping and interface.mass where it has them; \
             or write partition = \"add\" if it is not part of [structure]",
        ));
    }
    let text = if rig.specimen.is_some() {
        "The specimen is nonlinear: the reference uses its initial stiffness."
    } else {
        "The specimen stands elsewhere, and nothing tells whether it is linear: the reference \
         takes it for linear, with interface.stiffness."
    };
    Ok(Some(text.to_owned()))
}

/// How many times the method asks the specimen in a step, tried out on the given structure as if it
/// were linear. What does not fit shows later, when the test itself is built.
fn evaluations_per_step(
    whole: &dyn Structure,
    (integration, dt): (&Values, f64),
    interface: &[usize],
    registry: &Registry,
) -> f64 {
    if interface.is_empty() {
        return 1.0;
    }
    let problem = Problem {
        structure: Box::new(Linear::of(whole.properties().clone())),
        interface: interface.to_vec(),
        specimen: SpecimenMatrices::none(interface.len()),
        dt,
        instantaneous: false,
    };
    let built = build_integrator(integration, problem, &tandem_integrator::NoLoad, registry);
    built.map_or(1.0, |method| {
        method.properties().evaluations_per_step.max(1) as f64
    })
}

impl Reference {
    /// `alone`: there is no specimen, so that this is the test itself.
    fn read(
        record: &RecordSettings,
        (integration, dt): (&Values, f64),
        alone: bool,
        registry: &Registry,
    ) -> Result<Self, BuildError> {
        if alone {
            return Ok(Self {
                integration: integration.clone(),
                steps: 1,
                tangent_damping: 0.0,
            });
        }
        let undivided = record.undivided.read()?;
        let integration = match &undivided.reference_method {
            Some(method) => {
                let settings = super::method_table(registry, method, dt, &[]);
                settings.map_err(|_| {
                    let known: Vec<_> = steppers(registry).map(|entry| entry.method.name).collect();
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
            steps: undivided.reference_steps as u64,
            tangent_damping: undivided.reference_tangent_damping.unwrap_or(0.0),
        })
    }
}
