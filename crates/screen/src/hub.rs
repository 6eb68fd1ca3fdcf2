//! The state behind all sockets: one history, one list of events, one holder of the controls, many
//! listeners.

use std::collections::VecDeque;
use std::time::Instant;

use tokio::sync::mpsc::{Sender, error::TrySendError};

use crate::access::{Session, Token};
use crate::controls::Controls;
use crate::history::{History, LEVELS};
use crate::message::{Hello, Said, Told};
use crate::scene::{DERIVED_COUNT, Derived, Scene};
use crate::source::{ActionRefused, Happening, Source};
use crate::spectrum::ErrorSpectrum;
use crate::status::{Action, Status};
use crate::wire;

/// What goes to a listener.
#[derive(Clone, Debug)]
pub enum Out {
    /// JSON.
    Text(String),
    /// A binary frame.
    Frame(Vec<u8>),
    /// Good-bye, with a reason.
    Close(String),
}

/// Bins of each level that a page gets when it comes; the coarsest gives the whole test.
const SNAPSHOT: [u64; LEVELS] = [2048, 2048, 2048, 2048, 8192];
/// Events that a page gets when it comes.
const MOST_HAPPENINGS: usize = 500;
/// Frames between two status messages, and between two spectra.
const STATUS_EVERY: u64 = 3;
const SPECTRUM_EVERY: u64 = 12;
/// A page that was not heard of for so long does not count as an operator who watches.
const SILENCE_S: f64 = 3.0;

struct Listener {
    id: u64,
    out: Sender<Out>,
    session: Session,
    client: String,
    /// One load of the page: a duplicated tab has the client of the other, but not this.
    page: String,
    name: String,
    greeted: bool,
    channels: Vec<usize>,
    sent: [u64; LEVELS],
    resets: u64,
    /// Frames were dropped: it needs a snapshot once it can take one.
    behind: bool,
    heard_s: f64,
}

/// The state behind all sockets.
pub struct Hub {
    source: Box<dyn Source>,
    scene: Scene,
    scene_text: String,
    derived: Vec<Derived>,
    history: History,
    spectrum: ErrorSpectrum,
    happenings: VecDeque<Happening>,
    listeners: Vec<Listener>,
    next_id: u64,
    controls: Controls,
    /// What was last told of the controls, so that it is told again only when it changes.
    told_controls: Option<Controls>,
    status: Status,
    token: Token,
    /// Whether watching needs the token, too.
    guarded: bool,
    start: Instant,
    ticks: u64,
}

impl Hub {
    /// A hub for a scene, its source and a token.
    pub fn new(scene: Scene, source: Box<dyn Source>, token: Token, guarded: bool) -> Self {
        let (scene, derived) = scene.with_derived();
        Self {
            source,
            scene_text: text_of(&Told::Scene(scene.clone())),
            history: History::new(scene.channels.len(), scene.rate_hz),
            spectrum: ErrorSpectrum::new(derived.len(), scene.rate_hz),
            scene,
            derived,
            happenings: VecDeque::new(),
            listeners: Vec::new(),
            next_id: 1,
            controls: Controls::default(),
            told_controls: None,
            status: Status::default(),
            token,
            guarded,
            start: Instant::now(),
            ticks: 0,
        }
    }

