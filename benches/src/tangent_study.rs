//! The study of `docs/tangent-stiffness.md`: Models 1 to 4 of Hung and El-Tawil 2009, the window
//! (Fig. 10), control errors (Fig. 12) and the unbalanced moment at the interface (Fig. 13), from
//! the plans of `examples/tangent-stiffness`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde_json::{Value, json};
use tandem::assemble::{Test, assemble};
use tandem::figures::energy_error::energy_error;
use tandem::figures::unbalanced;
use tandem::figures::{at_steps, find_steps};
use tandem::plan::{self, Plan, Source};
use tandem::run::{Controls, Output};
use tandem::sections::ROOT;
use tandem_coordinator::ReferenceRun;
use tandem_coordinator::recorder::{RecorderError, RunReader};
use tandem_report::{
    Axis, LineWeight, Page, PageItem, Plot, Section, Series, Style, Verdict, render,
};
use tandem_studies::parallel;

/// Windows of the paper's Fig. 10.
const WINDOWS: [(&str, [usize; 5]); 3] = [
    ("model-2-osm-us-damped", [3, 6, 12, 40, 80]),
    ("model-2-osm-us-undamped", [3, 6, 12, 40, 80]),
    ("model-3-osm-us-damped", [8, 16, 24, 40, 80]),
];

/// Rules of forgetting, and numerical damping of high modes instead.
const RULES: [(&str, &str); 6] = [
    ("reset = top", "integration.reset=top"),
    ("reset = work", "integration.reset=work"),
    ("reset = each", "integration.reset=each"),
    ("reset = drifts", "integration.reset=drifts"),
    ("reset = modes", "integration.reset=modes"),
    ("α = −0.1", "integration.alpha=-0.1"),
];

/// Root of the variance of the paper's control error, 3e-7 in².
const ERROR: &str = "13.91 um";

/// A run of the study: what it is for, its plan, and what is set in it.
struct Wanted {
    part: &'static str,
    plan: String,
    label: String,
    set: Vec<String>,
}

impl Wanted {
    fn new(part: &'static str, plan: &str, label: impl Into<String>, set: &[&str]) -> Self {
        Self {
            part,
            plan: plan.to_owned(),
            label: label.into(),
            set: set.iter().map(|word| (*word).to_owned()).collect(),
        }
    }
}

/// What was found of one: figures, and curves over time.
struct Found {
    figures: Value,
    time: Vec<f64>,
    energy_error: Vec<f64>,
    top: Vec<f64>,
    /// Sum of the moments of both columns at the interface over the largest of them.
    moment: Vec<f64>,
}

/// `tangent-study EXAMPLES FOLDER [PART …]`: one JSON line with all tables; the page with the
/// figures goes to the folder.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let [examples, folder, parts @ ..] = arguments else {
        return Err("say where the plans are and where the page goes".into());
    };
    let (examples, folder) = (PathBuf::from(examples), PathBuf::from(folder));
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let wanted: Vec<Wanted> = list()
        .into_iter()
        .filter(|run| parts.is_empty() || parts.iter().any(|part| part == run.part))
        .collect();
    if wanted.is_empty() {
        return Err("the parts are: models, window, rules, errors, moment".into());
    }
    let stop = AtomicBool::new(false);
    let cores = parallel::cores(None);

    // One reference for each model and damping.
    let mut names: Vec<String> = wanted.iter().map(|run| reference_name(&run.plan)).collect();
    names.sort();
    names.dedup();
    let numbers: Vec<usize> = (0..names.len()).collect();
    let work = |i: usize| reference(&examples, &names[i]);
    let references = parallel::each(&numbers, cores, work, |_, _| {}, &stop);
    let mut known = BTreeMap::new();
    for (i, found) in references {
        known.insert(names[i].clone(), found?);
    }

    let numbers: Vec<usize> = (0..wanted.len()).collect();
    let work = |i: usize| {
        let (reference, _) = &known[&reference_name(&wanted[i].plan)];
        one(
            &examples,
            &folder.join(format!("run-{i}")),
            &wanted[i],
            reference,
        )
    };
    let runs = parallel::each(&numbers, cores, work, |_, _| {}, &stop);
    let mut found = Vec::new();
    for (i, one) in runs {
        found.push((&wanted[i], one?));
    }

    let page = folder.join("tangent-stiffness.html");
    std::fs::write(&page, render(&draw(&found)))
        .map_err(|error| format!("{}: {error}", page.display()))?;
    let mut rows: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for (wanted, found) in &found {
        rows.entry(wanted.part).or_default().push(&found.figures);
    }
    let seconds: BTreeMap<&String, f64> = known.iter().map(|(n, (_, s))| (n, *s)).collect();
    println!(
        "{}",
        json!({ "parts": rows, "reference_seconds": seconds, "page": page })
    );
    Ok(())
}

