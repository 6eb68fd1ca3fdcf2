//! The page of `tandem check`: can this test be run?

use tandem_monitor::stability::{
    InterfaceShares, StabilityError, critical_delay_exact, partition_map, stability_map,
};
use tandem_structure::Structure;

use super::assemble::loop_diagram;
use super::bars::{self, Bar};
use super::heat_map::{self, HeatMap};
use super::sections::model;
use super::{
    Axis, Cell, Column, KeyValue, LineWeight, Page, PageItem, Picture, Plot, Section, Series,
    Severity, Table, Verdict, render,
};
use tandem::check::{Check, CriticalDelay, Divided, Lag, MUCH};
use tandem::plan::Plan;
use tandem_quantity::format_number;

/// The page as the text of one HTML file.
pub fn of_check(plan: &Plan, check: &Check) -> String {
    let test = &check.test;
    let mut sections = Vec::new();
    if test.has_structure() {
        sections.push(model(test));
    }
    if let Some(divided) = &check.stability.divided {
        sections.push(delay(check, divided));
    }
    if !check.demands.is_empty() {
        sections.push(demands(plan, check));
    }
    if !check.warnings.is_empty() || !check.advice.is_empty() || !test.outline.notes.is_empty() {
        let mut text = Vec::new();
        for list in [&check.warnings, &check.advice, &test.outline.notes] {
            text.extend(list.iter().cloned());
        }
        sections.push(Section {
            title: "Warnings and advice".into(),
            blocks: vec![PageItem::Text(text.join("\n\n"))],
            ..Section::default()
        });
    }
    let mut facts = Vec::new();
    if test.has_structure() {
        facts.extend([
            KeyValue::new("Ground motion", test.outline.record.name.clone()),
            KeyValue::new(
                "Peak",
                format_number(test.outline.record.peak() / tandem_quantity::STANDARD_GRAVITY),
            )
            .unit("g"),
            KeyValue::new("Duration", format_number(test.outline.record.duration())).unit("s"),
        ]);
    }
    facts.extend([
        KeyValue::new("Method", test.outline.method.clone()),
        KeyValue::new("Step", format_number(1e3 * test.outline.dt)).unit("ms"),
        KeyValue::new("Steps", test.outline.timing.steps.to_string()),
        KeyValue::new("Time scale", format_number(test.outline.timing.time_scale)),
        KeyValue::new("Tandem", env!("CARGO_PKG_VERSION")),
    ]);
    facts.extend(
        check
            .warnings
            .iter()
            .map(|text| KeyValue::new("Warning", text.clone()).tone(Severity::Caution)),
    );
    render(&Page {
        title: test.name.clone(),
        subtitle: "Before the test: what can be known, and what will be asked of the laboratory"
            .to_owned(),
        verdict: verdict(check),
        facts,
        figures: cards(check),
        loop_diagram: loop_diagram(plan, test),
        sections,
    })
}

fn verdict(check: &Check) -> Verdict {
    if let Some(first) = check.advice.first() {
        let divided = check.stability.divided.as_ref();
        let unstable = divided.is_some_and(|divided| divided.indicator < 0.0)
            || remaining(check) == Severity::Bad;
        return if unstable {
            Verdict::Bad(first.clone())
        } else {
            Verdict::Caution(first.clone())
        };
    }
    match check.warnings.as_slice() {
        [] => Verdict::Good("The plan is valid; nothing speaks against this test.".into()),
        [one] => Verdict::Caution(format!("The plan is valid, with a warning: {one}")),
        many => Verdict::Caution(format!("The plan is valid, with {} warnings.", many.len())),
    }
}

/// The tone of a critical delay, s.
fn tone(delay: &CriticalDelay) -> Severity {
    match delay {
        CriticalDelay::Unstable => Severity::Bad,
        CriticalDelay::Found(delay) if *delay < 1e-3 => Severity::Bad,
        CriticalDelay::Found(delay) if *delay < 5e-3 => Severity::Caution,
        CriticalDelay::Unknown(_) => Severity::Caution,
        _ => Severity::Good,
    }
}