    fn now_s(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Listeners at present.
    pub fn listeners(&self) -> usize {
        self.listeners.len()
    }

    /// Whether a socket has said who it is.
    pub fn is_greeted(&self, id: u64) -> bool {
        self.listeners.iter().any(|l| l.id == id && l.greeted)
    }

    /// Makes room for a socket where there are `most`: the oldest that has not said who it is goes,
    /// else the oldest without the token. False: all have it.
    pub fn make_room(&mut self, most: usize) -> bool {
        if self.listeners.len() < most {
            return true;
        }
        let stranger = self.listeners.iter().position(|l| !l.greeted);
        let goes = stranger.or_else(|| self.listeners.iter().position(|l| !l.session.trusted));
        let Some(at) = goes else {
            return false;
        };
        // Its socket closes when the other end of the queue is gone.
        self.listeners.remove(at);
        true
    }

    /// A socket has opened; it is greeted with a challenge.
    pub fn open(&mut self, out: Sender<Out>) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let session = Session::new();
        let greeting = Told::Challenge {
            nonce: session.challenge.clone(),
            guarded: self.guarded,
        };
        let _ = out.try_send(Out::Text(text_of(&greeting)));
        self.listeners.push(Listener {
            id,
            out,
            session,
            client: String::new(),
            page: String::new(),
            name: String::new(),
            greeted: false,
            channels: Vec::new(),
            sent: [0; LEVELS],
            resets: 0,
            behind: false,
            heard_s: self.now_s(),
        });
        id
    }

    /// A socket has closed.
    pub fn close(&mut self, id: u64) {
        let now = self.now_s();
        if let Some(at) = self.listeners.iter().position(|l| l.id == id) {
            let gone = self.listeners.remove(at);
            // The same browser may have opened another socket already.
            let there = self
                .listeners
                .iter()
                .any(|l| l.client == gone.client && l.session.trusted);
            if gone.session.trusted && !there {
                self.controls.leave(&gone.client, now);
            }
        }
        self.tell_controls();
    }

    /// A page said something. False: it must go.
    pub fn accept(&mut self, id: u64, text: &str) -> bool {
        let now = self.now_s();
        let Some(at) = self.listeners.iter().position(|l| l.id == id) else {
            return false;
        };
        self.listeners[at].heard_s = now;
        let Ok(said) = serde_json::from_str::<Said>(text) else {
            return self.refuse(at, "this is not a message of this protocol");
        };
        let listener = &mut self.listeners[at];
        match said {
            Said::Hello(hello) => self.greet(at, hello),
            _ if !listener.greeted => self.refuse(at, "greet first"),
            Said::Alive => true,
            Said::Subscribe { mut channels } => {
                let known = self.scene.channels.len();
                let mut seen = vec![false; known];
                let asked = channels.len();
                channels.retain(|c| {
                    seen.get_mut(*c)
                        .is_some_and(|seen| !std::mem::replace(seen, true))
                });
                if channels.len() < asked {
                    return self.refuse(at, "a channel twice, or one that is not there");
                }
                listener.channels = channels;
                self.snapshot(at);
                true
            }
            Said::Act { action, n, mac } => {
                if !listener.session.check(&self.token, n, action.word(), &mac) {
                    return self.refuse(
                        at,
                        "the command was not signed with the token, or came twice",
                    );
                }
                let answer = if action != Action::EmergencyStop
                    && !self.controls.holds(&self.listeners[at].client)
                {
                    Err(ActionRefused::HeldElsewhere)
                } else {
                    self.source.act(action)
                };
                self.answer(at, n, answer);
                true
            }
            Said::Controls { wish, n, mac } => {
                let word = format!("controls-{}", wish.word());
                if !listener.session.check(&self.token, n, &word, &mac) {
                    return self.refuse(
                        at,
                        "the command was not signed with the token, or came twice",
                    );
                }
                let (client, name) = (listener.client.clone(), listener.name.clone());
                let answer = self.controls.wish(&client, &name, wish);
                self.answer(at, n, answer);
                self.tell_controls();
                true
            }
        }
    }

