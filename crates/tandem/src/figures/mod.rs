//! The figures of a run, from what was recorded.

mod criteria;
pub mod energy_error;
mod steps;
pub mod unbalanced;

pub(crate) use steps::rows_at_steps;
pub use steps::{DriverSteps, at_steps, driver_steps, find_steps, read_at_steps};

use tandem_coordinator::channels::{
    MEASURED_DISPLACEMENT, MEASURED_FORCE, Quantity, RESPONSE_ACCELERATION, RESPONSE_DISPLACEMENT,
    TARGET, TIME,
};
use tandem_coordinator::recorder::{RecorderError, Role, RunReader};
use tandem_coordinator::{Outcome as Ended, ReferenceRun};
use tandem_monitor::{criteria::equivalent_damping_error, tracking_words};
use tandem_signal::correlate;

use crate::assemble::Test;
use crate::summary::{
    AgainstReference, ControlEnergy, EnergyError, Extremes, INTERRUPTED, Indicators, Outcome,
    Response, StabilityWarning, Summary, Timing, Tracking,
};
use energy_error::energy_error;

/// Computes the figures from what was recorded. `ended` is absent for a run that was killed.
///
/// # Errors
/// A record that cannot be read.
pub fn summarise(
    test: &Test,
    run: &RunReader,
    reference: Option<&ReferenceRun>,
    ended: Option<&Ended>,
) -> Result<Summary, RecorderError> {
    let ringing = ringing(test);
    let timing = test.outline.timing;
    let recorded_s = run.rows().saturating_sub(1) as f64 * timing.period / timing.time_scale;
    let mut summary = beginning(test, recorded_s, ended);
    if let Some(last) = driver_steps(run)?.and_then(|(_, times)| times.last().copied()) {
        summary.driver_time_s = Some(last);
    }
    channels(&mut summary, test, run, &ringing)?;
    if !test.outline.interface.is_empty() {
        summary.tracking = Some(tracking(run, test)?);
        if let Some(reference) = reference {
            beside_reference(&mut summary, test, run, reference)?;
        }
    }
    summary.indicators.unbalanced_force = unbalanced::figures(run, test, &mut summary.notes)?;
    summary.notes.extend(ringing_note(test, &ringing));
    Ok(summary)
}

/// How a run ended, of one that has left no record.
pub(crate) fn of_outcome(test: &Test, ended: &Ended) -> Summary {
    beginning(test, ended.time_s, Some(ended))
}

/// What is known without looking into the record.
fn beginning(test: &Test, recorded_s: f64, ended: Option<&Ended>) -> Summary {
    let timing = test.outline.timing;
    let stop = ended.and_then(|ended| ended.stop.as_ref());
    let (outcome, reason, stopped_by) = match (ended, stop) {
        (Some(_), None) => (Outcome::Completed, None, None),
        (Some(ended), Some(stop)) => {
            let by = stop.name().to_owned();
            (Outcome::Stopped, ended.reason.clone(), Some(by))
        }
        (None, _) => {
            let reason = "the program ended before the test: the record ends here";
            let by = INTERRUPTED.to_owned();
            (Outcome::Stopped, Some(reason.to_owned()), Some(by))
        }
    };
    let simulated_s = ended.map_or(recorded_s, |ended| ended.time_s);
    let stopped = outcome == Outcome::Stopped;
    Summary {
        outcome,
        reason,
        stopped_by,
        stopped_at_s: stopped.then_some(simulated_s),
        characterises: test.characterises(),
        steps: ended.map(|ended| ended.steps),
        simulated_s,
        wall_s: ended.map(|ended| ended.wall_s),
        realtime_factor: ended
            .map(|ended| ended.time_s * timing.time_scale / ended.wall_s.max(1e-12)),
        timing: ended.map(|ended| {
            let mean = ended.wall_s / ended.ticks.max(1) as f64;
            Timing {
                period_us: timing.period * 1e6,
                ticks: ended.ticks,
                mean_tick_us: Some(mean * 1e6),
                deadlines: None,
            }
        }),
        warnings: test.warnings.clone(),
        notes: test.outline.notes.clone(),
        ..Summary::of(test.name.clone(), test.seed)
    }
}

/// Figures of every channel that shows a response or a monitor.
fn channels(
    summary: &mut Summary,
    test: &Test,
    run: &RunReader,
    ringing: &[usize],
) -> Result<(), RecorderError> {
    let time = run.read(TIME)?;
    for channel in run.channels() {
        match channel.role {
            // The response of a structure that is not there says nothing.
            Role::Response if test.characterises() => {}
            Role::Response if is_acceleration_of(&channel.name, ringing) => {}
            Role::Response | Role::Measured => {
                let values = run.read(&channel.name)?;
                let response = Response {
                    peak: correlate::peak(&values),
                    rms: correlate::rms(&values),
                    last: values.last().copied().unwrap_or(0.0),
                    unit: channel.unit.clone(),
                    dof: dof_of(&channel.name, test),
                };
                summary.response.insert(channel.name.clone(), response);
            }
            Role::Monitor => {
                let values = run.read(&channel.name)?;
                indicator(&mut summary.indicators, &channel.name, &time, &values);
            }
            _ => {}
        }
    }
    Ok(())
}

