//! The page of `tandem analyse`: what time-stepping methods do to an oscillator, drawn over Ω.

use tandem_integrator::{ErrorGrowth, NOISE_STEPS};

use super::Analysis;
use tandem_quantity::format_number;
use tandem_report::{
    Axis, Cell, Column, KeyValue, Page, PageItem, Plot, Section, Series, Table, Verdict, render,
};

/// Roots that meet on the unit circle come out a little above it.
const STABLE: f64 = 1.0 + 1e-6;

/// Spectral radius, period error, numerical damping and growth of control errors of some methods,
/// as one HTML text. `damping` is the oscillator's own ratio.
pub fn page(found: &[(&str, Analysis)], damping: f64) -> String {
    let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
    render(&Page {
        title: names.join(", "),
        subtitle:
            "Stability, accuracy and growth of control errors, from the steps of the methods \
            themselves"
                .into(),
        verdict: Verdict::Note(conclusion(found)),
        facts: vec![
            KeyValue::new("Damping ratio of the oscillator", format_number(damping)),
            KeyValue::new("Tandem", env!("CARGO_PKG_VERSION")),
        ],
        figures: Vec::new(),
        loop_diagram: Vec::new(),
        sections: vec![
            Section {
                title: "Stability and accuracy".into(),
                intro: "One step of a linear oscillator from three basis states gives the \
                    amplification matrix; its roots tell the rest. A gap: the roots are real, \
                    there is no oscillation."
                    .into(),
                blocks: accuracy(found),
            },
            Section {
                title: "Growth of control errors".into(),
                intro: "The oscillator's spring is the specimen; what it reaches differs from the \
                    target. Nothing is drawn where the method refuses the step."
                    .into(),
                blocks: errors(found),
            },
            Section {
                title: "Figures".into(),
                intro: String::new(),
                blocks: vec![PageItem::Table(table(found))],
            },
        ],
    })
}

type Found<'a> = [(&'a str, Analysis)];

fn series(found: &Found<'_>, pick: &dyn Fn(&Analysis) -> Vec<Option<f64>>) -> Vec<Series> {
    found
        .iter()
        .map(|(name, analysis)| {
            let y = pick(analysis).into_iter();
            let y = y.map(|y| y.unwrap_or(f64::NAN)).collect();
            Series::line(*name, analysis.omega.clone(), y)
        })
        .collect()
}

fn plot(title: &str, caption: String, label: &str, unit: &str, series: Vec<Series>) -> Plot {
    Plot {
        title: title.into(),
        caption,
        x: Axis::linear("Ω = ω Δt", ""),
        y: Axis::linear(label, unit),
        series,
        ..Plot::default()
    }
}

/// What an unstable step does to period and damping nobody wants to know.
fn percent(a: &Analysis, values: &[Option<f64>]) -> Vec<Option<f64>> {
    let stable = a.spectral_radius.iter().map(|r| *r <= STABLE);
    let values = values.iter().zip(stable);
    values
        .map(|(x, stable)| x.filter(|_| stable).map(|x| 100.0 * x))
        .collect()
}

fn accuracy(found: &Found<'_>) -> Vec<PageItem> {
    let mut radius = plot(
        "Spectral radius",
        "Largest modulus of a root of one step. Above one the method is unstable; below one it \
        damps."
            .into(),
        "Spectral radius",
        "",
        // What is far beyond the limit of stability would press the rest of the figure flat.
        series(found, &|a| {
            a.spectral_radius
                .iter()
                .map(|r| (*r < 2.0).then_some(*r))
                .collect()
        }),
    );
    radius.horizontals = vec![(1.0, "limit of stability".into())];
    vec![
        PageItem::Plot(radius),
        PageItem::Plot(plot(
            "Period error",
            "Computed period over the true one, less one: positive where the computed motion is \
            slower."
                .into(),
            "Period error",
            "%",
            series(found, &|a| percent(a, &a.period_error)),
        )),
        PageItem::Plot(plot(
            "Numerical damping",
            "Damping ratio that the method adds to the oscillator's own.".into(),
            "Damping ratio",
            "%",
            series(found, &|a| percent(a, &a.numerical_damping)),
        )),
    ]
}

fn errors(found: &Found<'_>) -> Vec<PageItem> {
    let growth = |part: fn(&ErrorGrowth) -> f64| {
        series(found, &|a| {
            a.error_growth
                .iter()
                .map(|g| g.as_ref().map(part))
                .collect()
        })
    };
    let mut noise = plot(
        "Random errors",
        format!(
            "RMS error of the displacement after {NOISE_STEPS} steps over the RMS of an \
            independent error in every step."
        ),
        "Growth",
        "",
        growth(|g| g.noise),
    );
    noise.y = Axis::log("Growth", "");
    vec![
        PageItem::Plot(plot(
            "Systematic undershoot",
            "Damping ratio that a specimen adds which stops 1 % short of every increment. \
            Negative: it feeds energy in."
                .into(),
            "Damping ratio",
            "%",
            growth(|g| 100.0 * g.undershoot_damping),
        )),
        PageItem::Plot(plot(
            "Systematic overshoot",
            "Likewise where the specimen goes 1 % too far.".into(),
            "Damping ratio",
            "%",
            growth(|g| 100.0 * g.overshoot_damping),
        )),
        PageItem::Plot(noise),
    ]
}

/// Which methods stay stable over the range that was asked.
fn conclusion(found: &[(&str, Analysis)]) -> String {
    let limit = |analysis: &Analysis| {
        let over = analysis.spectral_radius.iter().position(|r| *r > STABLE);
        over.map(|i| analysis.omega[i])
    };
    let stable: Vec<&str> = found
        .iter()
        .filter(|(_, analysis)| limit(analysis).is_none())
        .map(|(name, _)| *name)
        .collect();
    let mut text = match (stable.len(), found.len()) {
        (0, _) => String::new(),
        (a, b) if a == b => "Stable over the whole range.".to_owned(),
        _ => format!("Stable over the whole range: {}.", stable.join(", ")),
    };
    for (name, analysis) in found {
        if let Some(omega) = limit(analysis) {
            text.push_str(&format!(
                " {name}: unstable from Ω = {} on.",
                format_number(omega)
            ));
        }
    }
    text.trim_start().to_owned()
}

fn table(found: &[(&str, Analysis)]) -> Table {
    let mut rows = Vec::new();
    for (name, analysis) in found {
        for i in 0..analysis.omega.len() {
            let number = |x: Option<f64>| x.map_or(Cell::from("–"), Cell::number);
            let growth = analysis.error_growth[i];
            rows.push(vec![
                Cell::from(*name),
                Cell::number(analysis.omega[i]),
                Cell::number(analysis.spectral_radius[i]),
                number(analysis.period_error[i].map(|x| 100.0 * x)),
                number(analysis.numerical_damping[i].map(|x| 100.0 * x)),
                number(growth.map(|g| 100.0 * g.undershoot_damping)),
                number(growth.map(|g| 100.0 * g.overshoot_damping)),
                number(growth.map(|g| g.noise)),
            ]);
        }
    }
    Table {
        columns: vec![
            Column::text("Method"),
            Column::number("Ω", ""),
            Column::number("Spectral radius", ""),
            Column::number("Period error", "%"),
            Column::number("Numerical damping", "%"),
            Column::number("1 % undershoot adds", "%"),
            Column::number("1 % overshoot adds", "%"),
            Column::number("Random errors grow", ""),
        ],
        rows,
        ..Table::default()
    }
}
