//! Golden transcripts: bytes captured from OpenSees 3.7.1 (openseespy) and OpenFresco 2.8.0.

use super::sessions::{PATIENCE, at};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread::JoinHandle;
use tandem_link::labview::{Axis, Command, Controller, Kind, LabViewClient, Point, Triple, read};
use tandem_link::openfresco::client::{Adapter, Element, Shadow};
use tandem_link::openfresco::{
    Action, ByteOrder, Conversation, Event, Protocol, Sizes, feedback, matrix, simulink,
};
use tandem_link::{Matrix, RemoteSpecimen, SimpleSpecimen, SpecimenService};
use tandem_transfer::rig::Measured;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex
        .chars()
        .filter_map(|c| c.to_digit(16))
        .map(|d| u8::try_from(d).unwrap())
        .collect();
    digits.chunks(2).map(|d| d[0] * 16 + d[1]).collect()
}

fn events(conversation: &mut Conversation) -> Vec<Event> {
    let mut list = Vec::new();
    while let Some(event) = conversation.next_event().unwrap() {
        list.push(event);
    }
    list
}

/// genericClient with one degree of freedom, `-dataSize 5`, Newmark with Newton, on a spring of
/// 500.
const GENERIC_CLIENT: [&str; 5] = [
    "01000000 01000000 01000000 00000000 01000000 00000000 00000000 00000000 01000000 00000000 \
    05000000",
    "0000000000000840 0000000000000000 0000000000000000 0000000000000000 0000000000000000",
    "0000000000002e40 0000000000000000 0000000000000000 0000000000000000 0000000000000000",
    "0000000000000840 d317c05c863316bf 9d1276f8405881bf 157d3884e519ebbf 7b14ae47e17a943f",
    "0000000000002440 d317c05c863316bf 9d1276f8405881bf 157d3884e519ebbf 7b14ae47e17a943f",
];

#[test]
fn generic_client_of_opensees() {
    let mut peer = Conversation::new(Protocol::Element, 1);
    for part in GENERIC_CLIENT {
        peer.push(&bytes(part)).unwrap();
    }
    let mass = Event::Request(Action::Matrix(Matrix::Mass));
    let trial = Event::Request(Action::Trial);
    let force = Event::Request(Action::Feedback);
    assert_eq!(
        events(&mut peer),
        [Event::Opened, trial, mass, trial, force]
    );
    let sizes = *peer.sizes().unwrap();
    assert_eq!(sizes, Sizes::generic_client(1, 5));
    assert_eq!(sizes.encode(), bytes(GENERIC_CLIENT[0]));
    assert!((peer.trial().displacement[0] + 8.4691e-5).abs() < 1e-9);
    assert!((peer.trial().velocity[0] + 8.4691e-3).abs() < 1e-7);
    assert!((peer.trial().acceleration[0] + 0.84691).abs() < 1e-5);
    assert!((peer.time() - 0.02).abs() < 1e-15);

    let mut specimen = SimpleSpecimen::springs(500.0, 1).unwrap();
    specimen.impose(peer.trial(), peer.time()).unwrap();
    let mut answer = Vec::new();
    feedback(&sizes, specimen.measured(), peer.time(), &mut answer);
    let captured = bytes(
        "4497933651aea5bf 0000000000000000 0000000000000000 0000000000000000 0000000000000000",
    );
    assert_eq!(answer, captured);
    let mut stiffness = [0.0];
    specimen.matrix(Matrix::TangentStiffness, &mut stiffness);
    answer.clear();
    matrix(&sizes, &stiffness, 1, &mut answer);
    assert_eq!(&answer[..8], bytes("0000000000407f40"));
    assert_eq!(answer.len(), 40);
}

