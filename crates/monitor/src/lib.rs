//! Figures of quality and safety of a hybrid test, computed on every tick from what a real test knows.
//!
//! A monitor only reads. It gives a verdict, and the strictest verdict of all monitors wins:
//! `Continue < Warn < Hold < RampDown < Trip`.

mod stability_warning;
mod tracking_error;
mod verdict;

pub use verdict::Verdict;

use tandem_integrator::Problem;
use tandem_quantity::{BuildError, Entry, Kind, Motion, Parameter, Snapshot, Values};

/// What everybody may see of one tick.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Structural time, s.
    pub time: f64,
    /// Whether an integration step was completed in this tick, so that `response` has moved on.
    pub step_complete: bool,
    /// Where the specimen should be now, at the interface.
    pub target: &'a Motion,
    /// Where the sensors say it is.
    pub measured: &'a Motion,
    /// Restoring force at the interface as it goes into the equation of motion, N.
    pub force: &'a [f64],
    /// Motion of all degrees of freedom of the numerical substructure.
    pub response: &'a Motion,
}

/// A monitor.
pub trait Monitor: Snapshot + Send {
    /// Looks at one tick.
    fn observe(&mut self, frame: &Frame<'_>) -> Verdict;

    /// Name, unit and description of the figures that go into the record.
    fn figures(&self) -> &'static [(&'static str, &'static str, &'static str)];

    /// Their present values, in the same order.
    fn values(&self, into: &mut [f64]);
}

/// What a monitor must know besides its table.
pub struct Context<'a> {
    /// The numerical substructure and its interface.
    pub problem: &'a Problem,
    /// Period of the coordinator in structural time, s.
    pub period: f64,
}

/// A monitor with its name in the plan.
pub type Named = (&'static str, Box<dyn Monitor>);

/// How a monitor is made.
pub type Build = fn(&Values, &Context<'_>) -> Result<Box<dyn Monitor>, BuildError>;

/// All monitors. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &LIST;
const LIST: [Entry<Build>; 2] = [tracking_error::ENTRY, stability_warning::ENTRY];

/// The section in the plan: one table per monitor; a monitor runs when its table is there.
pub static PARAMETERS: &[Parameter] = &tables(&LIST);

const fn tables<const N: usize>(entries: &[Entry<Build>; N]) -> [Parameter; N] {
    let blank = Parameter::of("", Kind::Table(&[]), "");
    let mut out = [blank; N];
    let mut i = 0;
    while i < N {
        let method = &entries[i].method;
        out[i] =
            Parameter::of(method.name, Kind::Table(method.parameters), method.summary).optional();
        i += 1;
    }
    out
}

/// Builds every monitor that the plan asks for, with its name.
pub fn build(values: &Values, context: &Context<'_>) -> Result<Vec<Named>, BuildError> {
    let mut monitors = Vec::new();
    for entry in METHODS {
        let name = entry.method.name;
        if let Some(table) = values.optional_table(name) {
            monitors.push((
                name,
                (entry.build)(table, context).map_err(|error| error.within(name))?,
            ));
        }
    }
    Ok(monitors)
}
