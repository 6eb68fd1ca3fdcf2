//! Servo controllers: the innermost loop, at its own rate.
//!
//! Ports: command (m) and measured displacement (m) → drive signal to the actuator (m of command, or
//! whatever the actuator model takes), once per servo period.

/// The parameters of a PID, then those of a controller that is made of one.
macro_rules! pid_parameters {
    ($($own:expr),* $(,)?) => {
        [
            Parameter::number("proportional", Dimension::NONE, "gain on the error")
                .or("1.0")
                .not_negative(),
            Parameter::number("integral", Dimension::FREQUENCY, "integral gain")
                .or("\"0 Hz\"")
                .not_negative(),
            Parameter::number(
                "derivative",
                Dimension::TIME,
                "derivative gain, on the measurement",
            )
            .or("\"0 s\"")
            .not_negative(),
            Parameter::number(
                "feed_forward",
                Dimension::NONE,
                "share of the command added to the drive",
            )
            .or("0.0")
            .not_negative(),
            Parameter::number(
                "velocity_feed_forward",
                Dimension::TIME,
                "share of the command's velocity added to the drive",
            )
            .or("\"0 s\"")
            .not_negative(),
            Parameter::number("saturation", Dimension::LENGTH, "largest drive signal")
                .optional()
                .positive(),
            Parameter::number(
                "filter",
                Dimension::FREQUENCY,
                "second-order Butterworth low-pass on the feedback; 200 Hz is usual for a servo at 5 kHz",
            )
            .optional()
            .positive(),
            Parameter::number(
                "change_at",
                Dimension::TIME,
                "wall time from the start at which other gains are taken over, without a bump",
            )
            .optional()
            .positive(),
            Parameter::number("new_proportional", Dimension::NONE, "from then on; default: as before")
                .optional()
                .not_negative(),
            Parameter::number("new_integral", Dimension::FREQUENCY, "likewise")
                .optional()
                .not_negative(),
            Parameter::number("new_derivative", Dimension::TIME, "likewise")
                .optional()
                .not_negative(),
            $($own),*
        ]
    };
}

mod force;
mod mixed;
mod none;
mod pid;
mod switched;

pub use pid::{Gains, Pid};

use tandem_quantity::{BuildError, Entry, Guest, Slot, Snapshot, Values};

/// A servo controller of one axis.
pub trait Servo: Snapshot + Send {
    /// Drive signal for the next servo period.
    fn drive(&mut self, command: f64, measured: f64) -> f64;

    /// The same for controllers that look at the load cell too (N, positive when the specimen resists).
    fn drive_with_force(&mut self, command: f64, measured: f64, force: f64) -> f64 {
        let _ = force;
        self.drive(command, measured)
    }

    /// Whether it does look at the load cell.
    fn uses_force(&self) -> bool {
        false
    }

    /// Who computes it, where that is somebody else.
    fn guest(&self) -> Option<&dyn Guest> {
        None
    }
}

/// How a servo is made: from its table in the plan and its period in seconds. `None`: the actuator model
/// already contains its inner loop.
pub type Build = fn(&Values, f64) -> Result<Option<Box<dyn Servo>>, BuildError>;

/// All servo controllers. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[
    none::ENTRY,
    pid::ENTRY,
    force::ENTRY,
    mixed::ENTRY,
    switched::ENTRY,
];

/// The slot in the plan.
pub static SLOT: Slot = Slot {
    selector: "method",
    default: Some("none"),
    methods: || {
        let own = METHODS.iter().map(|entry| &entry.method);
        own.chain([&crate::outside::SERVO]).collect()
    },
};
