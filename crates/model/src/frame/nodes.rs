//! Nodes by name: a grid of axes and storeys, and single ones.

use std::collections::HashMap;

use tandem_frame::model::Space;
use tandem_quantity::BuildError;

use super::declaration::{FrameSettings, GridSettings, NodeSettings};
use tandem_quantity::suggest;

/// The nodes of a plan. Numbers count from zero, in the order of the grid and then of the list.
pub(super) struct Nodes {
    names: Vec<String>,
    /// Number of every name.
    index: HashMap<String, usize>,
    places: Vec<[f64; 3]>,
    grid: Option<Grid>,
}

/// How many lines a grid has: axes along x, lines along y (one in a plane frame), levels from the
/// base up.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub axes: usize,
    pub lines: usize,
    pub levels: usize,
}

impl Grid {
    /// Number of the node on an axis, a line and a level, all from zero.
    pub fn node(self, axis: usize, line: usize, level: usize) -> usize {
        (level * self.lines + line) * self.axes + axis
    }
}

/// A, B, …, Z, AA, AB, …
pub(super) fn letters(index: usize) -> String {
    let last = char::from(b'A' + u8::try_from(index % 26).unwrap_or(0));
    match index / 26 {
        0 => last.to_string(),
        before => format!("{}{last}", letters(before - 1)),
    }
}

impl Nodes {
    pub fn read(settings: &FrameSettings, space: Space) -> Result<Self, BuildError> {
        let mut nodes = Self {
            names: Vec::new(),
            index: HashMap::new(),
            places: Vec::new(),
            grid: None,
        };
        if let Some(grid) = &settings.grid {
            nodes
                .grid(grid, space)
                .map_err(|error| error.within("grid"))?;
        }
        for (entry, node) in settings.node.iter().enumerate() {
            nodes
                .single(node, space)
                .map_err(|error| super::at("node", entry, error))?;
        }
        if nodes.names.is_empty() {
            return Err(BuildError::new(
                "grid",
                "the frame has no nodes",
                "add [structure.grid] with bays and storeys, or [[structure.node]] with name and \
                at",
            ));
        }
        Ok(nodes)
    }

    fn grid(&mut self, settings: &GridSettings, space: Space) -> Result<(), BuildError> {
        let lines = |lengths: &[f64]| -> Vec<f64> {
            let mut sum = 0.0;
            let mut at = vec![0.0];
            for length in lengths {
                sum += length;
                at.push(sum);
            }
            at
        };
        let x = lines(settings.bays.as_deref().unwrap_or_default());
        let y = lines(settings.depths.as_deref().unwrap_or_default());
        let z = lines(&settings.storeys);
        if space == Space::Plane && y.len() > 1 {
            return Err(BuildError::new(
                "depths",
                "a plane frame has no depth",
                "remove this key, or write space = \"space\" in [structure]",
            ));
        }
        let grid = Grid {
            axes: x.len(),
            lines: y.len(),
            levels: z.len(),
        };
        if grid
            .axes
            .saturating_mul(grid.lines)
            .saturating_mul(grid.levels)
            > 100_000
        {
            return Err(BuildError::new(
                "bays",
                "the grid has more than 100 000 nodes",
                "take a coarser grid",
            ));
        }
        for (level, height) in z.iter().enumerate() {
            for (line, depth) in y.iter().enumerate() {
                for (axis, across) in x.iter().enumerate() {
                    let (name, place) = match space {
                        Space::Plane => {
                            (format!("{}{level}", letters(axis)), [*across, *height, 0.0])
                        }
                        Space::Space => (
                            format!("{}{}-{level}", letters(axis), line + 1),
                            [*across, *depth, *height],
                        ),
                    };
                    self.push(name, place);
                }
            }
        }
        self.grid = Some(grid);
        Ok(())
    }

