//! The section `[structure]`.

use super::frame;
use super::reduction::REDUCTION;
use crate::guest;
use tandem_quantity::{BuildError, Dimension, Entry, Kind, Method, Parameter, Range, Slot, Values};
use tandem_structure::{Damping, Matrix, Structure, StructureError, matrices, shear_building};

/// How a structure is made: from its table, and the step of structural time (s) for laws with a memory of time.
pub type Build = fn(&Values, f64) -> Result<Box<dyn Structure>, BuildError>;

/// All kinds of structure. A new one is one entry here.
static METHODS: &[Entry<Build>] = &[
    SHEAR_BUILDING,
    MATRICES,
    frame::ENTRY,
    guest::structure::ENTRY,
    ELSEWHERE,
    NOTHING,
];

/// The slot in the plan.
pub static SLOT: Slot = Slot {
    selector: "kind",
    default: None,
    methods: || METHODS.iter().map(|entry| &entry.method).collect(),
};

/// Name of the kind that another program has.
pub const OUTSIDE: &str = "outside";

/// What a plan with an outside driver has; it need not be written.
const ELSEWHERE: Entry<Build> = Entry {
    method: Method {
        name: OUTSIDE,
        summary: "in the program that drives the test ([integration] driver); need not be written",
        reference: "docs/opensees.md",
        parameters: &[],
    },
    build: |_, _| {
        Err(BuildError::new(
            "kind",
            "no program drives this test, so that there is no structure",
            "write integration.driver = \"opensees\", or describe the structure",
        ))
    },
};

/// Name of the kind that is no structure.
pub const NONE: &str = "none";

/// What a plan has that characterises actuators; it need not be written.
const NOTHING: Entry<Build> = Entry {
    method: Method {
        name: NONE,
        summary: "there is none: actuators are characterised ([excitation] kind = \"characterise\"); need not be written",
        reference: "docs/identify.md",
        parameters: &[],
    },
    build: |_, _| {
        Err(BuildError::new(
            "kind",
            "there is no structure that the ground could shake",
            "write excitation.kind = \"characterise\", or describe the structure",
        ))
    },
};

/// Builds the structure; `dt` is the step of structural time, s.
pub fn build(values: &Values, dt: f64) -> Result<Box<dyn Structure>, BuildError> {
    let entry = Entry::find(METHODS, values.text("kind")?)
        .ok_or_else(|| BuildError::new("kind", "unknown structure", "see `tandem methods`"))?;
    (entry.build)(values, dt)
}

/// The damping of a structure, of any kind.
pub(super) const DAMPING: Parameter =
    Parameter::of("damping", Kind::Slot(&DAMPING_SLOT), "viscous damping").optional();

const SHEAR_BUILDING: Entry<Build> = Entry {
    method: Method {
        name: "shear-building",
        summary: "one horizontal degree of freedom per floor, storeys as springs between them",
        reference: "Chopra, Dynamics of Structures, chapter 9",
        parameters: &[
            Parameter::of(
                "masses",
                Kind::Numbers(Dimension::MASS),
                "mass of every floor, from the bottom",
            )
            .positive(),
            Parameter::of(
                "stiffnesses",
                Kind::Numbers(Dimension::STIFFNESS),
                "stiffness of every storey, from the bottom",
            )
            .positive(),
            DAMPING,
            REDUCTION,
        ],
    },
    build: |values, _| {
        let (masses, stiffnesses) = (values.numbers("masses")?, values.numbers("stiffnesses")?);
        if masses.len() != stiffnesses.len() {
            return Err(BuildError::new(
                "stiffnesses",
                format!("{} storeys but {} floors", stiffnesses.len(), masses.len()),
                "give one stiffness for every mass: the storey below that floor",
            ));
        }
        if masses.is_empty() {
            return Err(BuildError::new(
                "masses",
                "the building has no floor",
                "give at least one mass",
            ));
        }
        let building = shear_building(&masses, &stiffnesses, &damping(values)?)
            .map_err(|error| refuse(&error))?;
        Ok(Box::new(building))
    },
};

const MATRICES: Entry<Build> = Entry {
    method: Method {
        name: "matrices",
        summary: "mass and stiffness matrices, written out or from text files",
        reference: "definition",
        parameters: &[
            Parameter::of("mass", Kind::Matrix(Dimension::MASS), "mass matrix").optional(),
            Parameter::of(
                "mass_file",
                Kind::Path,
                "text file with the mass matrix, kg",
            )
            .optional(),
            Parameter::of(
                "stiffness",
                Kind::Matrix(Dimension::STIFFNESS),
                "stiffness matrix",
            )
            .optional(),
            Parameter::of(
                "stiffness_file",
                Kind::Path,
                "text file with the stiffness matrix, N/m",
            )
            .optional(),
            Parameter::of(
                "influence",
                Kind::Numbers(Dimension::NONE),
                "motion of every degree of freedom for a unit motion of the ground; default: 1",
            )
            .optional(),
            DAMPING,
            REDUCTION,
        ],
    },
    build: |values, _| {
        let mass = rows(values, "mass", "mass_file")?;
        let stiffness = rows(values, "stiffness", "stiffness_file")?;
        let structure = matrices::from_rows(&mass, &stiffness, &damping(values)?)
            .map_err(|error| refuse(&error))?;
        if !values.has("influence") {
            return Ok(Box::new(structure));
        }
        match structure.with_influence(values.numbers("influence")?) {
            Ok(structure) => Ok(Box::new(structure)),
            Err(error) => {
                let help = "give one value for every degree of freedom";
                Err(BuildError::new("influence", error.to_string(), help))
            }
        }
    },
};

