//! One request at a time between the thread of a server and the loop.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::Duration;
use tandem_quantity::Motion;
use tandem_transfer::rig::Measured;

/// A target on its way to the loop, an answer on its way back.
pub(super) struct Request {
    pub motion: Motion,
    /// The driver's own time of it, s; not a number where it tells none.
    pub time: f64,
    /// The last step that the driver has accepted: motion and time.
    pub accepted: (Motion, f64),
    /// The first trial since the driver accepted the last one.
    pub first: bool,
    pub measured: Measured,
    /// Tangent stiffness at the answer, where the rig's model knows it.
    pub tangent: Option<Vec<f64>>,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum ExchangeState {
    /// Nobody's: the request belongs to the server.
    Empty,
    /// A target waits for the loop.
    Target,
    /// The loop is on its way.
    Taken,
    /// The answer waits for the server.
    Answer,
}

/// How the driver stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Peer {
    Present,
    /// Ended in good order.
    Finished,
    /// Gone in the middle of a step.
    Lost,
}

/// What an ideal rig does with its state before the way to a new target begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Rewind {
    Nothing,
    /// The driver has accepted where the specimen is: keep it.
    Keep,
    /// Another trial of the same step: go back to what was kept.
    Back,
}

/// Rounds of looking before a thread sleeps: some microseconds, about what waking it would cost.
const SPINS: u32 = 4000;

/// The mailbox. Both ends take the lock when it is their turn, so that it is free; only to hand
/// over and to take an accepted step they do not ask whose turn it is, and then the loop's end
/// tries again at its next look.
pub struct Mailbox {
    turn: AtomicU8,
    peer: AtomicU8,
    /// The loop has stopped: nothing moves any more.
    closed: AtomicU8,
    request: Mutex<Request>,
    commits: AtomicU64,
    /// What an ideal rig does before its next command.
    rewind: AtomicU8,
    /// Why the driver is lost, in words, and whether it is still there all the same.
    lost: OnceLock<String>,
    given_up: AtomicBool,
    /// The initial stiffness, once it is known; by rows, N/m.
    pub(super) initial: OnceLock<Vec<f64>>,
    loop_thread: OnceLock<Thread>,
    server_thread: OnceLock<Thread>,
}

impl Mailbox {
    /// For so many degrees of freedom.
    pub fn new(dof: usize) -> Arc<Self> {
        Arc::new(Self {
            turn: AtomicU8::new(ExchangeState::Empty as u8),
            peer: AtomicU8::new(Peer::Present as u8),
            closed: AtomicU8::new(0),
            request: Mutex::new(Request {
                motion: Motion::at_rest(dof),
                time: f64::NAN,
                accepted: (Motion::at_rest(dof), f64::NAN),
                first: true,
                measured: Measured::at_rest(dof),
                tangent: None,
            }),
            commits: AtomicU64::new(0),
            rewind: AtomicU8::new(Rewind::Nothing as u8),
            lost: OnceLock::new(),
            given_up: AtomicBool::new(false),
            initial: OnceLock::new(),
            loop_thread: OnceLock::new(),
            server_thread: OnceLock::new(),
        })
    }

    #[inline]
    pub(super) fn turn(&self) -> ExchangeState {
        match self.turn.load(Ordering::Acquire) {
            1 => ExchangeState::Target,
            2 => ExchangeState::Taken,
            3 => ExchangeState::Answer,
            _ => ExchangeState::Empty,
        }
    }

    /// The request, for the server's end, which may wait.
    pub(super) fn letter_for_server(&self) -> MutexGuard<'_, Request> {
        self.request.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The request, for the loop's end: none if it is not its turn.
    #[inline]
    pub(super) fn request(&self) -> Option<MutexGuard<'_, Request>> {
        self.request.try_lock().ok()
    }

    #[inline]
    pub(super) fn pass(&self, turn: ExchangeState) {
        self.turn.store(turn as u8, Ordering::Release);
        let waiting = match turn {
            ExchangeState::Target => self.loop_thread.get(),
            ExchangeState::Answer => self.server_thread.get(),
            ExchangeState::Empty | ExchangeState::Taken => None,
        };
        if let Some(thread) = waiting {
            thread.unpark();
        }
    }

    #[inline]
    pub(super) fn peer(&self) -> Peer {
        match self.peer.load(Ordering::Acquire) {
            1 => Peer::Finished,
            2 => Peer::Lost,
            _ => Peer::Present,
        }
    }

    /// The server's thread says how its session ended.
    pub(super) fn ends(&self, peer: Peer) {
        self.peer.store(peer as u8, Ordering::Release);
        if let Some(thread) = self.loop_thread.get() {
            thread.unpark();
        }
    }

    /// The driver is lost to the test; the words say why.
    pub(super) fn loses(&self, why: &str) {
        let _ = self.lost.set(why.to_owned());
        self.ends(Peer::Lost);
    }

    /// Why the driver is lost; none while it is not, or where nobody knows.
    #[inline]
    pub(super) fn lost(&self) -> Option<&str> {
        self.lost.get().map(String::as_str)
    }

    /// The driver is lost, but still connected.
    pub(super) fn gives_up(&self) {
        self.given_up.store(true, Ordering::Release);
    }

    /// Whether a driver that is lost to the test is still connected and wants answers.
    pub fn has_given_up(&self) -> bool {
        self.given_up.load(Ordering::Acquire)
    }

    /// Says that the loop has stopped: every further target is answered with the last good
    /// measurement.
    pub fn close(&self) {
        self.closed.store(1, Ordering::Release);
        let _ = self.initial.set(Vec::new());
        if let Some(thread) = self.server_thread.get() {
            thread.unpark();
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire) == 1
    }

    pub(super) fn order(&self, rewind: Rewind) {
        self.rewind.store(rewind as u8, Ordering::Release);
    }

    #[inline]
    pub(super) fn take_order(&self) -> Rewind {
        match self.rewind.swap(Rewind::Nothing as u8, Ordering::AcqRel) {
            1 => Rewind::Keep,
            2 => Rewind::Back,
            _ => Rewind::Nothing,
        }
    }

    /// The server's end: the driver has accepted a step.
    pub(super) fn commit(&self, motion: &Motion, time: f64) {
        let mut request = self.letter_for_server();
        request.accepted.0.copy_from(motion);
        request.accepted.1 = time;
        drop(request);
        self.commits.fetch_add(1, Ordering::AcqRel);
    }

    /// Steps that the driver has accepted.
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::Acquire)
    }

    /// The server's end waits until `done`, or a tenth of a second.
    pub(super) fn server_waits(&self, done: impl Fn() -> bool) {
        let _ = self.server_thread.set(std::thread::current());
        wait(done, Duration::from_millis(100));
    }

    /// The loop's end waits, in stepped time only.
    pub(super) fn loop_waits(&self, done: impl Fn() -> bool, at_most: Duration) {
        let _ = self.loop_thread.set(std::thread::current());
        wait(done, at_most);
    }
}

fn wait(done: impl Fn() -> bool, at_most: Duration) {
    for round in 0..SPINS {
        if done() {
            return;
        }
        // Where cores are few, the other end may wait for this one.
        if round % 64 == 63 {
            std::thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }
    if !done() {
        std::thread::park_timeout(at_most);
    }
}
