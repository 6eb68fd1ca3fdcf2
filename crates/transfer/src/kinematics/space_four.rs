//! Four actuators move the head of a column in space.

use super::linkage::Linkage;
use super::plane_three::irregular;
use super::rigid_body::RigidBody;
use super::{Build, points, require_interface};
use tandem_quantity::{Context, Dimension, Entry, Method, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "space-four",
        summary: "four pinned actuators move the head of a column in space (x, y, rotation about x \
            and y); z and torsion are held",
        reference: "Schellenberg, Mahin and Fenves 2009 (experimental set-ups)",
        parameters: SpaceFourSettings::PARAMETERS,
    },
    build: &|values, &Context { interface, .. }| {
        let settings = SpaceFourSettings::read(values)?;
        require_interface(interface, 4, "x, y, rotation about x, rotation about y")?;
        let bases = points::<3>("bases", &settings.bases, 4)?;
        let heads = points::<3>("heads", &settings.heads, 4)?;
        irregular(Linkage::new(RigidBody::new(&bases, &heads, &[0, 1, 3, 4])))
    },
};

settings! {
    struct SpaceFourSettings {
        /// fixed pins of the four actuators, seen from the node; z is the axis of the column
        bases: Vec<Vec<f64>> = matrix(Dimension::LENGTH),
        /// their pins on the body, seen from the node
        heads: Vec<Vec<f64>> = matrix(Dimension::LENGTH),
    }
}
