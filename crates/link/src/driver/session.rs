//! The server's end of the mailbox.

use super::mailbox::{ExchangeState, Mailbox, Peer};
use crate::specimen_service::{Ended, Matrix, MotionRefused, Notice, SpecimenService};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tandem_integrator::Estimator;
use tandem_quantity::{Motion, SpecimenMatrices};
use tandem_transfer::rig::Measured;

/// What the peer is told of the specimen when it asks for matrices.
pub struct SpecimenInfo {
    /// Stiffness before the test, where it is known; none: the loop measures it first. Damping and
    /// mass are what the peer adds by itself: zero, unless the measured force lacks them.
    pub initial: Option<Vec<f64>>,
    /// Damping and mass.
    pub other: SpecimenMatrices,
    /// Answer with the tangent of the rig's model, where it knows one.
    pub model_tangent: bool,
    /// Answer with an estimate from what was measured.
    pub estimate: Option<Box<dyn Estimator>>,
    /// Stroke beyond which a proposal is refused, m; none: the gate alone decides.
    pub stroke: Option<f64>,
    /// Velocity, m/s, beyond which a proposal is refused, and the wall time that the way to it
    /// takes, s.
    pub velocity: Option<(f64, f64)>,
}

/// Who is told what a server has to say.
pub type EventSink = Box<dyn FnMut(Notice) + Send>;

/// Stands behind a server and passes trials on to the loop.
pub struct DriverSession {
    mailbox: Arc<Mailbox>,
    given: SpecimenInfo,
    measured: Measured,
    tangent: Option<Vec<f64>>,
    last: Option<Measured>,
    first: bool,
    stop: Arc<AtomicBool>,
    tell: EventSink,
    stopped_told: bool,
    increment: (Vec<f64>, Vec<f64>),
}

impl DriverSession {
    /// The server's end of a mailbox. Notices go to `tell` at once; once `stop` is true the session
    /// is given up.
    pub fn new(
        mailbox: Arc<Mailbox>,
        dof: usize,
        given: SpecimenInfo,
        stop: Arc<AtomicBool>,
        tell: EventSink,
    ) -> Self {
        if let Some(initial) = &given.initial {
            let _ = mailbox.initial.set(initial.clone());
        }
        Self {
            mailbox,
            given,
            measured: Measured::at_rest(dof),
            tangent: None,
            last: None,
            first: true,
            stop,
            tell,
            stopped_told: false,
            increment: (vec![0.0; dof], vec![0.0; dof]),
        }
    }

    /// Tells the loop how the session ended.
    pub fn close(&self, ended: &Ended) {
        match ended {
            Ended::ByPeer => self.mailbox.ends(Peer::Finished),
            Ended::Lost(text) => self.mailbox.loses(text),
            Ended::Here => self.mailbox.ends(Peer::Lost),
        }
    }

    fn wait(&self, done: impl Fn() -> bool) -> bool {
        while !done() {
            if self.mailbox.is_closed() || self.stop.load(Ordering::Relaxed) {
                return false;
            }
            self.mailbox
                .server_waits(|| done() || self.mailbox.is_closed());
        }
        true
    }

    fn estimate(&mut self) {
        let (Some(estimate), Some(last)) = (&mut self.given.estimate, &self.last) else {
            return;
        };
        let (d, f) = &mut self.increment;
        for i in 0..d.len() {
            d[i] = self.measured.motion.displacement[i] - last.motion.displacement[i];
            f[i] = self.measured.force[i] - last.force[i];
        }
        if d.iter().any(|x| x.abs() > 1e-12) {
            estimate.record(d, f);
        }
    }
}

impl SpecimenService for DriverSession {
    fn dof(&self) -> usize {
        self.measured.force.len()
    }

    fn allows(&self, motion: &Motion) -> Result<(), MotionRefused> {
        if self.mailbox.is_closed() {
            return Err(MotionRefused::Stopped);
        }
        let stroke = self.given.stroke.unwrap_or(f64::INFINITY);
        let beyond = |x: &&f64| x.is_nan() || x.abs() > stroke;
        if let Some(&displacement) = motion.displacement.iter().find(beyond) {
            return Err(MotionRefused::Stroke {
                displacement,
                stroke,
            });
        }
        if let Some((velocity, way)) = self.given.velocity {
            let from = &self.measured.motion.displacement;
            let mut ways = motion
                .displacement
                .iter()
                .zip(from)
                .map(|(to, from)| to - from);
            if let Some(travel) = ways.find(|x| x.abs() > velocity * way) {
                return Err(MotionRefused::Velocity {
                    travel,
                    time: way,
                    velocity,
                });
            }
        }
        Ok(())
    }

    fn impose(&mut self, motion: &Motion, time: f64) -> Result<(), MotionRefused> {
        if self.mailbox.is_closed() {
            // Told once; OpenSees asks thousands of times.
            let told = std::mem::replace(&mut self.stopped_told, true);
            return if told {
                Ok(())
            } else {
                Err(MotionRefused::Stopped)
            };
        }
        if !self.wait(|| self.mailbox.turn() == ExchangeState::Empty) {
            return Err(MotionRefused::Stopped);
        }
        let mut request = self.mailbox.letter_for_server();
        request.motion.copy_from(motion);
        request.time = time;
        request.first = std::mem::replace(&mut self.first, false);
        drop(request);
        self.mailbox.pass(ExchangeState::Target);
        if !self.wait(|| self.mailbox.turn() == ExchangeState::Answer) {
            self.stopped_told = true;
            return Err(MotionRefused::Stopped);
        }
        self.last = self.given.estimate.is_some().then(|| self.measured.clone());
        let request = self.mailbox.letter_for_server();
        self.measured.motion.copy_from(&request.measured.motion);
        self.measured.force.copy_from_slice(&request.measured.force);
        self.tangent.clone_from(&request.tangent);
        drop(request);
        self.mailbox.pass(ExchangeState::Empty);
        self.estimate();
        Ok(())
    }

    fn commit(&mut self, accepted: &Motion, time: f64) {
        self.first = true;
        // Steps that the driver makes with a force that stands still are none of the test.
        if !self.mailbox.is_closed() {
            self.mailbox.commit(accepted, time);
        }
    }

    fn give_up(&mut self, why: &str) {
        self.stopped_told = true;
        self.mailbox.gives_up();
        self.mailbox.loses(why);
    }

    fn measured(&self) -> &Measured {
        &self.measured
    }

    fn matrix(&mut self, which: Matrix, out: &mut [f64]) {
        out.fill(0.0);
        let copy = |out: &mut [f64], from: &[f64]| {
            out.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        };
        match which {
            Matrix::Damping => copy(out, &self.given.other.damping),
            Matrix::Mass => copy(out, &self.given.other.mass),
            Matrix::TangentStiffness if self.given.model_tangent && self.tangent.is_some() => {
                copy(out, self.tangent.as_deref().unwrap_or_default());
            }
            Matrix::TangentStiffness if self.given.estimate.is_some() => {
                if let Some(estimate) = &mut self.given.estimate {
                    estimate.estimate(out);
                }
            }
            Matrix::InitialStiffness | Matrix::TangentStiffness => {
                self.wait(|| self.mailbox.initial.get().is_some());
                copy(out, self.mailbox.initial.get().map_or(&[], Vec::as_slice));
            }
        }
    }

    fn tell(&mut self, notice: Notice) {
        (self.tell)(notice);
    }

    fn idle(&mut self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }
}
