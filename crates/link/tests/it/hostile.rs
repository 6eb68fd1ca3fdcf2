//! Random bytes, half records, wrong sizes, huge requests, clients that do not read, thousands of
//! connects.

use super::sessions::{ANY, PATIENCE, at, door, serve};
use proptest::prelude::*;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::thread::JoinHandle;
use tandem_link::labview::{self, Controller, read};
use tandem_link::openfresco::client::{Client, Element, Shadow};
use tandem_link::openfresco::{ByteOrder, Conversation, Protocol, ProtocolError, Server, Sizes};
use tandem_link::{Ended, Notice, RemoteSpecimen, SimpleSpecimen};
use tandem_transfer::rig::Measured;

/// Takes whatever comes; the memory stays bounded.
fn survive(protocol: Protocol, dof: usize, bytes: &[u8], piece: usize) {
    let mut peer = Conversation::new(protocol, dof);
    for part in bytes.chunks(piece.max(1)) {
        if peer.push(part).is_err() {
            return;
        }
        for _ in 0..10_000 {
            match peer.next_event() {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    return;
                }
            }
        }
        // The byte-order probe, the answer to the opening, and one to the end.
        assert!(peer.outgoing.len() <= 4 + 8 * (256 + 1_000_000));
    }
}

fn protocols() -> [Protocol; 3] {
    [
        Protocol::Element,
        Protocol::Simulink,
        Protocol::Actor { version: 2.8 },
    ]
}

proptest! {
    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..4000), piece in 1_usize..500,
        dof in 1_usize..7) {
        protocols().into_iter().for_each(|p| survive(p, dof, &bytes, piece));
    }

    /// A true opening, then anything.
    #[test]
    fn nonsense_behind_an_opening(bytes in prop::collection::vec(any::<u8>(), 0..4000),
        piece in 1_usize..500) {
        let mut all = Sizes::generic_client(1, 5).encode();
        all.extend_from_slice(&bytes);
        survive(Protocol::Element, 1, &all, piece);
        let mut all = vec![1, 0, 0, 0];
        all.extend_from_slice(&bytes);
        survive(Protocol::Actor { version: 2.8 }, 1, &all, piece);
        let mut all = Kind::Wire(Protocol::Actor { version: 2.8 }).opening(256);
        all.extend_from_slice(&bytes);
        survive(Protocol::Actor { version: 2.8 }, 1, &all, piece);
    }

    /// Any eleven integers are sizes or refused; what is taken holds what it promises.
    #[test]
    fn any_sizes(numbers in prop::collection::vec(
        prop_oneof![any::<i32>(), 0..20_i32, -3..2_000_000_i32], 11)) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        if let Ok(sizes) = Sizes::decode(&bytes) {
            prop_assert!(sizes.vector <= 1_000_000);
            prop_assert!(sizes.feedback.total() <= sizes.vector
                && sizes.control.total() < sizes.vector);
            if sizes.order == ByteOrder::Little {
                prop_assert_eq!(sizes.encode(), bytes);
            }
        }
    }

    #[test]
    fn any_line(line in prop::collection::vec(any::<u8>(), 0..600)) {
        let _ = read(&line);
        let mut answers = Vec::new();
        let mut specimen = SimpleSpecimen::springs(1.0, 1).unwrap();
        Controller::new(1).answer(&line, &mut specimen, &mut answers);
        prop_assert!(!answers.is_empty(), "a client waits for ever without an answer");
        prop_assert!(answers.iter().all(|a| a.ends_with(b"\n")));
    }

    /// Lines made of the protocol's own words.
    #[test]
    fn words_in_any_order(words in prop::collection::vec(prop_oneof![
        Just("propose"), Just("execute"), Just("get-control-point"), Just("control-point"),
        Just("MDL-00-01"),
        Just("x"), Just("y"), Just("displacement"), Just("force"), Just("1e-3"), Just("NaN"),
        Just("inf"), Just("1e999"), Just(""),
    ], 0..60)) {
        let line = words.join("\t");
        let mut answers = Vec::new();
        let mut specimen = SimpleSpecimen::springs(1.0, 1).unwrap();
        let mut controller = Controller::new(1);
        controller.answer(line.as_bytes(), &mut specimen, &mut answers);
        controller.answer(b"execute\tt", &mut specimen, &mut answers);
        prop_assert!(!answers.is_empty());
        prop_assert!(tandem_link::SpecimenService::measured(&specimen).force[0].is_finite());
    }
}

