//! The specimen's stiffness as it was estimated on the run, against the true one where a model knows it.

use tandem_coordinator::recorder::{RecorderError, RunReader};

use super::{Axis, Block, Emphasis, Plot, Section, Series};
use crate::assemble::Test;

/// None where nothing was estimated.
pub(super) fn tangent(
    run: &RunReader,
    test: &Test,
    time: &[f64],
) -> Result<Option<Section>, RecorderError> {
    let has = |name: &str| run.channels().any(|channel| channel.name == name);
    if !has("estimate_confidence") {
        return Ok(None);
    }
    let kilo = |name: &str| -> Result<Vec<f64>, RecorderError> {
        Ok(run.read(name)?.into_iter().map(|x| 1e-3 * x).collect())
    };
    let mut blocks = Vec::new();
    // Six figures are what one looks at.
    for (i, &dof) in test.interface.iter().enumerate().take(6) {
        let mut series = Vec::new();
        let name = format!("true_stiffness/{}", i + 1);
        if has(&name) {
            let line = Series::line("true", time.to_vec(), kilo(&name)?);
            series.push(line.emphasis(Emphasis::Reference));
        }
        let name = format!("estimated_stiffness/{}", i + 1);
        let line = Series::line("estimated", time.to_vec(), kilo(&name)?);
        series.push(line.emphasis(Emphasis::Accent));
        blocks.push(Block::Plot(Plot {
            title: format!("Tangent stiffness at {}", test.whole.label(dof)),
            caption: "The element of the matrix on its diagonal. After a turn the initial stiffness stands in until enough increments are there.".into(),
            x: Axis::linear("Time", "s"),
            y: Axis::linear("Stiffness", "kN/m"),
            series,
            ..Plot::default()
        }));
    }
    blocks.push(Block::Plot(Plot {
        title: "Confidence".into(),
        caption: "Share of the next increment of force that the estimate foretold, on the average of the last five: 1 is all of it.".into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Confidence", ""),
        series: vec![Series::line(
            "confidence",
            time.to_vec(),
            run.read("estimate_confidence")?,
        )],
        ..Plot::default()
    }));
    Ok(Some(Section {
        title: "Estimated stiffness".into(),
        intro: String::new(),
        blocks,
    }))
}
