//! `tandem fmu info`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};
use tandem_fmi::{Archive, Causality, Description, Interface, Offer, Version};

use crate::cli::{Failure, say};

/// Say what an FMU is, what it exposes, and what it lacks for hybrid testing. Nothing of it is
/// executed.
#[derive(Args)]
#[command(after_help = "\
Example:
  tandem fmu info oscillator.fmu --json")]
pub struct Info {
    /// The FMU.
    fmu: PathBuf,
    /// List every variable, not only inputs, outputs and parameters.
    #[arg(long)]
    all: bool,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl Info {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let mut archive = Archive::open(&self.fmu)?;
        let description = archive.description()?;
        let files = archive.files();
        let mut faults = archive.faults();
        faults.extend(description.faults());
        let value = describe(&description, &files, &faults);
        say(&if self.json {
            value.to_string()
        } else {
            readable(&description, &value, self.all)
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn describe(description: &Description, files: &[String], faults: &[String]) -> Value {
    let binaries: Vec<&str> = files
        .iter()
        .filter_map(|name| {
            name.strip_prefix("binaries/")?
                .split_once('/')
                .map(|(place, _)| place)
        })
        .fold(Vec::new(), |mut list, place| {
            if !list.contains(&place) {
                list.push(place);
            }
            list
        });
    let offers = [
        (Interface::CoSimulation, &description.co_simulation),
        (Interface::ModelExchange, &description.model_exchange),
    ];
    let kinds: serde_json::Map<String, Value> = offers
        .iter()
        .filter_map(|(interface, offer)| {
            Some((
                interface.name().to_owned(),
                offer_json(offer.as_ref()?, *interface),
            ))
        })
        .collect();
    let variables: Vec<Value> = description
        .variables
        .iter()
        .map(|variable| {
            json!({
                "name": variable.name,
                "reference": variable.reference,
                "type": format!("{:?}", variable.kind),
                "causality": variable.causality.name(),
                "variability": variable.variability.name(),
                "size": description.size(variable),
                "start": variable.start,
                "unit": variable.unit,
                "description": variable.about,
            })
        })
        .collect();
    let states: Vec<&str> = description
        .states
        .iter()
        .filter_map(|state| {
            description
                .variables
                .get(state.variable)
                .map(|v| v.name.as_str())
        })
        .collect();
    let here = runs_here(description, files);
    json!({
        "fmi_version": description.version_text,
        "model": description.model,
        "description": description.about,
        "tool": description.tool,
        "token": description.token,
        "kinds": kinds,
        "scheduled_execution": description.scheduled_execution,
        "states": states,
        "state_count": description.state_count(),
        "event_indicators": description.indicators,
        "experiment": {
            "start_s": description.experiment.start,
            "stop_s": description.experiment.stop,
            "step_s": description.experiment.step,
            "tolerance": description.experiment.tolerance,
        },
        "binaries": binaries,
        "runs_on_this_machine": here,
        "variables": variables,
        "faults": faults,
        "lacks": lacks(description, here),
    })
}

fn offer_json(offer: &Offer, interface: Interface) -> Value {
    let mut value = json!({
        "identifier": offer.identifier,
        "get_set_state": offer.state,
        "serialize_state": offer.serialization,
        "directional_derivatives": offer.directional_derivatives,
        "only_once_per_process": offer.once_per_process,
        "needs_its_tool": offer.needs_tool,
    });
    match interface {
        Interface::CoSimulation => {
            value["variable_step"] = json!(offer.variable_step);
            value["event_mode"] = json!(offer.event_mode);
            value["internal_step_s"] = json!(offer.internal_step);
        }
        Interface::ModelExchange => {
            value["completed_step_needed"] = json!(!offer.no_completed_step);
        }
    }
    value
}

fn runs_here(description: &Description, files: &[String]) -> bool {
    let folder = match (
        description.version,
        std::env::consts::OS,
        std::env::consts::ARCH,
    ) {
        (Version::Two, "linux", "x86_64") => "linux64".to_owned(),
        (Version::Two, "macos", "x86_64") => "darwin64".to_owned(),
        (Version::Two, "windows", "x86_64") => "win64".to_owned(),
        (_, "macos", arch) => format!("{arch}-darwin"),
        (_, os, arch) => format!("{arch}-{os}"),
    };
    [&description.co_simulation, &description.model_exchange]
        .into_iter()
        .flatten()
        .any(|offer| {
            let name = format!(
                "binaries/{folder}/{}{}",
                offer.identifier,
                std::env::consts::DLL_SUFFIX
            );
            files.contains(&name)
        })
}

/// What is missing for a hybrid test, in sentences.
fn lacks(description: &Description, here: bool) -> Vec<String> {
    let mut list = Vec::new();
    let mut lack = |text: &str| list.push(text.to_owned());
    if !here {
        lack("No binary for this machine: it cannot run here.");
    }
    let has = |causality: Causality| {
        description
            .variables
            .iter()
            .any(|v| v.causality == causality)
    };
    if !has(Causality::Input) {
        lack(
            "No inputs: neither ground motion nor interface forces can act on it; it can only be \
            an excitation.",
        );
    }
    if !has(Causality::Output) && description.states.is_empty() {
        lack("No outputs: nothing can be taken from it.");
    }
    if let Some(cs) = &description.co_simulation {
        if !cs.state {
            lack(
                "Co-Simulation without get/set state: no rollback, so no iterative orchestration \
                and no coupling as a black box (cs-c).",
            );
        }
        if !cs.variable_step {
            lack("Co-Simulation with a constant step only: the step of the first call is kept.");
        }
    } else {
        lack("No Co-Simulation: it is integrated by Tandem (Model Exchange).");
    }
    if let Some(me) = &description.model_exchange {
        if !me.directional_derivatives {
            lack(
                "Model Exchange without directional derivatives: the Jacobian of the coupling is \
                taken by differences.",
            );
        }
        if description.states.is_empty() {
            lack("Model Exchange without continuous states: there is nothing to integrate.");
        }
    } else {
        lack(
            "No Model Exchange: the coupling must use its own solver (cs-a, cs-b when made for it, \
            else cs-c).",
        );
    }
    let offers = || {
        [&description.co_simulation, &description.model_exchange]
            .into_iter()
            .flatten()
    };
    if offers().any(|offer| offer.once_per_process) {
        lack("Only one instance in a process: two of them need processes of their own.");
    }
    if offers().any(|offer| offer.needs_tool) {
        lack("It needs the tool that made it, installed and licensed on this machine.");
    }
    if description.indicators > 0 {
        lack("It has state events: a coupling step that crosses one loses order.");
    }
    list
}

fn readable(description: &Description, value: &Value, all: bool) -> String {
    let mut text = format!("{} (FMI {})\n", description.model, description.version_text);
    let mut line = |label: &str, value: &str| {
        if !value.is_empty() {
            text.push_str(&format!("  {label:<20}{value}\n"));
        }
    };
    line("what it is", &description.about);
    line("made by", &description.tool);
    for (name, offer) in value["kinds"].as_object().into_iter().flatten() {
        let mut words = vec![match name.as_str() {
            "cs" => "Co-Simulation",
            _ => "Model Exchange",
        }];
        for (key, word) in [
            ("get_set_state", "get/set state"),
            ("serialize_state", "state on disk"),
            ("directional_derivatives", "directional derivatives"),
            ("variable_step", "variable step"),
            ("event_mode", "event mode"),
        ] {
            if offer[key] == json!(true) {
                words.push(word);
            }
        }
        line(name, &words.join(", "));
    }
    line("states", &texts(&value["states"]).join(", "));
    if description.indicators > 0 {
        line("event indicators", &description.indicators.to_string());
    }
    let experiment = description.experiment;
    let seconds = |x: Option<f64>| x.map_or("?".to_owned(), |x| x.to_string());
    if experiment.stop.is_some() || experiment.step.is_some() {
        line(
            "experiment",
            &format!(
                "{} to {} s, step {} s",
                seconds(experiment.start.or(Some(0.0))),
                seconds(experiment.stop),
                seconds(experiment.step)
            ),
        );
    }
    line("binaries", &texts(&value["binaries"]).join(", "));
    for (causality, text) in variables(description, all) {
        line(causality.name(), &text);
    }
    for fault in texts(&value["faults"]) {
        line("FAULT", fault);
    }
    for lack in texts(&value["lacks"]) {
        line("for hybrid testing", lack);
    }
    text.trim_end().to_owned()
}

/// The texts of a list.
fn texts(list: &Value) -> Vec<&str> {
    let all = list.as_array().into_iter().flatten();
    all.filter_map(Value::as_str).collect()
}

/// Its variables in words, by what they are for.
fn variables(description: &Description, all: bool) -> Vec<(Causality, String)> {
    let mut list = Vec::new();
    for causality in [
        Causality::Input,
        Causality::Output,
        Causality::StructuralParameter,
        Causality::Parameter,
        Causality::CalculatedParameter,
        Causality::Local,
    ] {
        if causality == Causality::Local && !all {
            continue;
        }
        for variable in description
            .variables
            .iter()
            .filter(|v| v.causality == causality)
        {
            let size = description.size(variable);
            let name = if variable.dimensions.is_empty() {
                variable.name.clone()
            } else {
                format!("{} ({size} values)", variable.name)
            };
            let unit = variable
                .unit
                .as_deref()
                .map_or(String::new(), |unit| format!(" [{unit}]"));
            let start = match variable.start.as_slice() {
                [one] => format!(" = {one}"),
                _ => String::new(),
            };
            list.push((
                causality,
                format!("{name}{start}{unit}  {}", variable.about),
            ));
        }
    }
    list
}
