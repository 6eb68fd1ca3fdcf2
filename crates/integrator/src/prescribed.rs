//! A motion that is known beforehand: the target of a test that characterises actuators instead of
//! integrating a structure.

use std::sync::Arc;
use tandem_quantity::{Motion, Snapshot, SnapshotError, StateReader};

use crate::{Answer, Integrator, IntegratorProperties, Loading, Problem, integrator_fields};

/// Gives the samples of a motion as targets, one a step; what the specimen answers changes nothing.
pub struct Prescribed {
    problem: Problem,
    properties: IntegratorProperties,
    /// Displacement, velocity and acceleration of every interface degree of freedom, one sample a
    /// step; m, m/s, m/s² of structural time.
    samples: Arc<Vec<[Vec<f64>; 3]>>,
    steps: u64,
    target: Motion,
    response: Motion,
}

impl Prescribed {
    /// `problem` has a structure of as many degrees of freedom as `samples` has signals, all of
    /// them at the interface. A signal that ends before the others keeps its last value.
    pub fn new(problem: Problem, samples: Arc<Vec<[Vec<f64>; 3]>>) -> Self {
        let dof = samples.len();
        let mut this = Self {
            properties: IntegratorProperties {
                computes: false,
                ..IntegratorProperties::of(problem.dt)
            },
            problem,
            samples,
            steps: 0,
            target: Motion::at_rest(dof),
            response: Motion::at_rest(dof),
        };
        this.look();
        this
    }

    /// The motion at the end of the coming step.
    fn look(&mut self) {
        for (i, [d, v, a]) in self.samples.iter().enumerate() {
            let at = usize::try_from(self.steps)
                .unwrap_or(usize::MAX)
                .saturating_add(1);
            let last = d.len().saturating_sub(1);
            self.target.displacement[i] = d.get(at.min(last)).copied().unwrap_or(0.0);
            // Past its end a signal stands still.
            self.target.velocity[i] = v.get(at).copied().unwrap_or(0.0);
            self.target.acceleration[i] = a.get(at).copied().unwrap_or(0.0);
        }
    }
}

impl Snapshot for Prescribed {
    fn save(&self, into: &mut Vec<f64>) {
        self.steps.save(into);
        self.response.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.steps.restore(from)?;
        self.response.restore(from)?;
        self.look();
        Ok(())
    }
}

impl Integrator for Prescribed {
    integrator_fields!(response);

    fn feed(&mut self, _answer: Answer<'_>, _loading: &dyn Loading) -> bool {
        self.response.copy_from(&self.target);
        self.steps += 1;
        self.look();
        true
    }

    fn start_from(&mut self, motion: &Motion, _loading: &dyn Loading) {
        self.steps = 0;
        self.response.copy_from(motion);
        self.look();
    }
}
