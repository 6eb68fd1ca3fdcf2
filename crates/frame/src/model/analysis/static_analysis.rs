//! Newton's method on a load path.

use super::AnalysisError;
use crate::model::dof::Dof;
use crate::model::frame::Model;
use crate::model::load::{LoadCase, Loads};
use tandem_structure::{Factor, Matrix, Structure, linalg::dot};

/// How a static analysis iterates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticSettings {
    /// Equilibrium is reached when the norm of the unbalanced forces is this part of that of all
    /// forces.
    pub tolerance: f64,
    /// Iterations of one increment.
    pub iterations: usize,
    /// Shortens steps that do not bring the unbalanced forces down.
    pub line_search: bool,
    /// How often an increment may be halved.
    pub halvings: u32,
}

impl Default for StaticSettings {
    fn default() -> Self {
        Self {
            tolerance: 1e-11,
            iterations: 30,
            line_search: true,
            halvings: 10,
        }
    }
}

/// What an increment prescribes.
#[derive(Clone, Copy, Debug)]
enum Control {
    Load(f64),
    /// Free degree of freedom and its displacement.
    Displacement(usize, f64),
}

/// A load case on a model, and how much of it acts.
#[derive(Clone, Debug)]
pub struct StaticAnalysis {
    settings: StaticSettings,
    case: Loads,
    /// The case over the free degrees of freedom: nodal forces, and with the clamped forces of
    /// members.
    nodal: Vec<f64>,
    pattern: Vec<f64>,
    factor: f64,
    has_uniform: bool,
    stiffness: Matrix,
    solver: Factor,
    displacement: Vec<f64>,
    trial: Vec<f64>,
    rest: Vec<f64>,
    residual: Vec<f64>,
    step: Vec<f64>,
    sensitivity: Vec<f64>,
}

impl StaticAnalysis {
    /// An analysis of `model` under `case`, none of which acts yet.
    pub fn new(
        model: &Model,
        case: &LoadCase,
        settings: StaticSettings,
    ) -> Result<Self, AnalysisError> {
        let case = model.resolve(case)?;
        let free = model.properties().dof();
        let mut nodal = vec![0.0; free];
        model.expansion.reduce(&case.nodal, &mut nodal);
        let mut pattern = vec![0.0; free];
        let mut all = case.nodal.clone();
        model.add_clamped_loads(&case, &mut all);
        model.expansion.reduce(&all, &mut pattern);
        let stiffness = model.properties().stiffness.clone();
        let solver = stiffness.factor().map_err(|e| e.of("stiffness"))?;
        Ok(Self {
            settings,
            has_uniform: case.has_uniform(),
            case,
            nodal,
            pattern,
            factor: 0.0,
            stiffness,
            solver,
            displacement: model.committed_displacement().to_vec(),
            trial: vec![0.0; free],
            rest: vec![0.0; free],
            residual: vec![0.0; free],
            step: vec![0.0; free],
            sensitivity: vec![0.0; free],
        })
    }

    /// How much of the load case acts.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// Goes to a load factor and commits.
    pub fn load_to(&mut self, model: &mut Model, factor: f64) -> Result<(), AnalysisError> {
        let start = self.factor;
        self.in_parts(model, |part| Control::Load(start + part * (factor - start)))
    }

    /// Goes to a displacement (from the state under constant loads) of one degree of freedom, finds
    /// the load factor, and commits.
    pub fn push_to(
        &mut self,
        model: &mut Model,
        node: usize,
        dof: Dof,
        displacement: f64,
    ) -> Result<f64, AnalysisError> {
        let free = model.free_dof(node, dof)?.ok_or(AnalysisError::NotFree)?;
        let start = model.committed_displacement()[free];
        self.in_parts(model, |part| {
            Control::Displacement(free, start + part * (displacement - start))
        })?;
        Ok(self.factor)
    }

    /// Makes the loads that act now constant and lets displacements count from here.
    pub fn keep(self, model: &mut Model) -> Result<(), AnalysisError> {
        model.loads.add(self.factor, &self.case);
        for (load, part) in model.load.iter_mut().zip(&self.nodal) {
            *load += self.factor * part;
        }
        model.set_datum();
        model.make_matrices()?;
        Ok(())
    }

