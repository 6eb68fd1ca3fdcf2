//! The targets behind and ahead of a predictor–corrector generator, on the axis of the present way.

use crate::History;
use tandem_quantity::{Motion, snapshot};

/// The last stretch of a way is always left for the correction, however late the target comes.
pub(super) const LATEST: f64 = 0.95;

/// How many targets are kept: the present one and five before it.
pub(super) const KEPT: usize = 6;

/// Value, slope and curvature of one actuator's trajectory over the fraction x of the way.
pub(super) type Point = [f64; 3];

/// The last targets, and where they stand on the axis of the present way: the way begins at 0 (the
/// previous target) and ends at 1 (the present target). Targets before that stand at −1, −2, … when
/// all ways take the same time, and where their times put them when not.
#[derive(Clone, Debug)]
pub(super) struct Path {
    actuators: usize,
    /// Displacements, velocities, accelerations of the targets, newest first.
    targets: History,
    /// Structural time of the ways that led to them; zero when nobody walked them.
    durations: [f64; KEPT],
    nodes: [f64; KEPT],
    /// The way has begun but its target is not there yet.
    waiting: bool,
    /// Where the clock of the way stood at the last prediction, and what that was; 0 and the
    /// previous target before the first.
    pub last_x: f64,
    last: Vec<f64>,
    pub predicted: bool,
    /// The prediction of this way has left its pace because the target is late.
    pub slowed: bool,
    scratch: Vec<f64>,
}

snapshot!(Path {
    targets,
    durations,
    nodes,
    waiting,
    last_x,
    last,
    predicted,
    slowed
});

impl Path {
    pub fn new(actuators: usize) -> Self {
        Self {
            actuators,
            targets: History::new(3 * actuators, KEPT),
            durations: [0.0; KEPT],
            nodes: [1.0, 0.0, -1.0, -2.0, -3.0, -4.0],
            waiting: false,
            last_x: 0.0,
            last: vec![0.0; 3 * actuators],
            predicted: false,
            slowed: false,
            scratch: vec![0.0; 3 * actuators],
        }
    }

    pub fn actuators(&self) -> usize {
        self.actuators
    }

    pub fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// A way begins; until its target is there the previous one stands in for it.
    #[inline]
    fn begin(&mut self) {
        self.scratch.copy_from_slice(self.targets.back(0));
        self.targets.push(&self.scratch);
        self.durations.copy_within(0..KEPT - 1, 1);
        self.durations[0] = 0.0;
        self.last_x = 0.0;
        self.predicted = false;
        self.slowed = false;
    }

    /// The way begins without its target.
    #[inline]
    pub fn wait(&mut self) {
        if !self.waiting {
            self.begin();
            self.waiting = true;
        }
    }

    /// The target is there.
    #[inline]
    pub fn target(&mut self, target: &Motion) {
        if !self.waiting {
            self.begin();
        }
        self.waiting = false;
        let n = self.actuators;
        self.scratch[..n].copy_from_slice(&target.displacement);
        self.scratch[n..2 * n].copy_from_slice(&target.velocity);
        self.scratch[2 * n..].copy_from_slice(&target.acceleration);
        self.targets.replace(&self.scratch);
    }

    /// Places the targets on the axis of a way that takes `duration`.
    #[inline]
    pub fn place(&mut self, duration: f64) {
        self.durations[0] = duration;
        let mut at = 0.0;
        for k in 1..KEPT - 1 {
            let walked = self.durations[k];
            at -= if walked > 0.0 { walked / duration } else { 1.0 };
            self.nodes[k + 1] = at;
        }
    }

    /// Where target 1, 0, −1, … stands: `age` counts back from the present one.
    #[inline]
    pub fn node(&self, age: usize) -> f64 {
        self.nodes[age]
    }

    /// Displacement of a target.
    #[inline]
    pub fn displacement(&self, actuator: usize, age: usize) -> f64 {
        self.targets.back(age)[actuator]
    }

    /// Displacement, velocity and acceleration of a target, per unit of x for a way of `duration`.
    #[inline]
    pub fn motion(&self, actuator: usize, age: usize, duration: f64) -> Point {
        let row = self.targets.back(age);
        let n = self.actuators;
        [
            row[actuator],
            row[n + actuator] * duration,
            row[2 * n + actuator] * duration * duration,
        ]
    }

    /// The last predicted point of an actuator.
    #[inline]
    pub fn last(&self, actuator: usize) -> Point {
        let n = self.actuators;
        [
            self.last[actuator],
            self.last[n + actuator],
            self.last[2 * n + actuator],
        ]
    }

    #[inline]
    pub fn set_last(&mut self, actuator: usize, point: Point) {
        let n = self.actuators;
        self.last[actuator] = point[0];
        self.last[n + actuator] = point[1];
        self.last[2 * n + actuator] = point[2];
    }
}

/// Value, slope and curvature at `x` of the polynomial through `points` (place, value), at most
/// [`KEPT`] of them.
#[inline]
pub(super) fn lagrange(points: &[(f64, f64)], x: f64) -> Point {
    let mut sum = [0.0; 3];
    for (k, (node, value)) in points.iter().enumerate() {
        let mut basis = [1.0, 0.0, 0.0];
        for (j, (other, _)) in points.iter().enumerate() {
            if j != k {
                // Product rule, one factor (x − x_j)/(x_k − x_j) at a time.
                let slope = 1.0 / (node - other);
                let factor = (x - other) * slope;
                basis[2] = basis[2] * factor + 2.0 * basis[1] * slope;
                basis[1] = basis[1] * factor + basis[0] * slope;
                basis[0] *= factor;
            }
        }
        for (s, b) in sum.iter_mut().zip(basis) {
            *s += b * value;
        }
    }
    sum
}

/// Cubic through value and slope at two places (Hermite), or quintic through value, slope and
/// curvature.
#[inline]
pub(super) fn hermite(from: (f64, Point), to: (f64, Point), quintic: bool, x: f64) -> Point {
    let length = to.0 - from.0;
    let s = (x - from.0) / length;
    // Slopes and curvatures per unit of s.
    let [y0, v0, a0] = [from.1[0], from.1[1] * length, from.1[2] * length * length];
    let [y1, v1, a1] = [to.1[0], to.1[1] * length, to.1[2] * length * length];
    let rise = y1 - y0;
    let c = if quintic {
        let (e0, e1, e2) = (rise - v0 - 0.5 * a0, v1 - v0 - a0, a1 - a0);
        [
            y0,
            v0,
            0.5 * a0,
            10.0 * e0 - 4.0 * e1 + 0.5 * e2,
            -15.0 * e0 + 7.0 * e1 - e2,
            6.0 * e0 - 3.0 * e1 + 0.5 * e2,
        ]
    } else {
        [
            y0,
            v0,
            3.0 * rise - 2.0 * v0 - v1,
            -2.0 * rise + v0 + v1,
            0.0,
            0.0,
        ]
    };
    let (mut value, mut slope, mut curvature) = (0.0, 0.0, 0.0);
    for coefficient in c.into_iter().rev() {
        curvature = curvature * s + 2.0 * slope;
        slope = slope * s + value;
        value = value * s + coefficient;
    }
    [value, slope / length, curvature / (length * length)]
}
