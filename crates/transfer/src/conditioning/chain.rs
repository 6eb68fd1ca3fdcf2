//! Several conditioners one after the other.

use super::{Build, Conditioner, SLOT};
use crate::rig::Measured;
use tandem_quantity::{Entry, Kind, Method, Motion, Parameter, Range, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "chain",
        summary: "several conditioners one after the other, in the order of the plan",
        reference: "definition",
        parameters: &[Parameter::of(
            "step",
            Kind::Slots(&SLOT),
            "the conditioners, the first at the sensors",
        )
        .within(Range::between(1.0, 50.0))],
    },
    build: |values, actuators, period| {
        let mut steps = Vec::new();
        for (i, table) in values.tables("step").into_iter().enumerate() {
            let built = super::build(table, actuators, period)
                .map_err(|e| e.within(&i.to_string()).within("step"))?;
            steps.extend(built);
        }
        Ok(Box::new(Chain { steps }))
    },
};

struct Chain {
    steps: Vec<Box<dyn Conditioner>>,
}

snapshot!(Chain { steps });

impl Conditioner for Chain {
    #[inline]
    fn condition(&mut self, wanted: &Motion, measured: &mut Measured) {
        for step in &mut self.steps {
            step.condition(wanted, measured);
        }
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

    fn delay(&self) -> f64 {
        self.steps.iter().map(|step| step.delay()).sum()
    }
}
