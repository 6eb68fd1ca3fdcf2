//! Round numbers along an axis, and how they are written.

use super::number::decade;
use super::page::Scale;
use super::scale::{Range, count_f64, nice_step};
use tandem_quantity::number::{fixed, superscript};

impl Range {
    /// The multiple-of-three power of ten by which the tick labels are divided: 0 unless they would
    /// be long.
    pub(super) fn exponent(self) -> i32 {
        let magnitude = self.lo.abs().max(self.hi.abs());
        if self.scale == Scale::Log || (0.01..99_999.0).contains(&magnitude) || magnitude <= 0.0 {
            return 0;
        }
        decade(magnitude).div_euclid(3) * 3
    }

    /// About `wanted` ticks (at least two), all within the range.
    pub(super) fn ticks(self, wanted: usize) -> Ticks {
        match self.scale {
            Scale::Linear => self.linear_ticks(wanted),
            Scale::Log => self.log_ticks(wanted),
        }
    }

    fn linear_ticks(self, wanted: usize) -> Ticks {
        let least = if self.whole { 1.0 } else { 0.0 };
        let step = nice_step((self.hi - self.lo) / count_f64(wanted.max(3))).max(least);
        let exponent = self.exponent();
        let power = 10f64.powi(exponent);
        let places = decimals(step / power);
        let major = multiples(self.lo, self.hi, step)
            .map(|v| Tick {
                value: v,
                label: fixed(v / power, places),
            })
            .collect();
        Ticks {
            major,
            minor: Vec::new(),
        }
    }

    fn log_ticks(self, wanted: usize) -> Ticks {
        let (first, last) = (decade(self.lo), decade(self.hi));
        let decades = self.length();
        if decades < 0.7 {
            // Too short for powers of ten: even ticks, unevenly spaced.
            let even = Range {
                scale: Scale::Linear,
                ..self
            };
            return even.linear_ticks(wanted.min(4));
        }
        let within = |v: &f64| self.contains(*v);
        let stride =
            i32::try_from(1 + (last - first).unsigned_abs() as usize / wanted.max(2)).unwrap_or(1);
        let mantissas: &[f64] = if decades < 2.2 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let powers = || (first..=last).map(|d| (d, 10f64.powi(d)));
        let major = powers()
            .filter(|(d, _)| d.rem_euclid(stride) == 0)
            .flat_map(|(d, p)| mantissas.iter().map(move |m| (d, m * p)))
            .filter(|(_, v)| within(v))
            .map(|(d, value)| Tick {
                value,
                label: log_label(value, d),
            })
            .collect();
        let minor = powers()
            .filter(|_| decades < 6.0)
            .flat_map(|(_, p)| (2..10).map(move |m| f64::from(m) * p))
            .filter(within)
            .collect();
        Ticks { major, minor }
    }
}

/// A labelled tick.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: String,
}

/// The ticks of an axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ticks {
    /// With a label and a grid line.
    pub(super) major: Vec<Tick>,
    /// With a faint grid line only.
    pub(super) minor: Vec<f64>,
}

/// Places after the point that tell multiples of `step` apart.
fn decimals(step: f64) -> usize {
    usize::try_from(-decade(step * 1.000_001))
        .unwrap_or(0)
        .min(12)
}

fn multiples(lo: f64, hi: f64, step: f64) -> impl Iterator<Item = f64> {
    let slack = 1e-9 * (hi - lo);
    let first = ((lo - slack) / step).ceil();
    (0..200u32)
        .map(move |i| (first + f64::from(i)) * step)
        .take_while(move |v| *v <= hi + slack)
}

