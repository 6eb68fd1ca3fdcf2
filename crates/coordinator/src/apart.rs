//! Integration apart from the coordinator, in a thread of its own: a step of the structure may take longer than a tick.
//!
//! ```text
//!  coordinator                               thread (SCHED_FIFO below it, another core)
//!    feed(answer) ──the method itself──▶ one question or step of the structure
//!    poll() ◀──────the method itself──── next target
//! ```
//!
//! The method goes to and fro as a whole, so that exactly one side has it at a time and nothing is shared. While it is away the
//! coordinator walks on towards a target that is not there yet, as with any driver (predict, slow down, hold); what it knew of the last
//! step stands in copies. In which ticks the method was away is recorded, so that a replay gives the same commands.

use crate::executor::Guard;
use crate::hybrid_loop::TargetStatus;
use crate::realtime::{Histogram, Misses, Refused, Settings, claim, monotonic};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;
use tandem_integrator::{Answer, Integrator, Loading, Problem, Readiness, Tangent};
use tandem_quantity::{Guest, Motion, Snapshot, SnapshotError, Words, copy_few};
use tandem_structure::Structure;

/// What goes to and fro.
struct Job {
    method: Box<dyn Integrator>,
    displacement: Vec<f64>,
    force: Vec<f64>,
    complete: bool,
    /// When it was sent off, ns of the monotonic clock.
    sent: i64,
}

impl Job {
    fn work(&mut self, loading: &dyn Loading) {
        let answer = Answer {
            displacement: &self.displacement,
            force: &self.force,
        };
        self.complete = self.method.feed(answer, loading);
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
pub struct Apart {
    here: Option<Box<Job>>,
    away: Away,
    problem: Problem,
    target: Motion,
    reach: f64,
    response: Motion,
    steps: u64,
    questions: usize,
    unsettled: u64,
    tangent: Option<(Vec<f64>, f64)>,
    unbalanced: Option<Vec<f64>>,
    critical_dt: Option<f64>,
    holds_force: bool,
    within_steps: bool,
    outside: bool,
    complete: bool,
}

/// The thread, for whoever started it.
pub struct IntegrationHandle {
    thread: JoinHandle<IntegrationClock>,
    misses: Arc<Misses>,
    /// What the system did not grant it.
    pub refused: Refused,
}

impl IntegrationHandle {
    /// Deadlines that it has missed so far.
    pub(crate) fn misses(&self) -> &Arc<Misses> {
        &self.misses
    }

    /// Waits for the end of the thread, which comes with that of the loop's side; none where it has come to grief.
    pub fn stop(self) -> Option<IntegrationClock> {
        self.thread.join().ok()
    }
}

impl Apart {
    /// Takes a method at its beginning into a thread. `interface` stands for its problem on this side: the same degrees of
    /// freedom, without a structure behind them. A target is due `deadline` seconds of wall time after the answer.
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
        let misses = Arc::new(Misses::default());
        let told = Arc::clone(&misses);
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
                    if jobs.is_abandoned() {
                        return clock;
                    }
                    // The coordinator wakes this thread; the time-out is for the end.
                    std::thread::park_timeout(Duration::from_millis(20));
                    continue;
                };
                let start = monotonic();
                guard(&mut || job.work(loading.as_ref()));
                let now = monotonic();
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
                misses,
                refused: hear.recv().unwrap_or_default(),
            },
        )
    }

    /// The same in a replay: `pending` says for every tick where the method was, `tick` which one it is.
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
        let unbalanced = method.unbalanced(&mut unbalanced).then_some(unbalanced);
        let tangent = method
            .tangent()
            .map(|tangent| (tangent.stiffness.to_vec(), tangent.confidence));
        Self {
            away,
            target: method.target().clone(),
            reach: method.reach(),
            response: method.response().clone(),
            steps: method.steps(),
            questions: method.questions(),
            unsettled: method.unsettled(),
            critical_dt: method.critical_dt(),
            holds_force: method.holds_force(),
            within_steps: method.works_within_steps(),
            outside: method.is_outside(),
            tangent,
            unbalanced,
            problem: interface,
            here: Some(Box::new(Job {
                displacement: vec![0.0; n],
                force: vec![0.0; n],
                complete: false,
                sent: 0,
                method,
            })),
            complete: false,
        }
    }

    /// Copies what this side has to know while the method is away.
    fn take(&mut self, mut job: Box<Job>) {
        let method = job.method.as_ref();
        self.target.copy_from(method.target());
        self.reach = method.reach();
        self.response.copy_from(method.response());
        self.steps = method.steps();
        self.unsettled = method.unsettled();
        if let (Some((stiffness, confidence)), Some(now)) = (&mut self.tangent, method.tangent()) {
            stiffness.copy_from_slice(now.stiffness);
            *confidence = now.confidence;
        }
        if let Some(force) = &mut self.unbalanced {
            method.unbalanced(force);
        }
        self.complete |= std::mem::take(&mut job.complete);
        self.here = Some(job);
    }

    /// What the method says of its target, where it is on this side: whoever computes it may have been lost on the way.
    #[inline]
    fn ask(&mut self) -> Readiness {
        let here = self.here.as_mut();
        here.map_or(Readiness::Lost, |job| job.method.poll())
    }
}

