//! Cuts a frame in two: the numerical substructure, and the members that are the specimen.
//!
//! ```text
//!  whole frame ──▶ numerical: all masses, damping and loads, the other elements
//!              └─▶ specimen:  its elements and their supports, seen from the interface
//! ```
//!
//! Degrees of freedom without mass that only the specimen touches belong to it and vanish from the
//! numerical part. Both parts start from the state of the whole under its constant loads, with
//! forces that count from there: the sum of both is the whole, step by step.

use super::assembly::Scatter;
use super::condensed_part::CondensedPart;
use super::error::ModelError;
use super::frame::Model;
use super::load::Loads;
use crate::element::{Element, SmallMatrix};
use tandem_structure::{Damping, LinalgError, Matrix, StructureError, StructureProperties};

/// A frame in two parts.
#[derive(Clone, Debug)]
pub struct Division {
    /// The numerical substructure.
    pub numerical: Model,
    /// The specimen, seen from its interface.
    pub specimen: CondensedPart,
    /// Degree of freedom of the numerical substructure at each interface degree of freedom of the
    /// specimen.
    pub interface: Vec<usize>,
    /// Degree of freedom of the whole frame at each one of the numerical substructure.
    pub kept: Vec<usize>,
}

impl Model {
    /// Takes the elements of these numbers out as the specimen. The interface is `control` (free
    /// degrees of freedom of this model), or everything that the specimen shares with the rest;
    /// shared degrees of freedom that are not controlled are left free in the specimen, like a
    /// hinge or a roller in the laboratory.
    pub fn divide(
        &self,
        elements: &[usize],
        control: Option<&[usize]>,
    ) -> Result<Division, ModelError> {
        if self.changing.is_some() {
            return Err(ModelError::ChangingDamping);
        }
        let mut belongs = vec![false; self.elements.len()];
        for &element in elements {
            belongs[self.element_index(element)?] = true;
        }
        let others: Vec<bool> = belongs.iter().map(|own| !own).collect();
        let (own, rest) = (self.touched(&belongs), self.touched(&others));
        let free = self.properties.dof();
        let internal: Vec<bool> = (0..free)
            .map(|dof| own[dof] && !rest[dof] && self.properties.mass.get(dof, dof).abs() <= 0.0)
            .collect();
        let shared: Vec<usize> = (0..free)
            .filter(|dof| own[*dof] && !internal[*dof])
            .collect();
        let control = match control {
            Some(named) => {
                if let Some(&dof) = named.iter().find(|dof| !shared.contains(dof)) {
                    return Err(ModelError::NotShared { dof });
                }
                named.to_vec()
            }
            None => shared.clone(),
        };
        let inside: Vec<usize> = (0..free)
            .filter(|dof| own[*dof] && !control.contains(dof))
            .collect();
        let condensed = Condensation::new(&self.properties.stiffness, &internal, &shared)?;
        let damping = condensed.apply(
            &self
                .damping_rule
                .matrix(&self.properties.mass, &self.properties.stiffness)?,
        )?;
        let kept: Vec<usize> = (0..free).filter(|dof| !internal[*dof]).collect();
        let numerical = self.part(
            &others,
            &internal,
            restrict(&self.properties.mass, &kept)?,
            damping,
        )?;
        let zero = Matrix::zeros(free);
        let model = self.part(&belongs, &vec![false; free], zero.clone(), zero)?;
        let interface = control
            .iter()
            .filter_map(|dof| kept.binary_search(dof).ok())
            .collect();
        Ok(Division {
            numerical,
            specimen: CondensedPart::new(model, control, inside)?,
            interface,
            kept,
        })
    }

    /// Free degrees of freedom at which some of the elements have stiffness or damping.
    fn touched(&self, chosen: &[bool]) -> Vec<bool> {
        let mut touched = vec![false; self.properties.dof()];
        for add in [
            Element::add_initial,
            Element::add_tangent,
            Element::add_damping,
        ] {
            let add: fn(&Element, &mut SmallMatrix) = add;
            for (index, element) in self.elements.iter().enumerate().filter(|e| chosen[e.0]) {
                let triplets = self.scatter.triplets_of(index, element, add);
                for (row, _, value) in triplets {
                    touched[row] |= value.abs() > 0.0;
                }
            }
        }
        touched
    }

