//! A small evaluator of Python: the straight-line subset of which model scripts are made. No Python
//! is run.

mod builtin;
mod expression;
mod lex;
mod numpy;
mod operators;
mod parse;
mod tree;
mod value;

use std::collections::HashMap;
use std::rc::Rc;

use super::files::{Files, read_text};
use super::script::{Answer, Budget, Call, Place, Receiver, Stop, Weight};
use builtin::Keywords;
use tree::{Act, Expression, Parameter, Passing, Round, Statement, Target};
use value::{Body, Frame, Function, Value};

/// What a block did at its end.
enum Flow {
    On,
    Break,
    Continue,
    Return(Value),
}

/// How deep expressions may stand within each other, over all functions that run.
const MOST_NESTED: usize = 400;

/// Modules without effect on a model. Of others it cannot be known: they may hold a part of it.
const HARMLESS: &[&str] = &[
    "argparse",
    "collections",
    "copy",
    "csv",
    "datetime",
    "functools",
    "itertools",
    "json",
    "logging",
    "math",
    "matplotlib",
    "numpy",
    "openseespy",
    "opensees",
    "openseespymac",
    "openseespywin",
    "opp",
    "opsv",
    "opsvis",
    "os",
    "pandas",
    "pathlib",
    "pickle",
    "pprint",
    "random",
    "re",
    "scipy",
    "shutil",
    "subprocess",
    "sys",
    "tabulate",
    "time",
    "tqdm",
    "typing",
    "vfo",
    "warnings",
    "__future__",
];

/// The evaluator.
pub struct Python<'a> {
    receiver: &'a mut dyn Receiver,
    files: &'a Files,
    file: usize,
    line: usize,
    /// Variables of the script, and of each function and comprehension that runs.
    frames: Vec<Rc<Frame>>,
    /// Modules of which everything was imported.
    starred: Vec<String>,
    budget: Budget,
    nested: usize,
}

impl<'a> Python<'a> {
    /// Runs a script.
    pub fn run(text: &str, file: usize, files: &'a Files, receiver: &'a mut dyn Receiver) {
        let statements = parse::parse(text);
        let mut python = Self {
            receiver,
            files,
            file,
            line: 1,
            frames: vec![Rc::default()],
            starred: Vec::new(),
            budget: Budget::default(),
            nested: 0,
        };
        python.set("__name__".to_owned(), Value::Text("__main__".to_owned()));
        if let Err(Stop::Bound(reason)) = python.block(&statements) {
            let place = python.place();
            python.receiver.stopped(place, &reason);
        }
    }

    fn place(&self) -> Place {
        Place {
            file: self.file,
            line: self.line,
        }
    }

    fn block(&mut self, statements: &[Statement]) -> Result<Flow, Stop> {
        self.budget.enter()?;
        let flow = self.block_inside(statements);
        self.budget.leave();
        flow
    }

    fn block_inside(&mut self, statements: &[Statement]) -> Result<Flow, Stop> {
        for statement in statements {
            self.budget.command()?;
            self.line = statement.line;
            match self.statement(statement) {
                Ok(Flow::On) => {}
                Ok(flow) => return Ok(flow),
                Err(Stop::Trouble(reason)) => {
                    self.line = statement.line;
                    let place = self.place();
                    self.receiver.remark(
                        Weight::Missing,
                        place,
                        &statement.source,
                        &reason.to_string(),
                    );
                    // What the line would have set is not known from here on.
                    if let Act::Assign(targets, _) = &statement.act {
                        targets.iter().for_each(|target| self.forget(target));
                    }
                }
                Err(stop) => return Err(stop),
            }
        }
        Ok(Flow::On)
    }

