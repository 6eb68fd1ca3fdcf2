//! Every key that a plan may write is read or refused, whatever kind of test it describes.
//!
//! The reader refuses what nothing has read, so no key can be dropped. These tests show what
//! becomes of each key in each kind of test.

use std::collections::{BTreeMap, BTreeSet};

use tandem::registry::standard;
use tandem::sections::ROOT;
use tandem_quantity::{Default, Dimension, Parameter, ValueKind};
use tandem_test_support::plans;

/// What became of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// The test was put together, and something has read the key.
    Read,
    /// Refused, because nothing would read it.
    Useless,
    /// Refused with a reason of its own, such as a missing partner.
    Refused,
}

const SPECIMEN: &str = "[rig]\nkind = \"virtual\"\n[rig.specimen]\nstiffness = [\"3 MN/m\"]\n\
     [rig.actuator]\nmethod = \"second-order\"\nfrequency = \"20 Hz\"\ndamping = 0.7\n\
     [limits]\nstroke = \"80 mm\"\n";
const GROUND: &str = "[excitation]\nkind = \"sine\"\nfrequency = \"2 Hz\"\npeak = \"0.03 g\"\n\
     duration = \"1 s\"\ndt = \"10 ms\"\n";
const STRUCTURE: &str = "[structure]\nkind = \"matrices\"\nmass = [[20, 0], [0, 10], \"t\"]\n\
     stiffness = [[9, -3], [-3, 3], \"MN/m\"]\n\
     [integration]\nmethod = \"newmark\"\ndt = \"10 ms\"\n";

/// Values that could stand at a key, as TOML, none of them the default.
fn candidates(parameter: &Parameter) -> Vec<String> {
    let range = parameter.range;
    let numbers = [0.5, 1.5, 0.05, 3.0, 40.0, 0.004, 700.0];
    let numbers: Vec<f64> = numbers.into_iter().filter(|x| range.contains(*x)).collect();
    let quantity = |x: f64, dimension: Dimension| match dimension.si_unit() {
        "" => format!("{x}"),
        unit => format!("\"{x} {unit}\""),
    };
    let table = |keys: &[Parameter]| {
        let required = keys
            .iter()
            .filter(|p| matches!(p.default, Default::Required));
        let entry = |p: &Parameter| Some(format!("{} = {}", p.key, candidates(p).first()?));
        let entries: Option<Vec<String>> = required.map(entry).collect();
        entries.map(|entries| format!("{{ {} }}", entries.join(", ")))
    };
    let list = |items: Vec<String>| items.into_iter().map(|item| format!("[{item}]")).collect();
    match parameter.kind {
        ValueKind::Number(dimension) => numbers.iter().map(|x| quantity(*x, dimension)).collect(),
        ValueKind::Integer => [2, 1, 3, 5, 8090, 90]
            .into_iter()
            .filter(|n| range.contains(f64::from(*n)))
            .map(|n| n.to_string())
            .collect(),
        ValueKind::Boolean => vec!["true".into(), "false".into()],
        ValueKind::Text | ValueKind::Path => vec!["\"something\"".into()],
        ValueKind::Choice(words) => words.iter().map(|word| format!("\"{word}\"")).collect(),
        ValueKind::Numbers(dimension) => {
            list(numbers.iter().map(|x| quantity(*x, dimension)).collect())
        }
        ValueKind::Integers | ValueKind::Names | ValueKind::Mixed => {
            list(vec!["1".into(), "2".into()])
        }
        ValueKind::Texts => list(vec!["\"x\"".into()]),
        ValueKind::Matrix(dimension) => numbers
            .iter()
            .map(|x| format!("[[{x}], \"{}\"]", dimension.si_unit()))
            .collect(),
        ValueKind::Table(keys) => table(keys).into_iter().collect(),
        ValueKind::Tables(keys) => list(table(keys).into_iter().collect()),
        ValueKind::Open(slot) => table(&standard().keys(slot)).into_iter().collect(),
        ValueKind::Slot(slot) => standard()
            .methods(slot)
            .iter()
            .map(|m| format!("{{ {} = \"{}\" }}", slot.selector(), m.name))
            .collect(),
        ValueKind::Slots(slot) => list(
            standard()
                .methods(slot)
                .iter()
                .map(|m| format!("{{ {} = \"{}\" }}", slot.selector(), m.name))
                .collect(),
        ),
    }
}

