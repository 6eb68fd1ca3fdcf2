//! The page of `tandem bench`: the criteria beside the published ones, and what the actuators did.

use super::statistics::quantile;
use super::{ACTUATOR_FORCE, Estimate, NOISE_FREE, Outcome, beyond_force, worst_demand};
use tandem::criteria::{CriteriaValues, name};
use tandem::run::ActuatorDemand;
use tandem_quantity::{format_number, index};
use tandem_report::published::Published;
use tandem_report::{
    Axis, Cell, Column, KeyValue, LineWeight, Page, PageItem, Plot, Section, Series, Severity,
    Style, Table, Verdict, render,
};

/// What the page shows.
pub struct Contents<'a> {
    /// Name of the problem, with case, controller and record.
    pub title: String,
    /// The nominal run.
    pub nominal: &'a Outcome,
    /// The published row.
    pub published: Option<&'static Published>,
    /// Sampling time, s.
    pub dt: f64,
    /// For each actuator: target, measured and true displacement, m.
    pub strokes: Vec<[&'a [f64]; 3]>,
    /// The runs with random plants, none for unstable ones.
    pub runs: &'a [Option<Outcome>],
    /// Goals that these runs miss; none where there are none for them.
    pub missed: Option<&'a [String]>,
    /// What is worth knowing.
    pub notes: &'a [String],
    /// What was asked for, by name.
    pub settings: Vec<(&'static str, String)>,
}

/// What the four forms are, in words. The multi-axial problem, as coded and as printed, measures
/// strokes and estimates what the frame does.
fn words(criteria: &CriteriaValues) -> [&'static str; 4] {
    if criteria.are_multi_axial() {
        [
            "standard deviations (as coded); J1 to J4 measured, J5, J6, J7, J9 estimated",
            "RMS (as printed); J1 to J3 measured, J4, J5, J6, J7, J9 estimated",
            "estimated",
            "true, without noise",
        ]
    } else {
        [
            "measured, standard deviations (as coded)",
            "measured, RMS (as printed)",
            "estimated",
            "true, without noise",
        ]
    }
}

/// The page as the text of one HTML file.
#[must_use]
pub fn of_bench(contents: &Contents<'_>) -> String {
    let nominal = contents.nominal;
    let noise_free = nominal.criteria_noise_free.get(2);
    let tracking: Vec<String> = noise_free.iter().map(|x| format_number(*x)).collect();
    let unstable = contents.runs.iter().filter(|run| run.is_none()).count();
    let mut figures = vec![
        KeyValue::new("Tracking error J2", tracking.join(", "))
            .unit("%")
            .note("of the true displacement"),
    ];
    for (i, demand) in nominal.demand.iter().enumerate() {
        figures.push(needs(format!("Actuator {} needs", i + 1), demand));
    }
    if !contents.runs.is_empty() {
        figures.push(
            KeyValue::new("Unstable", unstable.to_string())
                .tone(if unstable == 0 {
                    Severity::Good
                } else {
                    Severity::Bad
                })
                .note(format!("of {} random plants", contents.runs.len())),
        );
        figures.extend(worst(contents));
    }
    let mut sections = vec![criteria(contents), histories(contents)];
    if contents.runs.iter().flatten().count() > 1 {
        sections.push(spread(contents));
    }
    let verdict = if unstable > 0 {
        Verdict::Bad(format!(
            "{unstable} of {} runs are unstable.",
            contents.runs.len()
        ))
    } else {
        Verdict::Note(format!(
            "The true displacement is off its target by {} % (J2).",
            tracking.join(" and ")
        ))
    };
    render(&Page {
        title: contents.title.clone(),
        subtitle: "A published benchmark problem".to_owned(),
        verdict,
        facts: contents
            .notes
            .iter()
            .map(|note| KeyValue::new("Note", note.clone()))
            .chain(
                contents
                    .settings
                    .iter()
                    .map(|(name, value)| KeyValue::new(*name, value.clone())),
            )
            .chain([KeyValue::new("Tandem", env!("CARGO_PKG_VERSION"))])
            .collect(),
        figures,
        loop_diagram: Vec::new(),
        sections,
    })
}

/// What is asked of an actuator.
fn needs(title: String, demand: &ActuatorDemand) -> KeyValue {
    KeyValue::new(title, format_number(1e3 * demand.velocity))
        .unit("mm/s")
        .note(format!(
            "{} kN; commands up to {} mm",
            format_number(1e-3 * demand.force),
            format_number(1e3 * demand.command)
        ))
}

/// What random plants ask of the actuators, and whether the goals are met.
fn worst(contents: &Contents<'_>) -> Vec<KeyValue> {
    let done: Vec<&Outcome> = contents.runs.iter().flatten().collect();
    let mut facts = Vec::new();
    for (i, demand) in worst_demand(&done).iter().enumerate() {
        let title = format!("Actuator {} needs, random plants", i + 1);
        facts.push(needs(title, demand));
    }
    if !contents.nominal.criteria.are_multi_axial() {
        let beyond = beyond_force(&done);
        facts.push(
            KeyValue::new("Beyond the force of the actuator", beyond.to_string())
                .tone(if beyond == 0 {
                    Severity::Good
                } else {
                    Severity::Caution
                })
                .note(format!(
                    "random plants that need more than {} kN; the problem does not limit it",
                    format_number(1e-3 * ACTUATOR_FORCE)
                )),
        );
    }
    if let Some(missed) = contents.missed {
        facts.push(match missed {
            [] => KeyValue::new("Goals", "met").tone(Severity::Good),
            missed => KeyValue::new("Goals missed", missed.len().to_string())
                .tone(Severity::Bad)
                .note(missed.join("; ")),
        });
    }
    facts
}

/// One value of a criterion; nothing where it has fewer.
fn one(criteria: &CriteriaValues, number: u8, place: usize) -> Cell {
    let found = criteria.get(number).get(place).copied();
    Cell::from(found.map_or_else(String::new, format_number))
}

/// What the values of a criterion of the multi-axial problem belong to, in their order.
fn at(number: u8) -> &'static [&'static str] {
    match number {
        1..=4 => &["actuator 1", "actuator 2"],
        5 | 6 | 7 | 9 => &["interface, x", "interface, rotation"],
        _ => &[
            "floor 2, x",
            "floor 2, rotation",
            "floor 3, x",
            "floor 3, rotation",
        ],
    }
}

