//! The structure as a drawing: nodes, members, supports, the specimen in colour, and the first mode
//! shapes beside it.
//!
//! A frame is drawn to scale (in space: seen from the side and above), a shear building as a stick
//! with one mass a floor.

use tandem_frame::model::{Dof, Space};
use tandem_structure::modes::Modes;

use super::escape::html;
use tandem::assemble::Test;
use tandem_quantity::format_number;

const WIDTH: f64 = 900.0;
/// Of the structure itself.
const HEIGHT: f64 = 200.0;
const MOST_PANEL: f64 = 300.0;
const MARGIN: f64 = 22.0;
const MOST_MODES: usize = 3;
/// A structure that is so many times as wide as high gets the full width, its modes below.
const WIDE: f64 = 3.0;
/// Of a wide structure, as a part of its height.
const WIDE_SWING: f64 = 0.4;
/// Beyond this many nodes their names would cover the drawing.
const MOST_NAMES: usize = 24;
/// What a name takes on the paper.
const NAME: [f64; 2] = [24.0, 11.0];
/// Size of the largest displacement of a mode, as a part of the size of the structure.
const SWING: f64 = 0.07;

/// What is drawn.
#[derive(Clone, Debug, Default)]
pub struct StructurePicture {
    nodes: Vec<PictureNode>,
    lines: Vec<Line>,
    modes: Vec<Mode>,
}

/// A node of the picture.
#[derive(Clone, Debug)]
pub struct PictureNode {
    /// Its name.
    pub name: String,
    /// On the paper, m, y upwards.
    pub place: [f64; 2],
    /// How it is held.
    pub support: Support,
    /// Whether a mass is drawn.
    pub mass: bool,
}

/// How a node is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Not at all.
    Free,
    /// In place, free to turn.
    Pinned,
    /// In place and direction.
    Fixed,
    /// In one direction.
    Roller,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    nodes: [usize; 2],
    specimen: bool,
}

#[derive(Clone, Debug)]
struct Mode {
    frequency_hz: f64,
    /// Displacement of every node on the paper, any scale.
    motion: Vec<[f64; 2]>,
}

/// A space frame on paper: x to the right, y (depth) obliquely, z upwards.
fn project(space: Space, [x, y, z]: [f64; 3]) -> [f64; 2] {
    match space {
        Space::Plane => [x, y],
        Space::Space => [x + 0.45 * y, z + 0.3 * y],
    }
}

impl StructurePicture {
    /// The picture of a test's structure; none for one that is only matrices.
    pub fn of(test: &Test, modes: &Modes) -> Option<Self> {
        let shapes = &modes.shapes[..modes.shapes.len().min(MOST_MODES)];
        let mut picture = Self::with_shapes(test, shapes)?;
        for (mode, frequency_hz) in picture.modes.iter_mut().zip(&modes.frequencies_hz) {
            mode.frequency_hz = *frequency_hz;
        }
        Some(picture)
    }

    /// The picture with the motion of its nodes in any shapes.
    pub fn with_shapes(test: &Test, shapes: &[Vec<f64>]) -> Option<Self> {
        match test.frame() {
            Some(_) => Self::frame(test, shapes),
            None if test.outline.whole.properties().kind == "shear building" => {
                Some(Self::stick(test, shapes))
            }
            None => None,
        }
    }

    /// The nodes, without motion.
    #[must_use]
    pub fn nodes(&self) -> &[PictureNode] {
        &self.nodes
    }

    /// The members: their nodes, and whether they stand in the laboratory.
    pub fn lines(&self) -> impl Iterator<Item = ([usize; 2], bool)> {
        self.lines.iter().map(|line| (line.nodes, line.specimen))
    }

    /// How a node moves in a shape, on the paper.
    pub fn motion(&self, shape: usize, node: usize) -> [f64; 2] {
        let shape = self.modes.get(shape);
        shape
            .and_then(|shape| shape.motion.get(node))
            .copied()
            .unwrap_or_default()
    }

