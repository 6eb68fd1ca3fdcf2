//! The sockets: one thread with its own small runtime, apart from the loop.

use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::{Notify, mpsc};

use crate::access::{Token, same_site};
use crate::assets::{FILES, POLICY};
use crate::hub::{Hub, Out};
use crate::scene::Scene;
use crate::source::Source;

/// Time between two frames.
const FRAME: Duration = Duration::from_millis(40);
/// Largest message of a page, bytes.
pub const MOST_BYTES: usize = 16 << 10;
/// Messages of a page within a second.
const MOST_MESSAGES: u32 = 100;
/// Sockets at the same time.
const MOST_SOCKETS: usize = 24;
/// Messages that wait for a slow page before it is left behind.
const QUEUE: usize = 256;
/// How long a socket may take to say who it is.
const GREETING: Duration = Duration::from_secs(10);

/// Where the screen listens and who may command.
#[derive(Clone, Debug)]
pub struct Options {
    /// Address and port; port 0 takes a free one.
    pub address: SocketAddr,
    /// The token.
    pub token: Token,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            token: Token::random(),
        }
    }
}

/// Why the screen cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ScreenError {
    /// The address is taken or not ours.
    #[error("the screen cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// No thread or no runtime.
    #[error("the screen cannot start: {0}")]
    Start(std::io::Error),
}

/// A screen that is shown; it goes when it is dropped.
pub struct Screen {
    address: SocketAddr,
    token: Token,
    stop: Arc<Notify>,
    hub: Arc<Mutex<Hub>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Clone)]
struct Shared {
    hub: Arc<Mutex<Hub>>,
    machine: Arc<str>,
}

impl Shared {
    fn hub(&self) -> MutexGuard<'_, Hub> {
        self.hub.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Screen {
    /// Begins to listen and to serve.
    ///
    /// # Errors
    /// [`ScreenError`].
    pub fn start(
        options: Options,
        scene: Scene,
        source: Box<dyn Source>,
    ) -> Result<Self, ScreenError> {
        let fail = |source| ScreenError::Listen {
            address: options.address,
            source,
        };
        let listener = TcpListener::bind(options.address).map_err(fail)?;
        listener.set_nonblocking(true).map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        let guarded = !address.ip().is_loopback();
        let hub = Arc::new(Mutex::new(Hub::new(
            scene,
            source,
            options.token.clone(),
            guarded,
        )));
        let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let shared = Shared {
            hub: Arc::clone(&hub),
            machine: machine.trim().into(),
        };
        let stop = Arc::new(Notify::new());
        let stopped = Arc::clone(&stop);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(ScreenError::Start)?;
        let thread = std::thread::Builder::new()
            .name("screen".into())
            .spawn(move || runtime.block_on(serve(listener, shared, stopped)))
            .map_err(ScreenError::Start)?;
        Ok(Self {
            address,
            token: options.token,
            stop,
            hub,
            thread: Some(thread),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open, with the token behind `#`: browsers do not send that part to anybody.
    pub fn url(&self) -> String {
        let mut shown = self.address;
        if shown.ip().is_unspecified() {
            shown.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
        }
        format!("http://{shown}/#token={}", self.token.text())
    }

    /// Pages that are connected.
    pub fn watchers(&self) -> usize {
        let hub = self.hub.lock().unwrap_or_else(PoisonError::into_inner);
        hub.listeners()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn serve(listener: TcpListener, shared: Shared, stop: Arc<Notify>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
        return;
    };
    let mut router = Router::new().route("/socket", get(socket));
    for (path, kind, text) in FILES {
        router = router.route(path, get(move || file(kind, text)));
    }
    let router = router.with_state(shared.clone());
    let beat = async {
        let mut beat = tokio::time::interval(FRAME);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            beat.tick().await;
            shared.hub().tick();
        }
    };
    tokio::select! {
        _ = axum::serve(listener, router) => {}
        () = beat => {}
        () = stop.notified() => {
            // The last rows and the outcome, then a moment for the sockets to send them.
            shared.hub().tick();
            tokio::time::sleep(Duration::from_millis(60)).await;
            shared.hub().farewell("the program has ended");
            tokio::time::sleep(Duration::from_millis(60)).await;
        }
    }
}

async fn file(kind: &'static str, text: &'static str) -> Response {
    (
        [
            (header::CONTENT_TYPE, kind),
            (header::CONTENT_SECURITY_POLICY, POLICY),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::X_FRAME_OPTIONS, "DENY"),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::CACHE_CONTROL, "no-cache"),
        ],
        text,
    )
        .into_response()
}

async fn socket(
    State(shared): State<Shared>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if !same_site(text(header::HOST), text(header::ORIGIN), &shared.machine)
        || (headers.contains_key(header::ORIGIN) && text(header::ORIGIN).is_none())
    {
        return (
            StatusCode::FORBIDDEN,
            "a page of another site may not connect",
        )
            .into_response();
    }
    if shared.hub().listeners() >= MOST_SOCKETS {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open").into_response();
    }
    upgrade
        .max_message_size(MOST_BYTES)
        .max_frame_size(MOST_BYTES)
        .on_upgrade(move |socket| talk(socket, shared))
}

/// One page, until it goes.
async fn talk(mut socket: WebSocket, shared: Shared) {
    let (sender, mut receiver) = mpsc::channel(QUEUE);
    let id = shared.hub().open(sender);
    let mut second = tokio::time::Instant::now();
    let mut messages = 0;
    let mut heard = false;
    loop {
        tokio::select! {
            out = receiver.recv() => {
                let sent = match out {
                    Some(Out::Text(text)) => socket.send(Message::Text(text.into())).await,
                    Some(Out::Frame(frame)) => socket.send(Message::Binary(frame.into())).await,
                    Some(Out::Close(reason)) => {
                        let frame = CloseFrame { code: 1008, reason: reason.into() };
                        let _ = socket.send(Message::Close(Some(frame))).await;
                        break;
                    }
                    None => break,
                };
                if sent.is_err() {
                    break;
                }
            }
            () = tokio::time::sleep_until(second + GREETING), if !heard => break,
            said = socket.recv() => {
                heard = true;
                let Some(Ok(message)) = said else { break };
                if second.elapsed() > Duration::from_secs(1) {
                    second = tokio::time::Instant::now();
                    messages = 0;
                }
                messages += 1;
                if messages > MOST_MESSAGES {
                    break;
                }
                match message {
                    Message::Text(text) => {
                        // A refused page gets its reason through the queue and is closed behind it; guessing is slow.
                        if !shared.hub().hear(id, &text) {
                            tokio::time::sleep(Duration::from_millis(300)).await;
                        }
                    }
                    Message::Ping(_) | Message::Pong(_) => {}
                    Message::Binary(_) | Message::Close(_) => break,
                }
            }
        }
    }
    shared.hub().close(id);
}
