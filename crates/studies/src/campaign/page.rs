//! The page of a campaign: distributions, the plants, what depends on what, the worst run.

use std::cmp::Ordering;
use std::fmt::Write as _;

use super::engine::quoted;
use super::summary::{
    By, CampaignSummary, Dependence, Spread, WorstRun, column, drawn, factors, leading, names_of,
    unit,
};
use super::table::Row;
use super::{Campaign, files, plant_of};
use crate::bench::page::histogram;
use tandem_quantity::format_number;
use tandem_report::{
    Axis, Cell, Column, KeyValue, LineWeight, Page, PageItem, Plot, Section, Series, Severity,
    Style, Table, Verdict, render,
};

/// Plants drawn in the cloud.
const CLOUD: usize = 60;
/// Figures that get a histogram, where there are any of them.
const SHOWN: [&str; 10] = [
    "J2_noise_free",
    "J3_noise_free",
    "J4_noise_free",
    "J6_noise_free",
    "J7_noise_free",
    "J8_noise_free",
    "J9_noise_free",
    "tracking_true_percent",
    "reference_percent",
    "force_n",
];
/// Histograms, and columns of the table of sensitivities, at most.
const MOST_SHOWN: usize = 16;
/// Drawn quantities that get a plot, at most: as many as a random plant differs by.
const MOST_FACTORS: usize = 9;

/// Figures with a histogram that spread at all; of those that each actuator or degree of freedom
/// has, the first two.
fn shown<'a>(campaign: &'a Campaign, rows: &[Row]) -> Vec<&'a str> {
    let spreads = |name: &&str| {
        let mut list = column(campaign, rows, name);
        list.retain(|x| x.is_finite());
        list.iter().any(|x| (x - list[0]).abs() > 0.0)
    };
    let all = SHOWN
        .iter()
        .flat_map(|figure| names_of(campaign, figure).into_iter().take(2));
    all.filter(spreads).take(MOST_SHOWN).collect()
}

pub(super) fn of_campaign(campaign: &Campaign, rows: &[Row], figures: &CampaignSummary) -> String {
    let (runs, unstable) = (figures.runs, figures.unstable);
    let (limit, refused) = (figures.stopped_by_limit, figures.refused);
    let verdict = if unstable > 0 {
        Verdict::Bad(format!("{unstable} of {runs} runs are unstable."))
    } else if figures.completed == 0 {
        Verdict::Bad(format!("None of {runs} runs was completed."))
    } else if limit + refused > 0 {
        Verdict::Caution(format!(
            "None of {runs} runs is unstable, but {limit} were stopped by a limit and {refused} \
            could not be built."
        ))
    } else {
        Verdict::Good(format!("All of {runs} runs are stable."))
    };
    let card = |name: &str, count: usize, tone: Severity| {
        KeyValue::new(name, count.to_string()).tone(if count == 0 { Severity::Good } else { tone })
    };
    let mut cards = vec![
        KeyValue::new("Runs", runs.to_string()),
        card("Unstable", unstable, Severity::Bad),
        card("Stopped by a limit", limit, Severity::Caution),
        card("Refused", refused, Severity::Caution),
    ];
    if let Some(name) = leading(campaign)
        && let Some(spread) = figures.criteria.get(&name)
    {
        cards.push(
            KeyValue::new(name, format_number(spread.mean)).note(format!(
                "mean; 95 % of the runs below {}, worst {}",
                format_number(spread.q95),
                format_number(spread.worst)
            )),
        );
    }
    let mut sections = Vec::new();
    let completed = figures.completed > 0;
    sections.extend(completed.then(|| summary(campaign, figures)));
    sections.extend(draws(campaign));
    sections.extend(reasons(figures));
    sections.extend(completed.then(|| distributions(campaign, rows)));
    sections.extend(plants(campaign, rows));
    sections.extend(scatter(campaign, rows));
    sections.extend(sensitivity(campaign, rows, figures));
    sections.extend(worst(campaign, figures));
    render(&Page {
        title: format!("{}: campaign", figures.name),
        subtitle: "Many virtual runs of one plan".to_owned(),
        verdict,
        facts: figures
            .notes
            .iter()
            .map(|note| KeyValue::new("Note", note.clone()))
            .chain([
                KeyValue::new("Seed", figures.seed.to_string()),
                KeyValue::new("Tandem", env!("CARGO_PKG_VERSION")),
            ])
            .collect(),
        figures: cards,
        loop_diagram: Vec::new(),
        sections,
    })
}

