//! One plot as a figure: title, legend, SVG, caption.

use super::embed;
use super::escape::html;
use super::page::{LineWeight, Plot, Style};
use super::plot_axes::{grid, names, tick_counts};
use super::plot_layout::{Layout, Place};
use super::plot_notes::{band, horizontal_lines, marker_labels, marker_lines};
use super::trace::{Panel, Trace, draw};

/// The figure, and the data with which the script draws it again.
pub(super) fn figure(plot: &Plot, place: Place) -> (String, embed::Spec) {
    let traces: Vec<Trace> = plot.series.iter().map(|s| Trace::new(s, plot)).collect();
    let classes = colours(plot);
    let layout = Layout::new(plot, &traces, place);
    let rising = traces.iter().all(|t| t.rising);

    let mut out = String::new();
    let single = if plot.equal_axes && place.columns == 1 {
        " narrow"
    } else {
        ""
    };
    put!(
        out,
        "<figure class=\"plot{single}\" id=\"plot-{}\" data-plot=\"{}\">",
        place.id,
        place.id
    );
    if !plot.title.is_empty() {
        put!(out, "<h3>{}</h3>", html(&plot.title));
    }
    out.push_str(&legend(plot, &classes, &layout.off_scale));
    put!(
        out,
        "<div class=\"chart\"><svg viewBox=\"0 0 {:.0} {:.0}\" role=\"img\" aria-label=\"{}\">",
        layout.width,
        layout.height,
        html(if plot.title.is_empty() {
            &plot.y.label
        } else {
            &plot.title
        })
    );
    let order = drawing_order(plot);
    let mut counts = Vec::new();
    for (p, panel) in layout.panels.iter().enumerate() {
        let count = tick_counts(panel);
        counts.push(count);
        put!(
            out,
            "<g class=\"panel{}\" data-panel=\"{p}\"><clipPath id=\"clip-{}-{p}\"><rect \
            {rect}/></clipPath>\
             <rect class=\"ground\" {rect}/>",
            if p == 0 { "" } else { " inset" },
            place.id,
            rect = rectangle(panel)
        );
        out.push_str(&grid(panel, count));
        put!(out, "<g clip-path=\"url(#clip-{}-{p})\">", place.id);
        if p == 0 {
            out.push_str(&band(&layout.panels));
        }
        out.push_str(&marker_lines(plot, panel));
        for &s in &order {
            put!(
                out,
                "<path class=\"trace {} {}{}\" data-series=\"{s}\" d=\"{}\"/>",
                classes[s],
                style_class(plot.series[s].style),
                if traces[s].rising { "" } else { " path" },
                draw(&traces[s], panel)
            );
        }
        out.push_str("</g>");
        out.push_str(&horizontal_lines(plot, panel, p == 0));
        if p == 0 {
            out.push_str(&marker_labels(plot, panel, layout.marker_rows.as_slice()));
        } else {
            put!(
                out,
                "<text class=\"note\" x=\"{:.1}\" y=\"{:.1}\">Zoom</text>",
                panel.left + 1.0,
                panel.top - 5.0
            );
        }
        put!(out, "<rect class=\"frame\" {}/>", rectangle(panel));
        out.push_str(&names(panel, &plot.x, (p == 0).then_some((&plot.y, 13.0))));
        out.push_str("</g>");
    }
    out.push_str("</svg></div>");
    if !plot.caption.is_empty() {
        put!(out, "<figcaption>{}</figcaption>", html(&plot.caption));
    }
    out.push_str("</figure>");
    let spec = embed::Spec::new(
        plot,
        &traces,
        &classes,
        &layout.panels,
        &counts,
        rising,
        place,
    );
    (out, spec)
}

fn rectangle(panel: &Panel) -> String {
    format!(
        "x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"",
        panel.left, panel.top, panel.width, panel.height
    )
}

/// A button for each series, so that the script can hide it; nothing where there is only one.
fn legend(plot: &Plot, classes: &[&str], off_scale: &[String]) -> String {
    if plot.series.len() < 2 && off_scale.is_empty() {
        return String::new();
    }
    let mut out = String::from("<div class=\"legend\">");
    if plot.series.len() > 1 {
        for (s, series) in plot.series.iter().enumerate() {
            let key = match series.style {
                Style::Line | Style::Dashed => "M1 6h24",
                Style::Points => "M6 6h0M13 6h0M20 6h0",
                Style::Bars => "M4 11V3H10V11zM13 11V6H19V11z",
            };
            put!(
                out,
                "<button type=\"button\" data-series=\"{s}\"><svg viewBox=\"0 0 26 12\" \
                aria-hidden=\"true\"><path class=\"trace {} {}\" d=\"{key}\"/></svg>{}</button>",
                classes[s],
                style_class(series.style),
                html(&series.name)
            );
        }
    }
    if !off_scale.is_empty() {
        put!(
            out,
            "<span class=\"off-scale\">Off scale: {}</span>",
            html(&off_scale.join(", "))
        );
    }
    out.push_str("</div>");
    out
}

fn style_class(style: Style) -> &'static str {
    match style {
        Style::Line => "line",
        Style::Dashed => "dashed",
        Style::Points => "points",
        Style::Bars => "bars",
    }
}

/// Colour class of every series: parts first, the rest take the free colours (Okabe and Ito 2008)
/// in turn.
fn colours(plot: &Plot) -> Vec<&'static str> {
    let used = |e: LineWeight| plot.series.iter().any(|s| s.emphasis == e);
    let mut free: Vec<&'static str> = vec!["blue", "green", "purple", "orange", "sky", "vermilion"];
    if used(LineWeight::Thin) {
        free.retain(|c| *c != "blue");
    }
    if used(LineWeight::Accent) {
        free.retain(|c| *c != "vermilion");
    }
    let mut next = free.into_iter().cycle();
    plot.series
        .iter()
        .map(|s| match s.emphasis {
            LineWeight::Reference => "ink",
            LineWeight::Accent => "vermilion accent",
            LineWeight::Thin => "blue thin",
            LineWeight::Auto => next.next().unwrap_or("blue"),
        })
        .collect()
}

/// The reference beneath, what was measured on top.
fn drawing_order(plot: &Plot) -> Vec<usize> {
    let mut order: Vec<usize> = (0..plot.series.len()).collect();
    order.sort_by_key(|s| match plot.series[*s].emphasis {
        LineWeight::Reference => 0,
        LineWeight::Auto | LineWeight::Thin => 1,
        LineWeight::Accent => 2,
    });
    order
}
