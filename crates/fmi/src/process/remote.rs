//! This side of an FMU in a process of its own.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::wire::{Message, Words, receive};
use super::worker::{put_job, unsent};
use super::{Ask, TIME_TO_END, reply};
use crate::binding::{InstanceOptions, read_kept};
use crate::simulate::End;
use crate::{
    Completed, Events, Fmu, FmuError, Instance, Interface, Options, Ports, Result, Saved, Stepped,
    Table, VariableType,
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
pub struct WorkerInstance {
    child: Child,
    stream: UnixStream,
    request: Message,
    bytes: Vec<u8>,
    patience: Duration,
    event_mode: bool,
    gone: bool,
    folder: tempfile::TempDir,
}

impl WorkerInstance {
    /// Starts a process and instantiates the FMU there. The unpacked FMU must stay as long as this.
    pub fn start(
        launcher: &Launcher,
        fmu: &Fmu,
        name: &str,
        wish: InstanceOptions,
    ) -> Result<Self> {
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
            // Signals that an FMU sends to its group, and those of the keyboard, do not reach
            // across.
            .process_group(0)
            .spawn()
            .map_err(FmuError::file("start", launcher.program.clone()))?;
        let stream = match accept(&listener, &mut child, launcher.patience) {
            Ok(stream) => stream,
            Err(error) => {
                end(&mut child);
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
            folder,
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
                if is_over(&self.child) {
                    // Something that it has started holds the socket open.
                    return Err(self.died(ask));
                }
                self.gone = true;
                end(&mut self.child);
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
        FmuError::Died {
            function: ask.name(),
            how: end_in_time(&mut self.child).map_or_else(|| "it is gone".to_owned(), how),
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

    /// A whole simulation inside the FMU's process; rows come in bundles. Where it dies or hangs,
    /// every row that was finished is taken all the same, and the error says when that was.
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
        let mut rows = Rows {
            values: vec![0.0; ports.len()],
            last: None,
            count: 0,
            row,
        };
        let mut bundles = 0;
        loop {
            if let Err(error) = self.receive(Ask::Simulate) {
                let kept = read_kept(&unsent(&self.folder.path().join("socket")), bundles);
                let unread = match kept {
                    Ok(kept) => {
                        rows.take(&mut Words::new(&kept))?;
                        String::new()
                    }
                    Err(error) => format!(" (its last rows cannot be read: {error})"),
                };
                let (phase, function) = match rows.last {
                    None => ("its initialisation".to_owned(), "one of its first calls"),
                    Some(time) if rows.count > options.steps()? => {
                        (format!("its end, after t = {time} s"), "Terminate")
                    }
                    Some(time) => (format!("the step from t = {time} s"), Ask::Simulate.name()),
                };
                return Err(FmuError::During {
                    phase: phase + &unread,
                    source: Box::new(error.busy_with(function)),
                });
            }
            let mut words = Words::new(&self.bytes);
            match words.byte()? {
                reply::ROWS => {
                    bundles += 1;
                    rows.take(&mut words)?;
                }
                reply::DONE => {
                    return Ok(End {
                        steps: words.count()? as u64,
                        time: words.number()?,
                        terminated: words.flag()?,
                        events: words.count()? as u64,
                        evaluations: words.count()? as u64,
                        warnings: words.count()? as u64,
                    });
                }
                _ => return Err(FmuError::Reported(words.text()?)),
            }
        }
    }
}

/// Rows on their way to whoever wants them.
struct Rows<'a> {
    values: Vec<f64>,
    /// Time of the last, s.
    last: Option<f64>,
    count: u64,
    row: &'a mut dyn FnMut(f64, &[f64]) -> Result<()>,
}

impl Rows<'_> {
    /// Takes whole rows; a torn one is none.
    fn take(&mut self, words: &mut Words<'_>) -> Result<()> {
        let size = 8 * (self.values.len() + 1);
        while words.left() >= size {
            let time = words.number()?;
            for value in &mut self.values {
                *value = words.number()?;
            }
            (self.row)(time, &self.values)?;
            self.last = Some(time);
            self.count += 1;
        }
        Ok(())
    }
}

/// Waits for the worker to call back.
fn accept(listener: &UnixListener, child: &mut Child, patience: Duration) -> Result<UnixStream> {
    let deadline = Instant::now() + patience.max(Duration::from_secs(5));
    loop {
        if let Ok((stream, _)) = listener.accept() {
            return Ok(stream);
        }
        if is_over(child) {
            return Err(FmuError::Died {
                function: "its start",
                how: end(child).map_or_else(|| "it is gone".to_owned(), how),
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

/// Whether it has come to its end. It is not waited for: until then nobody else gets its number, by
/// which its group can be ended.
fn is_over(child: &Child) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(
        waitid(WaitId::Pid(Pid::from_child(child)), options),
        Ok(None)
    )
}

/// Ends it, with all that it has started. One that has ended by itself has the status of that.
fn end(child: &mut Child) -> Option<ExitStatus> {
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.kill();
    child.wait().ok()
}

/// The same for one that has been hung up on, or has hung up: it ends by itself, or is ended.
fn end_in_time(child: &mut Child) -> Option<ExitStatus> {
    let deadline = Instant::now() + TIME_TO_END;
    while Instant::now() < deadline && !is_over(child) {
        std::thread::sleep(Duration::from_millis(1));
    }
    end(child)
}

fn how(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(11) => "segmentation fault (signal 11)".into(),
        Some(6) => "it aborted (signal 6)".into(),
        Some(8) => "arithmetic error (signal 8)".into(),
        Some(signal) => format!("signal {signal}"),
        None => format!("exit code {}", status.code().unwrap_or(-1)),
    }
}

impl Drop for WorkerInstance {
    fn drop(&mut self) {
        if self.gone {
            return;
        }
        // Hanging up ends the worker; one that does not go in time is ended.
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
        end_in_time(&mut self.child);
    }
}

impl Instance for WorkerInstance {
    fn enter_configuration(&mut self) -> Result<()> {
        self.plain(Ask::EnterConfiguration)
    }
    fn exit_configuration(&mut self) -> Result<()> {
        self.plain(Ask::ExitConfiguration)
    }
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
    fn get(&mut self, kind: VariableType, references: &[u32], values: &mut [f64]) -> Result<()> {
        self.request
            .start(Ask::Get as u8)
            .kind(kind)
            .references(references)
            .count(values.len());
        self.ask(Ask::Get)?.numbers_into(values)
    }
    fn set(&mut self, kind: VariableType, references: &[u32], values: &[f64]) -> Result<()> {
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