#[test]
fn every_split_of_the_bytes_reads_the_same() {
    let all: Vec<u8> = GENERIC_CLIENT.iter().flat_map(|part| bytes(part)).collect();
    let mut whole = Conversation::new(Protocol::Element, 1);
    whole.push(&all).unwrap();
    let expected = events(&mut whole);
    for size in [1, 3, 7, 8, 41, 45] {
        let mut peer = Conversation::new(Protocol::Element, 1);
        let mut list = Vec::new();
        for part in all.chunks(size) {
            peer.push(part).unwrap();
            list.extend(events(&mut peer));
        }
        assert_eq!(list, expected, "pieces of {size}");
        assert_eq!(peer.trial(), whole.trial());
    }
}

#[test]
fn a_big_endian_peer_is_recognised() {
    let swap = |hex: &str, word: usize| -> Vec<u8> {
        let mut all = bytes(hex);
        all.chunks_mut(word).for_each(<[u8]>::reverse);
        all
    };
    let mut peer = Conversation::new(Protocol::Element, 1);
    peer.push(&swap(GENERIC_CLIENT[0], 4)).unwrap();
    peer.push(&swap(GENERIC_CLIENT[3], 8)).unwrap();
    assert_eq!(
        events(&mut peer),
        [Event::Opened, Event::Request(Action::Trial)]
    );
    assert_eq!(peer.sizes().unwrap().order, ByteOrder::Big);
    assert!((peer.trial().displacement[0] + 8.4691e-5).abs() < 1e-9);
    let mut answer = Vec::new();
    let mut measured = Measured::at_rest(1);
    measured.force[0] = 500.0;
    feedback(peer.sizes().unwrap(), &measured, 0.0, &mut answer);
    assert_eq!(&answer[..8], bytes("407f400000000000"));
}

/// An element of OpenFresco at a site server: all five kinds come back, so the force is double 3.
#[test]
fn site_of_openfresco() {
    let sizes = "01000000 01000000 01000000 00000000 01000000 01000000 01000000 01000000 01000000 \
        01000000 00010000";
    let sizes = Sizes::decode(&bytes(sizes)).unwrap();
    let mut specimen = SimpleSpecimen::springs(2.8, 1).unwrap();
    specimen.impose(&at(&[-9.983e-5]), 0.01).unwrap();
    let mut answer = Vec::new();
    feedback(&sizes, specimen.measured(), 0.01, &mut answer);
    assert_eq!(answer.len(), 2048);
    let at = |i| ByteOrder::Little.double(&answer, i).unwrap();
    assert!((at(0) + 9.983e-5).abs() < 1e-12 && (at(3) + 2.795_24e-4).abs() < 1e-9);
}

/// `expControl GenericTCP`: displacement there, displacement and force back.
#[test]
fn generic_controller() {
    let mut peer = Conversation::new(Protocol::Element, 1);
    let id = "01000000 00000000 00000000 00000000 00000000 01000000 00000000 00000000 01000000 \
        00000000 00010000";
    peer.push(&bytes(id)).unwrap();
    let mut request = bytes("0000000000000840 d771c609b52b1abf");
    request.resize(2048, 0);
    peer.push(&request).unwrap();
    request[..8].copy_from_slice(&bytes("0000000000001840"));
    peer.push(&request).unwrap();
    let [trial, read] = [Action::Trial, Action::Measurement].map(Event::Request);
    assert_eq!(events(&mut peer), [Event::Opened, trial, read]);
    let mut specimen = SimpleSpecimen::springs(2.8, 1).unwrap();
    specimen.impose(peer.trial(), 0.0).unwrap();
    let mut answer = Vec::new();
    feedback(peer.sizes().unwrap(), specimen.measured(), 0.0, &mut answer);
    assert_eq!(&answer[..16], bytes("d771c609b52b1abf 16b6d786cb5132bf"));
}

