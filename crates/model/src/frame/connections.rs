//! Springs, supports, ties, diaphragms and masses.

use tandem_frame::material::{self, ForceDisplacement, Material, MomentRotation};
use tandem_frame::model::{Dof, ModelError, Orientation, Space};
use tandem_quantity::BuildError;
use tandem_quantity::settings::Setting;

use super::declaration::{
    FrameSettings, MassSettings, SpringAxes, SpringSettings, SupportSettings,
};
use super::materials::new_name;
use super::nodes::Nodes;
use super::{FrameBuilder, Group, at, direction_of};

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
    settings: &FrameSettings,
    nodes: &Nodes,
) -> Result<impl Iterator<Item = usize> + use<>, BuildError> {
    let springs = settings.spring.iter().map(|spring| spring.between.clone());
    let mut all = Vec::new();
    let mut take = |list: &str, entry: usize, between: Option<Vec<String>>| {
        let pairs = named_pairs(&between.unwrap_or_default(), nodes);
        let pairs = pairs.map_err(|error| at(list, entry, error))?;
        all.extend(pairs.into_iter().flatten());
        Ok::<_, BuildError>(())
    };
    for (entry, between) in springs.enumerate() {
        take("spring", entry, between)?;
    }
    for (list, tables) in [("bearing", &settings.bearing), ("damper", &settings.damper)] {
        for (entry, table) in tables.iter().enumerate() {
            take(list, entry, Setting::at(table, "between")?)?;
        }
    }
    Ok(all.into_iter())
}

