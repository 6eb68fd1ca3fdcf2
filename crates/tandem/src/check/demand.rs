//! What every actuator will have to do, from the undivided structure.

use tandem_coordinator::ReferenceRun;
use tandem_quantity::{BuildError, Motion, SpecimenMatrices, Values};
use tandem_structure::Structure;
use tandem_transfer::kinematics;

use crate::assemble::Test;

/// What one actuator will have to do; velocity and power in wall time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActuatorDemand {
    /// What it moves: a degree of freedom, or nothing in particular behind a linkage.
    pub label: String,
    /// Largest displacement, m.
    pub displacement: f64,
    /// Largest velocity, m/s.
    pub velocity: f64,
    /// Largest force, N.
    pub force: f64,
    /// Largest power, W.
    pub power: f64,
    /// Whether it turns a degree of freedom: then rad, rad/s and N m.
    pub turns: bool,
}

/// One figure of a demand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// Key of its limit in `[limits]`.
    pub limit: &'static str,
    /// Key in JSON.
    pub key: &'static str,
    /// In SI units.
    pub value: f64,
    /// From SI to the unit that people use.
    pub factor: f64,
    /// That unit.
    pub unit: &'static str,
}

impl ActuatorDemand {
    /// Displacement, velocity, force and power, with the units of a displacement or a rotation.
    pub fn figures(&self) -> [Figure; 4] {
        let [x, v, f] = if self.turns {
            [
                ("rotation_rad", "mrad"),
                ("angular_velocity_rad_s", "mrad/s"),
                ("moment_n_m", "kN*m"),
            ]
        } else {
            [
                ("displacement_m", "mm"),
                ("velocity_m_s", "mm/s"),
                ("force_n", "kN"),
            ]
        };
        let figure = |limit, (key, unit), value, factor| Figure {
            limit,
            key,
            value,
            factor,
            unit,
        };
        [
            figure("stroke", x, self.displacement, 1e3),
            figure("velocity", v, self.velocity, 1e3),
            figure("force", f, self.force, 1e-3),
            figure("power", ("power_w", "kW"), self.power, 1e-3),
        ]
    }
}

/// Follows the undivided structure through the reference run. The specimen's force is that of its
/// own model where it has one (a yielding specimen is weaker than its initial stiffness says), else
/// K x + C v + M a; as a test at this time scale would measure it. Behind a linkage, strokes and
/// forces are those of the actuators.
pub fn demands(
    test: &Test,
    linkage: Option<&Values>,
    reference: &ReferenceRun,
) -> Result<Vec<ActuatorDemand>, BuildError> {
    let n = test.outline.interface.len();
    if n == 0 {
        return Ok(Vec::new());
    }
    let slow = 1.0 / test.outline.timing.time_scale;
    let mut specimen = test.specimen_model(test.outline.dt * test.outline.timing.time_scale);
    let known = match &specimen {
        Some(model) => model.specimen_matrices(),
        None => &test.physical.specimen,
    };
    let (mass, damping) = (known.mass.clone(), known.damping.clone());
    let mut linkage = match linkage {
        Some(table) => {
            kinematics::build(table, &test.context()).map_err(|e| e.within("kinematics"))?
        }
        None => None,
    };
    let actuators = linkage.as_ref().map_or(n, |linkage| linkage.actuators());
    let mut most: Vec<ActuatorDemand> = (0..actuators)
        .map(
            |actuator| match (&linkage, test.outline.interface.get(actuator)) {
                (None, Some(dof)) => ActuatorDemand {
                    label: test.outline.whole.properties().label(*dof).to_owned(),
                    turns: test.outline.whole.properties().turns(*dof),
                    ..ActuatorDemand::default()
                },
                _ => ActuatorDemand::default(),
            },
        )
        .collect();
    let (mut node, mut stroke) = (Motion::at_rest(n), Motion::at_rest(actuators));
    let (mut node_force, mut force) = (vec![0.0; n], vec![0.0; actuators]);
    let dof = reference.dof.max(1);
    let rows = reference
        .displacement
        .chunks_exact(dof)
        .zip(reference.velocity.chunks_exact(dof))
        .zip(reference.acceleration.chunks_exact(dof));
    for ((d, v), a) in rows {
        for (k, &i) in test.outline.interface.iter().enumerate() {
            node.displacement[k] = d[i];
            node.velocity[k] = slow * v[i];
            node.acceleration[k] = slow * slow * a[i];
        }
        node_force.fill(0.0);
        if let Some(model) = &mut specimen {
            model.force(&node.displacement, &node.velocity, &mut node_force);
            model.commit();
        } else {
            let stiffness = &test.physical.specimen.stiffness;
            SpecimenMatrices::mul_add(stiffness, 1.0, &node.displacement, &mut node_force);
        }
        SpecimenMatrices::mul_add(&damping, 1.0, &node.velocity, &mut node_force);
        SpecimenMatrices::mul_add(&mass, 1.0, &node.acceleration, &mut node_force);
        if let Some(linkage) = &mut linkage {
            linkage.to_actuators(&node, &mut stroke);
            // Forces are taken over in the position that was seen last.
            linkage.to_interface(&stroke, &mut node);
            linkage.force_to_actuators(&node_force, &mut force);
        } else {
            stroke.copy_from(&node);
            force.copy_from_slice(&node_force);
        }
        for (k, most) in most.iter_mut().enumerate() {
            let (velocity, force) = (stroke.velocity[k], force[k]);
            most.displacement = most.displacement.max(stroke.displacement[k].abs());
            most.velocity = most.velocity.max(velocity.abs());
            most.force = most.force.max(force.abs());
            most.power = most.power.max((force * velocity).abs());
        }
    }
    Ok(most)
}
