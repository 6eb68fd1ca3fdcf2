//! What does not change during a test, taken from the test or from a record.

use crate::{ActuatorScene, ChannelScene, Coefficient, Indicator, LimitBar, Scene};
use tandem_coordinator::HybridLoop;
use tandem_coordinator::channels::{
    COEFFICIENT, COMMAND, MEASURED_DISPLACEMENT, MEASURED_FORCE, TARGET,
};
use tandem_coordinator::recorder::{Channel, RunReader};
use tandem_structure::Structure;

use super::drawing;
use tandem::assemble::Test;
use tandem::plan::Plan;
use tandem_report::About;

/// The scene of a test that is about to run. `executor` says who calls the loop.
pub fn of_test(plan: &Plan, test: &Test, executor: &str) -> Scene {
    let channels = test.hybrid().map(HybridLoop::channels).unwrap_or_default();
    let mut scene = build(
        plan,
        test,
        channels.iter().map(of_channel).collect(),
        executor,
    );
    if let Ok(hybrid) = test.hybrid() {
        let compensator = &hybrid.parts().compensator;
        for coefficient in &mut scene.coefficients {
            let mut numbers = coefficient.channel.split('/').skip(1);
            let mut number = || numbers.next()?.parse::<usize>().ok();
            if let (Some(actuator), Some(k)) = (number(), number())
                && let Some((low, high)) = compensator.bounds(actuator - 1).get(k)
            {
                coefficient.low = Some(*low).filter(|x| x.is_finite());
                coefficient.high = Some(*high).filter(|x| x.is_finite());
            }
        }
    }
    scene
}

/// The scene of a record; bounds of the compensator come from the plan beside it.
pub fn of_record(plan: &Plan, test: &Test, run: &RunReader) -> Scene {
    let channels = run.channels().map(|info| ChannelScene {
        name: info.name.clone(),
        unit: info.unit.clone(),
        description: info.description.clone(),
        role: info.role.as_str().to_owned(),
    });
    let bounds = of_test(plan, test, "").coefficients;
    let mut scene = build(plan, test, channels.collect(), "replay of a record");
    for coefficient in &mut scene.coefficients {
        if let Some(known) = bounds.iter().find(|c| c.channel == coefficient.channel) {
            (coefficient.low, coefficient.high) = (known.low, known.high);
        }
    }
    scene
}

fn of_channel(channel: &Channel) -> ChannelScene {
    ChannelScene {
        name: channel.name.clone(),
        unit: channel.unit.clone(),
        description: channel.description.clone(),
        role: channel.role.as_str().to_owned(),
    }
}

fn build(plan: &Plan, test: &Test, channels: Vec<ChannelScene>, executor: &str) -> Scene {
    let unit = |name: &str| {
        channels
            .iter()
            .find(|c| c.name == name)
            .map_or_else(String::new, |c| c.unit.clone())
    };
    let actuators = (1..=test.physical.actuators)
        .map(|number| ActuatorScene {
            label: match test.outline.interface.get(number - 1) {
                Some(dof) if !test.physical.linked => {
                    format!(
                        "Actuator {number}: {}",
                        test.outline.whole.properties().label(*dof)
                    )
                }
                _ => format!("Actuator {number}"),
            },
            unit: unit(&TARGET.of(number)),
            force_unit: unit(&MEASURED_FORCE.of(number)),
            limits: limits(plan, number),
        })
        .collect();
    let coefficients = channels
        .iter()
        .filter(|c| COEFFICIENT.is(&c.name))
        .map(|c| Coefficient {
            channel: c.name.clone(),
            label: format!("a{}", c.name.rsplit('/').next().unwrap_or("")),
            low: None,
            high: None,
        })
        .collect();
    let indicators = INDICATORS
        .iter()
        .filter(|look| channels.iter().any(|c| c.name == look.channel))
        .map(|look| look.indicator(plan))
        .collect();
    let end_s = test.outline.dt * test.outline.timing.steps as f64;
    Scene {
        name: test.name.clone(),
        subtitle: About::of(plan).description.unwrap_or_default(),
        executor: executor.to_owned(),
        drawing: drawing::of(test, &channels),
        channels,
        actuators,
        indicators,
        coefficients,
        end_s,
        steps: test.outline.timing.steps,
        time_scale: test.outline.timing.time_scale,
        rate_hz: 1.0 / test.outline.timing.period,
    }
}

