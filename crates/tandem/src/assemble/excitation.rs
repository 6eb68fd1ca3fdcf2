//! The section `[excitation]`: a record from the shelf or a file, a made motion, or signals for the actuators themselves.

use super::characterise;
use crate::data_folder::{InDataFolder, VARIABLE, in_data_folder};
use crate::guest;
use std::path::Path;
use tandem_quantity::{BuildError, Dimension, Entry, Kind, Method, Parameter, Range, Slot, Values};
use tandem_signal::record::{self, AccelerationUnit, ReadHint, Record};
use tandem_signal::synthetic;

/// A ground motion, scaled, with what is worth telling about it.
pub struct Excitation {
    /// The motion as it acts.
    pub record: Record,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// How an excitation is made from its table.
pub type Build = fn(&Values) -> Result<Excitation, BuildError>;

/// All kinds of excitation. A new one is one entry here.
static METHODS: &[Entry<Build>] = &[
    RECORD,
    NOISE,
    SWEEP,
    SINE,
    PULSE,
    KANAI_TAJIMI,
    FREE,
    guest::excitation::ENTRY,
    characterise::ENTRY,
];

/// The slot in the plan.
pub static SLOT: Slot = Slot {
    selector: "kind",
    default: Some("record"),
    methods: || METHODS.iter().map(|entry| &entry.method).collect(),
};

/// Builds the excitation and scales it.
pub fn build(values: &Values) -> Result<Excitation, BuildError> {
    let entry = Entry::find(METHODS, values.text("kind")?)
        .ok_or_else(|| BuildError::new("kind", "unknown excitation", "see `tandem methods`"))?;
    (entry.build)(values)
}

const RECORD: Entry<Build> = Entry {
    method: Method {
        name: "record",
        summary: "a recorded ground motion: shipped, or a file (AT2, V1, V2, COSMOS, K-NET, columns, CSV, …)",
        reference: "formats: see the documentation of `record`",
        parameters: &[
            Parameter::of(
                "record",
                Kind::Path,
                "name of a shipped record, or a file; $TANDEM_DATA/ may stand in front",
            ),
            Parameter::of(
                "otherwise",
                Kind::Path,
                "record to take when TANDEM_DATA is not set",
            )
            .optional(),
            Parameter::number("scale", Dimension::NONE, "factor on the acceleration").or("1.0"),
            Parameter::number(
                "peak",
                Dimension::ACCELERATION,
                "scale to this peak instead",
            )
            .optional()
            .positive(),
            Parameter::number(
                "dt",
                Dimension::TIME,
                "time step, for files that do not state it",
            )
            .optional()
            .positive(),
            UNIT,
            Parameter::integer("channel", "channel of a file with several, counted from 1")
                .optional()
                .within(Range::between(1.0, 1000.0)),
            Parameter::number("before", Dimension::TIME, "quiet time put in front")
                .or("\"0 s\"")
                .not_negative(),
            Parameter::number("after", Dimension::TIME, "quiet time put behind")
                .or("\"0 s\"")
                .not_negative(),
        ],
    },
    build: build_record,
};

fn build_record(values: &Values) -> Result<Excitation, BuildError> {
    // These stand in where nothing else states it; which of them does may change with the machine.
    let otherwise = values.optional_text("otherwise");
    let (dt, unit) = (values.optional_number("dt"), stated_unit(values));
    let mut notes = Vec::new();
    let mut key = "record";
    let mut written = values.text(key)?.to_owned();
    if let Some(InDataFolder { rest, path }) = in_data_folder(&written) {
        match path {
            Some(path) => written = path,
            None => {
                key = "otherwise";
                let other = otherwise.ok_or_else(|| {
                    BuildError::new(
                        "record",
                        format!("{VARIABLE} is not set, so `{rest}` cannot be found"),
                        format!("set {VARIABLE} to the folder with the benchmark data, or give `otherwise`"),
                    )
                })?;
                notes.push(format!(
                    "{VARIABLE} is not set: `{other}` takes the place of `{rest}`."
                ));
                written = other.to_owned();
            }
        }
    }
    let record = match record::shipped(&written) {
        Some(record) => record,
        None => {
            let hint = ReadHint {
                dt,
                unit,
                channel: channel(values)?,
            };
            read_file(&hint, key, &written)?
        }
    };
    notes.extend(record.notes.iter().cloned());
    let scaled = match values.optional_number("peak") {
        Some(peak) => record.scaled_to_peak(peak).map_err(|error| {
            BuildError::new("peak", error.to_string(), "give a record that is not zero")
        })?,
        None => record.scaled(values.number("scale")?),
    };
    let padded = scaled
        .padded(values.number("before")?, values.number("after")?)
        .map_err(|error| {
            BuildError::new("before", error.to_string(), "give shorter quiet times")
        })?;
    Ok(Excitation {
        record: padded,
        notes,
    })
}

fn read_file(hint: &ReadHint, key: &str, written: &str) -> Result<Record, BuildError> {
    let shelf = record::SHIPPED.join("`, `");
    let bytes = std::fs::read(written).map_err(|error| {
        BuildError::new(
            key,
            format!("`{written}` cannot be read: {error}"),
            format!("give the path of a record file relative to the plan, or one of the shipped records: `{shelf}`"),
        )
    })?;
    record::read(&bytes, &file_name(written), hint).map_err(|error| {
        BuildError::new(
            key,
            format!("`{written}`: {error}"),
            "mend the file, or give dt and unit beside it",
        )
    })
}

fn stated_unit(values: &Values) -> Option<AccelerationUnit> {
    let text = values.optional_text("unit")?;
    AccelerationUnit::parse(text)
}

fn channel(values: &Values) -> Result<Option<usize>, BuildError> {
    let written = values.has("channel");
    written.then(|| values.count("channel")).transpose()
}

fn file_name(written: &str) -> std::borrow::Cow<'_, str> {
    Path::new(written)
        .file_name()
        .map_or(written.into(), |n| n.to_string_lossy())
}

