//! `[[structure.member]]`: groups of members.

use tandem_frame::element::Quadrature;
use tandem_frame::material::{self, Elastic, Material, MomentRotation};
use tandem_frame::model::{Dof, Member, MemberMass, ModelError, Space};
use tandem_frame::transformation::Geometry;
use tandem_quantity::{BuildError, Values};

use super::declaration::{
    Along, ElementKind, LargeDisplacements, MassMatrix, MemberSettings, Points,
};
use super::materials::{Materials, named, new_name};
use super::nodes::{Nodes, letters};
use super::sections::Section;
use super::{FrameBuilder, Group};

/// Which members belong to which group.
pub(super) struct Members {
    names: Vec<String>,
    /// Nodes and group of every member.
    list: Vec<([usize; 2], usize)>,
}

impl Members {
    /// Reads where members are. A member that a later group names again belongs to that one.
    pub fn read(settings: &[MemberSettings], nodes: &Nodes) -> Result<Self, BuildError> {
        let mut members = Self {
            names: Vec::new(),
            list: Vec::new(),
        };
        for (entry, settings) in settings.iter().enumerate() {
            members
                .group(settings, nodes)
                .map_err(|error| super::at("member", entry, error))?;
        }
        for (group, name) in members.names.iter().enumerate() {
            if !members.list.iter().any(|member| member.1 == group) {
                return Err(BuildError::new(
                    format!("member.{group}"),
                    format!("later groups take all members of `{name}`"),
                    "remove this group, or the storeys, axes or bays that others take from it",
                ));
            }
        }
        Ok(members)
    }

    fn group(&mut self, settings: &MemberSettings, nodes: &Nodes) -> Result<(), BuildError> {
        let name = new_name(settings.name.clone(), self.names.iter().map(String::as_str))?;
        let group = self.names.len();
        self.names.push(name);
        let pairs = pairs(settings, nodes)?;
        for pair in pairs {
            let ends = pair.map(|node| nodes.place(node));
            if (0..3).all(|k| (ends[1][k] - ends[0][k]).abs() <= 0.0) {
                return Err(BuildError::new(
                    if settings.between.is_some() {
                        "between"
                    } else {
                        "along"
                    },
                    format!(
                        "the member from {} to {} has no length",
                        nodes.name(pair[0]),
                        nodes.name(pair[1])
                    ),
                    "name two nodes at different places; springs may have no length",
                ));
            }
            let same = |other: &[usize; 2]| *other == pair || *other == [pair[1], pair[0]];
            match self
                .list
                .iter_mut()
                .find(|(other, of)| same(other) && *of != group)
            {
                Some(member) => *member = (pair, group),
                None => self.list.push((pair, group)),
            }
        }
        Ok(())
    }

    /// All nodes at which members end, in the order of the members.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        let mut all: Vec<usize> = self.list.iter().flat_map(|(pair, _)| *pair).collect();
        all.sort_unstable();
        all.into_iter()
    }

    /// Puts the members into the model.
    pub fn build(
        &self,
        settings: &[MemberSettings],
        sections: &[(String, Section)],
        materials: &Materials,
        draft: &mut FrameBuilder,
    ) -> Result<(), BuildError> {
        for (entry, settings) in settings.iter().enumerate() {
            let pairs = self
                .list
                .iter()
                .filter(|member| member.1 == entry)
                .map(|member| member.0);
            let elements = build_group(settings, pairs, sections, materials, draft)
                .map_err(|error| super::at("member", entry, error))?;
            draft.groups.push(Group {
                name: self.names[entry].clone(),
                elements,
            });
        }
        Ok(())
    }
}

