//! Another time step for a record.

use super::{MOST_POINTS, Record, RecordError, as_f64, nearest};
use std::f64::consts::PI;

/// A resampled record, with what became of its peak.
#[derive(Debug, Clone, PartialEq)]
pub struct Resampled {
    /// The record at the new step; its notes say what was done and what was lost.
    pub record: Record,
    /// Peak before, m/s².
    pub peak_before: f64,
    /// Peak after, m/s².
    pub peak_after: f64,
}

impl Resampled {
    /// True if the new points miss the old peak by more than rounding.
    #[must_use]
    pub fn peak_lost(&self) -> bool {
        self.peak_after < self.peak_before * (1.0 - 1e-9)
    }

    fn new(original: &Record, acceleration: Vec<f64>, dt: f64, method: &str) -> Self {
        let mut record = Record {
            dt,
            acceleration,
            ..original.clone()
        };
        let (peak_before, peak_after) = (original.peak(), record.peak());
        record.notes.push(format!(
            "resampled from {} s to {dt} s, {method}",
            original.dt
        ));
        let resampled = Self {
            record,
            peak_before,
            peak_after,
        };
        if !resampled.peak_lost() {
            return resampled;
        }
        let loss = 100.0 * (1.0 - peak_after / peak_before);
        let note = format!(
            "peak fell from {peak_before:.6} to {peak_after:.6} m/s2 ({loss:.2} %) by resampling"
        );
        let mut resampled = resampled;
        resampled.record.notes.push(note);
        resampled
    }
}

impl Record {
    /// The record at step `dt` (s), by straight lines between its points: the motion that
    /// [`Record::at`] gives, which is the one the integrators see.
    ///
    /// With a `dt` that divides the old step every old point stays, so the peak stays. Any other
    /// `dt` may step over the peak: the result then says so ([`Resampled::peak_lost`] and a note);
    /// nothing is rescaled in silence. With a coarser `dt` the content above 1/(2 dt) folds back;
    /// use [`Record::resampled_band_limited`] there.
    ///
    /// # Errors
    /// [`RecordError::Argument`] for a step that is not positive, is longer than the record, or
    /// gives more than 100 million points.
    pub fn resampled(&self, dt: f64) -> Result<Resampled, RecordError> {
        let points = self.points_at(dt)?;
        let acceleration = (0..points)
            .map(|index| self.at(as_f64(index) * dt))
            .collect();
        Ok(Resampled::new(self, acceleration, dt, "linear"))
    }

    /// The record at step `dt` (s), by band-limited interpolation (windowed sinc, 32 zero crossings
    /// to a side, Kaiser window β = 10): content above the lower of the two Nyquist frequencies is
    /// cut, content below about 90 % of it passes. The record counts as zero outside. A peak may
    /// rise above the old one, since the curve through the points may.
    ///
    /// # Errors
    /// As [`Record::resampled`].
    pub fn resampled_band_limited(&self, dt: f64) -> Result<Resampled, RecordError> {
        const CROSSINGS: f64 = 32.0;
        let points = self.points_at(dt)?;
        // Cut-off as a part of the old sampling rate's half: 1 when refining.
        let cut = (self.dt / dt).min(1.0);
        let reach = CROSSINGS / cut;
        let last = as_f64(self.acceleration.len() - 1);
        let acceleration = (0..points)
            .map(|index| {
                let centre = as_f64(index) * dt / self.dt;
                let (mut sum, mut weights) = (0.0, 0.0);
                let mut position = (centre - reach).ceil();
                while position <= centre + reach {
                    let distance = position - centre;
                    let weight = sinc(cut * distance) * kaiser(distance / reach);
                    weights += weight;
                    if (0.0..=last).contains(&position) {
                        sum += weight * self.acceleration[nearest(position)];
                    }
                    position += 1.0;
                }
                // The weights of all points, inside the record or not, so that a constant keeps its
                // level.
                sum / weights
            })
            .collect();
        Ok(Resampled::new(self, acceleration, dt, "band-limited"))
    }

