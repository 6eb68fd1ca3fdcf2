//! The sections of the report of a run, one function each.

use std::path::Path;

use sha2::{Digest, Sha256};
use tandem_coordinator::channels::{
    COMMAND, GROUND_ACCELERATION, MEASURED_DISPLACEMENT, MEASURED_FORCE, RESPONSE_DISPLACEMENT,
    TARGET, TIME,
};
use tandem_coordinator::recorder::{RecorderError, RunReader};
use tandem_signal::spectrum;

use super::fourier::fourier;
use super::scaled::{MM, scaled};
use super::{
    Axis, Cell, Column, LineWeight, PageItem, Picture, Plot, Section, Series, Severity,
    StructurePicture, Table,
};
use tandem::assemble::Test;
use tandem::figures::driver_steps;
use tandem::figures::energy_error::energy_error;
use tandem::run::files;
use tandem::summary::Summary;
use tandem_quantity::format_number;

const KN: f64 = 1e-3;

/// The ground motion as it was recorded in the run, whatever has become of its file since.
pub(super) fn ground_motion(
    test: &Test,
    run: &RunReader,
    time: &[f64],
) -> Result<Section, RecorderError> {
    let acceleration = run.read(GROUND_ACCELERATION.name)?;
    let peak = acceleration.iter().fold(0.0_f64, |m, a| m.max(a.abs()));
    // The plan's record has fewer points than the channel; it serves for the spectrum while it is
    // still the one that acted.
    let step = time.get(1).copied().unwrap_or(test.outline.dt);
    let record = if (test.outline.record.peak() - peak).abs() <= 1e-3 * peak {
        Some((*test.outline.record).clone())
    } else {
        tandem_signal::record::Record::new(
            test.outline.record.name.clone(),
            step,
            acceleration.clone(),
        )
        .ok()
    };
    let g = tandem_quantity::STANDARD_GRAVITY;
    let motion = Plot {
        title: "Ground acceleration".into(),
        caption: format!(
            "{}: peak {} g, as it acts in the test.",
            test.outline.record.name,
            format_number(peak / g)
        ),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Acceleration", "g"),
        series: vec![
            Series::line(
                "ground",
                time.to_vec(),
                acceleration.iter().map(|a| a / g).collect(),
            )
            .emphasis(LineWeight::Reference),
        ],
        ..Plot::default()
    };
    let periods: Vec<f64> = (0..120)
        .map(|k| 0.03 * (4.0_f64 / 0.03).powf(f64::from(k) / 119.0))
        .collect();
    let mut blocks = vec![PageItem::Plot(motion)];
    if let Some(response) =
        record.and_then(|record| spectrum::response_spectrum(&record, &periods, 0.05).ok())
    {
        let markers = tandem_structure::modes::modes(test.outline.whole.properties(), 3)
            .map(|modes| {
                let label =
                    |(i, f): (usize, &f64)| (1.0 / f, format!("T{}", i + 1), Severity::Neutral);
                modes
                    .frequencies_hz
                    .iter()
                    .enumerate()
                    .filter(|(_, f)| **f > 0.25 && **f < 33.0)
                    .map(label)
                    .collect()
            })
            .unwrap_or_default();
        blocks.push(PageItem::Plot(Plot {
            title: "Response spectrum, 5 % damping".into(),
            caption: "Pseudo-acceleration of a single-degree-of-freedom oscillator; the \
                structure's periods are marked."
                .into(),
            x: Axis::log("Period", "s"),
            y: Axis::linear("Pseudo-acceleration", "g"),
            series: vec![
                Series::line(
                    "5 \
                %",
                    periods,
                    response.psa.iter().map(|a| a / g).collect(),
                )
                .emphasis(LineWeight::Reference),
            ],
            markers,
            ..Plot::default()
        }));
    }
    Ok(Section {
        title: "Ground motion".into(),
        intro: String::new(),
        blocks,
    })
}

/// Every n-th sample, so that a loop of a long test does not fill the page: at most `LOOP_POINTS`.
fn thinned(values: &[f64]) -> Vec<f64> {
    values
        .iter()
        .step_by(values.len() / LOOP_POINTS + 1)
        .copied()
        .collect()
}

const LOOP_POINTS: usize = 40_000;

