//! Hermite polynomials with velocities from the targets (PreCor-V).

use super::path::{Path, Point, hermite, lagrange};
use super::predictor_corrector::{Law, PredictorCorrector, PredictorCorrectorSettings};
use super::{Build, Timing};
use tandem_quantity::{Context, Entry, Method, Settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "velocity",
        summary: "cubic Hermite polynomials, velocities by differentiating the targets: no jump, \
            no kink",
        reference: "Schellenberg, Mahin and Fenves 2009; Tekeste, Correia and Costa 2025, section \
            2.7 (PreCor-V)",
        parameters: <(Timing, PredictorCorrectorSettings)>::PARAMETERS,
    },
    build: &|values, &Context { actuators, .. }| {
        let settings = PredictorCorrectorSettings::read(values)?;
        PredictorCorrector::boxed(Velocity, &settings, actuators)
    },
};

/// Velocities at −1, 0 and 1 from parabolas through three targets; cubic through −1 and 0 for the
/// prediction, through the last predicted point (with its velocity) and 1 for the correction.
#[derive(Clone, Copy, Debug)]
struct Velocity;

/// Displacement of the target `age` and the slope there of the parabola through it and its
/// neighbours from `first` on.
#[inline]
fn point(path: &Path, actuator: usize, age: usize, first: usize) -> (f64, Point) {
    let at = |k: usize| (path.node(k), path.displacement(actuator, k));
    let x = path.node(age);
    let slope = lagrange(&[at(first), at(first + 1), at(first + 2)], x)[1];
    (x, [path.displacement(actuator, age), slope, 0.0])
}

impl Law for Velocity {
    #[inline]
    fn predict(
        &self,
        path: &Path,
        actuator: usize,
        newest: usize,
        x: f64,
        _duration: f64,
    ) -> Point {
        let from = point(path, actuator, newest + 1, newest);
        let to = point(path, actuator, newest, newest);
        hermite(from, to, false, x)
    }

    #[inline]
    fn correct(&self, path: &Path, actuator: usize, x: f64, _duration: f64) -> Point {
        let from = (path.last_x, path.last(actuator));
        let to = point(path, actuator, 0, 0);
        hermite(from, to, false, x)
    }
}
