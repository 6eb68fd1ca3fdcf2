//! `[[excitation.signal]]`: what an actuator is made to do while it is characterised, in
//! displacement.

use crate::excitation::SweepLaw;
use tandem_quantity::{
    BuildError, Builder, Context, Dimension, Entry, Method, Range, Registry, Settings, SlotOf,
    Values, format_number, index, settings,
};
use tandem_signal::synthetic::{self, Band, Sampling};

/// A displacement over time, with its name for people.
pub struct Signal {
    /// m, one value a step.
    pub samples: Vec<f64>,
    /// Such as `band-limited white noise, 0 to 20 Hz, 1 mm RMS`.
    pub words: String,
}

/// How a signal is made; the period is the step of the samples, the seed that where none is given:
/// the number of its actuator.
pub type Build = Builder<Signal>;

/// All signals. A new one is one entry here.
static METHODS: &[Entry<Build>] = &[NOISE, TWO_BANDS, SQUARE, SWEEP, SINE, CYCLES, REST];

/// The slot in the plan.
pub static SLOT: SlotOf<Build> = SlotOf::new("signal", "kind", None, || METHODS);

/// Makes the signal of actuator `number`, counted from 1, with a sample every `dt` seconds.
pub fn build(
    values: &Values,
    dt: f64,
    number: u64,
    registry: &Registry,
) -> Result<Signal, BuildError> {
    let context = Context {
        seed: number,
        registry,
        ..Context::of(1, dt)
    };
    let made = (context.registry.find(&SLOT, values)?.build)(values, &context)?;
    if made.samples.iter().any(|x| !x.is_finite()) {
        return Err(BuildError::new(
            "kind",
            "the signal has a value that is not finite",
            "give amplitudes and frequencies of ordinary size",
        ));
    }
    Ok(made)
}

settings! {
    /// How long a signal is.
    struct Length {
        /// length of the motion
        duration: f64 = number(Dimension::TIME).positive(),
    }
}

settings! {
    /// How far a signal goes.
    struct Amplitude {
        /// largest displacement on either side
        amplitude: f64 = number(Dimension::LENGTH).positive(),
    }
}

settings! {
    /// What all random signals have.
    struct Random {
        /// length of the taper at both ends
        taper: f64 = number(Dimension::TIME).or("\"1 s\"").not_negative(),
        /// seed of the random numbers; default: the number of the actuator, so that two of them
        /// move independently
        seed: Option<u64> = integer().within(Range::between(0.0, 9e15)),
    }
}

/// Samples of a signal at most: over an hour at 4096 Hz.
pub const MOST_SAMPLES: f64 = 2e7;

impl Length {
    fn points(&self, dt: f64) -> Result<Sampling, BuildError> {
        let duration = self.duration;
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
}

/// An error of the maker, at `key`.
fn refuse(key: &str) -> impl Fn(tandem_signal::SignalError) -> BuildError + '_ {
    move |error| BuildError::new(key, error.to_string(), "change the values of this signal")
}

fn mm(x: f64) -> String {
    format!("{} mm", format_number(1e3 * x))
}

const NOISE: Entry<Build> = Entry {
    method: Method {
        name: "noise",
        summary: "band-limited white noise with a cosine taper",
        reference: "Tekeste, Correia and Costa 2025, section 2.6 (0 to 20 Hz, 1 mm RMS)",
        parameters: NoiseSettings::PARAMETERS,
    },
    build: &|values,
             &Context {
                 period: dt,
                 seed: number,
                 ..
             }| {
        let settings = NoiseSettings::read(values)?;
        let band = Band {
            low: settings.low,
            high: settings.high,
            rms: settings.rms,
        };
        let samples = synthetic::band_limited_noise(
            &settings.length.points(dt)?,
            band,
            settings.random.taper,
            settings.random.seed.unwrap_or(number),
        )
        .map_err(refuse("high"))?;
        Ok(Signal {
            samples,
            words: format!(
                "band-limited white noise, {} to {} Hz, {} RMS",
                format_number(band.low),
                format_number(band.high),
                mm(band.rms)
            ),
        })
    },
};

