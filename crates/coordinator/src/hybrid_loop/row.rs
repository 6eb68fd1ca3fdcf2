//! The row of a tick: where each channel stands in it, and what fills it.

use super::interface::Node;
use super::parts::Parts;
use super::{Sensors, TargetStatus};
use crate::channels::{self as of, Per, Quantity};
use crate::recorder::{Channel, Role};
use tandem_quantity::{Motion, copy_few};
use tandem_transfer::conditioning::Pipeline;
use tandem_transfer::rig::Measured;

/// Where channels stand in the row; empty for those that this test has not.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    at: usize,
    length: usize,
}

impl Span {
    #[inline(always)]
    fn is_there(self) -> bool {
        self.length > 0
    }
}

/// Displacement, velocity and acceleration.
type OfMotion = [Span; 3];

/// Where every channel stands.
#[derive(Clone, Debug, Default)]
struct Spans {
    ground: Span,
    target: Span,
    command: Span,
    displacement: Span,
    force: Span,
    acceleration: Span,
    raw: OfMotion,
    raw_force: Span,
    interface: [Span; 3],
    response: OfMotion,
    unbalanced: Span,
    confidence: Span,
    estimated: Span,
    true_stiffness: Span,
    coefficients: Vec<Span>,
    monitors: Vec<Span>,
    pending: Span,
    status: Span,
    driver: OfMotion,
    driver_steps: Span,
    driver_times: Span,
}

/// The values of a tick, with the channels that they are.
pub(super) struct Row {
    values: Vec<f64>,
    channels: Vec<Channel>,
    spans: Spans,
}

/// Which channels a test has besides those of every test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Has {
    /// The integrator estimates the specimen's stiffness.
    pub estimate: bool,
    /// The rig knows the true one.
    pub true_stiffness: bool,
    /// The method assumes something of the forces.
    pub unbalanced: bool,
}

/// Channels as they are declared, one after the other.
struct RowLayout<'a> {
    parts: &'a Parts,
    channels: Vec<Channel>,
}

impl RowLayout<'_> {
    fn push(&mut self, channels: impl IntoIterator<Item = Channel>) -> Span {
        let at = self.channels.len();
        self.channels.extend(channels);
        Span {
            at,
            length: self.channels.len() - at,
        }
    }

    /// The channels of a quantity, or of none.
    fn add_if(&mut self, there: bool, quantity: &Quantity) -> Span {
        if there {
            self.add(quantity)
        } else {
            Span::default()
        }
    }

    /// The channels of a quantity: one for each of what it is of.
    fn add(&mut self, quantity: &Quantity) -> Span {
        let problem = self.parts.integrator.problem();
        let (structure, interface) = (&problem.structure, &problem.interface);
        let properties = structure.properties();
        let unit_at = |dof: usize| properties.unit_at(dof, quantity.unit);
        let actuators = self.parts.rig.properties().actuators;
        let channels: Vec<Channel> = match quantity.per {
            Per::Test => vec![Channel::new(
                quantity.name,
                quantity.unit,
                quantity.role,
                quantity.meaning,
            )],
            Per::Actuator => {
                // Without a linkage every actuator is one degree of freedom.
                let dof_of = |i: usize| match self.parts.kinematics {
                    Some(_) => None,
                    None => interface.get(i).copied(),
                };
                let channel = |i: usize| {
                    let unit = dof_of(i).map_or(quantity.unit, unit_at);
                    quantity.channel(i + 1, unit, &(i + 1).to_string())
                };
                (0..actuators).map(channel).collect()
            }
            Per::Interface => {
                let all = interface.iter().enumerate();
                let channel = |(i, &dof): (usize, &usize)| {
                    quantity.channel(i + 1, unit_at(dof), properties.label(dof))
                };
                all.map(channel).collect()
            }
            Per::Dof => {
                let channel = |dof| quantity.channel(dof + 1, unit_at(dof), properties.label(dof));
                (0..properties.dof()).map(channel).collect()
            }
            Per::Coefficient => Vec::new(),
        };
        self.push(channels)
    }

    /// The coefficients of an actuator's compensator.
    fn coefficients(&mut self, actuator: usize) -> Span {
        let count = self.parts.compensator.coefficients(actuator).len();
        let quantity = of::COEFFICIENT;
        let number = actuator + 1;
        self.push((0..count).map(|k| {
            let name = format!("{}/{k}", quantity.of(number));
            let meaning = quantity.meaning.replacen("{}", &k.to_string(), 1);
            let meaning = meaning.replacen("{}", &number.to_string(), 1);
            Channel::new(name, quantity.unit, quantity.role, meaning)
        }))
    }
}

