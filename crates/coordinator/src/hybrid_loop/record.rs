//! The row of a tick, and what its channels are.

use super::HybridLoop;
use crate::recorder::{Block, Channel, Role};
use tandem_integrator::Readiness;
use tandem_quantity::{Motion, copy_few};
use tandem_transfer::conditioning::Chain;

/// In which ticks the target of the way was not there, and why: a [`Pending`].
pub const TARGET_PENDING: &str = "target_pending";

/// What the rig said about itself (`Status::words`). The gate acts on it, so a replay has to know it.
pub(crate) const STATUS: [&str; 4] = ["rig_status", "feedback_age", "valve", "device_time"];

/// What another program asked for, where one drives the test: motion of every degree of freedom of the interface, and its steps.
pub(crate) const DRIVER_TARGET: [&str; 3] = [
    "driver_displacement",
    "driver_velocity",
    "driver_acceleration",
];
pub(crate) const DRIVER_STEPS: &str = "driver_steps";

/// Why a target is not there, as it stands in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// It is there.
    No = 0,
    /// The integration is at work in a thread of its own.
    Elsewhere = 1,
    /// The driver has not sent it yet, or keeps it back.
    Awaited = 2,
    /// The driver is gone.
    Lost = 3,
    /// The driver has ended the test.
    Finished = 4,
}

impl Pending {
    /// From its number in the record.
    pub fn from_word(word: f64) -> Self {
        let all = [Self::Elsewhere, Self::Awaited, Self::Lost, Self::Finished];
        let found = all.into_iter().find(|p| (word - p.word()).abs() < 0.5);
        found.unwrap_or(Self::No)
    }

    /// Its number in the record.
    #[inline]
    pub fn word(self) -> f64 {
        f64::from(self as u8)
    }
}

/// What the driver calls the time, of its last accepted step and of its target.
pub const DRIVER_TIME: &str = "driver_time";
pub(crate) const DRIVER_TIMES: [&str; 2] = [DRIVER_TIME, "driver_target_time"];

/// Channels at the interface, where a linkage stands between it and the actuators. Rotations are in rad, moments in N m.
const AT_INTERFACE: [(&str, &str, Role, &str); 3] = [
    (
        "interface_target",
        "m",
        Role::Target,
        "Where {} should be at this tick (rad for a rotation).",
    ),
    (
        "interface_displacement",
        "m",
        Role::Measured,
        "Displacement of {} that belongs to the measured strokes (rad for a rotation).",
    ),
    (
        "interface_force",
        "N",
        Role::Measured,
        "Force at {} that belongs to the measured forces (N m for a rotation).",
    ),
];

impl HybridLoop {
    /// The sensors' values into the row that a watcher sees, while no row is recorded. Conditioning begins with the test: a replay knows
    /// nothing of what was before.
    #[inline]
    pub(super) fn show_sensors(&mut self) {
        let n = self.raw.force.len();
        let (command, displacement, force) = (1 + n, 1 + 2 * n, 1 + 3 * n);
        copy_few(&mut self.row[command..command + n], self.parts.gate.safe());
        copy_few(
            &mut self.row[displacement..displacement + n],
            &self.raw.motion.displacement,
        );
        copy_few(&mut self.row[force..force + n], &self.raw.force);
    }

