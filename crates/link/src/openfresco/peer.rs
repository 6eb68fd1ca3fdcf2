//! A peer behind its socket.

use super::conversation::{Conversation, Event};
use super::record::ProtocolError;
use crate::socket::{self, LOOK};
use std::io::{self, Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::time::{Duration, Instant};

/// Datagrams hold at most this many bytes; longer vectors are cut.
pub(super) const DATAGRAM: usize = 9126;

/// The datagrams with which OpenSees asks whether somebody is there.
const CALL: &[u8] = b"a";
const REPLY: &[u8] = b"b";

pub(super) enum Transport {
    Tcp(TcpStream),
    /// Connected to the first peer that spoke.
    Udp(UdpSocket),
}

/// What came from a peer.
pub(super) enum Received {
    Event(Event),
    /// Nothing within the time of one look.
    Nothing,
    /// The peer closed, or the line broke.
    Closed,
}

/// A connection with the state of its conversation.
pub(super) struct Peer {
    pub transport: Transport,
    pub conversation: Conversation,
    /// Answer under construction, kept for its memory.
    pub answer: Vec<u8>,
    pub since: Instant,
    /// When bytes last went either way.
    pub exchanged: Instant,
    pub trials: u64,
    pub commits: u64,
    /// Trials since the last commit.
    pub open_trials: u64,
    /// Says itself which trials it accepts.
    pub says_commits: bool,
    /// Asks for all that was measured, as controllers' clients do.
    pub asks_all: bool,
    pub ended: bool,
}

impl Peer {
    pub fn new(transport: Transport, conversation: Conversation) -> Self {
        Self {
            transport,
            conversation,
            answer: Vec::new(),
            since: Instant::now(),
            exchanged: Instant::now(),
            trials: 0,
            commits: 0,
            open_trials: 0,
            says_commits: false,
            asks_all: false,
            ended: false,
        }
    }

    pub fn is_open(&self) -> bool {
        self.conversation.sizes().is_some()
    }

    /// The peer's time of the last trial, s; not a number where it sends none.
    pub fn time(&self) -> f64 {
        match self.conversation.sizes() {
            Some(sizes) if sizes.control.time > 0 => self.conversation.time(),
            _ => f64::NAN,
        }
    }

    /// Whether the trial that stands is a step though nobody says so: `expControl GenericTCP` sends
    /// motions, asks for all that was measured and never commits.
    pub fn accepts_silently(&self) -> bool {
        self.asks_all && !self.says_commits && self.open_trials > 0
    }

    /// The next event; waits for it at most one look.
    #[inline]
    pub fn receive(&mut self) -> Result<Received, ProtocolError> {
        loop {
            let event = self.conversation.next_event()?;
            if !self.conversation.outgoing.is_empty() {
                std::mem::swap(&mut self.conversation.outgoing, &mut self.answer);
                let sent = self.send();
                self.conversation.outgoing.clear();
                if sent.is_err() {
                    return Ok(Received::Closed);
                }
            }
            if let Some(event) = event {
                return Ok(Received::Event(event));
            }
            let open = self.is_open();
            let read = match &mut self.transport {
                Transport::Tcp(stream) => {
                    socket::acknowledge_at_once(stream);
                    let read = socket::receive(&*stream, self.conversation.space(), self.exchanged);
                    if let Ok(n) = read {
                        self.conversation.filled(n);
                    }
                    read
                }
                Transport::Udp(udp) => {
                    let mut datagram = [0; DATAGRAM];
                    let read = socket::receive(&*udp, &mut datagram, self.exchanged);
                    let bytes = datagram.get(..*read.as_ref().unwrap_or(&0));
                    match bytes {
                        // A call repeated while the session opens is answered; a lost 'b' would
                        // hang the client.
                        Some(CALL) if !open => {
                            let _ = udp.send(REPLY);
                        }
                        Some(CALL) | None => {}
                        Some(bytes) => self.conversation.push(bytes)?,
                    }
                    read.map(|n| n.max(1))
                }
            };
            match read {
                Ok(0) => return Ok(Received::Closed),
                Ok(_) => self.exchanged = Instant::now(),
                Err(error) if socket::is_timeout(&error) => return Ok(Received::Nothing),
                Err(_) => return Ok(Received::Closed),
            }
        }
    }

    /// Sends the answer. An error means that the peer does not read, or is gone.
    #[inline]
    pub fn send(&mut self) -> io::Result<()> {
        let result = match &mut self.transport {
            Transport::Tcp(stream) => stream.write_all(&self.answer),
            Transport::Udp(udp) => self
                .answer
                .chunks(DATAGRAM)
                .try_for_each(|part| udp.send(part).map(drop)),
        };
        self.answer.clear();
        self.exchanged = Instant::now();
        result
    }

    /// Waits until the peer has closed its side, but not for ever: whoever closes first leaves the
    /// other in trouble.
    pub fn shutdown(&mut self, patience: Duration) {
        let Transport::Tcp(stream) = &mut self.transport else {
            return;
        };
        let _ = stream.set_read_timeout(Some(LOOK));
        let start = Instant::now();
        let mut rest = [0; 4096];
        while start.elapsed() < patience {
            match stream.read(&mut rest) {
                Ok(0) => return,
                Err(error) if !socket::is_timeout(&error) => return,
                _ => {}
            }
        }
    }
}
