//! Words for messages: kinds, ranges and values as a person would write them, and the suggest known
//! word.

use tandem_quantity::{Dimension, Range, ValueKind, parse_unit, suggest, unit_symbols};

/// Units in which people write a dimension, small to large, beside the SI unit.
fn usual_units(dimension: Dimension) -> &'static [&'static str] {
    match dimension {
        Dimension::TIME => &["us", "ms", "s"],
        Dimension::FREQUENCY => &["Hz", "kHz"],
        Dimension::LENGTH => &["um", "mm", "m"],
        Dimension::AREA => &["mm^2", "cm^2", "m^2"],
        Dimension::INERTIA => &["mm^4", "cm^4", "m^4"],
        Dimension::VELOCITY => &["mm/s", "m/s"],
        Dimension::MASS => &["kg", "t"],
        Dimension::FORCE => &["N", "kN", "MN"],
        Dimension::ENERGY => &["N*m", "kN*m"],
        Dimension::POWER => &["W", "kW"],
        Dimension::STIFFNESS => &["N/m", "kN/m"],
        Dimension::DAMPING => &["N*s/m", "kN*s/m"],
        Dimension::STRESS => &["Pa", "kPa", "MPa", "GPa"],
        _ => &[],
    }
}

/// The SI unit as it can be written in a plan; empty for a pure number.
pub(super) fn si_symbol(dimension: Dimension) -> String {
    if dimension == Dimension::NONE {
        String::new()
    } else {
        dimension.to_string()
    }
}

