//! The section `[excitation]`: a record from the shelf or a file, a made motion, or signals for the
//! actuators themselves.

use std::path::Path;
use tandem_plan::data_folder::{InDataFolder, VARIABLE, in_data_folder};
use tandem_quantity::{
    BuildError, Conditional, Context, Dimension, Entry, Method, Range, Registry, Settings, SlotOf,
    Values, choice, settings,
};
pub use tandem_signal::excitation::{Build, Excitation};
use tandem_signal::excitation::{Sampling, Unit};
use tandem_signal::record::{self, ReadHint, Record, RecordError};
use tandem_signal::synthetic;

/// All kinds of excitation. A new one is one entry here.
static METHODS: &[Entry<Build>] = &[RECORD, NOISE, SWEEP, SINE, PULSE, KANAI_TAJIMI, FREE];

/// The slot in the plan.
pub static SLOT: SlotOf<Build> = SlotOf::new("excitation", "kind", Some("record"), || METHODS);

/// Builds the excitation and scales it.
pub fn build(values: &Values, registry: &Registry) -> Result<Excitation, BuildError> {
    let context = Context {
        registry,
        ..Context::of(0, f64::NAN)
    };
    (context.registry.find(&SLOT, values)?.build)(values, &context)
}

const RECORD: Entry<Build> = Entry {
    method: Method {
        name: "record",
        summary: "a recorded ground motion: shipped, or a file (AT2, V1, V2, COSMOS, K-NET, \
            columns, CSV, …)",
        reference: "formats: see the documentation of `record`",
        parameters: RecordSettings::PARAMETERS,
    },
    build: &|values, _| build_record(values),
};

settings! {
    struct RecordSettings {
        /// name of a shipped record, or a file; $TANDEM_DATA/ may stand in front
        record: String = path(),
        /// record to take when TANDEM_DATA is not set
        otherwise: Option<String> = path(),
        /// factor on the acceleration
        scale: Conditional<f64> = number(Dimension::NONE).or("1.0"),
        /// scale to this peak instead
        peak: Option<f64> = number(Dimension::ACCELERATION).positive(),
        /// time step, for files that do not state it
        dt: Option<f64> = number(Dimension::TIME).positive(),
        unit: Unit,
        /// channel of a file with several, counted from 1
        channel: Conditional<Option<usize>> = integer().within(Range::between(1.0, 1000.0)),
        /// quiet time put in front
        before: f64 = number(Dimension::TIME).or("\"0 s\"").not_negative(),
        /// quiet time put behind
        after: f64 = number(Dimension::TIME).or("\"0 s\"").not_negative(),
    }
}

fn build_record(values: &Values) -> Result<Excitation, BuildError> {
    let settings = RecordSettings::read(values)?;
    let mut notes = Vec::new();
    let mut key = "record";
    let mut written = settings.record;
    if let Some(InDataFolder { rest, path }) = in_data_folder(&written) {
        match path {
            Some(path) => written = path,
            None => {
                key = "otherwise";
                let other = settings.otherwise.ok_or_else(|| {
                    BuildError::new(
                        "record",
                        format!("{VARIABLE} is not set, so `{rest}` cannot be found"),
                        format!(
                            "set {VARIABLE} to the folder with the benchmark data, or give \
                            `otherwise`"
                        ),
                    )
                })?;
                notes.push(format!(
                    "{VARIABLE} is not set: `{other}` takes the place of `{rest}`."
                ));
                written = other;
            }
        }
    }
    let record = match record::shipped(&written) {
        Some(record) => record,
        None => {
            let hint = ReadHint {
                dt: settings.dt,
                unit: settings.unit.stated(),
                channel: settings.channel.read()?,
            };
            read_file(&hint, key, &written)?
        }
    };
    notes.extend(record.notes.iter().cloned());
    let scaled = match settings.peak {
        Some(peak) => record.scaled_to_peak(peak).map_err(|error| {
            BuildError::new("peak", error.to_string(), "give a record that is not zero")
        })?,
        None => record.scaled(settings.scale.read()?),
    };
    let padded = scaled
        .padded(settings.before, settings.after)
        .map_err(|error| {
            BuildError::new("before", error.to_string(), "give shorter quiet times")
        })?;
    Ok(Excitation {
        record: padded,
        notes,
    })
}

fn bytes(key: &str, written: &str) -> Result<Vec<u8>, BuildError> {
    let shelf = record::SHIPPED.join("`, `");
    std::fs::read(written).map_err(|error| {
        BuildError::new(
            key,
            format!("`{written}` cannot be read: {error}"),
            format!(
                "give the path of a record file relative to the plan, or one of the shipped \
                records: `{shelf}`"
            ),
        )
    })
}

fn read_file(hint: &ReadHint, key: &str, written: &str) -> Result<Record, BuildError> {
    record::read(&bytes(key, written)?, &file_name(written), hint)
        .map_err(|error| unreadable(key, written, &error))
}

