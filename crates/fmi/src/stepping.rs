//! An FMU that is led from point to point: as a part of a loop that has a clock of its own.

use crate::exchange::{Exchange, Way};
use crate::instance::settle;
use crate::{Description, FmuError, Input, Instance, Interface, Result, Solver};

/// How far a step of co-simulation came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// Time, s.
    pub time: f64,
    /// Events that were handled on the way.
    pub events: u64,
    /// The FMU asked for the end.
    pub terminate: bool,
}

/// Early ends of one step of co-simulation, at most.
const MOST_ROUNDS: u64 = 100_000;

/// One step of co-simulation by `size` seconds from `time` on, with every early end and every event
/// on the way. An FMU that takes steps of one size only is asked for that very size.
#[inline(always)]
pub fn co_step<I: Instance + ?Sized>(instance: &mut I, time: f64, size: f64) -> Result<Reached> {
    let target = time + size;
    match instance.step_simply(time, size)? {
        Some(stepped) => go_on(instance, stepped, time, target),
        None => Ok(Reached {
            time: target,
            events: 0,
            terminate: false,
        }),
    }
}

/// The rest of a step that did not come to its end at once.
#[cold]
fn go_on<I: Instance + ?Sized>(
    instance: &mut I,
    first: crate::Stepped,
    start: f64,
    target: f64,
) -> Result<Reached> {
    let mut stepped = first;
    let mut reached = Reached {
        time: start,
        events: 0,
        terminate: false,
    };
    for _ in 0..MOST_ROUNDS {
        reached.time = believed(stepped.reached, reached.time, target)?;
        if stepped.event && instance.uses_event_mode() {
            reached.events += 1;
            instance.enter_event_mode()?;
            reached.terminate |= settle(instance)?.terminate;
            instance.enter_step_mode()?;
        }
        reached.terminate |= stepped.terminate;
        if reached.terminate || reached.time >= target - 1e-9 * (target - start) {
            return Ok(reached);
        }
        stepped = instance.step(reached.time, target - reached.time)?;
    }
    Err(FmuError::Reported(format!(
        "the FMU ends every step early and does not get past t = {} s",
        reached.time
    )))
}

/// The time that an FMU says it has reached on its way from one time to another, s; it must lie
/// between them, but for round-off.
fn believed(claim: f64, from: f64, to: f64) -> Result<f64> {
    let round_off = 1e-9 * (to - from) + 4.0 * f64::EPSILON * to.abs();
    if (from - round_off..=to + round_off).contains(&claim) {
        return Ok(claim.max(from).min(to));
    }
    Err(FmuError::Reported(format!(
        "the FMU ended its step from t = {from} s to t = {to} s by itself and claims to have \
        reached t = {claim} s, which is outside of that step"
    )))
}

/// A running FMU with its clock, its inputs held from point to point. Co-Simulation steps itself.
/// Model Exchange is integrated by the classical Runge–Kutta method, one step from point to point
/// where no event lies in between.
pub struct Stepping {
    instance: Box<dyn Instance>,
    time: f64,
    /// Steps of this size since this time: points are counted, so that round-off does not add up.
    counted: (f64, u32, f64),
    exchange: Option<(Exchange, Input)>,
}

impl Stepping {
    /// Initialises an instance, whose start values have been set, at time zero; its points are
    /// `step` seconds apart.
    pub fn begin(
        mut instance: Box<dyn Instance>,
        description: &Description,
        interface: Interface,
        step: f64,
    ) -> Result<Self> {
        instance.enter_initialization(None, 0.0, None)?;
        instance.exit_initialization()?;
        let exchange = match interface {
            Interface::ModelExchange => {
                let way = Way {
                    solver: Solver::Rk4,
                    tolerance: 1.0,
                    step,
                };
                let exchange = Exchange::begin(instance.as_mut(), description, way, 0.0)?;
                Some((exchange, Input::default()))
            }
            Interface::CoSimulation => {
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
            counted: (0.0, 0, step),
            exchange,
        })
    }

    /// The instance, to set its inputs and to read its outputs at the present point.
    pub fn instance(&mut self) -> &mut dyn Instance {
        self.instance.as_mut()
    }

    /// An error of the step that begins now.
    #[cold]
    pub fn when(&self, error: FmuError) -> FmuError {
        FmuError::During {
            phase: format!("the step from t = {} s", self.time),
            source: Box::new(error),
        }
    }

    /// Goes on by `size` seconds with the inputs as they are.
    pub fn step(&mut self, size: f64) -> Result<()> {
        let (since, count, usual) = self.counted;
        #[allow(clippy::float_cmp)] // the same number, step after step
        let (since, count) = if size == usual && count < u32::MAX {
            (since, count + 1)
        } else {
            (self.time, 1)
        };
        let target = since + f64::from(count) * size;
        let instance = self.instance.as_mut();
        let ended = match &mut self.exchange {
            Some((exchange, nothing)) => {
                exchange.until(instance, nothing, target)?;
                exchange.terminated
            }
            None => co_step(instance, self.time, size)?.terminate,
        };
        if ended {
            return Err(FmuError::Reported(format!(
                "the FMU asked for the end before t = {target} s"
            )));
        }
        self.time = target;
        self.counted = (since, count, size);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::float_cmp)] // ends of the step are met to the bit
    use super::*;

    #[test]
    fn a_time_outside_of_the_step_is_not_believed() {
        for claim in [f64::NAN, f64::INFINITY, -5.0, 0.49, 0.7, 100.0] {
            let said = believed(claim, 0.5, 0.6).unwrap_err().to_string();
            assert!(said.contains(&format!("t = {claim} s")), "{said}");
        }
        for (claim, taken) in [(0.5, 0.5), (0.55, 0.55), (0.6, 0.6), (0.1 + 0.5, 0.6)] {
            assert_eq!(believed(claim, 0.5, 0.6).unwrap(), taken);
        }
        // Round-off of either end is no claim.
        assert_eq!(believed(0.6 + 1e-12, 0.5, 0.6).unwrap(), 0.6);
        assert_eq!(believed(0.5 - 1e-12, 0.5, 0.6).unwrap(), 0.5);
    }
}
