//! The reader of `modelDescription.xml`.

use std::collections::HashMap;

use roxmltree::{Document, Node, ParsingOptions};

use super::variable::number;
use super::{
    Causality, Description, Dimension, Experiment, Offer, State, Variability, Variable,
    VariableType, Version,
};
use crate::{FmuError, Result};

/// More nodes than any tool writes; a bound on what a hostile file can cost.
const MOST_NODES: u32 = 20_000_000;
/// Deeper nesting than any description has. The parser works down the tree by recursion.
const DEEPEST: usize = 100;

/// Reads XML from a stranger, within bounds.
pub(crate) fn document(xml: &str) -> Result<Document<'_>> {
    let xml = xml.trim_start_matches('\u{feff}');
    check_depth(xml)?;
    // Some tools write a DTD; its entities are bounded by the parser (no recursion, no expansion
    // without end).
    let options = ParsingOptions {
        allow_dtd: true,
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(xml, options)
        .map_err(|error| FmuError::description(format!("this is not well-formed XML: {error}")))
}

pub(super) fn parse(xml: &str) -> Result<Description> {
    let document = document(xml)?;
    let root = document.root_element();
    if root.tag_name().name() != "fmiModelDescription" {
        return Err(at(
            &root,
            format!(
                "the root element is <{}>; <fmiModelDescription> was expected",
                root.tag_name().name()
            ),
        ));
    }
    let version_text = needed(&root, "fmiVersion")?.to_owned();
    let version = match version_text.as_str() {
        "2.0" => Version::Two,
        text if text.starts_with("3.") => Version::Three,
        other => {
            return Err(at(
                &root,
                format!("FMI {other} is not read here; 2.0 and 3.x are"),
            ));
        }
    };
    let token = needed(
        &root,
        match version {
            Version::Two => "guid",
            Version::Three => "instantiationToken",
        },
    )?
    .to_owned();
    let variables = variables(&root, version)?;
    let structure = structure(&root, version, &variables)?;
    let description = Description {
        version,
        version_text,
        model: needed(&root, "modelName")?.to_owned(),
        token,
        about: text(&root, "description"),
        tool: text(&root, "generationTool"),
        co_simulation: offer(&root, "CoSimulation", version)?,
        model_exchange: offer(&root, "ModelExchange", version)?,
        scheduled_execution: child(&root, "ScheduledExecution").is_some(),
        indicators: match version {
            Version::Two => match root.attribute("numberOfEventIndicators") {
                Some(count) => count
                    .trim()
                    .parse()
                    .ok()
                    .filter(|n| *n <= super::MOST_VALUES)
                    .ok_or_else(|| {
                        at(
                            &root,
                            format!(
                                "numberOfEventIndicators = \"{count}\" is no count that is \
                                believed (at most {})",
                                super::MOST_VALUES
                            ),
                        )
                    })?,
                None => 0,
            },
            Version::Three => structure.indicators,
        },
        outputs: structure.outputs,
        states: structure.states,
        dependencies: structure.dependencies,
        variables,
        experiment: experiment(&root),
    };
    if description.co_simulation.is_none()
        && description.model_exchange.is_none()
        && !description.scheduled_execution
    {
        return Err(at(
            &root,
            "neither <CoSimulation> nor <ModelExchange> is there: nothing can be run",
        ));
    }
    Ok(description)
}

/// Refuses nesting that would exhaust the stack, before the parser sees it.
fn check_depth(xml: &str) -> Result<()> {
    let bytes = xml.as_bytes();
    let (mut depth, mut index) = (0_usize, 0_usize);
    while let Some(offset) = bytes
        .get(index..)
        .and_then(|rest| rest.iter().position(|b| *b == b'<'))
    {
        index += offset + 1;
        let rest = xml.get(index..).unwrap_or("");
        let skip = |end: &str| rest.find(end).map_or(rest.len(), |place| place + end.len());
        if rest.starts_with("!--") {
            index += skip("-->");
        } else if rest.starts_with("![CDATA[") {
            index += skip("]]>");
        } else if rest.starts_with('?') || rest.starts_with('!') {
            index += 1;
        } else if rest.starts_with('/') {
            depth = depth.saturating_sub(1);
        } else {
            let mut quote = None;
            let end = rest.bytes().position(|byte| match (quote, byte) {
                (Some(open), _) => {
                    if byte == open {
                        quote = None;
                    }
                    false
                }
                (None, b'"' | b'\'') => {
                    quote = Some(byte);
                    false
                }
                (None, b'>') => true,
                _ => false,
            });
            let Some(end) = end else { return Ok(()) };
            if !rest.get(..end).is_some_and(|tag| tag.ends_with('/')) {
                depth += 1;
            }
            if depth > DEEPEST {
                return Err(FmuError::description(format!(
                    "elements are nested more than {DEEPEST} deep"
                )));
            }
            index += end;
        }
    }
    Ok(())
}

