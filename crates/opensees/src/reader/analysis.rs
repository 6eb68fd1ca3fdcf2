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

/// Integrators of static analyses, and those of histories that a plan has.
const INTEGRATORS: &[&str] = &[
    "LoadControl",
    "DisplacementControl",
    "ParallelDisplacementControl",
    "ArcLength",
    "ArcLength1",
    "HSConstraint",
    "MinUnbalDispNorm",
    "LoadPath",
    "EQPath",
    "Newmark",
    "NewmarkExplicit",
    "CentralDifference",
    "HHT",
    "HHT_TP",
    "AlphaOS",
    "AlphaOS_TP",
    "GeneralizedAlpha",
    "HHTGeneralized",
    "HHTGeneralized_TP",
    "KRAlphaExplicit",
    "KRAlphaExplicit_TP",
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
                if !INTEGRATORS.contains(&kind.as_str()) {
                    self.model.analysis.integrator = None;
                    return Err(ScriptError::NoCounterpart(
                        format!(
                            "the integrator {kind} (average acceleration takes its place in a \
                             history)"
                        )
                        .into(),
                    ));
                }
                if kind == "LoadControl" {
                    let first = rest.first().and_then(|text| text.parse().ok());
                    self.model.analysis.increment = first.unwrap_or(0.0);
                }
                self.model.analysis.integrator = Some((kind, rest));
                Ok(Answer::Nothing)
            }
            // A region of output or of damping: only the second is one of the model.
            "region" => {
                let mut words = std::iter::from_fn(|| arguments.any());
                let damped = words.any(
                    |word| matches!(word, Argument::Text(text) if text.starts_with("-rayleigh")),
                );
                if damped {
                    return Err(ScriptError::NotInAPlan(
                        "damping of a part of the structure has no place in a plan; it is left out"
                            .into(),
                    ));
                }
                self.ignore(place, name)
            }
            "remove" => {
                let what = arguments.text("what to take away")?;
                if matches!(what.as_str(), "recorder" | "recorders") {
                    return self.ignore(place, name);
                }
                Err(ScriptError::NotInAPlan(
                    format!("what is taken away again ({what}) stays in the plan").into(),
                ))
            }
            "analysis" => Ok(Answer::Nothing),
            "analyze" => self.analyze(arguments, place),
            "getTime" => Ok(Answer::Number(self.model.analysis.time)),
            "getNodeTags" => Ok(Answer::Tags(self.model.nodes.keys().copied().collect())),
            "getEleTags" => Ok(Answer::Tags(self.model.elements.keys().copied().collect())),
            "getNDM" | "getNDF" => {
                let (dimensions, freedoms) = self.model.size();
                let count = if name == "getNDM" {
                    dimensions
                } else {
                    freedoms
                };
                Ok(Answer::Tags(vec![i64::try_from(count).unwrap_or(0)]))
            }
            "nodeMass" => {
                let (tag, dof) = (arguments.tag("the node")?, arguments.optional());
                let mass = &self.node_of(tag)?.mass;
                match dof {
                    None => Ok(Answer::Numbers(mass.clone())),
                    Some(dof) => mass
                        .iter()
                        .zip(1_u8..)
                        .find(|(_, own)| (f64::from(*own) - dof).abs() <= 0.0)
                        .map(|(mass, _)| Answer::Number(*mass))
                        .ok_or(ScriptError::NotThere("this degree of freedom".into())),
                }
            }
            "nodeBounds" => {
                let mut bounds = [f64::INFINITY; 6];
                bounds[3..].fill(f64::NEG_INFINITY);
                for node in self.model.nodes.values() {
                    for (k, x) in node.at.iter().enumerate() {
                        bounds[k] = bounds[k].min(*x);
                        bounds[k + 3] = bounds[k + 3].max(*x);
                    }
                }
                if self.model.nodes.is_empty() {
                    bounds.fill(0.0);
                }
                Ok(Answer::Numbers(bounds.to_vec()))
            }
            "eleNodes" => {
                let tag = arguments.tag("the element")?;
                let element = self.model.elements.get(&tag);
                element
                    .map(|element| Answer::Tags(element.nodes.to_vec()))
                    .ok_or_else(|| ScriptError::NotUnderstood(format!("element {tag}").into()))
            }
            "getPID" => Ok(Answer::Whole(0)),
            "getNP" => Ok(Answer::Whole(1)),
            "nodeCoord" => {
                let tag = arguments.tag("the node")?;
                let at = &self.node_of(tag)?.at[..self.model.size().0];
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
