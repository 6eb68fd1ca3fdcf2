//! Values of Python.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

use super::tree::{Expression, Parameter, Statement};
use crate::script::{Argument, Stop, bounded, shorten};

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// `None`
    Nothing,
    /// `True`, `False`
    Truth(bool),
    /// A whole number.
    Whole(i64),
    /// Any other number.
    Real(f64),
    /// A text.
    Text(String),
    /// A list, shared as in Python.
    List(Rc<Items>),
    /// A tuple.
    Tuple(Rc<Items>),
    /// An array of numpy: numbers, or rows that are arrays; arithmetic goes element by element.
    Array(Rc<Items>),
    /// A dictionary, shared as in Python.
    Table(Rc<Pairs>),
    /// A module: `opensees`, `math`, `numpy` or another.
    Module(String),
    /// A command of OpenSees.
    Command(String),
    /// A function of Python, or what a module has under a name: `round`, `numpy.round`.
    Builtin(String),
    /// A method of a list, array, dictionary or text.
    Method(Box<Value>, String),
    /// A function of the script.
    Function(Rc<Function>),
}

/// What a list, tuple or array holds.
#[derive(Debug, Default)]
pub struct Items {
    values: RefCell<Vec<Value>>,
    /// Of arrays: a part was taken. numpy would share it, we copy; so neither may be written to
    /// from then on.
    pub parted: Cell<bool>,
}

/// What a dictionary holds, in the order of its keys' first mention.
#[derive(Debug, Default)]
pub struct Pairs(pub RefCell<Vec<(Value, Value)>>);

/// Names and values: of the script, of a function that runs, of a comprehension.
#[derive(Debug, Default)]
pub struct Frame {
    /// Its variables.
    pub names: RefCell<HashMap<String, Value>>,
    /// Names declared `global` (true) or `nonlocal` (false).
    pub elsewhere: RefCell<HashMap<String, bool>>,
    /// The function around it; none where that is the script.
    pub around: Option<Rc<Frame>>,
}

/// What a function does.
#[derive(Clone, Debug)]
pub enum Body {
    /// `def`
    Block(Rc<Vec<Statement>>),
    /// `lambda`
    Value(Rc<Expression>),
}

/// A function of the script.
#[derive(Debug)]
pub struct Function {
    /// Its parameters.
    pub parameters: Rc<Vec<Parameter>>,
    /// Their defaults, worked out when the function is defined.
    pub defaults: Vec<Option<Value>>,
    /// What it does.
    pub body: Body,
    /// Where it was defined, if within another function.
    pub around: Option<Rc<Frame>>,
}

/// How deep lists may stand within each other.
const MOST_LEVELS: usize = 20;

impl Items {
    /// The values.
    pub fn get(&self) -> std::cell::Ref<'_, Vec<Value>> {
        self.values.borrow()
    }

    /// The values, to change them.
    pub fn change(&self) -> Result<std::cell::RefMut<'_, Vec<Value>>, Stop> {
        if self.parted.get() {
            return Stop::fault_message(
                "an array of which a part was taken is written to: numpy shares the part, this \
                reader does not; take a .copy()",
            );
        }
        Ok(self.values.borrow_mut())
    }
}

// Lists within lists within lists, a million deep, would run down the stack when they are dropped
// one within the other.
impl Drop for Items {
    fn drop(&mut self) {
        dismantle(self.values.take());
    }
}

impl Drop for Pairs {
    fn drop(&mut self) {
        dismantle(
            self.0
                .take()
                .into_iter()
                .flat_map(|(k, v)| [k, v])
                .collect(),
        );
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        dismantle(self.release());
    }
}

impl Function {
    /// What it holds and nobody else.
    fn release(&mut self) -> Vec<Value> {
        let mut values: Vec<Value> = self.defaults.drain(..).flatten().collect();
        let mut around = self.around.take();
        while let Some(mut frame) = around.and_then(Rc::into_inner) {
            values.extend(frame.names.take().into_values());
            around = frame.around.take();
        }
        values
    }
}

fn dismantle(mut values: Vec<Value>) {
    while let Some(value) = values.pop() {
        match value {
            Value::List(items) | Value::Tuple(items) | Value::Array(items) => {
                if let Some(items) = Rc::into_inner(items) {
                    values.append(&mut items.values.take());
                }
            }
            Value::Table(pairs) => {
                if let Some(pairs) = Rc::into_inner(pairs) {
                    values.extend(pairs.0.take().into_iter().flat_map(|(k, v)| [k, v]));
                }
            }
            Value::Method(object, _) => values.push(*object),
            Value::Function(function) => {
                if let Some(mut function) = Rc::into_inner(function) {
                    values.extend(function.release());
                }
            }
            _ => {}
        }
    }
}

fn shared(items: Vec<Value>) -> Result<Rc<Items>, Stop> {
    bounded(items.len())?;
    Ok(Rc::new(Items {
        values: RefCell::new(items),
        parted: Cell::new(false),
    }))
}

