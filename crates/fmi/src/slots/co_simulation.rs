//! `[structure] kind = "fmu"` with `[integration] method = "fmu"`: a structure that another tool
//! has modelled and that integrates by itself.
//!
//! ```text
//!   t_k: specimen's force r_k at u(t_k)  ──▶  doStep(t_k → t_k + Δt) with −r_k and a_g(t_k + Δt/2) held  ──▶  u(t_k + Δt): next target
//! ```
//!
//! The inputs of a Co-Simulation stand still within a step. The ground acceleration is known
//! beforehand, so that its value at mid-step keeps the second order; of the specimen nobody knows
//! more than its force at the step's beginning, which therefore is half a step old on the average
//! and a whole one at its end. Against a spring k this is a damper of −k Δt/2. Continued to
//! mid-step with its last two values, (3 r_k − r_{k−1})/2, it has no delay to the first order; what
//! is left against a spring is a damper of −k ω² Δt³/4 (both follow from the transfer function of
//! the hold).

use std::sync::Arc;
use std::time::Duration;

use crate::{Interface, Ports};
use tandem_integrator::{
    Answer, Build, Integrator, IntegratorProperties, IntegratorView, Loading, Problem, Readiness,
    integrator_fields,
};
use tandem_quantity::{
    BuildError, Dimension, Entry, ExternalModel, Method, Motion, Range, Settings, Snapshot,
    SnapshotError, StateReader, Values, choice, settings,
};
use tandem_signal::record::Record;

use super::settings::REFERENCE;
use super::structure::FmuStructureSettings;
use super::{Asked, FmuSlot, Way, refuse, unpack, write};
use tandem_integrator::not_stepped;

pub use super::settings::NAME;

/// What `[integration]` writes.
pub const METHOD: Entry<Build> = Entry {
    method: Method {
        name: NAME,
        summary: "the structure is a Co-Simulation FMU, which integrates by itself; the specimen's \
            force is held over its step",
        reference: REFERENCE,
        parameters: FmuIntegration::PARAMETERS,
    },
    build: &not_stepped,
};

choice! {
    /// What an FMU that integrates by itself feels of the specimen in a step.
    pub enum ForceInStep {
        /// The force of the step's beginning.
        Held = "held",
        /// The force continued to the middle of the step.
        Extrapolated = "extrapolated",
    }
}

settings! {
    /// What the plan writes of its integration.
    pub struct FmuIntegration {
        /// step of structural time from one communication point of the FMU to the next
        pub dt: f64 = number(Dimension::TIME).positive(),
        /// λ: wall time over structural time
        pub time_scale: f64 = number(Dimension::NONE).or("1.0").within(Range::between(1e-3, 1e5)),
        /// structural time of the test; default: that of the excitation
        pub duration: Option<f64> = number(Dimension::TIME).positive(),
        /// what the FMU feels of the specimen in a step: its force at the beginning, half a step
        /// old on the average; or continued to the middle with the force before, without that
        /// delay, but with 1.6 times the noise
        pub force: ForceInStep = choice(ForceInStep::WORDS).or("\"held\""),
    }
}

/// The FMU, before it is known which of its displacements the specimen shares.
pub struct Model {
    running: FmuSlot,
    displacement: Ports,
    velocity: Option<Ports>,
    acceleration: Option<Ports>,
    force: Ports,
    ground: Option<Ports>,
}

