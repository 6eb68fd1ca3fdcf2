//! The plan file: its sections in the order of the loop.

mod implied;
mod read;

pub(crate) use read::{open_with, read_with};

use tandem_quantity::{
    Conditional, Dimension, Parameter, Range, Settings, Slot, Value, ValueKind, Values, choice,
    settings,
};

pub use tandem_model::interface::{InterfaceSettings, Partition};
use tandem_model::{excitation, structure};

/// The whole plan.
pub static ROOT: &[Parameter] = &[
    Parameter::integer("format", "by which rules the plan is written")
        .or("1")
        .within(Range::between(1.0, 1.0)),
    Parameter::of(
        "name",
        ValueKind::Text,
        "name of the test, on every page of it",
    )
    .or("\"Untitled test\""),
    Parameter::of("description", ValueKind::Text, "what the test is for").optional(),
    Parameter::integer("seed", "seed of everything random in the run")
        .or("1")
        .within(Range::between(0.0, 9e15)),
    Parameter::of(
        Section::Excitation.word(),
        ValueKind::Slot(&excitation::SLOT),
        "ground motion",
    ),
    Parameter::of(
        Section::Structure.word(),
        ValueKind::Slot(&structure::SLOT),
        "the structure",
    ),
    Parameter::of(
        Section::Interface.word(),
        ValueKind::Table(InterfaceSettings::PARAMETERS),
        "what belongs to the specimen",
    )
    .optional(),
    Parameter::of(
        Section::Integration.word(),
        ValueKind::Slot(&tandem_integrator::SLOT),
        "time-stepping method",
    ),
    Parameter::of(
        Section::Kinematics.word(),
        ValueKind::Slot(&tandem_transfer::kinematics::SLOT),
        "linkage between the interface degrees of freedom and the actuators",
    )
    .optional(),
    Parameter::of(
        Section::Command.word(),
        ValueKind::Slot(&tandem_transfer::command::SLOT),
        "trajectory between targets",
    )
    .optional(),
    Parameter::of(
        Section::Compensator.word(),
        ValueKind::Slot(&tandem_transfer::compensator::SLOT),
        "delay and amplitude compensation",
    )
    .optional(),
    Parameter::of(
        Section::Rig.word(),
        ValueKind::Slot(&tandem_transfer::rig::SLOT),
        "actuators, specimen, sensors",
    )
    .optional(),
    Parameter::of(
        Section::Conditioning.word(),
        ValueKind::Slot(&tandem_transfer::conditioning::SLOT),
        "what is made of the sensors' values before anybody sees them, and before the force goes \
        back",
    )
    .optional(),
    Parameter::of(
        Section::Limits.word(),
        ValueKind::Table(tandem_coordinator::Limits::PARAMETERS),
        "what stops the test",
    )
    .optional(),
    Parameter::of(
        Section::Monitor.word(),
        ValueKind::Open(&tandem_monitor::SLOT),
        "figures of quality and safety",
    )
    .optional(),
    Parameter::of(
        Section::Coordinator.word(),
        ValueKind::Table(tandem_coordinator::realtime::PARAMETERS),
        "centering, and how a test in real time runs",
    )
    .optional(),
    Parameter::of(
        Section::Faults.word(),
        ValueKind::Tables(tandem_coordinator::fault::PARAMETERS),
        "what goes wrong in a rehearsal, and when",
    )
    .optional(),
    Parameter::of(
        Section::Record.word(),
        ValueKind::Table(RecordSettings::PARAMETERS),
        "what the run \
        leaves",
    )
    .optional(),
    Parameter::of(
        Section::Campaign.word(),
        ValueKind::Table(CampaignSettings::PARAMETERS),
        "what `tandem campaign` draws anew for every run",
    )
    .optional(),
];

choice! {
    /// A section of the plan; who wants its table asks here, so that no name is misspelt.
    pub enum Section {
        /// Ground motion.
        Excitation = "excitation",
        /// The structure.
        Structure = "structure",
        /// What belongs to the specimen.
        Interface = "interface",
        /// Time-stepping method.
        Integration = "integration",
        /// Linkage.
        Kinematics = "kinematics",
        /// Trajectory between targets.
        Command = "command",
        /// Compensation.
        Compensator = "compensator",
        /// Actuators, specimen, sensors.
        Rig = "rig",
        /// What is made of the sensors' values.
        Conditioning = "conditioning",
        /// What stops the test.
        Limits = "limits",
        /// Figures of quality and safety.
        Monitor = "monitor",
        /// How a test in real time runs.
        Coordinator = "coordinator",
        /// What goes wrong in a rehearsal.
        Faults = "faults",
        /// What the run leaves.
        Record = "record",
        /// What is drawn anew for every run.
        Campaign = "campaign",
        /// Who is stepped when, in a plan whose parts are coupled.
        Cosimulation = "cosimulation",
    }
}

