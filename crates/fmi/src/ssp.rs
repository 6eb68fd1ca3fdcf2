//! System structures (SSP 1.0, .ssp): which FMUs there are, how they are wired, what they start
//! with.

use roxmltree::Node;

use crate::description::read::{at, document};
use crate::{Archive, FmuError, Result};

/// The description inside the archive.
const DESCRIPTION: &str = "SystemStructure.ssd";

/// A system of FMUs, its nested systems opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    /// Its name.
    pub name: String,
    /// The FMUs, in the order of the file.
    pub components: Vec<Component>,
    /// From an output to an input, each as component (index) and variable.
    pub connections: Vec<((usize, String), (usize, String))>,
    /// End of the default experiment, s.
    pub stop: Option<f64>,
    /// What the file says and this reader does not follow.
    pub not_understood: Vec<String>,
}

/// An FMU of a system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Component {
    /// Name with those of the systems around it, joined by `-`.
    pub name: String,
    /// Path inside the archive.
    pub source: String,
    /// Start values.
    pub starts: Vec<(String, String)>,
}

/// An end of a connection before nested systems are opened: element (a path of names) and
/// connector.
type End = (Vec<String>, String);

#[derive(Default)]
struct Found {
    system: System,
    paths: Vec<Vec<String>>,
    /// All elements, systems as well, with the connectors that they list; an empty list says
    /// nothing.
    elements: Vec<(Vec<String>, Vec<String>)>,
    units: Vec<(End, String)>,
    wires: Vec<(End, End)>,
    parameters: Vec<(Vec<String>, String, String)>,
}

impl System {
    /// Reads the description of an archive; parameter sets of their own files as well.
    pub fn read(archive: &mut Archive) -> Result<Self> {
        let text = archive.text(DESCRIPTION)?;
        Self::parse(&text, &mut |name| archive.text(name))
    }

    /// Reads a description; `file` gives the text of another file of the archive.
    pub fn parse(xml: &str, file: &mut dyn FnMut(&str) -> Result<String>) -> Result<Self> {
        Self::parsed(xml, file).map_err(|error| match error {
            // The reader is that of model descriptions, the file is not.
            FmuError::Description { place, problem } => {
                FmuError::Reported(format!("{DESCRIPTION}{place}: {problem}"))
            }
            other => other,
        })
    }

    fn parsed(xml: &str, file: &mut dyn FnMut(&str) -> Result<String>) -> Result<Self> {
        let document = document(xml)?;
        let root = document.root_element();
        if root.tag_name().name() != "SystemStructureDescription" {
            return Err(at(
                &root,
                "the root element is not <SystemStructureDescription>",
            ));
        }
        let mut found = Found::default();
        if let Some(experiment) = child(&root, "DefaultExperiment") {
            let number = |name| {
                experiment
                    .attribute(name)
                    .and_then(crate::description_number)
            };
            found.system.stop = number("stopTime");
            if number("startTime").is_some_and(|start| start != 0.0) {
                return Err(at(
                    &experiment,
                    "the experiment starts at another time than 0; shift it, since tests begin at \
                    0",
                ));
            }
        }
        let system = child(&root, "System").ok_or_else(|| at(&root, "there is no <System>"))?;
        found.system.name = system
            .attribute("name")
            .or(root.attribute("name"))
            .unwrap_or("system")
            .to_owned();
        found.system_of(&system, &[], file)?;
        found.resolve()
    }
}

fn child<'a, 'i>(node: &Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|n| n.tag_name().name() == name)
}

fn children<'a, 'i: 'a>(
    node: &Node<'a, 'i>,
    list: &str,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'i>> {
    let list = child(node, list);
    let all = list.into_iter().flat_map(|list| list.children());
    all.filter(move |n| n.tag_name().name() == name)
}

/// Whether something on a connection makes other values of those that come in. Left out, the
/// numbers would be wrong without a word.
fn changes_values(inside: &Node<'_, '_>) -> bool {
    let name = inside.tag_name().name();
    let is = |attribute, value: f64| {
        let given = inside.attribute(attribute);
        given.is_none_or(|text| crate::description_number(text) == Some(value))
    };
    match name {
        "LinearTransformation" => !(is("factor", 1.0) && is("offset", 0.0)),
        _ => name.ends_with("Transformation"),
    }
}

