//! `--set integration.dt=2ms`: keys given on the command line, laid on top of the files.

use tandem_quantity::{Default, ValueKind};

use super::layer::{EXTENDS, merge};
use super::node::{Item, Node, Table, parse_default, parse_value};
use super::refusal::Findings;
use super::shape::Shape;
use super::source::{Span, Texts};

/// What messages call the place of an override.
const NAME: &str = "--set";

struct Override {
    segments: Vec<Segment>,
    /// The value as it stands, for keys that want text: `name=5` is the text "5" there.
    raw: String,
    value: Node,
}

struct Segment {
    name: String,
    span: Span,
}

/// Lays all overrides on top of `tree`. Those that choose a method come first, so that the order in
/// which they are given does not matter.
pub(super) fn apply(
    root: Shape<'_>,
    tree: &mut Table,
    overrides: &[String],
    texts: &mut Texts,
    findings: &mut Findings,
) {
    let mut waiting: Vec<Override> = overrides
        .iter()
        .filter_map(|text| split(text, texts, findings))
        .collect();
    // Stable: among equally deep ones the later wins.
    let mut order: Vec<usize> = (0..waiting.len()).collect();
    order.sort_by_key(|i| waiting.get(*i).map_or(0, |o| o.segments.len()));
    let mut done = vec![false; waiting.len()];
    for i in order {
        if let (Some(o), Some(flag)) = (waiting.get(i), done.get_mut(i))
            && chooses_method(o, tree, root)
        {
            *flag = true;
            set(tree, root, &o.segments, o, findings);
        }
    }
    for (o, _) in waiting.drain(..).zip(done).filter(|(_, done)| !done) {
        set(tree, root, &o.segments, &o, findings);
    }
}

fn split(text: &str, texts: &mut Texts, findings: &mut Findings) -> Option<Override> {
    let source = texts.push_plain(NAME, text);
    let Some((path, raw)) = text.split_once('=') else {
        let all = Span::new(source, 0..text.len());
        let help = "write --set section.key=value, for instance --set integration.dt=2ms";
        findings.add(all, "", format!("`{text}` has no `=`"), "key=value", help);
        return None;
    };
    let mut segments = Vec::new();
    let mut start = 0;
    for part in path.split('.') {
        let name = part.trim();
        let lead = part.len() - part.trim_start().len();
        let span = Span::new(source, start + lead..start + lead + name.len());
        if name.is_empty() {
            let help =
                "write the path of a key with dots between its parts, such as integration.dt";
            findings.add(
                span,
                "",
                "a part of the key is empty",
                "a dotted path",
                help,
            );
            return None;
        }
        segments.push(Segment {
            name: name.to_owned(),
            span,
        });
        start += part.len() + 1;
    }
    let dotted = path.trim();
    if segments.first().is_some_and(|s| s.name == EXTENDS) {
        let span = Span::new(source, 0..path.len());
        let help = "write the `extends` line in the plan file";
        findings.add(
            span,
            dotted,
            "`extends` cannot be set from the command line",
            "another key",
            help,
        );
        return None;
    }
    let offset = path.len() + 1 + (raw.len() - raw.trim_start().len());
    let raw = raw.trim();
    if raw.is_empty() {
        let span = Span::new(source, text.len()..text.len());
        let help = format!("write --set {dotted}=value; an empty text is {dotted}='\"\"'");
        findings.add(
            span,
            dotted,
            "the value is missing",
            "a value after the `=`",
            help,
        );
        return None;
    }
    let value = match parse_value(raw, source, offset) {
        Ok(node) => node,
        Err((message, span)) if raw.starts_with(['[', '{', '"', '\'']) => {
            let help = "lists and quoted texts are written as in TOML: [1, 2, \"kg\"]; the shell \
                may need '…' around them";
            findings.add(
                span,
                dotted,
                format!("the value cannot be read: {message}"),
                "a TOML value",
                help,
            );
            return None;
        }
        Err(_) => Node::new(
            Span::new(source, offset..offset + raw.len()),
            Item::Text(raw.to_owned()),
        ),
    };
    Some(Override {
        segments,
        raw: raw.to_owned(),
        value,
    })
}

fn chooses_method(o: &Override, tree: &Table, root: Shape<'_>) -> bool {
    let Some((last, path)) = o.segments.split_last() else {
        return false;
    };
    let empty = Table::new();
    let (mut table, mut shape) = (tree, root);
    let mut path = path.iter();
    while let Some(segment) = path.next() {
        shape = shape.at(shape.kind(table, &segment.name));
        table = match table.get(&segment.name).map(|n| &n.item) {
            Some(Item::Table(below)) => below,
            Some(Item::List(items)) => {
                let element = path
                    .next()
                    .and_then(|s| s.name.parse::<usize>().ok())
                    .and_then(|i| items.get(i));
                match element.map(|n| &n.item) {
                    Some(Item::Table(below)) => below,
                    _ => return false,
                }
            }
            _ => &empty,
        };
    }
    shape.is_selector(&last.name)
}