#[test]
fn sizes_beyond_all_bounds_are_refused_with_words() {
    let mut sizes = Sizes::generic_client(1, 1_000_001).encode();
    assert!(matches!(
        Sizes::decode(&sizes),
        Err(ProtocolError::Sizes { .. })
    ));
    sizes = Sizes::generic_client(1, 5).encode();
    sizes[..4].copy_from_slice(&(-1_i32).to_le_bytes());
    assert!(matches!(
        Sizes::decode(&sizes),
        Err(ProtocolError::Count { count: -1, .. })
    ));
    let text = Sizes::generic_client(3, 5).fits(1).unwrap_err().to_string();
    assert!(
        text.contains("3 displacements") && text.contains("1 degrees"),
        "{text}"
    );
}

/// A request of a million doubles is served; the connection before it, with wrong sizes, is kept
/// and not cut off.
#[test]
fn a_million_doubles() {
    let (addresses, thread) = serve(&[door(1, Protocol::Element)]);
    let mut wrong = TcpStream::connect(addresses[0]).unwrap();
    wrong.write_all(&[0xff; 44]).unwrap();
    let mut client =
        Client::connect(addresses[0], Sizes::generic_client(1, 1_000_000), PATIENCE).unwrap();
    client.trial(&at(&[0.5]), 0.0).unwrap();
    let mut force = [0.0];
    client.ask(10.0, &mut force).unwrap();
    assert_eq!(force, [250.0]);
    wrong.set_nonblocking(true).unwrap();
    let kept = wrong.read(&mut [0; 1]).unwrap_err();
    assert_eq!(
        kept.kind(),
        std::io::ErrorKind::WouldBlock,
        "the refused peer was cut off"
    );
    client.say(99.0).unwrap();
    drop(client);
    assert_eq!(thread.join().unwrap(), Ended::ByPeer);
}

/// Not a number, infinity: the specimen stays where it was to the end of the session, the last good
/// force is answered, and the session counts as lost.
#[test]
fn a_motion_that_is_not_finite_does_not_move_the_specimen() {
    for nonsense in [f64::NAN, f64::INFINITY] {
        let (addresses, thread) = serve(&[door(1, Protocol::Element)]);
        let mut client =
            Client::connect(addresses[0], Sizes::generic_client(1, 5), PATIENCE).unwrap();
        let mut force = [0.0];
        for x in [0.01, nonsense, 0.02] {
            client.trial(&at(&[x]), 0.0).unwrap();
            client.ask(10.0, &mut force).unwrap();
            assert_eq!(force, [5.0]);
            client.say(5.0).unwrap();
        }
        client.say(99.0).unwrap();
        drop(client);
        let ended = thread.join().unwrap();
        assert!(
            matches!(&ended, Ended::Lost(why) if why.contains("not finite")),
            "{ended:?}"
        );
    }
}

