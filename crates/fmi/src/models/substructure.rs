//! A substructure: structure or specimen, tied to an interface.

use tandem_integrator::partitioned::{Newmark, Part};
use tandem_quantity::{Snapshot, SnapshotError, StateReader};
use tandem_structure::{Matrix, Structure};

use super::Variant;
use super::model::{FmuModel, Refused, Role, Variable, places};

/// A substructure of partitioned time integration.
///
/// Ports (ni interface rows, n degrees of freedom; variant A has n in place of ni and the whole
/// force vector `g`): `lambda` interface forces (N) and `ag` ground acceleration at the end of the
/// coming step (m/s²) → `v_free` (m/s) before the interface forces act, `u`, `v`, `a` of the last
/// coupled instant, `r` restoring force at the predictor of that instant (N). `H` is γ Δt L D⁻¹ Lᵀ.
/// In Model Exchange: states u, v; der(v) = M⁻¹ (Lᵀ λ − M_g ι a_g − C v − r(u, v)).
pub struct Substructure {
    make: Make,
    variant: Variant,
    rows: Vec<usize>,
    variables: Vec<Variable>,
    at: Places,
    n: usize,
    part: Option<Part>,
    /// A step was made whose interface forces have not acted yet.
    waiting: bool,
    exchange: Option<Exchange>,
    scratch: Vec<f64>,
}

/// Makes the structure for steps of some seconds.
pub type Make = Box<dyn Fn(f64) -> Result<Box<dyn Structure>, Refused> + Send>;

/// Where each variable's values are.
struct Places {
    dt: usize,
    gamma: usize,
    beta: usize,
    force: std::ops::Range<usize>,
    ground: usize,
    free: std::ops::Range<usize>,
    mobility: std::ops::Range<usize>,
    u: std::ops::Range<usize>,
    v: std::ops::Range<usize>,
    a: std::ops::Range<usize>,
    r: std::ops::Range<usize>,
    der_u: std::ops::Range<usize>,
    der_v: std::ops::Range<usize>,
}

impl Places {
    fn of(variables: &[Variable]) -> Self {
        let p = places(variables);
        let range = |i: usize| p.get(i).cloned().unwrap_or_default();
        Self {
            dt: range(0).start,
            gamma: range(1).start,
            beta: range(2).start,
            force: range(3),
            ground: range(4).start,
            free: range(5),
            mobility: range(6),
            u: range(7),
            v: range(8),
            a: range(9),
            r: range(10),
            der_u: range(11),
            der_v: range(12),
        }
    }
}

/// The structure of a model exchange.
struct Exchange {
    structure: Box<dyn Structure>,
    mass: tandem_structure::Factor,
    tangent: Matrix,
    per_unit: Vec<f64>,
}

/// Its variables, in the order of [`Places`], for `ni` interface forces.
fn variables(n: usize, ni: usize, variant: Variant, dt: f64, newmark: Newmark) -> Vec<Variable> {
    let parameter = |name, start, unit, about| Variable {
        name,
        dimensions: Vec::new(),
        role: Role::Parameter,
        start,
        unit,
        about,
    };
    let vector = |name, size, role, unit, about| Variable {
        name,
        dimensions: vec![size],
        role,
        start: 0.0,
        unit,
        about,
    };
    let (force, about) = match variant {
        Variant::A => ("g", "forces at all degrees of freedom"),
        Variant::B => ("lambda", "interface forces"),
    };
    let mut variables = vec![
        parameter("dt", dt, "s", "step of the integrator"),
        parameter("gamma", newmark.gamma, "", "gamma of Newmark's method"),
        parameter(
            "beta",
            newmark.beta,
            "",
            "beta of Newmark's method; 0 is explicit",
        ),
        vector(force, ni, Role::Input, "N", about),
        Variable {
            name: "ag",
            dimensions: Vec::new(),
            role: Role::Input,
            start: 0.0,
            unit: "m/s2",
            about: "ground acceleration; Co-Simulation: of the end of the coming step",
        },
        vector(
            "v_free",
            ni,
            Role::Output,
            "m/s",
            "velocity before interface forces act",
        ),
        vector(
            "H",
            0,
            Role::Calculated,
            "s/kg",
            "gamma dt L inv(D) L', by rows",
        ),
        vector("u", n, Role::State, "m", "displacement"),
        vector("v", n, Role::State, "m/s", "velocity"),
        vector("a", n, Role::Output, "m/s2", "acceleration"),
        vector("r", n, Role::Output, "N", "restoring force"),
    ];
    if let Some(mobility) = variables.get_mut(6) {
        mobility.dimensions = vec![ni, ni];
    }
    variables.push(vector(
        "der(u)",
        n,
        Role::Derivative(7),
        "m/s",
        "derivative of u",
    ));
    variables.push(vector(
        "der(v)",
        n,
        Role::Derivative(8),
        "m/s2",
        "derivative of v",
    ));
    variables
}

