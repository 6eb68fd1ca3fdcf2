//! The table of a time-stepping method that no plan writes.

use tandem_quantity::{Parameter, Registry, ValueKind, Values};

use crate::sections;
use crate::sections::Section;
use tandem_plan::{PlanErrors, Source};

static TABLE: &[Parameter] = &[Parameter::of(
    Section::Integration.word(),
    ValueKind::Slot(&tandem_integrator::SLOT),
    "time-stepping method",
)];

/// The checked table of a time-stepping method: its defaults, and `overrides` such as `alpha=-0.1`.
/// The step is `dt` seconds.
///
/// # Errors
/// [`PlanErrors`] where there is no such method, or an override is none of its keys.
pub fn method_table(
    registry: &Registry,
    method: &str,
    dt: f64,
    overrides: &[String],
) -> Result<Values, Box<PlanErrors>> {
    let words: Vec<String> = [format!("method={method}"), format!("dt={dt:e} s")]
        .iter()
        .chain(overrides)
        .map(|word| format!("integration.{word}"))
        .collect();
    let source = Source::Text {
        name: "method",
        text: "[integration]\n",
    };
    let plan = sections::read_with(registry, TABLE, source, &words).map_err(Box::new)?;
    Ok(Section::Integration.of(&plan.values).clone())
}
