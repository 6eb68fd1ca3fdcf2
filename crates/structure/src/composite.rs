//! A structure with a specimen attached, and a structure with a specimen taken out.

use tandem_quantity::{
    Attachment, ExternalModel, Snapshot, SnapshotError, SpecimenMatrices, StateReader, snapshot,
};

use crate::linalg::{LinalgError, Matrix};
use crate::structure::{Structure, StructureError, StructureProperties, size};

/// A linear part: mass, damper and spring.
#[derive(Clone, Debug)]
pub struct LinearAttachment {
    stiffness: Matrix,
    specimen_matrices: SpecimenMatrices,
}

snapshot!(LinearAttachment {});

impl LinearAttachment {
    /// A part from its matrices over the interface degrees of freedom.
    pub fn new(mass: &Matrix, damping: &Matrix, stiffness: Matrix) -> Result<Self, StructureError> {
        size("damping of the specimen", mass.order(), damping.order())?;
        size("stiffness of the specimen", mass.order(), stiffness.order())?;
        let specimen_matrices = SpecimenMatrices {
            dof: mass.order(),
            mass: mass.to_dense(),
            damping: damping.to_dense(),
            stiffness: stiffness.to_dense(),
        };
        Ok(Self {
            stiffness,
            specimen_matrices,
        })
    }
}

impl Attachment for LinearAttachment {
    fn specimen_matrices(&self) -> &SpecimenMatrices {
        &self.specimen_matrices
    }
    fn force(&mut self, displacement: &[f64], _velocity: &[f64], force: &mut [f64]) {
        self.stiffness.mul_into(displacement, force);
    }
    fn tangent(&self, row: usize, column: usize) -> f64 {
        self.stiffness.get(row, column)
    }
    fn commit(&mut self) {}
    fn revert(&mut self) {}
    fn is_linear(&self) -> bool {
        true
    }
}

/// Which mass the ground shakes once the specimen is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroundTerm {
    /// That of the base structure as it is: what an ideal test with this base computes.
    Base,
    /// That of the base structure and of the specimen.
    Whole,
}

/// A structure with a specimen attached at some of its degrees of freedom: the all-numerical
/// reference of a partitioned test. The specimen's M and C are part of the structure's.
#[derive(Clone, Debug)]
pub struct WithSpecimen<S, A> {
    base: S,
    specimen: A,
    dofs: Vec<usize>,
    properties: StructureProperties,
    displacement: Vec<f64>,
    velocity: Vec<f64>,
    force: Vec<f64>,
}

impl<S: Structure, A: Attachment> WithSpecimen<S, A> {
    /// Attaches a specimen at the degrees of freedom `dofs` of `base`, in the order of the
    /// specimen's own.
    pub fn new(
        base: S,
        specimen: A,
        dofs: &[usize],
        ground: GroundTerm,
    ) -> Result<Self, StructureError> {
        let part = specimen.specimen_matrices();
        size("interface", part.dof, dofs.len())?;
        for (index, &dof) in dofs.iter().enumerate() {
            if dof >= base.properties().dof() {
                let source = LinalgError::OutOfRange {
                    row: dof,
                    column: dof,
                    order: base.properties().dof(),
                };
                return Err(source.of("interface"));
            }
            if dofs[..index].contains(&dof) {
                return Err(StructureError::Value {
                    what: "repeated interface degree of freedom",
                    index,
                    value: dof as f64,
                });
            }
        }
        let given = base.properties();
        let ground_mass = match ground {
            GroundTerm::Base => given.ground_mass().clone(),
            GroundTerm::Whole => attach(given.ground_mass(), &part.mass, dofs)?,
        };
        let properties = StructureProperties {
            mass: attach(&given.mass, &part.mass, dofs)?,
            damping: attach(&given.damping, &part.damping, dofs)?,
            stiffness: attach(&given.stiffness, &part.stiffness, dofs)?,
            ground_mass: Some(ground_mass),
            is_linear: given.is_linear && specimen.is_linear(),
            kind: given.kind,
            labels: given.labels.clone(),
            influence: given.influence.clone(),
            moving_supports: given.moving_supports,
        };
        let zeros = vec![0.0; dofs.len()];
        Ok(Self {
            base,
            specimen,
            dofs: dofs.to_vec(),
            properties,
            displacement: zeros.clone(),
            velocity: zeros.clone(),
            force: zeros,
        })
    }

