//! Tandem drives a controller that speaks the LabVIEW protocol.

use super::reader::{Axis, Kind, LONGEST};
use super::replier::number;
use crate::remote::{RemoteSpecimen, gone, refused};
use crate::socket;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use tandem_quantity::Motion;
use tandem_transfer::rig::Measured;

/// The control point of OpenFresco.
const POINT: &str = "MDL-00-01";

/// A session with a controller: one control point with some axes.
pub struct LabViewClient {
    stream: TcpStream,
    axes: Vec<(Axis, Kind)>,
    buffer: Vec<u8>,
    filled: usize,
    steps: u64,
    id: String,
}

impl LabViewClient {
    /// Connects, opens the session and announces the steps. The degrees of freedom are
    /// displacements along x, y, z, then rotations.
    pub fn connect(address: SocketAddr, dof: usize, timeout: Duration) -> io::Result<Self> {
        if dof == 0 || dof > 6 {
            return Err(refused("a control point has one to six axes"));
        }
        let stream = TcpStream::connect_timeout(&address, timeout)?;
        socket::prepare(&stream, timeout)?;
        let mut this = Self {
            stream,
            axes: axes(dof),
            buffer: vec![0; LONGEST],
            filled: 0,
            steps: 0,
            id: String::new(),
        };
        this.ask("open-session\tTandem")?;
        this.ask("set-parameter\tTandem\tnstep\t1")?;
        Ok(this)
    }

    fn send(&mut self, line: &str) -> io::Result<()> {
        self.stream.write_all(format!("{line}\n").as_bytes())
    }

    /// Sends a line and reads its answer; anything but OK is a refusal.
    fn ask(&mut self, line: &str) -> io::Result<String> {
        self.send(line)?;
        self.hear()
    }

    fn hear(&mut self) -> io::Result<String> {
        let asked = Instant::now();
        loop {
            let end = self
                .buffer
                .get(..self.filled)
                .and_then(|bytes| bytes.iter().position(|b| *b == b'\n' || *b == 0));
            if let Some(end) = end {
                let line = String::from_utf8_lossy(self.buffer.get(..end).unwrap_or_default());
                let line = line.trim_end_matches('\r').to_owned();
                self.buffer.copy_within(end + 1..self.filled, 0);
                self.filled -= end + 1;
                let first = line.split(['\t', ' ']).next().unwrap_or("");
                return match first {
                    "OK" => Ok(line),
                    _ => Err(refused(format!(
                        "the controller refuses: {}",
                        clipped(&line)
                    ))),
                };
            }
            let space = self.buffer.get_mut(self.filled..).unwrap_or_default();
            if space.is_empty() {
                return Err(refused("the controller sends a line without an end"));
            }
            match socket::receive(&self.stream, space, asked) {
                Ok(0) => return Err(gone()),
                Ok(n) => self.filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if socket::is_timeout(&error) => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "no answer in time"));
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// A line for people.
fn clipped(line: &str) -> String {
    line.replace('\t', " ").chars().take(200).collect()
}

/// The axes of a control point: displacements along x, y, z, then rotations.
pub(crate) fn axes(dof: usize) -> Vec<(Axis, Kind)> {
    let kinds = [Kind::Displacement, Kind::Rotation].into_iter();
    let all = kinds.flat_map(|kind| Axis::ALL.into_iter().map(move |axis| (axis, kind)));
    all.take(dof).collect()
}

/// What the answer to `get-control-point` says of these axes: displacement and force of each.
pub(crate) fn read_control_point(
    answer: &str,
    axes: &[(Axis, Kind)],
    measured: &mut Measured,
) -> io::Result<()> {
    let fields: Vec<&str> = answer.split('\t').collect();
    // OK, a number, the id and the name stand before the triples; the id may be missing.
    let start = fields
        .iter()
        .position(|field| *field == POINT)
        .map_or(3, |at| at + 1);
    let mut found = vec![[false; 2]; axes.len()];
    for fields in fields.get(start..).unwrap_or_default().chunks_exact(3) {
        let [axis, kind, value] = fields else {
            continue;
        };
        let Ok(triple) = super::reader::triple(axis, Some(kind), Some(value)) else {
            continue;
        };
        for (i, (axis, kind)) in axes.iter().enumerate() {
            if triple.axis != *axis {
                continue;
            }
            let (list, which) = if triple.kind == *kind {
                (&mut measured.motion.displacement, 0)
            } else if triple.kind == kind.resistance() {
                (&mut measured.force, 1)
            } else {
                continue;
            };
            if let (Some(place), Some(seen)) = (list.get_mut(i), found.get_mut(i)) {
                *place = triple.value;
                seen[which] = true;
            }
        }
    }
    if found.iter().all(|seen| seen[0] && seen[1]) {
        Ok(())
    } else {
        Err(refused(format!(
            "the controller does not answer with displacement and force of every axis: {}",
            clipped(answer)
        )))
    }
}

impl RemoteSpecimen for LabViewClient {
    fn dof(&self) -> usize {
        self.axes.len()
    }

    fn begin(&mut self, motion: &Motion) -> io::Result<()> {
        // Unlike OpenFresco's, the transaction id is unique.
        self.id = format!("TandemTransaction{}", self.steps);
        self.steps += 1;
        let mut line = format!("propose\t{}\t{POINT}", self.id);
        for ((axis, kind), x) in self.axes.iter().zip(&motion.displacement) {
            line.push_str(&format!(
                "\t{}\t{}\t{}",
                axis.name(),
                kind.name(),
                number(*x, 16)
            ));
        }
        self.send(&line)
    }

    fn finish(&mut self, measured: &mut Measured) -> io::Result<()> {
        self.hear()?;
        self.ask(&format!("execute\t{}", self.id))?;
        self.measure(measured)
    }

    /// Empty lines behind an answer do no harm: whatever lies there unread is a matter of the next
    /// one.
    fn is_present(&self) -> io::Result<()> {
        socket::has_unread(&self.stream).map(drop)
    }

    fn measure(&mut self, measured: &mut Measured) -> io::Result<()> {
        let answer = self.ask(&format!("get-control-point\t{}\t{POINT}", self.id))?;
        read_control_point(&answer, &self.axes, measured)
    }

    fn end(&mut self) {
        let _ = self.ask("close-session\tTandem");
    }
}
