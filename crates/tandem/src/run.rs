//! `tandem run`: from a plan to a run folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tandem_coordinator::machine::State;
use tandem_coordinator::realtime::{ClockReport, Clocks, Threads, run_realtime, spread};
use tandem_coordinator::recorder::{
    Block, CHUNK_ROWS, Channel, Event, EventLog, Header, Level, RecorderError, Role, RunReader,
    RunWriter,
};
use tandem_coordinator::{HybridLoop, Outcome, ReferenceRun, Seams, Stop, log_told, run_virtual};
use tandem_quantity::BuildError;
use tandem_structure::Structure;

use crate::assemble::Test;
use crate::plan::{Refusal, Resolved};
use crate::{driven, report, summary};

/// Names of the files in a run folder.
pub mod files {
    /// The plan as resolved.
    pub const PLAN: &str = "plan.toml";
    /// All channels.
    pub const RUN: &str = "run.h5";
    /// The undivided structure, one row per step.
    pub const REFERENCE: &str = "reference.h5";
    /// What happened.
    pub const EVENTS: &str = "events.jsonl";
    /// The figures.
    pub const SUMMARY: &str = "summary.json";
    /// The page for people.
    pub const REPORT: &str = "report.html";
    /// The same on paper.
    pub const PDF: &str = "report.pdf";
    /// What `tandem drill` found.
    pub const DRILL: &str = "drill.json";
    /// All of them.
    pub const ALL: [&str; 8] = [PLAN, RUN, REFERENCE, EVENTS, SUMMARY, REPORT, PDF, DRILL];
}

/// Why a run did not take place or could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The plan does not fit.
    #[error("{0}")]
    Plan(Box<Refusal>),
    /// A file or folder.
    #[error("{what} {}: {source}", path.display())]
    File {
        /// What was tried.
        what: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The folder holds no run.
    #[error("{} is not the folder of a run: it holds no run.h5", folder.display())]
    NotARun {
        /// The folder that was given.
        folder: PathBuf,
    },
    /// A rehearsal of another test.
    #[error("{} is no rehearsal of this test: {what} differ (`tandem report A B` sets any two runs side by side)", folder.display())]
    OtherTest {
        /// The folder that was given.
        folder: PathBuf,
        /// In which parts of the plan.
        what: String,
    },
    /// No door can be opened for the driver.
    #[error("cannot listen for the driver: {source} (is the port taken? see integration.port)")]
    Listen {
        /// What the system says.
        source: std::io::Error,
    },
    /// The model cannot be examined.
    #[error("the structure cannot be examined: {0}")]
    Model(String),
    /// A rehearsal without any fault that does not come to its end.
    #[error("the plan does not run to its end without any fault: {reason} (see `tandem run`)")]
    StopsByItself {
        /// What stopped it.
        reason: String,
    },
    /// The operator's screen.
    #[error("{0}")]
    Screen(String),
    /// The recorder.
    #[error(transparent)]
    Recorder(#[from] RecorderError),
}

impl From<Box<Refusal>> for RunError {
    fn from(refusal: Box<Refusal>) -> Self {
        Self::Plan(refusal)
    }
}

/// What a run left.
pub struct Done {
    /// The run folder.
    pub folder: PathBuf,
    /// Contents of `summary.json`.
    pub summary: Value,
    /// What stopped the test, if anything.
    pub stop: Option<Stop>,
}

/// Which clock a test goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Stepped: as fast as the machine can, or at the pace of the seams.
    #[default]
    Stepped,
    /// The wall clock, with absolute deadlines in a thread of its own.
    RealTime,
}

/// Runs the test that the plan describes in stepped time; see [`run_by`].
pub fn run(
    plan: &Resolved,
    out: Option<&Path>,
    progress: &mut dyn FnMut(f64),
    seams: &mut Seams,
) -> Result<Done, RunError> {
    run_by(Clock::Stepped, plan, out, progress, seams, &|_| {})
}

/// What a real-time loop cannot wait for.
fn waiting(hybrid: &HybridLoop) -> Option<BuildError> {
    let parts = hybrid.parts();
    if parts.rig.properties().waits {
        return Some(BuildError::new(
            "rig",
            "this rig waits for its peers, which no real-time loop can do",
            "leave --realtime out: the clock then waits with it; an FMU may be loaded into this process instead (in_process = true)",
        ));
    }
    let (place, _) = parts.guests().find(|(_, guest)| guest.waits())?;
    Some(BuildError::new(
        place,
        "this FMU runs in a process of its own, for which no real-time loop can wait",
        "write in_process = true, or leave --realtime out",
    ))
}