/// A number without noise: at most twelve digits.
pub(super) fn number(value: f64) -> String {
    let rounded: f64 = format!("{value:.11e}").parse().unwrap_or(value);
    if rounded == 0.0 {
        "0".to_owned()
    } else if (1e-4..1e9).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

/// A value with its SI unit.
pub(super) fn in_si(value: f64, dimension: Dimension) -> String {
    let symbol = si_symbol(dimension);
    if symbol.is_empty() {
        number(value)
    } else {
        format!("{} {symbol}", number(value))
    }
}

/// A value in the unit that people would take for its size.
pub(super) fn usual(value: f64, dimension: Dimension) -> String {
    let size = value.abs();
    let mut best: Option<(&str, f64)> = None;
    for symbol in usual_units(dimension) {
        if let Ok(unit) = parse_unit(symbol)
            && (best.is_none() || size >= unit.factor * (1.0 - 1e-12))
        {
            best = Some((symbol, unit.factor));
        }
    }
    match best {
        Some((symbol, factor)) if size > 0.0 && size.is_finite() => {
            format!("{} {symbol}", number(value / factor))
        }
        _ => in_si(value, dimension),
    }
}

/// A range in words; none when everything finite is allowed.
pub(super) fn range(range: Range, dimension: Dimension) -> Option<String> {
    let (min, max) = (usual(range.min, dimension), usual(range.max, dimension));
    let lower = range.min > f64::NEG_INFINITY;
    match (lower, range.max < f64::INFINITY) {
        (false, false) => None,
        (true, false) if range.open_min => Some(format!("greater than {min}")),
        (true, false) => Some(format!("at least {min}")),
        (false, true) => Some(format!("at most {max}")),
        (true, true) if range.open_min => Some(format!("greater than {min}, at most {max}")),
        (true, true) if min == max => Some(min),
        (true, true) => Some(format!("from {min} to {max}")),
    }
}

/// What a dimension measures: `a time`.
pub(super) fn measure(dimension: Dimension) -> String {
    let words = dimension.describe();
    if words == "a quantity with its unit" {
        return format!("a quantity in {dimension}");
    }
    words.split(',').next().unwrap_or(words).to_owned()
}

/// A value of this dimension for an example: `4 ms`.
pub(super) fn example(dimension: Dimension) -> String {
    match dimension.describe().split('"').nth(1) {
        Some(example) => example.to_owned(),
        None if dimension == Dimension::NONE => "0.5".to_owned(),
        None => format!("1 {dimension}"),
    }
}

/// What may stand at a key of this kind.
pub(super) fn expected(kind: ValueKind) -> String {
    match kind {
        ValueKind::Number(Dimension::NONE) => "a number".to_owned(),
        ValueKind::Number(d) => format!("{}, such as \"{}\"", measure(d), example(d)),
        ValueKind::Integer => "a whole number".to_owned(),
        ValueKind::Boolean => "true or false".to_owned(),
        ValueKind::Text => "a text in quotes".to_owned(),
        ValueKind::Choice(words) => format!("one of {}", quoted(words)),
        ValueKind::Path => "the path of a file in quotes".to_owned(),
        ValueKind::Numbers(_)
        | ValueKind::Integers
        | ValueKind::Texts
        | ValueKind::Names
        | ValueKind::Mixed
        | ValueKind::Matrix(_) => {
            format!("a list, such as {}", sample(kind))
        }
        ValueKind::Table(_) | ValueKind::Open(_) => "a table".to_owned(),
        ValueKind::Tables(_) | ValueKind::Slots(_) => "a list of tables".to_owned(),
        ValueKind::Slot(slot) => format!("a table with the key `{}`", slot.selector()),
    }
}

/// A value of this kind, written as in a plan.
pub(super) fn sample(kind: ValueKind) -> String {
    match kind {
        ValueKind::Number(Dimension::NONE) => "0.5".to_owned(),
        ValueKind::Number(d) => format!("\"{}\"", example(d)),
        ValueKind::Integer => "2".to_owned(),
        ValueKind::Boolean => "true".to_owned(),
        ValueKind::Text => "\"…\"".to_owned(),
        ValueKind::Choice(words) => format!("\"{}\"", words.first().unwrap_or(&"…")),
        ValueKind::Path => "\"file.txt\"".to_owned(),
        ValueKind::Numbers(Dimension::NONE) => "[1.0, 2.0]".to_owned(),
        ValueKind::Numbers(d) => format!("[1, 2, \"{}\"]", si_symbol(d)),
        ValueKind::Integers => "[1, 2]".to_owned(),
        ValueKind::Texts => "[\"a\", \"b\"]".to_owned(),
        ValueKind::Names => "[1, \"B1 ux\"]".to_owned(),
        ValueKind::Mixed => "[0.2, \"2 kN\", true]".to_owned(),
        ValueKind::Matrix(Dimension::NONE) => "[[1, 0], [0, 1]]".to_owned(),
        ValueKind::Matrix(d) => format!("[[2, -1], [-1, 1], \"{}\"]", si_symbol(d)),
        ValueKind::Table(_) | ValueKind::Open(_) => "{ … }".to_owned(),
        ValueKind::Tables(_) => "[{ … }]".to_owned(),
        ValueKind::Slot(slot) => format!("{{ {} = \"…\" }}", slot.selector()),
        ValueKind::Slots(slot) => format!("[{{ {} = \"…\" }}]", slot.selector()),
    }
}

/// "`a`, `b`, `c`".
pub(super) fn quoted(words: &[&str]) -> String {
    words
        .iter()
        .map(|w| format!("`{w}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Spellings that no edit distance finds.
const SYNONYMS: &[(&str, &str)] = &[
    ("sec", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("millisecond", "ms"),
    ("milliseconds", "ms"),
    ("msec", "ms"),
    ("minute", "min"),
    ("minutes", "min"),
    ("hertz", "Hz"),
    ("meter", "m"),
    ("meters", "m"),
    ("metre", "m"),
    ("metres", "m"),
    ("inch", "in"),
    ("inches", "in"),
    ("feet", "ft"),
    ("newton", "N"),
    ("newtons", "N"),
    ("ton", "t"),
    ("tons", "t"),
    ("tonne", "t"),
    ("tonnes", "t"),
    ("kips", "kip"),
    ("lbs", "lb"),
    ("percent", "%"),
    ("°", "deg"),
    ("degree", "deg"),
    ("degrees", "deg"),
    ("kgs", "kg"),
];

/// The unit that was probably meant, one of the expected dimension if there is one.
pub(super) fn nearest_unit(symbol: &str, dimension: Dimension) -> Option<&'static str> {
    let lower = symbol.to_lowercase();
    if let Some((_, unit)) = SYNONYMS.iter().find(|(word, _)| *word == lower) {
        return Some(unit);
    }
    let fits = |u: &&'static str| parse_unit(u).is_ok_and(|p| p.dimension == dimension);
    let same_letters = |u: &&'static str| u.to_lowercase() == lower;
    unit_symbols()
        .find(|u| same_letters(u) && fits(u))
        .or_else(|| unit_symbols().find(same_letters))
        .or_else(|| suggest(symbol, unit_symbols().filter(fits).filter(|u| u.len() > 1)))
}
