//! What stands behind the safety gate. A virtual plant, a replayed log and a real device look the
//! same.
//!
//! Ports: command motion per actuator (m, m/s, m/s²) → measured motion and force (N) per actuator.

use crate::Released;
use tandem_quantity::{AsAttachment, Motion, Snapshot, SpecimenMatrices, copy_few, snapshot};

/// What the sensors say at one tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Motion of the actuators.
    pub motion: Motion,
    /// Force of the load cells, N, positive when the specimen resists a positive displacement.
    pub force: Vec<f64>,
}

snapshot!(Measured { motion, force });

impl Measured {
    /// Everything zero.
    pub fn at_rest(actuators: usize) -> Self {
        Self {
            motion: Motion::at_rest(actuators),
            force: vec![0.0; actuators],
        }
    }

    /// Takes over all values of another one of the same size.
    #[inline]
    pub fn copy_from(&mut self, other: &Self) {
        self.motion.copy_from(&other.motion);
        copy_few(&mut self.force, &other.force);
    }
}

/// What a rig says about itself at one tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Status {
    /// The working pressure is there.
    pub pressure: bool,
    /// The service manifold is open.
    pub manifold: bool,
    /// The hardware's emergency chain is open. Software only reads it.
    pub emergency: bool,
    /// Ticks since the newest measurement: 0 is one of this tick.
    pub age: u64,
    /// Largest opening of a valve as a share of all it has, 0 … 1; zero where nobody reports it.
    pub valve: f64,
    /// The device's own clock at the measurement, s; not a number where it has none.
    pub device_time: f64,
}

impl Status {
    /// A rig that is ready and has nothing to report.
    pub const READY: Self = Self {
        pressure: true,
        manifold: true,
        emergency: false,
        age: 0,
        valve: 0.0,
        device_time: f64::NAN,
    };

    /// As numbers, for a record or a queue: flags (1 pressure, 2 manifold, 4 emergency chain open),
    /// age, valve, device's clock.
    #[inline]
    pub fn words(&self) -> [f64; 4] {
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let flags = flag(self.pressure, 1) | flag(self.manifold, 2) | flag(self.emergency, 4);
        let age = self.age as f64;
        [f64::from(flags), age, self.valve, self.device_time]
    }

    /// From [`Status::words`].
    #[inline]
    pub fn from_words([flags, age, valve, device_time]: [f64; 4]) -> Self {
        #[allow(clippy::cast_possible_truncation)]
        // saturate, which is meant
        let (flags, age) = (flags as u8, age as u64);
        Self {
            pressure: flags & 1 != 0,
            manifold: flags & 2 != 0,
            emergency: flags & 4 != 0,
            age,
            valve,
            device_time,
        }
    }
}

/// What is done about the hydraulics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hydraulics {
    /// Ramp the pressure to zero, then off.
    RampDown,
    /// Off at once.
    Off,
}

/// What never changes of a rig once it has been put together.
#[derive(Clone, Default)]
pub struct RigProperties {
    /// Number of actuators.
    pub actuators: usize,
    /// Nothing outside this program moves: a model, which may be stepped at any time, as in a
    /// replay.
    pub is_model: bool,
    /// A command is reached at the next tick, exactly and whatever it is.
    pub is_instantaneous: bool,
    /// It goes by the wall clock, so that stepped time would run away from it.
    pub needs_wall_clock: bool,
    /// [`Rig::read`] waits for a peer: no real-time loop can do that.
    pub waits: bool,
    /// It has accelerometers: the acceleration of [`Rig::read`] is a measurement, and is recorded.
    pub measures_acceleration: bool,
    /// What is known of the specimen beforehand, at the interface.
    pub specimen: Option<SpecimenMatrices>,
    /// `specimen` describes it completely.
    pub specimen_is_linear: bool,
    /// The specimen, untouched, as a part of the undivided structure at the interface: for the
    /// reference of a nonlinear one.
    pub specimen_as_attachment: Option<AsAttachment>,
}

impl RigProperties {
    /// A rig of so many actuators, of which nothing else is known.
    pub fn of(actuators: usize) -> Self {
        Self {
            actuators,
            ..Self::default()
        }
    }
}

/// What is seen of a rig besides what its sensors say; nothing, where nothing is said.
pub trait RigView {
    /// What went wrong outside, in words for the operator; none while all is well.
    fn fault_message(&self) -> Option<&str> {
        None
    }

    /// Longest time that a step of the rig has taken so far, s; none where nobody measures it.
    fn slowest_step(&self) -> Option<f64> {
        None
    }

    /// The true motion and force, where a model knows them: what the sensors would say without
    /// noise.
    fn truth(&self) -> Option<&Measured> {
        None
    }

    /// Writes the specimen's tangent stiffness of this instant (by rows, N/m), where a model knows
    /// it. False: nobody does.
    fn tangent(&self, _stiffness: &mut [f64]) -> bool {
        false
    }
}

/// Nothing is seen.
impl RigView for () {}

/// A rig. All calls but [`Rig::hydraulics`] are bounded in time and never block, unless it
/// [waits](RigProperties::waits).
pub trait Rig: Snapshot + Send {
    /// What never changes. Not for ticks: it may be put together for whoever asks.
    fn properties(&self) -> RigProperties;

    /// What the sensors say now.
    fn read(&mut self, measured: &mut Measured);

