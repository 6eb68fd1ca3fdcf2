//! The listening side: one client at a time, one line, then its answer.

use super::controller::Controller;
use super::reader::LONGEST;
use crate::served::{Ended, Notice, Served};
use crate::socket::{self, LOOK};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// Between two lines of one answer: OpenFresco takes lines that arrive together for one.
const BETWEEN_LINES: Duration = Duration::from_millis(20);

/// Listens for a client of the LabVIEW protocol.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Opens the door.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = socket::listen(address)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Leads one session. Whoever leaves without having sent a line was no client; the next is heard.
    pub fn serve(&mut self, served: &mut dyn Served) -> Ended {
        loop {
            match self.listener.accept() {
                Ok((stream, from)) if socket::prepare(&stream, LOOK).is_ok() => {
                    served.tell(Notice::Connected(0, from.to_string()));
                    if let Some(ended) = converse(stream, served) {
                        return ended;
                    }
                    served.tell(Notice::Gone(0, "a peer left without a request".to_owned()));
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

/// None: the peer never asked anything.
fn converse(mut stream: TcpStream, served: &mut dyn Served) -> Option<Ended> {
    let mut controller = Controller::new(served.dof());
    let (mut buffer, mut filled) = (vec![0; LONGEST], 0);
    let mut heard = false;
    let mut answers = Vec::new();
    loop {
        let space = buffer.get_mut(filled..).unwrap_or_default();
        if space.is_empty() {
            served.tell(Notice::Refused(
                0,
                format!("a line of more than {LONGEST} bytes"),
            ));
            return heard.then(|| Ended::Lost("the client sends no lines".to_owned()));
        }
        socket::acknowledge_at_once(&stream);
        match stream.read(space) {
            Ok(0) => {
                if heard && !controller.closed {
                    served.tell(Notice::Gone(
                        0,
                        "the client closed the connection".to_owned(),
                    ));
                }
                return heard.then_some(Ended::ByPeer);
            }
            Ok(n) => filled += n,
            Err(error) if socket::is_timeout(&error) => {
                if !served.idle() {
                    return Some(Ended::Here);
                }
                if controller.closed {
                    return Some(Ended::ByPeer);
                }
                continue;
            }
            Err(_) => return heard.then_some(Ended::ByPeer),
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
                    let how = match socket::is_timeout(&error) {
                        true => "the client does not read its answers",
                        false => "the client broke the connection",
                    };
                    served.tell(Notice::Gone(0, how.to_owned()));
                    return Some(Ended::Lost(how.to_owned()));
                }
            }
        }
        buffer.copy_within(begin..filled, 0);
        filled -= begin;
    }
}
