//! Elements that are not members: bars, springs, links, dampers, bearings.

use super::builder::{ModelBuilder, Placed};
use super::dof::{Dof, Space};
use super::error::ModelError;
use super::mass::MemberMass;
use crate::element::directions::Directions;
use crate::element::{
    ElastomericBearing, ElastomericShear, Element, FrictionPendulum, MrDamper, MrDamperLaw,
    PendulumShear, Springs, Truss,
};
use crate::material::Material;
use crate::transformation::{Geometry, local_axes, usual_up};

/// Local axes of an element with or without length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Orientation {
    /// Local x; from the first node to the second unless given (global x where they lie in one
    /// place).
    pub along: Option<[f64; 3]>,
    /// A vector in the local x–z plane of a space frame.
    pub up: Option<[f64; 3]>,
    /// Where along the element the shear springs sit, as a part of its length from the first node;
    /// ½ unless given.
    pub shear_place: Option<f64>,
}

impl ModelBuilder {
    fn place(
        &mut self,
        number: usize,
        nodes: [usize; 2],
        length: f64,
        element: Element,
    ) -> Result<(), ModelError> {
        self.push(Placed {
            number,
            nodes,
            element,
            mass: MemberMass::None,
            length,
            axes: [[0.0; 3]; 3],
        })
    }

    fn directions(
        &self,
        number: usize,
        span: [f64; 3],
        orientation: &Orientation,
    ) -> Result<(Directions, f64), ModelError> {
        let length = span[0].hypot(span[1]).hypot(span[2]);
        let along = match orientation.along {
            Some(along) => along,
            None if length > 0.0 => span,
            None => [1.0, 0.0, 0.0],
        };
        let up = match self.space {
            // Local z is the global z: local y follows from it.
            Space::Plane => [0.0, 0.0, 1.0],
            Space::Space => orientation.up.unwrap_or_else(|| usual_up(along)),
        };
        let axes = local_axes(along, up).ok_or(ModelError::WrongSpace {
            element: number,
            what: "a direction of length zero, or an `up` vector along the element",
        })?;
        let place = orientation.shear_place.unwrap_or(0.5);
        let reach: f64 = (0..3).map(|k| axes[0][k] * span[k]).sum();
        let directions = Directions::new(self.space.dofs().len(), axes, reach, place);
        Ok((directions, length))
    }

    /// Adds a bar of a uniaxial material (strain → stress) and an area, m².
    pub fn truss(
        &mut self,
        number: usize,
        nodes: [usize; 2],
        material: &Material,
        area: f64,
        geometry: Geometry,
    ) -> Result<(), ModelError> {
        let (nodes, span) = self.span(nodes)?;
        let length = span[0].hypot(span[1]).hypot(span[2]);
        if length <= 0.0 {
            return Err(ModelError::NoLength { element: number });
        }
        positive(number, "area", area)?;
        let bar = Truss::new(self.space.dofs().len(), span, material, area, geometry);
        self.place(number, nodes, length, Element::Truss(Box::new(bar)))
    }

    /// Adds springs (deformation → force) in global directions between two nodes, wherever they
    /// lie: displacements and rotations of the second node relative to the first.
    pub fn zero_length(
        &mut self,
        number: usize,
        nodes: [usize; 2],
        springs: &[(Dof, &Material)],
    ) -> Result<(), ModelError> {
        let orientation = Orientation {
            along: Some([1.0, 0.0, 0.0]),
            up: Some([0.0, 0.0, 1.0]),
            shear_place: None,
        };
        let (indices, _) = self.span(nodes)?;
        let (directions, _) = self.directions(number, [0.0; 3], &orientation)?;
        self.springs(number, indices, nodes[0], 0.0, &directions, springs)
    }

    /// Adds springs in the local axes of a link between two nodes; rotations of its ends move its
    /// shear springs.
    pub fn two_node_link(
        &mut self,
        number: usize,
        nodes: [usize; 2],
        springs: &[(Dof, &Material)],
        orientation: &Orientation,
    ) -> Result<(), ModelError> {
        let (indices, span) = self.span(nodes)?;
        let (directions, length) = self.directions(number, span, orientation)?;
        self.springs(number, indices, nodes[0], length, &directions, springs)
    }

    fn springs(
        &mut self,
        number: usize,
        indices: [usize; 2],
        node: usize,
        length: f64,
        directions: &Directions,
        springs: &[(Dof, &Material)],
    ) -> Result<(), ModelError> {
        let mut rows = Vec::with_capacity(springs.len());
        for (dof, material) in springs {
            if self.space.place(*dof).is_none() {
                return Err(ModelError::NoDof { node, dof: *dof });
            }
            rows.push((directions.of(dof.six()), *material));
        }
        let element = Element::Springs(Springs::new(&rows));
        self.place(number, indices, length, element)
    }

    /// Adds a storey: one spring (drift → shear force) along a global direction between two floors.
    pub fn shear_storey(
        &mut self,
        number: usize,
        nodes: [usize; 2],
        dof: Dof,
        spring: &Material,
    ) -> Result<(), ModelError> {
        self.zero_length(number, nodes, &[(dof, spring)])
    }

