//! How supports move that do not follow the ground of the record.

use std::sync::Arc;

use tandem_integrator::{Integrator, MovingSupports};
use tandem_quantity::{BuildError, Registry, Settings, Values};
use tandem_signal::record::{Baseline, GroundDisplacement, Record};

use crate::excitation;
use crate::frame::{FrameModel, Shaken, SupportBaseline, SupportGroup};

/// Motions of the groups of supports of a frame, relative to the ground of the record.
pub struct SupportMotions {
    ground: GroundDisplacement,
    groups: Vec<Group>,
}

/// amplitude × displacement(t − arrival).
struct Group {
    displacement: GroundDisplacement,
    arrival: f64,
    amplitude: f64,
}

impl SupportMotions {
    /// Those of a frame, if some of its supports move by themselves; `values` is `[structure]`,
    /// `record` the ground's.
    pub fn of(
        frame: &FrameModel,
        values: &Values,
        record: &Record,
        registry: &Registry,
    ) -> Result<Option<Arc<Self>>, BuildError> {
        if frame.moving.is_empty() {
            return Ok(None);
        }
        let baseline = Shaken::read(values)?.support_baseline.read()?;
        let correct = baseline == SupportBaseline::LeastVelocity;
        let integrate = |record: &Record| {
            if !correct || record.peak() <= 0.0 {
                return Ok(GroundDisplacement::of(record));
            }
            let corrected = record.baseline_corrected(Baseline::LeastVelocity);
            corrected
                .map(|record| GroundDisplacement::of(&record))
                .map_err(|error| {
                    let help = "give longer records, or support_baseline = \"none\"";
                    BuildError::new("support_baseline", error.to_string(), help)
                })
        };
        let group = |group: &SupportGroup| {
            let displacement = match &group.own {
                None => integrate(record)?,
                Some((entry, motion)) => {
                    let own = excitation::build(motion, registry).map_err(|error| {
                        let place = error.within("motion").within(&entry.to_string());
                        place.within("support")
                    })?;
                    integrate(&own.record)?
                }
            };
            Ok(Group {
                displacement,
                arrival: group.arrival,
                amplitude: group.amplitude,
            })
        };
        let groups = frame
            .moving
            .iter()
            .map(group)
            .collect::<Result<_, BuildError>>()?;
        Ok(Some(Arc::new(Self {
            ground: integrate(record)?,
            groups,
        })))
    }

    /// Displacement (m) and velocity (m/s) of every group at a time (s).
    fn at(&self, time: f64, displacement: &mut [f64], velocity: &mut [f64]) {
        let (ground, rate) = self.ground.at(time);
        let places = displacement.iter_mut().zip(velocity);
        for (group, (displacement, velocity)) in self.groups.iter().zip(places) {
            let (d, v) = group.displacement.at(time - group.arrival);
            *displacement = group.amplitude * d - ground;
            *velocity = group.amplitude * v - rate;
        }
    }

    /// Sets the supports of a method's structure in motion.
    pub fn carry(
        self: &Arc<Self>,
        method: Box<dyn Integrator>,
    ) -> Result<Box<dyn Integrator>, BuildError> {
        if method.properties().dt > 1.5 * method.problem().dt {
            return Err(BuildError::new(
                "sub_steps",
                "supports that move by themselves are moved once in a step of the test, not in its \
                sub-steps",
                "take sub_steps = 1 and a shorter dt",
            ));
        }
        let motions = Arc::clone(self);
        let moving = MovingSupports::new(
            method,
            Box::new(move |time, displacement, velocity| {
                motions.at(time, displacement, velocity);
            }),
        )?;
        Ok(Box::new(moving))
    }
}

/// What is worth telling of a group.
pub fn note(group: &SupportGroup) -> String {
    let names = match &group.nodes[..] {
        [one] => format!("Support {one} moves"),
        many => format!("Supports {} move", many.join(", ")),
    };
    let mut how = Vec::new();
    if group.own.is_some() {
        how.push("with a motion of its own".to_owned());
    }
    if group.arrival > 0.0 {
        how.push(format!("{:.4} s later", group.arrival));
    }
    if (group.amplitude - 1.0).abs() > 0.0 {
        how.push(format!("{} times as much", group.amplitude));
    }
    format!(
        "{names} {}; displacements count from the ground of the record.",
        how.join(", ")
    )
}
