//! Descriptions as tools write them, and broken ones.
#![allow(clippy::cast_possible_truncation)] // small numbers

use super::*;

const TWO: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="bouncing ball" guid="{1}" numberOfEventIndicators="1" xmlns:xsi="http://x" vendor="no">
  <ModelExchange modelIdentifier="ball" canGetAndSetFMUstate="true" completedIntegratorStepNotNeeded="true"/>
  <CoSimulation modelIdentifier="ball" canHandleVariableCommunicationStepSize="true"/>
  <UnitDefinitions><Unit name="m"/></UnitDefinitions>
  <DefaultExperiment startTime="0" stopTime="3" stepSize="1e-2"/>
  <ModelVariables>
    <ScalarVariable name="h" valueReference="1" causality="output" initial="exact"><Real start="1" unit="m"/></ScalarVariable>
    <ScalarVariable name="der(h)" valueReference="2"><Real derivative="1"/></ScalarVariable>
    <ScalarVariable name="n" valueReference="3" causality="parameter"><Integer start="2"/></ScalarVariable>
    <Annotation/>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="1" dependencies="2"/></Outputs>
    <Derivatives><Unknown index="2"/></Derivatives>
  </ModelStructure>
</fmiModelDescription>"#;

const THREE: &str = r#"<fmiModelDescription fmiVersion="3.0" modelName="arrays" instantiationToken="t">
  <CoSimulation modelIdentifier="arrays" hasEventMode="true" fixedInternalStepSize="0.01" canGetAndSetFMUState="true"/>
  <ModelVariables>
    <UInt64 name="n" valueReference="1" causality="structuralParameter" start="3"/>
    <Float64 name="u" valueReference="2" causality="input" start="1 2 3"><Dimension valueReference="1"/></Float64>
    <Float64 name="A" valueReference="3" causality="output"><Dimension start="2"/><Dimension valueReference="1"/></Float64>
    <String name="file" valueReference="4" causality="parameter"><Start value="a b"/></String>
  </ModelVariables>
  <ModelStructure><Output valueReference="3" dependencies="2"/><EventIndicator valueReference="3"/></ModelStructure>
</fmiModelDescription>"#;

#[test]
fn a_description_of_fmi_2() {
    // What is not known is passed over, but a variable needs its type.
    let description = Description::parse(&TWO.replace("    <Annotation/>\n", "")).unwrap();
    assert_eq!(description.version, Version::Two);
    assert_eq!(description.experiment.step, Some(0.01));
    assert_eq!(
        description.states,
        [State {
            variable: 0,
            derivative: 1
        }]
    );
    assert_eq!(description.indicators, 1);
    assert!(description.model_exchange.as_ref().unwrap().state);
    assert!(!description.co_simulation.as_ref().unwrap().state);
    assert_eq!(description.variables[2].kind, VariableType::Int32);
    assert_eq!(description.dependencies[0], Some(vec![1]));
    let said = Description::parse(TWO).unwrap_err().to_string();
    assert!(
        said.contains("line 11: a variable without a type"),
        "{said}"
    );
}

#[test]
fn completed_steps_are_wanted_by_default_in_fmi_2_and_not_in_fmi_3() {
    let wanted = |xml: &str| {
        let offer = Description::parse(xml).unwrap().model_exchange.unwrap();
        !offer.no_completed_step
    };
    let two = |words: &str| {
        let xml = TWO.replace("    <Annotation/>\n", "");
        wanted(&xml.replace("completedIntegratorStepNotNeeded=\"true\"", words))
    };
    assert!(two(""));
    assert!(two("completedIntegratorStepNotNeeded=\"false\""));
    assert!(!two("completedIntegratorStepNotNeeded=\"true\""));
    let three = |words: &str| {
        let offer =
            format!("<ModelExchange modelIdentifier=\"arrays\" {words}/>\n  <CoSimulation ");
        wanted(&THREE.replace("<CoSimulation ", &offer))
    };
    assert!(!three(""));
    assert!(!three("needsCompletedIntegratorStep=\"false\""));
    assert!(three("needsCompletedIntegratorStep=\"true\""));
}

#[test]
fn arrays_of_fmi_3_have_the_sizes_of_their_structural_parameters() {
    let description = Description::parse(THREE).unwrap();
    let a = description.find("A").unwrap();
    assert_eq!(description.size(a), 6);
    assert_eq!(description.element_name(a, 4), "A[2,2]");
    assert_eq!(description.find("u").unwrap().start, ["1", "2", "3"]);
    assert_eq!(description.find("file").unwrap().start, ["a b"]);
    assert_eq!(description.indicators, 1);
    assert_eq!(
        description.co_simulation.as_ref().unwrap().internal_step,
        Some(0.01)
    );
    // A size that is given.
    let mut description = description;
    let given = |text: &str| [("n".to_owned(), text.to_owned()), ("u".into(), "7".into())];
    description.configure(&given("5")).unwrap();
    let a = description.find("A").unwrap();
    assert_eq!(description.size(a), 10);
    assert_eq!(description.element_name(a, 5), "A[2,1]");
    assert_eq!(description.find("u").unwrap().start, ["1", "2", "3"]);
    let said = description
        .configure(&given("2.5"))
        .unwrap_err()
        .to_string();
    assert!(said.contains("`n`") && said.contains("whole"), "{said}");
}

