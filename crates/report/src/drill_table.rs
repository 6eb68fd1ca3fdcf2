//! The drill of the plan, where the folder of the run holds one (`drill.json`, as `tandem drill
//! --json` prints it).

use std::path::Path;

use super::{Cell, Column, PageItem, Section, Severity, Table};
use tandem::drill::DrillRow;
use tandem::run::files;

/// Fault, detector, action, time to hold and violations.
pub(super) fn drill_table(folder: &Path) -> Option<Section> {
    let unread = |why: String| {
        Some(Section {
            title: "Drill".into(),
            intro: format!("{} cannot be read{why}: drill again.", files::DRILL),
            blocks: Vec::new(),
        })
    };
    let text = match std::fs::read_to_string(folder.join(files::DRILL)) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => return unread(format!(" ({error})")),
    };
    // Another's file, or one of an older version: the page goes without it, and says so.
    let Ok(list) = serde_json::from_str::<Vec<DrillRow>>(&text) else {
        return unread(String::new());
    };
    let time = |ms: Option<f64>| ms.map_or(Cell::from("–"), Cell::number);
    let rows: Vec<Vec<Cell>> = list
        .iter()
        .map(|row| {
            let tone = if row.violations > 0 {
                Severity::Bad
            } else {
                Severity::Good
            };
            vec![
                Cell::from(row.description.replace('_', " ")),
                match &row.detector {
                    Some(detector) => Cell::from(detector.replace('_', " ")),
                    None => Cell::from("not noticed").tone(Severity::Bad),
                },
                Cell::from(row.action.replace('_', " ")),
                time(row.time_to_detect_ms),
                time(row.time_to_hold_ms),
                Cell::number(row.peak_command_mm),
                Cell::number(row.violations as f64).tone(tone),
            ]
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    Some(Section {
        title: "Drill".into(),
        intro: "Every fault that the plan can meet, tried in rehearsal: who noticed it, what was \
            done, and how soon the command was held."
            .into(),
        blocks: vec![PageItem::Table(Table {
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
