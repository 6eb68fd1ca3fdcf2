//! Displacement and velocity of the ground, from its acceleration.

use super::{Record, as_f64};

/// The motion that a record stands for, from rest: its acceleration is linear between the points,
/// so velocity and displacement are exact polynomials there. Behind its end the ground keeps the
/// velocity it has.
#[derive(Debug, Clone, PartialEq)]
pub struct GroundDisplacement {
    dt: f64,
    /// Acceleration (m/s²), velocity (m/s) and displacement (m) at the points.
    points: Vec<[f64; 3]>,
}

impl GroundDisplacement {
    /// Integrates a record twice.
    #[must_use]
    pub fn of(record: &Record) -> Self {
        let dt = record.dt;
        let mut points = Vec::with_capacity(record.acceleration.len());
        let (mut velocity, mut displacement, mut before) = (0.0, 0.0, None);
        for &after in &record.acceleration {
            if let Some(before) = before {
                let [_, v, d] = within([before, velocity, displacement], after, dt, dt);
                (velocity, displacement) = (v, d);
            }
            points.push([after, velocity, displacement]);
            before = Some(after);
        }
        Self { dt, points }
    }

    /// Displacement (m) and velocity (m/s) at any time (s). Constant time, no allocation.
    #[must_use]
    pub fn at(&self, time: f64) -> (f64, f64) {
        let position = time / self.dt;
        // A time that is not a number stays at rest, too.
        if position.is_nan() || position <= 0.0 {
            return (0.0, 0.0);
        }
        let last = self.points.len().saturating_sub(1);
        if position >= as_f64(last) {
            let Some([_, velocity, displacement]) = self.points.last() else {
                return (0.0, 0.0);
            };
            let since = time - as_f64(last) * self.dt;
            return (displacement + velocity * since, *velocity);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the last index"
        )]
        let index = position as usize;
        let (Some(start), Some([after, ..])) = (self.points.get(index), self.points.get(index + 1))
        else {
            return (0.0, 0.0);
        };
        let since = time - as_f64(index) * self.dt;
        let [_, velocity, displacement] = within(*start, *after, self.dt, since);
        (displacement, velocity)
    }
}

/// Acceleration, velocity and displacement `t` after a point, on the way to the next acceleration.
fn within([a, v, d]: [f64; 3], next: f64, dt: f64, t: f64) -> [f64; 3] {
    let slope = (next - a) / dt;
    [
        a + slope * t,
        v + t * (a + 0.5 * slope * t),
        d + t * (v + t * (0.5 * a + slope * t / 6.0)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a = 6t has v = 3t² and d = t³, exactly, between the points as well; then it goes on
    /// straight.
    #[test]
    fn a_ramp_of_acceleration_is_a_cubic_parabola() {
        let dt = 0.25;
        let acceleration = (0..9).map(|k| 6.0 * f64::from(k) * dt).collect();
        let record = Record::new("ramp", dt, acceleration).unwrap();
        let ground = GroundDisplacement::of(&record);
        for t in [0.0, 0.1, 0.25, 0.9, 1.999, 2.0] {
            let (d, v) = ground.at(t);
            assert!((d - t.powi(3)).abs() < 1e-12, "{t}: {d}");
            assert!((v - 3.0 * t * t).abs() < 1e-12, "{t}: {v}");
        }
        assert_eq!(ground.at(3.0), (8.0 + 12.0, 12.0));
        assert_eq!(ground.at(-1.0), (0.0, 0.0));
        assert_eq!(ground.at(f64::NAN), (0.0, 0.0));
    }
}
