//! A table of the plan after checking: every number in SI, every default filled in.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::BuildError;

/// A checked value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number in SI.
    Number(f64),
    /// A whole number.
    Integer(i64),
    /// A truth value.
    Boolean(bool),
    /// A text, a choice or a path.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A table.
    Table(Values),
}

/// A checked table. The getters fail only when a builder asks for a key that its parameters do not
/// declare.
///
/// Every getter but [`Values::has`] and [`Values::iter`] marks its key as read. Clones and tables
/// within share the marks, so that [`Values::unread`] tells which written keys nobody has asked
/// for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    entries: Vec<Field>,
}

/// A key, its value, and whether somebody has read it.
#[derive(Clone, Debug)]
struct Field {
    key: String,
    value: Value,
    /// Whether the declaration gives the value, so that nobody has to read it.
    default: bool,
    read: Arc<AtomicBool>,
}

/// Whether a value was read is no part of it.
impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.value == other.value
    }
}

impl Values {
    /// An empty table.
    pub const fn new() -> Self {
        Self {
            entries: Vec::new(),
        }
    }

    /// Adds or replaces a value.
    pub fn set(&mut self, key: impl Into<String>, value: Value) {
        self.enter(key.into(), value, false);
    }

    /// Adds or replaces a value that is the declared default.
    pub fn set_default(&mut self, key: impl Into<String>, value: Value) {
        self.enter(key.into(), value, true);
    }

    fn enter(&mut self, key: String, value: Value, default: bool) {
        match self.entries.iter_mut().find(|field| field.key == key) {
            Some(field) => (field.value, field.default) = (value, default),
            None => self.entries.push(Field {
                key,
                value,
                default,
                read: Arc::default(),
            }),
        }
    }

    /// A copy of which nothing has been read.
    #[must_use]
    pub fn unmarked(&self) -> Self {
        let copy = |field: &Field| Field {
            key: field.key.clone(),
            value: field.value.unmarked(),
            default: field.default,
            read: Arc::default(),
        };
        Self {
            entries: self.entries.iter().map(copy).collect(),
        }
    }

    /// The same table with one more value: convenient in tests and when building from Rust.
    #[must_use]
    pub fn with(mut self, key: &str, value: Value) -> Self {
        self.set(key, value);
        self
    }

    fn field(&self, key: &str) -> Option<&Field> {
        self.entries.iter().find(|field| field.key == key)
    }