    fn statement(&mut self, statement: &Statement) -> Result<Flow, Stop> {
        match &statement.act {
            Act::Pass => {}
            Act::Unread(reason) => return Err(reason.clone().into()),
            Act::Import(modules) => {
                for (module, name) in modules {
                    let top = if name == module {
                        module.split('.').next().unwrap_or(module)
                    } else {
                        name
                    };
                    self.set(top.to_owned(), Value::Module(known_module(module)));
                }
                for (module, _) in modules {
                    harmless(module)?;
                }
            }
            Act::From(module, names) => {
                self.import_from(module, names);
                harmless(module)?;
            }
            Act::Expression(expression) => {
                self.evaluate(expression)?;
            }
            Act::Assign(targets, value) => {
                let value = self.evaluate(value)?;
                for target in targets {
                    self.assign(target, value.clone())?;
                }
            }
            Act::Change(target, operator, value) => self.change(target, operator, value)?,
            Act::If(branches) => {
                for (condition, body) in branches {
                    let holds = match condition {
                        Some(condition) => self.evaluate(condition)?.truth()?,
                        None => true,
                    };
                    if holds {
                        return self.block(body);
                    }
                }
            }
            Act::For(target, list, body) => {
                for item in self.evaluate(list)?.items()? {
                    self.budget.command()?;
                    self.assign(target, item)?;
                    match self.block(body)? {
                        Flow::Break => break,
                        Flow::Return(value) => return Ok(Flow::Return(value)),
                        Flow::On | Flow::Continue => {}
                    }
                }
            }
            Act::While(condition, body) => {
                while self.evaluate(condition)?.truth()? {
                    self.budget.command()?;
                    match self.block(body)? {
                        Flow::Break => break,
                        Flow::Return(value) => return Ok(Flow::Return(value)),
                        Flow::On | Flow::Continue => {}
                    }
                }
            }
            Act::Define(name, parameters, body) => {
                let function = self.define(parameters, Body::Block(body.clone()))?;
                self.set(name.clone(), function);
            }
            Act::Try(parts) => {
                for part in parts {
                    match self.block(part)? {
                        Flow::On => {}
                        flow => return Ok(flow),
                    }
                }
            }
            Act::Return(value) => {
                return Ok(Flow::Return(match value {
                    Some(value) => self.evaluate(value)?,
                    None => Value::Nothing,
                }));
            }
            Act::Break => return Ok(Flow::Break),
            Act::Continue => return Ok(Flow::Continue),
            Act::Elsewhere(names, global) => {
                let mut elsewhere = self.current().elsewhere.borrow_mut();
                elsewhere.extend(names.iter().map(|name| (name.clone(), *global)));
            }
        }
        Ok(Flow::On)
    }

    fn change(&mut self, target: &Target, operator: &str, value: &Expression) -> Result<(), Stop> {
        let old = match target {
            Target::Name(name) => self.get(name)?,
            Target::Item(list, index) => {
                let (list, index) = (self.evaluate(list)?, self.evaluate(index)?);
                operators::item(&list, &index)?
            }
            Target::Several(_) => return Stop::fault_message("this cannot be changed"),
        };
        let by = self.evaluate(value)?;
        let new = operators::change(operator, &old, &by)?;
        self.assign(target, new)
    }

    fn import_from(&mut self, module: &str, names: &[(String, String)]) {
        let known = known_module(module);
        if names.is_empty() {
            self.starred.push(known);
            return;
        }
        for (name, own) in names {
            let value = match known_module(name).as_str() {
                "opensees" => Value::Module("opensees".to_owned()),
                _ => member(&known, name),
            };
            self.set(own.clone(), value);
        }
    }

    fn forget(&mut self, target: &Target) {
        match target {
            Target::Name(name) => {
                if let Some(frame) = self.frame_of(name) {
                    frame.names.borrow_mut().remove(name);
                }
            }
            Target::Several(targets) => targets.iter().for_each(|target| self.forget(target)),
            Target::Item(..) => {}
        }
    }

    fn current(&self) -> &Rc<Frame> {
        // The frame of the script is never taken off.
        &self.frames[self.frames.len() - 1]
    }

    /// The frame that an assignment to a name goes to.
    fn frame_of(&self, name: &str) -> Option<Rc<Frame>> {
        let current = self.current();
        match current.elsewhere.borrow().get(name) {
            None => Some(current.clone()),
            Some(true) => self.frames.first().cloned(),
            Some(false) => {
                let mut around = current.around.clone();
                while let Some(frame) = around.take() {
                    if frame.names.borrow().contains_key(name) {
                        return Some(frame);
                    }
                    around.clone_from(&frame.around);
                }
                None
            }
        }
    }