impl Substructure {
    /// A substructure of n degrees of freedom, `rows` of them tied to the interface, with the step
    /// and Newmark constants it is to start with.
    pub fn new(
        make: Make,
        n: usize,
        rows: Vec<usize>,
        variant: Variant,
        dt: f64,
        newmark: Newmark,
    ) -> Self {
        let ni = match variant {
            Variant::A => n,
            Variant::B => rows.len(),
        };
        let variables = variables(n, ni, variant, dt, newmark);
        let at = Places::of(&variables);
        Self {
            make,
            variant,
            rows,
            variables,
            at,
            n,
            part: None,
            waiting: false,
            exchange: None,
            scratch: vec![0.0; n],
        }
    }

    /// Puts what the part knows into the values.
    fn publish(&self, values: &mut [f64]) {
        let Some(part) = &self.part else { return };
        values[self.at.u.clone()].copy_from_slice(part.displacement());
        values[self.at.v.clone()].copy_from_slice(part.velocity());
        values[self.at.a.clone()].copy_from_slice(part.acceleration());
        // Before the next predictor is evaluated: it belongs to the same instant.
        values[self.at.r.clone()].copy_from_slice(part.restoring());
        values[self.at.der_u.clone()].copy_from_slice(part.velocity());
        values[self.at.der_v.clone()].copy_from_slice(part.acceleration());
    }

    fn publish_free(&self, values: &mut [f64]) {
        let Some(part) = &self.part else { return };
        match self.variant {
            Variant::A => values[self.at.free.clone()].copy_from_slice(part.velocity()),
            Variant::B => part.velocity_at_rows(&mut values[self.at.free.clone()]),
        }
    }

    /// Σ Lᵀ λ over all degrees of freedom, into the scratch.
    fn spread(&mut self, forces: &[f64]) {
        match self.variant {
            Variant::A => self.scratch.copy_from_slice(forces),
            Variant::B => {
                self.scratch.fill(0.0);
                for (row, force) in self.rows.iter().zip(forces) {
                    self.scratch[*row] += force;
                }
            }
        }
    }

    /// γ Δt D⁻¹ for variant A: all degrees of freedom are tied.
    fn tied(&self) -> Vec<usize> {
        match self.variant {
            Variant::A => (0..self.n).collect(),
            Variant::B => self.rows.clone(),
        }
    }
}

/// Refusals of the builders, in words.
fn never(error: impl std::fmt::Display) -> Refused {
    Refused(error.to_string())
}

impl FmuModel for Substructure {
    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn initialise(&mut self, values: &mut [f64]) -> Result<(), Refused> {
        let dt = values[self.at.dt];
        let newmark = Newmark {
            gamma: values[self.at.gamma],
            beta: values[self.at.beta],
        };
        if !(dt > 0.0 && dt.is_finite() && newmark.gamma > 0.0 && newmark.beta >= 0.0) {
            return Err(Refused(
                "dt and gamma must be positive, beta not negative".into(),
            ));
        }
        let structure = (self.make)(dt)?;
        let mut part =
            Part::new(structure, self.tied(), newmark, dt).map_err(|e| never(e.message))?;
        part.place(&values[self.at.u.clone()], &values[self.at.v.clone()]);
        part.start(values[self.at.ground]);
        let forces = values[self.at.force.clone()].to_vec();
        part.start_coupled(&forces);
        values[self.at.mobility.clone()].copy_from_slice(part.mobility());
        self.part = Some(part);
        self.waiting = false;
        self.publish(values);
        self.publish_free(values);
        let structure = (self.make)(dt)?;
        // Without a regular mass there is no model exchange, but there may be co-simulation.
        if let Ok(mass) = structure.properties().mass.factor() {
            let per_unit = structure.properties().ground_force();
            self.exchange = Some(Exchange {
                mass,
                tangent: structure.properties().stiffness.clone(),
                per_unit,
                structure,
            });
        }
        Ok(())
    }

    fn step_size(&self, values: &[f64]) -> Option<f64> {
        Some(values[self.at.dt])
    }

    fn step(&mut self, values: &mut [f64], _size: f64) -> Result<(), Refused> {
        let Some(part) = &mut self.part else {
            return Err(Refused("it was not initialised".into()));
        };
        // The interface forces that belong to the step before come only now: no output of a step
        // hangs on an input of it.
        if self.waiting {
            part.couple(&values[self.at.force.clone()]);
        }
        self.publish(values);
        if let Some(part) = &mut self.part {
            part.predict();
            part.evaluate();
            part.free(values[self.at.ground]);
        }
        self.waiting = true;
        self.publish_free(values);
        Ok(())
    }

