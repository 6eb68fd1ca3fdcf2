//! `tandem identify free-vibration`.

use crate::free_vibration::{FreeVibration, fit};
use serde::Serialize;

use super::data::{ACCELERATION, DISPLACEMENT, Data};
use super::{Error, Outcome, heading, number, page};
use tandem_quantity::{format_number, index};
use tandem_report::{
    Axis, KeyValue, LineWeight, PageItem, Plot, Section, Series, Severity, Verdict,
};

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// The data.
    pub source: String,
    /// Of the decaying mode.
    pub frequency_hz: f64,
    /// How sure that is.
    pub frequency_standard_error_hz: f64,
    /// Likewise.
    pub damping_ratio: f64,
    /// How sure that is.
    pub damping_standard_error: f64,
    /// At the beginning, in the unit of the column.
    pub amplitude: f64,
    /// What one mode leaves of the motion.
    pub residual_percent: f64,
    /// With a known stiffness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass_kg: Option<f64>,
    /// Likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping_n_s_per_m: Option<f64>,
}

impl Figures {
    fn of(data: &Data, found: &FreeVibration) -> Self {
        Self {
            source: data.source.clone(),
            frequency_hz: found.frequency,
            frequency_standard_error_hz: found.frequency_error,
            damping_ratio: found.damping,
            damping_standard_error: found.damping_error,
            amplitude: found.amplitude,
            residual_percent: 100.0 * found.residual_part,
            mass_kg: None,
            damping_n_s_per_m: None,
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Column of the motion; empty: displacement or acceleration by their usual names.
    pub motion: Vec<String>,
    /// Known stiffness, N/m, for mass and damping coefficient.
    pub stiffness: Option<f64>,
    /// Seconds left out at the beginning, until the release.
    pub skip_s: f64,
}

/// Frequency, damping and mass.
pub fn identify(data: &Data, request: &Request) -> Result<Outcome<Figures>, Error> {
    let column = match data.find(&request.motion, DISPLACEMENT, "motion") {
        Ok(found) => found[0],
        Err(_) => data.find(&request.motion, ACCELERATION, "motion")?[0],
    };
    let skip = index((request.skip_s.max(0.0) * data.fs).min(1e12));
    let motion = column.samples.get(skip..).unwrap_or_default();
    let found = fit(motion, data.fs)?;
    let mut lines = vec![
        (
            "frequency".to_owned(),
            format!(
                "{} ± {} Hz",
                format_number(found.frequency),
                format_number(found.frequency_error)
            ),
        ),
        (
            "damping ratio".to_owned(),
            format!(
                "{} ± {} %",
                format_number(100.0 * found.damping),
                format_number(100.0 * found.damping_error)
            ),
        ),
    ];
    let mut figures = Figures::of(data, &found);
    let mut fragment = heading("Free vibration of the specimen", &data.source);
    if let Some(stiffness) = request.stiffness {
        let (mass, damping) = found.mass_and_damping(stiffness);
        figures.mass_kg = Some(mass);
        figures.damping_n_s_per_m = Some(damping);
        lines.push(("mass".into(), format!("{} kg", format_number(mass))));
        lines.push((
            "damping".into(),
            format!("{} N s/m", format_number(damping)),
        ));
        fragment.push_str(&format!(
            "\n[interface]\nmass = [[{}], \"kg\"]\ndamping = [[{}], \"N*s/m\"]\n",
            number(mass),
            number(damping)
        ));
    } else {
        fragment.push_str(&format!(
            "# frequency {} Hz, damping ratio {}; give --stiffness for the mass\n",
            number(found.frequency),
            number(found.damping)
        ));
    }
    let t = data.times(motion.len());
    let good = found.residual_part < 0.1;
    let sentence = format!(
        "{} Hz, damping {} % of critical.",
        format_number(found.frequency),
        format_number(100.0 * found.damping)
    );
    let page = page(
        "Free vibration",
        &data.source,
        if good {
            Verdict::Good(sentence)
        } else {
            Verdict::Caution(sentence + " One decaying mode does not describe the motion well.")
        },
        vec![
            KeyValue::new("Frequency", format_number(found.frequency)).unit("Hz"),
            KeyValue::new("Damping ratio", format_number(100.0 * found.damping)).unit("%"),
            KeyValue::new(
                "Left unexplained",
                format_number(100.0 * found.residual_part),
            )
            .unit("%")
            .tone(if good {
                Severity::Good
            } else {
                Severity::Caution
            }),
        ],
        vec![Section {
            title: "Decay".into(),
            intro: String::new(),
            blocks: vec![PageItem::Plot(Plot {
                title: "Motion".into(),
                x: Axis::linear("Time", "s"),
                y: Axis::linear(column.name.clone(), ""),
                series: vec![
                    Series::line("measured", t.clone(), motion.to_vec())
                        .emphasis(LineWeight::Accent),
                    Series::line("fitted", t, found.computed.clone())
                        .emphasis(LineWeight::Reference),
                ],
                ..Plot::default()
            })],
        }],
    );
    Ok(Outcome {
        figures,
        lines,
        fragment,
        page,
    })
}
