//! The plan of a co-simulation: a plan file with a section `[cosimulation]`.

use tandem_quantity::{Dimension, Kind, Parameter, Range};

use crate::assemble::excitation;

/// Orders of stepping.
pub const METHODS: &[&str] = &["hybrid-testing", "jacobi", "gauss-seidel", "iterative"];

/// Forms of the hybrid-testing coupling.
pub const VARIANTS: &[&str] = &["native", "cs-a", "cs-b", "coupling-fmu", "me", "cs-c"];

/// The whole plan.
pub static ROOT: &[Parameter] = &[
    Parameter::of("name", Kind::Text, "name of the run").or("\"Untitled co-simulation\""),
    Parameter::of("description", Kind::Text, "what it is for").optional(),
    Parameter::integer("seed", "seed of everything random in the run")
        .or("1")
        .within(Range::between(0.0, 9e15)),
    Parameter::of("excitation", Kind::Slot(&excitation::SLOT), "ground motion").optional(),
    Parameter::of(
        "cosimulation",
        Kind::Table(COSIMULATION),
        "who is stepped when",
    ),
    Parameter::of(
        "part",
        Kind::Tables(PART),
        "the parts, in the order of stepping",
    )
    .within(Range::between(1.0, 1000.0)),
    Parameter::of(
        "connection",
        Kind::Tables(CONNECTION),
        "which output feeds which input",
    )
    .optional(),
];

static COSIMULATION: &[Parameter] = &[
    Parameter::of(
        "method",
        Kind::Choice(METHODS),
        "hybrid-testing: substructures coupled by Lagrange multipliers; jacobi: all parts step with the outputs of the last \
         point; gauss-seidel: each with the newest, in the order of the parts; iterative: gauss-seidel, repeated until nothing \
         changes (parts go back to the start of the step)",
    )
    .or("\"hybrid-testing\""),
    Parameter::of(
        "variant",
        Kind::Choice(VARIANTS),
        "of hybrid-testing. native: without FMUs; cs-a, cs-b: all or interface velocities travel; coupling-fmu: cs-b with the \
         coupling as an FMU too; me: Model Exchange; cs-c: any Co-Simulation FMU with get/set state, as a black box",
    )
    .or("\"cs-b\""),
    Parameter::number("dt", Dimension::TIME, "communication step").positive(),
    Parameter::number("duration", Dimension::TIME, "length; default: that of the excitation").optional().positive(),
    Parameter::of(
        "in_process",
        Kind::Boolean,
        "load the FMUs into this process: quicker, but what one breaks is broken for all",
    )
    .or("false"),
    Parameter::number("timeout", Dimension::TIME, "longest time for one answer of an FMU").or("\"30 s\"").positive(),
    Parameter::number("tolerance", Dimension::NONE, "iterative: largest change that counts as none, relative")
        .or("1e-9")
        .positive(),
    Parameter::integer("iterations", "iterative: most rounds in a step").or("50").within(Range::between(1.0, 1e5)),
];

static PART: &[Parameter] = &[
    Parameter::of("name", Kind::Text, "its name"),
    Parameter::of("fmu", Kind::Path, "an FMU").optional(),
    Parameter::of(
        "plan",
        Kind::Path,
        "a plan, a part of which is exported as an FMU first",
    )
    .optional(),
    Parameter::of(
        "what",
        Kind::Choice(&["numerical", "physical", "whole"]),
        "which part of that plan",
    )
    .or("\"numerical\""),
    Parameter::integer("fmi", "version of the FMU that is exported")
        .or("2")
        .within(Range::between(2.0, 3.0)),
    Parameter::number("gamma", Dimension::NONE, "Newmark's gamma; default 0.5")
        .optional()
        .positive(),
    Parameter::number(
        "beta",
        Dimension::NONE,
        "Newmark's beta; default 0.25, for a physical part 0",
    )
    .optional()
    .not_negative(),
    Parameter::integer("substeps", "native: own steps within dt; the fewest of all parts divide the others, and the coupling is solved with the most")
        .or("1")
        .within(Range::between(1.0, 1e4)),
    Parameter::number(
        "control_error",
        Dimension::LENGTH,
        "native, of a part with beta = 0: rms of the white noise by which its actuators miss the displacement that is asked for, step by step",
    )
    .optional()
    .positive(),
    Parameter::of(
        "stiffness_estimate",
        Kind::Matrix(Dimension::STIFFNESS),
        "with control_error: K of Eq. 10, by which the measured force is corrected to the displacement that was asked for; default: it is not",
    )
    .optional(),
    Parameter::of(
        "interface",
        Kind::Integers,
        "interface degree of freedom of each row, from 1; default 1, 2, …",
    )
    .optional()
    .within(Range::between(1.0, 1e6)),
    Parameter::of(
        "rows",
        Kind::Integers,
        "degree of freedom of the FMU that each row is, from 1; default 1. The part of a plan says it itself",
    )
    .optional()
    .within(Range::between(1.0, 1e6)),
    Parameter::of(
        "force",
        Kind::Texts,
        "inputs that take the interface forces; default lambda (cs-a: g)",
    )
    .optional(),
    Parameter::of(
        "ground",
        Kind::Text,
        "input that takes the ground acceleration; default ag, if there is one",
    )
    .optional(),
    Parameter::of(
        "displacement",
        Kind::Texts,
        "states (me) or outputs with the displacements; default u",
    )
    .optional(),
    Parameter::of(
        "velocity",
        Kind::Texts,
        "states (me) or outputs with the velocities; default v",
    )
    .optional(),
    Parameter::of("start", Kind::Texts, "start values, as \"name=value\"").optional(),
    Parameter::of(
        "outputs",
        Kind::Texts,
        "jacobi, gauss-seidel, iterative: variables to record; default: all outputs",
    )
    .optional(),
];

static CONNECTION: &[Parameter] = &[
    Parameter::of("from", Kind::Text, "output, as \"part.variable\""),
    Parameter::of("to", Kind::Text, "input, as \"part.variable\""),
];
