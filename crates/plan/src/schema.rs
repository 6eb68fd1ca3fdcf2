//! The declaration as JSON Schema 2020-12, for editors that complete and check TOML while one
//! types.

use schemars::Schema;
use serde_json::{Map, Value as Json, json};
use tandem_quantity::{
    Default, Dimension, Method, Parameter, Range, Registry, Slot, ValueKind, parse_unit,
    unit_symbols, whole,
};

use super::layer::EXTENDS;
use super::node::{Item, parse_default};
use super::shape::Form;
use super::words;

/// The JSON Schema of a plan. What it cannot say (a unit composed to the wrong dimension, sizes
/// that do not match) is left to [`read`](super::read).
pub fn json_schema(root: &[Parameter], registry: &Registry) -> Schema {
    let shared = Shared::of(root, registry);
    let mut schema = shared.object(root, None);
    if let Some(properties) = schema.get_mut("properties").and_then(Json::as_object_mut) {
        let about = "Path of a plan to build on, relative to this file, or a list of them, of \
            which a later one wins. Keys of this file win over their keys.";
        properties.insert(
            EXTENDS.to_owned(),
            json!({
                "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }],
                "description": about,
            }),
        );
    }
    let mut add = |key: &str, value: Json| schema.insert(key.to_owned(), value);
    add(
        "$schema",
        json!("https://json-schema.org/draft/2020-12/schema"),
    );
    add("title", json!("Tandem plan"));
    // A plan that extends another may leave to it whatever is required.
    add("if", json!({ "required": [EXTENDS] }));
    add("else", shared.completeness(root));
    if !shared.slots.is_empty() {
        add("$defs", shared.definitions());
    }
    Schema::from(schema)
}

/// Slots that stand in several places, or inside themselves: they are defined once under a name.
struct Shared<'a> {
    registry: &'a Registry,
    slots: Vec<(&'static dyn Slot, String)>,
}

