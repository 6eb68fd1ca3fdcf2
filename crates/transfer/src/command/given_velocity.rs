//! Hermite polynomials with the velocities and accelerations that come with the targets.

use super::path::{Path, Point, hermite};
use super::predictor_corrector::{Law, PredictorCorrector, PredictorCorrectorSettings};
use super::{Build, Timing};
use tandem_quantity::{BuildError, Context, Entry, Method, Range, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "given-velocity",
        summary: "Hermite polynomials with the target's own velocity (order 3) and acceleration \
            (order 5)",
        reference: "Schellenberg, Mahin and Fenves 2009",
        parameters: <(Timing, GivenVelocitySettings)>::PARAMETERS,
    },
    build: &|values, &Context { actuators, .. }| {
        let settings = GivenVelocitySettings::read(values)?;
        let quintic = match settings.order {
            3 => false,
            5 => true,
            other => {
                return Err(BuildError::new(
                    "order",
                    format!("{other} is neither 3 nor 5"),
                    "write 3 for a cubic or 5 for a quintic",
                ));
            }
        };
        PredictorCorrector::boxed(GivenVelocity { quintic }, &settings.prediction, actuators)
    },
};

settings! {
    struct GivenVelocitySettings {
        /// 3: displacement and velocity; 5: acceleration too
        order: usize = integer().or("3").within(Range::between(3.0, 5.0)),
        prediction: PredictorCorrectorSettings,
    }
}

/// Only for integrators whose targets carry velocities (explicit in velocity, such as KR-α or
/// Runge–Kutta).
#[derive(Clone, Copy, Debug)]
struct GivenVelocity {
    quintic: bool,
}

impl Law for GivenVelocity {
    #[inline]
    fn predict(&self, path: &Path, actuator: usize, newest: usize, x: f64, duration: f64) -> Point {
        let at = |age: usize| (path.node(age), path.motion(actuator, age, duration));
        hermite(at(newest + 1), at(newest), self.quintic, x)
    }

    #[inline]
    fn correct(&self, path: &Path, actuator: usize, x: f64, duration: f64) -> Point {
        let from = (path.last_x, path.last(actuator));
        let to = (path.node(0), path.motion(actuator, 0, duration));
        hermite(from, to, self.quintic, x)
    }
}
