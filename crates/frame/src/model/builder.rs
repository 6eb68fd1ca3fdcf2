//! Puts a frame together: nodes, supports, masses, constraints, members.

use std::collections::{HashMap, HashSet};

use super::constraints::Rule;
use super::dof::{Dof, Space};
use super::error::ModelError;
use super::frame::{Model, Parts};
use super::load::LoadCase;
use super::mass::MemberMass;
use super::member::Member;
use crate::element::Element;
use tandem_structure::Damping;

/// On which stiffness a stiffness-proportional part of the damping stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DampingStiffness {
    /// The initial stiffness.
    #[default]
    Initial,
    /// The tangent of the last committed state.
    Committed,
    /// The tangent of the present trial. With softening members it may become negative and feed
    /// energy in.
    Current,
}

/// One node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub number: usize,
    pub name: Option<String>,
    pub place: [f64; 3],
    /// Masses of its degrees of freedom, in their order.
    pub mass: Vec<f64>,
}

/// One element and where it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub number: usize,
    pub nodes: [usize; 2],
    pub element: Element,
    pub mass: MemberMass,
    pub length: f64,
    pub axes: [[f64; 3]; 3],
}

/// Builds a [`Model`]. Nodes and elements have numbers of the user's choice; coordinates in metres.
///
/// ```
/// use tandem_frame::model::{Dof, Member, ModelBuilder};
/// use tandem_structure::Structure;
///
/// let mut frame = ModelBuilder::plane();
/// frame.node(1, [0.0, 0.0])?;
/// frame.node(2, [0.0, 3.0])?;
/// frame.fix_all(1)?;
/// frame.mass(2, &[(Dof::Ux, 1000.0)])?;
/// frame.member(1, [1, 2], &Member::elastic(210e9, 5.38e-3, 4.18e-5))?;
/// let model = frame.build()?;
/// assert_eq!(model.properties().dof(), 3);
/// assert_eq!(model.properties().label(0), "node 2 ux");
/// # Ok::<(), tandem_frame::model::ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    pub(super) space: Space,
    pub(super) nodes: Vec<Node>,
    index: HashMap<usize, usize>,
    pub(super) rules: Vec<Rule>,
    pub(super) elements: Vec<Placed>,
    numbers: HashSet<usize>,
    damping: Damping,
    damping_stiffness: DampingStiffness,
    direction: [f64; 3],
    moving: Vec<Moving>,
}

/// A held degree of freedom that moves with a group of supports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moving {
    pub dof: usize,
    pub group: usize,
    pub share: f64,
}

impl ModelBuilder {
    fn of(space: Space) -> Self {
        Self {
            space,
            nodes: Vec::new(),
            index: HashMap::new(),
            rules: Vec::new(),
            elements: Vec::new(),
            numbers: HashSet::new(),
            damping: Damping::None,
            damping_stiffness: DampingStiffness::Initial,
            direction: [1.0, 0.0, 0.0],
            moving: Vec::new(),
        }
    }

    /// A frame in the plane x–y.
    #[must_use]
    pub fn plane() -> Self {
        Self::of(Space::Plane)
    }

    /// A frame in space.
    #[must_use]
    pub fn space() -> Self {
        Self::of(Space::Space)
    }

    /// Adds a node at (x, y) or (x, y, z).
    pub fn node<const N: usize>(
        &mut self,
        number: usize,
        place: [f64; N],
    ) -> Result<(), ModelError> {
        let wanted = self.space.dimensions();
        if N != wanted {
            return Err(ModelError::Value {
                what: "number of coordinates",
                of: "node",
                number,
                expected: if wanted == 2 { "2" } else { "3" },
                got: N as f64,
            });
        }
        for got in place {
            if !got.is_finite() {
                return Err(ModelError::Value {
                    what: "coordinate",
                    of: "node",
                    number,
                    expected: "a finite number",
                    got,
                });
            }
        }
        if self.index.contains_key(&number) {
            return Err(ModelError::Twice {
                what: "node",
                number,
            });
        }
        self.index.insert(number, self.nodes.len());
        let mut all = [0.0; 3];
        all[..N].copy_from_slice(&place);
        let dofs = self.space.dofs().len();
        self.nodes.push(Node {
            number,
            name: None,
            place: all,
            mass: vec![0.0; dofs],
        });
        self.rules.extend(vec![Rule::Free; dofs]);
        Ok(())
    }

    /// Gives a node a name for people; without one it goes by its number.
    pub fn name(&mut self, node: usize, name: impl Into<String>) -> Result<(), ModelError> {
        let index = self.find(node)?;
        self.nodes[index].name = Some(name.into());
        Ok(())
    }

