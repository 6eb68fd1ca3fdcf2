//! `model`, `node`, `fix`, `mass`, and ties between nodes.

use super::Reader;
use super::arguments::Arguments;
use super::materials::tags;
use crate::error::ScriptError;
use crate::model::{Node, Tag, Tie};
use crate::script::{Answer, Place};

/// Most nodes and elements that are taken.
const MOST: usize = 50_000;

impl Reader {
    pub(super) fn model_size(&mut self, arguments: &mut Arguments) -> Result<Answer, ScriptError> {
        let builder = arguments.text("the kind of model")?;
        if !matches!(
            builder.as_str(),
            "basic" | "Basic" | "BasicBuilder" | "basicBuilder"
        ) {
            return Err(ScriptError::NotKnown(
                format!("the model builder {builder}").into(),
            ));
        }
        let mut number = |option: &str| {
            arguments
                .option(option)
                .and_then(|list| list.first().copied())
        };
        let dimensions = number("-ndm").ok_or(ScriptError::Missing("-ndm".into()))?;
        let freedoms = number("-ndf");
        let size = match (one_digit(dimensions), freedoms.map(one_digit)) {
            (1, None | Some(1)) => (1, 1),
            (2, None | Some(3)) => (2, 3),
            (2, Some(2)) => (2, 2),
            (3, None | Some(6)) => (3, 6),
            (3, Some(3)) => (3, 3),
            _ => {
                return Err(ScriptError::NotInAPlan(
                    "models of this size (-ndm, -ndf) are not read".into(),
                ));
            }
        };
        if self.model.nodes.is_empty() {
            self.model.size = Some(size);
        } else if self.model.size() != size {
            return Err(ScriptError::Contradiction(
                "the size changes after the first node".into(),
            ));
        }
        Ok(Answer::Nothing)
    }

    pub(super) fn node(
        &mut self,
        arguments: &mut Arguments,
        place: Place,
    ) -> Result<Answer, ScriptError> {
        let tag = arguments.tag("the number of the node")?;
        let mass = arguments.option("-mass");
        arguments.option("-ndf");
        arguments.option("-disp");
        let (dimensions, freedoms) = self.model.size();
        let mut at = [0.0; 3];
        for coordinate in at.iter_mut().take(dimensions) {
            *coordinate = arguments.number("a coordinate")?;
        }
        let mut masses = vec![0.0; freedoms];
        for (mass, given) in masses.iter_mut().zip(mass.unwrap_or_default()) {
            *mass = given;
        }
        if self.model.nodes.len() >= MOST {
            return Err(ScriptError::Contradiction(
                format!("a model has at most {MOST} nodes").into(),
            ));
        }
        if self.model.nodes.contains_key(&tag) {
            return Err(ScriptError::Twice(format!("a node {tag}").into()));
        }
        let node = Node {
            at,
            mass: masses,
            fixed: vec![false; freedoms],
            place,
        };
        self.model.nodes.insert(tag, node);
        Ok(Answer::Nothing)
    }

    pub(super) fn node_of(&self, tag: Tag) -> Result<&Node, ScriptError> {
        let node = self.model.nodes.get(&tag);
        node.ok_or_else(|| ScriptError::NotThere(format!("node {tag}").into()))
    }

    fn node_mut(&mut self, tag: Tag) -> Result<&mut Node, ScriptError> {
        self.model
            .nodes
            .get_mut(&tag)
            .ok_or_else(|| ScriptError::NotThere(format!("node {tag}").into()))
    }

    pub(super) fn fix(&mut self, arguments: &mut Arguments) -> Result<Answer, ScriptError> {
        let tag = arguments.tag("the node")?;
        let flags = arguments.rest();
        let node = self.node_mut(tag)?;
        for (fixed, flag) in node.fixed.iter_mut().zip(flags) {
            *fixed |= flag.abs() > 0.0;
        }
        Ok(Answer::Nothing)
    }

    /// `fixX x flags`: all nodes at this coordinate.
    pub(super) fn fix_at(
        &mut self,
        axis: usize,
        arguments: &mut Arguments,
    ) -> Result<Answer, ScriptError> {
        let coordinate = arguments.number("the coordinate")?;
        let tolerance = arguments
            .option("-tol")
            .and_then(|list| list.first().copied())
            .unwrap_or(1e-10);
        let flags = arguments.rest();
        for node in self.model.nodes.values_mut() {
            if (node.at[axis] - coordinate).abs() <= tolerance {
                for (fixed, flag) in node.fixed.iter_mut().zip(&flags) {
                    *fixed |= flag.abs() > 0.0;
                }
            }
        }
        Ok(Answer::Nothing)
    }

    pub(super) fn mass(&mut self, arguments: &mut Arguments) -> Result<Answer, ScriptError> {
        let tag = arguments.tag("the node")?;
        let masses = arguments.rest();
        let node = self.node_mut(tag)?;
        for (mass, given) in node.mass.iter_mut().zip(masses) {
            *mass = given;
        }
        Ok(Answer::Nothing)
    }

    pub(super) fn tie(
        &mut self,
        name: &str,
        arguments: &mut Arguments,
        place: Place,
    ) -> Result<Answer, ScriptError> {
        let tie = match name {
            "equalDOF" => {
                let (retained, follows) = (arguments.tag("the node")?, arguments.tag("the node")?);
                let dofs = self.model.dofs();
                let mut own = Vec::new();
                for dof in tags(&arguments.rest())? {
                    let place = usize::try_from(dof - 1).ok().and_then(|at| dofs.get(at));
                    own.push(*place.ok_or_else(|| {
                        ScriptError::Contradiction(
                            format!("there is no degree of freedom {dof}").into(),
                        )
                    })?);
                }
                Tie::Equal(retained, follows, own)
            }
            "rigidLink" => {
                let kind = arguments.text("bar or beam")?;
                let (retained, follows) = (arguments.tag("the node")?, arguments.tag("the node")?);
                match kind.as_str() {
                    "beam" => Tie::Rigid(retained, follows),
                    // Displacements are equal, rotations are free.
                    "bar" | "rod" => {
                        let count = self.model.size().0;
                        Tie::Equal(retained, follows, (0..count).collect())
                    }
                    other => {
                        return Err(ScriptError::NotKnown(
                            format!("the rigid link {other}").into(),
                        ));
                    }
                }
            }
            _ => {
                let normal = arguments.tag("the normal")?;
                let retained = arguments.tag("the node that is kept")?;
                let normal = usize::try_from(normal - 1)
                    .ok()
                    .filter(|axis| *axis < 3)
                    .ok_or_else(|| ScriptError::NotKnown(format!("the normal {normal}").into()))?;
                Tie::Floor(normal, retained, tags(&arguments.rest())?)
            }
        };
        let nodes = match &tie {
            Tie::Equal(a, b, _) | Tie::Rigid(a, b) => vec![*a, *b],
            Tie::Floor(_, a, rest) => rest.iter().chain([a]).copied().collect(),
        };
        for node in nodes {
            self.node_mut(node)?;
        }
        self.model.ties.push((tie, place));
        Ok(Answer::Nothing)
    }
}

fn one_digit(value: f64) -> u8 {
    (0..=9_u8)
        .find(|digit| (f64::from(*digit) - value).abs() <= 0.0)
        .unwrap_or(9)
}
