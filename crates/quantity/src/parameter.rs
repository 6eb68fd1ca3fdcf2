//! What a method takes from the plan, declared once.

use std::fmt;

use crate::{Dimension, Value, Values, parse_quantity};

/// One key of a table in the plan.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The key as it is written in the plan.
    pub key: &'static str,
    /// What may stand there.
    pub kind: ValueKind,
    /// What holds when the key is absent.
    pub default: Default,
    /// Allowed values of numbers (in SI), and allowed lengths of lists.
    pub range: Range,
    /// One line for a person: meaning and, where it helps, a usual value.
    pub doc: &'static str,
}

/// What may stand at a key.
#[derive(Clone, Copy, Debug)]
pub enum ValueKind {
    /// A real number with a unit of this dimension (without one for [`Dimension::NONE`]).
    Number(Dimension),
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// Free text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A path of a file, relative to the plan file.
    Path,
    /// A list of numbers: `["2 kN", "3 kN"]`, or `[2, 3, "kN"]` with one unit for all.
    Numbers(Dimension),
    /// A list of whole numbers.
    Integers,
    /// A list of texts.
    Texts,
    /// A list of things by name or by number: texts and whole numbers.
    Names,
    /// A list of whatever a key may hold: texts, numbers, truth values.
    Mixed,
    /// Rows of numbers, all with this dimension: `[[2, -1], [-1, 1], "kN/m"]`.
    Matrix(Dimension),
    /// A table with a fixed set of keys.
    Table(&'static [Parameter]),
    /// A table whose keys are names of methods, with a table of its parameters at each: all whose
    /// tables are there run side by side.
    Open(&'static dyn Slot),
    /// A list of such tables.
    Tables(&'static [Parameter]),
    /// A table whose selector key names a method; the method's own parameters stand beside it.
    Slot(&'static dyn Slot),
    /// A list of such tables.
    Slots(&'static dyn Slot),
}

/// What holds when a key is absent.
#[derive(Clone, Copy, Debug)]
pub enum Default {
    /// The key must be there.
    Required,
    /// The key may be absent; the method knows what that means.
    Absent,
    /// The value, written as in the plan: `"4 ms"`, `0.6`, `true`, `"ats"` (text with its quotes).
    Is(&'static str),
}

/// Bounds in SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Whether `min` itself is refused.
    pub open_min: bool,
}

impl Range {
    /// Any finite number.
    pub const ANY: Self = Self {
        min: f64::NEG_INFINITY,
        max: f64::INFINITY,
        open_min: false,
    };
    /// Greater than zero.
    pub const POSITIVE: Self = Self {
        min: 0.0,
        max: f64::INFINITY,
        open_min: true,
    };
    /// Zero or greater.
    pub const NOT_NEGATIVE: Self = Self {
        min: 0.0,
        max: f64::INFINITY,
        open_min: false,
    };

    /// From `min` to `max`, both allowed.
    pub const fn between(min: f64, max: f64) -> Self {
        Self {
            min,
            max,
            open_min: false,
        }
    }

    /// Whether `value` lies inside.
    pub fn contains(&self, value: f64) -> bool {
        value.is_finite()
            && value <= self.max
            && if self.open_min {
                value > self.min
            } else {
                value >= self.min
            }
    }
}

/// A place in the loop that one of several methods can take, whatever they make.
pub trait Slot: fmt::Debug + Sync {
    /// What people call it; no two slots have the same name.
    fn name(&self) -> &'static str;
    /// The key that chooses, `method` or `kind`.
    fn selector(&self) -> &'static str;
    /// The method that is taken when the selector is absent; without it the selector must be there.
    fn default(&self) -> Option<&'static str>;
    /// The methods that it brings along, in the order in which people see them.
    fn own(&self) -> Vec<&'static Method>;
    /// The name of the method that a table of the plan chooses, known or not.
    fn chosen<'a>(&self, table: &'a Values) -> Option<&'a str> {
        table.optional_text(self.selector()).or(self.default())
    }
}

/// A method as people meet it: `tandem methods` and the documentation print this.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// Name in the plan, in kebab case.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Where it comes from: authors, year, equation.
    pub reference: &'static str,
    /// What it takes from the plan.
    pub parameters: &'static [Parameter],
}

impl Parameter {
    /// The default, unless it is a list of other things than numbers, a table or of a slot.
    pub fn default_value(&self) -> Option<Value> {
        let Default::Is(written) = self.default else {
            return None;
        };
        let bare = written.trim_matches('"');
        match self.kind {
            ValueKind::Number(dimension) => parse_quantity(bare, dimension).ok().map(Value::Number),
            ValueKind::Integer => bare.parse().ok().map(Value::Integer),
            ValueKind::Boolean => bare.parse().ok().map(Value::Boolean),
            ValueKind::Numbers(dimension) => {
                let items = bare.trim_matches(['[', ']']).split(',');
                let numbers = items.map(|item| parse_quantity(item.trim(), dimension));
                let values = numbers.map(|number| number.ok().map(Value::Number));
                values.collect::<Option<_>>().map(Value::List)
            }
            ValueKind::Text | ValueKind::Choice(_) | ValueKind::Path => {
                Some(Value::Text(bare.to_owned()))
            }
            _ => None,
        }
    }

    /// A number that must be given.
    pub const fn number(key: &'static str, dimension: Dimension, doc: &'static str) -> Self {
        Self::of(key, ValueKind::Number(dimension), doc)
    }

    /// A whole number that must be given.
    pub const fn integer(key: &'static str, doc: &'static str) -> Self {
        Self::of(key, ValueKind::Integer, doc)
    }

    /// A required parameter of any kind.
    pub const fn of(key: &'static str, kind: ValueKind, doc: &'static str) -> Self {
        Self {
            key,
            kind,
            default: Default::Required,
            range: Range::ANY,
            doc,
        }
    }

    /// The same with a default, written as in the plan.
    #[must_use]
    pub const fn or(mut self, default: &'static str) -> Self {
        self.default = Default::Is(default);
        self
    }

    /// The same, allowed to be absent.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.default = Default::Absent;
        self
    }

    /// The same, within bounds.
    #[must_use]
    pub const fn within(mut self, range: Range) -> Self {
        self.range = range;
        self
    }

    /// The same, greater than zero.
    #[must_use]
    pub const fn positive(self) -> Self {
        self.within(Range::POSITIVE)
    }

    /// The same, zero or greater.
    #[must_use]
    pub const fn not_negative(self) -> Self {
        self.within(Range::NOT_NEGATIVE)
    }
}
