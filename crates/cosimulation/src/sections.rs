//! The plan of a co-simulation: a plan file with a section `[cosimulation]`.

use tandem_quantity::{
    BuildError, Conditional, Dimension, Parameter, Range, Settings, Values, choice, settings,
};

use tandem_model::excitation;

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

/// The whole plan.
pub static ROOT: &[Parameter] = CoupledPlan::PARAMETERS;

settings! {
    /// The whole plan.
    pub struct CoupledPlan {
        /// name of the run
        pub name: String = text().or("\"Untitled co-simulation\""),
        /// what it is for
        pub description: Option<String> = text(),
        /// seed of everything random in the run
        pub seed: u64 = integer().or("1").within(Range::between(0.0, 9e15)),
        /// ground motion
        pub excitation: Option<Values> = slot(&excitation::SLOT),
        /// who is stepped when
        pub cosimulation: CosimulationSettings = table(CosimulationSettings::PARAMETERS),
        /// the parts, in the order of stepping
        pub part: Vec<PartSettings> =
            tables(PartSettings::PARAMETERS).within(Range::between(1.0, 1000.0)),
        /// which output feeds which input
        pub connection: Conditional<Vec<ConnectionSettings>> =
            tables(ConnectionSettings::PARAMETERS).optional(),
    }
}

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
        pub variant: Conditional<Variant> = choice(Variant::WORDS).or("\"cs-b\""),
        /// communication step
        pub dt: f64 = number(Dimension::TIME).positive(),
        /// length; default: that of the excitation
        pub duration: Option<f64> = number(Dimension::TIME).positive(),
        /// load the FMUs into this process: quicker, but what one breaks is broken for all
        pub in_process: bool = boolean().or("false"),
        /// longest time for one answer of an FMU
        pub timeout: f64 = number(Dimension::TIME).or("\"30 s\"").positive(),
        /// iterative: largest change that counts as none, relative
        pub tolerance: Conditional<f64> = number(Dimension::NONE).or("1e-9").positive(),
        /// iterative: most rounds in a step
        pub iterations: Conditional<usize> = integer().or("50").within(Range::between(1.0, 1e5)),
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
        pub what: Conditional<PlanPart> = choice(PlanPart::WORDS).or("\"numerical\""),
        /// version of the FMU that is exported
        pub fmi: Conditional<usize> = integer().or("2").within(Range::between(2.0, 3.0)),
        /// Newmark's gamma; default 0.5
        pub gamma: Conditional<Option<f64>> = number(Dimension::NONE).positive(),
        /// Newmark's beta; default 0.25, for a physical part 0
        pub beta: Conditional<Option<f64>> = number(Dimension::NONE).not_negative(),
        /// native: own steps within dt; the fewest of all parts divide the others, and the coupling
        /// is solved with the most
        pub substeps: Conditional<usize> = integer().or("1").within(Range::between(1.0, 1e4)),
        /// native, of a part with beta = 0: rms of the white noise by which its actuators miss the
        /// displacement that is asked for, step by step
        pub control_error: Conditional<Option<f64>> = number(Dimension::LENGTH).positive(),
        /// with control_error: K of Eq. 10, by which the measured force is corrected to the
        /// displacement that was asked for; default: it is not
        pub stiffness_estimate: Conditional<Vec<Vec<f64>>> =
            matrix(Dimension::STIFFNESS).optional(),
        /// interface degree of freedom of each row, from 1; default 1, 2, …
        pub interface: Conditional<Option<Vec<usize>>> =
            integers().within(Range::between(1.0, 1e6)),
        /// degree of freedom of the FMU that each row is, from 1; default 1. The part of a plan
        /// says it itself
        pub rows: Conditional<Option<Vec<usize>>> = integers().within(Range::between(1.0, 1e6)),
        /// inputs that take the interface forces; default lambda (cs-a: g)
        pub force: Conditional<Option<Vec<String>>> = texts(),
        /// input that takes the ground acceleration; default ag, if there is one
        pub ground: Conditional<Option<String>> = text(),
        /// states (me) or outputs with the displacements; default u
        pub displacement: Conditional<Option<Vec<String>>> = texts(),
        /// states (me) or outputs with the velocities; default v
        pub velocity: Conditional<Option<Vec<String>>> = texts(),
        /// start values, as "name=value"
        pub start: Conditional<Vec<String>> = texts().optional(),
        /// jacobi, gauss-seidel, iterative: variables to record; default: all outputs
        pub outputs: Conditional<Option<Vec<String>>> = texts(),
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

