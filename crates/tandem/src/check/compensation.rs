//! Whether the compensator holds on the rig it is planned for.
//!
//! A compensator with feedback closes a loop of its own around the rig, whatever the structure
//! does. Designed for another rig than it gets, it may set that into growing oscillation; the
//! critical delay of the test says nothing about this.

use tandem_quantity::{BuildError, Context, Motion, Settings, Values};
use tandem_signal::correlate::rms;
use tandem_transfer::compensator::{self, SwitchOn};
use tandem_transfer::conditioning;
use tandem_transfer::rig::{self, Measured, Rehearsal, RigProperties};

use super::ActuatorDemand;
use crate::assemble::Test;
use crate::sections::Section;

/// Length of the pulse and of the rest after it, s of wall time.
const PULSE: f64 = 0.5;
const REST: f64 = 3.6;
/// Ticks at most, for very fast coordinators.
const MOST_TICKS: f64 = 40_000.0;
/// The pulse as a share of the largest stroke that the test will need.
const SHARE: f64 = 0.1;
/// An error counts as one from this share of the pulse on, and as growing by this factor over the
/// rest.
const VISIBLE: f64 = 0.05;
const GROWN: f64 = 1.5;
/// Beyond this many pulses the piston has run away; offsets and noise of coarse sensors stay far
/// below.
const RUN_AWAY: f64 = 1e6;

/// Whether the motion of the rig settles after a smooth pulse. Nothing where there is nothing to
/// say: no model of the rig, no compensator, or an actuator without a lag.
pub fn settles(
    plan: &Values,
    test: &Test,
    demands: &[ActuatorDemand],
) -> Result<Option<bool>, BuildError> {
    let rig = Section::Rig.selected(plan, &rig::SLOT);
    let is_model = rig.is_none_or(|kind| kind == "virtual");
    let method = Section::Compensator.selected(plan, &compensator::SLOT);
    let table = Section::Compensator.written(plan);
    let Some(table) = table.filter(|_| is_model && method != Some("none")) else {
        return Ok(None);
    };
    if demands.is_empty() {
        return Ok(None);
    }
    let mut rig = test.rig(plan)?;
    let RigProperties {
        actuators: n,
        is_instantaneous,
        ..
    } = rig.properties();
    if is_instantaneous {
        return Ok(None);
    }
    let mut rehearsal = Rehearsal::of(rig.as_ref())?;
    let period = test.outline.timing.period;
    let context = Context {
        actuators: n,
        ..test.context()
    };
    let mut compensator =
        compensator::build(table, &context).map_err(|e| e.within("compensator"))?;
    let mut conditioning = match Section::Conditioning.written(plan) {
        Some(table) => {
            conditioning::build(table, &context).map_err(|e| e.within("conditioning"))?
        }
        None => None,
    };
    let amplitude: Vec<f64> = (0..n)
        .map(|i| SHARE * demands.get(i).map_or(0.0, |d| d.displacement).max(1e-5))
        .collect();
    let (mut target, mut wanted) = (Motion::at_rest(n), Motion::at_rest(n));
    let (mut measured, mut command) = (Measured::at_rest(n), Motion::at_rest(n));
    // A compensator that is switched on later is looked at when it is on.
    let start = SwitchOn::read(table)?.wholly_on()?;
    #[allow(clippy::cast_possible_truncation)] // bounded
    let ticks = ((start + PULSE + REST) / period).min(MOST_TICKS) as usize;
    let mut errors: Vec<Vec<f64>> = vec![Vec::new(); n];
    for k in 0..ticks {
        rig.read(&mut measured);
        if let Some(conditioning) = &mut conditioning {
            conditioning.read(&target, &mut measured);
        }
        let now = k as f64 * period - start;
        for i in 0..n {
            let x = measured.motion.displacement[i];
            let error = (x - target.displacement[i]) / amplitude[i];
            if !error.is_finite() || error.abs() > RUN_AWAY {
                return Ok(Some(false));
            }
            if now > PULSE {
                errors[i].push(error);
            }
        }
        pulse(now + period, &amplitude, &mut wanted);
        compensator.compensate(&wanted, &measured.motion, &mut command);
        let Some(command) = rehearsal.release(&command) else {
            return Ok(Some(false));
        };
        rig.write(command);
        target.copy_from(&wanted);
    }
    // Too slow a coordinator, or switched on too late: nothing has been seen.
    if errors[0].len() < 30 {
        return Ok(None);
    }
    Ok(Some(errors.iter().all(|error| {
        let third = error.len() / 3;
        let (first, last) = (rms(&error[..third]), rms(&error[error.len() - third..]));
        last < VISIBLE || last < GROWN * first
    })))
}

/// One wave of a raised cosine, then rest.
fn pulse(t: f64, amplitude: &[f64], motion: &mut Motion) {
    let w = std::f64::consts::TAU / PULSE;
    let inside = if (0.0..PULSE).contains(&t) { 0.5 } else { 0.0 };
    for (i, a) in amplitude.iter().enumerate() {
        motion.displacement[i] = a * inside * (1.0 - (w * t).cos());
        motion.velocity[i] = a * inside * w * (w * t).sin();
        motion.acceleration[i] = a * inside * w * w * (w * t).cos();
    }
}
