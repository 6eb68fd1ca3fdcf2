//! A rig whose displacements count from a prescribed initial displacement: a residual drift, a
//! connection that is off centre.

use tandem_quantity::snapshot;
use tandem_safety::{Displaced, Measured, Released, Rig, forward_rig};

/// Displacements of the loop are those of the rig less `start`; forces are as measured.
pub struct ShiftedRig {
    inner: Box<dyn Rig>,
    start: Displaced,
}

impl ShiftedRig {
    /// Counts from `start`, m, one for each actuator.
    pub fn new(inner: Box<dyn Rig>, start: Vec<f64>) -> Self {
        let start = Displaced::new(start);
        Self { inner, start }
    }
}

snapshot!(ShiftedRig { inner });

impl Rig for ShiftedRig {
    forward_rig!(inner: properties, idle, check_connection, free_run, status, hydraulics, observe);

    fn read(&mut self, measured: &mut Measured) {
        self.inner.read(measured);
        for (x, start) in measured.motion.displacement.iter_mut().zip(self.start.by()) {
            *x -= start;
        }
    }
    fn write(&mut self, command: Released<'_>) {
        self.inner.write(self.start.displace(command));
    }
    fn initial_position(&mut self, displacement: &mut [f64]) -> bool {
        if !self.inner.initial_position(displacement) {
            displacement.fill(0.0);
        }
        for (x, start) in displacement.iter_mut().zip(self.start.by()) {
            *x -= start;
        }
        true
    }
}
