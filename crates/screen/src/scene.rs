//! What does not change during a test: names, units, limits, the drawing of the structure.

use serde::{Deserialize, Serialize};

/// Everything a page must know before the first row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Name of the test.
    pub name: String,
    /// One line under it.
    pub subtitle: String,
    /// `real time`, `virtual, paced`, `replay of a record`.
    pub executor: String,
    /// Columns of a row, without the time. The hub adds its own behind them (see
    /// [`Scene::with_derived`]).
    pub channels: Vec<ChannelScene>,
    /// One for each actuator.
    pub actuators: Vec<ActuatorScene>,
    /// Figures with thresholds: the traffic lights and the lines in their plots.
    pub indicators: Vec<Indicator>,
    /// Coefficients of the compensator, with the bounds within which they adapt.
    pub coefficients: Vec<Coefficient>,
    /// The structure, where it can be drawn.
    pub drawing: Option<Drawing>,
    /// Structural time at the end of the test, s.
    pub end_s: f64,
    /// Number of integration steps.
    pub steps: u64,
    /// λ: wall time over structural time.
    pub time_scale: f64,
    /// Rows per second of wall time.
    pub rate_hz: f64,
}

/// A column of the rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChannelScene {
    /// Name such as `target/1`.
    pub name: String,
    /// SI unit of the row.
    pub unit: String,
    /// What it is, in a sentence.
    pub description: String,
    /// The part it plays: `target`, `measured`, `monitor`, …
    pub role: String,
}

/// What belongs to one actuator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ActuatorScene {
    /// What people call it.
    pub label: String,
    /// Unit of its displacement in the rows: m, or rad.
    pub unit: String,
    /// Unit of its force: N, or N*m.
    pub force_unit: String,
    /// Its limits, each a bar on the page.
    pub limits: Vec<LimitBar>,
}

/// A limit of the safety gate and the channels that it bounds by their magnitude.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LimitBar {
    /// `stroke`, `force`, …
    pub name: String,
    /// Channels of which the largest magnitude counts.
    pub channels: Vec<String>,
    /// The bound, in the unit of the channels.
    pub bound: f64,
}

/// A figure of a monitor with its thresholds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Indicator {
    /// Short name: `SW`, `TI`.
    pub label: String,
    /// Channel of the row.
    pub channel: String,
    /// Unit on the page.
    pub unit: String,
    /// From the row to the page.
    pub factor: f64,
    /// Magnitude from which on the light is yellow, in the unit of the page.
    pub caution: Option<f64>,
    /// Magnitude from which on the light is red.
    pub bad: Option<f64>,
    /// What it means.
    pub description: String,
}

/// A coefficient of the compensator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Coefficient {
    /// Channel of the row.
    pub channel: String,
    /// `a0`, …
    pub label: String,
    /// Lower bound, where there is one.
    pub low: Option<f64>,
    /// Upper bound.
    pub high: Option<f64>,
}

/// The structure as nodes and lines in the plane of the paper, y upwards.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Drawing {
    /// The nodes.
    pub nodes: Vec<DrawingNode>,
    /// The members.
    pub lines: Vec<DrawingLine>,
    /// Largest displacement that is expected, m: the page enlarges the motion so that this is well
    /// visible.
    pub expected: f64,
}

/// How a node is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Support {
    /// Not at all.
    #[default]
    Free,
    /// In place, free to turn.
    Pinned,
    /// In place and direction.
    Fixed,
    /// In one direction.
    Roller,
}

/// A node of the drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DrawingNode {
    /// Name; may be empty.
    pub name: String,
    /// Place at rest.
    pub place: [f64; 2],
    /// How it is held.
    pub support: Support,
    /// Whether a mass is drawn.
    pub mass: bool,
    /// Its motion to the right and upwards: sums of channels with factors.
    pub motion: [Vec<(usize, f64)>; 2],
}

/// A member of the drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DrawingLine {
    /// Its nodes.
    pub nodes: [usize; 2],
    /// Whether it stands in the laboratory.
    pub specimen: bool,
}

impl Scene {
    /// Position of a channel in the row.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.channels.iter().position(|c| c.name == name)
    }

    /// Adds what the hub computes from every row for each actuator (see `Derived`).
    #[must_use]
    pub fn with_derived(mut self) -> (Self, Vec<Derived>) {
        let mut derived = Vec::new();
        for number in 1..=self.actuators.len() {
            let column = |name: &str| self.column(&format!("{name}/{number}"));
            let (Some(target), Some(command), Some(measured), Some(force)) = (
                column("target"),
                column("command"),
                column("measured_displacement"),
                column("measured_force"),
            ) else {
                continue;
            };
            derived.push(Derived {
                columns: [target, command, measured, force],
                last: None,
                sums: [0.0; 3],
            });
            let unit = self.channels[target].unit.clone();
            let units = [
                unit.clone(),
                format!("{unit}/s"),
                format!("{unit}^2"),
                "J".to_owned(),
                "J".to_owned(),
            ];
            for ((name, text), unit) in DERIVED.iter().zip(units) {
                self.channels.push(ChannelScene {
                    name: format!("{name}/{number}"),
                    unit,
                    description: format!("{text}, actuator {number}; computed for the screen."),
                    role: "derived".into(),
                });
            }
        }
        (self, derived)
    }
}

