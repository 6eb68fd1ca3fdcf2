//! The loop as a block diagram: the excitation enters at the left, the boxes run clockwise round a
//! ring, and the arrow that closes it, from the last box to the first, is the feedback.

use super::escape::html;
use super::page::{LoopStage, StageKind};
use super::scale::count_f64;
use super::trace::text_width;

const WIDTH: f64 = 900.0;
const PAD: f64 = 11.0;
const SLOT: f64 = 10.0;
const METHOD: f64 = 13.0;
const SETTING: f64 = 11.0;
const GAP_ACROSS: f64 = 64.0;
const GAP_DOWN: f64 = 44.0;

/// A box on the paper with its wrapped text.
struct Placed<'a> {
    stage: &'a LoopStage,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    method: Vec<String>,
    settings: Vec<String>,
}

/// The diagram; empty where there is no box.
pub(super) fn svg(stages: &[LoopStage]) -> String {
    let (sources, ring): (Vec<_>, Vec<_>) =
        stages.iter().partition(|s| s.kind == StageKind::Excitation);
    if stages.is_empty() {
        return String::new();
    }
    // One row up to four boxes, else as many below as above.
    let in_one_row = ring.len() + sources.len() <= 4;
    let above = if in_one_row {
        ring.len()
    } else {
        ring.len().div_ceil(2)
    };
    let columns = above + usize::from(!sources.is_empty());
    let width = ((WIDTH - 2.0 - GAP_ACROSS * count_f64(columns.saturating_sub(1)))
        / count_f64(columns.max(1)))
    .min(240.0);
    let margin =
        (WIDTH - width * count_f64(columns) - GAP_ACROSS * count_f64(columns.saturating_sub(1)))
            / 2.0;
    let column_x = |c: usize| margin + (width + GAP_ACROSS) * count_f64(c);
    let first_column = usize::from(!sources.is_empty());

    let place = |stage, x, y| Placed::new(stage, x, y, width);
    let mut boxes: Vec<Placed> = Vec::new();
    for (i, stage) in ring.iter().enumerate() {
        let column = if i < above {
            first_column + i
        } else {
            first_column + above - 1 - (i - above)
        };
        boxes.push(place(stage, column_x(column), 1.0));
    }
    let mut feeders: Vec<Placed> = Vec::new();
    let mut y = 1.0;
    for stage in sources {
        let placed = place(stage, column_x(0), y);
        y += placed.height + 14.0;
        feeders.push(placed);
    }
    level(&mut boxes[..above.min(ring.len())], 1.0);
    let mut bottom = boxes
        .iter()
        .take(above)
        .map(Placed::bottom)
        .fold(0.0, f64::max);
    if let [only] = feeders.as_mut_slice()
        && above > 0
    {
        only.height = only.height.max(bottom - only.y);
    }
    if boxes.len() > above {
        level(&mut boxes[above..], bottom + GAP_DOWN);
        bottom = boxes.iter().map(Placed::bottom).fold(0.0, f64::max);
    }
    bottom = feeders.iter().map(Placed::bottom).fold(bottom, f64::max);

    let mut arrows = String::new();
    for feeder in &feeders {
        if let Some(first) = boxes.first() {
            let y = (feeder.y + feeder.height / 2.0).clamp(first.y + 12.0, first.bottom() - 12.0);
            arrows.push_str(&across(feeder.right(), first.x, y, &feeder.stage.output));
        }
    }
    for pair in boxes.windows(2) {
        arrows.push_str(&between(&pair[0], &pair[1]));
    }
    let mut height = bottom + 2.0;
    if boxes.len() > 1 {
        let (closing, lowest) = close(&boxes, above, bottom);
        arrows.push_str(&closing);
        height = height.max(lowest);
    }

    let mut out = String::new();
    put!(
        out,
        "<svg class=\"loop\" viewBox=\"0 0 {WIDTH:.0} {:.0}\" role=\"img\" aria-label=\"The loop \
        as a block diagram\">\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
         markerHeight=\"7\" orient=\"auto-start-reverse\"><path d=\"M0 .6L8 4L0 7.4z\"/></marker>\
         <marker id=\"tip-back\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
         markerHeight=\"7\" orient=\"auto-start-reverse\"><path d=\"M0 .6L8 4L0 \
         7.4z\"/></marker></defs>",
        height.ceil()
    );
    out.push_str(&arrows);
    for placed in feeders.iter().chain(&boxes) {
        out.push_str(&placed.draw());
    }
    out.push_str("</svg>");
    out
}

