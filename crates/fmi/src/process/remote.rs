//! This side of an FMU in a process of its own.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::wire::{Message, Words, receive};
use super::worker::put_job;
use super::{Ask, reply};
use crate::binding::Wish;
use crate::simulate::End;
use crate::{
    Completed, Events, Fmu, FmuError, Instance, Interface, Kind, Options, Ports, Result, Saved,
    Stepped, Table,
};

/// How a worker is started.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The program.
    pub program: PathBuf,
    /// Its arguments; the path of the socket follows.
    pub arguments: Vec<OsString>,
    /// Longest time that an FMU may take for one answer.
    pub patience: Duration,
}

/// An FMU in a process of its own.
pub struct Remote {
    child: Child,
    stream: UnixStream,
    request: Message,
    bytes: Vec<u8>,
    patience: Duration,
    event_mode: bool,
    gone: bool,
    _folder: tempfile::TempDir,
}

impl Remote {
    /// Starts a process and instantiates the FMU there. The unpacked FMU must stay as long as this.
    pub fn start(launcher: &Launcher, fmu: &Fmu, name: &str, wish: Wish) -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("tandem-worker-")
            .tempdir()
            .map_err(FmuError::file("make a folder in", std::env::temp_dir()))?;
        let socket = folder.path().join("socket");
        let listener =
            UnixListener::bind(&socket).map_err(FmuError::file("listen at", socket.clone()))?;
        listener
            .set_nonblocking(true)
            .map_err(FmuError::file("listen at", socket.clone()))?;
        let mut child = Command::new(&launcher.program)
            .args(&launcher.arguments)
            .arg(&socket)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(FmuError::file("start", launcher.program.clone()))?;
        let stream = match accept(&listener, &mut child, launcher.patience) {
            Ok(stream) => stream,
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(error);
            }
        };
        let mut remote = Self {
            child,
            stream,
            request: Message::default(),
            bytes: Vec::new(),
            patience: launcher.patience,
            event_mode: false,
            gone: false,
            _folder: folder,
        };
        remote
            .stream
            .set_read_timeout(Some(launcher.patience))
            .and_then(|()| remote.stream.set_nonblocking(false))
            .map_err(FmuError::file("use", socket))?;
        remote
            .request
            .start(Ask::Instantiate as u8)
            .text(&fmu.folder().to_string_lossy())
            .text(name)
            .flag(wish.interface == Interface::ModelExchange)
            .flag(wish.event_mode)
            .flag(wish.logging);
        remote.event_mode = remote.ask(Ask::Instantiate)?.flag()?;
        Ok(remote)
    }

    /// Number of the process.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sends the request that was written and waits for its reply.
    fn ask(&mut self, ask: Ask) -> Result<Words<'_>> {
        self.send(ask)?;
        self.receive(ask)?;
        let mut words = Words::new(&self.bytes);
        match words.byte()? {
            reply::DONE => Ok(words),
            _ => Err(FmuError::Reported(words.text()?)),
        }
    }

    fn send(&mut self, ask: Ask) -> Result<()> {
        if self.gone {
            return Err(FmuError::Reported("the process of the FMU is gone".into()));
        }
        match self.request.send(&mut self.stream) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.died(ask)),
        }
    }

    fn receive(&mut self, ask: Ask) -> Result<()> {
        match receive(&mut self.stream, &mut self.bytes) {
            Ok(()) => Ok(()),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                self.gone = true;
                let _ = self.child.kill();
                let _ = self.child.wait();
                Err(FmuError::TimedOut {
                    function: ask.name(),
                    seconds: self.patience.as_secs_f64(),
                })
            }
            Err(_) => Err(self.died(ask)),
        }
    }

    fn died(&mut self, ask: Ask) -> FmuError {
        self.gone = true;
        // It has hung up: it ends by itself, or is ended.
        let deadline = Instant::now() + Duration::from_secs(2);
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                _ => {
                    let _ = self.child.kill();
                    break self.child.wait().ok();
                }
            }
        };
        FmuError::Died {
            function: ask.name(),
            how: status.map_or_else(|| "it is gone".to_owned(), how),
            log: Vec::new(),
        }
    }

    fn plain(&mut self, ask: Ask) -> Result<()> {
        self.request.start(ask as u8);
        self.ask(ask).map(|_| ())
    }

    fn vector(&mut self, ask: Ask, values: &mut [f64]) -> Result<()> {
        if values.is_empty() {
            return Ok(());
        }
        self.request.start(ask as u8).count(values.len());
        self.ask(ask)?.numbers_into(values)
    }

    /// A whole simulation inside the FMU's process; rows come in bundles.
    pub fn simulate(
        &mut self,
        ports: &Ports,
        options: &Options,
        table: Option<&Table>,
        row: &mut dyn FnMut(f64, &[f64]) -> Result<()>,
    ) -> Result<End> {
        self.request.start(Ask::Simulate as u8);
        put_job(&mut self.request, options, table);
        self.send(Ask::Simulate)?;
        let mut values = vec![0.0; ports.len()];
        loop {
            self.receive(Ask::Simulate)?;
            let mut words = Words::new(&self.bytes);
            match words.byte()? {
                reply::ROWS => {
                    while !words.is_empty() {
                        let time = words.number()?;
                        for value in &mut values {
                            *value = words.number()?;
                        }
                        row(time, &values)?;
                    }
                }
                reply::DONE => {
                    return Ok(End {
                        steps: words.count()? as u64,
                        time: words.number()?,
                        terminated: words.flag()?,
                        events: words.count()? as u64,
                        evaluations: words.count()? as u64,
                    });
                }
                _ => return Err(FmuError::Reported(words.text()?)),
            }
        }
    }
}

