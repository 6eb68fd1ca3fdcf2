//! Checking a written plan against the declared tables: unknown, misplaced and missing keys,
//! methods, types.

use tandem_quantity::{
    Default, Method, Parameter, Registry, Slot, Value, ValueKind, Values, suggest,
};

use super::node::{Item, Node, Table, parse_default};
use super::refusal::Findings;
use super::shape::{DEEPEST, declared_in, method};
use super::source::{Span, Texts};
use super::words;

/// Walks the declaration and the written tree together and collects every finding.
pub(super) struct Checker<'a> {
    root: &'a [Parameter],
    registry: &'a Registry,
    pub texts: &'a Texts,
    pub findings: &'a mut Findings,
    /// Keys from the root to where the walk stands.
    path: Vec<String>,
}

/// Words for the section that `path` names.
fn section(path: &str) -> String {
    if path.is_empty() {
        "the plan".to_owned()
    } else {
        format!("[{path}]")
    }
}

impl<'a> Checker<'a> {
    pub fn new(
        root: &'a [Parameter],
        registry: &'a Registry,
        texts: &'a Texts,
        findings: &'a mut Findings,
    ) -> Self {
        Self {
            root,
            registry,
            texts,
            findings,
            path: Vec::new(),
        }
    }

    /// Checks the whole plan.
    pub fn plan(&mut self, tree: &Table) -> Values {
        let mut values = Values::new();
        self.keys(self.root, tree, self.texts.end_of_plan(), None, &mut values);
        values
    }

    /// Dotted path of the key where the walk stands.
    pub fn dotted(&self) -> String {
        self.path.join(".")
    }

    /// The last key of the path, for messages; an element of a list is named with its list.
    pub fn name(&self) -> String {
        let keys = self
            .path
            .iter()
            .rposition(|k| !k.bytes().all(|b| b.is_ascii_digit()))
            .unwrap_or(0);
        self.path.get(keys..).unwrap_or_default().join(".")
    }

    /// A finding at the key where the walk stands.
    pub fn wrong(&mut self, span: Span, message: String, expected: String, help: String) {
        let mut help = help;
        if span.is_nowhere() {
            help.push_str(" (this is the built-in default: the declaration of this key is wrong)");
        }
        let key = self.dotted();
        self.findings.add(span, &key, message, expected, help);
    }

    /// Runs `step` one key deeper.
    pub fn within<T>(&mut self, key: &str, step: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(key.to_owned());
        let result = step(self);
        self.path.pop();
        result
    }

    /// Checks the keys of one table. In a slot, `chosen` is the method that the table selects.
    fn keys(
        &mut self,
        declared: &[Parameter],
        written: &Table,
        header: Span,
        chosen: Option<(&'static dyn Slot, &'static Method)>,
        values: &mut Values,
    ) {
        let mut meant = Vec::new();
        for (key, node) in written {
            let known = declared.iter().any(|p| p.key == key)
                || chosen.is_some_and(|(slot, _)| slot.selector() == key);
            if !known {
                let by_default =
                    chosen.is_some_and(|(slot, _)| !written.contains_key(slot.selector()));
                let guess =
                    self.within(key, |c| c.unknown(declared, key, node, chosen, by_default));
                meant.extend(guess);
            }
        }
        for parameter in declared {
            let key = parameter.key;
            match written.get(key) {
                Some(node) => {
                    let Some(value) = self.within(key, |c| c.value(parameter, node)) else {
                        continue;
                    };
                    if self.is_default(parameter, &value) {
                        values.set_default(key, value);
                    } else {
                        values.set(key, value);
                    }
                }
                // A misspelt key is one mistake, not two.
                None if meant.contains(&key) => {}
                None => {
                    if let Some(value) = self.absent(parameter, header) {
                        values.set_default(key, value);
                    }
                }
            }
        }
    }

