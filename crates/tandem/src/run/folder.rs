//! The folder of a run: made for it, claimed by its plan, never shared.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use tandem_coordinator::Timing;
use tandem_coordinator::recorder::{Header, whole_file};

use super::RunError;
use crate::plan::{self, Plan, Source};

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

/// A folder that belongs to one run.
pub(crate) struct RunFolder {
    path: PathBuf,
    started: SystemTime,
}

impl RunFolder {
    /// Makes the folder of a run of this name, at `out` or under `runs/`, and leaves the plan in it
    /// as it was resolved. The plan claims the folder: of two runs that start at once only one can
    /// create it.
    pub fn claim(name: &str, out: Option<&Path>, plan: &Plan) -> Result<Self, RunError> {
        let started = SystemTime::now();
        let folder = Self {
            path: make_folder(name, out, started)?,
            started,
        };
        let working_directory = std::env::current_dir().unwrap_or_default();
        let text = plan.to_toml_from(&working_directory);
        claim(&folder.file(files::PLAN), text.as_bytes())?;
        Ok(folder)
    }

    /// Nothing came of the run: what it has left gives way to the next.
    #[cfg(feature = "fmi")]
    pub fn abandon(self) {
        for name in files::ALL {
            let _ = std::fs::remove_file(self.file(name));
        }
        // Only where nothing else is in it.
        let _ = std::fs::remove_dir(&self.path);
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// What the run file says about a run that began with this folder.
    pub fn header(&self, name: &str, seed: u64, timing: Timing) -> Header {
        Header {
            tandem_version: env!("CARGO_PKG_VERSION").to_owned(),
            plan: name.to_owned(),
            seed,
            created: timestamp(self.started).1,
            time_scale: timing.time_scale,
            rate_hz: timing.time_scale / timing.period,
        }
    }
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
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    whole_file(path, |part| std::fs::write(part, bytes), |error| error).map_err(cannot_write(path))
}

fn make_folder(name: &str, out: Option<&Path>, started: SystemTime) -> Result<PathBuf, RunError> {
    let fail = |path: &Path, source| RunError::File {
        what: "cannot make the run folder",
        path: path.into(),
        source,
    };
    if let Some(path) = out.map(Path::to_path_buf) {
        std::fs::create_dir_all(&path).map_err(|source| fail(&path, source))?;
        if let Some(name) = files::ALL.into_iter().find(|name| path.join(name).exists()) {
            let text =
                format!("it already holds {name}; choose another folder (nothing was overwritten)");
            let source = std::io::Error::new(std::io::ErrorKind::AlreadyExists, text);
            return Err(fail(&path, source));
        }
        return Ok(path);
    }
    let base = PathBuf::from("runs").join(format!("{}-{}", slug(name), timestamp(started).0));
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
    // Civil date from days since 1970 (Howard Hinnant, chrono-compatible low-level date
    // algorithms).
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

/// The plan of a run, from its folder.
pub fn plan_of(folder: &Path) -> Result<Plan, RunError> {
    let path = folder.join(files::PLAN);
    if !folder.join(files::RUN).is_file() {
        return Err(RunError::NotARun {
            folder: folder.into(),
        });
    }
    let plan = plan::open(Source::File(&path), &[])
        .map_err(|refusal| RunError::Plan(Box::new(refusal)))?;
    if plan.is_coupled() {
        return Err(RunError::Coupled {
            folder: folder.into(),
        });
    }
    Ok(plan)
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
