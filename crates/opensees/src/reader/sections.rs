//! `section` with its `patch`, `layer` and `fiber`; `geomTransf`; `beamIntegration`.

use super::Reader;
use super::arguments::Arguments;
use super::materials::tags;
use crate::error::ScriptError;
use crate::model::{FibrePart, FibreShape, Law, Rule, Section, Transformation};
use crate::script::{Answer, Place};

impl Reader {
    pub(super) fn section(
        &mut self,
        arguments: &mut Arguments,
        place: Place,
    ) -> Result<Answer, ScriptError> {
        // What follows belongs to no section until this one is understood.
        self.open_section = None;
        let kind = arguments.text("the kind of section")?;
        let tag = arguments.tag("the number of the section")?;
        let space = self.model.in_space();
        let section = match kind.as_str() {
            "Elastic" => {
                let [modulus, area, inertia_z] = arguments.numbers("E, A or I")?;
                let rest = arguments.rest();
                let space = match rest.as_slice() {
                    [inertia_y, shear_modulus, torsion, ..] if space => {
                        Some([*inertia_y, *shear_modulus, *torsion])
                    }
                    _ if space => return Err(ScriptError::AllMissing("I_y, G and J".into())),
                    _ => None,
                };
                Section::Elastic {
                    modulus,
                    area,
                    inertia_z,
                    space,
                }
            }
            "Fiber" | "fiberSec" | "FiberSection" | "Fibre" => {
                let torsion = match arguments.option("-GJ") {
                    Some(list) => list.first().copied(),
                    None => match arguments.option("-torsion") {
                        Some(list) => Some(self.elastic_modulus(&list)?),
                        None => None,
                    },
                };
                arguments.take("-thermal");
                self.open_section = Some(tag);
                Section::Fibres {
                    torsion,
                    parts: Vec::new(),
                }
            }
            "WFSection2d" => {
                let material = arguments.tag("the material")?;
                let [depth, web, width, flange] = arguments.numbers("a dimension")?;
                let (n_web, n_flange) = (
                    arguments.count("layers of the web")?,
                    arguments.count("layers of a flange")?,
                );
                let (top, inner) = (0.5 * depth, 0.5 * depth - flange);
                let part = |divisions, from: [f64; 2], to: [f64; 2]| FibrePart {
                    material,
                    shape: FibreShape::Rectangle([divisions, 1], [from, to]),
                };
                let (edge, web_edge) = (0.5 * width, 0.5 * web);
                Section::Fibres {
                    torsion: None,
                    parts: vec![
                        part(n_flange, [inner, -edge], [top, edge]),
                        part(n_web, [-inner, -web_edge], [inner, web_edge]),
                        part(n_flange, [-top, -edge], [-inner, edge]),
                    ],
                }
            }
            "Aggregator" => {
                let base = arguments.option("-section");
                let base = base
                    .and_then(|list| tags(&list).ok())
                    .and_then(|list| list.first().copied());
                let mut added = Vec::new();
                while arguments.left() > 0 {
                    added.push((arguments.tag("a material")?, arguments.text("its force")?));
                }
                Section::Aggregated(base, added)
            }
            _ => {
                return Err(ScriptError::NoCounterpart(
                    format!("the section {kind}").into(),
                ));
            }
        };
        if arguments.left() > 0 {
            let rest = arguments.remainder();
            self.assume(
                place,
                &format!("section {kind} {tag}"),
                &format!("`{rest}` is left out"),
            );
        }
        self.model.sections.insert(tag, (section, place));
        Ok(Answer::Nothing)
    }

    /// The slope of an elastic material by its number.
    fn elastic_modulus(&self, list: &[f64]) -> Result<f64, ScriptError> {
        let tag = tags(list)?
            .first()
            .copied()
            .ok_or(ScriptError::Missing("the material of the torsion".into()))?;
        match self.model.materials.get(&tag) {
            Some((
                Law {
                    kind: "elastic",
                    modulus: Some(modulus),
                    ..
                },
                _,
            )) => Ok(*modulus),
            Some(_) => Err(ScriptError::NotInAPlan(
                "torsion is elastic here; give an Elastic material".into(),
            )),
            None => Err(ScriptError::NotThere(format!("the material {tag}").into())),
        }
    }

