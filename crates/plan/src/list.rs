//! Checking lists: of numbers with one unit for all, of rows, of texts and tables.

use tandem_quantity::{
    Dimension, Parameter, QuantityError, Range, Value, ValueKind, parse_quantity, parse_unit,
    split_quantity,
};

use super::check::Checker;
use super::node::{Item, Node};
use super::words;

/// The unit at the end of `[2, 3, "kN"]`, and the elements before it.
fn trailing_unit(items: &[Node]) -> (&[Node], Option<(&str, &Node)>) {
    if let Some((last, before)) = items.split_last()
        && let Item::Text(unit) = &last.item
        && matches!(split_quantity(unit), Err(QuantityError::NoNumber { .. }))
        // A misspelt quantity at the end of a list of quantities is no unit.
        && before.iter().any(|n| !matches!(n.item, Item::Text(_)))
    {
        return (before, Some((unit, last)));
    }
    (items, None)
}

impl Checker<'_> {
    /// The elements of a list, or a finding that there is none.
    fn items<'n>(&mut self, node: &'n Node, kind: ValueKind) -> Option<&'n [Node]> {
        if let Item::List(items) = &node.item {
            return Some(items);
        }
        let name = self.name();
        let help = match (&node.item, kind) {
            (Item::Table(_), ValueKind::Tables(_) | ValueKind::Slots(_)) => {
                format!(
                    "write `[[{}]]` with two brackets: one such header for each entry",
                    self.dotted()
                )
            }
            (Item::Text(text), ValueKind::Numbers(_) | ValueKind::Texts) => {
                format!("write {name} = [\"{text}\"]")
            }
            (Item::Integer(value), ValueKind::Integers) => format!("write {name} = [{value}]"),
            _ => format!("write for instance {name} = {}", words::sample(kind)),
        };
        self.wrong(
            node.span,
            format!("`{name}` is {}, not a list", node.item.describe()),
            words::expected(kind),
            help,
        );
        None
    }

    /// A list of anything: `each` checks one element, `lengths` bounds their number.
    pub fn list(
        &mut self,
        node: &Node,
        parameter: &Parameter,
        lengths: Option<Range>,
        each: impl Fn(&mut Self, &Node) -> Option<Value>,
    ) -> Option<Value> {
        let items = self.items(node, parameter.kind)?;
        let mut values = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            values.extend(self.within(&i.to_string(), |c| each(c, item)));
        }
        if let Some(lengths) = lengths
            && !lengths.contains(items.len() as f64)
        {
            let allowed = words::range(lengths, Dimension::NONE).unwrap_or_default();
            let name = self.name();
            let s = if items.len() == 1 { "" } else { "s" };
            let message = format!("`{name}` has {} element{s}", items.len());
            self.wrong(
                node.span,
                message,
                format!("a list of {allowed} elements"),
                format!("give {allowed} elements"),
            );
            return None;
        }
        (values.len() == items.len()).then_some(Value::List(values))
    }

    /// `["2 kN", "3 kN"]`, `[2, 3, "kN"]`, or plain numbers where no unit is needed.
    pub fn numbers(&mut self, node: &Node, dimension: Dimension, range: Range) -> Option<Value> {
        let items = self.items(node, ValueKind::Numbers(dimension))?;
        self.row(items, None, ValueKind::Numbers(dimension), dimension, range)
            .map(Value::List)
    }

    /// `[[2, -1], [-1, 1], "kN/m"]`: rows of equal length; a row may also carry its own unit.
    pub fn matrix(&mut self, node: &Node, dimension: Dimension, range: Range) -> Option<Value> {
        let kind = ValueKind::Matrix(dimension);
        let items = self.items(node, kind)?;
        let (rows, unit) = trailing_unit(items);
        let unit = match unit {
            Some((text, at)) => Some(self.unit(text, at, dimension)?),
            None => None,
        };
        let mut values = Vec::with_capacity(rows.len());
        let mut width = None;
        for (i, row) in rows.iter().enumerate() {
            let checked = self.within(&i.to_string(), |c| {
                let Item::List(items) = &row.item else {
                    let message = format!("row {i} is {}, not a list", row.item.describe());
                    let help = format!("give rows, as in {}", words::sample(kind));
                    c.wrong(
                        row.span,
                        message,
                        "a row: a list of numbers".to_owned(),
                        help,
                    );
                    return None;
                };
                let own = c.row(items, unit, kind, dimension, range)?;
                let first = *width.get_or_insert(own.len());
                if own.len() != first {
                    let message = format!("row {i} has {} numbers, row 0 has {first}", own.len());
                    let help = "give every row the same number of numbers".to_owned();
                    c.wrong(row.span, message, format!("{first} numbers"), help);
                    return None;
                }
                Some(Value::List(own))
            });
            // One wrong row that is no row at all speaks for the others, too.
            if checked.is_none() && !matches!(row.item, Item::List(_)) {
                return None;
            }
            values.extend(checked);
        }
        (values.len() == rows.len()).then_some(Value::List(values))
    }

    /// The numbers of one list; `outer` is a unit that holds for all of them unless they bring
    /// their own.
    fn row(
        &mut self,
        items: &[Node],
        outer: Option<&str>,
        kind: ValueKind,
        dimension: Dimension,
        range: Range,
    ) -> Option<Vec<Value>> {
        let (items, own) = trailing_unit(items);
        let unit = match own {
            Some((text, at)) => Some(self.unit(text, at, dimension)?.to_owned()),
            None => outer.map(str::to_owned),
        };
        let mut values = Vec::with_capacity(items.len());
        let mut told = false;
        for (i, item) in items.iter().enumerate() {
            let value = self.within(&i.to_string(), |c| {
                let value = match &item.item {
                    Item::Text(text) => c.quantity(text, item.span, dimension)?,
                    other => {
                        let bare = c.bare_number(other, item.span, ValueKind::Number(dimension))?;
                        match &unit {
                            // Through the text, so that 4 ms is the same number in a list and
                            // alone.
                            Some(unit) => {
                                c.quantity(&format!("{bare:?} {unit}"), item.span, dimension)?
                            }
                            None if dimension == Dimension::NONE => bare,
                            None => return Some(None),
                        }
                    }
                };
                c.in_range(value, item.span, dimension, range)
                    .then_some(Some(value))
            });
            match value {
                Some(Some(value)) => values.push(Value::Number(value)),
                // The unit is missing: once for the whole list.
                Some(None) if !told => {
                    told = true;
                    let message = format!("the unit of `{}` is missing", self.name());
                    let help = format!(
                        "end the list with its unit, as in {}, or give each number its own, as in \
                        \"{}\"",
                        words::sample(kind),
                        words::example(dimension)
                    );
                    self.wrong(item.span, message, words::expected(kind), help);
                }
                _ => {}
            }
        }
        (values.len() == items.len()).then_some(values)
    }

    /// Checks the unit of a whole list.
    fn unit<'t>(&mut self, text: &'t str, at: &Node, dimension: Dimension) -> Option<&'t str> {
        match parse_unit(text) {
            Ok(unit) if unit.dimension == dimension => Some(text),
            Ok(unit) => {
                self.dimension_wrong(text, unit.dimension, at.span, dimension);
                None
            }
            Err(_) => {
                // Ask for the symbol that is to blame, not the whole of `kn/m`.
                let symbol = match parse_quantity(&format!("1 {text}"), dimension) {
                    Err(QuantityError::UnknownUnit { symbol }) => symbol,
                    _ => text.to_owned(),
                };
                self.unit_unknown(&symbol, text, at.span, dimension);
                None
            }
        }
    }
}
