//! The process that an FMU lives in.

use std::io::BufReader;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Signal, getpgrp, getpid, kill_process_group};

use super::wire::{Message, Words, receive};
use super::{Ask, TIME_TO_END, reply};
use crate::binding::{InstanceOptions, Kept, instantiate_alone};
use crate::simulate::CoSimulate;
use crate::{Fmu, FmuError, Input, Interface, Options, Result, Saved, Solver, Table};

/// Rows are sent at least this often, so that the other side knows that the FMU lives.
const LIFE_SIGN: Duration = Duration::from_millis(100);
const ROWS_BYTES: usize = 1 << 16;

/// Where the rows are that have not been sent yet: a file beside the socket, which stays when this
/// process dies in the next step. Its mark is the number of bundles that were sent before.
pub(super) fn unsent(socket: &Path) -> std::path::PathBuf {
    socket.with_file_name("rows")
}

/// Serves one FMU over a socket until the other side hangs up.
pub fn serve(socket: &Path) -> Result<()> {
    let stream = UnixStream::connect(socket).map_err(FmuError::file("connect to", socket))?;
    let mut reader = BufReader::new(stream.try_clone().map_err(FmuError::file("use", socket))?);
    let watched = stream.try_clone().map_err(FmuError::file("use", socket))?;
    std::thread::spawn(move || outlive_nobody(&watched));
    let mut worker = Worker {
        socket: socket.to_owned(),
        stream,
        fmu: None,
        instance: None,
        values: Vec::new(),
        reply: Message::default(),
    };
    let mut bytes = Vec::new();
    while receive(&mut reader, &mut bytes).is_ok() {
        let mut words = Words::new(&bytes);
        let code = words.byte()?;
        let ask = Ask::of(code).ok_or_else(|| FmuError::Reported(format!("no request {code}")))?;
        let answer = worker.answer(ask, &mut words);
        if let Err(error) = answer {
            worker.reply.start(reply::ERROR).text(&error.to_string());
        }
        if worker.reply.send(&mut worker.stream).is_err() {
            break;
        }
    }
    Ok(())
}

