//! An FMU by itself: fixed communication points, inputs from a table, events.

use crate::description::Variable;
use crate::exchange::{Exchange, Way};
use crate::instance::settle;
use crate::solver::Solver;
use crate::stepping::{Reached, co_step};
use crate::{
    Causality, Description, FmuError, Input, Instance, Interface, Ports, Result, VariableType,
};

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
    /// The last step may be shorter than the others, so that the stop is reached.
    pub shorten: bool,
    /// Somebody wants the rows. Columns are read and checked at every point all the same.
    pub rows: bool,
}

/// Most communication points of a simulation.
const MOST_STEPS: f64 = 1e10;

/// A step shorter than this share of the others is none: round-off of the times.
const LEAST_REST: f64 = 1e-6;

impl Options {
    /// Number of steps, with a shorter last one where that is allowed and needed.
    pub fn steps(&self) -> Result<u64> {
        let exact = (self.stop - self.start) / self.step;
        let whole = (exact + 1e-9).floor();
        let steps = if self.shorten && exact - whole > LEAST_REST {
            whole + 1.0
        } else {
            whole
        };
        if !(self.step > 0.0 && (0.0..=MOST_STEPS).contains(&steps)) {
            return Err(FmuError::Usage(format!(
                "from {} s to {} s in steps of {} s: that cannot be done",
                self.start, self.stop, self.step
            )));
        }
        #[allow(clippy::cast_possible_truncation)] // bounded just above
        Ok(steps as u64)
    }

    /// The last communication point, s, where it is before the stop: that is no whole number of
    /// steps away, and steps are of one size.
    pub fn short_of_stop(&self) -> Result<Option<f64>> {
        let last = self.time(self.steps()?);
        Ok((self.stop - last > LEAST_REST * self.step).then_some(last))
    }

    /// The stop that the FMU is told, s: the end of the last step as it will be asked for, however
    /// its time is rounded. An FMU must refuse a step beyond it (FMI 2.0.5, section 2.1.6).
    fn announced_stop(&self) -> Result<f64> {
        let Some(before) = self.steps()?.checked_sub(1) else {
            return Ok(self.stop);
        };
        let (from, to) = (self.time(before), self.time(before + 1));
        Ok((from + self.size(from, to)).max(to).max(self.stop))
    }

    /// A communication point where all steps are whole ones, s.
    #[inline(always)]
    fn whole(&self, step: u64) -> f64 {
        // At most 10¹⁰; signed, because processors have one instruction for that.
        let count = step as i64 as f64;
        self.start + count * self.step
    }

    /// A communication point, s.
    fn time(&self, step: u64) -> f64 {
        let time = self.whole(step);
        if self.shorten && time - self.stop > LEAST_REST * self.step {
            self.stop
        } else {
            time
        }
    }

