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
    assert_eq!(description.variables[2].kind, Kind::Int32);
    assert_eq!(description.dependencies[0], Some(vec![1]));
    assert!(Description::parse(TWO).is_err());
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
    assert_eq!(description.co_simulation.unwrap().internal_step, Some(0.01));
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
