//! A test in the folder of its run, finished or still growing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::{Scene, Severity};
use tandem_coordinator::channels::{COMMAND, MEASURED_DISPLACEMENT, TARGET, TIME};
use tandem_coordinator::recorder::{Level, RunReader, read_events};
use tandem_quantity::number::readable_unit;

use super::{POINTS, StatusSource, StatusView, WatchError};
use crate::feed::of_record;
use tandem::plan;
use tandem::run::{RunError, files};
use tandem::sections::ROOT;
use tandem_quantity::whole;

/// The folder of a run.
pub struct Folder {
    folder: PathBuf,
    scene: Scene,
    dt: f64,
    view: StatusView,
    /// Largest magnitude of each limited quantity so far, and how many rows were looked at.
    peaks: BTreeMap<String, (u64, f64)>,
}

/// Rows that one look reads of one channel, at most: an hour of record is caught up with in a few
/// looks.
const ROWS: u64 = 1 << 20;

/// The largest magnitude of a channel, or of one that the screen computes: `error` and
/// `command_velocity` are not in the record.
fn magnitude(run: &RunReader, name: &str, from: u64, count: u64) -> Option<f64> {
    let read = |name: &str| run.read_rows(name, from, count).ok();
    let largest =
        |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |m: f64, x| m.max(x.abs()));
    let number = |prefix| name.strip_prefix(prefix)?.parse::<usize>().ok();
    if let Some(n) = number("error/") {
        let (measured, target) = (read(&MEASURED_DISPLACEMENT.of(n))?, read(&TARGET.of(n))?);
        return Some(largest(
            &mut measured.iter().zip(&target).map(|(a, b)| a - b),
        ));
    }
    if let Some(n) = number("command_velocity/") {
        let command = read(&COMMAND.of(n))?;
        let rate = run.header().rate_hz;
        return Some(largest(
            &mut command.windows(2).map(|w| (w[1] - w[0]) * rate),
        ));
    }
    let values = run.has(name).then(|| read(name)).flatten();
    values.map(|values| largest(&mut values.into_iter()))
}

impl Folder {
    /// Opens a folder.
    ///
    /// # Errors
    /// No run in it, or a plan that cannot be read.
    pub fn open(folder: &Path) -> Result<Self, RunError> {
        let path = folder.join(files::RUN);
        if !path.is_file() {
            return Err(RunError::NotARun {
                folder: folder.into(),
            });
        }
        let plan = plan::read(ROOT, plan::Source::File(&folder.join(files::PLAN)), &[])
            .map_err(|refusal| RunError::Plan(Box::new(refusal)))?;
        let test = plan.assemble()?;
        let scene = of_record(&plan, &test, &RunReader::open(&path)?);
        Ok(Self {
            folder: folder.into(),
            view: StatusView::of_scene(&scene),
            scene,
            dt: test.outline.dt,
            peaks: BTreeMap::new(),
        })
    }

    fn read(&mut self) -> Result<(), tandem_coordinator::recorder::RecorderError> {
        let run = RunReader::open(&self.folder.join(files::RUN))?;
        let rows = run.rows();
        let time = run.read_rows(TIME, rows.saturating_sub(1), 1)?;
        let now = time.first().copied().unwrap_or(0.0);
        let known = |name: &str| run.channels().any(|c| c.name == name);
        let last = |name: &str| -> f64 {
            let tail = known(name)
                .then(|| run.read_rows(name, rows.saturating_sub(1), 1).ok())
                .flatten();
            tail.and_then(|tail| tail.last().copied())
                .unwrap_or(f64::NAN)
        };
        for actuator in &self.scene.actuators {
            for name in actuator.limits.iter().flat_map(|limit| &limit.channels) {
                let (seen, peak) = self.peaks.entry(name.clone()).or_insert((0, 0.0));
                let count = (rows - (*seen).min(rows)).min(ROWS);
                // One row twice: velocities are differences.
                let from = seen.saturating_sub(1);
                if let Some(found) = magnitude(&run, name, from, count + (*seen - from)) {
                    *peak = peak.max(found);
                    *seen += count;
                }
            }
        }
        let peaks = &self.peaks;
        let reach = |name: &str| match peaks.get(name) {
            Some((seen, peak)) if *seen > 0 => *peak,
            _ => f64::NAN,
        };
        self.view.take(&self.scene, &last, &reach);
        // The last ten seconds of the first actuator.
        let span = 10.0;
        let wanted = whole(span * run.header().rate_hz).min(rows);
        let from = rows - wanted;
        let factor = self
            .scene
            .actuators
            .first()
            .map_or(1.0, |a| readable_unit(&a.unit).1);
        let times = run.read_rows(TIME, from, wanted)?;
        let stride = times.len() / POINTS + 1;
        for (name, curve) in [
            (TARGET.of(1), &mut self.view.target),
            (MEASURED_DISPLACEMENT.of(1), &mut self.view.measured),
        ] {
            if run.has(&name) {
                let values = run.read_rows(&name, from, wanted)?;
                let points = times.iter().zip(&values).step_by(stride);
                *curve = points.map(|(t, y)| (*t, factor * y)).collect();
            }
        }
        let status = &mut self.view.status;
        status.time_s = now;
        let step = whole(now / self.dt + 1e-6);
        status.step = step.min(self.scene.steps);
        status.wall_s = now * self.scene.time_scale;
        let (state, meaning, tone) = if run.complete() {
            ("Recorded", "the record is complete", Severity::Good)
        } else {
            (
                "Recording",
                "the record is open: the test runs, or was interrupted",
                Severity::Caution,
            )
        };
        (status.state, status.meaning, status.tone) = (state.to_owned(), meaning.to_owned(), tone);
        Ok(())
    }
}

impl StatusSource for Folder {
    fn look(&mut self) -> Result<&StatusView, WatchError> {
        self.read()?;
        let (events, _) = read_events(&self.folder.join(files::EVENTS))?;
        let tone = |level: Level| match level {
            Level::Info => Severity::Neutral,
            Level::Warn => Severity::Caution,
            Level::Error => Severity::Bad,
        };
        self.view.events = events
            .into_iter()
            .map(|e| (e.time_s, tone(e.level), e.text))
            .collect();
        Ok(&self.view)
    }
}
