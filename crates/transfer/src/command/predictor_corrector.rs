//! What all predictor–corrector generators share: predict until the target may be used, then correct towards it.

use super::path::{LATEST, Path, Point};
use super::{CommandGenerator, Lateness};
use tandem_quantity::{BuildError, Motion, Snapshot, SnapshotError, Values, Words};

/// The two polynomials of a method, for one actuator, over the fraction x of the way.
pub(super) trait Law: Send {
    /// Continues the past targets.
    fn predict(&self, path: &Path, actuator: usize, x: f64, duration: f64) -> Point;

    /// Goes to the present target.
    fn correct(&self, path: &Path, actuator: usize, x: f64, duration: f64) -> Point;
}

/// A predictor–corrector generator.
///
/// The target is used from x > `prediction` on, also when it was there before: so a test is the same however
/// fast the integration side answers. With `adaptive` it is used as soon as it is there. A late target lengthens the prediction to `limit`; from there the
/// trajectory slows down over the rest of the step and holds half of that rest further on.
#[derive(Clone, Debug)]
pub(super) struct PredictorCorrector<L> {
    law: L,
    path: Path,
    prediction: f64,
    limit: f64,
}

impl<L> Snapshot for PredictorCorrector<L> {
    fn save(&self, into: &mut Vec<f64>) {
        self.path.save(into);
    }

    fn restore(&mut self, from: &mut Words<'_>) -> Result<(), SnapshotError> {
        self.path.restore(from)
    }
}

impl<L: Law + 'static> PredictorCorrector<L> {
    /// From the keys that all of these methods have.
    pub fn boxed(
        law: L,
        values: &Values,
        actuators: usize,
    ) -> Result<Box<dyn CommandGenerator>, BuildError> {
        let prediction = match values.boolean("adaptive")? {
            true => 0.0,
            false => values.number("prediction")?,
        };
        let limit = values.number("limit")?;
        if limit < prediction {
            return Err(BuildError::new(
                "limit",
                format!("{limit} is below the prediction of {prediction}"),
                "let a late target be predicted at least as far as one in time",
            ));
        }
        Ok(Box::new(Self {
            law,
            path: Path::new(actuators),
            prediction,
            limit,
        }))
    }

    /// Predicts at `place` of the polynomial, where the clock says `x`.
    #[inline]
    fn predict(&mut self, x: f64, place: Point, duration: f64, wanted: &mut Motion) {
        let [s, rate, slowing] = place;
        for i in 0..wanted.len() {
            let p = self.law.predict(&self.path, i, s, duration);
            let point = [p[0], p[1] * rate, p[2] * rate * rate + p[1] * slowing];
            self.path.set_last(i, point);
            put(wanted, i, point, duration);
        }
        self.path.last_x = x;
        self.path.predicted = true;
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
        self.path.target(target, self.limit);
    }

    #[inline]
    fn wanted(&mut self, x: f64, duration: f64, wanted: &mut Motion) {
        self.path.place(duration);
        if x <= self.prediction + 1e-9 {
            self.predict(x, [x, 1.0, 0.0], duration, wanted);
            return;
        }
        if !self.path.predicted {
            // No tick fell into the prediction: the way starts at the previous target.
            for i in 0..self.path.actuators() {
                let start = self.law.predict(&self.path, i, 0.0, duration);
                self.path.set_last(i, start);
            }
            self.path.predicted = true;
        }
        for i in 0..wanted.len() {
            let point = self.law.correct(&self.path, i, x, duration);
            put(wanted, i, point, duration);
            if x >= 1.0 {
                // The end is the target itself, bit for bit.
                wanted.displacement[i] = self.path.displacement(i, 0);
            }
        }
    }

    #[inline]
    fn waiting(&mut self, x: f64, duration: f64, wanted: &mut Motion) -> Lateness {
        self.path.wait();
        self.path.place(duration);
        let rest = 1.0 - self.limit;
        let late = x - self.limit;
        if late <= 0.0 {
            self.predict(x, [x, 1.0, 0.0], duration, wanted);
            Lateness::Predicting
        } else if late < rest {
            // Constant deceleration from full pace to rest.
            let s = self.limit + late - 0.5 * late * late / rest;
            let place = [s, 1.0 - late / rest, -1.0 / rest];
            self.predict(x, place, duration, wanted);
            Lateness::Slowing
        } else {
            let s = self.limit + 0.5 * rest;
            self.predict(x, [s, 0.0, 0.0], duration, wanted);
            Lateness::Holding
        }
    }

    fn late_limit(&self) -> f64 {
        self.limit.min(LATEST)
    }

    fn is_waiting(&self) -> bool {
        self.path.is_waiting()
    }
}
