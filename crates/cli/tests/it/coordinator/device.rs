//! Devices behind UDP and TCP, written in Python and in C, and the rules that every rig keeps.

use crate::TANDEM;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tandem::registry::standard;
use tandem_coordinator::SafetyGate;
use tandem_coordinator::machine::{Event, Machine, Order};
use tandem_quantity::{Context, Motion, Value, Values};
use tandem_test_support::{example, json, refused, skip_part};
use tandem_transfer::rig::{self, Hydraulics, Measured, Rig, RigContext, Status};

/// A device that runs as long as this lives.
struct Running {
    child: Child,
    port: u16,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn folder() -> PathBuf {
    example("udp-device")
}

/// The device in C, compiled once; none where there is no compiler.
fn compiled() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("device");
        let status = Command::new("cc")
            .args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"])
            .arg(&program)
            .arg(folder().join("device.c"))
            .status()
            .ok()?;
        assert!(status.success(), "device.c does not compile");
        Some(program)
    });
    program.as_deref()
}

/// A Python, which needs no packages here.
fn python() -> Option<OsString> {
    let python = std::env::var_os("TANDEM_PYTHON").unwrap_or_else(|| "python3".into());
    let mut ask = Command::new(&python);
    ask.arg("--version").stdout(Stdio::null());
    ask.status().is_ok().then_some(python)
}

/// Name and command of the device in every language that this machine has; a test that lacks one of
/// them runs in part.
fn languages() -> Vec<(&'static str, Vec<OsString>)> {
    let python = python().map(|python| vec![python, folder().join("device.py").into()]);
    let c = compiled().map(|program| vec![program.into()]);
    let lacks = [
        ("python", python, "no Python; install Python 3"),
        ("c", c, "no C compiler; install one as cc"),
    ];
    let mut all = Vec::new();
    for (name, command, missing) in lacks {
        match command {
            Some(command) => all.push((name, command)),
            None => skip_part(&format!("the device in {name}"), missing),
        }
    }
    all
}

/// Starts a device on a free port.
fn device(command: &[OsString], arguments: &[&str]) -> Running {
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .args(["--port", "0"])
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let port = line.trim().rsplit(' ').next().unwrap().parse().unwrap();
    Running { child, port }
}

fn device_rig(port: u16, transport: &str) -> Box<dyn Rig> {
    let values = Values::new()
        .with("address", Value::Text(format!("127.0.0.1:{port}")))
        .with("transport", Value::Text(transport.into()))
        .with("watchdog", Value::Integer(5000))
        .with("lock_step", Value::Boolean(true))
        .with("timeout", Value::Number(5.0));
    build("device", &values)
}

fn build(kind: &str, values: &Values) -> Box<dyn Rig> {
    let entry = standard().entry(&rig::SLOT, kind).unwrap();
    let context = RigContext::direct(Context::of(1, 0.001));
    (entry.build)(values, &context).unwrap()
}