fn log_label(value: f64, power: i32) -> String {
    if (-3..5).contains(&power) {
        fixed(value, usize::try_from(-power).unwrap_or(0))
    } else {
        let mantissa = (value / 10f64.powi(power)).round();
        let ten = format!("10{}", superscript(power));
        if mantissa > 1.5 {
            format!("{}·{ten}", fixed(mantissa, 0))
        } else {
            ten
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(range: Range, wanted: usize) -> Vec<String> {
        range
            .ticks(wanted)
            .major
            .into_iter()
            .map(|t| t.label)
            .collect()
    }

    #[test]
    fn ticks_a_draughtsman_would_choose() {
        let linear = |lo, hi| Range::between(lo, hi, Scale::Linear);
        assert_eq!(
            labels(linear(0.0, 40.0), 8),
            ["0", "5", "10", "15", "20", "25", "30", "35", "40"]
        );
        assert_eq!(
            labels(linear(-0.35, 0.35), 6),
            ["−0.3", "−0.2", "−0.1", "0.0", "0.1", "0.2", "0.3"]
        );
        assert_eq!(
            labels(linear(-2.1e6, 2.1e6), 4),
            ["−2", "−1", "0", "1", "2"]
        );
        assert_eq!(linear(-2.1e6, 2.1e6).exponent(), 6);
        assert_eq!(linear(0.0, 4e-5).exponent(), -6);
        let log = |lo, hi| Range::between(lo, hi, Scale::Log);
        assert_eq!(
            labels(log(0.05, 4.0), 6),
            ["0.05", "0.1", "0.2", "0.5", "1", "2"]
        );
        assert_eq!(labels(log(0.1, 100.0), 6), ["0.1", "1", "10", "100"]);
        assert_eq!(
            labels(log(1e-9, 1e-5), 6),
            ["10⁻⁹", "10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵"]
        );
    }

    #[test]
    fn storeys_have_no_halves_and_records_end_on_a_tick() {
        let storeys = Range::of([1.0, 2.0, 3.0].into_iter(), Scale::Linear, 0.06);
        assert_eq!(labels(storeys, 8), ["1", "2", "3"]);
        let record = Range::between(0.0, 40.0 - 1.0 / 1024.0, Scale::Linear).snapped();
        assert_eq!(labels(record, 8).last().map(String::as_str), Some("40"));
        let odd = Range::between(0.0, 38.7, Scale::Linear);
        assert_eq!(odd.snapped(), odd);
        let log = Range::between(0.25, 99.8, Scale::Log).snapped();
        assert!(log.contains(99.999) && log.contains(0.25) && !log.contains(0.24));
    }

    #[test]
    fn repaired_ranges() {
        for scale in [Scale::Linear, Scale::Log] {
            for (lo, hi) in [
                (0.0, 0.0),
                (1.0, 1.0),
                (-5.0, -5.0),
                (f64::NAN, 1.0),
                (f64::NEG_INFINITY, f64::INFINITY),
                (3.0, 2.0),
                (f64::MIN, f64::MAX),
                (5e-324, 5e-324),
                (1.0, 1.0 + 1e-14),
            ] {
                let range = Range::between(lo, hi, scale).widened(0.05);
                assert!(
                    range.lo < range.hi && range.length().is_finite(),
                    "{lo} {hi} {range:?}"
                );
                assert!(!range.ticks(6).major.is_empty(), "{lo} {hi} {range:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn linear_ticks_cover_the_range(lo in -1e9..1e9f64, span in -6.0..9.0f64,
            wanted in 2usize..12) {
            let range = Range::between(lo, lo + 10f64.powf(span), Scale::Linear);
            let ticks = range.ticks(wanted).major;
            prop_assert!(ticks.len() >= 2, "{ticks:?}");
            // Fewer than three are never aimed at: the step is chosen for three.
            prop_assert!(ticks.len() <= 2 * wanted.max(3) + 1);
            let step = ticks[1].value - ticks[0].value;
            let slack = 1e-6 * range.length();
            prop_assert!(ticks[0].value - range.lo < step + slack
                && ticks[0].value > range.lo - slack);
            let last = ticks[ticks.len() - 1].value;
            prop_assert!(range.hi - last < step + slack && last < range.hi + slack);
        }

        #[test]
        fn log_ticks_lie_within_and_are_enough(lo in -12.0..6.0f64, decades in 0.05..14.0f64) {
            let range = Range::between(10f64.powf(lo), 10f64.powf(lo + decades), Scale::Log);
            let ticks = range.ticks(6);
            prop_assert!(ticks.major.len() >= 2, "{range:?} {ticks:?}");
            prop_assert!(ticks.major.len() <= 14, "{range:?} {ticks:?}");
            for t in &ticks.major {
                prop_assert!((-1e-9..1.0 + 1e-9).contains(&range.fraction(t.value)));
            }
        }

        #[test]
        fn labels_of_neighbours_differ(lo in -1e6..1e6f64, span in -4.0..8.0f64) {
            let range = Range::between(lo, lo + 10f64.powf(span), Scale::Linear);
            let labels = labels(range, 8);
            prop_assert!(labels.windows(2).all(|w| w[0] != w[1]), "{labels:?}");
        }
    }
}