/// All runs.
fn list() -> Vec<Wanted> {
    let mut list = Vec::new();
    for model in 1..=4 {
        for damping in ["damped", "undamped"] {
            for method in ["osm", "osm-us"] {
                let plan = format!("model-{model}-{method}-{damping}");
                list.push(Wanted::new("models", &plan, method, &[]));
            }
        }
    }
    for (plan, windows) in WINDOWS {
        let osm = plan.replace("osm-us", "osm");
        list.push(Wanted::new("window", &osm, "osm", &[]));
        for m in windows {
            let set = format!("integration.window={m}");
            list.push(Wanted::new("window", plan, format!("m = {m}"), &[&set]));
        }
    }
    for model in 2..=4 {
        for damping in ["damped", "undamped"] {
            let osm = format!("model-{model}-osm-{damping}");
            list.push(Wanted::new("rules", &osm, "osm", &[]));
            let us = format!("model-{model}-osm-us-{damping}");
            for (label, set) in RULES {
                list.push(Wanted::new("rules", &us, label, &[set]));
            }
        }
    }
    let error = format!("rig.plant.error={ERROR}");
    let erring = ["rig.plant.kind=control-error", error.as_str()];
    let (osm, us) = ("model-2-osm-damped", "model-2-osm-us-damped");
    list.push(Wanted::new("errors", osm, "osm, no errors", &[]));
    list.push(Wanted::new("errors", osm, "osm", &erring));
    list.push(Wanted::new("errors", us, "osm-us, no errors", &[]));
    for (label, threshold) in [
        ("osm-us, no threshold", "0 m"),
        ("osm-us, threshold 38.1 µm", "38.1 um"),
        ("osm-us, threshold 127 µm", "127 um"),
    ] {
        let threshold = format!("integration.threshold={threshold}");
        let set = [erring[0], erring[1], &threshold];
        list.push(Wanted::new("errors", us, label, &set));
    }
    for damping in ["damped", "undamped"] {
        for method in ["osm", "osm-us"] {
            let plan = format!("model-4-{method}-{damping}");
            list.push(Wanted::new("moment", &plan, method, &[]));
        }
    }
    list
}

/// The plan whose reference serves: the same for both methods.
fn reference_name(plan: &str) -> String {
    plan.replace("osm-us", "osm")
}

fn read(examples: &Path, plan: &str, set: &[String]) -> Result<Plan, String> {
    let path = examples.join(format!("{plan}.toml"));
    plan::read(ROOT, Source::File(&path), set).map_err(|error| error.to_string())
}

fn build(plan: &Plan) -> Result<Test, String> {
    assemble(&plan.values, plan.registry()).map_err(|errors| plan.refuse(errors).to_string())
}

/// The undivided structure, and the seconds that it took.
fn reference(examples: &Path, plan: &str) -> Result<(ReferenceRun, f64), String> {
    let test = build(&read(examples, plan, &[])?)?;
    let start = Instant::now();
    let run = test.reference().map_err(|error| error.to_string())?;
    Ok((run, start.elapsed().as_secs_f64()))
}

