//! The server: any number of elements, each at its own endpoint, over one specimen.
//!
//! A trial does not mean "move": OpenSees sends the same displacement two or three times in a step.
//! So a trial is kept until something depends on it (a read, a commit), and goes to the specimen
//! once. With several elements all trials of a step are gathered first: OpenSees sends them all
//! before it reads any force.

use super::action::Action;
use super::conversation::{Conversation, Event, Protocol};
use super::peer::{Peer, Received, Transport};
use super::{record::Sizes, reply};
use crate::short::short;
use crate::socket::{self, GIVE_WAY, LOOK};
use crate::specimen_service::{Ended, Matrix, Notice, SpecimenService};
use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::time::{Duration, Instant};
use tandem_quantity::Motion;
use tandem_transfer::rig::Measured;

/// Displacements that differ by less are the same (as in the elements of OpenFresco).
const SAME: f64 = 2.2e-16;

/// Refused peers that are kept waiting; cut off, OpenSees would spin for ever.
const KEPT: usize = 16;

/// How long one element may lag behind the others before people are told.
const LAG: Duration = Duration::from_secs(5);

/// Messages between two looks at the operator.
const BETWEEN_LOOKS: u32 = 256;

/// What stands at one address.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Endpoint {
    /// Address to listen on; port 0 takes any.
    pub address: SocketAddr,
    /// Degrees of freedom of this element.
    pub dof: usize,
    /// How its peer talks.
    pub protocol: Protocol,
    /// Datagrams instead of a stream.
    pub udp: bool,
}

enum ListeningSocket {
    Tcp(TcpListener),
    Udp(UdpSocket),
}

impl ListeningSocket {
    /// Who calls; nobody where the call is over already.
    fn call(&self) -> io::Result<Option<(Transport, SocketAddr)>> {
        let call = match self {
            Self::Tcp(listener) => listener.accept().and_then(|(stream, from)| {
                socket::prepare(&stream, LOOK)?;
                Ok((Transport::Tcp(stream), from))
            }),
            // Whoever speaks first is the peer; its words stay in the socket for the conversation.
            Self::Udp(udp) => udp.peek_from(&mut [0; 64]).and_then(|(_, from)| {
                udp.connect(from)?;
                udp.set_nonblocking(false)?;
                udp.set_read_timeout(Some(LOOK))?;
                udp.set_write_timeout(Some(socket::UNREAD))?;
                Ok((Transport::Udp(udp.try_clone()?), from))
            }),
        };
        match call {
            Err(e) if over(e.kind()) => Ok(None),
            call => call.map(Some),
        }
    }
}

/// Whether a caller has gone, or never was.
fn over(error: io::ErrorKind) -> bool {
    use io::ErrorKind as E;
    matches!(
        error,
        E::WouldBlock | E::Interrupted | E::ConnectionAborted | E::ConnectionReset
    )
}

struct Listener {
    endpoint: Endpoint,
    address: SocketAddr,
    /// First degree of freedom in the specimen's numbering.
    first: usize,
    socket: ListeningSocket,
    /// Why the last caller could not be talked to.
    unusable: Option<io::ErrorKind>,
    peer: Option<Peer>,
    refused: VecDeque<TcpStream>,
    /// This element's part of what was measured.
    measured: Measured,
    matrix: Vec<f64>,
}

/// Listens at its endpoints and leads the sessions.
pub struct Server {
    listeners: Vec<Listener>,
    /// All trials together.
    trial: Motion,
    /// Displacements that were imposed last.
    imposed: Option<Vec<f64>>,
    /// The motion that the driver accepts, element by element, its time, and how many steps that
    /// were.
    accepted: Motion,
    accepted_time: f64,
    commits: u64,
    /// Some elements have accepted a step, and the specimen has not been told.
    committing: bool,
    all: Vec<f64>,
    since_look: u32,
    /// The driver has asked for a motion that is none: nothing moves any more in its session.
    given_up: bool,
}

