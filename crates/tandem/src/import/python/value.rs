//! Values of Python.

use std::cell::RefCell;
use std::rc::Rc;

use super::tree::{Expression, Statement};
use crate::import::script::{Argument, Stop, bounded, shorten};

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
    /// A list or tuple, shared as in Python.
    List(Rc<RefCell<Vec<Value>>>),
    /// A dictionary.
    Table(Rc<RefCell<Vec<(Value, Value)>>>),
    /// A module: `opensees`, `math`, `numpy` or another.
    Module(String),
    /// A command of OpenSees.
    Command(String),
    /// A function of Python or its modules.
    Builtin(String),
    /// A method of a list or text.
    Method(Box<Value>, String),
    /// A function of the script.
    Function(Rc<Function>),
}

/// A function of the script.
#[derive(Debug)]
pub struct Function {
    /// Arguments with their defaults.
    pub arguments: Vec<(String, Option<Expression>)>,
    /// What it does.
    pub body: Vec<Statement>,
}

/// How deep lists may stand within each other.
const MOST_LEVELS: usize = 20;

impl Value {
    /// A list.
    pub fn list(items: Vec<Self>) -> Result<Self, Stop> {
        bounded(items.len())?;
        Ok(Self::List(Rc::new(RefCell::new(items))))
    }

    /// Numbers as a list.
    pub fn numbers(values: impl IntoIterator<Item = f64>) -> Result<Self, Stop> {
        Self::list(values.into_iter().map(Self::Real).collect())
    }

    /// As a real number.
    #[allow(clippy::cast_precision_loss)]
    pub fn real(&self) -> Result<f64, Stop> {
        match self {
            Self::Truth(truth) => Ok(f64::from(u8::from(*truth))),
            Self::Whole(whole) => Ok(*whole as f64),
            Self::Real(real) => Ok(*real),
            _ => Stop::trouble(format!("{} where a number belongs", self.describe())),
        }
    }

    /// As a whole number.
    pub fn whole(&self) -> Result<i64, Stop> {
        match self {
            Self::Truth(truth) => Ok(i64::from(*truth)),
            Self::Whole(whole) => Ok(*whole),
            _ => Stop::trouble(format!("{} where a whole number belongs", self.describe())),
        }
    }

    /// Whether Python takes it for true.
    pub fn truth(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Truth(truth) => *truth,
            Self::Whole(whole) => *whole != 0,
            Self::Real(real) => real.abs() > 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(items) => !items.borrow().is_empty(),
            Self::Table(pairs) => !pairs.borrow().is_empty(),
            _ => true,
        }
    }

    /// The items of a list, the letters of a text, the keys of a dictionary.
    pub fn items(&self) -> Result<Vec<Self>, Stop> {
        match self {
            Self::List(items) => Ok(items.borrow().clone()),
            Self::Table(pairs) => Ok(pairs.borrow().iter().map(|pair| pair.0.clone()).collect()),
            Self::Text(text) => Ok(text.chars().map(|c| Self::Text(c.into())).collect()),
            _ => Stop::trouble(format!("{} where a list belongs", self.describe())),
        }
    }

    /// Whether two values are equal.
    pub fn equals(&self, other: &Self) -> bool {
        self.equal_at(other, 0)
    }

    fn equal_at(&self, other: &Self, level: usize) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Nothing, Self::Nothing) => true,
            (Self::List(a), Self::List(b)) => {
                let (a, b) = (a.borrow(), b.borrow());
                level < MOST_LEVELS
                    && a.len() == b.len()
                    && a.iter()
                        .zip(b.iter())
                        .all(|(a, b)| a.equal_at(b, level + 1))
            }
            _ => match (self.real(), other.real()) {
                (Ok(a), Ok(b)) => (a - b).abs() <= 0.0,
                _ => false,
            },
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
            Self::Real(real) => Ok(format!("{real:?}")),
            Self::Text(text) => Ok(text.clone()),
            _ => Stop::trouble(format!("{} where a text belongs", self.describe())),
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
            Self::List(items) if level < MOST_LEVELS => {
                for item in items.borrow().iter() {
                    item.flatten(into, level + 1)?;
                }
            }
            _ => return Stop::trouble(format!("{} as an argument", self.describe())),
        }
        Ok(())
    }
}
