//! The page of a campaign: distributions, the plants, what depends on what, the worst run.

use serde_json::Value;
use tandem_quantity::Entry;
use tandem_transfer::plant;

use super::summary::{column, drawn, leading};
use super::table::Row;
use super::{Campaign, files};
use crate::bench::page::histogram;
use crate::report::{
    Axis, Block, Cell, Column, Emphasis, Fact, Page, Plot, Section, Series, Style, Table, Tone,
    Verdict, engineering, render,
};

/// Plants drawn in the cloud.
const CLOUD: usize = 60;
/// Figures that get a histogram, where there are any of them.
const SHOWN: [&str; 9] = [
    "J2_noise_free",
    "J3_noise_free",
    "J4_noise_free",
    "J6_noise_free",
    "J7_noise_free",
    "J9_noise_free",
    "tracking_true_percent/1",
    "reference_percent/1",
    "force_n/1",
];

pub(super) fn of_campaign(campaign: &Campaign, rows: &[Row], figures: &Value) -> String {
    let count = |key: &str| figures[key].as_u64().unwrap_or(0);
    let (runs, unstable) = (count("runs"), count("unstable"));
    let (limit, refused) = (count("stopped_by_limit"), count("refused"));
    let verdict = if unstable > 0 {
        Verdict::Bad(format!("{unstable} of {runs} runs are unstable."))
    } else if count("completed") == 0 {
        Verdict::Bad(format!("None of {runs} runs was completed."))
    } else if limit + refused > 0 {
        Verdict::Caution(format!(
            "None of {runs} runs is unstable, but {limit} were stopped by a limit and {refused} could not be built."
        ))
    } else {
        Verdict::Good(format!("All of {runs} runs are stable."))
    };
    let card = |name: &str, count: u64, tone: Tone| {
        Fact::new(name, count.to_string()).tone(if count == 0 { Tone::Good } else { tone })
    };
    let mut cards = vec![
        Fact::new("Runs", runs.to_string()),
        card("Unstable", unstable, Tone::Bad),
        card("Stopped by a limit", limit, Tone::Caution),
        card("Refused", refused, Tone::Caution),
    ];
    if let Some(name) = leading(campaign)
        && let Some(entry) = figures["criteria"].get(&name)
    {
        let text = |key: &str| entry[key].as_f64().map_or_else(String::new, engineering);
        cards.push(Fact::new(name, text("mean")).note(format!(
            "mean; 95 % of the runs below {}, worst {}",
            text("q95"),
            text("worst")
        )));
    }
    let mut sections = Vec::new();
    let completed = count("completed") > 0;
    sections.extend(completed.then(|| summary(campaign, figures)));
    sections.extend(reasons(figures));
    sections.extend(completed.then(|| distributions(campaign, rows)));
    sections.extend(plants(campaign, rows));
    sections.extend(scatter(campaign, rows));
    sections.extend(sensitivity(campaign, rows, figures));
    sections.extend(worst(campaign, figures));
    render(&Page {
        title: format!("{}: campaign", figures["name"].as_str().unwrap_or("")),
        subtitle: "Many virtual runs of one plan".to_owned(),
        verdict,
        facts: vec![
            Fact::new("Seed", count("seed").to_string()),
            Fact::new("Tandem", env!("CARGO_PKG_VERSION")),
        ],
        figures: cards,
        loop_diagram: Vec::new(),
        sections,
    })
}

fn summary(campaign: &Campaign, figures: &Value) -> Section {
    let keys = ["mean", "std", "q05", "q50", "q95", "worst"];
    let rows = campaign.figure_names().iter().filter_map(|name| {
        let entry = figures["criteria"].get(name)?;
        let mut row = vec![Cell::from(name.clone())];
        row.extend(
            keys.iter()
                .map(|key| Cell::number(entry[key].as_f64().unwrap_or(f64::NAN))),
        );
        Some(row)
    });
    let mut columns = vec![Column::text("Figure")];
    for title in [
        "Mean",
        "Standard deviation",
        "5 %",
        "Median",
        "95 %",
        "Worst",
    ] {
        columns.push(Column::number(title, ""));
    }
    Section {
        title: "Summary".into(),
        intro: "Over the runs that were completed. Criteria in % (J1 in ms): with standard deviations, with RMS (_rms), and of the true displacement without sensor noise (_noise_free).".into(),
        blocks: vec![Block::Table(Table {
            columns,
            rows: rows.collect(),
            ..Table::default()
        })],
    }
}