fn set(
    table: &mut Table,
    shape: Shape<'_>,
    path: &[Segment],
    o: &Override,
    findings: &mut Findings,
) {
    let Some((first, rest)) = path.split_first() else {
        return;
    };
    let kind = shape.kind(table, &first.name);
    if rest.is_empty() {
        let wants_text = shape.is_selector(&first.name)
            || matches!(
                kind,
                Some(ValueKind::Text | ValueKind::Choice(_) | ValueKind::Path)
            );
        let mut node = coerce(o, wants_text);
        node.key = Some(first.span);
        // A table is given as a whole; its keys one by one are set one by one.
        if matches!(node.item, Item::Table(_)) {
            table.remove(&first.name);
        }
        merge(table, Table::from([(first.name.clone(), node)]), shape);
        return;
    }
    let parameters = shape.parameters(table);
    let declared = parameters.iter().find(|p| p.key == first.name);
    let filled = matches!(declared.map(|p| p.default), Some(Default::Is(_)));
    if kind.is_some_and(is_list) && !filled && !table.contains_key(&first.name) {
        let key = &first.name;
        let help = format!("write `{key}` in the plan file, or set the whole list");
        let message = format!(
            "the plan gives no `{key}`, so it has no element `{}`",
            rest.first().map_or("", |s| &s.name)
        );
        findings.add(
            first.span,
            &dotted(o),
            message,
            "a list that is in the plan",
            help,
        );
        return;
    }
    let node = table.entry(first.name.clone()).or_insert_with(|| {
        let mut node = match declared.map(|p| p.default) {
            Some(Default::Is(text)) => parse_default(text),
            _ => Node::new(first.span, Item::Table(Table::new())),
        };
        node.key = Some(first.span);
        node
    });
    descend(node, shape.at(kind), kind, (first, rest), o, findings);
}

/// Goes on below `node`, which stands at the key `at`.
fn descend(
    node: &mut Node,
    shape: Shape<'_>,
    kind: Option<ValueKind>,
    (at, rest): (&Segment, &[Segment]),
    o: &Override,
    findings: &mut Findings,
) {
    let Some((next, below)) = rest.split_first() else {
        return;
    };
    match &mut node.item {
        Item::Table(table) => set(table, shape, rest, o, findings),
        Item::List(items) => {
            let count = items.len();
            let Some(element) = next
                .name
                .parse::<usize>()
                .ok()
                .and_then(|i| items.get_mut(i))
            else {
                let expected = if count == 0 {
                    "a list with elements"
                } else {
                    "the number of an element"
                };
                let help = match count {
                    0 => format!(
                        "the plan gives no element of `{}`: write the whole list there",
                        at.name
                    ),
                    1 => format!("write {}.0: elements are counted from 0", at.name),
                    n => format!(
                        "write {}.0 to {}.{}: elements are counted from 0",
                        at.name,
                        at.name,
                        n - 1
                    ),
                };
                let s = if count == 1 { "" } else { "s" };
                let message = format!(
                    "`{}` has {count} element{s}, none is `{}`",
                    at.name, next.name
                );
                findings.add(next.span, &dotted(o), message, expected, help);
                return;
            };
            if below.is_empty() {
                *element = coerce(o, matches!(kind, Some(ValueKind::Texts)));
            } else if let Item::Table(table) = &mut element.item {
                set(table, shape, below, o, findings);
            } else {
                descend(element, shape.at(None), None, (next, below), o, findings);
            }
        }
        other => {
            let message = format!(
                "`{}` is {}, it has no `{}`",
                at.name,
                other.describe(),
                next.name
            );
            let help = format!("set `{}` itself", at.name);
            findings.add(next.span, &dotted(o), message, "the end of the path", help);
        }
    }
}

fn dotted(o: &Override) -> String {
    o.segments
        .iter()
        .map(|s| s.name.as_str())
        .collect::<Vec<_>>()
        .join(".")
}

fn coerce(o: &Override, wants_text: bool) -> Node {
    let mut node = o.value.clone();
    let plain = !matches!(node.item, Item::Text(_) | Item::List(_) | Item::Table(_));
    if wants_text && plain {
        node.item = Item::Text(o.raw.clone());
    }
    node
}

fn is_list(kind: ValueKind) -> bool {
    matches!(
        kind,
        ValueKind::Numbers(_)
            | ValueKind::Integers
            | ValueKind::Texts
            | ValueKind::Names
            | ValueKind::Mixed
            | ValueKind::Matrix(_)
            | ValueKind::Tables(_)
            | ValueKind::Slots(_)
    )
}
