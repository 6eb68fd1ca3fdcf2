//! The section `[interface]`: where structure and specimen meet.

use tandem_frame::model::{Division, Model, ModelError};
use tandem_quantity::{
    BuildError, Conditional, Dimension, Range, Value, choice, settings, suggest,
};
use tandem_structure::{
    GroundTerm, Structure, StructureError, StructureProperties, TangentDamped, WithSpecimen,
};

use crate::dof;
use crate::frame::FrameModel;
use crate::reduction::Reduction;
use crate::structure::flatten;

choice! {
    /// What the section `[structure]` describes.
    pub enum Partition {
        /// The undivided structure: the specimen is taken out of it (or there is none).
        Subtract = "subtract",
        /// The numerical substructure: the specimen is added for the reference.
        Add = "add",
    }
}

settings! {
    /// The section `[interface]`.
    pub struct InterfaceSettings {
        /// degrees of freedom shared with the specimen: counted from 1, or by name such as "B1 ux";
        /// default with `members`: all that they share with the rest
        pub dof: Option<Vec<Value>> = names().within(Range::between(1.0, 1e6)),
        /// groups of members, springs or bearings of a frame that are the specimen; a virtual rig
        /// then needs no other
        pub members: Option<Vec<String>> = texts().within(Range::between(1.0, 1e6)),
        /// subtract: the structure above is the whole one, the specimen is taken out of it; add: it
        /// is the numerical part only
        pub partition: Conditional<Partition> = choice(Partition::WORDS).or("\"subtract\""),
        /// What is assumed of the specimen.
        pub assumed: Conditional<AssumedSpecimen>,
    }
}

settings! {
    /// What is assumed of the specimen.
    pub struct AssumedSpecimen {
        /// what is assumed of the specimen; default: the rig's model
        pub stiffness: Option<Vec<Vec<f64>>> = matrix(Dimension::STIFFNESS),
        /// likewise
        pub damping: Option<Vec<Vec<f64>>> = matrix(Dimension::DAMPING),
        /// likewise
        pub mass: Option<Vec<Vec<f64>>> = matrix(Dimension::MASS),
    }
}

/// The interface degrees of freedom of a plan, counted from zero; none where it has no specimen.
pub fn read(
    settings: &InterfaceSettings,
    structure: &StructureProperties,
    frame: Option<&FrameModel>,
) -> Result<Vec<usize>, BuildError> {
    let list = settings.dof.as_deref().unwrap_or_default();
    let named = |name: &str| frame.and_then(|frame| frame.dof(name));
    dof::read(list, "dof", structure, &named).map_err(|error| error.within("interface"))
}

/// Takes the members that are the specimen out of the frame, where the plan names some.
pub fn divide(
    settings: &InterfaceSettings,
    frame: Option<&FrameModel>,
) -> Result<Option<Division>, BuildError> {
    let Some(names) = &settings.members else {
        return Ok(None);
    };
    let wrong = |message: &str, help: &str| BuildError::new("interface.members", message, help);
    let frame = frame.ok_or_else(|| {
        wrong(
            "only a frame has members",
            "name degrees of freedom with `dof`, or describe the structure with kind = \"frame\"",
        )
    })?;
    if settings.partition.read()? == Partition::Add {
        return Err(BuildError::new(
            "interface.partition",
            "members of the frame are part of it: they are taken out",
            "remove this key",
        ));
    }
    let elements = frame.elements(names).map_err(|place| {
        let groups = || frame.groups.iter().map(|group| group.name.as_str());
        let help = match suggest(&names[place], groups()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the groups are {}", groups().collect::<Vec<_>>().join(", ")),
        };
        BuildError::new(
            format!("interface.members.{place}"),
            format!("there is no group `{}`", names[place]),
            help,
        )
    })?;
    let control = match settings.dof {
        Some(_) => Some(read(settings, frame.model.properties(), Some(frame))?),
        None => None,
    };
    frame
        .model
        .divide(&elements, control.as_deref())
        .map(Some)
        .map_err(|error| refuse(&error, &frame.model))
}

fn refuse(error: &ModelError, model: &Model) -> BuildError {
    match error {
        ModelError::NotShared { dof } => BuildError::new(
            "interface.dof",
            format!(
                "the specimen does not share {} with the rest",
                model.properties().label(*dof)
            ),
            "name degrees of freedom at which the specimen meets the rest, or leave `dof` out",
        ),
        ModelError::Mechanism { dof } => BuildError::new(
            "interface.dof",
            format!(
                "nothing holds {} of the specimen",
                model.properties().label(*dof)
            ),
            "control this degree of freedom, too: name it in interface.dof",
        ),
        ModelError::ChangingDamping => BuildError::new(
            "structure.damping_stiffness",
            error.to_string(),
            "take damping_stiffness = \"initial\"",
        ),
        other => BuildError::new(
            "interface.members",
            other.to_string(),
            "check the members of the specimen",
        ),
    }
}

/// The undivided frame: the specimen attached to the rest, its inner degrees of freedom as in the
/// test. `dt` is the step of structural time, s; damping follows the specimen's tangent by b =
/// `tangent_damping`, s.
pub fn reference_structure(
    division: &Division,
    reduction: Option<&Reduction>,
    dt: f64,
    tangent_damping: f64,
) -> Result<Box<dyn Structure>, BuildError> {
    let mut specimen = division.specimen.clone();
    specimen.set_time_step(dt);
    let (numerical, interface): (Box<dyn Structure>, _) = match reduction {
        Some(reduced) => (Box::new(reduced.structure.clone()), &reduced.interface),
        None => {
            let mut numerical = division.numerical.clone();
            numerical.set_time_step(dt);
            (Box::new(numerical), &division.interface)
        }
    };
    let refuse = |error: StructureError| {
        BuildError::new(
            "interface.members",
            error.to_string(),
            "check the members of the specimen",
        )
    };
    let ground = GroundTerm::Base;
    if tangent_damping > 0.0 {
        let specimen = TangentDamped::new(specimen, tangent_damping);
        let whole = WithSpecimen::new(numerical, specimen, interface, ground).map_err(refuse)?;
        return Ok(flatten(Box::new(whole)));
    }
    let whole = WithSpecimen::new(numerical, specimen, interface, ground).map_err(refuse)?;
    Ok(flatten(Box::new(whole)))
}

/// Refuses members that stand on ground of their own: the specimen is held by the laboratory's
/// floor.
pub fn stands_still(frame: &FrameModel, division: &Division) -> Result<(), BuildError> {
    let moving = || frame.moving.iter().flat_map(|group| &group.nodes);
    let model = division.specimen.model();
    for element in model.element_numbers() {
        let nodes = model.element_nodes(element).unwrap_or_default();
        let names = nodes.map(|node| model.node_name(node));
        if let Some(name) = moving().find(|name| names.contains(name)) {
            return Err(BuildError::new(
                "interface.members",
                format!("the specimen stands at {name}, where the ground has a motion of its own"),
                "let this support move with the ground of the record, or take other members",
            ));
        }
    }
    Ok(())
}
