//! `modelDescription.xml` of an exported FMU.
//!
//! A value's reference is its place in the list of values plus one; an array's (FMI 3) is that of
//! its first value. Nought is time (FMI 3).

use std::fmt::Write as _;

use tandem_fmi::Version;

use super::content::Content;
use super::export::Kinds;
use tandem_fmi::models::{FmuModel, Role, Variable, places};

/// Name of the binary in every exported FMU.
pub const IDENTIFIER: &str = "tandem";

/// The units that blocks use: name, and exponents of kg, m, s.
const UNITS: &[(&str, [i8; 3])] = &[
    ("m", [0, 1, 0]),
    ("s", [0, 0, 1]),
    ("m/s", [0, 1, -1]),
    ("m/s2", [0, 1, -2]),
    ("N", [1, 1, -2]),
    ("J", [1, 2, -2]),
    ("m^2", [0, 2, 0]),
    ("m^2/s", [0, 2, -1]),
    ("s/kg", [-1, 0, 1]),
];

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Writes the description.
pub fn describe(content: &Content, block: &dyn FmuModel, version: Version, kinds: Kinds) -> String {
    match version {
        Version::Two => two(content, block, kinds),
        Version::Three => three(content, block, kinds),
    }
}

fn units(xml: &mut String, variables: &[Variable]) {
    let used: Vec<_> = UNITS
        .iter()
        .filter(|(name, _)| variables.iter().any(|v| v.unit == *name))
        .collect();
    xml.push_str("  <UnitDefinitions>\n");
    for (name, exponents) in used {
        let _ = write!(xml, "    <Unit name=\"{name}\"><BaseUnit");
        for (base, exponent) in ["kg", "m", "s"].iter().zip(exponents) {
            if *exponent != 0 {
                let _ = write!(xml, " {base}=\"{exponent}\"");
            }
        }
        xml.push_str("/></Unit>\n");
    }
    xml.push_str("  </UnitDefinitions>\n");
}

/// Whether a unit can be written: one that is not defined must not be.
fn is_defined(unit: &str) -> bool {
    UNITS.iter().any(|(name, _)| *name == unit)
}

/// Causality, variability and initial of a role. A state whose start can be given is exact.
fn words(role: Role) -> (&'static str, &'static str, Option<&'static str>) {
    match role {
        Role::Parameter => ("parameter", "fixed", Some("exact")),
        Role::Calculated => ("calculatedParameter", "fixed", Some("calculated")),
        Role::Input => ("input", "continuous", None),
        Role::Output => ("output", "continuous", Some("calculated")),
        Role::State => ("output", "continuous", Some("exact")),
        Role::Derivative(_) => ("local", "continuous", Some("calculated")),
    }
}

fn has_start(role: Role) -> bool {
    matches!(role, Role::Parameter | Role::Input | Role::State)
}

/// The start of one value: that of `H_in` is the identity, part by part.
fn start(content: &Content, variable: &Variable, index: usize) -> f64 {
    if variable.name != "H_in" {
        return variable.start;
    }
    let mut index = index;
    for (size, _, _) in &content.parts {
        if index < size * size {
            return f64::from(u8::from(index / size == index % size));
        }
        index -= size * size;
    }
    0.0
}

/// `name[2]`, `name[1,2]`, as the structured naming convention wants it; a derivative is
/// `der(name[2])`.
fn element(variable: &Variable, index: usize) -> String {
    let place = match variable.dimensions.as_slice() {
        [] => return variable.name.to_owned(),
        [_] => format!("[{}]", index + 1),
        [_, columns, ..] => format!("[{},{}]", index / columns + 1, index % columns + 1),
    };
    match variable
        .name
        .strip_prefix("der(")
        .and_then(|rest| rest.strip_suffix(')'))
    {
        Some(inner) => format!("der({inner}{place})"),
        None => format!("{}{place}", variable.name),
    }
}

