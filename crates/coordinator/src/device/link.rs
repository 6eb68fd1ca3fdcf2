//! One connection to a device, never waited for.

use super::message::{Head, LONGEST, Wrong, decode};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

/// How long opening a connection may take; it is only opened while nothing moves.
const OPENING: Duration = Duration::from_millis(500);

pub(super) enum Link {
    Udp(UdpSocket),
    Tcp {
        stream: TcpStream,
        gathered: Gathered,
    },
}

/// What has come of a stream's next messages.
pub(super) struct Gathered {
    bytes: Box<[u8; 4 * LONGEST]>,
    len: usize,
}

impl Gathered {
    pub fn new() -> Self {
        Self {
            bytes: Box::new([0; 4 * LONGEST]),
            len: 0,
        }
    }

    /// Where the next bytes go; never empty once all whole messages are taken.
    #[inline]
    pub fn space(&mut self) -> &mut [u8] {
        &mut self.bytes[self.len..]
    }

    /// So many bytes of the space have been filled.
    #[inline]
    pub fn filled(&mut self, bytes: usize) {
        self.len = (self.len + bytes).min(self.bytes.len());
    }

    /// Takes the next whole message out, copied to the beginning of `into`.
    #[inline]
    pub fn next(&mut self, into: &mut [u8; LONGEST]) -> Result<Head, Wrong> {
        let head = decode(&self.bytes[..self.len])?;
        let length = head.length();
        into[..length].copy_from_slice(&self.bytes[..length]);
        self.bytes.copy_within(length..self.len, 0);
        self.len -= length;
        Ok(head)
    }
}

/// What a look into the mailbox found.
pub(super) enum Received {
    Message(Head),
    Nothing,
    Closed,
}

impl Link {
    pub fn open(address: SocketAddr, tcp: bool) -> std::io::Result<Self> {
        if tcp {
            let stream = TcpStream::connect_timeout(&address, OPENING)?;
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            return Ok(Self::Tcp {
                stream,
                gathered: Gathered::new(),
            });
        }
        let own: SocketAddr = if address.is_ipv4() {
            ([0, 0, 0, 0], 0).into()
        } else {
            ([0_u16; 8], 0).into()
        };
        let socket = UdpSocket::bind(own)?;
        socket.connect(address)?;
        socket.set_nonblocking(true)?;
        Ok(Self::Udp(socket))
    }

    /// Sends a message. False: the connection is gone. A message that does not fit into the
    /// system's buffer is lost, as on any network; over TCP, where a part of it may have gone, that
    /// ends the connection.
    #[inline]
    pub fn send(&mut self, message: &[u8]) -> bool {
        match self {
            // A port that nobody listens on yet answers with a refusal: the device may come later.
            Self::Udp(socket) => {
                let _ = socket.send(message);
                true
            }
            Self::Tcp { stream, .. } => {
                matches!(stream.write(message), Ok(n) if n == message.len())
            }
        }
    }

    /// The next message, copied to the beginning of `into`.
    #[inline]
    pub fn receive(&mut self, into: &mut [u8; LONGEST]) -> Received {
        match self {
            Self::Udp(socket) => loop {
                match socket.recv(into) {
                    Ok(n) => {
                        if let Ok(head) = decode(&into[..n]) {
                            return Received::Message(head);
                        }
                    }
                    Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
                    Err(_) => return Received::Nothing,
                }
            },
            Self::Tcp { stream, gathered } => loop {
                match gathered.next(into) {
                    Ok(head) => return Received::Message(head),
                    Err(Wrong::Foreign) => return Received::Closed,
                    Err(Wrong::Short(_)) => {}
                }
                match stream.read(gathered.space()) {
                    Ok(0) => return Received::Closed,
                    Ok(n) => gathered.filled(n),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        return Received::Nothing;
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => return Received::Closed,
                }
            },
        }
    }
}
