//! `[structure.gravity]`: constant loads that act before the ground moves.

use tandem_frame::model::{Dof, LoadCase, Space};
use tandem_quantity::{BuildError, STANDARD_GRAVITY};

use super::declaration::{GravitySettings, LoadSettings};
use super::{FrameBuilder, at};
use tandem_quantity::suggest;

/// The constant loads of the plan; none where it has no gravity.
pub(super) fn read(
    settings: Option<&GravitySettings>,
    draft: &FrameBuilder,
) -> Result<LoadCase, BuildError> {
    match settings {
        Some(settings) => loads(settings, draft).map_err(|error| error.within("gravity")),
        None => Ok(LoadCase::new()),
    }
}

fn loads(settings: &GravitySettings, draft: &FrameBuilder) -> Result<LoadCase, BuildError> {
    let mut case = LoadCase::new();
    let (vertical, axis) = draft.vertical();
    let down = |load: f64| {
        let mut vector = [0.0; 3];
        vector[axis] = -load;
        vector
    };
    if settings.weight {
        for (node, mass) in &draft.masses {
            case = case.nodal(*node, vertical, -mass * STANDARD_GRAVITY);
        }
        for (element, mass) in &draft.line_masses {
            case = case.spread(*element, down(mass * STANDARD_GRAVITY));
        }
    }
    for (entry, load) in settings.load.iter().enumerate() {
        let nodes = draft
            .select(&load.nodes, "nodes")
            .map_err(|error| at("load", entry, error))?;
        let parts = nodal(load, draft).map_err(|error| at("load", entry, error))?;
        for node in nodes {
            for (dof, value) in &parts {
                case = case.nodal(node, *dof, *value);
            }
        }
    }
    for (entry, load) in settings.line.iter().enumerate() {
        let per_length = match load.load {
            Some(load) => down(load),
            None => load
                .loads
                .read()
                .and_then(|loads| components(loads, "loads", draft.space))
                .map_err(|error| at("line", entry, error))?,
        };
        for (place, name) in load.members.iter().enumerate() {
            let group = draft
                .groups
                .iter()
                .find(|group| group.name == *name)
                .ok_or_else(|| {
                    let names = || draft.groups.iter().map(|group| group.name.as_str());
                    let help = match suggest(name, names()) {
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
                case = case.spread(*element, per_length);
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

/// Forces and moments on every node of an entry.
fn nodal(load: &LoadSettings, draft: &FrameBuilder) -> Result<Vec<(Dof, f64)>, BuildError> {
    let mut parts = Vec::new();
    if let Some(force) = load.force {
        parts.push((draft.vertical().0, -force));
    } else {
        let forces = load.forces.read()?;
        if forces.is_some() || load.moments.is_none() {
            let forces = components(forces, "forces", draft.space)?;
            parts.extend([Dof::Ux, Dof::Uy, Dof::Uz].into_iter().zip(forces));
        }
    }
    if let Some(moments) = load.moments.clone() {
        let about: &[Dof] = match draft.space {
            Space::Plane => &[Dof::Rz],
            Space::Space => &[Dof::Rx, Dof::Ry, Dof::Rz],
        };
        if moments.len() != about.len() {
            return Err(BuildError::new(
                "moments",
                format!(
                    "{} moments on a node that turns about {} axes",
                    moments.len(),
                    about.len()
                ),
                "give one about z in the plane, three in space",
            ));
        }
        parts.extend(about.iter().copied().zip(moments));
    }
    parts.retain(|(dof, _)| draft.space.dofs().contains(dof));
    Ok(parts)
}

/// Components along x, y (and z).
fn components(written: Option<Vec<f64>>, key: &str, space: Space) -> Result<[f64; 3], BuildError> {
    let wanted = if space == Space::Plane { 2 } else { 3 };
    let Some(numbers) = written else {
        return Err(BuildError::new(
            key,
            "there is no load",
            "give the load downwards, or its components",
        ));
    };
    if numbers.len() != wanted {
        return Err(BuildError::new(
            key,
            format!("{} components where {wanted} belong", numbers.len()),
            if wanted == 2 {
                "give [x, y] and the unit"
            } else {
                "give [x, y, z] and the unit"
            },
        ));
    }
    let mut all = [0.0; 3];
    all[..wanted].copy_from_slice(&numbers);
    Ok(all)
}
