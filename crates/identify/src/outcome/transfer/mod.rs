//! `tandem identify transfer`.

mod figures;

use crate::frf::{Estimator, Frf, frequency_response};
use crate::step::{StepFigures, average_of_steps, figures};
use crate::transfer::{Fit, Options, Path, Shape, fit};
use crate::{Complex, quiet};
use serde::Serialize;

pub use self::figures::{BesideFigures, Figures, NoiseFigures, OnlyPath, OutputFigures, Step};
use super::data::{ACCELERATION, COMMAND, Column, DISPLACEMENT, Data, FORCE};
use super::known::Known;
use super::{Error, Outcome, heading, number, page};
use tandem_quantity::{format_number, index};
use tandem_report::{
    Axis, Cell, Column as TableColumn, KeyValue, LineWeight, PageItem, Plot, Section, Series,
    Severity, Style, Table, Verdict,
};

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Columns of the commands; empty: by their usual names.
    pub inputs: Vec<String>,
    /// Columns of the measured motion; empty: likewise.
    pub outputs: Vec<String>,
    /// Estimator of the frequency response that is shown.
    pub estimator: Estimator,
    /// Seconds of a segment of the spectra.
    pub segment_s: Option<f64>,
    /// Poles and zeros; none: by cross-validation.
    pub shape: Option<Shape>,
    /// What the responses are laid beside.
    pub beside: Option<Known>,
}

/// How many commands there are.
pub fn inputs(data: &Data, request: &Request) -> Result<usize, Error> {
    Ok(data.find(&request.inputs, COMMAND, "command")?.len())
}

/// Frequency response, parametric model, step response and sensor noise.
pub fn identify(data: &Data, request: &Request) -> Result<Outcome<Figures>, Error> {
    let inputs = data.find(&request.inputs, COMMAND, "command")?;
    let outputs = data.find(&request.outputs, DISPLACEMENT, "measured displacement")?;
    let u: Vec<&[f64]> = inputs.iter().map(|c| c.samples.as_slice()).collect();
    let segment = request
        .segment_s
        .map(|s| index((s * data.fs).clamp(16.0, 1e8)));
    let options = Options {
        segment,
        shape: request.shape,
        ..Options::default()
    };
    let mut fits = Vec::new();
    for output in &outputs {
        let mut found = fit(&u, &output.samples, data.fs, &options)?;
        if request.estimator != Estimator::H1 {
            let length = 2 * (found.frf[0].frequency.len() - 1);
            found.frf =
                frequency_response(&u, &output.samples, data.fs, length, request.estimator)?;
        }
        fits.push(found);
    }
    let noise = noise_of(data, &u);
    let steps: Vec<Option<StepFigures>> = fits
        .iter()
        .enumerate()
        .map(|(i, found)| step_of_model(&found.paths[i.min(found.paths.len() - 1)]).1)
        .collect();
    let measured_step = average_of_steps(u[0], &outputs[0].samples)
        .and_then(|mean| figures(&mean, 0.0, 1.0, 1.0 / data.fs, 0.02).map(|f| (mean, f)));
    let outputs_found: Vec<OutputFigures> = outputs
        .iter()
        .zip(&fits)
        .zip(&steps)
        .map(|((output, found), step)| OutputFigures::of(output, &inputs, found, step.as_ref()))
        .collect();
    let beside = request.beside.as_ref().map(|known| BesideFigures {
        what: known.name.clone(),
        outputs: fits
            .iter()
            .enumerate()
            .map(|(i, found)| {
                (0..found.paths.len())
                    .map(|j| apart(found, known, i, j))
                    .collect()
            })
            .collect(),
    });
    let figures = Figures {
        source: data.source.clone(),
        rate_hz: data.fs,
        samples: u[0].len(),
        only: match &outputs_found[..] {
            [output] => OnlyPath::of(output),
            _ => None,
        },
        outputs: outputs_found,
        beside,
        measured_step: measured_step.as_ref().map(|(_, step)| Step::from(step)),
        noise: noise
            .iter()
            .map(|(name, noise)| NoiseFigures::of(name, noise))
            .collect(),
    };
    let fragment = fragment(data, &fits);
    Ok(Outcome {
        lines: lines(
            &inputs,
            &outputs,
            &fits,
            &steps,
            &noise,
            request.beside.as_ref(),
        ),
        page: show(
            data,
            request.beside.as_ref(),
            &inputs,
            &outputs,
            &fits,
            &steps,
            measured_step.as_ref(),
            &noise,
        ),
        figures,
        fragment,
    })
}