/// What a reference tells: errors, their energy, criteria.
fn beside_reference(
    summary: &mut Summary,
    test: &Test,
    run: &RunReader,
    reference: &ReferenceRun,
) -> Result<(), RecorderError> {
    summary.reference = Some(against_reference(run, test, reference)?);
    let history = reference.history(test.outline.energy_error_dof);
    let curve = energy_error(run, test, &history)?;
    summary.indicators.control_energy = Some(ControlEnergy {
        last: curve.last().copied().unwrap_or(0.0),
        unit: "J".to_owned(),
        at: test
            .outline
            .whole
            .properties()
            .label(test.outline.energy_error_dof)
            .to_owned(),
    });
    let judged = match &test.criteria {
        Some(criteria) => criteria::judge(criteria, test, run, reference)?,
        None => None,
    };
    if let Some([deviation, rms]) = judged {
        (summary.criteria, summary.criteria_rms) = (Some(deviation), Some(rms));
    }
    Ok(())
}

/// Degrees of freedom without mass. No inertia force goes with their acceleration, so that nothing
/// in the equation of motion determines it: the update of Newmark's method lets it ring from step
/// to step, while displacements and forces are right.
fn ringing(test: &Test) -> Vec<usize> {
    // What moves there has its mass in another program or in an FMU, which told its accelerations.
    if test.driver().is_some() || test.steps_itself() {
        return Vec::new();
    }
    tandem_structure::modes::massless(&test.outline.whole.properties().mass)
}

fn is_acceleration_of(channel: &str, dofs: &[usize]) -> bool {
    let dof = RESPONSE_ACCELERATION.number(channel);
    dof.is_some_and(|number| dofs.contains(&number.wrapping_sub(1)))
}

/// Why accelerations are missing from the response.
pub fn ringing_note(test: &Test, ringing: &[usize]) -> Option<String> {
    const MOST: usize = 4;
    let first = ringing
        .iter()
        .take(MOST)
        .map(|dof| test.outline.whole.properties().label(*dof));
    let names = first.collect::<Vec<_>>().join(", ");
    let more = match ringing.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!ringing.is_empty() && !test.characterises()).then(|| {
        format!(
            "accelerations of degrees of freedom without mass ({names}{more}) are left out of the \
            response: no inertia goes with them, and they ring with the integration"
        )
    })
}

/// The name of the degree of freedom that a channel such as `response_displacement/3` is about.
fn dof_of(channel: &str, test: &Test) -> Option<String> {
    let (kind, number) = channel.split_once('/')?;
    let index = number.parse::<usize>().ok()?.checked_sub(1)?;
    let dof = if kind.starts_with("response") {
        index
    } else {
        *test.outline.interface.get(index)?
    };
    test.outline.whole.properties().labels.get(dof).cloned()
}

/// The figures of a monitor's channel.
fn indicator(all: &mut Indicators, channel: &str, time: &[f64], values: &[f64]) {
    let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let last = values.last().copied().unwrap_or(0.0);
    let over = |size: fn(f64) -> f64| {
        let mut found = time
            .iter()
            .zip(values)
            .filter(move |(_, v)| size(**v) > 1.0);
        let first = found.next().map(|(t, _)| *t);
        (first, found.next_back().map(|(t, _)| *t).or(first))
    };
    match channel {
        "energy_error" => {
            all.energy_error = Some(EnergyError {
                max_abs_percent: 100.0 * values.iter().fold(0.0_f64, |m, v| m.max(v.abs())),
                final_percent: 100.0 * last,
                first_over_100_s: over(f64::abs).0,
            });
        }
        "stability_warning" => {
            let (first_over_100_s, last_over_100_s) = over(|v| v);
            all.stability_warning = Some(StabilityWarning {
                max_percent: 100.0 * max,
                final_percent: 100.0 * last,
                first_over_100_s,
                last_over_100_s,
            });
        }
        other => {
            all.others.insert(other.to_owned(), Extremes { max, last });
        }
    }
}