/// The tone of what is left of the transfer system's lag.
fn remaining(check: &Check) -> Severity {
    let lag = check.lag.as_ref().map(Lag::most);
    match (lag, check.stability.exact.seconds()) {
        (Some(lag), Some(critical)) if lag > 0.0 && lag >= critical => Severity::Bad,
        (Some(lag), Some(critical)) if lag >= MUCH * critical && critical > 0.0 => {
            Severity::Caution
        }
        _ => Severity::Good,
    }
}

fn milliseconds(delay: &CriticalDelay) -> String {
    match delay {
        CriticalDelay::Stable => "any".to_owned(),
        CriticalDelay::Unknown(_) => "unknown".to_owned(),
        known => format_number(1e3 * known.seconds().unwrap_or(f64::NAN)),
    }
}

fn cards(check: &Check) -> Vec<KeyValue> {
    let mut cards = Vec::new();
    if let Some(divided) = &check.stability.divided {
        let exact = &check.stability.exact;
        cards.push(
            KeyValue::new("Critical delay", milliseconds(exact))
                .unit(if exact.seconds().is_some() { "ms" } else { "" })
                .tone(tone(exact))
                .note("a transfer system that lags more makes the loop unstable"),
        );
        if let Some(lag) = &check.lag {
            cards.push(
                KeyValue::new("Remaining lag", format_number(1e3 * lag.most()))
                    .unit("ms")
                    .tone(remaining(check))
                    .note("of the plan's own transfer system, compensated, with the loop open"),
            );
        }
        cards.push(
            KeyValue::new(
                "Predictive stability indicator",
                format_number(divided.indicator),
            )
            .tone(tone(exact))
            .note("log₁₀ of that delay in ms; below 0 is hopeless"),
        );
    }
    if let Some(frequency) = check.modes.frequencies_hz.first() {
        cards.push(
            KeyValue::new("First frequency", format_number(*frequency))
                .unit("Hz")
                .note(format!(
                    "damping {} %",
                    format_number(100.0 * check.damping_ratios.first().copied().unwrap_or(0.0))
                )),
        );
    }
    let step = match check.test.critical_dt {
        Some(dt) => KeyValue::new("Step", format_number(100.0 * check.test.outline.dt / dt))
            .unit("% of critical")
            .note(format!("stable up to {} ms", format_number(1e3 * dt))),
        None => KeyValue::new("Step", format_number(1e3 * check.test.outline.dt))
            .unit("ms")
            .note("the method is stable for any step"),
    };
    cards.push(step);
    let most = |of: fn(&tandem::check::ActuatorDemand) -> f64| {
        check.demands.iter().map(of).fold(0.0, f64::max)
    };
    if !check.demands.is_empty() {
        let displacement = most(|d| if d.turns { 0.0 } else { d.displacement });
        cards.push(
            KeyValue::new("Displacement", format_number(1e3 * displacement))
                .unit("mm")
                .note("largest demand"),
        );
        cards.push(
            KeyValue::new("Power", format_number(1e-3 * most(|d| d.power)))
                .unit("kW")
                .note("largest demand"),
        );
    }
    cards
}

