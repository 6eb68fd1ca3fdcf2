//! What the monitors say, and which of their alarms are on.

use tandem_monitor::{Named, Observation, Verdict};
use tandem_quantity::snapshot;

/// An alarm is over when its monitor has not warned for this long, s of wall time.
const QUIET: f64 = 1.0;

/// The alarms of the monitors, by their bits: bit i for monitor i.
#[derive(Clone, Debug)]
pub(super) struct Alarms {
    /// Period of the coordinator, s.
    period: f64,
    /// Monitors that warn, and those that began or ceased to in this tick.
    pub warning: u64,
    pub changed: u64,
    /// Tick at which each monitor warned last.
    warned_at: Vec<u64>,
}

snapshot!(Alarms { warning, warned_at });

impl Alarms {
    pub fn new(monitors: &[Named], period: f64) -> Self {
        Self {
            period,
            warning: 0,
            changed: 0,
            warned_at: vec![0; monitors.len()],
        }
    }

    /// Shows the monitors a tick. Returns the strictest verdict above a warning, and whose it is.
    #[inline]
    pub fn observe(
        &mut self,
        monitors: &mut [Named],
        frame: &Observation<'_>,
        tick: u64,
    ) -> Option<(Verdict, usize)> {
        let mut stop = None;
        let mut strictest = Verdict::Warn;
        // An alarm that is over can be given again. It is over after a while of quiet: a figure
        // that swings about its bound would otherwise fill the list of events.
        let mut warning = self.warning;
        for (i, (_, monitor)) in monitors.iter_mut().enumerate() {
            let verdict = monitor.observe(frame);
            let bit = 1 << i.min(63);
            if verdict >= Verdict::Warn {
                warning |= bit;
                self.warned_at[i] = tick;
            } else if warning & bit != 0 {
                let ticks = tick.saturating_sub(self.warned_at[i]) as f64;
                if ticks * self.period >= QUIET {
                    warning &= !bit;
                }
            }
            if verdict > strictest {
                strictest = verdict;
                stop = Some((verdict, i));
            }
        }
        self.changed = warning ^ self.warning;
        self.warning = warning;
        stop
    }
}