impl Integrator for Apart {
    fn target(&self) -> &Motion {
        &self.target
    }

    fn reach(&self) -> f64 {
        self.reach
    }

    #[inline]
    fn poll(&mut self) -> Readiness {
        if self.here.is_some() {
            return self.ask();
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
                    Some(TargetStatus::Elsewhere) => return Readiness::KeptBack,
                    Some(TargetStatus::Lost) => return Readiness::Lost,
                    _ => done.take(),
                }
            }
        };
        match found {
            Some(job) => {
                self.take(job);
                self.ask()
            }
            None => Readiness::Lost,
        }
    }

    fn let_go(&mut self) {
        // The thread ends when its queue is gone; the method comes back or goes with it.
        self.away = Away::Record {
            done: None,
            pending: Vec::new(),
            tick: Arc::default(),
        };
    }

    fn is_apart(&self) -> bool {
        true
    }

    fn is_outside(&self) -> bool {
        self.outside
    }

    fn trouble(&self) -> Option<&str> {
        self.here.as_ref()?.method.trouble()
    }

    /// On this side the structure is nothing but the interface: the method knows who computes it.
    fn guest(&self) -> Option<&dyn Guest> {
        self.here.as_ref()?.method.guest()
    }

    fn completed(&mut self) -> bool {
        std::mem::take(&mut self.complete)
    }

    /// Sends the method off. The step is complete when it is back.
    #[inline]
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        let Some(mut job) = self.here.take() else {
            return false;
        };
        copy_few(&mut job.displacement, answer.displacement);
        copy_few(&mut job.force, answer.force);
        match &mut self.away {
            Away::Thread { out, worker, .. } => {
                job.sent = monotonic();
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

    fn response(&self) -> &Motion {
        &self.response
    }

    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn structure_mut(&mut self) -> &mut dyn Structure {
        self.problem.structure.as_mut()
    }

    fn critical_dt(&self) -> Option<f64> {
        self.critical_dt
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn questions(&self) -> usize {
        self.questions
    }

    fn holds_force(&self) -> bool {
        self.holds_force
    }

    fn works_within_steps(&self) -> bool {
        self.within_steps
    }

    fn unsettled(&self) -> u64 {
        self.unsettled
    }

    fn tangent(&self) -> Option<Tangent<'_>> {
        let (stiffness, confidence) = self.tangent.as_ref()?;
        Some(Tangent {
            stiffness,
            confidence: *confidence,
        })
    }

    fn unbalanced(&self, force: &mut [f64]) -> bool {
        let Some(unbalanced) = &self.unbalanced else {
            return false;
        };
        copy_few(force, unbalanced);
        true
    }

    /// Begins again, where the method is on this side: before the test.
    fn start_from(&mut self, motion: &Motion, loading: &dyn Loading) {
        if let Some(mut job) = self.here.take() {
            job.method.start_from(motion, loading);
            self.take(job);
        }
    }
}

impl Snapshot for Apart {
    // What runs by the wall clock cannot be set back.
    fn save(&self, _into: &mut Vec<f64>) {}
    fn restore(&mut self, _from: &mut Words<'_>) -> Result<(), SnapshotError> {
        Ok(())
    }
}