    fn greet(&mut self, at: usize, hello: Hello) -> bool {
        let listener = &mut self.listeners[at];
        let long = [&hello.client, &hello.page, &hello.name]
            .iter()
            .any(|text| text.len() > 64);
        if listener.greeted || hello.client.is_empty() || long {
            return self.refuse(at, "a greeting comes once, with a short name");
        }
        listener.client = hello.client;
        listener.page = hello.page;
        listener.name = hello.name;
        if !hello.proof.is_empty()
            && !listener
                .session
                .greet(&self.token, &listener.client, &hello.proof)
        {
            return self.refuse(at, "wrong token");
        }
        if self.guarded && !listener.session.trusted {
            return self.refuse(at, "this address needs the token");
        }
        listener.greeted = true;
        let listener = &self.listeners[at];
        let twin = self.listeners.iter().any(|other| {
            other.id != listener.id
                && other.client == listener.client
                && other.page != listener.page
                && listener.heard_s - other.heard_s < SILENCE_S
        });
        let listener = &mut self.listeners[at];
        if twin {
            // Two pages never share the controls, whatever the browser copied from one to the
            // other.
            listener.client = format!("{}/{}", listener.client, listener.id);
        }
        let welcome = Told::Welcome {
            trusted: listener.session.trusted,
            state: self.status.clone(),
        };
        let (client, name) = (listener.client.clone(), listener.name.clone());
        let scene = self.scene_text.clone();
        let trusted = listener.session.trusted;
        let happenings = Told::Events {
            list: self.happenings.iter().cloned().collect(),
        };
        self.tell(at, &welcome);
        self.send(at, Out::Text(scene));
        self.tell(at, &happenings);
        if trusted && !hello.watch {
            self.controls.arrive(&client, &name);
        }
        self.told_controls = None;
        self.tell_controls();
        true
    }

    fn answer<E: ToString>(&mut self, at: usize, n: u64, answer: Result<(), E>) {
        let ok = answer.is_ok();
        let text = answer.err().map_or_else(String::new, |why| why.to_string());
        self.tell(at, &Told::Answer { n, ok, text });
    }

    fn refuse(&mut self, at: usize, why: &str) -> bool {
        let text = why.to_owned();
        self.tell(at, &Told::Refused { text });
        self.send(at, Out::Close(why.to_owned()));
        false
    }

    fn tell(&mut self, at: usize, message: &Told) {
        self.send(at, Out::Text(text_of(message)));
    }

    fn send(&mut self, at: usize, out: Out) {
        let listener = &mut self.listeners[at];
        if let Err(TrySendError::Full(_)) = listener.out.try_send(out) {
            listener.behind = true;
        }
    }

    /// Everything that a page has not seen, coarse to fine.
    fn snapshot(&mut self, at: usize) {
        self.tell(at, &Told::Reset);
        for level in (0..LEVELS).rev() {
            let count = self.history.count(level);
            let from = count.saturating_sub(SNAPSHOT[level]);
            let listener = &self.listeners[at];
            let number = u8::try_from(level).unwrap_or_default();
            let bins = self.history.bins(level, from);
            let frame = wire::bins(wire::BINS, number, &listener.channels, bins);
            if let Some(frame) = frame {
                self.send(at, Out::Frame(frame));
            }
            self.listeners[at].sent[level] = count;
        }
        self.listeners[at].resets = self.history.resets();
    }

    fn tell_controls(&mut self) {
        if self.told_controls.as_ref() == Some(&self.controls) {
            return;
        }
        self.told_controls = Some(self.controls.clone());
        for at in 0..self.listeners.len() {
            if self.listeners[at].greeted {
                let view = self.controls.view(&self.listeners[at].client);
                self.tell(at, &Told::Controls(view));
            }
        }
    }

    /// One round: rows in, frames out. False when the test has ended and everybody was told.
    pub fn tick(&mut self) -> bool {
        self.ticks += 1;
        let now = self.now_s();
        self.take_rows();
        self.take_happenings();
        let status = self.source.status();
        let changed = status.state != self.status.state
            || status.allowed != self.status.allowed
            || status.outcome != self.status.outcome;
        self.status = status;
        self.controls.expire(now);
        self.tell_controls();
        let heard = |l: &Listener| self.controls.holds(&l.client) && now - l.heard_s < SILENCE_S;
        let present = self.controls.present() && self.listeners.iter().any(heard);
        self.source.operator_present(present);

        let text = (changed || self.ticks.is_multiple_of(STATUS_EVERY)).then(|| {
            text_of(&Told::Status {
                status: self.status.clone(),
                watchers: self.listeners.iter().filter(|l| l.greeted).count(),
            })
        });
        let spectrum = (self.ticks.is_multiple_of(SPECTRUM_EVERY))
            .then(|| self.spectrum.amplitudes())
            .flatten()
            .and_then(|(spacing, amplitudes)| wire::spectrum(spacing, &amplitudes));
        self.send_frames(text.as_ref(), spectrum.as_ref());
        self.listeners.retain(|l| !l.out.is_closed());
        !(self.source.ended() && self.listeners.is_empty())
    }