/// `expControl SimSimulink`: fractional codes, a flag before the signals.
#[test]
fn simulink_controller() {
    let mut peer = Conversation::new(Protocol::Simulink, 1);
    let sizes = "01000000 00000000 00000000 00000000 00000000 01000000 00000000 00000000 01000000 \
        00000000 00010000";
    peer.push(&bytes(sizes)).unwrap();
    for code in [
        "0000000000000840",
        "6666666666661040",
        "cdcccccccccc1040",
        "3333333333331140",
        "0000000000001840",
    ] {
        let mut vector = bytes(code);
        vector.resize(2048, 0);
        peer.push(&vector).unwrap();
    }
    let wanted = [
        Action::Trial,
        Action::CorrectionBegun,
        Action::TargetTaken,
        Action::PredictionBegun,
        Action::Measurement,
    ];
    let list = events(&mut peer);
    assert_eq!(list[1..], wanted.map(Event::Request));
    let mut measured = Measured::at_rest(1);
    (measured.motion.displacement[0], measured.force[0]) = (1.0, 2.0);
    let mut answer = Vec::new();
    simulink(
        peer.sizes().unwrap(),
        1.0,
        Some((&measured, 3.0)),
        &mut answer,
    );
    let at = |i| ByteOrder::Little.double(&answer, i).unwrap();
    assert_eq!(
        [at(0), at(1), at(2), at(3), at(4)],
        [1.0, 1.0, 2.0, 3.0, 0.0]
    );
}

/// A shadow site: probe, opening, set-up, two lists of counts, then vectors.
#[test]
fn shadow_site() {
    let little = ByteOrder::Little;
    let mut said = Vec::new();
    little.put_int(1, &mut said);
    little.put_vector(&[1.0, 7.0, 2.8], 256, &mut said);
    little.put_vector(&[2.0, 12.0], 256, &mut said);
    for count in [1, 1, 1, 0, 1, 1, 1, 1, 1, 1] {
        little.put_int(count, &mut said);
    }
    little.put_vector(&[3.0, 0.25, 0.5, 0.75, 0.01], 12, &mut said);
    little.put_vector(&[6.0], 12, &mut said);
    little.put_vector(&[99.0, 7.0], 12, &mut said);
    let mut peer = Conversation::new(Protocol::Actor { version: 2.8 }, 1);
    peer.push(&said[..4]).unwrap();
    assert_eq!(events(&mut peer), []);
    assert_eq!(peer.outgoing, bytes("01000000"));
    peer.outgoing.clear();
    peer.push(&said[4..]).unwrap();
    let requests = [Action::Trial, Action::Measurement, Action::End].map(Event::Request);
    let list = events(&mut peer);
    assert_eq!(list[0], Event::Opened);
    assert_eq!(list[1..], requests);
    assert_eq!(peer.trial().displacement, [0.25]);
    assert!((peer.time() - 0.01).abs() < 1e-15);
    // Completed, the actor's tag, its version; at the end: received.
    let at = |i| little.double(&peer.outgoing, i).unwrap();
    assert_eq!([at(0), at(1), at(2), at(256)], [0.0, 1.0, 2.8, 4.0]);
    assert_eq!(peer.outgoing.len(), 8 * (256 + 12));
}

/// What a peer hears and says, in turn.
enum Turn {
    Hears(Vec<u8>),
    Says(Vec<u8>),
}

/// A peer that goes through its part of a transcript: whatever else it hears is a difference.
fn play(turns: Vec<Turn>) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        for (i, turn) in turns.into_iter().enumerate() {
            match turn {
                Turn::Says(bytes) => stream.write_all(&bytes).unwrap(),
                Turn::Hears(expected) => {
                    let mut heard = vec![0; expected.len()];
                    stream.read_exact(&mut heard).unwrap();
                    let text = String::from_utf8_lossy(&heard);
                    assert!(heard == expected, "turn {i}: {text}");
                }
            }
        }
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(rest.is_empty(), "{} bytes too many", rest.len());
    });
    (address, thread)
}

