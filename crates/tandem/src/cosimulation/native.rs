//! The hybrid-testing coupling without FMUs: the reference for its other forms, and the one with different steps.

use tandem_integrator::partitioned::{Newmark, Part, Partitioned};
use tandem_quantity::BuildError;

use super::member::{content, what};
use super::table::Table;
use super::{Scenario, Trouble};
use crate::fmu::Variant;

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
        for (quantity, size) in [("u", n), ("v", n), ("a", n), ("r", n), ("q", rows.len())] {
            if quantity == "u" || quantity == "v" {
                for (row, shared) in rows.iter().zip(&map) {
                    columns.push((*shared, quantity == "u", names.len() + row));
                }
            }
            names.extend((1..=size).map(|i| format!("{name}/{quantity}[{i}]")));
        }
        parts.push(Part::new(structure, rows, newmark, dt).map_err(|error| error.within("part"))?);
        maps.push(map);
    }
    table.name(names);
    share(table, &columns);
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

/// Tells the table which columns meet at the interface: (interface degree of freedom, displacement?, column).
pub fn share(table: &mut Table, columns: &[(usize, bool, usize)]) {
    let most = columns
        .iter()
        .map(|(shared, _, _)| shared + 1)
        .max()
        .unwrap_or(0);
    for dof in 0..most {
        for displacement in [true, false] {
            let each = columns
                .iter()
                .filter(|(shared, kind, _)| *shared == dof && *kind == displacement);
            table.share(displacement, each.map(|(_, _, column)| *column).collect());
        }
    }
}
