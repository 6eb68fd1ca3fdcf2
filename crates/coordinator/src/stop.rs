//! Why a test ended before its last step, as a plain value and in words.

use crate::hybrid_loop::Cause;
use tandem_safety::gate::{Limit, Trip};

/// Why a test ended before its last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// A limit of the safety gate.
    Limit(Trip),
    /// A monitor's verdict.
    Monitor(&'static str),
    /// A person.
    Operator,
    /// A person, in a hurry.
    Emergency,
    /// The integration side did not come, or went away.
    Driver,
    /// Pressure or service manifold.
    Hydraulics,
}

impl Stop {
    /// The stop by a limit or a monitor of these names.
    pub(crate) fn of(cause: Cause, monitors: &[&'static str]) -> Self {
        match cause {
            Cause::Limit(trip) => Self::Limit(trip),
            Cause::Monitor(i) => Self::Monitor(monitors.get(i).copied().unwrap_or("monitor")),
        }
    }

    /// The name for `stopped_by`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Limit(trip) => trip.limit.name(),
            Self::Monitor(name) => name,
            Self::Operator => "operator",
            Self::Emergency => "emergency-stop",
            Self::Driver => "driver",
            Self::Hydraulics => "hydraulics",
        }
    }

    /// Whether the one who stopped the test has said why in an event of its own.
    pub fn is_told(&self) -> bool {
        matches!(self, Self::Limit(_) | Self::Monitor(_))
    }

    /// A sentence for people.
    pub fn reason(&self) -> String {
        match self {
            Self::Limit(trip) => reason(trip),
            Self::Monitor(name) => {
                format!("the monitor {name} stopped the test (see [monitor.{name}] in the plan)")
            }
            Self::Operator => "stopped by the operator".to_owned(),
            Self::Emergency => "emergency stop by the operator".to_owned(),
            Self::Driver => {
                "the integration side did not come or went away (is the analysis program running?)"
                    .to_owned()
            }
            Self::Hydraulics => {
                "the rig is not ready: no pressure, a closed service manifold, or no answer"
                    .to_owned()
            }
        }
    }
}

fn reason(trip: &Trip) -> String {
    let Trip {
        limit,
        actuator,
        value,
        bound,
    } = *trip;
    let (unit, size) = limit.unit();
    let (value, bound) = (value / size, bound / size);
    let at = format!("actuator {}", actuator + 1);
    match limit {
        Limit::NotFinite => format!("a value at {at} is not finite"),
        Limit::Linkage => {
            "the measured strokes belong to no position of the linkage (see [kinematics])"
                .to_owned()
        }
        Limit::Recorder => "the record can no longer be written".to_owned(),
        Limit::EmergencyChain => "the hardware's emergency chain is open".to_owned(),
        Limit::Valve => format!("a valve stays open by {value:.1} %"),
        Limit::FrozenDisplacement => format!(
            "the displacement sensor of {at} has repeated one value for {value:.3} s while the \
            command moved"
        ),
        Limit::FrozenForce => format!(
            "the load cell of {at} has repeated one value for {value:.3} s while the piston moved"
        ),
        Limit::Stuck => format!(
            "the piston of {at} made {value:.4} mm of a much longer way (ways from {bound:.4} mm \
            on are looked at): it is stuck, or its sensor is"
        ),
        Limit::SensorRange => format!("a sensor of {at} stands at the end of its range"),
        Limit::SpecimenFailure => format!(
            "the specimen at {at} has {value:.1} % of its stiffness left, the limit is {bound:.1} %"
        ),
        Limit::StaleTarget => {
            format!("the target is overdue by {value:.3} s, the limit is {bound:.3} s")
        }
        Limit::StaleFeedback => {
            format!("the newest measurement is {value:.0} ticks old, the limit is {bound:.0}")
        }
        Limit::ClockJump => format!("the device's clock jumped by {value:.3} ms"),
        Limit::MissedDeadlines => {
            format!("{value:.0} deadlines were missed within a second, the limit is {bound:.0}")
        }
        Limit::OperatorLost => {
            format!("nobody has been heard at the operator's desk for {value:.1} s")
        }
        _ => format!(
            "{} of {at}: {value:.4} {unit}, the limit is {bound:.4} {unit}",
            limit.name().replace('_', " "),
        ),
    }
}
