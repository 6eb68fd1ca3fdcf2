//! A device behind a network: any controller that speaks the protocol of `docs/device-protocol.md`
//! over UDP or TCP.
//!
//! Ports: command displacement and velocity of every actuator → measured displacement and force.
//! One message each way and tick. Both ends number their messages, stamp them with their clock and
//! watch for silence: the device holds by itself when it hears nothing, here the age of the newest
//! measurement goes to the safety gate (`limits.stale_feedback`).

#[doc(hidden)]
pub mod fuzzing;
mod link;
pub mod message;

use link::Link;
use message::{Head, LONGEST, MOST_ACTUATORS, MessageKind, encode, flags, value};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tandem_quantity::{
    BuildError, Dimension, Entry, Method, Range, Settings, Values, choice, copy_few, settings,
    snapshot,
};
use tandem_transfer::rig::{
    Build, Hydraulics, Measured, Released, Rig, RigContext, RigProperties, RigView, Status,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "device",
        summary: "a controller behind UDP or TCP that speaks Tandem's device protocol",
        reference: "docs/device-protocol.md",
        parameters: DeviceSettings::PARAMETERS,
    },
    build: &build,
};

choice! {
    enum Transport {
        Udp = "udp",
        Tcp = "tcp",
    }
}

settings! {
    struct DeviceSettings {
        /// where the device listens, as number and port: "192.168.0.7:4950"
        address: String = text(),
        /// how it is reached
        transport: Transport = choice(Transport::WORDS).or("\"udp\""),
        /// periods of silence after which the device holds by itself
        watchdog: usize = integer().or("10").within(Range::between(1.0, 1e6)),
        /// wait for the device's answer at every tick: for a device that is itself a model
        lock_step: bool = boolean().or("false"),
        /// how long an answer is waited for in lock step
        timeout: f64 = number(Dimension::TIME).or("\"1 s\"").positive(),
    }
}

fn build(values: &Values, context: &RigContext<'_>) -> Result<Box<dyn Rig>, BuildError> {
    let settings = DeviceSettings::read(values)?;
    let text = &settings.address;
    let address: SocketAddr = text.parse().map_err(|_| {
        BuildError::new(
            "address",
            format!("\"{text}\" is not an address"),
            "write number and port, such as \"127.0.0.1:4950\"",
        )
    })?;
    if context.common.actuators > MOST_ACTUATORS {
        return Err(BuildError::new(
            "address",
            format!(
                "one device has at most {MOST_ACTUATORS} actuators, not {}",
                context.common.actuators
            ),
            "use fewer actuators",
        ));
    }
    let n = context.common.actuators;
    Ok(Box::new(DeviceRig {
        address,
        tcp: settings.transport == Transport::Tcp,
        watchdog: settings.watchdog,
        lock_step: settings.lock_step,
        timeout: Duration::try_from_secs_f64(settings.timeout).unwrap_or(Duration::from_secs(1)),
        period: context.common.period,
        link: None,
        silent_ticks: 0,
        trouble: Some(format!(
            "the device at {address} does not answer (is it running, and does it speak this \
            protocol over {}?)",
            settings.transport.word()
        )),
        welcomed: false,
        sequence: 0,
        heard: 0,
        age: 0,
        ticks: 0,
        last: Measured::at_rest(n),
        flags: 0,
        valve: 0.0,
        device_time: f64::NAN,
        out: [0; LONGEST],
        inbox: [0; LONGEST],
    }))
}

/// A device behind a network.
pub struct DeviceRig {
    address: SocketAddr,
    tcp: bool,
    watchdog: usize,
    lock_step: bool,
    timeout: Duration,
    period: f64,
    link: Option<Link>,
    /// Ticks since a connection was last tried.
    silent_ticks: u64,
    trouble: Option<String>,
    welcomed: bool,
    sequence: u32,
    /// Sequence number of the newest message of the device.
    heard: u32,
    age: u64,
    ticks: u64,
    last: Measured,
    flags: u16,
    valve: f64,
    device_time: f64,
    out: [u8; LONGEST],
    inbox: [u8; LONGEST],
}

impl DeviceRig {
    /// Opens the connection, at most once in a hundred ticks.
    fn open(&mut self) {
        if self.link.is_some() || !self.silent_ticks.is_multiple_of(100) {
            self.silent_ticks += 1;
            return;
        }
        self.silent_ticks += 1;
        match Link::open(self.address, self.tcp) {
            Ok(link) => self.link = Some(link),
            Err(error) => {
                self.trouble = Some(format!(
                    "no connection to the device at {}: {error}",
                    self.address
                ));
            }
        }
    }

