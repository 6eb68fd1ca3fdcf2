//! A run that another program drives: the server beside the loop, from the first call to the driver's end.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use tandem_coordinator::recorder::{Event, EventLog, Level, RecorderError};
use tandem_coordinator::{Outcome, Stop};
use tandem_link::{Ended, Notice};

use crate::assemble::driven::{Driver, Serving};
use crate::run::RunError;

/// What is told to people while it happens.
pub enum Line<'a> {
    /// Where the program listens, before anybody is accepted.
    Listening(&'a str),
    /// What the driver does, and what went wrong.
    Notice(&'a str),
}

/// Looks at the operator this often.
const LOOK: Duration = Duration::from_millis(50);

/// Lets the loop `go` for its driver, in stepped or real time; `operator` is true once the operator wants it to stop. When the test stops before the driver does, the driver is answered with the last good force until it ends:
/// whoever hangs up on OpenSees leaves it spinning.
pub fn run(
    driver: &Driver,
    operator: &AtomicBool,
    events: &mut EventLog,
    tell: &(dyn Fn(Line<'_>) + Sync),
    go: impl FnOnce(&mut EventLog) -> Result<Outcome, RecorderError>,
) -> Result<Outcome, RunError> {
    let start = Instant::now();
    let (notices, inbox) = channel();
    let serving = driver
        .start(notices)
        .map_err(|source| RunError::Listen { source })?;
    for address in &serving.addresses {
        tell(Line::Listening(&address.to_string()));
    }
    let Serving { thread, stop, .. } = serving;
    let heard = Mutex::new(Vec::new());
    let (outcome, ended) = std::thread::scope(|scope| {
        let (stop, heard) = (&*stop, &heard);
        scope.spawn(move || listen(&inbox, operator, stop, start, heard, tell));
        let outcome = go(events);
        driver.close();
        if matches!(&outcome, Ok(outcome) if outcome.stop == Some(Stop::Driver)) {
            // Nobody is there who could be hurt.
            stop.store(true, Ordering::Relaxed);
        } else if let Ok(outcome) = &outcome
            && let Some(reason) = &outcome.stop
        {
            tell(Line::Notice(&format!(
                "STOPPED: {}. The specimen holds; the driver is answered with the last good force until it ends.",
                reason.reason()
            )));
        }
        let ended = thread
            .join()
            .unwrap_or(Ended::Lost("the server failed".to_owned()));
        (outcome, ended)
    });
    let mut outcome = outcome?;
    outcome.steps = driver.steps();
    for (wall, notice) in heard.into_inner().unwrap_or_default() {
        let (level, code) = match &notice {
            Notice::Alarm(..) => (Level::Error, "driver.alarm"),
            Notice::Refused(..) => (Level::Warn, "driver.refused"),
            _ => (Level::Info, "driver.session"),
        };
        let event = Event::new(
            outcome.ticks,
            outcome.time_s,
            wall,
            level,
            code,
            words(&notice),
        );
        events.log(&event)?;
    }
    if operator.load(Ordering::Relaxed) && outcome.stop.is_none() {
        outcome.stop = Some(Stop::Operator);
    }
    if let (Ended::Lost(text), None | Some(Stop::Driver)) = (&ended, outcome.stop) {
        outcome.stop = Some(Stop::Driver);
        let wall = start.elapsed().as_secs_f64();
        let text = format!("{text}; the specimen holds");
        events.log(&Event::new(
            outcome.ticks,
            outcome.time_s,
            wall,
            Level::Error,
            "driver.lost",
            text,
        ))?;
    }
    Ok(outcome)
}

/// Takes the server's notices until it has ended, and passes the operator's wish on.
fn listen(
    inbox: &Receiver<Notice>,
    operator: &AtomicBool,
    stop: &AtomicBool,
    start: Instant,
    heard: &Mutex<Vec<(f64, Notice)>>,
    tell: &(dyn Fn(Line<'_>) + Sync),
) {
    /// More are told, but not kept.
    const MOST: usize = 10_000;
    loop {
        match inbox.recv_timeout(LOOK) {
            Ok(notice) => {
                tell(Line::Notice(&words(&notice)));
                if let Ok(mut list) = heard.lock()
                    && list.len() < MOST
                {
                    list.push((start.elapsed().as_secs_f64(), notice));
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if operator.load(Ordering::Relaxed) {
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