impl Found {
    /// A system with all that is in it; `path` names it.
    fn system_of(
        &mut self,
        system: &Node<'_, '_>,
        path: &[String],
        file: &mut dyn FnMut(&str) -> Result<String>,
    ) -> Result<()> {
        self.parameters_of(system, path, file)?;
        self.element(system, path)?;
        let elements = child(system, "Elements");
        for element in elements
            .iter()
            .flat_map(Node::children)
            .filter(Node::is_element)
        {
            let name = element
                .attribute("name")
                .ok_or_else(|| at(&element, "an element without a name"))?;
            let own = [path, &[name.to_owned()]].concat();
            match element.tag_name().name() {
                "System" => self.system_of(&element, &own, file)?,
                "Component" => self.component(&element, own, file)?,
                other => self
                    .system
                    .not_understood
                    .push(format!("<{other}> `{name}`")),
            }
        }
        for connection in children(system, "Connections", "Connection") {
            self.connection(&connection, path)?;
        }
        Ok(())
    }

    /// An FMU of the system; `own`: its path.
    fn component(
        &mut self,
        element: &Node<'_, '_>,
        own: Vec<String>,
        file: &mut dyn FnMut(&str) -> Result<String>,
    ) -> Result<()> {
        let name = own.last().map_or("", String::as_str);
        let kind = element
            .attribute("type")
            .unwrap_or("application/x-fmu-sharedlibrary");
        if kind != "application/x-fmu-sharedlibrary" {
            return Err(at(
                element,
                format!("`{name}` is of type {kind}; only FMUs can be stepped"),
            ));
        }
        if element.attribute("implementation") == Some("ModelExchange") {
            self.system.not_understood.push(format!(
                "implementation=\"ModelExchange\" of `{name}`: its Co-Simulation is stepped"
            ));
        }
        let source = element
            .attribute("source")
            .ok_or_else(|| at(element, format!("`{name}` has no source")))?;
        self.parameters_of(element, &own, file)?;
        self.element(element, &own)?;
        let joined = own.join("-");
        if self.system.components.iter().any(|c| c.name == joined) {
            return Err(at(
                element,
                format!("two components are named `{joined}`; rename one of them"),
            ));
        }
        self.system.components.push(Component {
            name: joined,
            source: source.trim_start_matches("./").to_owned(),
            starts: Vec::new(),
        });
        self.paths.push(own);
        Ok(())
    }

    /// A connection between elements of the system at this path.
    fn connection(&mut self, connection: &Node<'_, '_>, path: &[String]) -> Result<()> {
        let end = |element: &str, connector: &str| -> Result<End> {
            let connector = connection
                .attribute(connector)
                .ok_or_else(|| at(connection, format!("a connection without {connector}")))?;
            let mut at = path.to_vec();
            at.extend(connection.attribute(element).map(str::to_owned));
            Ok((at, connector.to_owned()))
        };
        let from = end("startElement", "startConnector")?;
        let to = end("endElement", "endConnector")?;
        for inside in connection.children().filter(Node::is_element) {
            let name = inside.tag_name().name();
            let place = format!(
                "<{name}> on the connection from {}.{} to {}.{}",
                from.0.join("."),
                from.1,
                to.0.join("."),
                to.1
            );
            if changes_values(&inside) {
                return Err(at(
                    &inside,
                    format!(
                        "{place}: a connection of a plan carries values as they are; put the \
                        conversion into one of the FMUs"
                    ),
                ));
            }
            // How a line is drawn, and what a tool keeps for itself, is of no use here.
            let known = ["ConnectionGeometry", "Annotations", "LinearTransformation"];
            if !known.contains(&name) {
                self.system.not_understood.push(place);
            }
        }
        self.check_end(connection, &from)?;
        self.check_end(connection, &to)?;
        let as_they_are = connection.attribute("suppressUnitConversion") == Some("true");
        if let (Some(a), Some(b)) = (self.unit(&from), self.unit(&to))
            && a != b
            && !as_they_are
        {
            return Err(at(
                connection,
                format!(
                    "`{}` is in {a}, `{}` in {b}; units are not converted here: make them the \
                    same, or write suppressUnitConversion=\"true\"",
                    from.1, to.1
                ),
            ));
        }
        self.wires.push((from, to));
        Ok(())
    }

