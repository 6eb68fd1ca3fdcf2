//! What is written into a panel besides its data: markers, bounds, the band of the inset.

use super::escape::html;
use super::page::Plot;
use super::plot_axes::TICK_SIZE;
use super::scale::{count_f64, drawable};
use super::trace::{Panel, text_width};

/// Over its line, but within the panel.
pub(super) fn label_centre(panel: &Panel, x: f64, half: f64) -> f64 {
    panel.px(x).min(panel.right() - half).max(panel.left + half)
}

/// A line for each marker.
pub(super) fn marker_lines(plot: &Plot, panel: &Panel) -> String {
    let mut out = String::new();
    for (x, label, tone) in &plot.markers {
        if drawable(*x, plot.x.scale).is_some() {
            put!(
                out,
                "<line class=\"marker {}\" data-x=\"{x}\" x1=\"{px:.1}\" x2=\"{px:.1}\" \
                y1=\"{:.1}\" y2=\"{:.1}\"><title>{}</title></line>",
                tone.class(),
                panel.top,
                panel.bottom(),
                html(label),
                px = panel.px(*x).clamp(-1e4, 1e4)
            );
        }
    }
    out
}

/// The labels of the markers, above the panel, each in its row.
pub(super) fn marker_labels(plot: &Plot, panel: &Panel, rows: &[Option<usize>]) -> String {
    let mut out = String::new();
    for ((x, label, tone), row) in plot.markers.iter().zip(rows) {
        if let Some(row) = row {
            let half = text_width(label, TICK_SIZE) / 2.0;
            put!(
                out,
                "<text class=\"note mid {}\" data-x=\"{x}\" data-half=\"{half:.1}\" x=\"{:.1}\" \
                y=\"{:.1}\">{}</text>",
                tone.class(),
                label_centre(panel, *x, half),
                panel.top - 5.0 - 14.0 * count_f64(*row),
                html(label)
            );
        }
    }
    out
}

/// The bounds that the panel shows.
pub(super) fn horizontal_lines(plot: &Plot, panel: &Panel, labelled: bool) -> String {
    let mut out = String::new();
    let mut taken: Vec<f64> = Vec::new();
    for (y, label) in &plot.horizontals {
        if !panel.y.contains(*y) {
            continue;
        }
        let py = panel.py(*y);
        put!(
            out,
            "<g class=\"bound\" data-y=\"{y}\" transform=\"translate(0 {py:.1})\"><path d=\"M{:.1} \
            0h{:.1}\"/>",
            panel.left,
            panel.width
        );
        if labelled && taken.iter().all(|t| (t - py).abs() > 13.0) {
            taken.push(py);
            // Above the line, unless that is outside the panel.
            let dy = if py - panel.top < 15.0 { 12.0 } else { -4.0 };
            put!(
                out,
                "<text class=\"note end halo\" x=\"{:.1}\" y=\"{dy:.1}\">{}</text>",
                panel.right() - 5.0,
                html(label)
            );
        }
        out.push_str("</g>");
    }
    out
}

/// The part of the main panel that the inset shows.
pub(super) fn band(panels: &[Panel]) -> String {
    let [main, inset] = panels else {
        return String::new();
    };
    let (a, b) = (main.px(inset.x.lo), main.px(inset.x.hi));
    format!(
        "<rect class=\"band\" x=\"{a:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
        main.top,
        (b - a).max(1.0),
        main.height
    )
}