impl Value {
    /// A list.
    pub fn list(items: Vec<Self>) -> Result<Self, Stop> {
        shared(items).map(Self::List)
    }

    /// A tuple.
    pub fn tuple(items: Vec<Self>) -> Result<Self, Stop> {
        shared(items).map(Self::Tuple)
    }

    /// Items that are known to be numbers, or arrays of one shape.
    pub fn array(items: Vec<Self>) -> Result<Self, Stop> {
        shared(items).map(Self::Array)
    }

    /// Numbers as a list.
    pub fn numbers(values: impl IntoIterator<Item = f64>) -> Result<Self, Stop> {
        Self::list(values.into_iter().map(Self::Real).collect())
    }

    /// An empty dictionary.
    pub fn table() -> Self {
        Self::Table(Rc::new(Pairs::default()))
    }

    /// As a real number.
    #[allow(clippy::cast_precision_loss)]
    pub fn real(&self) -> Result<f64, Stop> {
        match self {
            Self::Truth(truth) => Ok(f64::from(u8::from(*truth))),
            Self::Whole(whole) => Ok(*whole as f64),
            Self::Real(real) => Ok(*real),
            _ => Stop::fault_message(format!("{} where a number belongs", self.describe())),
        }
    }

    /// As a whole number.
    pub fn whole(&self) -> Result<i64, Stop> {
        match self {
            Self::Truth(truth) => Ok(i64::from(*truth)),
            Self::Whole(whole) => Ok(*whole),
            _ => Stop::fault_message(format!("{} where a whole number belongs", self.describe())),
        }
    }

    /// Whether it is a name of a module of which nothing is known.
    pub fn is_opaque(&self) -> bool {
        matches!(
            self,
            Self::Module(_) | Self::Command(_) | Self::Builtin(_) | Self::Method(..)
        )
    }

    /// Whether Python takes it for true.
    pub fn truth(&self) -> Result<bool, Stop> {
        Ok(match self {
            Self::Nothing => false,
            Self::Truth(truth) => *truth,
            Self::Whole(whole) => *whole != 0,
            Self::Real(real) => real.abs() > 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(items) | Self::Tuple(items) => !items.get().is_empty(),
            Self::Table(pairs) => !pairs.0.borrow().is_empty(),
            Self::Function(_) => true,
            _ => {
                return Stop::fault_message(format!(
                    "{} as a condition is not read",
                    self.describe()
                ));
            }
        })
    }

    /// The items of a list, the letters of a text, the keys of a dictionary.
    pub fn items(&self) -> Result<Vec<Self>, Stop> {
        match self {
            Self::List(items) | Self::Tuple(items) | Self::Array(items) => Ok(items.get().clone()),
            Self::Table(pairs) => Ok(pairs.0.borrow().iter().map(|pair| pair.0.clone()).collect()),
            Self::Text(text) => Ok(text.chars().map(|c| Self::Text(c.into())).collect()),
            _ => Stop::fault_message(format!("{} where a list belongs", self.describe())),
        }
    }

    /// Whether two values are equal.
    pub fn equals(&self, other: &Self) -> Result<bool, Stop> {
        self.equal_at(other, 0)
    }

