//! Scripts of Python are run by Python: the user's own, with a recorder in the place of OpenSeesPy.
//!
//! The script runs in a copy of its folder, in a process group of its own, for a bounded time.
//! Every command of OpenSees comes back as a line of JSON, with file and line; the reader answers
//! what it knows.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver as Lines, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::ScriptError;
use super::files::{Files, MOST_FILES, read_text};
use super::{
    ImportError,
    script::{Answer, Argument, Call, PATIENCE, Place, Receiver, Weight},
};

/// What stands in for OpenSeesPy; it is sent on the command line.
const RECORDER: &str = include_str!("recorder.py");
/// Most commands of a script, and most steps of an analysis between two of them.
const MOST_CALLS: usize = 100_000;
/// Most lines that a script may send, with those of analyses and remarks.
const MOST_LINES: usize = 10 * MOST_CALLS;
/// Longest line: a ground motion may stand in it.
const LONGEST_LINE: u64 = 32 << 20;
/// Most that a script may send.
const MOST_BYTES: usize = 512 << 20;

/// Why a script of Python is not run.
#[derive(Debug, thiserror::Error)]
pub enum PythonError {
    /// Nobody has said that it may be.
    #[error(
        "{} is a program: it is imported by running it, in a copy of its folder; read it, then \
         say --run", .0.display()
    )]
    Consent(PathBuf),
    /// No program of this name.
    #[error(
        "there is no Python at `{}`: install Python 3.8 or later with what the script imports, or \
         name the program by --run=PYTHON", .0.display()
    )]
    NotFound(PathBuf),
    /// A program that does not do as Python does.
    #[error("`{}` is not Python 3.8 or later; name another by --run=PYTHON", .0.display())]
    NotPython(PathBuf),
    /// What the system says.
    #[error("`{}` cannot be run: {source}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

/// One line of the recorder: a command, or what else there is to tell.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Message {
    /// The recorder runs, in this version of Python.
    python: Option<String>,
    /// A command of OpenSees.
    call: Option<String>,
    /// Whose it is.
    model: usize,
    arguments: Vec<Word>,
    /// Whether the script waits for what it gives back.
    asked: bool,
    /// Why it cannot be one: an argument is nothing that OpenSees would take.
    refused: Option<String>,
    /// `assumed` or `ignored`, with what and why.
    remark: Option<String>,
    command: String,
    reason: String,
    /// The script ends before its end.
    stopped: Option<String>,
    /// The script is done.
    end: bool,
    file: String,
    line: usize,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Word {
    Number(f64),
    Text(String),
}

/// Runs a script in a copy of its folder, and hands on its commands.
///
/// # Errors
/// There is no copy, or no Python.
pub fn run(
    program: &Path,
    name: &str,
    files: &mut Files,
    receiver: &mut dyn Receiver,
) -> Result<(), ImportError> {
    let folder = files.copy()?;
    let mut child = start(program, &folder, name).map_err(|source| match source.kind() {
        ErrorKind::NotFound => PythonError::NotFound(program.into()),
        _ => PythonError::Start {
            program: program.into(),
            source,
        },
    })?;
    let lines = child.0.stdout.take().map(listen);
    let answers = child.0.stdin.take();
    let mut recording = Recording::new(name, files, receiver);
    let end = match (lines, answers) {
        (Some(lines), Some(answers)) => follow(&lines, answers, &mut recording),
        _ => End::Closed,
    };
    let last = recording.last;
    if !recording.begun {
        return Err(PythonError::NotPython(program.into()).into());
    }
    let left_out = files.left_out();
    if left_out > 0 {
        let place = Place { file: 0, line: 1 };
        let reason = format!(
            "{left_out} files of the folder, large, many or deep, are not in the copy that it ran \
            in"
        );
        receiver.remark(Weight::Assumed, place, name, &reason);
    }
    match end {
        End::Done => {}
        End::Stopped(place, reason) => receiver.stopped(place, &reason),
        End::Late => {
            let seconds = PATIENCE.as_secs();
            let reason = format!("the script ran for more than {seconds} s and was ended");
            receiver.stopped(last, &reason);
        }
        End::Flood => {
            receiver.stopped(last, "the script gives more commands than any model has");
        }
        End::Closed => receiver.stopped(last, &closed(child.status())),
    }
    Ok(())
}