/// A record of `length` doubles.
fn vector(values: &[f64], length: usize) -> Vec<u8> {
    let mut out = Vec::new();
    ByteOrder::Little.put_vector(values, length, &mut out);
    out
}

fn one_step(remote: &mut dyn RemoteSpecimen, x: f64) -> Measured {
    let mut measured = Measured::at_rest(1);
    remote.begin(&at(&[x])).unwrap();
    remote.finish(&mut measured).unwrap();
    assert_eq!(measured.force, [2.8 * x]);
    measured
}

/// The other direction, byte by byte: this side towards an `adapter` element, an actor site and an
/// element server, each with one step and one look at where the specimen stands. The openings are
/// those captured from OpenFresco 2.8.0 (`SimFEAdapter`, `ShadowSite`).
#[test]
fn clients_say_what_openfresco_says() {
    use Turn::{Hears, Says};
    const X: f64 = -9.983_341_664_7e-5;
    let both = vector(&[X, 2.8 * X], 256);
    let turns = vec![
        Hears(bytes(
            "01000000 00000000 00000000 00000000 00000000 01000000 00000000 00000000 01000000 \
            00000000 00010000",
        )),
        Hears(vector(&[3.0, X], 256)),
        Hears(vector(&[10.0, X], 256)),
        Says(both.clone()),
        Hears(vector(&[3.0, X], 256)),
        Hears(vector(&[10.0, X], 256)),
        Says(both),
        Hears(vector(&[99.0, X], 256)),
    ];
    let (address, peer) = play(turns);
    let mut adapter = Adapter::connect(address, 1, PATIENCE).unwrap();
    let mut measured = one_step(&mut adapter, X);
    adapter.is_present().unwrap();
    adapter.measure(&mut measured).unwrap();
    adapter.end();
    drop(adapter);
    peer.join().unwrap();

    let all = vector(&[X, 0.0, 0.0, 2.8 * X, 0.0], 256);
    let turns = vec![
        Hears(bytes("01000000")),
        Says(bytes("01000000")),
        Hears(vector(&[1.0, 1.0, 2.8], 256)),
        Says(vector(&[0.0, 1.0, 2.8], 256)),
        Hears(vector(&[2.0, 256.0], 256)),
        Hears(bytes("01000000 01000000 01000000 00000000 01000000")),
        Hears(bytes("01000000 01000000 01000000 01000000 01000000")),
        Hears(vector(&[3.0, X], 256)),
        Hears(vector(&[6.0, X], 256)),
        Says(all.clone()),
        Hears(vector(&[5.0, X], 256)),
        Hears(vector(&[6.0, X], 256)),
        Says(all),
        Hears(vector(&[99.0, X], 256)),
        Says(vector(&[4.0, 1.0], 256)),
    ];
    let (address, peer) = play(turns);
    let mut shadow = Shadow::connect(address, 1, None, PATIENCE).unwrap();
    let mut measured = one_step(&mut shadow, X);
    shadow.is_present().unwrap();
    shadow.measure(&mut measured).unwrap();
    shadow.end();
    drop(shadow);
    peer.join().unwrap();

    let both = vector(&[X, 2.8 * X], 256);
    let turns = vec![
        Hears(bytes(
            "01000000 01000000 01000000 00000000 01000000 01000000 00000000 00000000 01000000 \
            00000000 00010000",
        )),
        Hears(vector(&[3.0, X], 256)),
        Hears(vector(&[6.0, X], 256)),
        Says(both.clone()),
        Hears(vector(&[5.0, X], 256)),
        Hears(vector(&[6.0, X], 256)),
        Says(both),
        Hears(vector(&[99.0, X], 256)),
    ];
    let (address, peer) = play(turns);
    let mut element = Element::connect(address, 1, PATIENCE).unwrap();
    let mut measured = one_step(&mut element, X);
    element.is_present().unwrap();
    element.measure(&mut measured).unwrap();
    element.end();
    drop(element);
    peer.join().unwrap();
}

