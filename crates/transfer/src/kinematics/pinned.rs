//! Any number of pinned actuators on a rigid body with any of its motions.

use super::linkage::Linkage;
use super::plane_three::irregular;
use super::rigid_body::RigidBody;
use super::{Build, points, require_interface};
use tandem_quantity::{BuildError, Context, Dimension, Entry, Method, Settings, settings};

const MOTIONS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "linkage",
        summary: "any number of pinned actuators on a rigid body that is free in the motions \
            named; positions by Newton's method",
        reference: "Nakata, Spencer and Elnashai 2010; more actuators than motions: least squares",
        parameters: LinkageSettings::PARAMETERS,
    },
    build: &|values, &Context { interface, .. }| {
        let settings = LinkageSettings::read(values)?;
        let words = settings.motions;
        let mut motions = Vec::new();
        for word in &words {
            match MOTIONS.iter().position(|motion| motion == word) {
                Some(motion) if !motions.contains(&motion) => motions.push(motion),
                _ => {
                    return Err(BuildError::new(
                        "motions",
                        format!("`{word}` is not a motion of a rigid body, or is named twice"),
                        "name each of x, y, z, rx, ry, rz at most once",
                    ));
                }
            }
        }
        require_interface(interface, motions.len(), &words.join(", "))?;
        let count = settings.bases.len();
        if count < motions.len() || motions.is_empty() {
            return Err(BuildError::new(
                "bases",
                format!("{count} actuators for {} motions", motions.len()),
                "give at least one actuator for each motion",
            ));
        }
        let bases = points::<3>("bases", &settings.bases, count)?;
        let heads = points::<3>("heads", &settings.heads, count)?;
        irregular(Linkage::new(RigidBody::new(&bases, &heads, &motions)))
    },
};

settings! {
    struct LinkageSettings {
        /// what the interface degrees of freedom are, of x, y, z, rx, ry, rz: ["x", "z", "ry"]; the
        /// others are held
        motions: Vec<String> = texts(),
        /// fixed pins of the actuators, seen from the node: rows of x, y, z
        bases: Vec<Vec<f64>> = matrix(Dimension::LENGTH),
        /// their pins on the body, seen from the node
        heads: Vec<Vec<f64>> = matrix(Dimension::LENGTH),
    }
}