settings! {
    struct NoiseSettings {
        length: Length,
        /// lower edge of the band
        low: f64 = number(Dimension::FREQUENCY).or("\"0 Hz\"").not_negative(),
        /// upper edge of the band
        high: f64 = number(Dimension::FREQUENCY).or("\"20 Hz\"").positive(),
        /// root mean square between the tapers
        rms: f64 = number(Dimension::LENGTH).positive(),
        random: Random,
    }
}

const TWO_BANDS: Entry<Build> = Entry {
    method: Method {
        name: "two-band-noise",
        summary: "the sum of two bands of white noise: a strong low one for the amplitude, a weak \
            wide one for the phase",
        reference: "Tekeste, Correia and Costa 2025, section 3.2 (0 to 1 Hz with 10 mm, 0 to 20 Hz \
            with 2 mm)",
        parameters: TwoBandsSettings::PARAMETERS,
    },
    build: &|values,
             &Context {
                 period: dt,
                 seed: number,
                 ..
             }| {
        let settings = TwoBandsSettings::read(values)?;
        let two = |key: &str, list: Vec<f64>| -> Result<[f64; 2], BuildError> {
            <[f64; 2]>::try_from(list).map_err(|list| {
                BuildError::new(
                    key,
                    format!("{} values for two bands", list.len()),
                    "give two",
                )
            })
        };
        let low = two("low", settings.low)?;
        let high = two("high", settings.high)?;
        let rms = two("rms", settings.rms)?;
        let bands = [0, 1].map(|i| Band {
            low: low[i],
            high: high[i],
            rms: rms[i],
        });
        let samples = synthetic::two_band_noise(
            &settings.length.points(dt)?,
            bands,
            settings.random.taper,
            settings.random.seed.unwrap_or(number),
        )
        .map_err(refuse("high"))?;
        let words = bands.map(|b| {
            format!(
                "{} to {} Hz with {} RMS",
                format_number(b.low),
                format_number(b.high),
                mm(b.rms)
            )
        });
        Ok(Signal {
            samples,
            words: format!("white noise in two bands, {}", words.join(" and ")),
        })
    },
};

settings! {
    struct TwoBandsSettings {
        length: Length,
        /// lower edges of the bands
        low: Vec<f64> = numbers(Dimension::FREQUENCY).or("[0, 0, \"Hz\"]").not_negative(),
        /// upper edges of the bands
        high: Vec<f64> = numbers(Dimension::FREQUENCY).or("[1, 20, \"Hz\"]").positive(),
        /// root mean square of each between the tapers, such as [10, 2, "mm"]
        rms: Vec<f64> = numbers(Dimension::LENGTH).positive(),
        random: Random,
    }
}

const SQUARE: Entry<Build> = Entry {
    method: Method {
        name: "square",
        summary: "square wave: steps from one side to the other, for overshoot and settling time; \
            it jumps, whatever [limits] velocity says",
        reference: "Tekeste, Correia and Costa 2025, section 2.6 (10 mm, 1 Hz)",
        parameters: SquareSettings::PARAMETERS,
    },
    build: &|values, &Context { period: dt, .. }| {
        let settings = SquareSettings::read(values)?;
        let (amplitude, frequency) = (settings.amplitude.amplitude, settings.frequency);
        let points = settings.length.points(dt)?;
        let mut samples = synthetic::square_wave(&points, amplitude, frequency);
        // The last point would be the first of another half period: a step that nobody asked for.
        if let [.., before, last] = samples.as_mut_slice() {
            *last = *before;
        }
        Ok(Signal {
            samples,
            words: format!(
                "square wave, ±{}, {} Hz",
                mm(amplitude),
                format_number(frequency)
            ),
        })
    },
};

