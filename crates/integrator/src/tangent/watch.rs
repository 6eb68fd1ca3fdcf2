//! What is recorded, and when it is forgotten.

use super::clamp::Clamp;
use super::{Estimator, dot, make, times};
use tandem_quantity::{BuildError, Values, snapshot};

/// When the records are forgotten and the initial stiffness comes back: an unloading specimen is stiff again.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reset {
    /// The last measured degree of freedom turns.
    Top,
    /// The increment works against the last one: ΔdₙᵀK_IΔdₙ₋₁ < 0.
    Work,
    /// Any degree of freedom turns: its own rows and columns only, until a window of increments has passed.
    Each,
    Never,
}

/// Follows displacement and restoring force of the measured degrees of freedom and keeps the estimate of their tangent.
pub(crate) struct Watch {
    estimator: Box<dyn Estimator>,
    reset: Reset,
    clamp: Option<Clamp>,
    /// Lengths that turn rotations into displacements; one for a translation. All estimation is done on scaled values.
    scales: Vec<f64>,
    /// Increments below this, m, wait until they have grown.
    threshold: f64,
    /// How many increments must pass before a degree of freedom that has turned is believed again.
    patience: usize,
    initial: Vec<f64>,
    /// Displacement and force at the last record.
    displacement: Vec<f64>,
    force: Vec<f64>,
    /// The last increment, and those of now.
    last: Vec<f64>,
    increment: Vec<f64>,
    rise: Vec<f64>,
    /// Increments since each degree of freedom turned.
    since: Vec<usize>,
    /// The estimate and the initial stiffness, by rows, in the units of the structure.
    unscaled: Vec<f64>,
    pub stiffness: Vec<f64>,
    /// How much of the last increments of force the estimate before them foretold, 0 … 1.
    pub confidence: f64,
}

/// Weight of the newest increment in the confidence: an average over about five.
const NEWEST: f64 = 0.2;

snapshot!(Watch {
    estimator,
    displacement,
    force,
    last,
    since,
    stiffness,
    confidence
});

impl Watch {
    /// For the initial stiffness of `n` degrees of freedom, by rows.
    pub fn new(values: &Values, initial: &[f64], n: usize) -> Result<Self, BuildError> {
        let scales = match values.get("scales") {
            Some(_) => values.numbers("scales")?,
            None => vec![1.0; n],
        };
        if scales.len() != n || !scales.iter().all(|s| *s > 0.0) {
            return Err(BuildError::new(
                "scales",
                format!("{n} positive lengths are needed, one for each measured degree of freedom"),
                "write 1 for a translation, a typical length for a rotation",
            ));
        }
        let mut scaled = initial.to_vec();
        for i in 0..n {
            for j in 0..n {
                scaled[i * n + j] /= scales[i] * scales[j];
            }
        }
        let clamp = if values.boolean("clamp")? {
            let clamp = Clamp::new(&scaled, n).ok_or_else(|| {
                BuildError::new(
                    "clamp",
                    "the initial stiffness at the measured degrees of freedom is not positive definite",
                    "write clamp = false, or give the specimen's stiffness",
                )
            })?;
            Some(clamp)
        } else {
            None
        };
        let zeros = vec![0.0; n];
        Ok(Self {
            estimator: make(values, &scaled, n)?,
            reset: match values.text("reset")? {
                "work" => Reset::Work,
                "each" => Reset::Each,
                "never" => Reset::Never,
                _ => Reset::Top,
            },
            clamp,
            scales,
            threshold: values.number("threshold")?,
            patience: match values.get("window") {
                Some(_) => values.count("window")?,
                None => n,
            },
            initial: scaled,
            displacement: zeros.clone(),
            force: zeros.clone(),
            last: zeros.clone(),
            increment: zeros.clone(),
            rise: zeros,
            since: vec![usize::MAX; n],
            stiffness: initial.to_vec(),
            unscaled: initial.to_vec(),
            confidence: 1.0,
        })
    }

    /// Begins again at a displacement and force, with the initial stiffness.
    pub fn start(&mut self, displacement: &[f64], force: &[f64]) {
        self.estimator.reset();
        self.stiffness.copy_from_slice(&self.unscaled);
        self.displacement.copy_from_slice(displacement);
        self.force.copy_from_slice(force);
        self.last.fill(0.0);
        self.since.fill(usize::MAX);
        self.confidence = 1.0;
    }