    /// A model of some of the elements, as they are, without some of the degrees of freedom; its
    /// forces count from now.
    fn part(
        &self,
        chosen: &[bool],
        dropped: &[bool],
        mass: Matrix,
        damping: Matrix,
    ) -> Result<Self, ModelError> {
        fn pick<T: Clone>(all: &[T], chosen: impl Fn(usize) -> bool) -> Vec<T> {
            let kept = all.iter().enumerate().filter(|(index, _)| chosen(*index));
            kept.map(|(_, one)| one.clone()).collect()
        }
        let elements = pick(&self.elements, |index| chosen[index]);
        let places = pick(&self.places, |index| chosen[index]);
        let expansion = self.expansion.without(dropped);
        let free = expansion.own.len();
        let vector = |all: &[f64]| pick(all, |dof| !dropped[dof]);
        let properties = StructureProperties {
            is_linear: self.moving.is_empty() && elements.iter().all(Element::is_linear),
            influence: vector(&self.properties.influence),
            labels: pick(&self.properties.labels, |dof| !dropped[dof]),
            kind: self.properties.kind,
            moving_supports: self.properties.moving_supports,
            ..StructureProperties::new(mass, Matrix::zeros(free), Matrix::zeros(free))?
        };
        let mut part = Self {
            space: self.space,
            nodes: self.nodes.clone(),
            scatter: Scatter::new(self.space.dofs().len(), &places, &expansion),
            moving: self.moving.clone(),
            supports: self.supports.clone(),
            support_damping: Vec::new(),
            loads: Loads {
                nodal: self.loads.nodal.clone(),
                uniform: pick(&self.loads.uniform, |index| chosen[index]),
            },
            elements,
            places,
            expansion,
            properties,
            damping_rule: Damping::Matrix(damping),
            damping_stiffness: self.damping_stiffness,
            changing: None,
            time_step: self.time_step,
            load: vec![0.0; free],
            datum: vector(&self.datum),
            displacement: vector(&self.displacement),
            committed: vector(&self.committed),
            all_displacement: self.all_displacement.clone(),
            all_velocity: vec![0.0; self.all_velocity.len()],
            all_force: vec![0.0; self.all_force.len()],
        };
        part.make_matrices()?;
        // What the elements hold now is what the constant loads need.
        let (at, rest) = (part.committed.clone(), vec![0.0; free]);
        part.evaluate(&at, &rest);
        let mut load = vec![0.0; free];
        part.expansion.reduce(&part.all_force, &mut load);
        part.load = load;
        Ok(part)
    }
}

/// Rows and columns of a matrix.
fn restrict(matrix: &Matrix, kept: &[usize]) -> Result<Matrix, StructureError> {
    let place = |dof: usize| kept.binary_search(&dof).ok();
    let triplets: Vec<_> = matrix
        .triplets()
        .into_iter()
        .filter_map(|(i, j, value)| Some((place(i)?, place(j)?, value)))
        .collect();
    Matrix::from_triplets(kept.len(), &triplets).map_err(|e| e.of("mass"))
}

/// Internal degrees of freedom as statics makes them follow the shared ones: u_i = T u_s, T =
/// −K_ii⁻¹ K_is.
struct Condensation {
    internal: Vec<usize>,
    shared: Vec<usize>,
    kept: Vec<usize>,
    /// T by columns, one for each shared degree of freedom.
    columns: Vec<Vec<f64>>,
}

impl Condensation {
    fn new(stiffness: &Matrix, internal: &[bool], shared: &[usize]) -> Result<Self, ModelError> {
        let pick = |wanted: bool| -> Vec<usize> {
            (0..internal.len())
                .filter(|dof| internal[*dof] == wanted)
                .collect()
        };
        let (inside, kept) = (pick(true), pick(false));
        let mut columns = Vec::new();
        if !inside.is_empty() {
            let mut factor = restrict(stiffness, &inside)?
                .factor()
                .map_err(|error| mechanism(error, &inside))?;
            for &dof in shared {
                let mut column: Vec<f64> =
                    inside.iter().map(|row| -stiffness.get(*row, dof)).collect();
                factor.solve_in_place(&mut column);
                columns.push(column);
            }
        }
        Ok(Self {
            internal: inside,
            shared: shared.to_vec(),
            kept,
            columns,
        })
    }

    /// A matrix of the whole over the kept degrees of freedom: where it has entries at internal
    /// ones they go to the shared ones that these follow, A_kk + A_ki T + Tᵀ A_ik + Tᵀ A_ii T.
    fn apply(&self, matrix: &Matrix) -> Result<Matrix, StructureError> {
        let place = |dof: usize| self.kept.binary_search(&dof).ok();
        let inside = |dof: usize| self.internal.binary_search(&dof).ok();
        let mut triplets = Vec::new();
        // Each index is either kept (itself) or internal (a sum over the shared ones).
        let spread = |dof: usize| -> Vec<(usize, f64)> {
            match (place(dof), inside(dof)) {
                (Some(row), _) => vec![(row, 1.0)],
                (None, Some(row)) => self
                    .shared
                    .iter()
                    .zip(&self.columns)
                    .filter_map(|(dof, column)| Some((place(*dof)?, column[row])))
                    .collect(),
                (None, None) => Vec::new(),
            }
        };
        for (i, j, value) in matrix.triplets() {
            for (row, a) in spread(i) {
                for (column, b) in spread(j) {
                    triplets.push((row, column, a * value * b));
                }
            }
        }
        Matrix::from_triplets(self.kept.len(), &triplets).map_err(|e| e.of("damping"))
    }
}

/// Which degree of freedom a singular matrix of the specimen leaves loose.
pub(super) fn mechanism(error: LinalgError, dofs: &[usize]) -> ModelError {
    match error {
        LinalgError::Singular { row } => ModelError::Mechanism {
            dof: dofs.get(row).copied().unwrap_or(0),
        },
        other => other.of("stiffness of the specimen").into(),
    }
}