/// Runs the test that the plan describes. `progress` gets the share done, 0 … 1; through `seams` it is driven and watched; what an outside
/// driver does is told to `tell` while it happens.
pub fn run_by(
    clock: Clock,
    plan: &Resolved,
    out: Option<&Path>,
    progress: &mut dyn FnMut(f64),
    seams: &mut Seams,
    tell: &(dyn Fn(driven::Line<'_>) + Sync),
) -> Result<Done, RunError> {
    let mut test = plan.assemble()?;
    if clock == Clock::RealTime
        && let Some(hybrid) = &test.hybrid
        && let Some(error) = waiting(hybrid)
    {
        return Err(RunError::Plan(Box::new(plan.refuse(vec![error]))));
    }
    let started = SystemTime::now();
    let folder = make_folder(&test, out, started)?;
    let path = |name: &str| folder.join(name);
    let working_directory = std::env::current_dir().unwrap_or_default();
    // The plan claims the folder: of two runs that start at once only one can create it.
    claim(
        &path(files::PLAN),
        plan.to_toml_from(&working_directory).as_bytes(),
    )?;

    let began = std::time::Instant::now();
    let wanted = test.running.reference && test.has_structure();
    let reference = (wanted || test.hybrid.is_none())
        .then(|| test.reference())
        .transpose()
        .map_err(|error| RunError::Plan(Box::new(plan.refuse(vec![error]))))?;
    let header = header(&test, started);
    let mut events = EventLog::open(&path(files::EVENTS))?;
    let end = test.dt * steps_f64(&test);
    let mut words = serde_json::Map::new();
    let mut kept: Option<ClockReport> = None;
    let mut clocks = Clocks::default();
    let mut slowest_step = Vec::new();
    if seams.driver_timeout.is_none() {
        seams.driver_timeout = test.running.timeout;
    }
    let outcome = if let Some(mut hybrid) = test.hybrid.take() {
        if let Some(reference) = &reference {
            write_reference(&path(files::REFERENCE), &test, reference, &header)?;
        }
        if hybrid.parts().rig.properties().needs_wall_clock && seams.pace.is_none() {
            // Stepped time would run away from a device.
            seams.pace = Some(1.0);
        }
        let settings = test.running.realtime;
        let mut threads = Threads::default();
        if clock == Clock::RealTime {
            (hybrid, threads) = spread(hybrid, settings, seams.guard);
        }
        let mut writer = RunWriter::create(&path(files::RUN), &hybrid.channels(), &header)?;
        let mut share = |time| progress(time / end);
        let stop_ordered = seams.orders.stop_flag();
        let (told, inbox) = std::sync::mpsc::channel();
        let desk = driven::LogDesk::new(Arc::clone(&seams.now), told);
        seams.told = Some(inbox);
        let mut go = |events: &mut EventLog| match clock {
            Clock::Stepped => {
                run_virtual(&mut hybrid, Some(&mut writer), events, &mut share, seams)
            }
            Clock::RealTime => {
                let (outcome, report) = run_realtime(
                    &mut hybrid,
                    Some(&mut writer),
                    events,
                    &mut share,
                    seams,
                    settings,
                    &threads,
                )?;
                kept = Some(report);
                Ok(outcome)
            }
        };
        let outcome = match test.driver() {
            Some(driver) => {
                let (outcome, complaints) =
                    driven::run(driver, &stop_ordered, &desk, &mut events, tell, go)?;
                test.warnings.extend(complaints);
                outcome
            }
            None => go(&mut events)?,
        };
        // What came when the loop had ended.
        log_told(seams.told.as_ref(), &mut events)?;
        if let Some(text) = hybrid.parts().trouble() {
            test.warnings.push(text.to_owned());
        }
        slowest_step.extend(
            hybrid
                .parts()
                .rig
                .observe()
                .slowest_step()
                .map(|s| ("rig", s)),
        );
        let guests = hybrid.parts().guests();
        slowest_step.extend(guests.map(|(place, guest)| (place, guest.slowest_step())));
        clocks = threads.stop(&mut hybrid);
        writer.finish()?;
        words.extend(
            hybrid
                .words()
                .map(|(name, text)| (name.to_owned(), json!(text))),
        );
        // The report asks the loop's parts for their bounds.
        test.hybrid = Some(hybrid);
        outcome
    } else {
        // All numerical: the reference is the test.
        if let Some(reference) = &reference {
            write_reference(&path(files::RUN), &test, reference, &header)?;
        }
        let (steps, wall_s) = (test.timing.steps, began.elapsed().as_secs_f64());
        let text = "All steps are done, without a specimen.";
        events.log(&Event::new(
            steps,
            end,
            wall_s,
            Level::Info,
            "run.completed",
            text,
        ))?;
        Outcome {
            stop: None,
            reason: None,
            state: State::Stopped { off: true },
            steps,
            ticks: steps + 1,
            time_s: end,
            wall_s,
        }
    };
    progress(1.0);

    let run = RunReader::open(&path(files::RUN))?;
    summary::find_steps(&mut test, &run)?;
    let hybrid_reference = reference.as_ref().filter(|_| !test.interface.is_empty());
    let mut figures = summary::summarise(&test, &run, hybrid_reference, Some(&outcome))?;
    if let Some(report) = kept {
        figures["timing"] = report.to_json();
        clocks.add_to(&mut figures["timing"]);
    }
    for (place, seconds) in slowest_step {
        figures[place]["slowest_step_s"] = json!(seconds);
    }
    if !words.is_empty() {
        figures["words"] = Value::Object(words);
    }
    write_summary(&folder, &mut figures)?;
    let page = report::of_run(&folder, plan, &test, &figures, None)?;
    write(&path(files::REPORT), page.as_bytes())?;
    write_summary(&folder, &mut figures)?;
    Ok(Done {
        stop: outcome.stop,
        folder,
        summary: figures,
    })
}

/// Writes the report of a recorded run again, from what its folder holds. A run that was killed gets its summary here.
///
/// `rehearsal` is the folder of another run of the plan that is laid under this one.
pub fn report_again(folder: &Path, rehearsal: Option<&Path>) -> Result<(PathBuf, Value), RunError> {
    let plan_path = folder.join(files::PLAN);
    if !folder.join(files::RUN).is_file() {
        return Err(RunError::NotARun {
            folder: folder.into(),
        });
    }
    let plan = crate::plan::read(
        crate::plan::sections::ROOT,
        crate::plan::Source::File(&plan_path),
        &[],
    )
    .map_err(|refusal| RunError::Plan(Box::new(refusal)))?;
    let mut test = plan.assemble()?;
    if let Ok(run) = RunReader::open(&folder.join(files::RUN)) {
        summary::find_steps(&mut test, &run)?;
    }
    let kept = std::fs::read_to_string(folder.join(files::SUMMARY))
        .ok()
        .and_then(|t| serde_json::from_str(&t).ok());
    let mut figures: Value = match kept {
        Some(figures) => figures,
        None => {
            let run = RunReader::open(&folder.join(files::RUN))?;
            let reference = if test.interface.is_empty() || !test.has_structure() {
                None
            } else {
                test.reference().ok()
            };
            summary::summarise(&test, &run, reference.as_ref(), None)?
        }
    };
    if let Some(other) = rehearsal {
        let text = |folder: &Path| std::fs::read_to_string(folder.join(files::PLAN));
        if let (Ok(own), Ok(others)) = (text(folder), text(other))
            && let Some(what) = report::other_test(&own, &others)
        {
            return Err(RunError::OtherTest {
                folder: other.into(),
                what,
            });
        }
    }
    let rehearsal = rehearsal.map(open_run).transpose()?;
    let page = report::of_run(folder, &plan, &test, &figures, rehearsal.as_ref())?;
    let path = folder.join(files::REPORT);
    write(&path, page.as_bytes())?;
    write_summary(folder, &mut figures)?;
    Ok((path, figures))
}

/// The record in a folder.
fn open_run(folder: &Path) -> Result<RunReader, RunError> {
    let path = folder.join(files::RUN);
    if !path.is_file() {
        return Err(RunError::NotARun {
            folder: folder.into(),
        });
    }
    Ok(RunReader::open(&path)?)
}

/// Drills the plan of a run and leaves the table in its folder, where the report finds it.
pub fn drill_run(folder: &Path) -> Result<(), RunError> {
    open_run(folder)?;
    let plan_path = folder.join(files::PLAN);
    let plan = crate::plan::read(
        crate::plan::sections::ROOT,
        crate::plan::Source::File(&plan_path),
        &[],
    )
    .map_err(|refusal| RunError::Plan(Box::new(refusal)))?;
    let table = crate::drill::drill(&plan, &mut |_| ())?.to_json();
    write(&folder.join(files::DRILL), table.to_string().as_bytes())
}

/// Writes the page that compares two runs, and gives its figures.
pub fn compare_runs(first: &Path, second: &Path, page: &Path) -> Result<Value, RunError> {
    let read = |folder: &Path| -> Result<(Value, String), RunError> {
        open_run(folder)?;
        if !folder.join(files::SUMMARY).is_file() {
            report_again(folder, None)?;
        }
        let file = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).map_err(|source| RunError::File {
                what: "cannot read",
                path,
                source,
            })
        };
        let figures = serde_json::from_str(&file(files::SUMMARY)?).unwrap_or_default();
        Ok((figures, file(files::PLAN)?))
    };
    let ((a, plan_a), (b, plan_b)) = (read(first)?, read(second)?);
    let (text, figures) = report::of_runs(
        &report::Compared {
            folder: first,
            figures: &a,
            plan: &plan_a,
        },
        &report::Compared {
            folder: second,
            figures: &b,
            plan: &plan_b,
        },
    )?;
    write(page, text.as_bytes())?;
    Ok(figures)
}