    /// Takes an element down, with the connectors that it lists.
    fn element(&mut self, element: &Node<'_, '_>, path: &[String]) -> Result<()> {
        if self.elements.iter().any(|(own, _)| own == path) {
            return Err(at(
                element,
                format!(
                    "two elements are named `{}`; rename one of them",
                    path.join(".")
                ),
            ));
        }
        let mut names = Vec::new();
        for connector in children(element, "Connectors", "Connector") {
            let Some(name) = connector.attribute("name") else {
                continue;
            };
            names.push(name.to_owned());
            if let Some(unit) = connector.children().find_map(|n| n.attribute("unit")) {
                let end = (path.to_vec(), name.to_owned());
                self.units.push((end, unit.to_owned()));
            }
        }
        self.elements.push((path.to_vec(), names));
        Ok(())
    }

    /// The unit of a connector, where it has one.
    fn unit(&self, end: &End) -> Option<&str> {
        let found = self.units.iter().find(|(own, _)| own == end);
        found.map(|(_, unit)| unit.as_str())
    }

    /// Whether an end of a connection is there.
    fn check_end(&self, connection: &Node<'_, '_>, (path, connector): &End) -> Result<()> {
        let word = |path: &[String]| match path {
            [] => "the system itself".to_owned(),
            path => format!("`{}`", path.join(".")),
        };
        let Some((_, known)) = self.elements.iter().find(|(own, _)| own == path) else {
            let near: Vec<String> = self.elements.iter().map(|(own, _)| word(own)).collect();
            let problem = format!(
                "a connection names the element {}, which is not there; there are {}",
                word(path),
                near.join(", ")
            );
            return Err(at(connection, problem));
        };
        if known.is_empty() || known.iter().any(|name| name == connector) {
            return Ok(());
        }
        let problem = format!(
            "a connection names the connector `{connector}` of {}, which lists {}",
            word(path),
            known.join(", ")
        );
        Err(at(connection, problem))
    }

    /// Parameter sets that are bound to an element, in the file or in one of their own.
    fn parameters_of(
        &mut self,
        element: &Node<'_, '_>,
        path: &[String],
        file: &mut dyn FnMut(&str) -> Result<String>,
    ) -> Result<()> {
        for binding in children(element, "ParameterBindings", "ParameterBinding") {
            let prefix = binding.attribute("prefix").unwrap_or("");
            let mut take = |set: &Node<'_, '_>| {
                for parameter in children(set, "Parameters", "Parameter") {
                    let value = parameter
                        .children()
                        .find_map(|n| n.attribute("value").map(str::to_owned));
                    let name = parameter.attribute("name").unwrap_or("");
                    match value {
                        Some(value) => {
                            let name = format!("{prefix}{name}");
                            self.parameters.push((path.to_vec(), name, value));
                        }
                        None => self
                            .system
                            .not_understood
                            .push(format!("the parameter `{prefix}{name}` without a value")),
                    }
                }
            };
            if let Some(values) = child(&binding, "ParameterValues") {
                values
                    .children()
                    .filter(|n| n.tag_name().name() == "ParameterSet")
                    .for_each(|set| take(&set));
            }
            if let Some(source) = binding.attribute("source") {
                let text = file(source.trim_start_matches("./"))?;
                take(&document(&text)?.root_element());
            }
            // Left out, the values would reach other parameters than they are meant for, or miss a
            // conversion.
            if let Some(mapping) = child(&binding, "ParameterMapping") {
                return Err(at(
                    &mapping,
                    "<ParameterMapping>: parameters of a plan go by the names that the FMU gives \
                    them; write those names, with converted values, into the parameter \
                    set"
                    .to_owned(),
                ));
            }
        }
        Ok(())
    }