fn delay(check: &Check, divided: &Divided) -> Section {
    let stability = &check.stability;
    let mut rows = vec![
        vec![
            Cell::from("All modes, from the characteristic roots"),
            Cell::from(milliseconds(&stability.exact)).tone(tone(&stability.exact)),
        ],
        vec![
            Cell::from("All modes, first order in the delay"),
            Cell::from(milliseconds(&stability.first_order)),
        ],
    ];
    for (mode, delay) in stability.per_mode.iter().enumerate() {
        rows.push(vec![
            Cell::from(format!("Mode {} alone, first order", mode + 1)),
            Cell::from(milliseconds(delay)),
        ]);
    }
    let table = Table {
        title: "Critical delay".into(),
        caption: "First order: hybrid equation of motion of Gao and You 2019 (Gálmez and \
            Fermandois 2020, Eqs 21 to 25), the delay in all modes or in one. \
                  Any: no delay makes the loop unstable (first order: none up to a period of the \
                  first mode). Unknown: modes of degrees of freedom without mass do not exist. \
                  Sampling and amplitude errors are left out."
            .into(),
        columns: vec![Column::text("Delay in"), Column::number("Critical", "ms")],
        rows,
    };
    let mut blocks = vec![
        PageItem::Table(table),
        PageItem::Picture(map(check, divided)),
    ];
    let indicator = indicator_over_partitions(check, divided);
    let unknown = match &indicator {
        Err(error) => format!(" The indicator over partitions is not known: {error}."),
        Ok(_) => String::new(),
    };
    blocks.extend(indicator.ok().flatten().map(PageItem::Plot));
    Section {
        title: "Stability".into(),
        intro: format!(
            "A lag of the transfer system acts as negative damping (Horiuchi et al. 1999). The \
            specimen has {} % of the stiffness and {} % of the mass at the interface.{unknown}",
            format_number(100.0 * divided.shares.stiffness),
            format_number(100.0 * divided.shares.mass)
        ),
        blocks,
    }
}

/// Up to this size the map is computed for the structure itself, above for its first mode.
const MAP_DOF: usize = 6;
/// Values along an axis of the map, and the ends of both axes, as shares.
const MAP_POINTS: u32 = 25;
const MAP_ENDS: (f64, f64) = (1e-3, 1.0);
/// Where the bands of the map end, ms.
const MAP_LEVELS: [f64; 6] = [1.0, 3.0, 5.0, 10.0, 20.0, 50.0];

fn spaced(points: u32, (low, high): (f64, f64)) -> Vec<f64> {
    let step = f64::from(points - 1);
    (0..points)
        .map(|k| low * (high / low).powf(f64::from(k) / step))
        .collect()
}

fn map(check: &Check, divided: &Divided) -> Picture {
    let shares = spaced(MAP_POINTS, MAP_ENDS);
    let percent: Vec<f64> = shares.iter().map(|share| 100.0 * share).collect();
    let wall = 1e3 * check.test.outline.timing.time_scale;
    let exact = check.test.outline.whole.properties().dof() <= MAP_DOF;
    let (values, point, how) = if exact {
        let values = partition_map(&divided.partition, &shares, &shares);
        let text = "computed for this structure from its characteristic roots; the shares are \
            those at the interface degrees of freedom";
        (values, divided.shares, text)
    } else {
        let ratio = check.damping_ratios.first().copied().unwrap_or(0.0);
        let circular = check.modes.circular(0).abs().max(f64::MIN_POSITIVE);
        let mut values = stability_map(ratio, &shares, &shares);
        values.iter_mut().flatten().for_each(|v| *v /= circular);
        let text = "of the first mode as a single oscillator in closed form; the shares are those \
            of that mode";
        (values, modal_shares(check), text)
    };
    let values: Vec<Vec<f64>> = values
        .into_iter()
        .map(|row| row.into_iter().map(|v| v * wall).collect())
        .collect();
    let picture = HeatMap {
        x: ("Specimen's share of the mass, %", &percent),
        y: ("Specimen's share of the stiffness, %", &percent),
        values: &values,
        quantity: "Critical delay, ms",
        levels: &MAP_LEVELS,
        point: Some((100.0 * point.mass, 100.0 * point.stiffness, "this plan")),
    };
    Picture {
        title: "Stability map".into(),
        caption: format!(
            "Critical delay over the share that stands in the laboratory, {how}. The undivided \
            structure stays the same; the specimen's damping changes with its stiffness."
        ),
        svg: heat_map::svg(&picture),
    }
}