    fn equal_at(&self, other: &Self, level: usize) -> Result<bool, Stop> {
        let all = |a: &[Self], b: &[Self]| {
            if level >= MOST_LEVELS {
                return Stop::fault_message("lists stand too deep within each other");
            }
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b) {
                if !a.equal_at(b, level + 1)? {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        Ok(match (self, other) {
            (Self::Array(_), _) | (_, Self::Array(_)) => {
                return Stop::fault_message("comparisons of arrays are not read");
            }
            (a, b) if a.is_opaque() || b.is_opaque() => {
                let opaque = if a.is_opaque() { a } else { b };
                return Stop::fault_message(format!("{} is not known", opaque.describe()));
            }
            (Self::Whole(a), Self::Whole(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Nothing, Self::Nothing) => true,
            (Self::Function(a), Self::Function(b)) => Rc::ptr_eq(a, b),
            (Self::List(a), Self::List(b)) | (Self::Tuple(a), Self::Tuple(b)) => {
                Rc::ptr_eq(a, b) || all(&a.get(), &b.get())?
            }
            (Self::Table(a), Self::Table(b)) => {
                let (a, b) = (a.0.borrow(), b.0.borrow());
                let mut same = a.len() == b.len() && level < MOST_LEVELS;
                for (key, value) in a.iter() {
                    if !same {
                        break;
                    }
                    same = false;
                    for (own, other) in b.iter() {
                        if key.equal_at(own, level + 1)? {
                            same = value.equal_at(other, level + 1)?;
                            break;
                        }
                    }
                }
                same
            }
            _ => match (self.real(), other.real()) {
                (Ok(a), Ok(b)) => (a - b).abs() <= 0.0,
                _ => false,
            },
        })
    }

    /// `is`: the same object, not only an equal one. Numbers and texts are not told apart that way.
    pub fn is_same(&self, other: &Self) -> Result<bool, Stop> {
        Ok(match (self, other) {
            (Self::List(a), Self::List(b))
            | (Self::Tuple(a), Self::Tuple(b))
            | (Self::Array(a), Self::Array(b)) => Rc::ptr_eq(a, b),
            (Self::Table(a), Self::Table(b)) => Rc::ptr_eq(a, b),
            (Self::Truth(a), Self::Truth(b)) => a == b,
            (Self::Nothing, Self::Nothing) => true,
            (a, b) if a.is_opaque() || b.is_opaque() => return a.equals(b),
            (Self::Nothing | Self::Truth(_), _) | (_, Self::Nothing | Self::Truth(_)) => false,
            (Self::Whole(_) | Self::Real(_) | Self::Text(_), _) => {
                return Stop::fault_message(
                    "`is` between numbers or texts is not read; write `==`",
                );
            }
            _ => false,
        })
    }

    /// Which of two numbers, texts or lists of these comes first.
    pub fn order(&self, other: &Self) -> Result<Ordering, Stop> {
        self.order_at(other, 0)
    }

    fn order_at(&self, other: &Self, level: usize) -> Result<Ordering, Stop> {
        match (self, other) {
            (Self::Whole(a), Self::Whole(b)) => Ok(a.cmp(b)),
            (Self::Text(a), Self::Text(b)) => Ok(a.cmp(b)),
            (Self::List(a), Self::List(b)) | (Self::Tuple(a), Self::Tuple(b))
                if level < MOST_LEVELS =>
            {
                let (a, b) = (a.get(), b.get());
                for (a, b) in a.iter().zip(b.iter()) {
                    let order = a.order_at(b, level + 1)?;
                    if order != Ordering::Equal {
                        return Ok(order);
                    }
                }
                Ok(a.len().cmp(&b.len()))
            }
            _ => self
                .real()?
                .partial_cmp(&other.real()?)
                .ok_or_else(|| Stop::failed("these cannot be compared")),
        }
    }

    /// What it is, in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Nothing => "nothing".to_owned(),
            Self::Truth(_) => "true or false".to_owned(),
            Self::Whole(_) | Self::Real(_) => "a number".to_owned(),
            Self::Text(text) => format!("the text `{}`", shorten(text)),
            Self::List(_) => "a list".to_owned(),
            Self::Tuple(_) => "a tuple".to_owned(),
            Self::Array(_) => "an array".to_owned(),
            Self::Table(_) => "a dictionary".to_owned(),
            Self::Module(name) => format!("the module `{name}`"),
            Self::Command(name) | Self::Builtin(name) | Self::Method(_, name) => {
                format!("the function `{name}`")
            }
            Self::Function(_) => "a function".to_owned(),
        }
    }

    /// The text that `str` makes of it.
    pub fn text(&self) -> Result<String, Stop> {
        match self {
            Self::Nothing => Ok("None".to_owned()),
            Self::Truth(truth) => Ok(if *truth { "True" } else { "False" }.to_owned()),
            Self::Whole(whole) => Ok(whole.to_string()),
            Self::Real(real) => Ok(real_text(*real)),
            Self::Text(text) => Ok(text.clone()),
            _ => Stop::fault_message(format!("{} where a text belongs", self.describe())),
        }
    }

    /// Appends what OpenSees gets: numbers and texts, lists flattened.
    pub fn flatten(&self, into: &mut Vec<Argument>, level: usize) -> Result<(), Stop> {
        bounded(into.len())?;
        match self {
            Self::Truth(_) | Self::Whole(_) | Self::Real(_) => {
                into.push(Argument::Number(self.real()?));
            }
            Self::Text(text) => into.push(Argument::Text(text.clone())),
            Self::List(items) | Self::Tuple(items) | Self::Array(items) if level < MOST_LEVELS => {
                for item in items.get().iter() {
                    item.flatten(into, level + 1)?;
                }
            }
            _ => return Stop::fault_message(format!("{} as an argument", self.describe())),
        }
        Ok(())
    }
}

/// The shortest text that gives the number back, with an exponent where Python has one: below 1e-4
/// and from 1e16 on.
fn real_text(real: f64) -> String {
    let size = real.abs();
    if size > 0.0 && !(1e-4..1e16).contains(&size) {
        let text = format!("{real:e}");
        if let Some((digits, exponent)) = text.split_once('e') {
            let (sign, exponent) = match exponent.strip_prefix('-') {
                Some(exponent) => ('-', exponent),
                None => ('+', exponent),
            };
            return format!("{digits}e{sign}{exponent:0>2}");
        }
    }
    format!("{real:?}")
}