fn unreadable(key: &str, written: &str, error: &RecordError) -> BuildError {
    BuildError::new(
        key,
        format!("`{written}`: {error}"),
        "mend the file, or give dt and unit beside it",
    )
}

fn file_name(written: &str) -> std::borrow::Cow<'_, str> {
    Path::new(written)
        .file_name()
        .map_or(written.into(), |n| n.to_string_lossy())
}

/// The time step that a file states itself, s; none where it states none, is a shipped record, or
/// lies in a data folder that is not there. `values` is the section of the plan.
///
/// # Errors
/// [`BuildError`] where the file cannot be read.
pub fn stated_step(values: &Values, written: &str) -> Result<Option<f64>, BuildError> {
    let path = match in_data_folder(written) {
        Some(found) => found.path,
        None => Some(written.to_owned()),
    };
    let Some(path) = path.filter(|path| record::shipped(path).is_none()) else {
        return Ok(None);
    };
    let settings = RecordSettings::read(values)?;
    let without = ReadHint {
        dt: None,
        unit: settings.unit.stated(),
        channel: settings.channel.read()?,
    };
    match record::read(&bytes("record", &path)?, &file_name(&path), &without) {
        Ok(record) => Ok(Some(record.dt)),
        Err(RecordError::StepMissing { .. }) => Ok(None),
        Err(error) => Err(unreadable("record", &path, &error)),
    }
}

fn made(
    name: &str,
    dt: f64,
    samples: Result<Vec<f64>, tandem_signal::SignalError>,
) -> Result<Excitation, BuildError> {
    let refuse = |text: String| BuildError::new("", text, "change the values of this section");
    let samples = samples.map_err(|error| refuse(error.to_string()))?;
    let record = Record::new(name, dt, samples).map_err(|error| refuse(error.to_string()))?;
    Ok(Excitation {
        record,
        notes: Vec::new(),
    })
}

const NOISE: Entry<Build> = Entry {
    method: Method {
        name: "noise",
        summary: "band-limited white noise with a cosine taper",
        reference: "Tekeste, Correia and Costa 2025, section 3.2",
        parameters: NoiseSettings::PARAMETERS,
    },
    build: &|values, _| {
        let settings = NoiseSettings::read(values)?;
        let band = synthetic::Band {
            low: settings.low,
            high: settings.high,
            rms: settings.rms,
        };
        let points = settings.sampling.points()?;
        let samples = synthetic::band_limited_noise(&points, band, settings.taper, settings.seed);
        made("band-limited white noise", settings.sampling.dt, samples)
    },
};

settings! {
    struct NoiseSettings {
        sampling: Sampling,
        /// lower edge of the band
        low: f64 = number(Dimension::FREQUENCY).or("\"0 Hz\"").not_negative(),
        /// upper edge of the band
        high: f64 = number(Dimension::FREQUENCY).or("\"20 Hz\"").positive(),
        /// root mean square between the tapers
        rms: f64 = number(Dimension::ACCELERATION).positive(),
        /// length of the taper at both ends
        taper: f64 = number(Dimension::TIME).or("\"1 s\"").not_negative(),
        /// seed of the random numbers
        seed: u64 = integer().or("1").within(Range::between(0.0, 9e15)),
    }
}

const SWEEP: Entry<Build> = Entry {
    method: Method {
        name: "sweep",
        summary: "sine whose frequency grows, linearly or logarithmically",
        reference: "Silva et al. 2020 (chirp, 0.1 to 40 Hz in 90 s)",
        parameters: SweepSettings::PARAMETERS,
    },
    build: &|values, _| {
        let settings = SweepSettings::read(values)?;
        let points = settings.sampling.points()?;
        let sweep = settings.law.function();
        let samples = sweep(&points, settings.peak, settings.start, settings.end);
        made("sine sweep", settings.sampling.dt, Ok(samples))
    },
};

choice! {
    /// How the frequency of a sweep grows.
    pub(crate) enum SweepLaw {
        Linear = "linear",
        Logarithmic = "logarithmic",
    }
}

impl SweepLaw {
    /// The sweep of this law: points, amplitude, first and last frequency.
    pub(crate) fn function(self) -> fn(&synthetic::Sampling, f64, f64, f64) -> Vec<f64> {
        match self {
            Self::Linear => synthetic::linear_sweep,
            Self::Logarithmic => synthetic::logarithmic_sweep,
        }
    }
}

settings! {
    struct SweepSettings {
        sampling: Sampling,
        /// peak ground acceleration
        peak: f64 = number(Dimension::ACCELERATION).positive(),
        /// first frequency
        start: f64 = number(Dimension::FREQUENCY).or("\"0.1 Hz\"").positive(),
        /// last frequency
        end: f64 = number(Dimension::FREQUENCY).or("\"20 Hz\"").positive(),
        /// how the frequency grows
        law: SweepLaw = choice(SweepLaw::WORDS).or("\"linear\""),
    }
}