    #[inline]
    pub(super) fn record(&mut self, command: &Motion, block: &mut Block) {
        let time = self.time();
        let response = self.parts.integrator.response();
        let mut at = 0;
        let mut put = |values: &[f64]| {
            copy_few(&mut self.row[at..at + values.len()], values);
            at += values.len();
        };
        put(&[(self.parts.ground)(time)]);
        put(&self.target.displacement);
        put(&command.displacement);
        put(&self.measured.motion.displacement);
        put(&self.measured.force);
        if self.accelerometers {
            put(&self.measured.motion.acceleration);
        }
        let conditioning = self.parts.conditioning.as_ref();
        if conditioning.is_some_and(Chain::has_readings) {
            put(&self.raw.motion.displacement);
            put(&self.raw.force);
        }
        if conditioning.is_some() {
            put(&self.raw.motion.velocity);
            put(&self.raw.motion.acceleration);
        }
        if self.parts.kinematics.is_some() {
            put(&self.node.target.displacement);
            put(&self.node.measured.motion.displacement);
            put(&self.node.measured.force);
        }
        put(&response.displacement);
        put(&response.velocity);
        put(&response.acceleration);
        if self.assumes {
            put(&self.unbalanced);
        }
        if self.estimates
            && let Some(tangent) = self.parts.integrator.observe().tangent()
        {
            let n = self.force.len();
            put(&[tangent.confidence]);
            for i in 0..n {
                put(&[tangent.stiffness[i * n + i]]);
            }
            if self.knows {
                self.parts.rig.observe().tangent(&mut self.true_stiffness);
                for i in 0..n {
                    put(&[self.true_stiffness[i * n + i]]);
                }
            }
        }
        for i in 0..self.raw.force.len() {
            put(self.parts.compensator.coefficients(i));
        }
        for (_, monitor) in &self.parts.monitors {
            let count = monitor.figures().len();
            monitor.values(&mut self.row[at..at + count]);
            at += count;
        }
        let pending = self.pending().word();
        let mut put = |values: &[f64]| {
            copy_few(&mut self.row[at..at + values.len()], values);
            at += values.len();
        };
        put(&[pending]);
        put(&self.status.words());
        if self.parts.integrator.properties().is_external {
            let asked = self.parts.integrator.target();
            put(&asked.displacement);
            put(&asked.velocity);
            put(&asked.acceleration);
            #[allow(clippy::cast_precision_loss)] // at most 10⁹
            put(&[self.parts.integrator.steps() as f64]);
            if let Some(times) = self.parts.integrator.observe().driver_times() {
                put(&times);
            }
        }
        block.push(time, &self.row);
    }

    /// Whether the target of this way is there, and why not.
    #[inline]
    fn pending(&self) -> Pending {
        if !self.way.pending {
            return Pending::No;
        }
        match self.readiness {
            Readiness::Lost => Pending::Lost,
            Readiness::Finished => Pending::Finished,
            _ if self.parts.integrator.properties().is_threaded => Pending::Elsewhere,
            _ => Pending::Awaited,
        }
    }

