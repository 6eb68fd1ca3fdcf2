//! `[structure] kind = "frame"`: from the words of a plan to a model of nodes and members.
//!
//! A grid of axes and storeys gives nodes their names; groups of members, springs, supports, masses
//! and loads refer to those names. Everything that a plan can get wrong is refused with the key it
//! stands at.

mod aggregated;
mod bearings;
mod connections;
mod dampers;
mod declaration;
mod fibres;
mod gravity;
mod materials;
mod members;
mod moving;
mod nodes;
mod sections;

use declaration::{Axis, Dimensions, FrameSettings};
pub use declaration::{ENTRY, Shaken, SupportBaseline};
pub use moving::SupportGroup;

use tandem_frame::model::{
    AnalysisError, Dof, LoadCase, Model, ModelBuilder, ModelError, Space, loose_dof,
};
use tandem_quantity::{BuildError, Settings, Values};
use tandem_structure::{Structure, StructureError};

use members::Members;
use nodes::Nodes;

/// A group of elements that a plan names: members, springs or bearings.
#[derive(Clone, Debug)]
pub struct Group {
    /// The name in the plan.
    pub name: String,
    /// Numbers of the elements in the model.
    pub elements: Vec<usize>,
}

/// A frame as a plan describes it.
#[derive(Clone)]
pub struct FrameModel {
    /// The model of the whole frame, under its constant loads.
    pub model: Model,
    /// Groups of elements, in the order of the plan.
    pub groups: Vec<Group>,
    /// Held degrees of freedom of nodes.
    pub supports: Vec<(usize, Vec<Dof>)>,
    /// Groups of supports whose ground moves by itself.
    pub moving: Vec<SupportGroup>,
    /// Nodes of `[[structure.node]]` at which nothing ends; they are not in the model.
    pub unconnected: Vec<String>,
}

impl FrameModel {
    /// Reads the section `[structure]` of a frame. `dt` is the step of structural time, s: laws
    /// with a memory of time need it.
    pub fn read(values: &Values, dt: f64) -> Result<Self, BuildError> {
        let (settings, shaken) = (FrameSettings::read(values)?, Shaken::read(values)?);
        let space = match settings.space {
            Dimensions::Plane => Space::Plane,
            Dimensions::Space => Space::Space,
        };
        let nodes = Nodes::read(&settings, space)?;
        let materials = materials::read(&settings.material)?;
        let sections = sections::read(&settings.section, &materials)?;
        let mut draft = FrameBuilder::new(space, nodes);
        let members = Members::read(&settings.member, &draft.nodes)?;
        let pairs = connections::pairs(&settings, &draft.nodes)?;
        draft.use_nodes(members.nodes().chain(pairs))?;
        draft.ends.clone_from(&draft.used);
        draft.use_followers(&settings)?;
        members.build(&settings.member, &sections, &materials, &mut draft)?;
        let mut settings = settings;
        connections::springs(std::mem::take(&mut settings.spring), &mut draft)?;
        bearings::build(&settings.bearing, &mut draft)?;
        dampers::build(&settings.damper, &mut draft)?;
        connections::supports(&settings.support, &mut draft)?;
        connections::ties(&settings, &mut draft)?;
        connections::masses(&settings.mass, &mut draft)?;
        let direction = draft.ground(&shaken)?;
        moving::supports(
            (&settings.support, shaken.wave_speed),
            &mut draft,
            direction,
        )?;
        let damping = settings.damping.build()?;
        let on = settings.damping_stiffness.of_model();
        draft.builder.damping(damping, on);
        let gravity = shaken.gravity.as_ref();
        let loads = gravity::read(gravity, &draft)?;
        let steps = gravity.map_or(1, |gravity| gravity.steps);
        draft.finish((&loads, steps), dt)
    }

    /// What a plan should know of nodes that are not in the model.
    pub fn note(&self) -> Option<String> {
        let list = self.unconnected.join(", ");
        match self.unconnected.len() {
            0 => None,
            1 => Some(format!(
                "node {list}: no member, spring or tie ends there; it is left out"
            )),
            _ => Some(format!(
                "nodes {list}: no member, spring or tie ends there; they are left out"
            )),
        }
    }

    /// The free degree of freedom of a name such as `B1 ux`; where it follows another one rigidly,
    /// that one.
    pub fn dof(&self, name: &str) -> Option<usize> {
        let (node, direction) = name.trim().rsplit_once(char::is_whitespace)?;
        let dof = direction_of(direction)?;
        self.model
            .following_dof(self.model.node_named(node.trim())?, dof)
    }

    /// Elements of the named groups. The error is the place of the name that is unknown.
    pub fn elements<S: AsRef<str>>(&self, names: &[S]) -> Result<Vec<usize>, usize> {
        let mut all = Vec::new();
        for (place, name) in names.iter().enumerate() {
            let group = self
                .groups
                .iter()
                .find(|g| g.name == name.as_ref())
                .ok_or(place)?;
            all.extend(
                group
                    .elements
                    .iter()
                    .copied()
                    .filter(|e| !all.contains(e))
                    .collect::<Vec<_>>(),
            );
        }
        Ok(all)
    }
}