/// Writes `summary.json` with the list of files that are there by now.
pub fn write_summary(folder: &Path, figures: &mut Value) -> Result<(), RunError> {
    let present: Vec<_> = files::ALL
        .into_iter()
        .filter(|name| *name == files::SUMMARY || folder.join(name).exists())
        .collect();
    figures["folder"] = json!(folder);
    figures["files"] = json!(present);
    let text = serde_json::to_string_pretty(figures).unwrap_or_default();
    write(&folder.join(files::SUMMARY), text.as_bytes())
}

fn cannot_write(path: &Path) -> impl Fn(std::io::Error) -> RunError + '_ {
    move |source| RunError::File {
        what: "cannot write",
        path: path.into(),
        source,
    }
}

/// Writes a file that must not exist yet.
fn claim(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    use std::io::Write;
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(cannot_write(path))?;
    file.write_all(bytes).map_err(cannot_write(path))
}

/// Writes a file so that it appears under its name only when it is whole.
fn write(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    let part = path.with_extension("part");
    let written = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    written.map_err(cannot_write(path))
}

#[allow(clippy::cast_precision_loss)] // at most 10⁹ steps
fn steps_f64(test: &Test) -> f64 {
    test.timing.steps as f64
}

fn header(test: &Test, started: SystemTime) -> Header {
    Header {
        tandem_version: env!("CARGO_PKG_VERSION").to_owned(),
        plan: test.name.clone(),
        seed: test.seed,
        created: timestamp(started).1,
        time_scale: test.timing.time_scale,
        rate_hz: test.timing.time_scale / test.timing.period,
    }
}