/// The variables that a description shows: derivatives only where there is a model exchange.
fn shown(block: &dyn FmuModel, kinds: Kinds) -> Vec<usize> {
    let all = block.variables().iter().enumerate();
    let shown = all.filter(|(_, v)| kinds.model_exchange || !matches!(v.role, Role::Derivative(_)));
    shown.map(|(index, _)| index).collect()
}

fn two(content: &Content, block: &dyn FmuModel, kinds: Kinds) -> String {
    let variables = block.variables();
    let p = places(variables);
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <fmiModelDescription fmiVersion=\"2.0\" modelName=\"{}\" guid=\"{}\" \
         generationTool=\"Tandem {}\" variableNamingConvention=\"structured\" \
         numberOfEventIndicators=\"0\">\n",
        escape(&content.name),
        content.token(),
        env!("CARGO_PKG_VERSION")
    );
    if kinds.model_exchange {
        let _ = writeln!(
            xml,
            "  <ModelExchange modelIdentifier=\"{IDENTIFIER}\" canGetAndSetFMUstate=\"true\" \
            canSerializeFMUstate=\"true\" \
             providesDirectionalDerivative=\"true\"/>"
        );
    }
    if kinds.co_simulation {
        let _ = writeln!(
            xml,
            "  <CoSimulation modelIdentifier=\"{IDENTIFIER}\" \
            canHandleVariableCommunicationStepSize=\"false\" \
             canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"/>"
        );
    }
    units(&mut xml, variables);
    let _ = writeln!(
        xml,
        "  <DefaultExperiment startTime=\"0\" stepSize=\"{}\"/>",
        content.dt
    );
    xml.push_str("  <ModelVariables>\n");
    let shown = shown(block, kinds);
    let mut unknowns: [Vec<usize>; 3] = Default::default();
    let mut number = 0_usize;
    // Numbers in the list are those of the places only while nothing is left out before them;
    // derivatives come last.
    for index in &shown {
        let variable = &variables[*index];
        let (causality, variability, initial) = words(variable.role);
        for k in 0..variable.size() {
            number += 1;
            let reference = p[*index].start + k + 1;
            let initial = initial.map_or(String::new(), |text| format!(" initial=\"{text}\""));
            let mut real = String::new();
            if is_defined(variable.unit) {
                let _ = write!(real, " unit=\"{}\"", variable.unit);
            }
            if has_start(variable.role) {
                let _ = write!(real, " start=\"{}\"", start(content, variable, k));
            }
            if let Role::Derivative(of) = variable.role {
                let _ = write!(real, " derivative=\"{}\"", p[of].start + k + 1);
                unknowns[1].push(number);
            }
            if causality == "output" {
                unknowns[0].push(number);
            }
            if initial.contains("calculated") {
                unknowns[2].push(number);
            }
            let _ = writeln!(
                xml,
                "    <ScalarVariable name=\"{}\" valueReference=\"{reference}\" \
                causality=\"{causality}\" \
                 variability=\"{variability}\"{initial} \
                 description=\"{}\"><Real{real}/></ScalarVariable>",
                element(variable, k),
                escape(variable.about)
            );
        }
    }
    xml.push_str("  </ModelVariables>\n  <ModelStructure>\n");
    // In co-simulation alone no output hangs on an input within a step; else nothing is said, which
    // means on all.
    let nothing = if kinds.model_exchange {
        ""
    } else {
        " dependencies=\"\""
    };
    for (name, list) in ["Outputs", "Derivatives", "InitialUnknowns"]
        .iter()
        .zip(&unknowns)
    {
        if list.is_empty() {
            continue;
        }
        let _ = writeln!(xml, "    <{name}>");
        for number in list {
            let dependencies = if *name == "Outputs" { nothing } else { "" };
            let _ = writeln!(xml, "      <Unknown index=\"{number}\"{dependencies}/>");
        }
        let _ = writeln!(xml, "    </{name}>");
    }
    xml.push_str("  </ModelStructure>\n</fmiModelDescription>\n");
    xml
}

