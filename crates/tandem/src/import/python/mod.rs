//! A small evaluator of Python: the straight-line subset of which model scripts are made. No Python is run.

mod builtin;
mod expression;
mod lex;
mod operators;
mod parse;
mod tree;
mod value;

use std::collections::HashMap;
use std::rc::Rc;

use super::script::{Answer, Budget, Call, Place, Receiver, Stop, Weight};
use tree::{Act, Expression, Statement, Target};
use value::{Function, Value};

/// What a block did at its end.
enum Flow {
    On,
    Break,
    Continue,
    Return(Value),
}

/// Names of variables and their values.
type Frame = HashMap<String, Value>;

/// The evaluator.
pub struct Python<'a> {
    receiver: &'a mut dyn Receiver,
    file: usize,
    line: usize,
    frames: Vec<Frame>,
    globals: Vec<Vec<String>>,
    /// `from openseespy.opensees import *` stands in the script.
    bare: bool,
    budget: Budget,
}

impl<'a> Python<'a> {
    /// Runs a script.
    pub fn run(text: &str, file: usize, receiver: &'a mut dyn Receiver) {
        let statements = parse::parse(text);
        let mut python = Self {
            receiver,
            file,
            line: 1,
            frames: vec![Frame::new()],
            globals: vec![Vec::new()],
            bare: false,
            budget: Budget::default(),
        };
        if let Err(Stop::Bound(reason)) = python.block(&statements) {
            let place = python.place();
            python
                .receiver
                .remark(Weight::Missing, place, "the rest of the script", &reason);
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
                    self.receiver
                        .remark(Weight::Missing, place, &statement.source, &reason);
                }
                Err(stop) => return Err(stop),
            }
        }
        Ok(Flow::On)
    }

    fn statement(&mut self, statement: &Statement) -> Result<Flow, Stop> {
        match &statement.act {
            Act::Pass => {}
            Act::Unread(reason) => return Stop::trouble(reason.clone()),
            Act::Import(module, name) => {
                let top = if name == module {
                    module.split('.').next().unwrap_or(module)
                } else {
                    name
                };
                self.set(top.to_owned(), Value::Module(known_module(module)));
            }
            Act::From(module, names) => self.import_from(module, names),
            Act::Expression(expression) => {
                self.evaluate(expression)?;
            }
            Act::Assign(targets, value) => {
                let value = self.evaluate(value)?;
                for target in targets {
                    self.assign(target, value.clone())?;
                }
            }
            Act::Change(target, operator, value) => {
                let old = match target {
                    Target::Name(name) => self.get(name)?,
                    Target::Item(list, index) => {
                        let (list, index) = (self.evaluate(list)?, self.evaluate(index)?);
                        operators::item(&list, &index)?
                    }
                    Target::Several(_) => return Stop::trouble("this cannot be changed"),
                };
                let by = self.evaluate(value)?;
                let new = operators::combine(operator, &old, &by)?;
                self.assign(target, new)?;
            }
            Act::If(branches) => {
                for (condition, body) in branches {
                    let holds = match condition {
                        Some(condition) => self.evaluate(condition)?.truth(),
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
                while self.evaluate(condition)?.truth() {
                    self.budget.command()?;
                    match self.block(body)? {
                        Flow::Break => break,
                        Flow::Return(value) => return Ok(Flow::Return(value)),
                        Flow::On | Flow::Continue => {}
                    }
                }
            }
            Act::Define(name, arguments, body) => {
                let function = Function {
                    arguments: arguments.clone(),
                    body: body.clone(),
                };
                self.set(name.clone(), Value::Function(Rc::new(function)));
            }
            Act::Return(value) => {
                return Ok(Flow::Return(match value {
                    Some(value) => self.evaluate(value)?,
                    None => Value::Nothing,
                }));
            }
            Act::Break => return Ok(Flow::Break),
            Act::Continue => return Ok(Flow::Continue),
            Act::Global(names) => {
                if let Some(own) = self.globals.last_mut() {
                    own.extend(names.iter().cloned());
                }
            }
        }
        Ok(Flow::On)
    }

    fn import_from(&mut self, module: &str, names: &[(String, String)]) {
        let known = known_module(module);
        if names.is_empty() {
            self.bare |= known == "opensees";
            return;
        }
        for (name, own) in names {
            let value = match known.as_str() {
                _ if known_module(name) == "opensees" => Value::Module("opensees".to_owned()),
                "opensees" => Value::Command(name.clone()),
                "math" | "numpy" if name == "pi" => Value::Real(std::f64::consts::PI),
                _ => Value::Builtin(name.clone()),
            };
            self.set(own.clone(), value);
        }
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
                    return Stop::trouble(format!(
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
        let last = self.frames.len() - 1;
        let scope = if self.globals[last].contains(&name) {
            0
        } else {
            last
        };
        self.frames[scope].insert(name, value);
    }

    fn get(&self, name: &str) -> Result<Value, Stop> {
        let last = self.frames.len() - 1;
        if let Some(value) = self.frames[last].get(name).or(self.frames[0].get(name)) {
            return Ok(value.clone());
        }
        if builtin::known(name) {
            return Ok(Value::Builtin(name.to_owned()));
        }
        if self.bare {
            return Ok(Value::Command(name.to_owned()));
        }
        Stop::trouble(format!(
            "`{name}` has no value (it may come from a line that was not understood)"
        ))
    }

    fn evaluate(&mut self, expression: &Expression) -> Result<Value, Stop> {
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
            Expression::Attribute(object, name) => match self.evaluate(object)? {
                Value::Module(module) => match (module.as_str(), name.as_str()) {
                    ("openseespy", "opensees") => Value::Module("opensees".to_owned()),
                    ("opensees", _) => Value::Command(name.clone()),
                    ("math" | "numpy", "pi") => Value::Real(std::f64::consts::PI),
                    ("math" | "numpy", _) => Value::Builtin(name.clone()),
                    _ => Value::Builtin(format!("{module}.{name}")),
                },
                object => Value::Method(Box::new(object), name.clone()),
            },
            Expression::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    values.push(self.evaluate(item)?);
                }
                Value::list(values)?
            }
            Expression::Table(pairs) => {
                let mut values = Vec::with_capacity(pairs.len());
                for (key, value) in pairs {
                    values.push((self.evaluate(key)?, self.evaluate(value)?));
                }
                Value::Table(Rc::new(std::cell::RefCell::new(values)))
            }
            Expression::Made(value, names, list, condition) => {
                let targets: Vec<Target> = names.iter().cloned().map(Target::Name).collect();
                let target = match targets.as_slice() {
                    [one] => one.clone(),
                    _ => Target::Several(targets),
                };
                let mut made = Vec::new();
                for item in self.evaluate(list)?.items()? {
                    self.budget.command()?;
                    self.assign(&target, item)?;
                    let keep = match condition {
                        Some(condition) => self.evaluate(condition)?.truth(),
                        None => true,
                    };
                    if keep {
                        made.push(self.evaluate(value)?);
                    }
                }
                Value::list(made)?
            }
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
                if left.truth() {
                    self.evaluate(right)?
                } else {
                    left
                }
            }
            Expression::Binary("or", left, right) => {
                let left = self.evaluate(left)?;
                if left.truth() {
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
                if self.evaluate(condition)?.truth() {
                    self.evaluate(value)?
                } else {
                    self.evaluate(other)?
                }
            }
            Expression::Call(called, arguments, named) => self.call(called, arguments, named)?,
        })
    }

    fn call(
        &mut self,
        called: &Expression,
        arguments: &[(bool, Expression)],
        named: &[(String, Expression)],
    ) -> Result<Value, Stop> {
        let called = self.evaluate(called)?;
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
            keywords.push((name.clone(), self.evaluate(value)?));
        }
        match called {
            Value::Command(name) => {
                let mut arguments = Vec::new();
                for value in &values {
                    value.flatten(&mut arguments, 0)?;
                }
                let call = Call {
                    name,
                    arguments,
                    place: self.place(),
                };
                Ok(match self.receiver.receive(&call)? {
                    Answer::Nothing => Value::Nothing,
                    Answer::Number(value) if value.fract().abs() <= 0.0 => builtin::whole(value)?,
                    Answer::Number(value) => Value::Real(value),
                    Answer::Numbers(values) => Value::numbers(values)?,
                })
            }
            Value::Function(function) => self.function(&function, values, keywords),
            Value::Builtin(name) => builtin::call(&name, &values),
            Value::Method(object, name) => builtin::method(&object, &name, &values),
            other => Stop::trouble(format!("{} cannot be called", other.describe())),
        }
    }

    fn function(
        &mut self,
        function: &Function,
        values: Vec<Value>,
        mut named: Vec<(String, Value)>,
    ) -> Result<Value, Stop> {
        let mut frame = Frame::new();
        if values.len() > function.arguments.len() {
            return Stop::trouble("there are too many arguments");
        }
        let mut values = values.into_iter();
        for (name, default) in &function.arguments {
            let given = named.iter().position(|(own, _)| own == name);
            let value = match (values.next(), given, default) {
                (Some(value), _, _) => value,
                (None, Some(at), _) => named.swap_remove(at).1,
                (None, None, Some(default)) => self.evaluate(default)?,
                (None, None, None) => {
                    return Stop::trouble(format!("the argument `{name}` is missing"));
                }
            };
            frame.insert(name.clone(), value);
        }
        let line = self.line;
        self.frames.push(frame);
        self.globals.push(Vec::new());
        let flow = self.block(&function.body);
        self.frames.pop();
        self.globals.pop();
        self.line = line;
        Ok(match flow? {
            Flow::Return(value) => value,
            _ => Value::Nothing,
        })
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