/// Ends this process some time after the other side is gone. It may have been killed while the FMU
/// is in a step that does not end: then nobody else would do it. Not by a signal at the parent's
/// death, which the system sends at the end of the *thread* that has started this process.
fn outlive_nobody(stream: &UnixStream) {
    loop {
        // A hang-up is told without being asked for.
        let mut seen = [PollFd::new(stream, PollFlags::empty())];
        let polled = poll(&mut seen, None);
        let [seen] = seen;
        match polled {
            Ok(_) if seen.revents().contains(PollFlags::HUP) => break,
            // The FMU has closed what is not its own.
            Ok(_) if seen.revents().contains(PollFlags::NVAL) => return,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
    std::thread::sleep(TIME_TO_END);
    // With what the FMU has started, where the group is this process's own.
    if getpgrp() == getpid() {
        let _ = kill_process_group(getpid(), Signal::KILL);
    }
    std::process::abort()
}

struct Worker {
    socket: std::path::PathBuf,
    stream: UnixStream,
    // Before the FMU: its folder goes away last.
    instance: Option<Box<dyn CoSimulate>>,
    fmu: Option<Fmu>,
    values: Vec<f64>,
    reply: Message,
}

impl Worker {
    /// Does what is asked. The reply is what the other side gets where that does not fail.
    fn answer(&mut self, ask: Ask, words: &mut Words<'_>) -> Result<()> {
        self.reply.start(reply::DONE);
        match ask {
            Ask::Instantiate => self.instantiate(words),
            Ask::Simulate => self.simulate(words),
            _ => self.ask_instance(ask, words),
        }
    }

    fn instantiate(&mut self, words: &mut Words<'_>) -> Result<()> {
        let folder = words.text()?;
        let name = words.text()?;
        let wish = InstanceOptions {
            interface: interface(words.flag()?),
            event_mode: words.flag()?,
            logging: words.flag()?,
        };
        let fmu = Fmu::unpacked(Path::new(&folder))?;
        let instance = instantiate_alone(&fmu, &name, wish)?;
        self.reply.flag(instance.uses_event_mode());
        self.instance = Some(instance);
        self.fmu = Some(fmu);
        Ok(())
    }

    fn ask_instance(&mut self, ask: Ask, words: &mut Words<'_>) -> Result<()> {
        let none = || FmuError::Reported("there is no instance yet".into());
        let instance = self.instance.as_mut().ok_or_else(none)?;
        let (values, reply) = (&mut self.values, &mut self.reply);
        match ask {
            Ask::EnterConfiguration => instance.enter_configuration()?,
            Ask::ExitConfiguration => instance.exit_configuration()?,
            Ask::EnterInitialization => {
                instance.enter_initialization(words.maybe()?, words.number()?, words.maybe()?)?;
            }
            Ask::ExitInitialization => instance.exit_initialization()?,
            Ask::Get => {
                let (kind, references) = (words.kind()?, words.references()?);
                values.resize(words.count()?, 0.0);
                instance.get(kind, &references, values)?;
                reply.numbers(values);
            }
            Ask::Set => {
                let (kind, references) = (words.kind()?, words.references()?);
                instance.set(kind, &references, &words.numbers()?)?;
            }
            Ask::SetText => {
                let reference = words.references()?;
                instance.set_text(reference.first().copied().unwrap_or(0), &words.text()?)?;
            }
            Ask::Step => {
                let stepped = instance.step(words.number()?, words.number()?)?;
                reply.number(stepped.reached);
                reply.flag(stepped.event).flag(stepped.terminate);
            }
            Ask::EnterStepMode => instance.enter_step_mode()?,
            Ask::SetTime => instance.set_time(words.number()?)?,
            Ask::States => {
                values.resize(words.count()?, 0.0);
                instance.states(values)?;
                reply.numbers(values);
            }
            Ask::Derivatives => {
                values.resize(words.count()?, 0.0);
                instance.derivatives(values)?;
                reply.numbers(values);
            }
            Ask::Indicators => {
                values.resize(words.count()?, 0.0);
                instance.indicators(values)?;
                reply.numbers(values);
            }
            Ask::SetStates => instance.set_states(&words.numbers()?)?,
            Ask::Completed => {
                let completed = instance.completed_step()?;
                reply.flag(completed.event).flag(completed.terminate);
            }
            Ask::EnterEventMode => instance.enter_event_mode()?,
            Ask::Update => {
                let events = instance.update_discrete_states()?;
                reply.flag(events.again).flag(events.terminate);
                reply.flag(events.states_changed).maybe(events.next_time);
            }
            Ask::EnterContinuousTime => instance.enter_continuous_time()?,
            Ask::Save => {
                let over = words.flag()?.then_some(Saved(words.count()?));
                reply.count(instance.save(over)?.0);
            }
            Ask::Restore => instance.restore(Saved(words.count()?))?,
            Ask::Directional => {
                let (unknowns, knowns) = (words.references()?, words.references()?);
                let seed = words.numbers()?;
                values.resize(words.count()?, 0.0);
                instance.directional(&unknowns, &knowns, &seed, values)?;
                reply.numbers(values);
            }
            Ask::Terminate => instance.terminate()?,
            Ask::Messages => {
                let messages = instance.messages();
                reply.count(messages.len());
                for message in messages {
                    reply.text(&message);
                }
            }
            // They make an instance, or have it to themselves.
            Ask::Instantiate | Ask::Simulate => {}
        }
        Ok(())
    }

    /// A whole simulation at once: no message per step.
    fn simulate(&mut self, words: &mut Words<'_>) -> Result<()> {
        let options = options(words)?;
        let table = table(words)?;
        let none = || FmuError::Reported("there is no instance yet".into());
        let instance = self.instance.as_mut().ok_or_else(none)?;
        let fmu = self.fmu.as_mut().ok_or_else(none)?;
        fmu.description.configure(&options.starts)?;
        let mut input = match table {
            Some(table) => Input::new(&fmu.description, table)?,
            None => Input::default(),
        };
        let (mut message, mut last) = (Message::default(), Instant::now());
        message.start(reply::ROWS);
        let row_bytes = 8 * (1 + crate::columns(&fmu.description, &options)?.len());
        let mut unsent = Kept::create(&unsent(&self.socket), ROWS_BYTES + 2 * row_bytes)?;
        let mut bundles = 0;
        let stream = &mut self.stream;
        let end = crate::simulate(
            instance.as_mut(),
            &fmu.description,
            &options,
            &mut input,
            &mut |time, row| {
                let before = message.len();
                message.number(time);
                for value in row {
                    message.number(*value);
                }
                unsent.add(message.since(before));
                if message.len() > ROWS_BYTES || last.elapsed() > LIFE_SIGN {
                    message.send(stream).map_err(|error| {
                        FmuError::Reported(format!("nobody takes the rows: {error}"))
                    })?;
                    message.start(reply::ROWS);
                    bundles += 1;
                    unsent.begin(bundles);
                    last = Instant::now();
                }
                Ok(())
            },
        );
        message
            .send(stream)
            .map_err(|error| FmuError::Reported(format!("nobody takes the rows: {error}")))?;
        let end = end?;
        self.reply
            .count(usize::try_from(end.steps).unwrap_or(usize::MAX))
            .number(end.time)
            .flag(end.terminated)
            .count(usize::try_from(end.events).unwrap_or(usize::MAX))
            .count(usize::try_from(end.evaluations).unwrap_or(usize::MAX))
            .count(usize::try_from(end.warnings).unwrap_or(usize::MAX));
        Ok(())
    }
}

fn interface(model_exchange: bool) -> Interface {
    if model_exchange {
        Interface::ModelExchange
    } else {
        Interface::CoSimulation
    }
}

/// Writes what [`options`] and [`table`] read.
pub(super) fn put_job(message: &mut Message, options: &Options, table: Option<&Table>) {
    message
        .flag(options.interface == Interface::ModelExchange)
        .number(options.start)
        .number(options.stop)
        .number(options.step)
        .text(options.solver.name())
        .maybe(options.tolerance)
        .flag(options.event_mode)
        .flag(options.shorten)
        .count(options.starts.len());
    for (name, value) in &options.starts {
        message.text(name).text(value);
    }
    message.flag(options.outputs.is_some());
    let outputs = options.outputs.as_deref().unwrap_or_default();
    message.count(outputs.len());
    for name in outputs {
        message.text(name);
    }
    message.flag(table.is_some());
    if let Some(table) = table {
        message.count(table.names.len());
        for name in &table.names {
            message.text(name);
        }
        message.numbers(&table.times);
        for row in &table.rows {
            message.numbers(row);
        }
    }
}

fn options(words: &mut Words<'_>) -> Result<Options> {
    let mut options = Options {
        interface: interface(words.flag()?),
        start: words.number()?,
        stop: words.number()?,
        step: words.number()?,
        solver: Solver::named(&words.text()?)?,
        tolerance: words.maybe()?,
        event_mode: words.flag()?,
        shorten: words.flag()?,
        // They are signs of life too.
        rows: true,
        starts: Vec::new(),
        outputs: None,
    };
    for _ in 0..words.count()? {
        options.starts.push((words.text()?, words.text()?));
    }
    let chosen = words.flag()?;
    let mut names = Vec::new();
    for _ in 0..words.count()? {
        names.push(words.text()?);
    }
    options.outputs = chosen.then_some(names);
    Ok(options)
}

fn table(words: &mut Words<'_>) -> Result<Option<Table>> {
    if !words.flag()? {
        return Ok(None);
    }
    let mut table = Table::default();
    for _ in 0..words.count()? {
        table.names.push(words.text()?);
    }
    table.times = words.numbers()?;
    for _ in 0..table.times.len() {
        table.rows.push(words.numbers()?);
    }
    Ok(Some(table))
}
