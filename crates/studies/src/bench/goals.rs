//! What our controller has to reach on the two problems (docs/benchmarks.md): for `cargo xtask
//! study problems`, and for the share of it that the tests run.

use super::statistics::figures;
use super::{Outcome, multi_axial};
use tandem::criteria::{CriteriaValues, name};

/// One form of the criteria of a run.
type Form = fn(&Outcome) -> &CriteriaValues;

/// One goal: a bound on a figure, and what was found.
struct Goal {
    what: String,
    found: f64,
    bound: f64,
}

impl Goal {
    fn new(what: impl Into<String>, found: f64, bound: f64) -> Self {
        Self {
            what: what.into(),
            found,
            bound,
        }
    }

    /// In words, where it is missed; a figure that is no number misses too.
    fn missed(self) -> Option<String> {
        let Self { what, found, bound } = self;
        (found.is_nan() || found > bound).then(|| format!("{what}: {found:.3} for at most {bound}"))
    }
}

/// Unstable runs, of which there must be none.
fn unstable(runs: &[Option<Outcome>]) -> Goal {
    let count = runs.iter().filter(|run| run.is_none()).count();
    Goal::new("unstable runs", count as f64, 0.0)
}

/// Goals of the single-actuator problem that the nominal run and those with random plants miss: J2
/// of the true displacement 0.30 %, the worst 0.60 %; J4 0.5 %.
#[must_use]
pub fn missed_single(nominal: &Outcome, runs: &[Option<Outcome>]) -> Vec<String> {
    let of = |outcome: &Outcome, number: u8| {
        let found = outcome.criteria_noise_free.get(number).first();
        found.copied().unwrap_or(f64::NAN)
    };
    let worst = runs.iter().flatten().map(|run| of(run, 2));
    let goals = [
        Goal::new("J2 of the nominal plant, noise-free", of(nominal, 2), 0.30),
        Goal::new("J4 of the nominal plant, noise-free", of(nominal, 4), 0.5),
        Goal::new("worst J2, noise-free", worst.fold(0.0, f64::max), 0.60),
        unstable(runs),
    ];
    goals.into_iter().filter_map(Goal::missed).collect()
}

/// Goals of the multi-axial problem that runs with random plants miss, as means: J2 of the true
/// displacement 0.6 %, J7 1.0 % (of the estimate and of the true displacement), J8 0.4 %; and every
/// command within the range of the converters.
#[must_use]
pub fn missed_multi(runs: &[Option<Outcome>]) -> Vec<String> {
    let done: Vec<&Outcome> = runs.iter().flatten().collect();
    let mut goals = vec![unstable(runs)];
    let forms: [(u8, &str, f64, Form); 4] = [
        (2, "noise-free", 0.6, |o| &o.criteria_noise_free),
        (7, "estimated", 1.0, |o| &o.criteria_estimated),
        (7, "noise-free", 1.0, |o| &o.criteria_noise_free),
        (8, "numerical part", 0.4, |o| &o.criteria),
    ];
    for (number, form, bound, of) in forms {
        let count = done.first().map_or(1, |run| of(run).get(number).len());
        for place in 0..count {
            let list: Vec<f64> = done
                .iter()
                .map(|run| of(run).get(number).get(place).copied())
                .map(|value| value.unwrap_or(f64::NAN))
                .collect();
            let mean = if list.is_empty() {
                f64::NAN
            } else {
                figures(&list)[0]
            };
            let what = format!("mean {} ({}), {form}", name(number), place + 1);
            goals.push(Goal::new(what, mean, bound));
        }
    }
    let volts = done.iter().flat_map(|run| multi_axial::volts(&run.demand));
    let largest = volts.fold(0.0, f64::max);
    goals.push(Goal::new(
        "largest command, V",
        largest,
        multi_axial::CONVERTER,
    ));
    goals.into_iter().filter_map(Goal::missed).collect()
}
