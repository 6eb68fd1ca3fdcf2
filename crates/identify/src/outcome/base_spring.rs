//! `tandem identify base-spring`: model updating of a semi-rigid base.

use crate::update::{Updated, update};
use serde::Serialize;
use tandem_quantity::{
    BuildError, Dimension, Settings as _, Slot as _, Value, Values, format_number, settings,
};
use tandem_structure::{Structure, modes::modes};

use super::{Error, Outcome, heading, number, page};
use tandem::plan::{Plan, Source};
use tandem::sections::ROOT;
use tandem_model::{frame::FrameModel, structure};
use tandem_report::{
    Axis, Cell, Column, KeyValue, LineWeight, PageItem, Plot, Section, Series, Table, Verdict,
};

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// The plan.
    pub source: String,
    /// Name of the spring.
    pub spring: String,
    /// In which it turns.
    pub direction: String,
    /// Its stiffness.
    pub stiffness_n_m_per_rad: f64,
    /// The same.
    pub stiffness_kn_m_per_rad: f64,
    /// What the frame shall have.
    pub measured_hz: Vec<f64>,
    /// What it has with the spring.
    pub frequencies_hz: Vec<f64>,
    /// The lowest on a rigid base.
    pub rigid_hz: Option<f64>,
    /// What is left of the frequencies.
    pub residual_percent: f64,
    /// How much the frequencies tell of the spring.
    pub sensitivity: f64,
}

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Measured frequencies, Hz, lowest first.
    pub frequencies: Vec<f64>,
    /// Name of the spring; none: the only one of the plan that turns.
    pub spring: Option<String>,
    /// Range that is searched, N m/rad.
    pub range: Option<(f64, f64)>,
}

settings! {
    /// The springs of a frame.
    struct Springs {
        /// groups of springs
        spring: Vec<Values> = tables(Spring::PARAMETERS).optional(),
    }
}

settings! {
    /// A group of springs, as far as it turns.
    struct Spring {
        /// name of the group
        name: String = text(),
        /// law about this direction
        rx: Option<Turning> = table(Turning::PARAMETERS),
        /// law about this direction
        ry: Option<Turning> = table(Turning::PARAMETERS),
        /// law about this direction
        rz: Option<Turning> = table(Turning::PARAMETERS),
    }
}

settings! {
    /// A law of moment over rotation, as far as it has a stiffness.
    struct Turning {
        /// moment per rotation
        stiffness: Option<f64> = number(Dimension::ENERGY),
    }
}

/// Directions in which a spring turns.
const TURNS: [&str; 3] = ["rx", "ry", "rz"];

/// The rotational stiffness with which the frame of the plan has the measured frequencies.
pub fn identify(plan: &Plan, request: &Request, source: &str) -> Result<Outcome<Figures>, Error> {
    let structure = plan
        .values
        .table("structure")
        .map_err(|e| Error::Plan(e.to_string()))?;
    if structure::SLOT.chosen(structure) != Some("frame") {
        return Err(Error::Plan(
            "the plan has no frame; write [structure] kind = \"frame\" with a \
            rotational spring at its base"
                .into(),
        ));
    }
    let fault = |error: BuildError| Error::Plan(error.within("structure").to_string());
    let groups = Springs::read(structure).map_err(fault)?.spring;
    let (entry, direction, name) = find(&groups, request.spring.as_deref())?;
    let count = request.frequencies.len().max(2);
    let with = |stiffness: f64| -> Result<Vec<f64>, Error> {
        let values = replaced(structure, &groups, entry, direction, stiffness);
        let frame = FrameModel::read(&values, 1e-3).map_err(|e| Error::Plan(e.to_string()))?;
        let found =
            modes(frame.model.properties(), count).map_err(|e| Error::Plan(e.to_string()))?;
        Ok(found.frequencies_hz)
    };
    let (low, high) = request.range.unwrap_or((1e2, 1e10));
    let found = update(&request.frequencies, low, high, with)?;
    let rigid = with(1e4 * found.value)
        .ok()
        .and_then(|f| f.first().copied());
    let fragment = format!(
        "{}\n{}",
        heading(
            "Springs of the structure, the one of the base as identified",
            source
        ),
        springs(plan, entry, direction, found.value)?
    );
    let figures = Figures {
        source: source.to_owned(),
        spring: name.clone(),
        direction: direction.to_owned(),
        stiffness_n_m_per_rad: found.value,
        stiffness_kn_m_per_rad: found.value / 1e3,
        measured_hz: request.frequencies.clone(),
        frequencies_hz: found.frequencies.clone(),
        rigid_hz: rigid,
        residual_percent: 100.0 * found.residual,
        sensitivity: found.sensitivity,
    };
    let page = page(
        "Semi-rigid base",
        source,
        Verdict::Note(format!(
            "{} kN m/rad gives the measured {} Hz.",
            format_number(found.value / 1e3),
            format_number(request.frequencies[0])
        )),
        vec![
            KeyValue::new("Rotational spring", format_number(found.value / 1e3)).unit("kN m/rad"),
            KeyValue::new("On a rigid base", rigid.map_or("–".into(), format_number)).unit("Hz"),
            KeyValue::new(
                "Left of the frequencies",
                format_number(100.0 * found.residual),
            )
            .unit("%"),
        ],
        vec![section(&found, &request.frequencies)],
    );
    Ok(Outcome {
        figures,
        lines: lines(&found, &format!("{name}, {direction}"), rigid),
        fragment,
        page,
    })
}

