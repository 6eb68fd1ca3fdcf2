//! The loop's end of the mailbox: an integrator whose targets come from another program.

use super::mailbox::{ExchangeState, Mailbox, Peer, Rewind};
use std::sync::Arc;
use std::time::Duration;
use tandem_integrator::{
    Answer, Integrator, IntegratorProperties, IntegratorView, Loading, Problem, Readiness,
    integrator_fields,
};
use tandem_quantity::{Motion, Snapshot, SnapshotError, StateReader, copy_few};

/// Asks for what a peer asks for. Its "structure" is nothing but the interface.
///
/// Ports: the peer's trial motion (m, m/s, m/s²) → target; measured displacement and force (N) →
/// the peer.
pub struct ExternalIntegrator {
    mailbox: Arc<Mailbox>,
    properties: IntegratorProperties,
    problem: Problem,
    target: Motion,
    /// The last motion that the peer has accepted, and its time of it, s.
    accepted: Motion,
    accepted_time: f64,
    /// The peer's time of the target, s.
    time: f64,
    /// Whether the protocol carries the peer's time.
    tells_time: bool,
    probe: Option<Probe>,
    /// The target that stands was asked for by the peer, not by this side.
    asked: bool,
    /// The next target is not there yet.
    wanting: bool,
    steps: u64,
}

/// Small displacements to and fro before the test, from which the initial stiffness is measured.
struct Probe {
    amplitude: f64,
    /// The present question stands as the target.
    aimed: bool,
    question: usize,
    forward: Vec<f64>,
    stiffness: Vec<f64>,
}

impl ExternalIntegrator {
    /// The loop's end of a mailbox. `probe`: measure the initial stiffness with displacements of ±
    /// this many metres before the peer is heard. `tells_time`: the peer's protocol carries its
    /// time.
    pub fn new(
        mailbox: Arc<Mailbox>,
        problem: Problem,
        probe: Option<f64>,
        tells_time: bool,
    ) -> Self {
        let n = problem.interface.len();
        Self {
            mailbox,
            properties: IntegratorProperties {
                computes: false,
                is_external: true,
                ..IntegratorProperties::of(problem.dt)
            },
            target: Motion::at_rest(n),
            accepted: Motion::at_rest(n),
            accepted_time: f64::NAN,
            time: f64::NAN,
            tells_time,
            probe: probe.map(|amplitude| Probe {
                amplitude,
                aimed: false,
                question: 0,
                forward: vec![0.0; n],
                stiffness: vec![0.0; n * n],
            }),
            asked: false,
            // A probe asks by itself first.
            wanting: probe.is_none(),
            steps: 0,
            problem,
        }
    }

    /// The next displacement of the probe: to, fro, and back at the end.
    fn aim_probe(&mut self) -> bool {
        let Some(probe) = &mut self.probe else {
            return false;
        };
        probe.aimed = true;
        let n = self.target.len();
        self.target.displacement.fill(0.0);
        self.target.velocity.fill(0.0);
        self.target.acceleration.fill(0.0);
        let sign = if probe.question.is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        if let Some(x) = self.target.displacement.get_mut(probe.question / 2)
            && probe.question < 2 * n
        {
            *x = sign * probe.amplitude;
        }
        true
    }

    /// Takes the last step that the peer has accepted. It stands in the mailbox before its next
    /// target does, and after its last.
    #[inline]
    fn take_step(&mut self) {
        let commits = self.mailbox.commits();
        if commits == self.steps {
            return;
        }
        if let Some(request) = self.mailbox.request() {
            self.accepted.copy_from(&request.accepted.0);
            self.accepted_time = request.accepted.1;
            self.steps = commits;
        }
    }

    /// Takes the next target out of the mailbox. False: it is not there.
    fn take_letter(&mut self) -> bool {
        if self.mailbox.turn() != ExchangeState::Target {
            return false;
        }
        let Some(request) = self.mailbox.request() else {
            return false;
        };
        self.target.copy_from(&request.motion);
        self.time = request.time;
        let rewind = if request.first {
            Rewind::Keep
        } else {
            Rewind::Back
        };
        drop(request);
        self.mailbox.order(rewind);
        self.mailbox.pass(ExchangeState::Taken);
        self.asked = true;
        true
    }

    fn hear_probe(&mut self, force: &[f64]) {
        let Some(probe) = self.probe.as_mut().filter(|probe| probe.aimed) else {
            return;
        };
        let n = force.len();
        let column = probe.question / 2;
        if probe.question >= 2 * n {
            let stiffness = std::mem::take(&mut probe.stiffness);
            let _ = self.mailbox.initial.set(stiffness);
            self.probe = None;
            return;
        }
        if probe.question.is_multiple_of(2) {
            probe.forward.copy_from_slice(force);
        } else {
            for row in 0..n {
                probe.stiffness[row * n + column] =
                    (probe.forward[row] - force[row]) / (2.0 * probe.amplitude);
            }
        }
        probe.question += 1;
    }
}

impl Integrator for ExternalIntegrator {
    integrator_fields!(accepted);

    fn poll(&mut self, at_most: Duration) -> Readiness {
        if !self.wanting {
            return Readiness::Ready;
        }
        let mailbox = &self.mailbox;
        if !at_most.is_zero() {
            let done =
                || mailbox.turn() == ExchangeState::Target || mailbox.peer() != Peer::Present;
            mailbox.loop_waits(done, at_most);
        }
        // The end is looked at first: a peer that has sent its last target and gone is still
        // served.
        let peer = mailbox.peer();
        self.take_step();
        if self.take_letter() {
            self.wanting = false;
            return Readiness::Ready;
        }
        match peer {
            Peer::Present => Readiness::NotYet,
            Peer::Finished => Readiness::Finished,
            Peer::Lost => Readiness::Lost,
        }
    }

    /// Gives the answer to the peer; its next target is looked for by [`Integrator::poll`].
    fn feed(&mut self, answer: Answer<'_>, _loading: &dyn Loading) -> bool {
        if std::mem::take(&mut self.asked) {
            if let Some(mut request) = self.mailbox.request() {
                let measured = &mut request.measured;
                measured.motion.copy_from(&self.target);
                copy_few(&mut measured.motion.displacement, answer.displacement);
                copy_few(&mut measured.force, answer.force);
            }
            self.mailbox.pass(ExchangeState::Answer);
        } else {
            self.hear_probe(answer.force);
        }
        self.wanting = !self.aim_probe();
        // A trial is no step: the peer says when it has accepted one.
        false
    }

    fn start_from(&mut self, motion: &Motion, _loading: &dyn Loading) {
        self.accepted.copy_from(motion);
    }

    fn observe(&self) -> &dyn IntegratorView {
        self
    }
}

impl IntegratorView for ExternalIntegrator {
    #[inline]
    fn driver_times(&self) -> Option<[f64; 2]> {
        self.tells_time.then_some([self.accepted_time, self.time])
    }

    fn fault_message(&self) -> Option<&str> {
        self.mailbox.lost()
    }
}

impl Snapshot for ExternalIntegrator {
    fn save(&self, into: &mut Vec<f64>) {
        self.target.save(into);
        self.accepted.save(into);
        self.accepted_time.save(into);
        self.time.save(into);
        self.steps.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.target.restore(from)?;
        self.accepted.restore(from)?;
        self.accepted_time.restore(from)?;
        self.time.restore(from)?;
        self.steps.restore(from)
    }
}
