//! Boxes in layers and ways between them that cross no box.
//!
//! Layers, order within them by the mean of the neighbours, then places by least squares: the
//! method of Sugiyama, Tagawa and Toda (1981), doi:10.1109/TSMC.1981.4308636.

use std::collections::BTreeMap;

use super::graph::Graph;

/// Between two boxes of a row.
const BESIDE: f64 = 28.0;
/// Between two rows.
const BETWEEN: f64 = 64.0;
/// At the edge of the drawing.
const MARGIN: f64 = 12.0;
/// Width of a way through a row.
const LANE: f64 = 4.0;

/// Width and height.
#[derive(Clone, Copy)]
pub struct Size {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// A place in the drawing, from its upper left corner.
#[derive(Clone, Copy)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

/// Where everything stands.
pub struct Layout {
    /// Upper left corners of the boxes.
    pub corners: BTreeMap<String, Point>,
    /// Ways of the arrows: the lower edge of a box, then in turn the lower edge of a row and the
    /// upper edge of the next.
    pub ways: Vec<Vec<Point>>,
    /// Of the drawing.
    pub width: f64,
    /// Of the drawing.
    pub height: f64,
}

/// A box, or a place in a row where a way goes through.
struct Node {
    name: Option<String>,
    width: f64,
    /// Middle.
    x: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

struct Rows {
    nodes: Vec<Node>,
    /// From the top down.
    rows: Vec<Vec<usize>>,
    /// Nodes that each arrow goes through.
    ways: Vec<Vec<usize>>,
}

impl Layout {
    /// Places the names of a graph without rings, whose boxes have these sizes.
    pub fn new(graph: &Graph, sizes: &BTreeMap<String, Size>) -> Self {
        let mut rows = Rows::new(graph, sizes);
        rows.order();
        rows.place();
        rows.shape(sizes)
    }
}

impl Rows {
    fn new(graph: &Graph, sizes: &BTreeMap<String, Size>) -> Self {
        let layers = graph.layers();
        let count = layers.values().max().map_or(0, |most| most + 1);
        let mut made = Self {
            nodes: Vec::new(),
            rows: vec![Vec::new(); count],
            ways: Vec::new(),
        };
        let mut boxes = BTreeMap::new();
        for (name, layer) in &layers {
            let node = made.node(Some(name.clone()), sizes[name].width, count - 1 - layer);
            boxes.insert(name.as_str(), node);
        }
        for (from, to) in graph.reduced() {
            let mut way = vec![boxes[from.as_str()]];
            for row in count - layers[&from]..count - 1 - layers[&to] {
                way.push(made.node(None, LANE, row));
            }
            way.push(boxes[to.as_str()]);
            for pair in way.windows(2) {
                made.nodes[pair[0]].below.push(pair[1]);
                made.nodes[pair[1]].above.push(pair[0]);
            }
            made.ways.push(way);
        }
        made
    }

    fn node(&mut self, name: Option<String>, width: f64, row: usize) -> usize {
        self.nodes.push(Node {
            name,
            width,
            x: 0.0,
            above: Vec::new(),
            below: Vec::new(),
        });
        self.rows[row].push(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// Sorts the rows by the means of their neighbours above and below in turn, and keeps the
    /// order with the fewest crossings.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.rows.clone());
        for round in 0..24 {
            let down = round % 2 == 0;
            for step in 0..self.rows.len() {
                let row = if down {
                    step
                } else {
                    self.rows.len() - 1 - step
                };
                let place = self.places();
                let mean = |node: usize| {
                    let near = if down {
                        &self.nodes[node].above
                    } else {
                        &self.nodes[node].below
                    };
                    let sum: f64 = near.iter().map(|other| place[*other]).sum();
                    if near.is_empty() {
                        place[node]
                    } else {
                        sum / length(near)
                    }
                };
                let mut keyed: Vec<(f64, usize)> = self.rows[row]
                    .iter()
                    .map(|node| (mean(*node), *node))
                    .collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.rows[row] = keyed.into_iter().map(|(_, node)| node).collect();
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.rows.clone());
            }
        }
        self.rows = best.1;
    }

    /// Where each node stands in its row, from 0 to 1.
    fn places(&self) -> Vec<f64> {
        let mut places = vec![0.0; self.nodes.len()];
        for row in &self.rows {
            let mut at = 0.5;
            for node in row {
                places[*node] = at / length(row);
                at += 1.0;
            }
        }
        places
    }

    fn crossings(&self) -> usize {
        let place = self.places();
        let mut count = 0;
        for row in &self.rows {
            let ways: Vec<(f64, f64)> = row
                .iter()
                .flat_map(|node| {
                    self.nodes[*node]
                        .below
                        .iter()
                        .map(|to| (place[*node], place[*to]))
                })
                .collect();
            for (index, one) in ways.iter().enumerate() {
                let cross = |other: &&(f64, f64)| (one.0 - other.0) * (one.1 - other.1) < 0.0;
                count += ways[index + 1..].iter().filter(cross).count();
            }
        }
        count
    }

