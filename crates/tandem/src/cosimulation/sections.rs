//! The plan of a co-simulation: a plan file with a section `[cosimulation]`.

use tandem_quantity::{Conditional, Dimension, Kind, Parameter, Range, Settings, choice, settings};

use crate::assemble::excitation;
use crate::fmu::What;

choice! {
    /// Orders of stepping.
    pub enum Method {
        /// Substructures coupled by Lagrange multipliers.
        HybridTesting = "hybrid-testing",
        /// All parts with the outputs of the last point.
        Jacobi = "jacobi",
        /// Each with the newest outputs.
        GaussSeidel = "gauss-seidel",
        /// The same, repeated until nothing changes.
        Iterative = "iterative",
    }
}

choice! {
    /// Forms of the hybrid-testing coupling.
    pub enum Variant {
        /// Without FMUs.
        Native = "native",
        /// All velocities travel.
        CsA = "cs-a",
        /// Velocities of the interface travel.
        CsB = "cs-b",
        /// The same, with the coupling as an FMU.
        CouplingFmu = "coupling-fmu",
        /// Model Exchange.
        ModelExchange = "me",
        /// Any Co-Simulation with a state to go back to, as a black box.
        CsC = "cs-c",
    }
}

choice! {
    /// Which part of a plan is meant.
    pub enum PlanPart {
        /// The numerical substructure.
        Numerical = "numerical",
        /// The specimen.
        Physical = "physical",
        /// The undivided structure.
        Whole = "whole",
    }
}

impl PlanPart {
    /// The same for who exports it.
    #[must_use]
    pub fn what(self) -> What {
        match self {
            Self::Numerical => What::Numerical,
            Self::Physical => What::Physical,
            Self::Whole => What::Whole,
        }
    }
}

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
        Kind::Table(CosimulationSettings::PARAMETERS),
        "who is stepped when",
    ),
    Parameter::of(
        "part",
        Kind::Tables(PartSettings::PARAMETERS),
        "the parts, in the order of stepping",
    )
    .within(Range::between(1.0, 1000.0)),
    Parameter::of(
        "connection",
        Kind::Tables(ConnectionSettings::PARAMETERS),
        "which output feeds which input",
    )
    .optional(),
];

settings! {
    /// Who is stepped when.
    pub struct CosimulationSettings {
        /// hybrid-testing: substructures coupled by Lagrange multipliers; jacobi: all parts step
        /// with the outputs of the last point; gauss-seidel: each with the newest, in the order of
        /// the parts; iterative: gauss-seidel, repeated until nothing changes (parts go back to the
        /// start of the step)
        pub method: Method = choice(Method::WORDS).or("\"hybrid-testing\""),
        /// of hybrid-testing. native: without FMUs; cs-a, cs-b: all or interface velocities travel;
        /// coupling-fmu: cs-b with the coupling as an FMU too; me: Model Exchange; cs-c: any
        /// Co-Simulation FMU with get/set state, as a black box
        pub variant: Variant = choice(Variant::WORDS).or("\"cs-b\""),
        /// communication step
        pub dt: f64 = number(Dimension::TIME).positive(),
        /// length; default: that of the excitation
        pub duration: Option<f64> = number(Dimension::TIME).positive(),
        /// load the FMUs into this process: quicker, but what one breaks is broken for all
        pub in_process: bool = boolean().or("false"),
        /// longest time for one answer of an FMU
        pub timeout: f64 = number(Dimension::TIME).or("\"30 s\"").positive(),
        /// iterative: largest change that counts as none, relative
        pub tolerance: f64 = number(Dimension::NONE).or("1e-9").positive(),
        /// iterative: most rounds in a step
        pub iterations: usize = integer().or("50").within(Range::between(1.0, 1e5)),
    }
}

settings! {
    /// A part.
    pub struct PartSettings {
        /// its name
        pub name: String = text(),
        /// an FMU
        pub fmu: Option<String> = path(),
        /// a plan, a part of which is exported as an FMU first
        pub plan: Option<String> = path(),
        /// which part of that plan
        pub what: PlanPart = choice(PlanPart::WORDS).or("\"numerical\""),
        /// version of the FMU that is exported
        pub fmi: usize = integer().or("2").within(Range::between(2.0, 3.0)),
        /// Newmark's gamma; default 0.5
        pub gamma: Option<f64> = number(Dimension::NONE).positive(),
        /// Newmark's beta; default 0.25, for a physical part 0
        pub beta: Option<f64> = number(Dimension::NONE).not_negative(),
        /// native: own steps within dt; the fewest of all parts divide the others, and the coupling
        /// is solved with the most
        pub substeps: usize = integer().or("1").within(Range::between(1.0, 1e4)),
        /// native, of a part with beta = 0: rms of the white noise by which its actuators miss the
        /// displacement that is asked for, step by step
        pub control_error: Option<f64> = number(Dimension::LENGTH).positive(),
        /// with control_error: K of Eq. 10, by which the measured force is corrected to the
        /// displacement that was asked for; default: it is not
        pub stiffness_estimate: Vec<Vec<f64>> = matrix(Dimension::STIFFNESS).optional(),
        /// interface degree of freedom of each row, from 1; default 1, 2, …
        pub interface: Option<Vec<usize>> = integers().within(Range::between(1.0, 1e6)),
        /// degree of freedom of the FMU that each row is, from 1; default 1. The part of a plan
        /// says it itself
        pub rows: Option<Vec<usize>> = integers().within(Range::between(1.0, 1e6)),
        /// inputs that take the interface forces; default lambda (cs-a: g)
        pub force: Option<Vec<String>> = texts(),
        /// input that takes the ground acceleration; default ag, if there is one
        pub ground: Conditional<Option<String>> = text(),
        /// states (me) or outputs with the displacements; default u
        pub displacement: Option<Vec<String>> = texts(),
        /// states (me) or outputs with the velocities; default v
        pub velocity: Option<Vec<String>> = texts(),
        /// start values, as "name=value"
        pub start: Vec<String> = texts().optional(),
        /// jacobi, gauss-seidel, iterative: variables to record; default: all outputs
        pub outputs: Option<Vec<String>> = texts(),
    }
}

settings! {
    /// Which output feeds which input.
    pub struct ConnectionSettings {
        /// output, as "part.variable"
        pub from: String = text(),
        /// input, as "part.variable"
        pub to: String = text(),
    }
}

impl PartSettings {
    /// The file that it is of: an FMU, or a plan.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        self.fmu.as_deref().or(self.plan.as_deref())
    }
}
