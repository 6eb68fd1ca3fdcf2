//! `tandem identify pid`.

use crate::pid::{Loop, Targets, Tuned, tune};
use serde::Serialize;

use super::{Error, Outcome, heading, number, page};
use tandem_quantity::format_number;
use tandem_report::{
    Axis, KeyValue, LineWeight, PageItem, Plot, Section, Series, Severity, Verdict,
};

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// The plant.
    pub source: String,
    /// Gain.
    pub proportional: f64,
    /// Integral gain over the proportional one.
    pub integral_hz: f64,
    /// Derivative gain over the proportional one.
    pub derivative_s: f64,
    /// Of a step.
    pub overshoot_percent: Option<f64>,
    /// Of a step.
    pub settling_ms: Option<f64>,
    /// Of a step.
    pub rise_ms: Option<f64>,
    /// None: unlimited.
    pub gain_margin_db: Option<f64>,
    /// None: unlimited.
    pub phase_margin_degrees: Option<f64>,
    /// Where the open loop has the gain one.
    pub crossover_hz: Option<f64>,
    /// Whether all targets are.
    pub met: bool,
}

/// Gains of the servo for a plant, to targets.
pub fn identify(around: &Loop, targets: &Targets, source: &str) -> Result<Outcome<Figures>, Error> {
    let tuned = tune(around, targets)?;
    let finite = |x: f64| x.is_finite().then_some(x);
    let filter = around.filter.map_or(String::new(), |f| {
        format!("filter = \"{} Hz\"\n", number(f))
    });
    let fragment = format!(
        "{}\n[rig]\nrate = \"{} Hz\"\n\n[rig.servo]\nmethod = \"pid\"\nproportional = {}\n\
        integral = \"{} Hz\"\nderivative = \"{} ms\"\n{filter}",
        heading("Gains of the servo", source),
        number(around.rate),
        number(tuned.proportional),
        number(tuned.integral),
        number(1e3 * tuned.derivative)
    );
    let figures = Figures {
        source: source.to_owned(),
        proportional: tuned.proportional,
        integral_hz: tuned.integral,
        derivative_s: tuned.derivative,
        overshoot_percent: tuned.figures.map(|f| f.overshoot_percent),
        settling_ms: tuned.figures.map(|f| 1e3 * f.settling_s),
        rise_ms: tuned.figures.map(|f| 1e3 * f.rise_s),
        gain_margin_db: finite(tuned.margins.gain_db),
        phase_margin_degrees: finite(tuned.margins.phase_degrees),
        crossover_hz: tuned.margins.crossover_hz,
        met: tuned.met,
    };
    let sentence = format!(
        "Asked for: overshoot below {} %, settled within {} ms, margins of {} dB and {}°.",
        format_number(targets.overshoot_percent),
        format_number(1e3 * targets.settling_s),
        format_number(targets.gain_margin_db),
        format_number(targets.phase_margin_degrees)
    );
    let page = page(
        "Servo gains",
        source,
        if tuned.met {
            Verdict::Good(format!("All targets are met. {sentence}"))
        } else {
            Verdict::Caution(format!("Not all targets are met. {sentence}"))
        },
        vec![
            KeyValue::new("Proportional", format_number(tuned.proportional)),
            KeyValue::new("Integral", format_number(tuned.integral)).unit("Hz"),
            KeyValue::new("Derivative", format_number(1e3 * tuned.derivative)).unit("ms"),
            KeyValue::new("Gain margin", margin(tuned.margins.gain_db, "dB")),
            KeyValue::new("Phase margin", margin(tuned.margins.phase_degrees, "°")).tone(
                if tuned.met {
                    Severity::Good
                } else {
                    Severity::Caution
                },
            ),
        ],
        vec![step_response(&tuned, targets)],
    );
    Ok(Outcome {
        figures,
        lines: lines(&tuned),
        fragment,
        page,
    })
}

fn margin(x: f64, unit: &str) -> String {
    if x.is_finite() {
        format!("{} {unit}", format_number(x))
    } else {
        "unlimited".into()
    }
}

fn lines(tuned: &Tuned) -> Vec<(String, String)> {
    let mut lines = vec![
        ("proportional".to_owned(), format_number(tuned.proportional)),
        (
            "integral".to_owned(),
            format!("{} Hz", format_number(tuned.integral)),
        ),
        (
            "derivative".to_owned(),
            format!("{} ms", format_number(1e3 * tuned.derivative)),
        ),
        (
            "margins".to_owned(),
            format!(
                "{}, {}",
                margin(tuned.margins.gain_db, "dB"),
                margin(tuned.margins.phase_degrees, "°")
            ),
        ),
    ];
    if let Some(f) = tuned.figures {
        lines.push((
            "step".into(),
            format!(
                "overshoot {} %, settled after {} ms",
                format_number(f.overshoot_percent),
                format_number(1e3 * f.settling_s)
            ),
        ));
    }
    lines.push((
        "targets".into(),
        if tuned.met {
            "all met".into()
        } else {
            "NOT all met; these gains come nearest".into()
        },
    ));
    lines
}

fn step_response(tuned: &Tuned, targets: &Targets) -> Section {
    let t: Vec<f64> = (0..tuned.step.len())
        .map(|k| 1e3 * k as f64 * tuned.period)
        .collect();
    Section {
        title: "Step response of the closed loop".into(),
        intro: String::new(),
        blocks: vec![PageItem::Plot(Plot {
            title: "Unit step".into(),
            x: Axis::linear("Time", "ms"),
            y: Axis::linear("Displacement over step", ""),
            series: vec![
                Series::line("displacement", t, tuned.step.clone()).emphasis(LineWeight::Accent),
            ],
            horizontals: vec![
                (1.0, "command".into()),
                (1.0 + targets.overshoot_percent / 100.0, "overshoot".into()),
            ],
            markers: vec![(
                1e3 * targets.settling_s,
                "settled".into(),
                Severity::Neutral,
            )],
            ..Plot::default()
        })],
    }
}
