//! Written keys that nothing in a test reads.

use tandem_plan::{PlanErrors, Resolved};
use tandem_quantity::{BuildError, Values};

use super::source::Targets;
use super::{Body, Test};

/// Sections of a plan that other commands read, and what is only for people.
const ELSEWHERE: [&str; 2] = ["campaign", "description"];
/// Sections that are about a specimen.
const SPECIMEN: [&str; 9] = [
    "interface",
    "kinematics",
    "command",
    "compensator",
    "conditioning",
    "rig",
    "limits",
    "coordinator",
    "faults",
];

/// Refuses the keys that the plan writes and nothing has read of these values.
///
/// # Errors
/// [`PlanErrors`] with every such key.
pub fn refuse_unread(
    plan: &Resolved,
    values: &Values,
    why: impl Fn(&str) -> String,
) -> Result<(), Box<PlanErrors>> {
    let unread = values.unread().into_iter();
    let unread = unread.filter(|key| !ELSEWHERE.contains(&key.as_str()));
    let errors: Vec<BuildError> = unread
        .map(|key| {
            let name = key.rsplit('.').next().unwrap_or(&key);
            let text = format!("`{name}` would do nothing: {}", why(&key));
            BuildError::new(key, text, "remove this key")
        })
        .collect();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Box::new(plan.refuse(errors)))
    }
}

/// Why a key of a test does nothing.
pub(super) fn why_unread(key: &str, test: &Test) -> String {
    let of_specimen = || SPECIMEN.iter().any(|section| key.starts_with(section));
    let why = match (&test.outline.targets, &test.body) {
        (Targets::External(_), _) => "another program gives the targets",
        (Targets::SelfStepping { .. }, _) => "an FMU gives the targets",
        (Targets::Prescribed(_), _) => "the actuators are characterised",
        (Targets::Method, Body::Numerical) if of_specimen() => "there is no specimen",
        (Targets::Method | Targets::Coupled, _) => "nothing in this test reads it",
    };
    why.to_owned()
}
