//! The hybrid-testing coupling without FMUs: the reference for its other forms, and the one with
//! different steps.

use std::path::Path;

use tandem_integrator::partitioned::{Actuation, Part, Partitioned};
use tandem_quantity::{BuildError, Snapshot, SnapshotError, StateReader};
use tandem_signal::noise::WhiteNoise;
use tandem_structure::Structure;

use super::content::Plans;
use super::member::{content, exported, from_zero};
use super::sections::{Part as Settings, PlanPart};
use super::table::{Column, Table, Tied};
use super::{Bears, CosimulationError, Coupling, Scenario, Wired, Workshop};
use tandem_fmi::models::Variant;

/// Substructures that are computed here.
struct Native {
    test: Partitioned,
    count: usize,
    /// Steps of the coupling between two points of the record.
    rounds: usize,
}

impl Coupling for Native {
    fn advance(
        &mut self,
        scenario: &Scenario,
        point: u64,
        row: &mut Vec<f64>,
    ) -> Result<(), CosimulationError> {
        for _ in 0..if point == 0 { 0 } else { self.rounds } {
            self.test.step(&|time| scenario.ground(time));
        }
        for i in 0..self.count {
            if let Some(part) = self.test.part(i) {
                row.extend_from_slice(part.displacement());
                row.extend_from_slice(part.velocity());
                row.extend_from_slice(part.acceleration());
                row.extend_from_slice(part.restoring());
            }
            row.extend_from_slice(self.test.forces(i));
        }
        Ok(())
    }
}

/// Builds the substructures and couples them.
pub fn wire(workshop: &Workshop<'_>, table: &mut Table) -> Wired {
    let (scenario, plans) = (workshop.scenario, workshop.plans);
    let (mut parts, mut maps, mut names) = (Vec::new(), Vec::new(), Vec::new());
    let mut columns = Vec::new();
    for (number, settings) in scenario.parts.iter().enumerate() {
        let name = settings.name.as_str();
        if settings.fmu.is_some() {
            return Err(BuildError::new(
                format!("part.{number}.fmu"),
                format!("part `{name}` is an FMU, and variant = \"native\" works without FMUs"),
                "give `plan` and `what` instead of `fmu`, or take variant = \"me\", \"cs-b\" or \
                \"cs-c\"",
            )
            .into());
        }
        let content = content((scenario, plans), settings, Variant::B, settings.what)?;
        let newmark = content.newmark();
        let dt = scenario.dt / settings.substeps as f64;
        let refuse = |error: BuildError| {
            BuildError::new(
                "part",
                format!("part `{name}`: {}", error.message),
                "check its plan",
            )
        };
        let structure = content.structure(dt).map_err(refuse)?;
        let (n, rows) = (structure.properties().dof(), content.rows().to_vec());
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
    table.name(names);
    table.tie(&columns);
    let count = parts.len();
    // Where every part takes several steps, so does the coupling, between two points of the record.
    let rounds = common_substeps(scenario)?;
    let mut test = Partitioned::new(parts, &maps)?;
    test.start(scenario.ground(0.0))?;
    Ok(Box::new(Native {
        test,
        count,
        rounds,
    }))
}

/// Steps of the slowest part, and with it of the coupling, within one of the record. The others
/// take whole numbers of steps in each of these.
fn common_substeps(scenario: &Scenario) -> Result<usize, BuildError> {
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
    scenario: &Scenario,
    settings: &Settings,
    number: u64,
) -> Result<Part, BuildError> {
    let Some((rms, estimate)) = &settings.control else {
        return Ok(part);
    };
    let noise = WhiteNoise::with_stream(*rms, scenario.seed, number)
        .map_err(|e| BuildError::new("control_error", e.to_string(), "give a length"))?;
    part.moved_by(Box::new(Noisy(noise)), estimate.concat())
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

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.0.restore(from)
    }
}