const SINE: Entry<Build> = Entry {
    method: Method {
        name: "sine",
        summary: "steady sine",
        reference: "definition",
        parameters: SineSettings::PARAMETERS,
    },
    build: &|values, _| {
        let settings = SineSettings::read(values)?;
        let points = settings.sampling.points()?;
        let samples = synthetic::sine(&points, settings.peak, settings.frequency, 0.0);
        made("sine", settings.sampling.dt, Ok(samples))
    },
};

settings! {
    struct SineSettings {
        sampling: Sampling,
        /// peak ground acceleration
        peak: f64 = number(Dimension::ACCELERATION).positive(),
        /// its frequency
        frequency: f64 = number(Dimension::FREQUENCY).positive(),
    }
}

const PULSE: Entry<Build> = Entry {
    method: Method {
        name: "pulse",
        summary: "single pulse: Ricker wavelet, half sine or step",
        reference: "Ricker 1953",
        parameters: PulseSettings::PARAMETERS,
    },
    build: &|values, _| {
        let settings = PulseSettings::read(values)?;
        let points = settings.sampling.points()?;
        let (peak, start, length) = (settings.peak, settings.start, settings.length);
        let samples = match settings.shape {
            Shape::Ricker => synthetic::ricker(&points, peak, 1.0 / length, start),
            Shape::HalfSine => synthetic::half_sine(&points, peak, start, length),
            Shape::Step => synthetic::step(&points, peak, start, length),
        };
        made("pulse", settings.sampling.dt, Ok(samples))
    },
};

choice! {
    /// The shape of a pulse.
    enum Shape {
        Ricker = "ricker",
        HalfSine = "half-sine",
        Step = "step",
    }
}

settings! {
    struct PulseSettings {
        sampling: Sampling,
        /// peak ground acceleration
        peak: f64 = number(Dimension::ACCELERATION).positive(),
        /// shape of the pulse
        shape: Shape = choice(Shape::WORDS).or("\"ricker\""),
        /// beginning; centre of a Ricker wavelet
        start: f64 = number(Dimension::TIME).or("\"1 s\"").not_negative(),
        /// length of a half sine, rise of a step, period of a Ricker wavelet
        length: f64 = number(Dimension::TIME).or("\"0.5 s\"").positive(),
    }
}

const KANAI_TAJIMI: Entry<Build> = Entry {
    method: Method {
        name: "kanai-tajimi",
        summary: "synthetic earthquake: noise filtered by the ground, with an envelope",
        reference: "Kanai 1957; Tajimi 1960; Clough and Penzien 1975; Jennings et al. 1968",
        parameters: KanaiTajimiSettings::PARAMETERS,
    },
    build: &|values, _| {
        let settings = KanaiTajimiSettings::read(values)?;
        let mut motion = synthetic::KanaiTajimi::firm_soil(settings.peak, settings.seed);
        motion.ground_frequency = settings.ground_frequency;
        motion.ground_damping = settings.ground_damping;
        motion.envelope = synthetic::Envelope::Jennings {
            rise: settings.rise,
            hold: settings.hold,
            decay: 0.25,
        };
        let record = motion
            .record(&settings.sampling.points()?)
            .map_err(|error| {
                BuildError::new("", error.to_string(), "change the values of this section")
            })?;
        Ok(Excitation {
            record,
            notes: Vec::new(),
        })
    },
};

settings! {
    struct KanaiTajimiSettings {
        sampling: Sampling,
        /// peak ground acceleration
        peak: f64 = number(Dimension::ACCELERATION).positive(),
        /// 2.5 Hz for firm soil
        ground_frequency: f64 = number(Dimension::FREQUENCY).or("\"2.5 Hz\"").positive(),
        /// 0.6 for firm soil
        ground_damping: f64 = number(Dimension::NONE).or("0.6").positive(),
        /// time to full strength
        rise: f64 = number(Dimension::TIME).or("\"3 s\"").positive(),
        /// time at full strength
        hold: f64 = number(Dimension::TIME).or("\"8 s\"").not_negative(),
        /// seed of the random numbers
        seed: u64 = integer().or("1").within(Range::between(0.0, 9e15)),
    }
}

/// Name of the kind that is no ground motion.
pub const NONE: &str = "none";

const FREE: Entry<Build> = Entry {
    method: Method {
        name: NONE,
        summary: "no ground motion: the structure stays at rest",
        reference: "definition",
        parameters: Sampling::PARAMETERS,
    },
    build: &|values, _| {
        let sampling = Sampling::read(values)?;
        let samples = sampling.points()?.map(|_| 0.0);
        made("no ground motion", sampling.dt, Ok(samples))
    },
};