    /// Size of a step to a point, s. Whole ones are all the same to the bit.
    fn size(&self, from: f64, to: f64) -> f64 {
        if to - from < (1.0 - LEAST_REST) * self.step {
            to - from
        } else {
            self.step
        }
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
    /// Calls that the FMU answered by a warning.
    pub warnings: u64,
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

/// Simulates an instance. `row` gets time and columns at every communication point, from the start
/// on.
pub fn simulate(
    instance: &mut dyn CoSimulate,
    description: &Description,
    options: &Options,
    input: &mut Input,
    row: &mut dyn FnMut(f64, &[f64]) -> Result<()>,
) -> Result<End> {
    let stop = options.announced_stop()?;
    let ports = columns(description, options)?;
    set_starts(instance, description, &options.starts)?;
    let start = options.start;
    instance.enter_initialization(options.tolerance, start, Some(stop))?;
    input.apply(instance, start)?;
    instance.exit_initialization()?;
    let mut sink = Sink {
        values: vec![0.0; ports.len()],
        ports,
        row: options.rows.then_some(row),
        last: None,
    };
    let end = match options.interface {
        Interface::CoSimulation => instance.co_simulate(options, input, &mut sink),
        Interface::ModelExchange => {
            model_exchange(instance, description, options, input, &mut sink)
        }
    };
    let end = end.map_err(|error| match (error, sink.last) {
        (error @ FmuError::Call { .. }, Some(time)) => FmuError::During {
            phase: format!("the step from t = {time} s"),
            source: Box::new(error),
        },
        (error @ FmuError::Call { .. }, None) => FmuError::During {
            phase: format!("the start at t = {start} s"),
            source: Box::new(error),
        },
        // The others say it themselves, or have none.
        (error, _) => error,
    })?;
    instance.terminate()?;
    Ok(End {
        warnings: instance.warnings(),
        ..end
    })
}

/// Gets time and columns.
type TakeRow<'a> = dyn FnMut(f64, &[f64]) -> Result<()> + 'a;

/// Takes the columns at a communication point.
pub struct Sink<'a> {
    ports: Ports,
    values: Vec<f64>,
    row: Option<&'a mut TakeRow<'a>>,
    /// Time of the last row, s.
    last: Option<f64>,
}

impl Sink<'_> {
    #[inline(always)]
    fn take<I: Instance + ?Sized>(&mut self, instance: &mut I, time: f64) -> Result<()> {
        self.ports.read(instance, &mut self.values)?;
        self.ports.check(&self.values, time)?;
        self.last = Some(time);
        match &mut self.row {
            Some(row) => row(time, &self.values),
            None => Ok(()),
        }
    }
}

/// Sets start values that the user gives; of structural parameters first, which have a mode of
/// their own. The description must have been told of these ([`Description::configure`]).
pub fn set_starts(
    instance: &mut dyn Instance,
    description: &Description,
    starts: &[(String, String)],
) -> Result<()> {
    let (mut sizes, mut others) = (Vec::new(), Vec::new());
    for (name, text) in starts {
        let variable = crate::ports::find(description, name)?;
        match variable.causality {
            Causality::StructuralParameter => sizes.push((variable, text)),
            _ => others.push((variable, text)),
        }
    }
    if !sizes.is_empty() {
        instance.enter_configuration()?;
        for (variable, text) in sizes {
            set_start(instance, description, variable, text)?;
        }
        instance.exit_configuration()?;
    }
    for (variable, text) in others {
        set_start(instance, description, variable, text)?;
    }
    Ok(())
}

