//! A small evaluator of Tcl: enough for model scripts, bounded in everything. It opens scripts within the model's
//! folder and nothing else.

mod commands;
mod control;
mod expr;
mod format;
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
    /// Names that are global within the procedures that run.
    globals: Vec<Vec<String>>,
    procedures: HashMap<String, Rc<Procedure>>,
    budget: Budget,
    result: String,
}

impl<'a> Tcl<'a> {
    /// Runs a script and everything it sources.
    pub fn run(text: &str, file: usize, files: &'a mut Files, receiver: &'a mut dyn Receiver) {
        let mut tcl = Self {
            receiver,
            files,
            frames: vec![HashMap::new()],
            globals: vec![Vec::new()],
            procedures: HashMap::new(),
            budget: Budget::default(),
            result: String::new(),
        };
        let place = Place { file, line: 1 };
        if let Err(Stop::Bound(reason)) = tcl.script(text, place, false) {
            tcl.receiver
                .remark(Weight::Missing, place, "the rest of the script", &reason);
        }
    }

    /// Runs a script. Within brackets and conditions it is `strict`: what fails there fails the command around it; elsewhere
    /// a command that fails is remarked on and the next one goes on.
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
                Err((_, reason)) if strict => return Stop::trouble(reason),
                Err((line, reason)) => {
                    let place = Place {
                        line: at.line + line,
                        ..at
                    };
                    self.receiver
                        .remark(Weight::Missing, place, "the rest of this part", &reason);
                    return Ok(Flow::On);
                }
            };
            self.budget.command()?;
            let place = Place {
                line: at.line + command.line,
                ..at
            };
            match self.command(&command, at) {
                Ok(Flow::On) => {}
                Ok(flow) => return Ok(flow),
                Err(Stop::Trouble(reason)) if !strict => {
                    self.receiver
                        .remark(Weight::Missing, place, &command.source, &reason);
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

    /// A command of OpenSees; `section Fiber` and `pattern Plain` may carry a block of further ones.
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
                .map(|value| Argument::Text(value.text.clone()))
                .collect(),
            place,
        };
        self.result = match self.receiver.receive(&call)? {
            Answer::Nothing => String::new(),
            Answer::Number(value) => number_text(value),
            Answer::Numbers(values) => values
                .into_iter()
                .map(number_text)
                .collect::<Vec<_>>()
                .join(" "),
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

    fn scope(&self, name: &str) -> usize {
        let base = name.split('(').next().unwrap_or(name);
        let last = self.frames.len() - 1;
        let global = base.starts_with("::") || self.globals[last].iter().any(|own| own == base);
        if global { 0 } else { last }
    }

    pub(super) fn get(&self, name: &str) -> Result<&str, Stop> {
        self.frames[self.scope(name)]
            .get(name.trim_start_matches("::"))
            .map(String::as_str)
            .ok_or_else(|| {
                Stop::Trouble(format!(
                    "the variable `{name}` has no value (it may come from a command that was not understood)"
                ))
            })
    }

    pub(super) fn set(&mut self, name: &str, value: String) -> Result<(), Stop> {
        bounded(value.len())?;
        let scope = self.scope(name);
        self.frames[scope].insert(name.trim_start_matches("::").to_owned(), value);
        Ok(())
    }

    pub(super) fn expression(&mut self, text: &str, place: Place) -> Result<number::Number, Stop> {
        struct Within<'b, 'a>(&'b mut Tcl<'a>, Place);
        impl expr::Lookup for Within<'_, '_> {
            fn variable(&mut self, name: &str) -> Result<String, Stop> {
                if let Some((base, index)) = name.split_once('(')
                    && index.contains('$')
                {
                    let inner = index.trim_end_matches(')').trim_start_matches('$');
                    let index = self.0.get(inner)?.to_owned();
                    return self.0.get(&format!("{base}({index})")).map(str::to_owned);
                }
                self.0.get(name).map(str::to_owned)
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

/// A number as a script gets it; whole ones without a point, so that they can be tags.
fn number_text(value: f64) -> String {
    if value.fract().abs() <= 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else {
        format!("{value:?}")
    }
}