/// Why runs were not completed.
fn reasons(figures: &Value) -> Option<Section> {
    let reasons = figures["reasons"].as_object().filter(|r| !r.is_empty())?;
    let rows = reasons.iter().map(|(reason, count)| {
        vec![
            Cell::from(reason.clone()),
            Cell::number(count.as_f64().unwrap_or(f64::NAN)),
        ]
    });
    Some(Section {
        title: "Runs that were not completed".into(),
        intro: "Stopped by a limit: still on the way of the reference. Unstable: further from it than its largest motion, or stopped by a monitor.".into(),
        blocks: vec![Block::Table(Table {
            columns: vec![Column::text("Reason"), Column::number("Runs", "")],
            rows: rows.collect(),
            ..Table::default()
        })],
    })
}

fn distributions(campaign: &Campaign, rows: &[Row]) -> Section {
    let plots: Vec<Plot> = SHOWN
        .iter()
        .filter_map(|name| {
            let mut list = column(campaign, rows, name);
            list.retain(|x| x.is_finite());
            let first = *list.first()?;
            let spreads = list.iter().any(|x| (x - first).abs() > 0.0);
            let unit = if name.starts_with("force") { "N" } else { "%" };
            spreads.then(|| histogram(name, &list, unit))
        })
        .collect();
    Section {
        title: "Distributions".into(),
        blocks: vec![Block::Plots(plots)],
        ..Section::default()
    }
}

/// Amplitude and phase of the first runs' plants, from the first command to the first displacement.
fn plants(campaign: &Campaign, rows: &[Row]) -> Option<Section> {
    let frequencies: Vec<f64> = (0..400)
        .map(|k| 0.1 * 1000.0_f64.powf(f64::from(k) / 399.0))
        .collect();
    let mut amplitude = Vec::new();
    let mut phase = Vec::new();
    let mut add = |name: String, plan: &crate::plan::Resolved, emphasis: Emphasis| -> Option<()> {
        let table = plan.values.optional_table("rig")?.optional_table("plant")?;
        let entry = Entry::find(plant::METHODS, table.text("kind").ok()?)?;
        let axes = (1..=4).find_map(|axes| (entry.build)(table, axes, 1e-3).ok())?;
        let system = axes.linear()?;
        let (mut gains, mut angles, mut last) = (Vec::new(), Vec::new(), 0.0_f64);
        for f in &frequencies {
            let [re, im] = system.response(2.0 * std::f64::consts::PI * f, 0, 0);
            gains.push(re.hypot(im));
            // Unwrapped: the phase goes on where it was.
            let mut angle = im.atan2(re).to_degrees();
            angle -= 360.0 * ((angle - last) / 360.0).round();
            last = angle;
            angles.push(angle);
        }
        amplitude.push(Series::line(name.clone(), frequencies.clone(), gains).emphasis(emphasis));
        phase.push(Series::line(name, frequencies.clone(), angles).emphasis(emphasis));
        Some(())
    };
    for row in rows.iter().take(CLOUD) {
        let Ok(plan) = campaign.plan(row.run) else {
            continue;
        };
        add(format!("run {}", row.run), &plan, Emphasis::Thin)?;
    }
    add("nominal".into(), &campaign.nominal, Emphasis::Reference)?;
    let plot = |title: &str, y: Axis, series| Plot {
        title: title.into(),
        x: Axis::log("Frequency", "Hz"),
        y,
        series,
        ..Plot::default()
    };
    Some(Section {
        title: "Plants".into(),
        intro: format!(
            "Command to displacement of the first axis: the nominal plant and those of the first {} runs.",
            rows.len().min(CLOUD)
        ),
        blocks: vec![Block::Plots(vec![
            plot("Amplitude", Axis::log("Gain", ""), amplitude),
            plot("Phase", Axis::linear("Phase", "°"), phase),
        ])],
    })
}

