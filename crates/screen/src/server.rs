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
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
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
/// How long a page may take to read one message.
const PATIENCE: Duration = Duration::from_secs(10);
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
            shown.set_ip(own_address());
        }
        format!("http://{shown}/#token={}", self.token.text())
    }

    /// Pages that are connected.
    pub fn watchers(&self) -> usize {
        let hub = self.hub.lock().unwrap_or_else(PoisonError::into_inner);
        hub.listeners()
    }
}

/// The address by which other machines reach this one, as far as its routes tell; nothing is sent.
fn own_address() -> std::net::IpAddr {
    let local = std::net::Ipv4Addr::LOCALHOST.into();
    std::net::UdpSocket::bind(("0.0.0.0", 0))
        .and_then(|socket| {
            // An address of documentation (RFC 5737): only the route to it is looked up.
            socket.connect(("192.0.2.1", 9))?;
            socket.local_addr()
        })
        .map_or(local, |address| address.ip())
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
    if !shared.hub().make_room(MOST_SOCKETS) {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open").into_response();
    }
    upgrade
        .max_message_size(MOST_BYTES)
        .max_frame_size(MOST_BYTES)
        .on_upgrade(move |socket| talk(socket, shared))
}

/// One page, until it goes. What it says is heard whether or not it reads: a stop must get through
/// a link that is clogged the other way.
async fn talk(socket: WebSocket, shared: Shared) {
    let (sender, receiver) = mpsc::channel(QUEUE);
    let id = shared.hub().open(sender);
    let (sink, stream) = socket.split();
    let telling = tell(sink, receiver);
    tokio::pin!(telling);
    tokio::select! {
        () = &mut telling => {}
        () = accept(stream, id, &shared) => {
            // The reason of a refusal is still on its way.
            let _ = tokio::time::timeout(Duration::from_millis(300), telling).await;
        }
    }
    shared.hub().close(id);
}

/// Sends what the hub has for a page.
async fn tell(mut sink: SplitSink<WebSocket, Message>, mut queue: mpsc::Receiver<Out>) {
    while let Some(out) = queue.recv().await {
        let (message, last) = match out {
            Out::Text(text) => (Message::Text(text.into()), false),
            Out::Frame(frame) => (Message::Binary(frame.into()), false),
            Out::Close(reason) => {
                let frame = CloseFrame {
                    code: 1008,
                    reason: reason.into(),
                };
                (Message::Close(Some(frame)), true)
            }
        };
        match tokio::time::timeout(PATIENCE, sink.send(message)).await {
            Ok(Ok(())) if !last => {}
            _ => return,
        }
    }
}

/// Hears what a page says, until it must go.
async fn accept(mut stream: SplitStream<WebSocket>, id: u64, shared: &Shared) {
    let opened = tokio::time::Instant::now();
    let mut second = opened;
    let mut messages = 0;
    loop {
        let greeted = shared.hub().is_greeted(id);
        let said = tokio::select! {
            () = tokio::time::sleep_until(opened + GREETING), if !greeted => return,
            said = stream.next() => said,
        };
        let Some(Ok(message)) = said else { return };
        if second.elapsed() > Duration::from_secs(1) {
            second = tokio::time::Instant::now();
            messages = 0;
        }
        messages += 1;
        if messages > MOST_MESSAGES {
            return;
        }
        match message {
            // A refused page gets its reason through the queue and is closed behind it; guessing is
            // slow.
            Message::Text(text) => {
                if !shared.hub().accept(id, &text) {
                    return;
                }
            }
            Message::Ping(_) | Message::Pong(_) => {}
            Message::Binary(_) | Message::Close(_) => return,
        }
    }
}
