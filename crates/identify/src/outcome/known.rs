//! A transfer system that is known already, from a plan: to lay beside what was identified.

use crate::Complex;
use tandem::plan::Plan;
use tandem_quantity::{Context, Settings as _, Slot as _};
use tandem_transfer::actuator::transfer_function::{NAME, TransferFunctionSettings};
use tandem_transfer::{LinearSystem, actuator, plant, servo};

use super::Error;

/// Responses from every drive to every displacement.
#[derive(Debug, Clone)]
pub struct Known {
    system: LinearSystem,
    /// Pure delay in front, s.
    delay: f64,
    /// Where it stands, for people.
    pub name: String,
}

impl Known {
    /// The plant of `[rig.plant]`, or the actuator of `[rig.actuator]` where that is a transfer
    /// function, of a plan for `axes` actuators.
    pub fn of_plan(plan: &Plan, axes: usize) -> Result<Self, Error> {
        let fault = |text: &str| Error::Plan(format!("--beside: {text}"));
        let rig = plan
            .values
            .optional_table("rig")
            .ok_or_else(|| fault("the plan has no [rig]"))?;
        let served = rig
            .optional_table("servo")
            .and_then(|table| servo::SLOT.chosen(table))
            .is_some_and(|method| method != "none");
        if served {
            return Err(fault(
                "a servo stands around the actuator, so that the plan does not say how both \
                respond together",
            ));
        }
        if let Some(table) = rig.optional_table("plant") {
            let kind = plant::SLOT.chosen(table).unwrap_or_default();
            // The period plays no part in the continuous model.
            let context = Context {
                registry: plan.registry(),
                ..Context::of(axes, 1e-3)
            };
            let entry = context.registry.find(&plant::SLOT, table);
            let built = entry
                .and_then(|entry| (entry.build)(table, &context))
                .map_err(|error| fault(&format!("rig.plant: {error}")))?;
            let system = built.linear().ok_or_else(|| {
                fault(&format!(
                    "the plant \"{kind}\" is not linear, or has delays"
                ))
            })?;
            return Ok(Self {
                system,
                delay: 0.0,
                name: format!("plant \"{kind}\" of the plan"),
            });
        }
        let actuator = rig
            .optional_table("actuator")
            .filter(|table| actuator::SLOT.chosen(table) == Some(NAME) && axes == 1)
            .ok_or_else(|| {
                fault(
                    "the rig has neither a linear [rig.plant] nor, for one actuator, a \
                    [rig.actuator] with method = \"transfer-function\"",
                )
            })?;
        let TransferFunctionSettings {
            numerator,
            denominator,
            delay,
        } = TransferFunctionSettings::read(actuator)
            .map_err(|error| fault(&format!("rig.actuator: {error}")))?;
        let system = LinearSystem::from_columns(&[vec![numerator]], &[denominator])
            .map_err(|error| fault(&format!("rig.actuator: {error}")))?;
        Ok(Self {
            system,
            delay,
            name: "actuator of the plan".to_owned(),
        })
    }

    /// Response at a frequency, Hz, to a continuous drive.
    #[must_use]
    pub fn response(&self, output: usize, input: usize, frequency: f64) -> Complex<f64> {
        let omega = std::f64::consts::TAU * frequency;
        let [re, im] = self.system.response(omega, output, input);
        Complex::new(re, im) * Complex::new(0.0, -omega * self.delay).exp()
    }
}
