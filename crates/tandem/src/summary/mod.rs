//! What came of a run, typed: `summary.json` and `run --json`.
//!
//! A run returns a [`Summary`], writes it beside its record, and everybody who wants a figure of it
//! asks its fields: the command line, the page, comparisons and the operator's screen. The names of
//! the fields are the keys of the file. JSON has numbers that are finite only: what is none is
//! `null` there, and not a number when it is read again.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tandem_coordinator::realtime::{ClockReport, Clocks, Histogram};
use tandem_coordinator::recorder::nullable;

use crate::criteria::CriteriaValues;

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Version of this form of the file.
    pub format: Format,
    /// Name of the test.
    pub name: String,
    /// Version of the program that ran it.
    pub version: String,
    /// Seed of everything random.
    pub seed: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The limit, the monitor or the order that stopped it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<String>,
    /// Structural time at which it was stopped, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_at_s: Option<f64>,
    /// Actuators were characterised: there is no structure.
    #[serde(default, skip_serializing_if = "is_false")]
    pub characterises: bool,
    /// Completed integration steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Structural time of the record, s.
    pub simulated_s: f64,
    /// Wall time of the loop, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_s: Option<f64>,
    /// How many times faster than the test is meant to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub realtime_factor: Option<f64>,
    /// The driver's own time at its last step, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver_time_s: Option<f64>,
    /// What was measured and computed, by channel.
    pub response: BTreeMap<String, Response>,
    /// Measured against target, one value for each actuator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracking: Option<Tracking>,
    /// Against the undivided structure, one value for each interface degree of freedom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<AgainstReference>,
    /// Criteria of a benchmark problem with standard deviations, as its program computes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria: Option<CriteriaValues>,
    /// The same with root mean squares, as its paper prints them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria_rms: Option<CriteriaValues>,
    /// Of a co-simulation: how its parts are coupled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coupling: Option<Coupling>,
    /// What the monitors say.
    #[serde(default, skip_serializing_if = "Indicators::is_empty")]
    pub indicators: Indicators,
    /// What the monitors' figures mean at the end, by monitor.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub words: BTreeMap<String, String>,
    /// The clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
    /// An FMU as the rig, or in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rig: Option<SlowestStep>,
    /// An FMU as the structure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structure: Option<SlowestStep>,
    /// An FMU as the compensator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compensator: Option<SlowestStep>,
    /// What should not be overlooked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What is worth knowing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Folder of the run.
    #[serde(default)]
    pub folder: PathBuf,
    /// The run's files.
    #[serde(default)]
    pub files: Vec<String>,
}

/// What has stopped a run whose program ended before it.
pub(crate) const INTERRUPTED: &str = "interrupted";

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// All steps are done.
    Completed,
    /// Something ended it before.
    Stopped,
}

impl Outcome {
    /// As in the file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Stopped => "stopped",
        }
    }
}

/// Figures of one channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// The largest magnitude.
    #[serde(deserialize_with = "nullable")]
    #[schemars(with = "Option<f64>")]
    pub peak: f64,
    /// Root mean square.
    #[serde(deserialize_with = "nullable")]
    #[schemars(with = "Option<f64>")]
    pub rms: f64,
    /// The last value.
    #[serde(rename = "final", deserialize_with = "nullable")]
    #[schemars(with = "Option<f64>")]
    pub last: f64,
    /// Unit of all three.
    pub unit: String,
    /// Name of the degree of freedom, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dof: Option<String>,
}

/// Measured against target, one value for each actuator; none where nothing moved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tracking {
    /// Root mean square of the error over that of the target, %.
    pub nrmse_percent: Vec<Option<f64>>,
    /// The largest error over the largest target, %.
    pub peak_percent: Vec<Option<f64>>,
    /// How long the specimen lags, ms of wall time.
    pub delay_ms: Vec<Option<f64>>,
    /// Damping that the errors add to the first mode, %.
    pub equivalent_damping_percent: Vec<Option<f64>>,
    /// The same in words.
    pub words: Vec<String>,
}

/// Measured displacement against that of the undivided structure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgainstReference {
    /// Root mean square of the error over that of the reference, %.
    pub nrmse_percent: Vec<Option<f64>>,
    /// The largest error over the largest displacement of the reference, %.
    pub peak_percent: Vec<Option<f64>>,
    /// Of all degrees of freedom together, %.
    pub global_percent: Option<f64>,
}

