//! Integration apart from the coordinator, in a thread of its own: a step of the structure may take
//! longer than a tick.
//!
//! ```text
//!  coordinator                               thread (SCHED_FIFO below it, another core)
//!    feed(answer) ──the method itself──▶ one question or step of the structure
//!    poll() ◀──────the method itself──── next target
//! ```
//!
//! The method goes to and fro as a whole, so that exactly one side has it at a time and nothing is
//! shared. While it is away the coordinator walks on towards a target that is not there yet, as
//! with any driver (predict, slow down, hold); what it knew of the last step stands in copies. In
//! which ticks the method was away is recorded, so that a replay gives the same commands.

use super::missed::Overruns;
use super::{Histogram, Refused, Settings, claim};
use crate::controls::Guard;
use crate::hybrid_loop::TargetStatus;
use crate::system;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;
use tandem_integrator::{
    Answer, Integrator, IntegratorProperties, IntegratorView, Loading, Problem, Readiness, Tangent,
    integrator_fields,
};
use tandem_quantity::{ExternalModel, Motion, Snapshot, SnapshotError, StateReader, copy_few};

/// What goes to and fro.
struct Job {
    method: Box<dyn Integrator>,
    displacement: Vec<f64>,
    force: Vec<f64>,
    /// Displacement and force before they were moved to the target, where they were.
    uncorrected: (Vec<f64>, Vec<f64>),
    corrected: bool,
    /// When it was sent off, ns of the monotonic clock.
    sent: i64,
}

impl Job {
    fn work(&mut self, loading: &dyn Loading) {
        let mut answer = Answer::new(&self.displacement, &self.force);
        if self.corrected {
            answer.uncorrected = Some((&self.uncorrected.0, &self.uncorrected.1));
        }
        self.method.feed(answer, loading);
    }
}

/// Where the method is when it is not here.
enum Away {
    Thread {
        out: rtrb::Producer<Box<Job>>,
        back: rtrb::Consumer<Box<Job>>,
        worker: Thread,
    },
    /// A replay: it is done at once and kept back in the ticks in which it was away.
    Record {
        done: Option<Box<Job>>,
        pending: Vec<TargetStatus>,
        tick: Arc<AtomicUsize>,
    },
}

/// How long the integration took.
#[derive(Clone, Debug, Default)]
pub struct IntegrationClock {
    /// From the answer's being taken to the next target.
    pub compute: Histogram,
    /// From the answer's being given to the next target.
    pub answer: Histogram,
    /// Targets that came later than the way to them lasts.
    pub missed: u64,
    /// What the system did not grant.
    pub refused: Refused,
}

/// The coordinator's side of a method that works elsewhere.
pub struct ThreadedIntegrator {
    here: Option<Box<Job>>,
    away: Away,
    properties: IntegratorProperties,
    problem: Problem,
    target: Motion,
    fraction: f64,
    response: Motion,
    steps: u64,
    unsettled: u64,
    tangent: Option<(Vec<f64>, f64)>,
    unbalanced: Option<Vec<f64>>,
}

/// The thread, for whoever started it.
pub struct IntegrationHandle {
    thread: JoinHandle<IntegrationClock>,
    over: Arc<AtomicBool>,
    misses: Arc<Overruns>,
    /// What the system did not grant it.
    pub refused: Refused,
}

impl IntegrationHandle {
    /// Deadlines that it has missed so far.
    pub(super) fn misses(&self) -> &Arc<Overruns> {
        &self.misses
    }

    /// Ends the thread, when the test is over; none where it has come to grief.
    pub fn stop(self) -> Option<IntegrationClock> {
        self.over.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        self.thread.join().ok()
    }
}

