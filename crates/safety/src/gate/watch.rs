//! What can be told from the way one actuator's sensors and its specimen behave over time.

use super::{Limit, Limits, ticks};
use tandem_quantity::snapshot;

/// The sensors of one actuator.
#[derive(Clone, Debug)]
pub(super) struct SensorWatch {
    frozen: u64,
    frozen_time: f64,
    frozen_travel: f64,
    ranges: [f64; 2],
    /// Largest change in a tick.
    jumps: [f64; 2],
    period: f64,
    /// What the sensors said last; not a number before the first tick.
    last: [f64; 2],
    /// For how many ticks each has repeated its value, and how far what it measures has moved
    /// meanwhile, m.
    same: [u64; 2],
    moved: [f64; 2],
    /// Where the command went since the last look at the piston, from there: now, least and
    /// largest; likewise the piston; ticks.
    way: [f64; 3],
    reach: [f64; 2],
    since: u64,
}

snapshot!(SensorWatch {
    last,
    same,
    moved,
    way,
    reach,
    since
});

/// A piston that makes less than this part of its command's way stands.
const STANDING: f64 = 0.05;

impl SensorWatch {
    pub fn new(limits: &Limits, period: f64) -> Self {
        let bound = |bound: Option<f64>| bound.unwrap_or(f64::INFINITY);
        let frozen_time = limits.frozen;
        Self {
            frozen: ticks(frozen_time, period),
            frozen_time,
            frozen_travel: limits.frozen_travel,
            ranges: [bound(limits.displacement_range), bound(limits.force_range)],
            jumps: [
                bound(limits.displacement_rate) * period,
                bound(limits.force_rate) * period,
            ],
            period,
            last: [f64::NAN; 2],
            same: [0; 2],
            moved: [0.0; 2],
            way: [0.0; 3],
            reach: [f64::INFINITY, f64::NEG_INFINITY],
            since: 0,
        }
    }

    /// Looks at displacement `x` and force `f`, where the command moved by `pace` in the tick
    /// before. Gives the first limit that is crossed, with value and bound.
    #[inline]
    pub fn look(&mut self, x: f64, f: f64, pace: f64) -> Option<(Limit, f64, f64)> {
        let now = [x, f];
        // What each sensor should notice: the command's motion, the piston's motion.
        let cause = [pace.abs(), (x - self.last[0]).abs()];
        let jump = [(x - self.last[0]).abs(), (f - self.last[1]).abs()];
        let mut found = None;
        for s in [1, 0] {
            #[allow(clippy::float_cmp)] // a frozen sensor repeats its bits
            if now[s] == self.last[s] {
                self.same[s] += 1;
                self.moved[s] += cause[s];
                if self.same[s] >= self.frozen && self.moved[s] > self.frozen_travel {
                    let limit = [Limit::FrozenDisplacement, Limit::FrozenForce][s];
                    let time = self.same[s] as f64 * self.frozen_time / self.frozen as f64;
                    found = Some((limit, time, self.frozen_time));
                }
            } else {
                self.same[s] = 0;
                self.moved[s] = 0.0;
            }
            if jump[s] > self.jumps[s] {
                let limit = [Limit::DisplacementRate, Limit::ForceRate][s];
                let (value, bound) = (jump[s] / self.period, self.jumps[s] / self.period);
                found = Some((limit, value, bound));
            }
            if now[s].abs() >= self.ranges[s] {
                found = Some((Limit::SensorRange, now[s], self.ranges[s]));
            }
        }
        if let Some(moved) = self.stands(x, pace) {
            found = Some((Limit::Stuck, moved, self.frozen_travel));
        }
        self.last = now;
        found
    }

    /// How far a piston went, when that is next to nothing of what its command did. Judged once the
    /// command has gone the travel of the plan, and not before its time: so a delay does not
    /// matter, nor how slow the test is.
    #[inline]
    fn stands(&mut self, x: f64, pace: f64) -> Option<f64> {
        let at = self.way[0] + pace;
        self.way = [at, self.way[1].min(at), self.way[2].max(at)];
        self.reach = [self.reach[0].min(x), self.reach[1].max(x)];
        self.since += 1;
        let (commanded, moved) = (self.way[2] - self.way[1], self.reach[1] - self.reach[0]);
        if self.since < self.frozen || commanded < self.frozen_travel {
            return None;
        }
        self.way = [0.0; 3];
        self.reach = [x; 2];
        self.since = 0;
        (moved < STANDING * commanded).then_some(moved)
    }
}

/// The specimen behind one actuator: whether it has lost its stiffness. Displacement and force must
/// belong to the same instant, so this goes by the reading (after the conditioning), in which a
/// late transducer has been brought to the present.
#[derive(Clone, Debug)]
pub(super) struct SpecimenWatch {
    failure: f64,
    /// Motions below this are mostly noise, m.
    travel: f64,
    /// Displacement and force at the first tick; not a number before.
    first: [f64; 2],
    /// Largest secant stiffness so far, or the planned one, if that is larger; the displacement at
    /// which it is judged; ticks below the bound.
    stiffest: f64,
    farthest: f64,
    weak: u64,
}

snapshot!(SpecimenWatch {
    first,
    stiffest,
    farthest,
    weak
});

/// A stiffness is judged at displacements beyond this part of the largest so far, and believed
/// after this many ticks.
const FAR: f64 = 0.25;
const BELIEVED: u64 = 5;

impl SpecimenWatch {
    pub fn new(limits: &Limits) -> Self {
        Self {
            failure: limits.specimen_failure.unwrap_or(0.0),
            travel: limits.frozen_travel,
            first: [f64::NAN; 2],
            stiffest: 0.0,
            farthest: 0.0,
            weak: 0,
        }
    }

    /// The stiffness that is planned, N/m: until the specimen has shown more, it is judged by this.
    pub fn expect(&mut self, stiffness: f64) {
        if stiffness.is_finite() {
            self.stiffest = self.stiffest.max(stiffness);
        }
    }

    /// The part of its largest secant stiffness that the specimen has left, from where it was at
    /// the start of the test, once that is below the bound for long enough; with the bound.
    #[inline]
    pub fn look(&mut self, x: f64, f: f64) -> Option<(f64, f64)> {
        if self.failure <= 0.0 || !(x.is_finite() && f.is_finite()) {
            return None;
        }
        if self.first[0].is_nan() {
            self.first = [x, f];
        }
        let (x, f) = (x - self.first[0], f - self.first[1]);
        self.farthest = self.farthest.max(x.abs());
        if self.farthest < self.travel || x.abs() < FAR * self.farthest {
            return None;
        }
        let secant = f / x;
        if secant > self.failure * self.stiffest || self.stiffest <= 0.0 {
            self.weak = 0;
            // Only far out: near zero a secant is noise.
            if x.abs() > 0.5 * self.farthest && secant > self.stiffest {
                self.stiffest = secant;
            }
            return None;
        }
        self.weak += 1;
        (self.weak >= BELIEVED).then_some((secant / self.stiffest, self.failure))
    }
}