impl Model {
    /// Opens the FMU of `[structure]` and initialises it, for steps of `dt` seconds.
    pub fn read(values: &Values, dt: f64) -> Result<Self, BuildError> {
        let settings = FmuStructureSettings::read(values)?;
        let host = &settings.host;
        if settings.mass.is_some() {
            return Err(BuildError::new(
                "mass",
                "a Co-Simulation integrates by itself, with the mass that it has",
                "remove this key",
            ));
        }
        let fmu = unpack(&settings.file, &host.start)?;
        if fmu.description.offer(Interface::CoSimulation).is_err() {
            return Err(BuildError::new(
                "fmu",
                "it has no Co-Simulation, so that it cannot integrate by itself",
                "take a time-stepping method for [integration], such as \"newmark-explicit\"",
            ));
        }
        let mut running = FmuSlot::begin(host, fmu, "structure", Interface::CoSimulation, dt)?;
        let displacement = running.ports(Asked {
            key: "displacement",
            written: settings.displacement.as_deref(),
            usual: &["u"],
            way: Way::Out,
            n: None,
            needed: true,
        })?;
        let displacement = displacement.unwrap_or_default();
        let derivative = |key, written: &Option<Vec<String>>, usual| {
            running.ports(Asked {
                key,
                written: written.as_deref(),
                usual: &[usual],
                way: Way::Out,
                n: Some(displacement.len()),
                needed: false,
            })
        };
        let velocity = derivative("velocity", &settings.velocity, "v")?;
        let acceleration = derivative("acceleration", &settings.acceleration, "a")?;
        let force = running.ports(Asked {
            key: "force",
            written: settings.force.as_deref(),
            usual: &["g", "lambda"],
            way: Way::In,
            n: None,
            needed: true,
        })?;
        let force = force.unwrap_or_default();
        let ground = running.ports(Asked {
            key: "ground",
            written: settings.ground.as_ref().map(std::slice::from_ref),
            usual: &["ag"],
            way: Way::In,
            n: Some(1),
            needed: false,
        })?;
        for (ports, unit) in [(Some(&displacement), "m"), (velocity.as_ref(), "m/s")] {
            let Some(ports) = ports else { continue };
            let mut start = vec![0.0; ports.len()];
            ports
                .read(running.stepping.instance(), &mut start)
                .map_err(|e| refuse(&e))?;
            if let Some((x, name)) = start.iter().zip(ports.names()).find(|(x, _)| **x != 0.0) {
                return Err(BuildError::new(
                    "start",
                    format!("`{name}` is {x} {unit} at the start, and a test begins at rest"),
                    "let the FMU start at rest (start = [\"name=value\"])",
                ));
            }
        }
        Ok(Self {
            running,
            displacement,
            velocity,
            acceleration,
            force,
            ground,
        })
    }

    /// Names of the displacements.
    pub fn labels(&self) -> &[String] {
        self.displacement.names()
    }

    /// What is worth a warning before the test.
    pub fn warnings(&self, shaken: bool) -> Vec<String> {
        let mut warnings = Vec::new();
        if shaken && self.ground.is_none() {
            warnings.push(
                "The FMU of the structure has no input for the ground acceleration \
                (structure.ground): the excitation does nothing to it."
                    .to_owned(),
            );
        }
        let description = &self.running.fmu.description;
        if description.find("v_free").is_some() || description.find("v_free[1]").is_some() {
            warnings.push(
                "The FMU of the structure is made for a coupling (it has v_free): its \
                displacements are those of a step's beginning, so that \
                 everything comes one step later still. Its Model Exchange, with a time-stepping \
                 method, has no such delay."
                    .to_owned(),
            );
        }
        warnings
    }

    /// Where the force of each interface degree of freedom goes.
    fn places(&self, interface: &[usize]) -> Result<Vec<usize>, BuildError> {
        let (n, m) = (self.displacement.len(), interface.len());
        match self.force.len() {
            found if found == n => Ok(interface.to_vec()),
            found if found == m => Ok((0..m).collect()),
            found => Err(BuildError::new(
                "force",
                format!("{found} forces for {n} displacements, {m} of them at the interface"),
                format!(
                    "name {m} inputs, in the order of interface.dof, or {n}, in the order of the \
                    displacements"
                ),
            )),
        }
    }
}

/// Ports: restoring force at the interface (N) and ground acceleration (m/s²) → motion at the end
/// of the coming step (m, m/s, m/s²).
pub struct SelfStepping {
    model: Model,
    properties: IntegratorProperties,
    problem: Problem,
    record: Arc<Record>,
    places: Vec<usize>,
    forces: Vec<f64>,
    /// The specimen's force one step before, where it is continued.
    before: Option<Vec<f64>>,
    /// All displacements of the FMU at its own time, which is the end of the coming step.
    ahead: Motion,
    target: Motion,
    response: Motion,
    steps: u64,
    /// Steps of the test: beyond, the FMU is not asked.
    last: u64,
}

impl SelfStepping {
    /// The FMU at rest, for a test of `last` steps; `extrapolated`: the specimen's force is
    /// continued to mid-step. The first step, in which the specimen gives no force yet, is made
    /// here.
    pub fn new(
        model: Model,
        problem: Problem,
        record: Arc<Record>,
        last: u64,
        extrapolated: bool,
    ) -> Result<Self, BuildError> {
        let (n, m) = (model.displacement.len(), problem.interface.len());
        let mut this = Self {
            places: model.places(&problem.interface)?,
            forces: vec![0.0; model.force.len()],
            before: extrapolated.then(|| vec![0.0; m]),
            ahead: Motion::at_rest(n),
            target: Motion::at_rest(m),
            response: Motion::at_rest(n),
            steps: 0,
            last,
            model,
            properties: IntegratorProperties {
                // What it computes is its own affair, which a record must not hang on.
                is_external: true,
                holds_force: !extrapolated,
                ..IntegratorProperties::of(problem.dt)
            },
            problem,
            record,
        };
        this.advance();
        match this.model.running.health.fault_message() {
            Some(text) => Err(BuildError::new(
                "fmu",
                text,
                "look at it with `tandem fmu simulate`",
            )),
            None => Ok(this),
        }
    }