    /// A key that is not declared here. Returns the key that was probably meant.
    fn unknown(
        &mut self,
        declared: &[Parameter],
        key: &str,
        node: &Node,
        chosen: Option<(&'static dyn Slot, &'static Method)>,
        by_default: bool,
    ) -> Option<&'static str> {
        let dotted = self.dotted();
        let here = section(dotted.rsplit_once('.').map_or("", |(table, _)| table));
        let guess = suggest(key, declared.iter().map(|p| p.key));
        let allowed: Vec<&str> = chosen
            .iter()
            .map(|(s, _)| s.selector())
            .chain(declared.iter().map(|p| p.key))
            .collect();
        let list = match allowed.len() {
            0 => "no keys are known here".to_owned(),
            _ => format!("known keys here: {}", words::quoted(&allowed)),
        };
        let mut message = format!("unknown key `{key}` in {here}");
        let mut help = String::new();
        if let Some((slot, method)) = chosen {
            let default = if by_default { " (the default)" } else { "" };
            message = format!(
                "{message} with {} = \"{}\"{default}",
                slot.selector(),
                method.name
            );
            let methods = self.registry.methods(slot);
            let owners: Vec<&str> = methods
                .iter()
                .filter(|m| m.parameters.iter().any(|p| p.key == key))
                .map(|m| m.name)
                .collect();
            if !owners.is_empty() {
                let s = if owners.len() == 1 { "" } else { "s" };
                help = format!(
                    "`{key}` belongs to the {}{s} {}; ",
                    slot.selector(),
                    words::quoted(&owners)
                );
                if let (true, Some(owner)) = (by_default, owners.first()) {
                    help = format!(
                        "{help}add `{} = \"{owner}\"` to choose it; ",
                        slot.selector()
                    );
                }
            }
        }
        if help.is_empty() {
            let elsewhere = declared_in(self.root, self.registry, key, 3);
            if let Some(guess) = guess {
                help = format!("did you mean `{guess}`? ");
            }
            if !elsewhere.is_empty() {
                help = format!("{help}`{key}` belongs in {}; ", elsewhere.join(" or "));
            }
        }
        let expected = if allowed.is_empty() {
            "no key"
        } else {
            "a known key"
        };
        self.wrong(
            node.key_span(),
            message,
            expected.to_owned(),
            format!("{help}{list}"),
        );
        guess
    }

    /// Whether the plan writes what would hold without it, as a plan does that was written out as
    /// resolved.
    fn is_default(&mut self, parameter: &Parameter, value: &Value) -> bool {
        let Default::Is(text) = parameter.default else {
            return false;
        };
        let default = self.within(parameter.key, |c| c.value(parameter, &parse_default(text)));
        default.as_ref() == Some(value)
    }

    /// A key that is not written: its default, or a finding.
    fn absent(&mut self, parameter: &Parameter, header: Span) -> Option<Value> {
        match parameter.default {
            Default::Absent => None,
            Default::Is(_) if self.path.len() > DEEPEST => None,
            Default::Is(text) => {
                self.within(parameter.key, |c| c.value(parameter, &parse_default(text)))
            }
            Default::Required => {
                let here = section(&self.dotted());
                let key = parameter.key;
                let (message, help) = match parameter.kind {
                    ValueKind::Table(_) | ValueKind::Slot(_) if self.path.is_empty() => {
                        let line = match parameter.kind {
                            ValueKind::Slot(slot) => format!(" with `{} = \"…\"`", slot.selector()),
                            _ => String::new(),
                        };
                        (
                            format!("the section [{key}] is missing"),
                            format!("add `[{key}]`{line}: {}", parameter.doc),
                        )
                    }
                    kind => (
                        format!("`{key}` is missing in {here}"),
                        format!("add `{key} = {}`: {}", words::sample(kind), parameter.doc),
                    ),
                };
                let expected = words::expected(parameter.kind);
                self.within(key, |c| c.wrong(header, message, expected, help));
                None
            }
        }
    }

    /// Checks the value at a declared key.
    fn value(&mut self, parameter: &Parameter, node: &Node) -> Option<Value> {
        let range = parameter.range;
        match parameter.kind {
            ValueKind::Number(dimension) => self.number(node, dimension, range).map(Value::Number),
            ValueKind::Integer => self.integer(node, range).map(Value::Integer),
            ValueKind::Boolean => self.boolean(node).map(Value::Boolean),
            ValueKind::Text => self.text(node, parameter.kind).map(Value::Text),
            ValueKind::Choice(words) => self.choice(node, words).map(Value::Text),
            ValueKind::Path => {
                let written = self.text(node, parameter.kind)?;
                Some(Value::Text(self.texts.resolve(&written, node.span)))
            }
            ValueKind::Numbers(dimension) => self.numbers(node, dimension, range),
            ValueKind::Integers => self.list(node, parameter, None, |c, n| {
                c.integer(n, range).map(Value::Integer)
            }),
            ValueKind::Names => self.list(node, parameter, None, |c, n| match n.item {
                Item::Text(_) => c.text(n, ValueKind::Text).map(Value::Text),
                _ => c.integer(n, range).map(Value::Integer),
            }),
            ValueKind::Mixed => self.list(node, parameter, Some(range), |c, n| match n.item {
                Item::Integer(value) => Some(Value::Integer(value)),
                Item::Float(value) if value.is_finite() => Some(Value::Number(value)),
                Item::Boolean(value) => Some(Value::Boolean(value)),
                _ => c.text(n, ValueKind::Text).map(Value::Text),
            }),
            ValueKind::Texts => self.list(node, parameter, Some(range), |c, n| {
                c.text(n, ValueKind::Text).map(Value::Text)
            }),
            ValueKind::Matrix(dimension) => self.matrix(node, dimension, range),
            ValueKind::Table(keys) => self.table(node, keys),
            ValueKind::Open(slot) => self.table(node, &self.registry.keys(slot)),
            ValueKind::Tables(keys) => {
                self.list(node, parameter, Some(range), |c, n| c.table(n, keys))
            }
            ValueKind::Slot(slot) => self.slot(node, slot),
            ValueKind::Slots(slot) => {
                self.list(node, parameter, Some(range), |c, n| c.slot(n, slot))
            }
        }
    }

    fn table(&mut self, node: &Node, keys: &[Parameter]) -> Option<Value> {
        let Item::Table(written) = &node.item else {
            let name = self.name();
            let help = format!(
                "write a section `[{}]` or `{name} = {{ … }}`",
                self.dotted()
            );
            self.wrong(
                node.span,
                format!("`{name}` is {}", node.item.describe()),
                "a table".to_owned(),
                help,
            );
            return None;
        };
        let mut values = Values::new();
        self.keys(keys, written, node.span, None, &mut values);
        Some(Value::Table(values))
    }

    fn slot(&mut self, node: &Node, slot: &'static dyn Slot) -> Option<Value> {
        let name = self.name();
        let selector = slot.selector();
        let Item::Table(written) = &node.item else {
            let help = match &node.item {
                Item::Text(text) => format!(
                    "write `{name} = {{ {selector} = \"{text}\" }}` or a section `[{}]`",
                    self.dotted()
                ),
                _ => format!(
                    "write a section `[{}]` with `{selector} = \"…\"`",
                    self.dotted()
                ),
            };
            let message = format!("`{name}` is {}", node.item.describe());
            self.wrong(
                node.span,
                message,
                format!("a table with the key `{selector}`"),
                help,
            );
            return None;
        };
        let (chosen, span) = match written.get(selector).map(|n| (&n.item, n.span)) {
            Some((Item::Text(text), span)) => (text.as_str(), span),
            Some((other, span)) => {
                let message = format!("`{selector}` is {}", other.describe());
                let help = self.registry.menu(slot, None);
                self.within(selector, |c| {
                    c.wrong(span, message, "a name in quotes".to_owned(), help);
                });
                return None;
            }
            None if self.misspelt_selector(slot, written) => return None,
            None => match slot.default() {
                Some(default) => (default, node.span),
                None => {
                    let message = format!("`{selector}` is missing in {}", section(&self.dotted()));
                    let help = self.registry.menu(slot, None);
                    let expected = format!("`{selector} = \"…\"`");
                    self.within(selector, |c| c.wrong(node.span, message, expected, help));
                    return None;
                }
            },
        };
        let Some(method) = method(self.registry, slot, chosen) else {
            let message = format!(
                "unknown {selector} `{chosen}` for {}",
                section(&self.dotted())
            );
            let help = self.registry.menu(slot, Some(chosen));
            self.within(selector, |c| {
                c.wrong(span, message, format!("a known {selector}"), help);
            });
            return None;
        };
        let mut values = Values::new();
        values.set(selector, Value::Text(chosen.to_owned()));
        self.keys(
            method.parameters,
            written,
            node.span,
            Some((slot, method)),
            &mut values,
        );
        Some(Value::Table(values))
    }

    /// A selector that is missing because it is misspelt: then nothing can be said about the other
    /// keys.
    fn misspelt_selector(&mut self, slot: &'static dyn Slot, written: &Table) -> bool {
        let methods = self.registry.methods(slot);
        let known = |key: &str| {
            methods
                .iter()
                .any(|m| m.parameters.iter().any(|p| p.key == key))
        };
        let Some((key, node)) = written
            .iter()
            .find(|(key, _)| !known(key) && suggest(key, [slot.selector()]).is_some())
        else {
            return false;
        };
        let message = format!("unknown key `{key}` in {}", section(&self.dotted()));
        let help = format!(
            "did you mean `{}`? It chooses what the other keys mean",
            slot.selector()
        );
        self.within(key, |c| {
            c.wrong(node.key_span(), message, "a known key".to_owned(), help);
        });
        true
    }
}
