//! `tandem identify modes`.

use std::collections::BTreeMap;

use crate::modes::{Mode, decomposition, mac, subspace, superposition, thin_out};
use serde::Serialize;

use super::data::{ACCELERATION, Column, Data, FORCE};
use super::{Error, Outcome, heading, number, page};
use tandem_quantity::format_number;
use tandem_report::{
    Axis, Cell, Column as TableColumn, KeyValue, LineWeight, PageItem, Plot, Section, Series,
    Style, Table, Verdict,
};

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// The data.
    pub source: String,
    /// Columns of the motion.
    pub sensors: Vec<String>,
    /// By each method.
    pub methods: BTreeMap<&'static str, Vec<ModeFigures>>,
    /// By the first of the methods.
    pub frequencies_hz: Vec<f64>,
    /// Likewise.
    pub damping_ratios: Vec<f64>,
    /// Modes by the first method against those by stochastic subspace.
    pub mac: Vec<Vec<f64>>,
    /// Blows of a hammer.
    pub impacts: Option<usize>,
}

/// One mode.
#[derive(Clone, Debug, Serialize)]
pub struct ModeFigures {
    /// Undamped natural frequency.
    pub frequency_hz: f64,
    /// Damping ratio.
    pub damping_ratio: f64,
    /// Real and imaginary part at each sensor.
    pub shape: Vec<[f64; 2]>,
}

impl ModeFigures {
    fn of(mode: &Mode) -> Self {
        Self {
            frequency_hz: mode.frequency,
            damping_ratio: mode.damping,
            shape: mode.shape.iter().map(|x| [x.re, x.im]).collect(),
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Columns of the motion; empty: accelerations by their usual names, else all but the force.
    pub motions: Vec<String>,
    /// Column of the hammer's force; empty: by its usual name, if it is there.
    pub force: Vec<String>,
    /// Highest frequency of interest, Hz; none: a fifth of the sampling rate.
    pub highest: Option<f64>,
    /// Most modes looked for.
    pub most: usize,
}

/// Frequencies, damping ratios and shapes by every method that the data allow.
pub fn identify(data: &Data, request: &Request) -> Result<Outcome<Figures>, Error> {
    let force = match data.find(&request.force, FORCE, "force of the hammer") {
        Ok(found) => Some(found[0]),
        Err(error) if !request.force.is_empty() => return Err(error),
        Err(_) => None,
    };
    let motions = motions(data, request, force)?;
    let highest = request.highest.unwrap_or(data.fs / 5.0).min(data.fs / 2.0);
    let columns: Vec<&[f64]> = motions.iter().map(|c| c.samples.as_slice()).collect();
    let (thinned, rate) = thin_out(&columns, data.fs, highest)?;
    let thin: Vec<&[f64]> = thinned.iter().map(Vec::as_slice).collect();
    let below = |modes: Vec<Mode>| -> Vec<Mode> {
        modes
            .into_iter()
            .filter(|m| m.frequency <= highest)
            .collect()
    };
    let options = subspace::Options {
        highest_frequency: highest,
        ..subspace::Options::default()
    };
    let cva = subspace::identify(&thin, rate, &options)?;
    // Long segments keep the window from looking like damping; several of them keep the noise down.
    #[allow(clippy::cast_possible_truncation)]
    let segment = ((thin[0].len() / 8).max(512))
        .min((16.0 * rate).max(512.0) as usize)
        .next_power_of_two()
        / 2;
    let efdd = decomposition::decompose(&thin, rate, segment.max(256), request.most)?;
    let hammer = force
        .map(|f| superposition::superimpose(&f.samples, &columns, data.fs, highest, request.most))
        .transpose()?;
    let efdd_modes = below(efdd.modes.clone());
    let mut methods: Vec<(&'static str, &str, &[Mode])> = vec![
        ("cva", "Stochastic subspace (CVA)", &cva.modes),
        ("efdd", "Frequency domain decomposition (EFDD)", &efdd_modes),
    ];
    if let Some(found) = &hammer {
        methods.insert(0, ("frf", "Frequency responses", &found.modes));
    }
    let names: Vec<&str> = motions.iter().map(|c| c.name.as_str()).collect();
    let first = methods[0].2;
    let fragment = fragment(&data.source, first);
    let figures = Figures {
        source: data.source.clone(),
        sensors: motions.iter().map(|c| c.name.clone()).collect(),
        methods: methods
            .iter()
            .map(|(key, _, modes)| (*key, modes.iter().map(ModeFigures::of).collect()))
            .collect(),
        frequencies_hz: first.iter().map(|m| m.frequency).collect(),
        damping_ratios: first.iter().map(|m| m.damping).collect(),
        mac: mac_table(first, &cva.modes),
        impacts: hammer.as_ref().map(|h| h.impacts),
    };
    let page = show(
        data,
        &methods,
        &names,
        &cva,
        &efdd,
        hammer.as_ref(),
        highest,
    );
    Ok(Outcome {
        figures,
        lines: lines(&methods),
        fragment,
        page,
    })
}

/// The columns that move.
fn motions<'a>(
    data: &'a Data,
    request: &Request,
    force: Option<&Column>,
) -> Result<Vec<&'a Column>, Error> {
    let found = match data.find(&request.motions, ACCELERATION, "motion") {
        Ok(found) => found,
        Err(error) if !request.motions.is_empty() => return Err(error),
        Err(_) => data
            .columns
            .iter()
            .filter(|c| force.is_none_or(|f| f.name != c.name))
            .collect(),
    };
    if found.is_empty() {
        return Err(Error::Data(format!(
            "{}: no column with a motion",
            data.source
        )));
    }
    Ok(found)
}

