//! `[[excitation.signal]]`: what an actuator is made to do while it is characterised, in displacement.

use super::excitation::{DURATION, SEED};
use crate::report::engineering;
use tandem_quantity::{BuildError, Dimension, Entry, Kind, Method, Parameter, Range, Slot, Values};
use tandem_signal::synthetic::{self, Band, Sampling};

/// A displacement over time, with its name for people.
pub struct Signal {
    /// m, one value a step.
    pub samples: Vec<f64>,
    /// Such as `band-limited white noise, 0 to 20 Hz, 1 mm RMS`.
    pub words: String,
}

/// From its table, the step of the samples (s), and the number of its actuator, which is the seed where none is given.
type Build = fn(&Values, f64, u64) -> Result<Signal, BuildError>;

/// All signals. A new one is one entry here.
static METHODS: &[Entry<Build>] = &[NOISE, TWO_BANDS, SQUARE, SWEEP, SINE, CYCLES, REST];

/// The slot in the plan.
pub static SLOT: Slot = Slot {
    selector: "kind",
    default: None,
    methods: || METHODS.iter().map(|entry| &entry.method).collect(),
};

/// Makes the signal of actuator `number`, counted from 1, with a sample every `dt` seconds.
pub fn build(values: &Values, dt: f64, number: u64) -> Result<Signal, BuildError> {
    let entry = Entry::find(METHODS, values.text("kind")?)
        .ok_or_else(|| BuildError::new("kind", "unknown signal", "see `tandem methods`"))?;
    let made = (entry.build)(values, dt, number)?;
    if made.samples.iter().any(|x| !x.is_finite()) {
        return Err(BuildError::new(
            "kind",
            "the signal has a value that is not finite",
            "give amplitudes and frequencies of ordinary size",
        ));
    }
    Ok(made)
}

const AMPLITUDE: Parameter = Parameter::number(
    "amplitude",
    Dimension::LENGTH,
    "largest displacement on either side",
)
.positive();
const TAPER: Parameter =
    Parameter::number("taper", Dimension::TIME, "length of the taper at both ends")
        .or("\"1 s\"")
        .not_negative();
const OWN_SEED: Parameter = Parameter {
    default: tandem_quantity::Default::Absent,
    doc: "seed of the random numbers; default: the number of the actuator, so that two of them move independently",
    ..SEED
};

/// Samples of a signal at most: over an hour at 4096 Hz.
pub const MOST_SAMPLES: f64 = 2e7;

fn sampling(values: &Values, dt: f64) -> Result<Sampling, BuildError> {
    let duration = values.number("duration")?;
    if duration / dt > MOST_SAMPLES {
        return Err(BuildError::new(
            "duration",
            format!("{duration} s in steps of {dt:e} s are more than {MOST_SAMPLES:e} samples"),
            "give a shorter signal, or a longer integration.dt",
        ));
    }
    Sampling::new(dt, duration).map_err(|error| {
        BuildError::new(
            "duration",
            error.to_string(),
            "choose duration and integration.dt to fit",
        )
    })
}

fn seed(values: &Values, number: u64) -> Result<u64, BuildError> {
    match values.has("seed") {
        true => Ok(values.count("seed")? as u64),
        false => Ok(number),
    }
}

/// An error of the maker, at `key`.
fn refuse(key: &str) -> impl Fn(tandem_signal::SignalError) -> BuildError + '_ {
    move |error| BuildError::new(key, error.to_string(), "change the values of this signal")
}

fn mm(x: f64) -> String {
    format!("{} mm", engineering(1e3 * x))
}