/// Largest stable step of an explicit part alone, √(2/γ)/ω of its highest mode, s (Hughes 1987,
/// section 9.1; 2/ω for central differences, none at all for γ < 1/2).
pub fn largest_step(gamma: f64, circular: f64) -> f64 {
    if gamma >= 0.5 {
        (2.0 / gamma).sqrt() / circular
    } else {
        0.0
    }
}

/// What a part bears alone, where it is explicit and its matrices are known, be it of a plan or an
/// FMU that was exported from one; sufficient for the coupling, whose own limit is wider.
fn largest_step_of(
    scenario: &Scenario,
    plans: &dyn Plans,
    settings: &Settings,
) -> Result<Option<f64>, CosimulationError> {
    let content = match &settings.fmu {
        Some(path) => {
            let fmu = tandem_fmi::Fmu::open(Path::new(path))?;
            match exported(plans, &fmu, settings)? {
                Some(content) => content,
                None => return Ok(None),
            }
        }
        None => content((scenario, plans), settings, Variant::B, settings.what)?,
    };
    if content.newmark().beta != 0.0 {
        return Ok(None);
    }
    let refuse = |error: BuildError| {
        let text = format!("part `{}`: {}", settings.name, error.message);
        BuildError::new("part", text, "check its plan")
    };
    let structure = content.structure(scenario.dt).map_err(refuse)?;
    let given = structure.properties();
    // Without mass or stiffness somewhere there may be no modes, and then no highest.
    let highest = match tandem_structure::modes::modes(given, given.dof()) {
        Ok(found) => found.frequencies_hz.iter().copied().fold(0.0, f64::max),
        Err(_) => return Ok(None),
    };
    let circular = 2.0 * std::f64::consts::PI * highest;
    Ok((highest > 0.0).then(|| largest_step(content.newmark().gamma, circular)))
}

/// What every part bears alone.
pub fn largest_steps(
    scenario: &Scenario,
    plans: &dyn Plans,
) -> Result<Vec<Bears>, CosimulationError> {
    let bears = |settings: &Settings| {
        let steps = settings.substeps as f64;
        let limit = largest_step_of(scenario, plans, settings)?;
        Ok((settings.name.clone(), limit, scenario.dt / steps))
    };
    scenario.parts.iter().map(bears).collect()
}

/// The numerical part of a pair that comes from one plan.
fn divided(scenario: &Scenario) -> Option<&Settings> {
    let parts = scenario.parts.as_slice();
    let of = |what: PlanPart| parts.iter().find(|part| part.what == what);
    let (numerical, physical) = (of(PlanPart::Numerical)?, of(PlanPart::Physical)?);
    let together = parts.len() == 2
        && numerical.plan.is_some()
        && numerical.plan == physical.plan
        && numerical.interface.is_none()
        && physical.interface.is_none();
    together.then_some(numerical)
}

/// Displacements of the undivided structure at the interface, by Newmark's method with the
/// constants of the numerical part; where the two parts are those of one plan.
pub fn undivided(
    scenario: &Scenario,
    plans: &dyn Plans,
) -> Result<Option<Vec<Vec<f64>>>, CosimulationError> {
    let Some(numerical) = divided(scenario) else {
        return Ok(None);
    };
    let content = content((scenario, plans), numerical, Variant::B, PlanPart::Whole)?;
    let newmark = content.newmark();
    let rounds = common_substeps(scenario)?;
    let dt = scenario.dt / rounds as f64;
    let refuse =
        |error: BuildError| BuildError::new("part", error.message, "check the plan of the parts");
    let structure = content.structure(dt).map_err(refuse)?;
    let rows = content.rows().to_vec();
    let part = Part::new(structure, rows.clone(), newmark, dt)?;
    let mut test = Partitioned::new(vec![part], &[(0..rows.len()).collect()])?;
    test.start(scenario.ground(0.0))?;
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
    Ok(Some(columns))
}
