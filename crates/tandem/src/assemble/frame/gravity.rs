//! `[structure.gravity]`: constant loads that act before the ground moves.

use tandem_quantity::{BuildError, STANDARD_GRAVITY, Values};
use tandem_structure::model::LoadCase;

use super::{Draft, at};
use crate::plan::nearest;

/// The constant loads of the plan; none where it has no gravity.
pub(super) fn read(values: &Values, draft: &Draft) -> Result<LoadCase, BuildError> {
    match values.optional_table("gravity") {
        Some(table) => loads(table, draft).map_err(|error| error.within("gravity")),
        None => Ok(LoadCase::new()),
    }
}

fn loads(table: &Values, draft: &Draft) -> Result<LoadCase, BuildError> {
    let mut case = LoadCase::new();
    let (vertical, axis) = draft.vertical();
    let down = |load: f64| {
        let mut vector = [0.0; 3];
        vector[axis] = -load;
        vector
    };
    if table.boolean("weight")? {
        for (node, mass) in &draft.masses {
            case = case.nodal(*node, vertical, -mass * STANDARD_GRAVITY);
        }
        for (element, mass) in &draft.line_masses {
            case = case.spread(*element, down(mass * STANDARD_GRAVITY));
        }
    }
    for (entry, load) in table.tables("load").into_iter().enumerate() {
        let nodes = draft
            .select(load, "nodes")
            .map_err(|error| at("load", entry, error))?;
        let force = load.number("force")?;
        for node in nodes {
            case = case.nodal(node, vertical, -force);
        }
    }
    for (entry, load) in table.tables("line").into_iter().enumerate() {
        let per_length = load.number("load")?;
        for (place, name) in load.texts("members")?.into_iter().enumerate() {
            let group = draft
                .groups
                .iter()
                .find(|group| group.name == name)
                .ok_or_else(|| {
                    let names = || draft.groups.iter().map(|group| group.name.as_str());
                    let help = match nearest(name, names()) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => {
                            format!("the groups are {}", names().collect::<Vec<_>>().join(", "))
                        }
                    };
                    let error = BuildError::new(
                        format!("members.{place}"),
                        format!("there is no group `{name}`"),
                        help,
                    );
                    at("line", entry, error)
                })?;
            for element in &group.elements {
                case = case.spread(*element, down(per_length));
            }
        }
    }
    if case.is_empty() {
        return Err(BuildError::new(
            "weight",
            "there is no load",
            "write weight = true, or add [[structure.gravity.load]] or [[structure.gravity.line]]",
        ));
    }
    Ok(case)
}
