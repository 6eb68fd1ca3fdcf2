//! Motion of a few points: what a target, a command and a measurement have in common.

use crate::snapshot;

/// Displacement, velocity and acceleration at some degrees of freedom or actuators.
///
/// Ports: displacement in m (rad), velocity in m/s, acceleration in m/s², relative to the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Displacements.
    pub displacement: Vec<f64>,
    /// Velocities.
    pub velocity: Vec<f64>,
    /// Accelerations.
    pub acceleration: Vec<f64>,
}

snapshot!(Motion {
    displacement,
    velocity,
    acceleration
});

impl Motion {
    /// Rest at `points` points.
    pub fn at_rest(points: usize) -> Self {
        Self {
            displacement: vec![0.0; points],
            velocity: vec![0.0; points],
            acceleration: vec![0.0; points],
        }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.displacement.len()
    }

    /// Whether there is no point at all.
    pub fn is_empty(&self) -> bool {
        self.displacement.is_empty()
    }

    /// Takes over the values of a motion of the same length.
    #[inline]
    pub fn copy_from(&mut self, other: &Self) {
        // Most tests have one actuator: its three values are worth no call.
        if let ([d], [v], [a], [x], [y], [z]) = (
            &mut self.displacement[..],
            &mut self.velocity[..],
            &mut self.acceleration[..],
            &other.displacement[..],
            &other.velocity[..],
            &other.acceleration[..],
        ) {
            (*d, *v, *a) = (*x, *y, *z);
        } else {
            self.copy_several(other);
        }
    }

    #[inline(never)]
    fn copy_several(&mut self, other: &Self) {
        copy_few(&mut self.displacement, &other.displacement);
        copy_few(&mut self.velocity, &other.velocity);
        copy_few(&mut self.acceleration, &other.acceleration);
    }

    /// Whether every value is finite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        [&self.displacement, &self.velocity, &self.acceleration]
            .iter()
            .all(|part| part.iter().all(|x| x.is_finite()))
    }
}

/// Copies a slice that mostly has one to four values: a call of the general routine would cost more
/// than the copy.
#[inline]
pub fn copy_few(to: &mut [f64], from: &[f64]) {
    match (to, from) {
        ([a], [x]) => *a = *x,
        ([a, b], [x, y]) => (*a, *b) = (*x, *y),
        ([a, b, c], [x, y, z]) => (*a, *b, *c) = (*x, *y, *z),
        ([a, b, c, d], [w, x, y, z]) => (*a, *b, *c, *d) = (*w, *x, *y, *z),
        (to, from) => to.copy_from_slice(from),
    }
}