/// How the parts of a co-simulation are coupled, and how far they are apart at their interface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Coupling {
    /// The order of stepping.
    pub method: String,
    /// The form of the hybrid-testing coupling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Largest gap of the velocities, m/s: the constraint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity_gap: Option<f64>,
    /// What counts as round-off there, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity_tolerance: Option<f64>,
    /// Largest gap of the displacements, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub displacement_gap: Option<f64>,
    /// Largest distance from the undivided structure over its peak, %, where both parts come from
    /// one plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_undivided_percent: Option<f64>,
}

impl Coupling {
    /// Whether the constraint was kept to round-off.
    #[must_use]
    pub fn is_tied(&self) -> bool {
        self.velocity_gap <= self.velocity_tolerance
    }
}

/// What the monitors say, and what is told of energies and forces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Indicators {
    /// The stability warning.
    #[serde(rename = "SW", default, skip_serializing_if = "Option::is_none")]
    pub stability_warning: Option<StabilityWarning>,
    /// The energy error of the balance.
    #[serde(rename = "EEI", default, skip_serializing_if = "Option::is_none")]
    pub energy_error: Option<EnergyError>,
    /// Energy that control errors have brought in.
    #[serde(rename = "Ec", default, skip_serializing_if = "Option::is_none")]
    pub control_energy: Option<ControlEnergy>,
    /// Forces out of balance at the interface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unbalanced_force: Option<UnbalancedForce>,
    /// All others, by channel.
    #[serde(flatten)]
    pub others: BTreeMap<String, Extremes>,
}

impl Indicators {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The stability warning SW: feedback work over dissipated energy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StabilityWarning {
    /// The largest, %.
    #[serde(with = "or_infinite")]
    #[schemars(schema_with = "or_infinite::schema")]
    pub max_percent: f64,
    /// The last, %.
    #[serde(with = "or_infinite")]
    #[schemars(schema_with = "or_infinite::schema")]
    pub final_percent: f64,
    /// When it first exceeded 100 %, s.
    pub first_over_100_s: Option<f64>,
    /// When it last did, s.
    pub last_over_100_s: Option<f64>,
}

/// The energy error EEI: what the balance lacks, over the input work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EnergyError {
    /// The largest magnitude, %.
    #[serde(deserialize_with = "nullable")]
    #[schemars(with = "Option<f64>")]
    pub max_abs_percent: f64,
    /// The last, %.
    #[serde(deserialize_with = "nullable")]
    #[schemars(with = "Option<f64>")]
    pub final_percent: f64,
    /// When it first exceeded 100 %, s.
    pub first_over_100_s: Option<f64>,
}

/// The energy error E_c of control errors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ControlEnergy {
    /// At the end.
    #[serde(rename = "final", deserialize_with = "nullable")]
    #[schemars(with = "Option<f64>")]
    pub last: f64,
    /// Its unit.
    pub unit: String,
    /// The degree of freedom that it was computed at.
    pub at: String,
}

/// Forces out of balance over the largest measured force, for each interface degree of freedom.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnbalancedForce {
    /// What the method assumed beyond what it asked: mean over the steps.
    pub mean_of_peak: Vec<Option<f64>>,
    /// The largest.
    pub max_of_peak: Vec<Option<f64>>,
    /// What is out of balance at the ends of the steps, where a model can be followed.
    #[serde(flatten)]
    pub followed: Option<FollowedForce>,
}

/// Forces out of balance along the models of both substructures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FollowedForce {
    /// What is out of balance at the ends of the steps: mean.
    pub remaining_mean_of_peak: Vec<Option<f64>>,
    /// The largest.
    pub remaining_max_of_peak: Vec<Option<f64>>,
    /// Forces of both substructures together: mean; none where the ground motion loads there.
    pub sum_mean_of_peak: Vec<Option<f64>>,
    /// The largest.
    pub sum_max_of_peak: Vec<Option<f64>>,
}

/// Any other figure of a monitor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Extremes {
    /// The largest.
    #[serde(deserialize_with = "nullable")]
    #[schemars(with = "Option<f64>")]
    pub max: f64,
    /// The last.
    #[serde(rename = "final", deserialize_with = "nullable")]
    #[schemars(with = "Option<f64>")]
    pub last: f64,
}

