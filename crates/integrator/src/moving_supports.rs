//! Supports that do not move with the ground: several ground motions under one structure.
//!
//! Displacements count from the ground of the record. A group of supports that moves otherwise has
//! a displacement δ(t) relative to it, and the equation of motion is M d̈ + C ḋ + r(d, δ) = −M ι
//! a_g(t) (Chopra, Dynamics of Structures, §9.7, written with the restoring force so that it holds
//! beyond the elastic range). What stiffness-proportional damping makes of δ̇ is part of r; mass
//! that supports would share with free nodes (consistent mass) is not taken along.

use tandem_quantity::{BuildError, Motion, Snapshot, SnapshotError, StateReader};

use crate::{Answer, Integrator, Loading, forward_integrator};

/// Writes displacement (m) and velocity (m/s) of each group of supports at structural time (s),
/// relative to the ground.
pub type SupportMotion = Box<dyn Fn(f64, &mut [f64], &mut [f64]) + Send>;

/// Any method, on supports that are moved to where they are at the end of each step.
pub struct MovingSupports {
    inner: Box<dyn Integrator>,
    motion: SupportMotion,
    displacement: Vec<f64>,
    velocity: Vec<f64>,
}

impl MovingSupports {
    /// Sets the supports of the method's structure in motion.
    pub fn new(inner: Box<dyn Integrator>, motion: SupportMotion) -> Result<Self, BuildError> {
        if inner.properties().works_within_steps {
            return Err(BuildError::new(
                "method",
                "this method evaluates the structure within a step, where the moving supports are \
                not known to it",
                "take a method that looks ahead to the end of a step, such as \"newmark\" or \
                \"alpha-os\"",
            ));
        }
        let groups = inner.problem().structure.properties().moving_supports;
        Ok(Self {
            inner,
            motion,
            displacement: vec![0.0; groups],
            velocity: vec![0.0; groups],
        })
    }

    fn move_to(&mut self, time: f64) {
        (self.motion)(time, &mut self.displacement, &mut self.velocity);
        self.inner
            .structure_mut()
            .move_supports(&self.displacement, &self.velocity);
    }
}

impl Integrator for MovingSupports {
    forward_integrator!(inner: properties, target, poll, response, steps, problem, structure_mut);
    forward_integrator!(inner: observe);

    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        let end = (self.inner.steps() + 1) as f64 * self.inner.properties().dt;
        self.move_to(end);
        self.inner.feed(answer, loading)
    }

    fn start_from(&mut self, motion: &Motion, loading: &dyn Loading) {
        self.move_to(0.0);
        self.inner.start_from(motion, loading);
    }
}

impl Snapshot for MovingSupports {
    fn save(&self, into: &mut Vec<f64>) {
        self.inner.save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.inner.restore(from)
    }
}
