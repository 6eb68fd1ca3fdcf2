//! `[excitation] kind = "characterise"`: the actuators themselves are driven by signals that are
//! known beforehand. There is no structure; gate, limits, monitors and recorder are those of any
//! test.

use super::source::{Connected, Outline, Read, TargetSource, Targets};
use super::{Test, steps, without_structure};
use crate::sections::{RecordSettings, Section};
use std::sync::Arc;
use tandem_coordinator::Timing;
use tandem_integrator::{Prescribed, not_stepped};
use tandem_model::interface::InterfaceSettings;
use tandem_model::{excitation, signal, structure};
use tandem_quantity::{
    BuildError, Dimension, Entry, Method, Range, Registry, Settings, Values, format_number,
    settings,
};
use tandem_signal::derivative::{gradient, second_gradient};
use tandem_signal::excitation::Build;
use tandem_structure::Linear;
use tandem_transfer::command;
use tandem_transfer::rig::Rig;

/// Name of the kind of excitation.
pub const NAME: &str = "characterise";
const METHOD_NAME: &str = "prescribed";

/// Displacement, velocity and acceleration of every signal, one sample a step.
pub type Signals = Vec<[Vec<f64>; 3]>;

/// What `[excitation]` writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: NAME,
        summary: "drives the actuators themselves, to characterise them and what they hold: no \
            structure and no integration need be written",
        reference: "Tekeste, Correia and Costa 2025, sections 2.6 and 3.2; docs/identify.md",
        parameters: CharacteriseSettings::PARAMETERS,
    },
    build: &|_, _| Err(misplaced()),
};

settings! {
    struct CharacteriseSettings {
        /// displacement of actuator 1, 2, … (behind a linkage: of its degrees of freedom)
        signal: Vec<Values> = slots(&signal::SLOT).within(Range::between(1.0, 100.0)),
        /// rest before and after the signals, from which the noise of the sensors is read
        rest: f64 = number(Dimension::TIME).or("\"2 s\"").not_negative(),
    }
}

/// What `[integration]` writes; a plan that characterises need not write it.
pub const METHOD: Entry<tandem_integrator::Build> = Entry {
    method: Method {
        name: METHOD_NAME,
        summary: "nothing is integrated: the signals of [excitation] kind = \"characterise\" are \
            the targets",
        reference: "docs/identify.md",
        parameters: PrescribedSettings::PARAMETERS,
    },
    build: &not_stepped,
};

settings! {
    struct PrescribedSettings {
        /// from one sample of the signals to the next; also the period of the coordinator, unless
        /// command.rate says otherwise
        dt: f64 = number(Dimension::TIME).or("\"1 ms\"").positive(),
    }
}

/// Name of the kind of structure that is none.
pub const STRUCTURE_NAME: &str = "none";

/// What a plan has that characterises actuators; it need not be written.
pub const STRUCTURE: Entry<tandem_structure::Build> = Entry {
    method: Method {
        name: STRUCTURE_NAME,
        summary: "there is none: actuators are characterised ([excitation] kind = \
            \"characterise\"); need not be written",
        reference: "docs/identify.md",
        parameters: &[],
    },
    build: &|_, _| {
        Err(BuildError::new(
            "kind",
            "there is no structure that the ground could shake",
            "write excitation.kind = \"characterise\", or describe the structure",
        ))
    },
};

fn misplaced() -> BuildError {
    BuildError::new(
        "integration.method",
        format!(
            "[excitation] kind = \"{NAME}\" and integration.method = \"{METHOD_NAME}\" belong \
            together: one drives actuators, the other integrates nothing"
        ),
        "remove [integration] and [structure] to characterise actuators, or take another \
        excitation to shake a structure",
    )
}

/// Whether the plan characterises actuators.
pub fn selected_by(plan: &Values) -> bool {
    Section::Excitation.selected(plan, &excitation::SLOT) == Some(NAME)
        || Section::Integration.selected(plan, &tandem_integrator::SLOT) == Some(METHOD_NAME)
}

