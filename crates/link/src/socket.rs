//! What every socket of this crate needs.

use rustix::fd::AsFd;
use rustix::net::{RecvFlags, recv};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// How long a read waits before the operator is looked at.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// A peer that has connected and said nothing gives way to another after this time.
pub(crate) const GIVE_WAY: Duration = Duration::from_secs(1);

/// How long after an exchange a reader looks for the next bytes itself before it sleeps. Waking a
/// thread that sleeps costs more than an exchange, above all where its core has gone to sleep with
/// it; a peer that computes for longer than this does not notice that cost.
const AWAKE: Duration = Duration::from_millis(1);

/// How long a peer may leave an answer unread before it counts as lost.
pub(crate) const UNREAD: Duration = Duration::from_secs(5);

/// Acknowledges at once what is read next. OpenSees leaves Nagle's algorithm on, so that its second
/// small write waits for the acknowledgement of the first, which the kernel delays by 40 ms; the
/// setting lasts for one read only.
#[inline]
pub(crate) fn acknowledge_at_once(stream: &TcpStream) {
    #[cfg(target_os = "linux")]
    let _ = rustix::net::sockopt::set_tcp_quickack(stream, true);
    #[cfg(not(target_os = "linux"))]
    let _ = stream;
}

/// Sets a stream up: no delay, bounded reads and writes.
pub(crate) fn prepare(stream: &TcpStream, look: Duration) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(look))?;
    stream.set_write_timeout(Some(UNREAD))
}

/// Whether the last exchange was a moment ago, so that the next is worth staying awake for. Lets
/// others run before it answers.
#[inline]
pub(crate) fn stay_awake(since: Instant) -> bool {
    let awake = since.elapsed() < AWAKE;
    if awake {
        std::thread::yield_now();
    }
    awake
}

/// Reads what has come; waits for it, awake while the last exchange (`since`) was a moment ago,
/// then asleep up to the time-out of the socket.
#[inline]
pub(crate) fn receive(socket: impl AsFd, into: &mut [u8], since: Instant) -> io::Result<usize> {
    #[cfg(unix)]
    loop {
        match recv(&socket, &mut *into, RecvFlags::DONTWAIT) {
            Ok((n, _)) => return Ok(n),
            Err(rustix::io::Errno::AGAIN) if stay_awake(since) => {}
            Err(rustix::io::Errno::AGAIN) => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(recv(&socket, into, RecvFlags::empty())?.0)
}

/// What lies in a stream unread, without waiting and without taking it: none yet, or some bytes. An
/// error: the peer has closed, or the line is broken.
pub(crate) fn has_unread(stream: &TcpStream) -> io::Result<bool> {
    #[cfg(unix)]
    match recv(stream, &mut [0; 1], RecvFlags::DONTWAIT | RecvFlags::PEEK) {
        Ok((0, _)) => return Err(crate::remote::gone()),
        Ok(_) => return Ok(true),
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    #[cfg(not(unix))]
    let _ = stream;
    Ok(false)
}

/// A listener that can be opened again at once after it was closed (the standard library sets
/// SO_REUSEADDR on Unix).
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// The address that a text such as `127.0.0.1:8090`, `:8090` or `localhost:8090` names; without a
/// host, loopback.
pub(crate) fn resolve(text: &str) -> io::Result<SocketAddr> {
    let text = text.trim();
    if let Some(port) = text.strip_prefix(':').and_then(|p| p.parse().ok()) {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    // OpenSees and OpenFresco know IPv4 only.
    text.to_socket_addrs()?
        .find(SocketAddr::is_ipv4)
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no IPv4 address"))
}

/// Whether an error only says that nothing came in time.
pub(crate) fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}