    /// The command until the next tick. A virtual rig lets one period of the coordinator pass here.
    fn write(&mut self, command: Released<'_>);

    /// A tick in which nothing may move: no command is written. A virtual rig lets one period pass,
    /// a device hears that somebody is there.
    fn idle(&mut self) {}

    /// The clock stands and waits for the driver: looks whether all that the rig is made of is
    /// still there. False: something is lost, and [`Rig::read`] says so.
    #[inline]
    fn check_connection(&mut self) -> bool {
        true
    }

    /// Writes where the pistons stand before anything has been commanded, m; false: at zero, as in
    /// every model. A first command continues from there.
    fn initial_position(&mut self, _displacement: &mut [f64]) -> bool {
        false
    }

    /// Lets the rig go by a clock of its own, at the beginning of a test: from then on
    /// [`Rig::write`] lets one period of the rig pass, which is returned in s, instead of one of
    /// the coordinator. None: it has no rate of its own.
    fn free_run(&mut self) -> Option<f64> {
        None
    }

    /// What the rig says about itself, as of the last [`Rig::read`].
    #[inline]
    fn status(&self) -> Status {
        Status::READY
    }

    /// Stops the hydraulics, where the rig can. Returns whether they are off.
    fn hydraulics(&mut self, _what: Hydraulics) -> bool {
        true
    }

    /// What else is seen of it.
    #[inline]
    fn observe(&self) -> &dyn RigView {
        &()
    }
}

/// Methods of [`Rig`] as the rig in a field has them: for those who stand around another.
///
/// ```
/// # use tandem_quantity::snapshot;
/// # use tandem_safety::{Released, Rig, forward_rig};
/// struct Counted {
///     inner: Box<dyn Rig>,
///     commands: u64,
/// }
/// snapshot!(Counted { inner, commands });
///
/// impl Rig for Counted {
///     forward_rig!(inner: properties, read, idle, status, observe);
///
///     fn write(&mut self, command: Released<'_>) {
///         self.commands += 1;
///         self.inner.write(command);
///     }
/// }
/// ```
#[macro_export]
macro_rules! forward_rig {
    ($inner:tt: $($method:ident),+) => {
        $($crate::forward_rig!(@$method $inner);)+
    };
    (@properties $inner:tt) => {
        fn properties(&self) -> $crate::RigProperties {
            self.$inner.properties()
        }
    };
    (@read $inner:tt) => {
        #[inline]
        fn read(&mut self, measured: &mut $crate::Measured) {
            self.$inner.read(measured);
        }
    };
    (@idle $inner:tt) => {
        fn idle(&mut self) {
            self.$inner.idle();
        }
    };
    (@check_connection $inner:tt) => {
        fn check_connection(&mut self) -> bool {
            self.$inner.check_connection()
        }
    };
    (@initial_position $inner:tt) => {
        fn initial_position(&mut self, displacement: &mut [f64]) -> bool {
            self.$inner.initial_position(displacement)
        }
    };
    (@free_run $inner:tt) => {
        fn free_run(&mut self) -> Option<f64> {
            self.$inner.free_run()
        }
    };
    (@status $inner:tt) => {
        #[inline]
        fn status(&self) -> $crate::Status {
            self.$inner.status()
        }
    };
    (@hydraulics $inner:tt) => {
        fn hydraulics(&mut self, what: $crate::Hydraulics) -> bool {
            self.$inner.hydraulics(what)
        }
    };
    (@observe $inner:tt) => {
        #[inline]
        fn observe(&self) -> &dyn $crate::RigView {
            self.$inner.observe()
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The record keeps these numbers: 1 pressure, 2 manifold, 4 emergency chain open; a replay
    /// takes the status from them.
    #[test]
    fn a_status_is_four_numbers() {
        for flags in 0..8_u8 {
            let status = Status {
                pressure: flags % 2 == 1,
                manifold: flags / 2 % 2 == 1,
                emergency: flags / 4 == 1,
                age: 17,
                valve: 0.625,
                device_time: 12.5,
            };
            let words = [f64::from(flags), 17.0, 0.625, 12.5];
            assert_eq!(status.words().map(f64::to_bits), words.map(f64::to_bits));
            assert_eq!(Status::from_words(words), status);
        }
    }

    struct Silent;

    snapshot!(Silent {});

    impl RigView for Silent {}

    impl Rig for Silent {
        fn properties(&self) -> RigProperties {
            RigProperties::of(1)
        }
        fn read(&mut self, _: &mut Measured) {}
        fn write(&mut self, _: Released<'_>) {}
    }

    /// A rig that says nothing of itself is well, there, at zero, without hydraulics that could be
    /// on and without a rate of its own; nobody sees anything of it.
    #[test]
    fn what_is_not_said_of_a_rig() {
        let mut rig = Silent;
        let mut place = [0.5];
        assert!(rig.check_connection() && rig.hydraulics(Hydraulics::Off));
        assert!(!rig.initial_position(&mut place));
        assert_eq!((place, rig.free_run()), ([0.5], None));
        let views: [&dyn RigView; 2] = [rig.observe(), &Silent];
        for view in views {
            assert_eq!(view.fault_message(), None);
            assert_eq!(view.slowest_step(), None);
            assert_eq!(view.truth(), None);
            assert!(!view.tangent(&mut place));
        }
        assert_eq!(rig.status().words()[..3], [3.0, 0.0, 0.0]);
    }
}
