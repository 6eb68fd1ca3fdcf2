//! Commands of OpenSees into a [`Model`].

mod analysis;
mod arguments;
mod elements;
mod loads;
mod materials;
mod models;
mod nodes;
mod sections;

use super::model::{Model, Tag};
use super::script::{Answer, Call, Place, Remarks, Weight};
use crate::error::ScriptError;
use arguments::Arguments;
pub use models::{Models, NoModel};

use std::rc::Rc;

/// Works out eigenvalues of the model as it is: the first few ω².
pub type Eigenvalues = dyn Fn(&Model, usize) -> Result<Vec<f64>, ScriptError>;

/// Takes commands and builds one model.
pub struct Reader {
    /// What was understood.
    pub model: Model,
    /// What was not, and what was assumed.
    pub remarks: Remarks,
    /// How many commands were understood.
    pub understood: usize,
    /// Section that `patch`, `layer` and `fiber` belong to.
    open_section: Option<Tag>,
    /// Whether `load` and `eleLoad` belong to the last pattern.
    open_pattern: bool,
    eigenvalues: Rc<Eigenvalues>,
}

impl Reader {
    /// Nothing yet.
    pub fn new(eigenvalues: Rc<Eigenvalues>) -> Self {
        Self {
            model: Model::default(),
            remarks: Remarks::default(),
            understood: 0,
            open_section: None,
            open_pattern: false,
            eigenvalues,
        }
    }

    /// As if no command had come; what was remarked on stays.
    fn forget(&mut self) {
        self.model = Model::default();
        self.open_section = None;
        self.open_pattern = false;
    }

    fn assume(&mut self, place: Place, command: &str, reason: &str) {
        self.remarks.add(Weight::Assumed, place, command, reason);
    }

    fn miss(&mut self, place: Place, command: &str, reason: &str) {
        self.remarks.add(Weight::Missing, place, command, reason);
    }

    fn ignore(&mut self, place: Place, command: &str) -> Result<Answer, ScriptError> {
        let reason = "output and settings of the solution have no place in a plan";
        self.remarks.add(Weight::Ignored, place, command, reason);
        Ok(Answer::Nothing)
    }
}

impl Reader {
    /// Does one command.
    pub fn receive(&mut self, call: &Call) -> Result<Answer, ScriptError> {
        let mut arguments = Arguments::of(call);
        let (arguments, place) = (&mut arguments, call.place);
        let answer = match call.name.as_str() {
            "model" => self.model_size(arguments),
            "node" => self.node(arguments, place),
            "fix" => self.fix(arguments),
            "fixX" => self.fix_at(0, arguments),
            "fixY" => self.fix_at(1, arguments),
            "fixZ" => self.fix_at(2, arguments),
            "mass" => self.mass(arguments),
            "equalDOF" | "rigidLink" | "rigidDiaphragm" => self.tie(&call.name, arguments, place),
            "uniaxialMaterial" => self.material(arguments, place),
            "section" => self.section(arguments, place),
            "patch" | "layer" | "fiber" | "fibre" => self.fibres(&call.name, arguments),
            "geomTransf" => self.transformation(arguments, place),
            "beamIntegration" => self.integration(arguments),
            "element" => self.element(arguments, place),
            "timeSeries" => self.series(arguments),
            "pattern" => self.pattern(arguments, place),
            "load" => self.load(arguments),
            "eleLoad" => self.element_load(arguments),
            "loadConst" => self.freeze(arguments),
            name => self.analysis(name, arguments, place),
        };
        if answer.is_ok() {
            self.understood += 1;
        }
        answer
    }

    /// Keeps a remark.
    pub fn remark(&mut self, weight: Weight, place: Place, command: &str, reason: &str) {
        self.remarks.add(weight, place, command, reason);
    }
}
