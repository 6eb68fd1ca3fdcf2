//! Nodes, supports, ties and masses.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use tandem_quantity::Dimension;

use super::materials::inline;
use super::sections::rows;
use super::structure::DOFS;
use super::toml::{list, texts};
use super::{Shared, Writer, pair, quantity, text};
use crate::model::{ElementKind, Tag, Tie};
use crate::script::Weight;

impl Writer<'_> {
    pub(super) fn nodes(&self, used: &BTreeSet<Tag>, top: &mut String) {
        let dimensions = if self.model.in_space() { 3 } else { 2 };
        let nodes = self
            .model
            .nodes
            .iter()
            .filter(|(tag, _)| used.contains(tag));
        let lines: Vec<String> = nodes
            .map(|(tag, node)| {
                let at = list(&node.at[..dimensions], Dimension::LENGTH, self.units);
                format!("{{ name = \"{tag}\", at = {at} }}")
            })
            .collect();
        if !lines.is_empty() {
            let _ = writeln!(top, "\nnode = {}", rows(&lines));
        }
    }

    pub(super) fn supports(&self, used: &BTreeSet<Tag>, top: &mut String) {
        let own = self.model.dofs();
        let all: &[usize] = if self.model.in_space() {
            &[0, 1, 2, 3, 4, 5]
        } else {
            &[0, 1, 5]
        };
        let mut held: BTreeMap<Vec<usize>, Vec<String>> = BTreeMap::new();
        for (tag, node) in self
            .model
            .nodes
            .iter()
            .filter(|(tag, _)| used.contains(tag))
        {
            let fixed = own.iter().zip(&node.fixed).filter(|(_, fixed)| **fixed);
            let dofs: Vec<usize> = fixed.map(|(six, _)| *six).collect();
            if !dofs.is_empty() {
                held.entry(dofs).or_default().push(tag.to_string());
            }
        }
        let missing: Vec<usize> = all
            .iter()
            .copied()
            .filter(|six| !own.contains(six))
            .collect();
        if !missing.is_empty() && !used.is_empty() {
            // A model of fewer degrees of freedom: what it does not have does not move.
            held.entry(missing).or_default().push("all".to_owned());
        }
        let lines: Vec<String> = held
            .into_iter()
            .map(|(dofs, nodes)| {
                let mut pairs = vec![pair("nodes", texts(nodes))];
                if dofs != all {
                    pairs.push(pair("fix", names(&dofs)));
                }
                inline(&pairs)
            })
            .collect();
        if !lines.is_empty() {
            let _ = writeln!(top, "\nsupport = {}", rows(&lines));
        }
    }

    pub(super) fn ties(&mut self, top: &mut String) {
        let mut tied = Shared::default();
        let mut floors = Vec::new();
        let vertical = if self.model.in_space() { 2 } else { 1 };
        for (tie, place) in &self.model.ties {
            let (key, follows) = match tie {
                Tie::Equal(retained, follows, dofs) => ((*retained, dofs.clone()), *follows),
                Tie::Rigid(retained, follows) => ((*retained, Vec::new()), *follows),
                Tie::Floor(normal, centre, nodes) => {
                    if *normal == vertical {
                        let nodes = texts(nodes.iter().map(Tag::to_string));
                        floors.push(inline(&[
                            pair("nodes", nodes),
                            pair("centre", text(&centre.to_string())),
                        ]));
                    } else {
                        self.remarks.add(
                            Weight::Missing,
                            *place,
                            "rigidDiaphragm",
                            "only floors with a vertical normal are taken",
                        );
                    }
                    continue;
                }
            };
            tied.add(key, follows);
        }
        let lines: Vec<String> = tied
            .groups
            .into_iter()
            .map(|((retained, dofs), nodes)| {
                let mut pairs = vec![
                    pair("nodes", texts(nodes)),
                    pair("to", text(&retained.to_string())),
                ];
                if !dofs.is_empty() {
                    pairs.push(pair("dof", names(&dofs)));
                }
                inline(&pairs)
            })
            .collect();
        for (key, lines) in [("tie", lines), ("diaphragm", floors)] {
            if !lines.is_empty() {
                let _ = writeln!(top, "\n{key} = {}", rows(&lines));
            }
        }
    }

    /// Masses of nodes, those of bars among them: half to each end.
    pub(super) fn masses(&mut self, used: &BTreeSet<Tag>, top: &mut String) {
        let own = self.model.dofs();
        let mut masses: BTreeMap<Tag, [f64; 6]> = BTreeMap::new();
        for (tag, node) in self
            .model
            .nodes
            .iter()
            .filter(|(tag, _)| used.contains(tag))
        {
            for (six, mass) in own.iter().zip(&node.mass) {
                masses.entry(*tag).or_default()[*six] += mass;
            }
        }
        let dimensions = self.model.size().0;
        for element in self.model.elements.values() {
            if let ElementKind::Truss { mass, .. } = element.kind {
                let half = 0.5 * mass.value * self.model.length(element.nodes);
                for node in element.nodes.iter().filter(|node| used.contains(node)) {
                    for entry in &mut masses.entry(*node).or_default()[..dimensions] {
                        *entry += half;
                    }
                }
            }
        }
        // Equal masses of equal directions share an entry.
        let mut shared = Shared::default();
        let mut share = |dofs: Vec<usize>, mass: f64, rotary: f64, tag: Tag| {
            shared.add((dofs, mass.to_bits(), rotary.to_bits()), tag);
        };
        for (tag, mass) in &masses {
            if mass[3].abs() > 0.0 || mass[4].abs() > 0.0 {
                let place = self.model.nodes[tag].place;
                let reason = "rotary inertia about x and y has no place in a plan and is left out";
                self.remarks.add(Weight::Missing, place, "mass", reason);
            }
            let mut rotary = mass[5];
            let mut left: Vec<usize> = (0..3).filter(|k| mass[*k].abs() > 0.0).collect();
            while let Some(first) = left.first().copied() {
                let same = |k: &usize| mass[*k].to_bits() == mass[first].to_bits();
                let dofs: Vec<usize> = left.iter().copied().filter(same).collect();
                left.retain(|k| !same(k));
                share(dofs, mass[first], std::mem::take(&mut rotary), *tag);
            }
            if rotary.abs() > 0.0 {
                share(Vec::new(), 0.0, rotary, *tag);
            }
        }
        let lines: Vec<String> = shared
            .groups
            .into_iter()
            .map(|((dofs, mass, rotary), nodes)| {
                let (mass, rotary) = (f64::from_bits(mass), f64::from_bits(rotary));
                let mut pairs = vec![pair("nodes", texts(nodes))];
                if !dofs.is_empty() {
                    pairs.push(pair("mass", quantity(mass, Dimension::MASS, self.units)));
                    if dofs.len() < dimensions {
                        pairs.push(pair("dof", names(&dofs)));
                    }
                }
                if rotary.abs() > 0.0 {
                    pairs.push(pair(
                        "rotary",
                        quantity(rotary, Dimension::of(1, 2, 0), self.units),
                    ));
                }
                inline(&pairs)
            })
            .collect();
        if !lines.is_empty() {
            let _ = writeln!(top, "\nmass = {}", rows(&lines));
        }
    }
}

/// A list of names of degrees of freedom.
fn names(dofs: &[usize]) -> String {
    texts(dofs.iter().map(|six| DOFS[(*six).min(5)].to_owned()))
}