pub(crate) fn at(node: &Node<'_, '_>, problem: impl Into<String>) -> FmuError {
    let place = node.document().text_pos_at(node.range().start);
    FmuError::Description {
        place: format!(" line {}", place.row),
        problem: problem.into(),
    }
}

fn child<'a, 'b>(node: &Node<'a, 'b>, name: &str) -> Option<Node<'a, 'b>> {
    node.children().find(|n| n.tag_name().name() == name)
}

fn needed<'a>(node: &Node<'a, '_>, name: &str) -> Result<&'a str> {
    node.attribute(name).ok_or_else(|| {
        at(
            node,
            format!("<{}> has no attribute `{name}`", node.tag_name().name()),
        )
    })
}

fn text(node: &Node<'_, '_>, name: &str) -> String {
    node.attribute(name).unwrap_or("").to_owned()
}

fn flag(node: &Node<'_, '_>, names: &[&str]) -> bool {
    names
        .iter()
        .filter_map(|name| node.attribute(*name))
        .any(|value| matches!(value, "true" | "1"))
}

fn offer(root: &Node<'_, '_>, element: &str, version: Version) -> Result<Option<Offer>> {
    let Some(node) = child(root, element) else {
        return Ok(None);
    };
    let identifier = needed(&node, "modelIdentifier")?.to_owned();
    // It becomes a file name.
    if identifier.is_empty()
        || identifier.contains(['/', '\\', '\0'])
        || identifier.starts_with('.')
    {
        return Err(at(
            &node,
            format!("modelIdentifier = \"{identifier}\" is no name of a model"),
        ));
    }
    Ok(Some(Offer {
        identifier,
        state: flag(&node, &["canGetAndSetFMUstate", "canGetAndSetFMUState"]),
        serialization: flag(&node, &["canSerializeFMUstate", "canSerializeFMUState"]),
        directional_derivatives: flag(
            &node,
            &[
                "providesDirectionalDerivative",
                "providesDirectionalDerivatives",
            ],
        ),
        adjoint_derivatives: flag(&node, &["providesAdjointDerivatives"]),
        once_per_process: flag(&node, &["canBeInstantiatedOnlyOncePerProcess"]),
        needs_tool: flag(&node, &["needsExecutionTool"]),
        variable_step: flag(&node, &["canHandleVariableCommunicationStepSize"]),
        event_mode: flag(&node, &["hasEventMode"]),
        early_return: flag(
            &node,
            &[
                "canReturnEarlyAfterIntermediateUpdate",
                "mightReturnEarlyFromDoStep",
            ],
        ),
        internal_step: node.attribute("fixedInternalStepSize").and_then(number),
        // The defaults are opposite: FMI 2 wants to be told of steps, FMI 3 does not.
        no_completed_step: match version {
            Version::Two => flag(&node, &["completedIntegratorStepNotNeeded"]),
            Version::Three => !flag(&node, &["needsCompletedIntegratorStep"]),
        },
    }))
}

fn experiment(root: &Node<'_, '_>) -> Experiment {
    let Some(node) = child(root, "DefaultExperiment") else {
        return Experiment::default();
    };
    let value = |name: &str| {
        node.attribute(name)
            .and_then(number)
            .filter(|x| x.is_finite())
    };
    Experiment {
        start: value("startTime"),
        stop: value("stopTime"),
        tolerance: value("tolerance"),
        step: value("stepSize"),
    }
}

