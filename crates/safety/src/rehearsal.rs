//! Leave to move what is only a model: checks before a test, comparisons, exported rigs.

use crate::machine::{Event, Machine, Order, Permit};
use crate::{Released, Rig, RigProperties, SafetyGate};
use tandem_quantity::{BuildError, Motion, Values};

/// The state machine in a test with a model, behind a gate without limits.
///
/// ```
/// use tandem_safety::Rehearsal;
///
/// fn rehearse(rig: &mut dyn tandem_safety::Rig) -> Result<(), tandem_quantity::BuildError> {
///     let mut rehearsal = Rehearsal::of(rig)?;
///     let command = tandem_quantity::Motion::at_rest(rig.properties().actuators);
///     if let Some(command) = rehearsal.release(&command) {
///         rig.write(command);
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct Rehearsal {
    machine: Machine,
    gate: SafetyGate,
    command: Motion,
}

impl Rehearsal {
    /// For this rig.
    ///
    /// # Errors
    /// [`BuildError`] where the rig is no model.
    pub fn of(rig: &dyn Rig) -> Result<Self, BuildError> {
        let RigProperties {
            is_model,
            actuators,
            ..
        } = rig.properties();
        if !is_model {
            return Err(BuildError::new(
                "rig.kind",
                "this rig is no model: what is only rehearsed would move it",
                "rehearse with a virtual rig",
            ));
        }
        let mut machine = Machine::default();
        for event in [
            Event::Order(Order::Start),
            Event::Pressure(true),
            Event::Manifold(true),
            Event::AtStart,
            Event::Order(Order::Next),
            Event::DriverReady,
        ] {
            machine.happen(event);
        }
        Ok(Self {
            machine,
            gate: SafetyGate::new(&Values::new(), actuators, 1.0)?,
            command: Motion::at_rest(actuators),
        })
    }

    /// For a loop with a gate of its own.
    #[inline]
    pub fn permit(&self) -> Permit<'_> {
        self.machine.permit()
    }

    /// The command, for the rig; none where it has values that are no numbers.
    #[inline]
    pub fn release(&mut self, command: &Motion) -> Option<Released<'_>> {
        self.command.copy_from(command);
        let permit = self.machine.permit();
        let (released, found) = self.gate.release(&permit, command, &mut self.command);
        found.is_none().then_some(released)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Measured;
    use tandem_quantity::snapshot;

    struct Bench {
        is_model: bool,
    }

    snapshot!(Bench {});

    impl Rig for Bench {
        fn properties(&self) -> RigProperties {
            RigProperties {
                is_model: self.is_model,
                ..RigProperties::of(2)
            }
        }
        fn read(&mut self, _: &mut Measured) {}
        fn write(&mut self, _: Released<'_>) {}
    }

    #[test]
    fn what_is_no_model_is_not_rehearsed_with() {
        let refused = Rehearsal::of(&Bench { is_model: false });
        assert_eq!(refused.unwrap_err().key, "rig.kind");
    }

    #[test]
    fn a_rehearsal_lets_every_number_through() {
        let mut rehearsal = Rehearsal::of(&Bench { is_model: true }).unwrap();
        assert!(rehearsal.permit().is_for_test());
        let mut command = Motion::at_rest(2);
        command.displacement = vec![1e9, -1e9];
        command.velocity[1] = 2.0;
        assert_eq!(rehearsal.release(&command).as_deref(), Some(&command));
        command.acceleration[0] = f64::NAN;
        assert_eq!(rehearsal.release(&command), None);
    }
}
