//! The fit: frequency response first, for a start that is near; then the samples themselves, for
//! the rest.

use tandem_signal::correlate;

use super::model::{Path, Pole, Shape, holding};
use super::rational::rational;
use crate::error::check;
use crate::frf::{Estimator, Frf, frequency_response};
use crate::minimise::levenberg_marquardt;
use crate::{IdentifyError, index, real};

const WHAT: &str = "transfer system";

/// What is tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Samples of a segment of the spectra; none: a fortieth of the data, at least two seconds.
    pub segment: Option<usize>,
    /// Poles and zeros; none: chosen by cross-validation among up to four poles.
    pub shape: Option<Shape>,
    /// Lines of the frequency response below this coherence are left out of the start.
    pub least_coherence: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            segment: None,
            shape: None,
            least_coherence: 0.6,
        }
    }
}

/// A number with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uncertain {
    /// The number.
    pub value: f64,
    /// Its standard error, for white noise on the output.
    pub error: f64,
}

/// A shape that was tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Poles and zeros.
    pub shape: Shape,
    /// RMS error over that of the output, in the part of the data that the fit had not seen.
    pub validation: f64,
}

/// What was found of one output.
#[derive(Debug, Clone)]
pub struct Fit {
    /// Frequency response from every input.
    pub frf: Vec<Frf>,
    /// The model: one path from every input.
    pub paths: Vec<Path>,
    /// Gain of every path.
    pub gain: Vec<Uncertain>,
    /// Pure delay of every path, s.
    pub delay: Vec<Uncertain>,
    /// Relative standard error of every frequency and damping ratio, in the order of
    /// `paths[i].pairs` (ω, ζ), then the single pole.
    pub relative_error: Vec<Vec<f64>>,
    /// RMS of measured less computed, over the whole data.
    pub residual_rms: f64,
    /// The same over the RMS of the output.
    pub residual_part: f64,
    /// Every shape that was tried; empty where the shape was given.
    pub candidates: Vec<Candidate>,
    /// What the model answers to the commands.
    pub computed: Vec<f64>,
    /// Constant that was taken off the output.
    pub offset: f64,
}

impl Fit {
    /// Poles of the path from an input.
    #[must_use]
    pub fn poles(&self, input: usize) -> Vec<Pole> {
        self.paths.get(input).map(Path::poles).unwrap_or_default()
    }
}

/// Shapes in the order of their number of unknowns.
const SHAPES: [Shape; 8] = [
    Shape { poles: 1, zeros: 0 },
    Shape { poles: 2, zeros: 0 },
    Shape { poles: 2, zeros: 1 },
    Shape { poles: 3, zeros: 0 },
    Shape { poles: 3, zeros: 1 },
    Shape { poles: 4, zeros: 0 },
    Shape { poles: 4, zeros: 1 },
    Shape { poles: 4, zeros: 2 },
];

/// A simpler shape is taken when its validation error is within this factor of the best.
const PARSIMONY: f64 = 1.01;
/// Samples that the choice of the shape looks at, at least.
const ENOUGH: usize = 24_000;

