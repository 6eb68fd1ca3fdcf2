//! The drill of the plan, where the folder of the run holds one (`drill.json`, as `tandem drill --json` prints it).

use std::path::Path;

use serde_json::Value;

use super::{Block, Cell, Column, Section, Table, Tone};
use crate::run::files;

/// Fault, detector, action, time to hold and violations.
pub(super) fn drill_table(folder: &Path) -> Option<Section> {
    let text = std::fs::read_to_string(folder.join(files::DRILL)).ok()?;
    let list: Value = serde_json::from_str(&text).ok()?;
    let word = |row: &Value, key: &str| row[key].as_str().unwrap_or("").replace('_', " ");
    let number = |row: &Value, key: &str| row[key].as_f64().map_or(Cell::from("–"), Cell::number);
    let rows: Vec<Vec<Cell>> = list
        .as_array()?
        .iter()
        .map(|row| {
            let noticed = row["detector"].is_string();
            let violations = row["violations"].as_f64().unwrap_or(0.0);
            let name = if row["description"].is_string() {
                "description"
            } else {
                "fault"
            };
            vec![
                Cell::from(word(row, name)),
                if noticed {
                    Cell::from(word(row, "detector"))
                } else {
                    Cell::from("not noticed").tone(Tone::Bad)
                },
                Cell::from(word(row, "action")),
                number(row, "time_to_detect_ms"),
                number(row, "time_to_hold_ms"),
                number(row, "peak_command_mm"),
                number(row, "violations").tone(if violations > 0.0 {
                    Tone::Bad
                } else {
                    Tone::Good
                }),
            ]
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    Some(Section {
        title: "Drill".into(),
        intro: "Every fault that the plan can meet, tried in rehearsal: who noticed it, what was done, and how soon the command was held.".into(),
        blocks: vec![Block::Table(Table {
            columns: vec![
                Column::text("Fault"),
                Column::text("Detector"),
                Column::text("Action"),
                Column::number("Noticed after", "ms"),
                Column::number("Held after", "ms"),
                Column::number("Largest command after it", "mm"),
                Column::number("Violations", ""),
            ],
            rows,
            ..Table::default()
        })],
    })
}