fn lines(found: &Updated, spring: &str, rigid: Option<f64>) -> Vec<(String, String)> {
    let mut lines = vec![
        (
            spring.to_owned(),
            format!("{} kN m/rad", format_number(found.value / 1e3)),
        ),
        (
            "model with it".into(),
            format!(
                "{} Hz",
                found
                    .frequencies
                    .iter()
                    .map(|f| format_number(*f))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        ),
        (
            "sensitivity".into(),
            format!(
                "1 % of the first frequency is {} % of the spring",
                format_number(found.sensitivity)
            ),
        ),
    ];
    if let Some(rigid) = rigid {
        lines.push((
            "model on a rigid base".into(),
            format!("{} Hz", format_number(rigid)),
        ));
    }
    lines
}

fn section(found: &Updated, frequencies: &[f64]) -> Section {
    Section {
        title: "First frequency against the spring".into(),
        intro: String::new(),
        blocks: vec![
            PageItem::Plot(Plot {
                title: "Model".into(),
                x: Axis::log("Rotational stiffness", "kN m/rad"),
                y: Axis::linear("First frequency", "Hz"),
                series: vec![
                    Series::line(
                        "model",
                        found.curve.iter().map(|p| p.0 / 1e3).collect(),
                        found.curve.iter().map(|p| p.1).collect(),
                    )
                    .emphasis(LineWeight::Accent),
                ],
                horizontals: vec![(frequencies[0], "measured".into())],
                ..Plot::default()
            }),
            PageItem::Table(Table {
                columns: vec![
                    Column::number("Measured", "Hz"),
                    Column::number("Model", "Hz"),
                ],
                rows: frequencies
                    .iter()
                    .zip(&found.frequencies)
                    .map(|(a, b)| vec![Cell::number(*a), Cell::number(*b)])
                    .collect(),
                ..Table::default()
            }),
        ],
    }
}

/// Number, direction and name of the spring that is looked for.
fn find(groups: &[Values], wanted: Option<&str>) -> Result<(usize, &'static str, String), Error> {
    let mut found = Vec::new();
    for (entry, table) in groups.iter().enumerate() {
        let spring = Spring::read(table).map_err(|error| Error::Plan(error.to_string()))?;
        let Spring { name, rx, ry, rz } = spring;
        for (direction, law) in TURNS.into_iter().zip([rx, ry, rz]) {
            let stiff = law.is_some_and(|law| law.stiffness.is_some());
            if stiff && wanted.is_none_or(|w| w == name) {
                found.push((entry, direction, name.clone()));
            }
        }
    }
    match &found[..] {
        [one] => Ok(one.clone()),
        [] => Err(Error::Plan(match wanted {
            Some(name) => format!("the plan has no spring `{name}` that turns and has a stiffness"),
            None => "the plan has no rotational spring; add [[structure.spring]] with ground = \
                [\"A0\"] and rz = { kind = \"elastic\", stiffness = \"1000 kN*m\" }"
                .into(),
        })),
        several => Err(Error::Plan(format!(
            "several springs turn: {}; say which with --spring",
            several
                .iter()
                .map(|(_, d, n)| format!("{n} ({d})"))
                .collect::<Vec<_>>()
                .join(", ")
        ))),
    }
}

/// The section with another stiffness of one spring.
fn replaced(
    structure: &Values,
    groups: &[Values],
    entry: usize,
    direction: &str,
    stiffness: f64,
) -> Values {
    let mut values = structure.clone();
    let mut springs = groups.to_vec();
    if let Some(spring) = springs.get_mut(entry)
        && let Some(Value::Table(law)) = spring.get(direction).cloned()
    {
        spring.set(
            direction,
            Value::Table(law.with("stiffness", Value::Number(stiffness))),
        );
    }
    let springs = springs.into_iter().map(Value::Table).collect();
    values.set("spring", Value::List(springs));
    values
}

/// All springs of the plan as it would be written with this one: a list in a fragment takes the
/// place of the whole list.
fn springs(plan: &Plan, entry: usize, direction: &str, value: f64) -> Result<String, Error> {
    let directory = std::env::current_dir().unwrap_or_default();
    let text = plan.to_toml_from(&directory);
    let source = Source::Text {
        name: "plan",
        text: &text,
    };
    let set = format!(
        "structure.spring.{entry}.{direction}.stiffness={} kN*m",
        number(value / 1e3)
    );
    let changed = tandem::plan::read_with(plan.registry(), ROOT, source, &[set])
        .map_err(|refusal| Error::Plan(refusal.to_text()))?
        .to_toml_from(&directory);
    let mut springs = String::new();
    let mut own = false;
    for line in changed.lines() {
        if line.starts_with('[') {
            own =
                line.starts_with("[[structure.spring]]") || line.starts_with("[structure.spring.");
        }
        if own {
            springs.push_str(line.trim_end_matches("  # default"));
            springs.push('\n');
        }
    }
    Ok(springs.trim_end().to_owned() + "\n")
}
