//! The linear model of the transfer system that a model-based compensator is designed for.

use crate::plant;
use crate::{LinearSystem, StateSpace};
use tandem_quantity::{BuildError, Dimension, Entry, Kind, Parameter, Values};

/// The keys by which a plan gives it.
pub(super) const PLANT: Parameter = Parameter::of(
    "plant",
    Kind::Slot(&plant::SLOT),
    "model of all actuators; default: a second-order lag for each",
)
.optional();
pub(super) const FREQUENCY: Parameter = Parameter::number(
    "frequency",
    Dimension::FREQUENCY,
    "natural frequency of the second-order lag that the transfer system is taken for",
)
.or("\"18 Hz\"")
.positive();
pub(super) const DAMPING: Parameter =
    Parameter::number("damping", Dimension::NONE, "its damping ratio")
        .or("0.7")
        .positive();
pub(super) const GAIN: Parameter = Parameter::number("gain", Dimension::NONE, "its static gain")
    .or("1.0")
    .positive();

/// The plant that the table names, or a second-order lag for each actuator.
pub(super) fn model(
    values: &Values,
    actuators: usize,
    period: f64,
) -> Result<LinearSystem, BuildError> {
    if let Some(table) = values.optional_table("plant") {
        let entry = Entry::find(plant::METHODS, table.text("kind")?).ok_or_else(|| {
            BuildError::new("plant.kind", "unknown plant", "see `tandem methods`")
        })?;
        let plant = (entry.build)(table, actuators, period).map_err(|e| e.within("plant"))?;
        return plant.linear().ok_or_else(|| {
            BuildError::new(
                "plant.kind",
                "this plant has no linear model",
                "choose a linear plant, or give frequency and damping",
            )
        });
    }
    let w = 2.0 * std::f64::consts::PI * values.number("frequency")?;
    let (zeta, gain) = (values.number("damping")?, values.number("gain")?);
    let one = StateSpace::from_transfer_function(&[gain * w * w], &[1.0, 2.0 * zeta * w, w * w])
        .map_err(|e| BuildError::new("frequency", e.to_string(), "give positive values"))?;
    let n = 2 * actuators;
    let mut system = LinearSystem {
        size: [n, actuators, actuators],
        a: vec![0.0; n * n],
        b: vec![0.0; n * actuators],
        c: vec![0.0; actuators * n],
        d: vec![0.0; actuators * actuators],
    };
    for i in 0..actuators {
        for r in 0..2 {
            for s in 0..2 {
                system.a[(2 * i + r) * n + 2 * i + s] = one.a[2 * r + s];
            }
            system.b[(2 * i + r) * actuators + i] = one.b[r];
            system.c[i * n + 2 * i + r] = one.c[r];
        }
    }
    Ok(system)
}
