//! A virtual rig: servo, actuator, specimen and sensors as models.

use super::{Build, Context, Measured, Rig};
use crate::actuator;
use crate::plant::{self, Axes, Plant};
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
                "plant",
                Kind::Slot(&plant::SLOT),
                "instead of `actuator`: all axes in one model, where they act on each other or the specimen on them",
            )
            .optional(),
            Parameter::of(
                "specimen",
                Kind::Slot(&specimen::SLOT),
                "the virtual specimen; not with a plant that contains it",
            )
            .optional(),
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
    if rate > 1000.0 * coordinator_rate {
        return Err(BuildError::new(
            "rate",
            format!(
                "{rate} Hz is more than a thousand times the coordinator's {coordinator_rate} Hz"
            ),
            "give the rig a lower rate; 5 kHz is usual for a servo",
        ));
    }
    let none = Values::new();
    let pick = |key: &str| values.optional_table(key).unwrap_or(&none);
    let with_servo = pick("servo")
        .optional_text("method")
        .is_some_and(|method| method != "none");
    let plant = build_plant(values, context, 1.0 / rate, with_servo)?;
    let servo_table = pick("servo");
    let servo_entry = Entry::find(
        servo::METHODS,
        servo_table.optional_text("method").unwrap_or("none"),
    )
    .ok_or_else(|| BuildError::new("servo.method", "unknown servo", "see `tandem methods`"))?;
    let servos = (0..context.actuators)
        .map(|_| (servo_entry.build)(servo_table, 1.0 / rate).map_err(|e| e.within("servo")))
        .collect::<Result<Vec<_>, _>>()?;
    let specimen = build_specimen(values, context, plant.as_ref())?;
    let sensors = Sensor::build(pick("sensors"), context).map_err(|e| e.within("sensors"))?;
    Ok(Box::new(VirtualRig::new(
        plant,
        servos,
        specimen,
        sensors,
        rate * context.period,
    )))
}

/// The model of all axes: one of its own, or one actuator an axis.
fn build_plant(
    values: &Values,
    context: &Context,
    period: f64,
    with_servo: bool,
) -> Result<Box<dyn Plant>, BuildError> {
    if let Some(table) = values.optional_table("plant") {
        if values.has("actuator") {
            return Err(BuildError::new(
                "actuator",
                "both `actuator` and `plant` are given",
                "keep one of the two: a plant contains its actuators",
            ));
        }
        let entry = Entry::find(plant::METHODS, table.text("kind")?).ok_or_else(|| {
            BuildError::new("plant.kind", "unknown plant", "see `tandem methods`")
        })?;
        return (entry.build)(table, context.actuators, period).map_err(|e| e.within("plant"));
    }
    let none = Values::new();
    let table = values.optional_table("actuator").unwrap_or(&none);
    let entry = Entry::find(
        actuator::METHODS,
        table.optional_text("method").unwrap_or("ideal"),
    )
    .ok_or_else(|| {
        BuildError::new(
            "actuator.method",
            "unknown actuator",
            "see `tandem methods`",
        )
    })?;
    let actuators = (0..context.actuators)
        .map(|_| (entry.build)(table, period).map_err(|e| e.within("actuator")))
        .collect::<Result<Vec<_>, _>>()?;
    if with_servo && actuators.iter().any(|actuator| !actuator.takes_a_servo()) {
        return Err(BuildError::new(
            "servo",
            "this actuator repeats its command: a servo around it has nothing to control",
            "remove [rig.servo], or take an actuator with dynamics such as \"transfer-function\"",
        ));
    }
    Ok(Box::new(Axes::new(actuators)))
}

/// The specimen, unless the plant contains it.
fn build_specimen(
    values: &Values,
    context: &Context,
    plant: &dyn Plant,
) -> Result<Option<Box<dyn Specimen>>, BuildError> {
    match (values.optional_table("specimen"), plant.specimen()) {
        (Some(_), Some(_)) => Err(BuildError::new(
            "specimen",
            "the plant already contains its specimen",
            "remove [rig.specimen]; the plant's own keys describe it",
        )),
        (None, Some(_)) => Ok(None),
        (None, None) => Err(BuildError::new(
            "specimen",
            "the rig has no specimen",
            "add [rig.specimen], for example with stiffness = [\"1200 kN/m\"]",
        )),
        (Some(table), None) => {
            let entry = Entry::find(specimen::METHODS, table.text("kind")?).ok_or_else(|| {
                BuildError::new("specimen.kind", "unknown specimen", "see `tandem methods`")
            })?;
            (entry.build)(table, context.actuators)
                .map(Some)
                .map_err(|e| e.within("specimen"))
        }
    }
}

