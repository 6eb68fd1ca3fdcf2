//! The page of a co-simulation: what the parts did, how well they agree where they meet, what the
//! coupling did to them.

use super::{
    Axis, Cell, Column, KeyValue, LineWeight, Page, PageItem, Plot, Section, Series, Severity,
    Style, Table as Figures, Verdict, render,
};
use tandem::summary::{Coupling, Summary};
use tandem_cosimulation::{Coupled, Table, Tied};
use tandem_quantity::format_number;

/// Degrees of freedom of the interface that are drawn, and columns of a part that is only wired.
const MOST: usize = 6;

/// The page as one HTML text.
#[must_use]
pub fn of_cosimulation(run: &Coupled, summary: &Summary) -> String {
    let table = run.table();
    let coupled = !table.shared().is_empty();
    let mut sections = Vec::new();
    if coupled {
        sections.push(interface(table));
        sections.push(forces(table));
    } else {
        sections.extend(parts(run, table));
    }
    sections.push(figures(table, summary));
    let mut cards = vec![KeyValue::new("Simulated", format_number(summary.simulated_s)).unit("s")];
    if let Some(factor) = summary.realtime_factor {
        cards.push(KeyValue::new("Speed", format_number(factor)).unit("× real time"));
    }
    if let Some(coupling) = &summary.coupling {
        cards.extend(gaps(coupling));
    }
    let mut facts = vec![
        KeyValue::new("Tandem", env!("CARGO_PKG_VERSION")),
        KeyValue::new("Method", run.scheme().method().word()),
    ];
    if let Some(variant) = run.scheme().variant() {
        facts.push(KeyValue::new("Variant", variant.word()));
    }
    facts.push(KeyValue::new("Step", format_number(1e3 * run.dt())).unit("ms"));
    facts.push(KeyValue::new(
        "Steps",
        summary.steps.unwrap_or(0).to_string(),
    ));
    for part in run.parts() {
        let name = &part.name;
        let file = std::path::Path::new(part.source().unwrap_or("")).file_name();
        let file = file.map(|name| name.to_string_lossy().into_owned());
        facts.push(KeyValue::new(
            format!("Part {name}"),
            file.unwrap_or_default(),
        ));
    }
    render(&Page {
        title: summary.name.clone(),
        subtitle: run.description().unwrap_or("Co-simulation").to_owned(),
        verdict: verdict(summary, run.scheme().variant().is_some()),
        facts,
        figures: cards,
        loop_diagram: Vec::new(),
        sections,
    })
}

/// Whether it can be relied on.
fn verdict(summary: &Summary, tied: bool) -> Verdict {
    match &summary.reason {
        Some(reason) => Verdict::Bad(reason.clone()),
        None if tied => Verdict::Good(
            "The parts move as one at the interface: their velocities agree to round-off.".into(),
        ),
        None => Verdict::Note(
            "The parts were stepped side by side; nothing tells how it should have been.".into(),
        ),
    }
}

/// How far the parts are apart.
fn gaps(coupling: &Coupling) -> Vec<KeyValue> {
    let mut cards = Vec::new();
    if let Some(gap) = coupling.velocity_gap {
        let tone = if coupling.is_tied() {
            Severity::Good
        } else {
            Severity::Bad
        };
        cards.push(
            KeyValue::new("Gap of velocities", format_number(gap))
                .unit("m/s")
                .tone(tone)
                .note("the constraint"),
        );
    }
    if let Some(gap) = coupling.displacement_gap {
        cards.push(
            KeyValue::new("Gap of displacements", format_number(1e3 * gap))
                .unit("mm")
                .note("Δt² (β₁ − β₂)(a − a₀), does not grow"),
        );
    }
    if let Some(percent) = coupling.from_undivided_percent {
        cards.push(
            KeyValue::new("From the undivided structure", format_number(percent))
                .unit("%")
                .note("largest distance over peak"),
        );
    }
    cards
}

/// Name of the part that a column belongs to.
fn owner(table: &Table, column: usize) -> String {
    table.about(column).0.to_owned()
}

fn over_time(
    title: String,
    caption: &str,
    label: &str,
    unit: &str,
    series: Vec<Series>,
) -> PageItem {
    PageItem::Plot(Plot {
        title,
        caption: caption.into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear(label, unit),
        series,
        ..Plot::default()
    })
}

fn scaled(values: Vec<f64>, factor: f64) -> Vec<f64> {
    values.into_iter().map(|x| factor * x).collect()
}

/// A twentieth of the time around the largest value of a column.
fn around_peak(table: &Table, column: usize) -> Option<(f64, f64)> {
    let values = table.values(column);
    let both = values.iter().zip(table.times());
    let (_, peak) = both.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))?;
    let (start, end) = (*table.times().first()?, *table.times().last()?);
    let half = 0.025 * (end - start);
    (half > 0.0).then(|| ((peak - half).max(start), (peak + half).min(end)))
}

