//! One series as an SVG path in one panel.

use std::fmt::Write as _;

use super::decimate;
use super::page::{Plot, Series, Style};
use super::scale::{Range, count_f64, drawable};

/// A series whose undrawable values are NaN.
#[derive(Debug, Clone)]
pub(super) struct Trace {
    pub(super) x: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) style: Style,
    /// x never falls: a history, a spectrum or a histogram, not a loop.
    pub(super) rising: bool,
}

impl Trace {
    pub(super) fn new(series: &Series, plot: &Plot) -> Self {
        let (sx, sy) = (plot.x.scale, plot.y.scale);
        let (x, y): (Vec<f64>, Vec<f64>) = series
            .x
            .iter()
            .zip(&series.y)
            .map(|(x, y)| match (drawable(*x, sx), drawable(*y, sy)) {
                (Some(x), Some(y)) => (x, y),
                (Some(x), None) => (x, f64::NAN),
                _ => (f64::NAN, f64::NAN),
            })
            .unzip();
        let mut last = f64::NEG_INFINITY;
        let rising = x.iter().filter(|v| !v.is_nan()).all(|v| {
            let rises = *v >= last;
            last = *v;
            rises
        });
        Self {
            x,
            y,
            style: series.style,
            rising,
        }
    }

    /// The ordinates whose abscissa lies within `range`.
    pub(super) fn ordinates(&self, range: Range) -> impl Iterator<Item = f64> {
        self.x
            .iter()
            .zip(&self.y)
            .filter(move |(x, _)| range.contains(**x))
            .map(|(_, y)| *y)
    }

    /// Width of a bar: nine tenths of the least distance of two bars.
    pub(super) fn bar_width(&self) -> f64 {
        let xs: Vec<f64> = self.x.iter().copied().filter(|v| !v.is_nan()).collect();
        let least = xs
            .windows(2)
            .map(|w| (w[1] - w[0]).abs())
            .filter(|d| *d > 0.0)
            .fold(f64::INFINITY, f64::min);
        if least.is_finite() {
            0.9 * least
        } else {
            xs.first().map_or(1.0, |v| v.abs().max(1.0) * 0.02)
        }
    }
}

/// A rectangle of the paper with the ranges it shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Panel {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) x: Range,
    pub(super) y: Range,
}

impl Panel {
    pub(super) fn px(&self, x: f64) -> f64 {
        self.left + self.x.fraction(x) * self.width
    }

    pub(super) fn py(&self, y: f64) -> f64 {
        self.top + (1.0 - self.y.fraction(y)) * self.height
    }

    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// The `d` attribute of the path that draws `trace` in `panel`.
pub(super) fn draw(trace: &Trace, panel: &Panel) -> String {
    let n = trace.x.len();
    // Of a history only what the panel shows, and one point more on either side.
    let (from, to) = if trace.rising && trace.style != Style::Bars {
        let from = trace
            .x
            .iter()
            .position(|v| *v >= panel.x.lo)
            .unwrap_or(n)
            .saturating_sub(1);
        let to = trace
            .x
            .iter()
            .rposition(|v| *v <= panel.x.hi)
            .map_or(0, |i| (i + 2).min(n));
        (from, to.max(from))
    } else {
        (0, n)
    };
    let px: Vec<f64> = trace.x[from..to].iter().map(|v| panel.px(*v)).collect();
    let py: Vec<f64> = trace.y[from..to].iter().map(|v| panel.py(*v)).collect();
    match trace.style {
        Style::Bars => bars(trace, panel, &px, &py),
        Style::Points => {
            let mut pen = Pen::default();
            for k in decimate::cloud(&px, &py, 0.8) {
                pen.dot(px[k], py[k]);
            }
            pen.d
        }
        Style::Line | Style::Dashed => {
            let kept = if trace.rising {
                decimate::columns(&py, |i| decimate::whole(px[i]))
            } else {
                decimate::path(&px, &py, 0.12)
            };
            let mut pen = Pen::default();
            for k in kept {
                pen.to(px[k], py[k]);
            }
            pen.finish()
        }
    }
}

fn bars(trace: &Trace, panel: &Panel, px: &[f64], py: &[f64]) -> String {
    let zero = panel.py(0.0);
    let base = if zero.is_nan() {
        panel.bottom()
    } else {
        zero.clamp(panel.top, panel.bottom())
    };
    let mut pen = Pen::default();
    let width = trace.bar_width();
    // Bars closer than a unit of the paper are drawn as one column each: the extremes are kept.
    let kept = decimate::columns(py, |i| decimate::whole(px[i]));
    for k in kept
        .into_iter()
        .filter(|k| !px[*k].is_nan() && !py[*k].is_nan())
    {
        let half = (width / 2.0 / panel.x.length() * panel.width).max(0.4);
        let (a, b) = if panel.x.scale == super::page::Scale::Log {
            (px[k] - half.min(3.0), px[k] + half.min(3.0))
        } else {
            (px[k] - half, px[k] + half)
        };
        pen.bar(a, b, py[k], base);
    }
    pen.d
}

/// Writes path data in tenths of a unit, relative and short.
#[derive(Default)]
struct Pen {
    d: String,
    /// Where the pen is, in tenths.
    at: Option<(i64, i64)>,
    /// Points since the pen was put down.
    points: usize,
}

impl Pen {
    /// Draws a line to here, or puts the pen down here; lifts it on NaN.
    fn to(&mut self, x: f64, y: f64) {
        if x.is_nan() || y.is_nan() {
            self.lift();
            return;
        }
        let (tx, ty) = (tenths(x), tenths(y));
        match self.at {
            None => {
                self.d.push('M');
                self.pair(tx, ty);
            }
            Some((ax, ay)) if (ax, ay) == (tx, ty) => return,
            Some((ax, ay)) => {
                self.d.push('l');
                self.pair(tx - ax, ty - ay);
            }
        }
        self.at = Some((tx, ty));
        self.points += 1;
    }