fn start(program: &Path, folder: &Path, name: &str) -> std::io::Result<Group> {
    let around = folder.parent().unwrap_or(folder);
    Command::new(program)
        .args(["-c", RECORDER])
        .arg(folder)
        .arg(name)
        .arg(MOST_CALLS.to_string())
        // Beside the copy, so that no file of the script is taken for a module of Python's own.
        .current_dir(around)
        .env("TMPDIR", around)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONHASHSEED", "0")
        .env("OPENBLAS_NUM_THREADS", "1")
        .env("OMP_NUM_THREADS", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map(Group)
}

/// A process group that does not outlive the import.
struct Group(Child);

impl Group {
    /// How it ended, where it does so by itself.
    fn status(&mut self) -> Option<ExitStatus> {
        for _ in 0..200 {
            if let Ok(Some(status)) = self.0.try_wait() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        None
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Why the channel came to its end before the script did.
fn closed(status: Option<ExitStatus>) -> String {
    const TOO_LONG: i32 = Signal::XCPU.as_raw();
    match status.and_then(|status| status.signal()) {
        None => "the script ended its process, or closed what it was followed by".to_owned(),
        Some(TOO_LONG) => format!("the script computes for more than {} s", PATIENCE.as_secs()),
        Some(number) => format!("Python was ended by signal {number}"),
    }
}

/// Reads lines in a thread of its own, so that waiting for one can end.
fn listen(out: ChildStdout) -> Lines<Vec<u8>> {
    let (tell, lines) = sync_channel(256);
    std::thread::spawn(move || {
        let mut out = BufReader::new(out);
        loop {
            let mut line = Vec::new();
            let read = (&mut out).take(LONGEST_LINE).read_until(b'\n', &mut line);
            if !matches!(read, Ok(1..)) || line.pop() != Some(b'\n') || tell.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// How following a script ended.
enum End {
    Done,
    Stopped(Place, String),
    Late,
    Flood,
    Closed,
}

fn follow(lines: &Lines<Vec<u8>>, mut answers: ChildStdin, recording: &mut Recording) -> End {
    // What the reader computes is not the script's time.
    let mut left = PATIENCE;
    loop {
        let since = Instant::now();
        let line = lines.recv_timeout(left);
        left = left.saturating_sub(since.elapsed());
        let step = match line {
            Ok(line) => recording.take(&line),
            Err(RecvTimeoutError::Timeout) => return End::Late,
            Err(RecvTimeoutError::Disconnected) => return End::Closed,
        };
        match step {
            Step::On => {}
            Step::End(end) => return end,
            Step::Answer(answer) => {
                if writeln!(answers, "{answer}").is_err() {
                    return End::Closed;
                }
            }
        }
    }
}

/// What comes after a line of the recorder.
enum Step {
    On,
    Answer(Value),
    End(End),
}

/// Lines of the recorder into commands.
struct Recording<'a> {
    files: &'a mut Files,
    receiver: &'a mut dyn Receiver,
    known: HashMap<String, usize>,
    texts: HashMap<usize, Vec<String>>,
    begun: bool,
    last: Place,
    lines: usize,
    bytes: usize,
}

impl<'a> Recording<'a> {
    fn new(name: &str, files: &'a mut Files, receiver: &'a mut dyn Receiver) -> Self {
        Self {
            files,
            receiver,
            known: HashMap::from([(name.to_owned(), 0)]),
            texts: HashMap::new(),
            begun: false,
            last: Place { file: 0, line: 1 },
            lines: 0,
            bytes: 0,
        }
    }

    fn take(&mut self, line: &[u8]) -> Step {
        self.lines += 1;
        self.bytes += line.len();
        if self.lines > MOST_LINES || self.bytes > MOST_BYTES {
            return Step::End(End::Flood);
        }
        // Only who meddles with the channel writes anything else.
        let Ok(message) = serde_json::from_slice::<Message>(line) else {
            return Step::End(End::Closed);
        };
        let place = self.place(&message.file, message.line);
        self.begun |= message.python.is_some();
        if let Some(reason) = message.stopped {
            return Step::End(End::Stopped(place, reason));
        }
        if message.end {
            return Step::End(End::Done);
        }
        if let Some(weight) = message.remark {
            let weight = match weight.as_str() {
                "assumed" => Weight::Assumed,
                _ => Weight::Ignored,
            };
            self.receiver
                .remark(weight, place, &message.command, &message.reason);
        } else if let Some(name) = message.call {
            let asked = message.asked;
            self.receiver.select(message.model);
            let answer = match message.refused {
                Some(reason) => Err(ScriptError::Value(reason.into())),
                None => self.receiver.receive(&Call {
                    name,
                    arguments: message.arguments.into_iter().map(Argument::from).collect(),
                    place,
                }),
            };
            let answer = answer.unwrap_or_else(|reason| {
                let source = self.source(place);
                self.receiver
                    .remark(Weight::Missing, place, &source, &reason.to_string());
                Answer::Nothing
            });
            if asked {
                return Step::Answer(match answer {
                    Answer::Nothing => Value::Null,
                    Answer::Whole(whole) => json!(whole),
                    Answer::Number(number) => json!(number),
                    Answer::Tags(tags) => json!(tags),
                    Answer::Numbers(numbers) => json!(numbers),
                });
            }
        }
        Step::On
    }

    /// A place outside of the script's folder is that of the last command.
    fn place(&mut self, file: &str, line: usize) -> Place {
        if line == 0 {
            return self.last;
        }
        let file = match self.known.get(file) {
            Some(known) => *known,
            None if self.known.len() < MOST_FILES => {
                let number = self.files.given(file);
                self.known.insert(file.to_owned(), number);
                number
            }
            None => 0,
        };
        self.last = Place { file, line };
        self.last
    }

    /// The line of the script.
    fn source(&mut self, place: Place) -> String {
        let lines = self.texts.entry(place.file).or_insert_with(|| {
            let text = self.files.find(self.files.name(place.file)).ok();
            let text = text
                .and_then(|path| read_text(&path).ok())
                .unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        });
        let line = place.line.checked_sub(1).and_then(|at| lines.get(at));
        line.map_or_else(String::new, |line| line.trim().to_owned())
    }
}

impl From<Word> for Argument {
    fn from(word: Word) -> Self {
        match word {
            Word::Number(number) => Self::Number(number),
            Word::Text(text) => Self::Text(text),
        }
    }
}