    #[inline]
    fn send(&mut self, kind: MessageKind, flags: u16, values: &[&[f64]]) {
        let Some(link) = &mut self.link else {
            return;
        };
        self.sequence = self.sequence.wrapping_add(1);
        let head = Head {
            kind,
            actuators: self.last.force.len(),
            flags,
            sequence: self.sequence,
            echo: self.heard,
            time: self.ticks as f64 * self.period,
        };
        let length = encode(&head, values, &mut self.out);
        if !link.send(&self.out[..length]) {
            self.link = None;
        }
    }

    /// Takes everything that has come; whether something new was among it.
    #[inline]
    fn receive(&mut self) -> bool {
        let n = self.last.force.len();
        let mut fresh = false;
        while let Some(link) = &mut self.link {
            let head = match link.receive(&mut self.inbox) {
                link::Received::Message(head) => head,
                link::Received::Nothing => break,
                link::Received::Closed => {
                    self.link = None;
                    self.trouble = Some(format!(
                        "the device at {} closed the connection",
                        self.address
                    ));
                    break;
                }
            };
            if !matches!(head.kind, MessageKind::Welcome | MessageKind::Measured) {
                continue;
            }
            if head.actuators != n {
                self.trouble = Some(format!(
                    "the device at {} has {} actuators, the plan {n}",
                    self.address, head.actuators
                ));
                continue;
            }
            // Old and repeated messages, by the numbers of the device, which wrap around.
            let newer = head.sequence.wrapping_sub(self.heard);
            if self.welcomed && (newer == 0 || newer > u32::MAX / 2) {
                continue;
            }
            if !self.welcomed {
                self.welcomed = true;
                self.trouble = None;
            }
            self.heard = head.sequence;
            for i in 0..n {
                self.last.motion.displacement[i] = value(&self.inbox, i);
                self.last.force[i] = value(&self.inbox, n + i);
            }
            self.valve = value(&self.inbox, 2 * n);
            self.flags = head.flags;
            self.device_time = head.time;
            fresh |= !self.lock_step || head.echo == self.sequence;
        }
        fresh
    }
}

// The state of a device is not ours to save.
snapshot!(DeviceRig {});

impl Rig for DeviceRig {
    fn properties(&self) -> RigProperties {
        RigProperties {
            needs_wall_clock: !self.lock_step,
            ..RigProperties::of(self.last.force.len())
        }
    }

    fn read(&mut self, measured: &mut Measured) {
        self.open();
        let mut fresh = self.receive();
        if self.lock_step && self.sequence > 0 {
            let start = Instant::now();
            while !fresh && self.link.is_some() && start.elapsed() < self.timeout {
                std::thread::sleep(Duration::from_micros(20));
                fresh = self.receive();
            }
        }
        self.age = if fresh || !self.welcomed {
            0
        } else {
            self.age + 1
        };
        measured.motion.copy_from(&self.last.motion);
        copy_few(&mut measured.force, &self.last.force);
    }

    fn write(&mut self, command: Released<'_>) {
        self.ticks += 1;
        self.send(
            MessageKind::Command,
            0,
            &[&command.displacement, &command.velocity],
        );
    }

    fn idle(&mut self) {
        self.ticks += 1;
        if self.welcomed {
            self.send(MessageKind::Rest, 0, &[]);
        } else {
            let watchdog = self.watchdog as f64;
            self.send(MessageKind::Hello, 0, &[&[self.period, watchdog]]);
        }
    }

    fn initial_position(&mut self, displacement: &mut [f64]) -> bool {
        copy_few(displacement, &self.last.motion.displacement);
        self.welcomed
    }

    fn status(&self) -> Status {
        let set = |flag: u16| self.welcomed && self.flags & flag != 0;
        Status {
            pressure: set(flags::PRESSURE),
            manifold: set(flags::MANIFOLD),
            emergency: set(flags::EMERGENCY),
            // A device that holds by itself has lost us: its measurement is of another test.
            age: if set(flags::HOLDING) {
                self.age.max(u64::from(u32::MAX))
            } else {
                self.age
            },
            valve: self.valve,
            device_time: self.device_time,
        }
    }

    fn hydraulics(&mut self, what: Hydraulics) -> bool {
        let at_once = u16::from(what == Hydraulics::Off);
        self.send(MessageKind::Stop, at_once, &[]);
        true
    }

    fn observe(&self) -> &dyn RigView {
        self
    }
}

impl RigView for DeviceRig {
    fn fault_message(&self) -> Option<&str> {
        self.trouble.as_deref()
    }
}
