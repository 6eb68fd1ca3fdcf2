//! The hybrid-testing coupling without FMUs: the reference for its other forms, and the one with different steps.

use tandem_integrator::partitioned::{Actuation, Newmark, Part, Partitioned};
use tandem_quantity::{BuildError, Snapshot, SnapshotError, Words};
use tandem_signal::noise::WhiteNoise;
use tandem_structure::Structure;

use super::member::{content, exported, from_zero};
use super::sections::{PartSettings, PlanPart};
use super::table::{Column, Table, Tied};
use super::{CosimulationError, Scenario};
use crate::fmu::{ContentError, Variant, What};

pub fn run(
    scenario: &Scenario<'_>,
    table: &mut Table,
    progress: &mut dyn FnMut(f64),
) -> Result<(), CosimulationError> {
    let (mut parts, mut maps, mut names) = (Vec::new(), Vec::new(), Vec::new());
    let mut columns = Vec::new();
    for (number, settings) in scenario.parts.iter().enumerate() {
        let name = settings.name.as_str();
        let content = content(settings, scenario, Variant::B, settings.what.what())?;
        let newmark = Newmark {
            gamma: content.gamma,
            beta: content.beta,
        };
        #[allow(clippy::cast_precision_loss)] // a handful
        let dt = scenario.dt / settings.substeps as f64;
        let refuse = |error: ContentError| {
            BuildError::new("part", format!("part `{name}`: {error}"), "check its plan")
        };
        let structure = content.structure(dt).map_err(refuse)?;
        let (n, rows) = (structure.properties().dof(), content.rows.clone());
        let map = match &settings.interface {
            Some(list) => from_zero(list),
            None => (0..rows.len()).collect(),
        };
        for (j, (row, shared)) in rows.iter().zip(&map).enumerate() {
            let base = names.len();
            columns.push(Tied {
                shared: *shared,
                u: base + row,
                v: base + n + row,
                q: base + 4 * n + j,
            });
        }
        for (quantity, size, unit) in [
            ("u", n, "m"),
            ("v", n, "m/s"),
            ("a", n, "m/s^2"),
            ("r", n, "N"),
            ("q", rows.len(), "N"),
        ] {
            names.extend(Column::vector(name, quantity, size, unit));
        }
        let part = Part::new(structure, rows, newmark, dt)
            .and_then(|part| moved(part, scenario, settings, number as u64))
            .map_err(|error| {
                let text = format!("part `{name}`: {}", error.message);
                BuildError::new(format!("part.{number}.{}", error.key), text, error.help)
            })?;
        parts.push(part);
        maps.push(map);
    }
    table.name(names)?;
    table.tie(&columns);
    let count = parts.len();
    // Where every part takes several steps, so does the coupling, between two points of the record.
    let rounds = common_substeps(scenario)?;
    let mut test = Partitioned::new(parts, &maps)?;
    test.start(scenario.ground(0.0))?;
    let mut look = |test: &Partitioned, time: f64| {
        let values = (0..count).flat_map(|i| {
            let part = test.part(i).into_iter();
            let motion = part.flat_map(|p| {
                [
                    p.displacement(),
                    p.velocity(),
                    p.acceleration(),
                    p.restoring(),
                ]
            });
            motion.chain([test.forces(i)]).flatten().copied()
        });
        table.row(time, values)
    };
    look(&test, 0.0)?;
    if !scenario.begins()? {
        return Ok(());
    }
    for step in 0..scenario.steps {
        for _ in 0..rounds {
            test.step(&|time| scenario.ground(time));
        }
        look(&test, scenario.time(step + 1))?;
        if step.is_multiple_of(1024) {
            progress(scenario.time(step) / scenario.time(scenario.steps));
        }
    }
    Ok(())
}

/// Steps of the slowest part, and with it of the coupling, within one of the record. The others take whole numbers of steps in each of these.
fn common_substeps(scenario: &Scenario<'_>) -> Result<usize, BuildError> {
    let parts = &scenario.parts;
    let (mut least, mut most) = (usize::MAX, 1);
    for own in parts.iter().map(|part| part.substeps) {
        (least, most) = (least.min(own), most.max(own));
    }
    for (i, part) in parts.iter().enumerate() {
        let own = part.substeps;
        let other = match (own.is_multiple_of(least), most.is_multiple_of(own)) {
            (true, true) => continue,
            (false, _) => least,
            (true, false) => most,
        };
        return Err(BuildError::new(
            format!("part.{i}.substeps"),
            format!(
                "{own} steps of part `{}` do not fit to {other} of another",
                part.name
            ),
            "take numbers of which each divides the larger ones, such as 1, 2 and 4",
        ));
    }
    Ok(least)
}