settings! {
    struct SquareSettings {
        length: Length,
        amplitude: Amplitude,
        /// periods per second
        frequency: f64 = number(Dimension::FREQUENCY).positive(),
    }
}

const SWEEP: Entry<Build> = Entry {
    method: Method {
        name: "sweep",
        summary: "sine whose frequency grows, linearly or logarithmically",
        reference: "Silva et al. 2020 (chirp, 0.1 to 40 Hz in 90 s)",
        parameters: SweepSettings::PARAMETERS,
    },
    build: &|values, &Context { period: dt, .. }| {
        let settings = SweepSettings::read(values)?;
        let (amplitude, start, end) = (settings.amplitude.amplitude, settings.start, settings.end);
        let sweep = settings.law.function();
        let mut samples = sweep(&settings.length.points(dt)?, amplitude, start, end);
        // not negative; saturates
        let tapered = index((settings.taper / dt).round());
        synthetic::cosine_taper(&mut samples, tapered);
        Ok(Signal {
            samples,
            words: format!(
                "sine sweep, {} to {} Hz, ±{}",
                format_number(start),
                format_number(end),
                mm(amplitude)
            ),
        })
    },
};

settings! {
    struct SweepSettings {
        length: Length,
        amplitude: Amplitude,
        /// first frequency
        start: f64 = number(Dimension::FREQUENCY).or("\"0.1 Hz\"").positive(),
        /// last frequency
        end: f64 = number(Dimension::FREQUENCY).or("\"20 Hz\"").positive(),
        /// how the frequency grows
        law: SweepLaw = choice(SweepLaw::WORDS).or("\"linear\""),
        /// length of the taper at both ends
        taper: f64 = number(Dimension::TIME).or("\"1 s\"").not_negative(),
    }
}

const SINE: Entry<Build> = Entry {
    method: Method {
        name: "sine",
        summary: "steady sine",
        reference: "definition",
        parameters: SineSettings::PARAMETERS,
    },
    build: &|values, &Context { period: dt, .. }| {
        let settings = SineSettings::read(values)?;
        let (amplitude, frequency) = (settings.amplitude.amplitude, settings.frequency);
        Ok(Signal {
            samples: synthetic::sine(&settings.length.points(dt)?, amplitude, frequency, 0.0),
            words: format!("sine, ±{}, {} Hz", mm(amplitude), format_number(frequency)),
        })
    },
};

settings! {
    struct SineSettings {
        length: Length,
        amplitude: Amplitude,
        /// its frequency
        frequency: f64 = number(Dimension::FREQUENCY).positive(),
    }
}

const CYCLES: Entry<Build> = Entry {
    method: Method {
        name: "cycles",
        summary: "cyclic ramps at constant speed, for stiffness and gaps of the specimen",
        reference: "Tekeste, Correia and Costa 2025, section 3.2",
        parameters: CyclesSettings::PARAMETERS,
    },
    build: &|values, &Context { period: dt, .. }| {
        let settings = CyclesSettings::read(values)?;
        let amplitudes = settings.amplitudes;
        if amplitudes.is_empty() {
            return Err(BuildError::new(
                "amplitudes",
                "there is none",
                "give at least one amplitude",
            ));
        }
        let (cycles, rate) = (settings.cycles, settings.rate);
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

settings! {
    struct CyclesSettings {
        /// one after the other, such as [0.5, 1, 2, "mm"]
        amplitudes: Vec<f64> = numbers(Dimension::LENGTH).positive(),
        /// cycles at each amplitude
        cycles: usize = integer().or("2").within(Range::between(1.0, 1e4)),
        /// speed of the ramps
        rate: f64 = number(Dimension::VELOCITY).positive(),
    }
}

const REST: Entry<Build> = Entry {
    method: Method {
        name: "rest",
        summary: "this actuator stays where it is while others move",
        reference: "definition",
        parameters: &[],
    },
    build: &|_, _| {
        Ok(Signal {
            samples: vec![0.0],
            words: "at rest".to_owned(),
        })
    },
};
