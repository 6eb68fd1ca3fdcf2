//! A record as the screen sees it: played again at its own speed, with pause, resume and stop.

use std::path::Path;
use std::time::Instant;

use crate::{
    Action, ActionRefused, Happening, Options, RecorderStatus, Screen, Severity, Source, Status,
};
use tandem_coordinator::channels::TIME;
use tandem_coordinator::recorder::{Event, Level, RecorderError, RunReader, read_events};

use super::scene;
use tandem::plan;
use tandem::run::{RunError, files};
use tandem::sections::ROOT;
use tandem_quantity::whole;

/// Rows that are read from the file at once.
const PIECE: u64 = 8192;

/// A record that is played.
pub struct Playback {
    run: RunReader,
    names: Vec<String>,
    events: Vec<Event>,
    next_event: usize,
    /// Rows in memory: time and channels, and the row at which they begin.
    piece: Vec<Vec<f64>>,
    piece_start: u64,
    row: u64,
    /// Wall time of a second of structural time.
    speed: f64,
    dt: f64,
    steps: u64,
    end_s: f64,
    /// Structural time up to which rows were shown, advanced by the wall clock while it plays.
    time_s: f64,
    wall_s: f64,
    looked: Option<Instant>,
    state: State,
    failure: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Ready,
    Playing,
    Paused,
    Over,
}

impl Playback {
    /// Plays `run` at `pace` times the speed at which it was recorded; `playing` begins at once.
    pub fn new(
        run: RunReader,
        events: Vec<Event>,
        pace: f64,
        dt: f64,
        steps: u64,
        playing: bool,
    ) -> Result<Self, RecorderError> {
        let last = run.read_rows(TIME, run.rows().saturating_sub(1), 1)?;
        Ok(Self {
            names: run.columns().map(|c| c.name.clone()).collect(),
            speed: run.header().time_scale / pace,
            end_s: last.first().copied().unwrap_or(0.0),
            run,
            events,
            next_event: 0,
            piece: Vec::new(),
            piece_start: 0,
            row: 0,
            dt,
            steps,
            time_s: 0.0,
            wall_s: 0.0,
            looked: None,
            state: if playing {
                State::Playing
            } else {
                State::Ready
            },
            failure: None,
        })
    }

    fn load(&mut self) -> bool {
        let have = self.piece.first().map_or(0, Vec::len) as u64;
        if self.row < self.piece_start + have {
            return true;
        }
        self.piece_start = self.row;
        let read = |name: &String| self.run.read_rows(name, self.row, PIECE);
        match self.names.iter().map(read).collect::<Result<Vec<_>, _>>() {
            Ok(piece) => self.piece = piece,
            Err(error) => {
                self.failure = Some(error.to_string());
                self.piece.clear();
            }
        }
        self.piece.first().is_some_and(|time| !time.is_empty())
    }
}

impl Source for Playback {
    fn rows(&mut self, each: &mut dyn FnMut(f64, &[f64])) {
        let now = Instant::now();
        let passed = self
            .looked
            .replace(now)
            .map_or(0.0, |last| (now - last).as_secs_f64());
        if self.state != State::Playing {
            return;
        }
        self.wall_s += passed;
        self.time_s += passed / self.speed;
        let mut row = Vec::new();
        while self.load() {
            let at = usize::try_from(self.row - self.piece_start).unwrap_or(0);
            let Some(time) = self.piece.first().and_then(|time| time.get(at)).copied() else {
                break;
            };
            if time > self.time_s {
                return;
            }
            row.clear();
            row.extend(
                self.piece
                    .iter()
                    .skip(1)
                    .map(|c| c.get(at).copied().unwrap_or(f64::NAN)),
            );
            each(time, &row);
            self.row += 1;
        }
        self.time_s = self.end_s;
        self.state = State::Over;
    }

    fn status(&mut self) -> Status {
        use Action::{EmergencyStop, Pause, Resume, Start, Stop};
        let (state, meaning, tone, allowed): (_, _, _, &[Action]) = match self.state {
            State::Ready => (
                "Ready",
                "A record. Start plays it.",
                Severity::Neutral,
                &[Start, Stop],
            ),
            State::Playing => (
                "Replay",
                "A record is played; nothing moves in the laboratory.",
                Severity::Good,
                &[Pause, Stop, EmergencyStop],
            ),
            State::Paused => (
                "Held",
                "The record is paused.",
                Severity::Caution,
                &[Resume, Stop, EmergencyStop],
            ),
            State::Over => (
                "Ended",
                "The record has been played. Start plays it again.",
                Severity::Neutral,
                &[Start],
            ),
        };
        // at most the steps of the plan
        let step = whole((self.time_s / self.dt).max(0.0));
        Status {
            state: state.to_owned(),
            meaning: self.failure.clone().unwrap_or_else(|| meaning.to_owned()),
            tone: if self.failure.is_some() {
                Severity::Bad
            } else {
                tone
            },
            allowed: allowed.to_vec(),
            step: step.min(self.steps),
            time_s: self.time_s,
            wall_s: self.wall_s,
            left_s: Some((self.end_s - self.time_s).max(0.0) * self.speed),
            recorder: Some(RecorderStatus {
                rows: self.row,
                bytes: self.row * 8 * self.names.len() as u64,
                lost: 0,
            }),
            ..Status::default()
        }
    }

    fn happenings(&mut self, each: &mut dyn FnMut(Happening)) {
        while let Some(event) = self.events.get(self.next_event) {
            if event.time_s > self.time_s || self.state == State::Ready {
                return;
            }
            self.next_event += 1;
            each(Happening {
                time_s: event.time_s,
                tone: match event.level {
                    Level::Info => Severity::Neutral,
                    Level::Warn => Severity::Caution,
                    Level::Error => Severity::Bad,
                },
                code: event.code.clone(),
                text: event.text.clone(),
            });
        }
    }

    fn act(&mut self, action: Action) -> Result<(), ActionRefused> {
        self.state = match (self.state, action) {
            (State::Ready | State::Over, Action::Start) => {
                (self.row, self.time_s, self.wall_s, self.next_event) = (0, 0.0, 0.0, 0);
                State::Playing
            }
            (State::Playing, Action::Pause) => State::Paused,
            (State::Paused, Action::Resume) => State::Playing,
            (_, Action::Stop | Action::EmergencyStop) => State::Over,
            _ => return Err(ActionRefused::Record),
        };
        Ok(())
    }

    fn operator_present(&mut self, _present: bool) {}

    fn ended(&mut self) -> bool {
        false
    }
}

/// Opens a record and shows it; the screen stays until it is dropped.
///
/// # Errors
/// No record, a plan that no longer fits, an address that is taken.
pub fn play(folder: &Path, options: Options, pace: f64, playing: bool) -> Result<Screen, RunError> {
    let path = folder.join(files::RUN);
    if !path.is_file() {
        return Err(RunError::NotARun {
            folder: folder.into(),
        });
    }
    let plan = plan::read(ROOT, plan::Source::File(&folder.join(files::PLAN)), &[])
        .map_err(|refusal| RunError::Plan(Box::new(refusal)))?;
    let test = plan.assemble()?;
    let run = RunReader::open(&path)?;
    let events = read_events(&folder.join(files::EVENTS))
        .map(|(events, _)| events)
        .unwrap_or_default();
    let scene = scene::of_record(&plan, &test, &run);
    let source = Playback::new(
        run,
        events,
        pace,
        test.outline.dt,
        test.outline.timing.steps,
        playing,
    )?;
    Screen::start(options, scene, Box::new(source))
        .map_err(|error| RunError::Screen(error.to_string()))
}