fn summary(campaign: &Campaign, figures: &CampaignSummary) -> Section {
    let of = |s: &Spread| [s.mean, s.std, s.q05, s.q50, s.q95, s.worst];
    let rows = campaign.figure_names().iter().filter_map(|name| {
        let spread = figures.criteria.get(name)?;
        let mut row = vec![Cell::from(name.clone()), Cell::from(spread.unit)];
        row.extend(of(spread).map(Cell::number));
        Some(row)
    });
    let mut columns = vec![Column::text("Figure"), Column::text("Unit")];
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
        intro: "Over the runs that were completed. Criteria of the measured displacement: with \
            standard deviations, and with RMS (_rms); with standard deviations of the \
            compensator's own estimate (_estimated; the measured one where it has none) and of the \
            true displacement without sensor noise (_noise_free)."
            .into(),
        blocks: vec![PageItem::Table(Table {
            columns,
            rows: rows.collect(),
            ..Table::default()
        })],
    }
}

/// What was drawn for every run, and how.
fn draws(campaign: &Campaign) -> Option<Section> {
    if campaign.variations.is_empty() {
        return None;
    }
    let rows = campaign.variations.iter().map(|variation| {
        let given = variation.given().into_iter();
        let mut words: Vec<String> = given
            .map(|(name, value)| format!("{name} {}", format_number(value)))
            .collect();
        words.extend(variation.listed().into_iter().map(str::to_owned));
        vec![
            Cell::from(variation.key.clone()),
            Cell::from(variation.distribution()),
            Cell::from(words.join(", ")),
            Cell::from(variation.unit.clone()),
        ]
    });
    let plants = if campaign.plant_columns.is_empty() {
        ""
    } else {
        " What a random plant differs by (rig.plant.draw/…) is the relative deviation of each of \
        its uncertain numbers from the one that is written."
    };
    Some(Section {
        title: "What was drawn".into(),
        intro: format!("Anew for every run, and with them the seed of the noise.{plants}"),
        blocks: vec![PageItem::Table(Table {
            columns: ["Key", "Distribution", "Given", "Unit"]
                .map(Column::text)
                .into(),
            rows: rows.collect(),
            ..Table::default()
        })],
    })
}

/// Why runs were not completed.
fn reasons(figures: &CampaignSummary) -> Option<Section> {
    let rows = figures
        .reasons
        .iter()
        .map(|(reason, count)| vec![Cell::from(reason.clone()), Cell::number(*count as f64)]);
    (!figures.reasons.is_empty()).then(|| Section {
        title: "Runs that were not completed".into(),
        intro: "Stopped by a limit: still on the way of the reference. Unstable: further from it \
            than its largest motion, or stopped by a monitor."
            .into(),
        blocks: vec![PageItem::Table(Table {
            columns: vec![Column::text("Reason"), Column::number("Runs", "")],
            rows: rows.collect(),
            ..Table::default()
        })],
    })
}

fn distributions(campaign: &Campaign, rows: &[Row]) -> Section {
    let plots: Vec<Plot> = shown(campaign, rows)
        .into_iter()
        .map(|name| {
            let mut list = column(campaign, rows, name);
            list.retain(|x| x.is_finite());
            histogram(name, &list, unit(campaign, name))
        })
        .collect();
    Section {
        title: "Distributions".into(),
        blocks: vec![PageItem::Plots(plots)],
        ..Section::default()
    }
}

/// Amplitude and phase along the frequencies.
type Response = [Vec<f64>; 2];

