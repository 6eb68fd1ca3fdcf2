//! One peer's bytes, taken apart: pure, so that every byte sequence can be tried without a socket.

use super::action::Action;
use super::record::{ByteOrder, Counts, ProtocolError, Sizes};
use tandem_quantity::{Motion, index};

/// How the peer opens and what it expects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Protocol {
    /// Sizes, then vectors: `genericClient`, elements of OpenFresco, `GenericTCP`.
    Element,
    /// Sizes, then vectors with the handshake of a predictor–corrector: `SimSimulink`.
    Simulink,
    /// The opening of a shadow site; `version` must be the peer's.
    Actor {
        /// Version of OpenFresco as a number.
        version: f64,
    },
}

/// Version that OpenFresco 2.8.0 says.
pub const VERSION: f64 = 2.8;

/// Length of the vectors with which sites open.
const OPENING: usize = 256;

/// Tag of this side as an actor site.
const ACTOR_TAG: f64 = 1.0;

/// What a peer may send ahead, in records: OpenSees sends at most four before it waits.
const AHEAD: usize = 64;

/// While a session opens, the length of its vectors is not known; a record may then be this long,
/// bytes.
const OPENING_AHEAD: usize = 64 * 1024;

/// What came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The session is open; its sizes are known.
    Opened,
    /// A request. After a trial, [`Conversation::trial`] holds it.
    Request(Action),
    /// A code that no program sends; it is not answered.
    Unknown(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    Sizes,
    Probe,
    SiteOpen,
    SiteSetup,
    TrialSizes,
    OutputSizes,
    Vectors,
}

/// The state of one peer. Bytes go in by [`Conversation::space`] and [`Conversation::filled`],
/// events come out of [`Conversation::next_event`]; what the opening wants answered is in
/// [`Conversation::outgoing`].
#[derive(Clone, Debug)]
pub struct Conversation {
    protocol: Protocol,
    dof: usize,
    stage: Stage,
    sizes: Sizes,
    buffer: Vec<u8>,
    begin: usize,
    end: usize,
    trial: Motion,
    time: f64,
    /// Bytes to be sent before anything else.
    pub outgoing: Vec<u8>,
}

impl Conversation {
    /// A conversation with nobody yet, for a specimen of `dof` degrees of freedom.
    pub fn new(protocol: Protocol, dof: usize) -> Self {
        let stage = match protocol {
            Protocol::Actor { .. } => Stage::Probe,
            _ => Stage::Sizes,
        };
        Self {
            protocol,
            dof,
            stage,
            sizes: Sizes::generic_client(dof, OPENING),
            buffer: vec![0; 16 * 1024],
            begin: 0,
            end: 0,
            trial: Motion::at_rest(dof),
            time: 0.0,
            outgoing: Vec::new(),
        }
    }

    /// The peer's sizes, once the session is open.
    pub fn sizes(&self) -> Option<&Sizes> {
        (self.stage == Stage::Vectors).then_some(&self.sizes)
    }

    /// The last trial motion: m, m/s, m/s².
    pub fn trial(&self) -> &Motion {
        &self.trial
    }

    /// The peer's time of the last trial, s.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Length of the record that must come next, bytes.
    fn record(&self) -> usize {
        match self.stage {
            Stage::Sizes => Sizes::BYTES,
            Stage::Probe => 4,
            Stage::SiteOpen | Stage::SiteSetup => 8 * OPENING,
            Stage::TrialSizes | Stage::OutputSizes => 20,
            Stage::Vectors => 8 * self.sizes.vector,
        }
    }

    /// Whether a whole record is there.
    pub fn has_record(&self) -> bool {
        self.end - self.begin >= self.record()
    }

    /// Whether nothing has come since the last whole record.
    pub fn is_between_records(&self) -> bool {
        self.begin == self.end
    }

    /// Where the next bytes go; never empty, never more than a few records.
    pub fn space(&mut self) -> &mut [u8] {
        if self.begin == self.end {
            (self.begin, self.end) = (0, 0);
        }
        let record = self.record();
        if self.buffer.len() - self.begin < record || self.end == self.buffer.len() {
            self.buffer.copy_within(self.begin..self.end, 0);
            (self.begin, self.end) = (0, self.end - self.begin);
            if self.buffer.len() < record {
                self.buffer.resize(record, 0);
            }
        }
        self.buffer.get_mut(self.end..).unwrap_or_default()
    }

    /// So many bytes of the space have been filled.
    pub fn filled(&mut self, bytes: usize) {
        self.end = (self.end + bytes).min(self.buffer.len());
    }