    /// One step of the FMU, with the forces as they stand.
    fn advance(&mut self) {
        let Self {
            model,
            ahead,
            response,
            forces,
            ..
        } = self;
        let dt = self.problem.dt;
        let begin = self.steps as f64 * dt;
        let ground = [self.record.at(begin + 0.5 * dt)];
        let Model {
            running,
            displacement,
            velocity,
            acceleration,
            force,
            ground: shaken,
        } = model;
        running.step(
            dt,
            |instance| {
                force.write(instance, forces)?;
                write(shaken.as_ref(), instance, &ground)
            },
            |instance| {
                displacement.read(instance, &mut ahead.displacement)?;
                displacement.check(&ahead.displacement, begin + dt)?;
                differentiate(
                    velocity.as_ref(),
                    instance,
                    [&ahead.displacement, &response.displacement],
                    (&mut ahead.velocity, begin + dt, dt),
                )?;
                differentiate(
                    acceleration.as_ref(),
                    instance,
                    [&ahead.velocity, &response.velocity],
                    (&mut ahead.acceleration, begin + dt, dt),
                )
            },
        );
        for (place, dof) in self.problem.interface.iter().enumerate() {
            self.target.displacement[place] = self.ahead.displacement[*dof];
            self.target.velocity[place] = self.ahead.velocity[*dof];
            self.target.acceleration[place] = self.ahead.acceleration[*dof];
        }
    }
}

/// A derivative as the FMU gives it, or from the difference of two steps.
fn differentiate(
    ports: Option<&Ports>,
    instance: &mut dyn crate::Instance,
    [now, before]: [&[f64]; 2],
    (into, time, dt): (&mut [f64], f64, f64),
) -> Result<(), crate::FmuError> {
    match ports {
        Some(ports) => {
            ports.read(instance, into)?;
            ports.check(into, time)
        }
        None => {
            for ((x, now), before) in into.iter_mut().zip(now).zip(before) {
                *x = (now - before) / dt;
            }
            Ok(())
        }
    }
}

impl Integrator for SelfStepping {
    integrator_fields!(response);

    fn poll(&mut self, _at_most: Duration) -> Readiness {
        match self.model.running.health.fault_message() {
            Some(_) => Readiness::Lost,
            None => Readiness::Ready,
        }
    }

    fn feed(&mut self, answer: Answer<'_>, _loading: &dyn Loading) -> bool {
        self.response.copy_from(&self.ahead);
        self.steps += 1;
        // The specimen resists: it pushes the structure back.
        for (place, force) in self.places.iter().zip(answer.force) {
            self.forces[*place] = -force;
        }
        if let Some(before) = &mut self.before {
            let both = before.iter_mut().zip(answer.force);
            for (place, (before, force)) in self.places.iter().zip(both) {
                self.forces[*place] -= 0.5 * (force - *before);
                *before = *force;
            }
        }
        if self.steps < self.last {
            self.advance();
        }
        true
    }

    /// The FMU stands where it stands; only what is told of it changes.
    fn start_from(&mut self, motion: &Motion, _loading: &dyn Loading) {
        self.response.copy_from(motion);
    }

    fn observe(&self) -> &dyn IntegratorView {
        self
    }
}

impl IntegratorView for SelfStepping {
    fn fault_message(&self) -> Option<&str> {
        self.model.running.health.fault_message()
    }

    fn external(&self) -> Option<&dyn ExternalModel> {
        Some(&self.model.running.health)
    }
}

/// The state of an FMU is its own affair.
impl Snapshot for SelfStepping {
    fn save(&self, into: &mut Vec<f64>) {
        self.before.save(into);
        self.ahead.save(into);
        self.target.save(into);
        self.response.save(into);
        self.steps.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.before.restore(from)?;
        self.ahead.restore(from)?;
        self.target.restore(from)?;
        self.response.restore(from)?;
        self.steps.restore(from)
    }
}
