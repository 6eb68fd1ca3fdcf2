//! The models of a script, one from each `wipe` to the next.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Eigenvalues, Reader};
use crate::error::ScriptError;
use crate::script::{Answer, Call, Place, Receiver, Weight};

/// Takes commands and builds models, of which one is kept.
pub struct Models {
    readers: Vec<Reader>,
    /// At which of them the script is, and each of its model objects.
    current: BTreeMap<usize, usize>,
    /// Whose commands come now.
    selected: usize,
    /// Which one was analysed last.
    analysed: Option<usize>,
    eigenvalues: Rc<Eigenvalues>,
}

/// A model is asked for that the script does not build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no model {wanted}: the script builds \
    {}", if *.built == 1 { "one".to_owned() } else { .built.to_string() })]
pub struct NoModel {
    wanted: usize,
    built: usize,
}

impl Models {
    /// Nothing yet.
    pub fn new(eigenvalues: Rc<Eigenvalues>) -> Self {
        Self {
            readers: vec![Reader::new(eigenvalues.clone())],
            current: BTreeMap::from([(0, 0)]),
            selected: 0,
            analysed: None,
            eigenvalues,
        }
    }

    fn reader(&mut self) -> &mut Reader {
        &mut self.readers[self.current[&self.selected]]
    }

    /// The commands that come now go to a new model.
    fn begin(&mut self) {
        self.current.insert(self.selected, self.readers.len());
        self.readers.push(Reader::new(self.eigenvalues.clone()));
    }

    /// The model that was analysed last, or the last one; or that of a number, counted from 1.
    pub fn choose(mut self, wanted: Option<usize>) -> Result<Reader, NoModel> {
        let built: Vec<usize> = (0..self.readers.len())
            .filter(|at| !self.readers[*at].model.nodes.is_empty())
            .collect();
        let last = built.last().copied().unwrap_or(0);
        let kept = match wanted {
            None => self.analysed.unwrap_or(last),
            Some(wanted) => *wanted
                .checked_sub(1)
                .and_then(|place| built.get(place))
                .ok_or(NoModel {
                    wanted,
                    built: built.len(),
                })?,
        };
        let mut reader = self.readers.swap_remove(kept);
        if let Some(number) = built.iter().position(|at| *at == kept)
            && built.len() > 1
        {
            let why = match (wanted, self.analysed) {
                (Some(_), _) => "as asked for",
                (None, Some(_)) => "the one analysed last",
                (None, None) => "the last one",
            };
            let reason = format!(
                "the script builds {} models, one after each wipe; number {} is kept, {why} \
                 (--model N takes another)",
                built.len(),
                number + 1
            );
            let place = reader.model.nodes.values().map(|node| node.place).min();
            reader.remark(Weight::Assumed, place.unwrap_or_default(), "node", &reason);
        }
        Ok(reader)
    }
}

impl Receiver for Models {
    fn select(&mut self, model: usize) {
        self.selected = model;
        if !self.current.contains_key(&model) {
            self.begin();
        }
    }

    fn receive(&mut self, call: &Call) -> Result<Answer, ScriptError> {
        match call.name.as_str() {
            "wipe" => {
                if self.reader().model.nodes.is_empty() {
                    self.reader().forget();
                } else {
                    self.begin();
                }
                return Ok(Answer::Nothing);
            }
            "analyze" => self.analysed = Some(self.current[&self.selected]),
            _ => {}
        }
        self.reader().receive(call)
    }

    fn remark(&mut self, weight: Weight, place: Place, command: &str, reason: &str) {
        self.reader().remark(weight, place, command, reason);
    }

    fn stopped(&mut self, place: Place, reason: &str) {
        // What comes after is lost to every model.
        for reader in &mut self.readers {
            reader.remark(Weight::Missing, place, "the rest of the script", reason);
        }
    }
}
