//! A run that another program drives.

#[cfg(feature = "link")]
mod server;

#[cfg(feature = "link")]
pub use server::{EventStamper, run, words};

/// What is told to people while it happens.
pub enum Line<'a> {
    /// Where the program listens, before anybody is accepted.
    Listening(&'a str),
    /// What the driver does, and what went wrong.
    Notice(&'a str),
}
