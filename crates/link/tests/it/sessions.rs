//! Both directions over sockets on this machine.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::thread::JoinHandle;
use std::time::Duration;
use tandem_link::openfresco::client::{Adapter, Client, Element, Shadow};
use tandem_link::openfresco::{ByteOrder, Endpoint, Protocol, Server, Sizes};
use tandem_link::{Ended, Notice, RemoteSpecimen, SimpleSpecimen, labview};
use tandem_quantity::Motion;
use tandem_transfer::rig::Measured;

pub const ANY: SocketAddr = SocketAddr::V4(std::net::SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0));
pub const PATIENCE: Duration = Duration::from_secs(20);

pub fn door(dof: usize, protocol: Protocol) -> Endpoint {
    Endpoint {
        address: ANY,
        dof,
        protocol,
        udp: false,
    }
}

/// Serves one session of a spring of 500 at each degree of freedom, in a thread.
pub fn serve(doors: &[Endpoint]) -> (Vec<SocketAddr>, JoinHandle<Ended>) {
    let mut server = Server::bind(doors).unwrap();
    let addresses = server.addresses();
    let dof = doors.iter().map(|d| d.dof).sum();
    let thread = std::thread::spawn(move || {
        let mut specimen = SimpleSpecimen::springs(500.0, dof).unwrap();
        server.serve(&mut specimen)
    });
    (addresses, thread)
}

/// A motion that stands at these displacements.
pub fn at(x: &[f64]) -> Motion {
    let mut motion = Motion::at_rest(x.len());
    motion.displacement.copy_from_slice(x);
    motion
}

#[test]
fn an_element_is_served() {
    let (addresses, thread) = serve(&[door(2, Protocol::Element)]);
    let mut client =
        Client::connect(addresses[0], Sizes::generic_client(2, 256), PATIENCE).unwrap();
    let mut force = [0.0; 2];
    client.ask(10.0, &mut force).unwrap();
    assert_eq!(force, [0.0; 2], "a read before the first trial");
    client.trial(&at(&[0.01, -0.02]), 0.0).unwrap();
    client.ask(10.0, &mut force).unwrap();
    assert_eq!(force, [5.0, -10.0]);
    let mut stiffness = [0.0; 4];
    for code in [12.0, 13.0] {
        client.ask(code, &mut stiffness).unwrap();
        assert_eq!(stiffness, [500.0, 0.0, 0.0, 500.0]);
    }
    client.ask(15.0, &mut stiffness).unwrap();
    assert_eq!(stiffness, [0.0; 4]);
    client.say(5.0).unwrap();
    client.say(99.0).unwrap();
    drop(client);
    assert_eq!(thread.join().unwrap(), Ended::ByPeer);
}

#[test]
fn a_driver_that_vanishes_in_mid_step_is_told() {
    let (addresses, thread) = serve(&[door(1, Protocol::Element)]);
    let mut client = Client::connect(addresses[0], Sizes::generic_client(1, 5), PATIENCE).unwrap();
    client.trial(&at(&[0.01]), 0.0).unwrap();
    client.say(5.0).unwrap();
    client.trial(&at(&[0.02]), 0.0).unwrap();
    drop(client);
    assert!(matches!(thread.join().unwrap(), Ended::Lost(_)));
}

/// Two elements: the specimen moves when both trials are there, in whatever order they are read.
#[test]
fn elements_at_several_doors_move_together() {
    let doors = [door(1, Protocol::Element), door(1, Protocol::Element)];
    let (addresses, thread) = serve(&doors);
    let mut clients: Vec<Client> = addresses
        .iter()
        .map(|a| Client::connect(*a, Sizes::generic_client(1, 5), PATIENCE).unwrap())
        .collect();
    for step in 1..50 {
        let x = 1e-3 * f64::from(step);
        clients[0].trial(&at(&[x]), 0.0).unwrap();
        clients[1].trial(&at(&[-2.0 * x]), 0.0).unwrap();
        for (client, wanted) in clients.iter_mut().zip([500.0 * x, -1000.0 * x]) {
            let mut force = [0.0];
            client.ask(10.0, &mut force).unwrap();
            assert!((force[0] - wanted).abs() < 1e-12);
        }
        clients.iter_mut().for_each(|c| c.say(5.0).unwrap());
    }
    clients.iter_mut().for_each(|c| c.say(99.0).unwrap());
    drop(clients);
    assert_eq!(thread.join().unwrap(), Ended::ByPeer);
}

