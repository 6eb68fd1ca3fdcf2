//! The monitors of a plan.

use tandem_monitor::{Named, Observation, Verdict};
use tandem_quantity::{Motion, Snapshot, SnapshotError, StateReader};

use super::model::{FmuModel, Refused, Role, Variable, places};

/// Number of inputs.
const INPUTS: usize = 12;

/// All monitors of a plan as a block.
///
/// Ports: `target…` and `measured…` motion (m, m/s, m/s²) and `force` (N) at the interface;
/// `displacement`, `velocity`, `acceleration` and `load` (N) of the numerical substructure;
/// `step_complete`, 1 where these have moved on → every figure by its name in the record, and
/// `verdict`: 0 continue, 1 warn, 2 hold, 3 ramp down, 4 trip. A figure that is not known yet is 0.
pub struct Monitors {
    monitors: Vec<Named>,
    period: f64,
    variables: Vec<Variable>,
    target: Motion,
    measured: Motion,
    response: Motion,
    time: f64,
    figures: Vec<f64>,
}

impl Monitors {
    /// The monitors of a test with an interface of `ni` and a numerical substructure of `n` degrees
    /// of freedom, which look every `period` seconds of structural time.
    pub fn new(monitors: Vec<Named>, ni: usize, n: usize, period: f64) -> Self {
        let input = |name, size, unit, about| Variable {
            name,
            dimensions: vec![size],
            role: Role::Input,
            start: 0.0,
            unit,
            about,
        };
        let mut variables = vec![
            input("target", ni, "m", "where the specimen should be"),
            input("target_velocity", ni, "m/s", "how fast it should move"),
            input("target_acceleration", ni, "m/s2", "its acceleration"),
            input("measured", ni, "m", "where it is measured to be"),
            input("measured_velocity", ni, "m/s", "measured velocity"),
            input("measured_acceleration", ni, "m/s2", "measured acceleration"),
            input("force", ni, "N", "restoring force at the interface"),
            input("displacement", n, "m", "numerical substructure"),
            input("velocity", n, "m/s", "numerical substructure"),
            input("acceleration", n, "m/s2", "numerical substructure"),
            input("load", n, "N", "external load on it"),
            Variable {
                name: "step_complete",
                dimensions: Vec::new(),
                role: Role::Input,
                start: 1.0,
                unit: "",
                about: "1: a step of the integration was completed",
            },
        ];
        let figures = monitors.iter().flat_map(|(_, monitor)| monitor.figures());
        let figures: Vec<Variable> = figures
            .map(|(name, unit, about)| Variable {
                name,
                dimensions: Vec::new(),
                role: Role::Output,
                start: 0.0,
                unit: if *unit == "1" { "" } else { unit },
                about,
            })
            .collect();
        let count = figures.len();
        variables.extend(figures);
        variables.push(Variable {
            name: "verdict",
            dimensions: Vec::new(),
            role: Role::Output,
            start: 0.0,
            unit: "",
            about: "0 continue, 1 warn, 2 hold, 3 ramp down, 4 trip",
        });
        Self {
            monitors,
            period,
            variables,
            target: Motion::at_rest(ni),
            measured: Motion::at_rest(ni),
            response: Motion::at_rest(n),
            time: 0.0,
            figures: vec![0.0; count],
        }
    }
}

fn number(verdict: Verdict) -> f64 {
    match verdict {
        Verdict::Continue => 0.0,
        Verdict::Warn => 1.0,
        Verdict::Hold => 2.0,
        Verdict::RampDown => 3.0,
        Verdict::Trip => 4.0,
    }
}

impl FmuModel for Monitors {
    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn initialise(&mut self, values: &mut [f64]) -> Result<(), Refused> {
        for place in places(&self.variables).into_iter().skip(INPUTS) {
            values[place].fill(0.0);
        }
        Ok(())
    }

    fn step_size(&self, _values: &[f64]) -> Option<f64> {
        Some(self.period)
    }

    fn step(&mut self, values: &mut [f64], _size: f64) -> Result<(), Refused> {
        let p = places(&self.variables);
        let motions = [&mut self.target, &mut self.measured];
        for (motion, place) in motions.into_iter().zip(p.chunks(3)) {
            motion
                .displacement
                .copy_from_slice(&values[place[0].clone()]);
            motion.velocity.copy_from_slice(&values[place[1].clone()]);
            motion
                .acceleration
                .copy_from_slice(&values[place[2].clone()]);
        }
        let response = &mut self.response;
        response.displacement.copy_from_slice(&values[p[7].clone()]);
        response.velocity.copy_from_slice(&values[p[8].clone()]);
        response.acceleration.copy_from_slice(&values[p[9].clone()]);
        let frame = Observation {
            time: self.time,
            step_complete: values[p[11].start] > 0.5,
            target: &self.target,
            measured: &self.measured,
            force: &values[p[6].clone()],
            response: &self.response,
            load: &values[p[10].clone()],
        };
        let mut worst = Verdict::Continue;
        let mut at = 0;
        for (_, monitor) in &mut self.monitors {
            worst = worst.max(monitor.observe(&frame));
            let end = at + monitor.figures().len();
            monitor.values(&mut self.figures[at..end]);
            at = end;
        }
        self.time += self.period;
        for (place, figure) in p.iter().skip(INPUTS).zip(&self.figures) {
            values[place.start] = if figure.is_finite() { *figure } else { 0.0 };
        }
        if let Some(verdict) = values.last_mut() {
            *verdict = number(worst);
        }
        Ok(())
    }
}

impl Snapshot for Monitors {
    fn save(&self, into: &mut Vec<f64>) {
        self.time.save(into);
        for (_, monitor) in &self.monitors {
            monitor.save(into);
        }
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.time.restore(from)?;
        for (_, monitor) in &mut self.monitors {
            monitor.restore(from)?;
        }
        Ok(())
    }
}