    /// A lone point still shows: a line of no length with round ends.
    fn lift(&mut self) {
        if self.points == 1 {
            self.d.push_str("h0");
        }
        self.at = None;
        self.points = 0;
    }

    fn finish(mut self) -> String {
        self.lift();
        self.d
    }

    fn dot(&mut self, x: f64, y: f64) {
        self.d.push('M');
        self.pair(tenths(x), tenths(y));
        self.d.push_str("h0");
    }

    fn bar(&mut self, a: f64, b: f64, top: f64, base: f64) {
        let (a, b, top, base) = (tenths(a), tenths(b), tenths(top), tenths(base));
        self.d.push('M');
        self.pair(a, base);
        self.d.push('V');
        self.number(top);
        self.d.push('H');
        self.number(b);
        self.d.push('V');
        self.number(base);
        self.d.push('z');
    }

    fn pair(&mut self, a: i64, b: i64) {
        self.number(a);
        if b >= 0 {
            self.d.push(' ');
        }
        self.number(b);
    }

    fn number(&mut self, tenths: i64) {
        let sign = if tenths < 0 { "-" } else { "" };
        let (whole, part) = (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10);
        // Writing to a string cannot fail.
        let _ = match (whole, part) {
            (w, 0) => write!(self.d, "{sign}{w}"),
            (0, p) => write!(self.d, "{sign}.{p}"),
            (w, p) => write!(self.d, "{sign}{w}.{p}"),
        };
    }
}

/// Far beyond the paper is as good as any place beyond it.
fn tenths(v: f64) -> i64 {
    decimate::whole((v.clamp(-1e5, 1e5) * 10.0).round())
}

/// About how wide `text` is when set in `size`: digits are 0.56 em in the system fonts, letters a
/// little less.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    0.56 * size * count_f64(text.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Scale;

    fn panel() -> Panel {
        let range = |hi| Range::between(0.0, hi, Scale::Linear);
        Panel {
            left: 0.0,
            top: 0.0,
            width: 100.0,
            height: 50.0,
            x: range(10.0),
            y: range(5.0),
        }
    }

    fn drawn(x: &[f64], y: &[f64], style: Style) -> String {
        let series = Series {
            x: x.to_vec(),
            y: y.to_vec(),
            style,
            ..Series::default()
        };
        draw(&Trace::new(&series, &Plot::default()), &panel())
    }

    #[test]
    fn lines_gaps_and_lone_points() {
        assert_eq!(
            drawn(&[0.0, 1.0, 2.0], &[0.0, 5.0, 2.5], Style::Line),
            "M0 50l10-50l10 25"
        );
        assert_eq!(
            drawn(
                &[0.0, 1.0, 2.0, 3.0],
                &[0.0, f64::NAN, 5.0, f64::INFINITY],
                Style::Line
            ),
            "M0 50h0M20 0h0"
        );
        assert_eq!(drawn(&[], &[], Style::Line), "");
    }

    #[test]
    fn bars_stand_on_zero() {
        assert_eq!(
            drawn(&[1.0, 2.0], &[5.0, 1.0], Style::Bars),
            "M5.5 50V0H14.5V50zM15.5 50V40H24.5V50z"
        );
    }

    #[test]
    fn a_long_history_becomes_a_short_path() {
        let t: Vec<f64> = (0..170_000)
            .map(|i| f64::from(i) * 10.0 / 170_000.0)
            .collect();
        let y: Vec<f64> = t.iter().map(|t| 2.5 + 2.0 * (300.0 * t).sin()).collect();
        assert!(drawn(&t, &y, Style::Line).len() < 5_000);
    }
}
