//! The hybrid-testing coupling without FMUs: the reference for its other forms, and the one with different steps.

use tandem_integrator::partitioned::{Newmark, Part, Partitioned};
use tandem_quantity::BuildError;

use super::member::{content, what};
use super::table::{Table, Tied};
use super::{Scenario, Trouble};
use crate::fmu::{Variant, What};

pub fn run(
    scenario: &Scenario<'_>,
    table: &mut Table,
    progress: &mut dyn FnMut(f64),
) -> Result<(), Trouble> {
    let (mut parts, mut maps, mut names) = (Vec::new(), Vec::new(), Vec::new());
    let mut columns = Vec::new();
    for values in scenario.values.tables("part") {
        let name = values.text("name")?;
        let content = content(values, scenario, Variant::B, what(values))?;
        let newmark = Newmark {
            gamma: content.gamma,
            beta: content.beta,
        };
        #[allow(clippy::cast_precision_loss)] // a handful
        let dt = scenario.dt / values.count("substeps")? as f64;
        let refuse = |text: String| {
            BuildError::new("part", format!("part `{name}`: {text}"), "check its plan")
        };
        let structure = content.structure(dt).map_err(refuse)?;
        let (n, rows) = (structure.dof(), content.rows.clone());
        let map = match values.has("interface") {
            true => values
                .counts("interface")?
                .into_iter()
                .map(|x| x.saturating_sub(1))
                .collect(),
            false => (0..rows.len()).collect::<Vec<usize>>(),
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
        for (quantity, size) in [("u", n), ("v", n), ("a", n), ("r", n), ("q", rows.len())] {
            names.extend((1..=size).map(|i| format!("{name}/{quantity}[{i}]")));
        }
        parts.push(Part::new(structure, rows, newmark, dt).map_err(|error| error.within("part"))?);
        maps.push(map);
    }
    table.name(names);
    table.tie(&columns);
    let count = parts.len();
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
        table.row(time, values);
    };
    look(&test, 0.0);
    for step in 0..scenario.steps {
        test.step(&|time| scenario.ground(time));
        look(&test, scenario.time(step + 1));
        if step.is_multiple_of(1024) {
            progress(scenario.time(step) / scenario.time(scenario.steps));
        }
    }
    Ok(())
}

/// Displacements of the undivided structure at the interface, by Newmark's method with the constants of the numerical part; where the two
/// parts are those of one plan.
pub fn undivided(scenario: &Scenario<'_>) -> Option<Vec<Vec<f64>>> {
    let tables = scenario.values.tables("part");
    let [first, second] = tables.as_slice() else {
        return None;
    };
    let numerical = [first, second]
        .into_iter()
        .find(|table| what(table) == What::Numerical)?;
    let physical = [first, second]
        .into_iter()
        .find(|table| what(table) == What::Physical)?;
    if numerical.optional_text("plan")? != physical.optional_text("plan")?
        || numerical.has("interface")
        || physical.has("interface")
    {
        return None;
    }
    let content = content(numerical, scenario, Variant::B, What::Whole).ok()?;
    let newmark = Newmark {
        gamma: content.gamma,
        beta: content.beta,
    };
    let structure = content.structure(scenario.dt).ok()?;
    let rows = content.rows.clone();
    let part = Part::new(structure, rows.clone(), newmark, scenario.dt).ok()?;
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
        test.step(&|time| scenario.ground(time));
        look(&test);
    }
    Some(columns)
}