impl Row {
    /// Lays the row of a loop out.
    pub fn new(parts: &Parts, has: Has) -> Self {
        let mut layout = RowLayout {
            parts,
            channels: Vec::new(),
        };
        // Where nothing is made of the sensors' values, they are the measured ones.
        let conditioning = parts.conditioning.as_ref();
        let (readings, conditioned) = (
            conditioning.is_some_and(Pipeline::has_readings),
            conditioning.is_some(),
        );
        let linked = parts.kinematics.is_some();
        let accelerometers = parts.rig.properties().measures_acceleration;
        let actuators = parts.rig.properties().actuators;
        let driven = parts.integrator.properties().is_external;
        let timed = driven && parts.integrator.observe().driver_times().is_some();
        let mut add = |there: bool, quantity: &Quantity| layout.add_if(there, quantity);
        let mut spans = Spans {
            ground: add(true, &of::GROUND_ACCELERATION),
            target: add(true, &of::TARGET),
            command: add(true, &of::COMMAND),
            displacement: add(true, &of::MEASURED_DISPLACEMENT),
            force: add(true, &of::MEASURED_FORCE),
            acceleration: add(accelerometers, &of::MEASURED_ACCELERATION),
            ..Spans::default()
        };
        spans.raw[0] = add(readings, &of::RAW_DISPLACEMENT);
        spans.raw_force = add(readings, &of::RAW_FORCE);
        spans.raw[1] = add(conditioned, &of::RAW_VELOCITY);
        spans.raw[2] = add(conditioned, &of::RAW_ACCELERATION);
        spans.interface = [
            of::INTERFACE_TARGET,
            of::INTERFACE_DISPLACEMENT,
            of::INTERFACE_FORCE,
        ]
        .map(|quantity| add(linked, &quantity));
        spans.response = [
            of::RESPONSE_DISPLACEMENT,
            of::RESPONSE_VELOCITY,
            of::RESPONSE_ACCELERATION,
        ]
        .map(|quantity| add(true, &quantity));
        spans.unbalanced = add(has.unbalanced, &of::UNBALANCED_FORCE);
        spans.confidence = add(has.estimate, &of::ESTIMATE_CONFIDENCE);
        spans.estimated = add(has.estimate, &of::ESTIMATED_STIFFNESS);
        spans.true_stiffness = add(has.true_stiffness, &of::TRUE_STIFFNESS);
        spans.coefficients = (0..actuators).map(|i| layout.coefficients(i)).collect();
        for (_, monitor) in &parts.monitors {
            let figures = monitor.figures().iter();
            let figures =
                figures.map(|(name, unit, text)| Channel::new(*name, *unit, Role::Monitor, *text));
            spans.monitors.push(layout.push(figures));
        }
        let mut add = |there: bool, quantity: &Quantity| layout.add_if(there, quantity);
        spans.pending = add(true, &of::TARGET_PENDING);
        spans.status = add(true, &of::RIG_STATUS);
        for quantity in [of::FEEDBACK_AGE, of::VALVE, of::DEVICE_TIME] {
            spans.status.length += add(true, &quantity).length;
        }
        spans.driver = [
            of::DRIVER_DISPLACEMENT,
            of::DRIVER_VELOCITY,
            of::DRIVER_ACCELERATION,
        ]
        .map(|quantity| add(driven, &quantity));
        spans.driver_steps = add(driven, &of::DRIVER_STEPS);
        spans.driver_times = add(timed, &of::DRIVER_TIME);
        spans.driver_times.length += add(timed, &of::DRIVER_TARGET_TIME).length;
        let channels = layout.channels;
        Self {
            values: vec![0.0; channels.len()],
            channels,
            spans,
        }
    }