fn scatter(campaign: &Campaign, rows: &[Row]) -> Option<Section> {
    let name = leading(campaign)?;
    let y = column(campaign, rows, &name);
    if y.len() < 3 {
        return None;
    }
    let others = [
        "J4_noise_free",
        "J7_noise_free",
        "J3_noise_free",
        "force_n/1",
        "reference_percent/1",
    ];
    let points = |title: &str, x: Vec<f64>| Plot {
        title: format!("{name} over {title}"),
        x: Axis::linear(title, ""),
        y: Axis::linear(name.clone(), "%"),
        series: vec![
            Series::line("runs", x, y.clone())
                .style(Style::Points)
                .emphasis(Emphasis::Accent),
        ],
        ..Plot::default()
    };
    let mut plots: Vec<Plot> = others
        .iter()
        .filter(|other| **other != name)
        .map(|other| (other, column(campaign, rows, other)))
        .filter(|(_, x)| x.len() == y.len())
        .take(3)
        .map(|(other, x)| points(other, x))
        .collect();
    for (place, variation) in campaign.variations.iter().enumerate().take(6) {
        plots.push(points(&variation.key, drawn(rows, place)));
    }
    Some(Section {
        title: "What goes with what".into(),
        blocks: vec![Block::Plots(plots)],
        ..Section::default()
    })
}

fn sensitivity(campaign: &Campaign, rows: &[Row], figures: &Value) -> Option<Section> {
    let table = figures["sensitivity"]
        .as_object()
        .filter(|t| !t.is_empty())?;
    let shown: Vec<&str> = SHOWN
        .iter()
        .copied()
        .filter(|name| !column(campaign, rows, name).is_empty())
        .collect();
    let leading = leading(campaign).unwrap_or_default();
    let of = |key: &str, name: &str| table[key][name].as_f64().unwrap_or(0.0);
    let mut keys: Vec<&String> = table.keys().collect();
    keys.sort_by(|a, b| of(b, &leading).abs().total_cmp(&of(a, &leading).abs()));
    let mut columns = vec![Column::text("Drawn key")];
    columns.extend(shown.iter().map(|name| Column::number(*name, "")));
    let lines = keys.iter().map(|key| {
        let mut row = vec![Cell::from((*key).clone())];
        row.extend(shown.iter().map(|name| {
            let value = of(key, name);
            let tone = match value.abs() {
                x if x > 0.7 => Tone::Bad,
                x if x > 0.4 => Tone::Caution,
                _ => Tone::Neutral,
            };
            Cell::from(format!("{value:.2}")).tone(tone)
        }));
        row
    });
    let first = keys.first()?;
    Some(Section {
        title: "Sensitivity".into(),
        intro: format!(
            "Rank correlation (Spearman) of every drawn key with the figures: 1 or −1 is an ordered dependence, 0 none. {first} matters most for {leading}."
        ),
        blocks: vec![Block::Table(Table {
            columns,
            rows: lines.collect(),
            ..Table::default()
        })],
    })
}

fn worst(campaign: &Campaign, figures: &Value) -> Option<Section> {
    let run = figures["worst_run"].as_u64()?;
    let set: Vec<&str> = figures["worst_set"]
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    Some(Section {
        title: "Worst run".into(),
        intro: format!(
            "Run {run} is the worst by {}. It was run again with everything recorded.",
            figures["worst_by"].as_str().unwrap_or("outcome")
        ),
        blocks: vec![
            Block::Link {
                text: format!("Report of run {run}"),
                target: format!("{}/report.html", files::WORST),
            },
            Block::Text(format!(
                "The same again: tandem run {} --set '{}'",
                campaign.path.display(),
                set.join("' --set '")
            )),
        ],
    })
}
