//! What several tests share: methods from their tables, a bilinear shear building, a linear
//! specimen, reference data.

use tandem_frame::material::{Drive, Material, MaterialPoint, Steel01};
use tandem_integrator::{Build, Integrator, IntegratorContext, Loading, METHODS, Problem};
use tandem_quantity::{Entry, Method, Motion, Snapshot, SnapshotError};
use tandem_quantity::{StateReader, Value, Values};
use tandem_structure::{Linear, Matrix, Structure, StructureProperties, storey_matrix};

/// The defaults of a method's parameters, as the plan would fill them in.
pub fn defaults(method: &Method) -> Values {
    let mut values = Values::new();
    for parameter in method.parameters {
        if let Some(default) = parameter.default_value() {
            values.set(parameter.key, default);
        }
    }
    values
}

pub fn entry(name: &str) -> &'static Entry<Build> {
    Entry::find(METHODS, name).unwrap()
}

/// A method with its defaults, but for what is given.
pub fn build(
    name: &str,
    given: &[(&str, Value)],
    problem: Problem,
    loading: &dyn Loading,
) -> Box<dyn Integrator> {
    let entry = entry(name);
    let mut values = defaults(&entry.method);
    for (key, value) in given {
        assert!(entry.method.parameters.iter().any(|p| p.key == *key));
        values.set(*key, value.clone());
    }
    (entry.build)(&values, problem, &IntegratorContext::of(loading))
        .unwrap_or_else(|e| panic!("{name}: {e}"))
}

pub fn one(x: f64) -> Matrix {
    Matrix::diagonal(&[x])
}

/// An oscillator from mass, damping and stiffness.
pub fn oscillator(mass: f64, damping: f64, stiffness: f64) -> Linear {
    Linear::new(one(mass), one(damping), one(stiffness)).unwrap()
}

/// Storeys as bilinear springs on top of each other; b_K puts damping on the change of the tangent.
pub struct Building {
    properties: StructureProperties,
    pub storeys: Vec<MaterialPoint>,
    pub tangents: Vec<f64>,
    initial: Vec<f64>,
    /// Tangents of the committed state.
    committed: Vec<f64>,
    /// b_K (s): damping force b_K (K_T − K₀) v besides the matrix's, with the committed tangent.
    pub tangent_damping: f64,
    /// What the weight takes from the stiffness of every storey (P-Delta), as a share of its
    /// spring.
    gravity: f64,
}

impl Building {
    pub fn new(mass: Matrix, damping: Matrix, k: &[f64], yields: &[f64], hardening: f64) -> Self {
        let storeys = k
            .iter()
            .zip(yields)
            .map(|(k, fy)| Material::from(Steel01::new(*fy, *k, hardening).unwrap()).point())
            .collect();
        Self {
            properties: StructureProperties {
                is_linear: false,
                ..StructureProperties::new(mass, damping, storey_matrix(k).unwrap()).unwrap()
            },
            storeys,
            tangents: k.to_vec(),
            initial: k.to_vec(),
            committed: k.to_vec(),
            tangent_damping: 0.0,
            gravity: 0.0,
        }
    }

    /// With a weight that takes this share from the stiffness of every storey: beyond the hardening
    /// ratio it softens.
    pub fn with_gravity(mut self, share: f64) -> Self {
        let left: Vec<f64> = self.initial.iter().map(|k| k * (1.0 - share)).collect();
        self.properties.stiffness = storey_matrix(&left).unwrap();
        self.gravity = share;
        self
    }
}

impl Snapshot for Building {
    fn save(&self, into: &mut Vec<f64>) {
        self.storeys.save(into);
        self.tangents.save(into);
        self.committed.save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.storeys.restore(from)?;
        self.tangents.restore(from)?;
        self.committed.restore(from)
    }
}

impl Structure for Building {
    fn properties(&self) -> &StructureProperties {
        &self.properties
    }
    fn restoring_force(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]) {
        force.fill(0.0);
        for (i, storey) in self.storeys.iter_mut().enumerate() {
            let drift = |x: &[f64]| if i == 0 { x[0] } else { x[i] - x[i - 1] };
            let response = storey.trial(Drive::at(drift(displacement)));
            self.tangents[i] = response.tangent;
            let softer = self.committed[i] - self.initial[i];
            let weight = self.gravity * self.initial[i] * drift(displacement);
            let f = response.stress - weight + self.tangent_damping * softer * drift(velocity);
            force[i] += f;
            if i > 0 {
                force[i - 1] -= f;
            }
        }
    }
    fn tangent(&self, stiffness: &mut Matrix) {
        stiffness.clear();
        for (i, (k, initial)) in self.tangents.iter().zip(&self.initial).enumerate() {
            let k = k - self.gravity * initial;
            stiffness.add_at(i, i, k);
            if i > 0 {
                stiffness.add_at(i - 1, i - 1, k);
                stiffness.add_at(i, i - 1, -k);
                stiffness.add_at(i - 1, i, -k);
            }
        }
    }
    fn commit(&mut self) {
        self.storeys.iter_mut().for_each(MaterialPoint::commit);
        self.committed.copy_from_slice(&self.tangents);
    }
    fn revert(&mut self) {
        self.storeys.iter_mut().for_each(MaterialPoint::revert);
    }
}

/// El Centro in m/s²; the reference programs took g = 9.81 m/s².
pub fn el_centro() -> impl Fn(f64) -> f64 + Clone + Send {
    let in_g = tandem_test_support::records::el_centro();
    move |time| 9.81 * in_g(time)
}

/// f = K d + C v + M a at a question, all matrices by rows.
pub fn linear_answer(
    specimen_matrices: &tandem_quantity::SpecimenMatrices,
    at: &Motion,
    force: &mut [f64],
) {
    use tandem_quantity::SpecimenMatrices as I;
    force.fill(0.0);
    I::mul_add(&specimen_matrices.stiffness, 1.0, &at.displacement, force);
    I::mul_add(&specimen_matrices.damping, 1.0, &at.velocity, force);
    I::mul_add(&specimen_matrices.mass, 1.0, &at.acceleration, force);
}