/// And towards a LabVIEW controller: the lines of the specification, with a transaction id that is
/// unique.
#[test]
fn the_labview_client_says_what_the_specification_says() {
    use Turn::{Hears, Says};
    let line = |text: &str| format!("{}\n", text.replace('|', "\t")).into_bytes();
    let point = "OK|0|TandemTransaction0|MDL-00-01|x|displacement|5.3997538673E-04|x|force|\
        1.51193108284400E-03";
    let turns = [
        ("open-session|Tandem", "OK|0|Tandem"),
        ("set-parameter|Tandem|nstep|1", "OK|0|Tandem"),
        (
            "propose|TandemTransaction0|MDL-00-01|x|displacement|5.3997538673000000E-04",
            "OK|0|TandemTransaction0",
        ),
        ("execute|TandemTransaction0", "OK|0|TandemTransaction0"),
        ("get-control-point|TandemTransaction0|MDL-00-01", point),
        ("get-control-point|TandemTransaction0|MDL-00-01", point),
        ("close-session|Tandem", "OK|0|Tandem"),
    ];
    let turns = turns.iter().flat_map(|(said, answer)| {
        let said = if said.starts_with("propose") {
            // As C's %.16E writes the double.
            said.replace(
                "5.3997538673000000E-04",
                &tandem_link::labview::number(5.399_753_867_3e-4, 16),
            )
        } else {
            (*said).to_owned()
        };
        [Hears(line(&said)), Says(line(answer))]
    });
    let (address, peer) = play(turns.collect());
    let mut client = LabViewClient::connect(address, 1, PATIENCE).unwrap();
    let mut measured = Measured::at_rest(1);
    client.begin(&at(&[5.399_753_867_3e-4])).unwrap();
    client.finish(&mut measured).unwrap();
    client.is_present().unwrap();
    client.measure(&mut measured).unwrap();
    assert!((measured.force[0] - 1.511_931_082_844e-3).abs() < 1e-15);
    client.end();
    drop(client);
    peer.join().unwrap();
}

