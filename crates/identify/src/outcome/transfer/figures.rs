//! What an identification of the transfer system tells, with the keys of its JSON.

use crate::quiet;
use crate::step::StepFigures;
use crate::transfer::{Candidate, Fit, Pole};
use serde::Serialize;

use super::{Apart, Column};

/// What was found.
#[derive(Debug, Serialize)]
pub struct Figures {
    /// The data.
    pub source: String,
    /// Samples a second.
    pub rate_hz: f64,
    /// Samples of each column.
    pub samples: usize,
    /// One for each measured displacement.
    pub outputs: Vec<OutputFigures>,
    /// How far the paths lie from known ones.
    pub beside: Option<BesideFigures>,
    /// The mean of the steps in the data.
    pub measured_step: Option<Step>,
    /// Sensors at rest.
    pub noise: Vec<NoiseFigures>,
    /// One command and one output: the figures also without a list.
    #[serde(flatten)]
    pub only: Option<OnlyPath>,
}

/// A measured displacement and what leads to it.
#[derive(Clone, Debug, Serialize)]
pub struct OutputFigures {
    /// Its column.
    pub name: String,
    /// One for each command.
    pub paths: Vec<PathFrom>,
    /// Constant that was taken off.
    pub offset: f64,
    /// RMS of measured less computed.
    pub residual_rms: f64,
    /// The same over the RMS of the output.
    pub residual_percent: f64,
    /// Every shape that was tried.
    pub candidates: Vec<CandidateFigures>,
    /// How the model answers to a step.
    pub step: Option<Step>,
}

/// The path from one command.
#[derive(Clone, Debug, Serialize)]
pub struct PathFrom {
    /// Column of the command.
    pub from: String,
    /// The path.
    #[serde(flatten)]
    pub path: PathFigures,
}

/// One path.
#[derive(Clone, Debug, Serialize)]
pub struct PathFigures {
    /// Static gain.
    pub gain: f64,
    /// How sure that is.
    pub gain_standard_error: f64,
    /// Pure delay.
    pub delay_ms: f64,
    /// How sure that is.
    pub delay_standard_error_ms: f64,
    /// Delay and poles together, at low frequencies.
    pub low_frequency_delay_ms: f64,
    /// Poles and pairs of them.
    pub poles: Vec<PoleFigures>,
    /// z₁, z₂, … of the numerator 1 + z₁ s + z₂ s² …
    pub zeros: Vec<f64>,
    /// Coefficients, the highest power of s first.
    pub numerator: Vec<f64>,
    /// Likewise.
    pub denominator: Vec<f64>,
    /// Where the response has fallen by 3 dB.
    pub bandwidth_hz: Option<f64>,
    /// The measured frequency response, where the data tell something.
    pub frf: Response,
}

/// A pole, or a pair.
#[derive(Clone, Debug, Serialize)]
pub struct PoleFigures {
    /// |s|/2π.
    pub frequency_hz: f64,
    /// −Re s/|s|.
    pub damping: f64,
}

/// A frequency response, line by line.
#[derive(Clone, Debug, Serialize)]
pub struct Response {
    /// The lines.
    pub frequency_hz: Vec<f64>,
    /// Gain.
    pub gain_db: Vec<f64>,
    /// Phase.
    pub phase_degrees: Vec<f64>,
    /// Delay by the phase.
    pub delay_ms: Vec<f64>,
    /// Coherence.
    pub coherence: Vec<f64>,
}

/// A shape that was tried.
#[derive(Clone, Debug, Serialize)]
pub struct CandidateFigures {
    /// Poles.
    pub poles: usize,
    /// Zeros.
    pub zeros: usize,
    /// What was left of data that were not fitted.
    pub validation_percent: f64,
}

/// A step response.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// Overshoot.
    pub overshoot_percent: f64,
    /// From 10 % to 90 %.
    pub rise_ms: f64,
    /// Until it stays within 2 %.
    pub settling_ms: f64,
    /// What it comes to.
    pub gain: f64,
}

/// A sensor at rest.
#[derive(Clone, Debug, Serialize)]
pub struct NoiseFigures {
    /// Its column.
    pub channel: String,
    /// Mean.
    pub mean: f64,
    /// Root mean square, with the mean.
    pub rms: f64,
    /// Standard deviation.
    pub std: f64,
    /// Smallest step that occurs.
    pub resolution: Option<f64>,
}

