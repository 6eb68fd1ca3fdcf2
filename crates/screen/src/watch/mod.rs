//! `tandem watch`: the essentials of a test in a terminal, for a machine without a browser.
//!
//! A [`StatusView`] is what is shown; it comes from a screen by its address (`remote`) or from the
//! folder of a run (`folder`), be it finished or still growing. `view` draws it with ratatui.

mod folder;
mod remote;
mod view;

pub use folder::Folder;
pub use remote::RemoteView;
pub use view::draw;

use crate::{Scene, Severity, Status, client::ClientError};
use serde::Serialize;
use tandem_coordinator::recorder::RecorderError;
use tandem_quantity::number::readable_unit;

/// What there is to see.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StatusView {
    /// Name of the test.
    pub name: String,
    /// Where the test stands.
    pub status: Status,
    /// Structural time at the end, s.
    pub end_s: f64,
    /// Integration steps.
    pub steps: u64,
    /// λ.
    pub time_scale: f64,
    /// One for each actuator.
    pub actuators: Vec<ActuatorGlance>,
    /// Name, value, unit and tone of the indicators.
    pub indicators: Vec<(String, f64, String, Severity)>,
    /// Time and text of the latest events, the newest last.
    pub events: Vec<(f64, Severity, String)>,
    /// Target and measured displacement of the first actuator over time, in the unit of `unit`.
    pub target: Vec<(f64, f64)>,
    /// The same, measured.
    pub measured: Vec<(f64, f64)>,
    /// Unit of these.
    pub unit: String,
}

/// One actuator.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ActuatorGlance {
    /// What people call it.
    pub label: String,
    /// Target, command, measured and error in `unit`, force in `force_unit`.
    pub values: [f64; 5],
    /// Unit of displacements.
    pub unit: String,
    /// Unit of the force.
    pub force_unit: String,
    /// Name of each limit and the share of it that is used.
    pub limits: Vec<(String, f64)>,
}

/// Why there is nothing more to see.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The screen that was watched.
    #[error(transparent)]
    Screen(#[from] ClientError),
    /// The record that was watched.
    #[error(transparent)]
    Record(#[from] RecorderError),
}

/// Where a view comes from.
pub trait StatusSource {
    /// What there is to see now; waits a little for news.
    ///
    /// # Errors
    /// [`WatchError`], when there is nothing more to see.
    fn look(&mut self) -> Result<&StatusView, WatchError>;
}

/// Points of the curves.
const POINTS: usize = 600;

impl StatusView {
    fn of_scene(scene: &Scene) -> Self {
        let unit = scene.actuators.first().map_or("m", |a| a.unit.as_str());
        Self {
            name: scene.name.clone(),
            end_s: scene.end_s,
            steps: scene.steps,
            time_scale: scene.time_scale,
            unit: readable_unit(unit).0.to_owned(),
            ..Self::default()
        }
    }

    /// Takes the latest values and magnitudes of the channels, found by name.
    fn take(&mut self, scene: &Scene, last: &dyn Fn(&str) -> f64, reach: &dyn Fn(&str) -> f64) {
        self.actuators = scene
            .actuators
            .iter()
            .enumerate()
            .map(|(i, actuator)| {
                let ((unit, factor), (force_unit, force_factor)) = (
                    readable_unit(&actuator.unit),
                    readable_unit(&actuator.force_unit),
                );
                let value = |name: &str, factor: f64| factor * last(&format!("{name}/{}", i + 1));
                let (target, measured) = (
                    value("target", factor),
                    value("measured_displacement", factor),
                );
                ActuatorGlance {
                    label: actuator.label.clone(),
                    values: [
                        target,
                        value("command", factor),
                        measured,
                        measured - target,
                        value("measured_force", force_factor),
                    ],
                    unit: unit.to_owned(),
                    force_unit: force_unit.to_owned(),
                    limits: actuator
                        .limits
                        .iter()
                        .map(|limit| {
                            let largest = limit
                                .channels
                                .iter()
                                .map(|c| reach(c))
                                .fold(f64::NAN, f64::max);
                            (limit.name.replace('_', " "), largest / limit.bound)
                        })
                        .filter(|(_, share)| share.is_finite())
                        .collect(),
                }
            })
            .collect();
        self.indicators = scene
            .indicators
            .iter()
            .map(|i| {
                let x = i.factor * last(&i.channel);
                let over = |bound: Option<f64>| bound.is_some_and(|bound| x.abs() >= bound);
                let tone = if over(i.bad) {
                    Severity::Bad
                } else if over(i.caution) {
                    Severity::Caution
                } else if i.bad.is_some() {
                    Severity::Good
                } else {
                    Severity::Neutral
                };
                (i.label.clone(), x, i.unit.clone(), tone)
            })
            .collect();
    }

    /// A few lines of text, for a pipe.
    pub fn text(&self) -> String {
        use std::fmt::Write;
        let s = &self.status;
        let mut out = format!(
            "{}\n  {:<18}{}: {}\n",
            self.name, "state", s.state, s.meaning
        );
        let mut line = |label: &str, text: String| {
            let _ = writeln!(out, "  {label:<17} {text}");
        };
        if let Some(outcome) = &s.outcome {
            line("outcome", outcome.clone());
        }
        line("step", format!("{} of {}", s.step, self.steps));
        line(
            "structural time",
            format!("{:.3} of {:.3} s", s.time_s, self.end_s),
        );
        line(
            "wall time",
            format!("{:.1} s, time scale {}", s.wall_s, self.time_scale),
        );
        for actuator in &self.actuators {
            let [target, command, measured, error, force] = actuator.values;
            let u = &actuator.unit;
            line(
                &actuator.label,
                format!(
                    "target {target:.3} {u}, command {command:.3} {u}, measured {measured:.3} {u}, \
                    error {error:.3} {u}, force {force:.3} {}",
                    actuator.force_unit
                ),
            );
            for (name, share) in &actuator.limits {
                line("", format!("{name}: {:.0} % used", 100.0 * share));
            }
        }
        for light in &s.lights {
            line(&light.label, light.text.clone());
        }
        for (label, value, unit, tone) in &self.indicators {
            let tone = format!("{tone:?}").to_lowercase();
            line(label, format!("{value:.3} {unit} ({tone})"));
        }
        for (time, _, text) in self.events.iter().rev().take(8).rev() {
            line(&format!("{time:.3} s"), text.clone());
        }
        out.trim_end().to_owned()
    }
}