    /// Takes bytes that came in one piece, such as a datagram.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<(), ProtocolError> {
        if self.end - self.begin + bytes.len() > AHEAD * self.record().max(OPENING_AHEAD) {
            return Err(ProtocolError::TooMuch(bytes.len()));
        }
        while !bytes.is_empty() {
            let space = self.space();
            if space.is_empty() {
                let more = self.buffer.len() + bytes.len();
                self.buffer.resize(more, 0);
                continue;
            }
            let n = space.len().min(bytes.len());
            let (now, later) = bytes.split_at(n);
            space.iter_mut().zip(now).for_each(|(to, from)| *to = *from);
            self.filled(n);
            bytes = later;
        }
        Ok(())
    }

    /// The next event of the bytes so far; none: more bytes are needed. An error ends the
    /// conversation.
    pub fn next_event(&mut self) -> Result<Option<Event>, ProtocolError> {
        loop {
            let length = self.record();
            let Some(bytes) = self
                .buffer
                .get(self.begin..self.end)
                .and_then(|bytes| bytes.get(..length))
            else {
                return Ok(None);
            };
            self.begin += length;
            let order = self.sizes.order;
            let double = |index: usize| order.double(bytes, index).unwrap_or(f64::NAN);
            match self.stage {
                Stage::Sizes => {
                    let sizes = Sizes::decode(bytes)?;
                    sizes.fits(self.dof)?;
                    self.sizes = sizes;
                    self.stage = Stage::Vectors;
                    return Ok(Some(Event::Opened));
                }
                Stage::Probe => {
                    self.sizes.order = [ByteOrder::Little, ByteOrder::Big]
                        .into_iter()
                        .find(|order| order.int(bytes, 0) == Some(1))
                        .ok_or_else(|| {
                            ProtocolError::Probe(ByteOrder::Little.int(bytes, 0).unwrap_or(0))
                        })?;
                    self.sizes.order.put_int(1, &mut self.outgoing);
                    self.stage = Stage::SiteOpen;
                }
                Stage::SiteOpen => {
                    let (found, theirs) = (double(0), double(2));
                    if Action::of(found) != Some(Action::Open) {
                        let expected = "the opening of a site (1)";
                        return Err(ProtocolError::Opening { expected, found });
                    }
                    let Protocol::Actor { version: ours } = self.protocol else {
                        return Err(ProtocolError::Probe(1));
                    };
                    if (theirs - ours).abs() > 1e-12 || theirs.is_nan() {
                        return Err(ProtocolError::Version { theirs, ours });
                    }
                    let answer = [0.0, ACTOR_TAG, ours];
                    order.put_vector(&answer, OPENING, &mut self.outgoing);
                    self.stage = Stage::SiteSetup;
                }
                Stage::SiteSetup => {
                    let (found, length) = (double(0), double(1));
                    if Action::of(found) != Some(Action::Setup) {
                        let expected = "the set-up of a site (2)";
                        return Err(ProtocolError::Opening { expected, found });
                    }
                    let most = super::MOST as f64;
                    if !(1.0..=most).contains(&length) {
                        return Err(ProtocolError::Opening {
                            expected: "the length of vectors",
                            found: length,
                        });
                    }
                    // bounded just above
                    let length = index(length);
                    self.sizes.vector = length;
                    self.stage = Stage::TrialSizes;
                }
                Stage::TrialSizes => {
                    self.sizes.control = Counts::decode(order, bytes, 0)?;
                    self.stage = Stage::OutputSizes;
                }
                Stage::OutputSizes => {
                    self.sizes.feedback = Counts::decode(order, bytes, 0)?;
                    self.sizes.fits(self.dof)?;
                    // A site enlarges its vectors where its counts need it.
                    let needed = (1 + self.sizes.control.total()).max(self.sizes.feedback.total());
                    self.sizes.vector = self.sizes.vector.max(needed);
                    self.stage = Stage::Vectors;
                    return Ok(Some(Event::Opened));
                }
                Stage::Vectors => {
                    let code = double(0);
                    let Some(action) = Action::of(code) else {
                        return Ok(Some(Event::Unknown(code)));
                    };
                    if action == Action::Trial {
                        take_trial(&self.sizes, bytes, &mut self.trial, &mut self.time);
                    }
                    if action == Action::End && matches!(self.protocol, Protocol::Actor { .. }) {
                        let answer = [4.0, ACTOR_TAG];
                        order.put_vector(&answer, self.sizes.vector, &mut self.outgoing);
                    }
                    return Ok(Some(Event::Request(action)));
                }
            }
        }
    }
}

/// Trial motion and time behind the action; kinds that the peer does not send stay at zero.
#[inline]
fn take_trial(sizes: &Sizes, bytes: &[u8], trial: &mut Motion, time: &mut f64) {
    let counts = &sizes.control;
    let mut at = 1;
    for (count, values) in [
        (counts.displacement, Some(&mut trial.displacement)),
        (counts.velocity, Some(&mut trial.velocity)),
        (counts.acceleration, Some(&mut trial.acceleration)),
        (counts.force, None),
    ] {
        if let Some(values) = values {
            for (i, value) in values.iter_mut().take(count).enumerate() {
                *value = sizes.order.double(bytes, at + i).unwrap_or(f64::NAN);
            }
        }
        at += count;
    }
    if counts.time > 0 {
        *time = sizes.order.double(bytes, at).unwrap_or(0.0);
    }
}