/// The distance from known paths.
#[derive(Clone, Debug, Serialize)]
pub struct BesideFigures {
    /// Where the known ones stand.
    pub what: String,
    /// Of each output the paths from each command.
    pub outputs: Vec<Vec<Apart>>,
}

/// The one path of one command to one output.
#[derive(Debug, Serialize)]
pub struct OnlyPath {
    /// The path.
    #[serde(flatten)]
    pub path: PathFigures,
    /// RMS of measured less computed.
    pub residual_rms: f64,
    /// The same over the RMS of the output.
    pub residual_percent: f64,
    /// How the model answers to a step.
    pub step: Option<Step>,
}

impl OnlyPath {
    /// Of an output that one command moves.
    pub(super) fn of(output: &OutputFigures) -> Option<Self> {
        let [only] = &output.paths[..] else {
            return None;
        };
        Some(Self {
            path: only.path.clone(),
            residual_rms: output.residual_rms,
            residual_percent: output.residual_percent,
            step: output.step.clone(),
        })
    }
}

impl From<&StepFigures> for Step {
    fn from(step: &StepFigures) -> Self {
        Self {
            overshoot_percent: step.overshoot_percent,
            rise_ms: 1e3 * step.rise_s,
            settling_ms: 1e3 * step.settling_s,
            gain: step.gain,
        }
    }
}

impl From<Pole> for PoleFigures {
    fn from(pole: Pole) -> Self {
        Self {
            frequency_hz: pole.frequency,
            damping: pole.damping,
        }
    }
}

impl From<&Candidate> for CandidateFigures {
    fn from(candidate: &Candidate) -> Self {
        Self {
            poles: candidate.shape.poles,
            zeros: candidate.shape.zeros,
            validation_percent: 100.0 * candidate.validation,
        }
    }
}

impl NoiseFigures {
    pub(super) fn of(channel: &str, noise: &quiet::Noise) -> Self {
        Self {
            channel: channel.to_owned(),
            mean: noise.mean,
            rms: noise.rms,
            std: noise.std,
            resolution: noise.resolution,
        }
    }
}

impl PathFigures {
    /// The path from one input of a fit.
    fn of(found: &Fit, input: usize) -> Self {
        let (path, frf) = (&found.paths[input], &found.frf[input]);
        let (numerator, denominator) = path.polynomials();
        let lines = frf.trusted(0.6);
        let at = |of: &[f64]| lines.iter().map(|k| of[*k]).collect();
        Self {
            gain: found.gain[input].value,
            gain_standard_error: found.gain[input].error,
            delay_ms: 1e3 * found.delay[input].value,
            delay_standard_error_ms: 1e3 * found.delay[input].error,
            low_frequency_delay_ms: 1e3 * path.low_frequency_delay(),
            poles: path.poles().into_iter().map(PoleFigures::from).collect(),
            zeros: path.zeros.clone(),
            numerator,
            denominator,
            bandwidth_hz: frf.bandwidth(),
            frf: Response {
                frequency_hz: at(&frf.frequency),
                gain_db: at(&frf.gain_db()),
                phase_degrees: frf.phase_degrees(&lines),
                delay_ms: frf.delay(&lines).iter().map(|d| 1e3 * d).collect(),
                coherence: at(&frf.coherence),
            },
        }
    }
}

impl OutputFigures {
    pub(super) fn of(
        output: &Column,
        inputs: &[&Column],
        found: &Fit,
        step: Option<&StepFigures>,
    ) -> Self {
        let from = |(number, _): (usize, _)| PathFrom {
            from: inputs[number].name.clone(),
            path: PathFigures::of(found, number),
        };
        Self {
            name: output.name.clone(),
            paths: found.paths.iter().enumerate().map(from).collect(),
            offset: found.offset,
            residual_rms: found.residual_rms,
            residual_percent: 100.0 * found.residual_part,
            candidates: found
                .candidates
                .iter()
                .map(CandidateFigures::from)
                .collect(),
            step: step.map(Step::from),
        }
    }
}
