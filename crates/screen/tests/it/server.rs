//! The server against clients that behave and clients that do not.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tandem_screen::client::{Client, Heard};
use tandem_screen::{
    Action, ActionRefused, ActuatorScene, ChannelScene, Happening, Options, Said, Scene, Screen,
    Source, Status, Token,
};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket, stream::MaybeTlsStream};

/// A test that makes a sine and remembers what it was told.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<Action>>>);

struct Sine {
    told: Told,
    tick: u32,
    channels: usize,
    present: Arc<Mutex<bool>>,
}

impl Source for Sine {
    fn rows(&mut self, each: &mut dyn FnMut(f64, &[f64])) {
        for _ in 0..40 {
            let t = f64::from(self.tick) / 1000.0;
            let x = (6.0 * t).sin();
            let mut row = vec![x; self.channels];
            row[3] = 10.0 * x;
            each(t, &row);
            self.tick += 1;
        }
    }
    fn status(&mut self) -> Status {
        Status {
            state: "PreCor".into(),
            allowed: vec![Action::Pause, Action::EmergencyStop],
            time_s: f64::from(self.tick) / 1000.0,
            ..Status::default()
        }
    }
    fn happenings(&mut self, each: &mut dyn FnMut(Happening)) {
        if self.tick == 40 {
            each(Happening {
                text: "begun".into(),
                ..Happening::default()
            });
        }
    }
    fn act(&mut self, action: Action) -> Result<(), ActionRefused> {
        self.told.0.lock().unwrap().push(action);
        Ok(())
    }
    fn operator_present(&mut self, present: bool) {
        *self.present.lock().unwrap() = present;
    }
    fn ended(&mut self) -> bool {
        false
    }
}

fn show() -> (Screen, Token, Told, Arc<Mutex<bool>>) {
    show_with(0)
}

/// The same with so many channels more.
fn show_with(more: usize) -> (Screen, Token, Told, Arc<Mutex<bool>>) {
    let mut channels = [
        "target/1",
        "command/1",
        "measured_displacement/1",
        "measured_force/1",
    ]
    .map(str::to_owned)
    .to_vec();
    channels.extend((0..more).map(|i| format!("monitor/{i}")));
    let scene = Scene {
        name: "sine".into(),
        channels: channels
            .iter()
            .map(|name| ChannelScene {
                name: name.clone(),
                unit: "m".into(),
                ..ChannelScene::default()
            })
            .collect(),
        actuators: vec![ActuatorScene::default()],
        rate_hz: 1000.0,
        time_scale: 1.0,
        ..Scene::default()
    };
    let (told, present) = (Told::default(), Arc::new(Mutex::new(false)));
    let source = Sine {
        told: told.clone(),
        tick: 0,
        channels: channels.len(),
        present: Arc::clone(&present),
    };
    let options = Options::default();
    let token = options.token.clone();
    let screen = Screen::start(options, scene, Box::new(source)).unwrap();
    (screen, token, told, present)
}

type Socket = WebSocket<MaybeTlsStream<TcpStream>>;

fn open(screen: &Screen) -> (Socket, String) {
    let url = format!("ws://{}/socket", screen.address());
    let (mut socket, _) = tungstenite::connect(url).unwrap();
    if let MaybeTlsStream::Plain(stream) = socket.get_mut() {
        stream
            .set_read_timeout(Some(Duration::from_secs(3)))
            .unwrap();
    }
    let challenge = next(&mut socket, "challenge").unwrap();
    (socket, challenge["nonce"].as_str().unwrap().to_owned())
}

/// The next message of a type; none when the connection ends first, or others come for ever.
fn next(socket: &mut Socket, kind: &str) -> Option<Value> {
    let until = Instant::now() + Duration::from_secs(10);
    while Instant::now() < until {
        match socket.read() {
            Ok(Message::Text(text)) => {
                let value: Value = serde_json::from_str(&text).unwrap();
                if value["type"] == kind {
                    return Some(value);
                }
            }
            Ok(Message::Close(_)) | Err(_) => return None,
            Ok(_) => {}
        }
    }
    None
}