/// An action that nobody knows does no harm, and is told in few words.
#[test]
fn an_unknown_action_is_told_in_few_words() {
    let mut server = Server::bind(&[door(1, Protocol::Element)]).unwrap();
    let address = server.addresses()[0];
    let (told, heard) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let mut specimen = SimpleSpecimen::springs(500.0, 1).unwrap().watched(
            move |notice| {
                if let Notice::Alarm(_, text) = notice {
                    told.send(text.clone()).unwrap();
                }
            },
            || true,
        );
        server.serve(&mut specimen)
    });
    let mut client = Client::connect(address, Sizes::generic_client(1, 5), PATIENCE).unwrap();
    for code in [77.0, 1e300] {
        client.say(code).unwrap();
    }
    let mut force = [1.0];
    client.ask(10.0, &mut force).unwrap();
    assert_eq!(force, [0.0]);
    client.say(99.0).unwrap();
    drop(client);
    assert_eq!(thread.join().unwrap(), Ended::ByPeer);
    let heard: Vec<String> = heard.iter().collect();
    assert_eq!(
        heard,
        [
            "unknown action 77: not answered",
            "unknown action 1e300: not answered"
        ]
    );
}

/// Everything here that listens for streams.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Wire(Protocol),
    LabView,
}

const KINDS: [Kind; 4] = [
    Kind::Wire(Protocol::Element),
    Kind::Wire(Protocol::Simulink),
    Kind::Wire(Protocol::Actor { version: 2.8 }),
    Kind::LabView,
];

impl Kind {
    /// A spring of 500 behind a server of this kind.
    fn serve(self) -> (SocketAddr, JoinHandle<Ended>) {
        let Self::Wire(protocol) = self else {
            let mut server = labview::Server::bind(ANY).unwrap();
            let address = server.address();
            let thread = std::thread::spawn(move || {
                server.serve(&mut SimpleSpecimen::springs(500.0, 1).unwrap())
            });
            return (address, thread);
        };
        let (addresses, thread) = serve(&[door(1, protocol)]);
        (addresses[0], thread)
    }

    /// A true session: it moves and measures, and says goodbye.
    fn talk(self, address: SocketAddr) {
        let mut measured = Measured::at_rest(1);
        let motion = at(&[0.01]);
        let mut session = |remote: &mut dyn RemoteSpecimen| {
            remote.begin(&motion).unwrap();
            remote.finish(&mut measured).unwrap();
            assert_eq!(measured.force, [5.0], "{self:?}");
            remote.end();
        };
        match self {
            Self::Wire(Protocol::Element) => {
                session(&mut Element::connect(address, 1, PATIENCE).unwrap());
            }
            Self::Wire(Protocol::Actor { version }) => {
                session(&mut Shadow::connect(address, 1, Some(version), PATIENCE).unwrap());
            }
            Self::Wire(Protocol::Simulink) => {
                let mut client = Client::connect(address, Sizes::adapter(1), PATIENCE).unwrap();
                client.trial(&motion, 0.0).unwrap();
                let mut answer = [0.0; 3];
                client.ask(6.0, &mut answer).unwrap();
                assert_eq!(answer, [1.0, 0.01, 5.0]);
                client.say(99.0).unwrap();
            }
            Self::LabView => {
                session(&mut labview::LabViewClient::connect(address, 1, PATIENCE).unwrap());
            }
        }
    }

    /// The opening of a session with vectors of so many doubles.
    fn opening(self, vector: usize) -> Vec<u8> {
        match self {
            Self::Wire(Protocol::Actor { version }) => {
                let mut out = 1_i32.to_le_bytes().to_vec();
                ByteOrder::Little.put_vector(&[1.0, 1.0, version], 256, &mut out);
                ByteOrder::Little.put_vector(&[2.0, vector as f64], 256, &mut out);
                for counts in [[1, 1, 1, 0, 1], [1, 1, 1, 1, 1]] {
                    counts
                        .iter()
                        .for_each(|n: &i32| out.extend(n.to_le_bytes()));
                }
                out
            }
            Self::Wire(_) => Sizes::generic_client(1, vector).encode(),
            Self::LabView => b"open-session\tT\n".to_vec(),
        }
    }