/// The time step that a file states itself, s; none where it states none or is no file. `values` is the section of the plan.
#[must_use]
pub fn stated_step(values: &Values, written: &str) -> Option<f64> {
    let path = match in_data_folder(written) {
        Some(found) => found.path?,
        None => written.to_owned(),
    };
    let without = ReadHint {
        dt: None,
        unit: stated_unit(values),
        channel: channel(values).ok()?,
    };
    let bytes = std::fs::read(&path).ok()?;
    let found = record::read(&bytes, &file_name(&path), &without);
    found.ok().map(|record| record.dt)
}

/// Unit of an acceleration.
pub const UNIT: Parameter = Parameter::of(
    "unit",
    Kind::Choice(&[
        "g", "m/s^2", "m/s2", "cm/s^2", "cm/s2", "gal", "mm/s^2", "mm/s2", "in/s^2", "in/s2",
        "ft/s^2", "ft/s2",
    ]),
    "unit, where nothing states it",
)
.optional();
/// Length.
pub const DURATION: Parameter =
    Parameter::number("duration", Dimension::TIME, "length of the motion").positive();
/// Spacing of the points.
pub const DT: Parameter = Parameter::number("dt", Dimension::TIME, "spacing of its points")
    .or("\"1 ms\"")
    .positive();
const PEAK: Parameter =
    Parameter::number("peak", Dimension::ACCELERATION, "peak ground acceleration").positive();
pub(super) const SEED: Parameter = Parameter::integer("seed", "seed of the random numbers")
    .or("1")
    .within(Range::between(0.0, 9e15));

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

fn sampling(values: &Values) -> Result<synthetic::Sampling, BuildError> {
    synthetic::Sampling::new(values.number("dt")?, values.number("duration")?).map_err(|error| {
        BuildError::new(
            "duration",
            error.to_string(),
            "choose duration and dt to fit",
        )
    })
}

const NOISE: Entry<Build> = Entry {
    method: Method {
        name: "noise",
        summary: "band-limited white noise with a cosine taper",
        reference: "Tekeste, Correia and Costa 2025, section 3.2",
        parameters: &[
            DURATION,
            DT,
            Parameter::number("low", Dimension::FREQUENCY, "lower edge of the band")
                .or("\"0 Hz\"")
                .not_negative(),
            Parameter::number("high", Dimension::FREQUENCY, "upper edge of the band")
                .or("\"20 Hz\"")
                .positive(),
            Parameter::number(
                "rms",
                Dimension::ACCELERATION,
                "root mean square between the tapers",
            )
            .positive(),
            Parameter::number("taper", Dimension::TIME, "length of the taper at both ends")
                .or("\"1 s\"")
                .not_negative(),
            SEED,
        ],
    },
    build: |values| {
        let band = synthetic::Band {
            low: values.number("low")?,
            high: values.number("high")?,
            rms: values.number("rms")?,
        };
        let seed = values.count("seed")? as u64;
        let samples =
            synthetic::band_limited_noise(&sampling(values)?, band, values.number("taper")?, seed);
        made("band-limited white noise", values.number("dt")?, samples)
    },
};