impl ThreadedIntegrator {
    /// Takes a method at its beginning into a thread. `interface` stands for its problem on this
    /// side: the same degrees of freedom, without a structure behind them. A target is due
    /// `deadline` seconds of wall time after the answer.
    pub fn in_thread(
        method: Box<dyn Integrator>,
        loading: Arc<dyn Loading>,
        interface: Problem,
        settings: Settings,
        guard: Guard,
        deadline: f64,
    ) -> (Self, IntegrationHandle) {
        let (out, mut jobs) = rtrb::RingBuffer::<Box<Job>>::new(1);
        let (mut done, back) = rtrb::RingBuffer::new(1);
        let misses = Arc::new(Overruns::default());
        let told = Arc::clone(&misses);
        let over = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&over);
        let (granted, hear) = std::sync::mpsc::channel();
        #[allow(clippy::cast_possible_truncation)] // a step
        let deadline = (deadline * 1e9) as i64;
        let thread = std::thread::spawn(move || {
            let claim = claim(settings);
            let _ = granted.send(claim.refused.clone());
            let mut clock = IntegrationClock {
                refused: claim.refused.clone(),
                ..IntegrationClock::default()
            };
            loop {
                let Ok(mut job) = jobs.pop() else {
                    if jobs.is_abandoned() || ended.load(Ordering::Relaxed) {
                        return clock;
                    }
                    // The coordinator wakes this thread; the time-out is for the end.
                    std::thread::park_timeout(Duration::from_millis(20));
                    continue;
                };
                let start = system::now();
                guard(&mut || job.work(loading.as_ref()));
                let now = system::now();
                clock.compute.add(now - start);
                let took = now - job.sent;
                clock.answer.add(took);
                if took > deadline {
                    clock.missed += 1;
                    told.add(took - deadline);
                }
                if done.push(job).is_err() {
                    return clock;
                }
            }
        });
        let away = Away::Thread {
            out,
            back,
            worker: thread.thread().clone(),
        };
        (
            Self::new(method, interface, away),
            IntegrationHandle {
                thread,
                over,
                misses,
                refused: hear.recv().unwrap_or_default(),
            },
        )
    }

    /// The same in a replay: `pending` says for every tick where the method was, `tick` which one
    /// it is.
    pub(crate) fn recorded(
        method: Box<dyn Integrator>,
        interface: Problem,
        pending: Vec<TargetStatus>,
        tick: Arc<AtomicUsize>,
    ) -> Self {
        let away = Away::Record {
            done: None,
            pending,
            tick,
        };
        Self::new(method, interface, away)
    }

    fn new(method: Box<dyn Integrator>, interface: Problem, away: Away) -> Self {
        let n = interface.interface.len();
        let mut unbalanced = vec![0.0; n];
        let seen = method.observe();
        let unbalanced = seen
            .splitting_residual(&mut unbalanced)
            .then_some(unbalanced);
        let tangent = seen
            .tangent()
            .map(|tangent| (tangent.stiffness.to_vec(), tangent.confidence));
        Self {
            away,
            target: method.target().clone(),
            fraction: seen.target_fraction(),
            properties: IntegratorProperties {
                is_threaded: true,
                ..*method.properties()
            },
            response: method.response().clone(),
            steps: method.steps(),
            unsettled: seen.unsettled(),
            tangent,
            unbalanced,
            problem: interface,
            here: Some(Box::new(Job {
                displacement: vec![0.0; n],
                force: vec![0.0; n],
                uncorrected: (vec![0.0; n], vec![0.0; n]),
                corrected: false,
                sent: 0,
                method,
            })),
        }
    }

    /// Copies what this side has to know while the method is away.
    fn take(&mut self, job: Box<Job>) {
        let method = job.method.as_ref();
        let seen = method.observe();
        self.target.copy_from(method.target());
        self.fraction = seen.target_fraction();
        self.response.copy_from(method.response());
        self.steps = method.steps();
        self.unsettled = seen.unsettled();
        if let (Some((stiffness, confidence)), Some(now)) = (&mut self.tangent, seen.tangent()) {
            stiffness.copy_from_slice(now.stiffness);
            *confidence = now.confidence;
        }
        if let Some(force) = &mut self.unbalanced {
            seen.splitting_residual(force);
        }
        self.here = Some(job);
    }

    /// What the method says of its target, where it is on this side: whoever computes it may have
    /// been lost on the way.
    #[inline]
    fn ask(&mut self, at_most: Duration) -> Readiness {
        let here = self.here.as_mut();
        here.map_or(Readiness::Lost, |job| job.method.poll(at_most))
    }
}