/// How far a fitted path lies from a known one, over the lines that the data tell something of.
#[derive(Clone, Debug, Serialize)]
pub struct Apart {
    /// Largest difference of the gains.
    pub gain_db: f64,
    /// Largest difference of the phases.
    pub phase_degrees: f64,
    /// Between which lines.
    pub band_hz: [f64; 2],
}

impl Apart {
    fn words(&self) -> String {
        format!(
            "within {} dB and {}° from {} to {} Hz",
            format_number(self.gain_db),
            format_number(self.phase_degrees),
            format_number(self.band_hz[0]),
            format_number(self.band_hz[1])
        )
    }
}

fn apart(found: &Fit, known: &Known, output: usize, input: usize) -> Apart {
    let frf = &found.frf[input];
    let lines = frf.trusted(0.6);
    let f: Vec<f64> = lines.iter().map(|k| frf.frequency[*k]).collect();
    let mut apart = Apart {
        gain_db: 0.0,
        phase_degrees: 0.0,
        band_hz: [
            f.first().copied().unwrap_or(0.0),
            f.last().copied().unwrap_or(0.0),
        ],
    };
    for f in f {
        let ratio = found.paths[input].response(f) / known.response(output, input, f);
        apart.gain_db = apart.gain_db.max((20.0 * ratio.norm().log10()).abs());
        apart.phase_degrees = apart.phase_degrees.max(ratio.arg().to_degrees().abs());
    }
    apart
}

/// Sensors while nothing is commanded to move, over at least half a second.
fn noise_of(data: &Data, u: &[&[f64]]) -> Vec<(String, quiet::Noise)> {
    let (from, to) = quiet::longest_rest(u);
    let seconds = (to - from) as f64 / data.fs;
    if seconds < 0.5 {
        return Vec::new();
    }
    // The first third of the rest belongs to what moved before it.
    let from = from + (to - from) / 3;
    let is_sensor = |c: &&Column| {
        [DISPLACEMENT, FORCE, ACCELERATION]
            .concat()
            .iter()
            .any(|word| c.name.to_ascii_lowercase().starts_with(word))
            && !COMMAND[..6]
                .iter()
                .any(|word| c.name.to_ascii_lowercase().starts_with(word))
    };
    data.columns
        .iter()
        .filter(is_sensor)
        .filter_map(|c| quiet::noise(&c.samples[from..to]).map(|n| (c.name.clone(), n)))
        .collect()
}

/// Unit step of the model, and its figures.
fn step_of_model(path: &Path) -> (Vec<f64>, Option<StepFigures>) {
    let dt = (path.low_frequency_delay().abs() / 200.0).clamp(1e-5, 1e-2);
    let input = vec![1.0; 4000];
    let mut y = vec![0.0; input.len()];
    path.add_answer(&input, dt, &mut y);
    let found = figures(&y, 0.0, 1.0, dt, 0.02);
    (y, found)
}

fn poles_in_words(path: &Path) -> String {
    path.poles()
        .iter()
        .map(|p| {
            if p.damping < 1.0 {
                format!(
                    "{} Hz (damping {})",
                    format_number(p.frequency),
                    format_number(p.damping)
                )
            } else {
                format!("{} Hz", format_number(p.frequency))
            }
        })
        .collect::<Vec<_>>()
        .join(", ")
}

fn lines(
    inputs: &[&Column],
    outputs: &[&Column],
    fits: &[Fit],
    steps: &[Option<StepFigures>],
    noise: &[(String, quiet::Noise)],
    beside: Option<&Known>,
) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for (number, ((output, found), step)) in outputs.iter().zip(fits).zip(steps).enumerate() {
        for (i, path) in found.paths.iter().enumerate() {
            lines.push((
                "path".into(),
                format!("{} to {}", inputs[i].name, output.name),
            ));
            let mut line = |label: &str, text: String| lines.push((label.into(), text));
            line(
                "gain",
                format!(
                    "{} ± {}",
                    format_number(found.gain[i].value),
                    format_number(found.gain[i].error)
                ),
            );
            line(
                "delay",
                format!(
                    "{} ± {} ms",
                    format_number(1e3 * found.delay[i].value),
                    format_number(1e3 * found.delay[i].error)
                ),
            );
            line(
                "delay at low frequency",
                format!(
                    "{} ms, poles included",
                    format_number(1e3 * path.low_frequency_delay())
                ),
            );
            line("poles", poles_in_words(path));
            if let Some(edge) = found.frf[i].bandwidth() {
                line("bandwidth", format!("{} Hz (−3 dB)", format_number(edge)));
            }
            if let Some(known) = beside {
                line("beside the plan's", apart(found, known, number, i).words());
            }
        }
        if let Some(step) = step {
            lines.push((
                "step of the model".into(),
                format!(
                    "overshoot {} %, settles in {} ms",
                    format_number(step.overshoot_percent),
                    format_number(1e3 * step.settling_s)
                ),
            ));
        }
        lines.push((
            "left unexplained".into(),
            format!(
                "{} % of the motion's RMS",
                format_number(100.0 * found.residual_part)
            ),
        ));
    }
    for (name, n) in noise {
        lines.push((
            format!("noise, {name}"),
            format!(
                "{:.3e} standard deviation, {:.3e} offset (SI)",
                n.std, n.mean
            ),
        ));
    }
    lines
}

