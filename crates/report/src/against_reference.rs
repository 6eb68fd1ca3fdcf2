//! The specimen's motion beside that of the undivided structure.

use tandem_coordinator::channels::{RESPONSE_DISPLACEMENT, TIME};
use tandem_coordinator::recorder::{RecorderError, RunReader};
use tandem_structure::Structure;

use super::scaled::{MM, scaled};
use super::sections::motion_axis;
use super::{Axis, LineWeight, PageItem, Plot, Section, Series};
use tandem::assemble::Test;
use tandem::figures::at_steps;
use tandem::summary::Summary;
use tandem_quantity::format_number;

/// Measured and reference displacement of every interface degree of freedom, and their difference.
pub(super) fn against_reference(
    run: &RunReader,
    reference: &RunReader,
    test: &Test,
    figures: &Summary,
) -> Result<Option<Section>, RecorderError> {
    let mut blocks = Vec::new();
    for (i, &dof) in test.outline.interface.iter().enumerate() {
        let expected = scaled(reference, &RESPONSE_DISPLACEMENT.of(dof + 1), MM)?;
        let [_, measured, _] = test.interface_channels();
        let measured = scaled(run, &measured.of(i + 1), MM)?;
        let measured = at_steps(&measured, test);
        let n = measured.len().min(expected.len());
        let time: Vec<f64> = reference.read(TIME)?.into_iter().take(n).collect();
        let error: Vec<f64> = measured.iter().zip(&expected).map(|(m, r)| m - r).collect();
        let share = figures.reference.as_ref();
        let share = share.and_then(|of| of.nrmse_percent.get(i).copied().flatten());
        let share = share.map_or(String::new(), |e| {
            format!(
                " RMS of the error: {} % of the reference.",
                format_number(e)
            )
        });
        blocks.push(PageItem::Plot(Plot {
            title: format!(
                "{}: measured and reference",
                test.outline.whole.properties().label(dof)
            ),
            caption: "The specimen in the test, and the same place in the undivided structure."
                .into(),
            x: Axis::linear("Time", "s"),
            y: motion_axis(test, dof),
            series: vec![
                Series::line("reference", time.clone(), expected).emphasis(LineWeight::Reference),
                Series::line("measured", time.clone(), measured).emphasis(LineWeight::Accent),
            ],
            ..Plot::default()
        }));
        blocks.push(PageItem::Plot(Plot {
            title: "Error".into(),
            caption: format!("Measured minus reference.{share}"),
            x: Axis::linear("Time", "s"),
            y: Axis {
                label: "Error".into(),
                ..motion_axis(test, dof)
            },
            series: vec![Series::line("error", time, error).emphasis(LineWeight::Accent)],
            ..Plot::default()
        }));
    }
    Ok((!blocks.is_empty()).then(|| Section {
        title: "Against the reference".into(),
        intro: "The whole error of the test at the interface: tracking, delay, time-stepping and \
            noise together."
            .into(),
        blocks,
    }))
}