#[test]
fn datagrams_with_and_without_the_call() {
    for call in [true, false] {
        let mut udp = door(1, Protocol::Element);
        udp.udp = true;
        let (addresses, thread) = serve(&[udp]);
        let client = UdpSocket::bind(ANY).unwrap();
        client.set_read_timeout(Some(PATIENCE)).unwrap();
        client.connect(addresses[0]).unwrap();
        let mut answer = [0; 4096];
        if call {
            client.send(b"a").unwrap();
            assert_eq!(client.recv(&mut answer).unwrap(), 1);
            assert_eq!(answer[0], b'b');
        }
        client
            .send(&Sizes::generic_client(1, 256).encode())
            .unwrap();
        let mut vector = Vec::new();
        for code in [3.0, 10.0] {
            vector.clear();
            ByteOrder::Little.put_vector(&[code, 0.5], 256, &mut vector);
            client.send(&vector).unwrap();
        }
        assert_eq!(client.recv(&mut answer).unwrap(), 2048);
        assert_eq!(ByteOrder::Little.double(&answer, 0), Some(250.0));
        vector.clear();
        ByteOrder::Little.put_vector(&[99.0], 256, &mut vector);
        client.send(&vector).unwrap();
        assert_eq!(thread.join().unwrap(), Ended::ByPeer);
    }
}

/// The same specimen through every client of ours, to every server of ours.
#[test]
fn remote_specimens() {
    let run = |remote: &mut dyn RemoteSpecimen| {
        let mut measured = Measured::at_rest(2);
        for x in [0.001, 0.002, -0.003] {
            remote.begin(&at(&[x, 2.0 * x])).unwrap();
            remote.finish(&mut measured).unwrap();
            for (f, x) in measured.force.iter().zip([x, 2.0 * x]) {
                assert!((f - 500.0 * x).abs() < 1e-12);
            }
        }
        assert_eq!(measured.motion.displacement, [-0.003, -0.006]);
        remote.end();
    };
    let (addresses, thread) = serve(&[door(2, Protocol::Actor { version: 2.8 })]);
    run(&mut Shadow::connect(addresses[0], 2, None, PATIENCE).unwrap());
    assert_eq!(thread.join().unwrap(), Ended::ByPeer);
    let (addresses, thread) = serve(&[door(2, Protocol::Element)]);
    run(&mut Element::connect(addresses[0], 2, PATIENCE).unwrap());
    assert_eq!(thread.join().unwrap(), Ended::ByPeer);
    let (addresses, thread) = serve(&[door(2, Protocol::Element)]);
    run(&mut Adapter::connect(addresses[0], 2, PATIENCE).unwrap());
    assert_eq!(thread.join().unwrap(), Ended::ByPeer);

    let mut server = labview::Server::bind(ANY).unwrap();
    let address = server.address();
    let thread =
        std::thread::spawn(move || server.serve(&mut SimpleSpecimen::springs(500.0, 2).unwrap()));
    run(&mut labview::LabViewClient::connect(address, 2, PATIENCE).unwrap());
    assert_eq!(thread.join().unwrap(), Ended::ByPeer);
}

