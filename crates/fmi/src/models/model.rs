//! What an exported FMU computes, free of any interface.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

/// What a variable of a block is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Given before the start.
    Parameter,
    /// Follows from parameters.
    Calculated,
    /// Given while it runs.
    Input,
    /// Computed.
    Output,
    /// Computed, with a start that can be given: a continuous state where the block has any.
    State,
    /// Derivative of the state with this place in the list of variables.
    Derivative(usize),
}

/// A variable of a block: a scalar, a vector or a matrix by rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name.
    pub name: &'static str,
    /// Sizes; empty for a scalar.
    pub dimensions: Vec<usize>,
    /// What it is for.
    pub role: Role,
    /// Start value of every entry.
    pub start: f64,
    /// Unit, as in `m/s2`.
    pub unit: &'static str,
    /// What it is.
    pub about: &'static str,
}

impl Variable {
    /// Number of values.
    #[must_use]
    pub fn size(&self) -> usize {
        self.dimensions.iter().product()
    }
}

/// Places of the values of each variable, one variable after the other.
pub fn places(variables: &[Variable]) -> Vec<std::ops::Range<usize>> {
    let mut end = 0;
    let each = variables.iter().map(|variable| {
        let start = end;
        end += variable.size();
        start..end
    });
    each.collect()
}

/// Why a block does not do what it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

/// A part of a plan that can live inside an FMU. Its variables stand in one list of values, in the
/// order of [`FmuModel::variables`].
pub trait FmuModel: Snapshot + Send {
    /// Its variables.
    fn variables(&self) -> &[Variable];

    /// Takes parameters and starts; computes everything of the first instant. Called again when a
    /// value was set meanwhile.
    fn initialise(&mut self, values: &mut [f64]) -> Result<(), Refused>;

    /// The size of its steps, s; none: any.
    fn step_size(&self, _values: &[f64]) -> Option<f64> {
        None
    }

    /// One step of co-simulation of `size` seconds, which is [`FmuModel::step_size`] but for
    /// round-off.
    fn step(&mut self, values: &mut [f64], size: f64) -> Result<(), Refused>;

    /// Whether [`FmuModel::initialise`] has made everything that a saved state is put back into.
    fn is_ready(&self) -> bool {
        true
    }

    /// Number of continuous states; zero: no Model Exchange.
    fn states(&self) -> usize {
        0
    }

    /// Model Exchange: derivatives and outputs from states and inputs.
    fn evaluate(&mut self, _values: &mut [f64]) -> Result<(), Refused> {
        Ok(())
    }

    /// Model Exchange: the states are accepted as they are.
    fn accept(&mut self, _values: &mut [f64]) -> Result<(), Refused> {
        Ok(())
    }

    /// Model Exchange: changes of all values for small changes of states and inputs, which stand in
    /// `changes`.
    fn sensitivities(&mut self, _values: &[f64], _changes: &mut [f64]) -> Result<(), Refused> {
        Err(Refused("there are no directional derivatives here".into()))
    }
}

/// A block with its values and whether they are up to date: what both versions of the standard
/// drive.
pub struct Unit {
    /// The block.
    pub block: Box<dyn FmuModel>,
    /// Values of all variables.
    pub values: Vec<f64>,
    /// Places of the variables.
    pub places: Vec<std::ops::Range<usize>>,
    /// Time, s.
    pub time: f64,
    /// Where in its life it is.
    pub phase: Phase,
    /// A value was set since the outputs were computed.
    pub stale: bool,
    /// Model Exchange, else Co-Simulation.
    pub exchange: bool,
}

/// Where in its life an FMU is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before the initialisation, or in it.
    Starting,
    /// Running.
    Running,
    /// Terminated: values can be read, nothing goes on.
    Over,
}

impl Phase {
    const ALL: [Self; 3] = [Self::Starting, Self::Running, Self::Over];

    fn number(self) -> f64 {
        match self {
            Self::Starting => 0.0,
            Self::Running => 1.0,
            Self::Over => 2.0,
        }
    }
}

impl Unit {
    /// A block before its start.
    pub fn new(block: Box<dyn FmuModel>, exchange: bool) -> Self {
        let variables = block.variables();
        let places = places(variables);
        let values = variables
            .iter()
            .flat_map(|variable| std::iter::repeat_n(variable.start, variable.size()))
            .collect();
        Self {
            values,
            places,
            block,
            time: 0.0,
            phase: Phase::Starting,
            stale: true,
            exchange,
        }
    }

    /// Makes the values of outputs those of states and inputs, where that is due.
    pub fn refresh(&mut self) -> Result<(), Refused> {
        if !self.stale {
            return Ok(());
        }
        match (self.phase, self.exchange) {
            (Phase::Starting, _) => self.block.initialise(&mut self.values)?,
            (Phase::Running | Phase::Over, true) => self.block.evaluate(&mut self.values)?,
            // Within a step of co-simulation no output depends on an input.
            (Phase::Running | Phase::Over, false) => {}
        }
        self.stale = false;
        Ok(())
    }

    /// The first input that is not finite. One such number would stay in the states for good.
    pub fn wild_input(&self) -> Option<&'static str> {
        let mut all = self.block.variables().iter().zip(&self.places);
        let wild = all.find(|(variable, place)| {
            let values = self.values.get((*place).clone()).unwrap_or_default();
            variable.role == Role::Input && values.iter().any(|x| !x.is_finite())
        });
        wild.map(|(variable, _)| variable.name)
    }

    /// Whether this variable may be set now.
    pub fn may_set(&self, variable: usize) -> bool {
        if self.phase == Phase::Over {
            return false;
        }
        match self.block.variables().get(variable).map(|v| v.role) {
            Some(Role::Input) => true,
            Some(Role::Parameter | Role::State) => self.phase == Phase::Starting || self.exchange,
            _ => false,
        }
    }
}

impl Snapshot for Unit {
    fn save(&self, into: &mut Vec<f64>) {
        self.values.save(into);
        self.time.save(into);
        self.phase.number().save(into);
        self.stale.save(into);
        self.block.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.values.restore(from)?;
        self.time.restore(from)?;
        let mut phase = 0.0;
        phase.restore(from)?;
        #[allow(clippy::float_cmp)] // written as these very numbers
        let known = Phase::ALL.into_iter().find(|known| known.number() == phase);
        self.phase = known.ok_or(SnapshotError)?;
        self.stale.restore(from)?;
        if !self.block.is_ready() {
            let mut values = self.values.clone();
            self.block
                .initialise(&mut values)
                .map_err(|_| SnapshotError)?;
        }
        self.block.restore(from)
    }
}
