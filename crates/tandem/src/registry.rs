//! All methods that a plan can name: those that the slots bring along, and those of rooms above
//! them.

use std::sync::LazyLock;

use tandem_coordinator::device;
#[cfg(feature = "fmi")]
use tandem_fmi::slots;
use tandem_quantity::{Registry, Taken};
use tandem_transfer::rig;
#[cfg(feature = "fmi")]
use tandem_transfer::{actuator, compensator, servo, specimen};

use crate::assemble::characterise;
#[cfg(feature = "link")]
use crate::assemble::driven;
use crate::assemble::source::STAND_INS;
use tandem_model::{excitation, structure};

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
    registry.add(&rig::SLOT, &device::ENTRY)?;
    #[cfg(feature = "link")]
    registry.add(&rig::SLOT, &tandem_link::sites::ENTRY)?;
    #[cfg(feature = "fmi")]
    add_fmus(registry)?;
    registry.add(&excitation::SLOT, &characterise::ENTRY)?;
    #[cfg(feature = "link")]
    registry.add(&structure::SLOT, &driven::STRUCTURE)?;
    registry.add(&structure::SLOT, &characterise::STRUCTURE)?;
    for &entry in STAND_INS {
        registry.add(&tandem_integrator::SLOT, entry)?;
    }
    Ok(())
}

#[cfg(feature = "fmi")]
fn add_fmus(registry: &mut Registry) -> Result<(), Taken> {
    registry
        .add(&excitation::SLOT, &slots::excitation::ENTRY)?
        .add(&structure::SLOT, &slots::structure::ENTRY)?
        .add(&rig::SLOT, &slots::rig::ENTRY)?
        .add(&compensator::SLOT, &slots::compensator::ENTRY)?
        .add(&servo::SLOT, &slots::axis::SERVO)?
        .add(&actuator::SLOT, &slots::axis::ACTUATOR)?
        .add(&specimen::SLOT, &slots::specimen::ENTRY)?;
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
