//! Kinematics: between the degrees of freedom of the interface and the strokes of the actuators.
//!
//! Ports: motion at the interface (m, rad, and their rates) ↔ motion of the actuators (m); forces of the actuators (N) → forces
//! at the interface (N, N m) by the transpose of the same geometry, so that no work is lost on the way.

mod coupler;
mod jet;
mod linear;
mod linkage;
mod none;
mod one_actuator;
mod plane_three;
mod plane_two;
mod rigid_body;

use tandem_quantity::{BuildError, Entry, Motion, Slot, Snapshot, Values};

/// A kinematic transformation. Nothing allocates after it has been built.
pub trait Kinematics: Snapshot + Send {
    /// Number of interface degrees of freedom.
    fn interface(&self) -> usize;

    /// Number of actuators.
    fn actuators(&self) -> usize;

    /// Strokes of the actuators at a motion of the interface.
    fn to_actuators(&mut self, interface: &Motion, actuators: &mut Motion);

    /// Motion of the interface at strokes of the actuators. `false` when the strokes belong to no position that can be reached
    /// from the last one: the interface then keeps the last position.
    fn to_interface(&mut self, actuators: &Motion, interface: &mut Motion) -> bool;

    /// Forces at the interface from those of the actuators, in the position of the last [`Kinematics::to_interface`].
    fn force_to_interface(&mut self, actuators: &[f64], interface: &mut [f64]);
}

/// How a transformation is made: from its table, for a number of interface degrees of freedom.
pub type Build = fn(&Values, usize) -> Result<Box<dyn Kinematics>, BuildError>;

/// All transformations. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[
    none::ENTRY,
    linear::ENTRY,
    one_actuator::ENTRY,
    plane_two::ENTRY,
    plane_three::ENTRY,
    coupler::ENTRY,
    rigid_body::ENTRY,
];

/// The slot in the plan.
pub static SLOT: Slot = Slot {
    selector: "method",
    default: Some("none"),
    methods: || METHODS.iter().map(|entry| &entry.method).collect(),
};

/// Refuses an interface with another number of degrees of freedom.
fn require_interface(found: usize, wanted: usize, which: &str) -> Result<(), BuildError> {
    if found == wanted {
        return Ok(());
    }
    Err(BuildError::new(
        "method",
        format!(
            "this linkage moves {wanted} degrees of freedom ({which}), the interface has {found}"
        ),
        format!("list {wanted} degrees of freedom in interface.dof: {which}"),
    ))
}

/// Rows of points in the plan: `count` rows of `size` coordinates.
fn points<const N: usize>(
    values: &Values,
    key: &str,
    count: usize,
) -> Result<Vec<[f64; N]>, BuildError> {
    let rows = values.matrix(key)?;
    let wrong = || {
        BuildError::new(
            key,
            format!("not {count} points of {N} coordinates"),
            format!("give {count} rows of {N} lengths"),
        )
    };
    if rows.len() != count {
        return Err(wrong());
    }
    rows.iter()
        .map(|row| <[f64; N]>::try_from(row.as_slice()).map_err(|_| wrong()))
        .collect()
}