    /// The frame that what is defined here sees; none for that of the script, which all see.
    fn around(&self) -> Option<Rc<Frame>> {
        (self.frames.len() > 1).then(|| self.current().clone())
    }

    fn define(&mut self, parameters: &Rc<Vec<Parameter>>, body: Body) -> Result<Value, Stop> {
        let mut defaults = Vec::with_capacity(parameters.len());
        for parameter in parameters.iter() {
            defaults.push(match &parameter.default {
                Some(default) => Some(self.evaluate(default)?),
                None => None,
            });
        }
        Ok(Value::Function(Rc::new(Function {
            parameters: parameters.clone(),
            defaults,
            body,
            around: self.around(),
        })))
    }

    fn assign(&mut self, target: &Target, value: Value) -> Result<(), Stop> {
        match target {
            Target::Name(name) => self.set(name.clone(), value),
            Target::Item(list, index) => {
                let (list, index) = (self.evaluate(list)?, self.evaluate(index)?);
                operators::set_item(&list, &index, value)?;
            }
            Target::Several(targets) => {
                let items = value.items()?;
                if items.len() != targets.len() {
                    return Stop::fault_message(format!(
                        "{} values for {} names",
                        items.len(),
                        targets.len()
                    ));
                }
                for (target, item) in targets.iter().zip(items) {
                    self.assign(target, item)?;
                }
            }
        }
        Ok(())
    }

    fn set(&mut self, name: String, value: Value) {
        if let Some(frame) = self.frame_of(&name) {
            frame.names.borrow_mut().insert(name, value);
        }
    }

    fn known(&self, name: &str) -> Option<Value> {
        let current = self.current();
        let global = current.elsewhere.borrow().get(name) == Some(&true);
        let mut next = (!global).then(|| current.clone());
        while let Some(frame) = next.take() {
            if let Some(value) = frame.names.borrow().get(name) {
                return Some(value.clone());
            }
            next.clone_from(&frame.around);
        }
        if let Some(value) = self.frames.first()?.names.borrow().get(name) {
            return Some(value.clone());
        }
        builtin::known(name).then(|| Value::Builtin(name.to_owned()))
    }

    fn get(&self, name: &str) -> Result<Value, Stop> {
        if let Some(value) = self.known(name) {
            return Ok(value);
        }
        for module in self.starred.iter().rev().filter(|own| *own != "opensees") {
            if matches!(module.as_str(), "math" | "numpy") {
                return Ok(member(module, name));
            }
        }
        Stop::fault_message(format!(
            "`{name}` has no value (it may come from a line that was not understood)"
        ))
    }

    /// What a name that is called stands for: with `from openseespy.opensees import *` a command.
    fn called(&mut self, called: &Expression) -> Result<Value, Stop> {
        match called {
            Expression::Name(name)
                if self.known(name).is_none()
                    && self.starred.iter().any(|own| own == "opensees")
                    && !self.starred.iter().any(|own| mathematical(own, name)) =>
            {
                Ok(Value::Command(name.clone()))
            }
            _ => self.evaluate(called),
        }
    }

    fn evaluate(&mut self, expression: &Expression) -> Result<Value, Stop> {
        self.nested += 1;
        let value = if self.nested > MOST_NESTED {
            Err(Stop::Bound(format!(
                "expressions stand more than {MOST_NESTED} deep within each other"
            )))
        } else {
            self.value(expression)
        };
        self.nested -= 1;
        value
    }

