//! Lagrange polynomials, corrected from the last predicted displacement (PreCor-LPD).

use super::displacement::Displacement;
use super::path::{KEPT, Path, Point, lagrange};
use super::predictor_corrector::{Law, PredictorCorrector, PredictorCorrectorSettings};
use super::{Build, Timing};
use tandem_quantity::{Context, Entry, Method, Range, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "last-predicted-displacement",
        summary: "as `displacement`, but the correction starts at the last predicted point: no \
            jump",
        reference: "Schellenberg, Mahin and Fenves 2009; Tekeste, Correia and Costa 2025, Eq. 4 \
            (PreCor-LPD)",
        parameters: <(Timing, LastPredictedSettings)>::PARAMETERS,
    },
    build: &|values, &Context { actuators, .. }| {
        let settings = LastPredictedSettings::read(values)?;
        let order = settings.order;
        PredictorCorrector::boxed(LastPredicted { order }, &settings.prediction, actuators)
    },
};

settings! {
    struct LastPredictedSettings {
        /// order of the polynomials
        order: usize = integer().or("3").within(Range::between(1.0, 4.0)),
        prediction: PredictorCorrectorSettings,
    }
}

/// The corrector's node 0 is replaced by (x_p, last predicted value): third order uses −2, −1, x_p,
/// 1.
#[derive(Clone, Copy, Debug)]
struct LastPredicted {
    order: usize,
}

impl Law for LastPredicted {
    #[inline]
    fn predict(&self, path: &Path, actuator: usize, newest: usize, x: f64, duration: f64) -> Point {
        Displacement { order: self.order }.predict(path, actuator, newest, x, duration)
    }

    #[inline]
    fn correct(&self, path: &Path, actuator: usize, x: f64, _duration: f64) -> Point {
        let mut points = [(0.0, 0.0); KEPT];
        let count = (self.order + 1).min(KEPT - 1);
        for (k, point) in points[..count].iter_mut().enumerate() {
            *point = if k == 1 {
                (path.last_x, path.last(actuator)[0])
            } else {
                (path.node(k), path.displacement(actuator, k))
            };
        }
        lagrange(&points[..count], x)
    }
}