/// The bounds of `[limits]` that are magnitudes of channels.
fn limits(plan: &Plan, number: usize) -> Vec<LimitBar> {
    let Some(table) = plan.values.optional_table("limits") else {
        return Vec::new();
    };
    let kinds: [(&str, &[&str]); 4] = [
        (
            "stroke",
            &[TARGET.name, COMMAND.name, MEASURED_DISPLACEMENT.name],
        ),
        ("velocity", &["command_velocity"]),
        ("force", &[MEASURED_FORCE.name]),
        ("tracking_error", &["error"]),
    ];
    kinds
        .into_iter()
        .filter_map(|(name, channels)| {
            Some(LimitBar {
                name: name.to_owned(),
                channels: channels.iter().map(|c| format!("{c}/{number}")).collect(),
                bound: table.optional_number(name).filter(|b| b.is_finite())?,
            })
        })
        .collect()
}

/// How a figure of a monitor is shown.
struct Look {
    channel: &'static str,
    label: &'static str,
    unit: &'static str,
    factor: f64,
    caution: Option<f64>,
    bad: Option<f64>,
    /// Section and key of the plan that hold the bound, in SI.
    bound: Option<(&'static str, &'static str)>,
    description: &'static str,
}

impl Look {
    fn indicator(&self, plan: &Plan) -> Indicator {
        let planned = self.bound.and_then(|(section, key)| {
            let table = plan.values.optional_table("monitor")?;
            table.optional_table(section)?.optional_number(key)
        });
        Indicator {
            label: self.label.to_owned(),
            channel: self.channel.to_owned(),
            unit: self.unit.to_owned(),
            factor: self.factor,
            caution: self.caution,
            bad: planned.map(|x| x * self.factor).or(self.bad),
            description: self.description.to_owned(),
        }
    }
}

const PLAIN: Look = Look {
    channel: "",
    label: "",
    unit: "",
    factor: 1.0,
    caution: None,
    bad: None,
    bound: None,
    description: "",
};

const INDICATORS: [Look; 9] = [
    Look {
        channel: "stability_warning",
        label: "SW",
        unit: "%",
        factor: 100.0,
        caution: Some(50.0),
        bad: Some(100.0),
        description: "Feedback work over dissipated energy; from 100 % on the loop is unstable.",
        ..PLAIN
    },
    Look {
        channel: "tracking_indicator",
        label: "TI",
        unit: "mm²",
        factor: 1e6,
        description: "Area between target and measured. Rising = lag, energy added; falling = \
            lead.",
        ..PLAIN
    },
    Look {
        channel: "tracking_indicator_slope",
        label: "TI slope",
        unit: "mm²/s",
        factor: 1e6,
        bound: Some(("tracking_indicator", "bound")),
        description: "Slope of the tracking indicator over its window.",
        ..PLAIN
    },
    Look {
        channel: "subspace_slope",
        label: "SSP slope",
        description: "Slope of measured against target; below 1 is undershoot.",
        ..PLAIN
    },
    Look {
        channel: "frequency_evaluation_delay",
        label: "FEI delay",
        unit: "ms",
        factor: 1e3,
        bound: Some(("frequency_evaluation", "bound")),
        description: "Delay of the measured motion; positive is lag.",
        ..PLAIN
    },
    Look {
        channel: "frequency_evaluation_error",
        label: "FEI amplitude",
        unit: "%",
        factor: 100.0,
        description: "Amplitude error; negative is undershoot.",
        ..PLAIN
    },
    Look {
        channel: "phase_amplitude_delay",
        label: "PAEI delay",
        unit: "ms",
        factor: 1e3,
        description: "Delay by the phase and amplitude error indices.",
        ..PLAIN
    },
    Look {
        channel: "energy_error",
        label: "EEI",
        unit: "%",
        factor: 100.0,
        caution: Some(10.0),
        bad: Some(100.0),
        description: "What the energy balance lacks, over the input work: accuracy, not stability.",
        ..PLAIN
    },
    Look {
        channel: "window_error",
        label: "Window error",
        unit: "%",
        factor: 100.0,
        caution: Some(5.0),
        bad: Some(20.0),
        bound: Some(("window_error", "bound")),
        description: "RMS tracking error over the window, of the target's RMS.",
    },
];
