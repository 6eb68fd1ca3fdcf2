//! Who may watch and who may command.
//!
//! The token never travels. A server greets every connection with a fresh random challenge; a page
//! that has the token proves it with HMAC-SHA-256 (RFC 2104) over the challenge, and signs every
//! command with challenge, running number and the word of the command. What was overheard cannot be
//! used again: another connection has another challenge, the same connection another number.
//! Traffic is not encrypted; on a network that is not the laboratory's own, put a tunnel (ssh) in
//! between.
//!
//! A page of another site cannot connect at all: browsers send the origin of a page with the
//! upgrade, and it must be ours.

use sha2::{Digest, Sha256};

/// The secret that lets a page command.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)") // never into a log
    }
}

/// Shortest token that a person may choose.
const LEAST_CHARACTERS: usize = 12;

/// A token that does not stand in an address, or is guessed soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token has at least {LEAST_CHARACTERS} characters: letters, digits, - and _")]
pub struct TokenError;

impl Token {
    /// A new random token of 128 bits.
    pub fn random() -> Self {
        Self(hex(&rand::random::<[u8; 16]>()))
    }

    /// A token that somebody chose.
    ///
    /// # Errors
    /// [`TokenError`]: too short, or characters that do not stand in an address.
    pub fn chosen(text: &str) -> Result<Self, TokenError> {
        let plain = text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if text.len() < LEAST_CHARACTERS || !plain {
            return Err(TokenError);
        }
        Ok(Self(text.to_owned()))
    }

    /// The text, for the address that is printed once.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// What proves the knowledge of the token for `message` on a connection with this challenge.
    pub fn sign(&self, challenge: &str, message: &str) -> String {
        hex(&hmac(
            self.0.as_bytes(),
            format!("{challenge}|{message}").as_bytes(),
        ))
    }

    /// Whether a signature is right; takes the same time wherever it differs.
    pub fn verifies(&self, challenge: &str, message: &str, signature: &str) -> bool {
        let right = self.sign(challenge, message);
        right.len() == signature.len()
            && right
                .bytes()
                .zip(signature.bytes())
                .fold(0, |all, (a, b)| all | (a ^ b))
                == 0
    }
}

/// What a connection must answer to.
#[derive(Debug)]
pub struct Session {
    /// Fresh for every connection.
    pub challenge: String,
    /// Whether the token was proved.
    pub trusted: bool,
    last: u64,
}

impl Session {
    /// With a new challenge.
    pub fn new() -> Self {
        Self {
            challenge: hex(&rand::random::<[u8; 16]>()),
            trusted: false,
            last: 0,
        }
    }

    /// Checks the greeting.
    pub fn greet(&mut self, token: &Token, client: &str, proof: &str) -> bool {
        self.trusted = token.verifies(&self.challenge, &format!("hello|{client}"), proof);
        self.trusted
    }

    /// Checks a signed word: numbers only grow, so that nothing is obeyed twice.
    pub fn check(&mut self, token: &Token, number: u64, word: &str, signature: &str) -> bool {
        let right = self.trusted
            && number > self.last
            && token.verifies(&self.challenge, &format!("{number}|{word}"), signature);
        if right {
            self.last = number;
        }
        right
    }
}

/// Whether a request may open a socket: its host must be a number, `localhost` or this machine's
/// name (a foreign name that was bent to our address is none of them), and its origin, where a
/// browser sends one, must be that same host.
pub fn same_site(host: Option<&str>, origin: Option<&str>, machine: &str) -> bool {
    let Some(host) = host else { return false };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(""),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    let known = name.parse::<std::net::IpAddr>().is_ok()
        || name.eq_ignore_ascii_case("localhost")
        || (!machine.is_empty() && name.eq_ignore_ascii_case(machine));
    let ours = match origin {
        None => true,
        Some(origin) => origin
            .strip_prefix("http://")
            .is_some_and(|rest| rest.eq_ignore_ascii_case(host)),
    };
    known && ours
}

fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0_u8; 64];
    if key.len() > block.len() {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let pad = |with: u8| block.map(|b| b ^ with);
    let inner = Sha256::new()
        .chain_update(pad(0x36))
        .chain_update(message)
        .finalize();
    Sha256::new()
        .chain_update(pad(0x5c))
        .chain_update(inner)
        .finalize()
        .into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        use std::fmt::Write;
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// RFC 4231, test cases 2 and 6.
    #[test]
    fn signatures_are_those_of_the_standard() {
        assert_eq!(
            hex(&hmac(b"Jefe", b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            hex(&hmac(
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First"
            )),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn replayed_wrong_and_foreign_signatures_are_refused() {
        let (token, other) = (Token::random(), Token::random());
        let mut session = Session::new();
        let early = token.sign(&session.challenge, "1|start");
        assert!(
            !session.check(&token, 1, "start", &early),
            "before the greeting"
        );
        let proof = token.sign(&session.challenge, "hello|me");
        assert!(!session.greet(&other, "me", &proof));
        assert!(!session.greet(&token, "you", &proof));
        assert!(session.greet(&token, "me", &proof));
        assert!(session.check(&token, 1, "start", &early));
        assert!(!session.check(&token, 1, "start", &early), "replayed");
        assert!(!session.check(&token, 2, "start", &early), "renumbered");
        let stop = token.sign(&session.challenge, "3|stop");
        assert!(!session.check(&token, 3, "start", &stop), "another word");
        assert!(session.check(&token, 3, "stop", &stop));
        // What was overheard on one connection is worth nothing on another.
        let mut later = Session::new();
        assert!(!later.greet(&token, "me", &proof));
        assert!(!later.check(&token, 9, "stop", &stop));
    }

    #[test]
    fn other_sites_are_refused() {
        let machine = "rack";
        let good = [
            ("127.0.0.1:8080", Some("http://127.0.0.1:8080")),
            ("[::1]:8080", Some("http://[::1]:8080")),
            ("localhost:80", Some("http://localhost:80")),
            ("rack:8080", Some("http://rack:8080")),
            ("192.168.1.7:8080", None),
        ];
        for (host, origin) in good {
            assert!(same_site(Some(host), origin, machine), "{host}");
        }
        let bad = [
            ("127.0.0.1:8080", Some("http://evil.example")),
            ("127.0.0.1:8080", Some("http://127.0.0.1:9999")),
            ("127.0.0.1:8080", Some("null")),
            ("evil.example:8080", Some("http://evil.example:8080")),
            ("evil.example:8080", None),
        ];
        for (host, origin) in bad {
            assert!(!same_site(Some(host), origin, machine), "{host} {origin:?}");
        }
        assert!(!same_site(None, None, machine));
    }

    #[test]
    fn chosen_tokens_are_long_and_plain() {
        assert!(Token::chosen("short").is_err());
        assert!(Token::chosen("with space and more").is_err());
        assert_eq!(
            Token::chosen("lab-3_2026-11").unwrap().text(),
            "lab-3_2026-11"
        );
        assert_eq!(Token::random().text().len(), 32);
        let token = Token::random();
        assert!(!format!("{token:?}").contains(token.text()));
        assert_ne!(token.text(), Token::random().text());
    }
}
