//! Several conditioners one after the other.

use super::{Build, Conditioner, SLOT};
use crate::rig::Measured;
use tandem_quantity::{
    BuildError, Context, Entry, Method, Motion, Range, Settings, Values, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "chain",
        summary: "several conditioners one after the other, in the order of the plan",
        reference: "definition",
        parameters: ChainSettings::PARAMETERS,
    },
    build: &|values, context| {
        let mut steps = Vec::new();
        append_steps(values, context, &mut steps)?;
        Ok(Box::new(Pipeline::new(steps)))
    },
};

settings! {
    struct ChainSettings {
        /// the conditioners, the first at the sensors
        step: Vec<Values> = slots(&SLOT).within(Range::between(1.0, 50.0)),
    }
}

/// The conditioners that a table asks for, those of a chain one by one.
pub(super) fn append(
    values: &Values,
    context: &Context<'_>,
    into: &mut Vec<Box<dyn Conditioner>>,
) -> Result<(), BuildError> {
    let entry = context.registry.find(&SLOT, values)?;
    match entry.method.name {
        "none" => {}
        "chain" => append_steps(values, context, into)?,
        _ => into.push((entry.build)(values, context)?),
    }
    Ok(())
}

fn append_steps(
    values: &Values,
    context: &Context<'_>,
    into: &mut Vec<Box<dyn Conditioner>>,
) -> Result<(), BuildError> {
    let settings = ChainSettings::read(values)?;
    for (i, table) in settings.step.iter().enumerate() {
        append(table, context, into).map_err(|e| e.within(&i.to_string()).within("step"))?;
    }
    Ok(())
}

/// Conditioners in the order of the plan: first the readings, then what makes the feedback.
pub struct Pipeline {
    steps: Vec<Box<dyn Conditioner>>,
    /// How many of them, from the first on, are readings.
    readings: usize,
}

snapshot!(Pipeline { steps });

impl Pipeline {
    /// In this order; a reading behind a step that is none belongs to the feedback.
    pub fn new(steps: Vec<Box<dyn Conditioner>>) -> Self {
        let readings = steps.iter().take_while(|step| step.is_reading()).count();
        Self { steps, readings }
    }

    /// Whether the sensors' values are not the measured ones.
    pub fn has_readings(&self) -> bool {
        self.readings > 0
    }

    /// Whether the measured values are not those that go back.
    pub fn has_feedback(&self) -> bool {
        self.readings < self.steps.len()
    }

    /// From the sensors' values to the measured ones. Once a tick, before
    /// [`Pipeline::feedback_from`].
    #[inline]
    pub fn read(&mut self, wanted: &Motion, measured: &mut Measured) {
        for step in &mut self.steps[..self.readings] {
            step.condition(wanted, measured);
        }
    }

    /// From the measured values to those that go back to the integration.
    #[inline]
    pub fn feedback_from(&mut self, wanted: &Motion, measured: &mut Measured) {
        for step in &mut self.steps[self.readings..] {
            step.condition(wanted, measured);
        }
    }
}

impl Conditioner for Pipeline {
    #[inline]
    fn condition(&mut self, wanted: &Motion, measured: &mut Measured) {
        self.read(wanted, measured);
        self.feedback_from(wanted, measured);
    }

    fn is_reading(&self) -> bool {
        !self.has_feedback()
    }

    fn follows_tangent(&self) -> bool {
        self.steps.iter().any(|step| step.follows_tangent())
    }

    #[inline]
    fn tangent(&mut self, stiffness: &[f64]) {
        for step in &mut self.steps {
            step.tangent(stiffness);
        }
    }

    fn uncorrected(&self) -> Option<&Measured> {
        self.steps.iter().find_map(|step| step.uncorrected())
    }

    fn delay(&self) -> f64 {
        self.steps.iter().map(|step| step.delay()).sum()
    }
}