    fn frame(test: &Test, shapes: &[Vec<f64>]) -> Option<Self> {
        let frame = test.frame()?;
        let model = &frame.model;
        let space = model.space();
        let numbers: Vec<usize> = model.node_numbers().collect();
        let nodes = numbers
            .iter()
            .map(|number| {
                let held = frame.supports.iter().filter(|(node, _)| node == number);
                let dofs: Vec<Dof> = held.flat_map(|(_, dofs)| dofs.iter().copied()).collect();
                Some(PictureNode {
                    name: model.node_name(*number),
                    place: project(space, model.node_place(*number).ok()?),
                    support: support(&dofs, space),
                    mass: false,
                })
            })
            .collect::<Option<Vec<_>>>()?;
        let specimen = test.specimen_elements();
        let index = |number: usize| numbers.iter().position(|own| *own == number);
        let lines = model
            .element_numbers()
            .filter_map(|element| {
                let [i, j] = model.element_nodes(element).ok()?;
                Some(Line {
                    nodes: [index(i)?, index(j)?],
                    specimen: specimen.contains(&element),
                })
            })
            .collect();
        let modes = shapes
            .iter()
            .map(|shape| {
                let free = test.whole_frame_shape(shape);
                let motion = numbers.iter().map(|number| {
                    let motion = model.node_motion(*number, &free).unwrap_or_default();
                    project(space, motion)
                });
                Mode {
                    frequency_hz: 0.0,
                    motion: motion.collect(),
                }
            })
            .collect();
        Some(Self {
            nodes,
            lines,
            modes,
        })
    }

    fn stick(test: &Test, shapes: &[Vec<f64>]) -> Self {
        let floors = test.outline.whole.properties().dof();
        let nodes = (0..=floors)
            .map(|level| PictureNode {
                name: match level {
                    0 => String::new(),
                    _ => test.outline.whole.properties().label(level - 1).to_owned(),
                },
                place: [0.0, level as f64],
                support: if level == 0 {
                    Support::Fixed
                } else {
                    Support::Free
                },
                mass: level > 0,
            })
            .collect();
        let lines = (0..floors)
            .map(|storey| Line {
                nodes: [storey, storey + 1],
                specimen: test.outline.interface.contains(&storey),
            })
            .collect();
        let modes = shapes
            .iter()
            .map(|shape| Mode {
                frequency_hz: 0.0,
                motion: std::iter::once([0.0; 2])
                    .chain(shape.iter().map(|x| [*x, 0.0]))
                    .collect(),
            })
            .collect();
        Self {
            nodes,
            lines,
            modes,
        }
    }

