//! A frame as an integrator sees it.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::assembly::Scatter;
use super::builder::{DampingStiffness, Moving, Node, Placed};
use super::changing_damping::ChangingDamping;
use super::constraints::{Expansion, Rule};
use super::dof::Space;
use super::error::ModelError;
use super::load::Loads;
use crate::element::{Element, MOST_DOFS, Motion, SmallMatrix};
use tandem_structure::{Damping, Matrix, Structure, StructureError, StructureProperties};

/// What a builder hands over.
pub(super) struct Parts {
    pub space: Space,
    pub nodes: Vec<Node>,
    pub rules: Vec<Rule>,
    pub elements: Vec<Placed>,
    pub damping: Damping,
    pub damping_stiffness: DampingStiffness,
    pub direction: [f64; 3],
    pub moving: Vec<Moving>,
}

/// A plane or space frame of any elements, with constraints, constant loads and damping.
///
/// Displacements count from the state after the constant loads (see [`super::apply_gravity`]). In a
/// linear model the restoring force is K d and elements are not visited; [`Model::refresh`] brings
/// them up to date for reading.
#[derive(Clone, Debug)]
pub struct Model {
    pub(super) space: Space,
    pub(super) nodes: Vec<Node>,
    pub(super) elements: Vec<Element>,
    pub(super) places: Vec<Placed>,
    pub(super) expansion: Expansion,
    pub(super) scatter: Scatter,
    pub(super) properties: StructureProperties,
    pub(super) damping_rule: Damping,
    pub(super) damping_stiffness: DampingStiffness,
    pub(super) changing: Option<ChangingDamping>,
    pub(super) moving: Vec<Moving>,
    /// Displacement and velocity of each group of moving supports.
    pub(super) supports: [Vec<f64>; 2],
    /// Damping forces of the free degrees of freedom for a unit velocity of each group, where
    /// damping is proportional to the initial stiffness.
    pub(super) support_damping: Vec<Vec<f64>>,
    pub(super) time_step: f64,
    /// Constant loads, and their nodal part over the free degrees of freedom.
    pub(super) loads: Loads,
    pub(super) load: Vec<f64>,
    /// Displacements under the constant loads.
    pub(super) datum: Vec<f64>,
    pub(super) displacement: Vec<f64>,
    pub(super) committed: Vec<f64>,
    /// Displacements, velocities and internal forces of all degrees of freedom.
    pub(super) all_displacement: Vec<f64>,
    pub(super) all_velocity: Vec<f64>,
    pub(super) all_force: Vec<f64>,
}

impl Model {
    pub(super) fn new(parts: Parts) -> Result<Self, ModelError> {
        let Parts {
            space,
            nodes,
            rules,
            elements: places,
            damping: damping_rule,
            damping_stiffness,
            direction,
            moving,
        } = parts;
        let per_node = space.dofs().len();
        let expansion = Expansion::new(&rules, |index| ModelError::Circle {
            node: nodes[index / per_node].number,
            dof: space.dofs()[index % per_node],
        })?;
        let free = expansion.own.len();
        if free == 0 {
            return Err(ModelError::NothingFree);
        }
        let elements: Vec<Element> = places.iter().map(|place| place.element.clone()).collect();
        let scatter = Scatter::new(per_node, &places, &expansion);
        let mass = super::assembly::mass(per_node, &nodes, &places, &scatter, &expansion)?;
        // The elements at moving supports must be visited for what they give to the free nodes.
        let is_linear = moving.is_empty() && elements.iter().all(Element::is_linear);
        let groups = moving.iter().map(|m| m.group + 1).max().unwrap_or(0);
        let properties = StructureProperties {
            is_linear,
            moving_supports: groups,
            kind: match space {
                Space::Plane => "plane frame",
                Space::Space => "space frame",
            },
            ..StructureProperties::new(mass, Matrix::zeros(free), Matrix::zeros(free))?
        };
        let dofs = rules.len();
        let mut model = Self {
            loads: Loads::none(dofs, elements.len()),
            space,
            nodes,
            elements,
            places,
            expansion,
            scatter,
            properties,
            damping_rule,
            damping_stiffness,
            changing: None,
            moving,
            supports: [vec![0.0; groups], vec![0.0; groups]],
            support_damping: Vec::new(),
            time_step: 0.0,
            load: vec![0.0; free],
            datum: vec![0.0; free],
            displacement: vec![0.0; free],
            committed: vec![0.0; free],
            all_displacement: vec![0.0; dofs],
            all_velocity: vec![0.0; dofs],
            all_force: vec![0.0; dofs],
        };
        model.properties.labels = model.labels();
        model.properties.influence = model.influence_of(direction);
        model.make_matrices()?;
        Ok(model)
    }

