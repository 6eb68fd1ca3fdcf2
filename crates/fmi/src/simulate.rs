//! An FMU by itself: fixed communication points, inputs from a table, events.

use crate::description::Variable;
use crate::exchange::{Exchange, Way};
use crate::solver::Solver;
use crate::stepping::co_step;
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

    /// The last communication point, s: before the stop where that is no whole number of steps away.
    pub fn last(&self) -> Result<f64> {
        Ok(self.time(self.steps()?))
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
        Interface::CoSimulation => instance.co_simulate(options, input, &mut sink)?,
        Interface::ModelExchange => {
            model_exchange(instance, description, options, input, &mut sink)?
        }
    };
    instance.terminate()?;
    Ok(end)
}

/// Takes the columns at a communication point.
pub struct Sink<'a> {
    ports: Ports,
    values: Vec<f64>,
    row: &'a mut dyn FnMut(f64, &[f64]) -> Result<()>,
}

impl Sink<'_> {
    #[inline]
    fn take<I: Instance + ?Sized>(&mut self, instance: &mut I, time: f64) -> Result<()> {
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

/// Checks such values before anything is started: names and numbers.
pub fn check_starts(description: &Description, starts: &[(String, String)]) -> Result<()> {
    for (name, text) in starts {
        let variable = crate::ports::find(description, name)?;
        if variable.kind != Kind::String {
            numbers(description, variable, text)?;
        }
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
    let values = numbers(description, variable, text)?;
    instance.set(variable.kind, &[variable.reference], &values)
}

/// As many numbers as the variable has elements.
fn numbers(description: &Description, variable: &Variable, text: &str) -> Result<Vec<f64>> {
    let values: Option<Vec<f64>> = text
        .split([' ', ',', ';'])
        .filter(|word| !word.is_empty())
        .map(crate::description_number)
        .collect();
    let size = description.size(variable);
    values.filter(|v| v.len() == size).ok_or_else(|| {
        FmuError::Usage(format!(
            "`{}` takes {size} number{}, not `{text}`",
            variable.name,
            if size == 1 { "" } else { "s" }
        ))
    })
}

/// Handles events until nothing changes any more.
pub fn settle<I: Instance + ?Sized>(instance: &mut I) -> Result<crate::Events> {
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

/// The steps of a co-simulation. Every binding has its own copy of this loop ([`Instance::co_simulate`]), so that nothing is looked up at a step.
pub(crate) fn co_simulation<I: Instance + ?Sized>(
    instance: &mut I,
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
    let steps = options.steps()?;
    let mut time = options.start;
    for step in 0..steps {
        if end.terminated {
            return Ok(end);
        }
        let target = options.time(step + 1);
        input.apply(instance, time)?;
        let reached = co_step(instance, time, options.step)?;
        end.events += reached.events;
        end.terminated = reached.terminate;
        // Communication points are hit exactly.
        time = if reached.terminate {
            reached.time
        } else {
            target
        };
        end.steps = step + 1;
        end.time = time;
        sink.take(instance, time)?;
    }
    Ok(end)
}

fn model_exchange(
    instance: &mut dyn Instance,
    description: &Description,
    options: &Options,
    input: &mut Input,
    sink: &mut Sink<'_>,
) -> Result<End> {
    let way = Way {
        solver: options.solver,
        tolerance: options.tolerance.unwrap_or(1e-6),
        step: options.step,
    };
    let mut exchange = Exchange::begin(instance, description, way, options.start)?;
    sink.take(instance, options.start)?;
    let mut end = End::default();
    for step in 0..options.steps()? {
        if exchange.terminated {
            break;
        }
        exchange.until(instance, input, options.time(step + 1))?;
        end.steps = step + 1;
        sink.take(instance, exchange.time)?;
    }
    Ok(End {
        time: exchange.time,
        terminated: exchange.terminated,
        events: exchange.events,
        evaluations: exchange.evaluations,
        ..end
    })
}
