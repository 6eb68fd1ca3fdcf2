//! Sensors and converters of a virtual rig.
//!
//! Ports: true motion and force → measured motion and force: gain and offset of a wrong
//! calibration, noise, then saturation at the range, then rounding to the resolution.
//! Accelerometers have noise only and give the mean over the period, as an integrating converter
//! does: under a held command the acceleration of a model jumps when the command does, and a sample
//! just before the jump is no measure of the period (behind a lag of second order at ω it is wrong
//! by ω²T/2 times the velocity). Velocity passes unchanged. A servo reads the same sensors at its
//! own rate; the coordinator may get its displacement later, as from a camera.

use crate::History;
use tandem_quantity::{
    BuildError, Context, Dimension, Snapshot, SnapshotError, StateReader, copy_few, index, settings,
};
use tandem_safety::Measured;
use tandem_signal::noise::{Quantiser, Saturation, WhiteNoise};

settings! {
    /// The table in the plan.
    #[derive(Default)]
    pub(crate) struct SensorSettings {
        /// reading over truth: what is wrong with the calibration
        displacement_gain: Option<f64> = number(Dimension::NONE).positive(),
        /// reading at zero
        displacement_offset: Option<f64> = number(Dimension::LENGTH),
        /// how much later the coordinator gets the displacement, as from a camera; servos get it at
        /// once
        displacement_late: Option<f64> = number(Dimension::TIME).not_negative(),
        /// the actuators have accelerometers, which are recorded; standard deviation of their white
        /// noise
        acceleration_noise: Option<f64> = number(Dimension::ACCELERATION).not_negative(),
        /// reading over truth: what is wrong with the calibration
        force_gain: Option<f64> = number(Dimension::NONE).positive(),
        /// reading at zero
        force_offset: Option<f64> = number(Dimension::FORCE),
        /// standard deviation of white noise
        displacement_noise: Option<f64> = number(Dimension::LENGTH).not_negative(),
        /// step of the converter
        displacement_resolution: Option<f64> = number(Dimension::LENGTH).positive(),
        /// saturation on both sides
        displacement_range: Option<f64> = number(Dimension::LENGTH).positive(),
        /// standard deviation of white noise
        force_noise: Option<f64> = number(Dimension::FORCE).not_negative(),
        /// step of the converter
        force_resolution: Option<f64> = number(Dimension::FORCE).positive(),
        /// saturation on both sides
        force_range: Option<f64> = number(Dimension::FORCE).positive(),
        /// one sequence of noise for all sensors, each with its own standard deviation, as the
        /// published benchmark problems have it; default: independent noise
        same_noise: bool = boolean().or("false"),
    }
}

/// What the table says of one kind of sensor.
#[derive(Default)]
struct Given {
    what: &'static str,
    gain: Option<f64>,
    offset: Option<f64>,
    noise: Option<f64>,
    range: Option<f64>,
    resolution: Option<f64>,
}

/// One kind of sensor, the same for all actuators.
#[derive(Clone, Debug)]
struct Chain {
    gain: f64,
    offset: f64,
    noise: Vec<WhiteNoise>,
    range: Option<Saturation>,
    resolution: Option<Quantiser>,
    /// None of the above does anything.
    ideal: bool,
}

impl Chain {
    fn build(
        given: &Given,
        same: bool,
        context: &Context<'_>,
        stream: u64,
    ) -> Result<Self, BuildError> {
        let key = |part: &str| format!("{}_{part}", given.what);
        let refuse = |part: &str, error: tandem_signal::SignalError| {
            BuildError::new(
                key(part),
                error.to_string(),
                "give a finite value that is not negative",
            )
        };
        let deviation = given.noise.unwrap_or(0.0);
        let noise = if deviation > 0.0 {
            (0..context.actuators as u64)
                .map(|i| if same { 0 } else { stream + 2 * i })
                .map(|stream| WhiteNoise::with_stream(deviation, context.seed, stream))
                .collect::<Result<_, _>>()
                .map_err(|error| refuse("noise", error))?
        } else {
            Vec::new()
        };
        let mut chain = Self {
            gain: given.gain.unwrap_or(1.0),
            offset: given.offset.unwrap_or(0.0),
            noise,
            range: given
                .range
                .map(Saturation::new)
                .transpose()
                .map_err(|e| refuse("range", e))?,
            resolution: given
                .resolution
                .map(Quantiser::new)
                .transpose()
                .map_err(|e| refuse("resolution", e))?,
            ideal: false,
        };
        chain.ideal = chain.is_calibrated()
            && chain.noise.is_empty()
            && chain.range.is_none()
            && chain.resolution.is_none();
        Ok(chain)
    }

