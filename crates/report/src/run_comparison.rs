//! The page that compares two runs: `tandem report A B`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use tandem_coordinator::recorder::{RecorderError, RunReader};

use super::number::pretty;
use super::overlay::{Pair, overlay};
use super::{Cell, Column, KeyValue, Page, PageItem, Section, Table, Verdict, render};
use tandem::run::files;
use tandem::summary::Summary;
use tandem_quantity::format_number;

/// The figures that two runs have both, by their path in the summary: the first's, the second's.
pub type Comparison = BTreeMap<String, [f64; 2]>;

/// One of the two runs: its folder, its figures, its plan as it was run.
pub struct Compared<'a> {
    /// Folder.
    pub folder: &'a Path,
    /// What came of it.
    pub figures: &'a Summary,
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
) -> Result<(String, Comparison), RecorderError> {
    let (a, b) = (
        RunReader::open(&first.folder.join(files::RUN))?,
        RunReader::open(&second.folder.join(files::RUN))?,
    );
    let labels = names(first.folder, second.folder);
    let [one, two] = [labels[0].as_str(), labels[1].as_str()];
    let (rows, list) = figures(first.figures, second.figures, &|channel| {
        let found = a.channels().find(|c| c.name == channel)?;
        Some(found.unit.clone())
    });
    let mut sections = vec![Section {
        title: "Figures".into(),
        intro: format!(
            "{one} and {two} side by side; the last column is the change from the first to the \
            second."
        ),
        blocks: vec![PageItem::Table(Table {
            columns: vec![
                Column::text("Figure"),
                Column::text("Unit"),
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
    let outcome = |figures: &Summary| figures.outcome.word();
    let error = |figures: &Summary| *figures.tracking.as_ref()?.nrmse_percent.first()?;
    let tracking = match (error(first.figures), error(second.figures)) {
        (Some(x), Some(y)) => format!(
            " Tracking error {} % and {} % (RMS).",
            format_number(x),
            format_number(y)
        ),
        _ => String::new(),
    };
    let page = Page {
        title: format!("{one} and {two}"),
        subtitle: "Comparison of two runs".into(),
        verdict: match other_test(first.plan, second.plan) {
            Some(what) => Verdict::Caution(format!(
                "These are different tests ({what} differ): a difference between them says nothing \
                about their quality. {one}: {}. {two}: {}.",
                outcome(first.figures),
                outcome(second.figures)
            )),
            None => Verdict::Note(format!(
                "{one}: {}. {two}: {}.{tracking}",
                outcome(first.figures),
                outcome(second.figures)
            )),
        },
        facts: vec![
            KeyValue::new("First", first.folder.display().to_string()),
            KeyValue::new("Second", second.folder.display().to_string()),
            KeyValue::new("First recorded", a.header().created.clone()),
            KeyValue::new("Second recorded", b.header().created.clone()),
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

/// Rows of the table, and the same as JSON. `unit_of` knows the unit of a channel.
fn figures(
    first: &Summary,
    second: &Summary,
    unit_of: &dyn Fn(&str) -> Option<String>,
) -> (Vec<Vec<Cell>>, Comparison) {
    let [a, b] = [first, second].map(all_figures);
    let mut rows = Vec::new();
    let mut found = Comparison::new();
    for (name, x) in &a {
        let Some((_, y)) = b.iter().find(|(other, _)| other == name) else {
            continue;
        };
        let change = 100.0 * (y - x) / x.abs();
        let (label, unit, factor) = worded(name, unit_of);
        rows.push(vec![
            Cell::from(label),
            Cell::from(unit),
            Cell::number(factor * x),
            Cell::number(factor * y),
            Cell::from(if !change.is_finite() {
                "–".to_owned()
            } else if change.abs() >= 1000.0 {
                "over 1000".to_owned()
            } else {
                format!("{change:+.2}").replace('-', "\u{2212}")
            }),
        ]);
        found.insert(name.clone(), [*x, *y]);
    }
    (rows, found)
}

/// Every figure of a summary with its path there.
fn all_figures(of: &Summary) -> Vec<(String, f64)> {
    let mut list = Vec::new();
    add("tracking", &of.tracking, &mut list);
    add("reference", &of.reference, &mut list);
    add("indicators", &of.indicators, &mut list);
    add("criteria", &of.criteria, &mut list);
    add("response", &of.response, &mut list);
    add("timing", &of.timing, &mut list);
    add("simulated_s", &of.simulated_s, &mut list);
    add("wall_s", &of.wall_s, &mut list);
    add("steps", &of.steps, &mut list);
    list
}

/// The numbers in a part of the summary, under the names that they have in its file.
fn add(name: &str, part: &impl Serialize, into: &mut Vec<(String, f64)>) {
    leaves(&serde_json::to_value(part).unwrap_or_default(), name, into);
}

/// The path of a figure for people, with the unit in which it is shown and the factor to it.
fn worded(path: &str, unit_of: &dyn Fn(&str) -> Option<String>) -> (String, String, f64) {
    // `response: response_displacement/1: peak`: the channel knows its unit.
    let mut parts = path.split(": ");
    if let (Some("response"), Some(channel), Some(last)) =
        (parts.next(), parts.next(), parts.next())
        && let Some(unit) = unit_of(channel)
    {
        let (shown, factor) = tandem_quantity::number::readable_unit(&unit);
        let label = match channel.split_once('/') {
            Some((name, number)) => format!("{} {number}: {last}", name.replace('_', " ")),
            None => format!("{}: {last}", channel.replace('_', " ")),
        };
        return (label, pretty(shown), factor);
    }
    // Elsewhere the key ends with its unit: `nrmse_percent`, `latency_us`; what follows tells which
    // of several.
    let endings = [
        ("_percent", "%"),
        ("_us", "µs"),
        ("_ms", "ms"),
        ("_s", "s"),
        ("_hz", "Hz"),
    ];
    for (ending, unit) in endings {
        let at = path.match_indices(ending).map(|(at, _)| at).find(|at| {
            !path[at + ending.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
        });
        if let Some(at) = at {
            let label = format!("{}{}", &path[..at], &path[at + ending.len()..]);
            return (
                label.replace('_', " ").replace("nrmse", "NRMSE"),
                unit.to_owned(),
                1.0,
            );
        }
    }
    (path.replace('_', " "), String::new(), 1.0)
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

/// What makes two plans different tests, so that their histories cannot coincide: excitation,
/// structure or step.
pub(crate) fn other_test(first: &str, second: &str) -> Option<String> {
    let read = |text: &str| text.parse::<toml::Table>().unwrap_or_default();
    let (a, b) = (read(first), read(second));
    let step = |plan: &toml::Table| plan.get("integration")?.get("dt").cloned();
    let scale = |plan: &toml::Table| plan.get("integration")?.get("time_scale").cloned();
    let mut differ: Vec<&str> = ["excitation", "structure"]
        .into_iter()
        .filter(|key| a.get(*key) != b.get(*key))
        .collect();
    if step(&a) != step(&b) {
        differ.push("integration.dt");
    }
    if scale(&a) != scale(&b) {
        differ.push("integration.time_scale");
    }
    (!differ.is_empty()).then(|| differ.join(", "))
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
            vec![PageItem::Table(Table {
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

    #[test]
    fn numbers_are_found_wherever_they_stand() {
        let run = |error: f64| {
            let mut summary = Summary::of("example".to_owned(), 1);
            summary.tracking = Some(tandem::summary::Tracking {
                nrmse_percent: vec![Some(error)],
                words: vec!["lag".to_owned()],
                ..tandem::summary::Tracking::default()
            });
            summary
        };
        let (rows, list) = figures(&run(2.0), &run(1.0), &|_| None);
        let bits = list["tracking: nrmse_percent, 1"].map(f64::to_bits);
        assert_eq!(bits, [2.0_f64, 1.0].map(f64::to_bits));
        assert_eq!(rows[0][0], Cell::from("tracking: NRMSE, 1"));
        assert_eq!(rows[0][1], Cell::from("%"));
        assert_eq!(rows[0][4], Cell::from("\u{2212}50.00"));
    }

    #[test]
    fn figures_have_units() {
        let unit_of =
            |channel: &str| (channel == "measured_displacement/1").then(|| "m".to_owned());
        assert_eq!(
            worded("response: measured_displacement/1: peak", &unit_of),
            (
                "measured displacement 1: peak".to_owned(),
                "mm".to_owned(),
                1e3
            )
        );
        assert_eq!(
            worded("timing: compute_us: p50", &unit_of),
            ("timing: compute: p50".to_owned(), "µs".to_owned(), 1.0)
        );
    }

    #[test]
    fn only_keys_that_differ_are_listed() {
        let section = plans(
            "a = 1\n[x]\nb = 2 # why\n",
            "a = 1\n[x]\nb = 3\n",
            ["A", "B"],
        );
        let blocks = section.map(|s| s.blocks).unwrap_or_default();
        let Some(PageItem::Table(table)) = blocks.first() else {
            unreachable!("a table")
        };
        assert_eq!(
            table.rows,
            [vec![Cell::from("x.b"), Cell::from("2"), Cell::from("3")]]
        );
    }
}
