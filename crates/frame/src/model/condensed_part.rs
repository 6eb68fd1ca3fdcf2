//! A part of a frame seen from its interface: other degrees of freedom follow statically.
//!
//! Ports: displacement and velocity of the controlled degrees of freedom → restoring force there, N
//! or N m, positive where it resists. Forces count from the state under constant loads.
//!
//! The free degrees of freedom inside have no mass: at each trial they take the place where their
//! forces vanish, by Newton's method with a line search from the last committed state, in smaller
//! parts where that does not settle. A frame that cracks or softens has more than one such place. A
//! sound answer keeps |Δr| ≤ |Δd| in the norm of the initial stiffness; where it does not, the way
//! there is taken again in small parts, and what remains is counted.

use tandem_quantity::{Attachment, Snapshot, SnapshotError, SpecimenMatrices, StateReader};

use super::division::mechanism;
use super::error::ModelError;
use super::frame::Model;
use super::stability::loose_dof;
use tandem_structure::{Factor, Matrix, Structure};

/// Unbalanced forces inside, as a part of all forces, at which a trial has settled.
const SETTLED: f64 = 1e-11;
/// The same for a trial that gains nothing any more.
const NOISE: f64 = 1e-8;
const MOST_ITERATIONS: usize = 30;
/// Iterations in which no part of Newton's step brings a gain before a trial is given up: a member
/// that jumps between two places has no balance in between, however often it is asked.
const MOST_STALLS: usize = 3;
/// Answers of two ways, as a part of all forces, that are the same one but for such a jump.
const JUMP: f64 = 1e-3;
/// Into how many parts a way is divided, one try after the other.
const PARTS: [u32; 4] = [1, 4, 16, 64];
/// |Δr|/|Δd| in the norm of the initial stiffness beyond which an answer is in doubt: squares, with room for rounding.
const SOUND: f64 = 1.01;

/// A part of a frame with its controlled and its free degrees of freedom.
#[derive(Clone, Debug)]
pub struct CondensedPart {
    model: Model,
    control: Vec<usize>,
    free: Vec<usize>,
    specimen_matrices: SpecimenMatrices,
    /// Its initial stiffness.
    stiffness: Matrix,
    /// Factor of the initial stiffness of the interface; none where it is singular.
    compliance: Option<Factor>,
    /// Places of the free block: (row, column) in it and in the model.
    places: Vec<[usize; 4]>,
    tangent: Matrix,
    inner: Matrix,
    solver: Option<Factor>,
    displacement: Vec<f64>,
    velocity: Vec<f64>,
    force: Vec<f64>,
    best: Vec<f64>,
    step: Vec<f64>,
    change: Vec<f64>,
    committed: Vec<f64>,
    committed_force: Vec<f64>,
    answer: Vec<f64>,
    condensed: Vec<f64>,
    failures: u64,
    doubts: u64,
}

impl CondensedPart {
    pub(super) fn new(
        model: Model,
        control: Vec<usize>,
        free: Vec<usize>,
    ) -> Result<Self, ModelError> {
        let dof = model.properties().dof();
        let (controls, frees) = (control.len(), free.len());
        let inside = |dof: usize| free.binary_search(&dof).ok();
        let places: Vec<[usize; 4]> = model
            .scatter
            .places()
            .into_iter()
            .filter_map(|(row, column)| Some([inside(row)?, inside(column)?, row, column]))
            .collect();
        let tangent = model.properties().stiffness.clone();
        let triplets: Vec<_> = places
            .iter()
            .map(|[i, j, row, column]| (*i, *j, tangent.get(*row, *column)))
            .collect();
        let inner = Matrix::from_triplets(frees, &triplets).map_err(|e| e.of("stiffness"))?;
        if let Some(row) = loose_dof(&inner) {
            return Err(ModelError::Mechanism {
                dof: free.get(row).copied().unwrap_or(0),
            });
        }
        let solver = match frees {
            0 => None,
            _ => Some(inner.factor().map_err(|error| mechanism(error, &free))?),
        };
        let mut part = Self {
            specimen_matrices: SpecimenMatrices::none(controls),
            stiffness: Matrix::zeros(controls),
            compliance: None,
            places,
            tangent,
            inner,
            solver,
            displacement: vec![0.0; dof],
            velocity: vec![0.0; dof],
            force: vec![0.0; dof],
            best: vec![0.0; frees],
            step: vec![0.0; frees],
            change: vec![0.0; controls],
            committed: vec![0.0; dof],
            committed_force: vec![0.0; controls],
            answer: vec![0.0; controls],
            condensed: vec![0.0; controls * controls],
            failures: 0,
            doubts: 0,
            model,
            control,
            free,
        };
        part.condense();
        part.stiffness = Matrix::from_dense(controls, &part.condensed)
            .map_err(|e| e.of("stiffness of the specimen"))?;
        part.specimen_matrices
            .stiffness
            .copy_from_slice(&part.condensed);
        part.compliance = part.stiffness.factor().ok();
        let dashpots: Vec<_> = {
            let own = |dof: usize| part.control.iter().position(|c| *c == dof);
            let all = part.model.properties().damping.triplets().into_iter();
            all.filter_map(|(i, j, value)| Some((own(i)?, own(j)?, value)))
                .collect()
        };
        part.specimen_matrices.damping = Matrix::from_triplets(controls, &dashpots)
            .map_err(|e| e.of("damping of the specimen"))?
            .to_dense();
        Ok(part)
    }

