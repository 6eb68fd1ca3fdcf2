//! All methods that a plan can name: those that the slots bring along, and those of rooms above
//! them.

use std::sync::LazyLock;

use tandem_coordinator::device;
use tandem_integrator::{self as integrator, Integrator, IntegratorContext, Problem};
use tandem_quantity::{BuildError, Entry, Registry, Taken, Values};
use tandem_transfer::{actuator, compensator, rig, servo, specimen};

use crate::assemble::{characterise, driven};
use crate::guest;

/// What stands in for a time-stepping method where nothing is stepped here.
pub static NOT_STEPPED: [&Entry<integrator::Build>; 3] = [
    &driven::METHOD,
    &guest::co_simulation::METHOD,
    &characterise::METHOD,
];

/// The time-stepping methods.
pub fn steppers(registry: &Registry) -> impl Iterator<Item = &'static Entry<integrator::Build>> {
    let stands_in = |name: &str| NOT_STEPPED.iter().any(|entry| entry.method.name == name);
    let entries = registry.entries(&integrator::SLOT);
    entries.filter(move |entry| !stands_in(entry.method.name))
}

/// How they are made: by whoever puts the test together, and never as a part of it.
pub(crate) fn not_stepped(
    _: &Values,
    _: Problem,
    _: &IntegratorContext<'_>,
) -> Result<Box<dyn Integrator>, BuildError> {
    Err(BuildError::new(
        "method",
        "nothing is stepped with this method",
        "take a time-stepping method, see `tandem methods`",
    ))
}

/// The methods of this program. Who has more clones it, adds them and reads plans with it
/// ([`plan::read_with`](crate::plan::read_with)).
pub fn standard() -> &'static Registry {
    static STANDARD: LazyLock<Registry> = LazyLock::new(|| {
        let mut registry = Registry::new();
        let filled = fill(&mut registry);
        debug_assert_eq!(filled, Ok(()));
        registry
    });
    &STANDARD
}

fn fill(registry: &mut Registry) -> Result<(), Taken> {
    registry
        .add(&rig::SLOT, &device::ENTRY)?
        .add(&rig::SLOT, &tandem_link::sites::ENTRY)?
        .add(&rig::SLOT, &guest::rig::ENTRY)?
        .add(&compensator::SLOT, &guest::compensator::ENTRY)?
        .add(&servo::SLOT, &guest::axis::SERVO)?
        .add(&actuator::SLOT, &guest::axis::ACTUATOR)?
        .add(&specimen::SLOT, &guest::specimen::ENTRY)?;
    for entry in NOT_STEPPED {
        registry.add(&integrator::SLOT, entry)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_of_this_program_has_a_name_of_its_own() {
        assert_eq!(fill(&mut Registry::new()), Ok(()));
    }
}