    fn points_at(&self, dt: f64) -> Result<usize, RecordError> {
        let points = self.duration() / dt + 1e-9;
        if dt > 0.0 && (1.0..MOST_POINTS).contains(&points) {
            Ok(nearest(points.floor()) + 1)
        } else {
            let expected =
                "above 0 s, no longer than the record, and giving fewer than 100 million points";
            Err(self.argument("new step", expected, dt))
        }
    }
}

fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-12 {
        1.0
    } else {
        (PI * x).sin() / (PI * x)
    }
}

/// Kaiser window with β = 10 at a place from −1 to 1, without its constant factor (the weights are
/// normalised).
fn kaiser(place: f64) -> f64 {
    const BETA: f64 = 10.0;
    bessel_i0(BETA * (1.0 - place * place).max(0.0).sqrt())
}

/// Modified Bessel function of order zero by its power series, for arguments up to about 10.
fn bessel_i0(x: f64) -> f64 {
    let quarter = 0.25 * x * x;
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1.0);
    while term > 1e-17 * sum {
        term *= quarter / (k * k);
        sum += term;
        k += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::el_centro_1940;

    #[test]
    fn a_step_that_divides_the_old_one_keeps_every_point() {
        let record = el_centro_1940();
        let fine = record.resampled(0.005).unwrap();
        assert!(!fine.peak_lost());
        assert_eq!(fine.record.acceleration.len(), 4 * 1559 + 1);
        for (index, value) in record.acceleration.iter().enumerate() {
            assert!((fine.record.acceleration[4 * index] - value).abs() < 1e-12);
        }
    }

    #[test]
    fn a_lost_peak_is_reported() {
        // The peak stands at 2.04 s; 0.03 s steps over it (2.04/0.03 = 68 hits it, so take 0.07 s).
        let coarse = el_centro_1940().resampled(0.07).unwrap();
        assert!(coarse.peak_lost());
        assert!(coarse.peak_after < coarse.peak_before);
        assert!(
            coarse
                .record
                .notes
                .iter()
                .any(|note| note.contains("peak fell"))
        );
        assert!(!el_centro_1940().resampled(0.03).unwrap().peak_lost());
    }

    #[test]
    fn a_sine_below_the_band_edge_is_kept_by_band_limited_resampling() {
        // 3 Hz sampled at 100 Hz, to 30 Hz and to 1024 Hz: away from the ends the sine itself is
        // the answer.
        let sine = |t: f64| (2.0 * PI * 3.0 * t).sin();
        let record = Record::new(
            "sine",
            0.01,
            (0..2001).map(|k| sine(f64::from(k) * 0.01)).collect(),
        )
        .unwrap();
        for (dt, tolerance) in [(1.0 / 1024.0, 1e-5), (1.0 / 30.0, 1e-5)] {
            let resampled = record.resampled_band_limited(dt).unwrap().record;
            for (index, value) in resampled.acceleration.iter().enumerate() {
                let t = as_f64(index) * dt;
                if (4.0..16.0).contains(&t) {
                    assert!(
                        (value - sine(t)).abs() < tolerance,
                        "dt {dt}, t {t}: {value} {}",
                        sine(t)
                    );
                }
            }
        }
    }

    #[test]
    fn content_above_the_new_nyquist_is_cut_not_folded() {
        // 40 Hz would fold to 10 Hz at a rate of 50 Hz (linear does it), band-limited resampling
        // removes it.
        let values = (0..2001)
            .map(|k| (2.0 * PI * 40.0 * f64::from(k) * 0.005).sin())
            .collect();
        let record = Record::new("high", 0.005, values).unwrap();
        let inner = |record: &Record| crate::correlate::peak(&record.acceleration[100..400]);
        assert!(inner(&record.resampled(0.02).unwrap().record) > 0.5);
        assert!(inner(&record.resampled_band_limited(0.02).unwrap().record) < 1e-4);
    }

    #[test]
    fn impossible_steps_are_refused() {
        for dt in [0.0, -0.1, f64::NAN, f64::INFINITY, 1e-12, 32.0] {
            assert!(el_centro_1940().resampled(dt).is_err(), "{dt}");
            assert!(el_centro_1940().resampled_band_limited(dt).is_err(), "{dt}");
        }
    }
}
