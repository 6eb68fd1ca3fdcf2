//! Fourier amplitude of the response.

use tandem_coordinator::channels::{RESPONSE_DISPLACEMENT, TIME};
use tandem_coordinator::recorder::{RecorderError, RunReader};
use tandem_signal::spectrum;

use super::scaled::{MM, scaled};
use super::{Axis, LineWeight, Plot, Series, Severity};
use tandem::assemble::Test;
use tandem::figures::driver_steps;
use tandem_quantity::index;

/// Which frequencies the response of a degree of freedom is made of, beside those of the structure.
pub(super) fn fourier(
    run: &RunReader,
    reference: Option<&RunReader>,
    test: &Test,
    dof: usize,
) -> Result<Option<Plot>, RecorderError> {
    let name = RESPONSE_DISPLACEMENT.of(dof + 1);
    let mut series = Vec::new();
    for (label, reader, emphasis) in [
        ("reference", reference, LineWeight::Reference),
        ("test", Some(run), LineWeight::Accent),
    ] {
        let Some(reader) = reader else { continue };
        let steps = driver_steps(reader)?;
        let mut values = scaled(reader, &name, MM)?;
        let time = match steps {
            Some((rows, times)) => {
                values = rows.iter().map(|row| values[*row]).collect();
                times
            }
            None => reader.read(TIME)?,
        };
        let step = match time.as_slice() {
            [first, second, ..] => second - first,
            _ => continue,
        };
        // A slow test has many ticks in a step of structural time; beyond 100 Hz nothing is of
        // interest.
        let stride = index((0.005 / step).clamp(1.0, 1e6));
        let thin: Vec<f64> = values.into_iter().step_by(stride).collect();
        let found = spectrum::fourier_amplitude(&thin, step * stride as f64);
        if let Ok(found) = found {
            let (x, y) = found
                .frequency
                .iter()
                .zip(&found.amplitude)
                .filter(|(f, a)| **f > 0.0 && **f <= 60.0 && **a > 0.0)
                .unzip();
            series.push(Series::line(label, x, y).emphasis(emphasis));
        }
    }
    if series.is_empty() {
        return Ok(None);
    }
    let markers = tandem_structure::modes::modes(test.outline.whole.properties(), 3)
        .map(|modes| {
            let label = |(i, f): (usize, &f64)| (*f, format!("f{}", i + 1), Severity::Neutral);
            let below = |(_, f): &(usize, &f64)| **f < 60.0;
            let all = modes.frequencies_hz.iter().enumerate();
            all.filter(below).map(label).collect()
        })
        .unwrap_or_default();
    Ok(Some(Plot {
        title: format!(
            "Fourier amplitude, {}",
            test.outline.whole.properties().label(dof)
        ),
        caption:
            "Displacement of the numerical substructure; the frequencies of the structure are \
            marked."
                .into(),
        x: Axis::log("Frequency", "Hz"),
        y: Axis::log("Amplitude", "mm s"),
        series,
        markers,
        ..Plot::default()
    }))
}
