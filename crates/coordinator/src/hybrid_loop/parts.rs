//! Who takes part in the loop, and its clocks.

use std::sync::Arc;
use tandem_integrator::{Integrator, Loading};
use tandem_monitor::Named;
use tandem_quantity::ExternalModel;
use tandem_safety::gate::SafetyGate;
use tandem_transfer::command::CommandGenerator;
use tandem_transfer::compensator::Compensator;
use tandem_transfer::conditioning::Pipeline;
use tandem_transfer::kinematics::Kinematics;
use tandem_transfer::rig::Rig;

/// The components of the loop, in the order of the signal.
pub struct Parts {
    /// Ground acceleration (m/s²) as a function of structural time (s), for the record.
    pub ground: Box<dyn Fn(f64) -> f64 + Send>,
    /// External load on the numerical substructure.
    pub loading: Arc<dyn Loading>,
    /// Time-stepping method with the numerical substructure.
    pub integrator: Box<dyn Integrator>,
    /// From the interface to the actuators and back; none: one actuator for each interface degree
    /// of freedom.
    pub kinematics: Option<Box<dyn Kinematics>>,
    /// Trajectory between targets.
    pub command: Box<dyn CommandGenerator>,
    /// Delay and amplitude compensation.
    pub compensator: Box<dyn Compensator>,
    /// What makes the measured values of the sensors', and of those what goes back; none: nothing.
    pub conditioning: Option<Pipeline>,
    /// The last word.
    pub gate: SafetyGate,
    /// Actuators, specimen, sensors.
    pub rig: Box<dyn Rig>,
    /// Observers with their names.
    pub monitors: Vec<Named>,
}

impl Parts {
    /// The parts before the gate that somebody else computes, and where they stand in the plan.
    pub fn external_models(&self) -> impl Iterator<Item = (&'static str, &dyn ExternalModel)> {
        let structure = self.integrator.external();
        let structure = structure.map(|external| ("structure", external));
        let compensator = self.compensator.external();
        let compensator = compensator.map(|external| ("compensator", external));
        structure.into_iter().chain(compensator)
    }

    /// What went wrong outside of the loop, in words for the operator; none while all is well.
    #[inline]
    pub fn fault_message(&self) -> Option<&str> {
        let external_models = || {
            self.external_models()
                .find_map(|(_, external)| external.fault_message())
        };
        self.rig.observe().fault_message().or_else(external_models)
    }
}

/// The two clocks of the loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Period of the coordinator in wall time, s.
    pub period: f64,
    /// λ: wall time over structural time.
    pub time_scale: f64,
    /// Number of integration steps of the test.
    pub steps: u64,
}

impl Timing {
    /// Whether a second of the structure takes a second.
    #[inline]
    #[allow(clippy::float_cmp)] // exactly one
    pub fn is_real_time(&self) -> bool {
        self.time_scale == 1.0
    }
}
