//! What `ARCHITECTURE.md` says of the crates, and where the workspace is otherwise.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::Graph;
use super::tree::{Crate, Place, Target};
use crate::Result;

/// First line of the block.
const FENCE: &str = "```crates";

/// Crates that touch no file, socket, thread, clock, process or variable of the environment.
const PURE: &[&str] = &[
    "quantity",
    "signal",
    "structure",
    "frame",
    "integrator",
    "safety",
    "transfer",
    "monitor",
];

/// Whether a crate is to touch nothing of the world.
pub fn is_pure(name: &str) -> bool {
    PURE.contains(&name)
}

/// Most lines of a crate outside of its tests.
const LINES: usize = 15_500;

/// The same for the library that people embed.
const LINES_OF_TANDEM: usize = 11_000;

/// What the block says.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Crates, and the crates that each stands on.
    arrows: BTreeMap<String, BTreeSet<String>>,
    /// Modules of a target that know each other in a ring.
    cycles: Vec<(String, BTreeSet<String>)>,
    /// Crates that may be larger.
    large: BTreeSet<String>,
    /// Crates, and what they may touch.
    impure: BTreeSet<(String, String)>,
    /// Lines that are longer than they should be, still.
    long_lines: usize,
}

impl Rules {
    /// Reads the block of the document.
    pub fn read(document: &str) -> Result<Self> {
        let mut rules = Self::default();
        // A line that ends with a backslash goes on in the next.
        let document = document.replace("\\\n", "");
        let block = document.lines().skip_while(|line| *line != FENCE).skip(1);
        for line in block.take_while(|line| *line != "```") {
            let wrong = || format!("ARCHITECTURE.md: `{line}` is not `crate: what it stands on`");
            let bare = line.strip_suffix(':').map(|head| (head, ""));
            let (head, rest) = line.split_once(": ").or(bare).ok_or_else(wrong)?;
            let words = || rest.split_whitespace().map(str::to_string);
            match head.split(' ').collect::<Vec<_>>().as_slice() {
                ["cycle", target @ ..] => rules.cycles.push((target.join(" "), words().collect())),
                ["large", name] if words().next().is_some() => {
                    rules.large.insert((*name).to_string());
                }
                ["impure", name, path] if words().next().is_some() => {
                    rules
                        .impure
                        .insert(((*name).to_string(), (*path).to_string()));
                }
                ["long", "lines"] => {
                    rules.long_lines = rest.trim().parse().map_err(|_| wrong())?;
                }
                [name] => {
                    rules.arrows.insert((*name).to_string(), words().collect());
                }
                _ => return Err(wrong()),
            }
        }
        if rules.arrows.is_empty() {
            return Err(format!(
                "ARCHITECTURE.md has no block that begins with {FENCE}"
            ));
        }
        Ok(rules)
    }

    /// Where the crates are otherwise, in sentences.
    pub fn compare(&self, crates: &[Crate]) -> Vec<String> {
        let mut findings = self.arrows_between(crates);
        let graph = crate_graph(crates);
        for knot in graph.knots() {
            let ring = graph.ring(&knot).join(" → ");
            findings.push(format!("crates stand on each other: {ring}"));
        }
        for target in crates.iter().flat_map(|one| &one.targets) {
            self.rings_of(target, &mut findings);
        }
        for (name, _) in &self.cycles {
            let known = |target: &Target| target.name == *name;
            if !crates.iter().flat_map(|one| &one.targets).any(known) {
                findings.push(format!(
                    "ARCHITECTURE.md lists a cycle of `{name}`, which is not"
                ));
            }
        }
        self.touches(crates, &mut findings);
        self.sizes(crates, &mut findings);
        findings
    }

    /// More long lines than are known, each by its place.
    pub fn compare_columns(&self, long: &[Place]) -> Vec<String> {
        if long.len() <= self.long_lines {
            return Vec::new();
        }
        let known = format!("{} long lines, {} known", long.len(), self.long_lines);
        let each = long
            .iter()
            .map(|place| format!("{place}: longer than 100 columns"));
        each.chain([known]).collect()
    }

