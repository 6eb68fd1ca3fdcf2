//! A system structure (SSP) as the plan of a co-simulation.

use std::fmt::Write;

use tandem_fmi::ssp::System;

/// A plan made of a system structure.
pub struct FromSystem {
    /// Its text.
    pub plan: String,
    /// Files that it needs: path in the archive, name in the folder.
    pub files: Vec<(String, String)>,
    /// What the file does not say.
    pub assumed: Vec<String>,
}

/// A communication step that is none.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("--step {0}: give seconds, more than zero")]
pub struct StepError(pub f64);

/// A text in TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// Writes the plan: all parts step with the outputs of the last point (jacobi), the order that
/// needs no further knowledge. `folder` holds the FMUs; `step` is the communication step, s.
///
/// # Errors
/// A system without an experiment and no step.
pub fn of_system(
    system: &System,
    folder: &str,
    step: Option<f64>,
) -> Result<FromSystem, StepError> {
    let mut assumed = Vec::new();
    let stop = system.stop.filter(|stop| *stop > 0.0).unwrap_or_else(|| {
        assumed.push("duration = \"1 s\": the file has no default experiment".to_owned());
        1.0
    });
    let step = match step {
        Some(step) if step > 0.0 && step.is_finite() => step,
        Some(step) => return Err(StepError(step)),
        None => {
            let step = 1e-3 * stop;
            assumed.push(format!(
                "dt = \"{step} s\": a thousandth of the experiment; --step says it"
            ));
            step
        }
    };
    let mut files: Vec<(String, String)> = Vec::new();
    let mut parts = String::new();
    for component in &system.components {
        let known = files.iter().find(|(source, _)| *source == component.source);
        let name = match known {
            Some((_, name)) => name.clone(),
            None => {
                // Only the file's own name goes into the folder; a second of that name gets the
                // component's.
                let own = component.source.rsplit(['/', '\\']).next().unwrap_or("");
                let taken = files.iter().any(|(_, name)| name == own);
                let name = if taken || own.is_empty() {
                    format!("{}.fmu", files.len() + 1)
                } else {
                    own.to_owned()
                };
                files.push((component.source.clone(), name.clone()));
                name
            }
        };
        let _ = writeln!(
            parts,
            "\n[[part]]\nname = {}\nfmu = {}",
            quoted(&component.name),
            quoted(&format!("{folder}/{name}"))
        );
        if !component.starts.is_empty() {
            let list: Vec<String> = component
                .starts
                .iter()
                .map(|(name, value)| quoted(&format!("{name}={value}")))
                .collect();
            let _ = writeln!(parts, "start = [{}]", list.join(", "));
        }
    }
    for ((giver, output), (taker, input)) in &system.connections {
        let end = |part: &usize, variable: &str| {
            let name = system.components.get(*part).map_or("", |c| c.name.as_str());
            quoted(&format!("{name}.{variable}"))
        };
        let _ = writeln!(
            parts,
            "\n[[connection]]\nfrom = {}\nto = {}",
            end(giver, output),
            end(taker, input)
        );
    }
    let plan = format!(
        "name = {}\n\n[cosimulation]\nmethod = \"jacobi\"             # or gauss-seidel, \
        iterative\ndt = \"{step} s\"\nduration = \"{stop} s\"\n{parts}",
        quoted(&system.name)
    );
    Ok(FromSystem {
        plan,
        files,
        assumed,
    })
}
