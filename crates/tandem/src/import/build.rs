//! The frame itself, in SI units: for modes that a script asks for while it is read, and for checks against OpenSees.

use std::collections::BTreeMap;

use tandem_quantity::{Dimension, Kind, Parameter};
use tandem_structure::Damping;
use tandem_structure::element::{ElastomericShear, Quadrature};
use tandem_structure::material::{
    self, Elastic, ForceDisplacement, Material, Measure, MomentRotation, StressStrain,
};
use tandem_structure::model::{
    DampingStiffness, Dof, LoadCase, Member, MemberMass, ModelBuilder, Orientation,
};
use tandem_structure::section::{
    ElasticSection2d, ElasticSection3d, FibreLayout, Ring, Section2d, Section3d,
};
use tandem_structure::transformation::Geometry;

use super::emit::materials::{Materials, Use, inline};
use super::model::{
    Element, ElementKind, FibreShape, LineMass, Model, Pattern, Rule, Section, Tag, Tie,
};
use super::units::Units;
use crate::plan::{self, Source};

/// Makes frames out of models.
pub struct Build<'a> {
    model: &'a Model,
    units: &'a Units,
    known: BTreeMap<(Tag, Use), Material>,
}

type Built<T> = Result<T, String>;

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Numbers of nodes and elements as the frame counts them.
pub fn count(tag: Tag) -> usize {
    // Tags below zero do not occur in practice; they get numbers of their own far above.
    usize::try_from(tag).unwrap_or(usize::MAX - usize::try_from(tag.unsigned_abs()).unwrap_or(0))
}

impl<'a> Build<'a> {
    /// Of this model in these units.
    pub fn new(model: &'a Model, units: &'a Units) -> Self {
        Self {
            model,
            units,
            known: BTreeMap::new(),
        }
    }

    fn si(&self, value: f64, dimension: Dimension) -> f64 {
        value * self.units.factor(dimension)
    }

    fn lengths<const N: usize>(&self, values: [f64; N]) -> [f64; N] {
        values.map(|value| self.si(value, Dimension::LENGTH))
    }

    fn dof(&self, six: usize) -> Dof {
        Dof::ALL[six.min(5)]
    }

    /// The frame, without loads.
    pub fn frame(&mut self) -> Built<ModelBuilder> {
        let space = self.model.in_space();
        let mut frame = if space {
            ModelBuilder::space()
        } else {
            ModelBuilder::plane()
        };
        self.nodes(&mut frame)?;
        for (tie, _) in &self.model.ties {
            match tie {
                Tie::Equal(retained, follows, dofs) => {
                    let dofs: Vec<Dof> = dofs.iter().map(|six| self.dof(*six)).collect();
                    frame
                        .equal_dof(count(*retained), count(*follows), &dofs)
                        .map_err(told)?;
                }
                Tie::Rigid(retained, follows) => {
                    frame
                        .rigid_link(count(*retained), count(*follows))
                        .map_err(told)?;
                }
                Tie::Floor(normal, retained, follow) => {
                    let nodes: Vec<usize> = follow.iter().copied().map(count).collect();
                    let normal = self.dof(*normal);
                    frame
                        .rigid_diaphragm(normal, count(*retained), &nodes)
                        .map_err(told)?;
                }
            }
        }
        for (tag, element) in &self.model.elements {
            self.element(&mut frame, *tag, element)
                .map_err(|error| format!("element {tag}: {error}"))?;
        }
        let direction = self.model.ground_direction();
        frame.ground_direction(direction);
        if let Some(([mass, current, initial, committed], _)) = self.model.rayleigh {
            let on = if current > 0.0 {
                DampingStiffness::Current
            } else if committed > 0.0 {
                DampingStiffness::Committed
            } else {
                DampingStiffness::Initial
            };
            let damping = Damping::Rayleigh {
                mass: self.si(mass, Dimension::FREQUENCY),
                stiffness: self.si(current + initial + committed, Dimension::TIME),
            };
            frame.damping(damping, on);
        }
        Ok(frame)
    }

