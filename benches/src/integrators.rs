//! Cost of a step of every time-stepping method: a shear building whose first storey is a linear
//! specimen that answers at once.

use std::hint::black_box;
use std::time::Instant;

use serde_json::json;
use tandem_integrator::{Answer, Integrator, IntegratorContext, Loading, METHODS, Problem};
use tandem_quantity::SpecimenMatrices;
use tandem_structure::{Linear, Matrix, storey_matrix};

/// Degrees of freedom.
const SIZES: [usize; 3] = [3, 30, 300];

/// Batches of steps; the quickest counts, since everything that disturbs a measurement makes it
/// longer.
const BATCHES: usize = 7;

const DT: f64 = 1e-3;
const STIFFNESS: f64 = 1e4;

/// Every floor is pushed a little.
struct Push;

impl Loading for Push {
    fn force(&self, time: f64, force: &mut [f64]) {
        force.fill((3.0 * time).sin());
    }
}

/// Prints one JSON line for each method and size: `{ method, dof, ns_per_step, questions }`, or the
/// reason why there is none.
pub fn measure(_: &[String]) -> Result<(), String> {
    for entry in METHODS {
        let name = entry.method.name;
        let settings = tandem::assemble::method_table(tandem::registry::standard(), name, DT, &[])
            .map_err(|error| error.to_string())?;
        for dof in SIZES {
            match (entry.build)(&settings, building(dof)?, &IntegratorContext::of(&Push)) {
                Ok(mut method) => {
                    let nanoseconds = step_cost(method.as_mut(), dof);
                    let questions = method.properties().evaluations_per_step;
                    let line = json!({
                        "method": name,
                        "dof": dof,
                        "ns_per_step": nanoseconds,
                        "questions": questions,
                    });
                    println!("{line}");
                }
                Err(error) => {
                    let line = json!({ "method": name, "dof": dof, "refused": error.to_string() });
                    println!("{line}");
                }
            }
        }
    }
    Ok(())
}

/// Floors of one tonne, storeys alike, with damping; the specimen carries half of the first storey.
fn building(dof: usize) -> Result<Problem, String> {
    let mass = Matrix::diagonal(&vec![1.0; dof]);
    let stiffness = storey_matrix(&vec![STIFFNESS; dof]).map_err(|error| error.to_string())?;
    let damping = Matrix::combine(&[(0.1, &mass), (1e-4, &stiffness)]);
    let structure = Linear::new(mass, damping, stiffness).map_err(|error| error.to_string())?;
    let mut specimen = SpecimenMatrices::none(1);
    specimen.stiffness[0] = 0.5 * STIFFNESS;
    Ok(Problem {
        structure: Box::new(structure),
        interface: vec![0],
        specimen,
        dt: DT,
        instantaneous: true,
    })
}

/// Nanoseconds of a step, the specimen's answer included.
fn step_cost(method: &mut dyn Integrator, dof: usize) -> f64 {
    let steps = (600_000 / dof).clamp(500, 50_000);
    let mut best = f64::INFINITY;
    for _ in 0..BATCHES {
        let start = Instant::now();
        for _ in 0..steps {
            loop {
                let displacement = [method.target().displacement[0]];
                let force = [0.5 * STIFFNESS * displacement[0]];
                let answer = Answer::new(&displacement, &force);
                if method.feed(black_box(answer), &Push) {
                    break;
                }
            }
        }
        let each = start.elapsed().as_secs_f64() * 1e9 / steps as f64;
        best = best.min(each);
    }
    black_box(method.response().displacement[0]);
    best
}
