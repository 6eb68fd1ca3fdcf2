//! What an FMU says of itself: `modelDescription.xml` of FMI 2.0 and 3.0, in one form.
//!
//! Attributes and elements that are not known are passed over (tools add their own). What is needed
//! and missing, or contradicts itself, is refused with its place.

mod faults;
pub(crate) mod read;
#[cfg(test)]
mod tests;
mod variable;

pub(crate) use variable::number;
pub use variable::{Causality, Dimension, Variability, Variable, VariableType};

use crate::{FmuError, Result};

/// Version of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// FMI 2.0.
    Two,
    /// FMI 3.0.
    Three,
}

/// Which of the interfaces of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// The FMU brings its own solver.
    CoSimulation,
    /// The importer integrates.
    ModelExchange,
}

impl Interface {
    /// Its short name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CoSimulation => "cs",
            Self::ModelExchange => "me",
        }
    }
}

/// What an FMU offers in one interface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Offer {
    /// Name of the binary, without its ending.
    pub identifier: String,
    /// Whether its state can be saved and brought back.
    pub state: bool,
    /// Whether a saved state can be written to disk.
    pub serialization: bool,
    /// Directional derivatives.
    pub directional_derivatives: bool,
    /// Adjoint derivatives (FMI 3).
    pub adjoint_derivatives: bool,
    /// Only one instance in a process.
    pub once_per_process: bool,
    /// It needs its tool to run.
    pub needs_tool: bool,
    /// Steps may differ in size (co-simulation).
    pub variable_step: bool,
    /// Event mode in co-simulation (FMI 3).
    pub event_mode: bool,
    /// It may end a step early (FMI 3).
    pub early_return: bool,
    /// Its own step inside, s (FMI 3).
    pub internal_step: Option<f64>,
    /// It need not be told of completed steps (model exchange).
    pub no_completed_step: bool,
}

/// The experiment that the author suggests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Experiment {
    /// Start, s.
    pub start: Option<f64>,
    /// Stop, s.
    pub stop: Option<f64>,
    /// Relative tolerance.
    pub tolerance: Option<f64>,
    /// Step, s.
    pub step: Option<f64>,
}

/// A continuous state: indices into the list of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The state itself.
    pub variable: usize,
    /// Its derivative.
    pub derivative: usize,
}

/// What an FMU says of itself.
#[derive(Clone, Debug)]
pub struct Description {
    /// Version of the standard.
    pub version: Version,
    /// Version as written.
    pub version_text: String,
    /// Name of the model.
    pub model: String,
    /// `guid` or `instantiationToken`: binary and description must agree on it.
    pub token: String,
    /// What it is for.
    pub about: String,
    /// Who made it.
    pub tool: String,
    /// Co-Simulation.
    pub co_simulation: Option<Offer>,
    /// Model Exchange.
    pub model_exchange: Option<Offer>,
    /// Scheduled Execution (FMI 3) is offered; it is not used here.
    pub scheduled_execution: bool,
    /// All variables, in the order of the file.
    pub variables: Vec<Variable>,
    /// Indices of the outputs.
    pub outputs: Vec<usize>,
    /// Continuous states in the order in which the FMU gives them.
    pub states: Vec<State>,
    /// Number of event indicators.
    pub indicators: usize,
    /// For each variable, the variables that it depends on while it runs; none: not told, so on
    /// anything.
    pub dependencies: Vec<Option<Vec<usize>>>,
    /// The suggested experiment.
    pub experiment: Experiment,
}

impl Description {
    /// Reads a model description.
    pub fn parse(xml: &str) -> Result<Self> {
        read::parse(xml)
    }

    /// The variable of this name.
    pub fn find(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// What is offered in an interface, or why it cannot be used.
    pub fn offer(&self, interface: Interface) -> Result<&Offer> {
        let (this, other, word) = match interface {
            Interface::CoSimulation => (&self.co_simulation, "me", "Co-Simulation"),
            Interface::ModelExchange => (&self.model_exchange, "cs", "Model Exchange"),
        };
        this.as_ref().ok_or_else(|| {
            FmuError::Missing(format!(
                "`{}` offers no {word}; use --kind {other}",
                self.model
            ))
        })
    }

    /// The interface to use when none was asked for.
    #[must_use]
    pub fn preferred(&self) -> Interface {
        if self.co_simulation.is_some() {
            Interface::CoSimulation
        } else {
            Interface::ModelExchange
        }
    }

    /// Takes start values of structural parameters: arrays have the sizes that these say from now
    /// on. Others are left alone.
    pub fn configure(&mut self, starts: &[(String, String)]) -> Result<()> {
        for (name, text) in starts {
            let Some((reference, kind)) = self
                .find(name)
                .filter(|v| v.causality == Causality::StructuralParameter)
                .map(|v| (v.reference, v.kind))
            else {
                continue;
            };
            if kind == VariableType::UInt64 && text.parse::<u64>().is_err() {
                return Err(FmuError::Usage(format!(
                    "`{name}` is the size of an array: a whole number, not `{text}`"
                )));
            }
            for variable in &mut self.variables {
                if variable.reference == reference {
                    variable.start = vec![text.clone()];
                }
            }
        }
        Ok(())
    }

    /// Number of values of a variable; an array's may hang on structural parameters, which are
    /// taken at their start.
    #[must_use]
    pub fn size(&self, variable: &Variable) -> usize {
        self.declared_size(variable).min(MOST_VALUES)
    }

    /// The same as it is written, however large.
    #[must_use]
    pub fn declared_size(&self, variable: &Variable) -> usize {
        variable
            .dimensions
            .iter()
            .map(|dimension| match dimension {
                Dimension::Fixed(n) => *n,
                Dimension::Of(reference) => self
                    .variables
                    .iter()
                    .find(|other| other.reference == *reference)
                    .and_then(|other| other.start.first())
                    .and_then(|text| text.parse().ok())
                    .unwrap_or(1),
            })
            .fold(1_usize, usize::saturating_mul)
    }

    /// Size of an array in each of its dimensions.
    #[must_use]
    pub fn sizes(&self, variable: &Variable) -> Vec<usize> {
        let sizes = variable.dimensions.iter().map(|d| match d {
            Dimension::Fixed(n) => *n,
            Dimension::Of(_) => self.size(&Variable {
                dimensions: vec![*d],
                ..variable.clone()
            }),
        });
        sizes.collect()
    }

    /// The name of one value of a variable: its own, or `name[2]`, `name[1,2]` in an array.
    #[must_use]
    pub fn element_name(&self, variable: &Variable, index: usize) -> String {
        if variable.dimensions.is_empty() {
            return variable.name.clone();
        }
        let sizes = self.sizes(variable);
        let mut rest = index;
        let mut places = vec![0; sizes.len()];
        for (place, size) in places.iter_mut().zip(&sizes).rev() {
            *place = rest % size.max(&1) + 1;
            rest /= size.max(&1);
        }
        let places: Vec<String> = places.iter().map(usize::to_string).collect();
        format!("{}[{}]", variable.name, places.join(","))
    }

    /// Number of continuous states, arrays counted by their values.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.states
            .iter()
            .filter_map(|state| self.variables.get(state.variable))
            .map(|variable| self.size(variable))
            .sum()
    }
}

/// Largest array that is believed: a matrix of three thousand rows.
pub(crate) const MOST_VALUES: usize = 10_000_000;