    /// Leads wires through the connectors of nested systems, and parameters to their components.
    fn resolve(mut self) -> Result<System> {
        let index = |path: &[String]| self.paths.iter().position(|own| own == path);
        for (from, to) in &self.wires {
            let Some(taker) = index(&to.0) else {
                // Ends at a connector of a system: followed from its other side, where there is
                // one.
                if !to.0.is_empty() && !self.wires.iter().any(|(start, _)| start == to) {
                    self.system.not_understood.push(format!(
                        "the connection from {}.{} ends at {}.{}, which nobody takes from",
                        from.0.join("."),
                        from.1,
                        to.0.join("."),
                        to.1
                    ));
                }
                continue;
            };
            let mut start = from;
            let mut rounds = 0;
            while index(&start.0).is_none() {
                rounds += 1;
                match self.wires.iter().find(|(_, end)| end == start) {
                    Some((before, _)) if rounds <= self.wires.len() => start = before,
                    _ => break,
                }
            }
            match index(&start.0) {
                Some(giver) => self
                    .system
                    .connections
                    .push(((giver, start.1.clone()), (taker, to.1.clone()))),
                None => self.system.not_understood.push(format!(
                    "the input {}.{} comes from outside: {}",
                    to.0.join("."),
                    to.1,
                    start.1
                )),
            }
        }
        for (path, name, value) in &self.parameters {
            // `component.variable` in a system, `variable` at the component itself.
            let owner = self.paths.iter().enumerate().find_map(|(i, own)| {
                let rest = own.strip_prefix(path.as_slice())?;
                let head = rest.iter().map(|n| format!("{n}.")).collect::<String>();
                Some((i, name.strip_prefix(&head)?.to_owned()))
            });
            match owner {
                Some((i, variable)) => self.system.components[i]
                    .starts
                    .push((variable, value.clone())),
                None => self
                    .system
                    .not_understood
                    .push(format!("the parameter `{name}` belongs to no component")),
            }
        }
        if self.system.components.is_empty() {
            return Err(FmuError::description(
                "the system has no components".to_owned(),
            ));
        }
        Ok(self.system)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const NESTED: &str = r#"<?xml version="1.0"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
  xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="n">
 <ssd:System name="all">
  <ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="p"><ssv:Parameters>
    <ssv:Parameter name="a.k"><ssv:Real value="2.5"/></ssv:Parameter><ssv:Parameter name="in.b.m"><ssv:Real value="3"/></ssv:Parameter>
    <ssv:Parameter name="nobody.x"><ssv:Real value="1"/></ssv:Parameter>
  </ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>
  <ssd:Elements>
   <ssd:Component name="a" source="resources/a.fmu"/>
   <ssd:System name="in">
    <ssd:Elements><ssd:Component name="b" source="./resources/b.fmu">
      <ssd:ParameterBindings><ssd:ParameterBinding source="b.ssv"/></ssd:ParameterBindings></ssd:Component></ssd:Elements>
    <ssd:Connections>
     <ssd:Connection startConnector="u" endElement="b" endConnector="force"/>
     <ssd:Connection startElement="b" startConnector="x" endConnector="y"/>
    </ssd:Connections>
   </ssd:System>
  </ssd:Elements>
  <ssd:Connections>
   <ssd:Connection startElement="a" startConnector="f" endElement="in" endConnector="u"/>
   <ssd:Connection startElement="in" startConnector="y" endElement="a" endConnector="x"/>
   <ssd:Connection startConnector="wind" endElement="a" endConnector="w"/>
  </ssd:Connections>
 </ssd:System>
 <ssd:DefaultExperiment startTime="0" stopTime="2.5"/>
</ssd:SystemStructureDescription>"#;

    #[test]
    fn nested_systems_are_opened_and_parameters_find_their_component() {
        let mut file = |name: &str| {
            assert_eq!(name, "b.ssv");
            Ok(
                "<s:ParameterSet xmlns:s=\"x\"><s:Parameters><s:Parameter name=\"c\"><s:Real \
                value=\"7\"/></s:Parameter></s:Parameters></s:ParameterSet>"
                    .to_owned(),
            )
        };
        let system = System::parse(NESTED, &mut file).unwrap();
        let names: Vec<&str> = system.components.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["a", "in-b"]);
        assert_eq!(system.components[1].source, "resources/b.fmu");
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(system.components[0].starts, [pair("k", "2.5")]);
        assert_eq!(
            system.components[1].starts,
            [pair("m", "3"), pair("c", "7")]
        );
        assert_eq!(
            system.connections,
            [
                ((0, "f".to_owned()), (1, "force".to_owned())),
                ((1, "x".to_owned()), (0, "x".to_owned()))
            ]
        );
        assert_eq!(system.stop, Some(2.5));
        let list = system.not_understood.join("; ");
        assert!(list.contains("wind") && list.contains("nobody.x"), "{list}");
    }

