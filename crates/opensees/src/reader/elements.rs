//! `element`

use super::Reader;
use super::arguments::Arguments;
use super::materials::tags;
use super::sections::{quadrature, rule_of};
use crate::model::{Element, ElementKind, LineMass, Rule, Section, Tag};
use crate::script::{Answer, Argument, Place};

impl Reader {
    pub(super) fn element(
        &mut self,
        arguments: &mut Arguments,
        place: Place,
    ) -> Result<Answer, String> {
        let name = arguments.text("the kind of element")?;
        let tag = arguments.tag("the number of the element")?;
        let nodes = [
            arguments.tag("the first node")?,
            arguments.tag("the second node")?,
        ];
        for node in nodes {
            if !self.model.nodes.contains_key(&node) {
                return Err(format!("node {node} is not there"));
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
                return Err(format!(
                    "{name} is not read: its hinges have a length. An elastic member of the plan with rotational springs at its ends (start_hinge, end_hinge) comes near"
                ));
            }
            "singleFPBearing" | "SingleFPBearing" => {
                return Err(format!(
                    "{name} is not read; write it into the plan: a [[structure.bearing]] of kind \"friction-pendulum\""
                ));
            }
            _ => return Err(format!("the element {name} has no counterpart here")),
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
            return Err(format!(
                "there is an element {tag} already; this one is left out"
            ));
        }
        self.model
            .elements
            .insert(tag, Element { nodes, kind, place });
        Ok(Answer::Nothing)
    }

