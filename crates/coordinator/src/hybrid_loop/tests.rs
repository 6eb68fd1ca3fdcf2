//! The loop with a rig that follows and an integrator whose targets are known.

use super::{Cause, HybridLoop, Parts, Progress, Timing};
use crate::channels;
use crate::recorder::RowBlock;
use std::sync::Arc;
use tandem_integrator::{NoLoad, Prescribed, Problem};
use tandem_quantity::{Entry, SpecimenMatrices, Value, Values, snapshot};
use tandem_safety::gate::{Limit, SafetyGate};
use tandem_safety::{Measured, Released, Rig, RigProperties};
use tandem_structure::{Linear, Matrix};
use tandem_transfer::{command, compensator};

const PERIOD: f64 = 1e-3;
/// How far the target goes in a tick, m.
const PACE: f64 = 1e-3;

/// Stands where it was told to, and pushes too hard for some ticks.
struct Pushing {
    ticks: std::ops::Range<u64>,
    tick: u64,
    at: Vec<f64>,
}

snapshot!(Pushing { tick, at });

impl Rig for Pushing {
    fn properties(&self) -> RigProperties {
        RigProperties {
            is_model: true,
            ..RigProperties::of(1)
        }
    }

    fn read(&mut self, measured: &mut Measured) {
        measured.motion.displacement.copy_from_slice(&self.at);
        measured.force[0] = if self.ticks.contains(&self.tick) {
            2.0
        } else {
            0.0
        };
        self.tick += 1;
    }

    fn write(&mut self, command: Released<'_>) {
        self.at.copy_from_slice(&command.displacement);
    }
}

/// A loop whose target goes PACE further in each tick, and whose rig pushes beyond its limit in
/// these ticks: the test is held then.
fn held_in(ticks: std::ops::Range<u64>, steps: usize) -> HybridLoop {
    let none = || Matrix::from_triplets(1, &[]).unwrap();
    let structure = Linear::new(none(), none(), none()).unwrap();
    let problem = Problem {
        structure: Box::new(structure),
        interface: vec![0],
        specimen: SpecimenMatrices::none(1),
        dt: PERIOD,
        instantaneous: false,
    };
    let targets = [
        (0..=steps).map(|k| PACE * k as f64).collect(),
        vec![PACE / PERIOD; steps + 1],
        vec![0.0; steps + 1],
    ];
    let actions = Values::new().with("force", Value::Text("hold".into()));
    let limits = Values::new()
        .with("force", Value::Number(1.0))
        .with("actions", Value::Table(actions));
    let (generator, method) = (
        Entry::find(command::METHODS, "direct").unwrap(),
        Entry::find(compensator::METHODS, "none").unwrap(),
    );
    let context = tandem_quantity::Context::of(1, PERIOD);
    let parts = Parts {
        ground: Box::new(|_| 0.0),
        loading: Arc::new(NoLoad),
        integrator: Box::new(Prescribed::new(problem, Arc::new(vec![targets]))),
        kinematics: None,
        command: (generator.build)(&Values::new(), &context).unwrap(),
        compensator: (method.build)(&Values::new(), &context).unwrap(),
        conditioning: None,
        gate: SafetyGate::new(&limits, 1, PERIOD).unwrap(),
        rig: Box::new(Pushing {
            ticks,
            tick: 0,
            at: vec![0.0],
        }),
        monitors: Vec::new(),
    };
    let timing = Timing {
        period: PERIOD,
        time_scale: 1.0,
        steps: steps as u64,
    };
    HybridLoop::new(parts, timing)
}

/// While a test is held its target stands where it was in the first held tick, and from there it
/// goes on: in tick k it has gone as far as in k ticks less those that were held before it.
#[test]
fn a_test_that_is_held_goes_on_from_where_it_was() {
    for held in [5..6, 5..8, 6..10] {
        let mut hybrid = held_in(held.clone(), 30);
        let target = hybrid.channels().iter();
        let name = channels::TARGET.of(1);
        let target = target.map(|c| &c.name).position(|n| *n == name).unwrap();
        let rehearsal = hybrid.rehearsal().unwrap();
        let mut block = RowBlock::new(hybrid.channels().len(), 1);
        for tick in 0..20 {
            block.clear();
            let progress = hybrid.tick(&rehearsal.permit(), &mut block);
            let acts = matches!(
                progress,
                Progress::Act(_, Cause::Limit(trip)) if trip.limit == Limit::Force
            );
            assert_eq!(acts, held.contains(&tick), "tick {tick}: {progress:?}");
            let lost = tick.clamp(held.start, held.end) - held.start;
            let expected = PACE * (tick - lost) as f64;
            let apart = hybrid.row()[target] - expected;
            assert!(
                apart.abs() < 1e-15,
                "held in {held:?}, tick {tick}: {apart} m"
            );
        }
    }
}