pub(super) fn interface(
    run: &RunReader,
    test: &Test,
    time: &[f64],
    actuator: usize,
) -> Result<Section, RecorderError> {
    let target = scaled(run, &TARGET.of(actuator), MM)?;
    let command = scaled(run, &COMMAND.of(actuator), MM)?;
    let measured = scaled(run, &MEASURED_DISPLACEMENT.of(actuator), MM)?;
    let force = scaled(run, &MEASURED_FORCE.of(actuator), KN)?;
    let error: Vec<f64> = measured.iter().zip(&target).map(|(m, t)| m - t).collect();
    // The inset shows a few cycles around the largest target.
    let at = target
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
        .map_or(0, |(i, _)| i);
    let centre = time.get(at).copied().unwrap_or(0.0);
    let half = 0.6;
    let line = |name: &str, y: &[f64], emphasis| {
        Series::line(name, time.to_vec(), y.to_vec()).emphasis(emphasis)
    };
    let displacement = Plot {
        title: "Target, command and measured displacement".into(),
        caption: "The command runs ahead of the target by what the compensator adds; target and \
            measured should coincide."
            .into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Displacement", "mm"),
        series: vec![
            line("target", &target, LineWeight::Reference),
            line("command", &command, LineWeight::Thin),
            line("measured", &measured, LineWeight::Accent),
        ],
        inset: Some(((centre - half).max(0.0), centre + half)),
        ..Plot::default()
    };
    let tracking = Plot {
        title: "Tracking error".into(),
        caption: "Measured minus target.".into(),
        x: Axis::linear("Time", "s"),
        y: Axis::linear("Error", "mm"),
        series: vec![line("error", &error, LineWeight::Accent)],
        ..Plot::default()
    };
    let loops = vec![
        Plot {
            title: "Hysteresis".into(),
            caption: "Measured force over measured displacement.".into(),
            x: Axis::linear("Displacement", "mm"),
            y: Axis::linear("Force", "kN"),
            series: vec![
                Series::line("specimen", thinned(&measured), thinned(&force))
                    .emphasis(LineWeight::Accent),
            ],
            ..Plot::default()
        },
        Plot {
            title: "Subspace synchronisation".into(),
            caption: "45° is perfect tracking; flatter is undershoot; an open loop is lag \
                (counter-clockwise) or lead."
                .into(),
            x: Axis::linear("Target", "mm"),
            y: Axis::linear("Measured", "mm"),
            series: vec![
                Series::line(
                    "measured over \
                target",
                    thinned(&target),
                    thinned(&measured),
                )
                .emphasis(LineWeight::Accent),
            ],
            equal_axes: true,
            ..Plot::default()
        },
    ];
    let title = match test.outline.interface.get(actuator - 1) {
        Some(dof) if !test.physical.linked => format!(
            "Actuator {actuator}: {}",
            test.outline.whole.properties().label(*dof)
        ),
        _ => format!("Actuator {actuator}"),
    };
    Ok(Section {
        title,
        intro: String::new(),
        blocks: vec![
            PageItem::Plot(displacement),
            PageItem::Plot(tracking),
            PageItem::Plots(loops),
        ],
    })
}

/// Millimetres, or milliradians where the degree of freedom turns.
pub(super) fn motion_axis(test: &Test, dof: usize) -> Axis {
    if test.outline.whole.properties().turns(dof) {
        Axis::linear("Rotation", "mrad")
    } else {
        Axis::linear("Displacement", "mm")
    }
}