    fn single(&mut self, settings: &NodeSettings, space: Space) -> Result<(), BuildError> {
        let (name, at) = (settings.name.as_str(), &settings.at);
        let wanted = if space == Space::Plane { 2 } else { 3 };
        if at.len() != wanted {
            return Err(BuildError::new(
                "at",
                format!(
                    "{} coordinates for a node of a {} frame",
                    at.len(),
                    if wanted == 2 { "plane" } else { "space" }
                ),
                if wanted == 2 {
                    "give [x, y, \"m\"]"
                } else {
                    "give [x, y, z, \"m\"]"
                },
            ));
        }
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(BuildError::new(
                "name",
                format!("`{name}` is not a name of one word"),
                "take a name without blanks, such as \"top\"",
            ));
        }
        if self.index.contains_key(name) {
            return Err(BuildError::new(
                "name",
                format!("there is a node `{name}` already"),
                "take another name",
            ));
        }
        let mut place = [0.0; 3];
        place[..wanted].copy_from_slice(at);
        self.push(name.to_owned(), place);
        Ok(())
    }

    fn push(&mut self, name: String, place: [f64; 3]) {
        self.index.insert(name.clone(), self.names.len());
        self.names.push(name);
        self.places.push(place);
    }

    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Nodes that the plan lists one by one, after those of the grid.
    pub fn listed(&self) -> std::ops::Range<usize> {
        let grid = self
            .grid
            .map_or(0, |grid| grid.axes * grid.lines * grid.levels);
        grid..self.count()
    }

    pub fn name(&self, node: usize) -> &str {
        &self.names[node]
    }

    pub fn place(&self, node: usize) -> [f64; 3] {
        self.places[node]
    }

    /// The grid, which a key needs.
    pub fn lines(&self, key: &str) -> Result<Grid, BuildError> {
        self.grid.ok_or_else(|| {
            BuildError::new(
                key,
                "there is no grid",
                "add [structure.grid], or name nodes one by one",
            )
        })
    }

    /// The node of a name.
    pub fn find(&self, name: &str) -> Result<usize, BuildError> {
        self.index.get(name).copied().ok_or_else(|| {
            let help = match suggest(name, self.names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => match self.grid {
                    Some(grid) => format!(
                        "the grid has the nodes {} to {}",
                        self.names[0],
                        self.names[grid.node(grid.axes - 1, grid.lines - 1, grid.levels - 1)]
                    ),
                    None => format!("the nodes are {}", self.names.join(", ")),
                },
            };
            BuildError::new("", format!("there is no node `{name}`"), help)
        })
    }

    /// Nodes that a word means: a name, or `base`, `roof`, `floors`, `all`, `level 2`, `axis B`,
    /// `line 1`.
    pub fn select(&self, word: &str) -> Result<Vec<usize>, BuildError> {
        if self.index.contains_key(word) {
            return Ok(vec![self.find(word)?]);
        }
        let (kind, which) = word.split_once(char::is_whitespace).unwrap_or((word, ""));
        let which = which.trim();
        if kind == "all" && which.is_empty() {
            return Ok((0..self.count()).collect());
        }
        let words = ["base", "roof", "floors", "level", "axis", "line"];
        if !words.contains(&kind) {
            return self.find(word).map(|node| vec![node]);
        }
        let grid = self.lines("").map_err(|error| {
            BuildError::new(
                "",
                format!("`{word}` means lines of a grid, and there is none"),
                error.help,
            )
        })?;
        let top = grid.levels - 1;
        let number = || which.parse::<usize>().ok();
        let missing =
            |what: String| BuildError::new("", format!("`{word}` is not on the grid"), what);
        let keep: Box<dyn Fn(usize, usize, usize) -> bool> = match kind {
            "base" => Box::new(|_, _, level| level == 0),
            "roof" => Box::new(move |_, _, level| level == top),
            "floors" => Box::new(|_, _, level| level > 0),
            "level" => match number() {
                Some(wanted) if wanted <= top => Box::new(move |_, _, level| level == wanted),
                _ => return Err(missing(format!("levels are 0 (base) to {top}"))),
            },
            "axis" => match (0..grid.axes).find(|axis| letters(*axis) == which) {
                Some(wanted) => Box::new(move |axis, _, _| axis == wanted),
                None => return Err(missing(format!("axes are A to {}", letters(grid.axes - 1)))),
            },
            _ => match number() {
                Some(wanted) if (1..=grid.lines).contains(&wanted) => {
                    Box::new(move |_, line, _| line + 1 == wanted)
                }
                _ => return Err(missing(format!("lines are 1 to {}", grid.lines))),
            },
        };
        let mut chosen = Vec::new();
        for level in 0..grid.levels {
            for line in 0..grid.lines {
                for axis in 0..grid.axes {
                    if keep(axis, line, level) {
                        chosen.push(grid.node(axis, line, level));
                    }
                }
            }
        }
        Ok(chosen)
    }

    /// Two nodes of a text such as `A0 A1`.
    pub fn pair(&self, text: &str) -> Result<[usize; 2], BuildError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            [first, second] => Ok([self.find(first)?, self.find(second)?]),
            _ => Err(BuildError::new(
                "",
                format!("`{text}` does not name two nodes"),
                "write both with a blank between them, such as \"A0 A1\"",
            )),
        }
    }
}