    fn nodes(&self, frame: &mut ModelBuilder) -> Built<()> {
        let space = self.model.in_space();
        let own = self.model.dofs();
        let all: &[Dof] = if space {
            &Dof::ALL
        } else {
            &[Dof::Ux, Dof::Uy, Dof::Rz]
        };
        for (tag, node) in &self.model.nodes {
            let tag = count(*tag);
            let [x, y, z] = self.lengths(node.at);
            if space {
                frame.node(tag, [x, y, z]).map_err(told)?;
            } else {
                frame.node(tag, [x, y]).map_err(told)?;
            }
            // What a model of fewer degrees of freedom does not have does not move.
            let missing = all
                .iter()
                .filter(|dof| !own.iter().any(|six| self.dof(*six) == **dof));
            let fixed = own.iter().zip(&node.fixed).filter(|(_, fixed)| **fixed);
            let held: Vec<Dof> = missing
                .copied()
                .chain(fixed.map(|(six, _)| self.dof(*six)))
                .collect();
            frame.fix(tag, &held).map_err(told)?;
            for (six, mass) in own.iter().zip(&node.mass) {
                let dimension = if *six < 3 {
                    Dimension::MASS
                } else {
                    Dimension::of(1, 2, 0)
                };
                if mass.abs() > 0.0 {
                    let mass = self.si(*mass, dimension);
                    frame.mass(tag, &[(self.dof(*six), mass)]).map_err(told)?;
                }
            }
        }
        Ok(())
    }

    /// A material as the plan would write it.
    fn material(&mut self, tag: Tag, of: Use) -> Built<Material> {
        static STRESS: &[Parameter] = &[Parameter::of("m", Kind::Slot(StressStrain::SLOT), "")];
        static FORCE: &[Parameter] = &[Parameter::of("m", Kind::Slot(ForceDisplacement::SLOT), "")];
        static MOMENT: &[Parameter] = &[Parameter::of("m", Kind::Slot(MomentRotation::SLOT), "")];
        if let Some(known) = self.known.get(&(tag, of)) {
            return Ok(known.clone());
        }
        let writer = Materials {
            model: self.model,
            units: self.units,
        };
        let text = format!("m = {}", inline(&writer.pairs(tag, of)?));
        let root = match of {
            Use::Stress => STRESS,
            Use::Force => FORCE,
            Use::Moment => MOMENT,
        };
        let source = Source::Text {
            name: "material",
            text: &text,
        };
        let values = plan::read(root, source, &[])
            .map_err(|error| error.to_text())?
            .values;
        let material = match of {
            Use::Stress => material::material::<StressStrain>(&values, "m"),
            Use::Force => material::material::<ForceDisplacement>(&values, "m"),
            Use::Moment => material::material::<MomentRotation>(&values, "m"),
        }
        .map_err(|error| format!("material {tag}: {}", error.message))?;
        self.known.insert((tag, of), material.clone());
        Ok(material)
    }

    fn geometry(&self, tag: Tag) -> (Geometry, Option<[f64; 3]>) {
        match self.model.transformations.get(&tag) {
            Some(known) => {
                let geometry = match known.kind {
                    "p-delta" => Geometry::PDelta,
                    "corotational" => Geometry::Corotational,
                    _ => Geometry::Linear,
                };
                (geometry, known.up)
            }
            None => (Geometry::Linear, None),
        }
    }

    fn mass(&self, mass: LineMass) -> MemberMass {
        let value = self.si(mass.value, Dimension::LINE_MASS);
        match (value > 0.0, mass.consistent) {
            (false, _) => MemberMass::None,
            (true, false) => MemberMass::Lumped(value),
            (true, true) => MemberMass::Consistent(value),
        }
    }

    fn element(&mut self, frame: &mut ModelBuilder, tag: Tag, element: &Element) -> Built<()> {
        let (number, nodes) = (count(tag), element.nodes.map(count));
        match &element.kind {
            ElementKind::Elastic {
                transformation,
                mass,
                ..
            }
            | ElementKind::Fibres {
                transformation,
                mass,
                ..
            } => {
                let (geometry, up) = self.geometry(*transformation);
                let mut member = self.member(&element.kind)?;
                if let Some(up) = up {
                    member = member.with_up(up);
                }
                let member = member.with_geometry(geometry).with_mass(self.mass(*mass));
                frame.member(number, nodes, &member).map_err(told)
            }
            ElementKind::Truss {
                area,
                material,
                corotational,
                ..
            } => {
                let geometry = if *corotational {
                    Geometry::Corotational
                } else {
                    Geometry::Linear
                };
                let material = self.material(*material, Use::Stress)?;
                let area = self.si(*area, Dimension::AREA);
                frame
                    .truss(number, nodes, &material, area, geometry)
                    .map_err(told)
            }
            ElementKind::Springs {
                springs,
                along,
                across,
                zero_length,
                shear_place,
            } => {
                let mut laws = Vec::new();
                for (six, material) in springs {
                    let of = if *six < 3 { Use::Force } else { Use::Moment };
                    laws.push((self.dof(*six), self.material(*material, of)?));
                }
                let springs: Vec<(Dof, &Material)> =
                    laws.iter().map(|(dof, law)| (*dof, law)).collect();
                if *zero_length && along.is_none() {
                    return frame.zero_length(number, nodes, &springs).map_err(told);
                }
                let orientation = orientation(*along, *across, Some(*shear_place));
                frame
                    .two_node_link(number, nodes, &springs, &orientation)
                    .map_err(told)
            }
            ElementKind::Elastomeric {
                stiffness,
                yield_force,
                hardening,
                axial,
                rotational,
                along,
                across,
            } => {
                let shear = ElastomericShear {
                    stiffness: self.si(*stiffness, Dimension::STIFFNESS),
                    yield_force: self.si(*yield_force, Dimension::FORCE),
                    hardening_ratio: *hardening,
                };
                let axial = self.material(*axial, Use::Force)?;
                let rotational = self.material(*rotational, Use::Moment)?;
                let orientation = orientation(*along, *across, None);
                frame
                    .elastomeric_bearing(number, nodes, shear, &axial, &rotational, &orientation)
                    .map_err(told)
            }
        }
    }

