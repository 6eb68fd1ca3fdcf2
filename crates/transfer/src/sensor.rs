//! Sensors and converters of a virtual rig.
//!
//! Ports: true motion and force → measured motion and force: noise, then saturation at the range, then rounding to
//! the resolution. Velocity and acceleration pass unchanged.

use crate::rig::{Context, Measured};
use tandem_quantity::{
    BuildError, Dimension, Parameter, Snapshot, SnapshotError, Values, Words, copy_few,
};
use tandem_signal::noise::{Quantiser, Saturation, WhiteNoise};

/// The table in the plan.
pub static PARAMETERS: &[Parameter] = &[
    Parameter::number(
        "displacement_noise",
        Dimension::LENGTH,
        "standard deviation of white noise",
    )
    .optional()
    .not_negative(),
    Parameter::number(
        "displacement_resolution",
        Dimension::LENGTH,
        "step of the converter",
    )
    .optional()
    .positive(),
    Parameter::number(
        "displacement_range",
        Dimension::LENGTH,
        "saturation on both sides",
    )
    .optional()
    .positive(),
    Parameter::number(
        "force_noise",
        Dimension::FORCE,
        "standard deviation of white noise",
    )
    .optional()
    .not_negative(),
    Parameter::number(
        "force_resolution",
        Dimension::FORCE,
        "step of the converter",
    )
    .optional()
    .positive(),
    Parameter::number("force_range", Dimension::FORCE, "saturation on both sides")
        .optional()
        .positive(),
];

/// One kind of sensor, the same for all actuators, with independent noise.
#[derive(Clone, Debug)]
struct Chain {
    noise: Vec<WhiteNoise>,
    range: Option<Saturation>,
    resolution: Option<Quantiser>,
}

impl Chain {
    fn build(
        values: &Values,
        what: &str,
        context: &Context<'_>,
        stream: u64,
    ) -> Result<Self, BuildError> {
        let key = |part: &str| format!("{what}_{part}");
        let refuse = |part: &str, error: tandem_signal::SignalError| {
            BuildError::new(
                key(part),
                error.to_string(),
                "give a finite value that is not negative",
            )
        };
        let deviation = values.optional_number(&key("noise")).unwrap_or(0.0);
        let noise = if deviation > 0.0 {
            (0..context.actuators as u64)
                .map(|i| WhiteNoise::with_stream(deviation, context.seed, stream + 2 * i))
                .collect::<Result<_, _>>()
                .map_err(|error| refuse("noise", error))?
        } else {
            Vec::new()
        };
        let part = |part: &str| values.optional_number(&key(part));
        Ok(Self {
            noise,
            range: part("range")
                .map(Saturation::new)
                .transpose()
                .map_err(|e| refuse("range", e))?,
            resolution: part("resolution")
                .map(Quantiser::new)
                .transpose()
                .map_err(|e| refuse("resolution", e))?,
        })
    }

    #[inline]
    fn read(&mut self, truth: &[f64], measured: &mut [f64]) {
        copy_few(measured, truth);
        for (x, noise) in measured.iter_mut().zip(&mut self.noise) {
            *x += noise.next();
        }
        if let Some(range) = &self.range {
            measured.iter_mut().for_each(|x| *x = range.step(*x));
        }
        if let Some(resolution) = &self.resolution {
            measured.iter_mut().for_each(|x| *x = resolution.step(*x));
        }
    }

    fn is_ideal(&self) -> bool {
        self.noise.is_empty() && self.range.is_none() && self.resolution.is_none()
    }
}

/// All sensors of a virtual rig.
#[derive(Clone, Debug)]
pub struct Sensor {
    displacement: Chain,
    force: Chain,
}

impl Sensor {
    /// From the table in the plan.
    pub fn build(values: &Values, context: &Context<'_>) -> Result<Self, BuildError> {
        Ok(Self {
            displacement: Chain::build(values, "displacement", context, 0)?,
            force: Chain::build(values, "force", context, 1)?,
        })
    }

    /// Whether sensors tell the truth.
    pub fn is_ideal(&self) -> bool {
        self.displacement.is_ideal() && self.force.is_ideal()
    }

    /// What the sensors say.
    #[inline]
    pub fn read(&mut self, truth: &Measured, measured: &mut Measured) {
        self.displacement.read(
            &truth.motion.displacement,
            &mut measured.motion.displacement,
        );
        copy_few(&mut measured.motion.velocity, &truth.motion.velocity);
        copy_few(
            &mut measured.motion.acceleration,
            &truth.motion.acceleration,
        );
        self.force.read(&truth.force, &mut measured.force);
    }
}

impl Snapshot for Sensor {
    fn save(&self, into: &mut Vec<f64>) {
        self.displacement.noise.save(into);
        self.force.noise.save(into);
    }

    fn restore(&mut self, from: &mut Words<'_>) -> Result<(), SnapshotError> {
        self.displacement.noise.restore(from)?;
        self.force.noise.restore(from)
    }
}