    pub(super) fn find(&self, node: usize) -> Result<usize, ModelError> {
        self.index
            .get(&node)
            .copied()
            .ok_or(ModelError::NoNode { node })
    }

    fn find_dof(&self, node: usize, dof: Dof) -> Result<usize, ModelError> {
        let place = self
            .space
            .place(dof)
            .ok_or(ModelError::NoDof { node, dof })?;
        Ok(self.find(node)? * self.space.dofs().len() + place)
    }

    /// Holds degrees of freedom of a node.
    pub fn fix(&mut self, node: usize, dofs: &[Dof]) -> Result<(), ModelError> {
        for &dof in dofs {
            let index = self.find_dof(node, dof)?;
            if let Rule::Tied(_) = self.rules[index] {
                return Err(ModelError::ConstrainedTwice { node, dof });
            }
            self.rules[index] = Rule::Fixed;
        }
        Ok(())
    }

    /// Holds a node altogether.
    pub fn fix_all(&mut self, node: usize) -> Result<(), ModelError> {
        self.fix(node, self.space.dofs())
    }

    /// Adds masses (kg, kg m²) to degrees of freedom of a node.
    pub fn mass(&mut self, node: usize, masses: &[(Dof, f64)]) -> Result<(), ModelError> {
        for &(dof, got) in masses {
            let place = self
                .space
                .place(dof)
                .ok_or(ModelError::NoDof { node, dof })?;
            if !(got.is_finite() && got >= 0.0) {
                return Err(ModelError::Value {
                    what: "mass",
                    of: "node",
                    number: node,
                    expected: "zero or above",
                    got,
                });
            }
            let index = self.find(node)?;
            self.nodes[index].mass[place] += got;
        }
        Ok(())
    }

    fn tie(&mut self, node: usize, dof: Dof, terms: Vec<(usize, f64)>) -> Result<(), ModelError> {
        let index = self.find_dof(node, dof)?;
        if self.rules[index] != Rule::Free {
            return Err(ModelError::ConstrainedTwice { node, dof });
        }
        self.rules[index] = Rule::Tied(terms);
        Ok(())
    }

    /// Lets degrees of freedom of a node follow those of another.
    pub fn equal_dof(
        &mut self,
        retained: usize,
        constrained: usize,
        dofs: &[Dof],
    ) -> Result<(), ModelError> {
        for &dof in dofs {
            let leader = self.find_dof(retained, dof)?;
            self.tie(constrained, dof, vec![(leader, 1.0)])?;
        }
        Ok(())
    }

    /// Joins a node to another by a rigid bar: displacements u + θ × r, equal rotations.
    pub fn rigid_link(&mut self, retained: usize, constrained: usize) -> Result<(), ModelError> {
        let dofs = self.space.dofs();
        self.follow(retained, constrained, dofs, dofs)
    }

    /// Lets nodes follow the motion of another within a stiff floor. In space the floor's normal is
    /// given by the rotation about it (`Dof::Rz` for floors in the plane x–y); in a plane frame the
    /// nodes share u_x (`Dof::Uy` as normal) or u_y (`Dof::Ux`).
    pub fn rigid_diaphragm(
        &mut self,
        normal: Dof,
        retained: usize,
        constrained: &[usize],
    ) -> Result<(), ModelError> {
        let dofs: &[Dof] = match (self.space, normal) {
            (Space::Plane, Dof::Uy) => &[Dof::Ux],
            (Space::Plane, Dof::Ux) => &[Dof::Uy],
            (Space::Space, Dof::Rz | Dof::Uz) => &[Dof::Ux, Dof::Uy, Dof::Rz],
            (Space::Space, Dof::Ry | Dof::Uy) => &[Dof::Ux, Dof::Uz, Dof::Ry],
            (Space::Space, Dof::Rx | Dof::Ux) => &[Dof::Uy, Dof::Uz, Dof::Rx],
            (Space::Plane, dof) => {
                return Err(ModelError::NoDof {
                    node: retained,
                    dof,
                });
            }
        };
        for node in constrained {
            self.follow(retained, *node, dofs, dofs)?;
        }
        Ok(())
    }

