//! A virtual rig: servo, actuator, specimen and sensors as models.

use super::{Build, Context, Measured, Rig};
use crate::actuator::{self, Actuator};
use crate::sensor::{self, Sensor};
use crate::servo::{self, Servo};
use crate::specimen::{self, Specimen};
use tandem_quantity::{
    BuildError, Dimension, Entry, Impedance, Kind, Method, Motion, Parameter, Values,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "virtual",
        summary: "servo, actuator, specimen and sensors as models, stepped with the coordinator",
        reference: "Tekeste, Correia and Costa 2025, section 2; Silva et al. 2020",
        parameters: &[
            Parameter::number(
                "rate",
                Dimension::FREQUENCY,
                "rate of servo and actuator model; default: that of the coordinator",
            )
            .optional()
            .positive(),
            Parameter::of(
                "servo",
                Kind::Slot(&servo::SLOT),
                "servo controller of every axis",
            )
            .optional(),
            Parameter::of(
                "actuator",
                Kind::Slot(&actuator::SLOT),
                "actuator of every axis",
            )
            .optional(),
            Parameter::of(
                "specimen",
                Kind::Slot(&specimen::SLOT),
                "the virtual specimen",
            ),
            Parameter::of(
                "sensors",
                Kind::Table(sensor::PARAMETERS),
                "noise, resolution and range",
            )
            .optional(),
        ],
    },
    build,
};

fn build(values: &Values, context: &Context) -> Result<Box<dyn Rig>, BuildError> {
    let coordinator_rate = 1.0 / context.period;
    let rate = values.optional_number("rate").unwrap_or(coordinator_rate);
    if rate < coordinator_rate * (1.0 - 1e-9) {
        return Err(BuildError::new(
            "rate",
            format!("{rate} Hz is below the coordinator's {coordinator_rate} Hz"),
            "give the rig at least the rate of the coordinator (command.rate)",
        ));
    }
    let none = Values::new();
    let pick = |key: &str| values.optional_table(key).unwrap_or(&none);
    let (actuator_table, servo_table) = (pick("actuator"), pick("servo"));
    let actuator_entry = Entry::find(
        actuator::METHODS,
        actuator_table.optional_text("method").unwrap_or("ideal"),
    )
    .ok_or_else(|| {
        BuildError::new(
            "actuator.method",
            "unknown actuator",
            "see `tandem methods`",
        )
    })?;
    let servo_entry = Entry::find(
        servo::METHODS,
        servo_table.optional_text("method").unwrap_or("none"),
    )
    .ok_or_else(|| BuildError::new("servo.method", "unknown servo", "see `tandem methods`"))?;
    let mut actuators = Vec::new();
    let mut servos = Vec::new();
    for _ in 0..context.actuators {
        actuators.push(
            (actuator_entry.build)(actuator_table, 1.0 / rate).map_err(|e| e.within("actuator"))?,
        );
        servos.push((servo_entry.build)(servo_table, 1.0 / rate).map_err(|e| e.within("servo"))?);
    }
    let specimen_table = values.table("specimen")?;
    let specimen_entry =
        Entry::find(specimen::METHODS, specimen_table.text("kind")?).ok_or_else(|| {
            BuildError::new("specimen.kind", "unknown specimen", "see `tandem methods`")
        })?;
    let specimen = (specimen_entry.build)(specimen_table, context.actuators)
        .map_err(|e| e.within("specimen"))?;
    let sensors = Sensor::build(pick("sensors"), context).map_err(|e| e.within("sensors"))?;
    Ok(Box::new(VirtualRig::new(
        actuators,
        servos,
        specimen,
        sensors,
        rate * context.period,
    )))
}

/// Servo, actuator, specimen and sensors as models.
///
/// Several servo ticks may fall into one tick of the coordinator; where the rates do not divide evenly their number
/// varies by one, as it does in a laboratory.
pub struct VirtualRig {
    actuators: Vec<Box<dyn Actuator>>,
    servos: Vec<Option<Box<dyn Servo>>>,
    specimen: Box<dyn Specimen>,
    sensors: Sensor,
    instantaneous: bool,
    /// Servo ticks per coordinator tick.
    ratio: f64,
    ticks: u64,
    servo_ticks: u64,
    truth: Measured,
}

impl tandem_quantity::Snapshot for VirtualRig {
    fn save(&self, into: &mut Vec<f64>) {
        self.actuators.save(into);
        for servo in self.servos.iter().flatten() {
            servo.save(into);
        }
        self.specimen.save(into);
        self.sensors.save(into);
        self.ticks.save(into);
        self.servo_ticks.save(into);
        self.truth.save(into);
    }

    fn restore(
        &mut self,
        from: &mut tandem_quantity::Words<'_>,
    ) -> Result<(), tandem_quantity::SnapshotError> {
        self.actuators.restore(from)?;
        for servo in self.servos.iter_mut().flatten() {
            servo.restore(from)?;
        }
        self.specimen.restore(from)?;
        self.sensors.restore(from)?;
        self.ticks.restore(from)?;
        self.servo_ticks.restore(from)?;
        self.truth.restore(from)
    }
}

impl VirtualRig {
    /// Puts the parts together. `ratio` is the number of servo ticks per coordinator tick (at least one).
    pub fn new(
        actuators: Vec<Box<dyn Actuator>>,
        servos: Vec<Option<Box<dyn Servo>>>,
        specimen: Box<dyn Specimen>,
        sensors: Sensor,
        ratio: f64,
    ) -> Self {
        let instantaneous = actuators.iter().all(|a| a.is_instantaneous())
            && servos.iter().all(Option::is_none)
            && sensors.is_ideal();
        let truth = Measured::at_rest(actuators.len());
        Self {
            actuators,
            servos,
            specimen,
            sensors,
            instantaneous,
            ratio,
            ticks: 0,
            servo_ticks: 0,
            truth,
        }
    }

    #[inline]
    fn servo_tick(&mut self, command: &Motion) {
        let motion = &mut self.truth.motion;
        for i in 0..self.actuators.len() {
            let mut axis = [
                command.displacement[i],
                command.velocity[i],
                command.acceleration[i],
            ];
            if let Some(servo) = &mut self.servos[i] {
                axis = [servo.drive(axis[0], motion.displacement[i]), 0.0, 0.0];
            }
            let [x, v, a] = self.actuators[i].advance(axis);
            motion.displacement[i] = x;
            motion.velocity[i] = v;
            motion.acceleration[i] = a;
        }
        self.specimen.force(motion, &mut self.truth.force);
    }
}

impl Rig for VirtualRig {
    fn actuators(&self) -> usize {
        self.actuators.len()
    }

    #[inline]
    fn read(&mut self, measured: &mut Measured) {
        self.sensors.read(&self.truth, measured);
    }

    #[inline]
    fn write(&mut self, command: &Motion) {
        self.ticks += 1;
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss
        )]
        let due = (self.ticks as f64 * self.ratio + 1e-6) as u64;
        while self.servo_ticks < due {
            self.servo_tick(command);
            self.servo_ticks += 1;
        }
    }

    fn specimen(&self) -> Option<&Impedance> {
        Some(self.specimen.impedance())
    }

    fn specimen_is_linear(&self) -> bool {
        self.specimen.is_linear()
    }

    fn is_instantaneous(&self) -> bool {
        self.instantaneous
    }

    fn truth(&self) -> Option<&Measured> {
        Some(&self.truth)
    }
}
