//! Where the integration steps end in a record.

use tandem_coordinator::TargetStatus;
use tandem_coordinator::channels::{
    DRIVER_TIME, RESPONSE_ACCELERATION, RESPONSE_DISPLACEMENT, RESPONSE_VELOCITY, TARGET_PENDING,
    TIME, UNBALANCED_FORCE,
};
use tandem_coordinator::recorder::{RecorderError, RunReader};

use crate::assemble::{Outline, StepRows, Test};

/// Looks the ends of the steps up in the record, where late targets have moved them. The clock of
/// the structure stands still while a target is awaited, so a step ends where the recorded time
/// reaches it. Where the integration worked elsewhere, what it found stands in the record from the
/// tick on in which it came back.
pub fn find_steps(test: &mut Test, run: &RunReader) -> Result<(), RecorderError> {
    let pending = run.read_if_there(TARGET_PENDING.name)?.unwrap_or_default();
    let elsewhere = |word| TargetStatus::from_word(word) == TargetStatus::Elsewhere;
    let pending: Vec<bool> = pending.into_iter().map(elsewhere).collect();
    let apart = pending.contains(&true);
    if !test.step_rows.late && !apart {
        return Ok(());
    }
    let time = run.read(TIME)?;
    let mut row = 0;
    let mut rows = Vec::new();
    for n in 0..=test.outline.timing.steps {
        let end = (n as f64 - 1e-6) * test.outline.dt;
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
        test.step_rows.responses = Some(rows.iter().map(back).collect());
    }
    test.step_rows.ends = Some(rows);
    Ok(())
}

/// Rows, and the driver's time at each, s.
pub type DriverSteps = (Vec<usize>, Vec<f64>);

/// The rows in which an external integrator's steps stand in the response, and the driver's own
/// time of each; none where no driver told its time. The clock of the test goes on while a driver
/// iterates, the driver's does not. Where that goes back, stages before it were static and their
/// time a load factor: only what comes after is a response over time.
pub fn driver_steps(run: &RunReader) -> Result<Option<DriverSteps>, RecorderError> {
    let Some(recorded) = run.read_if_there(DRIVER_TIME.name)? else {
        return Ok(None);
    };
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
    let of_method = [
        RESPONSE_DISPLACEMENT,
        RESPONSE_VELOCITY,
        RESPONSE_ACCELERATION,
        UNBALANCED_FORCE,
    ];
    let found = of_method.iter().any(|quantity| quantity.is(name));
    if let (true, Some(rows)) = (found, &test.step_rows.responses) {
        return Ok(rows
            .iter()
            .map_while(|row| channel.get(*row).copied())
            .collect());
    }
    Ok(at_steps(&channel, test))
}

/// The rows of a recorded channel at the ends of the integration steps.
pub fn at_steps(channel: &[f64], test: &Test) -> Vec<f64> {
    rows_at_steps(channel, &test.outline, &test.step_rows)
}

/// The same, of a test that runs.
pub(crate) fn rows_at_steps(channel: &[f64], outline: &Outline, rows: &StepRows) -> Vec<f64> {
    if let Some(rows) = &rows.ends {
        return rows
            .iter()
            .map_while(|row| channel.get(*row).copied())
            .collect();
    }
    let timing = outline.timing;
    let ticks_per_step = timing.time_scale * outline.dt / timing.period;
    #[allow(clippy::cast_possible_truncation)]
    (0..=timing.steps)
        .map(|n| (n as f64 * ticks_per_step - 1e-6).ceil() as usize)
        .map_while(|row| channel.get(row).copied())
        .collect()
}
