//! The page of a co-simulation: what the parts did, how well they agree where they meet, what the coupling did to them.

use serde_json::Value;

use super::Scenario;
use super::table::{Table, Tied};
use crate::plan::Resolved;
use crate::report::{
    Axis, Block, Cell, Column, Emphasis, Fact, Page, Plot, Section, Series, Style,
    Table as Figures, Tone, Verdict, engineering, render,
};

/// Degrees of freedom of the interface that are drawn, and columns of a part that is only wired.
const MOST: usize = 6;

/// Largest velocity at the interface, m/s.
fn fastest(table: &Table) -> f64 {
    table.shared().iter().flatten().fold(0.0_f64, |most, tied| {
        let v = table.values(tied.v);
        v.iter().fold(most, |most, x| most.max(x.abs()))
    })
}

/// Whether the constraint was kept to round-off.
fn is_tied(gap: f64, table: &Table) -> bool {
    gap <= 1e-9 * fastest(table)
}

/// Velocities agree to round-off however large they are. A coupling that has run away is known by the undivided structure, or by a gap of the
/// displacements that should be Δt² (β₁ − β₂)(a − a₀), a small part of the motion.
fn astray(table: &Table, summary: &Value) -> Option<String> {
    let gaps = &summary["interface"];
    if let Some(percent) = gaps["from_undivided_percent"].as_f64()
        && percent > 100.0
    {
        return Some(
            "the parts are further from the undivided structure than that ever moves".into(),
        );
    }
    let moves = table.shared().iter().flatten().fold(0.0_f64, |most, tied| {
        let u = table.values(tied.u);
        u.iter().fold(most, |most, x| most.max(x.abs()))
    });
    let gap = gaps["displacement_gap"].as_f64()?;
    (gap > 0.5 * moves).then(|| "the parts are as far from each other as they move".into())
}

/// Whether it can be relied on.
pub fn verdict(table: &Table, summary: &Value) -> Verdict {
    if let Some((name, time)) = table.first_that_is_no_number() {
        return Verdict::Bad(format!(
            "The run is of no use: `{name}` is no finite number from t = {time} s on. An explicit part (beta = 0) may need a shorter step."
        ));
    }
    if let Some(distance) = astray(table, summary) {
        return Verdict::Bad(format!(
            "The run is of no use: {distance}. The step is too long, or an explicit part (beta = 0) does not bear it."
        ));
    }
    match summary["interface"]["velocity_gap"].as_f64() {
        Some(gap) if is_tied(gap, table) => Verdict::Good(
            "The parts move as one at the interface: their velocities agree to round-off.".into(),
        ),
        Some(_) => Verdict::Bad(
            "The parts do not move as one: their velocities differ at the interface.".into(),
        ),
        None => Verdict::Note(
            "The parts were stepped side by side; nothing tells how it should have been.".into(),
        ),
    }
}

