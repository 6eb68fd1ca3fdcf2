//! Plans, read and put together.

use std::path::Path;

pub use tandem::QUICK_START;
use tandem::assemble::{Test, assemble};
use tandem::plan::{self, Plan, PlanErrors, Source};
use tandem::run::{Controls, Output, Signals};
use tandem::sections::ROOT;
use tandem_coordinator::recorder::RowBlock;
use tandem_coordinator::{HybridLoop, Progress, ReferenceRun};

/// No overrides.
pub const AS_WRITTEN: &[&str] = &[];

/// The plan of this text with these overrides.
///
/// # Panics
/// Where it is refused.
#[must_use]
pub fn plan(text: &str, overrides: &[impl AsRef<str>]) -> Plan {
    read(source(text), overrides)
}

/// The plan of this file with these overrides.
///
/// # Panics
/// Where it is refused.
#[must_use]
pub fn plan_file(path: &Path, overrides: &[impl AsRef<str>]) -> Plan {
    read(Source::File(path), overrides)
}

fn source(text: &str) -> Source<'_> {
    Source::Text { name: "test", text }
}

fn read(source: Source<'_>, overrides: &[impl AsRef<str>]) -> Plan {
    let overrides: Vec<String> = overrides.iter().map(|o| o.as_ref().to_owned()).collect();
    plan::read(ROOT, source, &overrides).unwrap_or_else(|refusal| panic!("{}", refusal.to_text()))
}

/// The test that this text describes, or why it is refused, when it is read or when it is put
/// together: then the plan is called `test`.
///
/// # Errors
/// Where the plan is refused.
pub fn attempt(text: &str, overrides: &[impl AsRef<str>]) -> Result<Test, Box<PlanErrors>> {
    attempted(source(text), overrides)
}

/// The test that this file describes, or why it is refused.
///
/// # Errors
/// Where the plan is refused.
pub fn attempt_file(path: &Path, overrides: &[impl AsRef<str>]) -> Result<Test, Box<PlanErrors>> {
    attempted(Source::File(path), overrides)
}

fn attempted(source: Source<'_>, overrides: &[impl AsRef<str>]) -> Result<Test, Box<PlanErrors>> {
    let set: Vec<String> = overrides.iter().map(|o| o.as_ref().to_owned()).collect();
    let plan = plan::read(ROOT, source, &set).map_err(Box::new)?;
    plan.assemble()
}

/// What is said of a plan that is refused.
///
/// # Panics
/// Where it is not refused.
#[must_use]
pub fn refusal(text: &str, overrides: &[impl AsRef<str>]) -> String {
    match attempt(text, overrides) {
        Err(refusal) => refusal.to_text(),
        Ok(_) => panic!("not refused:\n{text}"),
    }
}

/// The test that this text describes.
///
/// # Panics
/// Where the plan is refused.
#[must_use]
pub fn test(text: &str, overrides: &[impl AsRef<str>]) -> Test {
    built(&plan(text, overrides))
}

/// The test that this file describes.
///
/// # Panics
/// Where the plan is refused.
#[must_use]
pub fn test_file(path: &Path, overrides: &[impl AsRef<str>]) -> Test {
    built(&plan_file(path, overrides))
}

fn built(plan: &Plan) -> Test {
    assemble(&plan.values, plan.registry())
        .unwrap_or_else(|errors| panic!("{}", plan.refuse(errors).to_text()))
}

/// The loop of a test that has one.
///
/// # Panics
/// Where the plan is refused or has none.
#[must_use]
pub fn hybrid(text: &str, overrides: &[impl AsRef<str>]) -> HybridLoop {
    test(text, overrides).into_hybrid().unwrap()
}

/// The signals of a run in memory, with these displacements of the structure.
///
/// # Panics
/// Where it does not begin.
#[must_use]
pub fn signals(test: Test, shown: &[usize]) -> Signals {
    let run = test.run(Output::Memory { shown }, &mut Controls::default());
    run.unwrap().signals
}

/// Ticks a loop until it no longer runs; each tick is shown to `seen`.
pub fn to_the_end(hybrid: &mut HybridLoop, mut seen: impl FnMut(&HybridLoop)) -> Progress {
    let rehearsal = hybrid.rehearsal().unwrap();
    let mut block = RowBlock::new(hybrid.channels().len(), 16);
    loop {
        block.clear();
        let progress = hybrid.tick(&rehearsal.permit(), &mut block);
        seen(hybrid);
        if progress != Progress::Running {
            return progress;
        }
    }
}

/// Largest difference of the response from that of the undivided structure, over all degrees of
/// freedom and steps, and the latter's peak; each tick is shown to `seen`.
///
/// # Panics
/// Where the test has no loop, or does not come to the end of the reference in good order.
#[must_use]
pub fn from_reference(
    test: Test,
    reference: &ReferenceRun,
    mut seen: impl FnMut(&HybridLoop),
) -> (f64, f64) {
    let mut hybrid = test.into_hybrid().unwrap();
    let response = |hybrid: &HybridLoop| hybrid.parts().integrator.response().displacement.clone();
    let mut found = response(&hybrid);
    let progress = to_the_end(&mut hybrid, |hybrid| {
        seen(hybrid);
        let rows = usize::try_from(hybrid.steps()).unwrap() + 1;
        if rows * reference.dof > found.len() {
            found.extend(response(hybrid));
        }
    });
    assert_eq!(progress, Progress::Complete);
    let largest = crate::peak(&reference.displacement);
    let apart = crate::apart(&found, &reference.displacement);
    (apart * largest, largest)
}
