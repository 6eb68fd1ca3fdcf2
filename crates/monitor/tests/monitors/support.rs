//! Monitors as a plan would build them, and the single-actuator benchmark problem (Silva et al. 2020).

use std::path::PathBuf;
use tandem_integrator::Problem;
use tandem_monitor::{Context, Frame, METHODS, Monitor, Verdict};
use tandem_quantity::{Default, Entry, Impedance, Kind, Motion, Value, Values, parse_quantity};
use tandem_structure::{Linear, Matrix};

/// The table of a monitor with its defaults and these numbers (SI).
pub fn table(name: &str, numbers: &[(&str, f64)]) -> Values {
    let mut values = Values::new();
    for parameter in Entry::find(METHODS, name).unwrap().method.parameters {
        let Default::Is(text) = parameter.default else {
            continue;
        };
        let text = text.trim_matches('"');
        let value = match parameter.kind {
            Kind::Number(dimension) => Value::Number(parse_quantity(text, dimension).unwrap()),
            _ => Value::Text(text.to_owned()),
        };
        values.set(parameter.key, value);
    }
    for (key, number) in numbers {
        values.set(*key, Value::Number(*number));
    }
    values
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
    let context = Context {
        problem,
        period,
        dt: problem.dt,
        input_work: 0.0,
        holds_force,
        energies_recorded: false,
    };
    (Entry::find(METHODS, name).unwrap().build)(&table(name, numbers), &context).unwrap()
}

pub fn figures(monitor: &dyn Monitor) -> Vec<f64> {
    let mut values = vec![f64::NAN; monitor.figures().len()];
    monitor.values(&mut values);
    values
}

/// A spring with one interface degree of freedom, for monitors that only look at target and measured displacement.
pub fn spring() -> Problem {
    let one = |x| Matrix::diagonal(&[x]);
    Problem {
        structure: Box::new(Linear::new(one(1000.0), one(500.0), one(1e5)).unwrap()),
        interface: vec![0],
        specimen: Impedance::none(1),
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
    let (mut target, mut measured) = (Motion::at_rest(1), Motion::at_rest(1));
    let response = Motion::at_rest(1);
    let mut verdict = Verdict::Continue;
    for tick in 0..ticks {
        (target.displacement[0], measured.displacement[0]) = signal(tick);
        verdict = monitor.observe(&Frame {
            time: tick as f64,
            step_complete: true,
            target: &target,
            measured: &measured,
            force: &[0.0],
            response: &response,
            load: &[0.0],
        });
    }
    verdict
}

/// The directory of the benchmark data, if the machine has it.
pub fn benchmarks(check: &str) -> Option<PathBuf> {
    let data = std::env::var_os("TANDEM_DATA");
    if data.is_none() {
        eprintln!("skipped: {check} needs the benchmark data; set TANDEM_DATA to their directory");
    }
    Some(PathBuf::from(data?).join("benchmarks"))
}

/// M, C, K of a case, by rows.
pub fn silva(case: usize, directory: &std::path::Path) -> [Vec<f64>; 3] {
    let text = std::fs::read_to_string(directory.join("silva_matrices.csv")).unwrap();
    [("M", case), ("C", case), ("K", 0)].map(|(name, case)| {
        let start = format!("{name},{case},");
        let row = text.lines().find_map(|line| line.strip_prefix(&start));
        row.unwrap()
            .split(',')
            .map(|x| x.parse().unwrap())
            .collect()
    })
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

pub fn specimen([mass, damping, stiffness]: [f64; 3]) -> Impedance {
    Impedance {
        dof: 1,
        mass: vec![mass],
        damping: vec![damping],
        stiffness: vec![stiffness],
    }
}

/// Ground acceleration as a function of time, m/s².
pub fn record(directory: &std::path::Path, name: &str, dt: f64, scale: f64) -> impl Fn(f64) -> f64 {
    let text = std::fs::read_to_string(directory.join(name)).unwrap();
    let values: Vec<f64> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| scale * line.trim().parse::<f64>().unwrap())
        .collect();
    move |time| {
        let place = time / dt;
        let i = (place.floor() as usize).min(values.len() - 2);
        values[i] + (place - i as f64).min(1.0) * (values[i + 1] - values[i])
    }
}
