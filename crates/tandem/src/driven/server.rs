//! The server beside the loop, from the first call to the driver's end.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use tandem_coordinator::recorder::{Event, EventLog, Level, RecorderError};
use tandem_coordinator::{Now, Outcome, Stop};
use tandem_link::{Ended, Notice};

use super::Line;
use crate::assemble::driven::{Driver, Serving};
use crate::error::RunError;

/// Looks at the operator this often.
const LOOK: Duration = Duration::from_millis(50);

/// Lets the loop `go` for its driver, in stepped or real time; `operator` is true once the operator
/// wants it to stop. When the test stops before the driver does, the driver is answered with the
/// last good force until it ends: whoever hangs up on OpenSees leaves it spinning. What the driver
/// asked for in vain comes back as warnings beside the outcome.
pub fn run(
    driver: &Driver,
    operator: &AtomicBool,
    desk: &EventStamper,
    events: &mut EventLog,
    tell: &(dyn Fn(Line<'_>) + Sync),
    go: impl FnOnce(&mut EventLog) -> Result<Outcome, RecorderError>,
) -> Result<(Outcome, Vec<String>), RunError> {
    let (notices, inbox) = channel();
    let stamp = desk.clone();
    let serving = driver
        .start(Box::new(move |notice| {
            let _ = notices.send((stamp.instant(), notice));
        }))
        .map_err(|source| RunError::Listen { source })?;
    for address in &serving.addresses {
        tell(Line::Listening(&address.to_string()));
    }
    let Serving { thread, stop, .. } = serving;
    let (outcome, ended, complaints) = std::thread::scope(|scope| {
        let stop = &*stop;
        let listener = scope.spawn(move || listen(&inbox, operator, stop, desk, tell));
        let outcome = go(events);
        driver.close();
        let lost = matches!(&outcome, Ok(outcome) if outcome.stop == Some(Stop::Driver));
        if lost && !driver.wants_answers() {
            // Nobody is there who could be hurt.
            stop.store(true, Ordering::Relaxed);
        } else if let Ok(outcome) = &outcome
            && let Some(reason) = &outcome.reason
        {
            tell(Line::Notice(&format!(
                "STOPPED: {reason}. The specimen holds; the driver is answered with the last good \
                force until it ends (Ctrl-C hangs up on it)."
            )));
        }
        let ended = thread
            .join()
            .unwrap_or(Ended::Lost("the server failed".to_owned()));
        // Ends with the server, whose notices it takes.
        (outcome, ended, listener.join().unwrap_or_default())
    });
    let mut outcome = outcome?;
    outcome.steps = driver.steps();
    if operator.load(Ordering::Relaxed) && outcome.stop.is_none() {
        outcome.stop = Some(Stop::Operator);
        outcome.reason = Some(Stop::Operator.reason());
    }
    if let (Ended::Lost(text), None | Some(Stop::Driver)) = (&ended, outcome.stop) {
        outcome.stop = Some(Stop::Driver);
        outcome.reason = Some(text.clone());
        let text = format!("{text}; the specimen holds");
        desk.log(desk.instant(), Level::Error, "driver.lost", text);
    }
    Ok((outcome, complaints.warnings()))
}

/// What a driver asked for in vain: how many times, and the first of them in words.
#[derive(Default)]
struct Complaints {
    alarms: u64,
    first: Option<String>,
    refused: u64,
    first_refused: Option<String>,
}

impl Complaints {
    fn hear(&mut self, notice: &Notice) {
        let (count, first) = match notice {
            Notice::Alarm(..) => (&mut self.alarms, &mut self.first),
            Notice::Refused(..) => (&mut self.refused, &mut self.first_refused),
            _ => return,
        };
        *count += 1;
        first.get_or_insert_with(|| words(notice));
    }

    fn warnings(&self) -> Vec<String> {
        let times = |n: u64| match n {
            1 => "once".to_owned(),
            n => format!("{n} times"),
        };
        let alarms = self.first.as_ref().map(|text| {
            format!(
                "The driver asked {} for what could not be done, and was refused or answered with \
                the last good force ({text}).",
                times(self.alarms)
            )
        });
        let refused = self.first_refused.as_ref().map(|text| {
            format!(
                "A peer was turned away {} before its session began ({text}).",
                times(self.refused)
            )
        });
        alarms.into_iter().chain(refused).collect()
    }
}

/// Where the driver's events are stamped with the tick of the test at which they happen, and handed
/// to whoever writes the log.
#[derive(Clone)]
pub struct EventStamper {
    now: Arc<Now>,
    log: Sender<Event>,
}

impl EventStamper {
    /// For the test that stands `now`.
    pub fn new(now: Arc<Now>, log: Sender<Event>) -> Self {
        Self { now, log }
    }

    fn instant(&self) -> Instants {
        let (tick, time) = self.now.get();
        // Whoever comes before the run has begun comes at its beginning.
        (tick, time, self.now.wall().unwrap_or_default())
    }

    fn log(&self, (tick, time, wall): Instants, level: Level, code: &str, text: String) {
        let _ = self
            .log
            .send(Event::new(tick, time, wall, level, code, text));
    }
}

/// Tick, structural time and wall time, s.
type Instants = (u64, f64, f64);

/// Takes the server's notices until it has ended, and passes the operator's wish on.
fn listen(
    inbox: &Receiver<(Instants, Notice)>,
    operator: &AtomicBool,
    stop: &AtomicBool,
    desk: &EventStamper,
    tell: &(dyn Fn(Line<'_>) + Sync),
) -> Complaints {
    /// More are told, but not kept.
    const MOST: usize = 10_000;
    let mut kept = 0;
    let mut complaints = Complaints::default();
    // Elements whose driver is in the middle of its session.
    let mut talking = BTreeSet::new();
    loop {
        match inbox.recv_timeout(LOOK) {
            Ok((instant, notice)) => {
                match &notice {
                    Notice::Session(door, _) => talking.insert(*door),
                    Notice::Gone(door, _) => talking.remove(door),
                    _ => false,
                };
                complaints.hear(&notice);
                let text = words(&notice);
                tell(Line::Notice(&text));
                kept += 1;
                if kept <= MOST {
                    let (level, code) = match &notice {
                        Notice::Alarm(..) => (Level::Error, "driver.alarm"),
                        Notice::Refused(..) => (Level::Warn, "driver.refused"),
                        _ => (Level::Info, "driver.session"),
                    };
                    desk.log(instant, level, code, text);
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return complaints,
        }
        // The operator stops the specimen, which the loop does; a driver that has begun is answered
        // to its own end.
        if operator.load(Ordering::Relaxed) && talking.is_empty() {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// A notice for the terminal and the events.
pub fn words(notice: &Notice) -> String {
    match notice {
        Notice::Connected(door, from) => format!("element {}: connected from {from}", door + 1),
        Notice::Session(door, text) | Notice::Gone(door, text) => {
            format!("element {}: {text}", door + 1)
        }
        Notice::Refused(door, text) => format!("element {}: refused: {text}", door + 1),
        Notice::Alarm(door, text) => format!("ALARM, element {}: {text}", door + 1),
    }
}
