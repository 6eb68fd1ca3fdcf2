//! `tandem identify stiffness`.

use crate::IdentifyError;
use crate::stiffness::{Gap, Stiffness, gap, stiffness};
use serde::Serialize;

use super::data::{Column, DISPLACEMENT, Data, FORCE};
use super::{Error, Outcome, heading, number, page};
use tandem_quantity::format_number;
use tandem_report::{
    Axis, Cell, Column as TableColumn, KeyValue, LineWeight, PageItem, Plot, Section, Series,
    Severity, Table, Verdict,
};

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// The data.
    pub source: String,
    /// Force by displacement.
    pub stiffness: Vec<Vec<f64>>,
    /// Of its entries.
    pub standard_error: Vec<Vec<f64>>,
    /// Force without displacement.
    pub offset_n: Vec<f64>,
    /// What the matrix leaves of each force.
    pub residual_rms_n: Vec<f64>,
    /// How far the matrix is from a symmetric one.
    pub asymmetry_percent: f64,
    /// Condition number of the fit.
    pub condition: f64,
    /// Samples that were used.
    pub samples: usize,
    /// Play in the connections, of one displacement.
    pub gap: Option<GapFigures>,
}

/// Play in the connections.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum GapFigures {
    /// It could be told.
    Found {
        /// Its width.
        gap_mm: f64,
        /// How sure that is.
        standard_error_mm: f64,
        /// Stiffness outside it, N/m.
        stiffness_outside: f64,
        /// Where its middle is.
        centre_mm: f64,
    },
    /// The data do not tell.
    Not {
        /// Why.
        error: String,
    },
}

