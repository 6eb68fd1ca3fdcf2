//! What is done with a run that is over: its page again, its drill, two of them side by side.

use std::path::{Path, PathBuf};

use tandem_coordinator::recorder::RunReader;

use super::folder::{files, write};
use super::{RunError, write_summary};
use crate::plan::{Resolved, Source};
use crate::report;
use crate::summary::{Summary, find_steps, summarise};

/// The plan of a run, from its folder.
pub(crate) fn plan_of(folder: &Path) -> Result<Resolved, RunError> {
    let path = folder.join(files::PLAN);
    if !folder.join(files::RUN).is_file() {
        return Err(RunError::NotARun {
            folder: folder.into(),
        });
    }
    let plan = crate::plan::open(Source::File(&path), &[])
        .map_err(|refusal| RunError::Plan(Box::new(refusal)))?;
    if crate::cosimulation::selected_by(&plan.values) {
        return Err(RunError::Coupled {
            folder: folder.into(),
        });
    }
    Ok(plan)
}

/// Writes the report of a recorded run again, from what its folder holds. A run that was killed gets its summary here.
///
/// `rehearsal` is the folder of another run of the plan that is laid under this one.
pub fn report_again(
    folder: &Path,
    rehearsal: Option<&Path>,
) -> Result<(PathBuf, Summary), RunError> {
    let plan = plan_of(folder)?;
    let mut test = plan.assemble()?;
    if let Ok(run) = RunReader::open(&folder.join(files::RUN)) {
        find_steps(&mut test, &run)?;
    }
    let path = folder.join(files::SUMMARY);
    let mut figures = if path.is_file() {
        Summary::read(&path)?
    } else {
        let run = RunReader::open(&folder.join(files::RUN))?;
        let compares = !test.outline.interface.is_empty() && test.has_structure();
        let reference = compares.then(|| test.reference()).transpose();
        let reference = reference
            .map_err(|error| plan.refuse(vec![error]))
            .map_err(Box::new)?;
        summarise(&test, &run, reference.as_ref(), None)?
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
    let plan = plan_of(folder)?;
    let rows = crate::drill::drill(&plan, &mut |_| ())?.rows();
    let text = serde_json::to_string(&rows).unwrap_or_default();
    write(&folder.join(files::DRILL), text.as_bytes())
}

/// Writes the page that compares two runs, and gives its figures.
pub fn compare_runs(
    first: &Path,
    second: &Path,
    page: &Path,
) -> Result<report::Comparison, RunError> {
    let read = |folder: &Path| -> Result<(Summary, String), RunError> {
        open_run(folder)?;
        if !folder.join(files::SUMMARY).is_file() {
            report_again(folder, None)?;
        }
        let path = folder.join(files::PLAN);
        let plan = std::fs::read_to_string(&path).map_err(|source| RunError::File {
            what: "cannot read",
            path,
            source,
        })?;
        Ok((Summary::read(&folder.join(files::SUMMARY))?, plan))
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
