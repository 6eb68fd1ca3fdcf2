//! Springs, supports, ties, diaphragms and masses.

use tandem_quantity::settings::Setting;
use tandem_quantity::{BuildError, Settings, Values};
use tandem_structure::material::{self, ForceDisplacement, Material, MomentRotation};
use tandem_structure::model::{Dof, ModelError, Orientation, Space};

use super::materials::new_name;
use super::nodes::Nodes;
use super::sections::Name;
use super::{Draft, Group, at, direction_of};

fn refuse(error: &ModelError) -> BuildError {
    let help = match error {
        ModelError::ConstrainedTwice { .. } => {
            "a degree of freedom can be held or follow another, once: take one of the two away"
        }
        _ => "check nodes and directions of this entry",
    };
    BuildError::new("", error.to_string(), help)
}

/// Pairs of nodes of the key `between`.
pub(super) fn named_pairs<S: AsRef<str>>(
    texts: &[S],
    nodes: &Nodes,
) -> Result<Vec<[usize; 2]>, BuildError> {
    let texts = texts.iter().enumerate();
    texts
        .map(|(place, text)| {
            nodes
                .pair(text.as_ref())
                .map_err(|error| error.within(&place.to_string()).within("between"))
        })
        .collect()
}

/// Nodes at which springs and bearings end.
pub(super) fn pairs(
    values: &Values,
    nodes: &Nodes,
) -> Result<impl Iterator<Item = usize> + use<>, BuildError> {
    let mut all = Vec::new();
    for list in ["spring", "bearing", "damper"] {
        for (entry, table) in values.tables(list).into_iter().enumerate() {
            if table.has("between") {
                let pairs = named_pairs(&table.texts("between")?, nodes)
                    .map_err(|error| at(list, entry, error))?;
                all.extend(pairs.into_iter().flatten());
            }
        }
    }
    Ok(all.into_iter())
}

impl Draft {
    /// Nodes of ties and diaphragms that are named one by one are in the model, too.
    pub(super) fn use_followers(&mut self, values: &Values) -> Result<(), BuildError> {
        let mut all = Vec::new();
        for (list, key) in [("tie", "to"), ("diaphragm", "centre")] {
            for (entry, table) in values.tables(list).into_iter().enumerate() {
                if let Some(name) = table.optional_text(key) {
                    all.push(
                        self.nodes
                            .find(name)
                            .map_err(|error| at(list, entry, error.within(key)))?,
                    );
                }
            }
        }
        for (entry, table) in values.tables("tie").into_iter().enumerate() {
            for (place, word) in table
                .texts("nodes")
                .unwrap_or_default()
                .into_iter()
                .enumerate()
            {
                let error = |error: BuildError| {
                    at(
                        "tie",
                        entry,
                        error.within(&place.to_string()).within("nodes"),
                    )
                };
                if let [only] = self.nodes.select(word).map_err(error)?[..] {
                    all.push(only);
                }
            }
        }
        self.use_nodes(all.into_iter())
    }
}

/// `[[structure.spring]]`.
pub(super) fn springs(values: &Values, draft: &mut Draft) -> Result<(), BuildError> {
    for (entry, table) in values.tables("spring").into_iter().enumerate() {
        let group = spring(table, draft).map_err(|error| at("spring", entry, error))?;
        draft.groups.push(group);
    }
    Ok(())
}

