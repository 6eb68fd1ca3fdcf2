//! An FMU that is led from point to point, its inputs held in between: as a part of a loop that has a clock of its own.

use crate::simulate::settle;
use crate::solver::Stepper;
use crate::{Description, FmuError, Instance, Interface, Result, Solver};

/// A running FMU with its clock. Co-Simulation steps itself. Model Exchange is integrated by the classical Runge–Kutta method, one
/// step from point to point; its events are handled at the points.
pub struct Stepping {
    instance: Box<dyn Instance>,
    time: f64,
    exchange: Option<Exchange>,
}

/// What a model exchange keeps.
struct Exchange {
    stepper: Stepper,
    states: Vec<f64>,
    indicators: Vec<f64>,
    before: Vec<f64>,
    next_event: Option<f64>,
}

/// Early ends of one step of co-simulation, at most.
const MOST_ROUNDS: usize = 1000;

impl Stepping {
    /// Initialises an instance, whose start values have been set, at time zero.
    pub fn begin(
        mut instance: Box<dyn Instance>,
        description: &Description,
        interface: Interface,
    ) -> Result<Self> {
        instance.enter_initialization(None, 0.0, None)?;
        instance.exit_initialization()?;
        let exchange = match interface {
            Interface::ModelExchange => {
                let next_event = settle(instance.as_mut())?.next_time;
                instance.enter_continuous_time()?;
                let n = description.state_count();
                let mut exchange = Exchange {
                    stepper: Stepper::new(Solver::Rk4, n),
                    states: vec![0.0; n],
                    indicators: vec![0.0; description.indicators],
                    before: vec![0.0; description.indicators],
                    next_event,
                };
                instance.states(&mut exchange.states)?;
                instance.indicators(&mut exchange.before)?;
                Some(exchange)
            }
            _ => {
                if instance.uses_event_mode() {
                    settle(instance.as_mut())?;
                    instance.enter_step_mode()?;
                }
                None
            }
        };
        Ok(Self {
            instance,
            time: 0.0,
            exchange,
        })
    }

    /// The instance, to set its inputs and to read its outputs at the present point.
    pub fn instance(&mut self) -> &mut dyn Instance {
        self.instance.as_mut()
    }

    /// Goes on by `size` seconds with the inputs as they are.
    pub fn step(&mut self, size: f64) -> Result<()> {
        let target = self.time + size;
        match &mut self.exchange {
            Some(exchange) => exchange.step(self.instance.as_mut(), self.time, size)?,
            None => {
                let mut time = self.time;
                let mut rounds = 0;
                while target - time > 1e-9 * size {
                    let stepped = self.instance.step(time, target - time)?;
                    if stepped.event && self.instance.uses_event_mode() {
                        self.instance.enter_event_mode()?;
                        settle(self.instance.as_mut())?;
                        self.instance.enter_step_mode()?;
                    }
                    rounds += 1;
                    if stepped.terminate || rounds > MOST_ROUNDS {
                        return Err(FmuError::Reported(format!(
                            "the FMU does not get past t = {} s",
                            stepped.reached
                        )));
                    }
                    time = stepped.reached;
                }
            }
        }
        self.time = target;
        Ok(())
    }
}

impl Exchange {
    fn step(&mut self, instance: &mut dyn Instance, time: f64, size: f64) -> Result<()> {
        let end = time + size;
        self.stepper
            .advance(time, size, &self.states, 1.0, &mut |t, x, dx| {
                instance.set_time(t)?;
                instance.set_states(x)?;
                instance.derivatives(dx)
            })?;
        self.states.copy_from_slice(&self.stepper.result);
        instance.set_time(end)?;
        instance.set_states(&self.states)?;
        let completed = instance.completed_step()?;
        instance.indicators(&mut self.indicators)?;
        let crossed = self
            .indicators
            .iter()
            .zip(&self.before)
            .any(|(a, b)| (*a > 0.0) != (*b > 0.0));
        let due = self.next_event.is_some_and(|due| due <= end);
        if completed.event || crossed || due {
            instance.enter_event_mode()?;
            let events = settle(instance)?;
            instance.enter_continuous_time()?;
            self.next_event = events.next_time;
            if events.states_changed {
                instance.states(&mut self.states)?;
            }
            instance.indicators(&mut self.indicators)?;
        }
        std::mem::swap(&mut self.indicators, &mut self.before);
        Ok(())
    }
}
