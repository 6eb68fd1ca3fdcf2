//! What is needed beside what there is, as horizontal bars.

use super::escape::html;
use tandem_quantity::format_number;

/// One bar.
pub(super) struct Bar {
    /// What it is.
    pub(super) label: String,
    /// What is needed, in `unit`.
    pub(super) value: f64,
    /// What there is, where it is known.
    pub(super) limit: Option<f64>,
    /// The unit.
    pub(super) unit: &'static str,
}

const LEFT: f64 = 190.0;
const ACROSS: f64 = 420.0;
const ROW: f64 = 30.0;
/// Share of its limit at which a bar is no longer calm.
const NEAR: f64 = 0.8;
/// Longest bar, as a share of the limit.
const LONGEST: f64 = 1.25;

/// The picture as one `<svg>` element: every bar as a share of its own limit.
pub(super) fn svg(bars: &[Bar], name: &str) -> String {
    let height = ROW * bars.len() as f64 + 30.0;
    let full = LEFT + ACROSS / LONGEST;
    let mut out = format!(
        "<svg viewBox=\"0 0 900 {height:.0}\" role=\"img\" aria-label=\"{}\">",
        html(name)
    );
    let mut y = 4.0;
    for bar in bars {
        let middle = y + 14.0;
        put!(
            out,
            "<text class=\"name end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\
             <rect fill=\"var(--card)\" x=\"{LEFT}\" y=\"{:.1}\" width=\"{ACROSS}\" \
             height=\"18\"/>",
            LEFT - 12.0,
            middle + 4.0,
            html(&bar.label),
            y + 5.0
        );
        let needed = format!("{} {}", format_number(bar.value), bar.unit);
        let text = match bar.limit.filter(|limit| *limit > 0.0) {
            Some(limit) => {
                let share = bar.value / limit;
                let tone = if share > 1.0 {
                    "--bad"
                } else if share > NEAR {
                    "--caution"
                } else {
                    "--good"
                };
                put!(
                    out,
                    "<rect fill=\"var({tone})\" x=\"{LEFT}\" y=\"{:.1}\" width=\"{:.1}\" \
                    height=\"18\"/>",
                    y + 5.0,
                    ACROSS * (share.clamp(0.0, LONGEST) / LONGEST)
                );
                format!(
                    "{needed} of {} {}: {} %",
                    format_number(limit),
                    bar.unit,
                    format_number((1000.0 * share).round() / 10.0)
                )
            }
            None => format!("{needed}, no limit in the plan"),
        };
        put!(
            out,
            "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            LEFT + ACROSS + 14.0,
            middle + 4.0,
            html(&text)
        );
        y += ROW;
    }
    put!(
        out,
        "<path class=\"axis\" d=\"M{full:.1} 2V{y:.1}\" stroke-dasharray=\"5 3\"/><text \
        class=\"tick mid\" x=\"{full:.1}\" y=\"{:.1}\">limit</text></svg>",
        y + 15.0
    );
    out
}