/// Keys of the plan below a section, with what may stand there; of a slot those of all methods,
/// each with the word that chooses its method.
fn keys(root: &[Parameter]) -> Vec<(String, Option<String>, Parameter)> {
    let mut all = Vec::new();
    for section in root {
        let mut add = |choice: Option<String>, list: &[Parameter]| {
            for parameter in list {
                let key = format!("{}.{}", section.key, parameter.key);
                all.push((key, choice.clone(), *parameter));
            }
        };
        match section.kind {
            ValueKind::Table(list) => add(None, list),
            ValueKind::Slot(slot) => {
                for method in standard().methods(slot) {
                    let choice = format!("{}.{}=\"{}\"", section.key, slot.selector(), method.name);
                    add(Some(choice), method.parameters);
                }
            }
            ValueKind::Open(slot) => add(None, &standard().keys(slot)),
            _ => all.push((section.key.to_owned(), None, *section)),
        }
    }
    all
}

/// What becomes of a key in this plan.
fn fate(plan: &str, key: &str, choice: Option<&str>, parameter: &Parameter) -> Fate {
    let default = match parameter.default {
        Default::Is(text) => text,
        _ => "",
    };
    let mut fate = Fate::Refused;
    for value in candidates(parameter)
        .iter()
        .filter(|value| *value != default)
    {
        let mut overrides: Vec<String> = choice.map(str::to_owned).into_iter().collect();
        overrides.push(format!("{key}={value}"));
        match plans::attempt(plan, &overrides) {
            Ok(_) => return Fate::Read,
            Err(refusal) => {
                let useless = format!("`{}` would do nothing", parameter.key);
                if refusal.to_text().contains(&useless) {
                    fate = Fate::Useless;
                }
            }
        }
    }
    fate
}

/// What becomes of every key in such a plan.
fn fates(plan: &str) -> BTreeMap<String, BTreeSet<Fate>> {
    if let Err(refusal) = plans::attempt(plan, plans::AS_WRITTEN) {
        panic!("{}\n{plan}", refusal.to_text());
    }
    let mut found: BTreeMap<String, BTreeSet<Fate>> = BTreeMap::new();
    for (key, choice, parameter) in keys(ROOT) {
        let fate = fate(plan, &key, choice.as_deref(), &parameter);
        found.entry(key).or_default().insert(fate);
    }
    found
}

/// Some of these keys of some method have this fate, and no others do.
fn are(found: &BTreeMap<String, BTreeSet<Fate>>, fate: Fate, keys: &[&str]) {
    let having = found.iter().filter(|(_, fates)| fates.contains(&fate));
    let having: Vec<&str> = having.map(|(key, _)| key.as_str()).collect();
    assert_eq!(having, keys, "{fate:?}");
}

/// These keys are read.
fn read(found: &BTreeMap<String, BTreeSet<Fate>>, keys: &[&str]) {
    for key in keys {
        assert_eq!(found[*key], BTreeSet::from([Fate::Read]), "{key}");
    }
}

/// These keys are refused, each with a reason of its own.
fn refused(found: &BTreeMap<String, BTreeSet<Fate>>, keys: &[&str]) {
    for key in keys {
        assert_eq!(found[*key], BTreeSet::from([Fate::Refused]), "{key}");
    }
}