/// φᵀ K_e φ / ω² and φᵀ M_e φ of the mass-normalised first mode.
fn modal_shares(check: &Check) -> InterfaceShares {
    let test = &check.test;
    let n = test.physical.specimen.dof;
    let of = |matrix: &[f64]| {
        let shape = check.modes.shapes.first();
        let at = |i: usize| shape.map_or(0.0, |shape| shape[test.outline.interface[i]]);
        (0..n * n)
            .map(|e| at(e / n) * matrix[e] * at(e % n))
            .sum::<f64>()
    };
    let square = check.modes.circular(0).powi(2).max(f64::MIN_POSITIVE);
    InterfaceShares {
        stiffness: of(&test.physical.specimen.stiffness) / square,
        mass: of(&test.physical.specimen.mass),
    }
}

/// PSI against the size of the specimen, its shares of stiffness and mass growing together.
fn indicator_over_partitions(
    check: &Check,
    divided: &Divided,
) -> Result<Option<Plot>, StabilityError> {
    let InterfaceShares { stiffness, mass } = divided.shares;
    if check.test.outline.whole.properties().dof() > MAP_DOF || !(stiffness > 0.0 || mass > 0.0) {
        return Ok(None);
    }
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for factor in spaced(41, (0.1, 10.0)) {
        let shares = InterfaceShares {
            stiffness: factor * stiffness,
            mass: factor * mass,
        };
        let partition = divided.partition.with_shares(shares)?;
        let delay =
            critical_delay_exact(&partition)?.map(|d| d * check.test.outline.timing.time_scale);
        x.push(factor);
        y.push(tandem_monitor::stability::predictive_stability_indicator(
            delay,
        ));
    }
    Ok(Some(Plot {
        title: "Predictive stability indicator over partitions".into(),
        caption:
            "log₁₀ of the critical delay in milliseconds (Maghareh et al. 2017) for specimens \
            of a tenth to ten times the planned size in the same structure. \
                  Below 0 the critical delay is under a millisecond. A gap: any delay is stable, \
                  or none."
                .into(),
        x: Axis::log("Size of the specimen, planned = 1", ""),
        y: Axis::linear("PSI", ""),
        series: vec![Series::line("indicator", x, y).emphasis(LineWeight::Accent)],
        markers: vec![(1.0, "this plan".into(), Severity::Neutral)],
        horizontals: vec![(0.0, "1 ms".into())],
        ..Plot::default()
    }))
}

fn demands(plan: &Plan, check: &Check) -> Section {
    let limits = plan.values.optional_table("limits");
    let blocks = check.demands.iter().enumerate().map(|(i, demand)| {
        let name = |limit: &'static str| match (limit, demand.turns) {
            ("stroke", true) => "rotation",
            ("stroke", false) => "displacement",
            ("force", true) => "moment",
            (other, _) => other,
        };
        let bars: Vec<Bar> = demand
            .figures()
            .map(|figure| Bar {
                label: name(figure.limit).to_owned(),
                value: figure.factor * figure.value,
                limit: limits
                    .and_then(|l| l.optional_number(figure.limit))
                    .map(|bound| figure.factor * bound),
                unit: figure.unit,
            })
            .into();
        PageItem::Picture(Picture {
            title: if demand.label.is_empty() {
                format!("Actuator {}", i + 1)
            } else {
                format!("Actuator {}: {}", i + 1, demand.label)
            },
            caption: String::new(),
            svg: bars::svg(&bars, "Demand beside limits"),
        })
    });
    Section {
        title: "Demand".into(),
        intro: "Largest values of the undivided structure under this ground motion, the specimen \
            yielding where its model does, in the time of the laboratory, beside the limits of the \
            plan. \
                Compensation and noise need a margin on top."
            .into(),
        blocks: blocks.collect(),
    }
}