/// The members of one group: lines of the grid, or pairs of nodes.
fn pairs(settings: &MemberSettings, nodes: &Nodes) -> Result<Vec<[usize; 2]>, BuildError> {
    let along = match (&settings.between, settings.along) {
        (Some(between), None) => return super::connections::named_pairs(between, nodes),
        (None, Some(along)) => along,
        _ => {
            return Err(BuildError::new(
                "between",
                "either `along` or `between` says where the members are",
                "write along = \"columns\", or between = [\"A0 A1\"]",
            ));
        }
    };
    let grid = nodes.lines("along")?;
    let (storeys, axes, bays, lines) = (
        range(settings.storeys.read()?, "storeys", grid.levels - 1)?,
        axes(settings.axes.read()?, grid.axes)?,
        range(settings.bays.read()?, "bays", grid.axes - 1)?,
        range(settings.lines.read()?, "lines", grid.lines)?,
    );
    let mut pairs = Vec::new();
    for level in 1..grid.levels {
        for line in 0..grid.lines {
            for axis in 0..grid.axes {
                let here = grid.node(axis, line, level);
                let other = match along {
                    Along::Columns => grid.node(axis, line, level - 1),
                    Along::Beams if axis > 0 && bays.contains(&axis) => {
                        grid.node(axis - 1, line, level)
                    }
                    Along::CrossBeams if line > 0 => grid.node(axis, line - 1, level),
                    Along::Beams | Along::CrossBeams => continue,
                };
                let wanted = storeys.contains(&level)
                    && (along == Along::Beams || axes.contains(&axis))
                    && (along == Along::CrossBeams || lines.contains(&(line + 1)));
                if wanted {
                    pairs.push([other, here]);
                }
            }
        }
    }
    if pairs.is_empty() {
        return Err(BuildError::new(
            "along",
            format!("the grid has no {} there", along.word()),
            "check storeys, axes, bays and lines; the grid needs at least one storey (and one bay \
            for beams)",
        ));
    }
    Ok(pairs)
}

/// The numbers of a list, or all.
fn range(written: Option<Vec<usize>>, key: &str, last: usize) -> Result<Vec<usize>, BuildError> {
    let Some(numbers) = written else {
        return Ok((1..=last).collect());
    };
    match numbers.iter().position(|n| !(1..=last).contains(n)) {
        Some(place) => Err(BuildError::new(
            format!("{key}.{place}"),
            format!("{} is not on the grid", numbers[place]),
            format!("{key} are counted from 1 to {last}"),
        )),
        None => Ok(numbers),
    }
}

fn axes(written: Option<Vec<String>>, count: usize) -> Result<Vec<usize>, BuildError> {
    let Some(words) = written else {
        return Ok((0..count).collect());
    };
    let words = words.into_iter().enumerate();
    words
        .map(|(place, word)| {
            (0..count)
                .find(|axis| letters(*axis) == word)
                .ok_or_else(|| {
                    BuildError::new(
                        format!("axes.{place}"),
                        format!("`{word}` is not an axis of the grid"),
                        format!("axes are A to {}", letters(count - 1)),
                    )
                })
        })
        .collect()
}

/// What the members of a group have in common.
struct MemberKind<'a> {
    body: Body<'a>,
    geometry: Geometry,
    /// Ends i and j that do not carry moments, by a joint of their own.
    released: [bool; 2],
}

enum Body<'a> {
    Truss(&'a Material, f64),
    Member(Box<Member>),
}

fn build_group(
    settings: &MemberSettings,
    pairs: impl Iterator<Item = [usize; 2]>,
    sections: &[(String, Section)],
    materials: &Materials,
    draft: &mut FrameBuilder,
) -> Result<Vec<usize>, BuildError> {
    let (kind, line_mass) = kind(settings, sections, materials, draft.space)?;
    let mut elements = Vec::new();
    for mut pair in pairs {
        for (end, released) in kind.released.into_iter().enumerate() {
            if released {
                pair[end] = hinge(draft, pair[end], &settings.name)?;
            }
        }
        let number = draft.next_element();
        match &kind.body {
            Body::Truss(material, area) => {
                draft
                    .builder
                    .truss(number, pair, material, *area, kind.geometry)
            }
            Body::Member(member) => draft.builder.member(number, pair, member),
        }
        .map_err(|error| refuse(&error))?;
        if line_mass > 0.0 {
            draft.line_masses.push((number, line_mass));
        }
        elements.push(number);
    }
    Ok(elements)
}

fn refuse(error: &ModelError) -> BuildError {
    BuildError::new(
        "",
        error.to_string(),
        "check section, element and geometry of this group",
    )
}

