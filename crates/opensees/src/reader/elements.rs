//! `element`

use super::Reader;
use super::arguments::Arguments;
use super::materials::tags;
use super::sections::{quadrature, rule_of};
use crate::error::ScriptError;
use crate::model::{Element, ElementKind, LineMass, Rule, Section, Tag};
use crate::script::{Answer, Argument, Place};

impl Reader {
    pub(super) fn element(
        &mut self,
        arguments: &mut Arguments,
        place: Place,
    ) -> Result<Answer, ScriptError> {
        let name = arguments.text("the kind of element")?;
        let tag = arguments.tag("the number of the element")?;
        let nodes = [
            arguments.tag("the first node")?,
            arguments.tag("the second node")?,
        ];
        for node in nodes {
            if !self.model.nodes.contains_key(&node) {
                return Err(ScriptError::NotThere(format!("node {node}").into()));
            }
        }
        let kind = match name.as_str() {
            "elasticBeamColumn" | "ElasticBeamColumn" => self.elastic(arguments)?,
            "ElasticTimoshenkoBeam" => self.timoshenko(arguments)?,
            "forceBeamColumn" | "nonlinearBeamColumn" | "dispBeamColumn" => {
                self.sectioned(&name, tag, arguments, place)?
            }
            "truss" | "Truss" | "corotTruss" | "CorotTruss" | "corotTrussElement" => {
                self.truss(&name, arguments)?
            }
            "zeroLength" | "twoNodeLink" => springs(&name, self.model.in_space(), arguments)?,
            "elastomericBearingPlasticity" | "elastomericBearing" => bearing(arguments)?,
            "ModElasticBeam2d" | "beamWithHinges" => {
                return Err(ScriptError::NotInAPlan(format!(
                    "{name} is not read: its hinges have a length. An elastic member of the plan \
                     with rotational springs at its ends (start_hinge, end_hinge) comes near"
                ).into()));
            }
            "singleFPBearing" | "SingleFPBearing" => {
                return Err(ScriptError::NotInAPlan(format!(
                    "{name} is not read; write it into the plan: a [[structure.bearing]] of kind \
                     \"friction-pendulum\""
                ).into()));
            }
            _ => {
                return Err(ScriptError::NoCounterpart(
                    format!("the element {name}").into(),
                ));
            }
        };
        if arguments.left() > 0 {
            let rest = arguments.remainder();
            self.assume(
                place,
                &format!("element {name} {tag}"),
                &format!("`{rest}` is left out"),
            );
        }
        if self.model.elements.contains_key(&tag) {
            return Err(ScriptError::Twice(format!("an element {tag}").into()));
        }
        self.model
            .elements
            .insert(tag, Element { nodes, kind, place });
        Ok(Answer::Nothing)
    }

    fn elastic(&mut self, arguments: &mut Arguments) -> Result<ElementKind, ScriptError> {
        let mass = line_mass(arguments);
        let released = arguments
            .option("-release")
            .or_else(|| arguments.option("-releasez"));
        let released = match released.and_then(|list| list.first().copied()) {
            None => [false; 2],
            Some(code) => [code.rem_euclid(2.0) > 0.5, code > 1.5],
        };
        if arguments.option("-releasey").is_some() {
            return Err(ScriptError::NoCounterpart(
                "a release about the local y".into(),
            ));
        }
        let numbers = arguments.rest();
        let (modulus, area, inertia_z, inertia_y, torsion, transformation) =
            match (self.model.in_space(), numbers.as_slice()) {
                // By a section: its number and the transformation.
                (_, &[section, transformation]) => {
                    let (e, a, iz, space) = self.elastic_section(section)?;
                    let [iy, g, j] = space.unwrap_or_default();
                    (e, a, iz, iy, [g, j], transformation)
                }
                (false, &[area, modulus, inertia, transformation]) => {
                    (modulus, area, inertia, 0.0, [0.0; 2], transformation)
                }
                (true, &[area, modulus, shear, torsion, iy, iz, transformation]) => {
                    (modulus, area, iz, iy, [shear, torsion], transformation)
                }
                (_, list) => {
                    return Err(ScriptError::NotRead(
                        format!("an elastic member with {} numbers", list.len()).into(),
                    ));
                }
            };
        Ok(ElementKind::Elastic {
            modulus,
            area,
            inertia: [inertia_z, inertia_y],
            torsion,
            shear: None,
            released,
            transformation: self.transformation_tag(transformation)?,
            mass,
        })
    }

    fn timoshenko(&mut self, arguments: &mut Arguments) -> Result<ElementKind, ScriptError> {
        let mass = line_mass(arguments);
        let numbers = arguments.rest();
        let (modulus, shear_modulus, area, torsion, iy, iz, avy, avz, transformation) =
            match (self.model.in_space(), numbers.as_slice()) {
                (false, &[e, g, a, iz, avy, t]) => (e, g, a, 0.0, 0.0, iz, avy, avy, t),
                (true, &[e, g, a, j, iy, iz, avy, avz, t]) => (e, g, a, j, iy, iz, avy, avz, t),
                (_, list) => {
                    return Err(ScriptError::NotRead(
                        format!("a Timoshenko member with {} numbers", list.len()).into(),
                    ));
                }
            };
        Ok(ElementKind::Elastic {
            modulus,
            area,
            inertia: [iz, iy],
            torsion: [shear_modulus, torsion],
            shear: Some([avy, avz]),
            released: [false; 2],
            transformation: self.transformation_tag(transformation)?,
            mass,
        })
    }