/// A shadow of another version is refused with words at the site, which listens on.
#[test]
fn versions_must_be_equal() {
    let mut server = Server::bind(&[door(1, Protocol::Actor { version: 2.8 })]).unwrap();
    let address = server.addresses()[0];
    let (told, heard) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let mut specimen = SimpleSpecimen::springs(500.0, 1)
            .unwrap()
            .watched(move |notice| told.send(notice.clone()).unwrap(), || true);
        server.serve(&mut specimen)
    });
    // It is left waiting, never cut off.
    let short = Duration::from_millis(300);
    let error = Shadow::connect(address, 1, Some(2.7), short).err().unwrap();
    assert_eq!(error.to_string(), "no answer in time");
    let mut good = Shadow::connect(address, 1, Some(2.8), PATIENCE).unwrap();
    good.begin(&at(&[0.0])).unwrap();
    good.finish(&mut Measured::at_rest(1)).unwrap();
    good.end();
    drop(good);
    assert_eq!(thread.join().unwrap(), Ended::ByPeer);
    let refused: Vec<String> = heard
        .iter()
        .filter_map(|notice| match notice {
            Notice::Refused(0, text) => Some(text),
            _ => None,
        })
        .collect();
    assert!(
        refused.len() == 1 && refused[0].contains("says version 2.7, this actor site 2.8"),
        "{refused:?}"
    );
}

#[test]
fn the_handshake_of_a_simulink_controller() {
    let (addresses, thread) = serve(&[door(1, Protocol::Simulink)]);
    let mut sizes = Sizes::adapter(1);
    sizes.vector = 256;
    let mut client = Client::connect(addresses[0], sizes, PATIENCE).unwrap();
    let mut answer = [0.0; 4];
    client.ask(6.0, &mut answer).unwrap();
    assert_eq!(answer[0], 1.0, "at target before the first");
    client.trial(&at(&[0.02]), 0.0).unwrap();
    client.ask(4.1, &mut answer).unwrap();
    assert_eq!(answer[0], 1.0);
    client.say(4.2).unwrap();
    client.ask(4.3, &mut answer).unwrap();
    assert_eq!(answer[0], 0.0);
    client.ask(6.0, &mut answer).unwrap();
    assert_eq!(answer[..3], [1.0, 0.02, 10.0]);
    client.say(99.0).unwrap();
    drop(client);
    assert_eq!(thread.join().unwrap(), Ended::ByPeer);
}

/// A controller's client never commits (`expControl GenericTCP`), or need not (`SimSimulink`): what
/// has been gone through stays gone through. An element server starts every trial from the last
/// commit.
#[test]
fn controllers_move_for_good() {
    for (protocol, code, expected) in [
        (Protocol::Element, 6.0, -2.0),
        (Protocol::Simulink, 6.0, -2.0),
        (Protocol::Element, 10.0, 0.0),
    ] {
        let mut server = Server::bind(&[door(1, protocol)]).unwrap();
        let address = server.addresses()[0];
        let thread = std::thread::spawn(move || {
            let spring = SimpleSpecimen::springs(100.0, 1).unwrap();
            server.serve(&mut spring.yielding(2.0, 0.0).unwrap())
        });
        let mut client = Client::connect(address, Sizes::adapter(1), PATIENCE).unwrap();
        let mut answer = [0.0; 3];
        // Yields at 0.02, goes on to 0.05, and comes back: 0.03 have stayed.
        for x in [0.05, 0.0] {
            client.trial(&at(&[x]), 0.0).unwrap();
            client.ask(code, &mut answer).unwrap();
        }
        let force = answer[usize::from(protocol == Protocol::Simulink) + 1];
        assert!(
            (force - expected).abs() < 1e-12,
            "{protocol:?} {code}: {force}"
        );
        client.say(99.0).unwrap();
        drop(client);
        assert_eq!(thread.join().unwrap(), Ended::ByPeer);
    }
}