const NOISE: Entry<Build> = Entry {
    method: Method {
        name: "noise",
        summary: "band-limited white noise with a cosine taper",
        reference: "Tekeste, Correia and Costa 2025, section 2.6 (0 to 20 Hz, 1 mm RMS)",
        parameters: &[
            DURATION,
            Parameter::number("low", Dimension::FREQUENCY, "lower edge of the band")
                .or("\"0 Hz\"")
                .not_negative(),
            Parameter::number("high", Dimension::FREQUENCY, "upper edge of the band")
                .or("\"20 Hz\"")
                .positive(),
            Parameter::number(
                "rms",
                Dimension::LENGTH,
                "root mean square between the tapers",
            )
            .positive(),
            TAPER,
            OWN_SEED,
        ],
    },
    build: |values, dt, number| {
        let band = Band {
            low: values.number("low")?,
            high: values.number("high")?,
            rms: values.number("rms")?,
        };
        let samples = synthetic::band_limited_noise(
            &sampling(values, dt)?,
            band,
            values.number("taper")?,
            seed(values, number)?,
        )
        .map_err(refuse("high"))?;
        Ok(Signal {
            samples,
            words: format!(
                "band-limited white noise, {} to {} Hz, {} RMS",
                engineering(band.low),
                engineering(band.high),
                mm(band.rms)
            ),
        })
    },
};

const TWO_BANDS: Entry<Build> = Entry {
    method: Method {
        name: "two-band-noise",
        summary: "the sum of two bands of white noise: a strong low one for the amplitude, a weak wide one for the phase",
        reference: "Tekeste, Correia and Costa 2025, section 3.2 (0 to 1 Hz with 10 mm, 0 to 20 Hz with 2 mm)",
        parameters: &[
            DURATION,
            Parameter::of(
                "low",
                Kind::Numbers(Dimension::FREQUENCY),
                "lower edges of the bands",
            )
            .or("[0, 0, \"Hz\"]")
            .not_negative(),
            Parameter::of(
                "high",
                Kind::Numbers(Dimension::FREQUENCY),
                "upper edges of the bands",
            )
            .or("[1, 20, \"Hz\"]")
            .positive(),
            Parameter::of(
                "rms",
                Kind::Numbers(Dimension::LENGTH),
                "root mean square of each between the tapers, such as [10, 2, \"mm\"]",
            )
            .positive(),
            TAPER,
            OWN_SEED,
        ],
    },
    build: |values, dt, number| {
        let two = |key: &str| -> Result<[f64; 2], BuildError> {
            let list = values.numbers(key)?;
            <[f64; 2]>::try_from(list).map_err(|list| {
                BuildError::new(
                    key,
                    format!("{} values for two bands", list.len()),
                    "give two",
                )
            })
        };
        let (low, high, rms) = (two("low")?, two("high")?, two("rms")?);
        let bands = [0, 1].map(|i| Band {
            low: low[i],
            high: high[i],
            rms: rms[i],
        });
        let samples = synthetic::two_band_noise(
            &sampling(values, dt)?,
            bands,
            values.number("taper")?,
            seed(values, number)?,
        )
        .map_err(refuse("high"))?;
        let words = bands.map(|b| {
            format!(
                "{} to {} Hz with {} RMS",
                engineering(b.low),
                engineering(b.high),
                mm(b.rms)
            )
        });
        Ok(Signal {
            samples,
            words: format!("white noise in two bands, {}", words.join(" and ")),
        })
    },
};

const SQUARE: Entry<Build> = Entry {
    method: Method {
        name: "square",
        summary: "square wave: steps from one side to the other, for overshoot and settling time; it jumps, whatever [limits] velocity says",
        reference: "Tekeste, Correia and Costa 2025, section 2.6 (10 mm, 1 Hz)",
        parameters: &[
            DURATION,
            AMPLITUDE,
            Parameter::number("frequency", Dimension::FREQUENCY, "periods per second").positive(),
        ],
    },
    build: |values, dt, _| {
        let (amplitude, frequency) = (values.number("amplitude")?, values.number("frequency")?);
        let mut samples = synthetic::square_wave(&sampling(values, dt)?, amplitude, frequency);
        // The last point would be the first of another half period: a step that nobody asked for.
        if let [.., before, last] = samples.as_mut_slice() {
            *last = *before;
        }
        Ok(Signal {
            samples,
            words: format!(
                "square wave, ±{}, {} Hz",
                mm(amplitude),
                engineering(frequency)
            ),
        })
    },
};

