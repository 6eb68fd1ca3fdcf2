//! `tandem methods`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tandem::assemble::steppers;
use tandem::registry::standard;
use tandem::sections::ROOT;
use tandem_quantity::{Default, Method, Parameter, ValueKind};

use super::{Failure, say};

/// List all methods of all slots of the plan, with their parameters.
#[derive(Args)]
#[command(after_help = "Example:\n  tandem methods\n  tandem methods --json")]
pub struct Methods {
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl Methods {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let mut slots = Vec::new();
        collect(ROOT, "", &mut slots, &mut Vec::new());
        if self.json {
            let list: Vec<_> = slots
                .iter()
                .map(|(slot, methods)| {
                    let methods: Vec<_> = methods.iter().map(|m| describe(m)).collect();
                    json!({ "slot": slot, "methods": methods })
                })
                .collect();
            say(&json!({ "slots": list }).to_string());
            return Ok(ExitCode::SUCCESS);
        }
        for (slot, methods) in slots {
            say(&format!("[{slot}]"));
            for method in methods {
                say(&format!("  {:<24}{}", method.name, method.summary));
                for parameter in method.parameters {
                    say(&format!(
                        "      {:<20}{}{}",
                        parameter.key,
                        parameter.doc,
                        default_of(parameter)
                    ));
                }
            }
            say("");
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn default_of(parameter: &Parameter) -> String {
    match parameter.default {
        Default::Is(text) => format!(" [{}]", text.trim_matches('"')),
        Default::Required => " [required]".to_owned(),
        Default::Absent => String::new(),
    }
}

fn describe(method: &Method) -> serde_json::Value {
    let parameters: Vec<_> = method
        .parameters
        .iter()
        .map(|p| {
            let default = match p.default {
                Default::Is(text) => json!(text.trim_matches('"')),
                _ => json!(null),
            };
            json!({ "key": p.key, "doc": p.doc, "default": default,
                "required": matches!(p.default, Default::Required) })
        })
        .collect();
    json!({ "name": method.name, "summary": method.summary, "reference": method.reference,
        "parameters": parameters })
}

/// Every slot below a table, once, with the dotted path where it stands first. Monitors are tables
/// of one section.
fn collect(
    parameters: &'static [Parameter],
    path: &str,
    slots: &mut Vec<(String, Vec<&'static Method>)>,
    seen: &mut Vec<&'static str>,
) {
    for parameter in parameters {
        let path = if path.is_empty() {
            parameter.key.to_owned()
        } else {
            format!("{path}.{}", parameter.key)
        };
        match parameter.kind {
            ValueKind::Slot(slot) | ValueKind::Slots(slot) => {
                if seen.contains(&slot.name()) {
                    continue;
                }
                seen.push(slot.name());
                let methods = standard().methods(slot);
                let inner: Vec<_> = methods.iter().map(|m| m.parameters).collect();
                if !slots.iter().any(|(known, _)| *known == path) {
                    // What stands in for a time-stepping method where nothing is integrated here is
                    // listed apart.
                    let (own, others) = methods.into_iter().partition(|method| {
                        path != "integration"
                            || steppers(standard()).any(|entry| entry.method.name == method.name)
                    });
                    slots.push((path.clone(), own));
                    let others: Vec<_> = others;
                    if !others.is_empty() {
                        slots.push((format!("{path}, nothing is stepped here"), others));
                    }
                    for parameters in inner {
                        collect(parameters, &path, slots, seen);
                    }
                }
            }
            ValueKind::Open(slot) => slots.push((path, standard().methods(slot))),
            ValueKind::Table(inner) | ValueKind::Tables(inner) => {
                collect(inner, &path, slots, seen);
            }
            _ => {}
        }
    }
}
