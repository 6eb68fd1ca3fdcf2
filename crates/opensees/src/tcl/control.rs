//! Commands of Tcl that steer: conditions, loops, procedures, other files.

use std::collections::HashMap;
use std::rc::Rc;

use super::glob;
use super::parse::{split_lines, split_list};
use super::{Flow, Procedure, Tcl, Value};
use crate::script::{Place, Stop, Weight};

/// What an item of a list takes beside its letters.
const ITEM: usize = 32;

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
            ("return", [] | [_]) => {
                self.result = arguments
                    .first()
                    .map_or_else(String::new, |value| value.text.clone());
                Flow::Return
            }
            ("return", _) => return Stop::fault_message("`return` with options is not read"),
            ("exit" | "quit", _) => return Err(Stop::Exit),
            ("eval", _) => self.script(&joined(arguments), place, true)?,
            ("uplevel", [level, rest @ ..])
                if !rest.is_empty()
                    && level
                        .text
                        .starts_with(|c: char| c == '#' || c.is_ascii_digit()) =>
            {
                self.at_level(&level.text, rest, place)?
            }
            ("uplevel", [_, ..]) => self.at_level("1", arguments, place)?,
            ("time", [script] | [script, _]) => self.script(&script.text, script.place, false)?,
            ("namespace", [action, ..]) if action.text == "eval" => {
                return Stop::fault_message("`namespace eval` is not read");
            }
            ("dict", [action, names, dictionary, body]) if action.text == "for" => {
                let names = split_list(&names.text)?;
                if names.len() != 2 {
                    return Stop::fault_message(
                        "`dict for` has a name for the key and one for the value",
                    );
                }
                let items = super::arrays::pairs(&dictionary.text)?
                    .into_iter()
                    .flat_map(|(key, value)| [key, value])
                    .collect();
                self.each(&[(names, items)], body)?
            }
            ("catch", [script, rest @ ..]) => {
                self.catch(script, rest.first(), place)?;
                Flow::On
            }
            ("proc", [name, formal, body]) => {
                self.define(name, formal, body)?;
                Flow::On
            }
            ("source", [.., file]) => self.source(&file.text)?,
            ("global", names) => {
                for name in names {
                    let own = name.text.trim_start_matches("::").to_owned();
                    self.link(&own.clone(), (0, own));
                }
                Flow::On
            }
            ("variable", [name, value @ ..]) if value.len() < 2 => {
                let own = name.text.trim_start_matches("::").to_owned();
                self.link(&own, (0, own.clone()));
                if let Some(value) = value.first() {
                    self.set(&own, value.text.clone())?;
                }
                Flow::On
            }
            ("upvar", [_, _, ..]) => {
                self.link_up(arguments)?;
                Flow::On
            }
            _ => return Ok(None),
        };
        Ok(Some(flow))
    }

    /// Runs a script whose failure is the result, not the end.
    fn catch(
        &mut self,
        script: &Value,
        variable: Option<&Value>,
        place: Place,
    ) -> Result<(), Stop> {
        let outcome = self.script(&script.text, script.place, true);
        let failed = match outcome {
            Ok(_) => false,
            Err(Stop::Trouble(reason)) => {
                self.receiver
                    .remark(Weight::Missing, place, &script.text, &reason.to_string());
                true
            }
            Err(stop) => return Err(stop),
        };
        if let Some(variable) = variable {
            let result = self.result.clone();
            self.set(&variable.text, result)?;
        }
        self.result = if failed { "1" } else { "0" }.to_owned();
        Ok(())
    }

    /// `upvar ?level? theirs own …`: names of another level under names of this one.
    fn link_up(&mut self, arguments: &[Value]) -> Result<(), Stop> {
        let (level, pairs) = match arguments.len() % 2 {
            0 => ("1", arguments),
            _ => (arguments[0].text.as_str(), &arguments[1..]),
        };
        let frame = self.level(level)?;
        for pair in pairs.chunks_exact(2) {
            let target = self.in_frame(frame, |tcl| Ok(tcl.scope(&pair[0].text)))?;
            self.link(&pair[1].text, target);
        }
        Ok(())
    }

    fn condition(&mut self, arguments: &[Value], place: Place) -> Result<Flow, Stop> {
        let mut rest = arguments;
        loop {
            let [condition, after @ ..] = rest else {
                return Stop::fault_message("`if` has no condition");
            };
            let after = match after {
                [word, tail @ ..] if word.text == "then" => tail,
                all => all,
            };
            let [body, tail @ ..] = after else {
                return Stop::fault_message("`if` has no body");
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
                _ => return Stop::fault_message("`if` goes on in a way that is not read"),
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
        for pair in pairs.chunks_exact(2) {
            let (names, items) = (split_list(&pair[0].text)?, split_list(&pair[1].text)?);
            if names.is_empty() {
                return Stop::fault_message("`foreach` has no variable");
            }
            lists.push((names, items));
        }
        self.each(&lists, body)
    }

    /// Runs a body for every round of names and items.
    fn each(&mut self, lists: &[(Vec<String>, Vec<String>)], body: &Value) -> Result<Flow, Stop> {
        let rounds = lists
            .iter()
            .map(|(names, items)| items.len().div_ceil(names.len()))
            .max()
            .unwrap_or(0);
        // The items stay until the last round.
        let items = lists.iter().flat_map(|(_, items)| items);
        let held = items.map(|item| item.len() + ITEM).sum();
        self.budget.hold(held, 0)?;
        let flow = self.rounds(rounds, lists, body);
        self.budget.hold(0, held)?;
        flow
    }

    fn rounds(
        &mut self,
        rounds: usize,
        lists: &[(Vec<String>, Vec<String>)],
        body: &Value,
    ) -> Result<Flow, Stop> {
        for round in 0..rounds {
            self.budget.command()?;
            for (names, items) in lists {
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

    /// `switch ?-exact|-glob? ?--? value {pattern body …}`; a body `-` is that of the next pattern.
    fn switch(&mut self, arguments: &[Value]) -> Result<Flow, Stop> {
        let mut rest = arguments;
        let mut by_glob = false;
        // With two words left there is no room for an option: the first is the value, whatever it
        // begins with.
        while let [option, after @ ..] = rest
            && rest.len() > 2
            && option.text.starts_with('-')
        {
            rest = after;
            match option.text.as_str() {
                "--" => break,
                "-exact" => by_glob = false,
                "-glob" => by_glob = true,
                other => return Stop::fault_message(format!("`switch {other}` is not read")),
            }
        }
        let [subject, cases @ ..] = rest else {
            return Stop::fault_message("`switch` has no value");
        };
        let cases: Vec<Value> = match cases {
            [all] => split_lines(&all.text)?
                .into_iter()
                .map(|(text, line)| Value {
                    text,
                    place: Place {
                        line: all.place.line + line,
                        ..all.place
                    },
                })
                .collect(),
            several => several.to_vec(),
        };
        if cases.is_empty() || !cases.len().is_multiple_of(2) {
            return Stop::fault_message("`switch` has a pattern without a body");
        }
        if by_glob {
            for case in cases.chunks_exact(2) {
                glob::short(&case[0].text)?;
            }
        }
        let last = cases.len() / 2 - 1;
        let hit = cases.chunks_exact(2).enumerate().position(|(at, case)| {
            let pattern = case[0].text.as_str();
            let fits = if by_glob {
                glob::fits(pattern, &subject.text)
            } else {
                pattern == subject.text
            };
            fits || (pattern == "default" && at == last)
        });
        self.result.clear();
        let Some(hit) = hit else {
            return Ok(Flow::On);
        };
        let body = cases[2 * hit..]
            .chunks_exact(2)
            .map(|case| &case[1])
            .find(|body| body.text != "-");
        match body {
            Some(body) => self.script(&body.text, body.place, false),
            None => Stop::fault_message("the last pattern of `switch` has no body"),
        }
    }

    /// Runs a script of the procedure that runs among the variables of another level.
    fn at_level(&mut self, level: &str, words: &[Value], place: Place) -> Result<Flow, Stop> {
        let frame = self.level(level)?;
        let text = joined(words);
        self.in_frame(frame, |tcl| tcl.script(&text, place, true))
    }

    /// Does something with the frames above one put aside.
    fn in_frame<T>(
        &mut self,
        frame: usize,
        act: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let frames = self.frames.split_off(frame + 1);
        let links = self.links.split_off(frame + 1);
        let outcome = act(self);
        self.frames.extend(frames);
        self.links.extend(links);
        outcome
    }

    fn define(&mut self, name: &Value, formal: &Value, body: &Value) -> Result<(), Stop> {
        let mut arguments = Vec::new();
        for item in split_list(&formal.text)? {
            let parts = split_list(&item)?;
            match parts.as_slice() {
                [name] => arguments.push((name.clone(), None)),
                [name, default] => arguments.push((name.clone(), Some(default.clone()))),
                _ => return Stop::fault_message("an argument of the procedure is not read"),
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
        let mut frame = HashMap::new();
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
                        return Stop::fault_message(format!("the argument `{name}` is missing"));
                    }
                }
            };
            frame.insert(name.clone(), value);
        }
        if given.next().is_some() {
            return Stop::fault_message("there are too many arguments");
        }
        let size = |frame: &HashMap<String, String>| -> usize {
            frame
                .iter()
                .map(|(name, value)| name.len() + value.len())
                .sum()
        };
        self.budget.hold(size(&frame), 0)?;
        self.frames.push(frame);
        self.links.push(HashMap::new());
        let outcome = self.script(&procedure.body, procedure.place, false);
        let frame = self.frames.pop();
        self.links.pop();
        self.budget.hold(0, frame.as_ref().map_or(0, size))?;
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

fn joined(words: &[Value]) -> String {
    let text: Vec<&str> = words.iter().map(|value| value.text.as_str()).collect();
    text.join(" ")
}
