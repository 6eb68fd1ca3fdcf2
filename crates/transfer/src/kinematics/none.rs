//! One actuator for each degree of freedom of the interface.

use super::{Build, Kinematics};
use tandem_quantity::{Context, Entry, Method, Motion, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "none",
        summary: "one actuator for each interface degree of freedom, in its direction",
        reference: "definition",
        parameters: &[],
    },
    build: &|_, &Context { interface, .. }| Ok(Box::new(Identity { interface })),
};

#[derive(Clone, Copy, Debug)]
struct Identity {
    interface: usize,
}

snapshot!(Identity {});

impl Kinematics for Identity {
    fn interface(&self) -> usize {
        self.interface
    }

    fn actuators(&self) -> usize {
        self.interface
    }

    #[inline]
    fn to_actuators(&mut self, interface: &Motion, actuators: &mut Motion) {
        actuators.copy_from(interface);
    }

    #[inline]
    fn to_interface(&mut self, actuators: &Motion, interface: &mut Motion) -> bool {
        interface.copy_from(actuators);
        true
    }

    #[inline]
    fn force_to_interface(&mut self, actuators: &[f64], interface: &mut [f64]) {
        interface.copy_from_slice(actuators);
    }

    #[inline]
    fn force_to_actuators(&mut self, interface: &[f64], actuators: &mut [f64]) {
        actuators.copy_from_slice(interface);
    }
}