impl Server {
    /// Opens all endpoints; the degrees of freedom follow each other in the order of the endpoints.
    pub fn bind(endpoints: &[Endpoint]) -> io::Result<Self> {
        let mut listeners = Vec::new();
        let mut first = 0;
        for endpoint in endpoints {
            let socket = open(endpoint)?;
            let address = match &socket {
                ListeningSocket::Tcp(tcp) => tcp.local_addr()?,
                ListeningSocket::Udp(udp) => udp.local_addr()?,
            };
            listeners.push(Listener {
                endpoint: *endpoint,
                address,
                first,
                socket,
                unusable: None,
                peer: None,
                refused: VecDeque::new(),
                measured: Measured::at_rest(endpoint.dof),
                matrix: vec![0.0; endpoint.dof * endpoint.dof],
            });
            first += endpoint.dof;
        }
        Ok(Self {
            listeners,
            trial: Motion::at_rest(first),
            imposed: None,
            accepted: Motion::at_rest(first),
            accepted_time: f64::NAN,
            commits: 0,
            committing: false,
            all: vec![0.0; first * first],
            since_look: 0,
            given_up: false,
        })
    }

    /// Where it listens.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.listeners.iter().map(|e| e.address).collect()
    }

    /// Leads one session, from the first peer to the end of the last.
    pub fn serve(&mut self, served: &mut dyn SpecimenService) -> Ended {
        self.imposed = None;
        self.commits = 0;
        self.committing = false;
        self.given_up = false;
        let mut lost = None;
        loop {
            let ended = |e: &Listener| e.peer.as_ref().is_some_and(|p| p.ended);
            let alive = |e: &Listener| e.peer.as_ref().is_some_and(|p| !p.ended && p.is_open());
            if self.listeners.iter().any(ended) && !self.listeners.iter().any(alive) {
                self.tell_commit(served);
                break;
            }
            self.since_look += 1;
            if self.since_look >= BETWEEN_LOOKS {
                self.since_look = 0;
                if !served.idle() {
                    return Ended::Here;
                }
            }
            match self.wait(served) {
                Some(endpoint) => self.turn(endpoint, served, &mut lost),
                None => {
                    self.since_look = 0;
                    if !served.idle() {
                        return Ended::Here;
                    }
                }
            }
        }
        for listener in &mut self.listeners {
            if let Some(mut peer) = listener.peer.take() {
                peer.shutdown(Duration::from_secs(2));
            }
            if listener.endpoint.udp {
                renew(listener);
            }
        }
        lost.map_or(Ended::ByPeer, Ended::Lost)
    }

    /// The next endpoint at which something can be read; none: nothing came for the time of a look.
    fn wait(&mut self, served: &mut dyn SpecimenService) -> Option<usize> {
        // The usual case needs no question: one element, its session open. Its read waits by
        // itself.
        if let [only] = self.listeners.as_slice()
            && only.peer.as_ref().is_some_and(|p| p.is_open())
        {
            return Some(0);
        }
        // Whole records that were read ahead come first.
        let has_record = |e: &Listener| {
            let peer = e.peer.as_ref();
            peer.is_some_and(|p| !p.ended && p.conversation.has_record())
        };
        if let Some(endpoint) = self.listeners.iter().position(has_record) {
            return Some(endpoint);
        }
        self.dismiss_silent_callers(served);
        let (readable, callers) = self.poll();
        for endpoint in callers {
            self.welcome(endpoint, served);
        }
        readable
    }

    /// Asks the system: a endpoint whose peer can be read, and endpoints at which somebody calls.
    fn poll(&self) -> (Option<usize>, Vec<usize>) {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut places = Vec::new();
        let mut fds = Vec::new();
        for (i, e) in self.listeners.iter().enumerate() {
            match &e.peer {
                Some(peer) if !peer.ended => {
                    fds.push(match &peer.transport {
                        Transport::Tcp(stream) => PollFd::new(stream, PollFlags::IN),
                        Transport::Udp(udp) => PollFd::new(udp, PollFlags::IN),
                    });
                    places.push((i, false));
                }
                _ => {}
            }
            let gives_way = |p: &Peer| {
                !p.is_open() && !p.ended && p.since.elapsed() > GIVE_WAY && !e.endpoint.udp
            };
            if e.peer.as_ref().is_none_or(gives_way) {
                fds.push(match &e.socket {
                    ListeningSocket::Tcp(tcp) => PollFd::new(tcp, PollFlags::IN),
                    ListeningSocket::Udp(udp) => PollFd::new(udp, PollFlags::IN),
                });
                places.push((i, true));
            }
        }
        let look = Timespec {
            tv_sec: 0,
            tv_nsec: i64::from(LOOK.subsec_nanos()),
        };
        let exchanged = self.listeners.iter().flat_map(|e| &e.peer);
        let exchanged = exchanged.map(|peer| peer.exchanged).max();
        let at_once = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let mut found = poll(&mut fds, Some(&at_once)).unwrap_or(0);
        while found == 0 && exchanged.is_some_and(socket::stay_awake) {
            found = poll(&mut fds, Some(&at_once)).unwrap_or(0);
        }
        if found == 0 && poll(&mut fds, Some(&look)).unwrap_or(0) == 0 {
            return (None, Vec::new());
        }
        let ready = || {
            let pairs = fds.iter().zip(&places);
            pairs
                .filter(|(fd, _)| !fd.revents().is_empty())
                .map(|(_, place)| *place)
        };
        let readable = ready().find(|(_, caller)| !caller).map(|(i, _)| i);
        let callers = ready().filter(|(_, caller)| *caller).map(|(i, _)| i);
        (readable, callers.collect())
    }

    /// A datagram socket hears nobody but the peer that it is bound to: one that has called and
    /// then said nothing is let go.
    fn dismiss_silent_callers(&mut self, served: &mut dyn SpecimenService) {
        for (endpoint, e) in self.listeners.iter_mut().enumerate() {
            let silent = |p: &Peer| !p.is_open() && !p.ended && p.since.elapsed() > GIVE_WAY;
            if e.endpoint.udp && e.peer.as_ref().is_some_and(silent) {
                e.peer = None;
                renew(e);
                served.tell(Notice::Refused(
                    endpoint,
                    "a peer called and said nothing; another one is heard instead".to_owned(),
                ));
            }
        }
    }

    /// Somebody calls at a endpoint.
    fn welcome(&mut self, endpoint: usize, served: &mut dyn SpecimenService) {
        let Some(e) = self.listeners.get_mut(endpoint) else {
            return;
        };
        let (transport, from) = match e.socket.call() {
            Ok(Some(call)) => call,
            Ok(None) => return,
            Err(error) => {
                // Once: it calls on.
                if e.unusable.replace(error.kind()) != Some(error.kind()) {
                    let reason = format!("a peer called, and cannot be talked to: {error}");
                    served.tell(Notice::Refused(endpoint, reason));
                }
                return;
            }
        };
        e.unusable = None;
        if let Some(old) = e.peer.take() {
            served.tell(Notice::Refused(
                endpoint,
                "a peer connected and said nothing; another one is heard instead".to_owned(),
            ));
            keep(&mut e.refused, old);
        }
        let conversation = Conversation::new(e.endpoint.protocol, e.endpoint.dof);
        e.peer = Some(Peer::new(transport, conversation));
        served.tell(Notice::Connected(endpoint, from.to_string()));
    }

    /// Takes one event from a endpoint and deals with it.
    fn turn(
        &mut self,
        endpoint: usize,
        served: &mut dyn SpecimenService,
        lost: &mut Option<String>,
    ) {
        let Some(peer) = self.peer_mut(endpoint) else {
            return;
        };
        match peer.receive() {
            Ok(Received::Event(event)) => self.deal(endpoint, event, served, lost),
            Ok(Received::Nothing) => {
                self.since_look = BETWEEN_LOOKS;
            }
            Ok(Received::Closed) => self.closed(endpoint, "closed the connection", served, lost),
            Err(error) => {
                let Some(e) = self.listeners.get_mut(endpoint) else {
                    return;
                };
                if let Some(peer) = e.peer.take() {
                    if peer.is_open() {
                        // Cannot happen after the opening but for datagrams: hold, and let the peer
                        // go.
                        *lost = Some(error.to_string());
                    }
                    keep(&mut e.refused, peer);
                    if e.endpoint.udp {
                        renew(e);
                    }
                }
                served.tell(Notice::Refused(endpoint, error.to_string()));
            }
        }
    }

    fn closed(
        &mut self,
        endpoint: usize,
        how: &str,
        served: &mut dyn SpecimenService,
        lost: &mut Option<String>,
    ) {
        let Some(e) = self.listeners.get_mut(endpoint) else {
            return;
        };
        let Some(peer) = &mut e.peer else { return };
        if !peer.is_open() {
            e.peer = None;
            if e.endpoint.udp {
                renew(e);
            }
            served.tell(Notice::Gone(
                endpoint,
                "a peer left before it had opened a session".to_owned(),
            ));
            return;
        }
        // OpenSees says goodbye when it ends in good order, also at a wipe; whoever does not was
        // killed or cut off. What went wrong before is the reason, not its consequence.
        if lost.is_some() {
            // Known.
        } else if !peer.conversation.is_between_records()
            || peer.open_trials > 0 && peer.commits > 0
        {
            *lost = Some(format!("the driver {how} in the middle of a step"));
        } else if peer.commits > 0 {
            *lost = Some(format!("the driver {how} without a goodbye"));
        }
        peer.ended = true;
        served.tell(Notice::Gone(endpoint, format!("the driver {how}")));
    }

    fn deal(
        &mut self,
        endpoint: usize,
        event: Event,
        served: &mut dyn SpecimenService,
        lost: &mut Option<String>,
    ) {
        let Some(peer) = self.peer_mut(endpoint) else {
            return;
        };
        let action = match event {
            Event::Opened => {
                let text = peer.conversation.sizes().map(words).unwrap_or_default();
                served.tell(Notice::Session(endpoint, text));
                return;
            }
            Event::Unknown(code) => {
                let text = format!("unknown action {}: not answered", short(code));
                served.tell(Notice::Alarm(endpoint, text));
                return;
            }
            Event::Request(action) => action,
        };
        peer.says_commits |= action == Action::Commit;
        peer.asks_all |= action == Action::Measurement;
        match action {
            Action::Trial => {
                self.commit_silently(endpoint, served);
                if let Some(peer) = self.peer_mut(endpoint) {
                    peer.trials += 1;
                    peer.open_trials += 1;
                }
                self.take_trial(endpoint);
                if self.is_simulink(endpoint) {
                    // A controller moves at once and for good; OpenFresco 2.8 sends a commit behind
                    // it, older ones do not.
                    self.impose(endpoint, served, lost);
                    self.commit(endpoint, served);
                }
            }
            Action::Commit if self.is_simulink(endpoint) => {}
            Action::Commit => {
                // Commits are not answered: another element may have sent its next trial before
                // this one is read, and half a new motion must not go out.
                if !self.is_imposed(endpoint) {
                    self.impose(endpoint, served, lost);
                }
                self.commit(endpoint, served);
            }
            Action::Measurement | Action::Feedback => {
                self.impose(endpoint, served, lost);
                self.answer(endpoint, lost, served, |e, sizes, into, served| {
                    let time = e.time;
                    part(served.measured(), e.first, e.measured);
                    if e.simulink {
                        reply::simulink(sizes, 1.0, Some((e.measured, time)), into);
                    } else {
                        reply::feedback(sizes, e.measured, time, into);
                    }
                });
            }
            Action::Matrix(which) => {
                self.answer_matrix(endpoint, which, served, lost);
            }
            Action::CorrectionBegun | Action::PredictionBegun => {
                // The motion is over when a trial has been dealt with: the controller has
                // corrected, and predicts again.
                let flag = f64::from(u8::from(action == Action::CorrectionBegun));
                self.answer(endpoint, lost, served, |_, sizes, into, _| {
                    reply::simulink(sizes, flag, None, into);
                });
            }
            Action::End => {
                self.commit_silently(endpoint, served);
                if let Some(peer) = self.peer_mut(endpoint) {
                    peer.ended = true;
                }
                served.tell(Notice::Gone(
                    endpoint,
                    "the driver ended the session".to_owned(),
                ));
            }
            Action::Open | Action::Setup | Action::Execute | Action::TargetTaken => {}
        }
    }

    /// Answers a question for a matrix: the part of it that this peer's degrees of freedom have.
    fn answer_matrix(
        &mut self,
        endpoint: usize,
        which: Matrix,
        served: &mut dyn SpecimenService,
        lost: &mut Option<String>,
    ) {
        if which == Matrix::TangentStiffness {
            self.impose(endpoint, served, lost);
        }
        self.all.fill(0.0);
        served.matrix(which, &mut self.all);
        let (all, n) = (std::mem::take(&mut self.all), self.trial.len());
        self.answer(endpoint, lost, served, |e, sizes, into, _| {
            for i in 0..e.dof {
                for j in 0..e.dof {
                    let from = all.get((e.first + i) * n + e.first + j);
                    if let (Some(to), Some(from)) = (e.matrix.get_mut(i * e.dof + j), from) {
                        *to = *from;
                    }
                }
            }
            reply::matrix(sizes, e.matrix, e.dof, into);
        });
        self.all = all;
    }

    fn peer(&self, endpoint: usize) -> Option<&Peer> {
        self.listeners.get(endpoint)?.peer.as_ref()
    }

    fn peer_mut(&mut self, endpoint: usize) -> Option<&mut Peer> {
        self.listeners.get_mut(endpoint)?.peer.as_mut()
    }

    fn is_simulink(&self, endpoint: usize) -> bool {
        self.listeners
            .get(endpoint)
            .is_some_and(|e| e.endpoint.protocol == Protocol::Simulink)
    }

    fn take_trial(&mut self, endpoint: usize) {
        let Some(e) = self.listeners.get(endpoint) else {
            return;
        };
        let Some(peer) = &e.peer else { return };
        let trial = peer.conversation.trial();
        for (all, own) in [
            (&mut self.trial.displacement, &trial.displacement),
            (&mut self.trial.velocity, &trial.velocity),
            (&mut self.trial.acceleration, &trial.acceleration),
        ] {
            if let Some(place) = all.get_mut(e.first..e.first + own.len()) {
                place.copy_from_slice(own);
            }
        }
    }

    /// The element at this endpoint accepts its last trial. The specimen is told when all have.
    fn commit(&mut self, endpoint: usize, served: &mut dyn SpecimenService) {
        let Some(e) = self.listeners.get_mut(endpoint) else {
            return;
        };
        let Some(peer) = &mut e.peer else { return };
        peer.commits += 1;
        peer.open_trials = 0;
        let own = e.first..e.first + e.endpoint.dof;
        for (to, from) in [
            (&mut self.accepted.displacement, &self.trial.displacement),
            (&mut self.accepted.velocity, &self.trial.velocity),
            (&mut self.accepted.acceleration, &self.trial.acceleration),
        ] {
            if let (Some(to), Some(from)) = (to.get_mut(own.clone()), from.get(own.clone())) {
                to.copy_from_slice(from);
            }
        }
        self.accepted_time = peer.time();
        if peer.commits > self.commits {
            self.commits = peer.commits;
            self.committing = true;
        }
        let behind = |e: &Listener| {
            let open = e.peer.as_ref().filter(|p| p.is_open() && !p.ended);
            open.is_some_and(|p| p.commits < self.commits)
        };
        if !self.listeners.iter().any(behind) {
            self.tell_commit(served);
        }
    }

    /// Accepts the trial that stands for a peer that never says so itself.
    fn commit_silently(&mut self, endpoint: usize, served: &mut dyn SpecimenService) {
        let peer = self.peer(endpoint);
        if peer.is_some_and(Peer::accepts_silently) && self.is_imposed(endpoint) {
            self.commit(endpoint, served);
        }
    }

    /// Tells the specimen of a step that has been accepted: before it moves on, whoever lags
    /// behind.
    fn tell_commit(&mut self, served: &mut dyn SpecimenService) {
        if std::mem::take(&mut self.committing) && !self.given_up {
            served.commit(&self.accepted, self.accepted_time);
        }
    }

    /// Whether the specimen is where this endpoint's last trial wants it.
    fn is_imposed(&self, endpoint: usize) -> bool {
        let Some((there, e)) = self.imposed.as_ref().zip(self.listeners.get(endpoint)) else {
            return false;
        };
        let own = e.first..e.first + e.endpoint.dof;
        match (there.get(own.clone()), self.trial.displacement.get(own)) {
            (Some(there), Some(asked)) => {
                there.iter().zip(asked).all(|(a, b)| (a - b).abs() <= SAME)
            }
            _ => false,
        }
    }

    /// Brings the specimen to the gathered trial, if it is not there.
    #[inline]
    fn impose(
        &mut self,
        endpoint: usize,
        served: &mut dyn SpecimenService,
        lost: &mut Option<String>,
    ) {
        if self.listeners.len() > 1 {
            self.gather(endpoint, served, lost);
        }
        let asked = &self.trial.displacement;
        let unchanged = match &self.imposed {
            Some(there) => there.iter().zip(asked).all(|(a, b)| (a - b).abs() <= SAME),
            // Nobody has sent a trial: the specimen stays where it is.
            None => self
                .listeners
                .iter()
                .all(|e| e.peer.as_ref().is_none_or(|p| p.trials == 0)),
        };
        if unchanged || self.given_up {
            return;
        }
        self.tell_commit(served);
        if !self.trial.is_finite() {
            // What comes after it rests on a motion that never was: the specimen holds to the end
            // of the session.
            self.given_up = true;
            let text = "the driver asked for a motion that is not finite";
            served.give_up(text);
            served.tell(Notice::Alarm(
                endpoint,
                format!(
                    "{text}: the specimen holds, and the last good force is answered from now on"
                ),
            ));
            *lost = Some(text.to_owned());
            return;
        }
        let peer = self.peer(endpoint);
        let time = peer.map_or(f64::NAN, Peer::time);
        let done = served.impose(&self.trial, time);
        match &mut self.imposed {
            Some(there) => there.copy_from_slice(&self.trial.displacement),
            None => self.imposed = Some(self.trial.displacement.clone()),
        }
        if let Err(refused) = done {
            served.tell(Notice::Alarm(endpoint, refused.to_string()));
        }
    }

    /// Waits until all other elements have their trial of this step, too.
    fn gather(
        &mut self,
        endpoint: usize,
        served: &mut dyn SpecimenService,
        lost: &mut Option<String>,
    ) {
        let trials = |e: &Listener| e.peer.as_ref().map_or(0, |p| p.trials);
        let wanted = self.listeners.get(endpoint).map_or(0, trials);
        let start = Instant::now();
        let mut told = false;
        for other in 0..self.listeners.len() {
            while let Some(e) = self.listeners.get(other) {
                let connected = e.peer.as_ref().is_some_and(Peer::is_open);
                let ended = e.peer.as_ref().is_some_and(|p| p.ended);
                // Before the first step elements are asked one after the other, at rest.
                let at_rest =
                    self.commits == 0 && self.trial.displacement.iter().all(|x| *x == 0.0);
                if other == endpoint || ended || trials(e) >= wanted || (!connected && at_rest) {
                    break;
                }
                if !connected {
                    let (readable, callers) = self.poll();
                    for caller in callers {
                        self.welcome(caller, served);
                    }
                    if readable.is_none() {
                        self.since_look = BETWEEN_LOOKS;
                    }
                }
                self.turn(other, served, lost);
                if self.since_look >= BETWEEN_LOOKS {
                    self.since_look = 0;
                    if !served.idle() {
                        return;
                    }
                }
                if !told && start.elapsed() > LAG {
                    told = true;
                    let text = format!(
                        "waits for the trial of element {} of this step; the specimen holds",
                        other + 1
                    );
                    served.tell(Notice::Alarm(other, text));
                }
            }
        }
    }

    /// Sends one answer through a endpoint.
    #[inline]
    fn answer(
        &mut self,
        endpoint: usize,
        lost: &mut Option<String>,
        served: &mut dyn SpecimenService,
        write: impl FnOnce(Answering<'_>, &Sizes, &mut Vec<u8>, &mut dyn SpecimenService),
    ) {
        let Some(e) = self.listeners.get_mut(endpoint) else {
            return;
        };
        let Some(peer) = &mut e.peer else { return };
        let Some(sizes) = peer.conversation.sizes().copied() else {
            return;
        };
        let answering = Answering {
            first: e.first,
            dof: e.endpoint.dof,
            simulink: e.endpoint.protocol == Protocol::Simulink,
            time: peer.conversation.time(),
            measured: &mut e.measured,
            matrix: &mut e.matrix,
        };
        peer.answer.clear();
        write(answering, &sizes, &mut peer.answer, served);
        if let Err(error) = peer.send() {
            let how = if socket::is_timeout(&error) {
                "does not read its answers"
            } else {
                "broke the connection"
            };
            // Whoever wants an answer and does not take it is not at the end of its test.
            lost.get_or_insert_with(|| format!("the driver {how}"));
            self.closed(endpoint, how, served, lost);
        }
    }
}

