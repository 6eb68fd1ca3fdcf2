//! The page that compares two runs: `tandem report A B`.

use std::path::Path;

use serde_json::Value;
use tandem_coordinator::recorder::{RecorderError, RunReader};

use super::overlay::{Pair, overlay};
use super::{Block, Cell, Column, Fact, Page, Section, Table, Verdict, engineering, render};
use crate::run::files;

/// One of the two runs: its folder, its figures, its plan as it was run.
pub struct Compared<'a> {
    /// Folder.
    pub folder: &'a Path,
    /// Contents of `summary.json`.
    pub figures: &'a Value,
    /// Contents of `plan.toml`.
    pub plan: &'a str,
}

/// The page, and the figures for `--json`.
///
/// # Errors
/// A record that cannot be read.
pub fn of_runs(
    first: &Compared<'_>,
    second: &Compared<'_>,
) -> Result<(String, Value), RecorderError> {
    let (a, b) = (
        RunReader::open(&first.folder.join(files::RUN))?,
        RunReader::open(&second.folder.join(files::RUN))?,
    );
    let labels = names(first.folder, second.folder);
    let [one, two] = [labels[0].as_str(), labels[1].as_str()];
    let (rows, list) = figures(first.figures, second.figures);
    let mut sections = vec![Section {
        title: "Figures".into(),
        intro: format!(
            "{one} and {two} side by side; the last column is the change from the first to the second."
        ),
        blocks: vec![Block::Table(Table {
            columns: vec![
                Column::text("Figure"),
                Column::number(one, ""),
                Column::number(two, ""),
                Column::number("Change", "%"),
            ],
            rows,
            ..Table::default()
        })],
    }];
    sections.extend(plans(first.plan, second.plan, [one, two]));
    let pair = Pair {
        first: &a,
        second: &b,
        names: [one, two],
    };
    sections.extend(overlay(
        &pair,
        "Histories",
        "The same channels of both runs in the same plots.",
    )?);
    let outcome = |figures: &Value| figures["outcome"].as_str().unwrap_or("unknown").to_owned();
    let error = |figures: &Value| figures["tracking"]["nrmse_percent"][0].as_f64();
    let tracking = match (error(first.figures), error(second.figures)) {
        (Some(x), Some(y)) => format!(
            " Tracking error {} % and {} % (RMS).",
            engineering(x),
            engineering(y)
        ),
        _ => String::new(),
    };
    let page = Page {
        title: format!("{one} and {two}"),
        subtitle: "Comparison of two runs".into(),
        verdict: Verdict::Note(format!(
            "{one}: {}. {two}: {}.{tracking}",
            outcome(first.figures),
            outcome(second.figures)
        )),
        facts: vec![
            Fact::new("First", first.folder.display().to_string()),
            Fact::new("Second", second.folder.display().to_string()),
            Fact::new("First recorded", a.header().created.clone()),
            Fact::new("Second recorded", b.header().created.clone()),
        ],
        figures: Vec::new(),
        loop_diagram: Vec::new(),
        sections,
    };
    Ok((render(&page), list))
}

/// Short names: the folders', or first and second where those are the same.
fn names(first: &Path, second: &Path) -> [String; 2] {
    let short = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned());
    match (short(first), short(second)) {
        (Some(a), Some(b)) if a != b => [a, b],
        _ => ["first".into(), "second".into()],
    }
}

/// Rows of the table, and the same as JSON.
fn figures(first: &Value, second: &Value) -> (Vec<Vec<Cell>>, Value) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for (figures, list) in [(first, &mut a), (second, &mut b)] {
        for group in [
            "tracking",
            "reference",
            "indicators",
            "criteria",
            "response",
            "timing",
        ] {
            leaves(&figures[group], group, list);
        }
        for key in ["simulated_s", "wall_s", "steps"] {
            leaves(&figures[key], key, list);
        }
    }
    let mut rows = Vec::new();
    let mut json = serde_json::Map::new();
    for (name, x) in &a {
        let Some((_, y)) = b.iter().find(|(other, _)| other == name) else {
            continue;
        };
        let change = 100.0 * (y - x) / x.abs();
        rows.push(vec![
            Cell::from(name.replace('_', " ")),
            Cell::number(*x),
            Cell::number(*y),
            Cell::from(if !change.is_finite() {
                "–".to_owned()
            } else if change.abs() >= 1000.0 {
                "over 1000".to_owned()
            } else {
                format!("{change:+.2}")
            }),
        ]);
        json.insert(name.clone(), serde_json::json!([x, y]));
    }
    (rows, Value::Object(json))
}