    fn member(&mut self, kind: &ElementKind) -> Built<Member> {
        let space = self.model.in_space();
        match kind {
            ElementKind::Elastic {
                axial,
                bending,
                torsion,
                shear,
                released,
                ..
            } => {
                let axial = self.si(*axial, Dimension::FORCE);
                let bending = bending.map(|b| self.si(b, Dimension::of(1, 3, -2)));
                // E = 1: the stiffnesses themselves.
                let mut member = if space {
                    let torsion = self.si(*torsion, Dimension::of(1, 3, -2));
                    Member::elastic_space(1.0, axial, bending[0], bending[1], torsion)
                } else {
                    Member::elastic(1.0, axial, bending[0])
                };
                if let Some(shear) = shear {
                    let [y, z] = shear.map(|s| self.si(s, Dimension::FORCE));
                    member = member.with_shear(y, z);
                }
                if released.contains(&true) {
                    let free = Material::from(Elastic::new(0.0).map_err(told)?);
                    let springs = released.map(|released| released.then(|| free.clone()));
                    member = if space {
                        member.with_hinges_space(springs, [None, None])
                    } else {
                        member.with_hinges(springs)
                    };
                }
                Ok(member)
            }
            ElementKind::Fibres {
                force_based, rule, ..
            } if space => {
                let sections = self.sections(rule, Self::section_3d)?;
                let [section] = <[Section3d; 1]>::try_from(sections)
                    .map_err(|_| "one section for all points is needed in space".to_owned())?;
                let member = if *force_based {
                    Member::force_based_space(section, rule.points)
                } else {
                    Member::displacement_based_space(section, rule.points)
                };
                Ok(member.with_quadrature(quadrature(rule)))
            }
            ElementKind::Fibres {
                force_based, rule, ..
            } => {
                let sections = self.sections(rule, Self::section_2d)?;
                let first = sections[0].clone();
                let member = if *force_based {
                    Member::force_based(first, rule.points)
                } else {
                    Member::displacement_based(first, rule.points)
                };
                Ok(member
                    .with_sections(sections)
                    .with_quadrature(quadrature(rule)))
            }
            _ => Err("it is not a member".to_owned()),
        }
    }

    fn sections<X>(
        &mut self,
        rule: &Rule,
        section: fn(&mut Self, Tag) -> Built<X>,
    ) -> Built<Vec<X>> {
        let same = rule.sections.iter().all(|tag| *tag == rule.sections[0]);
        let wanted = if same {
            &rule.sections[..1]
        } else {
            &rule.sections[..]
        };
        wanted
            .iter()
            .map(|tag| section(self, *tag).map_err(|error| format!("section {tag}: {error}")))
            .collect()
    }

    fn find(&self, tag: Tag) -> Built<Section> {
        let known = self.model.sections.get(&tag);
        known
            .map(|(section, _)| section.clone())
            .ok_or_else(|| "it is not there or was not understood".to_owned())
    }

    fn section_2d(&mut self, tag: Tag) -> Built<Section2d> {
        match self.find(tag)? {
            Section::Elastic {
                modulus,
                area,
                inertia_z,
                ..
            } => ElasticSection2d::new(
                self.si(modulus, Dimension::STRESS),
                self.si(area, Dimension::AREA),
                self.si(inertia_z, Dimension::INERTIA),
            )
            .map(Section2d::from)
            .map_err(told),
            Section::Fibres { .. } => {
                let layout = self.layout(tag)?;
                layout.build_2d().map(Section2d::from).map_err(told)
            }
            Section::Aggregated(..) => {
                Err("an aggregated section in the plane is not taken".to_owned())
            }
        }
    }