impl Section {
    /// Its table in a plan, where it is written.
    pub fn written(self, plan: &Values) -> Option<&Values> {
        plan.optional_table(self.word())
    }

    /// Its table in a plan; an empty one where it is not written.
    pub fn of(self, plan: &Values) -> &Values {
        static NONE: Values = Values::new();
        self.written(plan).unwrap_or(&NONE)
    }

    /// The method that it selects.
    pub fn selected<'a>(self, plan: &'a Values, slot: &dyn Slot) -> Option<&'a str> {
        self.written(plan)?.optional_text(slot.selector())
    }
}

choice! {
    /// The benchmark problem by whose criteria a run is judged.
    pub enum Judged {
        /// None.
        Not = "none",
        /// Silva et al. 2020.
        SingleActuator = "single-actuator",
        /// Condori Uribe et al. 2023.
        MultiAxial = "multi-axial",
    }
}

settings! {
    /// The section `[record]`.
    pub struct RecordSettings {
        /// folder of the run; default: runs/ and the name with date and time
        pub folder: Option<String> = text(),
        /// also compute the undivided structure and compare
        pub reference: bool = boolean().or("true"),
        /// How the undivided structure is computed.
        pub undivided: Conditional<UndividedSettings>,
        /// degree of freedom (counted from 1) at which the energy error E_c is summed up; default:
        /// the last of the interface
        pub energy_error_dof: Conditional<Option<usize>> =
            integer().within(Range::between(1.0, 1e6)),
        /// judge the run by J1, J2, … of this benchmark problem (Silva et al. 2020; Condori Uribe
        /// et al. 2023)
        pub criteria: Judged = choice(Judged::WORDS)
            .or("\"none\""),
        /// degrees of freedom away from the interface that the criteria look at, counted from 1;
        /// default: all
        pub criteria_dof: Conditional<Option<Vec<usize>>> =
            integers().within(Range::between(1.0, 1e6)),
    }
}

settings! {
    /// How the undivided structure is computed, for the section `[record]`.
    pub struct UndividedSettings {
        /// steps of the reference within one of the test; more than 1: a converged solution to
        /// compare with
        pub reference_steps: usize = integer().or("1").within(Range::between(1.0, 1000.0)),
        /// time-stepping method of the reference, with its defaults; default: that of the test
        pub reference_method: Option<String> = text(),
        /// b of C = a M + b K: in the reference, damping follows the tangent of a nonlinear
        /// specimen by b (K - K_initial); default: it stays as it is
        pub reference_tangent_damping: Option<f64> = number(Dimension::TIME).positive(),
    }
}

settings! {
    /// The section `[campaign]` of a plan.
    pub struct CampaignSettings {
        /// keys of the plan that are drawn anew for every run of `tandem campaign`
        pub vary: Vec<Values> = tables(VarySettings::PARAMETERS)
            .optional()
            .within(Range::between(1.0, 1e3)),
    }
}

choice! {
    /// How values are drawn.
    pub enum Distribution {
        /// By mean and standard deviation.
        Normal = "normal",
        /// By the median, and the standard deviation of the natural logarithm.
        LogNormal = "log-normal",
        /// Between two bounds.
        Uniform = "uniform",
        /// Each of a list is as likely.
        Values = "values",
    }
}

settings! {
    /// One key that varies, as the plan writes it.
    pub struct VarySettings {
        /// the key, as after --set: "rig.plant.stiffness"
        pub key: String = text(),
        /// normal: mean and deviation; log-normal: mean is the median, deviation that of the
        /// natural logarithm; uniform: minimum and maximum; values: each of a list is as likely
        pub distribution: Distribution = choice(Distribution::WORDS)
            .or("\"normal\""),
        /// in `unit`
        pub mean: Option<f64> = number(Dimension::NONE),
        /// standard deviation, in `unit`
        pub deviation: Option<f64> = number(Dimension::NONE).not_negative(),
        /// lowest value, in `unit`; draws below it are drawn again
        pub minimum: Option<f64> = number(Dimension::NONE),
        /// highest value, in `unit`; draws above it are drawn again
        pub maximum: Option<f64> = number(Dimension::NONE),
        /// unit of the drawn numbers; default: none
        pub unit: Option<String> = text(),
        /// round to whole numbers
        pub whole: bool = boolean().or("false"),
        /// what is chosen from: whatever the key takes, such as [0.2, 0.4], ["0.2 g", "0.4 g"] or
        /// [true, false]; files relative to the plan; bare numbers are in `unit`
        pub values: Vec<Value> = mixed().optional(),
    }
}
