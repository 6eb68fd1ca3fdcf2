//! A specimen that lives elsewhere, as Tandem's loop sees it.

use std::io;
use tandem_quantity::Motion;
use tandem_transfer::rig::Measured;

/// A specimen at another address. `begin` and `finish` are apart so that several sites move at the
/// same time.
pub trait RemoteSpecimen: Send {
    /// Degrees of freedom there.
    fn dof(&self) -> usize;

    /// Sends the motion; returns at once.
    fn begin(&mut self, motion: &Motion) -> io::Result<()>;

    /// Waits for the measurement, at most the site's time-out.
    fn finish(&mut self, measured: &mut Measured) -> io::Result<()>;

    /// Whether the peer is still there, as far as its socket knows. Never waits; to be asked while
    /// no answer is outstanding.
    fn is_present(&self) -> io::Result<()>;

    /// Asks for the measurement where the specimen stands: nothing moves. Waits at most the site's
    /// time-out.
    fn measure(&mut self, measured: &mut Measured) -> io::Result<()>;

    /// Says goodbye.
    fn end(&mut self);
}

/// An error in the peer's words or ways.
pub(crate) fn refused(text: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text.into())
}

/// A peer that went away.
pub(crate) fn gone() -> io::Error {
    io::Error::new(
        io::ErrorKind::ConnectionAborted,
        "the peer closed the connection",
    )
}