impl<'a> Shared<'a> {
    fn of(root: &[Parameter], registry: &'a Registry) -> Self {
        let mut found = Vec::new();
        count(root, registry, &mut found);
        let mut slots: Vec<(&'static dyn Slot, String)> = Vec::new();
        for (slot, key, times) in found {
            if times > 1 {
                let taken = slots
                    .iter()
                    .filter(|(_, name)| name.starts_with(key))
                    .count();
                let name = if taken == 0 {
                    key.to_owned()
                } else {
                    format!("{key}-{}", taken + 1)
                };
                slots.push((slot, name));
            }
        }
        Self { registry, slots }
    }

    fn name(&self, slot: &'static dyn Slot) -> Option<&str> {
        let known = self
            .slots
            .iter()
            .find(|(known, _)| known.name() == slot.name())?;
        Some(&known.1)
    }

    fn definitions(&self) -> Json {
        let mut definitions = Map::new();
        for (slot, name) in &self.slots {
            definitions.insert(name.clone(), self.variants(*slot));
            definitions.insert(format!("complete-{name}"), self.complete_variants(*slot));
        }
        Json::Object(definitions)
    }

    /// A table: its keys and no others. In a slot, `method` is the one that the selector names.
    fn keys(
        &self,
        declared: &[Parameter],
        method: Option<(&'static dyn Slot, &'static Method)>,
    ) -> Json {
        Json::Object(self.object(declared, method))
    }

    fn object(
        &self,
        declared: &[Parameter],
        method: Option<(&'static dyn Slot, &'static Method)>,
    ) -> Map<String, Json> {
        let mut properties = Map::new();
        if let Some((slot, method)) = method {
            let mut selector = json!({ "const": method.name, "description": method.summary });
            if slot.default() == Some(method.name) {
                selector["default"] = json!(method.name);
            }
            properties.insert(slot.selector().to_owned(), selector);
        }
        for parameter in declared {
            properties.insert(parameter.key.to_owned(), self.property(parameter));
        }
        let mut schema = Map::new();
        let mut add = |key: &str, value: Json| schema.insert(key.to_owned(), value);
        add("type", json!("object"));
        add("properties", Json::Object(properties));
        add("additionalProperties", json!(false));
        if let Some((slot, method)) = method {
            add("title", json!(method.name));
            add("description", json!(method.summary));
            if slot.default() != Some(method.name) {
                add("required", json!([slot.selector()]));
            }
        }
        schema
    }

    fn property(&self, parameter: &Parameter) -> Json {
        let range = parameter.range;
        let mut schema = match parameter.kind {
            ValueKind::Number(dimension) => number(dimension, range),
            ValueKind::Integer => bounded(json!({ "type": "integer" }), range),
            ValueKind::Boolean => json!({ "type": "boolean" }),
            ValueKind::Text | ValueKind::Path => json!({ "type": "string" }),
            ValueKind::Choice(words) => json!({ "enum": words }),
            ValueKind::Numbers(dimension) => numbers(dimension, range),
            ValueKind::Integers => {
                json!({ "type": "array", "items": bounded(json!({ "type": "integer" }), range) })
            }
            ValueKind::Names => {
                let number = bounded(json!({ "type": "integer" }), range);
                json!({ "type": "array", "items": { "anyOf": [number, { "type": "string" }] } })
            }
            ValueKind::Mixed => sized(
                json!({ "type": "array", "items": { "type": ["string", "number", "boolean"] } }),
                range,
            ),
            ValueKind::Texts => sized(
                json!({ "type": "array", "items": { "type": "string" } }),
                range,
            ),
            ValueKind::Matrix(dimension) => {
                // A row needs no unit of its own when the last element is the unit of all.
                let row = json!({ "type": "array",
                    "items": { "anyOf": [number(Dimension::NONE, Range::ANY), text(dimension)] } });
                json!({ "type": "array", "items": { "anyOf": [row, unit(dimension)] } })
            }
            ValueKind::Table(below) => self.keys(below, None),
            ValueKind::Open(slot) => self.keys(&self.registry.keys(slot), None),
            ValueKind::Tables(below) => sized(
                json!({ "type": "array", "items": self.keys(below, None) }),
                range,
            ),
            ValueKind::Slot(below) => self.slot(below),
            ValueKind::Slots(below) => {
                sized(json!({ "type": "array", "items": self.slot(below) }), range)
            }
        };
        schema["description"] = json!(description(parameter));
        if let Default::Is(text) = parameter.default
            && let Some(default) = to_json(&parse_default(text).item)
        {
            schema["default"] = default;
        }
        schema
    }

    fn slot(&self, slot: &'static dyn Slot) -> Json {
        match self.name(slot) {
            Some(name) => json!({ "$ref": format!("#/$defs/{name}") }),
            None => self.variants(slot),
        }
    }

    fn variants(&self, slot: &'static dyn Slot) -> Json {
        let variants: Vec<Json> = self
            .registry
            .methods(slot)
            .into_iter()
            .map(|m| self.keys(m.parameters, Some((slot, m))))
            .collect();
        json!({ "type": "object", "oneOf": variants })
    }

    /// What must be there, and nothing else: the same tree with only its required keys.
    fn completeness(&self, declared: &[Parameter]) -> Json {
        let required: Vec<&str> = declared
            .iter()
            .filter(|p| matches!(p.default, Default::Required))
            .map(|p| p.key)
            .collect();
        let mut properties = Map::new();
        for parameter in declared {
            let below = match parameter.kind {
                ValueKind::Table(keys) => self.completeness(keys),
                ValueKind::Open(slot) => self.completeness(&self.registry.keys(slot)),
                ValueKind::Tables(keys) => json!({ "items": self.completeness(keys) }),
                ValueKind::Slot(slot) => self.complete_slot(slot),
                ValueKind::Slots(slot) => json!({ "items": self.complete_slot(slot) }),
                _ => continue,
            };
            properties.insert(parameter.key.to_owned(), below);
        }
        json!({ "required": required, "properties": properties })
    }

    fn complete_slot(&self, slot: &'static dyn Slot) -> Json {
        match self.name(slot) {
            Some(name) => json!({ "$ref": format!("#/$defs/complete-{name}") }),
            None => self.complete_variants(slot),
        }
    }

    fn complete_variants(&self, slot: &'static dyn Slot) -> Json {
        let mut cases: Vec<Json> = Vec::new();
        for method in self.registry.methods(slot) {
            let mut chosen = json!({ "properties": { slot.selector(): { "const": method.name } } });
            if slot.default() != Some(method.name) {
                chosen["required"] = json!([slot.selector()]);
            }
            cases.push(json!({ "if": chosen, "then": self.completeness(method.parameters) }));
        }
        if cases.is_empty() {
            json!({})
        } else {
            json!({ "allOf": cases })
        }
    }
}

/// How often each slot stands somewhere, with the key where it stands first.
fn count(
    declared: &[Parameter],
    registry: &Registry,
    found: &mut Vec<(&'static dyn Slot, &'static str, usize)>,
) {
    for parameter in declared {
        match Form::of(Some(parameter.kind)) {
            Form::Keys(below) => count(below, registry, found),
            Form::Open(slot) => count(&registry.keys(slot), registry, found),
            Form::Slot(slot) => {
                if let Some(known) = found.iter_mut().find(|known| known.0.name() == slot.name()) {
                    known.2 += 1;
                    continue;
                }
                found.push((slot, parameter.key, 1));
                for method in registry.methods(slot) {
                    count(method.parameters, registry, found);
                }
            }
            Form::Unknown => {}
        }
    }
}

fn description(parameter: &Parameter) -> String {
    let dimension = match parameter.kind {
        ValueKind::Number(d) | ValueKind::Numbers(d) | ValueKind::Matrix(d) => d,
        _ => Dimension::NONE,
    };
    let range =
        words::range(parameter.range, dimension).map_or_else(String::new, |r| format!(" ({r})"));
    format!("{}{range}", parameter.doc)
}

fn bounded(mut schema: Json, range: Range) -> Json {
    if range.min.is_finite() {
        schema[if range.open_min {
            "exclusiveMinimum"
        } else {
            "minimum"
        }] = json!(range.min);
    }
    if range.max.is_finite() {
        schema["maximum"] = json!(range.max);
    }
    schema
}

// lengths of lists, clamped to zero and above
fn sized(mut schema: Json, range: Range) -> Json {
    if range.min.is_finite() && range.min >= 0.0 {
        let least = if range.open_min {
            range.min.floor() + 1.0
        } else {
            range.min.ceil()
        };
        schema["minItems"] = json!(whole(least));
    }
    if range.max.is_finite() && range.max >= 0.0 {
        schema["maxItems"] = json!(whole(range.max.floor()));
    }
    schema
}

fn number(dimension: Dimension, range: Range) -> Json {
    if dimension == Dimension::NONE {
        return json!({ "anyOf": [bounded(json!({ "type": "number" }), range), text(dimension)] });
    }
    text(dimension)
}

fn numbers(dimension: Dimension, range: Range) -> Json {
    let bare = if dimension == Dimension::NONE {
        bounded(json!({ "type": "number" }), range)
    } else {
        json!({ "type": "number" })
    };
    let items = json!({ "anyOf": [bare, text(dimension), unit(dimension)] });
    let mut schema = json!({ "type": "array", "items": items });
    if dimension != Dimension::NONE {
        // Bare numbers need a unit somewhere in the list.
        schema["anyOf"] = json!([{ "maxItems": 0 }, { "contains": { "type": "string" } }]);
        schema["examples"] = json!([[1, 2, words::si_symbol(dimension)]]);
    }
    schema
}

/// A quantity in quotes.
fn text(dimension: Dimension) -> Json {
    let digits = r"[+-]?([0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)([eE][+-]?[0-9]+)?";
    let optional = if dimension == Dimension::NONE {
        "?"
    } else {
        ""
    };
    let pattern = format!(r"^\s*{digits}\s*({}){optional}\s*$", units(dimension));
    json!({ "type": "string", "pattern": pattern, "examples": [words::example(dimension)] })
}

/// The unit of a list.
fn unit(dimension: Dimension) -> Json {
    json!({ "type": "string", "pattern": format!(r"^\s*({})\s*$", units(dimension)) })
}

/// A pattern for units: the symbols of this dimension, or any that are composed.
fn units(dimension: Dimension) -> String {
    let alternatives = |accept: &dyn Fn(&str) -> bool| {
        let mut symbols: Vec<&str> = unit_symbols().filter(|s| accept(s)).collect();
        symbols.sort_unstable_by_key(|s| std::cmp::Reverse(s.len()));
        symbols.join("|")
    };
    let own = alternatives(&|s| parse_unit(s).is_ok_and(|u| u.dimension == dimension));
    let any = alternatives(&|_| true);
    let power = r"(\^-?[0-9]|[2-6]|²|³|⁴)";
    let composed = format!(r"(1|({any}){power}?)(\s*[*·/ ]\s*({any}){power}?)+|({any}){power}");
    if own.is_empty() {
        composed
    } else {
        format!("{own}|{composed}")
    }
}

fn to_json(item: &Item) -> Option<Json> {
    Some(match item {
        Item::Text(text) => json!(text),
        Item::Integer(value) => json!(value),
        Item::Float(value) => json!(value),
        Item::Boolean(value) => json!(value),
        Item::Date => return None,
        Item::List(items) => Json::Array(items.iter().filter_map(|n| to_json(&n.item)).collect()),
        Item::Table(table) => Json::Object(
            table
                .iter()
                .filter_map(|(k, n)| Some((k.clone(), to_json(&n.item)?)))
                .collect(),
        ),
    })
}
