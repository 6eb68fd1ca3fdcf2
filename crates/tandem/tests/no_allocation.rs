//! The loop never allocates.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

use assert_no_alloc::{AllocDisabler, assert_no_alloc};
use tandem::assemble::assemble;
use tandem::plan::{self, Source, sections::ROOT};
use tandem_coordinator::Progress;
use tandem_coordinator::recorder::{Block, CHUNK_ROWS};

#[global_allocator]
static GUARD: AllocDisabler = AllocDisabler;

const QUICK_START: &str = include_str!("../../../examples/quick-start/plan.toml");

#[test]
fn ticks_do_not_allocate() {
    for method in tandem_integrator::METHODS
        .iter()
        .map(|entry| entry.method.name)
    {
        for compensator in tandem_transfer::compensator::METHODS
            .iter()
            .map(|entry| entry.method.name)
        {
            let mut overrides = vec![
                format!("integration.method={method}"),
                format!("compensator.method={compensator}"),
                "monitor.tracking_error.bound=1m".to_owned(),
            ];
            if compensator == "inverse-first-order" {
                overrides.push("compensator.time_constant=12ms".to_owned());
            }
            let source = Source::Text {
                name: "quick-start",
                text: QUICK_START,
            };
            let plan =
                plan::read(ROOT, source, &overrides).unwrap_or_else(|r| panic!("{}", r.to_text()));
            let mut test = assemble(&plan.values).unwrap();
            let mut hybrid = test.hybrid.take().unwrap();
            let mut block = Block::new(hybrid.channels().len(), CHUNK_ROWS);
            let progress = assert_no_alloc(|| {
                let mut progress = Progress::Running;
                for _ in 0..CHUNK_ROWS {
                    progress = hybrid.tick(&mut block);
                }
                progress
            });
            assert_eq!(progress, Progress::Running, "{method}, {compensator}");
        }
    }
}
