//! `[structure.gravity]`: constant loads.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use tandem_quantity::Dimension;

use super::materials::inline;
use super::sections::rows;
use super::toml::{list, texts};
use super::{Shared, Writer, pair, quantity};
use crate::model::Tag;
use crate::script::Weight;

impl Writer<'_> {
    /// `[structure.gravity]`
    pub(super) fn loads(&mut self, members: &[(String, [f64; 3])], used: &BTreeSet<Tag>) -> String {
        let dimensions = if self.model.in_space() { 3 } else { 2 };
        let mut nodal: BTreeMap<Tag, [f64; 6]> = BTreeMap::new();
        for (pattern, factor) in self.model.constant_patterns() {
            for (node, values) in pattern.nodal.iter().filter(|(node, _)| used.contains(node)) {
                for (six, value) in self.model.dofs().iter().zip(values) {
                    nodal.entry(*node).or_default()[*six] += factor * value;
                }
            }
        }
        for pattern in &self.model.patterns {
            let kept = self
                .model
                .constant_patterns()
                .any(|(own, _)| own.tag == pattern.tag);
            let empty = pattern.nodal.is_empty() && pattern.uniform.is_empty();
            if !(kept || empty) {
                let reason = "these loads change with time, or never came on, and are left out: a \
                    plan has constant loads and ground motions";
                self.remarks.add(
                    Weight::Missing,
                    pattern.place,
                    &format!("pattern Plain {}", pattern.tag),
                    reason,
                );
            }
        }
        let mut shared = Shared::default();
        for (tag, load) in nodal
            .iter()
            .filter(|(_, load)| load.iter().any(|x| x.abs() > 0.0))
        {
            shared.add(load.map(f64::to_bits), *tag);
        }
        let down = dimensions - 1;
        let lines: Vec<String> = shared
            .groups
            .into_iter()
            .map(|(bits, nodes)| {
                let load = bits.map(f64::from_bits);
                let mut pairs = vec![pair("nodes", texts(nodes))];
                let others = (0..3).any(|k| k != down && load[k].abs() > 0.0);
                if others {
                    pairs.push(pair(
                        "forces",
                        list(&load[..dimensions], Dimension::FORCE, self.units),
                    ));
                } else if load[down].abs() > 0.0 {
                    pairs.push(pair(
                        "force",
                        quantity(-load[down], Dimension::FORCE, self.units),
                    ));
                }
                let moments = if dimensions == 3 {
                    &load[3..]
                } else {
                    &load[5..]
                };
                if moments.iter().any(|x| x.abs() > 0.0) {
                    pairs.push(pair(
                        "moments",
                        list(moments, Dimension::ENERGY, self.units),
                    ));
                }
                inline(&pairs)
            })
            .collect();
        let uniform: Vec<String> = members
            .iter()
            .map(|(name, load)| {
                let mut pairs = vec![pair("members", texts([name.clone()]))];
                let others = (0..3).any(|k| k != down && load[k].abs() > 0.0);
                pairs.push(if others {
                    pair(
                        "loads",
                        list(&load[..dimensions], Dimension::STIFFNESS, self.units),
                    )
                } else {
                    pair(
                        "load",
                        quantity(-load[down], Dimension::STIFFNESS, self.units),
                    )
                });
                inline(&pairs)
            })
            .collect();
        if lines.is_empty() && uniform.is_empty() {
            return String::new();
        }
        let mut text = format!(
            "\n[structure.gravity]\nsteps = {}\n",
            self.model.analysis.static_count()
        );
        for (key, lines) in [("load", lines), ("line", uniform)] {
            if !lines.is_empty() {
                let _ = writeln!(text, "{key} = {}", rows(&lines));
            }
        }
        text
    }
}
