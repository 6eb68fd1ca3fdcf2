//! What a size costs, and how large a frame may be for a given time.

use serde_json::json;
use tandem_structure::Structure;

use super::frame::Frames;
use super::measure::{Method, Run, float};

/// Step of structural time of a test in real time, s.
const REAL_TIME: f64 = 1.0 / 1024.0;
/// A step of the size of those in which ground motions are recorded, s.
const RECORDED: f64 = 0.02;

/// What one step costs, s: the 99th percentile over the steps, of each step the quickest of several
/// runs. So the machine's other work falls out and what a step itself needs stays.
fn percentile(
    runs: usize,
    steps: usize,
    new: impl Fn() -> Result<Run, String>,
) -> Result<f64, String> {
    let mut quickest = vec![f64::INFINITY; steps];
    for _ in 0..runs {
        let mut run = new()?;
        for quickest in &mut quickest {
            *quickest = quickest.min(run.advance(1));
        }
    }
    quickest.sort_by(f64::total_cmp);
    Ok(quickest[(steps * 99) / 100])
}

fn elastic(frames: &Frames, bays: usize, storeys: usize, dt: f64) -> Result<Run, String> {
    let built = frames.elastic_frame(bays, storeys)?;
    Run::new(built, Method::Newmark, dt, frames.elastic.scale)
}

fn fibre(frames: &Frames, (bays, storeys): (usize, usize), method: Method) -> Result<Run, String> {
    let built = frames.fibre_frame(bays, storeys)?;
    Run::new(built, method, REAL_TIME, frames.fibre.scale)
}

/// The largest number of storeys, up to `most`, whose cost stays below `budget`; and its cost.
/// Costs grow with storeys.
fn largest(
    (mut fits, most): (usize, usize),
    budget: f64,
    cost: impl Fn(usize) -> Result<f64, String>,
) -> Result<(usize, f64), String> {
    let mut too_many = most;
    let mut best = cost(fits)?;
    while too_many - fits > 1 {
        let storeys = usize::midpoint(fits, too_many);
        let seconds = cost(storeys)?;
        if seconds <= budget {
            (fits, best) = (storeys, seconds);
        } else {
            too_many = storeys;
        }
    }
    Ok((fits, best))
}

/// The largest frame of fibres whose steps fit 1/1024 s, and the largest elastic one whose steps
/// fit 20 ms.
pub fn limits(frames: &Frames) -> Result<(), String> {
    let bays = 8;
    let method = Method::Splitting;
    // Three seconds hold the strongest shaking of the record.
    let steps = 3 * 1024;
    let cost = |storeys| percentile(3, steps, || fibre(frames, (bays, storeys), method));
    let (storeys, seconds) = largest((2, 65), REAL_TIME, cost)?;
    // What one evaluation a step leaves, against iterated steps.
    let top = |method| -> Result<Vec<f64>, String> {
        let mut run = fibre(frames, (3, 3), method)?;
        run.advance(10 * 1024);
        Ok(run.top)
    };
    let iterated = top(Method::Newton {
        tolerance: frames.fibre.tolerance,
    })?;
    let split = top(method)?;
    println!(
        "{}",
        json!({
            "limit": "fibre frame, 1/1024 s a step, 99th percentile",
            "dof": frames.fibre_frame(bays, storeys)?.model.properties().dof(),
            "bays": bays,
            "storeys": storeys,
            "fibres": frames.fibres(bays, storeys),
            "milliseconds": 1e3 * seconds,
            "method": "osm: operator splitting, initial stiffness, one evaluation of all fibres \
                       and one solution a step",
            "difference_from_newton": difference(&split, &iterated),
        })
    );
    let bays = 24;
    let cost = |storeys| percentile(1, 30, || elastic(frames, bays, storeys, RECORDED));
    let (storeys, seconds) = largest((50, 2000), RECORDED, cost)?;
    println!(
        "{}",
        json!({
            "limit": "elastic frame, 20 ms a step, 99th percentile",
            "dof": 3 * (bays + 1) * storeys,
            "bays": bays,
            "storeys": storeys,
            "milliseconds": 1e3 * seconds,
            "method": "newmark: average acceleration, factored once",
        })
    );
    Ok(())
}

/// Largest difference over the largest value.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    let largest = b.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    apart.fold(0.0, f64::max) / largest
}

/// Seconds a step of elastic frames and of fibre frames over their size.
pub fn sizes(frames: &Frames) -> Result<(), String> {
    let elastic_sizes = [
        (1, 2),
        (2, 4),
        (3, 8),
        (5, 17),
        (7, 42),
        (12, 78),
        (24, 133),
        (40, 244),
    ];
    for (bays, storeys) in elastic_sizes {
        let mut run = elastic(frames, bays, storeys, frames.dt)?;
        let dof = run.dof();
        let chunk = (20_000 / dof).max(1);
        let chunks = (0..60).map(|_| run.advance(chunk));
        let seconds = chunks.fold(f64::INFINITY, f64::min) / float(chunk);
        println!(
            "{}",
            json!({"kind": "elastic", "dof": dof, "seconds": seconds})
        );
    }
    let method = Method::Newton {
        tolerance: frames.fibre.tolerance,
    };
    for (bays, storeys) in [(1, 1), (2, 2), (3, 3), (4, 6), (6, 10), (8, 20), (8, 37)] {
        // Two and a half seconds: past the first strong pulses.
        let mut quickest = vec![f64::INFINITY; 500];
        let runs = if storeys < 10 { 4 } else { 2 };
        for _ in 0..runs {
            let built = frames.fibre_frame(bays, storeys)?;
            let mut run = Run::new(built, method, frames.dt, frames.fibre.scale)?;
            for quickest in &mut quickest {
                *quickest = quickest.min(run.advance(1));
            }
        }
        let seconds = quickest.iter().sum::<f64>() / float(quickest.len());
        let dof = 3 * (bays + 1) * storeys;
        println!(
            "{}",
            json!({"kind": "fibre", "dof": dof, "seconds": seconds})
        );
    }
    Ok(())
}