fn variables(root: &Node<'_, '_>, version: Version) -> Result<Vec<Variable>> {
    let list =
        child(root, "ModelVariables").ok_or_else(|| at(root, "<ModelVariables> is missing"))?;
    let units = type_units(root);
    let mut variables = Vec::new();
    let mut derivatives = Vec::new();
    for node in list.children().filter(Node::is_element) {
        let (typed, kind) = match version {
            Version::Two => {
                let typed = node
                    .children()
                    .find_map(|n| Some((n, VariableType::of_element(n.tag_name().name())?)));
                match typed {
                    Some(found) => found,
                    None => return Err(at(&node, "a variable without a type")),
                }
            }
            Version::Three => match VariableType::of_element(node.tag_name().name()) {
                Some(kind) => (node, kind),
                None => continue,
            },
        };
        let mut variable = variable(&node, &typed, kind, version)?;
        if variable.unit.is_none() {
            let declared = typed.attribute("declaredType");
            let unit = declared.and_then(|name| units.get(name));
            variable.unit = unit.map(|unit| (*unit).to_owned());
        }
        if let Some(text) = typed.attribute("derivative") {
            let target: u32 = text
                .trim()
                .parse()
                .map_err(|_| at(&typed, format!("derivative = \"{text}\" is no variable")))?;
            derivatives.push((variables.len(), target));
        }
        // Other names of the same (FMI 3), perhaps to be shown in another unit: values are those of
        // the variable.
        let mut aliases = Vec::new();
        for alias in typed.children().filter(|n| n.tag_name().name() == "Alias") {
            aliases.push(Variable {
                name: needed(&alias, "name")?.to_owned(),
                about: text(&alias, "description"),
                ..variable.clone()
            });
        }
        variables.push(variable);
        variables.append(&mut aliases);
    }
    let by_reference = references(&variables);
    for (index, target) in derivatives {
        let of = match version {
            Version::Two => usize::try_from(target).ok().and_then(|i| i.checked_sub(1)),
            Version::Three => by_reference.get(&target).copied(),
        };
        match of.filter(|of| *of < variables.len()) {
            Some(of) => {
                if let Some(variable) = variables.get_mut(index) {
                    variable.derivative_of = Some(of);
                }
            }
            None => {
                return Err(at(
                    &list,
                    format!(
                        "a derivative is said to be that of variable {target}, which is not there"
                    ),
                ));
            }
        }
    }
    Ok(variables)
}

/// Units of the types that variables may refer to: `<SimpleType name><Real unit>` (FMI 2),
/// `<Float64Type name unit>` (FMI 3).
fn type_units<'a>(root: &Node<'a, '_>) -> HashMap<&'a str, &'a str> {
    let types = child(root, "TypeDefinitions").into_iter();
    let types = types.flat_map(|list| list.children().filter(Node::is_element));
    types
        .filter_map(|node| {
            let inner = || node.children().find_map(|n| n.attribute("unit"));
            let unit = node.attribute("unit").or_else(inner)?;
            Some((node.attribute("name")?, unit))
        })
        .collect()
}

fn variable(
    node: &Node<'_, '_>,
    typed: &Node<'_, '_>,
    kind: VariableType,
    version: Version,
) -> Result<Variable> {
    let reference = needed(node, "valueReference")?;
    let reference = reference.trim().parse().map_err(|_| {
        at(
            node,
            format!("valueReference = \"{reference}\" is no number"),
        )
    })?;
    let causality = match node.attribute("causality") {
        Some(text) => Causality::read(text)
            .ok_or_else(|| at(node, format!("causality = \"{text}\" is not known")))?,
        None => Causality::Local,
    };
    let variability = match node.attribute("variability") {
        Some(text) => Variability::read(text)
            .ok_or_else(|| at(node, format!("variability = \"{text}\" is not known")))?,
        None if causality == Causality::Parameter => Variability::Fixed,
        None if kind.is_float() => Variability::Continuous,
        None => Variability::Discrete,
    };
    let start = match typed.attribute("start") {
        Some(text)
            if version == Version::Three
                && kind != VariableType::String
                && kind != VariableType::Binary =>
        {
            text.split_whitespace().map(str::to_owned).collect()
        }
        Some(text) => vec![text.to_owned()],
        None => typed
            .children()
            .filter(|n| n.tag_name().name() == "Start")
            .filter_map(|n| n.attribute("value"))
            .map(str::to_owned)
            .collect(),
    };
    let mut dimensions = Vec::new();
    if version == Version::Three {
        for node in node
            .children()
            .filter(|n| n.tag_name().name() == "Dimension")
        {
            let parse = |text: &str| text.trim().parse().ok();
            let dimension = match (node.attribute("start"), node.attribute("valueReference")) {
                (Some(text), _) => parse(text).map(Dimension::Fixed),
                (None, Some(text)) => parse(text)
                    .and_then(|n| u32::try_from(n).ok())
                    .map(Dimension::Of),
                _ => None,
            };
            dimensions.push(dimension.ok_or_else(|| at(&node, "a dimension without a size"))?);
        }
    }
    Ok(Variable {
        name: needed(node, "name")?.to_owned(),
        reference,
        kind,
        causality,
        variability,
        initial: node.attribute("initial").map(str::to_owned),
        start,
        unit: typed.attribute("unit").map(str::to_owned),
        about: text(node, "description"),
        dimensions,
        derivative_of: None,
    })
}