/// What every rig keeps to, whatever it is.
fn conforms(rig: &mut dyn Rig, what: &str) {
    let mut measured = Measured::at_rest(rig.properties().actuators);
    let mut command = Motion::at_rest(rig.properties().actuators);
    // It becomes ready while nothing is commanded.
    let begun = Instant::now();
    loop {
        rig.read(&mut measured);
        rig.idle();
        let Status {
            pressure,
            manifold,
            emergency,
            ..
        } = rig.status();
        if pressure && manifold {
            assert!(!emergency, "{what}");
            break;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{what}: {:?}",
            rig.observe().fault_message()
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    // Where it stands is where it was found.
    let mut found = [0.0];
    if !rig.initial_position(&mut found) {
        found = [0.0];
    }
    rig.read(&mut measured);
    assert!(
        (measured.motion.displacement[0] - found[0]).abs() < 1e-9,
        "{what}"
    );
    // Rest does not move it.
    for _ in 0..20 {
        rig.idle();
        rig.read(&mut measured);
        assert!(
            (measured.motion.displacement[0] - found[0]).abs() < 1e-9,
            "{what}: moved at rest"
        );
    }
    // A command is not felt before the tick after it, and is reached in the end.
    let to = found[0] + 0.002;
    command.displacement[0] = to;
    let mut gate = SafetyGate::new(&Values::new(), 1, 0.001).unwrap();
    let mut machine = Machine::default();
    for event in [
        Event::Order(Order::Start),
        Event::Pressure(true),
        Event::Manifold(true),
        Event::AtStart,
        Event::Order(Order::Next),
        Event::DriverReady,
    ] {
        machine.happen(event);
    }
    let mut released = Motion::at_rest(1);
    for k in 0..200 {
        // As a test does: the machine has been led to it by what the rig said.
        released.copy_from(&command);
        rig.write(gate.release(&machine.permit(), &command, &mut released).0);
        rig.read(&mut measured);
        let x = measured.motion.displacement[0];
        assert!(
            x.is_finite() && measured.force[0].is_finite(),
            "{what} tick {k}"
        );
        assert!(
            x >= found[0] - 1e-9 && x <= to + 1e-9,
            "{what} tick {k}: {x}"
        );
        let status = rig.status();
        assert!(status.age <= 5, "{what} tick {k}: {} old", status.age);
    }
    assert!(
        (measured.motion.displacement[0] - to).abs() < 1e-6,
        "{what}: not reached"
    );
    assert!(measured.force[0] > 0.0, "{what}: a spring resists");
    // Without a command it stays there.
    for _ in 0..20 {
        rig.idle();
        rig.read(&mut measured);
        assert!(
            (measured.motion.displacement[0] - to).abs() < 1e-6,
            "{what}: not held"
        );
    }
    assert!(rig.hydraulics(Hydraulics::RampDown), "{what}");
}

#[test]
fn every_rig_keeps_the_rules() {
    let stiffness = Value::List(vec![Value::Number(1.2e6)]);
    let specimen = Values::new()
        .with("kind", Value::Text("spring-dashpot-mass".into()))
        .with("stiffness", stiffness);
    let actuator = Values::new()
        .with("method", Value::Text("first-order".into()))
        .with("time_constant", Value::Number(0.005))
        .with("gain", Value::Number(1.0));
    let plan = Values::new()
        .with("specimen", Value::Table(specimen))
        .with("actuator", Value::Table(actuator));
    conforms(build("virtual", &plan).as_mut(), "virtual");
    for (language, command) in languages() {
        for transport in ["udp", "tcp"] {
            let arguments: &[&str] = if transport == "tcp" { &["--tcp"] } else { &[] };
            let device = device(&command, arguments);
            let what = format!("{language} over {transport}");
            conforms(device_rig(device.port, transport).as_mut(), &what);
            // A second test on the same port, at once.
            let what = format!("{what}, again");
            conforms(device_rig(device.port, transport).as_mut(), &what);
        }
    }
}

/// `> hex` goes to the device, `< hex` must come back, bit for bit.
#[test]
fn devices_answer_the_golden_transcript() {
    let text = std::fs::read_to_string(folder().join("transcript.txt")).unwrap();
    let lines: Vec<(bool, Vec<u8>)> = text
        .lines()
        .filter(|line| line.starts_with(['>', '<']))
        .map(|line| {
            let hex: String = line[1..]
                .split('#')
                .next()
                .unwrap()
                .split_whitespace()
                .collect();
            let bytes =
                (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap());
            (line.starts_with('>'), bytes.collect())
        })
        .collect();
    assert!(lines.len() > 10);
    for (language, command) in languages() {
        let device = device(&command, &[]);
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(("127.0.0.1", device.port)).unwrap();
        socket
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        let mut k = 0;
        while k < lines.len() {
            let (out, bytes) = &lines[k];
            if *out {
                socket.send(bytes).unwrap();
            } else {
                let mut got = [0; 2048];
                let n = socket.recv(&mut got).unwrap();
                assert_eq!(&got[..n], &bytes[..], "{language}, line {k}");
            }
            k += 1;
        }
    }
}

/// Garbage, and a stream cut at every place, do not stop a device.
#[test]
fn devices_survive_garbage() {
    for (language, command) in languages() {
        let device = device(&command, &["--tcp"]);
        for garbage in [
            &b"GET / HTTP/1.1\r\n\r\n"[..],
            &[0xff; 100],
            b"TDV1\x03\xff",
        ] {
            let mut stream = TcpStream::connect(("127.0.0.1", device.port)).unwrap();
            stream.write_all(garbage).unwrap();
            stream
                .set_read_timeout(Some(Duration::from_millis(20)))
                .unwrap();
            let _ = stream.read(&mut [0; 64]);
        }
        conforms(device_rig(device.port, "tcp").as_mut(), language);
    }
}

/// The example with a device gives what its rehearsal gives.
#[test]
fn the_example_with_a_device_matches_its_rehearsal() {
    let out = tempfile::tempdir().unwrap();
    let figure = |summary: &serde_json::Value| {
        summary["response"]["response_displacement/3"]["peak"]
            .as_f64()
            .unwrap()
    };
    let run = |plan: &str, out_folder: &str, more: &[&str]| {
        let plan = folder().join(plan);
        let words = ["run", plan.to_str().unwrap(), "--json", "--out", out_folder];
        let short = ["--set", "integration.duration=4s"];
        json(&TANDEM.run(&[&words[..], &short, more].concat(), out.path()))
    };
    let expected = figure(&run("rehearsal.toml", "rehearsal", &[]));
    for (language, command) in languages() {
        let device = device(&command, &[]);
        let address = format!("rig.address=127.0.0.1:{}", device.port);
        let summary = run("plan.toml", language, &["--set", &address]);
        assert_eq!(summary["outcome"], "completed", "{language}: {summary}");
        let got = figure(&summary);
        assert!(
            (got / expected - 1.0).abs() < 0.02,
            "{language}: {got}, rehearsal {expected}"
        );
        // A replay never speaks to the device: whoever stands at its address hears nothing, and the
        // commands are the same.
        let port = device.port;
        drop(device);
        let listener = std::net::UdpSocket::bind(("127.0.0.1", port)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let replayed = json(&TANDEM.run(&["replay", language, "--json"], out.path()));
        assert_eq!(replayed["identical"], true, "{language}: {replayed}");
        assert!(
            listener.recv(&mut [0; 2048]).is_err(),
            "{language}: the replay spoke to the device"
        );
    }
}

#[test]
fn a_device_that_is_not_there_is_an_orderly_end() {
    let out = tempfile::tempdir().unwrap();
    let plan = folder().join("plan.toml");
    // A port that nobody has: bound and given back.
    let port = UdpSocket::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let address = format!("rig.address=127.0.0.1:{port}");
    let output = TANDEM.run(
        &[
            "run",
            plan.to_str().unwrap(),
            "--json",
            "--out",
            "run",
            "--set",
            &address,
            "--set",
            "coordinator.driver_timeout=0.2s",
        ],
        out.path(),
    );
    refused(&output, 3);
    assert_eq!(json(&output)["stopped_by"], "hydraulics");
    let events = std::fs::read_to_string(out.path().join("run/events.jsonl")).unwrap();
    assert!(events.contains("does not answer"), "{events}");
}
