//! Plans of the program among all that could be read: which declaration, and what need not be
//! written.

use tandem_plan::{Draft, Grammar, PlanErrors, Resolved, Source};
use tandem_quantity::{Parameter, Registry};

use super::{ROOT, implied};

/// What a plan may say: by this declaration; without one, a test, or a co-simulation where there is
/// a section `[cosimulation]`.
struct OfTests(Option<&'static [Parameter]>);

impl Grammar for OfTests {
    fn root(
        &self,
        #[cfg_attr(not(feature = "fmi"), allow(unused_variables))] written: &dyn Fn(&str) -> bool,
    ) -> &'static [Parameter] {
        match self.0 {
            Some(root) => root,
            #[cfg(feature = "fmi")]
            None if written(super::Section::Cosimulation.word()) => {
                tandem_cosimulation::sections::ROOT
            }
            None => ROOT,
        }
    }

    fn imply(&self, draft: &mut Draft<'_>) {
        implied::imply_defaults(draft);
    }

    fn conclude(&self, draft: &mut Draft<'_>, registry: &Registry) {
        implied::imply_instant(draft, registry);
    }
}

/// Reads a plan of this registry's methods: a test, or a co-simulation.
pub(crate) fn open_with(
    registry: &Registry,
    source: Source<'_>,
    overrides: &[String],
) -> Result<Resolved, PlanErrors> {
    tandem_plan::read(&OfTests(None), registry, source, overrides)
}

/// The same by this declaration.
pub(crate) fn read_with(
    registry: &Registry,
    root: &'static [Parameter],
    source: Source<'_>,
    overrides: &[String],
) -> Result<Resolved, PlanErrors> {
    tandem_plan::read(&OfTests(Some(root)), registry, source, overrides)
}