    /// The frame that the part consists of, over the free degrees of freedom of the whole.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Tells laws with a memory of time the time between two trials that are committed, s.
    pub fn set_time_step(&mut self, dt: f64) {
        self.model.set_time_step(dt);
    }

    /// Trials whose forces inside did not settle, and trials whose force changed more than the
    /// initial stiffness allows.
    #[must_use]
    pub fn troubles(&self) -> (u64, u64) {
        (self.failures, self.doubts)
    }

    /// Restoring force at a trial displacement and velocity of the interface, dashpots not
    /// included.
    pub fn answer(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]) {
        if self.model.properties().is_linear {
            for (k, dof) in self.control.iter().enumerate() {
                self.displacement[*dof] = displacement[k];
            }
            self.stiffness.mul_into(displacement, force);
            self.answer.copy_from_slice(force);
            return;
        }
        let mut settled = false;
        for parts in PARTS {
            settled = self.go_to(displacement, velocity, parts);
            self.read();
            if (settled && self.is_sound(displacement)) || self.free.is_empty() {
                force.copy_from_slice(&self.answer);
                return;
            }
            if !settled && parts > 1 && self.is_near(force) {
                break;
            }
            force.copy_from_slice(&self.answer);
        }
        if settled {
            self.doubts += 1;
        } else {
            self.failures += 1;
        }
        force.copy_from_slice(&self.answer);
    }

    fn read(&mut self) {
        for (answer, dof) in self.answer.iter_mut().zip(&self.control) {
            *answer = self.force[*dof];
        }
    }

    /// The answer is that of another way but for a jump of a member.
    fn is_near(&self, other: &[f64]) -> bool {
        let size = |force: &f64| force * force;
        let apart = self.answer.iter().zip(other).map(|(a, b)| size(&(a - b)));
        let all: f64 = self.answer.iter().map(size).sum();
        apart.sum::<f64>() <= JUMP * JUMP * all
    }

    /// Δrᵀ K⁻¹ Δr ≤ Δdᵀ K Δd since the last committed state.
    fn is_sound(&mut self, displacement: &[f64]) -> bool {
        let Some(compliance) = &mut self.compliance else {
            return true;
        };
        for (k, dof) in self.control.iter().enumerate() {
            self.change[k] = displacement[k] - self.committed[*dof];
        }
        let moved = self.stiffness.product(&self.change, &self.change);
        let answer = self.answer.iter().zip(&self.committed_force);
        for (change, (now, before)) in self.change.iter_mut().zip(answer) {
            *change = now - before;
        }
        compliance.solve_in_place(&mut self.change);
        let answer = self.answer.iter().zip(&self.committed_force);
        let resisted: f64 = self
            .change
            .iter()
            .zip(answer)
            .map(|(change, (now, before))| change * (now - before))
            .sum();
        resisted <= SOUND * moved || resisted <= 1e-18 * self.stored()
    }

    /// An energy of the present state, as the measure of rounding.
    fn stored(&self) -> f64 {
        let pairs = self.control.iter().zip(&self.answer);
        pairs
            .map(|(dof, force)| (self.displacement[*dof] * force).abs())
            .sum()
    }

    /// Goes from the committed state to a displacement in equal parts, each with its equilibrium
    /// inside.
    fn go_to(&mut self, displacement: &[f64], velocity: &[f64], parts: u32) -> bool {
        self.displacement.copy_from_slice(&self.committed);
        for (k, dof) in self.control.iter().enumerate() {
            self.velocity[*dof] = velocity[k];
        }
        let mut settled = true;
        for part in 1..=parts {
            let share = f64::from(part) / f64::from(parts);
            for (k, dof) in self.control.iter().enumerate() {
                let start = self.committed[*dof];
                self.displacement[*dof] = if part == parts {
                    displacement[k]
                } else {
                    start + share * (displacement[k] - start)
                };
            }
            settled = self.settle();
        }
        settled
    }

    /// Forces at the present displacement; the size of the unbalanced ones inside and of all.
    fn evaluate(&mut self) -> (f64, f64) {
        self.model
            .restoring_force(&self.displacement, &self.velocity, &mut self.force);
        let square =
            |dofs: &[usize]| -> f64 { dofs.iter().map(|dof| self.force[*dof].powi(2)).sum() };
        let all: f64 = self.model.all_force.iter().map(|force| force * force).sum();
        (square(&self.free).sqrt(), all.sqrt())
    }

    /// Newton's method on the free degrees of freedom.
    fn settle(&mut self) -> bool {
        let (mut size, mut scale) = self.evaluate();
        if self.free.is_empty() {
            return true;
        }
        let mut stalls = 0;
        for _ in 0..MOST_ITERATIONS {
            if size <= SETTLED * scale {
                return true;
            }
            self.tangent_inside();
            let Some(solver) = &mut self.solver else {
                return true;
            };
            if solver.refactor(&self.inner).is_err() {
                return false;
            }
            for (step, dof) in self.step.iter_mut().zip(&self.free) {
                *step = -self.force[*dof];
            }
            solver.solve_in_place(&mut self.step);
            for (best, dof) in self.best.iter_mut().zip(&self.free) {
                *best = self.displacement[*dof];
            }
            let before = size;
            let mut part = 1.0;
            loop {
                for (k, dof) in self.free.iter().enumerate() {
                    self.displacement[*dof] = self.best[k] + part * self.step[k];
                }
                (size, scale) = self.evaluate();
                if size < before || part < 0.1 {
                    break;
                }
                if size <= NOISE * scale && before <= NOISE * scale {
                    return true;
                }
                part *= 0.5;
            }
            if !size.is_finite() {
                return false;
            }
            stalls += usize::from(size >= before);
            if stalls == MOST_STALLS {
                break;
            }
        }
        size <= NOISE * scale
    }

    fn tangent_inside(&mut self) {
        self.model.tangent(&mut self.tangent);
        self.inner.clear();
        for [i, j, row, column] in &self.places {
            self.inner.add_at(*i, *j, self.tangent.get(*row, *column));
        }
    }

    /// K_cc − K_ci K_ii⁻¹ K_ic of the tangent at hand.
    fn condense(&mut self) {
        let n = self.control.len();
        if let Some(solver) = &mut self.solver
            && solver.refactor(&self.inner).is_err()
        {
            return;
        }
        for (j, column) in self.control.iter().enumerate() {
            for (step, row) in self.step.iter_mut().zip(&self.free) {
                *step = self.tangent.get(*row, *column);
            }
            if let Some(solver) = &mut self.solver {
                solver.solve_in_place(&mut self.step);
            }
            for (i, row) in self.control.iter().enumerate() {
                let inside: f64 = self
                    .free
                    .iter()
                    .zip(&self.step)
                    .map(|(dof, step)| self.tangent.get(*row, *dof) * step)
                    .sum();
                self.condensed[i * n + j] = self.tangent.get(*row, *column) - inside;
            }
        }
    }
}

