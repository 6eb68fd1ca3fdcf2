//! A Model Exchange FMU as a part of a structure: its states are displacements and velocities in
//! pairs, what is asked of it are accelerations and how they change.

use crate::instance::settle;
use crate::{Description, FmuError, Instance, Ports, Variable};

/// u, v → a(u, v, f, a_g). The instance is given with every call: who owns it differs.
pub struct SecondOrder {
    /// Displacements.
    pub u: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Accelerations of the last evaluation.
    pub a: Vec<f64>,
    u_at: Vec<usize>,
    v_at: Vec<usize>,
    states: Vec<f64>,
    derivatives: Vec<f64>,
    force: Ports,
    ground: Option<Ports>,
    forces: Vec<f64>,
    other_side: Vec<f64>,
    indicators: [Vec<f64>; 2],
    /// Time of the last evaluation, s.
    time: f64,
    /// Time of the next event that the FMU has announced, s.
    next_event: Option<f64>,
    /// References of states, derivatives and forces, where the FMU has directional derivatives.
    directional: Option<[Vec<u32>; 3]>,
    seed: Vec<f64>,
}

/// Events by time within one step, at most.
const MOST_EVENTS: usize = 10_000;

/// Share of a time that counts as none.
const ROUND_OFF: f64 = 1e-12;

/// A value that accelerations hang on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// A displacement.
    Displacement(usize),
    /// A velocity.
    Velocity(usize),
    /// A force.
    Force(usize),
    /// The ground acceleration.
    Ground,
}

/// Places of the values of named variables in the list of all states.
fn places<S: AsRef<str>>(description: &Description, names: &[S]) -> Result<Vec<usize>, FmuError> {
    let mut places = Vec::new();
    for name in names.iter().map(AsRef::as_ref) {
        let one = crate::item(description, name).ok();
        let one = one.and_then(|item| Some((item.variable.reference, item.element?)));
        let head = format!("{name}[");
        let mut at = 0;
        let before = places.len();
        for state in &description.states {
            let Some(variable): Option<&Variable> = description.variables.get(state.variable)
            else {
                continue;
            };
            let size = description.size(variable);
            if variable.name == *name || variable.name.starts_with(&head) {
                places.extend(at..at + size);
            } else if let Some((reference, element)) = one
                && variable.reference == reference
            {
                places.push(at + element);
            }
            at += size;
        }
        if places.len() == before {
            return Err(FmuError::Usage(format!(
                "`{name}` is no continuous state of `{}`: name its states with `displacement` and \
                `velocity`; `tandem fmu info` lists them",
                description.model
            )));
        }
    }
    Ok(places)
}

impl SecondOrder {
    /// The states of these names in pairs, inputs for forces and, where it has one, for the ground
    /// acceleration.
    pub fn new<S: AsRef<str>>(
        description: &Description,
        (displacement, velocity): (&[S], &[S]),
        force: Ports,
        ground: Option<Ports>,
    ) -> Result<Self, FmuError> {
        let (u_at, v_at) = (
            places(description, displacement)?,
            places(description, velocity)?,
        );
        let n = u_at.len();
        if v_at.len() != n {
            return Err(FmuError::Usage(format!(
                "{n} displacements and {} velocities: give as many of one as of the other, in the \
                same order",
                v_at.len()
            )));
        }
        let total = description.state_count();
        let offered = description
            .model_exchange
            .as_ref()
            .is_some_and(|me| me.directional_derivatives);
        let references = |derivative: bool| {
            let each = description.states.iter().map(|state| {
                let index = if derivative {
                    state.derivative
                } else {
                    state.variable
                };
                description.variables.get(index).map(|v| v.reference)
            });
            each.collect::<Option<Vec<u32>>>()
        };
        let directional = match (
            offered && force.takes_whole_variables(),
            references(false),
            references(true),
        ) {
            (true, Some(states), Some(derivatives)) => {
                Some([states, derivatives, force.references()])
            }
            _ => None,
        };
        Ok(Self {
            u: vec![0.0; n],
            v: vec![0.0; n],
            a: vec![0.0; n],
            u_at,
            v_at,
            states: vec![0.0; total],
            derivatives: vec![0.0; total],
            forces: vec![0.0; force.len()],
            seed: vec![0.0; total.max(force.len())],
            force,
            ground,
            other_side: vec![0.0; n],
            indicators: [(); 2].map(|()| vec![0.0; description.indicators]),
            time: 0.0,
            next_event: None,
            directional,
        })
    }

    /// Number of forces.
    pub fn forces(&self) -> usize {
        self.force.len()
    }

    /// Whether the ground shakes it.
    pub fn is_shaken(&self) -> bool {
        self.ground.is_some()
    }

    /// Number of states besides displacements and velocities.
    pub fn other_states(&self) -> usize {
        self.states.len().saturating_sub(2 * self.u.len())
    }