pub(super) fn response(
    run: &RunReader,
    reference: Option<&RunReader>,
    test: &Test,
    time: &[f64],
) -> Result<Section, RecorderError> {
    let reference_time = reference.map(|r| r.read(TIME)).transpose()?;
    let steps = driver_steps(run)?;
    let axis = match &steps {
        Some(_) => "Time of the driver",
        None => "Time",
    };
    let dof = test.outline.whole.properties().dof();
    let mut blocks = Vec::new();
    // The roof first, then the floors below it, down to the ground; at most six.
    let mut shown: Vec<usize> = (0..dof).rev().collect();
    if dof > 6 {
        let last = shown
            .iter()
            .copied()
            .find(|i| !test.outline.whole.properties().turns(*i));
        shown.retain(|i| test.outline.interface.contains(i) || Some(*i) == last);
        shown.truncate(6);
    }
    for i in shown {
        let name = RESPONSE_DISPLACEMENT.of(i + 1);
        let mut series = Vec::new();
        if let (Some(reference), Some(time)) = (reference, &reference_time) {
            let y = scaled(reference, &name, MM)?;
            series.push(Series::line("reference", time.clone(), y).emphasis(LineWeight::Reference));
        }
        let y = scaled(run, &name, MM)?;
        let (x, y) = match &steps {
            Some((rows, times)) => (times.clone(), rows.iter().map(|row| y[*row]).collect()),
            None => (time.to_vec(), y),
        };
        series.push(Series::line("test", x, y).emphasis(LineWeight::Accent));
        blocks.push(PageItem::Plot(Plot {
            title: test.outline.whole.properties().label(i).to_owned(),
            x: Axis::linear(axis, "s"),
            y: motion_axis(test, i),
            series,
            ..Plot::default()
        }));
    }
    if let (Some(reference), false) = (reference, test.outline.interface.is_empty()) {
        let dof = test.outline.energy_error_dof;
        let history = reference.read(&RESPONSE_DISPLACEMENT.of(dof + 1))?;
        let curve = energy_error(run, test, &history)?;
        let at = (0..curve.len())
            .map(|n| n as f64 * test.outline.dt)
            .collect();
        blocks.push(PageItem::Plot(Plot {
            title: "Energy error E_c".into(),
            caption: format!(
                "Σ |r (d − d_ref)| at {}: what the difference from the reference is worth. It only \
                grows; compare runs with the same reference.",
                test.outline.whole.properties().label(dof)
            ),
            x: Axis::linear("Time", "s"),
            y: Axis::linear("E_c", "J"),
            series: vec![Series::line("E_c", at, curve)],
            ..Plot::default()
        }));
    }
    if let Some(&dof) = test.outline.interface.first() {
        blocks.extend(fourier(run, reference, test, dof)?.map(PageItem::Plot));
    }
    let intro = if steps.is_some() {
        "The steps that the driver has accepted, at the driver's own time of each: the clock of \
        the test goes on while a driver iterates."
    } else if reference.is_some() {
        "The numerical substructure of the test against the undivided structure, computed with the \
        same method and step unless [record] says otherwise."
    } else {
        "Displacements relative to the ground."
    };
    Ok(Section {
        title: "Response".into(),
        intro: intro.into(),
        blocks,
    })
}

pub(super) fn table_of_figures(figures: &Summary) -> Section {
    let mut rows = Vec::new();
    let mut each = |title: &str, name: &str, unit: &str, values: &[Option<f64>]| {
        for (i, value) in values.iter().enumerate() {
            rows.extend(value.filter(|x| x.is_finite()).map(|value| {
                let whose = format!("{title}, {}", i + 1);
                vec![whose.into(), name.into(), Cell::number(value), unit.into()]
            }));
        }
    };
    let (rms, peak) = ("error, RMS", "error, peak");
    if let Some(of) = &figures.tracking {
        let adds = "damping that the errors add to the first mode";
        each("Tracking", "delay", "ms", &of.delay_ms);
        each("Tracking", adds, "%", &of.equivalent_damping_percent);
        each("Tracking", rms, "%", &of.nrmse_percent);
        each("Tracking", peak, "%", &of.peak_percent);
    }
    if let Some(of) = &figures.reference {
        each("Against the reference", rms, "%", &of.nrmse_percent);
        each("Against the reference", peak, "%", &of.peak_percent);
        if let Some(error) = of.global_percent {
            rows.push(vec![
                Cell::from("Against the reference, all degrees of freedom"),
                Cell::from(rms),
                Cell::number(error),
                Cell::from("%"),
            ]);
        }
    }
    for (name, of) in &figures.response {
        let (factor, shown) = match of.unit.as_str() {
            "m" => (MM, "mm"),
            "N" => (KN, "kN"),
            "m/s" => (MM, "mm/s"),
            other => (1.0, other),
        };
        for (value, title) in [(of.peak, "peak"), (of.rms, "RMS")] {
            rows.push(vec![
                Cell::from(name.replace('_', " ")),
                Cell::from(title),
                Cell::number(value * factor),
                Cell::from(shown),
            ]);
        }
    }
    let table = Table {
        columns: vec![
            Column::text("What"),
            Column::text("Figure"),
            Column::number("Value", ""),
            Column::text("Unit"),
        ],
        rows,
        ..Table::default()
    };
    // What the summary says beyond the notes of the test itself, which stand at the top.
    let notes = figures.notes.iter().map(String::as_str);
    let intro: Vec<&str> = notes
        .filter(|note| note.starts_with("accelerations of"))
        .collect();
    Section {
        title: "Figures of merit".into(),
        intro: intro.join(" "),
        blocks: vec![PageItem::Table(table)],
    }
}

