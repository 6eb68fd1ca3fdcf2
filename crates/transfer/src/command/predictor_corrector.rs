//! What all predictor–corrector generators share: predict until the target may be used, then
//! correct towards it.

use super::path::{LATEST, Path, Point, hermite};
use super::{CommandGenerator, LateMode};
use tandem_quantity::{
    BuildError, Conditional, Dimension, Motion, Range, Snapshot, SnapshotError, StateReader,
    settings,
};

/// The two polynomials of a method, for one actuator, over the fraction x of the way.
pub(super) trait Law: Send {
    /// Whether the prediction moves at all; a method that stands has nothing to slow down.
    const MOVES: bool = true;

    /// Continues the targets from the one that is `newest` back: 1 continues the past ones on this
    /// way, 0 tells how the next way will begin.
    fn predict(&self, path: &Path, actuator: usize, newest: usize, x: f64, duration: f64) -> Point;

    /// Goes to the present target.
    fn correct(&self, path: &Path, actuator: usize, x: f64, duration: f64) -> Point;
}

settings! {
    /// How far a predictor–corrector generator predicts.
    pub(super) struct PredictorCorrectorSettings {
        /// fraction of the step that is predicted before the target is used
        prediction: Conditional<f64> = number(Dimension::NONE)
            .or("0.6")
            .within(Range::between(0.0, 0.95)),
        /// predict only until the target is there, and correct from then on; `prediction` then
        /// does not count
        adaptive: bool = boolean().or("false"),
        /// fraction up to which a late target is predicted; over the rest of the step the command
        /// slows down, and holds
        limit: f64 = number(Dimension::NONE).or("0.8").within(Range::between(0.0, 1.0)),
    }
}

/// A predictor–corrector generator.
///
/// The target is used from x > `prediction` on, also when it was there before: so a test is the
/// same however fast the integration side answers. With `adaptive` it is used as soon as it is
/// there. A late target lengthens the prediction to `limit`; from there the trajectory slows down
/// over `rest` and holds half of that further on. Once it has slowed down, the method's own
/// correction would start with a kink or a jump, and a compensator with derivatives multiplies
/// that: the rest of the way is then a quintic from the position, velocity and acceleration of that
/// moment to those with which the next prediction begins.
#[derive(Clone, Debug)]
pub(super) struct PredictorCorrector<L> {
    law: L,
    path: Path,
    prediction: f64,
    limit: f64,
    rest: f64,
}

impl<L> Snapshot for PredictorCorrector<L> {
    fn save(&self, into: &mut Vec<f64>) {
        self.path.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.path.restore(from)
    }
}

impl<L: Law + 'static> PredictorCorrector<L> {
    /// From the keys that all of these methods have.
    pub fn boxed(
        law: L,
        settings: &PredictorCorrectorSettings,
        actuators: usize,
    ) -> Result<Box<dyn CommandGenerator>, BuildError> {
        let prediction = if settings.adaptive {
            0.0
        } else {
            settings.prediction.read()?
        };
        let mut limit = settings.limit;
        if limit < prediction {
            return Err(BuildError::new(
                "limit",
                format!("{limit} is below the prediction of {prediction}"),
                "let a late target be predicted at least as far as one in time",
            ));
        }
        if !L::MOVES {
            // It stands already: the way to a late target takes as long as that to one in time.
            limit = prediction;
        }
        Ok(Box::new(Self {
            law,
            path: Path::new(actuators),
            prediction,
            limit,
            rest: (1.0 - limit).max(1.0 - LATEST),
        }))
    }

    /// Predicts at `place` of the polynomial, where the clock of the way says `x`.
    #[inline]
    fn predict(&mut self, x: f64, place: Point, duration: f64, wanted: &mut Motion) {
        let [s, rate, slowing] = place;
        for i in 0..wanted.len() {
            let p = self.law.predict(&self.path, i, 1, s, duration);
            let point = [p[0], p[1] * rate, p[2] * rate * rate + p[1] * slowing];
            self.path.set_last(i, point);
            put(wanted, i, point, duration);
        }
        self.path.last_x = x;
        self.path.predicted = true;
    }

    /// From the point where the prediction has slowed down to the target, and there into the next
    /// prediction without a kink.
    #[inline]
    fn go_on(&self, actuator: usize, x: f64, duration: f64) -> Point {
        let from = (self.path.last_x, self.path.last(actuator));
        let end = self.path.node(0);
        let [_, slope, curvature] = self.law.predict(&self.path, actuator, 0, end, duration);
        let to = [self.path.displacement(actuator, 0), slope, curvature];
        hermite(from, (end, to), true, x)
    }
}

#[inline]
fn put(wanted: &mut Motion, actuator: usize, point: Point, duration: f64) {
    wanted.displacement[actuator] = point[0];
    wanted.velocity[actuator] = point[1] / duration;
    wanted.acceleration[actuator] = point[2] / (duration * duration);
}

impl<L: Law + 'static> CommandGenerator for PredictorCorrector<L> {
    #[inline]
    fn target(&mut self, target: &Motion) {
        self.path.target(target);
    }

    #[inline]
    fn wanted(&mut self, x: f64, duration: f64, wanted: &mut Motion) {
        self.path.place(duration);
        if x <= self.prediction + 1e-9 && !self.path.slowed {
            self.predict(x, [x, 1.0, 0.0], duration, wanted);
            return;
        }
        if !self.path.predicted {
            // No tick fell into the prediction: the way starts at the previous target.
            for i in 0..self.path.actuators() {
                let start = self.law.predict(&self.path, i, 1, 0.0, duration);
                self.path.set_last(i, start);
            }
            self.path.predicted = true;
        }
        for i in 0..wanted.len() {
            let point = if self.path.slowed {
                self.go_on(i, x, duration)
            } else {
                self.law.correct(&self.path, i, x, duration)
            };
            put(wanted, i, point, duration);
            if x >= 1.0 {
                // The end is the target itself, bit for bit.
                wanted.displacement[i] = self.path.displacement(i, 0);
            }
        }
    }

    #[inline]
    fn waiting(&mut self, x: f64, late: f64, duration: f64, wanted: &mut Motion) -> LateMode {
        self.path.wait();
        self.path.place(duration);
        if late <= 0.0 {
            self.predict(x, [x, 1.0, 0.0], duration, wanted);
            return LateMode::Predicting;
        }
        self.path.slowed = L::MOVES;
        let u = (late / self.rest).min(1.0);
        // The pace falls from 1 to 0 as 1 − u²(3 − 2u): also its derivative begins and ends at
        // zero.
        let s = x + self.rest * u * (1.0 - u * u * (1.0 - 0.5 * u));
        let pace = 1.0 - u * u * (3.0 - 2.0 * u);
        let slowing = -6.0 * u * (1.0 - u) / self.rest;
        self.predict(x, [s, pace, slowing], duration, wanted);
        if u < 1.0 {
            LateMode::Slowing
        } else {
            LateMode::Holding
        }
    }

    fn late_limit(&self) -> f64 {
        self.limit.min(LATEST)
    }

    fn is_waiting(&self) -> bool {
        self.path.is_waiting()
    }
}
