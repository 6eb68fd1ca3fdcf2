//! What every running FMU looks like from outside: of either version, in this process or in one of
//! its own.

use crate::{FmuError, Result, VariableType};

/// How far a step of co-simulation came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stepped {
    /// Time that was reached, s: the end of the step unless it was ended early.
    pub reached: f64,
    /// The FMU wants its events handled (FMI 3 with event mode).
    pub event: bool,
    /// The FMU asks for the end of the simulation.
    pub terminate: bool,
}

impl Stepped {
    /// A step that came to its end, with nothing to tell.
    #[must_use]
    pub fn to(reached: f64) -> Self {
        Self {
            reached,
            event: false,
            terminate: false,
        }
    }
}

/// What came of the handling of events.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Events {
    /// It must be done once more.
    pub again: bool,
    /// The FMU asks for the end of the simulation.
    pub terminate: bool,
    /// The continuous states have jumped.
    pub states_changed: bool,
    /// When the next event by time is due, s.
    pub next_time: Option<f64>,
}

/// What the FMU said to a completed step of the integrator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completed {
    /// It wants its events handled.
    pub event: bool,
    /// It asks for the end of the simulation.
    pub terminate: bool,
}

/// A saved state of an FMU; it belongs to the instance that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saved(pub usize);

/// A running FMU. Values of every number type travel as `f64`; arrays (FMI 3) as all their values
/// in row-major order.
///
/// Order of calls: [`Instance::set`] start values → `enter_initialization` → inputs →
/// `exit_initialization` → …; see the standard. [`crate::simulate()`] and [`crate::Stepping`] keep
/// to it.
pub trait Instance: Send {
    /// Enters the mode in which structural parameters are set, before anything else is (FMI 3).
    fn enter_configuration(&mut self) -> Result<()> {
        Err(FmuError::Usage(
            "structural parameters came with FMI 3.0".into(),
        ))
    }
    /// Leaves it.
    fn exit_configuration(&mut self) -> Result<()> {
        Ok(())
    }
    /// Enters initialisation at `start` (s); `stop` and the relative tolerance where they are
    /// known.
    fn enter_initialization(
        &mut self,
        tolerance: Option<f64>,
        start: f64,
        stop: Option<f64>,
    ) -> Result<()>;
    /// Leaves initialisation.
    fn exit_initialization(&mut self) -> Result<()>;
    /// Reads variables of one type.
    fn get(&mut self, kind: VariableType, references: &[u32], values: &mut [f64]) -> Result<()>;
    /// Writes variables of one type.
    fn set(&mut self, kind: VariableType, references: &[u32], values: &[f64]) -> Result<()>;
    /// Writes a text.
    fn set_text(&mut self, reference: u32, text: &str) -> Result<()>;
    /// One step of co-simulation.
    fn step(&mut self, time: f64, size: f64) -> Result<Stepped>;
    /// The same, None where the step came to its end and there is nothing to tell: what is not
    /// handed back need not be looked at.
    #[inline]
    fn step_simply(&mut self, time: f64, size: f64) -> Result<Option<Stepped>> {
        let stepped = self.step(time, size)?;
        // A time behind the end is no simple answer either: the FMU claims what it was not asked
        // for.
        let at_end = (stepped.reached - (time + size)).abs() <= 1e-9 * size;
        let simple = !stepped.event && !stepped.terminate && at_end;
        Ok((!simple).then_some(stepped))
    }
    /// Whether co-simulation uses event mode (FMI 3).
    fn uses_event_mode(&self) -> bool {
        false
    }
    /// Back to steps after events (FMI 3 co-simulation).
    fn enter_step_mode(&mut self) -> Result<()>;
    /// Time of a model exchange.
    fn set_time(&mut self, time: f64) -> Result<()>;
    /// Continuous states.
    fn states(&mut self, states: &mut [f64]) -> Result<()>;
    /// Continuous states.
    fn set_states(&mut self, states: &[f64]) -> Result<()>;
    /// Their derivatives.
    fn derivatives(&mut self, derivatives: &mut [f64]) -> Result<()>;
    /// Event indicators.
    fn indicators(&mut self, indicators: &mut [f64]) -> Result<()>;
    /// Tells of a completed step of the integrator.
    fn completed_step(&mut self) -> Result<Completed>;
    /// Enters event mode.
    fn enter_event_mode(&mut self) -> Result<()>;
    /// Handles events once.
    fn update_discrete_states(&mut self) -> Result<Events>;
    /// Leaves event mode of a model exchange.
    fn enter_continuous_time(&mut self) -> Result<()>;
    /// Saves the state; into an old one where given.
    fn save(&mut self, over: Option<Saved>) -> Result<Saved>;
    /// Goes back to a saved state.
    fn restore(&mut self, saved: Saved) -> Result<()>;
    /// Σ ∂unknown/∂known · seed.
    fn directional(
        &mut self,
        unknowns: &[u32],
        knowns: &[u32],
        seed: &[f64],
        sensitivity: &mut [f64],
    ) -> Result<()>;
    /// Ends the simulation.
    fn terminate(&mut self) -> Result<()>;
    /// The FMU's messages since the last call.
    fn messages(&mut self) -> Vec<String>;
    /// How many calls it has answered by a warning, where that is known.
    fn warnings(&self) -> u64 {
        0
    }
}

/// Handles events until nothing changes any more.
pub fn settle<I: Instance + ?Sized>(instance: &mut I) -> Result<Events> {
    let mut all = Events::default();
    for _ in 0..1000 {
        let events = instance.update_discrete_states()?;
        all.states_changed |= events.states_changed;
        all.terminate |= events.terminate;
        all.next_time = events.next_time;
        if all.next_time.is_some_and(f64::is_nan) {
            return Err(FmuError::Reported(
                "the FMU says that its next event is at a time that is no number".into(),
            ));
        }
        if !events.again || events.terminate {
            return Ok(all);
        }
    }
    Err(FmuError::Reported(
        "the FMU's events do not settle: a thousand rounds and still more are wanted".into(),
    ))
}

/// The same at a time of a model exchange, s. An event that the FMU announces for now or for
/// earlier is due: it has one more round. What it announces then is taken as it is, since some
/// never take back what has passed.
pub fn settle_at<I: Instance + ?Sized>(instance: &mut I, time: f64) -> Result<Events> {
    let first = settle(instance)?;
    if first.terminate || first.next_time.is_none_or(|next| next > time) {
        return Ok(first);
    }
    let second = settle(instance)?;
    Ok(Events {
        states_changed: first.states_changed | second.states_changed,
        ..second
    })
}