fn write_reference(
    path: &Path,
    test: &Test,
    reference: &ReferenceRun,
    header: &Header,
) -> Result<(), RunError> {
    let mut channels = vec![Channel::new(
        "ground_acceleration",
        "m/s^2",
        Role::Excitation,
        "Ground acceleration.",
    )];
    for (name, unit) in [
        ("displacement", "m"),
        ("velocity", "m/s"),
        ("acceleration", "m/s^2"),
    ] {
        for i in 0..reference.dof {
            let text = format!(
                "{name} of {} of the undivided structure, relative to the ground.",
                test.whole.label(i)
            );
            channels.push(Channel::new(
                format!("response_{name}/{}", i + 1),
                test.whole.unit_at(i, unit),
                Role::Response,
                text,
            ));
        }
    }
    let header = Header {
        rate_hz: 1.0 / test.dt,
        ..header.clone()
    };
    let mut writer = RunWriter::create(path, &channels, &header)?;
    let mut block = Block::new(channels.len(), CHUNK_ROWS);
    let mut row = vec![0.0; channels.len()];
    let n = reference.dof.max(1);
    let histories = reference
        .displacement
        .chunks_exact(n)
        .zip(reference.velocity.chunks_exact(n))
        .zip(reference.acceleration.chunks_exact(n));
    for (k, ((d, v), a)) in histories.enumerate() {
        #[allow(clippy::cast_precision_loss)]
        let time = k as f64 * test.dt;
        row[0] = test.record.at(time);
        row[1..=n].copy_from_slice(d);
        row[1 + n..=2 * n].copy_from_slice(v);
        row[1 + 2 * n..].copy_from_slice(a);
        if block.push(time, &row) {
            writer.append(&mut block)?;
        }
    }
    writer.append(&mut block)?;
    writer.finish()?;
    Ok(())
}