/// The part behind its actuators, where the plan says how much they miss.
fn moved(
    part: Part,
    scenario: &Scenario<'_>,
    settings: &PartSettings,
    number: u64,
) -> Result<Part, BuildError> {
    let Some(rms) = settings.control_error else {
        return Ok(part);
    };
    let noise = WhiteNoise::with_stream(rms, scenario.seed, number)
        .map_err(|e| BuildError::new("control_error", e.to_string(), "give a length"))?;
    let estimate = settings.stiffness_estimate.concat();
    part.moved_by(Box::new(Noisy(noise)), estimate)
}

/// Actuators that miss by white noise.
struct Noisy(WhiteNoise);

impl Actuation for Noisy {
    fn reach(&mut self, asked: &[f64], reached: &mut [f64]) {
        for (to, u) in reached.iter_mut().zip(asked) {
            *to = u + self.0.next();
        }
    }
}

impl Snapshot for Noisy {
    fn save(&self, into: &mut Vec<f64>) {
        self.0.save(into);
    }

    fn restore(&mut self, from: &mut Words<'_>) -> Result<(), SnapshotError> {
        self.0.restore(from)
    }
}

/// Largest stable step of an explicit part alone, √(2/γ)/ω of its highest mode, s (Hughes 1987, section 9.1; 2/ω for central differences, none at all for
/// γ < 1/2).
pub fn largest_step(gamma: f64, circular: f64) -> f64 {
    match gamma >= 0.5 {
        true => (2.0 / gamma).sqrt() / circular,
        false => 0.0,
    }
}

/// That of every explicit part whose matrices are known, be it of a plan or an FMU that was exported from one; sufficient for the coupling, whose own
/// limit is wider. None where a part is not explicit or not known.
pub fn largest_steps(scenario: &Scenario<'_>) -> Vec<(String, Option<f64>, f64)> {
    let limit = |settings: &PartSettings| {
        let content = match &settings.fmu {
            Some(path) => {
                let fmu = tandem_fmi::Fmu::open(std::path::Path::new(path)).ok()?;
                exported(&fmu, settings)?
            }
            None => content(settings, scenario, Variant::B, settings.what.what()).ok()?,
        };
        let structure = content.structure(scenario.dt).ok()?;
        (content.beta == 0.0).then_some(())?;
        let given = structure.properties();
        let found = tandem_structure::modes::modes(given, given.dof()).ok()?;
        let highest = found.frequencies_hz.iter().copied().fold(0.0, f64::max);
        let circular = 2.0 * std::f64::consts::PI * highest;
        (highest > 0.0).then(|| largest_step(content.gamma, circular))
    };
    let bears = |settings: &PartSettings| {
        #[allow(clippy::cast_precision_loss)] // a handful
        let steps = settings.substeps as f64;
        (settings.name.clone(), limit(settings), scenario.dt / steps)
    };
    scenario.parts.iter().map(bears).collect()
}

/// Displacements of the undivided structure at the interface, by Newmark's method with the constants of the numerical part; where the two
/// parts are those of one plan.
pub fn undivided(scenario: &Scenario<'_>) -> Option<Vec<Vec<f64>>> {
    let parts = scenario.parts.as_slice();
    if parts.len() != 2 {
        return None;
    }
    let of = |what: PlanPart| parts.iter().find(|part| part.what == what);
    let (numerical, physical) = (of(PlanPart::Numerical)?, of(PlanPart::Physical)?);
    if numerical.plan.as_ref()? != physical.plan.as_ref()?
        || numerical.interface.is_some()
        || physical.interface.is_some()
    {
        return None;
    }
    let content = content(numerical, scenario, Variant::B, What::Whole).ok()?;
    let newmark = Newmark {
        gamma: content.gamma,
        beta: content.beta,
    };
    let rounds = common_substeps(scenario).ok()?;
    #[allow(clippy::cast_precision_loss)] // a handful
    let dt = scenario.dt / rounds as f64;
    let structure = content.structure(dt).ok()?;
    let rows = content.rows.clone();
    let part = Part::new(structure, rows.clone(), newmark, dt).ok()?;
    let mut test = Partitioned::new(vec![part], &[(0..rows.len()).collect()]).ok()?;
    test.start(scenario.ground(0.0)).ok()?;
    let mut columns = vec![Vec::new(); rows.len()];
    let mut look = |test: &Partitioned| {
        let motion = test.part(0).map(|part| part.displacement());
        for (column, row) in columns.iter_mut().zip(&rows) {
            column.extend(motion.and_then(|u| u.get(*row)).copied());
        }
    };
    look(&test);
    for _ in 0..scenario.steps {
        for _ in 0..rounds {
            test.step(&|time| scenario.ground(time));
        }
        look(&test);
    }
    Some(columns)
}
