//! The table of benchmark criteria.

use serde_json::Value;

use super::published::published;
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
    let published = published(coded);
    let rows = names.into_iter().map(|name| {
        let mut row = vec![
            Cell::from(name.clone()),
            Cell::from(
                if name == "J1" || (name == "J4" && coded.contains_key("J10")) {
                    "ms"
                } else {
                    "%"
                },
            ),
            Cell::from(list(coded.get(name))),
            Cell::from(list(printed.get(name))),
        ];
        row.extend(
            published
                .iter()
                .map(|p| Cell::from(p.text(name).unwrap_or_default())),
        );
        row
    });
    let mut columns = vec![
        Column::text("Criterion"),
        Column::text("Unit"),
        Column::number("This run, standard deviations", ""),
        Column::number("This run, RMS", ""),
    ];
    columns.extend(published.iter().map(|p| Column::number(p.label, "")));
    let caption = published.first().map_or(String::new(), |p| {
        format!(
            "Columns at the right: published values ({}). They belong to that controller, record and scale: compare like with like.",
            p.source
        )
    });
    Some(Section {
        title: "Benchmark criteria".into(),
        intro: "In the order of the published tables and programs. Standard deviations have the mean removed, as the distributed programs do; the papers print RMS.".into(),
        blocks: vec![Block::Table(Table {
            columns,
            rows: rows.collect(),
            caption,
            ..Table::default()
        })],
    })
}