    /// Initialises the instance at time zero and takes its states over.
    pub fn start(
        &mut self,
        instance: &mut dyn Instance,
        stop: Option<f64>,
    ) -> Result<(), FmuError> {
        instance.enter_initialization(None, 0.0, stop)?;
        instance.exit_initialization()?;
        let events = settle(instance)?;
        if events.terminate {
            return Err(asked_for_the_end());
        }
        self.time = 0.0;
        self.next_event = events
            .next_time
            .filter(|next| *next > 0.0 && next.is_finite());
        instance.enter_continuous_time()?;
        instance.indicators(&mut self.indicators[0])?;
        finite(&self.indicators[0], 0.0)?;
        self.take(instance)
    }

    /// Time of the next event that the FMU has announced, s.
    pub fn next_event(&self) -> Option<f64> {
        self.next_event
    }

    /// Takes displacements and velocities over from the instance.
    fn take(&mut self, instance: &mut dyn Instance) -> Result<(), FmuError> {
        instance.states(&mut self.states)?;
        for (u, place) in self.u.iter_mut().zip(&self.u_at) {
            *u = self.states[*place];
        }
        for (v, place) in self.v.iter_mut().zip(&self.v_at) {
            *v = self.states[*place];
        }
        Ok(())
    }

    /// Puts displacements and velocities into the instance.
    fn put(&mut self, instance: &mut dyn Instance) -> Result<(), FmuError> {
        for (place, u) in self.u_at.iter().zip(&self.u) {
            self.states[*place] = *u;
        }
        for (place, v) in self.v_at.iter().zip(&self.v) {
            self.states[*place] = *v;
        }
        instance.set_states(&self.states)
    }

    /// Brings it to rest, wherever it started. True: states have jumped there.
    pub fn come_to_rest(&mut self, instance: &mut dyn Instance) -> Result<bool, FmuError> {
        let moves = self.u.iter().chain(&self.v).any(|x| *x != 0.0);
        self.u.fill(0.0);
        self.v.fill(0.0);
        if !moves {
            return Ok(false);
        }
        // What is open or closed at the start may not be so here.
        self.place(instance, self.time, 0.0)?;
        Ok(self.accept(instance)? == Some(true))
    }

    /// Puts all that accelerations hang on into the instance.
    fn place(
        &mut self,
        instance: &mut dyn Instance,
        time: f64,
        ground: f64,
    ) -> Result<(), FmuError> {
        instance.set_time(time)?;
        self.time = time;
        self.put(instance)?;
        if let Some(ports) = &self.ground {
            ports.write(instance, &[ground])?;
        }
        self.force.write(instance, &self.forces)
    }

    /// a(u, v, f = 0) at a time; u and v as they stand.
    pub fn evaluate(
        &mut self,
        instance: &mut dyn Instance,
        time: f64,
        ground: f64,
    ) -> Result<(), FmuError> {
        self.place(instance, time, ground)?;
        instance.derivatives(&mut self.derivatives)?;
        for (a, place) in self.a.iter_mut().zip(&self.v_at) {
            *a = self.derivatives[*place];
        }
        match self.a.iter().find(|a| !a.is_finite()) {
            Some(bad) => Err(FmuError::NotFinite {
                name: "acceleration".into(),
                value: *bad,
                time,
            }),
            None => Ok(()),
        }
    }

    /// Makes u and v, as they stand, the end of a step, and handles its events, those by time that
    /// lie in the step included. None: there was none. True: states have jumped, and were taken
    /// over.
    pub fn accept(&mut self, instance: &mut dyn Instance) -> Result<Option<bool>, FmuError> {
        self.put(instance)?;
        let completed = instance.completed_step()?;
        let [before, now] = &mut self.indicators;
        instance.indicators(now)?;
        finite(now, self.time)?;
        let crossed = before
            .iter()
            .zip(now.iter())
            .any(|(a, b)| (*a > 0.0) != (*b > 0.0));
        std::mem::swap(before, now);
        if completed.terminate {
            return Err(asked_for_the_end());
        }
        let time = self.time;
        let is_due = |next: &f64| *next <= time + ROUND_OFF * time.abs();
        let mut due = self.next_event.filter(is_due);
        if !(completed.event || crossed || due.is_some()) {
            return Ok(None);
        }
        // An event that lies behind the end of the step by round-off only would not take place yet.
        if let Some(next) = due.filter(|next| *next > time) {
            instance.set_time(next)?;
        }
        instance.enter_event_mode()?;
        let mut jumped = false;
        for _ in 0..MOST_EVENTS {
            let events = settle(instance)?;
            if events.terminate {
                return Err(asked_for_the_end());
            }
            jumped |= events.states_changed;
            // The next one may lie in the same step. One that does not go on in time is none.
            let last = due.unwrap_or(f64::NEG_INFINITY);
            let next = events
                .next_time
                .filter(|next| *next > last && next.is_finite());
            due = next.filter(is_due);
            if due.is_some() {
                continue;
            }
            self.next_event = next;
            instance.enter_continuous_time()?;
            instance.indicators(&mut self.indicators[0])?;
            finite(&self.indicators[0], time)?;
            if jumped {
                self.take(instance)?;
            }
            return Ok(Some(jumped));
        }
        Err(FmuError::Reported(format!(
            "{MOST_EVENTS} events and more in the step to t = {time} s: they come ever closer"
        )))
    }

