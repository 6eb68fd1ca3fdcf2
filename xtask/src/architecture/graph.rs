//! Arrows between names: rings, layers, what follows from the rest.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Names, and the names that each has arrows to.
#[derive(Default)]
pub struct Graph(BTreeMap<String, BTreeSet<String>>);

impl Graph {
    /// Of these names and arrows.
    pub fn new<'a>(
        names: impl IntoIterator<Item = &'a str>,
        arrows: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let mut graph = Self::default();
        for name in names {
            graph.0.entry(name.to_string()).or_default();
        }
        for (from, to) in arrows {
            graph.0.entry(to.to_string()).or_default();
            graph
                .0
                .entry(from.to_string())
                .or_default()
                .insert(to.to_string());
        }
        graph
    }

    /// Names that this one has arrows to.
    pub fn below(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.get(name).into_iter().flatten().map(String::as_str)
    }

    /// Names that can be reached by one arrow or more.
    fn reached(&self, from: &str) -> BTreeSet<&str> {
        let mut seen = BTreeSet::new();
        let mut queue: VecDeque<&str> = self.below(from).collect();
        while let Some(name) = queue.pop_front() {
            if seen.insert(name) {
                queue.extend(self.below(name));
            }
        }
        seen
    }

    /// Sets of names that all reach each other.
    pub fn knots(&self) -> Vec<BTreeSet<String>> {
        let reached: BTreeMap<&str, BTreeSet<&str>> = self
            .0
            .keys()
            .map(|name| (name.as_str(), self.reached(name)))
            .collect();
        let mut knots = BTreeSet::new();
        for (name, ahead) in &reached {
            if ahead.contains(name) {
                let both = ahead.iter().filter(|other| reached[*other].contains(name));
                knots.insert(both.map(|other| (*other).to_string()).collect());
            }
        }
        knots.into_iter().collect()
    }

    /// A shortest way round through one of these names, which ends where it began.
    pub fn ring(&self, names: &BTreeSet<String>) -> Vec<String> {
        names
            .iter()
            .filter_map(|name| self.round(name))
            .min_by_key(Vec::len)
            .unwrap_or_default()
    }

    fn round(&self, start: &str) -> Option<Vec<String>> {
        let mut before: BTreeMap<&str, &str> = BTreeMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(name) = queue.pop_front() {
            for next in self.below(name) {
                if next == start {
                    let mut way = vec![start.to_string(), name.to_string()];
                    let mut at = name;
                    while at != start {
                        at = before[at];
                        way.push(at.to_string());
                    }
                    if name == start {
                        way.pop();
                    }
                    way.reverse();
                    return Some(way);
                }
                if !before.contains_key(next) {
                    before.insert(next, name);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// Arrows that do not follow from others. For graphs without rings.
    pub fn reduced(&self) -> Vec<(String, String)> {
        let mut arrows = Vec::new();
        for from in self.0.keys() {
            for to in self.below(from) {
                let around = self
                    .below(from)
                    .any(|other| other != to && self.reached(other).contains(to));
                if !around {
                    arrows.push((from.clone(), to.to_string()));
                }
            }
        }
        arrows
    }

    /// How many arrows lie below each name at most; names with more arrows from above than below
    /// stand as high as those let them. For graphs without rings.
    pub fn layers(&self) -> BTreeMap<String, usize> {
        let mut layers = BTreeMap::new();
        // As many rounds as there are names are enough for the longest way.
        for _ in 0..self.0.len() {
            for name in self.0.keys() {
                let below = self.below(name);
                let layer = below
                    .map(|to| layers.get(to).map_or(1, |layer| layer + 1))
                    .max();
                layers.insert(name.clone(), layer.unwrap_or(0));
            }
        }
        let reduced = self.reduced();
        for _ in 0..self.0.len() {
            for name in self.0.keys() {
                let above = reduced.iter().filter(|(_, to)| to == name);
                let lowest = above.clone().map(|(from, _)| layers[from]).min();
                let below = reduced.iter().filter(|(from, _)| from == name).count();
                if let Some(lowest) = lowest.filter(|_| above.count() > below) {
                    layers.insert(name.clone(), lowest - 1);
                }
            }
        }
        layers
    }
}