/// The undivided structure: its picture, where there is one, and its modes.
pub(super) fn model(test: &Test) -> Section {
    let mut rows = Vec::new();
    let mut blocks = Vec::new();
    if let Ok(modes) = tandem_structure::modes::modes(test.outline.whole.properties(), 10) {
        if let Some(picture) = StructurePicture::of(test, &modes) {
            blocks.push(PageItem::Picture(Picture {
                title: "The structure and its first modes".into(),
                caption: picture.caption().into(),
                svg: picture.svg(),
            }));
        }
        let ratios = modes.damping_ratios(&test.outline.whole.properties().damping);
        let total: f64 = modes.effective_mass.iter().sum();
        // What the eigenvalue solution leaves of a zero.
        let percent = |share: f64| {
            Cell::number(if share.abs() < 1e-11 {
                0.0
            } else {
                100.0 * share
            })
        };
        for (i, frequency) in modes.frequencies_hz.iter().enumerate() {
            rows.push(vec![
                Cell::from((i + 1).to_string()),
                Cell::number(*frequency),
                Cell::number(1.0 / frequency),
                percent(ratios.get(i).copied().unwrap_or(0.0)),
                percent(modes.effective_mass[i] / total),
            ]);
        }
    }
    let table = Table {
        columns: vec![
            Column::text("Mode"),
            Column::number("Frequency", "Hz"),
            Column::number("Period", "s"),
            Column::number("Damping", "%"),
            Column::number("Effective mass", "%"),
        ],
        rows,
        ..Table::default()
    };
    blocks.push(PageItem::Table(table));
    let part = if test.outline.interface.is_empty() {
        "."
    } else {
        ": the numerical part and the specimen together."
    };
    let intro = format!(
        "{} with {} degrees of freedom{part}",
        test.outline.whole.properties().kind,
        test.outline.whole.properties().dof()
    );
    Section {
        title: "Structure".into(),
        intro,
        blocks,
    }
}

pub(super) fn timing(figures: &Summary) -> Section {
    let mut rows = Vec::new();
    let timing = figures.timing.as_ref();
    let count = |n: u64| n as f64;
    for (label, value, unit) in [
        ("Structural time", Some(figures.simulated_s), "s"),
        ("Wall time of the loop", figures.wall_s, "s"),
        (
            "Period of the coordinator",
            timing.map(|t| t.period_us),
            "µs",
        ),
        (
            "Mean time per tick, recording included",
            timing.and_then(|t| t.mean_tick_us),
            "µs",
        ),
        ("Integration steps", figures.steps.map(count), ""),
        ("Ticks", timing.map(|t| count(t.ticks)), ""),
    ] {
        if let Some(value) = value {
            rows.push(vec![label.into(), Cell::number(value), unit.into()]);
        }
    }
    // The real-time executor tells how it kept its deadlines.
    if let Some(deadlines) = timing.and_then(|timing| timing.deadlines.as_ref()) {
        for (label, of) in [
            ("Wake-up after the deadline", deadlines.latency_us),
            ("Time to compute a tick", deadlines.compute_us),
        ] {
            for (word, value) in [
                ("median", of.p50),
                ("99 %", of.p99),
                ("99.99 %", of.p9999),
                ("largest", of.max),
            ] {
                let label = format!("{label}, {word}");
                rows.push(vec![label.into(), Cell::number(value), "µs".into()]);
            }
        }
        let tone = if deadlines.missed > 0 {
            Severity::Caution
        } else {
            Severity::Good
        };
        rows.push(vec![
            Cell::from("Missed deadlines"),
            Cell::number(count(deadlines.missed)).tone(tone),
            Cell::from(""),
        ]);
    }
    let table = Table {
        columns: vec![
            Column::text("What"),
            Column::number("Value", ""),
            Column::text("Unit"),
        ],
        rows,
        ..Table::default()
    };
    let by_clock = timing.is_some_and(|timing| timing.deadlines.is_some());
    let intro = if by_clock {
        "Real-time executor: absolute deadlines by the wall clock."
    } else {
        "Virtual executor: the clock is stepped, so no deadline can be missed."
    }
    .to_owned();
    Section {
        title: "Timing".into(),
        intro,
        blocks: vec![PageItem::Table(table)],
    }
}

pub(super) fn file_list(folder: &Path) -> Section {
    let mut list = Vec::new();
    for name in [
        files::PLAN,
        files::RUN,
        files::REFERENCE,
        files::EVENTS,
        files::DRILL,
    ] {
        if let Ok(mut file) = std::fs::File::open(folder.join(name)) {
            let mut hash = Sha256::new();
            let Ok(size) = std::io::copy(&mut file, &mut hash) else {
                continue;
            };
            let hex = hash
                .finalize()
                .iter()
                .fold(String::new(), |mut text, byte| {
                    put!(text, "{byte:02x}");
                    text
                });
            list.push((name.to_owned(), size, hex));
        }
    }
    Section {
        title: "Files".into(),
        intro: String::new(),
        blocks: vec![PageItem::Files(list)],
    }
}