    /// The channels, in their order.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The values of the last tick.
    #[inline]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// As many values as there are channels here.
    #[inline(always)]
    fn put(&mut self, span: Span, values: &[f64]) {
        let Span { at, length } = span;
        copy_few(&mut self.values[at..at + length], &values[..length]);
    }

    /// The diagonal of a matrix by rows.
    #[inline]
    fn put_diagonal(&mut self, span: Span, matrix: &[f64]) {
        let Span { at, length } = span;
        for i in 0..length {
            self.values[at + i] = matrix[i * length + i];
        }
    }

    #[inline(always)]
    fn put_motion(&mut self, spans: OfMotion, motion: &Motion) {
        self.put(spans[0], &motion.displacement);
        self.put(spans[1], &motion.velocity);
        self.put(spans[2], &motion.acceleration);
    }

    /// What the sensors say, while no row is recorded. Conditioning begins with the test: a replay
    /// knows nothing of what was before.
    #[inline]
    pub fn show_sensors(&mut self, command: &[f64], raw: &Measured) {
        self.put(self.spans.command, command);
        self.put(self.spans.displacement, &raw.motion.displacement);
        self.put(self.spans.force, &raw.force);
    }
}

/// What the row of a tick is filled from.
pub(super) struct Values<'a> {
    /// Structural time, s.
    pub time: f64,
    pub parts: &'a Parts,
    pub reference: &'a Motion,
    pub command: &'a Motion,
    pub sensors: &'a Sensors,
    pub node: &'a Node,
    pub unbalanced: &'a [f64],
    pub status: TargetStatus,
}

impl Row {
    /// Fills the row of this tick, in the order of the channels. The true stiffness needs a place
    /// to be written to.
    #[inline]
    pub fn fill(&mut self, of: &Values<'_>, true_stiffness: &mut [f64]) {
        let (parts, sensors, node) = (of.parts, of.sensors, of.node);
        let integrator = &parts.integrator;
        self.put(self.spans.ground, &[(parts.ground)(of.time)]);
        self.put(self.spans.target, &of.reference.displacement);
        self.put(self.spans.command, &of.command.displacement);
        let measured = &sensors.measured;
        self.put(self.spans.displacement, &measured.motion.displacement);
        self.put(self.spans.force, &measured.force);
        // Most tests have none of these.
        if self.spans.acceleration.is_there() {
            self.put(self.spans.acceleration, &measured.motion.acceleration);
        }
        if self.spans.raw[1].is_there() {
            self.put_motion(self.spans.raw, &sensors.raw.motion);
            self.put(self.spans.raw_force, &sensors.raw.force);
        }
        if self.spans.interface[0].is_there() {
            let (target, measured) = (&node.target, &node.measured);
            self.put(self.spans.interface[0], &target.displacement);
            self.put(self.spans.interface[1], &measured.motion.displacement);
            self.put(self.spans.interface[2], &measured.force);
        }
        self.put_motion(self.spans.response, integrator.response());
        if self.spans.unbalanced.is_there() {
            self.put(self.spans.unbalanced, of.unbalanced);
        }
        if self.spans.confidence.is_there()
            && let Some(tangent) = integrator.observe().tangent()
        {
            self.put(self.spans.confidence, &[tangent.confidence]);
            self.put_diagonal(self.spans.estimated, tangent.stiffness);
            if self.spans.true_stiffness.is_there() {
                parts.rig.observe().tangent(true_stiffness);
                self.put_diagonal(self.spans.true_stiffness, true_stiffness);
            }
        }
        for i in 0..self.spans.coefficients.len() {
            let span = self.spans.coefficients[i];
            if span.is_there() {
                self.put(span, parts.compensator.coefficients(i));
            }
        }
        for (i, (_, monitor)) in parts.monitors.iter().enumerate() {
            let Span { at, length } = self.spans.monitors[i];
            monitor.values(&mut self.values[at..at + length]);
        }
        self.put(self.spans.pending, &[of.status.word()]);
        self.put(self.spans.status, &sensors.status.words());
        if self.spans.driver_steps.is_there() {
            self.put_motion(self.spans.driver, integrator.target());
            self.put(self.spans.driver_steps, &[integrator.steps() as f64]);
            if let Some(times) = integrator.observe().driver_times() {
                self.put(self.spans.driver_times, &times);
            }
        }
    }
}