    /// Checks that the derivative of each displacement is its velocity.
    pub fn check_pairs(&mut self, instance: &mut dyn Instance) -> Result<(), FmuError> {
        for index in 0..self.u.len() {
            let step = 1e-3;
            self.v[index] += step;
            self.evaluate(instance, self.time, 0.0)?;
            let follows = self.derivatives[self.u_at[index]] - self.v[index];
            self.v[index] -= step;
            if follows.abs() > 1e-6 * step {
                return Err(FmuError::Usage(format!(
                    "displacement and velocity {} do not belong together: name them in the same \
                    order in `displacement` and `velocity`",
                    index + 1
                )));
            }
        }
        Ok(())
    }

    /// ∂a/∂(one value) at u and v as they stand: by the FMU's own derivatives where it has them,
    /// else by differences.
    pub fn column(
        &mut self,
        instance: &mut dyn Instance,
        which: Which,
        into: &mut [f64],
    ) -> Result<(), FmuError> {
        if self.directional(instance, which, into)? {
            return Ok(());
        }
        // Central differences, exact for linear parts up to round-off, whose steps grow only where
        // round-off asks for it: a part may yield, or close a gap, within a fraction of a
        // millimetre. What is lost below 1e-6 1/s² (1/s) is nothing to a structure; a force or the
        // ground have no such measure.
        let (mut step, longest, nothing): (f64, f64, f64) = match which {
            Which::Displacement(_) | Which::Velocity(_) => (1e-6, 1e-3, 1e-6),
            Which::Force(_) => (1.0, 1e6, 0.0),
            Which::Ground => (1.0, 1.0, 0.0),
        };
        loop {
            self.differences(instance, which, step)?;
            let largest = |values: &[f64]| values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for ((x, plus), minus) in into.iter_mut().zip(&self.other_side).zip(&self.a) {
                *x = (plus - minus) / (2.0 * step);
            }
            let size = largest(&self.a).max(largest(&self.other_side));
            let lost = f64::EPSILON * size / step;
            if lost <= nothing.max(1e-9 * largest(into)) || step >= longest {
                return Ok(());
            }
            step *= 10.0;
        }
    }

    /// Accelerations with one value a step larger (`other_side`) and a step smaller (`a`), at the
    /// time as it stands.
    fn differences(
        &mut self,
        instance: &mut dyn Instance,
        which: Which,
        step: f64,
    ) -> Result<(), FmuError> {
        for sign in [1.0, -1.0] {
            let (by, mut shaken) = (sign * step, 0.0);
            let mut nothing = 0.0;
            let place = match which {
                Which::Displacement(i) => &mut self.u[i],
                Which::Velocity(i) => &mut self.v[i],
                Which::Force(i) => &mut self.forces[i],
                Which::Ground => {
                    shaken = by;
                    &mut nothing
                }
            };
            let before = *place;
            *place += by;
            let done = self.evaluate(instance, self.time, shaken);
            match which {
                Which::Displacement(i) => self.u[i] = before,
                Which::Velocity(i) => self.v[i] = before,
                Which::Force(i) => self.forces[i] = before,
                Which::Ground => {}
            }
            done?;
            if sign > 0.0 {
                self.other_side.copy_from_slice(&self.a);
            }
        }
        Ok(())
    }

    /// The FMU's own derivatives; false: it has none.
    fn directional(
        &mut self,
        instance: &mut dyn Instance,
        which: Which,
        into: &mut [f64],
    ) -> Result<bool, FmuError> {
        if self.directional.is_none() || which == Which::Ground {
            return Ok(false);
        }
        // The FMU stands where it was asked last, not where the derivatives are wanted.
        self.place(instance, self.time, 0.0)?;
        let Some([states, derivatives, forces]) = &self.directional else {
            return Ok(false);
        };
        // All values of a kind at once, all seeds but one zero: arrays have one reference for all
        // their values.
        let (knowns, place, size) = match which {
            Which::Displacement(i) => (states, self.u_at[i], self.states.len()),
            Which::Velocity(i) => (states, self.v_at[i], self.states.len()),
            Which::Force(i) => (forces, i, self.forces.len()),
            Which::Ground => return Ok(false),
        };
        self.seed.fill(0.0);
        self.seed[place] = 1.0;
        instance.directional(
            derivatives,
            knowns,
            &self.seed[..size],
            &mut self.derivatives,
        )?;
        for (x, place) in into.iter_mut().zip(&self.v_at) {
            *x = self.derivatives[*place];
        }
        Ok(true)
    }
}

fn asked_for_the_end() -> FmuError {
    FmuError::Reported("the FMU asked for the end".into())
}

/// Event indicators tell nothing where they are no numbers.
fn finite(indicators: &[f64], time: f64) -> Result<(), FmuError> {
    match indicators.iter().position(|z| !z.is_finite()) {
        Some(place) => Err(FmuError::NotFinite {
            name: format!("event indicator {}", place + 1),
            value: indicators.get(place).copied().unwrap_or(f64::NAN),
            time,
        }),
        None => Ok(()),
    }
}
