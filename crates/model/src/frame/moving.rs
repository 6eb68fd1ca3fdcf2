//! Supports that do not move with the ground of the record: several ground motions under one frame.

use tandem_frame::model::{Dof, ModelError};
use tandem_quantity::{BuildError, Values};

use super::declaration::SupportSettings;
use super::{FrameBuilder, at};

/// A group of supports whose ground moves by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct SupportGroup {
    /// Names of its nodes.
    pub nodes: Vec<String>,
    /// How much later the motion comes, s.
    pub arrival: f64,
    /// How many times as strong it is.
    pub amplitude: f64,
    /// An excitation of its own, as the plan writes it, with the place of its entry among the
    /// supports.
    pub own: Option<(usize, Values)>,
}

impl SupportGroup {
    /// Whether this is the ground of the record itself.
    fn is_the_ground(&self) -> bool {
        self.own.is_none() && self.arrival <= 0.0 && (self.amplitude - 1.0).abs() <= 0.0
    }

    fn moves_as(&self, other: &Self) -> bool {
        self.own == other.own
            && (self.arrival - other.arrival).abs() <= 0.0
            && (self.amplitude - other.amplitude).abs() <= 0.0
    }
}

/// A held node: its number, its place along x, its name, and what of it is held.
struct Held {
    node: usize,
    x: f64,
    name: String,
    dofs: Vec<Dof>,
}

/// All held nodes, each once; those in the ground below springs and bearings are held in every
/// direction.
fn held(draft: &FrameBuilder) -> Vec<Held> {
    let mut all: Vec<Held> = Vec::new();
    for (node, dofs) in &draft.supports {
        match all.iter_mut().find(|held| held.node == *node) {
            Some(held) => held.dofs.extend(dofs),
            None => all.push(Held {
                node: *node,
                x: draft.nodes.place(*node)[0],
                name: draft.nodes.name(*node).to_owned(),
                dofs: dofs.clone(),
            }),
        }
    }
    all.extend(draft.grounds.iter().map(|(node, place, name)| Held {
        node: *node,
        x: place[0],
        name: name.clone(),
        dofs: Dof::ALL.to_vec(),
    }));
    all
}

/// `arrival`, `amplitude` and `motion` of `[[structure.support]]`, and `wave_speed`.
pub(super) fn supports(
    (settings, speed): (&[SupportSettings], Option<f64>),
    draft: &mut FrameBuilder,
    direction: [f64; 3],
) -> Result<(), BuildError> {
    let held = held(draft);
    let first = held.iter().fold(f64::INFINITY, |least, h| least.min(h.x));
    // How much later a wave along x arrives than at the leftmost support.
    let passage = |held: &Held| speed.map_or(0.0, |speed| (held.x - first) / speed);
    let mut told = Vec::new();
    for (entry, support) in settings.iter().enumerate() {
        let keys = [
            ("arrival", support.arrival.is_some()),
            ("amplitude", support.amplitude.is_some()),
            ("motion", support.motion.is_some()),
        ];
        let Some((key, _)) = keys.into_iter().find(|(_, written)| *written) else {
            continue;
        };
        let wrong = |error: BuildError| at("support", entry, error);
        let nodes = draft.select(&support.nodes, "nodes").map_err(wrong)?;
        for held in held.iter().filter(|held| nodes.contains(&held.node)) {
            let group = SupportGroup {
                nodes: Vec::new(),
                arrival: support.arrival.unwrap_or_else(|| passage(held)),
                amplitude: support.amplitude.unwrap_or(1.0),
                own: support.motion.clone().map(|motion| (entry, motion)),
            };
            if !place(draft, held, group, direction).map_err(wrong)? {
                return Err(wrong(BuildError::new(
                    key,
                    format!(
                        "{} is not held in the direction in which the ground moves",
                        held.name
                    ),
                    "hold it there with `fix`, or take this key away",
                )));
            }
            told.push(held.node);
        }
    }
    if speed.is_some() {
        for held in held.iter().filter(|held| !told.contains(&held.node)) {
            let group = SupportGroup {
                nodes: Vec::new(),
                arrival: passage(held),
                amplitude: 1.0,
                own: None,
            };
            place(draft, held, group, direction).map_err(|error| error.within("wave_speed"))?;
        }
    }
    Ok(())
}

/// Puts a held node into its group. False where it is not held along the motion.
fn place(
    draft: &mut FrameBuilder,
    held: &Held,
    group: SupportGroup,
    direction: [f64; 3],
) -> Result<bool, BuildError> {
    let mut along = direction;
    for (share, dof) in along.iter_mut().zip([Dof::Ux, Dof::Uy, Dof::Uz]) {
        if !held.dofs.contains(&dof) {
            *share = 0.0;
        }
    }
    if along.iter().all(|share| share.abs() <= 0.0) {
        return Ok(false);
    }
    if group.is_the_ground() {
        return Ok(true);
    }
    let known = draft.moving.iter().position(|own| own.moves_as(&group));
    let number = known.unwrap_or(draft.moving.len());
    if known.is_none() {
        draft.moving.push(group);
    }
    draft.moving[number].nodes.push(held.name.clone());
    draft
        .builder
        .moving_support(held.node, number, along)
        .map_err(|error: ModelError| {
            BuildError::new("", error.to_string(), "check the supports of this node")
        })?;
    Ok(true)
}
