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
        /// What has come of the next messages.
        bytes: Box<[u8; 4 * LONGEST]>,
        len: usize,
    },
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
                bytes: Box::new([0; 4 * LONGEST]),
                len: 0,
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

    /// Sends a message. False: the connection is gone. A message that does not fit into the system's buffer is lost, as on any
    /// network; over TCP, where a part of it may have gone, that ends the connection.
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
            Self::Tcp { stream, bytes, len } => loop {
                match decode(&bytes[..*len]) {
                    Ok(head) => {
                        let length = head.length();
                        into[..length].copy_from_slice(&bytes[..length]);
                        bytes.copy_within(length..*len, 0);
                        *len -= length;
                        return Received::Message(head);
                    }
                    Err(Wrong::Foreign) => return Received::Closed,
                    Err(Wrong::Short(_)) => {}
                }
                match stream.read(&mut bytes[*len..]) {
                    Ok(0) => return Received::Closed,
                    Ok(n) => *len += n,
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