/// A node at the same place as another, with its displacements and a rotation of its own.
fn hinge(draft: &mut FrameBuilder, node: usize, group: &str) -> Result<usize, BuildError> {
    let name = format!("{}({group})", draft.nodes.name(node));
    let own = draft.extra_node(draft.nodes.place(node), name)?;
    let moves = [Dof::Ux, Dof::Uy, Dof::Uz];
    let count = if draft.space == Space::Plane { 2 } else { 3 };
    draft
        .builder
        .equal_dof(node, own, &moves[..count])
        .map_err(|error| {
            BuildError::new("release", error.to_string(), "check the ties of this node")
        })?;
    Ok(own)
}

fn kind<'a>(
    settings: &MemberSettings,
    sections: &[(String, Section)],
    materials: &'a Materials,
    space: Space,
) -> Result<(MemberKind<'a>, f64), BuildError> {
    let geometry = match settings.geometry {
        LargeDisplacements::PDelta => Geometry::PDelta,
        LargeDisplacements::Corotational => Geometry::Corotational,
        LargeDisplacements::Linear => Geometry::Linear,
    };
    let element = settings.element;
    let mut released = [false; 2];
    if let Some(words) = &settings.release {
        for (place, word) in words.iter().enumerate() {
            match word.as_str() {
                "start" => released[0] = true,
                "end" => released[1] = true,
                _ => {
                    return Err(BuildError::new(
                        format!("release.{place}"),
                        format!("`{word}` is not an end of a member"),
                        "take \"start\" (the lower or left node; with `between` the first one), \
                        \"end\", or both",
                    ));
                }
            }
        }
    }
    if element == ElementKind::Truss {
        let name = settings.material.read()?;
        let name = name.ok_or_else(|| Values::missing("material", "a text"))?;
        let material = named("material", materials, &name, "material")?;
        let area = settings.area.read()?;
        let area = area.ok_or_else(|| Values::missing("area", "a number"))?;
        let kind = MemberKind {
            body: Body::Truss(material, area),
            geometry,
            released: [false; 2],
        };
        if settings.mass.is_some() || settings.density.is_some() {
            return Err(BuildError::new(
                "mass",
                "a truss has no mass of its own",
                "give the nodes a mass with [[structure.mass]]",
            ));
        }
        return Ok((kind, 0.0));
    }
    let name = settings.section.read()?;
    let name = name.ok_or_else(|| Values::missing("section", "a text"))?;
    let section = named("section", sections, &name, "section")?;
    if section.alone && settings.density.is_some() {
        return Err(BuildError::new(
            "density",
            "this section has laws only and no area",
            "give the mass per length with `mass`",
        ));
    }
    let per_length = settings.mass.unwrap_or(0.0) + settings.density.unwrap_or(0.0) * section.area;
    let mass = match (per_length > 0.0, settings.mass_matrix.read()?) {
        (false, _) => MemberMass::None,
        (true, MassMatrix::Consistent) => MemberMass::Consistent(per_length),
        (true, MassMatrix::Lumped) => MemberMass::Lumped(per_length),
    };
    let up = settings.up.read()?;
    let up = up.map(|up| super::vector(&up, "up")).transpose()?;
    let member = body(settings, section, space, &mut released)?
        .with_geometry(geometry)
        .with_mass(mass);
    let member = match settings.quadrature.read()? {
        Some(Points::Legendre) => member.with_quadrature(Quadrature::Legendre),
        Some(Points::Lobatto) => member.with_quadrature(Quadrature::Lobatto),
        None => member,
    };
    let member = match up {
        Some(up) => member.with_up(up),
        None => member,
    };
    Ok((
        MemberKind {
            body: Body::Member(Box::new(member)),
            geometry,
            released,
        },
        per_length,
    ))
}

