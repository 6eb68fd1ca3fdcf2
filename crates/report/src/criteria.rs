//! The table of benchmark criteria.

use super::published::published;
use super::{Cell, Column, PageItem, Section, Table};
use tandem::criteria::name;
use tandem::summary::Summary;

/// J1, J2, … in both forms, where the run is judged by them.
pub(super) fn criteria(figures: &Summary) -> Option<Section> {
    let (coded, printed) = (figures.criteria.as_ref()?, figures.criteria_rms.as_ref()?);
    let list = |values: &[f64]| {
        let texts: Vec<String> = values
            .iter()
            .map(|x| tandem_quantity::format_number(*x))
            .collect();
        texts.join(", ")
    };
    let published = published(coded);
    let rows = coded.iter().map(|(number, values)| {
        let mut row = vec![
            Cell::from(name(number)),
            Cell::from(coded.unit(number)),
            Cell::from(list(values)),
            Cell::from(list(printed.get(number))),
        ];
        let texts = published.iter().map(|p| p.text(number).unwrap_or_default());
        row.extend(texts.map(Cell::from));
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
            "Columns at the right: published values ({}). They belong to that controller, record \
            and scale: compare like with like.",
            p.source
        )
    });
    Some(Section {
        title: "Benchmark criteria".into(),
        intro: "In the order of the published tables and programs. Standard deviations have the \
            mean removed, as the distributed programs do; the papers print RMS."
            .into(),
        blocks: vec![PageItem::Table(Table {
            columns,
            rows: rows.collect(),
            caption,
            ..Table::default()
        })],
    })
}