/// How parts are coupled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheme {
    /// As substructures, by Lagrange multipliers.
    AtInterface(Variant),
    /// By wires, all with the outputs of the last point.
    Jacobi,
    /// By wires, each with the newest outputs.
    GaussSeidel,
    /// The same, repeated until nothing changes.
    Iterative {
        /// Largest change that counts as none, relative.
        tolerance: f64,
        /// Most rounds in a step.
        most: usize,
    },
}

impl Scheme {
    /// Reads what the method needs, and nothing else.
    pub fn of(settings: &CosimulationSettings) -> Result<Self, BuildError> {
        Ok(match settings.method {
            Method::HybridTesting => Self::AtInterface(settings.variant.read()?),
            Method::Jacobi => Self::Jacobi,
            Method::GaussSeidel => Self::GaussSeidel,
            Method::Iterative => Self::Iterative {
                tolerance: settings.tolerance.read()?,
                most: settings.iterations.read()?,
            },
        })
    }

    /// The method, as a plan has it.
    pub fn method(self) -> Method {
        match self {
            Self::AtInterface(_) => Method::HybridTesting,
            Self::Jacobi => Method::Jacobi,
            Self::GaussSeidel => Method::GaussSeidel,
            Self::Iterative { .. } => Method::Iterative,
        }
    }

    /// The form of the coupling at an interface.
    pub fn variant(self) -> Option<Variant> {
        match self {
            Self::AtInterface(variant) => Some(variant),
            _ => None,
        }
    }
}

/// A part, with what its coupling reads of it: a key that stands for nothing here is not read.
pub struct Part {
    /// Its name.
    pub name: String,
    /// An FMU.
    pub fmu: Option<String>,
    /// A plan.
    pub plan: Option<String>,
    /// Which part of that plan.
    pub what: PlanPart,
    /// Version of the FMU that is exported.
    pub fmi: usize,
    /// Newmark's gamma.
    pub gamma: Option<f64>,
    /// Newmark's beta.
    pub beta: Option<f64>,
    /// Own steps within one of the coupling.
    pub substeps: usize,
    /// By how much actuators miss, m, and the stiffness by which the force is corrected.
    pub control: Option<(f64, Vec<Vec<f64>>)>,
    /// Interface degree of freedom of each row, from 1.
    pub interface: Option<Vec<usize>>,
    /// Degree of freedom of each row, from 1.
    pub rows: Option<Vec<usize>>,
    /// Inputs of the interface forces.
    pub force: Option<Vec<String>>,
    /// Input of the ground acceleration.
    pub ground: Option<String>,
    /// States or outputs with the displacements.
    pub displacement: Option<Vec<String>>,
    /// States or outputs with the velocities.
    pub velocity: Option<Vec<String>>,
    /// Start values.
    pub start: Vec<String>,
    /// Variables to record.
    pub outputs: Option<Vec<String>>,
}

/// Reads a key where it means something.
fn only<T: Default>(meant: bool, key: &Conditional<T>) -> Result<T, BuildError> {
    if meant { key.read() } else { Ok(T::default()) }
}

impl Part {
    /// Reads what the coupling needs; `shaken`: there is a ground motion.
    pub fn of(part: &PartSettings, scheme: Scheme, shaken: bool) -> Result<Self, BuildError> {
        let variant = scheme.variant();
        let at_interface = variant.is_some();
        let native = variant == Some(Variant::Native);
        let black_box = variant == Some(Variant::CsC);
        let named_states = black_box || variant == Some(Variant::ModelExchange);
        // An FMU says itself what it is and how it integrates; we, what is made of a plan.
        let of_plan = part.plan.is_some();
        let newmark = of_plan || (at_interface && !black_box);
        let control_error = only(native, &part.control_error)?;
        let control = match control_error {
            Some(rms) => Some((rms, part.stiffness_estimate.read()?)),
            None => None,
        };
        Ok(Self {
            name: part.name.clone(),
            fmu: part.fmu.clone(),
            plan: part.plan.clone(),
            what: if of_plan {
                part.what.read()?
            } else {
                PlanPart::Numerical
            },
            fmi: only(of_plan, &part.fmi)?,
            gamma: only(newmark, &part.gamma)?,
            beta: only(newmark, &part.beta)?,
            substeps: if native { part.substeps.read()? } else { 1 },
            control,
            interface: only(at_interface, &part.interface)?,
            rows: only(at_interface && !of_plan && !black_box, &part.rows)?,
            force: only(at_interface && !native, &part.force)?,
            ground: only(!native && (at_interface || shaken), &part.ground)?,
            displacement: only(named_states, &part.displacement)?,
            velocity: only(named_states, &part.velocity)?,
            start: only(!native, &part.start)?,
            outputs: only(!at_interface, &part.outputs)?,
        })
    }

    /// The file that it is of: an FMU, or a plan.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        self.fmu.as_deref().or(self.plan.as_deref())
    }
}
