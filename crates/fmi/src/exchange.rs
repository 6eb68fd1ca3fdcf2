//! A model exchange that is led from point to point: the integration of its states, its events by
//! time and by state, its inputs.

use crate::input::Side;
use crate::instance::settle_at;
use crate::solver::{Solver, Stepper};
use crate::{Description, FmuError, Input, Instance, Result};

/// How the states are integrated.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The solver.
    pub solver: Solver,
    /// Relative tolerance of a solver with error control.
    pub tolerance: f64,
    /// Distance of the points, s.
    pub step: f64,
}

/// Events between two points, at most.
const MOST_EVENTS: u64 = 10_000;

/// The state of a model exchange between two points.
pub struct Exchange {
    way: Way,
    stepper: Stepper,
    /// Time that was reached, s.
    pub time: f64,
    states: Vec<f64>,
    indicators: Vec<f64>,
    crossed: Vec<f64>,
    next_event: Option<f64>,
    /// Step that the error control would take next, s.
    proposal: f64,
    /// The FMU asked for the end.
    pub terminated: bool,
    /// Events that were handled.
    pub events: u64,
    /// Evaluations of the derivatives.
    pub evaluations: u64,
}

impl Exchange {
    /// Takes an instance over that has left its initialisation at the time `start`, s.
    pub fn begin(
        instance: &mut dyn Instance,
        description: &Description,
        way: Way,
        start: f64,
    ) -> Result<Self> {
        let events = settle_at(instance, start)?;
        instance.enter_continuous_time()?;
        let states = description.state_count();
        let mut exchange = Self {
            stepper: Stepper::new(way.solver, states),
            time: start,
            states: vec![0.0; states],
            indicators: vec![0.0; description.indicators],
            crossed: vec![0.0; description.indicators],
            next_event: events.next_time,
            proposal: way.step,
            terminated: events.terminate,
            events: 0,
            evaluations: 0,
            way,
        };
        instance.states(&mut exchange.states)?;
        instance.indicators(&mut exchange.indicators)?;
        finite(&exchange.indicators, start)?;
        Ok(exchange)
    }

    /// Integrates to a communication point, with every event on the way.
    pub fn until(
        &mut self,
        instance: &mut dyn Instance,
        input: &mut Input,
        target: f64,
    ) -> Result<()> {
        let least = 1e-13 * self.way.step.max(target.abs());
        let most = self.events + MOST_EVENTS;
        while target - self.time > least && !self.terminated {
            let mut h = target - self.time;
            if self.way.solver == Solver::Rk45 {
                h = h.min(self.proposal);
            }
            let jump = input.next_jump(self.time);
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
            let end = if by_time { due } else { self.time + h };
            self.advance(instance, input, end)?;
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
            if self.way.solver == Solver::Rk45 {
                let factor = (0.9 * self.stepper.error.max(1e-10).powf(-0.2)).clamp(0.2, 5.0);
                self.proposal = (h * factor).min(self.way.step);
            }
            let mut landed = end;
            let mut by_state = self.crossing(instance, input, end)?;
            if by_state {
                landed = self.locate(instance, input, h, least)?;
                by_time = false;
            }
            // Communication points are hit exactly.
            self.time = if (target - landed).abs() <= least {
                target
            } else {
                landed
            };
            self.states.copy_from_slice(&self.stepper.result);
            self.put(instance, input)?;
            let completed = instance.completed_step()?;
            self.terminated |= completed.terminate;
            by_state |= completed.event;
            if by_time || by_state {
                self.event(instance, input)?;
                if self.events > most {
                    return Err(FmuError::Reported(format!(
                        "{MOST_EVENTS} events and more on the way to one point, the last at t = {} \
                        s: they come ever closer",
                        self.time
                    )));
                }
            }
            if !self.indicators.is_empty() {
                instance.indicators(&mut self.indicators)?;
            }
        }
        Ok(())
    }

    /// Puts time, states and inputs of a step's end into the FMU: what jumps there belongs to the
    /// next step.
    fn put(&mut self, instance: &mut dyn Instance, input: &mut Input) -> Result<()> {
        instance.set_time(self.time)?;
        instance.set_states(&self.states)?;
        input.apply_continuous(instance, self.time, Side::Before)
    }

    /// Tries a step to the time `end`. An input that jumps at either end acts on its own side only.
    fn advance(&mut self, instance: &mut dyn Instance, input: &mut Input, end: f64) -> Result<()> {
        let evaluations = &mut self.evaluations;
        let h = end - self.time;
        // The last stage stands at the end itself, however its time is rounded.
        let last = end - 1e-9 * h;
        self.stepper.advance(
            self.time,
            h,
            &self.states,
            self.way.tolerance,
            &mut |t, x, dx| {
                let (t, side) = if t >= last {
                    (end, Side::Before)
                } else {
                    (t, Side::After)
                };
                instance.set_time(t)?;
                instance.set_states(x)?;
                input.apply_continuous(instance, t, side)?;
                *evaluations += 1;
                instance.derivatives(dx)
            },
        )?;
        if let Some(place) = self.stepper.result.iter().position(|x| !x.is_finite()) {
            return Err(FmuError::NotFinite {
                name: format!("continuous state {}", place + 1),
                value: self.stepper.result.get(place).copied().unwrap_or(f64::NAN),
                time: end,
            });
        }
        Ok(())
    }

    /// Whether an indicator has another sign at the end of the step that was just tried.
    fn crossing(
        &mut self,
        instance: &mut dyn Instance,
        input: &mut Input,
        end: f64,
    ) -> Result<bool> {
        if self.indicators.is_empty() {
            return Ok(false);
        }
        instance.set_time(end)?;
        instance.set_states(&self.stepper.result)?;
        input.apply_continuous(instance, end, Side::Before)?;
        instance.indicators(&mut self.crossed)?;
        finite(&self.crossed, end)?;
        Ok(self
            .indicators
            .iter()
            .zip(&self.crossed)
            .any(|(before, after)| (*before > 0.0) != (*after > 0.0)))
    }

    /// Halves the step until the first crossing is bracketed; lands just behind it, at the time
    /// that is given back.
    fn locate(
        &mut self,
        instance: &mut dyn Instance,
        input: &mut Input,
        h: f64,
        least: f64,
    ) -> Result<f64> {
        let (mut low, mut high) = (0.0, h);
        while high - low > least.max(1e-12 * h) {
            let middle = 0.5 * (low + high);
            let end = self.time + middle;
            self.advance(instance, input, end)?;
            if self.crossing(instance, input, end)? {
                high = middle;
            } else {
                low = middle;
            }
        }
        let end = self.time + high;
        self.advance(instance, input, end)?;
        Ok(end)
    }

    fn event(&mut self, instance: &mut dyn Instance, input: &mut Input) -> Result<()> {
        self.events += 1;
        instance.enter_event_mode()?;
        input.apply(instance, self.time)?;
        let events = settle_at(instance, self.time)?;
        self.terminated |= events.terminate;
        self.next_event = events.next_time;
        instance.enter_continuous_time()?;
        if events.states_changed {
            instance.states(&mut self.states)?;
        }
        Ok(())
    }
}

/// An event indicator that is no number would never cross zero.
fn finite(indicators: &[f64], time: f64) -> Result<()> {
    match indicators.iter().position(|x| !x.is_finite()) {
        Some(place) => Err(FmuError::NotFinite {
            name: format!("event indicator {}", place + 1),
            value: indicators.get(place).copied().unwrap_or(f64::NAN),
            time,
        }),
        None => Ok(()),
    }
}
