//! What is recorded, and when it is forgotten.

use super::clamp::Clamp;
use super::directions::Directions;
use super::recursive::RecursiveSettings;
use super::{Estimator, RuleSettings, dot, make_from, times};
use tandem_quantity::{BuildError, Conditional, Dimension, Range, choice, settings, snapshot};

choice! {
    /// When the initial stiffness comes back, in the plan.
    enum ResetRule {
        Top = "top",
        Work = "work",
        Each = "each",
        Drifts = "drifts",
        Modes = "modes",
        Never = "never",
    }
}

settings! {
    /// How the tangent is estimated and what follows it.
    pub(crate) struct WatchSettings {
        rule: RuleSettings,
        /// when the initial stiffness comes back. All at once: top: the last measured degree of
        /// freedom turns; work: an increment works against the one before. Each part for itself:
        /// each: a degree of freedom turns; drifts: its difference from the one before it turns;
        /// modes: a shape of initial stiffness and mass turns
        reset: ResetRule = choice(ResetRule::WORDS)
            .or("\"top\""),
        /// smaller increments are not recorded; two or three times the resolution of the
        /// displacement
        threshold: f64 = number(Dimension::LENGTH).or("\"0 m\"").not_negative(),
        /// make the estimate symmetric and hold it between `softest` and `stiffest`
        clamp: bool = boolean().or("false"),
        /// clamp: smallest eigenvalue of the estimate relative to the initial stiffness; below zero
        /// for a specimen that softens
        softest: Conditional<f64> = number(Dimension::NONE)
            .or("0.0")
            .within(Range::between(-10.0, 0.999)),
        /// clamp: largest eigenvalue of the estimate relative to the initial stiffness
        stiffest: Conditional<f64> = number(Dimension::NONE)
            .or("1.0")
            .within(Range::between(1.0, 100.0)),
        /// take the mean of the estimate and its transpose
        symmetric: bool = boolean().or("false"),
        /// b of C = a M + b K: damping follows the tangent by b (K − K_initial); 0: it stays as it
        /// is
        pub tangent_damping: f64 = number(Dimension::TIME).or("\"0 s\"").not_negative(),
        /// lengths in metres by which rotations are made comparable with displacements, one for
        /// each measured degree of freedom; 1 for a translation
        scales: Option<Vec<f64>> = numbers(Dimension::NONE),
        recursive: Conditional<RecursiveSettings>,
    }
}

/// When the records are forgotten and the initial stiffness comes back: an unloading specimen is
/// stiff again.
enum Reset {
    /// The last measured degree of freedom turns.
    Top,
    /// The increment works against the last one: ΔdₙᵀK_IΔdₙ₋₁ < 0.
    Work,
    /// Each coordinate for itself: its own row and column only, until a window of increments has
    /// passed.
    Apart(Directions),
    Never,
}

