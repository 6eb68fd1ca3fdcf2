//! Why a test did not take place or could not be kept.

use std::path::PathBuf;

use tandem_coordinator::recorder::RecorderError;
#[cfg(feature = "fmi")]
use tandem_cosimulation::CosimulationError;
#[cfg(feature = "fmi")]
use tandem_fmi::FmuError;
use tandem_quantity::BuildError;

use crate::summary::SummaryError;
use tandem_plan::{PlanErrors, Resolved};

/// Why a run did not take place or could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The plan does not fit.
    #[error("{0}")]
    Plan(Box<PlanErrors>),
    /// Something of the test does not fit.
    #[error("{0}")]
    Build(#[from] BuildError),
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
    /// What is asked of the run needs a loop, and there was none.
    #[error(
        "{} is the run of a co-simulation, which has no loop to replay or drill, and whose page is \
        made by its run",
        folder.display()
    )]
    Coupled {
        /// The folder that was given.
        folder: PathBuf,
    },
    /// A rehearsal of another test.
    #[error("{} is no rehearsal of this test: {what} differ (`tandem report A B` sets any two runs \
        side by side)", folder.display())]
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
    /// An FMU that a co-simulation has as a part.
    #[cfg(feature = "fmi")]
    #[error(transparent)]
    Fmu(#[from] FmuError),
    /// The recorder.
    #[error(transparent)]
    Recorder(#[from] RecorderError),
    /// The figures of an earlier run.
    #[error(transparent)]
    Summary(#[from] SummaryError),
}

impl From<Box<PlanErrors>> for RunError {
    fn from(refusal: Box<PlanErrors>) -> Self {
        Self::Plan(refusal)
    }
}

impl RunError {
    /// The same, where the plan can tell the place.
    pub(crate) fn in_plan(self, plan: &Resolved) -> Self {
        match self {
            Self::Build(error) => Self::Plan(Box::new(plan.refuse(vec![error]))),
            other => other,
        }
    }

    /// As an error of the plan, for who says it with the plan's text: of a run in memory, which
    /// can fail by nothing else.
    #[must_use]
    pub fn into_build_error(self) -> BuildError {
        match self {
            Self::Build(error) => error,
            other => BuildError::new("", other.to_string(), "run it into a folder: `tandem run`"),
        }
    }
}

#[cfg(feature = "fmi")]
impl From<CosimulationError> for RunError {
    fn from(error: CosimulationError) -> Self {
        match error {
            CosimulationError::Plan(error) => Self::Build(error),
            CosimulationError::Fmu(error) => Self::Fmu(error),
            CosimulationError::Recorder(error) => Self::Recorder(error),
        }
    }
}