    /// Ties `dofs` of a node to the motion of another as parts of one rigid body that has only the
    /// motions `kept`.
    fn follow(
        &mut self,
        retained: usize,
        constrained: usize,
        dofs: &[Dof],
        kept: &[Dof],
    ) -> Result<(), ModelError> {
        let (from, to) = (self.find(retained)?, self.find(constrained)?);
        let arm: [f64; 3] =
            std::array::from_fn(|k| self.nodes[to].place[k] - self.nodes[from].place[k]);
        for &dof in dofs {
            let mut terms = vec![(self.find_dof(retained, dof)?, 1.0)];
            // u = u_r + θ × r: u_x gains θ_y r_z − θ_z r_y, and so on around.
            let k = dof.six();
            if k < 3 {
                let (next, last) = ((k + 1) % 3, (k + 2) % 3);
                for (rotation, coefficient) in [
                    (Dof::ALL[3 + next], arm[last]),
                    (Dof::ALL[3 + last], -arm[next]),
                ] {
                    if kept.contains(&rotation) && coefficient.abs() > 0.0 {
                        terms.push((self.find_dof(retained, rotation)?, coefficient));
                    }
                }
            }
            self.tie(constrained, dof, terms)?;
        }
        Ok(())
    }

    pub(super) fn span(&self, nodes: [usize; 2]) -> Result<([usize; 2], [f64; 3]), ModelError> {
        let [i, j] = [self.find(nodes[0])?, self.find(nodes[1])?];
        let (from, to) = (&self.nodes[i].place, &self.nodes[j].place);
        Ok(([i, j], std::array::from_fn(|k| to[k] - from[k])))
    }

    pub(super) fn push(&mut self, placed: Placed) -> Result<(), ModelError> {
        if !self.numbers.insert(placed.number) {
            return Err(ModelError::Twice {
                what: "element",
                number: placed.number,
            });
        }
        self.elements.push(placed);
        Ok(())
    }

    /// Adds a member from the first node to the second.
    pub fn member(
        &mut self,
        number: usize,
        nodes: [usize; 2],
        member: &Member,
    ) -> Result<(), ModelError> {
        let (nodes, span) = self.span(nodes)?;
        let length = span[0].hypot(span[1]).hypot(span[2]);
        if length <= 0.0 {
            return Err(ModelError::NoLength { element: number });
        }
        let mass = member.mass();
        if !(mass.per_length().is_finite() && mass.per_length() >= 0.0) {
            return Err(ModelError::Value {
                what: "mass per length",
                of: "element",
                number,
                expected: "zero or above",
                got: mass.per_length(),
            });
        }
        let (element, axes) = match self.space {
            Space::Plane => {
                let member = member.build_plane(number, [span[0], span[1]])?;
                let [x, y] = member.transformation().axes();
                let axes = [[x[0], x[1], 0.0], [y[0], y[1], 0.0], [0.0, 0.0, 1.0]];
                (Element::Member2d(Box::new(member)), axes)
            }
            Space::Space => {
                let member = member.build_space(number, span)?;
                let axes = member.transformation().axes();
                (Element::Member3d(Box::new(member)), axes)
            }
        };
        self.push(Placed {
            number,
            nodes,
            element,
            mass,
            length,
            axes,
        })
    }

    /// Damping of the structure.
    pub fn damping(&mut self, damping: Damping, stiffness: DampingStiffness) {
        self.damping = damping;
        self.damping_stiffness = stiffness;
    }

    /// Direction (x, y, z) in which the ground moves; x unless given.
    pub fn ground_direction(&mut self, direction: [f64; 3]) {
        self.direction = direction;
    }

    /// Lets a support move relative to the ground, with the group of supports `group` (from zero):
    /// its displacement is added along `direction` (x, y, z) to those of its degrees of freedom
    /// that are held.
    pub fn moving_support(
        &mut self,
        node: usize,
        group: usize,
        direction: [f64; 3],
    ) -> Result<(), ModelError> {
        for (dof, share) in Dof::ALL.into_iter().zip(direction) {
            if share.abs() > 0.0 && self.space.place(dof).is_some() {
                let index = self.find_dof(node, dof)?;
                if self.rules[index] != Rule::Fixed {
                    return Err(ModelError::NotHeld { node, dof });
                }
                self.moving.push(Moving {
                    dof: index,
                    group,
                    share,
                });
            }
        }
        Ok(())
    }

    /// The model, at rest and without loads.
    pub fn build(self) -> Result<Model, ModelError> {
        Model::new(Parts {
            space: self.space,
            nodes: self.nodes,
            rules: self.rules,
            elements: self.elements,
            damping: self.damping,
            damping_stiffness: self.damping_stiffness,
            direction: self.direction,
            moving: self.moving,
        })
    }

    /// The model after a first stage in which constant loads came on in `steps` steps.
    /// Displacements count from there.
    pub fn build_with_gravity(
        self,
        gravity: &LoadCase,
        steps: usize,
    ) -> Result<Model, super::analysis::AnalysisError> {
        let mut model = self.build()?;
        super::analysis::apply_gravity(&mut model, gravity, steps)?;
        Ok(model)
    }
}
