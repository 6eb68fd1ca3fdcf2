//! Between the interface and the actuators: targets on their way out, forces on their way back.

use super::{Cause, Forces, HybridLoop, Parts, Progress};
use tandem_integrator::Answer;
use tandem_monitor::Verdict;
use tandem_quantity::{Motion, SpecimenMatrices, copy_few};
use tandem_safety::Permit;
use tandem_safety::gate::{Limit, Violation};
use tandem_transfer::conditioning::{Conditioner as _, Pipeline};
use tandem_transfer::rig::Measured;

/// The interface side of the kinematics.
pub(super) struct Node {
    /// The integrator's target in wall time.
    pub asked: Motion,
    /// Where the specimen should be at this tick.
    pub target: Motion,
    /// Where the measured strokes say it is, and the force there.
    pub measured: Measured,
    /// The same of what goes back, and before it was moved to the target.
    pub answer: Measured,
    pub uncorrected: Measured,
}

impl Node {
    pub fn at_rest(interface: usize) -> Self {
        Self {
            asked: Motion::at_rest(interface),
            target: Motion::at_rest(interface),
            measured: Measured::at_rest(interface),
            answer: Measured::at_rest(interface),
            uncorrected: Measured::at_rest(interface),
        }
    }
}

impl HybridLoop {
    /// Where the actuators' strokes put the interface, and the force there: as measured in this
    /// tick and as it goes back, or (within the tick) as the answer to a question.
    #[inline]
    pub(super) fn resolve(&mut self, within_tick: bool) -> Violation {
        let kinematics = self.parts.kinematics.as_mut()?;
        let node = &mut self.node;
        kinematics.to_interface(&self.path.reference, &mut node.target);
        // Forces are taken over in the position seen last.
        let mut resolve = |strokes: &Measured, at: &mut Measured| {
            let found = kinematics.to_interface(&strokes.motion, &mut at.motion);
            kinematics.force_to_interface(&strokes.force, &mut at.force);
            (!found).then(|| strokes.motion.displacement[0])
        };
        let lost = if within_tick {
            resolve(&self.sensors.feedback, &mut node.answer)
        } else {
            let lost = resolve(&self.sensors.measured, &mut node.measured);
            let conditioning = self.parts.conditioning.as_ref();
            if let Some(uncorrected) = conditioning.and_then(|c| c.uncorrected()) {
                resolve(uncorrected, &mut node.uncorrected);
            }
            if conditioning.is_some_and(Pipeline::has_feedback) {
                lost.or(resolve(&self.sensors.feedback, &mut node.answer))
            } else {
                node.answer.copy_from(&node.measured);
                lost
            }
        };
        let value = lost?;
        self.parts.gate.finding(Limit::Linkage, 0, value, 0.0)
    }

    /// Copies the integrator's target in wall time: a slow test moves λ times slower, so that
    /// velocity shrinks by λ and acceleration by λ². Everything between the target and the sensors
    /// lives in wall time.
    #[inline]
    pub(super) fn take_target(&mut self) {
        let asked = match &self.parts.kinematics {
            Some(_) => &mut self.node.asked,
            None => &mut self.path.actuator_target,
        };
        asked.copy_from(self.parts.integrator.target());
        if !self.timing.is_real_time() {
            let slow = 1.0 / self.timing.time_scale;
            asked.velocity.iter_mut().for_each(|v| *v *= slow);
            asked
                .acceleration
                .iter_mut()
                .for_each(|a| *a *= slow * slow);
        }
        if let Some(kinematics) = &mut self.parts.kinematics {
            kinematics.to_actuators(&self.node.asked, &mut self.path.actuator_target);
        }
    }

    /// Gives the integrator what came back.
    ///
    /// A slow test (λ > 1) feels only C_e v/λ and M_e a/λ² of the specimen's damping and inertia;
    /// what is known of the rest is added, so that the integrator gets the force of a test in real
    /// time.
    #[inline]
    pub(super) fn feedback(&mut self, within_tick: bool) -> bool {
        let conditioned = within_tick || self.parts.conditioning.is_some();
        let measured = if self.parts.kinematics.is_some() {
            &self.node.answer
        } else if conditioned {
            &self.sensors.feedback
        } else {
            &self.sensors.measured
        };
        let Parts {
            integrator,
            loading,
            conditioning,
            kinematics,
            ..
        } = &mut self.parts;
        // Observers see the force of the step, not that of a question on the way to the next one.
        let Forces {
            restoring,
            within_tick: inner,
            uncorrected,
            ..
        } = &mut self.forces;
        let force = if within_tick { inner } else { restoring };
        copy_few(force, &measured.force);
        if !self.timing.is_real_time() {
            let slow = 1.0 / self.timing.time_scale;
            let (specimen, target) = (&integrator.problem().specimen, integrator.target());
            SpecimenMatrices::mul_add(&specimen.damping, 1.0 - slow, &target.velocity, force);
            SpecimenMatrices::mul_add(
                &specimen.mass,
                1.0 - slow * slow,
                &target.acceleration,
                force,
            );
        }
        let mut answer = Answer::new(&measured.motion.displacement, force);
        let before = conditioning.as_ref().and_then(|c| c.uncorrected());
        if let Some(before) = before.filter(|_| !within_tick) {
            let before = match kinematics {
                Some(_) => &self.node.uncorrected,
                None => before,
            };
            for (i, to) in uncorrected.iter_mut().enumerate() {
                *to = before.force[i] + (force[i] - measured.force[i]);
            }
            answer.uncorrected = Some((&before.motion.displacement, uncorrected));
        }
        integrator.feed(answer, loading.as_ref())
    }

    /// A question that a rig without transfer system answers before time goes on.
    #[inline]
    pub(super) fn ask_at_once(&mut self, permit: &Permit<'_>) -> Progress {
        self.take_target();
        let path = &mut self.path;
        path.command.copy_from(&path.actuator_target);
        path.next_reference.copy_from(&path.actuator_target);
        let Parts { gate, rig, .. } = &mut self.parts;
        let (released, finding) = gate.release(permit, &path.next_reference, &mut path.command);
        if let Some((verdict, trip)) = finding {
            // A question that may not be asked has no answer: a milder action than holding makes no
            // sense here.
            return Progress::Act(verdict.max(Verdict::Hold), Cause::Limit(trip));
        }
        rig.write(released);
        rig.read(&mut self.sensors.feedback);
        if let Some((verdict, trip)) = self.resolve(true) {
            return Progress::Act(verdict.max(Verdict::Hold), Cause::Limit(trip));
        }
        self.feedback(true);
        Progress::Running
    }
}
