//! The published benchmark problems: `tandem bench`.
//!
//! `single_actuator` is a plan of this program, run by its ordinary loop; `multi_axial` has forces at degrees of freedom that
//! no actuator moves and is a loop of its own, around the same compensators and plants.

pub mod goals;
pub mod multi_axial;
mod newmark;
pub mod page;
pub mod published;
pub mod single_actuator;
pub mod specimen;
pub mod statistics;

use serde_json::{Map, Value, json};

use crate::unrecorded::Demand;

/// What came of one run: the criteria in four forms and what was asked of the actuators.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// With standard deviations, of the measured displacement, as the distributed programs compute them.
    pub criteria: Value,
    /// With RMS, as the papers print the formulas.
    pub criteria_rms: Value,
    /// As `criteria`, of the controller's own estimate of the displacement.
    pub criteria_estimated: Value,
    /// As `criteria`, of the true displacement.
    pub criteria_noise_free: Value,
    /// Whether the controller has an estimate; without one it is the measurement.
    pub own_estimate: bool,
    /// Of each actuator.
    pub demand: Vec<Demand>,
}

/// Force of the actuator of the single-actuator problem, N. The problem does not saturate there: a run beyond it is counted, not stopped.
pub const ACTUATOR_FORCE: f64 = 8900.0;

/// The names of the four forms, in the order of [`Outcome::forms`].
pub const FORMS: [&str; 4] = ["criteria", "criteria_rms", "criteria_estimated", NOISE_FREE];

/// The form that shows what the controller does.
pub const NOISE_FREE: &str = "criteria_noise_free";

/// The criteria of one output with standard deviations and with RMS; none where they cannot be told.
type Judged = Option<[Value; 2]>;

impl Outcome {
    /// From the criteria of the measured, the estimated and the true displacement.
    fn of(
        [measured, estimated, truth]: [Judged; 3],
        own_estimate: bool,
        demand: Vec<Demand>,
    ) -> Option<Self> {
        let [criteria, criteria_rms] = measured?;
        let [criteria_estimated, _] = estimated?;
        let [criteria_noise_free, _] = truth?;
        Some(Self {
            criteria,
            criteria_rms,
            criteria_estimated,
            criteria_noise_free,
            own_estimate,
            demand,
        })
    }

    /// The four forms.
    #[must_use]
    pub fn forms(&self) -> [&Value; 4] {
        [
            &self.criteria,
            &self.criteria_rms,
            &self.criteria_estimated,
            &self.criteria_noise_free,
        ]
    }

    /// For `--json`.
    #[must_use]
    pub fn to_json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        for (name, form) in FORMS.iter().zip(self.forms()) {
            map.insert((*name).to_owned(), form.clone());
        }
        map.insert(
            "estimate".into(),
            json!(if self.own_estimate {
                "controller"
            } else {
                "measurement"
            }),
        );
        map.insert("demand".into(), demand_json(&self.demand));
        map
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
pub fn worst_demand(done: &[&Outcome]) -> Vec<Demand> {
    let count = done.first().map_or(0, |run| run.demand.len());
    let largest = |i: usize, part: fn(&Demand) -> f64| {
        let values = done.iter().map(|run| part(&run.demand[i]));
        values.fold(0.0, f64::max)
    };
    (0..count)
        .map(|i| Demand {
            command: largest(i, |d| d.command),
            velocity: largest(i, |d| d.velocity),
            force: largest(i, |d| d.force),
        })
        .collect()
}

/// What is asked of the actuators, for `--json`.
#[must_use]
pub fn demand_json(demand: &[Demand]) -> Value {
    let of = |part: fn(&Demand) -> f64| demand.iter().map(part).collect::<Vec<_>>();
    json!({
        "command_m": of(|d| d.command),
        "velocity_m_per_s": of(|d| d.velocity),
        "force_n": of(|d| d.force),
    })
}

/// Unit of a criterion. J4 of the multi-axial problem, which has `ten` of them, is a lag.
#[must_use]
pub fn unit(name: &str, ten: bool) -> &'static str {
    match name {
        "J1" => "ms",
        "J4" if ten => "ms",
        _ => "%",
    }
}

/// The names of criteria in the order of their numbers.
#[must_use]
pub fn names(criteria: &Value) -> Vec<String> {
    let mut names: Vec<String> = criteria
        .as_object()
        .map(|map| map.keys().cloned().collect())
        .unwrap_or_default();
    names.sort_by_key(|name| {
        let digits: String = name.chars().filter(char::is_ascii_digit).collect();
        digits.parse::<u32>().unwrap_or(0)
    });
    names
}

/// The values of one criterion.
#[must_use]
pub fn values(criteria: &Value, name: &str) -> Vec<f64> {
    let list = criteria[name].as_array().into_iter().flatten();
    list.map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}