/// The first cells of the line of a value: the criterion, and where there are several values what
/// each belongs to.
fn heads(criteria: &CriteriaValues, number: u8, place: usize) -> Vec<Cell> {
    let first = if place == 0 {
        name(number)
    } else {
        String::new()
    };
    let mut cells = vec![Cell::from(first)];
    if criteria.are_multi_axial() {
        cells.push(Cell::from(at(number).get(place).copied().unwrap_or("")));
    }
    cells
}

/// The columns of these cells.
fn head_columns(criteria: &CriteriaValues) -> Vec<Column> {
    let mut columns = vec![Column::text("Criterion")];
    if criteria.are_multi_axial() {
        columns.push(Column::text("At"));
    }
    columns
}

fn criteria(contents: &Contents<'_>) -> Section {
    let forms = contents.nominal.forms();
    let mut columns = head_columns(forms[0]);
    columns.extend(words(forms[0]).map(|word| Column::number(word, "")));
    if let Some(row) = contents.published {
        columns.push(Column::number(format!("published: {}", row.controller), ""));
    }
    columns.push(Column::text("Unit"));
    let published = contents.published.map(Published::values);
    let rows = forms[0].places().map(|(number, place)| {
        let mut row = heads(forms[0], number, place);
        row.extend(forms.iter().map(|form| one(form, number, place)));
        row.extend(published.iter().map(|row| one(row, number, place)));
        row.push(Cell::from(forms[0].unit(number)));
        row
    });
    Section {
        title: "Criteria".into(),
        intro: format!(
            "In the order of the distributed programs. The measured displacement holds the sensor \
            noise, so that its tracking error cannot fall below the noise; the true displacement \
            shows what the controller does. {}",
            estimate(contents.nominal)
        ),
        blocks: vec![PageItem::Table(Table {
            columns,
            rows: rows.collect(),
            ..Table::default()
        })],
    }
}

/// What the estimated displacement is.
#[must_use]
pub fn estimate(outcome: &Outcome) -> &'static str {
    match outcome.estimate {
        Estimate::Controller => "Estimated: the controller's own estimate of the displacement.",
        Estimate::Measurement => {
            "Estimated: this controller has no estimate, so it is the measurement."
        }
    }
}