    fn take_rows(&mut self) {
        let Self {
            source,
            history,
            derived,
            spectrum,
            scene,
            ..
        } = self;
        let mut extra = vec![0.0; DERIVED_COUNT * derived.len()];
        source.rows(&mut |time, row| {
            if history.goes_back(time) {
                derived.iter_mut().for_each(Derived::restart);
            }
            for (figures, law) in extra
                .chunks_exact_mut(DERIVED_COUNT)
                .zip(derived.iter_mut())
            {
                figures.copy_from_slice(&law.of(row, scene.rate_hz));
            }
            history.push(time, row.iter().chain(&extra).copied());
            spectrum.push(extra.iter().step_by(DERIVED_COUNT).copied());
        });
    }

    fn take_happenings(&mut self) {
        let mut new = Vec::new();
        self.source.happenings(&mut |happening| new.push(happening));
        if new.is_empty() {
            return;
        }
        let message = text_of(&Told::Events { list: new.clone() });
        self.happenings.extend(new);
        while self.happenings.len() > MOST_HAPPENINGS {
            self.happenings.pop_front();
        }
        for at in 0..self.listeners.len() {
            if self.listeners[at].greeted {
                self.send(at, Out::Text(message.clone()));
            }
        }
    }

    fn send_frames(&mut self, status: Option<&String>, spectrum: Option<&Vec<u8>>) {
        let now: Option<(f64, Vec<_>)> =
            self.history.take_now().map(|(t, bins)| (t, bins.to_vec()));
        for at in 0..self.listeners.len() {
            let listener = &self.listeners[at];
            if !listener.greeted {
                continue;
            }
            // A page that could not keep up gets everything anew once its queue is empty.
            if listener.behind {
                if listener.out.capacity() == listener.out.max_capacity() {
                    self.listeners[at].behind = false;
                    self.snapshot(at);
                }
                continue;
            }
            if let Some(text) = status {
                self.send(at, Out::Text(text.clone()));
            }
            if self.listeners[at].channels.is_empty() {
                continue;
            }
            if self.listeners[at].resets != self.history.resets() {
                self.snapshot(at);
            }
            for level in 0..LEVELS {
                let from = self.listeners[at].sent[level];
                let number = u8::try_from(level).unwrap_or_default();
                let channels = &self.listeners[at].channels;
                let bins = self.history.bins(level, from);
                if let Some(frame) = wire::bins(wire::BINS, number, channels, bins) {
                    self.send(at, Out::Frame(frame));
                }
                self.listeners[at].sent[level] = self.history.count(level);
            }
            if let Some((time, bins)) = &now {
                let channels = &self.listeners[at].channels;
                let one = std::iter::once((*time, bins.as_slice()));
                if let Some(frame) = wire::bins(wire::NOW, 0, channels, one) {
                    self.send(at, Out::Frame(frame));
                }
            }
            if let Some(frame) = spectrum {
                self.send(at, Out::Frame(frame.clone()));
            }
        }
    }

    /// Says good-bye to everybody.
    pub fn farewell(&mut self, why: &str) {
        for at in 0..self.listeners.len() {
            self.send(at, Out::Close(why.to_owned()));
        }
    }
}

/// A message as it travels. Numbers, texts and lists under keys that are texts always are JSON.
fn text_of(message: &Told) -> String {
    serde_json::to_string(message).unwrap_or_default()
}
