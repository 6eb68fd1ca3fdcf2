//! The section `[excitation]`: a record from the shelf or a file, a made motion, or signals for the
//! actuators themselves.

mod free;
mod kanai_tajimi;
mod noise;
mod pulse;
mod record;
mod sine;
mod sweep;

pub use free::NONE;
pub use record::stated_step;
pub(crate) use sweep::SweepLaw;

use tandem_quantity::{BuildError, Context, Entry, Registry, SlotOf, Values};
pub use tandem_signal::excitation::{Build, Excitation};
use tandem_signal::record::Record;

/// All kinds of excitation. A new one is one file and its line here.
static METHODS: &[Entry<Build>] = &[
    record::ENTRY,
    noise::ENTRY,
    sweep::ENTRY,
    sine::ENTRY,
    pulse::ENTRY,
    kanai_tajimi::ENTRY,
    free::ENTRY,
];

/// The slot in the plan.
pub static SLOT: SlotOf<Build> = SlotOf::new("excitation", "kind", Some("record"), || METHODS);

/// Builds the excitation and scales it.
pub fn build(values: &Values, registry: &Registry) -> Result<Excitation, BuildError> {
    let context = Context {
        registry,
        ..Context::of(0, f64::NAN)
    };
    (context.registry.find(&SLOT, values)?.build)(values, &context)
}

fn made(
    name: &str,
    dt: f64,
    samples: Result<Vec<f64>, tandem_signal::SignalError>,
) -> Result<Excitation, BuildError> {
    let refuse = |text: String| BuildError::new("", text, "change the values of this section");
    let samples = samples.map_err(|error| refuse(error.to_string()))?;
    let record = Record::new(name, dt, samples).map_err(|error| refuse(error.to_string()))?;
    Ok(Excitation {
        record,
        notes: Vec::new(),
    })
}
