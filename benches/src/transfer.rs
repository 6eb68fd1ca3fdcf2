//! Cost of a tick of every method between target and force, for one actuator (or as many as the
//! method needs).

use std::hint::black_box;
use std::time::Instant;

use serde_json::json;
use tandem::plan::{self, Source};
use tandem::sections::ROOT;
use tandem_quantity::{Context, Entry, Motion, Values};
use tandem_transfer::rig::{Measured, Rehearsal, RigContext};
use tandem_transfer::{
    actuator, command, compensator, conditioning, kinematics, plant, rig, servo, specimen,
};

use crate::needed::needed;

const PERIOD: f64 = 1.0 / 1024.0;
const TICKS: usize = 50_000;
/// Batches of ticks; the quickest counts, since everything that disturbs a measurement makes it
/// longer.
const BATCHES: usize = 7;

/// The checked table of a method, by way of the plan: a small plan around it supplies what every
/// plan has.
fn table(slot: &str, selector: &str, method: &str) -> Result<Values, String> {
    let own = needed(slot, method);
    let text = format!(
        "[excitation]\nrecord = \"el-centro-1940\"\n[structure]\nkind = \"shear-building\"\nmasses \
         = [\"1 kg\"]\nstiffnesses = [\"1 N/m\"]\n[integration]\nmethod = \"newmark\"\ndt = \"1 \
         ms\"\n[{slot}]\n{selector} = \"{method}\"\n{own}\n"
    );
    let source = Source::Text {
        name: "bench",
        text: &text,
    };
    let plan = plan::read(ROOT, source, &[]).map_err(|refusal| refusal.to_text())?;
    let mut values = plan.values.clone();
    for part in slot.split('.') {
        values = values.table(part).map_err(|e| e.to_string())?.clone();
    }
    Ok(values)
}

/// A motion that turns and does not repeat within a batch.
fn motions(points: usize) -> Vec<Motion> {
    (0..TICKS)
        .map(|k| {
            let t = k as f64 * PERIOD;
            let at = |scale: f64, shift: f64| {
                vec![scale * ((9.0 * t + shift).sin() + 0.3 * (23.0 * t).sin()); points]
            };
            Motion {
                displacement: at(0.01, 0.0),
                velocity: at(0.09, 1.57),
                acceleration: at(0.8, 3.0),
            }
        })
        .collect()
}

/// Prints the best of the batches.
fn time(slot: &str, method: &str, mut tick: impl FnMut(usize)) {
    let mut best = f64::INFINITY;
    for _ in 0..BATCHES {
        let start = Instant::now();
        (0..TICKS).for_each(&mut tick);
        let each = start.elapsed().as_secs_f64() * 1e9 / TICKS as f64;
        best = best.min(each);
    }
    println!(
        "{}",
        json!({ "slot": slot, "method": method, "ns_per_tick": best })
    );
}

/// Prints one JSON line for each method of each slot: `{ slot, method, ns_per_tick }`.
pub fn measure(_: &[String]) -> Result<(), String> {
    let (wanted, text) = (motions(1), |e: tandem_quantity::BuildError| e.to_string());
    let mut out = Motion::at_rest(1);
    for entry in command::METHODS {
        let name = entry.method.name;
        let mut subject = (entry.build)(&table("command", "method", name)?, &Context::of(1, 1.0))
            .map_err(text)?;
        time("command", name, |k| {
            if k % 8 == 0 {
                subject.target(&wanted[k]);
            }
            let x = (k % 8 + 1) as f64 / 8.0;
            subject.wanted(x, 8.0 * PERIOD, black_box(&mut out));
        });
    }
    for entry in compensator::METHODS {
        let name = entry.method.name;
        let values = table("compensator", "method", name)?;
        let mut subject = (entry.build)(&values, &Context::of(1, PERIOD)).map_err(text)?;
        time("compensator", name, |k| {
            let measured = &wanted[k.saturating_sub(11)];
            subject.compensate(&wanted[k], measured, black_box(&mut out));
        });
    }
    for entry in servo::METHODS {
        let name = entry.method.name;
        let built = (entry.build)(
            &table("rig.servo", "method", name)?,
            &Context::of(1, PERIOD),
        )
        .map_err(text)?;
        if let Some(mut subject) = built {
            time("servo", name, |k| {
                let (x, y) = (wanted[k].displacement[0], wanted[k].velocity[0]);
                black_box(subject.drive_with_force(x, 0.9 * x, y));
            });
        }
    }
    for entry in actuator::METHODS {
        let name = entry.method.name;
        let values = table("rig.actuator", "method", name)?;
        let mut subject = (entry.build)(&values, &Context::of(1, PERIOD)).map_err(text)?;
        time("actuator", name, |k| {
            let m = &wanted[k];
            let axis = [m.displacement[0], m.velocity[0], m.acceleration[0]];
            black_box(subject.advance(axis));
        });
    }
    for entry in plant::METHODS {
        let name = entry.method.name;
        let axes = if name == "benchmark-single" { 1 } else { 2 };
        let both = motions(axes);
        let values = table("rig.plant", "kind", name)?;
        let mut subject = (entry.build)(&values, &Context::of(axes, PERIOD)).map_err(text)?;
        let mut truth = Measured::at_rest(axes);
        time("plant", name, |k| {
            subject.advance(&both[k], black_box(&mut truth));
        });
    }
    let mut measured = Measured::at_rest(1);
    for entry in specimen::METHODS {
        let name = entry.method.name;
        let Ok(values) = table("rig.specimen", "kind", name) else {
            continue; // needs a structure of its own
        };
        let mut subject = (entry.build)(&values, &Context::of(1, 1.0)).map_err(text)?;
        time("specimen", name, |k| {
            subject.force(&wanted[k], black_box(&mut measured.force));
        });
    }
    for entry in conditioning::METHODS {
        let name = entry.method.name;
        let values = table("conditioning", "method", name)?;
        let mut subject = (entry.build)(&values, &Context::of(1, PERIOD)).map_err(text)?;
        time("conditioning", name, |k| {
            measured.motion.copy_from(&wanted[k]);
            subject.condition(&wanted[k], black_box(&mut measured));
        });
    }
    linkages()?;
    whole_rig()
}

