//! Where the parts of a figure stand: panels, ranges, rows of labels.

use super::page::{Plot, Scale, Style};
use super::plot_axes::{TICK_SIZE, label_room};
use super::plot_notes::label_centre;
use super::scale::{Range, count_f64, drawable};
use super::trace::{Panel, Trace, text_width};

/// What identifies a plot on its page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Number of the plot.
    pub(super) id: usize,
    /// Number of its section; plots of one section share a zoom.
    pub(super) section: usize,
    /// Plots beside each other in its row, itself included.
    pub(super) columns: usize,
    /// Points to embed of each series.
    pub(super) most_points: usize,
}

/// Where everything of a figure stands.
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    /// The main panel and, perhaps, the inset.
    pub(super) panels: Vec<Panel>,
    /// The row in which each marker's label stands, counted from the panel upwards; `None` where
    /// there is no room.
    pub(super) marker_rows: Vec<Option<usize>>,
    /// Labels of the horizontal lines that would squash the plot.
    pub(super) off_scale: Vec<String>,
}

impl Layout {
    pub(super) fn new(plot: &Plot, traces: &[Trace], place: Place) -> Self {
        const ROW: f64 = 14.0;
        let (width, panel_height) = match (place.columns, plot.equal_axes) {
            (1, false) => (900.0, 250.0),
            (1, true) | (2, _) => (442.0, 280.0),
            _ => (290.0, 216.0),
        };
        let (x, y, off_scale) = ranges(plot, traces);
        let inset_x = plot.inset.and_then(|(a, b)| inset_range(a, b, x));
        let left =
            22.0 + label_room(y, panel_height).max(if place.columns == 1 { 36.0 } else { 24.0 });
        let right = 12.0;
        let beside = inset_x.is_some() && place.columns == 1;
        let main_width = if beside {
            0.62 * (width - left - right)
        } else {
            width - left - right
        };
        let mut main = Panel {
            left,
            top: 0.0,
            width: main_width,
            height: panel_height,
            x,
            y,
        };
        let marker_rows = stack_labels(plot, &main);
        let rows = marker_rows
            .iter()
            .flatten()
            .map(|r| r + 1)
            .max()
            .unwrap_or(0);
        main.top = (6.0 + ROW * count_f64(rows)).max(if beside { 18.0 } else { 6.0 });
        if plot.equal_axes {
            equalise(&mut main);
        }
        let foot = 42.0;
        let mut height = main.bottom() + foot;
        let mut panels = vec![main];
        if let Some(inset_x) = inset_x {
            let inset_y = Range::of(
                traces.iter().flat_map(|t| t.ordinates(inset_x)),
                plot.y.scale,
                0.07,
            );
            let mut inset = Panel {
                x: inset_x,
                y: inset_y,
                ..main
            };
            if beside {
                inset.left = main.right() + 16.0 + label_room(inset_y, panel_height);
                inset.width = width - right - inset.left;
            } else {
                inset.top = height + 18.0;
                inset.height = 0.6 * panel_height;
                height = inset.bottom() + foot;
            }
            panels.push(inset);
        }
        Self {
            width,
            height,
            panels,
            marker_rows,
            off_scale,
        }
    }
}

/// The ranges of the main panel, and the labels of the lines that are left out.
fn ranges(plot: &Plot, traces: &[Trace]) -> (Range, Range, Vec<String>) {
    let has_bars = traces.iter().any(|t| t.style == Style::Bars);
    let rising = traces.iter().all(|t| t.rising && t.style != Style::Points);
    let mut x = Range::of(
        traces.iter().flat_map(|t| t.x.iter().copied()),
        plot.x.scale,
        if rising { 0.0 } else { 0.04 },
    );
    if has_bars && plot.x.scale == Scale::Linear {
        let half = traces
            .iter()
            .filter(|t| t.style == Style::Bars)
            .map(|t| 0.6 * t.bar_width())
            .fold(0.0, f64::max);
        x = Range::between(x.lo - half, x.hi + half, x.scale);
    } else if rising {
        x = x.snapped();
    }
    let data = Range::of(
        traces.iter().flat_map(|t| t.y.iter().copied()),
        plot.y.scale,
        0.0,
    );
    let (y, off_scale) = with_bounds(plot, data);
    let mut y = y.widened(0.06);
    if has_bars && plot.y.scale == Scale::Linear {
        // Bars stand on the axis.
        y = if data.lo >= 0.0 {
            Range { lo: 0.0, ..y }
        } else {
            y.with(0.0)
        };
        if y.hi <= y.lo {
            y = Range::between(0.0, 1.0, Scale::Linear);
        }
    }
    (x, y, off_scale)
}

/// The range of the data widened to the horizontal lines, from the inmost outwards, as long as the
/// data keep half the height; the labels of the others. A pair such as ±120 mm goes together.
fn with_bounds(plot: &Plot, data: Range) -> (Range, Vec<String>) {
    let mut bounds: Vec<&(f64, String)> = plot
        .horizontals
        .iter()
        .filter(|(value, _)| drawable(*value, plot.y.scale).is_some())
        .collect();
    bounds.sort_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    let same = |a: &&(f64, String), b: &&(f64, String)| a.0.abs() >= b.0.abs() * (1.0 - 1e-9);
    let mut y = data;
    let mut off_scale = Vec::new();
    for pair in bounds.chunk_by(same) {
        let wider = pair.iter().fold(y, |range, (value, _)| range.with(*value));
        if wider.length() <= 2.1 * data.length() {
            y = wider;
        } else {
            off_scale.extend(pair.iter().map(|(_, label)| label.clone()));
        }
    }
    (y, off_scale)
}

/// The part of the inset's range that the data cover; `None` where that is nothing.
fn inset_range(a: f64, b: f64, x: Range) -> Option<Range> {
    let (lo, hi) = (a.min(b).max(x.lo), a.max(b).min(x.hi));
    (a.is_finite() && b.is_finite() && hi - lo > 1e-6 * (x.hi - x.lo))
        .then(|| Range::between(lo, hi, x.scale))
}

/// Widens the axis with the finer scale until a unit is equally long on both.
fn equalise(panel: &mut Panel) {
    if panel.x.scale == Scale::Log || panel.y.scale == Scale::Log {
        return;
    }
    let per_unit = (panel.x.length() / panel.width).max(panel.y.length() / panel.height);
    let around = |r: Range, length: f64| {
        let centre = 0.5 * (r.lo + r.hi);
        Range {
            lo: centre - 0.5 * length,
            hi: centre + 0.5 * length,
            ..r
        }
    };
    panel.x = around(panel.x, per_unit * panel.width);
    panel.y = around(panel.y, per_unit * panel.height);
}

/// A row for each marker's label such that labels do not overlap; at most three rows.
fn stack_labels(plot: &Plot, panel: &Panel) -> Vec<Option<usize>> {
    let mut order: Vec<usize> = (0..plot.markers.len()).collect();
    order.sort_by(|a, b| plot.markers[*a].0.total_cmp(&plot.markers[*b].0));
    let mut ends = [f64::NEG_INFINITY; 3];
    let mut rows = vec![None; plot.markers.len()];
    for m in order {
        let (x, label, _) = &plot.markers[m];
        if label.is_empty() || !panel.x.contains(*x) {
            continue;
        }
        let half = text_width(label, TICK_SIZE) / 2.0;
        let centre = label_centre(panel, *x, half);
        if let Some(row) = ends.iter().position(|end| centre - half > end + 6.0) {
            ends[row] = centre + half;
            rows[m] = Some(row);
        }
    }
    rows
}
