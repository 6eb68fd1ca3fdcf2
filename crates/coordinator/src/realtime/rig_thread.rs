//! A rig that goes by a clock of its own: servo and plant in a real-time thread at their rate, the
//! coordinator at its own.
//!
//! ```text
//!  coordinator, 1 kHz                          this thread, 5 kHz (SCHED_FIFO, absolute deadlines)
//!    write(command) ──newest command──▶ servo ─▶ actuator ─▶ specimen
//!    read(measured) ◀─newest reading──  sensors ◀──┘
//! ```
//!
//! Nobody waits for anybody: both sides take the newest whole value, as in a laboratory where the
//! controller has its own clock. So the reading is up to one period of the rig old, and which
//! command a servo tick sees depends on the machine's timing. What the sensors said is in the
//! record; a replay gives the same commands.

use super::missed::Overruns;
use super::{Histogram, Refused, Settings, claim};
use crate::controls::Guard;
use crate::system;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread::JoinHandle;
use tandem_quantity::{copy_few, snapshot};
use tandem_safety::latest::{Reader, Writer, latest};
use tandem_safety::{
    CommandReceiver, CommandSender, Hydraulics, Measured, Released, Rig, RigProperties, RigView,
    Status, hand_over,
};

/// Words of a status in front of a reading.
const HEAD: usize = 4;

/// How the rig's thread kept its time.
#[derive(Clone, Debug, Default)]
pub struct RigClock {
    /// Period, s.
    pub period: f64,
    /// From the deadline to being awake.
    pub latency: Histogram,
    /// From being awake to the end of the tick.
    pub compute: Histogram,
    /// Deadlines that had passed a whole period before the thread was awake; those of one period of
    /// the coordinator count once, since what was put off is made up for.
    pub missed: u64,
    /// What the system did not grant.
    pub refused: Refused,
}

/// What the two sides share besides the newest values.
#[derive(Default)]
struct Shared {
    over: AtomicBool,
    /// 0: nothing, 1: ramp down, 2: off.
    hydraulics: AtomicU8,
    off: AtomicBool,
    /// The thread is gone.
    gone: AtomicBool,
    misses: Arc<Overruns>,
}

/// Tells the other side that the thread is gone, however it went.
struct Life(Arc<Shared>);

impl Drop for Life {
    fn drop(&mut self) {
        self.0.gone.store(true, Ordering::Release);
    }
}

/// The coordinator's side of a rig in a thread of its own.
pub struct RigThread {
    properties: RigProperties,
    found: Option<Vec<f64>>,
    /// The specimen's tangent stiffness as of the last reading, where the model knows it.
    tangent: Option<Vec<f64>>,
    commands: CommandSender,
    readings: Reader,
    status: Status,
    /// Ticks of the coordinator since the thread went.
    age: u64,
    shared: Arc<Shared>,
}

/// The thread of a rig, for whoever started it.
pub struct RigHandle {
    shared: Arc<Shared>,
    thread: JoinHandle<RigClock>,
    /// What the system did not grant it.
    pub refused: Refused,
}

impl RigHandle {
    /// Deadlines that it has missed so far.
    pub(super) fn misses(&self) -> &Arc<Overruns> {
        &self.shared.misses
    }

    /// Ends the thread and tells how it kept its time; none where it has come to grief.
    pub fn stop(self) -> Option<RigClock> {
        self.shared.over.store(true, Ordering::Release);
        self.thread.join().ok()
    }
}

impl RigThread {
    /// Lets the rig go by its own clock, if it has one: otherwise it comes back as it was. `period`
    /// is that of the coordinator, s; `tangent`: the loop asks for the specimen's tangent
    /// stiffness.
    pub fn start(
        mut rig: Box<dyn Rig>,
        settings: Settings,
        guard: Guard,
        period: f64,
        tangent: bool,
    ) -> Result<(Self, RigHandle), Box<dyn Rig>> {
        let Some(own_period) = rig.free_run() else {
            return Err(rig);
        };
        let properties = RigProperties {
            is_model: false,
            is_instantaneous: false,
            needs_wall_clock: true,
            waits: false,
            specimen_as_attachment: None,
            ..rig.properties()
        };
        let n = properties.actuators;
        let (commands, orders) = hand_over(n);
        let mut known = vec![0.0; n * n];
        let tangent = (tangent && rig.observe().tangent(&mut known)).then_some(known);
        let more = tangent.as_ref().map_or(0, Vec::len);
        let (mut reports, readings) = latest(HEAD + 4 * n + more);
        let mut found = vec![0.0; n];
        let found = rig.initial_position(&mut found).then_some(found);
        let shared = Arc::new(Shared::default());
        let mut first = Measured::at_rest(n);
        rig.read(&mut first);
        publish(&mut reports, &rig.status(), &first, tangent.as_deref());
        let this = Self {
            properties,
            found,
            tangent: tangent.clone(),
            commands,
            readings,
            status: rig.status(),
            age: 0,
            shared: Arc::clone(&shared),
        };
        let (granted, hear) = std::sync::mpsc::channel();
        let there = Arc::clone(&shared);
        let thread = {
            std::thread::spawn(move || {
                let claim = claim(settings);
                let _ = granted.send(claim.refused.clone());
                let _life = Life(Arc::clone(&shared));
                let mut clock = RigClock {
                    period: own_period,
                    refused: claim.refused.clone(),
                    ..RigClock::default()
                };
                let mut servo = Servo {
                    measured: Measured::at_rest(n),
                    tangent,
                    rig,
                    orders,
                    reports,
                };
                guard(&mut || servo.keep_time(&mut clock, &shared, period));
                clock
            })
        };
        let handle = RigHandle {
            shared: there,
            thread,
            refused: hear.recv().unwrap_or_default(),
        };
        Ok((this, handle))
    }
}

