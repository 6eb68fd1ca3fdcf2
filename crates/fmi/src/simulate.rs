//! An FMU by itself: fixed communication points, inputs from a table, events.

use crate::description::Variable;
use crate::solver::{Solver, Stepper};
use crate::{Description, FmuError, Input, Instance, Interface, Kind, Ports, Result};

/// What is to be simulated.
#[derive(Clone, Debug)]
pub struct Options {
    /// Interface.
    pub interface: Interface,
    /// Start, s.
    pub start: f64,
    /// Stop, s.
    pub stop: f64,
    /// Communication step, s.
    pub step: f64,
    /// Solver of a model exchange.
    pub solver: Solver,
    /// Relative tolerance: told to the FMU, and of the solver with error control.
    pub tolerance: Option<f64>,
    /// Start values, as `name` and text.
    pub starts: Vec<(String, String)>,
    /// Columns of the result; none: all outputs.
    pub outputs: Option<Vec<String>>,
    /// Event mode in co-simulation, where the FMU has it (FMI 3).
    pub event_mode: bool,
}

/// Most communication points of a simulation.
const MOST_STEPS: f64 = 1e10;

impl Options {
    /// Number of steps.
    pub fn steps(&self) -> Result<u64> {
        let steps = ((self.stop - self.start) / self.step + 1e-9).floor();
        if !(self.step > 0.0 && (0.0..=MOST_STEPS).contains(&steps)) {
            return Err(FmuError::Usage(format!(
                "from {} s to {} s in steps of {} s: that cannot be done",
                self.start, self.stop, self.step
            )));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // bounded just above
        Ok(steps as u64)
    }

    #[allow(clippy::cast_precision_loss)] // below 2^53
    fn time(&self, step: u64) -> f64 {
        self.start + step as f64 * self.step
    }
}

/// How a simulation ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct End {
    /// Steps that were done.
    pub steps: u64,
    /// Time that was reached, s.
    pub time: f64,
    /// The FMU asked for the end before the stop time.
    pub terminated: bool,
    /// Events that were handled.
    pub events: u64,
    /// Evaluations of the derivatives (model exchange).
    pub evaluations: u64,
}

/// The columns of the result.
pub fn columns(description: &Description, options: &Options) -> Result<Ports> {
    match &options.outputs {
        Some(names) => Ports::named(description, names),
        None => {
            let outputs = description
                .outputs
                .iter()
                .filter_map(|index| description.variables.get(*index))
                .filter(|variable| variable.kind.is_number());
            Ports::new(description, outputs)
        }
    }
}

/// Simulates an instance. `row` gets time and columns at every communication point, from the start on.
pub fn simulate(
    instance: &mut dyn Instance,
    description: &Description,
    options: &Options,
    input: &mut Input,
    row: &mut dyn FnMut(f64, &[f64]) -> Result<()>,
) -> Result<End> {
    options.steps()?;
    let ports = columns(description, options)?;
    set_starts(instance, description, &options.starts)?;
    let (start, stop) = (options.start, Some(options.stop));
    instance.enter_initialization(options.tolerance, start, stop)?;
    input.apply(instance, start)?;
    instance.exit_initialization()?;
    let mut sink = Sink {
        values: vec![0.0; ports.len()],
        ports,
        row,
    };
    let end = match options.interface {
        Interface::CoSimulation => co_simulation(instance, options, input, &mut sink)?,
        Interface::ModelExchange => {
            model_exchange(instance, description, options, input, &mut sink)?
        }
    };
    instance.terminate()?;
    Ok(end)
}

/// Takes the columns at a communication point.
struct Sink<'a> {
    ports: Ports,
    values: Vec<f64>,
    row: &'a mut dyn FnMut(f64, &[f64]) -> Result<()>,
}

impl Sink<'_> {
    fn take(&mut self, instance: &mut dyn Instance, time: f64) -> Result<()> {
        self.ports.read(instance, &mut self.values)?;
        self.ports.check(&self.values, time)?;
        (self.row)(time, &self.values)
    }
}

/// Sets start values that the user gives.
pub fn set_starts(
    instance: &mut dyn Instance,
    description: &Description,
    starts: &[(String, String)],
) -> Result<()> {
    for (name, text) in starts {
        let variable = crate::ports::find(description, name)?;
        set_start(instance, description, variable, text)?;
    }
    Ok(())
}