/// The numbers in a JSON value with their path.
fn leaves(value: &Value, path: &str, into: &mut Vec<(String, f64)>) {
    match value {
        Value::Number(x) => into.extend(x.as_f64().map(|x| (path.to_owned(), x))),
        Value::Array(list) => {
            for (i, inner) in list.iter().enumerate() {
                leaves(inner, &format!("{path}, {}", i + 1), into);
            }
        }
        Value::Object(map) => {
            for (key, inner) in map {
                leaves(inner, &format!("{path}: {key}"), into);
            }
        }
        _ => {}
    }
}

/// Lines of the plans that differ.
fn plans(first: &str, second: &str, names: [&str; 2]) -> Option<Section> {
    let read = |text: &str| {
        let mut section = String::new();
        let mut list = Vec::new();
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                section = line.trim_matches(['[', ']']).to_owned();
            } else if let Some((key, value)) = line.split_once('=') {
                let key = if section.is_empty() {
                    key.trim().to_owned()
                } else {
                    format!("{section}.{}", key.trim())
                };
                list.push((
                    key,
                    value.split(" #").next().unwrap_or(value).trim().to_owned(),
                ));
            }
        }
        list
    };
    let (a, b) = (read(first), read(second));
    let find = |list: &[(String, String)], key: &str| {
        list.iter()
            .find(|(k, _)| k == key)
            .map_or_else(|| "–".to_owned(), |(_, v)| v.clone())
    };
    let mut keys: Vec<&String> = a.iter().chain(&b).map(|(key, _)| key).collect();
    keys.sort();
    keys.dedup();
    let rows: Vec<Vec<Cell>> = keys
        .into_iter()
        .filter(|key| find(&a, key) != find(&b, key))
        .map(|key| {
            vec![
                Cell::from(key.clone()),
                Cell::from(find(&a, key)),
                Cell::from(find(&b, key)),
            ]
        })
        .collect();
    let same = rows.is_empty();
    Some(Section {
        title: "Plans".into(),
        intro: if same {
            "Both runs have the same plan.".into()
        } else {
            "Keys in which the plans differ.".into()
        },
        blocks: if same {
            Vec::new()
        } else {
            vec![Block::Table(Table {
                columns: vec![
                    Column::text("Key"),
                    Column::text(names[0]),
                    Column::text(names[1]),
                ],
                rows,
                ..Table::default()
            })]
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_found_wherever_they_stand() {
        let (rows, list) = figures(
            &json!({ "tracking": { "nrmse_percent": [2.0], "words": ["lag"] }, "steps": 10 }),
            &json!({ "tracking": { "nrmse_percent": [1.0] }, "steps": 10 }),
        );
        assert_eq!(rows.len(), 2);
        assert_eq!(list["tracking: nrmse_percent, 1"], json!([2.0, 1.0]));
        assert_eq!(rows[0][3], Cell::from("-50.00"));
    }

    #[test]
    fn only_keys_that_differ_are_listed() {
        let section = plans(
            "a = 1\n[x]\nb = 2 # why\n",
            "a = 1\n[x]\nb = 3\n",
            ["A", "B"],
        );
        let blocks = section.map(|s| s.blocks).unwrap_or_default();
        let Some(Block::Table(table)) = blocks.first() else {
            unreachable!("a table")
        };
        assert_eq!(
            table.rows,
            [vec![Cell::from("x.b"), Cell::from("2"), Cell::from("3")]]
        );
    }
}