    #[test]
    fn a_wrong_description_is_refused_with_its_line() {
        let mut none = |_: &str| Ok(String::new());
        for (xml, reason) in [
            ("<a/>", "SystemStructureDescription"),
            ("<SystemStructureDescription/>", "no <System>"),
            (
                "<SystemStructureDescription><System><Elements><Component name=\"a\" \
                source=\"a.fmu\"/></Elements></System><DefaultExperiment startTime=\"5\" \
                stopTime=\"6\"/></SystemStructureDescription>",
                "starts at another time",
            ),
            (
                "<SystemStructureDescription><System><Elements>\
                 <Component name=\"a\" source=\"a.fmu\"><Connectors><Connector name=\"x\"><Real \
                 unit=\"mm\"/></Connector></Connectors></Component>\
                 <Component name=\"b\" source=\"b.fmu\"><Connectors><Connector name=\"u\"><Real \
                 unit=\"m\"/></Connector></Connectors></Component></Elements>\
                 <Connections><Connection startElement=\"a\" startConnector=\"x\" endElement=\"b\" \
                 endConnector=\"u\"/></Connections></System></SystemStructureDescription>",
                "`x` is in mm, `u` in m",
            ),
            (
                "<SystemStructureDescription><System/></SystemStructureDescription>",
                "no components",
            ),
            (
                "<SystemStructureDescription><System><Elements><Component \
                name=\"a\"/></Elements></System></SystemStructureDescription>",
                "no source",
            ),
            (
                "<SystemStructureDescription><System><Elements><Component name=\"a\" \
                source=\"a.fmu\"/><Component name=\"a\" \
                source=\"b.fmu\"/></Elements></System></SystemStructureDescription>",
                "two elements are named `a`",
            ),
            (
                "<SystemStructureDescription><System><Elements><Component name=\"s-a\" \
                source=\"a.fmu\"/><System name=\"s\"><Elements>\
                 <Component name=\"a\" \
                 source=\"b.fmu\"/></Elements></System></Elements></System>\
                 </SystemStructureDescription>",
                "two components are named `s-a`",
            ),
            (
                "<SystemStructureDescription><System><Elements><Component name=\"a\" \
                source=\"a.fmu\"/></Elements><Connections>\
                 <Connection startElement=\"a\" startConnector=\"x\" endElement=\"b\" \
                 endConnector=\"u\"/></Connections></System></SystemStructureDescription>",
                "names the element `b`, which is not there",
            ),
            (
                "<SystemStructureDescription><System><Elements><Component name=\"a\" \
                source=\"a.fmu\"><Connectors><Connector name=\"x\" kind=\"output\"/>\
                 <Connector name=\"u\" \
                 kind=\"input\"/></Connectors></Component></Elements><Connections>\
                 <Connection startElement=\"a\" startConnector=\"y\" endElement=\"a\" \
                 endConnector=\"u\"/></Connections></System></SystemStructureDescription>",
                "the connector `y` of `a`, which lists x, u",
            ),
            (
                "<SystemStructureDescription><System><Elements><Component name=\"a\" \
                type=\"application/x-ssp-package\" \
                source=\"a.ssp\"/></Elements></System></SystemStructureDescription>",
                "only FMUs",
            ),
        ] {
            let error = System::parse(xml, &mut none).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
            assert!(error.starts_with("SystemStructure.ssd"), "{error}");
        }
        // What would change values on the way is refused; what would not is passed over.
        let wired = |inside: &str| {
            format!(
                "<SystemStructureDescription><System><Elements><Component name=\"a\" \
                source=\"a.fmu\"/><Component name=\"b\" source=\"b.fmu\"/></Elements>\
                 <Connections><Connection startElement=\"a\" startConnector=\"x\" endElement=\"b\" \
                 endConnector=\"u\">{inside}</Connection></Connections>\
                 </System></SystemStructureDescription>"
            )
        };
        for inside in [
            "<LinearTransformation factor=\"1000\"/>",
            "<LinearTransformation offset=\"1\"/>",
            "<LinearTransformation factor=\"many\"/>",
            "<BooleanMappingTransformation><MapEntry source=\"true\" \
            target=\"false\"/></BooleanMappingTransformation>",
            "<IntegerMappingTransformation/>",
            "<EnumerationMappingTransformation/>",
        ] {
            let error = System::parse(&wired(inside), &mut none).unwrap_err();
            let error = error.to_string();
            assert!(
                error.contains("from a.x to b.u") && error.contains("as they are"),
                "{error}"
            );
        }
        for inside in [
            "",
            "<LinearTransformation/>",
            "<LinearTransformation factor=\"1\" offset=\"0.0\"/>",
            "<ConnectionGeometry pointsX=\"1\" pointsY=\"2\"/>",
        ] {
            let system = System::parse(&wired(inside), &mut none).unwrap();
            assert_eq!(system.connections.len(), 1);
            assert!(system.not_understood.is_empty(), "{inside}");
        }
        // Names and values that a mapping would change are refused; units that are left as they are
        // by will are not.
        let mapped = "<SystemStructureDescription><System><Elements><Component name=\"a\" \
            source=\"a.fmu\"><ParameterBindings><ParameterBinding>\
            <ParameterMapping><ParameterMapping><MappingEntry source=\"p\" \
            target=\"k\"/></ParameterMapping></ParameterMapping>\
            </ParameterBinding></ParameterBindings></Component></Elements></System>\
            </SystemStructureDescription>";
        let error = System::parse(mapped, &mut none).unwrap_err().to_string();
        assert!(error.contains("<ParameterMapping>"), "{error}");
        let mut units = |more: &str| {
            let component = |name: &str, connector: &str, kind: &str, unit: &str| {
                format!(
                    "<Component name=\"{name}\" source=\"{name}.fmu\"><Connectors><Connector \
                    name=\"{connector}\" kind=\"{kind}\"><Real \
                    unit=\"{unit}\"/></Connector></Connectors></Component>"
                )
            };
            let xml = format!(
                "<SystemStructureDescription><System><Elements>{}{}</Elements><Connections>\
                 <Connection startElement=\"a\" startConnector=\"x\" endElement=\"b\" \
                 endConnector=\"u\"{more}/></Connections>\
                 </System></SystemStructureDescription>",
                component("a", "x", "output", "m"),
                component("b", "u", "input", "mm")
            );
            System::parse(&xml, &mut none).map_err(|error| error.to_string())
        };
        assert!(units("").unwrap_err().contains("units are not converted"));
        assert_eq!(
            units(" suppressUnitConversion=\"true\"")
                .unwrap()
                .connections
                .len(),
            1
        );
        // A connector of a system that feeds itself does not go on for ever.
        let round = "<SystemStructureDescription><System><Elements><Component name=\"a\" \
            source=\"a.fmu\"/><System name=\"s\"/></Elements><Connections>\
            <Connection startElement=\"s\" startConnector=\"p\" endElement=\"s\" \
            endConnector=\"p\"/>\
            <Connection startElement=\"s\" startConnector=\"p\" endElement=\"a\" \
            endConnector=\"u\"/></Connections></System></SystemStructureDescription>";
        let system = System::parse(round, &mut none).unwrap();
        assert!(system.connections.is_empty() && !system.not_understood.is_empty());
    }
}
