//! Ranges of values and their mapping to the paper.

use super::number::decade;
use super::page::Scale;

/// Beyond this a value is treated as a gap: it could neither be drawn nor embedded in single
/// precision.
const LARGEST: f64 = 1e30;

/// `value` if it can be drawn on this scale.
pub(super) fn drawable(value: f64, scale: Scale) -> Option<f64> {
    let fine = value.is_finite()
        && value.abs() < LARGEST
        && (scale == Scale::Linear || value > 1.0 / LARGEST);
    fine.then_some(value)
}

/// The interval that an axis shows; `lo < hi`, both finite, both positive on a logarithmic scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    pub(super) lo: f64,
    pub(super) hi: f64,
    pub(super) scale: Scale,
    /// The values are counts or storeys: no ticks between whole numbers.
    pub(super) whole: bool,
}

impl Range {
    /// The range of `values`, widened on both sides by `margin` (a fraction of it). No value at all
    /// gives the unit interval, a constant gives an interval around it.
    pub(super) fn of(values: impl Iterator<Item = f64>, scale: Scale, margin: f64) -> Self {
        let (mut lo, mut hi, mut whole) = (f64::INFINITY, f64::NEG_INFINITY, true);
        for v in values.filter_map(|v| drawable(v, scale)) {
            lo = lo.min(v);
            hi = hi.max(v);
            whole &= v.fract().abs() < f64::EPSILON;
        }
        let range = Self::between(lo, hi, scale).widened(margin);
        Self {
            whole: whole && hi - lo > 0.5,
            ..range
        }
    }

    /// From `lo` to `hi`; repaired when they are equal, swapped or not drawable.
    pub(super) fn between(lo: f64, hi: f64, scale: Scale) -> Self {
        let (lo, hi) = match (drawable(lo, scale), drawable(hi, scale)) {
            (Some(a), Some(b)) => (a.min(b), a.max(b)),
            _ if scale == Scale::Log => (0.1, 10.0),
            _ => (0.0, 1.0),
        };
        // A span below the resolution of single precision has no ticks to speak of.
        let magnitude = lo.abs().max(hi.abs());
        if hi - lo > 1e-6 * magnitude && hi - lo > 1.0 / LARGEST {
            return Self {
                lo,
                hi,
                scale,
                whole: false,
            };
        }
        if scale == Scale::Log {
            return Self {
                lo: lo / 2.0,
                hi: hi * 2.0,
                scale,
                whole: false,
            };
        }
        let half = if magnitude > 1.0 / LARGEST {
            magnitude * 0.1
        } else {
            1.0
        };
        Self {
            lo: lo - half,
            hi: hi + half,
            scale,
            whole: false,
        }
    }

    pub(super) fn widened(self, margin: f64) -> Self {
        let (a, b) = (self.inner(self.lo), self.inner(self.hi));
        let m = (b - a) * margin;
        Self {
            lo: self.outer(a - m),
            hi: self.outer(b + m),
            ..self
        }
    }

    /// Moved outwards to the next round number where that is nearly there: 40 s of record end at
    /// 39.999 s.
    pub(super) fn snapped(self) -> Self {
        let (mut a, mut b) = (self.inner(self.lo), self.inner(self.hi));
        let step = match self.scale {
            Scale::Linear => nice_step((b - a) / 8.0),
            Scale::Log => 1.0,
        };
        let near = 0.004 * (b - a);
        let (below, above) = ((a / step).floor() * step, (b / step).ceil() * step);
        if a - below < near {
            a = below;
        }
        if above - b < near {
            b = above;
        }
        Self {
            lo: self.outer(a),
            hi: self.outer(b),
            ..self
        }
    }

    /// The range that also holds `value`, if it can be drawn.
    pub(super) fn with(self, value: f64) -> Self {
        match drawable(value, self.scale) {
            Some(v) => Self {
                lo: self.lo.min(v),
                hi: self.hi.max(v),
                ..self
            },
            None => self,
        }
    }

    pub(super) fn contains(self, value: f64) -> bool {
        (self.lo..=self.hi).contains(&value)
    }

    /// Length on paper-proportional values: decades on a logarithmic scale.
    pub(super) fn length(self) -> f64 {
        self.inner(self.hi) - self.inner(self.lo)
    }

    /// The value that is proportional to the place on the paper.
    fn inner(self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log => value.log10(),
        }
    }

    fn outer(self, inner: f64) -> f64 {
        match self.scale {
            Scale::Linear => inner,
            Scale::Log => 10f64.powf(inner),
        }
    }

    /// Where `value` stands between `lo` (0) and `hi` (1); NaN if it cannot be drawn.
    pub(super) fn fraction(self, value: f64) -> f64 {
        match drawable(value, self.scale) {
            Some(v) => (self.inner(v) - self.inner(self.lo)) / self.length(),
            None => f64::NAN,
        }
    }
}

/// A count as a number.
pub(super) fn count_f64(n: usize) -> f64 {
    u32::try_from(n).map_or(f64::from(u32::MAX), f64::from)
}

/// The 1-2-5 number nearest to `raw` (positive).
pub(super) fn nice_step(raw: f64) -> f64 {
    let power = 10f64.powi(decade(raw));
    let f = raw / power;
    let nice = if f < 1.5 {
        1.0
    } else if f < 3.5 {
        2.0
    } else if f < 7.5 {
        5.0
    } else {
        10.0
    };
    nice * power
}