impl Integrator for ThreadedIntegrator {
    integrator_fields!(response);

    #[inline]
    fn poll(&mut self, at_most: Duration) -> Readiness {
        if self.here.is_some() {
            return self.ask(at_most);
        }
        let found = match &mut self.away {
            Away::Thread { back, .. } => match back.pop() {
                Ok(job) => Some(job),
                Err(_) if back.is_abandoned() => return Readiness::Lost,
                Err(_) => return Readiness::NotYet,
            },
            Away::Record {
                done,
                pending,
                tick,
            } => {
                let now = tick.load(Ordering::Relaxed);
                match pending.get(now) {
                    Some(TargetStatus::Elsewhere) => return Readiness::Delayed,
                    Some(TargetStatus::Lost) => return Readiness::Lost,
                    _ => done.take(),
                }
            }
        };
        match found {
            Some(job) => {
                self.take(job);
                self.ask(at_most)
            }
            None => Readiness::Lost,
        }
    }

    /// Sends the method off. The step is complete when it is back.
    #[inline]
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        let Some(mut job) = self.here.take() else {
            return false;
        };
        copy_few(&mut job.displacement, answer.displacement);
        copy_few(&mut job.force, answer.force);
        job.corrected = answer.uncorrected.is_some();
        if let Some((displacement, force)) = answer.uncorrected {
            copy_few(&mut job.uncorrected.0, displacement);
            copy_few(&mut job.uncorrected.1, force);
        }
        match &mut self.away {
            Away::Thread { out, worker, .. } => {
                job.sent = system::now();
                match out.push(job) {
                    Ok(()) => worker.unpark(),
                    // There is room for the only job.
                    Err(rtrb::PushError::Full(job)) => self.here = Some(job),
                }
            }
            Away::Record { done, .. } => {
                job.work(loading);
                *done = Some(job);
            }
        }
        false
    }

    /// Begins again, where the method is on this side: before the test.
    fn start_from(&mut self, motion: &Motion, loading: &dyn Loading) {
        if let Some(mut job) = self.here.take() {
            job.method.start_from(motion, loading);
            self.take(job);
        }
    }

    fn observe(&self) -> &dyn IntegratorView {
        self
    }
}

impl IntegratorView for ThreadedIntegrator {
    fn target_fraction(&self) -> f64 {
        self.fraction
    }

    fn tangent(&self) -> Option<Tangent<'_>> {
        let (stiffness, confidence) = self.tangent.as_ref()?;
        Some(Tangent {
            stiffness,
            confidence: *confidence,
        })
    }

    fn splitting_residual(&self, force: &mut [f64]) -> bool {
        let Some(unbalanced) = &self.unbalanced else {
            return false;
        };
        copy_few(force, unbalanced);
        true
    }

    fn unsettled(&self) -> u64 {
        self.unsettled
    }

    fn fault_message(&self) -> Option<&str> {
        self.here.as_ref()?.method.observe().fault_message()
    }

    /// On this side the structure is nothing but the interface: the method knows who computes it.
    fn external(&self) -> Option<&dyn ExternalModel> {
        self.here.as_ref()?.method.external()
    }
}

impl Snapshot for ThreadedIntegrator {
    // What runs by the wall clock cannot be set back.
    fn save(&self, _into: &mut Vec<f64>) {}
    fn restore(&mut self, _from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        Ok(())
    }
}
