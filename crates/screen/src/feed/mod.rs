//! A test for the operator's screen: what is drawn (`scene`, `drawing`), and where it comes from: a
//! running test (`live`) or a record (`playback`).

mod drawing;
mod live;
mod playback;
mod scene;

pub use live::{Finished, Live};
pub use playback::{Playback, play};
pub use scene::{of_record, of_test};

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};

use crate::{Options, Token, TokenError};

/// Why a screen cannot be as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    /// The token.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The address.
    #[error(
        "{0} is no address to listen on; write a port (8080) or an address with its port \
         (0.0.0.0:8080)"
    )]
    Address(String),
}

/// Port of a screen that was not told any; a free one where this is taken.
pub const PORT: u16 = 8787;

/// What `--screen [ADDRESS]` and `--token TOKEN` say: `8080`, `127.0.0.1:8080`, `0.0.0.0:8080`,
/// `rack:8080`; empty for the default.
///
/// # Errors
/// [`OptionsError`].
pub fn options(address: &str, token: Option<&str>) -> Result<Options, OptionsError> {
    let token = match token {
        Some(text) => Token::chosen(text)?,
        None => Token::random(),
    };
    let loopback = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    let address = if address.is_empty() {
        let free = std::net::TcpListener::bind(loopback(PORT)).is_ok();
        loopback(if free { PORT } else { 0 })
    } else if let Ok(port) = address.parse() {
        loopback(port)
    } else {
        let found = address
            .to_socket_addrs()
            .ok()
            .and_then(|mut all| all.next());
        found.ok_or_else(|| OptionsError::Address(address.to_owned()))?
    };
    Ok(Options { address, token })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn addresses_are_read_and_loopback_is_the_default() {
        assert!(options("", None).unwrap().address.ip().is_loopback());
        assert_eq!(
            options("8081", None).unwrap().address.to_string(),
            "127.0.0.1:8081"
        );
        assert_eq!(
            options("0.0.0.0:1", None).unwrap().address.to_string(),
            "0.0.0.0:1"
        );
        assert!(
            options("no address", None)
                .unwrap_err()
                .to_string()
                .contains("0.0.0.0:8080")
        );
        assert!(options("", Some("short")).is_err());
    }
}