/// A folder under `runs/` for a run of this name that is not taken yet.
pub fn fresh_folder(name: &str) -> PathBuf {
    let stamp = timestamp(SystemTime::now()).0;
    let base = PathBuf::from("runs").join(format!("{}-{stamp}", slug(name)));
    let others = (2..10_000).map(|k| PathBuf::from(format!("{}-{k}", base.display())));
    let mut all = std::iter::once(base.clone()).chain(others);
    all.find(|path| !path.exists()).unwrap_or(base)
}

fn make_folder(test: &Test, out: Option<&Path>, started: SystemTime) -> Result<PathBuf, RunError> {
    let fail = |path: &Path, source| RunError::File {
        what: "cannot make the run folder",
        path: path.into(),
        source,
    };
    if let Some(path) = out.map(Path::to_path_buf).or(test.running.folder.clone()) {
        std::fs::create_dir_all(&path).map_err(|source| fail(&path, source))?;
        if let Some(name) = files::ALL.into_iter().find(|name| path.join(name).exists()) {
            let text =
                format!("it already holds {name}; choose another folder (nothing was overwritten)");
            let source = std::io::Error::new(std::io::ErrorKind::AlreadyExists, text);
            return Err(fail(&path, source));
        }
        return Ok(path);
    }
    let base = PathBuf::from("runs").join(format!("{}-{}", slug(&test.name), timestamp(started).0));
    std::fs::create_dir_all("runs").map_err(|source| fail(Path::new("runs"), source))?;
    // Two runs within a second get different folders.
    for attempt in 1..=10_000 {
        let path = if attempt == 1 {
            base.clone()
        } else {
            PathBuf::from(format!("{}-{attempt}", base.display()))
        };
        match std::fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(fail(&path, source)),
        }
    }
    Err(fail(
        &base,
        std::io::Error::other("ten thousand folders of this name exist"),
    ))
}

fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
        if slug.len() >= 40 {
            break;
        }
    }
    let slug = slug.trim_matches('-');
    if slug.is_empty() {
        "run".to_owned()
    } else {
        slug.to_owned()
    }
}

/// UTC, as `20261115-093000` and as `2026-11-15 09:30:00 UTC`.
fn timestamp(time: SystemTime) -> (String, String) {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (h, m, s) = (rest / 3600, rest / 60 % 60, rest % 60);
    // Civil date from days since 1970 (Howard Hinnant, chrono-compatible low-level date algorithms).
    let z = days + 719_468;
    let era = z / 146_097;
    let doe = z % 146_097;
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + u64::from(month <= 2);
    (
        format!("{year:04}{month:02}{day:02}-{h:02}{m:02}{s:02}"),
        format!("{year:04}-{month:02}-{day:02} {h:02}:{m:02}:{s:02} UTC"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates_are_civil() {
        // date -u -d @951827696 +%F_%T
        let at = |s| timestamp(UNIX_EPOCH + Duration::from_secs(s)).1;
        assert_eq!(at(951_827_696), "2000-02-29 12:34:56 UTC");
        assert_eq!(at(1_763_197_200), "2025-11-15 09:00:00 UTC");
        assert_eq!(at(4_107_542_399), "2100-02-28 23:59:59 UTC");
    }

    #[test]
    fn folders_have_plain_names() {
        assert_eq!(
            slug("Three-storey building: 1st storey (virtual)"),
            "three-storey-building-1st-storey-virtual"
        );
        assert_eq!(slug("../../etc"), "etc");
        assert_eq!(slug("…"), "run");
    }
}
