//! `tandem identify ats`.

use crate::ats::{Coefficients as Found, Options, coefficients};
use serde::Serialize;

use super::data::{ACCELERATION, COMMAND, Column, DISPLACEMENT, Data};
use super::{Error, Outcome, heading, number, page};
use tandem_quantity::format_number;
use tandem_report::{
    Axis, KeyValue, LineWeight, PageItem, Plot, Section, Series, Severity, Verdict,
};

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// The data.
    pub source: String,
    /// Of the transfer system.
    #[serde(flatten)]
    pub of: Coefficients,
    /// What the compensator begins with.
    pub compensator: Coefficients,
    /// Of the three coefficients.
    pub standard_error: [f64; 3],
    /// Delay at low frequencies.
    pub delay_ms: f64,
    /// How far the gain is from one.
    pub gain_error_percent: f64,
    /// Condition number of the fit.
    pub condition: f64,
    /// RMS of what the fit leaves.
    pub residual_rms_m: f64,
    /// Samples that were used.
    pub samples: usize,
    /// Where the velocity comes from.
    pub velocity: Velocity,
    /// Low-pass.
    pub cutoff_hz: f64,
    /// Between displacement and acceleration.
    pub crossover_hz: f64,
}

/// Coefficients of the adaptive time series compensator.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Coefficients {
    /// Of the displacement.
    pub a0: f64,
    /// Of the velocity.
    pub a1_s: f64,
    /// Of the acceleration.
    pub a2_s2: f64,
}

/// Where a velocity comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Velocity {
    /// Of displacement and acceleration.
    Fused,
    /// Of the displacement.
    Differentiated,
}

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Column of the command; empty: by its usual name.
    pub input: Vec<String>,
    /// Column of the measured displacement.
    pub output: Vec<String>,
    /// Column of the measured acceleration.
    pub acceleration: Vec<String>,
    /// Filter, crossover and crop.
    pub options: Options,
}

/// Start values of the adaptive time series compensator.
pub fn identify(data: &Data, request: &Request) -> Result<Outcome<Figures>, Error> {
    let u = data.find(&request.input, COMMAND, "command")?[0];
    let x = data.find(&request.output, DISPLACEMENT, "measured displacement")?[0];
    let a = match data.find(&request.acceleration, ACCELERATION, "measured acceleration") {
        Ok(found) => found.first().copied(),
        Err(error) if !request.acceleration.is_empty() => return Err(error),
        Err(_) => None,
    };
    let found = coefficients(
        &u.samples,
        &x.samples,
        a.map(|a| a.samples.as_slice()),
        data.fs,
        &request.options,
    )?;
    let [a0, a1, a2] = found.a;
    // Least values that the compensator takes; an actuator that leads needs none of it.
    let [c0, c1, c2] = found.for_next_tick(1.0 / data.fs);
    let (c1, c2) = (c1.max(1e-6), c2.max(0.0));
    let fragment = fragment(data, [c0, c1, c2]);
    let figures = Figures {
        source: data.source.clone(),
        of: Coefficients {
            a0,
            a1_s: a1,
            a2_s2: a2,
        },
        compensator: Coefficients {
            a0: c0,
            a1_s: c1,
            a2_s2: c2,
        },
        standard_error: found.standard_error,
        delay_ms: 1e3 * found.delay,
        gain_error_percent: found.gain_error_percent,
        condition: found.condition,
        residual_rms_m: found.residual_rms,
        samples: found.samples,
        velocity: if found.fused {
            Velocity::Fused
        } else {
            Velocity::Differentiated
        },
        cutoff_hz: request.options.cutoff,
        crossover_hz: request.options.crossover,
    };
    let word = if found.gain_error_percent >= 0.0 {
        "overshoot"
    } else {
        "undershoot"
    };
    let meaning = format!(
        "{word} {} %, {} {} ms",
        format_number(found.gain_error_percent.abs()),
        if found.delay >= 0.0 { "lag" } else { "lead" },
        format_number(1e3 * found.delay.abs())
    );
    let trusted = found.condition < 1e3;
    let page = page(
        "ATS coefficients",
        &data.source,
        if trusted {
            Verdict::Good(format!("{meaning}."))
        } else {
            Verdict::Caution(format!(
                "{meaning}; but the condition number is {}: excite a wider band.",
                format_number(found.condition)
            ))
        },
        vec![
            KeyValue::new("a₀", format_number(a0))
                .note(format!("± {}", format_number(found.standard_error[0]))),
            KeyValue::new("a₁", format_number(1e3 * a1))
                .unit("ms")
                .note(format!(
                    "± {}",
                    format_number(1e3 * found.standard_error[1])
                )),
            KeyValue::new("a₂", format_number(1e6 * a2))
                .unit("ms²")
                .note(format!(
                    "± {}",
                    format_number(1e6 * found.standard_error[2])
                )),
            KeyValue::new("Condition number", format_number(found.condition)).tone(if trusted {
                Severity::Good
            } else {
                Severity::Caution
            }),
        ],
        vec![motions(data, u, x, found.a)],
    );
    Ok(Outcome {
        lines: lines(&found, meaning),
        figures,
        fragment,
        page,
    })
}

