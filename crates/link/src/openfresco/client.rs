//! The other direction: specimens in an OpenSees `adapter` model, at an actor site, or behind an
//! element server.

use super::conversation::VERSION;
use super::record::{ByteOrder, Counts, Sizes};
use super::reply;
use crate::remote::{RemoteSpecimen, gone, refused};
use crate::short::short;
use crate::socket;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use tandem_quantity::Motion;
use tandem_transfer::rig::Measured;

/// A connection that sends requests and reads answers of one length.
pub struct Client {
    stream: TcpStream,
    sizes: Sizes,
    out: Vec<u8>,
    back: Vec<u8>,
    /// The last request, repeated behind every other action as OpenSees does.
    last: Vec<f64>,
}

impl Client {
    /// Connects and sends the sizes: an element server, a site server or an adapter element.
    pub fn connect(address: SocketAddr, sizes: Sizes, timeout: Duration) -> io::Result<Self> {
        let stream = dial(address, timeout)?;
        let mut this = Self::over(stream, sizes);
        this.stream.write_all(&sizes.encode())?;
        Ok(this)
    }

    fn over(stream: TcpStream, sizes: Sizes) -> Self {
        Self {
            stream,
            back: vec![0; 8 * sizes.vector],
            last: vec![0.0; 1 + sizes.control.total()],
            sizes,
            out: Vec::new(),
        }
    }

    /// The sizes of the session.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    fn put(&mut self, code: f64) {
        if let Some(first) = self.last.first_mut() {
            *first = code;
        }
        self.sizes
            .order
            .put_vector(&self.last, self.sizes.vector, &mut self.out);
    }

    fn flush(&mut self) -> io::Result<()> {
        let sent = self.stream.write_all(&self.out);
        self.out.clear();
        sent
    }

    fn put_trial(&mut self, motion: &Motion, time: f64) {
        let counts = self.sizes.control;
        let values = motion
            .displacement
            .iter()
            .take(counts.displacement)
            .chain(motion.velocity.iter().take(counts.velocity))
            .chain(motion.acceleration.iter().take(counts.acceleration));
        let mut places = self.last.iter_mut().skip(1);
        for (place, value) in places.by_ref().zip(values) {
            *place = *value;
        }
        if counts.time > 0
            && let Some(place) = self.last.last_mut()
        {
            *place = time;
        }
        self.put(3.0);
    }

    /// Sends a trial motion; nothing is answered.
    pub fn trial(&mut self, motion: &Motion, time: f64) -> io::Result<()> {
        self.put_trial(motion, time);
        self.flush()
    }

    /// Sends an action that is not answered.
    pub fn say(&mut self, code: f64) -> io::Result<()> {
        self.put(code);
        self.flush()
    }

    /// Sends an action and reads the answer's first doubles into `values`.
    pub fn ask(&mut self, code: f64, values: &mut [f64]) -> io::Result<()> {
        self.put(code);
        self.flush()?;
        self.read(values)
    }

    fn read(&mut self, values: &mut [f64]) -> io::Result<()> {
        socket::acknowledge_at_once(&self.stream);
        read_whole(&mut self.stream, &mut self.back)?;
        for (i, value) in values.iter_mut().enumerate() {
            *value = self.sizes.order.double(&self.back, i).unwrap_or(f64::NAN);
        }
        Ok(())
    }

    /// Whether the peer is there and says nothing: bytes that nobody asked for would be taken for
    /// the next answer.
    fn is_present(&self) -> io::Result<()> {
        if socket::has_unread(&self.stream)? {
            Err(refused("the peer sends what it was not asked for"))
        } else {
            Ok(())
        }
    }

    /// Asks for the measurement; the trial stands.
    fn measure(&mut self, code: f64, measured: &mut Measured) -> io::Result<()> {
        self.put(code);
        self.flush()?;
        self.read_measured(measured)
    }

    /// Reads an answer into a measurement, in the order of the feedback counts.
    fn read_measured(&mut self, measured: &mut Measured) -> io::Result<()> {
        socket::acknowledge_at_once(&self.stream);
        read_whole(&mut self.stream, &mut self.back)?;
        reply::read_feedback(&self.sizes, &self.back, measured);
        Ok(())
    }
}

fn dial(address: SocketAddr, timeout: Duration) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, timeout)?;
    socket::prepare(&stream, timeout)?;
    Ok(stream)
}

