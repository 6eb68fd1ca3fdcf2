//! What a check found, typed: `check --json`.

use std::collections::BTreeMap;

use serde::Serialize;
use tandem_coordinator::Limit;
use tandem_structure::Structure as _;

use super::{ActuatorDemand, Check, CriticalDelay, Lag};
use tandem_model::reduction::ReductionSummary;

/// What a check found.
#[derive(Clone, Debug, Serialize)]
pub struct CheckSummary<'a> {
    /// Name of the test.
    pub name: &'a str,
    /// Number of degrees of freedom.
    pub dof: usize,
    /// What the structure is.
    pub structure: &'a str,
    /// Natural frequencies.
    pub frequencies_hz: &'a [f64],
    /// Damping ratios of the modes.
    pub damping_ratios: &'a [f64],
    /// The time-stepping method.
    pub method: &'a str,
    /// Its step, s.
    pub dt_s: f64,
    /// Number of steps.
    pub steps: u64,
    /// The longest stable step, s; none for a method that bears any.
    pub critical_dt_s: Option<f64>,
    /// The delay that makes the loop unstable, s.
    pub critical_delay_s: Option<f64>,
    /// Whether there is one.
    pub critical_delay_status: &'static str,
    /// Why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critical_delay_reason: Option<&'a str>,
    /// The same to first order, s.
    pub critical_delay_first_order_s: Option<f64>,
    /// Whether there is one.
    pub critical_delay_first_order_status: &'static str,
    /// Why it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critical_delay_first_order_reason: Option<&'a str>,
    /// What the partition says mode by mode.
    #[serde(flatten)]
    pub divided: Option<PartitionSummary>,
    /// The lag that the plan's own transfer system leaves, s.
    pub remaining_delay_s: Option<f64>,
    /// Whether the compensator holds its rig.
    pub compensator_settles: Option<bool>,
    /// Work that the ground is expected to put in, J.
    pub expected_input_work_j: f64,
    /// Interface degrees of freedom, from one.
    pub interface: Vec<usize>,
    /// What is asked of each actuator, or of each interface degree of freedom.
    pub demands: Vec<DemandSummary<'a>>,
    /// Actuators are characterised: there is no structure.
    pub characterises: bool,
    /// The ground motion.
    pub record: RecordSummary<'a>,
    /// How a linear structure was reduced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduction: Option<ReductionSummary>,
    /// What should not be overlooked.
    pub warnings: &'a [String],
    /// What to do about it.
    pub advice: &'a [String],
    /// Detectors that the plan gives no bound.
    pub detectors_without_bound: Vec<DetectorWithoutBound>,
}

/// A detector that the plan gives no bound.
#[derive(Clone, Debug, Serialize)]
pub struct DetectorWithoutBound {
    /// Its name.
    pub detector: &'static str,
    /// The key that would give it one.
    pub key: String,
}

impl DetectorWithoutBound {
    /// Of limits and their keys.
    #[must_use]
    pub fn all(list: &[(Limit, &'static str)]) -> Vec<Self> {
        let one = |(limit, key): &(Limit, &str)| Self {
            detector: limit.name(),
            key: format!("limits.{key}"),
        };
        list.iter().map(one).collect()
    }
}

/// What the partition says mode by mode.
#[derive(Clone, Debug, Serialize)]
pub struct PartitionSummary {
    /// The critical delay of each mode, s.
    pub critical_delay_per_mode_s: Vec<Option<f64>>,
    /// Whether there is one.
    pub critical_delay_per_mode_status: Vec<&'static str>,
    /// The indicator; one that is not finite is null, and the status says which it is.
    pub predictive_stability_indicator: f64,
    /// What the specimen has of the interface.
    pub partition: PartitionShares,
}

/// The specimen's share of the interface.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PartitionShares {
    /// Of the stiffness.
    pub stiffness_share: f64,
    /// Of the mass.
    pub mass_share: f64,
}

/// What is asked of an actuator.
#[derive(Clone, Debug, Serialize)]
pub struct DemandSummary<'a> {
    /// The degree of freedom, where it has a name.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub dof: &'a str,
    /// Figures with the unit in their name.
    #[serde(flatten)]
    pub figures: BTreeMap<&'static str, f64>,
}

/// The ground motion.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RecordSummary<'a> {
    /// Its name.
    pub name: &'a str,
    /// Largest acceleration, m/s².
    pub peak_m_s2: f64,
    /// Its duration, s.
    pub duration_s: f64,
}

impl Check {
    /// What was found, for programs.
    #[must_use]
    pub fn summary(&self) -> CheckSummary<'_> {
        let test = &self.test;
        let stability = &self.stability;
        let divided = stability.divided.as_ref().map(|divided| PartitionSummary {
            critical_delay_per_mode_s: stability.per_mode.iter().map(|d| d.seconds()).collect(),
            critical_delay_per_mode_status: stability.per_mode.iter().map(|d| d.status()).collect(),
            predictive_stability_indicator: divided.indicator,
            partition: PartitionShares {
                stiffness_share: divided.shares.stiffness,
                mass_share: divided.shares.mass,
            },
        });
        CheckSummary {
            name: &test.name,
            dof: test.outline.whole.properties().dof(),
            structure: test.outline.whole.properties().kind,
            frequencies_hz: &self.modes.frequencies_hz,
            damping_ratios: &self.damping_ratios,
            method: &test.outline.method,
            dt_s: test.outline.dt,
            steps: test.outline.timing.steps,
            critical_dt_s: test.critical_dt,
            critical_delay_s: stability.exact.seconds(),
            critical_delay_status: stability.exact.status(),
            critical_delay_reason: why_unknown(&stability.exact),
            critical_delay_first_order_s: stability.first_order.seconds(),
            critical_delay_first_order_status: stability.first_order.status(),
            critical_delay_first_order_reason: why_unknown(&stability.first_order),
            divided,
            remaining_delay_s: self.lag.as_ref().map(Lag::most),
            compensator_settles: self.compensator_settles,
            expected_input_work_j: self.input_work,
            interface: test.outline.interface.iter().map(|dof| dof + 1).collect(),
            demands: self.demands.iter().map(demand).collect(),
            characterises: test.characterises(),
            record: RecordSummary {
                name: &test.outline.record.name,
                peak_m_s2: test.outline.record.peak(),
                duration_s: test.outline.record.duration(),
            },
            reduction: test
                .reduction()
                .as_ref()
                .map(|reduction| reduction.summary()),
            warnings: &self.warnings,
            advice: &self.advice,
            detectors_without_bound: DetectorWithoutBound::all(&self.without_bound),
        }
    }
}

fn why_unknown(delay: &CriticalDelay) -> Option<&str> {
    match delay {
        CriticalDelay::Unknown(why) => Some(why),
        _ => None,
    }
}

fn demand(demand: &ActuatorDemand) -> DemandSummary<'_> {
    let figures = demand.figures();
    DemandSummary {
        dof: &demand.label,
        figures: figures
            .into_iter()
            .map(|figure| (figure.key, figure.value))
            .collect(),
    }
}
