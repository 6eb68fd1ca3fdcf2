//! A virtual rig: servo, actuator, specimen and sensors as models.

use super::linked::AlongActuators;
use super::{Build, Measured, Released, Rig, RigContext, RigProperties, RigView};
use crate::actuator::{self, Load};
use crate::kinematics::{self, Kinematics};
use crate::plant::{self, Axes, Plant};
use crate::sensor::{Sensor, SensorSettings};
use crate::servo::{self, Servo};
use crate::specimen::{self, Members, Specimen};
use std::sync::Arc;
use tandem_quantity::{
    AsAttachment, BuildError, Conditional, Context, Dimension, Entry, ExternalModel, Method,
    Motion, Range, Registry, Settings, SpecimenMatrices, Values, choice, settings, whole,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "virtual",
        summary: "servo, actuator, specimen and sensors as models, stepped with the coordinator",
        reference: "Tekeste, Correia and Costa 2025, section 2; Silva et al. 2020",
        parameters: VirtualRigSettings::PARAMETERS,
    },
    build: &build,
};

choice! {
    /// Where the specimen's own axes are.
    enum SpecimenAt {
        Interface = "interface",
        Actuators = "actuators",
    }
}

settings! {
    struct VirtualRigSettings {
        /// rate of servo and actuator model; default: that of the coordinator
        rate: Option<f64> = number(Dimension::FREQUENCY).positive(),
        /// servo controller of every axis
        servo: Conditional<Option<Values>> = slot(&servo::SLOT),
        /// actuator of every axis
        actuator: Conditional<Option<Values>> = slot(&actuator::SLOT),
        /// servo and actuator of each axis by itself, such as an actuator and a shaking table side
        /// by side; what is left out is that of [rig]
        axis: Vec<AxisSettings> = tables(AxisSettings::PARAMETERS)
            .optional()
            .within(Range::between(1.0, 1e3)),
        /// instead of `actuator`: all axes in one model, where they act on each other or the
        /// specimen on them
        plant: Option<Values> = slot(&plant::SLOT),
        /// the virtual specimen; not with a plant that contains it
        specimen: Option<Values> = slot(&specimen::SLOT),
        /// where the specimen's own axes are: at the interface, behind the linkage of [kinematics];
        /// or along the actuators
        specimen_at: SpecimenAt = choice(SpecimenAt::WORDS).or("\"interface\""),
        /// noise, resolution and range
        sensors: Option<SensorSettings> = table(SensorSettings::PARAMETERS),
    }
}

settings! {
    /// One axis of several.
    struct AxisSettings {
        /// servo controller of this axis
        servo: Conditional<Option<Values>> = slot(&servo::SLOT),
        /// actuator of this axis
        actuator: Conditional<Option<Values>> = slot(&actuator::SLOT),
    }
}

/// A part of the rig that each axis may have of its own.
#[derive(Clone, Copy)]
enum Part {
    Servo,
    Actuator,
}

impl VirtualRigSettings {
    /// The table of a part of an axis, with its place in the plan: the axis' own, else that of the
    /// rig.
    fn of_axis(&self, part: Part, axis: usize) -> Result<(Option<Values>, String), BuildError> {
        let own = self.axis.get(axis);
        let (own, common, name) = match part {
            Part::Servo => (own.map(|own| &own.servo), &self.servo, "servo"),
            Part::Actuator => (own.map(|own| &own.actuator), &self.actuator, "actuator"),
        };
        if let Some(table) = own.map(Conditional::read).transpose()?.flatten() {
            return Ok((Some(table), format!("axis.{axis}.{name}")));
        }
        Ok((common.read()?, name.to_owned()))
    }
}

/// The servo of the first axis of a virtual rig: its table, and the rate of the models where they
/// have one of their own; none where there is no such servo.
///
/// # Errors
/// [`BuildError`] where the table was not checked.
pub fn first_servo(values: &Values) -> Result<Option<(Values, Option<f64>)>, BuildError> {
    let chosen = super::SLOT.find(values).ok();
    if chosen.is_none_or(|entry| entry.method.name != ENTRY.method.name) {
        return Ok(None);
    }
    let settings = VirtualRigSettings::read(values)?;
    let (table, _) = settings.of_axis(Part::Servo, 0)?;
    Ok(table.map(|table| (table, settings.rate)))
}

