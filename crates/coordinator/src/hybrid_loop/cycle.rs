//! What has become of a tick, on its way from the sensors to the rig.

use tandem_monitor::Verdict;
use tandem_quantity::{Snapshot, SnapshotError, StateReader};
use tandem_safety::gate::{Limit, Trip, Violation, most_severe};

/// Who wants something to happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    /// A detector of the safety gate.
    Limit(Trip),
    /// A monitor; index into the monitors.
    Monitor(usize),
}

/// Where the test stands after a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// Go on.
    Running,
    /// Only in stepped time: the driver has no target yet and the clock stands. The tick is
    /// finished by the next call.
    Awaiting,
    /// All steps are done.
    Complete,
    /// The driver is gone; the command is held.
    DriverLost,
    /// Something stronger than a warning; the command is held.
    Act(Verdict, Cause),
}

/// Whether a finding is more than a warning.
#[inline]
pub(super) fn acts(finding: Violation) -> bool {
    finding.is_some_and(|(verdict, _)| verdict > Verdict::Warn)
}

/// A tick so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle {
    pub progress: Progress,
    /// A step of the integration was completed.
    pub step_complete: bool,
    /// The strictest that a detector has found.
    finding: Violation,
}

impl Cycle {
    /// One that has found nothing yet.
    #[inline]
    pub fn new() -> Self {
        Self {
            progress: Progress::Running,
            step_complete: false,
            finding: None,
        }
    }

    /// Whether nothing has been found so far that ends or holds the test.
    #[inline]
    pub fn goes_on(&self) -> bool {
        self.progress == Progress::Running && !acts(self.finding)
    }

    /// Whether the sensors say numbers.
    #[inline]
    pub fn has_numbers(&self) -> bool {
        !self
            .finding
            .is_some_and(|(_, trip)| trip.limit == Limit::NotFinite)
    }

    /// What a detector has found.
    #[inline(always)]
    pub fn found(&mut self, finding: Violation) {
        // Almost always nothing: then nothing is moved about.
        if let Some(found) = &finding {
            self.keep_strictest(found);
        }
    }

    #[cold]
    #[inline(never)]
    fn keep_strictest(&mut self, found: &(Verdict, Trip)) {
        self.finding = most_severe(self.finding, Some(*found));
    }

    /// What the sensors and the monitors say becomes the word on this tick.
    #[inline]
    pub fn decide(&mut self, observed: Option<(Verdict, usize)>, all_done: bool) {
        if self.progress != Progress::Running {
            return;
        }
        if let Some((verdict, trip)) = self.finding
            && verdict > Verdict::Warn
        {
            self.progress = Progress::Act(verdict, Cause::Limit(trip));
        } else if let Some((verdict, monitor)) = observed {
            self.progress = Progress::Act(verdict, Cause::Monitor(monitor));
        } else if all_done {
            self.progress = Progress::Complete;
        }
    }

    /// What the gate found of the command.
    #[inline]
    pub fn passed(&mut self, finding: Violation) {
        self.found(finding);
        if let Some((verdict, trip)) = finding
            && verdict > Verdict::Warn
        {
            self.progress = Progress::Act(verdict, Cause::Limit(trip));
        }
    }

    /// A limit that warned.
    #[inline]
    pub fn limit_warning(&self) -> Option<Trip> {
        let (verdict, trip) = self.finding?;
        (verdict == Verdict::Warn).then_some(trip)
    }
}

/// A tick is saved for what is left of it while it waits for its target: at most a limit has warned
/// until then.
impl Snapshot for Cycle {
    fn save(&self, into: &mut Vec<f64>) {
        (self.progress == Progress::Awaiting).save(into);
        self.step_complete.save(into);
        let trip = self.limit_warning();
        trip.is_some().save(into);
        let place = trip.map_or(0, |trip| trip.limit as usize);
        place.save(into);
        trip.map_or(0, |trip| trip.actuator).save(into);
        trip.map_or(0.0, |trip| trip.value).save(into);
        trip.map_or(0.0, |trip| trip.bound).save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        let (mut awaits, mut warned) = (false, false);
        let (mut place, mut actuator) = (0_usize, 0_usize);
        let (mut value, mut bound) = (0.0, 0.0);
        awaits.restore(from)?;
        self.step_complete.restore(from)?;
        warned.restore(from)?;
        place.restore(from)?;
        actuator.restore(from)?;
        value.restore(from)?;
        bound.restore(from)?;
        let limit = *Limit::ALL.get(place).ok_or(SnapshotError)?;
        let trip = Trip {
            limit,
            actuator,
            value,
            bound,
        };
        self.progress = if awaits {
            Progress::Awaiting
        } else {
            Progress::Running
        };
        self.finding = warned.then_some((Verdict::Warn, trip));
        Ok(())
    }
}