fn set_start(
    instance: &mut dyn Instance,
    description: &Description,
    variable: &Variable,
    text: &str,
) -> Result<()> {
    if variable.kind == Kind::String {
        return instance.set_text(variable.reference, text);
    }
    let values: Option<Vec<f64>> = text
        .split([' ', ',', ';'])
        .filter(|word| !word.is_empty())
        .map(crate::description_number)
        .collect();
    let size = description.size(variable);
    let values = values.filter(|v| v.len() == size).ok_or_else(|| {
        FmuError::Usage(format!(
            "`{}` takes {size} number{}, not `{text}`",
            variable.name,
            if size == 1 { "" } else { "s" }
        ))
    })?;
    instance.set(variable.kind, &[variable.reference], &values)
}

/// Handles events until nothing changes any more.
pub(crate) fn settle(instance: &mut dyn Instance) -> Result<crate::Events> {
    let mut all = crate::Events::default();
    for _ in 0..1000 {
        let events = instance.update_discrete_states()?;
        all.states_changed |= events.states_changed;
        all.terminate |= events.terminate;
        all.next_time = events.next_time;
        if !events.again || events.terminate {
            return Ok(all);
        }
    }
    Err(FmuError::Reported(
        "the FMU's events do not settle: a thousand rounds and still more are wanted".into(),
    ))
}

fn co_simulation(
    instance: &mut dyn Instance,
    options: &Options,
    input: &mut Input,
    sink: &mut Sink<'_>,
) -> Result<End> {
    let mut end = End {
        time: options.start,
        ..End::default()
    };
    if instance.uses_event_mode() {
        end.terminated = settle(instance)?.terminate;
        instance.enter_step_mode()?;
    }
    sink.take(instance, options.start)?;
    for step in 0..options.steps()? {
        if end.terminated {
            return Ok(end);
        }
        let (mut time, target) = (options.time(step), options.time(step + 1));
        input.apply(instance, time)?;
        let mut rounds = 0;
        loop {
            let stepped = instance.step(time, target - time)?;
            time = stepped.reached;
            if stepped.event && instance.uses_event_mode() {
                end.events += 1;
                instance.enter_event_mode()?;
                end.terminated |= settle(instance)?.terminate;
                instance.enter_step_mode()?;
            }
            end.terminated |= stepped.terminate;
            if end.terminated || time >= target - 1e-9 * options.step {
                break;
            }
            rounds += 1;
            if rounds > 100_000 {
                return Err(FmuError::Reported(format!(
                    "the FMU ends every step early and does not get past t = {time} s"
                )));
            }
        }
        end.steps = step + 1;
        end.time = time;
        let shown = if end.terminated { time } else { target };
        sink.take(instance, shown)?;
    }
    Ok(end)
}

/// The state of a model exchange between two communication points.
struct Exchange<'a> {
    instance: &'a mut dyn Instance,
    input: &'a mut Input,
    stepper: Stepper,
    time: f64,
    states: Vec<f64>,
    indicators: Vec<f64>,
    crossed: Vec<f64>,
    next_event: Option<f64>,
    /// Step that the error control would take next, s.
    proposal: f64,
    tolerance: f64,
    end: End,
}

fn model_exchange(
    instance: &mut dyn Instance,
    description: &Description,
    options: &Options,
    input: &mut Input,
    sink: &mut Sink<'_>,
) -> Result<End> {
    let events = settle(instance)?;
    instance.enter_continuous_time()?;
    let states = description.state_count();
    let mut exchange = Exchange {
        instance,
        input,
        stepper: Stepper::new(options.solver, states),
        time: options.start,
        states: vec![0.0; states],
        indicators: vec![0.0; description.indicators],
        crossed: vec![0.0; description.indicators],
        next_event: events.next_time,
        proposal: options.step,
        tolerance: options.tolerance.unwrap_or(1e-6),
        end: End {
            time: options.start,
            terminated: events.terminate,
            ..End::default()
        },
    };
    exchange.instance.states(&mut exchange.states)?;
    exchange.instance.indicators(&mut exchange.indicators)?;
    sink.take(exchange.instance, options.start)?;
    for step in 0..options.steps()? {
        if exchange.end.terminated {
            break;
        }
        exchange.until(options.time(step + 1), options)?;
        exchange.end.steps = step + 1;
        exchange.end.time = exchange.time;
        sink.take(exchange.instance, exchange.time)?;
    }
    Ok(exchange.end)
}

