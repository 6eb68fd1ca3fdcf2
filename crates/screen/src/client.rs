//! The same protocol from the other end, for `tandem watch` and for measurements: a watcher without
//! a browser.

use std::net::TcpStream;
use std::time::Duration;

use tungstenite::{Message, WebSocket, stream::MaybeTlsStream};

use crate::access::{Token, TokenError};
use crate::message::{Hello, Said, Told};
use crate::wire;

/// Something that came from the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// A message in words.
    Told(Box<Told>),
    /// Bins.
    Frame(wire::Read),
    /// Nothing within the time allowed, or a frame of another kind.
    Nothing,
}

/// Why there is nothing, or nothing more, to see.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody is there, or somebody else.
    #[error("{place} does not answer as a screen: {source}")]
    NoScreen {
        /// Where.
        place: String,
        /// What came instead.
        source: Box<tungstenite::Error>,
    },
    /// The server does not want this client; its words.
    #[error("{0}")]
    Refused(String),
    /// The server has closed; its reason.
    #[error("{0}")]
    Closed(String),
    /// Something came that is no message of this protocol.
    #[error("the screen speaks otherwise than this program: {0}")]
    Message(#[from] serde_json::Error),
    /// The token of the address.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The connection is gone.
    #[error("{0}")]
    Connection(#[from] Box<tungstenite::Error>),
}

/// A connection that watches.
pub struct Client {
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
}

/// Where to connect: what was typed, with or without `http://`, path and `#token=…`.
pub fn parse_address(typed: &str) -> (String, Option<String>) {
    let (place, token) = match typed.split_once("#token=") {
        Some((place, token)) => (place, Some(token.to_owned())),
        None => (typed, None),
    };
    let place = place.strip_prefix("http://").unwrap_or(place);
    (place.trim_end_matches('/').to_owned(), token)
}

impl Client {
    /// Connects and greets; the token only where watching needs it.
    ///
    /// # Errors
    /// Nobody there, or refused.
    pub fn connect(typed: &str, name: &str) -> Result<Self, ClientError> {
        let (place, token) = parse_address(typed);
        let (mut socket, _) = match tungstenite::connect(format!("ws://{place}/socket")) {
            Ok(connected) => connected,
            Err(error) => {
                let source = Box::new(error);
                return Err(ClientError::NoScreen { place, source });
            }
        };
        if let MaybeTlsStream::Plain(stream) = socket.get_mut() {
            let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
        }
        let mut client = Self { socket };
        let (nonce, guarded) = loop {
            if let Heard::Told(told) = client.accept()?
                && let Told::Challenge { nonce, guarded } = *told
            {
                break (nonce, guarded);
            }
        };
        let id = format!("{name}-{}", std::process::id());
        // Watching is all this client does: it never takes the controls, and proves the token only
        // where it must.
        let proof = match token {
            Some(token) if guarded => Token::chosen(&token)?.sign(&nonce, &format!("hello|{id}")),
            _ => String::new(),
        };
        client.say(&Said::Hello(Hello {
            client: id,
            name: name.to_owned(),
            proof,
            watch: true,
            ..Hello::default()
        }))?;
        Ok(client)
    }

    /// Sends a message.
    ///
    /// # Errors
    /// The connection is gone.
    pub fn say(&mut self, message: &Said) -> Result<(), ClientError> {
        self.socket
            .send(Message::text(serde_json::to_string(message)?))
            .map_err(|error| Box::new(error).into())
    }

    /// The next message; waits for at most 0.2 s.
    ///
    /// # Errors
    /// The connection is gone, with the server's reason where it gave one.
    pub fn accept(&mut self) -> Result<Heard, ClientError> {
        match self.socket.read() {
            Ok(Message::Text(text)) => {
                let told: Box<Told> = serde_json::from_str(&text)?;
                match *told {
                    Told::Refused { text } => Err(ClientError::Refused(text)),
                    _ => Ok(Heard::Told(told)),
                }
            }
            Ok(Message::Binary(bytes)) => {
                Ok(wire::read(&bytes).map_or(Heard::Nothing, Heard::Frame))
            }
            Ok(Message::Close(frame)) => Err(ClientError::Closed(frame.map_or_else(
                || "the screen has closed".to_owned(),
                |frame| frame.reason.to_string(),
            ))),
            Ok(_) => Ok(Heard::Nothing),
            Err(tungstenite::Error::Io(error))
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                ) =>
            {
                Ok(Heard::Nothing)
            }
            Err(error) => Err(Box::new(error).into()),
        }
    }
}