/// Boxes of one row begin at the same height and are equally high.
fn level(row: &mut [Placed], y: f64) {
    let height = row.iter().map(|b| b.height).fold(0.0, f64::max);
    for placed in row {
        placed.y = y;
        placed.height = height;
    }
}

/// The arrow from a box to the next: across, or down at the end of the upper row.
fn between(from: &Placed, to: &Placed) -> String {
    if to.y > from.bottom() {
        return down(from, to);
    }
    let y = from.y + from.height / 2.0;
    if to.x > from.x {
        across(from.right(), to.x, y, &from.stage.output)
    } else {
        across(from.x, to.right(), y, &from.stage.output)
    }
}

fn across(from: f64, to: f64, y: f64, label: &str) -> String {
    let mut out = String::new();
    put!(
        out,
        "<path class=\"arrow\" d=\"M{from:.1} {y:.1}H{to:.1}\" marker-end=\"url(#tip)\"/>"
    );
    let lines = wrap(label, 0.92 * SLOT, GAP_ACROSS - 2.0);
    let centre = 0.5 * (from + to);
    for (i, line) in lines.iter().rev().enumerate() {
        put!(
            out,
            "<text class=\"signal mid\" x=\"{centre:.1}\" y=\"{:.1}\">{}</text>",
            y - 6.0 - 11.5 * count_f64(i),
            html(line)
        );
    }
    out
}

fn down(from: &Placed, to: &Placed) -> String {
    let x = from.x + from.width / 2.0;
    let mut out = String::new();
    put!(
        out,
        "<path class=\"arrow\" d=\"M{x:.1} {:.1}V{:.1}\" marker-end=\"url(#tip)\"/>\
         <text class=\"signal\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        from.bottom(),
        to.y,
        x + 8.0,
        0.5 * (from.bottom() + to.y) + 3.5,
        html(&from.stage.output)
    );
    out
}

/// The feedback arrow and the lowest point it reaches.
fn close(boxes: &[Placed], above: usize, bottom: f64) -> (String, f64) {
    let (first, last) = (&boxes[0], &boxes[boxes.len() - 1]);
    let label = html(&last.stage.output);
    let mut out = String::new();
    let x0 = first.x + first.width / 2.0;
    let x1 = last.x + last.width / 2.0;
    if boxes.len() == above {
        // One row: below the boxes and back.
        let y = bottom + 26.0;
        put!(
            out,
            "<path class=\"arrow back\" d=\"M{x1:.1} {:.1}V{y:.1}H{x0:.1}V{:.1}\" \
            marker-end=\"url(#tip-back)\"/>\
             <text class=\"signal back mid\" x=\"{:.1}\" y=\"{:.1}\">{label}</text>",
            last.bottom(),
            first.bottom(),
            0.5 * (x0 + x1),
            y - 6.0
        );
        return (out, y + 3.0);
    }
    if (x0 - x1).abs() < 1.0 {
        put!(
            out,
            "<path class=\"arrow back\" d=\"M{x0:.1} {:.1}V{:.1}\" marker-end=\"url(#tip-back)\"/>",
            last.y,
            first.bottom()
        );
    } else {
        // The lower row is one box shorter: out at its side, then up.
        put!(
            out,
            "<path class=\"arrow back\" d=\"M{:.1} {:.1}H{x0:.1}V{:.1}\" \
            marker-end=\"url(#tip-back)\"/>",
            last.x,
            last.y + last.height / 2.0,
            first.bottom()
        );
    }
    put!(
        out,
        "<text class=\"signal back\" x=\"{:.1}\" y=\"{:.1}\">{label}</text>",
        x0 + 8.0,
        first.bottom() + 0.5 * GAP_DOWN + 3.5
    );
    (out, bottom + 2.0)
}

