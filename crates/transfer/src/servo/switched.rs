//! Displacement and force control in turn, without a bump.

use super::mixed::{Fallback, Stiffness};
use super::pid::{Pid, PidSettings};
use super::{Build, Servo};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Settings, Snapshot, SnapshotError, StateReader,
    settings,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "switched",
        summary: "force control while the specimen is stiff, displacement control beyond a force; \
            each takes over from the other without a bump",
        reference: "Elkhoraibi and Mosalam 2007 (mixed variables by switching)",
        parameters: SwitchedSettings::PARAMETERS,
    },
    build: &|values, &Context { period, .. }| {
        let settings = SwitchedSettings::read(values)?;
        let (low, high) = (settings.force_below, settings.displacement_above);
        if low >= high {
            return Err(BuildError::new(
                "force_below",
                format!("{low} N is not below displacement_above, {high} N"),
                "leave room between the two, or the control switches at every tick",
            ));
        }
        let pid = Pid::build(&settings.pid, period)?;
        Ok(Some(Box::new(Switched {
            displacement: pid.clone(),
            force: pid,
            compliance: 1.0 / settings.stiffness.stiffness,
            low,
            high,
            fallback: settings.fallback.fallback_force.unwrap_or(f64::INFINITY),
            in_force: true,
            fallen_back: false,
            drive: 0.0,
        })))
    },
};

settings! {
    struct SwitchedSettings {
        pid: PidSettings,
        stiffness: Stiffness,
        /// force control below this force, where a stiff specimen hardly moves
        force_below: f64 = number(Dimension::FORCE).positive(),
        /// displacement control above this force, where it yields; between the two nothing is
        /// switched
        displacement_above: f64 = number(Dimension::FORCE).positive(),
        fallback: Fallback,
    }
}

/// Two controllers with the same gains, one on x and one on f/K. The one that takes over starts
/// from the drive of the other ([`Pid::take_over`]); a failed specimen or a lost load cell leaves
/// displacement control for good.
#[derive(Clone, Debug)]
struct Switched {
    displacement: Pid,
    force: Pid,
    compliance: f64,
    low: f64,
    high: f64,
    fallback: f64,
    in_force: bool,
    fallen_back: bool,
    drive: f64,
}

impl Snapshot for Switched {
    fn save(&self, into: &mut Vec<f64>) {
        self.displacement.save(into);
        self.force.save(into);
        self.in_force.save(into);
        self.fallen_back.save(into);
        self.drive.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.displacement.restore(from)?;
        self.force.restore(from)?;
        self.in_force.restore(from)?;
        self.fallen_back.restore(from)?;
        self.drive.restore(from)
    }
}

impl Servo for Switched {
    #[inline]
    fn drive(&mut self, command: f64, measured: f64) -> f64 {
        self.drive = self.displacement.drive(command, measured);
        self.drive
    }

    fn uses_force(&self) -> bool {
        true
    }

    #[inline]
    fn drive_with_force(&mut self, command: f64, measured: f64, force: f64) -> f64 {
        let moved = force * self.compliance;
        let lost = (measured - moved).abs() / self.compliance;
        // A force that is not a number is a lost load cell.
        self.fallen_back |= !force.is_finite() || (self.in_force && lost > self.fallback);
        let to_force = !self.fallen_back
            && if self.in_force {
                force.abs() <= self.high
            } else {
                force.abs() < self.low
            };
        if to_force != self.in_force {
            self.in_force = to_force;
            let (controller, seen) = if to_force {
                (&mut self.force, moved)
            } else {
                (&mut self.displacement, measured)
            };
            controller.take_over(command, seen, self.drive);
        }
        self.drive = if self.in_force {
            self.force.drive(command, moved)
        } else {
            self.displacement.drive(command, measured)
        };
        self.drive
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_quantity::{Value, Values};
    use tandem_test_support::larger;

    fn servo() -> Box<dyn Servo> {
        let mut values = Values::new();
        for (key, x) in [
            ("proportional", 0.5),
            ("integral", 40.0),
            ("derivative", 0.0),
            ("feed_forward", 0.0),
            ("filter", 100.0),
            ("stiffness", 1e6),
            ("force_below", 3e3),
            ("displacement_above", 6e3),
            ("fallback_force", 8e3),
        ] {
            values.set(key, Value::Number(x));
        }
        (ENTRY.build)(&values, &Context::of(1, 1e-3))
            .unwrap()
            .unwrap()
    }

    /// A specimen that is stiffer than assumed to 7 kN and then yields: small commands lead to
    /// their force, large ones to their displacement, and neither change of control kicks the
    /// piston.
    #[test]
    fn each_control_takes_over_without_a_bump() {
        let mut servo = servo();
        let law = |x: f64| (1.25e6 * x).clamp(-7e3, 7e3);
        let (mut x, mut last, mut largest) = (0.0, 0.0, 0.0_f64);
        let run = |servo: &mut dyn Servo,
                   x: &mut f64,
                   to: f64,
                   from: f64,
                   worst: &mut f64,
                   last: &mut f64| {
            for k in 0..8000_u32 {
                let command = from + (to - from) * (f64::from(k) / 4000.0).min(1.0);
                let drive = servo.drive_with_force(command, *x, law(*x));
                *worst = larger(*worst, (drive - *last).abs());
                *last = drive;
                *x += 0.05 * (drive - *x);
            }
        };
        run(servo.as_mut(), &mut x, 0.004, 0.0, &mut largest, &mut last);
        // Force control: 4 kN at 3.2 mm.
        assert!((law(x) - 4e3).abs() < 1.0, "{x}");
        run(
            servo.as_mut(),
            &mut x,
            0.010,
            0.004,
            &mut largest,
            &mut last,
        );
        assert!((x - 0.010).abs() < 1e-6, "{x}");
        // Back below 3 kN: force control again; the yielded law here has no memory.
        run(
            servo.as_mut(),
            &mut x,
            0.001,
            0.010,
            &mut largest,
            &mut last,
        );
        assert!((law(x) - 1e3).abs() < 1.0, "{x}");
        // Commands move by 2.25 µm a tick; a kick would be a good part of a millimetre.
        assert!(largest < 1e-4, "{largest}");
    }

    /// A load cell that is lost, and a specimen that breaks: displacement control for good.
    #[test]
    fn a_lost_load_cell_is_not_followed() {
        for lost in [f64::NAN, 0.0] {
            let mut servo = servo();
            let (mut x, mut largest) = (0.0_f64, 0.0_f64);
            for k in 0..20_000 {
                let force = if k < 5000 { 1e6 * x } else { lost };
                let drive = servo.drive_with_force(0.004, x, force);
                assert!(drive.is_finite());
                x += 0.05 * (drive - x);
                largest = larger(largest, x);
            }
            // Without force the piston runs until it is 8 kN behind, at 8 mm; then it is led back
            // to the command.
            assert!((x - 0.004).abs() < 1e-6, "{x}");
            assert!(largest < 0.012, "{lost}: {largest}");
        }
    }
}