/// Why the page is shown out.
fn refusal(socket: &mut Socket) -> String {
    let refused = next(socket, "refused").expect("it is not refused");
    refused["text"].as_str().unwrap().to_owned()
}

fn say(socket: &mut Socket, value: &Value) {
    socket.send(Message::text(value.to_string())).unwrap();
}

/// A page with the token, greeted.
fn enter(screen: &Screen, token: &Token, client: &str) -> (Socket, String) {
    let (mut socket, nonce) = open(screen);
    let proof = token.sign(&nonce, &format!("hello|{client}"));
    say(
        &mut socket,
        &json!({ "type": "hello", "client": client, "name": client, "proof": proof }),
    );
    assert_eq!(next(&mut socket, "welcome").unwrap()["trusted"], true);
    (socket, nonce)
}

fn order(token: &Token, nonce: &str, n: u64, action: &str) -> Value {
    let mac = token.sign(nonce, &format!("{n}|{action}"));
    json!({ "type": "act", "action": action, "n": n, "mac": mac })
}

fn wait(what: &str, check: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(5);
    while !check() {
        assert!(Instant::now() < until, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn commands_need_the_token_a_new_number_and_the_controls() {
    let (screen, token, told, present) = show();
    let (mut a, nonce) = enter(&screen, &token, "a");
    wait("the operator is noticed", || *present.lock().unwrap());
    say(&mut a, &order(&token, &nonce, 1, "pause"));
    assert_eq!(next(&mut a, "answer").unwrap()["ok"], true);
    assert_eq!(*told.0.lock().unwrap(), [Action::Pause]);

    // Another page with the token watches, and only its emergency stop is heard.
    let (mut b, second) = enter(&screen, &token, "b");
    say(&mut b, &order(&token, &second, 1, "resume"));
    let answer = next(&mut b, "answer").unwrap();
    assert_eq!(
        (
            answer["ok"].as_bool(),
            answer["text"].as_str().unwrap().contains("holds")
        ),
        (Some(false), true)
    );
    say(&mut b, &order(&token, &second, 2, "emergency-stop"));
    assert_eq!(next(&mut b, "answer").unwrap()["ok"], true);
    assert_eq!(
        *told.0.lock().unwrap(),
        [Action::Pause, Action::EmergencyStop]
    );

    // The same message again: refused, and the page is shown out.
    say(&mut a, &order(&token, &nonce, 1, "pause"));
    assert!(refusal(&mut a).contains("twice"));
    assert!(next(&mut a, "status").is_none(), "the connection is closed");
    // What was overheard on one connection does nothing on another.
    say(&mut b, &order(&token, &nonce, 9, "pause"));
    assert!(refusal(&mut b).contains("not signed with the token"));
    assert_eq!(told.0.lock().unwrap().len(), 2);
    wait("nobody is there", || !*present.lock().unwrap());
}

#[test]
fn wrong_tokens_other_sites_and_oversized_frames_are_refused() {
    let (screen, _, told, _) = show();
    let (mut socket, nonce) = open(&screen);
    let proof = Token::random().sign(&nonce, "hello|me");
    say(
        &mut socket,
        &json!({ "type": "hello", "client": "me", "proof": proof }),
    );
    assert_eq!(refusal(&mut socket), "wrong token");

    // Without a token one may watch here, on loopback, and no more.
    let (mut socket, nonce) = open(&screen);
    say(&mut socket, &json!({ "type": "hello", "client": "me" }));
    assert_eq!(next(&mut socket, "welcome").unwrap()["trusted"], false);
    say(
        &mut socket,
        &order(&Token::random(), &nonce, 1, "emergency-stop"),
    );
    assert!(refusal(&mut socket).contains("not signed with the token"));

    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        let mut request = format!("ws://{}/socket", screen.address())
            .into_client_request()
            .unwrap();
        request
            .headers_mut()
            .insert("origin", origin.parse().unwrap());
        let error = tungstenite::connect(request).unwrap_err().to_string();
        assert!(error.contains("403"), "{origin}: {error}");
    }
    let mut request = format!("ws://{}/socket", screen.address())
        .into_client_request()
        .unwrap();
    let own = format!("http://{}", screen.address());
    request.headers_mut().insert("origin", own.parse().unwrap());
    assert!(tungstenite::connect(request).is_ok(), "our own page");

    let (mut socket, _) = open(&screen);
    let _ = socket.send(Message::text("x".repeat(100_000)));
    assert!(
        next(&mut socket, "status").is_none(),
        "an oversized frame ends the connection"
    );
    for nonsense in [
        "",
        "{",
        "[]",
        "{\"type\":\"hello\"}",
        "{\"type\":\"act\"}",
        "{\"type\":\"subscribe\",\"channels\":[-1]}",
    ] {
        let (mut socket, _) = open(&screen);
        say_raw(&mut socket, nonsense);
        let why = refusal(&mut socket);
        assert_eq!(why, "this is not a message of this protocol", "{nonsense}");
    }
    assert!(told.0.lock().unwrap().is_empty());
    // The server is still there.
    assert!(Client::connect(&screen.address().to_string(), "watch").is_ok());
}

fn say_raw(socket: &mut Socket, text: &str) {
    socket.send(Message::text(text)).unwrap();
}

#[test]
fn a_watcher_gets_scene_history_and_frames() {
    let (screen, ..) = show();
    let mut client = Client::connect(&screen.address().to_string(), "watch").unwrap();
    let (mut scene, mut times, mut last) = (Scene::default(), Vec::new(), f32::NAN);
    let until = Instant::now() + Duration::from_secs(5);
    while times.len() < 200 {
        assert!(Instant::now() < until);
        match client.accept().unwrap() {
            Heard::Told(told) => {
                if let tandem_screen::Told::Scene(told) = *told {
                    scene = told;
                    // Target and error.
                    let channels = vec![0, 4];
                    client.say(&Said::Subscribe { channels }).unwrap();
                }
            }
            Heard::Frame(frame) if frame.level == 0 && frame.kind == 1 => {
                assert_eq!(frame.channels, 2);
                times.extend(frame.times);
                last = frame.values[frame.values.len() - 4];
            }
            _ => {}
        }
    }
    assert_eq!(scene.name, "sine");
    assert_eq!(scene.channels[4].name, "error/1");
    assert!(
        times.windows(2).all(|w| (w[1] - w[0] - 0.005).abs() < 1e-9),
        "no bin is missing"
    );
    assert!(last.abs() <= 1.0);
}

#[test]
fn the_page_is_served_with_a_strict_policy_and_an_open_address_needs_the_token() {
    let (screen, ..) = show();
    let get = |path: &str| {
        let mut stream = TcpStream::connect(screen.address()).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            screen.address()
        )
        .unwrap();
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        text
    };
    let page = get("/");
    assert!(
        page.starts_with("HTTP/1.1 200")
            && page.contains("frame-ancestors 'none'")
            && page.contains("EMERGENCY")
    );
    assert!(get("/uplot.js").contains("uPlot"));
    assert!(
        get("/../Cargo.toml").starts_with("HTTP/1.1 404")
            || get("/../Cargo.toml").starts_with("HTTP/1.1 400")
    );
    assert!(screen.url().contains("/#token="), "{}", screen.url());

    let options = Options {
        address: "0.0.0.0:0".parse().unwrap(),
        ..Options::default()
    };
    let source = Sine {
        told: Told::default(),
        tick: 0,
        channels: 4,
        present: Arc::default(),
    };
    let token = options.token.text().to_owned();
    let open = Screen::start(
        options,
        Scene {
            rate_hz: 1000.0,
            ..Scene::default()
        },
        Box::new(source),
    )
    .unwrap();
    let address = format!("127.0.0.1:{}", open.address().port());
    let mut client = Client::connect(&address, "watch").unwrap();
    let refused = (0..50).find_map(|_| client.accept().err()).unwrap();
    assert!(refused.to_string().contains("needs the token"), "{refused}");
    let mut client = Client::connect(&format!("http://{address}/#token={token}"), "watch").unwrap();
    let is_scene =
        |heard| matches!(heard, Ok(Heard::Told(t)) if matches!(*t, tandem_screen::Told::Scene(_)));
    assert!((0..50).any(|_| is_scene(client.accept())));
}

/// A page that no longer reads is still heard: the way there and the way back are two.
#[test]
fn a_stop_gets_through_a_link_that_is_clogged_the_other_way() {
    let (screen, token, told, _) = show_with(200);
    let (mut socket, nonce) = enter(&screen, &token, "clogged");
    // Nothing is read: the system's buffers and the queue fill, and sending stands still.
    let all: Vec<usize> = (0..200).collect();
    let all = json!({ "type": "subscribe", "channels": all });
    let until = Instant::now() + Duration::from_secs(3);
    while Instant::now() < until {
        say(&mut socket, &all);
        std::thread::sleep(Duration::from_millis(20));
    }
    say(&mut socket, &order(&token, &nonce, 1, "emergency-stop"));
    wait("the stop is heard", || {
        told.0.lock().unwrap().contains(&Action::EmergencyStop)
    });
    // It was clogged: what is read now lacks what found no room.
    let mut time = || {
        next(&mut socket, "status").unwrap()["time_s"]
            .as_f64()
            .unwrap()
    };
    let mut last = time();
    let lost = (0..100).any(|_| {
        let gap = time() - last;
        last += gap;
        gap > 0.5
    });
    assert!(lost, "every status came until {last} s");
}

/// Sockets that do not say who they are make room for those that do.
#[test]
fn strangers_do_not_lock_the_operator_out() {
    let (screen, token, _, present) = show();
    let mut strangers: Vec<Socket> = (0..60).map(|_| open(&screen).0).collect();
    // A sign of life is no greeting.
    for socket in strangers.iter_mut().rev().take(5) {
        let _ = socket.send(Message::text("{\"type\":\"alive\"}"));
    }
    let (_operator, _) = enter(&screen, &token, "operator");
    wait("the operator is noticed", || *present.lock().unwrap());
    // Watchers without the token give way as well, and the operator stays.
    let mut watchers = Vec::new();
    for i in 0..40 {
        let (mut socket, _) = open(&screen);
        say(
            &mut socket,
            &json!({ "type": "hello", "client": format!("w{i}") }),
        );
        watchers.push(socket);
    }
    let (_second, _) = enter(&screen, &token, "second");
    assert!(*present.lock().unwrap());
    assert!(screen.watchers() <= 24);
}

/// A duplicated tab has the memory of the first, but not its controls.
#[test]
fn two_pages_of_one_browser_never_share_the_controls() {
    let (screen, token, _, _) = show();
    let greet = |page: &str| {
        let (mut socket, nonce) = open(&screen);
        let proof = token.sign(&nonce, "hello|same");
        say(
            &mut socket,
            &json!({ "type": "hello", "client": "same", "page": page, "name": page,
                "proof": proof }),
        );
        let controls = next(&mut socket, "controls").unwrap();
        (socket, controls["yours"].as_bool().unwrap())
    };
    let (first, holds) = greet("one");
    assert!(holds);
    let (twin, twin_holds) = greet("two");
    assert!(!twin_holds);
    // The same page comes back on another socket: it has them still.
    let (again, again_holds) = greet("one");
    assert!(again_holds);
    drop((first, twin, again));
}

#[test]
fn a_channel_twice_or_one_that_is_not_there_is_refused() {
    let (screen, token, _, _) = show();
    for channels in [json!([0, 0]), json!([0, 400])] {
        let (mut socket, _) = enter(&screen, &token, "greedy");
        say(
            &mut socket,
            &json!({ "type": "subscribe", "channels": channels }),
        );
        let why = refusal(&mut socket);
        assert_eq!(
            why, "a channel twice, or one that is not there",
            "{channels}"
        );
    }
}
