#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! A script of Tcl is read by a small evaluator (`tcl`), one of Python by Python itself, with a
//! recorder in the place of OpenSeesPy (`python`). Each command of OpenSees goes to a reader,
//! which builds a [`model::Model`] in the script's own numbers. What is not understood is remarked
//! on with its line, and the rest goes on.

mod copy;
pub mod emit;
pub mod error;
mod files;
pub mod model;
mod plausible;
mod python;
mod reader;
pub mod script;
mod tcl;
pub mod units;

use crate::error::ScriptError;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tandem_quantity::{Dimension, Parameter, ValueKind};
use tandem_structure::{Structure, modes::modes};

pub use files::FileError;
use files::Files;
use model::Model;
pub use python::PythonError;
pub use reader::NoModel;
use reader::{Models, Reader};
use script::{Place, Remark, Remarks, Weight};
use tandem::plan::{self, Source};
use tandem_model::{frame::FrameModel, structure};
use units::{Units, UnitsError};

/// Why a script cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Neither language.
    #[error("{}: a model script ends in .tcl (OpenSees) or .py (OpenSeesPy)", path.display())]
    Ending {
        /// The script.
        path: PathBuf,
    },
    /// A set of units.
    #[error(transparent)]
    Units(#[from] UnitsError),
    /// A file of the model.
    #[error(transparent)]
    File(#[from] FileError),
    /// A script of Python that is not run.
    #[error(transparent)]
    Python(#[from] PythonError),
    /// A model that the script does not build.
    #[error(transparent)]
    Model(#[from] NoModel),
}

/// What to take of a script, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Its units.
    pub units: Units,
    /// The Python that may run a script of Python; without one it is refused.
    pub python: Option<PathBuf>,
    /// Which of its models, counted from 1; none takes the one that it analyses last.
    pub model: Option<usize>,
}

/// What came out of a script.
#[derive(Debug)]
pub struct Imported {
    /// The model.
    pub model: Model,
    /// Its units.
    pub units: Units,
    /// How many commands were understood.
    pub understood: usize,
    remarks: Remarks,
    files: Files,
}

/// Reads a script and everything it sources. One of Python is run, in a copy of its folder.
///
/// # Errors
/// A file that cannot be read, a script of Python that may not be run or a Python that cannot run
/// it, a model that the script does not build.
pub fn read(path: &Path, options: &Options) -> Result<Imported, ImportError> {
    let ending = path
        .extension()
        .map(|end| end.to_string_lossy().to_lowercase());
    let by_python = match ending.as_deref() {
        Some("tcl") => false,
        Some("py") => true,
        _ => return Err(ImportError::Ending { path: path.into() }),
    };
    let text = files::read_text(path)?;
    let files = Files::around(path)?;
    let name = path.file_name().map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    );
    if !by_python {
        return read_text(&text, &name, files, options);
    }
    let program = options
        .python
        .as_deref()
        .ok_or_else(|| PythonError::Consent(path.into()))?;
    let mut files = files;
    files.given(&name);
    let mut models = models(&options.units);
    python::run(program, &name, &mut files, &mut models)?;
    imported(models, files, options)
}

/// Reads a script of Tcl that is at hand; it can source nothing.
///
/// # Errors
/// A model that the script does not build.
pub fn read_tcl(text: &str, name: &str, options: &Options) -> Result<Imported, ImportError> {
    read_text(text, name, Files::default(), options)
}

fn read_text(
    text: &str,
    name: &str,
    mut files: Files,
    options: &Options,
) -> Result<Imported, ImportError> {
    let file = files.given(name);
    let mut models = models(&options.units);
    tcl::Tcl::run(text, file, &mut files, &mut models);
    imported(models, files, options)
}

fn models(units: &Units) -> Models {
    let units = units.clone();
    Models::new(Rc::new(move |model, count| {
        eigenvalues(model, count, &units)
    }))
}

fn imported(models: Models, files: Files, options: &Options) -> Result<Imported, ImportError> {
    let units = options.units.clone();
    let Reader {
        model,
        mut remarks,
        understood,
        ..
    } = models.choose(options.model)?;
    plausible::check(&model, &units, &mut remarks);
    Ok(Imported {
        model,
        units,
        understood,
        remarks,
        files,
    })
}

/// ω² of the first modes, in the time unit of the script. The model goes through a plan, as any
/// other.
fn eigenvalues(model: &Model, count: usize, units: &Units) -> Result<Vec<f64>, ScriptError> {
    static ROOT: &[Parameter] = &[Parameter::of(
        "structure",
        ValueKind::Slot(&structure::SLOT),
        "the structure",
    )];
    let text = emit::structure(model, units);
    let source = Source::Text {
        name: "the model so far",
        text: &text,
    };
    let plan =
        plan::read(ROOT, source, &[]).map_err(|error| ScriptError::Modes(error.to_text()))?;
    let found = plan
        .values
        .table("structure")
        .and_then(|values| FrameModel::read(values, 1.0))
        .map_err(|error| ScriptError::Modes(error.message))?;
    let found = modes(found.model.properties(), count)
        .map_err(|error| ScriptError::Modes(error.to_string()))?;
    let time = units.factor(Dimension::TIME);
    let circular = found
        .frequencies_hz
        .iter()
        .map(|f| std::f64::consts::TAU * f * time);
    Ok(circular.map(|omega| omega * omega).collect())
}

impl Imported {
    /// Remarks of one weight, in their order.
    pub fn remarks(&self, weight: Weight) -> impl Iterator<Item = &Remark> {
        self.remarks.of(weight)
    }

    /// Remarks that were dropped because there were too many.
    #[must_use]
    pub fn dropped(&self) -> usize {
        self.remarks.dropped
    }

    /// Name of the file and number of the line.
    #[must_use]
    pub fn place(&self, place: Place) -> String {
        format!("{}:{}", self.files.name(place.file), place.line)
    }

    /// Name of the file.
    #[must_use]
    pub fn file(&self, place: Place) -> &str {
        self.files.name(place.file)
    }

    /// How many of everything there are.
    #[must_use]
    pub fn counts(&self) -> std::collections::BTreeMap<&'static str, usize> {
        let model = &self.model;
        let held = model
            .nodes
            .values()
            .filter(|node| node.fixed.contains(&true));
        let heavy = model
            .nodes
            .values()
            .filter(|node| node.mass.iter().any(|mass| mass.abs() > 0.0));
        std::collections::BTreeMap::from([
            ("nodes", model.nodes.len()),
            ("supports", held.count()),
            ("masses", heavy.count()),
            ("materials", model.materials.len()),
            ("sections", model.sections.len()),
            ("elements", model.elements.len()),
            ("ties", model.ties.len()),
            ("load patterns", model.patterns.len()),
            ("ground motions", model.motions.len()),
        ])
    }

    /// Where a file that the script names is.
    ///
    /// # Errors
    /// Not there, or outside of the model's folder.
    pub fn find(&self, name: &str) -> Result<PathBuf, FileError> {
        self.files.find(name)
    }

    /// Whether a file that was found is one that the script has made: it is gone with what was
    /// imported.
    #[must_use]
    pub fn is_made(&self, path: &Path) -> bool {
        self.files.is_made(path)
    }

    /// Whether there is a structure at all.
    #[must_use]
    pub fn is_useful(&self) -> bool {
        !self.model.nodes.is_empty() && !self.model.elements.is_empty()
    }
}