/// A peer that has closed is seen without waiting; one that sends unasked, too.
#[test]
fn a_peer_that_is_gone_is_seen_at_once() {
    use Turn::{Hears, Says};
    const X: f64 = 0.01;
    for unasked in [false, true] {
        let mut turns = vec![
            Hears(Sizes::adapter(1).encode()),
            Hears(vector(&[3.0, X], 256)),
            Hears(vector(&[10.0, X], 256)),
            Says(vector(&[X, 2.8 * X], 256)),
        ];
        if unasked {
            turns.push(Says(vector(&[X, 2.8 * X], 256)));
            turns.push(Hears(vector(&[99.0, X], 256)));
        }
        let listener = play(turns);
        let mut adapter = Adapter::connect(listener.0, 1, PATIENCE).unwrap();
        one_step(&mut adapter, X);
        let begun = std::time::Instant::now();
        if unasked {
            while adapter.is_present().is_ok() {
                assert!(begun.elapsed() < PATIENCE);
            }
            let error = adapter.is_present().unwrap_err();
            assert!(error.to_string().contains("not asked"), "{error}");
            adapter.end();
            drop(adapter);
        } else {
            adapter.is_present().unwrap();
            drop(adapter);
        }
        listener.1.join().unwrap();
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let adapter = Adapter::connect(listener.local_addr().unwrap(), 1, PATIENCE).unwrap();
    let (mut peer, _) = listener.accept().unwrap();
    peer.read_exact(&mut [0; 44]).unwrap();
    adapter.is_present().unwrap();
    drop(peer);
    let begun = std::time::Instant::now();
    while adapter.is_present().is_ok() {
        assert!(begun.elapsed() < PATIENCE);
    }
}

/// Matrices travel column by column: an unsymmetric one shows it.
#[test]
fn matrices_go_by_columns() {
    let sizes = Sizes::generic_client(2, 8);
    let mut answer = Vec::new();
    matrix(&sizes, &[1.0, 2.0, 3.0, 4.0], 2, &mut answer);
    let at = |i| ByteOrder::Little.double(&answer, i).unwrap();
    assert_eq!(
        [at(0), at(1), at(2), at(3), at(4)],
        [1.0, 3.0, 2.0, 4.0, 0.0]
    );
}

/// A session of OpenFresco's LabVIEW control, line by line, with a specimen of 2.8.
#[test]
fn labview_session() {
    let mut specimen = SimpleSpecimen::springs(2.8, 1).unwrap().within(0.01);
    let mut controller = Controller::new(1);
    let mut talk = |line: &str| {
        let mut answers = Vec::new();
        let line = line.replace('|', "\t");
        controller.answer(line.as_bytes(), &mut specimen, &mut answers);
        let text = answers.concat();
        String::from_utf8(text).unwrap().replace('\t', "|")
    };
    let tid = "OPFTransaction20261015062219";
    for (said, expected) in [
        (
            "open-session|OpenFresco".to_owned(),
            "OK|0|OpenFresco\n".to_owned(),
        ),
        (
            "set-parameter|OPFTransaction|nstep|1".to_owned(),
            "OK|0|OPFTransaction\n".to_owned(),
        ),
        (
            "get-parameter|OPFTransaction|nstep".to_owned(),
            "OK|0|OPFTransaction|nstep|1\n".to_owned(),
        ),
        (
            format!("get-control-point|{tid}|MDL-00-01"),
            format!(
                "OK|0|{tid}|MDL-00-01|x|displacement|0.0000000000000000E+00|x|force|\
                    0.0000000000000000E+00\n"
            ),
        ),
        (
            format!("execute|{tid}"),
            format!("ERROR|1|{tid}|nothing has been proposed\n"),
        ),
        (
            format!("propose|{tid}|MDL-00-01|x|displacement|5.3997538673E-04"),
            format!("OK|0|{tid}\n"),
        ),
        (format!("execute|{tid}\r"), format!("OK|0|{tid}\n")),
        (
            format!("propose|{tid}|MDL-00-01|x|displacement|2.0E-02"),
            format!("ERROR|1|{tid}|0.02 m is beyond the stroke of 0.01 m\n"),
        ),
        (
            "close-session|OpenFresco".to_owned(),
            "OK|0|OpenFresco\n".to_owned(),
        ),
    ] {
        assert_eq!(talk(&said), expected, "{said}");
    }
    let answer = talk(&format!("get-control-point|{tid}|MDL-00-01"));
    let fields: Vec<&str> = answer.trim_end().split('|').collect();
    assert_eq!(
        fields[..6],
        ["OK", "0", tid, "MDL-00-01", "x", "displacement"]
    );
    assert!((fields[6].parse::<f64>().unwrap() - 5.399_753_867_3e-4).abs() < 1e-18);
    assert!((fields[9].parse::<f64>().unwrap() - 1.511_931_082_8e-3).abs() < 1e-12);
}

/// Three axes at one control point, two control points, and the ways of older tools.
#[test]
fn labview_control_points() {
    let mut specimen = SimpleSpecimen::springs(2.0, 3).unwrap();
    let mut controller = Controller::new(3);
    let mut lines = Vec::new();
    let tid = "OPFTransaction20261015062504";
    let three = format!(
        "propose\t{tid}\tMDL-00-01\tx\tdisplacement\t0.0E+00\ty\tdisplacement\t\
         9.9833416647E-05\tz\trotation\t0.0E+00"
    );
    controller.answer(three.as_bytes(), &mut specimen, &mut lines);
    controller.answer(
        format!("execute\t{tid}").as_bytes(),
        &mut specimen,
        &mut lines,
    );
    controller.answer(
        format!("get-control-point\t{tid}\tMDL-00-01").as_bytes(),
        &mut specimen,
        &mut lines,
    );
    let text = String::from_utf8(lines.pop().unwrap()).unwrap();
    assert!(
        text.contains("z\trotation\t0.0") && text.contains("z\tmoment\t0.0"),
        "{text}"
    );

    let mut specimen = SimpleSpecimen::springs(2.0, 2).unwrap();
    let mut controller = Controller::new(2);
    let two = "propose\tT1\tMDL-00-01\tx\tdisplacement\t1.0\tcontrol-point\tCPNode03\tx\t\
        displacement\t3.0";
    controller.answer(two.as_bytes(), &mut specimen, &mut lines);
    controller.answer(b"execute\tT1", &mut specimen, &mut lines);
    lines.clear();
    controller.answer(
        b"get-control-point\tT1\tMDL-00-01\tMDL-00-01",
        &mut specimen,
        &mut lines,
    );
    assert_eq!(lines.len(), 2, "each control point has its line");
    assert!(String::from_utf8_lossy(&lines[1]).contains("x\tforce\t6.0"));
    lines.clear();
    controller.answer(
        b"get-control-point\tT1\tCPNode03",
        &mut specimen,
        &mut lines,
    );
    assert!(
        String::from_utf8_lossy(&lines[0]).starts_with("OK\t0\tT1\tCPNode03\tx\tdisplacement\t3.0")
    );
    // A space behind the command.
    assert_eq!(read(b"open-session dummy\r\n"), Ok(Command::Open("dummy")));
    let triple = Triple {
        axis: Axis::X,
        kind: Kind::Displacement,
        value: 1.0,
    };
    assert_eq!(
        read(b"propose\tt\tMDL-00-01:LBCB1\tx\tdisplacement\t1"),
        Ok(Command::Propose(
            "t",
            vec![("MDL-00-01:LBCB1", vec![triple])]
        ))
    );
}

/// A session in which every line has an answer.
fn talk(controller: &mut Controller, specimen: &mut SimpleSpecimen, line: &str) -> String {
    let mut answers = Vec::new();
    let line = line.replace('|', "\t");
    controller.answer(line.as_bytes(), specimen, &mut answers);
    let text = String::from_utf8(answers.concat()).unwrap();
    text.trim_end().replace('\t', "|")
}

/// `execute` moves what was proposed under the same id, once, and nothing else; ids repeat from
/// step to step, as OpenFresco's do.
#[test]
fn labview_transactions() {
    let mut specimen = SimpleSpecimen::springs(2.0, 1).unwrap();
    let mut controller = Controller::new(1);
    let mut say = |line: &str| talk(&mut controller, &mut specimen, line);
    let propose = |id: &str, x: &str| format!("propose|{id}|MDL-00-01|x|displacement|{x}");
    let force = |answer: &str| answer.rsplit('|').next().unwrap().parse::<f64>().unwrap();
    assert_eq!(say(&propose("T1", "1.0")), "OK|0|T1");
    assert_eq!(
        say("execute|T2"),
        "ERROR|1|T2|the transaction that has been proposed is T1"
    );
    assert_eq!(force(&say("get-control-point|T1|MDL-00-01")), 0.0);
    assert_eq!(say("cancel|T2").split('|').next(), Some("ERROR"));
    assert_eq!(say("execute|T1"), "OK|0|T1");
    assert_eq!(force(&say("get-control-point|T1|MDL-00-01")), 2.0);
    assert_eq!(say("execute|T1"), "ERROR|1|T1|nothing has been proposed");
    // The same id again, as within one second of OpenFresco.
    assert_eq!(say(&propose("T1", "3.0")), "OK|0|T1");
    assert_eq!(say("execute|T1"), "OK|0|T1");
    assert_eq!(force(&say("get-control-point|T1|MDL-00-01")), 6.0);
    // UI-SimCor counts steps behind the id.
    assert_eq!(
        say(&propose("trans2009.320 [1 2 3]", "4.0")),
        "OK|0|trans2009.320 [1 2 3]"
    );
    assert_eq!(say("execute|trans2009.320"), "OK|0|trans2009.320");
    // Cancelled, replaced and closed transactions are none.
    assert_eq!(say(&propose("T3", "5.0")), "OK|0|T3");
    assert_eq!(say("cancel|T3"), "OK|0|T3");
    assert!(say("execute|T3").starts_with("ERROR|1|T3"));
    say(&propose("T4", "5.0"));
    say(&propose("T5", "6.0"));
    assert!(say("execute|T4").starts_with("ERROR|1|T4"));
    assert_eq!(say("close-session|OpenFresco"), "OK|0|OpenFresco");
    assert!(say("execute|T5").starts_with("ERROR|1|T5"));
    assert!(say(&propose("T6", "7.0")).contains("the session is closed"));
    assert_eq!(force(&say("get-control-point|T5|MDL-00-01")), 8.0);
    assert_eq!(say("open-session|OpenFresco"), "OK|0|OpenFresco");
    assert_eq!(say(&propose("T7", "7.0")), "OK|0|T7");
}

/// Control points and axes are those of the plan, else of the first proposal: values go where they
/// belong, and others are refused.
#[test]
fn labview_axes_are_fixed() {
    let plan = || {
        vec![
            Point::new("MDL-00-01", &["x displacement", "z rotation"]).unwrap(),
            Point::new("CPNode03", &["x displacement"]).unwrap(),
        ]
    };
    let first = "propose|T|MDL-00-01|x|displacement|1.0|z|rotation|2.0|control-point|CPNode03|x|\
        displacement|3.0";
    let turned = "propose|T|CPNode03|x|displacement|3.0|control-point|MDL-00-01|z|rotation|2.0|x|\
        displacement|1.0";
    for (mut controller, opening) in [
        (Controller::with_points(plan()), turned),
        (Controller::new(3), first),
    ] {
        let mut specimen = SimpleSpecimen::springs(10.0, 3).unwrap();
        let mut say = |line: &str| talk(&mut controller, &mut specimen, line);
        for line in [opening, turned, first] {
            assert_eq!(say(line), "OK|0|T");
            assert_eq!(say("execute|T"), "OK|0|T");
            let turned = say("get-control-point|T|MDL-00-01");
            assert!(
                turned.contains("z|moment|2.0000000000000000E+01"),
                "{turned}"
            );
            let other = say("get-control-point|T|CPNode03");
            assert!(other.contains("x|force|3.0000000000000000E+01"), "{other}");
        }
        for (wrong, why) in [
            (
                first.replace("z|rotation", "y|displacement"),
                "y displacement at MDL-00-01 is none of this test",
            ),
            (
                first.replace("CPNode03", "CPNode04"),
                "x displacement at CPNode04 is none of this test",
            ),
            (
                first.replace("z|rotation", "x|displacement"),
                "x displacement at MDL-00-01 is given twice",
            ),
            (
                first.replace("|control-point|CPNode03|x|displacement|3.0", ""),
                "2 control parameters",
            ),
            (
                first.replace("x|displacement|1.0", "x|force|1.0"),
                "no forces",
            ),
        ] {
            let answer = say(&wrong);
            assert!(
                answer.starts_with("ERROR|1|T|") && answer.contains(why),
                "{answer}"
            );
            assert!(say("execute|T").starts_with("ERROR"));
        }
    }
    for (axes, why) in [
        (&["x force"][..], "`x force` is no axis and kind of motion"),
        (&["x"], "`x` is no axis and kind of motion"),
        (
            &["x displacement", "x displacement"],
            "`x displacement` is named twice",
        ),
    ] {
        assert_eq!(Point::new("P", axes).unwrap_err().to_string(), why);
    }
}