fn read_whole(stream: &mut TcpStream, into: &mut [u8]) -> io::Result<()> {
    let asked = Instant::now();
    let mut at = 0;
    while let Some(rest) = into.get_mut(at..).filter(|rest| !rest.is_empty()) {
        match socket::receive(&*stream, rest, asked) {
            Ok(0) => return Err(gone()),
            Ok(n) => at += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if socket::is_timeout(&error) => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "no answer in time"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// An `adapter`, `actuator` or `corotActuator` element of OpenSees: a model of OpenSees is the
/// specimen.
///
/// A read must always follow a trial: the element answers when its next step has begun.
pub struct Adapter {
    client: Client,
}

impl Adapter {
    /// Connects to the waiting model.
    pub fn connect(address: SocketAddr, dof: usize, timeout: Duration) -> io::Result<Self> {
        let client = Client::connect(address, Sizes::adapter(dof), timeout)?;
        Ok(Self { client })
    }
}

impl RemoteSpecimen for Adapter {
    fn dof(&self) -> usize {
        self.client.sizes.control.displacement
    }

    fn begin(&mut self, motion: &Motion) -> io::Result<()> {
        self.client.put_trial(motion, 0.0);
        self.client.put(10.0);
        self.client.flush()
    }

    fn finish(&mut self, measured: &mut Measured) -> io::Result<()> {
        self.client.read_measured(measured)
    }

    fn is_present(&self) -> io::Result<()> {
        self.client.is_present()
    }

    /// Its last trial again, for an adapter answers nothing else.
    fn measure(&mut self, measured: &mut Measured) -> io::Result<()> {
        self.client.put(3.0);
        self.client.measure(10.0, measured)
    }

    fn end(&mut self) {
        let _ = self.client.say(99.0);
    }
}

/// This side as a shadow site; an actor site of OpenFresco, or another Tandem, holds the specimen.
pub struct Shadow {
    client: Client,
}

/// Tag of this side.
const SHADOW_TAG: f64 = 1.0;

impl Shadow {
    /// Connects and agrees with the actor site. `version` must be the actor's.
    pub fn connect(
        address: SocketAddr,
        dof: usize,
        version: Option<f64>,
        timeout: Duration,
    ) -> io::Result<Self> {
        let version = version.unwrap_or(VERSION);
        let order = ByteOrder::Little;
        let mut stream = dial(address, timeout)?;
        let mut out = Vec::new();
        order.put_int(1, &mut out);
        stream.write_all(&out)?;
        let mut probe = [0; 4];
        read_whole(&mut stream, &mut probe)?;
        probed(order, &probe)?;
        out.clear();
        order.put_vector(&[1.0, SHADOW_TAG, version], 256, &mut out);
        stream.write_all(&out)?;
        let mut opened = vec![0; 8 * 256];
        read_whole(&mut stream, &mut opened)?;
        agreed(order, &opened, version)?;
        let sizes = Sizes {
            order,
            control: Counts {
                displacement: dof,
                velocity: dof,
                acceleration: dof,
                force: 0,
                time: 1,
            },
            feedback: Counts {
                displacement: dof,
                velocity: dof,
                acceleration: dof,
                force: dof,
                time: 1,
            },
            vector: (4 * dof + 2).max(256),
        };
        out.clear();
        order.put_vector(&[2.0, sizes.vector as f64], 256, &mut out);
        sizes.control.encode(order, &mut out);
        sizes.feedback.encode(order, &mut out);
        stream.write_all(&out)?;
        Ok(Self {
            client: Client::over(stream, sizes),
        })
    }
}

/// Whether this answer to the byte-order probe is an actor site's.
pub(crate) fn probed(order: ByteOrder, answer: &[u8]) -> io::Result<()> {
    match order.int(answer, 0) {
        Some(1) => Ok(()),
        _ => Err(refused(
            "the actor site answers the byte-order probe with another number: it is no actor site, \
            or big-endian",
        )),
    }
}

/// Whether this answer to the opening agrees with it.
pub(crate) fn agreed(order: ByteOrder, answer: &[u8], version: f64) -> io::Result<()> {
    let theirs = order.double(answer, 2).unwrap_or(f64::NAN);
    if order.double(answer, 0) == Some(0.0) && (theirs - version).abs() <= 1e-12 {
        return Ok(());
    }
    Err(refused(format!(
        "the actor site has version {}, this side says {version}: set the version of the site",
        short(theirs)
    )))
}

impl RemoteSpecimen for Shadow {
    fn dof(&self) -> usize {
        self.client.sizes.control.displacement
    }

    fn begin(&mut self, motion: &Motion) -> io::Result<()> {
        self.client.put_trial(motion, 0.0);
        self.client.put(6.0);
        self.client.flush()
    }

    fn finish(&mut self, measured: &mut Measured) -> io::Result<()> {
        self.client.read_measured(measured)?;
        self.client.say(5.0)
    }

    fn is_present(&self) -> io::Result<()> {
        self.client.is_present()
    }

    fn measure(&mut self, measured: &mut Measured) -> io::Result<()> {
        self.client.measure(6.0, measured)
    }

    fn end(&mut self) {
        let mut received = [0.0; 2];
        let _ = self.client.ask(99.0, &mut received);
    }
}

/// An element or site server (of OpenFresco, or another Tandem) as the specimen.
pub struct Element {
    client: Client,
    dof: usize,
}

impl Element {
    /// Connects to the server and asks it for displacement and force.
    pub fn connect(address: SocketAddr, dof: usize, timeout: Duration) -> io::Result<Self> {
        let mut sizes = Sizes::generic_client(dof, 256);
        sizes.feedback.displacement = dof;
        let client = Client::connect(address, sizes, timeout)?;
        Ok(Self { client, dof })
    }
}

impl RemoteSpecimen for Element {
    fn dof(&self) -> usize {
        self.dof
    }

    fn begin(&mut self, motion: &Motion) -> io::Result<()> {
        self.client.put_trial(motion, 0.0);
        self.client.put(6.0);
        self.client.flush()
    }

    fn finish(&mut self, measured: &mut Measured) -> io::Result<()> {
        self.client.read_measured(measured)?;
        self.client.say(5.0)
    }

    fn is_present(&self) -> io::Result<()> {
        self.client.is_present()
    }

    fn measure(&mut self, measured: &mut Measured) -> io::Result<()> {
        self.client.measure(6.0, measured)
    }

    fn end(&mut self) {
        let _ = self.client.say(99.0);
    }
}
