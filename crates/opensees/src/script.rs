//! What the readers of both languages share: places, calls, answers, remarks and bounds.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::error::ScriptError;
use super::files::FileError;

/// Where a command stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Which of the files, in the order in which they were opened.
    pub file: usize,
    /// Line, counted from 1.
    pub line: usize,
}

/// One argument of a command of OpenSees.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A number.
    Number(f64),
    /// Anything else, and every word of Tcl.
    Text(String),
}

/// One command of OpenSees with its arguments worked out.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Name of the command.
    pub name: String,
    /// Its arguments; lists of Python are flattened.
    pub arguments: Vec<Argument>,
    /// Where it stands.
    pub place: Place,
}

/// What a command of OpenSees gives back to the script.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Nothing of use.
    Nothing,
    /// A whole number.
    Whole(i64),
    /// A number of the model.
    Number(f64),
    /// Numbers of nodes or elements.
    Tags(Vec<i64>),
    /// Several numbers of the model.
    Numbers(Vec<f64>),
}

/// Takes the commands of OpenSees as a script gives them.
pub trait Receiver {
    /// Whose commands come from now on: the script's own (0), or those of one of its model objects.
    fn select(&mut self, model: usize);

    /// Does one command. An error says in a sentence why it was not understood; the script goes on.
    fn receive(&mut self, call: &Call) -> Result<Answer, ScriptError>;

    /// Keeps a remark on something that is not a command of OpenSees.
    fn remark(&mut self, weight: Weight, place: Place, command: &str, reason: &str);

    /// The script ended before its end.
    fn stopped(&mut self, place: Place, reason: &str);
}

/// How much a remark matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// Something of the model is missing.
    Missing,
    /// Taken over, but not to the letter.
    Assumed,
    /// Output and settings that have no place in a plan.
    Ignored,
}

/// One remark.
#[derive(Clone, Debug, PartialEq)]
pub struct Remark {
    /// How much it matters.
    pub weight: Weight,
    /// Where.
    pub place: Place,
    /// The command it is about, shortened.
    pub command: String,
    /// What is the matter.
    pub reason: String,
    /// How often it came up at that place.
    pub times: usize,
}

/// Remarks in the order in which they came up; the same one at the same place is counted, not
/// repeated.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    list: Vec<Remark>,
    known: HashMap<(Weight, Place, String), usize>,
    /// Remarks that were dropped because there were too many.
    pub dropped: usize,
}

/// More remarks than a person would read.
const MOST_REMARKS: usize = 2000;
/// Length to which a reason is cut.
const LONG: usize = 2000;
/// Length to which a command is shortened in a remark.
const SHORT: usize = 60;

impl Remarks {
    /// Adds a remark.
    pub fn add(&mut self, weight: Weight, place: Place, command: &str, reason: &str) {
        // A reason may quote what the script made up.
        let end = reason
            .char_indices()
            .nth(LONG)
            .map_or(reason.len(), |at| at.0);
        let reason = &reason[..end];
        let key = (weight, place, reason.to_owned());
        if let Some(index) = self.known.get(&key) {
            self.list[*index].times += 1;
        } else if self.list.len() < MOST_REMARKS {
            self.known.insert(key, self.list.len());
            self.list.push(Remark {
                weight,
                place,
                command: shorten(command),
                reason: reason.to_owned(),
                times: 1,
            });
        } else {
            self.dropped += 1;
        }
    }

    /// The remarks of one weight.
    pub fn of(&self, weight: Weight) -> impl Iterator<Item = &Remark> {
        self.list
            .iter()
            .filter(move |remark| remark.weight == weight)
    }
}

/// The first words of a command, on one line.
pub fn shorten(command: &str) -> String {
    let clean: String = command
        .chars()
        .take(4 * SHORT)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let words = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= SHORT {
        return words;
    }
    let mut short: String = words.chars().take(SHORT - 1).collect();
    short.push('…');
    short
}

/// Why a script stops short.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// This command fails; the next one may go on.
    Trouble(ScriptError),
    /// The whole script ends here: a bound is reached.
    Bound(String),
    /// The script says so itself.
    Exit,
}

impl Stop {
    /// What is said has no value.
    pub fn failed(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Trouble(ScriptError::Value(text.into()))
    }

    /// This command fails.
    pub fn fault_message<T>(text: impl Into<Cow<'static, str>>) -> Result<T, Self> {
        Err(Self::failed(text))
    }
}

impl From<FileError> for Stop {
    fn from(error: FileError) -> Self {
        Self::Trouble(ScriptError::File(error.to_string()))
    }
}

impl From<ScriptError> for Stop {
    fn from(error: ScriptError) -> Self {
        Self::Trouble(error)
    }
}

/// Commands that a script may run in all.
const MOST_COMMANDS: usize = 1_000_000;
/// How deep blocks, procedures and expressions may stand within each other.
const MOST_DEPTH: usize = 60;
/// Largest text or list that a script may make.
pub const LARGEST: usize = 1 << 22;

/// Longest time that a script may take, in either language.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Most that the variables of a script may hold at a time, and most that it may tell the reader.
const MOST_HELD: usize = 64 << 20;

/// What a script may use up.
#[derive(Clone, Debug)]
pub struct Budget {
    commands: usize,
    depth: usize,
    held: usize,
    told: usize,
    until: Instant,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            commands: 0,
            depth: 0,
            held: 0,
            told: 0,
            until: Instant::now() + PATIENCE,
        }
    }
}

impl Budget {
    /// Counts one command. What one costs is bounded, but a million of them may take hours.
    pub fn command(&mut self) -> Result<(), Stop> {
        if Instant::now() > self.until {
            let seconds = PATIENCE.as_secs();
            return Err(Stop::Bound(format!(
                "the script takes more than {seconds} s: a loop without end?"
            )));
        }
        self.commands += 1;
        if self.commands > MOST_COMMANDS {
            return Err(Stop::Bound(format!(
                "the script runs more than {MOST_COMMANDS} commands: a loop without end?"
            )));
        }
        Ok(())
    }

    /// Counts so many letters that are held in the place of others.
    pub fn hold(&mut self, new: usize, old: usize) -> Result<(), Stop> {
        self.held = (self.held + new).saturating_sub(old);
        Self::beyond(self.held, "the variables of the script hold")
    }

    /// Counts what a command tells the reader, who keeps some of it.
    pub fn tell(&mut self, letters: usize) -> Result<(), Stop> {
        self.told += letters;
        Self::beyond(self.told, "the commands of the script say")
    }

    fn beyond(letters: usize, what: &str) -> Result<(), Stop> {
        if letters > MOST_HELD {
            let most = MOST_HELD >> 20;
            return Err(Stop::Bound(format!("{what} more than {most} MB")));
        }
        Ok(())
    }

    /// Goes one level down; every call is paired with [`Budget::leave`].
    pub fn enter(&mut self) -> Result<(), Stop> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            self.depth -= 1;
            return Err(Stop::Bound(format!(
                "blocks, procedures and expressions stand more than {MOST_DEPTH} deep within each \
                other"
            )));
        }
        Ok(())
    }

    /// Comes up again.
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

/// Refuses a text or list that grows without bound.
pub fn bounded(length: usize) -> Result<(), Stop> {
    if length > LARGEST {
        return Err(Stop::Bound(
            "a text or list of the script grows beyond all bounds".to_owned(),
        ));
    }
    Ok(())
}