    /// Compares an increment of force with what the present estimate makes of the increment of displacement.
    #[inline]
    fn judge(&mut self) {
        let n = self.last.len();
        let (mut miss, mut size) = (0.0, 0.0);
        for (i, rise) in self.rise.iter().enumerate() {
            let row = &self.stiffness[i * n..(i + 1) * n];
            let along = |(k, (d, s)): (&f64, (&f64, &f64))| k * d / s;
            let increments = self.increment.iter().zip(&self.scales);
            let foretold: f64 = row.iter().zip(increments).map(along).sum::<f64>() / self.scales[i];
            miss += (rise - foretold).powi(2);
            size += rise * rise;
        }
        if size > 0.0 {
            let hit = (1.0 - (miss / size).sqrt()).max(0.0);
            self.confidence += NEWEST * (hit - self.confidence);
        }
    }

    /// Takes a measured point. Returns whether the estimate is a new one.
    #[inline]
    pub fn observe(&mut self, displacement: &[f64], force: &[f64]) -> bool {
        let n = self.last.len();
        let mut largest = 0.0_f64;
        for i in 0..n {
            self.increment[i] = (displacement[i] - self.displacement[i]) * self.scales[i];
            self.rise[i] = (force[i] - self.force[i]) / self.scales[i];
            largest = largest.max(self.increment[i].abs());
        }
        if largest < self.threshold {
            return false;
        }
        self.judge();
        let turned = match self.reset {
            Reset::Top => n > 0 && self.increment[n - 1] * self.last[n - 1] < 0.0,
            Reset::Work => {
                // `displacement` of the last record is not needed any more in this call.
                times(&self.initial, &self.last, &mut self.displacement);
                dot(&self.displacement, &self.increment) < 0.0
            }
            Reset::Each | Reset::Never => false,
        };
        if self.reset == Reset::Each {
            for i in 0..n {
                self.since[i] = if self.increment[i] * self.last[i] < 0.0 {
                    0
                } else {
                    self.since[i].saturating_add(1)
                };
            }
        }
        self.displacement.copy_from_slice(displacement);
        self.force.copy_from_slice(force);
        self.last.copy_from_slice(&self.increment);
        // The increment over a turn mixes loading and unloading: it is not a record of the new branch.
        if turned {
            self.estimator.reset();
        } else {
            self.estimator.record(&self.increment, &self.rise);
        }
        self.estimator.estimate(&mut self.stiffness);
        if let Some(clamp) = &mut self.clamp {
            clamp.apply(&mut self.stiffness);
        }
        if self.reset == Reset::Each {
            for i in 0..n {
                if self.since[i] < self.patience {
                    for j in 0..n {
                        self.stiffness[i * n + j] = self.initial[i * n + j];
                        self.stiffness[j * n + i] = self.initial[j * n + i];
                    }
                }
            }
        }
        for i in 0..n {
            for j in 0..n {
                self.stiffness[i * n + j] *= self.scales[i] * self.scales[j];
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_quantity::Value;

    fn values() -> Values {
        Values::new()
            .with("estimator", Value::Text("truncated-svd".into()))
            .with("window", Value::Integer(3))
            .with("reset", Value::Text("top".into()))
            .with("threshold", Value::Number(0.0))
            .with("clamp", Value::Boolean(true))
    }

    /// The estimate does not depend on the unit in which a rotation is measured, once it is scaled.
    #[test]
    fn scales_make_the_estimate_free_of_units() {
        const S: [f64; 2] = [1.0, 1e3];
        let initial = [5.0, -2.0, -2.0, 3.0];
        let mut other = initial;
        for (k, s) in other.iter_mut().zip([1.0, 1e3, 1e3, 1e6]) {
            *k *= s;
        }
        let scales = Value::List(S.map(Value::Number).to_vec());
        let mut plain = Watch::new(&values(), &initial, 2).unwrap();
        let mut scaled = Watch::new(&values().with("scales", scales), &other, 2).unwrap();
        for step in 0..20 {
            let t = 0.05 * f64::from(step);
            let d = [t + 0.1 * (9.0 * t).sin(), 2.0 * t + 0.1 * (7.0 * t).cos()];
            let r = [3.0 * d[0] - d[1], 2.0 * d[1] - d[0] - 0.1 * t * t];
            plain.observe(&d, &r);
            scaled.observe(&[d[0], d[1] / S[1]], &[r[0], r[1] * S[1]]);
        }
        for (i, (a, b)) in plain.stiffness.iter().zip(&scaled.stiffness).enumerate() {
            let b = b / (S[i / 2] * S[i % 2]);
            assert!((a - b).abs() < 1e-9, "{a} {b}");
            assert!((a - initial[i]).abs() > 0.1);
        }
        let wrong = values().with("scales", Value::List(vec![Value::Number(1.0)]));
        assert_eq!(Watch::new(&wrong, &initial, 2).err().unwrap().key, "scales");
    }
}