    /// A request that is answered.
    fn question(self, vector: usize) -> Vec<u8> {
        match self {
            Self::Wire(_) => {
                let mut out = Vec::new();
                ByteOrder::Little.put_vector(&[6.0], vector, &mut out);
                out
            }
            Self::LabView => b"get-control-point\tT\tMDL-00-01\n".repeat(200),
        }
    }
}

/// Connects. Where a crowd before the door fills the system's queue, TCP would try again after a
/// second; this caller does so at once.
fn press_in(address: SocketAddr) -> TcpStream {
    let begun = std::time::Instant::now();
    loop {
        match TcpStream::connect_timeout(&address, std::time::Duration::from_millis(20)) {
            Ok(stream) => return stream,
            Err(error) => {
                // The listener's queue may be full; a refusal is one.
                let full = error.kind() == std::io::ErrorKind::TimedOut;
                assert!(full && begun.elapsed() < PATIENCE, "{error}");
            }
        }
    }
}

/// Ten thousand peers that connect and leave, some after half a record; then a true one.
#[test]
fn ten_thousand_connects() {
    for kind in KINDS {
        let (address, thread) = kind.serve();
        let half = &kind.opening(256)[..3];
        for i in 0..10_000 {
            let mut stream = press_in(address);
            if i % 3 == 0 {
                let _ = stream.write_all(half);
            }
        }
        kind.talk(address);
        assert_eq!(thread.join().unwrap(), Ended::ByPeer, "{kind:?}");
    }
}

/// Somebody who connects and says nothing, or half a record and then nothing, keeps nobody else
/// out.
#[test]
fn a_silent_peer_gives_way() {
    // Each waits for a while: all at once.
    let cases =
        KINDS.map(|kind| [Vec::new(), kind.opening(256)[..3].to_vec()].map(|said| (kind, said)));
    let threads = cases.concat().into_iter().map(|(kind, said)| {
        std::thread::spawn(move || {
            let (address, thread) = kind.serve();
            let mut silent = TcpStream::connect(address).unwrap();
            silent.write_all(&said).unwrap();
            kind.talk(address);
            assert_eq!(thread.join().unwrap(), Ended::ByPeer, "{kind:?}");
        })
    });
    for thread in threads.collect::<Vec<_>>() {
        thread.join().unwrap();
    }
}

/// A session that breaks off within a record, or within a line, after whole ones: over, and not in
/// good order where a step was under way.
#[test]
fn half_a_record() {
    for kind in KINDS {
        let (address, thread) = kind.serve();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&kind.opening(256)).unwrap();
        let question = match kind {
            Kind::LabView => b"execute\tT".to_vec(),
            Kind::Wire(_) => kind.question(256),
        };
        stream.write_all(&question[..question.len() / 2]).unwrap();
        drop(stream);
        let ended = thread.join().unwrap();
        match kind {
            Kind::LabView => assert!(
                matches!(&ended, Ended::Lost(why) if why.contains("close-session")),
                "{ended:?}"
            ),
            Kind::Wire(_) => assert!(
                matches!(&ended, Ended::Lost(why) if why.contains("in the middle")),
                "{kind:?}: {ended:?}"
            ),
        }
    }
}