    fn section_3d(&mut self, tag: Tag) -> Built<Section3d> {
        match self.find(tag)? {
            Section::Elastic {
                modulus,
                area,
                inertia_z,
                space,
            } => {
                let (inertia_y, torsion) = space.ok_or("I_y, G and J are missing")?;
                ElasticSection3d::new(
                    self.si(modulus, Dimension::STRESS),
                    self.si(area, Dimension::AREA),
                    self.si(inertia_z, Dimension::INERTIA),
                    self.si(inertia_y, Dimension::INERTIA),
                    self.si(torsion, Dimension::of(1, 3, -2)),
                )
                .map(Section3d::from)
                .map_err(told)
            }
            Section::Fibres { torsion, .. } => {
                let torsion = torsion.ok_or("a fibre section in space needs -GJ")?;
                let torsion = self.si(torsion, Dimension::of(1, 3, -2));
                let layout = self.layout(tag)?;
                layout.build_3d(torsion).map(Section3d::from).map_err(told)
            }
            Section::Aggregated(..) => Err("an aggregated section is not taken".to_owned()),
        }
    }

    fn layout(&mut self, tag: Tag) -> Built<FibreLayout> {
        let Section::Fibres { parts, .. } = self.find(tag)? else {
            return Err("it has no fibres".to_owned());
        };
        let mut layout = FibreLayout::new();
        for part in &parts {
            let material = self.material(part.material, Use::Stress)?;
            let place = |point: [f64; 2]| {
                let [y, z] = self.lengths(point);
                (y, z)
            };
            layout = match &part.shape {
                FibreShape::Rectangle([y, z], [from, to]) => {
                    layout.rectangle(&material, (*y, *z), place(*from), place(*to))
                }
                FibreShape::Quadrilateral([ij, jk], corners) => {
                    layout.quadrilateral(&material, (*ij, *jk), corners.map(place))
                }
                FibreShape::Ring([around, radial], centre, radii, angles) => {
                    let [inner, outer] = self.lengths(*radii);
                    let ring = Ring {
                        centre: place(*centre),
                        inner,
                        outer,
                        angles: (angles[0].to_radians(), angles[1].to_radians()),
                    };
                    layout.ring(&material, (*around, *radial), ring)
                }
                FibreShape::Straight(count, area, [from, to]) => {
                    let area = self.si(*area, Dimension::AREA);
                    layout.straight_layer(&material, *count, area, place(*from), place(*to))
                }
                FibreShape::Circular(count, area, centre, radius, [first, last]) => {
                    let area = self.si(*area, Dimension::AREA);
                    let radius = self.si(*radius, Dimension::LENGTH);
                    let step = if *count > 1 {
                        (last - first) / (*count - 1) as f64
                    } else {
                        0.0
                    };
                    let (y, z) = place(*centre);
                    (0..*count).try_fold(layout, |layout, bar| {
                        let angle = (first + step * bar as f64).to_radians();
                        let at = (y + radius * angle.cos(), z + radius * angle.sin());
                        layout.fibre(&material, at, area)
                    })
                }
                FibreShape::Single(at, area) => {
                    layout.fibre(&material, place(*at), self.si(*area, Dimension::AREA))
                }
            }
            .map_err(told)?;
        }
        Ok(layout)
    }

    /// Loads that stay, and the steps in which they came on.
    pub fn constant_loads(&self) -> Built<(LoadCase, usize)> {
        let mut case = LoadCase::new();
        for (pattern, factor) in self.model.constant_patterns() {
            case = self.loads(case, pattern, factor);
        }
        Ok((case, self.model.analysis.static_count()))
    }

    fn loads(&self, mut case: LoadCase, pattern: &Pattern, factor: f64) -> LoadCase {
        for (node, values) in &pattern.nodal {
            for (six, value) in self.model.dofs().iter().zip(values) {
                let dimension = if *six < 3 {
                    Dimension::FORCE
                } else {
                    Dimension::ENERGY
                };
                if value.abs() > 0.0 {
                    let value = factor * self.si(*value, dimension);
                    case = case.nodal(count(*node), self.dof(*six), value);
                }
            }
        }
        for (element, load) in &pattern.uniform {
            let load = load.map(|value| factor * self.si(value, Dimension::STIFFNESS));
            case = case.uniform(count(*element), load);
        }
        case
    }
}

fn quadrature(rule: &Rule) -> Quadrature {
    if rule.kind == "legendre" {
        Quadrature::Legendre
    } else {
        Quadrature::Lobatto
    }
}

/// OpenSees gives a vector in the local x–y plane, we one in the local x–z plane: x × y.
fn orientation(
    along: Option<[f64; 3]>,
    across: Option<[f64; 3]>,
    shear_place: Option<f64>,
) -> Orientation {
    let up = match (along, across) {
        (Some(x), Some(y)) => Some([
            x[1] * y[2] - x[2] * y[1],
            x[2] * y[0] - x[0] * y[2],
            x[0] * y[1] - x[1] * y[0],
        ]),
        _ => None,
    };
    Orientation {
        along,
        up,
        shear_place,
    }
}
