//! The largest restoring force so far, and a warning when it grows beyond a bound.
//!
//! Ports: restoring force at the interface (N), every tick → its largest value on either side (N).

use tandem_monitor::{Build, Figure, Monitor, Observation};
use tandem_quantity::{Dimension, Entry, Method, Settings, Verdict, settings, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "peak_force",
        summary: "largest restoring force so far",
        reference: "definition",
        parameters: PeakForceSettings::PARAMETERS,
    },
    build: &|values, _| {
        let PeakForceSettings { bound } = PeakForceSettings::read(values)?;
        Ok(Box::new(PeakForce { bound, peak: 0.0 }))
    },
};

settings! {
    struct PeakForceSettings {
        /// force above which the operator is warned
        bound: f64 = number(Dimension::FORCE).positive(),
    }
}

struct PeakForce {
    bound: f64,
    peak: f64,
}

snapshot!(PeakForce { peak });

impl Monitor for PeakForce {
    fn observe(&mut self, frame: &Observation<'_>) -> Verdict {
        self.peak = frame
            .force
            .iter()
            .fold(self.peak, |peak, f| peak.max(f.abs()));
        if self.peak > self.bound {
            Verdict::Warn
        } else {
            Verdict::Continue
        }
    }

    fn figures(&self) -> &'static [Figure] {
        &[(
            "peak_force",
            "N",
            "Largest restoring force at the interface so far.",
        )]
    }

    fn values(&self, into: &mut [f64]) {
        into[0] = self.peak;
    }
}