/// Fits one output that follows one or several commands.
///
/// 1. Frequency responses (H₁). 2. For each shape, paths are fitted to them from several starts. 3.
///    From the best, the error between measured and computed samples is minimised over the first
///    two thirds of the data; the last third judges. 4. The simplest shape within 1 % of the best
///    is fitted to everything.
///
/// # Errors
/// [`IdentifyError`] where data are short or not finite, or nothing coherent with the command is in
/// the output.
pub fn fit(
    inputs: &[&[f64]],
    output: &[f64],
    fs: f64,
    options: &Options,
) -> Result<Fit, IdentifyError> {
    let mut all = vec![output];
    all.extend(inputs);
    let length = check(WHAT, &all, 256)?;
    let segment = options
        .segment
        .unwrap_or_else(|| (length / 40).max(index(2.0 * fs)))
        .clamp(64, length / 4);
    let frf = frequency_response(inputs, output, fs, segment, Estimator::H1)?;
    let period = 1.0 / fs;
    let mut problem = FitProblem {
        inputs: inputs.to_vec(),
        output: Vec::new(),
        period,
        scale: 0.01,
    };
    let offset = offset_of(inputs, output, &frf);
    problem.output = output.iter().map(|y| y - offset).collect();
    let lags: Vec<Lag> = frf
        .iter()
        .map(|frf| Lag::of(frf, options.least_coherence, period))
        .collect();
    if lags.iter().all(|lag| lag.lines.len() < 8) {
        return Err(IdentifyError::undetermined(
            WHAT,
            "hardly any frequency at which the output follows the command: check the columns, or \
            excite more strongly and for longer",
        ));
    }
    problem.scale = lags
        .iter()
        .map(|lag| lag.total)
        .fold(0.0, f64::max)
        .max(2.0 * period);

    let mut candidates = Vec::new();
    let shape = match options.shape {
        Some(shape) => shape,
        None => {
            candidates = problem.candidates(&lags);
            simplest(&candidates)?
        }
    };
    let start: Vec<Path> = lags.iter().map(|lag| lag.start(shape, period)).collect();
    let (paths, square, variances) = problem.polish(&start, shape, 60).ok_or_else(|| {
        IdentifyError::undetermined(WHAT, "no model of that shape could be fitted to these data")
    })?;
    let mut computed = vec![0.0; length];
    problem.answer(&paths, &mut computed);
    let unknowns = variances.len() / paths.len().max(1);
    let variance = square / real((length - variances.len()).max(1));
    let error =
        |path: usize, unknown: usize| (variance * variances[path * unknowns + unknown]).sqrt();
    let residual_rms = (square / real(length)).sqrt();
    let first_pole = 2 + shape.zeros;
    Ok(Fit {
        gain: (0..paths.len())
            .map(|i| Uncertain {
                value: paths[i].gain,
                error: error(i, 0),
            })
            .collect(),
        delay: (0..paths.len())
            .map(|i| Uncertain {
                value: paths[i].delay,
                error: error(i, 1) * problem.scale,
            })
            .collect(),
        // Logarithms: their error is the relative one.
        relative_error: (0..paths.len())
            .map(|i| (first_pole..unknowns).map(|k| error(i, k)).collect())
            .collect(),
        residual_rms,
        residual_part: residual_rms / correlate::rms(&problem.output).max(f64::MIN_POSITIVE),
        candidates,
        computed: computed.iter().map(|y| y + offset).collect(),
        offset,
        frf,
        paths,
    })
}

/// A sensor's offset is no gain: it is read off while nothing has moved yet, else from the means.
fn offset_of(inputs: &[&[f64]], output: &[f64], frf: &[Frf]) -> f64 {
    let moved = inputs
        .iter()
        .filter_map(|u| u.iter().position(|x| x.abs() > 0.0))
        .min()
        .unwrap_or(0);
    if moved >= 32 {
        correlate::mean(&output[..moved])
    } else {
        let gain: f64 = frf
            .iter()
            .zip(inputs)
            .map(|(f, u)| f.static_gain().unwrap_or(0.0) * correlate::mean(u))
            .sum();
        correlate::mean(output) - gain
    }
}

/// The simplest shape that is nearly as good as the best.
fn simplest(candidates: &[Candidate]) -> Result<Shape, IdentifyError> {
    let best = candidates
        .iter()
        .map(|c| c.validation)
        .fold(f64::INFINITY, f64::min);
    candidates
        .iter()
        .find(|c| c.validation <= PARSIMONY * best)
        .map(|c| c.shape)
        .ok_or_else(|| IdentifyError::undetermined(WHAT, "no model could be fitted to these data"))
}

/// Samples in which the commands do half of what they do at all: a rest or a taper at the start
/// tells nothing of a shape.
fn half_of_the_motion(inputs: &[&[f64]]) -> usize {
    let square = |k: usize| -> f64 { inputs.iter().map(|u| u[k] * u[k]).sum() };
    let length = inputs.iter().map(|u| u.len()).min().unwrap_or(0);
    let half = 0.5 * (0..length).map(square).sum::<f64>();
    let mut sum = 0.0;
    (0..length)
        .find(|&k| {
            sum += square(k);
            sum >= half
        })
        .unwrap_or(length)
}