    #[allow(clippy::type_complexity)]
    fn elastic_section(&self, tag: f64) -> Result<(f64, f64, f64, Option<[f64; 3]>), ScriptError> {
        let tag = one(&[tag])?;
        match self.model.sections.get(&tag) {
            Some((
                Section::Elastic {
                    modulus,
                    area,
                    inertia_z,
                    space,
                },
                _,
            )) => Ok((*modulus, *area, *inertia_z, *space)),
            _ => Err(ScriptError::Contradiction(
                format!("section {tag} is not an elastic one").into(),
            )),
        }
    }

    fn transformation_tag(&self, tag: f64) -> Result<Tag, ScriptError> {
        let tag = one(&[tag])?;
        if self.model.transformations.contains_key(&tag) {
            Ok(tag)
        } else {
            Err(ScriptError::NotThere(
                format!("the transformation {tag}").into(),
            ))
        }
    }

    /// The old form (points, section, transformation) and the new one (transformation,
    /// integration).
    fn sectioned(
        &mut self,
        name: &str,
        tag: Tag,
        arguments: &mut Arguments,
        place: Place,
    ) -> Result<ElementKind, ScriptError> {
        let force_based = name != "dispBeamColumn";
        let mass = line_mass(arguments);
        // Our own iteration has a tolerance relative to the energy; a given one is not needed.
        arguments.option("-iter");
        let inline = arguments.option_text("-integration");
        let listed = arguments.option("-sections");
        if let Some(words) = &inline
            && words != "Lobatto"
            && words != "Legendre"
        {
            return Err(ScriptError::NotRead(
                format!("the integration {words} within an element").into(),
            ));
        }
        let default = if force_based { "lobatto" } else { "legendre" };
        let kind = match &inline {
            Some(name) => quadrature(name)?,
            None => default,
        };
        let numbers = arguments.rest();
        let written = match arguments.peek() {
            Some(Argument::Text(text)) if !text.starts_with('-') => Some(text.clone()),
            _ => None,
        };
        let (rule, transformation) = match (numbers.as_slice(), listed) {
            // As documented for Tcl: the transformation, then the integration in one text, "Lobatto
            // 1 5".
            (&[transformation], None) if written.is_some() => {
                arguments.any();
                (
                    rule_in(&written.unwrap_or_default(), arguments)?,
                    transformation,
                )
            }
            (&[points, transformation], Some(sections)) => {
                (listed_rule(kind, points, &sections)?, transformation)
            }
            (&[points, section, transformation], None) => {
                let points = usize::try_from(one(&[points])?).map_err(|_| {
                    ScriptError::Contradiction("the number of points is below zero".into())
                })?;
                let rule = Rule {
                    kind,
                    sections: vec![one(&[section])?],
                    points,
                };
                (rule, transformation)
            }
            (&[transformation, rule], None) => {
                let rule = one(&[rule])?;
                let known = self.model.rules.get(&rule).cloned();
                (
                    known.ok_or_else(|| {
                        ScriptError::NotThere(format!("the integration {rule}").into())
                    })?,
                    transformation,
                )
            }
            (list, _) => {
                return Err(ScriptError::NotRead(
                    format!("{name} with {} numbers", list.len()).into(),
                ));
            }
        };
        if !(2..=10).contains(&rule.points) {
            return Err(ScriptError::Contradiction(
                format!("{} sections; a member has 2 to 10", rule.points).into(),
            ));
        }
        let mut mass = mass;
        if mass.consistent && force_based {
            // As OpenSees does.
            mass.consistent = false;
            self.assume(
                place,
                &format!("element {name} {tag}"),
                "its mass is lumped: OpenSees itself does not read -cMass of a force-based member",
            );
        }
        Ok(ElementKind::Fibres {
            force_based,
            rule,
            transformation: self.transformation_tag(transformation)?,
            mass,
        })
    }

    fn truss(&mut self, name: &str, arguments: &mut Arguments) -> Result<ElementKind, ScriptError> {
        let mass = match arguments
            .option("-rho")
            .and_then(|list| list.first().copied())
        {
            Some(value) => LineMass {
                value,
                consistent: arguments.option("-cMass").is_some_and(|list| list != [0.0]),
            },
            None => LineMass::default(),
        };
        let damped = arguments
            .option("-doRayleigh")
            .is_some_and(|list| list != [0.0]);
        let (area, material) = match arguments.left() {
            2 => (
                arguments.number("the area")?,
                arguments.tag("the material")?,
            ),
            _ => {
                return Err(ScriptError::NotInAPlan(
                    "a truss with a section is not read; give area and material".into(),
                ));
            }
        };
        Ok(ElementKind::Truss {
            area,
            material,
            corotational: name.to_lowercase().starts_with("corot"),
            mass,
            damped,
        })
    }
}

