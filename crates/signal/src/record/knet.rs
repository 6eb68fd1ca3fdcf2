//! K-NET and KiK-net (Japan): 17 lines `Key   value`, then counts of the digitiser, eight to a
//! line.
//!
//! `Scale Factor      2000(gal)/8388608` turns a count into gal; the mean of the counts is the zero
//! level.

use super::as_f64;
use super::draft::RecordBuilder;
use super::error::RecordError;
use super::text::{Text, number_after, parse};
use super::{AccelerationUnit, ReadHint, Record};

pub(super) fn recognise(text: &Text<'_>) -> bool {
    text.lines()
        .take(20)
        .any(|(_, line)| starts(line, "scale factor"))
}

fn starts(line: &str, key: &str) -> bool {
    line.get(..key.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(key))
}

pub(super) fn read(text: &Text<'_>, hint: &ReadHint) -> Result<Record, RecordError> {
    let find = |key: &str| text.lines().take(20).find(|(_, line)| starts(line, key));
    let missing = |expected: &'static str| {
        let (line, found) = text.lines().take(17).last().unwrap_or((1, ""));
        text.header(
            line,
            expected,
            found,
            "restore the 17 header lines of the K-NET file",
        )
    };
    let (rate_line, rate_text) =
        find("Sampling Freq").ok_or_else(|| missing("Sampling Freq(Hz) 100Hz"))?;
    let rate = number_after(rate_text, "freq(hz)")
        .filter(|&rate| rate > 0.0)
        .ok_or_else(|| {
            text.header(
                rate_line,
                "Sampling Freq(Hz) 100Hz",
                rate_text,
                "correct the sampling frequency",
            )
        })?;
    let (scale_line, scale_text) =
        find("Scale Factor").ok_or_else(|| missing("Scale Factor 2000(gal)/8388608"))?;
    let scale = scale_of(scale_text).ok_or_else(|| {
        text.header(
            scale_line,
            "Scale Factor 2000(gal)/8388608",
            scale_text,
            "correct the scale factor",
        )
    })?;
    let (header_end, _) = find("Memo").ok_or_else(|| missing("Memo. as the last header line"))?;

    let mut counts = Vec::new();
    for (at, row) in text.lines_after(header_end) {
        text.numbers(at, row, &mut counts)?;
    }
    let mut draft = RecordBuilder::new(text.file, hint);
    draft.one_channel()?;
    draft.source = "K-NET strong-motion file".to_owned();
    draft.state_step(1.0 / rate, rate_line)?;
    draft.state_unit(AccelerationUnit::Gal, scale_line)?;
    for key in ["Station Code", "Dir."] {
        if let Some((_, line)) = find(key) {
            draft.describe(line);
        }
    }
    if let Some((line, row)) = find("Duration Time")
        && let Some(seconds) = number_after(row, "Time(s)")
    {
        // The duration is written in whole seconds.
        let found = counts.len();
        let missing = seconds * rate - as_f64(found);
        if missing.abs() >= rate {
            let expected = super::text::count((seconds * rate).round()).unwrap_or(usize::MAX);
            return Err(RecordError::Count {
                file: text.file.to_owned(),
                line,
                expected,
                found,
            });
        }
    }
    draft.note("mean of the digitiser counts removed");
    let mean = counts.iter().sum::<f64>() / as_f64(counts.len().max(1));
    for count in &mut counts {
        *count = (*count - mean) * scale;
    }
    draft.record(counts)
}

/// gal per count in `Scale Factor      2000(gal)/8388608`.
fn scale_of(line: &str) -> Option<f64> {
    let (range, counts) = line.get("Scale Factor".len()..)?.split_once('/')?;
    let (range, unit) = range.split_once('(')?;
    if AccelerationUnit::parse(unit)? != AccelerationUnit::Gal {
        return None;
    }
    let scale = parse(range.trim())? / parse(counts.trim())?;
    (scale.is_finite() && scale > 0.0).then_some(scale)
}
