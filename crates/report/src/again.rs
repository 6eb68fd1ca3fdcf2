//! The page of a run: after it, again, and of two runs side by side.

use std::path::{Path, PathBuf};

use tandem_coordinator::recorder::RunReader;

use super::{Compared, Comparison, of_runs, other_test};
use tandem::assemble::Body;
use tandem::figures::{find_steps, summarise};
use tandem::plan::Plan;
use tandem::run::{Run, RunError, files, plan_of, write_file, write_summary};
use tandem::summary::Summary;

/// Writes the page of a run into its folder.
///
/// # Errors
/// [`RunError`] where it cannot be made or written; the run is whole without it.
pub fn write_page(plan: &Plan, run: &mut Run) -> Result<(), RunError> {
    let folder = run.summary.folder.clone();
    let page = match &run.test.body {
        Body::Coupled(coupled) => super::of_cosimulation(coupled, &run.summary),
        _ => super::of_run(&folder, plan, &run.test, &run.summary, None)?,
    };
    write_file(&folder.join(files::REPORT), page.as_bytes())?;
    write_summary(&folder, &mut run.summary)
}

/// Writes the report of a recorded run again, from what its folder holds. A run that was killed
/// gets its summary here.
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
            && let Some(what) = other_test(&own, &others)
        {
            return Err(RunError::OtherTest {
                folder: other.into(),
                what,
            });
        }
    }
    let rehearsal = rehearsal.map(open_run).transpose()?;
    let page = super::of_run(folder, &plan, &test, &figures, rehearsal.as_ref())?;
    let path = folder.join(files::REPORT);
    write_file(&path, page.as_bytes())?;
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

/// Writes the page that compares two runs, and gives its figures.
pub fn compare_runs(first: &Path, second: &Path, page: &Path) -> Result<Comparison, RunError> {
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
    let (text, figures) = of_runs(
        &Compared {
            folder: first,
            figures: &a,
            plan: &plan_a,
        },
        &Compared {
            folder: second,
            figures: &b,
            plan: &plan_b,
        },
    )?;
    write_file(page, text.as_bytes())?;
    Ok(figures)
}