/// The page as one HTML text.
pub fn page(
    plan: &Resolved,
    scenario: &Scenario<'_>,
    table: &Table,
    summary: &Value,
    verdict: Verdict,
) -> String {
    let coupled = !table.shared().is_empty();
    let mut sections = Vec::new();
    if coupled {
        sections.push(interface(table));
        sections.push(forces(table));
    } else {
        sections.extend(parts(scenario, table));
    }
    sections.push(figures(table, summary));
    let number = |value: &Value| value.as_f64().map(engineering).unwrap_or_default();
    let mut cards = vec![
        Fact::new("Simulated", number(&summary["simulated_s"])).unit("s"),
        Fact::new("Speed", number(&summary["realtime_factor"])).unit("× real time"),
    ];
    let gaps = &summary["interface"];
    if let Some(gap) = gaps["velocity_gap"].as_f64() {
        let tone = if is_tied(gap, table) {
            Tone::Good
        } else {
            Tone::Bad
        };
        cards.push(
            Fact::new("Gap of velocities", engineering(gap))
                .unit("m/s")
                .tone(tone)
                .note("the constraint"),
        );
        let wide = gaps["displacement_gap"].as_f64().unwrap_or(f64::NAN);
        cards.push(
            Fact::new("Gap of displacements", engineering(1e3 * wide))
                .unit("mm")
                .note("Δt² (β₁ − β₂)(a − a₀), does not grow"),
        );
        if let Some(percent) = gaps["from_undivided_percent"].as_f64() {
            cards.push(
                Fact::new("From the undivided structure", engineering(percent))
                    .unit("%")
                    .note("largest distance over peak"),
            );
        }
    }
    let mut facts = vec![
        Fact::new("Tandem", env!("CARGO_PKG_VERSION")),
        Fact::new("Method", text(&summary["method"])),
    ];
    if summary["variant"].is_string() {
        facts.push(Fact::new("Variant", text(&summary["variant"])));
    }
    facts.push(Fact::new("Step", engineering(1e3 * scenario.dt)).unit("ms"));
    facts.push(Fact::new("Steps", number(&summary["steps"])));
    for part in scenario.values.tables("part") {
        let name = part.optional_text("name").unwrap_or("");
        let of = part.optional_text("fmu").or(part.optional_text("plan"));
        let file = std::path::Path::new(of.unwrap_or("")).file_name();
        let file = file.map(|name| name.to_string_lossy().into_owned());
        facts.push(Fact::new(format!("Part {name}"), file.unwrap_or_default()));
    }
    render(&Page {
        title: text(&summary["name"]),
        subtitle: plan
            .values
            .optional_text("description")
            .unwrap_or("Co-simulation")
            .to_owned(),
        verdict,
        facts,
        figures: cards,
        loop_diagram: Vec::new(),
        sections,
    })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("").to_owned()
}

/// Name of the part that a column belongs to.
fn owner(table: &Table, column: usize) -> String {
    let name = table.title(column);
    name.rsplit_once('/')
        .map_or(name, |(part, _)| part)
        .to_owned()
}

fn over_time(title: String, caption: &str, label: &str, unit: &str, series: Vec<Series>) -> Block {
    Block::Plot(Plot {
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
                Series::line("undivided structure", times(), whole).emphasis(Emphasis::Reference),
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
            "The parts and, where both come from one plan, the undivided structure by Newmark's method with the same step. Below: around the peak.",
            "Displacement",
            "mm",
            series,
        );
        if let Block::Plot(plot) = &mut drawing {
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
            "Velocities are tied, displacements follow: with other constants of Newmark's method in each part they stay a little apart.",
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
            "The Lagrange multipliers: what the interface does to each part. They balance each other.",
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
        series.push(Series::line("all together", times(), sum).emphasis(Emphasis::Reference));
        blocks.push(over_time(
            format!("Work at the interface {}", dof + 1),
            "Energy that goes into each part through the interface. All together it is what the coupling itself makes or takes.",
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
fn parts(scenario: &Scenario<'_>, table: &Table) -> Vec<Section> {
    let tables = scenario.values.tables("part");
    let names = tables.iter().filter_map(|part| part.optional_text("name"));
    let section = |name: &str| {
        let head = format!("{name}/");
        let own = table.names().iter().enumerate();
        let own = own.filter(|(_, column)| column.starts_with(&head));
        let blocks = own.take(MOST).map(|(column, full)| {
            let title = full.trim_start_matches(&head).to_owned();
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
fn figures(table: &Table, summary: &Value) -> Section {
    let rows = table.names().iter().map(|name| {
        let of = &summary["response"][name];
        let number = |key: &str| of[key].as_f64().map_or(Cell::from("–"), Cell::number);
        vec![
            Cell::from(name.as_str()),
            number("peak"),
            number("rms"),
            number("final"),
        ]
    });
    let mut blocks = vec![Block::Table(Figures {
        columns: vec![
            Column::text("Column"),
            Column::number("Peak", ""),
            Column::number("RMS", ""),
            Column::number("Last", ""),
        ],
        rows: rows.collect(),
        caption: "SI units; all points are in result.csv.".into(),
        ..Figures::default()
    })];
    let notes = ["warnings", "notes"].into_iter();
    let notes = notes.flat_map(|key| summary[key].as_array().into_iter().flatten());
    let notes: Vec<&str> = notes.filter_map(Value::as_str).collect();
    if !notes.is_empty() {
        blocks.push(Block::Text(notes.join("\n\n")));
    }
    Section {
        title: "Figures".into(),
        blocks,
        ..Section::default()
    }
}