    /// Initial stiffness (with the geometric part of the forces at present) and damping.
    pub(super) fn make_matrices(&mut self) -> Result<(), StructureError> {
        let free = self.properties.dof();
        let gather = |add: fn(&Element, &mut SmallMatrix)| -> Result<Matrix, StructureError> {
            let triplets = self.scatter.triplets(&self.elements, add);
            Matrix::from_triplets(free, &triplets).map_err(|e| e.of("stiffness"))
        };
        let stiffness = gather(Element::add_initial)?;
        let dashpots = gather(Element::add_damping)?;
        let mut damping = self
            .damping_rule
            .matrix(&self.properties.mass, &stiffness)?;
        if dashpots.triplets().iter().any(|t| t.2.abs() > 0.0) {
            damping = Matrix::combine(&[(1.0, &damping), (1.0, &dashpots)]);
        }
        let coefficients = self
            .damping_rule
            .rayleigh_coefficients(&self.properties.mass, &stiffness)?;
        self.changing = match (coefficients, self.damping_stiffness) {
            (Some((_, factor)), on) if factor > 0.0 && on != DampingStiffness::Initial => {
                let order = 2 * self.space.dofs().len();
                let block = |add: fn(&Element, &mut SmallMatrix)| {
                    let of = |element: &Element| {
                        let mut block = SmallMatrix::zeros(order);
                        add(element, &mut block);
                        block
                    };
                    self.elements.iter().map(of).collect()
                };
                Some(ChangingDamping {
                    factor,
                    on,
                    initial: block(Element::add_initial),
                    committed: block(Element::add_tangent),
                })
            }
            _ => None,
        };
        self.support_damping = match (coefficients, &self.changing) {
            (Some((_, factor)), None) if factor > 0.0 => self.support_stiffness(factor),
            _ => Vec::new(),
        };
        self.scatter.locate(&stiffness);
        self.properties.stiffness = stiffness;
        self.properties.damping = damping;
        Ok(())
    }

    /// `factor` times the initial forces of the free degrees of freedom for a unit displacement of
    /// each group of moving supports.
    fn support_stiffness(&self, factor: f64) -> Vec<Vec<f64>> {
        let per_node = self.space.dofs().len();
        let column = |group: usize| {
            let mut moved = vec![0.0; self.all_force.len()];
            for moving in self.moving.iter().filter(|moving| moving.group == group) {
                moved[moving.dof] = factor * moving.share;
            }
            let mut all = vec![0.0; self.all_force.len()];
            for (element, place) in self.elements.iter().zip(&self.places) {
                let mut block = SmallMatrix::zeros(2 * per_node);
                element.add_initial(&mut block);
                let dof = |k: usize| place.nodes[k / per_node] * per_node + k % per_node;
                for row in 0..2 * per_node {
                    let terms = (0..2 * per_node).map(|k| block.get(row, k) * moved[dof(k)]);
                    all[dof(row)] += terms.sum::<f64>();
                }
            }
            let mut free = vec![0.0; self.properties.dof()];
            self.expansion.reduce(&all, &mut free);
            free
        };
        (0..self.supports[0].len()).map(column).collect()
    }