    /// The channels of the record, in the order of the row.
    pub fn channels(&self) -> Vec<Channel> {
        let problem = self.parts.integrator.problem();
        let mut channels = vec![Channel::new(
            "ground_acceleration",
            "m/s^2",
            Role::Excitation,
            "Ground acceleration.",
        )];
        let per_actuator: [(&str, &str, Role, &str); 9] = [
            (
                "target",
                "m",
                Role::Target,
                "Where actuator {} should be at this tick.",
            ),
            (
                "command",
                "m",
                Role::Command,
                "Command sent to actuator {} at this tick, after compensation and gate.",
            ),
            (
                "measured_displacement",
                "m",
                Role::Measured,
                "Displacement measured at actuator {}.",
            ),
            (
                "measured_force",
                "N",
                Role::Measured,
                "Force measured at actuator {}.",
            ),
            (
                "measured_acceleration",
                "m/s^2",
                Role::Measured,
                "Acceleration measured at actuator {}, in wall time.",
            ),
            (
                "raw_displacement",
                "m",
                Role::Other,
                "What the displacement transducer of actuator {} said, before [conditioning].",
            ),
            (
                "raw_force",
                "N",
                Role::Other,
                "What the load cell of actuator {} said, before [conditioning].",
            ),
            (
                "raw_velocity",
                "m/s",
                Role::Other,
                "Velocity of actuator {} in wall time, before [conditioning].",
            ),
            (
                "raw_acceleration",
                "m/s^2",
                Role::Other,
                "Acceleration of actuator {} in wall time, before [conditioning].",
            ),
        ];
        // Where nothing is made of the sensors' values, they are the measured ones.
        let conditioning = self.parts.conditioning.as_ref();
        let readings = conditioning.is_some_and(Chain::has_readings);
        let there = |name: &str| match name {
            "measured_acceleration" => self.accelerometers,
            "raw_displacement" | "raw_force" => readings,
            // Any step of the conditioning may go by them.
            "raw_velocity" | "raw_acceleration" => conditioning.is_some(),
            _ => true,
        };
        for (name, unit, role, text) in per_actuator.iter().filter(|kind| there(kind.0)) {
            for i in 1..=self.raw.force.len() {
                // Without a linkage every actuator is one degree of freedom.
                let unit = match problem.interface.get(i - 1) {
                    Some(dof) if self.parts.kinematics.is_none() => {
                        problem.structure.properties().unit_at(*dof, unit)
                    }
                    _ => *unit,
                };
                channels.push(Channel::new(
                    format!("{name}/{i}"),
                    unit,
                    *role,
                    text.replace("{}", &i.to_string()),
                ));
            }
        }
        if self.parts.kinematics.is_some() {
            for (name, unit, role, text) in AT_INTERFACE {
                for i in 0..problem.interface.len() {
                    let dof = problem.interface[i];
                    let text = text.replace("{}", problem.structure.properties().label(dof));
                    let unit = problem.structure.properties().unit_at(dof, unit);
                    channels.push(Channel::new(format!("{name}/{}", i + 1), unit, role, text));
                }
            }
        }
        for (name, unit, text) in [
            ("displacement", "m", "Displacement"),
            ("velocity", "m/s", "Velocity"),
            ("acceleration", "m/s^2", "Acceleration"),
        ] {
            for i in 0..problem.structure.properties().dof() {
                let text = format!(
                    "{text} of {} of the numerical substructure, relative to the ground.",
                    problem.structure.properties().label(i)
                );
                channels.push(Channel::new(
                    format!("response_{name}/{}", i + 1),
                    problem.structure.properties().unit_at(i, unit),
                    Role::Response,
                    text,
                ));
            }
        }
        if self.assumes {
            for (i, dof) in problem.interface.iter().enumerate() {
                let text = format!(
                    "Force at {} that the method assumed beyond what it asked: the asked forces are out of balance by it.",
                    problem.structure.properties().label(*dof)
                );
                channels.push(Channel::new(
                    format!("unbalanced_force/{}", i + 1),
                    problem.structure.properties().unit_at(*dof, "N"),
                    Role::Other,
                    text,
                ));
            }
        }
        if self.estimates {
            channels.push(Channel::new(
                "estimate_confidence",
                "1",
                Role::Other,
                "Share of the last increments of force that the estimated stiffness foretold.",
            ));
            let kinds = [
                ("estimated_stiffness", "estimated on the run"),
                ("true_stiffness", "of the model"),
            ];
            for (name, text) in &kinds[..1 + usize::from(self.knows)] {
                for i in 1..=self.raw.force.len() {
                    channels.push(Channel::new(
                        format!("{name}/{i}"),
                        "N/m",
                        Role::Other,
                        format!("Tangent stiffness of the specimen at interface degree of freedom {i}, {text}."),
                    ));
                }
            }
        }
        for i in 0..self.raw.force.len() {
            for k in 0..self.parts.compensator.coefficients(i).len() {
                channels.push(Channel::new(
                    format!("coefficient/{}/{k}", i + 1),
                    "SI",
                    Role::State,
                    format!("Coefficient {k} of the compensator of actuator {}.", i + 1),
                ));
            }
        }
        for (_, monitor) in &self.parts.monitors {
            for (name, unit, text) in monitor.figures() {
                channels.push(Channel::new(*name, *unit, Role::Monitor, *text));
            }
        }
        let state =
            |name: &str, unit: &str, text: &str| Channel::new(name, unit, Role::State, text);
        channels.push(state(
            TARGET_PENDING,
            "1",
            "0 where the target of this way is there; 1: the integration works at it in its thread, 2: the driver has not sent it yet, \
             3: the driver is gone, 4: the driver has ended the test.",
        ));
        let texts = [
            (
                "1",
                "What the rig reports: 1 pressure, 2 service manifold open, 4 emergency chain open, added up.",
            ),
            (
                "1",
                "Ticks since the newest measurement: 0 is one of this tick.",
            ),
            (
                "1",
                "Largest opening of a valve as a share of all it has; 0 where nobody reports it.",
            ),
            (
                "s",
                "The device's own clock at the measurement; no number where it has none.",
            ),
        ];
        for (name, (unit, text)) in STATUS.iter().zip(texts) {
            channels.push(state(name, unit, text));
        }
        if self.parts.integrator.properties().is_external {
            for (name, unit) in DRIVER_TARGET.iter().zip(["m", "m/s", "m/s^2"]) {
                for (i, dof) in problem.interface.iter().enumerate() {
                    let at = problem.structure.properties().label(*dof);
                    channels.push(state(
                        &format!("{name}/{}", i + 1),
                        problem.structure.properties().unit_at(*dof, unit),
                        &format!("What the driver asked for at {at}, in structural time."),
                    ));
                }
            }
            channels.push(state(
                DRIVER_STEPS,
                "1",
                "Steps that the driver has accepted.",
            ));
            if self.parts.integrator.observe().driver_times().is_some() {
                let texts = [
                    "The driver's own time of the last step that it has accepted, which is the response.",
                    "The driver's own time of its target. Iterations of one step all have the same.",
                ];
                for (name, text) in DRIVER_TIMES.iter().zip(texts) {
                    channels.push(state(name, "s", text));
                }
            }
        }
        channels
    }
}
