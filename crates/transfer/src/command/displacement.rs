//! Lagrange polynomials through the target displacements (PreCor-D).

use super::path::{KEPT, Path, Point, lagrange};
use super::predictor_corrector::{Law, PredictorCorrector, PredictorCorrectorSettings};
use super::{Build, Timing};
use tandem_quantity::{Context, Entry, Method, Range, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "displacement",
        summary: "predicts and corrects with Lagrange polynomials through the targets; jumps at \
            the switch",
        reference: "Nakashima and Masaoka 1999; Tekeste, Correia and Costa 2025, Eqs 1–3 \
            (PreCor-D)",
        parameters: <(Timing, DisplacementSettings)>::PARAMETERS,
    },
    build: &|values, &Context { actuators, .. }| {
        let settings = DisplacementSettings::read(values)?;
        PredictorCorrector::boxed(
            Displacement {
                order: settings.order,
            },
            &settings.prediction,
            actuators,
        )
    },
};

settings! {
    struct DisplacementSettings {
        /// order of the polynomials
        order: usize = integer().or("3").within(Range::between(1.0, 4.0)),
        prediction: PredictorCorrectorSettings,
    }
}

/// Predictor through the targets −n … 0, corrector through −n+1 … 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Displacement {
    pub order: usize,
}

impl Displacement {
    #[inline]
    fn through(self, path: &Path, actuator: usize, newest: usize, x: f64) -> Point {
        let mut points = [(0.0, 0.0); KEPT];
        let count = (self.order + 1).min(KEPT - 1);
        for (k, point) in points[..count].iter_mut().enumerate() {
            *point = (
                path.node(newest + k),
                path.displacement(actuator, newest + k),
            );
        }
        lagrange(&points[..count], x)
    }
}

impl Law for Displacement {
    #[inline]
    fn predict(
        &self,
        path: &Path,
        actuator: usize,
        newest: usize,
        x: f64,
        _duration: f64,
    ) -> Point {
        self.through(path, actuator, newest, x)
    }

    #[inline]
    fn correct(&self, path: &Path, actuator: usize, x: f64, _duration: f64) -> Point {
        self.through(path, actuator, 0, x)
    }
}
