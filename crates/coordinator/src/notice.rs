//! What happens in the loop, as plain values that a ring can carry; words are made of them
//! elsewhere.

use crate::hybrid_loop::Cause;
use crate::recorder::{Details, Event, Level};
use crate::stop::Stop;
use tandem_monitor::Verdict;
use tandem_safety::machine::{MachineState, Order};
use tandem_transfer::command::LateMode;

/// Something that happened, with its own tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notice {
    /// Tick of the test.
    pub tick: u64,
    /// Structural time, s.
    pub time_s: f64,
    /// Wall time since the start, s.
    pub wall_s: f64,
    /// What it was.
    pub what: What,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// The machine went from one state to another.
    State(MachineState, MachineState),
    /// A limit or a monitor wants something.
    Verdict(Verdict, Cause),
    /// A monitor has not warned for a while; index into the monitors.
    Quiet(usize),
    /// The target is late, and the command does this; or it came.
    Late(LateMode),
    /// An order that this state does not allow.
    NotHeard(Order, MachineState),
    /// The rig has trouble outside. Its words ([`tandem_safety::RigView::fault_message`]) go beside
    /// the notice, this many bytes of them.
    ExternalFault(usize),
    /// Deadlines were missed: in whose thread, how many so far, and by how much this one, s.
    Missed(ThreadRole, u64, f64),
}

/// Whose thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadRole {
    /// That of the loop.
    Coordinator,
    /// That of a rig with a rate of its own.
    Rig,
    /// That of the integration.
    Integration,
}

impl ThreadRole {
    /// Its name, as in `timing`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Coordinator => "coordinator",
            Self::Rig => "rig",
            Self::Integration => "integration",
        }
    }
}

impl Notice {
    /// In words; `monitors` are the names of the monitors.
    pub fn event(&self, monitors: &[&'static str]) -> Event {
        let event = |level, code: String, text: String| {
            Event::new(self.tick, self.time_s, self.wall_s, level, code, text)
        };
        match self.what {
            What::State(from, to) => {
                let level = match to {
                    MachineState::Error { .. } => Level::Error,
                    MachineState::PreCor { held: true } => Level::Warn,
                    _ => Level::Info,
                };
                event(
                    level,
                    format!("state.{}", to.name()),
                    format!("{}.", to.title()),
                )
                .with(Details {
                    from: Some(from.name().to_owned()),
                    ..Details::default()
                })
            }
            What::Verdict(verdict, cause) => {
                let level = if verdict > Verdict::Warn {
                    Level::Error
                } else {
                    Level::Warn
                };
                let stop = Stop::of(cause, monitors);
                let (code, text) = match cause {
                    Cause::Monitor(_) if verdict == Verdict::Warn => (
                        "monitor.warning".to_owned(),
                        format!(
                            "The monitor {0} warns (see [monitor.{0}] in the plan).",
                            stop.name()
                        ),
                    ),
                    Cause::Monitor(_) => (format!("monitor.{}", stop.name()), stop.reason()),
                    Cause::Limit(_) => (format!("limit.{}", stop.name()), stop.reason()),
                };
                let mut details = Details {
                    by: Some(stop.name().to_owned()),
                    action: Some(verdict.name().to_owned()),
                    ..Details::default()
                };
                if let Cause::Limit(trip) = cause {
                    details.actuator = Some(trip.actuator + 1);
                    details.value = Some(trip.value);
                    details.bound = Some(trip.bound);
                }
                event(level, code, text).with(details)
            }
            What::Quiet(monitor) => {
                let name = Stop::of(Cause::Monitor(monitor), monitors).name();
                event(
                    Level::Info,
                    "monitor.quiet".to_owned(),
                    format!("The monitor {name} no longer warns."),
                )
                .with(Details {
                    by: Some(name.to_owned()),
                    ..Details::default()
                })
            }
            What::Late(LateMode::Predicting) => event(
                Level::Info,
                "target.arrived".to_owned(),
                "The late target has come; the command goes on.".to_owned(),
            ),
            What::Late(lateness) => event(
                Level::Warn,
                match lateness {
                    LateMode::Holding => "command.hold",
                    _ => "target.late",
                }
                .to_owned(),
                match lateness {
                    LateMode::Holding => "The target is late: the command holds.",
                    _ => "The target is late: the command slows down.",
                }
                .to_owned(),
            ),
            What::NotHeard(order, state) => event(
                Level::Info,
                "order.not_heard".to_owned(),
                format!(
                    "\"{}\" does nothing in the state \"{}\".",
                    order.name(),
                    state.name()
                ),
            ),
            What::ExternalFault(_) => event(
                Level::Error,
                "rig.trouble".to_owned(),
                "The rig has trouble outside.".to_owned(),
            ),
            What::Missed(whose, count, late) => event(
                Level::Warn,
                "timing.missed".to_owned(),
                format!(
                    "A deadline of the {}'s thread was missed by {:.3} ms; {count} so far.",
                    whose.name(),
                    late * 1e3
                ),
            )
            .with(Details {
                thread: Some(whose.name().to_owned()),
                missed: Some(count),
                late_s: Some(late),
                ..Details::default()
            }),
        }
    }
}