    /// Names of the free degrees of freedom.
    pub(super) fn labels(&self) -> Vec<String> {
        let per_node = self.space.dofs().len();
        let label = |index: &usize| {
            let (node, dof) = (
                &self.nodes[index / per_node],
                self.space.dofs()[index % per_node],
            );
            match &node.name {
                Some(name) => format!("{name} {dof}"),
                None => format!("node {} {dof}", node.number),
            }
        };
        self.expansion.own.iter().map(label).collect()
    }

    /// Tells rate-dependent laws with a memory of time (Maxwell, fluid damper) the step of
    /// structural time, s.
    pub fn set_time_step(&mut self, dt: f64) {
        self.time_step = dt;
    }

    /// Direction (x, y, z) in which the ground moves.
    pub fn set_ground_direction(&mut self, direction: [f64; 3]) {
        self.properties.influence = self.influence_of(direction);
    }

    /// ι for a ground motion in the direction (x, y, z).
    #[must_use]
    pub fn influence_of(&self, direction: [f64; 3]) -> Vec<f64> {
        let per_node = self.space.dofs().len();
        let entry = |dof: &usize| match self.space.dofs()[dof % per_node].six() {
            k @ 0..3 => direction[k],
            _ => 0.0,
        };
        self.expansion.own.iter().map(entry).collect()
    }

    /// Internal forces of all degrees of freedom at a displacement of the free ones; elements
    /// always take part.
    #[inline]
    pub(super) fn evaluate(&mut self, displacement: &[f64], velocity: &[f64]) {
        self.displacement.copy_from_slice(displacement);
        let (expansion, datum) = (&self.expansion, &self.datum);
        expansion.expand(displacement, datum, &mut self.all_displacement);
        expansion.expand_rate(velocity, &mut self.all_velocity);
        self.all_force.fill(0.0);
        let per_node = self.space.dofs().len();
        let mut u = [0.0; MOST_DOFS];
        let mut v = [0.0; MOST_DOFS];
        for (index, (element, place)) in self.elements.iter_mut().zip(&self.places).enumerate() {
            let [i, j] = place.nodes.map(|node| node * per_node);
            u[..per_node].copy_from_slice(&self.all_displacement[i..i + per_node]);
            u[per_node..2 * per_node].copy_from_slice(&self.all_displacement[j..j + per_node]);
            v[..per_node].copy_from_slice(&self.all_velocity[i..i + per_node]);
            v[per_node..2 * per_node].copy_from_slice(&self.all_velocity[j..j + per_node]);
            let mut force = [0.0; MOST_DOFS];
            let motion = Motion {
                displacement: &u,
                velocity: &v,
                dt: self.time_step,
            };
            element.trial(&motion, &mut force);
            if let Some(changing) = &self.changing {
                changing.add_force(index, element, &v, &mut force);
            }
            for k in 0..per_node {
                self.all_force[i + k] += force[k];
                self.all_force[j + k] += force[per_node + k];
            }
        }
    }

    /// Writes the motion of the supports where the elements read it; expanding leaves held degrees
    /// of freedom as they are.
    #[inline]
    fn place_supports(&mut self) {
        for moving in &self.moving {
            self.all_displacement[moving.dof] = moving.share * self.supports[0][moving.group];
            self.all_velocity[moving.dof] = moving.share * self.supports[1][moving.group];
        }
    }

    /// Internal force of the free degrees of freedom less the constant nodal loads, from the last
    /// evaluation.
    #[inline]
    pub(super) fn reduce(&self, force: &mut [f64]) {
        for (force, load) in force.iter_mut().zip(&self.load) {
            *force = -load;
        }
        self.expansion.reduce(&self.all_force, force);
    }