impl FrameBuilder {
    /// Nodes of ties and diaphragms that are named one by one are in the model, too.
    pub(super) fn use_followers(&mut self, settings: &FrameSettings) -> Result<(), BuildError> {
        let ties = settings.tie.iter().map(|tie| Some(&tie.to));
        let ties = ties
            .enumerate()
            .map(|(entry, name)| ("tie", "to", entry, name));
        let floors = settings.diaphragm.iter().map(|floor| floor.centre.as_ref());
        let floors = floors.enumerate();
        let floors = floors.map(|(entry, name)| ("diaphragm", "centre", entry, name));
        let mut all = Vec::new();
        for (list, key, entry, name) in ties.chain(floors) {
            if let Some(name) = name {
                let found = self.nodes.find(name);
                all.push(found.map_err(|error| at(list, entry, error.within(key)))?);
            }
        }
        for (entry, tie) in settings.tie.iter().enumerate() {
            for (place, word) in tie.nodes.iter().enumerate() {
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
pub(super) fn springs(
    settings: Vec<SpringSettings>,
    draft: &mut FrameBuilder,
) -> Result<(), BuildError> {
    for (entry, settings) in settings.into_iter().enumerate() {
        let group = spring(settings, draft).map_err(|error| at("spring", entry, error))?;
        draft.groups.push(group);
    }
    Ok(())
}

fn spring(settings: SpringSettings, draft: &mut FrameBuilder) -> Result<Group, BuildError> {
    let name = new_name(
        settings.name,
        draft.groups.iter().map(|group| group.name.as_str()),
    )?;
    let mut laws: Vec<(Dof, Material)> = Vec::new();
    for dof in Dof::ALL {
        let written = match dof {
            Dof::Ux => &settings.ux,
            Dof::Uy => &settings.uy,
            Dof::Uz => &settings.uz,
            Dof::Rx => &settings.rx,
            Dof::Ry => &settings.ry,
            Dof::Rz => &settings.rz,
        };
        let Some(law) = written else {
            continue;
        };
        let turning = matches!(dof, Dof::Rx | Dof::Ry | Dof::Rz);
        let law = if turning {
            material::build::<MomentRotation>(law)
        } else {
            material::build::<ForceDisplacement>(law)
        }
        .map_err(|error| error.within(&dof.to_string()))?;
        laws.push((dof, law));
    }
    if laws.is_empty() {
        return Err(BuildError::new(
            "",
            "the spring has no law",
            "give one for each direction, such as ux = \
            { kind = \"elastic\", stiffness = \"2 kN/mm\" }",
        ));
    }
    let pairs = ends((settings.between, settings.ground), draft)?;
    let springs: Vec<(Dof, &Material)> = laws.iter().map(|(dof, law)| (*dof, law)).collect();
    let direction = |written: Option<Vec<f64>>, key: &str| {
        let vector = written.map(|numbers| super::vector(&numbers, key));
        vector.transpose()
    };
    let orientation = Orientation {
        along: direction(settings.along, "along")?,
        up: direction(settings.up, "up")?,
        shear_place: None,
    };
    let mut elements = Vec::new();
    for pair in pairs {
        let number = draft.next_element();
        let added = if settings.axes == SpringAxes::Local {
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
    draft: &mut FrameBuilder,
) -> Result<Vec<[usize; 2]>, BuildError> {
    let ground = match written {
        (Some(between), None) => return named_pairs(&between, &draft.nodes),
        (None, Some(ground)) => ground,
        _ => {
            return Err(BuildError::new(
                "between",
                "either `between` or `ground` says where it is",
                "write between = [\"A0 A1\"], or ground = [\"base\"] for one between each node and \
                the ground",
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
pub(super) fn supports(
    settings: &[SupportSettings],
    draft: &mut FrameBuilder,
) -> Result<(), BuildError> {
    for (entry, support) in settings.iter().enumerate() {
        let mut hold = || {
            let dofs = match &support.fix {
                Some(words) => draft.directions(words, "fix")?,
                None => draft.space.dofs().to_vec(),
            };
            for node in draft.select(&support.nodes, "nodes")? {
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
pub(super) fn ties(settings: &FrameSettings, draft: &mut FrameBuilder) -> Result<(), BuildError> {
    for (entry, settings) in settings.tie.iter().enumerate() {
        let mut tie = || {
            let to = draft
                .nodes
                .find(&settings.to)
                .map_err(|error| error.within("to"))?;
            for node in draft
                .select(&settings.nodes, "nodes")?
                .into_iter()
                .filter(|node| *node != to)
            {
                if let Some(words) = &settings.dof {
                    let dofs = draft.directions(words, "dof")?;
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
    for (entry, settings) in settings.diaphragm.iter().enumerate() {
        let mut floor = || {
            let nodes = draft.select(&settings.nodes, "nodes")?;
            let centre = match &settings.centre {
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
    if settings.rigid_floors {
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

fn diaphragm(draft: &mut FrameBuilder, centre: usize, nodes: &[usize]) -> Result<(), BuildError> {
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
pub(super) fn masses(
    settings: &[MassSettings],
    draft: &mut FrameBuilder,
) -> Result<(), BuildError> {
    for (entry, settings) in settings.iter().enumerate() {
        mass(settings, draft).map_err(|error| at("mass", entry, error))?;
    }
    Ok(())
}

fn mass(settings: &MassSettings, draft: &mut FrameBuilder) -> Result<(), BuildError> {
    let nodes = draft.select(&settings.nodes, "nodes")?;
    let each = match (settings.mass, settings.total) {
        (Some(mass), None) => mass,
        (None, Some(total)) => total / nodes.len() as f64,
        (None, None) if settings.rotary.is_some() => 0.0,
        _ => {
            return Err(BuildError::new(
                "mass",
                "either `mass` (of every node) or `total` (of all together) is needed",
                "write mass = \"10 t\", or total = \"40 t\"",
            ));
        }
    };
    let moves = |dof: &Dof| matches!(dof, Dof::Ux | Dof::Uy | Dof::Uz);
    let dofs: Vec<Dof> = match &settings.dof {
        Some(words) => draft.directions(words, "dof")?,
        None => draft.space.dofs().iter().copied().filter(moves).collect(),
    };
    if let Some(turning) = dofs.iter().find(|dof| !moves(dof)) {
        return Err(BuildError::new(
            "dof",
            format!("{turning} is a rotation"),
            "give rotations their inertia with rotary = \"500 kg*m^2\"",
        ));
    }
    let mut masses: Vec<(Dof, f64)> = dofs.into_iter().map(|dof| (dof, each)).collect();
    if let Some(rotary) = settings.rotary
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