fn lines(found: &Found, meaning: String) -> Vec<(String, String)> {
    let pm = |k: usize, factor: f64| {
        let [value, error] =
            [found.a[k], found.standard_error[k]].map(|x| format_number(factor * x));
        format!("{value} ± {error}")
    };
    vec![
        ("a0".into(), pm(0, 1.0)),
        ("a1".into(), format!("{} ms", pm(1, 1e3))),
        ("a2".into(), format!("{} ms²", pm(2, 1e6))),
        ("meaning".into(), meaning),
        ("condition number".into(), format_number(found.condition)),
    ]
}

fn fragment(data: &Data, [c0, c1, c2]: [f64; 3]) -> String {
    format!(
        "{}# For commands at {} Hz that are wanted for the next tick (`ahead = 1`): less half a \
        tick than the transfer system's own.\n\n\
         [compensator]\nmethod = \"ats\"\na0 = {}\na1 = \"{} ms\"\na2 = \"{} s^2\"\n",
        heading(
            "Start values of the adaptive time series compensator",
            &data.source
        ),
        format_number(data.fs),
        number(c0),
        number(1e3 * c1),
        number(c2)
    )
}

fn motions(data: &Data, u: &Column, x: &Column, [a0, a1, a2]: [f64; 3]) -> Section {
    let t = data.times(u.samples.len());
    let predicted: Vec<f64> = {
        let dt = 1.0 / data.fs;
        let v = tandem_signal::derivative::gradient(&x.samples, dt);
        let w = tandem_signal::derivative::second_gradient(&x.samples, dt);
        (0..v.len())
            .map(|k| a0 * x.samples[k] + a1 * v[k] + a2 * w[k])
            .collect()
    };
    let mid = t.get(t.len() / 2).copied().unwrap_or(0.0);
    Section {
        title: "Command and what the coefficients make of the measured motion".into(),
        intro:
            "Derivatives of the drawn line are plain differences, without the filter of the fit."
                .into(),
        blocks: vec![PageItem::Plot(Plot {
            title: "Displacement".into(),
            x: Axis::linear("Time", "s"),
            y: Axis::linear("Displacement", "mm"),
            series: vec![
                Series::line(
                    "command",
                    t.clone(),
                    u.samples.iter().map(|x| 1e3 * x).collect(),
                )
                .emphasis(LineWeight::Reference),
                Series::line(
                    "measured",
                    t.clone(),
                    x.samples.iter().map(|x| 1e3 * x).collect(),
                )
                .emphasis(LineWeight::Accent),
                Series::line(
                    "a₀x + a₁x' + a₂x''",
                    t,
                    predicted.iter().map(|x| 1e3 * x).collect(),
                )
                .emphasis(LineWeight::Thin),
            ],
            inset: Some((mid, mid + 0.5)),
            ..Plot::default()
        })],
    }
}
