//! The row of a tick, and what its channels are.

use super::HybridLoop;
use crate::recorder::{Block, Channel, Role};
use tandem_quantity::copy_few;
use tandem_transfer::conditioning::Chain;

/// In which ticks the integration was at work elsewhere: what a replay has to know.
pub const TARGET_PENDING: &str = "target_pending";

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
    pub(super) fn record(&mut self, block: &mut Block) {
        let time = self.time();
        let response = self.parts.integrator.response();
        let mut at = 0;
        let mut put = |values: &[f64]| {
            copy_few(&mut self.row[at..at + values.len()], values);
            at += values.len();
        };
        put(&[(self.parts.ground)(time)]);
        put(&self.target.displacement);
        put(&self.command.displacement);
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
        if let Some(tangent) = self.parts.integrator.tangent() {
            let n = self.force.len();
            put(&[tangent.confidence]);
            for i in 0..n {
                put(&[tangent.stiffness[i * n + i]]);
            }
            if self.knows {
                self.parts.rig.tangent(&mut self.true_stiffness);
                for i in 0..n {
                    put(&[self.true_stiffness[i * n + i]]);
                }
            }
        }
        for i in 0..self.parts.rig.actuators() {
            put(self.parts.compensator.coefficients(i));
        }
        for (_, monitor) in &self.parts.monitors {
            let count = monitor.figures().len();
            monitor.values(&mut self.row[at..at + count]);
            at += count;
        }
        if self.parts.integrator.is_apart() {
            self.row[at] = f64::from(u8::from(self.way.pending));
        }
        block.push(time, &self.row);
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
        let per_actuator: [(&str, &str, Role, &str); 7] = [
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
        ];
        // Where nothing is made of the sensors' values, they are the measured ones.
        let conditioning = self.parts.conditioning.as_ref();
        let readings = conditioning.is_some_and(Chain::has_readings);
        let there = |name: &str| match name {
            "measured_acceleration" => self.accelerometers,
            "raw_displacement" | "raw_force" => readings,
            _ => true,
        };
        for (name, unit, role, text) in per_actuator.iter().filter(|kind| there(kind.0)) {
            for i in 1..=self.parts.rig.actuators() {
                // Without a linkage every actuator is one degree of freedom.
                let unit = match problem.interface.get(i - 1) {
                    Some(dof) if self.parts.kinematics.is_none() => {
                        problem.structure.unit_at(*dof, unit)
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
                    let text = text.replace("{}", &problem.structure.label(dof));
                    let unit = problem.structure.unit_at(dof, unit);
                    channels.push(Channel::new(format!("{name}/{}", i + 1), unit, role, text));
                }
            }
        }
        for (name, unit, text) in [
            ("displacement", "m", "Displacement"),
            ("velocity", "m/s", "Velocity"),
            ("acceleration", "m/s^2", "Acceleration"),
        ] {
            for i in 0..problem.structure.dof() {
                let text = format!(
                    "{text} of {} of the numerical substructure, relative to the ground.",
                    problem.structure.label(i)
                );
                channels.push(Channel::new(
                    format!("response_{name}/{}", i + 1),
                    problem.structure.unit_at(i, unit),
                    Role::Response,
                    text,
                ));
            }
        }
        if self.assumes {
            for (i, dof) in problem.interface.iter().enumerate() {
                let text = format!(
                    "Force at {} that the method assumed beyond what it asked: the asked forces are out of balance by it.",
                    problem.structure.label(*dof)
                );
                channels.push(Channel::new(
                    format!("unbalanced_force/{}", i + 1),
                    problem.structure.unit_at(*dof, "N"),
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
                for i in 1..=self.parts.rig.actuators() {
                    channels.push(Channel::new(
                        format!("{name}/{i}"),
                        "N/m",
                        Role::Other,
                        format!("Tangent stiffness of the specimen at interface degree of freedom {i}, {text}."),
                    ));
                }
            }
        }
        for i in 0..self.parts.rig.actuators() {
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
        if self.parts.integrator.is_apart() {
            channels.push(Channel::new(
                TARGET_PENDING,
                "1",
                Role::State,
                "1 while the integration has not given the target of this way yet.",
            ));
        }
        channels
    }
}
