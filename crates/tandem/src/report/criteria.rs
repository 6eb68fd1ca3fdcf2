//! The table of benchmark criteria.

use serde_json::Value;

use super::{Block, Cell, Column, Section, Table};

/// J1, J2, … in both forms, where the run is judged by them.
pub(super) fn criteria(figures: &Value) -> Option<Section> {
    let (coded, printed) = (
        figures["criteria"].as_object()?,
        figures["criteria_rms"].as_object()?,
    );
    let list = |values: Option<&Value>| {
        let values = values.and_then(Value::as_array).into_iter().flatten();
        let texts: Vec<String> = values
            .map(|v| super::engineering(v.as_f64().unwrap_or(f64::NAN)))
            .collect();
        texts.join(", ")
    };
    let mut names: Vec<&String> = coded.keys().collect();
    names.sort_by_key(|name| name[1..].parse::<u32>().unwrap_or(0));
    let rows = names.into_iter().map(|name| {
        vec![
            Cell::from(name.clone()),
            Cell::from(list(coded.get(name))),
            Cell::from(list(printed.get(name))),
            Cell::from(if name == "J1" { "ms" } else { "%" }),
        ]
    });
    Some(Section {
        title: "Benchmark criteria".into(),
        intro: "In the order of the published tables and programs. Standard deviations have the mean removed, as the distributed programs do; the papers print RMS.".into(),
        blocks: vec![Block::Table(Table {
            columns: vec![
                Column::text("Criterion"),
                Column::number("With standard deviations", ""),
                Column::number("With RMS", ""),
                Column::text("Unit"),
            ],
            rows: rows.collect(),
            ..Table::default()
        })],
    })
}
