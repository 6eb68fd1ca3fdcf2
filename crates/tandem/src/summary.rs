//! The figures of a run: `summary.json` and `run --json`.

use serde_json::{Map, Value, json};
use tandem_coordinator::recorder::{RecorderError, Role, RunReader};
use tandem_coordinator::{DRIVER_TIME, Outcome, Pending, ReferenceRun, TARGET_PENDING};
use tandem_monitor::{criteria::equivalent_damping_error, tracking_words};
use tandem_signal::correlate;

use crate::assemble::Test;
use crate::energy_error::energy_error;

/// Key that says that actuators were characterised.
pub const CHARACTERISES: &str = "characterises";

/// Computes the figures from what was recorded. `outcome` is absent for a run that was killed.
pub fn summarise(
    test: &Test,
    run: &RunReader,
    reference: Option<&ReferenceRun>,
    outcome: Option<&Outcome>,
) -> Result<Value, RecorderError> {
    let mut out = Map::new();
    let timing = test.timing;
    let rows = run.rows();
    #[allow(clippy::cast_precision_loss)] // far below 2^53
    let recorded_s = rows.saturating_sub(1) as f64 * timing.period / timing.time_scale;
    out.insert("name".into(), json!(test.name));
    if test.characterises() {
        out.insert(CHARACTERISES.into(), json!(true));
    }
    match outcome {
        Some(outcome) => {
            out.insert(
                "outcome".into(),
                json!(if outcome.stop.is_some() {
                    "stopped"
                } else {
                    "completed"
                }),
            );
            if let Some(stop) = &outcome.stop {
                out.insert("reason".into(), json!(outcome.reason));
                out.insert("stopped_by".into(), json!(stop.name()));
                out.insert("stopped_at_s".into(), json!(outcome.time_s));
            }
            out.insert("steps".into(), json!(outcome.steps));
            out.insert("simulated_s".into(), json!(outcome.time_s));
            out.insert("wall_s".into(), json!(outcome.wall_s));
            out.insert(
                "realtime_factor".into(),
                json!(outcome.time_s * timing.time_scale / outcome.wall_s.max(1e-12)),
            );
        }
        None => {
            out.insert("outcome".into(), json!("stopped"));
            out.insert(
                "reason".into(),
                json!("the program ended before the test: the record ends here"),
            );
            out.insert("stopped_by".into(), json!("interrupted"));
            out.insert("stopped_at_s".into(), json!(recorded_s));
            out.insert("simulated_s".into(), json!(recorded_s));
        }
    }

    if let Some(last) = driver_steps(run)?.and_then(|(_, times)| times.last().copied()) {
        out.insert("driver_time_s".into(), json!(last));
    }
    let ringing = ringing(test);
    let mut response = Map::new();
    let mut indicators = Map::new();
    let time = run.read("time")?;
    for channel in run.channels() {
        match channel.role {
            // The response of a structure that is not there says nothing.
            Role::Response if test.characterises() => {}
            Role::Response if is_acceleration_of(&channel.name, &ringing) => {}
            Role::Response | Role::Measured => {
                let values = run.read(&channel.name)?;
                let mut figures = json!({
                    "peak": correlate::peak(&values),
                    "rms": correlate::rms(&values),
                    "final": values.last().copied().unwrap_or(0.0),
                    "unit": channel.unit,
                });
                if let Some(dof) = dof_of(&channel.name, test) {
                    figures["dof"] = json!(dof);
                }
                response.insert(channel.name.clone(), figures);
            }
            Role::Monitor => {
                let values = run.read(&channel.name)?;
                let (name, value) = indicator(&channel.name, &time, &values);
                indicators.insert(name, value);
            }
            _ => {}
        }
    }
    out.insert("response".into(), Value::Object(response));
    if !test.interface.is_empty() {
        out.insert("tracking".into(), tracking(run, test)?);
        if let Some(reference) = reference {
            out.insert("reference".into(), against_reference(run, test, reference)?);
            let history = reference.history(test.energy_error_dof);
            let curve = energy_error(run, test, &history)?;
            indicators.insert(
                "Ec".into(),
                json!({
                    "final": curve.last().copied().unwrap_or(0.0),
                    "unit": "J",
                    "at": test.whole.label(test.energy_error_dof),
                }),
            );
            let judged = match &test.criteria {
                Some(criteria) => criteria.judge(test, run, reference)?,
                None => None,
            };
            if let Some([deviation, rms]) = judged {
                out.insert("criteria".into(), deviation);
                out.insert("criteria_rms".into(), rms);
            }
        }
    }
    if let Some(value) = crate::unbalanced::figures(run, test)? {
        indicators.insert("unbalanced_force".into(), value);
    }
    if !indicators.is_empty() {
        out.insert("indicators".into(), Value::Object(indicators));
    }
    if let Some(outcome) = outcome {
        #[allow(clippy::cast_precision_loss)]
        let mean = outcome.wall_s / outcome.ticks.max(1) as f64;
        out.insert(
            "timing".into(),
            json!({ "period_us": timing.period * 1e6, "ticks": outcome.ticks, "mean_tick_us": mean * 1e6 }),
        );
    }
    out.insert("seed".into(), json!(test.seed));
    out.insert("version".into(), json!(env!("CARGO_PKG_VERSION")));
    let mut notes = test.notes.clone();
    notes.extend(ringing_note(test, &ringing));
    for (key, list) in [("warnings", &test.warnings), ("notes", &notes)] {
        if !list.is_empty() {
            out.insert(key.into(), json!(list));
        }
    }
    Ok(Value::Object(out))
}