fn one(
    examples: &Path,
    folder: &Path,
    wanted: &Wanted,
    reference: &ReferenceRun,
) -> Result<Found, String> {
    let mut set = wanted.set.clone();
    set.push("record.reference=false".into());
    let plan = read(examples, &wanted.plan, &set)?;
    // A folder of an earlier study is in the way.
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let start = Instant::now();
    let output = Output::Folder {
        plan: &plan,
        at: Some(folder),
    };
    let done = build(&plan)?
        .run(output, &mut Controls::default())
        .map_err(|error| format!("{}: {error}", wanted.plan))?;
    let seconds = start.elapsed().as_secs_f64();
    let mut test = build(&plan)?;
    let recorded = |error| format!("{}: {error}", wanted.plan);
    let record = RunReader::open(&folder.join("run.h5")).map_err(recorded)?;
    find_steps(&mut test, &record).map_err(recorded)?;
    let dof = test.outline.energy_error_dof;
    let history = reference.history(dof);
    let curve = energy_error(&record, &test, &history).map_err(recorded)?;
    let channel = |name: &str| -> Result<Vec<f64>, String> {
        Ok(at_steps(&record.read(name).map_err(recorded)?, &test))
    };
    let top = channel(&format!("response_displacement/{}", dof + 1))?;
    let difference: Vec<f64> = top.iter().zip(&history).map(|(a, b)| a - b).collect();
    let rms = (difference.iter().map(|x| x * x).sum::<f64>() / difference.len() as f64).sqrt();
    let peak = history.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let moment = match wanted.part {
        "moment" => moment(&record, &test).map_err(recorded)?,
        _ => Vec::new(),
    };
    let figures = json!({
        "plan": wanted.plan,
        "label": wanted.label,
        "set": wanted.set,
        "outcome": done.summary.outcome,
        "seconds": seconds,
        "simulated_s": done.summary.simulated_s,
        "Ec_kJ": curve.last().copied().unwrap_or(0.0) * 1e-3,
        "rms_mm": 1e3 * rms,
        "reference_peak_mm": 1e3 * peak,
        "nrmse_percent": 100.0 * rms / peak,
        "unbalanced": done.summary.indicators.unbalanced_force,
    });
    Ok(Found {
        figures,
        time: channel("time")?,
        energy_error: curve.iter().map(|x| 1e-3 * x).collect(),
        top: top.iter().map(|x| 1e3 * x).collect(),
        moment,
    })
}

/// |M_t + M_b| over the largest moment, of the last interface degree of freedom, step by step.
fn moment(record: &RunReader, test: &Test) -> Result<Vec<f64>, RecorderError> {
    let Ok(Some(whole)) = test.followed() else {
        return Ok(Vec::new());
    };
    let Some(sum) = unbalanced::follow(record, test, whole)?.sum.pop().flatten() else {
        return Ok(Vec::new());
    };
    let measured = record.read(&format!("measured_force/{}", test.outline.interface.len()))?;
    let largest = measured.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    Ok(sum.iter().map(|x| x.abs() / largest).collect())
}

/// The figures of the study on one page.
fn draw(found: &[(&Wanted, Found)]) -> Page {
    let of = |part: &str, plan: &str| -> Vec<&(&Wanted, Found)> {
        let plan = reference_name(plan);
        found
            .iter()
            .filter(|(wanted, _)| wanted.part == part && reference_name(&wanted.plan) == plan)
            .collect()
    };
    let mut sections = Vec::new();
    let mut section = |title: &str, intro: &str, blocks: Vec<PageItem>| {
        if !blocks.is_empty() {
            sections.push(Section {
                title: title.into(),
                intro: intro.into(),
                blocks,
            });
        }
    };
    let mut blocks = Vec::new();
    for model in 1..=4 {
        for damping in ["damped", "undamped"] {
            let runs = of("models", &format!("model-{model}-osm-{damping}"));
            if !runs.is_empty() {
                blocks.push(energy(format!("Model {model}, {damping}"), &runs));
            }
        }
    }
    section(
        "Models",
        "Cumulative energy error at the top (Eq. 12).",
        blocks,
    );
    let mut blocks = Vec::new();
    for (plan, _) in WINDOWS {
        let runs = of("window", plan);
        if !runs.is_empty() {
            let title = plan.replace("-osm-us-", ", ").replace("model-", "Model ");
            blocks.push(energy(title, &runs));
        }
    }
    section(
        "The window m",
        "Cumulative energy error at the top (the paper's Fig. 10).",
        blocks,
    );
    let mut blocks = Vec::new();
    for model in 2..=4 {
        for damping in ["damped", "undamped"] {
            let runs = of("rules", &format!("model-{model}-osm-{damping}"));
            if !runs.is_empty() {
                blocks.push(energy(format!("Model {model}, {damping}"), &runs));
            }
        }
    }
    section(
        "Rules of forgetting",
        "Cumulative energy error at the top.",
        blocks,
    );
    let runs = of("errors", "model-2-osm-damped");
    let mut blocks = Vec::new();
    if !runs.is_empty() {
        let lines = runs
            .iter()
            .filter(|(wanted, _)| wanted.label.starts_with("osm-us"))
            .map(|(wanted, found)| {
                let line = Series::line(&wanted.label, found.time.clone(), found.top.clone());
                if wanted.label.contains("no errors") {
                    line.emphasis(LineWeight::Reference)
                } else {
                    line
                }
            });
        let y = Axis::linear("Displacement of the top", "mm");
        blocks.push(plot("Model 2, damped".into(), y, lines.collect()));
        blocks.push(energy("Model 2, damped: energy error".into(), &runs));
    }
    section(
        "Control errors",
        "An independent random error of the imposed displacement in every step, of variance 3·10⁻⁷ \
         in² (the paper's Fig. 12).",
        blocks,
    );
    let blocks = moments(|damping| of("moment", &format!("model-4-osm-{damping}")));
    section(
        "Unbalanced moment at the interface",
        "|M_t + M_b| of both columns over the largest moment, with its trend (the paper's Fig. \
         13). Inertia and damping balance it: what is seen is mostly the moment of damping, which \
         `osm` puts on the initial stiffness.",
        blocks,
    );
    Page {
        title: "Tangent stiffness estimated on the run".into(),
        subtitle: "Models of Hung and El-Tawil 2009".into(),
        verdict: Verdict::Note("Made by cargo xtask study tangent-stiffness".into()),
        facts: Vec::new(),
        figures: Vec::new(),
        loop_diagram: Vec::new(),
        sections,
    }
}