fn rows(values: &Values, inline: &str, file: &str) -> Result<Vec<Vec<f64>>, BuildError> {
    match (values.has(inline), values.optional_text(file)) {
        (true, None) => values.matrix(inline),
        (false, Some(path)) => {
            let text = std::fs::read_to_string(path).map_err(|error| {
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
        (true, Some(_)) => Err(BuildError::new(
            file,
            format!("both `{inline}` and `{file}` are given"),
            "keep one",
        )),
        (false, None) => Err(BuildError::new(
            inline,
            format!("the {inline} matrix is missing"),
            format!("write {inline} = [[…], […], \"unit\"], or {file} = \"matrix.csv\""),
        )),
    }
}

/// Names the key that an error of the structure is about.
fn refuse(error: &StructureError) -> BuildError {
    let text = error.to_string();
    let key = ["stiffness", "mass", "damping"]
        .into_iter()
        .find(|word| text.contains(word))
        .unwrap_or("");
    BuildError::new(key, text, "check the sizes and values of this section")
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

static DAMPING_SLOT: Slot = Slot {
    selector: "method",
    default: Some("none"),
    methods: || DAMPINGS.iter().map(|entry| &entry.method).collect(),
};

pub(super) fn damping(values: &Values) -> Result<Damping, BuildError> {
    let Some(table) = values.optional_table("damping") else {
        return Ok(Damping::None);
    };
    let entry = Entry::find(DAMPINGS, table.text("method")?)
        .ok_or_else(|| BuildError::new("method", "unknown damping", "see `tandem methods`"))?;
    (entry.build)(table).map_err(|error| error.within("damping"))
}

const RATIO: Parameter = Parameter::number(
    "ratio",
    Dimension::NONE,
    "damping ratio, such as 0.02 or \"2 %\"",
)
.within(Range::between(0.0, 1.0));

const fn mode(doc: &'static str) -> Parameter {
    Parameter::integer("mode", doc)
        .or("1")
        .within(Range::between(1.0, 1e6))
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
        parameters: &[
            RATIO,
            Parameter::of("modes", Kind::Integers, "the two modes")
                .or("[1, 2]")
                .within(Range::between(1.0, 1e6)),
        ],
    },
    build: |values| {
        let (ratio, modes) = (values.number("ratio")?, values.counts("modes")?);
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

const RAYLEIGH_COEFFICIENTS: Entry<BuildDamping> = Entry {
    method: Method {
        name: "rayleigh-coefficients",
        summary: "C = a M + b K with a and b given",
        reference: "Chopra, Dynamics of Structures, section 11.4",
        parameters: &[
            Parameter::number("mass", Dimension::FREQUENCY, "a, 1/s")
                .or("\"0 1/s\"")
                .not_negative(),
            Parameter::number("stiffness", Dimension::TIME, "b")
                .or("\"0 s\"")
                .not_negative(),
        ],
    },
    build: |values| {
        Ok(Damping::Rayleigh {
            mass: values.number("mass")?,
            stiffness: values.number("stiffness")?,
        })
    },
};

const MASS_PROPORTIONAL: Entry<BuildDamping> = Entry {
    method: Method {
        name: "mass-proportional",
        summary: "C = a M with a given ratio at one mode",
        reference: "Chopra, Dynamics of Structures, section 11.4",
        parameters: &[RATIO, mode("mode with that ratio")],
    },
    build: |values| {
        Ok(Damping::MassProportional {
            ratio: values.number("ratio")?,
            mode: values.count("mode")?,
        })
    },
};

const STIFFNESS_PROPORTIONAL: Entry<BuildDamping> = Entry {
    method: Method {
        name: "stiffness-proportional",
        summary: "C = b K with a given ratio at one mode",
        reference: "Chopra, Dynamics of Structures, section 11.4",
        parameters: &[RATIO, mode("mode with that ratio")],
    },
    build: |values| {
        Ok(Damping::StiffnessProportional {
            ratio: values.number("ratio")?,
            mode: values.count("mode")?,
        })
    },
};

const MODAL: Entry<BuildDamping> = Entry {
    method: Method {
        name: "modal",
        summary: "a ratio for every mode: C = M Φ diag(2ζω) Φᵀ M",
        reference: "Wilson and Penzien 1972",
        parameters: &[
            Parameter::of("ratios", Kind::Numbers(Dimension::NONE), "ratio of every mode; a single one stands for all")
                .within(Range::between(0.0, 1.0)),
            Parameter::number(
                "rounding",
                Dimension::FREQUENCY,
                "round circular frequencies to a multiple of this (1/s), as some published models do",
            )
            .optional()
            .positive(),
        ],
    },
    build: |values| {
        Ok(Damping::Modal { ratios: values.numbers("ratios")?, rounding: values.optional_number("rounding") })
    },
};

const DAMPING_MATRIX: Entry<BuildDamping> = Entry {
    method: Method {
        name: "matrix",
        summary: "C itself, written out or from a text file",
        reference: "definition",
        parameters: &[
            Parameter::of("matrix", Kind::Matrix(Dimension::DAMPING), "damping matrix").optional(),
            Parameter::of(
                "matrix_file",
                Kind::Path,
                "text file with the damping matrix, N s/m",
            )
            .optional(),
        ],
    },
    build: |values| {
        let rows = rows(values, "matrix", "matrix_file")?;
        Matrix::from_rows(&rows)
            .map(Damping::Matrix)
            .map_err(|error| BuildError::new("matrix", error.to_string(), "give a square matrix"))
    },
};
