//! All monitors together on every tick, for a building of several sizes and one actuator, and for
//! several actuators.

use serde_json::json;
use std::hint::black_box;
use std::time::Instant;
use tandem_integrator::Problem;
use tandem_monitor::{METHODS, MonitorContext, Named, Observation, build};
use tandem_quantity::{Default, Entry, Motion, SpecimenMatrices, Value, Values};
use tandem_structure::{Damping, shear_building};

/// Ticks per second.
const RATE: f64 = 1024.0;
/// Ticks of one measurement, after as many to warm up.
const TICKS: u32 = 20_000;
/// Measurements; the best counts: other programs only make it slower.
const REPEATS: usize = 9;

/// One JSON line: nanoseconds per tick by number of degrees of freedom, by number of actuators, and
/// for each monitor.
pub fn run(_: &[String]) -> Result<(), String> {
    let names: Vec<&str> = METHODS.iter().map(|entry| entry.method.name).collect();
    let mut by_dof = Vec::new();
    for dof in [1, 3, 10, 30, 100] {
        by_dof.push(json!({ "dof": dof, "ns": measure(dof, 1, &names)? }));
    }
    let mut by_actuator = Vec::new();
    for actuators in [1, 2, 4] {
        by_actuator.push(json!({ "actuators": actuators, "ns": measure(10, actuators, &names)? }));
    }
    let mut each = serde_json::Map::new();
    for name in &names {
        each.insert((*name).to_owned(), json!(measure(3, 1, &[name])?));
    }
    let all = measure(3, 1, &names)?;
    println!(
        "{}",
        json!({
            "three_dof_one_actuator_ns": all,
            "each_ns": each,
            "by_dof": by_dof,
            "by_actuator": by_actuator,
        })
    );
    Ok(())
}

/// The table of a monitor with its defaults; one that needs a bound gets one that is never reached.
fn table(name: &str) -> Result<Values, String> {
    let entry = Entry::find(METHODS, name).ok_or("no such monitor")?;
    let mut values = Values::new();
    for parameter in entry.method.parameters {
        let needed = matches!(parameter.default, Default::Required);
        let value = parameter.default_value();
        if let Some(value) = value.or(needed.then_some(Value::Number(1e3))) {
            values.set(parameter.key, value);
        }
    }
    Ok(values)
}

fn monitors(dof: usize, actuators: usize, names: &[&str]) -> Result<Vec<Named>, String> {
    let damping = Damping::MassProportional {
        ratio: 0.02,
        mode: 1,
    };
    let structure = shear_building(&vec![1000.0; dof], &vec![2e6; dof], &damping)
        .map_err(|error| error.to_string())?;
    let problem = Problem {
        structure: Box::new(structure),
        interface: (0..actuators).collect(),
        specimen: SpecimenMatrices::none(actuators),
        dt: 1.0 / RATE,
        instantaneous: false,
    };
    let mut section = Values::new();
    for name in names {
        section.set(*name, Value::Table(table(name)?));
    }
    let context = MonitorContext {
        input_work: 100.0,
        energies_recorded: names.contains(&"energy"),
        ..MonitorContext::of(&problem, 1.0 / RATE)
    };
    build(&section, &context).map_err(|error| format!("{error:?}"))
}

/// Nanoseconds per tick, every tick an integration step.
fn measure(dof: usize, actuators: usize, names: &[&str]) -> Result<f64, String> {
    let mut monitors = monitors(dof, actuators, names)?;
    let (mut target, mut measured) = (Motion::at_rest(actuators), Motion::at_rest(actuators));
    let mut response = Motion::at_rest(dof);
    let (mut force, load) = (vec![0.0; actuators], vec![1.0; dof]);
    let mut times = Vec::new();
    let mut tick = 0_u32;
    for _ in 0..=REPEATS {
        let start = Instant::now();
        for _ in 0..TICKS {
            tick = tick.wrapping_add(1);
            let time = f64::from(tick) / RATE;
            // A cheap motion of several frequencies; the same work for every size but one product
            // per value.
            let (sine, cosine) = (20.0 * time).sin_cos();
            for i in 0..dof {
                response.displacement[i] = 0.01 * sine;
                response.velocity[i] = 0.2 * cosine;
                response.acceleration[i] = -4.0 * sine;
            }
            for i in 0..actuators {
                target.displacement[i] = 0.01 * sine;
                measured.displacement[i] = 0.01 * sine - 0.0002 * cosine;
                force[i] = 1e4 * measured.displacement[i];
            }
            let frame = Observation {
                time,
                step_complete: true,
                target: &target,
                measured: &measured,
                force: &force,
                response: &response,
                load: &load,
            };
            for (_, monitor) in &mut monitors {
                black_box(monitor.observe(black_box(&frame)));
            }
        }
        times.push(start.elapsed().as_secs_f64() * 1e9 / f64::from(TICKS));
    }
    // The first one filled the windows.
    times.remove(0);
    Ok(times.into_iter().fold(f64::INFINITY, f64::min))
}
