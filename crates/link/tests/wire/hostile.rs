//! Random bytes, half records, wrong sizes, huge requests, clients that do not read, thousands of connects.

use super::sessions::{PATIENCE, door, serve};
use proptest::prelude::*;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use tandem_link::labview::{Controller, read};
use tandem_link::openfresco::client::Client;
use tandem_link::openfresco::{ByteOrder, Conversation, Protocol, ProtocolError, Sizes};
use tandem_link::{Ended, SimpleSpecimen};
use tandem_quantity::Motion;

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
        assert!(peer.outgoing.len() <= 8 * 1_000_000 * 64);
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
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..4000), piece in 1_usize..500, dof in 1_usize..7) {
        protocols().into_iter().for_each(|p| survive(p, dof, &bytes, piece));
    }

    /// A true opening, then anything.
    #[test]
    fn nonsense_behind_an_opening(bytes in prop::collection::vec(any::<u8>(), 0..4000), piece in 1_usize..500) {
        let mut all = Sizes::generic_client(1, 5).encode();
        all.extend_from_slice(&bytes);
        survive(Protocol::Element, 1, &all, piece);
        let mut all = vec![1, 0, 0, 0];
        all.extend_from_slice(&bytes);
        survive(Protocol::Actor { version: 2.8 }, 1, &all, piece);
    }

    /// Any eleven integers are sizes or refused; what is taken holds what it promises.
    #[test]
    fn any_sizes(numbers in prop::collection::vec(prop_oneof![any::<i32>(), 0..20_i32, -3..2_000_000_i32], 11)) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        if let Ok(sizes) = Sizes::decode(&bytes) {
            prop_assert!(sizes.vector <= 1_000_000);
            prop_assert!(sizes.feedback.total() <= sizes.vector && sizes.control.total() < sizes.vector);
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
        Just("propose"), Just("execute"), Just("get-control-point"), Just("control-point"), Just("MDL-00-01"),
        Just("x"), Just("y"), Just("displacement"), Just("force"), Just("1e-3"), Just("NaN"), Just("inf"), Just("1e999"), Just(""),
    ], 0..60)) {
        let line = words.join("\t");
        let mut answers = Vec::new();
        let mut specimen = SimpleSpecimen::springs(1.0, 1).unwrap();
        let mut controller = Controller::new(1);
        controller.answer(line.as_bytes(), &mut specimen, &mut answers);
        controller.answer(b"execute\tt", &mut specimen, &mut answers);
        prop_assert!(!answers.is_empty());
        prop_assert!(tandem_link::Served::measured(&specimen).force[0].is_finite());
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

/// A request of a million doubles is served; the connection before it, with wrong sizes, is kept and not cut off.
#[test]
fn a_million_doubles() {
    let (addresses, thread) = serve(&[door(1, Protocol::Element)]);
    let mut wrong = TcpStream::connect(addresses[0]).unwrap();
    wrong.write_all(&[0xff; 44]).unwrap();
    let mut client =
        Client::connect(addresses[0], Sizes::generic_client(1, 1_000_000), PATIENCE).unwrap();
    let mut motion = Motion::at_rest(1);
    motion.displacement[0] = 0.5;
    client.trial(&motion, 0.0).unwrap();
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

/// Not a number, infinity: the specimen stays, the last good force is answered.
#[test]
fn a_motion_that_is_not_finite_does_not_move_the_specimen() {
    let (addresses, thread) = serve(&[door(1, Protocol::Element)]);
    let mut client = Client::connect(addresses[0], Sizes::generic_client(1, 5), PATIENCE).unwrap();
    let mut force = [0.0];
    for x in [0.01, f64::NAN, f64::INFINITY] {
        let mut motion = Motion::at_rest(1);
        motion.displacement[0] = x;
        client.trial(&motion, 0.0).unwrap();
        client.ask(10.0, &mut force).unwrap();
        assert_eq!(force, [5.0]);
    }
    client.say(77.0).unwrap();
    client.ask(10.0, &mut force).unwrap();
    assert_eq!(force, [5.0], "an unknown action does no harm");
    client.say(99.0).unwrap();
    drop(client);
    assert_eq!(thread.join().unwrap(), Ended::ByPeer);
}

/// Ten thousand peers that connect and leave, some after half a record; then a true one.
#[test]
fn ten_thousand_connects() {
    let (addresses, thread) = serve(&[door(1, Protocol::Element)]);
    for i in 0..10_000 {
        let mut stream = TcpStream::connect(addresses[0]).unwrap();
        if i % 3 == 0 {
            let _ = stream.write_all(&[7; 20]);
        }
    }
    let mut client = Client::connect(addresses[0], Sizes::generic_client(1, 5), PATIENCE).unwrap();
    let mut force = [1.0];
    client.ask(10.0, &mut force).unwrap();
    assert_eq!(force, [0.0]);
    client.say(99.0).unwrap();
    drop(client);
    assert_eq!(thread.join().unwrap(), Ended::ByPeer);
}

/// A client that asks and asks and never reads: the server gives it up after a while instead of waiting for ever.
#[test]
fn a_client_that_stops_reading() {
    let (addresses, thread) = serve(&[door(1, Protocol::Element)]);
    let mut stream = TcpStream::connect(addresses[0]).unwrap();
    let sizes = Sizes::generic_client(1, 100_000);
    stream.write_all(&sizes.encode()).unwrap();
    let mut request = Vec::new();
    ByteOrder::Little.put_vector(&[10.0], 100_000, &mut request);
    stream
        .set_write_timeout(Some(std::time::Duration::from_millis(200)))
        .unwrap();
    for _ in 0..100 {
        if stream.write_all(&request).is_err() {
            break;
        }
    }
    let ended = thread.join().unwrap();
    assert!(matches!(ended, Ended::Lost(_) | Ended::ByPeer), "{ended:?}");
    let _ = stream.shutdown(Shutdown::Both);
}