/// Displacements of the parts beside the undivided structure, and how far they are apart.
fn interface(table: &Table) -> Section {
    let times = || table.times().to_vec();
    let mut blocks = Vec::new();
    for (dof, tied) in table.shared().iter().enumerate().take(MOST) {
        let Some(first) = tied.first() else { continue };
        let mut series = Vec::new();
        if let Some(whole) = table.undivided(dof) {
            let whole = scaled(whole.to_vec(), 1e3);
            series.push(
                Series::line("undivided structure", times(), whole).emphasis(LineWeight::Reference),
            );
        }
        series.extend(tied.iter().enumerate().map(|(k, tied)| {
            let line = Series::line(
                owner(table, tied.u),
                times(),
                scaled(table.values(tied.u), 1e3),
            );
            if k == 0 {
                line
            } else {
                line.style(Style::Dashed)
            }
        }));
        let mut drawing = over_time(
            format!("Displacement {}", dof + 1),
            "The parts and, where both come from one plan, the undivided structure by Newmark's \
            method with the same step. Below: around the peak.",
            "Displacement",
            "mm",
            series,
        );
        if let PageItem::Plot(plot) = &mut drawing {
            plot.inset = around_peak(table, first.u);
        }
        blocks.push(drawing);
        let base = table.values(first.u);
        let apart = tied.iter().skip(1).map(|tied| {
            let gap = table
                .values(tied.u)
                .iter()
                .zip(&base)
                .map(|(a, b)| 1e3 * (a - b))
                .collect();
            let name = format!("{} − {}", owner(table, tied.u), owner(table, first.u));
            Series::line(name, times(), gap)
        });
        blocks.push(over_time(
            format!("Gap of displacements {}", dof + 1),
            "Velocities are tied, displacements follow: with other constants of Newmark's method \
            in each part they stay a little apart.",
            "Gap",
            "mm",
            apart.collect(),
        ));
    }
    Section {
        title: "At the interface".into(),
        intro: "Where the parts meet they must move as one.".into(),
        blocks,
    }
}

/// Work of a multiplier on its part up to each point, J: ∫ q v dt by trapezoids.
fn work(table: &Table, tied: &Tied) -> Vec<f64> {
    let (q, v, t) = (table.values(tied.q), table.values(tied.v), table.times());
    let mut sum = 0.0;
    let mut list = Vec::with_capacity(t.len());
    for k in 0..t.len() {
        if k > 0 {
            let power = |k: usize| q.get(k).zip(v.get(k)).map_or(0.0, |(q, v)| q * v);
            sum += 0.5 * (power(k) + power(k - 1)) * (t[k] - t[k - 1]);
        }
        list.push(sum);
    }
    list
}

/// Lagrange multipliers and the work that they do.
fn forces(table: &Table) -> Section {
    let times = || table.times().to_vec();
    let mut blocks = Vec::new();
    for (dof, tied) in table.shared().iter().enumerate().take(MOST) {
        let lines = tied
            .iter()
            .map(|tied| Series::line(owner(table, tied.q), times(), table.values(tied.q)));
        blocks.push(over_time(
            format!("Interface force {}", dof + 1),
            "The Lagrange multipliers: what the interface does to each part. They balance each \
            other.",
            "Force",
            "N",
            lines.collect(),
        ));
        let works: Vec<Vec<f64>> = tied.iter().map(|tied| work(table, tied)).collect();
        let sum: Vec<f64> = (0..table.times().len())
            .map(|k| works.iter().filter_map(|list| list.get(k)).sum())
            .collect();
        let lines = tied.iter().zip(works);
        let mut series: Vec<Series> = lines
            .map(|(tied, list)| Series::line(owner(table, tied.q), times(), list))
            .collect();
        series.push(Series::line("all together", times(), sum).emphasis(LineWeight::Reference));
        blocks.push(over_time(
            format!("Work at the interface {}", dof + 1),
            "Energy that goes into each part through the interface. All together it is what the \
            coupling itself makes or takes.",
            "Work",
            "J",
            series,
        ));
    }
    Section {
        title: "What the coupling does".into(),
        blocks,
        ..Section::default()
    }
}

/// Parts that are only wired: their columns.
fn parts(run: &Coupled, table: &Table) -> Vec<Section> {
    let names = run.parts().iter().map(|part| part.name.as_str());
    let section = |name: &str| {
        let own = (0..table.names().count()).filter(|column| table.about(*column).0 == name);
        let blocks = own.take(MOST).map(|column| {
            let title = table.about(column).1.to_owned();
            let line = Series::line(title.clone(), table.times().to_vec(), table.values(column));
            over_time(title.clone(), "", &title, "", vec![line])
        });
        Section {
            title: name.to_owned(),
            blocks: blocks.collect(),
            ..Section::default()
        }
    };
    names.map(section).collect()
}

/// Peak, root mean square and last value of everything, and what was remarked.
fn figures(table: &Table, summary: &Summary) -> Section {
    let rows = table.names().filter_map(|name| {
        let of = summary.response.get(name)?;
        Some(vec![
            Cell::from(name),
            Cell::from(of.unit.as_str()),
            Cell::number(of.peak),
            Cell::number(of.rms),
            Cell::number(of.last),
        ])
    });
    let mut blocks = vec![PageItem::Table(Figures {
        columns: vec![
            Column::text("Channel"),
            Column::text("Unit"),
            Column::number("Peak", ""),
            Column::number("RMS", ""),
            Column::number("Last", ""),
        ],
        rows: rows.collect(),
        caption: "All points are in run.h5.".into(),
        ..Figures::default()
    })];
    let notes = summary.warnings.iter().chain(&summary.notes);
    let notes: Vec<&str> = notes.map(String::as_str).collect();
    if !notes.is_empty() {
        blocks.push(PageItem::Text(notes.join("\n\n")));
    }
    Section {
        title: "Figures".into(),
        blocks,
        ..Section::default()
    }
}
