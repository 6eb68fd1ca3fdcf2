//! Fibre sections as the plan writes them.

use crate::error::ScriptError;
use tandem_quantity::Dimension;

use super::materials::{Use, inline};
use super::toml::list;
use super::{Pairs, Writer, pair, quantity, text};
use crate::model::{FibrePart, FibreShape, Section, Tag};

/// E I, G J: N m².
pub(super) const BENDING: Dimension = Dimension::of(1, 3, -2);

/// Name of a material of fibres.
pub(super) fn material_name(tag: Tag) -> String {
    format!("material {tag}")
}

impl Writer<'_> {
    /// The table of a section for members with sections, that of its base in front, and the
    /// materials it needs. An error says what is missing.
    pub(super) fn section(&self, tag: Tag) -> Result<(Vec<Pairs>, Vec<Tag>), ScriptError> {
        match self.model.sections.get(&tag) {
            Some((Section::Aggregated(base, added), _)) => self.aggregated(tag, *base, added),
            _ => {
                let (section, materials) = self.plain_section(tag)?;
                Ok((vec![section], materials))
            }
        }
    }

    /// The table of a section that is not aggregated.
    fn plain_section(&self, tag: Tag) -> Result<(Pairs, Vec<Tag>), ScriptError> {
        let (section, _) = self
            .model
            .sections
            .get(&tag)
            .ok_or_else(|| ScriptError::NotUnderstood(format!("section {tag}").into()))?;
        let mut pairs = vec![pair("name", text(&format!("section {tag}")))];
        match section {
            Section::Elastic {
                modulus,
                area,
                inertia_z,
                space,
            } => {
                let [inertia_y, shear, torsion] = space.unwrap_or_default();
                pairs.extend(self.elastic(
                    *modulus,
                    *area,
                    [*inertia_z, inertia_y],
                    [shear, torsion],
                    None,
                ));
                Ok((pairs, Vec::new()))
            }
            Section::Fibres { torsion, parts } => self.fibres(pairs, parts, *torsion),
            Section::Aggregated(..) => Err(ScriptError::NotInAPlan(
                format!("section {tag} is aggregated: it cannot be the base of another one").into(),
            )),
        }
    }

    /// An aggregated section. An elastic torsion belongs to the fibres here, every other force has
    /// a law of its own.
    fn aggregated(
        &self,
        tag: Tag,
        base: Option<Tag>,
        added: &[(Tag, String)],
    ) -> Result<(Vec<Pairs>, Vec<Tag>), ScriptError> {
        let name = |tag: Tag| pair("name", text(&format!("section {tag}")));
        let fibres = base.and_then(|base| match self.model.sections.get(&base) {
            Some((Section::Fibres { torsion, parts }, _)) => Some((*torsion, parts)),
            _ => None,
        });
        let elastic = |material: &Tag| match self.model.materials.get(material) {
            Some((law, _)) if law.kind == "elastic" => law.modulus,
            _ => None,
        };
        let torque = added.iter().find(|(_, force)| force == "T");
        let mut laws: Vec<&(Tag, String)> = added.iter().collect();
        let (mut sections, mut materials) = (Vec::new(), Vec::new());
        if let Some((torsion, parts)) = fibres {
            let own = torque.and_then(|(material, _)| elastic(material));
            if torque.is_some() && torsion.is_none() && own.is_none() {
                return Err(ScriptError::NotInAPlan(
                    "the torsion of a fibre section is elastic here".into(),
                ));
            }
            laws.retain(|(_, force)| force != "T");
            let at = if laws.is_empty() { Some(tag) } else { base };
            let (fibres, of) =
                self.fibres(vec![name(at.unwrap_or(tag))], parts, torsion.or(own))?;
            sections.push(fibres);
            materials = of;
            if laws.is_empty() {
                return Ok((sections, materials));
            }
        } else if let Some(base) = base {
            let (section, of) = self.plain_section(base)?;
            sections.push(section);
            materials = of;
        }
        let mut pairs = vec![name(tag), pair("kind", text("aggregated"))];
        if let Some(base) = base {
            pairs.push(pair("section", text(&format!("section {base}"))));
        }
        for (material, force) in laws {
            let (key, of) = match force.as_str() {
                "P" => ("axial", Use::SectionForce),
                "Mz" => ("moment", Use::SectionMoment),
                "My" => ("weak_moment", Use::SectionMoment),
                "T" => ("torsion", Use::SectionMoment),
                "Vy" => ("shear", Use::SectionForce),
                "Vz" => ("weak_shear", Use::SectionForce),
                other => {
                    return Err(ScriptError::Contradiction(
                        format!("`{other}` is no force of a section").into(),
                    ));
                }
            };
            pairs.push(pair(key, self.law(*material, of)?));
        }
        sections.push(pairs);
        Ok((sections, materials))
    }

    fn fibres(
        &self,
        mut pairs: Pairs,
        parts: &[FibrePart],
        torsion: Option<f64>,
    ) -> Result<(Pairs, Vec<Tag>), ScriptError> {
        if parts.is_empty() {
            return Err(ScriptError::Contradiction(
                "the section has no fibres".into(),
            ));
        }
        pairs.push(pair("kind", text("fibres")));
        if self.model.in_space() {
            let torsion = torsion.ok_or(ScriptError::NotInAPlan(
                "a fibre section in space needs a torsional stiffness (-GJ)".into(),
            ))?;
            pairs.push(pair("torsion", quantity(torsion, BENDING, self.units)));
        }
        let mut materials = Vec::new();
        let (mut patches, mut layers, mut single) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            materials.push(part.material);
            let line = self.part(part);
            match part.shape {
                FibreShape::Rectangle(..)
                | FibreShape::Quadrilateral(..)
                | FibreShape::Ring(..) => {
                    patches.push(line);
                }
                FibreShape::Straight(..) | FibreShape::Circular(..) => layers.push(line),
                FibreShape::Single(..) => single.push(line),
            }
        }
        for (key, lines) in [("patch", patches), ("layer", layers), ("fibre", single)] {
            if !lines.is_empty() {
                pairs.push(pair(key, rows(&lines)));
            }
        }
        Ok((pairs, materials))
    }

    fn part(&self, part: &FibrePart) -> String {
        let place = |at: &[f64; 2]| list(at, Dimension::LENGTH, self.units);
        let area = |area: f64| quantity(area, Dimension::AREA, self.units);
        let degrees = |[first, last]: [f64; 2]| format!("[{first}, {last}, \"deg\"]");
        let mut pairs = vec![pair("material", text(&material_name(part.material)))];
        match &part.shape {
            FibreShape::Rectangle([y, z], [from, to]) => pairs.extend([
                pair("divisions", format!("[{y}, {z}]")),
                pair("from", place(from)),
                pair("to", place(to)),
            ]),
            FibreShape::Quadrilateral([ij, jk], corners) => {
                let rows: Vec<String> = corners
                    .iter()
                    .map(|[y, z]| format!("[{}, {}]", super::number(*y), super::number(*z)))
                    .collect();
                let unit = self.units.of(Dimension::LENGTH);
                pairs.extend([
                    pair("divisions", format!("[{ij}, {jk}]")),
                    pair("corners", format!("[{}, \"{unit}\"]", rows.join(", "))),
                ]);
            }
            FibreShape::Ring([around, radial], centre, radii, angles) => pairs.extend([
                pair("divisions", format!("[{around}, {radial}]")),
                pair("centre", place(centre)),
                pair("radii", place(radii)),
                pair("angles", degrees(*angles)),
            ]),
            FibreShape::Straight(count, bar, [from, to]) => pairs.extend([
                pair("bars", count.to_string()),
                pair("area", area(*bar)),
                pair("from", place(from)),
                pair("to", place(to)),
            ]),
            FibreShape::Circular(count, bar, centre, radius, angles) => pairs.extend([
                pair("bars", count.to_string()),
                pair("area", area(*bar)),
                pair("centre", place(centre)),
                pair("radius", quantity(*radius, Dimension::LENGTH, self.units)),
                pair("angles", degrees(*angles)),
            ]),
            FibreShape::Single(at, single) => {
                pairs.extend([pair("at", place(at)), pair("area", area(*single))]);
            }
        }
        inline(&pairs)
    }

    /// Keys of an elastic section.
    pub(super) fn elastic(
        &self,
        modulus: f64,
        area: f64,
        inertia: [f64; 2],
        [shear_modulus, torsion]: [f64; 2],
        shear: Option<[f64; 2]>,
    ) -> Pairs {
        let of = |value: f64, dimension| quantity(value, dimension, self.units);
        let mut pairs = vec![
            pair("kind", text("elastic")),
            pair("modulus", of(modulus, Dimension::STRESS)),
            pair("area", of(area, Dimension::AREA)),
            pair("inertia", of(inertia[0], Dimension::INERTIA)),
        ];
        let space = self.model.in_space();
        if space {
            pairs.push(pair("weak_inertia", of(inertia[1], Dimension::INERTIA)));
        }
        if space || shear.is_some() {
            // The plan has Poisson's ratio in place of G; where G fits none, J and A_s take up the
            // difference.
            let poisson = modulus / (2.0 * shear_modulus) - 1.0;
            let sound = (0.0..=0.5).contains(&poisson);
            let scale = if sound {
                1.0
            } else {
                2.6 * shear_modulus / modulus
            };
            if sound {
                pairs.push(pair("poisson", super::number(poisson)));
            }
            if space {
                pairs.push(pair("torsion", of(scale * torsion, Dimension::INERTIA)));
            }
            if let Some([y, z]) = shear {
                pairs.push(pair("shear_area", of(scale * y, Dimension::AREA)));
                if space {
                    pairs.push(pair("weak_shear_area", of(scale * z, Dimension::AREA)));
                }
            }
        }
        pairs
    }
}

/// A list of tables, one on a line.
pub(super) fn rows(lines: &[String]) -> String {
    format!("[\n  {},\n]", lines.join(",\n  "))
}