/// A section for each of so many points.
fn listed_rule(kind: &'static str, points: f64, sections: &[f64]) -> Result<Rule, ScriptError> {
    let sections = tags(sections)?;
    if tags(&[points])? != [i64::try_from(sections.len()).unwrap_or(0)] {
        return Err(ScriptError::Contradiction(
            "as many sections as points are needed".into(),
        ));
    }
    Ok(Rule {
        kind,
        points: sections.len(),
        sections,
    })
}

fn one(list: &[f64]) -> Result<Tag, ScriptError> {
    tags(list)?
        .first()
        .copied()
        .ok_or_else(|| ScriptError::Missing("a number".into()))
}

fn line_mass(arguments: &mut Arguments) -> LineMass {
    let value = arguments
        .option("-mass")
        .or_else(|| arguments.option("-massDens"))
        .and_then(|list| list.first().copied());
    let consistent = arguments.option("-cMass").is_some();
    arguments.option("-lMass");
    LineMass {
        value: value.unwrap_or(0.0),
        consistent,
    }
}

/// `-orient x1 x2 x3 [yp1 yp2 yp3]`, or the latter alone.
fn axes(arguments: &mut Arguments) -> Result<[Option<[f64; 3]>; 2], ScriptError> {
    match arguments.option("-orient").as_deref() {
        None => Ok([None, None]),
        Some(&[a, b, c, d, e, f]) => Ok([Some([a, b, c]), Some([d, e, f])]),
        Some(&[a, b, c]) => Ok([None, Some([a, b, c])]),
        Some(list) => Err(ScriptError::NotRead(
            format!("-orient with {} numbers", list.len()).into(),
        )),
    }
}

fn springs(
    name: &str,
    in_space: bool,
    arguments: &mut Arguments,
) -> Result<ElementKind, ScriptError> {
    let materials = tags(
        &arguments
            .option("-mat")
            .ok_or(ScriptError::Missing("-mat".into()))?,
    )?;
    let directions = tags(
        &arguments
            .option("-dir")
            .ok_or(ScriptError::Missing("-dir".into()))?,
    )?;
    let [along, across] = axes(arguments)?;
    arguments.option("-doRayleigh");
    let shear_place = arguments
        .option("-shearDist")
        .and_then(|list| list.first().copied())
        .unwrap_or(0.5);
    if materials.len() != directions.len() {
        return Err(ScriptError::Contradiction(
            format!(
                "{} materials for {} directions",
                materials.len(),
                directions.len()
            )
            .into(),
        ));
    }
    let springs = directions
        .iter()
        .zip(materials)
        .map(|(direction, material)| match direction {
            // In the plane a link counts its rotation as the third direction.
            3 if name == "twoNodeLink" && !in_space => Ok((5, material)),
            1..=6 => Ok((usize::try_from(direction - 1).unwrap_or(0), material)),
            _ => Err(ScriptError::NotKnown(
                format!("the direction {direction}").into(),
            )),
        })
        .collect::<Result<_, _>>()?;
    Ok(ElementKind::Springs {
        springs,
        along,
        across,
        zero_length: name == "zeroLength",
        shear_place,
    })
}

fn bearing(arguments: &mut Arguments) -> Result<ElementKind, ScriptError> {
    let [axis, across] = axes(arguments)?;
    let axial = one(&arguments
        .option("-P")
        .ok_or(ScriptError::Missing("-P".into()))?)?;
    let rotational = one(&arguments
        .option("-Mz")
        .ok_or(ScriptError::Missing("-Mz".into()))?)?;
    for other in ["-T", "-My"] {
        if let Some(list) = arguments.option(other)
            && one(&list)? != rotational
        {
            return Err(ScriptError::Contradiction(
                format!("{other} must be the material of -Mz here").into(),
            ));
        }
    }
    arguments.option("-shearDist");
    arguments.option("-doRayleigh");
    let [stiffness, strength, hardening] = arguments.numbers("kInit, qd or alpha1")?;
    if arguments
        .optional()
        .is_some_and(|alpha2| alpha2.abs() > 0.0)
    {
        return Err(ScriptError::NoCounterpart(
            "nonlinear hardening (alpha2) of a bearing".into(),
        ));
    }
    arguments.rest();
    Ok(ElementKind::Elastomeric {
        stiffness,
        // qd is where the second line meets the axis.
        yield_force: strength / (1.0 - hardening),
        hardening,
        axial,
        rotational,
        along: axis,
        across,
    })
}

/// The integration in one text; its words may also stand without quotes.
fn rule_in(written: &str, arguments: &mut Arguments) -> Result<Rule, ScriptError> {
    let mut words = Arguments::words(written);
    let kind = quadrature(&words.text("the integration")?)?;
    let rule = if words.left() > 0 {
        rule_of(kind, &mut words)?
    } else {
        rule_of(kind, arguments)?
    };
    if words.left() > 0 {
        return Err(ScriptError::NotRead(
            format!("`{}` of the integration", words.remainder()).into(),
        ));
    }
    Ok(rule)
}