    fn is_ready(&self) -> bool {
        self.part.is_some()
    }

    fn states(&self) -> usize {
        2 * self.n
    }

    fn evaluate(&mut self, values: &mut [f64]) -> Result<(), Refused> {
        let forces = values[self.at.force.clone()].to_vec();
        self.spread(&forces);
        let Some(exchange) = &mut self.exchange else {
            return Err(Refused(
                "a degree of freedom has no mass: no Model Exchange".into(),
            ));
        };
        let (u, v) = (
            values[self.at.u.clone()].to_vec(),
            values[self.at.v.clone()].to_vec(),
        );
        let structure = &mut exchange.structure;
        structure.restoring_force(&u, &v, &mut values[self.at.r.clone()]);
        let ground = values[self.at.ground];
        for ((a, unit), r) in self
            .scratch
            .iter_mut()
            .zip(&exchange.per_unit)
            .zip(&values[self.at.r.clone()])
        {
            *a += unit * ground - r;
        }
        structure
            .properties()
            .damping
            .mul_add(-1.0, &v, &mut self.scratch);
        exchange.mass.solve_in_place(&mut self.scratch);
        values[self.at.a.clone()].copy_from_slice(&self.scratch);
        values[self.at.der_v.clone()].copy_from_slice(&self.scratch);
        values[self.at.der_u.clone()].copy_from_slice(&v);
        match self.variant {
            Variant::A => values[self.at.free.clone()].copy_from_slice(&v),
            Variant::B => {
                for (i, row) in self.rows.iter().enumerate() {
                    values[self.at.free.start + i] = v[*row];
                }
            }
        }
        Ok(())
    }

    fn accept(&mut self, values: &mut [f64]) -> Result<(), Refused> {
        self.evaluate(values)?;
        if let Some(exchange) = &mut self.exchange {
            exchange.structure.commit();
        }
        Ok(())
    }

    fn sensitivities(&mut self, values: &[f64], changes: &mut [f64]) -> Result<(), Refused> {
        let forces = changes[self.at.force.clone()].to_vec();
        self.spread(&forces);
        let Some(exchange) = &mut self.exchange else {
            return Err(Refused(
                "a degree of freedom has no mass: no Model Exchange".into(),
            ));
        };
        let (u, v) = (
            values[self.at.u.clone()].to_vec(),
            values[self.at.v.clone()].to_vec(),
        );
        let (du, dv) = (
            changes[self.at.u.clone()].to_vec(),
            changes[self.at.v.clone()].to_vec(),
        );
        let mut dr = vec![0.0; self.n];
        exchange.structure.restoring_force(&u, &v, &mut dr);
        exchange.structure.tangent(&mut exchange.tangent);
        exchange.tangent.mul_into(&du, &mut dr);
        let ground = changes[self.at.ground];
        for ((a, unit), r) in self.scratch.iter_mut().zip(&exchange.per_unit).zip(&dr) {
            *a += unit * ground - r;
        }
        exchange
            .structure
            .properties()
            .damping
            .mul_add(-1.0, &dv, &mut self.scratch);
        exchange.mass.solve_in_place(&mut self.scratch);
        changes[self.at.a.clone()].copy_from_slice(&self.scratch);
        changes[self.at.der_v.clone()].copy_from_slice(&self.scratch);
        changes[self.at.der_u.clone()].copy_from_slice(&dv);
        changes[self.at.r.clone()].copy_from_slice(&dr);
        match self.variant {
            Variant::A => changes[self.at.free.clone()].copy_from_slice(&dv),
            Variant::B => {
                for (i, row) in self.rows.iter().enumerate() {
                    changes[self.at.free.start + i] = dv[*row];
                }
            }
        }
        Ok(())
    }
}

impl Snapshot for Substructure {
    fn save(&self, into: &mut Vec<f64>) {
        self.waiting.save(into);
        (self.part.is_some()).save(into);
        if let Some(part) = &self.part {
            part.save(into);
        }
        if let Some(exchange) = &self.exchange {
            exchange.structure.save(into);
        }
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.waiting.restore(from)?;
        let mut there = false;
        there.restore(from)?;
        match (&mut self.part, there) {
            (Some(part), true) => part.restore(from)?,
            (_, false) => {
                self.part = None;
                return Ok(());
            }
            (None, true) => return Err(SnapshotError),
        }
        match &mut self.exchange {
            Some(exchange) => exchange.structure.restore(from),
            None => Ok(()),
        }
    }
}