fn build(values: &Values, context: &RigContext<'_>) -> Result<Box<dyn Rig>, BuildError> {
    let settings = VirtualRigSettings::read(values)?;
    let Context {
        actuators,
        interface,
        period,
        ..
    } = context.common;
    let coordinator_rate = 1.0 / period;
    let rate = settings.rate.unwrap_or(coordinator_rate);
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
    let own = settings.axis.len();
    if own > 0 && own != actuators {
        return Err(BuildError::new(
            "axis",
            format!("{own} axes for {actuators} actuators"),
            format!("give {actuators} tables [[rig.axis]], or none"),
        ));
    }
    let common = Context {
        period: 1.0 / rate,
        ..context.common
    };
    let plant = build_plant(&settings, &common)?;
    let axis = Context {
        actuators: 1,
        interface: 1,
        ..common
    };
    let servos = (0..actuators)
        .map(|i| {
            let (table, place) = settings.of_axis(Part::Servo, i)?;
            let table = table.unwrap_or_default();
            let servo = axis.registry.find(&servo::SLOT, &table);
            servo
                .and_then(|servo| (servo.build)(&table, &axis))
                .map_err(|e| e.within(&place))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut linkage = match context.kinematics {
        Some(table) => kinematics::build(table, &context.common)?,
        None => None,
    };
    let at_actuators = settings.specimen_at == SpecimenAt::Actuators;
    let specimen_dof = if at_actuators { actuators } else { interface };
    let specimen = build_specimen(&settings, context, specimen_dof, plant.as_ref())?;
    let sensors = settings.sensors.unwrap_or_default();
    let sensors = Sensor::build(&sensors, &context.common).map_err(|e| e.within("sensors"))?;
    let mut rig = VirtualRig::new(plant, servos, specimen, sensors, rate * period);
    rig.servo_period = 1.0 / rate;
    if let Some(specimen) = &mut rig.specimen {
        specimen.set_period(if rig.force_is_felt {
            1.0 / rate
        } else {
            period
        });
    }
    match &mut linkage {
        Some(linkage) if !at_actuators => rig.carry(Some(linkage.as_mut())),
        _ => rig.carry(None),
    }
    Ok(Box::new(match (linkage, context.kinematics) {
        (Some(linkage), Some(table)) if at_actuators || rig.specimen.is_none() => {
            rig.along_actuators(linkage, table.clone(), &context.common)
        }
        (Some(linkage), _) => rig.behind(linkage),
        (None, _) => rig,
    }))
}

/// The model of all axes: one of its own, or one actuator an axis.
fn build_plant(
    settings: &VirtualRigSettings,
    context: &Context<'_>,
) -> Result<Box<dyn Plant>, BuildError> {
    if let Some(table) = &settings.plant {
        let mut at_axis = false;
        for axis in &settings.axis {
            at_axis |= axis.actuator.read()?.is_some();
        }
        if settings.actuator.read()?.is_some() || at_axis {
            return Err(BuildError::new(
                if at_axis { "axis" } else { "actuator" },
                "both `actuator` and `plant` are given",
                "keep one of the two: a plant contains its actuators",
            ));
        }
        let plant = context.registry.find(&plant::SLOT, table);
        return plant
            .and_then(|plant| (plant.build)(table, context))
            .map_err(|e| e.within("plant"));
    }
    let axis = Context {
        actuators: 1,
        interface: 1,
        ..*context
    };
    let mut actuators = Vec::new();
    for i in 0..context.actuators {
        let (table, place) = settings.of_axis(Part::Actuator, i)?;
        let table = table.unwrap_or_default();
        let actuator = axis.registry.find(&actuator::SLOT, &table);
        let actuator = actuator
            .and_then(|actuator| (actuator.build)(&table, &axis))
            .map_err(|e| e.within(&place))?;
        let (servo, servo_place) = settings.of_axis(Part::Servo, i)?;
        let with_servo = servo
            .as_ref()
            .and_then(|servo| servo.optional_text(servo::SLOT.selector))
            .is_some_and(|method| method != "none");
        if with_servo && !actuator.takes_a_servo() {
            return Err(BuildError::new(
                servo_place,
                "this actuator repeats its command: a servo around it has nothing to control",
                "remove the servo, or take an actuator with dynamics such as \"transfer-function\"",
            ));
        }
        actuators.push(actuator);
    }
    Ok(Box::new(Axes::new(actuators)))
}

/// The specimen, unless the plant contains it.
fn build_specimen(
    settings: &VirtualRigSettings,
    context: &RigContext<'_>,
    dof: usize,
    plant: &dyn Plant,
) -> Result<Option<Box<dyn Specimen>>, BuildError> {
    if let (Some(part), None) = (context.members, plant.specimen()) {
        if settings.specimen.is_some() {
            return Err(BuildError::new(
                "specimen",
                "the members named in interface.members are the specimen",
                "remove [rig.specimen], or interface.members",
            ));
        }
        return Ok(Some(Box::new(Members::new(part.clone()))));
    }
    match (&settings.specimen, plant.specimen()) {
        (Some(_), Some(_)) => Err(BuildError::new(
            "specimen",
            "the plant already contains its specimen",
            "remove [rig.specimen]; the plant's own keys describe it",
        )),
        (None, Some(_)) => Ok(None),
        (None, None) => Err(BuildError::new(
            "specimen",
            "the rig has no specimen",
            "add [rig.specimen], for example with stiffness = [\"1200 kN/m\"], or with kind = \
            \"none\" for actuators without payload",
        )),
        (Some(table), None) => {
            let common = Context {
                interface: dof,
                ..context.common
            };
            let specimen = common.registry.find(&specimen::SLOT, table);
            specimen
                .and_then(|specimen| (specimen.build)(table, &common))
                .map(Some)
                .map_err(|e| e.within("specimen"))
        }
    }
}

/// What makes the linkage that joins a specimen along the actuators to the interface.
#[derive(Clone)]
struct Joint {
    table: Values,
    actuators: usize,
    interface: usize,
    registry: Registry,
}

/// A linkage with the motion and the force on the specimen's side of it.
struct Linked {
    kinematics: Box<dyn Kinematics>,
    node: Measured,
}

/// Servo, actuator, specimen and sensors as models.
///
/// Several servo ticks may fall into one tick of the coordinator; where the rates do not divide
/// evenly their number varies by one, as it does in a laboratory.
pub struct VirtualRig {
    plant: Box<dyn Plant>,
    servos: Vec<Option<Box<dyn Servo>>>,
    specimen: Option<Box<dyn Specimen>>,
    /// Between the actuators and a specimen that has its own axes.
    linkage: Option<Linked>,
    /// What is known of the specimen at the interface, where that is not what it says itself.
    at_interface: Option<SpecimenMatrices>,
    /// Where the specimen stands along the actuators.
    joined_by: Option<Joint>,
    sensors: Sensor,
    drive: Motion,
    /// The last command: what goes on while nobody writes.
    last: Motion,
    instantaneous: bool,
    /// Whether somebody else computes a part of it.
    has_external_models: bool,
    /// Whether a servo or an actuator feels the force, so that it is needed at every servo tick;
    /// else once a tick of the coordinator will do.
    force_is_felt: bool,
    /// What the servos read.
    has_servo: bool,
    seen: Measured,
    /// Servo ticks per coordinator tick, and the period of the servo, s.
    ratio: f64,
    servo_period: f64,
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
        if let Some(linked) = &self.linkage {
            linked.kinematics.save(into);
        }
        self.sensors.save(into);
        self.last.save(into);
        self.ticks.save(into);
        self.servo_ticks.save(into);
        self.truth.save(into);
    }

    fn restore(
        &mut self,
        from: &mut tandem_quantity::StateReader<'_>,
    ) -> Result<(), tandem_quantity::SnapshotError> {
        self.plant.restore(from)?;
        for servo in self.servos.iter_mut().flatten() {
            servo.restore(from)?;
        }
        if let Some(specimen) = &mut self.specimen {
            specimen.restore(from)?;
        }
        if let Some(linked) = &mut self.linkage {
            linked.kinematics.restore(from)?;
        }
        self.sensors.restore(from)?;
        self.last.restore(from)?;
        self.ticks.restore(from)?;
        self.servo_ticks.restore(from)?;
        self.truth.restore(from)
    }
}

impl VirtualRig {
    /// Puts the parts together. `ratio` is the number of servo ticks per coordinator tick (at least
    /// one). The specimen is absent when the plant contains it.
    pub fn new(
        plant: Box<dyn Plant>,
        servos: Vec<Option<Box<dyn Servo>>>,
        specimen: Option<Box<dyn Specimen>>,
        sensors: Sensor,
        ratio: f64,
    ) -> Self {
        let instantaneous =
            plant.is_instantaneous() && servos.iter().all(Option::is_none) && sensors.is_ideal();
        let force_is_felt =
            plant.feels_force() || servos.iter().flatten().any(|servo| servo.uses_force());
        let has_servo = servos.iter().any(Option::is_some);
        let actuators = plant.actuators();
        let has_external_models = servos.iter().flatten().any(|s| s.external().is_some())
            || (0..actuators).any(|i| plant.external(i).is_some())
            || specimen.as_ref().is_some_and(|s| s.external().is_some());
        Self {
            has_external_models,
            plant,
            servos,
            specimen,
            linkage: None,
            at_interface: None,
            joined_by: None,
            sensors,
            drive: Motion::at_rest(actuators),
            last: Motion::at_rest(actuators),
            instantaneous,
            force_is_felt,
            has_servo,
            seen: Measured::at_rest(actuators),
            ratio,
            servo_period: f64::NAN,
            ticks: 0,
            servo_ticks: 0,
            truth: Measured::at_rest(actuators),
        }
    }

    /// Tells the actuators what is known of the specimen along them; `behind` this linkage, or
    /// straight ahead.
    fn carry(&mut self, behind: Option<&mut (dyn Kinematics + 'static)>) {
        let Some(known) = self
            .specimen
            .as_ref()
            .map(|s| s.specimen_matrices().clone())
        else {
            return;
        };
        let known = match behind {
            Some(kinematics) => known.map(|part| kinematics::matrix_at_actuators(kinematics, part)),
            None => known,
        };
        let n = self.plant.actuators();
        for i in 0..n {
            let along = |part: &[f64]| part.get(i * n + i).copied().unwrap_or(0.0).max(0.0);
            let load = Load {
                mass: along(&known.mass),
                damping: along(&known.damping),
                stiffness: along(&known.stiffness),
            };
            self.plant.carry(i, load);
        }
    }

    /// The same rig with the specimen behind a linkage: its axes are those of the interface.
    fn behind(mut self, mut kinematics: Box<dyn Kinematics>) -> Self {
        self.at_interface = self
            .specimen()
            .map(|known| known.map(|part| kinematics::matrix_felt(kinematics.as_mut(), part)));
        let node = Measured::at_rest(kinematics.interface());
        self.linkage = Some(Linked { kinematics, node });
        self
    }

    /// The same rig with its specimen along the actuators, which a linkage (made of this table)
    /// joins to the interface.
    fn along_actuators(
        mut self,
        mut kinematics: Box<dyn Kinematics>,
        table: Values,
        context: &Context<'_>,
    ) -> Self {
        self.joined_by = Some(Joint {
            table,
            actuators: context.actuators,
            interface: context.interface,
            registry: context.registry.clone(),
        });
        self.at_interface = self.specimen().map(|known| {
            known.map(|part| kinematics::matrix_at_interface(kinematics.as_mut(), part))
        });
        self
    }

    /// The parts that somebody else computes.
    fn external_models(&self) -> impl Iterator<Item = &dyn ExternalModel> {
        let servos = self.servos.iter().flatten().filter_map(|s| s.external());
        let axes = (0..self.plant.actuators()).filter_map(|i| self.plant.external(i));
        let specimen = self.specimen.iter().filter_map(|s| s.external());
        servos.chain(axes).chain(specimen)
    }

    fn specimen(&self) -> Option<&SpecimenMatrices> {
        match (&self.at_interface, &self.specimen) {
            (Some(known), _) => Some(known),
            (None, Some(specimen)) => Some(specimen.specimen_matrices()),
            (None, None) => self.plant.specimen(),
        }
    }

    fn specimen_as_attachment(&self) -> Option<AsAttachment> {
        let part = self.specimen.as_ref()?.as_attachment()?;
        let Some(joint) = self.joined_by.clone() else {
            // Fewer actuators than degrees of freedom do not let the interface feel all of the
            // specimen.
            let all_felt = self.linkage.as_ref().is_none_or(|linked| {
                linked.kinematics.actuators() >= linked.kinematics.interface()
            });
            return all_felt.then_some(part);
        };
        Some(Arc::new(move |dt| {
            let part = part(dt);
            let context = Context {
                interface: joint.interface,
                registry: &joint.registry,
                ..Context::of(joint.actuators, dt)
            };
            match kinematics::build(&joint.table, &context) {
                Ok(Some(linkage)) => Box::new(AlongActuators::new(part, linkage)),
                _ => part,
            }
        }))
    }

    #[inline]
    fn servo_tick(&mut self, command: &Motion) {
        self.drive.copy_from(command);
        if self.has_servo {
            self.sensors.sense(&self.truth, &mut self.seen);
        }
        for (i, servo) in self.servos.iter_mut().enumerate() {
            if let Some(servo) = servo {
                let (x, force) = (self.seen.motion.displacement[i], self.seen.force[i]);
                self.drive.displacement[i] =
                    servo.drive_with_force(command.displacement[i], x, force);
                self.drive.velocity[i] = 0.0;
                self.drive.acceleration[i] = 0.0;
            }
        }
        self.plant.advance(&self.drive, &mut self.truth);
    }

    /// One period of the coordinator under this command.
    #[inline]
    fn pass_period(&mut self, command: &Motion) {
        self.ticks += 1;
        let due = whole(self.ticks as f64 * self.ratio + 1e-6);
        while self.servo_ticks < due {
            self.servo_tick(command);
            self.servo_ticks += 1;
            if self.force_is_felt && self.servo_ticks < due {
                self.feel();
            }
        }
        self.feel();
        let repeats = self.plant.is_instantaneous();
        self.sensors.pass_period(&self.truth, repeats);
    }

    /// The specimen's force where the actuators stand now.
    #[inline]
    fn feel(&mut self) {
        match (&mut self.specimen, &mut self.linkage) {
            (Some(specimen), None) => {
                specimen.force(&self.truth.motion, &mut self.truth.force);
            }
            (Some(specimen), Some(Linked { kinematics, node })) => {
                // Strokes that belong to no position break the linkage: a force that is no number
                // stops the test.
                if kinematics.to_interface(&self.truth.motion, &mut node.motion) {
                    specimen.force(&node.motion, &mut node.force);
                } else {
                    node.force.fill(f64::NAN);
                }
                kinematics.force_to_actuators(&node.force, &mut self.truth.force);
            }
            (None, _) => {}
        }
    }
}

impl Rig for VirtualRig {
    fn properties(&self) -> RigProperties {
        RigProperties {
            actuators: self.plant.actuators(),
            is_model: true,
            is_instantaneous: self.instantaneous,
            needs_wall_clock: false,
            waits: self.has_external_models && self.external_models().any(ExternalModel::waits),
            measures_acceleration: self.sensors.measure_acceleration(),
            specimen: self.specimen().cloned(),
            specimen_is_linear: self.specimen.as_ref().is_none_or(|s| s.is_linear()),
            specimen_as_attachment: self.specimen_as_attachment(),
        }
    }

    #[inline]
    fn read(&mut self, measured: &mut Measured) {
        self.sensors.read(&self.truth, measured);
    }

    #[inline]
    fn write(&mut self, command: Released<'_>) {
        self.last.copy_from(&command);
        self.pass_period(&command);
    }

    fn idle(&mut self) {
        let mut last = std::mem::replace(&mut self.last, Motion::at_rest(0));
        last.velocity.fill(0.0);
        last.acceleration.fill(0.0);
        self.pass_period(&last);
        self.last = last;
    }

    fn free_run(&mut self) -> Option<f64> {
        if self.ratio < 1.0 + 1e-6 || !self.servo_period.is_finite() {
            return None;
        }
        self.sensors.read_more_often(self.ratio);
        if let Some(specimen) = &mut self.specimen {
            specimen.set_period(self.servo_period);
        }
        self.ratio = 1.0;
        (self.ticks, self.servo_ticks) = (0, 0);
        Some(self.servo_period)
    }

    fn observe(&self) -> &dyn RigView {
        self
    }
}

impl RigView for VirtualRig {
    fn tangent(&self, stiffness: &mut [f64]) -> bool {
        match &self.specimen {
            Some(specimen) => specimen.tangent(stiffness),
            None => false,
        }
    }

    fn truth(&self) -> Option<&Measured> {
        Some(&self.truth)
    }

    #[inline]
    fn fault_message(&self) -> Option<&str> {
        if !self.has_external_models {
            return None;
        }
        self.external_models()
            .find_map(ExternalModel::fault_message)
    }

    fn slowest_step(&self) -> Option<f64> {
        let each = self.external_models().map(ExternalModel::slowest_step);
        each.fold(None, |worst, time| {
            Some(worst.map_or(time, |worst: f64| worst.max(time)))
        })
    }
}
