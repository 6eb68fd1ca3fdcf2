//! Parts of a co-simulation that plans describe.

use std::path::Path;

use tandem_cosimulation::sections::PlanPart;
use tandem_cosimulation::{Content as PartContent, Plans};
use tandem_fmi::models::Variant;
use tandem_fmi::{Fmu, FmuError, Interface, Version};
use tandem_integrator::partitioned::Newmark;
use tandem_plan::Source;
use tandem_quantity::{BuildError, Registry};
use tandem_structure::Structure;
use tandem_transfer::rig;

use super::content::{Content, What};
use super::export::{Kinds, Request, export};
use crate::sections::{Section, open_with};

/// What co-simulations need of the program that runs them.
#[derive(Clone, Copy, Debug)]
pub struct Environment {
    /// The shared library that exported FMUs carry.
    pub library: &'static [u8],
}

/// Reads the plans of parts, and exports them with the library.
pub(crate) struct PartPlans {
    pub environment: Environment,
    pub registry: Registry,
}

impl PartPlans {
    fn part_of(&self, content: Content) -> Box<dyn PartContent> {
        let library = self.environment.library;
        Box::new(Part { content, library })
    }
}

impl Plans for PartPlans {
    fn part(
        &self,
        path: &str,
        what: PlanPart,
        variant: Variant,
    ) -> Result<Box<dyn PartContent>, BuildError> {
        let refuse = |text: String| {
            let help = "check the plan of this part with `tandem check`";
            BuildError::new("part", text, help)
        };
        let plan = open_with(&self.registry, Source::File(Path::new(path)), &[])
            .map_err(|errors| refuse(format!("{path}: {}", errors.to_text())))?;
        let kind = Section::Rig.selected(&plan.values, &rig::SLOT);
        if let (PlanPart::Physical, Some(kind @ ("device" | "sites"))) = (what, kind) {
            return Err(refuse(format!(
                "{path}: its specimen stands elsewhere (rig.kind = \"{kind}\"), where a \
                 co-simulation cannot move it yet; a model would stand in for it without a word. \
                 Run that plan as a test, or couple its rehearsal with rig.kind = \"virtual\""
            )));
        }
        let what = match what {
            PlanPart::Numerical => What::Numerical,
            PlanPart::Physical => What::Physical,
            PlanPart::Whole => What::Whole,
        };
        let content = Content::of(&plan, what, variant)
            .map_err(|errors| refuse(format!("{path}: {}", plan.refuse(errors).to_text())))?;
        Ok(self.part_of(content))
    }

    fn exported(&self, fmu: &Fmu) -> Result<Option<Box<dyn PartContent>>, FmuError> {
        let path = fmu.folder().join("resources/tandem.json");
        let broken = |error: String| FmuError::Usage(format!("{}: {error}", path.display()));
        let json = match std::fs::read_to_string(&path) {
            Ok(json) => json,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(broken(error.to_string())),
        };
        let content = serde_json::from_str(&json).map_err(|error| broken(error.to_string()))?;
        Ok(Some(self.part_of(content)))
    }

    fn coupling(&self, dt: f64, maps: &[Vec<usize>]) -> Box<dyn PartContent> {
        let newmark = Newmark::AVERAGE_ACCELERATION;
        self.part_of(Content {
            name: "coupling".into(),
            what: What::Coupling,
            variant: Variant::B,
            dt,
            gamma: newmark.gamma,
            beta: newmark.beta,
            dof: 0,
            rows: Vec::new(),
            matrices: None,
            plan: None,
            input_work: None,
            parts: maps
                .iter()
                .map(|map| (map.len(), (0..map.len()).collect(), map.clone()))
                .collect(),
        })
    }
}

/// A part, and the library that it is exported with.
struct Part {
    content: Content,
    library: &'static [u8],
}

impl PartContent for Part {
    fn rows(&self) -> &[usize] {
        &self.content.rows
    }

    fn newmark(&self) -> Newmark {
        Newmark {
            gamma: self.content.gamma,
            beta: self.content.beta,
        }
    }

    fn set_newmark(&mut self, newmark: Newmark) {
        (self.content.gamma, self.content.beta) = (newmark.gamma, newmark.beta);
    }

    fn set_step(&mut self, dt: f64) {
        self.content.dt = dt;
    }

    fn structure(&self, dt: f64) -> Result<Box<dyn Structure>, BuildError> {
        let made = self.content.structure(dt);
        made.map_err(|error| BuildError::new("part", error.to_string(), "check its plan"))
    }

    fn export(&self, version: Version, interface: Interface, to: &Path) -> Result<(), FmuError> {
        let kinds = Kinds {
            co_simulation: interface == Interface::CoSimulation,
            model_exchange: interface == Interface::ModelExchange,
        };
        let request = Request {
            content: &self.content,
            version,
            kinds,
            binary: self.library,
        };
        export(request, to)
    }
}