/// The degree of freedom of a word: `ux`, `rz`, …
fn direction_of(word: &str) -> Option<Dof> {
    Dof::ALL.into_iter().find(|dof| dof.to_string() == word)
}

/// Three numbers that give a direction.
fn vector(numbers: &[f64], key: &str) -> Result<[f64; 3], BuildError> {
    <[f64; 3]>::try_from(numbers).map_err(|_| {
        BuildError::new(
            key,
            "a direction has three numbers",
            format!("write {key} = [0, 0, 1]"),
        )
    })
}

/// The error of one entry of a list, seen from `[structure]`.
fn at(list: &str, entry: usize, error: BuildError) -> BuildError {
    error.within(&entry.to_string()).within(list)
}

/// A frame that is being put together.
struct FrameBuilder {
    space: Space,
    nodes: Nodes,
    builder: ModelBuilder,
    /// Which nodes are in the builder.
    used: Vec<bool>,
    /// Which nodes are ends of members, springs or bearings.
    ends: Vec<bool>,
    /// Number of the next node that the plan does not name.
    auxiliary: usize,
    elements: usize,
    groups: Vec<Group>,
    supports: Vec<(usize, Vec<Dof>)>,
    /// Nodes in the ground below springs and bearings, with their places.
    grounds: Vec<(usize, [f64; 3], String)>,
    moving: Vec<SupportGroup>,
    masses: Vec<(usize, f64)>,
    line_masses: Vec<(usize, f64)>,
}

impl FrameBuilder {
    fn new(space: Space, nodes: Nodes) -> Self {
        let count = nodes.count();
        Self {
            space,
            builder: match space {
                Space::Plane => ModelBuilder::plane(),
                Space::Space => ModelBuilder::space(),
            },
            used: vec![false; count],
            ends: vec![false; count],
            auxiliary: count,
            elements: 0,
            groups: Vec::new(),
            supports: Vec::new(),
            grounds: Vec::new(),
            moving: Vec::new(),
            masses: Vec::new(),
            line_masses: Vec::new(),
            nodes,
        }
    }

    /// The vertical direction.
    fn vertical(&self) -> (Dof, usize) {
        match self.space {
            Space::Plane => (Dof::Uy, 1),
            Space::Space => (Dof::Uz, 2),
        }
    }

    /// Puts nodes into the model. Points of the grid where nothing ends never get there.
    fn use_nodes(&mut self, nodes: impl Iterator<Item = usize>) -> Result<(), BuildError> {
        for node in nodes {
            if !self.used[node] {
                self.used[node] = true;
                let (place, name) = (self.nodes.place(node), self.nodes.name(node).to_owned());
                self.add_node(node, place, name)?;
            }
        }
        Ok(())
    }

    fn add_node(&mut self, number: usize, place: [f64; 3], name: String) -> Result<(), BuildError> {
        let [x, y, z] = place;
        let added = match self.space {
            Space::Plane => self.builder.node(number, [x, y]),
            Space::Space => self.builder.node(number, place),
        };
        added
            .and_then(|()| self.builder.name(number, name))
            .map_err(|error| {
                BuildError::new(
                    "node",
                    format!("{error} (z = {z})"),
                    "check the coordinates",
                )
            })
    }

    /// One more node that the plan does not name.
    fn extra_node(&mut self, place: [f64; 3], name: String) -> Result<usize, BuildError> {
        let number = self.auxiliary;
        self.auxiliary += 1;
        self.add_node(number, place, name)?;
        Ok(number)
    }

    fn next_element(&mut self) -> usize {
        self.elements += 1;
        self.elements
    }

    /// Nodes of a list of words that are in the model. A node that is named on its own must be.
    fn select<S: AsRef<str>>(&self, words: &[S], key: &str) -> Result<Vec<usize>, BuildError> {
        let mut chosen = Vec::new();
        for (place, word) in words.iter().map(AsRef::as_ref).enumerate() {
            let found = self
                .nodes
                .select(word)
                .map_err(|error| error.within(&place.to_string()).within(key))?;
            if let [only] = found[..]
                && !self.used[only]
            {
                return Err(BuildError::new(
                    format!("{key}.{place}"),
                    format!("no member, spring or tie ends at node `{word}`"),
                    "take a node at which something ends, or add the member that is missing",
                ));
            }
            for node in found {
                if self.used[node] && !chosen.contains(&node) {
                    chosen.push(node);
                }
            }
        }
        if chosen.is_empty() {
            return Err(BuildError::new(
                key,
                "no node of the frame is meant",
                "name nodes such as \"A1\", or groups: \"base\", \"level 2\", \"axis A\"",
            ));
        }
        Ok(chosen)
    }