fn fragment(data: &Data, fits: &[Fit]) -> String {
    let mut text = heading("Transfer system", &data.source);
    let list = |values: &[f64]| {
        values
            .iter()
            .map(|x| number(*x))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let lines = |path: &Path| {
        let (numerator, denominator) = path.polynomials();
        format!(
            "numerator = [{}]\ndenominator = [{}]\ndelay = \"{} ms\"\n",
            list(&numerator),
            list(&denominator),
            number(1e3 * path.delay)
        )
    };
    if let [Fit { paths, .. }] = fits
        && let [path] = paths.as_slice()
    {
        text.push_str(&format!(
            "\n[rig.actuator]                # for rehearsals\nmethod = \"transfer-function\"\n{}",
            lines(path)
        ));
        return text;
    }
    text.push_str("\n[rig.plant]                   # for rehearsals\nkind = \"transfer-matrix\"\n");
    for (i, found) in fits.iter().enumerate() {
        for (j, path) in found.paths.iter().enumerate() {
            text.push_str(&format!(
                "\n[[rig.plant.element]]\noutput = {}\ninput = {}\n{}",
                i + 1,
                j + 1,
                lines(path)
            ));
        }
    }
    text
}

#[allow(clippy::too_many_arguments)]
fn show(
    data: &Data,
    beside: Option<&Known>,
    inputs: &[&Column],
    outputs: &[&Column],
    fits: &[Fit],
    steps: &[Option<StepFigures>],
    measured_step: Option<&(Vec<f64>, StepFigures)>,
    noise: &[(String, quiet::Noise)],
) -> String {
    let mut sections = Vec::new();
    let mut cards = Vec::new();
    for (number, ((output, found), step)) in outputs.iter().zip(fits).zip(steps).enumerate() {
        let mut blocks = Vec::new();
        for (i, frf) in found.frf.iter().enumerate() {
            blocks.extend(bode(
                &format!("{} to {}", inputs[i].name, output.name),
                frf,
                &found.paths[i],
                data.fs,
                beside.map(|known| (known, number, i)),
            ));
            if let Some(known) = beside {
                blocks.push(PageItem::Text(format!(
                    "The model lies beside the {}: {}.",
                    known.name,
                    apart(found, known, number, i).words()
                )));
            }
        }
        blocks.push(PageItem::Plot(fitted(data, output, found)));
        blocks.push(PageItem::Table(table(inputs, found)));
        if !found.candidates.is_empty() {
            blocks.push(PageItem::Table(candidates(found)));
        }
        if let Some(step) = step {
            blocks.push(PageItem::Text(format!(
                "Step response of the model: overshoot {} %, rise {} ms, settled within 2 % after \
                {} ms.",
                format_number(step.overshoot_percent),
                format_number(1e3 * step.rise_s),
                format_number(1e3 * step.settling_s)
            )));
        }
        sections.push(Section {
            title: format!("Response of {}", output.name),
            intro:
                "Dots: measured, by Welch's method. Line: the fitted model with the half sample \
                that holding a command takes."
                    .into(),
            blocks,
        });
        if cards.len() < 6 {
            let of = match fits.len() {
                1 => String::new(),
                _ => format!(" of {}", output.name),
            };
            cards.extend(cards_of(found, number, &of));
        }
    }
    if let Some((mean, figures)) = measured_step {
        sections.push(measured(data, mean, figures));
    }
    if !noise.is_empty() {
        sections.push(at_rest(noise));
    }
    let worst = fits.iter().map(|f| f.residual_part).fold(0.0, f64::max);
    let sentence = format!(
        "The model leaves {} % of the measured motion unexplained.",
        format_number(100.0 * worst)
    );
    let verdict = if worst < 0.05 {
        Verdict::Good(sentence)
    } else {
        Verdict::Caution(
            sentence + " Look at the coherence: noise, a nonlinear actuator or the wrong columns?",
        )
    };
    page("Transfer system", &data.source, verdict, cards, sections)
}

fn cards_of(found: &Fit, number: usize, of: &str) -> [KeyValue; 3] {
    // Of several actuators each one's own path.
    let own = number.min(found.paths.len() - 1);
    let tone = if found.residual_part < 0.05 {
        Severity::Good
    } else {
        Severity::Caution
    };
    [
        KeyValue::new(format!("Gain{of}"), format_number(found.gain[own].value))
            .note(format!("± {}", format_number(found.gain[own].error))),
        KeyValue::new(
            format!("Pure delay{of}"),
            format_number(1e3 * found.delay[own].value),
        )
        .unit("ms")
        .note(format!("± {}", format_number(1e3 * found.delay[own].error))),
        KeyValue::new(
            "Left unexplained",
            format_number(100.0 * found.residual_part),
        )
        .unit("%")
        .tone(tone),
    ]
}

fn measured(data: &Data, mean: &[f64], f: &StepFigures) -> Section {
    Section {
        title: "Measured step response".into(),
        intro: format!(
            "Mean over the steps of the command: overshoot {} %, rise {} ms, settled within 2 % \
            after {} ms.",
            format_number(f.overshoot_percent),
            format_number(1e3 * f.rise_s),
            format_number(1e3 * f.settling_s)
        ),
        blocks: vec![PageItem::Plot(Plot {
            title: "Step".into(),
            x: Axis::linear("Time", "ms"),
            y: Axis::linear("Displacement over step", ""),
            series: vec![
                Series::line(
                    "measured",
                    data.times(mean.len()).iter().map(|t| 1e3 * t).collect(),
                    mean.to_vec(),
                )
                .emphasis(LineWeight::Accent),
            ],
            horizontals: vec![(1.0, "command".into())],
            ..Plot::default()
        })],
    }
}

fn at_rest(noise: &[(String, quiet::Noise)]) -> Section {
    Section {
        title: "Sensors at rest".into(),
        intro: "While no command moved.".into(),
        blocks: vec![PageItem::Table(Table {
            columns: vec![
                TableColumn::text("Channel"),
                TableColumn::number("Mean", "SI"),
                TableColumn::number("RMS", "SI"),
                TableColumn::number("Standard deviation", "SI"),
            ],
            rows: noise
                .iter()
                .map(|(name, n)| {
                    vec![
                        Cell::from(name.as_str()),
                        Cell::number(n.mean),
                        Cell::number(n.rms),
                        Cell::number(n.std),
                    ]
                })
                .collect(),
            ..Table::default()
        })],
    }
}

/// `beside`: a known system, with output and input in it.
fn bode(
    name: &str,
    frf: &Frf,
    path: &Path,
    fs: f64,
    beside: Option<(&Known, usize, usize)>,
) -> Vec<PageItem> {
    let lines = frf.trusted(0.6);
    let f: Vec<f64> = lines.iter().map(|k| frf.frequency[*k]).collect();
    let gains = frf.gain_db();
    let model: Vec<_> = f.iter().map(|f| path.held_response(*f, 1.0 / fs)).collect();
    // The same half sample of holding for both.
    let known: Option<Vec<_>> = beside.map(|(known, output, input)| {
        let each = f.iter().zip(&model);
        each.map(|(f, held)| known.response(output, input, *f) * held / path.response(*f))
            .collect()
    });
    let plot = |title: &str,
                label: &str,
                unit: &str,
                measured: Vec<f64>,
                computed: Option<[Option<Vec<f64>>; 2]>| {
        let mut series = vec![
            Series::line("measured", f.clone(), measured)
                .style(Style::Points)
                .emphasis(LineWeight::Accent),
        ];
        let [model, known] = computed.unwrap_or_default();
        series.extend(
            model.map(|y| Series::line("model", f.clone(), y).emphasis(LineWeight::Reference)),
        );
        series
            .extend(known.map(|y| Series::line("known", f.clone(), y).emphasis(LineWeight::Thin)));
        Plot {
            title: format!("{title}, {name}"),
            x: Axis::log("Frequency", "Hz"),
            y: Axis::linear(label, unit),
            series,
            ..Plot::default()
        }
    };
    let unwrap = |values: Vec<f64>| {
        let mut last = 0.0;
        values
            .into_iter()
            .map(|x| {
                last = x + std::f64::consts::TAU * ((last - x) / std::f64::consts::TAU).round();
                last
            })
            .collect::<Vec<f64>>()
    };
    let responses = [Some(&model), known.as_ref()];
    let phases = responses.map(|h| h.map(|h| unwrap(h.iter().map(|h| h.arg()).collect())));
    let delays = [0, 1].map(|i| {
        let phase = phases[i].as_ref()?.iter().zip(&f);
        Some(
            phase
                .map(|(p, f)| -1e3 * p / (std::f64::consts::TAU * f))
                .collect(),
        )
    });
    let gain = |h: &Vec<Complex<f64>>| h.iter().map(|h| 20.0 * h.norm().log10()).collect();
    let degrees = |p: &Vec<f64>| p.iter().map(|p| p.to_degrees()).collect();
    vec![
        PageItem::Plots(vec![
            plot(
                "Gain",
                "Gain",
                "dB",
                lines.iter().map(|k| gains[*k]).collect(),
                Some(responses.map(|h| h.map(gain))),
            ),
            plot(
                "Phase",
                "Phase",
                "°",
                frf.phase_degrees(&lines),
                Some([0, 1].map(|i| phases[i].as_ref().map(degrees))),
            ),
        ]),
        PageItem::Plots(vec![
            plot(
                "Delay",
                "Delay",
                "ms",
                frf.delay(&lines).iter().map(|d| 1e3 * d).collect(),
                Some(delays),
            ),
            plot(
                "Coherence",
                "Coherence",
                "",
                lines.iter().map(|k| frf.coherence[*k]).collect(),
                None,
            ),
        ]),
    ]
}

fn fitted(data: &Data, output: &Column, found: &Fit) -> Plot {
    let n = output.samples.len();
    let t = data.times(n);
    let mid = t.get(n / 2).copied().unwrap_or(0.0);
    Plot {
        title: "Measured and computed".into(),
        caption: "The model was fitted to these samples; the difference is noise where the model \
            is right."
            .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Displacement", "mm"),
        series: vec![
            Series::line(
                "measured",
                t.clone(),
                output.samples.iter().map(|x| 1e3 * x).collect(),
            )
            .emphasis(LineWeight::Accent),
            Series::line(
                "model",
                t.clone(),
                found.computed.iter().map(|x| 1e3 * x).collect(),
            )
            .emphasis(LineWeight::Reference),
            Series::line(
                "difference",
                t,
                output
                    .samples
                    .iter()
                    .zip(&found.computed)
                    .map(|(a, b)| 1e3 * (a - b))
                    .collect(),
            )
            .emphasis(LineWeight::Thin),
        ],
        inset: Some((mid, mid + 0.5)),
        ..Plot::default()
    }
}

fn table(inputs: &[&Column], found: &Fit) -> Table {
    Table {
        title: "Model".into(),
        columns: vec![
            TableColumn::text("From"),
            TableColumn::number("Gain", ""),
            TableColumn::number("±", ""),
            TableColumn::number("Pure delay", "ms"),
            TableColumn::number("±", "ms"),
            TableColumn::text("Poles"),
        ],
        rows: (0..found.paths.len())
            .map(|i| {
                vec![
                    Cell::from(inputs[i].name.as_str()),
                    Cell::number(found.gain[i].value),
                    Cell::number(found.gain[i].error),
                    Cell::number(1e3 * found.delay[i].value),
                    Cell::number(1e3 * found.delay[i].error),
                    Cell::from(poles_in_words(&found.paths[i])),
                ]
            })
            .collect(),
        ..Table::default()
    }
}

fn candidates(found: &Fit) -> Table {
    Table {
        title: "Order".into(),
        caption: "Error in the last third of the data, which the fit had not seen. The simplest \
            within 1 % of the best is taken."
            .into(),
        columns: vec![
            TableColumn::number("Poles", ""),
            TableColumn::number("Zeros", ""),
            TableColumn::number("Error", "%"),
        ],
        rows: found
            .candidates
            .iter()
            .map(|c| {
                vec![
                    Cell::from(c.shape.poles.to_string()),
                    Cell::from(c.shape.zeros.to_string()),
                    Cell::number(100.0 * c.validation),
                ]
            })
            .collect(),
    }
}

/// The path from the first command to the first measured displacement, for what goes on with it.
pub fn single_path(data: &Data) -> Result<Path, Error> {
    let input = data.find(&[], COMMAND, "command")?[0];
    let output = data.find(&[], DISPLACEMENT, "measured displacement")?[0];
    let found = fit(
        &[&input.samples],
        &output.samples,
        data.fs,
        &Options::default(),
    )?;
    found
        .paths
        .into_iter()
        .next()
        .ok_or_else(|| Error::Data("no path was found".into()))
}
