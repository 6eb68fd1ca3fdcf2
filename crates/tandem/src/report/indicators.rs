//! What the monitors and the compensator say over time.

use serde_json::Value;
use tandem_coordinator::recorder::{RecorderError, Role, RunReader};

use super::sections::scaled;
use super::{Axis, Block, Plot, Section, Series};

/// How a figure of a monitor is drawn; others as they are recorded.
struct Look {
    channel: &'static str,
    title: &'static str,
    caption: &'static str,
    name: &'static str,
    bound: &'static str,
    /// |x| on a logarithmic axis, for a figure with poles.
    magnitude: bool,
}

/// Figures that are shown in per cent with their bound at 100 %.
const LOOKS: [Look; 2] = [
    Look {
        channel: "stability_warning",
        title: "stability warning",
        caption: "SW: feedback work over dissipated energy; from 100 % on the specimen feeds in more than the structure dissipates, as it does in unstable loops.",
        name: "SW",
        bound: "100 %: more fed in than dissipated",
        magnitude: false,
    },
    Look {
        channel: "energy_error",
        title: "energy error",
        caption: "|EEI|: what the energy balance lacks, over the input work. It tells accuracy, not stability.",
        name: "|EEI|",
        bound: "100 %",
        magnitude: true,
    },
];

/// One plot for every figure of every monitor, one for all energies, and what the figures mean in words.
pub(super) fn monitors(
    run: &RunReader,
    time: &[f64],
    figures: &Value,
) -> Result<Option<Section>, RecorderError> {
    let mut blocks = Vec::new();
    let mut energies = Vec::new();
    for channel in run.channels().filter(|c| c.role == Role::Monitor) {
        if channel.unit == "J" {
            let name = channel.name.replace('_', " ");
            energies.push(Series::line(name, time.to_vec(), run.read(&channel.name)?));
            continue;
        }
        let plot = match LOOKS.iter().find(|look| look.channel == channel.name) {
            Some(look) => {
                let mut y = scaled(run, &channel.name, 100.0)?;
                let axis = if look.magnitude {
                    // Below this nobody would call it an error, and a logarithmic axis needs an end.
                    y.iter_mut().for_each(|v| *v = v.abs().max(1e-2));
                    Axis::log(look.name, "%")
                } else {
                    Axis::linear(look.name, "%")
                };
                Plot {
                    title: look.title.into(),
                    caption: look.caption.into(),
                    x: Axis::linear("Time", "s"),
                    y: axis,
                    series: vec![Series::line(look.title, time.to_vec(), y)],
                    horizontals: vec![(100.0, look.bound.into())],
                    ..Plot::default()
                }
            }
            None => Plot {
                title: channel.name.replace('_', " "),
                caption: channel.description.clone(),
                x: Axis::linear("Time", "s"),
                y: Axis::linear("Value", channel.unit.as_str()),
                series: vec![Series::line(
                    channel.name.replace('_', " "),
                    time.to_vec(),
                    run.read(&channel.name)?,
                )],
                ..Plot::default()
            },
        };
        blocks.push(Block::Plot(plot));
    }
    if !energies.is_empty() {
        blocks.push(Block::Plot(Plot {
            title: "energies of the numerical substructure".into(),
            caption: "Input and feedback are the works of the ground and of the specimen's force; what kinetic, dissipated and strain energy do not account for is the residual. Click a name to hide its line.".into(),
            x: Axis::linear("Time", "s"),
            y: Axis::linear("Energy", "J"),
            series: energies,
            ..Plot::default()
        }));
    }
    let words = figures["words"].as_object().into_iter().flatten();
    let intro: Vec<String> = words
        .map(|(name, text)| {
            format!(
                "At the end, {}: {}.",
                name.replace('_', " "),
                text.as_str().unwrap_or("")
            )
        })
        .collect();
    Ok((!blocks.is_empty()).then(|| Section {
        title: "Monitors".into(),
        intro: intro.join("\n\n"),
        blocks,
    }))
}

/// The coefficients of an adaptive compensator over time, one plot each.
pub(super) fn coefficients(
    run: &RunReader,
    time: &[f64],
) -> Result<Option<Section>, RecorderError> {
    let mut blocks = Vec::new();
    for channel in run
        .channels()
        .filter(|c| c.name.starts_with("coefficient/"))
    {
        let y = run.read(&channel.name)?;
        blocks.push(Plot {
            title: channel.description.trim_end_matches('.').to_owned(),
            x: Axis::linear("Time", "s"),
            y: Axis::linear("Value", "SI"),
            series: vec![Series::line(channel.name.clone(), time.to_vec(), y)],
            ..Plot::default()
        });
    }
    Ok((!blocks.is_empty()).then(|| Section {
        title: "Compensator".into(),
        intro: "How the coefficients adapt in the test.".into(),
        blocks: vec![Block::Plots(blocks)],
    }))
}