#[test]
fn an_alias_of_fmi_3_is_another_name_of_the_same() {
    let alias = r#"<Alias name="B" description="in feet" displayUnit="ft"/></Float64>
    <String"#;
    let text = THREE.replace("</Float64>\n    <String", alias);
    let description = Description::parse(&text).unwrap();
    let (a, b) = (
        description.find("A").unwrap(),
        description.find("B").unwrap(),
    );
    assert_eq!((a.reference, a.kind), (b.reference, b.kind));
    assert_eq!(description.size(a), description.size(b));
    assert_eq!(description.outputs.len(), 1);
    assert_eq!(description.faults(), Vec::<String>::new());
}

#[test]
fn no_broken_description_makes_the_reader_panic() {
    // A small generator of our own: the same cases on every machine.
    let mut seed = 0x9e37_79b9_u64;
    let mut draw = |most: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most.max(1)
    };
    let mut refused = 0;
    for _ in 0..4000 {
        let base = if draw(2) == 0 { TWO } else { THREE };
        let mut bytes = base.as_bytes().to_vec();
        for _ in 0..=draw(3) {
            let (from, length) = (draw(bytes.len()), draw(40));
            let to = (from + length).min(bytes.len());
            match draw(3) {
                0 => drop(bytes.drain(from..to)),
                1 => bytes[from] = b"<>\"&9-0 /="[draw(10)],
                _ => {
                    let copy = bytes[from..to].to_vec();
                    let at = draw(bytes.len());
                    bytes.splice(at..at, copy);
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        match Description::parse(&text) {
            Ok(description) => {
                for variable in &description.variables {
                    let _ = description.element_name(variable, description.size(variable));
                }
                let _ = description.state_count();
            }
            Err(error) => {
                assert!(error.to_string().contains("modelDescription.xml"));
                refused += 1;
            }
        }
    }
    assert!(refused > 1000, "{refused}");
}

#[test]
fn what_cannot_be_right_is_told() {
    let xml = |variables: &str| {
        format!(
            "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"x\" \
            instantiationToken=\"t\"><CoSimulation modelIdentifier=\"x\"/>\
             <ModelVariables>{variables}</ModelVariables><ModelStructure/></fmiModelDescription>"
        )
    };
    let said = |variables: &str| Description::parse(&xml(variables)).unwrap().faults();
    assert!(said("<Float64 name=\"a\" valueReference=\"1\" start=\"1\"/>").is_empty());
    assert!(
        said(
            "<UInt64 name=\"n\" valueReference=\"2\" variability=\"constant\" start=\"3\"/>\
             <Float64 name=\"a\" valueReference=\"1\"><Dimension valueReference=\"2\"/></Float64>"
        )
        .is_empty()
    );
    for (variables, fault) in [
        (
            "<Float64 name=\"a\" valueReference=\"1\"/><Float64 name=\"a\" valueReference=\"2\"/>",
            "2 variables are named `a`",
        ),
        (
            "<Float64 name=\"a\" valueReference=\"1\" causality=\"output\"><Dimension \
            start=\"4000000000\"/><Dimension start=\"4000000000\"/></Float64>",
            "`a` has 16000000000000000000 values",
        ),
        (
            "<Float64 name=\"a\" valueReference=\"1\"><Dimension valueReference=\"9\"/></Float64>",
            "that of variable 9, which is not there",
        ),
        (
            "<UInt64 name=\"a\" valueReference=\"1\" causality=\"structuralParameter\" \
            start=\"3\"><Dimension valueReference=\"1\"/></UInt64>",
            "the size of `a` is that of variable 1, which is itself",
        ),
        (
            "<UInt64 name=\"n\" valueReference=\"2\" causality=\"parameter\" start=\"3\"/>\
             <Float64 name=\"a\" valueReference=\"1\"><Dimension valueReference=\"2\"/></Float64>",
            "that of variable 2, which is neither a structural parameter nor a constant",
        ),
        (
            "<Float64 name=\"a\" valueReference=\"1\" derivative=\"1\"/>",
            "`a` is said to be the derivative of itself",
        ),
        (
            "<Float64 name=\"a\" valueReference=\"1\" start=\"nan\"/>",
            "the start value of `a` is \"nan\", no number",
        ),
        (
            "<Int32 name=\"a\" valueReference=\"1\" start=\"much\"/>",
            "the start value of `a` is \"much\", no number",
        ),
        (
            "<Float64 name=\"a\" valueReference=\"1\" start=\"1 2\"><Dimension \
            start=\"3\"/></Float64>",
            "`a` has 3 values and 2 start values",
        ),
    ] {
        let faults = said(variables);
        assert!(
            faults.len() == 1 && faults[0].contains(fault),
            "{fault}: {faults:?}"
        );
    }
    // A column for each of so many values would fill the memory.
    let huge = Description::parse(&xml(
        "<Float64 name=\"a\" valueReference=\"1\" causality=\"output\"><Dimension \
        start=\"4000000000\"/></Float64>",
    ))
    .unwrap();
    assert!(crate::Ports::new(&huge, &huge.variables).is_err());
    let many: String = (0..50)
        .map(|k| format!("<Float64 name=\"a{k}\" valueReference=\"{k}\" start=\"nan\"/>"))
        .collect();
    let faults = said(&many);
    assert!(
        faults.len() == 21 && faults[20].contains("30 more"),
        "{faults:?}"
    );
}

/// A count that nobody can mean is refused before room is made for it.
#[test]
fn event_indicators_are_counted_within_reason() {
    let many = TWO.replace("    <Annotation/>\n", "").replace(
        "numberOfEventIndicators=\"1\"",
        "numberOfEventIndicators=\"100000000000\"",
    );
    let said = Description::parse(&many).unwrap_err().to_string();
    assert!(said.contains("numberOfEventIndicators"), "{said}");
}

#[test]
fn whole_numbers_stay_whole() {
    for (kind, value, taken) in [
        (VariableType::Int32, 2.0, true),
        (VariableType::Int32, 1.5, false),
        (VariableType::Int32, 99_999_999_999.0, false),
        (VariableType::UInt8, -1.0, false),
        (VariableType::UInt64, 1e15, true),
        (VariableType::Int64, f64::NAN, false),
        (VariableType::Float64, 1.5, true),
    ] {
        assert_eq!(kind.takes(value), taken, "{kind:?} {value}");
    }
}

/// A unit may stand with the type that a variable refers to; its own goes before.
#[test]
fn units_come_from_declared_types_too() {
    for xml in [
        r#"<fmiModelDescription fmiVersion="2.0" modelName="x" guid="g"><CoSimulation modelIdentifier="x"/><TypeDefinitions>
           <SimpleType name="Length"><Real quantity="Length" unit="m"/></SimpleType></TypeDefinitions><ModelVariables>
           <ScalarVariable name="a" valueReference="1"><Real declaredType="Length"/></ScalarVariable>
           <ScalarVariable name="b" valueReference="2"><Real declaredType="Length" unit="mm"/></ScalarVariable>
           <ScalarVariable name="c" valueReference="3"><Real declaredType="Nothing"/></ScalarVariable>
           </ModelVariables><ModelStructure/></fmiModelDescription>"#,
        r#"<fmiModelDescription fmiVersion="3.0" modelName="x" instantiationToken="g"><CoSimulation modelIdentifier="x"/><TypeDefinitions>
           <Float64Type name="Length" quantity="Length" unit="m"/></TypeDefinitions><ModelVariables>
           <Float64 name="a" valueReference="1" declaredType="Length"/><Float64 name="b" valueReference="2" declaredType="Length" unit="mm"/>
           <Float64 name="c" valueReference="3" declaredType="Nothing"/></ModelVariables><ModelStructure/></fmiModelDescription>"#,
    ] {
        let description = Description::parse(xml).unwrap();
        let units = description.variables.iter().map(|v| v.unit.as_deref());
        assert_eq!(units.collect::<Vec<_>>(), [Some("m"), Some("mm"), None]);
    }
}

#[test]
fn the_time_is_no_state() {
    let xml = TWO.replace("    <Annotation/>\n", "").replace(
        "causality=\"output\" initial=\"exact\"",
        "causality=\"independent\"",
    );
    let faults = Description::parse(&xml).unwrap().faults();
    assert!(
        faults.len() == 1 && faults[0].contains("the derivative of `h`, which is the time"),
        "{faults:?}"
    );
}

#[test]
fn values_of_arrays_have_names() {
    let description = Description::parse(THREE).unwrap();
    let element = |name: &str| crate::item(&description, name).map(|item| item.element);
    assert_eq!(element("u").unwrap(), None);
    assert_eq!(element("u[3]").unwrap(), Some(2));
    assert_eq!(element("A[2,1]").unwrap(), Some(3));
    assert_eq!(element("A[2, 3]").unwrap(), Some(5));
    for wrong in [
        "u[0]", "u[4]", "u[1,1]", "u[x]", "A[1]", "A[3,1]", "n[1]", "w[1]",
    ] {
        assert!(element(wrong).is_err(), "{wrong}");
    }
    let names = ["A[1,2]", "A[2,3]"].map(str::to_owned);
    let ports = crate::Ports::named(&description, &names).unwrap();
    assert_eq!(ports.names(), names);
    assert!(!ports.takes_whole_variables());
    let all = ["u[1]", "u[2]", "u[3]"].map(str::to_owned);
    let ports = crate::Ports::named(&description, &all).unwrap();
    assert!(ports.takes_whole_variables());
}
