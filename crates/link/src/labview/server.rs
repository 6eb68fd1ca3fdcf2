//! The listening side: one client at a time, one line, then its answer.

use super::controller::{Controller, Point};
use super::reader::LONGEST;
use crate::socket::{self, GIVE_WAY, LOOK};
use crate::specimen_service::{Ended, Notice, SpecimenService};
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// Between two lines of one answer: OpenFresco takes lines that arrive together for one.
const BETWEEN_LINES: Duration = Duration::from_millis(20);

/// Listens for a client of the LabVIEW protocol.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    points: Option<Vec<Point>>,
}

impl Server {
    /// Opens the door.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = socket::listen(address)?;
        let address = listener.local_addr()?;
        Ok(Self {
            listener,
            address,
            points: None,
        })
    }

    /// The same for these control points only, whose parameters are the specimen's degrees of
    /// freedom in order. Without this the first proposal of a session says what they are.
    #[must_use]
    pub fn with_points(mut self, points: Vec<Point>) -> Self {
        self.points = Some(points);
        self
    }

    fn controller(&self, dof: usize) -> Controller {
        match &self.points {
            Some(points) => Controller::with_points(points.clone()),
            None => Controller::new(dof),
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Leads one session. Whoever leaves without having sent a line was no client, and whoever says
    /// nothing while another calls; the next is heard.
    pub fn serve(&mut self, served: &mut dyn SpecimenService) -> Ended {
        let mut waiting = None;
        loop {
            let caller = waiting.take().map_or_else(|| self.listener.accept(), Ok);
            match caller {
                Ok((stream, from)) if socket::prepare(&stream, LOOK).is_ok() => {
                    served.tell(Notice::Connected(0, from.to_string()));
                    let controller = self.controller(served.dof());
                    let text = match converse(stream, &self.listener, controller, served) {
                        Left::Ended(ended) => return ended,
                        Left::Unheard => "a peer left without a request",
                        Left::GaveWay(other) => {
                            waiting = Some(other);
                            "a peer connected and said nothing; another one is heard instead"
                        }
                    };
                    served.tell(Notice::Gone(0, text.to_owned()));
                }
                Ok(_) => {}
                Err(error) => {
                    if !socket::is_timeout(&error) {
                        std::thread::sleep(Duration::from_millis(10));
                    }
                    if !served.idle() {
                        return Ended::Here;
                    }
                    wait(&self.listener);
                }
            }
        }
    }
}

fn wait(listener: &TcpListener) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let look = Timespec {
        tv_sec: 0,
        tv_nsec: i64::from(LOOK.subsec_nanos()),
    };
    let _ = poll(&mut [PollFd::new(listener, PollFlags::IN)], Some(&look));
}

/// How a conversation was over.
enum Left {
    Ended(Ended),
    /// The peer never asked anything.
    Unheard,
    /// The peer said nothing, and this one called.
    GaveWay((TcpStream, SocketAddr)),
}

/// A client that goes without `close-session` was killed, or its machine was: that is no good end
/// of a test.
fn lose(heard: bool, served: &mut dyn SpecimenService, how: &str) -> Ended {
    let text = format!("{how} without `close-session`");
    if heard {
        served.tell(Notice::Gone(0, text.clone()));
    }
    Ended::Lost(text)
}

fn converse(
    mut stream: TcpStream,
    listener: &TcpListener,
    mut controller: Controller,
    served: &mut dyn SpecimenService,
) -> Left {
    let since = Instant::now();
    let left = |heard: bool, ended: Ended| {
        if heard {
            Left::Ended(ended)
        } else {
            Left::Unheard
        }
    };
    let (mut buffer, mut filled) = (vec![0; LONGEST], 0);
    let mut heard = false;
    let mut answers = Vec::new();
    let mut exchanged = Instant::now();
    loop {
        let space = buffer.get_mut(filled..).unwrap_or_default();
        if space.is_empty() {
            served.tell(Notice::Refused(
                0,
                format!("a line of more than {LONGEST} bytes"),
            ));
            return left(heard, Ended::Lost("the client sends no lines".to_owned()));
        }
        socket::acknowledge_at_once(&stream);
        match socket::receive(&stream, space, exchanged) {
            Ok(0) if controller.closed => {
                served.tell(Notice::Gone(0, "the client closed its session".to_owned()));
                return left(heard, Ended::ByPeer);
            }
            Ok(0) => {
                return left(
                    heard,
                    lose(heard, served, "the client closed the connection"),
                );
            }
            Ok(n) => filled += n,
            Err(error) if socket::is_timeout(&error) => {
                if !served.idle() {
                    return Left::Ended(Ended::Here);
                }
                if controller.closed {
                    served.tell(Notice::Gone(0, "the client closed its session".to_owned()));
                    return Left::Ended(Ended::ByPeer);
                }
                if !heard
                    && since.elapsed() > GIVE_WAY
                    && let Ok(other) = listener.accept()
                {
                    return Left::GaveWay(other);
                }
                continue;
            }
            Err(_) if controller.closed => return left(heard, Ended::ByPeer),
            Err(_) => {
                return left(
                    heard,
                    lose(heard, served, "the client broke the connection"),
                );
            }
        }
        let mut begin = 0;
        let is_end = |byte: &u8| *byte == b'\n' || *byte == 0;
        while let Some(length) = buffer
            .get(begin..filled)
            .and_then(|bytes| bytes.iter().position(is_end))
        {
            let line = buffer.get(begin..begin + length).unwrap_or_default();
            begin += length + 1;
            if line.iter().all(|byte| byte.is_ascii_whitespace()) {
                continue;
            }
            heard = true;
            answers.clear();
            controller.answer(line, served, &mut answers);
            for (i, answer) in answers.iter().enumerate() {
                if i > 0 {
                    std::thread::sleep(BETWEEN_LINES);
                }
                if let Err(error) = stream.write_all(answer) {
                    let how = if socket::is_timeout(&error) {
                        "the client does not read its answers"
                    } else {
                        "the client broke the connection"
                    };
                    served.tell(Notice::Gone(0, how.to_owned()));
                    return Left::Ended(Ended::Lost(how.to_owned()));
                }
            }
        }
        buffer.copy_within(begin..filled, 0);
        filled -= begin;
        exchanged = Instant::now();
    }
}