/// Waits for the worker to call back.
fn accept(listener: &UnixListener, child: &mut Child, patience: Duration) -> Result<UnixStream> {
    let deadline = Instant::now() + patience.max(Duration::from_secs(5));
    loop {
        if let Ok((stream, _)) = listener.accept() {
            return Ok(stream);
        }
        if let Ok(Some(status)) = child.try_wait() {
            return Err(FmuError::Died {
                function: "its start",
                how: how(status),
                log: Vec::new(),
            });
        }
        if Instant::now() > deadline {
            return Err(FmuError::TimedOut {
                function: "its start",
                seconds: patience.as_secs_f64(),
            });
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn how(status: std::process::ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(11) => "segmentation fault (signal 11)".into(),
        Some(6) => "it aborted (signal 6)".into(),
        Some(8) => "arithmetic error (signal 8)".into(),
        Some(signal) => format!("signal {signal}"),
        None => format!("exit code {}", status.code().unwrap_or(-1)),
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        if self.gone {
            return;
        }
        // Hanging up ends the worker; one that does not go in time is ended.
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
        let deadline = Instant::now() + Duration::from_secs(2);
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Instance for Remote {
    fn enter_initialization(
        &mut self,
        tolerance: Option<f64>,
        start: f64,
        stop: Option<f64>,
    ) -> Result<()> {
        self.request
            .start(Ask::EnterInitialization as u8)
            .maybe(tolerance)
            .number(start)
            .maybe(stop);
        self.ask(Ask::EnterInitialization).map(|_| ())
    }
    fn exit_initialization(&mut self) -> Result<()> {
        self.plain(Ask::ExitInitialization)
    }
    fn get(&mut self, kind: Kind, references: &[u32], values: &mut [f64]) -> Result<()> {
        self.request
            .start(Ask::Get as u8)
            .kind(kind)
            .references(references)
            .count(values.len());
        self.ask(Ask::Get)?.numbers_into(values)
    }
    fn set(&mut self, kind: Kind, references: &[u32], values: &[f64]) -> Result<()> {
        self.request
            .start(Ask::Set as u8)
            .kind(kind)
            .references(references)
            .numbers(values);
        self.ask(Ask::Set).map(|_| ())
    }
    fn set_text(&mut self, reference: u32, text: &str) -> Result<()> {
        self.request
            .start(Ask::SetText as u8)
            .references(&[reference])
            .text(text);
        self.ask(Ask::SetText).map(|_| ())
    }
    fn step(&mut self, time: f64, size: f64) -> Result<Stepped> {
        self.request
            .start(Ask::Step as u8)
            .number(time)
            .number(size);
        let mut words = self.ask(Ask::Step)?;
        Ok(Stepped {
            reached: words.number()?,
            event: words.flag()?,
            terminate: words.flag()?,
        })
    }
    fn uses_event_mode(&self) -> bool {
        self.event_mode
    }
    fn enter_step_mode(&mut self) -> Result<()> {
        self.plain(Ask::EnterStepMode)
    }
    fn set_time(&mut self, time: f64) -> Result<()> {
        self.request.start(Ask::SetTime as u8).number(time);
        self.ask(Ask::SetTime).map(|_| ())
    }
    fn states(&mut self, states: &mut [f64]) -> Result<()> {
        self.vector(Ask::States, states)
    }
    fn set_states(&mut self, states: &[f64]) -> Result<()> {
        self.request.start(Ask::SetStates as u8).numbers(states);
        self.ask(Ask::SetStates).map(|_| ())
    }
    fn derivatives(&mut self, derivatives: &mut [f64]) -> Result<()> {
        self.vector(Ask::Derivatives, derivatives)
    }
    fn indicators(&mut self, indicators: &mut [f64]) -> Result<()> {
        self.vector(Ask::Indicators, indicators)
    }
    fn completed_step(&mut self) -> Result<Completed> {
        self.request.start(Ask::Completed as u8);
        let mut words = self.ask(Ask::Completed)?;
        Ok(Completed {
            event: words.flag()?,
            terminate: words.flag()?,
        })
    }
    fn enter_event_mode(&mut self) -> Result<()> {
        self.plain(Ask::EnterEventMode)
    }
    fn update_discrete_states(&mut self) -> Result<Events> {
        self.request.start(Ask::Update as u8);
        let mut words = self.ask(Ask::Update)?;
        Ok(Events {
            again: words.flag()?,
            terminate: words.flag()?,
            states_changed: words.flag()?,
            next_time: words.maybe()?,
        })
    }
    fn enter_continuous_time(&mut self) -> Result<()> {
        self.plain(Ask::EnterContinuousTime)
    }
    fn save(&mut self, over: Option<Saved>) -> Result<Saved> {
        self.request
            .start(Ask::Save as u8)
            .flag(over.is_some())
            .count(over.map_or(0, |saved| saved.0));
        Ok(Saved(self.ask(Ask::Save)?.count()?))
    }
    fn restore(&mut self, saved: Saved) -> Result<()> {
        self.request.start(Ask::Restore as u8).count(saved.0);
        self.ask(Ask::Restore).map(|_| ())
    }
    fn directional(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        sensitivity: &mut [f64],
    ) -> Result<()> {
        self.request
            .start(Ask::Directional as u8)
            .references(unknowns)
            .references(knowns)
            .numbers(seed)
            .count(sensitivity.len());
        self.ask(Ask::Directional)?.numbers_into(sensitivity)
    }
    fn terminate(&mut self) -> Result<()> {
        self.plain(Ask::Terminate)
    }
    fn messages(&mut self) -> Vec<String> {
        self.request.start(Ask::Messages as u8);
        let Ok(mut words) = self.ask(Ask::Messages) else {
            return Vec::new();
        };
        let count = words.count().unwrap_or(0);
        (0..count).map_while(|_| words.text().ok()).collect()
    }
}
