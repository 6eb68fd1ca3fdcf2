//! Levels of a quantity over two logarithmic axes, as coloured cells.

use super::escape::html;
use super::page::Scale;
use super::scale::Range;
use tandem_quantity::format_number;

/// The contents of the picture.
pub(super) struct HeatMap<'a> {
    /// Name of the horizontal axis, and its values, rising.
    pub(super) x: (&'a str, &'a [f64]),
    /// Name of the vertical axis, and its values, rising.
    pub(super) y: (&'a str, &'a [f64]),
    /// One row for each y, one value for each x; infinite above all levels, not a number: no cell.
    pub(super) values: &'a [Vec<f64>],
    /// Name of the quantity with its unit.
    pub(super) quantity: &'a str,
    /// Where a band ends and the next begins, rising; one fewer than there are colours.
    pub(super) levels: &'a [f64],
    /// x, y and name of the point that matters; drawn at the edge where it lies outside.
    pub(super) point: Option<(f64, f64, &'a str)>,
}

/// From harm to harmless, apart for colour-blind readers too (the order is also that of lightness).
const COLOURS: [&str; 7] = [
    "#7a0f16", "#c43c1d", "#e98a15", "#f3cf5a", "#a9d8b8", "#56b4c9", "#1f6fb2",
];

const LEFT: f64 = 70.0;
const TOP: f64 = 12.0;
const ACROSS: f64 = 560.0;
const DOWN: f64 = 380.0;
const LEGEND: f64 = 672.0;

/// The picture as one `<svg>` element.
pub(super) fn svg(map: &HeatMap<'_>) -> String {
    let range = |values: &[f64]| Range::of(values.iter().copied(), Scale::Log, 0.0);
    let (across, down) = (range(map.x.1), range(map.y.1));
    let x_of = |x: f64| LEFT + ACROSS * across.fraction(x).clamp(0.0, 1.0);
    let y_of = |y: f64| TOP + DOWN * (1.0 - down.fraction(y).clamp(0.0, 1.0));
    let mut out = format!(
        "<svg viewBox=\"0 0 900 450\" role=\"img\" aria-label=\"{}\"><rect class=\"ground\" \
        x=\"{LEFT}\" y=\"{TOP}\" width=\"{ACROSS}\" height=\"{DOWN}\"/>",
        html(map.quantity)
    );
    // A cell reaches half way to its neighbours.
    let edges = |values: &[f64], i: usize| {
        let at = |k: usize| values.get(k).copied().unwrap_or(values[i]);
        let before = at(i.saturating_sub(1));
        ((before * values[i]).sqrt(), (values[i] * at(i + 1)).sqrt())
    };
    for (j, row) in map.values.iter().enumerate().take(map.y.1.len()) {
        let (low, high) = edges(map.y.1, j);
        for (i, value) in row.iter().enumerate().take(map.x.1.len()) {
            if value.is_nan() {
                continue;
            }
            let (left, right) = edges(map.x.1, i);
            let band = map.levels.iter().filter(|level| value >= level).count();
            put!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\" \
                shape-rendering=\"crispEdges\"><title>{}, {}: {}</title></rect>",
                x_of(left),
                y_of(high),
                // A hair more than needed: rounding must not leave gaps.
                x_of(right) - x_of(left) + 0.4,
                y_of(low) - y_of(high) + 0.4,
                COLOURS[band.min(COLOURS.len() - 1)],
                format_number(map.x.1[i]),
                format_number(map.y.1[j]),
                if value.is_finite() {
                    format_number(*value)
                } else {
                    "any".to_owned()
                }
            );
        }
    }
    for tick in across.ticks(8).major {
        let x = x_of(tick.value);
        put!(
            out,
            "<path class=\"axis\" d=\"M{x:.1} {:.1}v5\"/><text class=\"tick mid\" x=\"{x:.1}\" \
            y=\"{:.1}\">{}</text>",
            TOP + DOWN,
            TOP + DOWN + 18.0,
            format_number(tick.value)
        );
    }
    for tick in down.ticks(8).major {
        let y = y_of(tick.value);
        put!(
            out,
            "<path class=\"axis\" d=\"M{LEFT} {y:.1}h-5\"/><text class=\"tick end\" x=\"{:.1}\" \
            y=\"{:.1}\">{}</text>",
            LEFT - 9.0,
            y + 4.0,
            format_number(tick.value)
        );
    }
    put!(
        out,
        "<rect class=\"frame\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{ACROSS}\" height=\"{DOWN}\"/>\
         <text class=\"name mid\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\
         <text class=\"name mid\" transform=\"translate(18 {:.1}) rotate(-90)\">{}</text>",
        LEFT + 0.5 * ACROSS,
        TOP + DOWN + 40.0,
        html(map.x.0),
        TOP + 0.5 * DOWN,
        html(map.y.0)
    );
    legend(map, &mut out);
    if let Some((x, y, name)) = map.point {
        let (x, y) = (x_of(x), y_of(y));
        let (side, shift) = if x > LEFT + 0.6 * ACROSS {
            ("end", -12.0)
        } else {
            ("start", 12.0)
        };
        put!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\" fill=\"#fff\" stroke=\"#111\" \
            stroke-width=\"2.5\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{side}\" \
             style=\"fill:#111;stroke:#fff;stroke-width:4px;paint-order:stroke;\
             stroke-linejoin:round;font-size:13px;font-weight:600\">{}</text>",
            x + shift,
            y - 8.0,
            html(name)
        );
    }
    out.push_str("</svg>");
    out
}

fn legend(map: &HeatMap<'_>, out: &mut String) {
    put!(
        out,
        "<text class=\"name\" x=\"{LEGEND}\" y=\"{:.1}\">{}</text>",
        TOP + 10.0,
        html(map.quantity)
    );
    let bands = COLOURS.len().min(map.levels.len() + 1);
    let mut y = TOP + 24.0;
    for band in (0..bands).rev() {
        let text = match (band, map.levels.get(band)) {
            (0, Some(level)) => format!("below {}", format_number(*level)),
            (_, Some(level)) => format!(
                "{} to {}",
                format_number(map.levels[band - 1]),
                format_number(*level)
            ),
            (_, None) => format!("{} and more, or any", format_number(map.levels[band - 1])),
        };
        put!(
            out,
            "<rect x=\"{LEGEND}\" y=\"{y:.1}\" width=\"22\" height=\"15\" fill=\"{}\"/><text \
            class=\"tick\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            COLOURS[band],
            LEGEND + 30.0,
            y + 12.0,
            html(&text)
        );
        y += 22.0;
    }
}