    fn value(&mut self, expression: &Expression) -> Result<Value, Stop> {
        Ok(match expression {
            Expression::Whole(whole) => Value::Whole(*whole),
            Expression::Real(real) => Value::Real(*real),
            Expression::Text(text) => Value::Text(text.clone()),
            Expression::Truth(truth) => Value::Truth(*truth),
            Expression::Nothing => Value::Nothing,
            Expression::Name(name) => self.get(name)?,
            Expression::Joined(parts) => {
                let mut text = String::new();
                for part in parts {
                    text.push_str(&self.evaluate(part)?.text()?);
                    super::script::bounded(text.len())?;
                }
                Value::Text(text)
            }
            Expression::Attribute(object, name) => {
                let object = self.evaluate(object)?;
                attribute(object, name)?
            }
            Expression::Tuple(items) => Value::tuple(self.all(items)?)?,
            Expression::List(items) => Value::list(self.all(items)?)?,
            Expression::Table(pairs) => {
                let table = Value::table();
                for (key, value) in pairs {
                    let key = self.evaluate(key)?;
                    operators::set_item(&table, &key, self.evaluate(value)?)?;
                }
                table
            }
            Expression::Made(value, rounds) => {
                let mut made = Vec::new();
                self.comprehend(rounds, &mut |python| {
                    made.push(python.evaluate(value)?);
                    super::script::bounded(made.len())
                })?;
                Value::list(made)?
            }
            Expression::MadeTable(pair, rounds) => {
                let table = Value::table();
                self.comprehend(rounds, &mut |python| {
                    let key = python.evaluate(&pair.0)?;
                    operators::set_item(&table, &key, python.evaluate(&pair.1)?)
                })?;
                table
            }
            Expression::Lambda(parameters, value) => {
                self.define(parameters, Body::Value(value.clone()))?
            }
            Expression::Compare(first, chain) => Value::Truth(self.compare(first, chain)?),
            Expression::Item(list, index) => {
                let (list, index) = (self.evaluate(list)?, self.evaluate(index)?);
                operators::item(&list, &index)?
            }
            Expression::Slice(list, parts) => {
                let list = self.evaluate(list)?;
                let mut bounds = [None; 3];
                for (bound, part) in bounds.iter_mut().zip(parts) {
                    if let Some(part) = part {
                        *bound = Some(self.evaluate(part)?.whole()?);
                    }
                }
                operators::slice(&list, bounds)?
            }
            Expression::Unary(sign, inner) => operators::unary(sign, &self.evaluate(inner)?)?,
            Expression::Binary("and", left, right) => {
                let left = self.evaluate(left)?;
                if left.truth()? {
                    self.evaluate(right)?
                } else {
                    left
                }
            }
            Expression::Binary("or", left, right) => {
                let left = self.evaluate(left)?;
                if left.truth()? {
                    left
                } else {
                    self.evaluate(right)?
                }
            }
            Expression::Binary(sign, left, right) => {
                let (left, right) = (self.evaluate(left)?, self.evaluate(right)?);
                operators::combine(sign, &left, &right)?
            }
            Expression::Either(parts) => {
                let [condition, value, other] = parts.as_ref();
                if self.evaluate(condition)?.truth()? {
                    self.evaluate(value)?
                } else {
                    self.evaluate(other)?
                }
            }
            Expression::Call(called, arguments, named) => self.call(called, arguments, named)?,
        })
    }

