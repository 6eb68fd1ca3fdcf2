//! `structure NAME HISTORY`: steps per second of one frame of `benches/frames.json`, and its
//! history. `structure limits`: the largest frames whose steps fit a given time.
//! `structure sizes`: what a step costs over size. `structure factors`: factors of our own beside
//! those of faer.

mod factors;
mod frame;
mod limits;
mod measure;

use std::fmt::Write as _;

use frame::Frames;
use measure::{Method, Run};
use serde_json::json;

/// Measures what the words say.
pub fn measure(words: &[String]) -> Result<(), String> {
    let frames = Frames::read()?;
    match words {
        [what] if what == "factors" => factors::factors(),
        [what] if what == "limits" => limits::limits(&frames),
        [what] if what == "sizes" => limits::sizes(&frames),
        [name, history] => one(&frames, name, history),
        _ => Err("say NAME HISTORY, `factors`, `limits` or `sizes`".into()),
    }
}

fn one(frames: &Frames, name: &str, history: &str) -> Result<(), String> {
    let find = |list: &[frame::Frame]| list.iter().find(|f| f.name == name).cloned();
    let (frame, linear) = match (find(&frames.elastic.frames), find(&frames.fibre.frames)) {
        (Some(frame), _) => (frame, true),
        (_, Some(frame)) => (frame, false),
        _ => return Err(format!("no frame `{name}`")),
    };
    let mut quickest = vec![f64::INFINITY; frame.steps / frame.chunk];
    let mut run = None;
    for _ in 0..frame.runs.max(1) {
        let mut next = if linear {
            let built = frames.elastic_frame(frame.bays, frame.storeys)?;
            Run::new(built, Method::Newmark, frames.dt, frames.elastic.scale)?
        } else {
            let built = frames.fibre_frame(frame.bays, frame.storeys)?;
            let method = Method::Newton {
                tolerance: frames.fibre.tolerance,
            };
            Run::new(built, method, frames.dt, frames.fibre.scale)?
        };
        for quickest in &mut quickest {
            *quickest = quickest.min(next.advance(frame.chunk));
        }
        run = Some(next);
    }
    let run = run.ok_or("no run")?;
    // Steps of an elastic frame are all alike.
    let seconds = if linear {
        quickest.iter().copied().fold(f64::INFINITY, f64::min) * measure::float(quickest.len())
    } else {
        quickest.iter().sum()
    };
    let mut text = String::new();
    for d in &run.top {
        let _ = writeln!(text, "{d:e}");
    }
    std::fs::write(history, text).map_err(|e| format!("{history}: {e}"))?;
    let steps = measure::float(frame.chunk * quickest.len());
    println!(
        "{}",
        json!({
            "name": name,
            "dof": run.dof(),
            "steps_per_s": steps / seconds,
            "unsettled_steps": run.unsettled(),
        })
    );
    Ok(())
}