const SWEEP: Entry<Build> = Entry {
    method: Method {
        name: "sweep",
        summary: "sine whose frequency grows, linearly or logarithmically",
        reference: "Silva et al. 2020 (chirp, 0.1 to 40 Hz in 90 s)",
        parameters: &[
            DURATION,
            AMPLITUDE,
            Parameter::number("start", Dimension::FREQUENCY, "first frequency")
                .or("\"0.1 Hz\"")
                .positive(),
            Parameter::number("end", Dimension::FREQUENCY, "last frequency")
                .or("\"20 Hz\"")
                .positive(),
            Parameter::of(
                "law",
                Kind::Choice(&["linear", "logarithmic"]),
                "how the frequency grows",
            )
            .or("\"linear\""),
            TAPER,
        ],
    },
    build: |values, dt, _| {
        let (amplitude, start, end) = (
            values.number("amplitude")?,
            values.number("start")?,
            values.number("end")?,
        );
        let sweep = match values.text("law")? {
            "linear" => synthetic::linear_sweep,
            _ => synthetic::logarithmic_sweep,
        };
        let mut samples = sweep(&sampling(values, dt)?, amplitude, start, end);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // not negative; saturates
        let tapered = (values.number("taper")? / dt).round() as usize;
        synthetic::cosine_taper(&mut samples, tapered);
        Ok(Signal {
            samples,
            words: format!(
                "sine sweep, {} to {} Hz, ±{}",
                engineering(start),
                engineering(end),
                mm(amplitude)
            ),
        })
    },
};

const SINE: Entry<Build> = Entry {
    method: Method {
        name: "sine",
        summary: "steady sine",
        reference: "definition",
        parameters: &[
            DURATION,
            AMPLITUDE,
            Parameter::number("frequency", Dimension::FREQUENCY, "its frequency").positive(),
        ],
    },
    build: |values, dt, _| {
        let (amplitude, frequency) = (values.number("amplitude")?, values.number("frequency")?);
        Ok(Signal {
            samples: synthetic::sine(&sampling(values, dt)?, amplitude, frequency, 0.0),
            words: format!("sine, ±{}, {} Hz", mm(amplitude), engineering(frequency)),
        })
    },
};

const CYCLES: Entry<Build> = Entry {
    method: Method {
        name: "cycles",
        summary: "cyclic ramps at constant speed, for stiffness and gaps of the specimen",
        reference: "Tekeste, Correia and Costa 2025, section 3.2",
        parameters: &[
            Parameter::of(
                "amplitudes",
                Kind::Numbers(Dimension::LENGTH),
                "one after the other, such as [0.5, 1, 2, \"mm\"]",
            )
            .positive(),
            Parameter::integer("cycles", "cycles at each amplitude")
                .or("2")
                .within(Range::between(1.0, 1e4)),
            Parameter::number("rate", Dimension::VELOCITY, "speed of the ramps").positive(),
        ],
    },
    build: |values, dt, _| {
        let amplitudes = values.numbers("amplitudes")?;
        if amplitudes.is_empty() {
            return Err(BuildError::new(
                "amplitudes",
                "there is none",
                "give at least one amplitude",
            ));
        }
        let (cycles, rate) = (values.count("cycles")?, values.number("rate")?);
        let samples =
            synthetic::cyclic_ramps(&amplitudes, cycles, rate, dt).map_err(refuse("rate"))?;
        let most = amplitudes.iter().copied().fold(0.0, f64::max);
        Ok(Signal {
            samples,
            words: format!(
                "{} cycles up to ±{} at {}/s",
                cycles * amplitudes.len(),
                mm(most),
                mm(rate)
            ),
        })
    },
};

const REST: Entry<Build> = Entry {
    method: Method {
        name: "rest",
        summary: "this actuator stays where it is while others move",
        reference: "definition",
        parameters: &[],
    },
    build: |_, _, _| {
        Ok(Signal {
            samples: vec![0.0],
            words: "at rest".to_owned(),
        })
    },
};