    pub(super) fn fibres(
        &mut self,
        name: &str,
        arguments: &mut Arguments,
    ) -> Result<Answer, ScriptError> {
        let tag = self.open_section.ok_or(ScriptError::Contradiction(
            "it belongs to a section that was not understood".into(),
        ))?;
        let kind = if matches!(name, "fiber" | "fibre") {
            String::new()
        } else {
            arguments.text("the kind")?
        };
        let part = match (name, kind.as_str()) {
            ("fiber" | "fibre", _) => {
                let [y, z, area] = arguments.numbers("a value of the fibre")?;
                FibrePart {
                    shape: FibreShape::Single([y, z], area),
                    material: arguments.tag("the material")?,
                }
            }
            ("patch", _) => {
                let material = arguments.tag("the material")?;
                let divisions = [arguments.count("divisions")?, arguments.count("divisions")?];
                let shape = match kind.as_str() {
                    "rect" | "rectangular" => {
                        let [a, b, c, d] = arguments.numbers("a corner")?;
                        FibreShape::Rectangle(divisions, [[a, b], [c, d]])
                    }
                    "quad" | "quadr" | "quadrilateral" => {
                        let c = arguments.numbers::<8>("a corner")?;
                        FibreShape::Quadrilateral(
                            divisions,
                            [[c[0], c[1]], [c[2], c[3]], [c[4], c[5]], [c[6], c[7]]],
                        )
                    }
                    "circ" | "circular" => {
                        let [y, z, inner, outer] = arguments.numbers("centre or radius")?;
                        let angles = [arguments.or(0.0), arguments.or(360.0)];
                        FibreShape::Ring(divisions, [y, z], [inner, outer], angles)
                    }
                    other => {
                        return Err(ScriptError::NotKnown(format!("the patch {other}").into()));
                    }
                };
                FibrePart { material, shape }
            }
            (_, "straight") => {
                let material = arguments.tag("the material")?;
                let count = arguments.count("the number of bars")?;
                let [area, a, b, c, d] = arguments.numbers("area or end of the layer")?;
                FibrePart {
                    material,
                    shape: FibreShape::Straight(count, area, [[a, b], [c, d]]),
                }
            }
            (_, "circ" | "circular") => {
                let material = arguments.tag("the material")?;
                let count = arguments.count("the number of bars")?;
                let [area, y, z, radius] = arguments.numbers("area, centre or radius")?;
                // Without angles the bars go evenly around.
                let first = arguments.or(0.0);
                let last = arguments.or(360.0 - 360.0 / count as f64);
                FibrePart {
                    material,
                    shape: FibreShape::Circular(count, area, [y, z], radius, [first, last]),
                }
            }
            (_, other) => return Err(ScriptError::NotKnown(format!("the layer {other}").into())),
        };
        if let Some((Section::Fibres { parts, .. }, _)) = self.model.sections.get_mut(&tag) {
            parts.push(part);
        }
        Ok(Answer::Nothing)
    }

    pub(super) fn transformation(
        &mut self,
        arguments: &mut Arguments,
        place: Place,
    ) -> Result<Answer, ScriptError> {
        let name = arguments.text("the kind of transformation")?;
        let kind = match name.as_str() {
            "Linear" | "LinearWithPDelta" => "linear",
            "PDelta" => "p-delta",
            "Corotational" => "corotational",
            other => {
                return Err(ScriptError::NotKnown(
                    format!("the transformation {other}").into(),
                ));
            }
        };
        let tag = arguments.tag("the number of the transformation")?;
        if arguments.option("-jntOffset").is_some() {
            self.miss(
                place,
                &format!("geomTransf {name} {tag} … -jntOffset"),
                "rigid offsets of the joints are left out: members reach from node to node; put \
                nodes at their ends and tie them with rigidLink",
            );
        }
        let up = match arguments.left() {
            0 => None,
            _ if self.model.in_space() => Some(arguments.numbers("vecxz")?),
            _ => None,
        };
        self.model
            .transformations
            .insert(tag, Transformation { kind, up });
        Ok(Answer::Nothing)
    }

    pub(super) fn integration(&mut self, arguments: &mut Arguments) -> Result<Answer, ScriptError> {
        let name = arguments.text("the kind of integration")?;
        let tag = arguments.tag("its number")?;
        let kind = quadrature(&name)?;
        let rule = rule_of(kind, arguments)?;
        self.model.rules.insert(tag, rule);
        Ok(Answer::Nothing)
    }
}

/// Section and number of points, or a list of sections.
pub(super) fn rule_of(kind: &'static str, arguments: &mut Arguments) -> Result<Rule, ScriptError> {
    if arguments.take("-sections") {
        let sections = tags(&arguments.rest())?;
        return Ok(Rule {
            kind,
            points: sections.len(),
            sections,
        });
    }
    let section = arguments.tag("the section")?;
    Ok(Rule {
        kind,
        sections: vec![section],
        points: arguments.count("the number of points")?,
    })
}

/// The rule of this name as the plan calls it.
pub(super) fn quadrature(name: &str) -> Result<&'static str, ScriptError> {
    match name {
        "Lobatto" => Ok("lobatto"),
        "Legendre" => Ok("legendre"),
        other => Err(ScriptError::NotInAPlan(
            format!("the integration {other} has no counterpart here (Lobatto and Legendre have)")
                .into(),
        )),
    }
}
