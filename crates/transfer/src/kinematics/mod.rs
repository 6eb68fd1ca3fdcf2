//! Kinematics: between the degrees of freedom of the interface and the strokes of the actuators.
//!
//! Ports: motion at the interface (m, rad, and their rates) ↔ motion of the actuators (m); forces
//! of the actuators (N) → forces at the interface (N, N m) by the transpose of the same geometry,
//! so that no work is lost on the way.

mod coupler;
mod inverted_v_brace;
mod jet;
mod linear;
mod linkage;
mod none;
mod one_actuator;
mod pinned;
mod plane_three;
mod plane_two;
mod rigid_body;
mod space_four;

use tandem_quantity::{
    BuildError, Builder, Context, Entry, Motion, SlotOf, Snapshot, SpecimenMatrices, Values,
};

/// A kinematic transformation. Nothing allocates after it has been built.
pub trait Kinematics: Snapshot + Send {
    /// Number of interface degrees of freedom.
    fn interface(&self) -> usize;

    /// Number of actuators.
    fn actuators(&self) -> usize;

    /// Strokes of the actuators at a motion of the interface.
    fn to_actuators(&mut self, interface: &Motion, actuators: &mut Motion);

    /// Motion of the interface at strokes of the actuators. `false` when the strokes belong to no
    /// position that can be reached from the last one: the interface then keeps the last position.
    fn to_interface(&mut self, actuators: &Motion, interface: &mut Motion) -> bool;

    /// Forces at the interface from those of the actuators, in the position of the last
    /// [`Kinematics::to_interface`].
    fn force_to_interface(&mut self, actuators: &[f64], interface: &mut [f64]);

    /// Forces of the actuators that hold these at the interface, in the same position: what a model
    /// of a rig needs. The smallest where several would do; of a force that no actuator can hold,
    /// the part that some can.
    fn force_to_actuators(&mut self, interface: &[f64], actuators: &mut [f64]);
}

/// How a transformation is made.
pub type Build = Builder<Box<dyn Kinematics>>;

/// All transformations. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[
    none::ENTRY,
    linear::ENTRY,
    one_actuator::ENTRY,
    plane_two::ENTRY,
    plane_three::ENTRY,
    space_four::ENTRY,
    rigid_body::ENTRY,
    coupler::ENTRY,
    inverted_v_brace::ENTRY,
    pinned::ENTRY,
];

/// The slot in the plan.
pub static SLOT: SlotOf<Build> = SlotOf::new("kinematics", "method", Some("none"), || METHODS);

/// The transformation of a table; nothing where there is none to do.
pub fn build(
    values: &Values,
    context: &Context<'_>,
) -> Result<Option<Box<dyn Kinematics>>, BuildError> {
    let entry = context.registry.find(&SLOT, values)?;
    if entry.method.name == "none" {
        return Ok(None);
    }
    (entry.build)(values, context).map(Some)
}

/// K, C or M at the interface from one at the actuators: J' K J, with J of the zero position.
/// Row-major.
pub fn matrix_at_interface(kinematics: &mut dyn Kinematics, matrix: &[f64]) -> Vec<f64> {
    let (n, m) = (kinematics.interface(), kinematics.actuators());
    let (mut unit, mut strokes) = (Motion::at_rest(n), Motion::at_rest(m));
    let (mut back, mut force, mut out) = (Motion::at_rest(n), vec![0.0; m], vec![0.0; n]);
    let mut product = vec![0.0; n * n];
    kinematics.to_interface(&strokes, &mut back);
    for j in 0..n {
        // The rate of the strokes for a unit rate of one degree of freedom is a column of J.
        unit.velocity.fill(0.0);
        unit.velocity[j] = 1.0;
        kinematics.to_actuators(&unit, &mut strokes);
        force.fill(0.0);
        SpecimenMatrices::mul_add(matrix, 1.0, &strokes.velocity, &mut force);
        kinematics.force_to_interface(&force, &mut out);
        for i in 0..n {
            product[i * n + j] = out[i];
        }
    }
    product
}

/// The part of K, C or M at the interface that the actuators can feel: all of it, unless they are
/// fewer than its degrees of freedom. Row-major.
pub fn matrix_felt(kinematics: &mut dyn Kinematics, matrix: &[f64]) -> Vec<f64> {
    let (n, m) = (kinematics.interface(), kinematics.actuators());
    if m >= n {
        return matrix.to_vec();
    }
    let at_actuators = matrix_at_actuators(kinematics, matrix);
    matrix_at_interface(kinematics, &at_actuators)
}

/// K, C or M along the actuators from one at the interface, in the zero position. Row-major.
pub fn matrix_at_actuators(kinematics: &mut dyn Kinematics, matrix: &[f64]) -> Vec<f64> {
    let (n, m) = (kinematics.interface(), kinematics.actuators());
    let (mut strokes, mut moved) = (Motion::at_rest(m), Motion::at_rest(n));
    let (mut force, mut held) = (vec![0.0; n], vec![0.0; m]);
    let mut at_actuators = vec![0.0; m * m];
    for j in 0..m {
        strokes.velocity.fill(0.0);
        strokes.velocity[j] = 1.0;
        kinematics.to_interface(&strokes, &mut moved);
        force.fill(0.0);
        SpecimenMatrices::mul_add(matrix, 1.0, &moved.velocity, &mut force);
        kinematics.force_to_actuators(&force, &mut held);
        for i in 0..m {
            at_actuators[i * m + j] = held[i];
        }
    }
    at_actuators
}

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
    key: &str,
    rows: &[Vec<f64>],
    count: usize,
) -> Result<Vec<[f64; N]>, BuildError> {
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
