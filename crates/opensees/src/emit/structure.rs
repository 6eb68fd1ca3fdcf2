//! `[structure] kind = "frame"`: nodes, supports, ties, masses, sections, members, springs,
//! bearings, loads, damping.

use std::collections::BTreeSet;
use std::fmt::Write;

use tandem_quantity::Dimension;

use super::elements::Groups;
use super::materials::{Materials, Use};
use super::sections::material_name;
use super::toml::list;
use super::{Pairs, Writer, pair, quantity, text};
use crate::model::{ElementKind, Tag, Tie};
use crate::script::Place;

/// Names of the six degrees of freedom.
pub(super) const DOFS: [&str; 6] = ["ux", "uy", "uz", "rx", "ry", "rz"];

impl Writer<'_> {
    /// All tables of the structure.
    pub(super) fn structure(&mut self) -> String {
        let groups = self.groups();
        let used = self.used(&groups);
        let mut top = String::from("[structure]\nkind = \"frame\"\n");
        if self.model.in_space() {
            top.push_str("space = \"space\"\n");
        }
        self.ground(&mut top);
        if let Some(([_, current, initial, committed], place)) = self.model.rayleigh {
            let on = [
                ("current", current),
                ("initial", initial),
                ("committed", committed),
            ];
            let on: Vec<&str> = on
                .iter()
                .filter(|(_, b)| b.abs() > 0.0)
                .map(|(word, _)| *word)
                .collect();
            if let [first, rest @ ..] = on.as_slice() {
                if *first != "initial" {
                    let _ = writeln!(top, "damping_stiffness = \"{first}\"");
                }
                if !rest.is_empty() {
                    let reason = format!(
                        "the damping stands on several stiffnesses; all of it goes to the {first} \
                        one"
                    );
                    self.assume(place, "rayleigh", &reason);
                }
            }
            self.damping_notes(place);
        }
        self.nodes(&used, &mut top);
        self.supports(&used, &mut top);
        self.ties(&mut top);
        self.masses(&used, &mut top);
        let sections = self.sections(&groups);
        let mut text = top;
        for tables in [sections, groups.tables] {
            for (head, pairs) in tables {
                let _ = write!(text, "\n[[structure.{head}]]\n{}", lines(&pairs));
            }
        }
        text.push_str(&self.loads(&groups.loads, &used));
        text.push_str(&self.damping());
        text
    }

    /// Nodes at which something ends.
    fn used(&mut self, groups: &Groups) -> BTreeSet<Tag> {
        let mut used = groups.ends.clone();
        for (tie, _) in &self.model.ties {
            match tie {
                Tie::Equal(a, b, _) | Tie::Rigid(a, b) => used.extend([*a, *b]),
                Tie::Floor(_, centre, _) => {
                    used.insert(*centre);
                }
            }
        }
        let loose: Vec<Tag> = self
            .model
            .nodes
            .keys()
            .copied()
            .filter(|tag| !used.contains(tag))
            .collect();
        for tag in loose {
            let place = self.model.nodes[&tag].place;
            self.assume(
                place,
                &format!("node {tag}"),
                "nothing ends at this node: it is left out",
            );
        }
        used
    }

    fn ground(&mut self, top: &mut String) {
        let direction = self.model.ground_direction();
        let along: Vec<usize> = (0..3).filter(|k| direction[*k].abs() > 0.0).collect();
        match along.as_slice() {
            [0] => {}
            [one] => {
                let _ = writeln!(top, "ground = \"{}\"", ["x", "y", "z"][*one]);
            }
            _ => {
                let words: Vec<String> = direction.iter().map(|x| super::number(*x)).collect();
                let _ = writeln!(top, "direction = [{}]", words.join(", "));
            }
        }
    }

    /// Materials and sections that members use.
    fn sections(&self, groups: &Groups) -> Vec<(&'static str, Pairs)> {
        let writer = Materials {
            model: self.model,
            units: self.units,
        };
        let mut tables = Vec::new();
        for tag in &groups.materials {
            // Groups are made only of what can be written.
            if let Ok(mut pairs) = writer.pairs(*tag, Use::Stress) {
                pairs.insert(0, pair("name", text(&material_name(*tag))));
                tables.push(("material", pairs));
            }
        }
        tables.extend(
            groups
                .sections
                .iter()
                .map(|pairs| ("section", pairs.clone())),
        );
        tables
    }

    fn damping(&self) -> String {
        if let Some(([mass, current, initial, committed], _)) = self.model.rayleigh {
            let stiffness = current + initial + committed;
            if mass.abs() > 0.0 || stiffness.abs() > 0.0 {
                return format!(
                    "\n[structure.damping]\nmethod = \"rayleigh-coefficients\"\nmass = {}\n\
                    stiffness = {}\n",
                    quantity(mass, Dimension::FREQUENCY, self.units),
                    quantity(stiffness, Dimension::TIME, self.units)
                );
            }
        }
        match &self.model.modal {
            Some((ratios, _)) if !ratios.is_empty() => format!(
                "\n[structure.damping]\nmethod = \"modal\"\nratios = {}\n",
                list(ratios, Dimension::NONE, self.units)
            ),
            _ => String::new(),
        }
    }

    /// Where our damping is not quite that of OpenSees.
    fn damping_notes(&mut self, place: Place) {
        let Some(([mass, current, initial, committed], _)) = self.model.rayleigh else {
            return;
        };
        let (stiff, heavy) = (current + initial + committed > 0.0, mass > 0.0);
        let elements = || self.model.elements.values().map(|element| &element.kind);
        let springs = elements().any(|kind| {
            matches!(
                kind,
                ElementKind::Springs { .. } | ElementKind::Elastomeric { .. }
            )
        });
        let bars = elements().any(|kind| match kind {
            ElementKind::Truss { mass, damped, .. } => {
                !damped && (stiff || (heavy && mass.value > 0.0))
            }
            _ => false,
        });
        if (springs && stiff) || bars {
            let reason = "springs, bearings and bars take part in this damping here; in OpenSees \
                only with -doRayleigh";
            self.assume(place, "rayleigh", reason);
        }
        let bent = self
            .model
            .transformations
            .values()
            .any(|known| known.kind != "linear");
        if bent && initial > 0.0 && self.model.constant_patterns().next().is_some() {
            let reason = "the initial stiffness of the damping has the geometric part of the \
                constant loads here, in OpenSees not";
            self.assume(place, "rayleigh", reason);
        }
    }
}

/// A table on several lines.
fn lines(pairs: &Pairs) -> String {
    pairs
        .iter()
        .map(|(key, value)| format!("{key} = {value}\n"))
        .collect()
}