/// Every action code of the wire: which are answered, with what, and which must not be.
#[test]
fn every_action_is_answered_or_not() {
    let (addresses, thread) = serve(&[door(1, Protocol::Element)]);
    let mut sizes = Sizes::generic_client(1, 16);
    sizes.feedback = tandem_link::openfresco::Counts {
        displacement: 1,
        velocity: 1,
        acceleration: 1,
        force: 1,
        time: 1,
    };
    let mut client = Client::connect(addresses[0], sizes, PATIENCE).unwrap();
    let mut motion = at(&[0.25]);
    (motion.velocity[0], motion.acceleration[0]) = (0.5, 0.75);
    for code in [1.0, 2.0, 4.0, 98.5] {
        client.say(code).unwrap();
    }
    client.trial(&motion, 1.25).unwrap();
    let all = [0.25, 0.5, 0.75, 125.0, 1.25, 0.0];
    for (code, expected) in [
        (6.0, all),
        (7.0, all),
        (8.0, all),
        (9.0, all),
        (10.0, all),
        (11.0, all),
        (12.0, [500.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        (13.0, [500.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        (14.0, [0.0; 6]),
        (15.0, [0.0; 6]),
    ] {
        // An unanswered one before each: its answer would come in place of this one.
        for silent in [1.0, 2.0, 4.0, 5.0] {
            client.say(silent).unwrap();
        }
        let mut answer = [f64::NAN; 6];
        client.ask(code, &mut answer).unwrap();
        assert_eq!(answer, expected, "{code}");
    }
    client.say(99.0).unwrap();
    drop(client);
    assert_eq!(thread.join().unwrap(), Ended::ByPeer);
}

/// A big-endian peer leads a whole session, with three degrees of freedom and an unsymmetric
/// matrix.
#[test]
fn a_big_endian_session() {
    let mut server = Server::bind(&[door(3, Protocol::Element)]).unwrap();
    let address = server.addresses()[0];
    let rows: Vec<f64> = (1..=9).map(f64::from).collect();
    let thread =
        std::thread::spawn(move || server.serve(&mut SimpleSpecimen::linear(rows, 3).unwrap()));
    let sizes = Sizes {
        order: ByteOrder::Big,
        ..Sizes::generic_client(3, 256)
    };
    let mut client = Client::connect(address, sizes, PATIENCE).unwrap();
    client.trial(&at(&[1.0, 10.0, 100.0]), 0.0).unwrap();
    let mut force = [0.0; 3];
    client.ask(10.0, &mut force).unwrap();
    assert_eq!(force, [321.0, 654.0, 987.0]);
    let mut columns = [0.0; 9];
    client.ask(12.0, &mut columns).unwrap();
    assert_eq!(columns, [1.0, 4.0, 7.0, 2.0, 5.0, 8.0, 3.0, 6.0, 9.0]);
    client.say(99.0).unwrap();
    drop(client);
    assert_eq!(thread.join().unwrap(), Ended::ByPeer);
}

/// The port is free again at once, session after session.
#[test]
fn a_port_is_used_again_at_once() {
    let first = Server::bind(&[door(1, Protocol::Element)]).unwrap();
    let address = first.addresses()[0];
    drop(first);
    for _ in 0..5 {
        let mut again = door(1, Protocol::Element);
        again.address = address;
        let (_, thread) = serve(&[again]);
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .write_all(&Sizes::generic_client(1, 5).encode())
            .unwrap();
        let mut vector = Vec::new();
        for code in [3.0, 10.0] {
            ByteOrder::Little.put_vector(&[code, 1.0, 0.0, 0.0, 0.0], 5, &mut vector);
        }
        stream.write_all(&vector).unwrap();
        let mut answer = [0; 40];
        stream.read_exact(&mut answer).unwrap();
        assert_eq!(ByteOrder::Little.double(&answer, 0), Some(500.0));
        let mut end = Vec::new();
        ByteOrder::Little.put_vector(&[99.0], 5, &mut end);
        stream.write_all(&end).unwrap();
        drop(stream);
        assert_eq!(thread.join().unwrap(), Ended::ByPeer);
    }
}
