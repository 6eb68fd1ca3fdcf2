//! A compensator for each actuator by itself: other parameters, or another method.

use super::{Build, Compensator, SLOT, SwitchOn};
use tandem_quantity::{
    BuildError, Context, Entry, ExternalModel, Method, Motion, Range, Settings, Values, settings,
    snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "per-actuator",
        summary: "a compensator for each actuator by itself, with its own parameters or of another \
            method",
        reference: "definition",
        parameters: <(PerActuatorSettings, SwitchOn)>::PARAMETERS,
    },
    build: &|values, context| {
        let actuators = context.actuators;
        let one = Context {
            actuators: 1,
            ..*context
        };
        let settings = PerActuatorSettings::read(values)?;
        let tables = settings.actuator;
        if tables.len() != actuators {
            return Err(BuildError::new(
                "actuator",
                format!("{} compensators for {actuators} actuators", tables.len()),
                format!("give {actuators} tables [[compensator.actuator]]"),
            ));
        }
        let parts = tables
            .into_iter()
            .enumerate()
            .map(|(i, table)| {
                super::build(&table, &one).map_err(|e| e.within(&i.to_string()).within("actuator"))
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Box::new(PerActuator {
            parts,
            wanted: Motion::at_rest(1),
            measured: Motion::at_rest(1),
            command: Motion::at_rest(1),
        }))
    },
};

settings! {
    struct PerActuatorSettings {
        /// the compensators, one for each actuator in order
        actuator: Vec<Values> = slots(&SLOT).within(Range::between(1.0, 1e3)),
    }
}

struct PerActuator {
    parts: Vec<Box<dyn Compensator>>,
    wanted: Motion,
    measured: Motion,
    command: Motion,
}

snapshot!(PerActuator { parts });

#[inline]
fn take(from: &Motion, actuator: usize, to: &mut Motion) {
    to.displacement[0] = from.displacement[actuator];
    to.velocity[0] = from.velocity[actuator];
    to.acceleration[0] = from.acceleration[actuator];
}

impl Compensator for PerActuator {
    #[inline]
    fn propose(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion) {
        for (i, part) in self.parts.iter_mut().enumerate() {
            take(wanted, i, &mut self.wanted);
            take(measured, i, &mut self.measured);
            part.propose(&self.wanted, &self.measured, &mut self.command);
            command.displacement[i] = self.command.displacement[0];
            command.velocity[i] = self.command.velocity[0];
            command.acceleration[i] = self.command.acceleration[0];
        }
    }

    #[inline]
    fn sent(&mut self, command: &Motion) {
        for (i, part) in self.parts.iter_mut().enumerate() {
            take(command, i, &mut self.command);
            part.sent(&self.command);
        }
    }

    fn closes_a_loop(&self) -> bool {
        self.parts.iter().any(|part| part.closes_a_loop())
    }

    fn estimate(&self, measured: &[f64], estimate: &mut [f64]) {
        for (i, part) in self.parts.iter().enumerate() {
            part.estimate(&measured[i..=i], &mut estimate[i..=i]);
        }
    }

    fn coefficients(&self, actuator: usize) -> &[f64] {
        let part = self.parts.get(actuator);
        part.map_or(&[], |part| part.coefficients(0))
    }

    fn bounds(&self, actuator: usize) -> &[(f64, f64)] {
        let part = self.parts.get(actuator);
        part.map_or(&[], |part| part.bounds(0))
    }

    /// One speaks for all: who is lost, or else whom the loop waits for.
    fn external(&self) -> Option<&dyn ExternalModel> {
        let all = || self.parts.iter().filter_map(|part| part.external());
        let lost = all().find(|external| external.fault_message().is_some());
        lost.or_else(|| all().find(|external| external.waits()))
            .or_else(|| all().next())
    }
}