/// To the actuators, back, and the force: what a tick of the loop does with a linkage.
fn linkages() -> Result<(), String> {
    for entry in kinematics::METHODS {
        let name = entry.method.name;
        let dof = match name {
            "none" | "one-actuator" => 1,
            "plane-three" => 3,
            "space-four" => 4,
            "rigid-body" => 6,
            _ => 2,
        };
        let values = table("kinematics", "method", name)?;
        let mut subject =
            (entry.build)(&values, &Context::of(dof, 1.0)).map_err(|e| e.to_string())?;
        let nodes = motions(dof);
        let m = subject.actuators();
        let (mut strokes, mut node) = (Motion::at_rest(m), Motion::at_rest(dof));
        let (held, mut force) = (vec![1e3; m], vec![0.0; dof]);
        time("kinematics", name, |k| {
            subject.to_actuators(&nodes[k], &mut strokes);
            subject.to_interface(&strokes, black_box(&mut node));
            subject.force_to_interface(&held, black_box(&mut force));
        });
    }
    Ok(())
}

/// Servo, actuator, specimen and sensors at 5 kHz under a coordinator of 1024 Hz, a tick of the
/// coordinator.
fn whole_rig() -> Result<(), String> {
    let text = "rate = \"5 kHz\"\n[rig.servo]\nmethod = \"pid\"\nproportional = 3.5\nfilter \
                = \"200 Hz\"\n[rig.actuator]\nmethod = \"first-order\"\ntime_constant = \"40 \
                ms\"\n[rig.specimen]\nstiffness = [\"1200 \
                kN/m\"]\n[rig.sensors]\ndisplacement_noise = \"2 um\"\nforce_noise = \"2 N\"\n";
    let plan = format!(
        "[excitation]\nrecord = \"el-centro-1940\"\n[structure]\nkind = \"shear-building\"\nmasses \
         = [\"1 kg\"]\nstiffnesses = [\"1 N/m\"]\n[integration]\nmethod = \"newmark\"\ndt = \"1 \
         ms\"\n[rig]\n{text}"
    );
    let source = Source::Text {
        name: "bench",
        text: &plan,
    };
    let plan = plan::read(ROOT, source, &[]).map_err(|refusal| refusal.to_text())?;
    let context = RigContext::direct(Context::of(1, PERIOD));
    let entry = Entry::find(rig::METHODS, "virtual").ok_or("no virtual rig")?;
    let table = plan.values.table("rig").map_err(|e| e.to_string())?;
    let mut subject = (entry.build)(table, &context).map_err(|e| e.to_string())?;
    let mut rehearsal = Rehearsal::of(subject.as_ref()).map_err(|e| e.to_string())?;
    let wanted = motions(1);
    let mut measured = Measured::at_rest(1);
    time("rig", "virtual, five servo ticks", |k| {
        if let Some(command) = rehearsal.release(&wanted[k]) {
            subject.write(command);
        }
        subject.read(black_box(&mut measured));
    });
    Ok(())
}