impl Exchange<'_> {
    /// Integrates to a communication point, with every event on the way.
    fn until(&mut self, target: f64, options: &Options) -> Result<()> {
        let least = 1e-13 * options.step.max(target.abs());
        while target - self.time > least && !self.end.terminated {
            let mut h = target - self.time;
            if options.solver == Solver::Rk45 {
                h = h.min(self.proposal);
            }
            let jump = self.input.next_jump(self.time);
            let due = [self.next_event, jump]
                .into_iter()
                .flatten()
                .filter(|due| *due > self.time)
                .fold(f64::INFINITY, f64::min);
            let mut by_time = false;
            if due <= self.time + h + least {
                h = due - self.time;
                by_time = true;
            }
            self.advance(h)?;
            if self.stepper.error > 1.0 {
                self.proposal = h * (0.9 * self.stepper.error.powf(-0.2)).clamp(0.1, 0.9);
                if self.proposal < 16.0 * f64::EPSILON * self.time.abs().max(1e-9) {
                    return Err(FmuError::Reported(format!(
                        "the solver cannot meet the tolerance at t = {} s: its step became {:e} s",
                        self.time, self.proposal
                    )));
                }
                continue;
            }
            if options.solver == Solver::Rk45 {
                let factor = (0.9 * self.stepper.error.max(1e-10).powf(-0.2)).clamp(0.2, 5.0);
                self.proposal = (h * factor).min(options.step);
            }
            let mut by_state = self.crossing(h)?;
            if by_state {
                h = self.locate(h, least)?;
                by_time = false;
            }
            let landed = self.time + h;
            // Communication points are hit exactly.
            self.time = if (target - landed).abs() <= least {
                target
            } else {
                landed
            };
            self.states.copy_from_slice(&self.stepper.result);
            self.put(self.time)?;
            let completed = self.instance.completed_step()?;
            self.end.terminated |= completed.terminate;
            by_state |= completed.event;
            if by_time || by_state {
                self.event()?;
            }
            if !self.indicators.is_empty() {
                self.instance.indicators(&mut self.indicators)?;
            }
        }
        Ok(())
    }

    /// Puts time, states and inputs into the FMU.
    fn put(&mut self, time: f64) -> Result<()> {
        self.instance.set_time(time)?;
        self.instance.set_states(&self.states)?;
        self.input.apply(self.instance, time)
    }

    fn advance(&mut self, h: f64) -> Result<()> {
        let (instance, input, end) = (&mut *self.instance, &mut *self.input, &mut self.end);
        self.stepper.advance(
            self.time,
            h,
            &self.states,
            self.tolerance,
            &mut |t, x, dx| {
                instance.set_time(t)?;
                instance.set_states(x)?;
                input.apply(instance, t)?;
                end.evaluations += 1;
                instance.derivatives(dx)
            },
        )?;
        if let Some(place) = self.stepper.result.iter().position(|x| !x.is_finite()) {
            return Err(FmuError::NotFinite {
                name: format!("continuous state {}", place + 1),
                value: self.stepper.result.get(place).copied().unwrap_or(f64::NAN),
                time: self.time + h,
            });
        }
        Ok(())
    }

    /// Whether an indicator has another sign at the end of the step that was just tried.
    fn crossing(&mut self, h: f64) -> Result<bool> {
        if self.indicators.is_empty() {
            return Ok(false);
        }
        let time = self.time + h;
        self.instance.set_time(time)?;
        self.instance.set_states(&self.stepper.result)?;
        self.input.apply(self.instance, time)?;
        self.instance.indicators(&mut self.crossed)?;
        Ok(self
            .indicators
            .iter()
            .zip(&self.crossed)
            .any(|(before, after)| (*before > 0.0) != (*after > 0.0)))
    }

    /// Halves the step until the first crossing is bracketed; lands just behind it.
    fn locate(&mut self, h: f64, least: f64) -> Result<f64> {
        let (mut low, mut high) = (0.0, h);
        while high - low > least.max(1e-12 * h) {
            let middle = 0.5 * (low + high);
            self.advance(middle)?;
            if self.crossing(middle)? {
                high = middle;
            } else {
                low = middle;
            }
        }
        self.advance(high)?;
        Ok(high)
    }

    fn event(&mut self) -> Result<()> {
        self.end.events += 1;
        self.instance.enter_event_mode()?;
        self.input.apply(self.instance, self.time)?;
        let events = settle(self.instance)?;
        self.end.terminated |= events.terminate;
        self.next_event = events.next_time;
        self.instance.enter_continuous_time()?;
        if events.states_changed {
            self.instance.states(&mut self.states)?;
        }
        Ok(())
    }
}