    /// The value at `key`.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let field = self.field(key)?;
        field.read.store(true, Ordering::Relaxed);
        Some(&field.value)
    }

    /// All entries in the order of the declaration; none counts as read.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        let fields = self.entries.iter();
        fields.map(|field| (field.key.as_str(), &field.value))
    }

    /// Whether the key was given (or has a default). It does not count as read.
    pub fn has(&self, key: &str) -> bool {
        self.field(key).is_some()
    }

    /// Dotted keys that are no defaults and that nobody has read, in the order of the declaration:
    /// of a table that was not read its own key alone.
    pub fn unread(&self) -> Vec<String> {
        let mut keys = Vec::new();
        self.collect_unread("", &mut keys);
        keys
    }

    fn collect_unread(&self, before: &str, keys: &mut Vec<String>) {
        for field in &self.entries {
            if field.default {
                continue;
            }
            let key = format!("{before}{}", field.key);
            if !field.read.load(Ordering::Relaxed) {
                keys.push(key);
                continue;
            }
            match &field.value {
                Value::Table(table) => table.collect_unread(&format!("{key}."), keys),
                Value::List(items) => {
                    for (number, item) in items.iter().enumerate() {
                        if let Value::Table(table) = item {
                            table.collect_unread(&format!("{key}.{number}."), keys);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The error of a key that is not there, or is of another kind.
    pub fn missing(key: &str, expected: &str) -> BuildError {
        BuildError::new(
            key,
            format!("expected {expected}"),
            "give this key in the plan",
        )
    }

    /// A number in SI.
    pub fn number(&self, key: &str) -> Result<f64, BuildError> {
        self.optional_number(key)
            .ok_or_else(|| Self::missing(key, "a number"))
    }

    /// A number in SI, when it is there.
    pub fn optional_number(&self, key: &str) -> Option<f64> {
        match self.get(key)? {
            Value::Number(x) => Some(*x),
            Value::Integer(i) => Some(*i as f64),
            _ => None,
        }
    }

    /// A whole number that counts something.
    pub fn count(&self, key: &str) -> Result<usize, BuildError> {
        match self.get(key) {
            Some(Value::Integer(i)) => usize::try_from(*i).map_err(|_| {
                BuildError::new(
                    key,
                    format!("{i} is negative"),
                    "give zero or a positive whole number",
                )
            }),
            _ => Err(Self::missing(key, "a whole number")),
        }
    }

    /// A truth value.
    pub fn boolean(&self, key: &str) -> Result<bool, BuildError> {
        match self.get(key) {
            Some(Value::Boolean(b)) => Ok(*b),
            _ => Err(Self::missing(key, "true or false")),
        }
    }

    /// A text.
    pub fn text(&self, key: &str) -> Result<&str, BuildError> {
        self.optional_text(key)
            .ok_or_else(|| Self::missing(key, "a text"))
    }

    /// A text, when it is there.
    pub fn optional_text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Value::Text(s) => Some(s),
            _ => None,
        }
    }

    /// A list of numbers in SI.
    pub fn numbers(&self, key: &str) -> Result<Vec<f64>, BuildError> {
        match self.get(key) {
            Some(Value::List(items)) => {
                numbers_of(items).ok_or_else(|| Self::missing(key, "a list of numbers"))
            }
            _ => Err(Self::missing(key, "a list of numbers")),
        }
    }

    /// A list of counts.
    pub fn counts(&self, key: &str) -> Result<Vec<usize>, BuildError> {
        match self.get(key) {
            Some(Value::List(items)) => items
                .iter()
                .map(|v| match v {
                    Value::Integer(i) => usize::try_from(*i).ok(),
                    _ => None,
                })
                .collect::<Option<_>>()
                .ok_or_else(|| Self::missing(key, "a list of whole numbers, zero or greater")),
            _ => Err(Self::missing(key, "a list of whole numbers")),
        }
    }

    /// A list of texts.
    pub fn texts(&self, key: &str) -> Result<Vec<&str>, BuildError> {
        match self.get(key) {
            Some(Value::List(items)) => items
                .iter()
                .map(|v| match v {
                    Value::Text(s) => Some(s.as_str()),
                    _ => None,
                })
                .collect::<Option<_>>()
                .ok_or_else(|| Self::missing(key, "a list of texts")),
            _ => Err(Self::missing(key, "a list of texts")),
        }
    }

    /// A list, as it is; empty when absent.
    pub fn list(&self, key: &str) -> &[Value] {
        match self.get(key) {
            Some(Value::List(items)) => items,
            _ => &[],
        }
    }

    /// Rows of numbers in SI.
    pub fn matrix(&self, key: &str) -> Result<Vec<Vec<f64>>, BuildError> {
        match self.get(key) {
            Some(Value::List(rows)) => rows
                .iter()
                .map(|row| match row {
                    Value::List(items) => numbers_of(items),
                    _ => None,
                })
                .collect::<Option<_>>()
                .ok_or_else(|| Self::missing(key, "rows of numbers")),
            _ => Err(Self::missing(key, "rows of numbers")),
        }
    }

    /// A table.
    pub fn table(&self, key: &str) -> Result<&Values, BuildError> {
        self.optional_table(key)
            .ok_or_else(|| Self::missing(key, "a table"))
    }

    /// A table, when it is there.
    pub fn optional_table(&self, key: &str) -> Option<&Values> {
        match self.get(key)? {
            Value::Table(t) => Some(t),
            _ => None,
        }
    }

    /// A list of tables; empty when absent.
    pub fn tables(&self, key: &str) -> Vec<&Values> {
        match self.get(key) {
            Some(Value::List(items)) => items
                .iter()
                .filter_map(|v| match v {
                    Value::Table(t) => Some(t),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }
}

impl Value {
    fn unmarked(&self) -> Self {
        match self {
            Self::List(items) => Self::List(items.iter().map(Self::unmarked).collect()),
            Self::Table(table) => Self::Table(table.unmarked()),
            other => other.clone(),
        }
    }
}

fn numbers_of(items: &[Value]) -> Option<Vec<f64>> {
    items
        .iter()
        .map(|v| match v {
            Value::Number(x) => Some(*x),
            Value::Integer(i) => Some(*i as f64),
            _ => None,
        })
        .collect()
}
