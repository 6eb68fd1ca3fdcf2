//! Elements, gathered into groups that have everything but their nodes in common.

use crate::error::ScriptError;
use std::collections::{BTreeMap, BTreeSet};

use tandem_quantity::Dimension;

use super::materials::{Materials, Use, inline};
use super::members::cross;
use super::sections::material_name;
use super::structure::DOFS;
use super::toml::{list, texts};
use super::{Pairs, Writer, number, pair, quantity, text};
use crate::model::{Element, ElementKind, Tag};

/// Groups of elements and what they need.
#[derive(Default)]
pub(super) struct Groups {
    /// Kind of table and its keys.
    pub tables: Vec<(&'static str, Pairs)>,
    /// Sections of members.
    pub sections: Vec<Pairs>,
    /// Materials of fibres and bars.
    pub materials: BTreeSet<Tag>,
    /// Nodes at which elements end.
    pub ends: BTreeSet<Tag>,
    /// Uniform loads of groups of members, in global axes.
    pub loads: Vec<(String, [f64; 3])>,
}

/// One element, before it joins a group.
struct Single {
    head: &'static str,
    /// Word for the name of its group.
    word: &'static str,
    pairs: Pairs,
    load: [f64; 3],
}

/// What an element needs besides its group.
pub(super) struct Needs<'a> {
    /// All elastic sections, without their names.
    pub elastic: &'a [Pairs],
    /// Sections of the element.
    pub sections: Vec<Pairs>,
    /// Materials of fibres and bars.
    pub materials: Vec<Tag>,
}