    /// Moves every row towards its neighbours as far as its boxes let each other.
    fn place(&mut self) {
        for row in self.rows.clone() {
            self.settle(&row, &vec![0.0; row.len()]);
        }
        for _ in 0..60 {
            for row in self.rows.clone() {
                let wanted: Vec<f64> = row
                    .iter()
                    .map(|node| {
                        let Node {
                            above, below, x, ..
                        } = &self.nodes[*node];
                        let near: Vec<usize> = above.iter().chain(below).copied().collect();
                        let sum: f64 = near.iter().map(|other| self.nodes[*other].x).sum();
                        if near.is_empty() {
                            *x
                        } else {
                            sum / length(&near)
                        }
                    })
                    .collect();
                self.settle(&row, &wanted);
            }
        }
        let left = |node: &Node| node.x - node.width / 2.0;
        let least = self.nodes.iter().map(left).fold(f64::INFINITY, f64::min);
        for node in &mut self.nodes {
            node.x += MARGIN - least;
        }
    }

    /// The places nearest to the wanted ones at which nothing of a row overlaps: what would
    /// overlap is taken together (pool adjacent violators).
    fn settle(&mut self, row: &[usize], wanted: &[f64]) {
        struct Pool {
            sum: f64,
            weight: f64,
            members: usize,
        }
        let mut offsets = Vec::new();
        let mut pools: Vec<Pool> = Vec::new();
        for (index, node) in row.iter().enumerate() {
            let offset = index.checked_sub(1).map_or(0.0, |before| {
                let widths = self.nodes[row[before]].width + self.nodes[*node].width;
                offsets[before] + widths / 2.0 + BESIDE
            });
            offsets.push(offset);
            // Ways that go through are to be straight.
            let weight = if self.nodes[*node].name.is_some() {
                1.0
            } else {
                3.0
            };
            pools.push(Pool {
                sum: weight * (wanted[index] - offset),
                weight,
                members: 1,
            });
            while let [.., before, last] = pools.as_slice() {
                if before.sum / before.weight <= last.sum / last.weight {
                    break;
                }
                let Some(last) = pools.pop() else { break };
                if let Some(before) = pools.last_mut() {
                    before.sum += last.sum;
                    before.weight += last.weight;
                    before.members += last.members;
                }
            }
        }
        let mut index = 0;
        for pool in &pools {
            for _ in 0..pool.members {
                self.nodes[row[index]].x = pool.sum / pool.weight + offsets[index];
                index += 1;
            }
        }
    }

    fn shape(&self, sizes: &BTreeMap<String, Size>) -> Layout {
        let mut tops = Vec::new();
        let mut bottoms = Vec::new();
        let mut at = 0.0;
        for row in &self.rows {
            let heights = row
                .iter()
                .filter_map(|node| self.nodes[*node].name.as_ref());
            let height = heights.map(|name| sizes[name].height).fold(0.0, f64::max);
            tops.push(at);
            bottoms.push(at + height);
            at += height + BETWEEN;
        }
        let mut corners = BTreeMap::new();
        let mut row_of = vec![0; self.nodes.len()];
        for (index, row) in self.rows.iter().enumerate() {
            for node in row {
                row_of[*node] = index;
                let Node { name, width, x, .. } = &self.nodes[*node];
                if let Some(name) = name {
                    let x = x - width / 2.0;
                    let y = tops[index];
                    corners.insert(name.clone(), Point { x, y });
                }
            }
        }
        let mut ways = Vec::new();
        for way in &self.ways {
            let mut points = Vec::new();
            for pair in way.windows(2) {
                let [from, to] = [pair[0], pair[1]];
                let x = self.port(from, to, true);
                if let (Some(name), true) = (&self.nodes[from].name, points.is_empty()) {
                    let y = corners[name].y + sizes[name].height;
                    points.push(Point { x, y });
                }
                let y = bottoms[row_of[from]];
                points.push(Point { x, y });
                points.push(Point {
                    x: self.port(to, from, false),
                    y: tops[row_of[to]],
                });
            }
            ways.push(points);
        }
        let right = |node: &Node| node.x + node.width / 2.0;
        Layout {
            corners,
            ways,
            width: self.nodes.iter().map(right).fold(0.0, f64::max) + MARGIN,
            height: bottoms.last().copied().unwrap_or(0.0),
        }
    }

    /// Where the way to `other` leaves or meets a box: ways stand side by side, in the order of
    /// what they lead to.
    fn port(&self, node: usize, other: usize, down: bool) -> f64 {
        let Node {
            above,
            below,
            x,
            width,
            ..
        } = &self.nodes[node];
        let mut near = if down { below.clone() } else { above.clone() };
        near.sort_by(|a, b| self.nodes[*a].x.total_cmp(&self.nodes[*b].x));
        let mut share = 0.0;
        for (index, one) in near.iter().enumerate() {
            if *one == other {
                share = (length(&near[..index]) + 1.0) / (length(&near) + 1.0);
            }
        }
        x + width * (share - 0.5)
    }
}

/// How many there are, as a number to divide by.
fn length<T>(of: &[T]) -> f64 {
    u32::try_from(of.len()).map_or(f64::INFINITY, f64::from)
}
