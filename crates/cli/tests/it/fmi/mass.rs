//! A mass on a spring, made without Tandem, and how `tandem fmu simulate` runs it.

use super::common::*;

pub const SOURCE: &str = include_str!("mass.c");

/// Name, causality, start.
pub const VARIABLES: [(&str, &str, &str); 12] = [
    ("x", "output", "0"),
    ("v", "output", "0"),
    ("der(x)", "local", ""),
    ("der(v)", "local", ""),
    ("m", "parameter", "1"),
    ("c", "parameter", "0"),
    ("k", "parameter", "0"),
    ("f", "input", "0"),
    ("g", "input", "0"),
    ("floor", "parameter", "0"),
    ("kick", "parameter", "-1"),
    ("crash", "parameter", "-1"),
];

pub fn description(version: u8) -> String {
    let mut list = String::new();
    for (i, (name, causality, start)) in VARIABLES.iter().enumerate() {
        let place = i + 1;
        let start = match (*start, *causality) {
            ("", _) => String::new(),
            (start, "output") => format!(" start=\"{start}\" initial=\"exact\""),
            (start, _) => format!(" start=\"{start}\""),
        };
        let (variability, derivative) = match place {
            3 | 4 => ("continuous", format!(" derivative=\"{}\"", place - 2)),
            5..=7 | 10.. => ("fixed", String::new()),
            _ => ("continuous", String::new()),
        };
        list += &match version {
            2 => {
                let (initial, start) = match start.strip_suffix(" initial=\"exact\"") {
                    Some(start) => (" initial=\"exact\"", start.to_owned()),
                    None => ("", start),
                };
                format!(
                    "<ScalarVariable name=\"{name}\" valueReference=\"{place}\" \
                    causality=\"{causality}\" variability=\"{variability}\"{initial}>\
                     <Real{start}{derivative}/></ScalarVariable>"
                )
            }
            _ => format!(
                "<Float64 name=\"{name}\" valueReference=\"{place}\" causality=\"{causality}\" \
                variability=\"{variability}\"{start}{derivative}/>"
            ),
        };
    }
    match version {
        2 => format!(
            "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"mass\" guid=\"mass\" \
            numberOfEventIndicators=\"1\">\
             <ModelExchange modelIdentifier=\"mass\" canGetAndSetFMUstate=\"true\" \
             providesDirectionalDerivative=\"true\"/>\
             <CoSimulation modelIdentifier=\"mass\" \
             canHandleVariableCommunicationStepSize=\"true\" canGetAndSetFMUstate=\"true\"/>\
             <ModelVariables>{list}</ModelVariables><ModelStructure><Outputs><Unknown \
             index=\"1\"/><Unknown index=\"2\"/></Outputs>\
             <Derivatives><Unknown index=\"3\"/><Unknown \
             index=\"4\"/></Derivatives></ModelStructure></fmiModelDescription>"
        ),
        _ => format!(
            "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"mass\" \
            instantiationToken=\"mass\">\
             <ModelExchange modelIdentifier=\"mass\" canGetAndSetFMUState=\"true\" \
             providesDirectionalDerivatives=\"true\"/>\
             <CoSimulation modelIdentifier=\"mass\" \
             canHandleVariableCommunicationStepSize=\"true\" canGetAndSetFMUState=\"true\"/>\
             <ModelVariables><Float64 name=\"time\" valueReference=\"0\" causality=\"independent\" \
             variability=\"continuous\"/>\
             <Float64 name=\"height\" valueReference=\"20\" causality=\"local\" \
             variability=\"continuous\"/>{list}</ModelVariables><ModelStructure>\
             <Output valueReference=\"1\"/><Output \
             valueReference=\"2\"/><ContinuousStateDerivative valueReference=\"3\"/>\
             <ContinuousStateDerivative valueReference=\"4\"/><EventIndicator \
             valueReference=\"20\"/></ModelStructure></fmiModelDescription>"
        ),
    }
}

pub fn make(folder: &Path, version: u8) -> PathBuf {
    make_from(folder, version, SOURCE)
}

/// The same of another source.
pub fn make_from(folder: &Path, version: u8, source: &str) -> PathBuf {
    let library = compile(folder, "mass", source);
    let path = folder.join(format!("mass{version}.fmu"));
    write_fmu(&path, version, description(version).as_bytes(), &library);
    path
}

/// Rows of `tandem fmu simulate`, and what it said.
pub fn simulate(fmu: &Path, words: &[&str]) -> (Vec<Vec<f64>>, Value) {
    let out = fmu.with_extension("csv");
    let call = ["fmu", "simulate", text(fmu), "--out", text(&out), "--json"];
    let output = TANDEM.says(&[&call, words].concat());
    done(&output);
    (Table::read(&out).values(), json(&output))
}