/// Reads such a plan.
pub(super) fn read(plan: &Values, registry: &Registry) -> Result<Read, BuildError> {
    let (excitation, integration) = (Section::Excitation.of(plan), Section::Integration.of(plan));
    if Section::Excitation.selected(plan, &excitation::SLOT) != Some(NAME)
        || Section::Integration.selected(plan, &tandem_integrator::SLOT) != Some(METHOD_NAME)
    {
        return Err(misplaced());
    }
    if Section::Structure.selected(plan, &structure::SLOT) != Some(STRUCTURE_NAME) {
        return Err(BuildError::new(
            "structure.kind",
            "actuators are characterised without a structure",
            "remove [structure]",
        ));
    }
    without_structure::refuse_degrees_of_freedom(
        &InterfaceSettings::read(Section::Interface.of(plan))?,
        "there is no structure",
        "every [[excitation.signal]] is an actuator",
    )?;
    without_structure::refuse_reference(&RecordSettings::read(Section::Record.of(plan))?)?;
    let PrescribedSettings { dt } = PrescribedSettings::read(integration)?;
    let excitation = CharacteriseSettings::read(excitation)?;
    let (signals, notes) =
        read_signals(&excitation, dt, registry).map_err(|e| e.within("excitation"))?;
    let longest = signals.iter().map(|[d, ..]| d.len()).max().unwrap_or(1);
    let steps = steps((longest - 1) as f64 * dt, dt, signals.len())?;
    let period = command::Timing::read(Section::Command.of(plan))?
        .rate
        .map_or(dt, |rate| 1.0 / rate);
    let timing = Timing {
        period,
        time_scale: 1.0,
        steps,
    };
    super::at_least_one_tick(dt, timing)?;
    let labels = (1..=signals.len()).map(|i| format!("signal {i}"));
    let whole = without_structure::interface(labels.collect(), "actuators alone")?;
    let signals = Arc::new(signals);
    let outline = Outline {
        method: METHOD_NAME.to_owned(),
        record: without_structure::no_ground_motion()?,
        whole: Box::new(whole.clone()),
        interface: (0..signals.len()).collect(),
        timing,
        dt,
        energy_error_dof: 0,
        notes,
        targets: Targets::Prescribed(Arc::clone(&signals)),
        described: None,
    };
    Ok((outline, Box::new(Signalled { signals, whole })))
}

/// The signals, for the interface of which they are the motions.
struct Signalled {
    signals: Arc<Signals>,
    whole: Linear,
}

impl TargetSource for Signalled {
    fn connect(
        self: Box<Self>,
        _: &Values,
        test: &mut Test,
        rig: Box<dyn Rig>,
    ) -> Result<Connected, BuildError> {
        test.physical.nonlinear = rig.properties().specimen_as_attachment;
        let signals = self.signals;
        Connected::without_structure(test, self.whole, rig, |problem| {
            Ok(Box::new(Prescribed::new(problem, signals)))
        })
    }
}

/// How long the way back to the middle takes after a signal that ends aside, s; no longer than the
/// rest.
const WAY_BACK: f64 = 1.0;

/// The signals between their rests, with their derivatives, and what is said of them.
fn read_signals(
    settings: &CharacteriseSettings,
    dt: f64,
    registry: &Registry,
) -> Result<(Signals, Vec<String>), BuildError> {
    let rest = settings.rest;
    let samples = (rest / dt).round();
    if samples > signal::MOST_SAMPLES {
        return Err(BuildError::new(
            "rest",
            format!("{rest} s in steps of {dt:e} s are {samples:e} samples"),
            "give a shorter rest",
        ));
    }
    #[allow(clippy::cast_possible_truncation)] // bounded just above
    let quiet = samples as usize;
    let mut words = Vec::new();
    let mut signals = Vec::new();
    for (i, table) in settings.signal.iter().enumerate() {
        let made = signal::build(table, dt, i as u64 + 1, registry)
            .map_err(|e| e.within(&i.to_string()).within("signal"))?;
        let seconds = made.samples.len().saturating_sub(1) as f64 * dt;
        words.push(format!(
            "Signal {}: {}, {} s",
            i + 1,
            made.words,
            format_number(seconds)
        ));
        let mut d = vec![0.0; quiet];
        d.extend(made.samples);
        // A signal that ends aside is led back to the middle, not dropped.
        let last = d.last().copied().unwrap_or(0.0);
        #[allow(clippy::cast_possible_truncation)]
        let way = ((WAY_BACK / dt).round() as usize).min(quiet).max(1);
        d.extend((1..=quiet).map(|k| {
            let done = (k as f64 / way as f64).min(1.0);
            0.5 * last * (1.0 + (std::f64::consts::PI * done).cos())
        }));
        let (v, a) = (gradient(&d, dt), second_gradient(&d, dt));
        signals.push([d, v, a]);
    }
    Ok((signals, words))
}