impl Drop for RigThread {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Release);
    }
}

fn publish(reports: &mut Writer, status: &Status, measured: &Measured, tangent: Option<&[f64]>) {
    let motion = &measured.motion;
    reports.write([
        &status.words()[..],
        &motion.displacement[..],
        &motion.velocity[..],
        &motion.acceleration[..],
        &measured.force[..],
        tangent.unwrap_or_default(),
    ]);
}

/// The thread's side.
struct Servo {
    rig: Box<dyn Rig>,
    orders: CommandReceiver,
    reports: Writer,
    measured: Measured,
    tangent: Option<Vec<f64>>,
}

impl Servo {
    /// At every deadline the newest command, one period of the rig, the newest reading.
    /// `coordinator` is the period of the loop, s.
    fn keep_time(&mut self, clock: &mut RigClock, shared: &Shared, coordinator: f64) {
        #[allow(clippy::cast_possible_truncation)]
        let [period, coordinator] =
            [clock.period, coordinator].map(|s| ((s * 1e9).round() as i64).max(1));
        let mut counted = i64::MIN;
        let mut deadline = system::now() + period;
        while !shared.over.load(Ordering::Acquire) {
            system::sleep_until(deadline);
            let awake = system::now();
            clock.latency.add(awake - deadline);
            if awake - deadline >= period && awake - coordinator >= counted {
                counted = awake;
                clock.missed += 1;
                shared.misses.add(awake - deadline);
            }
            self.tick(shared);
            clock.compute.add(system::now() - awake);
            // Deadlines that are gone are made up for: a plant's time is the wall's.
            deadline += period;
        }
    }

    fn tick(&mut self, shared: &Shared) {
        let hydraulics = match shared.hydraulics.load(Ordering::Acquire) {
            0 => None,
            1 => Some(Hydraulics::RampDown),
            _ => Some(Hydraulics::Off),
        };
        if let Some(what) = hydraulics {
            shared
                .off
                .store(self.rig.hydraulics(what), Ordering::Release);
        }
        match self.orders.newest() {
            None => self.rig.idle(),
            Some(command) => self.rig.write(command),
        }
        self.rig.read(&mut self.measured);
        if let Some(tangent) = &mut self.tangent {
            self.rig.observe().tangent(tangent);
        }
        let (status, tangent) = (self.rig.status(), self.tangent.as_deref());
        publish(&mut self.reports, &status, &self.measured, tangent);
    }
}

// What runs by the wall clock cannot be set back.
snapshot!(RigThread {});

impl Rig for RigThread {
    fn properties(&self) -> RigProperties {
        self.properties.clone()
    }

    #[inline]
    fn read(&mut self, measured: &mut Measured) {
        let (reading, _) = self.readings.read();
        let n = self.properties.actuators;
        let (head, rest) = reading.split_at(HEAD);
        let (motion, known) = rest.split_at(4 * n);
        if let Some(tangent) = &mut self.tangent {
            copy_few(tangent, known);
        }
        let mut parts = motion.chunks_exact(n);
        let mut take = |to: &mut [f64]| {
            if let Some(part) = parts.next() {
                copy_few(to, part);
            }
        };
        take(&mut measured.motion.displacement);
        take(&mut measured.motion.velocity);
        take(&mut measured.motion.acceleration);
        take(&mut measured.force);
        // A model that is put off by the system has not lost its sensors; one that is gone has.
        self.age = if self.shared.gone.load(Ordering::Acquire) {
            self.age + 1
        } else {
            0
        };
        let mut words = [0.0; HEAD];
        words.copy_from_slice(head);
        self.status = Status::from_words(words);
        self.status.age += self.age;
    }

    #[inline]
    fn write(&mut self, command: Released<'_>) {
        self.commands.send(command);
    }

    fn idle(&mut self) {
        self.commands.hold();
    }

    fn initial_position(&mut self, displacement: &mut [f64]) -> bool {
        match &self.found {
            Some(found) => {
                copy_few(displacement, found);
                true
            }
            None => false,
        }
    }

    fn status(&self) -> Status {
        self.status
    }

    fn hydraulics(&mut self, what: Hydraulics) -> bool {
        let order = match what {
            Hydraulics::RampDown => 1,
            Hydraulics::Off => 2,
        };
        self.shared.hydraulics.store(order, Ordering::Release);
        self.shared.off.load(Ordering::Acquire)
    }

    fn observe(&self) -> &dyn RigView {
        self
    }
}

impl RigView for RigThread {
    fn tangent(&self, stiffness: &mut [f64]) -> bool {
        let Some(tangent) = &self.tangent else {
            return false;
        };
        copy_few(stiffness, tangent);
        true
    }
}