fn spring(table: &Values, draft: &mut Draft) -> Result<Group, BuildError> {
    let name = new_name(
        Name::read(table)?.name,
        draft.groups.iter().map(|group| group.name.as_str()),
    )?;
    let mut laws: Vec<(Dof, Material)> = Vec::new();
    for dof in Dof::ALL {
        let key = dof.to_string();
        if !table.has(&key) {
            continue;
        }
        let turning = matches!(dof, Dof::Rx | Dof::Ry | Dof::Rz);
        let law = if turning {
            material::material::<MomentRotation>(table, &key)?
        } else {
            material::material::<ForceDisplacement>(table, &key)?
        };
        laws.push((dof, law));
    }
    if laws.is_empty() {
        return Err(BuildError::new(
            "",
            "the spring has no law",
            "give one for each direction, such as ux = { kind = \"elastic\", stiffness = \"2 kN/mm\" }",
        ));
    }
    let texts = |key| Option::<Vec<String>>::at(table, key);
    let pairs = ends((texts("between")?, texts("ground")?), draft)?;
    let springs: Vec<(Dof, &Material)> = laws.iter().map(|(dof, law)| (*dof, law)).collect();
    let direction = |key: &str| -> Result<Option<[f64; 3]>, BuildError> {
        match table.has(key) {
            true => super::vector(table, key).map(Some),
            false => Ok(None),
        }
    };
    let orientation = Orientation {
        along: direction("along")?,
        up: direction("up")?,
        shear_place: None,
    };
    let mut elements = Vec::new();
    for pair in pairs {
        let number = draft.next_element();
        let added = if table.text("axes")? == "local" {
            draft
                .builder
                .two_node_link(number, pair, &springs, &orientation)
        } else {
            draft.builder.zero_length(number, pair, &springs)
        };
        added.map_err(|error| refuse(&error))?;
        elements.push(number);
    }
    Ok(Group { name, elements })
}

/// Both ends of springs or bearings: pairs of nodes, or nodes and the ground below each.
pub(super) fn ends(
    written: (Option<Vec<String>>, Option<Vec<String>>),
    draft: &mut Draft,
) -> Result<Vec<[usize; 2]>, BuildError> {
    let ground = match written {
        (Some(between), None) => return named_pairs(&between, &draft.nodes),
        (None, Some(ground)) => ground,
        _ => {
            return Err(BuildError::new(
                "between",
                "either `between` or `ground` says where it is",
                "write between = [\"A0 A1\"], or ground = [\"base\"] for one between each node and the ground",
            ));
        }
    };
    let mut pairs = Vec::new();
    for node in draft.select(&ground, "ground")? {
        let name = format!("{}(ground)", draft.nodes.name(node));
        let place = draft.nodes.place(node);
        let ground = draft.extra_node(place, name.clone())?;
        draft.grounds.push((ground, place, name));
        draft
            .builder
            .fix_all(ground)
            .map_err(|error| refuse(&error))?;
        pairs.push([ground, node]);
    }
    Ok(pairs)
}

/// `[[structure.support]]`.
pub(super) fn supports(values: &Values, draft: &mut Draft) -> Result<(), BuildError> {
    for (entry, table) in values.tables("support").into_iter().enumerate() {
        let mut hold = || {
            let dofs = match table.has("fix") {
                true => draft.directions(table, "fix")?,
                false => draft.space.dofs().to_vec(),
            };
            for node in draft.select(&table.texts("nodes")?, "nodes")? {
                draft
                    .builder
                    .fix(node, &dofs)
                    .map_err(|error| refuse(&error))?;
                draft.supports.push((node, dofs.clone()));
            }
            Ok(())
        };
        hold().map_err(|error: BuildError| at("support", entry, error))?;
    }
    Ok(())
}