impl Writer<'_> {
    /// All elements that can be written.
    pub(super) fn groups(&mut self) -> Groups {
        let mut groups = Groups::default();
        let mut gathered: Vec<(Single, Vec<[Tag; 2]>)> = Vec::new();
        let mut taken: BTreeMap<[Tag; 2], usize> = BTreeMap::new();
        let (loads, elastic) = (self.uniform_loads(), self.elastic_sections());
        for (tag, element) in &self.model.elements {
            let mut needs = Needs {
                elastic: &elastic,
                sections: Vec::new(),
                materials: Vec::new(),
            };
            let load = loads.get(tag).copied().unwrap_or_default();
            let single = match self.element(element, load, &mut needs) {
                Ok(single) => single,
                Err(reason) => {
                    self.miss(
                        element.place,
                        &format!("element {tag}"),
                        &reason.to_string(),
                    );
                    continue;
                }
            };
            let same = |other: &Single| {
                (other.head, other.word, &other.pairs) == (single.head, single.word, &single.pairs)
                    && other.load.map(f64::to_bits) == single.load.map(f64::to_bits)
            };
            let known = gathered.iter().position(|(other, _)| same(other));
            let group = known.unwrap_or(gathered.len());
            let mut ends = element.nodes;
            ends.sort_unstable();
            if single.head == "member" && taken.get(&ends).is_some_and(|other| *other != group) {
                let reason = "another member joins the same nodes; a plan has one kind of member \
                    between two nodes";
                self.miss(element.place, &format!("element {tag}"), reason);
                continue;
            }
            if single.head == "member" {
                taken.insert(ends, group);
            }
            groups.ends.extend(element.nodes);
            groups.materials.extend(needs.materials);
            for section in needs.sections {
                if !groups.sections.contains(&section) {
                    groups.sections.push(section);
                }
            }
            match known {
                Some(at) => gathered[at].1.push(element.nodes),
                None => gathered.push((single, vec![element.nodes])),
            }
        }
        named(gathered, &mut groups);
        groups
    }

    /// Elastic sections of members, each once.
    fn elastic_sections(&self) -> Vec<Pairs> {
        let mut sections: Vec<Pairs> = Vec::new();
        for element in self.model.elements.values() {
            if let ElementKind::Elastic {
                modulus,
                area,
                inertia,
                torsion,
                shear,
                ..
            } = &element.kind
            {
                let section = self.elastic(*modulus, *area, *inertia, *torsion, *shear);
                if !sections.contains(&section) {
                    sections.push(section);
                }
            }
        }
        sections
    }

    /// Uniform loads of elements in their local axes, of all constant patterns together.
    fn uniform_loads(&self) -> BTreeMap<Tag, [f64; 3]> {
        let mut loads: BTreeMap<Tag, [f64; 3]> = BTreeMap::new();
        for (pattern, factor) in self.model.constant_patterns() {
            for (element, load) in &pattern.uniform {
                let sum = loads.entry(*element).or_default();
                for (sum, part) in sum.iter_mut().zip(load) {
                    *sum += factor * part;
                }
            }
        }
        loads
    }

    fn element(
        &self,
        element: &Element,
        load: [f64; 3],
        needs: &mut Needs<'_>,
    ) -> Result<Single, ScriptError> {
        let loaded = load.iter().any(|x| x.abs() > 0.0);
        let member = matches!(
            element.kind,
            ElementKind::Elastic { .. } | ElementKind::Fibres { .. }
        );
        if loaded && !member {
            return Err(ScriptError::NotRead(
                "a uniform load on an element that is not a member".into(),
            ));
        }
        let single = |head, word, pairs| Single {
            head,
            word,
            pairs,
            load: [0.0; 3],
        };
        match &element.kind {
            ElementKind::Elastic { .. } | ElementKind::Fibres { .. } => {
                let (pairs, transformation) = self.member(&element.kind, needs)?;
                Ok(Single {
                    load: self.turned(element, transformation, load)?,
                    ..single("member", self.word(element), pairs)
                })
            }
            ElementKind::Truss {
                area,
                material,
                corotational,
                ..
            } => {
                self.law(*material, Use::Stress)?;
                needs.materials.push(*material);
                let mut pairs = vec![
                    pair("element", text("truss")),
                    pair("material", text(&material_name(*material))),
                    pair("area", quantity(*area, Dimension::AREA, self.units)),
                ];
                if *corotational {
                    pairs.push(pair("geometry", text("corotational")));
                }
                Ok(single("member", "bars", pairs))
            }
            ElementKind::Springs { .. } => Ok(single("spring", "springs", self.springs(element)?)),
            ElementKind::Elastomeric {
                stiffness,
                yield_force,
                hardening,
                axial,
                rotational,
                along,
                ..
            } => {
                let vertical = if self.model.in_space() { 2 } else { 1 };
                let upright = along.is_none_or(|x| (0..3).all(|k| (k == vertical) == (x[k] > 0.0)));
                if !upright {
                    return Err(ScriptError::NotRead(
                        "a bearing whose axis is not upright".into(),
                    ));
                }
                let pairs = vec![
                    pair("kind", text("elastomeric")),
                    pair(
                        "stiffness",
                        quantity(*stiffness, Dimension::STIFFNESS, self.units),
                    ),
                    pair(
                        "yield_force",
                        quantity(*yield_force, Dimension::FORCE, self.units),
                    ),
                    pair("hardening", number(*hardening)),
                    pair("axial", self.law(*axial, Use::Force)?),
                    pair("rotational", self.law(*rotational, Use::Moment)?),
                ];
                Ok(single("bearing", "bearings", pairs))
            }
        }
    }

    /// Springs between two nodes.
    fn springs(&self, element: &Element) -> Result<Pairs, ScriptError> {
        let ElementKind::Springs {
            springs,
            along,
            across,
            zero_length,
            shear_place,
        } = &element.kind
        else {
            return Ok(Pairs::new());
        };
        let mut pairs = Vec::new();
        if !*zero_length || along.is_some() || across.is_some() {
            if *zero_length && self.model.length(element.nodes) > 0.0 {
                return Err(ScriptError::NotRead(
                    "a zeroLength element between nodes apart, with axes of its own,".into(),
                ));
            }
            if (shear_place - 0.5).abs() > 1e-9 {
                return Err(ScriptError::NotRead(
                    "a shear spring that is not in the middle of its link".into(),
                ));
            }
            pairs.push(pair("axes", text("local")));
            pairs.extend(self.axes(*along, *across));
        }
        for (six, material) in springs {
            let of = if *six < 3 { Use::Force } else { Use::Moment };
            pairs.push(pair(DOFS[(*six).min(5)], self.law(*material, of)?));
        }
        Ok(pairs)
    }

    pub(super) fn law(&self, material: Tag, of: Use) -> Result<String, ScriptError> {
        let writer = Materials {
            model: self.model,
            units: self.units,
        };
        writer.pairs(material, of).map(|pairs| inline(&pairs))
    }

    /// OpenSees gives a vector in the local x–y plane, a plan one in the local x–z plane: x × y.
    fn axes(&self, along: Option<[f64; 3]>, across: Option<[f64; 3]>) -> Pairs {
        let vector = |v: [f64; 3]| list(&v, Dimension::NONE, self.units);
        let mut pairs = Vec::new();
        if let Some(x) = along {
            pairs.push(pair("along", vector(x)));
        }
        if let (Some(x), Some(y), true) = (along, across, self.model.in_space()) {
            pairs.push(pair("up", vector(cross(x, y))));
        }
        pairs
    }
}

/// Gives groups their names and writes where they are.
fn named(gathered: Vec<(Single, Vec<[Tag; 2]>)>, groups: &mut Groups) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (single, _) in &gathered {
        *counts.entry(single.word).or_default() += 1;
    }
    let mut next: BTreeMap<&str, usize> = BTreeMap::new();
    for (single, ends) in gathered {
        let number = next.entry(single.word).or_default();
        *number += 1;
        let name = match counts.get(single.word) {
            Some(1) | None => single.word.to_owned(),
            Some(_) => format!("{} {number}", single.word),
        };
        let between = texts(ends.iter().map(|[i, j]| format!("{i} {j}")));
        let mut pairs = vec![pair("name", text(&name)), pair("between", between)];
        pairs.extend(single.pairs);
        groups.tables.push((single.head, pairs));
        if single.load.iter().any(|x| x.abs() > 0.0) {
            groups.loads.push((name, single.load));
        }
    }
}