    /// The structure without the specimen.
    pub fn base(&self) -> &S {
        &self.base
    }

    /// The specimen.
    pub fn specimen(&self) -> &A {
        &self.specimen
    }
}

/// Takes a linear specimen out of a whole structure (Mₙ = M − Mₑ on the interface, likewise C and
/// K). The ground still shakes the mass of the whole structure numerically, so the specimen itself
/// need not be shaken.
pub fn subtract<S: Structure>(
    whole: S,
    dofs: &[usize],
    mass: &Matrix,
    damping: &Matrix,
    stiffness: &Matrix,
) -> Result<WithSpecimen<S, LinearAttachment>, StructureError> {
    let negative = |matrix: &Matrix| Matrix::combine(&[(-1.0, matrix)]);
    let specimen = LinearAttachment::new(&negative(mass), &negative(damping), negative(stiffness))?;
    WithSpecimen::new(whole, specimen, dofs, GroundTerm::Base)
}

/// The base's matrix with the part's entries added. Places stay part of the pattern where the sum
/// is zero: a later tangent may need them.
fn attach(base: &Matrix, part: &[f64], dofs: &[usize]) -> Result<Matrix, StructureError> {
    let places = dofs.iter().flat_map(|i| dofs.iter().map(move |j| (*i, *j)));
    let entries = places.zip(part).map(|((i, j), value)| (i, j, *value));
    let mut triplets: Vec<_> = entries.collect();
    if triplets.iter().all(|(i, j, value)| i == j || *value == 0.0) {
        triplets.retain(|(.., value)| *value != 0.0);
    }
    let part = Matrix::from_triplets(base.order(), &triplets).map_err(|e| e.of("specimen"))?;
    Ok(Matrix::combine(&[(1.0, base), (1.0, &part)]))
}

impl<S: Snapshot, A: Snapshot> Snapshot for WithSpecimen<S, A> {
    fn save(&self, into: &mut Vec<f64>) {
        self.base.save(into);
        self.specimen.save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.base.restore(from)?;
        self.specimen.restore(from)
    }
}

impl<S: Structure, A: Attachment> Structure for WithSpecimen<S, A> {
    fn properties(&self) -> &StructureProperties {
        &self.properties
    }
    fn restoring_force(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]) {
        if self.properties.is_linear {
            self.properties.stiffness.mul_into(displacement, force);
            return;
        }
        self.base.restoring_force(displacement, velocity, force);
        for (k, dof) in self.dofs.iter().enumerate() {
            self.displacement[k] = displacement[*dof];
            self.velocity[k] = velocity[*dof];
        }
        self.specimen
            .force(&self.displacement, &self.velocity, &mut self.force);
        for (part, dof) in self.force.iter().zip(&self.dofs) {
            force[*dof] += part;
        }
    }
    fn take_up(&mut self, displacement: &[f64]) {
        self.base.take_up(displacement);
    }
    fn tangent(&self, stiffness: &mut Matrix) {
        if self.properties.is_linear {
            stiffness.assign_combination(&[(1.0, &self.properties.stiffness)]);
            return;
        }
        self.base.tangent(stiffness);
        for (i, row) in self.dofs.iter().enumerate() {
            for (j, column) in self.dofs.iter().enumerate() {
                let entry = self.specimen.tangent(i, j);
                if entry.abs() > 0.0 {
                    stiffness.add_at(*row, *column, entry);
                }
            }
        }
    }
    fn commit(&mut self) {
        self.base.commit();
        self.specimen.commit();
    }
    fn revert(&mut self) {
        self.base.revert();
        self.specimen.revert();
    }
    fn move_supports(&mut self, displacement: &[f64], velocity: &[f64]) {
        self.base.move_supports(displacement, velocity);
    }
    fn external(&self) -> Option<&dyn ExternalModel> {
        self.base.external()
    }
}
