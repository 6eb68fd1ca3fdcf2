//! The linear model of the transfer system that a model-based compensator is designed for.

use crate::plant;
use crate::{LinearSystem, StateSpace};
use tandem_quantity::{BuildError, Conditional, Context, Dimension, Values, settings};

settings! {
    /// The transfer system as a lag of second order.
    pub(super) struct SecondOrder {
        /// natural frequency of the second-order lag that the transfer system is taken for
        pub frequency: f64 = number(Dimension::FREQUENCY).or("\"18 Hz\"").positive(),
        /// its damping ratio
        pub damping: f64 = number(Dimension::NONE).or("0.7").positive(),
        /// its static gain
        pub gain: f64 = number(Dimension::NONE).or("1.0").positive(),
    }
}

settings! {
    /// The keys by which a plan gives it.
    pub(super) struct Model {
        /// model of all actuators; default: a second-order lag for each
        pub plant: Option<Values> = slot(&plant::SLOT),
        lag: Conditional<SecondOrder>,
    }
}

/// The plant that the table names, or a second-order lag for each actuator.
pub(super) fn model(settings: &Model, context: &Context<'_>) -> Result<LinearSystem, BuildError> {
    if let Some(table) = &settings.plant {
        let entry = context.registry.find(&plant::SLOT, table);
        let plant = entry
            .and_then(|entry| (entry.build)(table, context))
            .map_err(|e| e.within("plant"))?;
        return plant.linear().ok_or_else(|| {
            BuildError::new(
                "plant.kind",
                "this plant has no linear model",
                "choose a linear plant, or give frequency and damping",
            )
        });
    }
    let actuators = context.actuators;
    let lag = settings.lag.read()?;
    let w = 2.0 * std::f64::consts::PI * lag.frequency;
    let (zeta, gain) = (lag.damping, lag.gain);
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