    fn elastic(&mut self, arguments: &mut Arguments) -> Result<ElementKind, String> {
        let mass = line_mass(arguments);
        let released = arguments
            .option("-release")
            .or_else(|| arguments.option("-releasez"));
        let released = match released.and_then(|list| list.first().copied()) {
            None => [false; 2],
            Some(code) => [code.rem_euclid(2.0) > 0.5, code > 1.5],
        };
        if arguments.option("-releasey").is_some() {
            return Err("a release about the local y has no counterpart here".to_owned());
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
                    return Err(format!(
                        "an elastic member with {} numbers is not read",
                        list.len()
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

    fn timoshenko(&mut self, arguments: &mut Arguments) -> Result<ElementKind, String> {
        let mass = line_mass(arguments);
        let numbers = arguments.rest();
        let (modulus, shear_modulus, area, torsion, iy, iz, avy, avz, transformation) =
            match (self.model.in_space(), numbers.as_slice()) {
                (false, &[e, g, a, iz, avy, t]) => (e, g, a, 0.0, 0.0, iz, avy, avy, t),
                (true, &[e, g, a, j, iy, iz, avy, avz, t]) => (e, g, a, j, iy, iz, avy, avz, t),
                (_, list) => {
                    return Err(format!(
                        "a Timoshenko member with {} numbers is not read",
                        list.len()
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
    fn elastic_section(&self, tag: f64) -> Result<(f64, f64, f64, Option<[f64; 3]>), String> {
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
            _ => Err(format!("section {tag} is not an elastic one")),
        }
    }

    fn transformation_tag(&self, tag: f64) -> Result<Tag, String> {
        let tag = one(&[tag])?;
        if self.model.transformations.contains_key(&tag) {
            Ok(tag)
        } else {
            Err(format!("the transformation {tag} is not there"))
        }
    }

    /// The old form (points, section, transformation) and the new one (transformation, integration).
    fn sectioned(
        &mut self,
        name: &str,
        tag: Tag,
        arguments: &mut Arguments,
        place: Place,
    ) -> Result<ElementKind, String> {
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
            return Err(format!(
                "the integration {words} within an element is not read"
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
            // As documented for Tcl: the transformation, then the integration in one text, "Lobatto 1 5".
            (&[transformation], None) if written.is_some() => {
                arguments.any();
                (
                    rule_in(&written.unwrap_or_default(), arguments)?,
                    transformation,
                )
            }
            (&[points, transformation], Some(sections)) => {
                let sections = tags(&sections)?;
                if tags(&[points])? != [i64::try_from(sections.len()).unwrap_or(0)] {
                    return Err("as many sections as points are needed".to_owned());
                }
                let rule = Rule {
                    kind,
                    points: sections.len(),
                    sections,
                };
                (rule, transformation)
            }
            (&[points, section, transformation], None) => {
                let points = usize::try_from(one(&[points])?)
                    .map_err(|_| "the number of points is below zero".to_owned())?;
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
                    known.ok_or_else(|| format!("the integration {rule} is not there"))?,
                    transformation,
                )
            }
            (list, _) => {
                return Err(format!("{name} with {} numbers is not read", list.len()));
            }
        };
        if !(2..=10).contains(&rule.points) {
            return Err(format!("{} sections; a member has 2 to 10", rule.points));
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

    fn truss(&mut self, name: &str, arguments: &mut Arguments) -> Result<ElementKind, String> {
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
                return Err("a truss with a section is not read; give area and material".to_owned());
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

fn one(list: &[f64]) -> Result<Tag, String> {
    tags(list)?
        .first()
        .copied()
        .ok_or_else(|| "a number is missing".to_owned())
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
fn axes(arguments: &mut Arguments) -> Result<[Option<[f64; 3]>; 2], String> {
    match arguments.option("-orient").as_deref() {
        None => Ok([None, None]),
        Some(&[a, b, c, d, e, f]) => Ok([Some([a, b, c]), Some([d, e, f])]),
        Some(&[a, b, c]) => Ok([None, Some([a, b, c])]),
        Some(list) => Err(format!("-orient with {} numbers is not read", list.len())),
    }
}

fn springs(name: &str, in_space: bool, arguments: &mut Arguments) -> Result<ElementKind, String> {
    let materials = tags(&arguments.option("-mat").ok_or("-mat is missing")?)?;
    let directions = tags(&arguments.option("-dir").ok_or("-dir is missing")?)?;
    let [along, across] = axes(arguments)?;
    arguments.option("-doRayleigh");
    let shear_place = arguments
        .option("-shearDist")
        .and_then(|list| list.first().copied())
        .unwrap_or(0.5);
    if materials.len() != directions.len() {
        return Err(format!(
            "{} materials for {} directions",
            materials.len(),
            directions.len()
        ));
    }
    let springs = directions
        .iter()
        .zip(materials)
        .map(|(direction, material)| match direction {
            // In the plane a link counts its rotation as the third direction.
            3 if name == "twoNodeLink" && !in_space => Ok((5, material)),
            1..=6 => Ok((usize::try_from(direction - 1).unwrap_or(0), material)),
            _ => Err(format!("the direction {direction} is not known")),
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

fn bearing(arguments: &mut Arguments) -> Result<ElementKind, String> {
    let [axis, across] = axes(arguments)?;
    let axial = one(&arguments.option("-P").ok_or("-P is missing")?)?;
    let rotational = one(&arguments.option("-Mz").ok_or("-Mz is missing")?)?;
    for other in ["-T", "-My"] {
        if let Some(list) = arguments.option(other)
            && one(&list)? != rotational
        {
            return Err(format!("{other} must be the material of -Mz here"));
        }
    }
    arguments.option("-shearDist");
    arguments.option("-doRayleigh");
    let [stiffness, strength, hardening] = arguments.numbers("kInit, qd or alpha1")?;
    if arguments
        .optional()
        .is_some_and(|alpha2| alpha2.abs() > 0.0)
    {
        return Err("nonlinear hardening (alpha2) of a bearing has no counterpart here".to_owned());
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
fn rule_in(written: &str, arguments: &mut Arguments) -> Result<Rule, String> {
    let mut words = Arguments::words(written);
    let kind = quadrature(&words.text("the integration")?)?;
    let rule = if words.left() > 0 {
        rule_of(kind, &mut words)?
    } else {
        rule_of(kind, arguments)?
    };
    if words.left() > 0 {
        return Err(format!(
            "`{}` of the integration is not read",
            words.remainder()
        ));
    }
    Ok(rule)
}
