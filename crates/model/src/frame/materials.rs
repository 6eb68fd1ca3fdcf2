//! `[[structure.material]]`: materials of fibres by name.

use std::sync::LazyLock;

use tandem_frame::material::{self, Material, StressStrain};
use tandem_quantity::{
    BuildError, Entry, Method, Parameter, Settings, SlotOf, ValueKind, Values, suggest,
};

use super::sections::Name;

/// The materials of fibres, each with a name in front: tables that are made once and stay.
static NAMED: LazyLock<Vec<Entry<material::Build>>> = LazyLock::new(|| {
    let name = Parameter::of(
        "name",
        ValueKind::Text,
        "name by which sections refer to it",
    );
    let with_name = |entry: &Entry<material::Build>| {
        let all: Vec<Parameter> = [name]
            .into_iter()
            .chain(entry.method.parameters.iter().copied())
            .collect();
        Entry {
            method: Method {
                parameters: all.leak(),
                ..entry.method
            },
            build: entry.build,
        }
    };
    material::FIBRE.own().iter().map(with_name).collect()
});

/// The slot in the plan.
pub(super) static SLOT: SlotOf<material::Build> =
    SlotOf::new("named material", "kind", None, || &NAMED);

/// Materials with their names.
pub(super) type Materials = Vec<(String, Material)>;

pub(super) fn read(tables: &[Values]) -> Result<Materials, BuildError> {
    let mut materials = Materials::new();
    for (entry, table) in tables.iter().enumerate() {
        let read = || {
            let name = new_name(
                Name::read(table)?.name,
                materials.iter().map(|(name, _)| name.as_str()),
            )?;
            Ok((name, material::build::<StressStrain>(table)?))
        };
        let one = read().map_err(|error| super::at("material", entry, error))?;
        materials.push(one);
    }
    Ok(materials)
}

/// A name that must not be taken.
pub(super) fn new_name<'a>(
    name: String,
    mut taken: impl Iterator<Item = &'a str>,
) -> Result<String, BuildError> {
    if name.is_empty() || taken.any(|known| known == name) {
        return Err(BuildError::new(
            "name",
            format!("`{name}` is there already, or empty"),
            "take another name",
        ));
    }
    Ok(name)
}

/// The thing of a name in a list.
pub(super) fn named<'a, T>(
    what: &str,
    list: &'a [(String, T)],
    name: &str,
    key: &str,
) -> Result<&'a T, BuildError> {
    list.iter()
        .find(|(known, _)| known == name)
        .map(|(_, one)| one)
        .ok_or_else(|| {
            let names = || list.iter().map(|(name, _)| name.as_str());
            let help = match (suggest(name, names()), list.is_empty()) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, true) => format!("add [[structure.{what}]] with name = \"{name}\""),
                (None, false) => format!("the plan has {}", names().collect::<Vec<_>>().join(", ")),
            };
            BuildError::new(key, format!("there is no {what} `{name}`"), help)
        })
}