fn three(content: &Content, block: &dyn FmuModel, kinds: Kinds) -> String {
    let variables = block.variables();
    let p = places(variables);
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <fmiModelDescription fmiVersion=\"3.0\" modelName=\"{}\" \
         instantiationToken=\"{}\" generationTool=\"Tandem {}\" \
         variableNamingConvention=\"structured\">\n",
        escape(&content.name),
        content.token(),
        env!("CARGO_PKG_VERSION")
    );
    if kinds.model_exchange {
        // What yields keeps its history at a completed step, and the default of FMI 3 is that
        // nobody tells of one.
        let _ = writeln!(
            xml,
            "  <ModelExchange modelIdentifier=\"{IDENTIFIER}\" canGetAndSetFMUState=\"true\" \
            canSerializeFMUState=\"true\" \
             needsCompletedIntegratorStep=\"true\" providesDirectionalDerivatives=\"true\"/>"
        );
    }
    if kinds.co_simulation {
        let _ = writeln!(
            xml,
            "  <CoSimulation modelIdentifier=\"{IDENTIFIER}\" \
            canHandleVariableCommunicationStepSize=\"false\" \
             canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" \
             fixedInternalStepSize=\"{}\"/>",
            content.dt
        );
    }
    units(&mut xml, variables);
    let _ = writeln!(
        xml,
        "  <DefaultExperiment startTime=\"0\" stepSize=\"{}\"/>",
        content.dt
    );
    xml.push_str("  <ModelVariables>\n");
    xml.push_str(
        "    <Float64 name=\"time\" valueReference=\"0\" causality=\"independent\" \
        variability=\"continuous\" description=\"time\"/>\n",
    );
    let shown = shown(block, kinds);
    for index in &shown {
        float64(&mut xml, content, variables, *index);
    }
    xml.push_str("  </ModelVariables>\n  <ModelStructure>\n");
    let nothing = if kinds.model_exchange {
        ""
    } else {
        " dependencies=\"\""
    };
    for index in &shown {
        if words(variables[*index].role).0 == "output" {
            let _ = writeln!(
                xml,
                "    <Output valueReference=\"{}\"{nothing}/>",
                p[*index].start + 1
            );
        }
    }
    for index in &shown {
        if let Role::Derivative(_) = variables[*index].role {
            let reference = p[*index].start + 1;
            let _ = writeln!(
                xml,
                "    <ContinuousStateDerivative valueReference=\"{reference}\"/>"
            );
        }
    }
    for index in &shown {
        if words(variables[*index].role).2 == Some("calculated") {
            let reference = p[*index].start + 1;
            let _ = writeln!(xml, "    <InitialUnknown valueReference=\"{reference}\"/>");
        }
    }
    xml.push_str("  </ModelStructure>\n</fmiModelDescription>\n");
    xml
}

/// A variable of FMI 3.
fn float64(xml: &mut String, content: &Content, variables: &[Variable], index: usize) {
    let p = places(variables);
    let variable = &variables[index];
    let (causality, variability, initial) = words(variable.role);
    let reference = p[index].start + 1;
    let mut attributes = String::new();
    if let Some(initial) = initial {
        let _ = write!(attributes, " initial=\"{initial}\"");
    }
    if is_defined(variable.unit) {
        let _ = write!(attributes, " unit=\"{}\"", variable.unit);
    }
    if has_start(variable.role) {
        let values: Vec<String> = (0..variable.size())
            .map(|k| start(content, variable, k).to_string())
            .collect();
        let _ = write!(attributes, " start=\"{}\"", values.join(" "));
    }
    if let Role::Derivative(of) = variable.role {
        let _ = write!(attributes, " derivative=\"{}\"", p[of].start + 1);
    }
    let _ = write!(
        xml,
        "    <Float64 name=\"{}\" valueReference=\"{reference}\" causality=\"{causality}\" \
         variability=\"{variability}\"{attributes} description=\"{}\"",
        variable.name,
        escape(variable.about)
    );
    if variable.dimensions.is_empty() {
        xml.push_str("/>\n");
    } else {
        xml.push('>');
        for size in &variable.dimensions {
            let _ = write!(xml, "<Dimension start=\"{size}\"/>");
        }
        xml.push_str("</Float64>\n");
    }
}
