//! The published benchmark problems: `tandem bench`.
//!
//! `single_actuator` is a plan of this program, run by its ordinary loop; `multi_axial` has forces
//! at degrees of freedom that no actuator moves and is a loop of its own, around the same
//! compensators and plants.

pub mod goals;
pub mod multi_axial;
mod newmark;
pub mod page;
pub mod single_actuator;
pub mod specimen;
pub mod statistics;

use serde::Serialize;

use tandem::criteria::CriteriaValues;
use tandem::run::ActuatorDemand;

/// What came of one run: the criteria in four forms and what was asked of the actuators.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// With standard deviations, of the measured displacement, as the distributed programs compute
    /// them.
    pub criteria: CriteriaValues,
    /// With RMS, as the papers print the formulas.
    pub criteria_rms: CriteriaValues,
    /// As `criteria`, of the controller's own estimate of the displacement.
    pub criteria_estimated: CriteriaValues,
    /// As `criteria`, of the true displacement.
    pub criteria_noise_free: CriteriaValues,
    /// Whose estimate it is.
    pub estimate: Estimate,
    /// Of each actuator.
    #[serde(serialize_with = "by_figure")]
    pub demand: Vec<ActuatorDemand>,
}

/// Whose estimate of the displacement there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Estimate {
    /// The controller's own.
    Controller,
    /// It has none: the measurement stands for it.
    Measurement,
}

/// Force of the actuator of the single-actuator problem, N. The problem does not saturate there: a
/// run beyond it is counted, not stopped.
pub const ACTUATOR_FORCE: f64 = 8900.0;

/// The names of the four forms, in the order of [`Outcome::forms`].
pub const FORMS: [&str; 4] = ["criteria", "criteria_rms", "criteria_estimated", NOISE_FREE];

/// The form that shows what the controller does.
pub const NOISE_FREE: &str = "criteria_noise_free";

/// The criteria of one output with standard deviations and with RMS; none where they cannot be
/// told.
type Judged = Option<[CriteriaValues; 2]>;

impl Outcome {
    /// From the criteria of the measured, the estimated and the true displacement.
    fn of(
        [measured, estimated, truth]: [Judged; 3],
        own_estimate: bool,
        demand: Vec<ActuatorDemand>,
    ) -> Option<Self> {
        let [criteria, criteria_rms] = measured?;
        let [criteria_estimated, _] = estimated?;
        let [criteria_noise_free, _] = truth?;
        Some(Self {
            criteria,
            criteria_rms,
            criteria_estimated,
            criteria_noise_free,
            estimate: if own_estimate {
                Estimate::Controller
            } else {
                Estimate::Measurement
            },
            demand,
        })
    }

    /// The four forms.
    #[must_use]
    pub fn forms(&self) -> [&CriteriaValues; 4] {
        [
            &self.criteria,
            &self.criteria_rms,
            &self.criteria_estimated,
            &self.criteria_noise_free,
        ]
    }
}

/// Runs that ask an actuator for more force than it has.
#[must_use]
pub fn beyond_force(done: &[&Outcome]) -> usize {
    let over = |outcome: &&&Outcome| outcome.demand.iter().any(|d| d.force > ACTUATOR_FORCE);
    done.iter().filter(over).count()
}

/// The largest of each figure over the runs, for each actuator.
#[must_use]
pub fn worst_demand(done: &[&Outcome]) -> Vec<ActuatorDemand> {
    let count = done.first().map_or(0, |run| run.demand.len());
    let largest = |i: usize, part: fn(&ActuatorDemand) -> f64| {
        let values = done.iter().map(|run| part(&run.demand[i]));
        values.fold(0.0, f64::max)
    };
    (0..count)
        .map(|i| ActuatorDemand {
            command: largest(i, |d| d.command),
            velocity: largest(i, |d| d.velocity),
            force: largest(i, |d| d.force),
        })
        .collect()
}

/// What is asked of the actuators in three lists, as files have it.
pub fn by_figure<S: serde::Serializer>(
    demand: &[ActuatorDemand],
    to: S,
) -> Result<S::Ok, S::Error> {
    let of = |part: fn(&ActuatorDemand) -> f64| demand.iter().map(part).collect();
    let lists: [(&str, Vec<f64>); 3] = [
        ("command_m", of(|d| d.command)),
        ("velocity_m_per_s", of(|d| d.velocity)),
        ("force_n", of(|d| d.force)),
    ];
    to.collect_map(lists)
}