/// `[[structure.tie]]`, `[[structure.diaphragm]]` and `rigid_floors`.
pub(super) fn ties(values: &Values, draft: &mut Draft) -> Result<(), BuildError> {
    for (entry, table) in values.tables("tie").into_iter().enumerate() {
        let mut tie = || {
            let to = draft
                .nodes
                .find(table.text("to")?)
                .map_err(|error| error.within("to"))?;
            for node in draft
                .select(&table.texts("nodes")?, "nodes")?
                .into_iter()
                .filter(|node| *node != to)
            {
                if table.has("dof") {
                    let dofs = draft.directions(table, "dof")?;
                    draft.builder.equal_dof(to, node, &dofs)
                } else {
                    draft.builder.rigid_link(to, node)
                }
                .map_err(|error| refuse(&error))?;
            }
            Ok(())
        };
        tie().map_err(|error: BuildError| at("tie", entry, error))?;
    }
    for (entry, table) in values.tables("diaphragm").into_iter().enumerate() {
        let mut floor = || {
            let nodes = draft.select(&table.texts("nodes")?, "nodes")?;
            let centre = match table.optional_text("centre") {
                Some(name) => draft
                    .nodes
                    .find(name)
                    .map_err(|error| error.within("centre"))?,
                None => nodes[0],
            };
            diaphragm(draft, centre, &nodes)
        };
        floor().map_err(|error| at("diaphragm", entry, error))?;
    }
    if values.boolean("rigid_floors")? {
        let grid = draft.nodes.lines("rigid_floors")?;
        for level in 1..grid.levels {
            let per_floor = grid.axes * grid.lines;
            let nodes: Vec<usize> = (level * per_floor..(level + 1) * per_floor)
                .filter(|node| draft.used[*node])
                .collect();
            if let [first, _, ..] = nodes[..] {
                diaphragm(draft, first, &nodes).map_err(|error| error.within("rigid_floors"))?;
            }
        }
    }
    Ok(())
}

fn diaphragm(draft: &mut Draft, centre: usize, nodes: &[usize]) -> Result<(), BuildError> {
    let normal = match draft.space {
        Space::Plane => Dof::Uy,
        Space::Space => Dof::Rz,
    };
    let others: Vec<usize> = nodes
        .iter()
        .copied()
        .filter(|node| *node != centre)
        .collect();
    draft
        .builder
        .rigid_diaphragm(normal, centre, &others)
        .map_err(|error| refuse(&error))?;
    if draft.space == Space::Space && !draft.ends[centre] {
        // Nothing else holds the centre against leaving its plane.
        draft
            .builder
            .fix(centre, &[Dof::Uz, Dof::Rx, Dof::Ry])
            .map_err(|error| refuse(&error))?;
    }
    Ok(())
}

/// `[[structure.mass]]`.
pub(super) fn masses(values: &Values, draft: &mut Draft) -> Result<(), BuildError> {
    for (entry, table) in values.tables("mass").into_iter().enumerate() {
        mass(table, draft).map_err(|error| at("mass", entry, error))?;
    }
    Ok(())
}

fn mass(table: &Values, draft: &mut Draft) -> Result<(), BuildError> {
    let nodes = draft.select(&table.texts("nodes")?, "nodes")?;
    let each = match (
        table.optional_number("mass"),
        table.optional_number("total"),
    ) {
        (Some(mass), None) => mass,
        #[allow(clippy::cast_precision_loss)] // a few nodes
        (None, Some(total)) => total / nodes.len() as f64,
        (None, None) if table.has("rotary") => 0.0,
        _ => {
            return Err(BuildError::new(
                "mass",
                "either `mass` (of every node) or `total` (of all together) is needed",
                "write mass = \"10 t\", or total = \"40 t\"",
            ));
        }
    };
    let moves = |dof: &Dof| matches!(dof, Dof::Ux | Dof::Uy | Dof::Uz);
    let dofs: Vec<Dof> = match table.has("dof") {
        true => draft.directions(table, "dof")?,
        false => draft.space.dofs().iter().copied().filter(moves).collect(),
    };
    if let Some(turning) = dofs.iter().find(|dof| !moves(dof)) {
        return Err(BuildError::new(
            "dof",
            format!("{turning} is a rotation"),
            "give rotations their inertia with rotary = \"500 kg*m^2\"",
        ));
    }
    let mut masses: Vec<(Dof, f64)> = dofs.into_iter().map(|dof| (dof, each)).collect();
    if let Some(rotary) = table.optional_number("rotary")
        && let Some(about) = direction_of("rz")
    {
        masses.push((about, rotary));
    }
    for node in nodes {
        draft
            .builder
            .mass(node, &masses)
            .map_err(|error| refuse(&error))?;
        draft.masses.push((node, each));
    }
    Ok(())
}
