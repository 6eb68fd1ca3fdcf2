//! The data dictionary: what every column of the record is.

use tandem_coordinator::recorder::RunReader;

use super::{Cell, Column, PageItem, Section, Table};
use tandem_quantity::format_number;

/// Columns that are listed; the rest is counted.
const MOST_ROWS: usize = 250;

/// Name, unit, role, rate and meaning of the columns.
pub(super) fn dictionary(run: &RunReader) -> Section {
    let rows = run.columns().take(MOST_ROWS).map(|column| {
        vec![
            Cell::from(column.name.clone()),
            Cell::from(super::number::pretty(&column.unit)),
            Cell::from(column.role.as_str()),
            Cell::from(format_number(column.rate_hz)),
            Cell::from(column.description.clone()),
        ]
    });
    let total = run.columns().len();
    Section {
        title: "Data dictionary".into(),
        intro: "The columns of run.h5: /time and /channels/NAME, SI units, rows per second of \
            structural time."
            .into(),
        blocks: vec![PageItem::Table(Table {
            columns: vec![
                Column::text("Channel"),
                Column::text("Unit"),
                Column::text("Role"),
                Column::number("Rate", "Hz"),
                Column::text("Meaning"),
            ],
            rows: rows.collect(),
            caption: if total > MOST_ROWS {
                format!("… and {} more of the same kinds.", total - MOST_ROWS)
            } else {
                String::new()
            },
            ..Table::default()
        })],
    }
}
