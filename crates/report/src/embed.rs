//! The data with which the script draws a plot again, finer than the static picture.

use serde::Serialize;

use super::decimate;
use super::page::{Plot, Scale, Style};
use super::plot_layout::Place;
use super::scale::{Range, count_f64};
use super::trace::{Panel, Trace};

/// Points of a series at most: a screen is not wider than a fifth of this.
const MOST_POINTS: usize = 20_000;
/// Points on the whole page at most. A point takes at most 8 bytes, 10.7 in base 64: together about
/// 3.4 MB.
const PAGE_POINTS: usize = 320_000;

/// How many points of each series to embed so that the page stays small.
pub(super) fn most_points(lengths: &[usize]) -> usize {
    let mut most = MOST_POINTS;
    while most > 500 && lengths.iter().map(|n| (*n).min(most)).sum::<usize>() > PAGE_POINTS {
        most = most * 9 / 10;
    }
    most
}

/// One plot.
#[derive(Debug, Serialize)]
pub(super) struct Spec {
    id: usize,
    /// Plots with the same text zoom together in x.
    link: Option<String>,
    rising: bool,
    equal: bool,
    x: AxisSpec,
    y: AxisSpec,
    panels: Vec<PanelSpec>,
    series: Vec<SeriesSpec>,
}

#[derive(Debug, Serialize)]
struct AxisSpec {
    label: String,
    unit: String,
    log: bool,
    /// No ticks between whole numbers.
    whole: bool,
}

#[derive(Debug, Serialize)]
struct PanelSpec {
    /// Left, top, width, height.
    at: [f64; 4],
    x: [f64; 2],
    y: [f64; 2],
    /// Ticks wanted along x and y.
    ticks: [usize; 2],
    /// Powers of ten by which the tick labels are divided.
    powers: [i32; 2],
}

#[derive(Debug, Serialize)]
struct SeriesSpec {
    name: String,
    colour: String,
    style: &'static str,
    x: Abscissas,
    /// Single precision, little-endian, base 64.
    y: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bar: Option<f64>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Abscissas {
    /// First value and step.
    Even([f64; 2]),
    /// Single precision, little-endian, base 64.
    Listed(String),
}

impl Spec {
    pub(super) fn new(
        plot: &Plot,
        traces: &[Trace],
        classes: &[&str],
        panels: &[Panel],
        counts: &[(usize, usize)],
        rising: bool,
        place: Place,
    ) -> Self {
        let axis = |a: &super::page::Axis, range: Range| AxisSpec {
            label: a.label.clone(),
            unit: a.unit.clone(),
            log: a.scale == Scale::Log,
            whole: range.whole,
        };
        let linked = rising && !plot.equal_axes;
        Self {
            id: place.id,
            link: linked.then(|| {
                format!(
                    "{}|{}|{}|{:?}",
                    place.section, plot.x.label, plot.x.unit, plot.x.scale
                )
            }),
            rising,
            equal: plot.equal_axes,
            x: axis(&plot.x, panels[0].x),
            y: axis(&plot.y, panels[0].y),
            panels: panels
                .iter()
                .zip(counts)
                .map(|(p, c)| PanelSpec {
                    at: [p.left, p.top, p.width, p.height],
                    x: [p.x.lo, p.x.hi],
                    y: [p.y.lo, p.y.hi],
                    ticks: [c.0, c.1],
                    powers: [p.x.exponent(), p.y.exponent()],
                })
                .collect(),
            series: traces
                .iter()
                .enumerate()
                .map(|(s, t)| {
                    SeriesSpec::new(
                        t,
                        &plot.series[s].name,
                        classes[s],
                        &panels[0],
                        place.most_points,
                    )
                })
                .collect(),
        }
    }
}

impl SeriesSpec {
    fn new(trace: &Trace, name: &str, class: &str, panel: &Panel, most: usize) -> Self {
        let kept = keep(trace, panel, most);
        let pick = |v: &[f64]| kept.iter().map(|k| v[*k]).collect::<Vec<f64>>();
        let (x, y) = (pick(&trace.x), pick(&trace.y));
        Self {
            name: name.to_owned(),
            colour: class.split(' ').next().unwrap_or("ink").to_owned(),
            style: match trace.style {
                Style::Line | Style::Dashed => "line",
                Style::Points => "points",
                Style::Bars => "bars",
            },
            x: even(&x).map_or_else(|| Abscissas::Listed(singles(&x)), Abscissas::Even),
            y: singles(&y),
            bar: (trace.style == Style::Bars).then(|| trace.bar_width()),
        }
    }
}

/// The points worth embedding.
fn keep(trace: &Trace, panel: &Panel, most: usize) -> Vec<usize> {
    if trace.style != Style::Points && (trace.rising || trace.x.len() <= most / 4) {
        return decimate::history(&trace.y, most);
    }
    // Paper coordinates, so that both axes count alike; coarser until it fits.
    let px: Vec<f64> = trace.x.iter().map(|v| panel.px(*v)).collect();
    let py: Vec<f64> = trace.y.iter().map(|v| panel.py(*v)).collect();
    let mut tolerance = 0.03;
    loop {
        let kept = if trace.style == Style::Points {
            decimate::cloud(&px, &py, tolerance)
        } else {
            decimate::path(&px, &py, tolerance)
        };
        if kept.len() <= most || tolerance > 4.0 {
            return kept;
        }
        tolerance *= 2.5;
    }
}

/// First value and step, if the values are evenly spaced to a hundredth of the step.
fn even(x: &[f64]) -> Option<[f64; 2]> {
    let (first, last) = (*x.first()?, *x.last()?);
    let step = (last - first) / count_f64(x.len().checked_sub(1).filter(|n| *n > 0)?);
    let fits = step > 0.0
        && x.iter()
            .enumerate()
            .all(|(i, v)| (v - (first + step * count_f64(i))).abs() <= 0.01 * step);
    fits.then_some([first, step])
}

fn singles(values: &[f64]) -> String {
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|v| {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a screen shows less than single precision"
            )]
            let single = *v as f32;
            single.to_le_bytes()
        })
        .collect();
    base64(&bytes)
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4u32 {
            if i as usize <= chunk.len() {
                out.push(char::from(LETTERS[(word >> (18 - 6 * i) & 63) as usize]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_rfc_4648() {
        // RFC 4648, section 10.
        for (text, code) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(text.as_bytes()), code);
        }
        // 1.0 is 00 00 80 3f in little-endian single precision: base64.b64encode(struct.pack('<f',
        // 1.0)).
        assert_eq!(singles(&[1.0]), "AACAPw==");
    }

    #[test]
    fn even_spacing() {
        assert_eq!(even(&[0.0, 0.5, 1.0]), Some([0.0, 0.5]));
        assert_eq!(even(&[0.0, 0.5, 1.2]), None);
        assert_eq!(even(&[0.0, f64::NAN, 1.0]), None);
        assert_eq!(even(&[1.0]), None);
        assert_eq!(even(&[2.0, 2.0]), None);
        assert_eq!(even(&[]), None);
    }

    #[test]
    fn a_full_page_stays_within_its_budget() {
        assert_eq!(most_points(&[40_960; 10]), 20_000);
        let crowded = [170_000; 60];
        let most = most_points(&crowded);
        assert!(
            most * crowded.len() <= PAGE_POINTS && most > 4_000,
            "{most}"
        );
    }
}