impl Attachment for CondensedPart {
    fn specimen_matrices(&self) -> &SpecimenMatrices {
        &self.specimen_matrices
    }
    fn force(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]) {
        self.answer(displacement, velocity, force);
        if !self.model.properties().is_linear {
            self.tangent_inside();
            self.condense();
        }
    }
    fn tangent(&self, row: usize, column: usize) -> f64 {
        if self.model.properties().is_linear {
            return self.stiffness.get(row, column);
        }
        let n = self.control.len();
        self.condensed.get(row * n + column).copied().unwrap_or(0.0)
    }
    fn commit(&mut self) {
        self.model.commit();
        self.committed.copy_from_slice(&self.displacement);
        self.committed_force.copy_from_slice(&self.answer);
    }
    fn revert(&mut self) {
        self.model.revert();
        self.displacement.copy_from_slice(&self.committed);
        self.answer.copy_from_slice(&self.committed_force);
    }
    fn is_linear(&self) -> bool {
        self.model.properties().is_linear
    }
}

impl Snapshot for CondensedPart {
    fn save(&self, into: &mut Vec<f64>) {
        self.model.save(into);
        self.displacement.save(into);
        self.committed.save(into);
        self.committed_force.save(into);
        self.answer.save(into);
        self.condensed.save(into);
        self.failures.save(into);
        self.doubts.save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.model.restore(from)?;
        self.displacement.restore(from)?;
        self.committed.restore(from)?;
        self.committed_force.restore(from)?;
        self.answer.restore(from)?;
        self.condensed.restore(from)?;
        self.failures.restore(from)?;
        self.doubts.restore(from)
    }
}
