//! What is derived from the declaration: the JSON Schema for editors and the reference
//! documentation.

use crate::plan_demo::ROOT;
use serde_json::{Value, json};
use tandem::plan;
use tandem_quantity::{Dimension, Entry, Method, Parameter, Range, Registry, SlotOf, ValueKind};

#[test]
fn the_schema_describes_every_section_and_key() {
    let schema = plan::json_schema(ROOT, Registry::bare()).to_value();
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    assert_eq!(schema["additionalProperties"], false);
    let keys: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "compensator",
            "excitation",
            "extends",
            "integration",
            "monitor",
            "name",
            "rig",
            "structure"
        ]
    );
    let excitation = &schema["properties"]["excitation"]["properties"];
    assert_eq!(
        excitation["direction"]["enum"],
        json!(["x", "y", "diagonal"])
    );
    assert_eq!(excitation["direction"]["default"], "x");
    assert_eq!(
        excitation["scale"]["anyOf"][0],
        json!({ "type": "number", "minimum": -10.0, "maximum": 10.0 })
    );
    assert_eq!(excitation["until"]["examples"], json!(["4 ms"]));
    assert!(
        excitation["until"]["pattern"]
            .as_str()
            .unwrap()
            .starts_with(r"^\s*[+-]?")
    );
    assert_eq!(excitation["reverse"]["default"], false);
    let methods = schema["properties"]["compensator"]["oneOf"]
        .as_array()
        .unwrap();
    let names: Vec<&Value> = methods
        .iter()
        .map(|m| &m["properties"]["method"]["const"])
        .collect();
    assert_eq!(names, [&json!("none"), &json!("polynomial")]);
    assert_eq!(methods[1]["required"], json!(["method"]));
    assert_eq!(methods[0]["required"], Value::Null);
    assert_eq!(
        schema["properties"]["structure"]["properties"]["labels"]["minItems"],
        1
    );
    assert_eq!(schema["properties"]["monitor"]["maxItems"], 4);
    assert_eq!(
        schema["else"]["required"],
        json!(["structure", "integration"])
    );
}

/// Every key of every table has a description.
#[test]
fn the_schema_explains_everything() {
    fn walk(schema: &Value, path: &str) {
        for (key, property) in schema["properties"].as_object().into_iter().flatten() {
            assert!(
                property["description"]
                    .as_str()
                    .is_some_and(|d| !d.is_empty()),
                "{path}.{key}"
            );
            walk(property, &format!("{path}.{key}"));
        }
        for variant in schema["oneOf"].as_array().into_iter().flatten() {
            walk(variant, path);
        }
        if schema["items"].is_object() {
            walk(&schema["items"], path);
        }
    }
    let mut schema = plan::json_schema(ROOT, Registry::bare()).to_value();
    schema.as_object_mut().unwrap().remove("else");
    walk(&schema, "");
}

#[test]
fn the_reference_lists_every_section_method_and_key() {
    let text = plan::reference("Plan reference", ROOT, Registry::bare());
    for part in [
        "## `[integration]`",
        "`method = \"alpha-os\"`",
        "Source: Nakashima (1990)",
        "| `dt` | a time, such as \"4 ms\" | required | greater than 0 s, at most 100 ms | time \
        step |",
        "| `order` | a whole number | `3` | from 0 to 5 | order of the polynomial |",
        "## `[[monitor]]`",
        "### `[[rig.actuators]]`",
        "Without it, `none` is taken.",
        "| `labels` | a list, such as [\"a\", \"b\"] | – | number of entries from 1 to 3 | storey \
        names |",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // Every row of every table has the same five columns.
    for row in text.lines().filter(|l| l.starts_with('|')) {
        assert_eq!(row.replace("\\|", "").matches('|').count(), 6, "{row}");
    }
}

#[test]
fn mistakes_in_a_declaration_are_found() {
    const METHOD: Entry<()> = Entry {
        method: Method {
            name: "a",
            summary: "",
            reference: "",
            parameters: &[Parameter::integer("method", "clash")],
        },
        build: (),
    };
    static SLOT: SlotOf<()> = SlotOf::new("slot", "method", Some("b"), || &[METHOD, METHOD]);
    static WRONG: &[Parameter] = &[
        Parameter::number("dt", Dimension::TIME, "step").or("4"),
        Parameter::number("dt", Dimension::TIME, "").or("\"4 ms\""),
        Parameter::integer("n", "count")
            .or("7")
            .within(Range::between(0.0, 3.0)),
        Parameter::integer("m", "count").within(Range::between(3.0, 0.0)),
        Parameter::of("c", ValueKind::Choice(&["x"]), "choice").or("\"y\""),
        Parameter::of("a b", ValueKind::Slot(&SLOT), "slot"),
    ];
    let mistakes = plan::audit(WRONG, Registry::bare()).join("\n");
    for part in [
        "dt: the default 4 is refused: the unit of `dt` is missing",
        "dt: declared twice",
        "dt: no description",
        "n: the default 7 is refused",
        "m: the range from 3 to 0 is empty",
        "c: the default \"y\" is refused",
        "a b: the key needs quotes",
        "the default method `b` is not listed",
        "method `a` is listed twice",
        "method `a` declares the selector as a key",
    ] {
        assert!(mistakes.contains(part), "{part}\n{mistakes}");
    }
}