/// A plot over time.
fn plot(title: String, y: Axis, series: Vec<Series>) -> PageItem {
    PageItem::Plot(Plot {
        title,
        x: Axis::linear("Time", "s"),
        y,
        series,
        ..Plot::default()
    })
}

/// The energy error of some runs over time.
fn energy(title: String, runs: &[&(&Wanted, Found)]) -> PageItem {
    let series = runs.iter().map(|(wanted, found)| {
        let line = Series::line(
            &wanted.label,
            found.time.clone(),
            found.energy_error.clone(),
        );
        match wanted.label.as_str() {
            "osm" => line.emphasis(LineWeight::Reference),
            _ => line,
        }
    });
    plot(title, Axis::linear("E_c", "kJ"), series.collect())
}

/// The unbalanced moment of `runs` with and without damping, and its trend.
fn moments<'a>(runs: impl Fn(&str) -> Vec<&'a (&'a Wanted, Found)>) -> Vec<PageItem> {
    let mut blocks = Vec::new();
    for damping in ["damped", "undamped"] {
        let mut series = Vec::new();
        for (wanted, found) in runs(damping) {
            let share: Vec<f64> = found.moment.iter().map(|x| 100.0 * x).collect();
            let (start, slope) = regression(&found.time, &share);
            let ends: Vec<f64> = found
                .time
                .iter()
                .step_by(found.time.len().max(2) - 1)
                .copied()
                .collect();
            let trend = ends.iter().map(|t| start + slope * t).collect();
            series.push(Series::line(&wanted.label, found.time.clone(), share));
            series.push(
                Series::line(format!("{}, trend", wanted.label), ends, trend).style(Style::Dashed),
            );
        }
        if !series.is_empty() {
            blocks.push(plot(
                format!("Model 4, {damping}"),
                Axis::linear("Unbalanced moment", "% of the largest"),
                series,
            ));
        }
    }
    blocks
}

/// Straight line through points by least squares: its value at zero and its slope.
fn regression(x: &[f64], y: &[f64]) -> (f64, f64) {
    let count = x.len().max(1) as f64;
    let (mx, my) = (x.iter().sum::<f64>() / count, y.iter().sum::<f64>() / count);
    let pairs = || x.iter().zip(y).map(|(x, y)| (x - mx, y - my));
    let xx: f64 = pairs().map(|(x, _)| x * x).sum();
    let xy: f64 = pairs().map(|(x, y)| x * y).sum();
    let slope = if xx > 0.0 { xy / xx } else { 0.0 };
    (my - slope * mx, slope)
}