    /// Brings the elements to the displacements of the last trial; only a linear model needs it
    /// before its elements are read.
    pub fn refresh(&mut self) {
        let displacement = std::mem::take(&mut self.displacement);
        let rest = vec![0.0; displacement.len()];
        self.displacement = rest.clone();
        self.evaluate(&displacement, &rest);
    }

    /// Makes the committed displacements the ones from which later displacements count.
    pub(super) fn set_datum(&mut self) {
        for (datum, displacement) in self.datum.iter_mut().zip(&mut self.committed) {
            *datum += *displacement;
            *displacement = 0.0;
        }
        self.displacement.fill(0.0);
    }

    /// Committed displacements of the free degrees of freedom, from the state under constant loads.
    #[must_use]
    pub fn committed_displacement(&self) -> &[f64] {
        &self.committed
    }

    /// Commits the elements and displacements of the last evaluation, in a linear model too.
    pub(super) fn commit_elements(&mut self) {
        self.committed.copy_from_slice(&self.displacement);
        self.elements.iter_mut().for_each(Element::commit);
    }

    /// Forgets the last evaluation, in a linear model too.
    pub(super) fn revert_elements(&mut self) {
        self.displacement.copy_from_slice(&self.committed);
        self.elements.iter_mut().for_each(Element::revert);
    }

    pub(super) fn all_displacements_into(&self, all: &mut [f64]) {
        self.expansion.expand(&self.displacement, &self.datum, all);
        for moving in &self.moving {
            all[moving.dof] = moving.share * self.supports[0][moving.group];
        }
    }
}

impl Structure for Model {
    fn properties(&self) -> &StructureProperties {
        &self.properties
    }
    #[inline]
    fn restoring_force(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]) {
        if self.properties.is_linear {
            self.displacement.copy_from_slice(displacement);
            self.properties.stiffness.mul_into(displacement, force);
        } else {
            self.evaluate(displacement, velocity);
            self.reduce(force);
            for (column, rate) in self.support_damping.iter().zip(&self.supports[1]) {
                for (force, unit) in force.iter_mut().zip(column) {
                    *force += unit * rate;
                }
            }
        }
    }
    fn take_up(&mut self, displacement: &[f64]) {
        self.displacement.copy_from_slice(displacement);
        self.committed.copy_from_slice(displacement);
    }
    fn tangent(&self, stiffness: &mut Matrix) {
        if self.properties.is_linear {
            stiffness.assign_combination(&[(1.0, &self.properties.stiffness)]);
        } else {
            self.scatter
                .assemble(&self.elements, &self.properties.stiffness, stiffness);
        }
    }
    fn commit(&mut self) {
        if self.properties.is_linear {
            self.committed.copy_from_slice(&self.displacement);
            return;
        }
        self.commit_elements();
        if let Some(changing) = &mut self.changing {
            changing.commit(&self.elements);
        }
    }
    fn revert(&mut self) {
        if self.properties.is_linear {
            self.displacement.copy_from_slice(&self.committed);
        } else {
            self.revert_elements();
        }
    }
    #[inline]
    fn move_supports(&mut self, displacement: &[f64], velocity: &[f64]) {
        for (own, given) in self.supports.iter_mut().zip([displacement, velocity]) {
            own.copy_from_slice(given);
        }
        self.place_supports();
    }
}

impl Snapshot for Model {
    fn save(&self, into: &mut Vec<f64>) {
        self.elements.save(into);
        self.datum.save(into);
        self.displacement.save(into);
        self.committed.save(into);
        self.all_force.save(into);
        self.supports.save(into);
        if let Some(changing) = &self.changing {
            changing.committed.save(into);
        }
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.elements.restore(from)?;
        self.datum.restore(from)?;
        self.displacement.restore(from)?;
        self.committed.restore(from)?;
        self.all_force.restore(from)?;
        self.supports.restore(from)?;
        self.place_supports();
        if let Some(changing) = &mut self.changing {
            changing.committed.restore(from)?;
        }
        Ok(())
    }
}