/// The longest step of an FMU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlowestStep {
    /// Wall time, s.
    pub slowest_step_s: f64,
}

/// How the loop kept its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// Period of the coordinator, µs of wall time.
    pub period_us: f64,
    /// Ticks of the loop.
    pub ticks: u64,
    /// Mean time of a tick in stepped time, recording included, µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_tick_us: Option<f64>,
    /// What the executor of the wall clock tells.
    #[serde(flatten)]
    pub deadlines: Option<Deadlines>,
}

/// How deadlines were kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Deadlines {
    /// From being awake to the end of the tick.
    pub compute_us: Percentiles,
    /// From the deadline to being awake.
    pub latency_us: Percentiles,
    /// Deadlines that were missed.
    pub missed: u64,
    /// The system granted all that a real-time thread needs.
    pub real_time: bool,
    /// What it did not grant.
    pub refused: Vec<String>,
    /// Why cores may have fallen asleep between two ticks.
    pub cores_sleep: Option<String>,
    /// The integration, where it has a thread of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integration: Option<IntegrationThread>,
    /// The rig, where it has a thread of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rig: Option<RigThread>,
}

/// The thread of the integration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntegrationThread {
    /// How often it was asked.
    pub questions: u64,
    /// Time to compute an answer.
    pub compute_us: Percentiles,
    /// Time until the coordinator had it.
    pub answer_us: Percentiles,
    /// Deadlines that were missed.
    pub missed: u64,
    /// What the system did not grant.
    pub refused: Vec<String>,
}

/// The thread of the rig.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RigThread {
    /// Its period, µs of wall time.
    pub period_us: f64,
    /// Its ticks.
    pub ticks: u64,
    /// From being awake to the end of the tick.
    pub compute_us: Percentiles,
    /// From the deadline to being awake.
    pub latency_us: Percentiles,
    /// Deadlines that were missed.
    pub missed: u64,
    /// What the system did not grant.
    pub refused: Vec<String>,
}

/// Percentiles of a time, µs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Percentiles {
    /// Half of all are shorter.
    pub p50: f64,
    /// 99 % are shorter.
    pub p99: f64,
    /// 99.99 % are shorter.
    pub p9999: f64,
    /// The longest.
    pub max: f64,
}

impl From<&Histogram> for Percentiles {
    fn from(histogram: &Histogram) -> Self {
        let round = |x: f64| (x * 100.0).round() / 100.0;
        Self {
            p50: round(histogram.percentile(0.50)),
            p99: round(histogram.percentile(0.99)),
            p9999: round(histogram.percentile(0.9999)),
            max: round(histogram.max_us()),
        }
    }
}

impl Timing {
    /// Of a test by the wall clock, with the threads beside the coordinator's.
    #[must_use]
    pub fn of_threads(report: &ClockReport, clocks: &Clocks) -> Self {
        let integration = clocks.integration.as_ref().map(|clock| IntegrationThread {
            questions: clock.compute.count(),
            compute_us: (&clock.compute).into(),
            answer_us: (&clock.answer).into(),
            missed: clock.missed,
            refused: clock.refused.clone(),
        });
        let rig = clocks.rig.as_ref().map(|clock| RigThread {
            period_us: clock.period * 1e6,
            ticks: clock.compute.count(),
            compute_us: (&clock.compute).into(),
            latency_us: (&clock.latency).into(),
            missed: clock.missed,
            refused: clock.refused.clone(),
        });
        Self {
            period_us: report.period * 1e6,
            ticks: report.compute.count(),
            mean_tick_us: None,
            deadlines: Some(Deadlines {
                compute_us: (&report.compute).into(),
                latency_us: (&report.latency).into(),
                missed: report.missed,
                real_time: report.refused.is_empty(),
                refused: report.refused.clone(),
                cores_sleep: report.cores_sleep.clone(),
                integration,
                rig,
            }),
        }
    }
}

/// Why a summary cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SummaryError {
    /// The file.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is not what a run writes.
    #[error("{}: {source}", path.display())]
    Content {
        /// Which.
        path: PathBuf,
        /// What is wrong with it, and where.
        source: serde_json::Error,
    },
}

