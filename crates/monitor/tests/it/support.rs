//! Monitors as a plan would build them, and the single-actuator benchmark problem (Silva et al.
//! 2020).

use tandem_integrator::Problem;
use tandem_monitor::{METHODS, Monitor, MonitorContext, Observation, Verdict};
use tandem_quantity::{Entry, Motion, SpecimenMatrices, Value, Values};
use tandem_structure::{Linear, Matrix};
use tandem_test_support::filled_in;

/// The table of a monitor with its defaults and these numbers (SI).
pub fn table(name: &str, numbers: &[(&str, f64)]) -> Values {
    let parameters = Entry::find(METHODS, name).unwrap().method.parameters;
    let own: Vec<_> = numbers
        .iter()
        .map(|(key, x)| (*key, Value::Number(*x)))
        .collect();
    filled_in(parameters, &own)
}

pub fn monitor(
    name: &str,
    numbers: &[(&str, f64)],
    problem: &Problem,
    period: f64,
) -> Box<dyn Monitor> {
    monitor_of_method(name, numbers, problem, period, false)
}

/// The same, for a method that holds the specimen's force over a step or does not.
pub fn monitor_of_method(
    name: &str,
    numbers: &[(&str, f64)],
    problem: &Problem,
    period: f64,
    holds_force: bool,
) -> Box<dyn Monitor> {
    let context = MonitorContext {
        holds_force,
        ..MonitorContext::of(problem, period)
    };
    (Entry::find(METHODS, name).unwrap().build)(&table(name, numbers), &context).unwrap()
}

pub fn figures(monitor: &dyn Monitor) -> Vec<f64> {
    let mut values = vec![f64::NAN; monitor.figures().len()];
    monitor.values(&mut values);
    values
}

/// A spring with one interface degree of freedom, for monitors that only look at target and
/// measured displacement.
pub fn spring() -> Problem {
    springs(1)
}

/// So many such springs, each with an actuator.
pub fn springs(count: usize) -> Problem {
    let all = |x| Matrix::diagonal(&vec![x; count]);
    Problem {
        structure: Box::new(Linear::new(all(1000.0), all(500.0), all(1e5)).unwrap()),
        interface: (0..count).collect(),
        specimen: SpecimenMatrices::none(count),
        dt: 1.0 / 1024.0,
        instantaneous: false,
    }
}

/// Shows a monitor target and measured displacements; returns its last verdict.
pub fn show(
    monitor: &mut dyn Monitor,
    ticks: usize,
    signal: impl Fn(usize) -> (f64, f64),
) -> Verdict {
    show_each(monitor, ticks, &[&signal])
}

/// The same with one signal for each actuator.
pub fn show_each(
    monitor: &mut dyn Monitor,
    ticks: usize,
    signals: &[&dyn Fn(usize) -> (f64, f64)],
) -> Verdict {
    let n = signals.len();
    let (mut target, mut measured) = (Motion::at_rest(n), Motion::at_rest(n));
    let (response, rest) = (Motion::at_rest(n), vec![0.0; n]);
    let mut verdict = Verdict::Continue;
    for tick in 0..ticks {
        for (i, signal) in signals.iter().enumerate() {
            (target.displacement[i], measured.displacement[i]) = signal(tick);
        }
        verdict = monitor.observe(&Observation {
            time: tick as f64,
            step_complete: true,
            target: &target,
            measured: &measured,
            force: &rest,
            response: &response,
            load: &rest,
        });
    }
    verdict
}

/// m_e, c_e, k_e as the papers print them, and as the distributed package has them.
pub const PRINTED: [f64; 3] = [29.1, 114.6, 1.19e6];
pub const PACKAGED: [f64; 3] = [29.13, 114.22, 1.19e6];

/// A matrix of order 3 with `part` taken off the first entry.
pub fn less(matrix: &[f64], part: f64) -> Matrix {
    let mut entries = matrix.to_vec();
    entries[0] -= part;
    Matrix::from_dense(3, &entries).unwrap()
}

pub fn specimen([mass, damping, stiffness]: [f64; 3]) -> SpecimenMatrices {
    SpecimenMatrices {
        dof: 1,
        mass: vec![mass],
        damping: vec![damping],
        stiffness: vec![stiffness],
    }
}