/// Degrees of freedom without mass. No inertia force goes with their acceleration, so that nothing in the equation of
/// motion determines it: the update of Newmark's method lets it ring from step to step, while displacements and forces
/// are right.
fn ringing(test: &Test) -> Vec<usize> {
    // What moves there has its mass in another program or in an FMU, which told its accelerations.
    if test.driver().is_some() || test.steps_itself() {
        return Vec::new();
    }
    tandem_structure::modes::massless(test.whole.mass())
}

fn is_acceleration_of(channel: &str, dofs: &[usize]) -> bool {
    channel
        .strip_prefix("response_acceleration/")
        .and_then(|number| number.parse::<usize>().ok()?.checked_sub(1))
        .is_some_and(|dof| dofs.contains(&dof))
}

/// Why accelerations are missing from the response.
pub fn ringing_note(test: &Test, ringing: &[usize]) -> Option<String> {
    const MOST: usize = 4;
    let first = ringing.iter().take(MOST).map(|dof| test.whole.label(*dof));
    let names = first.collect::<Vec<_>>().join(", ");
    let more = match ringing.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!ringing.is_empty() && !test.characterises()).then(|| {
        format!(
            "accelerations of degrees of freedom without mass ({names}{more}) are left out of the response: no inertia goes with them, and they ring with the integration"
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
        *test.interface.get(index)?
    };
    (dof < test.whole.dof()).then(|| test.whole.label(dof))
}

/// A share in per cent; JSON has no infinity, which is therefore a word.
fn percent(share: f64) -> Value {
    if share == f64::INFINITY {
        json!("infinite")
    } else {
        json!(100.0 * share)
    }
}

/// The largest SW of a summary, %; infinite where the summary says so.
pub fn largest_stability_warning(figures: &Value) -> Option<f64> {
    let largest = &figures["indicators"]["SW"]["max_percent"];
    match largest.as_str() {
        Some(_) => Some(f64::INFINITY),
        None => largest.as_f64(),
    }
}

fn indicator(channel: &str, time: &[f64], values: &[f64]) -> (String, Value) {
    let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let last = values.last().copied().unwrap_or(0.0);
    if channel == "energy_error" {
        let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let first = time
            .iter()
            .zip(values)
            .find(|(_, v)| v.abs() > 1.0)
            .map(|(t, _)| *t);
        let value = json!({ "max_abs_percent": 100.0 * largest, "final_percent": 100.0 * last, "first_over_100_s": first });
        return ("EEI".into(), value);
    }
    if channel == "stability_warning" {
        let first = time
            .iter()
            .zip(values)
            .find(|(_, v)| **v > 1.0)
            .map(|(t, _)| *t);
        let until = time
            .iter()
            .zip(values)
            .rev()
            .find(|(_, v)| **v > 1.0)
            .map(|(t, _)| *t);
        let value = json!({
            "max_percent": percent(max),
            "final_percent": percent(last),
            "first_over_100_s": first,
            "last_over_100_s": until,
        });
        return ("SW".into(), value);
    }
    (channel.to_owned(), json!({ "max": max, "final": last }))
}

/// Measured against target, per actuator.
fn tracking(run: &RunReader, test: &Test) -> Result<Value, RecorderError> {
    let (mut nrmse, mut peak, mut delay) = (Vec::new(), Vec::new(), Vec::new());
    let (mut damping, mut words) = (Vec::new(), Vec::new());
    let modes = tandem_structure::modes::modes(test.whole.as_ref(), 1)
        .ok()
        .filter(|_| test.has_structure());
    for i in 1..=test.actuators {
        let target = run.read(&format!("target/{i}"))?;
        let measured = run.read(&format!("measured_displacement/{i}"))?;
        let errors = correlate::errors(&measured, &target).ok();
        nrmse.push(errors.map(|e| 100.0 * e.rms));
        peak.push(errors.map(|e| 100.0 * e.peak));
        let lag = delay_ms(&measured, &target, test.timing.period);
        let gain = correlate::rms(&measured) / correlate::rms(&target) - 1.0;
        words.push(tracking_words(gain, lag.map_or(f64::NAN, |lag| 1e-3 * lag)));
        delay.push(lag);
        let force = run.read(&format!("measured_force/{i}"))?;
        // The first mode as an oscillator at this degree of freedom has the mass 1/φ² and the structural circular frequency.
        let shape = modes.as_ref().filter(|_| !test.linked).and_then(|m| {
            let dof = *test.interface.get(i - 1)?;
            Some((m.shapes.first()?.get(dof)?, m.circular(0)))
        });
        damping.push(
            shape
                .filter(|(phi, circular)| **phi != 0.0 && *circular > 0.0)
                .map(|(phi, circular)| {
                    let period = test.timing.period / test.timing.time_scale;
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
    Ok(json!({
        "nrmse_percent": nrmse,
        "peak_percent": peak,
        "delay_ms": delay,
        "equivalent_damping_percent": damping,
        "words": words,
    }))
}

/// How long `measured` lags behind `target`, ms of wall time, looked for within ± 100 ms.
pub(crate) fn delay_ms(measured: &[f64], target: &[f64], period: f64) -> Option<f64> {
    if correlate::peak(target) == 0.0 {
        return None;
    }
    #[allow(clippy::cast_possible_truncation)] // a tenth of a second over the period, clamped
    let range = (0.1 / period).clamp(2.0, 5000.0) as i64;
    let range = range.min(i64::try_from(target.len()).ok()? / 4);
    // Coarse first, on every n-th sample, then fine around the best: the cost stays small for long records.
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
/// Methods that split the force ask the specimen at a predictor, not at the displacement of the end of the step. So the error is
/// that of the response plus that of the tracking; where target and response are the same it is measured − reference.
fn against_reference(
    run: &RunReader,
    test: &Test,
    reference: &ReferenceRun,
) -> Result<Value, RecorderError> {
    let (mut nrmse, mut peak) = (Vec::new(), Vec::new());
    let [target_at, measured_at, _] = test.interface_channels();
    for (i, &dof) in test.interface.iter().enumerate() {
        let channel =
            |name: &str, number: usize| read_at_steps(run, &format!("{name}/{number}"), test);
        let measured: Vec<f64> = channel(measured_at, i + 1)?;
        let (target, response): (Vec<f64>, Vec<f64>) = (
            channel(target_at, i + 1)?,
            channel("response_displacement", dof + 1)?,
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
        let response = read_at_steps(run, &format!("response_displacement/{}", dof + 1), test)?;
        let history = reference.history(dof);
        let n = response.len().min(history.len());
        all.extend_from_slice(&response[..n]);
        expected.extend_from_slice(&history[..n]);
    }
    let global = tandem_monitor::criteria::global_error(&all, &expected);
    Ok(json!({
        "nrmse_percent": nrmse,
        "peak_percent": peak,
        "global_percent": global.ok().map(|error| error.rms),
    }))
}

/// Looks the ends of the steps up in the record, where late targets have moved them. The clock of the structure stands still
/// while a target is awaited, so a step ends where the recorded time reaches it. Where the integration worked elsewhere, what it found
/// stands in the record from the tick on in which it came back.
pub fn find_steps(test: &mut Test, run: &RunReader) -> Result<(), RecorderError> {
    let known = run.channels().any(|c| c.name == TARGET_PENDING);
    let pending: Vec<bool> = match known {
        true => run.read(TARGET_PENDING)?,
        false => Vec::new(),
    }
    .into_iter()
    .map(|word| Pending::from_word(word) == Pending::Elsewhere)
    .collect();
    let apart = pending.contains(&true);
    if !test.targets_come_late && !apart {
        return Ok(());
    }
    let time = run.read("time")?;
    let mut row = 0;
    let mut rows = Vec::new();
    for n in 0..=test.timing.steps {
        #[allow(clippy::cast_precision_loss)]
        let end = (n as f64 - 1e-6) * test.dt;
        row += time[row..].iter().take_while(|t| **t < end).count();
        if row >= time.len() {
            break;
        }
        rows.push(row);
    }
    if apart {
        let back = |row: &usize| {
            let away = pending.iter().skip(*row).take_while(|x| **x).count();
            (row + away).min(time.len().saturating_sub(1))
        };
        test.response_rows = Some(rows.iter().map(back).collect());
    }
    test.step_rows = Some(rows);
    Ok(())
}

/// Rows, and the driver's time at each, s.
pub type DriverSteps = (Vec<usize>, Vec<f64>);

/// The rows in which an outside driver's steps stand in the response, and the driver's own time of each; none where no driver told its time. The clock of
/// the test goes on while a driver iterates, the driver's does not. Where that goes back, stages before it were static and their time a load
/// factor: only what comes after is a response over time.
pub fn driver_steps(run: &RunReader) -> Result<Option<DriverSteps>, RecorderError> {
    if run.channels().all(|c| c.name != DRIVER_TIME) {
        return Ok(None);
    }
    let recorded = run.read(DRIVER_TIME)?;
    let (mut rows, mut times) = (Vec::new(), Vec::new());
    for (row, time) in recorded
        .into_iter()
        .enumerate()
        .filter(|(_, t)| t.is_finite())
    {
        match times.last() {
            Some(last) if time > *last => {}
            Some(last) if time < *last => (rows, times) = (Vec::new(), Vec::new()),
            Some(_) => continue,
            None => {}
        }
        rows.push(row);
        times.push(time);
    }
    Ok((times.len() > 1).then_some((rows, times)))
}

/// A recorded channel at the ends of the integration steps.
pub fn read_at_steps(run: &RunReader, name: &str, test: &Test) -> Result<Vec<f64>, RecorderError> {
    let channel = run.read(name)?;
    let found = name.starts_with("response_") || name.starts_with("unbalanced_force");
    if let (true, Some(rows)) = (found, &test.response_rows) {
        return Ok(rows
            .iter()
            .map_while(|row| channel.get(*row).copied())
            .collect());
    }
    Ok(at_steps(&channel, test))
}

/// The rows of a recorded channel at the ends of the integration steps.
pub fn at_steps(channel: &[f64], test: &Test) -> Vec<f64> {
    if let Some(rows) = &test.step_rows {
        return rows
            .iter()
            .map_while(|row| channel.get(*row).copied())
            .collect();
    }
    let ticks_per_step = test.timing.time_scale * test.dt / test.timing.period;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )]
    (0..=test.timing.steps)
        .map(|n| (n as f64 * ticks_per_step - 1e-6).ceil() as usize)
        .map_while(|row| channel.get(row).copied())
        .collect()
}
