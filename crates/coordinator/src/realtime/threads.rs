//! Which part of the loop runs in which thread of a real-time test.
//!
//! ```text
//!  integration (a step in many ticks) ◀──method──▶ coordinator ──newest command──▶ rig (its own rate)
//!     priority − 1                                  priority  ◀──newest reading──   priority + 1
//! ```
//!
//! The coordinator keeps the core that the plan gives it; the others take the cores before it, as
//! far as there are any.

use super::integration_thread::{IntegrationClock, IntegrationHandle, ThreadedIntegrator};
use super::missed::OverrunWatch;
use super::rig_thread::{RigClock, RigHandle, RigThread};
use super::{Settings, claim};
use crate::controls::Guard;
use crate::hybrid_loop::HybridLoop;
use crate::notice::ThreadRole;
use std::sync::Arc;

/// A step with fewer ticks has no time to spare for a way to another thread and back.
const LEAST_TICKS: f64 = 4.0;

/// Nor has one that lasts less, s of wall time: a thread that is woken a few milliseconds late
/// would make its target late, which a quick test feels more than a long tick.
const LEAST_STEP: f64 = 0.02;

/// The threads of a test besides the coordinator's.
#[derive(Default)]
pub struct Threads {
    integration: Option<IntegrationHandle>,
    rig: Option<RigHandle>,
    /// What the log should know of who runs where.
    pub(super) notes: Vec<&'static str>,
}

/// How they kept their time.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    /// The integration's; none: it ran in the coordinator's thread.
    pub integration: Option<IntegrationClock>,
    /// The rig's; none: likewise.
    pub rig: Option<RigClock>,
}

impl Threads {
    /// Whose deadlines the coordinator looks at besides its own.
    pub(super) fn beside(&self) -> Vec<OverrunWatch> {
        let rig = self
            .rig
            .iter()
            .map(|h| OverrunWatch::new(ThreadRole::Rig, h.misses()));
        let integration = self.integration.iter();
        let integration =
            integration.map(|h| OverrunWatch::new(ThreadRole::Integration, h.misses()));
        rig.chain(integration).collect()
    }

    /// What the system did not grant them.
    pub(super) fn refused(&self) -> impl Iterator<Item = (ThreadRole, &str)> {
        let rig = self.rig.iter().map(|h| (ThreadRole::Rig, &h.refused));
        let integration = self.integration.iter();
        let integration = integration.map(|h| (ThreadRole::Integration, &h.refused));
        rig.chain(integration)
            .flat_map(|(whose, list)| list.iter().map(move |text| (whose, text.as_str())))
    }

    /// Ends the threads, after the test.
    pub fn stop(self) -> Clocks {
        Clocks {
            integration: self.integration.and_then(IntegrationHandle::stop),
            rig: self.rig.and_then(RigHandle::stop),
        }
    }
}

/// Gives integration and rig threads of their own, each where it has a rate of its own. Their loops
/// run inside the guard.
pub fn spread(hybrid: HybridLoop, settings: Settings, guard: Guard) -> (HybridLoop, Threads) {
    let mut threads = Threads::default();
    // Threads that may be put off for as long as the system likes are worse than one.
    let granted = || {
        let probe = std::thread::spawn(move || claim(settings).refused.is_empty());
        probe.join().unwrap_or(false)
    };
    if !settings.threads || !granted() {
        return (hybrid, threads);
    }
    let timing = hybrid.timing();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let own = settings.core.unwrap_or(cores - 1);
    let beside = |priority: usize, before: usize| Settings {
        priority: priority.clamp(1, 99),
        // Never the coordinator's, unless there is no other.
        core: Some((own + cores * 2 - 1 - before % cores.saturating_sub(1).max(1)) % cores),
        ..settings
    };
    let ticks = timing.time_scale * hybrid.parts().integrator.properties().dt / timing.period;
    let hybrid = hybrid.with_parts(|mut parts| {
        let instant = parts.rig.properties().is_instantaneous;
        let method = &parts.integrator;
        let known = *method.properties();
        let least = LEAST_TICKS * known.evaluations_per_step as f64;
        let may_wait = known.looks_ahead && !known.needs_instant_answers;
        let has_time = may_wait
            && !instant
            && ticks >= least
            && ticks * timing.period >= LEAST_STEP * (1.0 - 1e-9);
        if has_time && known.computes {
            let problem = method.problem().interface_alone();
            let loading = Arc::clone(&parts.loading);
            let way = ticks * timing.period / known.evaluations_per_step as f64;
            let settings = beside(settings.priority.saturating_sub(1), 1);
            let method = parts.integrator;
            let (there, handle) =
                ThreadedIntegrator::in_thread(method, loading, problem, settings, guard, way);
            parts.integrator = Box::new(there);
            threads.integration = Some(handle);
        } else if has_time && !known.is_external {
            threads.notes.push(
                "The integration stays in the coordinator's thread: its targets are prescribed, or \
                a fault or a delay is rehearsed with them.",
            );
        }
        if !instant {
            let settings = beside(settings.priority + 1, 0);
            let period = timing.period;
            let estimates = parts.integrator.observe().tangent().is_some();
            parts.rig = match RigThread::start(parts.rig, settings, guard, period, estimates) {
                Ok((there, handle)) => {
                    threads.rig = Some(handle);
                    Box::new(there)
                }
                Err(rig) => rig,
            };
        }
        parts
    });
    (hybrid, threads)
}