    fn arrows_between(&self, crates: &[Crate]) -> Vec<String> {
        let mut findings = Vec::new();
        for one in crates {
            let name = &one.name;
            let Some(listed) = self.arrows.get(name) else {
                findings.push(format!("ARCHITECTURE.md does not list the crate `{name}`"));
                continue;
            };
            let manifest = one.folder.join("Cargo.toml");
            for to in one.stands_on.difference(listed) {
                findings.push(format!(
                    "{}: `{name}` stands on `{to}`, which ARCHITECTURE.md does not list",
                    manifest.display()
                ));
            }
            for to in listed.difference(&one.stands_on) {
                findings.push(format!(
                    "ARCHITECTURE.md lists `{to}` for `{name}`, which does not stand on it"
                ));
            }
        }
        for name in self.arrows.keys() {
            if !crates.iter().any(|one| one.name == *name) {
                findings.push(format!(
                    "ARCHITECTURE.md lists the crate `{name}`, which is not"
                ));
            }
        }
        findings
    }

    fn rings_of(&self, target: &Target, findings: &mut Vec<String>) {
        let name = &target.name;
        let graph = module_graph(target);
        let knots = graph.knots();
        let known = || {
            self.cycles
                .iter()
                .filter(|(of, _)| of == name)
                .map(|(_, set)| set)
        };
        for knot in &knots {
            if known().any(|set| set == knot) {
                continue;
            }
            let modules = knot.iter().cloned().collect::<Vec<_>>().join(" ");
            findings.push(format!(
                "modules of `{name}` know each other in rings: {modules}\n{}",
                told(target, &graph.ring(knot))
            ));
        }
        for set in known() {
            if !knots.contains(set) {
                let modules = set.iter().cloned().collect::<Vec<_>>().join(" ");
                findings.push(format!(
                    "ARCHITECTURE.md lists `cycle {name}: {modules}`, which is not (any more): \
                     take it off, or leave those that are"
                ));
            }
        }
    }

    fn touches(&self, crates: &[Crate], findings: &mut Vec<String>) {
        let mut used = BTreeSet::new();
        for one in crates.iter().filter(|one| is_pure(&one.name)) {
            for (path, place) in one.targets.iter().flat_map(|target| &target.standard) {
                let Some(what) = outside(path) else {
                    continue;
                };
                let pair = (one.name.clone(), what.clone());
                if self.impure.contains(&pair) {
                    used.insert(pair);
                } else {
                    findings.push(format!(
                        "{place}: `{}` is a pure room and uses {what}: have it passed from above",
                        one.name
                    ));
                }
            }
        }
        for (name, what) in self.impure.difference(&used) {
            findings.push(format!(
                "ARCHITECTURE.md lets `{name}` use {what}, which it does not: take it off"
            ));
        }
    }

    fn sizes(&self, crates: &[Crate], findings: &mut Vec<String>) {
        for one in crates {
            let name = &one.name;
            let most = if name == "tandem" {
                LINES_OF_TANDEM
            } else {
                LINES
            };
            let (lines, listed) = (one.lines(), self.large.contains(name));
            if lines > most && !listed {
                findings.push(format!(
                    "`{name}` has {lines} lines outside of tests; {most} are allowed"
                ));
            }
            if lines <= most && listed {
                findings.push(format!(
                    "ARCHITECTURE.md says why `{name}` is large, which it is not: take it off"
                ));
            }
        }
    }
}

/// Crates and their arrows.
pub fn crate_graph(crates: &[Crate]) -> Graph {
    Graph::new(
        crates.iter().map(|one| one.name.as_str()),
        crates.iter().flat_map(|one| {
            one.stands_on
                .iter()
                .map(|to| (one.name.as_str(), to.as_str()))
        }),
    )
}

/// Modules and their arrows.
pub fn module_graph(target: &Target) -> Graph {
    let arrows = target
        .arrows
        .keys()
        .map(|(from, to)| (from.as_str(), to.as_str()));
    Graph::new(target.modules.iter().map(String::as_str), arrows)
}

/// A ring with one place for each of its arrows.
fn told(target: &Target, ring: &[String]) -> String {
    let arrow = |pair: &[String]| {
        let (from, to) = (pair[0].clone(), pair[1].clone());
        let place = &target.arrows[&(from.clone(), to.clone())];
        format!("    {from} → {to}  {place}")
    };
    ring.windows(2).map(arrow).collect::<Vec<_>>().join("\n")
}

/// What of the outside world a path of the standard library leads to.
fn outside(path: &[String]) -> Option<String> {
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    match words.as_slice() {
        [room @ ("fs" | "net" | "thread" | "process" | "env"), ..] => Some(format!("std::{room}")),
        ["time"] => Some("std::time (name what you need of it)".to_string()),
        ["time", clock @ ("Instant" | "SystemTime"), ..] => Some(format!("std::time::{clock}")),
        _ => None,
    }
}