fn lines(methods: &[(&str, &str, &[Mode])]) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for (_, name, modes) in methods {
        let list: Vec<String> = modes
            .iter()
            .map(|m| {
                format!(
                    "{} Hz ({} %)",
                    format_number(m.frequency),
                    format_number(100.0 * m.damping)
                )
            })
            .collect();
        lines.push((
            (*name).to_owned(),
            if list.is_empty() {
                "no mode".into()
            } else {
                list.join(", ")
            },
        ));
    }
    lines
}

fn mac_table(a: &[Mode], b: &[Mode]) -> Vec<Vec<f64>> {
    a.iter()
        .map(|a| b.iter().map(|b| mac(&a.shape, &b.shape)).collect())
        .collect()
}

fn fragment(source: &str, modes: &[Mode]) -> String {
    let mut text = heading("Modes", source);
    for (i, mode) in modes.iter().enumerate() {
        text.push_str(&format!(
            "# mode {}: {} Hz, damping ratio {}\n",
            i + 1,
            number(mode.frequency),
            number(mode.damping)
        ));
    }
    if !modes.is_empty() {
        let ratios: Vec<String> = modes.iter().map(|m| number(m.damping)).collect();
        text.push_str(&format!(
            "\n[structure.damping]\nmethod = \"modal\"\nratios = [{}]\n",
            ratios.join(", ")
        ));
    }
    text
}

#[allow(clippy::too_many_arguments)]
fn show(
    data: &Data,
    methods: &[(&str, &str, &[Mode])],
    names: &[&str],
    cva: &subspace::Subspace,
    efdd: &decomposition::Decomposition,
    hammer: Option<&superposition::Superposition>,
    highest: f64,
) -> String {
    let mut sections = Vec::new();
    let table = Table {
        title: "Modes".into(),
        caption: "Methods that share nothing but the data: what all of them find is a mode of the \
            specimen."
            .into(),
        columns: vec![
            TableColumn::text("Method"),
            TableColumn::number("Frequency", "Hz"),
            TableColumn::number("Damping ratio", "%"),
            TableColumn::text("Shape"),
        ],
        rows: methods
            .iter()
            .flat_map(|(_, name, modes)| {
                modes.iter().map(move |m| {
                    let shape: Vec<String> = m
                        .shape
                        .iter()
                        .map(|x| format!("{:.2}", x.norm() * x.re.signum()))
                        .collect();
                    vec![
                        Cell::from(*name),
                        Cell::number(m.frequency),
                        Cell::number(100.0 * m.damping),
                        Cell::from(shape.join("  ")),
                    ]
                })
            })
            .collect(),
    };
    sections.push(Section {
        title: "Modes".into(),
        intro: format!("Sensors: {}.", names.join(", ")),
        blocks: vec![PageItem::Table(table)],
    });
    if let Some(found) = hammer {
        sections.push(responses(found, names));
    }
    sections.push(stabilisation(cva));
    sections.push(singular_values(efdd, highest));
    let found = methods[0].2;
    let verdict = match found.first() {
        Some(mode) => Verdict::Note(format!(
            "First mode at {} Hz with {} % damping.",
            format_number(mode.frequency),
            format_number(100.0 * mode.damping)
        )),
        None => Verdict::Caution("No mode stands out.".into()),
    };
    let cards = found
        .iter()
        .take(4)
        .enumerate()
        .map(|(i, m)| {
            KeyValue::new(format!("Mode {}", i + 1), format_number(m.frequency))
                .unit("Hz")
                .note(format!("{} % damping", format_number(100.0 * m.damping)))
        })
        .collect();
    page("Modes", &data.source, verdict, cards, sections)
}

