//! What the monitors and the compensator say over time.

use tandem_coordinator::channels::COEFFICIENT;
use tandem_coordinator::recorder::{RecorderError, Role, RunReader};

use super::scaled::scaled;
use super::{Axis, EventRow, PageItem, Plot, Section, Series, Severity};
use tandem::assemble::Test;
use tandem::summary::Summary;

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
const LOOKS: [Look; 3] = [
    Look {
        channel: "stability_warning",
        title: "stability warning",
        caption: "SW: feedback work over dissipated energy; from 100 % on the specimen feeds in \
            more than the structure dissipates, as it does in unstable loops.",
        name: "SW",
        bound: "100 %: more fed in than dissipated",
        magnitude: false,
    },
    Look {
        channel: "stability_growth",
        title: "growth of the energies",
        caption: "Energy that specimen and transfer system made in the last seconds (`window`), \
            over what was dissipated meanwhile. It ripples, because the window is no whole number \
            of periods.",
        name: "Growth",
        bound: "100 %: more made than dissipated",
        magnitude: false,
    },
    Look {
        channel: "energy_error",
        title: "energy error",
        caption: "|EEI|: what the energy balance lacks, over the input work. It tells accuracy, \
            not stability.",
        name: "|EEI|",
        bound: "100 %",
        magnitude: true,
    },
];

/// Events that are marked on the time axis of the indicators; more would be a curtain.
const MOST_MARKS: usize = 8;

/// Verdicts and other grave events as vertical lines.
fn marks(events: &[EventRow]) -> Vec<(f64, String, Severity)> {
    let grave = events
        .iter()
        .filter(|e| matches!(e.tone, Severity::Caution | Severity::Bad));
    grave
        .take(MOST_MARKS)
        .map(|e| {
            let word = e.source.rsplit('.').next().unwrap_or("").replace('_', " ");
            (e.time_s, word, e.tone)
        })
        .collect()
}

/// One plot for every figure of every monitor, one for all energies, and what the figures mean in
/// words.
pub(super) fn monitors(
    run: &RunReader,
    time: &[f64],
    figures: &Summary,
    events: &[EventRow],
) -> Result<Option<Section>, RecorderError> {
    let mut blocks = Vec::new();
    let mut energies = Vec::new();
    let markers = marks(events);
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
                    // Below this nobody would call it an error, and a logarithmic axis needs an
                    // end.
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
                    markers: markers.clone(),
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
                markers: markers.clone(),
                ..Plot::default()
            },
        };
        blocks.push(PageItem::Plot(plot));
    }
    if !energies.is_empty() {
        blocks.push(PageItem::Plot(Plot {
            title: "energies of the numerical substructure".into(),
            caption: "Input and feedback are the works of the ground and of the specimen's force; \
                hold is the work of the half step by which a held force acts late. What kinetic, \
                dissipated and strain energy do not account for is the residual. Click a name to \
                hide its line."
                .into(),
            x: Axis::linear("Time", "s"),
            y: Axis::linear("Energy", "J"),
            series: energies,
            markers,
            ..Plot::default()
        }));
    }
    let words = figures.words.iter();
    let intro: Vec<String> = words
        .map(|(name, text)| format!("At the end, {}: {text}.", name.replace('_', " ")))
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
    test: &Test,
) -> Result<Option<Section>, RecorderError> {
    let mut blocks = Vec::new();
    for channel in run.channels().filter(|c| COEFFICIENT.is(&c.name)) {
        let y = run.read(&channel.name)?;
        let horizontals = bounds(test, &channel.name)
            .into_iter()
            .zip(["lower bound", "upper bound"])
            .filter(|(bound, _)| bound.is_finite())
            .map(|(bound, label)| (bound, label.to_owned()))
            .collect();
        blocks.push(Plot {
            horizontals,
            title: channel.description.trim_end_matches('.').to_owned(),
            x: Axis::linear("Time", "s"),
            y: Axis::linear("Value", "SI"),
            series: vec![Series::line(channel.name.clone(), time.to_vec(), y)],
            ..Plot::default()
        });
    }
    Ok((!blocks.is_empty()).then(|| Section {
        title: "Compensator".into(),
        intro: "How the coefficients adapt in the test, with the bounds that they stay within."
            .into(),
        blocks: vec![PageItem::Plots(blocks)],
    }))
}

/// The bounds of the coefficient in `coefficient/ACTUATOR/K`.
fn bounds(test: &Test, channel: &str) -> Vec<f64> {
    let mut numbers = channel
        .split('/')
        .skip(1)
        .filter_map(|n| n.parse::<usize>().ok());
    let (Some(actuator), Some(k), Ok(hybrid)) = (numbers.next(), numbers.next(), test.hybrid())
    else {
        return Vec::new();
    };
    let all = hybrid
        .parts()
        .compensator
        .bounds(actuator.saturating_sub(1));
    all.get(k)
        .map_or(Vec::new(), |(low, high)| vec![*low, *high])
}