fn references(variables: &[Variable]) -> HashMap<u32, usize> {
    let mut map = HashMap::new();
    for (index, variable) in variables.iter().enumerate() {
        // An alias has the reference of its original, which comes first.
        map.entry(variable.reference).or_insert(index);
    }
    map
}

struct Structure {
    outputs: Vec<usize>,
    states: Vec<State>,
    dependencies: Vec<Option<Vec<usize>>>,
    indicators: usize,
}

fn structure(root: &Node<'_, '_>, version: Version, variables: &[Variable]) -> Result<Structure> {
    let mut structure = Structure {
        outputs: Vec::new(),
        states: Vec::new(),
        dependencies: vec![None; variables.len()],
        indicators: 0,
    };
    let by_reference = references(variables);
    let index_of = |node: &Node<'_, '_>, text: &str| -> Result<usize> {
        let number: u32 = text
            .trim()
            .parse()
            .map_err(|_| at(node, format!("\"{text}\" names no variable")))?;
        match version {
            Version::Two => usize::try_from(number).ok().and_then(|i| i.checked_sub(1)),
            Version::Three => by_reference.get(&number).copied(),
        }
        .filter(|index| *index < variables.len())
        .ok_or_else(|| at(node, format!("there is no variable {number}")))
    };
    let mut unknown = |node: &Node<'_, '_>| -> Result<usize> {
        let text = match version {
            Version::Two => needed(node, "index")?,
            Version::Three => needed(node, "valueReference")?,
        };
        let index = index_of(node, text)?;
        if let Some(text) = node.attribute("dependencies") {
            let list: Result<Vec<_>> = text
                .split_whitespace()
                .map(|word| index_of(node, word))
                .collect();
            if let Some(place) = structure.dependencies.get_mut(index) {
                *place = Some(list?);
            }
        }
        Ok(index)
    };
    let (mut outputs, mut derivatives, mut indicators) = (Vec::new(), Vec::new(), 0);
    if let Some(model) = child(root, "ModelStructure") {
        match version {
            Version::Two => {
                for (element, list) in
                    [("Outputs", &mut outputs), ("Derivatives", &mut derivatives)]
                {
                    for node in child(&model, element)
                        .into_iter()
                        .flat_map(|n| n.children())
                        .filter(|n| n.tag_name().name() == "Unknown")
                    {
                        list.push(unknown(&node)?);
                    }
                }
            }
            Version::Three => {
                for node in model.children().filter(Node::is_element) {
                    match node.tag_name().name() {
                        "Output" => outputs.push(unknown(&node)?),
                        "ContinuousStateDerivative" => derivatives.push(unknown(&node)?),
                        "EventIndicator" => indicators += 1,
                        _ => {}
                    }
                }
            }
        }
    }
    if outputs.is_empty() {
        outputs = (0..variables.len())
            .filter(|i| {
                variables
                    .get(*i)
                    .is_some_and(|v| v.causality == Causality::Output)
            })
            .collect();
    }
    for derivative in derivatives {
        let of = variables.get(derivative).and_then(|v| v.derivative_of);
        let Some(variable) = of else {
            let name = variables.get(derivative).map_or("", |v| v.name.as_str());
            return Err(FmuError::description(format!(
                "`{name}` is listed among the derivatives, but does not say of which state"
            )));
        };
        structure.states.push(State {
            variable,
            derivative,
        });
    }
    structure.outputs = outputs;
    structure.indicators = indicators;
    Ok(structure)
}