/// What the frequency response of one input tells at first sight.
struct Lag<'a> {
    frf: &'a Frf,
    lines: Vec<usize>,
    gain: f64,
    /// Delay at low frequency, s.
    total: f64,
}

impl<'a> Lag<'a> {
    fn of(frf: &'a Frf, least_coherence: f64, period: f64) -> Self {
        let mut lines = frf.trusted(least_coherence);
        // Far beyond the bandwidth there is little but noise, unless the coherence says otherwise.
        if let Some(edge) = frf.bandwidth() {
            lines.retain(|&k| frf.frequency[k] < 6.0 * edge || frf.coherence[k] > 0.9);
        }
        let delays = frf.delay(&lines);
        let few = (lines.len() / 4).clamp(1, 40).min(delays.len().max(1));
        let mut low: Vec<f64> = delays.iter().take(few).copied().collect();
        low.sort_by(f64::total_cmp);
        let total = low.get(low.len() / 2).copied().unwrap_or(period) - 0.5 * period;
        // The sign of the gain from the first lines.
        let gain: f64 = lines.iter().take(few).map(|&k| frf.response[k].re).sum();
        let magnitude = frf.static_gain().unwrap_or(1.0);
        Self {
            gain: if gain < 0.0 { -magnitude } else { magnitude },
            total: total.max(0.25 * period),
            lines,
            frf,
        }
    }

    /// The best of several starts, in the frequency domain.
    fn start(&self, shape: Shape, period: f64) -> Path {
        let scale = self.total.max(2.0 * period);
        let few = self.lines.len().div_ceil(120).max(1);
        let lines: Vec<usize> = self.lines.iter().copied().step_by(few).collect();
        let mut starts = Vec::new();
        for part in [0.05, 0.35, 0.7] {
            for zeta in [1.2, 0.5] {
                let poles = real(shape.poles);
                let each = (1.0 - part) * self.total.abs() / poles;
                starts.push(Path {
                    gain: self.gain,
                    delay: part * self.total.abs(),
                    zeros: vec![0.0; shape.zeros],
                    pairs: (0..shape.poles / 2)
                        .map(|k| [zeta / each * (1.0 + 0.7 * real(k)), zeta])
                        .collect(),
                    single: (shape.poles % 2 == 1).then(|| 1.0 / each),
                });
            }
        }
        // Poles far apart, or hidden behind zeros, are found by what is linear in them.
        let weight = |k: usize| {
            let c = self.frf.coherence[k].min(0.999);
            (c / (1.0 - c)).sqrt() / self.frf.response[k].norm().max(1e-12)
        };
        let continuous: Vec<_> = lines
            .iter()
            .map(|&k| {
                let f = self.frf.frequency[k];
                (f, self.frf.response[k] / holding(f, period), weight(k))
            })
            .collect();
        let delays = [0.0, period, 4.0 * period]
            .into_iter()
            .chain([0.05, 0.2, 0.4, 0.7].map(|part| part * self.total.abs()));
        starts.extend(delays.filter_map(|delay| rational(&continuous, shape, delay)));
        let mut best: Option<(f64, Path)> = None;
        for path in starts {
            if !allowed(&path) {
                continue;
            }
            let x = path.to_unknowns(scale);
            let h = vec![1e-6; x.len()];
            let found = levenberg_marquardt(&x, &h, 40, |x, r| {
                let path = Path::from_unknowns(x, shape, scale);
                r.clear();
                if !allowed(&path) {
                    return false;
                }
                for &k in &lines {
                    let error =
                        path.held_response(self.frf.frequency[k], period) - self.frf.response[k];
                    r.extend([weight(k) * error.re, weight(k) * error.im]);
                }
                true
            });
            if let Some(found) = found
                && best
                    .as_ref()
                    .is_none_or(|(square, _)| found.square < *square)
            {
                best = Some((found.square, Path::from_unknowns(&found.x, shape, scale)));
            }
            if best.is_none() {
                best = Some((f64::INFINITY, path));
            }
        }
        best.map_or_else(
            || Path {
                gain: self.gain,
                delay: 0.0,
                zeros: Vec::new(),
                pairs: Vec::new(),
                single: None,
            },
            |(_, path)| path,
        )
    }
}