/// The responses of a plan's plant: every pair of command and displacement, or where there are more
/// than two axes each axis for itself.
fn responses(
    plan: &tandem::plan::Plan,
    frequencies: &[f64],
) -> Option<Vec<([usize; 2], Response)>> {
    let plant = plant_of(plan)?;
    let system = plant.linear()?;
    let axes = plant.actuators();
    let pairs = (0..axes).flat_map(|output| (0..axes).map(move |input| [output, input]));
    let wanted = pairs.filter(|[output, input]| axes <= 2 || output == input);
    let along = |[output, input]: [usize; 2]| {
        let (mut gains, mut angles, mut last) = (Vec::new(), Vec::new(), 0.0_f64);
        for f in frequencies {
            let [re, im] = system.response(2.0 * std::f64::consts::PI * f, output, input);
            gains.push(re.hypot(im));
            // Unwrapped: the phase goes on where it was.
            let mut angle = im.atan2(re).to_degrees();
            angle -= 360.0 * ((angle - last) / 360.0).round();
            last = angle;
            angles.push(angle);
        }
        ([output, input], [gains, angles])
    };
    Some(wanted.map(along).collect())
}

/// Amplitude and phase of the first runs' plants as one cloud, with the nominal plant on top.
fn plants(campaign: &Campaign, rows: &[Row]) -> Option<Section> {
    let frequencies: Vec<f64> = (0..160)
        .map(|k| 0.1 * 1000.0_f64.powf(f64::from(k) / 159.0))
        .collect();
    let nominal = responses(&campaign.nominal, &frequencies)?;
    let drawn: Vec<_> = rows
        .iter()
        .take(CLOUD)
        .filter_map(|row| responses(&campaign.plan(row.run).ok()?, &frequencies))
        .filter(|found| found.len() == nominal.len())
        .collect();
    // One line with gaps: one name in the legend for all runs.
    let cloud = |pair: usize, part: usize| {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for run in &drawn {
            x.extend_from_slice(&frequencies);
            y.extend_from_slice(&run[pair].1[part]);
            x.push(f64::NAN);
            y.push(f64::NAN);
        }
        Series::line(format!("{} runs", drawn.len()), x, y).emphasis(LineWeight::Thin)
    };
    let mut blocks = Vec::new();
    for (pair, ([output, input], own)) in nominal.iter().enumerate() {
        let mut plots = Vec::new();
        for (part, name) in ["Amplitude", "Phase"].into_iter().enumerate() {
            let line = Series::line("nominal", frequencies.clone(), own[part].clone());
            plots.push(Plot {
                title: if nominal.len() == 1 {
                    name.to_owned()
                } else {
                    format!(
                        "{name}, command {} to displacement {}",
                        input + 1,
                        output + 1
                    )
                },
                x: Axis::log("Frequency", "Hz"),
                y: match part {
                    0 => Axis::log("Gain", ""),
                    _ => Axis::linear("Phase", "°"),
                },
                series: vec![cloud(pair, part), line.emphasis(LineWeight::Accent)],
                ..Plot::default()
            });
        }
        blocks.push(PageItem::Plots(plots));
    }
    Some(Section {
        title: "Plants".into(),
        intro: format!(
            "Command to displacement: the nominal plant over those of the first {} runs.",
            drawn.len()
        ),
        blocks,
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
        "force_n",
        "reference_percent",
    ];
    let points = |title: &str, unit_of_x: &str, x: Vec<f64>| Plot {
        title: format!("{name} over {title}"),
        x: Axis::linear(title, unit_of_x),
        y: Axis::linear(name.clone(), unit(campaign, &name)),
        series: vec![
            Series::line("runs", x, y.clone())
                .style(Style::Points)
                .emphasis(LineWeight::Accent),
        ],
        ..Plot::default()
    };
    let mut plots: Vec<Plot> = others
        .iter()
        .filter_map(|figure| names_of(campaign, figure).first().copied())
        .filter(|other| *other != name && shown(campaign, rows).contains(other))
        .map(|other| (other, column(campaign, rows, other)))
        .filter(|(_, x)| x.len() == y.len())
        .take(3)
        .map(|(other, x)| points(other, unit(campaign, other), x))
        .collect();
    for factor in factors(campaign).into_iter().take(MOST_FACTORS) {
        let mut plot = points(factor.name, factor.unit, drawn(rows, factor.place));
        if let Some(words) = factor.words {
            let places = (1..).zip(words).map(|(i, word)| format!("{i}: {word}"));
            plot.caption = places.collect::<Vec<_>>().join("; ");
        }
        plots.push(plot);
    }
    if plots.is_empty() {
        return None;
    }
    Some(Section {
        title: "What goes with what".into(),
        blocks: vec![PageItem::Plots(plots)],
        ..Section::default()
    })
}

/// A dependence that chance would make as well.
const INDISTINCT: &str = "–";

fn sensitivity(campaign: &Campaign, rows: &[Row], figures: &CampaignSummary) -> Option<Section> {
    let table = &figures.sensitivity;
    if table.is_empty() {
        return None;
    }
    let shown: Vec<&str> = shown(campaign, rows).into_iter().take(6).collect();
    let leading = leading(campaign).unwrap_or_default();
    let mut keys: Vec<&String> = table.keys().collect();
    let found = |key: &str, name: &str| table.get(key)?.get(name).map(Dependence::of);
    let of = |key: &String| found(key, &leading).map_or((false, 0.0), |d| d.rank());
    keys.sort_by(|a, b| of(b).partial_cmp(&of(a)).unwrap_or(Ordering::Equal));
    let mut columns = vec![Column::text("Drawn key")];
    columns.extend(shown.iter().map(|name| Column::text(*name)));
    let lines = keys.iter().map(|key| {
        let mut row = vec![Cell::from((*key).clone())];
        row.extend(shown.iter().map(|name| {
            let Some(found) = found(key, name) else {
                return Cell::from(INDISTINCT);
            };
            let Dependence {
                value, low, high, ..
            } = found;
            let text = match (found.by, found.sure) {
                (By::Entries, true) => format!("{:.0} % of the spread", 100.0 * value),
                (By::Entries, false) => INDISTINCT.to_owned(),
                (By::Order, true) => format!("{value:.2} ({low:.2} to {high:.2})"),
                (By::Distance, true) => format!("± {value:.2} ({low:.2} to {high:.2})"),
                (_, false) => format!("{INDISTINCT} ({low:.2} to {high:.2})"),
            };
            let tone = match found.strength() {
                x if found.sure && x > 0.7 => Severity::Bad,
                x if found.sure && x > 0.4 => Severity::Caution,
                _ => Severity::Neutral,
            };
            Cell::from(text).tone(tone)
        }));
        row
    });
    Some(Section {
        title: "Sensitivity".into(),
        intro: format!(
            "Rank correlation (Spearman) of every drawn key with the figures, and the interval \
            that holds it with 95 %, for all keys together: 1 or −1 is an ordered dependence, 0 \
            none. ±: of its distance from the nominal value, to either side, where that tells \
            more. Of keys that are chosen from a list without order: the share of the spread that \
            lies between their values. {INDISTINCT}: not distinguishable from noise. {}",
            figures.matters_most.as_deref().unwrap_or("")
        ),
        blocks: vec![PageItem::Table(Table {
            columns,
            rows: lines.collect(),
            ..Table::default()
        })],
    })
}

fn worst(campaign: &Campaign, figures: &CampaignSummary) -> Option<Section> {
    let WorstRun { run, by, set } = figures.worst.as_ref()?;
    Some(Section {
        title: "Worst run".into(),
        intro: format!(
            "Run {run} is the worst by {by}. It was run again with everything recorded."
        ),
        blocks: vec![
            PageItem::Link {
                text: format!("Report of run {run}"),
                target: format!("{}/report.html", files::WORST),
            },
            PageItem::Text({
                let mut line = format!(
                    "The same again: tandem run {}",
                    quoted(&campaign.path.to_string_lossy())
                );
                for set in set {
                    let _ = write!(line, " --set {}", quoted(set));
                }
                line
            }),
        ],
    })
}
