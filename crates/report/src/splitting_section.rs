//! What a method that splits the force assumed of the specimen: forces beyond those that were
//! asked, and the stiffness as it was estimated on the run, against the true one where a model
//! knows it.

use tandem_coordinator::channels::{
    ESTIMATE_CONFIDENCE, ESTIMATED_STIFFNESS, TRUE_STIFFNESS, UNBALANCED_FORCE,
};
use tandem_coordinator::recorder::{RecorderError, RunReader};

use super::{Axis, LineWeight, PageItem, Plot, Section, Series};
use tandem::assemble::Test;
use tandem::figures::at_steps;
use tandem::figures::unbalanced::follow;

/// Six figures of a kind are what one looks at.
const MOST: usize = 6;

/// None where the method asks at its answer.
pub(super) fn splitting(
    run: &RunReader,
    test: &Test,
    time: &[f64],
) -> Result<Option<Section>, RecorderError> {
    if !run.has(&UNBALANCED_FORCE.of(1)) {
        return Ok(None);
    }
    let mut blocks = unbalanced(run, test, time)?;
    if run.has(ESTIMATE_CONFIDENCE.name) {
        blocks.extend(stiffness(run, test, time)?);
    }
    Ok(Some(Section {
        title: "Operator splitting".into(),
        intro: "The specimen is asked at a predictor; its force at the end of the step is \
            continued from there with a stiffness."
            .into(),
        blocks,
    }))
}

/// Forces out of balance at the interface.
fn unbalanced(run: &RunReader, test: &Test, time: &[f64]) -> Result<Vec<PageItem>, RecorderError> {
    let mut blocks = Vec::new();
    let whole = test.followed().unwrap_or_else(|error| {
        let text = format!("What remains could not be computed: {error}.");
        blocks.push(PageItem::Text(text));
        None
    });
    let followed = whole.map(|whole| follow(run, test, whole)).transpose()?;
    for (i, &dof) in test.outline.interface.iter().enumerate().take(MOST) {
        let [_, _, force] = test.interface_channels();
        let force = run.read(&force.of(i + 1))?;
        let peak = force.iter().fold(f64::MIN_POSITIVE, |m, f| m.max(f.abs()));
        let share = run.read(&UNBALANCED_FORCE.of(i + 1))?;
        let share = share.into_iter().map(|f| 100.0 * f.abs() / peak).collect();
        let mut series = vec![Series::line("assumed", time.to_vec(), share)];
        if let Some(followed) = &followed {
            let share = |force: &[f64]| force.iter().map(|f| 100.0 * f.abs() / peak).collect();
            let left = share(&followed.remaining[i]);
            let line = Series::line("remaining", at_steps(time, test), left);
            series.push(line.emphasis(LineWeight::Accent));
            if let Some(sum) = &followed.sum[i] {
                let line = Series::line(
                    "sum of both substructures",
                    at_steps(time, test),
                    share(sum),
                );
                series.push(line.emphasis(LineWeight::Thin));
            }
        }
        blocks.push(PageItem::Plot(Plot {
            title: format!(
                "Unbalanced force at {}",
                test.outline.whole.properties().label(dof)
            ),
            caption: "Assumed: what the forces that were asked of both substructures lack to \
                balance load, inertia and damping; the method makes it up with a stiffness. \
                      Remaining: what their models lack at the displacement that was computed \
                      (virtual tests only). \
                      Sum: the forces of both models, where no load acts: what inertia and damping \
                      balance. Over the largest measured force."
                .into(),
            x: Axis::linear("Time", "s"),
            y: Axis::linear("Unbalanced", "%"),
            series,
            ..Plot::default()
        }));
    }
    Ok(blocks)
}

/// Estimated and true stiffness, and the confidence.
fn stiffness(run: &RunReader, test: &Test, time: &[f64]) -> Result<Vec<PageItem>, RecorderError> {
    let kilo = |name: &str| -> Result<Vec<f64>, RecorderError> {
        Ok(run.read(name)?.into_iter().map(|x| 1e-3 * x).collect())
    };
    let mut blocks = Vec::new();
    for (i, &dof) in test.outline.interface.iter().enumerate().take(MOST) {
        let mut series = Vec::new();
        let name = TRUE_STIFFNESS.of(i + 1);
        if run.has(&name) {
            let line = Series::line("true", time.to_vec(), kilo(&name)?);
            series.push(line.emphasis(LineWeight::Reference));
        }
        let name = ESTIMATED_STIFFNESS.of(i + 1);
        let line = Series::line("estimated", time.to_vec(), kilo(&name)?);
        series.push(line.emphasis(LineWeight::Accent));
        blocks.push(PageItem::Plot(Plot {
            title: format!(
                "Tangent stiffness at {}",
                test.outline.whole.properties().label(dof)
            ),
            caption: "The element of the matrix on its diagonal. After a turn the initial \
                stiffness stands in until enough increments are there."
                .into(),
            x: Axis::linear("Time", "s"),
            y: Axis::linear("Stiffness", "kN/m"),
            series,
            ..Plot::default()
        }));
    }
    blocks.push(PageItem::Plot(Plot {
        title: "Confidence".into(),
        caption: "Share of the next increment of force that the estimate foretold, on the average \
            of the last five: 1 is all of it."
            .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Confidence", ""),
        series: vec![Series::line(
            "confidence",
            time.to_vec(),
            run.read(ESTIMATE_CONFIDENCE.name)?,
        )],
        ..Plot::default()
    }));
    Ok(blocks)
}
