//! Checking single values: numbers with units, whole numbers, truth values, texts, choices.

use tandem_quantity::{
    Dimension, QuantityError, Range, ValueKind, parse_quantity, split_quantity, suggest,
};

use super::check::Checker;
use super::node::{Item, Node};
use super::source::Span;
use super::words;

/// Whole numbers up to here are exact as floating-point numbers.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Checker<'_> {
    /// A number in SI.
    pub fn number(&mut self, node: &Node, dimension: Dimension, range: Range) -> Option<f64> {
        let value = match &node.item {
            Item::Text(text) => self.quantity(text, node.span, dimension)?,
            item => {
                let value = self.bare_number(item, node.span, ValueKind::Number(dimension))?;
                if dimension != Dimension::NONE {
                    self.unit_missing(value, node.span, dimension);
                    return None;
                }
                value
            }
        };
        self.in_range(value, node.span, dimension, range)
            .then_some(value)
    }

    /// A finite number without unit, or a finding.
    // whole numbers beyond 2^53 are rounded, as everywhere in floating point
    pub fn bare_number(&mut self, item: &Item, span: Span, kind: ValueKind) -> Option<f64> {
        match item {
            Item::Integer(value) => Some(*value as f64),
            Item::Float(value) if value.is_finite() => Some(*value),
            Item::Float(_) => {
                self.not_finite(span);
                None
            }
            other => {
                self.wrong_type(other, span, kind);
                None
            }
        }
    }

    fn not_finite(&mut self, span: Span) {
        let message = format!("`{}` is not a finite number", self.name());
        self.wrong(
            span,
            message,
            "a finite number".to_owned(),
            "give a number below 1e308 in size".to_owned(),
        );
    }

    fn wrong_type(&mut self, item: &Item, span: Span, kind: ValueKind) {
        let name = self.name();
        let help = match (item, kind) {
            (Item::Text(text), ValueKind::Boolean | ValueKind::Integer)
                if text.trim().len() < 20 =>
            {
                format!("write it without quotes: {name} = {}", words::sample(kind))
            }
            (
                Item::Integer(_) | Item::Float(_) | Item::Boolean(_) | Item::Date,
                ValueKind::Text | ValueKind::Path,
            ) => "write it in quotes".to_owned(),
            (
                Item::List(_),
                ValueKind::Number(_)
                | ValueKind::Integer
                | ValueKind::Boolean
                | ValueKind::Text
                | ValueKind::Path
                | ValueKind::Choice(_),
            ) => {
                format!(
                    "give one value, not a list: {name} = {}",
                    words::sample(kind)
                )
            }
            _ => format!("write for instance {name} = {}", words::sample(kind)),
        };
        self.wrong(
            span,
            format!("`{name}` is {}", item.describe()),
            words::expected(kind),
            help,
        );
    }

    fn unit_missing(&mut self, value: f64, span: Span, dimension: Dimension) {
        let name = self.name();
        let (si, usual) = (
            words::in_si(value, dimension),
            words::usual(value, dimension),
        );
        let help = if si == usual {
            format!(
                "write \"{si}\" if it is in SI, or give another unit as in \"{}\"",
                words::example(dimension)
            )
        } else {
            format!("write \"{si}\" or \"{usual}\" if it is in SI, or give another unit")
        };
        self.wrong(
            span,
            format!("the unit of `{name}` is missing"),
            words::expected(ValueKind::Number(dimension)),
            help,
        );
    }

    /// A text such as `4 ms`, in SI.
    pub fn quantity(&mut self, text: &str, span: Span, dimension: Dimension) -> Option<f64> {
        let error = match parse_quantity(text, dimension) {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        let name = self.name();
        let kind = ValueKind::Number(dimension);
        match error {
            QuantityError::MissingUnit => {
                let value = split_quantity(text).map_or(0.0, |(value, _)| value);
                self.unit_missing(value, span, dimension);
            }
            QuantityError::NotFinite { .. } => self.not_finite(span),
            QuantityError::Circular { .. } => self.wrong(
                span,
                format!("`{name}` is a circular frequency"),
                words::expected(ValueKind::Number(dimension)),
                "write it in Hz: divide rad/s by 2π".to_owned(),
            ),
            QuantityError::NoNumber { .. } => {
                let message = format!("`{text}` does not start with a number");
                let help = format!("write for instance {name} = {}", words::sample(kind));
                self.wrong(span, message, words::expected(kind), help);
            }
            QuantityError::UnknownUnit { symbol } => {
                self.unit_unknown(&symbol, text, span, dimension);
            }
            QuantityError::WrongDimension { got, .. } => {
                self.dimension_wrong(text, got, span, dimension);
            }
        }
        None
    }

    /// A unit nobody knows, in the text `written`.
    pub fn unit_unknown(&mut self, symbol: &str, written: &str, span: Span, dimension: Dimension) {
        let guess = words::nearest_unit(symbol, dimension).map_or_else(String::new, |unit| {
            format!(
                "did you mean `{unit}`, as in \"{}\"? ",
                written.replacen(symbol, unit, 1)
            )
        });
        let help = match dimension {
            _ if symbol.starts_with(',') => format!(
                "write a decimal point: \"{}\"",
                written.replacen(',', ".", 1)
            ),
            Dimension::NONE => {
                format!("{guess}write a number without unit, or in %, rad, mrad or deg")
            }
            d => format!(
                "{guess}the SI unit is {}; units can be combined as in kN/m, N*s/m, m/s^2",
                words::si_symbol(d)
            ),
        };
        self.wrong(
            span,
            format!("unknown unit `{symbol}`"),
            words::expected(ValueKind::Number(dimension)),
            help,
        );
    }

    /// A known unit of something else, in the text `written`.
    pub fn dimension_wrong(
        &mut self,
        written: &str,
        got: Dimension,
        span: Span,
        dimension: Dimension,
    ) {
        let name = self.name();
        let (is, want) = (words::measure(got), words::measure(dimension));
        let message = format!("`{written}` is {is}, but `{name}` is {want}");
        let help = match dimension {
            Dimension::NONE => "leave the unit out".to_owned(),
            d => format!(
                "write a unit such as {} or one that gives {want}, as in \"{}\"",
                words::si_symbol(d),
                words::example(d)
            ),
        };
        self.wrong(
            span,
            message,
            words::expected(ValueKind::Number(dimension)),
            help,
        );
    }

    /// Whether a value lies in its range; a finding if not.
    pub fn in_range(&mut self, value: f64, span: Span, dimension: Dimension, range: Range) -> bool {
        if range.contains(value) {
            return true;
        }
        let allowed =
            words::range(range, dimension).unwrap_or_else(|| "a finite number".to_owned());
        let message = format!(
            "`{}` is {}, which is out of range",
            self.name(),
            words::usual(value, dimension)
        );
        self.wrong(
            span,
            message,
            allowed.clone(),
            format!("give a value {allowed}"),
        );
        false
    }

    /// A whole number; 3.0 is one, too.
    // checked against 2^53 first
    #[allow(clippy::cast_possible_truncation)]
    pub fn integer(&mut self, node: &Node, range: Range) -> Option<i64> {
        let value = match &node.item {
            Item::Integer(value) => *value,
            Item::Float(value) if !value.is_finite() => {
                self.not_finite(node.span);
                return None;
            }
            Item::Float(value) if value.fract() == 0.0 && value.abs() <= EXACT => *value as i64,
            Item::Float(value) if value.abs() > EXACT => {
                let message = format!("`{}` is too large for a whole number", self.name());
                let help = "give a number below 9e15 in size".to_owned();
                self.wrong(node.span, message, "a whole number".to_owned(), help);
                return None;
            }
            Item::Float(value) => {
                let message = format!("`{}` is {value}, which is not a whole number", self.name());
                let help = format!("write {} or {}", value.floor(), value.ceil());
                self.wrong(node.span, message, "a whole number".to_owned(), help);
                return None;
            }
            other => {
                self.wrong_type(other, node.span, ValueKind::Integer);
                return None;
            }
        };
        self.in_range(value as f64, node.span, Dimension::NONE, range)
            .then_some(value)
    }

    pub fn boolean(&mut self, node: &Node) -> Option<bool> {
        match &node.item {
            Item::Boolean(value) => Some(*value),
            other => {
                self.wrong_type(other, node.span, ValueKind::Boolean);
                None
            }
        }
    }

    /// A text, for a key of `kind` text or path.
    pub fn text(&mut self, node: &Node, kind: ValueKind) -> Option<String> {
        match &node.item {
            Item::Text(text) => Some(text.clone()),
            other => {
                self.wrong_type(other, node.span, kind);
                None
            }
        }
    }

    pub fn choice(&mut self, node: &Node, allowed: &'static [&'static str]) -> Option<String> {
        let kind = ValueKind::Choice(allowed);
        let text = self.text(node, kind)?;
        if allowed.contains(&text.as_str()) {
            return Some(text);
        }
        let name = self.name();
        let help = match suggest(&text, allowed.iter().copied()) {
            Some(guess) => format!("did you mean \"{guess}\"?"),
            None => format!("write for instance {name} = {}", words::sample(kind)),
        };
        self.wrong(
            node.span,
            format!("`{text}` is not a choice for `{name}`"),
            words::expected(kind),
            help,
        );
        None
    }
}