    /// A chain of comparisons, as far as one that does not hold.
    fn compare(
        &mut self,
        first: &Expression,
        chain: &[(&'static str, Expression)],
    ) -> Result<bool, Stop> {
        let mut left = self.evaluate(first)?;
        for (sign, right) in chain {
            let right = self.evaluate(right)?;
            if !operators::compare(sign, &left, &right)? {
                return Ok(false);
            }
            left = right;
        }
        Ok(true)
    }

    fn all(&mut self, items: &[Expression]) -> Result<Vec<Value>, Stop> {
        items.iter().map(|item| self.evaluate(item)).collect()
    }

    /// Goes through the rounds of a comprehension, in a frame of its own as in Python: its names
    /// stay within.
    fn comprehend(
        &mut self,
        rounds: &[Round],
        act: &mut dyn FnMut(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let Some(first) = rounds.first() else {
            return Ok(());
        };
        // The first list belongs to the frame around.
        let items = self.evaluate(&first.list)?.items()?;
        let frame = Frame {
            around: self.around(),
            ..Frame::default()
        };
        self.frames.push(Rc::new(frame));
        let outcome = self.round(items, first, &rounds[1..], act);
        self.frames.pop();
        outcome
    }

    fn round(
        &mut self,
        items: Vec<Value>,
        round: &Round,
        deeper: &[Round],
        act: &mut dyn FnMut(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        'items: for item in items {
            self.budget.command()?;
            self.assign(&round.target, item)?;
            for condition in &round.conditions {
                if !self.evaluate(condition)?.truth()? {
                    continue 'items;
                }
            }
            match deeper {
                [] => act(self)?,
                [next, rest @ ..] => {
                    let items = self.evaluate(&next.list)?.items()?;
                    self.round(items, next, rest, act)?;
                }
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        called: &Expression,
        arguments: &[(bool, Expression)],
        named: &[(Option<String>, Expression)],
    ) -> Result<Value, Stop> {
        let called = self.called(called)?;
        if matches!(&called, Value::Builtin(name) if name == "sys.exit") {
            return Err(Stop::Exit);
        }
        // What is only shown is not worked out: it may hold formats that are not read.
        if let Value::Builtin(name) = &called
            && builtin::shows(name)
        {
            let place = self.place();
            let reason = "output and settings of the interpreter are left out";
            self.receiver.remark(Weight::Ignored, place, name, reason);
            return Ok(Value::Nothing);
        }
        let mut values = Vec::with_capacity(arguments.len());
        for (star, argument) in arguments {
            let value = self.evaluate(argument)?;
            if *star {
                values.extend(value.items()?);
            } else {
                values.push(value);
            }
        }
        let mut keywords = Vec::with_capacity(named.len());
        for (name, value) in named {
            let value = self.evaluate(value)?;
            match name {
                Some(name) => keywords.push((name.clone(), value)),
                None if matches!(value, Value::Table(_)) => {
                    for key in value.items()? {
                        keywords.push((key.text()?, operators::item(&value, &key)?));
                    }
                }
                None => return Stop::fault_message("`**` takes a dictionary"),
            }
        }
        self.apply(&called, values, keywords)
    }

    fn apply(
        &mut self,
        called: &Value,
        values: Vec<Value>,
        named: Vec<(String, Value)>,
    ) -> Result<Value, Stop> {
        let mut keywords = Keywords(named);
        match called {
            Value::Command(name) => {
                keywords.end(name)?;
                let mut arguments = Vec::new();
                for value in &values {
                    value.flatten(&mut arguments, 0)?;
                }
                let call = Call {
                    name: name.clone(),
                    arguments,
                    place: self.place(),
                };
                Ok(match self.receiver.receive(&call)? {
                    Answer::Nothing => Value::Nothing,
                    Answer::Whole(value) => Value::Whole(value),
                    Answer::Number(value) => Value::Real(value),
                    Answer::Tags(tags) => {
                        Value::list(tags.into_iter().map(Value::Whole).collect())?
                    }
                    Answer::Numbers(values) => Value::numbers(values)?,
                })
            }
            Value::Function(function) => self.function(function, values, keywords.0),
            Value::Builtin(name) if name == "numpy.loadtxt" => {
                let [file] = values.as_slice() else {
                    return Stop::fault_message("`np.loadtxt` takes the name of a file");
                };
                let path = self.files.find(&file.text()?)?;
                let text = read_text(&path)?;
                let made = numpy::loadtxt(&text, &mut keywords)?;
                keywords.end(name)?;
                Ok(made)
            }
            Value::Builtin(name) => builtin::call(name, &values, &mut keywords, &mut |own, row| {
                self.apply(own, row, Vec::new())
            }),
            Value::Method(object, name) => {
                builtin::method(object, name, &values, &mut keywords, &mut |own, row| {
                    self.apply(own, row, Vec::new())
                })
            }
            other => Stop::fault_message(format!("{} cannot be called", other.describe())),
        }
    }

    fn function(
        &mut self,
        function: &Function,
        values: Vec<Value>,
        mut named: Vec<(String, Value)>,
    ) -> Result<Value, Stop> {
        let mut names = HashMap::new();
        let mut values = values.into_iter();
        for (parameter, default) in function.parameters.iter().zip(&function.defaults) {
            let name = &parameter.name;
            let by_name = |named: &mut Vec<(String, Value)>| {
                let at = named.iter().position(|(own, _)| own == name)?;
                Some(named.remove(at).1)
            };
            let value = match parameter.passing {
                Passing::Rest => Value::tuple(values.by_ref().collect())?,
                Passing::RestNamed => {
                    let table = Value::table();
                    for (name, value) in named.drain(..) {
                        operators::set_item(&table, &Value::Text(name), value)?;
                    }
                    table
                }
                passing => {
                    let placed = match passing {
                        Passing::Either => values.next(),
                        _ => None,
                    };
                    match (placed, by_name(&mut named), default) {
                        (Some(_), Some(_), _) => {
                            return Stop::fault_message(format!("`{name}` is given twice"));
                        }
                        (Some(value), None, _) | (None, Some(value), _) => value,
                        (None, None, Some(default)) => default.clone(),
                        (None, None, None) => {
                            return Stop::fault_message(format!(
                                "the argument `{name}` is missing"
                            ));
                        }
                    }
                }
            };
            names.insert(name.clone(), value);
        }
        if values.next().is_some() {
            return Stop::fault_message("there are too many arguments");
        }
        if let Some((name, _)) = named.first() {
            return Stop::fault_message(format!("the function has no argument `{name}`"));
        }
        let line = self.line;
        let frame = Frame {
            names: names.into(),
            elsewhere: Default::default(),
            around: function.around.clone(),
        };
        self.frames.push(Rc::new(frame));
        let outcome = match &function.body {
            Body::Block(body) => self.block(body).map(|flow| match flow {
                Flow::Return(value) => value,
                _ => Value::Nothing,
            }),
            Body::Value(value) => self.budget.enter().and_then(|()| {
                let value = self.evaluate(value);
                self.budget.leave();
                value
            }),
        };
        self.frames.pop();
        self.line = line;
        outcome
    }
}

/// Refuses a module that may hold a part of the model.
fn harmless(module: &str) -> Result<(), Stop> {
    let top = module.split('.').next().unwrap_or(module);
    if HARMLESS.contains(&top) {
        return Ok(());
    }
    Stop::fault_message(format!(
        "the module `{module}` is not opened: what it does to the model, and what comes from it, \
        is missing"
    ))
}

/// What a module has under a name.
fn member(module: &str, name: &str) -> Value {
    match (module, name) {
        ("openseespy", "opensees") => Value::Module("opensees".to_owned()),
        ("opensees", _) => Value::Command(name.to_owned()),
        ("math" | "numpy", "pi") => Value::Real(std::f64::consts::PI),
        ("math" | "numpy", "e") => Value::Real(std::f64::consts::E),
        ("math", "tau") => Value::Real(std::f64::consts::TAU),
        _ => Value::Builtin(format!("{module}.{name}")),
    }
}

/// Whether `from module import *` brings a function of this name.
fn mathematical(module: &str, name: &str) -> bool {
    const ARRAYS: &[&str] = &[
        "array", "linspace", "arange", "zeros", "ones", "cumsum", "mean",
    ];
    matches!(module, "math" | "numpy")
        && (super::arithmetic::function(name, 1.0).is_some()
            || matches!(name, "pow" | "atan2" | "hypot")
            || (module == "numpy" && ARRAYS.contains(&name)))
}

fn attribute(object: Value, name: &str) -> Result<Value, Stop> {
    match &object {
        Value::Module(module) | Value::Builtin(module) => Ok(member(module, name)),
        Value::Array(_) => match numpy::attribute(&object, name) {
            Some(value) => value,
            None => Ok(Value::Method(Box::new(object), name.to_owned())),
        },
        Value::List(_) | Value::Tuple(_) | Value::Table(_) | Value::Text(_) => {
            Ok(Value::Method(Box::new(object), name.to_owned()))
        }
        _ => Stop::fault_message(format!("`{name}` of {} is not known", object.describe())),
    }
}

fn known_module(name: &str) -> String {
    match name {
        "openseespy.opensees"
        | "opensees"
        | "openseespymac.opensees"
        | "openseespywin.opensees" => "opensees",
        "np" => "numpy",
        other => other,
    }
    .to_owned()
}