    /// Goes along a path from 0 to 1, in smaller parts where that does not converge.
    fn in_parts(
        &mut self,
        model: &mut Model,
        path: impl Fn(f64) -> Control,
    ) -> Result<(), AnalysisError> {
        let (mut done, mut part) = (0.0, 1.0);
        let least = 0.5_f64.powi(i32::try_from(self.settings.halvings).unwrap_or(30));
        while done < 1.0 {
            let reach = if done + part > 1.0 - 1e-12 {
                1.0
            } else {
                done + part
            };
            match self.increment(model, path(reach)) {
                Ok(factor) => {
                    self.factor = factor;
                    self.set_member_loads(model, factor);
                    model.commit_elements();
                    done = reach;
                }
                Err(residual) => {
                    model.revert_elements();
                    self.set_member_loads(model, self.factor);
                    part *= 0.5;
                    if part < least {
                        let factor = self.factor;
                        return Err(AnalysisError::NoConvergence { factor, residual });
                    }
                }
            }
        }
        Ok(())
    }

    fn set_member_loads(&self, model: &mut Model, factor: f64) {
        if self.has_uniform {
            model.set_member_loads(factor, &self.case);
        }
    }

    /// Unbalanced forces at `self.trial`, their norm, and the norm of all forces.
    fn unbalance(&mut self, model: &mut Model, factor: f64) -> (f64, f64) {
        self.set_member_loads(model, factor);
        model.evaluate(&self.trial, &self.rest);
        model.reduce(&mut self.residual);
        for (residual, load) in self.residual.iter_mut().zip(&self.nodal) {
            *residual = factor * load - *residual;
        }
        let norm = |values: &[f64]| dot(values, values).sqrt();
        let scale = norm(&model.all_force) + factor.abs() * norm(&self.nodal) + norm(&model.load);
        (norm(&self.residual), scale)
    }

    /// One increment by Newton's method. Returns the load factor, or the residual that was left.
    fn increment(&mut self, model: &mut Model, control: Control) -> Result<f64, f64> {
        self.displacement
            .copy_from_slice(model.committed_displacement());
        self.trial.copy_from_slice(&self.displacement);
        let mut factor = match control {
            Control::Load(factor) => factor,
            Control::Displacement(..) => self.factor,
        };
        let (mut size, mut scale) = self.unbalance(model, factor);
        let mut best = f64::INFINITY;
        for iteration in 0..self.settings.iterations {
            let reached = match control {
                Control::Load(_) => true,
                Control::Displacement(..) => iteration > 0,
            };
            if reached && size <= self.settings.tolerance * scale {
                return Ok(factor);
            }
            if !size.is_finite() {
                return Err(best);
            }
            if iteration > 0 {
                best = best.min(size / scale);
            }
            model.tangent(&mut self.stiffness);
            if self.solver.refactor(&self.stiffness).is_err() {
                return Err(best);
            }
            self.step.copy_from_slice(&self.residual);
            self.solver.solve_in_place(&mut self.step);
            let mut change = 0.0;
            if let Control::Displacement(dof, target) = control {
                // Batoz & Dhatt 1979: the load factor follows from the prescribed displacement.
                self.sensitivity.copy_from_slice(&self.pattern);
                self.solver.solve_in_place(&mut self.sensitivity);
                change = (target - self.displacement[dof] - self.step[dof]) / self.sensitivity[dof];
                if !change.is_finite() {
                    return Err(best);
                }
                for (step, s) in self.step.iter_mut().zip(&self.sensitivity) {
                    *step += change * s;
                }
            }
            let before = size;
            let mut part = 1.0;
            loop {
                for i in 0..self.trial.len() {
                    self.trial[i] = self.displacement[i] + part * self.step[i];
                }
                if let Control::Displacement(dof, target) = control
                    && iteration == 0
                {
                    self.trial[dof] = target;
                }
                (size, scale) = self.unbalance(model, factor + part * change);
                let first = iteration == 0 && matches!(control, Control::Displacement(..));
                if !self.settings.line_search || first || size < before || part < 0.2 {
                    break;
                }
                // Noise: nothing is gained any more and little is left.
                if size <= 100.0 * self.settings.tolerance * scale
                    && before <= 100.0 * self.settings.tolerance * scale
                {
                    return Ok(factor + part * change);
                }
                part *= 0.5;
            }
            factor += part * change;
            self.displacement.copy_from_slice(&self.trial);
        }
        if size <= self.settings.tolerance * scale {
            Ok(factor)
        } else {
            Err(best.min(size / scale))
        }
    }
}