    /// Degrees of freedom of a list of words such as `ux`.
    fn directions(&self, words: &[String], key: &str) -> Result<Vec<Dof>, BuildError> {
        let mut dofs = Vec::new();
        for (place, word) in words.iter().enumerate() {
            let known = direction_of(word).filter(|dof| self.space.dofs().contains(dof));
            dofs.push(known.ok_or_else(|| {
                let list: Vec<String> = self.space.dofs().iter().map(Dof::to_string).collect();
                BuildError::new(
                    format!("{key}.{place}"),
                    format!("`{word}` is not a degree of freedom of this frame"),
                    format!("take {}", list.join(", ")),
                )
            })?);
        }
        Ok(dofs)
    }

    /// Direction in which the ground moves.
    fn ground(&mut self, shaken: &Shaken) -> Result<[f64; 3], BuildError> {
        if let Some(direction) = &shaken.direction {
            let direction = vector(direction, "direction")?;
            if self.space == Space::Plane && direction[2].abs() > 0.0 {
                let help = "write direction = [x, y, 0]";
                return Err(BuildError::new(
                    "direction",
                    "a plane frame has no direction z",
                    help,
                ));
            }
            self.builder.ground_direction(direction);
            return Ok(direction);
        }
        let direction = match (shaken.ground.read()?, self.space) {
            (Axis::X, _) => [1.0, 0.0, 0.0],
            (Axis::Y, _) => [0.0, 1.0, 0.0],
            (Axis::Z, Space::Space) => [0.0, 0.0, 1.0],
            (Axis::Z, Space::Plane) => {
                let help = "take ground = \"x\" (horizontal) or \"y\" (vertical)";
                return Err(BuildError::new(
                    "ground",
                    "a plane frame has no direction z",
                    help,
                ));
            }
        };
        self.builder.ground_direction(direction);
        Ok(direction)
    }

    /// Builds the model, checks that it can stand, and brings the constant loads on.
    fn finish(self, (loads, steps): (&LoadCase, usize), dt: f64) -> Result<FrameModel, BuildError> {
        let unconnected = self.nodes.listed();
        let unconnected = unconnected
            .filter(|node| !self.used[*node])
            .map(|node| self.nodes.name(node).to_owned())
            .collect();
        let Self {
            builder,
            groups,
            supports,
            moving,
            ..
        } = self;
        let mut model = builder.build().map_err(|error| refuse(&error))?;
        model.set_time_step(dt);
        stands(&model)?;
        if !loads.is_empty() {
            tandem_frame::model::apply_gravity(&mut model, loads, steps)
                .map_err(|error| not_carried(&model, &error))?;
            if let Some(dof) = loose_dof(&model.properties().stiffness) {
                return Err(BuildError::new(
                    "gravity",
                    format!(
                        "the constant loads make the frame unstable: it gives way at {}",
                        model.properties().label(dof)
                    ),
                    "lower the loads, or make the frame stiffer",
                ));
            }
        }
        Ok(FrameModel {
            model,
            groups,
            supports,
            moving,
            unconnected,
        })
    }
}

/// Why the constant loads cannot be carried.
fn not_carried(model: &Model, error: &AnalysisError) -> BuildError {
    if let AnalysisError::Model(ModelError::Structure(StructureError::Unstable {
        mode, dof, ..
    })) = error
    {
        return BuildError::new(
            "gravity",
            format!(
                "the frame is unstable under its constant loads: it buckles in mode {mode}, most \
                at {}",
                model.properties().label(*dof)
            ),
            "lower the loads, or make the frame stiffer",
        );
    }
    BuildError::new(
        "gravity",
        format!("the frame does not carry its constant loads: {error}"),
        "check the loads, the sections and the supports; more steps may help",
    )
}

/// Refuses a mechanism, and names what is loose.
fn stands(model: &Model) -> Result<(), BuildError> {
    match loose_dof(&model.properties().stiffness) {
        None => Ok(()),
        Some(dof) => Err(BuildError::new(
            "support",
            format!(
                "the frame is a mechanism: nothing holds {}",
                model.properties().label(dof)
            ),
            "add a support, a member or a tie there; hinges at every end of a joint leave its \
            rotation free",
        )),
    }
}

/// An error of the model: it names nodes and elements by itself.
fn refuse(error: &ModelError) -> BuildError {
    let key = match error {
        ModelError::ConstrainedTwice { .. } | ModelError::Circle { .. } => "tie",
        ModelError::NothingFree => "support",
        ModelError::Structure(error)
            if error.to_string().contains("damping") || error.to_string().contains("mode") =>
        {
            "damping"
        }
        ModelError::Structure(_) => "mass",
        _ => "member",
    };
    BuildError::new(
        key,
        error.to_string(),
        "check what the plan says of this frame",
    )
}
