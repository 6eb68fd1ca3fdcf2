//! Two runs in the same plots: a rehearsal and its test, or any two.

use tandem_coordinator::channels::{
    COMMAND, MEASURED_DISPLACEMENT, MEASURED_FORCE, Quantity, RESPONSE_DISPLACEMENT, TIME,
};
use tandem_coordinator::recorder::{RecorderError, RunReader};
use tandem_signal::correlate;

use super::scaled::MM;
use super::{Axis, Cell, Column, LineWeight, PageItem, Plot, Section, Series, Severity, Table};
use tandem_quantity::format_number;

/// Two records of tests of the same structure, with what they are called.
pub(super) struct Pair<'a> {
    pub first: &'a RunReader,
    pub second: &'a RunReader,
    pub names: [&'a str; 2],
}

/// What is compared: title, factor and unit of the plot.
const KINDS: [(Quantity, &str, f64, &str); 4] = [
    (
        MEASURED_DISPLACEMENT,
        "Measured displacement of actuator",
        MM,
        "mm",
    ),
    (MEASURED_FORCE, "Measured force of actuator", 1e-3, "kN"),
    (COMMAND, "Command of actuator", MM, "mm"),
    (
        RESPONSE_DISPLACEMENT,
        "Response, degree of freedom",
        MM,
        "mm",
    ),
];
const MOST_PLOTS_A_KIND: usize = 4;

/// Channels that both have, overlaid, with their difference as a table.
pub(super) fn overlay(
    pair: &Pair<'_>,
    title: &str,
    intro: &str,
) -> Result<Option<Section>, RecorderError> {
    let [one, two] = pair.names;
    let (time_a, time_b) = (pair.first.read(TIME)?, pair.second.read(TIME)?);
    let (mut blocks, mut rows, mut loops) = (Vec::new(), Vec::new(), Vec::new());
    for (quantity, heading, factor, unit) in KINDS {
        let names: Vec<String> = pair
            .first
            .channels()
            .map(|c| c.name.clone())
            .filter(|name| quantity.is(name) && pair.second.has(name))
            .collect();
        for (i, name) in names.iter().enumerate() {
            let read = |run: &RunReader| -> Result<Vec<f64>, RecorderError> {
                Ok(run.read(name)?.into_iter().map(|x| x * factor).collect())
            };
            let (a, b) = (read(pair.first)?, read(pair.second)?);
            let number = name.rsplit('/').next().unwrap_or("");
            let at_first = at_times(&time_b, &b, &time_a);
            let n = at_first.len().min(a.len());
            let peaks = [correlate::peak(&a), correlate::peak(&b)];
            let rms = correlate::errors(&at_first[..n], &a[..n])
                .ok()
                .map(|e| 100.0 * e.rms);
            rows.push(vec![
                Cell::from(format!("{heading} {number}")),
                Cell::from(unit),
                Cell::number(peaks[0]),
                Cell::number(peaks[1]),
                Cell::from(rms.map_or("–".to_owned(), format_number))
                    .tone(rms.map_or(Severity::Neutral, judge)),
            ]);
            if i < MOST_PLOTS_A_KIND && quantity != COMMAND {
                blocks.push(PageItem::Plot(Plot {
                    title: format!("{heading} {number}"),
                    x: Axis::linear("Time", "s"),
                    y: Axis::linear(
                        if unit == "kN" {
                            "Force"
                        } else {
                            "Displacement"
                        },
                        unit,
                    ),
                    series: vec![
                        Series::line(one, time_a.clone(), a).emphasis(LineWeight::Reference),
                        Series::line(two, time_b.clone(), b).emphasis(LineWeight::Accent),
                    ],
                    ..Plot::default()
                }));
            }
        }
    }
    for number in 1..=MOST_PLOTS_A_KIND {
        if let Some(plot) = hysteresis(pair, number)? {
            loops.push(plot);
        }
    }
    if rows.is_empty() {
        return Ok(None);
    }
    blocks.insert(
        0,
        PageItem::Table(Table {
            columns: vec![
                Column::text("Channel"),
                Column::text("Unit"),
                Column::number(format!("Peak, {one}"), ""),
                Column::number(format!("Peak, {two}"), ""),
                Column::number("Difference, RMS", "%"),
            ],
            caption: format!(
                "Difference of {two} from {one} at the same structural time, over the \
                RMS of {one}; as far as both go."
            ),
            rows,
            ..Table::default()
        }),
    );
    if !loops.is_empty() {
        blocks.push(PageItem::Plots(loops));
    }
    Ok(Some(Section {
        title: title.to_owned(),
        intro: intro.to_owned(),
        blocks,
    }))
}

fn judge(percent: f64) -> Severity {
    if percent <= 5.0 {
        Severity::Good
    } else if percent <= 20.0 {
        Severity::Caution
    } else {
        Severity::Bad
    }
}

fn hysteresis(pair: &Pair<'_>, number: usize) -> Result<Option<Plot>, RecorderError> {
    let (x, y) = (MEASURED_DISPLACEMENT.of(number), MEASURED_FORCE.of(number));
    let mut series = Vec::new();
    for (run, name, emphasis) in [
        (pair.first, pair.names[0], LineWeight::Reference),
        (pair.second, pair.names[1], LineWeight::Accent),
    ] {
        if !run.channels().any(|c| c.name == x) {
            return Ok(None);
        }
        let thin = |values: Vec<f64>, factor: f64| -> Vec<f64> {
            let stride = values.len() / 40_000 + 1;
            values
                .into_iter()
                .step_by(stride)
                .map(|v| v * factor)
                .collect()
        };
        series.push(
            Series::line(name, thin(run.read(&x)?, MM), thin(run.read(&y)?, 1e-3))
                .emphasis(emphasis),
        );
    }
    Ok(Some(Plot {
        title: format!("Hysteresis of actuator {number}"),
        x: Axis::linear("Displacement", "mm"),
        y: Axis::linear("Force", "kN"),
        series,
        ..Plot::default()
    }))
}

/// Values of a history at other times, by lines between its points; as many as lie within it.
fn at_times(time: &[f64], values: &[f64], wanted: &[f64]) -> Vec<f64> {
    let mut out = Vec::with_capacity(wanted.len());
    let mut k = 0;
    for &t in wanted {
        while k + 1 < time.len() && time[k + 1] < t {
            k += 1;
        }
        let (Some(&t0), Some(&y0)) = (time.get(k), values.get(k)) else {
            break;
        };
        match (time.get(k + 1), values.get(k + 1)) {
            (Some(&t1), Some(&y1)) if t1 > t0 => {
                out.push(y0 + (y1 - y0) * ((t - t0) / (t1 - t0)).clamp(0.0, 1.0));
            }
            _ if t <= t0 + 1e-12 => out.push(y0),
            _ => break,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_meet_at_other_times() {
        let (time, values) = ([0.0, 1.0, 2.0], [0.0, 10.0, 30.0]);
        assert_eq!(
            at_times(&time, &values, &[0.0, 0.5, 1.5, 2.0, 2.5]),
            [0.0, 5.0, 20.0, 30.0],
            "2.5 lies beyond the history"
        );
        assert!(at_times(&[], &[], &[1.0]).is_empty());
    }
}