    #[inline]
    fn read(&mut self, truth: &[f64], measured: &mut [f64]) {
        copy_few(measured, truth);
        if self.ideal {
            return;
        }
        if !self.is_calibrated() {
            for x in measured.iter_mut() {
                *x = self.gain * *x + self.offset;
            }
        }
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

    #[allow(clippy::float_cmp)] // exactly one and zero change nothing
    fn is_calibrated(&self) -> bool {
        self.gain == 1.0 && self.offset == 0.0
    }
}

/// All sensors of a virtual rig.
#[derive(Clone, Debug)]
pub struct Sensor {
    displacement: Chain,
    force: Chain,
    acceleration: Chain,
    /// Whether the plan names accelerometers; without them the acceleration is known to the model
    /// alone.
    accelerometers: bool,
    /// Velocity at the end of the last period, and the mean acceleration over it.
    period: f64,
    velocity: Vec<f64>,
    mean: Vec<f64>,
    /// Displacements on their way to the coordinator, and how many ticks they take.
    late: Option<(History, usize)>,
}

impl Sensor {
    /// From the table in the plan.
    pub(crate) fn build(
        settings: &SensorSettings,
        context: &Context<'_>,
    ) -> Result<Self, BuildError> {
        let ticks = settings.displacement_late.unwrap_or(0.0) / context.period;
        if ticks > 1e5 {
            return Err(BuildError::new(
                "displacement_late",
                "longer than a hundred thousand ticks of the coordinator",
                "give a shorter time",
            ));
        }
        let ticks = index(ticks.round());
        let chain =
            |given: Given, stream: u64| Chain::build(&given, settings.same_noise, context, stream);
        Ok(Self {
            displacement: chain(
                Given {
                    what: "displacement",
                    gain: settings.displacement_gain,
                    offset: settings.displacement_offset,
                    noise: settings.displacement_noise,
                    range: settings.displacement_range,
                    resolution: settings.displacement_resolution,
                },
                0,
            )?,
            force: chain(
                Given {
                    what: "force",
                    gain: settings.force_gain,
                    offset: settings.force_offset,
                    noise: settings.force_noise,
                    range: settings.force_range,
                    resolution: settings.force_resolution,
                },
                1,
            )?,
            acceleration: chain(
                Given {
                    what: "acceleration",
                    noise: settings.acceleration_noise,
                    ..Given::default()
                },
                500,
            )?,
            accelerometers: settings.acceleration_noise.is_some(),
            period: context.period,
            velocity: vec![0.0; context.actuators],
            mean: vec![0.0; context.actuators],
            late: (ticks > 0).then(|| (History::new(context.actuators, ticks + 1), ticks)),
        })
    }

    /// From now on [`Sensor::read`] is called so many times as often: what is late stays late by
    /// the same time.
    pub(crate) fn read_more_often(&mut self, times: f64) {
        if let Some((past, ticks)) = &mut self.late {
            let more = index((*ticks as f64 * times).round());
            (*past, *ticks) = (History::new(past.points(), more + 1), more);
        }
    }

    /// Whether sensors tell the truth.
    pub fn is_ideal(&self) -> bool {
        self.displacement.ideal
            && self.force.ideal
            && self.acceleration.ideal
            && self.late.is_none()
    }

    /// Whether there are accelerometers.
    pub fn measure_acceleration(&self) -> bool {
        self.accelerometers
    }

    /// A period of the coordinator has passed. `repeats`: the pistons stand where the command says,
    /// with its acceleration.
    #[inline]
    pub fn pass_period(&mut self, truth: &Measured, repeats: bool) {
        let motion = &truth.motion;
        for (i, mean) in self.mean.iter_mut().enumerate() {
            *mean = if repeats {
                motion.acceleration[i]
            } else {
                (motion.velocity[i] - self.velocity[i]) / self.period
            };
        }
        copy_few(&mut self.velocity, &motion.velocity);
    }

    /// What the sensors say, at the transducers.
    #[inline]
    pub fn sense(&mut self, truth: &Measured, measured: &mut Measured) {
        self.displacement.read(
            &truth.motion.displacement,
            &mut measured.motion.displacement,
        );
        copy_few(&mut measured.motion.velocity, &truth.motion.velocity);
        self.acceleration
            .read(&self.mean, &mut measured.motion.acceleration);
        self.force.read(&truth.force, &mut measured.force);
    }

    /// What the coordinator gets at its tick.
    #[inline]
    pub fn read(&mut self, truth: &Measured, measured: &mut Measured) {
        self.sense(truth, measured);
        if let Some((past, ticks)) = &mut self.late {
            past.push(&measured.motion.displacement);
            copy_few(&mut measured.motion.displacement, past.back(*ticks));
        }
    }
}

impl Snapshot for Sensor {
    fn save(&self, into: &mut Vec<f64>) {
        self.displacement.noise.save(into);
        self.force.noise.save(into);
        self.acceleration.noise.save(into);
        self.velocity.save(into);
        self.mean.save(into);
        if let Some((past, _)) = &self.late {
            past.save(into);
        }
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.displacement.noise.restore(from)?;
        self.force.noise.restore(from)?;
        self.acceleration.noise.restore(from)?;
        self.velocity.restore(from)?;
        self.mean.restore(from)?;
        match &mut self.late {
            Some((past, _)) => past.restore(from),
            None => Ok(()),
        }
    }
}