/// A client that asks and asks and never reads: the server gives it up after a while instead of
/// waiting for ever.
#[test]
fn a_client_that_stops_reading() {
    let threads = KINDS.map(|kind| {
        std::thread::spawn(move || {
            let (address, thread) = kind.serve();
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(&kind.opening(100_000)).unwrap();
            let question = kind.question(100_000);
            stream
                .set_write_timeout(Some(std::time::Duration::from_millis(200)))
                .unwrap();
            for _ in 0..10_000 {
                if stream.write_all(&question).is_err() {
                    break;
                }
            }
            let ended = thread.join().unwrap();
            let how = "does not read its answers";
            assert!(
                matches!(&ended, Ended::Lost(why) if why.contains(how) || why.contains("in the \
                    middle")),
                "{kind:?}: {ended:?}"
            );
            let _ = stream.shutdown(Shutdown::Both);
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
}

/// Vectors of a million doubles are served; a line of a million fields is refused, and the next
/// client is heard.
#[test]
fn a_million_entries() {
    for kind in KINDS {
        if kind == Kind::LabView {
            let mut server = labview::Server::bind(ANY).unwrap();
            let address = server.address();
            let (told, heard) = std::sync::mpsc::channel();
            let thread = std::thread::spawn(move || {
                let specimen = SimpleSpecimen::springs(500.0, 1).unwrap();
                let tell = move |notice: &Notice| told.send(notice.clone()).unwrap();
                server.serve(&mut specimen.watched(tell, || true))
            });
            let mut line = b"propose\tT\tMDL-00-01".to_vec();
            line.extend(b"\tx\tdisplacement\t0".repeat(333_333));
            // Cut off before it has sent all of it.
            let _ = TcpStream::connect(address).unwrap().write_all(&line);
            kind.talk(address);
            assert_eq!(thread.join().unwrap(), Ended::ByPeer);
            let refused = Notice::Refused(0, "a line of more than 8192 bytes".to_owned());
            assert_eq!(heard.iter().filter(|notice| *notice == refused).count(), 1);
        } else {
            let (address, thread) = kind.serve();
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(&kind.opening(1_000_000)).unwrap();
            stream.write_all(&kind.question(1_000_000)).unwrap();
            let opening = match kind {
                Kind::Wire(Protocol::Actor { .. }) => 4 + 8 * 256,
                _ => 0,
            };
            let mut answer = vec![0; opening + 8_000_000];
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
            stream.read_exact(&mut answer).unwrap();
            let mut end = Vec::new();
            ByteOrder::Little.put_vector(&[99.0], 1_000_000, &mut end);
            stream.write_all(&end).unwrap();
            drop(stream);
            assert_eq!(thread.join().unwrap(), Ended::ByPeer, "{kind:?}");
        }
    }
}

/// Datagrams of strangers, whole sessions of them: the door opens again for the one that makes
/// sense.
#[test]
fn datagrams_of_strangers() {
    let mut udp = door(1, Protocol::Element);
    udp.udp = true;
    let (addresses, thread) = serve(&[udp]);
    let vector = |values: &[f64], length| {
        let mut out = Vec::new();
        ByteOrder::Little.put_vector(values, length, &mut out);
        out
    };
    // Nonsense is refused at once; a call without an opening after a second.
    for words in [&[0xff; 44][..], &[7; 9000], b"a"] {
        let stranger = UdpSocket::bind(ANY).unwrap();
        stranger.connect(addresses[0]).unwrap();
        for _ in 0..3_000 {
            let _ = stranger.send(words);
        }
    }
    let client = UdpSocket::bind(ANY).unwrap();
    client.connect(addresses[0]).unwrap();
    client
        .set_read_timeout(Some(std::time::Duration::from_millis(500)))
        .unwrap();
    let mut answer = [0; 4096];
    let begun = std::time::Instant::now();
    loop {
        let _ = client.send(b"a");
        if matches!(client.recv(&mut answer), Ok(1)) {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "the door stays shut");
    }
    client.send(&Sizes::generic_client(1, 5).encode()).unwrap();
    client.set_read_timeout(Some(PATIENCE)).unwrap();
    client.send(&vector(&[3.0, 0.01], 5)).unwrap();
    client.send(&vector(&[10.0], 5)).unwrap();
    loop {
        // Calls that were repeated may be answered twice.
        match client.recv(&mut answer).unwrap() {
            40 => break,
            n => assert_eq!(n, 1),
        }
    }
    assert_eq!(ByteOrder::Little.double(&answer, 0), Some(5.0));
    client.send(&vector(&[99.0], 5)).unwrap();
    assert_eq!(thread.join().unwrap(), Ended::ByPeer);
}