/// What an answer is made from.
struct Answering<'a> {
    first: usize,
    dof: usize,
    simulink: bool,
    time: f64,
    measured: &'a mut Measured,
    matrix: &'a mut [f64],
}

fn open(endpoint: &Endpoint) -> io::Result<ListeningSocket> {
    if !endpoint.udp {
        return socket::listen(endpoint.address).map(ListeningSocket::Tcp);
    }
    let udp = UdpSocket::bind(endpoint.address)?;
    udp.set_nonblocking(true)?;
    Ok(ListeningSocket::Udp(udp))
}

/// A datagram socket that has been bound to one peer is of no use for the next; the old one must be
/// gone before its port is free.
fn renew(listener: &mut Listener) {
    let Ok(other) = UdpSocket::bind((listener.address.ip(), 0)) else {
        return;
    };
    listener.socket = ListeningSocket::Udp(other);
    if let Ok(socket) = open(&Endpoint {
        address: listener.address,
        ..listener.endpoint
    }) {
        listener.socket = socket;
    }
}

fn keep(refused: &mut VecDeque<TcpStream>, peer: Peer) {
    if let Transport::Tcp(stream) = peer.transport {
        refused.push_back(stream);
        if refused.len() > KEPT {
            refused.pop_front();
        }
    }
}

/// Copies the degrees of freedom from `first` on.
#[inline]
fn part(all: &Measured, first: usize, own: &mut Measured) {
    let n = own.force.len();
    for (to, from) in [
        (&mut own.motion.displacement, &all.motion.displacement),
        (&mut own.motion.velocity, &all.motion.velocity),
        (&mut own.motion.acceleration, &all.motion.acceleration),
        (&mut own.force, &all.force),
    ] {
        if let Some(from) = from.get(first..first + n) {
            to.copy_from_slice(from);
        }
    }
}

/// The session in words.
fn words(sizes: &Sizes) -> String {
    format!(
        "session with vectors of {} doubles, {}",
        sizes.vector, sizes.order
    )
}
