//! The axes of a panel: grid, tick labels, names.

use super::escape::html;
use super::page::Axis;
use super::scale::{Range, count_f64};
use super::ticks::Ticks;
use super::trace::{Panel, text_width};
use tandem_quantity::number::superscript;

/// Size of tick labels, in units of the paper; the style sheet and the script use the same.
pub(super) const TICK_SIZE: f64 = 11.0;

/// How many ticks suit a panel: as many as leave the labels room to breathe.
pub(super) fn tick_counts(panel: &Panel) -> (usize, usize) {
    let mut along_x = between(panel.width / 70.0, 2, 10);
    let wide = |wanted: usize| {
        let ticks = panel.x.ticks(wanted).major;
        let widest = ticks
            .iter()
            .map(|t| text_width(&t.label, TICK_SIZE))
            .fold(0.0, f64::max);
        (widest + 10.0) * count_f64(ticks.len()) > panel.width + widest
    };
    while along_x > 2 && wide(along_x) {
        along_x -= 1;
    }
    (along_x, between(panel.height / 42.0, 2, 8))
}

/// Grid lines and tick labels; the script replaces the contents of this group.
pub(super) fn grid(panel: &Panel, counts: (usize, usize)) -> String {
    let (xt, yt) = (panel.x.ticks(counts.0), panel.y.ticks(counts.1));
    let mut out = String::from("<g class=\"grid\">");
    let lines =
        |d: &mut String, xs: &mut dyn Iterator<Item = f64>, ys: &mut dyn Iterator<Item = f64>| {
            for x in xs {
                put!(
                    d,
                    "M{:.1} {:.1}v{:.1}",
                    panel.px(x),
                    panel.top,
                    panel.height
                );
            }
            for y in ys {
                put!(
                    d,
                    "M{:.1} {:.1}h{:.1}",
                    panel.left,
                    panel.py(y),
                    panel.width
                );
            }
        };
    let (mut minor, mut major) = (String::new(), String::new());
    lines(
        &mut minor,
        &mut xt.minor.iter().copied(),
        &mut yt.minor.iter().copied(),
    );
    let values = |t: &Ticks| t.major.iter().map(|t| t.value).collect::<Vec<_>>();
    lines(
        &mut major,
        &mut values(&xt).into_iter(),
        &mut values(&yt).into_iter(),
    );
    put!(
        out,
        "<path class=\"minor\" d=\"{minor}\"/><path class=\"major\" d=\"{major}\"/>"
    );
    for t in &xt.major {
        put!(
            out,
            "<text class=\"tick mid\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            panel.px(t.value),
            panel.bottom() + 16.0,
            t.label
        );
    }
    for t in &yt.major {
        put!(
            out,
            "<text class=\"tick end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            panel.left - 7.0,
            panel.py(t.value) + 3.8,
            t.label
        );
    }
    out.push_str("</g>");
    out
}

/// Room that the tick labels of the y axis need.
pub(super) fn label_room(range: Range, height: f64) -> f64 {
    let ticks = range.ticks(between(height / 42.0, 2, 8));
    ticks
        .major
        .iter()
        .map(|t| text_width(&t.label, TICK_SIZE))
        .fold(0.0, f64::max)
        + 9.0
}

/// `Force (10³ kN)`: the quantity, the power of ten that the tick labels were divided by, the unit.
pub(super) fn axis_name(axis: &Axis, exponent: i32) -> String {
    let power = if exponent == 0 {
        String::new()
    } else {
        format!("10{}", superscript(exponent))
    };
    match (power.is_empty(), axis.unit.is_empty()) {
        (true, true) => axis.label.clone(),
        (true, false) => format!("{} ({})", axis.label, axis.unit),
        (false, true) => format!("{} ({power})", axis.label),
        (false, false) => format!("{} ({power} {})", axis.label, axis.unit),
    }
}

/// The names of the axes; squeezed where they would be longer than the axis.
pub(super) fn names(panel: &Panel, x: &Axis, y: Option<(&Axis, f64)>) -> String {
    let squeeze = |name: &str, room: f64| {
        if text_width(name, TICK_SIZE) > room {
            format!(" textLength=\"{room:.0}\" lengthAdjust=\"spacingAndGlyphs\"")
        } else {
            String::new()
        }
    };
    let mut out = String::new();
    let name = axis_name(x, panel.x.exponent());
    put!(
        out,
        "<text class=\"name mid\" x=\"{:.1}\" y=\"{:.1}\"{}>{}</text>",
        panel.left + panel.width / 2.0,
        panel.bottom() + 34.0,
        squeeze(&name, panel.width),
        html(&name)
    );
    if let Some((axis, at)) = y {
        let name = axis_name(axis, panel.y.exponent());
        put!(
            out,
            "<text class=\"name mid\" transform=\"translate({at:.1} {:.1}) \
            rotate(-90)\"{}>{}</text>",
            panel.top + panel.height / 2.0,
            squeeze(&name, panel.height),
            html(&name)
        );
    }
    out
}

/// `value` as a whole number between two bounds.
fn between(value: f64, least: usize, most: usize) -> usize {
    (least..=most)
        .rev()
        .find(|n| count_f64(*n) <= value)
        .unwrap_or(least)
}
