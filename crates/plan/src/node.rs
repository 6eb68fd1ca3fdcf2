//! A plan as it is written: values with their places, not yet checked.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::refusal::Findings;
use super::source::{Span, line_and_column, line_at};

/// The keys of a table.
pub(super) type Table = BTreeMap<String, Node>;

/// A value with its place.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Place of the key; none for elements of lists.
    pub key: Option<Span>,
    /// Place of the value; of a section, its header.
    pub span: Span,
    pub item: Item,
}

/// What is written.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Date,
    List(Vec<Node>),
    Table(Table),
}

impl Item {
    /// What this is, in words.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text",
            Self::Integer(_) => "a whole number",
            Self::Float(_) => "a number",
            Self::Boolean(_) => "true or false",
            Self::Date => "a date",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

impl Node {
    pub fn new(span: Span, item: Item) -> Self {
        Self {
            key: None,
            span,
            item,
        }
    }

    /// Where to point when the key, not the value, is wrong.
    pub fn key_span(&self) -> Span {
        self.key.unwrap_or(self.span)
    }
}

/// Parses a document. Errors of syntax are findings; without any (but repeated keys) the table is
/// returned.
pub(super) fn parse_document(text: &str, source: usize, findings: &mut Findings) -> Option<Table> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut usable = true;
    let mut last_line = 0;
    for error in errors {
        let range = error.span().unwrap_or(0..0);
        let line = line_and_column(text, range.start).0;
        let repeated = error.message().starts_with("duplicate key");
        usable &= repeated;
        // One slip often gives several errors on its line: the first says it.
        if line == last_line {
            continue;
        }
        last_line = line;
        let (message, help) = word_syntax(error.message(), line_at(text, range.start));
        findings.add(Span::new(source, range), "", message, "", help);
    }
    usable.then(|| convert_table(table.into_inner(), source, 0))
}

/// Parses a single value that stands at `offset` of its text.
pub(super) fn parse_value(
    text: &str,
    source: usize,
    offset: usize,
) -> Result<Node, (String, Span)> {
    match DeValue::parse(text) {
        Ok(value) => {
            let range = value.span();
            Ok(convert(value.into_inner(), range, source, offset))
        }
        Err(error) => {
            let range = error.span().unwrap_or(0..text.len());
            let span = Span::new(source, range.start + offset..range.end + offset);
            Err((error.message().to_owned(), span))
        }
    }
}

/// A built-in default, written as in a plan. Text without quotes is taken as text.
pub(super) fn parse_default(text: &str) -> Node {
    let nowhere = Span::NOWHERE;
    match parse_value(text, nowhere.source, 0) {
        Ok(node) => node,
        Err(_) => Node::new(nowhere, Item::Text(text.to_owned())),
    }
}

fn convert_table(table: DeTable<'_>, source: usize, offset: usize) -> Table {
    table
        .into_iter()
        .map(|(key, value)| {
            let place = key.span();
            let range = value.span();
            let mut node = convert(value.into_inner(), range, source, offset);
            node.key = Some(Span::new(source, place.start + offset..place.end + offset));
            (key.into_inner().into_owned(), node)
        })
        .collect()
}

fn convert(
    value: DeValue<'_>,
    range: std::ops::Range<usize>,
    source: usize,
    offset: usize,
) -> Node {
    let item = match value {
        DeValue::String(text) => Item::Text(text.into_owned()),
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(value) => Item::Integer(value),
            // Too long for a whole number, still a number.
            Err(_) if integer.radix() == 10 => {
                Item::Float(integer.as_str().parse().unwrap_or(f64::INFINITY))
            }
            Err(_) => Item::Float(f64::INFINITY),
        },
        DeValue::Float(float) => Item::Float(float.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(value) => Item::Boolean(value),
        DeValue::Datetime(_) => Item::Date,
        DeValue::Array(items) => Item::List(
            items
                .into_iter()
                .map(|item| {
                    let range = item.span();
                    convert(item.into_inner(), range, source, offset)
                })
                .collect(),
        ),
        DeValue::Table(table) => Item::Table(convert_table(table, source, offset)),
    };
    let span = if source == Span::NOWHERE.source {
        Span::NOWHERE
    } else {
        Span::new(source, range.start + offset..range.end + offset)
    };
    Node::new(span, item)
}

/// Words for an error of TOML syntax, and the remedy for the slips that people make in plans.
fn word_syntax(message: &str, line: &str) -> (String, String) {
    let told = |m: &str| format!("the TOML syntax is wrong: {m}");
    if message.starts_with("duplicate key") {
        let help = "keep one of the two; a section may stand only once, too";
        return ("this key is given twice".to_owned(), help.to_owned());
    }
    if message.contains("recursion limit") {
        return (
            "nested too deeply".to_owned(),
            "no plan needs more than a few levels".to_owned(),
        );
    }
    let (key, value) = line
        .split_once('=')
        .map_or((line, ""), |(k, v)| (k.trim(), v.trim()));
    let value = value.split('#').next().unwrap_or_default().trim();
    let quotable = !key.is_empty() && !value.contains(['"', '\'', '[', ']', '{', '}', '=']);
    let help = if quotable && value.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        format!("a value with a unit stands in quotes: {key} = \"{value}\"")
    } else if quotable && value.starts_with(char::is_alphabetic) {
        format!("text stands in quotes: {key} = \"{value}\"")
    } else if value.matches(['"', '\'']).count() % 2 == 1 {
        "close the quotes".to_owned()
    } else if line.trim_start().starts_with('[') && !line.contains('=') {
        "a section starts with `[name]`, an entry of a list of tables with `[[name]]`".to_owned()
    } else {
        "a line of a plan is `key = value`, a section starts with `[name]`, text stands in quotes"
            .to_owned()
    };
    (told(message), help)
}