const SWEEP: Entry<Build> = Entry {
    method: Method {
        name: "sweep",
        summary: "sine whose frequency grows, linearly or logarithmically",
        reference: "Silva et al. 2020 (chirp, 0.1 to 40 Hz in 90 s)",
        parameters: &[
            DURATION,
            DT,
            PEAK,
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
        ],
    },
    build: |values| {
        let (peak, start, end) = (
            values.number("peak")?,
            values.number("start")?,
            values.number("end")?,
        );
        let sweep = match values.text("law")? {
            "linear" => synthetic::linear_sweep,
            _ => synthetic::logarithmic_sweep,
        };
        made(
            "sine sweep",
            values.number("dt")?,
            Ok(sweep(&sampling(values)?, peak, start, end)),
        )
    },
};

const SINE: Entry<Build> = Entry {
    method: Method {
        name: "sine",
        summary: "steady sine",
        reference: "definition",
        parameters: &[
            DURATION,
            DT,
            PEAK,
            Parameter::number("frequency", Dimension::FREQUENCY, "its frequency").positive(),
        ],
    },
    build: |values| {
        let samples = synthetic::sine(
            &sampling(values)?,
            values.number("peak")?,
            values.number("frequency")?,
            0.0,
        );
        made("sine", values.number("dt")?, Ok(samples))
    },
};

const PULSE: Entry<Build> = Entry {
    method: Method {
        name: "pulse",
        summary: "single pulse: Ricker wavelet, half sine or step",
        reference: "Ricker 1953",
        parameters: &[
            DURATION,
            DT,
            PEAK,
            Parameter::of(
                "shape",
                Kind::Choice(&["ricker", "half-sine", "step"]),
                "shape of the pulse",
            )
            .or("\"ricker\""),
            Parameter::number(
                "start",
                Dimension::TIME,
                "beginning; centre of a Ricker wavelet",
            )
            .or("\"1 s\"")
            .not_negative(),
            Parameter::number(
                "length",
                Dimension::TIME,
                "length of a half sine, rise of a step, period of a Ricker wavelet",
            )
            .or("\"0.5 s\"")
            .positive(),
        ],
    },
    build: |values| {
        let sampling = sampling(values)?;
        let (peak, start, length) = (
            values.number("peak")?,
            values.number("start")?,
            values.number("length")?,
        );
        let samples = match values.text("shape")? {
            "ricker" => synthetic::ricker(&sampling, peak, 1.0 / length, start),
            "half-sine" => synthetic::half_sine(&sampling, peak, start, length),
            _ => synthetic::step(&sampling, peak, start, length),
        };
        made("pulse", values.number("dt")?, Ok(samples))
    },
};

const KANAI_TAJIMI: Entry<Build> = Entry {
    method: Method {
        name: "kanai-tajimi",
        summary: "synthetic earthquake: noise filtered by the ground, with an envelope",
        reference: "Kanai 1957; Tajimi 1960; Clough and Penzien 1975; Jennings et al. 1968",
        parameters: &[
            DURATION,
            DT,
            PEAK,
            Parameter::number(
                "ground_frequency",
                Dimension::FREQUENCY,
                "2.5 Hz for firm soil",
            )
            .or("\"2.5 Hz\"")
            .positive(),
            Parameter::number("ground_damping", Dimension::NONE, "0.6 for firm soil")
                .or("0.6")
                .positive(),
            Parameter::number("rise", Dimension::TIME, "time to full strength")
                .or("\"3 s\"")
                .positive(),
            Parameter::number("hold", Dimension::TIME, "time at full strength")
                .or("\"8 s\"")
                .not_negative(),
            SEED,
        ],
    },
    build: |values| {
        let mut motion =
            synthetic::KanaiTajimi::firm_soil(values.number("peak")?, values.count("seed")? as u64);
        motion.ground_frequency = values.number("ground_frequency")?;
        motion.ground_damping = values.number("ground_damping")?;
        motion.envelope = synthetic::Envelope::Jennings {
            rise: values.number("rise")?,
            hold: values.number("hold")?,
            decay: 0.25,
        };
        let record = motion.record(&sampling(values)?).map_err(|error| {
            BuildError::new("", error.to_string(), "change the values of this section")
        })?;
        Ok(Excitation {
            record,
            notes: Vec::new(),
        })
    },
};

/// Name of the kind that is no ground motion.
pub const NONE: &str = "none";

const FREE: Entry<Build> = Entry {
    method: Method {
        name: NONE,
        summary: "no ground motion: the structure stays at rest",
        reference: "definition",
        parameters: &[DURATION, DT],
    },
    build: |values| {
        made(
            "no ground motion",
            values.number("dt")?,
            Ok(sampling(values)?.map(|_| 0.0)),
        )
    },
};
