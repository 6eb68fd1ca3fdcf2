//! The transfer system as the test itself shows it: measured over command, and over target, in the
//! frequency domain.

use tandem_coordinator::channels::{COMMAND, MEASURED_DISPLACEMENT, TARGET};
use tandem_coordinator::recorder::{RecorderError, RunReader};
use tandem_signal::spectrum::Welch;

use super::{Axis, LineWeight, PageItem, Plot, Section, Series};
use tandem::assemble::Test;
use tandem_quantity::index;

/// Below this coherence an estimate is noise and is left out.
const LEAST_COHERENCE: f64 = 0.8;
const HIGHEST_HZ: f64 = 60.0;

/// Gain, delay and coherence of every actuator; none where the record is too short.
///
/// H₁ estimates (Bendat and Piersol 2010) with half-overlapping Hann segments of about 4 s.
/// Frequencies that the test did not excite say nothing and are left out.
pub(super) fn transfer_function(
    run: &RunReader,
    test: &Test,
) -> Result<Option<Section>, RecorderError> {
    let rate = 1.0 / test.outline.timing.period;
    let rows = usize::try_from(run.rows()).unwrap_or(0);
    let wanted = index((4.0 * rate).clamp(64.0, 65_536.0));
    let segment = wanted.min(rows / 4).next_power_of_two() / 2;
    if segment < 64 {
        return Ok(None);
    }
    let welch = Welch::new(segment);
    let mut blocks = Vec::new();
    for actuator in 1..=test.physical.actuators {
        let measured = run.read(&MEASURED_DISPLACEMENT.of(actuator))?;
        let (mut gains, mut delays, mut coherences) = (Vec::new(), Vec::new(), Vec::new());
        for (input, label, emphasis) in [
            (
                COMMAND,
                "transfer system: measured over command",
                LineWeight::Thin,
            ),
            (
                TARGET,
                "compensated: measured over target",
                LineWeight::Accent,
            ),
        ] {
            let input = run.read(&input.of(actuator))?;
            let (Ok((frequency, response)), Ok((_, coherence))) = (
                welch.transfer_function(&input, &measured, rate),
                welch.coherence(&input, &measured, rate),
            ) else {
                continue;
            };
            let (mut x, mut gain, mut delay, mut known) = (vec![], vec![], vec![], vec![]);
            for ((f, h), c) in frequency.iter().zip(&response).zip(&coherence) {
                if *f <= 0.0 || *f > HIGHEST_HZ {
                    continue;
                }
                let good = *c >= LEAST_COHERENCE;
                x.push(*f);
                known.push(*c);
                gain.push(if good {
                    20.0 * h.norm().log10()
                } else {
                    f64::NAN
                });
                let late = -h.arg() / (std::f64::consts::TAU * f) * 1e3;
                delay.push(if good { late } else { f64::NAN });
            }
            if gain.iter().all(|g| g.is_nan()) {
                continue;
            }
            let line = |y: Vec<f64>| Series::line(label, x.clone(), y).emphasis(emphasis);
            gains.push(line(gain));
            delays.push(line(delay));
            coherences.push(line(known));
        }
        if gains.is_empty() {
            continue;
        }
        let plot = |title: &str, label: &str, unit: &str, series| Plot {
            title: title.to_owned(),
            x: Axis::linear("Frequency", "Hz"),
            y: Axis::linear(label, unit),
            series,
            ..Plot::default()
        };
        let which = if test.physical.actuators > 1 {
            format!(" of actuator {actuator}")
        } else {
            String::new()
        };
        let mut gain = plot(&format!("Gain{which}"), "Gain", "dB", gains);
        gain.horizontals = vec![(0.0, String::new())];
        let mut delay = plot(&format!("Delay{which}"), "Delay", "ms", delays);
        delay.caption =
            "Positive: measured comes later. The compensated line should lie at zero.".into();
        let coherence = plot(&format!("Coherence{which}"), "Coherence", "", coherences);
        blocks.push(PageItem::Plots(vec![gain, delay, coherence]));
    }
    Ok((!blocks.is_empty()).then(|| Section {
        title: "Transfer system".into(),
        intro: format!(
            "Frequency response in wall time, estimated from the test itself (H1, Hann segments of \
            {segment} samples); gaps where the coherence is below {LEAST_COHERENCE}."
        ),
        blocks,
    }))
}
