//! The damping of a structure, of any kind.

use tandem_quantity::{
    BuildError, Dimension, Entry, Method, Range, Settings, SlotOf, Values, settings,
};
use tandem_structure::{Damping, Matrix, matrices};

settings! {
    /// The damping of a structure, of any kind.
    pub(crate) struct Viscous {
        /// viscous damping
        damping: Option<Values> = slot(&DAMPING_SLOT),
    }
}

/// A matrix that is written out, or in a file; with the keys of both.
pub(crate) fn rows(
    written: (Option<Vec<Vec<f64>>>, Option<String>),
    inline: &str,
    file: &str,
) -> Result<Vec<Vec<f64>>, BuildError> {
    match written {
        (Some(rows), None) => Ok(rows),
        (None, Some(path)) => {
            let text = std::fs::read_to_string(&path).map_err(|error| {
                BuildError::new(
                    file,
                    format!("`{path}` cannot be read: {error}"),
                    "give the path relative to the plan",
                )
            })?;
            matrices::parse_csv(&text).map_err(|error| {
                BuildError::new(
                    file,
                    format!("`{path}`: {error}"),
                    "give rows of numbers, separated by commas or blanks",
                )
            })
        }
        (Some(_), Some(_)) => Err(BuildError::new(
            file,
            format!("both `{inline}` and `{file}` are given"),
            "keep one",
        )),
        (None, None) => Err(BuildError::new(
            inline,
            format!("the {inline} matrix is missing"),
            format!("write {inline} = [[…], […], \"unit\"], or {file} = \"matrix.csv\""),
        )),
    }
}

type BuildDamping = fn(&Values) -> Result<Damping, BuildError>;

static DAMPINGS: &[Entry<BuildDamping>] = &[
    NO_DAMPING,
    RAYLEIGH,
    RAYLEIGH_COEFFICIENTS,
    MASS_PROPORTIONAL,
    STIFFNESS_PROPORTIONAL,
    MODAL,
    DAMPING_MATRIX,
];

static DAMPING_SLOT: SlotOf<BuildDamping> =
    SlotOf::new("damping", "method", Some("none"), || DAMPINGS);

impl Viscous {
    pub(crate) fn build(&self) -> Result<Damping, BuildError> {
        let Some(table) = &self.damping else {
            return Ok(Damping::None);
        };
        let damping = DAMPING_SLOT
            .find(table)
            .and_then(|entry| (entry.build)(table));
        damping.map_err(|error| error.within("damping"))
    }
}

settings! {
    /// Damping of one mode.
    struct OneMode {
        /// damping ratio, such as 0.02 or "2 %"
        ratio: f64 = number(Dimension::NONE).within(Range::between(0.0, 1.0)),
        /// mode with that ratio
        mode: usize = integer().or("1").within(Range::between(1.0, 1e6)),
    }
}

const NO_DAMPING: Entry<BuildDamping> = Entry {
    method: Method {
        name: "none",
        summary: "no damping",
        reference: "definition",
        parameters: &[],
    },
    build: |_| Ok(Damping::None),
};

const RAYLEIGH: Entry<BuildDamping> = Entry {
    method: Method {
        name: "rayleigh",
        summary: "C = a M + b K with a given ratio at two modes",
        reference: "Chopra, Dynamics of Structures, section 11.4",
        parameters: RayleighRatio::PARAMETERS,
    },
    build: |values| {
        let RayleighRatio { ratio, modes } = RayleighRatio::read(values)?;
        match modes[..] {
            [a, b] if a != b => Ok(Damping::RayleighRatio {
                ratios: [ratio; 2],
                modes: [a, b],
            }),
            _ => Err(BuildError::new(
                "modes",
                "two different modes are needed",
                "write modes = [1, 2]",
            )),
        }
    },
};

settings! {
    struct RayleighRatio {
        /// damping ratio, such as 0.02 or "2 %"
        ratio: f64 = number(Dimension::NONE).within(Range::between(0.0, 1.0)),
        /// the two modes
        modes: Vec<usize> = integers().or("[1, 2]").within(Range::between(1.0, 1e6)),
    }
}

const RAYLEIGH_COEFFICIENTS: Entry<BuildDamping> = Entry {
    method: Method {
        name: "rayleigh-coefficients",
        summary: "C = a M + b K with a and b given",
        reference: "Chopra, Dynamics of Structures, section 11.4",
        parameters: RayleighCoefficients::PARAMETERS,
    },
    build: |values| {
        let RayleighCoefficients { mass, stiffness } = RayleighCoefficients::read(values)?;
        Ok(Damping::Rayleigh { mass, stiffness })
    },
};

settings! {
    struct RayleighCoefficients {
        /// a, 1/s
        mass: f64 = number(Dimension::FREQUENCY).or("\"0 1/s\"").not_negative(),
        /// b
        stiffness: f64 = number(Dimension::TIME).or("\"0 s\"").not_negative(),
    }
}

const MASS_PROPORTIONAL: Entry<BuildDamping> = Entry {
    method: Method {
        name: "mass-proportional",
        summary: "C = a M with a given ratio at one mode",
        reference: "Chopra, Dynamics of Structures, section 11.4",
        parameters: OneMode::PARAMETERS,
    },
    build: |values| {
        let OneMode { ratio, mode } = OneMode::read(values)?;
        Ok(Damping::MassProportional { ratio, mode })
    },
};

const STIFFNESS_PROPORTIONAL: Entry<BuildDamping> = Entry {
    method: Method {
        name: "stiffness-proportional",
        summary: "C = b K with a given ratio at one mode",
        reference: "Chopra, Dynamics of Structures, section 11.4",
        parameters: OneMode::PARAMETERS,
    },
    build: |values| {
        let OneMode { ratio, mode } = OneMode::read(values)?;
        Ok(Damping::StiffnessProportional { ratio, mode })
    },
};

const MODAL: Entry<BuildDamping> = Entry {
    method: Method {
        name: "modal",
        summary: "a ratio for every mode: C = M Φ diag(2ζω) Φᵀ M",
        reference: "Wilson and Penzien 1972",
        parameters: ModalDamping::PARAMETERS,
    },
    build: |values| {
        let ModalDamping { ratios, rounding } = ModalDamping::read(values)?;
        Ok(Damping::Modal { ratios, rounding })
    },
};

settings! {
    struct ModalDamping {
        /// ratio of every mode; a single one stands for all
        ratios: Vec<f64> = numbers(Dimension::NONE).within(Range::between(0.0, 1.0)),
        /// round circular frequencies to a multiple of this (1/s), as some published models do
        rounding: Option<f64> = number(Dimension::FREQUENCY).positive(),
    }
}

const DAMPING_MATRIX: Entry<BuildDamping> = Entry {
    method: Method {
        name: "matrix",
        summary: "C itself, written out or from a text file",
        reference: "definition",
        parameters: DampingMatrix::PARAMETERS,
    },
    build: |values| {
        let settings = DampingMatrix::read(values)?;
        let rows = rows(
            (settings.matrix, settings.matrix_file),
            "matrix",
            "matrix_file",
        )?;
        Matrix::from_rows(&rows)
            .map(Damping::Matrix)
            .map_err(|error| BuildError::new("matrix", error.to_string(), "give a square matrix"))
    },
};

settings! {
    struct DampingMatrix {
        /// damping matrix
        matrix: Option<Vec<Vec<f64>>> = matrix(Dimension::DAMPING),
        /// text file with the damping matrix, N s/m
        matrix_file: Option<String> = path(),
    }
}
