//! Members as the plan writes them: section, points, geometry, axes, mass.

use crate::error::ScriptError;
use tandem_quantity::Dimension;

use super::elements::Needs;
use super::materials::Use;
use super::toml::{list, texts};
use super::{Pairs, Writer, pair, quantity, text};
use crate::model::{Element, ElementKind, LineMass, Rule, Tag};

impl Writer<'_> {
    pub(super) fn member(
        &self,
        kind: &ElementKind,
        needs: &mut Needs<'_>,
    ) -> Result<(Pairs, Tag), ScriptError> {
        let (mut pairs, transformation, mass) = match kind {
            ElementKind::Elastic {
                modulus,
                area,
                inertia,
                torsion,
                shear,
                released,
                transformation,
                mass,
            } => {
                let section = self.elastic(*modulus, *area, *inertia, *torsion, *shear);
                let number = needs.elastic.iter().position(|known| *known == section);
                let name = format!("elastic {}", number.map_or(0, |at| at + 1));
                let mut named = vec![pair("name", text(&name))];
                named.extend(section);
                needs.sections.push(named);
                let mut pairs = vec![
                    pair("element", text("elastic")),
                    pair("section", text(&name)),
                ];
                if released.contains(&true) {
                    if self.model.in_space() {
                        return Err(ScriptError::NoCounterpart(
                            "a release about one axis in space".into(),
                        ));
                    }
                    let ends = ["start", "end"].iter().zip(released).filter(|(_, on)| **on);
                    pairs.push(pair(
                        "release",
                        texts(ends.map(|(end, _)| (*end).to_owned())),
                    ));
                }
                (pairs, *transformation, *mass)
            }
            ElementKind::Fibres {
                force_based,
                rule,
                transformation,
                mass,
            } => (
                self.sectioned(*force_based, rule, needs)?,
                *transformation,
                *mass,
            ),
            _ => return Err(ScriptError::Contradiction("it is not a member".into())),
        };
        if let Some(known) = self.model.transformations.get(&transformation) {
            if known.kind != "linear" {
                pairs.push(pair("geometry", text(known.kind)));
            }
            if let (Some(up), true) = (known.up, self.model.in_space()) {
                pairs.push(pair("up", list(&up, Dimension::NONE, self.units)));
            }
        }
        pairs.extend(self.line_mass(mass));
        Ok((pairs, transformation))
    }

    fn sectioned(
        &self,
        force_based: bool,
        rule: &Rule,
        needs: &mut Needs<'_>,
    ) -> Result<Pairs, ScriptError> {
        let first = rule.sections.first().ok_or(ScriptError::Contradiction(
            "the member has no section".into(),
        ))?;
        if rule.sections.iter().any(|section| section != first) {
            return Err(ScriptError::NotInAPlan(
                "a member with other sections at other points has no place in a plan".into(),
            ));
        }
        let (sections, materials) = self.section(*first)?;
        for material in &materials {
            self.law(*material, Use::Stress)?;
        }
        needs.materials.extend(materials);
        needs.sections.extend(sections);
        let mut pairs = vec![
            pair(
                "element",
                text(if force_based {
                    "force-based"
                } else {
                    "displacement-based"
                }),
            ),
            pair("section", text(&format!("section {first}"))),
            pair("points", rule.points.to_string()),
        ];
        let usual = if force_based { "lobatto" } else { "legendre" };
        if rule.kind != usual {
            pairs.push(pair("quadrature", text(rule.kind)));
        }
        Ok(pairs)
    }

    fn line_mass(&self, mass: LineMass) -> Pairs {
        let mut pairs = Vec::new();
        if mass.value > 0.0 {
            pairs.push(pair(
                "mass",
                quantity(mass.value, Dimension::LINE_MASS, self.units),
            ));
            if mass.consistent {
                pairs.push(pair("mass_matrix", text("consistent")));
            }
        }
        pairs
    }

    /// Unit vectors along the local axes of a member.
    fn local_axes(&self, element: &Element, transformation: Tag) -> Option<[[f64; 3]; 3]> {
        let [i, j] = element
            .nodes
            .map(|tag| self.model.nodes.get(&tag).map(|node| node.at));
        let (i, j) = (i?, j?);
        let x = unit(std::array::from_fn(|k| j[k] - i[k]))?;
        let up = if self.model.in_space() {
            self.model.transformations.get(&transformation)?.up?
        } else {
            [0.0, 0.0, 1.0]
        };
        let y = unit(cross(up, x))?;
        Some([x, y, cross(x, y)])
    }

    /// A load in local axes turned to global ones.
    pub(super) fn turned(
        &self,
        element: &Element,
        transformation: Tag,
        load: [f64; 3],
    ) -> Result<[f64; 3], ScriptError> {
        if load.iter().all(|x| x.abs() <= 0.0) {
            return Ok([0.0; 3]);
        }
        let axes = self
            .local_axes(element, transformation)
            .ok_or(ScriptError::NotInAPlan(
                "the local axes of the member are not known".into(),
            ))?;
        let largest = load.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let turned: [f64; 3] = std::array::from_fn(|k| (0..3).map(|a| load[a] * axes[a][k]).sum());
        // Round-off of the axes is no load.
        Ok(turned.map(|x| if x.abs() < 1e-12 * largest { 0.0 } else { x }))
    }

    /// Columns, beams, or members that are neither.
    pub(super) fn word(&self, element: &Element) -> &'static str {
        let [Some(i), Some(j)] = element.nodes.map(|tag| self.model.nodes.get(&tag)) else {
            return "members";
        };
        let vertical = if self.model.in_space() { 2 } else { 1 };
        let rise = (j.at[vertical] - i.at[vertical]).abs();
        let across = (0..3)
            .filter(|k| *k != vertical)
            .map(|k| (j.at[k] - i.at[k]).powi(2))
            .sum::<f64>()
            .sqrt();
        if across < 1e-3 * rise {
            "columns"
        } else if rise < 1e-3 * across {
            "beams"
        } else {
            "members"
        }
    }
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn unit(v: [f64; 3]) -> Option<[f64; 3]> {
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    (length > 0.0).then(|| v.map(|x| x / length))
}