/// Follows displacement and restoring force of the measured degrees of freedom and keeps the
/// estimate of their tangent.
pub(crate) struct Watch {
    estimator: Box<dyn Estimator>,
    reset: Reset,
    clamp: Option<Clamp>,
    /// Lengths that turn rotations into displacements; one for a translation. All estimation is
    /// done on scaled values.
    scales: Vec<f64>,
    /// Increments below this, m, wait until they have grown.
    threshold: f64,
    symmetric: bool,
    /// How many increments must pass before a coordinate that has turned is believed again.
    patience: usize,
    initial: Vec<f64>,
    /// Displacement and force at the last record.
    displacement: Vec<f64>,
    force: Vec<f64>,
    /// The last increment, and those of now.
    last: Vec<f64>,
    increment: Vec<f64>,
    rise: Vec<f64>,
    /// Increments since each coordinate turned.
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
    /// For the initial stiffness of `n` degrees of freedom, by rows, and the mass there.
    pub fn new(
        settings: &WatchSettings,
        initial: &[f64],
        mass: &[f64],
        n: usize,
    ) -> Result<Self, BuildError> {
        let scales = settings.scales.clone().unwrap_or_else(|| vec![1.0; n]);
        if scales.len() != n || !scales.iter().all(|s| *s > 0.0) {
            return Err(BuildError::new(
                "scales",
                format!("{n} positive lengths are needed, one for each measured degree of freedom"),
                "write 1 for a translation, a typical length for a rotation",
            ));
        }
        let scale = |matrix: &[f64]| -> Vec<f64> {
            let scaled = matrix.iter().enumerate();
            scaled
                .map(|(at, x)| x / (scales[at / n] * scales[at % n]))
                .collect()
        };
        let scaled = scale(initial);
        let clamp = if settings.clamp {
            let range = [settings.softest.read()?, settings.stiffest.read()?];
            let clamp = Clamp::new(&scaled, range, n).ok_or_else(|| {
                BuildError::new(
                    "clamp",
                    "the initial stiffness at the measured degrees of freedom is not positive \
                    definite",
                    "write clamp = false, or give the specimen's stiffness",
                )
            })?;
            Some(clamp)
        } else {
            None
        };
        let reset = match settings.reset {
            ResetRule::Work => Reset::Work,
            ResetRule::Each => Reset::Apart(Directions::degrees_of_freedom(&scaled, n)),
            ResetRule::Drifts => Reset::Apart(Directions::drifts(&scaled, n)),
            ResetRule::Modes => Directions::modes(&scaled, &scale(mass), n)
                .map(Reset::Apart)
                .ok_or_else(|| {
                    BuildError::new(
                        "reset",
                        "a measured degree of freedom has no mass, so that there are no modes",
                        "take \"work\" or \"each\"",
                    )
                })?,
            ResetRule::Never => Reset::Never,
            ResetRule::Top => Reset::Top,
        };
        let zeros = vec![0.0; n];
        Ok(Self {
            estimator: make_from(&settings.rule, &settings.recursive, &scaled, n)?,
            reset,
            clamp,
            symmetric: settings.symmetric,
            scales,
            threshold: settings.threshold,
            patience: settings.rule.window(n),
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

    /// Compares an increment of force with what the present estimate makes of the increment of
    /// displacement.
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
        let turned = match &self.reset {
            Reset::Top => n > 0 && self.increment[n - 1] * self.last[n - 1] < 0.0,
            Reset::Work => {
                // `displacement` of the last record is not needed any more in this call.
                times(&self.initial, &self.last, &mut self.displacement);
                dot(&self.displacement, &self.increment) < 0.0
            }
            Reset::Apart(directions) => {
                for (i, since) in self.since.iter_mut().enumerate() {
                    *since = if directions.turns(i, &self.increment, &self.last) {
                        0
                    } else {
                        since.saturating_add(1)
                    };
                }
                false
            }
            Reset::Never => false,
        };
        self.displacement.copy_from_slice(displacement);
        self.force.copy_from_slice(force);
        self.last.copy_from_slice(&self.increment);
        // The increment over a turn mixes loading and unloading: it is not a record of the new
        // branch.
        if turned {
            self.estimator.reset();
        } else {
            self.estimator.record(&self.increment, &self.rise);
        }
        self.estimator.estimate(&mut self.stiffness);
        if !self.stiffness.iter().all(|k| k.is_finite()) {
            // Increments of nothing: there is no better guess than the first.
            self.estimator.reset();
            self.stiffness.copy_from_slice(&self.initial);
        }
        if let Reset::Apart(directions) = &mut self.reset {
            let (since, patience) = (&self.since, self.patience);
            directions.forget(&mut self.stiffness, |i| since[i] < patience);
        }
        if self.symmetric {
            for i in 0..n {
                for j in 0..i {
                    let mean = 0.5 * (self.stiffness[i * n + j] + self.stiffness[j * n + i]);
                    self.stiffness[i * n + j] = mean;
                    self.stiffness[j * n + i] = mean;
                }
            }
        }
        if let Some(clamp) = &mut self.clamp {
            clamp.apply(&mut self.stiffness);
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
    use tandem_quantity::{Settings, Value, Values};

    fn values() -> Values {
        Values::new()
            .with("estimator", Value::Text("truncated-svd".into()))
            .with("window", Value::Integer(3))
            .with("reset", Value::Text("top".into()))
            .with("threshold", Value::Number(0.0))
            .with("clamp", Value::Boolean(true))
            .with("softest", Value::Number(0.0))
            .with("stiffest", Value::Number(1.0))
            .with("symmetric", Value::Boolean(false))
    }

    fn read(values: &Values) -> WatchSettings {
        WatchSettings::read(values).unwrap()
    }

    /// The estimate does not depend on the unit in which a rotation is measured, once it is scaled.
    #[test]
    fn scales_make_the_estimate_free_of_units() {
        const S: [f64; 2] = [1.0, 1e3];
        const MASS: [f64; 4] = [1.0, 0.0, 0.0, 1.0];
        let initial = [5.0, -2.0, -2.0, 3.0];
        let mut other = initial;
        for (k, s) in other.iter_mut().zip([1.0, 1e3, 1e3, 1e6]) {
            *k *= s;
        }
        let scales = Value::List(S.map(Value::Number).to_vec());
        let mut plain = Watch::new(&read(&values()), &initial, &MASS, 2).unwrap();
        let mut scaled =
            Watch::new(&read(&values().with("scales", scales)), &other, &MASS, 2).unwrap();
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
        assert_eq!(
            Watch::new(&read(&wrong), &initial, &MASS, 2)
                .err()
                .unwrap()
                .key,
            "scales"
        );
    }

    /// The first increment is held against the initial stiffness: a force that is foretold leaves
    /// the confidence at 1; one that is twice as large misses half of itself, and one that goes the
    /// other way all; a fifth of that is lost. Also where a rotation has a length.
    #[test]
    fn confidence_is_the_part_that_was_foretold() {
        const MASS: [f64; 4] = [1.0, 0.0, 0.0, 1.0];
        let initial = [5.0, -2.0, -2.0, 3.0];
        for scales in [[1.0, 1.0], [1.0, 0.25]] {
            let list = Value::List(scales.map(Value::Number).to_vec());
            let settings = read(&values().with("scales", list));
            for (factor, expected) in [(1.0, 1.0), (2.0, 0.9), (-1.0, 0.8)] {
                let mut watch = Watch::new(&settings, &initial, &MASS, 2).unwrap();
                watch.start(&[0.5, 0.25], &[7.0, 9.0]);
                let (d, e) = (0.75, 0.5);
                let force = [5.0 * d - 2.0 * e, 3.0 * e - 2.0 * d].map(|f| factor * f);
                assert!(watch.observe(&[0.5 + d, 0.25 + e], &[7.0 + force[0], 9.0 + force[1]]));
                let found = watch.confidence;
                assert!((found - expected).abs() < 1e-12, "{factor}: {found}");
            }
        }
    }
}
