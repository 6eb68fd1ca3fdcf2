//! Recursive least squares with forgetting.

use super::{Estimator, add_product, dot, times};
use tandem_quantity::{Dimension, Range, settings, snapshot};

/// g = P Δd/(λ + ΔdᵀP Δd);  K ← K + (Δr − K Δd) gᵀ;  P ← (P − g (P Δd)ᵀ)/λ (Ljung 1999, §11.2).
///
/// P starts at 1/u² with the resolution u of the displacements; it is not blown up beyond that
/// where nothing moves.
struct Recursive {
    initial: Vec<f64>,
    forgetting: f64,
    largest: f64,
    stiffness: Vec<f64>,
    covariance: Vec<f64>,
    gain: Vec<f64>,
    miss: Vec<f64>,
}

snapshot!(Recursive {
    stiffness,
    covariance
});

settings! {
    pub(crate) struct RecursiveSettings {
        /// recursive: weight of the past from step to step
        forgetting: f64 = number(Dimension::NONE).or("0.95").within(Range::between(0.5, 1.0)),
        /// recursive: increments of this size begin to be believed
        resolution: f64 = number(Dimension::LENGTH).or("\"0.00001 m\"").positive(),
    }
}

/// The estimator with λ and u from the plan.
pub(super) fn make(settings: &RecursiveSettings, initial: &[f64], n: usize) -> Box<dyn Estimator> {
    let resolution = settings.resolution;
    let mut this = Recursive {
        initial: initial.to_vec(),
        forgetting: settings.forgetting,
        largest: 1.0 / (resolution * resolution),
        stiffness: initial.to_vec(),
        covariance: vec![0.0; n * n],
        gain: vec![0.0; n],
        miss: vec![0.0; n],
    };
    this.reset();
    Box::new(this)
}

impl Estimator for Recursive {
    fn record(&mut self, displacement: &[f64], force: &[f64]) {
        let n = displacement.len();
        times(&self.covariance, displacement, &mut self.gain);
        let scale = 1.0 / (self.forgetting + dot(displacement, &self.gain));
        times(&self.stiffness, displacement, &mut self.miss);
        for (miss, f) in self.miss.iter_mut().zip(force) {
            *miss = f - *miss;
        }
        add_product(&mut self.stiffness, scale, &self.miss, &self.gain);
        add_product(&mut self.covariance, -scale, &self.gain, &self.gain);
        let largest = (0..n).fold(0.0_f64, |m, i| m.max(self.covariance[i * n + i]));
        if largest < self.largest * self.forgetting {
            self.covariance
                .iter_mut()
                .for_each(|p| *p /= self.forgetting);
        }
    }

    fn reset(&mut self) {
        let n = self.gain.len();
        self.stiffness.copy_from_slice(&self.initial);
        self.covariance.fill(0.0);
        for i in 0..n {
            self.covariance[i * n + i] = self.largest;
        }
    }

    fn estimate(&mut self, stiffness: &mut [f64]) {
        stiffness.copy_from_slice(&self.stiffness);
    }
}