/// These mean something beside another key only: `switch_on`, an `answer_time`, an estimator of
/// `osm-us`, an iteration that has a tolerance.
const WITHOUT_ANOTHER: [&str; 9] = [
    "command.answer_jitter",
    "compensator.blend",
    "integration.forgetting",
    "integration.gain",
    "integration.most_iterations",
    "integration.resolution",
    "integration.softest",
    "integration.stiffest",
    "integration.tolerance",
];
/// What every test with a rig obeys.
const WITH_A_RIG: [&str; 9] = [
    "faults",
    "coordinator.start",
    "coordinator.centering_speed",
    "limits.stale_target",
    "limits.operator_timeout",
    "monitor.tracking_error",
    "rig.sensors",
    "record.folder",
    "seed",
];
/// What compares with a structure that is not divided.
const REFERENCE: [&str; 4] = [
    "record.criteria_dof",
    "record.reference_method",
    "record.reference_steps",
    "record.reference_tangent_damping",
];

#[test]
fn keys_of_a_hybrid_test() {
    let plan = format!("{GROUND}{STRUCTURE}[interface]\ndof = [1]\n{SPECIMEN}");
    let found = fates(&plan);
    read(&found, &WITH_A_RIG);
    read(&found, &["record.criteria", "coordinator.driver_timeout"]);
    let mut useless = WITHOUT_ANOTHER.to_vec();
    useless.push("record.criteria_dof"); // without criteria
    are(&found, Fate::Useless, &useless);
}

#[test]
fn keys_of_a_numerical_test() {
    let found = fates(&format!("{GROUND}{STRUCTURE}"));
    let sections = [
        "command",
        "compensator",
        "coordinator",
        "limits",
        "monitor",
        "faults",
    ];
    for (key, fates) in &found {
        if sections.iter().any(|section| key.starts_with(section)) {
            assert!(!fates.contains(&Fate::Read), "{key}");
        }
    }
}

#[test]
fn keys_of_a_test_that_another_program_drives() {
    let plan = format!("[integration]\ndriver = \"opensees\"\nport = 0\n{SPECIMEN}");
    let found = fates(&plan);
    read(&found, &WITH_A_RIG);
    refused(&found, &REFERENCE);
    refused(&found, &["record.criteria", "command.answer_time"]);
    are(
        &found,
        Fate::Useless,
        &[
            "command.answer_jitter",
            "compensator.blend",
            "coordinator.driver_timeout", // integration.wait is it
            "integration.openfresco_version",
            "interface.partition",
        ],
    );
}

#[test]
fn keys_of_a_characterisation() {
    let plan = format!(
        "[excitation]\nkind = \"characterise\"\n[[excitation.signal]]\nkind = \"sine\"\n\
         amplitude = \"5 mm\"\nfrequency = \"1 Hz\"\nduration = \"2 s\"\n{SPECIMEN}"
    );
    let found = fates(&plan);
    read(&found, &WITH_A_RIG);
    refused(&found, &REFERENCE);
    are(
        &found,
        Fate::Useless,
        &[
            "command.answer_jitter",
            "compensator.blend",
            "interface.partition",
            "record.energy_error_dof",
        ],
    );
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn keys_of_a_test_whose_model_steps_itself() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = crate::fmi::mass::make(folder.path(), 2);
    let plan = format!(
        "{GROUND}[structure]\nkind = \"fmu\"\nfmu = \"{}\"\ndisplacement = [\"x\"]\n\
         velocity = [\"v\"]\nforce = [\"f\"]\nground = \"g\"\nin_process = true\n\
         [interface]\ndof = [\"x\"]\npartition = \"add\"\n\
         [integration]\nmethod = \"fmu\"\ndt = \"5 ms\"\n{SPECIMEN}",
        fmu.display()
    );
    let found = fates(&plan);
    read(&found, &WITH_A_RIG);
    refused(&found, &REFERENCE);
    refused(&found, &["record.criteria"]);
    let mut useless = WITHOUT_ANOTHER.to_vec();
    useless.push("structure.timeout"); // of a process of its own
    are(&found, Fate::Useless, &useless);
}
