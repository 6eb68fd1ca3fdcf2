//! Displacement and force control in one: a share of each error, and back to displacement when the
//! specimen fails.

use super::pid::{Pid, PidSettings};
use super::{Build, Servo};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Range, Settings, Snapshot, SnapshotError,
    StateReader, settings,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "mixed",
        summary: "PID on a mix of displacement and force error; falls back to displacement when \
            the specimen fails",
        reference: "Pan, Nakashima and Tomofuji 2005 (mixed control); Elkhoraibi and Mosalam 2007 \
            (switching)",
        parameters: MixedSettings::PARAMETERS,
    },
    build: &|values, &Context { period, .. }| {
        let MixedSettings {
            pid,
            stiffness,
            force_share,
            fallback,
        } = MixedSettings::read(values)?;
        let mixed = Mixed::build(&pid, &stiffness, &fallback, period, force_share)?;
        Ok(Some(Box::new(mixed)))
    },
};

settings! {
    /// Makes a displacement of a force, and a force of a command.
    pub(super) struct Stiffness {
        /// of the specimen: makes a displacement of a force
        pub stiffness: f64 = number(Dimension::STIFFNESS).or("\"1000 kN/m\"").positive(),
    }
}

settings! {
    /// When the specimen has failed.
    pub(super) struct Fallback {
        /// displacement control for good once the force falls this far behind stiffness times
        /// displacement
        pub fallback_force: Option<f64> = number(Dimension::FORCE).positive(),
    }
}

settings! {
    struct MixedSettings {
        pid: PidSettings,
        stiffness: Stiffness,
        /// 0: displacement control; 1: force control, the command times the stiffness being the
        /// wanted force
        force_share: f64 = number(Dimension::NONE).or("0.5").within(Range::between(0.0, 1.0)),
        fallback: Fallback,
    }
}

/// Feedback y = (1 − w) x + w f/K. At the fall-back the feedback does not jump: the difference is
/// carried and let go at one thousandth a period.
#[derive(Clone, Debug)]
pub(super) struct Mixed {
    pid: Pid,
    compliance: f64,
    share: f64,
    fallback: f64,
    offset: f64,
    fallen_back: bool,
}

impl Mixed {
    /// A mix with this share of force.
    pub fn build(
        pid: &PidSettings,
        stiffness: &Stiffness,
        fallback: &Fallback,
        period: f64,
        share: f64,
    ) -> Result<Self, BuildError> {
        Ok(Self {
            pid: Pid::build(pid, period)?,
            compliance: 1.0 / stiffness.stiffness,
            share,
            fallback: fallback.fallback_force.unwrap_or(f64::INFINITY),
            offset: 0.0,
            fallen_back: false,
        })
    }
}

impl Snapshot for Mixed {
    fn save(&self, into: &mut Vec<f64>) {
        self.pid.save(into);
        self.offset.save(into);
        self.fallen_back.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.pid.restore(from)?;
        self.offset.restore(from)?;
        self.fallen_back.restore(from)
    }
}

impl Servo for Mixed {
    #[inline]
    fn drive(&mut self, command: f64, measured: f64) -> f64 {
        self.pid.drive(command, measured)
    }

    fn uses_force(&self) -> bool {
        true
    }

    #[inline]
    fn drive_with_force(&mut self, command: f64, measured: f64, force: f64) -> f64 {
        let mixed = self.share * (force * self.compliance - measured);
        let lost = (measured - force * self.compliance).abs() / self.compliance;
        // A force that is not a number is a lost load cell.
        if !self.fallen_back && (lost > self.fallback || !mixed.is_finite()) {
            self.fallen_back = true;
            self.offset = if mixed.is_finite() { mixed } else { 0.0 };
        }
        let shift = if self.fallen_back {
            self.offset *= 0.999;
            self.offset
        } else {
            mixed
        };
        self.pid.drive(command, measured + shift)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_quantity::{Value, Values};
    use tandem_test_support::larger;

    fn servo(share: f64) -> Box<dyn Servo> {
        let mut values = Values::new();
        for (key, x) in [
            ("proportional", 0.5),
            ("integral", 40.0),
            ("derivative", 0.0),
            ("feed_forward", 0.0),
            ("stiffness", 1e6),
            ("force_share", share),
            ("fallback_force", 8e3),
        ] {
            values.set(key, Value::Number(x));
        }
        (ENTRY.build)(&values, &Context::of(1, 1e-3))
            .unwrap()
            .unwrap()
    }

    /// A specimen softer than assumed (0.8 MN/m): force control reaches the force, displacement
    /// control the displacement.
    #[test]
    fn the_share_decides_what_is_reached() {
        for (share, displacement) in [(0.0, 0.01), (1.0, 0.0125), (0.5, 0.01 / 0.9)] {
            let mut servo = servo(share);
            let mut x = 0.0;
            for _ in 0..5000 {
                let drive = servo.drive_with_force(0.01, x, 0.8e6 * x);
                x += 0.05 * (drive - x);
            }
            assert!((x - displacement).abs() < 1e-6, "{share}: {x}");
        }
    }

    /// The specimen breaks under force control: the piston does not run away but goes to the
    /// commanded displacement.
    #[test]
    fn a_broken_specimen_is_held_in_displacement() {
        let mut servo = servo(1.0);
        let (mut x, mut largest) = (0.0_f64, 0.0_f64);
        for k in 0..20_000 {
            let force = if k < 5000 { 1e6 * x } else { 0.0 };
            let drive = servo.drive_with_force(0.01, x, force);
            x += 0.05 * (drive - x);
            largest = larger(largest, x);
        }
        assert!((x - 0.01).abs() < 1e-6, "{x}");
        assert!(largest < 0.03, "{largest}");
    }
}
