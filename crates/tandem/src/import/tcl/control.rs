//! Commands of Tcl that steer: conditions, loops, procedures, other files.

use std::rc::Rc;

use super::parse::split_list;
use super::{Flow, Procedure, Tcl, Value};
use crate::import::script::{Place, Stop, Weight};

impl Tcl<'_> {
    /// Does a command that steers; none if it is not one.
    pub(super) fn control(
        &mut self,
        name: &str,
        arguments: &[Value],
        place: Place,
    ) -> Result<Option<Flow>, Stop> {
        let flow = match (name, arguments) {
            ("if", _) => self.condition(arguments, place)?,
            ("while", [condition, body]) => self.repeat(condition, None, body)?,
            ("for", [start, condition, next, body]) => {
                self.script(&start.text, start.place, true)?;
                self.repeat(condition, Some(next), body)?
            }
            ("foreach", [pairs @ .., body]) if !pairs.is_empty() && pairs.len() % 2 == 0 => {
                self.foreach(pairs, body)?
            }
            ("switch", _) => self.switch(arguments)?,
            ("break", []) => Flow::Break,
            ("continue", []) => Flow::Continue,
            ("return", _) => {
                self.result = arguments
                    .last()
                    .map_or_else(String::new, |value| value.text.clone());
                Flow::Return
            }
            ("exit" | "quit", _) => return Err(Stop::Exit),
            ("eval" | "uplevel", _) => {
                let text: Vec<&str> = arguments.iter().map(|value| value.text.as_str()).collect();
                let text = text.join(" ");
                self.script(&text, place, true)?
            }
            ("catch", [script, rest @ ..]) => {
                let outcome = self.script(&script.text, script.place, true);
                let failed = match outcome {
                    Ok(_) => false,
                    Err(Stop::Trouble(reason)) => {
                        self.receiver
                            .remark(Weight::Missing, place, &script.text, &reason);
                        true
                    }
                    Err(stop) => return Err(stop),
                };
                if let Some(variable) = rest.first() {
                    let result = self.result.clone();
                    self.set(&variable.text, result)?;
                }
                self.result = if failed { "1" } else { "0" }.to_owned();
                Flow::On
            }
            ("proc", [name, formal, body]) => {
                self.define(name, formal, body)?;
                Flow::On
            }
            ("source", [.., file]) => self.source(&file.text)?,
            ("global" | "variable", _) => {
                let names = arguments.iter().map(|value| value.text.clone());
                if let Some(own) = self.globals.last_mut() {
                    own.extend(names);
                }
                Flow::On
            }
            _ => return Ok(None),
        };
        Ok(Some(flow))
    }

    fn condition(&mut self, arguments: &[Value], place: Place) -> Result<Flow, Stop> {
        let mut rest = arguments;
        loop {
            let [condition, after @ ..] = rest else {
                return Stop::trouble("`if` has no condition");
            };
            let after = match after {
                [word, tail @ ..] if word.text == "then" => tail,
                all => all,
            };
            let [body, tail @ ..] = after else {
                return Stop::trouble("`if` has no body");
            };
            if self.expression(&condition.text, place)?.truth()? {
                return self.script(&body.text, body.place, false);
            }
            match tail {
                [] => {
                    self.result.clear();
                    return Ok(Flow::On);
                }
                [word, tail @ ..] if word.text == "elseif" => rest = tail,
                [word, body] if word.text == "else" => {
                    return self.script(&body.text, body.place, false);
                }
                [body] => return self.script(&body.text, body.place, false),
                _ => return Stop::trouble("`if` goes on in a way that is not read"),
            }
        }
    }

    fn repeat(
        &mut self,
        condition: &Value,
        next: Option<&Value>,
        body: &Value,
    ) -> Result<Flow, Stop> {
        loop {
            self.budget.command()?;
            if !self.expression(&condition.text, condition.place)?.truth()? {
                break;
            }
            match self.script(&body.text, body.place, false)? {
                Flow::Break => break,
                Flow::Return => return Ok(Flow::Return),
                Flow::On | Flow::Continue => {}
            }
            if let Some(next) = next {
                self.script(&next.text, next.place, true)?;
            }
        }
        self.result.clear();
        Ok(Flow::On)
    }

    fn foreach(&mut self, pairs: &[Value], body: &Value) -> Result<Flow, Stop> {
        let mut lists = Vec::new();
        let mut rounds = 0;
        for pair in pairs.chunks_exact(2) {
            let (names, items) = (split_list(&pair[0].text)?, split_list(&pair[1].text)?);
            if names.is_empty() {
                return Stop::trouble("`foreach` has no variable");
            }
            rounds = rounds.max(items.len().div_ceil(names.len()));
            lists.push((names, items));
        }
        for round in 0..rounds {
            self.budget.command()?;
            for (names, items) in &lists {
                for (k, name) in names.iter().enumerate() {
                    let item = items.get(round * names.len() + k).cloned();
                    self.set(name, item.unwrap_or_default())?;
                }
            }
            match self.script(&body.text, body.place, false)? {
                Flow::Break => break,
                Flow::Return => return Ok(Flow::Return),
                Flow::On | Flow::Continue => {}
            }
        }
        self.result.clear();
        Ok(Flow::On)
    }

    fn switch(&mut self, arguments: &[Value]) -> Result<Flow, Stop> {
        let skip = arguments
            .iter()
            .take_while(|value| value.text.starts_with('-') && value.text.len() > 2)
            .count();
        let [subject, cases @ ..] = &arguments[skip..] else {
            return Stop::trouble("`switch` has no value");
        };
        let cases: Vec<Value> = match cases {
            [all] => split_list(&all.text)?
                .into_iter()
                .map(|text| Value {
                    text,
                    place: all.place,
                })
                .collect(),
            several => several.to_vec(),
        };
        let hit = cases
            .chunks_exact(2)
            .position(|case| case[0].text == subject.text || case[0].text == "default");
        let Some(hit) = hit else {
            return Ok(Flow::On);
        };
        let body = cases[2 * hit..]
            .chunks_exact(2)
            .map(|case| &case[1])
            .find(|body| body.text != "-");
        match body {
            Some(body) => self.script(&body.text, body.place, false),
            None => Ok(Flow::On),
        }
    }

    fn define(&mut self, name: &Value, formal: &Value, body: &Value) -> Result<(), Stop> {
        let mut arguments = Vec::new();
        for item in split_list(&formal.text)? {
            let parts = split_list(&item)?;
            match parts.as_slice() {
                [name] => arguments.push((name.clone(), None)),
                [name, default] => arguments.push((name.clone(), Some(default.clone()))),
                _ => return Stop::trouble("an argument of the procedure is not read"),
            }
        }
        let procedure = Procedure {
            arguments,
            body: body.text.clone(),
            place: body.place,
        };
        self.procedures.insert(
            name.text.trim_start_matches("::").to_owned(),
            Rc::new(procedure),
        );
        self.result.clear();
        Ok(())
    }

    pub(super) fn procedure(
        &mut self,
        procedure: &Procedure,
        arguments: &[Value],
        _place: Place,
    ) -> Result<Flow, Stop> {
        let mut frame = std::collections::HashMap::new();
        let mut given = arguments.iter();
        for (index, (name, default)) in procedure.arguments.iter().enumerate() {
            let value = if name == "args" && index + 1 == procedure.arguments.len() {
                let rest: Vec<String> = given
                    .by_ref()
                    .map(|value| super::parse::list_item(&value.text))
                    .collect();
                rest.join(" ")
            } else {
                match (given.next(), default) {
                    (Some(value), _) => value.text.clone(),
                    (None, Some(default)) => default.clone(),
                    (None, None) => {
                        return Stop::trouble(format!("the argument `{name}` is missing"));
                    }
                }
            };
            frame.insert(name.clone(), value);
        }
        if given.next().is_some() {
            return Stop::trouble("there are too many arguments");
        }
        self.frames.push(frame);
        self.globals.push(Vec::new());
        let outcome = self.script(&procedure.body, procedure.place, false);
        self.frames.pop();
        self.globals.pop();
        outcome.map(|_| Flow::On)
    }

    fn source(&mut self, name: &str) -> Result<Flow, Stop> {
        let (file, text) = self.files.read(name)?;
        match self.script(&text, Place { file, line: 1 }, false)? {
            Flow::Return => Ok(Flow::On),
            flow => Ok(flow),
        }
    }
}
