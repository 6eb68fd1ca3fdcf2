//! Commands of OpenSees into a [`Model`].

mod analysis;
mod arguments;
mod elements;
mod loads;
mod materials;
mod nodes;
mod sections;

use super::model::{Model, Tag};
use super::script::{Answer, Call, Place, Receiver, Remarks, Weight};
use crate::error::ScriptError;
use arguments::Arguments;

/// Works out eigenvalues of the model as it is: the first few ω².
pub type Eigenvalues<'a> = dyn Fn(&Model, usize) -> Result<Vec<f64>, ScriptError> + 'a;

/// Takes commands and builds the model.
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
    eigenvalues: Box<Eigenvalues<'static>>,
}

impl Reader {
    /// Nothing yet.
    pub fn new(eigenvalues: Box<Eigenvalues<'static>>) -> Self {
        Self {
            model: Model::default(),
            remarks: Remarks::default(),
            understood: 0,
            open_section: None,
            open_pattern: false,
            eigenvalues,
        }
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

impl Receiver for Reader {
    fn receive(&mut self, call: &Call) -> Result<Answer, ScriptError> {
        let mut arguments = Arguments::of(call);
        let (arguments, place) = (&mut arguments, call.place);
        let answer = match call.name.as_str() {
            "model" => self.model_size(arguments),
            "wipe" => {
                let known = !self.model.nodes.is_empty();
                if known {
                    // What comes after is another model, or the end.
                    self.assume(
                        place,
                        "wipe",
                        "the model before this line is kept; what follows adds to it",
                    );
                }
                Ok(Answer::Nothing)
            }
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

    fn remark(&mut self, weight: Weight, place: Place, command: &str, reason: &str) {
        self.remarks.add(weight, place, command, reason);
    }
}
