//! A small evaluator of Tcl: enough for model scripts, bounded in everything. It opens scripts
//! within the model's folder and nothing else.

mod arrays;
mod commands;
mod control;
mod expr;
mod format;
mod functions;
mod glob;
mod lists;
pub mod number;
mod operators;
mod parse;

use std::collections::HashMap;
use std::rc::Rc;

use super::files::Files;
use super::script::{Answer, Argument, Budget, Call, Place, Receiver, Stop, Weight, bounded};
use parse::{Command, Parser, Part, Text, Word};

/// What a script did at its end.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Flow {
    /// It ran to its end.
    On,
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`
    Return,
}

/// A procedure.
struct Procedure {
    arguments: Vec<(String, Option<String>)>,
    body: String,
    place: Place,
}

/// A word after substitution, and where its content begins.
#[derive(Clone, Debug)]
pub(super) struct Value {
    text: String,
    place: Place,
}

/// The evaluator.
pub struct Tcl<'a> {
    receiver: &'a mut dyn Receiver,
    files: &'a mut Files,
    /// Variables of the script, and of each procedure that runs.
    frames: Vec<HashMap<String, String>>,
    /// Names that stand for variables of another frame (`global`, `upvar`), frame by frame: which
    /// one, and its name there.
    links: Vec<HashMap<String, (usize, String)>>,
    procedures: HashMap<String, Rc<Procedure>>,
    budget: Budget,
    result: String,
    /// The command that runs.
    here: Place,
}

impl<'a> Tcl<'a> {
    /// Runs a script and everything it sources.
    pub fn run(text: &str, file: usize, files: &'a mut Files, receiver: &'a mut dyn Receiver) {
        let place = Place { file, line: 1 };
        let mut tcl = Self {
            receiver,
            files,
            frames: vec![HashMap::new()],
            links: vec![HashMap::new()],
            procedures: HashMap::new(),
            budget: Budget::default(),
            result: String::new(),
            here: place,
        };
        if let Err(Stop::Bound(reason)) = tcl.script(text, place, false) {
            let place = tcl.here;
            tcl.receiver.stopped(place, &reason);
        }
    }

    /// Runs a script. Within brackets and conditions it is `strict`: what fails there fails the
    /// command around it; elsewhere a command that fails is remarked on and the next one goes on.
    pub(super) fn script(&mut self, text: &str, at: Place, strict: bool) -> Result<Flow, Stop> {
        self.budget.enter()?;
        let flow = self.script_inside(text, at, strict);
        self.budget.leave();
        flow
    }

    fn script_inside(&mut self, text: &str, at: Place, strict: bool) -> Result<Flow, Stop> {
        let mut parser = Parser::new(text);
        self.result.clear();
        loop {
            let command = match parser.command() {
                Ok(Some(command)) => command,
                Ok(None) => return Ok(Flow::On),
                Err((_, reason)) if strict => return Err(reason.into()),
                Err((line, reason)) => {
                    let place = Place {
                        line: at.line + line,
                        ..at
                    };
                    self.receiver.remark(
                        Weight::Missing,
                        place,
                        "the rest of this part",
                        &reason.to_string(),
                    );
                    return Ok(Flow::On);
                }
            };
            let place = Place {
                line: at.line + command.line,
                ..at
            };
            self.here = place;
            self.budget.command()?;
            match self.command(&command, at) {
                Ok(Flow::On) => {}
                Ok(flow) => return Ok(flow),
                Err(Stop::Trouble(reason)) if !strict => {
                    self.receiver.remark(
                        Weight::Missing,
                        place,
                        &command.source,
                        &reason.to_string(),
                    );
                    // What the command would have set is not known from here on.
                    if let [word, name, _] = command.words.as_slice()
                        && word.literal() == Some("set")
                        && let Some(name) = name.literal()
                    {
                        let name = name.to_owned();
                        self.unset(&name);
                    }
                    self.result.clear();
                }
                Err(stop) => return Err(stop),
            }
        }
    }

    fn command(&mut self, command: &Command, at: Place) -> Result<Flow, Stop> {
        let mut values = Vec::with_capacity(command.words.len());
        for word in &command.words {
            self.word(word, at, &mut values)?;
        }
        let place = Place {
            line: at.line + command.line,
            ..at
        };
        let Some(name) = values.first().map(|value| value.text.clone()) else {
            return Ok(Flow::On);
        };
        let arguments = &values[1..];
        let plain = name.trim_start_matches("::");
        if let Some(procedure) = self.procedures.get(plain).cloned() {
            return self.procedure(&procedure, arguments, place);
        }
        if let Some(flow) = self.control(plain, arguments, place)? {
            return Ok(flow);
        }
        if let Some(result) = self.builtin(plain, arguments, place)? {
            bounded(result.len())?;
            self.result = result;
            return Ok(Flow::On);
        }
        self.model_command(plain, arguments, place)
    }

    /// A command of OpenSees; `section Fiber` and `pattern Plain` may carry a block of further
    /// ones.
    fn model_command(
        &mut self,
        name: &str,
        arguments: &[Value],
        place: Place,
    ) -> Result<Flow, Stop> {
        let block = match (name, arguments) {
            ("section" | "pattern", [.., block]) if block.text.contains(char::is_whitespace) => {
                let quoted = block.text.trim_start();
                let series = ["Series", "Path", "Sine", "Trig", "Constant", "Linear"]
                    .iter()
                    .any(|word| quoted.starts_with(word));
                (!series).then_some(block)
            }
            ("section" | "pattern", [_, _, .., block]) if block.text.is_empty() => Some(block),
            _ => None,
        };
        let count = arguments.len() - usize::from(block.is_some());
        let call = Call {
            name: name.to_owned(),
            arguments: arguments[..count]
                .iter()
                .map(|value| Argument::Text(argument(&value.text)))
                .collect(),
            place,
        };
        self.budget
            .tell(arguments.iter().map(|value| value.text.len()).sum())?;
        self.result = match self.receiver.receive(&call)? {
            Answer::Nothing => String::new(),
            Answer::Whole(value) => value.to_string(),
            // With its point: a whole number would be divided as one.
            Answer::Number(value) => format!("{value:?}"),
            Answer::Tags(values) => joined(values.iter().map(ToString::to_string)),
            Answer::Numbers(values) => joined(values.iter().map(|value| format!("{value:?}"))),
        };
        match block {
            Some(block) => self.script(&block.text.clone(), block.place, false),
            None => Ok(Flow::On),
        }
    }

    /// The values of a word: one, or several after `{*}`.
    fn word(&mut self, word: &Word, at: Place, values: &mut Vec<Value>) -> Result<(), Stop> {
        let place = Place {
            line: at.line + word.line,
            ..at
        };
        let text = match &word.text {
            Text::Braced(text) => text.clone(),
            Text::Parts(parts) => self.parts(parts, at)?,
        };
        if !word.expand {
            values.push(Value { text, place });
            return Ok(());
        }
        for text in parse::split_list(&text)? {
            values.push(Value { text, place });
        }
        Ok(())
    }

    fn parts(&mut self, parts: &[Part], at: Place) -> Result<String, Stop> {
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Literal(literal) => text.push_str(literal),
                Part::Variable(name, None) => text.push_str(self.get(name)?),
                Part::Variable(name, Some(index)) => {
                    let index = self.parts(index, at)?;
                    text.push_str(self.get(&format!("{name}({index})"))?);
                }
                Part::Script(script, line) => {
                    let place = Place {
                        line: at.line + line,
                        ..at
                    };
                    text.push_str(&self.bracket(script, place)?);
                }
            }
            bounded(text.len())?;
        }
        Ok(text)
    }

    /// The result of a script in brackets.
    fn bracket(&mut self, script: &str, place: Place) -> Result<String, Stop> {
        self.script(script, place, true)?;
        Ok(std::mem::take(&mut self.result))
    }

    /// The frame in which a variable is, and its name there.
    fn scope(&self, name: &str) -> (usize, String) {
        let last = self.frames.len() - 1;
        if let Some(global) = name.strip_prefix("::") {
            return (0, global.to_owned());
        }
        let base = name.find('(').map_or(name, |at| &name[..at]);
        match self.links[last].get(base) {
            Some((frame, own)) => (*frame, format!("{own}{}", &name[base.len()..])),
            None => (last, name.to_owned()),
        }
    }

    /// Makes a name of the procedure that runs stand for a variable of another frame.
    pub(super) fn link(&mut self, name: &str, target: (usize, String)) {
        let last = self.frames.len() - 1;
        if target.0 != last {
            self.links[last].insert(name.to_owned(), target);
        }
    }

    /// The frame that a level such as `1` or `#0` means.
    pub(super) fn level(&self, level: &str) -> Result<usize, Stop> {
        let last = self.frames.len() - 1;
        let frame = match level.strip_prefix('#') {
            Some(absolute) => absolute.parse().ok().filter(|frame| *frame <= last),
            None => level
                .parse()
                .ok()
                .and_then(|up: usize| last.checked_sub(up)),
        };
        frame.ok_or_else(|| Stop::failed(format!("there is no level `{level}`")))
    }

    pub(super) fn get(&self, name: &str) -> Result<&str, Stop> {
        let (frame, own) = self.scope(name);
        self.frames[frame]
            .get(&own)
            .map(String::as_str)
            .ok_or_else(|| {
                Stop::failed(format!(
                    "the variable `{name}` has no value (it may come from a command that was not \
                    understood)"
                ))
            })
    }

    pub(super) fn set(&mut self, name: &str, value: String) -> Result<(), Stop> {
        bounded(value.len())?;
        let (frame, own) = self.scope(name);
        let (name, new) = (own.len(), value.len());
        match self.frames[frame].insert(own, value) {
            Some(old) => self.budget.hold(new, old.len()),
            None => self.budget.hold(name + new, 0),
        }
    }

    pub(super) fn expression(&mut self, text: &str, place: Place) -> Result<number::Number, Stop> {
        struct Within<'b, 'a>(&'b mut Tcl<'a>, Place);
        impl expr::Lookup for Within<'_, '_> {
            fn variable(&mut self, name: &str, index: Option<&str>) -> Result<String, Stop> {
                let Some(index) = index else {
                    return self.0.get(name).map(str::to_owned);
                };
                let index = self.0.parts(&parse::index_parts(index)?, self.1)?;
                self.0.get(&format!("{name}({index})")).map(str::to_owned)
            }
            fn quoted(&mut self, text: &str) -> Result<String, Stop> {
                self.0.parts(&parse::text_parts(text)?, self.1)
            }
            fn script(&mut self, script: &str) -> Result<String, Stop> {
                self.0.bracket(script, self.1)
            }
            fn enter(&mut self) -> Result<(), Stop> {
                self.0.budget.enter()
            }
            fn leave(&mut self) {
                self.0.budget.leave();
            }
        }
        expr::evaluate(text, &mut Within(self, place))
    }
}

fn joined(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(" ")
}

/// An argument as OpenSees gets it: a line that goes on within braces is a blank, and 010 is eight.
fn argument(text: &str) -> String {
    let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let digits = text.trim_start_matches('-');
    let octal = digits.len() > 1
        && digits.starts_with('0')
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    match number::Number::of(&text) {
        number::Number::Whole(whole) if octal => whole.to_string(),
        _ => text,
    }
}