/// Names and meanings of what is computed for every actuator.
const DERIVED: [(&str, &str); 5] = [
    ("error", "Measured minus target displacement"),
    ("command_velocity", "Velocity of the command in wall time"),
    (
        "live_tracking_indicator",
        "Tracking indicator: area between target and measured; rising is lag, which adds energy",
    ),
    (
        "specimen_work",
        "Work of the measured force on the measured displacement",
    ),
    (
        "error_work",
        "Work of the measured force on the tracking error: what a lag puts into the structure",
    ),
];

/// How many figures [`Derived::of`] gives.
pub const DERIVED_COUNT: usize = DERIVED.len();

/// Makes `error`, `command_velocity`, `live_tracking_indicator`, `specimen_work` and `error_work`
/// of an actuator from its rows.
///
/// The tracking indicator is that of Mercan and Ricles (2007) with the sign of the field's rule
/// "rising = lag": TI = ½ (A − T), A = Σ ½ (c₊ + c)(m₊ − m), T = Σ ½ (m₊ + m)(c₊ − c) with the
/// target c and the measured displacement m. Works are sums of the trapezoidal rule; that on the
/// error
/// is ∮ f d(m − c): what a lag puts into the structure is positive.
#[derive(Clone, Copy, Debug)]
pub struct Derived {
    /// Target, command, measured, force.
    columns: [usize; 4],
    last: Option<[f64; 4]>,
    sums: [f64; 3],
}

impl Derived {
    /// A new test begins.
    pub fn restart(&mut self) {
        self.last = None;
        self.sums = [0.0; 3];
    }

    /// The figures for a row.
    pub fn of(&mut self, row: &[f64], rate_hz: f64) -> [f64; DERIVED_COUNT] {
        let now = self
            .columns
            .map(|column| row.get(column).copied().unwrap_or(f64::NAN));
        let last = self.last.unwrap_or(now);
        self.last = Some(now);
        let ([c, u, m, f], [c0, u0, m0, f0]) = (now, last);
        let area = 0.5 * (0.5 * (c + c0) * (m - m0) - 0.5 * (m + m0) * (c - c0));
        let force = 0.5 * (f + f0);
        let steps = [area, force * (m - m0), force * ((m - m0) - (c - c0))];
        for (sum, step) in self.sums.iter_mut().zip(steps) {
            if step.is_finite() {
                *sum += step;
            }
        }
        let [indicator, work, error_work] = self.sums;
        [m - c, (u - u0) * rate_hz, indicator, work, error_work]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{PI, TAU};

    /// A sine that lags by φ encloses π sin φ per unit-amplitude cycle, and an elastic force k m
    /// does the work π k sin φ on the error: closed forms.
    #[test]
    fn a_lag_shows_in_indicator_and_work() {
        let scene = Scene {
            channels: [
                "target/1",
                "command/1",
                "measured_displacement/1",
                "measured_force/1",
            ]
            .map(|name| ChannelScene {
                name: name.into(),
                unit: "m".into(),
                ..ChannelScene::default()
            })
            .to_vec(),
            actuators: vec![ActuatorScene::default()],
            ..Scene::default()
        };
        let (scene, mut derived) = scene.with_derived();
        assert_eq!(scene.channels.len(), 4 + DERIVED_COUNT);
        let (lag, k, n) = (0.1_f64, 3.0, 20_000);
        let mut last = [0.0; DERIVED_COUNT];
        for i in 0..=n {
            let phase = TAU * f64::from(i) / f64::from(n);
            let (c, m) = (phase.sin(), (phase - lag).sin());
            last = derived[0].of(&[c, c, m, k * m], f64::from(n));
        }
        assert!((last[2] - PI * lag.sin()).abs() < 1e-4, "{}", last[2]);
        assert!(last[3].abs() < 1e-4, "an elastic specimen keeps nothing");
        assert!((last[4] - k * PI * lag.sin()).abs() < 1e-3, "{}", last[4]);
        assert!((last[1] - TAU).abs() < 1e-3, "velocity {}", last[1]);
    }
}