    /// Adds a damper along the line between two nodes: any material that depends on the rate of
    /// elongation.
    pub fn damper(
        &mut self,
        number: usize,
        nodes: [usize; 2],
        material: &Material,
    ) -> Result<(), ModelError> {
        let orientation = Orientation::default();
        self.two_node_link(number, nodes, &[(Dof::Ux, material)], &orientation)
    }

    /// Adds a magnetorheological damper along the line between two nodes.
    pub fn mr_damper(
        &mut self,
        number: usize,
        nodes: [usize; 2],
        law: MrDamperLaw,
    ) -> Result<(), ModelError> {
        let (indices, span) = self.span(nodes)?;
        let (directions, length) = self.directions(number, span, &Orientation::default())?;
        let damper = MrDamper::new(law, directions.axial())?;
        self.place(number, indices, length, Element::Mr(Box::new(damper)))
    }

    /// Shear directions, and springs along the axis (first) and about all axes of rotation.
    fn bearing(
        &self,
        number: usize,
        span: [f64; 3],
        orientation: &Orientation,
        axial: &Material,
        rotational: &Material,
    ) -> Result<([[f64; crate::element::MOST_DOFS]; 2], Springs, f64), ModelError> {
        let (directions, length) = self.directions(number, span, orientation)?;
        let mut rows = vec![(directions.axial(), axial)];
        let mut shear = [directions.shear_y(), [0.0; crate::element::MOST_DOFS]];
        let axes: &[usize] = match self.space {
            Space::Plane => &[2],
            Space::Space => {
                shear[1] = directions.shear_z();
                &[0, 1, 2]
            }
        };
        rows.extend(
            axes.iter()
                .map(|axis| (directions.rotation(*axis), rotational)),
        );
        Ok((shear, Springs::new(&rows), length))
    }

    /// Adds an elastomeric bearing; local x is its axis (upwards where both nodes lie in one place,
    /// unless given), shear acts across it. `axial` is elongation → force, `rotational` rotation →
    /// moment about every axis.
    pub fn elastomeric_bearing(
        &mut self,
        number: usize,
        nodes: [usize; 2],
        shear: ElastomericShear,
        axial: &Material,
        rotational: &Material,
        orientation: &Orientation,
    ) -> Result<(), ModelError> {
        positive(number, "stiffness", shear.stiffness)?;
        positive(number, "yield force", shear.yield_force)?;
        within(
            number,
            "hardening ratio",
            "in [0, 1)",
            (0.0..1.0).contains(&shear.hardening_ratio),
            shear.hardening_ratio,
        )?;
        let (indices, span) = self.span(nodes)?;
        let orientation = self.upright(span, orientation);
        let (directions, supports, length) =
            self.bearing(number, span, &orientation, axial, rotational)?;
        let bearing = ElastomericBearing::new(shear, directions, supports);
        self.place(
            number,
            indices,
            length,
            Element::Elastomeric(Box::new(bearing)),
        )
    }

    /// Adds a friction pendulum; axes and laws as for [`ModelBuilder::elastomeric_bearing`].
    pub fn friction_pendulum(
        &mut self,
        number: usize,
        nodes: [usize; 2],
        shear: PendulumShear,
        axial: &Material,
        rotational: &Material,
        orientation: &Orientation,
    ) -> Result<(), ModelError> {
        positive(number, "radius", shear.radius)?;
        positive(number, "stiffness", shear.stiffness)?;
        for (what, friction) in [
            ("friction at rest", shear.slow_friction),
            ("friction at speed", shear.fast_friction),
            ("rate of friction", shear.rate),
        ] {
            within(number, what, "zero or above", friction >= 0.0, friction)?;
        }
        let (indices, span) = self.span(nodes)?;
        let orientation = self.upright(span, orientation);
        let (directions, supports, length) =
            self.bearing(number, span, &orientation, axial, rotational)?;
        let bearing = FrictionPendulum::new(shear, directions, supports);
        self.place(
            number,
            indices,
            length,
            Element::Pendulum(Box::new(bearing)),
        )
    }

    fn upright(&self, span: [f64; 3], orientation: &Orientation) -> Orientation {
        let flat = span.iter().all(|s| s.abs() <= 0.0);
        Orientation {
            along: orientation.along.or(match self.space {
                Space::Plane if flat => Some([0.0, 1.0, 0.0]),
                Space::Space if flat => Some([0.0, 0.0, 1.0]),
                _ => None,
            }),
            ..*orientation
        }
    }
}

fn positive(number: usize, what: &'static str, got: f64) -> Result<(), ModelError> {
    within(number, what, "above zero", got > 0.0, got)
}

fn within(
    number: usize,
    what: &'static str,
    expected: &'static str,
    holds: bool,
    got: f64,
) -> Result<(), ModelError> {
    if got.is_finite() && holds {
        Ok(())
    } else {
        Err(ModelError::Value {
            what,
            of: "element",
            number,
            expected,
            got,
        })
    }
}
