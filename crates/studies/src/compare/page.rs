//! The page of `tandem compare-methods`: every compensator on every transfer system, at a glance
//! and in figures.

use std::fmt::Write as _;

use super::{Comparison, NOISE, RATE};
use tandem_report::{
    Cell, Column, KeyValue, Page, PageItem, Picture, Section, Severity, Table, Verdict, html,
    render,
};

/// Error (% of the RMS of the motion) up to which a colour holds, best first; the last is for all
/// beyond.
const BANDS: [(f64, &str, &str); 6] = [
    (0.5, "#1f6fb2", "#fff"),
    (2.0, "#56b4c9", "#111"),
    (5.0, "#a9d8b8", "#111"),
    (10.0, "#f3cf5a", "#111"),
    (25.0, "#e98a15", "#111"),
    (f64::INFINITY, "#c43c1d", "#fff"),
];
const UNSTABLE: &str = "#4a0a10";

/// The comparison as one HTML text.
pub fn page(found: &Comparison) -> String {
    let unstable = found.cells.iter().filter(|cell| !cell.stable).count();
    let overview = found.motions.iter().map(|(name, summary)| {
        PageItem::Picture(Picture {
            title: format!("Motion {name}"),
            caption: format!(
                "Tracking error, RMS over RMS of the motion, %. {summary}. The worse axis counts \
                where there are two."
            ),
            svg: matrix(found, name),
        })
    });
    let mut sections = vec![Section {
        title: "At a glance".into(),
        intro: format!(
            "Each cell is a virtual run of compensator and rig at {RATE} Hz with {} µm of noise on \
            the displacement. The wanted motion is \
             given and nothing goes back to a structure: a cell shows tracking alone. The first \
             three seconds do not count.",
            NOISE * 1e6
        ),
        blocks: overview.collect(),
    }];
    for (system, summary, fit) in &found.systems {
        let (frequency, damping) = fit.second_order();
        let tables = found.motions.iter().map(|(motion, _)| {
            let cells = found
                .cells
                .iter()
                .filter(|cell| cell.system == *system && cell.motion == *motion);
            PageItem::Table(Table {
                title: format!("{system}, motion {motion}"),
                columns: vec![
                    Column::text("Compensator"),
                    Column::number("Delay", "ms"),
                    Column::number("NRMSE", "%"),
                    Column::number("Peak error", "%"),
                    Column::number("Effort", ""),
                    Column::text("Stable"),
                ],
                rows: cells.map(row).collect(),
                ..Table::default()
            })
        });
        sections.push(Section {
            title: (*system).to_owned(),
            intro: format!(
                "{summary}. Fitted: delay {:.2} ms, gain {:.3}, as a second-order lag \
                {frequency:.1} Hz with damping ratio {damping:.2}.",
                fit.delay() * 1e3,
                fit.gain()
            ),
            blocks: tables.collect(),
        });
    }
    sections.push(Section {
        title: "Settings".into(),
        intro:
            "Before the cells, u = a0 x + a1 x' + a2 x'' is fitted on an uncompensated run over \
            the motion band, without noise. \
                Everything not named here is a default of the plan."
                .into(),
        blocks: vec![PageItem::Table(Table {
            columns: vec![Column::text("Compensator"), Column::text("Rule")],
            rows: found
                .rules
                .iter()
                .map(|(name, rule)| vec![Cell::from(*name), Cell::from(*rule)])
                .collect(),
            ..Table::default()
        })],
    });
    render(&Page {
        title: "Compensators on transfer systems".into(),
        subtitle:
            "Delay, error, effort and stability of every compensator on every actuator and plant"
                .into(),
        verdict: Verdict::Note(format!(
            "{} runs, {unstable} of them unstable.",
            found.cells.len()
        )),
        facts: vec![KeyValue::new("Tandem", env!("CARGO_PKG_VERSION"))],
        figures: Vec::new(),
        loop_diagram: Vec::new(),
        sections,
    })
}

fn row(cell: &super::Cell) -> Vec<Cell> {
    let number = |x: Option<f64>| x.map_or(Cell::from("–"), Cell::number);
    vec![
        Cell::from(cell.compensator),
        number(cell.delay_ms),
        number(cell.nrmse_percent),
        number(cell.peak_percent),
        number(cell.effort),
        if cell.stable {
            Cell::from("yes").tone(Severity::Good)
        } else {
            Cell::from("no").tone(Severity::Bad)
        },
    ]
}

/// Compensators down, transfer systems across, the error written into coloured cells.
fn matrix(found: &Comparison, motion: &str) -> String {
    const LEFT: f64 = 215.0;
    const TOP: f64 = 95.0;
    const WIDE: f64 = 60.0;
    const HIGH: f64 = 24.0;
    let names: Vec<&str> = found.rules.iter().map(|(name, _)| *name).collect();
    let across = WIDE * found.systems.len() as f64;
    let down = HIGH * names.len() as f64;
    let mut out = format!(
        "<svg viewBox=\"0 0 {:.0} {:.0}\" role=\"img\" aria-label=\"Tracking error of every \
        compensator on every transfer system\">",
        LEFT + across + 70.0,
        TOP + down + 50.0
    );
    for (i, (system, ..)) in found.systems.iter().enumerate() {
        let x = LEFT + (i as f64 + 0.5) * WIDE;
        let _ = write!(
            out,
            "<text class=\"tick\" transform=\"translate({x:.1} {:.1}) rotate(-40)\">{}</text>",
            TOP - 8.0,
            html(system)
        );
    }
    for (j, name) in names.iter().enumerate() {
        let y = TOP + j as f64 * HIGH;
        let _ = write!(
            out,
            "<text class=\"tick end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            LEFT - 8.0,
            y + 16.0,
            html(name)
        );
        for (i, (system, ..)) in found.systems.iter().enumerate() {
            let cell = found.cells.iter().find(|cell| {
                cell.system == *system && cell.compensator == *name && cell.motion == motion
            });
            let Some(cell) = cell else { continue };
            let (text, fill, ink) = match cell.nrmse_percent {
                Some(error) => {
                    let band = BANDS.iter().find(|(most, ..)| error <= *most);
                    let (_, fill, ink) = band.copied().unwrap_or(BANDS[BANDS.len() - 1]);
                    (format!("{error:.2}"), fill, ink)
                }
                None => ("unstable".to_owned(), UNSTABLE, "#fff"),
            };
            let x = LEFT + i as f64 * WIDE;
            let _ = write!(
                out,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{fill}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" \
                 style=\"font-size:11px;fill:{ink}\">{text}</text>",
                WIDE - 2.0,
                HIGH - 2.0,
                x + 0.5 * WIDE,
                y + 15.0
            );
        }
    }
    let mut x = LEFT;
    let mut last = 0.0;
    for (most, fill, _) in BANDS {
        let text = if most.is_finite() {
            format!("{last} to {most} %")
        } else {
            format!("above {last} %")
        };
        let y = TOP + down + 18.0;
        let _ = write!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"18\" height=\"14\" fill=\"{fill}\"/><text \
            class=\"tick\" x=\"{:.1}\" y=\"{:.1}\">{text}</text>",
            x + 23.0,
            y + 12.0
        );
        x += 105.0;
        last = most;
    }
    out.push_str("</svg>");
    out
}