/// Measured against target, per actuator.
fn tracking(run: &RunReader, test: &Test) -> Result<Tracking, RecorderError> {
    let (mut nrmse, mut peak, mut delay) = (Vec::new(), Vec::new(), Vec::new());
    let (mut damping, mut words) = (Vec::new(), Vec::new());
    let modes = tandem_structure::modes::modes(test.outline.whole.properties(), 1)
        .ok()
        .filter(|_| test.has_structure());
    for i in 1..=test.physical.actuators {
        let target = run.read(&TARGET.of(i))?;
        let measured = run.read(&MEASURED_DISPLACEMENT.of(i))?;
        let errors = correlate::errors(&measured, &target).ok();
        nrmse.push(errors.map(|e| 100.0 * e.rms));
        peak.push(errors.map(|e| 100.0 * e.peak));
        let lag = delay_ms(&measured, &target, test.outline.timing.period);
        let gain = correlate::rms(&measured) / correlate::rms(&target) - 1.0;
        words.push(tracking_words(gain, lag.map_or(f64::NAN, |lag| 1e-3 * lag)));
        delay.push(lag);
        let force = run.read(&MEASURED_FORCE.of(i))?;
        // The first mode as an oscillator at this degree of freedom has the mass 1/φ² and the
        // structural circular frequency.
        let shape = modes
            .as_ref()
            .filter(|_| !test.physical.linked)
            .and_then(|m| {
                let dof = *test.outline.interface.get(i - 1)?;
                Some((m.shapes.first()?.get(dof)?, m.circular(0)))
            });
        damping.push(
            shape
                .filter(|(phi, circular)| **phi != 0.0 && *circular > 0.0)
                .map(|(phi, circular)| {
                    let period = test.outline.timing.period / test.outline.timing.time_scale;
                    100.0
                        * equivalent_damping_error(
                            &target,
                            &measured,
                            &force,
                            period,
                            1.0 / (phi * phi),
                            circular,
                        )
                }),
        );
    }
    Ok(Tracking {
        nrmse_percent: nrmse,
        peak_percent: peak,
        delay_ms: delay,
        equivalent_damping_percent: damping,
        words,
    })
}

/// How long `measured` lags behind `target`, ms of wall time, looked for within ± 100 ms.
pub(crate) fn delay_ms(measured: &[f64], target: &[f64], period: f64) -> Option<f64> {
    if correlate::peak(target) == 0.0 {
        return None;
    }
    #[allow(clippy::cast_possible_truncation)] // a tenth of a second over the period, clamped
    let range = (0.1 / period).clamp(2.0, 5000.0) as i64;
    let range = range.min(i64::try_from(target.len()).ok()? / 4);
    // Coarse first, on every n-th sample, then fine around the best: the cost stays small for long
    // records.
    let stride = usize::try_from(range / 32).ok()?.max(1);
    let thin = |signal: &[f64]| signal.iter().step_by(stride).copied().collect::<Vec<_>>();
    let step = i64::try_from(stride).ok()?;
    let coarse_range = range / step;
    let coarse =
        correlate::delay(&thin(target), &thin(measured), -coarse_range..=coarse_range).ok()?;
    let centre = coarse.samples * step;
    let fine = correlate::delay(target, measured, centre - step - 1..=centre + step + 1).ok()?;
    Some(fine.refined * period * 1e3)
}

/// Measured displacement against that of the undivided structure, at the end of every step.
///
/// Methods that split the force ask the specimen at a predictor, not at the displacement of the end
/// of the step. So the error is that of the response plus that of the tracking; where target and
/// response are the same it is measured − reference.
fn against_reference(
    run: &RunReader,
    test: &Test,
    reference: &ReferenceRun,
) -> Result<AgainstReference, RecorderError> {
    let (mut nrmse, mut peak) = (Vec::new(), Vec::new());
    let [target_at, measured_at, _] = test.interface_channels();
    for (i, &dof) in test.outline.interface.iter().enumerate() {
        let channel = |of: Quantity, number: usize| read_at_steps(run, &of.of(number), test);
        let measured: Vec<f64> = channel(measured_at, i + 1)?;
        let (target, response): (Vec<f64>, Vec<f64>) = (
            channel(target_at, i + 1)?,
            channel(RESPONSE_DISPLACEMENT, dof + 1)?,
        );
        let reached: Vec<f64> = measured
            .iter()
            .zip(&target)
            .zip(&response)
            .map(|((m, t), r)| m - t + r)
            .collect();
        let mut history = reference.history(dof);
        let n = reached.len().min(history.len());
        history.truncate(n);
        let errors = correlate::errors(&reached[..n], &history).ok();
        nrmse.push(errors.map(|e| 100.0 * e.rms));
        peak.push(errors.map(|e| 100.0 * e.peak));
    }
    // All degrees of freedom of the numerical substructure together.
    let (mut all, mut expected) = (Vec::new(), Vec::new());
    for dof in 0..reference.dof {
        let response = read_at_steps(run, &RESPONSE_DISPLACEMENT.of(dof + 1), test)?;
        let history = reference.history(dof);
        let n = response.len().min(history.len());
        all.extend_from_slice(&response[..n]);
        expected.extend_from_slice(&history[..n]);
    }
    let global = tandem_monitor::criteria::global_error(&all, &expected);
    Ok(AgainstReference {
        nrmse_percent: nrmse,
        peak_percent: peak,
        global_percent: global.ok().map(|error| error.rms),
    })
}