/// Servo, actuator, specimen and sensors as models.
///
/// Several servo ticks may fall into one tick of the coordinator; where the rates do not divide evenly their number
/// varies by one, as it does in a laboratory.
pub struct VirtualRig {
    plant: Box<dyn Plant>,
    servos: Vec<Option<Box<dyn Servo>>>,
    specimen: Option<Box<dyn Specimen>>,
    sensors: Sensor,
    drive: Motion,
    instantaneous: bool,
    /// Servo ticks per coordinator tick.
    ratio: f64,
    ticks: u64,
    servo_ticks: u64,
    truth: Measured,
}

impl tandem_quantity::Snapshot for VirtualRig {
    fn save(&self, into: &mut Vec<f64>) {
        self.plant.save(into);
        for servo in self.servos.iter().flatten() {
            servo.save(into);
        }
        if let Some(specimen) = &self.specimen {
            specimen.save(into);
        }
        self.sensors.save(into);
        self.ticks.save(into);
        self.servo_ticks.save(into);
        self.truth.save(into);
    }

    fn restore(
        &mut self,
        from: &mut tandem_quantity::Words<'_>,
    ) -> Result<(), tandem_quantity::SnapshotError> {
        self.plant.restore(from)?;
        for servo in self.servos.iter_mut().flatten() {
            servo.restore(from)?;
        }
        if let Some(specimen) = &mut self.specimen {
            specimen.restore(from)?;
        }
        self.sensors.restore(from)?;
        self.ticks.restore(from)?;
        self.servo_ticks.restore(from)?;
        self.truth.restore(from)
    }
}

impl VirtualRig {
    /// Puts the parts together. `ratio` is the number of servo ticks per coordinator tick (at least one). The specimen
    /// is absent when the plant contains it.
    pub fn new(
        plant: Box<dyn Plant>,
        servos: Vec<Option<Box<dyn Servo>>>,
        specimen: Option<Box<dyn Specimen>>,
        sensors: Sensor,
        ratio: f64,
    ) -> Self {
        let instantaneous =
            plant.is_instantaneous() && servos.iter().all(Option::is_none) && sensors.is_ideal();
        let actuators = plant.actuators();
        Self {
            plant,
            servos,
            specimen,
            sensors,
            drive: Motion::at_rest(actuators),
            instantaneous,
            ratio,
            ticks: 0,
            servo_ticks: 0,
            truth: Measured::at_rest(actuators),
        }
    }

    #[inline]
    fn servo_tick(&mut self, command: &Motion) {
        self.drive.copy_from(command);
        for (i, servo) in self.servos.iter_mut().enumerate() {
            if let Some(servo) = servo {
                let measured = self.truth.motion.displacement[i];
                self.drive.displacement[i] =
                    servo.drive_with_force(command.displacement[i], measured, self.truth.force[i]);
                self.drive.velocity[i] = 0.0;
                self.drive.acceleration[i] = 0.0;
            }
        }
        self.plant.advance(&self.drive, &mut self.truth);
        if let Some(specimen) = &mut self.specimen {
            specimen.force(&self.truth.motion, &mut self.truth.force);
        }
    }
}

impl Rig for VirtualRig {
    fn actuators(&self) -> usize {
        self.plant.actuators()
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
        match &self.specimen {
            Some(specimen) => Some(specimen.impedance()),
            None => self.plant.specimen(),
        }
    }

    fn specimen_is_linear(&self) -> bool {
        self.specimen.as_ref().is_none_or(|s| s.is_linear())
    }

    fn is_instantaneous(&self) -> bool {
        self.instantaneous
    }

    fn tangent(&self, stiffness: &mut [f64]) -> bool {
        match &self.specimen {
            Some(specimen) => specimen.tangent(stiffness),
            None => false,
        }
    }

    fn truth(&self) -> Option<&Measured> {
        Some(&self.truth)
    }
}
