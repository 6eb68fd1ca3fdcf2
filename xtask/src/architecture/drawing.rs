//! `docs/architecture.svg`: the crates in layers with their modules, arrows downwards.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::graph::Graph;
use super::layout::{Layout, Size};
use super::rules;
use super::tree::Crate;

/// Advance of one character of a module's name.
const CHARACTER: f64 = 6.6;
/// Height of one line of them.
const LINE: f64 = 16.0;
/// Between a box and what stands in it.
const PADDING: f64 = 12.0;
/// From the top of a box to the first line of modules.
const HEAD: f64 = 40.0;
/// Room above the first row, for what the colours mean.
const TOP: f64 = 36.0;

const STYLE: &str = "
  .pure { fill: #e6f4ee; stroke: #00805f }
  .room { fill: #eaf2fa; stroke: #0072b2 }
  .name { font: 600 15px system-ui, sans-serif; fill: #16202a }
  .about { font: 13px system-ui, sans-serif; fill: #44525f }
  .modules { font: 11px ui-monospace, 'DejaVu Sans Mono', monospace; fill: #44525f }
  .ring { fill: #b34700 }
  .arrow { fill: none; stroke: #7a8794; stroke-width: 1.4 }
  .tip { fill: #7a8794 }
  @media (prefers-color-scheme: dark) {
    .pure { fill: #12312a; stroke: #35b58d }
    .room { fill: #14283a; stroke: #56a5e0 }
    .name { fill: #f0f4f8 }
    .about, .modules { fill: #b4c0cc }
    .ring { fill: #ff9d5c }
    .arrow { stroke: #8d9aa7 }
    .tip { fill: #8d9aa7 }
  }
";

/// A crate as it is drawn: its modules in lines.
struct Room<'a> {
    of: &'a Crate,
    lines: Vec<Vec<&'a str>>,
    size: Size,
}

/// The drawing of all crates that the program is made of.
pub fn draw(crates: &[Crate]) -> String {
    let rooms: BTreeMap<&str, Room<'_>> = crates
        .iter()
        .filter(|one| one.folder.starts_with("crates") && one.name != "test-support")
        .map(|one| (one.name.as_str(), room(one)))
        .collect();
    let arrows = rooms.values().flat_map(|room| {
        let from = room.of.name.as_str();
        room.of.stands_on.iter().map(move |to| (from, to.as_str()))
    });
    let graph = Graph::new(rooms.keys().copied(), arrows);
    let sizes = rooms
        .iter()
        .map(|(name, room)| ((*name).to_string(), room.size))
        .collect();
    let layout = Layout::new(&graph, &sizes);

    let height = layout.height + TOP + PADDING;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {height:.0}\" role=\"img\" \
         aria-label=\"the crates and what each stands on\">\n\
         <style>{STYLE}</style>\n\
         <marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" \
         markerHeight=\"8\" orient=\"auto\"><path class=\"tip\" d=\"M0 0 10 5 0 10z\"/></marker>\n",
        layout.width
    );
    let rings = rooms.values().any(|room| !in_rings(room.of).is_empty());
    legend(&mut svg, rings);
    for way in &layout.ways {
        let mut path = String::new();
        for (index, point) in way.iter().enumerate() {
            let (x, y) = (point.x, point.y + TOP);
            // Ways go down: between two rows in a curve, through a row in a straight line.
            if index == 0 {
                let _ = write!(path, "M{x:.0} {y:.0}");
            } else if index % 2 == 0 {
                let above = way[index - 1];
                let middle = f64::midpoint(above.y + TOP, y);
                let _ = write!(
                    path,
                    "C{:.0} {middle:.0} {x:.0} {middle:.0} {x:.0} {y:.0}",
                    above.x
                );
            } else {
                let _ = write!(path, "V{y:.0}");
            }
        }
        let _ = writeln!(
            svg,
            "<path class=\"arrow\" marker-end=\"url(#tip)\" d=\"{path}\"/>"
        );
    }
    for (name, room) in &rooms {
        let at = layout.corners[*name];
        box_of(&mut svg, room, at.x, at.y + TOP);
    }
    svg += "</svg>\n";
    svg
}

/// Breaks the modules into lines, so that the box is wider than high.
fn room(of: &Crate) -> Room<'_> {
    let modules: Vec<&str> = of.modules().into_iter().collect();
    let whole: usize = modules.iter().map(|name| name.len() + 2).sum();
    let longest = modules.iter().map(|name| name.len()).max().unwrap_or(0);
    let columns = whole.div_ceil(5).clamp(26, 60).max(longest);
    let mut lines: Vec<Vec<&str>> = Vec::new();
    let mut used = columns;
    for name in modules {
        if used + name.len() > columns {
            lines.push(Vec::new());
            used = 0;
        }
        used += name.len() + 2;
        if let Some(line) = lines.last_mut() {
            line.push(name);
        }
    }
    let widest = lines.iter().map(|line| width_of(line)).max().unwrap_or(0);
    let widest = widest.max(of.name.len() * 3 / 2);
    Room {
        of,
        size: Size {
            width: (number(widest) * CHARACTER + 2.0 * PADDING).max(120.0),
            height: HEAD + number(lines.len()) * LINE + 4.0,
        },
        lines,
    }
}

/// Characters of a line, with two between its words.
fn width_of(line: &[&str]) -> usize {
    line.iter()
        .map(|name| name.len() + 2)
        .sum::<usize>()
        .saturating_sub(2)
}

/// A small count as a length.
fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

/// Modules that know each other in rings.
fn in_rings(of: &Crate) -> BTreeSet<String> {
    let graphs = of.targets.iter().map(rules::module_graph);
    graphs.flat_map(|graph| graph.knots()).flatten().collect()
}

fn legend(svg: &mut String, rings: bool) {
    let mut x = PADDING;
    let texts = [
        ("pure", "touches no file, socket, process, thread or clock"),
        ("room", "meets the world"),
    ];
    for (class, text) in texts {
        let _ = writeln!(
            svg,
            "<rect class=\"{class}\" x=\"{x:.0}\" y=\"10\" width=\"16\" height=\"12\" rx=\"3\"/>\
             <text class=\"about\" x=\"{:.0}\" y=\"21\">{text}</text>",
            x + 22.0
        );
        x += 22.0 + number(text.len()) * 7.0 + 24.0;
    }
    if rings {
        let _ = writeln!(
            svg,
            "<text class=\"modules ring\" x=\"{x:.0}\" y=\"21\">modules</text>\
             <text class=\"about\" x=\"{:.0}\" y=\"21\">that know each other in a ring, \
             still to be cut</text>",
            x + 54.0
        );
    }
}

fn box_of(svg: &mut String, room: &Room<'_>, x: f64, y: f64) {
    let class = if rules::is_pure(&room.of.name) {
        "pure"
    } else {
        "room"
    };
    let Size { width, height } = room.size;
    let name = &room.of.name;
    let left = x + PADDING;
    let _ = writeln!(
        svg,
        "<rect class=\"{class}\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" rx=\"8\"/>\n\
         <text class=\"name\" x=\"{left:.0}\" y=\"{:.0}\">{name}</text>",
        y + 23.0
    );
    let rings = in_rings(room.of);
    for (row, line) in room.lines.iter().enumerate() {
        let mut words = String::new();
        let mut column = 0;
        for module in line {
            let ring = if rings.contains(*module) {
                " class=\"ring\""
            } else {
                ""
            };
            let at = left + number(column) * CHARACTER;
            let _ = write!(words, "<tspan{ring} x=\"{at:.0}\">{module}</tspan>");
            column += module.len() + 2;
        }
        let _ = writeln!(
            svg,
            "<text class=\"modules\" y=\"{:.0}\">{words}</text>",
            y + HEAD + number(row) * LINE + 4.0
        );
    }
}
