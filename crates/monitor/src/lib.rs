#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! A monitor only reads. It gives a verdict, and the strictest verdict of all monitors wins:
//! `Continue < Warn < Hold < RampDown < Trip`.

pub mod conformance;
pub mod criteria;
pub mod stability;

mod delay;
mod ellipse;
mod energy;
mod frequency_evaluation;
mod growth;
mod hysteresis;
mod phase_amplitude;
mod stability_warning;
mod subspace;
mod synchronisation;
mod tracking_error;
mod tracking_indicator;
mod verdict;
mod window;
mod window_error;
mod words;
mod work;

pub use energy::ENTRY as ENERGY;
pub use stability_warning::ENTRY as STABILITY_WARNING;
pub use tandem_quantity::Verdict;
pub use words::tracking_words;

use window::ticks;

use tandem_integrator::Problem;
use tandem_quantity::{BuildError, Entry, Motion, Registry, SlotOf, Snapshot, Values};

/// What everybody may see of one tick.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// Structural time, s.
    pub time: f64,
    /// Whether an integration step was completed in this tick, so that `response` has moved on.
    pub step_complete: bool,
    /// Where the specimen should be now, at the interface.
    pub target: &'a Motion,
    /// Where it is measured to be: calibrated, but neither filtered nor corrected for the
    /// integration.
    pub measured: &'a Motion,
    /// Restoring force at the interface as it goes into the equation of motion, N.
    pub force: &'a [f64],
    /// Motion of all degrees of freedom of the numerical substructure.
    pub response: &'a Motion,
    /// External load on them at the instant of `response`, N; of a ground motion −M_g ι a_g.
    pub load: &'a [f64],
}

/// Name, unit and description of a figure.
pub type Figure = (&'static str, &'static str, &'static str);

/// A monitor.
pub trait Monitor: Snapshot + Send {
    /// Looks at one tick.
    fn observe(&mut self, frame: &Observation<'_>) -> Verdict;

    /// Name, unit and description of the figures that go into the record.
    fn figures(&self) -> &'static [Figure];

    /// Their present values, in the same order.
    fn values(&self, into: &mut [f64]);

    /// What the figures mean, for a person, where they can be put in words: `undershoot 3.1 %, lag
    /// 2.4 ms`. Not for the loop: it allocates.
    fn words(&self) -> Option<String> {
        None
    }
}

/// What a monitor must know besides its table.
pub struct MonitorContext<'a> {
    /// The numerical substructure and its interface.
    pub problem: &'a Problem,
    /// Period of the coordinator in structural time, s.
    pub period: f64,
    /// Step of the test, s.
    pub dt: f64,
    /// Whether the method holds the specimen's force over a step
    /// ([`tandem_integrator::IntegratorProperties::holds_force`]).
    pub holds_force: bool,
    /// Largest input work that is expected, J; zero where nothing is known.
    pub input_work: f64,
    /// Whether the monitor `energy` runs as well: what it records, others leave out.
    pub energies_recorded: bool,
    /// Where it finds parts of its own.
    pub registry: &'a Registry,
}

impl<'a> MonitorContext<'a> {
    /// In a test whose method does not hold the force, without any other monitor, and of which no
    /// more is known.
    #[must_use]
    pub fn of(problem: &'a Problem, period: f64) -> Self {
        Self {
            problem,
            period,
            dt: problem.dt,
            holds_force: false,
            input_work: 0.0,
            energies_recorded: false,
            registry: Registry::bare(),
        }
    }

    /// The energy that keeps a ratio of energies quiet before the shaking starts: what the plan
    /// says, else 1 % of the input work that is expected (Gálmez and Fermandois 2020, Eq. 20), else
    /// 1 J.
    fn quiet_energy(&self, energy: Option<f64>) -> f64 {
        energy.unwrap_or({
            if self.input_work > 0.0 {
                0.01 * self.input_work
            } else {
                1.0
            }
        })
    }
}

/// A monitor with its name in the plan.
pub type Named = (&'static str, Box<dyn Monitor>);

/// How a monitor is made.
pub type Build =
    &'static (dyn Fn(&Values, &MonitorContext<'_>) -> Result<Box<dyn Monitor>, BuildError> + Sync);

/// All monitors. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[
    tracking_error::ENTRY,
    window_error::ENTRY,
    tracking_indicator::ENTRY,
    subspace::ENTRY,
    phase_amplitude::ENTRY,
    frequency_evaluation::ENTRY,
    delay::ENTRY,
    energy::ENTRY,
    stability_warning::ENTRY,
];

/// The section in the plan: one table per monitor; a monitor runs when its table is there.
pub static SLOT: SlotOf<Build> = SlotOf::new("monitor", "monitor", None, || METHODS);

/// Whether a section has the monitor of this entry.
pub fn runs(values: &Values, entry: &Entry<Build>) -> bool {
    values.optional_table(entry.method.name).is_some()
}

/// Builds every monitor that the plan asks for, with its name.
pub fn build(values: &Values, context: &MonitorContext<'_>) -> Result<Vec<Named>, BuildError> {
    let mut monitors = Vec::new();
    for entry in context.registry.entries(&SLOT) {
        let name = entry.method.name;
        if let Some(table) = values.optional_table(name) {
            let monitor = (entry.build)(table, context).map_err(|error| error.within(name))?;
            monitors.push((name, monitor));
        }
    }
    Ok(monitors)
}

#[cfg(test)]
mod tests_support {
    use tandem_integrator::Problem;
    use tandem_quantity::SpecimenMatrices;
    use tandem_structure::{Linear, Matrix};

    /// A mass on a spring with one interface degree of freedom.
    pub fn spring_problem() -> Problem {
        let one = |x| Matrix::diagonal(&[x]);
        Problem {
            structure: Box::new(Linear::new(one(1000.0), one(500.0), one(1e5)).unwrap()),
            interface: vec![0],
            specimen: SpecimenMatrices::none(1),
            dt: 0.001,
            instantaneous: false,
        }
    }
}