impl GapFigures {
    fn of(gap: &Result<Gap, IdentifyError>) -> Self {
        match gap {
            Ok(gap) => Self::Found {
                gap_mm: 1e3 * gap.gap,
                standard_error_mm: 1e3 * gap.standard_error,
                stiffness_outside: gap.stiffness,
                centre_mm: 1e3 * gap.centre,
            },
            Err(error) => Self::Not {
                error: error.to_string(),
            },
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Columns of the displacements; empty: by their usual names.
    pub displacements: Vec<String>,
    /// Columns of the forces.
    pub forces: Vec<String>,
    /// Impose symmetry.
    pub symmetric: bool,
    /// Use only samples at which no displacement is larger than this, m.
    pub within: Option<f64>,
}

/// Initial stiffness and gaps.
pub fn identify(data: &Data, request: &Request) -> Result<Outcome<Figures>, Error> {
    let d = data.find(&request.displacements, DISPLACEMENT, "displacement")?;
    let f = data.find(&request.forces, FORCE, "force")?;
    let kept: Vec<usize> = (0..d[0].samples.len())
        .filter(|&k| {
            request.within.is_none_or(|most| {
                d.iter()
                    .all(|c| c.samples.get(k).is_some_and(|x| x.abs() <= most))
            })
        })
        .collect();
    let pick = |c: &Column| -> Vec<f64> {
        kept.iter()
            .filter_map(|&k| c.samples.get(k).copied())
            .collect()
    };
    let (ds, fs): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (
        d.iter().map(|c| pick(c)).collect(),
        f.iter().map(|c| pick(c)).collect(),
    );
    let found = stiffness(&slices_of(&ds), &slices_of(&fs), request.symmetric)?;
    let gap = (found.matrix.len() == 1).then(|| gap(&ds[0], &fs[0]));
    let fragment = fragment(&found, gap.as_ref(), &data.source);
    let figures = Figures {
        source: data.source.clone(),
        stiffness: found.matrix.clone(),
        standard_error: found.standard_error.clone(),
        offset_n: found.offset.clone(),
        residual_rms_n: found.residual_rms.clone(),
        asymmetry_percent: 100.0 * found.asymmetry,
        condition: found.condition,
        samples: found.samples,
        gap: gap.as_ref().map(GapFigures::of),
    };
    let gap = gap.and_then(Result::ok);
    let sections = vec![Section {
        title: "Hysteresis".into(),
        intro: String::new(),
        blocks: vec![
            PageItem::Plots(hysteresis(&found, &ds, &fs)),
            PageItem::Table(table(&found)),
        ],
    }];
    let page = page(
        "Stiffness of the specimen",
        &data.source,
        verdict(&found, gap.as_ref()),
        vec![
            KeyValue::new("k₁₁", format_number(found.matrix[0][0] / 1e3))
                .unit("kN/m")
                .tone(if is_negative(&found) {
                    Severity::Bad
                } else {
                    Severity::Neutral
                }),
            KeyValue::new("Left of the force", format_number(found.residual_rms[0])).unit("N RMS"),
        ],
        sections,
    );
    Ok(Outcome {
        figures,
        lines: lines(&found, gap.as_ref()),
        fragment,
        page,
    })
}

fn fragment(found: &Stiffness, gap: Option<&Result<Gap, IdentifyError>>, source: &str) -> String {
    // With play in the connections a straight line through everything is too soft: what counts is
    // the stiffness outside it.
    let outside = match gap {
        Some(Ok(g)) if g.gap > 3.0 * g.standard_error => Some(vec![vec![g.stiffness]]),
        _ => None,
    };
    let rows: Vec<String> = outside
        .as_ref()
        .unwrap_or(&found.matrix)
        .iter()
        .map(|row| {
            let row: Vec<String> = row.iter().map(|k| number(k / 1e3)).collect();
            format!("[{}]", row.join(", "))
        })
        .collect();
    format!(
        "{}\n[interface]\nstiffness = [{}, \"kN/m\"]\n",
        heading("Initial stiffness of the specimen", source),
        rows.join(", ")
    )
}

fn lines(found: &Stiffness, gap: Option<&Gap>) -> Vec<(String, String)> {
    let n = found.matrix.len();
    let mut lines = Vec::new();
    for i in 0..n {
        for j in 0..n {
            lines.push((
                format!("k{}{}", i + 1, j + 1),
                format!(
                    "{} ± {} kN/m",
                    format_number(found.matrix[i][j] / 1e3),
                    format_number(found.standard_error[i][j] / 1e3)
                ),
            ));
        }
    }
    if n > 1 {
        lines.push((
            "asymmetry".into(),
            format!("{} %", format_number(100.0 * found.asymmetry)),
        ));
    }
    if let Some(g) = gap {
        lines.push((
            "gap".into(),
            format!(
                "{} ± {} mm; stiffness outside it {} kN/m",
                format_number(1e3 * g.gap),
                format_number(1e3 * g.standard_error),
                format_number(g.stiffness / 1e3)
            ),
        ));
    }
    lines
}

fn is_negative(found: &Stiffness) -> bool {
    (0..found.matrix.len()).any(|i| found.matrix[i][i] <= 0.0)
}

fn verdict(found: &Stiffness, gap: Option<&Gap>) -> Verdict {
    let loose = gap.filter(|g| g.gap > 5.0 * g.standard_error && g.gap > 1e-5);
    if is_negative(found) {
        Verdict::Bad(
            "A diagonal stiffness is negative: the sign of a load cell or a displacement \
            is wrong. A restoring force is positive when it resists a positive \
            displacement."
                .into(),
        )
    } else if let Some(g) = loose {
        Verdict::Caution(format!(
            "There is a gap of {} mm: tighten the connections and measure again.",
            format_number(1e3 * g.gap)
        ))
    } else {
        Verdict::Good("Force and displacement follow a straight line.".into())
    }
}

fn hysteresis(found: &Stiffness, ds: &[Vec<f64>], fs: &[Vec<f64>]) -> Vec<Plot> {
    (0..found.matrix.len())
        .map(|i| {
            let mut ends = [
                ds[i].iter().copied().fold(f64::MAX, f64::min),
                ds[i].iter().copied().fold(f64::MIN, f64::max),
            ];
            ends.sort_by(f64::total_cmp);
            Plot {
                title: format!("Force against displacement {}", i + 1),
                x: Axis::linear("Displacement", "mm"),
                y: Axis::linear("Force", "kN"),
                series: vec![
                    Series::line(
                        "measured",
                        ds[i].iter().map(|x| 1e3 * x).collect(),
                        fs[i].iter().map(|x| x / 1e3).collect(),
                    )
                    .emphasis(LineWeight::Accent),
                    Series::line(
                        "stiffness",
                        ends.iter().map(|x| 1e3 * x).collect(),
                        ends.iter()
                            .map(|x| (found.matrix[i][i] * x + found.offset[i]) / 1e3)
                            .collect(),
                    )
                    .emphasis(LineWeight::Reference),
                ],
                ..Plot::default()
            }
        })
        .collect()
}

fn table(found: &Stiffness) -> Table {
    let n = found.matrix.len();
    Table {
        title: "Stiffness".into(),
        columns: (0..n)
            .flat_map(|j| {
                [
                    TableColumn::number(format!("{}", j + 1), "kN/m"),
                    TableColumn::number("±", "kN/m"),
                ]
            })
            .collect(),
        rows: (0..n)
            .map(|i| {
                (0..n)
                    .flat_map(|j| {
                        [
                            Cell::number(found.matrix[i][j] / 1e3),
                            Cell::number(found.standard_error[i][j] / 1e3),
                        ]
                    })
                    .collect()
            })
            .collect(),
        ..Table::default()
    }
}

fn slices_of(all: &[Vec<f64>]) -> Vec<&[f64]> {
    all.iter().map(Vec::as_slice).collect()
}
