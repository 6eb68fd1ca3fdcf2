//! A variable of an FMU.

/// Whole numbers up to here are exact as f64: 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Type of a variable. FMI 2's `Real` is `Float64`, its `Integer` is `Int32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names of the standard
pub enum VariableType {
    Float64,
    Float32,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Boolean,
    Enumeration,
    String,
    Binary,
    Clock,
}

impl VariableType {
    /// Whether a number can be written to such a variable as it is: whole and within its range.
    pub fn takes(self, value: f64) -> bool {
        let (low, high) = match self {
            Self::Int8 => (f64::from(i8::MIN), f64::from(i8::MAX)),
            Self::UInt8 => (0.0, f64::from(u8::MAX)),
            Self::Int16 => (f64::from(i16::MIN), f64::from(i16::MAX)),
            Self::UInt16 => (0.0, f64::from(u16::MAX)),
            Self::Int32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
            Self::UInt32 => (0.0, f64::from(u32::MAX)),
            // Numbers travel as f64: beyond 2^53 they are not whole any more.
            Self::Int64 | Self::Enumeration => (-EXACT, EXACT),
            Self::UInt64 => (0.0, EXACT),
            Self::Boolean => (0.0, 1.0),
            _ => return true,
        };
        value.fract() == 0.0 && (low..=high).contains(&value)
    }

    pub(super) fn of_element(name: &str) -> Option<Self> {
        Some(match name {
            "Real" | "Float64" => Self::Float64,
            "Float32" => Self::Float32,
            "Int8" => Self::Int8,
            "UInt8" => Self::UInt8,
            "Int16" => Self::Int16,
            "UInt16" => Self::UInt16,
            "Integer" | "Int32" => Self::Int32,
            "UInt32" => Self::UInt32,
            "Int64" => Self::Int64,
            "UInt64" => Self::UInt64,
            "Boolean" => Self::Boolean,
            "Enumeration" => Self::Enumeration,
            "String" => Self::String,
            "Binary" => Self::Binary,
            "Clock" => Self::Clock,
            _ => return None,
        })
    }

    /// Whether its values can stand in a column of numbers.
    #[must_use]
    pub fn is_number(self) -> bool {
        !matches!(self, Self::String | Self::Binary | Self::Clock)
    }

    /// Whether it can vary continuously.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float64 | Self::Float32)
    }
}

/// What a variable is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names of the standard
pub enum Causality {
    Parameter,
    CalculatedParameter,
    StructuralParameter,
    Input,
    Output,
    Local,
    Independent,
}

impl Causality {
    pub(super) fn read(text: &str) -> Option<Self> {
        Some(match text {
            "parameter" => Self::Parameter,
            "calculatedParameter" => Self::CalculatedParameter,
            "structuralParameter" => Self::StructuralParameter,
            "input" => Self::Input,
            "output" => Self::Output,
            "local" | "dependent" => Self::Local,
            "independent" => Self::Independent,
            _ => return None,
        })
    }

    /// As the standard writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Parameter => "parameter",
            Self::CalculatedParameter => "calculatedParameter",
            Self::StructuralParameter => "structuralParameter",
            Self::Input => "input",
            Self::Output => "output",
            Self::Local => "local",
            Self::Independent => "independent",
        }
    }
}

/// How a variable may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names of the standard
pub enum Variability {
    Constant,
    Fixed,
    Tunable,
    Discrete,
    Continuous,
}

impl Variability {
    pub(super) fn read(text: &str) -> Option<Self> {
        Some(match text {
            "constant" => Self::Constant,
            "fixed" => Self::Fixed,
            "tunable" => Self::Tunable,
            "discrete" => Self::Discrete,
            "continuous" => Self::Continuous,
            _ => return None,
        })
    }

    /// As the standard writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Fixed => "fixed",
            Self::Tunable => "tunable",
            Self::Discrete => "discrete",
            Self::Continuous => "continuous",
        }
    }
}

/// A dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// This many.
    Fixed(usize),
    /// As many as the variable with this reference says.
    Of(u32),
}

/// A variable of an FMU.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Value reference.
    pub reference: u32,
    /// Type.
    pub kind: VariableType,
    /// What it is for.
    pub causality: Causality,
    /// How it may change.
    pub variability: Variability,
    /// `exact`, `approx` or `calculated`, as written.
    pub initial: Option<String>,
    /// Start values as written; one for a scalar.
    pub start: Vec<String>,
    /// Unit.
    pub unit: Option<String>,
    /// What it is.
    pub about: String,
    /// Sizes of an array; empty for a scalar.
    pub dimensions: Vec<Dimension>,
    /// Index of the variable that this is the derivative of.
    pub derivative_of: Option<usize>,
}

impl Variable {
    /// Start value as a number; the first of an array.
    #[must_use]
    pub fn start_number(&self) -> Option<f64> {
        number(self.start.first()?)
    }
}

/// A number as FMUs write it: also `true`, `INF`.
pub(crate) fn number(text: &str) -> Option<f64> {
    match text.trim() {
        "true" => Some(1.0),
        "false" => Some(0.0),
        other => other.parse().ok(),
    }
}