/// Checks such values before anything is started: names and numbers.
pub fn check_starts(description: &Description, starts: &[(String, String)]) -> Result<()> {
    for (name, text) in starts {
        let variable = crate::ports::find(description, name)?;
        if variable.kind != VariableType::String {
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
    if variable.kind == VariableType::String {
        return instance.set_text(variable.reference, text);
    }
    let values = numbers(description, variable, text)?;
    instance.set(variable.kind, &[variable.reference], &values)
}

/// As many numbers as the variable has elements.
fn numbers(description: &Description, variable: &Variable, text: &str) -> Result<Vec<f64>> {
    if !variable.kind.is_number() {
        return Err(FmuError::Usage(format!(
            "`{}` is of type {:?}, of which no start value can be given here",
            variable.name, variable.kind
        )));
    }
    let values: Option<Vec<f64>> = text
        .split([' ', ',', ';'])
        .filter(|word| !word.is_empty())
        .map(crate::description_number)
        .collect();
    let size = description.size(variable);
    let kind = variable.kind;
    let fits = |v: &Vec<f64>| v.len() == size && v.iter().all(|x| x.is_finite() && kind.takes(*x));
    values.filter(fits).ok_or_else(|| {
        // What no integer type can take says what type it is.
        let sort = if kind.takes(0.5) { "finite" } else { "whole" };
        FmuError::Usage(format!(
            "`{}` takes {size} {sort} number{} of its type ({kind:?}), not `{text}`",
            variable.name,
            if size == 1 { "" } else { "s" }
        ))
    })
}

/// An instance that can be led through a whole co-simulation: each type has a copy of the loop that
/// is its own, so that nothing is looked up at a step.
pub trait CoSimulate: Instance {
    /// A whole co-simulation, from the start on.
    fn co_simulate(
        &mut self,
        options: &Options,
        input: &mut Input,
        sink: &mut Sink<'_>,
    ) -> Result<End>;
}

impl<I: Instance> CoSimulate for I {
    fn co_simulate(
        &mut self,
        options: &Options,
        input: &mut Input,
        sink: &mut Sink<'_>,
    ) -> Result<End> {
        co_simulation(self, options, input, sink)
    }
}

/// The steps of a co-simulation.
fn co_simulation<I: Instance + ?Sized>(
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
    // Inputs stand still within a step: one that jumps there ends it, where the FMU can bear that.
    let cuts = options.shorten && input.jumps();
    for step in 0..steps {
        if end.terminated {
            return Ok(end);
        }
        // Only the last step can be a shorter one, and the rest of a step behind a jump.
        let (mut target, mut size) = (options.whole(step + 1), options.step);
        if cuts || step + 1 == steps {
            target = options.time(step + 1);
            if cuts {
                let cut = up_to_jumps(instance, options, input, time, target)?;
                end.events += cut.events;
                end.terminated = cut.terminate;
                time = cut.time;
                if cut.terminate {
                    if time > end.time {
                        end.steps = step + 1;
                        end.time = time;
                        sink.take(instance, time)?;
                    }
                    return Ok(end);
                }
            }
            size = options.size(time, target);
        }
        input.apply(instance, time)?;
        let reached = co_step(instance, time, size)?;
        end.events += reached.events;
        end.terminated = reached.terminate;
        if reached.terminate && reached.time <= time {
            // It would not go any further: the last row stands.
            return Ok(end);
        }
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

/// Steps from jump to jump of the inputs, up to the last before a communication point, or to where
/// the FMU asks for the end. Jumps count as events.
#[cold]
fn up_to_jumps<I: Instance + ?Sized>(
    instance: &mut I,
    options: &Options,
    input: &mut Input,
    time: f64,
    target: f64,
) -> Result<Reached> {
    let least = LEAST_REST * options.step;
    let mut all = Reached {
        time,
        events: 0,
        terminate: false,
    };
    while let Some(jump) = input.next_jump(all.time).filter(|t| *t < target - least) {
        if jump - all.time > least {
            input.apply(instance, all.time)?;
            let reached = co_step(instance, all.time, jump - all.time)?;
            all.events += reached.events;
            if reached.terminate {
                all.terminate = true;
                all.time = reached.time;
                return Ok(all);
            }
        }
        all.events += 1;
        all.time = jump;
    }
    Ok(all)
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// 3 · 0.1 is more than 0.3, and so is what 0.2 and a step of 0.1 come to: a strict FMU refuses
    /// a step beyond what it was told.
    #[test]
    fn no_step_ends_behind_the_stop_that_is_told() {
        for (step, stop, shorten, steps) in [
            (0.1, 0.3, true, 3),
            (0.1, 0.3, false, 3),
            (0.01, 0.35, true, 35),
            (0.01, 20.0, true, 2000),
            (0.3, 1.0, true, 4),
            (0.3, 1.0, false, 3),
            (1.0, 0.5, false, 0),
        ] {
            let options = Options {
                interface: Interface::CoSimulation,
                start: 0.0,
                stop,
                step,
                solver: Solver::Rk4,
                tolerance: None,
                starts: Vec::new(),
                outputs: None,
                event_mode: false,
                shorten,
                rows: true,
            };
            let told = options.announced_stop().unwrap();
            assert!(told >= stop && told - stop < 1e-12, "{told} for {stop}");
            assert_eq!(options.steps().unwrap(), steps, "{step} {stop}");
            for k in 0..steps {
                let (from, to) = (options.time(k), options.time(k + 1));
                assert!(
                    from + options.size(from, to) <= told,
                    "{step} {stop}: step {k}"
                );
            }
        }
    }
}