    /// What to see in it.
    pub fn caption(&self) -> &'static str {
        if self.lines.iter().any(|line| line.specimen) {
            "The specimen in colour. Modes of the undivided structure, members drawn straight \
            between their nodes."
        } else {
            "Modes of the undamped structure, members drawn straight between their nodes."
        }
    }

    /// The drawing: the structure at the left, its modes beside it.
    pub fn svg(&self) -> String {
        let [low, extent] = self.bounds();
        let size = extent[0].max(extent[1]).max(1e-9);
        let wide = extent[0] > WIDE * extent[1] && extent[1] > 0.0;
        let panels = (1 + self.modes.len()) as f64;
        let panel = if wide {
            WIDTH
        } else {
            (WIDTH / panels).min(MOST_PANEL)
        };
        let room = panel - 2.0 * MARGIN;
        // Everything fits, and so do the modes that swing out of it.
        let swing = if wide {
            (SWING * size).min(WIDE_SWING * extent[1])
        } else {
            SWING * size
        };
        let scale = (HEIGHT / (extent[1] + swing)).min(room / (extent[0] + 2.0 * swing));
        let height = (extent[1] + swing) * scale + 2.0 * MARGIN;
        let centre = low[0] + 0.5 * extent[0];
        // Middle and lower edge of a panel: side by side, or one below the other.
        let corner = |number: f64| {
            if wide {
                [0.5 * panel, (number + 1.0) * height]
            } else {
                [(number + 0.5) * panel, height]
            }
        };
        let at = |number: f64, [x, y]: [f64; 2]| {
            let [middle, below] = corner(number);
            [
                middle + (x - centre) * scale,
                below - 1.5 * MARGIN - (y - low[1]) * scale,
            ]
        };
        let whole = if wide { panels * height } else { height };
        let mut out = format!(
            "<svg class=\"structure\" viewBox=\"0 0 {WIDTH:.0} {whole:.0}\" role=\"img\" \
             aria-label=\"The structure and its first modes\" font-size=\"11\" \
             fill=\"currentColor\">"
        );
        self.draw(&mut out, |place| at(0.0, place), None, swing);
        let mut named: Vec<[f64; 2]> = Vec::new();
        for node in &self.nodes {
            let place = at(0.0, node.place);
            // A name that would cover another one is left out.
            let apart = |other: &[f64; 2]| {
                (place[0] - other[0]).abs() > NAME[0] || (place[1] - other[1]).abs() > NAME[1]
            };
            let name = self.nodes.len() <= MOST_NAMES && named.iter().all(apart);
            if name {
                named.push(place);
            }
            draw_node(&mut out, place, node, name);
        }
        for (number, mode) in (1_u8..).zip(&self.modes) {
            let panel = f64::from(number);
            let [middle, below] = corner(panel);
            out.push_str("<g opacity=\"0.25\">");
            self.draw(&mut out, |place| at(panel, place), None, swing);
            out.push_str("</g>");
            self.draw(&mut out, |place| at(panel, place), Some(mode), swing);
            put!(
                out,
                "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">mode {number}: {} \
                Hz</text>",
                below - 5.0,
                format_number(mode.frequency_hz)
            );
        }
        out.push_str("</svg>");
        out
    }

    /// Lower left corner and extent.
    fn bounds(&self) -> [[f64; 2]; 2] {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        for node in &self.nodes {
            for k in 0..2 {
                low[k] = low[k].min(node.place[k]);
                high[k] = high[k].max(node.place[k]);
            }
        }
        if self.nodes.is_empty() {
            return [[0.0; 2]; 2];
        }
        [low, [high[0] - low[0], high[1] - low[1]]]
    }

    /// All lines, displaced by a mode if one is given, by `swing` at most. Members bend between
    /// their nodes; here they stay straight.
    fn draw(
        &self,
        out: &mut String,
        at: impl Fn([f64; 2]) -> [f64; 2],
        mode: Option<&Mode>,
        swing: f64,
    ) {
        let largest = mode.map_or(1.0, |mode| {
            let lengths = mode.motion.iter().map(|[x, y]| x.hypot(*y));
            lengths.fold(1e-300, f64::max)
        });
        let place = |node: usize| {
            let [x, y] = self.nodes[node].place;
            let [dx, dy] = mode.map_or([0.0; 2], |mode| mode.motion[node]);
            let factor = swing / largest;
            at([x + factor * dx, y + factor * dy])
        };
        for line in &self.lines {
            let ([x1, y1], [x2, y2]) = (place(line.nodes[0]), place(line.nodes[1]));
            let (colour, width) = if line.specimen {
                ("var(--vermilion, #d55e00)", 3.0)
            } else {
                ("currentColor", 1.5)
            };
            if (x2 - x1).hypot(y2 - y1) < 0.5 {
                // A spring without length.
                put!(
                    out,
                    "<circle cx=\"{x1:.1}\" cy=\"{y1:.1}\" r=\"5\" fill=\"none\" \
                    stroke=\"{colour}\" stroke-width=\"1.5\"/>"
                );
            } else {
                put!(
                    out,
                    "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" \
                    stroke=\"{colour}\" \
                     stroke-width=\"{width}\" stroke-linecap=\"round\"/>"
                );
            }
        }
        if mode.is_some() {
            for (index, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.mass) {
                let [x, y] = place(index);
                put!(
                    out,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{}</title></circle>",
                    html(&node.name)
                );
            }
        }
    }
}

fn support(dofs: &[Dof], space: Space) -> Support {
    let moves = dofs
        .iter()
        .filter(|dof| matches!(dof, Dof::Ux | Dof::Uy | Dof::Uz))
        .count();
    let all = if space == Space::Plane { 2 } else { 3 };
    let turns = dofs.len() - moves;
    match (moves, turns) {
        (0, 0) => Support::Free,
        (moves, 0) if moves >= all => Support::Pinned,
        (moves, _) if moves >= all => Support::Fixed,
        _ => Support::Roller,
    }
}

fn draw_node(out: &mut String, [x, y]: [f64; 2], node: &PictureNode, named: bool) {
    match node.support {
        Support::Fixed => put!(
            out,
            "<path d=\"M{:.1} {y:.1}h16m-16 5l4-5m2 5l4-5m2 5l4-5\" stroke=\"currentColor\" \
            fill=\"none\"/>",
            x - 8.0
        ),
        Support::Pinned => put!(
            out,
            "<path d=\"M{x:.1} {y:.1}l-6 9h12z\" stroke=\"currentColor\" fill=\"none\"/>"
        ),
        Support::Roller => put!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"4\" stroke=\"currentColor\" fill=\"none\"/>",
            y + 4.0
        ),
        Support::Free => {}
    }
    let radius = if node.mass { 5.0 } else { 2.0 };
    put!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>");
    if named && !node.name.is_empty() && !node.name.contains('(') {
        put!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" opacity=\"0.7\" font-size=\"9\">{}</text>",
            x + radius + 3.0,
            y - 4.0,
            html(&node.name)
        );
    }
}
