//! Conditioning: what is done to the measurement before anybody sees it, and before the integration
//! sees it.
//!
//! Ports: measured motion (m, m/s, m/s²) and force (N) per actuator, and the motion that was wanted
//! at this tick → the same measurement, corrected in place. Several may stand one after the other
//! (`chain`).
//!
//! A *reading* tells better than the sensors alone what the specimen does: calibration, sensors
//! joined, fixtures taken out. Compensator, limit of the tracking error, monitors and record go by
//! it. From the first other step of a chain on, the measurement becomes what goes back to the
//! integration: filtered, late on purpose, or led to the target; tracking must not be judged by
//! that.

mod calibration;
mod chain;
mod force_correction;
mod force_prediction;
mod inertia_removal;
mod kalman;
mod low_pass;
mod none;
mod open_loop;
mod specimen_model;
mod unit_delay;
mod velocity;

pub use chain::Pipeline;

use crate::rig::Measured;
use tandem_quantity::{BuildError, Builder, Context, Entry, Motion, SlotOf, Snapshot, Values};

/// A conditioner of all channels of a rig.
pub trait Conditioner: Snapshot + Send {
    /// Corrects the measurement of this tick. `wanted` is where the specimen should be at this
    /// tick.
    fn condition(&mut self, wanted: &Motion, measured: &mut Measured);

    /// Whether it tells better than the sensors what the specimen does; else it only makes what
    /// goes back to the integration.
    fn is_reading(&self) -> bool {
        false
    }

    /// Whether it follows the specimen's stiffness as the integration estimates it
    /// ([`Conditioner::tangent`]).
    fn follows_tangent(&self) -> bool {
        false
    }

    /// The specimen's stiffness as it is estimated now, by rows, N/m.
    fn tangent(&mut self, _stiffness: &[f64]) {}

    /// The measurement of this tick before it was moved to where the specimen should be, where this
    /// is done: what an estimate of the stiffness is made from.
    fn uncorrected(&self) -> Option<&Measured> {
        None
    }

    /// How much later the signals come out, s of wall time, for slow signals.
    fn delay(&self) -> f64 {
        0.0
    }
}

/// How a conditioner is made.
pub type Build = Builder<Box<dyn Conditioner>>;

/// All conditioners. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[
    none::ENTRY,
    calibration::ENTRY,
    low_pass::ENTRY,
    unit_delay::ENTRY,
    force_correction::ENTRY,
    force_prediction::ENTRY,
    inertia_removal::ENTRY,
    specimen_model::ENTRY,
    kalman::ENTRY,
    velocity::ENTRY,
    open_loop::ENTRY,
    chain::ENTRY,
];

/// The slot in the plan.
pub static SLOT: SlotOf<Build> = SlotOf::new("conditioner", "method", Some("none"), || METHODS);

/// What a table asks for; nothing where it asks for nothing.
pub fn build(values: &Values, context: &Context<'_>) -> Result<Option<Pipeline>, BuildError> {
    let mut steps = Vec::new();
    chain::append(values, context, &mut steps)?;
    Ok((!steps.is_empty()).then(|| Pipeline::new(steps)))
}

/// One value for each actuator.
fn per_actuator(key: &str, list: Vec<f64>, actuators: usize) -> Result<Vec<f64>, BuildError> {
    if list.len() == actuators {
        return Ok(list);
    }
    Err(BuildError::new(
        key,
        format!("{} values for {actuators} actuators", list.len()),
        format!("give {actuators} values"),
    ))
}

/// A matrix with a row and a column for each channel, row-major; zero where none is given.
fn matrix(key: &str, rows: Option<&[Vec<f64>]>, channels: usize) -> Result<Vec<f64>, BuildError> {
    let Some(rows) = rows else {
        return Ok(vec![0.0; channels * channels]);
    };
    if rows.len() != channels || rows.iter().any(|row| row.len() != channels) {
        return Err(BuildError::new(
            key,
            format!("not a matrix of {channels} × {channels}"),
            format!("give {channels} rows of {channels} values"),
        ));
    }
    Ok(rows.concat())
}