fn body(
    settings: &MemberSettings,
    section: &Section,
    space: Space,
    released: &mut [bool; 2],
) -> Result<Member, BuildError> {
    let element = settings.element;
    let hinges = hinges(settings)?;
    let points = settings.points.read()?;
    let wrong = |error: tandem_frame::section::SectionError| {
        BuildError::new(
            "section",
            error.to_string(),
            "give the section what such a member needs (in space: weak_inertia and torsion, or \
            their laws)",
        )
    };
    if section.alone && element == ElementKind::Elastic {
        return Err(BuildError::new(
            "element",
            "this section has laws only: an elastic member needs stiffnesses",
            "take element = \"force-based\", or give the section a base with `section`",
        ));
    }
    let needs_stiffness = space == Space::Space && !section.alone;
    if needs_stiffness && (section.torsion <= 0.0 || section.inertia[1] <= 0.0) {
        return Err(BuildError::new(
            "section",
            "this section has no torsional stiffness or no inertia about its weak axis",
            "give the section weak_inertia and torsion",
        ));
    }
    if section.is_sheared() && element == ElementKind::DisplacementBased {
        return Err(BuildError::new(
            "element",
            "a displacement-based member has no shear deformation for the law of this section",
            "take element = \"force-based\"",
        ));
    }
    Ok(match (element, space) {
        (ElementKind::ForceBased, Space::Plane) if section.is_sheared() => {
            Member::force_based_sheared(section.aggregated_plane().map_err(wrong)?, points)
        }
        (ElementKind::ForceBased, Space::Space) if section.is_sheared() => {
            Member::force_based_sheared_space(section.aggregated_space().map_err(wrong)?, points)
        }
        (ElementKind::ForceBased, Space::Plane) => {
            Member::force_based(section.plane().map_err(wrong)?, points)
        }
        (ElementKind::ForceBased, Space::Space) => {
            Member::force_based_space(section.space().map_err(wrong)?, points)
        }
        (ElementKind::DisplacementBased, Space::Plane) => {
            Member::displacement_based(section.plane().map_err(wrong)?, points)
        }
        (ElementKind::DisplacementBased, Space::Space) => {
            Member::displacement_based_space(section.space().map_err(wrong)?, points)
        }
        (ElementKind::Elastic | ElementKind::Truss, Space::Plane) => {
            let [shear, _] = section.shear;
            let elastic = Member::elastic(section.modulus, section.area, section.inertia[0])
                .with_shear(shear, shear);
            match end_springs(hinges, released) {
                [None, None] => elastic,
                springs => elastic.with_hinges(springs),
            }
        }
        (ElementKind::Elastic | ElementKind::Truss, Space::Space) => {
            let [strong, weak] = section.inertia;
            let elastic =
                Member::elastic_space(section.modulus, section.area, strong, weak, section.torsion)
                    .with_shear(section.shear[0], section.shear[1]);
            match end_springs(hinges, released) {
                [None, None] => elastic,
                springs => elastic.with_hinges_space(springs.clone(), springs),
            }
        }
    })
}

/// Springs at both ends; a release is one without stiffness. An elastic member carries its own
/// hinges: no joint more.
fn end_springs(hinges: [Option<Material>; 2], released: &mut [bool; 2]) -> [Option<Material>; 2] {
    let mut springs = hinges;
    for (spring, released) in springs.iter_mut().zip(released) {
        if std::mem::take(released) && spring.is_none() {
            *spring = Elastic::new(0.0).ok().map(Material::from);
        }
    }
    springs
}

/// Rotational springs at the ends of an elastic member.
fn hinges(settings: &MemberSettings) -> Result<[Option<Material>; 2], BuildError> {
    let mut springs = [None, None];
    let written = [
        ("start_hinge", settings.start_hinge.read()?),
        ("end_hinge", settings.end_hinge.read()?),
    ];
    for (spring, (key, law)) in springs.iter_mut().zip(written) {
        let Some(law) = law else {
            continue;
        };
        if settings.element != ElementKind::Elastic {
            return Err(BuildError::new(
                key,
                "rotational springs sit at the ends of elastic members",
                "take element = \"elastic\", or put a [[structure.spring]] between two nodes",
            ));
        }
        let law = material::build::<MomentRotation>(&law);
        *spring = Some(law.map_err(|error| error.within(key))?);
    }
    Ok(springs)
}