fn responses(found: &superposition::Superposition, names: &[&str]) -> Section {
    let mut series: Vec<Series> = found
        .response
        .iter()
        .zip(names)
        .map(|(h, name)| {
            Series::line(
                *name,
                found.frequency[1..].to_vec(),
                h[1..].iter().map(|h| h.norm()).collect(),
            )
            .emphasis(LineWeight::Thin)
        })
        .collect();
    series.push(
        Series::line(
            "superimposed",
            found.frequency[1..].to_vec(),
            found.sum[1..].to_vec(),
        )
        .emphasis(LineWeight::Accent),
    );
    Section {
        title: "Frequency responses".into(),
        intro: format!("Mean of {} impacts.", found.impacts),
        blocks: vec![PageItem::Plot(Plot {
            title: "Motion over force".into(),
            x: Axis::linear("Frequency", "Hz"),
            y: Axis::log("Magnitude", ""),
            series,
            markers: found
                .modes
                .iter()
                .map(|m| {
                    (
                        m.frequency,
                        format!("{} Hz", format_number(m.frequency)),
                        tandem_report::Severity::Neutral,
                    )
                })
                .collect(),
            ..Plot::default()
        })],
    }
}

fn stabilisation(cva: &subspace::Subspace) -> Section {
    let points = |stable: bool| -> (Vec<f64>, Vec<f64>) {
        cva.points
            .iter()
            .filter(|p| p.stable == stable)
            .map(|p| (p.mode.frequency, p.order as f64))
            .unzip()
    };
    let (unstable, stable) = (points(false), points(true));
    Section {
        title: "Stabilisation diagram".into(),
        intro: "Every order of the model gives modes. Those that stay where they are, in \
            frequency, damping and shape, are modes of the structure."
            .into(),
        blocks: vec![PageItem::Plot(Plot {
            title: "Canonical variate analysis".into(),
            x: Axis::linear("Frequency", "Hz"),
            y: Axis::linear("Order", ""),
            series: vec![
                Series::line(
                    "not \
                    stable",
                    unstable.0,
                    unstable.1,
                )
                .style(Style::Points)
                .emphasis(LineWeight::Thin),
                Series::line("stable", stable.0, stable.1)
                    .style(Style::Points)
                    .emphasis(LineWeight::Accent),
            ],
            markers: cva
                .modes
                .iter()
                .map(|m| {
                    (
                        m.frequency,
                        format!(
                            "{} \
                Hz",
                            format_number(m.frequency)
                        ),
                        tandem_report::Severity::Neutral,
                    )
                })
                .collect(),
            ..Plot::default()
        })],
    }
}

fn singular_values(efdd: &decomposition::Decomposition, highest: f64) -> Section {
    let upto = efdd.frequency.iter().take_while(|f| **f <= highest).count();
    Section {
        title: "Singular values of the spectral matrix".into(),
        intro: String::new(),
        blocks: vec![PageItem::Plot(Plot {
            title: "Frequency domain decomposition".into(),
            x: Axis::linear("Frequency", "Hz"),
            y: Axis::log("Singular value", ""),
            series: efdd
                .singular
                .iter()
                .take(3)
                .enumerate()
                .map(|(i, s)| {
                    Series::line(
                        format!("{}", i + 1),
                        efdd.frequency[1.min(upto)..upto].to_vec(),
                        s[1.min(upto)..upto].to_vec(),
                    )
                })
                .collect(),
            ..Plot::default()
        })],
    }
}
