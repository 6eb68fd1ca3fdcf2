//! Nothing is predicted: hold, then a straight line to the target.

use super::path::{Path, Point};
use super::predictor_corrector::{Law, PredictorCorrector, PredictorCorrectorSettings};
use super::{Build, Timing};
use tandem_quantity::{Context, Entry, Method, Settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "hold",
        summary: "holds the previous target while the next is computed, then a straight line to it",
        reference: "Takanashi et al. 1975",
        parameters: <(Timing, PredictorCorrectorSettings)>::PARAMETERS,
    },
    build: &|values, &Context { actuators, .. }| {
        let settings = PredictorCorrectorSettings::read(values)?;
        PredictorCorrector::boxed(Hold, &settings, actuators)
    },
};

/// Never moves where no target has asked it to: for specimens that must not be overshot.
#[derive(Clone, Copy, Debug)]
struct Hold;

impl Law for Hold {
    const MOVES: bool = false;

    #[inline]
    fn predict(
        &self,
        path: &Path,
        actuator: usize,
        newest: usize,
        _x: f64,
        _duration: f64,
    ) -> Point {
        [path.displacement(actuator, newest), 0.0, 0.0]
    }

    #[inline]
    fn correct(&self, path: &Path, actuator: usize, x: f64, _duration: f64) -> Point {
        let (start, from) = (path.last_x, path.last(actuator)[0]);
        let slope = (path.displacement(actuator, 0) - from) / (1.0 - start);
        [from + slope * (x - start), slope, 0.0]
    }
}