impl Summary {
    /// Of a test that is completed, with nothing in it yet.
    #[must_use]
    pub fn of(name: String, seed: u64) -> Self {
        Self {
            format: Format,
            name,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seed,
            outcome: Outcome::Completed,
            reason: None,
            stopped_by: None,
            stopped_at_s: None,
            characterises: false,
            steps: None,
            simulated_s: 0.0,
            wall_s: None,
            realtime_factor: None,
            driver_time_s: None,
            response: BTreeMap::new(),
            tracking: None,
            reference: None,
            criteria: None,
            criteria_rms: None,
            coupling: None,
            indicators: Indicators::default(),
            words: BTreeMap::new(),
            timing: None,
            rig: None,
            structure: None,
            compensator: None,
            warnings: Vec::new(),
            notes: Vec::new(),
            folder: PathBuf::new(),
            files: Vec::new(),
        }
    }

    /// Reads the file that a run has written.
    ///
    /// # Errors
    /// [`SummaryError`]: it is not there, of another format, or damaged.
    pub fn read(path: &Path) -> Result<Self, SummaryError> {
        let text = std::fs::read_to_string(path).map_err(|source| SummaryError::File {
            path: path.into(),
            source,
        })?;
        serde_json::from_str(&text).map_err(|source| SummaryError::Content {
            path: path.into(),
            source,
        })
    }

    /// As one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What an editor or another program checks a summary against.
    #[must_use]
    pub fn schema() -> String {
        let schema = schemars::schema_for!(Self);
        serde_json::to_string_pretty(&schema).unwrap_or_default()
    }

    /// Whether the program ended before the test.
    #[must_use]
    pub fn was_interrupted(&self) -> bool {
        self.stopped_by.as_deref() == Some(INTERRUPTED)
    }

    /// The largest SW, %; infinite where nothing was dissipated.
    #[must_use]
    pub fn stability_warning(&self) -> Option<f64> {
        let warning = self.indicators.stability_warning.as_ref();
        warning
            .map(|warning| warning.max_percent)
            .filter(|sw| !sw.is_nan())
    }

    /// The worst tracking error of all actuators, % RMS.
    #[must_use]
    pub fn worst_tracking(&self) -> Option<f64> {
        Self::worst(&self.tracking.as_ref()?.nrmse_percent)
    }

    /// The worst error against the reference, % RMS.
    #[must_use]
    pub fn worst_against_reference(&self) -> Option<f64> {
        Self::worst(&self.reference.as_ref()?.nrmse_percent)
    }

    /// The worst of all actuators or degrees of freedom.
    #[must_use]
    pub fn worst(list: &[Option<f64>]) -> Option<f64> {
        let known = list.iter().flatten().copied().filter(|x| x.is_finite());
        known.max_by(|a, b| a.abs().total_cmp(&b.abs()))
    }
}

/// Version of the form of `summary.json`; a file of another one is refused by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Format;

impl Format {
    /// The one that this program writes and reads.
    pub const VERSION: u32 = 1;
}

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(Self::VERSION)
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            Self::VERSION => Ok(Self),
            other => Err(serde::de::Error::custom(format!(
                "the summary has format {other}, this version of Tandem reads format {} \
                 (`tandem report` with the version that made it, or run the plan again)",
                Self::VERSION
            ))),
        }
    }
}

impl JsonSchema for Format {
    fn schema_name() -> Cow<'static, str> {
        "Format".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "const": Self::VERSION })
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde asks
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A share that may be infinite: a word then.
mod or_infinite {
    use super::{Deserialize, Deserializer, Schema, SchemaGenerator, Serializer, json_schema};

    const WORD: &str = "infinite";

    #[allow(clippy::trivially_copy_pass_by_ref)] // as serde asks
    pub fn serialize<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if *x == f64::INFINITY {
            serializer.serialize_str(WORD)
        } else {
            serializer.serialize_f64(*x)
        }
    }

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(Option<f64>),
        Word(String),
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::Number(x) => Ok(x.unwrap_or(f64::NAN)),
            Written::Word(word) if word == WORD => Ok(f64::INFINITY),
            Written::Word(word) => Err(serde::de::Error::custom(format!(
                "expected a number or \"{WORD}\", not \"{word}\""
            ))),
        }
    }

    pub fn schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": ["number", "null"] }, { "const": WORD }] })
    }
}

#[cfg(test)]
mod tests;