/// Poles of which the samples can tell something, delays that are none of the future.
fn allowed(path: &Path) -> bool {
    let fits = |w: f64| w.is_finite() && w < 1e6 && w > 1e-6;
    path.delay >= 0.0
        && path.delay < 100.0
        && path
            .pairs
            .iter()
            .all(|[w, zeta]| fits(*w) && (1e-4..50.0).contains(zeta))
        && path.single.is_none_or(fits)
        && path.zeros.iter().all(|z| z.abs() < 1e3)
}

/// Samples that are to be explained.
struct FitProblem<'a> {
    inputs: Vec<&'a [f64]>,
    output: Vec<f64>,
    period: f64,
    /// Unit of time of the unknowns, s.
    scale: f64,
}

impl<'a> FitProblem<'a> {
    fn first(&self, samples: usize) -> FitProblem<'a> {
        let n = samples.min(self.output.len());
        FitProblem {
            inputs: self.inputs.iter().map(|u| &u[..n]).collect(),
            output: self.output[..n].to_vec(),
            ..*self
        }
    }

    /// Every shape fitted to the first two thirds of the samples and judged by the last.
    fn candidates(&self, lags: &[Lag<'_>]) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let some = self.first(ENOUGH.max(half_of_the_motion(&self.inputs)));
        let split = some.output.len() * 2 / 3;
        let seen = some.first(split);
        let spread = correlate::rms(&some.output[split..]).max(f64::MIN_POSITIVE);
        for shape in SHAPES {
            let start: Vec<Path> = lags
                .iter()
                .map(|lag| lag.start(shape, self.period))
                .collect();
            let Some(fitted) = seen.polish(&start, shape, 12) else {
                continue;
            };
            let mut computed = vec![0.0; some.output.len()];
            if !some.answer(&fitted.0, &mut computed) {
                continue;
            }
            let square: f64 = (split..computed.len())
                .map(|k| (some.output[k] - computed[k]).powi(2))
                .sum();
            let validation = (square / real(computed.len() - split)).sqrt() / spread;
            candidates.push(Candidate { shape, validation });
        }
        candidates
    }

    fn answer(&self, paths: &[Path], y: &mut [f64]) -> bool {
        y.fill(0.0);
        paths
            .iter()
            .zip(&self.inputs)
            .all(|(path, u)| path.add_answer(u, self.period, y))
    }

    /// Minimises the error of the samples; paths, sum of squares and the diagonal of (JᵀJ)⁻¹.
    fn polish(
        &self,
        start: &[Path],
        shape: Shape,
        rounds: usize,
    ) -> Option<(Vec<Path>, f64, Vec<f64>)> {
        let size = start.first()?.to_unknowns(self.scale).len();
        if start.iter().any(|path| path.shape() != shape) {
            return None;
        }
        let paths_of = |x: &[f64]| -> Vec<Path> {
            x.chunks_exact(size)
                .map(|x| Path::from_unknowns(x, shape, self.scale))
                .collect()
        };
        let x: Vec<f64> = start
            .iter()
            .flat_map(|path| path.to_unknowns(self.scale))
            .collect();
        let h = vec![1e-6; x.len()];
        let mut y = vec![0.0; self.output.len()];
        let found = levenberg_marquardt(&x, &h, rounds, |x, r| {
            let paths = paths_of(x);
            if !paths.iter().all(allowed) || !self.answer(&paths, &mut y) {
                return false;
            }
            r.clear();
            r.extend(self.output.iter().zip(&y).map(|(a, b)| a - b));
            true
        })?;
        Some((paths_of(&found.x), found.square, found.inverse))
    }
}
