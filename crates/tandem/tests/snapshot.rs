//! A loop that was saved and restored goes on bit for bit, and a plan with the same seed gives the same bits.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

use tandem::assemble::assemble;
use tandem::plan::{self, Source, sections::ROOT};
use tandem_coordinator::HybridLoop;
use tandem_coordinator::recorder::Block;
use tandem_quantity::{Snapshot, Words};

const QUICK_START: &str = include_str!("../../../examples/quick-start/plan.toml");

fn hybrid(overrides: &[String]) -> HybridLoop {
    let source = Source::Text {
        name: "quick-start",
        text: QUICK_START,
    };
    let plan = plan::read(ROOT, source, overrides).unwrap_or_else(|r| panic!("{}", r.to_text()));
    assemble(&plan.values).unwrap().hybrid.take().unwrap()
}

fn go(hybrid: &mut HybridLoop, ticks: usize) -> Vec<u64> {
    let mut block = Block::new(hybrid.channels().len(), 1);
    for _ in 0..ticks {
        block.clear();
        hybrid.tick(&mut block);
    }
    let mut words = Vec::new();
    hybrid.save(&mut words);
    words.into_iter().map(f64::to_bits).collect()
}

#[test]
fn a_restored_loop_goes_on_bit_for_bit() {
    for method in tandem_integrator::METHODS
        .iter()
        .map(|entry| entry.method.name)
    {
        let overrides = [format!("integration.method={method}")];
        let mut straight = hybrid(&overrides);
        go(&mut straight, 2500);
        let mut words = Vec::new();
        straight.save(&mut words);
        let expected = go(&mut straight, 2500);

        let mut other = hybrid(&overrides);
        go(&mut other, 123);
        let mut reader = Words::new(&words);
        other.restore(&mut reader).unwrap();
        assert_eq!(reader.remaining(), 0, "{method}: words left over");
        assert_eq!(go(&mut other, 2500), expected, "{method}");
    }
}

#[test]
fn the_seed_decides_the_noise() {
    let run = |seed: u32| go(&mut hybrid(&[format!("seed={seed}")]), 1000);
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}
