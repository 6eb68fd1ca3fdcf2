//! No specimen: an actuator that moves nothing, as it is characterised without payload.

use super::{Build, Specimen};
use tandem_quantity::{Context, Entry, Method, Motion, SpecimenMatrices, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "none",
        summary: "nothing: an actuator without payload, to be characterised alone",
        reference: "definition",
        parameters: &[],
    },
    build: &|_, &Context { interface: dof, .. }| Ok(Box::new(Nothing(SpecimenMatrices::none(dof)))),
};

/// Resists nothing.
#[derive(Clone, Debug)]
struct Nothing(SpecimenMatrices);

snapshot!(Nothing {});

impl Specimen for Nothing {
    fn dof(&self) -> usize {
        self.0.dof
    }

    #[inline]
    fn force(&mut self, _motion: &Motion, force: &mut [f64]) {
        force.fill(0.0);
    }

    fn specimen_matrices(&self) -> &SpecimenMatrices {
        &self.0
    }

    fn is_linear(&self) -> bool {
        true
    }
}
