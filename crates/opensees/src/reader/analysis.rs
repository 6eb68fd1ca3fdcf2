//! Damping, analyses, and commands that give the script something back.

use super::Reader;
use super::arguments::Arguments;
use crate::error::ScriptError;
use crate::script::{Answer, Argument, Place};

/// Output and settings of the solution.
const IGNORED: &[&str] = &[
    "recorder",
    "record",
    "constraints",
    "numberer",
    "system",
    "test",
    "algorithm",
    "region",
    "wipeAnalysis",
    "reset",
    "print",
    "printModel",
    "printA",
    "printB",
    "printGID",
    "save",
    "logFile",
    "reactions",
    "modalProperties",
    "remove",
    "start",
    "stop",
    "setPrecision",
    "initialize",
    "setMaxOpenFiles",
    "defaultUnits",
    "database",
    "partition",
    "barrier",
    "setNumThread",
    "nodeReaction",
    "updateElementDomain",
    "domainChange",
    "responseSpectrumAnalysis",
];

impl Reader {
    pub(super) fn analysis(
        &mut self,
        name: &str,
        arguments: &mut Arguments,
        place: Place,
    ) -> Result<Answer, ScriptError> {
        match name {
            "rayleigh" => {
                let factors = arguments.numbers("a factor of the damping")?;
                self.model.rayleigh = Some((factors, place));
                Ok(Answer::Nothing)
            }
            "modalDamping" => {
                self.model.modal = Some((arguments.rest(), place));
                Ok(Answer::Nothing)
            }
            "eigen" => {
                let mut count = None;
                while let Some(next) = arguments.any() {
                    if let Argument::Number(value) = next {
                        count = Some(value);
                    }
                }
                let count = count.ok_or(ScriptError::Missing("the number of modes".into()))?;
                let count = (1..=1000_u16)
                    .find(|n| (f64::from(*n) - count).abs() <= 0.0)
                    .ok_or(ScriptError::Contradiction(
                        "the number of modes should lie between 1 and 1000".into(),
                    ))?;
                (self.eigenvalues)(&self.model, usize::from(count)).map(Answer::Numbers)
            }
            "integrator" => {
                let kind = arguments.text("the integrator")?;
                let mut rest = Vec::new();
                while arguments.left() > 0 {
                    rest.push(arguments.text("")?);
                }
                if kind == "LoadControl" {
                    let first = rest.first().and_then(|text| text.parse().ok());
                    self.model.analysis.increment = first.unwrap_or(0.0);
                }
                self.model.analysis.integrator = Some((kind, rest));
                Ok(Answer::Nothing)
            }
            "analysis" => Ok(Answer::Nothing),
            "analyze" => self.analyze(arguments, place),
            "getTime" => Ok(Answer::Number(self.model.analysis.time)),
            "getNodeTags" => Ok(Answer::Tags(self.model.nodes.keys().copied().collect())),
            "getEleTags" => Ok(Answer::Tags(self.model.elements.keys().copied().collect())),
            "nodeCoord" => {
                let tag = arguments.tag("the node")?;
                let node = self
                    .model
                    .nodes
                    .get(&tag)
                    .ok_or_else(|| ScriptError::NotThere(format!("node {tag}").into()))?;
                let at = &node.at[..self.model.size().0];
                match arguments.optional() {
                    None => Ok(Answer::Numbers(at.to_vec())),
                    Some(axis) => at
                        .iter()
                        .zip([1.0_f64, 2.0, 3.0])
                        .find(|(_, own)| (own - axis).abs() <= 0.0)
                        .map(|(value, _)| Answer::Number(*value))
                        .ok_or_else(|| {
                            ScriptError::Contradiction("there is no such coordinate".into())
                        }),
                }
            }
            "setTime" => {
                self.model.analysis.time = arguments.number("the time")?;
                Ok(Answer::Nothing)
            }
            "nodeDisp" | "nodeVel" | "nodeAccel" | "eleForce" | "eleResponse" | "basicForce"
            | "basicDeformation" | "localForce" | "nodeEigenvector" | "sectionForce"
            | "sectionDeformation" | "getLoadFactor" => Err(ScriptError::NotInAPlan(
                "results are not known while a model is imported; nothing is analysed".into(),
            )),
            name if IGNORED.contains(&name) => self.ignore(place, name),
            name => Err(ScriptError::NotKnown(format!("the command {name}").into())),
        }
    }

    /// Counts steps; nothing is solved. Success is answered, so that scripts take their usual path.
    fn analyze(&mut self, arguments: &mut Arguments, place: Place) -> Result<Answer, ScriptError> {
        let count = arguments.number("the number of steps")?;
        let analysis = &mut self.model.analysis;
        match (arguments.optional(), &analysis.integrator) {
            (Some(dt), integrator) => {
                analysis.time += count * dt;
                match analysis.transient {
                    Some((step, steps)) if (step - dt).abs() <= 1e-9 * dt => {
                        analysis.transient = Some((step, steps + count));
                    }
                    Some(_) => self.assume(place, "analyze", "the first step size counts"),
                    None => {
                        analysis.stepping.clone_from(integrator);
                        analysis.transient = Some((dt, count));
                    }
                }
            }
            (None, Some((kind, _))) if kind != "LoadControl" => {
                return Err(ScriptError::NotInAPlan(
                    format!("a static analysis by {kind} (a push) has no place in a plan").into(),
                ));
            }
            (None, _) => {
                analysis.time += count * analysis.increment;
                let waiting = self
                    .model
                    .patterns
                    .iter()
                    .any(|pattern| pattern.frozen.is_none());
                if waiting {
                    self.model.analysis.static_steps += count;
                }
            }
        }
        Ok(Answer::Whole(0))
    }
}