impl<'a> Placed<'a> {
    fn new(stage: &'a LoopStage, x: f64, y: f64, width: f64) -> Self {
        let room = width - 2.0 * PAD;
        let method = wrap(&stage.method, 1.1 * METHOD, room);
        let settings: Vec<String> = stage
            .settings
            .iter()
            .flat_map(|s| wrap(s, SETTING, room))
            .collect();
        let height = 2.0 * PAD
            + 12.0
            + 16.0 * count_f64(method.len())
            + if settings.is_empty() {
                0.0
            } else {
                4.0 + 14.5 * count_f64(settings.len())
            };
        Self {
            stage,
            x,
            y,
            width,
            height,
            method,
            settings,
        }
    }

    fn right(&self) -> f64 {
        self.x + self.width
    }

    fn bottom(&self) -> f64 {
        self.y + self.height
    }

    fn draw(&self) -> String {
        let kind = match self.stage.kind {
            StageKind::Excitation => "excitation",
            StageKind::Numerical => "numerical",
            StageKind::Transfer => "transfer",
            StageKind::Guard => "guard",
            StageKind::Physical => "physical",
        };
        let mut out = String::new();
        put!(
            out,
            "<g class=\"stage {kind}\"><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" \
            height=\"{:.1}\" rx=\"7\"/>",
            self.x,
            self.y,
            self.width,
            self.height
        );
        let x = self.x + PAD;
        let mut y = self.y + PAD + 8.0;
        put!(
            out,
            "<text class=\"slot\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
            html(&self.stage.slot)
        );
        y += 1.0;
        for line in &self.method {
            y += 16.0;
            put!(
                out,
                "<text class=\"method\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
                html(line)
            );
        }
        y += 4.0;
        for line in &self.settings {
            y += 14.5;
            put!(
                out,
                "<text class=\"setting\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
                html(line)
            );
        }
        out.push_str("</g>");
        out
    }
}

/// Breaks `text` at spaces and after hyphens into lines that fit `room`; a longer word is cut.
fn wrap(text: &str, size: f64, room: f64) -> Vec<String> {
    let fits = |s: &str| text_width(s.trim_end(), size) <= room.max(size);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_inclusive([' ', '-', '/']) {
        if !line.is_empty() && !fits(&format!("{line}{word}")) {
            lines.push(std::mem::take(&mut line));
        }
        for c in word.chars() {
            if !line.is_empty() && !fits(&format!("{line}{c}")) {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    lines.push(line);
    lines
        .iter()
        .map(|l| l.trim().to_owned())
        .filter(|l| !l.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_lose_nothing() {
        let text = "last-predicted-displacement of order 3";
        let lines = wrap(text, 13.0, 120.0);
        assert!(
            lines.len() > 1 && lines.iter().all(|l| text_width(l, 13.0) <= 120.0),
            "{lines:?}"
        );
        let letters = |s: &str| s.replace(' ', "");
        assert_eq!(letters(&lines.concat()), letters(text));
        assert_eq!(wrap("", 13.0, 100.0), Vec::<String>::new());
        assert!(wrap(&"x".repeat(100), 13.0, 60.0).len() > 5);
    }

    #[test]
    fn any_number_of_boxes() {
        for sources in 0..3 {
            for ring in 0..13 {
                let stage = |kind| LoopStage {
                    slot: "slot".into(),
                    method: "method".into(),
                    kind,
                    ..LoopStage::default()
                };
                let mut stages = vec![stage(StageKind::Excitation); sources];
                stages.extend(vec![stage(StageKind::Transfer); ring]);
                let drawing = svg(&stages);
                assert_eq!(drawing.matches("<g class=\"stage").count(), sources + ring);
                assert!(
                    !drawing.contains("NaN") && !drawing.contains("inf"),
                    "{drawing}"
                );
                assert_eq!(drawing.matches("arrow back").count(), usize::from(ring > 1));
            }
        }
    }
}