fn histories(contents: &Contents<'_>) -> Section {
    let mut blocks = Vec::new();
    for (i, [target, measured, truth]) in contents.strokes.iter().enumerate() {
        let time: Vec<f64> = (0..target.len()).map(|k| k as f64 * contents.dt).collect();
        let mm = |signal: &[f64]| signal.iter().map(|x| 1e3 * x).collect::<Vec<_>>();
        let peak = target
            .iter()
            .enumerate()
            .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
            .map_or(0.0, |(k, _)| time[k]);
        blocks.push(PageItem::Plot(Plot {
            title: format!("Actuator {}", i + 1),
            x: Axis::linear("Time", "s"),
            y: Axis::linear("Displacement", "mm"),
            series: vec![
                Series::line("target", time.clone(), mm(target)).emphasis(LineWeight::Reference),
                Series::line("true", time.clone(), mm(truth))
                    .emphasis(LineWeight::Accent)
                    .style(Style::Dashed),
            ],
            inset: Some((peak - 0.4, peak + 0.4)),
            ..Plot::default()
        }));
        let error = |signal: &[f64]| -> Vec<f64> {
            let pairs = signal.iter().zip(*target);
            pairs.map(|(x, t)| 1e6 * (x - t)).collect()
        };
        blocks.push(PageItem::Plot(Plot {
            title: format!("Tracking error of actuator {}", i + 1),
            caption: "What the sensor says is the error and its noise.".into(),
            x: Axis::linear("Time", "s"),
            y: Axis::linear("Error", "µm"),
            series: vec![
                Series::line("measured", time.clone(), error(measured)).emphasis(LineWeight::Thin),
                Series::line("true", time, error(truth)).emphasis(LineWeight::Accent),
            ],
            ..Plot::default()
        }));
    }
    Section {
        title: "Displacement".into(),
        blocks,
        ..Section::default()
    }
}

/// A histogram of a list.
pub(crate) fn histogram(name: &str, list: &[f64], unit: &str) -> Plot {
    let (low, high) = list
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
            (a.min(*x), b.max(*x))
        });
    let (x, y) = {
        let bars = index((list.len() as f64).sqrt().ceil().clamp(5.0, 40.0));
        let width = ((high - low) / bars as f64).max(f64::MIN_POSITIVE);
        let mut counts = vec![0.0; bars];
        for value in list {
            let at = index(((value - low) / width).floor().max(0.0)).min(bars - 1);
            counts[at] += 1.0;
        }
        let x = (0..bars).map(|k| low + (k as f64 + 0.5) * width).collect();
        (x, counts)
    };
    let mut sorted = list.to_vec();
    sorted.sort_by(f64::total_cmp);
    Plot {
        title: name.to_owned(),
        x: Axis::linear(name, unit),
        y: Axis::linear("Runs", ""),
        series: vec![
            Series::line("runs", x, y)
                .style(Style::Bars)
                .emphasis(LineWeight::Accent),
        ],
        markers: vec![
            (quantile(&sorted, 0.5), "median".into(), Severity::Neutral),
            (quantile(&sorted, 0.95), "95 %".into(), Severity::Caution),
        ],
        ..Plot::default()
    }
}

fn spread(contents: &Contents<'_>) -> Section {
    let done: Vec<&Outcome> = contents.runs.iter().flatten().collect();
    let tables = super::statistics::over(&done);
    let nominal = &contents.nominal.criteria_noise_free;
    let several = nominal.are_multi_axial();
    let mut rows = Vec::new();
    for (number, place) in nominal.places() {
        let mut row = heads(nominal, number, place);
        row.push(one(nominal, number, place));
        let tables = tables.iter().filter_map(|table| table.get(NOISE_FREE));
        row.extend(tables.map(|table| one(table, number, place)));
        row.push(Cell::from(nominal.unit(number)));
        rows.push(row);
    }
    let mut columns = head_columns(nominal);
    for title in ["nominal", "mean", "standard deviation", "worst"] {
        columns.push(Column::number(title, ""));
    }
    columns.push(Column::text("Unit"));
    let wanted: &[u8] = if several { &[2, 4, 7, 8] } else { &[2, 4, 7] };
    // One for each actuator or degree of freedom: they do not spread alike.
    let shown = nominal
        .places()
        .filter(|(number, _)| wanted.contains(number));
    let plots = shown.filter_map(|(number, place)| {
        let values = |run: &&Outcome| run.criteria_noise_free.get(number).get(place).copied();
        let list: Vec<f64> = done.iter().filter_map(values).collect();
        let spreads = list.iter().any(|x| (x - list[0]).abs() > 0.0);
        let title = match at(number).get(place) {
            Some(at) if several => format!("{}, {at}", name(number)),
            _ => name(number),
        };
        spreads.then(|| histogram(&title, &list, nominal.unit(number)))
    });
    Section {
        title: "Random plants".into(),
        intro: "The same controller, with the same settings, on plants drawn with the published \
            uncertainty; criteria of the true displacement."
            .into(),
        blocks: vec![
            PageItem::Table(Table {
                columns,
                rows,
                ..Table::default()
            }),
            PageItem::Plots(plots.collect()),
        ],
    }
}
