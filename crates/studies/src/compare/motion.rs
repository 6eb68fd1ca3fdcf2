//! The motions of the comparison.

use tandem::QUICK_START;
use tandem::plan::{self, Source};
use tandem::sections::ROOT;
use tandem_quantity::{BuildError, Motion, index};
use tandem_signal::correlate::peak;
use tandem_signal::derivative::{gradient, second_gradient};
use tandem_signal::synthetic::{Band, Sampling, band_limited_noise};

use super::RATE;

/// Both motions are scaled to this peak, m.
const PEAK: f64 = 0.020;
const DURATION: f64 = 20.0;

/// A wanted motion with its derivatives, at the coordinator's rate. The second axis moves half as
/// far, a tenth of a second later.
pub(super) struct Wanted {
    pub name: &'static str,
    pub summary: &'static str,
    axes: [[Vec<f64>; 3]; 2],
}

impl Wanted {
    fn new(name: &'static str, summary: &'static str, mut x: Vec<f64>) -> Self {
        let scale = PEAK / peak(&x).max(f64::MIN_POSITIVE);
        x.iter_mut().for_each(|x| *x *= scale);
        let later = index(0.1 * RATE);
        let second: Vec<f64> = (0..x.len())
            .map(|k| k.checked_sub(later).map_or(0.0, |k| 0.5 * x[k]))
            .collect();
        let with = |x: Vec<f64>| {
            let (v, a) = (gradient(&x, 1.0 / RATE), second_gradient(&x, 1.0 / RATE));
            [x, v, a]
        };
        Self {
            name,
            summary,
            axes: [with(x), with(second)],
        }
    }

    /// Number of ticks.
    pub fn len(&self) -> usize {
        self.axes[0][0].len()
    }

    /// Largest displacement, m.
    pub fn peak(&self) -> f64 {
        PEAK
    }

    /// Displacements of an axis.
    pub fn displacement(&self, axis: usize) -> &[f64] {
        &self.axes[axis % 2][0]
    }

    /// The motion of a tick, of `only` one axis or of all; the last tick stands still.
    pub fn at(&self, tick: usize, only: Option<usize>, motion: &mut Motion) {
        let k = tick.min(self.len() - 1);
        for i in only.map_or(0..motion.len(), |axis| axis..axis + 1) {
            let [x, v, a] = &self.axes[i % 2];
            motion.displacement[i] = x[k];
            motion.velocity[i] = v[k];
            motion.acceleration[i] = a[k];
        }
    }
}

/// The response of the quick start's first floor, and noise of a band.
pub(super) fn all() -> Result<[Wanted; 2], BuildError> {
    let source = Source::Text {
        name: "quick-start",
        text: QUICK_START,
    };
    let overrides = [format!("integration.duration={DURATION}s")];
    let fault = |text: String| BuildError::new("", text, "this is a fault of the program");
    let plan = plan::read(ROOT, source, &overrides).map_err(|r| fault(r.to_text()))?;
    let test = plan.assemble().map_err(|r| fault(r.to_text()))?;
    let response = test.reference()?.history(0);
    let sampling = Sampling::new(1.0 / RATE, DURATION).map_err(|e| fault(e.to_string()))?;
    let band = Band {
        low: 0.1,
        high: 8.0,
        rms: 1.0,
    };
    let noise = band_limited_noise(&sampling, band, 1.0, 5).map_err(|e| fault(e.to_string()))?;
    Ok([
        Wanted::new(
            "building",
            "first floor of the quick start under El Centro 1940, 20 mm, 20 s",
            response,
        ),
        Wanted::new("band", "noise from 0.1 to 8 Hz, 20 mm, 20 s", noise),
    ])
}
